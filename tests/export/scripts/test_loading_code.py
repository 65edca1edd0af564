"""What the report tells those who get a file: the lines are typed here as they stand."""

import os
import shutil
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file

from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.scripts.loading_code import READER_NAME
from pruneapp.progress import Job
from pruneapp.results.export import ExportRequest
from tests.support.containers import as_snapshot

NAME = "it's a model"
ODD = (NAME, 'a "b" $HOME `c`; d', "-o", "ünï & çödé.v1")


@pytest.fixture
def state(source_of):
    return as_snapshot(source_of("safetensors", {"w": torch.arange(600.0).reshape(20, 30)}), {})


@pytest.fixture
def shell(tmp_path):
    """Type a line into a shell where a file lies; python and pruneapp are those of this test."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, words in (("python", ""), ("pruneapp", "-m pruneapp")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (programs / name).chmod(0o755)
    found = dict(os.environ, PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")

    def run(line):
        subprocess.run(["sh", "-c", line], cwd=tmp_path, env=found, check=True, timeout=60)

    return run


def written(state, tmp_path, form, suffix=None, name=NAME):
    suffix = FORMATS[form].suffixes[0] if suffix is None else suffix
    return export(state, ExportRequest(form, tmp_path / f"{name}{suffix}"), Job()).path


class Model:
    """Takes what is loaded."""

    def load_state_dict(self, state_dict, *, assign=False):
        del assign
        assert state_dict


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("ending", ["usual", "none"])
@pytest.mark.parametrize("form", FORMATS)
def test_the_lines_load_the_file_where_it_lies(
    state, tmp_path, monkeypatch, shell, form, ending, name
):
    path = written(state, tmp_path, form, None if ending == "usual" else "", name)
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
    if lines.startswith("zstd ") and shutil.which("zstd") is None:
        pytest.skip("zstd is not installed")
    shell(lines)
    found = load_file(tmp_path / f"{name}.safetensors")
    assert torch.equal(found["w"], torch.arange(600.0).reshape(20, 30))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("m.safetensors.zst", "zstd -d m.safetensors.zst"),
        ("names_7", "zstd -d names_7 -o names_7.safetensors"),
        ("m.zst", "zstd -d m.zst -o m.safetensors"),
        ("m.ZST", "zstd -d m.ZST -o m.ZST.safetensors"),
        ("-d", "zstd -d ./-d -o ./-d.safetensors"),
    ],
)
def test_zstd_is_told_what_to_call_what_it_cannot_guess(tmp_path, name, line):
    assert FORMATS["zst"].loads(tmp_path / name) == line


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


def test_a_script_of_somebody_else_is_not_said_to_be_the_reader(state, tmp_path, shell):
    (tmp_path / READER_NAME).write_text("raise SystemExit(1)")
    path = written(state, tmp_path, "compact")
    lines = FORMATS["compact"].loads(path)
    assert lines.startswith("pruneapp expand ")
    shell(lines)
    assert torch.equal(
        load_file(tmp_path / f"{NAME}.safetensors")["w"], torch.arange(600.0).reshape(20, 30)
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
