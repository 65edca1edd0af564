"""A total that is said as the size of a file."""

import pytest
from PySide6.QtWidgets import QInputDialog

from pruneapp.document.bytes_target import total_for
from pruneapp.gui.workbench import Workbench
from tests.gui.test_start import SAMPLE


@pytest.fixture
def at_work(person):
    person.open(SAMPLE)
    person.wait_open(SAMPLE)
    person.wait_preview()
    person.click(person.views.form.limits.button)
    return person


@pytest.fixture
def says(monkeypatch):
    """Answer the question for a size; None leaves it."""

    def answer(text):
        found = (text or "", text is not None)
        monkeypatch.setattr(QInputDialog, "getText", staticmethod(lambda *_a, **_k: found))

    return answer


def total(person):
    return person.views.form.limits.editors["total"].value()


def test_a_size_becomes_the_total_that_makes_the_compact_file_as_small(at_work, says):
    bench: Workbench = at_work.workbench
    says("120 kB")
    at_work.click(at_work.views.form.limits.by_size)
    at_work.wait(lambda: total(at_work) is not None)
    names = at_work.views.tree.checked()

    assert total(at_work) == total_for(bench.session.document.snapshot(), names, 120_000)
    report = at_work.wait_preview()
    assert sum(t.after for t in report.tensors) == total(at_work)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("small", "A size is a number and a unit"),
        ("1 kB", "cannot be reached"),
        ("900 MB", "Without pruning anything more"),
    ],
)
def test_what_cannot_be_is_said_beside_the_limits(at_work, says, text, why):
    says(text)
    at_work.click(at_work.views.form.limits.by_size)
    at_work.wait(lambda: why in at_work.views.form.limits.note.text())

    assert total(at_work) is None
    assert at_work.trouble == []


def test_channels_promise_no_bytes(at_work, says):
    at_work.choose(at_work.rule.method, "Ln, channels")
    says("120 kB")
    at_work.click(at_work.views.form.limits.by_size)
    at_work.wait(lambda: "whole channels" in at_work.views.form.limits.note.text())


def test_leaving_the_question_changes_nothing(at_work, says):
    says(None)
    at_work.click(at_work.views.form.limits.by_size)
    at_work.wait_idle()

    assert total(at_work) is None
    assert at_work.views.form.limits.note.text() == ""
