"""Find zeros that a file already has, from tools that store no mask, and their patterns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pruneapp.analysis import histogram_store
from pruneapp.analysis.retained_norm import align_chunks
from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.elements import Bits
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.threads import map_in_order, threads_for
from pruneapp.kernels.values import Bools
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask, Mask
from pruneapp.masks.channels import channels_left
from pruneapp.masks.regions import Groups, count_kept_in_groups, group_boxes
from pruneapp.progress import Job

# In order of the share that is kept: a tensor with the pattern 2:4 has 4:8 as well.
PATTERNS = ((1, 4), (2, 4), (4, 8))

_BLOCKS = (4, 8, 16, 32, 64)

# Minimum share of the zeros inside whole blocks: single weights may be zero by chance.
_IN_BLOCKS = 0.99

# Error text if zeros should count as pruned but `find_zeros` finds none.
NO_ZEROS = "No tensor has enough zeros to be treated as pruned."

# Elements processed between two checks for cancellation.
_PIECE = 1 << 18
# Larger tensors are not searched for blocks: it would take too much memory.
_MOST = 1 << 31


@dataclass(frozen=True)
class TensorZeros:
    """The zeros of a tensor that are not pruned, and their pattern."""

    name: str  # first name of the tensor
    numel: int
    zeros: int
    channels: tuple[int, ...] = ()  # number of slices of zeros, per dimension
    # ``(n, m)`` if at most n of every m successive elements along dim 1 (input features, or input
    # channels at one kernel position) are nonzero: the first of 1:4, 2:4 and 4:8 that holds
    # throughout. None if none does, and for a tensor of zeros only.
    pattern: tuple[int, int] | None = None
    # ``(rows, columns)`` of the largest square block (64, 32, 16, 8 or 4) that contains 99 % of the
    # zeros completely, in the matrix of dim 0 by all others. None if there is none, or if the zeros
    # are just whole rows and columns.
    block: tuple[int, int] | None = None


@dataclass(frozen=True)
class ZerosReport:
    """The tensors of a file with a considerable share of zeros, in file order."""

    tensors: tuple[TensorZeros, ...]


def pattern_of(left: BitMask, shape: tuple[int, ...], job: Job) -> tuple[int, int] | None:
    """Return the N:M pattern with the smallest kept share that holds throughout; None for none.

    `left` has 1 for each nonzero weight. At most n of every m successive elements along dim 1 are
    nonzero: the input features of a linear layer, and for a convolution the input channels at one
    kernel position, as NVIDIA's sparse tensor cores and torch's semi-structured tensors require.
    The first group begins at channel 0. If the size of dim 1 is not a multiple of m, the pattern
    does not hold.
    """
    if len(shape) < 2:
        return None
    for n, m in PATTERNS:
        if shape[1] % m == 0 and not any(broken_groups(left, shape, Groups(1, m, n), job)):
            return n, m
    return None


def broken_groups(left: BitMask, shape: tuple[int, ...], groups: Groups, job: Job) -> Iterator[int]:
    """Yield the number of groups with too many nonzero elements, one number per piece of a tensor.

    `left` has 1 for each nonzero element. Elements after the last whole group are ignored. Steps
    `job` by 0 for cancellation. The total is the sum; stop early to know whether there are any.
    """
    n, m, length = groups.keep, groups.size, shape[groups.dim]
    if m in {4, 8} and length % m == 0 and math.prod(shape[groups.dim + 1 :]) == 1:
        # Groups are contiguous in flat order, so they are whole nibbles or bytes.
        patterns = np.arange(256, dtype=np.uint8)
        parts = (patterns,) if m == 8 else (patterns & 15, patterns >> 4)
        counts = np.array([np.bitwise_count(part) > n for part in parts])
        broken = counts.sum(axis=0, dtype=np.uint8)
        for first in range(0, left.packed.size, _PIECE // 8):
            job.step(0)
            yield int(broken[left.part(first, first + _PIECE // 8)].sum())
        return
    for box in group_boxes(shape, groups, _PIECE):
        job.step(0)
        yield int(np.count_nonzero(count_kept_in_groups(left, shape, groups, box) > n))


def block_of(left: BitMask, shape: tuple[int, ...], job: Job) -> tuple[int, int] | None:
    """Return the largest square block that the zeros fill; None for none.

    `left` has 1 for each nonzero element. The tensor is treated as a matrix of dim 0 by all others,
    in flat order; blocks begin at its first row and column and are cut off at the last. At least 99
    % of the zeros must be in blocks of zeros only, and these must not merely form whole rows or
    columns of the matrix.
    """
    if len(shape) < 2 or min(shape[0], math.prod(shape[1:])) < _BLOCKS[0] or not left.pruned:
        return None
    rows, columns = shape[0], math.prod(shape[1:])
    if rows * columns > _MOST:
        return None
    tolerated = left.pruned * (1 - _IN_BLOCKS)
    filled = _cells(left, rows, columns, tolerated, job)
    if filled is None or _only_lines(filled):
        return None
    largest = _BLOCKS[0]
    for block in _BLOCKS[1:]:
        if min(rows, columns) < block:
            break
        filled = _any_of_four(filled)
        if left.pruned - _count_covered(filled, rows, columns, block) > tolerated:
            break
        largest = block
    return largest, largest


def _cells(left: BitMask, rows: int, columns: int, tolerated: float, job: Job) -> Bools | None:
    """Return which 4 x 4 blocks have nonzero elements, which are 1 in `left`, ``[rows, columns]``.

    Blocks at the edges may be incomplete. None as soon as more than `tolerated` zeros are outside
    of empty blocks.
    """
    cell = _BLOCKS[0]
    step = max(1, _PIECE // (cell * columns)) * cell
    filled = []
    n_outside = 0
    for first in range(0, rows, step):
        job.step(0)
        last = min(first + step, rows)
        bools = left.bools(first * columns, last * columns)
        # Pad to whole blocks with zeros.
        padded = np.zeros((-(-(last - first) // cell), cell, -(-columns // cell) * cell), np.uint8)
        padded.reshape(-1, padded.shape[2])[: last - first, :columns] = bools.reshape(-1, columns)
        down = np.bitwise_or.reduce(padded, axis=1)
        # Four booleans are one 32-bit word.
        part = down.view(np.uint32) != 0
        filled.append(part)
        zeros = bools.size - int(np.count_nonzero(bools))
        n_outside += zeros - _count_covered(part, last - first, columns, cell)
        if n_outside > tolerated:
            return None
    return np.concatenate(filled)


def _count_covered(filled: Bools, rows: int, columns: int, block: int) -> int:
    """Return the number of elements in empty blocks of a matrix of `rows` x `columns`.

    `filled` has a Boolean for each block of `block` x `block`; those at the edges may be
    incomplete.
    """
    empty = ~filled
    last_row, last_column = rows - (len(empty) - 1) * block, columns - (empty.shape[1] - 1) * block
    widths = np.full(empty.shape[1], block, np.int64)
    widths[-1] = last_column
    by_row = empty @ widths
    return int(by_row[:-1].sum()) * block + int(by_row[-1]) * last_row


def _any_of_four(filled: Bools) -> Bools:
    """Merge 2 x 2 blocks into one."""
    for axis in (0, 1):
        filled = np.logical_or.reduceat(filled, np.arange(0, filled.shape[axis], 2), axis=axis)
    return filled


def _only_lines(filled: Bools) -> bool:
    """Return whether the empty blocks form whole rows and columns of blocks."""
    rows, columns = filled.any(axis=1), filled.any(axis=0)
    return bool(np.array_equal(filled, np.outer(rows, columns)))


# Minimum share of zeros for a tensor to be reported.
WORTH = 0.01

# Elements per thread task, and per read; multiples of 8. Larger reads allocate new pages each time,
# which took five times as long as all the rest.
_STRETCH = 1 << 20
_PIECE_ZEROS = 1 << 15
# Elements read first of a tensor when searching for a pruned nonzero weight.
_FIRST_LOOK = 1 << 12


class MaskedState(Protocol):
    """A state of which only the masks are used."""

    def mask(self, name: str) -> Mask | None:
        """Return the mask of a tensor; None if nothing of it is pruned."""


def find_zeros(snapshot: Snapshot, names: Iterable[str] | None, job: Job) -> ZerosReport:
    """Find tensors of a file that were pruned earlier, and the patterns of their zeros.

    A zero is a kept weight with the value 0.0 or -0.0; weights pruned in this state do not count.
    Only prunable tensors that are in the default selection or have at least two dimensions are
    searched. A tensor is reported if at least 1 % of it is zero; one of the default selection also
    if a whole slice along a dimension is zero. For the others a single zero slice is ignored: an
    embedding has a zero row for padding.

    Parameters
    ----------
    names
        Tensors to search; the report keeps their order. None for all but buffers, in file order.
    job
        Started with the elements.

    Returns
    -------
    ZerosReport
        Found in one pass, with one bit of memory per weight of the current tensor.
    """
    entries = _searchable_entries(snapshot, names, job)
    job.start(sum([e.numel for e in entries]))
    tensors = []
    for entry in entries:
        job.label(entry.name)
        zeros = _zeros_of(snapshot, entry, job)
        if zeros is not None:
            tensors.append(zeros)
    return ZerosReport(tuple(tensors))


def zero_masks(snapshot: Snapshot, names: Iterable[str], job: Job) -> Mapping[str, BitMask]:
    """Return masks that also prune the zeros of tensors, given by any of their names.

    By first name, in file order; tensors without unpruned zeros are omitted. Protection is ignored.
    `job` is started with the elements. Raises `UnknownTensorError`.
    """
    entries = {(e := snapshot.entry(name)).name: e for name in names}
    job.start(sum(e.numel for e in entries.values()))
    masks: dict[str, BitMask] = {}
    for name in snapshot.checkpoint.entries:
        if name not in entries:
            continue
        job.label(name)
        after = nonzero(snapshot, entries[name], job)
        if after.pruned > snapshot.masks.pruned(name):
            masks[name] = after
    return masks


def _searchable_entries(
    snapshot: Snapshot, names: Iterable[str] | None, job: Job
) -> list[TensorEntry]:
    """Return the tensors that `find_zeros` searches, each once, in the order of `names`.

    Raises `UnknownTensorError` for an unknown name.
    """
    if names is None:
        entries = [e for e in snapshot.checkpoint.entries.values() if e.learned]
    else:
        entries = list({(e := snapshot.entry(name)).name: e for name in names}.values())
    return [
        e
        for e in job.cancel.each(entries)
        if e.prunable
        and e.numel
        and (e.by_default or len(e.shape) > 1)
        and not _too_few(snapshot, e)
    ]


def _too_few(snapshot: Snapshot, entry: TensorEntry) -> bool:
    """Return whether a known count shows that the tensor has too few zeros to be reported."""
    known = histogram_store.zeros(snapshot, entry.name)
    if known is None or entry.name in snapshot.masks or entry.name in snapshot.protected:
        return False
    slices = [entry.numel // size for size in entry.shape if size > 1] if entry.by_default else []
    return known < min([WORTH * entry.numel, *slices])


def nonzero(snapshot: Snapshot, entry: TensorEntry, job: Job) -> BitMask:
    """Return the mask of the elements that are neither pruned nor zero; NaN is not zero.

    Reads the tensor on several threads, and steps `job` by the elements.
    """
    packed = scratch.bits(entry.numel)

    def work(start: int) -> int:
        stop = min(start + _STRETCH, entry.numel)
        for chunk in align_chunks(snapshot.chunks(entry.name, start, stop, _PIECE_ZEROS), 8):
            job.cancel.check()
            bits = np.packbits(_not_zero(chunk.bits, entry.dtype), bitorder="little")
            first = chunk.start // 8
            packed[first : first + bits.size] = bits
            scratch.release_pages(packed, first, first + bits.size)
        return stop - start

    starts = range(0, entry.numel, _STRETCH)
    for done in map_in_order(starts, work, job, threads_for(entry.numel)):
        job.step(done)
    left, kept = BitMask(packed, entry.numel), snapshot.masks.get(entry.name)
    return left if kept is None else left & kept


def zeros_pruned_again(
    before: Snapshot, after: MaskedState, names: Iterable[str], job: Job
) -> tuple[str, ...]:
    """Return the first names of tensors in which a step pruned only weights that were zero already.

    `before` and `after` are the states around the step. Tensors in which it pruned nothing are not
    included. Each tensor is read up to the first newly pruned nonzero weight, so little of a dense
    model and all of a sparse one.
    """
    found = []
    for name in names:
        entry = before.entry(name)
        mask = after.mask(entry.name)
        if mask is not None and _prunes_only_zeros(before, mask, entry, job):
            found.append(entry.name)
    return tuple(found)


def _prunes_only_zeros(before: Snapshot, after: Mask, entry: TensorEntry, job: Job) -> bool:
    """Return whether the mask `after` newly prunes weights, all of which are zero in the file.

    False if it prunes none.
    """
    kept = before.masks.get(entry.name)
    start, size, fresh = 0, _FIRST_LOOK, 0
    while start < entry.numel:
        job.cancel.check()
        stop = min(start + size, entry.numel)
        pruned = ~after.bools(start, stop)
        if kept is not None:
            pruned &= kept.bools(start, stop)
        if pruned.any():
            fresh += int(np.count_nonzero(pruned))
            for chunk in before.chunks(entry.name, start, stop):
                part = pruned[chunk.start - start :][: chunk.bits.size]
                if (_not_zero(chunk.bits, entry.dtype) & part).any():
                    return False
        start, size = stop, _STRETCH
    return fresh > 0


def _not_zero(bits: Bits, dtype: DType) -> Bools:
    if dtype.form is not None and dtype.form.fnuz:
        return np.not_equal(bits, 0)  # NaN is the pattern with only the sign bit set
    return np.not_equal(np.left_shift(bits, 1, dtype=bits.dtype), 0)


def _zeros_of(snapshot: Snapshot, entry: TensorEntry, job: Job) -> TensorZeros | None:
    """Return the zeros of a tensor and their pattern; None if they are too few to be reported.

    See `find_zeros` for the limits. Reads the tensor and steps `job` by the elements.
    """
    kept, left = snapshot.masks.get(entry.name), nonzero(snapshot, entry, job)
    zeros = left.pruned - snapshot.masks.pruned(entry.name)
    enough = zeros >= WORTH * entry.numel
    if not zeros or not (enough or entry.by_default):
        return None
    channels = tuple(_empty_slices(kept, left, entry.shape, zeros, job))
    # Along a dimension of size 1 the single slice is the whole tensor, which `zeros` covers.
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
    """Yield, per dimension, the number of slices that zeros of the file made empty.

    `kept` is the mask of the state; `left` has 1 for each kept nonzero element.
    """
    for dim, size in enumerate(shape):
        if kept is None and zeros < math.prod(shape) // size:
            yield 0  # fewer than one slice
            continue
        before = channels_left(kept, shape, dim, job)
        after = channels_left(left, shape, dim, job)
        yield int(np.count_nonzero(before & ~after))
