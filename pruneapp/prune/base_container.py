"""Several prunings of one tensor, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils import prune as torch_prune

from pruneapp.prune.base import BasePruningMethod
from pruneapp.prune.ranking_bits import is_float8


class PruningContainer(BasePruningMethod, torch_prune.PruningContainer):
    """The methods that pruned a tensor, in order. Only the last one is ever run.

    Parameters
    ----------
    *methods
        Pruning methods of the same tensor. An empty container takes the name of its tensor from
        the first method that is added.
    """

    def __init__(self, *methods: torch_prune.BasePruningMethod) -> None:
        self._pruning_methods: tuple[torch_prune.BasePruningMethod, ...] = ()
        for method in methods:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: torch_prune.BasePruningMethod | None) -> None:
        """Add a method, the one that `compute_mask` will run.

        Raises
        ------
        TypeError
            If it is no pruning method.
        ValueError
            If it prunes a tensor of another name.
        """
        if method is not None:
            if not isinstance(method, torch_prune.BasePruningMethod):
                raise TypeError(f"A pruning method is expected (got {type(method).__name__}).")
            name = getattr(method, "_tensor_name", None)
            if self._tensor_name is None and not self._pruning_methods:
                self._tensor_name = name
            if self._tensor_name != name:
                raise ValueError(
                    f"This container holds methods of the parameter '{self._tensor_name}'"
                    f" (got a method of '{name}')."
                )
        self._pruning_methods += (method,)  # type: ignore[operator]  # torch allows None

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[torch_prune.BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, index: Any) -> Any:
        return self._pruning_methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Run the last method on what `default_mask` leaves of `t`; see `combine`."""
        return combine(self._pruning_methods[-1], t, default_mask)


def combine(method: Any, t: Tensor, mask: Tensor) -> Tensor:
    """Run a method on what a mask leaves of a tensor, and return the old and new mask as one.

    Parameters
    ----------
    method
        A pruning method, torch's or ours. Its ``PRUNING_TYPE`` says what is left: the entries
        where the mask is 1, flattened ('unstructured'); the channels along ``method.dim`` whose
        mask does not sum to 0 ('structured'); everything ('global').
    t
        The scores.
    mask
        The mask so far, of the same shape; not changed.

    Returns
    -------
    Tensor
        In the type of `t`, contiguous.
    """
    of_kept = getattr(method, "_compute_mask_of_kept", None)
    fresh: Tensor | None = None if of_kept is None else of_kept(t, mask)
    if fresh is None:
        part = _left(method, t, mask)
        fresh = mask.to(dtype=t.dtype, copy=True, memory_format=torch.contiguous_format)
        fresh[part] = method.compute_mask(t[part], default_mask=mask[part]).to(fresh.dtype)
    return fresh


def _left(method: Any, t: Tensor, mask: Tensor) -> Any:
    """Return the index of the part of a tensor that a method is run on."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    part: list[slice | Tensor] = [slice(None)] * t.dim()
    if method.PRUNING_TYPE == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError(
                f"A pruning method of type 'structured' needs the attribute 'dim'"
                f" ({type(method).__name__} has none)."
            )
        if not -t.dim() <= method.dim < t.dim():
            raise IndexError(
                f"'dim' must be from {-t.dim()} to {t.dim() - 1} for shape {tuple(t.shape)}"
                f" (got {method.dim})."
            )
        dim = method.dim % t.dim()
        # Of a tensor with one dimension this is the sum of all, so that it is taken as one row of
        # many channels: torch does so, and own methods may rely on it.
        summed = mask.to(torch.float32) if is_float8(mask) else mask
        part[dim] = summed.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
    elif method.PRUNING_TYPE != "global":
        raise ValueError(
            "PRUNING_TYPE must be 'unstructured', 'structured' or 'global'"
            f" ({type(method).__name__} has {method.PRUNING_TYPE!r})."
        )
    return tuple(part)
