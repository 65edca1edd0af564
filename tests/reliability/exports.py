"""Exports that are killed, or whose system calls fail, to all kinds of targets."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io import atomic_file
from pruneapp.checkpoint.io.files import find_abandoned
from pruneapp.document.snapshot import Snapshot
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Job
from tests.benchmarks.synthetic_files import values, write_safetensors
from tests.reliability import export_process
from tests.reliability.tally import Tally

OLD = b"an export of yesterday"
INDEX = "model.safetensors.index.json"
# Suffixes of temporary files next to a target.
_TEMPORARY = (".part", ".old")

# Weights of the exported model: few for faults, where every system call is failed in turn; more for
# kills, which need time.
FAULT_WEIGHTS = 1 << 17
KILL_WEIGHTS = 1 << 21
# System calls, and the errors that each is made to fail with.
ERRORS = {
    "openat": ("EACCES", "ENOSPC", "EMFILE"),
    **dict.fromkeys(("write", "fallocate", "ftruncate", "fdatasync", "fsync"), ("ENOSPC", "EIO")),
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

Contents = Mapping[str, str]


@dataclass(frozen=True)
class Scene:
    """A source and a target of an export.

    Attributes
    ----------
    name
        A description for the table.
    source, target
        File or folder, relative to the folder of a run.
    old
        Whether an older export exists at the target.
    """

    name: str
    source: str
    target: str
    old: bool = False


def scenes(form: str, layout: Path) -> list[Scene]:
    """Return the scenes that a format can write to."""
    suffixes = FORMATS[form].suffixes
    file = f"out{suffixes[0]}"
    found = [
        Scene("a new file", "model.safetensors", file),
        Scene("an old export", "model.safetensors", file, old=True),
    ]
    if ".safetensors" in suffixes:
        found.append(Scene("the opened file", "model.safetensors", "model.safetensors"))
        found.append(Scene("the opened folder", "sharded", "sharded"))
        found.append(Scene("an older folder", "sharded", "out", old=True))
    found.append(Scene("a new folder", "sharded", "out"))
    return [s for s in found if not FORMATS[form].why_not(open_checkpoint(layout / s.source))]


def lay_out(folder: Path, weights: int) -> None:
    """Write a checkpoint of about `weights` weights, as one file and in shards."""
    rows = max(weights // 4096, 2)
    shapes = {"a.weight": (rows, 2048), "b.weight": (rows, 2048), "b.bias": (2048,)}
    write_safetensors(folder / "model.safetensors", shapes, "F32", lambda n: values(n, shapes[n]))
    sharded = folder / "sharded"
    sharded.mkdir()
    where = {}
    for number, names in enumerate((["a.weight"], ["b.weight", "b.bias"]), 1):
        file = f"model-{number:05}-of-00002.safetensors"
        own = {name: shapes[name] for name in names}
        write_safetensors(sharded / file, own, "F32", lambda n: values(n, shapes[n]))
        where |= dict.fromkeys(names, file)
    (sharded / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": where}))
    (sharded / "config.json").write_text('{"model_type": "x"}')


def place(scene: Scene, layout: Path, folder: Path) -> None:
    """Copy the files of a scene into a new folder."""
    folder.mkdir()
    if (layout / scene.source).is_dir():
        shutil.copytree(layout / scene.source, folder / scene.source)
    else:
        shutil.copy(layout / scene.source, folder / scene.source)
    if scene.old and (layout / scene.source).is_dir():
        shutil.copytree(layout / scene.source, folder / scene.target)
    elif scene.old:
        (folder / scene.target).write_bytes(OLD)


def run(scene: Scene, form: str, folder: Path) -> None:
    """Prune half of the weights, and export."""
    checkpoint = open_checkpoint(folder / scene.source)
    masks = {}
    for name in ("a.weight", "b.weight"):
        size = checkpoint.entry(name).numel
        masks[name] = BitMask.from_bools(np.arange(size) % 2 == 0)
    state = Snapshot(checkpoint, MaskLayers(MaskSet(masks)))
    export(state, ExportRequest(form, folder / scene.target), Job())
    checkpoint.close()


def contents(folder: Path) -> Contents:
    """Return the SHA-256 of every file in a folder, by relative path."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def is_temporary(name: str) -> bool:
    """Whether only unfinished exports have files with such a name."""
    return name.endswith(_TEMPORARY) or ".partial-" in name


def judge(now: Contents, before: Contents, after: Contents) -> str:
    """Return ``old`` or ``new`` according to the files of a run, or a description of the error.

    Parameters
    ----------
    now
        The files after the run.
    before, after
        The files before the run, and after a run without a fault.
    """
    whole = {name: digest for name, digest in now.items() if not is_temporary(name)}
    if whole == after:
        return "new"
    # Harmless: a second link to the original, made before the new file is renamed; and the reader
    # script, which is written before the file that it reads.
    kept = {n for n in whole if ".orig" in n and whole[n] in before.values()}
    reader = {n for n, d in whole.items() if n.endswith(".py") and after.get(n) == d}
    harmless = kept | (reader - before.keys())
    if {n: d for n, d in whole.items() if n not in harmless} == before:
        return "old"
    # Several files are renamed one after another; each must be complete.
    possible = set(before.values()) | set(after.values())
    if len(after) > len(before) or set(whole.values()) <= possible:
        missing = [n for n in before if n not in whole and before[n] not in whole.values()]
        strange = [n for n, d in whole.items() if d not in possible]
        if not missing and not strange:
            return "some new"
    return f"broken: {sorted(whole)}"


@dataclass(frozen=True)
class Target:
    """A scene for a format, with the files that an export without a fault leaves."""

    form: str
    layout: Path
    scene: Scene
    after: Contents = field(default_factory=dict)

    @contextmanager
    def prepared(self) -> Iterator[tuple[Path, Contents, export_process.Child]]:
        """Yield a folder with the files of the scene, these, and a process that waits."""
        with tempfile.TemporaryDirectory(prefix="pruneapp-reliability-") as name:
            folder = Path(name) / "run"
            place(self.scene, self.layout, folder)
            child = export_process.fork(partial(run, self.scene, self.form, folder))
            yield folder, contents(folder), child

    def undisturbed(self) -> tuple[float, Contents]:
        """Return the seconds of an export, and the files that it leaves."""
        with self.prepared() as (folder, _, child):
            began = time.perf_counter()
            child.go()
            code, message = child.wait()
            seconds = time.perf_counter() - began
            if code:
                raise RuntimeError(f"{self.form}, {self.scene.name}: {message}")
            return seconds, contents(folder)


def targets(formats: Sequence[str], weights: int) -> Iterator[Target]:
    """Yield every format with every scene that it can write to."""
    with tempfile.TemporaryDirectory(prefix="pruneapp-reliability-") as name:
        layout = Path(name)
        lay_out(layout, weights)
        for form in formats:
            for scene in scenes(form, layout):
                target = Target(form, layout, scene)
                yield replace(target, after=target.undisturbed()[1])


# -- kills -------------------------------------------------------------------------------------


def kill_everywhere(formats: Sequence[str], weights: int, times: int) -> dict[str, Tally]:
    """Kill exports `times` times each, at moments spread over their duration and a little beyond.

    Returns the outcomes by format and scene.
    """
    tallies = {}
    for target in targets(formats, weights):
        tally = tallies[f"{target.form} | {target.scene.name}"] = Tally()
        seconds = sorted(target.undisturbed()[0] for _ in range(min(times, 5)))
        rng = random.Random(f"{target.form} {target.scene.name}")
        for number in range(times):
            moment = (number + rng.random()) / times * seconds[len(seconds) // 2] * 1.1
            _kill(target, number, moment, tally)
    return tallies


def _kill(target: Target, number: int, moment: float, tally: Tally) -> None:
    with target.prepared() as (folder, before, child):
        child.go()
        time.sleep(moment)  # a random delay is intended: the kill is at any moment
        child.kill()
        child.wait()
        now = contents(folder)
        found = judge(now, before, target.after)
        left = [name for name in now if is_temporary(name)]
        tally.runs += 1
        tally.ends[found] += 1
        tally.ends["leftovers"] += bool(left)
        # Files of a folder are renamed one after another; each must be complete.
        several = (target.layout / target.scene.source).is_dir()
        allowed = {"old", "new", "some new"} if several else {"old", "new"}
        if found not in allowed or _not_offered(folder):
            what = f"{target.form}, {target.scene.name}, kill {number}"
            tally.wrong.append(f"{what}: {found}, left {left}")


def _not_offered(folder: Path) -> list[Path]:
    """Return the temporary files whose deletion would not be offered at the next start."""
    homes = [folder, *(p for p in folder.rglob("*") if p.is_dir())]
    offered = {path for home in homes for path in find_abandoned(home)}
    left = [p for p in folder.rglob("*") if is_temporary(p.name)]
    return [p for p in left if offered.isdisjoint({p, *p.parents})]


# -- failing system calls ----------------------------------------------------------------------


def inject_everywhere(formats: Sequence[str], calls: Sequence[str]) -> dict[str, Tally]:
    """Fail every system call that writes at its first, second, ... invocation.

    Returns the outcomes by system call.
    """
    # Small buffers cause many calls, each of which can fail.
    atomic_file.WINDOW_BYTES, atomic_file.PIECE_BYTES = 1 << 18, 1 << 16
    tallies = {call: Tally() for call in calls}
    for target in targets(formats, FAULT_WEIGHTS):
        for call, tally in tallies.items():
            for error in ERRORS.get(call, ("ENOSPC",)):
                for index in range(1, _MOST):
                    if not _fail(target, call, error, index, tally):
                        break
    return tallies


def _fail(target: Target, call: str, error: str, index: int, tally: Tally) -> bool:
    """Run once with one fault; return whether the call was reached."""
    name = call.partition(",")[0]
    faults = [f"{name}:error={error}:when={index}"]
    if call == CLEANING_FAILS:
        faults.append("unlink:error=EIO")
    with target.prepared() as (folder, before, child):
        log = folder.with_name("strace")
        code, message = traced(child, faults, log)
        if not re.search(rf"\b{name}\b.*INJECTED", log.read_text()):
            return False
        now = contents(folder)
    found = judge(now, before, target.after)
    left = [n for n in now if is_temporary(n)]
    tally.runs += 1
    tally.ends["leftovers"] += bool(left)
    tally.ends["old file, a sentence"] += (code, found) == (export_process.REFUSED, "old")
    tally.ends["new file"] += (code, found) == (export_process.DONE, "new")
    expected = {export_process.DONE: "new", export_process.REFUSED: "old"}.get(code)
    may_leave = "unlink" in call  # deleting it failed
    sentence = code == export_process.DONE or (message.strip() and "Traceback" not in message)
    if found != expected or (left and not may_leave) or not sentence:
        what = f"{target.form}, {target.scene.name}, {call} {error} {index}"
        tally.wrong.append(f"{what}: status {code}, {found}, left {left}: {message[-1500:]}")
    return True


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


def can_inject() -> bool:
    """Return whether strace is installed."""
    return shutil.which("strace") is not None
