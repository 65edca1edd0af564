"""Values of raw elements, against torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.kernels.values import decode

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
    """Floats as they are, whole numbers as float64."""
    assert expected == decode(np.array([bits]), DTYPES[name])[0]


@pytest.mark.parametrize("dtype", [d for d in DTYPES.values() if d.one], ids=lambda d: d.name)
def test_the_bits_of_one_are_those_of_one(dtype):
    """Masks are written and recognised by them."""
    assert decode(np.array([dtype.one, 0], dtype.storage), dtype).tolist() == [1, 0]


@pytest.mark.parametrize("name", ["C64", "C128", "F4", "F6_E2M3"])
def test_types_without_one_value_an_element_are_refused(name):
    """Nothing is guessed."""
    with pytest.raises(ValueError, match=DTYPES[name].label):
        decode(np.zeros(3, DTYPES[name].storage), DTYPES[name])
