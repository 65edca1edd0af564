"""Iterative pruning with recovery and measurement after each round."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pruneapp.document.document import Document
from pruneapp.document.edit import Proposal
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError
from pruneapp.evaluation.metric import Tolerance
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.recovery import RecoverySettings, train_by_script
from pruneapp.evaluation.rounds import (
    RoundsSettings,
    prune_in_rounds,
    select_round,
    steps_per_round,
    summarize,
)
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.evaluation.script import Interpreter, Options
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.progress import Cancelled, CancelToken, Job
from pruneapp.recipes.replay import expand_schedule
from tests.evaluation.scripts import AGREEMENT, MODEL, write_script

# Beside the outputs, which a recovery can restore, the number of zero weights, which grows.
TRAINED = (
    MODEL
    + """
HIGHER_IS_BETTER = {"near": True, "dense": True, "sum": True, "top": True}
before = evaluate
wanted = []

def evaluate(model):
    output = model(inputs(model)).detach()
    if not wanted:
        wanted.append(output)
    near = -float((output - wanted[0]).square().mean())
    weights = model[0].weight
    return {"near": near, "dense": float((weights != 0).float().mean())}

def calibrate(model):
    for part in inputs(model).split(10):
        model(part)

def train(model):
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (model(inputs(model)) - 1).square().mean()
        loss.backward()
        optimizer.step()
        yield float(loss)
"""
)
NAMES = ("0.weight", "4.weight")
FAST = RecoverySettings(steps=10, windows=False, lr=1e-3, repair=False, resume=False)


@pytest.fixture(scope="module")
def trainer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    (folder / "mode").write_text("plain")
    script = write_script(folder, TRAINED, load="")
    interpreter = Interpreter(Path(sys.executable), "ours")
    with closing(ScriptRunner(script, interpreter, Options(device="cpu"))) as made:
        yield made


def steps_to(*totals):
    step = Step((Row(NAMES, "l1_unstructured", {"amount": 0.5}),))
    return expand_schedule(step, totals)


def run(trainer, state, totals, settings, **more):
    steps = steps_to(*totals)
    return [*prune_in_rounds(trainer, state, steps, settings, Job(), kernel=CpuKernel(), **more)]


def pruned(state):
    return sum(state.masks.counts(NAMES))


def test_each_round_prunes_the_recovered_values_and_recovers_them(trainer, state):
    events = []
    rounds = run(
        trainer,
        state,
        (0.3, 0.6, 0.8),
        RoundsSettings(recovery=FAST, evaluate=True, metric="near"),
        on_event=events.append,
    )
    size = sum(state.entry(name).numel for name in NAMES)
    assert [pruned(one.state) for one in rounds] == [round(size * t) for t in (0.3, 0.6, 0.8)]
    assert [[edit.kind for edit in one.edits] for one in rounds] == [["prune", "recovery"]] * 3
    for one in rounds:
        assert one.change.name == "near"
        for name in NAMES:
            zeros = ~one.state.masks[name].bools()
            values = one.state.bits(name).view(np.float32)
            assert np.count_nonzero(values[~zeros]) == values.size - zeros.sum()
    # The second step ranked the recovered values: it pruned those of the smallest magnitude.
    after, mask = rounds[0].state, rounds[1].state.masks["0.weight"].bools()
    values = np.abs(after.bits("0.weight").view(np.float32))
    newly = after.masks["0.weight"].bools() & ~mask
    assert values[newly].max() <= values[mask].min()
    assert not np.array_equal(after.bits("0.weight"), state.bits("0.weight"))
    told = [event["what"] for event in events]
    assert told.count("round") == told.count("measured") == 3
    assert "point" in told


def test_edits_are_entries_of_the_history_with_undo(trainer, state):
    document = Document(state.checkpoint)
    rounds = run(
        trainer, document.snapshot(), (0.3, 0.6), RoundsSettings("training", evaluate=False)
    )
    for one in rounds:
        assert one.recovery.source.method == "training"
        for edit in one.edits:
            document.commit(Proposal(document.revision, edit))
    assert document.snapshot().layers == rounds[-1].state.layers
    assert len(document.history) == 4
    document.jump(2)
    assert document.snapshot().values == rounds[0].state.values


def test_it_stops_when_the_metric_is_worse(trainer, state):
    settings = RoundsSettings("", evaluate=True, stop=Tolerance.parse("0.65"), metric="dense")
    rounds = run(trainer, state, (0.3, 0.6, 0.8, 0.9), settings)
    assert [one.worse for one in rounds] == [False, False, True]
    assert select_round(rounds) is rounds[1]
    assert summarize(rounds, 4).startswith(
        "3 rounds of 4 complete; round 3 is worse than allowed, so round 2 is used (dense "
    )
    assert [len(one.edits) for one in rounds] == [1, 1, 1]
    strict = RoundsSettings("", evaluate=True, stop=Tolerance(0.0), metric="dense")
    rounds = run(trainer, state, (0.3, 0.6), strict)
    assert select_round(rounds) is rounds[0]
    assert "every one is worse" in summarize(rounds, 2)
    with pytest.raises(EvaluationError, match="returned no metric 'other'"):
        run(
            trainer,
            state,
            (0.3,),
            RoundsSettings("", evaluate=True, stop=Tolerance(0.0), metric="other"),
        )


def test_rewinding_trains_the_values_of_the_start(trainer, state):
    settings = RoundsSettings("training", rewind=True)
    first, second = run(trainer, state, (0.3, 0.6), settings)
    assert second.edits[1].entry["configuration"]["source"]["rewound"]
    # A training of the start with the masks of the second round gives the same values.
    alone = state.with_masks({"masks": dict(second.state.masks)})
    done = train_by_script(trainer, alone, Job(), resume=False)
    expected = done.proposal.edit.apply_to(alone)
    for name in ("0.weight", "3.weight", "4.bias"):
        assert np.array_equal(second.state.bits(name), expected.bits(name)), name
        assert not np.array_equal(second.state.bits(name), first.state.bits(name)), name


def test_cancelling_keeps_complete_rounds_and_they_are_not_computed_again(trainer, state):
    token, rounds = CancelToken(), []
    settings = RoundsSettings(recovery=FAST)

    def cancel_second(event):
        if event["what"] == "round" and event["number"] == 2:
            token.cancel()

    steps = steps_to(0.3, 0.6, 0.8)
    made = prune_in_rounds(
        trainer,
        state,
        steps,
        settings,
        Job(cancel=token),
        kernel=CpuKernel(),
        on_event=cancel_second,
    )
    with pytest.raises(Cancelled):
        rounds.extend(made)  # keeps those before the error
    assert [one.number for one in rounds] == [1]
    events = []
    rest = run(
        trainer,
        state,
        (0.3, 0.6, 0.8),
        settings,
        known=[one.edits for one in rounds],
        on_event=events.append,
    )
    whole = run(trainer, state, (0.3, 0.6, 0.8), settings)
    assert [event["number"] for event in events if event["what"] == "round"] == [2, 3]
    assert rest[-1].state.values == whole[-1].state.values
    assert rest[-1].state.masks == whole[-1].state.masks


def test_without_labels_the_agreement_with_the_unpruned_model_is_measured(tmp_path, state):
    (tmp_path / "mode").write_text("plain")
    script = write_script(tmp_path, AGREEMENT, load="")
    interpreter = Interpreter(Path(sys.executable), "ours")
    settings = RoundsSettings(recovery=replace(FAST, repair=None), evaluate=True)
    with closing(ScriptRunner(script, interpreter, Options(device="cpu"))) as runner:
        first, second = run(runner, state, (0.3, 0.7), settings)
    assert first.change.name == second.change.name
    assert all(one.recovery.source.repaired for one in (first, second))


def test_rounds_that_prune_nothing_are_left_out(trainer, state):
    rounds = run(trainer, state, (0.3, 0.3, 0.5), RoundsSettings(""))
    assert [one.number for one in rounds] == [1, 3]


def test_settings_that_contradict_each_other_are_refused():
    with pytest.raises(ParameterError, match="not evaluated"):
        RoundsSettings(stop=Tolerance(0.1))
    with pytest.raises(ParameterError, match="'rewind'"):
        RoundsSettings("", rewind=True)
    assert steps_per_round(5) == 200
    assert steps_per_round(100) == 20
    assert summarize([], 3) == "No round is complete, so nothing is changed."
    assert select_round([]) is None
