"""States of ONNX models for the programs that measure them: one file per state.

A session of onnxruntime cannot be changed after it was created. A state that differs from its file
is written to a folder with the layout of the source: the graph, its offsets and the external data
files keep their form, so that models of any size can be written.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.formats.protobuf import Splice, SplicedFile
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation.handover import Handover, ModelTensor
from pruneapp.export.exporter import export
from pruneapp.export.records import finalize
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Job


def is_unchanged(snapshot: Snapshot) -> bool:
    """Return whether a state has no mask, no permanent zero and no value other than its file."""
    return not (snapshot.masks or snapshot.permanent or snapshot.values)


class GraphHandover:
    """The state that a session of onnxruntime was created from.

    Parameters
    ----------
    loaded
        The state in the file of the session.
    products
        The products of weights with values of the graph, as in `ModelGraph.products`.
    """

    spoiled = False
    unmatched: tuple[str, ...] = ()

    def __init__(self, loaded: Snapshot, products: Iterable[Mapping[str, Any]]) -> None:
        self.loaded = loaded
        self.tensors = {
            name: ModelTensor(name, entry.shape, entry.dtype.torch, name, True, "", 0)
            for name in dict.fromkeys(product["weight"] for product in products)
            if (entry := loaded.checkpoint.entries.get(name)) is not None
        }

    def counterpart(self, name: str) -> tuple[ModelTensor, bool] | None:
        """Return the weight of the graph that a tensor of the checkpoint is; never transposed."""
        tensor = self.tensors.get(name)
        return None if tensor is None else (tensor, False)

    def can_transfer(self, snapshot: Snapshot, _job: Job) -> bool:
        """Return whether the session computes with this state already."""
        return snapshot.checkpoint is self.loaded.checkpoint and is_unchanged(snapshot)

    def record_digests(self, _held: Iterable[tuple[str, str, int]]) -> list[ModelTensor]:
        """Return no tensor: the weights of a session cannot change."""
        return []

    def verify(self, _held: Iterable[tuple[str, str, int]]) -> None:
        """Return at once: the worker compared the path of the session when it was made."""


# What the process of a script loaded: a model of torch, or a session of onnxruntime.
AnyHandover = Handover | GraphHandover


def write_graph(snapshot: Snapshot, folder: Path, job: Job) -> Path:
    """Write a state of an ONNX model into a folder, with its external data, and return its path.

    The graph keeps the name of the source, with the suffix ``.onnx``. Files that do not change are
    copied: onnx and onnxruntime refuse external data in links. If a changed tensor is stored in a
    way that cannot be rewritten in place, the model is exported as one file; that raises
    `ExportError` if it is too large. Raises `FileChangedError` if a file changed since it was
    opened.
    """
    checkpoint = snapshot.checkpoint
    checkpoint.verify_unchanged()
    files = {n: s for n, s in enumerate(checkpoint.sources) if isinstance(s, FileSource)}
    model = checkpoint.files[0]
    target = folder / Path(model.path.name).with_suffix(".onnx")
    changed = [e for e in checkpoint.entries.values() if _is_changed(snapshot, e)]
    if any(e.location.source not in files or e.location.strides for e in changed):
        return export(snapshot, ExportRequest("onnx", target), job).path
    splices: dict[int, list[Splice]] = defaultdict(list)
    for entry in changed:
        start, pieces = entry.location.offset, finalize(snapshot, entry).pieces
        splices[entry.location.source].append(
            Splice(start, start + entry.nbytes, entry.nbytes, pieces)
        )
    parts = job.parts(len(files))
    for (number, source), part in zip(files.items(), parts, strict=True):
        path = target
        if source.path != model.path:
            path = folder / os.path.relpath(source.path, model.path.parent)
            path.parent.mkdir(parents=True, exist_ok=True)
        _write(SplicedFile(source, splices[number]), path, part)
    return target


def _is_changed(snapshot: Snapshot, entry: TensorEntry) -> bool:
    zeroed = snapshot.export_mask(entry.name)
    return (zeroed is not None and zeroed.pruned > 0) or snapshot.replaces(entry.name)


def _write(spliced: SplicedFile, path: Path, job: Job) -> None:
    job.start(spliced.nbytes, f"writing {path.name}")
    with path.open("wb") as file:
        for piece in spliced.pieces():
            file.write(piece)
            job.step(len(piece))
