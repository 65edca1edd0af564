"""Outputs of a command conflict neither with its inputs nor with each other."""

import json
import os
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pruneapp.__main__ import main
from pruneapp.errors import ExportError
from pruneapp.export import report_writer

METHOD = ("--method", "l1_unstructured", "--amount", "0.5")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Create a working folder with a model, a recipe and masks."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    save_file({"a.weight": rng.normal(size=(8, 9))}, "model.safetensors")
    save_file({"a.weight": np.ones((8, 9))}, "masks.safetensors")
    assert (
        main(["prune", "model.safetensors", *METHOD, "-o", "x.pt", "--save-recipe", "r.json"]) == 0
    )
    (tmp_path / "x.pt").unlink()
    return tmp_path


@pytest.fixture
def shards(place):
    """Write a sharded model folder in the layout of transformers."""
    source = {f"{name}.weight": np.ones((8, 9)) for name in "ab"}
    folder = place / "folder"
    folder.mkdir()
    where = {}
    for number, (name, tensor) in enumerate(source.items(), 1):
        where[name] = f"model-{number:05}-of-00002.safetensors"
        save_file({name: tensor}, folder / where[name])
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))
    (folder / "config.json").write_text("{}")
    return folder


def everything(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--save-recipe", "model.safetensors"), "--save-recipe would replace it"),
        (("--save-recipe", "./link"), "--save-recipe would replace it"),
        (("--save-recipe", "out.safetensors"), "name the same file ('out.safetensors')"),
        (("--save-recipe", "o.json", "--report", "o.json"), "name the same file ('o.json')"),
        (("--report", "o.json", "--report", "./o.json"), "name the same file ('o.json')"),
        (("--report", "no/o.json"), "the folder 'no' does not exist"),
        (("--comparison-script", "no/o.py"), "the folder 'no' does not exist"),
        (("--save-recipe", ""), "--save-recipe must be the name of a file (got '')"),
        (("--save-recipe", "-"), "For a file that is called '-', write './-'."),
        (("--comparison-script", ""), "--comparison-script must be the name of a file"),
        (("--comparison-script", "-"), "--comparison-script must be the name of a file (got '-')"),
    ],
)
def test_outputs_do_not_replace_inputs(place, call, words, message):
    os.link("model.safetensors", "link")
    before = everything(place)
    status, out, err = call("prune", "model.safetensors", *METHOD, "-o", "out.safetensors", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert everything(place) == before


@pytest.mark.parametrize(
    "words",
    [
        ("run", "r.json", "model.safetensors", "-o", "r.json"),
        ("run", "r.json", "model.safetensors", "-o", "out.safetensors", "--report", "r.json"),
        (
            *("prune", "model.safetensors", "--method", "custom_from_mask"),
            *("--mask", "masks.safetensors", "-o", "masks.safetensors"),
        ),
        (
            *("prune", "model.safetensors", *METHOD),
            *("--importance-scores", "masks.safetensors", "-o", "masks.safetensors"),
        ),
    ],
)
def test_an_export_does_not_replace_its_recipe_mask_or_scores(place, refused, words):
    before = everything(place)
    err = refused(*words)
    assert "is an input of this command, and --" in err
    assert everything(place) == before


@pytest.mark.parametrize("name", ["model.safetensors.index.json", "config.json"])
def test_a_report_does_not_replace_a_file_of_the_opened_folder(shards, place, refused, name):
    before = everything(shards)
    words = ("prune", shards, *METHOD, "-o", "out", "--report", shards / name)
    err = refused(*words)
    assert "is an input of this command, and --report would replace it" in err
    assert everything(shards) == before
    assert not (place / "out").exists()


def test_a_report_in_the_exported_folder_replaces_no_file(shards, place, call):
    words = ("prune", shards, *METHOD, "-o", "out", "--report")
    assert call(*words, "out/report.html")[0] == 0
    assert (place / "out" / "report.html").read_text().startswith("<!")
    shutil.rmtree(place / "out")
    status, out, err = call(*words, "out/config.json")
    assert status == 2
    assert "'out/config.json' is a file of the export" in err
    assert "read back and compared" in out
    assert (place / "out" / "config.json").read_text() == "{}"


def test_a_report_replaces_an_existing_file_only_with_overwrite(place, call, refused):
    words = ("prune", "model.safetensors", *METHOD, "-o", "out.safetensors", "--report", "o.html")
    (place / "o.html").write_text("notes")
    before = everything(place)
    err = refused(*words)
    assert "'o.html' exists already, and is not replaced by a report." in err
    assert "--overwrite" in err
    assert everything(place) == before, "refused before the export"
    assert call(*words, "--overwrite")[0] == 0
    assert (place / "o.html").read_text().startswith("<!")


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_export_is_reported_although_its_report_fails(place, call, monkeypatch, form):
    def full(*_args, **_more):
        raise ExportError("There is no room for the report.")

    monkeypatch.setattr(report_writer, "write_whole", full)
    words = ("prune", "model.safetensors", *METHOD, "-o", "out.safetensors", *form)
    status, out, err = call(*words, "--report", "o.json")
    assert status == 2
    assert err == (
        "pruneapp: The export was written, but a report or script was not: There is no room for "
        "the report.\n"
    )
    assert json.loads(out)["verified"] if form else "read back and compared" in out
    assert int((load_file("out.safetensors")["a.weight"] == 0).sum()) == 36
    assert call("run", "r.json", *words[1:2], "-o", "p.pt", "--report", "o.csv")[0] == 2


@pytest.mark.parametrize("words", [("-o", "x" * 300), ("-o", f"{'y' * 300}/x")])
@pytest.mark.parametrize("more", [(), ("--max-shard-size", "5GB")])
def test_an_invalid_file_name_is_reported(place, call, words, more):
    before = everything(place)
    status, out, err = call("prune", "model.safetensors", *METHOD, *words, *more)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "a name has at most 255" in err
    assert "Choose a shorter name" in err
    assert everything(place) == before


def test_control_characters_of_names_are_escaped(place, call, refused):
    err = refused("inspect", "\x1b[2Jgone")
    assert "'\\u001b[2Jgone' cannot be opened" in err
    status, out, _ = call("run", "r.json", "model.safetensors", "-o", "a\u202e.pt")
    assert status == 0
    assert "a\\u202e.pt: " in out


def test_the_name_of_a_folder_is_refused_for_one_file(shards, place, call):
    status, out, err = call("run", "r.json", "model.safetensors", "-o", "out/")
    assert (status, out) == (2, "")
    assert "'out/' is the name of a folder" in err
    assert "'out/model.safetensors'" in err
    assert not (place / "out").exists()
    assert call("run", "r.json", shards, "-o", "out/")[0] == 0
    assert (place / "out" / "model.safetensors.index.json").is_file()


def test_lists_in_errors_have_one_line_per_item(place, refused):
    save_file({"odd": np.ones(3)}, "other.safetensors")
    err = refused("run", "r.json", "other.safetensors", "-o", "o.pt")
    first, second, *_ = err.splitlines()
    assert first.endswith("cannot be applied to this checkpoint: 1 problem.")
    assert second.startswith("  entries[0]")


def test_the_help_names_every_command(call):
    _, out, _ = call("--help")
    for command in ("run", "verify", "prune", "expand", "inspect"):
        assert f"pruneapp {command}" in " ".join(out.split())
