"""Files in which nothing can be pruned: what is said is true of them."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import save_file

from pruneapp.gui.plots.pages import Page

# What can be said, and what of it asks for something that cannot be done here.
FILES = {
    "empty": ({}, "This file has no tensors. Open another checkpoint."),
    "whole numbers": (
        {"steps": torch.arange(4)},
        "No tensor of this file can be pruned. The tree shows the reason for each.",
    ),
    "weights": (
        {"fc.weight": torch.ones(4, 4)},
        "No tensor is checked. Check a tensor in the tree.",
    ),
}


@pytest.mark.parametrize("kind", FILES)
def test_why_nothing_would_happen(person, tmp_path, kind):
    tensors, why = FILES[kind]
    path = tmp_path / "file.safetensors"
    save_file(tensors, path)
    person.open(path)
    person.wait_open(path)
    if kind == "weights":
        person.key("Ctrl+Shift+A")
    forecast = person.views.preview
    person.wait(lambda: why in forecast.error.text())
    person.wait_idle()  # what is counted by then does not take its place
    assert why in forecast.error.text()
    assert not person.button.isEnabled()


def test_of_no_parameters_no_share_is_pruned(person, tmp_path):
    path = tmp_path / "empty.safetensors"
    save_file({}, path)
    person.open(path)
    person.wait_open(path)
    status = person.window.model_status.text
    assert status.text() == "No parameters"
    assert not status.toolTip()
    save_file({"a": torch.ones(3)}, path.with_name("other.safetensors"))
    person.open(path.with_name("other.safetensors"))
    person.wait(lambda: "3 parameters" in status.text())
    assert status.toolTip()


def test_of_no_weights_the_pictures_say_no_share(person, tmp_path):
    path = tmp_path / "without.safetensors"
    save_file({"fc.weight": torch.ones(0, 4)}, path)
    person.open(path)
    person.wait_open(path)
    pages = person.views.pages
    said = {}
    for page, view in ((Page.DISTRIBUTION, pages.distribution), (Page.MODEL, pages.model)):
        person.click(pages.tabs, pages.tabs.tabRect(page).center())
        person.wait_idle()
        said[page] = view.accessibleDescription()
    assert said[Page.DISTRIBUTION] == "no weights"
    assert said[Page.MODEL] == "No tensor of this file can be pruned."
