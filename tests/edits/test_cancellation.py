"""Work on very many tensors checks for cancellation: no loop over all of them lacks a check."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.document.document import Document
from pruneapp.document.selection import tensors_of_role
from pruneapp.document.step import Row, Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.coupled_tensors import complete_channels, with_companions
from pruneapp.edits.manual_edit import ManualEdit, ManualEditRequest
from pruneapp.edits.zeros import Finalize, TreatZeros
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.support.cancel_checks import count_looks
from tests.support.memory_checkpoint import MemoryCheckpoint

WEIGHTS = 1000
# Maximum lines of Python between two checks: some for each tensor, which is 0.05 s for 100,000.
# Longer work per tensor has to check in between.
MOST = 12 * 3 * WEIGHTS


@pytest.fixture(scope="module")
def checkpoint() -> MemoryCheckpoint:
    """Return a checkpoint in which every third tensor is a weight, followed by a norm."""
    weight, vector = np.array([[1, 0], [2, 3]], np.float32), np.ones(2, np.float32)
    arrays, facts = {}, {}
    for i in range(WEIGHTS):
        arrays[f"h.{i}.conv1.weight"] = weight
        facts[f"h.{i}.conv1.weight"] = {"by_default": True, "kind": "Linear"}
        for part in ("weight", "bias"):
            arrays[f"h.{i}.bn1.{part}"] = vector
            facts[f"h.{i}.bn1.{part}"] = {"kind": "norm"}
    return MemoryCheckpoint(arrays, **facts)


@pytest.fixture
def document(checkpoint, monkeypatch) -> Document:
    monkeypatch.setattr("pruneapp.progress.BATCH", 100)
    return Document(checkpoint)


def weights(document: Document) -> tuple[str, ...]:
    return tuple(n for n in document.checkpoint.entries if n.endswith("conv1.weight"))


@pytest.mark.parametrize(
    ("method", "values", "scope"),
    [
        ("l1_unstructured", {"amount": 0.5}, "local"),
        ("l1_unstructured", {"amount": 0.5}, "global"),
        ("ln_structured", {"amount": 1, "n": 2, "dim": 0}, "local"),
    ],
)
def test_previews_look_at_their_job(document, method, values, scope):
    row = Row(weights(document), method, values)
    step = Step((row,), scope, prune_bias_and_norm=method.endswith("_structured"))

    def work(token):
        made = compute_preview(document.snapshot(), step, CpuKernel(), Job(cancel=token))
        assert made.report.newly_pruned

    assert count_looks(work).longest < MOST


def test_changes_of_the_state_look_at_their_job(document):
    names = weights(document)
    row = Row(names, "ln_structured", {"amount": 1, "n": 2, "dim": 0})
    before = document.snapshot()
    document.commit(compute_preview(before, Step((row,)), CpuKernel(), Job()))
    after = document.snapshot()
    for change, state in ((TreatZeros(names), before), (Finalize(names), after)):

        def work(token, change=change, state=state):
            assert len(change.propose(state, Job(cancel=token)).edit.names) == WEIGHTS

        assert count_looks(work).longest < MOST, change


def test_gestures_in_every_block_look_at_their_job(document):
    names = tensors_of_role(document.checkpoint, weights(document)[0], Job()).names
    assert len(names) == WEIGHTS
    box = ((0, 1), (0, 2))
    edit = ManualEdit.from_requests(
        *[ManualEditRequest("prune", n, (box,), "channel", 0) for n in names]
    )

    def work(token):
        job = Job(cancel=token)
        both = with_companions(document.checkpoint, edit, job)
        assert compute_manual_edit(document.snapshot(), both, job).numbers.changed == 4 * WEIGHTS

    assert count_looks(work).longest < MOST
    document.commit(compute_manual_edit(document.snapshot(), edit, Job()))
    state = document.snapshot()
    assert (
        count_looks(lambda token: complete_channels(state, None, Job(cancel=token))).longest < MOST
    )
