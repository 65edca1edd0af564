"""Write the commit that a wheel or source archive is built from into it, for ``--version``.

Called by hatchling; an editable installation (``-e``) is a checkout, where git is run instead.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Must match pruneapp/installation.py, which cannot be imported here: nothing is installed yet.
COMMIT = "commit.txt"


class CommitHook(BuildHookInterface):  # type: ignore[type-arg]  # of a builder, which is not asked
    """Adds a file with the commit to the build."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file and add it to the build, unless the commit is unknown."""
        root = Path(self.root)
        # A source archive already has the file in its resources, and may be inside another
        # checkout.
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
        """Remove the temporary file, which is in the archive by now."""
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
