"""Past states of the history can be read without a jump, even if their masks were spilled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pruneapp.document.document import Document
from pruneapp.document.step import Row, Step
from pruneapp.errors import HistoryError, StaleError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.document_edits import delete_undone, make_permanent

FC = "module.fc.weight"
CONV = "module.conv2.weight"


def prune(document: Document, name: str = FC) -> None:
    step = Step((Row((name,), "l1_unstructured", {"amount": 0.5}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))


def storied(model, **more) -> Document:
    document = Document(model, **more)
    prune(document)
    prune(document, CONV)
    prune(document)
    make_permanent(document, [FC])
    return document


@pytest.mark.parametrize("budget", [0, 1 << 20])
@pytest.mark.parametrize("at", range(5))
def test_every_state_is_what_one_would_find_there(model, tmp_path: Path, budget, at):
    document = storied(model, budget=budget, scratch=tmp_path)
    document.jump(at)
    revision = document.revision
    looked = [document.state_at(position).load(Job()) for position in range(5)]
    assert (document.position, document.revision) == (at, revision)
    for position, past in enumerate(looked):
        document.jump(position)
        now = document.snapshot()
        assert dict(past.masks) == dict(now.masks)
        assert dict(past.permanent) == dict(now.permanent)
        np.testing.assert_array_equal(past.bits(FC), now.bits(FC))
    document.close()


@pytest.mark.parametrize("budget", [0, 1 << 20])
def test_the_file_as_it_was_opened_is_found_after_every_step(model, tmp_path: Path, budget):
    """The path to it is updated at every step, including one that begins a branch."""
    document = Document(model, budget=budget, scratch=tmp_path)
    for position in (None, None, 1, None, 0, None, 3, None):
        if position is not None:
            document.jump(min(position, document.position))
        else:
            prune(document, CONV if document.position % 2 else FC)
        first = document.state_at(0).load(Job())
        assert not first.masks
        assert not first.permanent
        np.testing.assert_array_equal(first.bits(FC), Document(model).snapshot().bits(FC))
    document.close()


def test_a_state_that_is_looked_at_is_never_taken_for_one_in_force(model):
    document = storied(model)
    looked = [document.state_at(p).load(Job()).revision for p in (1, 1, 4)]
    assert max(looked) < 0
    assert len(set(looked)) == 3
    document.mark_exported(document.state_at(4).load(Job()))
    assert document.unexported


def test_masks_in_memory_are_shared_and_none_is_held_for_what_was_looked_at(model, tmp_path):
    document = storied(model, scratch=tmp_path)
    memory = document.history.store.nbytes
    past = document.state_at(2).load(Job())
    assert past.masks[CONV] is document.masks[CONV]
    assert document.history.store.nbytes == memory
    aside = storied(model, budget=0, scratch=tmp_path)
    memory = aside.history.store.nbytes
    aside.state_at(1).load(Job())
    assert aside.history.store.nbytes == memory
    document.close()
    aside.close()


def test_there_is_no_state_beyond_the_ends(model):
    document = storied(model)
    for position in (-1, 5):
        with pytest.raises(IndexError):
            document.state_at(position)


def test_a_state_that_was_deleted_is_never_another_one(model, tmp_path: Path):
    document = storied(model, budget=0, scratch=tmp_path)
    past = document.state_at(1)
    document.jump(0)
    held = document.state_at(3)
    delete_undone(document)
    prune(document, CONV)  # evicts the others
    prune(document)
    prune(document, CONV)
    for lost in (past, held):
        with pytest.raises(StaleError, match="not in the history any more"):
            lost.load(Job())
    document.close()


def test_a_scratch_file_that_is_gone_is_said(model, tmp_path: Path):
    document = storied(model, budget=0, scratch=tmp_path)
    past = document.state_at(1)
    document.history.scratch.close()
    with pytest.raises(HistoryError, match="cannot be read again: the scratch file"):
        past.load(Job())
    document.close()


def test_loading_can_be_cancelled(model, tmp_path: Path):
    document = storied(model, budget=0, scratch=tmp_path)
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        document.state_at(1).load(Job(cancel=token))
    document.close()
