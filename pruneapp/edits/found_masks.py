"""What a file brings: masks that torch's pruning left beside its tensors, and zeros."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pruneapp.analysis.zeros import zero_masks
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.edit import FILE_MASKS, Change, Edit, Proposal, listed
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

    What is pruned stays pruned, and what is protected stays kept. An export has the same values as
    before, so that it is not missed.

    Attributes
    ----------
    names
        Any names of the tensors; those without such a zero stay as they are.
    """

    NAME = "treat_zeros"

    def propose(self, snapshot: Snapshot, job: Job) -> Proposal:
        """Return what it does to a state, for `Document.put`. Reads the tensors once.

        Parameters
        ----------
        snapshot
            The state.
        job
            Started with the elements; may cancel.

        Raises
        ------
        UnknownTensorError
            If there is no tensor of a name.
        SelectionError
            If one cannot be pruned, or there is no zero that is not pruned already.
        CheckpointError
            If the file cannot be read.
        """
        found = zero_masks(snapshot, resolve(snapshot.checkpoint, self.names), job)
        masks: dict[str, BitMask] = {}
        zeros = 0
        for name, mask in found.items():
            job.step(0)
            protected = snapshot.protected.get(name)
            after = mask if protected is None else mask | protected
            fresh = after.pruned - snapshot.masks.pruned(name)
            if fresh:
                masks[name] = after
                zeros += fresh
        if not masks:
            raise SelectionError("These tensors have no zeros that are not pruned already.")
        place = counted(len(masks), "tensor")
        edit = Edit(
            "found",
            "Zeros of the file treated as pruned",
            listed(f"{counted(zeros, 'zero')} in {place}", masks),
            _change(snapshot, masks),
            entry=TreatZeros(tuple(masks)).to_dict(),
            writes_the_same=True,
        )
        return Proposal(snapshot.revision, edit.prepare())


@dataclass(frozen=True)
class FileMasks(OnTensors):
    """Masks that lie in the file beside their tensors (``NAME_mask``) are in force.

    A document begins with them, see `open_document`; to have them again changes nothing.

    Attributes
    ----------
    names
        Any names of the tensors.
    """

    NAME = FILE_MASKS

    def propose(self, snapshot: Snapshot, job: Job) -> Proposal:
        """Return what it does to a state, for `Document.put`. Reads the masks of the file.

        Parameters
        ----------
        snapshot
            The state.
        job
            Started with the elements of the masks; may cancel.

        Raises
        ------
        UnknownTensorError
            If there is no tensor of a name.
        SelectionError
            If one cannot be pruned, or has no mask of zeros and ones beside it.
        CheckpointError
            If the file cannot be read.
        """
        checkpoint = snapshot.checkpoint
        entries = [checkpoint.entry(name) for name in resolve(checkpoint, self.names)]
        masks, odd = read_file_masks(snapshot, entries, job)
        if odd:
            raise SelectionError(
                f"'{odd[0]}' has no mask of zeros and ones beside it in '{checkpoint.path.name}'.",
                remedy="Choose the file in which it was pruned.",
            )
        return propose_file_masks(snapshot, masks, job)


def read_file_masks(
    snapshot: Snapshot, entries: Iterable[TensorEntry], job: Job
) -> tuple[dict[str, BitMask], list[str]]:
    """Read the masks that lie beside some tensors.

    Parameters
    ----------
    snapshot
        A state of the file.
    entries
        The tensors.
    job
        Started with the elements of the masks; may cancel.

    Returns
    -------
    tuple of dict and list
        The masks by first names, and the names of those that have none, or one with other values
        than 0 and 1.
    """
    masks: dict[str, BitMask] = {}
    odd: list[str] = []
    wanted = tuple(entries)
    job.start(sum([e.numel for e in wanted]))
    for entry in wanted:
        job.label(entry.name)
        mask = read_mask(snapshot.checkpoint, entry.mask_of, job) if entry.mask_of else None
        if mask is None or mask.size != entry.numel:
            odd.append(entry.name)
        else:
            masks[entry.name] = mask
    return masks, odd


def propose_file_masks(snapshot: Snapshot, masks: Mapping[str, BitMask], job: Job) -> Proposal:
    """Return what masks of the file do to a state, for `Document.put` or `Document.adopt`."""
    pruned = 0
    for batch in job.cancel.batches(masks.values()):
        pruned += sum([mask.pruned for mask in batch])
    edit = Edit(
        "found",
        "Mask found in the file",
        listed(f"{counted(pruned, 'weight')} pruned in {counted(len(masks), 'tensor')}", masks),
        _change(snapshot, masks),
        entry=FileMasks(tuple(masks)).to_dict(),
    )
    return Proposal(snapshot.revision, edit.prepare())


def _change(snapshot: Snapshot, masks: Mapping[str, BitMask]) -> Change:
    return Change({name: snapshot.masks.get(name) for name in masks}, dict(masks))
