"""The effect of a step on tensors and on the model, and warnings."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, partial
from types import MappingProxyType
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.patterns import BrokenPattern

# See docs/see.md for the reasons. Without retraining, layers with less than this share of their
# weights kept seldom work.
FEW_WEIGHTS = 0.05
# The relative squared error of a layer's output equals the lost share of norm² (for uncorrelated
# inputs): from one half on the error exceeds the output.
LITTLE_NORM = 0.5
# A tensor with at least this share of norm² computes almost the same: the pruned weights were
# small.
ENOUGH_NORM = 0.9


class Severity(IntEnum):
    """Degree of a warning about a tensor; higher is worse."""

    NONE = 0
    MUCH = 1  # less than `FEW_WEIGHTS` of its weights or `LITTLE_NORM` of its norm² is kept
    LOSS = 2  # a scan measured a large loss
    ALL = 3  # nothing is kept


@dataclass(frozen=True)
class MeasuredLoss:
    """How much worse a metric became in a scan that pruned one tensor alone."""

    metric: str  # name
    share: bool  # whether the metric is a share of samples
    method: str  # name of the pruning method
    limit: float  # a larger loss is a danger
    # Pruned weights in ascending order, from 0 on, and the loss at each; infinite if the metric was
    # not finite.
    counts: tuple[int, ...]
    losses: tuple[float, ...]

    def at(self, pruned: int) -> float | None:
        """Return the loss, between two measurements interpolated; None beyond the last one."""
        if pruned > self.counts[-1]:
            return None
        place = bisect_left(self.counts, pruned)
        if self.counts[place] == pruned or math.isinf(self.losses[place]):
            return self.losses[place]
        return float(np.interp(pruned, self.counts, self.losses))


@dataclass(frozen=True)
class Danger:
    """The reason for a warning about a tensor."""

    severity: Severity  # how little it keeps
    kept: float  # share of the weights that is kept
    # Share of the opened file's norm² that is retained, with the current values; None if not
    # counted.
    retained: float | None = None
    repaired: bool = False  # whether a repair or recovery replaced its values
    loss: float | None = None  # with the severity `LOSS`: the loss of `measured`
    measured: MeasuredLoss | None = None


def dangers(
    tensors: Sequence[TensorSparsity],
    retained: Mapping[str, float] | None = None,
    repaired: Mapping[str, float] | None = None,
    measured: Mapping[str, MeasuredLoss] | None = None,
    with_channels: Iterable[str] = (),
) -> Mapping[str, Danger]:
    """Return warnings for tensors that keep too little, by name in their order.

    A tensor is judged by its state after the step only: it is listed if it keeps nothing, less than
    5 % of its weights, or less than half of its norm², but not if it is unpruned or keeps 90 % of
    its norm². An unknown norm is no reason. Where a scan has measured a tensor, the loss decides
    instead, unless nothing is kept. Linear in the number of tensors.

    Parameters
    ----------
    retained
        Shares of the opened file's norm² left before the step; 1 for missing names.
    repaired
        Factors by which a repair or recovery has changed the norm² of the kept weights, by names of
        tensors with replaced values; NaN for unknown ones, which are judged by their former values.
    measured
        Results of a scan, by names of tensors.
    with_channels
        Names of biases and norms in which only elements of pruned channels are pruned. They are not
        listed: the weights of these channels are pruned, and judged, as well.
    """
    table = SparsityTable.of(tensors)
    numel, left = table.numel, table.numel - table.after
    norm = table.norm.copy()
    if retained:
        norm *= np.array([retained.get(name, 1.0) for name in table.names], np.float64)
    severity = np.zeros(len(tensors), np.int8)
    now, repaired, measured = norm, repaired or {}, measured or {}
    if repaired:
        factors = np.array([repaired.get(name, 1.0) for name in table.names], np.float64)
        now = np.where(np.isnan(factors), norm, norm * factors)
    # Comparisons with NaN, which means not counted, are False.
    severity[(left < FEW_WEIGHTS * numel) | (now < LITTLE_NORM)] = Severity.MUCH
    severity[norm >= ENOUGH_NORM] = Severity.NONE
    losses: dict[int, float] = {}
    for place, curve in _places_in(table, measured):
        if (loss := curve.at(int(table.after[place]))) is not None:
            losses[place] = loss
            severity[place] = Severity.LOSS if loss > curve.limit else Severity.NONE
    severity[(left == 0) & ~(norm >= ENOUGH_NORM)] = Severity.ALL
    severity[left == numel] = Severity.NONE
    severity[[table.places[name] for name in with_channels if name in table.places]] = Severity.NONE
    return {
        table.names[i]: Danger(
            Severity(int(severity[i])),
            float(left[i] / numel[i]),
            None if np.isnan(now[i]) else float(now[i]),
            table.names[i] in repaired,
            losses.get(i),
            measured[table.names[i]] if i in losses else None,
        )
        for i in np.flatnonzero(severity).tolist()
    }


def _places_in(
    table: SparsityTable, measured: Mapping[str, MeasuredLoss]
) -> Iterator[tuple[int, MeasuredLoss]]:
    for name, curve in measured.items():
        if (place := table.places.get(name)) is not None:
            yield place, curve


_LISTED = 20


class TensorSparsity(NamedTuple):
    """The effect of a step on one tensor."""

    name: str  # as in the file
    numel: int
    before: int  # number of pruned elements before the step
    after: int
    # Share of the sum of squares before the step that is retained; None if not counted or if the
    # sum is 0.
    norm_retained: float | None = None
    threshold: float | None = None  # magnitude (or score) of the threshold; None if there is none
    l1_retained: float | None = None  # like `norm_retained`, for the sum of magnitudes

    @property
    def newly_pruned(self) -> int:
        """Number of elements that the step prunes."""
        return self.after - self.before


Counts = NDArray[np.int64]
Shares = NDArray[np.float64]  # NaN for None


@dataclass(frozen=True, eq=False)
class SparsityTable(Sequence[TensorSparsity]):
    """Tensor rows stored as columns; a row object is created on access.

    For 100,000 tensors, creating all rows would take too long while a slider moves.
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
        """Return the table of some rows, in their order; `rows` itself if it is a table."""
        if isinstance(rows, SparsityTable):
            return rows
        names, *columns = [*zip(*rows, strict=True)] or [()] * 7
        numel, before, after = [np.array(column, np.int64) for column in columns[:3]]
        norm, threshold, l1 = [np.array(column, np.float64) for column in columns[3:]]
        return cls(names, numel, before, after, norm, threshold, l1)

    @classmethod
    def of_counts(
        cls, names: Sequence[str], numel: Sequence[int], before: Sequence[int], after: Sequence[int]
    ) -> SparsityTable:
        """Return a table of numbers of pruned weights; norms and thresholds are unknown (NaN)."""
        unknown = np.full(len(names), np.nan)
        counts = [np.array(column, np.int64) for column in (numel, before, after)]
        return cls(names, counts[0], counts[1], counts[2], unknown, unknown, unknown)

    def sort_like(self, names: Iterable[str]) -> SparsityTable:
        """Return the rows in the order of `names`, which must include all names of the table."""
        places = {name: place for place, name in enumerate(names)}
        return self.at(np.argsort([places[name] for name in self.names], kind="stable").tolist())

    def at(self, places: Sequence[int]) -> SparsityTable:
        """Return a new table of the rows at some indices, in the given order."""
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
        rows = zip(self.names, *counts, *map(with_none, self._shares), strict=True)
        return tuple(map(partial(tuple.__new__, TensorSparsity), rows))

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Index of each tensor, by name."""
        return dict(zip(self.names, range(len(self.names)), strict=True))


def with_none(values: Shares) -> list[float | None]:
    """Return numbers as a list, with None for NaN."""
    listed: list[float | None] = values.tolist()
    for place in np.flatnonzero(np.isnan(values)).tolist():
        listed[place] = None
    return listed


class _ByName(Mapping[str, TensorSparsity]):
    """The rows of a table by name, created on access."""

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
    """Number of pruned weights of each tensor of a table after the step, by name.

    `names` and `counts` are the whole columns.
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
    """The effect of a step on a model."""

    # Tensors that the step prunes, in file order.
    tensors: Sequence[TensorSparsity]
    numel: int  # elements of the whole checkpoint
    before: int  # number of pruned elements before the step
    after: int
    # Share of the sum of squares of the affected tensors that is retained; None if not counted.
    norm_retained: float | None = None
    l1_retained: float | None = None  # like `norm_retained`, for the sum of magnitudes
    # Number of weights that a given mask or pattern would have pruned if they were not protected.
    protected: int = 0
    outside: int = 0  # weights in no complete group of a pattern of the step
    # Patterns of the step that do not hold everywhere, because of protected weights.
    broken: tuple[BrokenPattern, ...] = ()
    # Shares of the opened file's norm² left before the step, by name; 1 for missing names.
    retained: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    # Tensors with repaired values; retained norms are computed with the values of the file. The
    # values are factors, see `dangers`.
    repaired: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    # Results of a scan that apply to the tensors, see `dangers`.
    measured: Mapping[str, MeasuredLoss] = field(default_factory=lambda: MappingProxyType({}))
    # Biases and norms in which only elements of pruned channels are pruned, see `dangers`.
    with_channels: frozenset[str] = frozenset()

    @property
    def newly_pruned(self) -> int:
        """Number of elements that the step prunes."""
        return self.after - self.before

    # For 100,000 tensors these take hundredths of a second: the worker calls `prepare`, so that the
    # main thread need not compute them.

    @cached_property
    def table(self) -> SparsityTable:
        """The affected tensors as columns."""
        return SparsityTable.of(self.tensors)

    @cached_property
    def by_name(self) -> Mapping[str, TensorSparsity]:
        """The affected tensors by name."""
        return _ByName(self.table)

    @cached_property
    def after_by_name(self) -> CountsByName:
        """Number of pruned elements of each affected tensor after the step, by name."""
        return CountsByName(self.table)

    @cached_property
    def norms_retained(self) -> Mapping[str, float]:
        """Known `TensorSparsity.norm_retained` of tensors with pruned weights, by name."""
        table = self.table
        known = np.flatnonzero((table.after > 0) & ~np.isnan(table.norm))
        names = [table.names[place] for place in known.tolist()]
        return dict(zip(names, table.norm[known].tolist(), strict=True))

    @cached_property
    def dangers(self) -> Mapping[str, Danger]:
        """Warnings for tensors that keep too little, in order."""
        return dangers(self.table, self.retained, self.repaired, self.measured, self.with_channels)

    @cached_property
    def unpruned(self) -> int:
        """Elements of the affected tensors that were not pruned before the step."""
        return int((self.table.numel - self.table.before).sum())

    @cached_property
    def n_emptied(self) -> int:
        """Number of tensors that the step prunes completely."""
        table = self.table
        return int(((table.after == table.numel) & (table.after > table.before)).sum())

    @cached_property
    def goes_on(self) -> bool:
        """Whether elements of the affected tensors were pruned before the step."""
        return bool(self.table.before.any())

    @cached_property
    def ranked_by_norm(self) -> bool:
        """Whether the lost norm² is known for all tensors that lose weights.

        Sparsity does not order them if every tensor loses the same share, as with 2:4.
        """
        return not np.isnan(self.table.norm[self.table.after > self.table.before]).any()

    @cached_property
    def most_affected(self) -> tuple[TensorSparsity, ...]:
        """The tensors that lose weights: those that keep the smallest share of norm² first.

        If that is not known for all, those with the smallest share of kept weights first. Ties are
        in file order; at most `_LISTED` tensors.
        """
        table = self.table
        changed = np.flatnonzero(table.after > table.before)
        by = table.norm if self.ranked_by_norm else -table.after / np.maximum(table.numel, 1)
        return tuple(
            [table[place] for place in changed[places_of_least(by[changed], _LISTED)].tolist()]
        )

    def prepare(self) -> None:
        """Compute the cached properties now."""
        _ = self.by_name, self.after_by_name, self.dangers, self.unpruned, self.most_affected


def places_of_least(values: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Return the indices of the `count` smallest numbers, smallest number first.

    Ties are in order of index. `count` is at least 1; all indices if there are fewer numbers.
    """
    if values.size > count:
        few = np.flatnonzero(values <= np.partition(values, count - 1)[count - 1])
    else:
        few = np.arange(values.size)
    order: NDArray[np.intp] = few[np.argsort(values[few], kind="stable")][:count]
    return order
