"""Comparing two states or two files: numbers equal NumPy's, and only necessary data is read."""

from __future__ import annotations

import gc
import math
from dataclasses import replace
from weakref import ref

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis.comparison import compare
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.document.snapshot import Snapshot, StateCache
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.memory_checkpoint import MemoryCheckpoint
from tests.support.strategies import FLOATS, kept_bools, raw_bits


def snapshot(arrays, masks=None, chunk: int = 1000, **entries) -> Snapshot:
    kept = {name: BitMask.from_bools(bools) for name, bools in (masks or {}).items()}
    return Snapshot(MemoryCheckpoint(arrays, chunk=chunk, **entries), MaskLayers(MaskSet(kept)))


def one(a: Snapshot, b: Snapshot):
    (only,) = compare(a, b, Job()).tensors
    return only


def typed(bits: np.ndarray, dtype) -> np.ndarray:
    return bits.view(getattr(ml_dtypes, dtype.numpy, None) or np.dtype(dtype.numpy))


@given(data=st.data())
def test_every_number_equals_numpy(data):
    size = data.draw(st.integers(0, 300))
    sides, values = [], []
    for _ in range(2):
        dtype = data.draw(st.sampled_from(FLOATS))
        array = typed(data.draw(raw_bits(dtype, size)), dtype)
        kept = data.draw(kept_bools(size))
        sides.append(snapshot({"w": array}, {} if kept is None else {"w": kept}, chunk=64))
        with np.errstate(all="ignore"):
            wide = array.astype(np.float64)
        values.append(wide if kept is None else np.where(kept, wide, 0.0))
    a, b = values
    got = one(*sides)

    equal = (a == b) | (np.isnan(a) & np.isnan(b))
    assert got.kind == ("same" if equal.all() else "differs")
    assert got.differing == np.count_nonzero(~equal)
    zero_a, zero_b = a == 0, b == 0
    assert (got.pruned_a, got.pruned_b, got.pruned_both) == (
        zero_a.sum(),
        zero_b.sum(),
        (zero_a & zero_b).sum(),
    )
    with np.errstate(all="ignore"):
        signs = np.nan_to_num(np.sign(a), nan=9) == np.nan_to_num(np.sign(b), nan=9)
        finite = np.isfinite(a) & np.isfinite(b)
        a, b = np.where(finite, a, 0), np.where(finite, b, 0)
        norm, length_a, length_b = (math.sqrt(math.fsum(v * v)) for v in (b - a, a, b))
    assert got.same_sign == (signs.mean() if size else None)
    assert got.norm == pytest.approx(norm, rel=1e-12)
    if not 0 < length_a < math.inf:
        assert got.relative is None
    else:
        assert got.relative == pytest.approx(norm / length_a, rel=1e-12)
    if 0 < length_a * length_b < math.inf:
        assert got.cosine == pytest.approx(
            math.fsum(a * b) / length_a / length_b, rel=1e-9, abs=1e-12
        )
    union = (zero_a | zero_b).sum()
    assert got.overlap == ((zero_a & zero_b).sum() / union if union else None)


def test_the_same_to_the_last_bit_whatever_the_chunks_and_threads(monkeypatch):
    monkeypatch.setattr("pruneapp.kernels.threads.WORTH_THREADS", 1)
    rng = np.random.default_rng(3)
    x, y = (rng.normal(size=700_001).astype(np.float32) for _ in range(2))
    y[:70_000] = x[:70_000]
    kept = rng.random(x.size) < 0.5
    found = [
        one(snapshot({"w": x}, {"w": kept}, chunk=chunk), snapshot({"w": y}, chunk=other))
        for chunk, other in ((1000, 1000), (99_999, 4096), (1 << 20, 123_457))
    ]
    assert found[0] == found[1] == found[2]
    assert found[0].differing > 0


def test_a_tensor_that_is_not_changed_is_not_read(model):
    a = Snapshot(model)
    name = "module.fc.weight"
    mask = BitMask.from_bools(np.arange(640) % 2 == 0)
    b = Snapshot(model, MaskLayers(MaskSet({name: mask})))
    again = Snapshot(
        model, MaskLayers(MaskSet({name: BitMask.from_bools(np.arange(640) % 2 == 0)}))
    )
    empty = Snapshot(model, MaskLayers(MaskSet({name: BitMask.full(640)})))

    assert not compare(b, again, Job()).differing
    assert not compare(a, empty, Job()).differing
    assert model.elements_read == 0
    (only,) = compare(a, b, Job()).differing
    assert model.elements_read == 2 * 640
    assert (only.name, only.pruned_b) == (name, 320)
    row = next(t for t in compare(b, again, Job()).tensors if t.name == name)
    assert (row.pruned_a, row.overlap, row.relative, row.cosine) == (320, 1.0, 0.0, 1.0)


class Seen:
    """Records the last report."""

    def report(self, done, total, _label):
        self.last = done, total


def every_other(size: int, at: int = 0) -> BitMask:
    return BitMask.from_bools(np.arange(size) % 2 == at)


def test_what_did_not_change_since_it_was_compared_is_not_read_again():
    rng = np.random.default_rng(8)
    arrays = {name: rng.normal(size=100).astype(np.float32) for name in "ab"}
    arrays["z"] = np.ones(50, np.complex64)
    other = snapshot({name: array + 1 for name, array in arrays.items()})
    here = snapshot(arrays)

    def read():
        return here.checkpoint.elements_read + other.checkpoint.elements_read

    known = StateCache()
    first = compare(here, other, Job(), known=known)
    assert read() == 2 * (100 + 100 + 50)
    assert compare(here, other, Job(), known=known, called=("x", "y")).tensors == first.tensors
    assert read() == 500

    masks = MaskSet({"a": every_other(100)})
    stepped = replace(here, layers=replace(here.layers, masks=masks))
    found = compare(stepped, other, Job(), known=known)
    assert read() == 700
    assert found.tensors == compare(stepped, other, Job()).tensors != first.tensors
    before = read()
    for _ in range(3):  # swap, swap back, and swap again
        progress = Seen()
        assert compare(here, other, Job(progress), known=known).tensors == first.tensors
        assert compare(stepped, other, Job(), known=known).tensors == found.tensors
        assert read() == before
        assert progress.last == (200, 200), "it is said how far it is, though nothing is read"


@pytest.mark.parametrize("layer", ["masks", "permanent"])
@pytest.mark.parametrize("side", [0, 1])
def test_what_lies_over_either_side_is_looked_at(layer, side):
    rng = np.random.default_rng(8)
    sides = [snapshot({"a": rng.normal(size=100).astype(np.float32)}) for _ in range(2)]
    known = StateCache()
    for mask in (None, every_other(100), every_other(100, 1), None):
        there = MaskSet({} if mask is None else {"a": mask})
        sides[side] = replace(sides[side], layers=replace(sides[side].layers, **{layer: there}))
        assert compare(*sides, Job(), known=known).tensors == compare(*sides, Job()).tensors
    sides[side] = snapshot({"a": np.zeros(100, np.float32)})
    assert compare(*sides, Job(), known=known).tensors == compare(*sides, Job()).tensors


def test_states_of_a_pair_are_remembered_and_masks_are_not_kept_alive():
    here, other = snapshot({"a": np.ones(100, np.float32)}), snapshot({"a": np.zeros(100)})
    known = StateCache()
    masks = [every_other(100, number % 2) for number in range(6)]
    for mask in masks:
        compare(
            replace(here, layers=replace(here.layers, masks=MaskSet({"a": mask}))),
            other,
            Job(),
            known=known,
        )
    here.checkpoint.elements_read = 0
    for mask in masks:
        compare(
            replace(here, layers=replace(here.layers, masks=MaskSet({"a": mask}))),
            other,
            Job(),
            known=known,
        )
    assert here.checkpoint.elements_read == 0
    gone = ref(masks.pop())
    del mask
    gc.collect()
    assert gone() is None


def test_made_final_is_no_difference(model):
    name = "module.fc.weight"
    masks = MaskSet({name: BitMask.from_bools(np.arange(640) % 2 == 0)})
    assert not compare(
        Snapshot(model, MaskLayers(masks)), Snapshot(model, MaskLayers(permanent=masks)), Job()
    ).differing
    assert model.elements_read == 0


def test_what_was_made_final_on_one_side_alone_differs(model):
    name = "module.fc.weight"
    final = MaskSet({name: BitMask.from_bools(np.arange(640) % 2 == 0)})
    (only,) = compare(
        Snapshot(model), Snapshot(model, MaskLayers(permanent=final)), Job()
    ).differing
    assert (only.name, only.differing) == (name, 320)


def test_tensors_stand_against_each_other_by_any_name():
    w, v = np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
    tied = snapshot({"emb": w, "only": v}, emb={"aliases": ("head",)})
    apart = snapshot({"head": w, "emb": v, "more": w})
    rows = [(t.name, t.kind) for t in compare(tied, apart, Job()).tensors]
    assert rows == [("emb", "differs"), ("head", "same"), ("only", "only a"), ("more", "only b")]
    rows = [(t.name, t.kind) for t in compare(apart, tied, Job()).tensors]
    assert rows == [("head", "same"), ("emb", "differs"), ("more", "only a"), ("only", "only b")]
    chosen = compare(tied, apart, Job(), names=["head"], called=("mine", "yours"))
    assert [t.name for t in chosen.tensors] == ["emb", "head"]
    assert (chosen.a, chosen.b) == ("mine", "yours")


def test_other_shapes_are_not_compared():
    a = snapshot({"w": np.ones((2, 3), np.float32)})
    got = one(a, snapshot({"w": np.ones((3, 2), np.float16)}))
    assert (got.kind, got.shape_a, got.shape_b) == ("shape", (2, 3), (3, 2))
    assert (got.dtype_a, got.dtype_b) == ("float32", "float16")
    assert got.norm == 0
    assert got.relative is None


@pytest.mark.parametrize("odd", ["complex", "packed"])
def test_what_has_no_values_is_the_same_or_not_comparable(odd):
    if odd == "complex":
        first, other = np.array([1 + 2j, 3j]), np.array([1 + 2j, 4j])
        more = {}
    else:
        first, other = np.array([1, 2], np.uint8), np.array([1, 3], np.uint8)
        more = {"w": {"dtype": DTYPES["F4"]}}
    assert one(snapshot({"w": first}, **more), snapshot({"w": first.copy()}, **more)).kind == "same"
    assert one(snapshot({"w": first}, **more), snapshot({"w": other}, **more)).kind == "shape"


@pytest.mark.parametrize(
    ("here", "there"),
    [
        (np.ones((2, 3), np.float32), np.ones((3, 2), np.float32)),
        (np.ones(4, np.complex64), np.ones(4, np.float32)),
        (np.ones(4, np.float32), np.ones(4, np.complex64)),
        (np.zeros(4, np.complex64), np.zeros(4, np.complex128)),
    ],
)
def test_the_same_bits_of_another_shape_or_type_are_not_the_same(here, there):
    assert one(snapshot({"w": here}), snapshot({"w": there})).kind == "shape"


def test_large_whole_numbers_are_told_apart():
    a = np.array([2**62, 2**62 + 1], np.int64)
    assert one(snapshot({"n": a}), snapshot({"n": a + 1})).differing == 2


def test_zeros_of_either_sign_are_the_same():
    a, b = np.array([0.0, 1.0]), np.array([-0.0, 1.0])
    assert one(snapshot({"w": a}), snapshot({"w": b})).kind == "same"


def test_a_comparison_tells_how_far_it_is_and_can_be_cancelled(model):
    class Told:
        done = total = 0

        def report(self, done: int, total: int, _label: str) -> None:
            self.done, self.total = done, total

    told = Told()
    compare(Snapshot(model), snapshot(model.arrays), Job(told))
    assert told.done == told.total == sum(a.size for a in model.arrays.values())
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        compare(Snapshot(model), snapshot(model.arrays), Job(cancel=token))
