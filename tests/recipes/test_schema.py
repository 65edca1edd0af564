"""The JSON schema of recipes agrees with the declarations."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from pruneapp.document.entries import RecoveryConfiguration, RecoveryEntry, ValuesConfiguration
from pruneapp.errors import RecipeError
from pruneapp.methods.registry import METHODS
from pruneapp.progress import Job
from pruneapp.recipes.fit import fit
from pruneapp.recipes.recipe import Recipe
from pruneapp.recipes.schema import decode, encode, json_schema
from tests.support.memory_checkpoint import MemoryCheckpoint


def test_every_method_is_in_the_schema_with_its_parameters():
    schema = json.loads(json_schema(METHODS.values()))
    rows = {row["properties"]["name"]["const"]: row for row in schema["$defs"]["RowEntry"]["oneOf"]}
    able = {name for name, method in METHODS.items() if not method.takes_mask}
    assert set(rows) == able
    for name, row in rows.items():
        configuration = row["properties"]["configuration"]["properties"]
        assert set(configuration) == {"values", "pattern", "kind", "names", "quantized"}
        values = configuration["values"]["properties"]
        assert set(values) == {param.name for param in METHODS[name].params}
        for param in METHODS[name].params:
            assert values[param.name]["description"].startswith(param.help)
            kind = set(values[param.name]) - {"description", "default"}
            assert kind, f"{param.name} of {name} may be anything"


def test_every_reference_leads_somewhere():
    text = json_schema(METHODS.values())
    schema = json.loads(text)
    names = {part.split('"')[0] for part in text.split("#/$defs/")[1:]}
    assert names <= set(schema["$defs"])
    kinds = {"step", "schedule", "edit", "treat_zeros", "finalize", "file_masks"}
    assert kinds <= {n for d in schema["$defs"].values() for n in _names(d)}


def _names(definition):
    return definition.get("properties", {}).get("name", {}).get("enum", [])


def test_a_recipe_may_name_its_schema():
    text = '{"$schema": "recipe.schema.json", "format": "pruneapp-recipe", "version": 1, '
    assert decode(text + '"entries": []}', "r.json").entries == ()


PAGE = Path(__file__).resolve().parents[2] / "docs" / "recipes.md"


def test_the_example_of_the_page_is_a_recipe_that_fits():
    (text,) = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    model = MemoryCheckpoint(
        {"conv1.weight": np.ones((4, 2, 3, 3), np.float32)},
        **{"conv1.weight": {"by_default": True}},
    )
    assert not fit(Recipe.from_text(text), model, Job()).problems


def test_the_page_names_every_entry():
    text = PAGE.read_text(encoding="utf-8")
    for name in ("step", "schedule", "edit", "treat_zeros", "finalize", "file_masks"):
        assert f"| `{name}` |" in text


def values_entry(values, original):
    tensor = ValuesConfiguration("fc.weight", f"sha256:{values * 64}", 40, original)
    return RecoveryEntry(RecoveryConfiguration((tensor,)))


def test_what_all_recoveries_share_is_written_once():
    original = f"sha256:{'0' * 64}"
    entries = tuple(values_entry(values, original) for values in "abc")
    text = encode(entries, {}).decode()
    assert text.count(original) == 1
    assert decode(text, "r.json").entries == entries
    others = entries[0], values_entry("b", f"sha256:{'1' * 64}"), entries[2]
    assert decode(encode(others, {}), "r.json").entries == others


def test_values_without_the_original_that_they_belong_to_are_refused():
    text = encode((values_entry("a", ""),), {})
    with pytest.raises(RecipeError, match=r"original of 'fc\.weight' is missing"):
        decode(text, "r.json")
