"""The journal has each action before its masks; missing masks are recomputed."""

from __future__ import annotations

import contextlib
import errno
import os
import sys

import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp.document.document import Capture
from pruneapp.document.step import Row, Step
from pruneapp.edits.manual_edit import ManualTarget
from pruneapp.errors import CheckpointError, SelectionError, SessionError, StaleError
from pruneapp.gui.document.open_document import OpenRequest, open_path
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods import registry
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from pruneapp.sessions import history_codec, restore
from pruneapp.sessions import journal as journal_module
from pruneapp.sessions.journal import Journal
from pruneapp.sessions.journal_file import Fact, JournalDatabase
from pruneapp.sessions.journal_reader import find_unsaved_work, read_journal
from pruneapp.sessions.restore import reopen
from tests.sessions.session_documents import (
    A,
    B,
    C,
    by_hand,
    check_taken_up,
    delete_any,
    open_model,
    prune,
    shut,
    states,
    taken_up,
    write_model,
)
from tests.support.document_edits import delete_undone, make_permanent, redo, undo

# The package has a function of the same name.
REPLAY = sys.modules["pruneapp.recipes.replay"]


@pytest.fixture(autouse=True)
def large(monkeypatch):
    """Treat every mask as one of a large model, with several pieces and writes."""
    monkeypatch.setattr(journal_module, "AT_ONCE", 0)
    monkeypatch.setattr(history_codec, "PIECE", 16)
    for module in (history_codec, journal_module):
        monkeypatch.setattr(module, "SMALL", 4)


def act(document, rng) -> None:
    what, name = rng.integers(10), str(rng.choice([A, B, C]))
    if what == 0:
        undo(document)
    elif what == 1:
        document.jump(int(rng.integers(len(document.items))))
    elif what == 2:
        document.mark_exported(document.snapshot())
    elif what == 3 and document.masks.pruned(A):
        make_permanent(document, [A])
    elif what <= 5:
        prune(document, name, 0.2)
    elif what == 8:
        delete_any(document, rng)
    elif what == 9 and len(document.items) > 1:
        document.rename(int(rng.integers(1, len(document.items))), str(rng.choice(["", "x"])))
    else:
        chosen = rng.random(480) < 0.1
        targets = [
            ManualTarget(B, mask=BitMask.from_bools(chosen)),
            ManualTarget(B, (((0, int(rng.integers(1, 40))), (0, 3), (0, 2), (0, 2)),)),
        ]
        operation = str(rng.choice(["prune", "restore", "protect"]))
        try:
            by_hand(document, operation, targets[int(rng.integers(2))])
        except SelectionError:
            redo(document)


class Meanwhile:
    """Continues working while masks are written, and reads the journal each time."""

    def __init__(self, document, journal, copy, seed, *, often) -> None:
        self.document, self.journal, self.copy = document, journal, copy
        self.rng = np.random.default_rng(seed)
        self.often = often
        self.calls = self.again = 0

    def __call__(self):
        self.calls += 1
        self.check()
        if self.rng.random() > self.often:
            return None
        act(self.document, self.rng)
        return Capture.of(self.document), {"call": self.calls}

    def check(self):
        self.copy.write_bytes(self.journal.path.read_bytes())
        with read_journal(self.copy, Job()) as found:
            self.again += len(found.history.intents)
            again = reopen(found, Job())
        assert again.branches == self.document.branches
        assert states(again) == states(self.document)
        assert again.position == self.document.position
        assert again.exported_at == self.document.exported_at
        shut(again)


@pytest.mark.parametrize(("seed", "budget"), [(0, 0), (1, 1 << 30), (2, 0)])
def test_whatever_is_done_meanwhile_all_of_it_is_there_at_any_moment(
    model, place, tmp_path, seed, budget
):
    document = open_model(model, budget=budget, scratch=tmp_path)
    journal = Journal(place)
    meanwhile = Meanwhile(document, journal, tmp_path / "copy.journal", seed, often=0.3)
    prune(document, B)
    while meanwhile.calls <= 30 or meanwhile.again <= 20:
        act(document, meanwhile.rng)
        with contextlib.suppress(StaleError):  # deleted meanwhile
            journal.keep(Capture.of(document), {}, Job(), meanwhile)
        journal.keep(Capture.of(document), {}, Job())
        meanwhile.check()
    assert meanwhile.calls > 20
    assert meanwhile.again > 20, "intents without masks were read"
    journal.close()
    with read_journal(journal.path, Job()) as found:
        assert not found.history.intents, "all masks are there in the end"
    shut(document)


def test_an_intent_is_on_the_disk_before_the_masks_and_small(model, place, monkeypatch):
    document = open_model(model)
    prune(document, B)
    journal = Journal(place)
    written: list[tuple[str, int, int]] = []
    put = JournalDatabase.put
    monkeypatch.setattr(
        JournalDatabase,
        "put",
        lambda file, table, key, data: (
            written.append((table, key, len(data))),
            put(file, table, key, data),
        ),
    )
    calls: list[int] = []

    def newer() -> None:
        if not calls:
            intent = [row for row in written if row[0] != "mask" and row[1] != Fact.ORIGINAL]
            assert sum(nbytes for *_, nbytes in intent) < 500
            assert [table for table, *_ in written[:-2]] == ["fact", "edit", "fact", "fact"]
        calls.append(len(written))

    journal.keep(Capture.of(document), {}, Job(), newer)
    assert len(calls) == 4, "once for each piece"
    shut(document)
    journal.delete()


def step_on(name: str) -> Step:
    return Step((Row((name,), "l1_unstructured", {"amount": 0.5}),))


def mid_write(document, journal, stop_at=1) -> None:
    """Leave the journal as after a kill while masks are written."""

    def killed():
        nonlocal stop_at
        stop_at -= 1
        if not stop_at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        journal.keep(Capture.of(document), {}, Job(), killed)
    journal.close()


def test_branches_are_computed_again_where_they_were(model, place):
    document = open_model(model)
    prune(document, A, 0.2)
    prune(document, B)
    document.jump(1)
    prune(document, C)
    document.rename(3, "the other")
    document.jump(2)
    journal = Journal(place)
    mid_write(document, journal)
    with read_journal(journal.path, Job()) as found:
        assert len(found.history.intents) == 3
        again = reopen(found, Job())
    assert again.branches == document.branches
    assert (states(again), again.position) == (states(document), 2)
    shut(document)
    shut(again)


def test_the_offer_says_how_much_is_computed_again(model, place):
    document = open_model(model)
    prune(document, A)
    prune(document, B)
    journal = Journal(place)
    mid_write(document, journal)
    (found,) = find_unsaved_work(place, Job())
    assert (found.steps, found.again, found.last) == (2, 2, document.items[2].label)
    shut(document)


def test_a_mask_from_a_file_is_there_although_the_file_is_gone(model, place):
    """Such a step contains its masks."""
    document = open_model(model)
    taken = BitMask.from_bools(np.random.default_rng(5).random(480) < 0.5)
    step = Step((Row((B,), "custom_from_mask"),))
    preview = compute_preview(document.snapshot(), step, CpuKernel(), Job(), given={B: taken})
    document.commit(preview)
    before = document.masks[B].packed.tobytes()
    journal = Journal(place)
    mid_write(document, journal, stop_at=2)
    again = taken_up(journal.path)
    assert again.masks[B].packed.tobytes() == before
    assert again.items[1].label == document.items[1].label
    shut(again)
    shut(document)


def test_masks_that_the_file_brought_are_read_again(tmp_path, place):
    rng = np.random.default_rng(4)
    kept = (rng.random((7, 5)) < 0.6).astype(np.float32)
    arrays = {"a.weight_orig": rng.normal(size=(7, 5)).astype(np.float32), "a.weight_mask": kept}
    save_file(arrays, tmp_path / "pruned.safetensors")
    document = open_model(tmp_path / "pruned.safetensors")
    (name,) = document.masks
    document.commit(compute_preview(document.snapshot(), step_on(name), CpuKernel(), Job()))
    before = states(document)
    journal = Journal(place)
    mid_write(document, journal)
    (found,) = find_unsaved_work(place, Job())
    assert (found.steps, found.again) == (2, 2)
    again = taken_up(journal.path)
    assert states(again) == before
    assert again.exported_at == 1
    undo(again)
    assert (
        again.masks[name].packed.tobytes()
        == np.packbits(kept.astype(bool), bitorder="little").tobytes()
    )
    shut(again)
    shut(document)


def test_a_method_of_the_users_own_is_never_done_again(model, place, monkeypatch, tmp_path):
    """It may give other masks, so its masks are written first."""
    monkeypatch.setattr(registry, "BUILT_IN", frozenset({"l1_unstructured"}))
    document = open_model(model)
    journal = Journal(place)
    prune(document, A)
    step = Step((Row((B,), "random_unstructured", {"amount": 0.5}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    prune(document, C)
    copy = tmp_path / "copy.journal"
    seen = set()

    def look():
        copy.write_bytes(journal.path.read_bytes())
        with read_journal(copy, Job()) as found:
            assert all("random" not in str(e.entry) for e in found.history.intents)
            again = reopen(found, Job())
        assert states(again) == states(document)[: len(again.items)]
        seen.add(len(again.items) - 1)
        shut(again)

    journal.keep(Capture.of(document), {}, Job(), look)
    look()
    assert seen == {1, 3}
    shut(document)
    journal.delete()


def test_what_cannot_be_computed_again_is_missing_and_said(model, place, monkeypatch):
    document = open_model(model)
    prune(document, A)
    journal = Journal(place)
    journal.keep(Capture.of(document), {}, Job())
    kept = states(document)
    prune(document, B)
    prune(document, C)
    mid_write(document, journal)

    def refuse(*_args, **_more):
        raise CheckpointError("The file cannot be read.", remedy="Look at the disk.")

    monkeypatch.setattr(REPLAY, "compute_preview", refuse)
    again, held = open_path(OpenRequest(journal.path, is_journal=True), Job())
    assert states(again) == kept
    assert held is None
    assert find_unsaved_work(place, Job())[0].again == 2, "it stays, for another time"
    (notice,) = again.notices
    assert notice.text == (
        "The last 2 steps are missing: the masks were not on the disk yet, and cannot be "
        "computed again. The unsaved changes are kept and offered again at the next start."
    )
    assert notice.details == "The file cannot be read. Look at the disk."
    shut(again)
    shut(document)


def test_what_another_pruneapp_did_in_its_own_way_is_missing_and_said(model, place, monkeypatch):
    document = open_model(model)
    prune(document, A)
    journal = Journal(place)
    journal.keep(Capture.of(document), {}, Job())
    kept = states(document)
    prune(document, B)
    mid_write(document, journal)
    monkeypatch.delitem(restore._REPEATABLE, "step")
    again = taken_up(journal.path)
    assert states(again) == kept
    (notice,) = again.notices
    assert "is missing" in notice.text
    assert "does not support 'step'" in notice.details
    shut(again)
    shut(document)


def test_computing_again_can_be_cancelled(model, place, monkeypatch):
    document = open_model(model)
    prune(document, B)
    journal = Journal(place)
    mid_write(document, journal)
    shut(document)
    token = CancelToken()
    compute = compute_preview

    def slow(*args, **more):
        token.cancel()
        return compute(*args, **more)

    monkeypatch.setattr(REPLAY, "compute_preview", slow)
    with read_journal(journal.path, Job()) as found, pytest.raises(Cancelled):
        reopen(found, Job(cancel=token))
    (found,) = find_unsaved_work(place, Job())
    assert found.again == 1, "it is still offered"


def test_other_weights_get_only_masks_that_are_there(model, place):
    document = open_model(model)
    prune(document, A)
    by_hand(document, "protect", ManualTarget(B, (((0, 4), (0, 3), (0, 2), (0, 2)),)))
    journal = Journal(place)
    journal.keep(Capture.of(document), {}, Job())
    there = document.snapshot()
    prune(document, B)
    mid_write(document, journal)
    write_model(model, seed=9)
    other, held = open_path(OpenRequest(journal.path, only_masks=True, is_journal=True), Job())
    assert held is None
    assert len(find_unsaved_work(place, Job())) == 1
    assert other.masks[A] == there.masks[A]
    assert B not in other.masks
    assert other.snapshot().protected[B] == there.protected[B]
    (notice,) = other.notices
    assert (
        "is missing: the masks were not on the disk yet, and would have been computed"
        in notice.text
    )
    shut(other)
    shut(document)


def test_an_undone_intent_may_be_done_again(model, place):
    document = open_model(model)
    prune(document, A)
    prune(document, B)
    document.jump(0)
    prune(document, C)
    prune(document, B)
    undo(document)
    before = states(document)
    journal = Journal(place)
    mid_write(document, journal)
    again = taken_up(journal.path)
    assert (states(again), again.position) == (before, 3)
    redo(again)
    assert again.position == 4
    shut(again)
    shut(document)


def test_deleting_masks_waits_for_nobody(model, place, tmp_path, monkeypatch):
    """Newer actions are written between portions."""
    monkeypatch.setattr(journal_module, "_DELETED_AT_ONCE", 1)
    document = open_model(model)
    journal = Journal(place)
    prune(document, A)
    for number in range(1, 7):
        document.jump(1)
        prune(document, B, number / 10)
    journal.keep(Capture.of(document), {}, Job())
    document.jump(1)
    delete_undone(document)
    meanwhile = Meanwhile(document, journal, tmp_path / "copy.journal", 3, often=0.5)
    journal.keep(Capture.of(document), {}, Job(), meanwhile)
    assert meanwhile.calls > 2
    meanwhile.check()
    journal.keep(Capture.of(document), {}, Job())
    meanwhile.check()
    shut(document)
    journal.delete()


# The disk


def test_a_disk_that_keeps_no_masks_still_keeps_what_was_done(model, place, tmp_path, monkeypatch):
    """The message explains it; the masks are written as soon as there is room."""
    write = JournalDatabase.put
    full = True

    def put(file, table, key, data):
        if full and table == "mask":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(file, table, key, data)

    monkeypatch.setattr(JournalDatabase, "put", put)
    document = open_model(model)
    journal = Journal(place)
    for name in (A, B):
        prune(document, name)
        with pytest.raises(SessionError, match=r"computed again.*You can continue to work"):
            journal.keep(Capture.of(document), {}, Job())
        copy = tmp_path / "copy.journal"
        copy.write_bytes(journal.path.read_bytes())
        again = taken_up(copy)
        assert states(again) == states(document)
        shut(again)
    full = False
    journal.keep(Capture.of(document), {}, Job())
    journal.close()
    with read_journal(journal.path, Job()) as found:
        assert not found.history.intents
    shut(document)


@pytest.mark.parametrize("call", range(1, 12))
def test_a_transaction_that_fails_is_written_again(model, place, tmp_path, monkeypatch, call):
    """A process has at most one error, and after it everything is in the file."""
    transaction, calls = JournalDatabase.transaction, 0

    @contextlib.contextmanager
    def failing(file):
        nonlocal calls
        calls += 1
        with transaction(file):
            yield
            if calls == call:
                raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(JournalDatabase, "transaction", failing)
    document = open_model(model)
    journal = Journal(place)
    for name in (A, B, A, B):
        prune(document, name, 0.2)
        with contextlib.suppress(SessionError):
            journal.keep(Capture.of(document), {}, Job())
    journal.keep(Capture.of(document), {}, Job())
    assert calls > call
    copy = tmp_path / "copy.journal"
    copy.write_bytes(journal.path.read_bytes())
    with read_journal(copy, Job()) as found:
        assert not found.history.intents
    check_taken_up(document, copy)
    journal.delete()
