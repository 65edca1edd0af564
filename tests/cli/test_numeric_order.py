"""Commands list layers in numeric order, although files are sorted alphabetically."""

from __future__ import annotations

import csv
import json
import re

import pytest
import torch
from safetensors.torch import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint

NAMES = [f"layers.{number}.weight" for number in range(12)]
STEP = ("--method", "l1_unstructured", "--amount", "50%")


@pytest.fixture
def model(tmp_path):
    generator = torch.Generator().manual_seed(0)
    tensors = {name: torch.randn(16, 16, generator=generator) for name in NAMES}
    path = tmp_path / "model.safetensors"
    save_file(tensors, path, metadata={"format": "pt"})
    with open_checkpoint(path) as checkpoint:
        assert list(checkpoint.entries) == sorted(NAMES) != NAMES
    return path


@pytest.fixture
def pruned(model, call, tmp_path):
    path = tmp_path / "pruned.safetensors"
    assert call("prune", model, "-o", path, *STEP)[0] == 0
    return path


@pytest.fixture
def commands(model, tmp_path, call):
    """Return the arguments of each command that lists tensors."""
    recipe, pruned = tmp_path / "step.recipe.json", tmp_path / "pruned.pt"
    assert call("prune", model, "-o", pruned, *STEP, "--save-recipe", recipe)[0] == 0
    out, changed = tmp_path / "out.safetensors", tmp_path / "changed.recipe.json"
    changed.write_text(recipe.read_text().replace("0.5", "0.25"))
    return {
        "inspect": ("inspect", model),
        "inspect --stats": ("inspect", model, "--stats"),
        "prune": ("prune", model, "-o", out, *STEP),
        "run": ("run", recipe, model, "-o", out),
        "diff --only-different": ("diff", model, model),
        "check": ("check", model, "--pattern", "2:4"),
        "verify": ("verify", pruned, "--against", model, "--recipe", changed),
    }


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize(
    "command",
    ["inspect", "inspect --stats", "prune", "run", "diff --only-different", "check", "verify"],
)
def test_tensors_are_listed_in_numeric_order(call, commands, command, as_json):
    status, output, err = call(*commands[command], *["--json"] * as_json)
    assert status in {0, 1}, err
    listed = re.findall(r"layers\.\d+\.weight", output)
    assert list(dict.fromkeys(listed))[: len(NAMES)] == NAMES


@pytest.mark.parametrize("kind", ["csv", "json", "html"])
def test_reports_list_tensors_in_numeric_order(call, model, tmp_path, kind):
    out, report = tmp_path / "out.safetensors", tmp_path / f"report.{kind}"
    assert call("prune", model, "-o", out, *STEP, "--report", report)[0] == 0
    text = report.read_text(encoding="utf-8")
    listed = re.findall(r"layers\.\d+\.weight", text)
    if kind == "csv":
        listed = [row["name"] for row in csv.DictReader(text.splitlines())]
    if kind == "json":
        listed = [tensor["name"] for tensor in json.loads(text)["tensors"]]
    assert list(dict.fromkeys(listed)) == NAMES


def test_the_order_in_the_exported_file_is_that_of_the_source(model, pruned):
    def by_offset(path):
        with open_checkpoint(path) as checkpoint:
            entries = checkpoint.entries.values()
            return [e.name for e in sorted(entries, key=lambda e: e.location.offset)]

    assert by_offset(pruned) == by_offset(model)


def test_notices_name_tensors_in_numeric_order(call, tmp_path):
    source, out = tmp_path / "zeros.safetensors", tmp_path / "out.safetensors"
    tensors = {name: torch.zeros(8, 8) for name in NAMES}
    save_file(tensors, source, metadata={"format": "pt"})
    _, output, _ = call("prune", source, "-o", out, *STEP)
    assert "Note: In 'layers.0.weight', 'layers.1.weight', 'layers.2.weight' and 9 more" in output
