"""Measured metrics of states, compared with the unpruned model, for lists and charts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pruneapp.results.branches import Branches


@dataclass(frozen=True)
class MetricChange:
    """A metric of a state, compared with that of the unpruned model."""

    name: str
    value: float
    original: float
    half: float  # half the width of the noise interval of a difference; 0 if unknown
    noise: str  # description of the noise
    higher: bool | None = None  # whether a higher value is better; None if unknown
    judged: bool = True  # whether it measures quality; False for times and counts
    share: bool = False  # whether it is a share of samples, shown in percent
    # Whether the state was calibrated with the evaluation data, so that the value is too good.
    calibrated: bool = False

    @property
    def difference(self) -> float:
        """The value minus that of the unpruned model."""
        return self.value - self.original

    @property
    def is_none(self) -> bool:
        """Whether the difference is within the noise; False if the noise is unknown."""
        return self.half > 0 and abs(self.difference) <= self.half

    @property
    def worse(self) -> float:
        """By how much it is worse; negative if it is better."""
        return self.difference if self.higher is False else -self.difference


@dataclass(frozen=True)
class Conditions:
    """The conditions of a measurement; metrics of different conditions are not comparable."""

    name: str  # name of the script or command
    limit: int | None = None  # maximum number of samples
    seed: int = 0
    data: str = ""  # name of the text file or image folder of a built-in evaluation


@dataclass(frozen=True)
class StateQuality:
    """The measurements of one state."""

    metrics: tuple[MetricChange, ...]  # in the order returned by the script
    sparsity: float  # share of the model's parameters that are pruned
    unpruned: bool = False  # whether it is the unpruned model that others are compared with
    # Number of parameters not pruned, and bytes of all tensors in a compact file before
    # compression; None if unknown.
    remaining: int | None = None
    nbytes: int | None = None
    # Multiply-adds per input of the weights that are not pruned; None if not counted yet.
    multiply_adds: int | None = None

    def metric(self, name: str = "") -> MetricChange | None:
        """Return a metric by name, or without a name the first that measures quality.

        None if missing.
        """
        judged = [m for m in self.metrics if m.judged and m.higher is not None]
        if name:
            return next((m for m in self.metrics if m.name == name), None)
        return next(iter((*judged, *self.metrics)), None)


@dataclass(frozen=True)
class MetricPair:
    """A metric of two states; None for a state where it was not measured."""

    name: str
    a: MetricChange | None
    b: MetricChange | None
    half: float = 0.0  # half the width of the noise interval of their difference; 0 if unknown
    # whether `half` is an upper bound, so that smaller differences may be real
    at_most: bool = False

    @property
    def difference(self) -> float | None:
        """The value of B minus that of A; None if one is missing."""
        return None if self.a is None or self.b is None else self.b.value - self.a.value

    @property
    def is_none(self) -> bool:
        """Whether the difference is within the noise; False if the noise is unknown."""
        difference = self.difference
        return difference is not None and self.half > 0 and abs(difference) <= self.half


def pairs_of(a: StateQuality | None, b: StateQuality | None) -> tuple[MetricPair, ...]:
    """Return the metrics of two states in pairs.

    The known noise is that of each state against the unpruned model. For two pruned states the sum
    of both is used, which is an upper bound.
    """
    sides = a, b
    names = dict.fromkeys(m.name for side in sides if side is not None for m in side.metrics)
    pairs = []
    for name in names:
        x, y = (None if side is None else side.metric(name) for side in sides)
        both = zip(sides, (x, y), strict=True)
        halves = [m.half for side, m in both if side and m and not side.unpruned]
        half = sum(halves) if x and y else 0.0
        pairs.append(MetricPair(name, x, y, half, at_most=sum(h > 0 for h in halves) > 1))
    return tuple(pairs)


@dataclass(frozen=True)
class HistoryMark:
    """The mark of a state in the history."""

    text: str = ""  # its metric; empty for a hollow dot, which starts a measurement when clicked
    words: str = ""  # the full description
    faded: bool = False  # whether it is outdated or not yet final
    brief: str = ""  # shorter `text` for little space; empty if it is the same

    def written(self, *, brief: bool) -> str:
        """Return the text for little (`brief`) or enough space."""
        return (brief and self.brief) or self.text


@dataclass(frozen=True)
class MeasuredState:
    """A measured state of the history."""

    number: int  # in the history
    label: str
    quality: StateQuality
    # Whether it was measured under other conditions or in an earlier session.
    is_old: bool
    kind: str = ""  # display name of the method that created it; empty for the unpruned model
    # The nearest measured ancestor reached by this method only; -1 if there is none.
    joined: int = -1


def made_of(branches: Branches, kinds: Sequence[str], known: Collection[int]) -> list[int]:
    """Return, per state, the nearest known ancestor reached only by steps of the same kind.

    -1 if there is none. The first state counts for every kind.
    """
    found = [-1]
    for state in range(1, len(kinds)):
        before = branches.parent(state)
        same = not before or kinds[before] == kinds[state]
        if same and before in known:
            found.append(before)
        else:
            found.append(found[before] if same else -1)
    return found
