"""Torch calls for a script, and proofs that they prune exactly the weights of a step.

torch does not define which of equal scores is pruned, computes norms in the dtype of the weights,
and has its own random generator. A torch call replaces a step only if none of this matters for the
actual weights; otherwise the mask is stored in a file.

- ``l1_unstructured``, ``global_unstructured``: every newly pruned weight is strictly smaller than
  every kept one, so `topk` has no choice. This holds for any method and limits: ``l1_unstructured``
  with the number of pruned weights then gives the same mask.
- ``ln_structured``: the norms of pruned and kept channels differ by more than the rounding error of
  float32 or float64 sums, for the values of n that torch computes by sums or comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.kernels.kernel import Kernel, Slices
from pruneapp.kernels.values import decode
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import channels_left
from pruneapp.methods import registry
from pruneapp.methods.limits import Limits
from pruneapp.methods.method import Scope
from pruneapp.params import Amount
from pruneapp.progress import Job

# Dtypes that torch's pruning can multiply by a mask and that `topk` supports on all devices.
MULTIPLIED = {"F64", "F32", "F16", "BF16"}
# Unit roundoff of the dtypes in which torch sums the norms of channels.
_EPSILON = {"F64": 2.0**-53, "F32": 2.0**-24}
# Squares of numbers in this range neither overflow nor underflow in float32.
_SMALLEST, _LARGEST = 1e-15, 1e15


@dataclass(frozen=True)
class ExactCalls:
    """The tensors of a step whose masks stock torch reproduces exactly."""

    # Tensors for which the call of the step itself, with its own parameters, gives the same mask.
    own: frozenset[str] = frozenset()
    # Number of weights that ``global_unstructured`` must prune in all tensors; None if it does not
    # give the same masks.
    together: int | None = None
    # Number of weights that ``l1_unstructured`` must prune, by tensor name.
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """The tensors that need no stored mask if `together` is None."""
        return self.own | frozenset(self.counts)


def find_exact_calls(
    before: Snapshot,
    after: Mapping[str, BitMask],
    step: Step,
    names: Sequence[str],
    *,
    kernel: Kernel,
    job: Job,
) -> ExactCalls:
    """Determine the tensors for which torch calls provably give the same masks.

    Reads the tensors, except for the method "identity". An empty result means that all masks must
    be stored.

    Parameters
    ----------
    before
        The state before the step.
    after
        Masks after the step, by tensor name.
    step
        A step with one row and without exclusions.
    names
        Names (not aliases) of the tensors that the step touches.
    job
        Advances by the number of elements read.
    """
    (row,) = step.rows
    entries = [before.entry(name) for name in names]
    plain = [e for e in entries if _is_plain(before, e)]
    as_requested = step.limits == Limits()
    if row.method == "identity":
        return ExactCalls(frozenset(e.name for e in plain))
    if registry.get(row.method).granularity == "weights":
        ranked = [e for e in entries if e.dtype.name in MULTIPLIED and e.numel]
        bounds = {e.name: _magnitude_bounds(before, after[e.name], e, job) for e in ranked}
        counts = {e.name: after[e.name].pruned - before.masks.pruned(e.name) for e in entries}
        usual = as_requested and row.method == "l1_unstructured"
        if step.scope == "global" and len(bounds) == len(entries):
            threshold = max(max_pruned for max_pruned, _ in bounds.values())
            if threshold < min(min_kept for _, min_kept in bounds.values()):
                if usual and len(plain) == len(entries):
                    return ExactCalls(frozenset(names))
                return ExactCalls(together=sum(counts.values()))
        separated = [
            name for name, (max_pruned, min_kept) in bounds.items() if max_pruned < min_kept
        ]
        same_call: frozenset[str] = frozenset()
        if step.scope == "local" and usual:
            same_call = frozenset(separated) & {e.name for e in plain}
        return ExactCalls(
            same_call, counts={name: counts[name] for name in separated if name not in same_call}
        )
    if row.method == "ln_structured" and as_requested and step.scope == "local":
        exact = (
            e for e in plain if _norms_are_separated(before, after, e, row, kernel=kernel, job=job)
        )
        return ExactCalls(frozenset(e.name for e in exact))
    return ExactCalls()


def _magnitude_bounds(
    before: Snapshot, after: BitMask, entry: TensorEntry, job: Job
) -> tuple[float, float]:
    """Return the largest newly pruned and the smallest kept magnitude, given a mask `after` a step.

    -inf and inf if there are none. NaN must be kept: (inf, -inf) if one was pruned.
    """
    max_pruned, min_kept = -math.inf, math.inf
    kept = before.mask(entry.name)
    for chunk in before.chunks(entry.name):
        stop = chunk.start + chunk.bits.size
        sizes = np.abs(decode(chunk.bits, entry.dtype))
        kept_after = after.bools(chunk.start, stop)
        pruned = ~kept_after if kept is None else kept.bools(chunk.start, stop) & ~kept_after
        is_nan = np.isnan(sizes)
        if np.any(pruned & is_nan):  # torch ranks NaN above all other values
            return math.inf, -math.inf
        max_pruned = max(max_pruned, float(np.max(sizes, where=pruned, initial=-math.inf)))
        min_kept = min(min_kept, float(np.min(sizes, where=kept_after & ~is_nan, initial=math.inf)))
        job.step(chunk.bits.size)
    return max_pruned, min_kept


def _norms_are_separated(
    before: Snapshot,
    after: Mapping[str, BitMask],
    entry: TensorEntry,
    row: Row,
    *,
    kernel: Kernel,
    job: Job,
) -> bool:
    """Return whether torch's ``ln_structured`` certainly prunes the same channels of a tensor.

    False if the norms of pruned and kept channels are too close for rounding errors, or torch
    computes this norm or dtype in another way. `row` has the norm `n` and the dimension.
    """
    n = row.values["n"]
    if entry.dtype.name not in _EPSILON or n not in {1, 2, math.inf, -math.inf}:
        return False
    dim = row.values["dim"] % len(entry.shape)
    view = replace(before.view(entry.name), protected=None)
    kept = before.mask(entry.name)
    norms = kernel.channel_norms(Slices(entry.shape, entry.dtype, dim, kept, view.read), n, job)
    channels = channels_left(kept, entry.shape, dim, job)
    kept_channels = channels_left(after[entry.name], entry.shape, dim, job)
    pruned_norms = norms[channels & ~kept_channels]
    kept_norms = norms[channels & kept_channels]
    if not np.all(np.isfinite(norms[channels])):
        return False
    if not pruned_norms.size or not kept_norms.size:
        return True
    low, high = float(pruned_norms.max()), float(kept_norms.min())
    if n in {math.inf, -math.inf}:
        return low < high
    if not _SMALLEST < high < _LARGEST:
        return False
    # Summing N numbers in any order has a relative error of at most (N - 1) epsilon, for numbers of
    # equal sign; squares add one epsilon, and a square root halves the error. The margin covers
    # both sides and more.
    elements = entry.numel // entry.shape[dim]
    margin = 2 * (elements + 4) if n == 1 else elements + 8
    return bool(low < high * (1 - margin * _EPSILON[entry.dtype.name]))


def _is_plain(state: Snapshot, entry: TensorEntry) -> bool:
    """Return whether a tensor has kept weights and none that are protected."""
    mask = state.mask(entry.name)
    left = entry.numel if mask is None else mask.kept
    return left > 0 and entry.name not in state.protected


# Up to this many names are inserted directly; longer lists become a variable.
_FEW = 2


@dataclass(frozen=True)
class Call:
    """Lines of code for each of several tensors."""

    names: tuple[str, ...]  # names of the tensors
    text: str  # code, with the variable ``name`` for a tensor
    # Whether it is a single call for all tensors, with ``{names}`` for their names.
    together: bool = False


@dataclass(frozen=True)
class ScriptPart:
    """A step of the script: its title and its code."""

    label: str
    calls: tuple[Call, ...]


def prune_by_method(row: Row, scope: Scope, names: Sequence[str]) -> tuple[Call, ...]:
    """Return the call of torch for a row, () if there are no names.

    With the scope "global" it is one call for all tensors, otherwise one for each.
    """
    if not names:
        return ()
    values = {name: _literal(value) for name, value in row.values.items()}
    if scope == "global" and "amount" in row.values:
        return prune_globally(names, row.values["amount"])
    given = "".join(f", {name}={value}" for name, value in values.items())
    return (Call(tuple(names), f'prune.{row.method}(modules[name], "weight"{given})'),)


def prune_globally(names: Sequence[str], amount: Amount) -> tuple[Call, ...]:
    """Return the call that prunes an amount of several tensors with one threshold.

    `amount` is a fraction (float) or a number of weights (int), as in torch.
    """
    pairs = '[(modules[name], "weight") for name in {names}]'
    text = (
        f"prune.global_unstructured(\n    {pairs},\n"
        f"    pruning_method=prune.L1Unstructured,\n    amount={amount!r},\n)"
    )
    return (Call(tuple(names), text, together=True),)


def prune_by_count(counts: Mapping[str, int]) -> tuple[Call, ...]:
    """Return the code that prunes the given number of smallest weights in each tensor.

    () if all numbers are 0.
    """
    nonzero = {name: count for name, count in counts.items() if count}
    if not nonzero:
        return ()
    pairs = "".join(f"    {quote(name)}: {count},\n" for name, count in nonzero.items())
    text = (
        f"for name, amount in {{\n{pairs}}}.items():\n"
        '    prune.l1_unstructured(modules[name], "weight", amount=amount)'
    )
    return (Call(tuple(nonzero), text, together=True),)


def prune_by_masks(number: int, names: Sequence[str]) -> tuple[Call, ...]:
    """Return the call that applies masks of step `number` from the mask file."""
    if not names:
        return ()
    text = f'prune.custom_from_mask(modules[name], "weight", mask=mask({number}, name))'
    return (Call(tuple(names), text),)


# Code that restores all weights (torch cannot), counts zeros as pruned, applies masks of the
# checkpoint, and sets pruned weights to zero.
RESTORE = "modules[name] = module(weights[name])  # all of it is back"
MASK_ZEROS = 'prune.custom_from_mask(modules[name], "weight", mask=modules[name].weight != 0)'
MASK_AS_FILE = 'prune.custom_from_mask(modules[name], "weight", mask=found[name])'
FINISH = "finish(name)"


class NameLists:
    """Assigns variables to long lists of names."""

    def __init__(self, all_names: Sequence[str]) -> None:
        self._known: dict[tuple[str, ...], str] = {tuple(all_names): "PRUNED"}

    def expression(self, names: tuple[str, ...]) -> str:
        """Return the expression for a list of names: a tuple, or a variable.

        More than two names, and all pruned names, become a variable, the same for equal lists.
        """
        if names not in self._known:
            if len(names) <= _FEW:
                return f"({', '.join(map(quote, names))}{',' if len(names) == 1 else ''})"
            self._known[names] = f"SOME_{len(self._known)}"
        return self._known[names]

    def lines(self) -> list[str]:
        """Return the definitions of the variables, one name per line."""
        result = []
        for names, word in self._known.items():
            result += [f"{word} = (", *(f"    {quote(name)}," for name in names), ")"]
        return result


def lines_of(call: Call, names: NameLists) -> list[str]:
    """Return the lines of a call: a loop over `name`, or one statement for a single tensor."""
    if call.together:
        named = "{names}" in call.text
        text = call.text.replace("{names}", names.expression(call.names)) if named else call.text
        return text.split("\n")
    if len(call.names) == 1:
        return (
            call.text.replace("(name)", f"({quote(call.names[0])})")
            .replace("[name]", f"[{quote(call.names[0])}]")
            .replace(", name)", f", {quote(call.names[0])})")
            .split("\n")
        )
    return [f"for name in {names.expression(call.names)}:", f"    {call.text}"]


def quote(text: str) -> str:
    """Return a Python string literal, in double quotes unless these need escapes."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


def _literal(value: Any) -> str:
    if isinstance(value, float) and value in {float("inf"), float("-inf")}:
        return f'float("{value}")'
    return repr(value)
