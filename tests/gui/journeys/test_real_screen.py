"""The window as the system shows it: started by its command on a real X server, driven by keys."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pruneapp import resources
from tests.gui.real_screen import missing_for_screen, shown, typed_until, until

SAMPLE = resources.path("sample/lenet-digits.safetensors")

pytestmark = pytest.mark.skipif(
    bool(missing_for_screen()),
    reason=f"needs {missing_for_screen()}, which packaging/dev.py test installs on Debian",
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
        until(lambda: shown(screen, SAMPLE.name), "a window that names the file", process)
        # A window has its name before it is shown, and what is typed into it until then is lost,
        # as it is in every application. So each key is given until it has had its effect.
        keys = "^Keyboard shortcuts"
        typed_until(screen, SAMPLE.name, "question", lambda: shown(screen, keys), "the keys")
        typed_until(screen, keys, "Escape", lambda: not shown(screen, keys), "their end")
        ended = "the end of all of it"
        typed_until(screen, SAMPLE.name, "ctrl+q", lambda: process.poll() is not None, ended)
    finally:
        process.kill()
        _, errors = process.communicate(timeout=10)

    assert (process.returncode, errors) == (0, "")
