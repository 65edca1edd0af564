"""Groups of channels of an ONNX model, from the graph in its file; nothing is run.

Operators join the numbers of channels (`pruneapp.groups.channel_numbers`): the rows of a
convolution with its bias, the norm behind it and the columns of the next one. What mixes channels
without a weight (a softmax, a mean over channels, a product of two values), inputs and outputs of
the graph, and every operator that is not known, freeze the numbers that they touch: what is not
known costs compression, never correctness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.onnx import ONNX, ModelFile, read_layout
from pruneapp.checkpoint.formats.protobuf import Splice, spliced, spliced_pieces
from pruneapp.errors import CheckpointError, UnsupportedFileError
from pruneapp.groups.channel_numbers import Axes, ChannelGraph, Numbers, group_units
from pruneapp.groups.onnx_operators import ChannelWalk, SizeRule
from pruneapp.progress import Job

_LARGEST_KEPT = 4096  # bytes of a tensor that go along with the graph: shapes, sizes, axes


@dataclass(frozen=True, eq=False, kw_only=True)
class OnnxGraph(ChannelGraph):
    """The graph of a model, its groups, and what follows them where it is cut."""

    model: Any  # the `onnx.ModelProto`, without the numbers of large tensors
    file: ModelFile
    axes: Mapping[str, Axes]  # of the tensors that are stored
    sizes: Sequence[SizeRule]
    depthwise: Mapping[int, Numbers]  # of each such convolution its channels


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
    groups, units = group_units(axes, representative, walk.summed)
    return OnnxGraph(
        groups=groups,
        units=units,
        representative=representative,
        model=model,
        file=file,
        axes=axes,
        sizes=walk.sizes,
        depthwise=walk.depthwise,
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
