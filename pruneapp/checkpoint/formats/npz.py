"""Read numpy arrays, in ``.npz`` archives and single ``.npy`` files, without pickle.

A ``.npy`` file is a magic string, a version, and a header with type, order and shape as the text of
a Python dict, followed by the elements (`numpy.lib.format`). Arrays of Python objects are pickles
and are not read. Types that numpy does not have are stored as raw bytes: ``V2`` is read as
bfloat16, as ml_dtypes, JAX and MLX write it; the comment of a zip member may name another type, as
in exports of Pruneapp.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pruneapp.checkpoint.contents import Contents, Notice, Reader, ReadResult, StateDict
from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.checkpoint.entry import Location, TensorEntry, fortran_strides, is_contiguous
from pruneapp.checkpoint.formats.headers import MAX_RANK, quoted_names, show
from pruneapp.checkpoint.io.derived_source import JoinedSource, fill_from_blocks
from pruneapp.checkpoint.io.source import ByteSource, FileSource
from pruneapp.checkpoint.torchfile.archive import DEFLATED, ArchiveMember, read_members
from pruneapp.checkpoint.torchfile.numpy_arrays import BY_CODE
from pruneapp.checkpoint.torchfile.sources import CheckedSource, InflatedSource, PackedMember, Span
from pruneapp.checkpoint.torchfile.torch_objects import DOWNLOAD_AGAIN, translate_errors
from pruneapp.errors import DamagedFileError, UnsupportedFileError, counted
from pruneapp.progress import Job

MAGIC = b"\x93NUMPY"
MEMBER_SUFFIX = ".npy"
# The limit of numpy is 10,000 bytes, for the text alone.
_MAX_HEADER = 1 << 16
_WINDOW = 512
_LARGEST = (1 << 63) - 1
_MAX_DIGITS = 19
_SAVE_NUMBERS = (
    "Save arrays of plain numbers in Python, as numpy.savez('weights.npz', **arrays), then open "
    "that file."
)
# The tensor name for the array of a ``.npy`` file, which has no name.
ONLY_NAME = "weight"

# An item of the header: a key with text, a boolean, a tuple of numbers, or a list (records).
_ITEM = re.compile(
    r"\s*(?P<quote>['\"])(?P<key>descr|fortran_order|shape)(?P=quote)\s*:\s*"
    r"(?:(?P<mark>['\"])(?P<text>[^'\"\\]*)(?P=mark)|(?P<flag>True|False)"
    r"|\((?P<shape>[\d\sL,]*)\)|\[.*?\](?=\s*(?:$|,\s*(?:$|['\"](?:fortran_order|shape)))))"
    r"\s*(?:,|$)",
    re.DOTALL,
)
_BY_LABEL = {dtype.label: dtype for dtype in DTYPES.values()}


@dataclass(frozen=True)
class _Header:
    descr: str  # such as ``<f4``; empty for records
    fortran: bool
    shape: tuple[int, ...]
    nbytes: int  # size of the header itself


@dataclass(frozen=True)
class _Array:
    """The description of an array in a file."""

    name: str
    header: _Header
    size: int  # total size of header and elements in bytes
    comment: str = ""  # the type, if the header does not specify it


@dataclass
class _SortedArrays:
    """The arrays of a file, divided into tensors, unreadable arrays, and other members."""

    entries: list[TensorEntry]
    unreadable: dict[str, str]
    others: list[str]
    raw_pairs: bool = False  # whether arrays of type ``V2`` are among the entries


def _recognises_npz(head: bytes, _source: FileSource) -> bool:
    """Return whether a file is a zip archive whose first member is an array."""
    size = int.from_bytes(head[26:28], "little")
    name = head[30 : 30 + size]
    return head.startswith(b"PK\3\4") and name.endswith(MEMBER_SUFFIX.encode())


def _read_npz(source: FileSource, _state_dict: str | None, job: Job) -> ReadResult:
    """Read the headers of the arrays of an archive. There are no state dicts to choose from.

    Stored members are read from source 0, compressed ones from a second source; checksums are
    verified when they are read. Empty members that are no arrays are ignored. Raises
    `CheckpointError`, also if two arrays have the same name, or `Cancelled`.
    """
    path = source.path
    with translate_errors(path):
        members = read_members(source, job.cancel)
    arrays: list[tuple[ArchiveMember, _Array]] = []
    others: list[str] = []
    names: set[str] = set()
    for member in job.cancel.each(members):
        name = member.name.removesuffix(MEMBER_SUFFIX)
        if name in names:
            raise _damage_error(path, f"it has two members called '{show(member.name)}'")
        names.add(name)
        if name == member.name:
            others += [name] if member.size else []
            continue
        header = _read_header(path, name, member.size, _reader_of(source, member))
        arrays.append((member, _Array(name, header, member.size, member.comment)))
    spans: list[Span] = []
    packed: list[PackedMember] = []
    positions: list[tuple[int, int]] = []
    start = 0
    for member, array in arrays:
        label = f"'{show(array.name)}'"
        if member.method == DEFLATED:
            packed.append(
                PackedMember(start, member.size, member.data, member.stored, member.crc, label)
            )
            positions.append((1, start + array.header.nbytes))
            start += member.size
            continue
        first = member.data + array.header.nbytes
        positions.append((0, first))
        if first < member.data + member.size:
            crc = zlib.crc32(source.read(member.data, array.header.nbytes))
            spans.append(Span(first, member.data + member.size, member.crc, label, crc))
    sources: list[ByteSource] = [CheckedSource(source, spans) if spans else source]
    if packed:
        sources.append(InflatedSource(source, packed))
    numbers = {1: len(sources) - 1, 0: 0}
    located_arrays = [
        (array, Location(numbers[number], offset))
        for (_, array), (number, offset) in zip(arrays, positions, strict=True)
    ]
    return _contents(NPZ, source, located_arrays, others, sources)


def _read_npy(source: FileSource, _state_dict: str | None, _job: Job) -> ReadResult:
    header = _read_header(source.path, ONLY_NAME, source.size, source.read)
    array = _Array(ONLY_NAME, header, source.size)
    return _contents(NPY, source, [(array, Location(0, header.nbytes))], [], [source])


def _contents(
    reader: Reader,
    file: FileSource,
    arrays: list[tuple[_Array, Location]],
    others: list[str],
    sources: list[ByteSource],
) -> ReadResult:
    """Return the contents of a file, given its arrays and their locations in `sources`.

    `others` are the names of members that are no arrays. Arrays of text and dates are added to it,
    and a source that swaps bytes to `sources` for big-endian arrays. Raises `DamagedFileError` if
    an array has another size than its shape requires, or `UnsupportedFileError` if there are only
    unreadable arrays and other members.
    """
    found = _SortedArrays([], {}, others)
    swapped: list[tuple[int, _SwappedSegment]] = []
    for array, location in arrays:
        dtype, reason = _type_of(array)
        if dtype is None:
            if reason:
                found.unreadable[array.name] = reason
            else:
                found.others.append(array.name)
            continue
        header, shape = array.header, array.header.shape
        nbytes = dtype.nbytes(math.prod(shape))
        _check_size(file.path, array, nbytes)
        strides = fortran_strides(shape) if header.fortran else None
        if strides is not None and is_contiguous(shape, strides):
            strides = None
        if header.descr.startswith(">") and dtype.bits > 8:
            width = dtype.bits // (16 if header.descr[1] == "c" else 8)
            segment = _SwappedSegment(sources[location.source], location.offset, nbytes, width)
            swapped.append((len(found.entries), segment))
        place = location._replace(strides=strides)
        found.entries.append(TensorEntry(array.name, shape, dtype, place))
        found.raw_pairs |= dtype.name == "BF16" and not array.comment
    if swapped:
        joined = JoinedSource(file, [segment for _, segment in swapped])
        for (number, _), start in zip(swapped, joined.starts, strict=False):
            entry = found.entries[number]
            place = entry.location._replace(source=len(sources), offset=start)
            found.entries[number] = entry._replace(location=place)
        sources.append(joined)
    if not found.entries and (found.unreadable or found.others):
        reasons = (f"'{show(name)}': {reason}" for name, reason in found.unreadable.items())
        more = next(reasons, f"'{show(found.others[0])}' is not one" if found.others else "")
        raise UnsupportedFileError(
            f"'{file.path}' contains no array of numbers ({more}).", remedy=_SAVE_NUMBERS
        )
    numel = sum(entry.numel for entry in found.entries)
    contents = Contents(
        format=reader.name,
        label=reader.label,
        entries=tuple(found.entries),
        metadata={},
        notices=tuple(_notices(found)),
        state_dicts=(StateDict("", len(found.entries), numel),),
        unreadable=found.unreadable,
        non_tensor_keys=tuple(found.others),
    )
    return contents, tuple(sources)


def _notices(found: _SortedArrays) -> Iterator[Notice]:
    """Yield notices about unreadable arrays and about raw pairs that are read as bfloat16."""
    if found.unreadable:
        names = quoted_names(tuple(found.unreadable), 5)
        arrays = counted(len(found.unreadable), "array")
        yield Notice(
            f"{arrays} of this file cannot be read: {names}.",
            "\n".join(f"{show(name)}: {why}" for name, why in found.unreadable.items()),
        )
    if found.raw_pairs:
        yield Notice(
            "Arrays of type V2 are read as bfloat16, which numpy does not have and which "
            "ml_dtypes, JAX and MLX store like this."
        )


def _type_of(array: _Array) -> tuple[DType | None, str]:
    """Return the element type, or None and the reason; the reason is empty for text and dates.

    For raw bytes (``V1``, ``V2``) the comment of the member names the type; ``V2`` without one is
    bfloat16. The byte order is ignored.
    """
    descr = array.header.descr
    if not descr:
        return None, "it is an array of records"
    code = descr.lstrip("<>=|")
    label = BY_CODE.get("b1" if code == "?" else code)
    if label is not None:
        return _BY_LABEL[label], ""
    if code[:1] == "O":
        return None, "it is an array of Python objects, which only code in a pickle could rebuild"
    if code[:1] in {"U", "S", "M", "m"}:
        return None, ""
    named = _BY_LABEL.get(array.comment)
    if named is not None and code == f"V{named.bits // 8}":
        return named, ""
    if code == "V2":
        return DTYPES["BF16"], ""
    if code == "V1":
        return None, "it has type V1, raw bytes: the file does not say which 8-bit type they are"
    return None, f"it has type '{show(descr)}', which Pruneapp does not read"


def _read_header(path: Path, name: str, size: int, read: Callable[[int, int], bytes]) -> _Header:
    """Parse the header of an array of `size` bytes, header included.

    `read(offset, size)` returns bytes of the array. Raises `DamagedFileError` if it is not a valid
    numpy header.
    """
    head = read(0, min(_WINDOW, size))
    if len(head) < 12 or not head.startswith(MAGIC):
        raise _damage_error(path, f"'{show(name)}' does not begin like an array of numpy")
    if head[6] not in {1, 2, 3}:
        raise _damage_error(path, f"'{show(name)}' has the unknown version {head[6]} of its header")
    width = 2 if head[6] == 1 else 4
    start = 8 + width
    length = int.from_bytes(head[8:start], "little")
    if length > _MAX_HEADER or start + length > size:
        raise _damage_error(path, f"the header of '{show(name)}' would have {length:,} bytes")
    raw = head[start : start + length]
    if len(raw) < length:
        raw = read(0, start + length)[start:]
    text = raw.decode("latin-1" if head[6] < 3 else "utf-8", "replace").strip()
    items = _items(text)
    shape = items.get("shape")
    fortran = items.get("fortran_order")
    descr = items.get("descr")
    if not isinstance(shape, tuple) or not isinstance(fortran, bool) or not isinstance(descr, str):
        raise _damage_error(path, f"the header of '{show(name)}' is not that of an array")
    if len(shape) > MAX_RANK or math.prod(extent or 1 for extent in shape) > _LARGEST:
        raise _damage_error(path, f"'{show(name)}' has a shape that no array can have")
    return _Header(descr, fortran, shape, start + length)


def _items(text: str) -> dict[str, str | bool | tuple[int, ...]]:
    """Return the items of a header; an empty dict if the text is not a dict of known values.

    Keys are ``descr``, ``fortran_order`` and ``shape``; the value of a list (records) is "".
    """
    if text[:1] != "{" or text[-1:] != "}":
        return {}
    inner = text[1:-1].strip()
    items: dict[str, str | bool | tuple[int, ...]] = {}
    at = 0
    while at < len(inner):
        match = _ITEM.match(inner, at)
        if match is None or match["key"] in items:
            return {}
        if match["text"] is not None:
            items[match["key"]] = match["text"]
        elif match["flag"] is not None:
            items[match["key"]] = match["flag"] == "True"
        elif match["shape"] is not None:
            numbers = match["shape"].replace("L", "").split(",")
            numbers = [part.strip() for part in numbers if part.strip()]
            if not all(part.isdecimal() and len(part) <= _MAX_DIGITS for part in numbers):
                return {}
            items[match["key"]] = tuple(map(int, numbers))
        else:
            items[match["key"]] = ""
        at = match.end()
    return items


def _reader_of(source: FileSource, member: ArchiveMember) -> Callable[[int, int], bytes]:
    """Return a function ``read(offset, size)`` of a member that decompresses from its start.

    It returns b"" for data that is not compressed correctly; checksums are not verified.
    """

    def read(offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset`, fewer at the end of a compressed member."""
        if member.method != DEFLATED:
            return source.read(member.data + offset, size)
        stored = source.read(member.data, min(member.stored, offset + size + _WINDOW))
        try:
            return zlib.decompressobj(-zlib.MAX_WBITS).decompress(stored, offset + size)[offset:]
        except zlib.error:
            return b""  # not a valid header

    return read


def _check_size(path: Path, array: _Array, nbytes: int) -> None:
    """Raise `DamagedFileError` unless the elements end at the end of the file or member.

    `nbytes` is the size of the elements without the header.
    """
    trailing = array.size - array.header.nbytes - nbytes
    if trailing < 0:
        missing = counted(-trailing, "byte is", "bytes are")
        raise DamagedFileError(
            f"'{path}' is truncated: {missing} missing of '{show(array.name)}'.",
            remedy=DOWNLOAD_AGAIN,
        )
    if trailing:
        what = counted(trailing, "byte follows", "bytes follow")
        raise _damage_error(path, f"{what} the elements of '{show(array.name)}'")


def _damage_error(path: Path, what: str) -> DamagedFileError:
    return DamagedFileError(f"'{path}' is damaged: {what}.", remedy=DOWNLOAD_AGAIN)


# Number of bytes that are swapped at a time.
_SWAPPED_BYTES = 1 << 20


class _SwappedSegment:
    """Big-endian words of a source in little-endian order, as a `Segment`.

    `size` is the number of bytes, a multiple of the word size `width`.
    """

    def __init__(self, source: ByteSource, offset: int, size: int, width: int) -> None:
        self._source = source
        self._offset = offset
        self._width = width
        self.size = size

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` with swapped bytes from `offset` on."""
        fill_from_blocks(
            view, offset, self._width, self._read_swapped, _SWAPPED_BYTES // self._width
        )

    def _read_swapped(self, first: int, last: int) -> memoryview:
        words = np.empty(last - first, f"u{self._width}")
        self._source.read_into(self._offset + first * self._width, words.view(np.uint8).data)
        return words.byteswap(inplace=True).view(np.uint8).data


NPZ = Reader("npz", "NumPy archive", (".npz",), _recognises_npz, _read_npz)
NPY = Reader(
    "npy", "NumPy array", (MEMBER_SUFFIX,), lambda head, _source: head.startswith(MAGIC), _read_npy
)
