"""Steps of every kind on two workers: limits, norms and biases, dependents, schedules, formats."""

from __future__ import annotations

import json
import pickle
from itertools import pairwise

import numpy as np
import pytest
from distributed import get_worker
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.cluster import masks, steps, tasks
from pruneapp.cluster.connection import Cluster, Work
from pruneapp.cluster.masks import CutRule, MethodCall, ModelSource, RuleMask, StatePart, digest_of
from pruneapp.cluster.steps import ClusterState, apply_step
from pruneapp.cluster.tasks import Piece, Unit
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import ClusterError, FileChangedError, ParameterError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.kernel import Share
from pruneapp.kernels.threshold import Bracket
from pruneapp.masks import scratch
from pruneapp.methods.limits import Limits
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.recipes.recipe import Recipe
from tests.cluster.workers import compare, recipe_of_steps
from tests.support.scratch_files import assert_none_open, limit_memory

WEIGHTS = ("conv1.weight", "conv2.weight", "fc1.weight", "fc2.weight")
CONVOLUTIONS = WEIGHTS[:2]


def row(method: str, names: tuple[str, ...] = WEIGHTS, **values: object) -> Row:
    return Row(names, method, values)


STEPS = {
    "a count": (Step((row("l1_unstructured", amount=300),), "global"),),
    "every weight": (Step((row("l1_unstructured", amount=1.0),), "global"),),
    "nothing": (Step((row("l1_unstructured", amount=0),), "global"),),
    "bounds of a global step": (
        Step((row("l1_unstructured", amount=0.5),), "global", Limits(0.3, 0.55)),
    ),
    "a total": (
        Step((row("l1_unstructured", amount=0.1),), "global", Limits(target_sparsity=0.4)),
        Step((row("l1_unstructured", amount=0.1),), "local", Limits(0.2, target_sparsity=0.6)),
    ),
    "rows of limits": (
        Step((row("l1_per_row", amount=0.1),), "local", Limits(target_sparsity=0.4)),
        Step((row("l1_per_row", amount=0.5),), "local", Limits(max_sparsity=0.6)),
        Step((row("l1_per_row", amount=40),)),
    ),
    "channels of limits": (
        Step((row("ln_structured", amount=0.2, n=2, dim=0),), "local", Limits(target_sparsity=0.4)),
        Step((row("ln_structured", amount=1, n=1, dim=0),), "local", Limits(max_sparsity=0.9)),
    ),
    "lamp in bounds": (
        Step((row("lamp", amount=0.5),), "global", Limits(min_sparsity=0.1, max_sparsity=0.7)),
    ),
    "ties of normalized scores, after rows": (
        Step((row("n_m"),)),
        Step((row("l1_normalized", amount=0.3),), "global"),
        Step((row("random_unstructured", amount=0.3, seed=3),), "local"),
        Step((row("l1_unstructured", amount=0.2),), "global"),
    ),
    "cuts that are joined, some at one key": (
        *(Step((row("l1_unstructured", amount=150),), "global") for _ in range(3)),
        Step((row("l1_unstructured", amount=0.1),), "global"),
        Step((row("random_unstructured", amount=0.2, seed=1),), "global"),
        Step((row("random_unstructured", amount=0.2, seed=1),), "global"),
        Step((row("random_unstructured", amount=0.2, seed=2),), "global"),
    ),
    "several rules": (
        Step((
            row("l1_unstructured", amount=0.5),
            row("ln_structured", CONVOLUTIONS, amount=0.25, n=2, dim=0),
            row("identity", ("fc2.weight",)),
        )),
    ),
    "companions": (
        Step(
            (row("ln_structured", CONVOLUTIONS, amount=0.5, n=2, dim=0),), prune_bias_and_norm=True
        ),
        Step((row("bn_scale", CONVOLUTIONS, amount=0.5),), "global", prune_bias_and_norm=True),
    ),
    "a mask of ones": (Step((row("identity"),)),),
}  # fmt: skip


@pytest.fixture
def small(monkeypatch):
    """Use units so small that every tensor is split."""
    monkeypatch.setattr(steps, "UNIT_BYTES", 4000)
    monkeypatch.setattr(steps, "FEW", 100)


@pytest.mark.parametrize("name", STEPS)
def test_a_step(name, pair, network, tmp_path, small):
    compare(pair, network, recipe_of_steps(*STEPS[name]), tmp_path)


@pytest.mark.parametrize("name", ["ties of normalized scores, after rows", "companions"])
def test_masks_that_memory_has_no_room_for(name, pair, network, tmp_path, small, monkeypatch):
    """Also on workers: masks are stored in unnamed files."""
    limit_memory(monkeypatch, 100)
    monkeypatch.setattr(masks, "_STRETCH", 64)
    made = []
    bits = scratch.bits
    monkeypatch.setattr(
        scratch, "bits", lambda *a, **more: made.append(bits(*a, **more)) or made[-1]
    )

    compare(pair, network, recipe_of_steps(*STEPS[name]), tmp_path)

    assert any(scratch.is_mapped(packed) for packed in made)
    made.clear()
    masks._cache.clear()
    assert_none_open()


def test_dependents(pair, llama, tmp_path, small):
    down = tuple(f"model.layers.{n}.mlp.up_proj.weight" for n in (1, 3))
    made = Step((row("ln_structured", down, amount=0.5, n=2, dim=0),), dependents=True)

    report = compare(pair, llama, recipe_of_steps(made), tmp_path)

    pruned = {tensor.name for tensor in report.tensors if tensor.pruned}
    assert pruned == {
        f"model.layers.{n}.mlp.{of}_proj.weight" for n in (1, 3) for of in ("gate", "up", "down")
    }


def test_a_schedule(pair, network, tmp_path, small):
    step = Step((row("l1_unstructured", amount=0.5),), "global").to_dict()
    entry = {"name": "schedule", "configuration": {"step": step, "final": 0.8, "steps": 4}}
    text = f"""{{"format": "pruneapp-recipe", "version": 1, "entries": [{json.dumps(entry)}]}}"""

    compare(pair, network, Recipe.from_text(text), tmp_path)


@pytest.mark.parametrize("params", [{"dtype": "bfloat16"}, {"max_shard_size": 8000}], ids=str)
def test_parameters_of_the_format(params, pair, network, tmp_path):
    compare(pair, network, recipe_of_steps(*STEPS["a count"]), tmp_path, **params)


def test_a_sample_and_what_is_held_find_the_same_cut(pair, tmp_path, monkeypatch):
    from safetensors.numpy import save_file

    rng = np.random.default_rng(1)
    tensors = {f"w{i}": rng.normal(size=(300, 500)).astype(np.float32) for i in range(4)}
    save_file(tensors, tmp_path / "m.safetensors")
    passes = []
    pass_over = steps._Search._pass_over
    monkeypatch.setattr(steps, "UNIT_BYTES", 1 << 18)
    monkeypatch.setattr(
        steps._Search, "_pass_over", lambda *args: passes.append(1) or pass_over(*args)
    )
    names = tuple(tensors)
    for held in (16 << 20, 0):  # 0: nothing is cached, every pass reads
        monkeypatch.setattr(steps, "_MOST_HELD", held)
        made = Step((row("l1_unstructured", names, amount=0.37),), "global")
        with open_checkpoint(tmp_path / "m.safetensors") as checkpoint:
            state = apply_step(ClusterState(pair, checkpoint), made, Job())
            right = compute_preview(Snapshot(checkpoint), made, CpuKernel(), Job(), norms=False)
            for name in names:
                part = state.part([name])
                assert part.snapshot(Job()).masks[name] == right.masks[name]
                assert state.known[name].kept == right.masks[name].kept
    assert len(passes) >= 4


@settings(suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_units_of_any_size_in_any_order_done_twice_give_the_same_shares(data, network):
    with open_checkpoint(network) as checkpoint:
        model = ModelSource.of(checkpoint)
        sizes = {name: checkpoint.entries[name].numel for name in CONVOLUTIONS}
        call = MethodCall.of(row("l1_unstructured", amount=0.5))
        pieces = []
        for name, size in sizes.items():
            cuts = data.draw(st.sets(st.integers(1, size // 8 - 1), max_size=4))
            ends = [0, *(8 * cut for cut in sorted(cuts)), size]
            pieces += [Piece(name, a, b) for a, b in pairwise(ends)]
        pieces = data.draw(st.permutations(pieces))
        key = data.draw(st.sampled_from([0x3F000000, 0x3E000000, 0, 0x7F800000]))
        room = data.draw(st.sampled_from([0, 1 << 20]))
        bracket = Bracket.of(max(0, key - (1 << 20)), key + (1 << 20), 1 << 10)
        below = {name: np.zeros(2, np.int64) for name in sizes}
        counts = np.zeros(bracket.bins, np.int64)
        at = 0
        while at < len(pieces):
            many = data.draw(st.integers(1, len(pieces) - at))
            some = tuple(pieces[at : at + many])
            at += many
            unit = Unit(StatePart(model), call, 32, some)
            for _ in range(data.draw(st.integers(1, 2))):  # a lost task runs again
                done = tasks.count_unit(unit, bracket, room, [])
                found = tasks.shares_of_unit(unit, key, done, [])
            counts += tasks.counts_of_pass(done)[1]
            for piece, pair_ in zip(some, found, strict=True):
                below[piece.name] += pair_
        bits = {name: np.abs(load(checkpoint, name)).view(np.uint32) for name in sizes}
        for name, keys in bits.items():
            assert below[name].tolist() == [(keys < key).sum(), (keys == key).sum()]
        every = np.concatenate(list(bits.values()))
        inside = every[(every >= bracket.low) & (every <= bracket.high)] - np.uint32(bracket.low)
        right = np.bincount(inside >> bracket.shift, minlength=bracket.bins)
        assert counts.tolist() == right.tolist()


def load(checkpoint, name):
    return checkpoint.bits(name).view(np.float32)


def test_what_travels_is_small(pair, network, llama):
    """Rules for ten thousand tensors need less than a megabyte, and a mask a few hundred bytes."""
    call = MethodCall.of(row("l1_unstructured", amount=0.5))
    model = ModelSource(network, None, ())
    rules = {
        f"model.layers.{n}.mlp.down_proj.weight": (
            CutRule(call, 32, 1065353216 + n, Share(10**9 + 7 * n, n % 11, n % 3)),
        )
        for n in range(10_000)
    }
    assert len(pickle.dumps(StatePart(model, rules, dict.fromkeys(rules, 123456789)))) < 1e6
    assert len(pickle.dumps(StatePart(model, dict([next(iter(rules.items()))])))) < 2000


def test_a_mask_of_rules_has_no_bits_on_the_client(pair, network):
    with open_checkpoint(network) as checkpoint:
        made = Step((row("l1_unstructured", amount=0.5),), "global")
        state = apply_step(ClusterState(pair, checkpoint), made, Job())
        mask = state.snapshot.masks["fc1.weight"]
        assert isinstance(mask, RuleMask)
        assert 0 < mask.kept < mask.size
        with pytest.raises(AssertionError, match="no file is read"):
            mask.bools()
        assert len(digest_of(mask.rules)) == 32


def here() -> str:
    return get_worker().address


def test_work_on_a_file_goes_to_the_worker_that_has_its_masks(pair, network):
    went = [pair.run([Work(here, (), file=file)], Job())[0] for file in (0, 1, 0, 1, 2, 0)]
    zero, one = sorted(set(went))
    assert went == [zero, one, zero, one, zero, zero]
    with open_checkpoint(network) as checkpoint:
        state = ClusterState(pair, checkpoint)
        files = [state.file(name) for name in ("conv1.weight", "bn2.bias", "fc2.weight")]
    assert files == [0, 1, 2]


def test_a_model_of_fewer_files_than_workers_leaves_none_without_work(pair, tmp_path):
    save_file({"a": np.ones(4, np.float32)}, tmp_path / "one.safetensors")
    with open_checkpoint(tmp_path / "one.safetensors") as checkpoint:
        assert ClusterState(pair, checkpoint).file("a") is None


def test_a_worker_that_cannot_see_the_path_says_so(pair, network, tmp_path):
    with open_checkpoint(network) as checkpoint:
        state = ClusterState(pair, checkpoint)
        source = state.model
        state.model = ModelSource(tmp_path / "gone", None, source.files)
        made = Step((row("l1_unstructured", amount=0.5),), "global")
        with pytest.raises(ClusterError, match=r"On the worker inproc://\S+: '\S+gone' cannot"):
            apply_step(state, made, Job())


def test_a_worker_that_sees_another_file_says_so(pair, network):
    with open_checkpoint(network) as checkpoint:
        state = ClusterState(pair, checkpoint)
        first, *rest = state.model.files
        other = type(first)(first.path, first.size, first.mtime_ns + 1)
        state.model = ModelSource(network, None, (other, *rest))
        made = Step((row("l1_unstructured", amount=0.5),), "global")
        with pytest.raises(FileChangedError, match=r"On the worker \S+: '\S+' is a different file"):
            apply_step(state, made, Job())


@pytest.mark.parametrize("at", [0, 1, 2])
def test_other_versions_are_refused_with_both(at, pair, monkeypatch):
    versions = ["9.9.9", "9.9.9", "9.9"]
    mine = pair.client.run(lambda: None)
    asked = type(pair.client).run

    def run(client, function, *args, **more):
        found = asked(client, function, *args, **more)
        return {w: (*its[:at], versions[at], *its[at + 1 :]) for w, its in found.items()}

    monkeypatch.setattr(type(pair.client), "run", run)
    with pytest.raises(
        ClusterError, match=r"has (Pruneapp|numpy|Python) 9\.9\S*, but this machine"
    ):
        Cluster(pair.client, "x")
    assert mine


def test_a_worker_without_pruneapp_is_refused(pair, monkeypatch):
    monkeypatch.setattr(type(pair.client), "run", lambda *_: {"tcp://w:1": ("", "1", "3.11")})
    with pytest.raises(ClusterError, match="Pruneapp is not installed on the worker tcp://w:1"):
        Cluster(pair.client, "x")


def test_an_amount_that_is_too_large_is_the_error_of_one_machine(pair, network):
    made = Step((row("l1_unstructured", amount=10**6),), "global")
    with open_checkpoint(network) as checkpoint, pytest.raises(ParameterError) as local:
        compute_preview(Snapshot(checkpoint), made, CpuKernel(), Job())
    with open_checkpoint(network) as checkpoint, pytest.raises(ParameterError) as remote:
        apply_step(ClusterState(pair, checkpoint), made, Job())
    assert str(local.value) == str(remote.value)
