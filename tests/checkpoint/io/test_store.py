"""Tests of URLs as paths that need no store."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from pruneapp.checkpoint.io.store import ObjectInfo, StorePath, is_store, locate
from pruneapp.errors import ParameterError


def test_a_path_of_the_disk_stays_one():
    for text in ("a/b.pt", "/a/b.pt", "C:\\a\\b.pt", "a:b", "://x"):
        assert type(locate(text)) is type(Path(text))
        assert not is_store(locate(text))


def test_the_parts_of_a_url():
    path = locate("S3://bucket/a/b.index.json")
    assert isinstance(path, StorePath)
    assert str(path) == "s3://bucket/a/b.index.json"
    assert (path.name, path.suffix, path.stem) == ("b.index.json", ".json", "b.index")
    assert str(path.parent) == "s3://bucket/a"
    assert str(path.parent / "c" / "d.pt") == "s3://bucket/a/c/d.pt"
    assert str(path.with_name("x")) == "s3://bucket/a/x"
    assert path.relative_to(path.parent.parent).as_posix().endswith("a/b.index.json")
    assert path.is_relative_to(path.parent)
    assert path.is_absolute()
    assert path.absolute() == path.resolve() == path.expanduser() == path
    assert locate(path) is path
    assert locate("s3://bucket/a/") == path.parent
    assert len({path, locate(str(path))}) == 1


def test_it_travels_to_other_processes():
    path = locate("gs://bucket/a b/ü.safetensors")
    again = pickle.loads(pickle.dumps(path))
    assert again == path
    assert str(again) == str(path)
    assert is_store(again)


def test_it_is_no_file_of_this_machine():
    """Code that does not support URLs fails, instead of using the working folder."""
    with pytest.raises(TypeError, match="is not a file of this machine"):
        os.path.lexists(locate("s3://bucket/a"))
    with pytest.raises(TypeError, match="is not a file of this machine"):
        os.fspath(locate("s3://bucket/a"))


@pytest.mark.parametrize("text", ["s3://a:b@c/d", "s3://a:b/c@d/e", "hf://a/b?token=c", "gs://"])
def test_what_is_refused(text):
    with pytest.raises(ParameterError) as caught:
        locate(text)
    assert "a:b" not in str(caught.value)
    assert "token=" not in str(caught.value)


def test_two_contents_of_one_second_differ():
    path = StorePath("s3://bucket/a")
    one, other = ObjectInfo(3, "x", 1e9).status(path), ObjectInfo(3, "y", 1e9).status(path)
    assert one.st_mtime_ns != other.st_mtime_ns
    assert one.st_mtime_ns // 10**9 == other.st_mtime_ns // 10**9 == 10**9
    assert one.st_ino == other.st_ino != ObjectInfo(3, "x", 1e9).status(path.parent).st_ino
