"""Tensors of a document as tensors of torch, whole and in memory."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.method import TensorView
from pruneapp.progress import Job


def read_dense(view: TensorView, job: Job) -> Tensor:
    """Return a tensor in its own type, +0.0 where pruned; steps `job` by its elements.

    Parameters
    ----------
    view
        A tensor of a type that torch has.
    job
        May cancel between chunks.
    """
    bits = np.empty(view.numel, view.dtype.storage)
    for chunk in view.read():
        stop = chunk.start + chunk.bits.size
        part = bits[chunk.start : stop]
        if view.kept is None:
            part[:] = chunk.bits
        else:
            np.multiply(chunk.bits, view.kept.bools(chunk.start, stop), out=part)
        job.step(chunk.bits.size)
    signed = bits.view(np.uint8 if view.dtype.bits == 8 else f"int{view.dtype.bits}")
    return torch.from_numpy(signed).view(getattr(torch, view.dtype.torch)).view(view.shape)


def read_mask(mask: BitMask, shape: tuple[int, ...]) -> Tensor:
    """Return a mask as float32: 1 where kept, 0 where pruned."""
    return torch.from_numpy(mask.bools()).view(shape).to(torch.float32)
