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


def shown(environment, name):
    """The windows of this name that are mapped, a line each; empty where there is none."""
    return xdotool(environment, "search", "--onlyvisible", "--name", name)


def typed_until(environment, window, key, happened, what):
    def typed():
        if not happened():
            xdotool(environment, "key", "--window", window, key)
        return happened()

    until(typed, what)


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
            lambda: shown(screen, "lenet-digits.safetensors"), "a window that names the file"
        ).splitlines()[0]
        xdotool(screen, "windowfocus", "--sync", window)
        # A window has its name before it is shown, and what is typed into it until then is lost,
        # as it is in every application. So each key is given until it has had its effect.
        typed_until(screen, window, "question", lambda: shown(screen, "^Keys"), "the sheet of keys")
        sheet = shown(screen, "^Keys").splitlines()[0]
        typed_until(screen, sheet, "Escape", lambda: not shown(screen, "^Keys"), "its end")
        xdotool(screen, "windowfocus", "--sync", window)
        typed_until(
            screen, window, "ctrl+q", lambda: process.poll() is not None, "the end of all of it"
        )
    finally:
        process.kill()
        _, errors = process.communicate(timeout=10)

    assert (process.returncode, errors) == (0, "")
