"""Mask and score files in a real window."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import torch
from PySide6.QtCore import QPoint
from safetensors.torch import load_file, save_file

from pruneapp.document.mask_store import MaskSlot
from pruneapp.gui.plots.pages import Page
from tests.gui.manual_edit.edit_actions import CONV, channel_edit, mask_of, status


@pytest.fixture
def masks(tmp_path):
    """Write masks of two tensors, named as by torch, with some zeros."""
    made = {
        "layers.1.conv1.weight_mask": torch.ones(8, 4, 3, 3),
        "fc.weight_mask": torch.ones(10, 8),
    }
    made["layers.1.conv1.weight_mask"][4:6] = 0
    made["fc.weight_mask"][0] = 0
    path = tmp_path / "masks.safetensors"
    save_file(made, path)
    return path


def load_masks(user, masks):
    """Load masks by the menu, and return the report of their preview."""
    user.chooses_file(masks)
    user.menu("Prune", "Load masks")
    user.wait_idle()
    user.wait(lambda: user.rule.mask_name.text() == masks.name)
    return user.wait_preview()


def test_masks_of_a_file_leave_the_check_marks_of_the_user(at_work, masks, model):
    """They are checked while the masks are requested; "checked" is what a session stores."""
    user, mine = at_work, ("layers.0.conv1.weight", CONV)
    user.key("Ctrl+Shift+A")
    for name in mine:
        user.check(name)
    for leave in ("reset", "method", "again", "reopen", "step"):
        report = load_masks(user, masks)
        assert user.rule.method.currentText() == "Custom mask from file…"
        assert report.newly_pruned == 2 * 36 + 8
        assert user.views.tree.checked_names() == ("fc.weight", CONV), leave
        assert user.workbench.view_state.read()["checked"] == [*mine], leave
        if leave == "reopen":
            user.menu("File", "Close")
            user.wait(lambda: user.document is None)
            user.open_file(model)
            assert user.views.tree.checked_names() == mine
            continue
        if leave == "again":
            load_masks(user, masks)
        if leave == "step":
            user.click(user.button)
            user.wait(lambda: len(user.states) == 2)
            assert not mask_of(user, CONV)[4:6].any()
        user.key("Esc")
        if leave == "reset":
            user.menu("Prune", "Reset form")
        else:
            user.choose(user.rule.method, "L1 unstructured (magnitude)")
        assert user.views.tree.checked_names() == mine, leave
        report = user.wait_preview()
        assert {tensor.name for tensor in report.tensors} == {*mine}, leave

    load_masks(user, masks)
    user.check("layers.2.conv1.weight")
    user.check(CONV)  # unchecks it
    user.menu("Prune", "Reset form")
    assert set(user.views.tree.checked_names()) == {mine[0], "layers.2.conv1.weight"}


def test_importance_scores_are_loaded_by_a_command_of_the_menu(at_work, tmp_path):
    path = tmp_path / "scores.safetensors"
    save_file({"fc.weight": torch.arange(80.0).reshape(10, 8)}, path)
    at_work.key("Ctrl+Shift+A")
    at_work.check("fc.weight")
    at_work.choose(at_work.rule.method, "Random structured (channels)")
    at_work.chooses_file(path)
    at_work.menu("Prune", "Load importance scores")
    at_work.wait(lambda: at_work.rule.scores_name.text() == "scores.safetensors")
    assert at_work.rule.method.currentText() == "L1 unstructured (magnitude)"
    at_work.wait_preview()
    at_work.click(at_work.button)
    at_work.wait(lambda: len(at_work.states) == 2)
    assert np.flatnonzero(~mask_of(at_work, "fc.weight").reshape(-1)).tolist() == list(range(16))


def test_a_file_without_masks_or_scores_leaves_the_form(at_work, model, tmp_path):
    """Regression: the form requested missing masks, and showed the preview of removed rules."""
    broken, other = tmp_path / "broken.safetensors", tmp_path / "other.safetensors"
    broken.write_bytes(b"no tensors")
    save_file({"head.weight_mask": torch.ones(3, 4)}, other)
    at_work.click(at_work.views.form.add)
    at_work.type(at_work.rule.target.lineEdit(), "fc.*")
    at_work.choose(at_work.rule.method, "Random unstructured")
    report = at_work.wait_preview()
    form = at_work.views.form
    before, button = form.request(), at_work.button.text()
    assert len(before.rows) == 2
    for path, command in (
        *((path, "Load masks") for path in (model, other, broken)),
        (broken, "Load importance scores"),
    ):
        at_work.chooses_file(path)
        at_work.menu("Prune", command)
        at_work.wait(lambda: at_work.trouble)
        assert form.request() == before, (path, command)
        assert at_work.rule.method.currentText() == "Random unstructured"
        assert at_work.rule.mask_name.text() == "no file loaded"
        assert at_work.wait_preview() == report
        assert at_work.button.text() == button
        at_work.window.notices.clear()


@pytest.fixture
def combining(at_work, masks):
    """Prune channels 5 and 6 here, for a file in which 4 and 5 are; return the controller."""
    for index in (5, 6):
        at_work.workbench.manual_edit.perform(channel_edit(CONV, index))
    at_work.wait(lambda: len(at_work.states) == 3)
    return at_work.workbench.manual_edit.combining


def open_dialog(user, combining, masks):
    user.chooses_file(masks)
    user.menu("Prune", "Combine masks with a file")
    user.wait(lambda: combining.dialog is not None and combining.dialog.isVisible())
    return combining.dialog


def test_masks_are_combined_in_one_step(at_work, combining, masks, monkeypatch):
    """The slots of the history are made by the worker: 25,000 masks take a tenth of a second."""
    threads = []
    init = MaskSlot.__init__

    def noted(slot, mask):
        threads.append(threading.current_thread())
        init(slot, mask)

    monkeypatch.setattr(MaskSlot, "__init__", noted)
    for step, how, button, pruned in (
        (3, "or", "Prune 44 weights", {4, 5, 6}),
        (4, "and", "Restore 36 weights", {5}),
        (5, "minus", "Restore 36 weights", {6}),
    ):
        dialog = open_dialog(at_work, combining, masks)
        model = dialog.table.model()
        rows = [[model.index(r, c).data() for c in range(5)] for r in range(model.rowCount())]
        assert [row[:4] for row in rows] == [
            ["fc.weight", "0", "0", "8"],
            ["layers.1.conv1.weight", "36", "36", "36"],
        ]
        assert "2 tensors are in both" in dialog.about.text()
        radio = dialog.choices[how]
        at_work.click(radio, QPoint(8, radio.height() // 2))
        assert dialog.go.text() == button
        at_work.click(dialog.go)
        at_work.wait(lambda step=step: at_work.document.position == step)
        assert at_work.states[step].startswith("Masks combined with masks.safetensors (pruned ")
        assert status(at_work) == at_work.states[step]
        gone = ~mask_of(at_work, CONV).any(axis=(1, 2, 3))
        assert set(np.flatnonzero(gone)) == pruned
        assert at_work.document.masks.pruned("fc.weight") == (8 if how == "or" else 0)
        at_work.key("Ctrl+Z")
        assert at_work.document.position == 2
    assert threads
    assert threading.main_thread() not in threads


def test_zeros_that_nobody_pruned_stay_out_of_a_union(at_work, model, tmp_path):
    """Regression: biases and norms of 0 were silently pruned, in addition to the masks."""
    tensors = load_file(model) | {"layers.1.bn1.bias": torch.zeros(8)}
    tensors["layers.0.conv1.bias"][:3] = 0
    start = tmp_path / "start.safetensors"
    save_file(tensors, start)
    at_work.open_file(start)
    at_work.workbench.manual_edit.perform(channel_edit(CONV, 5))
    at_work.wait(lambda: len(at_work.states) == 2)
    combining = at_work.workbench.manual_edit.combining
    for form, file in (("safetensors", "out.safetensors"), ("resumable", "out.pt")):
        at_work.export(tmp_path / file, form)
        at_work.close_report()
        at_work.key("Ctrl+Z")
        dialog = open_dialog(at_work, combining, tmp_path / file)
        assert dialog.go.text() == "Prune 36 weights"
        sentence = "its zeros count as pruned, except in biases, norms and embeddings"
        assert (sentence in dialog.about.text()) == (form == "safetensors")
        at_work.click(dialog.go)
        at_work.wait(lambda: at_work.document.masks.pruned(CONV) == 36)
        assert list(at_work.document.masks) == [CONV]


def show_overlap(user, combining, masks):
    """Compare the masks on the page Compare."""
    user.click(open_dialog(user, combining, masks).picture)
    view = user.views.compare
    user.wait(
        lambda: (
            user.views.pages.page is Page.COMPARE
            and combining.dialog is None
            and None in view.sides.wanted
            and view.measure == "zeros"
            and view.numbers().rows
        )
    )


def test_the_overlap_is_shown_as_a_picture_until_something_else_is_compared(
    at_work, combining, masks, model
):
    """Differences are then measured as before."""
    view = at_work.views.compare
    show_overlap(at_work, combining, masks)
    assert view.sides.wanted == (2, None)
    assert view.measure_box.currentText() == "Zero mismatch"
    rows = [view.numbers().row(number) for number in range(view.numbers().rows)]
    shared = {row[0]: row[view.numbers().headers.index("shared zeros")] for row in rows}
    assert shared == {"fc.weight": 0, CONV: 1 / 3}
    at_work.workbench.compare.show_difference(CONV)
    item = at_work.views.pages.weights.canvas.item
    at_work.wait(lambda: hasattr(item.fine, "removed"))
    rows = item.fine.layout.rows // 8
    for share, channels in (
        (item.fine.removed, {4}),
        (item.fine.restored, {6}),
        (item.fine.in_neither, {5}),
    ):
        assert set(np.flatnonzero(share.all(axis=1)) // rows) == channels

    at_work.workbench.navigation.show_page(Page.COMPARE)
    at_work.choose(view.sides.boxes[1], "Opened")
    assert view.measure == "norm"
    show_overlap(at_work, combining, masks)
    at_work.choose(view.measure_box, "Different signs")
    at_work.choose(view.sides.boxes[1], "Opened")
    at_work.pause(50)
    assert view.measure == "signs", "the user chose it"
    at_work.choose(view.measure_box, "Relative norm")
    show_overlap(at_work, combining, masks)
    at_work.chooses_file(model)
    at_work.menu("Tools", "Compare with a file")
    at_work.wait(lambda: view.measure == "norm")
    show_overlap(at_work, combining, masks)
    at_work.menu("File", "Close")
    at_work.wait(lambda: view.measure == "norm")
