"""What is counted of tensors for estimates: what a step needs, what is missing, what is known.

A count belongs to the mask, the protection and the permanent zeros that a tensor had; it is in
`Snapshot.cache`, so that undo finds what was counted before. The functions may be called from any
thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pruneapp.analysis.histograms import Channels, MagnitudeHistogram, count_all, count_channels
from pruneapp.document.selection import excluded, resolve, rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step, dim_of
from pruneapp.methods import registry
from pruneapp.params import Norm
from pruneapp.progress import Job
from pruneapp.results.document_rows import HashedNames
from pruneapp.results.sparsity_report import Assignment

# A dimension, from 0, and the order of a norm; None for magnitudes.
Kind = tuple[int, Norm] | None

# Elements of small tensors that are counted as one.
_BATCH = 1 << 20


@dataclass(frozen=True)
class HistogramRequest:
    """Something to be counted: of one large tensor, or of several small ones, by first names.

    `elements` are read for it.
    """

    names: tuple[str, ...]
    kind: Kind
    elements: int


def rows_now(snapshot: Snapshot, step: Step) -> list[tuple[Row, tuple[str, ...]]]:
    """Return what `rows_of` does; of 100,000 names it is not asked at each move of a slider."""

    def find() -> list[tuple[int, tuple[str, ...]]]:
        places = {id(row): i for i, row in enumerate(step.rows)}
        found = rows_of(snapshot.checkpoint, step)
        return [(places[id(row)], HashedNames(names)) for row, names in found]

    return [(step.rows[i], names) for i, names in snapshot.once(_key_of("rows", step), find)]


def assignment_now(snapshot: Snapshot, step: Step) -> Assignment:
    """Return which rule of a step applies to each tensor, and what limits or rules exclude.

    Found once for the names, rules and limits of a step, not at each move of a slider.
    """
    if len(step.rows) == 1 and not step.limits.spare:
        return Assignment()

    def find() -> Assignment:
        rules: dict[str, int] = {}
        idle: dict[str, str] = {}
        shares: list[Mapping[int, int]] = []
        if len(step.rows) > 1:
            places = {id(row): i for i, row in enumerate(step.rows)}
            for row, some in rows_now(snapshot, step):
                rules.update(dict.fromkeys(some, places[id(row)]))
                if not row.prunes:
                    idle.update(dict.fromkeys(some, "rule"))
            for row in step.rows:
                names = resolve(snapshot.checkpoint, row.names)
                shares.append(Counter([rules.get(name, -1) + 1 for name in names]))
        return Assignment(rules, idle | excluded(snapshot.checkpoint, step), tuple(shares))

    idle_rows = tuple([not row.prunes for row in step.rows])
    return snapshot.once((*_key_of("assignment", step), idle_rows), find)


def _key_of(kind: str, step: Step) -> tuple[object, ...]:
    return kind, tuple(row.names for row in step.rows), step.limits.spare, step.version


def kinds_of(snapshot: Snapshot, step: Step) -> Iterator[tuple[tuple[str, ...], Kind]]:
    """Yield names, and what has to be known of them before a step can be estimated.

    What decides comes first, then what the norm is made of.
    """
    for row, names in rows_now(snapshot, step):
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
    """Return the dimension of a method of channels for each tensor, from 0."""
    shapes = [snapshot.entry(name).shape for name in names]
    # Most tensors of a large model are of a few shapes.
    first = dict(zip(reversed(shapes), reversed(names), strict=True))
    dims = {shape: dim_of(row, shape, name) for shape, name in first.items()}
    return [dims[shape] for shape in shapes]


def orders_of(row: Row) -> tuple[Norm, ...]:
    """Return the orders of the norms that a method of channels needs.

    That which decides comes first; 2 and 1 say the sums of squares and magnitudes. "fro" is 2 of
    the flattened slice.
    """
    n = row.values.get("n", 2)
    return tuple(dict.fromkeys((2 if n == "fro" else n, 2, 1)))


def _requests(snapshot: Snapshot, names: Sequence[str], kind: Kind) -> list[HistogramRequest]:
    """Put names into batches, in order."""
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


# What is to be counted


def missing_histograms(
    snapshot: Snapshot, step: Step, job: Job | None = None
) -> tuple[HistogramRequest, ...]:
    """Return what has to be counted before a step can be estimated, the most needed first.

    Nothing if all is there, or if counts do not say what the step does. What would not fit with
    all that is needed more is left out. `job` may cancel: of 100,000 tensors it takes a while.

    Raises
    ------
    SelectionError
        If a tensor cannot be pruned, or none is selected.
    ParameterError
        If a tensor has no channels along the dimension.
    """
    requests: list[HistogramRequest] = []
    budget = snapshot.cache.budget  # for all: what takes the room of another is counted for ever
    for names, kind in dict.fromkeys(kinds_of(snapshot, step)):
        missing, needed = _missing(snapshot, names, kind, job or Job())
        if needed <= budget:
            budget -= needed
            requests += _requests(snapshot, missing, kind)
    return tuple(dict.fromkeys(requests))


def missing_magnitudes(
    snapshot: Snapshot, names: Iterable[str], job: Job | None = None
) -> tuple[HistogramRequest, ...]:
    """Return what has to be counted to know all magnitudes of some tensors, by first names."""
    missing, needed = _missing(snapshot, tuple(names), None, job or Job())
    return tuple(_requests(snapshot, missing, None)) if needed <= snapshot.cache.budget else ()


def missing_sums(
    snapshot: Snapshot, names: Iterable[str], job: Job
) -> tuple[HistogramRequest, ...]:
    """Return what has to be measured to know the norm of some tensors, by first names."""
    missing = [name for name in job.cancel.each(tuple(names)) if sums(snapshot, name) is None]
    return tuple(_requests(snapshot, missing, None))


def counted_share(snapshot: Snapshot, step: Step) -> float:
    """Return how much of what a step needs is counted, from 0 to 1; 1 if nothing is wanted."""
    missing = sum(request.elements for request in missing_histograms(snapshot, step))
    if not missing:
        return 1.0
    entries = snapshot.checkpoint.entries
    needed = sum(entries[n].numel for names, _ in kinds_of(snapshot, step) for n in names)
    return 1 - missing / needed


def _missing(
    snapshot: Snapshot, names: tuple[str, ...], kind: Kind, job: Job
) -> tuple[list[str], int]:
    """Return what is not counted, and how many bytes all of it takes as far as is known."""
    mark = "counted", kind, names  # forgotten before a count is dropped
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
    """Count something that is wanted; what is there by now is not counted again.

    `job` is started with the elements; it may cancel.

    Raises
    ------
    CheckpointError
        If the file cannot be read.
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
    """Find out norms alone (`missing_sums`), for which there is always room; see `count`."""
    job.start(request.elements, request.names[0])
    for name, histogram in count_all(snapshot.as_in_file, request.names, job):
        _put_sums(snapshot.as_in_file, name, histogram)


def _put(snapshot: Snapshot, name: str, kind: Kind, value: MagnitudeHistogram | Channels) -> None:
    snapshot.cache.put(_key(snapshot, name, kind), snapshot.masks_of(name), value, value.nbytes)


def _put_sums(snapshot: Snapshot, name: str, histogram: MagnitudeHistogram) -> None:
    layers = snapshot.masks_of(name)
    sums = histogram.sums(snapshot.entry(name).dtype)
    snapshot.cache.put(("sums", name, any(m is not None for m in layers)), layers, sums)


# What is known


def magnitudes(snapshot: Snapshot, name: str) -> MagnitudeHistogram | None:
    """Return the magnitudes of a tensor, by its first name; None if they are not counted."""
    histogram: MagnitudeHistogram | None = _count_of(snapshot, name, None)
    return histogram


def channels(snapshot: Snapshot, name: str, dim: int, n: Norm) -> Channels | None:
    """Return the channels of a tensor, `dim` from 0 and `n` no "fro"; None if not counted."""
    norms: Channels | None = _count_of(snapshot, name, (dim, n))
    return norms


def sums(snapshot: Snapshot, name: str) -> tuple[float, float] | None:
    """Return the sums of the squares and of the magnitudes of the finite weights that are kept.

    With the values of the file, whatever a repair made of them: they say what pruning took of it.
    Weights that a repair moved may be larger than all that the file had.

    They are known longer than the magnitudes of the tensor: of the file as it was opened, without
    masks, and of the last other state in which it was counted. Infinite beyond float64; None if
    they are not known.
    """
    snapshot = snapshot.as_in_file
    layers = snapshot.masks_of(name)
    key = "sums", name, any(mask is not None for mask in layers)
    result: tuple[float, float] | None = snapshot.cache.get(key, layers)
    if result is None and (histogram := magnitudes(snapshot, name)) is not None:
        return histogram.sums(snapshot.entry(name).dtype)
    return result


def zeros(snapshot: Snapshot, name: str) -> int | None:
    """Return how many of the weights that a step may take are 0; None if not counted."""
    histogram = magnitudes(snapshot, snapshot.entry(name).name)
    return None if histogram is None else histogram.zeros


def below(snapshot: Snapshot, names: Iterable[str], threshold: float) -> int | None:
    """Return how many weights that a step may take have a magnitude up to a threshold.

    Exact for floats of up to 16 bits; in the bin of the threshold, wider ones are taken to be
    spread evenly. None if one of the tensors is not counted.
    """
    total = 0
    for name in names:
        entry = snapshot.entry(name)
        histogram = magnitudes(snapshot, entry.name)
        if histogram is None:
            return None
        total += histogram.below(threshold, entry.dtype)
    return total


def _count_of(snapshot: Snapshot, name: str, kind: Kind) -> Any:
    layers = snapshot.masks_of(name)
    return snapshot.cache.get((name, kind, *map(id, layers)), layers)


def _key(snapshot: Snapshot, name: str, kind: Kind) -> tuple[object, ...]:
    """Return what a count is found by: those of several masks of a tensor are kept."""
    return name, kind, *map(id, snapshot.masks_of(name))
