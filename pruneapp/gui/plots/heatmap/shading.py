"""Conversion of tiles to pixels with lookup tables.

Densities (shares of an area) are mixed in linear light, as the eye sees a fine pattern from a
distance. Color ramps are computed in OKLab, in which equal steps look equal (Björn Ottosson, "A
perceptual color space for image processing", 2020).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.tiles import DifferenceTile, Tile
from pruneapp.gui.widgets.color_maps import STANDARD, ColorMap, Ramp, Stop

# Colors of the mask in both themes; they differ in luminance (4.7 : 1) as well as in hue.
MASK_KEPT = "#24466e"
MASK_PRUNED = "#f4a340"
# Color of pruned weights over magnitudes and signed values in both themes, distinct from small
# values on light and dark backgrounds. MASK_PRUNED would be lost among light colors and outshine
# dark ones: a fifth of it would look like half.
PRUNED_OVER = "#c4630a"
_PALE = "#ffe0a0"  # mixed into the light stripes of weights to be pruned

# A table index is ``share * SHADES + shade``: 128 shades, the last one for NaN, and 64 shares of
# kept weights.
SHADES = 128
SHARES = 64
NAN_SHADE = SHADES - 1
TOP_SHADE = SHADES - 2
# Number of contrast levels of the stripes. The contrast of a cell depends on which share of its
# pruned weights is to be pruned now.
DEPTHS = 3

AnyTile = Tile | DifferenceTile
Floats = NDArray[np.float64]
Pixels = NDArray[np.uint32]

_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def pruned_color(*, alone: bool) -> str:
    """Return the color of pruned weights: `alone` in the mask, or over values."""
    return MASK_PRUNED if alone else PRUNED_OVER


def linear(color: str) -> Floats:
    """Return red, green and blue of ``#rrggbb`` in linear light, ``float64[3]`` from 0 to 1."""
    encoded = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def pixels(light: Floats) -> Pixels:
    """Return ``uint32[n]`` (``QImage.Format_RGB32``) of linear light ``float64[n, 3]``."""
    light = np.clip(light, 0, 1)
    encoded = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    red, green, blue = np.rint(encoded * 255).astype(np.uint32).T
    packed: Pixels = np.uint32(0xFF000000) | red << np.uint32(16) | green << np.uint32(8) | blue
    return packed


def luminance(color: str) -> float:
    return float(linear(color) @ (0.2126, 0.7152, 0.0722))


def is_dark(colors: Mapping[str, str]) -> bool:
    """Return whether a theme has light text on a dark background."""
    return luminance(colors["surface"]) < 0.2


def mix(first: str, second: str, share: float) -> str:
    """Return `first` mixed with a `share` of `second` in linear light."""
    mixed = (1 - share) * linear(first) + share * linear(second)
    return f"#{int(pixels(mixed[None])[0]) & 0xFFFFFF:06x}"


def ramp(stops: Sequence[str], count: int) -> Floats:
    """Return ``float64[count, 3]`` in linear light, interpolated evenly between stops in OKLab."""
    light = np.array([linear(stop) for stop in stops])
    lab = np.cbrt(light @ _TO_LMS.T) @ _TO_LAB.T
    at = np.linspace(0, len(stops) - 1, count)
    between = np.stack([np.interp(at, range(len(stops)), axis) for axis in lab.T], axis=1)
    return (between @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_LMS).T


def middle_of(stops: Sequence[str]) -> str:
    """Return the color in the middle of a ramp as ``#rrggbb``."""
    return f"#{int(pixels(ramp(stops, 3))[1]) & 0xFFFFFF:06x}"


def stripe_pair(color: str) -> tuple[str, str]:
    """Return the colors of the light and the dark stripes of weights to be pruned.

    Their mean luminance is that of `color`, as ``#rrggbb``: a preview is as bright as its result.
    """
    share = luminance(color)
    light = mix(color, _PALE, 0.5 * share / (luminance(_PALE) - share))
    return light, mix("#000000", color, 2 - luminance(light) / share)


def _depths(color: str, stripe: int | None) -> list[Floats]:
    """Return `DEPTHS` colors in linear light, from `color` to the color of the stripe.

    `stripe` is 0 for light and 1 for dark stripes; None returns only `color`.
    """
    if stripe is None:
        return [linear(color)]
    whole = linear(stripe_pair(color)[stripe])
    return [linear(color) + (whole - linear(color)) * at for at in np.linspace(0, 1, DEPTHS)]


@lru_cache(maxsize=8)
def density_table(stripe: int | None = None) -> Pixels:
    """Return ``uint32[256]`` pixels from all pruned to all kept, the colors of the mask.

    With `stripe` (0 light, 1 dark) return ``uint32[DEPTHS * 256]``, see `DEPTHS`. Cached; callers
    must not modify it.
    """
    share = np.linspace(0, 1, 256)[:, None]
    kept = share * linear(MASK_KEPT)
    return np.concatenate(
        [pixels((1 - share) * pruned + kept) for pruned in _depths(MASK_PRUNED, stripe)]
    )


def magnitude_stops(colors: Mapping[str, str], color_map: ColorMap = STANDARD) -> tuple[str, ...]:
    """Return the colors of magnitudes in a theme, from the lower to the upper limit."""
    return _stops(color_map.magnitude, colors)


def signed_stops(colors: Mapping[str, str], color_map: ColorMap = STANDARD) -> tuple[str, ...]:
    """Return the colors of signed values in a theme, from the lower to the upper limit."""
    return _stops(color_map.signed, colors)


def _stops(ramp: Ramp, colors: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(_stop(stop, colors) for stop in ramp[is_dark(colors)])


def _stop(stop: Stop, colors: Mapping[str, str]) -> str:
    if isinstance(stop, str):
        return colors.get(stop, stop)
    first, second, share = stop
    return mix(colors[first], colors[second], share)


@lru_cache(maxsize=16)
def shade_table(stops: tuple[str, ...], danger: str, stripe: int | None = None) -> Pixels:
    """Return ``uint32[SHARES * SHADES]`` pixels: a ramp mixed with the color of pruned weights.

    The index is ``share * SHADES + shade``, from all pruned to all kept. The last shade is
    `danger`, for NaN. With `stripe` (0 light, 1 dark) return ``uint32[DEPTHS * SHARES * SHADES]``.
    Cached; callers must not modify it.
    """
    shades = np.concatenate([ramp(stops, NAN_SHADE), linear(danger)[None]])
    share = np.linspace(0, 1, SHARES)[:, None, None]
    return np.concatenate(
        [
            pixels((share * shades + (1 - share) * pruned).reshape(-1, 3))
            for pruned in _depths(PRUNED_OVER, stripe)
        ]
    )


def readable_on(pixel: int) -> str:
    """Return black or white, whichever has more contrast with a pixel."""
    return "#000000" if luminance(f"#{pixel & 0xFFFFFF:06x}") > 0.18 else "#ffffff"


class Mode(Enum):
    """What the heatmap shows of each weight."""

    MAGNITUDE = "magnitude"
    SIGNED = "signed"
    RESULT = "result"
    MASK = "mask"
    DIFFERENCE = "difference"


class ContrastLimits(NamedTuple):
    """The values that have the first and the last color of a ramp; others are clipped to them."""

    low: float
    high: float
    signed: bool = False  # whether of signed values; else of magnitudes


def limits_of(
    tile: AnyTile, mode: Mode, chosen: ContrastLimits | None = None, *, centered: bool = True
) -> ContrastLimits:
    """Return the limits with which a tile is drawn.

    Limits that were chosen for magnitudes apply to signed values with both signs, and the other way
    round; None is for the automatic ones, up to the scale of the tile. With `centered`, or for a
    difference, those of signed values are symmetric.
    """
    # Means have no sign, so coarse tiles show magnitudes in the signed mode, too.
    signed = mode in {Mode.SIGNED, Mode.DIFFERENCE} and tile.request.pool == 1
    if chosen is None:
        high = tile.scale
    elif signed == chosen.signed and not (signed and (centered or mode is Mode.DIFFERENCE)):
        return chosen
    else:
        high = max(-chosen.low, chosen.high)
    return ContrastLimits(-high if signed else 0.0, high, signed)


# Modes with an overlay of the mask whose opacity the user can set.
BLENDED = (Mode.MAGNITUDE, Mode.SIGNED)


@dataclass(frozen=True)
class TileStyle:
    """How a tile is drawn; the key of cached images."""

    mode: Mode
    # Opacity of the color of pruned weights, from 0 to 1.
    strength: float = 1.0
    # Color of the weights to be pruned: 0 for the light stripes, 1 for the dark ones.
    stripe: int = 0
    reduction: tuple[int, int] = (1, 1)  # rows and columns of the tile to combine
    limits: ContrastLimits | None = None  # the chosen limits; None for the automatic ones

    @property
    def masked(self) -> bool:
        """Whether pruned and to-be-pruned weights are visible."""
        return self.mode is Mode.MASK or self.strength > 0


class ColorTables:
    """The lookup tables of a theme: ramps as pixels, colors of differences in linear light.

    `color_map` does not apply to differences, whose neutral color has to be that of 0.
    """

    def __init__(self, colors: Mapping[str, str], color_map: ColorMap = STANDARD) -> None:
        self.centered = color_map.centered
        self._danger = colors["danger"]
        self._magnitude = magnitude_stops(colors, color_map)
        self._signed = signed_stops(colors, color_map)
        self.changes = {
            signs: shade_table(change_stops(colors, signs=signs), self._danger)[
                (SHARES - 1) * SHADES :
            ]
            for signs in (False, True)
        }
        # By stripe: restored weights have stripes of the kept color and of the background.
        self.flat = [
            np.array([linear(color) for color in flat], np.float32)
            for flat in (
                (PRUNED_OVER, colors["kept"], neither_color(colors)),
                (PRUNED_OVER, colors["surface"], neither_color(colors)),
            )
        ]

    def ramp(self, stripe: int | None = None, *, signed: bool = False) -> NDArray[np.uint32]:
        """Return the table of magnitudes or signed values, see `shade_table`."""
        stops = self._signed if signed else self._magnitude
        return shade_table(stops, self._danger, stripe)

    def bar(self, mode: Mode, *, signed: bool) -> Pixels:
        """Return the colors of unpruned weights from the lower to the upper limit, uint32[127]."""
        if mode is Mode.DIFFERENCE:
            return self.changes[signed][:NAN_SHADE]
        return self.ramp(signed=signed)[(SHARES - 1) * SHADES :][:NAN_SHADE]


def shade(tile: AnyTile, style: TileStyle, tables: ColorTables) -> NDArray[np.uint32]:
    """Return the pixels of a tile, ``uint32[h, w]`` as in ``QImage.Format_RGB32``.

    Rows and columns are combined by ``style.reduction``. Weights to be pruned are drawn like pruned
    ones but striped, so that a preview is as bright as its result. One call returns the pixels for
    either the light or the dark stripes.
    """
    if isinstance(tile, DifferenceTile):
        return _shade_difference(tile, style, tables)
    kept = group_means(tile.kept, style.reduction)
    stripe: int | None = None
    depth: NDArray[np.uint16] | np.uint16 = np.uint16(0)
    if style.masked and tile.to_be_pruned.any():
        to_prune = group_means(tile.to_be_pruned, style.reduction)
        kept = kept - to_prune
        stripe, depth = style.stripe, _depth(to_prune, 1 - kept)
    if style.mode is Mode.MASK:
        return density_table(stripe).take(_levels(kept, 255) + depth * np.uint16(256))
    limits = limits_of(tile, style.mode, style.limits, centered=tables.centered)
    table = tables.ramp(stripe, signed=limits.signed)
    values = group_means(tile.values, style.reduction, magnitude=not limits.signed)
    shades = shades_of(values, limits)
    if style.strength <= 0 or kept.min() >= 1:
        return table[(SHARES - 1) * SHADES :].take(shades)
    share = kept if style.strength >= 1 else 1 - (1 - kept) * np.float32(style.strength)
    levels = _levels(share, SHARES - 1) + depth * np.uint16(SHARES)
    return table.take(levels * np.uint16(SHADES) + shades)


def _depth(to_prune: NDArray[np.floating], pruned: NDArray[np.floating]) -> NDArray[np.uint16]:
    """Return the share of the pruned weights that is to be pruned now, from 0 to DEPTHS - 1."""
    whole = np.maximum(pruned, np.float32(1e-6))
    return _levels(to_prune / whole, DEPTHS - 1).astype(np.uint16)


def shades_of(values: NDArray[np.floating], limits: ContrastLimits) -> NDArray[np.uint8]:
    """Return the index of the shade of each value, or of its magnitude, ``uint8[h, w]``.

    From 0 at the lower limit to `TOP_SHADE` at the upper one; values beyond are clipped, NaN is
    `NAN_SHADE`. Looked up by the upper 16 bits of the float32; they have more precision than there
    are shades.
    """
    low, high, signed = limits
    if high - low < max(-low, high):
        # Far from 0 the upper 16 bits are less precise than the shades.
        with np.errstate(invalid="ignore"):  # signaling NaN
            values = (values if signed else np.abs(values)) - np.float32(low)
        low, high, signed = 0.0, high - low, True
    upper = np.ascontiguousarray(values, np.float32).view("<u2")[:, 1::2]
    if not signed:
        upper = upper & np.uint16(0x7FFF)
    shades: NDArray[np.uint8] = _shade_table(low, high).take(upper)
    if (shades == NAN_SHADE).any():  # or infinite, which differs only in the lower half
        shades[np.isinf(values)] = TOP_SHADE
        if signed:
            shades[values == -np.inf] = 0
    return shades


@lru_cache(maxsize=8)
def _shade_table(low: float, high: float) -> NDArray[np.uint8]:
    """Return ``uint8[65536]``: shade by upper half of a float32; NAN_SHADE for infinity.

    Without a distance between the limits, every finite number has the first shade.
    """
    halves = np.arange(1 << 16, dtype=np.uint32)
    bits = halves << np.uint32(16) | np.uint32(0x8000)
    with np.errstate(invalid="ignore", over="ignore"):  # NaN, or a tiny distance
        values = bits.view(np.float32).astype(np.float64)
        relative = (values - low) / (high - low) if high > low else 0 * values
    shades: NDArray[np.uint8] = (np.clip(np.nan_to_num(relative), 0, 1) * TOP_SHADE + 0.5).astype(
        np.uint8
    )
    shades[np.isnan(values)] = NAN_SHADE
    return shades


def _levels(share: NDArray[np.floating], top: int) -> NDArray[np.uint8]:
    levels: NDArray[np.uint8] = (np.clip(share, 0, 1) * np.float32(top) + 0.5).astype(np.uint8)
    return levels


def group_means(
    values: NDArray[np.floating], factors: tuple[int, int], *, magnitude: bool = False
) -> NDArray[np.floating]:
    """Return means over groups of rows and columns; of magnitudes if `magnitude`.

    Groups at the end may be smaller. With factors of 1, `values` itself is returned, with signs.
    Adding whole rows or columns is ten times as fast as summing each group.
    """
    if magnitude and max(factors) > 1:
        values = np.abs(values)
    for axis, factor in enumerate(factors):
        if factor > 1:
            values = np.moveaxis(_means(np.moveaxis(values, axis, 0), factor), 0, axis)
    return values


def _means(values: NDArray[np.floating], factor: int) -> NDArray[np.floating]:
    """Return means over `factor` entries of the first axis; the last group may be smaller."""
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


# Number of entries of the table that encodes linear light.
_LIGHTS = 4096


def neither_color(colors: Mapping[str, str]) -> str:
    """Return the color of weights that are pruned in both states."""
    return mix(colors["surface"], colors["muted"], 0.45)


def change_stops(colors: Mapping[str, str], *, signs: bool) -> tuple[str, ...]:
    """Return the ramp of differences; gray without signs, because hues would imply a sign."""
    if signs:
        return signed_stops(colors)
    neutral = signed_stops(colors)[2]
    return (neutral, colors["muted"], colors["text"])


_ENCODED = pixels(np.repeat(np.linspace(0, 1, _LIGHTS)[:, None], 3, axis=1)) & np.uint32(0xFF)


def _shade_difference(
    tile: DifferenceTile, style: TileStyle, tables: ColorTables
) -> NDArray[np.uint32]:
    limits = limits_of(tile, style.mode, style.limits)
    change = group_means(tile.change, style.reduction, magnitude=not limits.signed)
    ramp = tables.changes[limits.signed]
    shades = shades_of(change, limits)
    shares = [
        group_means(s, style.reduction) for s in (tile.removed, tile.restored, tile.in_neither)
    ]
    if not any(share.any() for share in shares):
        return ramp.take(shades)
    rest = 1 - shares[0] - shares[1] - shares[2]
    lights = np.array([linear(f"#{int(p) & 0xFFFFFF:06x}") for p in ramp], np.float32)
    light = lights[shades] * rest[..., None]
    for share, color in zip(shares, tables.flat[style.stripe], strict=True):
        light += share[..., None] * color
    levels = _ENCODED.take((np.clip(light, 0, 1) * (_LIGHTS - 1) + 0.5).astype(np.uint16))
    red, green, blue = np.moveaxis(levels, -1, 0)
    pixels: Pixels = np.uint32(0xFF000000) | red << np.uint32(16) | green << np.uint32(8) | blue
    return pixels


_SAMPLE = 1 << 16


def sample_of(tile: AnyTile, *, kept_only: bool) -> NDArray[np.floating]:
    """Return about `_SAMPLE` finite values that are drawn in their colors, ``float32[n]``.

    With `kept_only`, without those of pixels that have no kept weight. In a difference, without
    those of pixels that have no weight that is kept on both sides.
    """
    if isinstance(tile, Tile):
        values, kept = tile.values, tile.kept - tile.to_be_pruned if kept_only else None
    else:
        values, kept = tile.change, 1 - tile.removed - tile.restored - tile.in_neither
    # An odd step, so that all columns are sampled if their number is a power of 2.
    step = values.size // _SAMPLE | 1
    sample = values.ravel()[::step]
    if kept is not None:
        sample = sample[kept.ravel()[::step] > 0]
    return sample[np.isfinite(sample)]


class Weight(NamedTuple):
    """A weight: its value in the file, and whether it is kept, to be pruned, and protected."""

    value: float
    kept: bool
    to_prune: bool
    protected: bool


def enough_digits(value: float) -> int:
    """Return the number of digits (7 to 9) that identifies a float32 uniquely."""
    with np.errstate(over="ignore"):
        exact = np.float32(value)
        return next((n for n in (7, 8) if np.float32(f"{value:.{n}g}") == exact), 9)


def weight_of(tile: Tile, row: int, column: int) -> Weight | None:
    """Return the weight at a row and column of the heatmap; None if it is not in the tile.

    The tile must not be pooled.
    """
    i, j = row - tile.request.row, column - tile.request.column
    height, width = tile.values.shape
    if not (0 <= i < height and 0 <= j < width):
        return None
    return Weight(
        float(tile.values[i, j]),
        bool(tile.kept[i, j]),
        bool(tile.to_be_pruned[i, j]),
        tile.protected is not None and bool(tile.protected[i, j]),
    )
