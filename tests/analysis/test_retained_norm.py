"""Sums of squares after a step: independent of chunks and threads, with their reported values."""

from __future__ import annotations

import math
import threading

import ml_dtypes  # noqa: F401 - numpy learns the names of its types
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from pruneapp.analysis import retained_norm
from pruneapp.analysis.retained_norm import (
    condense_sums,
    measure_kept_norms,
    measure_retained_norm,
    measure_retained_norms,
    total_of,
)
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.kernel import BLOCK
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.memory_checkpoint import MemoryCheckpoint

SIZE = 9 * BLOCK + 77


def measured(monkeypatch, weights, before, after, threads, stretch=2, piece=1):
    monkeypatch.setattr("pruneapp.kernels.threads.WORTH_THREADS", 0)
    monkeypatch.setattr(retained_norm, "_STRETCH", stretch * BLOCK)
    monkeypatch.setattr(retained_norm, "_PIECE", piece * BLOCK)
    masks = MaskSet() if before is None else MaskSet({"w": BitMask.from_bools(before)})
    snapshot = Snapshot(MemoryCheckpoint({"w": weights}), MaskLayers(masks))
    return measure_retained_norm(snapshot, "w", BitMask.from_bools(after), Job(), threads)


def by_blocks(squares: np.ndarray) -> float:
    return math.fsum(
        float(np.add.reduce(squares[k : k + BLOCK])) for k in range(0, squares.size, BLOCK)
    )


@given(st.lists(st.floats(0, math.inf)), st.integers(0, 9))
def test_sums_that_are_put_together_now_and_then_have_the_same_total(sums, cut):
    """Bit for bit, from the smallest number to beyond the largest."""
    some = condense_sums([*condense_sums(sums[:cut]), *sums[cut:]])
    assert total_of(some) == total_of(sums)
    assert len(some) < 60


def test_a_tensor_of_many_blocks_holds_few_sums(monkeypatch):
    weights = np.random.default_rng(0).normal(size=40 * BLOCK).astype(np.float32)
    expected = measured(monkeypatch, weights, None, weights > 0.5, 2)
    monkeypatch.setattr(retained_norm, "MANY_SUMS", 3)
    assert measured(monkeypatch, weights, None, weights > 0.5, 2) == expected


@pytest.mark.parametrize("kind", ["<f2", "<f4", "<f8"])
@pytest.mark.parametrize("pruned", [False, True])
def test_energy_is_the_same_to_the_bit_for_any_cut_and_threads(monkeypatch, kind, pruned):
    rng = np.random.default_rng(3)
    weights = (rng.uniform(0.5, 1, SIZE) * np.exp2(rng.integers(-7, 8, SIZE))).astype(kind)
    weights[::2] *= -1
    before = rng.random(SIZE) < 0.7 if pruned else None
    there = np.ones(SIZE, np.bool_) if before is None else before
    after = there & (np.abs(weights) > 0.9)
    wide = weights.astype(np.float64) ** 2
    sizes = np.abs(weights.astype(np.float64))

    for threads in (1, 2, 3, 8):
        for stretch, piece in ((2, 1), (3, 2), (100, 64)):
            found = measured(monkeypatch, weights, before, after, threads, stretch, piece)
            assert found.before == by_blocks(wide * there)
            assert found.after == by_blocks(wide * after)
            assert found.sizes_before == by_blocks(sizes * there)
            assert found.sizes_after == by_blocks(sizes * after)
            assert found.threshold == np.abs(weights[there & ~after]).max()


def test_there_is_no_threshold_where_something_smaller_stays(monkeypatch):
    """Also if they are far apart in the tensor."""
    weights = np.linspace(1, 2, SIZE, dtype=np.float32)
    after = np.ones(SIZE, np.bool_)
    after[-1] = False
    for threads in (1, 3):
        assert measured(monkeypatch, weights, None, after, threads).threshold is None
        found = measured(monkeypatch, weights[::-1].copy(), None, after, threads)
        assert found.threshold == 1
        assert measured(monkeypatch, weights, None, after | True, threads).threshold is None


def test_there_is_no_threshold_where_nothing_but_nan_goes():
    """A NaN has no magnitude; a pruned zero has one. Alone, and with similar tensors."""
    arrays = {
        name: np.array([first, np.nan, 2.0], np.float32)
        for name, first in zip("abcde", (1.0, 0.0, 1.0, 1.0, 0.0), strict=True)
    }
    snapshot = Snapshot(MemoryCheckpoint(arrays))
    after = {n: BitMask.from_bools(np.array([a[0] != 0, False, True])) for n, a in arrays.items()}
    together = measure_retained_norms(snapshot, after, Job())
    for name, array in arrays.items():
        alone = measure_retained_norm(snapshot, name, after[name], Job())
        expected = 0.0 if array[0] == 0 else None
        assert (alone.threshold, together[name].threshold) == (expected, expected)


def test_what_is_not_finite_is_left_out(monkeypatch):
    weights = np.ones(SIZE, np.float32)
    weights[[5, 6, -1]] = math.nan, math.inf, -math.inf
    after = np.arange(SIZE) % 2 == 0
    found = measured(monkeypatch, weights, None, after, 3)

    assert found.before == SIZE - 3
    assert found.after == after.sum() - np.count_nonzero(after[[6, -1]])
    overflowing = np.full(SIZE, 1e200)
    assert measured(monkeypatch, overflowing, None, after, 3).before == math.inf
    overflowing[:] = 0
    overflowing[::BLOCK] = 1.7e308  # each block is finite
    found = measured(monkeypatch, overflowing, None, after, 3)
    assert found.sizes_before == math.inf
    assert found.magnitude is None


def test_what_is_protected_makes_no_threshold_unsure():
    weights = np.arange(1.0, 9.0)
    protected = np.arange(8) == 0
    snapshot = Snapshot(
        MemoryCheckpoint({"w": weights}),
        MaskLayers(protected=MaskSet({"w": BitMask.from_bools(protected)})),
    )
    after = BitMask.from_bools(protected | (weights > 3))
    assert measure_retained_norm(snapshot, "w", after, Job()).threshold == 3.0


def test_a_cancelled_measure_leaves_no_thread(monkeypatch):
    monkeypatch.setattr("pruneapp.kernels.threads.WORTH_THREADS", 0)
    monkeypatch.setattr(retained_norm, "_STRETCH", BLOCK)
    token = CancelToken()

    class Told:
        def report(self, done, total, label):
            token.cancel()

    snapshot = Snapshot(MemoryCheckpoint({"w": np.ones(SIZE, np.float32)}))
    with pytest.raises(Cancelled):
        measure_retained_norm(snapshot, "w", BitMask.full(SIZE), Job(Told(), token), 3)
    assert not [t for t in threading.enumerate() if t.name.startswith("pruneapp-kernel")]


# Small tensors that are measured together have the same sums as separately


SIZES = (1, 2, 3, 7, 8, 9, 16, 127, 128, 129, 1000, 4096, 4097)
TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn)


@pytest.fixture(params=[1, 7], ids=["", "in small pieces"])
def pieces(request, monkeypatch):
    if request.param > 1:
        monkeypatch.setattr(retained_norm, "_PIECE_ENERGIES", 4096)


def a_model(path, copies):
    rng = np.random.default_rng(5)
    tensors = {}
    for type_ in TYPES:
        for size in SIZES:
            for copy in range(copies):
                values = torch.from_numpy(rng.normal(size=size) * 10.0 ** rng.integers(-3, 2))
                if copy % 3 == 1:
                    odd = [0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e200, 1e-9]
                    at = rng.integers(0, size, 3)
                    values[at] = torch.tensor(rng.choice(odd, 3))
                tensors[f"{copy}.{type_}.{size}"] = values.to(type_)
    save_file(tensors, path)
    return open_checkpoint(path)


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("copies", [3, 12])
def test_alike_tensors_have_the_energies_of_each(copies, tmp_path):
    rng = np.random.default_rng(7)
    with a_model(tmp_path / "m.safetensors", copies) as checkpoint:
        before, after, final = {}, {}, {}
        for number, entry in enumerate(checkpoint.entries.values()):
            kept = rng.random(entry.numel) < 0.8
            if number % 3:
                before[entry.name] = BitMask.from_bools(kept)
            else:
                kept[:] = True
            if number % 31 == 0:
                final[entry.name] = BitMask.from_bools(rng.random(entry.numel) < 0.5)
            if number % 4 == 3:  # a real threshold: the smallest are pruned
                flat = checkpoint.read(entry.name).double().abs().numpy().reshape(-1)
                kept &= ~(flat < 0.5)
            elif number % 4:
                kept &= rng.random(entry.numel) < 0.6
            after[entry.name] = BitMask.from_bools(kept)
        snapshot = Snapshot(checkpoint, MaskLayers(MaskSet(before), MaskSet(final)))

        found = measure_retained_norms(snapshot, after, Job())

        expected = {
            name: measure_retained_norm(snapshot, name, after[name], Job()) for name in after
        }
        assert found == expected
        assert any(energy.threshold is not None for energy in found.values())
        assert any(energy.before == float("inf") for energy in found.values())


def test_tensors_far_apart_are_read_as_well(tmp_path):
    tensors = {}
    for i in range(6):
        tensors[f"{i}.a"] = torch.randn(5)
        tensors[f"{i}.b"] = torch.zeros(i * 5000 + 1)
    torch.save(tensors, tmp_path / "m.pt")
    with open_checkpoint(tmp_path / "m.pt") as checkpoint:
        names = [f"{i}.a" for i in (3, 0, 1, 2, 5, 4)]
        found = checkpoint.bits_joined(names).reshape(6, 5)
        assert np.array_equal(
            found.view(np.float32), torch.stack([tensors[name] for name in names]).numpy()
        )


def test_cancelling_ends_it(tmp_path):
    token = CancelToken()
    token.cancel()
    with a_model(tmp_path / "m.safetensors", 5) as checkpoint:
        after = {e.name: BitMask.full(e.numel) for e in checkpoint.entries.values()}
        with pytest.raises(Cancelled):
            measure_retained_norms(Snapshot(checkpoint), after, Job(cancel=token))


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("pruned", [False, True])
def test_sums_after_are_off_by_a_millionth_at_most_where_those_before_are_known(
    monkeypatch, kind, pruned
):
    """Tensors for which this is not accurate are excluded."""
    monkeypatch.setattr(retained_norm, "_LONG_STRETCH", 4 * BLOCK)
    draw = np.random.default_rng(4)
    plain = draw.standard_normal(SIZE) * draw.choice([0.1, 1, 10], SIZE)
    arrays = {name: plain.astype(kind) for name in ("w", "cut", "nan", "tiny", "wide", "short")}
    arrays["nan"][BLOCK] = np.nan
    arrays["short"] = arrays["short"][:5]
    arrays["wide"] = plain.astype(np.float64)
    arrays["tiny"] *= np.array(1e-30 if kind != "float16" else 0).astype(kind)
    there = draw.random(SIZE) < (0.7 if pruned else 1.1)
    keep = {name: there[: a.size] & (draw.random(a.size) < 0.5) for name, a in arrays.items()}
    keep["short"] = there[:5] & (np.arange(5) % 2 == 0)
    keep["cut"] = there & (np.abs(arrays["cut"].astype(float)) > 0.5)
    masks = MaskSet({n: BitMask.from_bools(there[: a.size]) for n, a in arrays.items()})
    snapshot = Snapshot(MemoryCheckpoint(arrays, chunk=1000), MaskLayers(masks))
    after = {name: BitMask.from_bools(bools) for name, bools in keep.items()}
    exact = measure_retained_norms(snapshot, after, Job())
    before = {name: (norm.before, norm.sizes_before) for name, norm in exact.items()}
    found = measure_kept_norms(snapshot, after, before, {}, Job())
    assert found.keys() - {"short"} == {"w"}
    for name, norm in found.items():
        assert (norm.before, norm.sizes_before, norm.threshold) == (*before[name], None)
        assert norm.after == pytest.approx(exact[name].after, rel=1e-6)
        assert norm.sizes_after == pytest.approx(exact[name].sizes_after, rel=1e-6)
