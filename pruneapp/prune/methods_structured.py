"""Methods that prune whole channels."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.utils import prune as torch_prune

from pruneapp.params import Norm
from pruneapp.params_amounts import Amount
from pruneapp.prune.base import BasePruningMethod
from pruneapp.prune.base_validation import (
    _compute_norm,
    _compute_nparams_toprune,
    _validate_pruning_amount,
    _validate_pruning_amount_init,
    _validate_pruning_dim,
    _validate_structured_pruning,
)
from pruneapp.prune.ranking import zero_lowest
from pruneapp.prune.ranking_bits import is_float8


class RandomStructured(BasePruningMethod, torch_prune.RandomStructured):
    """Prunes whole channels at random.

    The draws are torch's own, so ``torch.manual_seed`` gives torch's masks.

    Parameters
    ----------
    amount
        A count (int), or a fraction (float from 0 to 1) of the channels that are left.
    dim
        The dimension that counts the channels; negative counts from the end.
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Amount, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return `default_mask` with zeros in random channels, in the type of `t`."""
        count = _channels_to_prune(t, self.amount, self.dim)
        if not count:
            return default_mask
        drawn = torch.rand(t.shape[self.dim])
        kept = drawn > torch.kthvalue(drawn, k=count).values
        return _mask_channels(t, self.dim, kept.to(t.device), default_mask)

    @classmethod
    def apply(  # type: ignore[override]  # the arguments of this method, as torch names them
        cls, module: Module, name: str, amount: Amount, dim: int = -1
    ) -> torch_prune.BasePruningMethod:
        """Prune the parameter `name` of `module`; see `BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(BasePruningMethod, torch_prune.LnStructured):
    """Prunes the channels of smallest norm.

    Norms are computed in float64. Equal norms: the lower index goes first; NaN counts as largest.

    Parameters
    ----------
    amount
        A count (int), or a fraction (float from 0 to 1) of the channels that are left.
    n
        Order of the norm: a number, inf, -inf, 'fro' (2, of the flattened channel) or 'nuc' (the
        sum of the singular values of the channel as a matrix, its first dimension by the rest).
    dim
        The dimension that counts the channels; negative counts from the end.
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Amount, n: Norm, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return `default_mask` with zeros in the channels of smallest norm, in the type of `t`."""
        count = _channels_to_prune(t, self.amount, self.dim)
        norms = _compute_norm(t, self.n, self.dim)
        if not count:
            return default_mask
        kept = torch.ones(t.shape[self.dim], dtype=torch.uint8, device=t.device)
        zero_lowest(kept, norms, count)
        return _mask_channels(t, self.dim, kept.bool(), default_mask)

    @classmethod
    def apply(  # type: ignore[override] # noqa: PLR0917 - the arguments of this method, as in torch
        cls,
        module: Module,
        name: str,
        amount: Amount,
        n: Norm,
        dim: int,
        importance_scores: Tensor | None = None,
    ) -> torch_prune.BasePruningMethod:
        """Prune the parameter `name` of `module`; see `BasePruningMethod.apply`."""
        return super().apply(
            module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores
        )


def _channels_to_prune(t: Tensor, amount: Amount, dim: int) -> int:
    _validate_structured_pruning(t)
    _validate_pruning_dim(t, dim)
    count = _compute_nparams_toprune(amount, t.shape[dim])
    _validate_pruning_amount(count, t.shape[dim])
    return int(count)


def _mask_channels(t: Tensor, dim: int, kept: Tensor, default_mask: Tensor) -> Tensor:
    """Multiply `default_mask` by 1 in kept channels and 0 in the others, in the type of `t`."""
    shape = [1] * t.dim()
    shape[dim] = -1
    # torch multiplies in its own type too, which float8 has no multiplication for everywhere.
    work = torch.float32 if is_float8(t) else t.dtype
    mask = kept.view(shape).to(work) * default_mask.to(t.dtype).to(work)
    return mask.to(t.dtype)
