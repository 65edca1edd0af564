"""The torch calls of a script, and whether stock torch prunes the very same weights as a step.

torch leaves undefined which of equal scores goes, computes norms in the type of the weights, and
draws from a generator of its own. So its call stands in for a step only where nothing of that can
matter, which is looked for in the weights themselves; otherwise the mask is written down.

- ``l1_unstructured``, ``global_unstructured``: every weight that went is strictly smaller than
  every one that stayed. `topk` then has no choice. Whichever method chose them, and within whatever
  limits: where that holds in a tensor, ``l1_unstructured`` with their number takes the same.
- ``ln_structured``: norms of what went and of what stayed lie further apart than the rounding of
  float32 or float64 sums may come to, for the orders that torch computes by sums or comparisons.
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

# The types that torch's pruning can multiply by a mask, and that its `topk` ranks everywhere.
MULTIPLIED = {"F64", "F32", "F16", "BF16"}
# Relative rounding of one operation in the types in which torch adds the norms of channels up.
_EPSILON = {"F64": 2.0**-53, "F32": 2.0**-24}
# Squares between these neither overflow nor lose bits in float32.
_SMALLEST, _LARGEST = 1e-15, 1e15


@dataclass(frozen=True)
class Proved:
    """What stock torch does just so."""

    # Tensors for which the step's own call, with its own values, makes the same mask.
    own: frozenset[str] = frozenset()
    # How many weights of all its tensors ``global_unstructured`` has to take; None if that does not
    # make the same masks.
    together: int | None = None
    # How many weights of a tensor ``l1_unstructured`` has to take.
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """The tensors that need no mask written down, as long as `together` is None."""
        return self.own | frozenset(self.counts)


def prove(
    before: Snapshot,
    after: Mapping[str, BitMask],
    step: Step,
    names: Sequence[str],
    *,
    kernel: Kernel,
    job: Job,
) -> Proved:
    """Return for which tensors stock torch's calls provably make the same masks.

    The step has one row and excludes nothing any more; `names` are the first names of the tensors
    that it touches, `after` has their masks. `job` is stepped by the elements that are read.
    """
    (row,) = step.rows
    entries = [before.entry(name) for name in names]
    plain = [e for e in entries if _is_plain(before, e)]
    as_requested = step.limits == Limits()
    if row.method == "identity":
        return Proved(frozenset(e.name for e in plain))
    if registry.get(row.method).granularity == "weights":
        ranked = [e for e in entries if e.dtype.name in MULTIPLIED and e.numel]
        sides = {e.name: _sides(before, after[e.name], e, job) for e in ranked}
        counts = {e.name: after[e.name].pruned - before.masks.pruned(e.name) for e in entries}
        usual = as_requested and row.method == "l1_unstructured"
        if step.scope == "global" and len(sides) == len(entries):
            threshold = max(went for went, _ in sides.values())
            if threshold < min(stayed for _, stayed in sides.values()):
                if usual and len(plain) == len(entries):
                    return Proved(frozenset(names))
                return Proved(together=sum(counts.values()))
        apart = [name for name, (went, stayed) in sides.items() if went < stayed]
        own: frozenset[str] = frozenset()
        if step.scope == "local" and usual:
            own = frozenset(apart) & {e.name for e in plain}
        return Proved(own, counts={name: counts[name] for name in apart if name not in own})
    if row.method == "ln_structured" and as_requested and step.scope == "local":
        able = (e for e in plain if _by_norm(before, after, e, row, kernel=kernel, job=job))
        return Proved(frozenset(e.name for e in able))
    return Proved()


def _sides(before: Snapshot, after: BitMask, entry: TensorEntry, job: Job) -> tuple[float, float]:
    """Return the largest magnitude that went, and the smallest that stayed; NaN always stays."""
    went, stayed = -math.inf, math.inf
    kept = before.mask(entry.name)
    for chunk in before.chunks(entry.name):
        stop = chunk.start + chunk.bits.size
        sizes = np.abs(decode(chunk.bits, entry.dtype))
        kept_after = after.bools(chunk.start, stop)
        pruned = ~kept_after if kept is None else kept.bools(chunk.start, stop) & ~kept_after
        none = np.isnan(sizes)
        if np.any(pruned & none):  # which torch ranks above all others
            return math.inf, -math.inf
        went = max(went, float(np.max(sizes, where=pruned, initial=-math.inf)))
        stayed = min(stayed, float(np.min(sizes, where=kept_after & ~none, initial=math.inf)))
        job.step(chunk.bits.size)
    return went, stayed


def _by_norm(
    before: Snapshot,
    after: Mapping[str, BitMask],
    entry: TensorEntry,
    row: Row,
    *,
    kernel: Kernel,
    job: Job,
) -> bool:
    n = row.values["n"]
    if entry.dtype.name not in _EPSILON or n not in {1, 2, math.inf, -math.inf}:
        return False
    dim = row.values["dim"] % len(entry.shape)
    view = replace(before.view(entry.name), protected=None)
    kept = before.mask(entry.name)
    norms = kernel.channel_norms(Slices(entry.shape, entry.dtype, dim, kept, view.read), n, job)
    left = channels_left(kept, entry.shape, dim, job)
    stays = channels_left(after[entry.name], entry.shape, dim, job)
    pruned = norms[left & ~stays]
    rest = norms[left & stays]
    if not np.all(np.isfinite(norms[left])):
        return False
    if not pruned.size or not rest.size:
        return True
    low, high = float(pruned.max()), float(rest.min())
    if n in {math.inf, -math.inf}:
        return low < high
    if not _SMALLEST < high < _LARGEST:
        return False
    # Any order of adding N numbers up is wrong by (N - 1) epsilon at most, relative to a sum of
    # magnitudes; a square by one more, and a root halves it. On both sides, and some to spare.
    elements = entry.numel // entry.shape[dim]
    margin = 2 * (elements + 4) if n == 1 else elements + 8
    return bool(low < high * (1 - margin * _EPSILON[entry.dtype.name]))


def _is_plain(state: Snapshot, entry: TensorEntry) -> bool:
    """Whether torch has to do with nothing but weights and what is pruned of them."""
    mask = state.mask(entry.name)
    left = entry.numel if mask is None else mask.kept
    return left > 0 and entry.name not in state.protected


# So many names stand where they are used; more get a line of their own.
_FEW = 2


@dataclass(frozen=True)
class Call:
    """Some lines for each of some tensors."""

    names: tuple[str, ...]  # the tensors
    text: str  # the call, ``name`` being the tensor
    together: bool = False  # whether it is one call for all, with ``{names}`` in their place


@dataclass(frozen=True)
class ScriptPart:
    """A step of the script: what it is called, and what it does."""

    label: str
    calls: tuple[Call, ...]


def by_torch(row: Row, scope: Scope, names: Sequence[str]) -> tuple[Call, ...]:
    """Return torch's own call for a row; none where there are no names."""
    if not names:
        return ()
    values = {name: _literal(value) for name, value in row.values.items()}
    if scope == "global" and "amount" in row.values:
        return together(names, row.values["amount"])
    given = "".join(f", {name}={value}" for name, value in values.items())
    return (Call(tuple(names), f'prune.{row.method}(modules[name], "weight"{given})'),)


def together(names: Sequence[str], amount: Amount) -> tuple[Call, ...]:
    """Return what takes so much of several tensors by one threshold."""
    pairs = '[(modules[name], "weight") for name in {names}]'
    text = (
        f"prune.global_unstructured(\n    {pairs},\n"
        f"    pruning_method=prune.L1Unstructured,\n    amount={amount!r},\n)"
    )
    return (Call(tuple(names), text, together=True),)


def by_count(counts: Mapping[str, int]) -> tuple[Call, ...]:
    """Return what takes so many of the smallest weights of each of some tensors."""
    nonzero = {name: count for name, count in counts.items() if count}
    if not nonzero:
        return ()
    pairs = "".join(f"    {quoted(name)}: {count},\n" for name, count in nonzero.items())
    text = (
        f"for name, amount in {{\n{pairs}}}.items():\n"
        '    prune.l1_unstructured(modules[name], "weight", amount=amount)'
    )
    return (Call(tuple(nonzero), text, together=True),)


def from_masks(number: int, names: Sequence[str]) -> tuple[Call, ...]:
    """Return what lays masks of the file of masks over tensors."""
    if not names:
        return ()
    text = f'prune.custom_from_mask(modules[name], "weight", mask=mask({number}, name))'
    return (Call(tuple(names), text),)


# Calls that take pruning back, which torch itself cannot; count zeros as pruned; apply masks that
# lie in the file; and make zeros of pruned weights.
RESTORE = "modules[name] = module(weights[name])  # all of it is back"
MASK_ZEROS = 'prune.custom_from_mask(modules[name], "weight", mask=modules[name].weight != 0)'
MASK_AS_FILE = 'prune.custom_from_mask(modules[name], "weight", mask=found[name])'
FINISH = "finish(name)"


class NameLists:
    """Gives long lists of names a name of their own."""

    def __init__(self, all_names: Sequence[str]) -> None:
        self._known: dict[tuple[str, ...], str] = {tuple(all_names): "PRUNED"}

    def word(self, names: tuple[str, ...]) -> str:
        """Return what stands for some names."""
        if names not in self._known:
            if len(names) <= _FEW:
                return f"({', '.join(map(quoted, names))}{',' if len(names) == 1 else ''})"
            self._known[names] = f"SOME_{len(self._known)}"
        return self._known[names]

    def lines(self) -> list[str]:
        """Return the lists, one name a line."""
        result = []
        for names, word in self._known.items():
            result += [f"{word} = (", *(f"    {quoted(name)}," for name in names), ")"]
        return result


def lines_of(call: Call, names: NameLists) -> list[str]:
    """Return the lines of a call."""
    if call.together:
        named = "{names}" in call.text
        text = call.text.replace("{names}", names.word(call.names)) if named else call.text
        return text.split("\n")
    if len(call.names) == 1:
        return (
            call.text.replace("(name)", f"({quoted(call.names[0])})")
            .replace("[name]", f"[{quoted(call.names[0])}]")
            .replace(", name)", f", {quoted(call.names[0])})")
            .split("\n")
        )
    return [f"for name in {names.word(call.names)}:", f"    {call.text}"]


def quoted(text: str) -> str:
    """Return a string as Python writes it, in double quotes where that needs no more escapes."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


def _literal(value: Any) -> str:
    if isinstance(value, float) and value in {float("inf"), float("-inf")}:
        return f'float("{value}")'
    return repr(value)
