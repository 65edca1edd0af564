"""Writing the masks of torch, a number for every weight, straight from the comparison with a cut.

Masks of numbers are as large as the weights, and memory that is touched for the first time is
slow. So every value is written once, side by side in threads, and nothing is written before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.kernels.kernel import Threshold
from pruneapp.kernels.sort_keys import Magnitudes
from pruneapp.kernels.threads import (
    WORTH_THREADS,
    TensorRange,
    default_threads,
    in_order,
    stretches,
)
from pruneapp.kernels.threshold_counting import kept_of
from pruneapp.progress import Job


@dataclass(frozen=True, eq=False)
class MaskTarget:
    """Where the mask of one tensor is written.

    Attributes
    ----------
    base
        What it is where nothing goes: bits, 1-D; all elements may be the same memory.
    out
        1-D, of the same size and type; may be `base` itself.
    """

    base: Bits
    out: Bits


def write_cut(
    targets: Sequence[MaskTarget], rankings: Sequence[Magnitudes], threshold: Threshold
) -> None:
    """Write every mask: 0 where an element goes, else the bits of `base`.

    Of the elements with just the key of the cut the first in order go. Elements that are not
    ranked stay.
    """
    sizes = [ranking.size for ranking in rankings]
    threads = default_threads() if sum(sizes) >= WORTH_THREADS else 1

    def work(task: tuple[TensorRange, ...]) -> list[NDArray[np.uint32]]:
        return [_write(targets[s.index], rankings[s.index], s, threshold) for s in task]

    tasks = list(stretches(sizes))
    ties = threshold.ties
    for task, found in zip(tasks, in_order(tasks, work, Job(), threads), strict=True):
        for stretch, places in zip(task, found, strict=True):
            going = places[:ties]
            targets[stretch.index].out[stretch.start : stretch.stop][going] = 0
            ties -= going.size


def _write(
    values: MaskTarget, ranking: Magnitudes, stretch: TensorRange, threshold: Threshold
) -> NDArray[np.uint32]:
    """Write a stretch, all ties of which stay for now; returns where in it the ties are."""
    found = []
    for chunk in ranking.keys(stretch.start, stretch.stop):
        start, stop = chunk.start, chunk.start + chunk.keys.size
        cut = chunk.keys.dtype.type(threshold.key)
        kept = kept_of(ranking, start, chunk.keys.size)
        stays = chunk.keys >= cut
        if kept is not None:
            stays |= ~kept
        # bits x 0 and bits x 1: no branch, and exact on unsigned integers.
        np.multiply(values.base[start:stop], stays, out=values.out[start:stop])
        if not threshold.ties:
            continue
        equal = np.equal(chunk.keys, cut, out=stays)
        if kept is not None:
            equal &= kept
        if equal.any():
            places = np.flatnonzero(equal) + (start - stretch.start)
            found.append(places.astype(np.uint32))
    return np.concatenate(found) if found else np.empty(0, np.uint32)
