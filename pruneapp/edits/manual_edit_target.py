"""Which weights of a tensor an edit by hand means."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard, get_args

from pruneapp.errors import ParameterError
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.results.document_rows import Shape
from pruneapp.results.tile import Box

# What stands before the digest of a mask in a side file.
DIGEST = "sha256:"
# Bytes of a mask between two looks at the job.
_PIECE = 8 << 20


@dataclass(frozen=True)
class ManualTarget:
    """Which weights of one tensor are meant.

    Attributes
    ----------
    name
        Any name of the tensor.
    boxes
        Ranges of indices, ``(first, last + 1)`` along each dimension; they may overlap.
    mask
        In place of boxes: a bit is 1 where the weight is meant.
    shape, dim
        What was drawn, and the dimension whose channels were meant (-1 for none), for words.
    """

    name: str
    boxes: tuple[Box, ...] = ()
    mask: BitMask | None = field(default=None, hash=False)
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
    def from_dict(cls, data: object, masks: Mapping[str, BitMask], job: Job) -> ManualTarget:
        """Make a target from what `to_dict` returned; raises `ParameterError`."""
        if not isinstance(data, Mapping) or not isinstance(data.get("name"), str):
            raise ParameterError(f"A target of an edit needs a 'name' (got {data!r}).")
        name = data["name"]
        if "mask" in data:
            return cls(name, mask=_mask(name, data, masks, job))
        shape, dim = data.get("shape", "rectangle"), data.get("dim", -1)
        if shape not in get_args(Shape) or not _whole(dim):
            raise ParameterError(
                f"'shape' of the target '{name}' must be one of {', '.join(get_args(Shape))}, and "
                f"'dim' a whole number (got {shape!r}, {dim!r})."
            )
        return cls(name, _boxes(name, data.get("boxes")), shape=shape, dim=dim)


def digest(mask: BitMask, job: Job) -> str:
    """Return the SHA-256 of a mask's packed bytes, in hex digits."""
    made = hashlib.sha256()
    for start in range(0, mask.nbytes, _PIECE):
        job.step(0)
        made.update(mask.packed.data[start : start + _PIECE])
    return made.hexdigest()


def _mask(name: str, data: Mapping[str, Any], masks: Mapping[str, BitMask], job: Job) -> BitMask:
    key, size = str(data["mask"]).removeprefix(DIGEST), data.get("size")
    found = masks.get(key)
    if found is None:
        raise ParameterError(
            f"The mask {key} of '{name}' is missing.",
            remedy="Put the file of this name beside the recipe.",
        )
    if (
        not _whole(size)
        or found.nbytes != (size + 7) // 8
        or _beyond(found, size)
        or digest(found, job) != key
    ):
        raise ParameterError(
            f"The mask {key} of '{name}' is not the one that was saved under this name.",
            remedy="Restore the file from where the recipe came from.",
        )
    # Two masks of different sizes may have the same bytes, and so the same name.
    return found if found.size == size else BitMask(found.packed, size)


def _beyond(mask: BitMask, size: int) -> bool:
    """Say whether bits are set past the end, where a mask of `size` elements has none."""
    return size % 8 > 0 and bool(mask.packed[-1] >> size % 8)


def _whole(number: object) -> TypeGuard[int]:
    """Say whether this is a whole number; Python takes True for one."""
    return isinstance(number, int) and not isinstance(number, bool)


def _boxes(name: str, boxes: Any) -> tuple[Box, ...]:
    try:
        made = tuple(tuple((a, b) for a, b in box) for box in boxes)
    except (TypeError, ValueError):
        made = ()
    if not made or not all(_whole(n) for box in made for span in box for n in span):
        raise ParameterError(
            f"'boxes' of the target '{name}' must be lists of [first, last + 1] for each dimension "
            f"(got {boxes!r})."
        )
    return made
