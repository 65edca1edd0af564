"""All JSON from outside, broken in tens of thousands of ways, raises only our own errors."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pruneapp
from pruneapp.checkpoint.formats.compact_codec import CompactLayout
from pruneapp.checkpoint.formats.headers import Header
from pruneapp.checkpoint.formats.headers import parse as parse_header
from pruneapp.checkpoint.formats.headers import parse_index_file as parse_index
from pruneapp.errors import JsonError, PruneAppError
from pruneapp.export.destination.sidecars import copy_config
from pruneapp.export.provenance import inputs_in, read_masks
from pruneapp.gui.app.settings import SETTINGS, Settings, Stored
from pruneapp.json_codec import MAX_DEPTH, decode, encode, load
from pruneapp.progress import Job
from pruneapp.recipes.fit import fit
from pruneapp.recipes.recipe import Recipe
from pruneapp.sessions.history_codec import SavedEdit, decode_as
from pruneapp.sessions.journal_file import EditRow, HistoryState
from pruneapp.sessions.original import Original
from pruneapp.sessions.session_file import Table
from tests.support.memory_checkpoint import MemoryCheckpoint

# `PRUNEAPP_JSON_CASES=100000 pytest tests/test_json_codec.py` is the long run.
CASES = int(os.environ.get("PRUNEAPP_JSON_CASES", "4000"))

SHA = "ab" * 32
RECIPE = {
    "format": "pruneapp-recipe",
    "version": 1,
    "entries": [
        {
            "name": "step",
            "configuration": {
                "rows": [
                    {
                        "name": "l1_unstructured",
                        "configuration": {"values": {"amount": 0.5}, "pattern": "*.weight"},
                    }
                ],
                "scope": "global",
                "limits": {"min_sparsity": 0.1, "max_sparsity": 0.9, "exclude": ["first"]},
            },
        },
        {
            "name": "schedule",
            "configuration": {
                "step": {
                    "name": "step",
                    "configuration": {"rows": [{"name": "random_unstructured"}]},
                },
                "final": 0.9,
                "steps": 3,
            },
        },
        {
            "name": "edit",
            "configuration": {
                "operation": "prune",
                "targets": [
                    {"name": "a.weight", "boxes": [[[0, 1], [0, 2]]]},
                    {"name": "a.weight", "mask": f"sha256:{SHA}", "size": 6},
                ],
            },
        },
        {"name": "finalize"},
        {"name": "treat_zeros", "configuration": {"names": ["a.weight"]}},
    ],
}
EDIT = {
    "kind": "prune",
    "label": "50 %",
    "detail": "L1",
    "entry": {"name": "step", "configuration": {"rows": [{"name": "l1_unstructured"}]}},
    "tensors": [["a.weight", [2, 3], "float32"]],
    "masks": [[0, -1, 0]],
    "meant": {SHA: 0},
}
ORIGINAL = {
    "path": "/models/a.safetensors",
    "relative": "a.safetensors",
    "files": [{"name": "a.safetensors", "size": 10, "mtime_ns": 5, "sample": SHA, "sha256": SHA}],
}
TABLE = {
    "version": 1,
    "masks": [{"size": 6, "tensor": "mask/0", "base": -1, "pieces": [12]}],
    "edits": 1,
    "position": 1,
    "exported": -1,
    "view": {"page": "weights", "tensor": "a.weight", "zoom": 1.5},
}
HEADER = {
    "__metadata__": {"format": "pt"},
    "a.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
    "b": {"dtype": "I64", "shape": [], "data_offsets": [24, 32]},
}
INDEX = {"metadata": {"total_size": 32}, "weight_map": {"a.weight": "m-1.safetensors"}}
LAYOUT = {"version": 1, "shapes": {"a.weight": [2, 3]}}
SETTINGS_FILE = {
    "version": 1,
    "values": {"theme": "dark", "device": "cpu"},
    "recent": ["/models/a.safetensors"],
    "blobs": {"geometry": "AAEC"},
}
CONFIG = {"model_type": "bert", "dtype": "float32", "limits": [0.0, 1e300], "auto_map": {"a": "b"}}

MODEL = MemoryCheckpoint(
    {"a.weight": np.arange(6, dtype=np.float32).reshape(2, 3)}, **{"a.weight": {"by_default": True}}
)


def _recipe(text: bytes, _folder: Path) -> None:
    fit(Recipe.from_text(text, where="r.json"), MODEL, Job())


def _settings(text: bytes, folder: Path) -> None:
    path = folder / "settings.json"
    path.write_bytes(text)
    found = Settings(path)  # never refuses anything
    for param in SETTINGS:
        found.get(param)
    assert isinstance(found.recent, tuple)
    found.blob("geometry")


def _config(text: bytes, folder: Path) -> None:
    path = folder / "config.json"
    path.write_bytes(text)
    copy_config(path, {"dtype": "bfloat16"})


def _inputs(text: bytes, _folder: Path) -> None:
    inputs_in({"pruneapp.inputs": text.decode(errors="replace")})


def _masks(text: bytes, _folder: Path) -> None:
    read_masks(text.decode(errors="replace"), Recipe.from_text(json.dumps(RECIPE)))


def _layout(text: bytes, _folder: Path) -> None:
    made = CompactLayout(Header([], {"pruneapp": text.decode(errors="replace")}, [], 0), "m", 8)
    shapes = made.tree.get("shapes")
    if isinstance(shapes, dict):
        for name, shape in shapes.items():
            made.shape(name, shape)


Reader = Callable[[bytes, Path], object]
READERS: dict[str, tuple[Any, Reader]] = {
    "recipe": (RECIPE, _recipe),
    "session table": (TABLE, lambda t, _: decode_as(t, Table, "s.prune")),
    "session edit": (EDIT, lambda t, _: decode_as(t, SavedEdit, "s.prune")),
    "original": (ORIGINAL, lambda t, _: decode_as(t, Original, "s.prune")),
    "journal state": (
        {"position": 1, "tip": 1, "exported": 0, "names": [[1, "x"]]},
        lambda t, _: decode(t, HistoryState, "j", file_names=True),
    ),
    "journal edit": (
        {"parent": 0, "edit": EDIT},
        lambda t, _: decode(t, EditRow, "j", file_names=True),
    ),
    "header": (HEADER, lambda t, _: parse_header(t, "m.safetensors")),
    "index": (INDEX, lambda t, _: parse_index(t, "model.safetensors.index.json")),
    "packed layout": (LAYOUT, _layout),
    "settings": (SETTINGS_FILE, _settings),
    "config": (CONFIG, _config),
    "inputs": ([SHA, SHA], _inputs),
    "masks": ({SHA: "Pw=="}, _masks),
}
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, -0.0, 1.5, 1e308, 2**31, 2**63, 2**64, -(2**63) - 1, 10**30, "", "x",
    "\0", "\ud800", "\udc80", "\u202e=1+1\r\n", "a" * 300, [], {}, [[]], [None], {"": {}},
    {"name": []}, [[[[0]]]],
)  # fmt: skip
TOKENS = (
    b"NaN", b"-Infinity", b"1e999", b"-0", b"9" * 25, b"9" * 5000, b'"\\ud800"', b'"\\udc80"',
    b"[" * 200, b'{"a":' * 200, b"[" * 20_000, b"]", b"}", b"\\", b'"', b"\xff", b"\xc3",
    b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\0", b"\x1f", b",", b":", b"//", b"null", b"0x10", b"01",
)  # fmt: skip


def mutated(good: Any, rng: random.Random) -> bytes:
    """Return JSON of a kind with up to two random changes each of values and bytes."""
    tree = json.loads(json.dumps(good))
    for _ in range(rng.randrange(3)):
        tree = _bent(tree, rng)
    data = bytearray(
        json.dumps(tree, ensure_ascii=rng.random() < 0.5).encode(errors="surrogatepass")
    )
    for _ in range(rng.randrange(3)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(5):
            case 0:
                data[at:at] = rng.choice(TOKENS)
            case 1:
                data[at : at + rng.randrange(1, 9)] = rng.choice(TOKENS)
            case 2:
                data[at : at + 1] = bytes([rng.randrange(256)])
            case 3:
                del data[at:]
            case 4:
                start = rng.randrange(len(data) + 1)
                data[at:at] = data[start : start + rng.randrange(40)]
    return bytes(data)


def _bent(tree: Any, rng: random.Random) -> Any:
    """Return plain data with one part changed."""
    if not tree or not isinstance(tree, dict | list) or rng.random() < 0.15:
        return copy.deepcopy(rng.choice(ODD))
    key: Any = rng.choice(list(tree)) if isinstance(tree, dict) else rng.randrange(len(tree))
    if isinstance(tree, dict) and rng.random() < 0.15:
        tree[rng.choice(["", "x", "\udc80", "name"])] = tree.pop(key)
        return tree
    if rng.random() < 0.1:
        del tree[key]
        return tree
    tree[key] = _bent(tree[key], rng)
    return tree


@pytest.mark.parametrize("kind", READERS)
def test_what_is_written_is_read(kind, tmp_path):
    good, read = READERS[kind]
    read(json.dumps(good).encode(), tmp_path)


@pytest.mark.parametrize("kind", READERS)
def test_whatever_is_wrong_is_an_error_of_ours(kind, tmp_path):
    good, read = READERS[kind]
    rng = random.Random(f"{kind} 13")
    refused = 0
    for _ in range(max(CASES // len(READERS), 1)):
        text = mutated(good, rng)
        try:
            read(text, tmp_path)
        except PruneAppError as error:
            refused += bool(str(error))
        except Exception as error:
            raise AssertionError(f"{kind}: {text[:2000]!r}") from error
    assert refused or kind in {"settings", "config", "masks"}  # these ignore invalid parts


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b'{"a": "\xff"}', "is not UTF-8 text at byte 7"),
        (b'{"a": 1, "a": 2}', "'a' appears twice"),
        (b'{"a": NaN}', "contains NaN"),
        (b'{"a": -Infinity}', "contains -Infinity"),
        (b'{"a": 1e999}', "the number 1e999 in it is too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", "thousands of digits"),
        (b'{"a": "\\ud800"}', "half of a surrogate pair"),
        (b'{"a": "\\udc80"}', "half of a surrogate pair"),
        (b"[" * 20_000, "nested too deeply"),
        (b'{"a":' * 20_000, "nested too deeply"),
        (b'["\\"", "[[", "]"' + b"," + b"[{}," * 200, "nested too deeply"),
        (b"[" * 128 + b"]" * 128, "nested too deeply"),
        (b'{"a": 1} x', "is not JSON"),
        (b'{\n"a": 1,\n "b" 2}', "at line 3, column 6"),
        (b"\xef\xbb\xbf{}", "is not JSON"),
        (b"", "is not JSON"),
    ],
)
def test_each_rule_has_its_words(text, what):
    with pytest.raises(JsonError) as caught:
        load(text, "f.json")
    assert what in caught.value.sentence
    assert "f.json" in caught.value.sentence


def test_the_deepest_that_is_read():
    assert load(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert load(b'["[[[\\"[", ' * 3 + b"1" + b"]" * 3) == ['[[["[', ['[[["[', ['[[["[', 1]]]


@given(
    st.recursive(
        st.text() | st.integers() | st.booleans(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_whatever_python_writes_is_read(tree):
    for ensure_ascii in (True, False):
        text = json.dumps(tree, ensure_ascii=ensure_ascii)
        assert load(text) == load(text.encode()) == tree


def test_a_wrong_type_is_told_with_its_place():
    text = json.dumps({**TABLE, "masks": [{"size": "6", "tensor": "t"}]})
    with pytest.raises(JsonError) as caught:
        decode(text, Table, "s.prune")
    assert caught.value.place == "masks[0].size"
    assert caught.value.sentence == "'s.prune', at masks[0].size: expected an integer, got '6'."


def test_whole_numbers_beyond_64_bits_are_told_with_their_place():
    text = json.dumps({**TABLE, "view": {"a": [1, 10**25]}})
    with pytest.raises(JsonError) as caught:
        decode(text, Table, "s.prune")
    assert caught.value.place == "view.a[1]"
    assert decode(json.dumps({**TABLE, "view": {"a": 2**64 - 1}}), Table).view == {"a": 2**64 - 1}


def test_names_of_files_that_are_no_text_come_back():
    stored = Stored(recent=["/a/\udcff\udc80.pt"], values={"x": float("nan")})
    found = decode(encode(stored), Stored, file_names=True)
    assert found.recent == stored.recent
    with pytest.raises(JsonError, match="surrogate"):
        decode(encode(stored), Stored)


def test_an_error_survives_another_process():
    import pickle

    error = pickle.loads(pickle.dumps(JsonError("it holds NaN", "f", "a.b")))
    assert (error.what, error.where, error.place) == ("it holds NaN", "f", "a.b")


def test_no_other_way_leads_from_json_into_the_program():
    """Other calls of a parser are listed here, with the reason."""
    allowed = {
        "json_codec.py",
        "headers.py",  # accepts only what `safetensors_header` accepts
        "sidecars.py",  # finds the position of a value that `load_object` has parsed
        "family.py",  # our own TOML resources
        "blocks.py",  # the same
        "engine_text.py",  # the same, as JSON
        "resumable.py",  # the code of a user's script
    }
    call = re.compile(r"json\.(loads?|decode|JSONDecoder)\b|json\.Decoder|msgspec\.convert")
    found = {
        path.name
        for path in Path(pruneapp.__file__).parent.rglob("*.py")
        if call.search(path.read_text(encoding="utf-8"))
    }
    assert found <= allowed


def test_msgspec_agrees_about_what_is_right():
    for good, kind in ((TABLE, Table), (EDIT, SavedEdit), (ORIGINAL, Original)):
        text = json.dumps(good)
        assert decode(text, kind) == msgspec.json.decode(text, type=kind)


RACE = """
import sys, threading
import msgspec
from pruneapp.json_codec import convert

sys.setswitchinterval(1e-6)


def made(number):
    few = {f"f{i}": "int | str | list[int] | None" for i in range(30)}
    inner = type(msgspec.Struct)(
        f"Inner{number}", (msgspec.Struct,), {"__annotations__": few, **dict.fromkeys(few)}
    )
    many = {f"g{i}": list[inner] for i in range(20)}
    return type(msgspec.Struct)(
        f"Outer{number}", (msgspec.Struct,), {"__annotations__": many, **{g: [] for g in many}}
    )


for number in range(100):
    kind, gate = made(number), threading.Barrier(4)
    work = lambda: (gate.wait(), convert({"g0": [{"f0": 1}]}, kind))
    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
print("done")
"""


def test_threads_that_read_the_same_new_kind_at_once_do_not_crash():
    """Regression: msgspec exposes types that are not fully initialized: SIGSEGV."""
    done = subprocess.run(
        [sys.executable, "-c", RACE], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr
