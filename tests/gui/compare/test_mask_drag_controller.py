"""Drag rows from one window to another, to prune the same weights there."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
from PySide6.QtGui import QDrag, QDragEnterEvent, QDragLeaveEvent, QDropEvent
from safetensors.numpy import save_file

from tests.gui.manual_edit.edit_actions import status
from tests.gui.user import LEFT, node_named

COPY = Qt.DropAction.CopyAction
NONE = Qt.KeyboardModifier.NoModifier


def write(path, shapes, seed):
    rng = np.random.default_rng(seed)
    save_file({n: rng.normal(size=s).astype(np.float32) for n, s in shapes.items()}, path)
    return path


@pytest.fixture
def pair(new_user, tmp_path):
    """Return users at two windows: one pruned its file, the other's tensors match it in part."""
    base = {"enc.a.weight": (8, 5), "enc.b.weight": (6, 8), "head.weight": (4, 6)}
    one = write(tmp_path / "one.safetensors", {**base, "gone.weight": (3, 3)}, 1)
    two = write(tmp_path / "two.safetensors", {**base, "head.weight": (5, 6)}, 2)
    first = new_user(one).wait_ready()
    first.wait_open(one)
    second = first.open_beside(two)
    yield first, second
    assert first.launcher.windows.dragged is None
    assert not first.bugs + second.bugs


def row(user, name):
    tree = user.views.tree
    index = tree.model.index_of(node_named(tree, name))
    tree.view.scrollTo(index)
    rect = tree.view.visualRect(index)
    return QPoint(rect.left() + 60, rect.center().y())


def select(user, *names):
    """Click rows, those after the first with Ctrl."""
    viewport = user.views.tree.view.viewport()
    for place, name in enumerate(names):
        held = Qt.KeyboardModifier.ControlModifier if place else NONE
        user.qtbot.mouseClick(viewport, LEFT, held, row(user, name))


def drag(user, name, onto, monkeypatch, carried=None):
    """Drag the selected rows to another window.

    Return the dragged text and whether the window accepted it; None if no drag was started.
    """
    found = []

    def carry(drag, _actions):
        data = drag.mimeData()
        target = onto.window
        at = QPointF(target.rect().center())
        enter = QDragEnterEvent(at.toPoint(), COPY, data, LEFT, NONE)
        QCoreApplication.sendEvent(target, enter)
        if enter.isAccepted():
            QCoreApplication.sendEvent(target, QDropEvent(at, COPY, data, LEFT, NONE))
        found.append((data.text(), enter.isAccepted()))
        return COPY

    monkeypatch.setattr(QDrag, "exec", carried or carry)
    viewport, at = user.views.tree.view.viewport(), row(user, name)
    user.qtbot.mousePress(viewport, LEFT, NONE, at)
    for step in (5, 20, 40):
        if not found:
            user.qtbot.mouseMove(viewport, at + QPoint(step, step // 2))
    user.qtbot.mouseRelease(viewport, LEFT, NONE, at)
    return found[0] if found else None


def masks(user):
    return {name: mask.bools() for name, mask in user.document.masks.items()}


def test_masks_of_selected_rows_are_asked_for_and_applied_by_a_click(pair, monkeypatch):
    first, second = pair
    first.prune()
    wanted = masks(first)
    select(first, "enc.a.weight", "enc.b.weight")
    text, welcome = drag(first, "enc.b.weight", second, monkeypatch)
    assert welcome
    assert text == "enc.a.weight\nenc.b.weight"
    second.wait(lambda: second.rule.method.currentText() == "Custom mask from file…")
    assert second.rule.mask_name.text() == "one.safetensors"
    assert second.views.tree.checked_names() == ("enc.a.weight", "enc.b.weight")
    assert len(second.states) == 1, "nothing is done before a click"
    assert status(second).startswith("Masks of 2 tensors loaded from one.safetensors")
    assert second.window.isActiveWindow()
    second.prune()
    found = masks(second)
    assert set(found) == {"enc.a.weight", "enc.b.weight"}
    for name, kept in found.items():
        np.testing.assert_array_equal(kept, wanted[name])
    assert len(first.states) == 2
    second.key("Ctrl+Z")
    second.wait(lambda: second.document.position == 0)


def test_a_module_stands_for_what_is_below_it_and_the_list_for_its_rows(pair, monkeypatch):
    first, second = pair
    first.prune()
    select(first, "enc")
    text, _ = drag(first, "enc", second, monkeypatch)
    assert text == "enc.a.weight\nenc.b.weight"
    second.wait(lambda: second.rule.mask_name.text() == "one.safetensors")
    first.key("Ctrl+L")
    select(first, "enc.b.weight")
    text, _ = drag(first, "enc.b.weight", second, monkeypatch)
    assert text == "enc.b.weight"
    second.wait(lambda: second.views.tree.checked_names() == ("enc.b.weight",))


def test_what_cannot_be_taken_is_said(pair, monkeypatch):
    """If that is everything, the form stays as it is."""
    first, second = pair
    before = second.rule.method.currentText()
    first.key("Ctrl+L")
    for name, sentence in (
        ("enc.a.weight", "Nothing is pruned in these tensors of 'one.safetensors'."),
        ("gone.weight", "None of these tensors of 'one.safetensors' fits 'two.safetensors'."),
    ):
        select(first, name)
        drag(first, name, second, monkeypatch)
        second.wait(lambda: second.trouble)
        assert second.trouble[0].startswith(sentence)
        assert second.rule.method.currentText() == before
        second.window.notices.clear()
        if name == "enc.a.weight":
            first.prune()

    select(first, "enc.a.weight", "gone.weight", "head.weight")
    drag(first, "head.weight", second, monkeypatch)
    second.wait(lambda: second.notices)
    (sentence,) = second.notices
    taken, _, left = sentence.partition(". ")
    assert taken == "Masks of 1 tensor loaded from one.safetensors"
    assert left == "Excluded, because they do not fit this file: 2 tensors."
    (notice,) = second.window.notices.notices
    assert sorted(notice.details.toPlainText().splitlines()) == [
        "'gone.weight': there is no tensor of this name.",
        "'head.weight' has the shape [4, 6], but [5, 6] here.",
    ]
    assert second.views.tree.checked_names() == ("enc.a.weight",)
    assert not second.trouble


def test_over_a_window_it_says_what_a_drop_would_do(pair, monkeypatch):
    first, second = pair
    first.prune()
    select(first, "enc.a.weight")
    heard = []

    def pass_over(drag, _actions):
        enter = QDragEnterEvent(QPoint(400, 300), COPY, drag.mimeData(), LEFT, NONE)
        QCoreApplication.sendEvent(second.window, enter)
        heard.append(status(second))
        QCoreApplication.sendEvent(second.window, QDragLeaveEvent())
        heard.append(status(second))
        return COPY

    drag(first, "enc.a.weight", second, monkeypatch, pass_over)
    assert heard == ["Drop here to use the masks of 1 tensor of one.safetensors.", ""]
    second.wait_idle()
    assert second.rule.method.currentText() != "Custom mask from file…"

    # A window takes nothing from itself, nor without a file.
    select(first, "enc.a.weight")
    assert drag(first, "enc.a.weight", first, monkeypatch) == ("enc.a.weight", False)
    second.key("Ctrl+W")
    second.wait(lambda: second.document is None)
    assert drag(first, "enc.a.weight", second, monkeypatch) == ("enc.a.weight", False)

    # Dragging over rows that are not selected selects them, as before rows could be dragged.
    first.key("Ctrl+L")
    select(first, "enc.a.weight")
    viewport = first.views.tree.view.viewport()
    begin, end = row(first, "enc.b.weight"), row(first, "head.weight")
    first.qtbot.mousePress(viewport, LEFT, NONE, begin)
    for at in (begin + QPoint(0, 6), (begin + end) / 2, end):
        first.qtbot.mouseMove(viewport, at)
    first.qtbot.mouseRelease(viewport, LEFT, NONE, end)
    assert set(first.views.tree.selected_names()) >= {"enc.b.weight", "head.weight"}
    assert "enc.a.weight" not in first.views.tree.selected_names()
    first.qtbot.mouseClick(viewport, LEFT, NONE, end)  # selects only the clicked row
    assert first.views.tree.selected_names() == ("head.weight",)
