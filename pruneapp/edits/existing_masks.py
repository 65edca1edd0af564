"""Masks from files: those of torch.nn.utils.prune in a checkpoint, or files of masks.

Also compares the masks of two states, and combines them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.retained_norm import align_chunks
from pruneapp.analysis.zeros import zero_masks
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.contents import Notice
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.document import Document
from pruneapp.document.edit import Edit, EditKind, Proposal, format_names
from pruneapp.document.entries import FileMasksEntry
from pruneapp.document.history import BUDGET
from pruneapp.document.selection import resolve
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import TensorEdit
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.errors import ParameterError, SelectionError, counted, in_numeric_order
from pruneapp.kernels.values import decode
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask, ones
from pruneapp.progress import Job


@dataclass(frozen=True)
class TensorOverlap:
    """The overlap of the pruned weights of one tensor on two sides."""

    name: str  # first name on this side
    numel: int  # number of elements
    # Number of weights pruned on both sides, and on only one.
    both: int
    only_here: int
    only_there: int

    @property
    def jaccard(self) -> float | None:
        """Weights pruned on both sides divided by those pruned on either.

        None if there are none.
        """
        union = self.both + self.only_here + self.only_there
        return self.both / union if union else None


@dataclass(frozen=True)
class Overlap:
    """The overlap of the pruned weights of two sides."""

    tensors: tuple[TensorOverlap, ...]  # tensors that both sides have

    @property
    def total(self) -> TensorOverlap:
        """The sums over all tensors, without a name."""
        rows = ((t.numel, t.both, t.only_here, t.only_there) for t in self.tensors)
        return TensorOverlap("", *map(sum, zip((0, 0, 0, 0), *rows, strict=True)))


@dataclass(frozen=True)
class FileMasks(TensorEdit):
    """Edit that applies the masks stored in the checkpoint with its tensors (``NAME_mask``).

    `open_document` applies them at first; replaying this edit on the same file changes nothing.
    """

    ENTRY = FileMasksEntry

    def propose(self, snapshot: Snapshot, job: Job) -> Proposal:
        """Compute the edit for a state. Reads the masks in the file.

        Raises the errors of `resolve`; `SelectionError` if a tensor has no mask of zeros and ones;
        and `CheckpointError` if the file cannot be read.
        """
        checkpoint = snapshot.checkpoint
        entries = [checkpoint.entry(name) for name in resolve(checkpoint, self.names)]
        masks, invalid = _read_masks(checkpoint, entries, job)
        if invalid:
            raise SelectionError(
                f"'{invalid[0]}' has no mask of zeros and ones next to it in "
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
    """Create the document of a checkpoint and apply masks that torch.nn.utils.prune left in it.

    The masks (``NAME_mask`` next to ``NAME_orig``) become the second entry of the history, "Mask
    found in the file", which can be undone and counts as exported. A mask with values other than 0
    and 1 is ignored, with a notice. `job` can cancel; `budget` and `scratch` are those of
    `Document`.
    """
    job = job or Job()
    entries = checkpoint.entries.values()
    pairs = [e for e in job.cancel.each(entries) if e.mask_of and e.prunable]
    masks, invalid = _read_masks(checkpoint, pairs, job)
    document = Document(checkpoint, budget=budget, scratch=scratch)
    if invalid:
        n_invalid = len(invalid)
        hold = f"The masks of {n_invalid:,} tensors hold" if n_invalid > 1 else "One mask holds"
        sentence = "values other than 0 and 1: these tensors are opened as not pruned."
        document.notify(Notice(f"{hold} {sentence}", "\n".join(invalid)))
    if masks:
        document.commit(_propose(document.snapshot(), masks, job))
        document.mark_exported(document.snapshot())
    return document


def _read_masks(
    checkpoint: Checkpoint, entries: Collection[TensorEntry], job: Job
) -> tuple[dict[str, BitMask], list[str]]:
    """Return the masks stored with tensors, and the first names of tensors without a valid one.

    A mask is valid if it has the size of the tensor, and only zeros and ones. Starts `job` with the
    elements.
    """
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
    """Return the edit that applies masks of the file, by first name, to a state."""
    pruned = sum([mask.pruned for mask in job.cancel.each(masks.values())])
    edit = Edit.of(
        snapshot,
        EditKind.EXISTING,
        "Mask found in the file",
        format_names(
            f"{counted(pruned, 'weight')} pruned in {counted(len(masks), 'tensor')}", masks
        ),
        {"masks": masks},
        job,
        entry=FileMasks(tuple(masks)).to_dict(),
    )
    return Proposal(snapshot.revision, edit)


def read_mask(checkpoint: Checkpoint, name: str, job: Job) -> BitMask | None:
    """Read a tensor of zeros and ones as a mask (1 is kept), with bounded memory.

    Returns None if it contains other values, or its dtype has no real values. Steps `job` by the
    elements. Raises `CheckpointError` if the file cannot be read.
    """
    entry = checkpoint.entry(name)
    packed = scratch.bits(entry.numel)
    for chunk in align_chunks(checkpoint.chunks(name), 8):
        try:
            values = decode(chunk.bits, entry.dtype)
        except ValueError:
            return None
        kept = values == 1
        if not np.all(kept | (values == 0)):
            return None
        start, stop = chunk.start // 8, (chunk.start + kept.size + 7) // 8
        packed[start:stop] = np.packbits(kept, bitorder="little")
        scratch.release_pages(packed, start, stop)
        job.step(kept.size)
    return BitMask(packed, entry.numel)


def read_masks_for(
    checkpoint: Checkpoint, names: Iterable[str], masks: Checkpoint, job: Job
) -> dict[str, BitMask]:
    """Read the masks of tensors from a file of masks.

    The mask of a tensor has the same shape, and one of its names, with or without the suffix
    ``_mask``; those with it are preferred. Starts `job` with the elements.

    Returns
    -------
    dict
        Masks by the first names of tensors, in the order of `names`.

    Raises
    ------
    SelectionError
        If `names` is empty, which means that the file has masks of another model (`names_in`).
    ParameterError
        If the mask of a tensor is missing, has another shape, or contains values other than 0 and
        1.
    """
    entries = {(e := checkpoint.entry(name)).name: e for name in names}
    if not entries:
        raise SelectionError(
            f"No mask of '{masks.path}' has the name of a tensor of '{checkpoint.path}'.",
            remedy="Choose the masks of this model: the mask of 'NAME' is named 'NAME' or "
            "'NAME_mask'.",
        )
    known = _names_of(masks)
    job.start(sum(e.numel for e in entries.values()), "")
    result = {}
    for entry in entries.values():
        job.label(entry.name)
        name = next((s for s in _possible_names(entry) if s in known), None)
        if name is None:
            raise ParameterError(
                f"'{masks.path}' contains no mask for '{entry.name}'.",
                remedy=f"Its name there must be '{entry.name}' or '{entry.name}_mask'.",
            )
        if known[name].shape != entry.shape:
            raise ParameterError(
                f"The mask '{name}' has the shape {list(known[name].shape)}, "
                f"but '{entry.name}' has {list(entry.shape)}.",
                remedy="Choose the mask file made for this checkpoint.",
            )
        mask = read_mask(masks, name, job)
        if mask is None:
            raise ParameterError(
                f"The mask '{name}' in '{masks.path}' contains values other than 0 and 1.",
                remedy="Save it with 1 for kept and 0 for pruned weights.",
            )
        result[entry.name] = mask
    return result


def names_in(masks: Checkpoint, checkpoint: Checkpoint) -> tuple[str, ...]:
    """Return the prunable tensors of `checkpoint` that have a mask in `masks`, in file order.

    Only names are compared.
    """
    known = _names_of(masks)
    return tuple(
        entry.name
        for entry in checkpoint.entries.values()
        if entry.prunable and any(s in known for s in _possible_names(entry))
    )


@dataclass(frozen=True)
class MatchingMasks:
    """Masks of another document that fit a checkpoint, and reasons why others do not."""

    masks: Mapping[str, BitMask]  # by first names, in the order of the checkpoint
    misfits: tuple[str, ...] = ()  # one sentence for each tensor that does not fit


def masks_from(
    source: Snapshot, names: Iterable[str], checkpoint: Checkpoint, job: Job
) -> MatchingMasks:
    """Return the masks of a state of another document for tensors that a checkpoint also has.

    `names` are first names of tensors of `source`. Tensors match if they share a name and have the
    same shape. Weights that were made permanent count as pruned. Tensors without pruned weights are
    omitted; others that do not fit are in `misfits`. Raises `SelectionError` if nothing is pruned
    in the tensors, or no tensor with pruned weights fits.
    """
    entry_by_name = {
        name: e for e in job.cancel.each(checkpoint.entries.values()) for name in e.names
    }
    found: dict[str, BitMask] = {}
    misfits: list[str] = []
    for name in job.cancel.each(names):
        layers = [layer[name] for layer in (source.masks, source.permanent) if name in layer]
        if not any(mask.pruned for mask in layers):
            continue
        source_entry = source.entry(name)
        entry = next(
            (entry_by_name[one] for one in source_entry.names if one in entry_by_name), None
        )
        if entry is None:
            misfits.append(f"'{name}': there is no tensor of this name.")
        elif entry.shape != source_entry.shape:
            shapes = f"{list(source_entry.shape)}, but {list(entry.shape)} here"
            misfits.append(f"'{name}' has the shape {shapes}.")
        elif not entry.prunable:
            misfits.append(f"'{name}' cannot be pruned here: {entry.why_not}.")
        else:
            found[entry.name] = layers[0] & layers[1] if len(layers) > 1 else layers[0]
    if not found and not misfits:
        raise SelectionError(
            f"Nothing is pruned in these tensors of '{source.checkpoint.path.name}'.",
            remedy="Prune them there first.",
        )
    if not found:
        raise SelectionError(
            f"None of these tensors of '{source.checkpoint.path.name}' fits "
            f"'{checkpoint.path.name}'.",
            remedy="Names and shapes must be the same.",
            details="\n".join(misfits),
        )
    masks = {name: found[name] for name in checkpoint.entries if name in found}
    return MatchingMasks(masks, tuple(misfits))


def holds_masks_alone(checkpoint: Checkpoint, file: Checkpoint) -> bool:
    """Return whether a file has masks for tensors of a checkpoint, but no weights of them.

    Weights are prunable tensors of the same name. Linear in the number of names; no mask is read.
    """
    names = {name for entry in checkpoint.entries.values() for name in entry.names}
    if any(e.prunable and not names.isdisjoint(e.names) for e in file.entries.values()):
        return False
    return bool(names_in(file, checkpoint))


def masks_of(snapshot: Snapshot, file: Checkpoint, job: Job) -> tuple[dict[str, BitMask], bool]:
    """Return the masks in a file for tensors of a state, and whether they come from zeros.

    Tensors match if they share a name and have the same shape. If the file has a mask for any
    tensor (``NAME_mask`` of torch, or booleans or integers under the plain name), only masks count.
    Otherwise zeros count as pruned, as in a model that was made permanent, but only in tensors that
    are selected by default or pruned in the state, because biases, norms and embeddings have
    ordinary zeros.

    Returns
    -------
    dict
        A mask for every prunable tensor that both have, even if nothing is pruned; by first name,
        in the order of the checkpoint.
    bool
        Whether the masks were derived from zeros.

    Raises
    ------
    SelectionError
        If there is no common tensor.
    ParameterError
        If a mask has another shape than its tensor, or values other than 0 and 1.
    """
    checkpoint, known = snapshot.checkpoint, _names_of(file)
    masked: list[str] = []
    plain: dict[str, str] = {}
    for entry in checkpoint.entries.values():
        name = next((s for s in _possible_names(entry) if s in known), None)
        if name is None or not entry.prunable:
            continue
        if name not in entry.names or not known[name].dtype.prunable:
            masked.append(entry.name)
        elif known[name].shape == entry.shape:
            plain[entry.name] = known[name].name
    if not masked and not plain:
        raise SelectionError(
            f"'{file.path.name}' has no tensor in common with '{checkpoint.path.name}'.",
            remedy="Choose a file of the same model: names and shapes must be the same.",
        )
    result: dict[str, BitMask] = {}
    if masked:
        result = read_masks_for(checkpoint, masked, file, job)
    else:
        may = {
            own_name: file_name
            for own_name, file_name in plain.items()
            if checkpoint.entry(own_name).by_default or snapshot.masks.pruned(own_name)
        }
        zeros = zero_masks(Snapshot(file), may.values(), job)
        result = {
            own_name: zeros[file_name] for own_name, file_name in may.items() if file_name in zeros
        }
    whole: dict[int, BitMask] = {}  # full masks by size, shared: most tensors are not pruned
    for own_name in plain:
        size = checkpoint.entry(own_name).numel
        if own_name not in result:
            if size not in whole:
                whole[size] = BitMask.full(size)
            result[own_name] = whole[size]
    return {name: result[name] for name in checkpoint.entries if name in result}, not masked


def _names_of(masks: Checkpoint) -> dict[str, TensorEntry]:
    known = {name: e for e in masks.entries.values() for name in e.names}
    return known | {e.mask_of: masks.entry(e.mask_of) for e in masks.entries.values() if e.mask_of}


def _possible_names(entry: TensorEntry) -> list[str]:
    # A file of pairs has the tensor under the plain name and its mask under the longer one.
    return [f"{name}_mask" for name in entry.names] + list(entry.names)


Packed = NDArray[np.uint8]
# Weights pruned afterwards: those pruned in both masks, in either, or here but not there.
Combination = Literal["and", "or", "minus"]

COMBINED: dict[Combination, str] = {
    "and": "pruned in both",
    "or": "pruned in either",
    "minus": "pruned here, not there",
}
_UNCHANGED: dict[Combination, str] = {
    "and": "all that is pruned here is pruned there",
    "or": "all that is pruned there is pruned here",
    "minus": "nothing that is pruned here is pruned there",
}

# Bytes of a mask processed at a time.
_PIECE = 4 << 20


def overlap(snapshot: Snapshot, theirs: Mapping[str, BitMask], job: Job) -> Overlap:
    """Count the weights that are pruned in a state, in other masks, and in both.

    Weights that were made permanent count as kept. The other masks, `theirs`, by any names of the
    tensors, come from another document, another state, or a file (`masks_of`); tensors without one
    are omitted. The result is in numeric order of names. Starts `job` with the bytes.

    Raises `SelectionError` if a mask has another number of elements than its tensor.
    """
    job.start(sum(mask.nbytes for mask in theirs.values()))
    tensors = []
    for name, other in _in_order(snapshot, theirs).items():
        job.label(name)
        here = snapshot.masks.get(name)
        if here is None:
            both = 0
            job.step(other.nbytes)
        else:
            either = sum(ones(a | b) for a, b in _pieces(here, other, job))  # kept on either side
            both = other.size - either
        tensors.append(
            TensorOverlap(
                name,
                other.size,
                both,
                only_here=snapshot.masks.pruned(name) - both,
                only_there=other.pruned - both,
            )
        )
    return Overlap(tuple(in_numeric_order(tensors, attrgetter("name"))))


def combine(
    snapshot: Snapshot, theirs: Mapping[str, BitMask], how: Combination, title: str, job: Job
) -> ManualEdit:
    """Return the edit that combines the masks of a state with other masks.

    ``or`` prunes what is pruned in either, so it prunes more weights. ``and`` prunes what is pruned
    in both, so it restores weights that are pruned here only. ``minus`` prunes what is pruned here
    and not there, so it restores weights that are pruned in both. The result is a manual edit whose
    targets are masks, to be passed to `compute_manual_edit`. Protected weights stay kept.

    Parameters
    ----------
    snapshot, theirs
        See `overlap`. Tensors without a mask in `theirs` are unchanged.
    title
        Name of the other masks, for the label.

    Raises
    ------
    SelectionError
        If a mask has another number of elements than its tensor, or nothing would change.
    """
    job.start(sum(mask.nbytes for mask in theirs.values()))
    targets = []
    for name, other in _in_order(snapshot, theirs).items():
        job.label(name)
        here = snapshot.masks.get(name)
        if here is None and how != "or":
            job.step(other.nbytes)
            continue  # nothing is pruned here that could be restored
        changed = _changed_weights(how, here or BitMask.full(other.size), other, job)
        if changed.kept:
            targets.append(ManualTarget(name, mask=changed))
    if not targets:
        raise SelectionError(
            f"The masks would not change: {_UNCHANGED[how]}.", remedy="Choose another combination."
        )
    words = f"Masks combined with {title} ({COMBINED[how]})"
    return ManualEdit("prune" if how == "or" else "restore", tuple(targets), words)


def _in_order(snapshot: Snapshot, theirs: Mapping[str, BitMask]) -> dict[str, BitMask]:
    """Return masks by first name, in file order.

    Raises `SelectionError` if one has another number of elements than its tensor.
    """
    by_name = {snapshot.entry(name).name: mask for name, mask in theirs.items()}
    for name, mask in by_name.items():
        if mask.size != snapshot.entry(name).numel:
            raise SelectionError(
                f"The other mask of '{name}' has {mask.size:,} elements, but the tensor has "
                f"{snapshot.entry(name).numel:,}.",
                remedy="Choose the masks of the same model.",
            )
    return {name: by_name[name] for name in snapshot.checkpoint.entries if name in by_name}


def _pieces(a: BitMask, b: BitMask, job: Job) -> Iterator[tuple[Packed, Packed]]:
    for start in range(0, a.nbytes, _PIECE):
        yield a.part(start, start + _PIECE), b.part(start, start + _PIECE)
        job.step(min(_PIECE, a.nbytes - start))


def _changed_weights(how: Combination, a: BitMask, b: BitMask, job: Job) -> BitMask:
    """Return a mask with 1 for each weight that `a` has to change to become the combination.

    In `a` (here) and `b` (there), 1 means kept. The weights are to be pruned for "or", and to be
    restored for "and" and "minus". Steps `job` by the bytes.
    """
    packed, done = scratch.bits(a.size), 0
    for here, there in _pieces(a, b, job):
        packed[done : done + here.size] = _CHANGED_BITS[how](here, there)
        scratch.release_pages(packed, done, done + here.size)
        done += here.size
    if a.size % 8:
        packed[-1] &= (1 << a.size % 8) - 1
    return BitMask(packed, a.size)


# Weights to prune ("or") or restore; in the arguments, a bit is 1 where a weight is kept.
_CHANGED_BITS: dict[Combination, Callable[[Packed, Packed], Packed]] = {
    "and": lambda here, there: ~here & there,
    "or": lambda here, there: here & ~there,
    "minus": lambda here, there: ~(here | there),
}
