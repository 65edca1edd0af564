"""Protected weights are kept by every method; compared with torch where possible.

For torch a protected weight is one with an infinite importance score, or a 1 in a custom mask.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.utils.prune as torch_prune
from hypothesis import assume, given
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.errors import ParameterError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.cutoff import Pruned, units_left
from pruneapp.methods.limits import Limits
from pruneapp.methods.method import RowMethod
from pruneapp.methods.prune_tensors import prune
from pruneapp.methods.registry import METHODS, get
from pruneapp.params import AmountParam
from pruneapp.progress import Job
from tests.support.strategies import float_types, kept_bools, moderate_bits, raw_bits, shapes
from tests.support.tensors import asked_of, decode_float64, left_in_rows, view_of, view_of_values

EVERY_SCOPE = pytest.mark.parametrize(
    ("method", "scope"),
    [(m, scope) for m in METHODS.values() for scope in m.scopes],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
NO_LIMITS = Limits()
AMOUNTS = st.one_of(st.floats(0, 1), st.integers(0, 30))


def run(views, method, values=None, scope="local", limits=NO_LIMITS) -> Pruned:
    return prune(views, method, values or {}, scope, CpuKernel(), Job(), limits=limits)


@st.composite
def protected_views(draw, method, name="fc.weight"):
    """Draw a tensor of any dtype with special values, sometimes partly protected."""
    dtype = draw(float_types)
    shape = draw(shapes(least=method.least_dims))
    size = math.prod(shape)
    kept = draw(kept_bools(size))
    there = np.ones(size, bool) if kept is None else kept
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    share = draw(st.sampled_from([None, 0.05, 0.5, 1.0]))
    more = {}
    if share is not None:
        more["protected"] = BitMask.from_bools((rng.random(size) < share) & there)
    more |= asked_of(method, shape, draw(st.integers(0, 99)))
    if method.takes_scores and draw(st.booleans()):
        more["scores"] = view_of(draw(raw_bits(dtype, size)), dtype, shape, name="scores")
    return view_of(draw(raw_bits(dtype, size)), dtype, shape, kept, name=name, chunk=7, **more)


def protected_units(view, method, values) -> int:
    if view.protected is None:
        return 0
    return units_left(replace(view, kept=view.protected), method, values)


@EVERY_SCOPE
@given(data=st.data(), amount=AMOUNTS)
def test_no_method_takes_what_is_protected(method, scope, data, amount):
    """The amount refers to all weights that are not pruned yet, protected or not."""
    views = [data.draw(protected_views(method, f"layer{i}.weight")) for i in range(2)]
    wants_amount = any(isinstance(p, AmountParam) for p in method.params)
    values = {"amount": amount} if wants_amount else {}
    groups = [views] if scope == "global" else [[view] for view in views]
    wanted = 0
    if wants_amount:
        for group in groups:
            left = sum(units_left(view, method, values) for view in group)
            guarded = sum(protected_units(view, method, values) for view in group)
            count = round(amount * left) if isinstance(amount, float) else amount
            if isinstance(method, RowMethod) and scope == "local" and isinstance(amount, float):
                count = sum(round(amount * n) for n in left_in_rows(group[0]))
            wanted += count
            if count > left - guarded:
                with pytest.raises(
                    ParameterError, match=r"'amount' (must be|is too large|is larger)"
                ):
                    run(views, method, values, scope)
                return
    masks = run(views, method, values, scope).masks
    went = 0
    for view in views:
        before, after = view.kept or BitMask.full(view.numel), masks[view.name]
        assert not (after - before).kept
        if view.protected is not None:
            assert not (view.protected - after).kept
        if method.granularity in {"channels", "blocks", "units"}:
            went += units_left(view, method, values)
            went -= units_left(replace(view, kept=after), method, values)
        else:
            went += before.kept - after.kept
    if wants_amount:
        assert went == wanted


def test_too_much_is_refused_with_how_many_are_free_and_how_many_protected():
    weights = view_of_values(np.ones((4, 5), np.float32))
    weights = replace(weights, protected=BitMask.from_bools(np.arange(20) % 10 == 3))
    with pytest.raises(
        ParameterError,
        match=r"of the 20 weights of 'layer.weight' that are not pruned yet, 2 are protected, so "
        r"only 18 can be pruned \(got 19\). Enter a count up to 18, or unprotect",
    ):
        run([weights], get("l1_unstructured"), {"amount": 19})
    with pytest.raises(
        ParameterError,
        match=r"of the 4 channels of 'layer.weight' that are not pruned yet, 2 are protected, so "
        r"only 2 can be pruned \(75 % is 3\)",
    ):
        run([weights], get("random_structured"), {"amount": 0.75})
    with pytest.raises(
        ParameterError, match=r"only 18 can be pruned \(got 21\)\. Enter a count up"
    ):
        run([weights], get("l1_unstructured"), {"amount": 21})
    all_of_it = replace(weights, protected=BitMask.full(20))
    with pytest.raises(ParameterError, match=r"so none can be pruned \(50 % is 10\)") as error:
        run([all_of_it], get("l1_unstructured"), {"amount": 0.5})
    assert error.value.remedy == "Unprotect weights."
    assert run([weights], get("l1_unstructured"), {"amount": 18}).masks["layer.weight"].kept == 2


def protected_in(*many, size=200):
    """Return tensors whose first weights are protected, as many as in each of `many`."""
    return [
        replace(
            view_of_values(np.ones((size // 5, 5), np.float32), name=f"layer{i}.weight"),
            protected=BitMask.from_bools(np.arange(size) < n) if n else None,
        )
        for i, n in enumerate(many)
    ]


@pytest.mark.parametrize(
    ("scope", "limits"),
    [
        ("local", NO_LIMITS),
        ("local", Limits(min_sparsity=0.1)),
        ("local", Limits(max_sparsity=0.995)),
        ("global", NO_LIMITS),
    ],
)
@pytest.mark.parametrize("amount", [1.0, 0.99, 799, 10**6])
def test_what_the_message_advises_works_for_all_tensors_at_once(amount, scope, limits):
    """Regression: the advised count was that of one tensor, and failed for the next."""
    views = protected_in(0, 3, 14, 5)
    with pytest.raises(ParameterError) as error:
        run(views, get("l1_unstructured"), {"amount": amount}, scope, limits)
    said = re.fullmatch(
        r"Enter (?:at most (?P<share>[\d.]+) %|a count up to (?P<count>\d+))"
        r"(?:, which fits all tensors)?, or .*",
        error.value.remedy,
    )
    assert said is not None, error.value.remedy
    if isinstance(amount, float):
        advised = float(said["share"]) / 100
        higher: float = advised + 0.01
    else:
        advised = int(said["count"])
        higher = advised + 1
    assert run(views, get("l1_unstructured"), {"amount": advised}, scope, limits).masks
    with pytest.raises(ParameterError, match="too large"):
        run(views, get("l1_unstructured"), {"amount": higher}, scope, limits)


def test_the_largest_share_is_rounded_down_and_never_to_nothing():
    views = protected_in(1, size=300)
    with pytest.raises(ParameterError, match=r"Enter at most 99\.66 %, or unprotect weights"):
        run(views, get("l1_unstructured"), {"amount": 1.0})
    views = protected_in(29_999, size=30_000)
    with pytest.raises(ParameterError, match=r"Enter at most 0\.0033 %, or"):
        run(views, get("l1_unstructured"), {"amount": 0.5})


def test_tensors_of_which_all_is_protected_are_counted():
    with pytest.raises(ParameterError) as error:
        run(protected_in(200, 1), get("l1_unstructured"), {"amount": 1.0})
    assert error.value.remedy == "Unprotect weights, or uncheck that tensor."
    with pytest.raises(ParameterError) as error:
        run(protected_in(200, 1, 200), get("l1_unstructured"), {"amount": 100})
    assert "'layer0.weight'" in error.value.sentence
    assert error.value.remedy == "Unprotect weights, or uncheck the 2 tensors that allow none."


def module_of(values, kept):
    module = torch.nn.Module()
    module.weight = torch.nn.Parameter(torch.from_numpy(values.copy()))
    torch_prune.custom_from_mask(module, "weight", torch.from_numpy(kept.reshape(values.shape)))
    return module


def mask_of(module) -> np.ndarray:
    return module.weight_mask.numpy().reshape(-1) != 0


@st.composite
def finite(draw, least=1):
    """Draw finite float64 values with many ties, and their kept and protected elements."""
    shape = draw(shapes(least=least))
    size = math.prod(shape)
    values = decode_float64(draw(moderate_bits(DTYPES["F32"], size)), DTYPES["F32"])
    kept = draw(kept_bools(size))
    there = np.ones(size, bool) if kept is None else kept
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    protected = (rng.random(size) < draw(st.sampled_from([0.02, 0.2, 0.6]))) & there
    return values.reshape(shape), there, protected


def infinite_where(protected, values, there) -> torch.Tensor:
    flat = np.where(protected, np.inf, values.reshape(-1) * there)
    return torch.from_numpy(flat.reshape(values.shape))


def view(values, there, protected, name="layer.weight", **more):
    mask = BitMask.from_bools(protected)
    return view_of_values(values, there, name=name, chunk=7, protected=mask, **more)


@given(finite(), AMOUNTS)
def test_l1_unstructured_is_torch_with_infinite_scores(case, amount):
    values, there, protected = case
    count = round(amount * there.sum()) if isinstance(amount, float) else amount
    assume(count <= (there & ~protected).sum())
    module = module_of(values, there)
    torch_prune.l1_unstructured(
        module, "weight", amount, importance_scores=infinite_where(protected, values, there)
    )
    found = run([view(values, there, protected)], get("l1_unstructured"), {"amount": amount})
    equal_but_for_ties([mask_of(module)], found, [there], [np.abs(values).reshape(-1)])


@given(st.lists(finite(), min_size=2, max_size=4), AMOUNTS)
def test_l1_unstructured_globally_is_torch_with_infinite_scores(cases, amount):
    left = sum(there.sum() for _, there, _ in cases)
    count = round(amount * left) if isinstance(amount, float) else amount
    assume(count <= sum((there & ~protected).sum() for _, there, protected in cases))
    modules = [(module_of(values, there), "weight") for values, there, _ in cases]
    torch_prune.global_unstructured(
        modules,
        torch_prune.L1Unstructured,
        importance_scores={
            key: infinite_where(protected, values, there)
            for key, (values, there, protected) in zip(modules, cases, strict=True)
        },
        amount=amount,
    )
    views = [view(v, there, p, name=f"{i}") for i, (v, there, p) in enumerate(cases)]
    found = run(views, get("l1_unstructured"), {"amount": amount}, "global")
    expected = [mask_of(module) for module, _ in modules]
    scores = [np.abs(values).reshape(-1) for values, _, _ in cases]
    equal_but_for_ties(expected, found, [there for _, there, _ in cases], scores)


def equal_but_for_ties(expected, found, before, scores):
    """Assert equal pruned scores, and equal masks except for ties at the threshold."""
    ours = np.concatenate([mask.bools() for mask in found.masks.values()])
    torchs, there, ranked = map(np.concatenate, (expected, before, scores))
    went = ranked[there & ~ours]
    assert np.array_equal(np.sort(went), np.sort(ranked[there & ~torchs]))
    if went.size:
        apart = ranked != went.max()
        assert np.array_equal(ours[apart], torchs[apart])


@given(finite(least=2), st.integers(-5, 4), st.sampled_from([0.5, 1, 2, 3, math.inf]), AMOUNTS)
def test_ln_structured_is_torch_with_infinite_scores(case, dim, n, amount):
    values, there, protected = case
    shape = values.shape
    dim = dim % (2 * len(shape)) - len(shape)

    def by_channel(mask):
        return np.moveaxis(mask.reshape(shape), dim, 0).reshape(shape[dim], -1)

    alive = by_channel(there).any(axis=1)
    free = alive & ~by_channel(protected).any(axis=1)
    count = round(amount * alive.sum()) if isinstance(amount, float) else amount
    assume(count <= free.sum())
    module = module_of(values, there)
    torch_prune.ln_structured(
        module, "weight", amount, n, dim, importance_scores=infinite_where(protected, values, there)
    )
    wanted = {"amount": amount, "n": n, "dim": dim}
    found = run([view(values, there, protected)], get("ln_structured"), wanted)
    ours, torchs = (
        alive & ~by_channel(mask).any(axis=1)
        for mask in (found.masks["layer.weight"].bools(), mask_of(module))
    )
    norms = torch.norm(torch.from_numpy(by_channel(values * there.reshape(shape))), n, 1).numpy()
    assert ours.sum() == torchs.sum() == count
    assert not (ours & ~free).any()
    if count:
        apart = np.abs(norms - norms[ours].max()) > 1e-6 * norms[ours].max()
        assert np.array_equal(ours[apart], torchs[apart])


@given(finite(), st.integers(0, 2**32 - 1))
def test_custom_from_mask_is_torch_with_the_mask_or_protected(case, seed):
    values, there, protected = case
    mask = np.random.default_rng(seed).random(there.size) < 0.4
    module = module_of(values, there)
    wanted = torch.from_numpy((mask | protected).reshape(values.shape))
    torch_prune.custom_from_mask(module, "weight", wanted)
    given_mask = BitMask.from_bools(mask)
    found = run([view(values, there, protected, given=given_mask)], get("custom_from_mask"))
    np.testing.assert_array_equal(found.masks["layer.weight"].bools(), mask_of(module))
    assert found.protected["layer.weight"] == (protected & ~mask).sum()


@pytest.mark.parametrize("name", ["random_unstructured", "random_structured"])
def test_chance_takes_the_same_of_what_is_free(name):
    """Protection excludes weights and channels, without changing the draw of the others."""
    ones, free = np.ones((40, 3), np.float32), np.arange(40) % 4 != 1
    protected = BitMask.from_bools(np.repeat(~free, 3))
    guarded = run([replace(view_of_values(ones), protected=protected)], get(name), {"amount": 9})
    pruned_before = view_of_values(ones, np.repeat(free, 3))
    alone = run([pruned_before], get(name), {"amount": 9})
    name = pruned_before.name
    assert guarded.masks[name] == alone.masks[name] | protected
