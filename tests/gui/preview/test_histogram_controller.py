"""Histograms are computed in the background while no other job is requested."""

from __future__ import annotations

import time

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pruneapp.analysis import histogram_store
from pruneapp.gui.widgets.number_format import percent
from tests.gui.job_gate import endless


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "model.safetensors"
    tensors = {f"h.{n}.weight": rng.standard_normal((256, 512), np.float32) for n in range(4)}
    tensors["h.0.bias"] = rng.standard_normal(512).astype(np.float32)
    save_file(tensors, str(path))
    return path


@pytest.fixture
def counting(person, file):
    person.open_file(file)
    return person.workbench.histograms


def missing(person):
    snapshot = person.document.snapshot()
    names = [row.name for row in person.session.rows]
    return [n for w in histogram_store.missing_magnitudes(snapshot, names) for n in w.names]


def test_everything_that_can_be_pruned_is_counted_after_opening_and_after_a_step(person, counting):
    assert len(missing(person)) == 5
    assert counting.busy
    person.wait(lambda: not counting.busy)
    assert missing(person) == []
    person.wait(lambda: not person.views.preview.state.text())
    # After a step, only its tensors are counted again.
    person.check("h.3.weight")
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: person.document.position == 1)
    assert missing(person) == ["h.0.weight", "h.1.weight", "h.2.weight"]
    person.wait(lambda: not counting.busy)
    assert missing(person) == []
    person.key("Ctrl+Z", person.window)
    assert missing(person) == [], "undo finds what was counted before"


def test_the_model_says_what_it_retained_since_opening_once_that_is_counted(person, counting, file):
    """After pruning before anything was counted, the original norms are computed later."""
    model = person.views.pages.model
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: person.document.position == 1)
    person.key("4", person.window)
    model.set_measure("norm")
    person.wait(lambda: "calculating" in model.readout.text())
    assert counting.busy
    person.wait(lambda: "norm² retained" in model.readout.text())
    tensors = {n: np.square(t.astype(np.float64)) for n, t in load_file(str(file)).items()}
    masks = person.document.masks
    after = sum((t.ravel() * masks[n].bools()).sum() for n, t in tensors.items() if n in masks)
    after += sum(t.sum() for n, t in tensors.items() if n not in masks)
    share = percent(after / sum(t.sum() for t in tensors.values()))
    assert f"norm² retained {share}" in model.readout.text()
    person.key("Ctrl+Z", person.window)
    person.wait(lambda: "norm² retained 100\u00a0%" in model.readout.text())


@pytest.mark.usefixtures("histories_off")
def test_whatever_is_wanted_goes_first(person, counting, monkeypatch):
    """The job for one tensor is never done, but other jobs cancel it."""
    begun, ended = [], []

    def count(_snapshot, _wanted, job):
        begun.append(time.perf_counter())
        try:
            endless(job)
        finally:
            ended.append(job)

    monkeypatch.setattr("pruneapp.analysis.histogram_store.count", count)
    person.wait(lambda: len(begun) == 1)
    for wanted in (
        lambda: person.key("Right", person.rule.fields.editors["amount"].slider),
        lambda: person.workbench.plots.show_tensor("h.2.weight"),
        lambda: person.key("Ctrl+Return", person.window),
        lambda: person.key("Ctrl+Z", person.window),
    ):
        before, asked = len(begun), time.perf_counter()
        assert len(ended) == before - 1
        wanted()
        person.wait(lambda before=before: len(ended) >= before)
        person.wait(lambda before=before: len(begun) > before)
        assert begun[before] - asked > 0.25, "it waits until the person has paused"
    person.answers("Discard changes")  # for the undone step
    person.key("Ctrl+W", person.window)
    if person.document is not None:
        person.workbench.session.close()
    person.wait(lambda: len(ended) == len(begun))
    assert not counting.busy


def test_the_window_answers_while_it_counts(person, beats, tmp_path):
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
    person.open_file(path)
    person.wait_preview()
    beats.forget()
    person.wait(lambda: not person.workbench.histograms.busy)
    beats.assert_answered()
    assert missing(person) == []


def test_what_was_done_is_not_said_to_be_counted_while_the_next_thing_is(
    person, counting, monkeypatch
):
    previews, state, counted = person.workbench.preview, person.views.preview.state, []

    def note(state):
        if state.estimate is not None and not state.is_behind:
            counted.append(state.estimate.counting)

    monkeypatch.setattr(
        "pruneapp.analysis.histogram_store.count", lambda *given: endless(given[-1])
    )
    person.wait_preview()
    person.wait(lambda: "counting" in state.text())
    previews.stateChanged.connect(note)
    person.click(person.button)
    person.wait(lambda: person.document.position == 1)
    person.wait(lambda: counted)
    assert counted[-1] < 1, "what would come next is not counted yet"
    assert "counting" not in state.text()
    person.ask_amount("33 %")
    person.wait(lambda: "counting" in state.text())
