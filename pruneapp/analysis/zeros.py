"""Zeros that a file already has: pruned elsewhere, by a tool that left no mask."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.histogram_store import census_of
from pruneapp.analysis.retained_norm_blocks import aligned
from pruneapp.analysis.zeros_zero_patterns import block_of, pattern_of
from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.threads import WORTH_THREADS, default_threads, in_order
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import channels_left
from pruneapp.progress import Job
from pruneapp.results.tensor_statistics_zeros import TensorZeros, ZerosReport

__all__ = ["find_zeros", "nonzero", "zero_masks"]

# Share of zeros from which on a tensor is worth a word.
WORTH = 0.01

# Elements of a task of a thread, and of what is read at once; multiples of 8. Memory for more at
# once is got anew each time, page by page, which took five times as long as all the rest.
_STRETCH = 1 << 20
_PIECE = 1 << 15


def find_zeros(snapshot: Snapshot, names: Iterable[str] | None, job: Job) -> ZerosReport:
    """Find the tensors of a file that were pruned before, and the patterns of their zeros.

    A zero is a weight that is kept here and has the value 0.0 or -0.0; what is pruned here is
    none. Looked at are tensors that can be pruned and either are among those that are pruned by
    default, or have two dimensions or more. Reported are those with at least 1 % of zeros, and of
    the default ones also those of which a whole slice along a dimension is zero. Of the others a
    single slice is passed over: an embedding has a row of zeros for the padding.

    One pass over the tensors, by threads; holds one bit for each weight of the one that is looked
    at. The patterns are then found on these bits, and only as far as they hold.

    Parameters
    ----------
    snapshot
        The state.
    names
        By any names, in the order of the report; those that cannot be pruned are passed over, and
        those in which the census has counted fewer zeros. None for all but
        buffers, in file order.
    job
        Started with the elements; may cancel.

    Raises
    ------
    UnknownTensorError
        If there is no tensor of a name.
    CheckpointError
        If the file cannot be read.
    """
    entries = _worth_looking(snapshot, names, job)
    job.start(sum([e.numel for e in entries]))
    found = []
    for entry in entries:
        job.label(entry.name)
        there = nonzero(snapshot, entry, job)
        zeros = _zeros_of(snapshot, entry, there, job)
        if zeros is not None:
            found.append(zeros)
    return ZerosReport(tuple(found))


def zero_masks(snapshot: Snapshot, names: Iterable[str], job: Job) -> Mapping[str, BitMask]:
    """Return masks that take the zeros of some tensors beside what is pruned already.

    Parameters
    ----------
    snapshot
        The state.
    names
        Any names of tensors that can be pruned, as `find_zeros` reports them.
    job
        Started with the elements; may cancel.

    Returns
    -------
    dict of str to BitMask
        By first names, in file order; tensors without a zero are left out.
    """
    entries = {(e := snapshot.entry(name)).name: e for name in names}
    job.start(sum(e.numel for e in entries.values()))
    masks: dict[str, BitMask] = {}
    for name in snapshot.checkpoint.entries:
        if name not in entries:
            continue
        job.label(name)
        there = nonzero(snapshot, entries[name], job)
        kept = snapshot.masks.get(name)
        after = there if kept is None else there & kept
        if after.pruned > snapshot.masks.pruned(name):
            masks[name] = after
    return masks


def _worth_looking(snapshot: Snapshot, names: Iterable[str] | None, job: Job) -> list[TensorEntry]:
    if names is None:
        entries = [e for e in snapshot.checkpoint.entries.values() if e.learned]
    else:
        entries = list({(e := snapshot.entry(name)).name: e for name in names}.values())
    found: list[TensorEntry] = []
    for batch in job.cancel.batches(entries):
        found += [
            e
            for e in batch
            if e.prunable
            and e.numel
            and (e.by_default or len(e.shape) > 1)
            and not _too_few(snapshot, e)
        ]
    return found


def _too_few(snapshot: Snapshot, entry: TensorEntry) -> bool:
    """Whether the census says that there are too few zeros to be reported."""
    known = census_of(snapshot).zeros(snapshot, entry.name)
    if known is None or entry.name in snapshot.masks or entry.name in snapshot.protected:
        return False
    slices = [entry.numel // size for size in entry.shape if size > 1] if entry.by_default else []
    return known < min([WORTH * entry.numel, *slices])


def nonzero(snapshot: Snapshot, entry: TensorEntry, job: Job) -> BitMask:
    """Return which elements are not zero, one bit each; NaN is not."""
    packed = np.empty((entry.numel + 7) // 8, np.uint8)

    def work(start: int) -> int:
        stop = min(start + _STRETCH, entry.numel)
        for chunk in aligned(snapshot.chunks(entry.name, start, stop, _PIECE), 8):
            job.cancel.check()
            bits = np.packbits(_not_zero(chunk.bits, entry.dtype), bitorder="little")
            packed[chunk.start // 8 : chunk.start // 8 + bits.size] = bits
        return stop - start

    threads = default_threads() if entry.numel >= WORTH_THREADS else 1
    for done in in_order(range(0, entry.numel, _STRETCH), work, job, threads):
        job.step(done)
    return BitMask(packed, entry.numel)


def _not_zero(bits: Bits, dtype: DType) -> NDArray[np.bool_]:
    if dtype.form is not None and dtype.form.fnuz:
        return np.not_equal(bits, 0)  # the sign alone is NaN
    return np.not_equal(np.left_shift(bits, 1, dtype=bits.dtype), 0)


def _zeros_of(
    snapshot: Snapshot, entry: TensorEntry, there: BitMask, job: Job
) -> TensorZeros | None:
    kept = snapshot.masks.get(entry.name)
    left = there if kept is None else there & kept
    zeros = left.pruned - snapshot.masks.pruned(entry.name)
    enough = zeros >= WORTH * entry.numel
    if not zeros or not (enough or entry.by_default):
        return None
    channels = tuple(_empty_slices(kept, left, entry.shape, zeros, job))
    # A dimension of one slice says no more than the number of zeros does.
    slices = [(c, n) for c, n in zip(channels, entry.shape, strict=True) if n > 1]
    if not enough and not any(c for c, _ in slices):
        return None
    if not entry.by_default and any(c == 1 and zeros == entry.numel // n for c, n in slices):
        return None
    whole = left.kept == 0
    return TensorZeros(
        name=entry.name,
        numel=entry.numel,
        zeros=zeros,
        channels=channels,
        pattern=None if whole else pattern_of(left, entry.shape, job),
        block=None if whole else block_of(left, entry.shape, job),
    )


def _empty_slices(
    kept: BitMask | None, left: BitMask, shape: tuple[int, ...], zeros: int, job: Job
) -> Iterator[int]:
    """Yield for each dimension how many slices have become empty by zeros of the file."""
    for dim, size in enumerate(shape):
        if kept is None and zeros < math.prod(shape) // size:
            yield 0  # fewer than one slice
            continue
        before = channels_left(kept, shape, dim, job)
        after = channels_left(left, shape, dim, job)
        yield int(np.count_nonzero(before & ~after))
