"""A history as a script: run by stock torch in its own process, it makes the same masks."""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ExportError, PruneAppError
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.export.scripts.script import script_of, write_script
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.methods.registry import METHODS
from pruneapp.params import AmountParam
from pruneapp.progress import Job
from pruneapp.recipes.fit import fit
from pruneapp.recipes.recipe import Recipe
from pruneapp.recipes.replay import replay
from tests.shrink.small_models import write_bert

RUN = """
import sys
assert "pruneapp" not in sys.modules
sys.argv = sys.argv[1:]
import runpy
runpy.run_path(sys.argv[0], run_name="__main__")
assert not any(name.startswith("pruneapp") for name in sys.modules)
"""


def model(dtype=torch.float32):
    generator = torch.Generator().manual_seed(5)

    def made(*shape):
        return torch.randn(shape, generator=generator).to(dtype)

    return {
        "net.conv.weight": made(8, 4, 3, 3),
        "net.norm.weight": made(8),
        "net.norm.bias": made(8),
        "net.norm.running_mean": torch.randn(8),
        "net.norm.running_var": torch.rand(8),
        "net.fc.weight": made(12, 32),
        "net.fc.bias": made(12),
        "count": torch.tensor(3),
    }


def step(*rows, **more):
    made = [
        {"name": name, "configuration": {"values": values, **where}} for name, values, where in rows
    ]
    return {"name": "step", "configuration": {"rows": made, **more}}


def recipe_of(*entries) -> Recipe:
    text = {"format": "pruneapp-recipe", "version": 1, "entries": list(entries)}
    return Recipe.from_text(json.dumps(text))


def run(path, source, tmp_path, *entries, apart=False):
    """Write and run a script, and compare its result with the export; return the script.

    `apart`: whether to use another process, which takes some seconds.
    """
    recipe = recipe_of(*entries)
    target = tmp_path / "wanted.safetensors"
    with open_checkpoint(source) as checkpoint:
        script = script_of(checkpoint, recipe, CpuKernel(), Job())
        state = Snapshot(checkpoint)
        deeds = fit(recipe, checkpoint, Job()).actions("")
        for done in replay(state, deeds, CpuKernel(), Job()):
            state = done.state
        export(state, ExportRequest("safetensors", target), Job())
    out = tmp_path / f"out{source.suffix or '.safetensors'}"
    if apart:
        write_script(script, path, Job())
        done = subprocess.run(
            [sys.executable, "-I", "-W", "error", "-c", RUN, path, source, out],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr + script.text(path)
    else:
        in_this_process(source, out, path, script)
    found = load_file(out) if out.suffix == ".safetensors" else torch.load(out, weights_only=True)
    wanted = load_file(target)
    for name, tensor in wanted.items():
        assert found[name].dtype == tensor.dtype, name
        one, other = (t.reshape(-1).view(torch.uint8) for t in (found[name], tensor))
        assert torch.equal(one, other), name
    return script


@pytest.mark.parametrize("one", [True, False], ids=["file", "shards"])
def test_after_an_export_onto_its_folder_it_reads_the_backup(tmp_path, path, one, monkeypatch):
    home = tmp_path / "model"
    home.mkdir()
    tensors, names = model(), list(model())
    if one:
        save_file(tensors, home / "model.safetensors", {"format": "pt"})
    else:
        for n, half in enumerate((names[:4], names[4:]), 1):
            file = home / f"model-0000{n}-of-00002.safetensors"
            save_file({name: tensors[name] for name in half}, file, {"format": "pt"})
    recipe = recipe_of(step(("l1_unstructured", {"amount": 0.5}, {})))
    others = recipe_of(step(("l1_unstructured", {"amount": 0.9}, {})))
    with open_checkpoint(home) as checkpoint:
        state = Snapshot(checkpoint)
        for done in replay(state, fit(others, checkpoint, Job()).actions(""), CpuKernel(), Job()):
            state = done.state
        export(state, ExportRequest("safetensors", home), Job())
        write_script(script_of(checkpoint, recipe, CpuKernel(), Job()), path, Job())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(path)])
    with contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(str(path), run_name="__main__")
    made = load_file(path.with_suffix(".safetensors").name)
    assert float((made["net.fc.weight"] == 0).float().mean()) == pytest.approx(0.5, abs=0.01)


def test_called_from_elsewhere_it_finds_the_original_or_says_how_to(
    source, path, tmp_path, monkeypatch, capsys
):
    with open_checkpoint(source) as checkpoint:
        recipe = recipe_of(step(("l1_unstructured", {"amount": 0.5}, {})))
        script = script_of(checkpoint, recipe, CpuKernel(), Job())
    write_script(script, path, Job())
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr(sys, "argv", ["again.py"])
    runpy.run_path(str(path), run_name="__main__")
    assert [made.name for made in elsewhere.iterdir()] == ["again.safetensors"]
    assert "net.fc.weight" in capsys.readouterr().out

    source.rename(tmp_path / "moved.safetensors")
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(path), run_name="__main__")
    assert end.value.code == (
        f"'{path.parent / os.path.relpath(source, path.parent)}' does not exist. Run: "
        f"python {path} ORIGINAL [OUT]"
    )


def in_this_process(source, out, path, script):
    """Run a script as a program."""
    write_script(script, path, Job())
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()):
        patch.setattr(sys, "argv", [str(path), str(source), str(out)])
        runpy.run_path(str(path), run_name="__main__")


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file(model(), path, metadata={"format": "pt"})
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "again.py"


EDIT = {
    "name": "edit",
    "configuration": {
        "operation": "prune",
        "targets": [{"name": "net.fc.bias", "boxes": [[[1, 4]]]}],
    },
}
BACK = {
    "name": "edit",
    "configuration": {
        "operation": "restore",
        "targets": [{"name": "net.conv.weight", "boxes": [[[0, 8], [0, 2], [0, 3], [0, 3]]]}],
    },
}


def in_turn(*, ranked: bool):
    """Return a step of every method in every scope, each on the result of the preceding ones."""
    for method in METHODS.values():
        amounts = {p.name: 0.1 for p in method.params if isinstance(p, AmountParam)}
        if (
            not (method.takes_mask or method.takes_scale or method.takes_statistics)
            and (method.granularity == "weights") == ranked
            and method.granularity != "units"  # the model is of no known type
        ):
            for scope in method.scopes:
                where = {"names": ["net.conv.weight", "net.fc.weight"]}
                yield step((method.name, amounts, where), scope=scope)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
def test_every_method_gives_the_same_masks(tmp_path, path, dtype):
    source = tmp_path / "model.safetensors"
    save_file(model(dtype), source)
    back = {**EDIT, "configuration": {**BACK["configuration"]}}
    entries = (*in_turn(ranked=True), back, *in_turn(ranked=False))
    script = run(path, source, tmp_path, *entries, apart=dtype == torch.float32)
    without = {m.name for m in METHODS.values() if m.takes_statistics or m.granularity == "units"}
    assert script.steps > len(METHODS) - len(without)
    if dtype in {torch.float32, torch.float64}:
        assert script.by_torch >= 3


def test_torchs_own_calls_stand_where_they_are_the_same(source, path, tmp_path):
    script = run(
        path,
        source,
        tmp_path,
        step(("l1_unstructured", {"amount": 0.25}, {})),
        step(("l1_unstructured", {"amount": 0.5}, {}), scope="global"),
        step(("ln_structured", {"amount": 2, "n": 2, "dim": 0}, {})),
        step(("ln_structured", {"amount": 1, "n": "inf", "dim": 1}, {"pattern": "*.fc.weight"})),
        step(("identity", {}, {"pattern": "*.fc.bias"})),
        {"name": "finalize"},
        {"name": "treat_zeros"},
        step(("l1_unstructured", {"amount": 7}, {"pattern": "*.weight"})),
    )
    assert not script.masks
    assert script.by_torch == script.steps == 8
    text = script.text(path)
    assert 'prune.l1_unstructured(modules[name], "weight", amount=0.25)' in text
    assert "prune.global_unstructured(" in text
    assert 'prune.ln_structured(modules[name], "weight", amount=2, n=2, dim=0)' in text
    assert 'modules["net.fc.weight"], "weight", amount=1, n=float("inf"), dim=1)' in text
    assert 'custom_from_mask(modules[name], "weight", mask=modules[name].weight != 0)' in text
    compile(text, "again.py", "exec")
    assert [line for line in text.splitlines() if len(line) > 110] == []
    assert str(source.parent) not in text  # no local path is published


def test_masks_stand_where_torch_has_a_choice_or_no_such_thing(source, path, tmp_path):
    weights = load_file(source)
    seeded = torch.Generator().manual_seed(1)  # ties decide which steps need a mask
    weights["net.fc.weight"] = torch.randint(1, 4, (12, 32), generator=seeded) / 2
    save_file(weights, source)
    script = run(
        path,
        source,
        tmp_path,
        step(("l1_unstructured", {"amount": 0.5}, {})),
        step(("l1_unstructured", {"amount": 0.8}, {}), scope="global"),
        step(("ln_structured", {"amount": 1, "n": "fro"}, {})),
        step(("random_unstructured", {"amount": 0.1, "seed": 4}, {})),
        step(("l1_unstructured", {"amount": 0.1}, {}), limits={"target_sparsity": 0.95}),
        EDIT,
        BACK,
        step(
            ("l1_unstructured", {"amount": 3}, {"pattern": "*.conv.*"}),
            ("random_structured", {"amount": 1}, {"pattern": "*.fc.weight"}),
        ),
    )
    assert (script.by_torch, script.steps) == (2, 9)
    keys = {key.partition(".")[::2] for key in script.masks}
    assert ("1", "net.fc.weight") in keys
    assert ("1", "net.conv.weight") not in keys  # without ties torch computes the mask
    assert {number for number, _ in keys} == {"1", "2", "3", "4", "6", "7", "9"}
    assert 'prune.l1_unstructured(modules[name], "weight", amount=amount)' in script.text(path)
    assert "# all of it is back" in script.text(path)


def test_what_depends_on_channels_is_read_from_masks(path, tmp_path):
    write_bert(tmp_path / "bert")
    dense = "encoder.layer.1.intermediate.dense"
    one = step(("ln_structured", {"amount": 3}, {"names": [f"{dense}.weight"]}), dependents=True)
    script = run(path, tmp_path / "bert" / "model.safetensors", tmp_path, one)
    output = "encoder.layer.1.output.dense.weight"
    assert sorted(script.masks) == [f"1.{dense}.bias", f"1.{dense}.weight", f"1.{output}"]
    assert "with dependent tensors" in script.text(path)


def test_what_is_protected_is_spared_there_too(source, path, tmp_path):
    protect = {
        "name": "edit",
        "configuration": {
            "operation": "protect",
            "targets": [{"name": "net.fc.weight", "boxes": [[[0, 6], [0, 32]]]}],
        },
    }
    script = run(path, source, tmp_path, protect, step(("l1_unstructured", {"amount": 0.3}, {})))
    assert list(script.masks) == ["2.net.fc.weight"]


def test_norms_that_are_nearly_equal_are_not_left_to_torch(source, path, tmp_path):
    weights = load_file(source)
    row = torch.rand(32) + 0.5
    weights["net.fc.weight"] = torch.stack([row.roll(i) for i in range(12)])
    save_file(weights, source)
    script = run(
        path,
        source,
        tmp_path,
        step(("ln_structured", {"amount": 5}, {"pattern": "net.fc.weight"})),
        step(("ln_structured", {"amount": 2, "n": "inf"}, {"pattern": "net.fc.weight"})),
    )
    assert len(script.masks) == 2


def test_values_that_are_no_numbers(source, path, tmp_path):
    weights = load_file(source)
    weights["net.fc.weight"][0, :4] = torch.tensor([np.nan, np.inf, -np.inf, -0.0])
    save_file(weights, source)
    run(
        path,
        source,
        tmp_path,
        step(("l1_unstructured", {"amount": 0.25}, {})),
        step(("ln_structured", {"amount": 3}, {"pattern": "net.fc.weight"})),
        step(("random_unstructured", {"amount": 0.9}, {}), scope="global"),
        step(("random_unstructured", {"amount": 0.9}, {"pattern": "net.fc.weight"})),
    )


@pytest.mark.parametrize("nested", [False, True])
def test_torch_files_with_tied_weights(path, tmp_path, nested):
    weights = model()
    weights["net.decoder.weight"] = weights["net.fc.weight"]
    source = tmp_path / "model.pt"
    torch.save({"epoch": 3, "state_dict": weights} if nested else weights, source)
    run(path, source, tmp_path, step(("l1_unstructured", {"amount": 0.25}, {})), EDIT, apart=nested)
    out = torch.load(tmp_path / "out.pt", weights_only=True)
    assert set(out) == set(weights)
    assert out["net.decoder.weight"].data_ptr() == out["net.fc.weight"].data_ptr()


def test_files_that_bring_masks(source, path, tmp_path):
    first = tmp_path / "resumable.safetensors"
    with open_checkpoint(source) as checkpoint:
        deeds = fit(recipe_of(step(("l1_unstructured", {"amount": 0.3}, {}))), checkpoint, Job())
        (done,) = replay(Snapshot(checkpoint), deeds.actions(""), CpuKernel(), Job())
        export(done.state, ExportRequest("resumable", first), Job())
    script = run(
        path,
        first,
        tmp_path,
        {"name": "file_masks"},
        step(("l1_unstructured", {"amount": 0.5}, {})),
    )
    assert not script.masks
    assert "net.fc.weight_orig" not in load_file(tmp_path / "out.safetensors")


def test_what_torch_cannot_do_is_refused_in_a_sentence(tmp_path, path):
    source = tmp_path / "model.safetensors"
    save_file({"a.weight": torch.randn(4, 4).to(torch.float8_e4m3fn)}, source)
    recipe = recipe_of(step(("l1_unstructured", {"amount": 0.3}, {})))
    with (
        open_checkpoint(source) as checkpoint,
        pytest.raises(ExportError, match="cannot do with float8"),
    ):
        script_of(checkpoint, recipe, CpuKernel(), Job())


def test_odd_names_stay_what_they_are(path, tmp_path):
    names = ['a"b', "it's", "new\nline", "back\\slash", "{brace}", "名前", '"""']
    source = tmp_path / "model.safetensors"
    save_file({n: torch.randn(4, 4) for n in names}, source)
    run(
        path,
        source,
        tmp_path,
        step(("l1_unstructured", {"amount": 3}, {"names": names})),
        *[step(("random_unstructured", {"amount": 3}, {"names": [n]})) for n in names],
    )


@st.composite
def histories(draw):
    """Draw weights with and without ties, and some steps on them."""
    dtype = draw(st.sampled_from([torch.float32, torch.float16, torch.bfloat16, torch.float64]))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 999)))
    shapes = draw(st.lists(st.sampled_from([(6, 5), (4, 3, 2, 2), (9, 8)]), min_size=1, max_size=3))
    weights = {}
    for i, shape in enumerate(shapes):
        tensor = torch.randn(shape, generator=generator, dtype=torch.float64)
        if draw(st.booleans()):
            tensor = (tensor * 4).round() / 4  # ties, and zeros
        if draw(st.booleans()):
            tensor.view(-1)[:3] = torch.tensor([torch.nan, torch.inf, -torch.inf])
        weights[f"l{i}.weight"] = tensor.to(dtype)
    entries = []
    for _ in range(draw(st.integers(1, 4))):
        method = draw(
            st.sampled_from(["l1_unstructured", "ln_structured", "random_unstructured", "lamp"])
        )
        values: dict[str, object] = {"amount": draw(st.sampled_from([0.0, 0.1, 0.25, 0.4]))}
        if method == "ln_structured":
            values |= {
                "n": draw(st.sampled_from([1, 2, "inf", "-inf", 0, 0.5, "fro"])),
                "dim": draw(st.sampled_from([0, 1, -1])),
            }
        scope = draw(st.sampled_from(METHODS[method].scopes))
        entries.append(step((method, values, {}), scope=scope))
    if draw(st.booleans()):
        entries.insert(draw(st.integers(0, len(entries))), {"name": "finalize"})
    return weights, entries


@given(histories())
def test_whatever_was_done_torch_does_the_same(tmp_path_factory, case):
    weights, entries = case
    tmp_path = tmp_path_factory.mktemp("script")
    source, out, target = (tmp_path / f"{n}.safetensors" for n in ("model", "out", "wanted"))
    save_file(weights, source)
    recipe = recipe_of(*entries)
    with open_checkpoint(source) as checkpoint:
        state = Snapshot(checkpoint)
        try:
            deeds = fit(recipe, checkpoint, Job()).actions("")
            for done in replay(state, deeds, CpuKernel(), Job()):
                state = done.state
        except PruneAppError:
            return  # nothing is left, or there is nothing to make permanent
        script = script_of(checkpoint, recipe, CpuKernel(), Job())
        export(state, ExportRequest("safetensors", target), Job())
    in_this_process(source, out, tmp_path / "again.py", script)
    found, wanted = load_file(out), load_file(target)
    for name, tensor in wanted.items():
        one, other = (t.reshape(-1).view(torch.uint8) for t in (found[name], tensor))
        assert torch.equal(one, other), name
