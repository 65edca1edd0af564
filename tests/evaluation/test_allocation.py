"""Allocation: the total is exact, within the bounds, with the least damage."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.errors import ParameterError, SelectionError
from pruneapp.evaluation.allocation import (
    Bound,
    Curve,
    TensorShare,
    allocate,
    convex_minorant,
    damage_at,
    fill,
    resolution_of,
)
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.scan_file import ScanCell, ScanTensor
from tests.evaluation.scans import made_scan

AMOUNTS = (0.3, 0.5, 0.7, 0.9)


def curve(weights, damages, low=0, high=None, unit=1):
    """Return the curve of a tensor that was scanned with `AMOUNTS`."""
    counts = [round(amount * weights) for amount in AMOUNTS[: len(damages)]]
    most = counts[-1] if high is None else min(high, counts[-1])
    return Curve(0, min(low, most), most, np.array(counts), np.array(damages, float), unit)


damages = st.lists(st.floats(-1, 100), min_size=4, max_size=4)
curves = st.lists(
    st.builds(curve, st.integers(10, 5000), damages, low=st.integers(0, 9)), min_size=1, max_size=6
)


@given(curves, st.floats(0, 1))
def test_the_total_is_met_to_the_weight_within_the_bounds(some, where):
    least, most = sum(c.low for c in some), sum(c.high for c in some)
    target = least + round(where * (most - least))
    counts = fill(some, target)
    assert counts.sum() == target
    assert all(c.low <= n <= c.high for c, n in zip(some, counts, strict=True))


@given(damages, st.integers(10, 3000), st.integers(2, 5), st.floats(0, 0.9))
def test_equal_curves_give_equal_shares(found, weights, number, share):
    some = [curve(weights, found)] * number
    target = min(round(share * weights * number), sum(c.high for c in some))
    counts = fill(some, target)
    assert counts.max() - counts.min() <= 1


@given(st.lists(st.tuples(st.integers(3, 9), damages), min_size=1, max_size=3), st.floats(0, 1))
def test_no_other_counts_do_less_damage_by_the_minorants(given_curves, where):
    some = [curve(weights, found) for weights, found in given_curves]
    resolution = resolution_of(some)
    target = round(where * sum(c.high for c in some))
    hulls = []
    for one in some:
        counts = np.arange(one.high + 1)
        values = damage_at(one, counts, resolution)
        corners = convex_minorant(counts.astype(float), values)
        hull = np.interp(counts, counts[corners], values[corners])
        assert (hull <= values + 1e-9 * (1 + values)).all()
        hulls.append(hull)
    ours = sum(hull[n] for hull, n in zip(hulls, fill(some, target), strict=True))
    best = min(
        sum(hull[n] for hull, n in zip(hulls, counts, strict=True))
        for counts in itertools.product(*(range(c.high + 1) for c in some))
        if sum(counts) == target
    )
    assert ours <= best + 1e-9 * (1 + best)


@given(st.integers(10, 500), damages)
def test_damage_is_monotone_nothing_at_nothing_and_what_was_measured(weights, found):
    one = curve(weights, found)
    counts = np.arange(one.high + 1)
    values = damage_at(one, counts, resolution_of([one]))
    assert values[0] == 0
    assert (np.diff(values) >= -1e-12 * (1 + values[1:])).all()
    wanted = np.maximum.accumulate(np.maximum(found, 0))
    distinct = {int(count): value for count, value in zip(one.counts, wanted, strict=True)}
    if len(distinct) == len(wanted):
        for count, value in distinct.items():
            assert values[count] == pytest.approx(value, abs=1e-9)


@given(st.integers(2, 50), st.integers(1, 20), damages, st.floats(0, 1))
def test_channels_go_whole_and_as_many_as_fit(channels, unit, found, where):
    weights = channels * unit
    high = int(0.9 * channels) * unit
    counts = np.array([round(a * channels) * unit for a in AMOUNTS])
    some = [
        Curve(0, 0, high, counts, np.array(found), unit),
        Curve(0, 0, high, counts, np.array(found[::-1]), unit),
    ]
    target = round(where * 2 * high)
    taken = fill(some, target)
    assert (taken % unit == 0).all()
    assert target - unit < taken.sum() <= target
    assert weights >= taken.max()


def test_small_channels_do_not_make_up_for_a_large_one_that_does_not_fit():
    large = Curve(0, 0, 900, np.array([500, 900]), np.array([0.1, 0.2]), 100)
    small = Curve(0, 0, 90, np.array([50, 90]), np.array([5.0, 9.0]), 10)
    assert fill([small, large], 450).tolist() == [0, 400]


def test_what_does_no_damage_goes_first_and_what_does_most_last():
    harmless, harmful = curve(1000, [0, 0, 0, 0]), curve(1000, [1, 2, 4, 8])
    assert fill([harmless, harmful], 900).tolist() == [900, 0]
    assert fill([harmful, harmless], 1000).tolist() == [100, 900]


def test_between_scanned_amounts_the_damage_grows_as_an_exponential():
    one = curve(1000, [1.0, 2.0, 4.0, 8.0])
    middle = damage_at(one, np.array([600, 800]), 1e-9)
    assert middle == pytest.approx([2 * math.sqrt(2), 4 * math.sqrt(2)], rel=1e-6)


def test_a_total_beyond_what_was_scanned_is_refused_with_what_is_allowed():
    assert fill([curve(1000, [1, 2, 3, 4], low=30, high=30)], 30).tolist() == [30]
    with pytest.raises(ParameterError, match="from 0 to 900 weights here"):
        fill([curve(1000, [1, 2, 3, 4])], 901)


def test_a_tensor_is_pruned_to_the_scanned_amount_up_to_which_it_loses_nothing():
    """Regression: 29.7 % were pruned, the closest of `POINTS`, and 3 weights of the other."""
    assert fill([curve(1000, [0, 50, 60, 70]), curve(1000, [1, 20, 30, 40])], 300).tolist() == [
        300,
        0,
    ]


def test_a_share_at_a_scanned_amount_is_that_amount():
    """Regression: 30 % of 43 weights, rounded to 12 weights, were shown as 27.9 %."""
    cells = (ScanCell(0.3, 12, {"loss": 1.0}), ScanCell(0.5, 21, {"loss": 2.0}))
    tensor = ScanTensor("a", 43, cells=cells)
    shares = [TensorShare(tensor, count, 0.1).sparsity for count in (12, 13, 14, 21, 22)]
    assert shares == pytest.approx([0.3, 0.3, 14 / 43, 0.5, 0.5])
    channels = ScanTensor("a", 40, unit=10, cells=(ScanCell(0.3, 10, {"loss": 1.0}),))
    assert TensorShare(channels, 10, 0.1).sparsity == 0.25
    pruned = ScanTensor("a", 100, pruned=20, cells=(ScanCell(0.5, 60, {"loss": 1.0}),))
    assert TensorShare(pruned, 60, 0.1).sparsity == pytest.approx(0.6)


SCAN = made_scan(
    {
        "first.weight": (100, {0.5: 0.2, 0.9: 0.9}),
        "middle.weight": (1000, {0.5: 0.01, 0.9: 0.1}),
        "last.weight": (500, {0.5: 0.1, 0.9: None}),
    }
)


def test_a_scan_becomes_a_step_with_one_rule_per_tensor():
    found = allocate(SCAN, 0.5)
    counts = {share.tensor.name: share.pruned for share in found.shares}
    assert sum(counts.values()) == found.pruned == 800
    assert counts["middle.weight"] > 500 > counts["last.weight"] + counts["first.weight"]
    assert found.predicted == pytest.approx(1 + sum(share.damage for share in found.shares))
    (entry,) = found.recipe().entries
    rows = entry.configuration.rows
    assert {row.configuration.names: row.configuration.values["amount"] for row in rows} == {
        (name,): count for name, count in counts.items()
    }
    assert found.uniform().limits.target_sparsity == 800
    assert allocate(SCAN, 800).shares == found.shares


def test_bounds_hold_for_the_tensors_that_their_patterns_match():
    bounds = [Bound(low=0.2), Bound("middle.*", high=0.6), Bound("last.*", low=0.0, high=0.0)]
    found = allocate(SCAN, 680, bounds=bounds)
    assert [share.pruned for share in found.shares] == [80, 600, 0]
    with pytest.raises(ParameterError, match="to 690 weights here"):
        allocate(SCAN, 800, bounds=bounds)
    with pytest.raises(ParameterError, match=r"minimum sparsity of 'first.weight', 70 %, is above"):
        allocate(SCAN, 800, bounds=[Bound(low=0.7), Bound("first.*", high=0.1)])
    with pytest.raises(SelectionError, match="No tensor of the scan matches 'x'"):
        allocate(SCAN, 800, bounds=[Bound("x")])


def test_a_metric_that_was_no_number_is_worse_than_any():
    pruned = []
    for worst in (0.15, 0.9, None):
        tensors = {"a": (500, {0.5: 0.1, 0.9: worst}), "b": (500, {0.5: 0.1, 0.9: 0.9})}
        found = allocate(made_scan(tensors), 0.6)
        pruned.append(found.shares[0].pruned)
    assert pruned[0] > pruned[1] == 300 > pruned[2] > 200


def test_what_was_not_measured_stays_and_is_named():
    scan = made_scan({"a": (100, {0.5: 0.1}), "b": (100, {})})
    found = allocate(scan, 0.4)
    assert [share.pruned for share in found.shares] == [40]
    assert found.unmeasured == ("b",)
    with pytest.raises(EvaluationError, match="None of these tensors has been measured yet"):
        allocate(scan, 0.4, patterns=["b"])


def test_metrics_that_are_better_if_higher_fall():
    scan = made_scan({"a": (100, {0.5: 0.3})}, higher=True)
    assert allocate(scan, 0.5).predicted == pytest.approx(1 - 0.3)
    assert allocate(scan, 0.5, metric="score").metric.name == "score"
    with pytest.raises(EvaluationError, match=r"no metric 'loss'"):
        allocate(scan, 0.5, metric="loss")


def test_the_amount_that_was_scanned_is_reached_whatever_was_rounded():
    scan = made_scan({"a": (13, {0.8: 0.1}), "b": (11, {0.8: 0.1}), "c": (19, {0.8: 0.1})})
    assert sum(tensor.cells[0].pruned for tensor in scan.tensors) == 34 == round(0.8 * 43)
    uneven = made_scan({"a": (13, {0.8: 0.1}), "b": (13, {0.8: 0.1}), "c": (13, {0.8: 0.1})})
    assert sum(tensor.cells[0].pruned for tensor in uneven.tensors) == 30 < round(0.8 * 39)
    for one, pruned in ((scan, 34), (uneven, 31)):
        assert allocate(one, 0.8).pruned == pruned


def test_protected_weights_and_what_was_pruned_before_count():
    scan = made_scan({"a": (100, {0.5: 0.1}), "b": (100, {0.5: 0.1})}, pruned=20, protected=10)
    found = allocate(scan, 0.4)
    assert [share.pruned for share in found.shares] == [40, 40]
    rows = found.step().rows
    assert [row.values["amount"] for row in rows] == [20, 20]


def test_the_label_of_its_step_has_the_method_and_the_total():
    """Regression: it listed the counts of the first tensors."""
    shapes = {name: (100, {0.5: loss}) for name, loss in (("a", 0.1), ("b", 0.2), ("c", 0.3))}
    step = replace(allocate(made_scan(shapes), 0.4).step(), data=("text:1",))
    total = sum(row.values["amount"] for row in step.rows)
    assert step.label((1,) * len(step.rows)) == (
        f"L1 {total} weights on 3 tensors by 3 rules, allocated by a scan"
    )


def test_a_total_as_large_as_the_ceiling_is_what_that_allows():
    scanned = made_scan({"a": (45, {0.5: 1.0}), "b": (49, {0.5: 2.0})})
    assert allocate(scanned, 0.3, bounds=[Bound(high=0.3)]).pruned == 13 + 14
    with pytest.raises(ParameterError, match="got 33 %"):
        allocate(scanned, 0.33, bounds=[Bound(high=0.3)])
