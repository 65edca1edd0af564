"""Flows: their steps, errors and cancellation, and what happens when the document is closed."""

from __future__ import annotations

import gc
import weakref
from threading import Event

import pytest
from PySide6.QtWidgets import QDialog

from pruneapp import resources
from pruneapp.errors import ParameterError
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.document.feature import Ask, Feature, RunJob, flow
from pruneapp.progress import Cancelled

SAMPLE = resources.path("sample/lenet-digits.safetensors")


class Sample(Feature):
    """Records what its flows do; their work waits for `go`."""

    def __init__(self, workbench):
        other = workbench.recipes
        context = AppContext(
            workbench.window,
            other._actions,
            workbench.jobs,
            workbench.settings,
            other._theme,
            workbench.notifications,
            other._windows,
        )
        super().__init__(context, workbench.session)
        self.go, self.log = Event(), []

    def wait(self, job):
        while not self.go.wait(0.01):
            job.step(0)
        return "result"

    @flow
    def work(self, lane=None):
        try:
            self.log.append((yield from RunJob("Waiting", self.wait, lane)))
        except Cancelled:
            self.log.append("cancelled")
        finally:
            self.log.append("end")

    @flow
    def ask_and_work(self):
        yield from Ask(QDialog(self._window))
        yield from type(self).work.__wrapped__(self)

    @flow
    def fail(self):
        def work(_job):
            raise ParameterError("It failed.")

        yield from RunJob("Failing", work)
        self.log.append("not reached")

    @flow
    def ask(self):
        self.log.append((yield from Ask(QDialog(self._window))))

    @flow
    def after_nested_loop(self, close):
        close()
        yield from RunJob("Waiting", self.wait)
        self.log.append("not reached")


@pytest.fixture
def sample(user):
    user.open(SAMPLE)
    user.wait(lambda: user.document is not None)
    user.wait_idle()
    made = Sample(user.workbench)
    yield made
    made.go.set()


def test_a_flow_continues_with_the_result_or_the_error(user, sample):
    sample.work()
    assert user.workbench.jobs.busy
    assert sample.log == []
    sample.go.set()
    user.wait(lambda: sample.log == ["result", "end"])
    assert not sample.runs

    sample.log.clear()
    sample.fail()
    user.wait(lambda: user.trouble)
    assert user.trouble == ["It failed."]
    assert sample.log == []
    assert not sample.runs

    sample.go.clear()
    sample.work()
    user.pause(30)
    user.key("Esc")  # closes the notice
    user.key("Esc")
    user.wait(lambda: sample.log == ["cancelled", "end"])


def test_nothing_follows_when_the_document_was_closed_but_the_end_of_a_file(user, sample):
    def reopen():
        sample.go.clear()
        sample.log.clear()
        user.open(SAMPLE)
        user.wait(lambda: user.document is not None)
        user.wait_idle()

    sample.work()
    user.pause(30)
    user.session.close()
    assert sample.log == ["end"]
    sample.go.set()
    user.wait(lambda: not user.workbench.jobs.busy)
    assert sample.log == ["end"]
    sample.work()
    assert not sample.runs, "no document is open"

    reopen()
    sample.work(Lane.WRITING)
    user.pause(30)
    user.session.close()
    assert sample.log == []
    sample.go.set()
    user.wait(lambda: sample.log == ["result", "end"])

    reopen()
    sample.after_nested_loop(user.session.close)
    assert not sample.runs
    assert not user.workbench.jobs.busy
    assert sample.log == []


def test_a_dialog_is_asked_once_and_closed_with_the_document(user, sample):
    sample.ask()
    sample.ask()
    assert len(sample.runs) == 1
    sample.dialog.accept()
    assert sample.log == [1]
    assert sample.dialog is None
    sample.ask()
    dialog = sample.dialog
    user.session.close()
    assert not dialog.isVisible()
    assert sample.log == [1]


def test_a_flow_is_freed_without_the_garbage_collector(user, sample):
    gc.disable()
    try:
        for name in ("work", "fail", "ask"):
            getattr(sample, name)()
            run = weakref.ref(next(iter(sample.runs)))
            sample.go.set()
            if sample.dialog is not None:
                sample.dialog.accept()
            user.wait(lambda run=run: run() is None)
    finally:
        gc.enable()


def test_a_cancelled_job_starts_again_with_the_same_arguments(user, sample):
    offered = []
    user.workbench.jobs.cancelled.connect(offered.append)
    sample.work(lane=Lane.PROGRAM)
    user.pause(30)
    user.key("Esc")
    assert sample.log == ["cancelled", "end"]
    (job,) = offered
    assert not job.restart.continues
    sample.log.clear()
    sample.go.set()
    job.restart.call()
    user.wait(lambda: sample.log == ["result", "end"])


def test_a_job_after_a_dialog_does_not_start_again(user, sample):
    """The dialog would be shown again, and it may have been answered differently."""
    offered = []
    user.workbench.jobs.cancelled.connect(offered.append)
    sample.ask_and_work()
    user.wait(sample.dialog.isVisible)
    sample.dialog.accept()
    user.wait(lambda: user.workbench.jobs.busy)
    user.key("Esc")
    user.wait(lambda: sample.log == ["cancelled", "end"])
    assert not offered
