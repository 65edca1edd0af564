"""The channels of a tensor: their norms, as the exact step ranks them, and what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.histograms import OVERHEAD
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.kernel import Slices
from pruneapp.kernels.norms import channel_norms
from pruneapp.masks.channels import channels_left, kept_by_channel
from pruneapp.params import Norm
from pruneapp.progress import Job


@dataclass(frozen=True, eq=False)
class Channels:
    """The channels of one tensor along a dimension.

    Attributes
    ----------
    norms
        ``float64[channels]``, the bits that `Kernel.channel_norms` makes; what is pruned counts
        as 0.
    kept
        ``int64[channels]``: weights that are not pruned yet.
    free
        ``bool[channels]``: whether a step may take it: something is left, and nothing protected.
    """

    norms: NDArray[np.float64]
    kept: NDArray[np.int64]
    free: NDArray[np.bool_]

    @property
    def nbytes(self) -> int:
        """Bytes of memory, those of the objects around it included."""
        return self.norms.nbytes + self.kept.nbytes + self.free.nbytes + OVERHEAD


def count_channels(snapshot: Snapshot, name: str, dim: int, n: Norm, job: Job) -> Channels:
    """Measure the channels of one tensor.

    Parameters
    ----------
    snapshot
        The state.
    name
        First name of the tensor, one that can be pruned.
    dim, n
        The dimension, from 0, and the order of the norm.
    job
        Stepped by the elements; may cancel.
    """
    entry = snapshot.entry(name)
    mask, protected = snapshot.masks.get(name), snapshot.protected.get(name)
    read = partial(snapshot.chunks, name)
    job.label(name)
    norms = channel_norms(Slices(entry.shape, entry.dtype, dim, mask, read), n, job)
    kept = kept_by_channel(mask, entry.shape, dim, job)
    free = channels_left(mask, entry.shape, dim, job)
    if protected is not None:
        free = free & ~channels_left(protected, entry.shape, dim, job)
    return Channels(norms, kept, free)
