"""Pruning by hand through the real window: gestures, blocks, protection, undo."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PySide6.QtWidgets import QApplication
from safetensors.torch import save_file

from pruneapp.answers import Gesture


@pytest.fixture
def model(tmp_path):
    """Two blocks of a convolution with its norm, and a head."""
    generator = torch.Generator().manual_seed(4)
    tensors = {}
    for block in range(3):
        tensors[f"layers.{block}.conv1.weight"] = torch.randn(8, 4, 3, 3, generator=generator)
        tensors[f"layers.{block}.conv1.bias"] = torch.randn(8, generator=generator)
        tensors[f"layers.{block}.bn1.weight"] = torch.randn(8, generator=generator)
        tensors[f"layers.{block}.bn1.bias"] = torch.randn(8, generator=generator)
        tensors[f"layers.{block}.bn1.running_mean"] = torch.randn(8, generator=generator)
        tensors[f"layers.{block}.bn1.running_var"] = torch.rand(8, generator=generator)
    tensors["fc.weight"] = torch.randn(10, 8, generator=generator)
    tensors["steps"] = torch.arange(4)
    path = tmp_path / "model.safetensors"
    save_file(tensors, path)
    return path


@pytest.fixture
def at_work(person, model):
    person.open(model)
    person.wait_open(model)
    return person


def channel(name, index, operation="prune", shape=(8, 4, 3, 3)):
    box = ((index, index + 1), *((0, size) for size in shape[1:]))
    return Gesture(operation, name, (box,), "channel", 0)


def kept(person, name):
    """Which elements of a tensor are kept."""
    shape = person.document.checkpoint.entry(name).shape
    mask = person.document.masks.get(name)
    size = int(np.prod(shape))
    return (np.ones(size, bool) if mask is None else mask.bools(0, size)).reshape(shape)


def said(person):
    """What the status bar says was done last."""
    return person.window.done.label.text()


def test_a_gesture_is_one_step_and_one_message(at_work):
    at_work.workbench.handwork.editing.do(channel("layers.1.conv1.weight", 5))
    at_work.wait(lambda: len(at_work.states) == 2)

    assert at_work.states[1] == "channel 5 of layers.1.conv1 pruned"
    assert said(at_work) == at_work.states[1]
    expected = np.ones((8, 4, 3, 3), bool)
    expected[5] = False
    assert np.array_equal(kept(at_work, "layers.1.conv1.weight"), expected)
    assert at_work.window.actions_["undo"].text() == "&Undo channel 5 of layers.1.conv1 pruned"
    at_work.key("Ctrl+Z")
    assert kept(at_work, "layers.1.conv1.weight").all()


def test_gestures_that_come_fast_are_done_one_after_another(at_work):
    editing = at_work.workbench.handwork.editing
    for index in (0, 3, 6):
        editing.do(channel("layers.1.conv1.weight", index))
    at_work.wait(lambda: len(at_work.states) == 4)
    gone = ~kept(at_work, "layers.1.conv1.weight").any(axis=(1, 2, 3))
    assert gone.tolist() == [True, False, False, True, False, False, True, False]


@pytest.mark.parametrize(
    ("gesture", "says"),
    [
        (channel("layers.0.conv1.weight", 2, "restore"), "nothing of it is pruned"),
        (Gesture("prune", "steps", (((0, 2),),), "rectangle"), "steps"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(at_work, gesture, says):
    at_work.workbench.handwork.editing.do(gesture)
    at_work.wait(lambda: at_work.trouble)
    assert says in at_work.trouble[0]
    assert at_work.states == ["Opened"]
    assert not said(at_work)


def test_in_every_block_shows_the_tensors_before_anything_is_done(at_work):
    at_work.menu("Prune", "By hand in every block")
    editing = at_work.workbench.handwork.editing
    editing.do(channel("layers.1.conv1.weight", 5))
    at_work.wait(lambda: editing.dialog is not None and editing.dialog.isVisible())
    dialog = editing.dialog
    assert dialog.pattern.text() == "layers.*.conv1.weight"
    assert dialog.go.text() == "Prune channel 5 in 3 tensors"
    model = dialog.table.model()
    shown = [[model.index(r, c).data() for c in range(3)] for r in range(model.rowCount())]
    assert shown == [[f"layers.{n}.conv1.weight", "36", "36"] for n in range(3)]
    at_work.qtbot.keyClick(dialog, "\x1b")
    at_work.wait(lambda: editing.dialog is None)
    assert at_work.states == ["Opened"]

    editing.do(channel("layers.1.conv1.weight", 5))
    at_work.wait(lambda: editing.dialog is not None and editing.dialog.isVisible())
    at_work.click(editing.dialog.go)
    at_work.wait(lambda: len(at_work.states) == 2)
    assert at_work.states[1] == said(at_work) == "channel 5 of layers.*.conv1 pruned"
    for block in range(3):
        assert not kept(at_work, f"layers.{block}.conv1.weight")[5].any()
    at_work.key("Ctrl+Z")
    assert not at_work.document.masks
    editing.do(Gesture("prune", "fc.weight", (((0, 1), (0, 8)),), "row"))
    at_work.wait(lambda: at_work.states[1:] == ["row 0 of fc pruned"])
    assert QApplication.activeModalWidget() is None, "there is only one of its kind"
