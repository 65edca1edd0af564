"""Blocks of networks without a configuration: cut and masked models give the same outputs."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest
import torch
from safetensors.torch import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import PruneAppError
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.groups.blocks import argument_of
from pruneapp.groups.structure import Structure, bind
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.methods.coupled_units import lowest_units, masks_without, score_units
from pruneapp.progress import Job
from pruneapp.shrink.plan import Choices, ShrinkPlan, plan
from pruneapp.shrink.record import read_record
from pruneapp.shrink.shrink import ShrinkRequest, shrink, verify_round_trip
from tests.shrink import vision_models
from tests.shrink.vision_models import MODELS, make, outputs

Tensors = dict[str, torch.Tensor]
CLOSE = 1e-12


def _opened(path: Path) -> tuple[Snapshot, Structure]:
    checkpoint = open_checkpoint(path)
    structure = bind(checkpoint)
    assert isinstance(structure, Structure), structure
    return Snapshot(checkpoint), structure


def _masked(path: Path, share: float = 0.3) -> tuple[Snapshot, Structure]:
    """Prune the units of least norm of every group, in all of their tensors."""
    state, structure = _opened(path)
    job = Job()
    units = []
    for axis in structure.axes.values():
        for group in axis.groups:
            scores = score_units(group, state.view, "l2", CpuKernel(), job)
            units.append((group, lowest_units(scores, int(group.count * share), 1)))
    masks = masks_without([(group, state.view, gone) for group, gone in units], job)
    return state.with_masks({"masks": masks}), structure


def _loader(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("load_shrunk", folder / "load_shrunk.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _written(state: Snapshot, path: Path) -> Tensors:
    export(state, ExportRequest("safetensors", path), Job())
    return load_file(path)


def _cut(
    state: Snapshot, structure: Structure, out: Path, choices: Choices | None = None
) -> ShrinkPlan:
    cut = plan(state, structure, choices or Choices(multiple=1), Job())
    shrink(state, cut, ShrinkRequest(out, {}), Job())
    return cut


@pytest.mark.parametrize(
    ("name", "suffix"), [*((name, ".safetensors") for name in MODELS), ("basic", ".pt")]
)
def test_cut_network_says_what_the_masked_one_says(name: str, suffix: str, tmp_path: Path) -> None:
    model = make(name)
    path = tmp_path / f"net{suffix}"
    tensors = model.state_dict()
    if suffix == ".pt":
        torch.save(tensors, path)
    else:
        save_file(tensors, path)
    (tmp_path / "unrelated.json").write_text("{}")
    state, structure = _masked(path)
    masked = make(name)
    masked.load_state_dict(_written(state, tmp_path / "masked.safetensors"))

    cut = _cut(state, structure, tmp_path / "out")

    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "load_shrunk.py",
        "net.safetensors",
        "pruneapp.shrink.json",
    ]
    # a file of the user, which is not read
    save_file({"other": torch.zeros(2)}, tmp_path / "out" / "zzz.safetensors")
    loaded = _loader(tmp_path / "out").load_shrunk(make(name, seed=5))
    (tmp_path / "out" / "zzz.safetensors").unlink()
    wanted = outputs(masked, name)
    assert torch.allclose(outputs(loaded, name), wanted, rtol=0, atol=CLOSE * wanted.abs().max())
    assert not torch.allclose(outputs(model, name), wanted, rtol=0, atol=1e-4)
    sizes = [sum(t.numel() for t in m.parameters()) for m in (model, loaded)]
    assert sizes[1] < sizes[0]
    for axis in structure.axes.values():
        for group in axis.groups:
            (kept,) = (c.kept.size for c in cut.cut.groups if c.group is group)
            assert kept == group.count - int(group.count * 0.3)
    record = read_record(tmp_path / "out")
    with open_checkpoint(tmp_path / "out") as written:
        verify_round_trip(state, record.cut, written, Job(), folded=frozenset(record.folded))


def test_widths_are_rounded_up_by_block(tmp_path: Path) -> None:
    save_file(make("mobilenet_v2").state_dict(), tmp_path / "net.safetensors")
    state, structure = _masked(tmp_path / "net.safetensors", share=0.4)

    cut = plan(state, structure, Choices(), Job())

    assert [(c.group.count, c.kept.size) for c in cut.cut.groups] == [(48, 32), (64, 40)]
    (axis,) = cut.axes
    assert (axis.name, axis.before, axis.after) == ("channels", 112, 72)


def test_channels_whose_norm_is_0_go_whatever_the_rest_is(tmp_path: Path) -> None:
    model = make("basic")
    with torch.no_grad():
        model[1].bn1.weight[:5] = 0
        model[1].bn1.bias[:5] = 0
        model[2].conv2.weight[:, 3:9] = 0
    save_file(model.state_dict(), tmp_path / "net.safetensors")
    state, structure = _opened(tmp_path / "net.safetensors")

    cut = _cut(state, structure, tmp_path / "out")

    assert [c.kept.tolist() for c in cut.cut.groups] == [
        list(range(5, 16)),
        [0, 1, 2, *range(9, 16)],
    ]
    loaded = _loader(tmp_path / "out").load_shrunk(make("basic", seed=5))
    assert torch.allclose(outputs(loaded, "basic"), outputs(model, "basic"), rtol=0, atol=1e-11)


def test_channels_that_a_norm_shifts_stay_and_are_told_of(tmp_path: Path) -> None:
    model = make("basic")
    with torch.no_grad():
        model[1].conv1.weight[:3] = 0
    save_file(model.state_dict(), tmp_path / "net.safetensors")
    state, structure = _opened(tmp_path / "net.safetensors")

    cut = plan(state, structure, Choices(multiple=1), Job())

    assert cut.is_empty
    (axis,) = cut.axes
    notice, _outside = axis.notices
    assert notice == (
        "3 units of '1.conv1' have only zero weights but are kept: a bias or a norm turns them "
        "into constants. Prune them together with their dependent tensors."
    )


def test_constants_of_a_vit_are_folded(tmp_path: Path) -> None:
    model = make("vit")
    with torch.no_grad():
        for block in model.children():
            block.mlp[0].weight[:8] = 0
    save_file(model.state_dict(), tmp_path / "net.safetensors")
    state, structure = _opened(tmp_path / "net.safetensors")

    cut = _cut(state, structure, tmp_path / "out")

    assert set(cut.biases) == {f"encoder_layer_{n}.mlp.3.bias" for n in range(2)}
    loaded = _loader(tmp_path / "out").load_shrunk(make("vit", seed=5))
    assert torch.allclose(outputs(loaded, "vit"), outputs(model, "vit"), rtol=0, atol=CLOSE * 10)


def test_one_argument_of_a_resnet_makes_all_widths(tmp_path: Path) -> None:
    torch.save({"state_dict": make("bottleneck").state_dict()}, tmp_path / "net.pth")
    state, structure = _masked(tmp_path / "net.pth")

    cut = _cut(state, structure, tmp_path / "out", Choices(one_ratio=True))

    # 30 % leave 45 of 64 and 90 of 128.
    assert [c.kept.size for c in cut.cut.groups] == [45, 45, 90, 90]
    assert any("width_per_group=45" in line for line in cut.loading)
    model = vision_models.ResNet(width_per_group=45).double().eval()
    model.load_state_dict(load_file(tmp_path / "out" / "net.safetensors"))
    masked = make("bottleneck")
    masked.load_state_dict(_written(state, tmp_path / "masked.safetensors"))
    wanted = outputs(masked, "bottleneck")
    assert torch.allclose(outputs(model, "bottleneck"), wanted, rtol=0, atol=1e-12 * 100)


@pytest.mark.parametrize(
    ("name", "argument"), [("vit", "mlp_dim=32"), ("encoder", "dim_feedforward=32")]
)
def test_argument_of_transformers_is_said(name: str, argument: str, tmp_path: Path) -> None:
    save_file(make(name).state_dict(), tmp_path / "net.safetensors")
    state, structure = _masked(tmp_path / "net.safetensors")

    cut = plan(state, structure, Choices(multiple=8), Job())

    assert any(argument in line for line in cut.loading)


def test_blocks_that_no_argument_makes_are_not_cut_in_one_ratio(tmp_path: Path) -> None:
    save_file(make("basic").state_dict(), tmp_path / "net.safetensors")
    state, structure = _masked(tmp_path / "net.safetensors")

    with pytest.raises(PruneAppError, match="No argument of the model's class"):
        plan(state, structure, Choices(one_ratio=True), Job())


def test_layers_outside_of_blocks_are_named(tmp_path: Path) -> None:
    save_file(make("basic").state_dict(), tmp_path / "net.safetensors")
    state, structure = _masked(tmp_path / "net.safetensors")

    (channels,) = plan(state, structure, Choices(multiple=8), Job()).axes

    (notice,) = [line for line in channels.notices if line.startswith("Not reduced: ")]
    cut = {m.name for g in structure.axes["channels"].groups for m in g.members if m.dim == 0}
    named = re.findall(r"'(.+?)'", notice)
    assert named
    assert not cut & {*named}
    assert notice.endswith("can be removed without the graph of the model.")


@pytest.mark.parametrize("of_today", [True, False])
@pytest.mark.parametrize("architecture", ["vit_tiny_patch16_224", "mixer_s16_224"])
def test_folder_of_timm_gets_the_argument(
    architecture: str, of_today: bool, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    save_file(make("timm_vit").state_dict(), home / "model.safetensors")
    config = {"architecture": architecture, "num_classes": 5}
    if of_today:
        config["pretrained_cfg"] = {"tag": "mine"}
    (home / "config.json").write_text(json.dumps(config))
    state, structure = _masked(home)

    cut = _cut(state, structure, tmp_path / "out")

    written = json.loads((tmp_path / "out" / "config.json").read_text())
    if architecture.startswith("mixer") or not of_today:  # the constructor's arguments are unknown
        assert written == config
        assert cut.loader
        return
    assert written == {**config, "model_args": {"mlp_ratio": 68 / 24}}
    model = vision_models.TransformerOfTimm(ratio=written["model_args"]["mlp_ratio"])
    model.double().load_state_dict(load_file(tmp_path / "out" / "model.safetensors"))
    assert not (tmp_path / "out" / "load_shrunk.py").exists()


def test_any_ratio_of_timm_comes_back_as_the_width(tmp_path: Path) -> None:
    save_file(make("timm_vit").state_dict(), tmp_path / "net.safetensors")
    _, structure = _opened(tmp_path / "net.safetensors")
    (argument,) = {block.form.argument for block in structure.blocks}
    assert argument is not None
    for width in (24, 49, 192, 384, 1000):
        blocks = [
            type(b)(b.form, b.prefix, {**b.sizes, "d": width}, b.groups) for b in structure.blocks
        ]
        for n in range(1, 4 * width):
            ratio = argument_of(argument, [(block, n) for block in blocks])
            assert ratio is not None
            assert int(width * ratio) == n


def test_real_resnet_of_cifar_is_cut(resnet20: Path, tmp_path: Path) -> None:
    state, structure = _masked(resnet20, share=0.25)

    cut = _cut(state, structure, tmp_path / "out", Choices(multiple=4))

    assert [c.kept.size for c in cut.cut.groups] == [12] * 3 + [24] * 3 + [48] * 3
    loaded = _loader(tmp_path / "out").load_shrunk(vision_models.ResNet20().double().eval())
    tensors = _written(state, tmp_path / "masked.safetensors")
    masked = vision_models.ResNet20().double().eval()
    masked.load_state_dict({n.removeprefix("module."): t for n, t in tensors.items()})
    x = torch.randn(2, 3, 32, 32, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        wanted = masked(x)
        assert torch.allclose(loaded(x), wanted, rtol=0, atol=CLOSE * wanted.abs().max())
    assert (tmp_path / "out" / "resnet20-12fca82f.safetensors").stat().st_size < 900_000
