"""Norms of channels in a fixed order of addition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.contract import Slices
from pruneapp.params import Norm
from pruneapp.progress import Job


def channel_norms(slices: Slices, n: Norm, job: Job) -> NDArray[np.float64]:
    """Return the norm of every channel; see `Kernel.channel_norms`."""
    raise NotImplementedError
