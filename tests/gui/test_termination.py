"""However the application is ended: exit status 0, an empty standard error, and no lost work."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from pruneapp import resources
from tests.conftest import ROOT
from tests.gui.quit_process import COPIES, QUITS, SITUATIONS
from tests.monkey.findings import KNOWN

SAMPLE = resources.path("sample/lenet-digits.safetensors")
# The platform minimal has no fonts.
NOISE = (*KNOWN, "QFont::setPointSizeF: Point size <= 0")
# How to quit, in which situation, on which platform. A modal dialog blocks the menu.
CASES = (
    ("menu", "windows", "minimal"),
    ("window", "job", "offscreen"),
    ("language", "nothing", "minimal"),
    ("session", "question", "offscreen"),
    ("SIGTERM", "drag", "minimal"),
    ("SIGTERM", "menu", "offscreen"),
    ("SIGTERM", "file dialog", "minimal"),
    ("SIGINT", "dialog", "offscreen"),
    ("SIGHUP", "deaf job", "minimal"),
)
# The last content of the clipboard, in turn: Qt uses other classes for pictures and fields.
LAST = ("picture", "name", "field")


def sources() -> set[str]:
    """Return the places in the source code that write to the clipboard."""
    folder = ROOT / "pruneapp"
    writes = re.compile(r"clipboard\(\)(\.set|$)")
    return {
        f"{path.relative_to(folder)}:{number}"
        for path in (folder / "gui").rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if writes.search(line)
    }


def run(folder, quit_by: str, situation: str, last: str, platform: str):
    """Run the application in another process, on a copy of the sample."""
    file = folder / "model.safetensors"
    shutil.copyfile(SAMPLE, file)
    state = folder / "state"
    done = subprocess.run(
        [sys.executable, "-m", "tests.gui.quit_process", quit_by, situation, last, str(file)],
        cwd=folder,
        env={
            **os.environ,
            "QT_QPA_PLATFORM": platform,
            "PYTHONPATH": str(ROOT),
            "XDG_STATE_HOME": str(state),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    said = [
        line for line in done.stderr.splitlines() if not line.removeprefix("Qt: ").startswith(NOISE)
    ]
    return done, said, [path.name for path in state.rglob("*.journal")]


@pytest.mark.parametrize(
    ("case", "last"),
    [(case, LAST[number % len(LAST)]) for number, case in enumerate(CASES)],
    ids=["-".join(case) for case in CASES],
)
def test_the_application_ends_with_status_0_and_says_nothing(case, last, tmp_path):
    quit_by, situation, platform = case
    done, said, journals = run(tmp_path, quit_by, situation, last, platform)
    assert (done.returncode, said) == (0, []), done.stderr
    assert sources() <= set(json.loads(done.stdout)), "not all places copied"
    if quit_by not in {"menu", "window"}:
        assert len(journals) == 1, "an unsaved history is kept"


def test_a_signal_before_the_window_is_ready_ends_the_application(tmp_path):
    done, said, journals = run(tmp_path, "SIGINT", "start", "name", "offscreen")
    assert (done.returncode, said, journals) == (0, [], []), done.stderr


def test_every_way_to_quit_every_situation_and_every_copy_is_tried():
    assert {case[0] for case in CASES} == set(QUITS)
    assert {case[1] for case in CASES} == set(SITUATIONS) - {"start"}
    assert set(LAST) <= set(COPIES)
