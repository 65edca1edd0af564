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
from tests.gui.person import PATIENCE_MS


@pytest.fixture
def file(tmp_path) -> Path:
    return write(tmp_path / "model.safetensors")


def write(path: Path, seed: int = 1) -> Path:
    rng = np.random.default_rng(seed)
    arrays = {"a.weight": rng.normal(size=(8, 5)), "b.weight": rng.normal(size=(6, 8))}
    save_file({n: a.astype(np.float32) for n, a in arrays.items()}, path)
    return path


def wait_for_journal(person):
    """Wait until all steps are in the journal."""
    person.wait(lambda: not person.workbench.autosave._busy)


def journals() -> list[Path]:
    return sorted(folder().glob("*.journal")) if folder().exists() else []


def save(person, path):
    person.chooses_file(path, "getSaveFileName")
    person.key("Ctrl+S")
    person.wait(lambda: person.workbench.sessions.path == path)


def masks(person) -> dict:
    return {name: mask.packed.tobytes() for name, mask in person.document.masks.items()}


def test_a_session_is_saved_by_ctrl_s_and_opened_again(person, new_person, file, tmp_path):
    person.open_file(file)
    person.prune()
    person.prune()
    person.key("Ctrl+Z")
    person.click_cell("b.weight")
    person.key("2")
    before, session = masks(person), tmp_path / "work.prune"
    assert person.window.windowTitle() == "model.safetensors[*] — Pruneapp"
    assert person.window.isWindowModified()
    save(person, session)
    assert person.window.windowTitle() == "work.prune — Pruneapp"
    assert not person.window.isWindowModified()
    assert "Saved work.prune" in person.window.done.label.text()
    assert set(load_file(session)) >= {"mask/a.weight", "mask/b.weight", "session.json"}

    person.key("Ctrl+W")  # asks nothing
    assert person.document is None
    person.wait(lambda: journals() == [])
    person.click(person.window.empty.recent_buttons[0])
    person.wait(lambda: person.document is not None)
    assert masks(person) == before
    assert person.document.position == 1
    assert len(person.states) == 3
    assert person.views.pages.heading.name.text() == "b.weight"
    assert person.views.pages.page is Page.DISTRIBUTION
    assert person.window.windowTitle() == "work.prune — Pruneapp"
    person.key("Ctrl+W")
    person.drop(session)
    person.wait(lambda: person.document is not None)
    assert masks(person) == before
    again = new_person(session)  # as on the command line
    again.wait(lambda: again.start.workbench is not None and again.document is not None)
    assert masks(again) == before
    person.key("Ctrl+Shift+Z")
    assert person.document.position == 2
    assert not person.window.isWindowModified(), "the session contains this state too"
    person.prune()
    assert person.window.isWindowModified()


def test_the_name_of_a_session_is_proposed_completed_and_asked_about(
    person, file, tmp_path, monkeypatch
):
    person.open_file(file)
    person.prune()
    person.chooses_file(tmp_path / "none" / "work.prune", "getSaveFileName")
    person.key("Ctrl+S")
    person.wait(lambda: person.trouble)
    assert "cannot be written" in person.trouble[0]
    assert person.window.isWindowModified()

    asked = []

    def choose(_parent, _title, proposed, _filter):
        asked.append(proposed)
        return str(tmp_path / "mine"), ""

    with monkeypatch.context() as patch:
        patch.setattr(QFileDialog, "getSaveFileName", staticmethod(choose))
        person.session.note_folder("session", file)
        person.key("Ctrl+S")
        person.wait(lambda: person.workbench.sessions.path == tmp_path / "mine.prune")
        person.key("Ctrl+S")  # to the same file
        person.wait_idle()
        assert asked == [str(file.with_suffix(".prune"))]
        questions = person.answers("Replace")
        person.key("Ctrl+Shift+S")
        assert asked[1:] == [str(tmp_path / "mine.prune")]
        assert "A file with this name already exists" in questions[0]
        person.wait_idle()

    # The file dialog has not asked about this name, which has the suffix.
    other = tmp_path / "model.safetensors.prune"
    other.write_text("other work")
    person.chooses_file(file, "getSaveFileName")
    questions = person.answers("Cancel")
    person.key("Ctrl+Shift+S")
    assert other.name in questions[0]
    assert person.workbench.sessions.path == tmp_path / "mine.prune"
    assert other.read_text() == "other work"
    person.answers("Replace")
    person.key("Ctrl+Shift+S")
    person.wait(lambda: person.workbench.sessions.path == other)
    assert load_file(other)
    assert load_file(file), "never the checkpoint itself"


@pytest.mark.usefixtures("histories_off")
def test_closing_saves_first_where_that_is_wanted_and_possible(
    person, file, tmp_path, qtbot, monkeypatch
):
    def stays() -> bool:
        return person.window.isVisible() and person.document.position == 1

    person.open_file(file)
    person.prune()

    def fail() -> bool:
        raise ValueError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(person.workbench.files, "may_leave", fail)
        with qtbot.captureExceptions() as caught:
            assert not person.window.close()
        assert [str(error) for _kind, error, _trace in caught] == ["a bug"]
        assert stays()

    person.chooses_file("", "getSaveFileName")  # the file dialog was cancelled
    person.answers("Save session…")
    assert not person.window.close()
    person.wait_idle()
    assert stays()

    person.chooses_file(tmp_path / ("n" * 300), "getSaveFileName")
    person.answers("Save session…")
    assert not person.window.close()
    person.wait(lambda: person.trouble)
    assert "too long" in person.trouble[0]
    assert stays()

    person.chooses_file(tmp_path / "work.prune", "getSaveFileName")
    asked = person.answers("Save session…")
    assert not person.window.close(), "only after it is on disk"
    person.wait(lambda: not person.window.isVisible())
    assert "neither saved nor exported" in asked[0]
    assert (tmp_path / "work.prune").exists()
    assert journals() == []


@pytest.mark.usefixtures("histories_off")
def test_who_works_in_a_session_is_asked_about_what_is_not_in_it(person, file, tmp_path):
    person.open_file(file)
    person.prune()
    save(person, tmp_path / "work.prune")
    person.prune()
    person.export(tmp_path / "out.safetensors")
    person.close_report()
    assert person.window.isWindowModified(), "the export has no history"
    asked = person.answers("Cancel")
    assert not person.window.close()
    assert "not saved in 'work.prune'" in asked[0]
    person.key("Ctrl+Z")
    assert person.window.isWindowModified(), "the undone step is not in the session"
    person.key("Ctrl+Shift+Z")
    person.answers("Save session")
    assert not person.window.close()
    person.wait(lambda: not person.window.isVisible())


@pytest.mark.usefixtures("histories_off")
def test_closing_after_an_export_asks_about_undo_if_that_is_not_kept(person, file, tmp_path):
    person.open_file(file)
    person.prune()
    assert person.window.isWindowModified()
    person.export(tmp_path / "out.safetensors")
    person.close_report()
    assert not person.window.isWindowModified()
    assert person.window.windowTitle() == "model.safetensors — Pruneapp"
    person.prune()
    assert person.window.isWindowModified()
    asked = person.answers("Cancel")
    assert not person.window.close()
    assert "neither saved nor exported" in asked[0]
    person.key("Ctrl+Z")  # the exported step
    assert person.window.isWindowModified(), "the step after it is not saved"
    asked = person.answers("Cancel")
    assert not person.window.close()
    assert asked[0].startswith("Steps that are undone or on other branches are not saved; only")
    person.export(tmp_path / "again.safetensors")
    person.close_report()
    assert person.window.isWindowModified(), "it is still not saved"
    person.key("Ctrl+Shift+Z")
    person.export(tmp_path / "both.safetensors")
    person.close_report()
    assert not person.window.isWindowModified()
    person.key("Ctrl+Z")
    asked = person.answers("Discard changes")
    assert person.window.close()
    assert asked[0].startswith("Undo steps are not saved; only a session stores them.")


@pytest.mark.usefixtures("histories_off")
def test_steps_that_were_undone_are_asked_about(person, file, tmp_path):
    """Regression: at "Opened", closing asked nothing, and the next start did not offer them."""
    person.open_file(file)
    person.prune()
    person.prune()
    person.key("Ctrl+Z")
    person.key("Ctrl+Z")
    assert person.document.position == 0
    assert person.window.windowTitle() == "model.safetensors[*] — Pruneapp"
    assert person.window.isWindowModified()
    asked = person.answers("Cancel")
    assert not person.window.close()
    assert asked[0].startswith("Steps that are undone or on other branches are not saved; only")
    save(person, tmp_path / "work.prune")
    assert not person.window.isWindowModified()
    person.document.delete(2)
    assert person.window.isWindowModified()
    person.key("Ctrl+S")
    person.wait(lambda: not person.window.isWindowModified())
    assert person.window.close()


# The checkpoint was moved


def test_of_another_checkpoint_is_said_what_differs_and_its_masks_can_be_used(
    person, file, tmp_path
):
    person.open_file(file)
    person.prune()
    save(person, tmp_path / "work.prune")
    before = masks(person)
    person.key("Ctrl+W")
    write(file, seed=2)
    person.drop(tmp_path / "work.prune")
    person.wait(lambda: len(person.notices) == 2)
    assert "different content" in person.notices[0]
    person.click(person.window.notices.notices[1].action)
    person.wait(lambda: person.document is not None)
    assert masks(person) == before
    assert person.states == ["Opened", "Masks of work.prune applied"]
    assert person.window.windowTitle() == "model.safetensors[*] — Pruneapp"


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


def test_a_folder_that_was_exported_onto_itself_is_found_again_by_its_session(person, tmp_path):
    folder = shards(tmp_path / "my-llama")
    person.drop(folder)
    person.wait_open(folder)
    person.prune()
    before, session = masks(person), tmp_path / "my-llama.prune"
    save(person, session)
    assert person.export(folder) is not None
    person.close_report()
    kept_files = sorted(path.name for path in folder.glob("*.orig.safetensors"))
    assert kept_files == [f"model-0000{k}-of-00003.orig.safetensors" for k in (1, 2, 3)]
    person.key("Ctrl+W")
    person.wait(lambda: person.document is None)

    person.drop(session)
    person.wait(lambda: person.document is not None or person.notices)
    assert person.window.windowTitle() == "my-llama.prune — Pruneapp", person.notices
    assert masks(person) == before
    assert person.document.checkpoint.path == folder
    person.prune()
    person.key("Ctrl+S")
    person.wait(lambda: not person.workbench.sessions.unsaved)
    assert not person.trouble

    # As saved, but moved: a folder is asked for.
    person.key("Ctrl+W")
    (tmp_path / "there").mkdir()
    there = folder.rename(tmp_path / "there" / "llama")
    person.drop(session)
    person.wait(lambda: person.notices)
    assert "no longer exists" in person.notices[0]
    person.chooses_file(there, "getExistingDirectory")
    person.click(person.window.notices.notices[0].action)
    person.wait(lambda: person.document is not None)
    assert person.document.checkpoint.path == there
    assert person.window.windowTitle() == "my-llama.prune — Pruneapp"


def test_a_shard_that_is_named_means_its_folder(person, tmp_path):
    folder = shards(tmp_path / "my-llama")
    index = folder / "model.safetensors.index.json"
    person.open_file(index)
    person.prune()
    before, session = masks(person), tmp_path / "work.prune"
    save(person, session)
    person.key("Ctrl+W")
    (tmp_path / "there").mkdir()
    there = folder.rename(tmp_path / "there" / "llama")
    person.drop(session)
    person.wait(lambda: person.notices)
    person.chooses_file(there / "model-00002-of-00003.safetensors")
    person.click(person.window.notices.notices[0].action)
    person.wait(lambda: person.document is not None)
    assert masks(person) == before
    assert person.document.checkpoint.path == there


# After a crash


def kill(person, name: str = "000000000000") -> bytes:
    """Close a window and leave its journal, as if it was killed; return the journal."""
    wait_for_journal(person)
    person.wait(lambda: len(journals()) == 1 and journals()[0].stem != name)
    copy = journals()[0].read_bytes()
    person.answers("Discard changes")
    assert person.window.close()
    assert journals() == []
    (folder() / f"{name}.journal").write_bytes(copy)
    return copy


def offered(new_person):
    """Return the user at a new window that offers unsaved work."""
    person = new_person().wait_ready()
    person.wait(person.window.recovery.isVisible)
    return person


def restore(person):
    person.click(person.window.recovery.restore_buttons[0])
    person.wait(lambda: person.document is not None)


@pytest.mark.usefixtures("histories_off")
def test_work_of_a_killed_window_is_offered_restored_and_deleted(new_person, file, tmp_path):
    person = new_person().wait_ready()
    person.open_file(file)
    person.prune()
    person.prune()
    before, journal = masks(person), kill(person)

    person = offered(new_person)
    person.click(person.window.recovery.later)  # at another start
    assert not person.window.recovery.isVisible()
    assert len(journals()) == 1

    person = offered(new_person)
    offer = person.window.recovery
    person.click(offer.restore_buttons[0])
    person.click(offer.restore_buttons[0])  # again, while it is being opened
    person.wait(lambda: person.document is not None)
    person.wait_idle()
    assert masks(person) == before
    assert person.document.position == 2
    assert person.window.isWindowModified()
    assert person.trouble == []
    person.wait(lambda: not offer.isVisible())
    wait_for_journal(person)
    person.wait(lambda: [p.name for p in journals()] not in ([], ["000000000000.journal"]))
    assert len(journals()) == 1, "it has a new journal"
    assert not person.bugs

    assert kill(person)
    there = file.rename(tmp_path / "moved.safetensors")
    person = offered(new_person)
    person.click(person.window.recovery.restore_buttons[0])
    person.wait(lambda: person.notices)  # the checkpoint is gone
    person.chooses_file(there)
    person.click(person.window.notices.notices[0].action)
    person.wait(lambda: person.document is not None)
    assert masks(person) == before
    person.answers("Discard changes")
    assert person.window.close()

    (folder() / "000000000000.journal").write_bytes(journal)
    person = offered(new_person)
    offer = person.window.recovery
    person.answers("Cancel")
    person.click(offer.delete_buttons[0])
    assert len(journals()) == 1
    asked = person.answers("Delete")
    person.click(offer.delete_buttons[0])
    assert "model.safetensors" in asked[0]
    person.wait(lambda: not offer.isVisible())
    assert journals() == []


@pytest.mark.usefixtures("histories_off")
def test_check_marks_and_amount_of_the_last_step_come_back_together(new_person, file):
    """Also of a crash after a crash: a recovered journal is copied."""
    person = new_person().wait_ready()
    person.open_file(file)
    checked = person.views.tree.checked_names()[:1]
    assert len(person.views.tree.checked_names()) == 2
    person.workbench.form.check(checked)
    person.ask_amount("35 %")
    person.prune()
    form = person.workbench.view_state.read()["form"]
    wait_for_journal(person)
    for crash in range(2):
        kill(person)
        person = offered(new_person)
        restore(person)
        assert person.views.tree.checked_names() == checked, crash
        assert person.workbench.view_state.read()["form"] == form, crash
        wait_for_journal(person)


@pytest.fixture
def killed_in_a_session(histories_off, new_person, file, tmp_path):
    """Save a session, prune, and kill the window; return the session file."""
    person = new_person().wait_ready()
    person.open_file(file)
    person.prune()
    save(person, tmp_path / "work.prune")
    person.prune()
    kill(person)
    return tmp_path / "work.prune"


def test_work_that_is_taken_up_goes_on_in_the_session_that_it_was_saved_in(
    killed_in_a_session, new_person, monkeypatch
):
    person = offered(new_person)
    restore(person)
    assert person.document.position == 2
    assert person.window.windowTitle() == "work.prune[*] — Pruneapp"
    assert person.window.isWindowModified()
    person.key("Ctrl+Z")
    assert person.window.isWindowModified(), "the undone step is not in the session"
    person.key("Ctrl+Shift+Z")
    kill(person)  # before saving: the new journal also refers to the session

    again = offered(new_person)
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
    killed_in_a_session, new_person
):
    (journal,) = journals()
    copy = journal.read_bytes()
    os.utime(killed_in_a_session, (time.time() + 60, time.time() + 60))
    for change in ("written since", "gone"):
        if change == "gone":
            killed_in_a_session.unlink()
            journal.write_bytes(copy)
        person = offered(new_person)
        restore(person)
        assert person.window.windowTitle() == "model.safetensors[*] — Pruneapp", change
        assert person.workbench.sessions.path is None, change
        person.answers("Discard changes")
        assert person.window.close()


def test_a_step_that_was_killed_while_its_masks_were_written_is_computed_again(
    new_person, file, monkeypatch
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
    person = offered(new_person)
    button = person.window.recovery.restore_buttons[0]
    assert button.accessibleDescription() == "The last 2 steps are recomputed."
    person.click(button)
    person.wait(lambda: person.document is not None)
    assert masks(person) == before
    assert person.document.position == 2
    assert not person.notices
    assert not person.bugs


def test_temporary_files_of_a_killed_export_are_offered_for_deletion(new_person, file, tmp_path):
    place = tmp_path / "elsewhere"
    place.mkdir()
    person = new_person().wait_ready()
    person.open_file(file)
    person.export(place / "out.safetensors")
    person.close_report()
    person.window.close()
    left = place / ".out.safetensors.0123abcd.part"
    left.write_bytes(b"x" * 5000)
    folder_left = file.with_name("model.partial-0123abcd")
    folder_left.mkdir()
    (folder_left / "a.safetensors").write_bytes(b"x" * 3000)
    again = new_person().wait_ready()
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
def test_a_window_without_work_leaves_no_journal(person, file):
    person.open_file(file)
    person.pause(100)
    assert journals() == []
    person.prune()
    wait_for_journal(person)
    assert len(journals()) == 1
    person.answers("Discard changes")
    person.key("Ctrl+W")
    person.wait(lambda: journals() == [])


def test_a_disk_that_is_full_is_said_once_and_work_is_kept_as_soon_as_there_is_room(
    person, file, monkeypatch
):
    refused = []
    put = JournalDatabase.put

    def refuse(*arguments):
        refused.append(arguments)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(JournalDatabase, "put", refuse)
    person.workbench.autosave._retry.setInterval(10)
    person.open_file(file)
    person.prune()
    person.wait(lambda: person.trouble)
    seen = len(refused)
    person.wait(lambda: len(refused) > seen)
    person.prune()
    wait_for_journal(person)
    assert "not being kept" in person.trouble[0]
    assert person.document.position == 2
    monkeypatch.setattr(JournalDatabase, "put", put)
    person.wait(lambda: len(journals()) == 1)
    wait_for_journal(person)
    assert len(person.trouble) == 1


def test_what_is_done_while_masks_are_written_is_in_the_journal_at_once(
    person, file, tmp_path, monkeypatch
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

    person.open_file(file)
    person.prune()
    person.prune()
    person.wait(lambda: journals() and intents() == 2)
    assert person.workbench.autosave._busy, "the masks of the first step are still being written"
    slow = False
    turns.release()
    wait_for_journal(person)
    assert intents() == 0
    assert not person.bugs


def test_the_checksum_of_the_checkpoint_is_counted_when_nobody_waits(person, file, tmp_path):
    person.workbench.checksums._idle._pause.setInterval(10)
    person.open_file(file)
    person.prune()
    (source,) = person.document.checkpoint.sources
    person.wait(lambda: known_sha256(source))
    expected = hashlib.sha256(file.read_bytes()).hexdigest()
    assert known_sha256(source) == expected
    save(person, tmp_path / "work.prune")
    assert expected.encode() in (tmp_path / "work.prune").read_bytes()


@pytest.fixture
def other_copy(person, tmp_path):
    """Write a journal whose checkpoint is replaced: they differ only outside the checked pieces."""
    file = tmp_path / "large.safetensors"
    weights = np.random.default_rng(1).normal(size=(1024, 1024)).astype(np.float32)
    save_file({"a.weight": weights}, file)
    person.workbench.checksums._idle._pause.setInterval(10)
    person.open_file(file)
    person.prune()
    (source,) = person.document.checkpoint.sources
    person.wait(lambda: known_sha256(source))
    save(person, tmp_path / "work.prune")
    person.key("Ctrl+W")
    data = bytearray(file.read_bytes())
    data[200_000] ^= 1
    file.write_bytes(data)
    return tmp_path / "work.prune"


def test_a_copy_is_compared_by_its_checksum_when_nobody_waits(person, other_copy):
    person.drop(other_copy)
    person.wait(lambda: person.trouble)
    assert "its SHA-256 differs" in person.trouble[0]


def test_a_copy_is_compared_also_where_an_export_counted_it(person, other_copy, tmp_path):
    person.workbench.checksums._idle._pause.setInterval(600_000)
    person.drop(other_copy)
    person.wait(lambda: person.document is not None)
    person.export(tmp_path / "out.safetensors")
    person.close_report()
    (source,) = person.document.checkpoint.sources
    assert known_sha256(source)
    assert person.trouble == []
    person.workbench.checksums._idle._pause.start(10)
    person.wait(lambda: person.trouble)
    assert "its SHA-256 differs" in person.trouble[0]


@pytest.mark.usefixtures("histories_off")
def test_an_export_onto_the_source_moves_what_the_work_is_about(person, file, new_person):
    """After a crash, the journal refers to the copy of the original."""
    person.open_file(file)
    person.prune()
    person.export(file)
    person.close_report()
    person.prune()
    wait_for_journal(person)
    before = masks(person)
    kill(person)
    again = offered(new_person)
    restore(again)
    assert again.document.checkpoint.path.name == "model.orig.safetensors"
    assert masks(again) == before


@pytest.mark.usefixtures("histories_off")
def test_work_is_offered_also_where_all_of_it_was_exported_or_undone(new_person, file, tmp_path):
    """An export contains no steps. A recovered journal is written to a new file."""
    person = new_person().wait_ready()
    person.open_file(file)
    person.prune()
    person.prune()
    person.export(tmp_path / "out.safetensors")
    person.close_report()
    assert not person.session.unexported
    for position, text in ((2, "2 steps on model"), (0, "2 undone steps on model")):
        person.click_state(position)
        person.wait(lambda at=person, to=position: at.document.position == to)
        before = masks(person)
        kill(person)
        person = offered(new_person)
        assert text in person.window.recovery.restore_buttons[0].accessibleName()
        restore(person)
        assert masks(person) == before
        assert (len(person.states), person.document.position) == (3, position)
    assert not person.bugs


CHILD = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from pruneapp.gui import application as app

def work(bench):
    bench.session.opened.connect(lambda _x: step())
    keeping, forecasting = bench.autosave, bench.preview
    def step():
        if forecasting.state.untouched:
            bench.views.form.emit_changed()
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
def test_after_a_kill_the_next_start_offers_the_work(new_person, file):
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
    person = offered(new_person)
    restore(person)
    assert person.document.position in {3, 4}
    assert not person.bugs


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
