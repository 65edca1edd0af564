"""Read safetensors files."""

from __future__ import annotations

import math
from itertools import repeat

from pruneapp.checkpoint.contents import Contents, Notice, Reader, ReadResult, StateDict
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import TensorEntry, make_entries, make_locations, ties_of
from pruneapp.checkpoint.formats import compact, packed_bits
from pruneapp.checkpoint.formats.compact_codec import COMPACT, MASKS, packed_format
from pruneapp.checkpoint.formats.headers import Header, damaged_header, show
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.parser_client import parse_header, read_in_pieces
from pruneapp.errors import DamagedFileError, counted
from pruneapp.progress import CancelToken, Job

# The limit of the reference implementation. Known models have less than 32 MB and 200,000 tensors.
MAX_HEADER_BYTES = 100_000_000


def _recognises(head: bytes, _source: FileSource) -> bool:
    return len(head) > 8 and head[8:9] == b"{" and _length(head) <= MAX_HEADER_BYTES


def _length(head: bytes) -> int:
    return int.from_bytes(head[:8], "little")


def _read(source: FileSource, _state_dict: str | None, job: Job) -> ReadResult:
    """Read a safetensors file; there are no state dicts to choose from.

    Files with a layout of Pruneapp (masks, compact) or weights packed by compressed-tensors are
    presented as dense tensors. Raises `CheckpointError`, also if the size of the file is not that
    of the header and its tensors.
    """
    header, start = read_header(source, job)
    _check_size(source, start, header.data_bytes)
    packing = packed_format(header.metadata)
    if packing == MASKS:
        return packed_bits.read_masks(header, start, source, job.cancel)
    if packing == COMPACT:
        return compact.read(header, start, source, job.cancel)
    if packed := packed_bits.packed_names(header, job.cancel):
        return packed_bits.read(header, start, source, packed, job.cancel)
    entries, numel = _entries(header, start, job.cancel)
    contents = Contents(
        format="safetensors",
        label="safetensors",
        entries=tuple(entries),
        metadata=header.metadata,
        notices=_notices(header),
        state_dicts=(StateDict("", len(entries), numel),),
    )
    return contents, (source,)


def read_header(source: FileSource, job: Job) -> tuple[Header, int]:
    """Return the header of a safetensors file and the offset of the tensor data.

    Raises `DamagedFileError` if it is invalid, larger than 100 MB or longer than the file, or
    `Cancelled`. The end of the tensors is not compared with the file.
    """
    path = str(source.path)
    if source.size < 8:
        raise DamagedFileError(
            f"'{path}' is not a safetensors file: it has {source.size} bytes, fewer than 8.",
            remedy="Download or save it again.",
        )
    size = _length(source.read(0, 8))
    if size > MAX_HEADER_BYTES:
        raise damaged_header(
            path, f"its header would have {size:,} bytes; at most {MAX_HEADER_BYTES:,} are allowed"
        )
    if 8 + size > source.size:
        missing = counted(8 + size - source.size, "byte is", "bytes are")
        raise _cut_short(path, f"at least {missing} missing")
    return parse_header(read_in_pieces(source.read, 8, size), size, path, job), 8 + size


def _check_size(source: FileSource, start: int, data_bytes: int) -> None:
    """Raise `DamagedFileError` unless the file ends at the end of the tensors."""
    missing = start + data_bytes - source.size
    if missing > 0:
        verb = "is" if missing == 1 else "are"
        what = f"{counted(missing, 'byte')} of {start + data_bytes:,} {verb} missing"
        raise _cut_short(str(source.path), what)
    if missing < 0:
        what = counted(-missing, "byte follows", "bytes follow")
        raise damaged_header(str(source.path), f"{what} its last tensor")


def _cut_short(path: str, what: str) -> DamagedFileError:
    return DamagedFileError(
        f"'{path}' is truncated: {what}.",
        remedy="The download or copy was interrupted: get the file again.",
    )


def _entries(header: Header, start: int, cancel: CancelToken) -> tuple[list[TensorEntry], int]:
    """Return an entry for each tensor, and the total number of elements.

    Names that the metadata ties to a tensor become its aliases. `start` is the offset of the data.
    """
    ties = ties_of((tensor[0] for tensor in header.tensors), header.metadata, cancel)
    entries: list[TensorEntry] = []
    numel = 0
    for batch in cancel.batches(header.tensors):
        names, dtypes, shapes, begins, _ = zip(*batch, strict=True)
        entries += make_entries(
            names,
            shapes,
            map(DTYPES.__getitem__, dtypes),
            make_locations(0, map(start.__add__, begins)),
            aliases=[tuple(ties.get(name, ())) for name in names] if ties else repeat(()),
        )
        numel += sum(map(math.prod, shapes))
    return entries, numel


def _notices(header: Header) -> tuple[Notice, ...]:
    """Return a notice about tensors with unknown fields in the header, if there are any."""
    if not header.extras:
        return ()
    return (
        Notice(
            f"The header of this file has fields for {counted(len(header.extras), 'tensor')} that "
            "the format does not define; they are ignored.",
            "\n".join(show(name) for name in header.extras[:1000]),
        ),
    )


SAFETENSORS = Reader("safetensors", "safetensors", (".safetensors",), _recognises, _read)
