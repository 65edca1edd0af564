"""Methods with statistics: masks equal those of a plain computation with torch in float64."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.errors import ParameterError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods import registry
from pruneapp.methods.builtin import activations
from pruneapp.methods.limits import Limits
from pruneapp.methods.prune_tensors import prune
from pruneapp.progress import Cancelled, CancelToken, Job
from pruneapp.statistics.file import Inputs
from tests.support.strategies import float_types, raw_bits
from tests.support.tensors import decode_float64, view_of, view_of_values

NO_LIMITS = Limits()


def mask_of(view, name, **values):
    return masks_of([view], name, **values)[view.name].bools()


def masks_of(views, name, limits=NO_LIMITS, **values):
    method = registry.get(name)
    scope = method.scopes[0]
    return prune(views, method, values, scope, CpuKernel(), Job(), limits=limits).masks


# Shape of a weight, parts and columns of its statistics, and whether inputs come first.
CASES = [
    ((5, 6), 1, 6, False),
    ((6, 5), 1, 6, True),
    ((4, 3, 2, 2), 1, 12, False),
    ((6, 2, 3), 1, 6, False),
    ((4, 2, 2, 2), 2, 8, False),  # groups
    ((6, 2, 2), 2, 3, True),  # of a transposed convolution
    ((3, 4, 5), 3, 5, False),  # experts
    ((3, 4, 5), 3, 4, True),
    ((1, 1), 1, 1, False),
]


@st.composite
def weights(draw, cases=CASES):
    """Draw a weight with statistics; also return the input size of each element."""
    shape, parts, columns, transposed = draw(st.sampled_from(cases))
    dtype = draw(float_types)
    size = math.prod(shape)
    bits = draw(raw_bits(dtype, size))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    sum2 = rng.integers(0, 5, (parts, columns)) * rng.random((parts, columns))
    counts = rng.integers(0, 4, parts).astype(np.float64)
    inputs = Inputs(sum2, None, counts, transposed)
    assert inputs.fit(shape)
    rms = torch.sqrt(torch.from_numpy(sum2) / torch.from_numpy(counts)[:, None])
    rms[torch.from_numpy(counts) == 0] = 1
    if transposed:
        every = rms[:, :, None].expand(parts, columns, size // (parts * columns))
    else:
        every = rms[:, None, :].expand(parts, size // (parts * columns), columns)
    kept = rng.random(size) < 0.8
    chunk = draw(st.sampled_from([1, 7, 1000]))
    view = view_of(bits, dtype, shape, kept, chunk=chunk, inputs=inputs)
    magnitudes = torch.from_numpy(decode_float64(bits, dtype)).abs()
    return view, magnitudes, every.reshape(-1), torch.from_numpy(kept)


def lowest(scores, kept, count):
    """Return the mask without the lowest `count` kept elements; of ties the first, NaN last."""
    ranked = torch.where(kept, torch.nan_to_num(scores, nan=math.inf, posinf=math.inf), math.inf)
    order = sorted(
        torch.nonzero(kept).flatten().tolist(),
        key=lambda i: (bool(scores[i].isnan()), float(ranked[i]), i),
    )
    after = kept.clone()
    after[order[:count]] = False
    return after.numpy()


@given(weight=weights())
def test_wanda_of_a_tensor_prunes_the_lowest_products(weight):
    """For every dtype, shape and layout of statistics, bit for bit."""
    view, magnitudes, sizes, kept = weight
    with np.errstate(all="ignore"):
        found = mask_of(view, "wanda_per_tensor", amount=0.4)
    count = round(0.4 * int(kept.sum()))
    assert np.array_equal(lowest(magnitudes * sizes, kept, count), found)


@given(weight=weights([case for case in CASES if not case[3]]), groups=st.booleans())
def test_wanda_of_rows_and_groups_prunes_the_lowest_of_each(weight, groups):
    """A fraction of every row; one of two neighbors."""
    view, magnitudes, sizes, kept = weight
    scores = (magnitudes * sizes).reshape(view.shape)
    if groups:
        found = mask_of(view, "wanda_n_m", pattern="1:2").reshape(view.shape)
        rows, left = scores.movedim(1, -1), kept.reshape(view.shape).movedim(1, -1)
        width = view.shape[1] // 2 * 2
        wanted = left.clone()
        for index in np.ndindex(rows.shape[:-1]):
            for first in range(0, width, 2):
                part = slice(first, first + 2)
                less = max(int(left[index][part].sum()) - 1, 0)
                wanted[index][part] = torch.from_numpy(
                    lowest(rows[index][part], left[index][part], less)
                )
        assert np.array_equal(wanted.movedim(-1, 1).numpy(), found)
        return
    found = mask_of(view, "wanda", amount=0.5).reshape(view.shape[0], -1)
    left = kept.reshape(view.shape[0], -1)
    went = left.sum(1) - torch.from_numpy(found).sum(1)
    assert went.tolist() == [round(0.5 * n) for n in left.sum(1).tolist()]
    for row, (some, mask) in enumerate(zip(scores.reshape(left.shape), left, strict=True)):
        assert np.array_equal(lowest(some, mask, int(went[row])), found[row])


def test_ria_ranks_by_shares_times_the_root_of_the_size():
    """As in the paper, with a = 0.5; channels by the sum of their scores."""
    rng = np.random.default_rng(0)
    w = torch.from_numpy(rng.normal(size=(8, 12)))
    inputs = Inputs(rng.random((1, 12)), None, np.array([5.0]))
    bits = w.numpy().reshape(-1).view(np.uint64)
    view = view_of(bits, DTYPES["F64"], (8, 12), inputs=inputs)
    size = torch.sqrt(torch.from_numpy(inputs.sum2[0]) / 5)
    every = torch.ones(96, dtype=torch.bool)
    relative = w.abs() / w.abs().sum(1, keepdim=True) + w.abs() / w.abs().sum(0)
    scores = (relative * size.sqrt()).reshape(-1)
    assert np.array_equal(lowest(scores, every, 48), mask_of(view, "ria", amount=0.5))
    for dim in (0, 1):
        sums = (w.abs() * size).sum(1 - dim)
        found = mask_of(view, "wanda_structured", amount=3, dim=dim).reshape(8, 12)
        assert set(sums.argsort()[:3].tolist()) == set(np.flatnonzero(~found.any(1 - dim)))


@pytest.mark.parametrize("name", [n for n, m in registry.METHODS.items() if m.needs_statistics({})])
def test_weights_that_nothing_was_seen_of_are_refused(name):
    """The message names the tensor."""
    view = view_of(np.arange(16, dtype=np.uint32), DTYPES["F32"], (4, 4))
    with pytest.raises(ParameterError, match=r"lack the inputs of 'layer.weight'"):
        mask_of(view, name)
    views = [replace(view, name=f"layer{i}.weight") for i in range(5)]
    with pytest.raises(ParameterError, match=r"'layer2.weight' and 2 more\. Uncheck those"):
        masks_of(views, name)


def test_rows_that_are_inputs_are_refused_per_row():
    """A Conv1D of transformers: all weights of a row have the same input."""
    inputs = Inputs(np.ones((1, 4)), None, np.ones(1), transposed=True)
    view = view_of(np.arange(16, dtype=np.uint32), DTYPES["F32"], (4, 4), inputs=inputs)
    with pytest.raises(ParameterError, match=r"rows of 'layer.weight' are inputs, not outputs"):
        mask_of(view, "wanda", amount=1)


def layers(shapes, seed=0, **more):
    """Return tensors with statistics, their Wanda scores and masks."""
    rng = np.random.default_rng(seed)
    views, scores, left = [], [], []
    for name, shape in shapes.items():
        w = rng.normal(size=shape) * rng.choice([1, 1, 1, 8], shape)
        inputs = Inputs(rng.random((1, math.prod(shape[1:]))) + 0.1, None, np.array([2.0]))
        kept = rng.random(w.size) < 0.9
        views.append(view_of_values(w, kept, name=name, inputs=inputs, **more))
        size = torch.from_numpy(inputs.rms[0])
        scores.append(torch.from_numpy(w).abs().reshape(shape[0], -1) * size)
        left.append(torch.from_numpy(kept).reshape(shape[0], -1))
    return views, scores, left


BLOCKS = {
    "embed.weight": (6, 8),
    "model.layers.0.attn.q.weight": (20, 30),
    "model.layers.0.mlp.up.weight": (40, 30),
    "model.layers.1.attn.q.weight": (20, 30),
    "model.layers.10.mlp.experts.3.weight": (10, 7, 2),
    "head.weight": (5, 50),
}


@pytest.mark.parametrize("amount", [0.1, 0.5, 0.7, 0.99, 777])
@pytest.mark.parametrize(("outlier", "spread"), [(5.0, 0.08), (2.0, 0.3)])
def test_owl_spares_layers_with_outliers_and_prunes_the_exact_amount(amount, outlier, spread):
    """As in the authors' code: outliers of whole blocks, then Wanda in each row."""
    views, scores, left = layers(BLOCKS)
    found = masks_of(views, "owl", amount=amount, outlier=outlier, spread=spread)

    shares = []
    for block in ([0], [1, 2], [3], [4], [5]):
        every = torch.cat([scores[i][left[i]] for i in block])
        shares.extend([float((every > outlier * every.mean()).double().mean())] * len(block))
    low, high = min(shares), max(shares)
    assert low < high
    scaled = [2 * spread * (share - low) / (high - low) for share in shares]
    free = sum(int(some.sum()) for some in left)
    count = round(amount * free) if isinstance(amount, float) else amount
    assert free - count == sum(found[view.name].kept for view in views)
    numel = [view.numel for view in views]
    before = [int((~some).sum()) for some in left]

    # Return the number pruned of each if the sparsest layer keeps this fraction.
    def gone_at(dense):
        densities = [min(max(dense + more, 0.0), 1.0) for more in scaled]
        return [
            min(max((1 - d) * n - b, 0.0), n - b)
            for d, n, b in zip(densities, numel, before, strict=True)
        ]

    least, most = -1.0, 1.0
    for _ in range(100):
        middle = (least + most) / 2
        least, most = (middle, most) if sum(gone_at(middle)) > count else (least, middle)
    for view, wanted, score, mask in zip(views, gone_at(least), scores, left, strict=True):
        after = torch.from_numpy(found[view.name].bools()).reshape(mask.shape)
        assert abs(int(mask.sum() - after.sum()) - wanted) <= 1
        went = mask & ~after
        rest = score.where(after, math.inf).amin(1)
        assert (score.where(went, -math.inf).amax(1) <= rest).all()
        spread_of_rows = after.sum(1) / mask.sum(1)  # the same fraction of each row's kept weights
        assert float(spread_of_rows.max() - spread_of_rows.min()) <= 2 / min(mask.sum(1).tolist())


def test_owl_without_spread_is_the_same_share_of_each_tensor():
    """Layers with equally many outliers are pruned alike."""
    views, _, left = layers(BLOCKS)
    found = masks_of(views, "owl", amount=0.5, spread=0.0)
    pruned = [1 - found[view.name].kept / view.numel for view in views]
    assert max(pruned) - min(pruned) < 0.02
    twice = [replace(views[1], name=f"{name}.weight") for name in ("a", "b")]
    a, b = masks_of(twice, "owl", amount=0.5, spread=0.5).values()
    assert abs(a.kept - b.kept) <= 1
    assert a.kept + b.kept == 2 * int(left[1].sum()) - round(2 * 0.5 * int(left[1].sum()))


def test_owl_keeps_to_limits_and_protection():
    """Like LAMP: the total is exact, tensors stay within bounds, protected weights are kept."""
    views, _, _ = layers(BLOCKS)
    rng = np.random.default_rng(1)
    guards = [BitMask.from_bools(rng.random(v.numel) < 0.2) & v.kept for v in views]
    views = [replace(v, protected=guard) for v, guard in zip(views, guards, strict=True)]
    limits = Limits(target_sparsity=0.6, min_sparsity=0.55, max_sparsity=0.65)
    found = masks_of(views, "owl", limits, spread=0.5)
    size = sum(view.numel for view in views)
    assert round(0.6 * size) == sum(found[view.name].pruned for view in views)
    for view, guard in zip(views, guards, strict=True):
        assert 0.55 <= found[view.name].pruned / view.numel <= 0.65
        assert (guard & found[view.name]).kept == guard.kept


def test_owl_counts_no_nan_and_takes_infinite_scores_for_outliers():
    """The mean of a layer ignores NaN and infinities."""
    w = np.ones((4, 25))
    w[0, :3] = np.nan, np.inf, 9
    odd = view_of_values(w, name="odd", inputs=Inputs(np.ones((1, 25)), None, np.ones(1)))
    even = view_of_values(
        np.ones((4, 25)), name="even", inputs=Inputs(np.ones((1, 25)), None, np.ones(1))
    )
    found = masks_of([odd, even], "owl", amount=0.5, spread=0.1)
    assert [found[name].pruned for name in ("odd", "even")] == [40, 60]


def gram_of(shape, parts, columns, transposed, seed=0):
    """Return statistics with Gram matrices of correlated inputs."""
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(columns, columns)) + 0.5
    x = rng.normal(size=(parts, 3 * columns, columns)) @ mix * rng.lognormal(size=columns)
    grams = np.swapaxes(x, 1, 2) @ x
    sum2 = np.stack([gram.diagonal() for gram in grams])
    counts = np.full(parts, 3.0 * columns)
    inputs = Inputs(sum2, None, counts, transposed, lambda part, _cancel: grams[part].copy())
    assert inputs.fit(shape)
    return inputs, torch.from_numpy(grams)


def as_matrices(flat, inputs):
    """Return elements in flat order as matrices (parts, outputs, inputs)."""
    parts, columns = inputs.sum2.shape
    flat = torch.as_tensor(flat)
    if inputs.transposed:
        return flat.reshape(parts, columns, -1).transpose(1, 2)
    return flat.reshape(parts, -1, columns)


def error_of(row, off, gram):
    left = row * off
    return float(left @ gram @ left)


def exchanged(row, off, may_return, may_go, gram, group):
    """Reference: exchange the pair that lowers the error most, until none does."""
    off, may_return, may_go = off.clone(), may_return.clone(), may_go.clone()
    while True:
        now, best = error_of(row, off, gram), None
        for u in torch.nonzero(may_return).flatten().tolist():
            for v in torch.nonzero(may_go).flatten().tolist():
                if group[u] != group[v] or group[u] < 0:
                    continue
                off[u], off[v] = False, True
                then = error_of(row, off, gram)
                off[u], off[v] = True, False
                if then < now * (1 - 1e-9) and (best is None or then < best[0]):
                    best = then, u, v
        if best is None:
            return off
        _, u, v = best
        off[u] = may_go[v] = may_return[u] = False
        off[v] = may_return[v] = may_go[u] = True


SWAPPED = [(case, None) for case in CASES if not case[3]] + [
    (((5, 6), 1, 6, False), 1),
    (((4, 5, 2), 1, 10, False), 1),  # along the channels of a convolution, one in no group
    (((4, 2, 4), 1, 8, False), 2),
    (((4, 4, 2, 2), 2, 16, False), 1),
    (((6, 5), 1, 6, True), 0),
    (((8, 3), 2, 4, True), 0),
    (((3, 4, 6), 3, 6, False), 2),
    (((3, 4, 5), 3, 4, True), 1),
]


@pytest.mark.parametrize(("case", "dim"), SWAPPED)
@pytest.mark.parametrize("chunk", [3, 1000])
def test_swaps_exchange_the_best_pair_of_each_row_until_none_helps(case, dim, chunk):
    """Starting with Wanda's mask; for every layout, with some pruned and some protected."""
    shape = case[0]
    rng = np.random.default_rng(3)
    w = rng.normal(size=shape)
    inputs, grams = gram_of(*case)
    kept = rng.random(w.size) < 0.9
    guard = (rng.random(w.size) < 0.1) & kept
    more = {"inputs": inputs, "protected": BitMask.from_bools(guard), "chunk": chunk}
    view = view_of_values(w, kept, **more)
    values = {"amount": 0.5} if dim is None else {"dim": dim, "pattern": "1:2"}
    begin, found = (
        mask_of(view, name, **values)
        for name in (("wanda", "swaps") if dim is None else ("wanda_n_m", "swaps_n_m"))
    )
    places = np.zeros(shape, int)
    if dim is not None:  # the group within the row of each weight
        along = np.arange(shape[dim]) // 2
        along[along >= shape[dim] // 2] = -1
        number = np.arange(w.size).reshape(shape)
        first = np.expand_dims(number.take(0, dim), dim)
        column = along.reshape([-1 if d == dim else 1 for d in range(len(shape))])
        places = np.where(column < 0, -1, first * 10 + column)
    flats = (w.reshape(-1), begin, kept, guard, found, places.reshape(-1))
    matrices = [as_matrices(flat, inputs) for flat in flats]
    for part, gram in enumerate(grams):
        for row, mask, left, safe, after, group in zip(*(m[part] for m in matrices), strict=True):
            off = exchanged(row, ~mask, left & ~mask, mask & ~safe, gram, group.tolist())
            assert off.tolist() == (~after).tolist()
    assert w.size <= 30 or not np.array_equal(begin, found)


def test_swaps_of_long_rows_lower_the_error_and_are_the_same_in_any_threads(monkeypatch):
    """More inputs than candidates; fewer exchanges reduce the error less."""
    case = ((96, 200), 1, 200, False)
    inputs, grams = gram_of(*case)
    w = np.random.default_rng(0).normal(size=case[0]).astype(np.float32)
    view = view_of_values(w, inputs=inputs)

    def swapped(rounds):
        mask = mask_of(view, "swaps", amount=0.5, rounds=rounds).reshape(case[0])
        assert (mask.sum(1) == 100).all()
        off = torch.from_numpy(np.where(mask, 0, w)).double()
        return mask, float(((off @ grams[0]) * off).sum())

    begin = mask_of(view, "wanda", amount=0.5).reshape(case[0])
    off = torch.from_numpy(np.where(begin, 0, w)).double()
    errors = [float(((off @ grams[0]) * off).sum())]
    for rounds in (1, 2, 10, 1000):
        mask, error = swapped(rounds)
        assert (mask != begin).sum(1).max() <= 2 * rounds
        errors.append(error)
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.7 * errors[0]
    monkeypatch.setattr(activations, "threads_for", lambda *_: 3)
    monkeypatch.setattr(activations, "_BLOCK", 5000)
    assert np.array_equal(mask, swapped(1000)[0])


def test_swaps_leave_odd_rows_and_dead_inputs_as_they_are():
    """NaN in one row; restoring the weights of an input that is always 0 has no effect."""
    inputs, grams = gram_of((3, 6), 1, 6, False)
    dead = grams[0].numpy()
    dead[2] = dead[:, 2] = 0
    sum2 = dead.diagonal()[np.newaxis]
    inputs = replace(inputs, sum2=sum2, gram=lambda _part, _cancel: dead.copy())
    w = np.random.default_rng(1).normal(size=(3, 6))
    w[1, 4] = np.nan
    view = view_of_values(w, inputs=inputs)
    begin, found = (mask_of(view, name, amount=0.5).reshape(3, 6) for name in ("wanda", "swaps"))
    assert np.array_equal(begin[1], found[1])
    for row, before, after in zip(w[[0, 2]], begin[[0, 2]], found[[0, 2]], strict=True):
        off = [torch.from_numpy(np.where(mask, 0, row)) for mask in (before, after)]
        assert float(off[1] @ grams[0] @ off[1]) <= float(off[0] @ grams[0] @ off[0])
        assert before.sum() == after.sum()
    zero = replace(view_of_values(np.zeros((3, 6)), inputs=inputs))
    assert mask_of(zero, "swaps", amount=0.5).sum() == 9


def test_swaps_can_be_cancelled_between_two_exchanges(monkeypatch):
    token = CancelToken()
    inputs, _ = gram_of((8, 64), 1, 64, False)
    view = view_of_values(np.random.default_rng(1).normal(size=(8, 64)), inputs=inputs)
    best = activations._Exchange._best

    def cancelling(*args):
        token.cancel()
        return best(*args)

    monkeypatch.setattr(activations._Exchange, "_best", cancelling)
    values = {"amount": 0.5}
    with pytest.raises(Cancelled):
        prune([view], registry.get("swaps"), values, "local", CpuKernel(), Job(cancel=token))


@pytest.mark.parametrize("name", [n for n, m in registry.METHODS.items() if m.takes_grams])
def test_statistics_without_gram_matrices_are_refused(name):
    """The message contains a remedy."""
    inputs = Inputs(np.ones((1, 4)), None, np.ones(1))
    view = view_of_values(np.ones((4, 4)), inputs=inputs)
    with pytest.raises(ParameterError, match=r"have none of the inputs of 'layer.weight'") as error:
        mask_of(view, name)
    assert "with Gram matrices" in error.value.remedy


@pytest.mark.parametrize(
    ("case", "dim"),
    [
        (((5, 6), 1, 6, False), 0),
        (((6, 5), 1, 6, True), 1),
        (((6, 3), 2, 3, True), 0),  # groups of 2 of 3 inputs each
        (((3, 4, 6), 3, 6, False), 1),
    ],
)
def test_groups_across_outputs_are_refused(case, dim):
    """Swaps within such groups are impossible."""
    view = view_of_values(np.ones(case[0]), inputs=gram_of(*case)[0])
    with pytest.raises(ParameterError, match="contain weights of several outputs"):
        mask_of(view, "swaps_n_m", dim=dim, pattern="1:2")


@given(values=st.lists(st.integers(0, 3), min_size=24, max_size=24), count=st.integers(1, 6))
def test_of_equal_candidates_the_first_are_chosen(values, count):
    rows = np.array(values, np.float64).reshape(2, 2, 6)
    rows[rows == 3] = np.inf
    wanted = np.sort(np.argsort(rows, axis=-1, kind="stable")[..., :count], axis=-1)
    assert np.array_equal(wanted, activations.lowest_places(rows, count))
