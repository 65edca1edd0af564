"""Keep the product of a pruned parameter current if no forward pre-hook computes it.

A pruned parameter is a plain attribute that a forward pre-hook of its module computes. The hook is
not called if the module is not called: `torch.nn.MultiheadAttention` reads ``out_proj.weight`` and
``out_proj.bias`` and never calls ``out_proj``. With torch's pruning, the attribute then keeps the
value of the last pruning call: a loaded state dict and optimizer steps have no effect, and the
second backward pass fails (pytorch/pytorch#69353, #78109).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear
from torch.nn.utils import prune as torch_prune

from pruneapp.prune.ranking import is_float8

# ruff: noqa: SLF001 - torch keeps parameters, buffers and hooks of a module in private dicts


def multiply(t: Tensor, mask: Tensor) -> Tensor:
    """Return ``mask * t``, in the type of `t`; torch cannot multiply float8."""
    if not is_float8(t):
        return mask * t
    return (mask.to(torch.float32) * t.to(torch.float32)).to(t.dtype)


def _product(name: str) -> property:
    """Return a property that computes original times mask whenever it is read.

    If the parameter `name` is not pruned, reading returns the parameter itself, as in the base
    class. Assigning and deleting have no effect.
    """

    def read(module: Module) -> Tensor:
        orig = module._parameters.get(f"{name}_orig")
        mask = module._buffers.get(f"{name}_mask")
        if orig is None or mask is None:
            raise AttributeError(name)  # then torch returns the parameter
        return multiply(orig, mask.to(orig.dtype))

    def write(module: Module, value: Any) -> None:
        """Ignore the product that a hook assigns."""

    def delete(module: Module) -> None:
        """Do nothing: there is no attribute to delete."""

    return property(read, write, delete)


class PrunedOutProjection(NonDynamicallyQuantizableLinear):
    """The class of a pruned ``MultiheadAttention.out_proj``, which is read without being called."""

    weight: Tensor = _product("weight")  # type: ignore[assignment]  # a property that returns one
    bias: Tensor = _product("bias")  # type: ignore[assignment]  # likewise


def keep_current(module: Module) -> None:
    """Recompute the pruned parameters of a module after each `load_state_dict`.

    Registers a hook; a second call has no effect. ``MultiheadAttention.out_proj`` also gets another
    class, which recomputes them whenever they are read.
    """
    if type(module) is NonDynamicallyQuantizableLinear:
        module.__class__ = PrunedOutProjection
    if _after_loading not in module._load_state_dict_post_hooks.values():
        register: Any = module.register_load_state_dict_post_hook  # untyped in torch
        register(_after_loading)


def release(module: Module) -> None:
    """Undo `keep_current` if no parameter of the module is pruned any more; else do nothing."""
    if any(_pruning_hooks(module)):
        return
    if type(module) is PrunedOutProjection:
        # mypy has narrowed the module to the subclass, which the other class is not.
        module.__class__ = NonDynamicallyQuantizableLinear  # type: ignore[assignment]
    hooks = module._load_state_dict_post_hooks
    for key in [key for key, hook in hooks.items() if hook is _after_loading]:
        del hooks[key]


def _pruning_hooks(module: Module) -> list[Any]:
    hooks = module._forward_pre_hooks.values()
    return [hook for hook in hooks if isinstance(hook, torch_prune.BasePruningMethod)]


def _after_loading(module: Module, _keys: Any) -> None:
    for hook in _pruning_hooks(module):
        hook(module, None)


def apply_masks(model: Module) -> None:
    """Recompute each pruned parameter of a model from its original and its mask.

    Forward pre-hooks do this for each module that is called. Call this function if a model reads
    the weight of a module without calling the module (``F.linear(x, self.head.weight)``): after
    each optimizer step, or before each forward pass with ``model.register_forward_pre_hook(lambda
    m, _: prune.apply_masks(m))``. Also call it after `load_state_dict` if `torch.nn.utils.prune`
    pruned the model.
    """
    for module in model.modules():
        _after_loading(module, None)
