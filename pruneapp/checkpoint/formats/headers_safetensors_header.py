"""The JSON header of a safetensors file: parsed and checked.

What the safetensors library refuses is refused here, and a few things more: duplicate keys,
spaces before the header, extents that no tensor can have. Needs neither numpy nor torch, so that
the process that parses large headers starts quickly.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from pruneapp.checkpoint.dtypes import DTYPES, SAFETENSORS_DTYPES
from pruneapp.checkpoint.formats.headers_header_json import show
from pruneapp.errors import DamagedFileError, JsonError
from pruneapp.json_codec import load_object
from pruneapp.progress import CancelToken

MAX_RANK = 64
METADATA = "__metadata__"
_LARGEST = (1 << 63) - 1  # of an extent or a number of elements: numpy and torch count in int64
_OFFSET_END = 1 << 64
_FIELDS = frozenset({"dtype", "shape", "data_offsets"})

# name, dtype, shape, begin and end in the data: only what marshal can carry between processes.
RawTensor = tuple[str, str, tuple[int, ...], int, int]


@dataclass(frozen=True)
class Header:
    """What a header says.

    Attributes
    ----------
    tensors
        In the order of their bytes; those without bytes in the order of the header.
    metadata
        Text beside the tensors, in the order of the header.
    extras
        Names of tensors that have fields which the format does not know.
    data_bytes
        How many bytes the tensors take in all.
    """

    tensors: list[RawTensor]
    metadata: dict[str, str]
    extras: list[str]
    data_bytes: int


def parse(text: bytes, path: str, cancel: CancelToken | None = None) -> Header:
    """Parse a header, without the 8 bytes of its length.

    Parameters
    ----------
    text
        UTF-8 JSON.
    path
        The file, for messages.
    cancel
        Looked at once the text has been parsed as JSON; by default none.

    Raises
    ------
    DamagedFileError
        If it breaks a rule of the format.
    """
    tree = _load(text, path)
    metadata = _metadata(tree.pop(METADATA, None), path)
    extras: list[str] = []
    tensors: list[RawTensor] = []
    cancel = cancel or CancelToken()
    for batch in cancel.batches(tree.items()):
        for name, info in batch:
            if type(info) is not dict or not info.keys() >= _FIELDS:
                raise _damaged(path, f"tensor '{show(name)}' lacks dtype, shape or data_offsets")
            if len(info) > len(_FIELDS):
                extras.append(name)
            tensors.append(_tensor(name, info, path))
    tensors.sort(key=itemgetter(3, 4))
    end = 0
    for some in cancel.batches(tensors):
        for name, _, _, begin, stop in some:
            if begin != end:
                what = "overlaps the one before it" if begin < end else "leaves a hole before it"
                raise _damaged(path, f"tensor '{show(name)}' {what} (byte {begin:,}, not {end:,})")
            end = stop
    return Header(tensors, metadata, extras, end)


def _load(text: bytes, path: str) -> dict[str, Any]:
    if text[:1] != b"{":
        raise _damaged(path, "its header does not begin with '{'")
    try:
        return load_object(text)
    except JsonError as error:
        raise _damaged(path, f"in its header, {error.what}") from None


def _metadata(found: Any, path: str) -> dict[str, str]:
    if found is None:
        return {}
    if type(found) is not dict:
        raise _damaged(path, f"'{METADATA}' is not an object")
    for key, value in found.items():
        if type(value) is not str:
            raise _damaged(path, f"'{show(key)}' in '{METADATA}' is not text")
    return found


def _tensor(name: str, info: dict[str, Any], path: str) -> RawTensor:
    dtype, shape, offsets = info["dtype"], info["shape"], info["data_offsets"]
    if type(dtype) is not str or dtype not in SAFETENSORS_DTYPES:
        raise _damaged(path, f"tensor '{show(name)}' has the unknown dtype {str(dtype)[:40]!r}")
    if (
        type(offsets) is not list
        or len(offsets) != 2
        or type(offsets[0]) is not int
        or type(offsets[1]) is not int
        or not 0 <= offsets[0] <= offsets[1] < _OFFSET_END
    ):
        raise _damaged(
            path,
            f"the data_offsets of tensor '{show(name)}' must be two whole numbers, the "
            f"smaller first (got {str(offsets)[:60]})",
        )
    begin, end = offsets
    if type(shape) is not list:
        raise _damaged(path, f"the shape of tensor '{show(name)}' is not a list")
    if len(shape) > MAX_RANK:
        raise _damaged(
            path, f"tensor '{show(name)}' has {len(shape):,} dimensions; {MAX_RANK} is the most"
        )
    numel = 1
    largest = 1
    for extent in shape:
        if type(extent) is not int or not 0 <= extent <= _LARGEST:
            raise _damaged(
                path,
                f"the shape of tensor '{show(name)}' must be whole numbers up to 2^63 - 1 "
                f"(got {str(extent)[:40]})",
            )
        numel *= extent
        largest *= extent or 1  # an extent of 0 must not hide the others
        if largest > _LARGEST:
            raise _damaged(path, f"tensor '{show(name)}' has more than 2^63 elements")
    bits = numel * DTYPES[dtype].bits
    if bits % 8:
        raise _damaged(path, f"tensor '{show(name)}' does not end at a whole byte")
    if bits // 8 != end - begin:
        raise _damaged(
            path,
            f"tensor '{show(name)}' needs {bits // 8:,} bytes but has {end - begin:,}",
        )
    return name, dtype, tuple(shape), begin, end


def _damaged(path: str, what: str) -> DamagedFileError:
    return DamagedFileError(
        f"'{path}' is not a valid safetensors file: {what}.",
        remedy="Download or save it again.",
    )
