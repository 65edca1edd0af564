"""Packages that add methods, formats, families and readers, such as the example in docs/plugin."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from pruneapp import plugins
from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import READERS, open_checkpoint
from pruneapp.errors import PluginError, PruneAppError, UnrecognizedFileError
from pruneapp.export import catalog
from pruneapp.groups.family import family_of
from pruneapp.methods import registry
from tests.support.plugin_packages import EXAMPLE, install_example, install_package, matrix_file


@pytest.fixture
def example(packages) -> Path:
    install_example(packages)
    return packages


def test_what_is_installed_is_listed_and_not_run(packages):
    install_package(
        packages, "loud", {"pruneapp.methods": {"one": "loud:ONE"}}, "raise RuntimeError('it ran')"
    )
    (found,) = plugins.list_plugins()
    assert (found.name, found.version, found.key) == ("loud", "1.0", "loud==1.0")
    assert [(point.group, point.name) for point in found.points] == [("pruneapp.methods", "one")]
    assert "loud" not in sys.modules


def test_the_example_adds_one_of_each(example, tmp_path):
    file = matrix_file(tmp_path, np.arange(12, dtype=np.float32).reshape(3, 4))
    with pytest.raises(UnrecognizedFileError):
        open_checkpoint(file)

    (plugin,) = plugins.list_plugins()
    assert [plugins.GROUPS[point.group] for point in plugin.points] == list(plugins.GROUPS.values())
    plugins.load(plugin).register()

    with open_checkpoint(file) as checkpoint:
        (entry,) = checkpoint.entries.values()
        assert (entry.name, entry.shape) == ("w", (3, 4))
    assert registry.get("centered").label == "Distance from the mean"
    assert catalog.get("zst_smallest").suffixes == (".safetensors.zst",)
    family = family_of("example")
    assert family is not None
    assert family.rule("ffn") is not None


def test_the_command_line_loads_what_is_named(example, tmp_path, capsys):
    file = matrix_file(tmp_path, np.array([[1.0, 2.0, 3.0, 10.0]], np.float32))
    out = tmp_path / "out.safetensors.zst"
    command = ["prune", str(file), "--method", "centered", "--amount", "0.5"]
    command += ["--format", "zst_smallest", "-o", str(out)]
    with pytest.raises(SystemExit):
        main(command)
    assert "zst_smallest" in capsys.readouterr().err

    assert main([*command, "--plugin", "Pruneapp_Example"]) == 0
    assert main(["expand", str(out), "-o", str(tmp_path / "dense.safetensors")]) == 0
    with open_checkpoint(tmp_path / "dense.safetensors") as checkpoint:
        values = checkpoint.read("w").ravel()
    # The mean is 4: of the distances 3, 2, 1 and 6 the two smallest are pruned.
    assert values.tolist() == [1, 0, 0, 10]


def test_plugins_are_listed_in_words_and_as_json(example, capsys):
    assert main(["plugins"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("pruneapp-example 1.0\n    method centered, from pruneapp_example:")
    assert "    file format matrix, from pruneapp_example:MATRIX\n" in said
    assert main(["plugins", "--json"]) == 0
    assert '"package": "pruneapp-example"' in capsys.readouterr().out
    assert "pruneapp_example" not in sys.modules


def test_without_plugins_it_says_so(capsys):
    assert main(["plugins"]) == 0
    assert capsys.readouterr().out == "No installed package adds anything.\n"
    assert main(["inspect", "x", "--plugin", "nobody"]) == 2
    assert "No package named 'nobody'" in capsys.readouterr().err


BROKEN = {
    "an import": ("import nothing_like_it", "broken:ONE", "No module named 'nothing_like_it'"),
    "a name": ("", "broken:ONE", "has no attribute 'ONE'"),
    "an exit": ("import sys; sys.exit(3)", "broken:ONE", "SystemExit: 3"),
    "another thing": ("ONE = 5", "broken:ONE", "neither a pruning method nor a module of them"),
}


@pytest.mark.parametrize(("code", "target", "reason"), BROKEN.values(), ids=BROKEN)
def test_one_that_fails_is_named(packages, code, target, reason):
    install_package(packages, "broken", {"pruneapp.methods": {"one": target}}, code)
    (plugin,) = plugins.list_plugins()
    with pytest.raises(PluginError, match=r"The plugin broken 1\.0 was not loaded") as error:
        plugins.load(plugin)
    assert reason in str(error.value)
    assert error.value.remedy == "Update or uninstall broken."


@pytest.mark.parametrize("group", [plugins.FORMATS, plugins.READERS, plugins.FAMILIES])
def test_what_is_none_of_its_group_is_refused(packages, group):
    install_package(packages, "wrong", {group: {"one": "wrong:ONE"}}, "ONE = 5")
    (plugin,) = plugins.list_plugins()
    with pytest.raises(
        PluginError, match=f"is no {plugins.GROUPS[group]}: it is an object of type int"
    ):
        plugins.load(plugin)


def test_of_one_that_clashes_nothing_is_registered(example):
    (plugin,) = plugins.list_plugins()
    additions = plugins.load(plugin)
    additions.register()
    before = [*registry.METHODS], [*catalog.FORMATS], [*READERS]
    additions.register()  # already registered: no effect
    for name in ("methods", "formats", "families", "readers"):
        clash = plugins.Additions("another==1.0", **{name: getattr(additions, name)})
        with pytest.raises(PruneAppError, match="already"):
            clash.register()
    assert ([*registry.METHODS], [*catalog.FORMATS], [*READERS]) == before
    assert family_of("example") is not None


def test_the_example_declares_what_its_files_say():
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    assert set(project["entry-points"]) == set(plugins.GROUPS)
