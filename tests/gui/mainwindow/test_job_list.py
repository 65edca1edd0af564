"""The list of jobs, what Escape closes and cancels, and the undo of a cancellation."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from safetensors.numpy import save_file

from pruneapp.errors import PruneAppError
from pruneapp.gui.app.jobs import Lane, Restart
from pruneapp.gui.mainwindow import job_list
from tests.gui.event_loop_delay import Stopwatch
from tests.gui.job_gate import Gate, endless
from tests.gui.user import is_in_sight, plain


@pytest.fixture
def at_work(user, tmp_path):
    """Return the user at a window with a small file open."""
    path = tmp_path / "m.safetensors"
    rng = np.random.default_rng(1)
    save_file({"fc.weight": rng.normal(size=(8, 10)).astype(np.float32)}, path)
    return user.open_file(path)


class Work:
    """Runs jobs in the window of a user, and counts what was cancelled and started again."""

    def __init__(self, user) -> None:
        self.user, self.jobs = user, user.workbench.jobs
        self.cancelled: list[str] = []
        self.restarted: list[str] = []

    def run(self, title, lane=Lane.PROGRAM, work=endless):
        task = self.jobs.run(
            work,
            print,
            print,
            title=title,
            lane=lane,
            on_cancelled=lambda: self.cancelled.append(title),
            restart=Restart(lambda: self.restarted.append(title)),
        )
        if lane is not Lane.SERIAL:
            self.user.wait(lambda: task.begun)
        return task


@pytest.fixture
def work(at_work):
    return Work(at_work)


def rows_of(user):
    return user.workbench.job_list.panel.rows


def test_the_status_bar_opens_a_list_of_running_and_queued_jobs(work):
    user, panel = work.user, work.user.workbench.job_list.panel
    work.run("Repair")
    work.run("Exporting", Lane.SERIAL)
    work.run("Comparing", Lane.SERIAL)
    user.wait(user.window.job_status.isVisible)
    assert user.window.job_status.all.text() == "3 jobs"

    user.click(user.window.job_status.all)

    user.wait(panel.isVisible)
    user.wait(lambda: rows_of(user)[0].item.text() == "on and on")
    assert [row.title.text() for row in rows_of(user)] == ["Exporting", "Repair", "Comparing"]
    assert rows_of(user)[2].item.text() == "Waits for: Exporting"
    assert plain(rows_of(user)[2].time.text()).startswith("queued for ")
    assert user.window.rect().contains(panel.geometry())

    user.click(rows_of(user)[2].cancel)
    assert work.cancelled == ["Comparing"]
    user.click(rows_of(user)[1].cancel)
    assert work.cancelled == ["Comparing", "Repair"]
    user.click(rows_of(user)[0].cancel)
    user.wait(lambda: len(work.cancelled) == 3)
    user.wait(panel.none.isVisible)


def test_the_list_closes_with_the_last_job_unless_a_command_opened_it(work):
    user, panel = work.user, work.user.workbench.job_list.panel
    for opened_by_command in (False, True):
        work.run("Repair")
        user.wait(user.window.job_status.isVisible)
        if opened_by_command:
            user.key("Ctrl+J")
        else:
            user.click(user.window.job_status.all)
        user.wait(panel.isVisible)
        work.jobs.cancel_visible()
        assert panel.isVisible(), "another job may follow"
        user.wait(lambda: panel.none.isVisible() or not panel.isVisible())
        if opened_by_command:
            user.pause(job_list._CLOSE_MS + 200)
            user.click(panel.close_button)
            assert not panel.isVisible()
        else:
            user.wait(lambda: not panel.isVisible())


def test_the_list_shows_elapsed_and_remaining_time(work):
    user = work.user

    def steady(job):
        job.start(10_000, "half")
        job.step(2_000)
        Gate(closed=True).wait(job, 1)

    task = work.run("Repair", work=steady)
    task.began -= 10
    user.key("Ctrl+J")
    user.wait(lambda: "left" in rows_of(user)[0].time.text())
    elapsed, left = plain(rows_of(user)[0].time.text()).split(", ")
    assert 10 <= int(elapsed.split()[0]) < 40
    assert left.endswith("left")
    user.key("Ctrl+J")
    assert not user.workbench.job_list.panel.isVisible()
    work.jobs.cancel(task)


def test_escape_closes_panels_and_notices_before_it_cancels_a_job(work):
    user, window = work.user, work.user.window
    work.run("Repair")
    window.notices.set_notice("The first thing.")
    window.notices.set_notice("The second thing.")
    user.key("Ctrl+J")
    user.wait(user.workbench.job_list.panel.isVisible)

    user.key("Esc")
    assert not user.workbench.job_list.panel.isVisible()
    assert len(user.notices) == 2
    user.key("Esc")
    assert user.notices == ["The first thing."]
    user.key("Esc")
    assert not user.notices
    assert not work.cancelled
    user.key("Esc")
    assert work.cancelled == ["Repair"]


def test_escape_cancels_the_job_of_the_status_bar_only(work):
    work.run("Repair")
    first = work.run("Exporting", Lane.SERIAL)
    work.user.wait(lambda: first.begun)
    work.user.key("Esc")
    work.user.wait(lambda: work.cancelled == ["Exporting"])
    work.user.key("Esc")
    assert work.cancelled == ["Exporting", "Repair"]


@pytest.mark.parametrize("lane", [Lane.PROGRAM, Lane.SERIAL])
def test_cancelling_is_quick_while_the_main_thread_is_busy(work, lane):
    user = work.user
    task = work.run("Repair", lane)
    user.wait(lambda: task.begun)
    user.key("Ctrl+J")
    timer = QTimer(user.window)
    timer.timeout.connect(lambda: time.sleep(0.03))  # no wait: it blocks as a large repaint does
    timer.start(5)
    took = Stopwatch()

    user.click(rows_of(user)[0].cancel)
    user.wait(lambda: work.cancelled == ["Repair"])

    assert took.seconds < 1.0  # 0.25 s on an idle machine
    timer.stop()


def test_a_long_job_that_was_cancelled_can_be_started_again(work, monkeypatch):
    user, window = work.user, work.user.window
    work.run("Exporting")
    user.key("Esc")
    assert not user.notices, "starting again costs nothing"

    task = work.run("Repair")
    task.began -= 125
    user.key("Esc")
    assert [plain(text) for text in user.notices] == [
        "'Repair' was cancelled after 2 min. It can be started again with the same settings."
    ]
    assert window.notices.notices[0].action.text() == "Start again"
    user.click(window.notices.notices[0].action)
    assert work.restarted == ["Repair"]
    assert not user.notices

    monkeypatch.setattr(job_list, "_OFFER_AFTER_S", 0.0)
    work.run("Repair")
    user.key("Esc")
    assert len(user.notices) == 1
    user.prune()
    assert not user.notices, "the job belongs to another state"


def test_the_list_fits_into_a_small_window(work):
    user, panel = work.user, work.user.workbench.job_list.panel
    user.window.resize(720, 480)
    for number in range(12):
        work.run(f"Exporting {number}", Lane.SERIAL)
    user.key("Ctrl+J")
    user.wait(panel.isVisible)
    user.pause(50)
    assert user.window.rect().contains(panel.geometry())
    assert panel.geometry().bottom() < user.window.statusBar().y()
    user.click(panel.rows[-1].cancel)  # after scrolling to it
    assert work.cancelled == ["Exporting 11"]
    work.jobs.cancel_visible()


def test_notices_move_nothing_in_the_window(at_work):
    user, window = at_work, at_work.window
    pages = user.views.pages

    def places():
        user.pause(50)
        widgets = (pages, pages.heading, pages.tabs, user.views.tree.view, user.views.history)
        return [widget.mapTo(window, widget.rect().topLeft()) for widget in widgets], pages.size()

    before = places()
    window.notices.set_notice("The first thing happened. Do something about it.")
    window.notices.set_notice("The second thing.")
    assert places() == before
    bar, drawing = window.notices, user.views.pages.weights.drawing
    bottom = drawing.mapTo(window, drawing.rect().bottomLeft()).y()
    below = bottom - bar.mapTo(window, bar.rect().bottomLeft()).y()
    axis = user.views.pages.weights.canvas.bottom.height()
    assert axis <= below <= axis + 12, "above the axis"
    assert is_in_sight(bar.notices[0].close_button)
    user.click(bar.notices[0].close_button)
    user.click(bar.notices[0].close_button)
    assert places() == before


def test_an_error_ends_when_its_action_succeeds(at_work):
    user = at_work
    user.views.tree.uncheck_all()
    user.pause(50)
    user.key("Ctrl+Shift+M")
    user.wait(lambda: bool(user.trouble))
    assert user.trouble[0].startswith("No tensor is checked")
    user.key("Ctrl+Shift+M")
    assert len(user.trouble) == 1, "it flashes"
    assert user.window.notices.notices[0].flash_timer.isActive()
    user.check("fc.weight")
    user.wait(user.views.tree.checked_names)
    user.key("Ctrl+Shift+M")
    user.wait(lambda: user.workbench.scans.dialog is not None)
    assert not user.trouble
    user.workbench.scans.dialog.reject()


def test_a_refusal_ends_with_the_job_that_caused_it(at_work):
    user, owner = at_work, at_work.workbench.repair
    user.prune()
    user.session.lock(owner, PruneAppError("A repair is being computed."))
    user.key("Ctrl+Z")
    assert user.trouble == ["A repair is being computed."]
    user.session.lock(owner, None)
    assert not user.trouble


def test_keys_edit_the_selection_wherever_the_focus_is(at_work):
    user = at_work
    user.key("3")
    channels = user.views.pages.channels
    user.wait(channels.canvas.isVisible)
    user.wait_idle()
    channels.canvas.setFocus()
    user.key("Home", channels.canvas)
    user.key("Space", channels.canvas)
    user.wait(lambda: bool(channels.chosen))
    chosen = channels.chosen
    user.key("Del", user.window.export_button)
    user.wait(lambda: user.document.position == 1)
    assert user.document.masks.counts(["fc.weight"]) == [10 * len(chosen)]
    user.key("R", user.views.tree.tree_filter.flat)
    user.wait(lambda: user.document.position == 2)
    user.key("P", user.window.export_button)
    user.wait(lambda: user.document.position == 3)
    user.key("P", user.views.tree.tree_filter.text)
    assert user.views.tree.tree_filter.text.text() == "p", "fields get what is typed"
    assert user.document.position == 3
