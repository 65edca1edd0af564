"""The base of all pruning methods: torch's, with `apply` mended."""

# ruff: noqa: SLF001 - torch keeps parameters, buffers and hooks of a module in private dicts

from __future__ import annotations

import copy
import weakref
from abc import abstractmethod
from collections.abc import Hashable
from typing import Any, Self

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.utils import prune as torch_prune

from pruneapp.prune.base_rollback import restored_on_error
from pruneapp.prune.ranking_bits import is_float8


class BasePruningMethod(torch_prune.BasePruningMethod):
    """Base class of pruning methods.

    A subclass gives `compute_mask` and the class attribute ``PRUNING_TYPE``, which says on what
    a second pruning works: ``'unstructured'`` (the entries that are left, flattened),
    ``'structured'`` (the channels that are left along ``self.dim``) or ``'global'`` (everything).

    It is torch's base, so ``isinstance``, ``is_pruned`` and ``remove`` hold for modules pruned by
    either side in either order. What differs: `apply` leaves the module exactly as it was if
    anything raises, the first time and every time; hooks keep their place; masks that a hook no
    longer needs are let go; float8 works; modules can be deep-copied.
    """

    PRUNING_TYPE: str
    _tensor_name: str | None = None  # type: ignore[assignment]  # None until apply names it
    # Where the hook is registered. Never a strong reference: modules own hooks.
    _owner: weakref.ref[Module] | None = None

    def __call__(self, module: Module, inputs: Any) -> None:
        """Compute ``module.name`` anew from ``name_orig`` and ``name_mask``, before forward."""
        # A loaded module learns its owner here. The compiler must see nothing of this.
        if not torch.compiler.is_compiling() and (self._owner is None or self._owner() is None):
            self._owner = weakref.ref(module)
        super().__call__(module, inputs)  # type: ignore[no-untyped-call]  # torch leaves it so

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask of `t`.

        Parameters
        ----------
        t
            The scores of what is pruned: the tensor itself, or importance scores.
        default_mask
            The mask so far, of the same shape; all ones at first.

        Returns
        -------
        Tensor
            0 where pruned, 1 where kept; of the same shape.
        """

    def apply_mask(self, module: Module) -> Tensor:
        """Return ``name_mask * name_orig``, in the type of the latter.

        It is a multiplication, as in torch: a pruned negative weight becomes -0.0, a pruned NaN
        or infinity NaN.
        """
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned before its mask is applied.")
        orig = getattr(module, self._tensor_name + "_orig")
        return _multiply(orig, getattr(module, self._tensor_name + "_mask").to(orig.dtype))

    @classmethod
    def apply(
        cls,
        module: Module,
        name: str,
        *args: Any,
        importance_scores: Tensor | None = None,
        **kwargs: Any,
    ) -> torch_prune.BasePruningMethod:
        """Prune the parameter `name` of `module` by this method.

        The parameter becomes ``name_orig``, the mask the buffer ``name_mask``, and their product
        the plain attribute ``name``, computed anew before every forward. If it was pruned before,
        the method works on what is left of it, and is added to a container with the earlier ones.

        Parameters
        ----------
        module, name
            The module and the name of its parameter.
        *args, **kwargs
            What the constructor of the method takes.
        importance_scores
            Ranked in place of the parameter; of the same shape.

        Returns
        -------
        BasePruningMethod
            The hook: the method, or the container it was added to.

        Raises
        ------
        AssertionError
            If the scores have another shape, or two hooks prune the same parameter.
        Exception
            Whatever the method raises. The module is then exactly as it was.
        """
        from pruneapp.prune.base_container import PruningContainer, combine

        key, old = find_hook(module, name)
        method = cls(*args, **kwargs)
        method._tensor_name = name
        method._owner = weakref.ref(module)
        tensor = getattr(module, name)
        scores = tensor if importance_scores is None else importance_scores
        if scores.shape != tensor.shape:
            raise AssertionError(
                f"'importance_scores' must have the shape of parameter '{name}' of {module},"
                f" {tuple(tensor.shape)} (got {tuple(scores.shape)})."
            )
        hook: Any = method  # torch leaves its methods untyped
        with restored_on_error(module, name):
            if old is None:
                mask = method.compute_mask(scores, default_mask=method._all_kept(tensor))
                module.register_parameter(name + "_orig", tensor)
                del module._parameters[name]
            else:
                if isinstance(old, torch_prune.PruningContainer):
                    hook = old
                else:
                    hook = PruningContainer(old)
                    hook._owner = weakref.ref(module)
                hook.add_pruning_method(method)
                before = getattr(module, name + "_mask").detach()
                if type(hook) in {PruningContainer, torch_prune.PruningContainer}:
                    mask = combine(method, scores, before)
                else:
                    mask = hook.compute_mask(scores, default_mask=before.clone())
            module.register_buffer(name + "_mask", mask)
            setattr(module, name, hook.apply_mask(module))
            if old is None:
                module.register_forward_pre_hook(hook)
            else:
                module._forward_pre_hooks[key] = hook  # type: ignore[index]  # the key of old
        method._release()
        pruned_by: torch_prune.BasePruningMethod = hook
        return pruned_by

    def prune(
        self,
        t: Tensor,
        default_mask: Tensor | None = None,
        importance_scores: Tensor | None = None,
    ) -> Tensor:
        """Return `t` times its mask, without any module.

        Parameters
        ----------
        t
            The tensor.
        default_mask
            The mask so far; all ones if absent.
        importance_scores
            Ranked in place of `t`; of the same shape.
        """
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(
                f"'importance_scores' must have the shape of the tensor, {tuple(t.shape)}"
                f" (got {tuple(scores.shape)})."
            )
        if default_mask is None:
            default_mask = torch.ones_like(t)
        return _multiply(t, self.compute_mask(scores, default_mask=default_mask))

    def _all_kept(self, t: Tensor) -> Tensor:
        """Return the mask of a tensor that was never pruned."""
        return torch.ones_like(t)

    def _release(self) -> None:
        """Let go of tensors that are not needed once the mask is in the module."""

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state.pop("_owner", None)
        return state

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Modules copy their hooks before their plain attributes, and torch refuses to copy the
        # plain attribute because it is computed (requires grad, has a history). So the hook puts
        # the product of the copied parameter and the copied mask in its place.
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        module = None if self._owner is None else self._owner()
        if module is not None and id(module) in memo and self._tensor_name is not None:
            copied._owner = weakref.ref(memo[id(module)])
            _copy_product(module, self._tensor_name, memo)
        for name, value in self.__getstate__().items():
            setattr(copied, name, copy.deepcopy(value, memo))
        return copied


def find_hook(module: Module, name: str) -> tuple[Hashable, torch_prune.BasePruningMethod | None]:
    """Return the key and the pruning hook of a parameter; None if it is not pruned.

    Raises
    ------
    AssertionError
        If there are several.
    """
    found = [
        (key, hook)
        for key, hook in module._forward_pre_hooks.items()
        if isinstance(hook, torch_prune.BasePruningMethod)
        and getattr(hook, "_tensor_name", None) == name
    ]
    if len(found) > 1:
        raise AssertionError(
            f"Parameter '{name}' of {module} has {len(found)} pruning hooks; use a"
            " PruningContainer instead."
        )
    return found[0] if found else (None, None)


def _multiply(t: Tensor, mask: Tensor) -> Tensor:
    if not is_float8(t):
        return mask * t
    return (mask.to(torch.float32) * t.to(torch.float32)).to(t.dtype)


def _copy_product(module: Module, name: str, memo: dict[int, Any]) -> None:
    product = module.__dict__.get(name)
    orig = module._parameters.get(name + "_orig")
    mask = module._buffers.get(name + "_mask")
    if product is None or orig is None or mask is None or product.is_leaf:
        return
    with torch.enable_grad():
        copied = copy.deepcopy(orig, memo)
        product_copy = _multiply(copied, copy.deepcopy(mask, memo).to(copied.dtype))
    memo[id(product)] = product_copy
