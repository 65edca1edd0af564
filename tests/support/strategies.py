"""Hypothesis strategies that several folders share."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES, DType

FLOATS = [d for d in DTYPES.values() if d.prunable]

float_types = st.sampled_from(FLOATS)


def shapes(least: int = 1, most: int = 5, elements: int = 400) -> st.SearchStrategy:
    """Draw shapes with `least` to `most` dimensions and at most `elements` elements."""
    return (
        st.integers(least, most)
        .flatmap(lambda dims: st.tuples(*[st.integers(1, 9)] * dims))
        .filter(lambda shape: math.prod(shape) <= elements)
    )


@st.composite
def raw_bits(draw, dtype: DType, size: int, *, nan: bool = True, finite: bool = False):
    """Draw the bits of `size` elements: common values, ties, and special values."""
    form = dtype.form
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    few = rng.integers(0, form.largest, size=draw(st.sampled_from([2, 5, 1000])), dtype=np.uint64)
    sign = 1 << (form.bits - 1)
    odd = [0, 1, form.largest - 1] + ([] if form.fnuz else [sign])
    if not finite:
        odd.append(form.largest)
    if nan:
        odd.append(sign if form.fnuz else form.nan_key)
        odd.append(sign if form.fnuz else form.magnitude_mask)
    magnitudes = np.where(
        rng.random(size) < draw(st.sampled_from([0.0, 0.2])),
        rng.choice(np.array(odd, np.uint64), size),
        rng.choice(few, size),
    )
    negative = (rng.random(size) < 0.5) & (magnitudes != 0) & (magnitudes < np.uint64(sign))
    bits = magnitudes | np.where(negative, np.uint64(sign), np.uint64(0))
    return bits.astype(dtype.storage)


@st.composite
def kept_bools(draw, size: int):
    """Draw None, or which of `size` elements are kept: mostly some, rarely none or all."""
    share = draw(st.sampled_from([None, 0.5, 0.9, 0.0, 1.0]))
    if share is None:
        return None
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.random(size) < share


@st.composite
def moderate_bits(draw, dtype: DType, size: int):
    """Draw finite bits whose powers neither underflow nor overflow in float64."""
    if dtype.name != "F64":
        return draw(raw_bits(dtype, size, nan=False, finite=True))
    narrow = draw(raw_bits(DTYPES["F32"], size, nan=False, finite=True))
    return narrow.view(np.float32).astype(np.float64).view(np.uint64)
