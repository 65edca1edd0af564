"""What a step does, or would do, to tensors and to the model, and what it endangers."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, partial
from itertools import repeat
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pruneapp.results.pattern_report import BrokenPattern

# The reasons for these are in docs/see.md. Without retraining, layers of which less than this share
# of the weights is left seldom work.
FEW_WEIGHTS = 0.05
# The squared error of a layer's output, relative to the output, is the share of norm² that is gone
# (for inputs that do not correlate): from one half on there is more error than output.
LITTLE_NORM = 0.5
# A tensor that still has so much of its norm² was nearly empty before: it computes what it did.
ENOUGH_NORM = 0.9


class Severity(IntEnum):
    """How little a tensor keeps; the worse, the larger."""

    NONE = 0
    MUCH = 1  # less than `FEW_WEIGHTS` of its weights or `LITTLE_NORM` of its norm² is left
    ALL = 2  # nothing is left


@dataclass(frozen=True)
class Danger:
    """Why a tensor is marked."""

    severity: Severity  # how little it keeps
    kept: float  # share of its weights that are left
    # Share of its norm² that is left of what the opened file has; None if it was not counted.
    retained: float | None = None


def dangers(
    tensors: Sequence[TensorSparsity],
    retained: Mapping[str, float] | None = None,
    repaired: Container[str] = (),
) -> Mapping[str, Danger]:
    """Return the tensors that keep too little, by name in their order.

    A tensor is judged by its state alone, not by what a step takes: it is marked the same before
    and after a step. Linear in the number of tensors.

    `retained` has the shares of norm² that were left before the step, of what the opened file has;
    1 for tensors that are not named. Where little of it is left a tensor is not marked if it is
    among those `repaired`: their outputs came out as before with other values.
    """
    numel = _column([t.numel for t in tensors])
    left = numel - _column([t.after for t in tensors])
    norm = _column([np.nan if t.norm_retained is None else t.norm_retained for t in tensors])
    if retained:
        norm *= _column([retained.get(t.name, 1.0) for t in tensors])
    severity = np.zeros(len(tensors), np.int8)
    # NaN, which stands for what was not counted, is neither above nor below anything.
    little = norm < LITTLE_NORM
    if repaired:
        little &= np.array([t.name not in repaired for t in tensors], np.bool_)
    severity[(left < FEW_WEIGHTS * numel) | little] = Severity.MUCH
    severity[left == 0] = Severity.ALL
    severity[(left == numel) | (norm >= ENOUGH_NORM)] = Severity.NONE
    return {
        tensors[i].name: Danger(
            Severity(int(severity[i])),
            float(left[i] / numel[i]),
            None if np.isnan(norm[i]) else float(norm[i]),
        )
        for i in np.flatnonzero(severity).tolist()
    }


def _column(values: list[float]) -> NDArray[np.float64]:
    return np.array(values, np.float64)


_LISTED = 20


class TensorSparsity(NamedTuple):
    """What a step does to one tensor.

    A named tuple, because a step may have 100,000 of them: see `make_rows`.
    """

    name: str  # as in the file
    numel: int
    before: int  # how many are pruned
    after: int
    # Share of the sum of squares of what was kept before that is still there after; None if it was
    # not counted, or there was none.
    norm_retained: float | None = None
    threshold: float | None = None  # the magnitude (or score) at the cut; None if there is none
    l1_retained: float | None = None  # as `norm_retained`, of the sum of magnitudes

    @property
    def newly_pruned(self) -> int:
        """How many elements the step prunes."""
        return self.after - self.before


def make_rows(  # noqa: PLR0917 - one column for each field
    names: Iterable[str],
    numel: Iterable[int],
    before: Iterable[int],
    after: Iterable[int],
    norms: Iterable[float | None] = repeat(None),
    thresholds: Iterable[float | None] = repeat(None),
    l1: Iterable[float | None] = repeat(None),
) -> tuple[TensorSparsity, ...]:
    """Make rows from one column for each field, in a fraction of the time of one call for each."""
    columns = zip(names, numel, before, after, norms, thresholds, l1, strict=False)
    return tuple(map(partial(tuple.__new__, TensorSparsity), columns))


@dataclass(frozen=True)
class SparsityReport:
    """What a step does, or did, to a model."""

    # The tensors in which the step prunes by a method that can, in file order.
    tensors: tuple[TensorSparsity, ...]
    numel: int  # elements of the whole checkpoint
    before: int  # how many of them are pruned
    after: int
    # Share of the sum of squares, over the touched tensors, that is still there; None if it was not
    # counted.
    norm_retained: float | None = None
    l1_retained: float | None = None  # as `norm_retained`, of the sum of magnitudes
    # How many weights a given mask would have taken, or the groups of a pattern, had they not been
    # protected.
    protected: int = 0
    outside: int = 0  # weights in no whole group of a pattern of the step
    # Patterns of the step that do not hold in all of its tensors, because of protected weights.
    broken: tuple[BrokenPattern, ...] = ()
    # Shares of norm² that tensors had left before the step, of what the opened file has, by name; 1
    # for those that are not named.
    retained: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    # Tensors with the values of a repair; what is retained is counted as if there were none.
    repaired: frozenset[str] = frozenset()

    @property
    def newly_pruned(self) -> int:
        """How many elements the step prunes."""
        return self.after - self.before

    # Of 100,000 tensors these take a fifth of a second: a worker that made a report looks at them
    # once, so that views need not.

    @cached_property
    def by_name(self) -> Mapping[str, TensorSparsity]:
        """The touched tensors by their names."""
        return {t.name: t for t in self.tensors}

    @cached_property
    def after_by_name(self) -> Mapping[str, int]:
        """How many elements of each touched tensor would be pruned."""
        return {t.name: t.after for t in self.tensors}

    @cached_property
    def norms_retained(self) -> Mapping[str, float]:
        """What is counted of `TensorSparsity.norm_retained` where anything is pruned, by name."""
        return {
            t.name: t.norm_retained for t in self.tensors if t.after and t.norm_retained is not None
        }

    @cached_property
    def dangers(self) -> Mapping[str, Danger]:
        """The tensors that keep too little, in order."""
        return dangers(self.tensors, self.retained, self.repaired)

    @cached_property
    def unpruned(self) -> int:
        """Elements of the touched tensors that were not pruned before the step."""
        return sum([t.numel - t.before for t in self.tensors])

    @cached_property
    def goes_on(self) -> bool:
        """Whether some elements of the touched tensors were pruned before the step."""
        return any(t.before for t in self.tensors)

    @cached_property
    def ranked_by_norm(self) -> bool:
        """Whether the norm² lost is known of all tensors that would lose something.

        Their sparsity does not tell them apart where every tensor loses the same share, as by 2:4.
        """
        return all(t.norm_retained is not None for t in self.tensors if t.after > t.before)

    @cached_property
    def most_affected(self) -> tuple[TensorSparsity, ...]:
        """The tensors that would lose something: those that lose most norm² first.

        If that is not known of all, those of which least is left first. Equal ones are in file
        order; not more than anybody lists.
        """
        changed = [t for t in self.tensors if t.after > t.before]
        if self.ranked_by_norm:
            changed.sort(key=lambda t: 1.0 if t.norm_retained is None else t.norm_retained)
        else:
            changed.sort(key=lambda t: -t.after / t.numel)
        return tuple(changed[:_LISTED])

    def prepare(self) -> None:
        """Work out now what is worked out when it is first asked for."""
        _ = self.by_name, self.after_by_name, self.dangers, self.unpruned, self.most_affected


@dataclass(frozen=True)
class Estimate:
    """What a step would do, from counts alone: there before the first weight is read."""

    tensors: int  # how many tensors it touches
    to_prune: int  # how many weights would go
    exact: (
        bool  # whether `to_prune` is exact; channels that are partly pruned already make it a bound
    )
    channels: int = 0  # how many channels would go; 0 for methods of single weights
    # What would be left of each tensor, from counted magnitudes and norms: with floats of more than
    # 16 bits true to one bin of the upper 16 bits (`exact_report` is False then). None as long as
    # something that it needs is not counted, and for methods of which counts cannot say it.
    report: SparsityReport | None = None
    exact_report: bool = False  # whether `report` is exact in its counts
    # Share of what `report` needs that is counted, from 0 to 1; 1 if it will not come.
    counting: float = 1.0


@dataclass(frozen=True)
class Assignment:
    """What becomes of the tensors of a step whose rules or limits tell them apart."""

    # Number of the rule that applies to a tensor, from 0, by its first name; empty for a step of
    # one rule.
    rules: Mapping[str, int] = field(default_factory=dict)
    # What excludes a selected tensor: the limit ``embeddings``, ``first`` or ``last``; or ``rule``,
    # if its rule prunes nothing.
    excluded: Mapping[str, str] = field(default_factory=dict)
    # Of the tensors that each rule names, how many each rule prunes, by its number from 1, and by 0
    # how many are excluded; empty for a step of one rule.
    shares: tuple[Mapping[int, int], ...] = ()
