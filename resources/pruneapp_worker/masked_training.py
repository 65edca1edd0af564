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
        Which elements may change, ``bool`` of the shape of the parameter. The others keep the bits
        that they have now.
    zeros
        Whether the others are zeros of either sign, which become +0.0.
    """

    def __init__(
        self,
        name: str,
        owner: torch.nn.Module,
        leaf: str,
        free: torch.Tensor,
        *,
        zeros: bool = False,
    ) -> None:
        self.name = name
        self.parameter = owner._parameters[leaf]  # noqa: SLF001 - getattr may compute the value
        assert self.parameter is not None
        # All modules that have the parameter: the name, the module, and its attribute.
        self.places = [(name, owner, leaf)]
        self._fixed = ~free.to(self.parameter.device)
        values = None if zeros else self.parameter.detach()[self._fixed]
        if values is not None and not _bits(values).any():
            values = None  # all are +0.0
        self._values = values

    @property
    def count(self) -> int:
        """Number of fixed elements."""
        return int(self._fixed.count_nonzero())

    def _on_device(self, device: torch.device) -> torch.Tensor:
        """Return where elements are fixed, on the device of the values to change."""
        if self._fixed.device != device:
            self._fixed = self._fixed.to(device)
            self._values = None if self._values is None else self._values.to(device)
        return self._fixed

    @torch.no_grad()
    def restore(self) -> None:
        """Write the fixed values into the parameter.

        Autograd does not see it: a module that runs twice before the backward pass has the same
        weights both times. Raises `MaskError` if the parameter has another shape now.
        """
        # `detach` would share the version counter, and autograd would refuse the backward pass.
        target = self.parameter.data
        if target.shape != self._fixed.shape:
            raise MaskError(
                f"The parameter '{self.name}' had the shape {list(self._fixed.shape)} and has "
                f"{list(target.shape)} now, so its pruned weights cannot be kept at zero."
            )
        fixed = self._on_device(target.device)
        if self._values is None:
            target.masked_fill_(fixed, 0)
        else:
            target[fixed] = self._values.to(target.dtype)

    def set_zero(self) -> None:
        """Make all fixed elements +0.0."""
        self._values = None
        self.restore()

    def mask_gradient(self, gradient: torch.Tensor) -> torch.Tensor:
        """Return a gradient with zeros for fixed elements, unchanged if it is sparse."""
        if gradient.layout is not torch.strided:
            return gradient
        return gradient.masked_fill(self._on_device(gradient.device), 0)

    def are_kept(self, tensor: torch.Tensor) -> bool:
        """Return whether a tensor has the shape of the parameter, and the fixed values."""
        if tensor.shape != self._fixed.shape or type(tensor.data).__name__ == "DTensor":
            return False
        found = tensor.detach()[self._on_device(tensor.device)]
        if self._values is None:
            return not found.count_nonzero()
        return torch.equal(_bits(found), _bits(self._values.to(found.dtype)))

    def check_owner(self) -> None:
        """Raise `MaskError` if a module has another parameter now, with other fixed values."""
        for name, owner, leaf in self.places:
            current = owner._parameters.get(leaf)  # noqa: SLF001 - see __init__
            if current is self.parameter:
                continue
            if current is None or not self.are_kept(current):
                what = "removed" if current is None else "replaced by another one"
                raise MaskError(
                    f"The parameter '{name}' was {what} during training, so its pruned weights are "
                    "no longer zero. Train the parameters of the model that was given, and change "
                    "their values in place."
                )


def _bits(values: torch.Tensor) -> torch.Tensor:
    """Return the bytes of a tensor, flat."""
    return values.contiguous().reshape(-1).view(torch.uint8)


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
        shape, or any dtype with 0 for pruned. The others keep the bits that they have now. If
        tied parameters have several masks, an element must be free in all of them. For a parameter
        that `torch.nn.utils.prune` has pruned, both ``weight`` and ``weight_orig`` are accepted.
        None to find them: the masks of `torch.nn.utils.prune`, and zeros of parameters with two or
        more dimensions that are not entirely zero, which become +0.0; and for each of these whose
        channels (dimension 0) are entirely zero, zeros of other parameters of the same module at
        these channels, such as the bias.

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
    masks: dict[int, torch.Tensor] = {}
    places: dict[int, list[tuple[str, torch.nn.Module, str]]] = {}
    for path, owner in module.named_modules():
        for leaf, parameter in owner._parameters.items():  # noqa: SLF001 - see FixedElements
            name = f"{path}.{leaf}" if path else leaf
            places.setdefault(id(parameter), []).append((name, owner, leaf))

    def add(
        name: str, owner: torch.nn.Module, leaf: str, mask: torch.Tensor, *, zeros: bool = False
    ) -> None:
        parameter = owner._parameters[leaf]  # noqa: SLF001 - see FixedElements
        if type(parameter.data).__name__ == "DTensor" or hasattr(parameter, "_local_tensor"):
            raise MaskError(f"The parameter '{name}' is divided among devices (DTensor).")
        if mask.shape != parameter.shape:
            raise ValueError(
                f"The mask of '{name}' has the shape {list(mask.shape)}, and the parameter "
                f"{list(parameter.shape)}."
            )
        kept = mask.to(parameter.device) != 0
        if id(parameter) in masks:
            kept &= masks[id(parameter)]
        masks[id(parameter)] = kept
        if not bool(kept.all()):
            found[id(parameter)] = FixedElements(name, owner, leaf, kept, zeros=zeros)
            found[id(parameter)].places = places[id(parameter)]

    if free is not None:
        for name, mask in free.items():
            owner, leaf = _place_of(module, name)
            add(name, owner, leaf, mask)
        return list(found.values())
    for path, owner in module.named_modules():
        for leaf, parameter in owner._parameters.items():  # noqa: SLF001 - see FixedElements
            if parameter is None or not _is_trainable(parameter) or id(parameter) in masks:
                continue
            name = f"{path}.{leaf}" if path else leaf
            stem = leaf[: -len(ORIGINAL)] if leaf.endswith(ORIGINAL) else ""
            mask = owner._buffers.get(stem + MASK) if stem else None  # noqa: SLF001 - as above
            if mask is not None:
                add(name, owner, leaf, mask)
            elif parameter.dim() > 1 and bool((parameter != 0).any()):
                add(name, owner, leaf, parameter.detach() != 0, zeros=True)
                _add_channels(name, owner, parameter, add)
    return list(found.values())


def _is_trainable(parameter: torch.Tensor) -> bool:
    """Return whether a parameter has floating values in memory, of 16 bits or more."""
    return (
        not isinstance(parameter, torch.nn.parameter.UninitializedTensorMixin)
        and parameter.is_floating_point()
        and parameter.element_size() > 1
        and parameter.layout is torch.strided
        and parameter.device.type != "meta"
    )


def _add_channels(name: str, owner: torch.nn.Module, weight: torch.Tensor, add: Any) -> None:
    """Fix the zeros of vectors of a module at the channels of `weight` that are entirely zero."""
    dead = (weight.detach() == 0).flatten(1).all(1)
    if not bool(dead.any()):
        return
    prefix = name.rpartition(".")[0]
    for leaf, parameter in owner._parameters.items():  # noqa: SLF001 - see FixedElements
        if parameter is not None and parameter.shape == dead.shape:
            fixed = dead & (parameter.detach() == 0)
            add(f"{prefix}.{leaf}" if prefix else leaf, owner, leaf, ~fixed, zeros=True)


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
    written again at the beginning, before each forward call of a module that has them, after each
    step of an optimizer, and at the end, also after an exception. Nothing is registered on the
    model, so it can be copied and saved meanwhile. Gradients that exist at the beginning are
    masked, too.

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
        for _, owner, _ in each.places:
            by_owner.setdefault(id(owner), []).append(each)
    hooked: set[int] = set()

    with contextlib.ExitStack() as stack:

        def mask_gradients(each: FixedElements) -> None:
            """Mask the gradients of a parameter from now on, if it has any."""
            if each.parameter.requires_grad and id(each) not in hooked:
                hooked.add(id(each))
                stack.callback(each.parameter.register_hook(each.mask_gradient).remove)

        def before_forward(module: torch.nn.Module, _inputs: Any) -> None:
            # The steps of the optimizer, which are not compiled with the model, suffice.
            if _is_compiling():
                return
            for each in by_owner.get(id(module), ()):
                each.restore()
                mask_gradients(each)  # the user may have set `requires_grad` meanwhile

        def after_step(optimizer: torch.optim.Optimizer, *_: Any) -> None:
            stepped = {id(p) for group in optimizer.param_groups for p in group["params"]}
            for each in elements:
                each.check_owner()
            # An optimizer of other tensors may have written into the parameters (master copies).
            for each in [one for one in elements if id(one.parameter) in stepped] or elements:
                each.restore()
            if on_step is not None:
                on_step()

        for each in elements:
            each.restore()
            mask_gradients(each)
            if each.parameter.grad is not None:
                # in place, because other code may hold views of it
                each.parameter.grad.data.copy_(each.mask_gradient(each.parameter.grad.data))
        stack.callback(register_module_forward_pre_hook(before_forward).remove)
        with contextlib.suppress(ImportError):  # torch before 2.0
            from torch.optim.optimizer import register_optimizer_step_post_hook

            stack.callback(register_optimizer_step_post_hook(after_step).remove)
        try:
            yield
        finally:
            for each in elements:
                each.restore()
    for each in elements:
        each.check_owner()


def _is_compiling() -> bool:
    compiler = getattr(torch, "compiler", None)
    return bool(compiler is not None and getattr(compiler, "is_compiling", bool)())
