"""The dense safetensors file of a compact or compressed one, to the byte."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.formats import safetensors
from pruneapp.checkpoint.formats.compact import FORMAT, dense_metadata
from pruneapp.checkpoint.io.atomic_file import PIECE_BYTES
from pruneapp.checkpoint.io.atomic_file_writer import AtomicFile
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import DamagedFileError, ExportError, UnsupportedFileError
from pruneapp.export.destination.target import check_file
from pruneapp.export.formats.safetensors import plan_safetensors
from pruneapp.export.records import finalized
from pruneapp.export.report import WrittenFile
from pruneapp.progress import Job

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

_ZSTD = b"\x28\xb5\x2f\xfd"
_FRAME_HEADER = 18


def expand(path: Path, out: Path, job: Job) -> WrittenFile:
    """Write what a compact file, or one compressed with zstd, holds.

    Parameters
    ----------
    path
        ``.compact.safetensors``, or anything that zstd has compressed; told by its content.
    out
        Where to write the file that was packed.
    job
        Stepped by every byte twice.

    Raises
    ------
    CheckpointError
        If it is neither, or damaged.
    ExportError
        If it cannot be written.
    """
    source = FileSource(path)
    try:
        target = check_file(out).path
        if target.exists() and target.samefile(path):
            raise ExportError(
                f"'{out}' is the file to expand, which cannot be its own output.",
                remedy="Choose another name.",
            )
        if source.size >= len(_ZSTD) and source.read(0, len(_ZSTD)) == _ZSTD:
            return _unpacked(source, target, job)
        with open_checkpoint(path, job=job) as checkpoint:
            if checkpoint.format != FORMAT:
                raise UnsupportedFileError(
                    f"'{path}' is neither a compact file nor one compressed with zstd "
                    f"({checkpoint.contents.label}).",
                    remedy="Only compact and zst exports can be expanded.",
                )
            header, _ = safetensors.read_header(source, job)
            return _dense(checkpoint, dense_metadata(header, str(path)), target, job)
    finally:
        source.close()


def _dense(
    checkpoint: Checkpoint, metadata: Mapping[str, str], target: Path, job: Job
) -> WrittenFile:
    state = Snapshot(checkpoint)
    records = [finalized(state, entry) for entry in checkpoint.entries.values()]
    plan = plan_safetensors(records, metadata, job)
    job.start(2 * plan.nbytes, target.name)
    with AtomicFile(target, plan.nbytes, job) as file:
        for piece in plan.pieces():
            file.write(piece)
        written = WrittenFile(target, plan.nbytes, file.seal())
        checkpoint.verify_unchanged()
        file.commit()
    return written


def _unpacked(source: FileSource, target: Path, job: Job) -> WrittenFile:
    import zstandard

    try:
        nbytes = zstandard.frame_content_size(source.read(0, min(source.size, _FRAME_HEADER)))
    except zstandard.ZstdError:  # it ends before it has said so
        raise _damaged(source) from None
    if nbytes < 0:
        # Whether the end is missing could not be told.
        raise UnsupportedFileError(
            f"'{source.path}' does not contain the size of its decompressed content.",
            remedy="Unpack it with `zstd -d`.",
        )
    job.start(2 * nbytes, target.name)
    with AtomicFile(target, nbytes, job, exact=False) as file:
        try:
            for piece in _inflated(source):
                if file.taken + len(piece) > nbytes:
                    raise _damaged(source)
                file.write(piece)
        except zstandard.ZstdError:
            raise _damaged(source) from None
        if file.taken != nbytes:
            raise _damaged(source)
        written = WrittenFile(target, nbytes, file.seal())
        source.verify_unchanged()
        file.commit()
    return written


def _inflated(source: FileSource) -> Iterator[bytes]:
    import zstandard

    # Not by pieces of the source: a small one may hold gigabytes of zeros.
    raw = io.BufferedReader(_Reading(source), PIECE_BYTES)
    reader = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
    while piece := reader.read(PIECE_BYTES):
        yield piece


class _Reading(io.RawIOBase):
    """A source, read from its first byte to its last."""

    def __init__(self, source: FileSource) -> None:
        super().__init__()
        self._source = source
        self._offset = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        """Fill `buffer` with the next bytes; returns how many there are."""
        view = memoryview(buffer).cast("B")
        size = min(len(view), self._source.size - self._offset)
        self._source.read_into(self._offset, view[:size])
        self._offset += size
        return size


def _damaged(source: FileSource) -> DamagedFileError:
    return DamagedFileError(
        f"'{source.path}' is damaged: its decompressed content is not of the size in its header.",
        remedy="Download or copy it again.",
    )
