"""The one order in which the terms of a slice are added.

Floating point addition depends on its order, so the order is part of the contract. The terms of a
slice, in flat order, are cut into blocks of 4,096, the last may be shorter; the blocks are added in
order. Inside a block the terms are added pairwise. A run of them

- of fewer than 8 is added from left to right;
- of 8 to 128 is added in eight lanes: term i goes to lane i mod 8, the lanes are joined as
  ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)), and the terms beyond the last full eight are added
  afterwards, from left to right;
- of more than 128 is cut in two, the first part half its length rounded down to a multiple of 8.
  Each is added by this rule, then the two sums are.

That is how ``numpy.add.reduce`` adds float64 that lie side by side, so it is used for slices that
do (a test compares it with this rule for every length that matters). Where slices stand side by
side, element by element, the same is done here with whole rows. Errors grow with the logarithm of
the length of a block: N. J. Higham, "The accuracy of floating point summation", SIAM J. Sci.
Comput. 14, 1993.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import BLOCK

Sums = NDArray[np.float64]

LANES = 8
# The most terms that are added in lanes. A block is 32 times as many, so that whole blocks are cut
# into equal runs.
RUN = 128


def cut(length: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield start and stop of parts of a slice that can be added by themselves, in order.

    Parameters
    ----------
    length
        Terms of the slice.
    most
        Terms of a part: a power of two from `RUN` on. From `BLOCK` on parts are whole blocks (the
        last may be shorter), below that they are runs of a block.
    """
    if most >= BLOCK:
        for start in range(0, length, most):
            yield start, min(start + most, length)
        return
    for start in range(0, length, BLOCK):
        yield from _runs(start, min(start + BLOCK, length), most)


def _runs(start: int, stop: int, most: int) -> Iterator[tuple[int, int]]:
    if stop - start <= most:
        yield start, stop
        return
    middle = start + _first(stop - start)
    yield from _runs(start, middle, most)
    yield from _runs(middle, stop, most)


def _first(length: int) -> int:
    """Return how many terms of a run of more than `RUN` come into its first part."""
    return length // 2 // LANES * LANES


def join(length: int, most: int, sums: Iterator[Sums]) -> Sums:
    """Return the sum of a slice from the sums of its parts.

    Parameters
    ----------
    length, most
        As in `cut`.
    sums
        Of the blocks, or of the runs if these are shorter; as many as are needed are taken.
    """
    most = min(most, BLOCK)
    total = np.add(_join_runs(min(BLOCK, length), most, sums), 0.0)  # in memory of its own
    for start in range(BLOCK, length, BLOCK):
        total += _join_runs(min(BLOCK, length - start), most, sums)
    return total


def _join_runs(length: int, most: int, sums: Iterator[Sums]) -> Sums:
    if length <= most:
        return next(sums)
    first = _join_runs(_first(length), most, sums)
    return np.add(first, _join_runs(length - _first(length), most, sums))


def add_along(terms: Sums) -> Sums:
    """Return the sums of the blocks of some slices, shape (blocks, slices).

    Parameters
    ----------
    terms
        Shape (slices, terms), the terms of a slice side by side, from a block's border on; or a
        run of a block.
    """
    slices, length = terms.shape
    whole = length // BLOCK
    sums = np.empty((-(-length // BLOCK), slices))
    if whole:
        blocks = terms[:, : whole * BLOCK].reshape(slices, whole, BLOCK)
        np.add.reduce(blocks, axis=2, out=sums[:whole].T)
    if length > whole * BLOCK:
        np.add.reduce(terms[:, whole * BLOCK :], axis=1, out=sums[whole])
    return sums


def add_across(terms: Sums) -> Sums:
    """Return the sums of the blocks of some slices, shape (blocks, slices).

    Parameters
    ----------
    terms
        C ordered, shape (terms, slices), otherwise as for `add_along`.
    """
    length, slices = terms.shape
    whole = length // BLOCK
    sums = np.empty((-(-length // BLOCK), slices))
    if whole:
        sums[:whole] = _add_runs(terms[: whole * BLOCK], BLOCK // RUN)
    if length > whole * BLOCK:
        sums[whole] = _add_rows(terms[whole * BLOCK :])
    return sums


def _add_rows(terms: Sums) -> Sums:
    """Add the rows of one run."""
    length = len(terms)
    total: Sums
    if length % RUN == 0 and (length // RUN).bit_count() == 1:
        total = _add_runs(terms, length // RUN)[0]
        return total
    if length > RUN:
        first = _first(length)
        total = np.add(_add_rows(terms[:first]), _add_rows(terms[first:]))
        return total
    whole = length // LANES
    slices = terms.shape[1]
    lanes: Sums = np.add.reduce(terms[: whole * LANES].reshape(whole, LANES * slices), axis=0)
    return join_lanes(lanes.reshape(LANES, slices), terms[whole * LANES :])


def _add_runs(terms: Sums, runs: int) -> Sums:
    """Add stretches of so many runs of `RUN` rows each, a power of two, shape (stretches, slices).

    Row after row, as numpy adds along an axis that is not the last. Eight rows are one here, so
    that it never sees a single column, which it would add pairwise.
    """
    slices = terms.shape[1]
    lanes: Sums = np.add.reduce(terms.reshape(-1, RUN // LANES, LANES * slices), axis=1)
    return _halved(lanes.reshape(-1, slices), LANES * runs)


def join_lanes(lanes: Sums, rest: Sums) -> Sums:
    """Return the sum of a run from its lanes, and from the terms beyond them.

    Parameters
    ----------
    lanes
        Shape (8, slices); zeros if the run is shorter, which change no sum: no term is -0.0.
    rest
        Fewer than eight rows.
    """
    total: Sums = _halved(lanes, LANES)[0]
    for row in rest:
        total += row
    return total


def _halved(rows: Sums, times: int) -> Sums:
    """Add so many rows, a power of two, to one: neighbours, then neighbours of these."""
    while times > 1:
        rows = np.add(rows[0::2], rows[1::2])
        times //= 2
    return rows
