"""Norms of channels of torch tensors."""

from __future__ import annotations

import torch
from torch import Tensor

from pruneapp.params import Norm, NormParam


def channel_norms(t: Tensor, n: Norm, dim: int) -> Tensor:
    """Return the norm of every channel along `dim`, float64, on the device of `t`.

    Parameters
    ----------
    t
        Two or more dimensions, any type of real numbers.
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
    x = t.detach().movedim(dim, 0)
    x = x.to(torch.complex128 if x.is_complex() else torch.float64)
    if n == "nuc":
        rows = x.shape[1] if x.dim() > 1 else 1
        singular: Tensor = torch.linalg.svdvals(x.reshape(x.shape[0], rows, -1))
        return singular.sum(-1)
    order = 2.0 if n == "fro" else float(n)
    norms: Tensor = torch.linalg.vector_norm(x.reshape(x.shape[0], -1), order, dim=1)
    return norms
