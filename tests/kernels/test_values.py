"""Values of raw elements, compared with torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.kernels.values import broadcasting, decode, rough_sums, write_magnitudes

SMALL = [d for d in DTYPES.values() if d.bits in {8, 16} and d.torch]


@pytest.mark.parametrize("dtype", SMALL, ids=lambda d: d.name)
def test_every_pattern_has_the_value_that_torch_gives_it(dtype):
    """All 256 or 65,536 of them, NaN for NaN."""
    bits = np.arange(2 if dtype.name == "BOOL" else 1 << dtype.bits, dtype=dtype.storage)
    expected = torch.from_numpy(bits.copy()).view(getattr(torch, dtype.torch)).double().numpy()

    assert np.array_equal(expected, decode(bits, dtype), equal_nan=True)
    number = ~np.isnan(expected)
    assert np.array_equal(np.signbit(expected)[number], np.signbit(decode(bits, dtype))[number])
    assert decode(bits, dtype).dtype == np.float32


@pytest.mark.parametrize(
    ("name", "bits", "expected"),
    [
        ("F32", np.uint32(0xC020_0000), -2.5),
        ("F64", np.uint64(0xC004_0000_0000_0000), -2.5),
        ("I32", np.uint32(0xFFFF_FFFE), -2),
        ("U32", np.uint32(0xFFFF_FFFE), 2**32 - 2),
        ("I64", np.uint64(2**64 - 3), -3),
        ("U64", np.uint64(2**63), 2**63),
    ],
)
def test_wide_types_keep_their_values(name, bits, expected):
    """Floats are unchanged, integers become float64."""
    assert expected == decode(np.array([bits]), DTYPES[name])[0]


@pytest.mark.parametrize("dtype", [d for d in DTYPES.values() if d.one], ids=lambda d: d.name)
def test_the_bits_of_one_are_those_of_one(dtype):
    """Masks are written and recognized by them."""
    assert decode(np.array([dtype.one, 0], dtype.storage), dtype).tolist() == [1, 0]


@pytest.mark.parametrize("name", ["C64", "C128", "F4", "F6_E2M3"])
def test_types_without_one_value_an_element_are_refused(name):
    with pytest.raises(ValueError, match=DTYPES[name].label):
        decode(np.zeros(3, DTYPES[name].storage), DTYPES[name])


def test_broadcasting_leaves_the_settings_of_numpy_as_they_were():
    with np.errstate(over="raise"):
        size, errors = np.getbufsize(), np.geterr()
        with broadcasting(1000):
            assert np.getbufsize() == 992
            assert np.float32(1e30) * np.float32(1e30) == np.inf
        with broadcasting(3):
            assert np.getbufsize() == 16
        assert (np.getbufsize(), np.geterr()) == (size, errors)


@pytest.mark.parametrize("size", [0, 5, 4096, 10_000])
def test_rough_sums_are_off_by_less_than_a_millionth(size):
    values = np.random.default_rng(0).exponential(1.0, size).astype(np.float32)
    wide = values.astype(np.float64)
    assert rough_sums(values) == pytest.approx((np.square(wide).sum(), wide.sum()), rel=1e-6)


@pytest.mark.parametrize("dtype", [d for d in DTYPES.values() if d.form and d.bits <= 32])
def test_magnitudes_are_those_of_the_values(dtype):
    """For every pattern of narrow dtypes, including NaN and infinities."""
    bits = np.arange(1 << 16, dtype=np.uint32) * (1 if dtype.bits < 32 else 65_521)
    bits = bits[: 1 << min(dtype.bits, 16)].astype(dtype.storage)
    found = np.empty(bits.size, np.float32)
    with np.errstate(invalid="ignore"):
        write_magnitudes(bits, dtype, found)
        assert np.array_equal(found, np.abs(decode(bits, dtype)), equal_nan=True)
    assert not np.signbit(found[~np.isnan(found)]).any()
