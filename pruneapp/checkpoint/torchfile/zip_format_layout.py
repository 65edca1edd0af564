"""Where everything lies in a torch file: what is needed to write one like it.

An export that keeps the container copies the file and overwrites the storages it changed, at
`TensorEntry.location`. In a zip archive the checksums of those members are then written anew, at
`ArchiveMember.crc_positions`, little-endian in 4 bytes. A legacy file has none. Compressed members
(`ArchiveMember.method` is not `STORED`) cannot be patched in place.
"""

from __future__ import annotations

from collections.abc import Mapping

from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.torchfile.archive import STORED, Archive, ArchiveMember, read_archive
from pruneapp.checkpoint.torchfile.array_bytes import ArrayBytes, Zero
from pruneapp.checkpoint.torchfile.to_contents import IN_PICKLE
from pruneapp.checkpoint.torchfile.torch_objects_faults import located
from pruneapp.progress import CancelToken

__all__ = ["IN_PICKLE", "STORED", "Archive", "Member", "pickle_with", "zip_layout"]


def zip_layout(source: FileSource, cancel: CancelToken) -> Archive:
    """Return the members of a zip archive, with all positions; looks at the token.

    Raises
    ------
    CheckpointError
        If anything about the archive is wrong.
    """
    with located(source.path):
        return read_archive(source, cancel)


def pickle_with(
    source: FileSource, member: ArchiveMember, zero: Mapping[str, Zero], cancel: CancelToken
) -> bytes | None:
    """Return the pickle of an archive with zeros in its numpy arrays, as long as it was.

    Parameters
    ----------
    source, member
        Where it lies; not compressed.
    zero
        What sets bytes of an array to 0, by its `Location.storage`.
    cancel
        Looked at all along.

    Returns
    -------
    bytes or None
        None if the bytes of an array do not stand by themselves.
    """
    data = source.read(member.data, member.stored)
    with located(source.path):
        places = {int(name.removeprefix(IN_PICKLE)): change for name, change in zero.items()}
        return ArrayBytes(data, cancel).changed(places)
