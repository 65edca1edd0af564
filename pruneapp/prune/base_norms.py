"""Norms of channels of torch tensors."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.kernel import Slices
from pruneapp.params import Norm, NormParam
from pruneapp.progress import Job
from pruneapp.prune.ranking_bits import float_type, numpy_bits, read_bits


def channel_norms(t: Tensor, n: Norm, dim: int) -> Tensor:
    """Return the norm of every channel along `dim`, float64, on the device of `t`.

    Floats go through the kernel that prunes documents, from every device: a GPU does not keep the
    order of addition that makes norms the same everywhere.

    Parameters
    ----------
    t
        Two or more dimensions, any type of numbers.
    n
        Order of the norm of the flattened slice: any number, inf, -inf; 'fro' is 2; 'nuc' is the
        sum of the singular values of the slice as a matrix, its first remaining dimension by the
        rest.
    dim
        The dimension that counts the channels; negative counts from the end.

    Raises
    ------
    ParameterError
        If `n` is something else. A ``ValueError``.
    """
    n = NormParam().validate(n)
    dtype = float_type(t.dtype)
    if dtype is None:  # whole and complex numbers, which torch converts
        t = t.to(torch.complex128 if t.is_complex() else torch.float64)
        x = t.detach().movedim(dim, 0)
        if n == "nuc":
            singular: Tensor = torch.linalg.svdvals(x.reshape(*x.shape[:2], -1))
            return singular.sum(-1)
        norms: Tensor = torch.linalg.vector_norm(
            x.reshape(x.shape[0], -1), 2.0 if n == "fro" else float(n), dim=1
        )
        return norms
    bits = numpy_bits(t.detach().cpu().contiguous())
    slices = Slices(
        shape=tuple(t.shape),
        dtype=dtype,
        dim=dim % t.dim(),
        kept=None,
        read=partial(read_bits, bits),
    )
    return torch.from_numpy(CpuKernel().channel_norms(slices, n, Job())).to(t.device)
