"""How much must go so that a compact file of the model has at most so many bytes."""

from __future__ import annotations

from collections.abc import Iterable

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError


def total_for(snapshot: Snapshot, names: Iterable[str], nbytes: int) -> int:
    """Return how many weights of some tensors must be pruned in all to fit into `nbytes`.

    Counted is what the compact format holds before it is compressed: of each of these tensors a
    bit for every weight and the bytes of those that are kept, of every other tensor what is not
    pruned of it already, in the same way, or all of its bytes. So the formula is exact,
    ``b(1 - s) + 1/8`` bytes a weight, and the file that is written is smaller: the target is an
    upper bound. Where types of several widths are touched, what is kept is taken for the widest.

    Parameters
    ----------
    snapshot
        The state before the step.
    names
        The tensors that the step touches, by first names.
    nbytes
        The target.

    Returns
    -------
    int
        For `Limits.total`: what is pruned already counts.

    Raises
    ------
    ParameterError
        If it cannot be reached, or is reached without pruning anything.
    """
    touched = [snapshot.entry(name) for name in names]
    known = {entry.name for entry in touched}
    others = sum(
        _held(snapshot, entry)
        for entry in snapshot.checkpoint.entries.values()
        if entry.name not in known
    )
    masks = sum((entry.numel + 7) // 8 for entry in touched)
    room = nbytes - others - masks
    if room < 0:
        raise ParameterError(
            f"{nbytes:,} bytes cannot be reached: {others:,} are needed for what the step does not "
            f"touch, and {masks:,} to say what is pruned of the rest.",
            remedy="Ask for more bytes, or select more tensors.",
        )
    now = sum(_held(snapshot, entry) for entry in touched)
    if others + now <= nbytes:
        raise ParameterError(
            f"Without pruning anything more, a compact file takes {others + now:,} bytes at most; "
            f"{nbytes:,} were asked for.",
            remedy="Ask for fewer bytes.",
        )
    kept = 0
    for entry in sorted(touched, key=lambda entry: -entry.dtype.bits):
        some = min(entry.numel, room // (entry.dtype.bits // 8))
        kept += some
        room -= some * (entry.dtype.bits // 8)
        if some < entry.numel:
            break
    return sum(entry.numel for entry in touched) - kept


def _held(snapshot: Snapshot, entry: TensorEntry) -> int:
    """Return the bytes that a tensor takes as it is."""
    gone = snapshot.zeroed(entry.name)
    return _packed(entry, 0 if gone is None else gone.pruned)


def _packed(entry: TensorEntry, gone: int) -> int:
    """Return the bytes of a tensor of which some is pruned, packed or not, whichever is less."""
    if not gone:
        return entry.nbytes
    kept = entry.numel - gone
    return min(entry.nbytes, kept * (entry.dtype.bits // 8) + (entry.numel + 7) // 8)
