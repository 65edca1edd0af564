"""Counts of what is left to prune, kept so that a moving slider never looks at a mask again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.declaration import Method, TensorView
from pruneapp.methods.run import units_left


class UnitCounts:
    """How many weights or channels of each tensor are left.

    Weights are counted by the mask itself. Channels need a look at every bit of a mask, so the
    last answer for each tensor and dimension is kept until the mask is another one. Safe to use
    from several threads: the worst that a race does is to count twice.
    """

    def __init__(self) -> None:
        self._channels: dict[tuple[str, str, int], tuple[BitMask, int]] = {}

    def left(self, tensor: TensorView, method: Method, values: Mapping[str, Any]) -> int:
        """Return `units_left`; instant if it was counted before."""
        if method.granularity != "channels" or tensor.kept is None:
            return units_left(tensor, method, values)
        key = tensor.name, method.name, int(values.get("dim", 0)) % max(1, len(tensor.shape))
        known = self._channels.get(key)
        if known is not None and known[0] is tensor.kept:
            return known[1]
        left = units_left(tensor, method, values)
        self._channels[key] = tensor.kept, left
        return left
