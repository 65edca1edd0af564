"""The dialogs of an allocation and of a scan: the table, and the place of the button."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint

from pruneapp.gui.evaluation.source_choice import DataKind, DataSource
from pruneapp.gui.sensitivity.dialogs import (
    AllocatedTensor,
    AllocationDialog,
    PredictedAllocation,
    ScanDialog,
)
from pruneapp.gui.statistics.dialog import CollectDialog
from tests.gui.user import plain

SOURCE = DataSource(DataKind.TEXT, "/data/sentences.txt")


@pytest.mark.parametrize(
    "make",
    [
        lambda: ScanDialog([DataKind.SCRIPT, DataKind.TEXT], SOURCE, [("l1", "L1")]),
        lambda: CollectDialog([DataKind.TEXT], SOURCE, Path("/data/x"), 10**7, grams=False),
    ],
    ids=["scan", "collect"],
)
def test_the_main_button_does_not_move_when_the_answer_about_the_data_wraps(show, english, make):
    """Regression: it moved down by a line with an answer of three lines."""
    dialog = show(make())

    def place():
        dialog.layout().activate()
        return dialog.go.mapTo(dialog, QPoint(0, 0)).y()

    before, found = place(), dialog.choice.found
    words = "The model runs with the data."
    while found.heightForWidth(found.width()) < 3 * found.fontMetrics().lineSpacing():
        words += " More words."
        dialog.choice.set_found(words)
    assert place() == before


def test_the_main_button_does_not_move_when_the_estimate_wraps(show, english, qtbot):
    """Regression: a click missed it after an estimate of three lines had appeared."""
    dialog = show(ScanDialog([DataKind.SCRIPT], SOURCE, [("l1", "L1")]), 320, 10)

    def place():
        qtbot.wait(20)
        return dialog.go.mapTo(dialog, QPoint(0, 0)).y()

    before, estimate, words = place(), dialog.estimate, "25 evaluations."
    while estimate.heightForWidth(estimate.width()) < 3 * estimate.fontMetrics().lineSpacing():
        words += " More words."
        dialog.set_estimate(words)
    assert place() == before


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ((0.0001381, 0.000025, 0.0), ["+0.000138", "+0.000025", "0"]),
        ((2.5, 0.031, -0.4), ["+2.500", "+0.031", "−0.400"]),
        ((120.0, 0.001), ["+120", "0"]),
        ((3e-9, 0.0), ["0", "0"]),
    ],
)
def test_changes_in_a_column_have_equally_many_decimals(show, english, changes, shown):
    """Regression: 0.0000000, +0.0001381 and +0.000025 below each other."""
    dialog = show(AllocationDialog((), "on the same data"), 640, 480)
    tensors = tuple(AllocatedTensor(f"t{i}", 5, 0.5, each) for i, each in enumerate(changes))
    dialog.set_allocation(PredictedAllocation(tensors, "loss", 1.0, 1.5, 12))
    model = dialog.table.model()
    assert [model.index(row, 3).data() for row in range(len(changes))] == shown


def test_a_change_that_is_too_small_for_its_digits_has_no_sign(show, english):
    dialog = show(AllocationDialog((), "on the same data"), 640, 600)
    damages = 0.0, 1e-5, -1e-5, 0.1
    tensors = tuple(AllocatedTensor(f"t{n}", 10, 0.1, damage) for n, damage in enumerate(damages))
    for higher, worse in ((True, "−"), (False, "+")):
        dialog.set_allocation(
            PredictedAllocation(tensors, "accuracy", 0.9, 0.8, 4, share=True, higher=higher)
        )
        model = dialog.table.model()
        changes = [model.index(row, 3).data() for row in range(4)]
        assert changes == ["0", "0", "0", f"{worse}10.0"]
        assert plain(model.index(0, 2).data()) == "10.0 %"
