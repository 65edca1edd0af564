"""Malformed recipes and metadata on the command line cause a sentence, never a traceback."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from pruneapp import resources
from pruneapp.export.provenance import KEY, checksum
from pruneapp.json_codec import MAX_DEPTH

SAMPLE = resources.path("sample/lenet-digits.safetensors")
HEAD = b'{"format": "pruneapp-recipe", "version": 1, "entries": ['


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEAD + b'{"name": "\xff\xfe"}]}', "is not UTF-8 text at byte"),
        (HEAD + b"[" * 20_000 + b"]" * 20_000 + b"]}", "is nested too deeply"),
        (HEAD + b'{"name": "step", "name": "step"}]}', "'name' appears twice"),
        (HEAD + b'{"name": "step", "configuration": NaN}]}', "contains NaN"),
        (HEAD + b'{"name": "finalize", "configuration": 7}]}', "at entries[0].configuration"),
        (HEAD[:-1] + b"9" * 5000 + b"}", "thousands of digits"),
    ],
)
def test_run_reports_the_error_in_a_recipe(refused, tmp_path, text, sentence):
    recipe = tmp_path / "r.recipe.json"
    recipe.write_bytes(text)
    err = refused("run", recipe, SAMPLE, "-o", tmp_path / "o.safetensors")
    assert sentence in err
    assert "r.recipe.json" in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "o.safetensors").exists()


@pytest.fixture
def exported(call, tmp_path):
    """Write an export with provenance metadata."""
    target = tmp_path / "o.safetensors"
    status, _, err = call(
        "prune", SAMPLE, "-o", target, "--method", "l1_unstructured", "--amount", "0.5"
    )
    assert (status, err) == (0, "")
    return target


def change(path: Path, **texts: object) -> None:
    """Change metadata and update its checksum."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    metadata = header["__metadata__"]
    for name, text in texts.items():
        if text is None:
            del metadata[KEY + name]
        else:
            metadata[KEY + name] = text
    output = {k.removeprefix(KEY): v for k, v in metadata.items() if k.startswith(KEY)}
    metadata[KEY + "sha256"] = checksum({k: v for k, v in output.items() if isinstance(v, str)})
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + size :])


DEEP = "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)
NESTED = HEAD.decode() + "[" * 20_000 + "]" * 20_000 + "]}"


@pytest.mark.parametrize(
    ("texts", "status", "sentence"),
    [
        ({"inputs": "7"}, 1, "expected an array, got 7"),
        ({"inputs": "[1]"}, 1, "at [0]: expected a string, got 1"),
        ({"inputs": DEEP}, 1, "nested too deeply"),
        ({"inputs": None}, 1, "lacks 'pruneapp.inputs'"),
        ({"format": "[]"}, 1, "expected an object, got an array of 0"),
        ({"format": '{"name": 7, "configuration": {}}'}, 1, "at name: expected a string, got 7"),
        ({"format": '{"name": "safetensors"}'}, 1, "the key 'configuration' is missing"),
        ({"format": '{"name": "safetensors", "configuration": [1]}'}, 1, "at configuration"),
        ({"format": '{"name": "none", "configuration": {}}'}, 2, "none"),
        ({"format": '{"name": "safetensors", "configuration": {"x": 1}}'}, 2, "x"),
        ({"format": None}, 1, "lacks 'pruneapp.format'"),
        ({"version": None}, 1, "lacks 'pruneapp.version'"),
        ({"version": 7}, 1, "'pruneapp.version' in '__metadata__' is not text"),
        ({"recipe": NESTED}, 2, "nested too deeply"),
        ({"recipe": "{}"}, 2, "is not a recipe"),
        ({"recipe": "[]"}, 2, "is not a recipe"),
        ({"masks": "[]"}, 1, "header"),  # not needed: the recipe's result has no such key
    ],
)
def test_verify_reports_the_error_in_metadata(call, exported, texts, status, sentence):
    change(exported, **texts)
    found, out, err = call("verify", exported, "--against", SAMPLE)
    assert "Traceback" not in err
    assert found == status
    assert sentence in (out if status == 1 else err)
