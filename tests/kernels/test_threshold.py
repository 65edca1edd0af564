"""Positions of true elements, compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.kernels.threshold import places_of


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 64, 1000, 4096, 10_007])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.03, 0.08, 0.5, 1.0])
def test_they_are_those_of_numpy(size: int, share: float) -> None:
    found = np.random.default_rng(size).random(size) < share
    places = places_of(found)
    assert places.dtype == np.intp
    assert places.tolist() == np.flatnonzero(found).tolist()


@pytest.mark.parametrize("place", range(24))
def test_a_single_one_is_found_wherever_it_is(place: int) -> None:
    found = np.zeros(24, np.bool_)
    found[place] = True
    assert places_of(found).tolist() == [place]
