"""Fail every system call that writes, at every index, with ``strace -e inject``."""

from __future__ import annotations

import collections
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.reliability import export_process, export_targets
from tests.reliability.export_targets import Contents, Scene

# System calls, and the errors that each is made to fail with.
ERRORS = {
    "openat": ("EACCES", "ENOSPC", "EMFILE"),
    "write": ("ENOSPC", "EIO"),
    "fallocate": ("ENOSPC", "EIO"),
    "ftruncate": ("ENOSPC", "EIO"),
    "fdatasync": ("ENOSPC", "EIO"),
    "fsync": ("ENOSPC", "EIO"),
    "fchmod": ("EPERM",),
    "flock": ("ENOLCK",),
    "close": ("EIO",),
    "link": ("EPERM", "ENOSPC"),
    "unlink": ("EACCES", "EIO"),
    "mkdir": ("EACCES", "ENOSPC"),
    "rename": ("EACCES", "EIO", "ENOSPC"),
}
# The disk is full, and then files cannot be deleted either.
CLEANING_FAILS = "write, then every unlink"
CALLS = (*ERRORS, CLEANING_FAILS)
_MOST = 200


@dataclass
class Tally:
    """The outcomes of runs with faults in one system call."""

    runs: int = 0
    ends: collections.Counter[str] = field(default_factory=collections.Counter)
    wrong: list[str] = field(default_factory=list)


def inject(
    form: str, layout: Path, scene: Scene, after: Contents, calls: Sequence[str]
) -> Iterator[tuple[str, Tally]]:
    """Yield the outcomes for each system call, failing at its first, second, ... invocation."""
    for call in calls:
        tally = Tally()
        for error in ERRORS.get(call, ("ENOSPC",)):
            for index in range(1, _MOST):
                if not _once(form, layout, scene, after, call, error, index, tally):
                    break
        yield call, tally


def _once(
    form: str,
    layout: Path,
    scene: Scene,
    after: Contents,
    call: str,
    error: str,
    index: int,
    tally: Tally,
) -> bool:
    """Run once with one fault; return whether the call was reached."""
    cleaning_fails = call == CLEANING_FAILS
    what = f"{form}, {scene.name}, {call} {error} {index}"
    call = "write" if cleaning_fails else call
    with tempfile.TemporaryDirectory(prefix="pruneapp-faults-") as name:
        home = Path(name)
        folder = home / "run"
        export_targets.place(scene, layout, folder)
        before = export_targets.contents(folder)
        child = export_process.fork(partial(export_targets.run, scene, form, folder))
        log = home / "strace"
        inject = [f"{call}:error={error}:when={index}"]
        if cleaning_fails:
            inject.append("unlink:error=EIO")
        code, said = traced(child, inject, log)
        met = bool(re.search(rf"\b{call}\b.*INJECTED", log.read_text()))
        now = export_targets.contents(folder)
        tally.runs += met
        if met:
            _judge(tally, what, (code, said), (now, before, after))
    return met


def _judge(
    tally: Tally, what: str, end: tuple[int, str], files: tuple[Contents, Contents, Contents]
) -> None:
    code, said = end
    now = files[0]
    found = export_targets.judge(*files)
    left = [n for n in now if export_targets.is_temporary(n)]
    ended = {export_process.DONE: "done", export_process.REFUSED: "refused"}.get(code, "crashed")
    tally.ends[f"{ended}, {found}" + (", leftovers" if left else "")] += 1
    expected = {"done": "new", "refused": "old"}.get(ended)
    may_leave = "unlink" in what  # deleting it failed
    sentence = ended != "refused" or (said.strip() and "Traceback" not in said)
    if found != expected or (left and not may_leave) or not sentence:
        tally.wrong.append(f"{what}: {ended}, {found}, left {left}: {said[-1500:]}")


def traced(child: export_process.Child, inject: Sequence[str], log: Path) -> tuple[int, str]:
    """Release a child and wait for it, with faults as arguments of ``strace -e inject=``."""
    calls = ",".join(each.partition(":")[0] for each in inject)
    command = ["strace", "-f", "-p", str(child.pid), "-o", str(log), "-e", f"trace={calls}"]
    for each in inject:
        command += ["-e", f"inject={each}"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
        assert tracer.stderr is not None
        if "attached" not in tracer.stderr.readline():
            child.kill()
            raise RuntimeError("strace may not be used here")
        child.go()
        end = child.wait()
        tracer.wait()
    return end


def usable() -> bool:
    """Return whether strace is installed."""
    return shutil.which("strace") is not None
