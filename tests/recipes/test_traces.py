"""Steps on the groups of a traced model, whose trace is in the recipe."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Capture, Document
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError
from pruneapp.export.scripts.script import script_of
from pruneapp.groups.structure import structure_of
from pruneapp.groups.trace import (
    NO_TRACE,
    Trace,
    restore_traces,
    stored_traces,
    trace_of,
    use_trace,
)
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.recipes.fit import fit
from pruneapp.recipes.recipe import Recipe, history_recipe
from pruneapp.recipes.replay import replay_all
from tests.shrink.vision_models import make
from tests.support.traces import trace_model

X = torch.zeros(2, 3, 9, 9)


@pytest.fixture(scope="module")
def network():
    """Return a network whose blocks are known, and whose trace shows more groups."""
    return make("basic").float()


@pytest.fixture(scope="module")
def trace(network):
    return trace_model(network, X)


@pytest.fixture
def path(network, tmp_path):
    torch.save(network.state_dict(), tmp_path / "m.pt")
    return tmp_path / "m.pt"


@pytest.fixture
def opened(path):
    """Provide a function that opens the file anew."""
    checkpoints = []

    def again():
        checkpoints.append(open_checkpoint(path))
        return checkpoints[-1]

    yield again
    for checkpoint in checkpoints:
        checkpoint.close()


def groups_step(checkpoint, amount=0.3, **more):
    names = tuple(e.name for e in checkpoint.entries.values() if e.prunable and len(e.shape) == 4)
    return Step((Row(names, "channel_groups", {"amount": amount, "multiple": "1"}),), **more)


def filters_step(amount=0.25):
    row = Row(("0.weight",), "ln_structured", {"amount": amount, "n": 2, "dim": 0})
    return Step((row,), dependents=True)


def commit(document, step):
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))


def recipe_with(checkpoint, trace):
    """Return the recipe of a step on the groups of a trace."""
    use_trace(checkpoint, trace)
    document = Document(checkpoint)
    commit(document, groups_step(checkpoint))
    return history_recipe(Capture.of(document), Job())


def apply(recipe, checkpoint):
    """Return the last state of a recipe, read from its text."""
    read = Recipe.from_text(recipe.text(), recipe.masks)
    fitted = fit(read, checkpoint, Job())
    assert fitted.problems == ()
    *_, last = replay_all(Snapshot(checkpoint), fitted, read.where, CpuKernel(), Job())
    return last.state, fitted


@pytest.mark.parametrize("make_step", [groups_step, lambda _: filters_step()])
def test_a_step_on_traced_groups_is_the_same_without_the_trace(opened, trace, make_step):
    checkpoint = opened()
    use_trace(checkpoint, trace)
    document = Document(checkpoint)
    commit(document, make_step(checkpoint))
    recipe = history_recipe(Capture.of(document), Job())
    assert json.loads(recipe.text())["traces"] == {trace.key: trace.text}
    other = opened()
    state, fitted = apply(recipe, other)
    assert dict(state.masks) == dict(document.masks)
    assert set(fitted.entries[0].names) <= set(document.masks)
    assert trace_of(other) is None, "the file that is open is not traced by a recipe"
    assert structure_of(state.checkpoint).is_traced, "an export of the result can be shrunk"
    assert history_recipe(Capture.of(document), Job()).sha256 == recipe.sha256


def test_each_step_uses_the_groups_that_it_was_made_with(opened, trace):
    checkpoint = opened()
    document = Document(checkpoint)
    commit(document, groups_step(checkpoint))
    of_blocks = set(document.masks)
    use_trace(checkpoint, trace)
    commit(document, groups_step(checkpoint))
    assert set(document.masks) > of_blocks
    recipe = history_recipe(Capture.of(document), Job())
    assert [e.configuration.trace for e in recipe.entries] == [NO_TRACE, trace.key]
    state, fitted = apply(recipe, opened())
    assert dict(state.masks) == dict(document.masks)
    assert {len(entry.names) for entry in fitted.entries} == {len(of_blocks), len(document.masks)}
    # Also where the model is traced already, as in the window, and by a script for torch.
    assert dict(apply(recipe, checkpoint)[0].masks) == dict(document.masks)
    script = script_of(checkpoint, recipe, CpuKernel(), Job())
    assert {name[2:] for name in script.masks if name.startswith("1.")} == of_blocks
    assert {name[2:] for name in script.masks if name.startswith("2.")} == set(document.masks)


def test_a_trace_is_used_at_once_for_a_step_that_was_computed_before(opened, trace):
    checkpoint = opened()
    snapshot, step = Snapshot(checkpoint), groups_step(checkpoint)
    before = compute_preview(snapshot, step, CpuKernel(), Job())
    use_trace(checkpoint, trace)
    after = compute_preview(snapshot, step, CpuKernel(), Job())
    assert set(after.masks) > set(before.masks)


def without_output(text):
    """Return another valid trace."""
    program = json.loads(json.dumps(Trace.read(text).program))
    program["graph_module"]["graph"]["outputs"] = []
    return Trace.of(program).text


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda traces, key: {}, "the trace is not known"),
        (lambda traces, key: {key: "eJw"}, "damaged"),
        (lambda traces, key: {key: Trace.of({"graph_module": {}}).text}, "come from is damaged"),
        (lambda traces, key: {key: without_output(traces[key])}, "not the one that was saved"),
        (lambda traces, key: {key: "ü"}, "damaged"),
    ],
)
def test_a_step_without_its_trace_is_a_problem(opened, trace, change, sentence):
    recipe = recipe_with(opened(), trace)
    recipe = replace(recipe, traces=change(recipe.traces, trace.key))
    (problem,) = fit(recipe, opened(), Job()).problems
    assert problem.place == "entries[0].configuration.trace"
    assert sentence in str(problem)


def test_a_trace_of_a_model_with_other_tensors_is_a_problem(opened, trace, path, tmp_path):
    recipe = recipe_with(opened(), trace)
    tensors = torch.load(path)
    for name, tensor, sentence in (
        (
            "0.weight",
            torch.zeros(8, 3, 3, 3),
            "'0.weight' has the shape [8, 3, 3, 3] instead of [16, 3, 3, 3]",
        ),
        ("1.bn1.weight", None, "'1.bn1.weight' is missing"),
    ):
        changed = {n: t for n, t in tensors.items() if n != name}
        torch.save(changed if tensor is None else {**changed, name: tensor}, tmp_path / "other.pt")
        with open_checkpoint(tmp_path / "other.pt") as other:
            problems = fit(recipe, other, Job()).problems
            assert any(sentence in str(problem) for problem in problems)


def test_traces_are_stored_and_restored(opened, trace, network):
    checkpoint = opened()
    older = trace_model(network, torch.zeros(1, 3, 12, 12))
    use_trace(checkpoint, older)
    use_trace(checkpoint, trace)
    stored = json.loads(json.dumps(stored_traces(checkpoint, 1 << 20)))
    other = opened()
    restore_traces(other, stored)
    assert trace_of(other).key == trace.key
    step = groups_step(other, trace=older.key)
    assert compute_preview(Snapshot(other), step, CpuKernel(), Job()).masks
    small = min(len(trace.text), len(older.text)) - 1
    assert stored_traces(checkpoint, small) == {}
    for damaged in ({"trace": 5, "other_traces": 7}, {"trace": "?", "other_traces": ["", 3]}):
        third = opened()
        restore_traces(third, damaged)
        assert trace_of(third) is None


def test_a_step_that_names_an_unknown_trace_is_refused(opened):
    checkpoint = opened()
    step = groups_step(checkpoint, trace="sha256:0")
    with pytest.raises(ParameterError, match="the trace is not known"):
        compute_preview(Snapshot(checkpoint), step, CpuKernel(), Job())
