"""A total that is said as the size of a file."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QPushButton

from pruneapp.export.size_bounds import total_for
from pruneapp.gui.mainwindow.workbench import Workbench
from tests.gui.person import plain
from tests.gui.test_application import SAMPLE


@pytest.fixture
def at_work(person):
    person.open(SAMPLE)
    person.wait_open(SAMPLE)
    person.wait_preview()
    person.click(person.views.form.limits.button)
    return person


def say(person, text):
    """Ask for a size by the button, and answer; None leaves the question."""
    person.click(person.views.form.limits.by_size)
    person.wait(lambda: QApplication.activeModalWidget() is not None)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QInputDialog)
    assert plain(dialog.textValue()) == "10 MB"
    if text is None:
        person.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    else:
        person.qtbot.keyClicks(dialog.focusWidget(), text)  # in place of what is there
        (button,) = (b for b in dialog.findChildren(QPushButton) if "total" in b.text())
        person.click(button)
    person.wait(lambda: QApplication.activeModalWidget() is None)


def total(person):
    return person.views.form.limits.editors["total"].value()


def test_a_size_becomes_the_total_that_makes_the_compact_file_as_small(at_work):
    bench: Workbench = at_work.workbench
    say(at_work, "120 kB")
    at_work.wait(lambda: total(at_work) is not None)
    names = at_work.views.tree.checked()

    assert total(at_work) == total_for(bench.session.document.snapshot(), names, 120_000)
    report = at_work.wait_preview()
    assert sum(t.after for t in report.tensors) == total(at_work)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("small", "Enter a size as a number and a unit"),
        ("1 kB", "cannot be reached"),
        ("900 MB", "Without pruning anything more"),
    ],
)
def test_what_cannot_be_is_said_beside_the_limits(at_work, text, why):
    at_work.window.resize(1280, 600)
    say(at_work, text)
    note = at_work.views.form.limits.note
    at_work.wait(lambda: why in note.text())
    at_work.wait(lambda: note.visibleRegion().boundingRect() == note.rect())

    assert total(at_work) is None
    assert at_work.trouble == []


def test_channels_promise_no_bytes(at_work):
    at_work.choose(at_work.rule.method, "Ln structured (channels)")
    say(at_work, "120 kB")
    at_work.wait(lambda: "whole channels" in at_work.views.form.limits.note.text())


def test_leaving_the_question_changes_nothing(at_work):
    say(at_work, None)
    at_work.wait_idle()

    assert total(at_work) is None
    assert at_work.views.form.limits.note.text() == ""
