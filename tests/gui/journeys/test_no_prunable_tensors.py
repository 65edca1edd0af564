"""Files in which nothing can be pruned: the window gives the right reason."""

from __future__ import annotations

import torch
from safetensors.torch import save_file

from pruneapp import resources
from pruneapp.gui.plots.pages import Page


def test_why_nothing_would_happen(user, tmp_path):
    """The status bar and the pictures have no shares of nothing."""
    status, pages, forecast = (user.window.model_status.text, user.views.pages, user.views.preview)
    for name, tensors, why in (
        ("empty", {}, "This file has no tensors. Open another checkpoint."),
        (
            "integers",
            {"steps": torch.arange(4)},
            "No tensor of this file can be pruned. The tree shows the reason for each.",
        ),
        (
            "no weights",
            {"fc.weight": torch.ones(0, 4)},
            "No tensor of this file can be pruned. The tree shows the reason for each.",
        ),
        (
            "weights",
            {"fc.weight": torch.ones(4, 4)},
            "No tensor is checked. Check a tensor in the tree.",
        ),
    ):
        path = tmp_path / f"{name}.safetensors"
        save_file(tensors, path)
        user.open_file(path)
        if name == "weights":
            assert "16 parameters" in status.text()
            assert status.toolTip()
            user.key("Ctrl+Shift+A")
        user.wait(lambda why=why: why in forecast.error.text())
        user.wait_idle()  # later results do not replace the reason
        assert why in forecast.error.text(), name
        assert not user.button.isEnabled(), name
        if name == "empty":
            assert status.text() == "No parameters"
            assert not status.toolTip()
        if name == "no weights":
            said = {}
            for page, view in ((Page.DISTRIBUTION, pages.distribution), (Page.MODEL, pages.model)):
                user.click(pages.tabs, pages.tabs.tabRect(page).center())
                user.wait_idle()
                said[page] = view.accessibleDescription()
            assert said[Page.DISTRIBUTION] == "no weights"
            assert said[Page.MODEL] == "No tensor of this file can be pruned."


def test_commands_are_offered_as_the_buttons_are(user, tmp_path):
    """Ctrl+Return shows the reason and reaches no other widget."""
    path = tmp_path / "file.safetensors"
    save_file({"fc.weight": torch.ones(4, 4)}, path)
    prune, preview = (user.window.actions_[name] for name in ("prune", "preview"))
    assert not prune.isEnabled()
    assert not preview.isEnabled()
    user.open_file(path)
    user.wait_preview()
    user.wait_idle()
    user.key("Esc")
    user.wait(preview.isEnabled)
    prune.setEnabled(True)  # as while a file is opened, when only the command handles the key
    with user.qtbot.waitSignal(prune.triggered):
        user.key("Ctrl+Return", user.window)
    prune.setEnabled(False)
    assert user.views.preview.action.preview.isEnabled()
    preview.trigger()
    user.wait(user.button.isEnabled)
    assert prune.isEnabled()
    assert prune.toolTip().startswith("Apply the pruning step")
    assert not preview.isEnabled()
    assert preview.toolTip() == "<span>The preview is shown.</span>"
    user.key("Ctrl+Shift+A")
    user.wait(lambda: not user.button.isEnabled())
    why = "No tensor is checked. Check a tensor in the tree."
    for command in (prune, preview):
        assert not command.isEnabled()
        assert why in command.toolTip()
    assert not user.views.preview.action.preview.isEnabled()
    user.views.history.tree.setFocus()
    user.key("Ctrl+Return")
    assert user.window.done.label.text() == why
    assert len(user.states) == 1
    user.key("Ctrl+A", user.views.tree.view)
    user.wait(prune.isEnabled)
    user.key("Ctrl+Return")
    user.wait(lambda: len(user.states) == 2)
    assert preview.isEnabled()


def test_the_menu_is_up_to_date_with_what_was_just_typed(user):
    """Opening the menu validates a pattern at once, without the usual pause."""
    sample = resources.path("sample/lenet-digits.safetensors")
    user.open_file(sample)
    user.click(user.views.form.add)
    user.qtbot.keyClicks(user.rule.target, "fc1*")
    user.wait(user.button.isEnabled)
    user.qtbot.keyClicks(user.rule.target, "x")
    prune = user.window.actions_["prune"]
    assert prune.isEnabled(), "validated after a pause"
    user.window.actions_.menus["&Prune"].aboutToShow.emit()
    assert not prune.isEnabled()
    assert "fc1*x" in prune.toolTip() or "rule 2 is not valid" in prune.toolTip()
