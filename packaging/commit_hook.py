"""Writes the commit that a wheel or a source archive is built from into it, for ``--version``.

hatchling calls it; an installation with ``-e`` is a checkout, in which git is asked instead.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# As pruneapp/installation.py looks for it, which cannot be imported here: nothing is installed yet.
COMMIT = "commit.txt"


class CommitHook(BuildHookInterface):  # type: ignore[type-arg]  # of a builder, which is not asked
    """Adds one file to what is built."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file and name its place, unless nobody knows the commit."""
        root = Path(self.root)
        # A source archive has the file among the resources; it may lie in a checkout of others.
        if version == "editable" or not (root / ".git").exists():
            return
        commit = _git(root, "rev-parse", "--short=12", "HEAD")
        if not commit:
            return
        changed = _git(root, "status", "--porcelain", "--untracked-files=no")
        self._folder = tempfile.TemporaryDirectory()
        file = Path(self._folder.name) / COMMIT
        file.write_text(commit + "+changes" * bool(changed) + "\n", encoding="ascii")
        place = "pruneapp/resources" if self.target_name == "wheel" else "resources"
        build_data["force_include"][str(file)] = f"{place}/{COMMIT}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the file: it is in the archive."""
        del version, build_data, artifact_path
        folder = getattr(self, "_folder", None)
        if folder is not None:
            folder.cleanup()


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
