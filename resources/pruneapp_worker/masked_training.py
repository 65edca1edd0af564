"""Keep pruned weights at zero while a model is trained, whatever the optimizer does.

Used by the worker and by `pruneapp.hold_masks`; needs torch only.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_pre_hook

# Suffixes of the parameter and the buffer that torch.nn.utils.prune registers for a pruned name.
ORIGINAL, MASK = "_orig", "_mask"


class MaskError(RuntimeError):
    """Training replaced a parameter, so its pruned weights could not be kept at zero."""


class FixedElements:
    """The elements of a parameter that training must not change, and their values.

    Parameters
    ----------
    name
        Name of the parameter in the module, for messages.
    owner, leaf
        The module that has the parameter, and the name of its attribute.
    free
        Which elements may change, ``bool`` of the shape of the parameter. The others keep the
        values that they have now; if all of these are zeros, they become +0.0.
    """

    def __init__(self, name: str, owner: torch.nn.Module, leaf: str, free: torch.Tensor) -> None:
        self.name, self.owner, self.leaf = name, owner, leaf
        self.parameter = owner._parameters[leaf]  # noqa: SLF001 - getattr may compute the value
        assert self.parameter is not None
        self._fixed = ~free.to(self.parameter.device)
        values = self.parameter.detach()[self._fixed]
        self._values = None if not values.count_nonzero() else values

    def _on_device(self, device: torch.device) -> torch.Tensor:
        """Return where elements are fixed, on the device of the values to change."""
        if self._fixed.device != device:
            self._fixed = self._fixed.to(device)
            self._values = None if self._values is None else self._values.to(device)
        return self._fixed

    @torch.no_grad()
    def restore(self, tensor: torch.Tensor | None = None) -> None:
        """Write the fixed values into the parameter, or into a tensor of its shape."""
        target = self.parameter.detach() if tensor is None else tensor
        fixed = self._on_device(target.device)
        if self._values is None:
            target.masked_fill_(fixed, 0)
        else:
            target[fixed] = self._values.to(target.dtype)

    def mask_gradient(self, gradient: torch.Tensor) -> torch.Tensor:
        """Return a gradient with zeros for fixed elements, unchanged if it is sparse."""
        if gradient.layout is not torch.strided:
            return gradient
        return gradient.masked_fill(self._on_device(gradient.device), 0)

    def are_kept(self, tensor: torch.Tensor) -> bool:
        """Return whether a tensor has the shape of the parameter, and the fixed values."""
        if tensor.shape != self.parameter.shape or type(tensor).__name__ == "DTensor":
            return False
        found = tensor.detach()[self._on_device(tensor.device)]
        if self._values is None:
            return not found.count_nonzero()
        return torch.equal(found, self._values.to(found.dtype))

    def check_owner(self) -> None:
        """Raise `MaskError` if the module has another parameter now, with other fixed values."""
        current = self.owner._parameters.get(self.leaf)  # noqa: SLF001 - see __init__
        if current is self.parameter:
            return
        if current is None or not self.are_kept(current):
            what = "removed" if current is None else "replaced by another one"
            raise MaskError(
                f"The parameter '{self.name}' was {what} during training, so its pruned weights "
                "are no longer zero. Train the parameters of the model that was given, and change "
                "their values in place."
            )


def fixed_elements(
    module: torch.nn.Module, free: Mapping[str, torch.Tensor] | None = None
) -> list[FixedElements]:
    """Return the elements of a model that must stay as they are.

    Parameters
    ----------
    module
        The pruned model. Tied parameters appear once.
    free
        By the name of a parameter, as in ``state_dict``, which elements may change: ``bool`` of its
        shape, or any dtype with 0 for pruned. For a parameter that `torch.nn.utils.prune` has
        pruned, both ``weight`` and ``weight_orig`` are accepted. None to find them: the masks of
        `torch.nn.utils.prune`, and zeros of parameters with two or more dimensions that are not
        entirely zero; and for each of these whose channels (dimension 0) are entirely zero, zeros
        of other parameters of the same module at these channels, such as the bias.

    Raises
    ------
    KeyError
        If the model has no such parameter.
    ValueError
        If a mask has another shape than its parameter.
    MaskError
        If a parameter is divided among several devices (DTensor).
    """
    found: dict[int, FixedElements] = {}

    def add(name: str, owner: torch.nn.Module, leaf: str, mask: torch.Tensor) -> None:
        parameter = owner._parameters[leaf]  # noqa: SLF001 - see FixedElements
        if type(parameter.data).__name__ == "DTensor" or hasattr(parameter, "_local_tensor"):
            raise MaskError(f"The parameter '{name}' is divided among devices (DTensor).")
        if mask.shape != parameter.shape:
            raise ValueError(
                f"The mask of '{name}' has the shape {list(mask.shape)}, and the parameter "
                f"{list(parameter.shape)}."
            )
        kept = mask.to(parameter.device) != 0
        if id(parameter) not in found and not bool(kept.all()):
            found[id(parameter)] = FixedElements(name, owner, leaf, kept)

    if free is not None:
        for name, mask in free.items():
            owner, leaf = _place_of(module, name)
            add(name, owner, leaf, mask)
        return list(found.values())
    for path, owner in module.named_modules():
        for leaf, parameter in owner._parameters.items():  # noqa: SLF001 - see FixedElements
            if parameter is None or not parameter.is_floating_point():
                continue
            name = f"{path}.{leaf}" if path else leaf
            stem = leaf[: -len(ORIGINAL)] if leaf.endswith(ORIGINAL) else ""
            mask = owner._buffers.get(stem + MASK) if stem else None  # noqa: SLF001 - as above
            if mask is not None:
                add(name, owner, leaf, mask)
            elif parameter.dim() > 1 and bool((parameter != 0).any()):
                add(name, owner, leaf, parameter.detach() != 0)
                _add_channels(name, owner, parameter, add)
    return list(found.values())


def _add_channels(name: str, owner: torch.nn.Module, weight: torch.Tensor, add: Any) -> None:
    """Fix the zeros of vectors of a module at the channels of `weight` that are entirely zero."""
    dead = (weight.detach() == 0).flatten(1).all(1)
    if not bool(dead.any()):
        return
    prefix = name.rpartition(".")[0]
    for leaf, parameter in owner._parameters.items():  # noqa: SLF001 - see FixedElements
        if parameter is not None and parameter.shape == dead.shape:
            fixed = dead & (parameter.detach() == 0)
            add(f"{prefix}.{leaf}" if prefix else leaf, owner, leaf, ~fixed)


def _place_of(module: torch.nn.Module, name: str) -> tuple[torch.nn.Module, str]:
    """Return the module that has a parameter, and its attribute; raise `KeyError` if none has."""
    path, _, leaf = name.rpartition(".")
    with contextlib.suppress(AttributeError):
        owner = module.get_submodule(path)
        for each in (leaf, leaf + ORIGINAL):
            if owner._parameters.get(each) is not None:  # noqa: SLF001 - see FixedElements
                return owner, each
    raise KeyError(f"The model has no parameter '{name}'.")


@contextlib.contextmanager
def hold(elements: list[FixedElements], on_step: Any = None) -> Iterator[None]:
    """Keep elements fixed in the block, for any optimizer and training loop.

    Their gradients are zeros, so that moments and clipping do not see them, and their values are
    written again before each forward call of their module and after each step of an optimizer.
    Nothing is registered on the model, so it can be copied and saved meanwhile.

    Parameters
    ----------
    elements
        As returned by `fixed_elements`.
    on_step
        Function without arguments that is called after each step of an optimizer; or None.

    Raises
    ------
    MaskError
        In the block or at its end, if a parameter was replaced by one with other values.
    """
    by_owner: dict[int, list[FixedElements]] = {}
    for each in elements:
        by_owner.setdefault(id(each.owner), []).append(each)

    def before_forward(module: torch.nn.Module, _inputs: Any) -> None:
        if _is_compiling():  # the steps of the optimizer, which are not compiled with it, suffice
            return
        for each in by_owner.get(id(module), ()):
            each.restore()

    def after_step(*_: Any) -> None:
        for each in elements:
            each.check_owner()
            each.restore()
        if on_step is not None:
            on_step()

    with contextlib.ExitStack() as stack:
        for each in elements:
            if each.parameter.requires_grad:
                stack.callback(each.parameter.register_hook(each.mask_gradient).remove)
        stack.callback(register_module_forward_pre_hook(before_forward).remove)
        with contextlib.suppress(ImportError):  # torch before 2.0
            from torch.optim.optimizer import register_optimizer_step_post_hook

            stack.callback(register_optimizer_step_post_hook(after_step).remove)
        yield
    for each in elements:
        each.check_owner()
        each.restore()


def _is_compiling() -> bool:
    compiler = getattr(torch, "compiler", None)
    return bool(compiler is not None and getattr(compiler, "is_compiling", bool)())
