"""Files for a run: models, hostile files, and a folder for output."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path

from pruneapp import resources
from tests.benchmarks.sharded_model import INDEX, language_model
from tests.benchmarks.synthetic_files import values, write_safetensors
from tests.checkpoint.hostile_safetensors import all_cases

SAMPLE = "sample/lenet-digits.safetensors"
# Large hostile files, whose defects are unrelated to the window.
LARGE = {"S36", "S36b", "S39", "X06g", "S47"}
SHARDS = 3
# User methods: one that works, one that fails when called, and one that is invalid Python.
METHODS = {
    "half.py": "return default_mask * (t.abs() > t.abs().median())",
    "fails.py": "raise RuntimeError('not today')",
    "no_python.py": "return (",
}
METHOD = """import torch.nn.utils.prune as prune


class {name}(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        {body}
"""
RECIPES = {
    "cut_off.json": '{"steps": [',
    "no_recipe.json": "[1, 2]",
    "deep.json": "[" * 5000,
    "odd.json": '{"version": 2, "steps": [{"method": "", "amount": 1e999}, null]}',
}


def transformer(folder: Path) -> Path:
    """Write a decoder of 15 million weights in shards, with index and configuration: 30 MB."""
    if folder.exists():
        return folder
    part = folder.with_name(f"{folder.name}.making")
    part.mkdir(parents=True)
    shapes = language_model(width=256, hidden=704, layers=12, vocabulary=12_000)
    names = list(shapes)
    weight_map = {}
    for number in range(SHARDS):
        file = f"model-{number + 1:05}-of-{SHARDS:05}.safetensors"
        mine = {name: shapes[name] for name in names[number::SHARDS]}
        write_safetensors(part / file, mine, "BF16", lambda name: values(name, shapes[name]))
        weight_map |= dict.fromkeys(mine, file)
    (part / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    (part / "config.json").write_text(json.dumps({"architectures": ["LlamaForCausalLM"]}))
    part.rename(folder)
    return folder


class Files:
    """The files of one run.

    Parameters
    ----------
    folder
        An empty folder; nothing outside it is written.
    models
        Files and folders to copy; the sample is always added.
    rng
        Chooses among them.
    """

    def __init__(self, folder: Path, models: Sequence[Path], rng: random.Random) -> None:
        self.folder = folder
        self._rng = rng
        self._sources = [*models, resources.path(SAMPLE)]
        self.models = [folder / "models" / path.name for path in self._sources]
        self.out = folder / "out"
        self.out.mkdir()
        (folder / "models").mkdir()
        for number in range(len(self.models)):
            self.renew(number)
        self.hostile: list[Path] = []
        for case in all_cases():
            if case.id not in LARGE:
                place = folder / "hostile" / f"{len(self.hostile)}"
                place.mkdir(parents=True)
                self.hostile.append(case.build(place))
        self._damage()
        self.asked: list[Path] = []  # for dialogs that open methods and recipes
        self._write_asked()

    def renew(self, number: int) -> None:
        """Copy a model again, replacing its current copy."""
        source, model = self._sources[number], self.models[number]
        if model.is_dir():
            shutil.rmtree(model)
        if source.is_dir():
            shutil.copytree(source, model)
        else:
            model.unlink(missing_ok=True)
            shutil.copyfile(source, model)

    def good(self) -> Path:
        """Return a model; the first one is more likely than the others."""
        number = 0 if self._rng.random() < 0.7 else self._rng.randrange(len(self.models))
        return self.models[number]

    def any(self) -> Path:
        """Return a file to open: a model, a hostile file, or an output of the run."""
        written = sorted(self.out.glob("*"))
        kind = self._rng.random()
        if written and kind < 0.4:
            return self._rng.choice(written)
        if kind < 0.75:
            return self.good()
        return self._rng.choice(self.hostile)

    def fitting(self, patterns: str) -> Path:
        """Return a file for a dialog with these patterns, which are separated by spaces."""
        there = [*self.asked, *sorted(self.out.glob("*"))]
        found = [path for path in there if any(path.match(each) for each in patterns.split())]
        return self._rng.choice(found) if found else self.any()

    def to_spoil(self) -> Path:
        """Return a file to damage: the first model, one of its shards, or an output."""
        written = sorted(self.out.glob("*"))
        if written and self._rng.random() < 0.5:
            return self._rng.choice(written)
        model = self.models[0]
        parts = sorted(model.glob("*.safetensors")) if model.is_dir() else []
        return self._rng.choice(parts) if parts else model

    def spoil(self, how: str, model: Path) -> None:
        """Change an opened file as another program could."""
        if how == "renew":
            self.renew(0)
            return
        if not model.is_file():
            return
        if how == "delete":
            model.unlink()
        elif how == "cut":
            with model.open("r+b") as stream:
                stream.truncate(model.stat().st_size // 2)
        elif how == "change":
            with model.open("r+b") as stream:
                stream.seek(-min(64, model.stat().st_size), 2)
                stream.write(bytes(range(64)))

    def _write_asked(self) -> None:
        place = self.folder / "asked"
        place.mkdir()
        for name, body in METHODS.items():
            text = METHOD.format(name=name.partition(".")[0].title().replace("_", ""), body=body)
            (place / name).write_text(text)
        for name, text in RECIPES.items():
            (place / name).write_text(text)
        for path in resources.path("recipes").glob("*.json"):
            shutil.copyfile(path, place / path.name)
        self.asked = sorted(place.iterdir())

    def _damage(self) -> None:
        """Add copies of the sample that are truncated, or have other bytes in their header."""
        raw = resources.path(SAMPLE).read_bytes()
        place = self.folder / "hostile" / "damaged"
        place.mkdir()
        for number in range(12):
            damaged = bytearray(raw)
            for _ in range(4):
                damaged[self._rng.randrange(600)] = self._rng.randrange(256)
            path = place / f"{number}.safetensors"
            path.write_bytes(damaged[: self._rng.randrange(1, len(raw))] if number % 3 else damaged)
            self.hostile.append(path)
