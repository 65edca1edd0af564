"""Recipes that somebody edited: whatever stands there, it is a recipe or a sentence."""

from __future__ import annotations

import copy
import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import PruneAppError, RecipeError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.methods.registry import METHODS
from pruneapp.progress import Job
from pruneapp.recipes.fit import fit
from pruneapp.recipes.recipe import Recipe
from pruneapp.recipes.replay import replay
from tests.document.memory_checkpoint import MemoryCheckpoint


def _arrays():
    rng = np.random.default_rng(0)
    return {
        "module.conv1.weight": rng.normal(size=(4, 2, 3, 3)).astype(np.float32),
        "module.bn1.weight": rng.normal(size=4).astype(np.float32),
        "module.fc.weight": rng.normal(size=(10, 12)).astype(np.float32),
        "module.fc.bias": rng.normal(size=10).astype(np.float32),
        "count": np.array(3, np.int64),
    }


ARRAYS = _arrays()
FACTS = {
    "module.conv1.weight": {"kind": "Conv2d", "by_default": True},
    "module.fc.weight": {"kind": "Linear", "by_default": True},
}


ROW = {
    "name": "l1_unstructured",
    "configuration": {"values": {"amount": 0.2}, "names": ["module.fc.weight"]},
}
STEP = {
    "name": "step",
    "configuration": {"rows": [ROW], "scope": "local", "limits": {"ceiling": 0.9, "total": 0.5}},
}
WHOLE = {
    "format": "pruneapp-recipe",
    "version": 1,
    "entries": [
        STEP,
        {
            "name": "schedule",
            "configuration": {
                "step": {"name": "step", "configuration": {"rows": [ROW]}},
                "final": 0.9,
                "steps": 3,
                "path": "cubic",
            },
        },
        {
            "name": "edit",
            "configuration": {
                "operation": "restore",
                "targets": [
                    {"name": "module.fc.weight", "boxes": [[[0, 2], [0, 9]]]},
                    {"name": "module.fc.bias", "mask": "sha256:" + "a" * 64, "size": 10},
                ],
                "words": "x",
            },
        },
        {"name": "treat_zeros", "configuration": {"pattern": "*"}},
        {"name": "finalize", "configuration": {"names": ["module.fc.weight"]}},
        {"name": "file_masks"},
    ],
}
WORDS = st.sampled_from(
    ["", "step", "*", "module.fc.weight", "module.bn1.weight", "nowhere", "inf", "all", *METHODS]
)
ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(WORDS | st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=4,
)


def places(tree, path=()):
    """Every place of a tree of JSON."""
    yield path
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from places(value, (*path, key))
    elif isinstance(tree, list):
        for number, value in enumerate(tree):
            yield from places(value, (*path, number))


def edited(data):
    """The recipe, with something else in one place or more."""
    tree = copy.deepcopy(WHOLE)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([p for p in places(tree) if p]))
        at = tree
        for key in path[:-1]:
            at = at[key]
        if data.draw(st.booleans()) or isinstance(at, list):
            at[path[-1]] = data.draw(ANY)
        elif data.draw(st.booleans()):
            del at[path[-1]]
        else:
            at[data.draw(WORDS | st.text(max_size=4))] = data.draw(ANY)
    return json.dumps(tree)


def tried(call):
    """What a call returns, and what it says if it refuses."""
    try:
        return call(), None
    except PruneAppError as error:
        return None, error


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_any_edit_is_a_recipe_or_a_sentence(data):
    text = edited(data)
    recipe, error = tried(lambda: Recipe.from_text(text, where="mine.json"))
    if recipe is None:
        assert isinstance(error, RecipeError)
        assert "'mine.json'" in str(error)
        assert len(error.sentence.splitlines()) == 1
        return
    model = MemoryCheckpoint(ARRAYS, **FACTS)
    found = fit(recipe, model, Job())
    for problem in found.problems:
        assert problem.place.startswith(f"entries[{problem.entry}].configuration")
        assert problem.sentence
    assert Recipe.from_text(recipe.text()).canonical() == recipe.canonical()
    if not found.problems:
        deeds = found.deeds("mine.json")
        _, error = tried(lambda: list(replay(Snapshot(model), deeds, CpuKernel(), Job())))
        assert error is None or error.sentence
