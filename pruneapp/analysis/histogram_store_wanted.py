"""What is to be counted, as things that can be put into a queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pruneapp.document.selection_sparing import excluded, rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step, dim_of
from pruneapp.methods import registry
from pruneapp.params import Norm
from pruneapp.results.sparsity_report_assignment import Assignment

# A dimension, from 0, and the order of a norm; None for magnitudes.
Kind = tuple[int, Norm] | None

# Elements of small tensors that are counted as one.
_BATCH = 1 << 20


@dataclass(frozen=True)
class HistogramRequest:
    """Something that is to be counted; for `HistogramStore.count`.

    Attributes
    ----------
    names
        First names of the tensors: one large one, or several small ones.
    kind
        Dimension, from 0, and order of the norms; None if magnitudes are wanted.
    elements
        How many elements are read for it.
    """

    names: tuple[str, ...]
    kind: Kind
    elements: int


def rows_now(snapshot: Snapshot, step: Step) -> tuple[tuple[Row, tuple[str, ...]], ...]:
    """Return what `rows_of` does; of 100,000 names it is not asked at each move of a slider."""
    from pruneapp.analysis.histogram_store import census_of

    key = "rows", tuple(row.names for row in step.rows), step.limits.spare, step.version
    known: list[tuple[int, tuple[str, ...]]] | None = census_of(snapshot).recent(snapshot, key)
    if known is None:
        places = {id(row): i for i, row in enumerate(step.rows)}
        found = rows_of(snapshot.checkpoint, step)
        known = [(places[id(row)], names) for row, names in found]
        census_of(snapshot).remember(snapshot, key, known, 0)
    return tuple((step.rows[i], names) for i, names in known)


def assignment_now(snapshot: Snapshot, step: Step) -> Assignment:
    """Return which rule of a step prunes each tensor, and what its limits exclude.

    Found once for the names, rules and limits of a step, not at each move of a slider.
    """
    from pruneapp.analysis.histogram_store import census_of

    if len(step.rows) == 1 and not step.limits.spare:
        return Assignment()
    names = tuple(row.names for row in step.rows)
    key = "assignment", names, step.limits.spare, step.version
    known: Assignment | None = census_of(snapshot).recent(snapshot, key)
    if known is None:
        rules: dict[str, int] = {}
        counts = [0] * len(step.rows) if len(step.rows) > 1 else []
        if counts:
            places = {id(row): i for i, row in enumerate(step.rows)}
            for row, some in rows_now(snapshot, step):
                rules.update(dict.fromkeys(some, places[id(row)]))
                counts[places[id(row)]] = len(some)
        known = Assignment(rules, excluded(snapshot.checkpoint, step), tuple(counts))
        census_of(snapshot).remember(snapshot, key, known, 0)
    return known


def kinds_of(snapshot: Snapshot, step: Step) -> Iterator[tuple[tuple[str, ...], Kind]]:
    """Yield names, and what has to be known of them before a step can be estimated.

    What decides comes first, then what the energy is made of.
    """
    for row, names in rows_now(snapshot, step):
        method = registry.get(row.method)
        if method.told_by is None:
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


def batches(snapshot: Snapshot, names: Sequence[str], kind: Kind) -> list[HistogramRequest]:
    """Put names into batches, in order."""
    made: list[HistogramRequest] = []
    some: list[str] = []
    elements = 0
    for name in names:
        numel = snapshot.entry(name).numel
        if some and elements + numel > _BATCH:
            made.append(HistogramRequest(tuple(some), kind, elements))
            some, elements = [], 0
        some.append(name)
        elements += numel
    if some:
        made.append(HistogramRequest(tuple(some), kind, elements))
    return made
