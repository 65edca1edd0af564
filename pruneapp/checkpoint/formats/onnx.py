"""Read ONNX models. Initializers and constants are tensors; the graph is never run.

A model is a protocol buffers message. Its tensors are found by walking the message, so that a file
of gigabytes opens without being loaded and without the package onnx. `read_layout` returns the
positions in the file, for exports that rewrite it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PureWindowsPath

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.contents import Contents, Notice, Reader, ReadResult, StateDict
from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.checkpoint.entry import Location, TensorEntry
from pruneapp.checkpoint.formats.headers import MAX_RANK, show
from pruneapp.checkpoint.formats.onnx_roles import GraphUses, Node, Scope, TensorRole
from pruneapp.checkpoint.formats.protobuf import LENGTH, VARINT, Message, WireField
from pruneapp.checkpoint.formats.sharded import check_inside
from pruneapp.checkpoint.io.derived_source import JoinedSource, Segment
from pruneapp.checkpoint.io.object_source import open_source
from pruneapp.checkpoint.io.source import ByteSource, FileSource, close_on_error
from pruneapp.errors import DamagedFileError, UnsupportedFileError
from pruneapp.progress import Job

# Field numbers of onnx.proto3: of a model, a graph, a node, an attribute, a tensor.
IR_VERSION, GRAPH, OPSETS, PROPERTIES, FUNCTIONS = 1, 7, 8, 14, 25
NODE, INITIALIZER, SPARSE_INITIALIZER = 1, 5, 15
_GRAPH_INPUT, _GRAPH_OUTPUT, _VALUE_NAME = 11, 12, 1
_INPUT, _OUTPUT, _OP_TYPE, ATTRIBUTE, _DOMAIN, _OVERLOAD = 1, 2, 4, 5, 7, 8
# Field numbers of a local function that correspond to those of a graph or a node.
_FUNCTION_NAME, _FUNCTION_INPUT, _FUNCTION_OUTPUT, _FUNCTION_NODE = 1, 4, 5, 7
_FUNCTION_DOMAIN, _FUNCTION_OVERLOAD = 10, 13
_ATTRIBUTE_NAME, VALUE, _SUBGRAPH, _TENSORS, _SUBGRAPHS = 1, 5, 6, 10, 11
_DIMS, _DATA_TYPE, _SEGMENT, _NAME, RAW, EXTERNAL, LOCATION = 1, 2, 3, 8, 9, 13, 14
_FLOATS, _INT32S, _STRINGS, _INT64S, _DOUBLES, _UINT64S = 4, 5, 6, 7, 10, 11
DATA = {RAW, _FLOATS, _INT32S, _STRINGS, _INT64S, _DOUBLES, _UINT64S}
# The fields other than `RAW` that may contain the elements of a type: little-endian, or varints.
_LITTLE_ENDIAN_FIELDS = {_FLOATS: {"F32", "C64"}, _DOUBLES: {"F64", "C128"}}
_VARINTS = {
    _INT64S: {"I64"},
    _UINT64S: {"U64", "U32"},
    _INT32S: {
        *("I32", "I16", "I8", "U16", "U8", "BOOL", "F16", "BF16", "F8_E4M3", "F8_E4M3FNUZ"),
        *("F8_E5M2", "F8_E5M2FNUZ", "F8_E8M0"),
    },
}
# TensorProto.DataType.
TYPES = {
    1: "F32",
    2: "U8",
    3: "I8",
    4: "U16",
    5: "I16",
    6: "I32",
    7: "I64",
    9: "BOOL",
    10: "F16",
    11: "F64",
    12: "U32",
    13: "U64",
    14: "C64",
    15: "C128",
    16: "BF16",
    17: "F8_E4M3",
    18: "F8_E4M3FNUZ",
    19: "F8_E5M2",
    20: "F8_E5M2FNUZ",
    24: "F8_E8M0",
}
_OTHER_TYPES = {
    8: "it contains text",
    21: "4-bit numbers of ONNX are not read",
    22: "4-bit numbers of ONNX are not read",
    23: "4-bit numbers of ONNX are not read",
    25: "2-bit numbers of ONNX are not read",
    26: "2-bit numbers of ONNX are not read",
}
# Further fields of a model.
_MODEL_VERSION = 5
_MODEL_TEXTS = frozenset({2, 3, 4, 6})
_MODEL_MESSAGES = frozenset({OPSETS, PROPERTIES, 20, FUNCTIONS, 26})
_GRAPH_FIELDS = frozenset({NODE, 2, INITIALIZER, 10, 11, 12, 13, 14, SPARSE_INITIALIZER, 16})
_LATEST = 255  # an upper bound of format versions
_MAX_TEXT = 1 << 20
_MOST_NESTED = 32
BRANCH = "it is in a branch of the graph"


@dataclass(frozen=True)
class StoredTensor:
    """A tensor of the graph and its position in the file."""

    name: str
    dtype: str  # as in `DTYPES`; empty if its type is not supported
    shape: tuple[int, ...]
    field: WireField  # its message
    inside: tuple[WireField, ...]  # the fields that contain it, the outermost first
    data: WireField | None  # its elements, if they are in this file
    external: Mapping[str, str]  # reference to a data file, as in the model; empty if none
    unreadable: str = ""  # why it cannot be read, a clause; empty if it can

    @property
    def nested(self) -> bool:
        """Whether it is in a branch: a graph in an attribute of a node of the graph."""
        return len(self.inside) > 3

    @property
    def constant(self) -> bool:
        """Whether it is the value of a Constant node, stored in an attribute of it."""
        return len(self.inside) % 3 == 0

    @property
    def is_varint(self) -> bool:
        """Whether its elements are varints, which have variable lengths."""
        return self.data is not None and self.data.number in _VARINTS

    @property
    def nbytes(self) -> int:
        """Size of its elements in bytes."""
        return DTYPES[self.dtype].nbytes(math.prod(self.shape))


@dataclass(frozen=True)
class ModelFile:
    """The tensors and metadata of a model file."""

    tensors: tuple[StoredTensor, ...]  # with unique names, in file order
    # Tensors in branches that have the name of one of `tensors`: each branch has its own namespace.
    hidden: tuple[StoredTensor, ...]
    roles: Mapping[str, TensorRole]  # of each of `tensors`
    properties: Mapping[str, str]
    sparse: int = 0  # number of sparse initializers
    graph: Scope = field(default_factory=Scope)  # the nodes of the main graph


@dataclass
class _GraphWalk:
    message: Message
    tensors: dict[str, StoredTensor] = field(default_factory=dict)
    hidden: list[StoredTensor] = field(default_factory=list)
    scopes: dict[str, Scope] = field(default_factory=dict)  # the graph of each of `tensors`
    sparse: int = 0

    def graph(
        self, inside: tuple[WireField, ...], scope: Scope, *, with_tensors: bool = True
    ) -> None:
        """Read the graph in the last field of `inside` into `scope`, with its branches.

        Its tensors are added to `tensors` or, for a name that is in use, to `hidden`, unless
        `with_tensors` is False as for functions. `inside` are the fields that contain it, the
        outermost first. Raises `DamagedFileError`.
        """
        message, outer = self.message, inside[-1]
        if len(inside) > 3 * _MOST_NESTED:
            raise message.damage_error(
                outer.tag, f"graphs are nested more than {_MOST_NESTED} deep"
            )
        for part in message.fields(outer.start, outer.stop):
            if part.number in {_GRAPH_INPUT, _GRAPH_OUTPUT} and part.wire == LENGTH:
                names = scope.inputs if part.number == _GRAPH_INPUT else scope.outputs
                names.append(self._name_of(part))
                continue
            if part.number not in {NODE, INITIALIZER, SPARSE_INITIALIZER}:
                continue
            if part.wire != LENGTH:
                raise message.damage_error(part.tag, "a part of the graph has no length")
            if part.number == NODE:
                self._node((*inside, part), scope, with_tensors=with_tensors)
            elif part.number == SPARSE_INITIALIZER:
                self.sparse += with_tensors
            elif with_tensors:
                self._tensor(part, inside, scope)

    def function(self, outer: WireField) -> tuple[tuple[str, str, str], Scope]:
        """Read a local function. Return its (domain, name, overload) and its body, without tensors.

        Missing texts are empty. Raises `DamagedFileError`.
        """
        message, scope = self.message, Scope()
        texts = {_FUNCTION_DOMAIN: "", _FUNCTION_NAME: "", _FUNCTION_OVERLOAD: ""}
        for part in message.fields(outer.start, outer.stop):
            if part.wire != LENGTH:
                continue
            if part.number == _FUNCTION_NODE:
                self._node((outer, part), scope, with_tensors=False)
            elif part.number == _FUNCTION_INPUT:
                scope.inputs.append(message.text(part))
            elif part.number == _FUNCTION_OUTPUT:
                scope.outputs.append(message.text(part))
            elif part.number in texts:
                texts[part.number] = message.text(part)
        domain, name, overload = texts.values()
        return (domain, name, overload), scope

    def _name_of(self, value: WireField) -> str:
        for part in self.message.fields(value.start, value.stop):
            if part.number == _VALUE_NAME and part.wire == LENGTH:
                return self.message.text(part)
        return ""

    def _node(self, inside: tuple[WireField, ...], scope: Scope, *, with_tensors: bool) -> None:
        """Add the node in the last field of `inside` to `scope`, and read its attributes.

        `with_tensors` is as in `graph`. Raises `DamagedFileError`.
        """
        message = self.message
        inputs: list[str] = []
        outputs: list[str] = []
        texts = {_OP_TYPE: "", _DOMAIN: "", _OVERLOAD: ""}
        attributes: list[WireField] = []
        for part in message.fields(inside[-1].start, inside[-1].stop):
            known = part.number in {_INPUT, _OUTPUT, ATTRIBUTE} or part.number in texts
            if known and part.wire != LENGTH:
                raise message.damage_error(part.tag, "a part of a node has no length")
            if part.number == _INPUT:
                inputs.append(message.text(part))
            elif part.number == _OUTPUT:
                outputs.append(message.text(part))
            elif part.number in texts:
                texts[part.number] = message.text(part)
            elif part.number == ATTRIBUTE:
                attributes.append(part)
        op, domain, overload = texts.values()
        node = Node(op, domain, overload, tuple(inputs), tuple(outputs))
        scope.nodes.append(node)
        for attribute in attributes:
            self._attribute((*inside, attribute), scope, node, with_tensors=with_tensors)

    def _attribute(
        self, inside: tuple[WireField, ...], scope: Scope, node: Node, *, with_tensors: bool
    ) -> None:
        """Read an attribute of a node: the tensor of a Constant, or graphs.

        A tensor gets the name of the first output of the node. Graphs become branches of the node.
        All other attributes are ignored.
        """
        message = self.message
        output = node.outputs[0] if node.op == "Constant" and node.outputs else ""
        for part in message.fields(inside[-1].start, inside[-1].stop):
            if part.number in {VALUE, _SUBGRAPH, _SUBGRAPHS} and part.wire != LENGTH:
                raise message.damage_error(part.tag, "a part of an attribute has no length")
            if part.number == VALUE and output and with_tensors:
                self._tensor(part, inside, scope, output)
            elif part.number in {_SUBGRAPH, _SUBGRAPHS}:
                branch = Scope(parent=scope, owner=node)
                node.branches.append(branch)
                self.graph((*inside, part), branch, with_tensors=with_tensors)

    def _tensor(
        self, outer: WireField, inside: tuple[WireField, ...], scope: Scope, constant: str = ""
    ) -> None:
        """Read a tensor message and add it to `tensors`, or to `hidden` if its name is in use.

        Parameters
        ----------
        outer
            The field of the message.
        inside
            The fields that contain it, the outermost first.
        constant
            The name to use instead of the one in the message; empty for an initializer.

        Raises
        ------
        DamagedFileError
            If the message is invalid, or two tensors of the main graph have the same name.
        """
        message = self.message
        name, external, data_type, where = "", {}, 0, 0
        dims: list[int] = []
        data: list[WireField] = []
        segmented = False
        for part in message.fields(outer.start, outer.stop):
            if part.number == _DIMS:
                dims += message.varints(part)
                if len(dims) > MAX_RANK:
                    raise message.damage_error(part.tag, f"a tensor has over {MAX_RANK} dimensions")
            elif part.number in {_DATA_TYPE, LOCATION}:
                if part.wire != VARINT:
                    raise message.damage_error(part.tag, "the type of a tensor is not a number")
                if part.number == _DATA_TYPE:
                    data_type = part.value
                else:
                    where = part.value
            elif part.number == _NAME:
                name = message.text(part)
            elif part.number in DATA:
                data.append(part)
            elif part.number == EXTERNAL:
                key, value = _pair(message, part)
                external[key] = value
            elif part.number == _SEGMENT:
                segmented = True
        name = constant or name
        if name in self.tensors and len(inside) <= 3:
            raise message.damage_error(outer.tag, f"two tensors are called '{show(name)}'")
        if any(extent >= 1 << 63 for extent in dims) or math.prod(dims) >= 1 << 60:
            raise message.damage_error(
                outer.tag, f"'{show(name)}' has an extent that no tensor can have"
            )
        if where not in {0, 1}:
            raise message.damage_error(
                outer.tag, f"'{show(name)}' is stored at an unknown kind of location"
            )
        stored = StoredTensor(
            name,
            TYPES.get(data_type, ""),
            tuple(dims),
            outer,
            inside,
            None,
            external if where else {},
        )
        stored = self._with_data(stored, data_type, data, segmented=segmented)
        scope.tensors[name] = math.prod(dims)
        if name in self.tensors:
            self.hidden.append(replace(stored, unreadable="another tensor has its name"))
        else:
            self.tensors[name] = stored
            self.scopes[name] = scope

    def _with_data(
        self, stored: StoredTensor, data_type: int, data: list[WireField], *, segmented: bool
    ) -> StoredTensor:
        """Return a tensor with the field of its elements, or with the reason why it cannot be read.

        External and empty tensors are returned unchanged. `data` are its fields with elements, and
        `segmented` is True for a part of a tensor. Raises `DamagedFileError` if the type is unknown
        or the elements do not match type and shape; the number of varints is not checked.
        """
        message, at, name = self.message, stored.field.tag, show(stored.name)
        if data_type in _OTHER_TYPES:
            return replace(stored, unreadable=_OTHER_TYPES[data_type])
        if not stored.dtype:
            raise message.damage_error(at, f"'{name}' is of the unknown type {data_type:,}")
        if segmented:
            return replace(stored, unreadable="it is a segment of a tensor")
        if stored.external:
            return stored
        filled = [part for part in data if part.size]
        if not filled and not stored.nbytes:
            return stored
        if not filled:
            raise message.damage_error(at, f"'{name}' has no numbers")
        (first, *more) = filled
        if more or (first.wire != LENGTH and first.number != RAW):
            return replace(stored, unreadable="its numbers are in several pieces")
        if first.wire != LENGTH:
            raise message.damage_error(first.tag, f"the numbers of '{name}' have no length")
        if stored.dtype in _VARINTS.get(first.number, ()):
            return replace(stored, data=first)
        if first.number != RAW and stored.dtype not in _LITTLE_ENDIAN_FIELDS.get(first.number, ()):
            raise message.damage_error(
                first.tag, f"the numbers of '{name}' are in a field for another type"
            )
        if first.size != stored.nbytes:
            raise message.damage_error(
                first.tag, f"'{name}' has {first.size:,} bytes, not {stored.nbytes:,}"
            )
        return replace(stored, data=first)


def _pair(message: Message, outer: WireField) -> tuple[str, str]:
    """Return the key and value of a message of two texts; "" for a missing one.

    Of repeated texts the last is returned. Raises `DamagedFileError` for an invalid message, or a
    text of more than 1 MiB.
    """
    if outer.wire != LENGTH:
        raise message.damage_error(outer.tag, "a pair of texts has no length")
    texts = {1: "", 2: ""}
    for part in message.fields(outer.start, outer.stop):
        if part.number in texts and part.wire == LENGTH:
            texts[part.number] = message.text(part, _MAX_TEXT)
    return texts[1], texts[2]


def read_layout(source: FileSource, job: Job) -> ModelFile:
    """Find all tensors of a model and their roles. Only the headers of tensors are read.

    Raises `DamagedFileError` if the file is not a valid message, does not have exactly one graph,
    or a tensor is invalid, and `Cancelled`. Data files are not opened.
    """
    message = Message(source, "an ONNX model", job.cancel)
    graphs: list[WireField] = []
    functions: list[WireField] = []
    properties: dict[str, str] = {}
    for part in message.fields():
        if part.number == GRAPH:
            if part.wire != LENGTH:
                raise message.damage_error(part.tag, "the graph has no length")
            graphs.append(part)
        elif part.number == FUNCTIONS and part.wire == LENGTH:
            functions.append(part)
        elif part.number == PROPERTIES:
            key, value = _pair(message, part)
            properties[key] = value
    if len(graphs) != 1:
        raise message.damage_error(0, f"it has {len(graphs) or 'no'} graphs instead of one")
    walk = _GraphWalk(message)
    main = Scope()
    walk.graph((graphs[0],), main)
    uses = GraphUses(main, dict(map(walk.function, functions)))
    roles = {
        stored.name: _role(uses, walk.scopes[stored.name], stored)
        for stored in job.cancel.each(walk.tensors.values())
    }
    return ModelFile(
        tuple(walk.tensors.values()), tuple(walk.hidden), roles, properties, walk.sparse, main
    )


def _role(uses: GraphUses, scope: Scope, stored: StoredTensor) -> TensorRole:
    dtype = DTYPES.get(stored.dtype)
    # 8-bit floats are quantized values, like integers.
    is_float = dtype is not None and dtype.prunable and dtype.bits > 8
    return uses.role_of(scope, stored.name, stored.shape, is_float=is_float)


def _recognises(head: bytes, source: FileSource) -> bool:
    """Return whether a file starts like a model: version, short texts about it, then a graph.

    Other formats of protocol buffers start similarly, but none of them has these fields in a row.
    False for an invalid message.
    """
    if head[:1] != b"\x08" or not 0 < int.from_bytes(head[1:2], "little") <= _LATEST:
        return False
    message = Message(source, "an ONNX model")
    at = 0
    try:
        while at < message.size:
            part = message.field(at)
            if part.number == GRAPH:  # may be incomplete in a truncated file
                return part.wire == LENGTH and (part.size == 0 or _is_graph(message, part))
            if not _may_precede_graph(part):
                return False
            at = part.stop
    except DamagedFileError:
        pass
    return False


def _may_precede_graph(part: WireField) -> bool:
    """Return whether a field may precede the graph of a model, by its number and wire type.

    These are versions, texts of up to 1 MiB, and the messages of a model besides the graph.
    """
    if part.number == IR_VERSION:
        return part.wire == VARINT and part.value <= _LATEST
    if part.number == _MODEL_VERSION:
        return part.wire == VARINT
    short = part.number in _MODEL_TEXTS and part.size <= _MAX_TEXT
    return part.wire == LENGTH and (short or part.number in _MODEL_MESSAGES)


def _is_graph(message: Message, graph: WireField) -> bool:
    tag, _ = message.varint(graph.start, graph.stop)
    return tag & 7 == LENGTH and tag >> 3 in _GRAPH_FIELDS


def _read(source: FileSource, _state_dict: str | None, job: Job) -> ReadResult:
    """Read a model and open its data files. There are no state dicts to choose from.

    The sources are the model, the data files in the order of their first use, and one that decodes
    varints if there are any. Raises `CheckpointError` and closes the data files if one of them is
    missing, outside of the folder or too short.
    """
    layout = read_layout(source, job)
    files = _ExternalFiles(source)
    with close_on_error(files.opened):
        entries: list[TensorEntry] = []
        unreadable: dict[str, str] = {}
        segments: list[tuple[int, Segment]] = []
        for stored in (*layout.tensors, *layout.hidden):
            if stored.unreadable and stored.external:
                files.open(stored)  # exports copy its bytes
        for stored in job.cancel.each(layout.tensors):
            if stored.unreadable:
                role = layout.roles[stored.name]
                quantized = f"{role.why_not}: " if role.is_quantized else ""
                unreadable[stored.name] = f"{quantized}{stored.unreadable}"
                continue
            role = layout.roles[stored.name]
            location = Location(0, stored.field.start)
            if stored.external:
                location = files.location(stored)
            elif stored.is_varint:
                segments.append((len(entries), _varints(stored, source, job)))
            elif stored.data is not None:
                location = Location(0, stored.data.start)
            entries.append(
                TensorEntry(
                    stored.name,
                    stored.shape,
                    DTYPES[stored.dtype],
                    location,
                    why_not=role.why_not,
                    quantized=role.why_not if role.is_quantized else "",
                    kind=role.kind,
                )
            )
        sources: list[ByteSource] = [source, *files.opened]
        if segments:
            joined = JoinedSource(source, [segment for _, segment in segments])
            for (number, _), start in zip(segments, joined.starts, strict=False):
                moved = Location(len(sources), start)
                entries[number] = entries[number]._replace(location=moved)
            sources.append(joined)
        numel = sum(entry.numel for entry in entries)
        contents = Contents(
            format=ONNX.name,
            label=ONNX.label,
            entries=tuple(entries),
            metadata=layout.properties,
            notices=_notices(layout),
            state_dicts=(StateDict("", len(entries), numel),),
            unreadable=unreadable,
        )
        return contents, tuple(sources)


def _notices(layout: ModelFile) -> tuple[Notice, ...]:
    """Return a notice about sparse initializers and one about hidden tensors, if there are any."""
    sparse, hidden = layout.sparse, len(layout.hidden)
    texts = {
        "The sparse initializers of this ONNX model are not read, and not shown: "
        f"{sparse:,}.": sparse,
        "Tensors of subgraphs are not shown if other tensors have their names: "
        f"{hidden:,}.": hidden,
    }
    return tuple(Notice(text) for text, count in texts.items() if count)


class _ExternalFiles:
    """The data files that a model refers to, each opened once."""

    def __init__(self, model: FileSource) -> None:
        self._model = model
        self._number: dict[str, int] = {}
        self.opened: list[FileSource] = []

    def location(self, stored: StoredTensor) -> Location:
        """Return the location of a tensor in a data file inside the folder of the model.

        The file is opened if necessary. Raises `CheckpointError` if the reference is invalid or the
        file missing or too short.
        """
        name = show(stored.name)
        number = self.open(stored)
        place, source = stored.external.get("location", ""), self.opened[number - 1]
        offset = self._parse_count(stored, "offset", 0)
        length = self._parse_count(stored, "length", stored.nbytes)
        if length != stored.nbytes:
            raise _damage_error(
                stored,
                self._model,
                f"'{name}' would have {length:,} bytes in '{show(place)}', not {stored.nbytes:,}",
            )
        if offset + length > source.size:
            raise DamagedFileError(
                f"'{source.path}' is truncated: '{name}' of '{self._model.path}' ends at byte "
                f"{offset + length:,}, and it has {source.size:,}.",
                remedy="The download or copy was interrupted: get the file again.",
            )
        # The storage makes `find_overlaps` check tensors of this file for shared bytes.
        return Location(number, offset, storage=place)

    def open(self, stored: StoredTensor) -> int:
        """Open the data file of a tensor. Return its index in the sources of the checkpoint.

        The model itself has the index 0. A file that is open already is not opened again. Raises
        `CheckpointError`.
        """
        place = stored.external.get("location", "")
        number = self._number.get(place)
        if number is None:
            self.opened.append(open_source(self._data_file_path(place, show(stored.name))))
            number = self._number[place] = len(self.opened)
        return number

    def _parse_count(self, stored: StoredTensor, key: str, default: int) -> int:
        """Return the number under `key` in the reference of a tensor, `default` without one.

        Raises `DamagedFileError` unless it has 1 to 19 decimal digits.
        """
        text = stored.external.get(key, "")
        if not text:
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 20):
            raise _damage_error(
                stored, self._model, f"'{show(stored.name)}' has the {key} '{show(text)}'"
            )
        return int(text)

    def _data_file_path(self, place: str, name: str) -> Path:
        """Return the path of a data file; `place` is its path relative to the model's folder.

        Raises `CheckpointError` if it is missing, or outside of this folder, also by a link. `name`
        is the tensor, for the error.
        """
        model = self._model.path
        windows = PureWindowsPath(place)  # parses the separators of all systems
        if not place or "\0" in place or windows.anchor or ".." in windows.parts:
            raise UnsupportedFileError(
                f"'{model}' refers to '{show(place)}' for '{name}', which is outside its folder.",
                remedy="Save the model again with its data next to it.",
            )
        check_inside(model.parent, place, "data file")
        return model.parent / place


_BLOCK = 1 << 16
_MAX_VARINT_BYTES = 10


class _VarintSegment:
    """The elements of a tensor that is stored as varints, decoded when they are read."""

    def __init__(
        self, source: FileSource, data: WireField, dtype: DType, ends: list[int], count: int
    ) -> None:
        """Store the parameters; `ends` and `count` are computed by `_varints`."""
        self._source = source
        self._data = data
        self._storage = np.dtype(dtype.storage)
        self._ends = ends  # number of elements that end in previous blocks, for each block
        self.size = count * self._storage.itemsize

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` with decoded elements from byte `offset` on.

        Both may begin or end within an element.
        """
        done = 0
        while done < len(view):
            element, skipped = divmod(offset + done, self._storage.itemsize)
            block = bisect_right(self._ends, element) - 1
            values = self._decode(block)[element - self._ends[block] :]
            part = values.view(np.uint8).data[skipped : skipped + len(view) - done]
            view[done : done + len(part)] = part
            done += len(part)

    def _decode(self, block: int) -> NDArray[np.unsignedinteger]:
        """Return the elements that end in a block of 64 KiB, with the words of the tensor's type.

        `block` counts from 0. The first element may begin in the previous block.
        """
        begin = self._data.start + block * _BLOCK
        first = max(self._data.start, begin - _MAX_VARINT_BYTES + 1)
        raw = np.frombuffer(
            self._source.read(first, min(begin + _BLOCK, self._data.stop) - first), np.uint8
        )
        ends = np.flatnonzero(raw < 0x80)
        starts = np.concatenate((np.zeros(1, np.int64), ends[:-1] + 1))
        inside = ends >= begin - first
        starts, ends = starts[inside], ends[inside]
        values = np.zeros(ends.size, np.uint64)
        for step in range(_MAX_VARINT_BYTES):
            places = starts + step
            in_range = places <= ends
            bits = raw[np.minimum(places, raw.size - 1)].astype(np.uint64) & np.uint64(0x7F)
            values |= np.where(in_range, bits << np.uint64(7 * step), np.uint64(0))
        return values.astype(self._storage)


def _varints(stored: StoredTensor, source: FileSource, job: Job) -> Segment:
    """Return a segment that decodes the varints of a tensor. All of its bytes are read once.

    Raises `DamagedFileError` if their number is not the number of elements or one has more than 10
    bytes.
    """
    data, dtype = stored.data, DTYPES[stored.dtype]
    assert data is not None
    numel = math.prod(stored.shape)
    error = _damage_error(stored, source, f"'{show(stored.name)}' does not have {numel:,} numbers")
    ends = []
    count = run = 0
    for start in range(data.start, data.stop, _BLOCK):
        job.cancel.check()
        ends.append(count)
        raw = np.frombuffer(source.read(start, min(_BLOCK, data.stop - start)), np.uint8)
        places = np.flatnonzero(raw < 0x80)
        count += places.size
        gaps = np.diff(places, prepend=-1 - run, append=raw.size)
        run = int(gaps[-1]) - 1 if places.size else run + raw.size
        if max(int(gaps[:-1].max(initial=0)), run) > _MAX_VARINT_BYTES:
            raise error
    if run or count != numel:
        raise error
    return _VarintSegment(source, data, dtype, ends, count)


def _damage_error(stored: StoredTensor, source: FileSource, what: str) -> DamagedFileError:
    """Return the error for an invalid tensor; `what` is a clause."""
    return Message(source, "an ONNX model").damage_error(stored.field.tag, what)


ONNX = Reader("onnx", "ONNX", (".onnx",), _recognises, _read)
