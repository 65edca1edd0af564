"""The application on a real X server: started by its command, driven by keys."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pruneapp import resources
from tests.gui.real_screen import missing_screen_tools, press_until, wait_until, window_ids

SAMPLE = resources.path("sample/lenet-digits.safetensors")

pytestmark = pytest.mark.skipif(
    bool(missing_screen_tools()),
    reason=f"needs {missing_screen_tools()}, which packaging/dev.py test installs on Debian",
)


def test_the_command_opens_a_window_with_the_file_and_keys_reach_it(screen):
    process = subprocess.Popen(
        [sys.executable, "-m", "pruneapp", str(SAMPLE)],
        env=screen,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: window_ids(screen, SAMPLE.name), "a window that names the file", process)
        # A window has its title earlier than it is shown. Keys pressed in between are lost, as in
        # every application. So each key is pressed until it has an effect.
        keys = "^Keyboard shortcuts"
        press_until(screen, SAMPLE.name, "question", lambda: window_ids(screen, keys), "the keys")
        press_until(screen, keys, "Escape", lambda: not window_ids(screen, keys), "their end")
        ended = "the end of all of it"
        press_until(screen, SAMPLE.name, "ctrl+q", lambda: process.poll() is not None, ended)
    finally:
        process.kill()
        _, errors = process.communicate(timeout=10)

    assert (process.returncode, errors) == (0, "")
