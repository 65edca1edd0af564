"""The solver of the worker, in torch, compared with that of Pruneapp, in NumPy."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import torch

from pruneapp import resources
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.kernels.values import decode, encode
from pruneapp.repair.solve import Drift, Moments, Unknowns, output_moments, solve


@pytest.fixture(scope="module")
def solver():
    folder = str(resources.path("pruneapp_worker/main.py").parent.parent)
    sys.path.insert(0, folder)
    try:
        from pruneapp_worker import solver  # as the worker imports it
    finally:
        sys.path.remove(folder)
    return solver


def as_torch(solver, some):
    parts = some.wanted, some.present, some.free
    dtype = getattr(torch, some.dtype.torch)
    return solver.Unknowns(*(torch.from_numpy(np.array(part)) for part in parts), dtype)


@pytest.fixture
def both(solver, monkeypatch):
    """Provide a function that solves a layer with both, and returns the results."""

    def run(weights, moments, bias=None, device="cpu", **how):
        steps = []
        given = {
            "gram": torch.from_numpy(moments.gram),
            "sum": torch.from_numpy(moments.sums),
            "count": moments.count,
        }
        if moments.drift is not None:
            drift = moments.drift
            parts = drift.products, drift.sums, drift.squares
            given["drift"] = [torch.from_numpy(part) for part in parts]
        theirs = solver.solve(
            as_torch(solver, weights),
            None if bias is None else as_torch(solver, bias),
            given,
            iterations=how.get("iterations", 10),
            damping=how.get("damping", 0.01),
            device=device,
            step=steps.append,
            outputs=True,
        )
        copy = Unknowns(weights.wanted, weights.present.copy(), weights.free, weights.dtype)
        ours = solve(copy, moments, bias, **how)
        return ours, theirs, sum(steps)

    return run


def layer(seed, rows, columns, tokens, dtype=DTYPES["F32"], pruned=0.6):
    draw = np.random.default_rng(seed)
    inputs = draw.normal(size=(tokens, columns)) @ draw.normal(size=(columns, columns)) + 1.0
    values = draw.normal(size=(rows, columns)).astype(np.float32)
    wanted = decode(encode(values, dtype), dtype).astype(np.float32)
    kept = draw.random((rows, columns)) >= pruned
    free = kept & (draw.random((rows, columns)) >= 0.1)
    off = draw.normal(size=(tokens, rows)) + 0.3
    drift = Drift(off.T @ inputs, off.sum(axis=0), np.square(off).sum(axis=0))
    moments = Moments(inputs.T @ inputs, inputs.sum(axis=0), float(tokens), drift)
    weights = Unknowns(wanted, np.where(kept, wanted, np.float32(0)), free, dtype)
    bias = draw.normal(size=rows).astype(np.float32).astype(np.float64)
    return weights, moments, Unknowns(bias, bias + 0.1, draw.random(rows) < 0.5, DTYPES["F32"])


@pytest.mark.parametrize("name", ["F32", "F16", "BF16", "F8_E4M3"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize("with_drift", [False, True])
def test_both_solve_a_layer_alike(both, name, seed, with_bias, with_drift):
    """Weights, biases, errors and outputs, in each dtype that a worker may round to."""
    weights, moments, bias = layer(seed, 30, 24, 200, DTYPES[name])
    if not with_drift:
        moments = Moments(moments.gram, moments.sums, moments.count)
    ours, theirs, _ = both(weights, moments, bias if with_bias else None)
    # values near the middle of two may be rounded differently
    tolerance = 2e-4 if name == "F32" else 0.15
    found = theirs["weights"].numpy()
    assert np.allclose(found, ours.weights, atol=tolerance)
    assert np.mean(np.abs(found - ours.weights) > 2e-4) < 0.01
    assert theirs["errors"] == pytest.approx(
        [ours.errors.outputs, ours.errors.before, ours.errors.after, ours.errors.rounded], rel=1e-3
    )
    assert theirs["better"].sum() > 15
    if with_bias:
        assert theirs["bias"].numpy() == pytest.approx(ours.bias, abs=0.01)
    outputs = output_moments(moments, weights.wanted, (weights.present, ours.weights))
    sides = outputs.wanted, outputs.before, outputs.after
    for one, other in zip(theirs["outputs"], sides, strict=True):
        assert one.numpy() == pytest.approx(other, rel=5e-3, abs=5e-3)


def test_rows_that_are_not_finite_or_would_be_worse_stay(both):
    weights, moments, _ = layer(5, 8, 12, 6)
    weights.wanted[1, 3] = np.nan
    weights.present[2, 3] = np.inf
    ours, theirs, _ = both(weights, moments)
    assert not theirs["better"][1]
    assert not theirs["better"][2]
    assert np.allclose(theirs["weights"], ours.weights, atol=2e-3, equal_nan=True)
    assert np.isfinite(theirs["errors"]).all()


def test_large_layers_are_solved_in_pieces_with_looks_between(both, solver, monkeypatch):
    """A check may cancel it."""
    weights, moments, bias = layer(6, 50, 24, 200)
    whole = both(weights, moments, bias)[1]["weights"]
    monkeypatch.setattr(solver, "MOST_ROWS", 7)
    monkeypatch.setattr(solver, "AT_ONCE", 1 << 11)
    monkeypatch.setattr(solver, "CONVERTED", 50)
    _, theirs, steps = both(weights, moments, bias)
    assert np.allclose(theirs["weights"], whole, atol=1e-4)
    assert steps == 50 * 24**2 * 18  # as in work_of, and five times for the outputs

    def stop(_done):
        raise KeyboardInterrupt

    given = {"gram": torch.eye(3).double(), "sum": torch.ones(3).double(), "count": 9.0}
    part = solver.Unknowns(*(torch.ones(2, 3),) * 2, torch.ones(2, 3) > 0, torch.float32)
    with pytest.raises(KeyboardInterrupt):
        solver.solve(part, None, given, iterations=1, damping=0.01, device="cpu", step=stop)


def test_moments_that_are_not_finite_are_refused(solver):
    with pytest.raises(ValueError, match="they are not finite"):
        solver.scale_of(torch.tensor([[np.nan]]))
