"""What the panel is told of the state in force, in whatever order counts and answers come."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pruneapp.document import capture
from pruneapp.gui.preview.preview_state import AppliedSummary


class Waiting:
    """Takes questions, and answers them when told to."""

    def __init__(self):
        self.asked = []

    def answer(self, _work, on_result, on_error, urgency):
        task = SimpleNamespace(on_result=on_result, on_error=on_error, urgency=urgency)
        task.cancel = lambda: self.asked.remove(task)
        self.asked.append(task)
        return task

    def end(self, energy):
        report = SimpleNamespace(energy=energy, dangers={"w": energy})
        self.asked.pop(0).on_result(SimpleNamespace(report=report, most=(), compact=7))


@pytest.fixture
def told():
    return []


@pytest.fixture
def jobs():
    return Waiting()


@pytest.fixture
def in_force_of(jobs, told, monkeypatch, qapp):
    monkeypatch.setattr(capture.Capture, "of", lambda _document: None)
    document = SimpleNamespace(history=SimpleNamespace(key=1), state_at=lambda _position: None)
    panel = SimpleNamespace(
        set_now=lambda report, _most=(): told.append(report and report.energy),
        set_compact=lambda _size: None,
    )
    return AppliedSummary(SimpleNamespace(document=document), jobs, panel, None)


def test_what_becomes_known_while_the_answer_is_made_is_asked_for_again(in_force_of, jobs, told):
    in_force_of.tell()
    in_force_of.recount()  # all is counted; the answer under way may have looked before
    assert len(jobs.asked) == 1
    jobs.end(None)
    assert len(jobs.asked) == 1, "once more"
    jobs.end(0.5)
    assert told == [None, None, 0.5]
    assert jobs.asked == []
    in_force_of.recount()
    assert jobs.asked == [], "nothing was missing"


def test_what_is_not_counted_yet_waits_for_the_counts(in_force_of, jobs, told):
    in_force_of.tell()
    jobs.end(None)
    assert jobs.asked == []
    in_force_of.recount()
    jobs.end(0.25)
    assert told == [None, None, 0.25]
    in_force_of.tell()
    in_force_of.recount()
    in_force_of.hush()
    judged = []
    in_force_of.judged.connect(judged.append)
    jobs.end(0.125)
    assert told == [None, None, 0.25, None], "the panel shows a step"
    assert judged == [{"w": 0.125}], "what is at risk is marked in the tree all the same"
