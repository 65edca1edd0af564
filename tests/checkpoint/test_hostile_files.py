"""Every hostile file is refused in one sentence, or opens as expected; no file stays open."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from pruneapp.checkpoint import parser_client
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.errors import CheckpointError, UnsupportedFileError
from tests.checkpoint.hostile_arrays import array_cases
from tests.checkpoint.hostile_gguf import gguf_cases
from tests.checkpoint.hostile_safetensors import all_cases

GROUPS = {"safetensors": all_cases(), "arrays": array_cases(), "gguf": gguf_cases()}


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0


def _check(case, folder):
    path = case.build(folder)
    before = _open_files()

    if case.says is None:
        with open_checkpoint(path) as checkpoint:
            case.check(checkpoint)
    else:
        with pytest.raises(CheckpointError) as caught:
            open_checkpoint(path)
        text = str(caught.value)
        assert case.says in text
        assert (case.names or str(folder if path.is_relative_to(folder) else path)) in text
        assert "\n" not in text
        assert len(text) < 1000
        assert caught.value.sentence.endswith(".")
        if isinstance(caught.value, UnsupportedFileError):
            assert caught.value.remedy, "a format that is recognized has a way out"

    assert _open_files() <= before  # files of other tests may be collected meanwhile


@pytest.mark.parametrize("group", GROUPS)
def test_a_hostile_file_is_refused_or_opens_as_its_row_says(group, tmp_path, monkeypatch, subtests):
    # Small headers of safetensors are parsed, or scanned like large ones.
    sizes = [parser_client.SMALL_BYTES, 0] if group == "safetensors" else [0]
    for size in sizes:
        monkeypatch.setattr(parser_client, "SMALL_BYTES", size)
        for number, case in enumerate(GROUPS[group]):
            folder = tmp_path / f"{size}-{number}"
            folder.mkdir()
            with subtests.test(case.id, scanned=not size):
                _check(case, folder)


def test_the_corpus_has_every_row_once():
    cases = [case for group in GROUPS.values() for case in group]
    ids = [case.id for case in cases]
    assert len(set(ids)) == len(ids)
    assert sum(case.says is not None for case in cases) >= 80


def test_a_keras_model_is_refused_as_one_and_with_the_call_that_loads_it(tmp_path):
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("metadata.json", "config.json", "model.weights.h5"):
            archive.writestr(name, "{}")
    with pytest.raises(UnsupportedFileError, match="is a Keras model") as caught:
        open_checkpoint(path)
    assert "keras.models.load_model(FILE)" in caught.value.remedy
