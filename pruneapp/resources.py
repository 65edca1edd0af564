"""The one way to the files that are shipped with the application."""

from __future__ import annotations

from pathlib import Path


def path(name: str) -> Path:
    """Return the file `name` of resources/, in a checkout, an installed wheel or a bundle.

    `name` is relative to resources/, with forward slashes.

    Raises
    ------
    FileNotFoundError
        If it is not shipped: a bug, not a mistake of the person.
    """
    package = Path(__file__).resolve().parent
    for root in (package / "resources", package.parent / "resources"):
        candidate = root / name
        if candidate.exists():
            return candidate
    raise FileNotFoundError(f"resources/{name} is not part of this installation")
