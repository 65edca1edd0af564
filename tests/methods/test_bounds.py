"""What cannot be reached between floors and ceilings is said in numbers, in words that fit them."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.errors import ParameterError
from pruneapp.methods.limit_bounds import Tensors, bounds_of, target_of
from pruneapp.methods.limits import Limits


def tensors(numel, before, free):
    return Tensors(["fc"], *(np.array([n], np.int64) for n in (numel, before, free)))


@pytest.mark.parametrize(
    ("before", "said"), [(1, "1 weight is pruned already"), (2, "2 weights are pruned already")]
)
def test_a_total_below_what_is_pruned_already(before, said):
    limits, some = Limits(total=0), tensors(8, before, 8 - before)
    with pytest.raises(ParameterError, match=f"^{said}, but the total is 0"):
        target_of(limits, some, bounds_of(limits, some))


@pytest.mark.parametrize(("free", "said"), [(7, "1 is protected"), (6, "2 are protected")])
def test_more_than_is_free(free, said):
    limits, some = Limits(total=8), tensors(8, 0, free)
    with pytest.raises(ParameterError, match=rf"Only {free} weights .*, because {said}, but"):
        target_of(limits, some, bounds_of(limits, some))
    limits = Limits(floor=1.0)
    with pytest.raises(ParameterError, match=rf"only {free} can be pruned: {said}\."):
        bounds_of(limits, some)
