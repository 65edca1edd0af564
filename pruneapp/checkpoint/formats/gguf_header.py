"""Parse the header of GGUF files: metadata and tensor descriptions.

Layout (docs/gguf.md of ggml, versions 2 and 3, little-endian): magic, version, number of tensors,
number of keys; for each key its name, type and value; for each tensor its name, dimensions (the
innermost first), type and offset; padding to a multiple of ``general.alignment``; the data.

Counts and lengths are compared with the file size before anything is read. Arrays, such as
the vocabulary, are skipped.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.checkpoint.formats.headers import show
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import DamagedFileError, UnsupportedFileError, counted
from pruneapp.progress import CancelToken

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
# Element types by number (enum ggml_type); missing numbers are obsolete.
TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0",
    10: "Q2_K", 11: "Q3_K", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 16: "IQ2_XXS",
    17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S",
    23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64", 29: "IQ1_M", 30: "BF16",
    34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4", 40: "NVFP4", 41: "Q1_0",
}  # fmt: skip
# Struct codes of the value types by number; 8 is text, 9 an array.
_SCALARS = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"
}  # fmt: skip
_SCALAR_NAMES = {
    0: "uint8", 1: "int8", 2: "uint16", 3: "int16", 4: "uint32", 5: "int32", 6: "float32",
    7: "bool", 8: "text", 10: "uint64", 11: "int64", 12: "float64",
}  # fmt: skip
_FLOAT32, _TEXT, _ARRAY = 6, 8, 9
# Larger numbers are rejected by llama.cpp, or do not occur.
MAX_ENTRIES = 1_000_000
_MAX_DIMENSIONS = 4
_MAX_ALIGNMENT = 1 << 20
_MAX_NAME = 1024
_MAX_KEY = 1 << 16
# Longer texts are not stored; chat templates have about 10,000 bytes.
_MAX_TEXT = 1 << 16
# Texts that begin after this offset are not stored either: a vocabulary before them has about 20
# MB.
_MAX_TEXT_OFFSET = 1 << 26
_MAX_ELEMENTS = 1 << 60
_BLOCK = 1 << 16
_LARGE_BLOCK = 1 << 20
_LENGTH = struct.Struct("<Q")


class HeaderCursor:
    """Reads a little-endian header sequentially, and raises an error at the end of the file.

    Parameters
    ----------
    at
        The offset to start from.
    kind
        The name of the format in errors, such as "GGUF file".
    """

    def __init__(self, source: FileSource, at: int, kind: str) -> None:
        self._source = source
        self._kind = kind
        self.at = at
        self._block = b""
        self._first = 0

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self._source.path

    @property
    def left(self) -> int:
        """Number of bytes from the position to the end of the file."""
        return self._source.size - self.at

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes and advance the position.

        Raises `DamagedFileError` if the file ends before.
        """
        self._check_left(size)
        if not self._first <= self.at <= self.at + size <= self._first + len(self._block):
            self._first = self.at
            self._block = self._source.read(self.at, min(max(size, _BLOCK), self.left))
        start = self.at - self._first
        self.at += size
        return self._block[start : start + size]

    def skip(self, size: int) -> None:
        """Skip `size` bytes."""
        self._check_left(size)
        self.at += size

    def skip_texts(self, count: int, cancel: CancelToken) -> None:
        """Skip `count` texts, each of which is preceded by its length in 8 bytes.

        Skips about 10 million per second: vocabularies have 100,000 texts and more. Raises
        `DamagedFileError` if the file ends before, or `Cancelled`.
        """
        if count > self.left // 8:
            self._check_left(8 * count)
        unpack = _LENGTH.unpack_from
        while count:
            cancel.check()
            block = self._source.read(self.at, min(_LARGE_BLOCK, self.left))
            at, last = 0, len(block) - 8
            while count and at <= last:
                end = at + 8 + unpack(block, at)[0]
                if end > len(block):
                    break
                at = end
                count -= 1
            self.at += at
            if count and not at:  # a text longer than a block
                self.skip(self.number("Q"))
                count -= 1

    def number(self, form: str) -> int:
        """Read a number with a `struct` format code; floats are truncated to integers."""
        return int(struct.unpack(f"<{form}", self.take(struct.calcsize(form)))[0])

    def text(self, size: int, most: int = _MAX_NAME) -> str:
        """Read `size` bytes, at least one and at most `most`, as printable UTF-8 text.

        Raises `DamagedFileError` for any other size or content.
        """
        if not 0 < size <= most:
            raise self.damage_error(f"a name in it has {size:,} bytes")
        try:
            text = self.take(size).decode()
        except UnicodeDecodeError:
            raise self.damage_error("a name in it is not UTF-8 text") from None
        if not text.isprintable():
            raise self.damage_error(f"it has a name with control characters: {text!r}")
        return text

    def damage_error(self, what: str) -> DamagedFileError:
        """Return the error for a file that violates the format; `what` is a clause."""
        return DamagedFileError(
            f"'{self.path}' is not a valid {self._kind}: {what}.",
            remedy="Download or make it again.",
        )

    def _check_left(self, size: int) -> None:
        if size > self.left:
            raise DamagedFileError(
                f"'{self.path}' is truncated: it is not a complete {self._kind}.",
                remedy="The download or copy was interrupted: get the file again.",
            )


@dataclass(frozen=True)
class GgufTensor:
    """The description of a tensor in the header."""

    name: str
    shape: tuple[int, ...]  # the innermost dimension last, as in torch
    number: int  # the number of its type, see `TYPES`
    dtype: DType | None  # None for an unknown type
    offset: int  # offset of its data in the file

    @property
    def nbytes(self) -> int:
        """Size of its data in the file in bytes; 0 for an unknown type."""
        return 0 if self.dtype is None else self.dtype.stored_bytes(math.prod(self.shape))


@dataclass(frozen=True)
class GgufHeader:
    """The parsed header of a GGUF file."""

    version: int
    # Values as text, in file order; for arrays the number and type of their elements.
    metadata: Mapping[str, str]
    tensors: tuple[GgufTensor, ...]  # in the order of the header
    end: int  # end of the data of the last tensor, padding included


def read_gguf_header(source: FileSource, cancel: CancelToken) -> GgufHeader:
    """Parse and validate the header of a GGUF file.

    The magic bytes are not checked. Tensors of unknown types are accepted.

    Raises
    ------
    DamagedFileError
        If it violates a rule of the format: a length or offset past the end of the file, a
        duplicate key or tensor, overlapping tensors.
    UnsupportedFileError
        If it is of version 1, of a newer version, or big-endian.
    Cancelled
        If `cancel` is cancelled.
    """
    cursor = HeaderCursor(source, len(MAGIC), "GGUF file")
    version = _read_version(cursor)
    n_tensors, n_keys = cursor.number("Q"), cursor.number("Q")
    # A tensor description has at least 24 bytes, a key 13.
    if n_tensors > min(MAX_ENTRIES, cursor.left // 24) or n_keys > min(
        MAX_ENTRIES, cursor.left // 13
    ):
        raise cursor.damage_error(f"it declares {n_tensors:,} tensors and {n_keys:,} keys")
    metadata: dict[str, str] = {}
    alignment = 32
    for _ in range(n_keys):
        cancel.check()
        name = cursor.text(cursor.number("Q"), _MAX_KEY)
        number = cursor.number("I")
        if name in metadata:
            raise cursor.damage_error(f"it has the key '{show(name)}' twice")
        metadata[name] = _read_value(cursor, number, cancel)
        if name == "general.alignment":
            alignment = _alignment(cursor, metadata[name])
    described = [_read_tensor(cursor) for _ in cancel.each(range(n_tensors))]
    start = -(-cursor.at // alignment) * alignment
    tensors = tuple(
        GgufTensor(name, shape, number, DTYPES.get(TYPES.get(number, "")), start + offset)
        for name, shape, number, offset in described
    )
    return GgufHeader(version, metadata, tensors, _check_data(cursor, tensors, start, alignment))


def _read_version(cursor: HeaderCursor) -> int:
    """Read the version and return it, 2 or 3. Raise `UnsupportedFileError` for any other."""
    raw = cursor.take(4)
    version = int.from_bytes(raw, "little")
    if version in _VERSIONS:
        return version
    big = int.from_bytes(raw, "big")
    what = f"its GGUF version is {version:,}, not 2 or 3"
    remedy = "Convert the model again with a current version of llama.cpp."
    if 0 < big < version:
        what = "its numbers are big-endian"
        remedy = "Convert it with gguf-convert-endian of the gguf package, then open that file."
    raise UnsupportedFileError(
        f"'{cursor.path}' is a GGUF file that Pruneapp does not read: {what}.", remedy=remedy
    )


def _read_value(cursor: HeaderCursor, number: int, cancel: CancelToken) -> str:
    """Read a value of the type `number` and return it as text.

    An array is skipped and described by the number and type of its elements, a text of more than 64
    KiB or after 64 MiB by its size. Booleans are ``true`` and ``false``. Raises `DamagedFileError`
    for unknown types, also arrays of arrays.
    """
    if number == _TEXT:
        size = cursor.number("Q")
        if size > _MAX_TEXT or cursor.at > _MAX_TEXT_OFFSET:
            cursor.skip(size)
            return f"text of {size:,} bytes"
        return cursor.take(size).decode("utf-8", "replace")
    if number == _ARRAY:
        inner, count = cursor.number("I"), cursor.number("Q")
        if inner == _TEXT:
            cursor.skip_texts(count, cancel)
        else:
            cursor.skip(count * struct.calcsize(_scalar(cursor, inner)))
        return f"{count:,} × {_SCALAR_NAMES[inner]}"
    code = _scalar(cursor, number)
    (value,) = struct.unpack(f"<{code}", cursor.take(struct.calcsize(code)))
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(np.float32(value) if number == _FLOAT32 else value)


def _scalar(cursor: HeaderCursor, number: int) -> str:
    if number not in _SCALARS:  # this includes arrays of arrays, which no program writes
        raise cursor.damage_error(f"it has a value of the unknown type {number:,}")
    return _SCALARS[number]


def _alignment(cursor: HeaderCursor, text: str) -> int:
    value = int(text) if text.isdecimal() and len(text) < 10 else 0
    if not 0 < value <= _MAX_ALIGNMENT or value & (value - 1):
        raise cursor.damage_error(f"its alignment is {text[:20]}")
    return value


def _read_tensor(cursor: HeaderCursor) -> tuple[str, tuple[int, ...], int, int]:
    """Read a description: name, shape (innermost last), number of the type, offset in the data.

    Raises `DamagedFileError` for more than 4 dimensions or 2^60 elements.
    """
    name = cursor.text(cursor.number("Q"))
    n_dims = cursor.number("I")
    if n_dims > _MAX_DIMENSIONS:
        raise cursor.damage_error(f"'{show(name)}' has {n_dims:,} dimensions")
    shape = struct.unpack(f"<{n_dims}Q", cursor.take(8 * n_dims))[::-1]
    if math.prod(extent or 1 for extent in shape) > _MAX_ELEMENTS:
        raise cursor.damage_error(f"'{show(name)}' has an extent that no tensor can have")
    return name, shape, cursor.number("I"), cursor.number("Q")


def _check_data(
    cursor: HeaderCursor, tensors: tuple[GgufTensor, ...], start: int, alignment: int
) -> int:
    """Check the names and ranges of tensors, and return the end of the last one, padded.

    The end is at most the file size. Raises `DamagedFileError` for a duplicate name, an offset that
    is not aligned, rows of partial blocks, overlapping tensors, and data past the end of the file.
    `start` is the offset of the data.
    """
    names: set[str] = set()
    size = cursor.at + cursor.left
    end, before = start, ""
    for tensor in sorted(tensors, key=lambda tensor: tensor.offset):
        name = show(tensor.name)
        if tensor.name in names:
            raise cursor.damage_error(f"it has '{name}' twice")
        names.add(tensor.name)
        if (tensor.offset - start) % alignment:
            raise cursor.damage_error(f"'{name}' is not at a multiple of {alignment:,} bytes")
        block = tensor.dtype.block if tensor.dtype is not None else None
        if block is not None and (tensor.shape or (1,))[-1] % block[0]:
            raise cursor.damage_error(
                f"a row of '{name}' has {(tensor.shape or (1,))[-1]:,} weights, which are not "
                f"whole blocks of {block[0]}"
            )
        if tensor.nbytes and tensor.offset < end:
            raise cursor.damage_error(f"'{name}' overlaps '{before}'")
        if tensor.offset + tensor.nbytes > size:
            missing = counted(tensor.offset + tensor.nbytes - size, "byte is", "bytes are")
            raise DamagedFileError(
                f"'{cursor.path}' is truncated: {missing} missing of '{name}'.",
                remedy="The download or copy was interrupted: get the file again.",
            )
        if tensor.nbytes:
            end, before = tensor.offset + tensor.nbytes, name
    return min(size, -(-end // alignment) * alignment)
