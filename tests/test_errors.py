"""Text quoted from files and user code is visible, on one line, and limited in length."""

from __future__ import annotations

import csv
import io
import json
import pickle
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save_file

from pruneapp import errors
from pruneapp.__main__ import main
from pruneapp.checkpoint.contents import Notice
from pruneapp.errors import (
    MOST_REPEATED,
    PruneAppError,
    RecipeError,
    counted,
    escape_text,
    first_names,
    in_numeric_order,
)
from pruneapp.export.report_writer import KINDS, csv_text

HOSTILE = "a\n\r\t\x1b[2Jb\u202e\u2066c\x00\u2028\u200bd"
KINDS_OF_ERRORS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, PruneAppError) and kind.__init__ is not None
]


def visible(text: str) -> bool:
    return not any(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in text)


@given(st.text())
def test_what_is_escaped_is_one_visible_line(text):
    shown = escape_text(text)
    assert visible(shown)
    assert len(shown.splitlines()) <= 1
    assert escape_text(shown) == shown
    if visible(text):
        assert all(unicodedata.category(c) in {"Co", "Cn"} for c in set(text) - set(shown))


def test_numbers_keep_their_spaces():
    assert escape_text("50\u202f000\u00a0% naïve 重み") == "50\u202f000\u00a0% naïve 重み"
    assert escape_text("\U000e0001\n") == "\\U000e0001\\u000a"


@pytest.mark.parametrize("kind", KINDS_OF_ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_is_one_visible_line(kind):
    error = kind(f"'{HOSTILE}' is wrong.")
    assert visible(str(error))
    assert len(str(error).splitlines()) == 1
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.details) == (kind, str(error), error.details)


def test_what_is_listed_has_lines_of_its_own():
    error = RecipeError("'r' does not fit:", listed=["one\ntwo", "three"])
    assert str(error) == "'r' does not fit:\n  one\\u000atwo\n  three"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("given_", ["x" * 5000, "x y " * 2000, "/x/" + "é" * 4000, "1" * 300])
@pytest.mark.parametrize(
    "sentence",
    ["'{}' is no model.", "'amount' must be a number (got {}).", "It (got '{}') is '5'."],
)
def test_at_most_200_characters_are_repeated(sentence, given_):
    error = PruneAppError(sentence.format(given_))
    assert len(str(error)) <= MOST_REPEATED + len(sentence)
    assert str(error).startswith(sentence.partition("{")[0])
    assert str(error).endswith(sentence.partition("}")[2])
    assert given_ in error.details


def test_a_sentence_of_ours_stays_whole():
    said = "a word and another, and " * 12
    sentence = f"'a', a thing that {said} cannot be, and 'b' neither (got 5); {said}: 'c'."
    assert str(PruneAppError(sentence)) == sentence


def test_notices_are_visible_lines():
    assert visible(Notice(f"'{HOSTILE}' is there.").text)


@pytest.mark.parametrize("long", ["x" * 5000, "x y " * 1000, HOSTILE * 50, "'x' " * 1500])
@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "{}"),
        ("check", "m.safetensors", "--pattern", "{}"),
        ("check", "m.safetensors", "--pattern", "2:4", "--dim", "{}"),
        ("inspect", "m.safetensors", "--select", "{}"),
        ("prune", "m.safetensors", "-o", "o", "--method", "{}"),
        ("prune", "m.safetensors", "-o", "o", "--method", "l1_unstructured", "--amount", "{}"),
        ("prune", "m.safetensors", "-o", "o", "--method", "l1_unstructured", "--scope", "{}"),
        ("run", "{}", "m.safetensors", "-o", "o"),
        ("verify", "m.safetensors", "--against", "{}"),
        ("diff", "m.safetensors", "{}"),
        ("expand", "m.safetensors", "-o", "{}"),
        ("methods", "{}"),
    ],
    ids=lambda words: f"{words[0]}{words.index('{}')}",
)
def test_no_command_repeats_a_flood(tmp_path, monkeypatch, capsys, words, long):
    monkeypatch.chdir(tmp_path)
    save_file({"w": np.ones((2, 2), np.float32)}, "m.safetensors")
    long = long.replace("\0", "") or "x"
    try:
        status = main([word.format(long) for word in words])
    except SystemExit as end:
        status = end.code
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert len(err) <= 1500
    assert visible(err.rstrip("\n"))


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """Write a model with deceptive names into the working folder."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    weights = {name: rng.normal(size=(4, 4)).astype(np.float32) for name in NAMES}
    save_file(weights, "m.safetensors")
    return Path("m.safetensors")


NAMES = (
    "=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "line\nbreak", "\u202eesrever", "plain",
    "\x1b[31mred", "重み.weight", " =1",
)  # fmt: skip
METHOD = ("--method", "l1_unstructured", "--amount", "0.5", "--select", "*")


def test_names_are_visible_in_tables_and_exact_in_json(hostile, capsys):
    for words in (
        ["inspect", "m.safetensors"],
        ["check", "m.safetensors", "--pattern", "2:4", "--select", "*"],
        ["diff", "m.safetensors", "m.safetensors"],
        ["prune", "m.safetensors", "-o", "o.safetensors", *METHOD],
        ["verify", "o.safetensors", "--against", "m.safetensors"],
        ["diff", "m.safetensors", "o.safetensors"],
        ["sizes", "o.safetensors"],
    ):
        assert main(words) in {0, 1}
        out, err = capsys.readouterr()
        assert all(map(visible, out.split("\n"))), words
        assert err == ""
        if words[0] in {"inspect", "prune"}:
            assert sum("\\u000abreak" in line for line in out.split("\n")) == 1
        main([*words, "--json", *(["--replace-original"] if words[0] == "prune" else [])])
        found = json.loads(capsys.readouterr().out)
        if words[0] in {"inspect", "diff", "prune"}:
            assert {tensor["name"] for tensor in found["tensors"]} == set(NAMES)


def test_reports_escape_names_and_no_spreadsheet_runs_them(hostile, capsys):
    reports = [f"r{suffix}" for suffix in KINDS]
    words = ["prune", "m.safetensors", "-o", "o.safetensors", *METHOD]
    assert main([*words, *(w for r in reports for w in ("--report", r))]) == 0
    capsys.readouterr()
    with Path("r.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert all(visible(cell) for row in rows for cell in row)
    assert {row[0] for row in rows} == {
        "'=HYPERLINK(1)", "'+1", "'-1", "'@SUM(A1)", "'\\u0009x", "'\\u000dx", "line\\u000abreak",
        "\\u202eesrever", "plain", "\\u001b[31mred", "重み.weight", " =1",
    }  # fmt: skip
    at = header.index("sparsity")
    assert all(0 <= float(row[at]) <= 1 for row in rows)
    page = Path("r.html").read_text(encoding="utf-8")
    assert all(map(visible, page.split("\n")))
    assert "\\u202eesrever" in page
    told = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert {tensor["name"] for tensor in told["tensors"]} == set(NAMES)


@given(st.lists(st.one_of(st.integers(), st.floats(allow_nan=False), st.text()), min_size=1))
def test_numeric_cells_are_never_changed(cells):
    text = csv_text(["h"] * len(cells), [cells])
    _, found = csv.reader(io.StringIO(text, newline=""))
    for cell, read in zip(cells, found, strict=True):
        if isinstance(cell, str):
            assert not read.startswith(("=", "+", "-", "@", "\t", "\r"))
            assert visible(read)
        else:
            assert type(cell)(read) == cell


def test_numbers_below_zero_are_no_formulas():
    assert csv_text(["a", "b"], [[-1, -0.5]]).splitlines()[1] == "-1,-0.5"


@pytest.mark.parametrize("way", ["error", "interrupt"])
def test_an_export_that_is_there_is_told_of_though_a_report_failed(
    hostile, capsys, monkeypatch, way
):
    from pruneapp.checkpoint.io.atomic_file import write_error
    from pruneapp.cli import export_options
    from pruneapp.progress import Cancelled

    def refused(_account, path, _job):
        if way == "interrupt":
            raise Cancelled
        raise write_error(path, OSError(28, "No space left on device"), 100)

    monkeypatch.setattr(export_options, "write_account", refused)
    words = ["prune", "m.safetensors", "-o", "o.safetensors", *METHOD, "--report", "r.csv"]
    status = main(words)
    out, err = capsys.readouterr()
    assert Path("o.safetensors").exists()
    assert "read back and compared" in out
    assert "othing was" not in out + err
    if way == "interrupt":
        assert (status, err) == (130, "pruneapp: Interrupted.\n")
    else:
        assert status == 2
        assert err.startswith("pruneapp: The export was written, but a report or script was not: ")


# Numbers and nouns agree in every sentence that counts


@pytest.mark.parametrize(
    ("number", "words", "said"),
    [
        (0, ("tensor",), "0 tensors"),
        (1, ("tensor",), "1 tensor"),
        (1200, ("tensor",), "1,200 tensors"),
        (1, ("entry", "entries"), "1 entry"),
        (2, ("entry", "entries"), "2 entries"),
    ],
)
def test_one_and_many(number, words, said):
    assert counted(number, *words) == said


@pytest.mark.parametrize(
    ("names", "ordered"),
    [
        (["a.0.w", "a.1.w", "a.10.w", "a.2.w", "b"], ["a.0.w", "a.1.w", "a.2.w", "a.10.w", "b"]),
        (["layer10.w", "layer2.w", "stem"], ["layer2.w", "layer10.w", "stem"]),
        (["z.0", "a.1", "z.1", "b"], ["z.0", "a.1", "z.1", "b"]),
        (["z.1.w", "z.1.b", "a", "z.0.w"], ["z.0.w", "z.1.w", "z.1.b", "a"]),
        (["." * 100_000, "1", "0"], ["." * 100_000, "0", "1"]),
        ([], []),
    ],
)
def test_numbered_siblings_are_in_the_order_of_their_numbers(names, ordered):
    """Other names keep their order, also if none is numbered."""
    assert list(in_numeric_order(names)) == ordered


def test_items_are_ordered_by_their_names():
    items = [("layer.10", 1), ("layer.9", 2)]
    assert in_numeric_order(items, lambda item: item[0]) == items[::-1]


def test_names_in_messages_are_in_numeric_order():
    assert first_names(["a.0", "a.1", "a.10", "a.2"]) == "'a.0', 'a.1', 'a.2' and 1 more"
