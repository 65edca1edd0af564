"""Visual scale of damages, and the largest one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pruneapp.evaluation.scan import Sensitivity, TensorSensitivity


def found(*values, noise=0.0, higher=False):
    rows = (TensorSensitivity("a", "a", 4, values),)
    amounts = tuple((n + 1) / 10 for n in range(len(values)))
    return Sensitivity(("m",), "m", higher, 1.0, noise, amounts, rows, "L1")


def test_levels_grow_by_the_logarithm_of_the_damage_up_to_the_worst():
    scan = found(1.001, 1.1, 2.0)
    small, middle, worst = scan.levels[0]
    assert 0 < small < 0.1
    assert 0.4 < middle < 0.6
    assert worst == 1


def test_what_is_better_or_within_the_noise_is_no_damage_and_nan_is_the_worst():
    scan = found(0.5, 1.05, 2.0, math.nan, math.inf, noise=0.1)
    assert scan.levels[0].tolist() == [0, 0, 1, 1, 1]
    assert scan.most_sensitive == (0, 2)
    assert found(1.05, noise=0.1).most_sensitive is None


def test_where_a_higher_value_is_better_a_lower_one_is_damage():
    scan = found(0.9, None, 0.4, higher=True)
    assert (scan.measured, scan.wanted, scan.worst) == (2, 3, 0.6)
    assert scan.most_sensitive == (0, 2)
    assert np.isnan(scan.levels[0, 1])
    nothing = found(None, 1.0)
    assert nothing.levels[0, 1] == 0
    assert (nothing.measured, nothing.worst) == (1, 0)


def test_the_noise_of_a_cell_goes_before_that_of_the_scan():
    rows = (TensorSensitivity("a", "a", 4, (1.1, 1.1, 1.3), (0.2, None, 0.2)),)
    scan = Sensitivity(("m",), "m", False, 1.0, 0.01, (0.1, 0.2, 0.3), rows, "L1")
    assert scan.levels[0, 0] == 0
    assert scan.levels[0, 1] > 0
    assert scan.most_sensitive == (0, 2)


def test_a_tensor_that_is_hurt_early_comes_before_one_that_breaks_at_last():
    """Regression: order depended only on the worst cell, at 95 %, which all tensors fail."""
    early, late = (0.1, 0.5, 0.4, 0.7, 0.8), (0.0, 0.01, 0.1, 0.2, 0.9)
    rows = [
        TensorSensitivity(name, name, 4, tuple(1.0 - d for d in damages))
        for name, damages in (("late", late), ("early", early), ("none", (0.0,) * 5))
    ]
    rows.append(TensorSensitivity("unknown", "unknown", 4, (None,) * 5))
    rows.append(TensorSensitivity("nan", "nan", 4, (math.nan,) * 5))
    scan = Sensitivity(("m",), "m", True, 1.0, 0.02, (0.3, 0.5, 0.7, 0.85, 0.95), tuple(rows), "L1")
    order = [rows[at].name for at in np.argsort(-scan.sensitivities, kind="stable")]
    assert order == ["nan", "early", "late", "none", "unknown"]
    assert scan.sensitivities[0] == pytest.approx(1.2 / 5), "0.01 is within the noise"
