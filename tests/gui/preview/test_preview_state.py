"""What the panel is told of the state in force, in whatever order counts and answers come."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from pruneapp.analysis.sparsity_report import SparsityReport, TensorSparsity
from pruneapp.document.document import Capture
from pruneapp.document.step import Row, Step
from pruneapp.gui.preview.live_preview import CurrentStateRunner
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.preview.preview_controller import TreePreview
from pruneapp.gui.preview.preview_state import CurrentState, PreviewState


class FakeTask(SimpleNamespace):
    """A task of `Waiting`; unlike a plain namespace, it can be referred to weakly."""


class Waiting:
    """Takes questions, and answers them when told to."""

    def __init__(self):
        self.asked = []

    def run(self, _work, on_result, _on_error, lane):
        task = FakeTask(on_result=on_result, lane=lane, ended=False)
        task.cancel = lambda: self.asked.remove(task)
        self.asked.append(task)
        return task

    def end(self, energy):
        report = SimpleNamespace(norm_retained=energy)
        task = self.asked.pop(0)
        task.ended = True
        task.on_result(CurrentState(report=report))


@pytest.fixture
def told():
    return []


@pytest.fixture
def jobs():
    return Waiting()


@pytest.fixture
def in_force_of(jobs, told, monkeypatch, qapp):
    monkeypatch.setattr(Capture, "of", lambda _document: None)
    document = SimpleNamespace(history=SimpleNamespace(key=1), state_at=lambda _position: None)
    session = SimpleNamespace(document=document)
    return CurrentStateRunner(
        session, jobs, None, lambda found: told.append(found.report.norm_retained)
    )


def test_what_becomes_known_while_the_answer_is_made_is_asked_for_again(in_force_of, jobs, told):
    in_force_of.start()
    in_force_of.recount()  # all is counted; the answer under way may have looked before
    assert len(jobs.asked) == 1
    jobs.end(None)
    assert len(jobs.asked) == 1, "once more"
    jobs.end(0.5)
    assert told == [None, 0.5]
    assert jobs.asked == []
    in_force_of.recount()
    assert jobs.asked == [], "nothing was missing"


def test_what_is_not_counted_yet_waits_for_the_counts(in_force_of, jobs, told):
    in_force_of.start()
    jobs.end(None)
    assert jobs.asked == []
    in_force_of.recount()
    jobs.end(0.25)
    assert told == [None, 0.25]


def test_what_is_counted_while_a_step_is_shown_marks_the_tree_and_leaves_the_panel(qapp):
    panel = PreviewPanel()
    report = SparsityReport((TensorSparsity("a", 100, 0, 100, norm_retained=0.0),), 1000, 0, 100)
    counted = CurrentState(report=report)
    state = PreviewState(
        step=Step((Row(("a",), "l1_unstructured", {}),)),
        known=report,
        preview=SimpleNamespace(report=report),
    )
    panel.set_preview(state)
    before = panel.heading.text(), panel.pruned.text()
    panel.set_preview(replace(state, current=counted, dangers=report.dangers))
    assert (panel.heading.text(), panel.pruned.text()) == before
    seen = []
    tree = SimpleNamespace(set_preview=lambda _after, dangers: seen.append(set(dangers)))
    previews = TreePreview(tree)
    previews.set_preview(PreviewState(dangers=report.dangers))
    assert seen == [{"a"}]


def test_the_threshold_of_an_applied_step_is_known_where_magnitudes_were_cut():
    cut = TensorSparsity("a", 100, 0, 50, threshold=0.5)
    other = TensorSparsity("b", 100, 0, 50, threshold=0.9)
    whole = TensorSparsity("c", 100, 0, 0)
    rows = Row(("a", "c"), "l1_unstructured", {}), Row(("b",), "random_unstructured", {})
    current = CurrentState(SparsityReport((cut, other, whole), 300, 0, 100), Step(rows))
    assert current.threshold("a") == 0.5
    assert current.threshold("b") is None, "the largest of those that chance took"
    assert current.threshold("c") is None, "nothing of it was pruned"
    assert current.threshold("d") is None, "the step left it as it was"
    assert replace(current, step=None).threshold("a") is None, "a cut in scores"
    assert CurrentState().threshold("a") is None
