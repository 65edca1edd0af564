"""From a checkpoint to a document: masks that torch's pruning left in the file are in force."""

from __future__ import annotations

from pathlib import Path

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.contents import Notice
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.document import Document
from pruneapp.document.history import BUDGET
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.found_masks import propose_file_masks, read_file_masks
from pruneapp.progress import Job


def open_document(
    checkpoint: Checkpoint,
    job: Job | None = None,
    *,
    budget: int = BUDGET,
    scratch: Path | None = None,
) -> Document:
    """Make a document of a checkpoint; masks that torch's pruning left in it are in force.

    The masks (``NAME_mask`` beside ``NAME_orig``) become the second entry of the history, "Mask
    found in the file", which can be taken back. A mask with other values than 0 and 1 is left
    alone: its tensor is opened as it is, with a notice.

    Parameters
    ----------
    checkpoint
        The file, opened.
    job
        Told the elements of the masks that were read; may cancel.
    budget, scratch
        See `Document`.
    """
    job = job or Job()
    pairs: list[TensorEntry] = []
    for batch in job.cancel.batches(checkpoint.entries.values()):
        pairs += [e for e in batch if e.mask_of and e.prunable]
    state = Snapshot(checkpoint)
    masks, odd = read_file_masks(state, pairs, job)
    notices = (_odd_masks(odd),) if odd else ()
    document = Document(checkpoint, notices=notices, budget=budget, scratch=scratch)
    if masks:
        document.adopt(propose_file_masks(state, masks, job))
    return document


def _odd_masks(names: list[str]) -> Notice:
    many = f"The masks of {len(names):,} tensors hold" if len(names) > 1 else "One mask holds"
    return Notice(
        f"{many} other values than 0 and 1: these tensors are opened as not pruned.",
        "\n".join(names),
    )
