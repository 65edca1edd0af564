"""Tests of every registered method."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.errors import ParameterError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.builtin.activations import SWAPS_N_M
from pruneapp.methods.cutoff import units_left
from pruneapp.methods.method import Method, RowMethod
from pruneapp.methods.prune_tensors import prune
from pruneapp.methods.registry import METHODS
from pruneapp.params import AmountParam, ChoiceParam, DimParam
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.param_values import invalid, valid
from tests.support.strategies import float_types, kept_bools, raw_bits, shapes
from tests.support.tensors import asked_of, left_in_rows, reading, view_of

EVERY = pytest.mark.parametrize("method", METHODS.values(), ids=lambda m: m.name)
WITH_AMOUNT = pytest.mark.parametrize(
    "method",
    [m for m in METHODS.values() if any(isinstance(p, AmountParam) for p in m.params)],
    ids=lambda m: m.name,
)


def run(views, method, values=None, scope=None, job=None):
    scope = scope or method.scopes[0]
    return prune(views, method, values or {}, scope, CpuKernel(), job or Job()).masks


def half_of(method: Method) -> dict[str, float]:
    return {"amount": 0.5} if "amount" in {p.name for p in method.params} else {}


@st.composite
def tensors(draw, method: Method, name: str = "fc.weight"):
    """Draw a tensor that suits the method, pruned before or not, with its additional inputs."""
    dtype = draw(float_types)
    shape = draw(shapes(least=method.least_dims))
    size = math.prod(shape)
    more = {}
    if method.takes_scores and draw(st.booleans()):
        other = draw(float_types)
        more["scores"] = view_of(draw(raw_bits(other, size)), other, shape, name="scores")
    more |= asked_of(method, shape, draw(st.integers(0, 99)))
    chunk = draw(st.sampled_from([5, 1000]))
    bits, kept = draw(raw_bits(dtype, size)), draw(kept_bools(size))
    return view_of(bits, dtype, shape, kept, name=name, chunk=chunk, **more)


@EVERY
def test_texts_read_as_sentences(method):
    """They appear in the form and on the reference page."""
    assert 1 <= len(method.label.split()) <= 4
    assert method.label[0].isupper()
    assert not method.label.endswith(".")
    assert method.help[0].isupper()
    assert method.help.endswith(".")
    assert 100 <= len(method.help) <= 500
    assert "  " not in method.help
    assert method.formula
    assert method.name.isidentifier()
    for param in method.params:
        assert 1 <= len(param.label.split()) <= 3
        assert param.help[0].isupper()
        assert param.help.endswith(".")
        assert "\n" not in param.help


@EVERY
def test_parameters_accept_what_they_say_and_refuse_the_rest(method):
    """By the method's own validation, which names the parameter; text and value agree."""
    choices = [param for param in method.params if isinstance(param, ChoiceParam)]
    for param in method.params:
        assert param.validate(param.default) == param.default
        needing = {p.name: c.value for p in choices for c in p.choices if param.name in c.needs}
        for value in valid(param):
            assert value == method.validate({**needing, param.name: value})[param.name]
            assert value == param.parse(param.format(value))
        for value in invalid(param):
            with pytest.raises(ParameterError, match=f"'{param.name}' must be"):
                method.validate({param.name: value})
    with pytest.raises(ParameterError, match="Unknown parameter 'no_such'"):
        method.validate({"no_such": 1})


@EVERY
@given(data=st.data())
def test_runs_on_any_type_and_shape(method, data):
    """Pruned weights stay pruned, the count equals the amount, and chunks do not matter."""
    view = data.draw(tensors(method))
    before = view.kept or BitMask.full(view.numel)
    left = units_left(view, method, {})
    after = run([view], method)[view.name]
    bits = np.concatenate([chunk.bits.copy() for chunk in view.read()])

    assert after == run([replace(view, read=reading(bits, 3))], method)[view.name]
    assert view.numel == after.size
    assert after == after & before
    if isinstance(method, RowMethod) and method.allocate is None:
        assert sum(round(0.2 * n) for n in left_in_rows(view)) == before.kept - after.kept
    elif method.granularity == "weights":
        assert round(0.2 * left) == before.kept - after.kept
    elif method.granularity in {"channels", "blocks"}:
        pruned = view_of(np.zeros(view.numel, np.uint32), DTYPES["F32"], view.shape, after.bools())
        assert left - round(0.2 * left) == units_left(pruned, method, {})


@EVERY
def test_runs_in_any_number_of_dimensions(method):
    """Channels need two; one dimension is refused with the reason."""
    bounds = [p.bounds for p in method.params if isinstance(p, DimParam)]
    for dims in range(1, 6):
        shape = (3, 2, 4, 2, 3)[:dims]
        size = math.prod(shape)
        more = asked_of(method, shape)
        view = view_of(np.arange(size, dtype=np.uint32), DTYPES["F32"], shape, **more)
        if dims < method.least_dims:
            with pytest.raises(ParameterError, match="two or more dimensions"):
                run([view], method)
            continue
        for dim in [d for d in range(-dims, dims) if d in bounds[0]] if bounds else [None]:
            values = {} if dim is None else {"dim": dim}
            if method is SWAPS_N_M and dim in {0, -dims}:
                with pytest.raises(ParameterError, match="contain weights of several outputs"):
                    run([view], method, values)
                continue
            assert run([view], method, values)["layer.weight"].size == size, (dims, dim)


@EVERY
@given(data=st.data())
def test_every_scope_is_run_or_refused_with_the_reason(method, data):
    """Over several tensors of mixed dtypes; progress ends at its announced total."""
    views = [data.draw(tensors(method, name=f"layer{i}.weight")) for i in range(2)]
    told = []

    class Told:
        def report(self, done, total, label):
            told.append((done, total))

    for scope in ("local", "global"):
        if scope not in method.scopes:
            with pytest.raises(ParameterError, match=f"'{method.name}' cannot prune {scope}"):
                run(views, method, scope=scope)
            continue
        told.clear()
        masks = run(views, method, scope=scope, job=Job(Told()))

        assert [v.name for v in views] == list(masks)
        assert told == [] or told[-1][0] == told[-1][1]
    with pytest.raises(ParameterError, match="'scope' must be local or global"):
        run(views, method, scope="everywhere")


@WITH_AMOUNT
@given(data=st.data())
def test_amounts_at_the_borders(method, data):
    """None, all, and one more than all."""
    view = data.draw(tensors(method))
    before = view.kept or BitMask.full(view.numel)
    left = units_left(view, method, {})
    for nothing in (0, 0.0):
        assert before == run([view], method, {"amount": nothing})[view.name]
    for everything in (left, 1.0):
        assert run([view], method, {"amount": everything})[view.name].kept == 0
    with pytest.raises(ParameterError, match=r"(only [\d,]+|here: all) \w+ of 'fc"):
        run([view], method, {"amount": left + 1})


@WITH_AMOUNT
def test_pruning_again_takes_a_share_of_what_is_left(method):
    """0.5 twice leaves a quarter."""
    bits = np.random.default_rng(0).permutation(64).astype(np.uint32)
    more = asked_of(method, (8, 8))
    view = view_of(bits, DTYPES["F32"], (8, 8), **more)
    once = run([view], method, {"amount": 0.5})[view.name]
    again = view_of(bits, DTYPES["F32"], (8, 8), once.bools(), **more)
    twice = run([again], method, {"amount": 0.5})[view.name]

    assert (once.kept, twice.kept) == (32, 16)
    assert twice == twice & once


@EVERY
def test_importance_scores_decide_or_are_refused(method):
    """They replace the weights as in torch."""
    shape = (4, 5)
    weights = np.arange(20, dtype=np.float32)
    more = asked_of(method, shape)

    def pruned_with(scores, dtype="F32", scores_shape=shape):
        scores = view_of(scores, DTYPES[dtype], scores_shape, name="scores")
        return pruned_of(weights, scores=scores)

    def pruned_of(values, **scores):
        view = view_of(values.view(np.uint32), DTYPES["F32"], shape, **more, **scores)
        return run([view], method, half_of(method))["layer.weight"].bools()

    backwards = weights[::-1].copy()
    falling = backwards.view(np.uint32)
    if not method.takes_scores:
        with pytest.raises(ParameterError, match=f"'{method.name}' takes no importance scores"):
            pruned_with(falling)
        return
    assert np.array_equal(pruned_of(backwards), pruned_with(falling))
    assert not np.array_equal(pruned_of(weights), pruned_with(falling))
    with pytest.raises(ParameterError, match=r"shape \[4, 5\] \(got \[20\]\)"):
        pruned_with(falling, scores_shape=(20,))
    with pytest.raises(ParameterError, match=r"must be floats \(got int32\)"):
        pruned_with(falling, dtype="I32")


@EVERY
def test_cancelled_work_stops(method):
    token = CancelToken()
    token.cancel()
    more = asked_of(method, (4, 5))
    view = view_of(np.arange(20, dtype=np.uint32), DTYPES["F32"], (4, 5), **more)

    with pytest.raises(Cancelled):
        run([view], method, half_of(method), job=Job(cancel=token))


@EVERY
def test_no_tensors_no_masks(method):
    """An empty selection is reported elsewhere."""
    for scope in method.scopes:
        assert run([], method, scope=scope) == {}
