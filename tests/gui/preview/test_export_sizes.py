"""The previewed file sizes are those of the exports."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.export.catalog import FORMATS
from pruneapp.export.format_sizes import planned_size
from pruneapp.export.provenance import provenance_without_steps
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.document.open_document import SAMPLE
from pruneapp.gui.preview import step_info_controller
from pruneapp.gui.preview.step_info_controller import sizes_after
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.gui.test_application import SAMPLE as SAMPLE_PATH
from tests.support.cancel_checks import assert_cut
from tests.support.memory_checkpoint import MemoryCheckpoint


@pytest.fixture(params=["safetensors", "torch"])
def document(request, tmp_path):
    path = Path(resources.path(SAMPLE))
    if request.param == "torch":
        import torch
        from safetensors.torch import load_file

        tensors = load_file(path)
        path = tmp_path / "model.pt"
        torch.save(tensors, path)
    with open_checkpoint(path) as checkpoint:
        yield Document(checkpoint)


def test_sizes_are_those_of_the_state_after_the_step(document):
    names = [e.name for e in document.checkpoint.entries.values() if e.by_default]

    def rule(names, method="l1_unstructured", **values):
        return Row(tuple(names), method, values)

    for rules in (
        (rule(names, amount=0.3), rule(names[1:], "identity")),  # excludes all but the first
        (rule(names[1:], amount=0.3),),
    ):
        step = Step(rules)
        told = sizes_after(document.snapshot(), step, Job())
        document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
        state = document.snapshot()
        origin = provenance_without_steps(state, Job())
        assert told == {name: planned_size(state, name, Job(), origin) for name in FORMATS}
    assert told["resumable"] > told["safetensors"], "masks take room"


def test_finding_what_a_step_touches_makes_way_for_a_slider(monkeypatch):
    """Regression: for 50,000 tensors, it delayed the first moves of the slider."""
    monkeypatch.setattr("pruneapp.progress.BATCH", 50)
    monkeypatch.setattr(step_info_controller, "FORMATS", {})

    def work(count: int):
        arrays = {f"{i}.w": np.ones((1, 2), np.float32) for i in range(count)}
        state = Snapshot(MemoryCheckpoint(arrays))
        step = Step((Row(tuple(arrays), "l1_unstructured", {"amount": 0.3}),))
        return lambda token: sizes_after(state, step, Job(cancel=token))

    assert_cut(work, 200)


def test_the_panel_tells_them_and_they_stay_while_the_slider_moves(user):
    user.open_file(SAMPLE_PATH)
    label = user.views.preview.file.labels["size"]

    def told():
        return dict(
            line.rsplit(": ", 1) for line in label.accessibleDescription().splitlines()[:-1]
        )

    user.wait(lambda: "B" in label.text())
    before = told()
    state = user.session.document.snapshot()
    words = [form.label for form in FORMATS.values() if planned_size(state, form.name, Job())]
    assert list(before) == words
    assert len(words) < len(FORMATS), "what compresses depends on the weights"
    assert label.text() == before[words[0]]
    slider = user.rule.fields.editors["amount"].slider
    for _ in range(3):
        user.key("Right", slider)
        assert told() == before
    resumable = FORMATS["resumable"].label
    user.check("fc1.weight")
    user.wait(lambda: label.text() != "–" and told()[resumable] != before[resumable])
    assert label.text() == before[words[0]]


def test_sizes_of_many_tensors_make_room_for_a_slider(user, monkeypatch):
    monkeypatch.setattr(step_info_controller, "MANY", 0)
    monkeypatch.setattr(step_info_controller, "LATER_MS", 50)
    find, ended, held = step_info_controller.sizes_after, [], threading.Event()

    def sizes(snapshot, step, job):
        try:
            while not held.wait(0.002):
                job.step(0)
            return find(snapshot, step, job)
        finally:
            ended.append(job.cancel.cancelled)

    monkeypatch.setattr(step_info_controller, "sizes_after", sizes)
    user.open_file(SAMPLE_PATH)
    info = user.workbench.step_info
    user.wait(lambda: info._size_task.task is not None and info._size_task.task.begun)
    slider = user.rule.fields.editors["amount"].slider
    # Tiles and exact previews cancel them as well, before and after the key.
    before = len(ended)
    user.key("Right", slider)
    user.wait(lambda: len(ended) > before)
    assert all(ended), "held until now, so cancelled"
    held.set()
    label = user.views.preview.file.labels["size"]
    user.wait(lambda: "B" in label.text())
    assert not ended[-1]


def test_sizes_of_many_tensors_wait_for_a_job(user, monkeypatch):
    monkeypatch.setattr(step_info_controller, "MANY", 0)
    monkeypatch.setattr(step_info_controller, "LATER_MS", 20)
    find, begun, held = step_info_controller.sizes_after, [], threading.Event()

    def sizes(snapshot, step, job):
        begun.append(held.is_set())
        return find(snapshot, step, job)

    monkeypatch.setattr(step_info_controller, "sizes_after", sizes)
    user.open_file(SAMPLE_PATH)
    user.wait(lambda: "B" in user.views.preview.file.labels["size"].text())
    begun.clear()
    user.workbench.jobs.run(
        lambda _job: held.wait(20), bool, bool, title="Waiting", lane=Lane.PROGRAM
    )
    user.prune()
    user.pause(200)
    held.set()
    user.wait(lambda: begun)
    assert all(begun)


def test_a_window_of_1280_by_800_shows_the_whole_form_and_the_preview(user):
    user.window.resize(1280, 800)
    user.open_file(SAMPLE_PATH)
    panel = user.views.preview
    box = user.rule.method
    assert box.shown_text(box.text_width()) == "L1 unstructured (magnitude)"
    for method in ("Ln structured (channels)", "Random structured (channels)", "L1 unstructured"):
        user.choose(user.rule.method, method)
        user.wait_preview()
        if "channels" in method:
            user.wait(user.views.form.outputs.isVisible)
        for part in (panel.affected[-1], panel.alarm):
            user.wait(
                lambda part=part: part.visibleRegion().boundingRect().height() == part.height()
            )
