"""Interpret the arrays and scalars that numpy writes into pickles, without numpy."""

from __future__ import annotations

import math
from typing import Any

from pruneapp.checkpoint.entry import c_strides, fortran_strides, is_contiguous
from pruneapp.checkpoint.torchfile.torch_objects import (
    BY_DTYPE,
    MAX_EXTENT,
    MAX_RANK,
    Array,
    Blob,
    Element,
    Global,
    MalformedError,
    Uncalled,
)

_NO_NUMBERS = "it is a numpy array whose numbers the file does not contain"
# Names of torch types by numpy type code, without byte order.
BY_CODE = {
    "b1": "bool",
    **{f"{sign}{size}": f"{name}{8 * size}" for sign, name in (("i", "int"), ("u", "uint"))
       for size in (1, 2, 4, 8)},
    **{f"f{size}": f"float{8 * size}" for size in (2, 4, 8)},
    **{f"c{size}": f"complex{8 * size}" for size in (8, 16)},
}  # fmt: skip


def reconstruct(function: Global, args: tuple[Any, ...]) -> Any:
    """Return a placeholder for ``_reconstruct(type, shape, code)``: an array without data.

    For a subclass of ndarray, the array has a reason and stays without data. For other arguments
    the result is an `Uncalled`.
    """
    cls = args[0] if args else None
    if not isinstance(cls, Global):
        return Uncalled(function, args)
    if cls.path != "numpy.ndarray":
        return Array(reason=f"it is a {cls.path[:80]}, which Pruneapp does not read")
    return Array(reason=_NO_NUMBERS)


def fill(array: Array, state: Any) -> None:
    """Set an array from the argument of ``__setstate__``: version, shape, type, order, bytes.

    An array of an unsupported type gets a reason instead. An array subclass is not changed. Raises
    `MalformedError` for an invalid state.
    """
    if array.reason != _NO_NUMBERS:
        return  # an array subclass, which is not read
    if type(state) is not tuple or len(state) not in {4, 5}:
        raise MalformedError("the state of a numpy array in its pickle is not well-formed")
    shape, dtype, fortran, raw = state[-4:]
    element, swapped, reason = _type(dtype)
    if type(raw) is str:  # a string of Python 2 whose bytes are valid text
        raw = raw.encode("utf-8", "surrogatepass")
    if element is None or not isinstance(raw, (bytes, Blob)):
        array.reason = reason or "it is a numpy array without bytes"
        return
    shape = _shape(shape)
    _set(array, element, raw, shape, fortran_strides(shape) if fortran is True else None)
    array.swapped = swapped


def from_buffer(function: Global, args: tuple[Any, ...]) -> Any:
    """Return a placeholder for ``_frombuffer(bytes, type, shape, order, axes)``.

    It is an `Array`, with a reason for unsupported types, or an `Uncalled` if there are no bytes.
    `axes` is optional. Raises `MalformedError` for an invalid shape, order or size.
    """
    if len(args) not in {4, 5} or not isinstance(args[0], (bytes, Blob)):
        return Uncalled(function, args)
    element, swapped, reason = _type(args[1])
    if element is None:
        return Array(reason=reason)
    shape, order = _shape(args[2]), args[3]
    array = Array(swapped=swapped)
    if order == "K" and len(args) == 5 and args[4] is not None:
        axes = args[4]
        if (
            type(axes) is not tuple
            or any(type(axis) is not int for axis in axes)
            or sorted(axes) != list(range(len(shape)))
        ):
            raise MalformedError("the order of the axes of a numpy array is not well-formed")
        steps = c_strides(shape)
        strides = tuple(steps[axis] for axis in axes)
        _set(array, element, args[0], tuple(shape[axis] for axis in axes), strides)
    elif order in ("C", "F"):
        _set(array, element, args[0], shape, fortran_strides(shape) if order == "F" else None)
    else:
        raise MalformedError("the order of a numpy array in its pickle is not well-formed")
    return array


def scalar(function: Global, args: tuple[Any, ...]) -> Any:
    """Return a placeholder for ``scalar(type, bytes)``: an `Array` if the type is supported.

    Otherwise an `Uncalled`. Raises `MalformedError` if the number of bytes is not that of the type.
    """
    if len(args) != 2 or type(args[1]) is not bytes:
        return Uncalled(function, args)
    element, swapped, _ = _type(args[0])
    if element is None:
        return Uncalled(function, args)
    array = Array(swapped=swapped, number=True)
    _set(array, element, args[1], (), None)
    return array


def _set(
    array: Array,
    element: Element,
    raw: bytes | Blob,
    shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
) -> None:
    """Set type, bytes and layout of an array, and clear its reason.

    `strides` in elements, None for C order. Raises `MalformedError` if `raw` has another size.
    """
    nbytes = math.prod(shape) * element.itemsize
    if len(raw) != nbytes:
        raise MalformedError(
            f"a numpy array of shape {list(shape)} needs {nbytes:,} bytes and has {len(raw):,}"
        )
    contiguous = strides is None or is_contiguous(shape, strides)
    array.element, array.raw, array.shape = element, raw, shape
    array.strides = None if contiguous else strides
    array.reason = ""


def _type(dtype: Any) -> tuple[Element | None, bool, str]:
    """Return the element type or None, whether it must be swapped, and the reason for None.

    Big-endian types of more than one byte must be swapped. `dtype` is the placeholder of a numpy
    dtype. Raises `MalformedError` for an invalid state of it.
    """
    if not isinstance(dtype, Uncalled) or dtype.path != "numpy.dtype" or not dtype.args:
        return None, False, "it is a numpy array of a type that Pruneapp does not support"
    code = dtype.args[0]
    name = BY_CODE.get(code) if type(code) is str else None
    if name is None:
        if isinstance(code, Global):
            code = code.path
        if type(code) is str and code.startswith("O"):
            return None, False, "it is a numpy array of Python objects (dtype object), no numbers"
        shown = code[:80] if type(code) is str else type(code).__name__
        return None, False, f"it is a numpy array of type '{shown}', which Pruneapp does not read"
    order = "|"
    if dtype.state is not None:
        if type(dtype.state) is not tuple or len(dtype.state) < 2:
            raise MalformedError("the type of a numpy array in its pickle is not well-formed")
        order = dtype.state[1]
    if order not in ("<", ">", "|", "="):
        raise MalformedError("the type of a numpy array in its pickle is not well-formed")
    return BY_DTYPE[name], order == ">" and name not in {"bool", "int8", "uint8"}, ""


def _shape(shape: Any) -> tuple[int, ...]:
    """Return a shape in a pickle as a tuple; an integer counts as a shape of one dimension.

    Raises `MalformedError` for any other object and for impossible extents.
    """
    if type(shape) is int:
        shape = (shape,)
    if type(shape) not in {tuple, list} or len(shape) > MAX_RANK:
        raise MalformedError("the shape of a numpy array in its pickle is not well-formed")
    if any(type(n) is not int or not 0 <= n < MAX_EXTENT for n in shape):
        raise MalformedError("the shape of a numpy array contains something that is not an integer")
    if math.prod(n for n in shape if n) >= MAX_EXTENT:
        raise MalformedError("a numpy array is larger than any memory")
    return tuple(shape)
