"""The effect of a recovery on the sample; docs/quality.md has all results."""

from __future__ import annotations

import pytest

from tests.benchmarks import recovery
from tests.benchmarks.benchmark import AtLeast, Line, as_columns
from tests.benchmarks.quality_models import sample
from tests.benchmarks.recovery import Case, compare
from tests.benchmarks.subjects.quality import Pruning


def test_recovery_closes_a_part_of_the_gap_of_the_sample(monkeypatch):
    monkeypatch.setattr(recovery, "DRAWS", 1)
    monkeypatch.setattr(recovery, "DEFAULT_STEPS", 60)
    pruning = Pruning("L1 global 95%", "l1_unstructured", {"amount": 0.95})
    case = Case(pruning, bounded=True, rounds=2)
    lines = {line.figure: line for line in compare("sample", sample(), (case,), "%")}
    assert lines["unpruned"].ours == pytest.approx(98.9, abs=0.1)
    assert lines["pruned"].ours == pytest.approx(18.3, abs=0.1)
    repaired, recovered = lines["sequential repair"].ours, lines["repair and recovery"].ours
    assert min(repaired, recovered) > 90
    gap = lines["gap closed"]
    assert gap.ours == pytest.approx(
        100 * (recovered - repaired) / (lines["unpruned"].ours - repaired)
    )
    assert gap.bound == AtLeast(50)
    worst = lines["worst draw"]
    assert worst.ours == pytest.approx(recovered - repaired)
    assert worst.bound.value < 0
    assert worst.ours > -5
    assert lines["iterative"].ours > 80
    assert lines["trained with labels"].ours > 90
    assert lines["SparseGPT"].ours < 30


def test_a_table_has_a_column_per_figure_and_says_which_bound_does_not_hold():
    lines = [
        Line("a", "before", 1.0, "%", note="0.9 to 1.1"),
        Line("a", "after", 30.0, "%", bound=AtLeast(50)),
        Line("b", "after", 60.0, "%", bound=AtLeast(50)),
    ]
    assert list(as_columns(lines)) == [
        "| work | before              | after                           |",
        "|------|---------------------|---------------------------------|",
        "| a    | 1.00 % (0.9 to 1.1) | 30.0 %, at least 50.0 %: **NO** |",
        "| b    |                     | 60.0 %, at least 50.0 %: yes    |",
    ]
