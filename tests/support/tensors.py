"""Tensors in memory in the forms that kernels, methods and torch use."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.checkpoint.elements import RawChunk
from pruneapp.groups.group import Group, Member
from pruneapp.kernels.kernel import ReadBits
from pruneapp.kernels.values import decode
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.cutoff import rows_of
from pruneapp.methods.method import CoupledMethod, Coupling, Method, TensorView
from pruneapp.statistics.file import Inputs


def reading(bits: np.ndarray, chunk: int = 1 << 20) -> ReadBits:
    """Return a reader of `bits` like a checkpoint's: in chunks, with one reused buffer."""

    def read(start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
        buffer = np.empty(chunk, bits.dtype)
        stop = bits.size if stop is None else stop
        for first in range(start, stop, chunk):
            part = bits[first : min(first + chunk, stop)]
            buffer[: part.size] = part
            yield RawChunk(first, buffer[: part.size])
            buffer[:] = 0x55  # overwrite, so that late reads are detected

    return read


def view_of(
    bits: np.ndarray,
    dtype: DType,
    shape: tuple[int, ...] | None = None,
    kept: np.ndarray | None = None,
    *,
    name: str = "layer.weight",
    chunk: int = 1 << 20,
    **more,
) -> TensorView:
    """Return a method's view of raw elements."""
    shape = (bits.size,) if shape is None else shape
    assert math.prod(shape) == bits.size
    mask = None if kept is None else BitMask.from_bools(kept)
    group = more.pop("group", None)
    view = TensorView(name, shape, dtype, mask, reading(bits, chunk), **more)
    if group is None:
        return view
    return replace(view, coupling=(Coupling(replace(group, place=name), lambda _name: view),))


def view_of_values(values: np.ndarray, kept: np.ndarray | None = None, **more) -> TensorView:
    """Return a method's view of a NumPy float array."""
    dtype = DTYPES[f"F{8 * values.itemsize}"]
    bits = np.ascontiguousarray(values).reshape(-1).view(dtype.storage)
    return view_of(bits, dtype, values.shape, kept, **more)


def asked_of(method: Method, shape: tuple[int, ...], seed: int = 0) -> dict[str, Any]:
    """Return the additional inputs that a method needs: a mask, a scale, statistics."""
    rng = np.random.default_rng(seed)
    more: dict[str, Any] = {}
    if method.takes_mask:
        more["given"] = BitMask.from_bools(rng.random(math.prod(shape)) < 0.5)
    if isinstance(method, CoupledMethod):
        # The tensor is the only member, and too small for the default multiple.
        members = (Member("it", 0, role="output"),)
        more["group"] = Group(method.axis, "layer", shape[0], members, own_multiple=1)
    if method.takes_scale:
        scale = rng.integers(-3, 4, shape[0]).astype(np.float32)
        more["scale"] = view_of_values(scale, name="norm.weight")
    if method.takes_statistics:
        columns = max(math.prod(shape[1:]), 1)
        x = rng.integers(-2, 3, (3, columns)).astype(np.float64)
        sum2 = (x * x).sum(0, keepdims=True)
        gram = (lambda _part, _cancel: x.T @ x) if method.takes_grams else None
        more["inputs"] = Inputs(sum2, None, np.array([3.0]), gram=gram)
    return more


def left_in_rows(view: TensorView) -> list[int]:
    """Return the number of kept weights in each row of a tensor."""
    kept = np.ones(view.numel, np.bool_) if view.kept is None else view.kept.bools()
    return kept.reshape(rows_of(view.shape)).sum(axis=1).tolist()


def decode_float64(bits: np.ndarray, dtype: DType) -> np.ndarray:
    """Return the values of raw elements as float64."""
    with np.errstate(invalid="ignore"):  # signaling NaNs remain NaN
        return decode(bits, dtype).astype(np.float64)


def magnitudes(bits: np.ndarray, dtype: DType) -> np.ndarray:
    """Return exact magnitudes as float64; NaN remains NaN and sorts after infinity."""
    return np.abs(decode_float64(bits, dtype))


def first_to_go(scores: np.ndarray) -> np.ndarray:
    """Return indices by increasing score; NaN last, equal scores in order, as NumPy sorts."""
    return np.argsort(scores, kind="stable")
