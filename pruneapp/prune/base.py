"""The base class of pruning methods, which fixes `apply` of torch, its container, and validation.

Names that begin with an underscore, rules and types of exceptions are those of
``torch.nn.utils.prune``. Two cases that torch accepts raise here: a fraction that is NaN, and a
dimension that is too low.
"""

from __future__ import annotations

import copy
import math
import weakref
from abc import abstractmethod
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from numbers import Integral, Real
from typing import Any, Self

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.utils import prune as torch_prune

from pruneapp.errors import ParameterError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.kernel import Slices
from pruneapp.params import Norm, NormParam
from pruneapp.progress import Job
from pruneapp.prune.product_refresh import keep_current, multiply
from pruneapp.prune.ranking import float_type, is_float8, numpy_bits, read_bits

# ruff: noqa: SLF001 - torch keeps parameters, buffers and hooks of a module in private dicts


_ABSENT = object()


@contextmanager
def restore_on_error(module: Module, name: str) -> Iterator[None]:
    """Restore the parameter `name` of a module if the block raises; the error is raised again.

    Parameters, buffers, hooks and the class of the module are restored as the same objects in the
    same order; methods that were added to a pruning container are removed from it. This includes
    `KeyboardInterrupt`. Without an error it has no effect.
    """
    # The dicts are cleared and refilled rather than replaced: optimizers, hook handles and the C++
    # side of torch hold references to them.
    dicts: list[tuple[dict[Any, Any], dict[Any, Any]]] = [
        (d, dict(d))
        for d in (
            module._parameters,
            module._buffers,
            module._forward_pre_hooks,
            module._load_state_dict_post_hooks,
        )
    ]
    kind = type(module)
    names = set(module._non_persistent_buffers_set)
    containers = [
        (hook, hook._pruning_methods)
        for hook in module._forward_pre_hooks.values()
        if isinstance(hook, torch_prune.PruningContainer)
    ]
    value = getattr(module, name, _ABSENT)
    try:
        yield
    except BaseException:
        module.__class__ = kind
        module.__dict__.pop(name, None)
        for live, saved in dicts:
            live.clear()
            live.update(saved)
        module._non_persistent_buffers_set.clear()
        module._non_persistent_buffers_set.update(names)
        for hook, methods in containers:
            hook._pruning_methods = methods
        if value is not _ABSENT:
            setattr(module, name, value)  # recurrent layers also update their list of weights
        raise


class BasePruningMethod(torch_prune.BasePruningMethod):
    """Base class of pruning methods.

    A subclass defines `compute_mask` and the class attribute ``PRUNING_TYPE``, which determines the
    input of further pruning: ``'unstructured'`` (the remaining entries, flattened),
    ``'structured'`` (the remaining channels along ``self.dim``) or ``'global'`` (all entries).

    It derives from torch's base class, so ``isinstance``, ``is_pruned`` and ``remove`` work for
    modules pruned by either library in any order. The differences: if an error is raised, `apply`
    leaves the module unchanged, also for further pruning; hooks keep their position; masks that a
    hook no longer needs are released; float8 is supported; modules can be deep-copied.
    """

    PRUNING_TYPE: str
    _tensor_name: str | None = None  # type: ignore[assignment]  # None until apply sets it
    # The module with the hook. Never a strong reference, because modules own their hooks.
    _owner: weakref.ref[Module] | None = None

    def __call__(self, module: Module, inputs: Any) -> None:
        """Recompute ``module.name`` from ``name_orig`` and ``name_mask``, before forward."""
        # Sets the owner after a module was unpickled. Must not be traced by the compiler.
        if not torch.compiler.is_compiling() and (self._owner is None or self._owner() is None):
            self._owner = weakref.ref(module)
        super().__call__(module, inputs)  # type: ignore[no-untyped-call]  # untyped in torch

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask of `t`, which is the tensor or its importance scores: 0 means pruned.

        `default_mask` is the current mask, of the same shape; all ones initially.
        """

    def apply_mask(self, module: Module) -> Tensor:
        """Return ``name_mask * name_orig``, in the type of the latter; the module is not changed.

        As in torch, the values are multiplied: a pruned negative weight becomes -0.0, and a pruned
        NaN or infinity becomes NaN. Raises `AssertionError` if the method was never applied.
        """
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned before its mask is applied.")
        orig = getattr(module, self._tensor_name + "_orig")
        return multiply(orig, getattr(module, self._tensor_name + "_mask").to(orig.dtype))

    @classmethod
    def apply(
        cls,
        module: Module,
        name: str,
        *args: Any,
        importance_scores: Tensor | None = None,
        **kwargs: Any,
    ) -> torch_prune.BasePruningMethod:
        """Prune the parameter `name` of `module` with this method.

        The parameter becomes ``name_orig``, the mask the buffer ``name_mask``, and their product
        the plain attribute ``name``, which is recomputed before every forward. If the parameter was
        already pruned, the method is applied to the remaining entries, and added to a container
        with the previous methods.

        Parameters
        ----------
        *args, **kwargs
            The arguments of the constructor of the method.
        importance_scores
            Scores to rank instead of the parameter, of the same shape.

        Returns
        -------
        BasePruningMethod
            The hook: the method, or the container that it was added to.

        Raises
        ------
        AssertionError
            If the scores have another shape, or several hooks prune the same parameter.
        Exception
            Any error of the method. The module is unchanged then.
        """
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
        hook: Any = method  # the methods of torch are untyped
        with restore_on_error(module, name):
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
                previous_mask = getattr(module, name + "_mask").detach()
                if type(hook) in {PruningContainer, torch_prune.PruningContainer}:
                    mask = combine(method, scores, previous_mask)
                else:
                    mask = hook.compute_mask(scores, default_mask=previous_mask.clone())
            module.register_buffer(name + "_mask", mask)
            keep_current(module)
            setattr(module, name, hook.apply_mask(module))
            if old is None:
                module.register_forward_pre_hook(hook)
            else:
                module._forward_pre_hooks[key] = hook  # type: ignore[index]  # the key of old
        method._release()
        pruned_by: torch_prune.BasePruningMethod = hook
        return pruned_by

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None
    ) -> Tensor:
        """Return `t` times its mask, without a module; `t` is not modified.

        `default_mask` is the mask before (None: all ones), `importance_scores` what is ranked
        instead of `t`. Raises `AssertionError` if the scores have another shape, and what
        `compute_mask` raises.
        """
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(
                f"'importance_scores' must have the shape of the tensor, {tuple(t.shape)}"
                f" (got {tuple(scores.shape)})."
            )
        if default_mask is None:
            default_mask = torch.ones_like(t)
        return multiply(t, self.compute_mask(scores, default_mask=default_mask))

    def _all_kept(self, t: Tensor) -> Tensor:
        """Return the mask of a tensor that has not been pruned."""
        return torch.ones_like(t)

    def _release(self) -> None:
        """Release tensors that are not needed when the module has the mask."""

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state.pop("_owner", None)
        return state

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copy the hook; while its module is copied, also prepare the copy of the product.

        The copy belongs to the copied module, or to none if the hook is copied alone.
        """
        # A module copies its hooks before its plain attributes, and torch cannot copy the plain
        # attribute because it is not a leaf (it has a grad_fn). So the hook stores the product of
        # the copied parameter and the copied mask in `memo`.
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
    """Return the key and the pruning hook of a parameter; (None, None) if it is not pruned.

    The key is that in the forward pre-hooks of `module`; submodules are not searched.

    Raises
    ------
    AssertionError
        If there are several.
    """
    hooks = [
        (key, hook)
        for key, hook in module._forward_pre_hooks.items()
        if isinstance(hook, torch_prune.BasePruningMethod)
        and getattr(hook, "_tensor_name", None) == name
    ]
    if len(hooks) > 1:
        raise AssertionError(
            f"Parameter '{name}' of {module} has {len(hooks)} pruning hooks; use a"
            " PruningContainer instead."
        )
    return hooks[0] if hooks else (None, None)


def _copy_product(module: Module, name: str, memo: dict[int, Any]) -> None:
    """Store in `memo` the product of the copied parameter and the copied mask, for ``deepcopy``.

    Does nothing if the parameter is not pruned, or if the product can be copied because it is a
    leaf.
    """
    product = module.__dict__.get(name)
    orig = module._parameters.get(name + "_orig")
    mask = module._buffers.get(name + "_mask")
    if product is None or orig is None or mask is None or product.is_leaf:
        return
    with torch.enable_grad():
        copied = copy.deepcopy(orig, memo)
        product_copy = multiply(copied, copy.deepcopy(mask, memo).to(copied.dtype))
    memo[id(product)] = product_copy


class PruningContainer(BasePruningMethod, torch_prune.PruningContainer):
    """The methods that pruned a tensor, in order. Only the last one is executed.

    Parameters
    ----------
    *methods
        Pruning methods of the same tensor. An empty container gets the name of its tensor from the
        first method that is added.
    """

    def __init__(self, *methods: torch_prune.BasePruningMethod) -> None:
        self._pruning_methods: tuple[torch_prune.BasePruningMethod, ...] = ()
        for method in methods:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: torch_prune.BasePruningMethod | None) -> None:
        """Add a method at the end, which is the one that `compute_mask` will execute.

        Adding a method again adds it twice. None is added too, as in torch, without a check.

        Raises
        ------
        TypeError
            If it is not a pruning method.
        ValueError
            If it prunes a tensor of another name. An empty container without a name takes that of
            the method.
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
        self._pruning_methods += (method,)  # type: ignore[operator]  # torch accepts None

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[torch_prune.BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, index: Any) -> Any:
        return self._pruning_methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Apply the last method to the part of `t` that `default_mask` keeps; see `combine`."""
        return combine(self._pruning_methods[-1], t, default_mask)


def combine(method: Any, t: Tensor, mask: Tensor) -> Tensor:
    """Apply a method to the remaining part of a tensor, and return the combined mask.

    Parameters
    ----------
    method
        A pruning method of torch or Pruneapp. Its ``PRUNING_TYPE`` determines the remaining part:
        the entries where the mask is 1, flattened ('unstructured'); the channels along
        ``method.dim`` whose mask does not sum to 0 ('structured'); all entries ('global').
    t
        The tensor or its importance scores. The result is a new tensor of its type.
    mask
        The current mask, of the same shape; not modified.

    Raises
    ------
    ValueError, AttributeError, IndexError
        If ``PRUNING_TYPE`` is unknown, a structured method has no ``dim``, or the tensor does not
        have this dimension. Errors of the method are passed on.
    """
    of_kept = getattr(method, "_compute_mask_of_kept", None)
    combined: Tensor | None = None if of_kept is None else of_kept(t, mask)
    if combined is None:
        part = _remaining_part(method, t, mask)
        combined = mask.to(dtype=t.dtype, copy=True, memory_format=torch.contiguous_format)
        combined[part] = method.compute_mask(t[part], default_mask=mask[part]).to(combined.dtype)
    return combined


def _remaining_part(method: Any, t: Tensor, mask: Tensor) -> Any:
    """Return the index of the part of a tensor that a method is applied to; see `combine`.

    It is a Boolean tensor of the shape of `t` for 'unstructured', else a tuple with an index for
    each dimension. `mask` is the current mask. Raises as `combine`.
    """
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    part: list[slice | Tensor] = [slice(None)] * t.dim()
    if method.PRUNING_TYPE == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError(
                f"A pruning method of type 'structured' needs the attribute 'dim'"
                f" ({type(method).__name__} has none)."
            )
        _validate_pruning_dim(t, method.dim)
        dim = method.dim % t.dim()
        # For a 1-D tensor this is the sum of all entries, so it counts as one row with many
        # channels: torch does the same, and custom methods may rely on it.
        summed = mask.to(torch.float32) if is_float8(mask) else mask
        part[dim] = summed.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
    elif method.PRUNING_TYPE != "global":
        raise ValueError(
            "PRUNING_TYPE must be 'unstructured', 'structured' or 'global'"
            f" ({type(method).__name__} has {method.PRUNING_TYPE!r})."
        )
    return tuple(part)


def _validate_pruning_amount_init(amount: Any) -> None:
    """Raise if an amount is not a number, negative, NaN, or a fraction above 1.

    The size of the tensor is not known here, so a count may still be too large. Raises `TypeError`
    for what is no real number, else `ParameterError`, a ``ValueError``.
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
    """Raise `ParameterError` if a count exceeds `tensor_size`; fractions are always valid."""
    if isinstance(amount, Integral) and int(amount) > tensor_size:
        raise ParameterError(f"'amount' must be at most {tensor_size}, the total (got {amount}).")


def _validate_structured_pruning(t: Tensor) -> None:
    """Raise `ParameterError` unless a tensor has channels, that is, two or more dimensions."""
    if t.dim() < 2:
        raise ParameterError(
            f"Channels need a tensor of two or more dimensions (got shape {tuple(t.shape)}).",
            remedy="Prune unstructured instead.",
        )


def _validate_pruning_dim(t: Tensor, dim: int) -> None:
    """Raise `IndexError` unless a tensor has the dimension `dim`; negative ones count from the end.

    torch validates only the upper bound.
    """
    if not -t.dim() <= dim < t.dim():
        raise IndexError(
            f"'dim' must be from {-t.dim()} to {t.dim() - 1} for shape {tuple(t.shape)}"
            f" (got {dim})."
        )


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    """Convert an amount to a count; fractions are rounded by ``round``, half to even."""
    if isinstance(amount, Integral):
        return int(amount)
    count: int = round(amount * tensor_size)
    return count


def _compute_norm(t: Tensor, n: Norm, dim: int) -> Tensor:
    """Return the norm of each channel along `dim`, as float64, on the device of `t`.

    Floats of all devices are computed by the kernel that prunes documents: on a GPU the order of
    addition is not fixed, so results would differ between systems. (torch returns the type of `t`,
    in which float16 overflows.) `n` and `dim` are as in `LnStructured`. Raises `ParameterError`, a
    ``ValueError``, if `n` is not a valid norm.
    """
    n = NormParam().validate(n)
    dtype = float_type(t.dtype)
    if dtype is None:  # integers and complex numbers, which torch converts
        t = t.to(torch.complex128 if t.is_complex() else torch.float64)
        x = t.detach().movedim(dim, 0)
        if n == "nuc":
            singular: Tensor = torch.linalg.svdvals(x.reshape(*x.shape[:2], -1))
            return singular.sum(-1)
        norms: Tensor = torch.linalg.vector_norm(
            x.reshape(x.shape[0], -1), 2.0 if n == "fro" else float(n), dim=1
        )
        return norms
    bits = numpy_bits(t.detach().cpu().contiguous())
    slices = Slices(
        shape=tuple(t.shape),
        dtype=dtype,
        dim=dim % t.dim(),
        kept=None,
        read=partial(read_bits, bits),
    )
    return torch.from_numpy(CpuKernel().channel_norms(slices, n, Job())).to(t.device)
