"""Opening files: by drop, dialog, name, sample, and reopening."""

from __future__ import annotations

import json

import pytest
import torch
from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QInputDialog
from safetensors.torch import save_file

from pruneapp import resources
from pruneapp.gui.tree.columns import Column
from tests.gui.person import node_named

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


def test_files_are_opened_by_buttons_keys_and_dropping(person, file, folder, qapp):
    page = person.window.empty
    person.open("")  # the file dialog was cancelled
    person.wait_idle()
    assert page.isVisible()
    assert person.notices == []

    person.click(page.sample_button)
    person.wait_open(SAMPLE)
    assert person.workbench.settings.recent == (), "the sample is not listed"

    person.open_file(file)
    person.key("Ctrl+W")
    assert page.isVisible()
    assert person.window.windowTitle() == "Pruneapp"
    assert not person.views.tree_dock.isVisible()
    assert not person.window.actions_["export"].isEnabled()
    person.click(page.open_button)
    person.wait_open(file)

    person.chooses_file(folder, "getExistingDirectory")
    person.key("Ctrl+Shift+O")
    person.wait_open(folder)
    assert list(person.document.checkpoint.entries) == ["a.weight", "b.weight"]
    person.key("Ctrl+W")
    person.click(page.folder_button)
    person.wait_open(folder)

    # local files and folders are accepted; many files are not
    assert not person.drop(*(file.with_name(f"{number}.pt") for number in range(21)))
    assert person.drop(file)
    person.wait_open(file)
    assert person.views.pages.heading.name.text() == "fc.weight"
    assert person.drop(*sorted(folder.glob("*.safetensors"))), "the shards of one model"
    person.wait_open(folder)
    assert len(person.launcher.starts) == 1

    # macOS sends an event; other systems pass the file on the command line
    qapp.fileRequested.connect(person.start.open)
    QCoreApplication.sendEvent(qapp, QFileOpenEvent(QUrl.fromLocalFile(str(file))))
    qapp.fileRequested.disconnect(person.start.open)
    person.wait_open(file)


def test_a_file_named_on_the_command_line_opens_as_soon_as_that_is_possible(new_person, file):
    person = new_person(file)
    assert person.start.workbench is None, "the window is shown before anything is imported"
    person.wait_ready()
    person.wait_open(file)


def test_what_is_clicked_before_everything_is_there_is_done_then(new_person):
    person = new_person()
    assert person.start.workbench is None
    person.click(person.window.empty.sample_button)
    person.wait_ready()
    person.wait_open(SAMPLE)


def test_what_is_dropped_before_everything_is_there_is_opened_then(new_person, file):
    person = new_person()
    assert person.start.workbench is None
    assert person.drop(file)
    person.wait_ready()
    person.wait_open(file)


def test_open_before_everything_is_there_asks_then(new_person, file):
    person = new_person()
    assert person.start.workbench is None
    person.open(file)
    person.wait_ready()
    person.wait_open(file)


def test_recent_files_are_remembered_by_the_next_window(new_person, file, folder):
    person = new_person().wait_ready()
    for path in (file, folder):
        person.drop(path)
        person.wait_open(path)
    person.workbench.shut_down()
    person.window.close()

    second = new_person()
    names = [button.text() for button in second.window.empty.recent_buttons]
    assert names == [folder.name, file.name]
    second.click(second.window.empty.recent_buttons[1])  # before the window is ready
    second.wait_ready()
    second.wait_open(file)
    second.menu("File", "Open recent", f"1 {file}")
    second.wait_open(file)


def test_several_state_dicts_are_offered(person, tmp_path, monkeypatch):
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
    person.drop(path)
    person.wait_open(path)
    assert person.notices == ["This file holds 2 state dicts; 'model' is shown."]
    chooses("ema")
    person.click(person.window.notices.notices[0].action)
    person.wait(lambda: person.document and person.document.checkpoint.contents.state_dict == "ema")
    assert person.document.checkpoint.entry("fc.weight").shape == (4, 6)
    person.menu("File", "Choose state dict")
    assert person.document.checkpoint.contents.state_dict == "ema"

    document, before = person.document, len(person.notices)
    damaged = tmp_path / "damaged.pt"
    damaged.write_bytes(path.read_bytes()[:200])
    damaged.replace(path)
    chooses("model")
    person.menu("File", "Choose state dict")
    person.wait(lambda: len(person.notices) > before)
    assert person.document is document
    assert person.cell("fc.weight", Column.SHAPE) == "4×6"


@pytest.mark.usefixtures("histories_off")
def test_opening_another_file_asks_and_forgets_the_one_before(person, file, tmp_path):
    """Masks, history, notices and plots are those of the new file."""
    person.click(person.window.empty.sample_button)
    person.wait_open(SAMPLE)
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: person.session.unexported)
    asked = person.answers("Discard changes")

    # Regression: changes were discarded or saved before a file of another format was refused.
    other, folder = tmp_path / "model.h5", tmp_path / "empty"
    other.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(64))
    folder.mkdir()
    for path in (other, folder):
        person.drop(path)
        person.wait(lambda path=path: any(path.name in text for text in person.notices))
        assert asked == []
        assert person.states[-1] != "Opened"

    person.drop(file)
    person.wait_open(file)
    assert len(asked) == 1
    assert person.states == ["Opened"]
    assert person.views.tree.checked_names() == ("fc.weight",)
    assert person.cell("fc.weight", Column.SHAPE) == "4×5"
    assert not person.session.unexported
    assert person.wait_preview().newly_pruned == 4


def test_tensors_that_cannot_be_pruned_say_why_and_modules_have_three_states(person):
    """The former have no check box."""
    person.click(person.window.empty.sample_button)
    person.wait_open(SAMPLE)
    tree = person.views.tree
    index = tree.model.index_of(node_named(tree, "bn1.running_mean"))
    assert index.data(Qt.ItemDataRole.CheckStateRole) is None
    person.click_cell("bn1.running_mean")
    person.wait(lambda: "running_mean" in person.views.pages.heading.name.text())
    assert "running statistics are measured" in person.views.pages.heading.details.text()
    before = tree.checked_names()
    person.key("Space")
    assert tree.checked_names() == before

    # A click on a module checks its weights, or only the visible ones if there is a filter.
    person.key("Ctrl+Shift+A")
    assert tree.checked_names() == ()
    person.check("conv1")
    assert tree.checked_names() == ("conv1.weight",), "biases are only checked one by one"
    person.check("conv1.bias")
    assert set(tree.checked_names()) == {"conv1.bias", "conv1.weight"}
    person.filter("fc")
    person.views.tree.view.setFocus()
    person.key("Ctrl+A")
    assert {n for n in tree.checked_names() if n.startswith("fc")} == {
        "fc1.weight",
        "fc2.weight",
        "fc3.weight",
    }
    person.click(tree.tree_filter.matrices)
    person.click(tree.tree_filter.large)
    assert not tree.model.rowCount()
    person.menu("Edit", "Check default layers")
    assert len(tree.checked_names()) == 5
