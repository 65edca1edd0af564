"""Pruned weights that become ordinary zeros, as torch's ``remove`` makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pruneapp.document.edit import Change, Edit, Proposal, listed
from pruneapp.document.selection import resolve
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import OnTensors
from pruneapp.errors import SelectionError, counted
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


@dataclass(frozen=True)
class Finalize(OnTensors):
    """The pruned weights of some tensors read as +0.0, and are not counted as pruned any more.

    Attributes
    ----------
    names
        Any names of the tensors; those of which nothing is pruned stay as they are.
    """

    NAME = "finalize"

    def propose(self, snapshot: Snapshot, job: Job) -> Proposal:
        """Return what it does to a state, for `Document.put`. No weight is read.

        Parameters
        ----------
        snapshot
            The state.
        job
            Started with the bytes of the masks; may cancel.

        Raises
        ------
        UnknownTensorError
            If there is no tensor of a name.
        SelectionError
            If one cannot be pruned, or nothing is pruned in any of them.

        Notes
        -----
        Costs a mask for each tensor in which weights were made permanent before, else nothing.
        """
        checkpoint = snapshot.checkpoint
        found = [n for n in resolve(checkpoint, self.names) if n in snapshot.masks]
        if not found:
            raise SelectionError(
                "Nothing is pruned in these tensors, so nothing can be made permanent.",
                remedy="Prune them first.",
            )
        masks = {name: snapshot.masks[name] for name in found}
        final: dict[str, BitMask] = {}
        before = {name: snapshot.final.get(name) for name in found}
        pruned = 0
        job.start(sum([mask.nbytes for mask in masks.values()]))
        for name, mask in masks.items():
            old = before[name]
            final[name] = mask if old is None else mask & old
            pruned += mask.pruned
            job.step(mask.nbytes)
        place = found[0] if len(found) == 1 else f"{len(found):,} tensors"
        done = counted(
            pruned, "pruned weight is an ordinary zero now", "pruned weights are ordinary zeros now"
        )
        none: Mapping[str, None] = dict.fromkeys(found)
        edit = Edit(
            "final",
            f"Made permanent: {place}",
            listed(done, found),
            Change(masks, none),
            Change(before, final),
            entry=Finalize(tuple(found)).to_dict(),
        )
        return Proposal(snapshot.revision, edit.prepare())
