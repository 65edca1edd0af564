"""The reported state of the document, in whatever order counts and reports arrive."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp.analysis.sparsity_report import SparsityReport, TensorSparsity
from pruneapp.document.step import Row, Step
from pruneapp.gui.app.jobs import LatestTask
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.gui.preview.preview_state import CurrentState, PreviewState


class FakeTask(SimpleNamespace):
    """A task of `FakeJobs`; unlike a plain namespace, it can be referred to weakly."""


class FakeJobs:
    """Collects tasks, and ends them on request."""

    def __init__(self):
        self.tasks = []

    def run(self, _work, on_result, _on_error, lane):
        task = FakeTask(on_result=on_result, lane=lane, ended=False)
        task.cancel = lambda: self.tasks.remove(task)
        self.tasks.append(task)
        return task

    def end(self, norm_retained):
        report = SimpleNamespace(norm_retained=norm_retained, dangers={})
        task = self.tasks.pop(0)
        task.ended = True
        task.on_result(CurrentState(report=report))


@pytest.fixture
def jobs():
    return FakeJobs()


@pytest.fixture
def previews(person, tmp_path, jobs):
    """The preview of a window, in which a step is shown."""
    path = tmp_path / "model.safetensors"
    save_file({"a.weight": np.ones((8, 8), np.float32)}, str(path))
    person.open(path)
    person.wait_open(path)
    person.wait(lambda: not person.workbench.histograms.busy)
    person.wait_preview()
    found = person.workbench.preview
    found._current_task = LatestTask(jobs)
    found._current_incomplete = False
    return found


def test_what_is_counted_while_the_state_is_reported_is_reported_again(previews, jobs):
    previews._report_current()
    previews.on_histograms_counted()  # the running task may have read the counts before
    assert len(jobs.tasks) == 1
    jobs.end(None)
    assert previews.state.current.report.norm_retained is None
    assert len(jobs.tasks) == 1, "once more"
    jobs.end(0.5)
    assert previews.state.current.report.norm_retained == 0.5
    assert jobs.tasks == []
    previews.on_histograms_counted()
    assert jobs.tasks == [], "nothing was missing"


def test_an_incomplete_report_is_computed_again_once_all_is_counted(previews, jobs):
    previews._report_current()
    jobs.end(None)
    assert jobs.tasks == []
    previews.on_histograms_counted()
    jobs.end(0.25)
    assert previews.state.current.report.norm_retained == 0.25


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
    model = SimpleNamespace(set_preview=lambda _after, dangers: seen.append(set(dangers)))
    state = PreviewState(dangers=report.dangers)
    PreviewController._show_in_tree(
        SimpleNamespace(state=state, _tree=SimpleNamespace(model=model))
    )
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
