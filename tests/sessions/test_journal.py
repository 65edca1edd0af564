"""The journal: finished work is on the disk in any case."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from pruneapp.document.document import Capture
from pruneapp.edits.manual_edit import ManualTarget
from pruneapp.errors import OriginalChangedError, SelectionError, SessionError, StaleError
from pruneapp.progress import Job
from pruneapp.sessions import journal as journal_module
from pruneapp.sessions import journal_file, journal_reader
from pruneapp.sessions.history_codec import SavedEdit
from pruneapp.sessions.journal import Journal
from pruneapp.sessions.journal_file import EditRow, Fact, HistoryState, JournalDatabase, pack_json
from pruneapp.sessions.journal_reader import find_unsaved_work, read_journal
from pruneapp.sessions.original import FileStamp
from pruneapp.sessions.restore import reopen
from tests.sessions.session_documents import (
    A,
    B,
    C,
    branched,
    by_hand,
    check_taken_up,
    delete_any,
    open_model,
    prune,
    save,
    shut,
    states,
    storied,
    taken_up,
    write_model,
)
from tests.support.document_edits import delete_undone, redo, undo


def saved_in(document, path: Path) -> FileStamp:
    save(document, path)
    stamp = FileStamp.of(path, Job())
    assert stamp is not None
    return stamp


def kept(document, place: Path, view=None) -> Journal:
    journal = Journal(place)
    journal.keep(Capture.of(document), view or {}, Job())
    return journal


def test_everything_comes_back(model, place):
    document = storied(model)
    before = states(document)
    journal = kept(document, place, {"tensor": A})
    journal.close()
    (found,) = find_unsaved_work(place, Job())
    assert (found.original, found.steps) == (model, 6)
    assert found.last == document.items[6].label
    with read_journal(found.path, Job()) as file:
        assert file.view == {"tensor": A}
        again = reopen(file, Job())
    assert states(again) == before
    assert (again.position, again.exported_at) == (6, 0)
    shut(document)
    shut(again)


@pytest.mark.parametrize("budget", [0, 1 << 30])
def test_it_follows_the_history_wherever_it_goes(model, place, tmp_path, budget):
    """Undo, redo, jumps, branches, names, exports; read again after each."""
    document = open_model(model, budget=budget, scratch=tmp_path)
    journal = Journal(place)
    rng = np.random.default_rng(11)
    for _ in range(40):
        what = rng.integers(7)
        if what == 0:
            prune(document, str(rng.choice([A, B, C])), 0.1)
        elif what == 5 and len(document.items) > 1:
            document.rename(int(rng.integers(1, len(document.items))), str(rng.choice(["", "x"])))
        elif what == 6:
            delete_any(document, rng)
        elif what == 1:
            row = int(rng.integers(40))
            box = ManualTarget(B, (((row, row + 1), (0, 3), (0, 2), (0, 2)),))
            if document.masks.pruned(B):
                by_hand(document, "restore", ManualTarget(B, (((0, 40), (0, 3), (0, 2), (0, 2)),)))
            else:
                by_hand(document, "prune", box)
        elif what == 2:
            document.jump(int(rng.integers(len(document.items))))
        elif what == 3:
            undo(document)
        else:
            document.mark_exported(document.snapshot())
        journal.keep(Capture.of(document), {}, Job())
        if journal.path is None:
            continue
        copy = tmp_path / "copy.journal"
        copy.write_bytes(journal.path.read_bytes())
        again = taken_up(copy)
        assert (again.branches, again.position) == (document.branches, document.position)
        assert states(again) == states(document)
        assert again.exported_at == document.exported_at
        shut(again)
    assert journal.path is not None
    shut(document)
    journal.delete()


@pytest.mark.parametrize("budget", [0, 1 << 30])
def test_after_a_crash_all_branches_are_there(model, place, tmp_path, budget):
    document = branched(model, budget=budget, scratch=tmp_path)
    before = states(document)
    journal = kept(document, place)
    journal.close()
    (found,) = find_unsaved_work(place, Job())
    assert (found.steps, found.undone, found.last) == (3, 9, document.items[9].label)
    again = taken_up(journal.path)
    assert again.branches == document.branches
    assert again.branches.names == {8: "the first try", 11: "with repair"}
    assert again.branches.notes == {0: "as released", 8: "better on the test set"}
    assert (states(again), again.position) == (before, 9)
    redo(again)
    assert again.position == 10
    shut(document)
    shut(again)


def test_a_branch_that_was_deleted_stays_so_after_a_crash(model, place):
    """Masks of other branches are compressed relative to its masks."""
    document = branched(model)
    journal = kept(document, place)
    size = journal.nbytes
    document.delete(3)  # with the five that follow it
    document.delete(5)  # formerly 11
    assert document.branches.after == (0, 1, 2, 3)
    journal.keep(Capture.of(document), {}, Job())
    assert journal.nbytes - size < 500, "nothing was written again"
    prune(document, B, 0.1)
    journal.keep(Capture.of(document), {}, Job())
    journal.close()
    check_taken_up(document, journal.path)


def test_a_name_and_a_branch_that_no_session_has_are_offered(model, place):
    document = branched(model)
    journal = kept(document, place)
    session, copy = place.parent / "work.prune", place.parent / "copies" / "copy.journal"
    copy.parent.mkdir()

    def offered() -> int:
        journal.keep(Capture.of(document), {}, Job())
        copy.write_bytes(journal.path.read_bytes())
        return len(find_unsaved_work(copy.parent, Job()))

    def mark_saved() -> None:
        stamp = saved_in(document, session)
        records, branches = document.history.records, document.branches
        journal.mark_saved(records, document.position, stamp, branches)
        assert not offered()

    mark_saved()
    document.rename(2, "a name")
    assert offered()
    mark_saved()
    document.annotate(2, "a note")
    assert offered()
    mark_saved()
    document.annotate(0, "a note of the opened file")
    assert offered()
    mark_saved()
    here = document.position
    document.jump(1)
    prune(document, C)
    document.jump(here)
    assert offered(), "the state in force is safe, and the branch is not"
    mark_saved()
    document.delete(3)
    assert offered()
    journal.delete()
    shut(document)


@pytest.mark.parametrize(
    "state",
    [
        HistoryState(99, 99, 99, ((99, "x"),)),
        HistoryState(9, 99, 0, ((8, "the first try"), (11, "with repair"))),
    ],
)
def test_states_that_are_missing_are_ignored(model, place, state):
    document = branched(model)
    journal = kept(document, place)
    with journal._transaction():
        journal._file.put("fact", Fact.STATE, pack_json(state))
        journal._file.put(
            "edit", 13, pack_json(EditRow(99, SavedEdit(kind="prune", label="x", entry={})))
        )
    journal.close()
    again = taken_up(journal.path)
    assert again.branches.after == document.branches.after
    assert again.position == (9 if state.position == 9 else 12)
    assert again.branches.tip == (10 if state.position == 9 else 12)
    assert states(again)[9]["masks"] == states(document)[9]["masks"]
    shut(document)
    shut(again)


def test_a_wrong_end_of_redo_is_an_error(model, place):
    document = branched(model)
    journal = kept(document, place)
    with journal._transaction():
        journal._file.put("fact", Fact.STATE, pack_json(HistoryState(9, 8)))
    journal.close()
    shut(document)
    with pytest.raises(SessionError, match="not on the branch"):
        read_journal(journal.path, Job())


def test_steps_may_be_written_late_and_many_at_a_time(model, place):
    document = open_model(model)
    journal = Journal(place)
    prune(document, A)
    journal.keep(Capture.of(document), {}, Job())
    prune(document, B)
    prune(document, C)
    document.jump(1)
    prune(document, B, 0.2)
    undo(document)
    before = states(document)
    journal.keep(Capture.of(document), {}, Job())
    journal.close()
    again = taken_up(journal.path)
    assert states(again) == before
    assert again.position == 1
    shut(document)
    shut(again)


def test_a_stroke_costs_next_to_nothing(tmp_path, place):
    model = write_model(tmp_path / "large.safetensors", large=(2048, 4096))
    document = open_model(model)
    prune(document, "large", 0.5)
    journal = kept(document, place)
    before = journal.nbytes
    assert before > 2048 * 4096 // 8  # random bits cannot be compressed
    by_hand(document, "prune", ManualTarget("large", (((100, 110), (200, 220)),)))
    journal.keep(Capture.of(document), {}, Job())
    assert journal.nbytes - before < 3000
    shut(document)
    journal.delete()


def test_who_only_looks_leaves_nothing_behind(model, place):
    document = open_model(model)
    journal = kept(document, place)
    assert journal.path is None
    assert not place.exists()
    shut(document)


def test_what_would_not_be_missed_is_not_offered(model, place):
    document = open_model(model)
    prune(document)
    saved = kept(document, place)
    saved.mark_saved(document.history.records, 1, saved_in(document, place.parent / "work.prune"))
    saved.close()
    place.joinpath("empty.journal").write_bytes(b"")
    assert find_unsaved_work(place, Job()) == ()
    paths = list(place.iterdir())
    assert len(paths) == 2, "another window may be creating or opening them"
    for path in paths:
        os.utime(path, (0, 0))
    assert find_unsaved_work(place, Job()) == ()
    assert list(place.iterdir()) == []
    shut(document)


def test_whatever_no_session_holds_is_offered(model, place):
    """Exported or not, undone or not, protection only, or with a deleted session file."""
    document = open_model(model)
    by_hand(document, "protect", ManualTarget(B, (((0, 4), (0, 3), (0, 2), (0, 2)),)))
    prune(document)
    journal = kept(document, place)
    assert find_unsaved_work(place, Job()) == (), "it is open"

    def offered(steps: int, undone: int) -> None:
        journal.keep(Capture.of(document), {}, Job())
        copy = place.parent / "copies" / "copy.journal"
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(journal.path.read_bytes())
        (found,) = find_unsaved_work(copy.parent, Job())
        assert (found.steps, found.undone, found.known) == (steps, undone, True)
        last = found.steps or len(document.items) - 1
        assert found.last == document.items[last].label
        before = states(document)
        again = taken_up(copy)
        assert states(again) == before
        # A journal of the restored document must contain it as well.
        other = Journal(place.parent / "others")
        other.keep(Capture.of(again), {}, Job())
        assert other.path is not None
        other.delete()
        shut(again)

    document.mark_exported(document.snapshot())
    offered(2, 0)
    undo(document)
    offered(1, 1)
    undo(document)
    offered(0, 2)
    document.jump(2)
    journal.keep(Capture.of(document), {}, Job())
    session = place.parent / "work.prune"
    journal.mark_saved(document.history.records, 2, saved_in(document, session))
    copy = place.parent / "copies" / "safe.journal"
    copy.write_bytes(journal.path.read_bytes())
    os.utime(copy, (0, 0))
    assert [found.path.name for found in find_unsaved_work(copy.parent, Job())] == ["copy.journal"]
    assert not copy.exists()
    prune(document, C)
    undo(document)
    offered(2, 1)  # undone states are not in the file
    journal.mark_saved(document.history.records, 2, saved_in(document, session))
    session.unlink()
    offered(2, 1)
    journal.close()
    shut(document)


def test_a_saved_state_that_one_went_on_from_is_offered(model, place):
    document = open_model(model)
    prune(document)
    journal = kept(document, place)
    journal.mark_saved(document.history.records, 1, saved_in(document, place.parent / "work.prune"))
    prune(document, B)
    journal.keep(Capture.of(document), {}, Job())
    journal.close()
    (found,) = find_unsaved_work(place, Job())
    assert found.steps == 2
    shut(document)


def test_a_saved_state_that_was_deleted_is_no_reason_to_offer_nothing(model, place):
    document = open_model(model)
    prune(document)
    journal = Journal(place)
    journal.mark_saved(document.history.records, 1, saved_in(document, place.parent / "work.prune"))
    undo(document)
    document.delete(1)
    prune(document, B)
    journal.keep(Capture.of(document), {}, Job())
    journal.close()
    (found,) = find_unsaved_work(place, Job())
    assert (found.steps, found.undone) == (1, 0)
    shut(document)


def test_the_session_file_is_known_also_where_its_state_was_deleted(model, place):
    document = open_model(model)
    prune(document)
    stamp = saved_in(document, place.parent / "work.prune")
    for written_before in (False, True):
        journal = Journal(place)
        if written_before:
            journal.keep(Capture.of(document), {}, Job())
        journal.mark_saved(document.history.records, 1, stamp)
        if written_before:
            with read_copy(journal, place) as found:
                assert (Path(found.kept_in.path), found.safe) == (place.parent / "work.prune", 1)
        undo(document)
        document.delete(1)
        prune(document, B)
        journal.keep(Capture.of(document), {}, Job())
        with read_copy(journal, place) as found:
            assert (Path(found.kept_in.path), found.safe) == (place.parent / "work.prune", -1)
        journal.delete()
    shut(document)


def read_copy(journal, place):
    """Read the current content of a journal, as after a kill."""
    copy = place / "copy.journal"
    copy.write_bytes(journal.path.read_bytes())
    return read_journal(copy, Job())


def test_a_saved_state_is_known_from_the_first_record_on(model, place):
    document = open_model(model)
    prune(document)
    journal = Journal(place)
    stamp = saved_in(document, place.parent / "work.prune")
    journal.mark_saved(document.history.records, 1, stamp)
    journal.keep(Capture.of(document), {}, Job())
    journal.close()
    assert find_unsaved_work(place, Job()) == ()
    shut(document)


def test_work_that_a_search_has_locked_is_opened_after_it(model, place, monkeypatch):
    document = open_model(model)
    prune(document)
    journal = kept(document, place)
    locked = iter([journal, None])
    monkeypatch.setattr(journal_reader.time, "sleep", lambda _seconds: next(locked).close())
    with read_journal(journal.path, Job()) as found:
        assert len(found.history.edits) == 1
    assert next(locked) is None
    shut(document)


def test_two_windows_do_not_take_the_same_work(model, place, monkeypatch):
    monkeypatch.setattr(journal_reader, "_LOCKED_S", 0)
    document = open_model(model)
    prune(document)
    journal = kept(document, place)
    with pytest.raises(SessionError, match="another window"):
        read_journal(journal.path, Job())
    journal.close()
    with read_journal(journal.path, Job()):
        assert find_unsaved_work(place, Job()) == ()
        with pytest.raises(SessionError, match="another window"):
            read_journal(journal.path, Job())
    journal.path.unlink()
    with pytest.raises(SessionError, match="another window"):
        read_journal(journal.path, Job())
    shut(document)


def test_the_checkpoint_may_not_have_changed(model, place):
    document = storied(model)
    journal = kept(document, place)
    journal.close()
    shut(document)
    write_model(model, seed=8)
    with pytest.raises(OriginalChangedError, match="different content"):
        taken_up(journal.path)


def check_damaged(path, complete) -> int | None:
    """Read a damaged journal; return the number of steps, None if it is an error.

    The steps that are restored must have their masks.
    """
    try:
        again = taken_up(path)
    except SessionError:
        return None
    found = states(again)
    for one, other in zip(found, complete, strict=False):
        assert one["masks"] == other["masks"]
    shut(again)
    return len(found) - 1


@pytest.fixture
def whole(model, place):
    """Return the bytes of a journal of many steps, and its states."""
    document = storied(model)
    document.jump(len(document.items) - 1)
    journal = Journal(place)
    for row in range(40):
        box = ManualTarget(B, (((row, row + 1), (0, 3), (0, 2), (0, 2)),))
        with contextlib.suppress(SelectionError):
            by_hand(document, "restore", box)
        journal.keep(Capture.of(document), {}, Job())
    complete = states(document)
    journal.close()
    shut(document)
    return journal.path.read_bytes(), complete


@pytest.mark.parametrize("zeros", [False, True])
def test_any_end_may_be_torn_off(whole, tmp_path, zeros):
    """The steps before it are restored."""
    data, complete = whole
    torn = tmp_path / "torn.journal"
    found = set()
    for length in range(0, len(data), 512):
        torn.write_bytes(data[:length] + bytes(len(data) - length) * zeros)
        found.add(check_damaged(torn, complete))
    assert None in found
    assert len(found) > 2
    torn.write_bytes(data)
    assert check_damaged(torn, complete) == len(complete) - 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_checkpoint_whose_name_is_no_text_is_kept_too(place, tmp_path):
    """File names from old archives can contain bytes that are not UTF-8."""
    named = tmp_path / os.fsdecode(b"m\xff-\xc3\xa4.safetensors")
    write_model(tmp_path / "model.safetensors").rename(named)
    document = storied(named)
    journal = kept(document, place)
    stamp = saved_in(document, tmp_path / os.fsdecode(b"\xfe.prune"))
    journal.mark_saved(document.history.records[:1], 1, stamp)
    journal.close()
    (found,) = find_unsaved_work(place, Job())
    assert found.original == named
    with read_journal(found.path, Job()) as file:
        assert file.original.path == str(named)
        again = reopen(file, Job())
    assert states(again) == states(document)
    assert again.checkpoint.path == named
    shut(document)
    shut(again)


def test_a_disk_that_cannot_read_a_journal_is_a_sentence(model, place, monkeypatch):
    document = storied(model)
    journal = kept(document, place)
    journal.close()
    shut(document)

    def fails(*_args, **_more):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(JournalDatabase, "rows", fails)
    assert find_unsaved_work(place, Job()) == ()
    with pytest.raises(SessionError, match="cannot be read: input/output error"):
        read_journal(journal.path, Job())
    monkeypatch.undo()
    shut(taken_up(journal.path))


def test_any_bit_may_be_wrong(whole, tmp_path):
    data, complete = whole
    bad = tmp_path / "bad.journal"
    rng = np.random.default_rng(2)
    opened = 0
    for at in rng.integers(0, len(data), 160):
        wrong = bytearray(data)
        wrong[at] ^= 1 << int(rng.integers(8))
        bad.write_bytes(wrong)
        opened += check_damaged(bad, complete) is not None
    assert opened > 120


def test_a_newer_journal_is_left_alone(model, place, monkeypatch):
    document = open_model(model)
    prune(document)
    monkeypatch.setattr(journal_file, "VERSION", 5)
    journal = kept(document, place)
    journal.close()
    (found,) = find_unsaved_work(place, Job())
    with pytest.raises(SessionError, match="newer Pruneapp"):
        read_journal(found.path, Job())
    assert found.path.exists()
    shut(document)


def test_a_journal_that_is_just_made_is_not_locked_by_who_looks(model, place, monkeypatch):
    place.mkdir()
    path = place / "new.journal"
    path.touch()
    monkeypatch.setattr(journal_file, "lock", lambda _fd: 1 // 0)
    assert find_unsaved_work(place, Job()) == ()
    path.unlink()
    document = open_model(model)
    prune(document)
    monkeypatch.setattr(journal_file, "lock", lambda _fd: False)
    with pytest.raises(SessionError, match="cannot be restored"):
        kept(document, place)
    shut(document)


# The disk


def test_the_disk_knows_the_name_of_a_journal_before_work_is_called_kept(model, place, monkeypatch):
    """Power may fail at any time."""
    flushed: list[bool] = []
    monkeypatch.setattr(
        journal_module, "flush_folder", lambda path: flushed.append(any(path.glob("*.journal")))
    )
    document = open_model(model)
    prune(document, A)
    journal = kept(document, place)
    prune(document, B)
    journal.keep(Capture.of(document), {}, Job())
    assert flushed == [True]
    journal.close()
    shut(document)


def limit(journal, pages: int) -> None:
    """Let the disk of a journal be full when its file has some more pages."""
    pages += journal.nbytes // 4096
    journal._file._execute(f"pragma max_page_count = {pages}")


@pytest.mark.parametrize("room", range(4))
def test_a_full_disk_is_a_sentence_and_later_everything_is_written(tmp_path, place, room):
    model = write_model(tmp_path / "model.safetensors", large=(512, 256))
    document = open_model(model)
    prune(document, A)
    journal = kept(document, place)
    first = states(document)
    prune(document, "large")
    limit(journal, room)
    with pytest.raises(SessionError, match=r"no space left.* You can continue"):
        journal.keep(Capture.of(document), {}, Job())
    copy = tmp_path / "copy.journal"
    copy.write_bytes(journal.path.read_bytes())
    again = taken_up(copy)
    assert states(again)[:2] == first
    shut(again)
    limit(journal, 1 << 20)
    prune(document, C)
    journal.keep(Capture.of(document), {}, Job())
    journal.close()
    check_taken_up(document, journal.path)


def test_a_folder_that_cannot_be_written_is_a_sentence(model, tmp_path):
    (tmp_path / "journals").write_text("in the way")
    document = open_model(model)
    prune(document)
    journal = Journal(tmp_path / "journals")
    with pytest.raises(SessionError, match="cannot be restored"):
        journal.keep(Capture.of(document), {}, Job())
    shut(document)


def test_a_mask_that_was_deleted_before_it_was_written_is_made_up_for(model, place, tmp_path):
    document = open_model(model, budget=0, scratch=tmp_path)
    prune(document, A)
    prune(document, B)
    late = Capture.of(document)
    document.jump(0)
    delete_undone(document)
    prune(document, C)
    journal = Journal(place)
    with pytest.raises(StaleError):
        journal.keep(late, {}, Job())
    journal.keep(Capture.of(document), {}, Job())
    journal.close()
    check_taken_up(document, journal.path)


def test_only_unused_masks_are_deleted(model, place):
    document = storied(model)
    journal = kept(document, place)
    content = journal.path.read_bytes()
    journal.keep(Capture.of(document), {}, Job())
    assert journal.path.read_bytes() == content
    journal.delete()
    assert list(place.iterdir()) == []
    shut(document)


def test_masks_of_deleted_states_are_deleted(tmp_path, place):
    model = write_model(tmp_path / "large.safetensors", large=(1024, 4096))
    document = open_model(model)
    prune(document, A)
    journal = Journal(place)
    sizes = []
    for _ in range(5):
        document.jump(1)
        delete_undone(document)
        prune(document, "large", 0.5)
        by_hand(document, "restore", ManualTarget("large", (((0, 9), (0, 9)),)))
        journal.keep(Capture.of(document), {}, Job())
        sizes.append(journal.nbytes)
    assert sizes[-1] < 1.1 * sizes[0]
    document.jump(1)
    delete_undone(document)
    journal.keep(Capture.of(document), {}, Job())
    assert journal.nbytes < sizes[0] / 10
    prune(document, B)
    journal.keep(Capture.of(document), {}, Job())
    journal.close()
    assert list(place.iterdir()) == [journal.path]
    check_taken_up(document, journal.path)


# Measurements are saved as well


def test_what_was_measured_is_kept_and_offered_without_a_step(model, place):
    document, journal = open_model(model), Journal(place)
    journal.keep(Capture.of(document), {"tensor": A}, Job())
    assert journal.path is None, "who only looks leaves nothing behind"
    for loss in (1.0, 2.0):
        view = {"tensor": A, "evaluation": [{"loss": loss}]}
        journal.keep(Capture.of(document), view, Job(), with_view=True)
    journal.close()
    (found,) = find_unsaved_work(place, Job())
    assert (found.steps, found.undone, found.last, found.known) == (0, 0, "", True)
    with read_journal(found.path, Job()) as file:
        assert file.view == view
        assert not file.keeps_measured
        again = reopen(file, Job())
    assert (again.position, len(again.items)) == (0, 1)
    shut(document)
    shut(again)


def test_a_session_that_has_all_that_was_measured_is_known_to(model, place):
    """Also if the view has changed since, or the file was rewritten."""
    document = open_model(model)
    prune(document)
    seen = {"tensor": A, "sensitivity": [{"cells": [1.5]}]}
    session = place.parent / "work.prune"
    for written_before in (False, True):
        stamp = saved_in(document, session)
        journal = Journal(place)
        if written_before:
            journal.keep(Capture.of(document), seen, Job())
        journal.mark_saved(document.history.records, 1, stamp, view=seen)
        journal.keep(Capture.of(document), {**seen, "tensor": B}, Job(), with_view=True)
        with read_copy(journal, place) as found:
            assert (found.keeps_measured, found.view["tensor"]) == (True, B)
            assert (found.kept_view, found.safe) == (seen, 1)
        copy = place / "copy.journal"
        copy.write_bytes(journal.path.read_bytes())
        os.utime(copy, (0, 0))
        assert find_unsaved_work(place, Job()) == ()
        assert not copy.exists()
        more = {"tensor": B, "sensitivity": [{"cells": [1.5, 2.5]}]}
        journal.keep(Capture.of(document), more, Job(), with_view=True)
        with read_copy(journal, place) as found:
            assert (found.keeps_measured, found.view) == (False, more)
            assert (found.kept_view, found.safe) == (seen, 1), "the steps are in it"
        (offered,) = find_unsaved_work(place, Job())
        assert offered.path == copy
        journal.mark_saved(document.history.records, 1, stamp, view=more)
        with read_copy(journal, place) as found:
            assert (found.keeps_measured, found.view) == (True, more)
        copy.unlink()
        journal.delete()
    shut(document)


def test_what_a_scan_had_measured_before_does_not_fill_the_disk(model, place):
    document, journal = open_model(model), Journal(place)
    noise = np.random.default_rng(1)
    for _ in range(40):
        cells = noise.random(20_000).tolist()
        view = {"sensitivity": [{"cells": cells}]}
        journal.keep(Capture.of(document), view, Job(), with_view=True)
    assert journal.nbytes < 3 << 20, "of some 7 MB that were written"
    with read_copy(journal, place) as found:
        assert found.view == view
    journal.delete()
    shut(document)
