"""The masks of a whole document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar, cast, overload

from pruneapp.masks.bitmask import BitMask

T = TypeVar("T")


class MaskSet(Mapping[str, BitMask]):
    """Masks by tensor name. Immutable; a tensor without a mask is kept whole.

    Changing it makes a new set that shares every mask that did not change.
    """

    __slots__ = ("__weakref__", "_masks")

    def __init__(self, masks: Mapping[str, BitMask] | None = None) -> None:
        self._masks = dict(masks or {})

    def with_masks(self, changes: Mapping[str, BitMask | None]) -> MaskSet:
        """Return a set in which `changes` replace what was there; None removes a mask.

        The very same set where nothing changes.
        """
        if not changes:
            return self
        merged = {**self._masks, **changes}
        for name in [name for name, mask in changes.items() if mask is None]:
            del merged[name]
        return MaskSet(cast("dict[str, BitMask]", merged))

    def pruned(self, name: str) -> int:
        """How many elements of a tensor are pruned."""
        mask = self._masks.get(name)
        return 0 if mask is None else mask.pruned

    def counts(self, names: Iterable[str]) -> list[int]:
        """How many elements of each of some tensors are pruned; quick for very many."""
        found = map(self._masks.get, names)
        return [0 if mask is None else mask.size - mask.kept for mask in found]

    # Most tensors have no mask: a mapping's own way to say so is an exception, which takes twenty
    # times as long.

    @overload
    def get(self, name: str, /) -> BitMask | None: ...
    @overload
    def get(self, name: str, /, default: BitMask | T) -> BitMask | T: ...
    def get(self, name: str, /, default: BitMask | T | None = None) -> BitMask | T | None:
        """Return the mask of a tensor, or `default` if it has none."""
        return self._masks.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self._masks

    def __getitem__(self, name: str) -> BitMask:
        return self._masks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._masks)

    def __len__(self) -> int:
        return len(self._masks)
