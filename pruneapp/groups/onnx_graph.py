"""Groups of channels of an ONNX model, from the graph in its file; nothing is run.

Every channel of every axis of every value has a number. Operators join numbers: the rows of a
convolution with its bias, the norm behind it and the columns of the next one. What mixes channels
without a weight (a softmax, a mean over channels, a product of two values), inputs and outputs of
the graph, and every operator that is not known, freeze the numbers that they touch: what is not
known costs compression, never correctness. Numbers that were joined and are not frozen are a unit;
units with entries in the same places of the same tensors are a group.

A unit may be cut where all that reads it is zero: the entries of its members whose role is
``output``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.onnx import ONNX, ModelFile, read_layout
from pruneapp.checkpoint.formats.protobuf import Splice, spliced, spliced_pieces
from pruneapp.errors import CheckpointError, UnsupportedFileError
from pruneapp.groups.channel_numbers import FROZEN, Axes, Numbers
from pruneapp.groups.group import Group, Member, Scattered
from pruneapp.groups.onnx_operators import ChannelWalk, SizeRule
from pruneapp.progress import Job

_LARGEST_KEPT = 4096  # bytes of a tensor that go along with the graph: shapes, sizes, axes


@dataclass(frozen=True)
class OnnxGraph:
    """The groups of a model, and what follows them where it is cut."""

    model: Any  # the `onnx.ModelProto`, without the numbers of large tensors
    file: ModelFile
    groups: tuple[Group, ...]
    units: tuple[Numbers, ...]  # of each group the representative of each unit
    representative: Numbers  # of each number
    axes: Mapping[str, Axes]  # of the tensors that are stored
    sizes: tuple[SizeRule, ...]
    depthwise: Mapping[int, Numbers]  # of each such convolution its channels

    def kept(self, kept: Mapping[int, Sequence[int] | NDArray[np.int64]]) -> NDArray[np.bool_]:
        """Return which numbers stay, given the units that stay of some groups."""
        stays = np.ones(self.representative.size, np.bool_)
        for number, units in kept.items():
            stays[self.units[number]] = False
            stays[self.units[number][np.asarray(units, np.int64)]] = True
        stays[self.representative[FROZEN]] = True
        return stays[self.representative]


def read_graph(checkpoint: Checkpoint, job: Job) -> OnnxGraph:
    """Find the groups of an ONNX checkpoint; reads no weights.

    Raises
    ------
    CheckpointError
        If it is no ONNX model, the package onnx is not there, or it refuses the graph.
    """
    if checkpoint.format != ONNX.name:
        raise UnsupportedFileError(
            f"'{checkpoint.path}' is no ONNX model, so it holds no graph.",
            remedy="Open an ONNX model.",
        )
    onnx = _library()
    file = read_layout(checkpoint.files[0], job)
    data = skeleton(checkpoint, file)
    try:
        model = onnx.load_model_from_string(data)
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    except Exception as error:  # noqa: BLE001 - its own, and those of protobuf
        raise CheckpointError(
            f"The package onnx refuses the graph of '{checkpoint.path}'.",
            remedy="Check the model with onnx.checker, and save it again.",
            details=str(error),
        ) from None
    job.cancel.check()
    walk = ChannelWalk(model, inferred, file)
    for number, node in enumerate(model.graph.node):
        job.cancel.check()
        walk.visit(number, node)
    representative = walk.settle(job)
    axes = {
        name: found
        for name in walk.stored
        if name in walk.used and (found := walk.axes(name)) is not None
    }
    groups, units = _groups(axes, representative, walk.outputs)
    return OnnxGraph(
        model, file, groups, units, representative, axes, tuple(walk.sizes), walk.depthwise
    )


def _library() -> Any:
    try:
        import onnx
        import onnx.shape_inference
    except ImportError as error:
        raise CheckpointError(
            "The groups of an ONNX model need the package onnx, which is not installed.",
            remedy="Install it: pip install pruneapp[onnx].",
            details=str(error),
        ) from None
    return onnx


def skeleton(checkpoint: Checkpoint, file: ModelFile) -> bytes:
    """Return an ONNX model without the numbers of its large tensors."""
    source = checkpoint.files[0]
    without = [
        Splice.of(t.data.tag, t.data.stop, b"", (*t.inside, t.field))
        for t in file.tensors
        if t.data is not None and t.data.size > _LARGEST_KEPT and not t.nested
    ]
    return b"".join(spliced_pieces(source, spliced(without)))


def _groups(
    axes: Mapping[str, Axes], representative: Numbers, outputs: set[tuple[str, int]]
) -> tuple[tuple[Group, ...], tuple[Numbers, ...]]:
    """Put units with as many entries in the same axes of the same tensors together."""
    slots = [
        (name, dim, representative[axis])
        for name, each in axes.items()
        for dim, axis in enumerate(each)
        if axis is not None and axis.size > 1
    ]
    frozen = representative[FROZEN]
    places: dict[int, list[tuple[int, int]]] = {}
    for slot, (_, _, entries) in enumerate(slots):
        found, first, counts = np.unique(entries, return_index=True, return_counts=True)
        for at in np.argsort(first).tolist():
            if found[at] != frozen:
                places.setdefault(int(found[at]), []).append((slot, int(counts[at])))
    classes: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for unit, found_in in places.items():
        classes.setdefault(tuple(found_in), []).append(unit)
    groups: list[Group] = []
    representatives: list[Numbers] = []
    number = np.full(representative.size, -1, np.int32)
    for where, units in classes.items():
        # What nobody sums over ends nowhere, and there is nothing to say that it may go.
        if len(units) < 2 or not any(slots[slot][:2] in outputs for slot, _ in where):
            continue
        number[units] = np.arange(len(units), dtype=np.int32)
        members = tuple(
            Member(
                slots[slot][0],
                slots[slot][1],
                Scattered(number[slots[slot][2]]),
                "output" if slots[slot][:2] in outputs else "along",
            )
            for slot, _ in where
        )
        number[units] = -1
        place = members[0].stem or members[0].name
        groups.append(Group("channels", place, len(units), members))
        representatives.append(np.array(units, np.int32))
    return tuple(groups), tuple(representatives)
