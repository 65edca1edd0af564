"""Running methods: cases that tests of all registered methods do not cover."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.errors import ParameterError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.cutoff import units_left
from pruneapp.methods.prune_tensors import prune
from pruneapp.methods.registry import get
from pruneapp.progress import Job
from tests.support.tensors import view_of, view_of_values


def run(views, name, scope="local", **values):
    return prune(views, get(name), values, scope, CpuKernel(), Job()).masks


def test_equal_weights_go_in_file_order():
    """The earlier tensor first, then the lower index; a later tensor only contributes the rest."""
    ones = np.ones(5, np.float32)
    views = [view_of_values(ones, name="b"), view_of_values(ones, name="a")]
    masks = run(views, "l1_unstructured", "global", amount=7)

    assert [masks["b"].kept, masks["a"].kept] == [0, 3]
    assert masks["a"].bools().tolist() == [False, False, True, True, True]


def test_equal_channels_go_in_order():
    """The lower index first."""
    masks = run([view_of_values(np.ones((4, 3)))], "ln_structured", amount=2)

    assert masks["layer.weight"].bools().reshape(4, 3)[:, 0].tolist() == [False, False, True, True]


def test_global_takes_from_the_smaller_layer():
    """With mixed dtypes: values are compared, not bits."""
    small = view_of_values(np.array([0.5, 0.25], np.float16), name="small")
    large = view_of_values(np.array([4.0, 0.375]), name="large")
    masks = run([small, large], "l1_unstructured", "global", amount=0.5)

    assert masks["small"].bools().tolist() == [True, False]
    assert masks["large"].bools().tolist() == [True, False]


def test_a_count_is_held_against_every_tensor_before_the_first_is_touched():
    """Local scope: each tensor must have that many."""
    views = [
        view_of_values(np.ones(9, np.float32), name="wide"),
        view_of_values(np.ones(3, np.float32), name="narrow"),
    ]

    with pytest.raises(ParameterError, match="only 3 weights of 'narrow'"):
        run(views, "l1_unstructured", amount=5)


def test_a_global_count_names_no_tensor():
    """It is compared with the total of all tensors."""
    views = [view_of_values(np.ones(3, np.float32), name=n) for n in "ab"]

    with pytest.raises(ParameterError, match="only 6 weights are not pruned yet"):
        run(views, "l1_unstructured", "global", amount=7)


def test_a_dimension_that_is_not_there_is_refused():
    """The message lists the valid ones."""
    with pytest.raises(ParameterError, match="from -2 to 1 for 'layer"):
        run([view_of_values(np.ones((2, 3)))], "ln_structured", dim=2)
    with pytest.raises(ParameterError, match="from -2 to 1"):
        units_left(view_of_values(np.ones((2, 3))), get("random_structured"), {"dim": -3})


def test_channels_of_different_tensors_are_not_compared():
    """Global scope with a structured method."""
    with pytest.raises(ParameterError, match=r"scores are not comparable\. Use scope per tensor"):
        run([view_of_values(np.ones((2, 3)))], "ln_structured", "global")


def test_a_mask_must_be_given_and_fit():
    """Both messages name the tensor."""
    ones = np.ones(4, np.float32)

    with pytest.raises(ParameterError, match=r"No mask is given for 'layer[.]weight'"):
        run([view_of_values(ones)], "custom_from_mask")
    with pytest.raises(ParameterError, match=r"must have its 4 elements \(got 5\)"):
        run([view_of_values(ones, given=BitMask.full(5))], "custom_from_mask")


def test_random_choices_do_not_depend_on_the_company():
    """A tensor is pruned the same alone and among others; another seed gives another mask."""
    views = [view_of_values(np.ones((30, 4), np.float32), name=n) for n in "abc"]
    for name in ("random_unstructured", "random_structured"):
        together = run(views, name, amount=0.5, seed=3)

        assert together["b"] == run(views[1:2], name, amount=0.5, seed=3)["b"]
        assert together["b"] != together["c"]
        assert together["b"] != run(views, name, amount=0.5, seed=4)["b"]


def test_random_channels_do_not_depend_on_how_the_dimension_is_written():
    """-1 is the last."""
    view = view_of_values(np.ones((3, 40), np.float32))

    assert run([view], "random_structured", dim=-1) == run([view], "random_structured", dim=1)


def test_importance_scores_may_have_another_type():
    """Two tensors with scores of different dtypes are compared by value."""
    scores = [np.array([1, 5], np.float16), np.array([2, 0.5])]
    views = [
        view_of(np.zeros(2, np.uint16), DTYPES["BF16"], name=n, scores=view_of_values(s))
        for n, s in zip("ab", scores, strict=True)
    ]
    masks = run(views, "l1_unstructured", "global", amount=2)

    assert masks["a"].bools().tolist() + masks["b"].bools().tolist() == [False, True, True, False]
