"""A manual edit, as data and in words: an operation, and which weights of which tensors."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from pruneapp.document.entries import EditEntry, TargetConfiguration, read_entry
from pruneapp.document.selection import role
from pruneapp.document.step import shown_name
from pruneapp.errors import ParameterError, counted
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.results.document_rows import ManualEditRequest, Operation, Shape
from pruneapp.results.tile import Box

# What stands before the digest of a mask in a side file.
DIGEST = "sha256:"
# Bytes of a mask between two looks at the job.
_PIECE = 8 << 20


@dataclass(frozen=True)
class ManualTarget:
    """Which weights of one tensor are meant."""

    name: str  # any name of the tensor
    # Ranges of indices, ``(first, last + 1)`` along each dimension; they may overlap.
    boxes: tuple[Box, ...] = ()
    # In place of boxes: a bit is 1 where the weight is meant.
    mask: BitMask | None = field(default=None, hash=False)
    # What was drawn, and the dimension whose channels were meant (-1 for none), for words.
    shape: Shape = "rectangle"
    dim: int = -1

    def to_dict(self, masks: dict[str, BitMask], job: Job) -> dict[str, Any]:
        """Return plain JSON; a mask goes into `masks` by its digest, and is named here."""
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
        """Make a target from an entry; raises `ParameterError` if its mask is not there."""
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
    name, key, size = target.name, target.mask.removeprefix(DIGEST), target.size
    mask = masks.get(key)
    if mask is None:
        raise ParameterError(
            f"The mask {key} of '{name}' is missing.",
            remedy="Put the file of this name beside the recipe.",
        )
    # No bits may be set past the end.
    beyond = size % 8 > 0 and mask.nbytes > 0 and bool(mask.packed[-1] >> size % 8)
    if mask.nbytes != (size + 7) // 8 or beyond or digest(mask, job) != key:
        raise ParameterError(
            f"The mask {key} of '{name}' is not the one that was saved under this name.",
            remedy="Restore the file from where the recipe came from.",
        )
    # Two masks of different sizes may have the same bytes, and so the same name.
    return mask if mask.size == size else BitMask(mask.packed, size)


DONE: dict[Operation, str] = {
    "prune": "pruned",
    "restore": "restored",
    "protect": "protected",
    "release": "no longer protected",
}
# So many names are said one by one: "and 2 more".
_FEW = 4


def indices(box: Box) -> str:
    """Return "[12, 0:64, 1, 0:3]"."""
    return f"[{', '.join(str(a) if b == a + 1 else f'{a}:{b}' for a, b in box)}]"


def _units(targets: Sequence[ManualTarget]) -> str:
    """Return what was chosen of each tensor, where it has a name: "channel 12", "3 rows"; or ""."""
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
        targets, names = [first], {first.name}  # as in every block: one says it for all
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
    """Return what names have in common, as labels say it: "layers.*.mlp", "conv1 and 2 more"."""
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
    """One gesture, or several that are one step: an operation on chosen weights.

    Raises
    ------
    ParameterError
        If the operation is unknown, there is no target, or one means nothing.

    Notes
    -----
    Protection is for weights that are kept: who protects a channel that is partly pruned protects
    what is left of it. A weight that is pruned has nothing that a method could take, and one that
    is restored comes back free. So a protected weight is a kept one in every state, what is drawn
    as protected is there, and no rule is needed for what is both.
    """

    # ``prune``, ``restore`` (kept again, with the weight of the file), ``protect`` (no later method
    # takes it) or ``release`` (not protected any more).
    operation: Operation
    # At least one. Several targets of one tensor are taken together.
    targets: tuple[ManualTarget, ...]
    # What it is called where its weights do not say it, as for masks that were combined.
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
        """Make one edit of gestures with the same operation ("all like this": one per tensor)."""
        operations = {gesture.operation for gesture in gestures}
        if len(operations) != 1:
            raise ParameterError(
                f"The gestures of one edit must have the same operation (got {sorted(operations)})."
            )
        targets = (ManualTarget(g.name, g.boxes, shape=g.shape, dim=g.dim) for g in gestures)
        return cls(operations.pop(), tuple(targets))

    @property
    def names(self) -> tuple[str, ...]:
        """The tensors, as the targets call them, each once."""
        return tuple(dict.fromkeys(target.name for target in self.targets))

    def label(self, weights: int | None = None) -> str:
        """Say it in words: "channel 12 of layer2.0.conv1 pruned".

        `weights` is how many it changes, for what has no better name: "48 weights of conv1
        restored"; without it, "weights of conv1 restored".
        """
        if self.words:
            return self.words
        what = self.units() or ("weights" if weights is None else counted(weights, "weight"))
        place = place_of([target.name for target in self.targets])
        return f"{what} of {place} {DONE[self.operation]}"

    def units(self) -> str:
        """Return what is meant of each tensor, where it has a name: "channel 12"; else ""."""
        return _units(self.targets)

    def to_dict(self, masks: dict[str, BitMask], job: Job | None = None) -> dict[str, Any]:
        """Return plain JSON; masks go into `masks` by the SHA-256 of their packed bytes.

        Whoever writes the JSON to a file writes these bytes (`BitMask.packed`) beside it, in files
        of these names. `job` may cancel the hashing of large masks.
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
        """Make an edit from what `to_dict` returned, and the masks that it names.

        Raises
        ------
        ParameterError
            If it is none; or a mask is missing, or not the one that its name says.
        """
        return cls.of(read_entry(data, EditEntry), masks, job or Job())

    @classmethod
    def of(cls, entry: EditEntry, masks: Mapping[str, BitMask], job: Job) -> ManualEdit:
        """Make an edit from an entry; as `from_dict`."""
        configuration = entry.configuration
        targets = tuple(ManualTarget.of(target, masks, job) for target in configuration.targets)
        return cls(configuration.operation, targets, configuration.words)
