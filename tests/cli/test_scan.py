"""``pruneapp scan`` and ``pruneapp allocate``: from a script to a step with the exact total."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pruneapp.cli import scan as module
from pruneapp.evaluation.runner import Conditions, Samples
from pruneapp.evaluation.scan_file import ScanConditions, read_scan
from tests.cli.command_process import until
from tests.support.activation_statistics import forget
from tests.support.onnx_models import save, small_network

SCRIPT = """
import torch
from safetensors.torch import load_file

def load(path):
    model = torch.nn.Sequential(torch.nn.Linear(8, 16, bias=False), torch.nn.ReLU(),
                                torch.nn.Linear(16, 4, bias=False))
    model.load_state_dict(load_file(path))
    return model.eval()

def evaluate(model, seed, limit):
    x = torch.randn(limit or 40, 8, generator=torch.Generator().manual_seed(seed))
    return {"share": 1.0, "loss": -(model(x).detach() ** 2).mean()}

HIGHER_IS_BETTER = {"share": True}
"""
# Its loss is the number of zero bytes; it records the number of runs in the size of a file.
COMMAND = """
import sys, time
data = open(sys.argv[1], "rb").read()
with open(sys.argv[2], "ab") as log: log.write(b".")
time.sleep(float(sys.argv[3]))
print('{"loss": %d}' % data.count(0))
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    shapes = {"0.weight": (16, 8), "2.weight": (4, 16)}
    save_file({n: rng.normal(size=s).astype("f4") for n, s in shapes.items()}, "m.safetensors")
    Path("script.py").write_text(SCRIPT)
    Path("command.py").write_text(COMMAND)
    return tmp_path


def command(seconds=0.0):
    return shlex.join([sys.executable, "-IS", "command.py", "{checkpoint}", "log", str(seconds)])


def test_a_scan_of_an_onnx_model_passes_onnx_files_to_a_command(call, place):
    save(small_network(), place / "net.onnx", external=True)
    which = """sh -c 'case $0 in *.onnx) echo {\\"fluff\\": 1};; *) exit 3;; esac' {checkpoint}"""
    words = ("scan", "net.onnx", "--command", which, "-o", "net.scan.json", "--amounts", "50%")
    status, _, err = call(*words)
    assert status == 2
    assert "Declare it: --higher-is-better fluff" in err
    status, out, _ = call(*words, "--higher-is-better", "fluff", "--json")
    found = json.loads(out)
    assert (status, found["measured"]) == (0, 2)
    assert found["metrics"]["fluff"]["higher"] is True


def test_a_scan_becomes_a_recipe_that_prunes_exactly_the_total(call, place):
    """The predicted metric is measured, and compared with one uniform step."""
    words = ("scan", "m.safetensors", "--script", "script.py", "-o", "m.scan.json")
    status, out, err = call(*words, "--amounts", "50%,90%")
    assert status == 0
    assert "2 tensors x 2 amounts: 4 evaluations left of " in err
    assert out.splitlines()[0].split() == ["tensor", "weights", "50", "%", "90", "%"]
    assert "loss, lower is better; " in out
    status, out, err = call(*words, "--amounts", "0.5,0.9", "--json")
    report = json.loads(out)
    assert (status, err, report["measured"], report["wanted"]) == (0, "", 4, 4)
    assert report["metrics"]["share"] == {"before": 1.0, "noise": None, "higher": True}

    status, out, err = call(
        "allocate", "m.scan.json", "--target-sparsity", "61%", "-o", "r.recipe.json",
        "--max-sparsity", "0.*=70%", "--json",
    )  # fmt: skip
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert report["metric"] == "loss"
    assert report["pruned"] == round(0.61 * 192) == sum(t["pruned"] for t in report["tensors"])
    assert report["tensors"][0]["pruned"] <= 89
    assert call("run", "r.recipe.json", "m.safetensors", "-o", "p.safetensors")[0] == 0
    calibrated = "that measure it: its metrics may be better than on other data"
    for file in ("p.safetensors", "m.safetensors"):
        words = (file, "--script", "script.py", "--json")
        status, out, err = call("evaluate", *words)
        assert (status, calibrated in err) == (0, file == "p.safetensors")
        assert json.loads(out)["calibrated"] is (file == "p.safetensors")
        more = ("--amounts", "50%", "-o", f"{file}.scan.json")
        status, out, err = call("scan", *words, *more)
        assert (status, calibrated in err) == (0, file == "p.safetensors")
        assert json.loads(out)["calibrated"] is (file == "p.safetensors")
        status, _, err = call("allocate", f"{file}.scan.json", "--target-sparsity", "30%")
        assert (status, calibrated in err) == (0, file == "p.safetensors")
    pruned = load_file("p.safetensors")
    assert {n: int((a == 0).sum()) for n, a in pruned.items()} == {
        t["name"]: t["pruned"] for t in report["tensors"]
    }

    more = ("m.safetensors", "--script", "script.py", "--target-sparsity", "61%")
    status, out, err = call("allocate", "m.scan.json", *more, "--json")
    report = json.loads(out)
    assert status == 0
    assert "run the same script with the same settings (script.py). The amounts were" in err
    assert report["measured"].keys() == report["one_rule"].keys() == report["unpruned"].keys()
    assert report["unpruned"]["loss"] == report["before"] < report["measured"]["loss"]

    status, out, err = call("allocate", "m.scan.json", *more, "--samples", "30")
    assert status == 0
    assert (
        "with different numbers of samples (scan: script.py; evaluation: script.py, at most 30 "
        "samples). The script decides"
    ) in err

    status, out, err = call("allocate", "m.scan.json", *more, "--script-seed", "1")
    assert status == 0
    assert "It is not known whether the scan and the evaluation use the same data" in err
    rows = [line.split() for line in out.splitlines()]
    assert ["metric", "unpruned", "predicted", "allocated", "one", "rule", "noise"] in rows
    assert "or worse. The prediction adds up the changes" in out


def test_each_tensor_may_be_repaired_before_the_model_is_measured(call, place):
    script = Path("script.py")
    script.write_text(SCRIPT + "\ndef calibrate(model): model(torch.ones(9, 8).cumsum(0))\n")
    statistics = ("m.safetensors", "--script", "script.py", "-o", "s.safetensors", "--gram")
    assert call("statistics", *statistics)[0] == 0
    words = ("scan", "m.safetensors", "--script", "script.py", "--amounts", "50%,90%", "-o")
    assert call(*words, "plain.scan.json")[0] == 0
    assert call(*words, "repaired.scan.json", "--repair", "s.safetensors")[0] == 0
    plain, repaired = (read_scan(Path(f"{name}.scan.json")) for name in ("plain", "repaired"))
    cells = [[c.metrics["loss"] for c in scan.tensors[0].cells] for scan in (plain, repaired)]
    assert not set(cells[0]) & set(cells[1])
    more = ("m.safetensors", "--script", "script.py", "--target-sparsity", "60%", "--json")
    measured = []
    for name in ("plain", "repaired"):
        given = ("--statistics", "s.safetensors")
        status, out, err = call("allocate", f"{name}.scan.json", *more, *given)
        assert status == 0
        assert ("repair the result" in err) == (name == "repaired")
        measured.append(json.loads(out)["measured"]["loss"])
    assert measured[0] != measured[1]
    forget(repaired.conditions.repair)
    status, _, err = call("allocate", "repaired.scan.json", *more)
    assert status == 2
    assert "or name it with --statistics" in err


@pytest.mark.parametrize("are_different", [False, True])
def test_equal_values_give_a_notice_unless_the_data_differ(call, place, monkeypatch, are_different):
    """A copied script is another script, but reads the same data."""
    if are_different:
        monkeypatch.setattr(
            "pruneapp.evaluation.allocation.are_different_data", lambda *_names: True
        )
    assert call(
        "scan", "m.safetensors", "--command", command(), "-o", "s.json", "--amounts", "0.5"
    )[0] == 0  # fmt: skip
    other = command(1e-9)
    status, _, err = call(
        "allocate", "s.json", "m.safetensors", "--command", other, "--target-sparsity", "0.3"
    )
    assert status == 0
    assert ("exactly the values that it had in the scan" in err) is not are_different


@pytest.mark.parametrize(
    ("limits", "unit", "words"),
    [
        ((None, None), "lines", "use the same data (a.txt, 40 of 40 sentences)."),
        ((10, None), "lines", "(scan: a.txt, 10 of 40 sentences; evaluation: a.txt, 40 of 40 sen"),
        ((None, 10), "lines", "The data of the evaluation are a part of those of the scan (scan:"),
        ((5, 10), "images", "images of the same folder (scan: a.txt, 5 of 40 images; evaluation:"),
    ],
)
def test_the_shared_part_of_a_text_or_folder_is_stated(limits, unit, words):
    scanned, limit = limits
    data = "test images:/a" if unit == "images" else "text:1"
    scan = ScanConditions("m", "", "Text", "", "", "l1", limit=scanned, data=data)
    samples = Samples(unit, limit or 40, 40)
    evaluated = Conditions("Text", limit, data="a.txt", samples=samples)
    shared, text = module._compare_data(scan, evaluated, data)
    assert shared.is_shared
    assert words in text
    assert text.endswith("Evaluate the result on other data, too.")
    assert module._compare_data(scan, evaluated, "text:2")[1] == (
        "The scan and the evaluation use different data."
    )


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupted_scan_is_saved_and_continued(call, place):
    words = ("scan", "m.safetensors", "--command", command(0.1), "-o", "s.json")
    process = subprocess.Popen(
        [sys.executable, "-m", "pruneapp", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )
    log = Path("log")
    until(process, "measuring", lambda: log.exists() and log.stat().st_size >= 6)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    kept = sum(len(t.get("cells", ())) for t in json.loads(Path("s.json").read_text())["tensors"])
    assert 2 <= kept < 10
    assert f"{kept} of 10 evaluations are in 's.json'; the same command continues." in err
    assert err.endswith("pruneapp: Interrupted.\n")
    log.unlink()
    status, out, err = call(*words[:-1], "s.json", "--json")
    assert status == 0
    assert (json.loads(out)["measured"], log.stat().st_size) == (10, 3 + 10 - kept)


def test_a_failed_scan_is_saved(call, place, monkeypatch):
    monkeypatch.setattr(module, "KEEP", 0.0)
    Path("command.py").write_text(COMMAND + "sys.exit(len(open('log').read()) > 5)")
    status, _, err = call(
        "scan", "m.safetensors", "--command", command(), "-o", "s.json", "--amounts", "0.5,0.7"
    )
    assert status == 2
    assert "2 of 4 evaluations are in 's.json'" in err
    assert len(json.loads(Path("s.json").read_text())["tensors"]) == 2
    status, _, err = call("scan", "m.safetensors", "--command", command(1e-9), "-o", "s.json")
    assert (status, "is a scan with another script" in err) == (2, True)
    assert "the same command continues" not in err, "it would be refused again"


FRACTIONS = (
    "--amounts must be fractions of each tensor, such as 0.5 or 50%: above 0, up to 100% (got"
)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--method", "n_m"), "'n_m' cannot be scanned"),
        *((("--amounts", typed), FRACTIONS) for typed in ("1,2", "150%", ",", "abc", "0", "0%")),
        (("--method", "l1_unstructured", "--dim", "1"), "does not take --dim"),
        (("--select", "x"), "No tensor in"),
        (("-o", "m.safetensors"), "is an input of this command"),
        (("-o", "none/s.json"), "in a folder that does not exist"),
        (("-o", "command.py"), "is not JSON"),
        (("--exclude", "x"), "--exclude must be"),
    ],
)
def test_invalid_scans_are_refused(call, place, words, message):
    more = () if "-o" in words else ("-o", "s.json")
    status, out, err = call("scan", "m.safetensors", "--command", command(), *words, *more)
    assert (status, out) == (2, "")
    assert message in err
    assert not Path("log").exists()
    assert not Path("s.json").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--target-sparsity", "95%"), "must be from 0 % to"),
        (("--target-sparsity", "x"), "--target-sparsity must be"),
        (
            ("--target-sparsity", "50%", "--max-sparsity", "x=0.5"),
            "No tensor of the scan matches 'x'",
        ),
        (("--target-sparsity", "50%", "--max-sparsity", "2"), "--max-sparsity must be"),
        (("--target-sparsity", "50%", "--metric", "fluff"), "has no metric 'fluff'"),
        (("--target-sparsity", "50%", "--select", "x"), "No tensor of the scan matches 'x'"),
        (("--target-sparsity", "50%", "m.safetensors"), "--script is required"),
        (("--target-sparsity", "50%", "--script", "script.py"), "the scanned checkpoint is needed"),
        (
            ("--target-sparsity", "50%", "o.safetensors", "--command", command()),
            "is not the checkpoint",
        ),
        ((), "--target-sparsity is required"),
    ],
)
def test_invalid_allocations_are_refused(call, place, words, message):
    save_file({"w": np.ones((4, 4), np.float32)}, "o.safetensors")
    scanned = ("scan", "m.safetensors", "--command", command(), "-o", "s.json", "--amounts", "0.5")
    assert call(*scanned)[0] == 0
    status, out, err = call("allocate", "s.json", *words, "-o", "r.json")
    assert (status, out) == (2, "")
    assert message in err
    assert not Path("r.json").exists()
    before = Path("s.json").read_bytes()
    for name in ("s.json", "o.safetensors"):
        report = call("allocate", "s.json", "o.safetensors", "--target-sparsity", "0.3", "-o", name)
        assert report[0] == 2
        assert "is an input of this command" in report[2]
    assert Path("s.json").read_bytes() == before


def test_a_file_with_masks_is_not_scanned(call, place):
    prune = ("prune", "m.safetensors", "-o", "r.pt", "--method", "l1_unstructured")
    assert call(*prune, "--amount", "0.5", "--format", "resumable")[0] == 0
    status, _, err = call("scan", "r.pt", "--command", command(), "-o", "s.json")
    assert status == 2
    assert "contains masks, and a scan begins with nothing pruned" in err


def test_the_python_example_of_the_documentation_scans_and_allocates(place, capsys):
    page = Path(__file__).parents[2] / "docs" / "sensitivity.md"
    section = page.read_text(encoding="utf-8").partition("## In Python\n")[2]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    Path("m.safetensors").rename("model.safetensors")
    Path("script.py").rename("my_evaluation.py")
    exec(compile(code, str(page), "exec"), {})
    *counts, first, second = capsys.readouterr().out.splitlines()
    assert counts == [f"{n} of 4" for n in range(5)]
    assert [line.split()[0] for line in (first, second)] == ["0.weight", "2.weight"]
    assert sum(int(line.split()[1]) for line in (first, second)) == round(0.7 * 192)
