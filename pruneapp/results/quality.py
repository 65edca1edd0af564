"""What was measured of states, beside the unpruned model, as lists and charts show it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pruneapp.results.branches import Branches


@dataclass(frozen=True)
class MetricChange:
    """A metric of a state, beside that of the unpruned model."""

    name: str
    value: float
    original: float
    half: float  # half the width of the noise of a difference; 0 if it is not known
    noise: str  # what the noise is, in words
    higher: bool | None = None  # whether a higher value is better; None if that is not known
    judged: bool = True  # whether it can be worse at all: times and counts cannot
    share: bool = False  # whether it is a share of samples, which people read in percent
    # Whether the state was calibrated with the data that it is measured on: too good a value.
    calibrated: bool = False

    @property
    def difference(self) -> float:
        """The value, minus the original's."""
        return self.value - self.original

    @property
    def is_none(self) -> bool:
        """Whether the difference is within the noise; never, where that is not known."""
        return self.half > 0 and abs(self.difference) <= self.half

    @property
    def worse(self) -> float:
        """By how much it is worse; below 0 if it is better."""
        return self.difference if self.higher is False else -self.difference


@dataclass(frozen=True)
class Conditions:
    """What a metric was measured with; those under other conditions are not comparable."""

    name: str  # of the script or command
    limit: int | None = None  # how many samples at most
    seed: int = 0
    data: str = ""  # name of the text file or folder of images, if the evaluation is built in


@dataclass(frozen=True)
class StateQuality:
    """What was measured of one state."""

    metrics: tuple[MetricChange, ...]  # in the order in which the script returned them
    sparsity: float  # share of the parameters of the model that are pruned
    unpruned: bool = False  # whether it is the model that the others are held against
    # How many parameters are not pruned, and the bytes of all tensors in a compact file before it
    # is compressed; None where that was not kept.
    remaining: int | None = None
    nbytes: int | None = None
    # Multiply-adds of one input by the weights that are not pruned; None until they were counted.
    multiply_adds: int | None = None

    def metric(self, name: str = "") -> MetricChange | None:
        """Return a metric by its name; without one, the first that can be worse."""
        judged = [m for m in self.metrics if m.judged and m.higher is not None]
        if name:
            return next((m for m in self.metrics if m.name == name), None)
        return next(iter((*judged, *self.metrics)), None)


@dataclass(frozen=True)
class MetricPair:
    """A metric of two states; None of one that was not measured."""

    name: str
    a: MetricChange | None
    b: MetricChange | None
    half: float = 0.0  # half the width of the noise of their difference; 0 if it is not known
    at_most: bool = False  # whether the noise may be less: what is within it may still be there

    @property
    def difference(self) -> float | None:
        """The value of B, minus that of A."""
        return None if self.a is None or self.b is None else self.b.value - self.a.value

    @property
    def is_none(self) -> bool:
        """Whether the difference is within the noise; never, where that is not known."""
        difference = self.difference
        return difference is not None and self.half > 0 and abs(difference) <= self.half


def pairs_of(a: StateQuality | None, b: StateQuality | None) -> tuple[MetricPair, ...]:
    """Hold two states against each other, metric by metric, as far as they were measured.

    What is known is the noise of each against the unpruned model. Of two pruned states the sum of
    both is an upper bound: so far both may have moved from it by chance.
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
    """What stands beside a state of the history."""

    text: str = ""  # its metric; empty for a hollow dot, which has it measured by a click
    words: str = ""  # the same in full
    faded: bool = False  # whether it is true no more, or not yet
    brief: str = ""  # what stands there where room is short; the same if empty

    def written(self, *, brief: bool) -> str:
        """Return what stands there, with plenty of room or not."""
        return (brief and self.brief) or self.text


@dataclass(frozen=True)
class MeasuredState:
    """A state of the history that was measured."""

    number: int  # in the history
    label: str
    quality: StateQuality
    # Whether other conditions than the present ones measured it, or an earlier session.
    is_old: bool
    kind: str = ""  # what made it, in words: the method; empty for the unpruned model
    # The measured state from which nothing but this method led to it; -1 where there is none.
    joined: int = -1


def made_of(branches: Branches, kinds: Sequence[str], known: Collection[int]) -> list[int]:
    """Return for each state the nearest known one that only steps of its own kind led from.

    -1 where there is none: the unpruned model and states of the same kind count, others do not.
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
