"""What is checked before a mask is computed; the names are torch's, underscores and all.

The rules and the types of the exceptions are those of ``torch.nn.utils.prune``. Two cases that
torch lets through are refused here: a fraction that is NaN, and a dimension below the first.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import torch

from pruneapp.errors import ParameterError
from pruneapp.params import Norm
from pruneapp.prune.base_norms import channel_norms


def _validate_pruning_amount_init(amount: Any) -> None:
    """Check an amount by itself, before the size of the tensor is known.

    Raises
    ------
    TypeError
        If it is no real number.
    ParameterError
        If it is a negative count, or a fraction that is NaN or outside 0 to 1. A ``ValueError``,
        as in torch.
    """
    if not isinstance(amount, Real):
        raise TypeError(f"'amount' must be an int or a float (got {amount!r}).")
    if isinstance(amount, Integral):
        if int(amount) < 0:
            raise ParameterError(f"'amount' as a count must be 0 or more (got {amount}).")
    elif math.isnan(amount) or not 0.0 <= float(amount) <= 1.0:
        raise ParameterError(
            f"'amount' as a fraction must be from 0.0 to 1.0 (got {amount}).",
            remedy="Give an int to prune a count.",
        )


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    """Check that a count is not more than there is; fractions always fit.

    Raises
    ------
    ParameterError
        A ``ValueError``, as in torch.
    """
    if isinstance(amount, Integral) and int(amount) > tensor_size:
        raise ParameterError(
            f"'amount' must be at most {tensor_size}, all there is (got {amount})."
        )


def _validate_structured_pruning(t: torch.Tensor) -> None:
    """Check that a tensor has channels: two or more dimensions.

    Raises
    ------
    ParameterError
        A ``ValueError``, as in torch.
    """
    if t.dim() < 2:
        raise ParameterError(
            f"Channels need a tensor of two or more dimensions (got shape {tuple(t.shape)}).",
            remedy="Prune unstructured instead.",
        )


def _validate_pruning_dim(t: torch.Tensor, dim: int) -> None:
    """Check that a tensor has the dimension `dim`; negative ones count from the end.

    Raises
    ------
    IndexError
        If it has not. (torch notices a `dim` that is too low only by a bare IndexError later.)
    """
    if not -t.dim() <= dim < t.dim():
        raise IndexError(
            f"'dim' must be from {-t.dim()} to {t.dim() - 1} for shape {tuple(t.shape)}"
            f" (got {dim})."
        )


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    """Turn an amount into a count: fractions by Python's ``round``, half to even."""
    if isinstance(amount, Integral):
        return int(amount)
    count: int = round(amount * tensor_size)
    return count


def _compute_norm(t: torch.Tensor, n: Norm, dim: int) -> torch.Tensor:
    """Return the norm of every channel of `t` along `dim`: ``t.shape[dim]`` float64 values.

    See `pruneapp.prune.base_norms.channel_norms`. torch returns them in the type of `t`, where
    float16 overflows.
    """
    return channel_norms(t, n, dim)
