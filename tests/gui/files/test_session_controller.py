"""Sessions are saved, journals are written, and both are offered after a crash."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QMessageBox, QWidget
from safetensors.numpy import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io.digest import known_sha256
from pruneapp.document.document import Capture
from pruneapp.document.step import Row, Step
from pruneapp.edits.existing_masks import open_document
from pruneapp.gui.app import dialogs
from pruneapp.gui.plots.pages import Page
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.sessions import history_codec
from pruneapp.sessions import journal as journal_module
from pruneapp.sessions.journal import Journal, folder
from pruneapp.sessions.journal_file import JournalDatabase
from pruneapp.sessions.journal_reader import read_journal
from tests.gui.user import PATIENCE_MS


@pytest.fixture
def file(tmp_path) -> Path:
    return write(tmp_path / "model.safetensors")


def write(path: Path, seed: int = 1) -> Path:
    rng = np.random.default_rng(seed)
    arrays = {"a.weight": rng.normal(size=(8, 5)), "b.weight": rng.normal(size=(6, 8))}
    save_file({n: a.astype(np.float32) for n, a in arrays.items()}, path)
    return path


def wait_for_journal(user):
    """Wait until all steps are in the journal."""
    user.wait(lambda: not user.workbench.autosave._busy)


def journals() -> list[Path]:
    return sorted(folder().glob("*.journal")) if folder().exists() else []


def save(user, path):
    user.chooses_file(path, "getSaveFileName")
    user.key("Ctrl+S")
    user.wait(lambda: user.workbench.sessions.path == path)


def masks(user) -> dict:
    return {name: mask.packed.tobytes() for name, mask in user.document.masks.items()}


def test_a_session_is_saved_by_ctrl_s_and_opened_again(user, new_user, file, tmp_path):
    user.open_file(file)
    user.prune()
    user.prune()
    user.key("Ctrl+Z")
    user.click_cell("b.weight")
    user.key("2")
    before, session = masks(user), tmp_path / "work.prune"
    assert user.window.windowTitle() == "model.safetensors[*] — Pruneapp"
    assert user.window.isWindowModified()
    save(user, session)
    assert user.window.windowTitle() == "work.prune — Pruneapp"
    assert not user.window.isWindowModified()
    assert "Saved work.prune" in user.window.done.label.text()
    assert set(load_file(session)) >= {"mask/a.weight", "mask/b.weight", "session.json"}

    user.key("Ctrl+W")  # asks nothing
    assert user.document is None
    user.wait(lambda: journals() == [])
    user.click(user.window.empty.recent_buttons[0])
    user.wait(lambda: user.document is not None)
    assert masks(user) == before
    assert user.document.position == 1
    assert len(user.states) == 3
    assert user.views.pages.heading.name.text() == "b.weight"
    assert user.views.pages.page is Page.DISTRIBUTION
    assert user.window.windowTitle() == "work.prune — Pruneapp"
    user.key("Ctrl+W")
    user.drop(session)
    user.wait(lambda: user.document is not None)
    assert masks(user) == before
    again = new_user(session)  # as on the command line
    again.wait(lambda: again.start.workbench is not None and again.document is not None)
    assert masks(again) == before
    user.key("Ctrl+Shift+Z")
    assert user.document.position == 2
    assert not user.window.isWindowModified(), "the session contains this state too"
    user.prune()
    assert user.window.isWindowModified()


def test_the_name_of_a_session_is_proposed_completed_and_asked_about(
    user, file, tmp_path, monkeypatch
):
    user.open_file(file)
    user.prune()
    user.chooses_file(tmp_path / "none" / "work.prune", "getSaveFileName")
    user.key("Ctrl+S")
    user.wait(lambda: user.trouble)
    assert "cannot be written" in user.trouble[0]
    assert user.window.isWindowModified()

    asked = []

    def choose(_parent, _title, proposed, _filter):
        asked.append(proposed)
        return str(tmp_path / "mine"), ""

    with monkeypatch.context() as patch:
        patch.setattr(QFileDialog, "getSaveFileName", staticmethod(choose))
        user.session.note_folder("session", file)
        user.key("Ctrl+S")
        user.wait(lambda: user.workbench.sessions.path == tmp_path / "mine.prune")
        user.key("Ctrl+S")  # to the same file
        user.wait_idle()
        assert asked == [str(file.with_suffix(".prune"))]
        questions = user.answers("Replace")
        user.key("Ctrl+Shift+S")
        assert asked[1:] == [str(tmp_path / "mine.prune")]
        assert "A file with this name already exists" in questions[0]
        user.wait_idle()

    # The file dialog has not asked about this name, which has the suffix.
    other = tmp_path / "model.safetensors.prune"
    other.write_text("other work")
    user.chooses_file(file, "getSaveFileName")
    questions = user.answers("Cancel")
    user.key("Ctrl+Shift+S")
    assert other.name in questions[0]
    assert user.workbench.sessions.path == tmp_path / "mine.prune"
    assert other.read_text() == "other work"
    user.answers("Replace")
    user.key("Ctrl+Shift+S")
    user.wait(lambda: user.workbench.sessions.path == other)
    assert load_file(other)
    assert load_file(file), "never the checkpoint itself"


@pytest.mark.usefixtures("histories_off")
def test_closing_saves_first_where_that_is_wanted_and_possible(
    user, file, tmp_path, qtbot, monkeypatch
):
    def stays() -> bool:
        return user.window.isVisible() and user.document.position == 1

    user.open_file(file)
    user.prune()

    def fail() -> bool:
        raise ValueError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(user.workbench.files, "may_leave", fail)
        with qtbot.captureExceptions() as caught:
            assert not user.window.close()
        assert [str(error) for _kind, error, _trace in caught] == ["a bug"]
        assert stays()

    user.chooses_file("", "getSaveFileName")  # the file dialog was cancelled
    user.answers("Save session…")
    assert not user.window.close()
    user.wait_idle()
    assert stays()

    user.chooses_file(tmp_path / ("n" * 300), "getSaveFileName")
    user.answers("Save session…")
    assert not user.window.close()
    user.wait(lambda: user.trouble)
    assert "too long" in user.trouble[0]
    assert stays()

    user.chooses_file(tmp_path / "work.prune", "getSaveFileName")
    asked = user.answers("Save session…")
    assert not user.window.close(), "only after it is on disk"
    user.wait(lambda: not user.window.isVisible())
    assert "You have unsaved changes." in asked[0]
    assert (tmp_path / "work.prune").exists()
    assert journals() == []


@pytest.mark.usefixtures("histories_off")
def test_who_works_in_a_session_is_asked_about_what_is_not_in_it(user, file, tmp_path):
    user.open_file(file)
    user.prune()
    save(user, tmp_path / "work.prune")
    user.prune()
    user.export(tmp_path / "out.safetensors")
    user.close_report()
    assert user.window.isWindowModified(), "the export has no history"
    asked = user.answers("Cancel")
    assert not user.window.close()
    assert "not been saved in 'work.prune'" in asked[0]
    user.key("Ctrl+Z")
    assert user.window.isWindowModified(), "the undone step is not in the session"
    user.key("Ctrl+Shift+Z")
    user.answers("Save session")
    assert not user.window.close()
    user.wait(lambda: not user.window.isVisible())


@pytest.mark.usefixtures("histories_off")
def test_closing_after_an_export_asks_about_undo_if_that_is_not_kept(user, file, tmp_path):
    user.open_file(file)
    user.prune()
    assert user.window.isWindowModified()
    user.export(tmp_path / "out.safetensors")
    user.close_report()
    assert not user.window.isWindowModified()
    assert user.window.windowTitle() == "model.safetensors — Pruneapp"
    user.prune()
    assert user.window.isWindowModified()
    asked = user.answers("Cancel")
    assert not user.window.close()
    assert "You have unsaved changes." in asked[0]
    user.key("Ctrl+Z")  # the exported step
    assert user.window.isWindowModified(), "the step after it is not saved"
    asked = user.answers("Cancel")
    assert not user.window.close()
    assert asked[0].startswith("Undone steps and other branches have not been saved.")
    user.export(tmp_path / "again.safetensors")
    user.close_report()
    assert user.window.isWindowModified(), "it is still not saved"
    user.key("Ctrl+Shift+Z")
    user.export(tmp_path / "both.safetensors")
    user.close_report()
    assert not user.window.isWindowModified()
    user.key("Ctrl+Z")
    asked = user.answers("Discard changes")
    assert user.window.close()
    assert asked[0].startswith("The undo history has not been saved. Save a session to keep it.")


@pytest.mark.usefixtures("histories_off")
def test_steps_that_were_undone_are_asked_about(user, file, tmp_path):
    """Regression: at "Opened", closing asked nothing, and the next start did not offer them."""
    user.open_file(file)
    user.prune()
    user.prune()
    user.key("Ctrl+Z")
    user.key("Ctrl+Z")
    assert user.document.position == 0
    assert user.window.windowTitle() == "model.safetensors[*] — Pruneapp"
    assert user.window.isWindowModified()
    asked = user.answers("Cancel")
    assert not user.window.close()
    assert asked[0].startswith("Undone steps and other branches have not been saved.")
    save(user, tmp_path / "work.prune")
    assert not user.window.isWindowModified()
    user.document.delete(2)
    assert user.window.isWindowModified()
    user.key("Ctrl+S")
    user.wait(lambda: not user.window.isWindowModified())
    assert user.window.close()


# The checkpoint was moved


def test_of_another_checkpoint_is_said_what_differs_and_its_masks_can_be_used(user, file, tmp_path):
    user.open_file(file)
    user.prune()
    save(user, tmp_path / "work.prune")
    before = masks(user)
    user.key("Ctrl+W")
    write(file, seed=2)
    user.drop(tmp_path / "work.prune")
    user.wait(lambda: len(user.notices) == 2)
    assert "different content" in user.notices[0]
    user.click(user.window.notices.notices[1].action)
    user.wait(lambda: user.document is not None)
    assert masks(user) == before
    assert user.states == ["Opened", "Masks of work.prune applied"]
    assert user.window.windowTitle() == "model.safetensors[*] — Pruneapp"


def shards(folder: Path) -> Path:
    """Write a model of three shards."""
    folder.mkdir()
    rng = np.random.default_rng(7)
    names = {f"{n}.weight": f"model-0000{k}-of-00003.safetensors" for k, n in enumerate("abc", 1)}
    for tensor, name in names.items():
        save_file({tensor: rng.normal(size=(6, 8)).astype(np.float32)}, folder / name)
    index = {"metadata": {}, "weight_map": names}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def test_a_folder_that_was_exported_onto_itself_is_found_again_by_its_session(user, tmp_path):
    folder = shards(tmp_path / "my-llama")
    user.drop(folder)
    user.wait_open(folder)
    user.prune()
    before, session = masks(user), tmp_path / "my-llama.prune"
    save(user, session)
    assert user.export(folder) is not None
    user.close_report()
    kept_files = sorted(path.name for path in folder.glob("*.orig.safetensors"))
    assert kept_files == [f"model-0000{k}-of-00003.orig.safetensors" for k in (1, 2, 3)]
    user.key("Ctrl+W")
    user.wait(lambda: user.document is None)

    user.drop(session)
    user.wait(lambda: user.document is not None or user.notices)
    assert user.window.windowTitle() == "my-llama.prune — Pruneapp", user.notices
    assert masks(user) == before
    assert user.document.checkpoint.path == folder
    user.prune()
    user.key("Ctrl+S")
    user.wait(lambda: not user.workbench.sessions.unsaved)
    assert not user.trouble

    # As saved, but moved: a folder is asked for.
    user.key("Ctrl+W")
    (tmp_path / "there").mkdir()
    there = folder.rename(tmp_path / "there" / "llama")
    user.drop(session)
    user.wait(lambda: user.notices)
    assert "no longer exists" in user.notices[0]
    user.chooses_file(there, "getExistingDirectory")
    user.click(user.window.notices.notices[0].action)
    user.wait(lambda: user.document is not None)
    assert user.document.checkpoint.path == there
    assert user.window.windowTitle() == "my-llama.prune — Pruneapp"


def test_a_shard_that_is_named_means_its_folder(user, tmp_path):
    folder = shards(tmp_path / "my-llama")
    index = folder / "model.safetensors.index.json"
    user.open_file(index)
    user.prune()
    before, session = masks(user), tmp_path / "work.prune"
    save(user, session)
    user.key("Ctrl+W")
    (tmp_path / "there").mkdir()
    there = folder.rename(tmp_path / "there" / "llama")
    user.drop(session)
    user.wait(lambda: user.notices)
    user.chooses_file(there / "model-00002-of-00003.safetensors")
    user.click(user.window.notices.notices[0].action)
    user.wait(lambda: user.document is not None)
    assert masks(user) == before
    assert user.document.checkpoint.path == there


# After a crash


def kill(user, name: str = "000000000000") -> bytes:
    """Close a window and leave its journal, as if it was killed; return the journal."""
    wait_for_journal(user)
    user.wait(lambda: len(journals()) == 1 and journals()[0].stem != name)
    copy = journals()[0].read_bytes()
    user.answers("Discard changes")
    assert user.window.close()
    assert journals() == []
    (folder() / f"{name}.journal").write_bytes(copy)
    return copy


def offered(new_user):
    """Return the user at a new window that offers unsaved work."""
    user = new_user().wait_ready()
    user.wait(user.window.recovery.isVisible)
    assert user.window.empty.size() == user.window.centralWidget().size(), "it covers the page"
    return user


def restore(user):
    user.click(user.window.recovery.restore_buttons[0])
    user.wait(lambda: user.document is not None)


@pytest.mark.usefixtures("histories_off")
def test_work_of_a_killed_window_is_offered_restored_and_deleted(new_user, file, tmp_path):
    user = new_user().wait_ready()
    user.open_file(file)
    user.prune()
    user.prune()
    before, journal = masks(user), kill(user)

    user = offered(new_user)
    user.click(user.window.recovery.later)  # at another start
    assert not user.window.recovery.isVisible()
    assert len(journals()) == 1

    user = offered(new_user)
    offer = user.window.recovery
    user.click(offer.restore_buttons[0])
    user.click(offer.restore_buttons[0])  # again, while it is being opened
    user.wait(lambda: user.document is not None)
    user.wait_idle()
    assert masks(user) == before
    assert user.document.position == 2
    assert user.window.isWindowModified()
    assert user.trouble == []
    user.wait(lambda: not offer.isVisible())
    wait_for_journal(user)
    user.wait(lambda: [p.name for p in journals()] not in ([], ["000000000000.journal"]))
    assert len(journals()) == 1, "it has a new journal"
    assert not user.bugs

    assert kill(user)
    there = file.rename(tmp_path / "moved.safetensors")
    user = offered(new_user)
    user.click(user.window.recovery.restore_buttons[0])
    user.wait(lambda: user.notices)  # the checkpoint is gone
    user.chooses_file(there)
    user.click(user.window.notices.notices[0].action)
    user.wait(lambda: user.document is not None)
    assert masks(user) == before
    user.answers("Discard changes")
    assert user.window.close()

    (folder() / "000000000000.journal").write_bytes(journal)
    user = offered(new_user)
    offer = user.window.recovery
    user.answers("Cancel")
    user.click(offer.delete_buttons[0])
    assert len(journals()) == 1
    asked = user.answers("Delete")
    user.click(offer.delete_buttons[0])
    assert "model.safetensors" in asked[0]
    user.wait(lambda: not offer.isVisible())
    assert journals() == []


@pytest.mark.usefixtures("histories_off")
def test_check_marks_and_amount_of_the_last_step_come_back_together(new_user, file):
    """Also of a crash after a crash: a recovered journal is copied."""
    user = new_user().wait_ready()
    user.open_file(file)
    checked = user.views.tree.checked_names()[:1]
    assert len(user.views.tree.checked_names()) == 2
    user.workbench.form.check(checked)
    user.ask_amount("35 %")
    user.prune()
    form = user.workbench.view_state.read()["form"]
    wait_for_journal(user)
    for crash in range(2):
        kill(user)
        user = offered(new_user)
        restore(user)
        assert user.views.tree.checked_names() == checked, crash
        assert user.workbench.view_state.read()["form"] == form, crash
        wait_for_journal(user)


@pytest.fixture
def killed_in_a_session(histories_off, new_user, file, tmp_path):
    """Save a session, prune, and kill the window; return the session file."""
    user = new_user().wait_ready()
    user.open_file(file)
    user.prune()
    save(user, tmp_path / "work.prune")
    user.prune()
    kill(user)
    return tmp_path / "work.prune"


def test_work_that_is_taken_up_goes_on_in_the_session_that_it_was_saved_in(
    killed_in_a_session, new_user, monkeypatch
):
    user = offered(new_user)
    restore(user)
    assert user.document.position == 2
    assert user.window.windowTitle() == "work.prune[*] — Pruneapp"
    assert user.window.isWindowModified()
    user.key("Ctrl+Z")
    assert user.window.isWindowModified(), "the undone step is not in the session"
    user.key("Ctrl+Shift+Z")
    kill(user)  # before saving: the new journal also refers to the session

    again = offered(new_user)
    restore(again)
    before = masks(again)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", None)  # asks nothing
    again.key("Ctrl+S")
    again.wait(lambda: not again.workbench.sessions.unsaved)
    assert again.window.windowTitle() == "work.prune — Pruneapp"
    again.key("Ctrl+W")
    again.drop(killed_in_a_session)
    again.wait(lambda: again.document is not None)
    assert masks(again) == before
    assert again.document.position == 2
    assert not again.bugs


def test_a_session_that_something_else_was_saved_in_is_not_replaced_unasked(
    killed_in_a_session, new_user
):
    (journal,) = journals()
    copy = journal.read_bytes()
    os.utime(killed_in_a_session, (time.time() + 60, time.time() + 60))
    for change in ("written since", "gone"):
        if change == "gone":
            killed_in_a_session.unlink()
            journal.write_bytes(copy)
        user = offered(new_user)
        restore(user)
        assert user.window.windowTitle() == "model.safetensors[*] — Pruneapp", change
        assert user.workbench.sessions.path is None, change
        user.answers("Discard changes")
        assert user.window.close()


def test_a_step_that_was_killed_while_its_masks_were_written_is_computed_again(
    new_user, file, monkeypatch
):
    monkeypatch.setattr(journal_module, "AT_ONCE", 0)
    document = open_document(open_checkpoint(file))
    for name in ("a.weight", "b.weight"):
        step = Step((Row((name,), "l1_unstructured", {"amount": 0.5}),))
        document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    before = {name: mask.packed.tobytes() for name, mask in document.masks.items()}
    journal = Journal(folder())
    with pytest.raises(ZeroDivisionError):  # while the first masks are written
        journal.keep(Capture.of(document), {}, Job(), lambda: 1 // 0)
    journal.close()
    document.checkpoint.close()
    user = offered(new_user)
    button = user.window.recovery.restore_buttons[0]
    assert button.accessibleDescription() == "The last 2 steps are recomputed."
    user.click(button)
    user.wait(lambda: user.document is not None)
    assert masks(user) == before
    assert user.document.position == 2
    assert not user.notices
    assert not user.bugs


def test_temporary_files_of_a_killed_export_are_offered_for_deletion(new_user, file, tmp_path):
    place = tmp_path / "elsewhere"
    place.mkdir()
    user = new_user().wait_ready()
    user.open_file(file)
    user.export(place / "out.safetensors")
    user.close_report()
    user.window.close()
    left = place / ".out.safetensors.0123abcd.part"
    left.write_bytes(b"x" * 5000)
    folder_left = file.with_name("model.partial-0123abcd")
    folder_left.mkdir()
    (folder_left / "a.safetensors").write_bytes(b"x" * 3000)
    again = new_user().wait_ready()
    offer = again.window.recovery
    again.wait(offer.isVisible)
    assert offer.restore_buttons == []
    assert "2 temporary files of exports" in offer.files_button.accessibleName()
    assert "8.0 kB" in offer.files_button.accessibleName().replace("\u00a0", " ")
    again.click(offer.files_button)
    again.wait(lambda: not offer.isVisible())
    assert not left.exists()
    assert not folder_left.exists()
    assert (place / "out.safetensors").exists()


@pytest.mark.usefixtures("histories_off")
def test_a_window_without_work_leaves_no_journal(user, file):
    user.open_file(file)
    user.pause(100)
    assert journals() == []
    user.prune()
    wait_for_journal(user)
    assert len(journals()) == 1
    user.answers("Discard changes")
    user.key("Ctrl+W")
    user.wait(lambda: journals() == [])


def test_a_disk_that_is_full_is_said_once_and_work_is_kept_as_soon_as_there_is_room(
    user, file, monkeypatch
):
    refused = []
    put = JournalDatabase.put

    def refuse(*arguments):
        refused.append(arguments)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(JournalDatabase, "put", refuse)
    user.workbench.autosave._retry.setInterval(10)
    user.open_file(file)
    user.prune()
    user.wait(lambda: user.trouble)
    seen = len(refused)
    user.wait(lambda: len(refused) > seen)
    user.prune()
    wait_for_journal(user)
    assert "cannot be restored" in user.trouble[0]
    assert user.document.position == 2
    monkeypatch.setattr(JournalDatabase, "put", put)
    user.wait(lambda: len(journals()) == 1)
    wait_for_journal(user)
    assert len(user.trouble) == 1


def test_what_is_done_while_masks_are_written_is_in_the_journal_at_once(
    user, file, tmp_path, monkeypatch
):
    monkeypatch.setattr(journal_module, "AT_ONCE", 0)
    monkeypatch.setattr(history_codec, "PIECE", 1)
    for module in (history_codec, journal_module):
        monkeypatch.setattr(module, "SMALL", 0)
    pack, slow, turns = history_codec.pack, True, threading.Semaphore(0)

    def packed(*masks):
        for piece in pack(*masks):
            if slow:
                assert turns.acquire(timeout=PATIENCE_MS / 1000)
            yield piece

    monkeypatch.setattr(journal_module, "pack", packed)
    copy = tmp_path / "copy.journal"

    def intents() -> int:
        turns.release()  # one piece of the masks between two reads
        copy.write_bytes(journals()[0].read_bytes())
        with read_journal(copy, Job()) as found:
            return len(found.history.intents)

    user.open_file(file)
    user.prune()
    user.prune()
    user.wait(lambda: journals() and intents() == 2)
    assert user.workbench.autosave._busy, "the masks of the first step are still being written"
    slow = False
    turns.release()
    wait_for_journal(user)
    assert intents() == 0
    assert not user.bugs


def test_the_checksum_of_the_checkpoint_is_counted_when_nobody_waits(user, file, tmp_path):
    user.workbench.checksums._idle._pause.setInterval(10)
    user.open_file(file)
    user.prune()
    (source,) = user.document.checkpoint.sources
    user.wait(lambda: known_sha256(source))
    expected = hashlib.sha256(file.read_bytes()).hexdigest()
    assert known_sha256(source) == expected
    save(user, tmp_path / "work.prune")
    assert expected.encode() in (tmp_path / "work.prune").read_bytes()


@pytest.fixture
def other_copy(user, tmp_path):
    """Write a journal whose checkpoint is replaced: they differ only outside the checked pieces."""
    file = tmp_path / "large.safetensors"
    weights = np.random.default_rng(1).normal(size=(1024, 1024)).astype(np.float32)
    save_file({"a.weight": weights}, file)
    user.workbench.checksums._idle._pause.setInterval(10)
    user.open_file(file)
    user.prune()
    (source,) = user.document.checkpoint.sources
    user.wait(lambda: known_sha256(source))
    save(user, tmp_path / "work.prune")
    user.key("Ctrl+W")
    data = bytearray(file.read_bytes())
    data[200_000] ^= 1
    file.write_bytes(data)
    return tmp_path / "work.prune"


def test_a_copy_is_compared_by_its_checksum_when_nobody_waits(user, other_copy):
    user.drop(other_copy)
    user.wait(lambda: user.trouble)
    assert "its SHA-256 differs" in user.trouble[0]


def test_a_copy_is_compared_also_where_an_export_counted_it(user, other_copy, tmp_path):
    user.workbench.checksums._idle._pause.setInterval(600_000)
    user.drop(other_copy)
    user.wait(lambda: user.document is not None)
    user.export(tmp_path / "out.safetensors")
    user.close_report()
    (source,) = user.document.checkpoint.sources
    assert known_sha256(source)
    assert user.trouble == []
    user.workbench.checksums._idle._pause.start(10)
    user.wait(lambda: user.trouble)
    assert "its SHA-256 differs" in user.trouble[0]


@pytest.mark.usefixtures("histories_off")
def test_an_export_onto_the_source_moves_what_the_work_is_about(user, file, new_user):
    """After a crash, the journal refers to the copy of the original."""
    user.open_file(file)
    user.prune()
    user.export(file)
    user.close_report()
    user.prune()
    wait_for_journal(user)
    before = masks(user)
    kill(user)
    again = offered(new_user)
    restore(again)
    assert again.document.checkpoint.path.name == "model.orig.safetensors"
    assert masks(again) == before


@pytest.mark.usefixtures("histories_off")
def test_work_is_offered_also_where_all_of_it_was_exported_or_undone(new_user, file, tmp_path):
    """An export contains no steps. A recovered journal is written to a new file."""
    user = new_user().wait_ready()
    user.open_file(file)
    user.prune()
    user.prune()
    user.export(tmp_path / "out.safetensors")
    user.close_report()
    assert not user.session.unexported
    for position, text in ((2, "2 steps on model"), (0, "2 undone steps on model")):
        user.click_state(position)
        user.wait(lambda at=user, to=position: at.document.position == to)
        before = masks(user)
        kill(user)
        user = offered(new_user)
        assert text in user.window.recovery.restore_buttons[0].accessibleName()
        restore(user)
        assert masks(user) == before
        assert (len(user.states), user.document.position) == (3, position)
    assert not user.bugs


CHILD = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from pruneapp.gui import application as app

def work(bench):
    bench.session.opened.connect(lambda _x: step())
    keeping, forecasting = bench.autosave, bench.preview
    def step():
        button = bench.views.preview.action.button
        if button.isEnabled() and forecasting.state.preview is not None and not keeping._busy:
            print(bench.session.document.position, flush=True)
            bench.preview.prune()
        QTimer.singleShot(5, step)

made = app.Start.__init__
def init(self, *a, **k):
    made(self, *a, **k)
    self.ready.connect(work)
app.Start.__init__ = init
app.main([Path(sys.argv[1])])
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_after_a_kill_the_next_start_offers_the_work(new_user, file):
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=dict(os.environ),
    )
    done = 0
    for line in child.stdout:
        done = int(line)
        if done == 3:
            break
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=30)
    assert done == 3
    user = offered(new_user)
    restore(user)
    assert user.document.position in {3, 4}
    assert not user.bugs


def test_a_long_name_is_not_cut_off_in_a_question(show, monkeypatch):
    seen = []

    def look(box):
        box.show()
        label = box.findChild(QLabel, "qt_msgbox_informativelabel")
        flags = Qt.TextFlag.TextWordWrap.value
        taken = label.fontMetrics().boundingRect(label.contentsRect(), flags, label.text())
        seen.append((taken.width(), label.width(), label.text().replace("\u200b", "")))
        box.hide()

    monkeypatch.setattr(QMessageBox, "exec", look)
    what = f"/models/{'a_very_long_name_' * 7}.safetensors\nL1 30 % on fc"
    assert not dialogs.delete_work(show(QWidget()), what)
    ((taken, width, text),) = seen
    assert taken <= width
    assert text == what
