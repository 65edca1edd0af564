"""The file of a scan: read as it was written, or refused in a sentence."""

from __future__ import annotations

import json

import pytest

from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.scan_file import read_scan, write_scan
from tests.evaluation.scans import made_scan

SCAN = made_scan({"a": (100, {0.5: 0.1, 0.25: None}), "b\udcff": (7, {0.5: 0.3})}, protected=3)
TREE = json.loads(SCAN.text())


def test_a_scan_is_read_as_it_was_written(tmp_path):
    write_scan(SCAN, tmp_path / "x.scan.json")
    assert read_scan(tmp_path / "x.scan.json") == SCAN
    assert [path.name for path in tmp_path.iterdir()] == ["x.scan.json"]


def changed(path, value):
    """Return the file's JSON with one value changed, or removed if the value is None."""
    tree = json.loads(json.dumps(TREE))
    *way, key = path
    place = tree
    for step in way:
        place = place[step]
    if value is None:
        del place[key]
    else:
        place[key] = value
    return json.dumps(tree)


CELL = ("tensors", 0, "cells", 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not JSON"),
        ("[1]", "is not a JSON object"),
        ("{}", "is not a sensitivity scan"),
        ('{"format": "pruneapp-recipe", "version": 2, "entries": []}', "is not a sensitivity scan"),
        (changed(("version",), 2), "is a scan of version 2"),
        (changed(("version",), True), "version"),
        (changed(("surprise",), 1), "unknown key 'surprise'"),
        (changed(("conditions",), None), "'conditions' is missing"),
        (changed(("tensors",), []), "tensors"),
        (changed(("amounts",), []), "amounts"),
        (changed(("amounts",), [0.5, 0.5]), "'0.5' appears twice"),
        (changed(("amounts", 0), 1.5), "amounts"),
        (changed(("amounts", 0), 0.26), "0.25 is not one of the amounts"),
        (changed(("metrics", 0, "name"), "other"), "'loss' is not one of the metrics"),
        (changed(("tensors", 1, "name"), "a"), "'a' appears twice"),
        (changed(("tensors", 0, "weights"), 0), "weights"),
        (changed(("tensors", 0, "weights"), -1), "weights"),
        (changed(("tensors", 0, "weights"), 1 << 70), "at most 9007199254740992"),
        (changed(("tensors", 0, "weights"), 1 << 53), "more weights than any model"),
        (changed(("tensors", 0, "pruned"), 99), "more is pruned and protected than there is"),
        (changed(("tensors", 0, "unit"), 3), "'unit' does not divide"),
        (changed((*CELL, "pruned"), 101), "not a count that this tensor can have"),
        (changed((*CELL, "pruned"), "1"), "expected an integer, got '1'"),
        (changed((*CELL, "metrics"), {"loss": "x"}), "expected a number"),
        (changed((*CELL, "metrics"), {"loss": 1}).replace(": 1}", ": 1e999}"), "too large"),
        (changed((*CELL, "metrics"), {"loss": float("nan")}), "contains NaN"),
        ("[" * 1000, "nested too deeply"),
    ],
)
def test_what_is_no_scan_is_refused_in_a_sentence_with_its_place(tmp_path, text, words):
    path = tmp_path / "x.scan.json"
    path.write_text(text)
    with pytest.raises(EvaluationError) as caught:
        read_scan(path)
    assert words in str(caught.value)
    assert "x.scan.json" in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path):
    for path, words in (
        (tmp_path / "none", "cannot be read: no such file or directory"),
        (tmp_path, "is not a regular file"),
        (tmp_path / "a\0b", "is not a valid file name"),
    ):
        with pytest.raises(EvaluationError, match=words):
            read_scan(path)
