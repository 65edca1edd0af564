"""Groups of channels of an ONNX model, from the graph in its file; nothing is run.

Operators join the numbers of channels (`pruneapp.groups.channel_numbers`): the rows of a
convolution with its bias, the norm behind it and the columns of the next one. What mixes channels
without a weight (a softmax, a mean over channels, a product of two values), inputs and outputs of
the graph, and every operator that is not known, freeze the numbers that they touch: what is not
known costs compression, never correctness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.onnx import ONNX, ModelFile, read_layout
from pruneapp.checkpoint.formats.protobuf import Splice, SplicedFile
from pruneapp.checkpoint.parser_client import with_shapes
from pruneapp.errors import CheckpointError, UnsupportedFileError
from pruneapp.groups.channel_numbers import ChannelGraph, Numbers, group_units, whole_layers
from pruneapp.groups.onnx_operators import ChannelWalk, SizeRule
from pruneapp.installation import remedy_for
from pruneapp.progress import Job

# Multiples that the widths of an ONNX model are rounded up to: a network cut to multiples of 8 took
# 9.6 to 14.5 ms in ONNX Runtime, its original 7.8 to 13.0, cut to multiples of 16 4.5 to 7.5. Of
# groups with fewer channels than `WIDE`, multiples of 16 would leave nothing to cut.
MULTIPLE, WIDE, MULTIPLE_OF_NARROW = 16, 32, 8
LARGEST_KEPT = 4096  # bytes of a tensor that go along with the graph: shapes, sizes, axes


@dataclass(frozen=True, eq=False, kw_only=True)
class OnnxGraph(ChannelGraph):
    """The graph of a model, its groups, and what follows them where it is cut."""

    model: Any  # the `onnx.ModelProto`, without the numbers of large tensors
    file: ModelFile
    sizes: Sequence[SizeRule]
    depthwise: Mapping[int, Numbers]  # of each such convolution its channels


def read_graph(checkpoint: Checkpoint, job: Job, *, apart: bool = False) -> OnnxGraph:
    """Find the groups of an ONNX checkpoint; reads no weights.

    `apart`: shapes are inferred in a process of its own, which takes half a second. There are
    graphs that end it, and nobody asked for groups of theirs who only opened the file.

    Raises
    ------
    CheckpointError
        If it is no ONNX model, the package onnx is not there, or the graph breaks a rule of ONNX.
    """
    if checkpoint.format != ONNX.name:
        raise UnsupportedFileError(
            f"'{checkpoint.path}' is not an ONNX model, so it holds no graph.",
            remedy="Open an ONNX model.",
        )
    file = read_layout(checkpoint.files[0], job)
    try:
        with _package() as onnx:
            skeleton = _skeleton(checkpoint, file)
            model = onnx.load_model_from_string(skeleton)
            inferred = _apart(skeleton, checkpoint, job) if apart else infer_shapes(model)
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
    """Return what the width of a group of `count` channels is rounded up to a multiple of."""
    return MULTIPLE if count >= WIDE else MULTIPLE_OF_NARROW


class GraphError(ValueError):
    """A graph breaks a rule of ONNX; the text is that of whoever found it."""


@contextmanager
def _package() -> Iterator[Any]:
    """Lend the package onnx.

    Raises `CheckpointError` if it is not installed, and turns what it raises into `GraphError`.
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
    # Of unknown types it says ValueError. The others are of nodes that lack inputs which they need,
    # or name an axis where there is none.
    except (
        *(DecodeError, onnx.shape_inference.InferenceError, ValueError),
        *(LookupError, ZeroDivisionError),
    ) as error:
        raise GraphError(str(error)) from None


def infer_shapes(model: Any, *, strict: bool = False) -> Any:
    """Return a model with the shapes that follow from its graph.

    Raises `GraphError`: if they contradict each other, when `strict`.
    """
    with _package() as onnx:
        return onnx.shape_inference.infer_shapes(model, strict_mode=strict, data_prop=True)


def _apart(skeleton: bytes, checkpoint: Checkpoint, job: Job) -> Any:
    """Return what `infer_shapes` does, from another process."""
    found, why_not = with_shapes(skeleton, str(checkpoint.path), job)
    if why_not:
        raise GraphError(why_not)
    with _package() as onnx:
        return onnx.load_model_from_string(found)


def _skeleton(checkpoint: Checkpoint, file: ModelFile) -> bytes:
    """Return an ONNX model without the numbers of its large tensors."""
    without = [
        Splice.of(t.data.tag, t.data.stop, b"", (*t.inside, t.field))
        for t in file.tensors
        if t.data is not None and t.data.size > LARGEST_KEPT and not t.nested
    ]
    return b"".join(SplicedFile(checkpoint.files[0], without).pieces())
