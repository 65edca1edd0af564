"""Norms of channels: bit-identical to a Python loop, and close to torch."""

from __future__ import annotations

import math
import threading
import tracemalloc

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.errors import CheckpointError
from pruneapp.kernels import norms, summation
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.kernel import BLOCK, Slices
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.kernels.test_summation import sum_of_slice
from tests.support.strategies import float_types, kept_bools, moderate_bits, shapes
from tests.support.tensors import reading

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


def sums_by_loop(values: np.ndarray, dim: int, kept: np.ndarray | None = None) -> np.ndarray:
    """Add squares in the contract's order, one at a time."""
    wide = values.astype(np.float64)
    if kept is not None:
        wide = np.where(kept.reshape(values.shape), wide, 0)
    with np.errstate(over="ignore", invalid="ignore"):
        flat = np.moveaxis(wide, dim, 0).reshape(values.shape[dim], -1) ** 2
    return np.array([sum_of_slice(row) for row in flat.tolist()])


def spread_values(shape: tuple[int, ...], dtype=np.float32) -> np.ndarray:
    """Return values over thirty powers of two, so that sums depend on the order of addition."""
    rng = np.random.default_rng(1)
    values = rng.uniform(0.5, 1, shape) * np.exp2(rng.integers(-14, 15, shape))
    return values.astype(dtype)


SHAPES = [
    (9001,),
    (3, 5),
    (1, 9001),  # one channel: two blocks and a remainder
    (9001, 1),
    (2, 135_000),
    (300, 70),
    (7, 2 * BLOCK),
    (20, BLOCK + 300),
    (2, 1, BLOCK),  # every run is a block
    (3, 4, BLOCK - 1),  # no run is a block
    (2, 1, BLOCK + 1),
    (40, 3, 7, 7),
    (2, 2, 9_000),
    (1, 2, BLOCK, 3, 2),
    (3, 2, 2, 3, BLOCK),
]

# Sizes of chunks, pieces and tasks, and paths through a tensor.
CUTS = [
    {},
    {"chunk": 8191, "_TASK": 1, "NARROW": 1, "ROW": 1},
    {"chunk": 10_007, "PIECE": 4 * BLOCK, "_TASK": 9 * BLOCK},
    {"chunk": 4099, "PIECE": BLOCK, "_TASK": 1, "WIDE": 5},
    {"chunk": 50_000, "PIECE": 16 * BLOCK, "_TASK": 1, "NARROW": 1000, "ROW": 1000},
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_are_added_in_the_order_of_the_contract(shape):
    """Bit for bit, along every dimension, for any chunk, piece, task and number of threads."""
    values = spread_values(shape)
    large = values.size > 200_000  # these cases test sizes, and are slow
    for dim in range(len(shape)):
        expected = np.sqrt(sums_by_loop(values, dim))
        for cut in CUTS:
            for threads in (3,) if large else (1, 8):
                found = norms_cut(values, dim, threads, **cut)

                assert expected.tobytes() == found.tobytes(), (dim, cut, threads)


def norms_cut(values, dim, threads, *, kept=None, n=2, chunk=1 << 20, **constants) -> np.ndarray:
    """Return norms computed with unusual pieces, by `threads` threads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pruneapp.kernels.threads.WORTH_THREADS", 0)
        patch.setattr(norms, "_FEW", 0)
        for name, value in constants.items():
            patch.setattr(norms if name == "_TASK" else summation, name, value)
        return norms.channel_norms(slices_of(values, dim, kept, chunk), n, Job(), threads)


def test_the_values_of_these_tests_tell_orders_apart():
    """Checks the test data: other orders of addition give other sums."""
    values = spread_values((300, 70))
    squares = values.astype(np.float64) ** 2
    expected = sums_by_loop(values, 0)
    others = {
        "from left to right": np.add.accumulate(squares, axis=1)[:, -1],
        "in eight lanes": sum(squares[:, k::8].sum(axis=1) for k in range(8)),
        "backwards": sums_by_loop(values[:, ::-1], 0),
        "in two halves": sums_by_loop(values[:, :35], 0) + sums_by_loop(values[:, 35:], 0),
        "in four lanes": sum(sums_by_loop(values[:, k::4], 0) for k in range(4)),
        "exactly": np.array([math.fsum(row) for row in squares]),
    }
    for order, sums in others.items():
        assert np.count_nonzero(sums != expected) > 100, order
    long = spread_values((40, 3 * BLOCK))
    squares = long.astype(np.float64) ** 2
    for block in (BLOCK // 2, long.shape[1]):  # blocks matter
        blocks = [squares[:, k : k + block].sum(axis=1) for k in range(0, long.shape[1], block)]
        added = np.add.accumulate(blocks)[-1]
        assert np.count_nonzero(added != sums_by_loop(long, 0)) > 10, block


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=str)
@pytest.mark.parametrize("shape", [(3, 3 * BLOCK + 5), (5, 7, 400)], ids=str)
def test_the_order_holds_with_masks_nan_and_infinities(shape, dtype):
    """Pruned elements count as zeros; special values affect only their channel."""
    values = spread_values(shape, dtype)
    kept = np.random.default_rng(2).random(values.size) < 0.7
    values.reshape(-1)[[5, 7]] = math.inf, math.nan
    kept[[5, 7]] = False
    odd = values.copy()
    odd[-1, ..., -1] = math.nan
    odd[0, ..., -2] = -math.inf
    kept.reshape(shape)[0, ..., -2] = kept.reshape(shape)[-1, ..., -1] = True
    for dim in range(len(shape)):
        for array in (values, odd):
            expected = np.sqrt(sums_by_loop(array, dim, kept))
            for threads, cut in zip((1, 2, 3, 8, 3), CUTS, strict=True):
                found = norms_cut(array, dim, threads, kept=kept, **cut)
                np.testing.assert_array_equal(expected, found)
        assert np.isfinite(norms_cut(values, dim, 3, kept=kept)).all()
        assert not np.isfinite(norms_cut(odd, dim, 3, kept=kept)).all()


@pytest.mark.parametrize("n", [n for n in ORDERS if n not in {"fro", "nuc"}], ids=str)
@pytest.mark.parametrize("shape", [(20, 5000), (3, 70, 50)], ids=str)
def test_every_order_is_the_same_for_any_cut_and_threads(shape, n):
    """Bit for bit."""
    values = spread_values(shape)
    for dim in range(len(shape)):
        expected = norms_cut(values, dim, 1, n=n)
        for threads, cut in zip((8, 1, 2, 3, 2), CUTS, strict=True):
            assert expected.tobytes() == norms_cut(values, dim, threads, n=n, **cut).tobytes()


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("n", [2, math.inf], ids=str)
def test_a_cancelled_job_leaves_no_thread_behind(n, dim, monkeypatch):
    """At any moment; and only the caller's thread reports steps."""
    monkeypatch.setattr(norms, "_TASK", 1 << 16)
    values = np.ones((1500, 1500), np.float32)
    plain = slices_of(values, dim, chunk=1 << 16)
    token = CancelToken()
    steppers = set()

    class Told:
        def report(self, done, total, label):
            steppers.add(threading.get_ident())

    def read(start=0, stop=None):
        for chunk in plain.read(start, stop):
            yield chunk
            if chunk.start > values.size // 2:
                token.cancel()

    slices = Slices(plain.shape, plain.dtype, dim, None, read)
    with pytest.raises(Cancelled):
        norms.channel_norms(slices, n, Job(Told(), token), 3)

    assert steppers <= {threading.get_ident()}
    assert not [t for t in threading.enumerate() if t.name.startswith("pruneapp-kernel")]


def test_an_error_of_reading_ends_all_threads(monkeypatch):
    """It is raised unchanged."""
    monkeypatch.setattr(norms, "_TASK", 1 << 16)
    values = np.ones((1500, 1500), np.float32)

    def read(start=0, stop=None):
        raise CheckpointError("The disk is gone.")
        yield

    slices = Slices(values.shape, DTYPES["F32"], 0, None, read)
    with pytest.raises(CheckpointError, match="The disk is gone"):
        norms.channel_norms(slices, 2, Job(), 3)
    assert not [t for t in threading.enumerate() if t.name.startswith("pruneapp-kernel")]


@given(
    data=st.data(),
    dtype=float_types,
    shape=shapes(least=2),
    dim=st.integers(0, 4),
    n=st.sampled_from(ORDERS),
)
def test_norms_are_those_of_torch_on_double(data, dtype, shape, dim, n):
    """Every float dtype and order; 'fro' and 'nuc' of slices, as documented by torch."""
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
    """Also if 0 times NaN or infinity would be NaN."""
    values = np.array([[1, math.nan, 2], [3, 4, 5], [math.inf, 6, math.nan]], np.float32)
    kept = np.array([[1, 1, 1], [1, 0, 1], [0, 1, 0]], np.bool_)
    found = norms_of(slices_of(values, 0, kept), n)
    clean = norms_of(slices_of(np.array([[3, 0, 5], [0, 6, 0]], np.float32), 0), n)

    assert found[0] == 3 if n == 0 else math.isnan(found[0])
    assert np.array_equal(clean, found[1:])


def test_float16_does_not_overflow():
    """torch adds in the tensor's dtype, in which all large channels are infinite and tie."""
    values = np.full((2, 1000), 1000, np.float16)
    values[1] = 999

    assert norms_of(slices_of(values, 0), 1).tolist() == [1_000_000, 999_000]
    assert torch.norm(torch.from_numpy(values), p=1, dim=1).isinf().all()


@pytest.mark.parametrize(("n", "expected"), [(10**400, [4, 6]), (-(10**400), [3, 5])])
def test_orders_beyond_float64_are_infinite(n, expected):
    """Users can enter any number."""
    assert expected == norms_of(slices_of(np.array([[3.0, 4], [5, -6]]), 0), n).tolist()


@pytest.mark.parametrize("n", ORDERS, ids=str)
@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (0, 2, 2)], ids=str)
def test_channels_without_elements(n, shape):
    """Their norm is defined, without a division by zero."""
    for dim in range(len(shape)):
        assert norms_of(slices_of(np.zeros(shape, np.float32), dim), n).shape == (shape[dim],)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_nuclear_norms_are_gathered_in_parts(monkeypatch, dim):
    """Interleaved slices are read in several passes if there are many."""
    values = np.random.default_rng(2).standard_normal((6, 5, 7))
    expected = norms_of(slices_of(values, dim), "nuc")
    monkeypatch.setattr(norms, "_GATHERED", 2 * 8 * values.size // values.shape[dim])
    monkeypatch.setattr(norms, "_BOX", 11)
    monkeypatch.setattr(norms, "_LONG", 0)

    assert np.array_equal(expected, norms_of(slices_of(values, dim, chunk=9), "nuc"))


def test_a_long_decomposition_can_be_cancelled(monkeypatch):
    """It is abandoned; the job ends immediately."""
    monkeypatch.setattr(norms, "_LONG", 0)
    monkeypatch.setattr(np.linalg, "svd", lambda *_, **__: token.cancel() or np.ones(1))
    token = CancelToken()
    one = Slices((1, 2, 2), DTYPES["F32"], 0, None, reading(np.ones(4, np.uint32)))

    with pytest.raises(Cancelled):
        CpuKernel().channel_norms(one, "nuc", Job(cancel=token))


@pytest.mark.parametrize("n", [2, math.inf, "nuc"], ids=str)
def test_progress_ends_at_the_number_of_elements(n):
    """For every path through the tensor."""
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
    """A few boxes at a time are in memory, not the tensor."""
    values = np.ones((4000, 4000), np.float32)
    slices = slices_of(values, dim)
    norms_of(slices, 2)
    tracemalloc.start()
    norms.channel_norms(slices, 2, Job(), 2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 40 * 2**20  # of 64 MB of weights, 128 MB as float64
