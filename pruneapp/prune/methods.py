"""Methods that prune single weights."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.utils import prune as torch_prune

from pruneapp.params_amounts import Amount
from pruneapp.prune.base import BasePruningMethod
from pruneapp.prune.base_validation import (
    _compute_nparams_toprune,
    _validate_pruning_amount,
    _validate_pruning_amount_init,
)
from pruneapp.prune.ranking import without_lowest, without_lowest_of_all
from pruneapp.prune.ranking_bits import is_float8


def _count(amount: Amount, left: int) -> int:
    """Return how many of the weights that are left go; torch's error if they are too few."""
    count = _compute_nparams_toprune(amount, left)
    _validate_pruning_amount(count, left)
    return int(count)


class RandomUnstructured(BasePruningMethod, torch_prune.RandomUnstructured):
    """Prunes weights at random.

    The draws are torch's own, so ``torch.manual_seed`` gives torch's masks. Scores of float8,
    which torch cannot draw, are drawn as float32.

    Parameters
    ----------
    amount
        A count (int), or a fraction (float from 0 to 1) of the weights that are left.
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Amount) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return `default_mask` with zeros in random places."""
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone(memory_format=torch.contiguous_format)
        if count:
            drawn = torch.rand_like(t, dtype=torch.float32 if is_float8(t) else None)
            mask.view(-1)[torch.topk(drawn.reshape(-1), k=count).indices] = 0
        return mask

    @classmethod
    def apply(  # type: ignore[override]  # the arguments of this method, as torch names them
        cls, module: Module, name: str, amount: Amount
    ) -> torch_prune.BasePruningMethod:
        """Prune the parameter `name` of `module`; see `BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(BasePruningMethod, torch_prune.L1Unstructured):
    """Prunes the weights of smallest magnitude.

    Exactly as many as asked for; among equal magnitudes the lower flat index goes first; NaN
    counts as largest.

    Parameters
    ----------
    amount
        A count (int), or a fraction (float from 0 to 1) of the weights that are left.
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Amount) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return `default_mask` with zeros where `t` is smallest."""
        count = _count(self.amount, t.nelement())
        return without_lowest(default_mask, t, count)

    def _compute_mask_of_kept(self, t: Tensor, mask: Tensor) -> Tensor | None:
        """Do what `combine` does, without taking the kept entries out of the tensor.

        None if a subclass computes its mask in another way.
        """
        if not self._is_plain():
            return None
        kept = mask == 1
        count = _count(self.amount, int(kept.count_nonzero()))
        return without_lowest(mask.to(t.dtype), t, count, kept)

    def _compute_masks(
        self, tensors: Sequence[Tensor], masks: Sequence[Tensor | None]
    ) -> list[Tensor] | None:
        """Do the same over several tensors of the CPU by one threshold, without joining them.

        A mask that is None is all ones.
        """
        if not self._is_plain():
            return None
        kept = [None if mask is None else mask == 1 for mask in masks]
        left = sum(
            t.numel() if k is None else int(k.count_nonzero())
            for t, k in zip(tensors, kept, strict=True)
        )
        count = _count(self.amount, left)
        bases = [
            self._all_kept(t) if mask is None else mask
            for t, mask in zip(tensors, masks, strict=True)
        ]
        return without_lowest_of_all(bases, tensors, count, kept)

    def _is_plain(self) -> bool:
        """Whether no subclass computes its mask in another way."""
        return type(self).compute_mask is L1Unstructured.compute_mask

    def _all_kept(self, t: Tensor) -> Tensor:
        if not self._is_plain():
            return super()._all_kept(t)
        # One number seen as many: compute_mask makes the one copy that the module gets.
        return torch.ones((), device=t.device).to(t.dtype).expand(t.shape)

    @classmethod
    def apply(  # type: ignore[override]  # the arguments of this method, as torch names them
        cls, module: Module, name: str, amount: Amount, importance_scores: Tensor | None = None
    ) -> torch_prune.BasePruningMethod:
        """Prune the parameter `name` of `module`; see `BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)
