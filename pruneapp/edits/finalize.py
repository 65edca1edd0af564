"""Pruned weights that become ordinary zeros, as torch's ``remove`` makes them."""

from __future__ import annotations

from dataclasses import dataclass

from pruneapp.document.edit import Edit, EditKind, Proposal, listed
from pruneapp.document.entries import FinalizeEntry
from pruneapp.document.selection import resolve
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import OnTensors
from pruneapp.errors import SelectionError, counted
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


@dataclass(frozen=True)
class Finalize(OnTensors):
    """The pruned weights of some tensors read as +0.0, and are not counted as pruned any more.

    Tensors of which nothing is pruned stay as they are.
    """

    ENTRY = FinalizeEntry

    def propose(self, snapshot: Snapshot, job: Job) -> Proposal:
        """Return what it does to a state. No weight is read.

        Costs a mask for each tensor in which weights were made permanent before, else nothing.
        `job` is started with the bytes of the masks; may cancel.

        Raises as `resolve`, and `SelectionError` if nothing is pruned in any of them.
        """
        masks = {
            name: snapshot.masks[name]
            for name in resolve(snapshot.checkpoint, self.names)
            if name in snapshot.masks
        }
        if not masks:
            raise SelectionError(
                "Nothing is pruned in these tensors, so nothing can be made permanent.",
                remedy="Prune them first.",
            )
        permanent: dict[str, BitMask] = {}
        pruned = 0
        job.start(sum([mask.nbytes for mask in masks.values()]))
        for name, mask in masks.items():
            before = snapshot.permanent.get(name)
            permanent[name] = mask if before is None else mask & before
            pruned += mask.pruned
            job.step(mask.nbytes)
        names = tuple(masks)
        done = counted(
            pruned, "pruned weight is an ordinary zero now", "pruned weights are ordinary zeros now"
        )
        edit = Edit.of(
            snapshot,
            EditKind.PERMANENT,
            f"Made permanent: {names[0] if len(names) == 1 else f'{len(names):,} tensors'}",
            listed(done, names),
            {"masks": dict.fromkeys(names), "permanent": permanent},
            job,
            entry=Finalize(names).to_dict(),
        )
        return Proposal(snapshot.revision, edit)
