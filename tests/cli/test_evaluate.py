"""``pruneapp evaluate``: exit statuses, and one JSON object with unformatted numbers."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from tests.evaluation.stock_model import install, write_images, write_model
from tests.support.onnx_models import save, small_network

SCRIPT = """
import torch
from safetensors.torch import load_file

def load(path):
    model = torch.nn.Linear(8, 4, bias=False)
    model.load_state_dict(load_file(path))
    return model
"""

# Prints the first number of a file, or its argument.
COMMAND = """
import struct, sys
data = open(sys.argv[1], "rb").read()
(first,) = struct.unpack_from("f", data, 8 + struct.unpack_from("Q", data)[0])
print(sys.argv[2].replace("FIRST", repr(first)))
"""


@pytest.fixture
def run(call):
    """Provide a function that runs evaluate; it returns status, standard output and error."""
    return lambda *arguments: call("evaluate", *arguments)


@pytest.fixture
def files(tmp_path):
    """Write an original and a pruned file: the first weight is 0.5, then 0."""
    weight = np.arange(1, 33, dtype=np.float32).reshape(4, 8) / 2
    save_file({"weight": weight}, tmp_path / "original.safetensors")
    save_file({"weight": weight * (weight > 8)}, tmp_path / "pruned.safetensors")
    return tmp_path / "pruned.safetensors", tmp_path / "original.safetensors"


@pytest.fixture
def printing(tmp_path):
    """Provide a function that returns a command line which prints metrics."""
    (tmp_path / "command.py").write_text(COMMAND)

    def make(messageut):
        words = (sys.executable, "-IS", str(tmp_path / "command.py"), "{checkpoint}", messageut)
        return shlex.join(words)

    return make


def script(folder, body, name="my_evaluation.py"):
    (folder / name).write_text(SCRIPT + textwrap.dedent(body))
    return folder / name


def test_a_script_measures_both_checkpoints_and_reports_the_worse_metrics(run, files, tmp_path):
    pruned, original = files
    file = script(
        tmp_path,
        """
        HIGHER_IS_BETTER = {"size": True}

        def evaluate(model):
            model(torch.ones(8))
            weight = model.weight.detach()
            return {"size": weight.sum().item() / 3, "acc": (int((weight != 0).sum()), 32)}
        """,
    )
    status, out, err = run(
        pruned, "--script", file, "--against", original, "--at-most", "1%", "--json"
    )
    assert (status, err) == (1, "")
    found = json.loads(out)
    assert found == {
        "metrics": {"size": 392 / 2 / 3, "acc": 0.5},
        "against": {"size": 528 / 2 / 3, "acc": 1.0},
        "noise": {"size": None, "acc": found["noise"]["acc"]},
        "conditions": {"evaluation": file.name, "data": None, "limit": None, "seed": 0},
        "calibrated": False,
        "worse": True,
    }
    assert 0.1 < found["noise"]["acc"] < 0.3


def test_a_difference_within_the_noise_is_stated_with_its_number(run, files, tmp_path):
    """Regression: the difference of two values was called "none"."""
    pruned, original = files
    body = """
        def evaluate(model):
            model(torch.ones(8))
            found = int((model.weight != 0).sum())
            return {"acc": (68 + found, 200)}
        """
    status, out, err = run(pruned, "--script", script(tmp_path, body), "--against", original)
    assert (status, err) == (0, "")
    line = next(line for line in out.splitlines() if line.startswith("acc"))
    assert re.search(r"-0\.08, within noise +0\.0", line), line
    assert "Noise of acc: 95 % confidence interval from 200 samples" in out


def test_the_python_example_of_the_documentation_measures_the_same(
    files, tmp_path, monkeypatch, capsys
):
    page = Path(__file__).parents[2] / "docs" / "measure.md"
    section = page.read_text(encoding="utf-8").partition("## In Python\n")[2]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    script(tmp_path, "def evaluate(model): return {'acc': [float(model(torch.ones(8)).sum())] * 3}")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(page), "exec"), {})
    assert capsys.readouterr().out.startswith("acc 196.0 -68.0 95 % confidence interval from 3 ")


def test_an_error_of_the_script_is_reported_with_its_traceback(run, files, tmp_path):
    pruned, _ = files
    file = script(
        tmp_path, "def evaluate(model): return helper(model)\ndef helper(m): return m.b\n"
    )
    status, out, err = run(pruned, "--script", file)
    assert (status, out) == (2, "")
    assert "return helper(model)" in err
    assert "pruneapp: 'my_evaluation.py', line 10, raised AttributeError while evaluating:" in err
    assert "pruneapp_worker" not in err


def test_metrics_of_other_weights_are_rejected(run, files, tmp_path):
    pruned, original = files
    body = f"""
        def evaluate(model):
            model.load_state_dict(load_file({str(original)!r}))
            return 1.0
    """
    status, out, err = run(pruned, "--script", script(tmp_path, body))
    assert (status, out) == (2, "")
    assert "changed the weights that it was given ('weight'), so there is no result" in err


@pytest.mark.parametrize(
    ("message", "at_most", "status"),
    [
        ('{"accuracy": FIRST}', "0.4", 1),
        ('{"accuracy": FIRST}', "0.5", 0),
        ('{"accuracy": FIRST}', "99%", 1),
        ('{"accuracy": FIRST}', "100%", 0),
        ('{"accuracy": 1, "loss": FIRST}', "0", 0),
        ('{"loss": 1, "eval_runtime": FIRST}', "0", 0),
        ('{"accuracy": FIRST}', None, 0),
    ],
)
def test_at_most_decides_the_status(run, files, printing, message, at_most, status):
    pruned, original = files
    more = [] if at_most is None else ["--at-most", at_most]
    found = run(pruned, "--command", printing(message), "--against", original, *more, "--json")
    assert found[::2] == (status, "")
    assert json.loads(found[1])["worse"] == bool(status)


def test_without_an_original_the_file_alone_is_measured(run, files, printing):
    assert run(files[1], "--command", printing('{"a b": FIRST}'))[:2] == (
        0,
        "metric  value\na b       0.5\n",
    )
    _, out, _ = run(files[1], "--command", printing('{"a b": FIRST}'), "--json")
    assert json.loads(out) == {
        "metrics": {"a b": 0.5},
        "against": {},
        "noise": {},
        "conditions": json.loads(out)["conditions"],
        "calibrated": False,
        "worse": False,
    }


def test_the_table_explains_the_noise(run, files, printing):
    pruned, original = files
    status, out, _ = run(
        pruned, "--command", printing('{"accuracy": FIRST}'), "--against", original
    )
    assert status == 0
    assert out.splitlines()[1].split() == ["accuracy", "0", "0.5", "-0.5", "-"]
    assert "repeatable; the sampling error is unknown" in out


@pytest.mark.parametrize(
    ("declared", "status"),
    [
        (["--higher-is-better", "other,fluff"], 1),
        (["--lower-is-better", "fluff", "--higher-is-better", "other"], 0),
        (["--higher-is-better", "acc,none", "--lower-is-better", "fluff"], 0),
    ],
)
def test_options_declare_metrics_of_a_command_higher_or_lower_is_better(
    run, files, printing, declared, status
):
    """The first number is 0 in the pruned file and 0.5 in the original."""
    pruned, original = files
    against = ("--against", original, "--at-most", "0.1", "--json")
    found, out, _ = run(pruned, "--command", printing('{"fluff": FIRST}'), *against, *declared)
    assert found == status
    assert json.loads(out)["worse"] is bool(status)


def test_an_onnx_model_is_measured_by_a_command_or_without_a_script(run, call, tmp_path):
    save(small_network(), tmp_path / "in.onnx", external=True)
    original, pruned = tmp_path / "in.onnx", tmp_path / "out.onnx"
    method = ("--method", "l1_unstructured", "--amount", "50%")
    assert call("prune", original, "-o", pruned, *method)[0] == 0
    (tmp_path / "measure.py").write_text(
        "import numpy, onnxruntime, sys\nsession = onnxruntime.InferenceSession(sys.argv[1])\n"
        "x = numpy.random.default_rng(0).standard_normal((2, 3, 6, 6)).astype('f4')\n"
        "print(abs(float(session.run(None, {'x': x})[0].sum())))\n"
    )
    command = shlex.join((sys.executable, str(tmp_path / "measure.py"), "{checkpoint}"))
    status, out, _ = run(pruned, "--command", command, "--against", original, "--json")
    assert status == 0
    found = json.loads(out)
    assert found["metrics"]["score"] != found["against"]["score"] > 0
    status, out, err = run(pruned, "--against", original, "--json")
    assert status == 0
    assert "N=1; --size NAME=SIZE" in err
    assert 0 < json.loads(out)["metrics"]["relative_error"] < 1
    for arguments, words in {
        (): "is required: the agreement of an ONNX model",
        ("--against", original, "--size", "M=1"): "no open size 'M' (open: 'N')",
        ("--command", command, "--size", "N=1"): "--size is for a model that is run without",
        ("--script", tmp_path / "measure.py", "--size", "N=1"): "--size is for the inputs",
        ("--against", original, "--text", tmp_path / "measure.py"): "--script is required",
        ("--against", original, "--lower-is-better", "kl"): "are for a command line",
        ("--command", command, "--lower-is-better", "a", "--higher-is-better", "a,b"): "Name it",
    }.items():
        status, out, err = run(pruned, *arguments)
        assert (status, out) == (2, "")
        assert words in err


@pytest.mark.parametrize(
    ("message", "more", "words"),
    [
        (
            '{"fluff": 1}',
            ["--at-most", "0"],
            "--higher-is-better fluff, or --lower-is-better fluff",
        ),
        ('{"loss": NaN}', [], "'loss' of"),
        ("nothing", [], "returned no number"),
        ('{"loss": null}', [], "returned no number"),
        ('{"loss": 1}', ["--at-most", "much"], "'--at-most' must be a number of at least 0"),
        ('{"loss": 1}', ["--at-most", "-1"], "must be a number of at least 0"),
    ],
)
def test_metrics_without_a_direction_give_status_2(run, files, printing, message, more, words):
    pruned, original = files
    status, out, err = run(
        pruned, "--command", printing(message), "--against", original, *more, "--json"
    )
    assert (status, out) == (2, "")
    assert words in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--at-most", "1"], "Name the original with --against"),
        (["--python", "x"], "--python is for a script"),
        (["--samples", "x"], "--samples must be an integer"),
        (["--time-limit", "x"], "--time-limit must be a number"),
        (["--samples", "0"], "--samples must be an integer, 1 or more (got 0)"),
        (["--script-seed", "-1"], "--script-seed must be an integer, from 0 to 2^63 - 1"),
        (["--time-limit", "-1"], "--time-limit must be more than 0 seconds (got -1)"),
        (["--time-limit", "nan"], "--time-limit must be more than 0 seconds (got nan)"),
        (["--script", "x"], "not allowed with argument"),
    ],
)
def test_arguments_are_checked(run, files, arguments, words):
    status, _, err = run(files[0], "--command", "true {checkpoint}", *arguments)
    assert status == 2
    assert words in err


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands in for uv")
def test_output_of_uv_is_printed_before_the_error(run, files, tmp_path, monkeypatch):
    uv = tmp_path / "bin" / "uv"
    uv.parent.mkdir()
    uv.write_text("#!/bin/sh\necho no such package >&2\nexit 1\n")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/bin:/usr/bin")
    head = '# /// script\n# dependencies = ["no"]\n# ///\n'
    status, _, err = run(files[0], "--script", script(tmp_path, head + SCRIPT))
    assert status == 2
    assert err.startswith("no such package\npruneapp: uv could not make the environment")


def test_without_a_script_a_model_folder_and_something_to_measure_are_required(
    run, files, tmp_path
):
    assert "--script is required" in run(files[0])[2]
    assert (
        "--text is for the built-in"
        in run(files[0], "--script", script(tmp_path, ""), "--text", "x")[2]
    )
    (tmp_path / "config.json").write_text("{}")
    files[0].rename(tmp_path / "model.safetensors")
    files[1].unlink()
    status, _, err = run(tmp_path)
    assert status == 2
    assert "'--text' or '--against' is required" in err
    (tmp_path / "config.json").write_text('{"architectures": ["BertModel"]}')
    status, _, err = run(tmp_path, "--text", "x")
    assert status == 2
    assert "returns an embedding and no logits" in err


def test_a_stock_classifier_is_measured_on_images_without_a_script(run, tmp_path, monkeypatch):
    install(tmp_path / "packages", monkeypatch)
    model, images = write_model(tmp_path / "tiny.safetensors"), write_images(tmp_path / "images")
    status, out, err = run(model, "--images", images, "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["metrics"]["accuracy"] == 1
    status, out, err = run(model, "--images", images / "red", "--against", model, "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["metrics"]["same_top1"] == 1
    status, _, err = run(model, "--images", images / "red")
    assert status == 2
    assert "has 0 subfolders with images, and the model 3 classes" in err
    status, _, err = run(model, "--images", images, "--script", "measure.py")
    assert status == 2
    assert "--images is for the built-in evaluation." in err
    status, _, err = run(model, "--images", images, "--text", "pages.txt")
    assert status == 2
    assert "not allowed with argument --images" in err


def test_images_are_for_classifiers(run, files, tmp_path):
    status, _, err = run(files[0], "--images", tmp_path)
    assert status == 2
    assert "is not known as an image classifier of torchvision or timm" in err


def test_a_script_that_cannot_be_read_is_refused_before_anything_runs(run, files, tmp_path):
    for file, words in (
        (tmp_path / "missing.py", "cannot be read: no such file or directory"),
        (files[0], "is not a Python file"),
    ):
        status, _, err = run(files[0], "--script", file)
        assert status == 2
        assert words in err
    status, _, err = run(
        files[0], "--script", script(tmp_path, ""), "--python", tmp_path / "nowhere"
    )
    assert status == 2
    assert "There is no Python interpreter at" in err
