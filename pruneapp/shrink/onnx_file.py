"""A smaller ONNX model: the units that go are cut out of every tensor that has entries for them.

The graph stays as it is but for what follows the numbers of channels: shapes, sizes of parts,
groups of depthwise convolutions. Tensors are written as they are read, a piece at a time, with
zeros where they are pruned.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.formats.headers import show
from pruneapp.checkpoint.formats.onnx import GRAPH, INITIALIZER, RAW, TYPES, StoredTensor
from pruneapp.checkpoint.formats.protobuf import prefix
from pruneapp.checkpoint.io.atomic_file import AtomicFile
from pruneapp.errors import ExportError
from pruneapp.export.exporter import publish
from pruneapp.export.format import Plan
from pruneapp.export.records import CHUNK_BYTES, Pieces, State, finalized, little
from pruneapp.groups.onnx_graph import OnnxGraph
from pruneapp.progress import Job

# Protocol buffers end at 2 GiB; what is larger has its numbers in a file beside it.
MOST_BYTES = (1 << 31) - (1 << 20)
_SMALL = 1024  # bytes of a tensor that stays in the graph then, as the package onnx has it
_ALIGNMENT = 64
# Since this version an initializer need not be an input of the graph.
_FREE_INITIALIZERS = 4
_TYPE_NUMBERS = {name: number for number, name in TYPES.items()}
_BEFORE_GRAPH = frozenset(
    {"ir_version", "producer_name", "producer_version", "domain", "model_version", "doc_string"}
)

Kept = Mapping[int, Sequence[int] | NDArray[np.int64]]


@dataclass(frozen=True)
class _NewTensor:
    """A tensor as it goes out."""

    proto: Any  # all of it but its numbers
    nbytes: int
    pieces: Pieces


def plan_shrunk_onnx(
    state: State, graph: OnnxGraph, kept: Kept, name: str, job: Job
) -> dict[str, Plan]:
    """Plan a smaller model, and the file with its numbers where it has one.

    Parameters
    ----------
    kept
        The units that stay, ascending, of the groups that are cut, by their number in
        `OnnxGraph.groups`; none of these may be empty. With none the masked model is written.
    name
        Of the file to be written; that beside it is called ``NAME.data``.

    Raises
    ------
    ExportError
        If a group would be empty, what the file holds cannot be written anew, or the shapes of the
        new graph do not fit each other.
    """
    for number, units in kept.items():
        if not len(units):
            raise ExportError(
                f"All channels of '{show(graph.groups[number].place)}' would be cut: none is left.",
                remedy="Keep at least one.",
            )
    stays = graph.stays((graph.groups[n], np.asarray(u, np.int64)) for n, u in kept.items())
    model = graph.model.__class__()
    model.CopyFrom(graph.model)
    written = _tensors(state, graph, model, stays, job)
    _follow(graph, model, stays, written)
    _infer(graph, model, written)
    beside = f"{name}.data"
    total = sum(w.nbytes + len(w.proto.name) + 64 for w in written) + model.ByteSize()
    if any(t.external for t in graph.file.tensors) or total > MOST_BYTES:
        return _with_file_beside(model, written, name, beside)
    return {name: _in_one_file(model, written)}


def write_shrunk_onnx(
    state: State, graph: OnnxGraph, kept: Kept, target: Path, job: Job
) -> tuple[Path, ...]:
    """Write a smaller model; returns the originals that were kept because they were replaced.

    As `plan_shrunk_onnx`. All or nothing is there in the end.
    """
    checkpoint = state.checkpoint
    plans = plan_shrunk_onnx(state, graph, kept, target.name, job)
    job.start(2 * sum(plan.nbytes for plan in plans.values()), target.name)
    with contextlib.ExitStack() as stack:
        files = []
        for name, plan in plans.items():
            file = AtomicFile(target.with_name(name), plan.nbytes, job, exact=True)
            files.append(stack.enter_context(file))
            for piece in plan.pieces():
                job.cancel.check()
                file.write(piece)
            file.seal()
        checkpoint.verify_unchanged()
        # The numbers are there before the graph that names them.
        return tuple(publish([*reversed(files)], checkpoint.files, job))


# -- tensors -----------------------------------------------------------------------------------


def _tensors(
    state: State, graph: OnnxGraph, model: Any, stays: NDArray[np.bool_], job: Job
) -> list[_NewTensor]:
    """Take the tensors out of a model, each with what is left of it."""
    stored = {t.name: t for t in graph.file.tensors}
    protos = {tensor.name: tensor for tensor in model.graph.initializer}
    # Constants of nodes become initializers where their numbers are not as in the graph any more.
    nodes = []
    for node in model.graph.node:
        name = node.output[0] if node.output else ""
        constant = stored.get(name)
        if node.op_type == "Constant" and constant is not None and constant.constant:
            axes = graph.axes.get(name, ())
            whole = all(a is None or stays[a].all() for a in axes)
            changed = constant.unreadable == "" and (
                not whole or state.zeroed(name) is not None or state.replaces(name)
            )
            stripped = constant.data is not None and not _is_whole(node)
            if changed or stripped or constant.external:
                proto = next(a.t for a in node.attribute if a.name == "value")
                protos[name] = proto.__class__()
                protos[name].CopyFrom(proto)
                protos[name].name = name
                continue
        nodes.append(node)
    kept_nodes = [node.__class__() for node in nodes]
    for new, old in zip(kept_nodes, nodes, strict=True):
        new.CopyFrom(old)
    del model.graph.node[:]
    model.graph.node.extend(kept_nodes)
    written = [
        _written(state, graph, proto, stored[name], stays)
        for name, proto in job.cancel.each(protos.items())
    ]
    del model.graph.initializer[:]
    _declare(model, written)
    return written


def _is_whole(node: Any) -> bool:
    proto = next(a.t for a in node.attribute if a.name == "value")
    return any(
        (proto.raw_data, proto.float_data, proto.int32_data, proto.int64_data, proto.double_data)
    ) or any((proto.uint64_data, proto.string_data))


def _written(
    state: State, graph: OnnxGraph, proto: Any, stored: StoredTensor, stays: NDArray[np.bool_]
) -> _NewTensor:
    new = proto.__class__()
    new.CopyFrom(proto)
    if stored.unreadable:
        if stored.external:
            raise ExportError(
                f"'{show(stored.name)}' cannot be written anew: {stored.unreadable}.",
                remedy="Save the model with this tensor inside of it.",
            )
        return _NewTensor(new, 0, lambda: iter(()))
    for leaf in ("raw_data", "external_data", "data_location", "float_data", "double_data"):
        new.ClearField(leaf)
    for leaf in ("int32_data", "int64_data", "uint64_data"):
        new.ClearField(leaf)
    entry = state.checkpoint.entry(stored.name)
    axes = graph.axes.get(stored.name, ())
    left = [None if axis is None else stays[axis] for axis in axes]
    cut = {
        dim: chosen for dim, chosen in enumerate(left) if chosen is not None and not chosen.all()
    }
    for dim, chosen in cut.items():
        new.dims[dim] = int(chosen.sum())
    nbytes = entry.dtype.nbytes(math.prod(new.dims))
    if not cut:
        return _NewTensor(new, nbytes, finalized(state, entry).pieces)
    return _NewTensor(new, nbytes, lambda: _pieces(state, entry, cut))


def _pieces(
    state: State, entry: TensorEntry, cut: Mapping[int, NDArray[np.bool_]]
) -> Iterator[memoryview]:
    """Make the bytes of what is left of a tensor, some rows at a time."""
    rows, *rest = entry.shape
    inner = math.prod(rest)
    step = max(1, CHUNK_BYTES // max(1, inner * (entry.dtype.bits // 8)))
    zeroed = state.zeroed(entry.name)
    first = cut.get(0)
    for start in range(0, rows, step):
        stop = min(start + step, rows)
        some = None if first is None else first[start:stop]
        if some is not None and not some.any():
            continue
        size = (stop - start) * inner
        (chunk,) = state.chunks(entry.name, start * inner, stop * inner, size)
        if zeroed is not None:
            zeroed.zero(chunk.bits, chunk.start)
        left = chunk.bits.reshape(stop - start, *rest)
        if some is not None:
            left = left[some]
        for dim, chosen in cut.items():
            if dim:
                left = np.compress(chosen, left, dim)
        yield little(left.reshape(-1))


def _declare(model: Any, written: Sequence[_NewTensor]) -> None:
    """Give the inputs that are initializers their new shapes; name new ones where need be."""
    inputs = {value.name: value for value in model.graph.input}
    for tensor in written:
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


# -- the graph ---------------------------------------------------------------------------------


def _follow(
    graph: OnnxGraph, model: Any, stays: NDArray[np.bool_], written: list[_NewTensor]
) -> None:
    """Let shapes, sizes and groups follow the channels."""
    # Constants may have become initializers: nodes are found by what they make.
    nodes = {node.output[0]: node for node in model.graph.node if node.output}
    old = graph.model.graph.node
    for number, axis in graph.depthwise.items():
        node = nodes[old[number].output[0]]
        for attribute in node.attribute:
            if attribute.name == "group":
                attribute.i = int(stays[axis].sum())
    taken = {name for node in old for name in (*node.input, *node.output)} | {
        tensor.proto.name for tensor in written
    }
    for rule in graph.sizes:
        values = list(rule.values)
        for place, axis in rule.follows.items():
            values[place] = int(stays[axis].sum())
        if tuple(values) != rule.values:
            node = nodes[old[rule.node].output[0]]
            if isinstance(rule.where, str):
                _set_attribute(node, rule.where, values)
            else:
                written.append(_set_input(node, rule.where, values, taken))
                if model.ir_version < _FREE_INITIALIZERS:
                    _declare(model, written[-1:])


def _set_attribute(node: Any, name: str, values: Sequence[int]) -> None:
    found = next((a for a in node.attribute if a.name == name), None)
    if found is None:
        found = node.attribute.add(name=name, type=7)  # of whole numbers
    del found.ints[:]
    found.ints.extend(values)


def _set_input(node: Any, place: int, values: Sequence[int], taken: set[str]) -> _NewTensor:
    """Give a node numbers of its own: others may share those that it had."""
    base = f"{node.output[0]}_sizes"
    names = chain((base,), (f"{base}_{number}" for number in range(1, 1 << 20)))
    name = next(one for one in names if one not in taken)
    taken.add(name)
    while len(node.input) <= place:
        node.input.append("")
    node.input[place] = name
    if node.op_type == "Split":  # parts of one size are none any more
        for at in reversed(range(len(node.attribute))):
            if node.attribute[at].name == "num_outputs":
                del node.attribute[at]
    data = np.array(values, "<i8").tobytes()
    proto = _library().TensorProto(name=name, data_type=_TYPE_NUMBERS["I64"], dims=[len(values)])
    return _NewTensor(proto, len(data), lambda: iter((memoryview(data),)))


def _library() -> Any:
    import onnx

    return onnx


def _infer(graph: OnnxGraph, model: Any, written: Sequence[_NewTensor]) -> None:
    """Infer the shapes inside of the graph anew; refuse to write one in which they do not fit."""
    had = bool(model.graph.value_info)
    del model.graph.value_info[:]
    trial = model.__class__()
    trial.CopyFrom(model)
    for tensor in written:
        proto = trial.graph.initializer.add()
        proto.CopyFrom(tensor.proto)
        if tensor.nbytes <= _SMALL and not proto.string_data and tensor.nbytes:
            proto.raw_data = b"".join(bytes(piece) for piece in tensor.pieces())
    try:
        inferred = _library().shape_inference.infer_shapes(trial, strict_mode=True, data_prop=True)
    except Exception as error:  # noqa: BLE001 - its own, and those of protobuf
        if _infers(graph.model):
            raise ExportError(
                f"The shapes of the smaller graph do not fit each other, which is a defect of "
                f"Pruneapp: {str(error).splitlines()[0]}",
                remedy="Cut fewer groups, and report this.",
                details=str(error),
            ) from None
        return
    if had:
        model.graph.value_info.extend(inferred.graph.value_info)


def _infers(model: Any) -> bool:
    try:
        _library().shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    except Exception:  # noqa: BLE001 - the same
        return False
    return True


# -- files -------------------------------------------------------------------------------------


def _inside(tensor: _NewTensor) -> tuple[int, Pieces]:
    """Return an initializer with its numbers, as a field of the graph."""
    head = tensor.proto.SerializeToString()
    if tensor.nbytes:
        head += prefix(RAW, tensor.nbytes)
    whole = prefix(INITIALIZER, len(head) + tensor.nbytes) + head

    def pieces() -> Iterator[bytes | memoryview]:
        yield whole
        yield from tensor.pieces()

    return len(whole) + tensor.nbytes, pieces  # type: ignore[return-value]


def _in_one_file(model: Any, written: Sequence[_NewTensor]) -> Plan:
    """Plan a model with its initializers inside, in the order in which protobuf writes fields."""
    parts = [_inside(tensor) for tensor in written]
    head, tail = model.__class__(), model.__class__()
    head.CopyFrom(model)
    tail.CopyFrom(model)
    for leaf in [each.name for each in model.DESCRIPTOR.fields]:
        (tail if leaf in _BEFORE_GRAPH else head).ClearField(leaf)
    tail.ClearField("graph")
    nodes, rest = model.graph.__class__(), model.graph.__class__()
    nodes.CopyFrom(model.graph)
    rest.CopyFrom(model.graph)
    for leaf in [each.name for each in model.graph.DESCRIPTOR.fields]:
        (rest if leaf in {"node", "name"} else nodes).ClearField(leaf)
    before, after = nodes.SerializeToString(), rest.SerializeToString()
    inside = len(before) + sum(size for size, _ in parts) + len(after)
    start = head.SerializeToString() + prefix(GRAPH, inside) + before
    end = after + tail.SerializeToString()

    def pieces() -> Iterator[bytes | memoryview]:
        yield start
        for _, make in parts:
            yield from make()
        yield end

    names = {tensor.proto.name: tensor.nbytes for tensor in written}
    return Plan(len(start) + inside - len(before) + len(end) - len(after), pieces, names)


def _with_file_beside(
    model: Any, written: Sequence[_NewTensor], name: str, beside: str
) -> dict[str, Plan]:
    """Plan a model whose numbers are in a file beside it."""
    outside: list[tuple[int, _NewTensor]] = []
    inside: list[_NewTensor] = []
    end = 0
    for tensor in written:
        if tensor.nbytes <= _SMALL:
            inside.append(tensor)
            continue
        start = -(-end // _ALIGNMENT) * _ALIGNMENT
        end = start + tensor.nbytes
        outside.append((start, tensor))
        proto = tensor.proto
        proto.data_location = 1
        for key, value in (("location", beside), ("offset", start), ("length", tensor.nbytes)):
            proto.external_data.add(key=key, value=str(value))
        inside.append(replace(tensor, nbytes=0, pieces=lambda: iter(())))

    def pieces() -> Iterator[bytes | memoryview]:
        at = 0
        for start, tensor in outside:
            yield bytes(start - at)
            yield from tensor.pieces()
            at = start + tensor.nbytes

    names = {tensor.proto.name: tensor.nbytes for _, tensor in outside}
    plan = _in_one_file(model, inside)
    return {name: plan, beside: Plan(end, pieces, names)}
