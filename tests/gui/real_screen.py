"""Hands for a screen in memory, and the ears of somebody who does not see."""

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


def missing_for_screen() -> str:
    """What is missing for a screen; empty if nothing is."""
    found = [p for p in (xvfb.PROGRAM, "xdotool") if not shutil.which(p)]
    return ", ".join(found)


def missing_for_ears() -> str:
    """What is missing for the tree of accessible things; empty if nothing is."""
    if found := missing_for_screen():
        return found
    if not shutil.which("dbus-run-session"):
        return "dbus-run-session"
    if not Path(LAUNCHER).exists():
        return "at-spi2-core"
    return missing_gio()


def missing_gio() -> str:
    """What is missing for the system's Python to speak D-Bus; empty if nothing is."""
    try:
        done = subprocess.run(
            [SYSTEM_PYTHON, "-c", "from gi.repository import Gio"], capture_output=True, check=False
        )
    except OSError:
        return SYSTEM_PYTHON
    return "python3-gi" if done.returncode else ""


def xdotool(environment, *arguments):
    """Move the hands; returns what is said."""
    done = subprocess.run(
        ["xdotool", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def until(found, what, process=None):
    """Wait until something is found, and return it; not for a process that has ended."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        answer = found()
        if answer:
            return answer
        if process is not None and process.poll() is not None:
            said = process.stderr.read()
            pytest.fail(f"{what} did not happen: the end came first ({process.returncode}): {said}")
        time.sleep(0.05)  # what other processes did can only be asked again
    pytest.fail(f"{what} did not happen within {PATIENCE_S} s")


def shown(environment, name):
    """The windows of this name that are mapped, a line each; empty where there is none."""
    return xdotool(environment, "search", "--onlyvisible", "--name", name)


def typed_until(environment, name, key, happened, what):
    """Press a key in the window of a name, and again each time that a while had no effect.

    Qt gives a press to the window that it knows to have the focus, whatever window the press was
    sent to, and drops it where a dialog is in front of that one. So the keyboard goes to the window
    first, which is looked up each time: what is opened anew is another window. And a press is given
    time: the next one would wait behind it, and reach what it opened.
    """
    pressed = -PRESS_AGAIN_S

    def typed():
        nonlocal pressed
        if not happened() and time.monotonic() - pressed >= PRESS_AGAIN_S:
            for window in shown(environment, name).splitlines()[:1]:
                xdotool(environment, "windowfocus", "--sync", window)
                xdotool(environment, "key", "--window", window, key)
                pressed = time.monotonic()
        return happened()

    until(typed, what)


class Ears:
    """Somebody who knows of the window only what a screen reader is told of it."""

    def __init__(self, process: subprocess.Popen[str], answers: TextIO) -> None:
        self._process = process
        self._answers = answers

    def windows(self) -> list[str]:
        """Return the names of all windows."""
        return self._ask({"do": "windows"})

    def tree(self, *, menus: bool = False, front: bool = False, roles: Sequence[str] = ()) -> Node:
        """Return all that the application tells of what is shown, of menus if they are asked for.

        The application need not be there at once, nor all of it.

        Parameters
        ----------
        front
            Whether only the window is of interest that was opened last.
        roles
            What is of interest; of others only their places are told. All, if none are given.
        """
        question = {"do": "tree", "menus": menus, "front": front, "roles": list(roles)}
        told = self._ask(question)
        return Node.from_dict(told) if told else Node("window", "")  # that is gone by now

    def act(self, node: Node, action: str | None = None) -> None:
        """Do an action of a thing, its first if none is named."""
        assert node.actions, f"{node} has no actions"
        number = node.actions.index(action) if action else 0
        self._ask({"do": "act", "path": node.path, "number": number})

    def write(self, node: Node, text: str) -> None:
        """Put a text in the place of what a field holds."""
        self._ask({"do": "write", "path": node.path, "text": text})

    def set_value(self, node: Node, value: float) -> None:
        """Give a slider, or a box of a number, a value."""
        self._ask({"do": "set", "path": node.path, "value": value})

    def select(self, node: Node, number: int) -> None:
        """Select a child of a thing."""
        self._ask({"do": "select", "path": node.path, "number": number})

    def _ask(self, question):
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._answers.readline()
        if not line:
            pytest.fail(f"the client ended: {self._process.stderr.read()}")
        return json.loads(line)


@contextmanager
def heard(environment, *arguments):
    """Start the application on a screen with ears; yields them, and ends both.

    A bus of its own: that of the person's session is neither needed nor touched.
    """
    reading, writing = os.pipe()
    # Not the output: the bus and what it starts inherit that, and say things on it, too.
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
            yield Ears(process, answers)
    finally:
        process.stdin.close()  # the client ends what it began
        try:
            process.wait(20)
        finally:
            process.kill()
            process.stderr.close()
