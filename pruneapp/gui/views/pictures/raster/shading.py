"""From a tile's numbers to its pixels, by table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from pruneapp.answers import Tile
from pruneapp.gui.views.pictures import colormap
from pruneapp.gui.views.pictures.colormap import NAN_SHADE, SHADES, SHARES, TOP_SHADE


class Mode(Enum):
    """What the picture shows of a weight."""

    MAGNITUDE_AND_MASK = "magnitude+mask"
    MASK = "mask"
    SIGNED = "signed"
    MAGNITUDE = "magnitude"


@dataclass(frozen=True)
class Look:
    """How a tile is to look; equal looks of the same tile are the same picture.

    Attributes
    ----------
    mode
        What is shown.
    masked
        Whether pruned weights are orange; `Mode.MASK` always is.
    blended
        Whether what would go is mixed with orange, because a hatch would not be seen.
    reduction
        Rows and columns of the tile that become one.
    """

    mode: Mode
    masked: bool
    blended: bool
    reduction: tuple[int, int] = (1, 1)


class Tables:
    """The tables of one theme."""

    def __init__(self, colors: Mapping[str, str]) -> None:
        self.density = colormap.density_table()
        self.magnitude = colormap.shade_table(colormap.magnitude_stops(colors), colors)
        self.signed = colormap.shade_table(colormap.signed_stops(colors), colors)


def shade(tile: Tile, look: Look, tables: Tables) -> NDArray[np.uint32]:
    """Return ``uint32[h, w]``, the pixels of a tile as in ``QImage.Format_RGB32``."""
    kept = _reduced(tile.kept, look.reduction)
    if look.blended and tile.going.any():
        # Half of the orange: more than kept, less than pruned.
        kept = kept - _reduced(tile.going, look.reduction) / 2
    if look.mode is Mode.MASK:
        return tables.density[_levels(kept, 255)]
    # A mean has lost the signs, so a coarse tile shows magnitudes in the signed mode as well.
    signed = look.mode is Mode.SIGNED and tile.request.pool == 1
    table = tables.signed if signed else tables.magnitude
    shades = _shades(
        _reduced(tile.values, look.reduction, magnitude=not signed), tile.scale, signed=signed
    )
    if look.masked:
        shades += _levels(kept, SHARES - 1).astype(np.uint16) * np.uint16(SHADES)
    else:
        shades += np.uint16((SHARES - 1) * SHADES)
    return table[shades]


def _shades(values: NDArray[np.floating], scale: float, *, signed: bool) -> NDArray[np.uint16]:
    with np.errstate(invalid="ignore", over="ignore"):  # infinite values, tiny or no scales
        relative = values / np.float32(scale) if scale > 0 else values * np.float32(0)
    missing = np.isnan(values)
    if signed:
        relative = (np.clip(relative, -1, 1) + 1) * np.float32(TOP_SHADE / 2)
    else:
        relative = np.minimum(relative, 1) * np.float32(TOP_SHADE)
    if missing.any() or np.isnan(relative).any():  # 0 times infinity, where the scale is 0
        relative = np.where(np.isnan(relative), np.float32(TOP_SHADE), relative)
        relative[missing] = NAN_SHADE
    return (relative + np.float32(0.5)).astype(np.uint16)


def _levels(share: NDArray[np.floating], top: int) -> NDArray[np.uint8]:
    levels: NDArray[np.uint8] = (np.clip(share, 0, 1) * np.float32(top) + 0.5).astype(np.uint8)
    return levels


def _reduced(
    values: NDArray[np.floating], factors: tuple[int, int], *, magnitude: bool = False
) -> NDArray[np.floating]:
    if magnitude:
        values = np.abs(values)
    for axis, factor in enumerate(factors):
        if factor > 1:
            extent = values.shape[axis]
            starts = np.arange(0, extent, factor)
            counts = np.diff(np.append(starts, extent)).astype(np.float32)
            sums = np.add.reduceat(values, starts, axis=axis, dtype=np.float32)
            values = sums / (counts[:, None] if axis == 0 else counts)
    return values
