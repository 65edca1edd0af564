"""A few of the faults and kills whose full results are in docs/reliability.md."""

import subprocess
import sys

import pytest

from tests.reliability.exports import can_inject, judge
from tests.support.formats import OF_ANY_SOURCE

BEFORE = {"m": "1", "n": "2"}
AFTER = {"m": "3", "n": "4", "m.orig": "1", "n.orig": "2", "read.py": "7"}


def reliability(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.reliability", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


USUAL = ("safetensors", "zst")


@pytest.mark.parametrize(
    "formats",
    [USUAL, *(pytest.param((f,), marks=pytest.mark.slow) for f in OF_ANY_SOURCE if f not in USUAL)],
    ids="-".join,
)
def test_a_killed_export_leaves_whole_files_in_every_format(formats):
    done = reliability("kills", "--kills", "3", "--formats", *formats, "--weights", str(1 << 18))

    assert done.returncode == 0, done.stdout + done.stderr
    for form in formats:
        assert f"| {form} | a new folder | 3 |" in done.stdout


@pytest.mark.skipif(not can_inject(), reason="strace is not installed here")
def test_a_call_that_fails_leaves_the_old_files_and_a_sentence():
    done = reliability("faults", "--formats", "safetensors", "--calls", "rename", "mkdir")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "| rename |" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
def test_killed_work_is_offered_as_it_was():
    done = reliability("journal", "--kills", "8")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "| small tensors | 8 |" in done.stdout
    assert "| masks take long | 8 |" in done.stdout


@pytest.mark.skipif(not can_inject(), reason="strace is not installed here")
def test_a_call_that_fails_loses_no_work_that_was_kept():
    done = reliability("journal-faults", "--calls", "ftruncate", "openat", "mkdir")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "| ftruncate |" in done.stdout


@pytest.mark.parametrize(
    ("now", "found"),
    [
        (BEFORE, "old"),
        (AFTER, "new"),
        ({**BEFORE, ".m.0123abcd.part": "5"}, "old"),
        ({**BEFORE, "m.orig": "1"}, "old"),
        ({**AFTER, "n": "2"}, "some new"),
        ({**BEFORE, "read.py": "7"}, "old"),
        ({k: v for k, v in AFTER.items() if k != "read.py"}, "some new"),
        ({**BEFORE, "m": "9"}, "broken: ['m', 'n']"),
        ({"n": "2"}, "broken: ['n']"),
        ({**AFTER, "m.orig": "9"}, "broken: ['m', 'm.orig', 'n', 'n.orig', 'read.py']"),
    ],
)
def test_what_is_left_is_judged(now, found):
    assert judge(now, BEFORE, AFTER) == found
