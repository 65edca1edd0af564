"""The colours by token, light and dark: every colour of the window stands here once.

Contrast on its surface is at least 4.5 for text and 3 for marks (tests/gui/test_theme.py). Orange
means pruned and nothing else, blue means kept, violet is the accent.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LIGHT: Mapping[str, str] = MappingProxyType(
    {
        "window": "#f5f6f8",
        "surface": "#ffffff",
        "border": "#c9ced6",
        "button": "#eceef2",
        "text": "#1b1f24",
        "muted": "#59636e",
        "accent": "#6a3fb0",
        "accent_text": "#ffffff",
        "kept": "#2f6fb0",
        "pruned": "#c4630a",
        "danger": "#b3261e",
    }
)
DARK: Mapping[str, str] = MappingProxyType(
    {
        "window": "#1b1d21",
        "surface": "#24272c",
        "border": "#434952",
        "button": "#2e3238",
        "text": "#e6e9ed",
        "muted": "#a3acb8",
        "accent": "#b99cf5",
        "accent_text": "#17131f",
        "kept": "#6aa6e0",
        "pruned": "#f2953f",
        "danger": "#ff8a80",
    }
)


def with_defaults(colors: Mapping[str, str]) -> dict[str, str]:
    """Return `colors` with the light theme's for those that are missing."""
    return {**LIGHT, **colors}
