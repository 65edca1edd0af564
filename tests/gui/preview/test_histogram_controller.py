"""Histograms are computed in the background while no other job is requested."""

from __future__ import annotations

import time

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pruneapp.analysis import histogram_store
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.widgets.number_format import percent
from tests.gui.job_gate import Gate, endless


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "model.safetensors"
    tensors = {f"h.{n}.weight": rng.standard_normal((256, 512), np.float32) for n in range(4)}
    tensors["h.0.bias"] = rng.standard_normal(512).astype(np.float32)
    save_file(tensors, str(path))
    return path


@pytest.fixture
def counting(user, file):
    user.open_file(file)
    return user.workbench.histograms


@pytest.fixture
def gate():
    gate = Gate(closed=True)
    yield gate
    gate.closed = False


def missing(user):
    snapshot = user.document.snapshot()
    names = [row.name for row in user.session.rows]
    return [n for w in histogram_store.missing_magnitudes(snapshot, names) for n in w.names]


def test_everything_that_can_be_pruned_is_counted_after_opening_and_after_a_step(user, counting):
    assert len(missing(user)) == 5
    assert counting.busy
    user.wait(lambda: not counting.busy)
    assert missing(user) == []
    user.wait(lambda: not user.views.preview.state.text())
    # After a step, only its tensors are counted again.
    user.check("h.3.weight")
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    assert missing(user) == ["h.0.weight", "h.1.weight", "h.2.weight"]
    user.wait(lambda: not counting.busy)
    assert missing(user) == []
    user.key("Ctrl+Z", user.window)
    assert missing(user) == [], "undo finds what was counted before"


def test_the_model_says_what_it_retained_since_opening_once_that_is_counted(user, counting, file):
    """After pruning before anything was counted, the original norms are computed later."""
    model = user.views.pages.model
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    user.key("4", user.window)
    model.set_measure("norm")
    user.wait(lambda: "calculating" in model.readout.text())
    assert counting.busy
    user.wait(lambda: "L2 norm² retained" in model.readout.text())
    tensors = {n: np.square(t.astype(np.float64)) for n, t in load_file(str(file)).items()}
    masks = user.document.masks
    after = sum((t.ravel() * masks[n].bools()).sum() for n, t in tensors.items() if n in masks)
    after += sum(t.sum() for n, t in tensors.items() if n not in masks)
    share = percent(after / sum(t.sum() for t in tensors.values()))
    assert f"L2 norm² retained {share}" in model.readout.text()
    user.key("Ctrl+Z", user.window)
    user.wait(lambda: "L2 norm² retained 100\u00a0%" in model.readout.text())


@pytest.mark.usefixtures("histories_off")
def test_whatever_is_wanted_goes_first(user, counting, monkeypatch):
    """The job for one tensor is never done, but other jobs cancel it."""
    begun, ended = [], []

    def count(_snapshot, _wanted, job):
        begun.append(time.perf_counter())
        try:
            endless(job)
        finally:
            ended.append(job)

    monkeypatch.setattr("pruneapp.analysis.histogram_store.count", count)
    user.wait(lambda: len(begun) == 1)
    for wanted in (
        lambda: user.key("Right", user.rule.fields.editors["amount"].slider),
        lambda: user.workbench.plots.show_tensor("h.2.weight"),
        lambda: user.key("Ctrl+Return", user.window),
        lambda: user.key("Ctrl+Z", user.window),
    ):
        before, asked = len(begun), time.perf_counter()
        assert len(ended) == before - 1
        wanted()
        user.wait(lambda before=before: len(ended) >= before)
        user.wait(lambda before=before: len(begun) > before)
        assert begun[before] - asked > 0.25, "it waits until the user has paused"
    user.answers("Discard changes")  # for the undone step
    user.key("Ctrl+W", user.window)
    if user.document is not None:
        user.workbench.session.close()
    user.wait(lambda: len(ended) == len(begun))
    assert not counting.busy


def test_counting_goes_on_while_a_program_of_the_user_runs(user, file, gate):
    user.open_file(file)
    jobs, ignore = user.workbench.jobs, lambda _result: None
    jobs.run(gate.wait, title="Recover", on_result=ignore, on_error=ignore, lane=Lane.PROGRAM)
    user.wait(lambda: gate.running)
    user.wait(lambda: not missing(user))
    assert jobs.runs_program


def test_the_window_answers_while_it_counts(user, beats, tmp_path):
    """Some 50 MB of two float types; the bounds are those of every background job."""
    rng = np.random.default_rng(5)
    path = tmp_path / "large.safetensors"
    save_file(
        {
            **{f"a.{n}.weight": rng.standard_normal((2048, 1024), np.float32) for n in range(4)},
            **{f"b.{n}.weight": rng.random((2048, 2048)).astype(np.float16) for n in range(2)},
        },
        str(path),
    )
    user.open_file(path)
    user.wait_preview()
    beats.forget()
    user.wait(lambda: not user.workbench.histograms.busy)
    beats.assert_answered()
    assert missing(user) == []


def test_what_was_done_is_not_said_to_be_counted_while_the_next_thing_is(
    user, counting, monkeypatch, no_exact_preview
):
    previews, state, counted = user.workbench.preview, user.views.preview.state, []

    def note(state):
        if state.estimate is not None and not state.is_behind:
            counted.append(state.estimate.counting)

    monkeypatch.setattr(
        "pruneapp.analysis.histogram_store.count", lambda *given: endless(given[-1])
    )
    user.wait_preview()
    assert "counting" not in state.text(), "an exact preview has all figures"
    previews.stateChanged.connect(note)
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    user.wait(lambda: counted)
    assert counted[-1] < 1, "what would come next is not counted yet"
    assert "counting" not in state.text()
    with no_exact_preview():
        user.ask_amount("33 %")
        user.wait(lambda: "counting" in state.text())
