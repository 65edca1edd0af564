"""Checks that a tensor lies inside its storage, before anybody reads it."""

from __future__ import annotations

import math
from typing import Any

from pruneapp.checkpoint.torchfile.torch_objects import Storage, Tensor
from pruneapp.checkpoint.torchfile.torch_objects_elements import UNTYPED, Element
from pruneapp.checkpoint.torchfile.torch_objects_faults import Malformed

MAX_RANK = 64
MAX_EXTENT = 1 << 63
# A stride of 0 makes terabytes out of a few bytes. Small expanded tensors are honest (masks).
MAX_EXPANSION = 16
SMALL = 16 << 20


def view(storage: Any, element: Element | None, offset: Any, size: Any, stride: Any) -> Tensor:
    """Return the tensor that views `storage`, all of them as the file gives them.

    Parameters
    ----------
    storage
        What should be a `Storage`.
    element
        Type of the tensor's elements; the storage's by default.
    offset
        Elements before the first one.
    size, stride
        Tuples, in elements.

    Raises
    ------
    Malformed
        If a number is none or negative, or an element lies outside the storage.
    """
    if not isinstance(storage, Storage):
        raise Malformed("a tensor in its pickle has no storage")
    shape = _numbers(size, "size")
    strides = _numbers(stride, "stride")
    start = _number(offset, "offset")
    element = element or storage.element
    if len(strides) != len(shape):
        raise Malformed(f"a tensor has {len(shape)} dimensions and {len(strides)} strides")
    if len(shape) > MAX_RANK:
        raise Malformed(f"a tensor has {len(shape)} dimensions (at most {MAX_RANK} are read)")
    if math.prod(n for n in shape if n) >= MAX_EXTENT:
        raise Malformed("a tensor is larger than any memory")
    if not element.whole:
        return _as_bytes(storage, element)
    numel = math.prod(shape)
    item = element.itemsize
    contiguous = is_contiguous(shape, strides)
    why_not = element.why_not
    if numel:
        last = start + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
        if (last + 1) * item > storage.nbytes:
            raise Malformed(
                f"a tensor of shape {list(shape)} needs {(last + 1) * item:,} bytes "
                f"of storage '{storage.key[:80]}', which has {storage.nbytes:,}"
            )
        if numel * item > max(MAX_EXPANSION * storage.nbytes, SMALL):
            raise Malformed(
                f"a tensor of shape {list(shape)} makes {numel * item:,} bytes "
                f"out of a storage of {storage.nbytes:,}"
            )
    else:
        start = 0
    if element.dtype.bits == 4:  # two to a byte: torch counts bytes, we count numbers
        if not contiguous or not shape:
            return _as_bytes(storage, element)
        shape = (*shape[:-1], shape[-1] * 2)
    return Tensor(
        storage,
        element,
        storage.base + start * item,
        shape,
        None if contiguous else strides,
        why_not,
    )


def _numbers(values: Any, what: str) -> tuple[int, ...]:
    if type(values) not in {tuple, list}:
        raise Malformed(f"the {what} of a tensor is no tuple")
    return tuple([_number(value, what) for value in values])


def _number(value: Any, what: str) -> int:
    if type(value) is not int:
        raise Malformed(f"the {what} of a tensor holds something that is no whole number")
    if not 0 <= value < MAX_EXTENT:
        raise Malformed(f"the {what} of a tensor holds {value}")
    return value


def _as_bytes(storage: Storage, element: Element) -> Tensor:
    why_not = element.why_not or element.dtype.why_not
    shown = Element(element.name, UNTYPED.dtype, why_not)
    return Tensor(storage, shown, storage.base, (storage.nbytes,), None, why_not)


def is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether the elements lie in C order without gaps."""
    if 0 in shape:
        return True
    expected = 1
    for n, step in zip(reversed(shape), reversed(strides), strict=True):
        if n != 1 and step != expected:
            return False
        expected *= n
    return True
