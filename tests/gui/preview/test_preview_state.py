"""The state of the preview: reports of the document, and updates of the tree."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp.analysis.sparsity_report import SparsityReport, TensorSparsity
from pruneapp.document.step import Row, Step
from pruneapp.gui.app.jobs import LatestTask, Throttle
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
        report = SimpleNamespace(norm_retained=norm_retained, dangers={}, repaired={})
        task = self.tasks.pop(0)
        task.ended = True
        task.on_result(CurrentState(report=report))


def test_what_is_counted_while_the_state_is_reported_is_reported_again(user, tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"a.weight": np.ones((8, 8), np.float32)}, str(path))
    user.open_file(path)
    user.wait(lambda: not user.workbench.histograms.busy)
    user.wait_preview()
    previews, jobs = user.workbench.preview, FakeJobs()
    previews._current_task = LatestTask(jobs)
    previews._current_incomplete = False
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

    previews._report_current()
    jobs.end(None)
    assert jobs.tasks == []
    previews.on_histograms_counted()
    jobs.end(0.25)
    assert previews.state.current.report.norm_retained == 0.25


class Tree:
    """A tree model that records the values it receives; an update takes `seconds` of CPU time."""

    def __init__(self):
        self.values = []
        self.dangers = set()
        self.seconds = 0.0
        # The part of the controller that updates the tree.
        self._controller = SimpleNamespace(_tree=SimpleNamespace(model=self))
        self._updates = Throttle(lambda: PreviewController._show_in_tree(self._controller))

    def show(self, number, dangers=None):
        report = SimpleNamespace(after_by_name={"a": number}, by_name={"a": None}, dangers={})
        self._controller.state = PreviewState(
            known=None if number is None else report, dangers=dangers or {}
        )
        self._updates.request(at_once=number is None)

    def set_preview(self, after, dangers):
        self.values.append(None if after is None else after["a"])
        self.dangers = set(dangers)
        ends = time.thread_time() + self.seconds
        while time.thread_time() < ends:
            pass


@pytest.fixture
def tree(qtbot):
    return Tree()


def test_a_fast_tree_is_updated_with_each_estimate(tree):
    for number in (1, 2, 3):
        tree.show(number)
        assert tree.values[-1] == number


def test_a_slow_tree_is_updated_with_the_latest_estimate_after_an_interval(tree, qtbot):
    tree.seconds = 0.05
    for number in (1, 2, 3):
        tree.show(number)
    assert tree.values == [1]
    began = time.perf_counter()
    qtbot.waitUntil(lambda: tree.values == [1, 3])
    assert time.perf_counter() - began > 0.05


def test_waiting_for_other_threads_does_not_count_as_a_slow_tree(tree, monkeypatch):
    update = tree.set_preview

    def wait(*values):
        update(*values)
        threading.Event().wait(0.05)  # takes no CPU time

    monkeypatch.setattr(tree, "set_preview", wait)
    for number in (1, 2, 3):
        tree.show(number)
    assert tree.values == [1, 2, 3]


def test_the_end_of_a_preview_is_shown_at_once(tree):
    tree.seconds = 0.05
    tree.show(1)
    tree.show(None)
    assert tree.values == [1, None]


def test_a_report_of_the_current_state_marks_the_tree_and_leaves_the_preview_in_the_panel(tree):
    panel = PreviewPanel()
    report = SparsityReport((TensorSparsity("a", 100, 0, 100, norm_retained=0.0),), 1000, 0, 100)
    state = PreviewState(
        step=Step((Row(("a",), "l1_unstructured", {}),)),
        known=report,
        preview=SimpleNamespace(report=report),
    )
    panel.set_preview(state)
    before = panel.heading.text(), panel.pruned.text()
    panel.set_preview(replace(state, current=CurrentState(report=report), dangers=report.dangers))
    assert (panel.heading.text(), panel.pruned.text()) == before
    tree.show(None, report.dangers)
    assert tree.dangers == {"a"}


def test_the_threshold_of_an_applied_step_is_known_if_magnitudes_were_compared():
    cut = TensorSparsity("a", 100, 0, 50, threshold=0.5)
    other = TensorSparsity("b", 100, 0, 50, threshold=0.9)
    whole = TensorSparsity("c", 100, 0, 0)
    rows = Row(("a", "c"), "l1_unstructured", {}), Row(("b",), "random_unstructured", {})
    current = CurrentState(SparsityReport((cut, other, whole), 300, 0, 100), Step(rows))
    assert current.threshold("a") == 0.5
    assert current.threshold("b") is None, "the largest of randomly pruned weights"
    assert current.threshold("c") is None, "nothing of it was pruned"
    assert current.threshold("d") is None, "not a tensor of the step"
    assert replace(current, step=None).threshold("a") is None, "a threshold of scores"
    assert CurrentState().threshold("a") is None
