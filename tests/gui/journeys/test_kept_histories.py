"""Closing a file asks nothing, as its history is saved and restored when the file is reopened."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QPushButton
from safetensors.numpy import load_file, save_file

from pruneapp.gui.app.settings import KEEP_HISTORIES
from pruneapp.sessions import journal_file, kept_histories
from pruneapp.sessions.journal import folder
from tests.gui.job_gate import endless


@pytest.fixture
def file(tmp_path) -> Path:
    return write(tmp_path / "model.safetensors", 1)


def write(path: Path, seed: int) -> Path:
    rng = np.random.default_rng(seed)
    arrays = {"a.weight": rng.normal(size=(8, 5)), "b.weight": rng.normal(size=(6, 8))}
    save_file({n: a.astype(np.float32) for n, a in arrays.items()}, path)
    return path


@pytest.fixture
def pruned(user, file):
    """Return the user with a file of three steps, the last of which is undone."""
    user.open_file(file)
    for _ in range(3):
        user.prune()
    user.key("Ctrl+Z")
    return user


def wait_restored(user, states: int = 4, position: int = 2) -> None:
    user.wait(lambda: len(user.states) == states and user.document.position == position)


def masks(user) -> dict:
    return {name: mask.packed.tobytes() for name, mask in user.document.masks.items()}


def open_other(user, tmp_path) -> Path:
    other = write(tmp_path / "other.safetensors", 2)
    user.open_file(other)
    return other


RESTORED = "Restored 2 earlier steps of this file."
MORE = "The history contains 1 more state, undone or on another branch."


def test_the_question_about_a_running_job_says_what_is_kept(pruned):
    jobs, asked = pruned.workbench.jobs, pruned.answers("Wait")
    jobs.run(endless, lambda _: None, lambda _: None, title="Work")
    assert not pruned.window.close()
    assert "The history of 'model.safetensors' is kept and restored" in asked[0]
    jobs.cancel_visible()


def test_closing_a_file_says_that_its_history_is_kept(pruned):
    pruned.key("Ctrl+W")
    pruned.wait(lambda: pruned.document is None)
    kept = "The history of 'model.safetensors' is kept and restored when you open it again."
    pruned.wait(lambda: pruned.window.done.label.text() == kept)


def test_a_file_that_is_opened_again_goes_on_where_it_was(pruned, new_user, file):
    before, asked = masks(pruned), pruned.answers("Cancel")
    assert pruned.window.close()
    again = new_user(file).wait_ready()
    wait_restored(again)
    assert (asked, masks(again)) == ([], before)
    assert again.notices == [f"{RESTORED} {MORE}"]
    assert not again.window.recovery.isVisible(), "it is no crash"
    (button,) = (
        b for b in again.window.notices.findChildren(QPushButton) if b.text().startswith("Start")
    )
    again.click(button)
    again.wait(lambda: again.document.position == 0)
    assert not again.notices
    assert not any(mask.pruned for mask in again.document.masks.values())
    again.key("Ctrl+Shift+Z")
    again.wait(lambda: again.document.position == 1)
    assert len(again.states) == 4, "the history is complete"


def test_the_offer_to_start_from_the_file_ends_with_the_next_change(pruned, new_user, file):
    assert pruned.window.close()
    again = new_user(file).wait_ready()
    wait_restored(again)
    again.key("Ctrl+Shift+Z")
    again.wait(lambda: again.document.position == 3)
    assert again.notices == []


def test_another_file_and_back_by_any_way(pruned, tmp_path, file):
    before, asked = masks(pruned), pruned.answers("Cancel")
    for way in ("recent", "open", "drop", "close"):
        if way == "close":
            pruned.key("Ctrl+W")
            pruned.wait(lambda: pruned.document is None)
        else:
            open_other(pruned, tmp_path)
            assert pruned.states == ["Opened"]
        if way == "recent":
            pruned.menu("File", "Open recent", f"2 {file}")
        elif way == "drop":
            assert pruned.drop(file)
        elif way == "close":
            button = pruned.window.empty.recent_buttons[0]
            pruned.click(button, QPoint(4, button.height() // 2))
        else:
            pruned.open(file)
        pruned.wait(lambda: pruned.document and pruned.document.checkpoint.path == file)
        wait_restored(pruned)
        assert (way, asked, masks(pruned)) == (way, [], before)

    document = pruned.document  # the open file is opened again
    pruned.open(file)
    pruned.wait(lambda: pruned.document not in {document, None})
    wait_restored(pruned)
    assert masks(pruned) == before


def test_undo_works_after_an_export_and_a_restart(pruned, new_user, file, tmp_path):
    pruned.key("Ctrl+Shift+Z")
    pruned.export(tmp_path / "out.safetensors")
    pruned.close_report()
    assert not pruned.window.isWindowModified()
    asked = pruned.answers("Cancel")
    assert pruned.window.close()
    again = new_user(file).wait_ready()
    wait_restored(again, position=3)
    assert not asked
    assert not again.window.isWindowModified(), "the exported state is recorded"
    again.key("Ctrl+Z")
    again.wait(lambda: again.document.position == 2)
    exported = load_file(tmp_path / "out.safetensors")
    assert set(exported) == set(again.document.masks)


def test_what_is_not_in_the_session_is_kept_with_it(pruned, new_user, tmp_path):
    session = tmp_path / "work.prune"
    pruned.chooses_file(session, "getSaveFileName")
    pruned.key("Ctrl+S")
    pruned.wait(lambda: pruned.workbench.sessions.path == session)
    pruned.key("Ctrl+Shift+Z")
    pruned.prune()
    assert pruned.window.isWindowModified()
    asked = pruned.answers("Cancel")
    assert pruned.window.close()
    again = new_user(session).wait_ready()
    wait_restored(again, states=5, position=4)
    assert not asked
    assert again.workbench.sessions.path == session
    assert again.notices == [], "the user chose the session, so nothing is offered"
    text = "Opened work.prune with the changes that were not saved in it."
    assert again.window.done.label.text() == text
    assert again.window.isWindowModified()
    again.key("Ctrl+S")
    again.wait(lambda: not again.window.isWindowModified())
    assert again.window.close()
    assert kept_histories.total() == (0, 0), "the session is complete"


def test_a_history_that_does_not_fit_is_not_restored(user, tmp_path):
    for how in ("changed", "replaced", "damaged"):
        file = write(tmp_path / f"{how}.safetensors", 1)
        user.open_file(file)
        user.prune()
        user.key("Ctrl+W")
        user.wait(lambda: user.document is None)
        (kept,) = kept_histories.find(file)
        sentence = f"'{file.name}' changed since its history was saved, so it is not restored."
        if how == "changed":
            content = bytearray(file.read_bytes())
            content[-1] ^= 1
            file.write_bytes(content)
        elif how == "replaced":
            write(file, 5)
        else:
            kept.write_bytes(b"nothing")
            sentence = f"The saved history of '{file.name}' cannot be read, so it is not restored."
        user.open_file(file)
        assert user.states == ["Opened"], how
        assert user.notices == [sentence]
        assert kept.exists(), "it is not deleted"


def test_a_step_that_was_not_asked_about_is_kept_for_another_window(pruned, file, tmp_path):
    """Each window saves the history of its file."""
    other = write(tmp_path / "other.safetensors", 2)
    beside = pruned.open_beside(other)
    beside.prune()
    asked = pruned.answers("Cancel")
    pruned.key("Ctrl+Q")
    pruned.wait(lambda: not pruned.window.isVisible())
    assert not asked
    assert len(kept_histories.find(file)) == len(kept_histories.find(other)) == 1


def test_histories_are_cleared_by_a_command(pruned, tmp_path):
    open_other(pruned, tmp_path)
    assert kept_histories.total()[0] == 1
    asked = pruned.answers("Cancel", "Delete")
    for left in (1, 0):
        pruned.menu("File", "Open recent", "Clear saved histories")
        assert kept_histories.total()[0] == left
    assert asked[0].startswith("Delete the kept history of 1 file?")
    assert pruned.window.done.label.text() == "Saved histories deleted."
    pruned.menu("File", "Open recent", "Clear saved histories")
    assert pruned.window.done.label.text() == "No history is kept."


# -- histories that cannot be saved ------------------------------------------------------------


def turn_off(user, _monkeypatch) -> None:
    user.workbench.settings.set(KEEP_HISTORIES, value=False)


def make_small(_user, monkeypatch) -> None:
    monkeypatch.setattr(kept_histories, "MOST_BYTES", 100)


def fill_disk(_user, monkeypatch) -> None:
    def refuse(*_arguments):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(journal_file.JournalDatabase, "transaction", refuse)


@pytest.mark.logs
def test_what_cannot_be_kept_is_asked_about(user, tmp_path, monkeypatch):
    for name, prevent, sentence in (
        ("large", make_small, "The history is too large to be kept: "),
        ("full", fill_disk, "cannot be written to the disk (no space left on device)"),
        ("off", turn_off, "The history of closed files is not kept"),
    ):
        file = write(tmp_path / f"{name}.safetensors", 1)
        user.open_file(file)
        user.prune()
        user.export(tmp_path / f"{name}-out.safetensors")
        user.close_report()
        with monkeypatch.context() as patch:
            prevent(user, patch)
            asked = user.answers("Cancel", "Discard changes")
            assert not user.window.close()
            assert user.document is not None
            assert asked[0].startswith(
                "The undo history has not been saved. Save a session to keep it."
            )
            assert sentence in asked[0], name
            if name == "off":
                assert user.window.close()
            else:
                user.key("Ctrl+W")
                user.wait(lambda: user.document is None)
            assert len(asked) == 2
        assert not kept_histories.find(file), name
        user.wait(lambda: not list(folder().glob("*.journal")))


def test_a_history_that_was_kept_before_is_not_restored_when_turned_off(pruned, tmp_path, file):
    open_other(pruned, tmp_path)
    turn_off(pruned, None)
    pruned.open_file(file)
    assert pruned.states == ["Opened"]


def test_who_discards_and_stays_is_asked_again(pruned, tmp_path):
    """The other file cannot be opened, so that nothing is closed."""
    turn_off(pruned, None)
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes((1000).to_bytes(8, "little") + b"{")
    asked = pruned.answers("Discard changes", "Cancel")
    pruned.open(broken)
    pruned.wait(lambda: bool(pruned.trouble))
    assert not pruned.window.close()
    assert len(asked) == 2
