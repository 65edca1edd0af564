"""Messages of the command line name the flags as typed, and a solution."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

import pruneapp
from pruneapp.errors import UnknownTensorError


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"fc.weight": np.ones((8, 8), np.float32)}, path)
    return path


L1 = ("--method", "l1_unstructured")


def test_a_mask_of_another_model_is_refused(refused, model, tmp_path):
    save_file({"other.weight": np.ones((8, 8), np.float32)}, tmp_path / "m.safetensors")
    words = ("--method", "custom_from_mask", "--mask", tmp_path / "m.safetensors")
    err = refused("prune", model, "-o", tmp_path / "o.safetensors", *words)
    assert "No mask of " in err
    assert "has the name of a tensor of " in err


def test_a_read_only_file_is_replaced_only_on_request(call, refused, model):
    before = model.read_bytes()
    model.chmod(0o444)
    words = ("prune", model, "-o", model, *L1, "--amount", "0.5")
    err = refused(*words)
    assert "is read-only, and is not replaced" in err
    assert model.read_bytes() == before
    assert call(*words, "--replace-original")[0] == 0


def test_methods_lists_parameters_by_their_options(call):
    _, out, _ = call("methods")
    assert "--divide-by" in out
    assert "--divide_by" not in out
    amount = next(line for line in out.splitlines() if line.lstrip().startswith("--amount "))
    assert "required, unless --target-sparsity is given" in amount


def test_help_of_select_describes_its_effect_per_command(call):
    assert "list only tensors" in " ".join(call("inspect", "--help")[1].split())
    assert "check tensors" in " ".join(call("check", "--help")[1].split())


def test_an_unreadable_tensor_is_shown_with_the_reason(call, tmp_path):
    path = tmp_path / "m.pt"
    tensors = {"a.weight": torch.ones(2, 2), "meta.weight": torch.empty(2, 2, device="meta")}
    torch.save(tensors, path)
    with pruneapp.open_checkpoint(path) as checkpoint:
        assert list(checkpoint.unreadable) == ["meta.weight"]
        with pytest.raises(UnknownTensorError, match=r"'meta\.weight' in .* cannot be read: "):
            checkpoint.read("meta.weight")
    _, out, _ = call("inspect", path)
    assert "not shown" not in out
    assert "other exports leave it out only if you say so" in out


def test_the_package_lists_names_that_are_imported_lazily():
    assert {"open_checkpoint", "load_compact", "Checkpoint"} <= set(dir(pruneapp))


@pytest.fixture
def recipe(call, model, tmp_path):
    path = tmp_path / "my.recipe.json"
    made = (*L1, "--amount", "0.5", "-o", tmp_path / "made.safetensors", "--save-recipe", path)
    assert call("prune", model, *made)[0] == 0
    return path


def test_swapped_recipe_and_checkpoint_are_detected(call, model, recipe, tmp_path):
    out = tmp_path / "o.safetensors"
    right = f"Use: pruneapp run {recipe} {model} "
    status, _, err = call("run", model, recipe, "-o", out)
    assert (status, f"{right}-o {out}\n" in err) == (2, True)
    status, _, err = call("run", model, recipe, "--check")
    assert (status, f"{right}--check\n" in err) == (2, True)
    assert call(*f"run {recipe} {model} -o {out}".split())[0] == 0


def test_a_checkpoint_as_recipe_and_a_recipe_as_checkpoint_are_refused(
    call, refused, model, recipe, tmp_path
):
    status, _, err = call("run", model, model, "-o", tmp_path / "o.safetensors")
    assert status == 2
    assert "is a checkpoint, not a recipe. Name the recipe first, then the checkpoint" in err
    for command in (
        ("inspect", recipe),
        ("diff", recipe, model),
        ("run", recipe, recipe, "--check"),
    ):
        err = refused(*command)
        assert "is a recipe, not a checkpoint. Apply it to a checkpoint: pruneapp run" in err


def test_verify_reports_swapped_files(refused, model, recipe, tmp_path):
    err = refused("verify", model, "--against", tmp_path / "made.safetensors")
    assert "Specify the exported file first and the original after --against" in err


def test_a_recipe_without_entries_gives_a_notice(call, model, tmp_path):
    path = tmp_path / "none.recipe.json"
    path.write_text('{"format": "pruneapp-recipe", "version": 1, "entries": []}')
    for end in (("--check",), ("-o", tmp_path / "o.safetensors")):
        status, out, _ = call("run", path, model, *end)
        assert status == 0
        assert "Note: 'none.recipe.json' has no entries, so it leaves the checkpoint unch" in out


def test_identity_is_not_counted_as_pruned(call, tmp_path):
    save_file(
        {f"{n}.weight": np.ones((8, 8), np.float32) for n in "ab"}, tmp_path / "m.safetensors"
    )
    values = {"amount": 0.5}
    rows = [
        {"name": "l1_unstructured", "configuration": {"values": values, "names": ["a.weight"]}},
        {"name": "identity", "configuration": {"names": ["b.weight"]}},
    ]
    entry = {"name": "step", "configuration": {"rows": rows}}
    recipe = tmp_path / "r.json"
    recipe.write_text(json.dumps({"format": "pruneapp-recipe", "version": 1, "entries": [entry]}))
    ran = ("run", recipe, tmp_path / "m.safetensors")
    _, out, _ = call(*ran, "--check")
    assert "   1  L1 50 % on 1 tensor by 2 rules\n" in out
    assert "\n      Rule 2: Identity on b.weight\n" in out
    _, out, _ = call(*ran, "-o", tmp_path / "o.safetensors")
    assert "1 selected tensor: 32 of 64 weights pruned (50.0 %)\n" in out
    _, out, _ = call(*ran, "-o", tmp_path / "j.safetensors", "--json")
    assert json.loads(out)["selected"]["tensors"] == 1
    _, out, _ = call(
        "prune", tmp_path / "m.safetensors", "-o", tmp_path / "i.safetensors",
        "--method", "identity", "--json",
    )  # fmt: skip
    assert json.loads(out)["selected"]["tensors"] == 0


def test_the_summary_has_selected_tensors_and_the_whole_model(call, tmp_path):
    path = tmp_path / "two.safetensors"
    save_file({"a.weight": np.ones((8, 8), np.float32), "b.weight": np.ones((8, 8))}, path)
    made = (*L1, "--amount", "0.5", "--select", "a.*", "-o", tmp_path / "o.safetensors")
    status, out, _ = call("prune", path, *made)
    assert status == 0
    assert "1 selected tensor: 32 of 64 weights pruned (50.0 %)\n" in out
    assert "Whole model: 32 of 128 weights pruned (25.0 %), read back and compared\n" in out
    status, out, _ = call("prune", path, *made, "--json")
    assert json.loads(out)["selected"] == {
        "tensors": 1,
        "parameters": 64,
        "pruned": 32,
        "sparsity": 0.5,
    }


@pytest.mark.parametrize("shape", [(4, 4), (2, 2)])
def test_unrelated_models_are_reported_in_a_sentence(call, tmp_path, shape):
    paths = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    tensors = {f"layer.{i}.weight": np.ones((2, 3), np.float32) for i in range(12)}
    save_file(tensors, paths[0])
    save_file(
        {name if shape == (4, 4) else f"x{name}": np.ones(shape, np.float32) for name in tensors},
        paths[1],
    )
    status, out, _ = call("diff", *paths)
    assert status == 1
    assert "The models are unrelated" in out
    assert len(out.splitlines()) < 6
    status, out, _ = call("diff", *paths, "--json")
    assert (status, len(json.loads(out)["tensors"])) == (1, 12 if shape == (4, 4) else 24)


def test_a_tensor_without_a_name_is_listed(call, tmp_path):
    path = tmp_path / "m.safetensors"
    save_file({"": np.ones((4, 4), np.float32), "b.weight": np.ones((4, 4), np.float32)}, path)
    status, out, _ = call("inspect", path)
    assert status == 0
    assert any(line.startswith('""  ') for line in out.splitlines())
    assert 'Note: "" is a tensor whose name in the file is empty' in out
    made = (*L1, "--amount", "0.5", "--select", "", "-o", tmp_path / "o.safetensors")
    status, out, _ = call("prune", path, *made)
    assert status == 0
    assert '  50.0 %  ""\n' in out
