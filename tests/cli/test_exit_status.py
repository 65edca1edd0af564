"""The exit status of every command, for every kind of output stream."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import pruneapp
from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.cli import parser
from pruneapp.cli.parser import COMMANDS, parse
from pruneapp.document.document import Capture, Document
from pruneapp.evaluation.scan_file import write_scan
from pruneapp.progress import Cancelled, Job
from pruneapp.sessions.session_file import save_session
from tests.evaluation.scans import made_scan
from tests.repair.layers import InputArrays
from tests.shrink.small_models import write_mistral
from tests.support.imatrix_files import dat

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a shell of Unix is meant")

METHOD = ("--method", "l1_unstructured", "--amount", "0.5")
# An evaluation whose loss is 2 for b.st, and 1 for all others.
PRINT_LOSS = 'case $0 in *b.st) loss=2;; *) loss=1;; esac; echo "{\\"loss\\": $loss}"'
LOSS = ("--command", f"sh -c '{PRINT_LOSS}' {{checkpoint}}")
BY = ("--against", "a.st", "--statistics", "s.st")
HALF = ("--ffn", "50%", "--multiple", "1")
# For every command: cases of success, of a difference, and of an error that the user can fix.
CASES: dict[str, tuple[tuple[tuple[str, ...], int], ...]] = {
    "inspect": ((("a.st",), 0), (("none.st",), 2)),
    "diff": ((("a.st", "a.st"), 0), (("a.st", "b.st"), 1), (("a.st", "none.st"), 2)),
    "check": (
        (("z.st", "--pattern", "2:4"), 0),
        (("a.st", "--pattern", "2:4"), 1),
        (("a.st", "--pattern", "x"), 2),
    ),
    "methods": (((), 0), (("--nothing",), 2)),
    "plugins": (((), 0), (("--plugin", "nobody"), 2)),
    "prune": ((("a.st", "-o", "out.st", *METHOD), 0), (("a.st", "-o", "out.st"), 2)),
    "run": (
        (("r.json", "a.st", "-o", "out.st"), 0),
        (("wrong.json", "a.st", "--check"), 1),
        (("wrong.json", "a.st", "-o", "out.st"), 2),
    ),
    "verify": (
        (("p.st", "--against", "a.st"), 0),
        (("p.st", "--against", "b.st"), 1),
        (("a.st", "--against", "a.st"), 2),
    ),
    "sizes": ((("a.st",), 0), (("r.json",), 2)),
    "evaluate": (
        (("a.st", *LOSS), 0),
        (("b.st", *LOSS, "--against", "a.st", "--at-most", "10%"), 1),
        (("a.st", "--command", "false {checkpoint}"), 2),
    ),
    "statistics": (
        (("llm.st", "--from", "i.dat", "-o", "out.st"), 0),
        (("a.st", "--from", "i.dat", "-o", "out.st"), 2),
    ),
    "scan": (
        (("z.st", *LOSS, "-o", "new.scan", "--amounts", "50%"), 0),
        (("z.st", *LOSS, "-o", "s.st", "--amounts", "50%"), 2),
    ),
    "frontier": (
        (("z.st", *LOSS, "-o", "new.frontier", "--points", "50%", "--recover", "no"), 0),
        (("z.st", *LOSS, "-o", "new.frontier", "--points", "50%"), 2),
    ),
    "report": ((("z.prune", "-o", "report.html"), 0), (("none.prune", "-o", "report.html"), 2)),
    "allocate": (
        (("z.scan", "--target-sparsity", "4"), 0),
        (("z.scan", "--target-sparsity", "99%"), 2),
    ),
    "repair": ((("p.st", *BY, "-o", "out.st"), 0), (("a.st", *BY, "-o", "out.st"), 2)),
    "recover": ((("p.st", "--against", "a.st", "-o", "out.st"), 2),),
    "shrink": ((("model", "--list"), 0), (("a.st", "--list"), 2)),
    "unshrink": (
        (("shrunk", "--against", "model", "-o", "back"), 0),
        (("model", "--against", "model", "-o", "back"), 2),
    ),
    "expand": ((("c.st", "-o", "out.st"), 0), (("a.st", "-o", "out.st"), 2)),
}
LISTENING = (("file", "file"), ("unread", "file"), ("closed", "file"), ("file", "closed"),
             ("unread", "unread"), ("closed", "closed"))  # fmt: skip
# All commands print by one function, so the other combinations are for one command.
USUAL = (("file", "file"), ("unread", "unread"))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Write models, one exported in two formats, and recipes."""
    folder = tmp_path_factory.mktemp("statuses")
    rng = np.random.default_rng(1)
    weights = {f"layer{i}.weight": rng.normal(size=(8, 8)).astype(np.float32) for i in range(300)}
    save_file(weights, folder / "a.st")
    save_file({name: 2 * array for name, array in weights.items()}, folder / "b.st")
    save_file({"w": np.zeros((4, 4), np.float32)}, folder / "z.st")
    save_file({"lm_head.weight": np.ones((4, 4), np.float32)}, folder / "llm.st")
    (folder / "i.dat").write_bytes(dat({"output.weight": (1, np.ones(4))}))
    InputArrays({"layer0.weight": rng.normal(size=(50, 8))}).save(folder / "s.st")
    recipe = {
        "format": "pruneapp-recipe",
        "version": 1,
        "entries": [
            {
                "name": "step",
                "configuration": {
                    "rows": [
                        {"name": "l1_unstructured", "configuration": {"values": {"amount": 5}}}
                    ]
                },
            }
        ],
    }
    (folder / "r.json").write_text(json.dumps(recipe))
    recipe["entries"][0]["configuration"]["rows"][0]["configuration"]["pattern"] = "none*"
    (folder / "wrong.json").write_text(json.dumps(recipe))
    write_scan(made_scan({"w": (16, {0.5: 0.1})}), folder / "z.scan")
    with open_checkpoint(folder / "z.st") as checkpoint:
        save_session(Capture.of(Document(checkpoint)), {}, folder / "z.prune", Job())
    for name, more in (("p.st", ()), ("c.st", ("--format", "compact"))):
        words = ["prune", folder / "a.st", "-o", folder / name, *METHOD, *more]
        assert main([str(word) for word in words]) == 0
    write_mistral(folder / "model")
    shrink = ["shrink", folder / "model", "-o", folder / "shrunk", *HALF]
    assert main([str(word) for word in shrink]) == 0
    return folder


def forked(place: Path, cases: list[dict[str, object]]) -> list[dict[str, object]]:
    """Run cases; see `forked_commands.py`."""
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("forked_commands.py")],
        input=json.dumps(cases), cwd=place, capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    return json.loads(done.stdout)


def test_every_command_has_cases():
    assert set(CASES) == set(COMMANDS)


def test_the_status_does_not_depend_on_closed_outputs(place):
    cases, expected = [], []
    for command, ways in CASES.items():
        for words, status in ways:
            for out, err in LISTENING if command == "diff" else USUAL:
                cases.append({"words": [command, *words], "stdout": out, "stderr": err})
                expected.append(status)
    for out in ("file", "unread", "closed"):
        cases.append({"words": ["diff", "--help"], "stdout": out, "stderr": "file"})
        expected.append(0)
    for case, status, found in zip(cases, expected, forked(place, cases), strict=True):
        assert found["status"] == status, (case, found)
        assert "Traceback" not in found["err"], (case, found)
        assert "Exception ignored" not in found["err"], (case, found)
        if case["stdout"] == case["stderr"] == "file":
            # A failing command prints something; user errors (status 2) are one sentence on stderr.
            assert found["out"] or found["err"], case
            assert (found["err"].startswith("pruneapp") and not found["out"]) == (status == 2)
        elif status < 2:
            assert not found["err"], (case, found)


def test_commands_finish_although_outputs_are_closed(place):
    cases = [
        {"words": ["prune", "a.st", "-o", f"{out}-{err}.st", *METHOD], "stdout": out, "stderr": err}
        for out, err in LISTENING
    ]
    whole = hashlib.sha256((place / "p.st").read_bytes()).hexdigest()
    for case, found in zip(cases, forked(place, cases), strict=True):
        assert found["status"] == 0
        # Output of the command did not go into the file, whose descriptor could be reused as 1.
        assert hashlib.sha256((place / case["words"][3]).read_bytes()).hexdigest() == whole


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("diff a.st b.st | head -n 1", 1),
        ("inspect --help | true", 0),
        ("verify p.st --against b.st 2>&- >&-", 1),
    ],
)
def test_a_shell_pipeline_gets_the_status(place, line, status):
    shell = f"set -o pipefail; {sys.executable} -m pruneapp {line}"
    done = subprocess.run(
        ["bash", "-c", shell], cwd=place, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (status, "")


def test_a_full_disk_is_reported_also_for_the_help():
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pruneapp", "--help"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "pruneapp: The output could not be written: no space left on device.\n"


@pytest.mark.parametrize("error", [RuntimeError, KeyError, TypeError, RecursionError, OSError])
def test_a_defect_is_shown_with_its_traceback_and_where_to_report_it(monkeypatch, capsys, error):
    def broken(_options, _token):
        raise error("of ours")

    monkeypatch.setattr(parser, "run", broken)
    assert main(["inspect", "a.st"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback (most recent call last)" in err
    assert "of ours" in err
    assert pruneapp.ISSUES in err.splitlines()[-1]


def test_the_address_for_defects_and_the_version_are_those_of_the_package():
    project = tomllib.loads(
        (Path(pruneapp.__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    assert project["urls"] == {"Issues": pruneapp.ISSUES}
    assert project["version"] == pruneapp.__version__


@pytest.mark.parametrize(
    ("error", "status"), [(Cancelled, 130), (KeyboardInterrupt, 130), (MemoryError, 2)]
)
def test_the_end_of_a_command_is_reported(monkeypatch, capsys, error, status):
    def ended(_options, _token):
        raise error

    monkeypatch.setattr(parser, "run", ended)
    assert main(["inspect", "a.st"]) == status
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)


def test_the_statuses_are_documented(capsys):
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    for status in ("exit status is 0", "; 1 if", "; 2 with", "; 3 with", "130"):
        assert status in " ".join(readme.split())
    for words in ([], *([command] for command in COMMANDS)):
        with pytest.raises(SystemExit):
            parse([*words, "--help"])
        output = " ".join(capsys.readouterr().out.split())
        assert "Exit status: 0" in output
        assert "3 " in output.split("Exit status:")[1]
        assert "130" in output


ODD = "modèle-\u202e重み"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names are UTF-8 elsewhere")
def test_names_are_escaped_in_an_ascii_locale(tmp_path):
    """Names of tensors, shards and output files outside ASCII."""
    name = f"{ODD.replace(chr(0x202E), '')}-00001-of-00001.safetensors"
    (tmp_path / "m").mkdir()
    save_file({ODD: np.ones((4, 4), np.float32)}, tmp_path / "m" / name)
    index = {"weight_map": {ODD: name}}
    (tmp_path / "m" / "model.safetensors.index.json").write_text(
        json.dumps(index, ensure_ascii=False), encoding="utf-8"
    )
    ascii_only = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}

    def call(*words):
        return subprocess.run(
            [sys.executable, "-m", "pruneapp", *words],
            cwd=tmp_path, env=ascii_only, capture_output=True, check=False,
        )  # fmt: skip

    out = "重み.safetensors"
    done = call("prune", "m", "-o", out, *METHOD, "--report", "é.csv", "--save-recipe", "é.json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert {"é.csv", "é.json"} < {path.name for path in tmp_path.iterdir()}
    assert b"mod\\xe8le-\\u202e\\u91cd\\u307f" in done.stdout
    done = call("inspect", "m", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["tensors"][0]["name"] == ODD
    done = call("inspect", "é.safetensors")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
