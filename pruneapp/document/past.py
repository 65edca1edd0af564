"""A state of the history to look at, without going there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pruneapp.document.aside import MaskSlot
from pruneapp.document.edit import Layer
from pruneapp.document.scratch import ScratchFile
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import HistoryError, StaleError, words_of
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

# Where the mask lies, and the mask itself if it was in memory; None for no mask.
Held = tuple[MaskSlot, BitMask | None] | None


@dataclass(frozen=True, eq=False)
class PastState:
    """A state of the history: what it differs in from the state in force when it was asked for.

    Made in no time by the thread that has the document; `load` may be called in a worker.

    Attributes
    ----------
    revision
        The number that its snapshot has: below 0, and of no other state.
    """

    revision: int
    in_force: Snapshot
    changes: Mapping[tuple[Layer, str], Held]
    scratch: ScratchFile

    def load(self, job: Job) -> Snapshot:
        """Return the state; reads the masks that were put aside.

        Parameters
        ----------
        job
            Started with the bytes to be read; may cancel.

        Raises
        ------
        HistoryError
            If the scratch file cannot be read.
        StaleError
            If the state was cut off from the history before its masks were read.
        """
        aside = [h[0] for h in self.changes.values() if h is not None and h[1] is None]
        job.start(sum(slot.nbytes for slot in aside))
        found: dict[Layer, dict[str, BitMask | None]] = {"masks": {}, "final": {}, "protected": {}}
        for (layer, name), held in self.changes.items():
            found[layer][name] = None if held is None else self._mask(*held, job)
        now = self.in_force
        return replace(
            now,
            masks=now.masks.with_masks(found["masks"]),
            final=now.final.with_masks(found["final"]),
            protected=now.protected.with_masks(found["protected"]),
            revision=self.revision,
        )

    def _mask(self, slot: MaskSlot, mask: BitMask | None, job: Job) -> BitMask:
        if mask is not None:
            return mask
        try:
            read = self.scratch.read(slot.offset, slot.size, job)
        except OSError as error:
            if not slot.uses:
                raise _cut_off() from error
            raise HistoryError(
                f"The masks of this state cannot be read again: {words_of(error)}.",
                remedy="The state that is shown stays as it is.",
            ) from error
        if not slot.uses:  # its room may have held another mask by then
            raise _cut_off()
        job.step(slot.nbytes)
        return read


def _cut_off() -> StaleError:
    return StaleError("This state is not in the history any more.", remedy="Choose another one.")
