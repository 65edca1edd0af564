"""The metric of each state in the history: by mouse, menu and keys; cached, outdated, cancelled."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog
from safetensors.numpy import save_file

from pruneapp.document.entries import RepairSource
from pruneapp.edits.repaired_values import RepairedValues, as_values
from pruneapp.evaluation import collection
from pruneapp.evaluation.collection import WeightUses
from pruneapp.evaluation.metric import Metric
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import Samples
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.document.history_model import HistoryColumn
from pruneapp.gui.evaluation import script_controller
from pruneapp.gui.evaluation.measurement import MeasuredCut, Measurement
from pruneapp.gui.evaluation.source_choice import DataKind
from pruneapp.gui.plots.pages import Page
from pruneapp.progress import Job
from tests.gui import script_runner
from tests.gui.job_gate import Gate
from tests.gui.user import plain


@pytest.fixture
def measure():
    """Return a fake measurement: of 100 samples, one is wrong for each pruned weight."""

    def found(snapshot):
        pruned = sum(snapshot.masks.counts(snapshot.masks))
        right = 100 - pruned
        return pruned, {"accuracy": Metric(right / 100, counts=(right, 100))}

    return found


@pytest.fixture
def pruned(user, tmp_path):
    """Return the user after two pruning steps."""
    path = tmp_path / "model.safetensors"
    rng = np.random.default_rng(1)
    arrays = {"0.weight": rng.normal(size=(5, 8)), "1.weight": rng.normal(size=(6, 5))}
    save_file({n: a.astype(np.float32) for n, a in arrays.items()}, path)
    user.open_file(path)
    for amount in ("10 %", "50 %"):
        prune(user, amount)
    return user


def prune(user, amount):
    revision = user.document.revision
    user.ask_amount(amount)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.revision > revision)


def choose(user, script, entry="Evaluate", *, limit="", seed="", new=True):
    """Choose a script by the menu, and confirm it if it is new."""
    evaluation, scripts = user.workbench.evaluation, user.workbench.scripts
    user.menu("Tools", entry)
    user.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    dialog = evaluation.dialog
    user.type(dialog.choice.fields[DataKind.SCRIPT], str(script))
    user.type(dialog.choice.python, sys.executable)
    for field, text in ((dialog.choice.limit, limit), (dialog.choice.seed, seed)):
        field.clear()
        user.type(field, text)
    user.wait(dialog.go.isEnabled)
    user.click(dialog.go)
    if new:
        agree(user)
    assert scripts.dialog is None
    user.wait(lambda: evaluation.dialog is None)


def agree(user):
    scripts = user.workbench.scripts
    user.wait(lambda: scripts.dialog is not None and scripts.dialog.isVisible())
    user.click(scripts.dialog.go)
    user.wait(lambda: scripts.dialog is None)


def history_metrics(user):
    """Return the metric of each state without the noise: "○" for the circle of an unknown one.

    Outdated ones are in brackets. "" without evaluations.
    """
    states = user.views.history.tree.states
    column, found = states.column_of(HistoryColumn.METRIC), []
    for state in range(len(states.items)):
        text = "" if column < 0 else plain(states.cell(state, column))
        found.append(re.sub(r" ±[\d.]+", "", text))
    return found


def click_mark(user, row):
    tree = user.views.history.tree
    index = tree.states.index_of(row, tree.states.column_of(HistoryColumn.METRIC))
    tree.scrollTo(index)
    user.click(tree.viewport(), tree.visualRect(index).center())


def spoken_text(user, row):
    return plain(user.views.history.tree.states.index_of(row).data(ROLE))


ROLE = Qt.ItemDataRole.AccessibleTextRole


def test_states_show_their_metric_and_dots_measure_the_others(pruned, runners, script):
    assert history_metrics(pruned) == ["", "", ""]
    choose(pruned, script)
    pruned.wait_idle()
    (runner,) = runners
    assert runner.measured == [0, 0, 0, 39]
    assert history_metrics(pruned) == ["100.0 %", "○", "61.0 % −39.0"]
    assert "accuracy 61.0 %, 39.0 points worse than the unpruned model" in spoken_text(pruned, 2)
    assert "not evaluated" in spoken_text(pruned, 1)
    before = history_metrics(pruned)
    pruned.key("Ctrl+Z")
    pruned.wait(lambda: pruned.document.position == 1)
    assert history_metrics(pruned) == before
    pruned.key("Ctrl+Shift+Z")
    pruned.wait(lambda: pruned.document.position == 2)
    click_mark(pruned, 1)
    pruned.wait_idle()
    assert pruned.document.position == 2, "a click on a dot does not change the state"
    label = pruned.window.done.label
    assert re.match(r"accuracy 93.0 %, 7.0 points worse \(1: L1 10 %", plain(label.text()))
    assert re.search(
        r"1: L1 10 %.*: 10.0 % pruned: accuracy 93.0 %, 7.0 points worse than the unpruned model",
        plain(label.accessibleDescription()),
    )
    assert "than the unpruned model" in label.toolTip()
    assert runner.measured[4:] == [7]
    assert history_metrics(pruned)[1] == "93.0 % −7.0"
    assert len(runners) == 1, "the process is reused"
    states = pruned.workbench.evaluation.states()
    assert [(s.kind, s.joined) for s in states] == [
        ("", -1),
        (states[1].kind, 0),
        (states[1].kind, 1),
    ]
    dense, first, second = (state.quality for state in states)
    assert (dense.unpruned, first.unpruned) == (True, False)
    assert [s.remaining for s in (dense, first, second)] == [70, 63, 31]
    # 40 and 30 weights of 4 bytes; pruned tensors have a mask of a bit per weight.
    assert [s.nbytes for s in (dense, first, second)] == [280, 4 * 63 + 5 + 4, 4 * 31 + 5 + 4]
    rows = [next(iter(row)) for row in pruned.views.pages.quality.numbers()]
    assert [label.partition(" on ")[0] for label in rows] == ["Opened", "1: L1 10 %", "2: L1 50 %"]
    pruned.key("Ctrl+Z")
    prune(pruned, "50 %")  # the same step again has the same result
    pruned.wait(lambda: history_metrics(pruned)[-1] == before[-1])
    assert len(runner.measured) == 5


def _two_metrics(snapshot):
    pruned = sum(snapshot.masks.counts(snapshot.masks))
    loss = Metric(0.018 + 0.022 * pruned)
    return pruned, {"accuracy": Metric(1.0, counts=(100, 100)), "loss": loss}


@pytest.mark.parametrize("measure", [_two_metrics])
def test_the_tooltip_of_a_state_lists_each_metric(pruned, runners, script):
    """Regression: it was "difference within noise" for a state with a large loss."""
    choose(pruned, script)
    pruned.wait_idle()
    states = pruned.views.history.tree.states
    tip = plain(states.index_of(2).data(Qt.ItemDataRole.ToolTipRole))
    assert "accuracy 100.0 %" in tip
    assert "<br>loss 0.876, 0.858 worse than the unpruned model (" in tip
    assert "loss 0.876" in spoken_text(pruned, 2)


def test_what_was_measured_with_another_limit_or_seed_is_another_result(pruned, runners, script):
    """Choosing them again restores the result; the process receives both."""
    script.write_text("def evaluate(model, limit, seed): return 1.0\n")
    choose(pruned, script)
    pruned.wait_idle()
    assert history_metrics(pruned)[2].startswith("61.0 %")
    for number, (limit, seed) in enumerate([("50", ""), ("50", "8")], 1):
        runner = runners[-1]
        runner.gate.closed = False
        choose(pruned, script, limit=limit, seed=seed, new=False)
        pruned.wait(lambda number=number: len(runners) == number + 1)
        pruned.wait_idle()
        assert runners[-1].options.limit == 50
        assert runners[-1].seeds == [int(seed or 0) + n for n in (0, 0, 1, 0)]
        assert history_metrics(pruned)[2].startswith("61.0 %"), "measured again"
    click_mark(pruned, 1)
    pruned.wait_idle()
    assert history_metrics(pruned)[1].startswith("93.0 %")
    choose(pruned, script, limit="50", new=False)
    pruned.wait_idle()
    assert history_metrics(pruned)[1] == "○", "measured with another seed"
    words = "data or options only. my_evaluation.py, at most 50 samples, seed 8: "
    assert words in spoken_text(pruned, 1)
    assert "not evaluated" not in spoken_text(pruned, 1), "it contradicts the value"
    assert "(my_evaluation.py, at most 50 samples, seed 0)" in spoken_text(pruned, 2)
    assert {state.number for state in pruned.workbench.evaluation.states()} == {0, 2}
    assert pruned.workbench.evaluation.conditions == "my_evaluation.py, at most 50 samples, seed 0"
    chosen = pruned.workbench.scripts.source("evaluation")
    assert (chosen.limit, chosen.seed) == ("50", "")


def test_the_pages_set_up_the_evaluation_and_say_what_a_limit_counts(pruned, runners, script):
    script.write_text("def evaluate(model, limit): return 1.0\n")
    evaluation, pages = pruned.workbench.evaluation, pruned.views.pages
    for page, view in ((Page.SENSITIVITY, pages.sensitivity), (Page.QUALITY, pages.quality)):
        pruned.workbench.navigation.show_page(page)
        pruned.click(view.set_up)
        pruned.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
        dialog = evaluation.dialog
        pruned.type(dialog.choice.fields[DataKind.SCRIPT], str(script))
        pruned.type(dialog.choice.limit, "50")
        found = dialog.choice.found
        pruned.wait(lambda found=found: "decides what a sample is." in found.text())
        pruned.key("Esc", dialog)
        pruned.wait(lambda: evaluation.dialog is None)


def test_the_evaluation_of_a_cut_does_not_change_the_samples_of_the_states(pruned, runners, script):
    choose(pruned, script)
    pruned.wait(lambda: pruned.workbench.evaluation.conditions)
    evaluation = pruned.workbench.evaluation
    conditions, key = evaluation.shown_conditions, next(iter(evaluation._state_hashes))
    (state, hash_), quality = next(iter(evaluation._results.items()))
    samples = Samples("lines", 200, 200, tokens=5816)  # of a smaller vocabulary
    cut = Measurement(state, hash_, replace(conditions, samples=samples), "", quality, ())

    evaluation.keep_cut(evaluation._process, key, "vocab 1976", MeasuredCut(state, cut))

    assert evaluation.cut_result(key, "vocab 1976") == (quality, False)
    assert evaluation.shown_conditions == conditions


def test_a_notice_of_an_evaluation_names_its_state(pruned, runners, script, monkeypatch):
    """A new user read of the lowest cosine, and not of which state it was."""
    measure = script_runner.LocalRunner.run

    def run(self, *given, **more):
        notice = "The lowest cosine, 0.5978, is that of sentence 73."
        return replace(measure(self, *given, **more), notices=(notice,))

    monkeypatch.setattr(script_runner.LocalRunner, "run", run)
    choose(pruned, script)
    pruned.wait_idle()
    (notice,) = pruned.window.notices.notices
    name = pruned.states[2]
    assert notice.content[0] == f"2: {name}: The lowest cosine, 0.5978, is that of sentence 73."


def test_script_and_limit_of_another_file_do_not_apply(pruned, runners, script, tmp_path):
    script.write_text("def evaluate(model, limit): return 1.0\n")
    choose(pruned, script, limit="50")
    pruned.wait_idle()
    assert pruned.workbench.scripts.source("evaluation").limit == "50"
    other = tmp_path / "other.safetensors"
    save_file({"a.weight": np.ones((2, 2), np.float32)}, other)
    pruned.answers("Discard changes")
    pruned.open(other)
    pruned.wait(lambda: pruned.document.checkpoint.path == other)
    source = pruned.workbench.scripts.source("evaluation")
    assert (source.path, source.limit) == ("", "")


def test_an_evaluation_behind_another_job_is_shown_as_queued(pruned, runners, script):
    choose(pruned, script)
    pruned.wait_idle()
    gate, jobs = Gate(closed=True), pruned.workbench.jobs
    jobs.run(gate.wait, lambda _: None, lambda _: None, title="Recovery", lane=Lane.PROGRAM)
    runners[0].gate.closed = True
    click_mark(pruned, 1)
    assert history_metrics(pruned)[1] == "queued"
    assert ", waiting to be evaluated" in spoken_text(pruned, 1)
    gate.closed = False
    pruned.wait(lambda: history_metrics(pruned)[1] == "running")
    assert ", being evaluated" in spoken_text(pruned, 1)
    prune(pruned, "20 %")
    click_mark(pruned, 3)
    assert history_metrics(pruned)[3] == "queued", "behind the evaluation of another state"
    runners[0].gate.closed = False
    pruned.wait_idle()
    assert history_metrics(pruned)[1] == "93.0 % −7.0"


def test_all_states_are_measured_and_those_that_were_stay_after_esc(pruned, runners, script):
    choose(pruned, script)
    pruned.wait_idle()
    prune(pruned, "20 %")
    runner = runners[0]
    runner.gate.closed = True
    pruned.menu("Tools", "Evaluate all states")
    pruned.wait(lambda: history_metrics(pruned)[1::2] == ["running", "queued"])
    assert ", being evaluated" in spoken_text(pruned, 1)
    assert ", waiting to be evaluated" in spoken_text(pruned, 3)
    assert "Evaluation 1 of 2" in pruned.window.job_status.label.text()
    pruned.key("Esc")
    assert not pruned.workbench.jobs.busy
    said = "Evaluation stopped: 0 of 2 states were evaluated."
    assert pruned.window.done.label.text() == said
    assert history_metrics(pruned)[1::2] == ["○", "○"]
    assert history_metrics(pruned)[2] == "61.0 % −39.0"
    runner.gate.closed = False
    pruned.menu("Tools", "Evaluate all states")
    pruned.wait_idle()
    assert "○" not in history_metrics(pruned)
    before = list(runner.measured)
    pruned.menu("Tools", "Evaluate all states")
    assert pruned.window.done.label.text() == "All states have been evaluated already."
    assert runner.measured == before


def test_a_changed_script_greys_what_it_measured_and_is_asked_about(pruned, runners, script):
    choose(pruned, script)
    pruned.wait_idle()
    script.write_text(script.read_text() + "\n")
    pruned.window.activated.emit()
    pruned.wait(lambda: history_metrics(pruned)[2].startswith("("))
    assert ". Measured with another script" in spoken_text(pruned, 2)
    pruned.wait_idle()
    assert runners[0].closed
    pruned.key("Ctrl+M")
    agree(pruned)
    pruned.wait_idle()
    assert history_metrics(pruned) == ["100.0 %", "○", "61.0 % −39.0"]
    script.write_text(script.read_text() + "\n\n")  # without activating the window again
    click_mark(pruned, 1)
    agree(pruned)
    pruned.wait_idle()
    assert [runner.measured for runner in runners] == [[0, 0, 0, 39], [0, 0, 0, 39], [0, 0, 0, 7]]
    assert history_metrics(pruned)[2] == "○", "measured with the previous version of the script"


def test_what_fails_is_said_in_a_sentence_and_can_be_tried_again(pruned, runners, script):
    choose(pruned, script)
    pruned.wait_idle()
    runners[0].error = EvaluationError("The script raised ValueError.", remedy="Correct it.")
    click_mark(pruned, 1)
    pruned.wait_idle()
    assert pruned.trouble == ["The script raised ValueError. Correct it."]
    assert history_metrics(pruned)[1] == "○"
    runners[0].error, runners[0].gate.closed = None, True
    click_mark(pruned, 1)
    assert pruned.trouble == [], "the old value was shown during the evaluation"
    pruned.wait(lambda: runners[0].gate.running)
    pruned.key("Esc")
    assert pruned.trouble == []
    assert pruned.window.done.label.text() == "Evaluation stopped."
    click_mark(pruned, 1)
    prune(pruned, "20 %")  # does not wait for the evaluation
    assert history_metrics(pruned)[1] in {"queued", "running"}
    runners[0].gate.closed = False
    pruned.wait_idle()
    assert history_metrics(pruned)[1] == "93.0 % −7.0"


def save_and_reopen(user, file):
    """Save a session, close it, and open it again."""
    user.chooses_file(file, "getSaveFileName")
    user.key("Ctrl+S")
    user.wait_idle()
    user.key("Ctrl+W")
    user.wait(lambda: user.document is None)
    user.wait_idle()
    user.open(file)
    user.wait(lambda: user.document is not None)


def test_a_session_keeps_results_and_runs_nothing(pruned, runners, script, tmp_path, monkeypatch):
    """Regression: chart and history mixed the results of two limits."""
    script.write_text("def evaluate(model, limit): return 1.0\n")
    choose(pruned, script)
    pruned.wait_idle()
    click_mark(pruned, 1)
    pruned.wait_idle()
    choose(pruned, script, limit="50", new=False)
    pruned.wait_idle()
    before = history_metrics(pruned)
    save_and_reopen(pruned, tmp_path / "work.prune")
    assert all(runner.closed for runner in runners)
    pruned.wait(lambda: history_metrics(pruned) == [f"({before[0]})", "○", f"({before[2]})"])
    pruned.wait_idle()
    assert len(runners) == 2
    assert pruned.workbench.scripts.dialog is None
    # No script has been chosen yet, so there is no other one.
    why = "Measured before this file was opened. These results apply again after one state"
    assert why in spoken_text(pruned, 2)
    assert why in plain(
        pruned.views.history.tree.states.index_of(2).data(Qt.ItemDataRole.ToolTipRole)
    )
    evaluation, view = pruned.workbench.evaluation, pruned.views.pages.quality
    assert view.readout.text().startswith(why)
    conditions = "my_evaluation.py, at most 50 samples, seed 0"
    assert evaluation.conditions == conditions
    assert [state.number for state in evaluation.states()] == [0, 2]
    assert conditions in [swatch.label for swatch in view.legend.entries]
    assert {row[-1] for row in view.numbers()} == {conditions}
    pruned.key("5")
    assert pruned.views.compare.metrics.note.text().startswith(why)
    monkeypatch.setattr(script_runner, "Gate", partial(Gate, closed=True))
    choose(pruned, script, limit="50", new=False)
    pruned.wait(lambda: len(runners) == 3 and runners[2].gate.running)
    assert pruned.views.compare.metrics.note.text() == "Measured earlier."
    runners[2].gate.closed = False
    pruned.wait_idle()
    assert history_metrics(pruned) == before


def test_a_state_that_was_calibrated_with_the_data_that_measure_it_is_marked(
    pruned, runners, script, monkeypatch
):
    monkeypatch.setattr("pruneapp.evaluation.runner.data_of", lambda _runner: "text:1")
    document, bits = pruned.document, pruned.document.checkpoint.bits("0.weight")
    for number, data in enumerate(("text:2", "text:1")):
        bits = bits + np.uint32(number)
        values = {"0.weight": as_values(bits)}
        source = RepairSource(data=data)
        made = RepairedValues.create(document.snapshot(), values, source, Job())
        assert pruned.session.commit(made.propose(document.snapshot(), Job()))
    pruned.wait_idle()
    choose(pruned, script)
    pruned.wait_idle()
    pruned.workbench.evaluation.evaluate_all()
    pruned.wait_idle()
    assert [mark.endswith(" †") for mark in history_metrics(pruned)] == [False] * 4 + [True]
    points = pruned.views.pages.quality.canvas.points
    assert [point.label.endswith("\u00a0†") for point in points] == [False] * 4 + [True]
    assert "†" in points[4].tip
    said = "† measured on data that were also used to calibrate or to choose the amounts"
    assert [said in spoken_text(pruned, row) for row in range(5)] == [False] * 4 + [True]
    rows = [list(map(plain, row)) for row in pruned.views.pages.quality.numbers()]
    assert sum(said in row[-1] for row in rows) == 1


@pytest.mark.usefixtures("histories_off")
def test_metrics_that_no_session_has_are_unsaved(pruned, runners, script, tmp_path):
    """Regression: they were lost without a question, although session files store them."""
    window, file = pruned.window, tmp_path / "work.prune"
    pruned.chooses_file(file, "getSaveFileName")
    pruned.key("Ctrl+S")
    pruned.wait(lambda: not window.isWindowModified())
    choose(pruned, script)
    pruned.wait_idle()
    assert window.windowTitle() == "work.prune[*] — Pruneapp"
    assert window.isWindowModified()
    asked = pruned.answers("Cancel")
    assert not window.close()
    assert asked[0].startswith("Metrics and scans have not been saved in 'work.prune'.")
    pruned.key("Ctrl+S")
    pruned.wait(lambda: not window.isWindowModified())
    pruned.key("6")
    pruned.key("Ctrl+W")  # asks nothing
    pruned.open(file)
    pruned.wait(lambda: pruned.document is not None)
    assert not window.isWindowModified()
    pruned.menu("Tools", "Evaluate")  # the same source again
    evaluation = pruned.workbench.evaluation
    pruned.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    pruned.type(evaluation.dialog.choice.fields[DataKind.SCRIPT], str(script))
    pruned.type(evaluation.dialog.choice.python, sys.executable)
    pruned.wait(evaluation.dialog.go.isEnabled)
    pruned.click(evaluation.dialog.go)
    pruned.wait(lambda: evaluation.dialog is None)
    pruned.wait_idle()
    assert len(runners) == 2
    assert not window.isWindowModified()
    click_mark(pruned, 1)
    pruned.wait_idle()
    assert window.isWindowModified()


def test_metrics_are_there_when_the_file_is_opened_again(pruned, new_user, runners, script):
    choose(pruned, script)
    pruned.wait_idle()
    before, file = dict(pruned.workbench.evaluation.results), pruned.document.checkpoint.path
    assert before
    asked = pruned.answers("Cancel")
    assert pruned.window.close()
    again = new_user(file).wait_ready()
    again.wait(lambda: again.document is not None)
    assert dict(again.workbench.evaluation.results) == before
    assert not asked


@pytest.mark.usefixtures("histories_off")
def test_an_export_has_no_metrics(pruned, runners, script, tmp_path):
    choose(pruned, script)
    pruned.wait_idle()
    pruned.export(tmp_path / "out.safetensors")
    pruned.close_report()
    assert pruned.window.isWindowModified()
    asked = pruned.answers("Cancel")
    assert not pruned.window.close()
    assert asked[0].startswith(
        "Metrics and scans have not been saved. Save a session to keep them."
    )
    # Another file begins without metrics.
    other = tmp_path / "other.safetensors"
    save_file({"a.weight": np.ones((2, 2), np.float32)}, other)
    pruned.answers("Discard changes")
    pruned.open(other)
    pruned.wait(lambda: pruned.document.checkpoint.path == other)
    pruned.wait_idle()
    assert history_metrics(pruned) == [""]
    assert runners[0].closed


def test_the_report_of_an_export_has_the_metrics_of_its_state(pruned, runners, script, tmp_path):
    choose(pruned, script)
    pruned.wait_idle()
    dialog = pruned.open_export()
    dialog.beside.account.setChecked(True)
    pruned.type(dialog.target.path, str(tmp_path / "out.safetensors"))
    pruned.click(dialog.go)
    pruned.wait(lambda: pruned.workbench.export.report is not None)
    pruned.close_report()
    page = (tmp_path / "out-report.html").read_text(encoding="utf-8")
    assert re.search(r"<td>accuracy</td><td[^>]*>61\.00 % \(−39\.00", page)
    digest = hashlib.sha256(script.read_bytes()).hexdigest()
    assert re.search(rf"Evaluation: {script.name}</td><td></td><td><code>{digest}</code>", page)


def test_compare_shows_the_metrics_of_both_sides(pruned, runners, script):
    metrics = pruned.views.compare.metrics
    pruned.key("5")

    def shown():
        return [list(map(plain, row)) for row in metrics.table.numbers.texts([0], range(5))]

    assert not metrics.isVisible(), "nothing was evaluated"
    choose(pruned, script)
    pruned.wait_idle()
    assert pruned.views.compare.sides.wanted == (0, 2)
    (row,) = shown()
    assert row[:4] == ["accuracy", "100.0 %", "61.0 %", "−39.0 points, worse"]
    assert row[4].startswith("±")
    pruned.views.compare.sides.boxes[0].setFocus()
    pruned.key("Down", pruned.views.compare.sides.boxes[0])
    assert shown() == [["accuracy", "not evaluated", "61.0 %", "–", "–"]]
    click_mark(pruned, 1)
    assert shown()[0][1] in {"being evaluated", "waiting to be evaluated"}
    pruned.wait_idle()
    (row,) = shown()
    assert row[1:4] == ["93.0 %", "61.0 %", "−32.0 points, worse"]
    pruned.click(pruned.views.compare.sides.swap_button)
    assert shown()[0][1:4] == ["61.0 %", "93.0 %", "+32.0 points, better"]
    script.write_text(script.read_text() + "\n")
    pruned.window.activated.emit()
    pruned.wait(metrics.note.isVisible)
    assert metrics.note.text() == "Measured with another script, Python or options."
    assert shown()[0][1:3] == ["61.0 %", "93.0 %"]


def test_a_new_script_is_saved_and_chosen_and_shown_before_it_runs(pruned, runners, tmp_path):
    pruned.menu("Tools", "Evaluate")
    evaluation = pruned.workbench.evaluation
    pruned.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    dialog = evaluation.dialog
    assert not dialog.go.isEnabled(), "nothing is chosen yet"
    pruned.type(dialog.choice.python, sys.executable)
    # The file dialog only asks whether to replace "mine", but "mine.py" exists.
    mine = tmp_path / "mine.py"
    mine.write_text("mine")
    pruned.chooses_file(tmp_path / "mine", "getSaveFileName")
    for answer, text in (("Cancel", "mine"), ("Replace", "def load")):
        asked = pruned.answers(answer)
        pruned.click(dialog.choice.template)
        pruned.wait_idle()
        assert asked == [f"A file with this name already exists. {mine}"]
        assert text in mine.read_text()
    field = dialog.choice.fields[DataKind.SCRIPT]
    pruned.wait(lambda: field.text() == str(mine))
    assert "#   0.weight  (5, 8)" in mine.read_text()
    assert dialog.choice.python.text() == sys.executable, "it was cleared"
    pruned.wait(dialog.go.isEnabled)
    pruned.click(dialog.go)
    agree(pruned)
    pruned.wait_idle()
    assert history_metrics(pruned)[0] == "100.0 %"


def test_who_leaves_before_the_script_was_found_is_asked_nothing(
    pruned, runners, script, monkeypatch
):
    pruned.menu("Tools", "Evaluate")
    evaluation, scripts = pruned.workbench.evaluation, pruned.workbench.scripts
    pruned.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    dialog = evaluation.dialog
    pruned.type(dialog.choice.fields[DataKind.SCRIPT], str(script))
    pruned.type(dialog.choice.python, sys.executable)
    pruned.wait(lambda: dialog.choice.found.text().startswith("Runs with"))
    real, gate = script_controller.find, Gate(closed=True)

    def slow(*given):
        gate.wait(given[-1])
        return real(*given)

    monkeypatch.setattr(script_controller, "find", slow)
    pruned.click(dialog.go)
    pruned.wait(lambda: gate.running)
    pruned.key("Esc", dialog)
    pruned.wait(lambda: evaluation.dialog is None)
    gate.closed = False
    pruned.wait_idle()
    assert scripts.dialog is None
    assert runners == []


COUNT = """
import json, sys
from safetensors.numpy import load_file
zeros = sum(int((a == 0).sum()) for a in load_file(sys.argv[1]).values())
print(json.dumps({"accuracy": 1 - zeros / 100}))
"""


def test_a_command_line_measures_states_after_it_was_agreed_to(pruned, tmp_path):
    """Starts a real program for each state, with an exported file."""
    (tmp_path / "count.py").write_text(COUNT)
    evaluation = pruned.workbench.evaluation
    pruned.menu("Tools", "Evaluate")
    pruned.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    dialog = evaluation.dialog
    pruned.click(dialog.choice.radios[DataKind.COMMAND])
    assert not dialog.go.isEnabled()
    command = f"'{sys.executable}' count.py {{checkpoint}}"
    pruned.type(dialog.choice.fields[DataKind.COMMAND], command)
    pruned.wait(lambda: "Runs " in dialog.choice.found.text())
    pruned.click(dialog.go)
    agree(pruned)
    pruned.wait_idle()
    assert pruned.trouble == []
    assert history_metrics(pruned) == ["1.00", "○", "0.61 −0.39"]
    click_mark(pruned, 1)
    pruned.wait_idle()
    assert history_metrics(pruned)[1] == "0.93 −0.07"
    pruned.window.activated.emit()
    pruned.wait_idle()
    assert "(" not in "".join(history_metrics(pruned))


SCRIPT = """
import torch
from safetensors.torch import load_file

def load(path):
    first, second = torch.nn.Linear(8, 5, bias=False), torch.nn.Linear(5, 6, bias=False)
    model = torch.nn.Sequential(first, second)
    model.load_state_dict(load_file(path))
    return model

def evaluate(model):
    out = model(torch.eye(8))
    return {"accuracy": (100 - int((model[0].weight == 0).sum()), 100)}
"""


@pytest.mark.usefixtures("histories_off")
def test_the_process_is_there_while_the_file_is_open(pruned, script):
    """Starts a real worker process with torch."""
    script.write_text(SCRIPT)
    choose(pruned, script)
    pruned.wait_idle()
    assert pruned.trouble == []
    gone = pruned.document.masks.pruned("0.weight")
    assert history_metrics(pruned)[2] == f"{100 - gone}.0 % −{gone}.0"
    worker = pruned.workbench.evaluation._process._evaluator.runner.worker
    pid = worker.pid
    os.kill(pid, 0)
    pruned.answers("Discard changes")
    pruned.key("Ctrl+W")
    pruned.wait(lambda: pruned.document is None)
    pruned.wait_idle()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def show_multiply_adds(user):
    page = user.views.pages.quality
    user.key("6")
    user.wait(page.isVisible)
    user.choose(page.axis_box, "Multiply-adds per input")
    return page


def test_multiply_adds_are_counted_once_the_axis_is_chosen(
    pruned, runners, script, monkeypatch, tmp_path
):
    """For earlier and later results; they are stored in session files."""
    counted = []

    def count_uses(runner, _snapshot, _job):
        counted.append(runner)
        return WeightUses({"0.weight": np.full(1, 10.0), "1.weight": np.full(1, 2.0)}, 5.0)

    monkeypatch.setattr(collection, "count_uses", count_uses)
    choose(pruned, script)
    pruned.wait_idle()
    page = show_multiply_adds(pruned)
    pruned.wait_idle()
    assert counted == runners
    states = pruned.workbench.evaluation.states()

    def expected(number):
        masks = pruned.document.state_at(number).load(Job()).masks
        return 10 * (40 - masks.pruned("0.weight")) + 2 * (30 - masks.pruned("1.weight")) + 5

    assert [s.quality.multiply_adds for s in states] == [465, expected(2)]
    assert [point.x for point in page.canvas.points] == [expected(2), 465]
    click_mark(pruned, 1)
    pruned.wait_idle()
    assert len(counted) == 1, "nothing is run for another state"
    assert [point.x for point in page.canvas.points] == [expected(2), expected(1), 465]
    script.write_text(script.read_text() + "\n")
    choose(pruned, script)
    pruned.wait_idle()
    assert len(counted) == 2, "another script may give other counts"
    save_and_reopen(pruned, tmp_path / "work.prune")
    pruned.wait(lambda: len(page.canvas.points) == 2)
    # The other state was measured with the previous version of the script.
    assert [point.x for point in page.canvas.points] == [expected(2), 465]


def test_results_that_make_no_sense_in_a_session_are_left(pruned, runners, script):
    """Neither is an axis without numbers: the page says why."""
    good = {"name": "accuracy", "value": 0.5, "original": 1.0, "half": 0.0, "noise": ""}
    named = {"evaluation": "b", "conditions": {"name": "c"}}
    known = {**named, "state": "a", "quality": {"metrics": [good], "sparsity": 0}}
    samples = {"used": 1, "total": 2}
    for kept in (
        1,
        [1],
        [{**named, "state": "a", "quality": {"metrics": [{}], "sparsity": 0}}],
        [{**named, "state": 1, "quality": {"metrics": [good], "sparsity": 0}}],
        [{"state": "a", "evaluation": "b", "quality": {"metrics": [good], "sparsity": 0}}],
        [{**known, "conditions": {"name": "c", "samples": {**samples, "unit": "cats"}}}],
    ):
        pruned.workbench.evaluation.show({"evaluation": kept})
        assert history_metrics(pruned) == ["", "", ""]
        assert pruned.workbench.evaluation.conditions == ""
    kept = {**known, "conditions": {"name": "c", "samples": {**samples, "unit": "lines"}}}
    pruned.workbench.evaluation.show({"evaluation": [kept]})
    assert pruned.workbench.evaluation.conditions == "c, 1 of 2 sentences, seed 0"
    quality = {"metrics": [good], "sparsity": 0.0}
    pruned.workbench.evaluation.show({"evaluation": [{**named, "state": "a", "quality": quality}]})
    pruned.wait_idle()
    assert history_metrics(pruned) == ["○", "○", "○"], (
        "the results belong to no state of this history"
    )

    choose(pruned, script)
    pruned.wait_idle()
    page = show_multiply_adds(pruned)  # the fake runner has no process
    pruned.wait_idle()
    assert page.empty_text() == (
        "Multiply-adds cannot be counted in a program that a command line starts. Evaluate by a "
        "script."
    )
    pruned.choose(page.axis_box, "Sparsity")
    assert len(page.canvas.points) == 2


def test_the_report_is_saved_by_the_menu(pruned, runners, script, tmp_path, monkeypatch):
    choose(pruned, script)
    pruned.wait_idle()
    proposed = []

    def answer(_parent, _title, path, _kinds):
        proposed.append(path)
        return str(tmp_path / "evidence"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    pruned.menu("File", "Report")
    path = tmp_path / "evidence.html"
    pruned.wait(path.is_file)
    pruned.wait_idle()
    assert proposed == [str(tmp_path / "model-report.html")]
    (notice,) = pruned.window.notices.notices
    assert notice.sentence.text() == "Report saved as evidence.html."
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url) or False)
    pruned.click(notice.action)
    assert [Path(url.toLocalFile()) for url in opened] == [path]
    (notice,) = pruned.window.notices.notices
    assert notice.sentence.text().startswith("No program was found to open")
    text = path.read_text(encoding="utf-8")
    assert "61.00 %" in text
    assert "2: L1" in text
    assert str(tmp_path) not in text


def test_a_saved_session_is_added_to_the_chart(pruned, runners, script, tmp_path, monkeypatch):
    choose(pruned, script)
    pruned.wait_idle()
    pruned.save_session(tmp_path / "first.prune")
    monkeypatch.setattr(
        QFileDialog, "getOpenFileNames", lambda *_: ([str(tmp_path / "first.prune")], "")
    )
    view = pruned.views.pages.quality
    own = len(view.canvas.points)
    pruned.views.pages.tabs.setCurrentIndex(5)
    pruned.click(view.add_sessions)
    pruned.wait(lambda: bool(view.others))
    points = view.canvas.points
    assert len(points) == 2 * own
    assert [(p.x, p.y) for p in points[own:]] == [(p.x, p.y) for p in points[:own]]
    assert points[-1].label.startswith("first, 2: L1")
    pruned.key("Ctrl+W")
    pruned.wait(lambda: pruned.document is None)
    assert not view.others
