"""Edits that count zeros of the file as pruned, or turn pruned weights into ordinary zeros."""

from __future__ import annotations

from dataclasses import dataclass

from pruneapp.analysis.zeros import zero_masks
from pruneapp.document.edit import Edit, EditKind, Proposal, format_names
from pruneapp.document.entries import FinalizeEntry, TreatZerosEntry
from pruneapp.document.selection import resolve
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import TensorEdit
from pruneapp.errors import SelectionError, counted
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


@dataclass(frozen=True)
class TreatZeros(TensorEdit):
    """Edit that counts zeros of the file as pruned, so that later amounts include them.

    Pruned weights stay pruned, protected weights stay kept, and tensors without other zeros are
    unchanged. An export contains the same values as before, so none is due because of this edit.
    """

    ENTRY = TreatZerosEntry

    def propose(self, snapshot: Snapshot, job: Job) -> Proposal:
        """Compute the edit for a state. Reads the tensors once.

        Raises the errors of `resolve`; `SelectionError` if all zeros are pruned already; and
        `CheckpointError` if the file cannot be read.
        """
        zero_bits = zero_masks(snapshot, resolve(snapshot.checkpoint, self.names), job)
        masks: dict[str, BitMask] = {}
        zeros = 0
        for name, mask in zero_bits.items():
            job.step(0)
            protected = snapshot.protected.get(name)
            after = mask if protected is None else mask | protected
            fresh = after.pruned - snapshot.masks.pruned(name)
            if fresh:
                masks[name] = after
                zeros += fresh
        if not masks:
            raise SelectionError("These tensors have no zeros that are not pruned already.")
        edit = Edit.of(
            snapshot,
            EditKind.EXISTING,
            "Zeros of the file treated as pruned",
            format_names(f"{counted(zeros, 'zero')} in {counted(len(masks), 'tensor')}", masks),
            {"masks": masks},
            job,
            entry=TreatZeros(tuple(masks)).to_dict(),
            writes_the_same=True,
        )
        return Proposal(snapshot.revision, edit)


@dataclass(frozen=True)
class Finalize(TensorEdit):
    """Edit after which pruned weights read as +0.0 and no longer count as pruned.

    Corresponds to ``torch.nn.utils.prune.remove``. Tensors without pruned weights are unchanged.
    """

    ENTRY = FinalizeEntry

    def propose(self, snapshot: Snapshot, job: Job) -> Proposal:
        """Compute the edit for a state. Reads no weights.

        Creates a new mask only for tensors in which weights were made permanent before. `job`
        reports the bytes of the masks and can cancel.

        Raises the errors of `resolve`, and `SelectionError` if nothing is pruned in the tensors.
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
            format_names(done, names),
            {"masks": dict.fromkeys(names), "permanent": permanent},
            job,
            entry=Finalize(names).to_dict(),
        )
        return Proposal(snapshot.revision, edit)
