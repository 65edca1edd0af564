"""Measure one pruning call of torch, of its drop-in or on a document: seconds, or peak memory.

``python -m tests.benchmarks.prune_calls times|memory JSON`` prints the result as JSON. Times are
measured alternately; memory in a process of its own, because memory freed by one side would hide
what another needs.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.step import Row, Step
from pruneapp.edits.existing_masks import open_document
from pruneapp.kernels.devices import kernel_for
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.benchmarks.memory import extra_mb, make_room

Call = Callable[[], object]

# torch needs up to 3.3 GB for half of a GB of float64, and its tensor twice while it is loaded.
_ROOM = 6e9


@dataclass(frozen=True)
class Work:
    """A pruning call to measure.

    Attributes
    ----------
    side
        "torch", "drop-in" or "document".
    path, small
        A safetensors file whose tensors are all pruned, and a small one to warm up with.
    method, values
        Names and arguments of torch's function, for all sides.
    half
        Whether half of each tensor was pruned before.
    """

    side: str
    path: str
    small: str
    method: str
    values: Mapping[str, Any]
    half: bool = False


class Side(Protocol):
    def ready(self) -> Call:
        """Prepare as before a first call; return the call."""


class OnModules:
    """A function of torch's namespace, or of its drop-in, applied to one module per tensor."""

    def __init__(self, work: Work, path: str) -> None:
        from safetensors.torch import load_file

        self._work = work
        # The library maps the file; a copy is in memory.
        self._tensors = [tensor.clone() for tensor in load_file(path).values()]
        if work.side == "torch":
            from torch.nn.utils import prune
        else:
            from pruneapp import prune  # type: ignore[no-redef]  # its drop-in
        self._prune = prune
        self._masks = [_upper_half(tensor) for tensor in self._tensors if work.half]

    def ready(self) -> Call:
        from torch import nn

        modules = [nn.Module() for _ in self._tensors]
        for module, tensor in zip(modules, self._tensors, strict=True):
            module.register_parameter("weight", nn.Parameter(tensor))
        if self._work.half:
            for module, mask in zip(modules, self._masks, strict=True):
                self._prune.custom_from_mask(module, "weight", mask)
        function, values = getattr(self._prune, self._work.method), self._work.values

        def call() -> object:
            for module in modules:
                function(module, "weight", **values)
            return modules

        return call


def _upper_half(tensor: Any) -> Any:
    magnitudes = tensor.abs()
    # The median of a sample is close enough: "half" is accurate to a few per thousand.
    return magnitudes > magnitudes.flatten()[::61].median()


class OnDocument:
    """A step on an open file, whose masks are applied."""

    def __init__(self, work: Work, path: str) -> None:
        self._kernel = kernel_for("cpu")
        self._document = open_document(open_checkpoint(Path(path)))
        self._step = self._step_of(work.method, work.values)
        if work.half:
            self._apply(self._step_of("l1_unstructured", {"amount": 0.5}))
        self._home = self._document.position

    def _step_of(self, method: str, values: Mapping[str, Any]) -> Step:
        return Step((Row(tuple(self._document.checkpoint.entries), method, values),))

    def _apply(self, step: Step) -> None:
        snapshot = self._document.snapshot()
        preview = compute_preview(snapshot, step, self._kernel, Job(), norms=False)
        self._document.commit(preview)

    def ready(self) -> Call:
        if self._document.position != self._home:
            self._document.jump(self._home)
        return lambda: self._apply(self._step)


def side_of(work: Work, path: str) -> Side:
    return OnDocument(work, path) if work.side == "document" else OnModules(work, path)


def times(works: list[dict[str, Any]], rounds: list[int]) -> list[list[float]]:
    """Return the seconds of every call, for each of `works`, which are called alternately.

    Parameters
    ----------
    works
        Arguments of `Work`.
    rounds
        How often each of them is called.
    """
    made = [Work(**work) for work in works]
    make_room(_ROOM)
    for work in made:
        side_of(work, work.small).ready()()
    sides = [side_of(work, work.path) for work in made]
    seconds: list[list[float]] = [[] for _ in made]
    for number in range(max(rounds)):
        for work, side, taken, most in zip(made, sides, seconds, rounds, strict=True):
            if number < most:
                # Each time, because some systems drop pages that were not read during torch's call.
                _warm_up(Path(work.path))
                taken.append(_timed(side.ready()))
    return seconds


def _timed(call: Call) -> float:
    gc.collect()
    began = time.perf_counter()
    kept = call()
    seconds = time.perf_counter() - began
    del kept  # freeing is not part of the call
    return seconds


def _warm_up(path: Path) -> None:
    """Read the whole file into the page cache."""
    with path.open("rb", buffering=0) as stream:
        piece = bytearray(1 << 20)
        while stream.readinto(piece):
            pass


def memory(work: dict[str, Any]) -> float:
    """Return the additional peak memory of the first call, in MB; see `extra_mb`."""
    made = Work(**work)
    side_of(made, made.small).ready()()
    call = side_of(made, made.path).ready()
    return extra_mb(call)


if __name__ == "__main__":
    program = {"times": times, "memory": memory}[sys.argv[1]]
    sys.stdout.write(json.dumps(program(**json.loads(sys.argv[2]))) + "\n")
