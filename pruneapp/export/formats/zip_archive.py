"""Zip archives in the layout of torch, and the pickle of a state dict in them.

Data is aligned to 64 bytes, without dates, stored or deflated. Checksums and sizes follow the data,
so that an archive of any size is written in one pass. Layout: APPNOTE.TXT 6.3.10 of PKWARE,
sections 4.3 to 4.5.

The pickle is written opcode by opcode, without importing torch, and uses only globals that
`torch.load(weights_only=True)` accepts. It equals that of `torch.save` for an OrderedDict of
tensors: protocol 2, storages as persistent ids, one storage for all names of a tied tensor. The
standard library's `pickletools` describes the opcodes; torch's ``_utils.py`` and ``_tensor.py``
(`_reduce_ex_internal`) define the arguments of the rebuild functions.
"""

from __future__ import annotations

import math
import pickle
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.torchfile.torch_objects import BY_STORAGE
from pruneapp.export.records import TensorRecord
from pruneapp.progress import BATCH, Job

ALIGNMENT = 64
_DESCRIPTOR_AND_UTF8 = 0x0808
_LARGE = 0xFFFF_FFFF
_MANY = 0xFFFF
_DEFLATED = 8

Buffer = bytes | memoryview


class ZipMember(NamedTuple):
    """A file in the archive. A tuple because there may be 100,000 of them."""

    name: str  # path in the archive
    nbytes: int  # exact size
    pieces: Callable[[], Iterator[Buffer]]  # yields the data
    # Yields the data in pieces, each with its compressed bytes, which form one deflate stream. None
    # if the data is stored uncompressed.
    deflated: Callable[[], Iterator[tuple[Buffer, Buffer]]] | None = None
    most: int = 0  # maximum number of stored bytes if compressed
    comment: str = ""  # ASCII text in the directory of the archive, up to 65,535 bytes

    @classmethod
    def of(cls, name: str, data: bytes) -> ZipMember:
        """Create a member with small data."""
        return cls(name, len(data), lambda: iter((data,)))

    def stored(self) -> Iterator[tuple[Buffer, Buffer]]:
        """Yield the data in pieces, each with the bytes that are stored for it."""
        if self.deflated is not None:
            yield from self.deflated()
        else:
            yield from ((piece, piece) for piece in self.pieces())

    @property
    def large(self) -> bool:
        """Whether the sizes take 8 bytes."""
        return max(self.nbytes, self.most) >= _LARGE

    @property
    def tail(self) -> int:
        """The size of the data descriptor."""
        return 24 if self.large else 16


class _Written(NamedTuple):
    member: ZipMember
    offset: int  # of the local header
    stored: int
    checksum: int


class ZipPlan:
    """An archive with `members` in this order."""

    def __init__(self, members: Sequence[ZipMember]) -> None:
        self._members = tuple(members)

    def nbytes(self, job: Job) -> int:
        """Return the size of the archive in bytes; the maximum if members are compressed."""
        offset = 0
        directory = _END_BYTES
        for member in job.cancel.each(self._members):
            stored = member.nbytes if member.deflated is None else member.most
            directory += _entry_bytes(member, offset)
            offset = _start(member, offset) + stored + member.tail
        return offset + directory

    def pieces(self) -> Iterator[Buffer]:
        """Yield the bytes of the archive. Each call reads the members again."""
        offset = 0
        written = []
        for member in self._members:
            local = _local_header(member, offset)
            yield local
            checksum = stored = 0
            for piece, data in member.stored():
                checksum = zlib.crc32(piece, checksum)
                stored += len(data)
                yield data
            sizes = "<QQ" if member.large else "<II"
            tail = struct.pack("<I", checksum) + struct.pack(sizes, stored, member.nbytes)
            yield b"PK\x07\x08" + tail
            written.append(_Written(member, offset, stored, checksum))
            offset += len(local) + stored + member.tail
        start = offset
        for first in range(0, len(written), BATCH):
            entries = b"".join(map(_directory_entry, written[first : first + BATCH]))
            yield entries
            offset += len(entries)
        yield _end(len(written), start, offset - start)


def directory_bytes(members: Sequence[ZipMember], job: Job) -> int:
    """Return the maximum number of bytes after the data of the last member."""
    entries = sum(_entry_bytes(member, _LARGE) for member in job.cancel.each(members))
    return members[-1].tail + entries + _END_BYTES


def _end(count: int, start: int, nbytes: int) -> bytes:
    """Return the end of an archive with `count` directory entries, `nbytes` bytes from `start`."""
    # Always includes the zip64 records, as in torch.
    zip64 = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count,
                        nbytes, start)  # fmt: skip
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, start + nbytes, 1)
    few = min(count, _MANY)
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, few, few,
                      min(nbytes, _LARGE), min(start, _LARGE), 0)  # fmt: skip
    return zip64 + locator + end


# Size of the three records that `_end` returns.
_END_BYTES = 56 + 20 + 22


def _start(member: ZipMember, offset: int) -> int:
    """Return the offset of the data of a member whose local header is at `offset`."""
    end = offset + 30 + len(member.name.encode()) + (20 if member.large else 0) + 4
    return end + -end % ALIGNMENT


def _entry_bytes(member: ZipMember, offset: int) -> int:
    """Return the size of the directory entry of a member at `offset`."""
    numbers = 2 * member.large + (offset >= _LARGE)
    name = len(member.name.encode()) + len(member.comment)
    return 46 + name + (4 + 8 * numbers if numbers else 0)


def _local_header(member: ZipMember, offset: int) -> bytes:
    """Return the header of a member at `offset`, padded so that the data after it is aligned."""
    name = member.name.encode()
    # Sizes and checksum follow the data; an extra field aligns the data.
    fixed = struct.pack("<4sHHHHHIIIHH", b"PK\x03\x04", 0, _DESCRIPTOR_AND_UTF8, _method(member),
                        0, 0, 0, 0, 0, len(name), 0)  # fmt: skip
    zip64 = b""
    if member.large:
        # This field indicates that the sizes in the descriptor have 8 bytes.
        zip64 = struct.pack("<HHQQ", 1, 16, 0, 0)
        fixed = fixed[:18] + struct.pack("<II", _LARGE, _LARGE) + fixed[26:]
    end = offset + len(fixed) + len(name) + len(zip64) + 4
    padding = _start(member, offset) - end
    extra = zip64 + b"FB" + struct.pack("<H", padding) + b"Z" * padding
    return fixed[:28] + struct.pack("<H", len(extra)) + name + extra


def _directory_entry(written: _Written) -> bytes:
    """Return the directory entry of a member, with 8-byte numbers where 4 bytes are not enough."""
    member, offset, stored = written.member, written.offset, written.stored
    name, comment = member.name.encode(), member.comment.encode("ascii")
    large = b""
    if member.large:
        large += struct.pack("<QQ", member.nbytes, stored)
    if offset >= _LARGE:
        large += struct.pack("<Q", offset)
    extra = struct.pack("<HH", 1, len(large)) + large if large else b""
    sizes = (_LARGE, _LARGE) if member.large else (stored, member.nbytes)
    fixed = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\x01\x02", 0, 0, _DESCRIPTOR_AND_UTF8,
                        _method(member), 0, 0, written.checksum, *sizes, len(name), len(extra),
                        len(comment), 0, 0, 0, min(offset, _LARGE))  # fmt: skip
    return fixed + name + extra + comment


def _method(member: ZipMember) -> int:
    return 0 if member.deflated is None else _DEFLATED


# Dtypes with their own storage class; newer dtypes use untyped storages.
STORAGES = {e.dtype.name: name for name, e in BY_STORAGE.items() if e.name == e.dtype.torch}

_LAYOUT = ("layout", "torch.sparse_csr")


class StateDictPickle:
    """Writer of a pickle stream.

    Parameters
    ----------
    key
        The key of the state dict in a dict; "" writes only the state dict.
    kept_values
        Plain values of other keys of that dict.
    """

    def __init__(self, key: str = "", kept_values: Mapping[str, Any] | None = None) -> None:
        self._out = bytearray(b"\x80\x02")
        self._memo: dict[object, int] = {}
        self._kept_values = (kept_values or {}) if key else None
        if key:
            self._out += b"}("
            self._text(key)
        self._global("collections", "OrderedDict")
        self._out += b")R("

    def add(self, names: Iterable[str], key: str, dtype: DType, shape: tuple[int, ...]) -> None:
        """Add a tensor in C order that fills the storage `key`, under all `names`."""
        self._named(names, key, lambda: self._tensor(key, dtype, shape))

    def add_csr(
        self, names: Iterable[str], storages: Mapping[str, TensorRecord], shape: tuple[int, ...]
    ) -> None:
        """Add a CSR matrix under all `names`, by torch's ``_rebuild_sparse_tensor``.

        `storages` are row pointers, columns and values, in this order, by storage key.
        """
        self._named(names, next(iter(storages)), lambda: self._csr(storages, shape))

    def finish(self) -> bytes:
        """Return the complete stream."""
        self._out += b"u"
        if self._kept_values is not None:
            for key, value in self._kept_values.items():
                self._text(key)
                # Without the header and the end of the stream. It refers to its own memo only, and
                # nothing after it refers to that of the state dict.
                self._out += pickle.dumps(value, protocol=2)[2:-1]
            self._out += b"u"
        return bytes(self._out + b".")

    def _named(self, names: Iterable[str], key: str, write: Callable[[], None]) -> None:
        """Write `names` as keys of the dict.

        The first is followed by what `write` writes, the others by a reference to it; `key`
        identifies the tensor.
        """
        tensor = ("tensor", key)
        for name in names:
            self._text(name)
            if tensor in self._memo:
                self._get(self._memo[tensor])
            else:
                write()
                self._put(tensor)

    def _csr(self, storages: Mapping[str, TensorRecord], shape: tuple[int, ...]) -> None:
        """Write the call that rebuilds a CSR matrix."""
        self._global("torch._utils", "_rebuild_sparse_tensor")
        self._out += b"("
        if _LAYOUT in self._memo:
            self._get(self._memo[_LAYOUT])
        else:
            self._global("torch.serialization", "_get_layout")
            self._text(_LAYOUT[1])
            self._out += b"\x85R"
            self._put(_LAYOUT)
        self._out += b"("
        for key, record in storages.items():
            self._tensor(key, record.dtype, record.shape)
        self._global("torch", "Size")
        self._ints(shape)
        self._out += b"\x85RttR"

    def _tensor(self, key: str, dtype: DType, shape: tuple[int, ...]) -> None:
        """Write the call that rebuilds a contiguous tensor at the start of the storage `key`."""
        storage = STORAGES.get(dtype.name)
        numel = math.prod(shape)
        self._global("torch._utils", "_rebuild_tensor_v2" if storage else "_rebuild_tensor_v3")
        self._out += b"(("
        self._text("storage", memo=True)
        if storage:
            self._global("torch", storage)
        else:
            self._global("torch.storage", "UntypedStorage")
        self._text(key)
        self._text("cpu", memo=True)
        self._int(numel if storage else dtype.nbytes(numel))
        self._out += b"tQ"
        self._int(0)
        self._ints(shape)
        self._ints(_strides(shape))
        self._out += b"\x89"  # requires_grad
        self._global("collections", "OrderedDict")  # backward hooks
        self._out += b")R"
        if not storage:
            self._global("torch", dtype.torch)
        self._out += b"tR"

    def _global(self, module: str, name: str) -> None:
        """Write a reference to a class or function, by its name the first time only."""
        memo = self._memo.get((module, name))
        if memo is not None:
            self._get(memo)
        else:
            self._out += f"c{module}\n{name}\n".encode("ascii")
            self._put((module, name))

    def _text(self, text: str, *, memo: bool = False) -> None:
        """Write a string.

        With `memo` it is stored once, and later calls write a reference to it.
        """
        if memo and text in self._memo:
            self._get(self._memo[text])
            return
        # As in pickle: names that are invalid Unicode are preserved.
        data = text.encode("utf-8", "surrogatepass")
        self._out += b"X" + struct.pack("<I", len(data)) + data
        if memo:
            self._put(text)

    def _ints(self, values: tuple[int, ...]) -> None:
        """Write a tuple of integers."""
        if len(values) <= 3:
            for value in values:
                self._int(value)
            self._out += (b")", b"\x85", b"\x86", b"\x87")[len(values)]
        else:
            self._out += b"("
            for value in values:
                self._int(value)
            self._out += b"t"

    def _int(self, value: int) -> None:
        """Write a non-negative integer in the shortest opcode."""
        if value < 1 << 8:
            self._out += b"K" + struct.pack("<B", value)
        elif value < 1 << 16:
            self._out += b"M" + struct.pack("<H", value)
        elif value < 1 << 31:
            self._out += b"J" + struct.pack("<i", value)
        else:
            data = value.to_bytes(value.bit_length() // 8 + 1, "little")
            self._out += b"\x8a" + bytes([len(data)]) + data

    def _put(self, thing: object) -> None:
        index = self._memo[thing] = len(self._memo)
        small = index < 256
        self._out += b"q" + bytes([index]) if small else b"r" + struct.pack("<I", index)

    def _get(self, index: int) -> None:
        self._out += b"h" + bytes([index]) if index < 256 else b"j" + struct.pack("<I", index)


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    # As in torch, where a size of 0 counts as 1.
    strides = [1] * len(shape)
    for d in range(len(shape) - 2, -1, -1):
        strides[d] = strides[d + 1] * max(shape[d + 1], 1)
    return tuple(strides)
