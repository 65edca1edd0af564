"""Recovery of pruned states by distillation, and training by the user's function."""

from __future__ import annotations

import re
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Capture, Document
from pruneapp.document.edit import EditKind
from pruneapp.document.entries import RecoveryEntry, RecoverySource
from pruneapp.document.step import Row, Step
from pruneapp.edits.repaired_values import RepairedValues, source_lines
from pruneapp.errors import ParameterError, SelectionError
from pruneapp.evaluation.evaluator import Evaluator
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.recovery import (
    Recovery,
    RecoverySettings,
    _with_equal_decimals,
    free_elements,
    plan_sentence,
    recover_by_script,
    train_by_script,
)
from pruneapp.evaluation.runner import ScriptRunner, as_on_disk
from pruneapp.evaluation.script import Interpreter, Options
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import ESTIMATED_AFTER_SHARE, Cancelled, CancelToken, Job
from pruneapp.recipes.fit import fit
from pruneapp.recipes.recipe import history_recipe
from pruneapp.recipes.replay import replay_all
from tests.evaluation.scripts import MODEL, outputs, pruned, write_script

BODY = (
    MODEL
    + """
def calibrate(model):
    with open(HERE / "calibrations", "a") as file:
        file.write("called\\n")
    torch.manual_seed(3)
    if mode() == "few":
        model(torch.randn(5, 16))
        return
    with torch.no_grad():
        for _ in range(2):
            model(torch.randn(64, 16).to(next(model.parameters()).dtype))

def train(model, progress, seed):
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, weight_decay=0.01)
    if mode() == "replaces":
        model[4].weight = nn.Parameter(torch.ones_like(model[4].weight))
    if mode() == "wrong":
        yield "no number"
    model.train()
    for step in range(6):
        optimizer.zero_grad()
        loss = model(torch.randn(32, 16)).square().mean()
        loss.backward()
        optimizer.step()
        progress(step, 6)
        yield (float(loss), 0.05) if step % 2 else {"loss": float(loss)}
"""
)
QUICK = RecoverySettings(steps=60)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return the folder of the script, which is not that of other tests of this package."""
    return tmp_path_factory.mktemp("recovery")


@pytest.fixture
def mode(place, runner):
    """Provide a function that selects the behavior of the script, which then reloads the model."""

    def change(name):
        (place / "mode").write_text(name)
        runner._handover = None

    change("plain")
    return change


@pytest.fixture(scope="module")
def runner(place):
    script = write_script(place, BODY, load="")
    with closing(
        ScriptRunner(script, Interpreter(Path(sys.executable), "ours"), Options(device="cpu"))
    ) as made:
        yield made


@pytest.fixture
def half_pruned(state, mode):
    """Return a state with pruned and protected weights; the script is in the mode "plain"."""
    protected = np.zeros(32 * 32, np.bool_)
    protected[:100] = True
    return pruned(state, 0.6, ("0.weight", "3.weight", "4.weight")).with_masks(
        {"protected": {"3.weight": BitMask.from_bools(protected)}}
    )


def distance(state, original):
    wanted = outputs(original)
    return float((outputs(state) - wanted).square().sum() / wanted.square().sum())


def test_a_recovery_is_one_edit_that_reproduces_the_unpruned_model(runner, half_pruned, place):
    (place / "calibrations").unlink(missing_ok=True)
    events = []
    done = recover_by_script(runner, half_pruned, QUICK, Job(), events.append)
    after = done.proposal.edit.apply_to(half_pruned)

    # The repair has the recorded inputs, without those that are held out.
    assert (place / "calibrations").read_text() == "called\n"
    original = as_on_disk(half_pruned)
    assert distance(after, original) < 0.5 * distance(half_pruned, original)
    losses = done.losses
    assert losses["rounded"] < losses["start"] < losses["pruned"]
    assert done.source.repaired
    assert done.source.steps == 60
    assert done.source.trained_blocks == done.source.blocks == 3
    less = 100 * (1 - losses["rounded"] / losses["pruned"])
    number = re.compile(r"(\d\.\d+) (?:to|\()|reached (\d\.\d+)\.")
    written = [float(one or other) for one, other in number.findall(done.sentence())]
    stages = [losses["pruned"], losses["rounded"], losses["start"]]
    assert written == pytest.approx(stages, rel=1e-3)
    assert f"({less:.0f} % less)." in done.sentence()
    assert done.proposal.edit.detail.startswith(done.sentence())
    assert {event["what"] for event in events} == {
        *("plan", "stage", "block", "window", "trial", "rate", "point")
    }
    assert plan_sentence(events[0]).startswith(
        "Trains 785 remaining parameters on cpu, with 128 samples"
    )
    for name in ("0.weight", "3.weight", "4.weight"):
        assert np.array_equal(
            after.export_mask(name).bools(), half_pruned.export_mask(name).bools()
        )
        fixed = ~free_elements(half_pruned, name).bools()
        now, was = after.bits_under(name), half_pruned.bits_under(name)
        assert np.array_equal(now[fixed], was[fixed])
        assert not np.array_equal(now, was)


def test_its_entry_is_replayed_by_its_values(runner, state, mode):
    step = Step((Row(("0.weight", "3.weight"), "l1_unstructured", {"amount": 0.6}),))
    with closing(Document(state.checkpoint)) as document:
        preview = compute_preview(document.snapshot(), step, CpuKernel(), Job())
        document.commit(preview)
        document.commit(recover_by_script(runner, document.snapshot(), QUICK, Job()).proposal)
        after = document.snapshot()
        record = Capture.of(document).done[-1]
        assert (record.kind, record.label) == (EditKind.RECOVERY, "Recovery, 60 steps")
        recipe = history_recipe(Capture.of(document), Job())
        assert isinstance(recipe.entries[-1], RecoveryEntry)
        fitted = fit(recipe, state.checkpoint, Job())
        assert not fitted.problems
        *_, last = replay_all(state, fitted, recipe.where, CpuKernel(), Job())
        for name in after.values:
            assert np.array_equal(last.state.bits_under(name), after.bits_under(name))


def test_the_training_of_the_blocks_is_credited():
    """Regression: the sentence named 60 steps as the cause of all of the improvement."""
    losses = {"pruned": 1.345, "start": 1.345, "windows": 0.09, "best": 0.05673, "rounded": 0.05673}
    found = Recovery(None, losses, RecoverySource(steps=60, windows=True), held_out=38)
    assert found.sentence() == (
        "The error of the outputs on 38 held-out samples fell from 1.345 to 0.05673 (96 % less): "
        "each block was trained, then the whole model in 60 steps."
    )
    repaired = replace(found, losses={**losses, "start": 0.5})
    assert repaired.sentence().endswith(
        "fell from 1.345 to 0.05673 (96 % less). The sequential repair alone reached 0.5000."
    )
    alone = replace(found, losses={**losses, "windows": 1.345})
    assert "in 60 steps of training (96 % less)" in alone.sentence()
    nearly = replace(alone, losses={**alone.losses, "rounded": 0.001345})
    assert "(99.9 % less)" in nearly.sentence(), "100 % would be all of it"


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((0.03969, 0.0378), ["0.03969", "0.03780"]),
        ((2.49, 0.198), ["2.490", "0.198"]),
        ((12, 3.5), ["12.0", "3.5"]),
        ((12, 7), ["12", "7"]),
        ((1e-7, 0.25), ["1e-07", "0.25"]),
    ],
)
def test_errors_in_a_sentence_have_equal_decimals(values, texts):
    assert _with_equal_decimals(values) == texts


def test_steps_that_did_not_help_are_not_credited(runner, half_pruned):
    """A rate of 1 makes the whole model worse; the blocks are trained with their own rate."""
    bad = RecoverySettings(steps=5, lr=1.0, repair=False)
    events = []
    done = recover_by_script(runner, half_pruned, bad, Job(), events.append)
    losses = done.losses
    steps = {event["steps"] for event in events if event["what"] == "block"}
    assert steps == {5}, "a block has no more steps than the whole model"
    assert losses["rounded"] == pytest.approx(losses["windows"])
    assert losses["windows"] < losses["start"]
    start, end = _with_equal_decimals([losses["start"], losses["rounded"]])
    assert done.sentence() == (
        "Training each block reduced the error of the outputs on "
        f"{done.held_out} held-out samples from {start} to {end}. The whole model "
        "did not improve in 5 steps of training, which are not used."
    )


def test_nothing_is_changed_if_nothing_is_better(runner, half_pruned):
    """A learning rate of 1 makes everything worse; the repair alone may still be better."""
    bad = RecoverySettings(steps=5, lr=1.0, windows=False, repair=False)
    done = recover_by_script(runner, half_pruned, bad, Job())
    assert done.proposal is None
    assert done.sentence().startswith("Training did not improve the error")


def test_a_repair_that_training_does_not_improve_is_named(runner, half_pruned):
    """Regression: the state was called "Recovery, 5 steps"."""
    bad = RecoverySettings(steps=5, lr=1.0, windows=False)
    done = recover_by_script(runner, half_pruned, bad, Job())
    assert "only the sequential repair is applied" in done.sentence()
    assert done.source.is_repair_only
    assert done.proposal.edit.label == "Recovery: repair only"
    assert source_lines(done.source)[0].startswith("Sequential repair only: ")


def test_a_run_is_stopped_paused_and_continued(runner, half_pruned):
    """Stopping keeps the best state; a pause ends with "resume" or "stop"."""
    points = []

    def stop(event):
        if event["what"] == "point":
            points.append(event["step"])
            if len(points) == 3:
                runner.worker.control("pause")
                threading.Timer(0.3, runner.worker.control, ["stop"]).start()

    done = recover_by_script(
        runner, half_pruned, RecoverySettings(steps=4000, repair=False, windows=False), Job(), stop
    )
    assert 400 <= done.source.steps < 1000
    assert done.proposal is not None
    # Regression: the error of the result was not that of any point.
    assert points[-1] == done.source.steps
    errors = [event["held_out"] for event in done.events if event["what"] == "point"]
    assert done.losses["best"] in errors


def test_a_run_that_is_stopped_in_the_blocks_says_so():
    """Regression: it was called "Recovery, 0 steps", as if nothing had been trained."""
    losses = {"pruned": 0.11, "start": 0.11, "windows": 0.1, "best": 0.1, "rounded": 0.1}
    source = RecoverySource(windows=True, trained_blocks=3, blocks=6)
    assert RepairedValues((), source).label() == "Recovery, 3 of 6 blocks"
    assert source_lines(source) == ["Distillation of 3 of 6 blocks, not of the whole model"]
    found = Recovery(None, losses, source, held_out=30)
    assert found.sentence() == (
        "Training was stopped after 3 of 6 blocks, which reduced the error of the outputs on 30 "
        "held-out samples from 0.11 to 0.10. The whole model was not trained."
    )
    source = RecoverySource(windows=True, trained_blocks=6, blocks=6)
    every = replace(found, source=source).sentence()
    assert every.startswith("Training each block reduced the error")
    assert every.endswith("The whole model was not trained.")


def test_a_cancelled_run_ends_its_process_at_once_and_is_continued(place, half_pruned):
    settings = RecoverySettings(steps=3000, repair=False, windows=False)
    token, cancelled = CancelToken(), []

    def cancel(event):
        if event["what"] == "point" and event["step"]:
            cancelled.append(time.monotonic())
            token.cancel()

    script = write_script(place, BODY, load="")
    with closing(
        ScriptRunner(script, Interpreter(Path(sys.executable), "ours"), Options(device="cpu"))
    ) as runner:
        runner.kill_on_cancel()
        with pytest.raises(Cancelled):
            recover_by_script(runner, half_pruned, settings, Job(cancel=token), cancel)
        assert time.monotonic() - cancelled[0] < 5
        assert not runner.worker.runs


def test_few_samples_are_a_notice(runner, half_pruned, mode):
    mode("few")
    done = recover_by_script(runner, half_pruned, QUICK, Job())
    assert any(notice.startswith("Only 5 samples were run") for notice in done.notices)


def test_a_model_in_half_precision_is_trained_in_single(runner, half_pruned, mode):
    mode("half")
    done = recover_by_script(runner, half_pruned, QUICK, Job())
    assert done.losses["rounded"] < done.losses["pruned"]


@pytest.mark.parametrize("kind", ["renamed", "turned"])
def test_weights_are_matched_by_value(runner, half_pruned, mode, kind):
    mode(kind)
    settings = RecoverySettings(steps=30, repair=False, windows=False)
    done = recover_by_script(runner, half_pruned, settings, Job())
    after = done.proposal.edit.apply_to(half_pruned)
    original = as_on_disk(half_pruned)
    assert distance(after, original) < distance(half_pruned, original)


def test_weights_in_another_form_are_refused(runner, half_pruned, mode):
    mode("fused")
    with pytest.raises(EvaluationError, match="in a different form than the file"):
        recover_by_script(runner, half_pruned, RecoverySettings(repair=False), Job())
    assert not runner.worker.runs, "it would use the recorded inputs for other requests"


def test_an_unpruned_state_is_refused(runner, state):
    with pytest.raises(SelectionError, match="there is nothing to recover"):
        recover_by_script(runner, state, QUICK, Job())


@pytest.mark.parametrize("trains", [False, True])
def test_no_time_left_is_estimated_before_the_training(runner, half_pruned, trains):
    """Regression: 80 s were estimated from the repair before a training of 5 minutes."""
    shares = {False: [0.0], True: [0.0]}  # before the training, and in it

    class Recorded:
        def report(self, done, total, label):
            is_training = label.startswith(("recovering", "training"))
            shares[is_training].append(done / total if total else 0.0)

    if trains:
        train_by_script(runner, half_pruned, Job(Recorded()))
    else:
        recover_by_script(runner, half_pruned, QUICK, Job(Recorded()))
    first = shares[True][1]
    before = [share for share in shares[False] if share <= first]
    assert 0 < max(before) <= ESTIMATED_AFTER_SHARE
    assert first <= ESTIMATED_AFTER_SHARE < max(shares[True])


def test_training_holds_pruned_and_protected_weights(runner, half_pruned):
    events = []
    done = train_by_script(runner, half_pruned, Job(), on_event=events.append)
    after = done.proposal.edit.apply_to(half_pruned)

    assert done.source.method == "training"
    assert done.source.steps == 6
    assert [event.get("step") for event in events] == [None, 1, 2, 3, 4, 5, 6]
    assert {"metrics", "training"} <= {key for event in events for key in event}
    for name in ("0.weight", "3.weight", "4.weight"):
        fixed = ~free_elements(half_pruned, name).bools()
        assert np.array_equal(after.bits_under(name)[fixed], half_pruned.bits_under(name)[fixed])
    assert after.replaces("1.running_mean")  # training changes the statistics of norms
    # The process has other weights now, and measures the state that it is given.
    before = Evaluator(runner).measure(half_pruned, Job()).metrics["sum"].value
    assert before == pytest.approx(float(outputs(half_pruned).sum()), rel=1e-4)


@pytest.mark.parametrize("form", ["safetensors", "torch"])
def test_the_batches_that_a_trained_norm_counted_are_exported(runner, half_pruned, tmp_path, form):
    done = train_by_script(runner, half_pruned, Job())
    state = done.proposal.edit.apply_to(half_pruned)
    counter = "1.num_batches_tracked"
    before = int(half_pruned.bits(counter)[0])
    export(state, ExportRequest(form, tmp_path / "out"), Job())
    with open_checkpoint(tmp_path / "out") as written:
        assert written.entries[counter].dtype.label == "int64"
        assert int(written.read(counter)) == before + done.source.steps


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("replaces", "The parameter '4.weight' was replaced by another one during training"),
        ("wrong", r"train\(\) yielded an object of type str"),
    ],
)
def test_training_that_cannot_be_used_is_refused(runner, half_pruned, mode, kind, sentence):
    mode(kind)
    with pytest.raises(EvaluationError, match=sentence):
        train_by_script(runner, half_pruned, Job())


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"lr": 0.0}, {"lr": 2.0}, {"samples": 1}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ParameterError):
        RecoverySettings(**wrong)


def test_the_checkpoint_of_a_run_does_not_depend_on_the_process(runner, half_pruned, file):
    """The same unpruned model is another object in each process."""
    paths = []
    call = runner.worker.call

    def keep(what, *given, **request):
        if what == "recover":
            paths.append(request["checkpoint"])
        return call(what, *given, **request)

    runner.worker.call = keep
    try:
        for _ in range(2):
            with open_checkpoint(file) as unpruned:
                settings = RecoverySettings(steps=1, windows=False, repair=False, unpruned=unpruned)
                recover_by_script(runner, half_pruned, settings, Job())
    finally:
        del runner.worker.call
    assert paths[0] == paths[1] != ""


def test_a_training_without_a_step_of_the_optimizer_says_so():
    training = SimpleNamespace(source=SimpleNamespace(method="training", steps=0))
    assert Recovery.sentence(training).startswith("No weight was trained, because train() did not")
