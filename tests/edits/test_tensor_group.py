"""Norms of units computed from those of their channels, compared with norms of the weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis.statistics import ChannelNorms
from pruneapp.edits.group_edit import TensorGroup

ORDERS = {"1": 1, "2": 2, "2.0": 2, "3": 3, "0.5": 0.5, "inf": np.inf, "-inf": -np.inf, "0": 0}


def group(unit_of, count):
    units = np.array(unit_of, np.int32)
    return TensorGroup("ffn", "FFN neurons", "mlp", 0, count, units, ("other",))


def norms_of(weights, kept, after, n, protected=None):
    """Return the norms of the rows of a matrix."""
    order = ORDERS[n]
    norms, left, then = (
        np.array([np.linalg.norm(row, order) for row in weights * mask])
        for mask in (np.ones_like(kept), kept, after)
    )
    holding = partly = None
    if protected is not None:
        holding = protected.any(axis=1)
        partly = holding & ((kept > 0) & ~protected).any(axis=1)
    means = kept.mean(axis=1), after.mean(axis=1)
    return ChannelNorms("w", 0, n, norms, left, then, *means, holding, partly)


@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(ORDERS)), st.integers(1, 4))
def test_a_unit_has_the_norm_of_its_weights(seed, n, count):
    rng = np.random.default_rng(seed)
    unit_of = rng.integers(-1, count, 12)
    weights = rng.normal(0, 10.0 ** rng.integers(-3, 4), (12, 5))
    kept = (rng.random((12, 5)) < rng.choice([0.2, 0.9], (12, 1))).astype(float)
    after = kept * (rng.random((12, 1)) < 0.7)
    protected = (kept > 0) & (rng.random((12, 5)) < 0.3)
    found = group(unit_of, count).norms_of(norms_of(weights, kept, after, n, protected))
    for unit in range(count):
        rows = unit_of == unit
        if not rows.any():
            assert found.norms[unit] == found.kept[unit] == 0
            continue
        for got, mask in ((found.norms, 1.0), (found.left, kept), (found.after, after)):
            wanted = np.linalg.norm((weights * mask)[rows].ravel(), ORDERS[n])
            assert got[unit] == pytest.approx(wanted, rel=1e-9)
        assert found.kept[unit] == pytest.approx(kept[rows].mean())
        assert found.kept_after[unit] == pytest.approx(after[rows].mean())
        assert (found.kept[unit] == 0) == (not kept[rows].any())
        assert found.protected[unit] == protected[rows].any()
        loose = (kept[rows] > 0) & ~protected[rows]
        assert found.partly[unit] == (protected[rows].any() and loose.any())


def test_infinite_and_undefined_norms_stay_so():
    values = np.array([1.0, np.inf, 2.0, np.nan, 1e200, 1e200])
    ones = np.ones(6)
    given_ = ChannelNorms("w", 0, "2", values, values, values, ones, ones)
    found = group([0, 0, 1, 1, 2, 2], 3).norms_of(given_)
    assert found.norms[0] == np.inf
    assert np.isnan(found.norms[1])
    assert found.norms[2] == pytest.approx(np.sqrt(2) * 1e200)
    assert found.after is found.left


def test_channels_of_units_and_units_of_one_channel():
    heads = group([0, 0, 1, 1, -1], 2)
    assert heads.channels_of(np.array([False, True])).tolist() == [False, False, True, True, False]
    assert heads.sizes.tolist() == [2, 2]
    assert not heads.by_channel
    assert group([2, 0, -1, 1], 3).by_channel
    assert not heads.can_measure("nuc")
