"""What an export needs of the state that it writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.elements_chunks import RawChunk
from pruneapp.masks.bitmask_mask import Mask


class State(Protocol):
    """A checkpoint and what of it is pruned; does not change while it is written.

    `Snapshot` is one, with masks that it holds. A state whose masks are rules holds none, and is
    written just so: nothing here asks for more than `Mask` has.
    """

    @property
    def checkpoint(self) -> Checkpoint:
        """What the tensors come from."""

    def mask(self, name: str) -> Mask | None:
        """Return what is kept of a tensor; None for everything."""

    def zeroed(self, name: str) -> Mask | None:
        """Return the mask of everything that is written as +0.0; None for nothing."""

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield the raw elements of a tensor in flat order, pruned ones with their original bits.

        `size` is in elements. A chunk's memory is the iteration's own, see `RawChunk`: an export
        strikes zeros in it.
        """
