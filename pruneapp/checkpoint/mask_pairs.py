"""Combine the pairs of torch's pruning, and find tensors that share memory.

torch.nn.utils.prune saves a tensor as ``NAME_orig`` and ``NAME_mask``; they become one entry
``NAME``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from pruneapp.checkpoint.contents import Contents, Notice
from pruneapp.checkpoint.elements import SPAN_BYTES, Elements, read_chunks
from pruneapp.checkpoint.entry import TensorEntry, c_strides
from pruneapp.checkpoint.io.source import ByteSource
from pruneapp.progress import CancelToken, Job

_ORIG = "_orig"
_MASK = "_mask"


def fold_pairs(contents: Contents, sources: Sequence[ByteSource], job: Job) -> Contents:
    """Replace each pair of torch's pruning by one entry.

    A pair is a tensor ``NAME_orig`` and a tensor ``NAME_mask`` of the same shape that contains only
    0 and 1, which is checked by reading it. The entry ``NAME`` has the values of the original; the
    masks are listed in `Contents.masks` instead of in `entries`. Originals without such a mask, or
    with another tensor ``NAME``, stay unchanged and cause a notice. `contents` itself is returned
    if no name ends in ``_orig``. Raises `CheckpointError` if a mask cannot be read.
    """
    entries, cancel = contents.entries, job.cancel
    originals = [
        e
        for e in cancel.each(entries)
        if e.name.endswith(_ORIG) or (e.aliases and any(n.endswith(_ORIG) for n in e.aliases))
    ]
    if not originals:
        return contents
    known = {name: e for e in cancel.each(entries) for name in e.names}
    candidates = [(e, _mask_of(e, known)) for e in cancel.each(originals)]
    pairs, masks, notices = _read_masks(candidates, known, sources, job)
    remaining = [pairs.get(e.name, e) for e in cancel.each(entries) if e.name not in masks]
    return replace(
        contents,
        entries=tuple(remaining),
        masks=tuple(masks.values()),
        notices=(*contents.notices, *notices),
    )


def _read_masks(
    candidates: list[tuple[TensorEntry, TensorEntry | None]],
    known: dict[str, TensorEntry],
    sources: Sequence[ByteSource],
    job: Job,
) -> tuple[dict[str, TensorEntry], dict[str, TensorEntry], list[Notice]]:
    """Return the combined entries by the name of the original, the masks by name, and notices.

    Parameters
    ----------
    candidates
        Each tensor ``NAME_orig`` with its possible mask, whose values are read here.
    known
        All tensors of the file by each of their names.

    Returns
    -------
    pairs, masks
        Of the valid pairs only.
    notices
        At most two: one about all originals without a valid mask, one about all whose name without
        ``_orig`` is in use. The originals of spectral normalization (``NAME_u`` exists) have none.
    """
    pairs: dict[str, TensorEntry] = {}
    masks: dict[str, TensorEntry] = {}
    unpaired: list[str] = []
    conflicts: list[str] = []
    numels = [mask.numel for _, mask in job.cancel.each(candidates) if mask is not None]
    job.start(sum(numels), "")
    for original, mask in candidates:
        job.cancel.check()
        base = original.name.removesuffix(_ORIG)
        if f"{base}_u" in known and mask is None:
            continue  # spectral normalization uses the same suffix
        if (
            mask is None
            or not _is_mask_of(original, mask, known)
            or not _is_binary(mask, sources, job)
        ):
            unpaired.append(original.name)
            continue
        if any(name.removesuffix(_ORIG) in known for name in original.names):
            conflicts.append(base)
            continue
        pairs[original.name] = original._replace(
            name=base,
            aliases=tuple(name.removesuffix(_ORIG) for name in original.aliases),
            mask_of=f"{base}{_MASK}",
        )
        masks[mask.name] = mask
    notices = [_unpaired_notice(unpaired)] * bool(unpaired) + [_conflict_notice(conflicts)] * bool(
        conflicts
    )
    return pairs, masks, notices


def _mask_of(original: TensorEntry, known: dict[str, TensorEntry]) -> TensorEntry | None:
    if not original.name.endswith(_ORIG):
        return None
    return known.get(original.name.removesuffix(_ORIG) + _MASK)


def _is_mask_of(original: TensorEntry, mask: TensorEntry, known: dict[str, TensorEntry]) -> bool:
    """Return whether a tensor may be the mask of an original, by shape, type and names.

    The type must be able to represent 0 and 1. Each name of a tied original must end in ``_orig``
    and have the same mask. `known` has all tensors by each of their names.
    """
    bases = [name.removesuffix(_ORIG) for name in original.names]
    return (
        mask.shape == original.shape
        and mask.dtype.one is not None
        and all(name.endswith(_ORIG) for name in original.names)
        and all(known.get(base + _MASK) is mask for base in bases)
    )


def _is_binary(mask: TensorEntry, sources: Sequence[ByteSource], job: Job) -> bool:
    """Return whether all elements are 0 or 1, reading until the first other one.

    The type must have a 1 (`DType.one`). Advances `job` by the number of elements read.
    """
    job.label(mask.name)
    elements = Elements(mask, sources)
    one = elements.empty(1)
    assert mask.dtype.one is not None  # see _is_mask_of
    one[0] = mask.dtype.one
    for chunk in read_chunks(elements, 0, elements.size, SPAN_BYTES // elements.itemsize):
        if not bool(((chunk.bits == 0) | (chunk.bits == one)).all()):
            return False
        job.step(chunk.bits.size)
    return True


def _unpaired_notice(names: list[str]) -> Notice:
    """Return the notice about originals without a valid mask, with their names as details."""
    some = f"{len(names):,} tensors are" if len(names) > 1 else "One tensor is"
    return Notice(
        f"{some} named NAME_orig, without a 0/1 mask NAME_mask of the same shape: opened "
        "unchanged, not as pruned.",
        "\n".join(names),
    )


def _conflict_notice(names: list[str]) -> Notice:
    some = f"{len(names):,} tensors NAME are" if len(names) > 1 else "One tensor NAME is"
    return Notice(
        f"{some} next to NAME_orig and NAME_mask of the same pruned tensor: all are opened "
        "unchanged, none as pruned. Open a file without outdated ones.",
        "\n".join(names),
    )


# Interleaved views (slices of columns) are compared element by element if their storage has at most
# this many elements; larger ones count as overlapping.
_MAX_ELEMENTS = 1 << 25
# Number of elements handled between two checks for cancellation: some milliseconds.
_ELEMENTS_AT_ONCE = 1 << 22

_Views = Sequence[TensorEntry]


def find_overlaps(
    entries: Iterable[TensorEntry], cancel: CancelToken | None = None
) -> dict[str, str]:
    """Return a clause with the reason for each tensor, by name, that shares elements.

    With another tensor or with itself, that is; the first of the two reasons is replaced by the
    second. Disjoint slices of one storage (the parts of a fused layer) do not overlap. Only tensors
    with a `Location.storage` are compared. Tensors without overlap are not in the result.
    """
    cancel = cancel or CancelToken()
    reasons: dict[str, str] = {}
    shared: dict[tuple[int, str], list[TensorEntry]] = defaultdict(list)
    for entry in cancel.each(entries):
        if not entry.location.storage or not entry.numel:
            continue
        if entry.overlaps_itself:
            reasons[entry.name] = "several of its elements share the same memory"
        shared[entry.location.source, entry.location.storage].append(entry)
    for views in cancel.each(shared.values()):
        if len(views) > 1:
            for group in _touching(views, cancel):
                reasons.update(_reasons(group, cancel))
    return reasons


def _reasons(group: _Views, cancel: CancelToken) -> dict[str, str]:
    """Return a reason for each view of a group if any two of the views share an element, else {}.

    The reason of the second and all further views names the first view of the group.
    """
    reasons: dict[str, str] = {}
    if _share_elements(group, cancel):
        first, second = group[0].name, group[1].name
        for e in cancel.each(group):
            other = second if e.name == first else first
            reasons[e.name] = f"it shares memory with '{other}'"
    return reasons


def _extent(entry: TensorEntry) -> tuple[int, int]:
    begin = entry.location.offset
    return begin, begin + entry.dtype.nbytes(entry.reach)


def _touching(views: _Views, cancel: CancelToken) -> Iterator[_Views]:
    """Yield groups of two or more views that are connected by overlapping byte ranges.

    Each group is sorted by offset. Views that overlap no other are omitted.
    """
    extents = [(*_extent(entry), entry) for entry in cancel.each(views)]
    extents.sort(key=itemgetter(0, 1))
    group: list[TensorEntry] = []
    end = -1
    for begin, stop, entry in cancel.each(extents):
        if begin >= end:
            if len(group) > 1:
                yield group
            group = []
        group.append(entry)
        end = max(end, stop)
    if len(group) > 1:
        yield group


def _share_elements(group: _Views, cancel: CancelToken) -> bool:
    """Return whether any two views of a group share an element.

    Also True, without a check, if no view has strides, if item sizes differ, or if the group spans
    more than `_MAX_ELEMENTS` elements.
    """
    strided = False
    width = group[0].dtype.bits // 8
    begin, end = _extent(group[0])
    is_same_width = True
    for batch in cancel.batches(group):
        strided = strided or any(e.location.strides is not None for e in batch)
        is_same_width = is_same_width and all(e.dtype.bits // 8 == width for e in batch)
        begins, ends = zip(*map(_extent, batch), strict=True)
        begin, end = min(begin, *begins), max(end, *ends)
    if not strided or not is_same_width or (end - begin) // width > _MAX_ELEMENTS:
        return True
    occupied = np.zeros((end - begin) // width, np.bool_)
    for entry in group:
        strides = entry.location.strides or c_strides(entry.shape)
        first = (entry.location.offset - begin) // width
        view = as_strided(occupied[first:], entry.shape, strides)
        for part in _parts(view, cancel):
            if part.any():
                return True
        for part in _parts(view, cancel):
            part[...] = True
    return False


def _parts(view: NDArray[np.bool_], cancel: CancelToken) -> Iterator[NDArray[np.bool_]]:
    """Yield writable views of parts of a view, divided along its longest dim.

    Each part has about `_ELEMENTS_AT_ONCE` elements, and the longest dim is its first. Raises
    `Cancelled` between parts.
    """
    if not view.ndim:
        cancel.check()
        yield view
        return
    longest = np.moveaxis(view, int(np.argmax(view.shape)), 0)
    step = max(1, _ELEMENTS_AT_ONCE * len(longest) // view.size)
    for start in range(0, len(longest), step):
        cancel.check()
        yield longest[start : start + step]
