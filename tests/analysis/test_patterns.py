"""The check of N:M patterns compared with every group, and the repair of patterns."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis.patterns import (
    PatternTotals,
    broken_patterns,
    certificate,
    check_pattern,
    repair,
)
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError, SelectionError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.masks.regions import Groups
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.memory_checkpoint import MemoryCheckpoint
from tests.support.strategies import kept_bools, shapes

DEFAULT = {"by_default": True}


def masks(bools) -> MaskSet:
    return MaskSet({name: BitMask.from_bools(found) for name, found in (bools or {}).items()})


def snapshot(kept=None, protected=None, **arrays) -> Snapshot:
    checkpoint = MemoryCheckpoint(arrays, **dict.fromkeys(arrays, DEFAULT))
    return Snapshot(checkpoint, MaskLayers(masks(kept), protected=masks(protected)))


def mended(state: Snapshot, report):
    return compute_preview(state, repair(report), CpuKernel(), Job())


@given(st.data())
def test_every_broken_group_is_counted(data):
    shape = data.draw(shapes(least=2, most=4))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    values = rng.integers(-1, 3, shape).astype(np.float32)
    values[values == 2] = -0.0
    kept = data.draw(kept_bools(values.size))
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    m = data.draw(st.integers(2, 6))
    n = data.draw(st.integers(1, m - 1))
    state = snapshot(None if kept is None else {"w": kept}, w=values)
    (found,) = check_pattern(state, ["w"], n, m, dim, Job()).tensors

    left = (values != 0) & (True if kept is None else kept.reshape(shape))
    along = np.moveaxis(left, dim, -1)
    whole = along.shape[-1] // m * m
    counts = along[..., :whole].reshape(*along.shape[:-1], -1, m).sum(-1)
    assert (found.groups, found.broken) == (counts.size, (counts > n).sum())
    assert found.outside == values.size - counts.size * m
    assert found.holds == (counts.size > 0 and not found.broken)
    assert len(found.first) == min(5, found.broken)
    for group in found.first:
        at = list(group.index)
        assert at[dim] % m == 0
        at[dim] = slice(at[dim], at[dim] + m)
        assert left[tuple(at)].sum() == group.left > n
    assert bool(found.why_not) == (counts.size == 0)


@given(st.integers(0, 99))
def test_mending_makes_it_hold_and_takes_what_was_said(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(6, 8)).astype(np.float32)
    values[rng.random(values.shape) < 0.4] = 0
    other = rng.normal(size=(3, 8, 2)).astype(np.float32)
    kept = {"w": rng.random(48) < 0.9}
    state = snapshot(kept, w=values, x=other)
    report = check_pattern(state, ["w", "x"], 2, 4, 1, Job())
    preview = mended(state, report)

    after = Snapshot(state.checkpoint, MaskLayers(state.masks.with_masks(preview.masks)))
    again = check_pattern(after, ["w", "x"], 2, 4, 1, Job())
    assert again.satisfied
    assert again.lost == 0.0
    with pytest.raises(ParameterError, match="No group violates 2:4 along dim 1"):
        repair(again)
    for tensor in report.tensors:
        array = state.checkpoint.arrays[tensor.name]
        there = kept["w"].reshape(6, 8) if tensor.name == "w" else np.ones(array.shape, bool)
        squares = np.where(there, array.astype(np.float64) ** 2, 0)
        mask = after.masks.get(tensor.name)
        left = squares.sum() if mask is None else squares.reshape(-1)[mask.bools()].sum()
        assert tensor.lost == pytest.approx(1 - left / squares.sum(), abs=1e-12)
        stays = np.ones(array.size, bool) if mask is None else mask.bools()
        gone = ((array != 0) & there).reshape(-1) & ~stays
        assert (tensor.to_prune, tensor.blocked_by_protection) == (gone.sum(), 0)
    # Only as many are pruned as exceed the pattern; in valid groups only zeros.
    mask = after.masks["x"].bools().reshape(3, 2, 4, 2)
    assert (mask.sum(axis=2) == 2).all()


@given(st.integers(0, 99))
def test_groups_that_protection_keeps_broken_are_counted(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(6, 8)).astype(np.float32)
    held = rng.random(48) < rng.random()
    state = snapshot(protected={"w": held}, w=values)
    report = check_pattern(state, ["w"], 2, 4, 1, Job())
    after = Snapshot(
        state.checkpoint, MaskLayers(state.masks.with_masks(mended(state, report).masks))
    )
    (before,), (found,) = report.tensors, check_pattern(after, ["w"], 2, 4, 1, Job()).tensors
    assert (
        before.blocked_by_protection == found.broken == (held.reshape(-1, 4).sum(axis=1) > 2).sum()
    )
    assert before.to_prune == 48 - np.count_nonzero(after.masks["w"].bools())


def test_the_worst_come_first_and_all_of_them_are_summed_up():
    dense, half = np.ones((2, 8), np.float32), np.ones((2, 8), np.float32)
    half[0] = 0
    arrays = {
        "none": np.ones(8, np.float32),
        "holds": np.zeros((2, 8), np.float32),
        "beside": np.zeros((2, 9), np.float32),
        "half": half,
        "all": dense,
    }
    report = check_pattern(snapshot(**arrays), tuple(arrays), 2, 4, 1, Job()).worst_first()
    assert [t.name for t in report.tensors] == ["all", "half", "none", "beside", "holds"]
    assert report.totals() == PatternTotals(
        checked=4,
        without=1,
        holding=2,
        broken=2,
        groups=8,
        broken_groups=6,
        not_divisible=1,
        outside=2,
        to_prune=12,
        blocked_by_protection=0,
    )


def test_what_cannot_have_it_says_why():
    state = snapshot(w=np.zeros((2, 3), np.float32), v=np.zeros(8, np.float32))
    report = check_pattern(state, ["w", "v"], 2, 4, 1, Job())
    assert not report.satisfied
    assert [t.why_not for t in report.tensors] == [
        "Dimension 1 has 3 elements, fewer than a group of 4.",
        "Groups need a tensor of two or more dimensions.",
    ]
    (found,) = check_pattern(state, ["w"], 2, 4, 2, Job()).tensors
    assert found.why_not == "It has 2 dimensions, and no dimension 2."
    with pytest.raises(ParameterError, match="'pattern' must be n:m"):
        check_pattern(state, ["w"], 4, 4, 1, Job())
    with pytest.raises(SelectionError):
        check_pattern(state, [], 2, 4, 1, Job())


def test_nan_and_nothing_have_an_energy_that_nobody_knows():
    state = snapshot(w=np.full((1, 4), np.inf, np.float32))
    report = check_pattern(state, ["w"], 2, 4, 1, Job())
    assert report.tensors[0].broken == 1
    assert report.tensors[0].lost is None
    assert report.lost is None


def test_cancelling_ends_it():
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        check_pattern(snapshot(w=np.ones((4, 4), np.float32)), ["w"], 2, 4, 1, Job(cancel=token))


def two_of_four(shape):
    return np.arange(math.prod(shape)).reshape(-1, 4) % 4 < 2


def test_a_certificate_says_what_the_masks_have():
    ones = np.ones((4, 8), np.float32)
    arrays = {"a": ones, "b": ones, "c": ones, "v": np.ones(8, np.float32)}
    half = two_of_four((4, 8)).reshape(-1)
    scattered = np.arange(32) % 5 > 0

    def certified(**kept):
        return certificate(snapshot(kept, **arrays), Job())

    assert certified() is None
    assert certified(v=half[:8]) is None
    assert certified(c=scattered) is None
    assert certified(a=np.zeros(32, bool)) is None
    assert certified(a=half) == "2:4 along dim 1: 1 tensor"
    assert certified(a=half, b=half) == "2:4 along dim 1: 2 tensors"
    assert certified(a=half, b=half, c=scattered) == "2:4 along dim 1: 2 of 3 pruned tensors"
    quarter = np.arange(32) % 4 == 1
    assert certified(a=half, b=quarter) == "1:4 along dim 1: 1 tensor; 2:4 along dim 1: 1 tensor"


@given(st.data())
def test_groups_that_keep_too_much_are_counted_from_the_masks_alone(data):
    """By whole bytes if groups are nibbles or bytes, else a box at a time."""
    shape = data.draw(st.sampled_from([(5, 16), (3, 8), (7, 12), (4, 8, 1), (3, 8, 3), (9, 10)]))
    dim = data.draw(st.integers(0, len(shape) - 1))
    m = data.draw(st.sampled_from([2, 4, 8]))
    n = data.draw(st.integers(1, m - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    kept = rng.random(shape) < 0.6
    state = snapshot({"w": kept}, w=np.zeros(shape, np.float32), x=np.ones((2, 4), np.float32))
    along = np.moveaxis(kept, dim, -1)
    whole = along.shape[-1] // m * m
    counts = along[..., :whole].reshape(*along.shape[:-1], -1, m).sum(-1)
    expected = int((counts > n).sum())
    found = broken_patterns(state, {"w": Groups(dim, m, n)}, Job())
    assert [dict(each.groups) for each in found] == ([{"w": expected}] if expected else [])
    (whole_tensor,) = broken_patterns(state, {"x": Groups(1, 4, 2)}, Job())
    assert whole_tensor.groups == {"x": 2}  # without a mask everything is kept


def test_a_broken_pattern_says_where_and_why():
    kept = {name: np.ones((2, 4), np.bool_) for name in "wx"}
    arrays = {name: np.ones((2, 4), np.float32) for name in "wx"}
    state = snapshot(kept, protected={"w": kept["w"]}, **arrays)
    groups = Groups(0, 2, 1)
    (one,) = broken_patterns(state, {"w": groups}, Job())
    assert one.sentence == ("1:2 along dim 0 is violated by 1 tensor (4 groups): protected weights")
    (two,) = broken_patterns(state, {"w": groups, "x": groups}, Job())
    assert two.sentence == (
        "1:2 along dim 0 is violated by 2 tensors (8 groups): weights were protected or restored"
    )
    assert two.tensor_lines({"w": "shown"}) == ("shown: 4 groups", "x: 4 groups")
    many = replace(two, groups={f"t{n}": 1 for n in range(1_007)})
    assert many.tensor_lines()[-2:] == ("t4: 1 group", "and 1,002 more")
