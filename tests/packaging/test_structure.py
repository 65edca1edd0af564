"""No import cycles, no catch-all modules, and nouns as names."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

PACKAGING = Path(__file__).resolve().parent.parent.parent / "packaging"


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


def test_imports_between_scripts_are_found(structure, tmp_path):
    (tmp_path / "a.py").write_text("import json\n\ndef f():\n    from b import x\n")
    (tmp_path / "b.py").write_text("if False:\n    import a\n")
    assert structure._scripts(tmp_path) == {"a": ["b"], "b": ["a"]}


def test_the_pictures_of_the_layers_are_up_to_date(architecture, capsys):
    assert architecture.main(["--check"]) == 0, capsys.readouterr().out


def test_layers_are_drawn_below_all_that_import_them_and_without_shortcuts(architecture):
    needs = {"a": {"b", "c"}, "b": {"c"}, "c": set(), "d": {"c"}}
    assert architecture.floors(needs) == {"a": 0, "d": 0, "b": 1, "c": 2}
    assert architecture.reduced(needs) == {"a": {"b"}, "b": {"c"}, "c": set(), "d": {"c"}}
    with pytest.raises(ValueError, match="circle among a, b"):
        architecture.floors({"a": {"b"}, "b": {"a"}})
