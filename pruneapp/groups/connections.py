"""What feeds a tensor and what it feeds, from the graph of the file or the known structure.

Operators without weights are left out, except those that join several values (`_JOINS`). Without a
graph, the connections are those of known blocks and, for a family, those inside of its groups:
the tensors that compute a unit feed those that read it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple
from weakref import WeakKeyDictionary

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.onnx_roles import CONSTANT
from pruneapp.errors import CheckpointError
from pruneapp.groups.operator_graph import (
    INPUT,
    OUTPUT,
    Operator,
    OperatorGraph,
    has_operators,
    read_operators,
)
from pruneapp.groups.structure import Structure, Unknown, structure_of
from pruneapp.groups.trace import Trace, trace_of
from pruneapp.progress import Job

# Operators that join values computed by different layers, with their signs. Multiplications of a
# value with a function of itself, as in SiLU, join nothing and are left out.
_JOINS = {
    **dict.fromkeys(("Add", "Sum", "add"), "+"),
    **dict.fromkeys(("Mul", "mul"), "×"),
    **dict.fromkeys(("Concat", "cat"), "concat"),
    **dict.fromkeys(("MatMul", "matmul", "bmm"), "@"),
    **dict.fromkeys(("Attention", "scaled_dot_product_attention"), "attention"),
}
# Operators whose results depend on the shape of a value only.
_SHAPES = frozenset({"Shape", "Size", "sym_size"})
_NOT_READ = "No layer of the graph reads this tensor."
_NO_GRAPH = "Not known: the file contains no graph."
_EMBEDDING = "embedding"  # a `TensorEntry.kind`
# Number of stages shown on each side.
_STAGES = 2


class Link(NamedTuple):
    """A layer next to a tensor, or an operator that joins values."""

    label: str  # the layer without the parts of its name that the tensor in focus has, or a sign
    tensor: str = ""  # the tensor to go to; empty for an operator without tensors


@dataclass(frozen=True)
class Connections:
    """The neighborhood of a tensor, as a sequence of stages.

    A stage has one or several links that do not feed each other. `stages` is empty if nothing is
    known, with the reason in `why_not`, a sentence.
    """

    stages: tuple[tuple[Link, ...], ...] = ()
    focus: int = 0  # index of the stage that contains the tensor
    why_not: str = ""

    @property
    def needs_graph(self) -> bool:
        """Whether nothing is known because the file contains no graph."""
        return self.why_not == _NO_GRAPH


@dataclass(eq=False)
class _Layers:
    """Layers and joins with their connections, by index."""

    tensors: list[str] = field(default_factory=list)  # main tensor of each; "" for a join
    labels: list[str] = field(default_factory=list)
    before: list[tuple[int, ...]] = field(default_factory=list)
    after: list[list[int]] = field(default_factory=list)
    by_tensor: dict[str, int] = field(default_factory=dict)

    def add(self, label: str, tensors: Sequence[str] = (), before: Iterable[int] = ()) -> int:
        """Add a layer with its tensors, the main one first. Return its index."""
        number = len(self.labels)
        self.labels.append(label)
        self.tensors.append(next(iter(tensors), ""))
        self.before.append(())
        self.after.append([])
        for tensor in tensors:
            self.by_tensor.setdefault(tensor, number)
        for each in before:
            self.join(each, number)
        return number

    def join(self, first: int, second: int) -> None:
        """Add the connection from one layer to another, once."""
        if first not in self.before[second] and first != second:
            self.before[second] += (first,)
            self.after[first].append(second)


# By checkpoint: the trace of the model, if there is one, and the layers, or why there are none, a
# sentence.
_known: WeakKeyDictionary[Checkpoint, tuple[Trace | None, _Layers | str]] = WeakKeyDictionary()
_lock = threading.Lock()


def connections_of(checkpoint: Checkpoint, name: str, job: Job) -> Connections:
    """Return what feeds a tensor and what it feeds, two stages in each direction.

    `name` is its first name in the checkpoint. The first call for a checkpoint reads its graph,
    O(n) in its size; `job` can cancel. Thread-safe.
    """
    with _lock:
        trace = trace_of(checkpoint)
        found = _known.get(checkpoint)
        if found is None or found[0] is not trace:
            found = _known[checkpoint] = trace, _layers_of(checkpoint, job)
    layers = found[1]
    if isinstance(layers, str):
        return Connections(why_not=layers)
    number = layers.by_tensor.get(name)
    if number is None or not (layers.before[number] or layers.after[number]):
        has_graph = has_operators(checkpoint)
        return Connections(why_not=_NOT_READ if has_graph else _NO_GRAPH)
    before = _stages(number, layers.before)
    after = _stages(number, layers.after)
    stages = (*reversed(before), (number,), *after)
    stem = _module(name)

    def link(each: int) -> Link:
        tensor = layers.tensors[each]
        label = _relative(layers.labels[each], stem) if tensor else layers.labels[each]
        return Link(label, name if each == number else tensor)

    return Connections(tuple(tuple(map(link, stage)) for stage in stages), len(before))


def _stages(start: int, neighbors: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return the layers at distance 1 and 2 from a layer, in one direction; no empty stage."""
    found: list[tuple[int, ...]] = []
    seen: set[int] = {start}
    stage: tuple[int, ...] = (start,)
    for _ in range(_STAGES):
        stage = tuple(dict.fromkeys(n for each in stage for n in neighbors[each] if n not in seen))
        if not stage:
            break
        seen.update(stage)
        found.append(stage)
    return found


def _module(name: str) -> str:
    """Return the module of a tensor; a name without periods is its own module."""
    return name.rpartition(".")[0] or name


def _relative(module: str, other: str) -> str:
    """Return a module's name without the leading parts that it shares with another module."""
    parts, others = module.split("."), other.split(".")
    shared = 0
    while shared < min(len(parts), len(others)) - 1 and parts[shared] == others[shared]:
        shared += 1
    return ".".join(parts[shared:])


def _layers_of(checkpoint: Checkpoint, job: Job) -> _Layers | str:
    """Return the layers of a checkpoint, or a sentence that states why they are not known."""
    if has_operators(checkpoint):
        try:
            return _of_operators(checkpoint, read_operators(checkpoint, job), job)
        except CheckpointError as error:
            return str(error)
    structure = structure_of(checkpoint, job)
    if isinstance(structure, Unknown):
        return _NO_GRAPH
    layers = _Layers()
    for block in structure.blocks:
        _add_paths(layers, checkpoint, block.prefix, block.form.paths)
    if not structure.blocks:
        _add_family(layers, checkpoint, structure)
    return layers


def _of_operators(checkpoint: Checkpoint, graph: OperatorGraph, job: Job) -> _Layers:
    """Return the operators with weights, and those that join values of different layers."""
    layers = _Layers()
    producers: list[list[int]] = [[] for _ in graph.operators]
    for producer, reader in graph.edges:
        producers[reader].append(producer)
    # For each operator the layers whose results reach it without another layer between.
    sources: list[tuple[int, ...]] = []
    for number, operator in enumerate(job.cancel.each(graph.operators)):
        before = tuple(dict.fromkeys(s for each in producers[number] for s in sources[each]))
        if operator.op in _SHAPES:
            sources.append(())
            continue
        label, tensors = _shown(checkpoint, operator)
        if not tensors and (label not in _JOINS.values() or len(before) < 2):
            sources.append(before)
            for tensor in operator.tensors:  # biases and constants are assigned to the layer before
                if len(before) == 1:
                    layers.by_tensor.setdefault(tensor, before[0])
            if operator.op in {INPUT, OUTPUT}:
                sources[-1] = (layers.add(operator.name, (), before),)
            continue
        sources.append((layers.add(label, tensors, before),))
    return layers


def _shown(checkpoint: Checkpoint, operator: Operator) -> tuple[str, tuple[str, ...]]:
    """Return the label of an operator, and its tensors if one is a weight; a join has none."""
    kinds = [checkpoint.entry(tensor).kind for tensor in operator.tensors]
    if any(kind not in {CONSTANT, "bias"} for kind in kinds):
        return _module(operator.tensors[0]), operator.tensors
    return _JOINS.get(operator.op.removesuffix("_"), ""), ()  # add_ adds in place


def _add_paths(layers: _Layers, checkpoint: Checkpoint, prefix: str, paths: Iterable[str]) -> None:
    """Add paths of modules that feed each other; the same name in two paths is the same layer."""
    found: dict[str, tuple[int, ...]] = {}
    for path in paths:
        previous: tuple[int, ...] = ()
        for stage in path.split(" > "):
            if stage not in found:
                modules = [list(_tensors_of(checkpoint, prefix + m)) for m in stage.split()]
                found[stage] = tuple(_layer(layers, _module(t[0]), t) for t in modules if t)
                if stage in _JOINS.values():
                    found[stage] = (layers.add(stage),)
            for first in previous:
                for second in found[stage]:
                    layers.join(first, second)
            previous = found[stage] or previous  # an optional module may be missing


def _tensors_of(checkpoint: Checkpoint, module: str) -> Iterator[str]:
    """Yield the tensors of a module, the weight first; a tensor may be named itself."""
    leaves = ("weight", "bias", "running_mean", "running_var", "num_batches_tracked")
    for name in (module, *(f"{module}.{leaf}" for leaf in leaves)):
        if checkpoint.holds(name):
            yield checkpoint.entry(name).name


def _add_family(layers: _Layers, checkpoint: Checkpoint, structure: Structure) -> None:
    """Connect the tensors that compute the units of a group to those that read them.

    Attention without groups, and what connects the layers of the stack, follow the declaration of
    the family. Layers that write into the residual stream feed a sum.
    """
    family = structure.family
    in_layer = re.compile(family.layer)
    prefixes = dict.fromkeys(m[0] for name in checkpoint.entries if (m := in_layer.match(name)))
    for prefix in prefixes if family.attention else ():
        _add_paths(layers, checkpoint, prefix, family.attention)
    if family.stream:
        _add_stream(layers, checkpoint, prefixes, family.stream)
    for axis in structure.axes.values():
        for group in axis.groups:
            makers: dict[str, list[str]] = {}
            takers: dict[str, list[str]] = {}
            for member in group.members:
                role = takers if member.role == "output" else makers
                role.setdefault(member.stem or member.name, []).append(member.name)
            if not takers:
                continue
            firsts = [_layer(layers, *each) for each in makers.items()]
            for second in [_layer(layers, *each) for each in takers.items()]:
                for first in firsts:
                    layers.join(first, second)
    branches = tuple("." + end.replace(".{wb}", "") for end in family.branches)
    for number, label in enumerate([*layers.labels]):
        if label.endswith(branches):
            layers.add("+", before=(number,))


def _add_stream(
    layers: _Layers, checkpoint: Checkpoint, prefixes: Iterable[str], stream: Sequence[str]
) -> None:
    """Connect the layers of each stack in the order of their numbers, as in `Family.stream`."""

    def add(prefix: str, modules: str) -> list[int]:
        tensors = [list(_tensors_of(checkpoint, prefix + each)) for each in modules.split()]
        return [_layer(layers, _module(each[0]), each) for each in tensors if each]

    def add_outside(stack: str, modules: str) -> list[int]:
        """Add the first module next to the stack, or next to a module that contains the stack."""
        *parents, _ = stack.split(".")
        paths = [".".join([*parents[:n], ""]) for n in range(len(parents), -1, -1)]
        places = product(modules.split(), paths)
        return next(filter(None, (add(path, module) for module, path in places)), [])

    first, readers, writer, last = stream
    stacks: dict[str, list[int]] = {}
    for prefix in prefixes:
        stack, number = prefix.rstrip(".").rsplit(".", 1)
        stacks.setdefault(stack, []).append(int(number))
    for stack, numbers in stacks.items():
        previous = add_outside(stack, first)
        _add_embeddings(layers, checkpoint, previous)
        stages = [
            (add(f"{stack}.{n}.", readers), add(f"{stack}.{n}.", writer)) for n in sorted(numbers)
        ]
        for reading, writing in [*stages, (add_outside(stack, last), [])]:
            for before in previous:
                for after in reading:
                    layers.join(before, after)
            previous = writing


def _add_embeddings(layers: _Layers, checkpoint: Checkpoint, firsts: Sequence[int]) -> None:
    """Connect the embeddings to the norm in their module, which is the first layer of a stack."""
    for first in firsts:
        if checkpoint.entry(layers.tensors[first]).kind == _EMBEDDING:
            continue
        module = layers.labels[first].rpartition(".")[0]
        for entry in checkpoint.entries.values():
            embedding = _module(entry.name)
            if entry.kind == _EMBEDDING and embedding.rpartition(".")[0] == module:
                layers.join(_layer(layers, embedding, [entry.name]), first)


def _layer(layers: _Layers, module: str, tensors: Sequence[str]) -> int:
    """Return the layer of a module, added if it is new, with all of `tensors`."""
    known = [layers.by_tensor[tensor] for tensor in tensors if tensor in layers.by_tensor]
    if not known:
        return layers.add(module, tensors)
    for tensor in tensors:
        layers.by_tensor.setdefault(tensor, known[0])
    return known[0]
