"""A scan and an evaluation of the same file may use different data."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from pruneapp.evaluation.allocation import DataUse, compare_data
from pruneapp.evaluation.metric import Metric
from pruneapp.evaluation.runner import Samples, are_different_data
from pruneapp.gui.document.history_model import HistoryColumn
from pruneapp.gui.evaluation.script_controller import AgreedScript
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource
from tests.gui.sensitivity.conftest import SIZES, LocalScriptRunner, choose_data, enter_total
from tests.gui.sensitivity.test_scan_controller import prune, save_and_close
from tests.gui.user import plain


def evaluate(user, text, limit=""):
    """Measure the current state on a text by Evaluate…; return what the dialog proposed."""
    user.menu("Tools", "Evaluate")
    evaluation = user.workbench.evaluation
    user.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    dialog = evaluation.dialog
    proposed = dialog.choice.source()
    choose_data(user, dialog.choice, "", text)
    user.type(dialog.choice.limit, limit)
    user.wait(dialog.go.isEnabled)
    user.click(dialog.go)
    user.wait(lambda: evaluation.dialog is None)
    user.wait_idle()
    return proposed


def allocate(user, scans):
    """Prune half of the weights by an allocation; return the note of its dialog."""
    user.click(scans.view.allocate)
    controller = user.workbench.allocation
    user.wait(lambda: controller.dialog is not None and controller.dialog.isVisible())
    dialog = controller.dialog
    note = dialog.note.text()
    enter_total(user, dialog, "50 %")
    user.wait(lambda: dialog.go.text() == "Prune 35 weights")
    user.click(dialog.go)
    user.wait(lambda: user.document.position == 1)
    return note


def test_an_allocation_names_the_data_of_scan_and_evaluation(encoder, encoder_scans, texts):
    """Agreement of the unpruned model with itself is the same for all data."""
    calibration, sentences = texts
    encoder_scans.scan("50%, 90%", text=calibration)
    assert "use the same data (calib.txt)" in allocate(encoder, encoder_scans)
    evaluate(encoder, sentences)
    encoder.wait(lambda: "Allocation: loss" in str(encoder.notices))
    notice = plain(encoder.notices[0])
    assert notice.endswith("use different data (scan: calib.txt; evaluation: sentences.txt).")


@pytest.mark.parametrize(
    ("limits", "relation"),
    [
        (
            ("", ""),
            "The scan and the evaluation use the same data (sentences.txt, 3 of 3 sentences).",
        ),
        (
            ("2", ""),
            "The data of the scan are a part of those of the evaluation (scan: sentences.txt, 2 of",
        ),
        (("", "2"), "The data of the evaluation are a part of those of the scan (scan:"),
    ],
)
def test_an_allocation_says_which_part_of_a_text_scan_and_evaluation_share(
    encoder, encoder_scans, texts, monkeypatch, limits, relation
):
    monkeypatch.setattr(LocalScriptRunner, "counts_sentences", True)
    texts[1].write_text("One sentence.\nAnother one.\nA third one.\n")
    of_scan, of_evaluation = limits
    evaluate(encoder, texts[1], of_evaluation)
    encoder_scans.scan("50%, 90%", text=texts[1], limit=of_scan)
    note = allocate(encoder, encoder_scans)
    assert note.startswith(relation)
    assert "so metrics measured on them are too optimistic." in note


@pytest.mark.parametrize(
    ("scanned", "evaluated", "words"),
    [
        (10, 20, "images of the same folder"),
        (10, 40, "data of the scan are a part of those of the evaluation"),
        (20, 20, "use the same data"),
    ],
)
def test_evenly_spaced_images_are_a_part_only_of_all_images(scanned, evaluated, words):
    uses = (
        DataUse("images:/a", samples=Samples("images", used, 40)) for used in (scanned, evaluated)
    )
    assert words in compare_data(*uses).value


@pytest.mark.parametrize(
    ("first", "second", "different"),
    [
        ("text:1", "text:2", True),
        ("text:1", "text:1", False),
        ("text:1", "images:/a", True),
        ("text:1", "", False),
        ("evaluate of script:1", "evaluate of script:2", False),
        ("command:1", "text:1", False),
    ],
)
def test_data_of_scripts_may_be_the_same(first, second, different):
    assert are_different_data(first, second) == different
    assert are_different_data(second, first) == different


def metrics(user):
    """Return what the history shows as the metric of each state."""
    states = user.views.history.tree.states
    column = states.column_of(HistoryColumn.METRIC)
    return [plain(states.cell(n, column)) for n in range(len(states.items))]


def spoken(user, number):
    """Return the text of a state in the history for a screen reader."""
    states = user.views.history.tree.states
    column = states.column_of(HistoryColumn.METRIC)
    return plain(states.index_of(number).siblingAtColumn(column).data(Qt.ItemDataRole.ToolTipRole))


def test_a_scan_of_other_data_leaves_the_results_of_the_evaluation(
    encoder, encoder_scans, texts, text_runners, tmp_path
):
    """Regression: the history showed circles, and the chart only the states of the scan."""
    user, (calibration, sentences) = encoder, texts
    prune(user)
    evaluate(user, sentences)
    before = metrics(user)
    assert before[1] != "○"
    encoder_scans.scan("50%, 90%", text=calibration)
    assert all(map(all, encoder_scans.cells))
    assert "Evaluated with calib.txt." in encoder_scans.view.about.text()
    assert "Measured" not in encoder_scans.view.about.text()
    evaluation = user.workbench.evaluation
    assert metrics(user) == before
    assert len(evaluation.states()) == 2, "as the chart"
    assert "sentences.txt" in evaluation.conditions
    assert evaluation.source.path == str(sentences)
    assert evaluation.stored_results[-1].conditions.data == "sentences.txt", "as in the report"
    assert [runner.closed for runner in text_runners] == [False, True]

    # States are evaluated with the text of the evaluation.
    prune(user)
    user.key("Ctrl+M")
    user.wait_idle()
    assert len(text_runners) == 2
    assert "○" not in metrics(user)

    # A state that only the scan measured has a circle, and the tooltip says why.
    prune(user)
    encoder_scans.scan("50%", text=calibration)
    assert metrics(user)[3] == "○"
    assert "not evaluated" not in spoken(user, 3)
    assert "evaluated with another script, data or options only." in spoken(user, 3)
    assert "calib.txt" in spoken(user, 3)


def test_a_scan_of_a_reopened_session_leaves_its_results(
    encoder, encoder_scans, texts, text_runners, tmp_path
):
    user, (calibration, sentences) = encoder, texts
    prune(user)
    evaluate(user, sentences)
    file = tmp_path / "work.prune"
    save_and_close(user, file)
    user.open(file)
    user.wait(lambda: user.document is not None)
    user.wait_idle()
    before = metrics(user)
    assert before[1].startswith("(")
    encoder_scans.scan("50%", text=calibration)
    assert metrics(user) == before
    encoder_scans.scan("50%", text=sentences)
    assert metrics(user)[1] == before[1].strip("()"), "measured alike, so they are up to date"


@pytest.mark.parametrize(("same", "words"), [(True, "same data"), (False, "different data")])
def test_an_allocation_of_a_reopened_session_knows_the_data(
    encoder, encoder_scans, texts, tmp_path, same, words
):
    """Regression: the data of restored results counted as unknown."""
    evaluate(encoder, texts[1])
    encoder_scans.scan("50%, 90%", text=texts[same])
    file = tmp_path / "work.prune"
    save_and_close(encoder, file)
    encoder.open(file)
    encoder.wait(lambda: encoder_scans.cells)
    assert words in allocate(encoder, encoder_scans)


def test_a_session_and_a_report_have_the_metric_of_the_page(
    encoder, encoder_scans, texts, tmp_path
):
    encoder_scans.scan("50%", text=texts[0])
    encoder.choose(encoder_scans.view.metric_box, "accuracy")
    (kept,) = encoder.workbench.scans.stored_scans
    assert (kept.metric, kept.conditions.data) == ("accuracy", "calib.txt")
    file = tmp_path / "work.prune"
    save_and_close(encoder, file)
    encoder.open(file)
    encoder.wait(lambda: encoder_scans.cells)
    assert encoder_scans.view.metric_box.currentText() == "accuracy"
    encoder_scans.scan("50%", text=texts[1])
    labels = [encoder_scans.view.scan_box.itemText(n) for n in range(2)]
    assert [label.rpartition(", ")[2] for label in labels] == ["calib.txt", "sentences.txt"]


def test_the_page_opens_on_the_first_metric_with_a_value_per_sample(
    encoder, encoder_scans, texts, monkeypatch
):
    """Regression: it opened on the last metric, which has no interval; a share has steps."""

    def measure(snapshot):
        change = sum(snapshot.masks.pruned(name) for name in SIZES) / 1000
        cosines = Metric(1 - change, samples=(0.999 - change, 0.997 - change))
        accuracy = Metric(0.5, samples=(1.0, 0.0))
        error = Metric(change)
        return change, {"accuracy": accuracy, "mean_cosine": cosines, "relative_error": error}

    def make(agreed, _job):
        return LocalScriptRunner(agreed.script, measure, agreed.options)

    monkeypatch.setattr(AgreedScript, "runner", make)
    encoder_scans.scan("50%, 90%", text=texts[0])
    assert encoder_scans.view.metric_box.currentText() == "cosine (mean)"
    encoder.click(encoder_scans.view.allocate)
    allocation = encoder.workbench.allocation
    encoder.wait(lambda: allocation.dialog is not None and allocation.dialog.headline.text())
    assert allocation.dialog.headline.text().startswith("cosine (mean): 1 now, predicted")
    encoder.click(allocation.dialog.leave)
    encoder.choose(encoder_scans.view.metric_box, "relative error")
    (kept,) = encoder.workbench.scans.stored_scans
    assert kept.shown_metric.name == "relative_error"


def test_a_scan_is_proposed_with_the_data_of_the_evaluation(encoder, encoder_scans, texts):
    """Regression: the text of the statistics was proposed, which marked all values."""
    user, (calibration, sentences) = encoder, texts
    scripts = user.workbench.scripts
    evaluate(user, sentences)
    scripts.remember("statistics", DataSource(DataKind.TEXT, str(calibration)))
    proposed = open_scan(user).choice.source()
    assert (proposed.kind, proposed.path) == (DataKind.TEXT, str(sentences))
    user.click(user.workbench.scans.dialog.leave)
    encoder_scans.scan("50%", text=calibration, limit="20")
    proposed = open_scan(user).choice.source()
    assert (proposed.path, proposed.limit) == (str(calibration), "20"), "that of the last scan"


def open_scan(user):
    """Open the dialog of a scan, and return it."""
    user.menu("Tools", "Scan sensitivity")
    controller = user.workbench.scans
    user.wait(lambda: controller.dialog is not None and controller.dialog.isVisible())
    return controller.dialog


def test_a_scan_is_proposed_with_the_method_and_amounts_of_the_last_one(encoder, encoder_scans):
    dialog = encoder_scans.ask()
    encoder.choose(dialog.methods, "Random unstructured")
    encoder.click(dialog.leave)
    dialog = encoder_scans.ask()
    assert dialog.methods.currentText() == "L1 unstructured (magnitude)", "it was not used"
    encoder.choose(dialog.methods, "Random unstructured")
    encoder.type(dialog.fractions, "20%, 40")
    encoder_scans.agree(dialog)
    encoder.wait_idle()
    dialog = open_scan(encoder)
    assert dialog.methods.currentText() == "Random unstructured"
    assert dialog.fractions.text() == "20%, 40"


def test_the_page_says_that_the_first_scan_is_running(
    encoder, encoder_scans, texts, text_runners, monkeypatch
):
    """Regression: it asked to press Scan…"""
    make = AgreedScript.runner

    def blocked(agreed, job):
        runner = make(agreed, job)
        runner.gate.closed = True
        return runner

    monkeypatch.setattr(AgreedScript, "runner", blocked)
    encoder_scans.begin("50%", text=texts[0])
    message = encoder_scans.view._message
    encoder.wait(lambda: message.text() == "Scanning… The unpruned model is measured first.")
    encoder.wait(lambda: text_runners and text_runners[0].gate.running)
    text_runners[0].gate.closed = False
    encoder.wait_idle()
    assert encoder_scans.cells
