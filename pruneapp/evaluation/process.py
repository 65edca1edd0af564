"""A process in a group of its own, whose prints are kept, and which never outlives its owner."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from pruneapp.errors import PruneAppError, words_of

# Of what a process prints the last lines are kept, and of these as many characters at most.
LOG_LINES = 200
_LOG_LETTERS = 2000
# Exit status of a worker whose pipe the script closed; see resources/pruneapp_worker/pipe.py.
PIPE_CLOSED = 74
# Seconds that the rest of what it printed may take to arrive after its end.
_PATIENCE = 2.0


class EvaluationError(PruneAppError):
    """A script, its model or its process did not do what was asked of it."""


class ChildProcess:
    """A process with its own group, ended with everything that it started.

    Parameters
    ----------
    command
        The program and its arguments.
    cwd
        The folder it runs in.
    environment
        What is added to the environment of this process.
    talks
        Whether standard input and output are pipes to us; else it has no input, and what it prints
        on either goes to the log.
    """

    def __init__(
        self, command: Sequence[str], cwd: Path, environment: Mapping[str, str], *, talks: bool
    ) -> None:
        windows = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        windows |= getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - what the person chose to run
                list(command),
                cwd=cwd,
                env={**os.environ, **environment},
                stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if talks else subprocess.STDOUT,
                start_new_session=os.name == "posix",
                creationflags=windows,
            )
        except OSError as error:
            raise EvaluationError(
                f"'{command[0]}' cannot be started: {words_of(error)}.",
                remedy="Choose another program.",
            ) from None
        printed = self._process.stderr if talks else self._process.stdout
        assert printed is not None
        self._lines: deque[str] = deque(maxlen=LOG_LINES)
        self._ended = self._killed = False
        self._reader = threading.Thread(
            target=self._read, args=(printed,), name="pruneapp-log", daemon=True
        )
        self._reader.start()

    def _read(self, printed: IO[bytes]) -> None:
        rest = b""
        with contextlib.suppress(OSError, ValueError):
            while data := os.read(printed.fileno(), 1 << 16):
                *lines, rest = (rest + data).split(b"\n")
                self._lines.extend(map(_text, lines[-LOG_LINES:]))
                rest = rest[-_LOG_LETTERS:]
        if rest:
            self._lines.append(_text(rest))
        with contextlib.suppress(OSError):
            printed.close()

    @property
    def log(self) -> str:
        """The last lines that it printed."""
        return "\n".join(tuple(self._lines))

    @property
    def input(self) -> IO[bytes]:
        """Where we write to it."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def output(self) -> IO[bytes]:
        """Where we read from it."""
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether it has not ended; looks without taking the number of the process from it."""
        if self._process.returncode is not None:
            return False
        if not hasattr(os, "waitid"):
            return self._process.poll() is None
        with contextlib.suppress(ChildProcessError):
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self._process.pid, flags) is None
        return False

    def interrupt(self) -> None:
        """Do what Ctrl+C does."""
        if self.runs:
            with contextlib.suppress(OSError):
                self._process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))

    def end(self, grace: float = 0.0) -> int:
        """End it and all that it started; waits `grace` seconds for it to end by itself.

        Returns its status; negative for a signal.
        """
        until = time.monotonic() + grace
        while self.runs and time.monotonic() < until:
            time.sleep(0.01)  # waiting on its number would take the number from `runs`
        if not self._ended:
            self._ended, self._killed = True, self.runs
            # Its number is its own, and that of the group, until it was waited for.
            with contextlib.suppress(OSError):
                if hasattr(os, "killpg"):
                    os.killpg(self._process.pid, signal.SIGKILL)
                elif self._killed:
                    _kill_tree(self._process.pid)
        status = self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None and stream is not self._printed_to_log:
                    stream.close()
        self._reader.join(_PATIENCE)
        return status

    @property
    def _printed_to_log(self) -> IO[bytes] | None:
        return self._process.stdout if self._process.stderr is None else None

    def last_words(self, status: int) -> tuple[str, str]:
        """Return how it ended by itself, as the middle of a sentence, and what may help."""
        if self._killed:
            return "was ended", ""
        number = -status if status < 0 else status - 128 if status > 128 else 0
        if number == signal.SIGSEGV or status & 0xFFFFFFFF == 0xC0000005:
            return (
                "crashed with a segmentation fault",
                "Some compiled code that it uses is defective; the log shows where it crashed.",
            )
        if number == getattr(signal, "SIGKILL", 9):
            return (
                "was killed by the system, most likely because the memory was full",
                "Use fewer samples, smaller batches, or a larger machine.",
            )
        if number:
            try:
                name = signal.Signals(number).name
            except ValueError:
                name = str(number)
            return f"was ended by the signal {name}", "The log shows where it ended."
        if status == PIPE_CLOSED:
            return (
                "ended because the script closed the pipe through which it answers",
                "Close only those files that the script opened.",
            )
        return f"ended by itself with exit status {status}", "A script must not end the process."


def _text(line: bytes) -> str:
    return line[-_LOG_LETTERS:].decode("utf-8", "replace").rpartition("\r")[2].rstrip()


def _kill_tree(pid: int) -> None:
    """End a process of Windows and its children."""
    if sys.platform == "win32":
        subprocess.run(  # noqa: S603 - our own arguments
            ["taskkill", "/F", "/T", "/PID", str(pid)],  # noqa: S607 - part of the system
            check=False,
            capture_output=True,
        )
