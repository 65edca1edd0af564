"""Jobs run off the main thread, call back on it, and stop when they are cancelled."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import pytest
from PySide6.QtCore import QCoreApplication, QTimer

from pruneapp.errors import ExportError, PruneAppError
from pruneapp.gui.app import jobs as module
from pruneapp.gui.app import runtime
from pruneapp.gui.app.jobs import Jobs, Lane, LatestTask, Restart
from tests.gui.event_loop_delay import Stopwatch
from tests.gui.job_gate import endless


class Calls:
    """Runs jobs, and records the calls of their callbacks and their threads."""

    def __init__(self, jobs):
        self.jobs = jobs
        self.results, self.errors, self.cancelled, self.threads = [], [], 0, set()

    def run(self, work, title="", runner=None, **options):
        start = self.jobs.run if runner is None else runner.start
        options = {"on_cancelled": self.on_cancelled} | options
        return start(work, self.on_result, self.on_error, title=title, **options)

    def on_result(self, result):
        self.threads.add(threading.current_thread())
        self.results.append(result)

    def on_error(self, error):
        self.threads.add(threading.current_thread())
        self.errors.append(error)

    def on_cancelled(self):
        self.threads.add(threading.current_thread())
        self.cancelled += 1


@pytest.fixture
def jobs(qtbot):
    made = Jobs()
    yield made
    made.stop()


@pytest.fixture
def calls(jobs):
    return Calls(jobs)


@pytest.fixture
def started(jobs):
    titles = []
    jobs.started.connect(titles.append)
    jobs.idle.connect(lambda: titles.append("idle"))
    return titles


def test_tasks_with_a_title_run_one_after_the_other_on_one_thread(calls, qtbot):
    for number in range(20):
        calls.run(lambda _job, n=number: (n, threading.current_thread()), "Work")

    qtbot.waitUntil(lambda: len(calls.results) == 20)

    numbers, threads = zip(*calls.results, strict=True)
    assert numbers == tuple(range(20))
    assert len(set(threads)) == 1
    assert threads[0] is not threading.main_thread()
    assert calls.threads == {threading.main_thread()}


def test_cancelling_stops_within_a_quarter_of_a_second(jobs, calls, qtbot):
    task = calls.run(endless, "Endless")
    qtbot.waitUntil(lambda: task.begun)
    took = Stopwatch()

    task.cancel()
    qtbot.waitUntil(lambda: calls.cancelled == 1)

    assert took.seconds < 1.0  # 0.25 s on an idle machine, see dev.py bench cancel
    assert not calls.results
    assert not jobs.busy


def test_a_queued_task_that_is_cancelled_never_starts(calls, qtbot):
    begun = []
    first = calls.run(endless, "Endless")
    second = calls.run(lambda _job: begun.append(1), "Later")

    second.cancel()
    first.cancel()
    qtbot.waitUntil(lambda: calls.cancelled == 2)

    assert not begun


def test_a_queued_task_ends_as_soon_as_it_is_cancelled(jobs, calls, started, qtbot):
    """Not only after the running task, which is not cancelled."""
    running = Calls(jobs).run(endless, "Previewing", lane=Lane.PREVIEW)
    qtbot.waitUntil(lambda: running.begun)
    calls.run(endless, "Exporting")

    assert jobs.cancel_visible()

    assert calls.cancelled == 1
    assert started == ["Exporting", "idle"]
    assert not running.token.cancelled


@pytest.mark.parametrize("how", ["cancelled", "stopped", "wanted"])
def test_a_result_that_arrives_after_cancellation_is_released_once(jobs, calls, qtbot, how):
    late, made = [], threading.Event()

    def work(_job):
        made.set()
        return "open"

    task = calls.run(work, "Opening", on_late=late.append)
    assert made.wait(20)
    if how == "cancelled":
        task.cancel()
    elif how == "stopped":
        assert jobs.stop()
    qtbot.waitUntil(lambda: jobs.is_idle)
    QCoreApplication.sendPostedEvents()

    assert late == ([] if how == "wanted" else ["open"])
    assert calls.results == (["open"] if how == "wanted" else [])


def test_a_bug_is_reported_and_the_thread_continues(jobs, calls, qtbot):
    with qtbot.waitSignal(jobs.failed) as failed:
        calls.run(lambda _job: 1 / 0, "Work")
    calls.run(lambda _job: "alive", "Work")
    qtbot.waitUntil(lambda: calls.results == ["alive"])

    assert failed.args[0].startswith("ZeroDivisionError")
    assert "Traceback" in failed.args[1]
    assert calls.cancelled == 1


def test_progress_is_reported_a_few_times_a_second_only(jobs, calls, qtbot):
    reports = []
    jobs.progressed.connect(reports.append)

    def work(job):
        job.start(100_000, "layer")
        for _ in range(100_000):
            job.step(1)

    calls.run(work, "Counting")
    qtbot.waitUntil(lambda: calls.results == [None])

    assert 1 <= len(reports) < 60
    assert (reports[0].title, reports[0].label) == ("Counting", "layer")


@pytest.fixture
def steps(jobs, qtbot):
    """The number of steps of a running task, in a list."""
    count = [0]

    def work(job):
        while True:
            job.step(1)
            count[0] += 1

    task = jobs.run(work, count.append, count.append, title="Counting")
    qtbot.waitUntil(lambda: count[0] > 0)
    yield count
    task.cancel()


def test_a_task_pauses_until_the_main_thread_has_processed_its_events(steps, qtbot, monkeypatch):
    monkeypatch.setattr(runtime, "PAUSE_S", 60.0)
    runtime.worker_pause.begin()
    time.sleep(0.01)  # it may be between its check and its count
    paused = steps[0]
    time.sleep(0.05)  # unpaused, it makes thousands of steps; events would end the pause

    assert steps[0] == paused
    qtbot.waitUntil(lambda: steps[0] > paused)


def test_a_task_pauses_for_a_limited_time_while_the_main_thread_is_blocked(steps, monkeypatch):
    monkeypatch.setattr(runtime, "PAUSE_S", 0.01)
    runtime.worker_pause.begin()
    before = steps[0]
    deadline = time.monotonic() + 10

    while steps[0] < before + 2 and time.monotonic() < deadline:
        time.sleep(0.01)  # not by the event loop, which would end the pause

    assert steps[0] >= before + 2


def test_a_paused_task_ends_at_once_when_the_jobs_are_stopped(jobs, steps, monkeypatch):
    monkeypatch.setattr(runtime, "PAUSE_S", 60.0)
    runtime.worker_pause.begin()

    assert jobs.stop(patience_ms=10_000)


def test_short_tasks_run_while_a_serial_one_is_running(jobs, calls, qtbot):
    task = Calls(jobs).run(endless, "Endless")

    calls.run(lambda _job: "picture")
    qtbot.waitUntil(lambda: calls.results == ["picture"])

    assert calls.threads == {threading.main_thread()}
    task.cancel()


def test_short_tasks_start_once_the_main_thread_is_idle(calls, qtbot):
    """Their threads would compete with it for the GIL while it shows a new file."""
    begun, interactive = threading.Event(), threading.Event()
    calls.run(lambda _job: begun.set())
    assert not begun.wait(0.05)
    qtbot.waitUntil(lambda: len(calls.results) == 1)

    calls.run(lambda _job: interactive.set(), lane=Lane.INTERACTIVE)
    assert interactive.wait(10), "a moving slider does not wait for the main thread"
    qtbot.waitUntil(lambda: len(calls.results) == 2)


def test_short_tasks_start_after_the_paint_that_a_slow_callback_causes(
    jobs, calls, qtbot, monkeypatch
):
    """Qt paints what a callback changed some milliseconds after it returned."""
    monkeypatch.setattr(module, "LONG_S", 0.0)
    monkeypatch.setattr(module, "PAINT_MS", 400)
    order = []

    def shown(_result):
        calls.run(lambda _job: order.append("answer"))
        QTimer.singleShot(5, lambda: order.append("painted"))

    jobs.run(lambda _job: None, shown, print, lane=Lane.INTERACTIVE)
    qtbot.waitUntil(lambda: len(order) == 2)
    assert order == ["painted", "answer"]
    qtbot.waitUntil(lambda: len(calls.results) == 1)


def test_short_tasks_are_delayed_only_once(jobs, calls, qtbot, monkeypatch):
    """Otherwise none would run while a slow machine follows a slider."""
    monkeypatch.setattr(module, "LONG_S", 0.0)
    monkeypatch.setattr(module, "PAINT_MS", 300)
    asked = []

    def again(_result):  # each one a slow callback
        if not asked:
            calls.run(asked.append)
        if not calls.results:
            jobs.run(lambda _job: None, again, print, lane=Lane.INTERACTIVE)

    jobs.run(lambda _job: None, again, print, lane=Lane.INTERACTIVE)
    qtbot.waitUntil(lambda: bool(calls.results))
    qtbot.waitUntil(lambda: jobs.is_idle)


@pytest.mark.parametrize("lane", [Lane.PREVIEW, Lane.SHORT, Lane.INTERACTIVE])
def test_background_tasks_start_after_those_that_the_user_waits_for(calls, qtbot, lane):
    may_end, order = threading.Event(), []

    def urgent(_job):
        assert may_end.wait(10)
        order.append("urgent")

    calls.run(urgent, lane=lane)
    calls.run(lambda _job: order.append("background"), lane=Lane.BACKGROUND)
    qtbot.wait(100)
    assert not order

    may_end.set()
    qtbot.waitUntil(lambda: len(calls.results) == 2)
    assert order == ["urgent", "background"]


def test_background_tasks_wait_for_a_limited_time(calls, qtbot, monkeypatch):
    monkeypatch.setattr(module, "DEFER_S", 0.05)
    task = calls.run(endless, lane=Lane.PREVIEW)
    calls.run(lambda _job: "counted", lane=Lane.BACKGROUND)
    qtbot.waitUntil(lambda: calls.results == ["counted"])
    task.cancel()


def test_no_callback_is_called_after_stop(qtbot):
    jobs = Jobs()
    calls = Calls(jobs)
    calls.run(endless, "Endless")
    qtbot.wait(20)

    jobs.stop()
    qtbot.wait(50)

    assert not calls.results
    assert not calls.cancelled


def test_progress_is_never_shown_under_the_title_of_another_task(jobs, calls, started, qtbot):
    """A queued task is announced when its turn comes; a hidden one when it is shown."""
    jobs.progressed.connect(lambda progress: started.append(progress.title))
    first = calls.run(endless, "Exporting")
    qtbot.waitUntil(lambda: "Exporting" in started[1:])
    second = calls.run(endless, "Opening")
    hidden = calls.run(endless, "Previewing", lane=Lane.PREVIEW)
    jobs.show(hidden, "Pruning")
    qtbot.wait(100)
    assert set(started) == {"Exporting"}

    started.clear()
    first.cancel()
    qtbot.waitUntil(lambda: started[-1:] == ["Opening"] and len(started) > 2)
    assert set(started[started.index("Opening") :]) == {"Opening"}
    second.cancel()
    qtbot.waitUntil(lambda: "Pruning" in started)
    hidden.cancel()
    qtbot.waitUntil(lambda: started[-1] == "idle")


@pytest.mark.parametrize("lane", [Lane.SERIAL, Lane.SHORT, Lane.INTERACTIVE, Lane.BACKGROUND])
def test_a_task_that_ignores_cancellation_is_reported_and_left(qtbot, monkeypatch, lane):
    monkeypatch.setattr(module, "UNRESPONSIVE_MS", 50)
    jobs, runs, go_on = Jobs(), threading.Event(), threading.Event()

    def ignore_cancellation(_job):
        runs.set()
        go_on.wait(20)

    task = Calls(jobs).run(ignore_cancellation, "Own code", lane=lane)
    qtbot.waitUntil(runs.is_set)

    with qtbot.waitSignal(jobs.stuck) as stuck:
        task.cancel()
    ended = jobs.stop(patience_ms=100)

    assert stuck.args == ["Own code"]
    assert not ended
    go_on.set()
    assert jobs.stop()


class Large:
    """A weakly referable replacement for the masks of a large model."""


@pytest.mark.parametrize("ends", ["cancelled", "refused", "a bug", "well"])
def test_inputs_and_results_are_freed_without_the_garbage_collector(calls, qtbot, ends):
    alive: list[weakref.ref[Large]] = []
    tasks = []

    def work(job):
        large = Large()
        alive.append(weakref.ref(large))
        if ends == "cancelled":
            job.cancel.cancel()
            job.step(1)
        elif ends == "refused":
            raise ExportError("The disk is full.") from OSError(28, "No space left on device")
        elif ends == "a bug":
            raise ZeroDivisionError
        return large

    def ended():
        return tasks and calls.cancelled + len(calls.errors) + len(calls.results)

    gc.collect()
    gc.disable()
    try:
        # A closure that refers to its own task, as some callbacks do.
        tasks.append(calls.run(work, on_cancelled=lambda: (calls.on_cancelled(), tasks)))
        qtbot.waitUntil(lambda: bool(ended()))
        assert [str(error) for error in calls.errors] == ["The disk is full."] * (ends == "refused")
        calls.results.clear()
        qtbot.waitUntil(lambda: alive[0]() is None)
    finally:
        gc.enable()


def test_a_user_program_blocks_no_other_job_and_ends_when_it_is_cancelled(
    jobs, calls, started, qtbot
):
    """The program itself may end later, as it may ignore cancellation."""
    program, ends = Calls(jobs), threading.Event()
    waits = program.run(lambda _job: ends.wait(30), "Program", lane=Lane.PROGRAM)
    qtbot.waitUntil(lambda: waits.begun)
    calls.run(lambda _job: 1, "Work")
    qtbot.waitUntil(lambda: calls.results == [1])
    assert started == ["Program", "Work", "Program"]

    assert jobs.cancel_visible()

    assert program.cancelled == 1
    assert started[3:] == ["idle"]
    ends.set()
    program.run(lambda _job: 2, "Next", lane=Lane.PROGRAM)
    qtbot.waitUntil(lambda: program.results == [2])
    assert program.cancelled == 1


def test_the_latest_task_replaces_the_previous_one_silently(jobs, calls, qtbot):
    latest = LatestTask(jobs)
    first = calls.run(endless, "First", latest)
    qtbot.waitUntil(lambda: first.begun)

    second = calls.run(lambda _job: "second", "Second", latest)
    assert latest.task is second
    qtbot.waitUntil(lambda: calls.results == ["second"])

    assert latest.task is None
    assert not calls.cancelled
    calls.run(endless, "Third", latest)
    assert jobs.cancel_visible()
    qtbot.waitUntil(lambda: calls.cancelled == 1)


def test_all_visible_tasks_are_listed_with_what_they_wait_for(jobs, calls, qtbot):
    first = calls.run(endless, "Exporting")
    calls.run(endless, "Comparing")
    program = calls.run(endless, "Repair", lane=Lane.PROGRAM)
    calls.run(endless)
    qtbot.waitUntil(lambda: first.begun and program.begun and first.progress.total == 10_000)

    states = jobs.states()

    assert [state.progress.title for state in states] == ["Exporting", "Repair", "Comparing"]
    assert [state.is_running for state in states] == [True, True, False]
    assert [state.waits_for for state in states] == ["", "", "Exporting"]
    assert states[0].progress.label == "on and on"
    states[2].key.cancel()
    assert len(jobs.states()) == 2, "it will not begin"


def test_one_task_is_cancelled_and_others_go_on(jobs, calls, qtbot):
    first = calls.run(endless, "Exporting")
    queued = calls.run(endless, "Comparing")
    program = calls.run(endless, "Repair", lane=Lane.PROGRAM)
    qtbot.waitUntil(lambda: first.begun and program.begun)

    jobs.cancel(queued)
    assert calls.cancelled == 1, "a queued task ends at once"
    jobs.cancel(jobs.states()[1].key)
    assert calls.cancelled == 2
    assert [state.progress.title for state in jobs.states()] == ["Exporting"]
    assert not first.token.cancelled


@pytest.mark.parametrize("by_user", [True, False])
def test_what_the_user_cancels_can_be_started_again(jobs, calls, qtbot, by_user):
    offered, again = [], Restart(lambda: None, continues=True)
    jobs.cancelled.connect(offered.append)
    task = calls.run(endless, "Repair", lane=Lane.PROGRAM, restart=again)
    qtbot.waitUntil(lambda: task.begun)

    if by_user:
        jobs.cancel(task)
    else:
        jobs.cancel_visible()  # another file is opened

    assert calls.cancelled == 1
    assert [(job.title, job.restart) for job in offered] == [("Repair", again)] * by_user


def test_the_end_of_a_job_whose_error_is_its_own_cause_is_reported(jobs, qtbot):
    """Regression: the causes were followed for ever."""
    error, ended = PruneAppError("in a circle"), []

    def work(_job):
        raise error from error

    jobs.run(work, ended.append, ended.append)
    qtbot.waitUntil(lambda: ended == [error])
