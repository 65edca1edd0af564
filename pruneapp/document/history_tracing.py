"""Which edit of a history pruned a weight."""

from __future__ import annotations

from collections.abc import Sequence

from pruneapp.document.edit import Record
from pruneapp.document.mask_store_aside import Layer
from pruneapp.document.mask_store_scratch import ScratchFile


def pruned_by(
    in_force: Sequence[Record], scratch: ScratchFile, name: str, index: int
) -> int | None:
    """Return the position after the edit that pruned an element; None if it is there.

    Of a weight that was restored and pruned again, the last; of one that was made final, the
    one that had pruned it. Of masks that were put aside, one byte each is read.

    Parameters
    ----------
    in_force
        The edits up to the state.
    scratch
        Where masks lie that were put aside.
    name
        First name of the tensor.
    index
        Flat index of the element.
    """
    key: tuple[Layer, str] = ("masks", name)
    restored = False
    for position in range(len(in_force), 0, -1):
        record = in_force[position - 1]
        if key not in record.after:
            continue
        before, after = (
            slot is None or slot.kept_at(scratch, index)
            for slot in (record.before[key], record.after[key])
        )
        if before and not after:
            if not restored:
                return position
            restored = False
        elif after and not before and ("final", name) not in record.after:
            restored = True  # what had pruned it, further back, does so no more
    return None
