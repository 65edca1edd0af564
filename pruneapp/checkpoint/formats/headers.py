"""Parse and validate the headers of safetensors files and the indexes of sharded models.

Everything that the safetensors library rejects is rejected here, and also duplicate keys, spaces
before the header, and extents that no tensor can have. This module needs neither numpy nor torch,
so that the process that parses large headers starts quickly.

The safetensors library writes headers in one layout: no spaces, no escapes in ordinary names, the
fields of a tensor in a fixed order, the tensors in the order of their data. `scan` parses this
layout with a regular expression, in a third of the time of a JSON parser, and in pieces, so that a
window stays responsive without a separate process. `scan` raises no errors: any other header is
left to `parse`, which raises a specific one.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter, sub
from typing import Any, NamedTuple

from pruneapp.checkpoint.dtypes import DTYPES, SAFETENSORS_DTYPES
from pruneapp.checkpoint.io.files import FORBIDDEN, device_of, ends_badly
from pruneapp.errors import (
    DamagedFileError,
    JsonError,
    UnrecognizedFileError,
    escape_text,
    first_names,
)
from pruneapp.json_codec import load_object
from pruneapp.progress import CancelToken, Job


def show(name: str) -> str:
    """Return text from a file escaped for a message: one line, shortened to 80 characters."""
    if len(name) > 80:
        name = f"{name[:50]}…{name[-29:]}"
    return escape_text(name)


def quoted_names(names: Sequence[str], most: int = 3) -> str:
    """Return the first `most` names, shortened and quoted, and the number of the others."""
    return first_names(names, most, lambda name: f"'{show(name)}'")


MAX_RANK = 64
METADATA = "__metadata__"
_LARGEST = (1 << 63) - 1  # of an extent or a number of elements: numpy and torch count in int64
_OFFSET_END = 1 << 64
_FIELDS = frozenset({"dtype", "shape", "data_offsets"})

# name, dtype, shape, begin and end in the data: only types that marshal can send between processes.
RawTensor = tuple[str, str, tuple[int, ...], int, int]


@dataclass(frozen=True)
class Header:
    """The parsed header of a safetensors file."""

    # Sorted by their offsets; tensors without bytes in the order of the header.
    tensors: list[RawTensor]
    metadata: dict[str, str]  # text metadata, in the order of the header
    extras: list[str]  # names of tensors with fields that the format does not define
    data_bytes: int  # total size of the tensors


def parse(text: bytes, path: str, cancel: CancelToken | None = None) -> Header:
    """Parse a header, without the 8 bytes of its length.

    Raises `DamagedFileError` if it violates a rule of the format: also if tensors overlap or leave
    holes. `path` is for messages. The end of the data is not compared with the file.
    """
    tree = _load(text, path)
    metadata = _metadata(tree.pop(METADATA, None), path)
    extras: list[str] = []
    tensors: list[RawTensor] = []
    cancel = cancel or CancelToken()
    for name, info in cancel.each(tree.items()):
        if type(info) is not dict or not info.keys() >= _FIELDS:
            raise damaged_header(path, f"tensor '{show(name)}' lacks dtype, shape or data_offsets")
        if len(info) > len(_FIELDS):
            extras.append(name)
        tensors.append(_tensor(name, info, path))
    tensors.sort(key=itemgetter(3, 4))
    end = 0
    for name, _, _, begin, stop in cancel.each(tensors):
        if begin != end:
            what = "overlaps the one before it" if begin < end else "leaves a hole before it"
            raise damaged_header(
                path, f"tensor '{show(name)}' {what} (byte {begin:,}, not {end:,})"
            )
        end = stop
    return Header(tensors, metadata, extras, end)


def _load(text: bytes, path: str) -> dict[str, Any]:
    if text[:1] != b"{":
        raise damaged_header(path, "its header does not begin with '{'")
    try:
        return load_object(text)
    except JsonError as error:
        raise damaged_header(path, f"in its header, {error.what}") from None


def _metadata(metadata: Any, path: str) -> dict[str, str]:
    """Return the value of ``__metadata__``; {} for None. Raise `DamagedFileError` if invalid."""
    if metadata is None:
        return {}
    if type(metadata) is not dict:
        raise damaged_header(path, f"'{METADATA}' is not an object")
    for key, value in metadata.items():
        if type(value) is not str:
            raise damaged_header(path, f"'{show(key)}' in '{METADATA}' is not text")
    return metadata


def _tensor(name: str, info: dict[str, Any], path: str) -> RawTensor:
    """Validate the description of a tensor and convert it. Raise `DamagedFileError`.

    The offsets must fit the shape and type; they are not compared with other tensors. `info` has
    all of `_FIELDS`.
    """
    dtype, shape, offsets = info["dtype"], info["shape"], info["data_offsets"]
    if type(dtype) is not str or dtype not in SAFETENSORS_DTYPES:
        raise damaged_header(
            path, f"tensor '{show(name)}' has the unknown dtype {str(dtype)[:40]!r}"
        )
    if (
        type(offsets) is not list
        or len(offsets) != 2
        or type(offsets[0]) is not int
        or type(offsets[1]) is not int
        or not 0 <= offsets[0] <= offsets[1] < _OFFSET_END
    ):
        raise damaged_header(
            path,
            f"the data_offsets of tensor '{show(name)}' must be two whole numbers, the "
            f"smaller first (got {str(offsets)[:60]})",
        )
    begin, end = offsets
    if type(shape) is not list:
        raise damaged_header(path, f"the shape of tensor '{show(name)}' is not a list")
    if len(shape) > MAX_RANK:
        raise damaged_header(
            path,
            f"tensor '{show(name)}' has {len(shape):,} dimensions; at most {MAX_RANK} are allowed",
        )
    numel = 1
    largest = 1
    for extent in shape:
        if type(extent) is not int or not 0 <= extent <= _LARGEST:
            raise damaged_header(
                path,
                f"the shape of tensor '{show(name)}' must be whole numbers up to 2^63 - 1 "
                f"(got {str(extent)[:40]})",
            )
        numel *= extent
        largest *= extent or 1  # an extent of 0 must not hide the others
        if largest > _LARGEST:
            raise damaged_header(path, f"tensor '{show(name)}' has more than 2^63 elements")
    bits = numel * DTYPES[dtype].bits
    if bits % 8:
        raise damaged_header(path, f"tensor '{show(name)}' does not end at a whole byte")
    if bits // 8 != end - begin:
        raise damaged_header(
            path, f"tensor '{show(name)}' needs {bits // 8:,} bytes but has {end - begin:,}"
        )
    return name, dtype, tuple(shape), begin, end


def damaged_header(path: str, what: str) -> DamagedFileError:
    """Return the error for a safetensors file that violates a rule; `what` is a clause."""
    return DamagedFileError(
        f"'{path}' is not a valid safetensors file: {what}.", remedy="Download or save it again."
    )


# Number of bytes parsed at a time: 2 ms, during which no other thread of the interpreter runs.
_WINDOW_BYTES = 1 << 17
# Numbers of 18 digits satisfy all limits.
_NUMBER = r"(0|[1-9][0-9]{0,17})"
_TENSOR = re.compile(
    r'"([^"\\\x00-\x1f]*)":\{"dtype":"([A-Z0-9_]+)","shape":\[([0-9,]*)\],'
    rf'"data_offsets":\[{_NUMBER},{_NUMBER}\]\}}'
)
_COLUMNS = _TENSOR.groups + 1  # `split` also returns the text between two tensors
_EXTENTS = re.compile(rf"(?:{_NUMBER}(?:,{_NUMBER})*)?")
_BOUNDARY = b'},"'
_METADATA = b'{"%s":{' % METADATA.encode()


class _UnusualError(Exception):
    pass


class _Kind(NamedTuple):
    dtype: str
    shape: tuple[int, ...]
    nbytes: int


class _Kinds(dict[tuple[str, str], _Kind]):
    """A cache of parsed dtypes and shapes; a file has few different ones."""

    def __missing__(self, key: tuple[str, str]) -> _Kind:
        """Parse a dtype and the text of a shape, and cache the result. Raise `_UnusualError`."""
        dtype, text = key
        if dtype not in SAFETENSORS_DTYPES or not _EXTENTS.fullmatch(text):
            raise _UnusualError
        shape = tuple(map(int, text.split(","))) if text else ()
        bits = math.prod(shape) * DTYPES[dtype].bits
        if len(shape) > MAX_RANK or math.prod(n or 1 for n in shape) > _LARGEST or bits % 8:
            raise _UnusualError
        self[key] = kind = _Kind(dtype, shape, bits // 8)
        return kind


class _Scan:
    """The tensors that were parsed so far."""

    def __init__(self) -> None:
        self.tensors: list[RawTensor] = []
        self.names: set[str] = set()
        self.end = 0
        self._kinds = _Kinds()

    def parse_window(self, window: bytes) -> None:
        """Append the tensors of a window that starts with a quotation mark and ends with a brace.

        Raises `_UnusualError` if any of them deviates from the usual layout or does not begin where
        the previous one ends.
        """
        parts = _TENSOR.split(window.decode())
        separators = parts[::_COLUMNS]
        if separators[0] or separators[-1] or separators.count(",") != len(separators) - 2:
            raise _UnusualError
        names, dtypes, extents = parts[1::_COLUMNS], parts[2::_COLUMNS], parts[3::_COLUMNS]
        begins = list(map(int, parts[4::_COLUMNS]))
        ends = list(map(int, parts[5::_COLUMNS]))
        kinds = map(self._kinds.__getitem__, zip(dtypes, extents, strict=True))
        types, shapes, sizes = zip(*kinds, strict=True)
        if begins != [self.end, *ends[:-1]] or tuple(map(sub, ends, begins)) != sizes:
            raise _UnusualError
        self.end = ends[-1]
        self.names.update(names)
        self.tensors.extend(zip(names, types, shapes, begins, ends, strict=True))


def scan(pieces: Iterable[bytes], job: Job) -> Header | None:
    """Parse a header that is read in pieces; return None if it does not have the usual layout.

    The header may be valid nevertheless; `parse` decides. Pieces after the first deviation are not
    consumed. Raises `Cancelled`.
    """
    try:
        return _scan(pieces, job)
    except (_UnusualError, UnicodeDecodeError):
        return None


def _scan(pieces: Iterable[bytes], job: Job) -> Header:
    """Parse a header that is read in pieces. Raise `_UnusualError` if the layout is another one."""
    scanned = _Scan()
    metadata: dict[str, str] | None = None
    rest = b""
    for piece in pieces:
        text = rest + piece
        at = 0
        if metadata is None:
            metadata, at = _leading_metadata(text)
        while (end := text.rfind(_BOUNDARY, at, at + _WINDOW_BYTES)) >= 0:
            job.cancel.check()
            scanned.parse_window(text[at : end + 1])
            at = end + 2
        rest = text[at:]
        if len(rest) > _WINDOW_BYTES:
            raise _UnusualError
    rest = rest.rstrip(b" ")
    if metadata is None or not rest.endswith(b"}}"):
        raise _UnusualError
    scanned.parse_window(rest[:-1])
    if len(scanned.names) != len(scanned.tensors) or METADATA in scanned.names:
        raise _UnusualError
    return Header(scanned.tensors, metadata, [], scanned.end)


def _leading_metadata(text: bytes) -> tuple[dict[str, str], int]:
    """Return the metadata at the start of a header, and the position of the first tensor in bytes.

    Without metadata the result is ``{}, 1``. Raises `_UnusualError` if it is invalid, has duplicate
    keys or Unicode escapes, or is longer than a window.
    """
    if not text.startswith(_METADATA):
        if not text.startswith(b'{"'):
            raise _UnusualError
        return {}, 1
    # The window may end within a multi-byte character.
    head = codecs.getincrementaldecoder("utf-8")().decode(text[:_WINDOW_BYTES])
    try:
        pairs, end = _DECODER.raw_decode(head, len(_METADATA) - 1)
    except (ValueError, RecursionError):  # not JSON, nested, or longer than the window
        raise _UnusualError from None
    metadata = dict(pairs)
    if (
        len(metadata) != len(pairs)
        or any(type(value) is not str for value in metadata.values())
        or "\\u" in head[:end]  # the escape may be half of a surrogate pair
        or head[end : end + 1] != ","
    ):
        raise _UnusualError
    return metadata, len(head[: end + 1].encode())


_DECODER = json.JSONDecoder(object_pairs_hook=tuple)


MAX_INDEX_BYTES = 64 << 20


@dataclass(frozen=True)
class ShardIndex:
    """The parsed index of a sharded model."""

    # The file of each tensor, as a path relative to the folder of the index.
    weight_map: dict[str, str]
    total_size: int | None  # total bytes of all tensors; None if the index does not contain it


def parse_index_file(text: bytes, path: str, cancel: CancelToken | None = None) -> ShardIndex:
    """Parse an index of shards.

    `path` is for messages. Whether the files exist is not checked.

    Raises
    ------
    UnrecognizedFileError
        If it is a JSON object, but not an index, such as a recipe.
    DamagedFileError
        If it is not a JSON object, or its weight_map violates a rule: it is empty, a file is not a
        portable path inside the folder, or two files differ only in case.
    """
    try:
        tree = load_object(text)
    except JsonError as error:
        raise damaged_index(path, error.what) from None
    if tree.get("format") == "pruneapp-recipe":  # a literal: recipes are a higher layer
        raise UnrecognizedFileError(
            f"'{path}' is a recipe, not a checkpoint.",
            remedy="Apply it to a checkpoint: pruneapp run RECIPE FILE -o OUT",
        )
    if "weight_map" not in tree:
        raise UnrecognizedFileError(
            f"'{path}' is a JSON file, but not an index of shards: it has no key 'weight_map'.",
            remedy="Open the file or folder that contains the weights.",
        )
    weight_map = tree["weight_map"]
    if type(weight_map) is not dict or not weight_map:
        raise damaged_index(path, "its weight_map must be an object with at least one tensor")
    files: set[str] = set()
    for name, file in (cancel or CancelToken()).each(weight_map.items()):
        if type(file) is not str:
            raise damaged_index(path, f"the file of tensor '{show(name)}' is not text")
        if file not in files:
            _check_name(file, path)
            files.add(file)
    folded: dict[str, str] = {}
    for file in sorted(files):
        other = folded.setdefault(file.casefold(), file)
        if other != file:
            raise damaged_index(
                path, f"'{other}' and '{file}' differ only in upper and lower case, or spelling"
            )
    metadata = tree.get("metadata")
    size = metadata.get("total_size") if type(metadata) is dict else None
    # Some versions of transformers wrote a float.
    whole = size if type(size) is int or (type(size) is float and size.is_integer()) else None
    return ShardIndex(weight_map, None if whole is None else int(whole))


def _check_name(file: str, path: str) -> None:
    if not is_path_inside(file):
        raise damaged_index(path, f"'{show(file)}' is not the name of a file in its folder")


def is_path_inside(file: str) -> bool:
    """Return whether `file` is a relative path below its folder that is valid on all systems."""
    return all(map(_is_plain, file.split("/")))


def _is_plain(name: str) -> bool:
    """Return whether a file or folder name has no special meaning on any system.

    False for an empty name, "." and "..", more than 255 characters, a trailing dot or space, a
    character that Windows forbids, and devices of Windows.
    """
    return not (
        not name
        or len(name) > 255
        or ends_badly(name)
        or any(c in FORBIDDEN or not c.isprintable() for c in name)
        or device_of(name)
    )


def damaged_index(path: str, what: str) -> DamagedFileError:
    """Return the error for an index that violates a rule; `what` is a clause."""
    return DamagedFileError(
        f"'{path}' is not a valid index of shards: {what}.", remedy="Download or save it again."
    )
