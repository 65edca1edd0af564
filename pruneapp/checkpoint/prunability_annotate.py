"""What names, shapes and neighbours tell about the tensors of a file, for all formats alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pruneapp.checkpoint.contents import Contents
from pruneapp.checkpoint.entry import TensorEntry, make_entries
from pruneapp.checkpoint.io.source import ByteSource
from pruneapp.checkpoint.layer_kinds import pruned_by_version_1, role
from pruneapp.checkpoint.layer_kinds_modules import find_modules
from pruneapp.checkpoint.mask_pairs import fold_pairs
from pruneapp.checkpoint.mask_pairs_overlaps import find_overlaps
from pruneapp.checkpoint.prunability_judge import Judge
from pruneapp.progress import Job

__all__ = ["annotate", "chosen_by_version_1"]


def chosen_by_version_1(contents: Contents, job: Job) -> tuple[str, ...]:
    """Return the tensors that a step of version 1 prunes if it selects none, in file order.

    Parameters
    ----------
    contents
        Complete, see `annotate`.
    job
        Looked at; may cancel.
    """
    modules = find_modules((*contents.entries, *contents.masks), job.cancel)
    return tuple(
        entry.name
        for batch in job.cancel.batches(contents.entries)
        for entry in batch
        if entry.by_default or (entry.prunable and pruned_by_version_1(entry, role(entry, modules)))
    )


def annotate(contents: Contents, sources: Sequence[ByteSource], job: Job) -> Contents:
    """Complete the entries of a reader: kind, why_not, mask_of, by_default.

    ``NAME_orig`` and ``NAME_mask`` of torch's pruning become one entry ``NAME``. To be sure of
    such masks their values are read; nothing else is.

    Raises
    ------
    CheckpointError
        If a mask cannot be read.
    """
    folded = fold_pairs(contents.entries, sources, job)
    modules = find_modules((*folded.entries, *folded.masks), job.cancel)
    overlaps = find_overlaps(folded.entries, job.cancel)
    judge = Judge(modules, job.cancel)
    entries: list[TensorEntry] = []
    for batch in job.cancel.batches(folded.entries):
        names, shapes, dtypes, locations, aliases, why_not, _, mask_of, _ = zip(*batch, strict=True)
        told, kinds, usual = zip(*judge.of(batch), strict=True)
        shared = [overlaps.get(name, "") for name in names] if overlaps else [""] * len(names)
        reasons = [a or b or c for a, b, c in zip(why_not, told, shared, strict=True)]
        entries += make_entries(
            names,
            shapes,
            dtypes,
            locations,
            aliases=aliases,
            why_not=reasons,
            kinds=kinds,
            mask_of=mask_of,
            by_default=[u and not r for u, r in zip(usual, reasons, strict=True)],
        )
    return replace(
        contents,
        entries=tuple(entries),
        masks=folded.masks,
        notices=(*contents.notices, *folded.notices),
    )
