"""Recipes: written, read, fitted to a checkpoint, and applied again."""

from __future__ import annotations

import copy
import json
import math
import os

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Capture, Document
from pruneapp.document.entries import (
    RowEntry,
    ScheduleConfiguration,
    ScheduleEntry,
    StepConfiguration,
    StepEntry,
)
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.edits.zeros import Finalize, TreatZeros
from pruneapp.errors import PruneAppError, RecipeError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.limits import Limits
from pruneapp.methods.registry import METHODS
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.recipes.fit import fit
from pruneapp.recipes.recipe import Recipe, history_recipe, load, mask_folder, recipe_of, save
from pruneapp.recipes.replay import replay, schedule_amounts
from tests.shrink.small_models import write_mistral
from tests.support.memory_checkpoint import MemoryCheckpoint

L1 = {"name": "l1_unstructured", "configuration": {"values": {"amount": 0.5}}}


def text_of(*entries, **more) -> str:
    return json.dumps({"format": "pruneapp-recipe", "version": 1, "entries": list(entries), **more})


def step_entry(*rows, **more):
    return {"name": "step", "configuration": {"rows": list(rows), **more}}


def run(checkpoint, recipe, kernel=None):
    deeds = fit(recipe, checkpoint, Job()).actions(recipe.where)
    return list(replay(Snapshot(checkpoint), deeds, kernel or CpuKernel(), Job()))


def worked_on(model) -> Document:
    """Return a document with one change of every kind."""
    document = Document(model)
    names = ("module.conv1.weight", "module.conv2.weight", "module.fc.weight")

    def step(*rows, **more):
        preview = compute_preview(document.snapshot(), Step(rows, **more), CpuKernel(), Job())
        document.commit(preview)

    def edit(operation, *targets):
        document.commit(
            compute_manual_edit(document.snapshot(), ManualEdit(operation, targets), Job())
        )

    edit("protect", ManualTarget("module.fc.weight", (((0, 2), (0, 64)),)))
    step(
        Row(names, "l1_unstructured", {"amount": 0.4}),
        scope="global",
        limits=Limits(max_sparsity=0.9),
    )
    step(Row(("module.conv2.weight",), "ln_structured", {"amount": 3, "n": math.inf}, "*.conv2.*"))
    step(
        Row(names[:2], "random_unstructured", {"amount": 0.1, "seed": 7}, "Conv2d"),
        Row(("module.decoder.weight",), "l1_unstructured", {"amount": 11}),
    )
    chosen = np.random.default_rng(1).random(72) < 0.5
    edit(
        "restore", ManualTarget("module.conv1.weight", mask=BitMask.from_bools(np.tile(chosen, 3)))
    )
    document.commit(Finalize(names).propose(document.snapshot(), Job()))
    return document


def assert_same(state: Snapshot, other: Snapshot) -> None:
    for layer in ("masks", "permanent", "protected"):
        assert dict(getattr(state, layer)) == dict(getattr(other, layer)), layer


def test_a_history_is_a_recipe_that_does_the_same_again(model, tmp_path):
    document = worked_on(model)
    recipe = history_recipe(Capture.of(document), Job())
    save(recipe, tmp_path / "r.recipe.json", Job())
    again = load(tmp_path / "r.recipe.json", Job())
    assert again.canonical() == recipe.canonical()
    done = run(model, again)
    assert len(done) == document.position
    assert_same(done[-1].state, document.snapshot())
    masks: dict[str, BitMask] = {}
    back = recipe_of(model, [one.edit.to_dict(masks) for one in done], masks)
    assert back.canonical() == recipe.canonical()
    assert set(masks) == {name for name, _ in recipe.named_masks()}


def test_rows_say_how_their_tensors_were_chosen(model):
    document = worked_on(model)
    recipe = history_recipe(Capture.of(document), Job())
    entries = json.loads(recipe.canonical())["entries"]
    rows = [e["configuration"]["rows"] for e in entries if e["name"] == "step"]
    chosen = [
        [{k: v for k, v in row["configuration"].items() if k != "values"} for row in step]
        for step in rows
    ]
    assert chosen == [
        [{}],  # all defaults
        [{"pattern": "*.conv2.*"}],
        [{"kind": "Conv2d"}, {"names": ["module.fc.weight"]}],
    ]


def test_a_recipe_suits_another_model(model):
    other = MemoryCheckpoint(
        {
            "net.conv2.weight": np.arange(1, 33, dtype=np.float32).reshape(4, 8),
            "net.out.weight": np.arange(1, 13, dtype=np.float32).reshape(3, 4),
        },
        **{
            "net.conv2.weight": {"kind": "Conv2d", "by_default": True},
            "net.out.weight": {"kind": "Linear", "by_default": True},
        },
    )
    recipe = Recipe.from_text(
        text_of(
            step_entry(L1),
            step_entry(
                {
                    "name": "ln_structured",
                    "configuration": {"values": {"amount": 1}, "pattern": "*.conv2.*"},
                }
            ),
            step_entry(
                {
                    "name": "l1_unstructured",
                    "configuration": {"values": {"amount": 2}, "kind": "Linear"},
                }
            ),
        )
    )
    state = run(other, recipe)[-1].state
    assert state.masks.pruned("net.out.weight") == 8
    assert state.masks.pruned("net.conv2.weight") == 16 + 8


@pytest.mark.parametrize(
    ("entries", "places"),
    [
        ([step_entry({"name": "l2", "configuration": {}})], ["entries[0].configuration.rows[0]"]),
        (
            [
                step_entry(L1),
                step_entry(
                    {
                        "name": "l1_unstructured",
                        "configuration": {"pattern": "*.conv9.*", "values": {}},
                    },
                    {
                        "name": "l1_unstructured",
                        "configuration": {"names": ["nowhere"], "values": {}},
                    },
                    {"name": "l1_unstructured", "configuration": {"values": {"amount": -1}}},
                ),
            ],
            [f"entries[1].configuration.rows[{i}]" for i in range(3)],
        ),
        (
            [
                step_entry(
                    {
                        "name": "ln_structured",
                        "configuration": {"names": ["module.fc.bias"], "values": {}},
                    }
                )
            ],
            ["entries[0].configuration"],
        ),
        (
            [
                step_entry(
                    {
                        "name": "l1_unstructured",
                        "configuration": {"names": ["module.fc.bias"], "values": {"amount": 11}},
                    }
                )
            ],
            ["entries[0].configuration"],
        ),
        (
            [step_entry({"name": "custom_from_mask", "configuration": {}})],
            ["entries[0].configuration.rows[0]"],
        ),
        ([{"name": "file_masks"}], ["entries[0].configuration"]),
        (
            [
                {
                    "name": "edit",
                    "configuration": {
                        "operation": "prune",
                        "targets": [
                            {"name": "module.fc.bias", "boxes": [[[0, 11]]]},
                            {"name": "module.bn1.num_batches_tracked", "boxes": [[[0, 1]]]},
                        ],
                    },
                }
            ],
            ["entries[0].configuration.targets[1]"],
        ),
        (
            [
                {
                    "name": "edit",
                    "configuration": {
                        "operation": "prune",
                        "targets": [{"name": "module.fc.bias", "boxes": [[[0, 11]]]}],
                    },
                }
            ],
            ["entries[0].configuration.targets[0]"],
        ),
        (
            [
                {
                    "name": "edit",
                    "configuration": {
                        "operation": "prune",
                        "targets": [
                            {"name": "module.fc.bias", "mask": "sha256:" + "0" * 64, "size": 10}
                        ],
                    },
                }
            ],
            ["entries[0].configuration"],
        ),
        (
            [
                {
                    "name": "schedule",
                    "configuration": {
                        "step": step_entry(L1, limits={"target_sparsity": 0.5}),
                        "final": 0.9,
                        "steps": 3,
                    },
                }
            ],
            ["entries[0].configuration"],
        ),
        (
            [
                {
                    "name": "schedule",
                    "configuration": {"step": step_entry(L1, L1), "final": 0.9, "steps": 3},
                }
            ],
            ["entries[0].configuration"],
        ),
    ],
)
def test_what_does_not_fit_is_listed_and_nothing_runs(model, entries, places):
    recipe = Recipe.from_text(text_of(*entries), where="my.json")
    before = model.elements_read
    found = fit(recipe, model, Job())
    assert [problem.place for problem in found.problems] == places
    assert model.elements_read == before
    with pytest.raises(RecipeError, match=r"'my\.json' cannot be applied to this checkpoint: "):
        found.actions(recipe.where)
    for problem in found.problems:
        assert found.entries[problem.entry].action is None
        assert len(problem.sentence.splitlines()) == 1


@pytest.mark.parametrize(
    ("method", "left"), [("l1_unstructured", "216 weights"), ("random_structured", "8 channels")]
)
def test_a_count_that_is_too_large_is_compared_in_the_units_of_the_method(model, method, left):
    values = {"names": ["module.conv1.weight"], "values": {"amount": 217}}
    recipe = Recipe.from_text(text_of(step_entry({"name": method, "configuration": values})))
    (problem,) = fit(recipe, model, Job()).problems
    assert f"only {left} of 'module.conv1.weight' are not pruned yet" in problem.sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "'r.json' is not JSON"),
        ("null", "'r.json' is not a recipe"),
        ("nonsense", "not JSON: expecting value at character 0"),
        ("[]", "'r.json' is not a recipe"),
        ('{"format": "other"}', "'r.json' is not a recipe"),
        ('{"format": "pruneapp-recipe", "version": 7, "entries": []}', "version 7"),
        (
            text_of(step_entry(L1, scope="both")),
            "'r.json', at entries[0].configuration.scope: 'both' is not an allowed value",
        ),
        (
            text_of(step_entry()),
            "configuration.rows: expected an array with at least 1 item, got an array of 0",
        ),
        (text_of({"name": "prune"}), "at entries[0].name: 'prune' is not an allowed value"),
        (
            text_of(step_entry({"name": "l1_unstructured", "amount": 1})),
            "unknown key 'amount'. Allowed keys: name, configuration.",
        ),
        (text_of(step_entry(L1, rowz=1)), "unknown key 'rowz'. Did you mean 'rows'? Allowed keys:"),
        (
            text_of(step_entry(L1, limits={"exclude": ["frist"]})),
            "exclude[0]: 'frist' is not an allowed value. Did you mean 'first'?",
        ),
        (
            text_of({"name": "stepp"}),
            "Did you mean 'step'? Allowed values: step, schedule, edit, repair, recovery, ",
        ),
        (text_of({"name": "step"}), "at entries[0]: the key 'configuration' is missing."),
        (
            text_of(step_entry(L1, prune_bias_and_norm="yes")),
            "prune_bias_and_norm: expected true or false, got 'yes'",
        ),
        (text_of(step_entry(L1, dependents=1)), "dependents: expected true or false, got 1"),
        (text_of(7), "at entries[0]: expected an object, got 7"),
        (text_of(extra=1), "unknown key 'extra'"),
        (
            text_of(step_entry(L1, limits={"min_sparsity": 2})),
            "entries[0].configuration.limits.min_sparsity: expected a number of at most 1.0, got 2",
        ),
    ],
)
def test_what_is_no_recipe_is_refused_with_its_place_and_what_is_allowed(text, sentence):
    with pytest.raises(RecipeError) as caught:
        Recipe.from_text(text, where="r.json")
    assert sentence in str(caught.value)
    assert caught.value.remedy


def test_the_text_is_for_people_and_the_canonical_one_is_the_same_for_all(model):
    loose = text_of({"configuration": {"scope": "local", "rows": [L1]}, "name": "step"})
    recipe = Recipe.from_text(loose)
    assert recipe.canonical() == (
        '{"format":"pruneapp-recipe","version":1,"entries":[{"name":"step","configuration":'
        '{"rows":[{"name":"l1_unstructured","configuration":{"values":{"amount":0.5}}}]}}]}'
    )
    assert Recipe.from_text(recipe.text()).canonical() == recipe.canonical()
    assert recipe.text().endswith("}\n")
    assert "\n  " in recipe.text()


@given(st.data())
def test_schedules_end_at_the_final_amount_to_the_last_weight(data):
    size = data.draw(st.integers(1, 400))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    weights = rng.normal(size=size).astype(np.float32)
    other = rng.normal(size=data.draw(st.integers(1, 50))).astype(np.float32)
    model = MemoryCheckpoint(
        {"a": weights.reshape(1, -1), "b": other.reshape(1, -1)},
        a={"by_default": True},
        b={"by_default": True},
    )
    every = weights.size + other.size
    final = data.draw(st.floats(0, 1) | st.integers(0, every))
    begun = data.draw(st.integers(0, final if isinstance(final, int) else round(final * every)))
    steps = data.draw(st.integers(1, 6))
    scope = data.draw(st.sampled_from(["local", "global"]))
    path = data.draw(st.sampled_from(["linear", "cubic"]))
    first = {"name": "l1_unstructured", "configuration": {"values": {"amount": begun}}}
    schedule = {
        "name": "schedule",
        "configuration": {
            "step": step_entry(L1, scope=scope),
            "final": final,
            "steps": steps,
            "path": path,
        },
    }
    recipe = Recipe.from_text(text_of(step_entry(first, scope="global"), schedule))
    done = run(model, recipe)
    assert len(done) == steps + 1
    left = [sum(m.pruned for m in one.state.masks.values()) for one in done]
    assert left == sorted(left)
    assert left[-1] == (final if isinstance(final, int) else round(final * every))
    start, end = begun / every, left[-1] / every if isinstance(final, int) else final
    for t, pruned in enumerate(left[1:], 1):
        rest = 1 - t / steps
        wanted = end + (start - end) * (rest**3 if path == "cubic" else rest)
        assert abs(pruned - wanted * every) <= 1


def test_a_cubic_path_is_that_of_the_paper():
    assert schedule_amounts(0.9, 10, 100, 4, "cubic") == pytest.approx(
        [0.9 + (0.1 - 0.9) * (1 - t / 4) ** 3 for t in (1, 2, 3, 4)]
    )
    assert schedule_amounts(90, 10, 100, 4, "linear") == [30, 50, 70, 90]


LN = {"name": "ln_structured", "configuration": {"values": {"amount": 2}}}


def of_tensors(*names):
    return LN | {"configuration": LN["configuration"] | {"names": list(names)}}


def test_dependents_are_known_before_anything_runs_and_come_back_from_the_text(tmp_path):
    write_mistral(tmp_path)
    mlp = [f"model.layers.0.mlp.{name}_proj.weight" for name in ("gate", "up", "down")]
    with open_checkpoint(tmp_path) as checkpoint:
        recipe = Recipe.from_text(text_of(step_entry(of_tensors(mlp[0]), dependents=True)))
        assert recipe.canonical().count('"dependents":true') == 1
        assert Recipe.from_text(recipe.text()).canonical() == recipe.canonical()
        (done,) = run(checkpoint, recipe)
        assert sorted(done.edit.after["masks"]) == sorted(mlp)
        (notice,) = fit(recipe, checkpoint, Job()).notices
        assert notice == (
            f"L2 2 channels, dim 0, with dependent tensors, on {mlp[0]}. Also prunes 2 tensors: "
            f"{mlp[1]} (rows), {mlp[2]} (columns)."
        )
        old = Recipe.from_text(text_of(step_entry(of_tensors(mlp[0]), dependents=False)))
        assert "dependents" not in old.canonical(), "what is as usual is left out"
        (done,) = run(checkpoint, old)
        assert list(done.edit.after["masks"]) == [mlp[0]]
        again = history_of(checkpoint, recipe)
        (once_more,) = run(checkpoint, Recipe.from_text(again.text()))
        assert '"dependents":true' in again.canonical()
        assert sorted(once_more.edit.after["masks"]) == sorted(mlp)

        nothing = Recipe.from_text(
            text_of(step_entry(of_tensors("lm_head.weight"), dependents=True))
        )
        (problem,) = fit(nothing, checkpoint, Job()).problems
        assert str(problem).startswith(
            "entries[0].configuration: Dim 0 of 'lm_head.weight' is that of the tokens"
        )
        many = step_entry(of_tensors(*mlp[:2]), dependents=True)
        schedule = {"step": many, "final": 0.5, "steps": 2, "path": "linear"}
        text = text_of({"name": "schedule", "configuration": schedule})
        (problem,) = fit(Recipe.from_text(text), checkpoint, Job()).problems
        assert "is selected and also depends on a selected tensor" in str(problem)


def history_of(checkpoint, recipe) -> Recipe:
    """Return the recipe of a document after applying a recipe."""
    document = Document(checkpoint)
    for step in fit(recipe, checkpoint, Job()).actions(""):
        document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    return history_recipe(Capture.of(document), Job())


def test_a_schedule_takes_dependents_along_in_each_round(tmp_path):
    write_mistral(tmp_path)
    gate, down = (f"model.layers.0.mlp.{name}_proj.weight" for name in ("gate", "down"))
    step = step_entry(of_tensors(gate), dependents=True)
    schedule = {"step": step, "final": 0.5, "steps": 3, "path": "linear"}
    with open_checkpoint(tmp_path) as checkpoint:
        recipe = Recipe.from_text(text_of({"name": "schedule", "configuration": schedule}))
        rounds = [
            [done.state.masks.pruned(name) // 8 for name in (gate, down)]
            for done in run(checkpoint, recipe)
        ]
    assert rounds == [[2, 2], [4, 4], [6, 6]]


def test_a_step_with_a_mask_of_a_file_is_an_edit_in_the_recipe(model):
    keep = BitMask.from_bools(np.arange(640) % 3 > 0)
    step = Step((Row(("module.fc.weight",), "custom_from_mask"),))
    preview = compute_preview(
        Snapshot(model), step, CpuKernel(), Job(), given={"module.decoder.weight": keep}
    )
    document = Document(model)
    document.commit(preview)
    recipe = history_recipe(Capture.of(document), Job())
    (entry,) = msgspec.to_builtins(recipe.entries)
    assert entry["name"] == "edit"
    assert entry["configuration"]["words"] == step.label()
    assert run(model, recipe)[-1].state.masks["module.fc.weight"] == keep
    assert document.items[-1].by_method


def test_a_step_with_scores_is_an_edit_in_the_recipe(model):
    scores = MemoryCheckpoint({"module.fc.bias": -np.arange(10, dtype=np.float32)})
    step = Step((Row(("module.fc.bias",), "l1_unstructured", {"amount": 4}),))
    preview = compute_preview(Snapshot(model), step, CpuKernel(), Job(), scores=scores)
    masks: dict[str, BitMask] = {}
    recipe = recipe_of(model, [preview.edit.to_dict(masks)], masks)
    assert run(model, recipe)[-1].state.masks["module.fc.bias"].bools().tolist() == [
        False,
        False,
        False,
        False,
        *[True] * 6,
    ]


def test_masks_lie_beside_the_recipe_and_are_compared(model, tmp_path):
    path = tmp_path / "brush.recipe.json"
    document = worked_on(model)
    recipe = history_recipe(Capture.of(document), Job())
    written = save(recipe, path, Job())
    ((name, size),) = recipe.named_masks()
    side = mask_folder(path) / f"{name}.mask"
    assert written == (side, path)
    assert side.stat().st_size == (size + 7) // 8
    assert save(recipe, path, Job()) == (path,)  # it already exists
    data = bytearray(side.read_bytes())
    data[3] ^= 1
    side.write_bytes(data)
    (problem,) = fit(load(path, Job()), model, Job()).problems
    assert "is not the one that was saved under this name" in problem.sentence
    side.unlink()
    (problem,) = fit(load(path, Job()), model, Job()).problems
    assert "is missing" in problem.sentence


def test_no_mask_is_read_from_elsewhere(model, tmp_path):
    (tmp_path / "secret.mask").write_bytes(b"\xff\xff")
    target = {"name": "module.fc.bias", "mask": "sha256:../secret", "size": 10}
    text = text_of({"name": "edit", "configuration": {"operation": "prune", "targets": [target]}})
    path = tmp_path / "r.json"
    path.write_text(text)
    (tmp_path / "r.masks").mkdir()
    assert not load(path, Job()).masks
    (problem,) = fit(load(path, Job()), model, Job()).problems
    assert "is missing" in problem.sentence


def test_a_step_of_several_rules_is_said_as_in_the_history(model):
    rows = [
        {"name": "l1_unstructured", "configuration": {"pattern": "*.conv2.weight"}},
        {"name": "l1_unstructured", "configuration": {"pattern": "*.conv2.*"}},
        *[{"name": "l1_unstructured", "configuration": {"pattern": "*.fc.weight"}}] * 2,
    ]
    recipe = Recipe.from_text(text_of(step_entry(*rows)))
    (found,) = fit(recipe, model, Job()).entries
    assert found.label == f"L1 20 % on {len(found.names)} tensors by 4 rules"
    assert found.detail.startswith("Rule 1: L1 20 % on 0 tensors (*.conv2.weight)")
    (done,) = run(model, recipe)
    assert done.edit.label == found.label


def test_zeros_and_final_weights_without_names_mean_all_there_are(model):
    arrays = {name: array.copy() for name, array in model.arrays.items()}
    arrays["module.fc.weight"][0] = 0
    other = MemoryCheckpoint(arrays)
    recipe = Recipe.from_text(text_of({"name": "treat_zeros"}, {"name": "finalize"}))
    found = fit(recipe, other, Job())
    assert "module.fc.bias" not in found.entries[0].names  # a vector
    first, second = run(other, recipe)
    assert first.state.masks.pruned("module.fc.weight") == 64
    assert second.state.permanent.pruned("module.fc.weight") == 64
    assert first.edit.to_dict({}) == TreatZeros(("module.fc.weight",)).to_dict()


def test_every_method_has_its_place_in_a_recipe(model):
    for method in METHODS.values():
        if method.takes_mask or method.takes_scale or method.takes_statistics:
            continue  # a step has no masks; this model has no norm, and there are no statistics
        if method.granularity == "units":
            continue  # nor is it a model of a known type
        values = {p.name: p.default for p in method.params}
        row = Row(("module.conv1.weight",), method.name, values)
        wanted = Step((row,), method.scopes[0])
        entry = wanted.to_dict()
        recipe = Recipe.from_text(recipe_of(model, [entry]).text())
        (found,) = fit(recipe, model, Job()).entries
        assert found.action == wanted


def test_masks_of_a_file_come_on_top_of_what_is_pruned(model, tmp_path):
    path = tmp_path / "pairs.safetensors"
    rng = np.random.default_rng(0)
    kept = rng.random((10, 64)) < 0.5
    arrays = {
        "fc.weight_orig": rng.normal(size=(10, 64)).astype(np.float32),
        "fc.weight_mask": kept.astype(np.float32),
    }
    save_file(arrays, path)
    with open_checkpoint(path) as checkpoint:
        first = {"name": "l1_unstructured", "configuration": {"values": {"amount": 100}}}
        recipe = Recipe.from_text(
            text_of(step_entry(first), {"name": "file_masks"}, {"name": "file_masks"})
        )
        done = run(checkpoint, recipe)
        assert [one.number for one in done] == [0, 1], "the second time they are there"
        before = done[0].state.masks["fc.weight"]
        assert before.pruned == 100
        assert done[1].state.masks["fc.weight"] == before & BitMask.from_bools(kept)
        masks: dict[str, BitMask] = {}
        back = recipe_of(checkpoint, [one.edit.to_dict(masks) for one in done], masks)
        assert_same(run(checkpoint, back)[-1].state, done[-1].state)


@pytest.mark.parametrize("version", [True, 0, 2, 1.0, "1", None])
def test_a_recipe_of_another_version_is_refused(version):
    with pytest.raises(RecipeError, match="version"):
        Recipe.from_text(
            text_of({"name": "step", "configuration": {"rows": [L1]}}, version=version)
        )


def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    """Regression: reading a device to its end used all memory of the machine."""
    os.mkfifo(tmp_path / "pipe.recipe.json")
    (tmp_path / "zeros.recipe.json").symlink_to("/dev/zero")
    for name in ("pipe.recipe.json", "zeros.recipe.json"):
        with pytest.raises(RecipeError, match="is not a regular file"):
            load(tmp_path / name, Job())


@pytest.mark.parametrize(
    ("final", "words"),
    [(1 / 3, "to 33.3 % in 5 rounds"), (0.9, "to 90 % in 5 rounds"), (1_500, "to 1,500 in 5")],
)
def test_the_label_of_a_schedule_is_rounded_for_people(model, final, words):
    """Regression: "to 33.33333333 %"."""
    step = StepEntry(StepConfiguration((RowEntry("l1_unstructured"),)))
    recipe = Recipe((ScheduleEntry(ScheduleConfiguration(step, final, 5)),))
    (entry,) = fit(recipe, model, Job()).entries
    assert words in entry.label


# Edited recipes: any content is a recipe or raises our own error


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
    "configuration": {
        "rows": [ROW],
        "scope": "local",
        "limits": {"max_sparsity": 0.9, "target_sparsity": 0.5},
    },
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
    """Yield every path in a JSON tree."""
    yield path
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from places(value, (*path, key))
    elif isinstance(tree, list):
        for number, value in enumerate(tree):
            yield from places(value, (*path, number))


def edited(data):
    """Return the recipe with one to three random changes."""
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
    """Return the result of a call, and its error if it is refused."""
    try:
        return call(), None
    except PruneAppError as error:
        return None, error


@given(st.data())
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
        deeds = found.actions("mine.json")
        _, error = tried(lambda: list(replay(Snapshot(model), deeds, CpuKernel(), Job())))
        assert error is None or error.sentence
