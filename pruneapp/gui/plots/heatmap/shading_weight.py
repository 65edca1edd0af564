"""What tiles know of a single weight."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pruneapp.results.tile import DifferenceTile, Tile

AnyTile = Tile | DifferenceTile


class Weight(NamedTuple):
    """A weight as a tile has it.

    Attributes
    ----------
    value
        As the file has it.
    kept, goes, guarded
        Whether it is not pruned, would go, is protected.
    """

    value: float
    kept: bool
    goes: bool
    guarded: bool


def enough_digits(value: float) -> int:
    """Return how many digits tell a float32 from every other one: 7 to 9."""
    with np.errstate(over="ignore"):
        exact = np.float32(value)
        return next((n for n in (7, 8) if np.float32(f"{value:.{n}g}") == exact), 9)


def weight_of(tile: Tile, row: int, column: int) -> Weight | None:
    """Return the weight at a place of the picture; None if it is not in the tile."""
    i, j = row - tile.request.row, column - tile.request.column
    height, width = tile.values.shape
    if not (0 <= i < height and 0 <= j < width):
        return None
    return Weight(
        float(tile.values[i, j]),
        bool(tile.kept[i, j]),
        bool(tile.going[i, j]),
        tile.guarded is not None and bool(tile.guarded[i, j]),
    )
