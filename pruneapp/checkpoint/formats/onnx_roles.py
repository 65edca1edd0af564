"""Determine the roles of the tensors of an ONNX model from the operators that read them.

A tensor is a weight if an operator reads it as its weight (`WEIGHTS`), directly or through
operators that only rearrange or convert it (`_PASSING`), branches, and local functions. All other
tensors are constants of the graph: an anchor table, a slope, a mask, a scale, a shape.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pruneapp.checkpoint.entry import STATISTICS

CONSTANT = "constant"
_CONV, _LINEAR, _RECURRENT, _BIAS = "Conv", "Linear", "recurrent", "bias"
_NORM, _EMBEDDING = "norm", "embedding"
# Kinds of uses only: a scale or zero point; a tensor that is added to the product with a weight.
_SCALE, _ADDED = "scale", "added"
_CONVOLUTIONS = {2: "Conv1d", 3: "Conv1d", 4: "Conv2d", 5: "Conv3d"}

# Domains of the operators of ONNX and of ONNX Runtime.
_ONNX_DOMAINS = frozenset({"", "ai.onnx", "ai.onnx.ml"})
_RUNTIME_DOMAINS = frozenset(
    {"com.microsoft", "com.microsoft.nchwc", "com.ms.internal.nhwc", "com.ms.internal.nchw"}
)


def _kinds_by_operator(*rows: tuple[str, Mapping[int, str]]) -> dict[str, Mapping[int, str]]:
    return {op: kinds for ops, kinds in rows for op in ops.split()}


# The kind of the tensor at each input of an operator; other inputs are constants.
WEIGHTS: Mapping[str, Mapping[int, str]] = _kinds_by_operator(
    ("Conv ConvTranspose", {1: _CONV, 2: _BIAS}),
    ("DeformConv", {1: _CONV, 3: _BIAS}),
    ("ConvInteger", {1: _CONV}),
    ("Gemm", {0: _LINEAR, 1: _LINEAR, 2: _BIAS}),
    ("MatMul MatMulInteger", {0: _LINEAR, 1: _LINEAR}),
    ("Einsum", dict.fromkeys(range(8), _LINEAR)),
    ("LSTM GRU RNN", {1: _RECURRENT, 2: _RECURRENT, 3: _BIAS}),
    ("Gather", {0: _EMBEDDING}),
    ("BatchNormalization", {1: _NORM, 2: _NORM, 3: STATISTICS, 4: STATISTICS}),
    ("InstanceNormalization LayerNormalization GroupNormalization", {1: _NORM, 2: _NORM}),
    ("RMSNormalization SimplifiedLayerNormalization", {1: _NORM}),
    ("QLinearConv", {3: _CONV, 8: _BIAS}),
    ("QLinearMatMul", {0: _LINEAR, 3: _LINEAR}),
)
# Likewise for operators of ONNX Runtime, whose domains also include those of ONNX.
RUNTIME_WEIGHTS: Mapping[str, Mapping[int, str]] = _kinds_by_operator(
    *WEIGHTS.items(),
    ("Attention PackedAttention QAttention", {1: _LINEAR, 2: _BIAS}),
    ("LongformerAttention", {1: _LINEAR, 2: _BIAS, 4: _LINEAR, 5: _BIAS}),
    ("DecoderAttention", {2: _LINEAR, 3: _LINEAR, 4: _BIAS}),
    ("MultiHeadAttention PackedMultiHeadAttention", {3: _BIAS}),
    ("FusedConv NhwcConv NhwcFusedConv", {1: _CONV, 2: _BIAS}),
    ("FusedMatMul TransposeMatMul FusedMatMulActivation", {0: _LINEAR, 1: _LINEAR}),
    ("FusedGemm GemmFloat8", {0: _LINEAR, 1: _LINEAR, 2: _BIAS}),
    ("GemmFastGelu", {1: _LINEAR, 2: _BIAS}),
    ("SparseToDenseMatMul", {1: _LINEAR}),
    ("MatMulInteger16", {0: _LINEAR, 1: _LINEAR}),
    ("MatMulIntegerToFloat", {0: _LINEAR, 1: _LINEAR, 6: _BIAS}),
    ("DynamicQuantizeMatMul", {1: _LINEAR, 4: _BIAS}),
    ("DynamicQuantizeLSTM", {1: _RECURRENT, 2: _RECURRENT, 3: _BIAS}),
    ("QGemm", {0: _LINEAR, 3: _LINEAR, 6: _BIAS}),
    ("MatMulNBits", {1: _LINEAR, 5: _BIAS}),
    ("MatMulBnb4 MatMulFpQ4", {1: _LINEAR}),
    ("GatherBlockQuantized", {0: _EMBEDDING}),
    ("MoE", {2: _LINEAR, 3: _BIAS, 4: _LINEAR, 5: _BIAS, 6: _LINEAR, 7: _BIAS}),
    ("QMoE", {2: _LINEAR, 4: _BIAS, 5: _LINEAR, 7: _BIAS, 8: _LINEAR, 10: _BIAS}),
    ("BiasGelu FastGelu BiasAdd BiasSplitGelu", {1: _BIAS}),
    (
        "EmbedLayerNormalization QEmbedLayerNormalization",
        {2: _EMBEDDING, 3: _EMBEDDING, 4: _EMBEDDING, 5: _NORM, 6: _NORM},
    ),
    ("SkipLayerNormalization", {2: _NORM, 3: _NORM, 4: _BIAS}),
    ("SkipSimplifiedLayerNormalization", {2: _NORM, 3: _BIAS}),
    ("GroupNorm SkipGroupNorm", {1: _NORM, 2: _NORM, 4: _BIAS}),
)
# Operators whose output is a product with a weight, so that a vector added to it is a bias.
_PRODUCTS = frozenset(
    {"MatMul", "Gemm", "MatMulInteger", "FusedMatMul", "TransposeMatMul", "Einsum", "MatMulNBits"}
    | {"MatMulIntegerToFloat", "MatMulBnb4", "MatMulFpQ4", "Conv", "ConvTranspose"}
)
# Operators that return their first input rearranged, converted, or a part of it.
_PASSING = frozenset(
    {"Identity", "Cast", "CastLike", "Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze"}
    | {"Split", "Slice", "QuantizeLinear", "DequantizeLinear"}
)
# Operators that use only the shape of a tensor.
_SHAPE_ONLY = frozenset({"Shape", "Size"})
# Operators whose weights are packed or integers, with the names of the quantizers.
QUANTIZED: Mapping[str, str] = {
    "DequantizeLinear": "ONNX QDQ",
    "QuantizeLinear": "ONNX QDQ",
    "MatMulNBits": "ONNX MatMulNBits",
    "GatherBlockQuantized": "ONNX GatherBlockQuantized",
    "MatMulBnb4": "bitsandbytes (ONNX MatMulBnb4)",
    "MatMulFpQ4": "ONNX MatMulFpQ4",
    **{
        op: f"ONNX {op}"
        for op in (
            *("QLinearConv", "QLinearMatMul", "ConvInteger", "MatMulInteger", "QAttention"),
            *("QEmbedLayerNormalization", "MatMulInteger16", "MatMulIntegerToFloat", "QGemm"),
            *("DynamicQuantizeMatMul", "DynamicQuantizeLSTM", "QMoE"),
            *("QLinearAdd", "QLinearMul", "QLinearConcat", "QLinearSigmoid", "QLinearLeakyRelu"),
            *("QLinearSoftmax", "QLinearAveragePool", "QLinearGlobalAveragePool", "QLinearWhere"),
            *("QLinearReduceMean",),
        )
    },
}
# Maximum nesting depth of calls of local functions.
_MAX_CALL_DEPTH = 32


class TensorRole(NamedTuple):
    """The role of a tensor in its graph."""

    kind: str  # as in `TensorEntry.kind`
    why_not: str = ""  # why it is not pruned, a clause; empty for weights, biases and norms
    is_quantized: bool = False  # whether it belongs to weights that are quantized


@dataclass(eq=False)
class Node:
    """A node of a graph."""

    op: str
    domain: str
    overload: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    branches: list[Scope] = field(default_factory=list)  # the graphs in its attributes


@dataclass(eq=False)
class Scope:
    """The namespace of a graph, of a branch, or of a local function."""

    parent: Scope | None = None  # the graph that contains a branch
    owner: Node | None = None  # the node whose attribute is a branch
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    tensors: dict[str, int] = field(default_factory=dict)  # elements of each stored tensor


class _Read(NamedTuple):
    scope: Scope
    node: Node
    position: int


class _Use(NamedTuple):
    """An operator that reads a tensor, and the kind of the tensor as its input."""

    op: str
    kind: str  # empty for an operator of an unknown domain
    quantizer: str = ""


class GraphUses:
    """Determines how the tensors of a model are used.

    Parameters
    ----------
    graph
        The main graph; its branches are found through its nodes.
    functions
        The local functions of the model by (domain, name, overload).
    """

    def __init__(self, graph: Scope, functions: Mapping[tuple[str, str, str], Scope]) -> None:
        """Index the producers, readers and results of all values of the graph and the functions."""
        self._functions = functions
        self._reads: dict[tuple[Scope, str], list[_Read]] = {}
        self._producers: dict[tuple[Scope, str], Node] = {}
        # For each value, the graphs that return it and its index in their outputs.
        self._results: dict[tuple[Scope, str], list[tuple[Scope, int]]] = {}
        self._scopes: list[Scope] = []
        self._calls: dict[tuple[Scope, int], tuple[frozenset[_Use], frozenset[int]]] = {}
        self._depth = 0
        for root in (graph, *functions.values()):
            self._add(root)
        defined = {scope: self._names_of(scope) for scope in self._scopes}
        for scope in self._scopes:
            for number, name in enumerate(scope.outputs):
                definer = _defining_scope(scope, name, defined)
                if definer is not None:
                    self._results.setdefault((definer, name), []).append((scope, number))
            for node in scope.nodes:
                for position, name in enumerate(node.inputs):
                    if name and (definer := _defining_scope(scope, name, defined)) is not None:
                        self._reads.setdefault((definer, name), []).append(
                            _Read(scope, node, position)
                        )

    def _add(self, root: Scope) -> None:
        """Add a graph or function and all branches in it, at any depth, to the known scopes."""
        queue = [root]
        while queue:
            scope = queue.pop()
            self._scopes.append(scope)
            for node in scope.nodes:
                self._producers.update(((scope, name), node) for name in node.outputs)
                queue += node.branches

    def _names_of(self, scope: Scope) -> set[str]:
        produced = (name for node in scope.nodes for name in node.outputs)
        return {*scope.inputs, *scope.tensors, *produced}

    def role_of(
        self, scope: Scope, name: str, shape: tuple[int, ...], *, is_float: bool
    ) -> TensorRole:
        """Return the role of the stored tensor `name` of the graph `scope`.

        Its kind is `CONSTANT` if any operator reads it as a constant or it is an output of the
        graph. `is_float` is whether it is a float of more than 8 bits. O(number of operators that
        it passes through).
        """
        uses, results = self._follow(scope, name, rank=len(shape))
        if results:
            uses.add(_Use("", CONSTANT))
        return _role(uses, shape, is_float=is_float)

    def _follow(self, scope: Scope, name: str, rank: int = 2) -> tuple[set[_Use], set[int]]:
        """Return the uses of a value, and the indices of the outputs of its root that it becomes.

        The root is the graph or function that contains all branches. The value is followed through
        branches, calls of local functions and operators that pass it on; `rank` is its number of
        dimensions.
        """
        uses: set[_Use] = set()
        results: set[int] = set()
        quantizers = {(scope, name): ""}
        queue = deque(quantizers)

        def reach(where: Scope, names: Iterable[str], quantizer: str) -> None:
            for one in names:
                if one and (where, one) not in quantizers:
                    quantizers[where, one] = quantizer
                    queue.append((where, one))

        while queue:
            at, value = queue.popleft()
            quantizer = quantizers[at, value]
            for returning_scope, number in self._results.get((at, value), ()):
                if returning_scope.parent is None or returning_scope.owner is None:
                    results.add(number)
                    continue
                position = number - (
                    returning_scope.owner.op == "Loop"
                )  # the condition is no output of the node
                if position >= 0:
                    reach(
                        returning_scope.parent,
                        returning_scope.owner.outputs[position : position + 1],
                        quantizer,
                    )
            for where, node, position in self._reads.get((at, value), ()):
                function = self._functions.get((node.domain, node.op, node.overload))
                if function is not None:
                    inner, passed = self._call(function, position)
                    uses |= {use._replace(quantizer=use.quantizer or quantizer) for use in inner}
                    outputs = (node.outputs[n] for n in passed if n < len(node.outputs))
                    reach(where, outputs, quantizer)
                elif (
                    node.op in {"Loop", "Scan"}
                    and node.branches
                    and (position > 1 or node.op == "Scan")
                ):
                    (body,) = node.branches[:1]
                    reach(body, body.inputs[position : position + 1], quantizer)
                elif self._is_passing(where, node, position, rank):
                    more = QUANTIZED.get(node.op, "")
                    reach(where, node.outputs, quantizer or more)
                else:
                    use = self._use(where, node, position)
                    uses.add(use._replace(quantizer=use.quantizer or quantizer))
        return uses, results

    def _call(self, function: Scope, position: int) -> tuple[frozenset[_Use], frozenset[int]]:
        """Return the uses of an input of a function, and the outputs that it becomes; cached.

        Both are empty if the function has no such input, calls itself, or is nested too deep.
        """
        key = function, position
        if key not in self._calls:
            self._calls[key] = frozenset(), frozenset()  # for recursive functions
            if position < len(function.inputs) and self._depth < _MAX_CALL_DEPTH:
                self._depth += 1
                uses, results = self._follow(function, function.inputs[position])
                self._depth -= 1
                self._calls[key] = frozenset(uses), frozenset(results)
        return self._calls[key]

    def _is_passing(self, scope: Scope, node: Node, position: int, rank: int) -> bool:
        """Return whether a node passes an input to its outputs as a potential weight.

        These are operators that rearrange or convert their first input, a product with or division
        by a single number, and for `rank` over 2 a selection of one of several matrices.
        """
        if node.domain not in _ONNX_DOMAINS and node.op not in QUANTIZED:
            return False
        if node.op in {"Mul", "Div"} and len(node.inputs) == 2:  # scaling by a single number
            other = node.inputs[1 - position]
            return (position == 0 or node.op == "Mul") and self._is_number(scope, other)
        if node.op == "Gather":  # selects one of several matrices, such as experts
            return position == 0 and rank > 2
        return node.op in _PASSING and position == 0

    def _is_number(self, scope: Scope | None, name: str) -> bool:
        while scope is not None and name not in scope.tensors:
            scope = scope.parent
        return scope is not None and scope.tensors[name] == 1

    def _use(self, scope: Scope, node: Node, position: int) -> _Use:
        """Return how a node uses its input at `position`; an empty kind for unknown operators.

        Unknown are operators of other domains, and of ONNX Runtime those not in the table.
        """
        op, domain = node.op, node.domain
        quantizer = QUANTIZED.get(op, "")
        if domain in _RUNTIME_DOMAINS:
            kinds = RUNTIME_WEIGHTS.get(op)
            if kinds is None and not quantizer:
                return _Use(op, "")
        elif domain in _ONNX_DOMAINS:
            kinds = WEIGHTS.get(op)
        else:
            return _Use(op, "")
        kind = (kinds or {}).get(position, CONSTANT)
        if quantizer and kind == CONSTANT:
            return _Use(op, _SCALE, quantizer)
        if op == "Add" and len(node.inputs) == 2:
            producer = self._producers.get((scope, node.inputs[1 - position]))
            if producer is not None and producer.op in _PRODUCTS:
                return _Use(op, _ADDED)
        return _Use(op, kind, quantizer)


def _defining_scope(
    scope: Scope | None, name: str, defined: Mapping[Scope, set[str]]
) -> Scope | None:
    """Return the graph that defines a name: the given one or one that contains it, else None."""
    while scope is not None and name not in defined[scope]:
        scope = scope.parent
    return scope


def _role(uses: Iterable[_Use], shape: tuple[int, ...], *, is_float: bool) -> TensorRole:
    """Return the role of a tensor of a shape with these uses. The first that applies is returned.

    Without uses other than of its shape, as a scale, or as a constant, it is `CONSTANT` with a
    reason. Otherwise the kind follows from the uses; running statistics and quantized weights have
    a reason.
    """
    rank = len(shape)
    read = [_resolve(use, rank) for use in sorted(uses) if use.op not in _SHAPE_ONLY]
    if not read:
        return TensorRole(CONSTANT, "no operator of the graph reads its numbers")
    scale = next((use for use in read if use.kind == _SCALE), None)
    if scale is not None:
        return TensorRole(CONSTANT, f"it is a scale or zero point of {scale.quantizer}", True)
    constant = next((use for use in read if use.kind == CONSTANT), None)
    if constant is not None:
        op = constant.op
        return TensorRole(
            CONSTANT, f"'{op}' reads it as a constant" if op else "it is an output of the graph"
        )
    kind = _kind({use.kind for use in read}, rank)
    if kind == STATISTICS:
        return TensorRole(kind, "running statistics are measured, not learned")
    # A float tensor that the graph itself quantizes is an ordinary weight.
    quantizer = next((use.quantizer for use in read if use.quantizer), "")
    if quantizer and not (is_float and all(use.op not in QUANTIZED for use in read)):
        return TensorRole(kind, f"it is part of weights quantized as {quantizer}", True)
    return TensorRole(kind)


def _resolve(use: _Use, rank: int) -> _Use:
    """Return a use with its kind resolved by the number of dimensions of the tensor."""
    if use.kind == _ADDED:
        return use._replace(kind=_BIAS if rank == 1 else CONSTANT)
    if use.kind == _EMBEDDING and rank < 2:
        return use._replace(kind=CONSTANT)
    return use


def _kind(kinds: set[str], rank: int) -> str:
    """Return the layer kind of a tensor of `rank` dimensions with these kinds of uses.

    Of several kinds the first of embedding, convolution, linear, recurrent, statistics, norm and
    bias is used; "parameter" without any of them.
    """
    if _EMBEDDING in kinds:
        return _EMBEDDING
    if _CONV in kinds:
        return _CONVOLUTIONS.get(rank, "parameter")
    if _LINEAR in kinds:
        return _LINEAR if rank > 1 else "parameter"
    return next((k for k in (_RECURRENT, STATISTICS, _NORM, _BIAS) if k in kinds), "parameter")
