"""Headers of safetensors files as the reference writes them, read piece by piece.

The safetensors library writes its headers in one layout: no spaces, no escapes in ordinary names,
the fields of a tensor in one order, the tensors in the order of their bytes. Such a header needs
no parser of JSON: a regular expression takes it apart in a third of the time, and in pieces, so
that a window answers meanwhile and no process has to be started for it.

Nothing is refused here. Whatever does not fit to the letter is left to `safetensors_header`, which
parses every header that JSON allows and says what is wrong with one.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Iterable
from operator import sub
from typing import Any, NamedTuple

from pruneapp.checkpoint.dtypes import DTYPES, SAFETENSORS_DTYPES
from pruneapp.checkpoint.formats.headers_safetensors_header import (
    MAX_RANK,
    METADATA,
    Header,
    RawTensor,
)
from pruneapp.progress import Job

# What is taken apart at once: 2 ms in which no other thread of the interpreter runs.
_WINDOW_BYTES = 1 << 17
# 18 digits are within the limits of every rule for numbers.
_NUMBER = r"(0|[1-9][0-9]{0,17})"
_TENSOR = re.compile(
    r'"([^"\\\x00-\x1f]*)":\{"dtype":"([A-Z0-9_]+)","shape":\[([0-9,]*)\],'
    rf'"data_offsets":\[{_NUMBER},{_NUMBER}\]\}}'
)
_COLUMNS = _TENSOR.groups + 1  # `split` puts what is between two tensors before each
_EXTENTS = re.compile(rf"(?:{_NUMBER}(?:,{_NUMBER})*)?")
_BOUNDARY = b'},"'
_METADATA = b'{"%s":{' % METADATA.encode()
_LARGEST = (1 << 63) - 1


class _Unusual(Exception):  # noqa: N818 - never seen outside: a reason to take the other way
    pass


class _Kind(NamedTuple):
    dtype: str
    shape: tuple[int, ...]
    nbytes: int


class _Kinds(dict[tuple[str, str], _Kind]):
    """What a dtype and the text of a shape mean; a file has few of them."""

    def __missing__(self, key: tuple[str, str]) -> _Kind:
        dtype, text = key
        if dtype not in SAFETENSORS_DTYPES or not _EXTENTS.fullmatch(text):
            raise _Unusual
        shape = tuple(map(int, text.split(","))) if text else ()
        bits = math.prod(shape) * DTYPES[dtype].bits
        if len(shape) > MAX_RANK or math.prod(n or 1 for n in shape) > _LARGEST or bits % 8:
            raise _Unusual
        self[key] = kind = _Kind(dtype, shape, bits // 8)
        return kind


class _Scan:
    """The tensors that were read so far."""

    def __init__(self) -> None:
        self.tensors: list[RawTensor] = []
        self.names: set[str] = set()
        self.end = 0
        self._kinds = _Kinds()

    def take(self, window: bytes) -> None:
        """Take tensors apart, from the first quotation mark to the last brace."""
        parts = _TENSOR.split(window.decode())
        between = parts[::_COLUMNS]
        if between[0] or between[-1] or between.count(",") != len(between) - 2:
            raise _Unusual
        names, dtypes, extents = parts[1::_COLUMNS], parts[2::_COLUMNS], parts[3::_COLUMNS]
        begins = list(map(int, parts[4::_COLUMNS]))
        ends = list(map(int, parts[5::_COLUMNS]))
        kinds = map(self._kinds.__getitem__, zip(dtypes, extents, strict=True))
        types, shapes, sizes = zip(*kinds, strict=True)
        if begins != [self.end, *ends[:-1]] or tuple(map(sub, ends, begins)) != sizes:
            raise _Unusual
        self.end = ends[-1]
        self.names.update(names)
        self.tensors.extend(zip(names, types, shapes, begins, ends, strict=True))


def scan(pieces: Iterable[bytes], job: Job) -> Header | None:
    """Read a header that comes in pieces; None if it is not in the one layout.

    Asks for no more pieces than it can use.

    Raises
    ------
    Cancelled
        If the job is.
    """
    try:
        return _scan(pieces, job)
    except (_Unusual, UnicodeDecodeError):
        return None


def _scan(pieces: Iterable[bytes], job: Job) -> Header:
    found = _Scan()
    metadata: dict[str, str] | None = None
    rest = b""
    for piece in pieces:
        text = rest + piece
        at = 0
        if metadata is None:
            metadata, at = _metadata(text)
        while (end := text.rfind(_BOUNDARY, at, at + _WINDOW_BYTES)) >= 0:
            job.cancel.check()
            found.take(text[at : end + 1])
            at = end + 2
        rest = text[at:]
        if len(rest) > _WINDOW_BYTES:
            raise _Unusual
    rest = rest.rstrip(b" ")
    if metadata is None or not rest.endswith(b"}}"):
        raise _Unusual
    found.take(rest[:-1])
    if len(found.names) != len(found.tensors) or METADATA in found.names:
        raise _Unusual
    return Header(found.tensors, metadata, [], found.end)


def _metadata(text: bytes) -> tuple[dict[str, str], int]:
    """Return the metadata that stands first, and where the first tensor begins."""
    if not text.startswith(_METADATA):
        if not text.startswith(b'{"'):
            raise _Unusual
        return {}, 1
    # The window may end within a character.
    head = codecs.getincrementaldecoder("utf-8")().decode(text[:_WINDOW_BYTES])
    try:
        pairs, end = _DECODER.raw_decode(head, len(_METADATA) - 1)
    except (ValueError, RecursionError):  # not JSON, nested, or longer than the window
        raise _Unusual from None
    metadata = dict(pairs)
    if (
        len(metadata) != len(pairs)
        or any(type(value) is not str for value in metadata.values())
        or "\\u" in head[:end]  # which may be half a character
        or head[end : end + 1] != ","
    ):
        raise _Unusual
    return metadata, len(head[: end + 1].encode())


def _pairs(pairs: list[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
    return tuple(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)
