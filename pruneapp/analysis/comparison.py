"""How two states of a document, or two checkpoints, differ: tensor by tensor, in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from pruneapp.analysis.comparison_compared import Compared, Pair
from pruneapp.analysis.comparison_difference_sums import STRETCH, DifferenceSums, Side, Stretches
from pruneapp.analysis.pooling_layers import effective
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.threads import WORTH_THREADS, default_threads, in_order
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.results.state_comparison import Comparison, TensorDifference

__all__ = ["compare", "difference", "is_original", "pairs", "untouched"]

# What tells a pruned file from its original: this key of the metadata, else zeros, looked for in so
# many weights of so many tensors, if they are more by this share of all.
_MADE_OF = "pruneapp.inputs"
_LOOKED_AT = 1 << 12
_TENSORS = 256
_MORE = 0.005


def is_original(here: Snapshot, there: Snapshot, job: Job) -> bool:
    """Guess whether `here` was pruned and `there` is what it was made of.

    The file that says of which files it was made is the pruned one; else the one with clearly more
    zeros among the first weights of the tensors that both have.

    Parameters
    ----------
    here, there
        Two states, of two checkpoints.
    job
        Asked whether to go on.

    Raises
    ------
    CheckpointError
        If a file cannot be read.
    """
    made = [_MADE_OF in state.checkpoint.metadata for state in (here, there)]
    if made[0] != made[1]:
        return made[0]
    shared = [
        (x, y)
        for _, x, y in pairs(here, there, None)
        if x and y and x.prunable and y.prunable and x.shape == y.shape and x.numel
    ]
    step = max(1, len(shared) // _TENSORS)
    zeros, weights = [0, 0], 0
    for both in shared[::step]:
        job.step(0)
        size = min(_LOOKED_AT, both[0].numel)
        weights += size
        for side, (state, entry) in enumerate(zip((here, there), both, strict=True)):
            values = effective(state, entry.name)(0, size)
            zeros[side] += int(np.count_nonzero(values == 0))
    return zeros[0] - zeros[1] > _MORE * weights


def compare(
    a: Snapshot,
    b: Snapshot,
    job: Job,
    *,
    called: tuple[str, str] = ("A", "B"),
    names: Iterable[str] | None = None,
    known: Compared | None = None,
) -> Comparison:
    """Compare every tensor of two states, by the values that an export of each would write.

    Reads each pair once, in bounded memory. Sums are float64, added as
    `pruneapp.analysis.retained_norm_blocks` says, so that they are the same whatever the chunks and
    threads.

    Parameters
    ----------
    a, b
        The states, of one document or of two checkpoints; types may differ.
    job
        Started with the elements of all pairs; may cancel.
    called
        What the sides are called.
    names
        The tensors, by any names of either side; all of them by default.
    known
        What was compared before; what is found is added. What is in it is not read again.

    Raises
    ------
    CheckpointError
        If a file cannot be read.
    """
    found = pairs(a, b, names)
    read = (x.numel for _, x, y in found if x and y and _comparable(x, y))
    job.start(sum(read))
    tensors = []
    for pair in found:
        job.label(pair[0])
        before = None if known is None else known.get(a, b, pair)
        tensors.append(_again(pair, before, job) if before else difference(a, b, pair, job))
        if known is not None and before is None:
            known.put(a, b, pair, tensors[-1])
    return Comparison(*called, (*tensors, *_unread(a, b, names)))


def _unread(a: Snapshot, b: Snapshot, names: Iterable[str] | None) -> Iterator[TensorDifference]:
    """Yield the tensors whose numbers cannot be read on one side, unless it is the same file."""
    if a.checkpoint is b.checkpoint:
        return
    here, there = a.checkpoint, b.checkpoint
    of_a, of_b = here.contents.unreadable, there.contents.unreadable
    wanted = None if names is None else frozenset(names)
    for name in dict.fromkeys((*of_a, *of_b)):
        if wanted is not None and name not in wanted:
            continue
        if (name in of_a or here.holds(name)) and (name in of_b or there.holds(name)):
            yield TensorDifference(name, "unread")
        else:
            yield TensorDifference(name, "only a" if name in of_a else "only b")


def pairs(a: Snapshot, b: Snapshot, names: Iterable[str] | None = None) -> tuple[Pair, ...]:
    """Return which tensors stand against each other: those that have a name in common.

    Parameters
    ----------
    a, b
        The states.
    names
        The tensors, by any names of either side; all of them by default.

    Returns
    -------
    tuple of (name, entry of a, entry of b)
        In the order of the first file, then what only the second has. A tensor with several names
        stands in one row, unless the other side has several tensors of these names: then in a row
        for each of them.
    """
    wanted = None if names is None else frozenset(names)
    theirs = {name: e for e in b.checkpoint.entries.values() for name in e.names}
    met: set[str] = set()
    found: list[Pair] = []
    for entry in a.checkpoint.entries.values():
        others: dict[str, Pair] = {}
        for name in entry.names:
            if name in theirs:
                others.setdefault(theirs[name].name, (name, entry, theirs[name]))
        met.update(others)
        found += others.values() if others else [(entry.name, entry, None)]
    found += [(e.name, None, e) for e in b.checkpoint.entries.values() if e.name not in met]
    # What one side has and cannot read is no tensor that only the other has.
    unread = a.checkpoint.contents.unreadable, b.checkpoint.contents.unreadable
    found = [
        (name, x, y)
        for name, x, y in found
        if not (x is None and name in unread[0]) and not (y is None and name in unread[1])
    ]
    if wanted is None:
        return tuple(found)
    return tuple(
        pair for pair in found if any(e is not None and wanted & set(e.names) for e in pair[1:])
    )


def difference(
    a: Snapshot, b: Snapshot, pair: Pair, job: Job, threads: int | None = None
) -> TensorDifference:
    """Compare a tensor of one side with one of the other.

    Parameters
    ----------
    a, b
        The states.
    pair
        See `pairs`.
    job
        Stepped by the elements, if they are read; may cancel.
    threads
        How many work at once; one for a small tensor, else as many as there are cores by default.
    """
    name, x, y = pair
    if x is None or y is None:
        only = x or y
        assert only is not None
        if x is not None:
            return TensorDifference(name, "only a", x.shape, numel=x.numel, dtype_a=x.dtype.label)
        return TensorDifference(
            name, "only b", (), only.shape, numel=only.numel, dtype_b=only.dtype.label
        )
    if untouched(a, b, x, y):
        job.step(x.numel if _comparable(x, y) else 0)
        return _same_unread(a, name, x)
    if not _comparable(x, y):
        return _by_bits(a, b, pair, job)
    sums = DifferenceSums()
    work = Stretches(Side(a, x), Side(b, y), job)
    tasks = ((at, min(at + STRETCH, x.numel)) for at in range(0, x.numel, STRETCH))
    if x.numel < WORTH_THREADS:
        threads = 1
    for found in in_order(tasks, work, job, threads or default_threads()):
        sums.add(found)
        job.step(found.size)
    return sums.difference(name, x, y)


def _again(pair: Pair, found: TensorDifference, job: Job) -> TensorDifference:
    _, x, y = pair
    job.step(x.numel if x and y and _comparable(x, y) else 0)
    return found


def _comparable(x: TensorEntry, y: TensorEntry) -> bool:
    return x.shape == y.shape and _has_values(x) and _has_values(y)


def _has_values(entry: TensorEntry) -> bool:
    return not entry.dtype.packed and entry.dtype.name not in {"C64", "C128"}


def _by_bits(a: Snapshot, b: Snapshot, pair: Pair, job: Job) -> TensorDifference:
    """Say of tensors whose values cannot be compared whether they are the same at least."""
    name, x, y = pair
    assert x is not None
    assert y is not None
    equal = x.shape == y.shape and x.dtype == y.dtype
    if equal:
        for mine, other in zip(Side(a, x).pieces(), Side(b, y).pieces(), strict=True):
            job.cancel.check()
            if not np.array_equal(mine, other):
                equal = False
                break
    return TensorDifference(
        name,
        "same" if equal else "shape",
        x.shape,
        y.shape,
        x.numel,
        dtype_a=x.dtype.label,
        dtype_b=y.dtype.label,
    )


def untouched(a: Snapshot, b: Snapshot, x: TensorEntry, y: TensorEntry) -> bool:
    """Say, unread, whether both are one tensor of one open file, with the same zeros over it."""
    if a.checkpoint is not b.checkpoint or x.name != y.name:
        return False
    if all(s.get(x.name) is t.get(x.name) for s, t in ((a.masks, b.masks), (a.final, b.final))):
        return True
    return _gone(a, x.name) == _gone(b, x.name)


def _gone(snapshot: Snapshot, name: str) -> BitMask | None:
    """Return what is written as +0.0; None, too, for a mask that takes nothing."""
    mask = snapshot.zeroed(name)
    return mask if mask is not None and mask.pruned else None


def _same_unread(a: Snapshot, name: str, entry: TensorEntry) -> TensorDifference:
    mask = a.zeroed(entry.name)
    pruned = 0 if mask is None else mask.pruned
    label = entry.dtype.label
    return TensorDifference(
        name,
        "same",
        entry.shape,
        entry.shape,
        entry.numel,
        relative=0.0,
        cosine=1.0,
        same_sign=1.0 if entry.numel else None,
        pruned_a=pruned,
        pruned_b=pruned,
        pruned_both=pruned,
        dtype_a=label,
        dtype_b=label,
    )
