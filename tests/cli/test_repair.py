"""``pruneapp repair``: its output, its messages, and verifying it."""

from __future__ import annotations

import hashlib
import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.export.provenance import calibration_of
from tests.repair.layers import InputArrays, mixed

FC, BIAS, HEAD = "fc.weight", "fc.bias", "head.weight"


@pytest.fixture
def files(tmp_path):
    """Write an original, its pruned version, and input statistics of one of two layers."""
    rng = np.random.default_rng(1)
    shapes = {FC: (20, 30), BIAS: (20,), HEAD: (5, 20)}
    original = {n: rng.normal(size=shape).astype(np.float32) for n, shape in shapes.items()}
    pruned = {n: t * (np.abs(t) > 0.7) if t.ndim > 1 else t for n, t in original.items()}
    save_file(original, tmp_path / "original.safetensors")
    save_file(pruned, tmp_path / "pruned.safetensors")
    inputs = mixed(2, 400, 30, offset=1.0)
    InputArrays({FC: inputs}).save(tmp_path / "stats.safetensors")
    return original, pruned, inputs


@pytest.fixture
def repair(call, tmp_path, files):
    """Provide a function that repairs the pruned file; it returns status, output and error."""

    def run(*more, out="out.safetensors"):
        return call(
            "repair",
            tmp_path / "pruned.safetensors",
            "--against",
            tmp_path / "original.safetensors",
            "--statistics",
            tmp_path / "stats.safetensors",
            "-o",
            tmp_path / out,
            *more,
        )

    return run


def error(inputs, files, tensors):
    original = files[0]
    change = inputs @ (original[FC] - tensors[FC]).T + original[BIAS] - tensors[BIAS]
    return np.square(change).sum() / np.square(inputs @ original[FC].T).sum()


def test_a_repair_reduces_the_error_of_the_outputs(repair, files, tmp_path):
    """Zeros are kept, a layer without statistics is unchanged, and errors are correct."""
    _, pruned, inputs = files
    status, out, _ = repair("--json")
    output, written = json.loads(out), load_file(tmp_path / "out.safetensors")

    assert status == 0
    (layer,) = output["layers"]
    assert layer["name"] == FC
    assert layer["bias"] == BIAS
    assert layer["error_before"] == pytest.approx(error(inputs, files, pruned), rel=1e-3)
    assert layer["error_rounded"] == pytest.approx(error(inputs, files, written), rel=1e-3)
    assert layer["error_rounded"] < 0.3 * layer["error_before"]
    assert np.array_equal(written[FC] == 0, pruned[FC] == 0)
    assert np.array_equal(written[HEAD], pruned[HEAD])
    assert output["not_repaired"] == [HEAD]


def test_a_repair_prints_a_table_of_layers(repair):
    status, out, _ = repair()

    assert status == 0
    head, row, *rest = out.splitlines()
    assert head.split("  ")[0] == "layer"
    assert row.split()[0] == FC
    assert [cell[-1] for cell in row.split()[-2:]] == ["%"] * 2
    assert "rounding" not in head
    assert any(line.endswith(f"their inputs are not known: '{HEAD}'.") for line in rest)


def test_zeros_of_a_file_by_pruneapp_count_as_pruned(repair, call, tmp_path):
    """Other commands count them as ordinary weights; repair counts them as pruned."""
    l1 = ("--method", "l1_unstructured", "--amount", "0.5")
    original = tmp_path / "original.safetensors"
    assert call("prune", original, "-o", tmp_path / "pruned.safetensors", *l1)[0] == 0
    status, out, _ = repair()
    assert status == 0
    assert "350 of 720 weights pruned" in out
    assert "not counted as pruned" not in out


@pytest.mark.parametrize("out", ["out.safetensors", "out.compact.safetensors"])
def test_verify_accepts_repaired_values(repair, call, tmp_path, out):
    """It also detects every changed bit."""
    repair(out=out)
    against = ("--against", tmp_path / "pruned.safetensors")
    assert call("verify", tmp_path / out, *against)[0] == 0
    if out != "out.safetensors":
        return
    data = bytearray((tmp_path / out).read_bytes())
    (length,) = np.frombuffer(data[:8], np.uint64)
    header = json.loads(data[8 : 8 + int(length)])
    start, stop = header[FC]["data_offsets"]
    values = np.frombuffer(data, np.float32, (stop - start) // 4, 8 + int(length) + start)
    place = 8 + int(length) + start + 4 * int(np.flatnonzero(values)[0])
    data[place] ^= 1
    (tmp_path / out).write_bytes(data)
    status, output, _ = call("verify", tmp_path / out, *against)
    assert status == 1
    assert "does not hold the values that its repair made" in output
    assert FC in output


@pytest.fixture
def other(files, tmp_path):
    """Write another pruned checkpoint with the same names and shapes; one weight differs."""
    pruned = {name: tensor.copy() for name, tensor in files[1].items()}
    pruned[FC].flat[np.flatnonzero(pruned[FC])[0]] += 1
    save_file(pruned, tmp_path / "other.safetensors")
    return tmp_path / "other.safetensors"


@pytest.mark.parametrize(
    "more", [("-o", "out2"), ("--check",), ("-o", "out2", "--cluster", "HERE")]
)
def test_a_repair_of_another_checkpoint_is_refused(repair, other, call, tmp_path, more):
    recipe = tmp_path / "r.recipe.json"
    repair("--save-recipe", recipe)
    again = tmp_path / "again.safetensors"
    assert call("run", recipe, tmp_path / "pruned.safetensors", "-o", again)[0] == 0
    before = (tmp_path / "out.safetensors").read_bytes()
    assert again.read_bytes()[-1000:] == before[-1000:]
    more = [tmp_path / "out2.safetensors" if word == "out2" else word for word in more]
    status, out, error = call("run", recipe, other, *more)
    assert status == (1 if "--check" in more else 2)
    assert "The repair belongs to another checkpoint: 'fc.weight' has other values" in out + error
    assert "repair this checkpoint" in out + error
    assert not (tmp_path / "out2.safetensors").exists()


def test_values_that_were_computed_with_another_mask_are_refused(repair, call, tmp_path):
    recipe = tmp_path / "r.recipe.json"
    repair("--save-recipe", recipe)
    text = json.loads(recipe.read_text())
    names = [entry["name"] for entry in text["entries"]]
    assert names == ["treat_zeros", "repair"]
    recipe.write_text(json.dumps({**text, "entries": text["entries"][1:]}))
    out = tmp_path / "out2.safetensors"
    status, _, error = call("run", recipe, tmp_path / "pruned.safetensors", "-o", out)
    assert status == 2
    assert f"entries[0]: The values of '{FC}' were computed with another mask" in error
    assert not out.exists()


def test_an_export_stores_the_digest_of_its_calibration_data(repair, tmp_path):
    path = tmp_path / "stats.safetensors"
    metadata = {"pruneapp_statistics": json.dumps({"data": "text:1"})}
    save_file(load_file(path), path, metadata)
    assert repair()[0] == 0
    with open_checkpoint(tmp_path / "out.safetensors") as checkpoint:
        assert calibration_of(checkpoint) == ("text:1",)
    with open_checkpoint(tmp_path / "pruned.safetensors") as checkpoint:
        assert calibration_of(checkpoint) == ()


SCRIPT = """
import torch
from safetensors.torch import load_file

def load(path):
    model = torch.nn.Module()
    model.fc, model.head = (torch.nn.Linear(*SIZES[name], bias=name == "fc") for name in SIZES)
    model.load_state_dict(load_file(path))
    model.forward = lambda x: model.head(model.fc(x))
    return model

def calibrate(model):
    torch.manual_seed(0)
    model(torch.randn(64, SIZES["fc"][0]))
"""


def test_the_report_names_the_script_that_calibrated_a_repair(files, call, tmp_path):
    """In the metadata and in each kind of report."""
    sizes = {name: files[0][f"{name}.weight"].shape[::-1] for name in ("fc", "head")}
    script = tmp_path / "calibration.py"
    script.write_text(f"SIZES = {sizes!r}\n{SCRIPT}")
    reports = (tmp_path / "r.json", tmp_path / "r.html")
    words = [word for path in reports for word in ("--report", path)]
    against = ("--against", tmp_path / "original.safetensors", "--script", script)
    out = tmp_path / "out.safetensors"
    assert call("repair", tmp_path / "pruned.safetensors", *against, "-o", out, *words)[0] == 0
    digest = hashlib.sha256(script.read_bytes()).hexdigest()
    with open_checkpoint(out) as checkpoint:
        assert calibration_of(checkpoint) == (f"script:{digest}",)
    assert json.loads(reports[0].read_text())["calibrated_with"] == [f"script:{digest}"]
    script = f"the script calibration.py (SHA-256 {digest[:12]})"
    output = f"Calibrated with the data of calibrate() in {script}"
    page = reports[1].read_text("utf-8")
    assert output in page
    assert f"<code>{digest}</code>" in page, "the whole hash is in the table of files"


@pytest.mark.parametrize("named", [True, False])
def test_verify_detects_a_repair_of_another_checkpoint(repair, other, call, tmp_path, named):
    recipe = tmp_path / "r.recipe.json"
    repair("--save-recipe", recipe)
    more = ("--recipe", recipe) if named else ()
    status, output, _ = call("verify", tmp_path / "out.safetensors", "--against", other, *more)
    assert status == 1
    assert "fc.weight was repaired from other values than the original has" in output


def test_verify_recomputes_repaired_values(repair, call, refused, tmp_path, files):
    """From the statistics and the original that the recipe names, within a tolerance."""
    inputs = files[2]
    assert repair()[0] == 0
    again = ("verify", tmp_path / "out.safetensors", "--against", tmp_path / "pruned.safetensors")
    again += ("--recompute", tmp_path / "stats.safetensors")
    unpruned = ("--unpruned", tmp_path / "original.safetensors")
    status, out, _ = call(*again, *unpruned, "--json")
    assert status == 0
    off = json.loads(out)["recomputed"]
    assert set(off) == {FC, BIAS}
    assert max(off.values()) < 1e-6
    assert "values of 2 tensors, computed again, are off by at most" in call(*again, *unpruned)[1]
    assert "Specify that model, which was pruned, with --unpruned" in call(*again)[2]
    assert "--unpruned requires --recompute" in call(*again[:4], *unpruned)[2]
    output = refused(*again, "--unpruned", tmp_path / "pruned.safetensors")
    assert "is not the model that the repair was made for" in output
    InputArrays({FC: inputs + 1}).save(tmp_path / "stats.safetensors")
    output = refused(*again, *unpruned)
    assert "The repair was made with the statistics with the SHA-256" in output


def test_verify_detects_values_that_differ_from_the_recipe(repair, call, tmp_path):
    """Although their SHA-256 equals the recipe's."""
    recipe, out = tmp_path / "my.recipe.json", tmp_path / "out.pt"
    assert repair("--damping", "0.5", "--save-recipe", recipe, out="out.pt")[0] == 0
    data = json.loads(recipe.read_text())
    data["entries"][-1]["configuration"]["source"]["damping"] = 0.01
    recipe.write_text(json.dumps(data))
    verify = "verify", out, "--against", tmp_path / "pruned.safetensors", "--recipe", recipe
    assert call(*verify)[0] == 0
    again = "--recompute", tmp_path / "stats.safetensors"
    again += "--unpruned", tmp_path / "original.safetensors"
    status, output, _ = call(*verify, *again)
    assert status == 1
    assert f"{FC} has repaired values that are off by 0." in output
    assert "computed again, more than 0.001" in output
    assert call(*verify, *again, "--tolerance", "9")[0] == 0
    for text in ("nan", "-1"):
        output = call(*verify, *again, f"--tolerance={text}")[2]
        assert f"--tolerance must be at least 0 (got {text})" in output


def test_verify_reports_that_a_recipe_has_no_repair(call, tmp_path, files):
    out = tmp_path / "out.safetensors"
    prune = "prune", tmp_path / "original.safetensors", "--method", "l1_unstructured"
    assert call(*prune, "--amount", "0.5", "-o", out)[0] == 0
    verify = "verify", out, "--against", tmp_path / "original.safetensors"
    status, output, noted = call(*verify, "--recompute", tmp_path / "stats.safetensors")
    assert (status, output.startswith("Yes")) == (0, True)
    assert "Note: The recipe has no repair, so nothing was computed again." in noted
    assert not call(*verify)[2]


def test_values_rounded_later_are_verified_with_the_recipe(repair, call, refused, tmp_path):
    """The recipe's folder of values is next to it."""
    recipe = tmp_path / "my.recipe.json"
    repair("--dtype", "bfloat16", "--save-recipe", recipe)
    verify = ("verify", tmp_path / "out.safetensors", "--against", tmp_path / "pruned.safetensors")
    status, output, _ = call(*verify)
    assert status == 1
    assert "give the recipe and its folder of values with --recipe" in output
    assert call(*verify, "--recipe", recipe)[0] == 0
    again = tmp_path / "again.safetensors"
    run = ("run", recipe, tmp_path / "pruned.safetensors", "-o", again, "--dtype", "bfloat16")
    assert call(*run)[0] == 0
    assert again.read_bytes() == (tmp_path / "out.safetensors").read_bytes()
    shutil.rmtree(tmp_path / "my.values")
    output = refused(*run)
    assert "are missing. Put the folder of values next to the recipe." in output


def test_the_statistics_of_norms_may_be_kept(repair, tmp_path):
    recipe = tmp_path / "my.recipe.json"
    for flags, norms in (((), True), (("--keep-norm-statistics",), False)):
        assert repair(*flags, "--save-recipe", recipe)[0] == 0
        source = json.loads(recipe.read_text())["entries"][-1]["configuration"]["source"]
        assert source.get("norms", False) is norms


def test_invalid_repairs_give_one_sentence(repair, call, tmp_path, files):
    """Nothing is written."""
    assert "--iterations must be at least 1 (got 0)" in repair("--iterations", "0")[2]
    assert "--damping must be a positive number (got -1.0)" in repair("--damping=-1")[2]
    other = {FC: np.ones((3, 3), np.float32), BIAS: files[0][BIAS]}
    save_file(other, tmp_path / "original.safetensors")
    status, _, output = repair()
    assert status == 2
    assert "'original.safetensors' has 'fc.weight' in the shape [3, 3]" in output
    save_file(files[0], tmp_path / "original.safetensors")
    save_file(files[0], tmp_path / "pruned.safetensors")
    assert "Nothing is pruned in these layers, so there is nothing to repair." in repair()[2]
    save_file(files[0], tmp_path / "stats.safetensors")
    assert "contains no statistics of activations" in repair()[2]
    assert not (tmp_path / "out.safetensors").exists()


SCRIPT = """
import torch
from safetensors.torch import load_file

def load(path):
    tensors = load_file(path)
    assert (tensors["fc.weight"] != 0).all(), "the original is run"
    fc, head = torch.nn.Linear(30, 20), torch.nn.Linear(20, 5, bias=False)
    model = torch.nn.Sequential()
    model.fc, model.head = fc, head
    model.load_state_dict(tensors)
    return model

def calibrate(model):
    torch.manual_seed(0)
    model(torch.randn(200, 9) @ torch.randn(9, 30))
"""


def test_a_script_runs_inputs_through_the_original(call, files, tmp_path):
    """Systems that exceed the memory limit are solved in the script's process."""
    (tmp_path / "script.py").write_text(SCRIPT)
    words = tmp_path / "pruned.safetensors", "--against", tmp_path / "original.safetensors"
    more = "--script", tmp_path / "script.py", "-o", tmp_path / "out.safetensors", "--json"
    status, out, error = call("repair", *words, *more, "--gram-memory", "8kB")
    assert status == 0, error
    output = json.loads(out)
    assert output["solver"] == "torch (cpu)"
    assert [layer["name"] for layer in output["layers"]] == [FC, HEAD]
    assert all(layer["error_rounded"] < layer["error_before"] for layer in output["layers"])
    assert load_file(tmp_path / "out.safetensors")[FC].shape == (20, 30)


def test_a_repair_without_statistics_or_script_is_refused(refused, files, tmp_path):
    words = tmp_path / "pruned.safetensors", "--against", tmp_path / "original.safetensors"
    error = refused("repair", *words, "-o", tmp_path / "out.safetensors")
    assert "--script is required: only model folders" in error


def test_a_sequential_repair_prints_how_often_it_runs_the_inputs(call, refused, files, tmp_path):
    """The error is smaller than without; a statistics file could not reproduce the repair."""
    (tmp_path / "script.py").write_text(SCRIPT)
    pruned, out = tmp_path / "pruned.safetensors", tmp_path / "out.safetensors"
    words = pruned, "--against", tmp_path / "original.safetensors", "-o", out
    more = "--script", tmp_path / "script.py", "--json"
    errors = {}
    for options in ((), ("--sequential",)):
        status, output, error = call("repair", *words, *more, *options)
        assert status == 0, error
        assert json.loads(output)["sequential"] is bool(options)
        assert json.loads(output)["solver"] == "numpy (CPU)"
        assert ("then up to 2 times more through both models" in error) == bool(options)
        errors[options] = {layer["name"]: layer for layer in json.loads(output)["layers"]}
        assert set(errors[options]) == {FC, HEAD}
    plain, sequential = errors.values()
    assert sequential[FC]["error_rounded"] == pytest.approx(plain[FC]["error_rounded"], rel=1e-3)
    head = load_file(tmp_path / "original.safetensors")[HEAD]
    assert not np.array_equal(load_file(out)[HEAD], head)
    again = ("verify", out, "--against", pruned)
    assert call(*again)[0] == 0
    error = refused(*again, "--recompute", tmp_path / "stats.safetensors")
    assert "The repair was sequential" in error


def test_a_sequential_repair_needs_inputs_that_are_run(repair):
    status, _, error = repair("--sequential")
    assert status == 2
    assert "--sequential collects the inputs of each layer after the layers before it" in error
