"""What a step does, or would do, to tensors and to the model, and what it endangers."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, partial
from types import MappingProxyType
from typing import NamedTuple, overload

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
    table = SparsityTable.of(tensors)
    numel, left = table.numel, table.numel - table.after
    norm = table.norm.copy()
    if retained:
        norm *= np.array([retained.get(name, 1.0) for name in table.names], np.float64)
    severity = np.zeros(len(tensors), np.int8)
    # NaN, which stands for what was not counted, is neither above nor below anything.
    little = norm < LITTLE_NORM
    if repaired:
        little &= np.array([name not in repaired for name in table.names], np.bool_)
    severity[(left < FEW_WEIGHTS * numel) | little] = Severity.MUCH
    severity[left == 0] = Severity.ALL
    severity[(left == numel) | (norm >= ENOUGH_NORM)] = Severity.NONE
    return {
        table.names[i]: Danger(
            Severity(int(severity[i])),
            float(left[i] / numel[i]),
            None if np.isnan(norm[i]) else float(norm[i]),
        )
        for i in np.flatnonzero(severity).tolist()
    }


_LISTED = 20


class TensorSparsity(NamedTuple):
    """What a step does to one tensor."""

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


Counts = NDArray[np.int64]
Shares = NDArray[np.float64]  # NaN for None


@dataclass(frozen=True, eq=False)
class SparsityTable(Sequence[TensorSparsity]):
    """The same of many tensors, a column for each attribute: rows are made when they are looked at.

    Of 100,000 tensors a row for each takes longer than a slider waits.
    """

    names: Sequence[str]
    numel: Counts
    before: Counts
    after: Counts
    norm: Shares
    threshold: Shares
    l1: Shares

    @classmethod
    def of(cls, rows: Sequence[TensorSparsity]) -> SparsityTable:
        """Return the table of some rows; itself if it is one."""
        if isinstance(rows, SparsityTable):
            return rows
        names, *columns = [*zip(*rows, strict=True)] or [()] * 7
        numel, before, after = [np.array(column, np.int64) for column in columns[:3]]
        norm, threshold, l1 = [np.array(column, np.float64) for column in columns[3:]]
        return cls(names, numel, before, after, norm, threshold, l1)

    @classmethod
    def counted(
        cls, names: Sequence[str], numel: Sequence[int], before: Sequence[int], after: Sequence[int]
    ) -> SparsityTable:
        """Return the table of tensors of which nothing but these numbers is known."""
        unknown = np.full(len(names), np.nan)
        counts = [np.array(column, np.int64) for column in (numel, before, after)]
        return cls(names, counts[0], counts[1], counts[2], unknown, unknown, unknown)

    def sorted_like(self, names: Iterable[str]) -> SparsityTable:
        """Return the same rows in the order that their names have among others."""
        places = {name: place for place, name in enumerate(names)}
        return self.at(np.argsort([places[name] for name in self.names], kind="stable").tolist())

    def at(self, places: Sequence[int]) -> SparsityTable:
        """Return the rows at some places, in their order."""
        some = np.array(places, np.intp)
        return SparsityTable(
            [self.names[place] for place in places],
            self.numel[some],
            self.before[some],
            self.after[some],
            self.norm[some],
            self.threshold[some],
            self.l1[some],
        )

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, place: int) -> TensorSparsity: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[TensorSparsity, ...]: ...
    def __getitem__(self, place: int | slice) -> TensorSparsity | tuple[TensorSparsity, ...]:
        if isinstance(place, slice):
            return self._rows[place]
        return TensorSparsity(
            self.names[place],
            int(self.numel[place]),
            int(self.before[place]),
            int(self.after[place]),
            *(None if np.isnan(c[place]) else float(c[place]) for c in self._shares),
        )

    def __iter__(self) -> Iterator[TensorSparsity]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._rows == tuple(other)

    def __hash__(self) -> int:
        return hash(self._rows)

    @property
    def _shares(self) -> tuple[Shares, ...]:
        return self.norm, self.threshold, self.l1

    @cached_property
    def _rows(self) -> tuple[TensorSparsity, ...]:
        counts = [column.tolist() for column in (self.numel, self.before, self.after)]
        rows = zip(self.names, *counts, *map(or_none, self._shares), strict=True)
        return tuple(map(partial(tuple.__new__, TensorSparsity), rows))

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Where a tensor stands."""
        return dict(zip(self.names, range(len(self.names)), strict=True))


def or_none(values: Shares) -> list[float | None]:
    """Return numbers as a list, None for NaN."""
    listed: list[float | None] = values.tolist()
    for place in np.flatnonzero(np.isnan(values)).tolist():
        listed[place] = None
    return listed


class _ByName(Mapping[str, TensorSparsity]):
    """The rows of a table by name, each made when it is looked at."""

    def __init__(self, table: SparsityTable) -> None:
        self._table = table
        self._places = table.places

    def __getitem__(self, name: str) -> TensorSparsity:
        return self._table[self._places[name]]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class CountsByName(Mapping[str, int]):
    """How many weights of each tensor of a table are pruned after the step.

    `names` and `counts` are the columns, for whoever takes all of them.
    """

    def __init__(self, table: SparsityTable) -> None:
        self._table = table
        self.names, self.counts = table.names, table.after

    def __getitem__(self, name: str) -> int:
        return int(self.counts[self._table.places[name]])

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class SparsityReport:
    """What a step does, or did, to a model."""

    # The tensors in which the step prunes by a method that can, in file order.
    tensors: Sequence[TensorSparsity]
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

    # Of 100,000 tensors these take hundredths of a second: a worker that made a report looks at
    # them once, so that views need not.

    @cached_property
    def table(self) -> SparsityTable:
        """The touched tensors as columns."""
        return SparsityTable.of(self.tensors)

    @cached_property
    def by_name(self) -> Mapping[str, TensorSparsity]:
        """The touched tensors by their names."""
        return _ByName(self.table)

    @cached_property
    def after_by_name(self) -> CountsByName:
        """How many elements of each touched tensor would be pruned."""
        return CountsByName(self.table)

    @cached_property
    def norms_retained(self) -> Mapping[str, float]:
        """What is counted of `TensorSparsity.norm_retained` where anything is pruned, by name."""
        table = self.table
        known = np.flatnonzero((table.after > 0) & ~np.isnan(table.norm))
        names = [table.names[place] for place in known.tolist()]
        return dict(zip(names, table.norm[known].tolist(), strict=True))

    @cached_property
    def dangers(self) -> Mapping[str, Danger]:
        """The tensors that keep too little, in order."""
        return dangers(self.table, self.retained, self.repaired)

    @cached_property
    def unpruned(self) -> int:
        """Elements of the touched tensors that were not pruned before the step."""
        return int((self.table.numel - self.table.before).sum())

    @cached_property
    def goes_on(self) -> bool:
        """Whether some elements of the touched tensors were pruned before the step."""
        return bool(self.table.before.any())

    @cached_property
    def ranked_by_norm(self) -> bool:
        """Whether the norm² lost is known of all tensors that would lose something.

        Their sparsity does not tell them apart where every tensor loses the same share, as by 2:4.
        """
        return not np.isnan(self.table.norm[self.table.after > self.table.before]).any()

    @cached_property
    def most_affected(self) -> tuple[TensorSparsity, ...]:
        """The tensors that would lose something: those that lose most norm² first.

        If that is not known of all, those of which least is left first. Equal ones are in file
        order; not more than anybody lists.
        """
        table = self.table
        changed = np.flatnonzero(table.after > table.before)
        by = table.norm if self.ranked_by_norm else -table.after / np.maximum(table.numel, 1)
        return tuple(
            [table[place] for place in changed[places_of_least(by[changed], _LISTED)].tolist()]
        )

    def prepare(self) -> None:
        """Work out now what is worked out when it is first asked for."""
        _ = self.by_name, self.after_by_name, self.dangers, self.unpruned, self.most_affected


def places_of_least(values: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Return where the smallest numbers are, in order; of equal ones the first."""
    if values.size > count:
        few = np.flatnonzero(values <= np.partition(values, count - 1)[count - 1])
    else:
        few = np.arange(values.size)
    order: NDArray[np.intp] = few[np.argsort(values[few], kind="stable")][:count]
    return order


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
