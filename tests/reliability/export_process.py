"""A forked process for each export, so that nothing has to be imported again."""

from __future__ import annotations

import contextlib
import importlib
import mmap
import os
import pkgutil
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass

import pruneapp.checkpoint
import pruneapp.export
import pruneapp.masks
from pruneapp.errors import PruneAppError

DONE, REFUSED, CRASHED = 0, 3, 4
_SAID_BYTES = 1 << 16


def import_everything() -> None:
    """Import the modules of exports, so that faults do not hit an import."""
    for package in (pruneapp.checkpoint, pruneapp.export, pruneapp.masks):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for name in ("zstandard", "zlib", "shutil", "concurrent.futures.thread"):
        importlib.import_module(name)


@dataclass
class Child:
    """A process that waits for `go`, and then calls a function."""

    pid: int
    _go: int
    _said: mmap.mmap

    def go(self) -> None:
        os.write(self._go, b"x")
        os.close(self._go)

    def kill(self) -> None:
        """Kill the process with SIGKILL."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> tuple[int, str]:
        """Wait; return the exit code (`DONE`, `REFUSED`, `CRASHED`, or minus a signal) and a
        message.

        The message is in shared memory: writing a file could be affected by the fault as well.
        """
        _, status = os.waitpid(self.pid, 0)
        said = self._said[:].rstrip(b"\0").decode(errors="replace")
        self._said.close()
        return os.waitstatus_to_exitcode(status), said


def fork(work: Callable[[], None]) -> Child:
    """Fork a child that calls `work` after `go`."""
    said = mmap.mmap(-1, _SAID_BYTES)
    waits, go = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        os.close(waits)
        return Child(pid, go, said)
    code = CRASHED
    try:
        with contextlib.suppress(OSError):  # the injected fault may hit this call
            os.close(go)
        os.read(waits, 1)
        try:
            work()
            code = DONE
        except PruneAppError as error:
            code = REFUSED
            said.write(str(error).encode()[:_SAID_BYTES])
        except BaseException:  # noqa: BLE001 - whatever it was, it is a finding
            said.write(traceback.format_exc().encode()[-_SAID_BYTES:])
    finally:
        os._exit(code)
