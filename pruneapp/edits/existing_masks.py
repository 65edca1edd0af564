"""What a file brings: masks that torch's pruning left beside its tensors, and zeros."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from pruneapp.analysis.zeros import zero_masks
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.contents import Notice
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.document import Document
from pruneapp.document.edit import Edit, EditKind, Proposal, listed
from pruneapp.document.entries import FileMasksEntry, TreatZerosEntry
from pruneapp.document.history import BUDGET
from pruneapp.document.selection import resolve
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import OnTensors
from pruneapp.edits.mask_files import read_mask
from pruneapp.errors import SelectionError, counted
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


@dataclass(frozen=True)
class TreatZeros(OnTensors):
    """Zeros of the file count as pruned, so that amounts go on from there.

    What is pruned stays pruned, what is protected stays kept, and tensors without such a zero stay
    as they are. An export has the same values as before, so that it is not missed.
    """

    ENTRY = TreatZerosEntry

    def propose(self, snapshot: Snapshot, job: Job) -> Proposal:
        """Return what it does to a state. Reads the tensors once.

        Raises as `resolve`, `SelectionError` if there is no zero that is not pruned already, and
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
            listed(f"{counted(zeros, 'zero')} in {counted(len(masks), 'tensor')}", masks),
            {"masks": masks},
            job,
            entry=TreatZeros(tuple(masks)).to_dict(),
            writes_the_same=True,
        )
        return Proposal(snapshot.revision, edit)


@dataclass(frozen=True)
class FileMasks(OnTensors):
    """Masks that lie in the file beside their tensors (``NAME_mask``) are in force.

    A document begins with them, see `open_document`; to have them again changes nothing.
    """

    ENTRY = FileMasksEntry

    def propose(self, snapshot: Snapshot, job: Job) -> Proposal:
        """Return what it does to a state. Reads the masks of the file.

        Raises as `resolve`, `SelectionError` if one has no mask of zeros and ones beside it, and
        `CheckpointError` if the file cannot be read.
        """
        checkpoint = snapshot.checkpoint
        entries = [checkpoint.entry(name) for name in resolve(checkpoint, self.names)]
        masks, invalid = _read_masks(checkpoint, entries, job)
        if invalid:
            raise SelectionError(
                f"'{invalid[0]}' has no mask of zeros and ones beside it in "
                f"'{checkpoint.path.name}'.",
                remedy="Choose the file in which it was pruned.",
            )
        return _propose(snapshot, masks, job)


def open_document(
    checkpoint: Checkpoint,
    job: Job | None = None,
    *,
    budget: int = BUDGET,
    scratch: Path | None = None,
) -> Document:
    """Make a document of a checkpoint; masks that torch's pruning left in it are in force.

    The masks (``NAME_mask`` beside ``NAME_orig``) become the second entry of the history, "Mask
    found in the file", which can be undone; they count as exported. A mask with other values than
    0 and 1 is ignored: its tensor is opened as it is, with a notice. `job` may cancel; for the rest
    see `Document`.
    """
    job = job or Job()
    pairs: list[TensorEntry] = []
    for batch in job.cancel.batches(checkpoint.entries.values()):
        pairs += [e for e in batch if e.mask_of and e.prunable]
    masks, invalid = _read_masks(checkpoint, pairs, job)
    document = Document(checkpoint, budget=budget, scratch=scratch)
    if invalid:
        many = len(invalid)
        hold = f"The masks of {many:,} tensors hold" if many > 1 else "One mask holds"
        sentence = "other values than 0 and 1: these tensors are opened as not pruned."
        document.notify(Notice(f"{hold} {sentence}", "\n".join(invalid)))
    if masks:
        document.commit(_propose(document.snapshot(), masks, job))
        document.mark_exported(document.snapshot())
    return document


def _read_masks(
    checkpoint: Checkpoint, entries: Collection[TensorEntry], job: Job
) -> tuple[dict[str, BitMask], list[str]]:
    """Return the masks beside some tensors, and the names of those without a valid one."""
    masks: dict[str, BitMask] = {}
    invalid: list[str] = []
    job.start(sum([e.numel for e in entries]))
    for entry in entries:
        job.label(entry.name)
        mask = read_mask(checkpoint, entry.mask_of, job) if entry.mask_of else None
        if mask is None or mask.size != entry.numel:
            invalid.append(entry.name)
        else:
            masks[entry.name] = mask
    return masks, invalid


def _propose(snapshot: Snapshot, masks: Mapping[str, BitMask], job: Job) -> Proposal:
    pruned = 0
    for batch in job.cancel.batches(masks.values()):
        pruned += sum([mask.pruned for mask in batch])
    edit = Edit.of(
        snapshot,
        EditKind.EXISTING,
        "Mask found in the file",
        listed(f"{counted(pruned, 'weight')} pruned in {counted(len(masks), 'tensor')}", masks),
        {"masks": masks},
        job,
        entry=FileMasks(tuple(masks)).to_dict(),
    )
    return Proposal(snapshot.revision, edit)
