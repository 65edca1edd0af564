"""Plugins in the window: announced once, loaded when they are checked, named if they fail."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from pruneapp.gui.app.plugin_dialog import PluginDialog
from pruneapp.gui.app.settings import Settings
from tests.support.plugin_packages import install_example, install_package, matrix_file

NEW = "Plugins were installed and are not loaded: pruneapp-example."


def dialog_of(user) -> PluginDialog:
    user.menu("Tools", "Plugins")
    (dialog,) = [d for d in user.window.findChildren(PluginDialog) if d.isVisible()]
    return dialog


def check(user, dialog: PluginDialog, row: int) -> None:
    """Click the check box of a row."""
    option = QStyleOptionViewItem()
    option.rect = dialog.list.visualItemRect(dialog.list.topLevelItem(row))
    option.features = QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
    box = dialog.style().subElementRect(
        QStyle.SubElement.SE_ItemViewItemCheckIndicator, option, dialog.list
    )
    place = QPoint(box.center().x(), option.rect.center().y())
    QTest.mouseClick(dialog.list.viewport(), Qt.MouseButton.LeftButton, pos=place)


def close(user, dialog: PluginDialog) -> None:
    user.click(dialog.close_button)
    user.wait(lambda: not dialog.isVisible())


def rows(dialog: PluginDialog) -> list[list[str]]:
    items = [dialog.list.topLevelItem(n) for n in range(dialog.list.topLevelItemCount())]
    return [[item.text(column) for column in range(3)] for item in items]


def methods(user) -> set[str]:
    box = user.rule.method
    return {box.itemData(n) for n in range(box.count())}


def test_without_plugins_it_says_so(user):
    dialog = dialog_of(user)
    assert dialog.empty.isVisible()
    assert not dialog.list.isVisible()
    close(user, dialog)


def test_a_plugin_is_told_of_once_and_loaded_when_it_is_checked(packages, new_user, tmp_path):
    install_example(packages)
    file = matrix_file(tmp_path, np.arange(12, dtype=np.float32).reshape(3, 4))
    user = new_user().wait_ready()
    user.wait(lambda: user.notices == [NEW])
    assert "pruneapp_example" not in sys.modules

    dialog = dialog_of(user)
    adds = (
        "Method: centered\nExport format: zst_smallest\nModel family: example\nFile format: matrix"
    )
    assert rows(dialog) == [["pruneapp-example 1.0", "Not loaded", adds]]
    check(user, dialog, 0)
    user.wait(lambda: rows(dialog)[0][1] == "Loaded")
    assert user.notices == ["Loaded: Distance from the mean."]
    close(user, dialog)

    user.open_file(file)
    assert "centered" in methods(user)

    dialog = dialog_of(user)
    check(user, dialog, 0)
    assert rows(dialog)[0][1] == "Loaded until Pruneapp is closed"
    check(user, dialog, 0)
    assert rows(dialog)[0][1] == "Loaded"
    close(user, dialog)

    again = new_user().wait_ready()
    dialog = dialog_of(again)
    again.wait(lambda: [row[1] for row in rows(dialog)] == ["Loaded"])
    assert again.notices == []
    close(again, dialog)


@pytest.mark.parametrize("code", ["import nothing_like_it", "ONE = 5"])
def test_one_that_fails_is_named_and_left_out(packages, new_user, code):
    install_package(packages, "broken", {"pruneapp.formats": {"one": "broken:ONE"}}, code)
    user = new_user().wait_ready()
    dialog = dialog_of(user)
    user.wait(lambda: bool(rows(dialog)))
    check(user, dialog, 0)
    user.wait(lambda: rows(dialog)[0][1] == "Failed")
    assert dialog.note.text().startswith("The plugin broken 1.0 was not loaded: 'broken:ONE'")
    assert "Update or uninstall broken." in user.trouble[0]
    close(user, dialog)


def test_what_was_allowed_is_loaded_at_the_start(packages, new_user, settings_file):
    install_example(packages)
    settings = Settings(settings_file)
    settings.store(allowed_plugins=["pruneapp-example==0.9", "pruneapp-example==1.0"])
    settings.flush()
    user = new_user().wait_ready()
    user.wait(lambda: "centered" in methods(user))
    assert user.notices == ["Loaded: Distance from the mean."]
