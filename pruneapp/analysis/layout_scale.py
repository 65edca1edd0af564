"""A magnitude that is large for a tensor: what a picture shows in full colour."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.pooling_layers import ReadValues, reader
from pruneapp.document.snapshot import Snapshot

__all__ = ["large_of", "percentile", "scale"]

_SAMPLES = 64
_SAMPLE = 1024
_LARGE = 99.5  # percent
_FEW = 200  # magnitudes of which less than one is beyond the percentile


def scale(snapshot: Snapshot, name: str) -> tuple[float, float]:
    """Return a magnitude that is large for a tensor, and the share of magnitudes up to it.

    It is what a picture shows in full colour: the 99.5th percentile of the finite magnitudes, of
    all of them up to 65,536 elements, else of 64 runs of 1,024 spread evenly: the same on every
    call. If that is 0, or there are at most 200, the largest of them; 1 if there is none but
    zeros. The share is that of the same magnitudes: 1 if none is larger.
    """
    entry = snapshot.entry(name)
    read = reader(snapshot.checkpoint.bits, entry)
    return large_of(read, entry.numel)


def percentile(read: ReadValues, numel: int, percent: float) -> float:
    """Return a percentile of the finite magnitudes that `scale` looks at; their largest of few."""
    sizes = _sampled(read, numel)
    if not sizes.size:
        return 0.0
    return _percentile(sizes, percent) if sizes.size > _FEW else float(sizes.max())


def large_of(read: ReadValues, numel: int) -> tuple[float, float]:
    """Return the same of anything that is read like a tensor of `numel` elements."""
    sizes = _sampled(read, numel)
    if not sizes.size:
        return 1.0, 1.0
    large = _percentile(sizes, _LARGE) if sizes.size > _FEW else 0.0
    large = large or float(sizes.max()) or 1.0
    return large, float(np.count_nonzero(sizes <= large)) / sizes.size


def _sampled(read: ReadValues, numel: int) -> NDArray[np.float64]:
    """Return finite magnitudes: all of them, or of runs that are spread evenly."""
    if numel <= _SAMPLES * _SAMPLE:
        values = read(0, numel)
    else:
        starts = np.linspace(0, numel - _SAMPLE, _SAMPLES).astype(np.int64).tolist()
        values = np.concatenate([read(s, s + _SAMPLE) for s in starts])
    sizes = np.abs(values).astype(np.float64)
    return sizes[np.isfinite(sizes)]


def _percentile(sizes: NDArray[np.float64], percent: float) -> float:
    """Return a percentile, as `np.percentile` does.

    That imports numpy's masked arrays when it is first called: 25 ms of the first picture.
    """
    place = percent / 100 * (sizes.size - 1)
    low = int(place)
    near = np.partition(sizes, [low, min(low + 1, sizes.size - 1)])[low : low + 2]
    return float(near[0] + (near[-1] - near[0]) * (place - low))
