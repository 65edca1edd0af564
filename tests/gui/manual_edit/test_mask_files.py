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


def test_masks_of_a_file_are_pruned_by_a_command_of_the_menu(at_work, masks):
    at_work.chooses_file(masks)
    at_work.menu("Prune", "Load masks")
    report = at_work.wait_preview()
    assert at_work.rule.method.currentText() == "Custom mask from file…"
    assert at_work.views.tree.checked_names() == ("fc.weight", "layers.1.conv1.weight")
    assert report.newly_pruned == 2 * 36 + 8
    at_work.click(at_work.button)
    at_work.wait(lambda: len(at_work.states) == 2)
    assert not mask_of(at_work, CONV)[4:6].any()


@pytest.fixture
def loaded(at_work, masks):
    """Return the user after loading masks; other tensors were checked before."""
    at_work.key("Ctrl+Shift+A")
    at_work.check("layers.0.conv1.weight")
    at_work.check(CONV)
    at_work.chooses_file(masks)
    at_work.menu("Prune", "Load masks")
    at_work.wait_preview()
    assert at_work.views.tree.checked_names() == ("fc.weight", CONV)
    return at_work


@pytest.mark.parametrize("leave", ["reset", "method", "step", "again"])
def test_masks_of_a_file_leave_the_check_marks_of_the_person(loaded, masks, leave):
    assert loaded.workbench.view_state.read()["checked"] == ["layers.0.conv1.weight", CONV]
    if leave == "step":
        loaded.click(loaded.button)
        loaded.wait(lambda: len(loaded.states) == 2)
    if leave == "again":
        loaded.chooses_file(masks)
        loaded.menu("Prune", "Load masks")
        loaded.wait_preview()
    loaded.key("Esc")
    if leave == "reset":
        loaded.menu("Prune", "Reset form")
    else:
        loaded.choose(loaded.rule.method, "L1 unstructured (magnitude)")
    assert loaded.views.tree.checked_names() == ("layers.0.conv1.weight", CONV)
    report = loaded.wait_preview()
    assert {tensor.name for tensor in report.tensors} == {"layers.0.conv1.weight", CONV}


def test_a_file_opens_again_with_the_check_marks_of_the_person(loaded, model):
    loaded.menu("File", "Close")
    loaded.wait(lambda: loaded.document is None)
    loaded.open_file(model)
    assert loaded.views.tree.checked_names() == ("layers.0.conv1.weight", CONV)


def test_what_the_person_checks_beside_masks_of_a_file_stays_checked(loaded):
    loaded.check("layers.2.conv1.weight")
    loaded.check(CONV)  # unchecks it
    loaded.menu("Prune", "Reset form")
    assert set(loaded.views.tree.checked_names()) == {
        "layers.0.conv1.weight",
        "layers.2.conv1.weight",
    }


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


@pytest.mark.parametrize("wrong", ["weights", "other model", "no checkpoint"])
def test_a_file_without_masks_leaves_the_form(at_work, model, tmp_path, wrong):
    """Regression: the form requested missing masks, and showed the preview of removed rules."""
    path = model
    if wrong != "weights":
        path = tmp_path / "wrong.safetensors"
        path.write_bytes(b"no tensors")
        if wrong == "other model":
            save_file({"head.weight_mask": torch.ones(3, 4)}, path)
    at_work.click(at_work.views.form.add)
    at_work.type(at_work.rule.target.lineEdit(), "fc.*")
    report = at_work.wait_preview()
    form = at_work.views.form
    before, button = form.request(), at_work.button.text()
    assert len(before.rows) == 2
    at_work.chooses_file(path)
    at_work.menu("Prune", "Load masks")
    at_work.wait(lambda: at_work.trouble)
    assert form.request() == before
    assert at_work.rule.method.currentText() == "L1 unstructured (magnitude)"
    assert at_work.rule.mask_name.text() == "no file loaded"
    assert at_work.wait_preview() == report
    assert at_work.button.text() == button


def test_scores_that_cannot_be_read_leave_the_form(at_work, tmp_path):
    path = tmp_path / "scores.safetensors"
    path.write_bytes(b"no tensors")
    at_work.choose(at_work.rule.method, "Random unstructured")
    report = at_work.wait_preview()
    form = at_work.views.form
    before = form.request()
    at_work.chooses_file(path)
    at_work.menu("Prune", "Load importance scores")
    at_work.wait(lambda: at_work.trouble)
    assert form.request() == before
    assert at_work.rule.method.currentText() == "Random unstructured"
    assert at_work.wait_preview() == report


@pytest.fixture
def combining(at_work, masks):
    """Return the dialog, with channels 5 and 6 pruned here, and 4 and 5 in the file."""
    for index in (5, 6):
        at_work.workbench.manual_edit.perform(channel_edit(CONV, index))
    at_work.wait(lambda: len(at_work.states) == 3)
    at_work.chooses_file(masks)
    at_work.menu("Prune", "Combine masks with a file")
    found = at_work.workbench.manual_edit.combining
    at_work.wait(lambda: found.dialog is not None and found.dialog.isVisible())
    return found


@pytest.mark.parametrize(
    ("how", "button", "pruned"),
    [
        ("or", "Prune 44 weights", {4, 5, 6}),
        ("and", "Restore 36 weights", {5}),
        ("minus", "Restore 36 weights", {6}),
    ],
)
def test_masks_are_combined_in_one_step(at_work, combining, how, button, pruned):
    dialog = combining.dialog
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
    at_work.wait(lambda: len(at_work.states) == 4)
    assert at_work.states[3].startswith("Masks combined with masks.safetensors (pruned ")
    assert status(at_work) == at_work.states[3]
    gone = ~mask_of(at_work, CONV).any(axis=(1, 2, 3))
    assert set(np.flatnonzero(gone)) == pruned
    assert at_work.document.masks.pruned("fc.weight") == (8 if how == "or" else 0)
    at_work.key("Ctrl+Z")
    assert at_work.document.position == 2


@pytest.mark.parametrize("form", ["safetensors", "resumable"])
def test_zeros_that_nobody_pruned_stay_out_of_a_union(at_work, model, tmp_path, form):
    """Regression: biases and norms of 0 were silently pruned, in addition to the masks."""
    tensors = load_file(model) | {"layers.1.bn1.bias": torch.zeros(8)}
    tensors["layers.0.conv1.bias"][:3] = 0
    start = tmp_path / "start.safetensors"
    save_file(tensors, start)
    at_work.open_file(start)
    at_work.workbench.manual_edit.perform(channel_edit(CONV, 5))
    at_work.wait(lambda: len(at_work.states) == 2)
    out = tmp_path / ("out.pt" if form == "resumable" else "out.safetensors")
    at_work.export(out, form)
    at_work.close_report()
    at_work.key("Ctrl+Z")
    at_work.chooses_file(out)
    at_work.menu("Prune", "Combine masks with a file")
    found = at_work.workbench.manual_edit.combining
    at_work.wait(lambda: found.dialog is not None and found.dialog.isVisible())
    assert found.dialog.go.text() == "Prune 36 weights"
    sentence = "its zeros count as pruned, except in biases, norms and embeddings"
    assert (sentence in found.dialog.about.text()) == (form == "safetensors")
    at_work.click(found.dialog.go)
    at_work.wait(lambda: at_work.document.masks.pruned(CONV) == 36)
    assert list(at_work.document.masks) == [CONV]


def test_what_the_history_takes_of_it_is_made_by_the_worker(at_work, combining, monkeypatch):
    """For 25,000 masks, it takes a tenth of a second."""
    threads = []
    init = MaskSlot.__init__

    def noted(slot, mask):
        threads.append(threading.current_thread())
        init(slot, mask)

    monkeypatch.setattr(MaskSlot, "__init__", noted)
    radio = combining.dialog.choices["or"]
    at_work.click(radio, QPoint(8, radio.height() // 2))
    at_work.click(combining.dialog.go)
    at_work.wait(lambda: len(at_work.states) == 4)
    assert threads
    assert threading.main_thread() not in threads


def test_the_overlap_is_shown_as_a_picture(at_work, combining):
    at_work.click(combining.dialog.picture)
    view = at_work.views.compare
    at_work.wait(lambda: at_work.views.pages.page is Page.COMPARE and combining.dialog is None)
    at_work.wait(lambda: view.sides.wanted == (2, None) and view.numbers().rows)
    assert view.measure == "zeros"
    assert view.measure_box.currentText() == "Unshared zeros"
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


@pytest.mark.usefixtures("histories_off")
@pytest.mark.parametrize("leave", ["states", "file", "close"])
def test_after_masks_were_compared_differences_are_measured_as_before(
    at_work, combining, leave, model
):
    view = at_work.views.compare
    at_work.click(combining.dialog.picture)
    at_work.wait(lambda: view.sides.wanted == (2, None) and view.numbers().rows)
    assert view.measure == "zeros"
    if leave == "states":
        at_work.choose(view.sides.boxes[1], "Opened")
    elif leave == "file":
        at_work.chooses_file(model)
        at_work.menu("Tools", "Compare with a file")
    else:
        at_work.answers("Discard changes")
        at_work.menu("File", "Close")
    at_work.wait(lambda: view.measure == "norm")


def test_a_measure_that_the_person_chose_stays(at_work, combining):
    view = at_work.views.compare
    at_work.click(combining.dialog.picture)
    at_work.wait(lambda: view.sides.wanted == (2, None) and view.numbers().rows)
    at_work.choose(view.measure_box, "Different signs")
    at_work.choose(view.sides.boxes[1], "Opened")
    at_work.pause(50)
    assert view.measure == "signs"
