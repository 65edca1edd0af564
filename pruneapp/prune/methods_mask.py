"""Methods that are told the mask: everything is kept, or a mask is given."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.utils import prune as torch_prune

from pruneapp.prune.base import BasePruningMethod
from pruneapp.prune.ranking_bits import is_float8


class Identity(BasePruningMethod, torch_prune.Identity):
    """Prunes nothing, but sets up parameter, mask and hook as if it did."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:  # noqa: ARG002 - the contract of every method
        """Return `default_mask` itself."""
        return default_mask

    @classmethod
    def apply(  # type: ignore[override]  # this method takes no arguments
        cls, module: Module, name: str
    ) -> torch_prune.BasePruningMethod:
        """Set up the parameter `name` of `module`; see `BasePruningMethod.apply`."""
        return super().apply(module, name)


class CustomFromMask(BasePruningMethod, torch_prune.CustomFromMask):
    """Prunes by a mask that is given, on top of what was pruned before.

    Parameters
    ----------
    mask
        0 where pruned, 1 where kept, of the shape of the parameter.

    Attributes
    ----------
    mask
        None once it was applied: the module has it in ``name_mask``, and a hook that kept it too
        would hold one more copy for every pruning.
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask: Tensor | None = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:  # noqa: ARG002 - the contract of every method
        """Return the product of `default_mask` and the given mask, in the type of the former."""
        if self.mask is None:
            raise ValueError(
                f"This mask was applied and let go; the module has it as"
                f" '{self._tensor_name}_mask'."
            )
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"The mask must have the shape of what it prunes, {tuple(default_mask.shape)}"
                f" (got {tuple(self.mask.shape)})."
            )
        given = self.mask.to(dtype=default_mask.dtype)
        if is_float8(default_mask):
            product = default_mask.to(torch.float32) * given.to(torch.float32)
            return product.to(default_mask.dtype)
        return default_mask * given

    def _release(self) -> None:
        self.mask = None

    @classmethod
    def apply(  # type: ignore[override]  # the arguments of this method, as torch names them
        cls, module: Module, name: str, mask: Tensor
    ) -> torch_prune.BasePruningMethod:
        """Prune the parameter `name` of `module`; see `BasePruningMethod.apply`."""
        return super().apply(module, name, mask=mask)
