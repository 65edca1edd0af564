"""What names, shapes and neighbours tell about the tensors of a file, for all formats alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pruneapp.checkpoint.annotate.kinds import kind_of, pruned_by_default, role
from pruneapp.checkpoint.annotate.modules import find_modules
from pruneapp.checkpoint.annotate.overlaps import find_overlaps
from pruneapp.checkpoint.annotate.pairs import fold_pairs
from pruneapp.checkpoint.annotate.reasons import why_not
from pruneapp.checkpoint.contract import Contents
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.source import ByteSource
from pruneapp.progress import Job

__all__ = ["annotate"]


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
    modules = find_modules((*folded.entries, *folded.masks))
    overlaps = find_overlaps(folded.entries)
    entries = []
    for number, entry in enumerate(folded.entries):
        if not number % 1024:
            job.cancel.check()
        path, _, leaf = entry.name.rpartition(".")
        module = modules[path]
        named = role(entry, modules)
        reason = (
            entry.why_not
            or why_not(entry, modules, module, path, leaf)
            or overlaps.get(entry.name, "")
        )
        entries.append(
            TensorEntry(
                entry.name,
                entry.shape,
                entry.dtype,
                entry.location,
                entry.aliases,
                reason,
                kind_of(entry, named, module, path, leaf),
                entry.mask_of,
                not reason and pruned_by_default(entry, named),
            )
        )
    return replace(
        contents,
        entries=tuple(entries),
        masks=folded.masks,
        notices=(*contents.notices, *folded.notices),
    )
