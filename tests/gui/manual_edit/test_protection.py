"""Protection counts as unsaved work: only session files store it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication
from safetensors.numpy import load_file, save_file

from pruneapp.edits.manual_edit import ManualEditRequest

NAME = "a.weight"


@pytest.fixture
def protected(user, tmp_path):
    """Return the user with a file in which one row is protected."""
    path = tmp_path / "model.safetensors"
    weights = np.random.default_rng(1).normal(size=(8, 5)).astype(np.float32)
    save_file({NAME: weights}, path)
    user.open_file(path)
    by_hand(user, "protect")
    return user


def by_hand(user, operation):
    steps = len(user.states)
    box = (((0, 1), (0, 5)),)
    user.workbench.manual_edit.perform(ManualEditRequest(operation, NAME, box, "row"))
    user.wait(lambda: len(user.states) == steps + 1)


@pytest.mark.usefixtures("histories_off")
def test_a_star_tells_of_it_and_closing_asks(protected, tmp_path):
    window = protected.window
    assert window.windowTitle() == "model.safetensors[*] — Pruneapp"
    assert window.isWindowModified()
    asked = protected.answers("Cancel")
    assert not window.close()
    assert "Protected weights have not been saved" in asked[0]
    left = [w for w in QApplication.topLevelWidgets() if isinstance(w, QAbstractButton)]
    assert not left, "the question has no button Export"
    session = tmp_path / "work.prune"
    protected.chooses_file(session, "getSaveFileName")
    protected.answers("Save session…")
    assert not window.close()
    protected.wait(lambda: not window.isVisible())
    assert f"protected/{NAME}" in load_file(session)


def test_what_is_released_is_not_asked_about_and_what_is_undone_is(protected):
    by_hand(protected, "release")
    assert not protected.window.isWindowModified(), "the file is equivalent"
    protected.key("Ctrl+Z")
    assert protected.window.isWindowModified()
    protected.key("Ctrl+Z")
    assert protected.window.isWindowModified(), "it can be done again"
    protected.key("Ctrl+Shift+Z")
    protected.key("Ctrl+Shift+Z")
    assert not protected.window.isWindowModified()
    assert protected.window.close()


@pytest.mark.usefixtures("histories_off")
def test_an_export_does_not_hold_it(protected, tmp_path):
    protected.click_cell(NAME)
    protected.wait_preview()
    protected.click(protected.button)
    protected.wait(lambda: len(protected.states) == 3)
    asked = protected.answers("Cancel")
    assert not protected.window.close()
    assert "You have unsaved changes." in asked[0]
    assert protected.export(tmp_path / "out.safetensors") is not None
    protected.close_report()
    assert protected.window.isWindowModified()
    asked = protected.answers("Cancel")
    assert not protected.window.close()
    assert "Save a session to keep them" in asked[0]
    by_hand(protected, "release")
    assert not protected.window.isWindowModified(), "the export is complete"
    asked = protected.answers("Discard changes")
    assert protected.window.close()
    assert asked[0].startswith("The undo history has not been saved. Save a session to keep it.")
