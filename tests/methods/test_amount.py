"""From an amount to a count."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch.nn.utils.prune as torch_prune
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.errors import ParameterError
from pruneapp.methods.amounts import to_prune


@given(st.floats(0, 1), st.integers(0, 10**12))
def test_fractions_are_rounded_as_torch_does(amount, left):
    """Halves to the even count: 0.5 of 5 is 2, of 3 is 2, of 1 is 0."""
    assert torch_prune._compute_nparams_toprune(amount, left) == to_prune(amount, left)


@pytest.mark.parametrize(
    ("amount", "left", "count"),
    [
        (0.5, 5, 2),
        (0.5, 3, 2),
        (0.5, 1, 0),
        (0.25, 10, 2),
        (0.35, 10, 4),
        (1, 10, 1),
        (1.0, 10, 10),
    ],
)
def test_known_cases(amount, left, count):
    """1 is a count, 1.0 is everything; numpy's numbers count as Python's."""
    assert count == to_prune(amount, left)
    assert count == to_prune(np.array([amount])[0], left)


@pytest.mark.parametrize("amount", [-1, -0.1, 1.1, math.nan, math.inf, "half", None])
def test_what_is_no_amount_is_refused(amount):
    """NaN among it, which torch lets through."""
    with pytest.raises(ParameterError, match="'amount' must be a whole number"):
        to_prune(amount, 10)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (1234, r"only 1,234 weights of 'fc' are not pruned yet \(got 2,000\)"),
        (1, r"only 1 weight of 'fc' is not pruned yet"),
        (0, r"must be 0 here: all weights of 'fc' are pruned already"),
    ],
)
def test_more_than_is_left_is_refused(left, said):
    """The sentence says how many there are, and where."""
    with pytest.raises(ParameterError, match=said):
        to_prune(2000, left, where="fc")


def test_of_one_weight_the_sentence_speaks_as_of_one():
    """Of the one that is left, and of the one that is protected."""
    said = r"of the 1 weight of 'fc' that is not pruned yet, 1 is protected, so none can be pruned"
    with pytest.raises(ParameterError, match=said):
        to_prune(1, 1, protected=1, where="fc")
