"""Limits are exact for every method, and contradictions are explained."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pruneapp.analysis import histogram_store
from pruneapp.document.document import Document
from pruneapp.document.selection import excluded_tensors, rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError, SelectionError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.sort_keys import Uniform
from pruneapp.masks.bitmask import MaskLayers
from pruneapp.methods.limits import LIMITS, Limits
from pruneapp.preview.estimate import estimate
from pruneapp.preview.preview import compute_preview, state_after
from pruneapp.progress import Job
from tests.support.memory_checkpoint import MemoryCheckpoint
from tests.support.snapshot_strategies import bools_of, eligible_of, snapshots, values_of

amounts = st.one_of(st.floats(0, 1), st.integers(0, 20))
shares = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 0.9, 1.0])


@st.composite
def limits(draw):
    floor, ceiling = sorted([draw(shares), draw(shares)])
    if draw(st.booleans()):
        floor, ceiling = 0.0, 1.0
    return Limits(floor, ceiling, draw(st.none() | amounts))


def masks_after(snapshot, step):
    return compute_preview(snapshot, step, CpuKernel(), Job(), norms=False).masks


def sizes_of(snapshot, names):
    return np.array([snapshot.entry(name).numel for name in names])


def pruned_tensors(masks, names):
    return np.array([masks[name].pruned for name in names])


def pruned_of(snapshot, names):
    return np.array([snapshot.masks.pruned(name) for name in names])


def least_and_most(bound, sizes):
    """Return the minimum and the maximum of each tensor in whole weights."""
    most = np.floor(np.round(bound.max_sparsity * sizes, 6))
    return np.minimum(np.ceil(np.round(bound.min_sparsity * sizes, 6)), most), most


def check_bounds(snapshot, names, after, bound):
    """Assert that every tensor is within its limits, or unchanged."""
    sizes, before = sizes_of(snapshot, names), pruned_of(snapshot, names)
    least, most = least_and_most(bound, sizes)
    assert (after <= np.maximum(most, before)).all()
    assert (after >= least).all()


def target_of(snapshot, names, bound, amount):
    """Return the number of pruned weights that an amount or a total means in all tensors.

    A fraction from the minimum to the maximum is limited to those after rounding in each tensor.
    """
    sizes, before = sizes_of(snapshot, names), pruned_of(snapshot, names)
    least, most = least_and_most(bound, sizes)
    size, start = int(sizes.sum()), int(before.sum())
    total = bound.target_sparsity
    share, start, of = (amount, start, size - start) if total is None else (total, 0, size)
    if not isinstance(share, float):
        return start + share
    exact, target = start + share * of, start + round(share * of)
    if exact <= (bound.max_sparsity + 1e-9) * size:
        target = min(target, int(np.maximum(most, before).sum()))
    if exact >= (bound.min_sparsity - 1e-9) * size:
        target = max(target, int(least.sum()))
    return target


def keys_of(snapshot, name, method):
    if method == "l1_unstructured":
        values = np.abs(values_of(snapshot, name))
        return np.where(np.isnan(values), np.inf, values), np.isnan(values)
    ranking = Uniform(0, name, snapshot.entry(name).numel)
    drawn = np.concatenate([c.keys.copy() for c in ranking.keys()])  # noqa: SIM118 - no dict
    return drawn.astype(np.float64), np.zeros(drawn.size, np.bool_)


def first_of_each(snapshot, names, method):
    """Return the prunable weights of each tensor, lowest first, and the global order."""
    orders, everything = [], []
    for i, name in enumerate(names):
        keys, nan = keys_of(snapshot, name, method)
        there = np.flatnonzero(eligible_of(snapshot, name))
        order = there[np.lexsort((there, keys[there], nan[there]))]
        orders.append(order)
        everything += [(nan[k], keys[k], i, k) for k in order]
    return orders, [i for *_, i, _ in sorted(everything)]


@pytest.mark.parametrize("method", ["l1_unstructured", "random_unstructured"])
@given(data=st.data(), state=snapshots(), bound=limits(), amount=amounts)
def test_one_threshold_is_clamped_in_each_tensor(method, data, state, bound, amount):
    """The reference moves the threshold until the clamped counts have the right sum."""
    assume(bound.bound)
    names = tuple(state.checkpoint.entries)
    step = Step((Row(names, method, {"amount": amount}),), "global", bound)
    orders, order = first_of_each(state, names, method)
    sizes, before = sizes_of(state, names), pruned_of(state, names)
    free = np.array([o.size for o in orders])
    least, most = least_and_most(bound, sizes)
    low = np.maximum(least, before)
    high = np.minimum(np.maximum(most, before), before + free)
    left = int((sizes - before).sum())
    target = target_of(state, names, bound, amount)
    too_much = bound.target_sparsity is None and isinstance(amount, int) and amount > left
    if (low > high).any() or not low.sum() <= target <= high.sum() or too_much:
        with pytest.raises(ParameterError):
            masks_after(state, step)
        return
    counts = before.astype(float)
    moved = iter(order)
    while np.clip(counts, low, high).sum() < target:
        counts[next(moved)] += 1
    gone = (np.clip(counts, low, high) - before).astype(int)

    masks = masks_after(state, step)

    for name, first, count in zip(names, orders, gone, strict=True):
        expected = bools_of(state.masks.get(name), state.entry(name).numel, absent=True)
        expected[first[:count]] = False
        np.testing.assert_array_equal(masks[name].bools(), expected)
    ruled = state_after(state, step, CpuKernel(), Job())
    for name in names:
        found = ruled.mask(name)
        assert found is not None
        np.testing.assert_array_equal(found.bools(), masks[name].bools())


@given(state=snapshots(), bound=limits(), amount=amounts)
def test_locally_a_total_gives_each_tensor_the_same_share(state, bound, amount):
    names = tuple(state.checkpoint.entries)
    step = Step((Row(names, "l1_unstructured", {"amount": amount}),), "local", bound)
    try:
        masks = masks_after(state, step)
    except ParameterError:
        return
    after = pruned_tensors(masks, names)
    sizes, before = sizes_of(state, names), pruned_of(state, names)
    check_bounds(state, names, after, bound)
    orders, _ = first_of_each(state, names, "l1_unstructured")
    for name, first, count in zip(names, orders, after - before, strict=True):
        assert not masks[name].bools()[first[:count]].any()
    if bound.target_sparsity is None:
        wish = np.rint(amount * (sizes - before)) if isinstance(amount, float) else amount
        most = np.maximum(np.floor(np.round(bound.max_sparsity * sizes, 6)), before)
        clamped = np.minimum(before + wish, most)
        raised = after > clamped  # only because of the minimum
        assert (after >= clamped).all()
        assert (after[raised] <= np.ceil(np.round(bound.min_sparsity * sizes, 6))[raised]).all()
        return
    assert after.sum() == target_of(state, names, bound, amount)
    free = before + [o.size for o in orders]
    may_rise = after < np.minimum(np.floor(np.round(bound.max_sparsity * sizes, 6)), free)
    may_fall = after > np.maximum(np.ceil(np.round(bound.min_sparsity * sizes, 6)), before)
    if may_rise.any() and may_fall.any():
        next_up = ((after + 0.5) / sizes)[may_rise].min()
        last_up = ((after - 0.5) / sizes)[may_fall].max()
        assert last_up <= next_up * (1 + 1e-9)


@pytest.mark.parametrize("method", ["ln_structured", "random_structured"])
@given(state=snapshots(least_dims=2), bound=limits(), amount=amounts, dim=st.sampled_from([0, -1]))
def test_whole_channels_stay_under_the_ceiling(method, state, bound, amount, dim):
    names = tuple(state.checkpoint.entries)
    step = Step((Row(names, method, {"amount": amount, "dim": dim}),), "local", bound)
    try:
        masks = masks_after(state, step)
    except ParameterError:
        return
    after = pruned_tensors(masks, names)
    check_bounds(state, names, after, bound)
    if bound.target_sparsity is not None:
        assert after.sum() <= target_of(state, names, bound, amount)
    for name in names:
        shape = state.entry(name).shape
        was = bools_of(state.masks.get(name), masks[name].size, absent=True).reshape(shape)
        now = masks[name].bools().reshape(shape)
        was, now = np.moveaxis(was, dim, 0), np.moveaxis(now, dim, 0)
        for channel, before in zip(now, was, strict=True):
            assert not channel.any() or np.array_equal(channel, before)


def test_a_total_of_channels_is_reached_but_for_a_channel():
    arrays = {f"{i}.w": np.random.default_rng(i).normal(size=(8, 4 + i)) for i in range(3)}
    state = Snapshot(MemoryCheckpoint(arrays))
    row = Row(tuple(arrays), "ln_structured")
    masks = masks_after(state, Step((row,), "local", Limits(target_sparsity=0.5)))
    assert pruned_tensors(masks, list(arrays)).tolist() == [16, 20, 24]
    masks = masks_after(state, Step((row,), "local", Limits(target_sparsity=70)))
    assert pruned_tensors(masks, list(arrays)).tolist() == [20, 25, 24]  # one more would be 75


@pytest.mark.parametrize(
    ("bound", "sentence"),
    [
        (
            {"max_sparsity": 0.5, "target_sparsity": 0.7},
            "At most 50 % in each of 3 tensors is 1,200 weights, but 70 % of all requires 1,680.",
        ),
        (
            {"min_sparsity": 0.5, "target_sparsity": 100},
            "At least 50 % in each of 3 tensors is 1,200 weights, but the total is only 100.",
        ),
        (
            {"target_sparsity": 3000},
            "The selected tensors have 2,400 weights, but the total is 3,000.",
        ),
        (
            {"max_sparsity": 0.1},
            "At most 10 % in each of 3 tensors is 240 weights, but the amount requires 480.",
        ),
    ],
)
def test_contradictory_wishes_are_explained(bound, sentence):
    arrays = {f"{i}.w": np.ones((20, 40), np.float32) for i in range(3)}
    state = Snapshot(MemoryCheckpoint(arrays))
    row = Row(tuple(arrays), "l1_unstructured", {"amount": 0.2})
    step = Step((row,), "global", Limits(**bound))
    for work in (masks_after, state_of, counted_estimate):
        with pytest.raises(ParameterError) as caught:
            work(state, step)
        assert caught.value.sentence == sentence
        assert caught.value.remedy


@pytest.mark.parametrize("total", [None, 0.3])
@pytest.mark.parametrize(
    ("bound", "expected"), [({"max_sparsity": 0.3}, [13, 14]), ({"min_sparsity": 0.3}, [14, 15])]
)
@pytest.mark.parametrize("scope", ["local", "global"])
def test_a_fraction_equal_to_a_limit_is_what_that_allows(scope, bound, expected, total):
    """30 % of 5 x 9 and 7 x 7 weights is 13.5 and 14.7, together 28.2."""
    rng = np.random.default_rng(0)
    arrays = {"a.w": rng.normal(size=(5, 9)), "b.w": rng.normal(size=(7, 7))}
    state = Snapshot(MemoryCheckpoint(arrays))
    row = Row(tuple(arrays), "l1_unstructured", {"amount": 0.3})
    step = Step((row,), scope, Limits(target_sparsity=total, **bound))
    assert pruned_tensors(masks_after(state, step), list(arrays)).tolist() == expected
    report = counted_estimate(state, step).report
    assert report is not None
    assert report.newly_pruned == sum(expected)


def state_of(state, step):
    return state_after(state, step, CpuKernel(), Job())


def counted_estimate(state, step):
    for wanted in histogram_store.missing_histograms(state, step):
        histogram_store.count(state, wanted, Job())
    return estimate(state, step)


class Recorder:
    """Records the labels that a job reports."""

    def __init__(self) -> None:
        self.reports: list[tuple[int, int]] = []

    def report(self, done: int, total: int, _label: str) -> None:
        self.reports.append((done, total))


@pytest.mark.parametrize(
    ("method", "scope", "bound"),
    [
        (
            "l1_unstructured",
            "global",
            Limits(min_sparsity=0.1, max_sparsity=0.3, target_sparsity=0.25),
        ),
        ("l1_unstructured", "local", Limits(target_sparsity=0.25)),
        ("random_unstructured", "global", Limits(max_sparsity=0.3, target_sparsity=0.3)),
        ("ln_structured", "local", Limits(max_sparsity=0.3)),
        ("random_structured", "local", Limits(target_sparsity=0.25)),
    ],
)
def test_progress_ends_at_its_total_and_never_runs_back(method, scope, bound):
    rng = np.random.default_rng(0)
    arrays = {f"{i}.w": rng.normal(size=(40, 40)).astype(np.float32) * 2**i for i in range(4)}
    recorder = Recorder()
    step = Step((Row(tuple(arrays), method),), scope, bound)
    compute_preview(Snapshot(MemoryCheckpoint(arrays)), step, CpuKernel(), Job(recorder))
    done = [report[0] for report in recorder.reports]
    assert done == sorted(done)
    assert recorder.reports[-1][0] == recorder.reports[-1][1] > 0
    assert all(done <= total for done, total in recorder.reports)


def test_a_tensor_above_the_ceiling_stays_as_it_is():
    arrays = {"a.w": np.arange(10.0), "b.w": np.arange(10.0) + 100}
    state = Snapshot(MemoryCheckpoint(arrays))
    first = masks_after(state, Step((Row(("a.w",), "l1_unstructured", {"amount": 8}),)))
    state = Snapshot(state.checkpoint, MaskLayers(state.masks.with_masks(first)))
    row = Row(("a.w", "b.w"), "l1_unstructured", {"amount": 5})
    masks = masks_after(state, Step((row,), "global", Limits(max_sparsity=0.5)))
    assert masks["a.w"] is state.masks["a.w"]
    assert masks["b.w"].pruned == 5


def test_a_step_of_several_rules_is_said_by_what_each_prunes():
    checkpoint = MemoryCheckpoint({f"{i}.w": np.ones((4, 5), np.float32) for i in range(6)})
    names, values = tuple(checkpoint.entries), {"amount": 0.3}
    rows = (
        Row(names, "l1_unstructured", values),
        Row(names[3:4], "l1_unstructured", {"amount": 0.1}),
        Row(names[3:], "l1_unstructured", {"amount": 0.7}, "*.w"),
    )
    document = Document(checkpoint)
    step = Step(rows, limits=Limits(exclude=("first",)))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    item = document.items[1]
    assert item.label == "L1 30 %, L1 70 % on 5 tensors by 3 rules, excluding the first layer"
    assert item.detail.splitlines()[:4] == [
        "Rule 1: L1 30 % on 2 tensors",
        "Rule 2: L1 10 % on 0 tensors",
        "Rule 3: L1 70 % on 3 tensors (*.w)",
        "Scope: per tensor",
    ]
    for name, rule, label in (("1.w", 1, "L1 30 %"), ("3.w", 3, "L1 70 %")):
        found = document.item_for(1, name)
        assert (found.rule, found.label) == (rule, label)
    document.close()


def test_words_dicts_and_rules():
    bound = Limits(0.1, 0.9, 0.7, ("last", "embeddings"))
    assert bound.exclude == ("embeddings", "last")
    row = Row(("a.w", "b.w"), "l1_unstructured", {"amount": 0.2})
    step = Step((row,), "global", bound)
    assert step.label() == (
        "L1, total 70 %, global, min 10 % per tensor, max 90 % per tensor, "
        "excluding embeddings and the last layer, on 2 tensors"
    )
    assert "Amount" not in step.detail()
    assert "Limits: total 70 %" in step.detail()
    assert Step.from_dict(step.to_dict()) == step
    assert step.to_dict()["configuration"]["limits"] == {
        "min_sparsity": 0.1,
        "max_sparsity": 0.9,
        "target_sparsity": 0.7,
        "exclude": ["embeddings", "last"],
    }
    plain = Step((row,))
    assert "limits" not in plain.to_dict()["configuration"]
    assert Step.from_dict(plain.to_dict()).limits == Limits()
    assert [p.name for p in LIMITS] == [
        "min_sparsity",
        "max_sparsity",
        "target_sparsity",
        "exclude",
    ]
    assert hash(step) == hash(Step.from_dict(step.to_dict()))


def test_what_cannot_be_kept_is_refused():
    row = Row(("a.w",), "l1_unstructured")
    with pytest.raises(ParameterError, match="above the maximum"):
        Limits(0.6, 0.5)
    with pytest.raises(ParameterError, match="'max_sparsity' must be"):
        Limits(max_sparsity=1.5)
    with pytest.raises(ParameterError, match="one rule"):
        Step((row, row), "local", Limits(target_sparsity=0.5))
    with pytest.raises(ParameterError, match="sets the sparsity itself"):
        Step((row, Row(("b.w",), "n_m")), "local", Limits(max_sparsity=0.5))
    with pytest.raises(ParameterError, match="prunes units in several tensors at once"):
        Step((Row(("a.w",), "ffn_neurons"),), "local", Limits(target_sparsity=0.5))
    with pytest.raises(ParameterError, match="prunes nothing, so limits do not apply"):
        Step((Row(("a.w",), "identity"),), "local", Limits(max_sparsity=0.5))
    with pytest.raises(ParameterError, match=r"rows|limits"):
        Step.from_dict({"name": "step", "configuration": {"rows": [], "limits": 3}})
    assert Step((Row(("a.w",), "identity"),), "local", Limits(exclude=("first",))).limits.exclude


@pytest.fixture
def layers():
    def f32(*shape):
        return np.ones(shape, np.float32)

    arrays = {
        "embed.weight": f32(9, 3),
        "norm.weight": f32(3),
        "a.weight": f32(4, 3),
        "a.bias": f32(4),
        "b.weight": f32(5, 4),
        "head.weight": f32(9, 5),
        "head.bias": f32(9),
    }
    return MemoryCheckpoint(arrays, **{"embed.weight": {"kind": "embedding"}})


@pytest.mark.parametrize(
    ("spare", "left"),
    [
        ((), "embed.weight norm.weight a.weight a.bias b.weight head.weight head.bias"),
        (("embeddings",), "norm.weight a.weight a.bias b.weight head.weight head.bias"),
        (("first",), "embed.weight norm.weight b.weight head.weight head.bias"),
        (("last",), "embed.weight norm.weight a.weight a.bias b.weight"),
        (("embeddings", "first", "last"), "norm.weight b.weight"),
    ],
)
def test_what_is_left_alone(layers, spare, left):
    left = left.split()
    rows = (Row(tuple(layers.entries), "l1_unstructured"),)
    step = Step(rows, "local", Limits(exclude=spare))
    assert [list(names) for _, names in rows_of(layers, step)] == [left]
    assert list(masks_after(Snapshot(layers), step)) == left
    assert estimate(Snapshot(layers), step).tensors == len(left)
    state = state_after(Snapshot(layers), step, CpuKernel(), Job())
    assert [n for n in layers.entries if state.mask(n) is not None] == left


def test_rows_of_which_nothing_is_left_are_left_out(layers):
    rows = tuple(Row((name,), "l1_unstructured") for name in ("a.weight", "b.weight"))
    step = Step(rows, "local", Limits(exclude=("first",)))
    assert rows_of(layers, step) == ((rows[1], ("b.weight",)),)
    with pytest.raises(SelectionError, match="excluded"):
        rows_of(layers, Step(rows[:1], "local", Limits(exclude=("first",))))


def test_first_and_last_are_those_of_the_model_whatever_is_selected(layers):
    step = Step((Row(("b.weight",), "l1_unstructured"),), limits=Limits(exclude=("first", "last")))
    assert rows_of(layers, step) == ((step.rows[0], ("b.weight",)),)
    assert excluded_tensors(layers, step) == {}


def test_each_excluded_tensor_has_the_limit_that_excludes_it(layers):
    spare = ("embeddings", "first", "last")
    step = Step((Row(tuple(layers.entries), "l1_unstructured"),), limits=Limits(exclude=spare))
    said = {"embed.weight": "embeddings"} | dict.fromkeys(("a.weight", "a.bias"), "first")
    said |= dict.fromkeys(("head.weight", "head.bias"), "last")
    assert excluded_tensors(layers, step) == said
    one = MemoryCheckpoint({"a.weight": layers.arrays["a.weight"]})
    both = Step((Row(("a.weight",), "l1_unstructured"),), limits=Limits(exclude=("first", "last")))
    assert excluded_tensors(one, both) == {"a.weight": "first"}


@given(
    picks=st.lists(
        st.lists(st.sampled_from(["a.weight", "b.weight", "head.weight", "a.bias"]), min_size=1),
        min_size=1,
        max_size=4,
    )
)
def test_the_last_rule_that_names_a_tensor_prunes_it_and_no_other(picks):
    shapes = {"a.weight": (4, 3), "a.bias": (4,), "b.weight": (5, 4), "head.weight": (9, 5)}
    model = MemoryCheckpoint({n: np.ones(s, np.float32) for n, s in shapes.items()})
    step = Step(tuple(Row(tuple(names), "l1_unstructured", {"amount": 0.5}) for names in picks))
    found = [(step.rows.index(row), name) for row, names in rows_of(model, step) for name in names]
    wanted = {name: number for number, names in enumerate(picks) for name in names}
    assert {name: picks[number] for number, name in found} == {
        name: picks[number] for name, number in wanted.items()
    }
    assert len(found) == len(wanted)
    masks = compute_preview(Snapshot(model), step, CpuKernel(), Job()).masks
    assert all(masks[name].pruned == round(0.5 * np.prod(shapes[name])) for name in wanted)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0, "0 %"),
        (0.0001, "<0.1 %"),
        (0.1481481481, "14.8 %"),
        (0.5, "50 %"),
        (0.99996, ">99.9 %"),
        (1.0, "100 %"),
    ],
)
def test_labels_of_rounds_are_rounded_for_people(share, said):
    """Regression: a round of a cubic schedule was labeled 14.81481481 %."""
    step = Step((Row(("a.w",), "l1_unstructured"),), "local", Limits(target_sparsity=share))
    assert step.label() == f"L1, total {said}, on a.w"
    given = Step((Row(("a.w",), "l1_unstructured", {"amount": share}),))
    assert said in given.label()
    assert Step.from_dict(step.to_dict()) == step, "what is kept is exact"
