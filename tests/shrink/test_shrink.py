"""What is written is put back into zeros and held against the state before it gets its name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.groups.binding import structure_of
from pruneapp.progress import Job
from pruneapp.shrink.cut import Cut, GroupCut, ShrinkError
from pruneapp.shrink.plan import Choices, plan
from pruneapp.shrink.shrink import ShrinkRequest, shrink
from tests.support.model_folders import LAYERS, NEURONS, write_llama, zeroed_neurons


@pytest.fixture
def dead(tmp_path):
    """A model whose last 64 neurons have no gate and no up weights, but some in the next matrix."""
    tensors = {k: v for n in range(LAYERS) for k, v in zeroed_neurons(64, layer=n).items()}
    return write_llama(tmp_path / "model", tensors=tensors)


def planned(folder):
    checkpoint = open_checkpoint(folder)
    state = Snapshot(checkpoint)
    return state, plan(state, structure_of(checkpoint), Choices(), Job())


def test_a_dead_unit_may_have_weights_that_do_nothing(dead, tmp_path):
    """Its column in the next matrix need not be 0: that was called a defect."""
    state, found = planned(dead)
    report = shrink(state, found, ShrinkRequest(tmp_path / "out", {}), Job())
    assert report.nbytes_of_weights < (dead / "model.safetensors").stat().st_size


def test_a_unit_that_is_not_dead_may_not_go(dead, tmp_path):
    state, found = planned(dead)
    kept = np.arange(1, NEURONS - 63)  # the first one lives
    first, *rest = found.cut.groups
    wrong = replace(found, cut=Cut((GroupCut(first.group, kept), *rest)))
    with pytest.raises(ShrinkError, match="went that is not dead"):
        shrink(state, wrong, ShrinkRequest(tmp_path / "out", {}), Job())
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_not_approved_gets_no_name(dead, tmp_path):
    state, found = planned(dead)
    seen = []

    def approve(folder):
        seen.append(sorted(path.name for path in folder.iterdir()))
        raise ShrinkError("The class does not take it.")

    with pytest.raises(ShrinkError, match="does not take it"):
        shrink(state, found, ShrinkRequest(tmp_path / "out", {}, approve), Job())
    assert seen == [["config.json", "model.safetensors", "pruneapp.shrink.json"]]
    assert not (tmp_path / "out").exists()
