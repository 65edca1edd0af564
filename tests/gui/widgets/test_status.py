"""The status bar: the model, and the running job."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QStatusBar, QWidget

from pruneapp.gui.mainwindow.window import ModelStatus
from pruneapp.gui.widgets.labels import as_plain, letter_width
from pruneapp.gui.widgets.status import Done, JobStatus

GAP = "\u00a0"


def test_a_job_that_waits_for_a_disk_says_so_when_it_is_cancelled(show, qtbot):
    host = show(QWidget(), 700, 40)
    status = JobStatus(host)
    status.set_job("Exporting")
    status.set_progress(1, 10, "model.safetensors")
    qtbot.waitUntil(status.isVisible)
    status.set_cancelling(writes=True)
    assert not status.cancel.isEnabled()
    assert status.cancel.text() == "Cancelling…"
    status.set_progress(2, 10, "model.safetensors")  # reported before the job was cancelled
    qtbot.waitUntil(lambda: status.label.text() == "Cancelling: finishing the current write…")
    status.set_progress(3, 10, "model.safetensors")
    assert status.label.text().startswith("Cancelling")
    status.set_idle()
    assert not status.isVisible()
    status.set_job("Pruning")
    assert status.cancel.isEnabled()
    assert status.label.text() == "Pruning …"


def test_an_item_that_repeats_the_title_is_not_shown(show):
    status = show(JobStatus())
    status.set_job("Collecting statistics")
    status.set_progress(1, 10, "collecting statistics")
    assert status.label.text() == "Collecting statistics …"
    status.set_progress(2, 10, "fc.weight")
    assert status.label.text() == "Collecting statistics: fc.weight …"


def test_the_text_of_a_job_keeps_20_letters(show, qtbot):
    """It was elided to two letters next to the last action."""
    bar = show(QStatusBar(), 700, 40)
    done, status = Done(), JobStatus()
    bar.addWidget(done)
    bar.addPermanentWidget(status)
    done.set_done("The error of the outputs on 38 held-out samples fell from 0.198 to 0.1829. " * 2)
    status.set_job("Evaluation 1 of 2")
    status.set_progress(1, 10, "collecting statistics", 100)
    qtbot.waitUntil(status.isVisible)
    assert status.label.width() >= 20 * letter_width(status.label)


def filled_bar(show, width):
    """Show a status bar with its three parts; return all."""
    bar, model, done, status = show(QStatusBar(), width, 40), ModelStatus(), Done(), JobStatus()
    bar.addWidget(model)
    bar.addWidget(done)
    bar.addPermanentWidget(status)
    return bar, model, done, status


def test_short_messages_are_whole_beside_a_long_description_of_the_model(show, qtbot):
    """Regression: "Sav…" and "Recover… …", while the model had all the width."""
    bar, model, done, status = filled_bar(show, 1280)
    model.set_kind("BertModel", pooling="mean", layers=6, dtypes=("float32", "int64"))
    model.set_model(22_713_216, 5_382_144, 512)
    done.set_done("Saved: digitnet.prune")
    status.set_job("Recovery")
    status.set_progress(1, 10, "block 3 of 6", 400)
    qtbot.waitUntil(status.isVisible)

    def is_whole(label):
        return label.fontMetrics().horizontalAdvance(label.text()) <= label.width()

    for label in (done.label, status.label):
        qtbot.waitUntil(lambda label=label: is_whole(label))
    status.set_idle()
    bar.resize(1300, 40)
    model.set_kind("MobileViTForImageClassification", layers=6, dtypes=("float32", "int64"))
    model.set_model(22_713_216_000, 5_382_144_000, 512)
    qtbot.waitUntil(lambda: is_whole(model.text))
    bar.resize(720, 40)
    assert bar.minimumSizeHint().width() <= 720


def test_facts_of_the_model_are_left_out_where_they_do_not_fit(show, qtbot):
    """Regression: the result of an evaluation squeezed "float32" to "fl…"."""
    bar = show(QStatusBar(), 560, 40)
    model, done = ModelStatus(), Done()
    bar.addWidget(model)
    bar.addWidget(done)
    model.set_kind("ResNet", dtypes=("float32", "int64"))
    model.set_model(22_713_216, 5_382_144, 512)
    done.set_done("accuracy 91.2 %, 0.3 points worse (3: L1 30 %)", "the whole")
    qtbot.wait(20)
    shown = model.text.shortened(model.text.width())
    assert model.text.text().startswith(f"{shown}   ·   "), "whole facts"
    assert done.label.toolTip() == as_plain("the whole")
    assert done.label.width() > 0.25 * bar.width() - 4


def test_the_last_action_gets_the_width_that_a_running_job_does_not_need(show, qtbot):
    """Regression: the job took half of the width, and the sentence was elided."""
    bar, model, done, status = filled_bar(show, 1920)
    model.set_model(22_713_216, 5_382_144, 512)
    words = "The mean error of the outputs of 13 layers fell from 12.3 % to 4.56 %. "
    done.set_done(words * 2)
    status.set_job("Evaluation")
    status.set_progress(1, 10, "3 of 12", 100)
    qtbot.waitUntil(status.isVisible)
    needed = done.label.fontMetrics().horizontalAdvance(done.label.text())
    assert needed > 0.4 * bar.width()
    qtbot.waitUntil(lambda: done.label.width() >= needed)
    before = status.label.x(), status.label.width()
    status.set_progress(2, 10, "4", 90)
    qtbot.wait(20)
    assert (status.label.x(), status.label.width()) == before, "a shorter text moves nothing"
    bar.resize(1440, 40)
    qtbot.waitUntil(lambda: done.label.width() > model.text.width())


def test_screen_readers_get_the_whole_text_of_the_last_action(show, monkeypatch):
    announced = []
    monkeypatch.setattr(QAccessible, "updateAccessibility", announced.append)
    bar = show(QStatusBar(), 400, 40)
    done = Done()
    bar.addWidget(done)
    text = "3: Repair of 11 layers: accuracy 97.4 %, difference within noise ±1.8 points, " * 3
    text = text.strip()
    done.set_done(text)
    assert done.label.shortened(done.label.width()) != text, "it is elided on the screen"
    assert [event.message() for event in announced if hasattr(event, "message")] == [text]
    found = QAccessible.queryAccessibleInterface(done.label)
    assert found.text(QAccessible.Text.Description) == text
    announced.clear()
    done.set_done("accuracy 97.4 %", text)
    assert [event.message() for event in announced if hasattr(event, "message")] == [text]
    assert found.text(QAccessible.Text.Description) == text


def test_a_bar_is_not_full_before_the_job_has_ended(show):
    status = show(JobStatus(), 700, 40)
    status.set_job("Repair")
    status.set_progress(995, 1000)
    assert 0.9 < status.bar.value() / status.bar.maximum() < 0.98
    status.set_progress(1000, 1000)
    assert status.bar.value() / status.bar.maximum() < 0.98


def test_the_model_is_told_in_numbers(show):
    status = show(ModelStatus(), 400, 40)
    status.set_model(269_722, 53_405)
    assert status.text.text() == f"269,722 parameters   ·   19.8{GAP}% pruned"
    status.clear()
    assert status.text.text() == ""


def test_the_model_is_told_by_its_class_and_the_files_of_its_folder(show):
    status = show(ModelStatus(), 400, 40)
    files = tuple(f"file{n}.json" for n in range(8))
    status.set_kind("BertModel", layers=6, dtypes=("float32", "int64"), files=files)
    status.set_model(1_000, 0)
    assert status.text.text() == (
        f"BertModel   ·   1,000 parameters   ·   0{GAP}% pruned   ·   6 layers   ·   "
        "mixed: float32, int64"
    )
    tip = status.text.toolTip()
    assert "also copy: file0.json" in tip
    assert "file5.json and 2 more" in tip
    status.set_kind("<b>\u202e" + "x" * 1_000)
    status.set_model(1_000, 0)
    shown = status.text.text()
    assert "\u202e" not in shown
    assert len(shown) < 100
    assert "<b>" not in status.text.toolTip()
    status.clear()
    status.set_model(1_000, 0)
    assert status.text.text().startswith("1,000")


def test_a_short_job_is_never_seen(qtbot, show):
    host = show(QWidget(), 600, 40)
    status = JobStatus(host)
    status.set_job("Opening")
    status.set_idle()
    qtbot.wait(260)
    assert not status.isVisible()


def test_a_job_shows_what_it_is_at_and_can_be_cancelled_once(qtbot, show):
    host = show(QWidget(), 600, 40)
    status = JobStatus(host)
    status.set_job("Exporting")
    status.set_progress(61, 100, "layer3.0.conv1")
    qtbot.waitUntil(status.isVisible, timeout=2000)
    assert status.label.text() == "Exporting: layer3.0.conv1 …"
    assert status.bar.value() == 610
    with qtbot.waitSignal(status.cancelRequested):
        qtbot.mouseClick(status.cancel, Qt.MouseButton.LeftButton)
    assert not status.cancel.isEnabled()
    status.set_job("Pruning")
    assert status.cancel.isEnabled()
    assert status.bar.maximum() == 0
    status.set_idle()
    assert not status.isVisible()


def test_the_bar_moves_until_something_is_done(show):
    host = show(QWidget(), 600, 40)
    status = JobStatus(host)
    status.set_job("Shrinking")
    status.set_progress(0, 100, "starting Python")
    assert status.label.text() == "Shrinking: starting Python …"
    assert status.bar.maximum() == 0, "an empty bar looks inactive"
    status.set_progress(1, 100, "starting Python")
    assert (status.bar.value(), status.bar.maximum()) == (10, 1000)
    status.set_idle()


def test_the_time_left_is_shown_and_a_long_job_without_one_says_so(show):
    host = show(QWidget(), 600, 40)
    status = JobStatus(host)
    status.set_job("Exporting")
    status.set_progress(0, 0)
    status._long_timer.timeout.emit()
    assert status.left.text() == "This may take a while."
    status.set_progress(1, 4, "", 8.2)
    assert status.left.text() == "about 10 s left"
    status.set_progress(1, 4, "", 41.3)
    assert status.left.text() == "about 50 s left", "no more digits than are known"
    status.set_progress(1, 4)
    assert status.left.text() == "This may take a while."
    status.set_idle()


def test_the_item_does_not_repeat_the_title(show):
    host = show(QWidget(), 600, 40)
    status = JobStatus(host)
    status.set_job("Evaluation")
    status.set_progress(1, 4, "evaluating")
    assert status.label.text() == "Evaluation …"
    status.set_progress(1, 4, "evaluating: batch 3")
    assert status.label.text() == "Evaluation: batch 3 …"
    status.set_progress(1, 4, "loading the model")
    assert status.label.text() == "Evaluation: loading the model …"
    status.set_idle()


def test_what_was_done_is_not_painted_over_the_tip_of_a_command(show):
    bar = show(QStatusBar(), 500, 30)
    done = Done()
    bar.addWidget(done)
    bar.showMessage("Prunes the remaining weights with these settings.")
    done.set_done("Nothing to prune")
    assert done.isVisible()
    assert bar.currentMessage() == ""
    painted = bar.grab().toImage()
    again = show(QStatusBar(), 500, 30)
    alone = Done()
    again.addWidget(alone, 1)
    alone.set_done("Nothing to prune")
    assert painted == again.grab().toImage()
    bar.showMessage("The tip of the next command")
    assert not done.isVisible()
    bar.clearMessage()
    assert done.isVisible()
