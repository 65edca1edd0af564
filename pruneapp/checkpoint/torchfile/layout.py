"""Where everything lies in a torch file: what is needed to write one like it.

An export that keeps the container copies the file and overwrites the storages it changed, at
`TensorEntry.location`. In a zip archive the checksums of those members are then written anew, at
`Member.crc_positions`, little-endian in 4 bytes. A legacy file has none. Compressed members
(`Member.method` is not `STORED`) cannot be patched in place.
"""

from __future__ import annotations

from pruneapp.checkpoint.source import FileSource
from pruneapp.checkpoint.torchfile.faults import located
from pruneapp.checkpoint.torchfile.legacy import Placed, read_stream
from pruneapp.checkpoint.torchfile.ziparchive import DEFLATED, STORED, Archive, Member, read_archive
from pruneapp.progress import Job

__all__ = [
    "DEFLATED",
    "STORED",
    "Archive",
    "Member",
    "Placed",
    "legacy_layout",
    "member_of",
    "zip_layout",
]


def zip_layout(source: FileSource, job: Job | None = None) -> Archive:
    """Return the members of a zip archive, with all positions.

    Raises
    ------
    CheckpointError
        If anything about the archive is wrong.
    """
    with located(source.path):
        return read_archive(source, (job or Job()).cancel)


def member_of(archive: Archive, storage: str) -> Member:
    """Return the member that holds a storage, by `Location.storage`."""
    return archive.members[f"data/{storage}"]


def legacy_layout(source: FileSource, job: Job | None = None) -> tuple[Placed, ...]:
    """Return the storages of a legacy file, in the order in which they lie.

    Raises
    ------
    CheckpointError
        If anything about the file is wrong.
    """
    with located(source.path):
        return read_stream(source, (job or Job()).cancel).storages
