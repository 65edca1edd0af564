"""Export a cut ONNX model: smaller weights, and the changed sizes in its graph.

Only shapes, sizes of splits and reshapes, and the groups of depthwise convolutions change in the
graph. Tensor data is copied in pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.formats.headers import show
from pruneapp.checkpoint.formats.onnx import BRANCH, GRAPH, INITIALIZER, RAW, TYPES
from pruneapp.checkpoint.formats.protobuf import prefix
from pruneapp.errors import ExportError
from pruneapp.export.format import Plan
from pruneapp.export.formats.onnx import MOST_BYTES, data_plan
from pruneapp.export.records import Pieces, finalize
from pruneapp.groups.onnx_graph import LARGEST_KEPT, GraphError, OnnxGraph, infer_shapes
from pruneapp.progress import Job
from pruneapp.shrink.cut import Cut
from pruneapp.shrink.shrunk_state import ShrunkState

_SMALL = 1024  # Bytes up to which a tensor is never stored externally, as in the package onnx.
# From this IR version on, an initializer need not be an input of the graph.
_FREE_INITIALIZERS = 4
_TYPE_NUMBERS = {name: number for number, name in TYPES.items()}
_NUMBERS = (
    *("raw_data", "float_data", "double_data", "int32_data", "int64_data", "uint64_data"),
    *("external_data", "data_location"),
)


@dataclass(frozen=True)
class _NewTensor:
    """An initializer of the new model."""

    proto: Any  # the TensorProto without its data
    nbytes: int  # size of the data
    pieces: Pieces


def plan_onnx(
    shrunk: ShrunkState, graph: OnnxGraph, cut: Cut, name: str, job: Job
) -> dict[str, Plan]:
    """Plan the new model file, and a ``NAME.data`` file for its data if it exceeds 2 GiB.

    External data of the source is moved into the model file. The graph is not changed, but copied.

    Returns
    -------
    dict
        Plans by file name, the model first.

    Raises
    ------
    ExportError
        If external data of the source cannot be read, or the shapes of the new graph are
        inconsistent although those of the source are not.
    """
    for stored in (*graph.file.tensors, *graph.file.hidden):
        if stored.external and (stored.unreadable or stored.nested):
            what = stored.unreadable or BRANCH
            raise ExportError(
                f"'{show(stored.name)}' is in a file next to the model, and cannot be "
                f"rewritten: {what}.",
                remedy="Save the model with this tensor inside it.",
            )
    model = graph.model.__class__()
    model.CopyFrom(graph.model)
    _resize(model, graph, graph.kept_channels((each.group, each.kept) for each in cut.groups))
    kept = _write_inner_tensors(model, shrunk, graph)
    tensors = _extract_initializers(model, shrunk, graph, kept, job)
    _infer(model, tensors, graph)
    plan = _plan_single_file(model, tensors, kept)
    if plan.nbytes > MOST_BYTES:
        return _plan_with_external_data(model, tensors, kept, name)
    return {name: plan}


# -- the graph ---------------------------------------------------------------------------------


def _resize(model: Any, graph: OnnxGraph, kept: NDArray[np.bool_]) -> None:
    """Set sizes in attributes and inputs, and groups of depthwise convolutions, in `model`.

    `kept` is True for each channel that is kept, by its number in the graph.
    """
    nodes = model.graph.node
    for number, axis in graph.depthwise.items():
        for attribute in nodes[number].attribute:
            if attribute.name == "group":
                attribute.i = int(np.count_nonzero(kept[axis]))
    used_names = {name for node in nodes for name in (*node.input, *node.output)}
    used_names.update(tensor.name for tensor in model.graph.initializer)
    for rule in graph.sizes:
        values = list(rule.values)
        for place, axis in rule.follows.items():
            values[place] = int(np.count_nonzero(kept[axis]))
        if tuple(values) == rule.values:
            continue
        if isinstance(rule.where, str):
            _set_attribute(nodes[rule.node], rule.where, values)
        else:
            _set_input(model, nodes[rule.node], rule.where, values, used_names)


def _set_attribute(node: Any, name: str, values: Sequence[int]) -> None:
    found = next((a for a in node.attribute if a.name == name), None)
    if found is None:
        found = node.attribute.add(name=name, type=7)  # 7: a list of integers
    found.ints[:] = values


def _set_input(
    model: Any, node: Any, place: int, values: Sequence[int], used_names: set[str]
) -> None:
    """Give a node a new constant as input number `place`; other nodes may share the old one.

    The name of the constant is added to `used_names`, which must contain all names of the graph.
    """
    base = f"{node.output[0]}_sizes"
    names = chain((base,), (f"{base}_{number}" for number in count(1)))
    name = next(candidate for candidate in names if candidate not in used_names)
    used_names.add(name)
    while len(node.input) <= place:
        node.input.append("")
    node.input[place] = name
    # The parts may differ in size now, so that their number no longer describes them.
    if node.op_type == "Split":
        for index in reversed(range(len(node.attribute))):
            if node.attribute[index].name == "num_outputs":
                del node.attribute[index]
    model.graph.initializer.add(
        name=name,
        data_type=_TYPE_NUMBERS["I64"],
        dims=[len(values)],
        raw_data=np.array(values, "<i8").tobytes(),
    )


def _infer(model: Any, tensors: Sequence[_NewTensor], graph: OnnxGraph) -> None:
    """Infer the shapes of intermediate values again. Raise `ExportError` if they are inconsistent.

    Inconsistent shapes are accepted if the source model has them too. Removes all initializers from
    `model`.
    """
    had_shapes = bool(model.graph.value_info)
    del model.graph.value_info[:]
    for tensor in tensors:
        proto = model.graph.initializer.add()
        proto.CopyFrom(tensor.proto)
        if 0 < tensor.nbytes <= _SMALL:
            proto.raw_data = b"".join(map(bytes, tensor.pieces()))
    try:
        inferred = infer_shapes(model, strict=True)
        if had_shapes:
            model.graph.value_info.extend(inferred.graph.value_info)
    except GraphError as error:
        if _shapes_consistent(graph.model):
            raise ExportError(
                "The shapes of the smaller graph do not fit each other, which is a bug in "
                f"Pruneapp: {str(error).splitlines()[0]}",
                remedy="Remove units of fewer groups, and report this.",
                details=str(error),
            ) from None
    del model.graph.initializer[:]


def _shapes_consistent(model: Any) -> bool:
    try:
        infer_shapes(model, strict=True)
    except GraphError:
        return False
    return True


# -- tensors -----------------------------------------------------------------------------------


def _write_inner_tensors(model: Any, shrunk: ShrunkState, graph: OnnxGraph) -> dict[str, int]:
    """Write the values of the state into tensors in subgraphs of `model`.

    Return the bytes of each, by name. If several subgraphs have a tensor of the same name, only the
    first is an entry of the checkpoint, and only that is written.
    """
    entries = shrunk.checkpoint.entries
    inner = {t.name for t in graph.file.tensors if t.nested and not t.unreadable}
    written: dict[str, int] = {}

    def visit(part: Any) -> None:
        for node in part.node:
            for attribute in node.attribute:
                if node.op_type == "Constant" and attribute.name == "value" and node.output:
                    write(attribute.t, node.output[0])
                for branch in (*attribute.graphs, attribute.g):
                    visit(branch)
        for proto in part.initializer:
            write(proto, proto.name)

    def write(proto: Any, name: str) -> None:
        if name in inner and name not in written:
            tensor = _cut(proto, shrunk, entries[name])
            proto.raw_data = b"".join(map(bytes, tensor.pieces()))
            written[name] = tensor.nbytes

    if inner:
        visit(model.graph)
    return written


def _extract_initializers(
    model: Any, shrunk: ShrunkState, graph: OnnxGraph, kept: dict[str, int], job: Job
) -> list[_NewTensor]:
    """Remove and return the initializers of a model, and the constants too large to stay in nodes.

    Adds the bytes of constants that stay in their nodes to `kept`, by name.
    """
    entries = shrunk.checkpoint.entries
    constants = {
        t.name: t for t in graph.file.tensors if t.constant and not (t.unreadable or t.nested)
    }
    tensors = []
    for proto in job.cancel.each(model.graph.initializer):
        new = proto.__class__()
        new.CopyFrom(proto)
        entry = entries.get(new.name)
        tensors.append(_NewTensor(new, 0, _nothing) if entry is None else _cut(new, shrunk, entry))
    for number, node in reversed(list(enumerate(model.graph.node))):
        name = node.output[0] if node.output else ""
        if node.op_type != "Constant" or name not in constants:
            continue
        proto = next(a.t for a in node.attribute if a.name == "value")
        tensor = _cut(proto, shrunk, entries[name])
        if constants[name].nbytes <= LARGEST_KEPT:
            proto.raw_data = b"".join(map(bytes, tensor.pieces()))
            kept[name] = tensor.nbytes
            continue
        new = proto.__class__()
        new.CopyFrom(proto)
        new.name = name
        tensors.append(_NewTensor(new, tensor.nbytes, tensor.pieces))
        del model.graph.node[number]
    del model.graph.initializer[:]
    _declare(model, tensors)
    return tensors


def _nothing() -> Iterator[memoryview]:
    return iter(())


def _cut(proto: Any, shrunk: ShrunkState, entry: TensorEntry) -> _NewTensor:
    """Return the tensor with its new shape and the source of its data; modifies `proto`."""
    for leaf in _NUMBERS:
        proto.ClearField(leaf)
    proto.dims[:] = entry.shape
    return _NewTensor(proto, entry.nbytes, finalize(shrunk, entry).pieces)


def _declare(model: Any, tensors: Sequence[_NewTensor]) -> None:
    """Update the shapes of inputs of `model` that are initializers.

    Before IR version 4, each initializer must be an input: missing ones are added.
    """
    inputs = {value.name: value for value in model.graph.input}
    for tensor in tensors:
        value = inputs.get(tensor.proto.name)
        if value is None and model.ir_version < _FREE_INITIALIZERS:
            value = model.graph.input.add(name=tensor.proto.name)
        if value is None:
            continue
        kind = value.type.tensor_type
        kind.elem_type = tensor.proto.data_type
        kind.ClearField("shape")
        for extent in tensor.proto.dims:
            kind.shape.dim.add(dim_value=extent)


# -- files -------------------------------------------------------------------------------------


def _plan_single_file(model: Any, tensors: Sequence[_NewTensor], kept: Mapping[str, int]) -> Plan:
    """Plan a model file whose initializers, and their data, are at its end.

    `kept` has the bytes of the tensors inside of nodes, by name.
    """
    heads = []
    for tensor in tensors:
        head = tensor.proto.SerializeToString()
        if tensor.nbytes:
            head += prefix(RAW, tensor.nbytes)
        heads.append(prefix(INITIALIZER, len(head) + tensor.nbytes) + head)
    numbers = sum(tensor.nbytes for tensor in tensors)
    without = model.__class__()
    without.CopyFrom(model)
    without.ClearField("graph")
    graph = model.graph.SerializeToString()
    inside = prefix(GRAPH, len(graph) + sum(map(len, heads)) + numbers) + graph
    start = without.SerializeToString() + inside

    def pieces() -> Iterator[bytes | memoryview]:
        yield start
        for head, tensor in zip(heads, tensors, strict=True):
            yield head
            yield from tensor.pieces()

    names = {**kept, **{tensor.proto.name: tensor.nbytes for tensor in tensors}}
    return Plan(len(start) + sum(map(len, heads)) + numbers, pieces, names, container=True)


def _plan_with_external_data(
    model: Any, tensors: Sequence[_NewTensor], kept: Mapping[str, int], name: str
) -> dict[str, Plan]:
    """Plan a model file, and a file with the data of its tensors of more than `_SMALL` bytes.

    Return plans by name; the second one is ``NAME.data``. `kept` has the bytes of the tensors
    inside of nodes, by name.
    """
    data_name = f"{name}.data"
    outside = [tensor for tensor in tensors if tensor.nbytes > _SMALL]
    plan, offsets = data_plan([(tensor.nbytes, tensor.pieces) for tensor in outside])
    names = {tensor.proto.name: tensor.nbytes for tensor in outside}
    for tensor, offset in zip(outside, offsets, strict=True):
        proto = tensor.proto
        proto.data_location = 1
        for key, value in (("location", data_name), ("offset", offset), ("length", tensor.nbytes)):
            proto.external_data.add(key=key, value=str(value))
    inside = [
        _NewTensor(tensor.proto, 0, _nothing) if tensor.nbytes > _SMALL else tensor
        for tensor in tensors
    ]
    return {name: _plan_single_file(model, inside, kept), data_name: replace(plan, names=names)}
