"""The window as the system shows it: started by its command on a real X server, driven by keys."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import pytest

from pruneapp import resources

SAMPLE = resources.path("sample/lenet-digits.safetensors")
PATIENCE_S = 60

pytestmark = pytest.mark.skipif(
    not (shutil.which("Xvfb") and shutil.which("xdotool")),
    reason="needs Xvfb and xdotool, which packaging/dev.py test installs on Debian",
)


@pytest.fixture
def screen():
    """A screen in memory; returns the environment of those who use it."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as told:
        number = told.readline().strip()
    environment = {**os.environ, "DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
    yield environment
    server.terminate()
    server.wait(10)


def xdotool(environment, *arguments):
    done = subprocess.run(
        ["xdotool", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def until(found, what):
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        answer = found()
        if answer:
            return answer
        time.sleep(0.05)
    pytest.fail(f"{what} did not happen within {PATIENCE_S} s")


def test_the_command_opens_a_window_with_the_file_and_keys_reach_it(screen):
    process = subprocess.Popen(
        [sys.executable, "-m", "pruneapp", str(SAMPLE)],
        env=screen,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        window = until(
            lambda: xdotool(screen, "search", "--name", "lenet-digits.safetensors"),
            "a window that names the file",
        ).splitlines()[0]
        xdotool(screen, "windowfocus", "--sync", window)
        # The keys are asked for until they have an effect: the window may still be at work.
        until(
            lambda: (xdotool(screen, "key", "--window", window, "question"),
                     xdotool(screen, "search", "--name", "^Keys"))[1],
            "the sheet of keys",
        )  # fmt: skip
        sheet = xdotool(screen, "search", "--name", "^Keys").splitlines()[0]
        xdotool(screen, "windowfocus", "--sync", sheet)
        xdotool(screen, "key", "--window", sheet, "Escape")
        xdotool(screen, "windowfocus", "--sync", window)
        until(
            lambda: (xdotool(screen, "key", "--window", window, "ctrl+q"),
                     process.poll() is not None)[1],
            "the end of the application",
        )  # fmt: skip
    finally:
        process.kill()
        _, errors = process.communicate(timeout=10)

    assert (process.returncode, errors) == (0, "")
