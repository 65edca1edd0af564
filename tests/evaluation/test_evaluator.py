"""The unpruned model is measured first, and results are cached."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

from pruneapp.evaluation.evaluator import Evaluator
from pruneapp.evaluation.metric import Metric, NoNumberError
from pruneapp.evaluation.runner import Measured, ScriptRunner
from pruneapp.evaluation.script import Interpreter, Options
from pruneapp.progress import Job
from tests.evaluation.scripts import (
    AGREEMENT,
    MODEL,
    expected,
    outputs,
    pruned,
    refused,
    write_script,
)


def test_the_unpruned_model_is_measured_three_times_and_results_are_kept(runner, mode, state):
    mode("noisy")
    evaluator = Evaluator(runner)
    baseline = evaluator.measure_baseline(pruned(state), Job())
    spread = baseline.spreads["sum"]
    assert spread.repeated == 0
    assert 0 < spread.reseeded < 1
    assert baseline.first.metrics["top"].samples == expected(state)[1]
    result = evaluator.measure(pruned(state), Job())
    assert evaluator.measure(pruned(state), Job()) is result
    assert evaluator.measure(state, Job()) is baseline.first
    assert {key.checkpoint for key in evaluator.results} == {result.key.checkpoint}
    total, top = evaluator.changes(result)
    assert total.higher is None
    assert total.band.half == spread.largest
    assert "95 % confidence interval from 50 paired samples" in top.band.words


def test_samples_are_kept_of_the_unpruned_model_and_of_the_last_state(runner, mode, state):
    mode("plain")
    evaluator = Evaluator(runner)
    baseline = evaluator.measure_baseline(state, Job())
    first = evaluator.measure(pruned(state), Job())
    noise = [change.band for change in evaluator.changes(first)]
    states = [pruned(state, seed=seed) for seed in range(1, 5)]
    for each in states:
        last = evaluator.measure(each, Job())
    held = [len(r.metrics["top"].samples) for r in evaluator.results.values()]
    assert held == [50, 0, 0, 0, 0, 50]
    assert evaluator.measure(state, Job()) is baseline.first
    assert evaluator.measure(states[-1], Job()) is last
    again = evaluator.measure(pruned(state), Job())
    assert again.metrics["top"].value == first.metrics["top"].value
    assert [change.band for change in evaluator.changes(again)] == noise
    assert [m.share for m in again.metrics.values()] == [m.share for m in first.metrics.values()]


def test_of_what_is_no_number_the_unpruned_model_tells_whose_fault_it_is(
    runner, mode, state, monkeypatch
):
    mode("plain")
    evaluator = Evaluator(runner)
    nothing = Measured({"top": Metric(float("nan"))}, 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(runner, "run", lambda *_, **__: nothing)
        with pytest.raises(NoNumberError) as at_first:
            evaluator.measure_baseline(state, Job())
    evaluator.measure_baseline(state, Job())
    monkeypatch.setattr(runner, "run", lambda *_, **__: nothing)
    with pytest.raises(NoNumberError) as then:
        evaluator.measure(pruned(state), Job())
    assert "is nan for the unpruned model, which is not a finite number" in str(at_first.value)
    assert "Correct the evaluation" in str(at_first.value)
    assert "The pruned model may be broken" in str(then.value)


def test_another_script_is_another_key(runner, folder):
    (folder / "other").mkdir()
    other = write_script(folder / "other", MODEL + "\n", load="")
    assert ScriptRunner(other, Interpreter(Path(sys.executable), ""), Options()).key != runner.key


def test_without_labels_agreement_with_the_unpruned_model_is_measured(folder, mode, state):
    place = folder / "agreement"
    place.mkdir()
    (place / "mode").write_text("plain")
    script = write_script(place, AGREEMENT, load="")
    made = ScriptRunner(script, Interpreter(Path(sys.executable), ""), Options(device="cpu"))
    with Evaluator(made) as evaluator:
        assert "there is no unpruned model" in refused(lambda: evaluator.measure(state, Job()))
        baseline = evaluator.measure_baseline(state, Job())
        assert {name: m.value for name, m in baseline.first.metrics.items()} == {
            "same_top1": 1.0,
            "kl": 0.0,
            "cosine": pytest.approx(1),
            "relative_error": 0.0,
        }
        found = evaluator.measure(pruned(state), Job()).metrics
        before, after = outputs(state), outputs(pruned(state))
        same = (before.argmax(1) == after.argmax(1)).double().mean()
        assert found["same_top1"].value == float(same)
        log_p, log_q = before.log_softmax(1), after.log_softmax(1)
        kl = (log_p.exp() * (log_p - log_q)).sum(1).mean()
        assert found["kl"].value == pytest.approx(float(kl))
        apart = (before - after).norm() / before.norm()
        assert found["relative_error"].value == pytest.approx(float(apart))
        cosine = torch.cosine_similarity(before.flatten(), after.flatten(), dim=0)
        assert found["cosine"].value == pytest.approx(float(cosine))
        made._referred = 0  # a killed worker's data is collected again
        evaluator.results.clear()
        assert evaluator.measure(pruned(state), Job()).metrics == found
        (place / "mode").write_text("other")
        evaluator.results.clear()
        said = refused(lambda: evaluator.measure(pruned(state), Job()))
        assert "ran other inputs than with the unpruned model" in said


EMBEDDING = (
    AGREEMENT
    + """
plain_load = load

def load(path):
    model = plain_load(path)
    forward = model.forward

    def embed(x):
        return {"last_hidden_state": forward(x).repeat(1, 200)[None], "pooler_output": None}

    model.forward = embed
    return model
"""
)


def test_of_an_embedding_only_what_needs_no_classes_is_measured(tmp_path, state):
    """Regression: 'same_top1' came first, although the outputs are no classes."""
    (tmp_path / "mode").write_text("plain")
    script = write_script(tmp_path, EMBEDDING, load="")
    made = ScriptRunner(script, Interpreter(Path(sys.executable), ""), Options(device="cpu"))
    with Evaluator(made) as evaluator:
        evaluator.measure_baseline(state, Job())
        result = evaluator.measure(pruned(state), Job())
        assert [c.name for c in evaluator.changes(result)] == ["cosine", "relative_error"]
        before, after = outputs(state).flatten(), outputs(pruned(state)).flatten()
        # All of the 1000 columns are compared.
        cosine = torch.cosine_similarity(before, after, dim=0)
        assert result.metrics["cosine"].value == pytest.approx(float(cosine))
        apart = (before - after).norm() / before.norm()
        assert result.metrics["relative_error"].value == pytest.approx(float(apart))
