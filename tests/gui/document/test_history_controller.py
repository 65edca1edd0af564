"""Undo and redo of a document whose history exceeds its memory limit."""

from __future__ import annotations

import threading
import weakref

import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp.gui.document import history_controller


@pytest.fixture
def model(tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "model.safetensors"
    save_file(
        {f"h.{n}.weight": rng.standard_normal((64, 64), np.float32) for n in range(4)}, str(path)
    )
    return path


def three_steps(user, model, budget=None):
    """Prune three times, with a limit of bytes for masks in memory."""
    user.open_file(model)
    if budget is not None:
        user.document.history.store.budget = budget
    for amount in ("10 %", "20 %", "30 %"):
        user.ask_amount(amount)
        user.wait_preview()
        user.click(user.button)
        user.wait_idle()


@pytest.fixture
def pruned(user, model):
    """Return the user after three steps, with the masks of one in memory."""
    three_steps(user, model, budget=4 * 64 * 64 // 8)
    history = user.document.history
    assert user.document.position == 3
    assert history.store.nbytes <= history.store.budget, (
        "the masks were not moved to the scratch file"
    )
    return user


def counts(user):
    return [user.document.masks.pruned(f"h.{n}.weight") for n in range(4)]


def test_undo_and_redo_have_no_effect_at_the_ends_of_the_history(user, model):
    """Programs may call them although their commands are disabled there."""
    three_steps(user, model)
    history = user.workbench.history
    history.redo()
    assert user.document.position == 3
    for position in (2, 1, 0, 0):
        history.undo()
        assert user.document.position == position
    assert user.trouble == []


def test_what_was_put_aside_is_read_in_the_background_and_comes_back(pruned):
    after = counts(pruned)
    pruned.key("Ctrl+Z")
    assert pruned.document.position == 3, "reading from disk blocks nothing"
    assert pruned.workbench.jobs.busy
    pruned.wait(lambda: pruned.document.position == 2)
    assert counts(pruned) != after
    pruned.key("Ctrl+Z")
    pruned.key("Ctrl+Z")  # continues from there while the first masks are read
    pruned.wait(lambda: pruned.document.position == 0)
    assert counts(pruned) == [0, 0, 0, 0]
    pruned.click_state(3)
    pruned.wait(lambda: pruned.document.position == 3)
    assert counts(pruned) == after
    pruned.wait_idle()
    assert pruned.document.history.store.nbytes <= pruned.document.history.store.budget


def test_reading_can_be_cancelled_or_fail_and_the_state_stays(pruned, monkeypatch):
    def broken(*_arguments):
        raise OSError(5, "Input/output error")

    after = counts(pruned)
    pruned.key("Ctrl+Z")
    pruned.key("Esc")
    pruned.wait_idle()
    assert (pruned.document.position, counts(pruned)) == (3, after)
    with monkeypatch.context() as patch:
        patch.setattr(pruned.document.history.scratch, "read", broken)
        pruned.key("Ctrl+Z")
        pruned.wait(lambda: pruned.trouble)
        assert "cannot be read again: input/output error." in pruned.trouble[0]
        assert (pruned.document.position, counts(pruned)) == (3, after)
    pruned.key("Ctrl+Z")
    pruned.wait(lambda: pruned.document.position == 2)


def test_a_full_disk_is_told_once_and_undo_works(user, model, monkeypatch):
    def full(*_arguments):
        raise OSError(28, "No space left on device")

    user.open_file(model)
    monkeypatch.setattr(user.document.history.scratch, "write", full)
    user.document.history.store.budget = 4 * 64 * 64 // 8
    for amount in ("10 %", "20 %", "30 %"):
        user.ask_amount(amount)
        user.wait_preview()
        user.click(user.button)
        user.wait_idle()
        if user.trouble:
            assert len(user.trouble) == 1
            assert "remain in memory: no space left on device. Undo still works" in user.trouble[0]
            user.window.notices.clear()
            seen = user.document.position
    assert seen < 3, "not exactly one notice, after the last step"
    user.key("Ctrl+Z")
    assert user.document.position == 2


def test_a_state_may_be_deleted_while_its_size_is_computed(user, model, monkeypatch):
    gates, calls = [threading.Event() for _ in range(2)], []
    size_of = history_controller.size_of

    def wait_and_size(past, parameters, job):
        calls.append(past)
        if len(calls) <= len(gates):
            gates[len(calls) - 1].wait(10)
        return size_of(past, parameters, job)

    user.open_file(model)
    user.wait_idle()
    monkeypatch.setattr(history_controller, "size_of", wait_and_size)
    for amount in ("10 %", "20 %"):
        user.ask_amount(amount)
        user.wait_preview()
        user.prune()
    user.document.jump(1)
    gates[0].set()
    user.wait(lambda: len(calls) == 2)  # the size of the second step
    deleted = threading.Event()
    weakref.finalize(user.document.history.records[1], deleted.set)
    user.document.delete(2)
    user.ask_amount("30 %")
    user.wait_preview()
    user.prune()
    user.wait(deleted.is_set)
    gates[1].set()
    user.wait_idle()
    assert len(user.document.history) == 2


def test_what_is_deleted_is_let_go_of_a_part_at_a_time(user, model, monkeypatch):
    three_steps(user, model)
    history = user.document.history
    assert history.store.nbytes == 3 * 4 * 64 * 64 // 8
    parts = []
    let_go = history.forget_cut_off
    monkeypatch.setattr(history_controller, "SLICE", 3)
    monkeypatch.setattr(
        history, "forget_cut_off", lambda most: (parts.append(most), let_go(most))[1]
    )
    for _ in range(3):
        user.key("Ctrl+Z")
    user.wait(lambda: user.document.position == 0)
    parts.clear()
    user.document.delete(1)
    user.wait(lambda: not history.store.nbytes)
    assert len(history) == 0
    assert len(parts) == 20 // 3 + 1, "two steps refer to the first 8 of 12 masks"
