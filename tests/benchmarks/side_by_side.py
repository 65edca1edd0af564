"""Compare a call of ours with torch's, alternately: table lines for time and memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.benchmarks.benchmark import Bound, Ground, Line, median
from tests.benchmarks.processes import run_python

PROGRAM = "tests.benchmarks.prune_calls"


@dataclass(frozen=True)
class Case:
    """A call that is measured.

    Attributes
    ----------
    words
        Description for the table.
    side
        Ours: "drop-in" or "document".
    model
        The model to prune, and its data type.
    method, values, half
        See `prune_calls.Work`.
    faster, memory
        Bounds of the seconds and of the megabytes.
    peer_rounds
        How often torch's time is measured if there is no bound, else as often as ours. Its memory
        is measured only if there is a bound.
    """

    words: str
    side: str
    model: str
    dtype: str
    method: str
    values: Mapping[str, Any] = field(default_factory=dict)
    half: bool = False
    faster: Bound | None = None
    memory: Bound | None = None
    peer_rounds: int = 2

    def work(self, ground: Ground, side: str) -> dict[str, Any]:
        """Return the arguments for the measuring process."""
        return {
            "side": side,
            "path": str(ground.model(self.model)),
            "small": str(ground.model(f"small-{self.dtype}")),
            "method": self.method,
            "values": dict(self.values),
            "half": self.half,
        }


def compared(ground: Ground, case: Case) -> Iterator[Line]:
    """Measure one case; yield a line about time and one about memory."""
    sides = [case.work(ground, side) for side in (case.side, "torch")]
    peer_rounds = ground.rounds if case.faster else min(case.peer_rounds, ground.rounds)
    ours, peer = times(ground, sides, [ground.rounds, peer_rounds])
    note = f"best {1000 * min(ours):.0f} ms; torch {peer_rounds} rounds, best {min(peer):.2f} s"
    yield Line(case.words, "time", median(ours), "s", median(peer), case.faster, note)
    ours_mb = _answer(ground, "memory", {"work": sides[0]})
    peer_mb = _answer(ground, "memory", {"work": sides[1]}) if case.faster else None
    tensor = ground.model(case.model).stat().st_size / 1e6
    note = f"{ours_mb / tensor:.2f}x the tensor"
    if peer_mb is not None:
        note += f"; torch {peer_mb / tensor:.1f}x"
    yield Line(case.words, "peak extra memory", ours_mb, "MB", peer_mb, case.memory, note)


def times(ground: Ground, works: list[dict[str, Any]], rounds: list[int]) -> list[list[float]]:
    """Return the seconds of several works, called alternately in one process."""
    taken: list[list[float]] = _answer(ground, "times", {"works": works, "rounds": rounds})
    return taken


def _answer(ground: Ground, what: str, arguments: dict[str, Any]) -> Any:
    return run_python(["-m", PROGRAM, what, json.dumps(arguments)], ground.folder).answer
