"""Access to the files that are shipped with the application."""

from __future__ import annotations

from pathlib import Path


def path(name: str) -> Path:
    """Return the path of the file or folder `name` in resources/.

    `name` is relative to resources/, with forward slashes. Works in a checkout, a wheel and a
    bundle.

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
