"""Repairs of states: every kind of layer, unchanged weights, reports, and exports."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Capture, Document
from pruneapp.document.step import Row, Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.errors import ParameterError, SelectionError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from pruneapp.recipes import recipe as recipe_files
from pruneapp.recipes.fit import fit
from pruneapp.recipes.recipe import history_recipe
from pruneapp.recipes.replay import replay
from pruneapp.repair.repair import compute_repair, inputs_in, pruned_layers
from pruneapp.statistics.file import open_statistics
from tests.repair.layers import InputArrays, mixed
from tests.support.document_edits import make_permanent, redo, treat_zeros, undo

RNG = np.random.default_rng(1)
FC, BIAS = "fc.weight", "fc.bias"


@pytest.fixture
def opened(tmp_path):
    """Provide a function that opens tensors as a document."""
    documents = []

    def make(**tensors):
        path = tmp_path / f"model{len(documents)}.safetensors"
        save_file({k.replace("__", "."): v for k, v in tensors.items()}, path)
        documents.append(Document(open_checkpoint(path)))
        return documents[-1]

    yield make
    for document in documents:
        document.close()
        document.checkpoint.close()


def prune(document, *names, amount=0.6):
    step = Step((Row(names, "l1_unstructured", {"amount": amount}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))


def values(snapshot, name):
    """Return the exported values of a tensor, in float32."""
    zeroed = snapshot.export_mask(name)
    found = snapshot.bits(name).view(np.float32)
    found = found if zeroed is None else found * zeroed.bools()
    return found.reshape(snapshot.entry(name).shape)


def repair(document, statistics, **more):
    outcome = compute_repair(document.snapshot(), statistics, Job(), **more)
    document.commit(outcome)
    return outcome


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def share(change, outputs):
    return np.square(change).sum() / np.square(outputs).sum()


def test_a_linear_layer_with_its_bias(opened):
    """The errors are those of its outputs; pruned weights keep their values under the mask."""
    weight, bias, inputs = normal(20, 30), normal(20), mixed(0, 500, 30, offset=2.0)
    document = opened(fc__weight=weight, fc__bias=bias)
    prune(document, FC)
    before = document.snapshot()
    outcome = repair(document, InputArrays({FC: inputs}))
    after = document.snapshot()

    (layer,) = outcome.layers
    outputs = inputs @ weight.T
    new = values(after, FC), values(after, BIAS)
    assert layer.before == pytest.approx(share(inputs @ (weight - values(before, FC)).T, outputs))
    change = inputs @ (weight - new[0]).T + bias - new[1]
    assert layer.rounded == pytest.approx(share(change, outputs), rel=1e-3)
    assert layer.rounded < 0.3 * layer.before
    assert (layer.moved, layer.left, layer.bias) == (240, 240, BIAS)
    pruned = ~after.masks[FC].bools()
    assert np.array_equal(new[0].ravel() == 0, pruned)
    assert np.array_equal(after.bits(FC)[pruned], before.bits(FC)[pruned])


def test_a_row_that_is_not_finite_stays_to_the_bit_and_counts_as_such(opened):
    weight = normal(20, 30)
    weight.view(np.uint32)[3, 4] = 0x7FC12345  # a NaN with payload
    document = opened(fc__weight=weight)
    prune(document, FC)
    (layer,) = repair(document, InputArrays({FC: mixed(0, 99, 30)})).layers
    after = document.snapshot()
    kept = after.masks[FC].bools().reshape(20, 30)
    assert layer.moved == kept.sum() - kept[3].sum()
    assert np.array_equal(after.bits(FC).reshape(20, 30)[3], weight.view(np.uint32)[3])


def test_undo_drops_the_values_and_redo_brings_them_back(opened):
    """Nothing else references them: not the caches, nor the history once the step is deleted."""
    document = opened(fc__weight=normal(20, 30))
    prune(document, FC)
    before = document.snapshot().bits(FC)
    repair(document, InputArrays({FC: mixed(0, 99, 30)}))
    held = weakref.ref(document.snapshot().values[FC])
    assert document.items[-1].label == "Repair of fc"
    assert document.unexported
    undo(document)
    assert np.array_equal(document.snapshot().bits(FC), before)
    assert not document.snapshot().replaces(FC)
    redo(document)
    assert not np.array_equal(document.snapshot().bits(FC), before)
    undo(document)
    document.delete(document.position + 1)
    prune(document, FC, amount=1)
    gc.collect()
    assert held() is None


def test_what_is_pruned_or_protected_or_permanently_zero_stays(opened):
    weight = normal(12, 16)
    document = opened(fc__weight=weight)
    prune(document, FC, amount=0.3)
    make_permanent(document, [FC])
    guard = ManualEdit("protect", (ManualTarget(FC, (((0, 12), (0, 5)),)),))
    document.commit(compute_manual_edit(document.snapshot(), guard, Job()))
    prune(document, FC, amount=0.3)
    before = values(document.snapshot(), FC)
    outcome = repair(document, InputArrays({FC: mixed(2, 300, 16)}))

    after = values(document.snapshot(), FC)
    stays = (before == 0) | document.snapshot().protected[FC].bools().reshape(12, 16)
    assert np.array_equal(after[stays], before[stays])
    assert outcome.layers[0].moved == (~stays).sum()
    assert outcome.layers[0].rounded < outcome.layers[0].before


@pytest.mark.parametrize("groups", [1, 3])
def test_a_convolution(opened, groups):
    """Unfolded, with a matrix per group; the running mean of the next norm is adjusted."""
    weight, mean, rest = normal(6, 4, 3, 3), normal(6), normal(6)
    pictures = torch.from_numpy(mixed(3, 50, 4 * groups * 36, offset=1.0).astype(np.float32))
    pictures = pictures.reshape(50, 4 * groups, 6, 6)
    unfolded = torch.nn.functional.unfold(pictures, 3).numpy()  # pictures, inputs, positions
    inputs = unfolded.reshape(50, groups, 36, -1).transpose(1, 0, 3, 2).reshape(groups, -1, 36)
    document = opened(
        conv1__weight=weight, bn1__weight=rest, bn1__bias=rest, bn1__running_mean=mean
    )
    prune(document, "conv1.weight")
    outcome = repair(document, InputArrays({"conv1.weight": inputs}))

    def outputs(snapshot):
        kernel = torch.from_numpy(values(snapshot, "conv1.weight"))
        shift = torch.from_numpy(values(snapshot, "bn1.running_mean"))[:, None, None]
        return (torch.conv2d(pictures, kernel, groups=groups) - shift).numpy()

    whole = outputs(document.state_at(0).load(Job()))
    error = [np.square(outputs(document.state_at(i).load(Job())) - whole).sum() for i in (1, 2)]
    (layer,) = outcome.layers
    assert layer.bias == "bn1.running_mean"
    assert layer.rounded / layer.before == pytest.approx(error[1] / error[0], rel=1e-3)
    assert error[1] < error[0]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("groups", [1, 2])
def test_the_variance_of_a_norm_changes_with_that_of_the_outputs(opened, bias, groups):
    """By its ratio, as if a tenth of the variance came from unseen inputs."""
    weight, usual = normal(8, 3, 2, 2), RNG.uniform(1, 9, 8).astype(np.float32)
    weight[3] = 0  # an output of zeros has no ratio
    rest = {f"bn1__{n}": normal(8) for n in ("weight", "bias", "running_mean")}
    more = {"conv1__bias": normal(8)} if bias else {}
    inputs = np.stack([mixed(i, 300, 12, offset=1.0) for i in range(groups)])
    document = opened(conv1__weight=weight, bn1__running_var=usual, **rest, **more)
    prune(document, "conv1.weight")
    snapshot, known = document.snapshot(), InputArrays({"conv1.weight": inputs})
    assert (
        "bn1.running_var"
        not in compute_repair(snapshot, known, Job(), norms=False).edit.after["values"]
    )
    outcome = repair(document, known)
    assert outcome.edit.entry["configuration"]["source"]["norms"] is True
    assert [layer.variance for layer in outcome.layers] == ["bn1.running_var"]

    new = values(document.snapshot(), "conv1.weight").reshape(groups, -1, 12)
    before, after = (
        np.concatenate([(x @ w.T).var(axis=0) for x, w in zip(inputs, part, strict=True)])
        for part in (weight.reshape(groups, -1, 12), new)
    )
    expected = usual * (after + 0.1 * usual) / (before + 0.1 * usual)
    assert values(document.snapshot(), "bn1.running_var") == pytest.approx(expected, rel=1e-3)
    assert expected[3] == usual[3]
    assert (expected < usual).any()


def test_experts_and_layers_that_are_stored_the_other_way_round(opened):
    """GPT-2 stores inputs by outputs; fused experts are a stack."""
    stack, turned = normal(3, 8, 10), normal(10, 14)
    inputs = {"experts.up": np.stack([mixed(i, 99, 10) for i in range(3)])}
    inputs["c_fc.weight"] = mixed(5, 99, 10)
    document = opened(experts__up=stack, c_fc__weight=turned)
    prune(document, *inputs)
    outcome = repair(document, InputArrays(inputs, ["c_fc.weight"]))

    after = document.snapshot()
    for layer, weight in zip(outcome.layers, (turned.T[None], stack), strict=True):
        new = values(after, layer.name)
        new = new.T[None] if layer.name == "c_fc.weight" else new
        known = np.broadcast_to(inputs[layer.name], (len(weight), 99, 10))
        change = known @ (weight - new).swapaxes(1, 2)
        expected = share(change, known @ weight.swapaxes(1, 2))
        assert layer.rounded == pytest.approx(expected, rel=1e-3)
        assert layer.rounded < layer.before


def test_another_model_may_say_what_is_wanted(opened):
    """The model before pruning, if the file contains only zeros."""
    weight = normal(10, 12)
    original = opened(fc__weight=weight, fc__bias=normal(10))
    small = weight * (np.abs(weight) > 0.7)
    document = opened(fc__weight=small, fc__bias=values(original.snapshot(), BIAS))
    treat_zeros(document, [FC])
    outcome = repair(document, InputArrays({FC: mixed(4, 200, 12)}), wanted=original.checkpoint)

    assert outcome.layers[0].before > 0.01
    assert outcome.layers[0].rounded < outcome.layers[0].before
    after = values(document.snapshot(), FC)
    assert np.array_equal(after == 0, small == 0)
    source = outcome.edit.entry["configuration"]["source"]
    assert len(source["against"]) == 1


def test_a_recipe_names_the_values_and_does_it_again(opened, tmp_path):
    """By their SHA-256, in a folder next to it; other values are refused."""
    weight = normal(10, 12)
    document = opened(fc__weight=weight, fc__bias=normal(10))
    prune(document, FC)
    repair(document, InputArrays({FC: mixed(4, 200, 12, offset=1.0)}))
    recipe = history_recipe(Capture.of(document), Job())
    written = recipe_files.save(recipe, tmp_path / "my.recipe.json", Job())
    assert [path.parent.name for path in written] == ["my.values", "my.values", tmp_path.name]
    again = recipe_files.load(tmp_path / "my.recipe.json", Job())
    assert again.canonical() == recipe.canonical()

    snapshot = document.state_at(0).load(Job())
    actions = fit(again, document.checkpoint, Job()).actions("it")
    *_, last = replay(snapshot, actions, CpuKernel(), Job())
    now = document.snapshot()
    for name in (FC, BIAS):
        assert np.array_equal(last.state.bits(name), now.bits(name))
    written[0].write_bytes(bytes(written[0].stat().st_size))
    spoiled = recipe_files.load(tmp_path / "my.recipe.json", Job())
    (problem,) = fit(spoiled, document.checkpoint, Job()).problems
    assert "are not those that were saved under this name" in problem.sentence
    written[0].unlink()
    missing = recipe_files.load(tmp_path / "my.recipe.json", Job())
    (problem,) = fit(missing, document.checkpoint, Job()).problems
    assert "are missing" in problem.sentence


def test_statistics_come_from_a_file(opened, tmp_path):
    """The values are the same as from memory; the recipe names the file."""
    arrays = InputArrays(
        {FC: mixed(4, 200, 12, offset=1.0), "c.weight": mixed(5, 99, 12)}, ["c.weight"]
    )
    document = opened(fc__weight=normal(10, 12), fc__bias=normal(10), c__weight=normal(12, 5))
    prune(document, FC, "c.weight")
    state = document.snapshot()
    expected = compute_repair(state, arrays, Job())
    with open_statistics(arrays.save(tmp_path / "stats.safetensors")) as file:
        found = compute_repair(state, inputs_in(file), Job(), statistics=file.sha256)
        sha256 = file.sha256
    assert found.layers == expected.layers
    assert len(found.layers) == 2
    said = [outcome.edit.entry["configuration"] for outcome in (found, expected)]
    assert said[0]["tensors"] == said[1]["tensors"]
    assert said[0]["source"]["statistics"] == sha256
    with open_statistics(arrays.save(tmp_path / "some.safetensors", [FC])) as file:
        assert compute_repair(state, inputs_in(file), Job()).unknown == ("c.weight",)
    with (
        open_statistics(arrays.save(tmp_path / "none.safetensors", [])) as file,
        pytest.raises(ParameterError, match="has no Gram matrices"),
    ):
        inputs_in(file)


def test_what_cannot_be_repaired_is_said(opened):
    document = opened(fc__weight=normal(10, 12), head__weight=normal(4, 10))
    known = InputArrays({FC: mixed(4, 50, 12)})
    with pytest.raises(SelectionError, match="Nothing is pruned in these layers"):
        repair(document, known)
    prune(document, FC, "head.weight")
    assert compute_repair(document.snapshot(), known, Job()).unknown == ("head.weight",)
    with pytest.raises(SelectionError, match="Nothing is known about the inputs"):
        repair(document, known, names=["head.weight"])
    with pytest.raises(ParameterError, match=r"do not fit 'fc.weight'.*\[10, 12\].*of 7 inputs"):
        repair(document, InputArrays({FC: mixed(4, 50, 7)}))
    with pytest.raises(ParameterError, match=r"do not fit 'fc\.weight': they are not finite"):
        repair(document, InputArrays({FC: np.full((5, 12), np.inf)}))
    with pytest.raises(ParameterError, match="'iterations' must be at least 1"):
        repair(document, known, iterations=0)
    with pytest.raises(ParameterError, match="'damping' must be a positive number"):
        repair(document, known, damping=float("nan"))


def test_the_label_counts_the_layers_that_changed(opened):
    """Regression: "Repair of 2 layers", of which one had whole rows pruned and did not change."""
    document = opened(fc__weight=normal(10, 12), head__weight=normal(4, 10))
    prune(document, FC)
    rows = {"amount": 0.5, "n": 2.0, "dim": 0}
    step = Step((Row(("head.weight",), "ln_structured", rows),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    inputs = {FC: mixed(4, 50, 12), "head.weight": mixed(5, 50, 10)}
    outcome = repair(document, InputArrays(inputs))
    assert [layer.is_changed for layer in outcome.layers] == [True, False]
    assert document.items[-1].label == "Repair of fc"
    assert set(document.snapshot().values) == {FC}
    with pytest.raises(SelectionError, match="new values would not reduce the errors"):
        compute_repair(document.snapshot(), InputArrays(inputs), Job(), names=["head.weight"])


FIRST_THREE = np.arange(10) < 3


@pytest.mark.parametrize(
    ("tensors", "dim", "pruned", "only_outputs"),
    [
        ({FC: (10, 12)}, 0, (), True),
        ({FC: (10, 12)}, 1, (), False),
        ({FC: (10, 12), BIAS: (10,)}, 0, (), False),  # the bias replaces the mean of the outputs
        ({FC: (10, 12), BIAS: (10,)}, 0, (BIAS,), True),
        ({FC: (10, 12), BIAS: (12,)}, 0, (), False),  # as in GPT-2: dim 0 are the inputs
        ({FC: (10, 10)}, 0, (), True),
    ],
)
def test_layers_with_only_whole_outputs_pruned_are_known_before_the_repair(
    opened, tensors, dim, pruned, only_outputs
):
    document = opened(**{name: normal(*shape) for name, shape in tensors.items()})
    shape = tensors[FC]
    rows = (np.arange(shape[dim]) < 3).reshape((-1, 1) if dim == 0 else (1, -1))
    masks = {FC: BitMask.from_bools(~np.broadcast_to(rows, shape).ravel())}
    masks |= {name: BitMask.from_bools(~FIRST_THREE) for name in pruned}
    state = document.snapshot().with_masks({"masks": masks})
    (layer,) = pruned_layers(state, Job())
    assert layer.only_outputs == only_outputs
    if only_outputs:
        with pytest.raises(SelectionError, match="new values would not reduce"):
            compute_repair(state, InputArrays({FC: mixed(4, 50, shape[1], offset=1.0)}), Job())


@pytest.mark.parametrize("with_norm", [True, False])
def test_outputs_that_the_norm_does_not_use_cannot_be_replaced(opened, with_norm):
    """Otherwise its running variance is scaled."""
    norm = {leaf: normal(10) ** 2 + 1 for leaf in ("weight", "bias", "running_mean", "running_var")}
    tensors = {f"bn1.{leaf}": values for leaf, values in norm.items()}
    document = opened(**{"conv1.weight": normal(10, 4, 3, 3)}, **tensors)
    rows = np.broadcast_to(FIRST_THREE.reshape(-1, 1), (10, 36))
    masks = {"conv1.weight": BitMask.from_bools(~rows.ravel())}
    if with_norm:
        parts = "bn1.weight", "bn1.bias"
        masks |= {name: BitMask.from_bools(~FIRST_THREE) for name in parts}
    state = document.snapshot().with_masks({"masks": masks})
    (layer,) = pruned_layers(state, Job())
    assert layer.only_outputs == with_norm


def test_what_is_0_in_the_unpruned_model_as_well_needs_no_repair(opened):
    weight = normal(10, 12)
    document = opened(fc__weight=weight * (np.abs(weight) > 0.7))
    treat_zeros(document, [FC])
    with pytest.raises(SelectionError, match="are 0 in the unpruned model as well"):
        repair(document, InputArrays({FC: mixed(4, 50, 12)}))


def test_it_can_be_cancelled_and_reports_layer_by_layer(opened):
    document = opened(fc__weight=normal(10, 12), head__weight=normal(4, 10))
    prune(document, FC, "head.weight")
    known = InputArrays({FC: mixed(4, 50, 12), "head.weight": mixed(5, 50, 10)})
    seen, token = [], CancelToken()

    class Bar:
        def report(self, done, total, label):
            seen.append((done, total, label))

    compute_repair(document.snapshot(), known, Job(Bar()))
    assert seen[-1][0] == seen[-1][1]
    assert list(dict.fromkeys(label for *_, label in seen)) == [FC, "head.weight"]

    class Stopper:
        def report(self, _done, _total, label):
            if label == "head.weight":  # the values of the other are now in a file
                token.cancel()

    with pytest.raises(Cancelled):
        compute_repair(document.snapshot(), known, Job(Stopper(), token))


@pytest.mark.parametrize("budget", [0, 1 << 30])
def test_values_are_put_aside_as_masks_are(opened, tmp_path, budget):
    """Beyond the budget they are in the scratch file; past states have their own."""
    weight = normal(10, 12)
    save_file({FC: weight}, tmp_path / "m.safetensors")
    with open_checkpoint(tmp_path / "m.safetensors") as checkpoint:
        document = Document(checkpoint, budget=budget, scratch=tmp_path)
        prune(document, FC)
        repair(document, InputArrays({FC: mixed(4, 50, 12)}))
        repaired = document.snapshot().bits(FC)
        repair(document, InputArrays({FC: mixed(9, 50, 12)}))
        again = document.snapshot().bits(FC)
        document.jump(0)
        assert np.array_equal(document.state_at(2).load(Job()).bits(FC), repaired)
        document.jump(3)
        assert np.array_equal(document.snapshot().bits(FC), again)
        assert not np.array_equal(repaired, again)
        document.close()
