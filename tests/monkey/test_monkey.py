"""A short run of the monkey (docs/reliability.md has long ones), and tests of its checks."""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from pruneapp import resources
from tests.conftest import ROOT
from tests.monkey.__main__ import judge
from tests.monkey.files import SAMPLE
from tests.monkey.findings import explained, stack_of

SECONDS = 5


def monkey(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.monkey", *arguments],
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))]
)
def test_nothing_goes_wrong(seed, tmp_path):
    """With the sample, the shards of a transformer and, if available, a real ResNet."""
    done = monkey("--seed", str(seed), "--minutes", str(SECONDS / 60), "--folder", str(tmp_path))
    assert done.returncode == 0, done.stdout[-12_000:] + done.stderr
    row = [cell.strip() for cell in done.stdout.splitlines()[1].split("|")]
    assert row[1] == str(seed)
    assert int(row[4]) > SECONDS, "hardly anything was done"


def play(folder: Path, *arguments: str) -> list[dict]:
    folder.mkdir()
    model = str(resources.path(SAMPLE))
    done = monkey("--play", str(folder), "--seed", "5", "--model", model, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    entries = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [e for e in entries if e["do"] not in {"found", "answer"}]


def test_a_run_can_be_repeated_from_its_log(tmp_path):
    first = play(tmp_path / "first", "--minutes", "0.05")
    log = tmp_path / "first" / "log.jsonl"
    again = play(tmp_path / "again", "--minutes", "5", "--replay", str(log))
    assert len(first) > 10
    assert [(e["do"], e.get("at")) for e in again] == [(e["do"], e.get("at")) for e in first]


FINDS = """
import logging, sys, threading, time
from PySide6.QtCore import QEventLoop, QTimer, qWarning
from PySide6.QtWidgets import QApplication
from tests.monkey.findings import Findings, Pulse

application = QApplication([])
found = []
findings = Findings(lambda kind, text: found.append((kind, text)))
findings.listen()
pulse = Pulse(findings, lambda: True)


def fail():
    raise ValueError("in a slot")


def fail_in_thread():
    raise ValueError("in a thread")


class Unraisable:
    def __del__(self):
        raise ValueError("in __del__")


def work():
    ends = time.thread_time() + 1.3
    while time.thread_time() < ends:
        pass
    QTimer.singleShot(300, wait)


def wait(tries=5):
    time.sleep(4)  # time in which a thread waits for a processor is not counted
    QTimer.singleShot(300, lambda: look(tries - 1))


def look(tries):
    seen = any(kind == "stall" and "in wait" in text for kind, text in found)
    if seen or not tries:
        loop.quit()
    else:
        wait(tries)


loop = QEventLoop()
calls = [
    fail,
    lambda: threading.Thread(target=fail_in_thread).start(),
    lambda: Unraisable() and None,
    lambda: logging.getLogger("pruneapp").warning("in the log"),
    lambda: qWarning("of Qt"),
    work,
]
for number, call in enumerate(calls):
    QTimer.singleShot(100 + number, call)
loop.exec()
pulse.stop()
for kind, text in found:
    print(kind, text.replace("\\n", " "))
"""


def test_whatever_goes_wrong_is_found(run_python):
    found = run_python(FINDS).splitlines()
    for kind, word in (
        ("exception", "in a slot"),
        ("exception", "in a thread"),
        ("exception", "in __del__"),
        ("warning", "in the log"),
        ("warning", "of Qt"),
        ("stall", "in work"),
        ("stall", "in wait"),
    ):
        assert [line for line in found if line.startswith(kind) and word in line], word


FENCE = """
import os, sys
from pathlib import Path
from tests.monkey import path_guard

inside, outside = map(Path, sys.argv[1:])
path_guard.put_up(inside)
(inside / "new").write_text("mine")
(inside / "new").rename(inside / "other")
print(outside.joinpath("there").read_text())
for call in (
    lambda: (outside / "there").write_text("gone"),
    lambda: (outside / "there").unlink(),
    lambda: (inside / "other").rename(outside / "other"),
    lambda: (outside / "folder").mkdir(),
    lambda: os.open(inside / ".." / outside.name / "new", os.O_WRONLY | os.O_CREAT),
    lambda: os.truncate(outside / "there", 0),
):
    try:
        call()
    except PermissionError as error:
        print("refused")
"""


def test_nothing_is_written_outside(run_python, tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "there").write_text("kept")
    said = run_python(FENCE, str(inside), str(outside)).split()
    assert said == ["kept", *["refused"] * 6]
    assert [path.name for path in outside.iterdir()] == ["there"]
    assert (outside / "there").read_text() == "kept"


def test_a_crash_is_told_with_what_led_to_it(tmp_path):
    log = ['{"t": 0.1, "do": "click", "on": "Export"}', '{"t": 0.2, "do": "ke']
    (tmp_path / "log.jsonl").write_text("\n".join(log))
    (tmp_path / "stacks.txt").write_text("Fatal Python error: Segmentation fault")
    (tmp_path / "output.txt").write_text("")
    outcome = judge(tmp_path, -11, 4, tmp_path / "model.pt", 7.0)
    assert outcome.row["crashes"] == 1
    assert outcome.row["actions"] == 2
    for words in ("SIGSEGV", '"on": "Export"', "Segmentation fault", "--seed 4", "--replay"):
        assert any(words in line for line in outcome.wrong), words


def test_waits_for_a_processor_explain_a_stall():
    before = {"1": 1.0, "2": 5.0}
    after = {"1": 1.5, "2": 6.25, "3": 1.0}
    assert explained(before, after, "1") == 0.5 + 1.25
    assert explained(before, after, "3") == 1.0 + 1.25
    assert explained({}, {}, "1") == 0.0


def test_the_stack_of_a_thread_is_read_without_its_frames():
    """Regression: a frame object held by the watcher destroyed widgets in its own thread."""
    dumps = []

    def look():
        with tempfile.TemporaryFile("w+") as file:
            faulthandler.dump_traceback(file)
            file.seek(0)
            dumps.append(file.read())

    watcher = threading.Thread(target=look)
    watcher.start()
    watcher.join()
    here = threading.get_ident()
    text = stack_of(here, dumps[0].replace("/monkey/", "/other/"))
    assert "test_the_stack_of_a_thread_is_read_without_its_frames" in text
    assert "in look" not in text, "that is the other thread"
    assert "/monkey/" not in stack_of(here, dumps[0])
    assert stack_of(1, dumps[0]) == ""
