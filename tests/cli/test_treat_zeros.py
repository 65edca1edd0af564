"""Pruning sparse models again: zeros of the file count as pruned, or a note is printed."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

STEP = ("--method", "l1_unstructured", "--amount", "20%")


@pytest.fixture(params=[torch.float32, torch.bfloat16, torch.float8_e4m3fn])
def sparse(request, tmp_path):
    """Write a model with 70 % zeros in one tensor, some of them -0.0, and none in another."""
    generator = torch.Generator().manual_seed(0)
    w = torch.randn(100, 100, generator=generator)
    w[w.abs() <= w.abs().flatten().kthvalue(7000).values] = 0
    w[:50] *= -1
    dense = torch.randn(40, 40, generator=generator) + 2
    path = tmp_path / "in.safetensors"
    tensors = {"a.weight": w.to(request.param), "b.weight": dense.to(request.param)}
    save_file(tensors, path, metadata={"format": "pt"})
    return path


def zeros(path):
    return {name: int((t.float() == 0).sum()) for name, t in load_file(path).items()}


@pytest.fixture(params=["prune", "run"])
def command(request, sparse, tmp_path, call):
    """Provide a function that applies the same step with prune or run."""
    recipe = tmp_path / "step.recipe.json"

    def run(*more, source=sparse):
        out = tmp_path / "out.safetensors"
        if request.param == "prune":
            return *call("prune", source, "-o", out, *STEP, *more), out
        if not recipe.exists():
            saved = tmp_path / "saved.safetensors"
            assert call("prune", source, "-o", saved, *STEP, "--save-recipe", recipe)[0] == 0
        return *call("run", recipe, source, "-o", out, *more), out

    return run


def test_the_report_has_tensors_in_which_only_zeros_were_pruned(command, sparse):
    status, output, _, out = command()
    assert status == 0
    assert zeros(out)["a.weight"] == zeros(sparse)["a.weight"]
    assert "a.weight  (zero already)" in output
    assert "b.weight\n" in output
    assert "2,320 of 11,600 weights pruned (20.0 %), 2,000 of them zero already" in output
    assert "Note: In 'a.weight', only weights that were zero already are pruned" in output
    assert "--treat-zeros" in output


def test_json_names_the_tensors(command):
    status, output, _, _ = command("--json")
    assert status == 0
    report = json.loads(output)
    assert report["already_zero"] == ["a.weight"]
    assert any("--treat-zeros" in notice for notice in report["notices"])


def test_the_amount_applies_to_weights_other_than_treated_zeros(command, sparse):
    before = zeros(sparse)
    status, output, err, out = command("--treat-zeros")
    assert status == 0, err
    assert "already" not in output
    after = zeros(out)
    assert after["a.weight"] == before["a.weight"] + round(0.2 * (10_000 - before["a.weight"]))
    assert after["b.weight"] == before["b.weight"] + 320


def test_a_file_without_zeros_is_pruned_as_usual(command, tmp_path):
    dense = tmp_path / "dense.safetensors"
    save_file({"a.weight": torch.rand(100, 100) + 1}, dense, metadata={"format": "pt"})
    status, output, err, out = command("--treat-zeros", source=dense)
    assert status == 0
    assert zeros(out)["a.weight"] == 2000
    assert "No tensor has enough zeros" in output + err
    assert "already" not in output


def test_a_recipe_with_treated_zeros_is_verified(call, sparse, tmp_path):
    out, recipe = tmp_path / "out.safetensors", tmp_path / "it.recipe.json"
    call("prune", sparse, "-o", out, *STEP, "--treat-zeros", "--save-recipe", recipe)
    entries = json.loads(recipe.read_text())["entries"]
    assert [entry["name"] for entry in entries] == ["treat_zeros", "step"]
    assert call("verify", out, "--against", sparse)[0] == 0
    again = tmp_path / "again.safetensors"
    assert call("run", recipe, sparse, "-o", again, "--treat-zeros")[0] == 0
    assert again.read_bytes() == out.read_bytes()


def test_masks_of_a_file_are_not_counted_as_new_zeros(call, tmp_path):
    source, first, out = (tmp_path / f"{name}.safetensors" for name in ("in", "first", "out"))
    save_file({"a.weight": torch.randn(64, 64)}, source, metadata={"format": "pt"})
    assert call("prune", source, "-o", first, "--format", "resumable", *STEP)[0] == 0
    status, output, _ = call("prune", first, "-o", out, *STEP)
    assert status == 0
    assert "already" not in output


def test_channels_far_from_the_beginning_are_found(call, tmp_path):
    weight = torch.rand(400, 64) + 1
    weight[390:] = 0
    weight[399, 63] = 0.001
    source, out = tmp_path / "in.safetensors", tmp_path / "out.safetensors"
    save_file({"a.weight": weight}, source, metadata={"format": "pt"})
    step = ("--method", "ln_structured", "--n", "2", "--dim", "0", "--amount")
    assert "zero already" in call("prune", source, "-o", out, *step, "9")[1]
    assert "zero already" not in call("prune", source, "-o", out, *step, "10")[1]


def test_messages_count_the_entries_of_the_recipe(call, refused, sparse, tmp_path):
    """The entry that `--treat-zeros` adds is not counted."""
    recipe, out = tmp_path / "it.recipe.json", tmp_path / "out.safetensors"
    first = {"rows": [{"name": "l1_unstructured", "configuration": {"values": {"amount": 0.9}}}]}
    rows = [
        {
            "name": "l1_unstructured",
            "configuration": {"values": {"amount": 2000}, "names": ["a.weight"]},
        }
    ]
    steps = [{"name": "step", "configuration": first}]
    steps.append({"name": "step", "configuration": {"rows": rows}})
    recipe.write_text(json.dumps({"format": "pruneapp-recipe", "version": 1, "entries": steps}))
    for more in ((), ("--treat-zeros",)):
        err = refused("run", recipe, sparse, "-o", out, *more)
        assert "at entries[1]: " in err
    _, output, _ = call("run", recipe, sparse, "--check", "--treat-zeros")
    assert [line.split()[0] for line in output.splitlines()[:3]] == ["0", "1", "2"]


@pytest.mark.parametrize("command", ["prune", "run"])
def test_zeros_cannot_be_treated_on_a_cluster(call, refused, sparse, tmp_path, command):
    recipe = tmp_path / "it.recipe.json"
    out = tmp_path / "out.safetensors"
    assert call("prune", sparse, "-o", out, *STEP, "--save-recipe", recipe)[0] == 0
    what = [sparse, *STEP] if command == "prune" else [recipe, sparse]
    more = ("-o", tmp_path / "other.safetensors", "--treat-zeros", "--cluster", "localhost:1")
    err = refused(command, *what, *more)
    assert "--treat-zeros" in err
    assert "--cluster" in err
