"""What is looked at before a method runs: whether it suits the tensors, what an amount is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pruneapp.errors import ParameterError
from pruneapp.methods.amounts import to_prune
from pruneapp.methods.method import Method, Scope, TensorView, Values
from pruneapp.methods.method_units import UnitMethod


def check_all(
    tensors: Sequence[TensorView], method: Method, values: Mapping[str, Any], scope: Scope
) -> dict[str, Any]:
    """Return valid values for every parameter; raises `ParameterError` as `prune` does."""
    values = method.validate(values)
    check_scope(method, scope)
    for view in tensors:
        _check_dims(method, view)
        _check_scores(method, view)
        _check_given(method, view)
        _check_scale(method, view)
    return values


def units_left(tensor: TensorView, method: Method, values: Mapping[str, Any]) -> int:
    """Return how many weights (or channels, or blocks) of a tensor are not pruned yet.

    Raises
    ------
    ParameterError
        If the method counts channels and the tensor has none along its dimension.
    """
    if isinstance(method, UnitMethod):
        partition = method.partition(tensor, method.validate(values))
        return int(np.count_nonzero(partition.left(tensor.kept)))
    return tensor.numel if tensor.kept is None else tensor.kept.kept


def check_scope(method: Method, scope: Scope) -> None:
    """Raise `ParameterError` if a method does not offer a scope, with the reason."""
    if scope in method.scopes:
        return
    if scope not in ("local", "global"):  # it may be anything that stands in a file
        raise ParameterError(f"'scope' must be local or global (got {scope!r}).")
    if method.granularity == "channels":
        raise ParameterError(
            f"'{method.name}' cannot prune globally: channels of different tensors have "
            "different sizes, so their scores are not comparable.",
            remedy="Choose the local scope, or an unstructured method.",
        )
    raise ParameterError(
        f"'{method.name}' cannot prune {scope}ly: it offers {' and '.join(method.scopes)} only.",
        remedy=f"Choose the {method.scopes[0]} scope.",
    )


def _check_dims(method: Method, view: TensorView) -> None:
    if len(view.shape) >= method.least_dims:
        return
    what = method.granularity if method.granularity in {"groups", "blocks"} else "channels"
    raise ParameterError(
        f"Pruning {what} needs tensors of two or more dimensions, but '{view.name}' has "
        f"{len(view.shape)}.",
        remedy="Deselect it, or choose an unstructured method.",
    )


def _check_scores(method: Method, view: TensorView) -> None:
    if view.scores is None:
        return
    if not method.takes_scores:
        raise ParameterError(
            f"'{method.name}' takes no importance scores.",
            remedy="Remove them, or choose a method that ranks by magnitude.",
        )
    if view.scores.shape != view.shape:
        raise ParameterError(
            f"The importance scores of '{view.name}' must have its shape {list(view.shape)} "
            f"(got {list(view.scores.shape)}).",
            remedy="Choose the score file made for this checkpoint.",
        )
    if not view.scores.dtype.prunable:
        raise ParameterError(
            f"The importance scores of '{view.name}' must be floats "
            f"(got {view.scores.dtype.label}).",
            remedy="Save them as float32.",
        )


def _check_scale(method: Method, view: TensorView) -> None:
    if method.takes_scale and view.scale is None:
        raise ParameterError(
            f"No norm layer that follows '{view.name}' was found by name, so its "
            "channels have no scale.",
            remedy="Deselect it, or choose a method that ranks channels by their weights.",
        )


def _check_given(method: Method, view: TensorView) -> None:
    if not method.takes_mask:
        return
    if view.given is None:
        raise ParameterError(
            f"No mask is given for '{view.name}'.",
            remedy="Choose a mask file that contains this tensor, or deselect the tensor.",
        )
    if view.given.size != view.numel:
        raise ParameterError(
            f"The mask for '{view.name}' must have its {view.numel:,} elements "
            f"(got {view.given.size:,}).",
            remedy="Choose the mask file made for this checkpoint.",
        )


def count_of(group: Sequence[TensorView], method: Method, values: Values) -> int:
    """Return how many weights an amount is of some tensors together.

    Raises
    ------
    ParameterError
        If that is more than is free.
    """
    left = sum(units_left(view, method, values) for view in group)
    where = group[0].name if len(group) == 1 else ""
    protected = sum(view.protected.kept for view in group if view.protected is not None)
    return to_prune(values["amount"], left, protected=protected, where=where)
