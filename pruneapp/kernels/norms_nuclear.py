"""The nuclear norm of channels: the sum of the singular values of each slice as a matrix."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Slices
from pruneapp.kernels.summation_slices import values_of
from pruneapp.kernels.values import Floats
from pruneapp.masks.channels import Box, boxes, extents
from pruneapp.progress import Job

_BOX = 1 << 18
# Bytes of the slices that are gathered in one pass over a tensor whose slices are interleaved.
_GATHERED = 1 << 26
# Multiplications beyond which a decomposition takes longer than a person should wait for Cancel.
_LONG = 10**7


def nuclear_norms(slices: Slices, job: Job) -> NDArray[np.float64]:
    """Return the nuclear norm of every channel, float64; steps `job` by the elements.

    A slice is a matrix of its first remaining dimension by all others. Slices along the first
    dimension are read one after the other; along others, so many are gathered in one pass as fit
    into a bounded memory (one at least), and the tensor is read again for the next ones.

    Parameters
    ----------
    slices
        The tensor, of two or more dimensions.
    job
        Stepped and asked whether to go on.
    """
    outer, channels, inner = extents(slices.shape, slices.dim)
    norms = np.zeros(channels)
    if outer * inner == 0:
        return norms
    remaining = slices.shape[: slices.dim] + slices.shape[slices.dim + 1 :]
    matrix = (remaining[0], math.prod(remaining[1:]))
    gather = _consecutive if outer == 1 else _interleaved
    for channel, flat in gather(slices, job):
        norms[channel] = _nuclear_norm(flat.reshape(matrix), job)
        job.step(flat.size)
    return norms


Gathered = Iterator[tuple[int, NDArray[np.float64]]]


def _consecutive(slices: Slices, job: Job) -> Gathered:
    inner = extents(slices.shape, slices.dim)[2]
    flat = np.empty(inner)
    for box, part in _values(slices, job):
        for channel, run in enumerate(part[0], box.channels[0]):
            with np.errstate(invalid="ignore"):  # signalling NaNs stay NaNs
                flat[slice(*box.inner)] = run
            if box.inner[1] == inner:
                yield channel, flat


def _interleaved(slices: Slices, job: Job) -> Gathered:
    outer, channels, inner = extents(slices.shape, slices.dim)
    together = max(1, _GATHERED // (outer * inner * 8))
    for first in range(0, channels, together):
        last = min(first + together, channels)
        flat = np.empty((last - first, outer, inner))
        for box, part in _values(slices, job):
            low, high = max(first, box.channels[0]), min(last, box.channels[1])
            if low < high:
                chosen = part[:, low - box.channels[0] : high - box.channels[0]]
                target = flat[low - first : high - first, slice(*box.outer), slice(*box.inner)]
                with np.errstate(invalid="ignore"):
                    target[...] = chosen.transpose(1, 0, 2)
        for channel in range(first, last):
            yield channel, flat[channel - first].reshape(-1)


def _values(slices: Slices, job: Job) -> Iterator[tuple[Box, Floats]]:
    for box in boxes(slices.shape, slices.dim, _BOX):
        job.step(0)
        yield box, values_of(slices, box)


def _nuclear_norm(matrix: NDArray[np.float64], job: Job) -> float:
    if np.isnan(matrix).any():
        return math.nan
    if np.isinf(matrix).any():
        return math.inf
    if matrix.size * min(matrix.shape) <= _LONG:
        return float(np.linalg.svd(matrix, compute_uv=False).sum())
    return _watched(matrix.copy(), job)


def _watched(matrix: NDArray[np.float64], job: Job) -> float:
    """Decompose a large matrix, and leave it behind when the job is cancelled meanwhile.

    LAPACK cannot be interrupted; the thread then ends by itself and nobody looks at its result.
    """
    answer: list[float | Exception] = []

    def decompose() -> None:
        try:
            answer.append(float(np.linalg.svd(matrix, compute_uv=False).sum()))
        except (np.linalg.LinAlgError, MemoryError) as error:
            answer.append(error)

    thread = threading.Thread(target=decompose, daemon=True, name="singular values")
    thread.start()
    while thread.is_alive():
        thread.join(0.05)
        job.step(0)
    if isinstance(answer[0], Exception):
        raise answer[0]
    return answer[0]
