"""A child process in its own process group, with captured output, ended with its owner."""

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

# Number of lines of output that are kept, and characters per line.
LOG_LINES = 200
_LOG_LETTERS = 2000
# Exit status of a worker whose pipe the script closed; see resources/pruneapp_worker/pipe.py.
PIPE_CLOSED = 74
# Seconds to wait for remaining output after the process ended.
_PATIENCE = 2.0


class EvaluationError(PruneAppError):
    """An evaluation failed: its script, its model, or its process."""


class ChildProcess:
    """A process with its own group, killed together with all of its descendants.

    Parameters
    ----------
    command
        The program and its arguments.
    cwd
        The working directory.
    environment
        Variables added to the environment of this process.
    talks
        Whether standard input and output are pipes to this process; otherwise there is no input,
        and all output is added to the log.
    """

    def __init__(
        self, command: Sequence[str], cwd: Path, environment: Mapping[str, str], *, talks: bool
    ) -> None:
        windows = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        windows |= getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - chosen by the user
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
        """Append lines of output to the log until the pipe is closed; runs in a thread."""
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
        """The last lines of output."""
        return "\n".join(tuple(self._lines))

    @property
    def input(self) -> IO[bytes]:
        """The pipe to its standard input."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def output(self) -> IO[bytes]:
        """The pipe from its standard output."""
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether it is still running.

        Does not reap it, so that its id stays valid (except on Windows).
        """
        if self._process.returncode is not None:
            return False
        if not hasattr(os, "waitid"):
            return self._process.poll() is None
        with contextlib.suppress(ChildProcessError):
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self._process.pid, flags) is None
        return False

    def interrupt(self) -> None:
        """Send the signal of Ctrl+C."""
        if self.runs:
            with contextlib.suppress(OSError):
                self._process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))

    def end(self, grace: float = 0.0) -> int:
        """Kill it and its descendants, unless it ends within `grace` seconds.

        Returns its exit status; negative for a signal. Descendants are killed also if it has ended.
        A second call kills nothing and returns the same status. The pipes are closed; the log
        remains.
        """
        until = time.monotonic() + grace
        while self.runs and time.monotonic() < until:
            time.sleep(0.01)  # `wait` would reap it, and `runs` needs its id
        if not self._ended:
            self._ended, self._killed = True, self.runs
            # Until it is reaped, its id, and that of its group, cannot be reused.
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
        """Return how it ended, as the middle of a sentence, and a remedy.

        `status` is the result of `end`. The remedy is "" if `end` killed it.
        """
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
        return f"ended with exit status {status}", "A script must not end the process."


def _text(line: bytes) -> str:
    return line[-_LOG_LETTERS:].decode("utf-8", "replace").rpartition("\r")[2].rstrip()


def _kill_tree(pid: int) -> None:
    """Kill a process and its children on Windows, and wait for that; errors are ignored.

    Does nothing on other systems.
    """
    if sys.platform == "win32":
        subprocess.run(  # noqa: S603 - fixed arguments
            ["taskkill", "/F", "/T", "/PID", str(pid)],  # noqa: S607 - part of the system
            check=False,
            capture_output=True,
        )
