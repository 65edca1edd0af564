"""The commands in the menus."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMainWindow

from pruneapp.gui.commands.actions import Actions

pytestmark = pytest.mark.usefixtures("english")


@pytest.mark.usefixtures("language")
def test_no_letter_leads_to_two_entries_of_a_menu(qtbot):
    """Qt then only highlights the entries in turn, and triggers none."""
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = Actions(window)
    actions.fill(window.menuBar())
    menus = {"": window.menuBar(), **actions.menus}
    assert len(menus) > 8
    for path, menu in menus.items():
        texts = [action.text() for action in menu.actions() if not action.isSeparator()]
        letters = Counter(QKeySequence.mnemonic(text).toString() for text in texts)
        assert "" not in letters, f"an entry of {path} has no mnemonic"
        assert not texts or letters.most_common(1)[0][1] == 1, (path, letters)
