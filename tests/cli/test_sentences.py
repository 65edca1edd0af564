"""What the command line says: the flags that were typed, and what to do about them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

import pruneapp
from pruneapp.__main__ import main
from pruneapp.errors import UnknownTensorError


@pytest.fixture
def call(capfd):
    def run(*words):
        try:
            status = main([str(word) for word in words])
        except SystemExit as end:
            status = end.code
        return status, *capfd.readouterr()

    return run


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"fc.weight": np.ones((8, 8), np.float32)}, path)
    return path


L1 = ("--method", "l1_unstructured")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*L1, "--amount", "150%"), ("pruneapp: --amount must be ", "(got '150%')")),
        ((*L1, "--amount", "0.5", "--exclude", "x"), ("pruneapp: --exclude must be ", "'x'")),
        (
            (*L1, "--amount", "0.5", "--max-shard-size", "x"),
            ("pruneapp: --max-shard-size must be ", "(got 'x')"),
        ),
        (
            ("--method", "ln_structured", "--amount", "0.5", "--dim", "5"),
            ("pruneapp: --dim must be from -2 to 1 for 'fc.weight' (got 5)",),
        ),
        ((*L1, "--amount", "70"), ("pruneapp: --amount is larger than what remains",)),
    ],
)
def test_errors_name_the_flag_and_what_was_typed(call, model, tmp_path, words, said):
    status, _, err = call("prune", model, "-o", tmp_path / "o.safetensors", *words)
    assert status == 2
    for text in said:
        assert text in err


def test_an_output_that_is_no_file_is_named_by_its_flag(call, model):
    _, _, err = call("prune", model, "-o", "-", *L1, "--amount", "0.5")
    assert err.startswith("pruneapp: --output must be a file")


def test_a_mask_of_another_model_is_said_to_fit_no_tensor(call, model, tmp_path):
    save_file({"other.weight": np.ones((8, 8), np.float32)}, tmp_path / "m.safetensors")
    words = ("--method", "custom_from_mask", "--mask", tmp_path / "m.safetensors")
    status, _, err = call("prune", model, "-o", tmp_path / "o.safetensors", *words)
    assert status == 2
    assert "No mask of " in err
    assert "has the name of a tensor of " in err


@pytest.mark.parametrize(("word", "hint"), [("prun", "; did you mean 'prune'?"), ("foo", "'foo' ")])
def test_a_word_that_is_no_command_and_no_file_is_said_to_be_none(call, word, hint):
    status, _, err = call(word)
    assert status == 2
    assert f"no such command or file: '{word}'" in err
    assert hint in err


def test_a_dimension_that_no_tensor_has_is_a_wrong_argument(call, model):
    status, _, err = call("check", model, "--pattern", "2:4", "--dim", "9")
    assert status == 2
    assert "--dim must be from -2 to 1" in err


def test_a_read_only_file_is_not_replaced_unasked(call, model):
    before = model.read_bytes()
    model.chmod(0o444)
    words = ("prune", model, "-o", model, *L1, "--amount", "0.5")
    status, _, err = call(*words)
    assert status == 2
    assert "is read-only, and is not replaced" in err
    assert model.read_bytes() == before
    assert call(*words, "--replace-original")[0] == 0


def test_methods_spell_options_as_they_are_typed(call):
    _, out, _ = call("methods")
    assert "--divide-by" in out
    assert "--divide_by" not in out
    amount = next(line for line in out.splitlines() if line.lstrip().startswith("--amount "))
    assert "required, unless --target-sparsity is given" in amount


def test_help_on_select_says_what_the_command_does_with_it(call):
    assert "list only tensors" in " ".join(call("inspect", "--help")[1].split())
    assert "check tensors" in " ".join(call("check", "--help")[1].split())


def test_a_tensor_that_cannot_be_read_says_why(call, tmp_path):
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


def test_the_package_lists_what_is_loaded_late():
    assert {"open_checkpoint", "load_compact", "Checkpoint"} <= set(dir(pruneapp))
