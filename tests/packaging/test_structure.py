"""No import cycles, no catch-all modules, nouns as names; and views do not import the engine."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import grimp
import pytest

PACKAGING = Path(__file__).resolve().parent.parent.parent / "packaging"

# Modules of the window that may start work: those with this suffix, and the listed ones.
WORKERS = "_controller"
WORKING = {
    "live_preview": "previews in the worker",
    "open_document": "the open document, which the controllers work on, and its opening",
    "workbench": "makes the controllers and hands them what they need",
    "preview_state": "what is previewed: a step or the state in force",
    "document_panels": "reads and shows what is remembered of a step",
    "settings": "writes its file as exports are written",
    "notifications": "has the topics of errors, of evaluations among them",
    "dialogs": "asks which of the dicts of tensors of a file is meant",
}
ENGINE = {
    "analysis", "checkpoint", "cli", "document", "edits", "evaluation", "export", "groups",
    "kernels", "masks", "methods", "preview", "prune", "recipes", "repair", "sessions", "shrink",
    "statistics",
}  # fmt: skip


def script(name):
    spec = importlib.util.spec_from_file_location(name, PACKAGING / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def structure():
    yield script("structure")
    del sys.modules["structure"]


@pytest.fixture(scope="module")
def architecture():
    sys.path.insert(0, str(PACKAGING))
    yield script("architecture")
    sys.path.remove(str(PACKAGING))
    del sys.modules["architecture"], sys.modules["reference"]


def test_every_rule_of_the_structure_holds(structure):
    assert structure.figures().broken() == []


def test_a_test_that_is_named_by_a_verb_or_lies_astray_is_found(structure, tmp_path):
    for path in ("pruneapp/masks/bits.py", "tests/masks/test_bits.py", "tests/odd/test_moving.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    found = structure.figures(tmp_path)
    assert (found.verbs, found.strays) == (["tests/odd/test_moving.py"], ("odd",))


def test_a_circle_is_found(structure):
    needs = {"a": ["b"], "b": ["c", "d"], "c": ["a"], "d": ["e"], "e": [], "f": ["e", "f"]}
    assert structure._components(needs) == [("a", "b", "c")]


def test_views_know_no_engine():
    graph = grimp.build_graph("pruneapp", cache_dir=None)
    known = {
        (module, other)
        for module in graph.find_descendants("pruneapp.gui")
        for other in graph.find_modules_directly_imported_by(module)
        if not (last := module.rpartition(".")[2]).endswith(WORKERS)
        and last not in WORKING
        and (other + ".").split(".")[1] in ENGINE
    }
    assert known == set()


def test_the_pictures_of_the_layers_are_up_to_date(architecture, capsys):
    assert architecture.main(["--check"]) == 0, capsys.readouterr().out


def test_layers_are_drawn_below_all_that_import_them_and_without_shortcuts(architecture):
    needs = {"a": {"b", "c"}, "b": {"c"}, "c": set(), "d": {"c"}}
    assert architecture.floors(needs) == {"a": 0, "d": 0, "b": 1, "c": 2}
    assert architecture.reduced(needs) == {"a": {"b"}, "b": {"c"}, "c": set(), "d": {"c"}}
    with pytest.raises(ValueError, match="circle among a, b"):
        architecture.floors({"a": {"b"}, "b": {"a"}})
