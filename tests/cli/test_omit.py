"""Unreadable tensors on the command line: refused, omitted on request, and verified."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from tests.support.unusual_tensors import dtensor, plain

pytestmark = pytest.mark.logs  # torch logs when its distributed package is imported


@pytest.fixture
def mixed(tmp_path):
    """Write a checkpoint with one shard of a tensor, as FSDP2 saves it."""
    path = tmp_path / "mixed.pt"
    content = {
        "a.weight": plain(1, 16, 16),
        "b.weight": dtensor(2, (8, 16), "shard", 2),
        "c.weight": torch.empty(4, 4, device="meta"),
        "d.weight": plain(3, 16, 16).numpy(),
    }
    torch.save(content, path)
    return path


PRUNE = ("--method", "l1_unstructured", "--amount", "0.5")


def test_a_mixed_checkpoint_is_refused_before_anything_is_computed(refused, mixed, monkeypatch):
    def never(*_args, **_more):
        raise AssertionError("pruned in vain")

    monkeypatch.setattr("pruneapp.cli.prune.state_after", never)
    err = refused("prune", mixed, "-o", mixed.with_name("o.safetensors"), *PRUNE)
    assert "'b.weight', 'c.weight' of " in err
    assert "it is a DTensor of shape [16, 16] of which the file contains one shard" in err
    assert "--omit NAME, or export as torch" in err
    assert not mixed.with_name("o.safetensors").exists()


def test_omitted_tensors_are_reported_and_verified(call, mixed, tmp_path):
    out = tmp_path / "o.safetensors"
    omit = ("--omit", "b.*", "--omit", "c.weight")
    status, output, _ = call("prune", mixed, "-o", out, *PRUNE, *omit)

    assert status == 0
    assert set(load_file(out)) == {"a.weight", "d.weight"}
    assert (
        "Note: 'b.weight', 'c.weight' were excluded as requested: 'b.weight': it is a DTensor"
        in output
    )
    assert "'d.weight' (a numpy array)" in output
    status, output, _ = call("verify", out, "--against", mixed)
    assert status == 0, output
    assert output.startswith("Yes")
    assert "Left out of it, as was asked: b.weight\n" in output
    status, output, _ = call("verify", out, "--against", mixed, "--json")
    assert json.loads(output)["omitted"] == ["b.weight", "c.weight"]


def test_every_unreadable_tensor_must_be_omitted(refused, mixed, tmp_path):
    out = tmp_path / "o.safetensors"
    err = refused("prune", mixed, "-o", out, *PRUNE, "--omit", "b.weight")
    assert "'c.weight' of " in err
    assert "'b.weight'" not in err


@pytest.fixture
def odd(tmp_path):
    """Write an unreadable tensor and two that cannot be pruned within the file."""
    path = tmp_path / "odd.pt"
    content = {
        "a.weight": plain(1, 16, 16),
        "neg.weight": torch._neg_view(plain(2, 8, 8)),
        "csr.weight": plain(3, 8, 8).relu().to_sparse_csr(),
        "meta.weight": torch.empty(4, 4, device="meta"),
    }
    torch.save(content, path)
    return path


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
def test_advice_to_keep_the_container_names_tensors_that_cannot_be_pruned(call, refused, odd):
    err = refused("prune", odd, "-o", odd.with_name("o.safetensors"), *PRUNE)
    advice = "export as torch, which keeps what was opened as long as you do not prune"
    assert f"{advice} 'neg.weight', 'csr.weight'." in err

    out = odd.with_name("o.pt")
    err = refused("prune", odd, "-o", out, *PRUNE)
    assert "cannot be kept because 'neg.weight', 'csr.weight' would be pruned" in err
    assert "Choose other tensors with --select, or exclude 'meta.weight' with --omit NAME." in err
    assert not out.exists()

    status, output, err = call("prune", odd, "-o", out, *PRUNE, "--select", "a.*")
    assert status == 0, err
    assert "'meta.weight' was not read, and was written unchanged" in output
    assert call("prune", odd, "-o", odd.with_name("p.pt"), *PRUNE, "--omit", "meta.*")[0] == 0


def test_every_omitted_tensor_has_its_own_reason(call, mixed, tmp_path):
    out = tmp_path / "o.safetensors"
    _, _, err = call("prune", mixed, "-o", out, *PRUNE)
    _, output, _ = call("prune", mixed, "-o", out, *PRUNE, "--omit", "*")
    for text in (err, output):
        line = next(line for line in text.splitlines() if "'b.weight': " in line)
        assert "it is a DTensor" in line
        assert "meta" in line.partition("'c.weight': ")[2]


def test_run_accepts_omit(call, mixed, tmp_path):
    recipe, out = tmp_path / "r.json", tmp_path / "o.pt"
    status, output, _ = call("prune", mixed, "-o", out, *PRUNE, "--save-recipe", recipe)
    assert status == 0
    assert "'b.weight', 'c.weight' were not read, and were written unchanged" in output
    assert call("verify", out, "--against", mixed, "--recipe", recipe)[0] == 0
    packed = tmp_path / "o.compact.safetensors"
    assert call("run", recipe, mixed, "-o", packed)[0] == 2
    assert not packed.exists()
    status, output, _ = call("run", recipe, mixed, "-o", packed, "--omit", "*", "--json")
    assert status == 0
    assert json.loads(output)["omitted"] == ["b.weight", "c.weight"]
    assert call("verify", packed, "--against", mixed)[0] == 0


def test_a_torch_file_that_lacks_a_tensor_is_verified_only_with_omit(call, mixed, tmp_path):
    recipe, out = tmp_path / "r.json", tmp_path / "o.pt"
    deflated = ("--format", "deflated", "--omit", "*")
    status, _, err = call("prune", mixed, "-o", out, *PRUNE, *deflated, "--save-recipe", recipe)
    assert status == 0, err
    asked = ("verify", out, "--against", mixed, "--recipe", recipe, "--format", "deflated")
    status, output, _ = call(*asked)
    assert status == 1
    assert "b.weight of the original is missing from the file (it is a DTensor" in output
    assert call(*asked, "--omit", "*")[0] == 0


def test_an_older_export_that_lost_a_tensor_does_not_verify(call, tmp_path):
    """The file lacks a tensor of the original, without a record of an omission."""
    whole, less = tmp_path / "whole.safetensors", tmp_path / "less.safetensors"
    tensors = {"a.weight": plain(1, 16, 16), "b.weight": plain(2, 16, 16)}
    save_file(tensors, whole)
    save_file({"a.weight": tensors["a.weight"]}, less)
    out, recipe = tmp_path / "o.safetensors", tmp_path / "r.json"
    select = ("--select", "a.weight", "--save-recipe", recipe)
    assert call("prune", less, "-o", out, *PRUNE, *select)[0] == 0
    status, output, _ = call("verify", out, "--against", whole)
    assert status == 1
    assert "b.weight of the original is missing from the file" in output


def test_a_missing_pair_counts_as_one_tensor(call, tmp_path):
    source, out = tmp_path / "m.safetensors", tmp_path / "o.safetensors"
    save_file({"a.weight": plain(1, 16, 16), "b.weight": plain(2, 16, 16)}, source)
    assert call("prune", source, "-o", out, *PRUNE, "--format", "resumable")[0] == 0
    with safe_open(out, "pt") as file:
        metadata = file.metadata()
        rest = {n: file.get_tensor(n) for n in ("b.weight_orig", "b.weight_mask")}
    save_file(rest, out, metadata)
    status, output, _ = call("verify", out, "--against", source)
    assert status == 1
    missing = [line for line in output.splitlines() if "is missing from the file" in line]
    assert missing == ["a.weight of the original is missing from the file"]


def test_every_exporting_command_explains_the_option(call):
    for command in ("prune", "run", "verify"):
        status, out, _ = call(command, "--help")
        assert status == 0
        assert "--omit NAME" in out


def test_diff_lists_missing_and_unreadable_tensors(call, mixed, tmp_path):
    out = tmp_path / "o.safetensors"
    select = ("--select", "a.weight", "--omit", "*")
    assert call("prune", mixed, "-o", out, "--method", "identity", *select)[0] == 0
    status, output, _ = call("diff", mixed, out, "--json")
    rows = {row["name"]: row["kind"] for row in json.loads(output)["tensors"]}
    assert status == 1
    assert rows == {
        "a.weight": "same",
        "b.weight": "only a",
        "c.weight": "only a",
        "d.weight": "same",
    }
    status, output, _ = call("diff", out, mixed)
    assert output.count("only in B") == 2
    status, output, _ = call("diff", mixed, mixed, "[bc].weight", "--json")
    rows = {row["name"]: row["kind"] for row in json.loads(output)["tensors"]}
    assert (status, rows) == (1, {"b.weight": "unread", "c.weight": "unread"})
    whole = tmp_path / "whole.safetensors"
    save_file({"b.weight": plain(4, 16, 16)}, whole)
    status, output, _ = call("diff", whole, mixed, "b.weight", "--json")
    assert [row["kind"] for row in json.loads(output)["tensors"]] == ["unread"]


def test_inspect_lists_unreadable_tensors(call, mixed):
    status, output, _ = call("inspect", mixed)
    assert status == 0
    line = next(line for line in output.splitlines() if line.startswith("c.weight"))
    assert "on the meta device: the file contains no numbers of it" in line
    assert set(json.loads(call("inspect", mixed, "--json")[1])["unreadable"]) == {
        "b.weight",
        "c.weight",
    }


def test_reports_list_all_omitted_tensors(call, tmp_path):
    names = [f"m{number}" for number in range(7)]
    content = {"w.weight": plain(1, 16, 16)} | {n: torch.empty(2, device="meta") for n in names}
    source, page, data = tmp_path / "m.pt", tmp_path / "r.html", tmp_path / "r.json"
    torch.save(content, source)
    out = tmp_path / "o.safetensors"
    reports = ("--report", page, "--report", data)
    status, output, _ = call("prune", source, "-o", out, *PRUNE, "--omit", "m?", *reports)
    assert status == 0
    assert "'m0', 'm1', 'm2' and 4 more were excluded as requested" in output
    text = page.read_text(encoding="utf-8")
    assert all(f"<li>{name}</li>" in text for name in names)
    assert json.loads(data.read_text(encoding="utf-8"))["omitted"] == names


def test_inspect_lists_entries_of_the_state_dict_that_are_not_tensors(call, tmp_path):
    path = tmp_path / "m.pt"
    torch.save({"w": plain(1, 16, 16), "head": {"b": plain(2, 4), "note": "x"}, "lr": 1}, path)
    output = "In the state dict, but not tensors: 'head.note', 'lr'\n"
    assert output in call("inspect", path)[1]
    assert json.loads(call("inspect", path, "--json")[1])["not_tensors"] == ["head.note", "lr"]


def test_inspect_lists_keys_outside_the_state_dict_and_explains_zeros(call, tmp_path):
    path = tmp_path / "last.ckpt"
    torch.save({"state_dict": {"fc.weight": plain(1, 16, 16)}, "epoch": 3, "lr": 0.1}, path)
    assert "Not in the state dict: 'epoch', 'lr'\n" in call("inspect", path)[1]
    assert json.loads(call("inspect", path, "--json")[1])["outside_state_dict"] == ["epoch", "lr"]
    out = tmp_path / "o.safetensors"
    recipe = tmp_path / "r.json"
    output = call("prune", path, "-o", out, *PRUNE, "--save-recipe", recipe)[1]
    assert "Not included: 'epoch', 'lr' (outside 'state_dict')." in output
    output = call("inspect", out)[1]
    zeros = "Note: Pruneapp wrote 'o.safetensors'. Weights pruned earlier are ordinary zeros in it"
    assert zeros in output
    assert "Note: Pruneapp" not in call("inspect", path)[1]
    again = ("-o", tmp_path / "again.safetensors")
    assert zeros in call("prune", out, *again, *PRUNE)[1]
    assert zeros in call("run", recipe, out, *again)[1]
    assert "Note: Pruneapp" not in call("prune", path, *again, *PRUNE)[1]
    masked = tmp_path / "masked.safetensors"
    call("prune", path, "-o", masked, *PRUNE, "--format", "resumable")
    assert "Note: Pruneapp" not in call("prune", masked, *again, *PRUNE)[1]
    output = call("run", recipe, path, "--check")[1]
    assert output.count("1 tensor") == 1
