"""Files that change, shrink or are deleted while they are open."""

from __future__ import annotations

import os

import pytest
import torch
from safetensors.torch import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import CheckpointError, DamagedFileError, FileChangedError


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.safetensors"
    save_file({"x": torch.arange(3_000_000.0)}, path)
    os.utime(path, ns=(1, 1))
    return path


def test_a_file_that_shrinks_while_it_is_read_is_an_error(path):
    """Row F03: between two chunks."""
    with open_checkpoint(path) as checkpoint:
        chunks = checkpoint.chunks("x")
        next(chunks)
        os.truncate(path, 5_000_000)
        with pytest.raises(FileChangedError, match="changed by another program"):
            list(chunks)


def test_a_file_that_is_edited_in_place_is_noticed_on_the_next_read(path):
    """Row F04."""
    with open_checkpoint(path) as checkpoint:
        checkpoint.verify_unchanged()
        with path.open("r+b") as stream:
            stream.seek(1000)
            stream.write(b"edited")
        with pytest.raises(FileChangedError):
            checkpoint.bits("x", 0, 10)
        with pytest.raises(FileChangedError):
            checkpoint.verify_unchanged()


def test_a_file_that_is_replaced_still_reads_but_is_noticed(path):
    """The opened inode still exists; comparing it with the path detects the replacement."""
    with open_checkpoint(path) as checkpoint:
        other = path.with_suffix(".new")
        other.write_bytes(b"something else")
        other.replace(path)
        assert checkpoint.bits("x", 5, 6).view("float32") == 5
        with pytest.raises(FileChangedError, match="changed"):
            checkpoint.verify_unchanged()
        path.unlink()
        with pytest.raises(FileChangedError, match="no longer exists"):
            checkpoint.verify_unchanged()


def test_reading_past_the_end_says_how_much_is_there(path):
    source = FileSource(path)
    with pytest.raises(DamagedFileError, match="ends at byte"):
        source.read(source.size - 3, 4)
    source.close()


def test_errors_of_the_disk_are_sentences(path, monkeypatch):
    """Row F05."""
    source = FileSource(path)

    def broken(*_args):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "preadv", broken)
    with pytest.raises(CheckpointError, match=r"cannot be read at byte 8: input/output error\."):
        source.read(8, 8)
    source.close()


def test_systems_without_positioned_reads_work_too(path, monkeypatch):
    monkeypatch.delattr(os, "preadv")
    with open_checkpoint(path) as checkpoint:
        assert torch.equal(checkpoint.read("x"), torch.arange(3_000_000.0))


def test_a_file_that_is_closed_while_it_is_read_is_let_go_of_after_the_read(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    source = FileSource(path)
    real = os.preadv

    def slow(fd, buffers, offset):
        source.close()
        os.fstat(fd)  # still open: its number cannot have been reused
        return real(fd, buffers, offset)

    monkeypatch.setattr(os, "preadv", slow)
    buffer = bytearray(4)
    source.read_into(3, memoryview(buffer))

    assert bytes(buffer) == b"3456"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(source._fd)
    with pytest.raises(CheckpointError, match="was closed"):
        source.read_into(0, memoryview(buffer))


def test_a_file_that_nobody_holds_any_more_is_closed(path):
    """A checkpoint whose opening was superseded."""
    source = FileSource(path)
    number = source._fd
    os.fstat(number)
    del source
    with pytest.raises(OSError, match="descriptor"):
        os.fstat(number)
