"""The effect of a repair on the sample; docs/quality.md has all results."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.progress import Job
from pruneapp.repair.repair import compute_repair
from tests.benchmarks.quality_models import known, sample
from tests.benchmarks.sparse_gpt import sparse_gpt
from tests.benchmarks.subjects.quality import SAMPLE
from tests.repair.layers import mixed


def test_the_sample_works_again_at_90_and_95_percent():
    """More than three of four lost pictures are classified correctly again."""
    model = sample()
    with open_checkpoint(model.path) as checkpoint:
        whole = Snapshot(checkpoint)
        dense = model.load(whole)
        moments = model.moments(dense, 0)
        assert model.score(dense, dense) == pytest.approx(98.9, abs=0.1)
        for pruning, without in zip(SAMPLE[:2], (91.9, 38.1), strict=True):
            state = whole.with_masks({"masks": pruning.masks(whole)})
            assert model.score(model.load(state), dense) == pytest.approx(without, abs=0.1)
            outcome = compute_repair(state, known(moments), Job())
            assert (
                model.score(model.load(state.with_masks(outcome.edit.after)), dense)
                >= pruning.least
            )
            assert all(layer.rounded <= layer.before for layer in outcome.layers)


def test_layer_after_layer_the_sample_works_again_where_every_layer_lost_as_much():
    """At 80 % per tensor, where a non-sequential repair is not sufficient."""
    model, pruning = sample(), SAMPLE[-1]
    assert pruning.words == "L1 per tensor 80%"
    with open_checkpoint(model.path) as checkpoint:
        whole = Snapshot(checkpoint)
        dense = model.load(whole)
        state = whole.with_masks({"masks": pruning.masks(whole)})
        scores = [
            model.score(model.load(state.with_masks(after)), dense)
            for after in (
                compute_repair(state, known(model.moments(dense, 0)), Job()).edit.after,
                {"values": model.sequential(dense, state, 0).values},
            )
        ]
    assert scores[0] < 50
    assert scores[1] >= pruning.sequential


def test_the_yardstick_prunes_its_share_and_does_better_than_nothing():
    """Compared with pruning the smallest weights."""
    inputs = mixed(1, 900, 200)
    weights = np.random.default_rng(2).normal(size=(30, 200)).astype(np.float32)
    found = sparse_gpt(weights, inputs.T @ inputs, 0.6)
    assert (found == 0).sum() == round(0.6 * weights.size)
    smallest = np.where(np.abs(weights) > np.quantile(np.abs(weights), 0.6), weights, 0)
    errors = [np.square(inputs @ (weights - other).T).sum() for other in (found, smallest)]
    assert errors[0] < 0.7 * errors[1]


def test_the_yardstick_prunes_the_same_share_of_each_group():
    inputs = mixed(1, 900, 200)
    weights = np.random.default_rng(2).normal(size=(30, 200)).astype(np.float32)
    found = sparse_gpt(weights, inputs.T @ inputs, 0.5, 4)
    assert ((found.reshape(30, 50, 4) == 0).sum(2) == 2).all()
    order = np.argsort(np.abs(weights).reshape(30, 50, 4), axis=2)
    smallest = weights.copy().reshape(30, 50, 4)
    np.put_along_axis(smallest, order[:, :, :2], 0, axis=2)
    errors = [
        np.square(inputs @ (weights - other.reshape(30, 200)).T).sum()
        for other in (found, smallest)
    ]
    assert errors[0] < 0.7 * errors[1]
