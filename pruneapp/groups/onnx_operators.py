"""Rules for ONNX operators: how each joins or freezes the channels of its values.

An operator without a rule, or with unknown shapes or constants, freezes all channels it touches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.formats.onnx import ModelFile
from pruneapp.groups.channel_numbers import (
    IS_GRAPH_OUTPUT,
    Axes,
    ChannelNumbers,
    Numbers,
    ReshapeBlock,
    extent_of,
    join_reshape,
    settle_blocks,
)
from pruneapp.progress import Job

# Elementwise operators with one input.
_ELEMENTWISE = frozenset(
    {
        *("Relu", "LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "Elu", "Selu"),
        *("Celu", "Gelu", "Erf", "Softplus", "Softsign", "Mish", "Swish", "ThresholdedRelu"),
        *("Clip", "Abs", "Neg", "Exp", "Sqrt", "Sin", "Cos", "Atan", "Floor", "Ceil", "Round"),
        *("Sign", "Identity", "Cast", "Not", "IsNaN", "IsInf", "Shrink", "Dropout"),
    }
)
# Operators that broadcast several inputs; the divisor of a quotient is frozen.
_BROADCAST = frozenset(
    {
        *("Add", "Sub", "Mul", "Max", "Min", "Sum", "Mean", "PRelu", "And", "Or", "Xor"),
        *("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Where"),
    }
)
_POOLS = frozenset(
    {*("MaxPool", "AveragePool", "LpPool"), *("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")}
)
_REDUCTIONS = frozenset(
    f"Reduce{what}"
    for what in (
        "Mean",
        "Sum",
        "Max",
        "Min",
        "L1",
        "L2",
        "SumSquare",
        "Prod",
        "LogSumExp",
        "LogSum",
    )
)
# The result of these for a stored tensor is treated as a weight as well.
_STILL_WEIGHTS = frozenset({"Identity", "Cast", "Transpose"})


# Joins the channels of a node; returns False if it cannot.
Rule = Callable[["ChannelWalk", int, Any], bool]


@dataclass(frozen=True)
class SizeRule:
    """Integers of a node that depend on the number of kept channels: a shape, or sizes of parts."""

    node: int
    where: int | str  # index of an input, or name of an attribute
    values: tuple[int, ...]  # as in the file
    follows: Mapping[int, Numbers]  # position in `values` -> channels to count


@dataclass
class ChannelWalk:
    """Visits the nodes of a graph in order, and joins the channels of their values.

    A method for an operator takes the number and the node, and returns False if it cannot join its
    channels, so that the caller freezes them; what it joined before remains.
    """

    model: Any
    inferred: Any
    file: ModelFile
    channels: ChannelNumbers = field(default_factory=ChannelNumbers)
    values: dict[str, Axes | None] = field(default_factory=dict)
    stored: dict[str, Any] = field(default_factory=dict)  # tensors by value name
    # Values that are a stored, possibly transposed tensor: its name, and for each axis the axis of
    # the tensor.
    weights: dict[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    # Integer constants of the graph, 1-D.
    constants: dict[str, tuple[int, ...]] = field(default_factory=dict)
    # (tensor, axis) pairs that are summed over
    summed: set[tuple[str, int]] = field(default_factory=set)
    blocks: list[ReshapeBlock] = field(default_factory=list)
    sizes: list[SizeRule] = field(default_factory=list)
    depthwise: dict[int, Numbers] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        graph = self.model.graph
        self.opset = max((o.version for o in self.model.opset_import if not o.domain), default=1)
        self.shapes: dict[str, tuple[int | None, ...]] = {}
        inferred = self.inferred.graph
        for info in (*inferred.value_info, *inferred.input, *inferred.output):
            kind = info.type.tensor_type
            if info.type.HasField("tensor_type") and kind.HasField("shape"):
                self.shapes[info.name] = tuple(
                    d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim
                )
        self.consumers: dict[str, list[Any]] = {}
        # Values used by graph outputs or subgraphs.
        self.seen = {output.name for output in graph.output}
        for tensor in graph.initializer:
            self.stored[tensor.name] = tensor
        for node in graph.node:
            self.seen |= _names_inside(node)
            for name in node.input:
                self.consumers.setdefault(name, []).append(node)
            if node.op_type == "Constant" and _is_plain(node):
                value = next((a.t for a in node.attribute if a.name == "value"), None)
                if value is not None:
                    self.stored[node.output[0]] = value
                number, numbers = attribute_of(node, "value_int"), attribute_of(node, "value_ints")
                if number is not None or numbers is not None:
                    self.constants[node.output[0]] = tuple(numbers or (number,))
        for name, tensor in self.stored.items():
            self.shapes[name] = tuple(tensor.dims)
            self.weights[name] = name, tuple(range(len(tensor.dims)))
        self.channels.reason = "its units cannot be removed"
        readable = {t.name: t.dtype for t in self.file.tensors if not t.unreadable and not t.nested}
        for name in self.stored:
            dtype = readable.get(name, "")
            if not dtype or not DTYPES[dtype].prunable:
                self._freeze_values(name)
        self.channels.reason = "it is an input of the graph"
        for info in graph.input:
            if info.name not in self.stored:
                self._freeze_values(info.name)
        self.channels.reason = IS_GRAPH_OUTPUT
        for info in graph.output:
            self._freeze_values(info.name)

    # -- values ------------------------------------------------------------------------------------

    def axes(self, name: str) -> Axes | None:
        """Return the channel numbers of a value; None if its shape is unknown.

        They are created by the first call, and kept.
        """
        if name not in self.values:
            shape = self.shapes.get(name)
            self.values[name] = (
                None
                if shape is None
                else tuple(None if n is None else self.channels.new(n) for n in shape)
            )
        return self.values[name]

    def _freeze_values(self, *names: str) -> None:
        for name in names:
            if name:
                self.channels.freeze(*(self.axes(name) or ()))

    def _integers(self, name: str) -> tuple[int, ...] | None:
        """Return a constant integer tensor as a flat tuple; None if computed or not stored here.

        None as well for other types than int32 and int64.
        """
        if name in self.constants:
            return self.constants[name]
        tensor = self.stored.get(name)
        if tensor is None or tensor.data_type not in {6, 7} or tensor.data_location:
            return None
        from onnx import numpy_helper

        try:
            return tuple(numpy_helper.to_array(tensor).reshape(-1).tolist())
        except ValueError:  # its data was removed because it is large
            return None

    def _axes_given(self, node: Any, place: int) -> tuple[int, ...] | None:
        """Return the axes given by the attribute "axes", or else by the input at index `place`.

        () if there is neither; None if the input is not a constant.
        """
        given = attribute_of(node, "axes")
        if given is not None:
            return tuple(given)
        if len(node.input) > place and node.input[place]:
            return self._integers(node.input[place])
        return ()

    # -- nodes -------------------------------------------------------------------------------------

    def _visit(self, number: int, node: Any) -> None:
        """Apply the rule of a node; freeze all of its values if there is none or it returns False.

        A stored tensor that the node only casts or transposes counts as a weight under its new
        name.
        """
        self.used.update(node.input)
        op = node.op_type
        self.channels.reason = f"'{op}' needs all of its channels"
        if op == "Constant" and node.output[0] in self.stored:
            return
        known = [name for name in (*node.input, *node.output) if name]
        complete = all(self.axes(name) is not None for name in known)
        rule = (
            self._RULES.get(op) if complete and _is_plain(node) and not _subgraphs(node) else None
        )
        if rule is None or not rule(self, number, node):
            self._freeze_values(*known, *_names_inside(node))
            return
        if op in _STILL_WEIGHTS and node.input[0] in self.weights:
            name, axes = self.weights[node.input[0]]
            order = tuple(range(len(axes)))
            if op == "Transpose":
                order = tuple(attribute_of(node, "perm") or reversed(order))
            self.weights[node.output[0]] = name, tuple(axes[n] for n in order)

    def _known(self, name: str) -> Axes:
        axes = self.axes(name)
        if axes is None:
            raise LookupError("a node lacks a value that it needs")
        return axes

    def _elementwise(self, _number: int, node: Any) -> bool:
        first = node.input[:1] if node.op_type in {"Clip", "Dropout", "Cast"} else node.input
        outs = [self._known(name) for name in node.output if name]
        for name in first:
            for out in outs:
                self._broadcast(self._known(name), out)
        return True

    def _broadcast(self, value: Axes, out: Axes) -> bool:
        """Join a value with its broadcast result, axis by axis from the last."""
        for axis, to in zip(reversed(value), reversed(out), strict=False):
            if axis is None or axis.size != 1:
                self.channels.join(axis, to)
        return True

    def _div(self, number: int, node: Any) -> bool:
        divisor = self._known(node.input[1])
        # a cut channel would be 0 / 0 in a file of the same size with zeros
        self.channels.freeze(*divisor)
        return self._elementwise(number, node)

    def _pass(self, value: Axes, out: Axes, pairs: Iterable[tuple[int, int]]) -> bool:
        """Join pairs of axes of an input and an output; freeze their other axes. Return True."""
        pairs = tuple(pairs)
        for one, other in pairs:
            self.channels.join(value[one], out[other])
        ones, others = {a for a, _ in pairs}, {b for _, b in pairs}
        self.channels.freeze(*(a for n, a in enumerate(value) if n not in ones))
        self.channels.freeze(*(a for n, a in enumerate(out) if n not in others))
        return True

    def _pool(self, _number: int, node: Any) -> bool:
        if len([name for name in node.output if name]) > 1:
            return False  # the second output has indices that count channels
        return self._pass(self._known(node.input[0]), self._known(node.output[0]), ((0, 0), (1, 1)))

    def _conv(self, number: int, node: Any) -> bool:
        """Join input and output channels with the weight; only for one group or depthwise."""
        x, out = self._known(node.input[0]), self._known(node.output[0])
        weight = self._known(node.input[1])
        if node.input[1] not in self.weights or len(x) < 3 or x[1] is None or weight[0] is None:
            return False
        group = attribute_of(node, "group") or 1
        transposed = node.op_type == "ConvTranspose"
        rows, columns = (weight[1], weight[0]) if transposed else (weight[0], weight[1])
        if group == 1:
            self.channels.join(columns, x[1])
            self._sums(node.input[1], 0 if transposed else 1)
        elif group == x[1].size and out[1] is not None and out[1].size % group == 0:
            each = out[1].size // group
            if transposed and each > 1:
                return False
            rows = columns if transposed else rows
            self.channels.join(np.repeat(x[1], each), out[1])
            self.depthwise[number] = x[1]
        else:
            return False
        self.channels.join(rows, out[1])
        if len(node.input) > 2 and node.input[2]:
            self.channels.join(self._known(node.input[2])[0], out[1])
        self.channels.freeze(*weight[2:])
        return self._pass(x[:1] + x[2:], out[:1] + out[2:], ((0, 0),))

    def _sums(self, name: str, axis: int) -> None:
        """Record that a weight is summed over along an axis."""
        stored, axes = self.weights[name]
        self.summed.add((stored, axes[axis]))

    def _gemm(self, _number: int, node: Any) -> bool:
        """Join the channels of a product with a stored matrix; False for any other."""
        a, b = self._known(node.input[0]), self._known(node.input[1])
        out = self._known(node.output[0])
        if node.input[1] not in self.weights or attribute_of(node, "transA"):
            return False
        transposed = bool(attribute_of(node, "transB"))
        rows, columns = (b[0], b[1]) if transposed else (b[1], b[0])
        self._sums(node.input[1], 1 if transposed else 0)
        self.channels.join(columns, a[1])
        self.channels.join(rows, out[1])
        self.channels.join(a[0], out[0])
        if len(node.input) > 2 and node.input[2]:
            self._broadcast(self._known(node.input[2]), out)
        return True

    def _matmul(self, _number: int, node: Any) -> bool:
        """Join the channels of a product; freeze the summed axis unless one is a stored matrix."""
        a, b = self._known(node.input[0]), self._known(node.input[1])
        out = self._known(node.output[0])
        if min(len(a), len(b)) < 2 or len(out) != max(len(a), len(b)):
            return False
        right = node.input[1] in self.weights and len(b) == 2
        left = node.input[0] in self.weights and len(a) == 2
        if right or left:
            self.channels.join(a[-1], b[-2])
            name = node.input[1] if right else node.input[0]
            self._sums(name, 0 if right else 1)
        else:
            self.channels.freeze(a[-1], b[-2])
        for one, other in ((a[-2], out[-2]), (b[-1], out[-1])):
            self.channels.join(one, other)
        self._broadcast(a[:-2], out[:-2])
        self._broadcast(b[:-2], out[:-2])
        return True

    def _batchnormalization(self, _number: int, node: Any) -> bool:
        if len([name for name in node.output if name]) > 1 or attribute_of(node, "training_mode"):
            return False
        x = self._known(node.input[0])
        for name in node.input[1:]:
            self.channels.join(self._known(name)[0], x[1])
        return self._broadcast(x, self._known(node.output[0]))

    def _layernormalization(self, _number: int, node: Any) -> bool:
        """Freeze the normalized axes with scale and bias, and join the others."""
        x = self._known(node.input[0])
        axis = attribute_of(node, "axis")
        axis = (-1 if axis is None else axis) % len(x)
        self._freeze_values(*node.input[1:])
        if len([name for name in node.output if name]) > 1:
            return False
        self.channels.freeze(*x[axis:])
        return self._broadcast(x, self._known(node.output[0]))

    def _softmax(self, _number: int, node: Any) -> bool:
        """Freeze the axis of a softmax (before opset 13 all from it on), and join the others."""
        x = self._known(node.input[0])
        axis = attribute_of(node, "axis")
        if self.opset < 13:
            axis = (1 if axis is None else axis) % len(x)
            self.channels.freeze(*x[axis:])
        else:
            self.channels.freeze(x[-1 if axis is None else axis])
        return self._broadcast(x, self._known(node.output[0]))

    def _reduction(self, _number: int, node: Any) -> bool:
        """Freeze the reduced axes and join the others; False if the axes are not constant."""
        x, out = self._known(node.input[0]), self._known(node.output[0])
        axes = self._axes_given(node, 1)
        if axes is None:
            return False
        if not axes:
            axes = () if attribute_of(node, "noop_with_empty_axes") else tuple(range(len(x)))
        reduced_axes = {axis % len(x) for axis in axes}
        left = [n for n in range(len(x)) if n not in reduced_axes]
        keep = attribute_of(node, "keepdims")
        if keep is None or keep:
            return self._pass(x, out, ((n, n) for n in left))
        return self._pass(x, out, zip(left, range(len(left)), strict=True))

    def _transpose(self, _number: int, node: Any) -> bool:
        x, out = self._known(node.input[0]), self._known(node.output[0])
        order = attribute_of(node, "perm") or tuple(reversed(range(len(x))))
        for to, axis in enumerate(order):
            self.channels.join(x[axis], out[to])
        return True

    def _reshape(self, number: int, node: Any) -> bool:
        if len(node.input) < 2:
            return False
        shape = self._integers(node.input[1])
        return shape is not None and self._reshaped(number, node, shape)

    def _reshaped(self, number: int, node: Any, shape: tuple[int, ...] | None = None) -> bool:
        """Join the axes of a reshape; record which sizes of `shape` are to change.

        `shape` is its second input, None for operators without such an input. False if the axes
        cannot be aligned.
        """
        x, out = self._known(node.input[0]), self._known(node.output[0])
        if not join_reshape(self.channels, x, out, self.blocks):
            return False
        if shape is not None:
            follows = {
                place: axis
                for place, (extent, axis) in enumerate(zip(shape, out, strict=True))
                if extent > 1 and axis is not None
            }
            self._rule(number, 1, shape, follows)
        return True

    def _rule(
        self, number: int, where: int | str, values: Iterable[int], follows: Mapping[int, Numbers]
    ) -> None:
        if follows:
            self.sizes.append(SizeRule(number, where, tuple(values), follows))

    def _concat(self, _number: int, node: Any) -> bool:
        """Join each input with its part of the output along the axis, and all other axes."""
        out = self._known(node.output[0])
        axis = (attribute_of(node, "axis") or 0) % len(out)
        start = 0
        whole = out[axis]
        for name in node.input:
            x = self._known(name)
            one = x[axis]
            if one is None or whole is None:
                return False
            self.channels.join(one, whole[start : start + one.size])
            start += one.size
            self._broadcast(x[:axis], out[:axis])
            self._broadcast(x[axis + 1 :], out[axis + 1 :])
        return True

    def _split(self, number: int, node: Any) -> bool:
        """Join each output with its part of the input along the axis, and all other axes.

        Also record that the sizes of the parts are to change. False if these are unknown.
        """
        x = self._known(node.input[0])
        axis = (attribute_of(node, "axis") or 0) % len(x)
        whole = x[axis]
        if whole is None:
            return False
        outs = [self._known(name) for name in node.output]
        extents = [extent_of(out[axis]) for out in outs]
        if None in extents or sum(n or 0 for n in extents) != whole.size:
            return False
        start = 0
        follows: dict[int, Numbers] = {}
        for place, out in enumerate(outs):
            part = out[axis]
            assert part is not None
            piece = whole[start : start + part.size]
            follows[place] = piece
            self.channels.join(piece, part)
            start += part.size
            self._broadcast(x[:axis], out[:axis])
            self._broadcast(x[axis + 1 :], out[axis + 1 :])
        where: int | str = "split" if self.opset < 13 else 1
        self._rule(number, where, [n or 0 for n in extents], follows)
        return True

    def _slice(self, number: int, node: Any) -> bool:
        """Join sliced channels of step 1, freeze those of other steps, and join the other axes.

        Also record that starts and ends are to change. False if these are not constant.
        """
        x, out = self._known(node.input[0]), self._known(node.output[0])
        if len(node.input) < 3:
            return False
        starts, ends = self._integers(node.input[1]), self._integers(node.input[2])
        axes = self._axes_given(node, 3)
        if starts is None or ends is None or axes is None:
            return False
        axes = axes or tuple(range(len(starts)))
        steps: tuple[int, ...] | None = (1,) * len(axes)
        if len(node.input) > 4 and node.input[4]:
            steps = self._integers(node.input[4])
        if steps is None:
            return False
        new_starts: dict[int, Numbers] = {}
        new_ends: dict[int, Numbers] = {}
        sliced = {axis % len(x): place for place, axis in enumerate(axes)}
        for axis, (one, other) in enumerate(zip(x, out, strict=True)):
            place = sliced.get(axis)
            if place is None:
                self.channels.join(one, other)
                continue
            if one is None or other is None or steps[place] != 1:
                self.channels.freeze(one, other)
                continue
            start, end, _ = slice(starts[place], ends[place]).indices(one.size)
            self.channels.join(one[start:end], other)
            if start:
                new_starts[place] = one[:start]
            if end < one.size or 0 < ends[place] <= one.size:
                new_ends[place] = one[:end]
        # All ends are stored: a negative end would count from a changed end.
        self._rule(number, 1, starts, new_starts)
        self._rule(number, 2, ends, new_ends)
        return True

    def _pad(self, _number: int, node: Any) -> bool:
        """Join the axes that are not padded, freeze the others; False if the pads are unknown."""
        x, out = self._known(node.input[0]), self._known(node.output[0])
        pads = attribute_of(node, "pads")
        if pads is None:
            pads = self._integers(node.input[1]) if len(node.input) > 1 else None
        if pads is None or (len(node.input) > 3 and node.input[3]) or len(pads) != 2 * len(x):
            return False
        plain = [n for n in range(len(x)) if not pads[n] and not pads[n + len(x)]]
        return self._pass(x, out, ((n, n) for n in plain))

    def _resize(self, number: int, node: Any) -> bool:
        """Join axes of equal extent and freeze the others; record the sizes that are to change."""
        x, out = self._known(node.input[0]), self._known(node.output[0])
        if attribute_of(node, "axes") is not None:
            return False
        same = [n for n in range(len(x)) if extent_of(x[n]) == extent_of(out[n]) is not None]
        if len(node.input) > 3 and node.input[3]:
            sizes = self._integers(node.input[3])
            if sizes is None:
                return False
            follows = {n: axis for n in same if (axis := out[n]) is not None and axis.size > 1}
            self._rule(number, 3, sizes, follows)
        return self._pass(x, out, ((n, n) for n in same))

    def _expand(self, _number: int, node: Any) -> bool:
        """Join a value with its broadcast result, and freeze the axes that the shape sets."""
        x, out = self._known(node.input[0]), self._known(node.output[0])
        shape = self._integers(node.input[1])
        if shape is None:
            return False
        self._broadcast(x, out)
        for extent, axis in zip(reversed(shape), reversed(out), strict=False):
            if extent != 1:
                self.channels.freeze(axis)
        return True

    def _gather(self, _number: int, node: Any) -> bool:
        """Freeze the index and the axis that it selects from, and join the other axes."""
        data, index = self._known(node.input[0]), self._known(node.input[1])
        out = self._known(node.output[0])
        axis = (attribute_of(node, "axis") or 0) % len(data)
        self.channels.freeze(*index)
        rest = [n for n in range(len(data)) if n != axis]
        to = [n if n < axis else n + len(index) - 1 for n in rest]
        return self._pass(data, out, zip(rest, to, strict=True))

    def _shape(self, _number: int, node: Any) -> bool:
        """Freeze the axes whose extents other nodes or outputs of the graph may use."""
        x = self._known(node.input[0])
        start, end = attribute_of(node, "start") or 0, attribute_of(node, "end")
        seen = list(range(len(x)))[start : len(x) if end is None else end]
        looked_at: set[int] = set()
        for consumer in self.consumers.get(node.output[0], ()):
            index = None
            if consumer.op_type == "Gather" and consumer.input[0] == node.output[0]:
                index = self._integers(consumer.input[1])
            looked_at.update(seen if index is None else [seen[n] for n in index])
        if node.output[0] in self.seen:
            looked_at.update(seen)
        self.channels.freeze(*(x[n] for n in looked_at))
        self._freeze_values(node.output[0])
        return True

    _RULES: ClassVar[Mapping[str, Rule]] = {
        **dict.fromkeys(_ELEMENTWISE | _BROADCAST, _elementwise),
        **dict.fromkeys(_POOLS, _pool),
        **dict.fromkeys(_REDUCTIONS, _reduction),
        **dict.fromkeys(("Div", "Pow"), _div),
        **dict.fromkeys(("Conv", "ConvTranspose"), _conv),
        "Gemm": _gemm,
        "MatMul": _matmul,
        **dict.fromkeys(("BatchNormalization", "InstanceNormalization"), _batchnormalization),
        "LayerNormalization": _layernormalization,
        **dict.fromkeys(("Softmax", "LogSoftmax"), _softmax),
        "Transpose": _transpose,
        **dict.fromkeys(("Squeeze", "Unsqueeze", "Flatten"), _reshaped),
        "Reshape": _reshape,
        "Concat": _concat,
        "Split": _split,
        "Slice": _slice,
        "Pad": _pad,
        **dict.fromkeys(("Resize", "Upsample"), _resize),
        "Expand": _expand,
        "Gather": _gather,
        "Shape": _shape,
    }

    def run(self, job: Job) -> Numbers:
        """Visit all nodes; return the smallest number joined with each number.

        Call it once. `job` can cancel. Raises `LookupError` or `ValueError` or `ZeroDivisionError`
        if a node violates the definition of its operator.
        """
        for number, node in enumerate(self.model.graph.node):
            job.cancel.check()
            self._visit(number, node)
        settle_blocks(self.channels, self.blocks, job)
        return self.channels.representatives()


def _is_plain(node: Any) -> bool:
    return node.domain in {"", "ai.onnx"}


def attribute_of(node: Any, name: str) -> Any:
    """Return the value of an attribute of a node; None if it has no such attribute.

    Texts are bytes, lists of numbers are lists, as `onnx.helper` returns them.
    """
    from onnx import helper

    for attribute in node.attribute:
        if attribute.name == name:
            return helper.get_attribute_value(attribute)
    return None


def _subgraphs(node: Any) -> list[Any]:
    return [g for a in node.attribute for g in (*a.graphs, *([a.g] if a.HasField("g") else ()))]


def _names_inside(node: Any) -> set[str]:
    """Return the names of values that subgraphs of a node use, at any depth.

    They may be values of the outer graph or of the subgraph itself.
    """
    names: set[str] = set()
    for graph in _subgraphs(node):
        names.update(output.name for output in graph.output)
        for inner in graph.node:
            names.update(inner.input)
            names |= _names_inside(inner)
    return names
