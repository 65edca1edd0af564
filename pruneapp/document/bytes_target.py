"""How much must go so that a compact file of the model has at most so many bytes."""

from __future__ import annotations

from collections.abc import Iterable

from pruneapp.answers import TensorSparsity
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


class CompactSize:
    """How large a compact file of a state would be, and of the state after a step.

    Counted as `total_for` counts: before it is compressed, and without its header.

    Parameters
    ----------
    snapshot
        The state. Looked at once, in time linear in its tensors.

    Attributes
    ----------
    snapshot
        As given.
    nbytes
        That of the state.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._held = {e.name: _held(snapshot, e) for e in snapshot.checkpoint.entries.values()}
        self.nbytes = sum(self._held.values())

    def after(self, tensors: Iterable[TensorSparsity]) -> int:
        """Return how many bytes it would be after a step that touches some tensors.

        Linear in them. A tensor with weights that were made final, which a method may take again,
        is counted with the larger number of zeros of the two.
        """
        entries, final = self.snapshot.checkpoint.entries, self.snapshot.final
        nbytes = self.nbytes
        for t in tensors:
            entry, gone = entries[t.name], t.after
            if final and (zeroed := self.snapshot.zeroed(t.name)) is not None:
                gone = max(gone, zeroed.pruned)
            nbytes += _packed(entry, gone) - self._held[t.name]
        return nbytes


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
