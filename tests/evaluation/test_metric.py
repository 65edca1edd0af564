"""Direction of metrics, allowed change, and noise."""

from __future__ import annotations

import array
import base64
import math
import random
import statistics
import sys

import pytest

from pruneapp.errors import ParameterError
from pruneapp.evaluation.evaluator import state_sha256
from pruneapp.evaluation.metric import (
    Metric,
    MetricChange,
    Spread,
    Tolerance,
    _student,
    band_of,
    higher_is_better,
    is_compared,
    noise_between,
)
from pruneapp.progress import Job
from tests.support.cancel_checks import count_looks

NONE = Spread(0.0, 0.0)


@pytest.mark.parametrize(
    ("name", "higher"),
    [
        ("accuracy", True), ("eval_acc", True), ("acc,none", True), ("val/acc1", True),
        ("evalAccuracy", True), ("mAP", True), ("F1", True), ("top1", True), ("rougeL", True),
        ("rouge2", True), ("exact_match", True), ("same_top1", True), ("test_acc_epoch", None),
        ("loss", False), ("eval_loss", False), ("word_perplexity,none", False), ("ppl", False),
        ("RMSE", False), ("top1_error", False), ("cosine_distance", False), ("wer", False),
        ("kl", False), ("relative_error", False), ("eval_runtime", None), ("acc_stderr,none", None),
        ("score", None), ("fluff", None), ("", None), ("42", None), ("mapping", None),
    ],
)  # fmt: skip
def test_directions_are_known_by_name(name, higher):
    assert higher_is_better(name, None) is higher


def test_what_a_script_declares_comes_first():
    assert higher_is_better("loss", True) is True
    assert higher_is_better("task.loss", {"loss": True}) is True
    assert higher_is_better("loss", {"other": True}) is False
    assert higher_is_better("runtime", {"runtime": False}) is False


def test_times_and_errors_of_metrics_are_not_compared_unless_declared():
    assert not is_compared("eval_runtime", None)
    assert not is_compared("eval_samples_per_second", {"acc": True})
    assert not is_compared("acc_stderr,none", None)
    assert is_compared("fluff", None)
    assert is_compared("eval_runtime", {"eval_runtime": False})
    assert is_compared("val.seconds", {"seconds": False})


@pytest.mark.parametrize(
    ("text", "value", "original", "higher", "exceeded"),
    [
        ("0.01", 0.97, 0.98, True, False),  # 0.98 - 0.97 > 0.01 in binary fractions
        ("0.01", 0.969, 0.98, True, True),
        ("0.01", 0.99, 0.98, True, False),
        ("1%", 0.98 * 0.99, 0.98, True, False),
        ("1 %", 0.97, 0.98, True, True),
        ("1%", -102, -100, True, True),
        ("0", 2.0, 2.0, False, False),
        ("0", 2.0000001, 2.0, False, True),
        ("0", 1.9, 2.0, False, False),
        ("1e-3", 2.002, 2.0, False, True),
    ],
)
def test_how_much_worse_is_allowed(text, value, original, higher, exceeded):
    assert Tolerance.parse(text).is_exceeded(value, original, higher=higher) is exceeded


@pytest.mark.parametrize("text", ["", "%", "x", "-1", "nan", "inf", "1%%"])
def test_a_tolerance_is_a_number(text):
    with pytest.raises(ParameterError, match="'--at-most' must be a number"):
        Tolerance.parse(text)


def samples(*values):
    return Metric(statistics.fmean(values), samples=tuple(map(float, values)))


def test_the_paired_interval_of_right_and_wrong_holds_what_it_should():
    draw = random.Random(1)
    inside = 0
    for _ in range(400):
        pairs = [(draw.random() < 0.9, draw.random()) for _ in range(150)]
        # One of ten correct answers becomes wrong, one of ten others becomes correct.
        after = [right if chance > 0.1 else not right for right, chance in pairs]
        before = samples(*(right for right, _ in pairs))
        band = band_of(samples(*after), before, NONE)
        true = 0.1 * 0.1 - 0.9 * 0.1
        found = statistics.fmean(after) - before.value
        inside += abs(found - true) <= band.half
    assert 0.92 < inside / 400 < 0.99


def test_the_paired_interval_of_any_numbers_is_that_of_student():
    band = band_of(samples(1, 2, 3, 5), samples(1, 1, 1, 1), NONE)
    deviation = statistics.stdev([0, 1, 2, 4])
    assert band.half == pytest.approx(3.182 * deviation / 2, rel=1e-3)
    assert "from 4 paired samples" in band.words
    for freedom, quantile in (
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (5, 2.571),
        (10, 2.228),
        (100, 1.984),
    ):
        assert _student(freedom) == pytest.approx(quantile, rel=1e-3)


def measured(values, half=0.0):
    """Return a metric of a state as an evaluation stores it, with the values of the samples."""
    packed = base64.b64encode(array.array("d", values).tobytes()).decode()
    metric = Metric.of({"value": statistics.fmean(values), "samples": packed})
    assert metric.without_samples().stored == metric.stored
    return MetricChange(
        "cosine", metric.value, 1.0, half, "paired", higher=True, samples=metric.stored
    )


@pytest.mark.skipif(sys.byteorder == "big", reason="the worker sends little-endian numbers")
def test_two_states_have_the_noise_of_their_paired_samples():
    draw = random.Random(2)
    before = [draw.uniform(0.7, 1.0) for _ in range(200)]
    after = [value + draw.gauss(0.001, 0.001) for value in before]
    noise = noise_between(measured(before, half=0.008), measured(after, half=0.008))
    expected = band_of(samples(*after), samples(*before), NONE)
    assert noise == (expected.half, False)
    assert noise.half < 0.0002

    fewer = noise_between(measured(before, half=0.003), measured(after[:-1], half=0.004))
    assert fewer == (pytest.approx(0.005), True)


@pytest.mark.skipif(sys.byteorder == "big", reason="the worker sends little-endian numbers")
def test_samples_are_stored_up_to_a_size():
    draw = random.Random(3)
    right = [float(draw.random() < 0.8) for _ in range(40_000)]
    assert 0 < len(measured(right).samples) <= 1 << 14
    assert measured([draw.random() for _ in range(1_500)]).samples
    assert not measured([draw.random() for _ in range(3_000)]).samples
    assert not Metric.of({"value": 0.5}).stored


def test_counts_have_an_interval_of_independent_samples():
    found = band_of(Metric(0.9, (324, 360)), Metric(0.95, (342, 360)), NONE)
    assert found.half == pytest.approx(1.96 * math.sqrt(0.09 / 360 + 0.0475 / 360), rel=0.05)
    assert found.holds(0.01)
    assert not found.holds(-0.05)


def test_without_samples_the_largest_spread_is_the_noise():
    band = band_of(Metric(1), Metric(1), Spread(0.1, 0.3))
    assert band.half == 0.3
    assert band.holds(0.3)
    assert not band.holds(0.31)


def test_of_a_repeatable_number_nothing_is_called_equal():
    band = band_of(Metric(1), Metric(1), NONE)
    assert band.words == "repeatable; the sampling error is unknown"
    assert not band.holds(0.0)


def test_samples_of_another_length_are_not_paired():
    assert band_of(samples(1, 2), samples(1, 2, 3), NONE).half == 0


def test_the_hash_of_a_state_is_that_of_what_is_pruned(source_of):
    import numpy as np
    import torch

    from pruneapp.document.snapshot import Snapshot
    from pruneapp.masks.bitmask import BitMask

    checkpoint = source_of("safetensors", {"a": torch.ones(9), "b": torch.ones(9)})
    state = Snapshot(checkpoint)
    mask = BitMask.from_bools(np.arange(9) > 3)
    hashes = {
        state_sha256(state.with_masks({"masks": masks}))
        for masks in ({}, {"a": mask}, {"b": mask}, {"a": mask, "b": mask})
    }
    assert len(hashes) == 4
    assert state_sha256(state.with_masks({"masks": {"a": BitMask.full(9)}})) == state_sha256(state)


def test_hashing_a_state_can_be_cancelled_within_a_tensor(source_of):
    import numpy as np
    import torch

    from pruneapp.document.snapshot import Snapshot
    from pruneapp.edits.repaired_values import as_values

    state = Snapshot(source_of("safetensors", {"a": torch.ones(9)}))
    state = state.with_masks({"values": {"a": as_values(np.zeros(64 << 20, np.uint8))}})
    looks = count_looks(lambda token: state_sha256(state, Job(cancel=token))).looks
    assert looks >= 8, "at least every 8 MiB: some milliseconds"
