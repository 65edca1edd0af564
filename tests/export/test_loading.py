"""What the report tells those who get a file: the lines are typed here as they stand."""

import shlex
import shutil
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file

from pruneapp.export.registry import FORMATS
from pruneapp.export.run import ExportRequest, export
from pruneapp.progress import Job
from tests.export.containers import as_snapshot

NAME = "it's a model"


@pytest.fixture
def state(source_of):
    return as_snapshot(source_of("safetensors", {"w": torch.arange(600.0).reshape(20, 30)}), {})


def written(state, tmp_path, form, suffix=None):
    path = tmp_path / f"{NAME}{suffix or FORMATS[form].suffixes[0]}"
    return export(state, ExportRequest(form, path), Job()).path


class Model:
    """Takes what is loaded."""

    def load_state_dict(self, state_dict, *, assign=False):
        del assign
        assert state_dict


@pytest.mark.parametrize("form", FORMATS)
def test_the_lines_load_the_file_where_it_lies(state, tmp_path, monkeypatch, form):
    path = written(state, tmp_path, form)
    lines = FORMATS[form].loads(path)
    monkeypatch.chdir(tmp_path)
    assert 1 <= len(lines.splitlines()) <= 3
    if lines.startswith(("from ", "import ")):
        found = {"model": Model()}
        exec(lines, found)
        loaded = found.get("state_dict", found.get("bits"))
        assert loaded is not None
        if "w" in loaded:
            assert torch.equal(loaded["w"].to_dense(), torch.arange(600.0).reshape(20, 30))
        return
    command = shlex.split(lines, comments=True)
    if command[0] == "python":
        subprocess.run([sys.executable, *command[1:]], check=True, timeout=60)
    else:
        assert command[:2] == ["zstd", "-d"]
        if shutil.which("zstd") is None:
            return
        subprocess.run(command, check=True, timeout=60)
    found = load_file(tmp_path / f"{NAME}.safetensors")
    assert torch.equal(found["w"], torch.arange(600.0).reshape(20, 30))


def test_weights_and_masks_in_a_torch_file_are_loaded_by_torch(state, tmp_path, monkeypatch):
    path = written(state, tmp_path, "resumable", ".pt")
    monkeypatch.chdir(tmp_path)
    found = {"model": Model()}
    exec(FORMATS["resumable"].loads(path), found)
    assert "w" in found["state_dict"]


def test_without_the_reader_a_packed_file_is_expanded(state, tmp_path):
    path = tmp_path / "m.compact.safetensors"
    export(state, ExportRequest("compact", path, params={"reader": False}), Job())
    assert FORMATS["compact"].loads(path) == (
        "pruneapp expand m.compact.safetensors -o m.safetensors"
    )


@pytest.mark.parametrize("form", ["safetensors", "torch", "resumable"])
def test_a_folder_is_loaded_by_transformers_or_file_by_file(source_of, tmp_path, monkeypatch, form):
    tensors = {"a": torch.ones(400, 10), "b": torch.ones(300, 10)}
    state = as_snapshot(source_of("safetensors", tensors), {})
    path = tmp_path / NAME
    export(state, ExportRequest(form, path, params={"shard_size": 13_000}), Job())
    monkeypatch.chdir(tmp_path)
    found = {}
    exec(FORMATS[form].loads(path), found)
    assert {name for part in found["parts"] for name in part} == set(tensors)
    (path / "config.json").write_text("{}")
    assert 'from_pretrained("it\'s a model")' in FORMATS[form].loads(path)
