"""The functions of ``torch.nn.utils.prune``, under their names and with their arguments."""

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
from pruneapp.prune.base import combine, restored_on_error
from pruneapp.prune.methods import (
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    RandomStructured,
    RandomUnstructured,
)
from pruneapp.prune.ranking import can_share_a_threshold, is_float8

# ruff: noqa: SLF001 - torch keeps parameters, buffers and hooks of a module in private dicts


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
    """Make pruning permanent: ``name_orig`` times ``name_mask`` becomes the parameter ``name``.

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


Owner = tuple[Module, str]


def global_unstructured(
    parameters: Iterable[Owner],
    pruning_method: Callable[..., torch_prune.BasePruningMethod],
    importance_scores: dict[Owner, Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prune many parameters by one method, as if they were one long tensor.

    Tied weights, one parameter under several names, count once, and all the names that are listed
    get the same mask; what any of them had pruned before stays pruned. (Names that are not listed
    keep the whole parameter: list all of them.) If anything raises, every module is as it was.

    Parameters
    ----------
    parameters
        Pairs of a module and the name of its parameter; any iterable, a generator too.
    pruning_method
        A method of type 'unstructured'.
    importance_scores
        Scores to rank in place of a parameter, by (module, name); of several names of a tied
        parameter the first that is listed with scores counts.
    **kwargs
        What the method takes: ``amount`` is a count, or a fraction of all that is left.

    Raises
    ------
    TypeError
        If `parameters` cannot be iterated over, scores are not in a dict, the method is not of
        type 'unstructured', or parameters lie on several devices.
    ParameterError
        If there are no parameters. A ``ValueError``.
    AssertionError
        If scores have another shape than their parameter.
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
    groups = _tied(parameters, importance_scores or {})
    if not groups:
        raise ParameterError("'parameters' must hold at least one (module, name) pair (got none).")
    if len({group.scores.device for group in groups}) > 1:
        raise TypeError("Parameters on several devices cannot be ranked together.")
    masks = _masks(method, groups)
    with ExitStack() as stack:
        for group in groups:
            mask = masks.pop(0)  # let go as soon as the module has its own
            for module, name in group.owners:
                stack.enter_context(restored_on_error(module, name))
                custom_from_mask(module, name, mask)


def _masks(method: Any, groups: Sequence[_Tied]) -> list[Tensor]:
    """Return the mask of every group: the old one with what the method prunes set to 0."""
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
        """Return the masks of all owners multiplied; None if none of them was pruned."""
        masks = [
            getattr(module, name + "_mask").detach()
            for module, name in self.owners
            if hasattr(module, name + "_mask")
        ]
        return reduce(torch.mul, masks) if masks else None


def _tied(parameters: Iterable[Owner], scores: dict[Owner, Tensor]) -> Sequence[_Tied]:
    """Sort the pairs by the parameter object behind them, in the order of first appearance."""
    groups: dict[int, _Tied] = {}
    scored: set[int] = set()
    for module, name in parameters:
        tensor = getattr(module, name)
        orig = module._parameters.get(name + "_orig")
        identity = id(tensor if orig is None else orig)  # the group keeps it alive
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
    """Join tensors end to end, in C order, in the type that holds them all."""
    if len({t.dtype for t in tensors}) > 1:
        tensors = [t.to(torch.float32) if is_float8(t) else t for t in tensors]
    return torch.cat([t.reshape(-1) for t in tensors])
