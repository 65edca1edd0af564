"""Find the channel groups of an ONNX model from the graph in its file, without running it.

Operators join the numbers of channels (`pruneapp.groups.channel_numbers`): the rows of a
convolution with its bias, the following norm and the columns of the next convolution. Operators
that mix channels without a weight (a softmax, a mean over channels, a product of two values),
inputs and outputs of the graph, and all unknown operators freeze the numbers of their values:
unknown parts cost compression, never correctness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.onnx import ONNX, ModelFile, read_layout
from pruneapp.checkpoint.formats.protobuf import Splice, SplicedFile
from pruneapp.checkpoint.parser_client import infer_onnx_shapes
from pruneapp.errors import CheckpointError, UnsupportedFileError
from pruneapp.groups.channel_numbers import ChannelGraph, Numbers, group_units, whole_layers
from pruneapp.groups.onnx_operators import ChannelWalk, SizeRule
from pruneapp.installation import remedy_for
from pruneapp.progress import Job

# Default multiples for the widths of an ONNX model: a network cut to multiples of 8 took 9.6 to
# 14.5 ms in ONNX Runtime, the original 7.8 to 13.0, cut to multiples of 16 4.5 to 7.5. In groups
# with fewer channels than `WIDE`, multiples of 16 would leave nothing to cut.
MULTIPLE, WIDE, MULTIPLE_OF_NARROW = 16, 32, 8
LARGEST_KEPT = 4096  # bytes of a tensor that is kept with the graph: shapes, sizes, axes


@dataclass(frozen=True, eq=False, kw_only=True)
class OnnxGraph(ChannelGraph):
    """The graph of a model, its groups, and the nodes that must be changed when it is cut."""

    model: Any  # the `onnx.ModelProto`, without the data of large tensors
    file: ModelFile
    sizes: Sequence[SizeRule]
    depthwise: Mapping[int, Numbers]  # channels of each depthwise convolution, by node number


def read_graph(checkpoint: Checkpoint, job: Job, *, apart: bool = False) -> OnnxGraph:
    """Find the groups of an ONNX checkpoint, without reading weights.

    There may be none. With `apart`, shapes are inferred in a separate process, which takes half a
    second: some graphs crash onnx, and must not crash the application when a file is only opened.
    `job` can cancel. Raises `CheckpointError` if it is not an ONNX model, the package onnx is not
    installed, or the graph is invalid.
    """
    if checkpoint.format != ONNX.name:
        raise UnsupportedFileError(
            f"'{checkpoint.path}' is not an ONNX model, so it contains no graph.",
            remedy="Open an ONNX model.",
        )
    file = read_layout(checkpoint.files[0], job)
    try:
        with _package() as onnx:
            skeleton = _skeleton(checkpoint, file)
            model = onnx.load_model_from_string(skeleton)
            inferred = (
                _infer_shapes_in_process(skeleton, checkpoint, job)
                if apart
                else infer_shapes(model)
            )
            walk = ChannelWalk(model, inferred, file)
            representative = walk.run(job)
    except GraphError as error:
        raise CheckpointError(
            f"The graph of '{checkpoint.path}' is not as ONNX defines it.",
            remedy="Check the model with onnx.checker, and save it again.",
            details=str(error),
        ) from None
    axes = {
        name: found
        for name in walk.stored
        if name in walk.used and (found := walk.axes(name)) is not None
    }
    groups, units = group_units(axes, representative, walk.summed, _multiple)
    return OnnxGraph(
        groups=groups,
        units=units,
        representative=representative,
        whole_layers=whole_layers(walk.channels, axes, representative, walk.summed),
        model=model,
        file=file,
        sizes=walk.sizes,
        depthwise=walk.depthwise,
    )


def _multiple(count: int) -> int:
    """Return the multiple for the width of a group of `count` channels."""
    return MULTIPLE if count >= WIDE else MULTIPLE_OF_NARROW


class GraphError(ValueError):
    """A graph is invalid; the text is that of the original error."""


@contextmanager
def _package() -> Iterator[Any]:
    """Import onnx and convert its exceptions.

    Raises `CheckpointError` if it is not installed; exceptions of the body become `GraphError`.
    """
    try:
        import onnx
        import onnx.shape_inference
        from google.protobuf.message import DecodeError
    except ImportError as error:
        raise CheckpointError(
            "The groups of an ONNX model need the package onnx, which is not installed.",
            remedy=remedy_for("onnx", extra="onnx"),
            details=str(error),
        ) from None
    try:
        yield onnx
    # ValueError: unknown types. LookupError and ZeroDivisionError: nodes without required inputs,
    # or with an axis out of range.
    except (
        *(DecodeError, onnx.shape_inference.InferenceError, ValueError),
        *(LookupError, ZeroDivisionError),
    ) as error:
        raise GraphError(str(error)) from None


def infer_shapes(model: Any, *, strict: bool = False) -> Any:
    """Return a copy of a model with inferred shapes.

    Raises `GraphError` if the graph is invalid; with `strict` also if shapes contradict each other.
    """
    with _package() as onnx:
        return onnx.shape_inference.infer_shapes(model, strict_mode=strict, data_prop=True)


def _infer_shapes_in_process(skeleton: bytes, checkpoint: Checkpoint, job: Job) -> Any:
    """Return the result of `infer_shapes`, computed in another process."""
    found, why_not = infer_onnx_shapes(skeleton, str(checkpoint.path), job)
    if why_not:
        raise GraphError(why_not)
    with _package() as onnx:
        return onnx.load_model_from_string(found)


def _skeleton(checkpoint: Checkpoint, file: ModelFile) -> bytes:
    """Return the bytes of an ONNX model without the data of tensors above `LARGEST_KEPT` bytes."""
    without = [
        Splice.by_data(t.data.tag, t.data.stop, b"", (*t.inside, t.field))
        for t in file.tensors
        if t.data is not None and t.data.size > LARGEST_KEPT and not t.nested
    ]
    return b"".join(SplicedFile(checkpoint.files[0], without).pieces())
