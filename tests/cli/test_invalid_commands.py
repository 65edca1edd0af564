"""Malformed command lines end with status 0, 1 or 2 and a sentence, never a traceback."""

from __future__ import annotations

import itertools
import json
import os

import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp.__main__ import main

RECIPE = {"format": "pruneapp-recipe", "version": 1, "entries": []}
ODD = (
    "",
    "-",
    ".",
    "no such file",
    "a\udcffb",
    "\u202e",
    "x" * 5000,
    "model/below",
    "empty",
    "binary.json",
    "list.json",
    "cut.safetensors",
    "broken link",
    "loop",
    "pipe",
    "folder",
    "none.recipe.json",
    "model",
)
PRUNE = ("--method", "l1_unstructured", "--amount", "0.5")
LINES = {
    "inspect": lambda one, _: (one,),
    "sizes": lambda one, _: (one,),
    "check": lambda one, other: (one, "--pattern", "2:4", "--select", other),
    "diff": lambda one, other: (one, other),
    "expand": lambda one, other: (one, "-o", f"{other}.out"),
    "verify": lambda one, other: (one, "--against", other),
    "run": lambda one, other: (one, other, "--check"),
    "prune": lambda one, other: (one, "-o", "out.safetensors", *PRUNE, "--save-recipe", other),
    "methods": lambda one, other: (one, other),
    "allocate": lambda one, other: (one, other, "--total", "50%", "-o", "out.recipe.json"),
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_file({"fc.weight": np.ones((4, 8), np.float32)}, tmp_path / "model")
    (tmp_path / "empty").touch()
    (tmp_path / "binary.json").write_bytes(bytes(range(256)) * 9)
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "cut.safetensors").write_bytes((tmp_path / "model").read_bytes()[:-9])
    (tmp_path / "none.recipe.json").write_text(json.dumps(RECIPE))
    (tmp_path / "broken link").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have names on Unix only")
@pytest.mark.parametrize("command", LINES)
def test_odd_words_end_with_a_status_and_a_sentence(place, capfd, command):
    for one, other in itertools.chain(
        ((one, "model") for one in ODD), (("model", one) for one in ODD[:-2])
    ):
        words = (command, *LINES[command](one, other))
        try:
            status = main(list(words))
        except SystemExit as end:
            status = end.code
        out, err = capfd.readouterr()
        assert status in {0, 1, 2}, (words, err)
        assert "Traceback" not in err
        assert (err if status == 2 else out).strip(), words
        if status == 2:
            assert err.startswith("pruneapp"), words
            assert "." in err or "--help" in err


def _identity(path):
    """Return what changes if a file is replaced or written; not when it was last read."""
    status = os.lstat(path)
    return status.st_dev, status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have names on Unix only")
@pytest.mark.parametrize("where", [".", "folder", "pipe", "broken link"])
def test_a_recipe_replaces_nothing_but_a_regular_file(place, capfd, where):
    before = _identity(where)
    assert main(["prune", "model", "-o", "out.safetensors", *PRUNE, "--save-recipe", where]) == 2
    assert f"'{where}' is " in capfd.readouterr().err
    assert _identity(where) == before
    assert not (place / "out.safetensors").exists()
