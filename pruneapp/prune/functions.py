"""The functions of ``torch.nn.utils.prune``, under their names and with their arguments."""

# ruff: noqa: SLF001 - torch keeps parameters, buffers and hooks of a module in private dicts

from __future__ import annotations

from typing import TypeVar

from torch import Tensor
from torch.nn import Module
from torch.nn.utils import prune as torch_prune

from pruneapp.params import Norm
from pruneapp.params_amounts import Amount
from pruneapp.prune.methods import L1Unstructured, RandomUnstructured
from pruneapp.prune.methods_mask import CustomFromMask, Identity
from pruneapp.prune.methods_structured import LnStructured, RandomStructured

M = TypeVar("M", bound=Module)


def identity(module: M, name: str) -> M:
    """Set up the parameter `name` of `module` as if it were pruned, with a mask of ones.

    Returns
    -------
    Module
        `module` itself, changed in place; so do all functions here.
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: M, name: str, amount: Amount) -> M:
    """Prune weights at random; see `RandomUnstructured`."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: M, name: str, amount: Amount, importance_scores: Tensor | None = None
) -> M:
    """Prune the weights of smallest magnitude, or of smallest score; see `L1Unstructured`."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: M, name: str, amount: Amount, dim: int) -> M:
    """Prune whole channels at random; see `RandomStructured`."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(  # noqa: PLR0917 - torch takes them by position
    module: M,
    name: str,
    amount: Amount,
    n: Norm,
    dim: int,
    importance_scores: Tensor | None = None,
) -> M:
    """Prune the channels of smallest norm, or of smallest norm of scores; see `LnStructured`."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: M, name: str, mask: Tensor) -> M:
    """Prune by a given mask, on top of what was pruned before; see `CustomFromMask`."""
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: M, name: str) -> M:
    """Make the pruning of a parameter final: ``name_orig`` times ``name_mask`` becomes ``name``.

    Nothing is undone. The parameter stays the same object, so optimizers go on.

    Raises
    ------
    ValueError
        If the parameter is not pruned.
    """
    for key, hook in module._forward_pre_hooks.items():
        if (
            isinstance(hook, torch_prune.BasePruningMethod)
            and getattr(hook, "_tensor_name", None) == name
        ):
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of {module} is not pruned: there is nothing to remove.")


def is_pruned(module: Module) -> bool:
    """Whether any parameter of `module` or of a module in it is pruned, by torch or by us."""
    return any(
        isinstance(hook, torch_prune.BasePruningMethod)
        for submodule in module.modules()
        for hook in submodule._forward_pre_hooks.values()
    )
