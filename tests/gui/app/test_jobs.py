"""Work runs off the main thread, comes back on it, and stops when it is told to."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
from PySide6.QtCore import QCoreApplication, QTimer

from pruneapp.errors import ExportError
from pruneapp.gui.app import jobs as module
from pruneapp.gui.app.jobs import Jobs, Priority
from tests.gui.event_loop_delay import Stopwatch
from tests.gui.job_gate import endless


@pytest.fixture
def jobs(qtbot):
    made = Jobs()
    yield made
    made.stop()


class Heard:
    """Callbacks that note what they heard, and on which thread."""

    def __init__(self):
        self.results, self.errors, self.cancelled, self.threads = [], [], 0, set()

    def on_result(self, result):
        self.threads.add(threading.current_thread())
        self.results.append(result)

    def on_error(self, error):
        self.threads.add(threading.current_thread())
        self.errors.append(error)

    def on_cancelled(self):
        self.threads.add(threading.current_thread())
        self.cancelled += 1

    def callbacks(self):
        return {
            "on_result": self.on_result,
            "on_error": self.on_error,
            "on_cancelled": self.on_cancelled,
        }


def test_work_runs_in_the_worker_and_callbacks_on_the_main_thread(jobs, qtbot):
    heard = Heard()

    jobs.submit("Work", lambda _job: threading.current_thread(), **heard.callbacks())
    qtbot.waitUntil(lambda: len(heard.results) == 1)

    assert heard.results[0] is not threading.main_thread()
    assert heard.threads == {threading.main_thread()}


def test_work_is_done_in_the_order_in_which_it_was_asked_for(jobs, qtbot):
    heard = Heard()
    for number in range(20):
        jobs.submit("Work", lambda _job, n=number: n, **heard.callbacks())

    qtbot.waitUntil(lambda: len(heard.results) == 20)

    assert heard.results == list(range(20))


def test_cancelling_stops_within_a_quarter_of_a_second(jobs, qtbot):
    heard = Heard()
    task = jobs.submit("Endless", endless, **heard.callbacks())
    qtbot.waitUntil(lambda: task.begun)
    took = Stopwatch()

    task.cancel()
    qtbot.waitUntil(lambda: heard.cancelled == 1)

    assert took.seconds < 1.0  # 0.25 s on a machine that rests: bench cancel
    assert not heard.results
    assert not jobs.busy


def test_cancelling_work_that_waits_never_starts_it(jobs, qtbot):
    heard, started = Heard(), []
    first = jobs.submit("Endless", endless, **heard.callbacks())
    second = jobs.submit("Later", lambda _job: started.append(1), **heard.callbacks())

    second.cancel()
    first.cancel()
    qtbot.waitUntil(lambda: heard.cancelled == 2)

    assert not started


def test_work_that_waits_is_over_as_soon_as_it_is_cancelled(jobs, qtbot):
    """Nobody waits for the job before it, which nobody cancelled."""
    before, heard, idle = Heard(), Heard(), []
    jobs.idle.connect(lambda: idle.append(1))
    running = jobs.submit("Previewing", endless, **before.callbacks(), visible=False)
    qtbot.waitUntil(lambda: running.begun)
    jobs.submit("Exporting", endless, **heard.callbacks())

    assert jobs.cancel_visible()

    assert heard.cancelled == 1
    assert idle == [1]
    assert not running.token.cancelled


def test_an_error_for_the_person_reaches_the_callback(jobs, qtbot):
    heard = Heard()

    def work(_job):
        raise ExportError("The disk is full.")

    jobs.submit("Work", work, **heard.callbacks())
    qtbot.waitUntil(lambda: len(heard.errors) == 1)

    assert str(heard.errors[0]) == "The disk is full."


@pytest.mark.parametrize("how", ["cancelled", "stopped", "wanted"])
def test_a_result_that_nobody_wants_any_more_is_let_go_of_once(jobs, qtbot, how):
    heard, late, made = Heard(), [], threading.Event()

    def work(_job):
        made.set()
        return "open"

    task = jobs.submit("Opening", work, **heard.callbacks(), on_late=late.append)
    assert made.wait(20)
    if how == "cancelled":
        task.cancel()
    elif how == "stopped":
        assert jobs.stop()
    qtbot.waitUntil(lambda: jobs.is_idle)
    QCoreApplication.sendPostedEvents()

    assert late == ([] if how == "wanted" else ["open"])
    assert heard.results == (["open"] if how == "wanted" else [])


def test_a_bug_becomes_a_report_and_the_worker_lives_on(jobs, qtbot):
    heard = Heard()

    with qtbot.waitSignal(jobs.failed) as failed:
        jobs.submit("Work", lambda _job: 1 / 0, **heard.callbacks())
    jobs.submit("Work", lambda _job: "alive", **heard.callbacks())
    qtbot.waitUntil(lambda: len(heard.results) == 1)

    assert failed.args[0].startswith("ZeroDivisionError")
    assert "Traceback" in failed.args[1]
    assert heard.results == ["alive"]


def test_progress_is_told_a_few_times_a_second_only(jobs, qtbot):
    heard, told = Heard(), []
    jobs.progressed.connect(told.append)

    def work(job):
        job.start(100_000, "layer")
        for _ in range(100_000):
            job.step(1)

    jobs.submit("Counting", work, **heard.callbacks())
    qtbot.waitUntil(lambda: heard.results == [None])

    assert 1 <= len(told) < 60
    assert told[0].title == "Counting"
    assert told[0].label == "layer"


def test_pictures_are_answered_while_the_worker_is_busy(jobs, qtbot):
    heard, answers = Heard(), Heard()
    task = jobs.submit("Endless", endless, **heard.callbacks())

    jobs.run_short(lambda _job: "picture", on_result=answers.on_result, on_error=answers.on_error)
    qtbot.waitUntil(lambda: answers.results == ["picture"])

    assert answers.threads == {threading.main_thread()}
    task.cancel()
    qtbot.waitUntil(lambda: heard.cancelled == 1)


def test_answers_begin_once_the_main_thread_is_done_with_what_it_does(jobs, qtbot):
    """It has a file to show, and threads that count meanwhile would take turns with it."""
    heard, begun = Heard(), threading.Event()
    jobs.run_short(lambda _job: begun.set(), **heard.callbacks())
    assert not begun.wait(0.05)
    qtbot.waitUntil(lambda: len(heard.results) == 1)

    soon = threading.Event()
    jobs.run_short(lambda _job: soon.set(), **heard.callbacks(), priority=Priority.INTERACTIVE)
    assert soon.wait(10), "what a moving slider waits for begins at once"
    qtbot.waitUntil(lambda: len(heard.results) == 2)


def test_questions_about_much_that_is_new_begin_once_it_is_painted(jobs, qtbot, monkeypatch):
    """Qt paints what a callback changed some milliseconds after it returned."""
    monkeypatch.setattr(module, "LONG_S", 0.0)
    monkeypatch.setattr(module, "PAINT_MS", 400)
    heard, order = Heard(), []

    def shown(_result: object) -> None:
        jobs.run_short(lambda _job: order.append("answer"), **heard.callbacks())
        QTimer.singleShot(5, lambda: order.append("painted"))

    callbacks = heard.callbacks() | {"on_result": shown}
    jobs.run_short(lambda _job: None, **callbacks, priority=Priority.INTERACTIVE)
    qtbot.waitUntil(lambda: len(order) == 2)
    assert order == ["painted", "answer"]
    qtbot.waitUntil(lambda: len(heard.results) == 1)


def test_questions_are_not_put_off_again_and_again(jobs, qtbot, monkeypatch):
    """Else none would be answered while a slow machine follows a slider."""
    monkeypatch.setattr(module, "LONG_S", 0.0)
    monkeypatch.setattr(module, "PAINT_MS", 300)
    heard, asked = Heard(), []

    def again(_result: object) -> None:  # each one a callback that takes long
        if not asked:
            jobs.run_short(asked.append, **heard.callbacks())
        if not heard.results:
            jobs.run_short(lambda _job: None, **callbacks, priority=Priority.INTERACTIVE)

    callbacks = heard.callbacks() | {"on_result": again}
    jobs.run_short(lambda _job: None, **callbacks, priority=Priority.INTERACTIVE)
    qtbot.waitUntil(lambda: bool(heard.results))
    qtbot.waitUntil(lambda: jobs.is_idle)


def test_stopping_ends_everything_and_nothing_comes_back(qtbot):
    jobs, heard = Jobs(), Heard()
    jobs.submit("Endless", endless, **heard.callbacks())
    qtbot.wait(20)

    jobs.stop()
    qtbot.wait(50)

    assert not heard.results
    assert not heard.cancelled


def test_only_visible_work_is_shown(jobs, qtbot):
    heard, started = Heard(), []
    jobs.started.connect(started.append)
    jobs.submit("Hidden", lambda _job: 1, **heard.callbacks(), visible=False)
    with qtbot.waitSignal(jobs.idle):
        jobs.submit("Shown", lambda _job: 2, **heard.callbacks())

    assert started == ["Shown"]


def test_progress_is_never_shown_under_the_title_of_another_task(jobs, qtbot):
    """Who waits is told of in its turn."""
    told, heard = [], Heard()
    jobs.started.connect(told.append)
    jobs.progressed.connect(lambda progress: told.append(progress.title))
    jobs.idle.connect(lambda: told.append("idle"))
    first = jobs.submit("Exporting", endless, **heard.callbacks())
    qtbot.waitUntil(lambda: "Exporting" in told[1:])
    second = jobs.submit("Opening", endless, **heard.callbacks())
    hidden = jobs.submit("Previewing", endless, **heard.callbacks(), visible=False)
    jobs.show(hidden, "Pruning")
    qtbot.wait(100)
    assert set(told) == {"Exporting"}

    told.clear()
    first.cancel()
    qtbot.waitUntil(lambda: told[-1:] == ["Opening"] and len(told) > 2)
    assert set(told[told.index("Opening") :]) == {"Opening"}
    second.cancel()
    qtbot.waitUntil(lambda: "Pruning" in told)
    hidden.cancel()
    qtbot.waitUntil(lambda: told[-1] == "idle")


def test_a_task_that_hears_nothing_is_told_of_and_keeps_nobody_waiting(qtbot, monkeypatch):
    monkeypatch.setattr("pruneapp.gui.app.jobs.UNRESPONSIVE_MS", 50)
    jobs, heard, go_on = Jobs(), Heard(), threading.Event()
    task = jobs.submit("Own code", lambda _job: go_on.wait(20), **heard.callbacks())
    qtbot.waitUntil(lambda: task.begun)

    with qtbot.waitSignal(jobs.stuck) as stuck:
        task.cancel()
    ended = jobs.stop(patience_ms=100)

    assert stuck.args == ["Own code"]
    assert not ended
    go_on.set()
    assert jobs.stop()


class Large:
    """Stands for the masks of a large model."""


@pytest.mark.parametrize("ends", ["cancelled", "refused", "a bug", "well"])
def test_what_a_job_worked_on_is_let_go_of_without_the_collector(jobs, qtbot, ends):
    heard = Heard()
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
        return tasks and heard.cancelled + len(heard.errors) + len(heard.results)

    gc.collect()
    gc.disable()
    try:
        # As closures do that ask how their own job ended.
        tasks.append(
            jobs.run_short(
                work,
                on_result=heard.on_result,
                on_error=heard.on_error,
                on_cancelled=lambda: (heard.on_cancelled(), tasks),
            )
        )
        qtbot.waitUntil(lambda: bool(ended()))
        heard.results.clear()
        qtbot.waitUntil(lambda: alive[0]() is None)
    finally:
        gc.enable()


def test_what_waits_for_a_program_keeps_nothing_waiting_and_is_over_when_cancelled(jobs, qtbot):
    """The program itself may end later: it may not listen."""
    program, other, started, idle = Heard(), Heard(), [], []
    jobs.started.connect(started.append)
    jobs.idle.connect(lambda: idle.append(1))
    ends = threading.Event()
    waits = jobs.submit(
        "Program", lambda _job: ends.wait(30), **program.callbacks(), runs_program=True
    )
    qtbot.waitUntil(lambda: waits.begun)
    jobs.submit("Work", lambda _job: 1, **other.callbacks())
    qtbot.waitUntil(lambda: other.results == [1])
    assert started == ["Program", "Work", "Program"]

    assert jobs.cancel_visible()

    assert program.cancelled == 1
    assert idle == [1]
    ends.set()
    jobs.submit("Next", lambda _job: 2, **program.callbacks(), runs_program=True)
    qtbot.waitUntil(lambda: program.results == [2])
    assert program.cancelled == 1
