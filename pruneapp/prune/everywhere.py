"""Pruning over many parameters at once, by one ranking."""

# ruff: noqa: SLF001 - torch keeps parameters, buffers and hooks of a module in private dicts

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.utils import prune as torch_prune

from pruneapp.errors import ParameterError
from pruneapp.prune.bits import is_float8
from pruneapp.prune.container import combine
from pruneapp.prune.functions import custom_from_mask
from pruneapp.prune.rollback import restored_on_error

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
    final = combine(method, _flat([g.scores for g in groups]), _flat([g.mask() for g in groups]))
    with ExitStack() as stack:
        start = 0
        for group in groups:
            stop = start + group.scores.numel()
            mask = final[start:stop].view(group.scores.shape)
            start = stop
            for module, name in group.owners:
                stack.enter_context(restored_on_error(module, name))
                custom_from_mask(module, name, mask)


@dataclass
class _Tied:
    """The listed names of one parameter object."""

    owners: list[Owner]
    tensor: Tensor
    scores: Tensor

    def mask(self) -> Tensor:
        """Return what is left, 1 or 0: the masks of all owners together."""
        masks = [
            getattr(module, name + "_mask")
            for module, name in self.owners
            if hasattr(module, name + "_mask")
        ]
        if not masks:
            return torch.ones_like(self.scores)
        together: Tensor = masks[0].detach()
        for mask in masks[1:]:
            together = together * mask.detach()
        return together


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
