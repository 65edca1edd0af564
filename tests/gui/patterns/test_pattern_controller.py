"""Check the pattern of the open file and repair it in the window, compared with plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from safetensors.numpy import save_file

from pruneapp.analysis.patterns import check_pattern
from pruneapp.edits.manual_edit import ManualEditRequest
from pruneapp.gui.patterns import pattern_controller
from pruneapp.gui.widgets.theme import DARK
from pruneapp.preview import preview
from tests.gui.job_gate import Gate
from tests.gui.journeys.test_screen_reader import problems_of
from tests.gui.user import plain

CHANGED = "The masks have changed since this check."


@pytest.fixture
def weights():
    """Return dense layers, and one pruned to 2:4 along its inputs."""
    rng = np.random.default_rng(3)
    made = {
        "conv.weight": rng.normal(size=(6, 8, 3, 3)),
        "fc1.weight": rng.normal(size=(12, 18)),
        "fc2.bias": rng.normal(size=12),
        "fc2.weight": rng.normal(size=(12, 16)),
    }
    made["fc2.weight"][:, ::2] = 0
    return {name: array.astype(np.float32) for name, array in made.items()}


@pytest.fixture
def at_work(user, weights, tmp_path):
    path = tmp_path / "model.safetensors"
    save_file(weights, path)
    user.open_file(path)
    user.wait_preview()
    return user


@pytest.fixture
def gate(monkeypatch):
    """Return a gate that blocks checks until it is opened; they can be cancelled."""
    made = Gate(closed=True)

    def wait_and_check(*given):
        made.wait(given[-1])
        return check_pattern(*given)

    monkeypatch.setattr(pattern_controller, "check_pattern", wait_and_check)
    return made


def open_dialog(user):
    user.menu("Tools", "Check sparsity pattern")
    return user.workbench.patterns.dialog


def open_checked(user):
    """Open the dialog, and return it when it shows a result."""
    dialog = open_dialog(user)
    user.wait(dialog.headline.text)
    return dialog


def wait_for(user, dialog, sentence):
    user.wait(lambda: dialog.headline.text() == sentence)


def type_pattern(user, dialog, text):
    field = dialog.row.pattern.lineEdit()
    field.selectAll()
    user.qtbot.keyClicks(field, text)


def rows(dialog):
    model = dialog.table.model()
    return {
        plain(model.index(row, 0).data())[2:]: [
            plain(model.index(row, column).data()) for column in range(1, model.columnCount())
        ]
        for row in range(model.rowCount())
    }


def pruned_weights(user, weights):
    """Return the weights with zeros where they are pruned."""
    masks = user.document.masks
    return {
        name: np.where(masks[name].bools().reshape(array.shape), array, 0)
        if name in masks
        else array
        for name, array in weights.items()
    }


def groups_of(array, m, dim):
    along = np.moveaxis(array, dim, -1)
    whole = along.shape[-1] // m * m
    return along[..., :whole].reshape(*along.shape[:-1], -1, m)


def repair(array, n, m, dim):
    """Return the groups with their n largest magnitudes of every m."""
    groups = groups_of(array, m, dim).astype(np.float64)
    smallest = np.argsort(np.abs(groups), axis=-1, kind="stable")[..., : m - n]
    groups = groups.copy()
    np.put_along_axis(groups, smallest, 0, axis=-1)
    return groups


def expected_row(array, n, m, dim):
    """Return the row of the table for a tensor, computed from every group."""
    groups = groups_of(array, m, dim)
    shape = "×".join(map(str, array.shape))
    broken = (groups != 0).sum(axis=-1) > n
    of = f"{broken.sum()} of {broken.size}"
    beside = str(array.size - groups.size)
    if not broken.any():
        return [shape, of, "–", "–", "–", beside]
    # The first broken group in the order of the tensor: the lowest indices of its first weight.
    at = np.argwhere(np.moveaxis(broken, -1, dim if dim >= 0 else array.ndim + dim))
    at[:, dim] *= m
    outer, inner = at[:, :dim], at[:, dim:]
    first = min(zip(outer.tolist(), inner.tolist(), strict=True))
    after = repair(array, n, m, dim)
    squares = (array.astype(np.float64) ** 2).sum()
    lost = ((groups.astype(np.float64) ** 2).sum() - (after**2).sum()) / squares
    taken = np.count_nonzero(groups) - np.count_nonzero(after)
    return [shape, of, str(first[0] + first[1]), str(taken), f"{100 * lost:.1f} %", beside]


def test_a_file_is_looked_at_repaired_and_undone(at_work, weights):
    dialog = open_checked(at_work)
    assert problems_of(dialog) == []
    wait_for(at_work, dialog, "1 of 3 tensors matches 2:4. 2 violate it in 156 of 156 groups.")
    found = rows(dialog)
    assert list(found) == ["conv.weight", "fc1.weight", "fc2.weight"], "the worst tensor first"
    for name, cells in found.items():
        assert cells == expected_row(weights[name], 2, 4, 1)
    assert dialog.go.text() == "Prune 2 tensors to 2:4"
    assert at_work.states == ["Opened"], "a check changes nothing"

    at_work.click(dialog.go)
    wait_for(at_work, dialog, "All 3 tensors match 2:4.")
    assert at_work.states[1:] == ["2:4, dim 1, on 2 tensors"]
    assert at_work.window.done.label.text() == "2 tensors pruned to 2:4."
    now = pruned_weights(at_work, weights)
    for name in ("conv.weight", "fc1.weight"):
        np.testing.assert_array_equal(groups_of(now[name], 4, 1), repair(weights[name], 2, 4, 1))
    np.testing.assert_array_equal(now["fc1.weight"][:, 16:], weights["fc1.weight"][:, 16:])
    assert "fc2.weight" not in at_work.document.masks
    assert dialog.go.text() == "Nothing to prune"
    assert not dialog.go.isEnabled()

    at_work.key("Ctrl+Z")
    wait_for(at_work, dialog, "1 of 3 tensors matches 2:4. 2 violate it in 156 of 156 groups.")
    assert dialog.go.isEnabled()


def test_another_pattern_and_another_dimension_are_looked_at_at_once(at_work, weights):
    """Also an invalid pattern, other tensors, a selected tensor, and a copy of the table."""
    dialog = open_checked(at_work)
    QGuiApplication.clipboard().setText("")
    at_work.click(dialog.copy)
    at_work.wait(QGuiApplication.clipboard().text)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert [line[0] for line in lines] == ["Tensor", "conv.weight", "fc1.weight", "fc2.weight"]
    assert lines[2][1:6] == ["12×18", "48", "48", "[0, 0]", "96"]
    assert dialog.copy.text() == "✓ Copied"

    dialog.table.setFocus()
    at_work.qtbot.keyClick(dialog.table, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert at_work.views.tree.focused_name() == "fc2.weight"
    assert at_work.views.pages.heading.name.text() == "fc2.weight"
    assert dialog.place.text() == "fc2.weight matches 2:4."

    type_pattern(at_work, dialog, "4:2")
    assert "Pattern must be n:m" in dialog.row.note.text()
    assert "(got '4:2')" in dialog.row.note.text()
    assert not dialog.go.isEnabled()
    at_work.wait_idle()
    assert not dialog.go.isEnabled()

    for pattern, (n, m) in {"1:4": (1, 4), "3:6": (3, 6)}.items():
        type_pattern(at_work, dialog, pattern)
        at_work.wait(lambda pattern=pattern: pattern in dialog.headline.text())
        for name, cells in rows(dialog).items():
            assert cells == expected_row(weights[name], n, m, 1)
    at_work.choose(dialog.row.dim.combo, "0: output channels")
    at_work.wait(lambda: rows(dialog)["conv.weight"][1].endswith("of 72"))
    for name, cells in rows(dialog).items():
        assert cells == expected_row(weights[name], 3, 6, 0)


def test_all_that_can_be_pruned_or_what_is_checked(at_work):
    dialog = open_checked(at_work)
    assert dialog.row.tensors.currentText() == "3 checked tensors"
    at_work.choose(dialog.row.tensors, "all prunable tensors: 4")
    at_work.wait(lambda: "fc2.bias" in rows(dialog))
    assert "1 more tensor has no groups of 4 along dim 1." in dialog.details.text()
    at_work.choose(dialog.row.tensors, "3 checked")
    at_work.wait(lambda: "fc2.bias" not in rows(dialog))
    at_work.check("conv.weight")
    at_work.wait(lambda: list(rows(dialog)) == ["fc1.weight", "fc2.weight"])
    assert dialog.row.tensors.currentText() == "2 checked tensors"
    at_work.key("Ctrl+Shift+A")  # without checked tensors, all are checked for the pattern
    at_work.wait(lambda: len(rows(dialog)) == 4)
    assert dialog.row.tensors.currentText() == "all prunable tensors: 4"


def test_a_large_file_is_looked_at_again_only_if_wanted(at_work, monkeypatch):
    """Each tensor counts as many weights."""
    monkeypatch.setattr(pattern_controller, "AT_ONCE", 1_000)
    assert sum(at_work.session.by_name[n].numel for n in ("conv.weight", "fc1.weight")) < 1_000
    dialog = open_checked(at_work)
    at_work.wait(dialog.go.isEnabled)
    at_work.click(at_work.button)
    at_work.wait(lambda: len(at_work.states) == 2)
    assert dialog.headline.text() == CHANGED
    assert dialog.again.isVisible()
    assert not dialog.go.isEnabled()
    assert dialog.table.model().rowCount() == 0, "with the previous masks"
    at_work.click(dialog.again)
    at_work.wait(lambda: "2:4" in dialog.headline.text())
    assert not dialog.again.isVisible()
    at_work.wait(dialog.go.isEnabled)
    at_work.check("conv.weight")
    assert dialog.headline.text() == "The checked tensors have changed since this check."
    at_work.click(dialog.again)
    at_work.wait(dialog.go.isEnabled)
    at_work.click(dialog.go)
    wait_for(at_work, dialog, "All 2 tensors match 2:4.")  # updated automatically


def test_it_can_be_stopped_and_asked_again(at_work, gate):
    dialog = open_dialog(at_work)
    at_work.wait(dialog.job.isVisible)
    assert not dialog.go.isEnabled()
    at_work.click(dialog.job.cancel)
    assert dialog.headline.text() == "Stopped."
    at_work.wait_idle()
    at_work.click(dialog.again)
    at_work.wait(lambda: at_work.workbench.jobs.busy)
    assert at_work.workbench.jobs.cancel_visible()  # as for the Cancel of the window
    at_work.wait(lambda: dialog.headline.text() == "Stopped.")
    gate.closed = False
    at_work.click(dialog.again)
    at_work.wait(dialog.headline.text)


def test_what_is_typed_ends_what_was_looked_for_and_no_repair(at_work, gate, monkeypatch):
    dialog = open_dialog(at_work)
    at_work.wait(dialog.job.isVisible)
    type_pattern(at_work, dialog, "4:")
    assert not dialog.job.isVisible()
    at_work.wait_idle()
    type_pattern(at_work, dialog, "2:4")
    type_pattern(at_work, dialog, "1:4")
    gate.closed = False
    at_work.wait(dialog.headline.text)
    assert "match 1:4" in dialog.headline.text(), "that of 2:4 is no answer"
    at_work.wait_idle()
    assert "match 1:4" in dialog.headline.text()
    type_pattern(at_work, dialog, "2:4")
    at_work.wait(dialog.go.isEnabled)

    real, repairing = preview.compute_preview, Gate(closed=True)

    def slow(*given, **options):
        repairing.wait(given[3])
        return real(*given, **options)

    monkeypatch.setattr(pattern_controller, "compute_preview", slow)
    at_work.click(dialog.go)
    at_work.wait(dialog.job.isVisible)
    type_pattern(at_work, dialog, "1:4")
    repairing.closed = False
    wait_for(at_work, dialog, "0 of 3 tensors match 1:4. 3 violate it in 204 of 204 groups.")
    assert at_work.states[1:] == ["2:4, dim 1, on 2 tensors"]


def test_nothing_is_repaired_if_something_else_is_done_meanwhile(at_work, monkeypatch):
    dialog = open_checked(at_work)
    real, gate = preview.compute_preview, Gate(closed=True)

    def slow(*given, **options):
        gate.wait(given[3])
        return real(*given, **options)

    monkeypatch.setattr(pattern_controller, "compute_preview", slow)
    at_work.click(dialog.go)
    at_work.wait(dialog.job.isVisible)
    boxes = (((0, 2), (0, 4)),)
    at_work.workbench.manual_edit.perform(
        ManualEditRequest("protect", "fc1.weight", boxes, "rectangle")
    )
    at_work.wait(lambda: "the history changed in the meantime" in dialog.headline.text())
    gate.closed = False
    at_work.wait_idle()
    assert not len(at_work.document.masks)
    at_work.click(dialog.again)
    at_work.wait(dialog.go.isEnabled)
    assert "2 groups keep violating 2:4" in dialog.details.text()
    at_work.click(dialog.go)
    wait_for(at_work, dialog, "2 of 3 tensors match 2:4. 1 violates it in 2 of 48 groups.")
    assert not dialog.go.isEnabled(), "protected weights are kept"


def test_it_is_found_by_its_name_and_follows_the_theme(at_work):
    dialog = open_checked(at_work)
    at_work.menu("View", "Theme", "Dark")
    note = dialog.note
    at_work.wait(lambda: note.palette().color(note.foregroundRole()).name() == DARK["muted"])
    dialog.reject()
    at_work.wait(lambda: at_work.workbench.patterns.dialog is None)
    at_work.key("Ctrl+Shift+P")
    palette = QApplication.activeModalWidget()
    at_work.qtbot.keyClicks(palette.field, "check a pat")
    at_work.qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert at_work.workbench.patterns.dialog.isVisible()


def test_a_file_that_changed_on_disk_is_not_repaired(at_work):
    dialog = open_checked(at_work)
    path = at_work.document.checkpoint.path
    path.write_bytes(path.read_bytes() + b" ")
    at_work.click(dialog.go)
    at_work.wait(lambda: "changed" in dialog.headline.text())
    assert not dialog.go.isEnabled()
    assert at_work.states == ["Opened"]


def test_the_dialog_goes_with_its_file(at_work, gate, tmp_path):
    """Without a file there is nothing to check."""
    checking = at_work.workbench.patterns
    dialog = open_dialog(at_work)
    at_work.menu("Tools", "Check sparsity pattern")
    assert checking.dialog is dialog, "there is one"
    other = tmp_path / "other.safetensors"
    save_file({"v": np.arange(3)}, other)
    at_work.answers("Open")
    at_work.open_file(other)
    assert checking.dialog is None
    gate.closed = False
    at_work.wait_idle()
    dialog = open_dialog(at_work)
    assert dialog.headline.text() == "No tensor of this file can be pruned."
    assert not dialog.go.isEnabled()
    assert problems_of(dialog) == []
    at_work.wait(dialog.isActiveWindow)
    at_work.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    at_work.wait(lambda: checking.dialog is None)
    at_work.menu("File", "Close")
    at_work.wait(lambda: at_work.document is None)
    assert not at_work.window.actions_["check_pattern"].isEnabled()
    checking.ask()
    assert checking.dialog is None
