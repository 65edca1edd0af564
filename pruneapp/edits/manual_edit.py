"""Description of a manual edit: an operation, and the weights that it applies to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.layout import Box
from pruneapp.document.entries import EditEntry, Operation, Shape, TargetConfiguration, read_entry
from pruneapp.document.selection import role
from pruneapp.document.step import shown_name
from pruneapp.errors import ParameterError, SelectionError, counted
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

# Prefix of the digest of a mask in a side file.
DIGEST = "sha256:"
# Bytes of a mask hashed between two checks for cancellation.
_PIECE = 8 << 20

# Longer texts are rejected without parsing: no valid list is longer.
MOST_LETTERS = 8 << 20
_NUMBER = "0|[1-9][0-9]*"
_RANGE = re.compile(rf"({_NUMBER})(?:[-–]({_NUMBER}))?")
_BETWEEN = re.compile(r"[\s,;]+")
# "0 - 3" is one piece; "0 -3" is two, of which the second is refused.
_SPACED = re.compile(r"(?<=[0-9])\s+[-–]\s+(?=[0-9])")
_BRACKETS = ("[]", "()", "{}")
_DIGITS = 18  # maximum digits that are parsed; the number of channels never has as many
_REMEDY = "Correct the list. The selection is unchanged."


def format_channel_list(chosen: NDArray[np.bool_]) -> str:
    """Return the indices where `chosen` (``bool[channels]``) is True, as text; "" for none."""
    return ", ".join(f"{a}-{b - 1}" if b - a > 1 else str(a) for a, b in true_runs(chosen))


def true_runs(chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return (first, last + 1) of every run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], chosen, [False])).view(np.int8)))
    return [(a, b) for a, b in edges.reshape(-1, 2).tolist()]


def parse_channel_list(text: str, size: int, noun: str = "channel") -> NDArray[np.bool_]:
    """Parse a list of indices (from 0) of `size` channels; return ``bool[size]``.

    Indices and ranges, both ends included, are separated by commas, semicolons, spaces or lines;
    the list may be in brackets, as Python writes it. Repeated indices are allowed. `noun` is the
    singular of what is listed, for messages. Raises `SelectionError` if the list is empty or too
    long, or contains a piece that is neither an index nor an ascending range, or that exceeds the
    last channel; the error names the piece.
    """
    if len(text) > MOST_LETTERS:
        raise SelectionError(
            f"The text has {len(text):,} characters; a list of {noun}s may have at most "
            f"{MOST_LETTERS:,}.",
            remedy=_REMEDY,
        )
    text = text.strip().removeprefix("\ufeff")
    if len(text) > 1 and text[0] + text[-1] in _BRACKETS:
        text = text[1:-1]
    chosen = np.zeros(size, np.bool_)
    pieces = [piece for piece in _BETWEEN.split(_SPACED.sub("-", text)) if piece]
    if not pieces:
        raise SelectionError(
            f"The list of {noun}s is empty.", remedy="Give indices such as 0-3, 7, 12."
        )
    for piece in pieces:
        match = _RANGE.fullmatch(piece)
        if match is None:
            raise SelectionError(
                f"The list of {noun}s contains '{piece}', which is neither an index such as 7 nor "
                "a range such as 0-3.",
                remedy=_REMEDY,
            )
        first, last = _number(match[1]), _number(match[2] or match[1])
        if max(first, last) >= size:
            raise SelectionError(
                f"The list of {noun}s contains '{piece}', but there are {counted(size, noun)}, "
                f"numbered from 0{f' to {size - 1:,}' * (size > 1)}.",
                remedy=_REMEDY,
            )
        if last < first:
            raise SelectionError(
                f"The list of {noun}s contains '{piece}', but the first index of a range must "
                "not be larger than the last.",
                remedy=_REMEDY,
            )
        chosen[first : last + 1] = True
    return chosen


def _number(digits: str) -> int:
    # Python raises for numbers of thousands of digits.
    return int(digits[: _DIGITS + 1])


@dataclass(frozen=True)
class ManualEditRequest:
    """One gesture on a picture: an operation and the weights it applies to."""

    operation: Operation
    name: str
    boxes: tuple[Box, ...]  # selected elements, as boxes of indices; they may overlap
    shape: Shape  # the drawn shape, for labels
    dim: int = -1  # dimension of the selected channels; -1 for none
    axis: str = ""  # axis of the model if the channels are its units; else empty


@dataclass(frozen=True)
class ManualTarget:
    """The weights of one tensor that an edit applies to."""

    name: str  # any name of the tensor
    # Ranges of indices, ``(first, last + 1)`` along each dimension; they may overlap.
    boxes: tuple[Box, ...] = ()
    # Instead of boxes: a bit is 1 where the weight is selected.
    mask: BitMask | None = field(default=None, hash=False)
    # For labels: what was drawn, and the dimension whose channels were selected (-1 for none).
    shape: Shape = "rectangle"
    dim: int = -1

    def to_dict(self, masks: dict[str, BitMask], job: Job) -> dict[str, Any]:
        """Return plain JSON. A mask is named by its digest, and added to `masks` under it.

        `job` can cancel the hashing.
        """
        if self.mask is not None:
            name = digest(self.mask, job)
            masks[name] = self.mask
            return {"name": self.name, "mask": DIGEST + name, "size": self.mask.size}
        boxes = [[list(span) for span in box] for box in self.boxes]
        return {"name": self.name, "boxes": boxes, "shape": self.shape, "dim": self.dim}

    @classmethod
    def of(
        cls, target: TargetConfiguration, masks: Mapping[str, BitMask], job: Job
    ) -> ManualTarget:
        """Create a target from an entry; raises `ParameterError` for a missing or wrong mask."""
        if target.mask:
            return cls(target.name, mask=_mask(target, masks, job))
        return cls(target.name, target.boxes, shape=target.shape, dim=target.dim)


def digest(mask: BitMask, job: Job) -> str:
    """Return the SHA-256 of a mask's packed bytes, in hex digits."""
    hasher = hashlib.sha256()
    for start in range(0, mask.nbytes, _PIECE):
        job.step(0)
        hasher.update(mask.part(start, start + _PIECE).data)
    return hasher.hexdigest()


def _mask(target: TargetConfiguration, masks: Mapping[str, BitMask], job: Job) -> BitMask:
    """Return the mask that a target names, from `masks` by digest, with the size of the target.

    Raises `ParameterError` if it is missing, or has another size or digest.
    """
    name, key, size = target.name, target.mask.removeprefix(DIGEST), target.size
    mask = masks.get(key)
    if mask is None:
        raise ParameterError(
            f"The mask {key} of '{name}' is missing.",
            remedy="Put the file of this name next to the recipe.",
        )
    # Unused bits of the last byte must be 0.
    beyond = size % 8 > 0 and mask.nbytes > 0 and bool(mask.packed[-1] >> size % 8)
    if mask.nbytes != (size + 7) // 8 or beyond or digest(mask, job) != key:
        raise ParameterError(
            f"The mask {key} of '{name}' is not the one that was saved under this name.",
            remedy="Restore the file from where the recipe came from.",
        )
    # Masks of different sizes may have the same bytes, and so the same digest.
    return mask if mask.size == size else BitMask(mask.packed, size)


DONE: dict[Operation, str] = {
    "prune": "pruned",
    "restore": "restored",
    "protect": "protected",
    "release": "no longer protected",
}
# Up to this many names are shown as "NAME and 2 more".
_FEW = 4


def indices(box: Box) -> str:
    """Format a box as "[12, 0:64, 1, 0:3]"."""
    return f"[{', '.join(str(a) if b == a + 1 else f'{a}:{b}' for a, b in box)}]"


def _units(targets: Sequence[ManualTarget]) -> str:
    """Return a label for the selected units, "channel 12" or "3 rows"; empty if there is none.

    There is none if targets have masks, different shapes or dimensions, or are no channels, rows or
    columns.
    """
    first = targets[0]
    names = {target.name for target in targets}
    if any((t.shape, t.dim) != (first.shape, first.dim) for t in targets) or first.mask:
        return ""
    if first.shape == "channel" and first.dim >= 0:
        word, dim = "channel", first.dim
    elif first.shape in {"row", "column"} and all(len(b) == 2 for t in targets for b in t.boxes):
        word, dim = first.shape, int(first.shape == "column")
    else:
        return ""
    if len(names) == len(targets) and all(t.boxes == first.boxes for t in targets):
        targets, names = [first], {first.name}  # the same in all tensors: the label covers all
    by_name: dict[str, set[int]] = {name: set() for name in names}
    for target in targets:
        spans = {box[dim] for box in target.boxes}
        by_name[target.name] |= {i for span in spans for i in range(*span)}
    number, each = len(by_name[first.name]), by_name[first.name]
    if any(other != each for other in by_name.values()):
        return counted(sum(map(len, by_name.values())), word) if len(names) > 1 else ""
    along = f" along dim {dim}" if word == "channel" and dim else ""
    return (f"{word} {each.pop():,}" if number == 1 else counted(number, word)) + along


def place_of(names: Sequence[str]) -> str:
    """Return a label for tensors: their common pattern, "conv1 and 2 more", or their number.

    Repeated names count once; there must be a name.
    """
    names = list(dict.fromkeys(names))
    if len(names) == 1:
        return shown_name(names[0])
    if len({role(name) for name in names}) == 1:
        return shown_name(role(names[0]))
    if len(names) <= _FEW:
        return f"{shown_name(names[0])} and {len(names) - 1} more"
    return f"{len(names):,} tensors"


@dataclass(frozen=True)
class ManualEdit:
    """An operation on selected weights, from one gesture or several that form one edit.

    Raises
    ------
    ParameterError
        If the operation is unknown, there is no target, or a target has no boxes and no mask, or
        both.

    Notes
    -----
    Only kept weights can be protected: protecting a channel that is partly pruned protects its
    remaining weights, and a weight that is restored later is not protected. Therefore every
    protected weight is kept, and no rule is needed for weights that are both pruned and protected.
    """

    # "prune", "restore" (keep again, with the value of the file), "protect" (from later methods) or
    # "release" (unprotect).
    operation: Operation
    # At least one. Several targets of one tensor are combined.
    targets: tuple[ManualTarget, ...]
    # Replaces the label where the weights have no name, as for combined masks.
    words: str = ""

    def __post_init__(self) -> None:
        if self.operation not in get_args(Operation):
            raise ParameterError(
                f"'operation' must be one of {', '.join(get_args(Operation))} "
                f"(got {self.operation!r})."
            )
        object.__setattr__(self, "targets", tuple(self.targets))
        if not self.targets:
            raise ParameterError("An edit needs at least one target (got none).")
        for target in self.targets:
            if (target.mask is None) == (not target.boxes):
                raise ParameterError(
                    f"The target '{target.name}' needs either boxes of indices or a mask."
                )

    @classmethod
    def from_requests(cls, *gestures: ManualEditRequest) -> ManualEdit:
        """Create an edit from gestures of the same operation, such as one for each block.

        Raises `ParameterError` if there is none, or their operations differ.
        """
        operations = {gesture.operation for gesture in gestures}
        if len(operations) != 1:
            raise ParameterError(
                f"The gestures of one edit must have the same operation (got {sorted(operations)})."
            )
        targets = (ManualTarget(g.name, g.boxes, shape=g.shape, dim=g.dim) for g in gestures)
        return cls(operations.pop(), tuple(targets))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tensors as given in the targets, without duplicates."""
        return tuple(dict.fromkeys(target.name for target in self.targets))

    def label(self, weights: int | None = None) -> str:
        """Return a label such as "channel 12 of layer2.0.conv1 pruned"; `words` if it is set.

        If the selection has no name, it is "48 weights of conv1 restored" with the number
        `weights`, and "weights of conv1 restored" without.
        """
        if self.words:
            return self.words
        what = self.units() or ("weights" if weights is None else counted(weights, "weight"))
        place = place_of([target.name for target in self.targets])
        return f"{what} of {place} {DONE[self.operation]}"

    def units(self) -> str:
        """Return a label for the selected units, such as "channel 12"; empty if there is none."""
        return _units(self.targets)

    def to_dict(self, masks: dict[str, BitMask], job: Job | None = None) -> dict[str, Any]:
        """Return plain JSON, and add masks to `masks` by the SHA-256 of their packed bytes.

        Code that writes the JSON must write these bytes (`BitMask.packed`) to side files of these
        names. `job` can cancel the hashing of large masks.
        """
        job = job or Job()
        targets = [target.to_dict(masks, job) for target in job.cancel.each(self.targets)]
        configuration: dict[str, Any] = {"operation": self.operation, "targets": targets}
        if self.words:
            configuration["words"] = self.words
        return {"name": "edit", "configuration": configuration}

    @classmethod
    def from_dict(
        cls, data: object, masks: Mapping[str, BitMask], job: Job | None = None
    ) -> ManualEdit:
        """Create an edit from the result of `to_dict` and the masks that it names.

        Raises `ParameterError` if `data` is not valid, or a mask is missing or does not have its
        SHA-256.
        """
        return cls.of(read_entry(data, EditEntry), masks, job or Job())

    @classmethod
    def of(cls, entry: EditEntry, masks: Mapping[str, BitMask], job: Job) -> ManualEdit:
        """Create an edit from an entry; raises the errors of `from_dict`."""
        configuration = entry.configuration
        targets = tuple(ManualTarget.of(target, masks, job) for target in configuration.targets)
        return cls(configuration.operation, targets, configuration.words)
