"""Errors of the operating system are one sentence with the file name; no file is left."""

import errno
import json
import os
import shutil
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp.__main__ import main
from pruneapp.cli import methods
from pruneapp.export.destination.target import TargetFolder

METHOD = ("--method", "l1_unstructured", "--amount", "0.5")


class Usage(NamedTuple):
    """The return type of `shutil.disk_usage`."""

    total: int
    used: int
    free: int


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Write a sharded model, a single-file model, and an export of it with its recipe."""
    monkeypatch.chdir(tmp_path)
    where = {}
    Path("shards").mkdir()
    for number, name in enumerate("ab", 1):
        where[f"{name}.weight"] = f"model-{number:05}-of-00002.safetensors"
        save_file({f"{name}.weight": np.ones((40, 50))}, f"shards/{where[f'{name}.weight']}")
    Path("shards/model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))
    save_file({"a.weight": np.ones((40, 50))}, "model.safetensors")
    words = [
        "prune",
        "model.safetensors",
        *METHOD,
        "-o",
        "p.safetensors",
        "--save-recipe",
        "r.json",
    ]
    assert main(words) == 0
    return tmp_path


def test_a_full_disk_is_refused_before_anything_is_written(place, refused, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(10**6, 10**6 - 20_000, 20_000))
    monkeypatch.setattr(TargetFolder, "__enter__", None)
    err = refused("run", "r.json", "shards", "-o", "out")
    assert f"'{place / 'out'}' cannot be written" in err
    needed = sum(path.stat().st_size for path in (place / "shards").glob("*.safetensors"))
    assert needed > 2 * 16_000
    assert "20.0 kB are free" in err
    output = float(err.split(" kB are needed")[0].split()[-1])
    assert output * 1000 >= needed - 50


def test_errors_name_the_requested_folder(place, refused, monkeypatch):
    reserve = os.posix_fallocate

    def full(fd, start, nbytes):
        if next(place.glob("out.partial-*")).joinpath("model-00001-of-00002.safetensors").exists():
            pytest.fail("a file has its name before it is written")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    err = refused("run", "r.json", "shards", "-o", "out")
    assert f"'{place / 'out' / 'model-00001-of-00002.safetensors'}' cannot be written" in err
    assert "partial" not in err
    assert not list(place.glob("out*"))
    monkeypatch.setattr(os, "posix_fallocate", reserve)
    assert main(["run", "r.json", "shards", "-o", "out"]) == 0


def test_a_folder_that_cannot_be_listed_is_called_a_folder(place, refused, monkeypatch):
    (place / "out").mkdir()

    listing = Path.iterdir

    def locked(path):
        if path.name == "out":
            raise PermissionError(errno.EACCES, "Permission denied")
        return listing(path)

    with monkeypatch.context() as locking:
        locking.setattr(Path, "iterdir", locked)
        err = refused("run", "r.json", "shards/model.safetensors.index.json", "-o", "out")
    assert f"The files in '{place / 'out'}' cannot be listed: permission denied." in err
    assert "belongs to the model" not in err


def test_a_folder_with_the_name_of_a_file_is_refused_before_anything_is_written(
    place, refused, monkeypatch
):
    there = place / "out" / "model-00002-of-00002.safetensors"
    there.mkdir(parents=True)
    monkeypatch.setattr(TargetFolder, "__enter__", None)
    err = refused("run", "r.json", "shards", "-o", "out")
    assert f"'{there}' is a folder, and a file of the export has that name." in err
    assert [path.name for path in (place / "out").iterdir()] == [there.name]


def test_a_file_without_permission_is_reported_as_such(place, call, refused):
    os.mkfifo("pipe")
    for path in ("pipe", "nothere"):
        err = refused("verify", path, "--against", "model.safetensors")
        assert f"'{path}'" in err
    shutil.copy("p.safetensors", "cut.safetensors")
    os.truncate("cut.safetensors", 5_000)
    status, out, _ = call("verify", "cut.safetensors", "--against", "model.safetensors")
    assert (status, "is truncated" in out) == (1, True)


def test_an_unreadable_method_file_is_not_an_error_of_the_output(place, refused, monkeypatch):
    read = SourceFileLoader.get_data

    def locked(loader, path):
        if "own.py" in str(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return read(loader, path)

    looked = Path.is_file

    def unseen(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(SourceFileLoader, "get_data", locked)
    monkeypatch.setattr(Path, "is_file", lambda p: unseen(p) if p.name == "own.py" else looked(p))
    words = ("prune", "model.safetensors", *METHOD, "-o", "o.pt", "--load-method", "own.py")
    assert "'own.py' cannot be read: permission denied." in refused(*words)


def test_other_system_errors_name_the_file(place, refused, monkeypatch):
    def refuse(*_args):
        raise PermissionError(errno.EACCES, "Permission denied", "some/file")

    monkeypatch.setattr(methods, "methods", refuse)
    err = refused("methods")
    assert err == (
        "pruneapp: 'some/file' cannot be used: permission denied. Check the path and your "
        "permissions.\n"
    )
