"""The dialog that lists the installed plugins, their status and what they add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QPushButton, QTreeWidget, QTreeWidgetItem, QWidget

from pruneapp.gui.widgets.controls import lay_in_column
from pruneapp.gui.widgets.labels import DANGER, letter_width, plain, with_label
from pruneapp.gui.widgets.reports import add_button_row
from pruneapp.gui.widgets.screen import Dialog


@dataclass(frozen=True)
class PluginRow:
    """A row of the list. `adds` has the kind and the name of each addition."""

    key: str
    package: str
    version: str
    adds: tuple[tuple[str, str], ...]
    allowed: bool
    loaded: bool
    error: str = ""


_KEY = Qt.ItemDataRole.UserRole
_LETTERS = 34  # maximum width of a column, in letters


class PluginDialog(Dialog):
    """Lists plugins, with a check box to allow each of them."""

    allowed = Signal(str, bool)  # (key, allowed) the user allowed a plugin, or revoked that

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Plugins"))
        self.resize(640, 360)
        about = plain(
            self.tr(
                "Installed packages can add methods, export formats, model families and file "
                "formats. A plugin that is checked is loaded when Pruneapp starts, which runs its "
                "code with your permissions."
            ),
            wrap=True,
        )
        self.list = QTreeWidget()
        self._items: list[QTreeWidgetItem] = []
        self.list.setAccessibleName(self.tr("Plugins"))
        self.list.setRootIsDecorated(False)
        self.list.setHeaderLabels([self.tr("Package"), self.tr("Status"), self.tr("Adds")])
        header = self.list.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        # Keeps the status visible next to long names; the tooltip has the whole name.
        header.setMaximumSectionSize(letter_width(self) * _LETTERS)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.itemChanged.connect(self._on_changed)
        self.empty = plain(
            self.tr("No plugins are installed in the Python environment of Pruneapp."), wrap=True
        )
        # Errors of plugins that were not loaded, which are too long for a row.
        self.note = plain(wrap=True, ink=DANGER)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.close_button = QPushButton(self.tr("Close"), self)
        self.close_button.setDefault(True)
        self.close_button.clicked.connect(self.accept)
        parts = about, self.list, self.empty, self.note
        layout = lay_in_column(self, *parts, spacing=12, margins=(16,) * 4, wide=self.list)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        layout.setStretchFactor(self.empty, 1)  # it replaces the list
        add_button_row(layout, self.close_button)
        self.set_rows(())

    def set_rows(self, rows: Sequence[PluginRow]) -> None:
        """Replace the rows of the list; a text is shown instead of an empty list.

        `allowed` is not emitted. Errors of all rows are shown below the list.
        """
        words = {
            "method": self.tr("Method"),
            "export format": self.tr("Export format"),
            "model family": self.tr("Model family"),
            "file format": self.tr("File format"),
        }
        with QSignalBlocker(self.list):
            # Update existing items if possible: Qt still uses an item whose check box was clicked.
            if [item.data(0, _KEY) for item in self._items] != [row.key for row in rows]:
                self.list.clear()
                self._items = [QTreeWidgetItem([row.package]) for row in rows]
                self.list.addTopLevelItems(self._items)
            for item, row in zip(self._items, rows, strict=True):
                item.setData(0, _KEY, row.key)
                adds = "\n".join(with_label(words[kind], name) for kind, name in row.adds)
                for column, text in enumerate(
                    (f"{row.package} {row.version}", self._status(row), adds)
                ):
                    item.setText(column, text)
                    item.setToolTip(column, text)
                state = Qt.CheckState.Checked if row.allowed else Qt.CheckState.Unchecked
                item.setCheckState(0, state)
        failed = [row.error for row in rows if row.error]
        self.note.setText("\n\n".join(failed))
        self.note.setVisible(bool(failed))
        self.list.setVisible(bool(rows))
        self.empty.setVisible(not rows)

    def _status(self, row: PluginRow) -> str:
        if row.error:
            return self.tr("Failed")
        if row.loaded:
            return self.tr("Loaded") if row.allowed else self.tr("Loaded until Pruneapp is closed")
        return self.tr("Loading…") if row.allowed else self.tr("Not loaded")

    def _on_changed(self, item: QTreeWidgetItem, _column: int) -> None:
        checked = item.checkState(0) == Qt.CheckState.Checked
        self.allowed.emit(item.data(0, _KEY), checked)
