"""Names of files that every system can hold: files travel. Needs the standard library alone."""

from __future__ import annotations

# Characters that Windows refuses; the slash besides, where a name must be one.
FORBIDDEN = frozenset('<>:"|?*\\')

# Of a file or a folder, without the folders that it lies in.
NAME_BYTES = 255

# Names that Windows gives to devices, with any suffix and in any case.
_DEVICES = frozenset({"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}) | frozenset(
    f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"
)


def device_of(name: str) -> str:
    """Return the device that Windows would open instead of a file; empty if there is none."""
    stem = name.split(".", maxsplit=1)[0].rstrip(" ").upper()
    return stem if stem in _DEVICES else ""


def ends_badly(name: str) -> bool:
    """Whether a name ends in what Windows drops: a dot or a space."""
    return name[-1:] in {".", " "}
