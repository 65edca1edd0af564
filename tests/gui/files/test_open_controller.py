"""Opening files: by drop, dialog, name, sample, and reopening."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import torch
from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QFileDialog, QInputDialog
from safetensors.torch import save_file

from pruneapp import resources
from pruneapp.gui.tree.columns import Column
from tests.gui.user import node_named

SAMPLE = resources.path("sample/lenet-digits.safetensors")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"fc.weight": torch.randn(4, 5), "fc.bias": torch.randn(4)}, path)
    return path


@pytest.fixture
def folder(tmp_path):
    """Write a model of two shards."""
    path = tmp_path / "sharded"
    path.mkdir()
    names = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
    save_file({"a.weight": torch.randn(4, 5)}, path / names[0])
    save_file({"b.weight": torch.randn(5, 4)}, path / names[1])
    index = {"metadata": {}, "weight_map": {"a.weight": names[0], "b.weight": names[1]}}
    (path / "model.safetensors.index.json").write_text(json.dumps(index))
    return path


def test_files_are_opened_by_buttons_keys_and_dropping(user, file, folder, qapp):
    page = user.window.empty
    user.open("")  # the file dialog was cancelled
    user.wait_idle()
    assert page.isVisible()
    assert user.notices == []

    user.click(page.sample_button)
    user.wait_open(SAMPLE)
    assert user.workbench.settings.recent == (), "the sample is not listed"

    user.open_file(file)
    user.key("Ctrl+W")
    assert page.isVisible()
    assert user.window.windowTitle() == "Pruneapp"
    assert not user.views.tree_dock.isVisible()
    assert not user.window.actions_["export"].isEnabled()
    user.click(page.open_button)
    user.wait_open(file)

    user.chooses_file(folder, "getExistingDirectory")
    user.key("Ctrl+Shift+O")
    user.wait_open(folder)
    assert list(user.document.checkpoint.entries) == ["a.weight", "b.weight"]
    user.key("Ctrl+W")
    user.click(page.folder_button)
    user.wait_open(folder)

    # local files and folders are accepted; many files are not
    assert not user.drop(*(file.with_name(f"{number}.pt") for number in range(21)))
    assert user.drop(file)
    user.wait_open(file)
    assert user.views.pages.heading.name.text() == "fc.weight"
    assert user.drop(*sorted(folder.glob("*.safetensors"))), "the shards of one model"
    user.wait_open(folder)
    assert len(user.launcher.starts) == 1

    # macOS sends an event; other systems pass the file on the command line
    qapp.fileRequested.connect(user.start.open)
    QCoreApplication.sendEvent(qapp, QFileOpenEvent(QUrl.fromLocalFile(str(file))))
    qapp.fileRequested.disconnect(user.start.open)
    user.wait_open(file)


def test_a_file_named_on_the_command_line_opens_as_soon_as_that_is_possible(new_user, file):
    user = new_user(file)
    assert user.start.workbench is None, "the window is shown before anything is imported"
    user.wait_ready()
    user.wait_open(file)


def test_what_is_clicked_before_everything_is_there_is_done_then(new_user):
    user = new_user()
    assert user.start.workbench is None
    user.click(user.window.empty.sample_button)
    user.wait_ready()
    user.wait_open(SAMPLE)


def test_what_is_dropped_before_everything_is_there_is_opened_then(new_user, file):
    user = new_user()
    assert user.start.workbench is None
    assert user.drop(file)
    user.wait_ready()
    user.wait_open(file)


def test_open_before_everything_is_there_asks_then(new_user, file):
    user = new_user()
    assert user.start.workbench is None
    user.open(file)
    user.wait_ready()
    user.wait_open(file)


def test_recent_files_are_remembered_by_the_next_window(new_user, file, folder):
    user = new_user().wait_ready()
    for path in (file, folder):
        user.drop(path)
        user.wait_open(path)
    user.workbench.shut_down()
    user.window.close()

    second = new_user()
    names = [button.text() for button in second.window.empty.recent_buttons]
    assert names == [folder.name, file.name]
    second.click(second.window.empty.recent_buttons[1])  # before the window is ready
    second.wait_ready()
    second.wait_open(file)
    second.menu("File", "Open recent", f"1 {file}")
    second.wait_open(file)


def test_several_state_dicts_are_offered(user, tmp_path, monkeypatch):
    """A notice offers to choose another one. One that cannot be read leaves the open one."""

    def chooses(key):
        chosen = staticmethod(lambda *a, **_k: (next(t for t in a[3] if t.startswith(key)), True))
        monkeypatch.setattr(QInputDialog, "getItem", chosen)

    path = tmp_path / "both.pt"
    torch.save(
        {
            "model": {"fc.weight": torch.randn(4, 5), "fc.bias": torch.randn(4)},
            "ema": {"fc.weight": torch.randn(4, 6)},
        },
        path,
    )
    user.drop(path)
    user.wait_open(path)
    assert user.notices == ["This file contains 2 state dicts; 'model' is shown."]
    chooses("ema")
    user.click(user.window.notices.notices[0].action)
    user.wait(lambda: user.document and user.document.checkpoint.contents.state_dict == "ema")
    assert user.document.checkpoint.entry("fc.weight").shape == (4, 6)
    user.menu("File", "Choose state dict")
    assert user.document.checkpoint.contents.state_dict == "ema"

    document, before = user.document, len(user.notices)
    damaged = tmp_path / "damaged.pt"
    damaged.write_bytes(path.read_bytes()[:200])
    damaged.replace(path)
    chooses("model")
    user.menu("File", "Choose state dict")
    user.wait(lambda: len(user.notices) > before)
    assert user.document is document
    assert user.cell("fc.weight", Column.SHAPE) == "4×6"


@pytest.mark.usefixtures("histories_off")
def test_opening_another_file_asks_and_forgets_the_one_before(user, file, tmp_path):
    """Masks, history, notices and plots are those of the new file."""
    user.click(user.window.empty.sample_button)
    user.wait_open(SAMPLE)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.session.unexported)
    asked = user.answers("Discard changes")

    # Regression: changes were discarded or saved before a file of another format was refused.
    other, folder = tmp_path / "model.h5", tmp_path / "empty"
    other.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(64))
    folder.mkdir()
    for path in (other, folder):
        user.drop(path)
        user.wait(lambda path=path: any(path.name in text for text in user.notices))
        assert asked == []
        assert user.states[-1] != "Opened"

    user.drop(file)
    user.wait_open(file)
    assert len(asked) == 1
    assert user.states == ["Opened"]
    assert user.views.tree.checked_names() == ("fc.weight",)
    assert user.cell("fc.weight", Column.SHAPE) == "4×5"
    assert not user.session.unexported
    assert user.wait_preview().newly_pruned == 4


def test_tensors_that_cannot_be_pruned_say_why_and_modules_have_three_states(user):
    """The former have no check box."""
    user.click(user.window.empty.sample_button)
    user.wait_open(SAMPLE)
    tree = user.views.tree
    index = tree.model.index_of(node_named(tree, "bn1.running_mean"))
    assert index.data(Qt.ItemDataRole.CheckStateRole) is None
    user.click_cell("bn1.running_mean")
    user.wait(lambda: "running_mean" in user.views.pages.heading.name.text())
    assert "running statistics are measured" in user.views.pages.heading.details.text()
    before = tree.checked_names()
    user.key("Space")
    assert tree.checked_names() == before

    # A click on a module checks its weights, or only the visible ones if there is a filter.
    user.key("Ctrl+Shift+A")
    assert tree.checked_names() == ()
    user.check("conv1")
    assert tree.checked_names() == ("conv1.weight",), "biases are only checked one by one"
    user.check("conv1.bias")
    assert set(tree.checked_names()) == {"conv1.bias", "conv1.weight"}
    user.filter("fc")
    user.views.tree.view.setFocus()
    user.key("Ctrl+A")
    assert {n for n in tree.checked_names() if n.startswith("fc")} == {
        "fc1.weight",
        "fc2.weight",
        "fc3.weight",
    }
    user.click(tree.tree_filter.matrices)
    user.click(tree.tree_filter.large)
    assert not tree.model.rowCount()
    user.menu("Edit", "Check default layers")
    assert len(tree.checked_names()) == 5


@pytest.mark.parametrize("in_terminal", [True, False])
def test_the_dialog_starts_in_the_folder_of_the_last_file_or_of_the_terminal(
    user, tmp_path, monkeypatch, in_terminal
):
    class Input:
        closed = False

        def isatty(self):
            return in_terminal

    terminal, last = tmp_path / "terminal", tmp_path / "last"
    terminal.mkdir()
    last.mkdir()
    path = last / "m.safetensors"
    save_file({"fc.weight": torch.ones(2, 3)}, path)
    monkeypatch.chdir(terminal)
    monkeypatch.setattr(sys, "stdin", Input())
    folders = []

    def ask(_parent, _title, folder, *_filters):
        folders.append(Path(folder))
        return str(path), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", ask)
    user.key("Ctrl+O")
    user.wait_open(path)
    user.key("Ctrl+O")
    assert folders == [terminal if in_terminal else Path.home(), last]

    other = tmp_path / "other.safetensors"
    save_file({"fc.weight": torch.ones(2, 3)}, other)
    user.drop(other)
    user.wait_open(other)
    user.key("Ctrl+O")
    assert folders[-1] == tmp_path
    user.wait_open(path)
