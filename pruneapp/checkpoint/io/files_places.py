"""What is at a path, whatever the path: one that nobody can have is one where nothing is.

`pathlib` of Python 3.11 raises where a name is too long, or a folder must not be looked into. A
person may type such a name, and a session from elsewhere may hold one.
"""

from __future__ import annotations

from pathlib import Path


def is_folder(path: Path) -> bool:
    """Whether there is a folder, as far as this process may see."""
    try:
        return path.is_dir()
    except OSError:
        return False


def exists(path: Path) -> bool:
    """Whether there is anything, as far as this process may see."""
    try:
        return path.exists()
    except OSError:
        return False
