"""Structured pruning by norms of channels, on a document."""

from __future__ import annotations

from collections.abc import Iterator

from tests.benchmarks.benchmark import AtMost, Bound, Faster, Ground, Line, Subject
from tests.benchmarks.side_by_side import Case, compared


def _ln(
    words: str, n: float | str, dim: int, faster: Bound | None = None, model: str = "plain-64-F32"
) -> Case:
    values = {"amount": 0.5, "n": n, "dim": dim}
    memory = AtMost(64) if faster else None
    return Case(
        words, "document", model, "F32", "ln_structured", values, faster=faster, memory=memory,
        peer_rounds=3,
    )  # fmt: skip


CASES = (
    _ln("L2 along dim 0", 2, 0, Faster(5)),
    _ln("L2 along dim 1", 2, 1, Faster(8)),
    _ln("L1 along dim 0", 1, 0),
    _ln("L1 along dim 1", 1, 1),
    _ln("largest along dim 0", float("inf"), 0),
    _ln("largest along dim 1", float("inf"), 1),
    _ln("L2 along dim 0, 28 convolutions", 2, 0, model="convolutions"),
    _ln("L2 along dim 1, 28 convolutions", 2, 1, model="convolutions"),
)


def measure(ground: Ground) -> Iterator[Line]:
    for case in CASES:
        yield from compared(ground, case)


SUBJECT = Subject(
    "norms",
    "Channels by their norms on a document",
    measure,
    "ln_structured, half of the channels of 8192 x 8192 float32 weights, or of 28 tensors of "
    "512 x 512 x 3 x 3; from an open file to the applied masks, compared with torch's function.",
)
