"""Targets of exports: a new file, an old export, the source; the same with folders."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.format import Format
from pruneapp.export.report import ExportRequest
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Job
from tests.benchmarks.synthetic_files import values, write_safetensors

OLD = b"an export of yesterday"
INDEX = "model.safetensors.index.json"
# Suffixes of temporary files next to a target.
_TEMPORARY = (".part", ".old")

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

    @property
    def onto_source(self) -> bool:
        """Whether the export replaces its source."""
        return self.source == self.target


def scenes(form: Format, checkpoint: Callable[[str], Checkpoint]) -> list[Scene]:
    """Return the scenes that a format can write to."""
    file = f"out{form.suffixes[0]}"
    found = [
        Scene("a new file", "model.safetensors", file),
        Scene("an old export", "model.safetensors", file, old=True),
    ]
    if ".safetensors" in form.suffixes:
        found.append(Scene("the opened file", "model.safetensors", "model.safetensors"))
        found.append(Scene("the opened folder", "sharded", "sharded"))
        found.append(Scene("an older folder", "sharded", "out", old=True))
    found.append(Scene("a new folder", "sharded", "out"))
    return [scene for scene in found if not form.why_not(checkpoint(scene.source))]


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
    assert form in FORMATS
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
            return "mixed"
    return f"broken: {sorted(whole)}"
