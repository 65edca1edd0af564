"""Masks of documents compared with torch.nn.utils.prune.

Equal to torch means: the same count, the same multiset of pruned scores, and the same mask wherever
the score differs from the threshold; norms within 1e-6 relative count as ties. For dtypes that
torch cannot prune, or only with overflows, the reference is torch on the values as float64.
"""

from __future__ import annotations

import math

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
from pruneapp.methods.prune_tensors import prune
from pruneapp.methods.registry import get
from pruneapp.progress import Job
from tests.support.strategies import float_types, kept_bools, moderate_bits, raw_bits, shapes
from tests.support.tensors import decode_float64, view_of, view_of_values

AMOUNTS = st.one_of(st.floats(0, 1), st.integers(0, 30))


def module_of(values: np.ndarray, kept: np.ndarray | None) -> torch.nn.Module:
    """Return a module with one parameter, pruned before if `kept` is given."""
    module = torch.nn.Module()
    module.weight = torch.nn.Parameter(torch.from_numpy(values))
    if kept is not None:
        mask = torch.from_numpy(kept.reshape(values.shape)).to(module.weight.dtype)
        torch_prune.custom_from_mask(module, "weight", mask)
    return module


def ours(view, name, values, scope="local"):
    pruned = prune([view], get(name), values, scope, CpuKernel(), Job())
    return pruned.masks[view.name].bools()


def torchs(module, name, **values) -> np.ndarray:
    getattr(torch_prune, name)(module, "weight", **values)
    return module.weight_mask.numpy().reshape(-1) != 0


def assert_equal_to_torch(expected, found, before, scores):
    """Compare masks by the pruned elements; `scores` is flat float64."""
    went, gone = scores[before & ~expected], scores[before & ~found]
    assert np.array_equal(np.sort(went), np.sort(gone), equal_nan=True)
    if gone.size:
        threshold = np.sort(gone)[-1]  # NaN sorts last
        at = np.isnan(scores) if math.isnan(threshold) else scores == threshold
        assert np.array_equal(expected[~at], found[~at])
    else:
        assert np.array_equal(expected, found)


@given(data=st.data(), dtype=float_types, shape=shapes(), amount=AMOUNTS, scored=st.booleans())
def test_l1_unstructured(data, dtype, shape, amount, scored):
    """Every dtype and shape, pruned before or not, by weights or scores, including NaN."""
    size = math.prod(shape)
    bits, kept = data.draw(raw_bits(dtype, size)), data.draw(kept_bools(size))
    values = decode_float64(bits, dtype).reshape(shape)
    scores, more = values, {}
    if scored:
        scores = decode_float64(data.draw(raw_bits(DTYPES["F32"], size)), DTYPES["F32"])
        scores = scores.reshape(shape)
        more["scores"] = view_of_values(scores, name="scores")
    before = np.ones(size, np.bool_) if kept is None else kept
    view = view_of(bits, dtype, shape, kept, chunk=17, **more)
    given_scores = torch.from_numpy(scores) if scored else None
    if isinstance(amount, int) and amount > before.sum():
        with pytest.raises(ParameterError):
            ours(view, "l1_unstructured", {"amount": amount})
        return
    module = module_of(values, kept)
    expected = torchs(module, "l1_unstructured", amount=amount, importance_scores=given_scores)
    found = ours(view, "l1_unstructured", {"amount": amount})

    assert_equal_to_torch(expected, found, before, np.abs(scores.reshape(-1)))


@given(data=st.data(), count=st.integers(2, 4), amount=AMOUNTS)
def test_l1_unstructured_globally(data, count, amount):
    """One threshold over tensors of several dtypes, compared with torch on float64 values."""
    views, modules, befores, scores = [], [], [], []
    for index in range(count):
        dtype, shape = data.draw(float_types), data.draw(shapes(elements=60))
        size = math.prod(shape)
        bits, kept = data.draw(raw_bits(dtype, size)), data.draw(kept_bools(size))
        values = decode_float64(bits, dtype).reshape(shape)
        views.append(view_of(bits, dtype, shape, kept, name=f"{index}", chunk=13))
        modules.append((module_of(values, kept), "weight"))
        befores.append(np.ones(size, np.bool_) if kept is None else kept)
        scores.append(np.abs(values.reshape(-1)))
    before = np.concatenate(befores)
    assume(isinstance(amount, float) or amount <= before.sum())
    torch_prune.global_unstructured(modules, torch_prune.L1Unstructured, amount=amount)
    expected = np.concatenate([m.weight_mask.numpy().reshape(-1) != 0 for m, _ in modules])
    pruned = prune(views, get("l1_unstructured"), {"amount": amount}, "global", CpuKernel(), Job())
    found = np.concatenate([pruned.masks[view.name].bools() for view in views])

    assert_equal_to_torch(expected, found, before, np.concatenate(scores))


def channels_pruned(mask: np.ndarray, shape, dim) -> np.ndarray:
    return ~np.moveaxis(mask.reshape(shape), dim, 0).reshape(shape[dim], -1).any(axis=1)


@given(
    data=st.data(),
    dtype=float_types,
    shape=shapes(least=2),
    dim=st.integers(-5, 4),
    n=st.sampled_from([0, 0.5, 1, 2, 3, -1, math.inf, -math.inf]),
    amount=AMOUNTS,
    scored=st.booleans(),
)
def test_ln_structured(data, dtype, shape, dim, n, amount, scored):
    """Every order that torch supports for such slices; positive and negative dimensions."""
    dim = dim % (2 * len(shape)) - len(shape)
    size = math.prod(shape)
    bits = data.draw(moderate_bits(dtype, size))
    kept = data.draw(kept_bools(size))
    values = decode_float64(bits, dtype).reshape(shape)
    ranked, more, given_scores = values, {}, None
    if kept is not None:
        ranked = np.where(kept.reshape(shape), values, 0)
    if scored:
        ranked = data.draw(raw_bits(DTYPES["F32"], size, nan=False, finite=True))
        ranked = decode_float64(ranked, DTYPES["F32"]).reshape(shape)
        more["scores"] = view_of_values(ranked, name="scores")
        given_scores = torch.from_numpy(ranked)
    view = view_of(bits, dtype, shape, kept, chunk=17, **more)
    wanted = {"amount": amount, "n": n, "dim": dim}
    before = np.zeros(shape[dim], np.bool_)
    if kept is not None:
        before = channels_pruned(kept, shape, dim)
    if isinstance(amount, int) and amount > (~before).sum():
        with pytest.raises(ParameterError, match="channel"):
            ours(view, "ln_structured", wanted)
        return
    expected = torchs(
        module_of(values, kept), "ln_structured", importance_scores=given_scores, **wanted
    )
    found = ours(view, "ln_structured", wanted)

    flat = torch.from_numpy(ranked).movedim(dim, 0).reshape(shape[dim], -1)
    norms = torch.norm(flat, p=n, dim=1).numpy()
    went, gone = (channels_pruned(mask, shape, dim) & ~before for mask in (expected, found))
    assert went.sum() == gone.sum()
    if gone.any():
        threshold = norms[gone].max()
        with np.errstate(invalid="ignore"):
            tied = (norms == threshold) | (np.abs(norms - threshold) <= 1e-6 * threshold)
        assert np.array_equal(went[~tied], gone[~tied])
        spread = np.broadcast_to(
            tied.reshape([-1 if d == dim % len(shape) else 1 for d in range(len(shape))]), shape
        ).reshape(-1)
        assert np.array_equal(expected[~spread], found[~spread])
    else:
        assert np.array_equal(expected, found)


def test_nan_channels_are_kept():
    """NaN counts as largest, in torch as well."""
    values = np.array([[1.0, 2], [math.nan, 0], [9, 9]])
    wanted = {"amount": 2, "n": 2, "dim": 0}
    expected = torchs(module_of(values, None), "ln_structured", **wanted)

    assert np.array_equal(expected, ours(view_of_values(values), "ln_structured", wanted))
    assert expected.tolist() == [False, False, True, True, False, False]


@pytest.mark.parametrize("name", ["random_unstructured", "random_structured"])
@given(data=st.data(), shape=shapes(least=2), amount=AMOUNTS, dim=st.integers(0, 4))
def test_random_methods_prune_as_many(name, data, shape, amount, dim):
    """The selected elements differ, because the generators do."""
    dim %= len(shape)
    kept = data.draw(kept_bools(math.prod(shape)))
    values = np.ones(shape, np.float32)
    wanted = {"amount": amount} | ({"dim": dim} if name == "random_structured" else {})
    view = view_of_values(values, kept)

    def count(mask):
        if name == "random_structured":
            return channels_pruned(mask, shape, dim).sum()
        return (~mask).sum()

    try:
        expected = torchs(module_of(values, kept), name, **wanted)
    except ValueError:
        with pytest.raises(ParameterError):
            ours(view, name, wanted)
        return
    found = ours(view, name, wanted)

    assert count(expected) == count(found)
    assert kept is None or not (found & ~kept).any()


@given(data=st.data(), shape=shapes())
def test_given_masks_are_laid_over_what_was_pruned(data, shape):
    """custom_from_mask and identity, bit for bit."""
    size = math.prod(shape)
    kept, mask = data.draw(kept_bools(size)), data.draw(kept_bools(size))
    assume(mask is not None)
    values = np.ones(shape, np.float32)
    view = view_of_values(values, kept, given=BitMask.from_bools(mask))
    tensor = torch.from_numpy(mask.reshape(shape)).float()

    assert np.array_equal(
        torchs(module_of(values, kept), "custom_from_mask", mask=tensor),
        ours(view, "custom_from_mask", {}),
    )
    assert np.array_equal(torchs(module_of(values, kept), "identity"), ours(view, "identity", {}))
