"""Weights of quantized blocks, compared with the gguf package bit by bit."""

from __future__ import annotations

import gguf
import numpy as np
import pytest

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.formats.ggml_blocks import dequantize
from pruneapp.checkpoint.formats.gguf_header import TYPES

DECODED = [dtype.name for dtype in DTYPES.values() if dtype.decoded]
REQUIRED = {"Q8_0", "Q4_0", "Q4_K", "Q6_K"}


def test_the_types_that_are_used_most_are_decoded():
    assert set(DECODED) >= REQUIRED


@pytest.mark.parametrize("name", DECODED)
def test_any_bytes_give_the_same_bits_as_the_gguf_package(name):
    dtype = DTYPES[name]
    raw = np.random.default_rng(3).integers(0, 256, (300, dtype.block[1]), np.uint8)
    with np.errstate(all="ignore"):
        expected = gguf.quants.dequantize(raw, gguf.GGMLQuantizationType[name]).reshape(-1)
    found = dequantize(raw.reshape(-1), name)
    assert found.dtype == np.float32
    assert found.size == 300 * dtype.block[0]
    nan = np.isnan(expected)
    assert np.array_equal(nan, np.isnan(found))
    assert np.array_equal(found.view(np.uint32)[~nan], expected.view(np.uint32)[~nan])


@pytest.mark.parametrize("name", [n for n in DECODED if n in {"Q8_0", "Q4_0", "Q5_1", "MXFP4"}])
def test_what_was_quantized_is_near_its_weights(name):
    weights = np.random.default_rng(1).normal(size=(64, 256)).astype(np.float32)
    raw = gguf.quants.quantize(weights, gguf.GGMLQuantizationType[name])
    found = dequantize(raw.reshape(-1), name).reshape(64, 256)
    assert np.abs(found - weights).mean() < 0.2


def test_numbers_and_sizes_of_types_are_those_of_ggml():
    for number, name in TYPES.items():
        known = gguf.GGMLQuantizationType(number)
        assert known.name == name
        weights, nbytes = gguf.GGML_QUANT_SIZES[known]
        dtype = DTYPES[name]
        assert dtype.stored_bytes(weights) == nbytes
        assert dtype.block in {None, (weights, nbytes)}
    missing = {t.name for t in gguf.GGMLQuantizationType} - set(TYPES.values())
    assert missing == {"Q8_1", "Q8_K"}, "types of intermediate results, which no file has"
