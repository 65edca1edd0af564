"""The smallest of many scores are those that a stable sort puts first."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.kernels import smallest as module
from pruneapp.kernels.smallest import smallest


@given(
    st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, np.inf, np.nan, 5e-324])),
    st.floats(0, 1),
    st.sampled_from([0, 1 << 14]),
)
def test_they_are_the_first_of_a_stable_sort(values, share, few):
    scores = np.array(values, np.float64)
    count = round(share * scores.size)
    before, module._FEW = module._FEW, few
    try:
        found = smallest(scores, count)
    finally:
        module._FEW = before
    assert found.tolist() == sorted(np.argsort(scores, kind="stable")[:count].tolist())
