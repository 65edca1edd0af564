"""Every format that can be opened, and telling them apart by content."""

from __future__ import annotations

from functools import cache

from pruneapp.checkpoint import refusals, safetensors
from pruneapp.checkpoint.contract import Reader
from pruneapp.checkpoint.source import FileSource
from pruneapp.errors import UnrecognizedFileError

__all__ = ["Reader", "readers", "recognise"]

HEAD_BYTES = 512


@cache
def readers() -> tuple[Reader, ...]:
    """Return the readers, in the order in which they are asked."""
    try:
        from pruneapp.checkpoint.torchfile import LEGACY, ZIP
    except ImportError:
        return (safetensors.SAFETENSORS,)
    return (safetensors.SAFETENSORS, ZIP, LEGACY)


def recognise(source: FileSource) -> Reader:
    """Return the reader for a file.

    Raises
    ------
    UnrecognizedFileError, UnsupportedFileError, DamagedFileError
        In a sentence that says what the file is instead, as far as its first bytes tell.
    """
    head = source.read(0, min(HEAD_BYTES, source.size))
    for reader in readers():
        if reader.recognises(head, source):
            return reader
    refusals.explain(head, source)
    if head[8:9] == b"{" or source.path.suffix == ".safetensors":
        return safetensors.SAFETENSORS  # which says what is wrong with it
    raise UnrecognizedFileError(
        f"'{source.path}' is not a checkpoint that Pruneapp knows.",
        remedy="Open a .safetensors file, a file that torch.save wrote, or a folder of shards.",
    )
