"""Manual edits of units that several tensors share (neurons and heads), in a real window."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from pruneapp.gui.plots.pages import Page
from tests.gui.manual_edit.edit_actions import mask_of, status
from tests.support.model_folders import GROUPS, HEAD, HEADS, LAYERS, NEURONS, write_llama

LAYER = "model.layers.1."
UP, GATE, DOWN = (f"{LAYER}mlp.{part}_proj.weight" for part in ("up", "gate", "down"))
QUERIES, KEYS, VALUES, OUTPUTS = (f"{LAYER}self_attn.{part}_proj.weight" for part in "qkvo")


@pytest.fixture
def at_llama(user, tmp_path):
    folder = write_llama(tmp_path / "llama")
    return user.open_file(folder)


def show_channels(user, name, size):
    user.click_cell(name)
    user.key("3", user.views.tree.view)
    channels = user.views.pages.channels
    user.wait(lambda: channels.bars_key[0] == name and channels.bars_key[-1] == size)
    user.wait_idle()
    return channels


def choose_dim(user, text):
    user.choose(user.views.pages.channels.dim_box, text)
    user.wait_idle()


def select(user, text):
    """Select channels, or units, by pasting a list."""
    QGuiApplication.clipboard().setText(text)
    canvas = user.views.pages.channels.canvas
    user.key("Ctrl+V", canvas)
    user.wait_idle()


def press(user, key, states):
    user.key(key, user.views.pages.channels.canvas)
    user.wait(lambda: len(user.states) == states)


def zeros(user, name, dim=0):
    """Return the indices along a dimension in which all weights are pruned."""
    return np.flatnonzero(~mask_of(user, name).any(axis=1 - dim)).tolist()


def click_box(user, box):
    user.wait(box.isVisible)
    user.click(box, QPoint(8, box.height() // 2))


def test_neurons_go_in_all_tensors_of_the_group_in_one_step(at_llama):
    show_channels(at_llama, UP, NEURONS)
    select(at_llama, "7")
    press(at_llama, "Del", 2)  # without the check mark, one tensor is edited
    assert status(at_llama) == "channel 7 of model.layers.1.mlp.up_proj pruned"
    assert list(at_llama.document.masks) == [UP]
    at_llama.key("Ctrl+Z")
    at_llama.document.delete(1)
    box = at_llama.views.edit_options.group
    assert box.text() == "Also edit the same units in 2 other tensors"
    assert box.toolTip().endswith(
        f"FFN neurons of model.layers.1.mlp: manual edits apply to {GATE}, {DOWN}, too</span>"
    )
    assert not box.isChecked()
    click_box(at_llama, box)
    assert at_llama.window.actions_["in_group"].isChecked()
    select(at_llama, "3-4, 9")
    press(at_llama, "Del", 2)
    assert at_llama.states[1] == status(at_llama)
    assert status(at_llama) == "3 FFN neurons of model.layers.1.mlp pruned in 3 tensors"
    assert zeros(at_llama, UP) == zeros(at_llama, GATE) == zeros(at_llama, DOWN, 1) == [3, 4, 9]
    assert at_llama.document.masks.pruned(DOWN) == 3 * mask_of(at_llama, DOWN).shape[0]
    select(at_llama, "4")
    press(at_llama, "R", 3)
    assert zeros(at_llama, DOWN, 1) == [3, 9]
    at_llama.key("Ctrl+Z")
    at_llama.key("Ctrl+Z")
    assert not any(at_llama.document.masks.pruned(name) for name in at_llama.document.masks)

    # What is selected in one tensor is selected in the others.
    select(at_llama, "3-4, 9")
    channels = show_channels(at_llama, GATE, NEURONS)
    at_llama.wait(lambda: channels.chosen == (3, 4, 9))
    show_channels(at_llama, DOWN, mask_of(at_llama, DOWN).shape[0])
    assert channels.chosen == ()
    choose_dim(at_llama, "1: inputs")
    at_llama.wait(lambda: channels.chosen == (3, 4, 9))
    show_channels(at_llama, "model.layers.2.mlp.up_proj.weight", NEURONS)
    assert channels.chosen == (), "other layers have other neurons"


def test_the_check_box_is_there_for_the_dimension_that_is_shared(at_llama):
    """Where there is little room, the boxes have shorter texts, and none is cut off."""
    options = at_llama.views.edit_options
    box = options.group
    show_channels(at_llama, UP, NEURONS)
    at_llama.wait(box.isVisible)
    needed = options._needed(short=False)
    assert options.width() >= needed
    options.setFixedWidth(needed - 1)
    assert box.text() == "Same units in 2 other tensors"
    assert options.every_block.text() == f"Same layer in all {LAYERS} blocks"
    assert options.title.isVisible()
    assert box.accessibleName() == "Also edit the same units in 2 other tensors"
    assert options.minimumSizeHint().width() < needed
    assert at_llama.views.pages.page is Page.CHANNELS
    assert box.focusPolicy() & Qt.FocusPolicy.TabFocus
    options.setMinimumWidth(0)
    options.setMaximumWidth(16_777_215)
    choose_dim(at_llama, "1: inputs")
    assert not box.isVisible()
    show_channels(at_llama, DOWN, mask_of(at_llama, DOWN).shape[0])
    assert not box.isVisible()
    choose_dim(at_llama, "1: inputs")
    at_llama.wait(box.isVisible)
    at_llama.key("1", at_llama.views.tree.view)
    at_llama.wait(box.isVisible)
    assert box.accessibleName() == "Also edit the same units in 2 other tensors", (
        "as on the other page"
    )
    at_llama.click_cell("model.norm.weight")
    at_llama.wait(lambda: not box.isVisible())


def test_the_groups_of_both_dimensions_are_counted_on_the_page_of_weights(user, tmp_path):
    """Regression: the same tensor had a group of 7 and of 4 tensors without a reason."""
    layers = [
        *(torch.nn.Conv2d(3, 8, 3, bias=False), torch.nn.BatchNorm2d(8), torch.nn.ReLU()),
        *(torch.nn.Conv2d(8, 6, 3, bias=False), torch.nn.BatchNorm2d(6), torch.nn.ReLU()),
        torch.nn.Conv2d(6, 4, 3, bias=False),
    ]
    program = torch.export.export(torch.nn.Sequential(*layers).eval(), (torch.ones(2, 3, 9, 9),))
    torch.export.save(program, tmp_path / "cnn.pt2")
    user.open_file(tmp_path / "cnn.pt2")
    user.click_cell("3.weight")
    box = user.views.edit_options.group
    user.wait(box.isVisible)
    assert box.accessibleName() == "Also edit the same units in 6 other tensors (dims 0, 1)"
    show_channels(user, "3.weight", 6)
    user.wait(lambda: box.accessibleName() == "Also edit the same units in 3 other tensors")


def test_heads_are_pruned_as_units_in_all_their_tensors(at_llama, tmp_path):
    channels = show_channels(at_llama, QUERIES, HEADS * HEAD)
    choose_dim(at_llama, "0: query heads (4)")
    assert channels.canvas.count == HEADS
    box = at_llama.views.edit_options.group
    assert box.isVisible()
    assert box.isChecked()
    assert not box.isEnabled(), "only complete units count"
    select(at_llama, "4")
    assert "The list of units contains '4', but there are 4 units" in at_llama.trouble[0]
    at_llama.window.notices.clear()
    select(at_llama, "1-2")
    assert at_llama.trouble == []
    press(at_llama, "Del", 2)
    assert status(at_llama) == "2 query heads of model.layers.1.self_attn pruned in 2 tensors"
    rows = list(range(HEAD, 3 * HEAD))
    assert zeros(at_llama, QUERIES) == zeros(at_llama, OUTPUTS, 1) == rows
    assert not at_llama.document.masks.pruned(KEYS)
    at_llama.wait(lambda: "2 pruned" in channels.summary())
    choose_dim(at_llama, "0: key/value heads (2)")
    select(at_llama, "1")
    press(at_llama, "Del", 3)
    assert status(at_llama) == (
        "1 key/value head of model.layers.1.self_attn pruned in 4 tensors; "
        "512 of 1,536 weights were pruned already"
    )
    assert zeros(at_llama, KEYS) == zeros(at_llama, VALUES) == list(range(HEAD, GROUPS * HEAD))
    assert zeros(at_llama, QUERIES) == list(range(HEAD, HEADS * HEAD))
    choose_dim(at_llama, "0: outputs")
    assert not box.isVisible(), "one channel of a head is no unit"
    assert not at_llama.window.actions_["in_group"].isChecked()

    # A session keeps it.
    before = at_llama.document
    at_llama.chooses_file(tmp_path / "work.prune", "getSaveFileName")
    at_llama.key("Ctrl+S")
    at_llama.wait(lambda: not at_llama.workbench.jobs.busy and any(tmp_path.glob("work*")))
    at_llama.open(tmp_path / "work.prune")
    at_llama.wait(lambda: at_llama.document not in (before, None))
    assert at_llama.states[1] == "2 query heads of model.layers.1.self_attn pruned in 2 tensors"
    assert (
        zeros(at_llama, QUERIES) == zeros(at_llama, OUTPUTS, 1) == list(range(HEAD, HEADS * HEAD))
    )


def test_units_of_every_block_are_shown_before_anything_is_done(at_llama):
    show_channels(at_llama, UP, NEURONS)
    at_llama.menu("Prune", "Manual edit", "Apply to the same layer in all blocks")
    at_llama.menu("Prune", "Manual edit", "Include all tensors of the group")
    select(at_llama, "5")
    at_llama.key("P", at_llama.views.pages.channels.canvas)
    editing = at_llama.workbench.manual_edit
    at_llama.wait(lambda: editing.dialog is not None and editing.dialog.isVisible())
    assert editing.dialog.table.model().rowCount() == 3 * LAYERS
    at_llama.click(editing.dialog.go)
    at_llama.wait(lambda: len(at_llama.states) == 2)
    assert status(at_llama) == (
        f"{LAYERS} FFN neurons of model.layers.*.mlp protected in {3 * LAYERS} tensors"
    )
    protected = at_llama.document.snapshot().protected
    assert len(protected) == 3 * LAYERS
