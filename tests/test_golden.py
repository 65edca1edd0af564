"""Recipes write the same tensors as before in every format; see golden/README.md."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
import zstandard

from pruneapp.__main__ import main
from pruneapp.export.catalog import FORMATS
from pruneapp.progress import Job
from pruneapp.recipes.recipe import load

GOLDEN = Path(__file__).with_name("golden")
DIGESTS = json.loads((GOLDEN / "exports.json").read_text(encoding="utf-8"))
MODELS = {
    "rules": "bert.safetensors",
    "limits": "bert.safetensors",
    "hand": "conv.pt",
    "buffers": "gpt.safetensors",
}


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """Return a copy of the folder, so that exports cannot write into the original."""
    return Path(shutil.copytree(GOLDEN, tmp_path / "golden"))


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file; of a safetensors file, also compressed, without its metadata.

    The metadata contains the version of Pruneapp, which changes with every release, and the recipe.
    """
    data = path.read_bytes()
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    if path.suffix in {".safetensors", ".zst"}:
        end = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:end])
        header.pop("__metadata__", None)
        data = json.dumps(header, sort_keys=True).encode() + data[end:]
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("name", DIGESTS)
def test_a_recipe_writes_the_same_tensors_as_before(golden, tmp_path, name, capfd):
    recipe, form = name.split(" ")
    made = tmp_path / f"out{FORMATS[form].suffixes[0]}"
    source, file = golden / MODELS[recipe], golden / f"{recipe}.recipe.json"
    assert main(["run", str(file), str(source), "-o", str(made), "--format", form]) == 0
    assert digest_of(made) == DIGESTS[name]
    words = ["verify", str(made), "--against", str(source), "--recipe", str(file)]
    assert main(words) == 0
    assert "Yes: " in capfd.readouterr().out


@pytest.mark.parametrize("recipe", MODELS)
def test_a_recipe_is_written_with_the_entries_that_were_read(golden, recipe):
    path = golden / f"{recipe}.recipe.json"
    written, read = json.loads(load(path, Job()).text()), json.loads(path.read_text())
    assert written["version"] == 1
    assert [e["name"] for e in written["entries"]] == [e["name"] for e in read["entries"]]
