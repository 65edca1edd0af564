"""From a tile's numbers to its pixels, by table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pruneapp.gui.plots.heatmap import shading_colormap
from pruneapp.gui.plots.heatmap.shading_colormap import DEPTHS, NAN_SHADE, SHADES, SHARES, TOP_SHADE
from pruneapp.results.tile import Tile


class Mode(Enum):
    """What the picture shows of a weight."""

    MAGNITUDE = "magnitude"
    SIGNED = "signed"
    RESULT = "result"
    MASK = "mask"
    DIFFERENCE = "difference"


# The modes over which the mask lies, as strongly as a person wants.
BLENDED = (Mode.MAGNITUDE, Mode.SIGNED)


@dataclass(frozen=True)
class Look:
    """How a tile is to look; equal looks of the same tile are the same picture.

    Attributes
    ----------
    mode
        What is shown.
    strength
        How strongly the orange of what is pruned lies over the weights, from 0 to 1.
    stripe
        Which of the stripes of what is to be pruned is meant: 0 the light one, 1 the dark one.
    reduction
        Rows and columns of the tile that become one.
    """

    mode: Mode
    strength: float = 1.0
    stripe: int = 0
    reduction: tuple[int, int] = (1, 1)

    @property
    def masked(self) -> bool:
        """Whether it can be seen what is pruned, and what is to be."""
        return self.mode is Mode.MASK or self.strength > 0


class ColorTables:
    """The tables of one theme."""

    def __init__(self, colors: Mapping[str, str]) -> None:
        self._danger = colors["danger"]
        self._magnitude = shading_colormap.magnitude_stops(colors)
        self._signed = shading_colormap.signed_stops(colors)

    def ramp(self, stripe: int | None = None, *, signed: bool = False) -> NDArray[np.uint32]:
        """Return the table of magnitudes or signed values, see `colormap.shade_table`."""
        stops = self._signed if signed else self._magnitude
        return shading_colormap.shade_table(stops, self._danger, stripe)


def shade(tile: Tile, look: Look, tables: ColorTables) -> NDArray[np.uint32]:
    """Return ``uint32[h, w]``, the pixels of a tile as in ``QImage.Format_RGB32``.

    What is to be pruned is counted as pruned: a preview is as bright as its result, and has
    stripes, of which this returns the light ones or the dark ones.
    """
    kept = reduced(tile.kept, look.reduction)
    stripe: int | None = None
    depth: NDArray[np.uint16] | np.uint16 = np.uint16(0)
    if look.masked and tile.going.any():
        going = reduced(tile.going, look.reduction)
        kept = kept - going
        stripe, depth = look.stripe, _depth(going, 1 - kept)
    if look.mode is Mode.MASK:
        return shading_colormap.density_table(stripe).take(
            _levels(kept, 255) + depth * np.uint16(256)
        )
    # A mean has lost the signs, so a coarse tile shows magnitudes in the signed mode as well.
    signed = look.mode is Mode.SIGNED and tile.request.pool == 1
    table = tables.ramp(stripe, signed=signed)
    shades = shades_of(
        reduced(tile.values, look.reduction, magnitude=not signed), tile.scale, signed=signed
    )
    if look.strength <= 0 or kept.min() >= 1:
        return table[(SHARES - 1) * SHADES :].take(shades)
    share = kept if look.strength >= 1 else 1 - (1 - kept) * np.float32(look.strength)
    levels = _levels(share, SHARES - 1) + depth * np.uint16(SHARES)
    return table.take(levels * np.uint16(SHADES) + shades)


def _depth(going: NDArray[np.floating], pruned: NDArray[np.floating]) -> NDArray[np.uint16]:
    """Return how much of what is pruned in the end is to be pruned now, from 0 to DEPTHS - 1."""
    whole = np.maximum(pruned, np.float32(1e-6))
    return _levels(going / whole, DEPTHS - 1).astype(np.uint16)


def shades_of(values: NDArray[np.floating], scale: float, *, signed: bool) -> NDArray[np.uint8]:
    """Return ``uint8[h, w]``: which of the shades of a ramp each value has.

    The upper half of a float32 tells it: 8 bits of its fraction are more than there are shades.
    """
    upper = np.ascontiguousarray(values, np.float32).view("<u2")[:, 1::2]
    shades: NDArray[np.uint8] = _shade_table(scale, signed).take(upper)
    if (shades == NAN_SHADE).any():  # or infinite, which differs in the lower half only
        shades[np.isinf(values)] = TOP_SHADE
        if signed:
            shades[values == -np.inf] = 0
    return shades


@lru_cache(maxsize=8)
def _shade_table(scale: float, signed: bool) -> NDArray[np.uint8]:
    """Return ``uint8[65536]``: the shade by the upper half of a float32, NaN for all infinite."""
    halves = np.arange(1 << 16, dtype=np.uint32)
    values = (halves << np.uint32(16) | np.uint32(0x8000)).view(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):  # tiny or no scales
        relative = values / np.float32(scale) if scale > 0 else values * np.float32(0)
    if signed:
        relative = (np.clip(relative, -1, 1) + 1) * np.float32(TOP_SHADE / 2)
    else:
        relative = np.minimum(np.abs(relative), 1) * np.float32(TOP_SHADE)
    shades: NDArray[np.uint8] = (np.nan_to_num(relative, nan=0) + 0.5).astype(np.uint8)
    shades[np.isnan(values)] = NAN_SHADE
    return shades


def _levels(share: NDArray[np.floating], top: int) -> NDArray[np.uint8]:
    levels: NDArray[np.uint8] = (np.clip(share, 0, 1) * np.float32(top) + 0.5).astype(np.uint8)
    return levels


def reduced(
    values: NDArray[np.floating], factors: tuple[int, int], *, magnitude: bool = False
) -> NDArray[np.floating]:
    """Return means over so many rows and columns, of magnitudes if signs are not seen.

    Whole rows, or columns, are added to one another: ten times as fast as sums group by group.
    """
    if magnitude and max(factors) > 1:
        values = np.abs(values)
    for axis, factor in enumerate(factors):
        if factor > 1:
            values = np.moveaxis(_means(np.moveaxis(values, axis, 0), factor), 0, axis)
    return values


def _means(values: NDArray[np.floating], factor: int) -> NDArray[np.floating]:
    """Return means over so many along the first axis; the last one may be over fewer."""
    whole = len(values) // factor
    means = np.empty((-(-len(values) // factor), *values.shape[1:]), np.float32)
    if whole:
        sums = means[:whole]
        sums[...] = values[: whole * factor : factor]
        for start in range(1, factor):
            sums += values[start : whole * factor : factor]
        sums /= factor
    if len(means) > whole:
        values[whole * factor :].mean(axis=0, dtype=np.float32, out=means[whole])
    return means
