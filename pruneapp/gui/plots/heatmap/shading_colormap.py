"""Colours of weights: tables from a small index to the bytes that Qt paints.

Mixtures are made in linear light where they stand for a share of an area (a density), because
that is what the eye sees of a fine pattern from afar; ramps are made in OKLab, where equal steps
look equal (Bjorn Ottosson, "A perceptual color space for image processing", 2020).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# The pair of the mask, the same in both themes: apart in lightness as well as in hue (4.7 : 1).
MASK_KEPT = "#24466e"
MASK_PRUNED = "#f4a340"
# What is pruned among magnitudes and signed values, in both themes: as far from small values on a
# light ground as on a dark one. The bright orange of the pair would be lost among light shades,
# and outshine dark ones: a fifth of it would look like half.
PRUNED_OVER = "#c4630a"
_PALE = "#ffe0a0"  # in the light stripes of what is to be pruned, which stay orange with it

# An index of a shaded weight is ``share * SHADES + shade``: 128 shades, the last one for NaN, and
# 64 shares of what is kept.
SHADES = 128
SHARES = 64
NAN_SHADE = SHADES - 1
TOP_SHADE = SHADES - 2
# How far the stripes of what is to be pruned differ from the orange between them on average, in so
# many steps: of pixels of which one part is pruned already and another is to be, by the parts.
DEPTHS = 3

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
    """Return the orange of what is pruned: in the mask alone, or over values."""
    return MASK_PRUNED if alone else PRUNED_OVER


def linear(color: str) -> Floats:
    """Return ``float64[3]``: red, green, blue of ``#rrggbb`` in linear light, from 0 to 1."""
    encoded = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def pixels(light: Floats) -> Pixels:
    """Return ``uint32[n]`` as in ``QImage.Format_RGB32``, of ``float64[n, 3]`` in linear light."""
    light = np.clip(light, 0, 1)
    encoded = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    red, green, blue = np.rint(encoded * 255).astype(np.uint32).T
    packed: Pixels = np.uint32(0xFF000000) | red << np.uint32(16) | green << np.uint32(8) | blue
    return packed


def luminance(color: str) -> float:
    """Return the relative luminance, from 0 to 1."""
    return float(linear(color) @ (0.2126, 0.7152, 0.0722))


def is_dark(colors: Mapping[str, str]) -> bool:
    """Whether a theme is light on dark."""
    return luminance(colors["surface"]) < 0.2


def mix(first: str, second: str, share: float) -> str:
    """Return `first` with a `share` of `second` in it, mixed in linear light."""
    mixed = (1 - share) * linear(first) + share * linear(second)
    return f"#{int(pixels(mixed[None])[0]) & 0xFFFFFF:06x}"


def ramp(stops: Sequence[str], count: int) -> Floats:
    """Return ``float64[count, 3]`` in linear light: from stop to stop in even steps of OKLab."""
    light = np.array([linear(stop) for stop in stops])
    lab = np.cbrt(light @ _TO_LMS.T) @ _TO_LAB.T
    at = np.linspace(0, len(stops) - 1, count)
    between = np.stack([np.interp(at, range(len(stops)), axis) for axis in lab.T], axis=1)
    return (between @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_LMS).T


def stripe_pair(color: str) -> tuple[str, str]:
    """Return the light and the dark stripe of what is to be pruned.

    Half of each together emit as much light as `color`: a preview is as bright as its result.
    """
    share = luminance(color)
    light = mix(color, _PALE, 0.5 * share / (luminance(_PALE) - share))
    return light, mix("#000000", color, 2 - luminance(light) / share)


def _depths(color: str, stripe: int | None) -> list[Floats]:
    """Return `color` and, for a stripe (0 light, 1 dark), what leads to it, in linear light."""
    if stripe is None:
        return [linear(color)]
    whole = linear(stripe_pair(color)[stripe])
    return [linear(color) + (whole - linear(color)) * at for at in np.linspace(0, 1, DEPTHS)]


@lru_cache(maxsize=8)
def density_table(stripe: int | None = None) -> Pixels:
    """Return ``uint32[256]``: from all pruned to all kept.

    For a stripe of what is to be pruned (0 light, 1 dark): ``uint32[DEPTHS * 256]``.
    """
    share = np.linspace(0, 1, 256)[:, None]
    kept = share * linear(MASK_KEPT)
    return np.concatenate(
        [pixels((1 - share) * pruned + kept) for pruned in _depths(MASK_PRUNED, stripe)]
    )


def magnitude_stops(colors: Mapping[str, str]) -> tuple[str, ...]:
    """Return one hue, from what hardly leaves the surface to what stands out most."""
    if is_dark(colors):
        return (mix(colors["surface"], colors["kept"], 0.06), "#2f628f", "#a9d4ff")
    return (mix(colors["surface"], colors["kept"], 0.16), "#5b8fc7", "#0c2a50")


def signed_stops(colors: Mapping[str, str]) -> tuple[str, ...]:
    """Return purple to green through the surface's neutral; orange stays free for the mask."""
    neutral = mix(colors["surface"], colors["text"], 0.04)
    if is_dark(colors):
        return ("#dcb4ff", "#8a55b8", neutral, "#2f8a55", "#98efb4")
    return ("#43126b", "#a67cc4", neutral, "#6fb583", "#0c4a24")


@lru_cache(maxsize=16)
def shade_table(stops: tuple[str, ...], danger: str, stripe: int | None = None) -> Pixels:
    """Return ``uint32[SHARES * SHADES]``: a ramp, mixed with the pruned colour by share.

    The last of the shades is the colour of danger, for NaN. For a stripe of what is to be pruned
    (0 light, 1 dark): ``uint32[DEPTHS * SHARES * SHADES]``.
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
    """Return black or white, whichever is easier to read on a pixel."""
    return "#000000" if luminance(f"#{pixel & 0xFFFFFF:06x}") > 0.18 else "#ffffff"
