"""A total amount that is given as the size of a file."""

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QPushButton

from pruneapp.document.document import Capture
from pruneapp.export.size_bounds import size_range, total_for
from pruneapp.gui.mainwindow.workbench import Workbench
from pruneapp.params import parse_bytes
from pruneapp.progress import Job
from tests.gui.test_application import SAMPLE
from tests.gui.user import plain


@pytest.fixture
def at_work(user):
    user.open_file(SAMPLE)
    user.wait_preview()
    user.click(user.views.form.limits.button)
    return user


def say(user, text):
    """Enter a size into the dialog of the button; None cancels it."""
    user.click(user.views.form.limits.by_size)
    user.wait(lambda: QApplication.activeModalWidget() is not None)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QInputDialog)
    bench = user.workbench
    least, now, _ = size_range(Capture.of(bench.session.document), bench.form.step(), Job())
    assert least < parse_bytes(plain(dialog.textValue())) < now, "it can be reached"
    if text is None:
        user.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    else:
        user.qtbot.keyClicks(dialog.focusWidget(), text)  # replaces the text
        (button,) = (b for b in dialog.findChildren(QPushButton) if "total" in b.text())
        user.click(button)
    user.wait(lambda: QApplication.activeModalWidget() is None)


def total(user):
    return user.views.form.limits.editors["target_sparsity"].value()


def test_a_size_becomes_the_total_that_makes_the_compact_file_as_small(at_work):
    bench: Workbench = at_work.workbench
    capture, step = Capture.of(bench.session.document), bench.form.step()
    say(at_work, "120 kB")
    at_work.wait(lambda: total(at_work) is not None)

    assert total(at_work) == total_for(capture, step, 120_000, Job())
    report = at_work.wait_preview()
    assert sum(t.after for t in report.tensors) == total(at_work)
    packed = at_work.views.preview.file.labels["packed"]
    at_work.wait(lambda: "at most" in packed.toolTip())
    (told,) = re.findall(r"at most (.*?), with", packed.toolTip())
    assert 119_000 <= parse_bytes(plain(told)) <= 120_000, "the preview says the same size"


def test_what_cannot_be_is_said_beside_the_limits(at_work):
    """Leaving the question changes nothing; whole channels have no size."""
    note = at_work.views.form.limits.note
    say(at_work, None)
    at_work.wait_idle()
    assert note.text() == ""
    at_work.window.resize(1280, 600)
    for text, why in (
        ("small", "Enter a size as a number and a unit"),
        ("1 kB", "cannot be reached"),
        ("900 MB", "Without pruning anything more"),
    ):
        say(at_work, text)
        at_work.wait(lambda why=why: why in note.text())
        at_work.wait(lambda: note.visibleRegion().boundingRect() == note.rect())
    at_work.choose(at_work.rule.method, "Ln structured (channels)")
    at_work.wait(lambda: not note.isVisible())
    at_work.click(at_work.views.form.limits.by_size)
    at_work.wait(lambda: "whole channels" in note.text())
    at_work.choose(at_work.rule.method, "L1 unstructured (magnitude)")
    at_work.wait(lambda: not note.isVisible())
    assert total(at_work) is None
    assert at_work.trouble == []


def test_the_question_goes_with_its_file(at_work):
    at_work.click(at_work.views.form.limits.by_size)
    at_work.wait(lambda: QApplication.activeModalWidget() is not None)
    at_work.session.close()
    at_work.wait(lambda: QApplication.activeModalWidget() is None)
    at_work.open_file(SAMPLE)
    at_work.workbench.step_info.ask_size()
    at_work.session.close()
    at_work.wait_idle()
    assert QApplication.activeModalWidget() is None
