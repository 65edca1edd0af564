"""Cuts of traced models: the user's own class loads them, and computes the same."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportReport, ExportRequest
from pruneapp.groups.structure import Structure, structure_of
from pruneapp.groups.trace import use_trace
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.methods.coupled_units import lowest_units, masks_without, score_units
from pruneapp.progress import Job
from pruneapp.shrink.cut import ShrinkError
from pruneapp.shrink.forecast import cut_out, forecast
from pruneapp.shrink.plan import Choices, plan
from pruneapp.shrink.record import read_record
from pruneapp.shrink.shrink import ShrinkRequest, shrink
from pruneapp.shrink.surveyed_state import CutRequest, SurveyedState, survey_state
from pruneapp.shrink.unshrink import UnshrunkState
from tests.groups.test_traced_groups import VGG
from tests.shrink.test_exported_programs import Joined, Tied, Twice
from tests.shrink.vision_models import MODELS, make, randomize
from tests.support.traces import trace_model

CLOSE = 1e-11
X = torch.randn((2, 3, 9, 9), generator=torch.Generator().manual_seed(1), dtype=torch.float64)
OWN = {"flatten": lambda: VGG("flatten"), "view": lambda: VGG("view"), "joined": Joined}
OWN |= {"tied": Tied, "twice": Twice}
NAMES = ("basic", "bottleneck", "mobilenet_v2", "efficientnet", "timm_mobilenet", *OWN)


def made(name: str, seed: int = 0) -> nn.Module:
    """Return a network in float64 with random values."""
    if name in MODELS:
        return make(name, seed)
    torch.manual_seed(seed)
    model = OWN[name]().double().eval()
    randomize(model)
    return model


def open_traced(model: nn.Module, path: Path, prefix: str = "", x: torch.Tensor = X) -> Snapshot:
    """Open the file of a model, with its trace."""
    checkpoint = open_checkpoint(path)
    use_trace(checkpoint, trace_model(model, x, prefix))
    return Snapshot(checkpoint)


def masked(state: Snapshot, share: float = 0.3) -> tuple[Snapshot, Structure]:
    """Prune the units of least norm of every group, in all of their tensors."""
    structure = structure_of(state.checkpoint)
    assert isinstance(structure, Structure)
    assert structure.is_traced
    job, units = Job(), []
    for group in structure.axes["channels"].groups:
        scores = score_units(group, state.view, "l2", CpuKernel(), job)
        units.append((group, lowest_units(scores, int(group.count * share), 1)))
    masks = masks_without([(group, state.view, gone) for group, gone in units], job)
    return state.with_masks({"masks": masks}), structure


def cut(state: Snapshot, structure: Structure, path: Path) -> ExportReport:
    """Cut the dead units of a state, and write it."""
    planned = plan(state, structure, Choices(multiple=1), Job())
    return shrink(state, planned, ShrinkRequest(path, {}), Job())


def shrink_into(path: Path, state: Snapshot, structure: Structure) -> ExportReport:
    """Cut a state as `cut` does, and replace an existing file."""
    planned = plan(state, structure, Choices(multiple=1), Job())
    return shrink(state, planned, ShrinkRequest(path, {}, replace_file=True), Job())


def load(report: ExportReport, model: nn.Module) -> nn.Module:
    """Run the code that the report shows."""
    space: dict[str, Any] = {"model": model}
    before = [*sys.path]
    for name in [name for name in sys.modules if name.startswith("load_")]:
        sys.modules.pop(name)  # of another test
    exec(report.loads, space)
    sys.path[:] = before
    loaded: nn.Module = space["model"]
    return loaded


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("file", ["", "cut.pt"])
def test_the_cut_computes_what_the_masked_model_does(name: str, file: str, tmp_path: Path) -> None:
    model = made(name)
    torch.save(model.state_dict(), tmp_path / "net.pt")
    state, structure = masked(open_traced(model, tmp_path / "net.pt"))
    export(state, ExportRequest("safetensors", tmp_path / "masked.safetensors"), Job())
    zeroed = made(name)
    zeroed.load_state_dict(load_file(tmp_path / "masked.safetensors"), strict=False)

    report = cut(state, structure, tmp_path / file if file else tmp_path / "out")

    loaded = load(report, made(name, seed=5))
    with torch.no_grad():
        expected = zeroed(X)
        assert torch.allclose(loaded(X), expected, rtol=0, atol=CLOSE * expected.abs().max())
        assert not torch.allclose(model(X), expected, rtol=0, atol=1e-4)
    sizes = [sum(p.numel() for p in each.parameters()) for each in (model, loaded)]
    assert sizes[1] < 0.9 * sizes[0]
    for module in loaded.modules():
        if isinstance(module, nn.Conv2d):
            assert module.weight.shape[:2] == (
                module.out_channels,
                module.in_channels // module.groups,
            )
        if isinstance(module, nn.Linear):
            assert module.weight.shape == (module.out_features, module.in_features)
        if isinstance(module, nn.BatchNorm2d):
            assert module.num_features == module.weight.numel() == module.running_var.numel()


def test_names_with_a_prefix_in_a_training_checkpoint(tmp_path: Path) -> None:
    model = made("view")
    tensors = {f"module.{name}": tensor for name, tensor in model.state_dict().items()}
    scheduler = {"base_lrs": [0.1, 0.01], "last_epoch": 3, "best": None, "name": "größer"}
    optimizer = {"state": {}, "param_groups": [{"lr": 0.1}]}
    training = {"epoch": 3, "optimizer": optimizer, "scheduler": scheduler, "ema": (tensors,)}
    torch.save({"epoch_of_best": 2, "model": tensors, **training}, tmp_path / "net.pt")
    original = open_traced(model, tmp_path / "net.pt", "module.")
    state, structure = masked(original)

    report = cut(state, structure, tmp_path / "cut.pt")

    assert (
        "The file also keeps 'epoch_of_best', 'epoch', 'scheduler'. Not included, because the "
        "sizes would not match: 'optimizer', 'ema'."
    ) in report.notices
    container = torch.load(tmp_path / "cut.pt", weights_only=True)
    written = container.pop("model")
    assert container == {"epoch_of_best": 2, "epoch": 3, "scheduler": scheduler}
    assert written.keys() == tensors.keys()
    weights = cut(state, structure, tmp_path / "cut.safetensors")
    (notice,) = [each for each in weights.notices if "state dict" in each]
    assert notice == (
        "The file contains only the state dict. Not included: 'optimizer', 'ema', 'epoch_of_best' "
        "and 2 more."
    )
    assert load_file(tmp_path / "cut.safetensors").keys() == tensors.keys()
    assert written["module.two.weight"].shape == (5, 6, 3, 3)  # of 6 and 8
    assert written["module.hidden.weight"].shape == (12, 45)  # of 16 and 54
    loaded = load(report, made("view", seed=5))
    with open_checkpoint(tmp_path / "cut.pt") as shrunk:
        record = read_record(tmp_path / "cut.pt")
        back = UnshrunkState(shrunk, original.checkpoint, record.cut)
        export(back, ExportRequest("safetensors", tmp_path / "back.safetensors"), Job())
    zeros = load_file(tmp_path / "back.safetensors")
    zeroed = made("view")
    zeroed.load_state_dict({n.removeprefix("module."): t for n, t in zeros.items()})
    with torch.no_grad():
        assert torch.allclose(loaded(X), zeroed(X), rtol=0, atol=CLOSE)


def test_each_export_in_a_folder_has_a_script_of_its_own(tmp_path: Path) -> None:
    model = made("view")
    torch.save(model.state_dict(), tmp_path / "net.pt")
    file = open_traced(model, tmp_path / "net.pt")
    states = [masked(file, share) for share in (0.2, 0.6)]
    reports = [
        cut(*states[0], tmp_path / "net-shrunk.pt"),
        cut(*states[1], tmp_path / "net-shrunk-2.pt"),
    ]
    for report, script in zip(reports, ("load_net_shrunk", "load_net_shrunk_2"), strict=True):
        assert f"from {script} import load_shrunk" in report.loads
        text = (tmp_path / f"{script}.py").read_text()
        assert f"from {script} import load_shrunk" in text
        assert any(note.startswith(f"{script}.py, written next to") for note in report.notices)
        loaded = load(report, made("view")).state_dict()
        weights = torch.load(report.path, weights_only=True)
        assert {n: t.shape for n, t in loaded.items()} == {n: t.shape for n, t in weights.items()}
        assert not any("replaced" in note for note in report.notices)

    kept = (tmp_path / "load_net_shrunk.py").read_bytes()
    edited = kept + b"# my own\n"
    again = shrink_into(tmp_path / "net-shrunk.pt", *states[1])
    assert (tmp_path / "load_net_shrunk.py").read_bytes() == kept, "it is identical"
    assert again.notices[-1] == (
        "Existing files were replaced: 'net-shrunk.pt', 'net-shrunk.pt.shrink.json'."
    )
    (tmp_path / "load_net_shrunk.py").write_bytes(edited)
    third = shrink_into(tmp_path / "net-shrunk.pt", *states[0])
    assert (tmp_path / "load_net_shrunk.py").read_bytes() == edited, "the user's changes"
    assert "from load_net_shrunk_3 import" in third.loads, "load_net_shrunk_2.py is of another file"
    load(third, made("view"))


@pytest.mark.parametrize("inside", [None, {}, {"epoch": 7}])
def test_the_forecast_is_the_size_of_the_file(
    tmp_path: Path, inside: dict[str, int] | None
) -> None:
    model = made("bottleneck")
    tensors = model.state_dict()
    torch.save(tensors if inside is None else {"model": tensors, **inside}, tmp_path / "net.pt")
    state, structure = masked(open_traced(model, tmp_path / "net.pt"))
    surveyed = survey_state(state, Job())
    assert isinstance(surveyed, SurveyedState)
    found = forecast(surveyed, CutRequest(multiple=1), Job())
    report = cut(state, structure, tmp_path / "net-cut.pt")
    assert found.after is not None
    assert found.after.nbytes == report.files[0].nbytes
    written = torch.load(tmp_path / "net-cut.pt", weights_only=True)
    if inside is not None:
        assert written.keys() == {"model", *inside}
        written = written["model"]
    assert written.keys() == tensors.keys()
    assert found.after.parameters < 0.6 * found.before.parameters
    assert not found.has_class
    assert any("load_shrunk.py" in text for text in found.loaded_by)


@pytest.mark.parametrize("suffix", ["pt", "safetensors"])
def test_a_single_file_is_rounded_as_forecast(tmp_path: Path, suffix: str) -> None:
    model = made("bottleneck").float()
    source = tmp_path / f"net.{suffix}"
    if suffix == "pt":
        torch.save(model.state_dict(), source)
    else:
        save_file(model.state_dict(), source)
    surveyed = survey_state(open_traced(model, source, x=X.float()), Job())
    assert isinstance(surveyed, SurveyedState)
    request = CutRequest(shares={"channels": 0.5}, multiple=1, dtype="bfloat16")
    found = forecast(surveyed, request, Job())
    out = tmp_path / f"net-cut.{suffix}"
    report = cut_out(surveyed, found, ShrinkRequest(out, {}), CpuKernel(), Job())
    assert (found.rounds, found.keeps_dtype) == (True, False)
    assert found.after is not None
    assert found.after.nbytes == report.files[0].nbytes
    written = torch.load(out, weights_only=True) if suffix == "pt" else load_file(out)
    assert {t.dtype for t in written.values() if t.is_floating_point()} == {torch.bfloat16}
    loaded = load(report, made("bottleneck", seed=5).float())
    assert {p.dtype for p in loaded.parameters()} == {torch.float32}, "that of the class"


def test_a_cut_is_no_program(tmp_path: Path) -> None:
    model = made("view")
    torch.save(model.state_dict(), tmp_path / "net.pt")
    state, structure = masked(open_traced(model, tmp_path / "net.pt"))
    with pytest.raises(ShrinkError, match="the opened file contains no graph"):
        cut(state, structure, tmp_path / "net.pt2")
