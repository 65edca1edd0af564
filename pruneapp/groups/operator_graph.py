"""The operators of an ONNX model or a torch.export program, and the values between them.

Read from the file without running anything, and without the packages onnx and torch; or from the
program of a traced model, see `pruneapp.groups.trace`. Operators that compute with stored
tensors only, such as a cast of a weight, are merged into their readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.onnx import ONNX, read_layout
from pruneapp.checkpoint.formats.onnx_roles import CONSTANT, Node, Scope
from pruneapp.checkpoint.torchfile import exported_program
from pruneapp.errors import UnsupportedFileError
from pruneapp.groups.program_graph import ATEN, load_program, names_in, refuse_bad_graph
from pruneapp.groups.trace import trace_of
from pruneapp.progress import Job

# `Operator.op` of the inputs and outputs of the graph.
INPUT, OUTPUT = "Input", "Output"


class Operator(NamedTuple):
    """An operator of a graph, or one of the graph's inputs and outputs."""

    op: str  # as in the file, without namespace: "Conv", "conv2d"
    name: str  # of the value that it computes; of an input or output, its own name
    tensors: tuple[str, ...] = ()  # stored tensors that it reads, weights before constants


@dataclass(frozen=True, eq=False)
class OperatorGraph:
    """The operators of a model in the order of the file.

    `edges` has pairs (producer, reader) of indices into `operators`, each once. The producer always
    comes first in the file; a model in another order is invalid, and such pairs are left out.
    """

    operators: tuple[Operator, ...]
    edges: tuple[tuple[int, int], ...]


def contains_operators(checkpoint: Checkpoint) -> bool:
    """Return whether the format of a checkpoint contains the operators of the model."""
    return checkpoint.format in {ONNX.name, exported_program.FORMAT}


def has_operators(checkpoint: Checkpoint) -> bool:
    """Return whether the operators of the model are in the file or were traced."""
    return contains_operators(checkpoint) or trace_of(checkpoint) is not None


def read_operators(checkpoint: Checkpoint, job: Job) -> OperatorGraph:
    """Return the operators of an ONNX model, a torch.export program or a traced model.

    O(n) in the size of the graph; `job` can cancel. Raises `CheckpointError` if the file is damaged
    or of another format.
    """
    builder = _Builder(checkpoint)
    if checkpoint.format == ONNX.name:
        _add_onnx(builder, read_layout(checkpoint.files[0], job).graph, job)
    elif has_operators(checkpoint):
        _, program = load_program(checkpoint, job)
        with refuse_bad_graph(checkpoint):
            _add_program(builder, program, job)
    else:
        raise UnsupportedFileError(
            f"'{checkpoint.path}' is neither an ONNX model nor a program of torch.export, so it "
            "contains no graph.",
            remedy="Open an ONNX model or a .pt2 file.",
        )
    return builder.graph()


class _Builder:
    """Collects operators in the order of the file."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        self.operators: list[Operator] = []
        self.edges: dict[tuple[int, int], None] = {}
        self._producers: dict[str, int] = {}  # by value
        self._stored: dict[str, tuple[str, ...]] = {}  # tensors by the value made from them

    def graph(self) -> OperatorGraph:
        """Return all that was added."""
        return OperatorGraph(tuple(self.operators), tuple(self.edges))

    def store(self, value: str, tensor: str) -> None:
        """Record that `value` is a stored tensor, if the checkpoint contains that tensor."""
        if self._checkpoint.holds(tensor):
            self._stored[value] = (self._checkpoint.entry(tensor).name,)

    def add(self, op: str, name: str, reads: Iterable[str], makes: Iterable[str]) -> None:
        """Add an operator with the values that it reads and makes.

        If all that it reads are stored tensors, it is not added: its results count as these.
        """
        reads = tuple(dict.fromkeys(reads))
        tensors = dict.fromkeys(t for value in reads for t in self._stored.get(value, ()))
        producers = [self._producers[value] for value in reads if value in self._producers]
        if op not in {INPUT, OUTPUT} and not producers:
            self._stored.update((value, tuple(tensors)) for value in makes)
            return
        number = len(self.operators)
        # Weights first: a stable sort by whether it is a constant of the graph.
        ordered = sorted(tensors, key=lambda t: self._checkpoint.entry(t).kind == CONSTANT)
        self.operators.append(Operator(op, name, tuple(ordered)))
        self.edges.update(((producer, number), None) for producer in producers)
        self._producers.update((value, number) for value in makes)


def _add_onnx(builder: _Builder, graph: Scope, job: Job) -> None:
    for name in graph.tensors:
        builder.store(name, name)
    for name in graph.inputs:
        if name not in graph.tensors:  # before IR version 4, initializers are inputs too
            builder.add(INPUT, name, (), (name,))
    for node in job.cancel.each(graph.nodes):
        builder.add(node.op, next(iter(node.outputs), ""), _values_read_by(node), node.outputs)
    for name in graph.outputs:
        builder.add(OUTPUT, name, (name,), ())


def _values_read_by(node: Node) -> Iterator[str]:
    """Yield the inputs of a node and of the nodes in its branches."""
    yield from node.inputs
    for branch in node.branches:
        for inner in branch.nodes:
            yield from _values_read_by(inner)
        yield from branch.outputs


def _add_program(builder: _Builder, program: Mapping[str, Any], job: Job) -> None:
    module = program["graph_module"]
    graph = module["graph"]
    for spec in module["signature"]["input_specs"]:
        ((kind, inside),) = spec.items()
        names = names_in(inside.get("arg", {}))
        if f"{kind}_name" in inside:
            for value in names:
                builder.store(value, inside[f"{kind}_name"])
        else:
            for value in names:
                builder.add(INPUT, value, (), (value,))
    for node in job.cancel.each(graph["nodes"]):
        target = node["target"]
        op = target.removeprefix(ATEN)
        op = op.partition(".")[0] if op != target else target.rpartition(".")[2]
        reads = [name for each in node["inputs"] for name in names_in(each["arg"])]
        makes = names_in(node["outputs"])
        builder.add(op, next(iter(makes), ""), reads, makes)
    _add_outputs(builder, [name for output in graph["outputs"] for name in names_in(output)])


def _add_outputs(builder: _Builder, values: Sequence[str]) -> None:
    """Add the outputs of a program of torch, which have no names: their values are "linear_2"."""
    for number, value in enumerate(values, 1):
        name = "output" if len(values) == 1 else f"output {number}"
        builder.add(OUTPUT, name, (value,), ())
