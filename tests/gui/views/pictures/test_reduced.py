"""Means of a tile's cells, for screens that are coarser than the tile: against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.gui.plots.heatmap.shading import reduced

SIZE = st.integers(1, 40)
FACTOR = st.sampled_from([1, 2, 4, 8, 64])


def plain(values, factors):
    rows, columns = values.shape
    return np.array(
        [
            [
                values[i : i + factors[0], j : j + factors[1]].astype(np.float64).mean()
                for j in range(0, columns, factors[1])
            ]
            for i in range(0, rows, factors[0])
        ]
    )


@given(rows=SIZE, columns=SIZE, down=FACTOR, across=FACTOR, magnitude=st.booleans())
def test_means_are_those_of_numpy(rows, columns, down, across, magnitude):
    values = np.random.default_rng(rows * 41 + columns).standard_normal((rows, columns))
    values = values.astype(np.float32)
    kept = values.copy()
    found = reduced(values, (down, across), magnitude=magnitude)
    seen = np.abs(values) if magnitude and max(down, across) > 1 else values
    assert np.array_equal(values, kept)
    assert found.shape == (-(-rows // down), -(-columns // across))
    np.testing.assert_allclose(found, plain(seen, (down, across)), atol=1e-6)


@pytest.mark.parametrize("special", [np.nan, np.inf])
def test_what_is_no_number_makes_only_its_own_mean_so(special):
    values = np.ones((6, 10), np.float32)
    values[5, 9] = special
    found = reduced(values, (4, 4))
    assert np.array_equal(found[-1, -1], special, equal_nan=True)
    assert np.isfinite(found).sum() == found.size - 1


def test_a_tile_of_nothing_is_reduced_to_nothing():
    assert reduced(np.empty((0, 4), np.float32), (2, 2)).shape == (0, 2)
