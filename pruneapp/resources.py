"""Access to the files that are shipped with the application."""

from __future__ import annotations

from pathlib import Path


def path(name: str) -> Path:
    """Return the path of the file `name` in resources/, for a checkout, a wheel or a bundle.

    `name` is relative to resources/, with forward slashes.

    Raises
    ------
    FileNotFoundError
        If the file is not shipped, which is a bug.
    """
    package = Path(__file__).resolve().parent
    for root in (package / "resources", package.parent / "resources"):
        candidate = root / name
        if candidate.exists():
            return candidate
    raise FileNotFoundError(f"resources/{name} is not part of this installation")
