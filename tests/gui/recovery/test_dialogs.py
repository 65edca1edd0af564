"""The dialogs of a recovery by themselves."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from pruneapp.gui.app.jobs import JobProgress
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource
from pruneapp.gui.recovery.dialogs import (
    RecoverDialog,
    RecoveryPanel,
    RecoveryReportDialog,
    curves_of,
)
from pruneapp.gui.recovery.progress import RecoveryProgress
from pruneapp.gui.recovery.recover_controller import PARAMS
from pruneapp.gui.widgets.status import JobStatus
from tests.gui.user import plain

POINTS = [
    {"what": "stage", "name": "start", "loss": 0.5},
    {"what": "point", "step": 0, "held_out": 0.5},
    {"what": "point", "step": 5, "training": 2.0, "held_out": 0.25, "speed": 12.345},
]

BY = "by evaluate() of my_script.py"


@pytest.fixture
def dialog(show, english):
    return show(RecoverDialog((DataKind.SCRIPT,), PARAMS), 720, 440)


def test_settings_of_distillation_have_no_effect_on_the_users_training(dialog):
    dialog.source.set_source(DataSource(DataKind.SCRIPT, "/x/train.py"))
    dialog.set_functions(distills=True, trains=True, evaluated_by=BY, found=True)
    assert dialog.editors["evaluates"].value()
    dialog.editors["lr"].field.setText("7")
    assert not dialog.go.isEnabled()
    dialog.trains.click()
    assert not dialog.source.unpruned.isEnabled()
    assert not dialog.source.browse_unpruned.isEnabled()
    assert dialog.go.isEnabled()
    assert dialog.go.text() == "Run train()"
    assert not dialog.editors["steps"].isEnabled()
    assert dialog.editors["evaluates"].box.isEnabled()
    assert dialog.editors["evaluates"].box.isChecked()
    dialog.set_functions(distills=True, trains=False, evaluated_by="", found=True)
    assert dialog.distills.isChecked()
    assert not dialog.editors["evaluates"].box.isChecked()


def test_flags_without_effect_are_not_checked_and_get_their_choice_back(dialog):
    """Regression: the disabled boxes of distillation looked chosen for train()."""
    dialog.set_functions(distills=True, trains=True, evaluated_by=BY, found=True)
    windows, repair = (dialog.editors[name] for name in ("windows", "repair"))
    repair.box.click()
    assert (windows.box.isChecked(), repair.box.isChecked()) == (True, False)
    dialog.trains.click()
    assert not windows.box.isEnabled()
    assert not windows.box.isChecked()
    assert not repair.box.isChecked()
    assert dialog.fields().values["windows"], "the choice is kept for the next dialog"
    repair.set_value(True)
    assert not repair.box.isChecked()
    dialog.distills.click()
    assert (windows.box.isChecked(), repair.box.isChecked()) == (True, True)


def test_a_click_on_a_disabled_setting_chooses_the_distillation(dialog, qtbot):
    dialog.set_functions(distills=True, trains=True, evaluated_by=BY, found=True)
    dialog.trains.click()
    steps = dialog.editors["steps"]
    assert not steps.isEnabled()
    qtbot.mouseClick(steps.field, Qt.MouseButton.LeftButton)
    assert dialog.distills.isChecked()
    assert steps.isEnabled()
    assert steps.field.hasFocus()


def test_what_the_user_chose_is_chosen_again_once_a_new_script_allows_it(dialog):
    """Regression: each check of the script turned the evaluation on again."""
    dialog.set_functions(distills=True, trains=True, evaluated_by=BY, found=True)
    dialog.trains.click()
    dialog.editors["evaluates"].box.click()
    for trains, evaluates in ((False, True), (True, False), (True, True)):
        by = BY if evaluates else ""
        dialog.set_functions(distills=True, trains=trains, evaluated_by=by, found=True)
        assert dialog.trains.isChecked() == trains
        assert not dialog.values()["evaluates"]


def test_the_row_of_settings_ends_where_the_fields_above_it_end(dialog):
    def right(widget):
        return widget.mapTo(dialog, widget.rect().topRight()).x()

    assert right(dialog.editors["lr"]) == right(dialog.source.browse_python)


def test_the_steps_of_blocks_are_shown(dialog):
    """A user asked for 60 steps, and blocks were trained for minutes before them."""
    dialog.set_functions(distills=True, trains=True, evaluated_by="", found=True)
    dialog.editors["steps"].field.setValue(60)
    words = "Each block is trained in up to 60 steps, then the whole model in 60 steps. "
    trials = "Three learning rates are tried for a few steps each. 15 %"
    assert dialog.note.text().startswith(words + trials)
    dialog.editors["windows"].box.click()
    assert dialog.note.text().startswith(f"The whole model is trained in 60 steps. {trials}")
    dialog.editors["lr"].field.setText("0.001")
    assert "Three learning rates" not in dialog.note.text()
    dialog.editors["windows"].box.click()
    dialog.trains.click()
    assert dialog.note.text().startswith("train(model) decides")


def test_stage_and_time_left_of_the_panel_are_those_of_the_status_bar(show, english):
    """Regression: the panel computed another time left, and kept only the end of an item."""
    panel = show(RecoveryPanel(RecoveryProgress(60, blocks=True)), 720, 540)
    panel.progress.add({"what": "plan", "trains": "all", "windows": 6, "trial_steps": 30})
    block = {"what": "block", "number": 2, "step": 20, "steps": 50, "speed": 10.0}
    panel.progress.add(block | {"name": "encoder.layer.1"})
    status = show(JobStatus(), 700, 40)
    for label, left in (
        ("recording inputs", None),
        ("recovering: block 2 of 6 (encoder.layer.1), step 20 of 50", 80.0),
        ("handing over the weights: fc.weight", 20.0),
        ("evaluating before and after", 4.0),
    ):
        panel.set_job(JobProgress("Recovery", label, 5, 100, left))
        status.set_job("Recovery")
        status.set_progress(5, 100, label, left)
        stage = panel.stage.text()
        assert plain(status.label.text()) == f"Recovery: {stage[:1].lower()}{stage[1:]} …"
        time = panel.figures["left"].text()
        assert left is None or f"about {time} left" == status.left.text()
        assert (time == "–") is (left is None)
        assert panel.bar.value() == status.bar.value()


def test_the_dialog_says_what_evaluates_before_and_after(dialog):
    dialog.set_functions(distills=True, trains=True, evaluated_by=BY, found=True)
    assert dialog.evaluated_by.isVisible()
    assert dialog.evaluated_by.text() == BY
    dialog.set_functions(distills=True, trains=True, evaluated_by="", found=True)
    assert not dialog.evaluated_by.isVisible()
    assert dialog.set_up.isVisible()


def test_a_script_without_inputs_to_reproduce_trains(dialog):
    dialog.set_functions(distills=False, trains=True, evaluated_by="", found=True)
    assert dialog.trains.isChecked()
    assert not dialog.distills.isEnabled()
    dialog.set_functions(distills=True, trains=True, evaluated_by="", found=True)
    assert dialog.distills.isChecked(), "the user did not choose train()"


def test_without_a_script_nothing_can_be_recovered(dialog):
    dialog.set_functions(distills=False, trains=False, evaluated_by="", found=False)
    assert not dialog.go.isEnabled()
    assert dialog.no_training.text() == ""


def test_the_panel_shows_figures(show, english):
    panel = show(RecoveryPanel(RecoveryProgress.of(POINTS, 100)), 720, 540)
    assert plain(panel.figures["error"].text()) == "0.25 (−50 %)"
    assert panel.figures["speed"].text() == "12.3"
    assert panel.figures["memory"].text() == "–"
    panel.set_job(JobProgress("", "", 0, 0))
    assert panel.stage.text() == "Starting"
    panel.set_job(JobProgress("", "recovering: step 5 of 100", 5, 100, 10.0))
    assert panel.stage.text() == "Step 5 of 100"
    assert plain(panel.figures["left"].text()) == "10 s"
    assert panel.bar.value() == 50


def test_the_panel_of_the_users_training_shows_what_it_reports(show, english):
    progress = RecoveryProgress(0, trains=True)
    panel = show(RecoveryPanel(progress), 720, 540)
    assert "train() of the script yields" in panel.curves.empty_text()
    progress.add({"what": "training"})
    progress.add({"what": "point", "step": 3, "training": 1.23456, "lr": 0.01})
    panel.set_job(JobProgress("", "training", 0, 0, 30.0))
    panel.refresh()
    shown = {name: plain(figure.text()) for name, figure in panel.figures.items()}
    assert shown == {"loss": "1.235", "left": "30 s", "rate": "0.01"}
    assert [group.title for group in curves_of(progress)] == ["training loss", "learning rate"]


def test_the_panel_shows_what_is_done_before_the_first_step(show, english):
    """A new user saw dashes only, and another learning rate than the one being tried."""
    progress = RecoveryProgress(60)
    panel = show(RecoveryPanel(progress), 720, 540)
    panel.set_job(JobProgress("", "recording inputs", 3, 100, 50.0))
    assert panel.stage.text() == "Recording inputs"
    assert plain(panel.figures["left"].text()) == "50 s"
    panel.set_job(JobProgress("", "recovering: measuring the error before training", 10, 100, 45.0))
    assert panel.stage.text() == "Measuring the error before training"
    progress.add({"what": "stage", "name": "start", "loss": 0.198})
    progress.add({"what": "trial", "lr": 0.001 / 3})
    progress.add({"what": "rate", "lr": 0.001 / 3, "error": 0.3, "speed": 1.5, "memory": 10**9})
    progress.add({"what": "trial", "lr": 0.001})
    panel.refresh()
    panel.set_job(JobProgress("", "recovering: trying the learning rate 0.001", 20, 100, 40.0))
    assert panel.stage.text() == "Trying the learning rate 0.001"
    shown = {name: plain(figure.text()) for name, figure in panel.figures.items()}
    assert shown == {
        "error": "0.198",
        "speed": "1.5",
        "left": "40 s",
        "memory": "1.0 GB",
        "rate": "0.001 (trial)",
    }
    progress.add({"what": "point", "step": 0, "held_out": 0.198})
    progress.add({"what": "point", "step": 3, "held_out": 0.19, "speed": 1.0})
    panel.refresh()
    assert panel.figures["rate"].text() == "0.00033", "the best one tried"
    assert plain(panel.figures["left"].text()) == "40 s", "as the status bar"


def report(show, **more):
    given = {"metrics": [], "risks": [], "notes": [], "losses": {}, "changed": True} | more
    return show(RecoveryReportDialog(RecoveryProgress.of(POINTS, 5), sentence="Done.", **given))


def test_a_report_names_the_stages_that_changed_the_error(show, english):
    losses = {"pruned": 2.0, "start": 0.5, "windows": 0.6, "best": 0.25, "rounded": 0.25}
    first = report(show, losses=losses)
    assert first.losses.text() == (
        "Held-out error: 2.00 before → 0.50 after the repair → 0.60 after the blocks (not used) → "
        "0.25 after the whole model"
    )
    losses = {"pruned": 0.5, "start": 0.5, "windows": 0.4, "best": 0.25, "rounded": 0.26}
    second = report(show, losses=losses)
    assert second.losses.text() == (
        "Held-out error: 0.50 before → 0.40 after the blocks → 0.25 after the whole model → "
        "0.26 stored"
    )


def test_a_report_names_the_step_of_the_best_weights(show, english):
    """Regression: the result was 0.25, while the last point of the curve was 0.3."""
    losses = {"pruned": 0.5, "start": 0.5, "best": 0.25, "rounded": 0.25}
    later = {"what": "point", "step": 9, "training": 1.0, "held_out": 0.3}
    given = {"metrics": [], "risks": [], "notes": [], "losses": losses, "changed": True}
    progress = RecoveryProgress.of([*POINTS, later], 9)
    dialog = show(RecoveryReportDialog(progress, sentence="Done.", **given))
    assert dialog.losses.text() == (
        "Held-out error: 0.50 before → 0.25 after the whole model (the best, at step 5)"
    )
    progress.add({"what": "point", "step": 12, "held_out": 0.25})
    dialog = show(RecoveryReportDialog(progress, sentence="Done.", **given))
    assert not dialog.losses.text(), "it is the last point: the title states both errors"


def test_a_report_says_why_a_smaller_error_of_an_earlier_step_is_not_used(show, english):
    losses = {"pruned": 0.5, "start": 0.5, "best": 0.3, "rounded": 0.3}
    later = {"what": "point", "step": 9, "training": 1.0, "held_out": 0.3}
    given = {"metrics": [], "risks": [], "notes": [], "losses": losses, "changed": True}
    progress = RecoveryProgress.of([*POINTS, later], 9)
    dialog = show(RecoveryReportDialog(progress, sentence="Done.", **given))
    assert dialog.advice.isVisible()
    assert dialog.advice.text() == (
        "The error was smaller at step 5, 0.25, but that is within the noise of the held-out "
        "samples: the weights of the last step are used."
    )
    progress.add({"what": "point", "step": 12, "held_out": 0.2})
    given["losses"] = {**losses, "best": 0.2, "rounded": 0.2}
    dialog = show(RecoveryReportDialog(progress, sentence="Done.", **given))
    assert not dialog.advice.text(), "the last step has the smallest error"


def test_a_report_without_curves_is_as_high_as_its_texts(show, english):
    """Regression: the report of a train() that yields nothing was empty from its third line on."""
    given = {"metrics": ["Equal."], "risks": [], "notes": ["Note."], "losses": {}, "changed": True}
    dialog = show(RecoveryReportDialog(RecoveryProgress.of([], 0), sentence="Done.", **given), 0, 0)
    assert not dialog.curves.isVisible()
    assert dialog.height() < 12 * dialog.fontMetrics().lineSpacing()


def test_five_blocks_need_no_scroll_bar(show, english):
    """Regression: three of five rows were visible."""
    blocks = [{"what": "window", "name": f"b{n}", "before": 0.3, "after": 0.2} for n in range(5)]
    given = {"metrics": ["Equal."], "risks": [], "notes": ["Note."], "losses": {}, "changed": True}
    progress = RecoveryProgress.of([*blocks, *POINTS], 5)
    dialog = show(RecoveryReportDialog(progress, sentence="Done.", **given))
    dialog.resize(760, 600)
    assert not dialog.table.verticalScrollBar().maximum()


def test_the_training_loss_has_an_axis_of_its_own(show, english, qtbot):
    """Regression: it was drawn with the held-out error on an axis with the title "error"."""
    view = report(show).curves
    assert view.canvas.left.labelText == "held-out error"
    assert plain(view.readout.text()) == "Step 5: held-out error 0.25"
    view.group_box.setFocus()
    qtbot.keyClick(view.group_box, Qt.Key.Key_Down)
    assert view.canvas.left.labelText == "training loss"
    assert plain(view.readout.text()) == "Step 5: training loss 2"


def test_a_report_shows_that_only_the_repair_was_kept(show, english):
    losses = {"pruned": 2.0, "start": 0.5, "windows": 0.6, "best": 0.5, "rounded": 0.5}
    block = {"what": "window", "name": "0", "before": 0.3, "after": 0.2}
    given = {"metrics": [], "risks": [], "notes": [], "losses": losses, "changed": True}
    progress = RecoveryProgress.of([block, *POINTS], 5)
    dialog = show(RecoveryReportDialog(progress, sentence="Done.", **given))
    assert dialog.losses.text() == (
        "Held-out error: 2.0 before → 0.5 after the repair → 0.6 after the blocks (not used) → "
        "0.5 kept"
    )
    assert "0\t0.3\t0.2\tyes (not used)" in dialog.as_text()


MORE = "try more steps, or a smaller learning rate"
SMALLER = "try more steps, or a learning rate that is smaller than 0.003, which was used."


@pytest.mark.parametrize(
    ("errors", "rates", "advice"),
    [
        (
            (0.5, 0.9, 0.7),
            (),
            "0.7, at step 2 of 2. The error was still falling at the end: train with more steps.",
        ),
        ((0.5, 0.6, 0.8), (0.003, 0.01), f"0.6, at step 1 of 2. At the end it was 0.8: {SMALLER}"),
        ((0.5, 0.6, 0.8), (), f"0.6, at step 1 of 2. At the end it was 0.8: {MORE}."),
    ],
)
def test_a_training_without_improvement_advises_what_to_change(
    show, english, errors, rates, advice
):
    """Regression: only the error before it was named."""
    events = [{"what": "rate", "lr": rate, "error": rate} for rate in rates]
    events += [{"what": "point", "step": n, "held_out": e} for n, e in enumerate(errors)]
    losses = {"pruned": 0.5, "start": 0.5, "best": 0.5, "rounded": 0.5}
    given = {"metrics": [], "risks": [], "notes": [], "losses": losses, "changed": False}
    dialog = show(RecoveryReportDialog(RecoveryProgress.of(events, 2), sentence="No.", **given))
    assert dialog.advice.text() == f"The smallest error after training was {advice}"
    assert dialog.advice.text() in dialog.as_text()
    assert not report(show, losses={**losses, "rounded": 0.4}).advice.isVisible()


def test_without_an_improvement_there_is_nothing_to_undo(show, english):
    dialog = report(show, changed=False)
    assert dialog.windowTitle() == "Not recovered"
    assert dialog.undo.isHidden()
    assert dialog.evaluate.isHidden()
    assert not dialog.copy.isHidden()
    assert "step\theld-out error\ttraining loss\n0\t0.5\t\n5\t0.25\t2" in dialog.as_text()


def test_the_name_of_the_script_that_evaluates_is_shown_whole(dialog, qtbot):
    """Regression: it was elided in the middle of the name."""
    name = "a_rather_long_name_of_a_script.py"
    by = f"by evaluate() of {name}"
    dialog.set_functions(distills=True, trains=True, evaluated_by=by, found=True)
    label = dialog.evaluated_by
    width = label.fontMetrics().horizontalAdvance(f"…{name}")
    assert label.shortened(width + 1) == f"…{name}"
