"""What is at a path: a name that nobody can have is one where nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest

from pruneapp.checkpoint.io.files import exists, is_folder


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
