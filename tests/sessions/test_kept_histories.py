"""Histories of closed files: the last ten, within a limit of bytes, and only of unchanged files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io.digest import sha256_of
from pruneapp.document.document import Capture
from pruneapp.errors import OriginalChangedError
from pruneapp.progress import Job
from pruneapp.sessions import journal, kept_histories
from pruneapp.sessions.journal import Journal
from pruneapp.sessions.journal_reader import find_unsaved_work, read_journal
from pruneapp.sessions.original import describe
from pruneapp.sessions.restore import resume
from tests.sessions.session_documents import open_model, prune, shut, states, storied, write_model


def close(document) -> Path:
    """Close a document; return its kept history."""
    written = Journal(journal.folder())
    written.keep(Capture.of(document), {}, Job())
    path = written.close()
    shut(document)
    return kept_histories.keep(path, document.checkpoint.path)


def close_other(folder: Path, number: int) -> Path:
    document = open_model(write_model(folder / f"{number}.safetensors"))
    prune(document)
    path = close(document)
    os.utime(path, (number, number))
    return path


def test_a_history_is_found_by_its_file_and_resumed(model, tmp_path):
    document = storied(model)
    before, position = states(document), document.position
    kept = close(document)
    assert kept_histories.is_kept(kept)
    assert not find_unsaved_work(journal.folder(), Job()), "it is not offered as after a crash"
    link = tmp_path / "link.safetensors"
    link.symlink_to(model)
    assert kept_histories.find(link) == kept_histories.find(model) == (kept,)
    assert not kept_histories.find(tmp_path / "other.safetensors")
    checkpoint = open_checkpoint(model)
    with read_journal(kept, Job()) as found:
        assert not kept_histories.find(model), "another window does not get it meanwhile"
        kept_histories.check_unchanged(found.original, checkpoint, Job())
        again = resume(found, checkpoint, Job())
        assert (states(again), again.position) == (before, position)
    shut(again)


def test_the_newest_ten_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_histories, "MOST_HISTORIES", 3)
    paths = [close_other(tmp_path, number) for number in range(1, 6)]
    assert [path.exists() for path in paths] == [False, False, True, True, True]
    assert kept_histories.total()[0] == 3
    kept_histories.clear()
    assert kept_histories.total() == (0, 0)


def test_older_ones_make_room_and_those_in_use_stay(tmp_path, monkeypatch):
    first, second = (close_other(tmp_path, number) for number in (1, 2))
    monkeypatch.setattr(kept_histories, "MOST_BYTES", second.stat().st_size + 10)
    with read_journal(first, Job()):
        third = close_other(tmp_path, 3)
        assert (first.exists(), second.exists(), third.exists()) == (True, False, True)
        kept_histories.clear()
        assert (first.exists(), third.exists()) == (True, False)
    monkeypatch.setattr(kept_histories, "MOST_BYTES", 10)
    assert close_other(tmp_path, 4).exists(), "the window asks before it keeps what is too large"
    assert not first.exists()


@pytest.mark.parametrize("known", [True, False], ids=["hashed", "not hashed"])
def test_only_the_same_content_is_resumed(model, known):
    content, status = model.read_bytes(), model.stat()
    checkpoint = open_checkpoint(model)
    if known:
        sha256_of(checkpoint.files[0], Job())
    original = describe(checkpoint, Job())
    checkpoint.close()

    def check() -> None:
        again = open_checkpoint(model)
        try:
            kept_histories.check_unchanged(original, again, Job())
        finally:
            again.close()

    check()
    os.utime(model, ns=(status.st_atime_ns, status.st_mtime_ns + 10**9))
    if known:
        check()  # touched or copied
    else:
        with pytest.raises(OriginalChangedError, match="was made with") as refused:
            check()
        assert refused.value.details == "'model.safetensors' was modified."
    model.write_bytes(content[:-1] + bytes((content[-1] ^ 1,)))
    with pytest.raises(OriginalChangedError):
        check()
