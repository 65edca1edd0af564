"""Prune a channel, protect another, apply L2, undo all; and the same from the recipe."""

from __future__ import annotations

import json

import numpy as np
import torch
from PySide6.QtWidgets import QApplication
from safetensors.torch import load_file
from torch.nn.utils import prune

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.step import Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.manual_edit import ManualEdit
from pruneapp.gui.plots.pages import Page
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.gui.manual_edit.edit_actions import CONV, mask_of, middle_of_bar, status
from tests.support.document_edits import entry as entry_of


def recipe(document):
    """Return the steps as JSON, and the masks that they refer to."""
    done, masks = [], {}
    for position in range(1, document.position + 1):
        status, named = entry_of(document.history, position)
        done.append(status)
        masks |= named
    return json.loads(json.dumps(done)), masks


def as_bytes(masks):
    """Return packed masks by name, without empty ones."""
    return {n: m.packed.tobytes() for n, m in masks.items() if m.pruned}


def replay(done, masks, path):
    """Return the pruned and protected masks, as bytes, after replaying a recipe in a document."""
    with open_checkpoint(path) as checkpoint:
        document = Document(checkpoint)
        for entry in done:
            now = document.snapshot()
            if entry["name"] == "edit":
                document.commit(compute_manual_edit(now, ManualEdit.from_dict(entry, masks), Job()))
            else:
                step = Step.from_dict(entry)
                document.commit(compute_preview(now, step, CpuKernel(), Job()))
        document.close()
        return as_bytes(document.masks), as_bytes(document.snapshot().protected)


def replay_with_torch(done, path):
    """Return the same, computed with torch.nn.utils.prune from the JSON alone.

    torch has no protection, so that protected weights get an infinite importance.
    """
    module = torch.nn.Module()
    places, protected = {}, {}
    for name, tensor in load_file(path).items():
        at, *path_to = module, *name.split(".")
        for part in path_to[:-1]:
            at.add_module(part, inner := getattr(at, part, torch.nn.Module()))
            at = inner
        at.register_parameter(path_to[-1], torch.nn.Parameter(tensor, tensor.is_floating_point()))
        places[name] = at, path_to[-1]
    for entry in done:
        given = entry["configuration"]
        if entry["name"] == "edit":
            for target in given["targets"]:
                meant = torch.zeros(getattr(*places[target["name"]]).shape, dtype=torch.bool)
                for box in target["boxes"]:
                    meant[tuple(slice(*span) for span in box)] = True
                if given["operation"] == "prune":
                    prune.custom_from_mask(*places[target["name"]], ~meant)
                else:
                    assert given["operation"] == "protect"
                    protected[target["name"]] = meant
            continue
        assert (entry["name"], given["scope"]) == ("step", "local")
        for row in given["rows"]:
            assert row["name"] == "ln_structured"
            for name in row["configuration"]["names"]:
                scores = getattr(*places[name]).detach().clone()
                scores[protected[name]] = torch.inf
                values = row["configuration"]["values"]
                prune.ln_structured(*places[name], importance_scores=scores, **values)
    masks = {
        n: getattr(m, f"{p}_mask").bool() for n, (m, p) in places.items() if pruned_by_torch(m, p)
    }
    return pack_masks(masks), pack_masks(protected)


def pruned_by_torch(module, name):
    """Return whether torch pruned a tensor."""
    return hasattr(module, f"{name}_mask")


def pack_masks(masks):
    """Return masks as bytes, with the first element in the lowest bit."""
    return {
        n: np.packbits(m.numpy().ravel(), bitorder="little").tobytes() for n, m in masks.items()
    }


BOXES = {c: [[[c, c + 1], [0, 4], [0, 3], [0, 3]]] for c in range(8)}


def assert_done(user, path):
    """Assert that the recipe describes the steps, and that replaying it gives the same masks."""
    document = user.document
    done, masks = recipe(document)
    assert [entry["name"] for entry in done] == ["edit", "edit", "step"]
    for entry, operation, index in zip(done, ("prune", "protect"), (5, 1), strict=False):
        target = {"name": CONV, "boxes": BOXES[index], "shape": "channel", "dim": 0}
        assert entry["configuration"] == {"operation": operation, "targets": [target]}
    (row,) = done[2]["configuration"]["rows"]
    assert row["configuration"]["values"] == {"amount": 0.43, "n": 2, "dim": 0}
    assert row["configuration"]["names"] == [CONV]
    assert not masks
    here = as_bytes(document.masks), as_bytes(document.snapshot().protected)
    assert here[0].keys() == here[1].keys() == {CONV}
    assert replay(done, masks, path) == here
    assert replay_with_torch(done, path) == here
    left = mask_of(user, CONV).any(axis=(1, 2, 3))
    assert left.sum() == 4, "3 of the 7 unpruned ones, including the protected one"
    assert left[1], "it has the smallest norm"
    assert not left[5]


def undo_all(user, key):
    while user.document.position:
        before = user.document.position
        key("Ctrl+Z")
        assert user.document.position == before - 1
    assert recipe(user.document) == ([], {})
    assert not user.document.masks
    assert not user.document.snapshot().protected


def test_a_person_prunes_a_channel_protects_another_and_undoes_all_by_clicks(at_work, model):
    """By clicks on bars and buttons alone."""
    channels = at_work.views.pages.channels
    at_work.click_cell(CONV)
    tabs = at_work.views.pages.tabs
    at_work.click(tabs, tabs.tabRect(Page.CHANNELS).center())
    at_work.wait(lambda: channels.numbers().rows == 8)

    at_work.click(channels.canvas.viewport(), middle_of_bar(at_work, 5))
    assert channels.chosen == (5,)
    at_work.click(channels.operations.buttons["prune"])
    at_work.wait(lambda: len(at_work.states) == 2)
    assert status(at_work) == "channel 5 of layers.1.conv1 pruned"
    assert np.flatnonzero(~mask_of(at_work, CONV).any(axis=(1, 2, 3))).tolist() == [5]
    at_work.wait_idle()

    at_work.click(channels.canvas.viewport(), middle_of_bar(at_work, 1))
    at_work.click(channels.operations.buttons["protect"])
    at_work.wait(lambda: len(at_work.states) == 3)
    assert status(at_work) == "channel 1 of layers.1.conv1 protected"

    at_work.key("Ctrl+Shift+A")
    at_work.check(CONV)
    at_work.choose(at_work.rule.method, "Ln structured (channels)")
    at_work.ask_amount("43 %")  # of the 7 unpruned channels, including the protected one
    at_work.wait_preview()
    at_work.click(at_work.button)
    at_work.wait(lambda: len(at_work.states) == 4)
    assert_done(at_work, model)

    undo_all(at_work, lambda _key: at_work.menu("Edit", at_work.window.actions_["undo"].text()[1:]))


def test_a_person_does_the_same_by_the_keyboard_alone(at_work, model):
    """Without clicks: filter, pages, bars, form and button by keys."""
    channels = at_work.views.pages.channels
    key = at_work.key

    key("Ctrl+Shift+A")
    key("Ctrl+F")
    type_in(at_work, "layers.1.conv1.w")
    key("Down")
    for _row in range(6):
        if at_work.views.tree.focused_name() == CONV:
            break
        key("Down")
    key("Space")
    assert at_work.views.tree.checked_names() == (CONV,)
    key("3")
    at_work.wait(lambda: channels.numbers().rows == 8)
    tab_to(at_work, channels.canvas)
    key("Home")
    for _bar in range(5):
        key("Right")
    key("Space")
    assert channels.chosen == (5,)
    key("Del")
    at_work.wait(lambda: len(at_work.states) == 2)
    assert np.flatnonzero(~mask_of(at_work, CONV).any(axis=(1, 2, 3))).tolist() == [5]
    at_work.wait_idle()

    key("Esc")
    assert channels.chosen == ()
    for _bar in range(4):
        key("Left")
    key("Space")
    assert channels.chosen == (1,)
    key("P")
    at_work.wait(lambda: len(at_work.states) == 3)
    assert status(at_work) == "channel 1 of layers.1.conv1 protected"

    tab_to(at_work, at_work.rule.method)
    type_in(at_work, "Ln")
    assert at_work.rule.method.currentText().startswith("Ln structured (channels)")
    tab_to(at_work, at_work.rule.fields.editors["amount"].field)
    key("Ctrl+A")
    type_in(at_work, "43 %")
    key("Tab")
    at_work.wait_preview()
    key("Ctrl+Return")
    at_work.wait(lambda: len(at_work.states) == 4)
    assert_done(at_work, model)
    undo_all(at_work, key)


def tab_to(user, widget):
    """Press Tab until a widget, or one of its children, has the focus."""
    for _step in range(80):
        focused = QApplication.focusWidget()
        if focused is not None and (focused is widget or widget.isAncestorOf(focused)):
            return
        user.key("Tab")
    raise AssertionError(f"Tab does not lead to {widget}")


def type_in(user, text):
    """Type into the focused widget."""
    user.qtbot.keyClicks(QApplication.focusWidget(), text)
    user.pause(160)  # large trees are filtered after a pause in typing
