"""Compare two states of a document, or two checkpoints, tensor by tensor in one pass."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal

import numpy as np

from pruneapp.analysis.pooling import reader_of_exported
from pruneapp.analysis.retained_norm import block_sums
from pruneapp.checkpoint.elements import Bits
from pruneapp.checkpoint.entry import TensorEntry, is_buffer_name
from pruneapp.document.snapshot import Snapshot, StateCache
from pruneapp.errors import in_numeric_order
from pruneapp.kernels.kernel import BLOCK
from pruneapp.kernels.threads import map_in_order, threads_for
from pruneapp.kernels.values import Bools, Float64s, Floats, decode
from pruneapp.masks.bitmask import BitMask, MaskSet
from pruneapp.progress import Job

# The name that both sides use, and the tensor of each side; None where a side has no such tensor.
Pair = tuple[str, TensorEntry | None, TensorEntry | None]


# same: all values are equal (NaN equals NaN, 0.0 equals -0.0), whatever the dtypes. only a, only b:
# the other side has no tensor of this name. shape: shapes differ (or the dtype, complex or packed,
# has no comparable values), so nothing was compared. unread: both have it, but at least one is
# unreadable.
Difference = Literal["same", "differs", "only a", "only b", "shape", "unread"]


@dataclass(frozen=True)
class TensorDifference:
    """Differences of a tensor between two sides; pruned weights are 0."""

    name: str  # name in the first file, or else in the second
    kind: Difference
    # Empty if the tensor is missing, and for a scalar.
    shape_a: tuple[int, ...] = ()
    shape_b: tuple[int, ...] = ()
    numel: int = 0  # elements of the first tensor, or else of the second
    differing: int = 0  # number of elements with different values (NaN equals NaN, 0.0 equals -0.0)
    # L2 norm of the difference, over elements that are finite in both; infinite beyond float64.
    norm: float = 0.0
    # `norm` divided by the L2 norm of the first, over the same elements; None if that is 0 or
    # infinite.
    relative: float | None = None
    # Cosine similarity over the same elements; None if a norm is 0 or infinite.
    cosine: float | None = None
    # Share of elements with the same sign (-, 0, +); NaN only matches NaN. None for an empty
    # tensor.
    same_sign: float | None = None
    # Number of elements that are 0 (pruned or not) in the first, the second, and both. For a tensor
    # found equal without reading it, the number of pruned or permanent elements.
    pruned_a: int = 0
    pruned_b: int = 0
    pruned_both: int = 0
    # Display names of the dtypes; empty if the tensor is missing.
    dtype_a: str = ""
    dtype_b: str = ""

    @property
    def overlap(self) -> float | None:
        """Zeros in both divided by zeros in either (Jaccard index); None if there are none."""
        union = self.pruned_a + self.pruned_b - self.pruned_both
        return self.pruned_both / union if union else None

    @property
    def is_integer_buffer(self) -> bool:
        """Whether it is a buffer of integers by dtype and name, such as `num_batches_tracked`."""
        dtype = self.dtype_a or self.dtype_b
        leaf = self.name.rpartition(".")[2]
        return dtype.startswith(("int", "uint")) and is_buffer_name(leaf, self.shape_a)


@dataclass(frozen=True)
class Comparison:
    """The differences between two sides."""

    # Display names of the sides.
    a: str
    b: str
    # In the order of the first file, followed by tensors that only the second has.
    tensors: tuple[TensorDifference, ...]

    @property
    def differing(self) -> tuple[TensorDifference, ...]:
        """The tensors that are not the same, in order."""
        return tuple(t for t in self.tensors if t.kind != "same")


def _owners(a: Snapshot, b: Snapshot, pair: Pair) -> tuple[Any, ...]:
    """Return the objects that the values of both tensors depend on: checkpoints and mask layers."""
    owners: list[Any] = []
    for side, entry in ((a, pair[1]), (b, pair[2])):
        masks = () if entry is None else (layer.get(entry.name) for layer in _layers(side))
        owners += (side.checkpoint, *masks)
    return tuple(owners)


def _layers(side: Snapshot) -> tuple[MaskSet, ...]:
    return side.masks, side.permanent, side.values


# Elements read and processed per piece; in float64 a piece fits into the cache of a core.
_PIECE = 4 * BLOCK
# Elements of a thread task.
STRETCH = 128 * BLOCK


class Side:
    """One tensor of a state, with the values that an export would write."""

    def __init__(self, snapshot: Snapshot, entry: TensorEntry) -> None:
        self.dtype = entry.dtype
        self.shape = entry.shape
        self._snapshot = snapshot
        self._name = entry.name
        self._mask = snapshot.export_mask(entry.name)

    def pieces(self, start: int = 0, stop: int | None = None) -> Iterator[Bits]:
        """Yield the raw elements `start` to `stop` in pieces of at most `_PIECE`, pruned ones 0.

        `start` must be a multiple of `BLOCK`; `stop` of None is the end. A piece may be a buffer
        that the next one overwrites.
        """
        for chunk in self._snapshot.chunks(self._name, start, stop, _PIECE):
            if self._mask is None:
                yield chunk.bits
            else:
                kept = self._mask.bools(chunk.start, chunk.start + chunk.bits.size)
                yield np.multiply(chunk.bits, kept, dtype=chunk.bits.dtype)


@dataclass
class DifferenceSums:
    """Counts and block sums for a part of a tensor, or for all of it.

    `counts`: elements that differ, that have the same sign, that are 0 in A, in B, and in both.
    `sums`: for each block the sums of (y - x)^2, x^2, y^2 and x y, with x of A and y of B.
    """

    size: int = 0
    counts: list[int] = field(default_factory=lambda: [0] * 5)
    sums: tuple[list[Float64s], ...] = field(default_factory=lambda: ([], [], [], []))

    def add(self, size: int, counts: Sequence[Any], sums: Iterable[list[Float64s]]) -> None:
        """Append the counts and sums of the next part, in flat order."""
        self.size += size
        self.counts = [a + int(b) for a, b in zip(self.counts, counts, strict=True)]
        for total, part in zip(self.sums, sums, strict=True):
            total.extend(part)

    def difference(self, pair: Pair) -> TensorDifference:
        """Return the comparison of a pair of tensors from the sums of all their parts.

        `kind` is "same" if no element differs, whatever the dtypes.
        """
        distance, aa, bb = (math.sqrt(_total(s)) for s in self.sums[:3])
        ab = _total(self.sums[3])
        differing, same_sign, zero_a, zero_b, zero_both = self.counts
        length = aa * bb
        return _tensor_difference(
            pair,
            "differs" if differing else "same",
            differing=differing,
            norm=distance,
            relative=distance / aa if 0 < aa < math.inf else None,
            cosine=min(1.0, max(-1.0, ab / length)) if 0 < length < math.inf else None,
            same_sign=same_sign / self.size if self.size else None,
            pruned_a=zero_a,
            pruned_b=zero_b,
            pruned_both=zero_both,
        )


class _Workspace:
    """Reusable float64 buffers for one piece: allocating them per piece doubled the run time."""

    def __init__(self, size: int) -> None:
        self._x, self._y, self._product = np.empty((3, size))

    def squares(self, x: Floats) -> Float64s:
        return block_sums(np.square(x, out=self._product[: x.size], dtype=np.float64))

    def products(self, x: Floats, y: Floats) -> list[Float64s]:
        """Return the block sums of (y - x)^2, x^2, y^2 and x y, in float64.

        `x` and `y` have the same size, at most that of the workspace, whose buffers are
        overwritten.
        """
        wide_x, wide_y, product = (a[: x.size] for a in (self._x, self._y, self._product))
        np.copyto(wide_x, x)
        np.copyto(wide_y, y)
        np.subtract(wide_y, wide_x, out=product)
        return [
            block_sums(np.square(product, out=product)),
            block_sums(np.square(wide_x, out=product)),
            block_sums(np.square(wide_y, out=product)),
            block_sums(np.multiply(wide_x, wide_y, out=product)),
        ]


def _add_equal(sums: DifferenceSums, values: Floats, space: _Workspace) -> None:
    zeros = values.size - int(np.count_nonzero(values))
    squares = space.squares(values)
    if not np.isfinite(squares).all():
        squares = space.squares(np.where(np.isfinite(values), values, 0))
    counts = (0, values.size, zeros, zeros, zeros)
    sums.add(values.size, counts, ([np.zeros_like(squares)], [squares], [squares], [squares]))


def _add(
    total: DifferenceSums, x: Floats, y: Floats, differences: Bools | None, space: _Workspace
) -> None:
    """Add a piece in which the bits of both sides differ to `total`.

    `differences` is True where elements differ; None compares the values. Elements that are NaN in
    both do not differ; those that are not finite in either are in no sum.
    """
    nonzero_x, nonzero_y = x != 0, y != 0
    signs = (nonzero_x == nonzero_y) & ((x > 0) == (y > 0))
    differs = x != y if differences is None else differences
    sums = space.products(x, y)
    if not all(np.isfinite(s).all() for s in sums):
        odd_x, odd_y = np.isnan(x), np.isnan(y)
        differs &= ~(odd_x & odd_y)
        signs = np.where(odd_x | odd_y, odd_x & odd_y, signs)
        finite = np.isfinite(x) & np.isfinite(y)
        sums = space.products(np.where(finite, x, 0), np.where(finite, y, 0))
    counts = (
        np.count_nonzero(differs),
        np.count_nonzero(signs),
        x.size - np.count_nonzero(nonzero_x),
        x.size - np.count_nonzero(nonzero_y),
        x.size - np.count_nonzero(nonzero_x | nonzero_y),
    )
    total.add(x.size, counts, ([part] for part in sums))


def _total(sums: list[Float64s]) -> float:
    # math.fsum raises if it meets infinities of both signs or overflows.
    all_sums = np.concatenate(sums) if sums else np.zeros(0)
    return math.fsum(all_sums) if np.isfinite(all_sums).all() else math.inf


# How a pruned file is recognized: by this key of its metadata, or else by having clearly more
# zeros: `_SAMPLE_SIZE` weights in each of at most `_TENSORS` tensors are compared, and the share of
# zeros must be larger by `_MIN_EXCESS`.
_MADE_OF = "pruneapp.inputs"
_SAMPLE_SIZE = 1 << 12
_TENSORS = 256
_MIN_EXCESS = 0.005


def is_original(here: Snapshot, other: Snapshot, job: Job) -> bool:
    """Guess whether `here` was pruned and `other`, of another checkpoint, is its original.

    If exactly one file's metadata lists the files that it was made from, that one is the pruned
    file. Otherwise it is the one with clearly more zeros among the first weights of at most 256 of
    the tensors that both have. False if neither has, or if they share no tensor. Raises
    `CheckpointError` if a file cannot be read.
    """
    derived = [_MADE_OF in state.checkpoint.metadata for state in (here, other)]
    if derived[0] != derived[1]:
        return derived[0]
    shared = [
        (x, y)
        for _, x, y in pairs(here, other, None)
        if x and y and x.prunable and y.prunable and x.shape == y.shape and x.numel
    ]
    step = max(1, len(shared) // _TENSORS)
    zeros, weights = [0, 0], 0
    for both in shared[::step]:
        job.step(0)
        size = min(_SAMPLE_SIZE, both[0].numel)
        weights += size
        for side, (state, entry) in enumerate(zip((here, other), both, strict=True)):
            values = reader_of_exported(state, entry.name)(0, size)
            zeros[side] += int(np.count_nonzero(values == 0))
    return zeros[0] - zeros[1] > _MIN_EXCESS * weights


def compare(
    a: Snapshot,
    b: Snapshot,
    job: Job,
    *,
    called: tuple[str, str] = ("A", "B"),
    names: Iterable[str] | None = None,
    known: StateCache | None = None,
) -> Comparison:
    """Compare every tensor of two states by the values that an export would write.

    Tensors are paired if they share a name. Those on one side only, unreadable ones, and pairs of
    different shapes are listed without numbers. Rows are in numeric order of the names. Each pair
    is read once, in bounded memory. Sums are float64 and added as described in
    `pruneapp.analysis.retained_norm`, so they do not depend on chunks or threads. Raises
    `CheckpointError` if a file cannot be read.

    Parameters
    ----------
    job
        Started with the number of elements of all pairs.
    called
        Display names of the two sides.
    names
        Tensor names of either side, unknown ones are ignored; None compares all.
    known
        Results of earlier comparisons. Tensors whose values have not changed since are taken from
        it and not read again; new results are added to it.
    """
    matched = pairs(a, b, names)
    job.start(sum(map(work_of, matched)))
    tensors = []
    known = StateCache() if known is None else known
    for pair in matched:
        job.label(pair[0])
        owners = _owners(a, b, pair)
        key = pair[0], *map(id, owners)
        before: TensorDifference | None = known.get(key, owners)
        if before is None:
            tensors.append(difference(a, b, pair, job))
            known.put(key, owners, tensors[-1])
        else:
            tensors.append(before)
            job.step(work_of(pair))
    rows = [*tensors, *unreadable_in(a, b, names)]
    return Comparison(*called, tuple(in_numeric_order(rows, attrgetter("name"))))


def unreadable_in(
    a: Snapshot, b: Snapshot, names: Iterable[str] | None
) -> Iterator[TensorDifference]:
    """Yield a difference for each tensor that cannot be read on a side.

    Its kind is "unread" if both sides have it, otherwise "only a" or "only b". `names` limits the
    tensors; None means all. Yields nothing if both sides are the same checkpoint.
    """
    if a.checkpoint is b.checkpoint:
        return
    here, other = a.checkpoint, b.checkpoint
    of_a, of_b = here.contents.unreadable, other.contents.unreadable
    selected = None if names is None else frozenset(names)
    for name in dict.fromkeys((*of_a, *of_b)):
        if selected is not None and name not in selected:
            continue
        if (name in of_a or here.holds(name)) and (name in of_b or other.holds(name)):
            yield TensorDifference(name, "unread")
        else:
            yield TensorDifference(name, "only a" if name in of_a else "only b")


def pairs(a: Snapshot, b: Snapshot, names: Iterable[str] | None = None) -> tuple[Pair, ...]:
    """Return the pairs of tensors that share a name.

    The order is that of the first file, followed by the tensors that only the second file has.
    `names` are of either side, None for all. A tensor with several names is in one pair, unless the
    other side has several tensors with these names: then it is in a pair with each of them.
    """
    selected = None if names is None else frozenset(names)
    entries_of_b = {name: e for e in b.checkpoint.entries.values() for name in e.names}
    matched_names: set[str] = set()
    result: list[Pair] = []
    for entry in a.checkpoint.entries.values():
        others: dict[str, Pair] = {}
        for name in entry.names:
            if name in entries_of_b:
                others.setdefault(entries_of_b[name].name, (name, entry, entries_of_b[name]))
        matched_names.update(others)
        result += others.values() if others else [(entry.name, entry, None)]
    result += [
        (e.name, None, e) for e in b.checkpoint.entries.values() if e.name not in matched_names
    ]
    # A tensor that one side has but cannot read is reported by `unreadable_in`, not as missing.
    unread = a.checkpoint.contents.unreadable, b.checkpoint.contents.unreadable
    result = [
        (name, x, y)
        for name, x, y in result
        if not (x is None and name in unread[0]) and not (y is None and name in unread[1])
    ]
    if selected is None:
        return tuple(result)
    return tuple(
        pair for pair in result if any(e is not None and selected & set(e.names) for e in pair[1:])
    )


def difference(a: Snapshot, b: Snapshot, pair: Pair, job: Job) -> TensorDifference:
    """Compare one pair of tensors, by the values that an export would write.

    Nothing is read if a side has no such tensor, or if both are one tensor with the same zeros.
    Tensors without comparable values are "same" if all bits are equal, else "shape". Advances `job`
    by `work_of` the pair.
    """
    _, x, y = pair
    if x is None or y is None:
        return _tensor_difference(pair, "only a" if y is None else "only b")
    if is_unchanged(a, b, x, y):
        job.step(work_of(pair))
        mask = a.export_mask(x.name)
        pruned = 0 if mask is None else mask.pruned
        sign = 1.0 if x.numel else None
        same: dict[str, Any] = {"relative": 0.0, "cosine": 1.0, "same_sign": sign}
        same |= dict.fromkeys(("pruned_a", "pruned_b", "pruned_both"), pruned)
        return _tensor_difference(pair, "same", **same)
    if not _comparable(x, y):
        return _tensor_difference(
            pair, "same" if _same_bits(Side(a, x), Side(b, y), job) else "shape"
        )
    mine, other = Side(a, x), Side(b, y)
    # Equal bits are equal values; 64-bit integers are compared by their bits only.
    same_type = mine.dtype == other.dtype
    whole = same_type and mine.dtype.form is None

    def work(start: int) -> DifferenceSums:
        """Compare the stretch of elements that begins at the flat index `start`."""
        sums = DifferenceSums()
        stop = min(start + STRETCH, x.numel)
        space = _Workspace(min(_PIECE, stop - start))
        with np.errstate(all="ignore"):  # infinities and NaN are left out
            for left, right in zip(
                mine.pieces(start, stop), other.pieces(start, stop), strict=True
            ):
                job.cancel.check()
                if same_type and np.array_equal(left, right):
                    _add_equal(sums, decode(left, mine.dtype), space)
                else:
                    differs = left != right if whole else None
                    values = decode(left, mine.dtype), decode(right, other.dtype)
                    _add(sums, *values, differs, space)
        return sums

    sums = DifferenceSums()
    starts = range(0, x.numel, STRETCH)
    for stretch in map_in_order(starts, work, job, threads_for(x.numel)):
        sums.add(stretch.size, stretch.counts, stretch.sums)
        job.step(stretch.size)
    return sums.difference(pair)


def _tensor_difference(pair: Pair, kind: Difference, **numbers: Any) -> TensorDifference:
    """Return the row of a pair of tensors, with the name, shapes and dtypes of both sides.

    `numbers` are further fields of `TensorDifference`.
    """
    name, x, y = pair
    entry = x or y
    assert entry is not None
    return TensorDifference(
        name,
        kind,
        () if x is None else x.shape,
        () if y is None else y.shape,
        entry.numel,
        dtype_a="" if x is None else x.dtype.label,
        dtype_b="" if y is None else y.dtype.label,
        **numbers,
    )


def work_of(pair: Pair) -> int:
    """Return the number of elements read per side; 0 if the values cannot be compared."""
    _, x, y = pair
    return x.numel if x and y and _comparable(x, y) else 0


def _comparable(x: TensorEntry, y: TensorEntry) -> bool:
    values = not any(e.dtype.packed or e.dtype.name in {"C64", "C128"} for e in (x, y))
    return x.shape == y.shape and values


def _same_bits(a: Side, b: Side, job: Job) -> bool:
    """Return whether shape, dtype and raw bits are equal, for tensors without comparable values.

    Reads both until the first difference; can be cancelled.
    """
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    for mine, other in zip(a.pieces(), b.pieces(), strict=True):
        job.cancel.check()
        if not np.array_equal(mine, other):
            return False
    return True


def is_unchanged(a: Snapshot, b: Snapshot, x: TensorEntry, y: TensorEntry) -> bool:
    """Return whether `x` and `y` are one tensor with the same zeros in both; reads nothing.

    That is one tensor of one checkpoint with the same replaced values, if any, and the same weights
    that are written as 0, by whatever masks. False does not mean that values differ.
    """
    if a.checkpoint is not b.checkpoint or x.name != y.name:
        return False
    if a.values.get(x.name) is not b.values.get(x.name):
        return False
    if all(s.get(x.name) is t.get(x.name) for s, t in zip(_layers(a), _layers(b), strict=True)):
        return True
    return _written_as_zero(a, x.name) == _written_as_zero(b, x.name)


def _written_as_zero(snapshot: Snapshot, name: str) -> BitMask | None:
    """Return the mask of the elements that are written as +0.0; None if there are none."""
    mask = snapshot.export_mask(name)
    return mask if mask is not None and mask.pruned else None
