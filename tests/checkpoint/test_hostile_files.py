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

CASES = [*all_cases(), *array_cases(), *gguf_cases()]


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0


@pytest.mark.parametrize("small", [parser_client.SMALL_BYTES, 0], ids=["", "scanned"])
@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_a_hostile_file_is_refused_or_opens_as_its_row_says(case, small, tmp_path, monkeypatch):
    monkeypatch.setattr(parser_client, "SMALL_BYTES", small)
    folder = tmp_path / "f"
    folder.mkdir()
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

    assert _open_files() == before


def test_the_corpus_has_every_row_once():
    ids = [case.id for case in CASES]
    assert len(set(ids)) == len(ids)
    assert sum(case.says is not None for case in CASES) >= 80


def test_a_keras_model_is_refused_as_one_and_with_the_call_that_loads_it(tmp_path):
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("metadata.json", "config.json", "model.weights.h5"):
            archive.writestr(name, "{}")
    with pytest.raises(UnsupportedFileError, match="is a Keras model") as caught:
        open_checkpoint(path)
    assert "keras.models.load_model(FILE)" in caught.value.remedy
