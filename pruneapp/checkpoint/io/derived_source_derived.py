"""What sources have in common whose bytes are made of those of another one."""

from __future__ import annotations

from pathlib import Path

from pruneapp.checkpoint.io.source import ByteSource, FileSource


class DerivedSource:
    """A `ByteSource` that makes its bytes of those of another one; what is of the file is its.

    Parameters
    ----------
    source
        The other one.
    """

    def __init__(self, source: ByteSource) -> None:
        self._source = source

    @property
    def path(self) -> Path:
        """The file."""
        return self._source.path

    @property
    def file(self) -> FileSource:
        """The file on disk."""
        return self._source.file

    def verify_unchanged(self) -> None:
        """Raise `FileChangedError` if the file is not the one that was opened."""
        self._source.verify_unchanged()

    def close(self) -> None:
        """Let go of the file."""
        self._source.close()
