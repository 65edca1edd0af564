"""Every method on 1, 2 and 4 workers: the bytes and the report of one machine."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp.cluster import steps
from pruneapp.document.step import Row, Step
from pruneapp.methods import registry
from pruneapp.methods.method import CoupledMethod
from pruneapp.params import STATISTICS
from pruneapp.recipes.recipe import Recipe
from tests.cluster.workers import contents, locally, on_cluster
from tests.support.activation_statistics import registered
from tests.support.model_folders import write_llama

METHODS = [name for name in registry.METHODS if not registry.get(name).takes_mask]


def recipe_of_steps(*made: Step) -> Recipe:
    """Return a recipe by what steps say of themselves."""
    from pruneapp.document.entries import StepEntry
    from pruneapp.json_codec import convert

    return Recipe(tuple(convert(step.to_dict(), StepEntry, "test") for step in made))


@pytest.fixture(scope="session")
def network(tmp_path_factory) -> Path:
    """Two convolutions, each with its norm, and two matrices, of three types, in three files."""
    folder = tmp_path_factory.mktemp("network")
    rng = np.random.default_rng(0)

    def normal(*shape, dtype=np.float32):
        # Few different values, so that there are many ties.
        return np.round(rng.normal(size=shape) * 8).astype(dtype) / dtype(8)

    save_file(
        {
            "conv1.weight": normal(16, 4, 3, 3),
            "conv1.bias": normal(16),
            "bn1.weight": normal(16),
            "bn1.bias": normal(16),
            "bn1.running_mean": normal(16),
        },
        folder / "model-00001-of-00003.safetensors",
    )
    save_file(
        {"conv2.weight": normal(8, 16, 3, 3), "bn2.weight": normal(8), "bn2.bias": normal(8)},
        folder / "model-00002-of-00003.safetensors",
    )
    save_file(
        {
            "fc1.weight": normal(40, 64, dtype=np.float16),
            "fc2.weight": normal(24, 40, dtype=np.float64),
        },
        folder / "model-00003-of-00003.safetensors",
    )
    (folder / "config.json").write_text("{}")
    return folder


MATRICES = {"fc1.weight": (40, 64), "fc2.weight": (24, 40)}


@pytest.fixture(scope="session")
def llama(tmp_path_factory) -> Path:
    """A small language model, in whose groups units go."""
    folder = tmp_path_factory.mktemp("llama") / "model"
    write_llama(folder)
    return folder


def rows_for(name: str, statistics: str) -> list[Row]:
    """Return how a method is called: with its defaults, on what suits it."""
    method = registry.get(name)
    values = {"amount": 0.5} if any(p.name == "amount" for p in method.params) else {}
    names: tuple[str, ...] = ("conv1.weight", "conv2.weight", "fc1.weight", "fc2.weight")
    if STATISTICS in method.params and not isinstance(method, CoupledMethod):
        values[STATISTICS.name] = statistics
        names = tuple(MATRICES)
    if method.takes_scale:
        names = ("conv1.weight", "conv2.weight")
    return [Row(names, name, values)]


@pytest.fixture(scope="session")
def statistics(tmp_path_factory):
    with registered(tmp_path_factory.mktemp("statistics") / "s.safetensors", MATRICES) as name:
        yield name


def compare(cluster, source: Path, recipe: Recipe, tmp_path: Path) -> None:
    """Do a recipe on both sides; every byte and every word of the report is the same."""
    here = locally(source, recipe, tmp_path / "here" / "out")
    there = on_cluster(cluster, source, recipe, tmp_path / "there" / "out")
    assert contents(tmp_path / "here") == contents(tmp_path / "there")
    said = (str(tmp_path / "there"), str(tmp_path / "here"))
    assert repr(dataclasses.asdict(there)).replace(*said) == repr(dataclasses.asdict(here))


@pytest.fixture(autouse=True)
def folders(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()


@pytest.mark.parametrize("name", METHODS)
def test_a_method(name, cluster, network, llama, statistics, tmp_path, monkeypatch):
    monkeypatch.setattr(steps, "UNIT_BYTES", 4096)
    monkeypatch.setattr(steps, "FEW", 100)
    method = registry.get(name)
    source = network
    rows = rows_for(name, statistics)
    if isinstance(method, CoupledMethod):
        if name == "channel_groups":
            pytest.skip("needs a graph")
        source = llama
        names = ("self_attn.o_proj.weight", "mlp.down_proj.weight")
        names = tuple(f"model.layers.{n}.{names[name != 'attention_heads']}" for n in (0, 2))
        rows = [Row(names, name, {"amount": 0.5})]
    made = [Step(tuple(rows), scope) for scope in method.scopes]
    # Twice: the second time on what the first left.
    compare(cluster, source, recipe_of_steps(made[-1], made[0]), tmp_path)
