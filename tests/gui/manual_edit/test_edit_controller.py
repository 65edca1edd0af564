"""Manual edits in a real window: selection, blocks, protection, undo."""

from __future__ import annotations

import threading
import time

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from safetensors.torch import load_file, save_file

from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.manual_edit import ManualEditRequest
from tests.gui.manual_edit.edit_actions import CONV, channel_edit, mask_of, middle_of_bar, status


def test_a_gesture_is_one_step_and_one_message(at_work):
    """Those that come fast are applied one after another; what is not possible is refused."""
    editing, window = at_work.workbench.manual_edit, at_work.window
    for gesture, says in (
        (
            channel_edit("layers.0.conv1.weight", 2, "restore"),
            "none of the selected weights is pruned",
        ),
        (ManualEditRequest("prune", "steps", (((0, 2),),), "rectangle"), "steps"),
    ):
        window.notices.clear()
        editing.perform(gesture)
        at_work.wait(lambda: at_work.trouble)
        assert says in at_work.trouble[0]
        assert at_work.states == ["Opened"]
        assert not status(at_work)

    editing.perform(channel_edit(CONV, 5))
    at_work.wait(lambda: len(at_work.states) == 2)
    assert at_work.states[1] == "channel 5 of layers.1.conv1 pruned"
    assert status(at_work) == at_work.states[1]
    expected = np.ones((8, 4, 3, 3), bool)
    expected[5] = False
    assert np.array_equal(mask_of(at_work, CONV), expected)
    assert window.actions_["undo"].text() == "&Undo channel 5 of layers.1.conv1 pruned"
    at_work.key("Ctrl+Z")
    assert mask_of(at_work, CONV).all()

    for index in (0, 3, 6):
        editing.perform(channel_edit(CONV, index))
    at_work.wait(lambda: at_work.document.position == 4)
    gone = ~mask_of(at_work, CONV).any(axis=(1, 2, 3))
    assert gone.tolist() == [True, False, False, True, False, False, True, False]

    # The message is read whole in a narrow window, and the status bar keeps its height.
    window.resize(960, 600)
    editing.perform(channel_edit(CONV, 5, "protect"))
    at_work.wait(lambda: "protected" in status(at_work))
    label, high = window.done.label, window.statusBar().height()
    assert label.width() >= label.fontMetrics().horizontalAdvance(label.text())
    window.job_status.set_job("Exporting")
    at_work.wait(window.job_status.isVisible)
    assert window.statusBar().height() == high
    window.job_status.set_idle()


def test_in_every_block_shows_the_tensors_before_anything_is_done(at_work):
    at_work.menu("Prune", "Manual edit", "Apply to the same layer in all blocks")
    editing = at_work.workbench.manual_edit
    editing.perform(channel_edit("layers.1.conv1.weight", 5))
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

    editing.perform(channel_edit("layers.1.conv1.weight", 5))
    at_work.wait(lambda: editing.dialog is not None and editing.dialog.isVisible())
    at_work.click(editing.dialog.go)
    at_work.wait(lambda: len(at_work.states) == 2)
    assert at_work.states[1] == status(at_work) == "channel 5 of layers.*.conv1 pruned"
    for block in range(3):
        assert not mask_of(at_work, f"layers.{block}.conv1.weight")[5].any()
    at_work.key("Ctrl+Z")
    assert not at_work.document.masks
    editing.perform(ManualEditRequest("prune", "fc.weight", (((0, 1), (0, 8)),), "row"))
    at_work.wait(lambda: at_work.states[2:] == ["row 0 of fc pruned"])
    assert QApplication.activeModalWidget() is None, "it has no other layers of its role"


def box(user, which):
    """Click a check box below the plot."""
    found = getattr(user.views.edit_options, which)
    user.wait(found.isVisible)
    user.click(found, QPoint(8, found.height() // 2))


def test_the_boxes_below_the_picture_are_there_only_where_they_mean_something(at_work, tmp_path):
    options = at_work.views.edit_options
    at_work.click_cell(CONV)
    at_work.wait(lambda: options.companions.isVisible() and options.every_block.isVisible())
    assert options.every_block.text() == "Apply to the same layer in all 3 blocks"
    assert "layers.*.conv1.weight" in options.every_block.toolTip()
    assert "layers.1.conv1.bias, layers.1.bn1.weight, layers.1.bn1.bias" in (
        options.companions.toolTip()
    )
    assert "still outputs a constant" in options.companions.toolTip()
    at_work.click_cell("fc.weight")
    at_work.wait(lambda: not options.companions.isVisible() and not options.every_block.isVisible())
    at_work.key("2", at_work.views.tree.view)
    assert not options.isVisible()
    at_work.key("1", at_work.views.tree.view)
    at_work.click_cell(CONV)
    at_work.wait(lambda: options.companions.isVisible() and options.every_block.isVisible())
    empty = tmp_path / "empty.safetensors"
    save_file({}, empty)
    at_work.open_file(empty)
    at_work.wait_idle()
    assert not options.every_block.isVisible(), "that of the file before"
    assert not options.companions.isVisible()


def test_bias_and_norm_go_along_with_a_channel_in_the_same_step(at_work):
    at_work.click_cell(CONV)
    box(at_work, "companions")
    assert at_work.window.actions_["with_companions"].isChecked()
    at_work.workbench.manual_edit.perform(channel_edit(CONV, 5))
    at_work.wait(lambda: len(at_work.states) == 2)
    for name in ("conv1.weight", "conv1.bias", "bn1.weight", "bn1.bias"):
        mask = mask_of(at_work, f"layers.1.{name}")
        assert not mask[5].any(), name
        assert mask.sum() == mask.size * 7 // 8, name
    assert not any("running" in name for name in at_work.document.masks)
    at_work.key("Ctrl+Z")
    assert not any(at_work.document.masks.pruned(name) for name in at_work.document.masks)

    # What pruned channels leave in bias and norm is pruned by one command.
    box(at_work, "companions")
    at_work.workbench.manual_edit.perform(channel_edit(CONV, 5))
    at_work.wait(lambda: at_work.document.position == 2)
    at_work.menu("Prune", "Manual edit", "Prune bias and norm of pruned channels")
    at_work.wait(lambda: at_work.document.position == 3)
    assert status(at_work) == "Bias and norm of 1 pruned channel pruned"
    assert np.flatnonzero(~mask_of(at_work, "layers.1.bn1.bias")).tolist() == [5]
    at_work.menu("Prune", "Manual edit", "Prune bias and norm of pruned channels")
    at_work.wait(lambda: at_work.trouble)
    assert "No pruned channel has anything left" in at_work.trouble[0]


def test_that_bias_and_norm_go_along_is_remembered(new_user, model):
    first = new_user(model).wait_ready()
    first.wait_open(model)
    first.menu("Prune", "Manual edit", "Include bias and norm layers")
    assert first.views.edit_options.companions.isChecked()
    second = new_user(model).wait_ready()
    assert second.views.edit_options.companions.isChecked()
    assert second.window.actions_["with_companions"].isChecked()
    assert not second.workbench.manual_edit._every_block.isChecked()


# Commands


def test_what_is_chosen_is_pruned_and_protected_by_commands(at_work):
    """On the current page; an empty selection is reported."""
    at_work.click_cell("fc.weight")
    at_work.menu("Prune", "Manual edit", "Prune selection")
    assert at_work.trouble == [
        (
            "Nothing is selected. Select channels or weights in the picture; see Help "
            "> Keyboard shortcuts."
        )
    ]
    canvas = at_work.views.pages.weights.canvas
    at_work.wait(lambda: canvas.item.fine is not None)
    at_work.click(canvas.viewport(), canvas.pixel_of(3, 2))
    at_work.menu("Prune", "Manual edit", "Prune selection")
    at_work.wait(lambda: at_work.states[1:] == ["1 weight of fc pruned"])
    assert np.argwhere(~mask_of(at_work, "fc.weight")).tolist() == [[3, 2]]

    at_work.key("3", at_work.views.tree.view)
    channels = at_work.views.pages.channels
    at_work.wait(lambda: channels.numbers().rows == 10)
    at_work.wait_idle()
    at_work.click(channels.canvas.viewport(), middle_of_bar(at_work, 7))
    at_work.menu("Prune", "Manual edit", "Protect selection")
    at_work.wait(lambda: at_work.states[2:] == ["channel 7 of fc protected"])
    at_work.menu("Prune", "Manual edit", "Unprotect selection")
    at_work.wait(lambda: len(at_work.states) == 4)
    assert not at_work.document.snapshot().protected


def test_a_gesture_while_another_file_is_opened_is_refused(at_work, model, monkeypatch):
    """It would be lost when the document is closed."""
    from pruneapp.checkpoint import checkpoint
    from pruneapp.gui.document import open_document

    real, state = checkpoint.open_checkpoint, {"slow": True}

    def slow(path, *, state_dict=None, job):
        while state["slow"]:
            time.sleep(0.005)
            job.step(0)
        return real(path, state_dict=state_dict, job=job)

    monkeypatch.setattr(open_document, "open_checkpoint", slow)
    before = at_work.document
    other = model.with_name(f"other{model.suffix}")
    other.write_bytes(model.read_bytes())
    at_work.open(other)
    at_work.workbench.manual_edit.perform(channel_edit(CONV, 5))
    at_work.wait(lambda: at_work.trouble)
    assert "Another file is being opened" in at_work.trouble[0]
    state["slow"] = False
    at_work.wait(lambda: at_work.document is not before)
    assert at_work.states == ["Opened"]


def test_a_gesture_for_a_file_that_is_gone_is_not_done_to_the_next_one(
    at_work, model, tmp_path, monkeypatch
):
    """Both files have the tensor; the edit is computed after the second file is open."""
    other = tmp_path / "other.safetensors"
    save_file(load_file(model), other)
    begun, go_on = threading.Event(), threading.Event()

    def slow(*arguments):
        begun.set()
        assert go_on.wait(20)
        return compute_manual_edit(*arguments)

    at_work.workbench.manual_edit.perform(channel_edit("layers.0.conv1.weight", 1))
    at_work.wait(lambda: len(at_work.states) == 2)
    monkeypatch.setattr("pruneapp.gui.manual_edit.edit_controller.compute_manual_edit", slow)
    at_work.workbench.manual_edit.perform(channel_edit("layers.0.conv1.weight", 2))
    at_work.wait(begun.is_set)
    at_work.session.open(other)
    at_work.wait_open(other)
    at_work.workbench.manual_edit.perform(channel_edit("layers.1.conv1.weight", 3))
    go_on.set()
    at_work.wait(lambda: len(at_work.states) == 2)
    at_work.wait_idle()
    assert at_work.states == ["Opened", "channel 3 of layers.1.conv1 pruned"]
    assert mask_of(at_work, "layers.0.conv1.weight").all()


def test_protected_and_permanent_weights_that_stay_are_told_of(at_work):
    editing = at_work.workbench.manual_edit
    editing.perform(channel_edit(CONV, 5))
    at_work.wait(lambda: len(at_work.states) == 2)
    at_work.menu("Prune", "Make permanent")
    at_work.menu("Prune", "Treat zeros as pruned")
    at_work.wait(lambda: len(at_work.states) == 4)
    editing.perform(channel_edit(CONV, 6))
    both = ((5, 7), (0, 4), (0, 3), (0, 3))
    editing.perform(ManualEditRequest("restore", CONV, (both,), "channel", 0))
    at_work.wait(lambda: len(at_work.states) == 6)
    assert status(at_work) == (
        "2 channels of layers.1.conv1 restored; 36 weights remain 0, because they were made "
        "permanent earlier"
    )
    at_work.key("Ctrl+Z")
    editing.perform(channel_edit(CONV, 5, "restore"))
    at_work.wait(lambda: status(at_work) == "channel 5 of layers.1.conv1 restored, still 0")

    conv = "layers.0.conv1.weight"
    editing.perform(channel_edit(conv, 5, "protect"))
    editing.perform(ManualEditRequest("prune", conv, (both,), "channel", 0))
    at_work.wait(lambda: "protected weights" in status(at_work))
    assert status(at_work) == "2 channels of layers.0.conv1 pruned; 36 protected weights unchanged"
    assert np.flatnonzero(~mask_of(at_work, conv).any(axis=(1, 2, 3))).tolist() == [6]
    partly = ((6, 8), (0, 4), (0, 3), (0, 3))
    editing.perform(ManualEditRequest("prune", conv, (partly,), "channel", 0))
    at_work.wait(lambda: "already" in status(at_work))
    assert status(at_work) == (
        "2 channels of layers.0.conv1 pruned; 36 of 72 weights were pruned already"
    )
