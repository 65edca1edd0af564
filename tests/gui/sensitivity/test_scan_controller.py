"""A scan by menu, mouse and keys: its cells, clicks on them, and which results Esc keeps."""

from __future__ import annotations

import threading

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QLocale, QPoint, Qt
from PySide6.QtWidgets import QPushButton

from pruneapp.document.entries import RecoverySource
from pruneapp.edits.repaired_values import RepairedValues, as_values
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.report.results import KeptScan
from pruneapp.evaluation.scan import AMOUNTS, read_amounts
from pruneapp.evaluation.scan_file import ScanMetric
from pruneapp.gui.evaluation.source_choice import DataKind
from pruneapp.gui.mainwindow import job_list
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.sensitivity import scan_controller
from pruneapp.gui.sensitivity.dialogs import plain_amounts
from pruneapp.gui.sensitivity.scan_controller import losses_of
from pruneapp.gui.tree.cell_text import DANGER_ROLE
from pruneapp.gui.tree.columns import Column
from pruneapp.progress import Job
from pruneapp.sessions.journal import folder
from pruneapp.statistics.file import Inputs, Origin, save_statistics
from tests.evaluation.scans import made_scan
from tests.gui.event_loop_delay import Stopwatch
from tests.gui.script_runner import LocalRunner
from tests.gui.sensitivity.conftest import FIRST, SECOND
from tests.gui.user import node_named, plain


def save_and_close(opened, file):
    """Save the session to a file, and close the open file."""
    opened.chooses_file(file, "getSaveFileName")
    opened.key("Ctrl+S")
    opened.wait_idle()
    opened.key("Ctrl+W")
    opened.wait(lambda: opened.document is None)
    opened.wait_idle()


@pytest.mark.parametrize(
    ("language", "text", "amounts"),
    [
        ("en_US", "50, 80,95", "50%, 80%, 95%"),
        ("en_US", "0.5;90 %、100", "50%, 90%, 100%"),
        ("en_US", "0.5, 0", "50%, 0"),
        ("en_US", "50, x", "50%, x"),
        ("de_DE", "12,5 %, 0,5, 80", "12.5%, 50%, 80%"),
        ("de_DE", "30%,50%", "30%, 50%"),
    ],
)
def test_amounts_are_read_as_in_the_form(language, text, amounts):
    before = QLocale()
    QLocale.setDefault(QLocale(language))
    try:
        assert plain_amounts(text) == amounts
    finally:
        QLocale.setDefault(before)


def test_a_scan_is_chosen_measured_and_shown(scans, opened, runners):
    assert "Press Scan…" in scans.view._message.text()
    assert not scans.view.allocate.isEnabled()
    dialog = scans.ask()
    assert dialog.amounts == "30%, 50%, 70%, 85%, 95%"
    assert dialog.estimate.text().startswith("2 checked tensors × 5 amounts: 10 evaluations. How")
    for typed, wrong in (
        ("30, 500", "'500'"),
        ("abc", "'abc'"),
        ("50%, 120%", "'120%'"),
        ("0.5, 0", "'0'"),
        ("0%", "'0%'"),
        (",", "''"),
        ("20, 101, 102, 30; 103, 104, 105", "'101', '102', '103' and 2 more"),
    ):
        opened.type(dialog.fractions, typed)
        assert dialog.estimate.text() == (
            "✕ Amounts must be fractions of each tensor, such as 0.5 or 50%: above 0, up to 100% "
            f"(got {wrong}). Separate several by commas: 30%, 50%, 70%."
        )
        assert not dialog.go.isEnabled()
    opened.type(dialog.fractions, "0.5, 100%")
    assert "2 amounts" in dialog.estimate.text()
    opened.type(dialog.fractions, "50, 80, 95")
    assert read_amounts(dialog.amounts) == (0.5, 0.8, 0.95), "as the form reads them"
    for text in ("0.5，100%", "50%、70%、100%"):
        dialog.fractions.setText(text)
        assert read_amounts(dialog.amounts)[-1] == 1
    opened.click(dialog.leave)
    scans.scan()
    (runner,) = runners
    assert [{n: s for n, s in shares.items() if s} for shares in runner.measured[3:]] == [
        {FIRST: 0.9},
        {SECOND: 0.9},
        {FIRST: 0.5},
        {SECOND: 0.5},
    ], "coarse amounts first, starting with the largest tensor"
    assert opened.views.pages.page is Page.SENSITIVITY
    assert scans.cells == [["+0.50", "+0.90"], ["+0.050", "+0.090"]]
    assert opened.document.position == 0, "the document is unchanged"
    rows = [list(row) for row in scans.view.numbers()]
    assert rows[0][:2] == [FIRST, 40]
    assert rows[0][2:] == pytest.approx([1.5, 1.9])
    assert opened.trouble == []
    assert opened.window.done.label.text() == "Scan finished: 4 of 4 evaluations."
    dialog = scans.ask()
    opened.type(dialog.fractions, "30%, 50%, 70%, 85%, 95%")
    opened.wait(lambda: "About" in dialog.estimate.text())
    assert plain(dialog.estimate.text()) == (
        "2 checked tensors × 5 amounts: 8 evaluations are left, 2 measured already. About 2 s: "
        "the last evaluation took 0.25 s."
    )
    opened.click(dialog.leave)
    # Loaded masks check their tensors while the form uses them.
    opened.workbench.form.request_masked([SECOND])
    assert opened.views.tree.checked_names() == (SECOND,)
    dialog = scans.ask()
    assert dialog.estimate.text().startswith("1 checked tensor ×")
    opened.click(dialog.leave)


def test_the_states_that_a_scan_measured_have_their_result(scans, opened, runners):
    prune(opened)
    scans.scan()
    qualities = [opened.workbench.evaluation.quality_of(key) for key in keys(opened)]
    assert [quality.metric("loss").value for quality in qualities] == pytest.approx([1, 1.11])
    before = len(runners[0].measured)
    opened.menu("Tools", "Evaluate all states")
    opened.wait_idle()
    assert len(runners[0].measured) == before, "nothing is measured twice"
    assert opened.window.done.label.text() == "All states have been evaluated already."


def keys(opened):
    return [None, *(record.key for record in opened.document.history.records)]


def test_the_amounts_are_offered_as_they_are_read_in_chinese_too(scans, chinese):
    assert read_amounts(scans.ask().fractions.text()) == AMOUNTS


def rules(opened):
    return [row.pattern for row in opened.workbench.form.step().rows]


def test_a_click_on_a_cell_makes_a_rule_for_its_tensor_and_leaves_the_check_marks(scans, opened):
    """The settings that cells replaced come back by a button."""
    scans.scan()
    opened.ask_amount("37%")
    before = opened.workbench.form.step()
    assert scans.view.restore.isHidden()
    scans.click(1, 0)
    opened.wait(lambda: rules(opened) == [SECOND])
    assert scans.view.restore.isVisible()
    assert opened.views.tree.checked_names() == (FIRST, SECOND)
    assert opened.rule.fields.editors["amount"].value() == 0.5
    assert opened.views.pages.page is Page.SENSITIVITY
    assert opened.views.pages.heading.name.text() == SECOND
    report = opened.wait_preview()
    assert [tensor.name for tensor in report.tensors] == [SECOND]
    canvas = scans.view.canvas
    canvas.setFocus()
    for key in ("Up", "Right", "Return"):
        opened.key(key, canvas)
    opened.wait(lambda: rules(opened) == [FIRST])
    assert opened.rule.fields.editors["amount"].value() == 0.9
    assert plain(scans.view.readout.text()) == "first.weight, 90 % pruned:  loss 1.9, 0.9 worse"
    dialog = scans.ask()
    assert dialog.estimate.text().startswith("2 checked tensors"), "as for the first scan"
    opened.click(dialog.leave)
    opened.click(scans.view.restore)
    opened.wait(lambda: opened.workbench.form.step() == before)
    assert scans.view.restore.isHidden()
    scans.click(1, 0)
    opened.ask_amount("12%")
    opened.wait(scans.view.restore.isHidden)  # the later changes of the user are kept


def test_a_step_by_a_cell_is_marked_as_chosen_by_the_data_of_the_scan(scans, opened, runners):
    """As for an allocation: when it is measured with the same data, and in exports."""
    scans.scan()
    scans.click(1, 0)
    opened.wait(lambda: rules(opened) == [SECOND])
    data = opened.workbench.scans.kept.scan.chosen_by
    assert data
    assert opened.workbench.form.step().data == data
    opened.ask_amount("60%")
    assert opened.workbench.form.step().data == data, "another amount of the tensor is still marked"
    opened.wait_preview()
    opened.click(opened.button)
    opened.wait(lambda: opened.document.position == 1)
    assert opened.workbench.evaluation.calibrated_with(1) == frozenset(data)
    assert not opened.workbench.scans.kept.scan.calibrated
    scans.scan()  # of the state that the data chose
    assert opened.workbench.scans.kept.scan.calibrated
    qualities = [opened.workbench.evaluation.quality_of(key) for key in keys(opened)]
    assert [quality.metric("loss").calibrated for quality in qualities] == [False, True]
    assert not any("▲" in cell or "†" in cell for row in scans.cells for cell in row)
    assert (
        "used to calibrate or to choose the amounts." in opened.views.pages.sensitivity.about.text()
    )
    opened.workbench.form.restore()
    opened.wait(lambda: rules(opened) != [SECOND])
    assert opened.workbench.form.step().data == ()


def test_esc_keeps_what_was_measured_and_the_next_scan_continues(scans, opened, runners):
    scans.scan("90%")
    (runner,) = runners
    runner.most = len(runner.measured) + 1
    scans.begin("10%, 50%")
    opened.wait(lambda: runner.gate.closed and runner.gate.running)
    opened.wait(lambda: scans.cells == [["", "+0.50", "+0.90"], ["", "", "+0.090"]])
    assert "Sensitivity scan" in opened.window.job_status.label.text()
    assert "3 of 6 evaluations measured" in scans.view.readout.text()
    assert "not measured" in [swatch.label for swatch in scans.view.legend.entries]
    took = Stopwatch()
    opened.key("Esc")
    assert not opened.workbench.jobs.busy
    assert took.seconds < 0.25
    assert opened.window.done.label.text().startswith("Scan stopped after 3 of 6 evaluations;")
    assert scans.cells == [["", "+0.50", "+0.90"], ["", "", "+0.090"]]
    opened.wait_idle()
    runner.most, runner.gate.closed = None, False
    before = len(runner.measured)
    scans.scan("10%, 50%")
    assert scans.cells == [["+0.10", "+0.50", "+0.90"], ["+0.010", "+0.050", "+0.090"]]
    assert len(runner.measured) == before + 3
    assert len(runners) == 1, "the process is reused"

    prune(opened)
    runner.most = len(runner.measured)
    scans.begin("20%")
    opened.wait(lambda: runner.gate.closed)
    opened.key("Esc")
    assert opened.window.done.label.text() == "Scan stopped: nothing was measured."
    runner.gate.closed = False
    opened.wait_idle()


def test_a_scan_that_was_cancelled_by_mistake_can_be_resumed(scans, opened, runners, monkeypatch):
    monkeypatch.setattr(job_list, "_OFFER_AFTER_S", 0.0)
    scans.scan("90%")
    (runner,) = runners
    runner.most = len(runner.measured) + 1
    scans.begin("10%, 50%")
    opened.wait(lambda: runner.gate.closed and runner.gate.running)
    opened.wait(lambda: scans.cells == [["", "+0.50", "+0.90"], ["", "", "+0.090"]])
    opened.key("Esc")
    (text,) = opened.notices
    assert text.startswith("'Sensitivity scan' was cancelled after ")
    assert text.endswith(" It can be resumed.")
    opened.wait_idle()
    runner.most, runner.gate.closed = None, False
    before = len(runner.measured)

    assert opened.window.notices.notices[0].action.text() == "Resume"
    opened.click(opened.window.notices.notices[0].action)

    opened.wait(
        lambda: scans.cells == [["+0.10", "+0.50", "+0.90"], ["+0.010", "+0.050", "+0.090"]]
    )
    opened.wait_idle()
    assert len(runner.measured) == before + 3
    assert not opened.notices


def test_the_dialog_counts_what_is_left_of_the_scan_that_it_continues(
    scans, opened, runners, monkeypatch, tmp_path
):
    stop(scans, opened, runners, monkeypatch, after=4, amounts="10%, 50%, 90%")
    dialog = scans.ask()
    opened.type(dialog.fractions, "10%, 50%, 90%")
    assert plain(dialog.estimate.text()).startswith(
        "2 checked tensors × 3 amounts: 2 evaluations are left, 4 measured already. About 1 s: the"
    )
    opened.type(dialog.fractions, "50%")
    assert dialog.estimate.text() == (
        "2 checked tensors × 1 amount: all evaluations (2) are measured already."
    )
    opened.choose(dialog.methods, "Random unstructured")
    assert "× 1 amount: 2 evaluations. About 1 s" in plain(dialog.estimate.text())
    opened.click(dialog.leave)
    file = tmp_path / "work.prune"
    save_and_close(opened, file)
    opened.open(file)
    opened.wait(lambda: scans.cells)
    dialog = scans.ask()
    opened.type(dialog.fractions, "50%, 60%")
    words = (
        "4 evaluations. 2 of 4 are measured already, and kept if script, Python and options are "
        "the same. How long"
    )
    assert words in dialog.estimate.text()
    opened.click(dialog.leave)


def test_scans_with_another_limit_or_seed_are_others_and_told_apart(scans, opened, runners):
    scans.scan("50%", limit="20")
    scans.scan("50%", limit="20", seed="3")
    box = scans.view.scan_box
    labels = [plain(box.itemText(row)) for row in range(box.count())]
    assert [label.partition(", ")[2] for label in labels] == [
        "at most 20 samples",
        "at most 20 samples, seed 3",
    ]
    dialog = scans.ask(limit="20")
    opened.type(dialog.fractions, "50%, 60%")
    words = "2 evaluations are left, 2 measured already."
    opened.wait(lambda: words in plain(dialog.estimate.text()))
    opened.type(dialog.choice.limit, "1")
    opened.wait(lambda: "4 evaluations. How long" in plain(dialog.estimate.text()))
    opened.click(dialog.leave)
    before = len(runners)
    scans.scan("50%, 60%", limit="20")
    assert len(runners) == before, "the process of the first scan is used again"
    assert len(runners[0].measured) == 3 + 2 + 2, "the unpruned model, and the missing cells"
    assert box.count() == 2


def test_what_was_measured_while_it_was_stopped_is_counted_everywhere(
    scans, opened, runners, monkeypatch
):
    scans.scan("90%")
    (runner,) = runners
    come, go_on = threading.Event(), threading.Event()

    def wait(_job):  # ignores cancellation
        come.set()
        go_on.wait(5)

    monkeypatch.setattr(runner.gate, "wait", wait)
    scans.begin("50%")
    opened.wait(come.is_set)
    opened.key("Esc")
    assert opened.window.done.label.text().startswith("Scan stopped after 2 of 4 evaluations;")
    go_on.set()
    opened.wait(lambda: scans.cells == [["+0.50", "+0.90"], ["", "+0.090"]])
    opened.wait_idle()
    assert opened.window.done.label.text().startswith("Scan stopped after 3 of 4 evaluations;")
    assert "3 of 4 evaluations measured" in scans.view.readout.text()


def stop(scans, opened, runners, monkeypatch, *, after, amounts="50%, 90%"):
    """Start a scan with a new process, and press Esc after some evaluations."""

    make = LocalRunner.__init__

    def make_waiting(runner, *args):
        make(runner, *args)
        runner.most = 3 + after  # after those of the unpruned model

    with monkeypatch.context() as patch:
        patch.setattr(LocalRunner, "__init__", make_waiting)
        patch.setattr(scan_controller, "_PAUSE_FACTOR", 1e6)  # a stopped scan is still shown
        scans.begin(amounts)
        opened.wait(lambda: runners and runners[-1].gate.closed and runners[-1].gate.running)
    scan = opened.workbench.scans
    opened.wait(lambda: scan.kept is not None and scan.kept.scan.measured == after)
    opened.key("Esc")
    opened.wait_idle()


def change(script, opened, text):
    script.write_text(text)
    opened.window.activated.emit()
    opened.wait_idle()


def test_of_the_scans_of_a_state_that_of_the_script_in_use_is_shown(
    scans, opened, runners, monkeypatch, script, tmp_path
):
    scans.scan()
    whole, first = scans.cells, script.read_text()
    change(script, opened, f"{first}\n")
    stop(scans, opened, runners, monkeypatch, after=1)
    box = scans.view.scan_box
    assert scans.cells == [["", "+0.90"], ["", ""]]
    assert [box.itemText(n) for n in range(box.count())] == [
        "Opened; L1 unstructured (magnitude)",
        "Opened; L1 unstructured (magnitude), 1 of 4 evaluations",
    ]
    change(script, opened, first)
    assert scans.cells == whole, "the complete one of the old scans"
    opened.key("Ctrl+M")
    evaluation, question = opened.workbench.evaluation, opened.workbench.scripts
    opened.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    opened.type(evaluation.dialog.choice.fields[DataKind.SCRIPT], str(script))
    opened.wait(evaluation.dialog.go.isEnabled)
    opened.click(evaluation.dialog.go)
    opened.wait(lambda: question.dialog is not None or "Measured" not in scans.view.about.text())
    if question.dialog is not None:
        opened.wait(question.dialog.isVisible)
        opened.click(question.dialog.go)
    opened.wait(lambda: "Measured" not in scans.view.about.text())
    assert scans.cells == whole
    opened.choose(box, "Opened; L1 unstructured (magnitude), 1 of 4")
    assert scans.view.about.text().startswith("Scanned state: Opened (current state). Method: L1")
    assert "Measured with another script" in scans.view.about.text()
    prune(opened)
    opened.key("Ctrl+Z")
    opened.wait(lambda: opened.document.position == 0)
    assert scans.cells == [["", "+0.90"], ["", ""]], "the user's choice is kept"
    file = tmp_path / "work.prune"
    save_and_close(opened, file)
    opened.open(file)
    opened.wait(lambda: scans.cells == whole)


def test_the_method_of_the_form_is_proposed_for_each_scan(scans, opened):
    """Regression: the method of the scan before was proposed, or the first one of the list."""
    scans.scan("50%")
    opened.choose(opened.rule.method, "Random")
    opened.ask_amount("")
    dialog = scans.ask()
    assert dialog.methods.currentText().startswith("Random"), "the amount is not needed"
    assert dialog.fractions.text() == "50%", "the rest is that of the scan before"
    opened.click(dialog.leave)


def test_each_tensor_is_repaired_by_statistics_that_are_loaded(scans, opened, runners, tmp_path):
    dialog = scans.ask()
    assert not dialog.repair.isEnabled(), "nothing is loaded"
    assert dialog.no_repair.isVisible()
    assert dialog.no_repair.text().startswith("Needs statistics of activations with Gram matrices")
    opened.click(dialog.leave)
    weights = {FIRST: Inputs(np.full((1, 8), 2.0), None, np.ones(1))}
    save_statistics(tmp_path / "bare.safetensors", weights, Origin(), Job())
    opened.workbench.form.load("statistics", tmp_path / "bare.safetensors")
    opened.wait(lambda: opened.workbench.form.statistics)
    bare = opened.workbench.form.statistics
    dialog = scans.ask()
    assert dialog.no_repair.text() == "The loaded statistics have no Gram matrices."
    assert not dialog.repair.isEnabled()
    opened.click(dialog.leave)
    path, gram = tmp_path / "s.safetensors", np.eye(8) + 1
    save_statistics(path, weights, Origin(), Job(), grams={FIRST: [gram]})
    opened.workbench.form.load("statistics", path)
    opened.wait(lambda: opened.workbench.form.statistics not in {"", bare})
    dialog = scans.ask()
    assert dialog.repair.isEnabled()
    assert dialog.no_repair.isHidden()
    opened.choose(dialog.methods, "Wanda (per tensor)")
    assert dialog.estimate.text().startswith("Statistics file: s.safetensors. 2 checked tensors")
    opened.choose(dialog.methods, "L1 unstructured (magnitude)")
    assert "Statistics" not in dialog.estimate.text(), "neither method nor repair uses them"
    opened.click(dialog.repair, QPoint(8, dialog.repair.height() // 2))
    assert "Statistics file: s.safetensors." in dialog.estimate.text()
    opened.type(dialog.fractions, "50%")
    opened.click(dialog.go)
    opened.wait(lambda: opened.workbench.scripts.dialog is not None)
    opened.wait(opened.workbench.scripts.dialog.isVisible)
    opened.click(opened.workbench.scripts.dialog.go)
    opened.wait(lambda: opened.workbench.scans.dialog is None)
    opened.wait_idle()
    (runner,) = runners
    assert runner.repaired[-2:] == [{FIRST}, set()]
    about = "Method: L1 unstructured (magnitude), repaired, with s.safetensors."
    assert about in scans.view.about.text()


def prune(opened, amount="10 %"):
    opened.ask_amount(amount)
    opened.wait_preview()
    opened.click(opened.button)
    opened.wait(lambda: opened.document.position > 0)


def test_over_another_state_a_scan_is_gray_and_its_cells_set_nothing(scans, opened, tmp_path):
    scans.scan()
    red = scans.view.canvas.fill(1.0)
    assert scans.view.about.text().startswith("Scanned state: Opened (current state). Method: L1")
    prune(opened)
    assert scans.view.canvas.fill(1.0) != red
    assert scans.view.about.text().startswith("Scanned state: Opened (not the current state).")
    before = opened.views.tree.checked_names(), opened.rule.fields.editors["amount"].value()
    scans.click(1, 0)
    words = "These results are of another state, so a click does not set the form."
    opened.wait(lambda: opened.notices == [words])
    assert not opened.trouble
    opened.views.pages.tabs.setCurrentIndex(Page.QUALITY)
    assert not opened.notices, "it ends when the tab is left"
    opened.views.pages.tabs.setCurrentIndex(Page.SENSITIVITY)
    after = opened.views.tree.checked_names(), opened.rule.fields.editors["amount"].value()
    assert after == before
    scans.click(1, 0)
    opened.wait(lambda: opened.notices == [words])
    opened.click(
        next(
            button
            for button in opened.window.findChildren(QPushButton)
            if button.isVisible() and button.text() == "Go to this state"
            if button is not scans.view.go_there
        )
    )
    opened.wait(lambda: opened.document.position == 0)
    assert not opened.notices
    prune(opened)
    opened.click(scans.view.go_there)
    opened.wait(lambda: opened.document.position == 0)
    assert scans.view.canvas.fill(1.0) == red
    assert scans.view.go_there.isHidden()

    # Each state keeps its scans, and so does a session.
    dialog = scans.ask()
    assert dialog.state.isHidden(), "nothing is pruned"
    opened.click(dialog.leave)
    opened.key("Ctrl+Shift+Z")
    opened.wait(lambda: opened.document.position == 1)
    dialog = scans.ask()
    assert plain(dialog.state.text()).startswith(
        "The current state, 1: L1 10 % on 2 tensors, is 10.0 % pruned. Amounts are fractions of "
        "the remaining weights of each tensor in it. To scan the unpruned model, go to 'Opened'"
    )
    assert dialog.state.isVisible()
    opened.click(dialog.leave)
    scans.scan("50%")
    assert scans.view.about.text().startswith("Scanned state: 1: ")
    second = scans.cells
    opened.key("Ctrl+Z")
    opened.wait(lambda: len(scans.cells[0]) == 2)
    assert scans.view.about.text().startswith("Scanned state: Opened (current state).")
    file = tmp_path / "work.prune"
    save_and_close(opened, file)
    opened.open(file)
    opened.wait(lambda: len(scans.cells) == 2)
    assert len(scans.cells[0]) == 2, "that of the current state"
    opened.key("Ctrl+Shift+Z")
    opened.wait(lambda: scans.cells == second)


def test_another_metric_is_shown_and_a_changed_script_greys_all(scans, opened, script, runners):
    scans.scan()
    assert scans.view.metric_box.currentText() == "loss", "it is better if lower"
    opened.choose(scans.view.metric_box, "accuracy")
    assert scans.cells == [["−5.0", "−9.0"], ["0", "0"]]
    red = scans.view.canvas.fill(1.0)
    script.write_text(script.read_text() + "\n")
    opened.window.activated.emit()
    opened.wait(lambda: scans.view.canvas.fill(1.0) != red)
    assert "Measured with another script" in scans.view.about.text()
    opened.wait_idle()
    scans.scan()
    assert scans.view.canvas.fill(1.0) == red
    assert len(runners) == 2


def test_a_session_keeps_the_scan_and_runs_nothing(scans, opened, runners, tmp_path):
    scans.scan()
    before = scans.cells
    file = tmp_path / "work.prune"
    (good,) = msgspec.to_builtins(opened.workbench.scans.read()["sensitivity"])
    save_and_close(opened, file)
    assert scans.cells == []
    assert runners[0].closed
    assert opened.workbench.scans.read() == {}
    for kept in (1, {}, {**good, "scan": {}}, {**good, "scan": {**good["scan"], "amounts": [0.2]}}):
        opened.workbench.scans.show({"sensitivity": kept})
        assert opened.workbench.scans.kept is None, "it makes no sense"
    opened.workbench.sessions._write_timer.setInterval(20)
    opened.open(file)
    opened.wait(lambda: scans.cells == before)
    assert (
        "Measured before this file was opened. These results apply again" in scans.view.about.text()
    )
    assert "another script" not in scans.view.about.text(), "none is chosen"
    assert len(runners) == 1
    opened.wait_idle()
    opened.wait(lambda: is_kept(opened))
    assert journals() == [], "it was only opened"


@pytest.mark.usefixtures("histories_off")
def test_a_scan_that_no_session_has_is_unsaved(scans, opened, runners, tmp_path):
    """Regression: it was lost without a question, although session files store it."""
    window, file = opened.window, tmp_path / "work.prune"
    scans.scan("90%")
    assert window.windowTitle() == "model.safetensors[*] — Pruneapp"
    asked = opened.answers("Cancel")
    assert not window.close()
    assert asked[0].startswith(
        "Metrics and scans have not been saved. Save a session to keep them."
    )
    save_and_close(opened, file)  # asks nothing
    opened.open(file)
    opened.wait(lambda: scans.cells)
    opened.key("7")
    assert window.windowTitle() == "work.prune — Pruneapp"
    scans.scan("90%")  # all cells are cached
    assert window.windowTitle() == "work.prune — Pruneapp"
    scans.scan("50%, 90%")
    assert window.windowTitle() == "work.prune[*] — Pruneapp"
    asked = opened.answers("Save session")
    opened.key("Ctrl+W")
    opened.wait(lambda: opened.document is None)
    assert asked[0].startswith("Metrics and scans have not been saved in 'work.prune'.")


@pytest.mark.usefixtures("histories_off")
def test_closing_the_file_ends_a_scan_and_its_process(scans, opened, runners):
    scans.scan("90%")
    runners[0].most = len(runners[0].measured)
    scans.begin("50%")
    opened.wait(lambda: runners[0].gate.closed and opened.workbench.jobs.busy)
    opened.answers("Cancel job", "Discard changes")
    opened.key("Ctrl+W")
    opened.wait(lambda: opened.document is None)
    opened.wait_idle()
    opened.wait(lambda: runners[0].closed)
    assert scans.cells == []
    assert "stopped" not in opened.window.done.label.text(), "of a file that is not open"
    assert opened.bugs == []


def test_a_scan_with_another_method_begins_anew_and_the_first_can_be_looked_at(
    scans, opened, runners
):
    scans.scan()
    first, (runner,) = scans.cells, runners
    runner.most = len(runner.measured) + 1
    dialog = scans.ask()
    opened.choose(dialog.methods, "Random unstructured")
    opened.type(dialog.fractions, "30%, 60%")
    opened.click(dialog.go)
    opened.wait(lambda: "Method: Random unstructured." in scans.view.about.text())
    opened.wait(lambda: runner.gate.closed)
    opened.choose(scans.view.scan_box, "Opened; L1 unstructured")
    runner.most, runner.gate.closed = None, False
    opened.wait_idle()
    assert scans.cells == first
    opened.choose(scans.view.scan_box, "Opened; Random unstructured")
    assert scans.cells == [["+0.30", "+0.60"], ["+0.030", "+0.060"]]
    assert "Method: Random unstructured." in scans.view.about.text()


def test_what_fails_is_said_and_nothing_checked_is_nothing_to_scan(
    scans, opened, runners, tmp_path
):
    scans.scan()
    opened.chooses_file(tmp_path / "work.prune", "getSaveFileName")
    opened.key("Ctrl+S")
    opened.wait(lambda: not opened.window.isWindowModified())
    runners[0].error = EvaluationError("The script raised ValueError.", remedy="Correct it.")
    scans.scan("30%")
    assert opened.trouble == ["The script raised ValueError. Correct it."]
    assert scans.cells[0] == ["", "+0.50", "+0.90"]
    assert not opened.window.isWindowModified(), "nothing was measured"
    opened.choose(scans.view.metric_box, "accuracy")
    assert not opened.window.isWindowModified(), "that is the view alone"
    opened.key("Ctrl+Shift+A")
    opened.menu("Tools", "Scan sensitivity")
    opened.wait(lambda: "No tensor is checked" in str(opened.trouble))
    assert opened.workbench.scans.dialog is None


# A crash


def journals():
    return sorted(folder().glob("*.journal")) if folder().exists() else []


def kill(user):
    """Close the window, and restore the journal that a killed one would leave."""
    (journal,) = journals()
    data = journal.read_bytes()
    user.answers("Discard changes")
    assert user.window.close()
    assert journals() == []
    (folder() / "000000000000.journal").write_bytes(data)


def restored(new_user):
    user = new_user().wait_ready()
    offer = user.window.recovery
    user.wait(offer.isVisible)
    user.click(offer.restore_buttons[0])
    user.wait(lambda: user.document is not None)
    user.wait_idle()
    return user


def is_kept(user):
    controller = user.workbench.sessions
    return not controller._write_timer.isActive() and not user.workbench.autosave._busy


def test_a_killed_window_loses_no_scan_though_nothing_was_pruned(
    scans, opened, runners, new_user, monkeypatch
):
    opened.workbench.sessions._write_timer.setInterval(20)
    runners_most(monkeypatch, 5)
    scans.begin("50%, 90%")
    opened.wait(lambda: runners and runners[0].gate.running)
    measured = [["", "+0.90"], ["", "+0.090"]]
    opened.wait(lambda: scans.cells == measured)
    opened.wait(lambda: is_kept(opened) and len(journals()) == 1)
    opened.key("Esc")
    opened.wait_idle()  # blocked at the gate: evaluations that pass it are recorded
    runners[0].gate.closed = False
    kill(opened)
    user = restored(new_user)
    canvas = user.views.pages.sensitivity.canvas
    found = [[canvas.text(r, c) for c in range(canvas.columns)] for r in range(canvas.count)]
    assert found == measured
    assert user.workbench.sessions.unsaved == ("results",)

    def is_kept_again() -> bool:  # the new journal replaces the old one
        names = [path.name for path in journals()]
        return len(names) == 1 and names != ["000000000000.journal"]

    user.wait(is_kept_again)


def runners_most(monkeypatch, most):
    real = LocalRunner.__init__

    def made(self, *given):
        real(self, *given)
        self.most = most

    monkeypatch.setattr(LocalRunner, "__init__", made)


def test_what_the_session_has_is_not_unsaved_after_a_crash(scans, opened, new_user, tmp_path):
    sessions = opened.workbench.sessions
    sessions._write_timer.setInterval(20)
    scans.scan()
    opened.chooses_file(tmp_path / "work.prune", "getSaveFileName")
    opened.key("Ctrl+S")
    opened.wait(lambda: sessions.path is not None and not sessions.unsaved)
    prune(opened)
    opened.wait(lambda: is_kept(opened) and len(journals()) == 1)
    kill(opened)
    user = restored(new_user)
    assert user.document.position == 1
    assert user.workbench.scans.kept is not None
    assert user.workbench.sessions.unsaved == ("state",)


def mark(opened, name):
    """Return the glyph of a tensor in the tree, and its tooltip."""
    model = opened.views.tree.model
    node = node_named(opened.views.tree, name)
    index = model.index_of(node).siblingAtColumn(Column.SPARSITY)
    tip = index.data(Qt.ItemDataRole.ToolTipRole)
    return index.data(DANGER_ROLE), plain(tip)


def test_the_marks_of_the_tree_follow_the_scan_where_it_has_measured(scans, opened):
    scans.scan("50%, 97%")
    opened.choose(scans.view.metric_box, "loss")
    opened.views.tree.check_all_shown()
    opened.ask_amount("97 %")
    opened.wait_preview()
    glyph, tip = mark(opened, FIRST)
    assert glyph == "▲"
    assert "pruning only this tensor made loss worse by 0.975." in tip
    assert "interpolated" not in tip
    assert mark(opened, SECOND)[0] is None, "3 % of its weights are left, but the loss is small"

    opened.ask_amount("30 %")
    opened.wait_preview()
    glyph, tip = mark(opened, FIRST)
    assert glyph == "▲"
    assert "interpolated between two measured amounts" in tip
    opened.choose(opened.rule.method, "Random unstructured")
    opened.ask_amount("97 %")
    opened.wait_preview()
    for name in (FIRST, SECOND):
        glyph, tip = mark(opened, name)
        assert glyph == "▲", "the scan has measured another method"
        assert "The quality loss is estimated, not measured." in tip

    opened.choose(opened.rule.method, "L1 unstructured")
    opened.ask_amount("50 %")
    opened.wait_preview()
    opened.click(opened.button)
    opened.wait(lambda: opened.document.position == 1)
    opened.wait_idle()
    opened.wait(lambda: mark(opened, FIRST)[0] == "▲")
    assert "made loss worse by 0.5." in mark(opened, FIRST)[1]
    opened.choose(scans.view.metric_box, "accuracy")
    opened.wait(lambda: mark(opened, FIRST)[0] is None)


def test_marks_use_the_metric_that_is_shown_and_none_that_is_zero_before():
    """Regression: agreement marked all tensors, by an error that is 0 for the unpruned model."""
    scan = made_scan({"w": (100, {0.5: 0.02})}, higher=True)
    cell = msgspec.structs.replace(scan.tensors[0].cells[0], metrics={"score": 0.98, "error": 0.3})
    tensor = msgspec.structs.replace(scan.tensors[0], cells=(cell,))
    metrics = (*scan.metrics, ScanMetric("error", higher=False, before=0.0))
    scan = msgspec.structs.replace(scan, tensors=(tensor,), metrics=metrics)
    kept = KeptScan(scan, "e" * 64, per_sample=("score", "error"))
    found = losses_of(kept)["w"]
    assert (found.metric, found.at(50), found.limit) == ("score", pytest.approx(0.02), 0.1)
    assert losses_of(kept, "error") == {}


def test_the_mark_of_a_recovered_tensor_stays_while_its_norm_is_low(scans, opened):
    """A scan of other values does not apply to it."""
    scans.scan("50%, 97%")
    opened.choose(scans.view.metric_box, "accuracy")
    opened.choose(opened.rule.method, "Random unstructured")
    opened.views.tree.check_all_shown()
    opened.ask_amount("80 %")
    opened.wait_preview()
    opened.click(opened.button)
    opened.wait(lambda: opened.document.position == 1)
    opened.wait(lambda: mark(opened, FIRST)[0] == "▲")
    checkpoint = opened.document.checkpoint

    def recover(factor):
        values = {FIRST: as_values((factor * checkpoint.read(FIRST).numpy()).view("u4"))}
        source = RecoverySource(steps=10)
        new = RepairedValues.create(opened.document.snapshot(), values, source, Job())
        assert opened.session.commit(new.propose(opened.document.snapshot(), Job()))
        opened.wait_idle()

    recover(1.01)
    opened.wait(lambda: "after repair or recovery" in mark(opened, FIRST)[1])
    assert mark(opened, FIRST)[0] == "▲"
    recover(5)
    opened.wait(lambda: mark(opened, FIRST)[0] is None)
    assert mark(opened, SECOND)[0] == "▲"
