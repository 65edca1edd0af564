"""Kinds of paths: an impossible name counts as nonexistent."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pruneapp.checkpoint.io import files
from pruneapp.checkpoint.io.files import (
    exists,
    find_abandoned,
    hidden_name,
    is_folder,
    lock,
    partial_name,
    remove_abandoned,
    temporary_folder,
)
from pruneapp.sessions import journal_file


def test_a_folder_and_a_file_are_told_apart(tmp_path):
    (tmp_path / "some.bin").write_bytes(b"")
    assert is_folder(tmp_path)
    assert exists(tmp_path)
    assert not is_folder(tmp_path / "some.bin")
    assert exists(tmp_path / "some.bin")


@pytest.mark.parametrize("name", ["none", "n" * 5000, "n" * 300, "some\0name", "some.bin/inside"])
def test_where_nothing_can_be_there_is_nothing(tmp_path, name):
    (tmp_path / "some.bin").write_bytes(b"")
    assert not exists(tmp_path / Path(name))
    assert not is_folder(tmp_path / Path(name))


# Locks mark files in use; a file system without locks is no error


HOLD = """
import os, sys
from pruneapp.checkpoint.io.files import lock
fd = os.open(sys.argv[1], os.O_RDWR)
print(lock(fd), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / hidden_name("model.safetensors", "part")
    path.write_bytes(b"some bytes")
    return path


@pytest.fixture
def fd(path):
    fd = os.open(path, os.O_RDWR)
    yield fd
    os.close(fd)


def test_another_process_sees_it_until_that_one_is_killed(path, fd):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "True\n"
        assert lock(fd) is False
        assert journal_file.lock(fd) is False
        assert find_abandoned(path.parent) == ()
        assert not remove_abandoned(path)
        other.kill()
        other.wait(10)
        assert find_abandoned(path.parent) == (path,)
        assert lock(fd) is True
    assert find_abandoned(path.parent) == ()


def test_the_place_in_the_file_stays(fd):
    os.lseek(fd, 4, os.SEEK_SET)
    assert lock(fd) is True
    assert os.lseek(fd, 0, os.SEEK_CUR) == 4


def test_without_locks_work_is_kept_and_nothing_is_taken_for_abandoned(path, fd, monkeypatch):
    def refuse(_fd):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(files, "_acquire", refuse)
    assert lock(fd) is None
    assert journal_file.lock(fd) is True
    lock(fd)
    assert find_abandoned(path.parent) == ()
    assert not remove_abandoned(path)
    assert path.exists()


def test_names_beside_the_longest_are_possible(tmp_path):
    (tmp_path / partial_name("ü" * 127 + "x")).mkdir()
    (tmp_path / hidden_name("ü" * 127 + "x", "part")).touch()
    assert len(find_abandoned(tmp_path)) == 2


HOLD_FOLDER = """
import sys
from pruneapp.checkpoint.io.files import temporary_folder
with temporary_folder() as folder:
    (folder / "gram").write_bytes(b"some bytes")
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_a_temporary_folder_is_removed_after_its_block_or_after_its_process_was_killed(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    foreign = tmp_path / "pruneapp-of_a_person"
    foreign.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD_FOLDER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        held = Path(other.stdout.readline().strip())
        with temporary_folder() as folder:
            (folder / "one").mkdir()
            assert {*tmp_path.iterdir()} == {foreign, held, folder}
        other.kill()
        other.wait(10)
        assert {*tmp_path.iterdir()} == {foreign, held}
        with temporary_folder() as folder:
            assert {*tmp_path.iterdir()} == {foreign, folder}
    assert [*tmp_path.iterdir()] == [foreign]


def test_a_temporary_folder_is_created_in_a_folder_or_else_in_that_of_the_system(tmp_path):
    with temporary_folder(tmp_path / "new") as folder:
        assert folder.parent == tmp_path / "new"
    assert list((tmp_path / "new").iterdir()) == []
    (tmp_path / "file").touch()
    with temporary_folder(tmp_path / "file" / "below") as folder:
        assert folder.parent == Path(tempfile.gettempdir())
