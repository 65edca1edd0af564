"""Norms of channels: sums of powers, extremes, and singular values.

Sums are added up in one fixed order, see `pruneapp.kernels.summation_pairwise`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Slices
from pruneapp.kernels.norms_nuclear import nuclear_norms
from pruneapp.kernels.norms_slice_sums import sum_slices
from pruneapp.kernels.summation import InPlace
from pruneapp.kernels.summation_slices import values_of
from pruneapp.kernels.threads import WORTH_THREADS, default_threads, in_order
from pruneapp.masks.channels import Box, boxes
from pruneapp.params import Norm
from pruneapp.progress import Job

# Elements of a box of which the extremes are sought.
_BOX = 1 << 18


def channel_norms(
    slices: Slices, n: Norm, job: Job, threads: int | None = None
) -> NDArray[np.float64]:
    """Return the norm of every channel; see `Kernel.channel_norms`.

    Parameters
    ----------
    slices
        The tensor.
    n
        The order of the norm.
    job
        Stepped by the elements.
    threads
        How many work at once, which changes no bit of the norms; as many as there are cores by
        default, one for a small tensor. None are left when the function returns or raises.
    """
    if n == "nuc":
        return nuclear_norms(slices, job)
    if math.prod(slices.shape) < WORTH_THREADS:
        threads = 1
    threads = default_threads() if threads is None else threads
    order = 2.0 if n == "fro" else _as_float(n)
    if math.isinf(order):
        return _extremes(slices, job, threads, largest=order > 0)
    sums = sum_slices(slices, _power(order), job, threads)
    with np.errstate(all="ignore"):  # infinities and NaN are answers here
        return _root(sums, order)


def _as_float(n: Norm) -> float:
    try:
        return float(n)
    except OverflowError:  # an int beyond float64: the limit is the largest or the smallest
        return math.inf if int(n) > 0 else -math.inf


def _power(order: float) -> InPlace:
    """Return what turns values into the terms of the sum, in place."""

    def count(values: NDArray[np.float64]) -> None:
        np.not_equal(values, 0, out=values)  # NaN is not zero, as torch has it

    def magnitude(values: NDArray[np.float64]) -> None:
        np.abs(values, out=values)

    def square(values: NDArray[np.float64]) -> None:
        np.multiply(values, values, out=values)

    def power(values: NDArray[np.float64]) -> None:
        np.abs(values, out=values)
        np.power(values, order, out=values)

    special: dict[float, InPlace] = {0.0: count, 1.0: magnitude, 2.0: square}
    return special.get(order, power)


def _root(total: NDArray[np.float64], order: float) -> NDArray[np.float64]:
    if order in {0.0, 1.0}:
        return total
    return np.sqrt(total) if order == 2.0 else np.power(total, 1.0 / order)


def _extremes(slices: Slices, job: Job, threads: int, *, largest: bool) -> NDArray[np.float64]:
    pick = np.maximum if largest else np.minimum  # both let NaN through
    found = np.full(slices.shape[slices.dim], 0.0 if largest else math.inf)

    def work(box: Box) -> tuple[Box, NDArray[np.floating]]:
        job.cancel.check()
        with np.errstate(invalid="ignore"):  # signalling NaNs stay NaNs
            magnitudes = np.abs(values_of(slices, box))
            return box, pick.reduce(magnitudes, axis=(0, 2))

    tasks = boxes(slices.shape, slices.dim, _BOX)
    for box, extremes in in_order(tasks, work, job, threads):
        part = found[slice(*box.channels)]
        with np.errstate(invalid="ignore"):
            pick(part, extremes, out=part)
        job.step(box.stop - box.start)
    return found
