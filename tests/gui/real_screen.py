"""Run the application on a virtual X screen and read its accessibility tree over D-Bus."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest

from tests.gui.accessibility_tree import Node
from tests.support import xvfb

PATIENCE_S = 60
PRESS_AGAIN_S = 3.0
SYSTEM_PYTHON = "/usr/bin/python3"
LAUNCHER = "/usr/libexec/at-spi-bus-launcher"
CLIENT = Path(__file__).with_name("at_spi_client.py")


def missing_screen_tools() -> str:
    """Return the missing programs for a virtual screen, comma-separated; "" if there are none."""
    found = [p for p in (xvfb.PROGRAM, "xdotool") if not shutil.which(p)]
    return ", ".join(found)


def missing_bus_tools() -> str:
    """Return the missing parts for reading the accessibility tree; "" if there are none."""
    if found := missing_screen_tools():
        return found
    if not shutil.which("dbus-run-session"):
        return "dbus-run-session"
    if not Path(LAUNCHER).exists():
        return "at-spi2-core"
    return missing_gio()


def missing_gio() -> str:
    """Return what the system's Python needs to use D-Bus; "" if it can."""
    try:
        done = subprocess.run(
            [SYSTEM_PYTHON, "-c", "from gi.repository import Gio"], capture_output=True, check=False
        )
    except OSError:
        return SYSTEM_PYTHON
    return "python3-gi" if done.returncode else ""


def xdotool(environment, *arguments):
    """Run xdotool and return its output."""
    done = subprocess.run(
        ["xdotool", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def wait_until(found, what, process=None):
    """Poll `found` until it returns a true value, and return that.

    Fails the test after `PATIENCE_S`, or as soon as `process`, if given, has ended.
    """
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        answer = found()
        if answer:
            return answer
        if process is not None and process.poll() is not None:
            errors = process.stderr.read()
            pytest.fail(
                f"{what} did not happen: the process ended ({process.returncode}): {errors}"
            )
        time.sleep(0.05)  # other processes send no signal when something changes
    pytest.fail(f"{what} did not happen within {PATIENCE_S} s")


def window_ids(environment, name):
    """Return the ids of the mapped windows of a name, one per line; "" if there are none."""
    return xdotool(environment, "search", "--onlyvisible", "--name", name)


def press_until(environment, name, key, happened, what):
    """Press a key in the window of a name, again every `PRESS_AGAIN_S`, until `happened` is true.

    Qt delivers a key press to the window that it considers focused, and drops it if a modal dialog
    blocks that window. So the window is focused first. It is looked up each time because a reopened
    window has another id. Presses that follow too soon would be queued and reach the dialog that
    the first one opened.
    """
    pressed = -PRESS_AGAIN_S

    def typed():
        nonlocal pressed
        if not happened() and time.monotonic() - pressed >= PRESS_AGAIN_S:
            for window in window_ids(environment, name).splitlines()[:1]:
                xdotool(environment, "windowfocus", "--sync", window)
                xdotool(environment, "key", "--window", window, key)
                pressed = time.monotonic()
        return happened()

    wait_until(typed, what)


class AccessibilityClient:
    """Reads and operates the application through its accessibility tree alone."""

    def __init__(self, process: subprocess.Popen[str], answers: TextIO) -> None:
        self._process = process
        self._answers = answers

    def windows(self) -> list[str]:
        """Return the names of all windows."""
        return self._ask({"do": "windows"})

    def tree(self, *, menus: bool = False, front: bool = False, roles: Sequence[str] = ()) -> Node:
        """Return the visible part of the accessibility tree, with the menus if requested.

        While the application starts, the tree can be empty or incomplete.

        Parameters
        ----------
        front
            Whether to return only the window that was opened last.
        roles
            Roles to read; nodes of other roles have a path and children only. All if empty.
        """
        question = {"do": "tree", "menus": menus, "front": front, "roles": list(roles)}
        answer = self._ask(question)
        return Node.from_dict(answer) if answer else Node("window", "")  # the window is closed

    def act(self, node: Node, action: str | None = None) -> None:
        """Run an action of a node by its name, or its first one."""
        assert node.actions, f"{node} has no actions"
        number = node.actions.index(action) if action else 0
        self._ask({"do": "act", "path": node.path, "number": number})

    def write(self, node: Node, text: str) -> None:
        """Replace the text of a field."""
        self._ask({"do": "write", "path": node.path, "text": text})

    def set_value(self, node: Node, value: float) -> None:
        """Set the value of a slider or spin box."""
        self._ask({"do": "set", "path": node.path, "value": value})

    def select(self, node: Node, number: int) -> None:
        """Select one child of a node by its index."""
        self._ask({"do": "select", "path": node.path, "number": number})

    def _ask(self, question):
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._answers.readline()
        if not line:
            pytest.fail(f"the client ended: {self._process.stderr.read()}")
        return json.loads(line)


@contextmanager
def start_application(environment, *arguments):
    """Start the application on a virtual screen, yield an `AccessibilityClient`, terminate both.

    It has a session bus to itself: that of the user is neither needed nor changed.
    """
    reading, writing = os.pipe()
    # A separate pipe, as the bus and the processes that it starts also print to stdout.
    client = [SYSTEM_PYTHON, str(CLIENT), str(writing), LAUNCHER]
    command = ["dbus-run-session", "--", *client, sys.executable, "-m", "pruneapp", *arguments]
    process = subprocess.Popen(
        command,
        env={**environment, "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"},
        pass_fds=[writing],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as answers:
            yield AccessibilityClient(process, answers)
    finally:
        process.stdin.close()  # the client then terminates the bus and the application
        try:
            process.wait(20)
        finally:
            process.kill()
            process.stderr.close()
