"""Counting the magnitudes of many small tensors side by side.

A call of numpy takes a microsecond however little it does, and a tensor needs some thirty. Tensors
of one type and one size are the rows of a matrix.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.histograms import (
    BINS,
    PIECE,
    MagnitudeHistogram,
    bin_shift,
    count_magnitudes,
)
from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.kernel import BLOCK
from pruneapp.kernels.sort_keys import key_table
from pruneapp.progress import Job


def count_alike(snapshot: Snapshot, names: Sequence[str], job: Job) -> Iterator[MagnitudeHistogram]:
    """Count small tensors side by side, as `count_magnitudes` does each.

    Parameters
    ----------
    snapshot
        The state.
    names
        Of one source, type and size of at most `BLOCK` elements, in one piece; nothing of them is
        protected or final.
    job
        Stepped by the elements; may cancel.
    """
    entry = snapshot.entry(names[0])
    size, dtype = entry.numel, entry.dtype
    if not size:
        yield from (count_magnitudes(snapshot, name, job) for name in names)
        return
    start = 0
    for bits in snapshot.checkpoint.bits_alike(names, max(1, PIECE // size)):
        part = names[start : start + len(bits)]
        start += len(bits)
        kept = np.ones(bits.size, np.bool_)
        for i, name in enumerate(part if snapshot.masks else ()):
            if (mask := snapshot.masks.get(name)) is not None:
                kept[i * size : (i + 1) * size] = mask.bools()
        yield from _count_rows(bits.reshape(-1), kept, len(part), dtype)
        job.step(bits.size)


def count_all(
    snapshot: Snapshot, names: Sequence[str], job: Job
) -> Iterator[tuple[str, MagnitudeHistogram]]:
    """Count tensors, side by side where they are alike.

    Parameters
    ----------
    snapshot
        The state.
    names
        First names of tensors that can be pruned.
    job
        Stepped by the elements; may cancel.

    Yields
    ------
    str, Counted
        Each tensor as it is counted.
    """
    for together, some in alike(snapshot, names, job):
        if together:
            yield from zip(some, count_alike(snapshot, some, job), strict=True)
        else:
            for name in some:
                yield name, count_magnitudes(snapshot, name, job)


def alike(snapshot: Snapshot, names: Sequence[str], job: Job) -> Iterator[tuple[bool, list[str]]]:
    """Put tensors together that `count_alike` can count, each in the order of the names.

    Parameters
    ----------
    snapshot
        The state.
    names
        First names.
    job
        May cancel.

    Yields
    ------
    bool
        Whether they are counted by it; each of the others by itself.
    list
        Their names.
    """
    groups: dict[tuple[int, str, int], list[str]] = defaultdict(list)
    alone: list[str] = []
    for name in (n for batch in job.cancel.batches(names) for n in batch):
        entry = snapshot.entry(name)
        plain = not (name in snapshot.final or name in snapshot.protected)
        if plain and entry.location.strides is None and entry.numel <= BLOCK:
            groups[entry.location.source, entry.dtype.name, entry.numel].append(name)
        else:
            alone.append(name)
    yield from ((True, group) for group in groups.values())
    if alone:
        yield False, alone


def _count_rows(
    bits: Bits, kept: NDArray[np.bool_], rows: int, dtype: DType
) -> Iterator[MagnitudeHistogram]:
    """Count each of some rows of as many elements: by sorting, there are few in a row."""
    form, shift = dtype.form, bin_shift(dtype)
    assert form is not None
    keys = bits & bits.dtype.type(form.magnitude_mask) if shift else _keys(bits, dtype)
    row = np.repeat(np.arange(rows), bits.size // rows)
    odd = keys > bits.dtype.type(form.largest)
    nan = np.bincount(row[odd & kept], minlength=rows).tolist()
    zeros = np.bincount(row[(keys == 0) & kept], minlength=rows).tolist()
    there = np.flatnonzero(kept & ~odd)
    digits = row[there] << 16 | (keys[there] >> keys.dtype.type(shift)).astype(np.intp)
    order = np.argsort(digits, kind="stable")
    digits = digits[order]
    first = np.flatnonzero(np.diff(digits, prepend=-1))
    counts = np.diff(first, append=digits.size)
    squares = sizes = None
    if shift:
        values = keys[there[order]].view(dtype.numpy).astype(np.float64)
        values[np.isinf(values)] = 0.0
        with np.errstate(over="ignore"):
            sizes = np.add.reduceat(values, first) if first.size else np.empty(0)
            squares = np.add.reduceat(np.square(values), first) if first.size else np.empty(0)
    found = digits[first]
    bins = (found & (BINS - 1)).astype(np.uint16)
    ends = np.searchsorted(found, np.arange(rows + 1) << 16).tolist()
    for i in range(rows):
        here = slice(ends[i], ends[i + 1])
        # Copies: a slice would hold the memory of all rows as long as one of them is wanted.
        yield MagnitudeHistogram(
            bins[here].copy(),
            counts[here].copy(),
            None if squares is None else squares[here].copy(),
            None if sizes is None else sizes[here].copy(),
            nan[i],
            zeros[i],
        )


def _keys(bits: Bits, dtype: DType) -> Bits:
    keys: Bits = np.take(key_table(dtype, dtype.bits), bits)
    return keys
