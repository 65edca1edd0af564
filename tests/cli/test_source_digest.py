"""Hashing the source in a background thread: each byte once, and the thread always ends."""

from __future__ import annotations

import hashlib
import json
import threading

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from pruneapp.__main__ import main
from pruneapp.checkpoint.io import digest
from pruneapp.checkpoint.io.digest import bytes_left
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.cli import prune, run
from pruneapp.errors import CheckpointError
from pruneapp.export import verify
from pruneapp.progress import Cancelled

# By command: the module and function that compute masks.
COMMANDS = {
    "prune": (prune, "_apply_step"),
    "run": (run, "apply_recipe"),
    "verify": (verify, "apply_recipe"),
}
PRUNE = ("--method", "l1_unstructured", "--amount", "0.5")


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "model.safetensors"
    rng = np.random.default_rng(0)
    save_file({f"{n}.weight": rng.normal(size=(200, 300)) for n in "abcd"}, path)
    return path


@pytest.fixture
def ready(source, tmp_path):
    """Return the arguments of each command, whose input files are created."""
    done, recipe = tmp_path / "done.safetensors", tmp_path / "recipe.json"
    assert main(["prune", str(source), *PRUNE, "-o", str(done), "--save-recipe", str(recipe)]) == 0
    out = str(tmp_path / "out.safetensors")
    return {
        "prune": ("prune", str(source), *PRUNE, "-o", out),
        "run": ("run", str(recipe), str(source), "-o", out),
        "verify": ("verify", str(done), "--against", str(source)),
    }


@pytest.fixture
def counted(monkeypatch):
    """Return a list that receives offset and thread of each hashed piece; pieces are small."""
    monkeypatch.setattr(digest, "_READ_BYTES", 100_000)
    found = []
    stretch = digest._hash_next

    def noted(file: FileSource, count, buffer):
        found.append((count.done, threading.current_thread() is threading.main_thread()))
        stretch(file, count, buffer)

    monkeypatch.setattr(digest, "_hash_next", noted)
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_each_byte_is_hashed_once_by_another_thread(
    ready, source, counted, monkeypatch, name, capsys
):
    module, masks = COMMANDS[name]
    compute = getattr(module, masks)

    def slow(*args, **more):
        """Compute the masks, and wait until the thread has hashed the file."""
        found = compute(*args, **more)
        file = next(a for a in (*args, getattr(args[0], "checkpoint", None)) if hasattr(a, "files"))
        while bytes_left(file.files[0]):
            threading.Event().wait(0.001)
        return found

    monkeypatch.setattr(module, masks, slow)
    assert main(list(ready[name])) == 0, capsys.readouterr()
    size = source.stat().st_size
    assert counted == [(place, False) for place in range(0, size, 100_000)]
    if name != "verify":
        with safe_open(ready[name][-1], "np") as written:
            output = written.metadata()["pruneapp.inputs"]
        assert json.loads(output) == [hashlib.sha256(source.read_bytes()).hexdigest()]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize(
    ("error", "status"),
    [(Cancelled(), 130), (KeyboardInterrupt(), 130), (CheckpointError("no"), 2)],
)
def test_no_thread_is_left_if_a_command_ends_early(
    ready, counted, monkeypatch, name, error, status
):
    module, masks = COMMANDS[name]

    def broken(*_args, **_more):
        while not counted:
            threading.Event().wait(0.001)
        raise error

    monkeypatch.setattr(module, masks, broken)
    monkeypatch.setattr(digest, "_MAX_LEAD_BYTES", 0)  # the thread waits for another reader
    assert main(list(ready[name])) == status
    assert [t for t in threading.enumerate() if not t.daemon] == [threading.main_thread()]
    assert len(counted) == 1
