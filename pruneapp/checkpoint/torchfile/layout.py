"""Where everything lies in a torch file: what is needed to write one like it.

An export that keeps the container copies the file and overwrites the storages it changed, at
`TensorEntry.location`. In a zip archive the checksums of those members are then written anew, at
`Member.crc_positions`, little-endian in 4 bytes. A legacy file has none. Compressed members
(`Member.method` is not `STORED`) cannot be patched in place.
"""

from __future__ import annotations

from pruneapp.checkpoint.source import FileSource
from pruneapp.checkpoint.torchfile.faults import located
from pruneapp.checkpoint.torchfile.ziparchive import STORED, Archive, Member, read_archive
from pruneapp.progress import CancelToken

__all__ = ["STORED", "Archive", "Member", "zip_layout"]


def zip_layout(source: FileSource, cancel: CancelToken) -> Archive:
    """Return the members of a zip archive, with all positions; looks at the token.

    Raises
    ------
    CheckpointError
        If anything about the archive is wrong.
    """
    with located(source.path):
        return read_archive(source, cancel)
