"""Histograms and norms that estimates need: which are needed, which are missing, and their cache.

A histogram is valid for the mask, the protection and the permanent zeros that the tensor had when
it was counted. It is stored in `Snapshot.cache`, so that undo finds earlier results. All functions
may be called from any thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pruneapp.analysis.histograms import Channels, MagnitudeHistogram, count_all, count_channels
from pruneapp.document.selection import axis_of, excluded_tensors, resolve, rows_of
from pruneapp.document.snapshot import HashedNames, Snapshot
from pruneapp.document.step import Row, Step, dim_of
from pruneapp.groups.trace import trace_key
from pruneapp.methods import registry
from pruneapp.params import Norm
from pruneapp.progress import Job

# (dimension counted from 0, order of the norm) of channel norms; None for magnitudes.
Kind = tuple[int, Norm] | None

# Small tensors are counted in one request up to this total number of elements.
_BATCH = 1 << 20


@dataclass(frozen=True)
class Assignment:
    """How the rules and limits of a step apply to its tensors."""

    # Index of the rule that applies, by the first name of the tensor; empty for a step of one rule.
    rules: Mapping[str, int] = field(default_factory=dict)
    # Why selected tensors are excluded: the limit ``embeddings``, ``first`` or ``last``; or
    # ``rule`` if their rule prunes nothing.
    excluded: Mapping[str, str] = field(default_factory=dict)
    # Per rule: how many of its tensors each rule prunes, by rule number from 1; by 0 how many are
    # excluded. Empty for a step of one rule.
    shares: tuple[Mapping[int, int], ...] = ()


@dataclass(frozen=True)
class HistogramRequest:
    """A request to count one large tensor, or several small ones, given by their first names.

    `elements` is the total number of elements to read.
    """

    names: tuple[str, ...]
    kind: Kind
    elements: int


def cached_rows(snapshot: Snapshot, step: Step) -> list[tuple[Row, tuple[str, ...]]]:
    """Return the rows of a step, each with the first names of the tensors that it prunes.

    As `rows_of`, but cached with the state per names and axes of the rows and excluded tensors, so
    that it is not recomputed while a slider changes their amounts. The rows are those of `step`.
    Raises `SelectionError`.
    """

    def find() -> list[tuple[int, tuple[str, ...]]]:
        places = {id(row): i for i, row in enumerate(step.rows)}
        found = rows_of(snapshot.checkpoint, step)
        return [(places[id(row)], HashedNames(names)) for row, names in found]

    key = _key_of("rows", snapshot, step)
    return [(step.rows[i], names) for i, names in snapshot.once(key, find)]


def cached_assignment(snapshot: Snapshot, step: Step) -> Assignment:
    """Return which rule of a step applies to each tensor, and which tensors are excluded.

    Tensors may be excluded by limits or rules. A step of one rule that excludes nothing gets an
    empty assignment. Others are cached per names, rules and limits of the step, so that they are
    not recomputed while a slider moves. Raises `SelectionError`.
    """
    if len(step.rows) == 1 and not step.limits.exclude:
        return Assignment()

    def find() -> Assignment:
        rules: dict[str, int] = {}
        idle: dict[str, str] = {}
        shares: list[Mapping[int, int]] = []
        if len(step.rows) > 1:
            places = {id(row): i for i, row in enumerate(step.rows)}
            for row, some in cached_rows(snapshot, step):
                rules.update(dict.fromkeys(some, places[id(row)]))
                if not row.prunes:
                    idle.update(dict.fromkeys(some, "rule"))
            for row in step.rows:
                names = resolve(snapshot.checkpoint, row.names)
                shares.append(Counter([rules.get(name, -1) + 1 for name in names]))
        return Assignment(rules, idle | excluded_tensors(snapshot.checkpoint, step), tuple(shares))

    idle_rows = tuple([not row.prunes for row in step.rows])
    return snapshot.once((*_key_of("assignment", snapshot, step), idle_rows), find)


def _key_of(kind: str, snapshot: Snapshot, step: Step) -> tuple[object, ...]:
    rows = tuple((row.names, axis_of(row)) for row in step.rows)
    return kind, rows, step.limits.exclude, trace_key(snapshot.checkpoint)


def kinds_of(snapshot: Snapshot, step: Step) -> Iterator[tuple[tuple[str, ...], Kind]]:
    """Yield tensor names with the kind of histogram that an estimate of the step needs for them.

    The histograms that decide which weights are pruned come before those used only for the retained
    norm. Rows whose method is not estimated yield nothing. Raises `SelectionError`, and
    `ParameterError` if a tensor has no channels along the dimension.
    """
    for row, names in cached_rows(snapshot, step):
        method = registry.get(row.method)
        if method.estimated_by is None:
            continue
        if method.granularity == "weights":
            yield names, None
        else:
            dims = dims_of(snapshot, row, names)
            for order in orders_of(row):
                for dim in dict.fromkeys(dims):
                    yield (
                        tuple(n for n, d in zip(names, dims, strict=True) if d == dim),
                        (dim, order),
                    )


def dims_of(snapshot: Snapshot, row: Row, names: Sequence[str]) -> list[int]:
    """Return, for each tensor, the dimension (from 0) along which a channel method prunes."""
    shapes = [snapshot.entry(name).shape for name in names]
    # Resolved once per shape: the tensors of a large model have few different shapes.
    first = dict(zip(reversed(shapes), reversed(names), strict=True))
    dims = {shape: dim_of(row, shape, name) for shape, name in first.items()}
    return [dims[shape] for shape in shapes]


def orders_of(row: Row) -> tuple[Norm, ...]:
    """Return the orders of the norms that a channel method needs, each once.

    The order that ranks the channels comes first (2 for methods without a norm); 2 and 1 give the
    sums of squares and of magnitudes. "fro" is order 2 of the flattened slice.
    """
    n = row.values.get("n", 2)
    return tuple(dict.fromkeys((2 if n == "fro" else n, 2, 1)))


def _requests(snapshot: Snapshot, names: Sequence[str], kind: Kind) -> list[HistogramRequest]:
    """Group names into requests of at most `_BATCH` elements, in order.

    A larger tensor has its own request.
    """
    requests: list[HistogramRequest] = []
    batch: list[str] = []
    elements = 0
    for name in names:
        numel = snapshot.entry(name).numel
        if batch and elements + numel > _BATCH:
            requests.append(HistogramRequest(tuple(batch), kind, elements))
            batch, elements = [], 0
        batch.append(name)
        elements += numel
    if batch:
        requests.append(HistogramRequest(tuple(batch), kind, elements))
    return requests


# Missing histograms


def missing_histograms(
    snapshot: Snapshot, step: Step, job: Job | None = None
) -> tuple[HistogramRequest, ...]:
    """Return what has to be counted before a step can be estimated, the most needed first.

    Empty if everything is counted, or if the step cannot be estimated from histograms. Kinds whose
    histograms would exceed the budget of the cache together with those before them are omitted.
    `job` may cancel: this takes a while for 100,000 tensors.

    Raises
    ------
    SelectionError
        If a tensor cannot be pruned, or none is selected.
    ParameterError
        If a tensor has no channels along the dimension.
    """
    requests: list[HistogramRequest] = []
    # shared by all kinds: histograms that evict each other would be recounted forever
    budget = snapshot.cache.budget
    for names, kind in dict.fromkeys(kinds_of(snapshot, step)):
        missing, needed = _missing(snapshot, names, kind, job or Job())
        if needed <= budget:
            budget -= needed
            requests += _requests(snapshot, missing, kind)
    return tuple(dict.fromkeys(requests))


def missing_magnitudes(
    snapshot: Snapshot, names: Iterable[str], job: Job | None = None
) -> tuple[HistogramRequest, ...]:
    """Return what has to be counted to have the magnitudes of tensors, given by first names.

    Empty if the result would not fit into the cache.
    """
    missing, needed = _missing(snapshot, tuple(names), None, job or Job())
    return tuple(_requests(snapshot, missing, None)) if needed <= snapshot.cache.budget else ()


def missing_sums(
    snapshot: Snapshot, names: Iterable[str], job: Job
) -> tuple[HistogramRequest, ...]:
    """Return what has to be measured to have the norms of tensors, given by first names."""
    missing = [name for name in job.cancel.each(tuple(names)) if find_sums(snapshot, name) is None]
    return tuple(_requests(snapshot, missing, None))


def counted_share(snapshot: Snapshot, step: Step) -> float:
    """Return which share of the elements that a step needs is counted, from 0 to 1.

    1 if it needs none, or if its histograms would not fit into the cache. Raises as
    `missing_histograms`.
    """
    missing = sum(request.elements for request in missing_histograms(snapshot, step))
    if not missing:
        return 1.0
    entries = snapshot.checkpoint.entries
    needed = sum(entries[n].numel for names, _ in kinds_of(snapshot, step) for n in names)
    return 1 - missing / needed


def _missing(
    snapshot: Snapshot, names: tuple[str, ...], kind: Kind, job: Job
) -> tuple[list[str], int]:
    """Return the names that are not counted, and the bytes that all names take as far as known.

    Once all are counted, that is remembered with the state for this call with equal arguments.
    """
    mark = "counted", kind, names  # this entry is evicted before any histogram is
    known: int | None = snapshot.recall(mark)
    if known is not None:
        return [], known
    missing = []
    needed = 0
    for name in job.cancel.each(names):
        counted = _count_of(snapshot, name, kind)
        if counted is None:
            missing.append(name)
            needed += snapshot.cache.size(_key(snapshot, name, kind))
        else:
            needed += counted.nbytes
    if not missing:
        snapshot.remember(mark, needed)
    return missing, needed


# Counting


def count(snapshot: Snapshot, request: HistogramRequest, job: Job) -> None:
    """Count the tensors of a request and cache the result; skip those counted meanwhile.

    With magnitudes, the sums of tensors whose values are not replaced are cached as well. `job` is
    started with the elements; it may cancel, which keeps what is counted. Raises `CheckpointError`
    if the file cannot be read.
    """
    job.start(request.elements, request.names[0])
    kind = request.kind
    missing = [n for n in job.cancel.each(request.names) if _count_of(snapshot, n, kind) is None]
    if kind is not None:
        for name in missing:
            _put(snapshot, name, kind, count_channels(snapshot, name, *kind, job))
        return
    for name, histogram in count_all(snapshot, missing, job):
        if not snapshot.replaces(name):
            _put_sums(snapshot, name, histogram)
        _put(snapshot, name, None, histogram)


def measure(snapshot: Snapshot, request: HistogramRequest, job: Job) -> None:
    """Count the tensors of a request of `missing_sums`, and cache only their sums.

    The values are those of the file. Unlike histograms, sums always fit in the cache. Nothing is
    skipped: a second call counts again. `job` is started with the elements; it may cancel. Raises
    `CheckpointError` if the file cannot be read.
    """
    job.start(request.elements, request.names[0])
    for name, histogram in count_all(snapshot.as_in_file, request.names, job):
        _put_sums(snapshot.as_in_file, name, histogram)


def _put(snapshot: Snapshot, name: str, kind: Kind, value: MagnitudeHistogram | Channels) -> None:
    snapshot.cache.put(_key(snapshot, name, kind), snapshot.masks_of(name), value, value.nbytes)


def _put_sums(snapshot: Snapshot, name: str, histogram: MagnitudeHistogram) -> None:
    layers = snapshot.masks_of(name)
    sums = histogram.sums(snapshot.entry(name).dtype)
    snapshot.cache.put(("sums", name, any(m is not None for m in layers)), layers, sums)


# Known histograms


def magnitudes(snapshot: Snapshot, name: str) -> MagnitudeHistogram | None:
    """Return the cached histogram of a tensor, by its first name; None if it is not counted."""
    histogram: MagnitudeHistogram | None = _count_of(snapshot, name, None)
    return histogram


def channels(snapshot: Snapshot, name: str, dim: int, n: Norm) -> Channels | None:
    """Return the channel norms of a tensor, or None if not counted.

    `dim` counts from 0; `n` is the order of the norm and must not be "fro".
    """
    norms: Channels | None = _count_of(snapshot, name, (dim, n))
    return norms


def find_sums(snapshot: Snapshot, name: str) -> tuple[float, float] | None:
    """Return the sums of squares and of magnitudes of the kept finite weights, from the cache.

    None if the tensor was not counted in this state. The values are those of the file even if a
    repair replaced them: the sums tell what pruning removed, and repaired weights may be larger
    than any in the file. A sum is infinite where float64 overflows.

    Sums stay in the cache longer than histograms: those of the file without masks, and those of the
    last other state in which the tensor was counted.
    """
    snapshot = snapshot.as_in_file
    layers = snapshot.masks_of(name)
    key = "sums", name, any(mask is not None for mask in layers)
    result: tuple[float, float] | None = snapshot.cache.get(key, layers)
    if result is None and (histogram := magnitudes(snapshot, name)) is not None:
        return histogram.sums(snapshot.entry(name).dtype)
    return result


def zeros(snapshot: Snapshot, name: str) -> int | None:
    """Return how many of the weights that a step may prune are 0; None if not counted."""
    histogram = magnitudes(snapshot, snapshot.entry(name).name)
    return None if histogram is None else histogram.zeros


def count_up_to(snapshot: Snapshot, names: Iterable[str], threshold: float) -> int | None:
    """Return how many weights that a step may prune have a magnitude up to `threshold` (inclusive).

    Exact for floats of up to 16 bits. For wider floats the weights in the bin of the threshold are
    assumed to be evenly distributed. 0 for a negative threshold or NaN. None if one of the tensors
    is not counted.
    """
    total = 0
    for name in names:
        entry = snapshot.entry(name)
        histogram = magnitudes(snapshot, entry.name)
        if histogram is None:
            return None
        total += histogram.count_up_to(threshold, entry.dtype)
    return total


def _count_of(snapshot: Snapshot, name: str, kind: Kind) -> Any:
    layers = snapshot.masks_of(name)
    return snapshot.cache.get((name, kind, *map(id, layers)), layers)


def _key(snapshot: Snapshot, name: str, kind: Kind) -> tuple[object, ...]:
    """Return the cache key of a histogram; it includes the masks, so several states coexist."""
    return name, kind, *map(id, snapshot.masks_of(name))
