"""Every hostile file is refused in one sentence, or opens as it should; nothing stays open."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from pruneapp.checkpoint import parser_client
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.errors import CheckpointError, UnsupportedFileError
from tests.checkpoint.hostile_safetensors import all_cases

CASES = all_cases()


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


def test_a_numpy_archive_can_be_opened_after_the_call_that_its_refusal_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "weights.npz"
    np.savez(path, **{"a": np.ones((2, 3), np.float32), "b.c": np.zeros(4, np.float32)})
    with pytest.raises(UnsupportedFileError, match="is a numpy archive") as caught:
        open_checkpoint(path)
    remedy = caught.value.remedy
    call = remedy[remedy.index("safetensors.numpy.save_file") : remedy.index(", then")]
    eval(call, {"safetensors": safetensors, "numpy": np, "FILE": path})
    with open_checkpoint(tmp_path / "model.safetensors") as checkpoint:
        assert set(checkpoint.entries) == {"a", "b.c"}


def test_a_keras_model_is_refused_as_one_and_with_the_call_that_loads_it(tmp_path):
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("metadata.json", "config.json", "model.weights.h5"):
            archive.writestr(name, "{}")
    with pytest.raises(UnsupportedFileError, match="is a Keras model") as caught:
        open_checkpoint(path)
    assert "keras.models.load_model(FILE)" in caught.value.remedy
