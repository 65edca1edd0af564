"""From a scan to a step: a total, the amount per tensor, and predicted and measured quality."""

from __future__ import annotations

import math
from functools import partial
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.evaluation.scan_file import ScanMetric
from pruneapp.gui.document.history_model import HistoryColumn
from pruneapp.gui.evaluation.source_choice import DataKind
from pruneapp.gui.sensitivity import allocation_controller
from pruneapp.progress import Job
from tests.gui.job_gate import Gate
from tests.gui.sensitivity.conftest import FIRST, SECOND, enter_total
from tests.gui.user import plain


def opened_dialog(user, press):
    press()
    controller = user.workbench.allocation
    user.wait(lambda: controller.dialog is not None and controller.dialog.isVisible())
    user.wait(controller.dialog.headline.text)
    return controller.dialog


def allocated_dialog(scans, opened):
    """Open the dialog with an allocation of 40 %."""
    dialog = opened_dialog(opened, partial(opened.click, scans.view.allocate))
    enter_total(opened, dialog, "40 %")
    opened.wait(lambda: dialog.go.text() == "Prune 28 weights")
    return dialog


def test_the_step_prunes_most_where_the_scan_found_least_damage(scans, opened):
    scans.scan("50%, 90%")
    dialog = allocated_dialog(scans, opened)
    model = dialog.table.model()
    cells = [[plain(model.index(r, c).data()) for c in range(4)] for r in range(2)]
    assert [row[:3] for row in cells] == [[FIRST, "40", "15.0 %"], [SECOND, "30", "73.3 %"]]
    assert [row[3][0] for row in cells] == ["+", "+"], "the loss grows"
    assert plain(dialog.headline.text()).startswith("loss: 1 now, predicted 1.086 or worse")
    same = "run the same script with the same settings (my_evaluation.py)."
    assert same in dialog.note.text()
    opened.click(dialog.go)
    opened.wait(lambda: opened.document.position == 1)
    assert plain(opened.document.items[1].title) == "Allocation 40 %, on 2 tensors"
    masks = opened.document.masks
    assert (masks.pruned(FIRST), masks.pruned(SECOND)) == (6, 22)
    lines = opened.document.items[1].detail.splitlines()
    assert [line.partition(" on ")[2] for line in lines[:2]] == [FIRST, SECOND], "not '1 tensor'"
    opened.wait(lambda: "or worse" in str(opened.notices))
    opened.key("Ctrl+M")
    assert choose(opened, scans.script), "a script has other data for each purpose"
    opened.wait(lambda: "was predicted" in str(opened.notices))
    series = [swatch.label for swatch in opened.views.pages.quality.legend.entries]
    assert series[0] == "Allocation", "as in the history, not the method and 'several rules'"
    assert plain(opened.notices[0]).startswith("Allocation: loss is 1.223; 1.")
    states = opened.views.history.tree.states
    column = states.column_of(HistoryColumn.METRIC)
    marked = [states.cell(n, column).endswith("\u00a0†") for n in range(2)]
    assert marked == [False, True], "chosen by the data that also measure it"
    opened.key("Ctrl+Z")
    opened.wait(lambda: opened.document.position == 0)
    assert not opened.document.masks.pruned(SECOND)


def test_the_amount_of_the_form_is_proposed(scans, opened):
    """Regression: 50 % was proposed whatever the form contained."""
    opened.ask_amount("70%")
    scans.scan("90%")
    dialog = opened_dialog(opened, partial(opened.click, scans.view.allocate))
    assert dialog.values()["target_sparsity"] == 0.7
    assert dialog.go.text() == "Prune 49 weights"
    opened.click(dialog.leave)


def test_a_failed_prediction_offers_recovery(scans, opened, monkeypatch):
    """The notice does not call a score that is far worse than predicted optimistic."""
    monkeypatch.setattr(allocation_controller, "_FAILED_TIMES", 2)
    scans.scan("50%, 90%")
    dialog = allocated_dialog(scans, opened)
    opened.click(dialog.go)
    opened.wait(lambda: opened.document.position == 1)
    opened.key("Ctrl+M")
    choose(opened, scans.script)
    opened.wait(lambda: "Much worse" in str(opened.notices))
    assert plain(opened.notices[0]).startswith(
        "Much worse than predicted: loss is 1.223, and 1.086 was predicted. Pruned together, these "
        "tensors lose far more than one at a time. Repair or recover this state, or undo the "
        "allocation and choose a lower total."
    )
    assert "optimistic" not in opened.notices[0]
    button = next(
        button
        for button in opened.window.findChildren(QPushButton)
        if button.isVisible() and button.text() == "Recover…"
    )
    opened.click(button)
    recovery = opened.workbench.recover
    opened.wait(lambda: recovery.dialog is not None and recovery.dialog.isVisible())
    opened.click(recovery.dialog.leave)


@pytest.mark.parametrize(
    ("higher", "before", "predicted", "measured", "failed"),
    [
        (True, 0.97, 0.913, 0.105, True),
        (True, 0.97, 0.913, 0.85, False),
        (True, 0.97, 0.965, 0.94, False),  # less than 5 % of the metric
        (False, 1.0, 1.1, 9.0, True),
        (False, 1.0, 1.1, math.inf, True),
        (False, 1.0, 1.1, 0.9, False),
    ],
)
def test_a_prediction_fails_if_far_more_is_lost(higher, before, predicted, measured, failed):
    metric = ScanMetric("m", higher, before)
    assert allocation_controller._has_failed(metric, measured, predicted) == failed


def test_it_says_of_limit_and_seed_whether_the_data_are_others(scans, opened):
    """The script ignores both, which is reported after the measurement."""
    scans.script.write_text("def evaluate(model, limit, seed): return 1.0\n")

    def note():
        dialog = opened_dialog(opened, partial(opened.menu, "Tools", "Allocate"))
        text = dialog.note.text()
        opened.click(dialog.leave)
        opened.wait(lambda: opened.workbench.allocation.dialog is None)
        return text

    scans.scan("50%", limit="20")
    scan = opened.workbench.scans.kept.scan
    assert (scan.conditions.limit, scan.conditions.seed) == (20, 0)
    assert "run the same script with the same settings (my_evaluation.py, at most 20 s" in note()
    for given, words in (
        (
            {"limit": "30"},
            "with different numbers of samples (scan: my_evaluation.py, at most 20 samples; ",
        ),
        ({"limit": "20", "seed": "5"}, "It is not known whether the scan and the evaluation use"),
    ):
        evaluate(opened, scans.script, **given)
        assert words in note()
    dialog = opened_dialog(opened, partial(opened.menu, "Tools", "Allocate"))
    enter_total(opened, dialog, "50 %")
    opened.wait(lambda: dialog.go.text() == "Prune 35 weights")
    opened.click(dialog.go)
    opened.wait(lambda: opened.document.position == 1)
    opened.key("Ctrl+M")
    opened.wait(lambda: "was predicted" in str(opened.notices))
    assert "It is not known whether the scan" in plain(opened.notices[0])


def evaluate(user, script, limit="", seed=""):
    """Measure the current state by Evaluate…, with a confirmed script."""
    user.menu("Tools", "Evaluate")
    choose(user, script, limit, seed)


def choose(user, script, limit="", seed=""):
    """Choose the script in the dialog and measure; return the path that the dialog proposed."""
    evaluation = user.workbench.evaluation
    user.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    dialog = evaluation.dialog
    field = dialog.choice.fields[DataKind.SCRIPT]
    proposed = field.text()
    field.clear()
    user.type(field, str(script))
    for field, text in ((dialog.choice.limit, limit), (dialog.choice.seed, seed)):
        field.clear()
        user.type(field, text)
    user.wait(dialog.go.isEnabled)
    user.click(dialog.go)
    user.wait(lambda: evaluation.dialog is None)
    user.wait_idle()
    return proposed


def test_bounds_hold_and_what_cannot_be_is_said_in_the_dialog(scans, opened, script):
    opened.menu("Tools", "Allocate")
    opened.wait(lambda: opened.trouble)
    assert opened.trouble[0].startswith("Nothing has been scanned yet, so nothing can be allocated")
    assert opened.workbench.allocation.dialog is None
    scans.scan("50%")
    dialog = opened_dialog(opened, partial(opened.menu, "Tools", "Allocate"))
    enter_total(opened, dialog, "80 %")
    words = "must be from 0 % to 50 % of 70 weights here (got 80 %)"
    opened.wait(lambda: words in dialog.error.text() and dialog.error.isVisible())
    assert "or scan larger amounts" in dialog.error.text()
    assert not dialog.go.isEnabled()
    assert dialog.go.text() == "Prune", "the count of another total is not shown"
    enter_total(opened, dialog, "20 %")
    opened.type(dialog.editors["max_sparsity"].field, "30%")
    opened.wait(lambda: dialog.error.isHidden() and dialog.go.text() == "Prune 14 weights")
    assert plain(dialog.table.model().index(1, 2).data()) == "30.0 %"
    editor = dialog.editors["target_sparsity"]
    opened.click(editor.counts)
    assert editor.slider.isEnabled()
    enter_total(opened, dialog, "7")
    opened.wait(lambda: dialog.go.text() == "Prune 7 weights")
    opened.type(dialog.editors["min_sparsity"].field, "2")
    opened.wait(dialog.error.isVisible)
    assert dialog.error.text().startswith("✕ Min sparsity per tensor must be a share")
    assert dialog.warning.isHidden()
    opened.click(dialog.leave)

    # Where a higher value is better, the change has the sign of the map.
    scans.scan("50%, 90%")
    opened.choose(scans.view.metric_box, "accuracy")
    assert scans.cells[0] == ["−5.0", "−9.0"]
    dialog = opened_dialog(opened, partial(opened.click, scans.view.allocate))
    enter_total(opened, dialog, "80 %")
    model = dialog.table.model()
    opened.wait(lambda: plain(model.index(0, 3).data() or "").startswith("−"))
    assert model.headerData(3, Qt.Orientation.Horizontal) == "Change"
    opened.click(dialog.leave)

    script.write_text(script.read_text() + "\n")
    opened.window.activated.emit()
    opened.wait(lambda: "Measured with another script" in scans.view.about.text())
    dialog = opened_dialog(opened, partial(opened.click, scans.view.allocate))
    assert dialog.warning.isVisible()
    assert dialog.warning.text() == "Measured with another script, Python or options."
    opened.click(dialog.leave)


def test_it_warns_if_the_scan_found_no_change(scans, opened):
    """Regression: the tensors were allocated in any order, without a word."""
    opened.check(FIRST)  # the accuracy does not depend on the other tensor
    scans.scan("50%, 90%")
    note = "No change of the metric at the scanned amounts exceeds the noise"
    assert note not in scans.view.about.text()
    opened.choose(scans.view.metric_box, "accuracy")
    assert note in scans.view.about.text()
    dialog = opened_dialog(opened, partial(opened.click, scans.view.allocate))
    assert dialog.warning.isVisible()
    assert dialog.warning.text().startswith(note)
    opened.click(dialog.leave)


def test_of_an_unfinished_scan_it_says_so(scans, opened, runners):
    scans.scan("90%")
    (runner,) = runners
    runner.most = len(runner.measured)
    scans.begin("30%, 95%")
    opened.wait(lambda: runner.gate.closed and runner.gate.running)
    opened.key("Esc")
    opened.wait_idle()
    runner.gate.closed = False
    dialog = opened_dialog(opened, partial(opened.click, scans.view.allocate))
    enter_total(opened, dialog, "95 %")
    words = "continue the scan (2 of 6 evaluations are done)"
    opened.wait(lambda: words in dialog.error.text() and dialog.error.isVisible())
    assert dialog.warning.isVisible()
    assert dialog.warning.text() == (
        "The scan is not finished: 2 of 6 evaluations are measured. Scan again to continue it."
    )
    opened.click(dialog.leave)


def test_what_was_protected_since_the_scan_is_not_allocated(scans, opened):
    scans.scan("50%, 90%")
    targets = (ManualTarget(SECOND, (((0, 6), (0, 5)),)),)
    opened.workbench.session.commit(
        compute_manual_edit(opened.document.snapshot(), ManualEdit("protect", targets), Job())
    )
    dialog = allocated_dialog(scans, opened)
    opened.click(dialog.go)
    opened.wait(lambda: opened.document.position == 2)
    assert opened.document.masks.pruned(FIRST) == 28


def test_it_follows_the_scanned_state_in_a_branch(scans, opened, monkeypatch):
    """If that state cannot be reached, nothing is pruned then or later."""
    scans.scan("50%, 90%")
    opened.ask_amount("10 %")
    opened.wait_preview()
    opened.click(opened.button)
    opened.wait(lambda: opened.document.position == 1)
    dialog = allocated_dialog(scans, opened)
    assert "was added in a branch after the scanned state 'Opened'" in dialog.note.text()
    gate = Gate(closed=True)
    with monkeypatch.context() as patch:
        disk = SimpleNamespace(run=lambda job: gate.wait(job) or ())
        patch.setattr(opened.document.history, "fetch_missing", lambda _position: disk)
        opened.click(dialog.go)
        opened.wait(lambda: gate.running)
        opened.key("Esc")
        opened.wait_idle()
    opened.key("Ctrl+Z")
    opened.wait(lambda: opened.document.position == 0)
    opened.wait_idle()
    assert len(opened.states) == 2

    opened.key("Ctrl+Shift+Z")
    opened.wait(lambda: opened.document.position == 1)
    dialog = allocated_dialog(scans, opened)
    opened.click(dialog.go)
    opened.wait(lambda: opened.document.position == 2)
    assert opened.document.branches.parent(2) == 0
    assert opened.document.masks.pruned(SECOND) == 22


def test_predicted_beside_measured_is_said_on_coming_back(scans, opened):
    scans.scan("50%, 90%")
    dialog = allocated_dialog(scans, opened)
    opened.click(dialog.go)
    opened.wait(lambda: opened.document.position == 1)
    opened.key("Ctrl+Z")
    opened.wait(lambda: opened.document.position == 0)
    opened.views.history.measureRequested.emit(1)
    choose(opened, scans.script)
    assert opened.notices == []
    opened.key("Ctrl+Shift+Z")
    opened.wait(lambda: opened.document.position == 1)
    assert "was predicted" in str(opened.notices)
