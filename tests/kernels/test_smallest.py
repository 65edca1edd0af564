"""The smallest of many scores are those that a stable sort puts first."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.kernels import lowest_channels
from pruneapp.kernels.lowest_channels import smallest


@given(
    st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, np.inf, np.nan, 5e-324])),
    st.floats(0, 1),
    st.sampled_from([0, 1 << 14]),
)
def test_they_are_the_first_of_a_stable_sort(values, share, few):
    scores = np.array(values, np.float64)
    count = round(share * scores.size)
    before, lowest_channels._FEW = lowest_channels._FEW, few
    try:
        found = smallest(scores, count)
    finally:
        lowest_channels._FEW = before
    assert found.tolist() == sorted(np.argsort(scores, kind="stable")[:count].tolist())
