"""Find the channel groups of a torch.export program: of a `.pt2` file, or of a traced model.

As for ONNX models, operators join the numbers of channels (`pruneapp.groups.channel_numbers`), and
unknown operators freeze their values. Nothing is run, and torch is not imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.torchfile import exported_program
from pruneapp.checkpoint.torchfile.zip_format import member_content, zip_layout
from pruneapp.errors import JsonError, UnsupportedFileError
from pruneapp.groups.channel_numbers import (
    IS_MODEL_OUTPUT,
    Axes,
    ChannelGraph,
    ChannelNumbers,
    Numbers,
    ReshapeBlock,
    extent_of,
    group_units,
    join_reshape,
    settle_blocks,
    whole_layers,
)
from pruneapp.groups.trace import trace_of
from pruneapp.json_codec import load_object
from pruneapp.progress import Job

ATEN = "torch.ops.aten."
# Elementwise operators. Their result for 0 is irrelevant, because the weights that read it are 0.
_UNARY = frozenset(
    {
        *("relu", "hardtanh", "silu", "hardswish", "hardsigmoid", "sigmoid", "tanh", "gelu", "elu"),
        *("leaky_relu", "mish", "softplus", "dropout", "feature_dropout", "clone", "contiguous"),
        *("clamp", "relu6", "alias", "detach", "abs", "neg", "exp", "sqrt", "_to_copy"),
    }
)
_BINARY = frozenset({"add", "sub", "mul", "maximum", "minimum"})
_CONVOLUTIONS = frozenset({"conv1d", "conv2d", "conv3d"})
# Operators that reshape, with the name of the argument that has the sizes.
_RESHAPES = {"view": "size", "reshape": "shape"}
_POOLS = frozenset(
    f"{kind}_pool{n}d" for kind in ("max", "avg", "adaptive_avg", "adaptive_max") for n in (1, 2, 3)
)


@dataclass(frozen=True, eq=False, kw_only=True)
class ProgramGraph(ChannelGraph):
    """The graph of a program, its groups, and the nodes that must be changed when it is cut."""

    name: str  # of the program in its archive; "" for a traced model
    program: Mapping[str, Any]  # as parsed JSON
    axes: Mapping[str, Axes]  # of each value
    depthwise: Mapping[int, Numbers]  # channels of each depthwise convolution, by node number


def load_program(checkpoint: Checkpoint, job: Job) -> tuple[str, Mapping[str, Any]]:
    """Return the name of a torch.export program in its archive, and its parsed JSON.

    The name of the program of a traced model is "". `job` can cancel. Raises `CheckpointError` if
    the checkpoint is not such a program, contains several, or the text is no JSON object.
    """
    if (trace := trace_of(checkpoint)) is not None:
        return "", trace.program
    if checkpoint.format != exported_program.FORMAT:
        raise UnsupportedFileError(
            f"'{checkpoint.path}' is not a program of torch.export, so it contains no graph.",
            remedy="Open a .pt2 file.",
        )
    source = checkpoint.files[0]
    archive = zip_layout(source, job.cancel)
    name, *others = exported_program.programs(archive)
    if others:  # programs of an archive may share weights
        raise UnsupportedFileError(
            f"'{checkpoint.path}' contains several programs, which cannot be shrunk.",
            remedy="Export each into a separate file.",
        )
    member = exported_program.graph_of(name)
    text = member_content(source, archive, member, exported_program.MAX_GRAPH)
    with refuse_bad_graph(checkpoint):
        return name, load_object(text)


@contextmanager
def refuse_bad_graph(checkpoint: Checkpoint) -> Iterator[None]:
    """Convert the exceptions of reading an invalid program into `UnsupportedFileError`."""
    try:
        yield
    except (
        *(JsonError, LookupError, TypeError, AttributeError, ValueError),
        ZeroDivisionError,  # an axis out of range
    ) as error:
        raise UnsupportedFileError(
            f"The graph of '{checkpoint.path}' is not as torch.export writes it.",
            remedy="Export the model again.",
            details=repr(error),
        ) from None


def read_program(checkpoint: Checkpoint, job: Job) -> ProgramGraph:
    """Find the groups of a torch.export program or a traced model, without reading weights.

    There may be none. `job` can cancel. Raises `CheckpointError` if the checkpoint is not such a
    program, contains several, or its graph is invalid.
    """
    name, program = load_program(checkpoint, job)
    with refuse_bad_graph(checkpoint):
        walk = _ProgramWalk(program, checkpoint)
        walk.run(job)
    representative = walk.channels.representatives()
    groups, units = group_units(walk.stored, representative, walk.summed)
    return ProgramGraph(
        groups=groups,
        units=units,
        representative=representative,
        whole_layers=whole_layers(walk.channels, walk.stored, representative, walk.summed),
        name=name,
        program=program,
        axes=walk.values,
        depthwise=walk.depthwise,
    )


@dataclass
class _ProgramWalk:
    """Visits the nodes of a graph in order, and joins the channels of their values.

    A method for an operator returns False if it cannot join its channels, so that the caller
    freezes them; what it joined before remains.
    """

    program: Mapping[str, Any]
    checkpoint: Checkpoint
    channels: ChannelNumbers = field(default_factory=ChannelNumbers)
    values: dict[str, Axes] = field(default_factory=dict)
    weights: dict[str, str] = field(default_factory=dict)
    stored: dict[str, Axes] = field(default_factory=dict)  # by tensor name
    # (tensor, axis) pairs that are summed over
    summed: set[tuple[str, int]] = field(default_factory=set)
    depthwise: dict[int, Numbers] = field(default_factory=dict)
    blocks: list[ReshapeBlock] = field(default_factory=list)

    def run(self, job: Job) -> None:
        """Visit inputs, nodes and outputs; call it once. `job` can cancel.

        Inputs that are no stored tensors, and all outputs, are frozen. Raises `LookupError`,
        `TypeError`, `AttributeError`, `ValueError` or `ZeroDivisionError` for a graph that is
        invalid.
        """
        module = self.program["graph_module"]
        graph = module["graph"]
        self.channels.reason = "it is an input of the model"
        for spec in module["signature"]["input_specs"]:
            self._input(spec)
        for number, node in enumerate(graph["nodes"]):
            job.cancel.check()
            self._visit(number, node)
        self.channels.reason = IS_MODEL_OUTPUT
        for output in graph["outputs"]:
            self._freeze(*names_in(output))
        settle_blocks(self.channels, self.blocks, job)

    def _input(self, spec: Mapping[str, Any]) -> None:
        """Record the tensor of an input; freeze it if it is not stored, or cannot be cut.

        That is the case for strided, integer and shared tensors, and those of another shape.
        """
        ((kind, inside),) = spec.items()
        value = inside.get("arg", {}).get("name", "")
        name = inside.get(f"{kind}_name", "") if kind in {"parameter", "buffer"} else ""
        if not self.checkpoint.holds(name):
            self._freeze(*names_in(spec))
            return
        entry = self.checkpoint.entry(name)
        axes = self.stored.setdefault(entry.name, tuple(map(self.channels.new, entry.shape)))
        self.values[value] = axes
        self.weights[value] = entry.name
        whole = entry.location.strides is None and entry.dtype.name[0] not in "UI"
        if not whole or "shares memory" in entry.why_not or entry.shape != self._shape(value):
            self._freeze(value)

    def _shape(self, value: str) -> tuple[int | None, ...]:
        sizes = self.program["graph_module"]["graph"]["tensor_values"][value]["sizes"]
        return tuple(size.get("as_int") for size in sizes)

    def axes(self, value: str) -> Axes:
        """Return the channel numbers of a value."""
        if value not in self.values:
            shape = self._shape(value)
            self.values[value] = tuple(None if n is None else self.channels.new(n) for n in shape)
        return self.values[value]

    def _freeze(self, *values: str) -> None:
        tensors = self.program["graph_module"]["graph"]["tensor_values"]
        for value in values:
            if value in self.values or value in tensors:
                self.channels.freeze(*self.axes(value))

    # -- nodes -------------------------------------------------------------------------------------

    def _visit(self, number: int, node: Mapping[str, Any]) -> None:
        """Join the channels of a node by its operator; freeze all of its values if that fails."""
        target = node["target"]
        arguments = {each["name"]: each["arg"] for each in node["inputs"]}
        op = target.removeprefix(ATEN).partition(".")[0].rstrip("_")
        outputs = [output["as_tensor"]["name"] for output in node["outputs"] if _is_tensor(output)]
        self.channels.reason = f"'{op}' needs all of its channels"
        known = target.startswith(ATEN) and len(outputs) == len(node["outputs"]) == 1
        if not known or not self._join_operator(number, op, arguments, outputs[0]):
            self._freeze(*names_in(node["inputs"]), *names_in(node["outputs"]))

    def _join_operator(self, number: int, op: str, arguments: Mapping[str, Any], out: str) -> bool:
        """Join the channels of an operator's values; return False if the operator is unknown.

        `arguments` has its inputs by name, as in the JSON, and `out` is the name of its only
        output.
        """
        if op == "cat":
            return self._cat(arguments, out)
        given = {name: _tensor(arg) for name, arg in arguments.items()}
        value = given.get("self") or given.get("input") or ""
        tensors = [name for name in given.values() if name]
        if not value or any(set(names_in(arg)) - {given[name]} for name, arg in arguments.items()):
            return False  # a tensor passed in an unexpected way
        if op in _UNARY and len(tensors) == 1:
            return self._pairs(self.axes(value), self.axes(out))
        if op in _BINARY and len(tensors) == 2:
            return self._broadcast(tensors, out)
        if op in _CONVOLUTIONS and given.get("weight"):
            groups = arguments.get("groups", {"as_int": 1}).get("as_int")
            return self._convolution(number, value, given, groups, out)
        if op == "linear" and given.get("weight"):
            return self._linear(value, given, out)
        if op == "batch_norm":
            return self._norm(value, given, out)
        if op in _POOLS:
            spatial = int(op[-2])
            ours, theirs = self.axes(value), self.axes(out)
            self.channels.freeze(*ours[-spatial:], *theirs[-spatial:])
            return self._pairs(ours[:-spatial], theirs[:-spatial])
        if op == "flatten":
            return self._flatten(value, out)
        if op in _RESHAPES and len(tensors) == 1:
            return self._reshape(value, arguments.get(_RESHAPES[op], {}), out)
        if op == "mean" and "dim" in arguments:
            return self._mean(value, arguments, out)
        return False

    def _pairs(self, ones: Axes, others: Axes) -> bool:
        if len(ones) != len(others):
            return False
        for one, other in zip(ones, others, strict=True):
            self.channels.join(one, other)
        return True

    def _broadcast(self, values: Sequence[str], out: str) -> bool:
        """Join values with their broadcast result, axis by axis from the last; return True."""
        result = self.axes(out)
        for value in values:
            axes = self.axes(value)
            for one, other in zip(reversed(axes), reversed(result), strict=False):
                if one is None or other is None or one.size != 1 or other.size == 1:
                    self.channels.join(one, other)
        return True

    def _convolution(
        self, number: int, value: str, given: Mapping[str, str], groups: Any, out: str
    ) -> bool:
        """Join input and output channels with the weight; only for one group or depthwise.

        `given` has the names of tensor arguments. False otherwise.
        """
        weight, ours, theirs = given["weight"], self.axes(value), self.axes(out)
        axes = self.axes(weight)
        if weight not in self.weights or len(ours) != len(axes) or len(theirs) != len(axes):
            return False
        if groups == 1:
            self.channels.join(axes[1], ours[1])
            self.summed.add((self.weights[weight], 1))
        elif extent_of(axes[0]) == extent_of(ours[1]) == groups and extent_of(axes[1]) == 1:
            self.channels.join(axes[0], ours[1])
            assert axes[0] is not None
            self.depthwise[number] = axes[0]
        else:
            return False
        self.channels.join(axes[0], theirs[1])
        self.channels.join(ours[0], theirs[0])
        self.channels.freeze(*axes[2:], *ours[2:], *theirs[2:])
        if given.get("bias"):
            self.channels.join(self.axes(given["bias"])[0], theirs[1])
        return True

    def _linear(self, value: str, given: Mapping[str, str], out: str) -> bool:
        """Join the last axes with a stored matrix, and the others; False for any other weight."""
        weight, ours, theirs = given["weight"], self.axes(value), self.axes(out)
        axes = self.axes(weight)
        if weight not in self.weights or len(axes) != 2:
            return False
        self.channels.join(axes[1], ours[-1])
        self.channels.join(axes[0], theirs[-1])
        self.summed.add((self.weights[weight], 1))
        if given.get("bias"):
            self.channels.join(self.axes(given["bias"])[0], theirs[-1])
        return self._pairs(ours[:-1], theirs[:-1])

    def _norm(self, value: str, given: Mapping[str, str], out: str) -> bool:
        ours = self.axes(value)
        for name in ("weight", "bias", "running_mean", "running_var"):
            if given.get(name):
                self.channels.join(self.axes(given[name])[0], ours[1])
        return bool(given.get("running_mean")) and self._pairs(ours, self.axes(out))

    def _flatten(self, value: str, out: str) -> bool:
        return join_reshape(self.channels, self.axes(value), self.axes(out), self.blocks)

    def _reshape(self, value: str, sizes: Mapping[str, Any], out: str) -> bool:
        """Join the axes as `_flatten` does; freeze those whose size is a constant of the call.

        Only the size -1, which torch computes, may change. `sizes` is the argument with all sizes.
        """
        given = sizes.get("as_ints") or [
            each.get("as_int") for each in sizes.get("as_sym_ints", ())
        ]
        theirs = self.axes(out)
        if len(given) != len(theirs):
            return False
        self.channels.freeze(*(axis for n, axis in zip(given, theirs, strict=True) if n != -1))
        return self._flatten(value, out)

    def _mean(self, value: str, arguments: Mapping[str, Any], out: str) -> bool:
        """Freeze the reduced axes and join the others; False without dimensions."""
        ours, theirs = self.axes(value), self.axes(out)
        dims = {dim % len(ours) for dim in arguments["dim"].get("as_ints", ())}
        if not dims:
            return False
        keeps = arguments.get("keepdim", {}).get("as_bool", False)
        self.channels.freeze(*(ours[dim] for dim in dims))
        left = [axis for dim, axis in enumerate(ours) if dim not in dims]
        there = [axis for dim, axis in enumerate(theirs) if not keeps or dim not in dims]
        return self._pairs(tuple(left), tuple(there))

    def _cat(self, arguments: Mapping[str, Any], out: str) -> bool:
        """Join each value with its part of the result along the dimension, and all other axes."""
        values = [each["name"] for each in arguments["tensors"].get("as_tensors", ())]
        parts, theirs = [self.axes(value) for value in values], self.axes(out)
        dim = arguments.get("dim", {"as_int": 0})["as_int"] % len(theirs)
        along = [axes[dim] for axes in parts]
        if (
            not values
            or any(len(axes) != len(theirs) for axes in parts)
            or any(a is None for a in along)
        ):
            return False
        self.channels.join(np.concatenate([a for a in along if a is not None]), theirs[dim])
        for axes in parts:
            rest = [n for n in range(len(theirs)) if n != dim]
            self._pairs(tuple(axes[n] for n in rest), tuple(theirs[n] for n in rest))
        return True


def _is_tensor(argument: Mapping[str, Any]) -> bool:
    return "as_tensor" in argument


def _tensor(argument: Mapping[str, Any]) -> str:
    """Return the name of the value passed as an argument; "" if it is not a tensor."""
    name = argument["as_tensor"]["name"] if _is_tensor(argument) else ""
    return str(name)


def names_in(argument: Any) -> list[str]:
    """Return all texts under a key "name" in a part of the JSON, in any order."""
    found, left = [], [argument]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            if isinstance(one.get("name"), str):
                found.append(one["name"])
            left += one.values()
        elif isinstance(one, list):
            left += one
    return found
