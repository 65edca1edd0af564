"""Recipes on the command line: running, verifying, and reproducible bytes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import save_file

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.export import provenance
from pruneapp.export.provenance import KEY
from tests.cli.command_process import read_by, until
from tests.support.formats import OF_ANY_SOURCE

SAMPLE = resources.path("sample/lenet-digits.safetensors")
EXAMPLES = sorted(resources.path("recipes").glob("*.json"))
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "recipes.md").read_text(encoding="utf-8")


@pytest.fixture
def source(tmp_path):
    """Write a checkpoint of several dtypes, one of which cannot be pruned."""
    rng = np.random.default_rng(3)
    path = tmp_path / "model.safetensors"
    save_file(
        {
            "conv.weight": rng.normal(size=(6, 3, 3, 3)).astype(np.float32),
            "fc.weight": rng.normal(size=(10, 17)).astype(np.float16),
            "fc.bias": rng.normal(size=10).astype(np.float64),
            "count": np.array([1, 2, 3], np.int64),
        },
        path,
        metadata={"format": "pt", "by": "me"},
    )
    return path


def recipe_file(tmp_path, *entries, name="all.recipe.json"):
    path = tmp_path / name
    text = {"format": "pruneapp-recipe", "version": 1, "entries": list(entries)}
    path.write_text(json.dumps(text))
    return path


def step(method, values, scope="local", **row):
    entry = {"name": method, "configuration": {"values": values, **row}}
    return {"name": "step", "configuration": {"rows": [entry], "scope": scope}}


ALL = (
    step("random_unstructured", {"amount": 0.2, "seed": 11}, "global"),
    step("ln_structured", {"amount": 1}, pattern="conv.*"),
    {
        "name": "edit",
        "configuration": {
            "operation": "prune",
            "targets": [{"name": "fc.bias", "boxes": [[[2, 5]]]}],
        },
    },
    {
        "name": "schedule",
        "configuration": {"step": step("l1_unstructured", {}, "global"), "final": 0.7, "steps": 3},
    },
    {"name": "finalize"},
)


def metadata(path):
    with safe_open(path, "np") as file:
        return file.metadata()


def test_a_recipe_is_run_and_its_provenance_is_stored(call, tmp_path, source):
    recipe = recipe_file(tmp_path, *ALL)
    status, out, err = call("run", recipe, source, "-o", tmp_path / "o.safetensors", "--json")
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert len(report["entries"]) == 5
    assert report["pruned"] == round(0.7 * (162 + 170)) + 3
    found = metadata(tmp_path / "o.safetensors")
    assert found["by"] == "me"
    texts = {k.removeprefix(KEY): v for k, v in found.items() if k.startswith(KEY)}
    assert sorted(texts) == ["format", "inputs", "recipe", "seeds", "sha256", "ties", "version"]
    assert json.loads(texts["inputs"]) == [hashlib.sha256(source.read_bytes()).hexdigest()]
    assert json.loads(texts["seeds"]) == [11]
    entries = json.loads(texts["recipe"])["entries"]
    assert [e["name"] for e in entries] == ["step", "step", "edit", *["step"] * 3, "finalize"]
    assert call("verify", tmp_path / "o.safetensors", "--against", source)[0] == 0


def test_the_bytes_do_not_depend_on_chunk_size_and_folder(call, tmp_path, source, monkeypatch):
    recipe = recipe_file(tmp_path, *ALL)
    assert call("run", recipe, source, "-o", tmp_path / "a.safetensors")[0] == 0
    chunks = Checkpoint.chunks

    def small(self, name, start=0, stop=None, size=None):
        return chunks(self, name, start, stop, min(size or 24, 24))

    other = tmp_path / "elsewhere"
    other.mkdir()
    shutil.copy(source, other / "renamed.bin")
    monkeypatch.setattr(Checkpoint, "chunks", small)
    target = other / "b.safetensors"
    assert call("run", recipe, other / "renamed.bin", "-o", target, "--device", "cpu")[0] == 0
    assert target.read_bytes() == (tmp_path / "a.safetensors").read_bytes()


def test_prune_saves_a_recipe_that_reproduces_its_bytes(call, tmp_path, source):
    base = ("--method", "l1_unstructured", "--amount", "30%", "--scope", "global")
    saved = tmp_path / "r.recipe.json"
    status, _, err = call(
        "prune", source, "-o", tmp_path / "a.safetensors", *base, "--select", "*.weight",
        "--save-recipe", saved,
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert call("run", saved, source, "-o", tmp_path / "b.safetensors")[0] == 0
    a, b = ((tmp_path / f"{x}.safetensors").read_bytes() for x in "ab")
    assert a == b
    (entry,) = json.loads(saved.read_text())["entries"]
    (row,) = entry["configuration"]["rows"]
    assert row["configuration"] == {"values": {"amount": 0.3}, "pattern": "*.weight"}


@pytest.mark.parametrize("extra", ["mask", "scores"])
def test_masks_from_other_files_are_stored_in_the_recipe(call, tmp_path, source, extra):
    given = tmp_path / "given.safetensors"
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(10, 17)).astype(np.float32)
    save_file({"fc.weight": scores if extra == "scores" else (scores > 0) * 1.0}, given)
    saved = tmp_path / "r.recipe.json"
    more = {
        "mask": ("--method", "custom_from_mask", "--mask", given),
        "scores": (
            "--method", "l1_unstructured", "--amount", "50", "--select", "fc.weight",
            "--importance-scores", given,
        ),
    }[extra]  # fmt: skip
    target = tmp_path / "a.safetensors"
    status, _, err = call("prune", source, "-o", target, *more, "--save-recipe", saved)
    assert (status, err) == (0, "")
    assert call("run", saved, source, "-o", tmp_path / "b.safetensors")[0] == 0
    assert target.read_bytes() == (tmp_path / "b.safetensors").read_bytes()
    saved.unlink()
    assert call("verify", target, "--against", source)[0] == 0  # the mask is in the metadata


def test_masks_of_the_checkpoint_are_kept_only_if_the_recipe_has_them(call, tmp_path, source):
    first = tmp_path / "first.safetensors"
    resumable = ("--format", "resumable", "--method", "l1_unstructured", "--amount", "0.5")
    assert call("prune", source, "-o", first, *resumable)[0] == 0
    saved = tmp_path / "r.recipe.json"
    more = ("--method", "l1_unstructured", "--amount", "0.5", "--save-recipe", saved)
    assert call("prune", first, "-o", tmp_path / "a.safetensors", *more)[0] == 0
    entries = json.loads(saved.read_text())["entries"]
    assert [entry["name"] for entry in entries] == ["file_masks", "step"]
    assert call("run", saved, first, "-o", tmp_path / "b.safetensors")[0] == 0
    a, b = ((tmp_path / f"{x}.safetensors").read_bytes() for x in "ab")
    assert a == b
    assert call("verify", tmp_path / "a.safetensors", "--against", first)[0] == 0
    bare = recipe_file(tmp_path, step("l1_unstructured", {"amount": 0.5}))
    status, out, _ = call("run", bare, first, "-o", tmp_path / "c.safetensors", "--json")
    assert status == 0
    assert json.loads(out)["pruned"] == 81 + 85
    assert "has masks for 2 tensors" in json.loads(out)["notices"][0]


def test_entries_that_do_not_fit_are_reported_before_anything_runs(call, refused, tmp_path, source):
    recipe = recipe_file(
        tmp_path,
        step("l1_unstructured", {"amount": 0.5}, pattern="conv9.*"),
        step("l1_unstructured", {"amount": 2}),
        step("ln_structured", {"amount": 0.5, "dim": 2}, pattern="fc.*"),
    )
    err = refused("run", recipe, source, "-o", tmp_path / "o.safetensors")
    assert "'all.recipe.json' cannot be applied to this checkpoint: 2 problems." in err
    assert "entries[0].configuration.rows[0]: No tensor in 'model.safetensors' matches" in err
    assert "entries[2].configuration: " in err
    assert not (tmp_path / "o.safetensors").exists()
    status, out, err = call("run", recipe, source, "--check")
    assert (status, err) == (1, "")
    assert out.count("Problem: entries[") == 2
    status, out, err = call("run", recipe, source, "--check", "--json")
    assert status == 1
    assert [p["entry"] for p in json.loads(out)["problems"]] == [0, 2]
    assert call("run", recipe, source)[0] == 2


def test_an_identity_step_gives_masks_to_its_tensors(call, tmp_path, source):
    """Regression: the message was "(0 tensors)"."""
    recipe = recipe_file(tmp_path, step("identity", {}, pattern="*.weight"))
    assert call("run", recipe, source, "--check") == (
        0,
        "   1  Identity on weight (2 tensors)\n",
        "",
    )
    found = json.loads(call("run", recipe, source, "--check", "--json")[1])
    assert found["entries"][0]["tensors"] == ["conv.weight", "fc.weight"]


def test_limits_apply_together_with_an_excluding_rule(call, tmp_path, source):
    rows = [
        {"name": "l1_unstructured", "configuration": {"values": {"amount": 0.2}}},
        {"name": "identity", "configuration": {"pattern": "fc.*"}},
    ]
    configuration = {"rows": rows, "limits": {"target_sparsity": 0.5, "max_sparsity": 0.6}}
    entry = {"name": "step", "configuration": configuration}
    recipe, target = recipe_file(tmp_path, entry), tmp_path / "o.safetensors"
    status, out, err = call("run", recipe, source, "-o", target, "--json")
    assert (status, err) == (0, ""), err
    with safe_open(target, "np") as file:
        zeros = {name: int((file.get_tensor(name) == 0).sum()) for name in file.keys()}  # noqa: SIM118 - no mapping
    assert zeros["conv.weight"] == 81
    assert zeros["fc.weight"] == 0
    assert call("verify", target, "--against", source)[0] == 0
    # A schedule repeats one rule.
    values = {"step": entry | {"configuration": {"rows": rows}}, "final": 0.5, "steps": 2}
    recipe = recipe_file(tmp_path, {"name": "schedule", "configuration": values})
    status, out, _ = call("run", recipe, source, "--check")
    assert status == 1
    assert "needs exactly one rule (got 2)" in out


def test_an_amount_that_becomes_too_large_is_reported_with_its_entry(refused, tmp_path, source):
    rows = [step("l1_unstructured", {"amount": 100}, pattern="fc.weight") for _ in range(2)]
    recipe = recipe_file(tmp_path, ALL[3], *rows)  # a schedule of three steps
    err = refused("run", recipe, source, "-o", tmp_path / "o.safetensors")
    assert "'all.recipe.json', at entries[1]: 'amount' is larger than what remains" in err
    recipe = recipe_file(tmp_path, {"name": "finalize"})
    err = refused("run", recipe, source, "-o", tmp_path / "o.safetensors")
    assert "'all.recipe.json', at entries[0]: Nothing is pruned in these tensors" in err


@pytest.mark.parametrize("name", ["o.safetensors", "o.resumable.safetensors"])
def test_verify_finds_one_flipped_bit_anywhere(call, tmp_path, source, name):
    recipe = recipe_file(tmp_path, *ALL)
    target = tmp_path / name
    form = "resumable" if "resumable" in name else "safetensors"
    assert call("run", recipe, source, "-o", target, "--format", form)[0] == 0
    whole = target.read_bytes()
    header = int.from_bytes(whole[:8], "little")
    rng = random.Random(5)
    # All of the first 8 bytes, and random ones in header, metadata and tensors.
    places = [*range(8), *rng.sample(range(8, len(whole)), 40)]
    places += [whole.index(b"pruneapp.version") + 20, whole.index(b"pruneapp.sha256") + 30]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.randrange(8)
        target.write_bytes(damaged)
        status, out, err = call("verify", target, "--against", source, "--json")
        assert (status, err) == (1, ""), place
        *missing, difference = json.loads(out)["differences"]
        # A bit of a name in the header: the original tensor is missing as well.
        assert all("is missing from the file" in one["sentence"] for one in missing), missing
        inside = place >= 8 + header
        assert (difference["where"] in {"file", "metadata", "header"}) != inside, difference
        if inside:
            assert difference["expected"] != difference["found"]
    target.write_bytes(whole)
    assert call("verify", target, "--against", source)[0] == 0


@pytest.mark.parametrize(
    "form", [form for form in OF_ANY_SOURCE.values() if form.lossless], ids=lambda f: f.name
)
def test_verify_prints_the_number_of_compared_bytes(call, tmp_path, form):
    target, recipe = tmp_path / f"o{form.suffixes[0]}", tmp_path / "r.json"
    step = ("--method", "l1_unstructured", "--amount", "0.5", "--format", form.name)
    assert call("prune", SAMPLE, "-o", target, *step, "--save-recipe", recipe)[0] == 0
    beside = ("--recipe", recipe, "--format", form.name)
    status, out, err = call("verify", target, "--against", SAMPLE, *beside, "--json")
    assert status == 0, err
    assert json.loads(out)["compared"] == target.stat().st_size


def test_verify_names_the_tensor_and_the_weight(call, tmp_path, source):
    recipe = recipe_file(tmp_path, *ALL)
    target = tmp_path / "o.safetensors"
    assert call("run", recipe, source, "-o", target)[0] == 0
    with safe_open(target, "np") as file:
        bias = file.get_tensor("fc.bias")
    data = bytearray(target.read_bytes())
    at = data.index(bias.tobytes()) + 8 * 7
    data[at : at + 8] = np.float64(1.5).tobytes()
    target.write_bytes(data)
    status, out, _ = call("verify", target, "--against", source)
    assert status == 1
    bits = int.from_bytes(bias[7].tobytes(), "little")
    assert out.splitlines() == [
        f"Mismatch: applying the recipe to the original does not reproduce {target}.",
        (
            f"fc.bias at 7 differs: expected {float(bias[7])!r} (0x{bits:016x}), "
            "found 1.5 (0x3ff8000000000000)"
        ),
    ]


@pytest.mark.parametrize("name", ["o.safetensors", "o.resumable.safetensors"])
def test_verify_uses_the_given_recipe(call, tmp_path, source, name):
    right = recipe_file(tmp_path, step("l1_unstructured", {"amount": 0.5}))
    wrong = recipe_file(tmp_path, step("l1_unstructured", {"amount": 0.4}), name="wrong.json")
    target = tmp_path / name
    form = "resumable" if "resumable" in name else "safetensors"
    assert call("run", right, source, "-o", target, "--format", form)[0] == 0
    asked = ("verify", target, "--against", source, "--recipe")
    assert call(*asked, right)[0] == 0
    status, out, err = call(*asked, wrong)
    assert (status, err) == (1, "")
    assert out.startswith("Mismatch: ")
    assert "metadata says that the file was made by another recipe" in out


def test_verify_detects_another_original(call, tmp_path, source):
    recipe = recipe_file(tmp_path, step("l1_unstructured", {"amount": 0.5}))
    target = tmp_path / "o.safetensors"
    assert call("run", recipe, source, "-o", target)[0] == 0
    data = bytearray(source.read_bytes())
    data[-1] ^= 1
    source.write_bytes(data)
    status, out, _ = call("verify", target, "--against", source, "--json")
    assert status == 1
    assert "original" in [d["where"] for d in json.loads(out)["differences"]]


def test_verify_detects_truncated_and_extended_files(call, tmp_path):
    recipe = recipe_file(tmp_path, step("l1_unstructured", {"amount": 0.5}))
    target = tmp_path / "o.pt"
    status, out, _ = call("run", recipe, SAMPLE, "-o", target, "--json")
    assert status == 0
    # Such a file has no metadata; the report contains the provenance.
    output = json.loads(out)["provenance"]
    assert json.loads(output[KEY + "format"])["name"] == "torch"
    (entry,) = json.loads(output[KEY + "recipe"])["entries"]
    assert entry["configuration"]["rows"][0]["name"] == "l1_unstructured"
    torch.load(target, weights_only=True)
    against = ("--against", SAMPLE, "--recipe", recipe)
    assert call("verify", target, *against)[0] == 0
    whole = target.read_bytes()
    target.write_bytes(whole + b"\0")
    assert call("verify", target, *against)[0] == 1
    target.write_bytes(whole[:-1])
    assert call("verify", target, *against)[0] == 1
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 4
    target.write_bytes(damaged)
    status, out, _ = call("verify", target, *against, "--json")
    assert status == 1
    assert json.loads(out)["differences"][0]["where"].endswith("weight")


def test_a_file_without_metadata_needs_a_recipe(call, refused, tmp_path, source):
    err = refused("verify", source, "--against", source)
    assert "contains no recipe, so there is nothing to verify" in err
    assert call("verify", tmp_path / "none", "--against", source)[0] == 2


def test_a_large_recipe_is_named_but_not_stored_in_metadata(call, tmp_path, source, monkeypatch):
    monkeypatch.setattr(provenance, "MOST_RECIPE", 100)
    recipe = recipe_file(tmp_path, *ALL)
    target = tmp_path / "o.safetensors"
    assert call("run", recipe, source, "-o", target)[0] == 0
    assert KEY + "recipe" not in metadata(target)
    assert len(metadata(target)[KEY + "recipe_sha256"]) == 64
    assert call("verify", target, "--against", source)[0] == 2
    assert call("verify", target, "--against", source, "--recipe", recipe)[0] == 0
    other = recipe_file(tmp_path, *ALL[:-1], name="other.json")
    assert call("verify", target, "--against", source, "--recipe", other)[0] == 1


@pytest.mark.cuda
def test_the_same_bytes_on_a_gpu(call, tmp_path, source):
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    recipe = recipe_file(tmp_path, *ALL)
    for device in ("cpu", "cuda"):
        target = tmp_path / f"{device}.safetensors"
        assert call("run", recipe, source, "-o", target, "--device", device)[0] == 0
    a, b = ((tmp_path / f"{device}.safetensors").read_bytes() for device in ("cpu", "cuda"))
    assert a == b


def test_shards_are_verified_file_by_file(call, tmp_path, source):
    folder = tmp_path / "model"
    folder.mkdir()
    rng = np.random.default_rng(1)
    weights = {f"l{i}.weight": rng.normal(size=(8, 8)).astype(np.float32) for i in range(2)}
    names = [f"model-0000{i + 1}-of-00002.safetensors" for i in range(2)]
    for (name, array), file in zip(weights.items(), names, strict=True):
        save_file({name: array}, folder / file)
    where = dict(zip(weights, names, strict=True))
    index = {"metadata": {"total_size": 512}, "weight_map": where}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    recipe = recipe_file(tmp_path, step("l1_unstructured", {"amount": 0.5}, "global"))
    target = tmp_path / "pruned"
    status, _, err = call("run", recipe, folder, "-o", target)
    assert (status, err) == (0, "")
    assert len(json.loads(metadata(target / names[1])[KEY + "inputs"])) == 2
    assert call("verify", target, "--against", folder)[0] == 0
    for name in (*names, "model.safetensors.index.json"):
        whole = (target / name).read_bytes()
        (target / name).write_bytes(whole[:-2] + bytes([whole[-2] ^ 1]) + whole[-1:])
        assert call("verify", target, "--against", folder)[0] in {1, 2}, name
        (target / name).write_bytes(whole)


def test_a_pattern_is_certified_and_the_same_by_prune_and_run(call, tmp_path, source):
    weights = np.random.default_rng(0).normal(size=(8, 16)).astype(np.float32)
    save_file({"fc.weight": weights}, source)
    recipe = recipe_file(tmp_path, step("n_m", {"pattern": "2:4"}, pattern="fc.weight"))
    a, b = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    assert call("run", recipe, source, "-o", a)[0] == 0
    assert metadata(a)[KEY + "pattern"] == "2:4 along dim 1: 1 tensor"
    more = ("--method", "n_m", "--pattern", "2:4", "--select", "fc.weight")
    assert call("prune", source, "-o", b, *more)[0] == 0
    assert a.read_bytes() == b.read_bytes()
    assert call("verify", a, "--against", source)[0] == 0


@pytest.mark.parametrize("form", OF_ANY_SOURCE.values(), ids=lambda form: form.name)
def test_every_format_is_verified(call, tmp_path, source, form):
    recipe = recipe_file(tmp_path, *ALL)
    target = tmp_path / f"out{form.suffixes[0]}"
    assert call("run", recipe, source, "-o", target, "--format", form.name)[0] == 0
    output = "safetensors" in form.suffixes[0]
    more = () if output else ("--recipe", recipe, "--format", form.name)
    for given in (more, more[:2]):  # several formats use .pt: the size decides
        status, out, err = call("verify", target, "--against", source, *given)
        assert (status, err) == (0, ""), out
    whole = target.read_bytes()
    for place in range(4, len(whole), max(len(whole) // 12, 1)):
        data = bytearray(whole)
        data[place] ^= 16
        target.write_bytes(data)
        status, out, err = call("verify", target, "--against", source, *more, "--json")
        assert (status, err) == (1, ""), place
        assert json.loads(out)["differences"]


def test_metadata_of_an_earlier_export_are_replaced(call, tmp_path, source):
    recipe = recipe_file(tmp_path, step("l1_unstructured", {"amount": 0.5}))
    first, second = tmp_path / "1.safetensors", tmp_path / "2.safetensors"
    assert call("run", recipe, source, "-o", first)[0] == 0
    assert call("run", recipe, first, "-o", second)[0] == 0
    assert call("verify", second, "--against", first)[0] == 0
    found = json.loads(metadata(second)[KEY + "inputs"])
    assert found == [hashlib.sha256(first.read_bytes()).hexdigest()]


def reads(pid, path):
    """Return whether a process has a file open."""
    with contextlib.suppress(OSError):
        return any(os.path.realpath(fd) == str(path) for fd in Path(f"/proc/{pid}/fd").iterdir())
    return False


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_an_interrupted_run_leaves_no_file(tmp_path):
    rng = np.random.default_rng(0)
    big = tmp_path / "big.safetensors"
    save_file({f"l{i}.weight": rng.random((1000, 1000), np.float32) for i in range(8)}, big)
    steps = [step("ln_structured", {"amount": 0.001, "n": 3.3}) for _ in range(400)]
    recipe = recipe_file(tmp_path, *steps)
    process = subprocess.Popen(
        [sys.executable, "-m", "pruneapp", "run", recipe, big, "-o", tmp_path / "o.safetensors"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    until(process, "the model was opened", lambda: reads(process.pid, big))
    opened = read_by(process)
    # Each step reads the whole file, so this is within one of the first steps.
    until(process, "in a step", lambda: read_by(process) > opened + 4 * big.stat().st_size)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - began < 3
    assert (process.returncode, out, err) == (130, b"", b"pruneapp: Interrupted.\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["all.recipe.json", "big.safetensors"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_fit_the_sample(call, tmp_path, path):
    status, out, err = call("run", path, SAMPLE, "--check")
    assert (status, err) == (0, ""), out
    target = tmp_path / "o.safetensors"
    assert call("run", path, SAMPLE, "-o", target)[0] == 0
    assert call("verify", target, "--against", SAMPLE)[0] == 0
    assert f"`{path.name}`" in PAGE


def test_a_pattern_broken_by_protected_weights_gives_a_notice(call, tmp_path, source):
    boxes = [[[0, 1], [0, 8]]]
    protect = {
        "name": "edit",
        "configuration": {
            "operation": "protect",
            "targets": [{"name": "fc.weight", "boxes": boxes}],
        },
    }
    recipe = recipe_file(tmp_path, protect, step("n_m", {"pattern": "2:4"}, names=["fc.weight"]))
    sentence = "2:4 is violated by 1 tensor (2 groups): protected weights"
    target, page = tmp_path / "o.safetensors", tmp_path / "o.html"
    status, out, err = call("run", recipe, source, "-o", target, "--report", page)
    assert (status, err) == (0, f"Note: {sentence} ('fc.weight').\n")
    assert sentence not in out
    assert sentence in page.read_text(encoding="utf-8")

    status, out, err = call("run", recipe, source, "-o", target, "--json")
    assert (status, err) == (0, f"Note: {sentence} ('fc.weight').\n")
    found = json.loads(out)
    assert found["broken_patterns"] == [{"n": 2, "m": 4, "dim": 1, "groups": {"fc.weight": 2}}]
    assert f"{sentence}." in found["notices"]
