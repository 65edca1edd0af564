"""Tensors that are marked as likely to break the model."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis.sparsity_report import (
    MeasuredLoss,
    Severity,
    SparsityReport,
    TensorSparsity,
    dangers,
)


def marked(after: int, energy: float | None = None, **retained: float) -> Severity:
    tensor = TensorSparsity("w", 1000, 0, after, energy)
    found = dangers([tensor], retained).get("w")
    return Severity.NONE if found is None else found.severity


def test_nothing_is_marked_that_keeps_its_norm():
    assert marked(500, 0.997) is Severity.NONE, "a mark at 99.7 % is noise"
    assert marked(430, 0.98) is Severity.NONE
    assert marked(600, 0.5) is Severity.NONE
    assert marked(980, 0.9) is Severity.NONE, "what went was next to nothing"
    assert marked(0, 0.1) is Severity.NONE, "none of the selected weights is pruned"


def test_what_keeps_too_little_is_marked():
    assert marked(400, 0.49) is Severity.MUCH, "half of the channels of a layer, say"
    assert marked(951) is Severity.MUCH
    assert marked(950) is Severity.NONE
    assert marked(1000) is Severity.ALL
    assert marked(1000, 0.0) is Severity.ALL


def test_a_repaired_tensor_is_marked_by_the_norm_of_its_current_values():
    for after, factor, severity in (
        (400, 6.0, Severity.NONE),
        (400, 1.1, Severity.MUCH),
        (400, math.nan, Severity.MUCH),  # not counted yet
        (960, 44.0, Severity.MUCH),  # a large norm of few weights is no reason to trust them
        (1000, 6.0, Severity.ALL),
    ):
        found = dangers([TensorSparsity("w", 1000, 0, after, 0.1)], repaired={"w": factor})
        assert [d.severity for d in found.values()] == [severity] * (severity > 0)
        assert all(d.repaired for d in found.values())
    assert not dangers([TensorSparsity("w", 1000, 0, 960, 0.95)], repaired={"w": 1.0})
    found = dangers([TensorSparsity("w", 1000, 0, 400, 0.1)], repaired={"w": 2.0})
    assert found["w"].retained == pytest.approx(0.2)


def test_a_measured_loss_decides_instead_of_the_estimate():
    curve = MeasuredLoss("loss", False, "l1_unstructured", 0.2, (0, 500, 980), (0.0, 0.1, math.inf))
    assert [curve.at(n) for n in (0, 250, 500, 501, 981)] == [0.0, 0.05, 0.1, math.inf, None]

    def found(after, norm, limit=0.2):
        measured = {"w": replace(curve, limit=limit), "other": curve}
        return dangers([TensorSparsity("w", 1000, 0, after, norm)], measured=measured).get("w")

    assert found(500, 0.4) is None, "the estimate would mark it"
    assert found(500, 0.99, limit=0.05).severity is Severity.LOSS
    assert found(500, 0.99, limit=0.05).loss == 0.1
    assert found(700, 0.99).severity is Severity.LOSS, "no number is a loss"
    assert found(990, 0.4).severity is Severity.MUCH, "not measured"
    assert found(990, 0.4).measured is None
    assert found(1000, 0.0).severity is Severity.ALL
    assert found(0, 1.0, limit=-1.0) is None, "not pruned"


def test_several_steps_add_up():
    assert marked(400, 0.7) is Severity.NONE
    assert marked(400, 0.7, w=0.7) is Severity.MUCH
    assert marked(400, 0.7, other=0.1) is Severity.NONE


@given(
    st.lists(
        st.tuples(
            st.integers(0, 100), st.integers(0, 100), st.none() | st.floats(0, 1), st.floats(0, 1)
        ),
        max_size=8,
    )
)
def test_a_mark_is_the_same_before_and_after_the_step(cases):
    """The preview marks the same tensors as the state after the step."""
    before, after, retained = [], [], {}
    for i, (first, second, share, stood) in enumerate(cases):
        name, low, high = str(i), *sorted((first, second))
        retained[name] = stood
        total = None if share is None else share * stood
        before.append(TensorSparsity(name, 100, low, high, share))
        after.append(TensorSparsity(name, 100, high, high, total))
    numbers = {"numel": 1000, "before": 0, "after": 0}
    preview = SparsityReport(tuple(before), **numbers, retained=retained)
    state = SparsityReport(tuple(after), **numbers)
    assert preview.dangers == state.dangers
    assert not any(math.isnan(found.retained or 0) for found in state.dangers.values())
