"""Norms of channels: to the bit what a loop in Python adds up, and near what torch computes."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.kernels import norms, nuclear
from pruneapp.kernels.contract import BLOCK, Slices
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.strategies import float_types, kept_bools, moderate_bits, shapes
from tests.tensors import reading

ORDERS = (0, 0.5, 1, 2, 3, -1, 2.5, math.inf, -math.inf, "fro", "nuc")


def slices_of(values: np.ndarray, dim: int, kept=None, chunk: int = 1 << 20) -> Slices:
    dtype = DTYPES[f"F{8 * values.itemsize}"]
    bits = np.ascontiguousarray(values).reshape(-1).view(dtype.storage)
    mask = None if kept is None else BitMask.from_bools(kept)
    return Slices(values.shape, dtype, dim, mask, reading(bits, chunk))


def norms_of(slices: Slices, n) -> np.ndarray:
    found = CpuKernel().channel_norms(slices, n, Job())
    assert found.dtype == np.float64
    assert found.shape == (slices.shape[slices.dim],)
    return found


def sums_by_loop(values: np.ndarray, dim: int) -> np.ndarray:
    """Add squares as the contract says, one at a time."""
    flat = np.moveaxis(values, dim, 0).reshape(values.shape[dim], -1).astype(np.float64) ** 2
    totals = []
    for row in flat.tolist():
        total = 0.0
        for start in range(0, len(row), BLOCK):
            block = 0.0
            for term in row[start : start + BLOCK]:
                block += term
            total += block
        totals.append(total)
    return np.array(totals)


@pytest.mark.parametrize(
    "shape",
    [
        (3, 5),
        (1, 9001),  # one channel: two blocks and a rest
        (9001, 1),
        (2, 40_000),
        (300, 70),
        (5, 1, BLOCK),  # every run is a block
        (3, 4, BLOCK - 1),  # no run is
        (2, 1, BLOCK + 1),
        (40, 3, 7, 7),
        (2, 3, 1, 2, 5000),
        (1, 2, 140_000),  # more than a box in one run
        (2, 2, 135_000),
    ],
    ids=str,
)
def test_sums_are_added_in_the_order_of_the_contract(shape):
    """Bit for bit, along every dimension, for any chunk and box."""
    values = np.random.default_rng(1).standard_normal(shape, dtype=np.float32)
    for dim in range(len(shape)):
        expected = np.sqrt(sums_by_loop(values, dim))
        for chunk, box in ((1 << 20, norms._BOX), (8191, norms._BOX), (10_007, 3 * BLOCK)):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(norms, "_BOX", box)
                found = norms_of(slices_of(values, dim, chunk=chunk), 2)

            assert expected.tobytes() == found.tobytes(), (dim, chunk, box)


@given(
    data=st.data(),
    dtype=float_types,
    shape=shapes(least=2),
    dim=st.integers(0, 4),
    n=st.sampled_from(ORDERS),
)
def test_norms_are_those_of_torch_on_double(data, dtype, shape, dim, n):
    """Every float type and order; 'fro' and 'nuc' of slices, as the docs of torch promise."""
    dim %= len(shape)
    size = math.prod(shape)
    bits = data.draw(moderate_bits(dtype, size))
    kept = data.draw(kept_bools(size))
    mask = None if kept is None else BitMask.from_bools(kept)
    found = norms_of(Slices(shape, dtype, dim, mask, reading(bits, 33)), n)

    tensor = torch.from_numpy(bits).view(getattr(torch, dtype.torch)).double().reshape(shape)
    if kept is not None:
        tensor[torch.from_numpy(~kept).reshape(shape)] = 0
    rows = tensor.movedim(dim, 0)
    if n == "nuc":
        matrices = rows.reshape(*rows.shape[:2], -1)
        expected = torch.linalg.svdvals(matrices).sum(-1)
    else:
        flat = rows.reshape(len(rows), -1)
        expected = torch.norm(flat, p=2 if n == "fro" else n, dim=1)

    assert np.allclose(expected.numpy(), found, rtol=1e-6, atol=0)


@pytest.mark.parametrize("n", ORDERS, ids=str)
def test_nan_makes_a_norm_nan_and_pruned_elements_are_zero(n):
    """Also where 0 times NaN or infinity would be NaN."""
    values = np.array([[1, math.nan, 2], [3, 4, 5], [math.inf, 6, math.nan]], np.float32)
    kept = np.array([[1, 1, 1], [1, 0, 1], [0, 1, 0]], np.bool_)
    found = norms_of(slices_of(values, 0, kept), n)
    clean = norms_of(slices_of(np.array([[3, 0, 5], [0, 6, 0]], np.float32), 0), n)

    assert math.isnan(found[0])
    assert np.array_equal(clean, found[1:])


def test_float16_does_not_overflow():
    """torch adds in the type of the tensor, where all large channels tie at infinity."""
    values = np.full((2, 1000), 1000, np.float16)
    values[1] = 999

    assert norms_of(slices_of(values, 0), 1).tolist() == [1_000_000, 999_000]
    assert torch.norm(torch.from_numpy(values), p=1, dim=1).isinf().all()


@pytest.mark.parametrize(("n", "expected"), [(10**400, [4, 6]), (-(10**400), [3, 5])])
def test_orders_beyond_float64_are_infinite(n, expected):
    """A person may type any number."""
    assert expected == norms_of(slices_of(np.array([[3.0, 4], [5, -6]]), 0), n).tolist()


@pytest.mark.parametrize("n", ORDERS, ids=str)
@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (0, 2, 2)], ids=str)
def test_channels_without_elements(n, shape):
    """They have a norm; nothing is divided by zero."""
    for dim in range(len(shape)):
        assert norms_of(slices_of(np.zeros(shape, np.float32), dim), n).shape == (shape[dim],)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_nuclear_norms_are_gathered_in_parts(monkeypatch, dim):
    """Slices that lie interleaved are read in several passes if they are many."""
    values = np.random.default_rng(2).standard_normal((6, 5, 7))
    expected = norms_of(slices_of(values, dim), "nuc")
    monkeypatch.setattr(nuclear, "_GATHERED", 2 * 8 * values.size // values.shape[dim])
    monkeypatch.setattr(nuclear, "_BOX", 11)
    monkeypatch.setattr(nuclear, "_LONG", 0)

    assert np.array_equal(expected, norms_of(slices_of(values, dim, chunk=9), "nuc"))


def test_a_long_decomposition_can_be_cancelled(monkeypatch):
    """It is left behind; the job ends at once."""
    monkeypatch.setattr(nuclear, "_LONG", 0)
    monkeypatch.setattr(np.linalg, "svd", lambda *_, **__: token.cancel() or np.ones(1))
    token = CancelToken()
    one = Slices((1, 2, 2), DTYPES["F32"], 0, None, reading(np.ones(4, np.uint32)))

    with pytest.raises(Cancelled):
        CpuKernel().channel_norms(one, "nuc", Job(cancel=token))


@pytest.mark.parametrize("n", [2, math.inf, "nuc"], ids=str)
def test_progress_ends_at_the_number_of_elements(n):
    """Whatever the way through the tensor."""
    told = []

    class Told:
        def report(self, done, total, label):
            told.append(done)

    values = np.ones((4, 6, 5), np.float32)
    for dim in range(3):
        CpuKernel().channel_norms(slices_of(values, dim), n, Job(Told()))

        assert told[-1] == values.size


@pytest.mark.parametrize("dim", [0, 1])
def test_memory_is_bounded(dim):
    """The float64 values of one box at a time, not of the tensor."""
    values = np.ones((1000, 4000), np.float32)
    slices = slices_of(values, dim)
    norms_of(slices, 2)
    tracemalloc.start()
    norms_of(slices, 2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 10 * 2**20  # the chunk buffer of 4 MB, a box of 1 MB, sums
