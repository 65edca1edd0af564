"""The size of a shrunk file of the current state, beside its other sizes."""

from __future__ import annotations

import pytest
import torch

from pruneapp.gui.preview import shrunk_size_controller
from pruneapp.gui.widgets.number_format import size
from tests.support.model_folders import write_llama


@pytest.fixture
def opened(user, tmp_path):
    user.open_file(write_llama(tmp_path / "tiny"))
    user.wait_preview()
    return user


def prune_neurons(user):
    user.choose(user.rule.method, "FFN neurons")
    user.ask_amount("25%")
    user.prune()


def test_the_shrunk_size_is_that_of_the_export(opened):
    user, file = opened, opened.views.preview.file
    assert not file.labels["shrunk"].isVisible()
    prune_neurons(user)
    assert file.labels["shrunk"].isVisible()
    user.wait(lambda: file.labels["shrunk"].text() != "–")
    shown = file.labels["shrunk"].text()
    dialog = user.open_export()
    user.click(dialog.tabs, dialog.tabs.tabRect(1).center())
    user.wait(lambda: dialog.page.forecast is not None and dialog.page.forecast.after is not None)
    assert shown == size(dialog.page.forecast.after.nbytes)
    dialog.reject()
    user.click(user.views.preview.action.preview)
    user.wait(lambda: not file.labels["shrunk"].isVisible())
    user.key("Ctrl+Z")
    user.wait(lambda: user.document.position == 0)
    assert not file.labels["shrunk"].isVisible()
    user.key("Ctrl+Shift+Z")
    user.wait(lambda: file.labels["shrunk"].text() == shown)
    assert file.labels["shrunk"].isVisible()


def test_the_dense_size_is_that_of_the_export_button(user, tmp_path):
    weights = {"a.weight": torch.ones(64, 64)}
    moments = {"a.weight": torch.ones(64, 64)}
    torch.save({"model": weights, "optimizer": {"state": moments}}, tmp_path / "net.pt")
    user.open_file(tmp_path / "net.pt")
    user.prune()
    label, button = user.views.preview.file.labels["size"], user.window.export_button
    user.wait(lambda: button.text() == f"Export… {label.text()}")
    dialog = user.open_export()
    assert label.text() == size(dialog.chosen_format().nbytes)
    assert dialog.chosen_format().nbytes > 2 * 64 * 64 * 4, "with the optimizer"
    assert "the dense file in the proposed format" in button.toolTip()


def test_the_shrunk_size_has_the_multiple_of_the_step_or_of_the_last_export(opened, tmp_path):
    user, label = opened, opened.views.preview.file.labels["shrunk"]
    user.choose(user.rule.method, "FFN neurons")
    user.choose(user.rule.fields.editors["multiple"].combo, "1")
    user.ask_amount("30%")
    user.prune()
    user.wait(lambda: label.text() not in {"", "–"})
    before = label.text()
    dialog = user.open_export()
    user.click(dialog.tabs, dialog.tabs.tabRect(1).center())
    user.wait(lambda: dialog.page.order() is not None)
    assert before == size(dialog.page.forecast.after.nbytes)
    user.choose(dialog.page.multiple, "64")
    user.wait(lambda: dialog.page.order() is not None)
    after = dialog.page.forecast.after.nbytes
    user.click(dialog.go)
    user.wait(lambda: user.workbench.export.report is not None)
    user.close_report()
    user.wait(lambda: label.text() == size(after))
    assert label.text() != before
    user.workbench.shrunk_sizes.compute([1])
    user.wait_idle()
    assert user.views.pages.quality._shrunk_sizes[1] == after, "on the page Quality, too"


def test_a_step_of_individual_weights_shows_no_shrunk_size(opened):
    opened.prune()
    assert not opened.views.preview.file.labels["shrunk"].isVisible()


def test_the_size_of_a_large_model_is_left_to_the_export(opened, monkeypatch):
    monkeypatch.setattr(shrunk_size_controller, "MAX_BYTES", 1000)
    prune_neurons(opened)
    label = opened.views.preview.file.labels["shrunk"]
    assert label.text() == "–"
    assert "The page Shrunk of the export dialog computes it." in label.toolTip()


def test_it_is_stated_why_a_state_cannot_be_shrunk(user, tmp_path):
    from tests.support.small_cnn import write_cnn

    user.open_file(write_cnn(tmp_path / "cnn.pt"))
    user.choose(user.rule.method, "Ln structured (channels)")
    user.prune()
    label = user.views.preview.file.labels["shrunk"]
    user.wait(lambda: "\n" not in label.toolTip() and label.isVisible() and label.toolTip())
    user.wait_idle()
    assert label.text() == "176 kB"
