"""Whether stock torch takes the very same weights as a step here.

torch leaves undefined which of equal scores goes, computes norms in the type of the weights, and
draws from a generator of its own. So its call stands in for a step only where nothing of that can
matter, which is looked for in the weights themselves; otherwise the mask is written down.

- ``l1_unstructured``, ``global_unstructured``: every weight that went is strictly smaller than
  every one that stayed. `topk` then has no choice.
- ``ln_structured``: norms of what went and of what stayed lie further apart than the rounding of
  float32 or float64 sums may come to, for the orders that torch computes by sums or comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.kernels.contract import Kernel, Slices
from pruneapp.kernels.values import decode
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import channels_left
from pruneapp.methods.limits import Limits
from pruneapp.progress import Job

# The types that torch's pruning can multiply by a mask, and that its `topk` ranks everywhere.
MULTIPLIED = {"F64", "F32", "F16", "BF16"}
# Relative rounding of one operation in the types in which torch adds the norms of channels up.
_EPSILON = {"F64": 2.0**-53, "F32": 2.0**-24}
# Squares between these neither overflow nor lose bits in float32.
_SMALLEST, _LARGEST = 1e-15, 1e15


def torch_takes_the_same(  # noqa: PLR0917 - each its own type
    before: Snapshot,
    after: Mapping[str, BitMask],
    step: Step,
    names: Sequence[str],
    kernel: Kernel,
    job: Job,
) -> frozenset[str]:
    """Return the tensors for which stock torch's own call provably makes the same mask.

    Parameters
    ----------
    before
        The state before the step.
    after
        Masks after it, by first names.
    step
        One row; of which nothing is spared any more.
    names
        First names of the tensors that it touches; of a global step all of them, or none.
    kernel
        Counts norms.
    job
        Stepped by the elements that are read; may cancel.
    """
    (row,) = step.rows
    if step.limits != Limits() or step.companions:
        return frozenset()
    entries = [e for e in map(before.entry, names) if _is_plain(before, e)]
    if step.scope == "global" and len(entries) < len(names):
        return frozenset()
    if row.method == "identity":
        return frozenset(entry.name for entry in entries)
    if row.method == "l1_unstructured":
        return _by_magnitude(before, after, entries, step, job)
    if row.method == "ln_structured" and step.scope == "local":
        return frozenset(e.name for e in entries if _by_norm(before, after, e, row, kernel, job))
    return frozenset()


def _by_magnitude(
    before: Snapshot,
    after: Mapping[str, BitMask],
    entries: Sequence[TensorEntry],
    step: Step,
    job: Job,
) -> frozenset[str]:
    if step.scope == "local":
        able = [e for e in entries if e.dtype.name in MULTIPLIED]
        sides = [(e.name, *_sides(before, after[e.name], e, job)) for e in able]
        return frozenset(name for name, went, stayed in sides if went < stayed)
    if any(e.dtype.name not in MULTIPLIED for e in entries):
        return frozenset()
    found = [_sides(before, after[e.name], e, job) for e in entries]
    apart = max(went for went, _ in found) < min(stayed for _, stayed in found)
    return frozenset(e.name for e in entries) if apart else frozenset()


def _sides(before: Snapshot, after: BitMask, entry: TensorEntry, job: Job) -> tuple[float, float]:
    """Return the largest magnitude that went, and the smallest that stayed; NaN always stays."""
    went, stayed = -math.inf, math.inf
    kept = before.mask(entry.name)
    for chunk in before.chunks(entry.name):
        stop = chunk.start + chunk.bits.size
        sizes = np.abs(decode(chunk.bits, entry.dtype))
        there = after.bools(chunk.start, stop)
        gone = ~there if kept is None else kept.bools(chunk.start, stop) & ~there
        went = max(went, float(np.max(sizes, where=gone, initial=-math.inf)))
        numbers = there & ~np.isnan(sizes)
        stayed = min(stayed, float(np.min(sizes, where=numbers, initial=math.inf)))
        job.step(chunk.bits.size)
    return went, stayed


def _by_norm(  # noqa: PLR0917 - each its own type
    before: Snapshot,
    after: Mapping[str, BitMask],
    entry: TensorEntry,
    row: Row,
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
    left = channels_left(kept, entry.shape, dim)
    stays = channels_left(after[entry.name], entry.shape, dim)
    gone = norms[left & ~stays]
    rest = norms[left & stays]
    if not np.all(np.isfinite(norms[left])):
        return False
    if not gone.size or not rest.size:
        return True
    low, high = float(gone.max()), float(rest.min())
    if n in {math.inf, -math.inf}:
        return low < high
    if not _SMALLEST < high < _LARGEST:
        return False
    # The bound of any order of adding up, on both sides, and as much again to be sure.
    elements = entry.numel // entry.shape[dim]
    return bool(low < high * (1 - 4 * (elements + 4) * _EPSILON[entry.dtype.name]))


def _is_plain(state: Snapshot, entry: TensorEntry) -> bool:
    """Whether torch has to do with nothing but weights and what is pruned of them."""
    mask = state.mask(entry.name)
    left = entry.numel if mask is None else mask.kept
    return left > 0 and entry.name not in state.protected
