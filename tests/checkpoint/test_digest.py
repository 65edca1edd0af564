"""The SHA-256 of a file is counted once, in stretches if need be."""

from __future__ import annotations

import gc
import hashlib
import os
from pathlib import Path

import pytest

from pruneapp.checkpoint import digest as module
from pruneapp.checkpoint.digest import Digest, known, remember
from pruneapp.checkpoint.source import FileSource
from pruneapp.errors import CheckpointError
from pruneapp.progress import Cancelled, CancelToken, Job


@pytest.fixture
def file(tmp_path: Path):
    path = tmp_path / "some.bin"
    path.write_bytes(os.urandom(10_000))
    source = FileSource(path)
    yield source
    source.close()


class Stretch(Job):
    """Goes on for so many bytes."""

    def __init__(self, nbytes: int) -> None:
        super().__init__(cancel=CancelToken())
        self.left = nbytes

    def step(self, units: int) -> None:
        super().step(units)
        self.left -= units
        if self.left <= 0:
            self.cancel.cancel()


def test_it_is_that_of_hashlib_and_is_known_from_then_on(file, monkeypatch):
    assert known(file) == ""
    expected = hashlib.sha256(file.path.read_bytes()).hexdigest()
    assert Digest(file).run(Job()) == expected
    assert known(file) == expected
    monkeypatch.setattr(FileSource, "read_into", None)
    assert Digest(file).run(Job()) == expected, "not counted again"


@pytest.mark.parametrize("stretch", [1, 999, 4096, 9_999])
def test_who_is_cancelled_goes_on_where_he_was(file, monkeypatch, stretch):
    monkeypatch.setattr(module, "_READ", 1000)
    read = FileSource.read_into
    places = []

    def noted(self, offset, buffer):
        places.append(offset)
        read(self, offset, buffer)

    monkeypatch.setattr(FileSource, "read_into", noted)
    digest = Digest(file)
    rounds = 0
    while True:
        rounds += 1
        try:
            found = digest.run(Stretch(stretch))
        except Cancelled:
            assert rounds < 20
            continue
        break
    assert found == hashlib.sha256(file.path.read_bytes()).hexdigest()
    assert places == list(range(0, 10_000, 1000)), "no byte is read twice"


def test_an_empty_file_has_one_too(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    source = FileSource(tmp_path / "empty")
    assert Digest(source).run(Job()) == hashlib.sha256(b"").hexdigest()
    source.close()


def test_of_a_file_that_changed_nothing_is_known(file):
    remember(file, "abc")
    assert known(file) == "abc"
    copy = file.path.with_name("copy")
    copy.write_bytes(file.path.read_bytes())
    file.moved(copy)  # a copy has another inode: nobody has read it
    assert known(file) == ""
    copy.write_bytes(b"shorter")
    with pytest.raises(CheckpointError):
        Digest(file).run(Job())
    assert known(file) == ""


def test_a_file_that_nobody_has_any_more_is_forgotten(tmp_path):
    (tmp_path / "a").write_bytes(b"a")
    source = FileSource(tmp_path / "a")
    remember(source, "abc")
    before = len(module._known)
    source.close()
    del source
    gc.collect()
    assert len(module._known) == before - 1
