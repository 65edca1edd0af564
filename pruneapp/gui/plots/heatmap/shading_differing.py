"""From a tile of a difference to its pixels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pruneapp.gui.plots.heatmap import shading_colormap
from pruneapp.gui.plots.heatmap.shading import reduced, shades_of
from pruneapp.gui.plots.heatmap.shading_colormap import SHADES, SHARES
from pruneapp.results.tile import DifferenceTile

# Light is mixed from 0 to 1 and encoded by a table of so many entries.
_LIGHTS = 4096


def neither_color(colors: Mapping[str, str]) -> str:
    """Return the colour of what is pruned on both sides: neither orange nor a value."""
    return shading_colormap.mix(colors["surface"], colors["muted"], 0.45)


def change_stops(colors: Mapping[str, str], *, signs: bool) -> tuple[str, ...]:
    """Return the ramp of changed values; without signs it is grey, or it would tell some."""
    if signs:
        return shading_colormap.signed_stops(colors)
    neutral = shading_colormap.signed_stops(colors)[2]
    return (neutral, colors["muted"], colors["text"])


def restored_color(colors: Mapping[str, str]) -> str:
    """Return the blue of what is there again."""
    return colors["kept"]


class DifferenceTables:
    """The colours of one theme: ramps as pixels and in linear light."""

    def __init__(self, colors: Mapping[str, str]) -> None:
        self._ramps = {
            signs: shading_colormap.shade_table(
                change_stops(colors, signs=signs), colors["danger"]
            )[(SHARES - 1) * SHADES :]
            for signs in (False, True)
        }
        # What is there again has stripes of blue, and of the surface.
        self._flat = [
            np.array([shading_colormap.linear(color) for color in flat], np.float32)
            for flat in (
                (shading_colormap.PRUNED_OVER, restored_color(colors), neither_color(colors)),
                (shading_colormap.PRUNED_OVER, colors["surface"], neither_color(colors)),
            )
        ]

    def shade(
        self, tile: DifferenceTile, reduction: tuple[int, int], stripe: int = 0
    ) -> NDArray[np.uint32]:
        """Return ``uint32[h, w]``, the pixels of a tile as in ``QImage.Format_RGB32``."""
        signs = tile.request.pool == 1
        change = reduced(tile.change, reduction, magnitude=not signs)
        ramp = self._ramps[signs]
        shades = shades_of(change, tile.scale, signed=signs)
        shares = [reduced(s, reduction) for s in (tile.gone, tile.back, tile.neither)]
        if not any(share.any() for share in shares):
            return ramp.take(shades)
        rest = 1 - shares[0] - shares[1] - shares[2]
        light = _light(ramp)[shades] * rest[..., None]
        for share, color in zip(shares, self._flat[stripe], strict=True):
            light += share[..., None] * color
        levels = _ENCODED.take((np.clip(light, 0, 1) * (_LIGHTS - 1) + 0.5).astype(np.uint16))
        found: NDArray[np.uint32] = (
            np.uint32(0xFF000000)
            | levels[..., 0] << np.uint32(16)
            | levels[..., 1] << np.uint32(8)
            | levels[..., 2]
        )
        return found


def _light(ramp: NDArray[np.uint32]) -> NDArray[np.float32]:
    return np.array(
        [shading_colormap.linear(f"#{int(p) & 0xFFFFFF:06x}") for p in ramp], np.float32
    )


def _encoded() -> NDArray[np.uint32]:
    grey = np.repeat(np.linspace(0, 1, _LIGHTS)[:, None], 3, axis=1)
    return shading_colormap.pixels(grey) & np.uint32(0xFF)


_ENCODED = _encoded()
