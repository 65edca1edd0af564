"""The base of all pruning methods: torch's, with `apply` mended; its container and its checks.

Names that begin with an underscore, rules and types of exceptions are those of
``torch.nn.utils.prune``. Two cases that torch lets through are refused here: a fraction that is
NaN, and a dimension below the first.
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
def restored_on_error(module: Module, name: str) -> Iterator[None]:
    """Undo everything that the block did to the parameter `name`, if it raises.

    Parameters, buffers and hooks come back as the same objects in the same order; a pruning
    container forgets the methods that were added to it.
    """
    # The dicts are emptied and filled again rather than replaced: optimizers, handles of hooks
    # and torch's own C++ side hold references to them.
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
            setattr(module, name, value)  # recurrent layers keep a list of their weights with it
        raise


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
        """Return the mask of `t`, the tensor itself or importance scores: 0 where pruned.

        `default_mask` is the mask so far, of the same shape; all ones at first.
        """

    def apply_mask(self, module: Module) -> Tensor:
        """Return ``name_mask * name_orig``, in the type of the latter.

        It is a multiplication, as in torch: a pruned negative weight becomes -0.0, a pruned NaN
        or infinity NaN.
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
        """Prune the parameter `name` of `module` by this method.

        The parameter becomes ``name_orig``, the mask the buffer ``name_mask``, and their product
        the plain attribute ``name``, computed anew before every forward. If it was pruned before,
        the method works on what is left of it, and is added to a container with the earlier ones.

        Parameters
        ----------
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
        self,
        t: Tensor,
        default_mask: Tensor | None = None,
        importance_scores: Tensor | None = None,
    ) -> Tensor:
        """Return `t` times its mask, without any module."""
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
    mask
        The mask so far, of the same shape; not changed.
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
        _validate_pruning_dim(t, method.dim)
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


def _validate_pruning_amount_init(amount: Any) -> None:
    """Check an amount by itself, before the size of the tensor is known."""
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
    """Check that a count is not more than there is; fractions always fit."""
    if isinstance(amount, Integral) and int(amount) > tensor_size:
        raise ParameterError(
            f"'amount' must be at most {tensor_size}, all there is (got {amount})."
        )


def _validate_structured_pruning(t: Tensor) -> None:
    """Check that a tensor has channels: two or more dimensions."""
    if t.dim() < 2:
        raise ParameterError(
            f"Channels need a tensor of two or more dimensions (got shape {tuple(t.shape)}).",
            remedy="Prune unstructured instead.",
        )


def _validate_pruning_dim(t: Tensor, dim: int) -> None:
    """Check that a tensor has the dimension `dim`; negative ones count from the end.

    torch notices a `dim` that is too low only by a bare IndexError later.
    """
    if not -t.dim() <= dim < t.dim():
        raise IndexError(
            f"'dim' must be from {-t.dim()} to {t.dim() - 1} for shape {tuple(t.shape)}"
            f" (got {dim})."
        )


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    """Turn an amount into a count: fractions by Python's ``round``, half to even."""
    if isinstance(amount, Integral):
        return int(amount)
    count: int = round(amount * tensor_size)
    return count


def _compute_norm(t: Tensor, n: Norm, dim: int) -> Tensor:
    """Return the norm of every channel along `dim`, float64, on the device of `t`.

    Floats go through the kernel that prunes documents, from every device: a GPU does not keep the
    order of addition that makes norms the same everywhere. (torch returns them in the type of `t`,
    where float16 overflows.) `n` and `dim` as of `LnStructured`; raises `ParameterError`, which is
    a ``ValueError``, if `n` is no norm.
    """
    n = NormParam().validate(n)
    dtype = float_type(t.dtype)
    if dtype is None:  # whole and complex numbers, which torch converts
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
