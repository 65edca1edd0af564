"""Every format that can be opened, and telling them apart by content."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pruneapp.checkpoint import refusals, safetensors
from pruneapp.checkpoint.contract import Contents, Reader
from pruneapp.checkpoint.source import ByteSource, FileSource
from pruneapp.errors import UnrecognizedFileError
from pruneapp.progress import Job

__all__ = ["Reader", "read_headers", "readers", "recognise"]

HEAD_BYTES = 512


@cache
def readers() -> tuple[Reader, ...]:
    """Return the readers, in the order in which they are asked."""
    try:
        from pruneapp.checkpoint.torchfile import LEGACY, ZIP
    except ImportError:
        return (safetensors.SAFETENSORS,)
    return (safetensors.SAFETENSORS, ZIP, LEGACY)


def read_headers(
    path: Path, state_dict: str | None, job: Job
) -> tuple[Contents, tuple[ByteSource, ...]]:
    """Read the headers of whatever lies at `path`; nothing stays open if that fails."""
    source = FileSource(path)
    try:
        return recognise(source).read(source, state_dict, job)
    except BaseException:
        source.close()
        raise


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
