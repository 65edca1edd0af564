"""The color maps of weights, declared once for the setting, the menu and the lookup tables."""

from __future__ import annotations

from dataclasses import dataclass

# A color ``#rrggbb``, a token of the theme, or a token mixed with a share of another one.
Stop = str | tuple[str, str, float]
# Equally spaced colors, in light and in dark themes.
Ramp = tuple[tuple[Stop, ...], tuple[Stop, ...]]


@dataclass(frozen=True)
class ColorMap:
    """The colors of magnitudes and of signed weights."""

    name: str  # value of the setting
    text: str  # text of the menu, with its mnemonic
    magnitude: Ramp  # from the lower to the upper contrast limit
    signed: Ramp
    # Whether the middle of `signed` is the color of 0, so that its limits are symmetric.
    centered: bool = False

    @property
    def label(self) -> str:
        """The text without its mnemonic."""
        return self.text.replace("&", "")


_NEUTRAL = ("surface", "text", 0.04)
_GRAY = (("surface", "text", 0.1), "text")
_DARK_GRAY = (("surface", "text", 0.03), "text")
_VIRIDIS = (
    *("#440154", "#482878", "#3e4989", "#31688e", "#26828e"),
    *("#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"),
)

# Orange is reserved for pruned weights. The first map is the default.
COLOR_MAPS = (
    ColorMap(
        "standard",
        "&Standard",
        # One hue, from near the background to high contrast.
        magnitude=(
            (("surface", "kept", 0.16), "#5b8fc7", "#0c2a50"),
            (("surface", "kept", 0.06), "#2f628f", "#a9d4ff"),
        ),
        # Purple and green differ for all kinds of color vision.
        signed=(
            ("#43126b", "#a67cc4", _NEUTRAL, "#6fb583", "#0c4a24"),
            ("#dcb4ff", "#8a55b8", _NEUTRAL, "#2f8a55", "#98efb4"),
        ),
        centered=True,
    ),
    ColorMap("viridis", "&Viridis", magnitude=(_VIRIDIS, _VIRIDIS), signed=(_VIRIDIS, _VIRIDIS)),
    # Large magnitudes have the color of text, and small values are dark.
    ColorMap("gray", "&Gray", magnitude=(_GRAY, _DARK_GRAY), signed=(_GRAY[::-1], _DARK_GRAY)),
)
STANDARD = COLOR_MAPS[0]
