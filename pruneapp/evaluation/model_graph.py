"""The graph of an ONNX model: its declared inputs, and the products of its weights with inputs.

Only the structure is read, in the wire format of protocol buffers: no tensor data, no package onnx.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.onnx import ONNX
from pruneapp.checkpoint.formats.protobuf import FIXED32, LENGTH, VARINT, Message, WireField
from pruneapp.errors import ParameterError, first_names
from pruneapp.progress import CancelToken

# Field numbers of onnx.proto3.
_GRAPH, _NODE, _INITIALIZER, _INPUT, _OUTPUT = 7, 1, 5, 11, 12
_NODE_INPUT, _NODE_OUTPUT, _OP_TYPE, _ATTRIBUTE, _DOMAIN = 1, 2, 4, 5, 7
_NAME, _FLOAT, _INT, _STRING, _INTS = 1, 2, 3, 4, 8
_TENSOR_NAME = 8
_VALUE_NAME, _VALUE_TYPE, _TENSOR_TYPE, _ELEMENT_TYPE, _SHAPE = 1, 2, 1, 1, 2
_DIMENSION, _DIMENSION_VALUE, _DIMENSION_NAME = 1, 1, 2

# Default sizes for dimensions that the model leaves open.
_BATCH, _TOKENS, _PIXELS, _OTHER = 1, 32, 224, 16
_OPERATOR_SETS = frozenset({"", "ai.onnx"})
_UNCHANGED = frozenset({"Identity", "Cast", "Unsqueeze", "Squeeze", "Reshape"})


@dataclass(frozen=True)
class GraphNode:
    """An operator with the names of its inputs and outputs, and its numeric and text attributes."""

    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class GraphValue:
    """A declared input or output; the size of a dimension is a number, a name, or '' if unknown."""

    name: str
    shape: tuple[int | str, ...]


@dataclass(frozen=True)
class InputRange:
    """An input whose integers index a table: they are less than `stop`."""

    name: str
    stop: int


@dataclass(frozen=True)
class ModelGraph:
    """The nodes, inputs and outputs of a model; inputs with an initializer are left out."""

    nodes: tuple[GraphNode, ...]
    inputs: tuple[GraphValue, ...]
    outputs: tuple[GraphValue, ...]
    producers: Mapping[str, GraphNode] = field(default_factory=dict)  # by the name of the value

    def open_sizes(self) -> dict[str, int]:
        """Return the names of the sizes that the model leaves open, each with a size to offer.

        A dimension without a name is called ``INPUT.AXIS``, with the axis counted from 0.
        Dimensions with the same name appear once, with the size offered for the first. Names with a
        ``+`` are left out: they are computed from others.
        """
        sizes: dict[str, int] = {}
        for value in self.inputs:
            for axis, size in enumerate(value.shape):
                if not isinstance(size, int) and "+" not in size:  # sums are computed
                    name = size or f"{value.name}.{axis}"
                    sizes.setdefault(name, _offered_size(name, axis, len(value.shape)))
        return sizes

    def input_ranges(self, checkpoint: Checkpoint) -> tuple[InputRange, ...]:
        """Return the inputs that index the first dimension of a weight, such as token ids.

        Only weights of two dimensions or more count. An input that indexes several gets the
        smallest range.
        """
        ranges: dict[str, int] = {}
        names = {value.name for value in self.inputs}
        for node in self.nodes:
            if node.op != "Gather" or len(node.inputs) < 2 or node.attributes.get("axis", 0):
                continue
            table, index = (self._unchanged(name) for name in node.inputs[:2])
            entry = checkpoint.entries.get(table)
            if index in names and entry is not None and len(entry.shape) > 1:
                ranges[index] = min(entry.shape[0], ranges.get(index, entry.shape[0]))
        return tuple(InputRange(name, stop) for name, stop in ranges.items())

    def _unchanged(self, name: str) -> str:
        """Return the name of the value that `name` is made from by casts and reshapes alone.

        `name` itself if another node produces it, or none does.
        """
        for _ in range(len(self.nodes)):
            node = self.producers.get(name)
            if node is None or node.op not in _UNCHANGED or not node.inputs:
                break
            name = node.inputs[0]
        return name

    def products(self, checkpoint: Checkpoint) -> list[dict[str, Any]]:
        """Return the products of weights with values of the graph, in order, as JSON objects.

        Each has ``weight`` (a name of the checkpoint), ``shape``, ``transposed`` (whether the
        inputs are along the first dimension), ``value`` (what is multiplied), ``op`` (``conv``,
        ``deconv`` or ``matmul``), and how the value is turned into rows.
        """
        values = {*self.producers, *(value.name for value in self.inputs)}
        products = (self._product(n, checkpoint) for n in self.nodes if len(n.inputs) > 1)
        return [product for product in products if product and product["value"] in values]

    def _product(self, node: GraphNode, checkpoint: Checkpoint) -> dict[str, Any] | None:
        """Return the product of a weight that a node computes, as in `products`, or None.

        The node must have at least two inputs. Products are Conv and ConvTranspose with a weight of
        3 to 5 dimensions, and MatMul and Gemm with one of 2 dimensions and no bias scaled by
        ``beta``. The weight may be the result of casts and, for matrices, transposes. If both
        inputs of a matrix product are weights, the second is the weight.
        """
        if node.op in {"Conv", "ConvTranspose"}:
            return self._convolution(node, checkpoint)
        if node.op not in {"MatMul", "Gemm"}:
            return None
        attributes = node.attributes
        if len(node.inputs) > 2 and node.inputs[2] and attributes.get("beta", 1.0) != 1:
            return None  # a bias that is scaled cannot be repaired as one
        turned = bool(attributes.get("transA", 0)), bool(attributes.get("transB", 0))
        for place in (1, 0):
            name, swapped = self._weight(node.inputs[place])
            entry = checkpoint.entries.get(name)
            if entry is None or len(entry.shape) != 2:
                continue
            # y = A B: the rows of A are inputs of the weight B, the columns of B inputs of the
            # weight A.
            swapped ^= turned[place]
            return {
                "weight": entry.name,
                "shape": list(entry.shape),
                "transposed": swapped != bool(place),
                "value": node.inputs[1 - place],
                "op": "matmul",
                "columns": turned[1 - place] == bool(place),
                "scale": attributes.get("alpha", 1.0),
            }
        return None

    def _convolution(self, node: GraphNode, checkpoint: Checkpoint) -> dict[str, Any] | None:
        """Return the product of a convolution or transposed convolution with its attributes.

        None if the second input is no weight of 3 to 5 dimensions, or a transposed one.
        """
        name, swapped = self._weight(node.inputs[1])
        entry = checkpoint.entries.get(name)
        if entry is None or swapped or not 3 <= len(entry.shape) <= 5:
            return None
        attributes, kernel = node.attributes, len(entry.shape) - 2
        deconv = node.op == "ConvTranspose"
        return {
            "weight": entry.name,
            "shape": list(entry.shape),
            "transposed": deconv,
            "value": node.inputs[0],
            "op": "deconv" if deconv else "conv",
            "group": attributes.get("group", 1),
            "strides": attributes.get("strides") or [1] * kernel,
            "dilations": attributes.get("dilations") or [1] * kernel,
            "pads": attributes.get("pads") or [0] * (2 * kernel),
            "auto_pad": attributes.get("auto_pad", "NOTSET"),
        }

    def _weight(self, name: str) -> tuple[str, bool]:
        """Return the value that `name` is made from by casts and transposes, and if transposed.

        Only transposes of two dimensions are followed. `name` itself and False if another node
        produces it, or none does; the result need not be a weight.
        """
        swapped = False
        for _ in range(len(self.nodes)):
            node = self.producers.get(name)
            if node is None or not node.inputs:
                break
            if node.op == "Transpose" and node.attributes.get("perm", [1, 0]) == [1, 0]:
                swapped = not swapped
            elif node.op not in {"Identity", "Cast"}:
                break
            name = node.inputs[0]
        return name, swapped


def is_onnx(checkpoint: Checkpoint) -> bool:
    """Return whether a checkpoint is an ONNX model."""
    return checkpoint.format == ONNX.name


def read_model_graph(checkpoint: Checkpoint, cancel: CancelToken | None = None) -> ModelGraph:
    """Read the structure of an ONNX model from its first file.

    `cancel` can cancel. Raises `DamagedFileError` if the file is damaged.
    """
    message = Message(checkpoint.files[0], "an ONNX model", cancel)
    nodes: list[GraphNode] = []
    inputs: list[GraphValue] = []
    outputs: list[GraphValue] = []
    initialized: set[str] = set()
    for graph in message.fields():
        if graph.number != _GRAPH or graph.wire != LENGTH:
            continue
        for part in _parts(message, graph):
            if part.number == _NODE:
                nodes.append(_node(message, part))
            elif part.number == _INITIALIZER:
                initialized.update(_texts(message, part, _TENSOR_NAME))
            elif part.number == _INPUT:
                inputs.append(_value(message, part))
            elif part.number == _OUTPUT:
                outputs.append(_value(message, part))
    return ModelGraph(
        tuple(nodes),
        tuple(value for value in inputs if value.name not in initialized),
        tuple(outputs),
        {output: node for node in nodes for output in node.outputs},
    )


@dataclass(frozen=True)
class SeededInputs:
    """How seeded inputs are made for a model: sizes that it leaves open, and ranges of integers."""

    sizes: tuple[tuple[str, int], ...]
    ranges: tuple[InputRange, ...]

    @classmethod
    def of(
        cls, checkpoint: Checkpoint, texts: Sequence[str] = (), cancel: CancelToken | None = None
    ) -> SeededInputs:
        """Read the declared inputs of an ONNX model; `texts` set open sizes, such as ``batch=1``.

        Sizes without a text get the default of `ModelGraph.open_sizes`. Raises `ParameterError` if
        a text is not valid, and the errors of `read_model_graph`.
        """
        graph = read_model_graph(checkpoint, cancel)
        sizes = parse_sizes(texts, graph.open_sizes())
        return cls(sizes, graph.input_ranges(checkpoint))

    @property
    def size_texts(self) -> tuple[str, ...]:
        """The sizes as texts such as ``batch=1``."""
        return tuple(f"{name}={size}" for name, size in self.sizes)


def parse_sizes(texts: Sequence[str], offered: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Return a size for each open one, in the order of `offered`, from texts such as ``batch=1``.

    `offered` has the open sizes with their defaults, which apply to those without a text; of two
    texts for one size the last one counts. Raises `ParameterError` if a text is not NAME=SIZE, a
    size is less than 1 or more than 2^31 - 1, or the model has no such open size.
    """
    sizes = dict(offered)
    for text in texts:
        name, _, number = text.rpartition("=")
        name, number = name.strip(), number.strip()
        if name not in sizes:
            known = first_names(tuple(sizes)) if sizes else "none"
            raise ParameterError(
                f"The inputs of the model have no open size '{name or text}' (open: {known}).",
                remedy="Give sizes as NAME=SIZE, such as batch=1.",
            )
        if not number.isascii() or not number.isdigit() or not 1 <= int(number[:10]) < 1 << 31:
            raise ParameterError(
                f"The size '{name}' must be an integer of at least 1 (got '{number}')."
            )
        sizes[name] = int(number)
    return tuple(sizes.items())


def _offered_size(name: str, axis: int, rank: int) -> int:
    """Return a default for an open dimension: 1 for batches, 32 for tokens, 224 for pixels.

    16 for others. Judged by its name, its index `axis` and the number of dimensions `rank`.
    """
    word = name.rpartition(".")[2].lower()
    if axis == 0 or "batch" in word:
        return _BATCH
    if any(part in word for part in ("past", "cache")):
        return _BATCH
    if any(part in word for part in ("seq", "token", "length")) or rank == 2:
        return _TOKENS
    return _PIXELS if rank == 4 and axis > 1 else _OTHER


def _parts(message: Message, outer: WireField) -> Iterator[WireField]:
    """Yield the fields of a message that have a length, which all messages and texts have."""
    for part in message.fields(outer.start, outer.stop):
        if part.wire == LENGTH:
            yield part


def _texts(message: Message, outer: WireField, number: int) -> list[str]:
    return [message.text(part) for part in _parts(message, outer) if part.number == number]


def _node(message: Message, outer: WireField) -> GraphNode:
    """Read an operator; one of a domain other than that of ONNX is called ``DOMAIN.OP``."""
    texts: dict[int, list[str]] = {n: [] for n in (_NODE_INPUT, _NODE_OUTPUT, _OP_TYPE, _DOMAIN)}
    attributes: dict[str, Any] = {}
    for part in _parts(message, outer):
        if part.number in texts:
            texts[part.number].append(message.text(part))
        elif part.number == _ATTRIBUTE:
            attributes.update(_attribute(message, part))
    op = next(iter(texts[_OP_TYPE]), "")
    if domain := "".join(texts[_DOMAIN]):
        op = op if domain in _OPERATOR_SETS else f"{domain}.{op}"
    return GraphNode(op, tuple(texts[_NODE_INPUT]), tuple(texts[_NODE_OUTPUT]), attributes)


def _attribute(message: Message, outer: WireField) -> dict[str, Any]:
    """Return ``{name: value}`` for a number, list of integers or short text in `outer`, else {}.

    Texts of 64 bytes and more are left out.
    """
    name, value = "", None
    integers: list[int] = []
    for part in message.fields(outer.start, outer.stop):
        if part.number == _NAME and part.wire == LENGTH:
            name = message.text(part)
        elif part.number == _FLOAT and part.wire == FIXED32:
            (value,) = struct.unpack("<f", message.read(part.start, part.stop))
        elif part.number == _INT and part.wire == VARINT:
            value = _signed(part.value)
        elif part.number == _STRING and part.wire == LENGTH and part.size < 64:
            value = message.read(part.start, part.stop).decode("utf-8", "replace")
        elif part.number == _INTS:
            integers += map(_signed, message.varints(part))
    value = integers or value
    return {} if value is None else {name: value}


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _value(message: Message, outer: WireField) -> GraphValue:
    """Read a declared input or output; its shape is empty if it is not a tensor or has no shape."""
    name, shape = "", list[int | str]()
    for part in _parts(message, outer):
        if part.number == _VALUE_NAME:
            name = message.text(part)
        elif part.number == _VALUE_TYPE:
            for kind in _parts(message, part):
                if kind.number == _TENSOR_TYPE:
                    shape = _shape(message, kind)
    return GraphValue(name, tuple(shape))


def _shape(message: Message, tensor: WireField) -> list[int | str]:
    """Return the sizes of a tensor type: a number, a name, or '' if neither is declared.

    Sizes of 0 and less count as not declared.
    """
    sizes: list[int | str] = []
    for shape in _parts(message, tensor):
        if shape.number != _SHAPE:
            continue
        for dimension in _parts(message, shape):
            size: int | str = ""
            if dimension.number == _DIMENSION:
                for part in message.fields(dimension.start, dimension.stop):
                    if part.number == _DIMENSION_VALUE and part.wire == VARINT:
                        size = max(0, _signed(part.value)) or ""
                    elif part.number == _DIMENSION_NAME and part.wire == LENGTH:
                        size = message.text(part)
            sizes.append(size)
    return sizes
