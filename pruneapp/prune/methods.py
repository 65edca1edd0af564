"""The classes and functions of ``torch.nn.utils.prune``, with the same names and arguments.

They prune individual weights or whole channels, or apply a given mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.utils import prune as torch_prune

from pruneapp.errors import ParameterError
from pruneapp.params import Amount, Norm
from pruneapp.prune.base import (
    BasePruningMethod,
    _compute_norm,
    _compute_nparams_toprune,
    _validate_pruning_amount,
    _validate_pruning_amount_init,
    _validate_pruning_dim,
    _validate_structured_pruning,
    combine,
    restore_on_error,
)
from pruneapp.prune.product_refresh import release
from pruneapp.prune.ranking import (
    can_share_a_threshold,
    is_float8,
    without_lowest,
    without_lowest_of_all,
    zero_lowest,
)

# ruff: noqa: SLF001 - torch keeps parameters, buffers and hooks of a module in private dicts


def _count(amount: Amount, remaining: int) -> int:
    """Return the number of weights to prune. Raises torch's error if it exceeds `remaining`."""
    count = _compute_nparams_toprune(amount, remaining)
    _validate_pruning_amount(count, remaining)
    return int(count)


class RandomUnstructured(BasePruningMethod, torch_prune.RandomUnstructured):
    """Prunes weights at random.

    The random numbers are those of torch, so ``torch.manual_seed`` results in torch's masks. For
    float8, which torch does not support, they are generated as float32.

    Parameters
    ----------
    amount
        A count (int), or a fraction (float from 0 to 1) of the remaining weights.
    """

    def __init__(self, amount: Amount) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return a copy of `default_mask` with zeros at random positions.

        The positions are drawn from all entries of `t`, of whatever mask. Raises `ParameterError`
        if a count is larger than the tensor.
        """
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

    Exactly the requested number is pruned. Among equal magnitudes the lower flat index is pruned
    first. NaN counts as the largest magnitude.

    Parameters
    ----------
    amount
        A count (int), or a fraction (float from 0 to 1) of the remaining weights.
    """

    def __init__(self, amount: Amount) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return `default_mask` with zeros where the magnitude of `t` is smallest."""
        count = _count(self.amount, t.nelement())
        return without_lowest(default_mask, t, count)

    def _compute_mask_of_kept(self, t: Tensor, mask: Tensor) -> Tensor | None:
        """Return the result of `combine`, computed without extracting the kept entries.

        Entries where `mask` is not 1 are not ranked; the amount refers to the others. The result is
        a new tensor in the type of `t`. Returns None if a subclass overrides `compute_mask`. Raises
        `ParameterError` if a count is larger than what is kept.
        """
        if not self._is_plain():
            return None
        kept = mask == 1
        count = _count(self.amount, int(kept.count_nonzero()))
        return without_lowest(mask.to(t.dtype), t, count, kept)

    def _compute_masks(
        self, tensors: Sequence[Tensor], masks: Sequence[Tensor | None]
    ) -> list[Tensor] | None:
        """Return the masks of several CPU tensors, pruned with one threshold, without joining them.

        `masks` are the masks before, one for each tensor; None means all ones. They are not
        modified. The amount refers to all remaining entries together. Returns None if a subclass
        overrides `compute_mask`. Raises `ParameterError` if a count is larger than what remains.
        """
        if not self._is_plain():
            return None
        kept = [None if mask is None else mask == 1 for mask in masks]
        remaining = sum(
            t.numel() if k is None else int(k.count_nonzero())
            for t, k in zip(tensors, kept, strict=True)
        )
        count = _count(self.amount, remaining)
        bases = [
            self._all_kept(t) if mask is None else mask
            for t, mask in zip(tensors, masks, strict=True)
        ]
        return without_lowest_of_all(bases, tensors, count, kept)

    def _is_plain(self) -> bool:
        """Return whether `compute_mask` is not overridden by a subclass."""
        return type(self).compute_mask is L1Unstructured.compute_mask

    def _all_kept(self, t: Tensor) -> Tensor:
        if not self._is_plain():
            return super()._all_kept(t)
        # A single number expanded to the shape: compute_mask creates the only copy, for the module.
        return torch.ones((), device=t.device).to(t.dtype).expand(t.shape)

    @classmethod
    def apply(  # type: ignore[override]  # the arguments of this method, as torch names them
        cls, module: Module, name: str, amount: Amount, importance_scores: Tensor | None = None
    ) -> torch_prune.BasePruningMethod:
        """Prune the parameter `name` of `module`; see `BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class RandomStructured(BasePruningMethod, torch_prune.RandomStructured):
    """Prunes whole channels at random.

    The random numbers are those of torch, so ``torch.manual_seed`` results in torch's masks.

    Parameters
    ----------
    amount
        A count (int), or a fraction (float from 0 to 1) of the remaining channels.
    dim
        The dimension of the channels; negative values count from the end.
    """

    def __init__(self, amount: Amount, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return `default_mask` with zeros in random channels, in the type of `t`.

        For an amount of no channel, `default_mask` itself is returned. Raises `ParameterError` for
        a vector and for a count larger than the number of channels, `IndexError` for an invalid
        dimension.
        """
        count = _channels_to_prune(t, self.amount, self.dim)
        if not count:
            return default_mask
        drawn = torch.rand(t.shape[self.dim])
        kept = drawn > torch.kthvalue(drawn, k=count).values
        return _mask_channels(t, self.dim, kept.to(t.device), default_mask)

    @classmethod
    def apply(  # type: ignore[override]  # the arguments of this method, as torch names them
        cls, module: Module, name: str, amount: Amount, dim: int = -1
    ) -> torch_prune.BasePruningMethod:
        """Prune the parameter `name` of `module`; see `BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(BasePruningMethod, torch_prune.LnStructured):
    """Prunes the channels of smallest norm.

    Norms are computed in float64. Among equal norms the lower index is pruned first. NaN counts as
    the largest norm.

    Parameters
    ----------
    amount
        A count (int), or a fraction (float from 0 to 1) of the remaining channels.
    n
        Order of the norm: a number, inf, -inf, 'fro' (2, of the flattened channel) or 'nuc' (the
        sum of the singular values of the channel as a matrix, its first dimension by the rest).
    dim
        The dimension of the channels; negative values count from the end.
    """

    def __init__(self, amount: Amount, n: Norm, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return `default_mask` with zeros in the channels of smallest norm, in the type of `t`.

        For an amount of no channel, `default_mask` itself is returned. Raises `ParameterError` for
        a vector, an invalid norm, and a count larger than the number of channels; `IndexError` for
        an invalid dimension.
        """
        count = _channels_to_prune(t, self.amount, self.dim)
        norms = _compute_norm(t, self.n, self.dim)
        if not count:
            return default_mask
        kept = torch.ones(t.shape[self.dim], dtype=torch.uint8, device=t.device)
        zero_lowest(kept, norms, count)
        return _mask_channels(t, self.dim, kept.bool(), default_mask)

    @classmethod
    def apply(  # type: ignore[override] # noqa: PLR0917 - the arguments of this method, as in torch
        cls,
        module: Module,
        name: str,
        amount: Amount,
        n: Norm,
        dim: int,
        importance_scores: Tensor | None = None,
    ) -> torch_prune.BasePruningMethod:
        """Prune the parameter `name` of `module`, in place, and return its hook.

        See `BasePruningMethod.apply` for a parameter that is already pruned, and for errors.
        """
        return super().apply(
            module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores
        )


def _channels_to_prune(t: Tensor, amount: Amount, dim: int) -> int:
    _validate_structured_pruning(t)
    _validate_pruning_dim(t, dim)
    count = _compute_nparams_toprune(amount, t.shape[dim])
    _validate_pruning_amount(count, t.shape[dim])
    return int(count)


def _mask_channels(t: Tensor, dim: int, kept: Tensor, default_mask: Tensor) -> Tensor:
    """Return `default_mask` with zeros in the channels along `dim` where `kept` is False.

    The result is a new tensor in the type of `t`.
    """
    shape = [1] * t.dim()
    shape[dim] = -1
    # torch multiplies in the type of the tensor, too; float8 does not support it on all devices.
    work = torch.float32 if is_float8(t) else t.dtype
    mask = kept.view(shape).to(work) * default_mask.to(t.dtype).to(work)
    return mask.to(t.dtype)


class Identity(BasePruningMethod, torch_prune.Identity):
    """Prunes nothing, but creates the parameter, mask and hook of a pruned tensor."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:  # noqa: ARG002 - required by the base class
        """Return `default_mask` itself."""
        return default_mask

    @classmethod
    def apply(  # type: ignore[override]  # this method takes no arguments
        cls, module: Module, name: str
    ) -> torch_prune.BasePruningMethod:
        """Set up the parameter `name` of `module`; see `BasePruningMethod.apply`."""
        return super().apply(module, name)


class CustomFromMask(BasePruningMethod, torch_prune.CustomFromMask):
    """Prunes with a given mask, in addition to previous pruning.

    Parameters
    ----------
    mask
        0 where pruned, 1 where kept, of the shape of the parameter.

    Attributes
    ----------
    mask
        None after it was applied: the module has it in ``name_mask``, and the hook would otherwise
        keep one more copy for each pruning.
    """

    def __init__(self, mask: Tensor) -> None:
        self.mask: Tensor | None = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:  # noqa: ARG002 - required by the base class
        """Return the product of `default_mask` and the given mask, in the type of the former.

        Raises `AssertionError` if the shapes differ, and `ValueError` if the mask was applied
        already, which releases it. `t` is not used.
        """
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


M = TypeVar("M", bound=Module)


def identity(module: M, name: str) -> M:
    """Set up the parameter `name` of `module` as if it were pruned, with a mask of ones.

    A parameter that is already pruned keeps its mask.

    Returns
    -------
    Module
        `module` itself, modified in place, like all functions of this module.
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


def ln_structured(  # noqa: PLR0917 - positional arguments in torch
    module: M, name: str, amount: Amount, n: Norm, dim: int, importance_scores: Tensor | None = None
) -> M:
    """Prune the channels of smallest norm, or of smallest norm of scores; see `LnStructured`."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: M, name: str, mask: Tensor) -> M:
    """Prune with a given mask, in addition to previous pruning; see `CustomFromMask`."""
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: M, name: str) -> M:
    """Make pruning permanent: ``name_orig`` times ``name_mask`` becomes the parameter ``name``.

    The pruned values are 0 afterwards. The parameter object remains, so optimizers stay valid. The
    mask and the hook are removed, so a second call raises. Returns `module`.

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
            release(module)
            return module
    raise ValueError(f"Parameter '{name}' of {module} is not pruned: there is nothing to remove.")


def is_pruned(module: Module) -> bool:
    """Return whether torch or Pruneapp has pruned a parameter of `module` or its submodules."""
    return any(
        isinstance(hook, torch_prune.BasePruningMethod)
        for submodule in module.modules()
        for hook in submodule._forward_pre_hooks.values()
    )


Owner = tuple[Module, str]


def global_unstructured(
    parameters: Iterable[Owner],
    pruning_method: Callable[..., torch_prune.BasePruningMethod],
    importance_scores: dict[Owner, Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prune many parameters with one method, as if they were one long tensor.

    Tied weights (one parameter with several names) count once. All listed names get the same mask;
    entries that were pruned under any of these names stay pruned. Names that are not listed keep
    the unpruned parameter, so list all of them. If an error is raised, all modules are unchanged.

    Parameters
    ----------
    parameters
        Pairs of a module and the name of its parameter; any iterable, including a generator.
    pruning_method
        A method of type 'unstructured'.
    importance_scores
        Scores to rank instead of a parameter, by (module, name). For a tied parameter, the scores
        of the first listed name that has any are used.
    **kwargs
        The arguments of the method: ``amount`` is a count, or a fraction of all remaining entries.

    Raises
    ------
    TypeError
        If `parameters` is not iterable, scores are not in a dict, the method is not of type
        'unstructured', or parameters are on several devices.
    ParameterError
        If there are no parameters. A ``ValueError``.
    AssertionError
        If scores have another number of elements than their parameter.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("'parameters' must be an iterable of (module, name) pairs.")
    if importance_scores is not None and not isinstance(importance_scores, dict):
        raise TypeError("'importance_scores' must be a dict from (module, name) to a tensor.")
    method: Any = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            "Only methods of type 'unstructured' prune globally: norms of channels of different"
            f" layers do not compare ({type(method).__name__} is '{method.PRUNING_TYPE}')."
        )
    groups = _group_tied(parameters, importance_scores or {})
    if not groups:
        raise ParameterError(
            "'parameters' must contain at least one (module, name) pair (got none)."
        )
    if len({group.scores.device for group in groups}) > 1:
        raise TypeError("Parameters on several devices cannot be ranked together.")
    masks = _masks(method, groups)
    with ExitStack() as stack:
        for group in groups:
            mask = masks.pop(0)  # released as soon as the module has its own
            for module, name in group.owners:
                stack.enter_context(restore_on_error(module, name))
                custom_from_mask(module, name, mask)


def _masks(method: Any, groups: Sequence[_Tied]) -> list[Tensor]:
    """Return the mask of each group: the current one with the newly pruned entries set to 0.

    All groups are ranked together. The masks are new tensors in the shapes of the parameters.
    """
    scores = [group.scores for group in groups]
    if isinstance(method, L1Unstructured) and can_share_a_threshold(scores):
        masks = method._compute_masks(scores, [group.mask() for group in groups])
        if masks is not None:
            return masks
    joined = combine(
        method,
        _flat(scores),
        _flat([torch.ones_like(g.tensor) if (m := g.mask()) is None else m for g in groups]),
    )
    parts = torch.split_with_sizes(joined, [t.numel() for t in scores])
    return [part.view(t.shape) for part, t in zip(parts, scores, strict=True)]


@dataclass
class _Tied:
    """The listed names of one parameter object."""

    owners: list[Owner]
    tensor: Tensor
    scores: Tensor

    def mask(self) -> Tensor | None:
        """Return the product of the masks of all owners; None if none of them was pruned."""
        masks = [
            getattr(module, name + "_mask").detach()
            for module, name in self.owners
            if hasattr(module, name + "_mask")
        ]
        return reduce(torch.mul, masks) if masks else None


def _group_tied(parameters: Iterable[Owner], scores: dict[Owner, Tensor]) -> Sequence[_Tied]:
    """Group (module, name) pairs by their parameter object, in the order of first appearance.

    A repeated pair is ignored. The scores of a group are those of its first pair in `scores`, else
    the parameter. Raises `AssertionError` if scores have another number of elements, and
    `AttributeError` if a module has no such parameter.
    """
    groups: dict[int, _Tied] = {}
    scored: set[int] = set()
    for module, name in parameters:
        tensor = getattr(module, name)
        orig = module._parameters.get(name + "_orig")
        identity = id(tensor if orig is None else orig)  # referenced by the group
        group = groups.setdefault(identity, _Tied([], tensor, tensor.detach()))
        if any(module is m and name == n for m, n in group.owners):
            continue
        group.owners.append((module, name))
        given = scores.get((module, name))
        if given is not None and identity not in scored:
            if given.numel() != tensor.numel():
                raise AssertionError(
                    f"'importance_scores' must have the shape of parameter '{name}' of {module},"
                    f" {tuple(tensor.shape)} (got {tuple(given.shape)})."
                )
            scored.add(identity)
            group.scores = given.detach().reshape(tensor.shape)
    return list(groups.values())


def _flat(tensors: Sequence[Tensor]) -> Tensor:
    """Concatenate flattened tensors (C order) in their common type."""
    if len({t.dtype for t in tensors}) > 1:
        tensors = [t.to(torch.float32) if is_float8(t) else t for t in tensors]
    return torch.cat([t.reshape(-1) for t in tensors])
