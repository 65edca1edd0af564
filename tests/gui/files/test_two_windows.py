"""Two windows with the same session file: neither replaces the changes of the other unasked."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pruneapp.edits.manual_edit import ManualEditRequest


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(1)
    arrays = {"a.weight": rng.normal(size=(8, 5)), "b.weight": rng.normal(size=(6, 8))}
    path = tmp_path / "model.safetensors"
    save_file({n: a.astype(np.float32) for n, a in arrays.items()}, path)
    return path


def protect(user, name="a.weight", row=0):
    steps = len(user.states)
    box = (((row, row + 1), (0, 5)),)
    user.workbench.manual_edit.perform(ManualEditRequest("protect", name, box, "row"))
    user.wait(lambda: len(user.states) == steps + 1)


def wait_saved(user):
    user.wait(lambda: not user.workbench.sessions.unsaved)
    user.wait_idle()


@pytest.fixture
def session(tmp_path):
    return tmp_path / "a.prune"


@pytest.fixture
def windows(new_user, file, session):
    """Return users at two windows with one session; the second has pruned and saved it."""
    first = new_user().wait_ready()
    first.open_file(file)
    first.chooses_file(session, "getSaveFileName")
    protect(first)
    first.key("Ctrl+S")
    first.wait(lambda: first.workbench.sessions.path == session)
    second = new_user(session).wait_ready()
    second.wait(lambda: second.document is not None)
    second.prune()
    second.key("Ctrl+S")
    wait_saved(second)
    yield first, second
    assert not first.bugs + second.bugs


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_what_another_window_saved_is_replaced_after_a_question_alone(windows, session):
    first, second = windows
    for _ in range(2):  # one window saves as often as it likes
        before = digest(session)
        second.prune()
        second.key("Ctrl+S")
        wait_saved(second)
        assert digest(session) != before
    theirs = digest(session)
    protect(first, row=3)
    asked = first.answers("Cancel")
    first.key("Ctrl+S")
    first.wait(lambda: asked)
    assert "a.prune was changed by another window since you opened it." in asked[0]
    first.wait_idle()
    assert digest(session) == theirs
    assert first.window.isWindowModified()
    asked = first.answers("Replace")
    first.key("Ctrl+S")
    first.wait(lambda: asked)
    wait_saved(first)
    assert digest(session) != theirs
    assert "mask/a.weight" not in load_file(session), "pruned in the other window"
    # From here on, the second window would replace unknown changes.
    ours = digest(session)
    second.prune()
    asked = second.answers("Cancel")
    second.key("Ctrl+S")
    second.wait(lambda: asked)
    second.wait_idle()
    assert digest(session) == ours
    assert second.window.isWindowModified()


def test_both_are_kept_where_the_user_saves_elsewhere(windows, session, tmp_path):
    first, _ = windows
    theirs = digest(session)
    first.chooses_file(tmp_path / "b.prune", "getSaveFileName")
    asked = first.answers("Save as…")
    protect(first, row=3)
    first.key("Ctrl+S")
    first.wait(lambda: asked)
    wait_saved(first)
    assert first.workbench.sessions.path == tmp_path / "b.prune"
    assert digest(session) == theirs
    assert "protected/a.weight" in load_file(tmp_path / "b.prune")
    first.chooses_file("", "getSaveFileName")
    first.key("Ctrl+S")  # another file by now: nothing is asked
    first.wait_idle()
    assert not first.trouble

    (tmp_path / "b.prune").unlink()  # it is saved again
    protect(first, row=4)
    first.key("Ctrl+S")
    wait_saved(first)
    assert "protected/a.weight" in load_file(tmp_path / "b.prune")


@pytest.mark.usefixtures("histories_off")
def test_closing_waits_for_the_answer(windows, session):
    first, _ = windows
    theirs = digest(session)
    protect(first, row=3)
    asked = first.answers("Save session", "Cancel")
    assert not first.window.close()
    first.wait(lambda: len(asked) == 2)
    first.wait_idle()
    assert first.window.isVisible()
    assert digest(session) == theirs
    asked = first.answers("Save session", "Replace")
    assert not first.window.close()
    first.wait(lambda: not first.window.isVisible())
    assert digest(session) != theirs
