"""The About dialog: versions, licenses, and a report to copy into a bug report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QLocale, QSize, Qt, qVersion
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QFormLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from pruneapp import ISSUES
from pruneapp.gui.widgets.controls import CopyButton, add_row, lay_in_column
from pruneapp.gui.widgets.labels import MUTED, ElidedLabel, heading, letter_width, plain, with_label
from pruneapp.gui.widgets.screen import Dialog
from pruneapp.installation import License

_MARGIN = 16
# Visible rows of the license list, and width of its names in letters.
_LINES, _LETTERS = 14, 24


class AboutDialog(Dialog):
    """The About dialog.

    `set_facts` fills in versions and licenses once they have been collected.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About Pruneapp"))
        self.report = ""  # in English, for the developers
        self._texts: list[str] = []
        self._items: list[QTreeWidgetItem] = []
        promise = plain(
            self.tr(
                "Prune neural networks by pointing and clicking. MIT License.\nYour files stay "
                "on this computer unless you export to a URL. Code inside checkpoints is never "
                "executed."
            ),
            wrap=True,
        )
        self._facts = QWidget(self)
        self._rows = QFormLayout(self._facts)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setHorizontalSpacing(16)
        self._rows.setVerticalSpacing(4)
        self.list = QTreeWidget(self)
        self.list.setAccessibleName(self.tr("Licenses"))
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.header().setStretchLastSection(False)  # long license names can be scrolled to
        self.list.setHeaderLabels([self.tr("Package"), self.tr("Version"), self.tr("License")])
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(self.tr("Text of the license"))
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setPlaceholderText(self.tr("The package contains no text of its license."))
        parts = QSplitter(Qt.Orientation.Horizontal, self)
        parts.addWidget(self.list)
        parts.addWidget(self.text)
        parts.setChildrenCollapsible(False)
        self.copy = CopyButton(
            self.tr("Copy versions, system and the last error for a problem report."),
            self,
            self.tr("Copy report"),
        )
        self.copy.setToolTip(self.copy.accessibleDescription())
        self.copy.setEnabled(False)
        self.close_button = QPushButton(self.tr("Close"), self)
        self.close_button.setDefault(True)
        column = (
            *(heading("Pruneapp"), promise, self._facts),
            *(heading(self.tr("Licenses")), parts),
        )
        layout = lay_in_column(self, *column, spacing=12, margins=(_MARGIN,) * 4, wide=parts)
        add_row(layout, self.copy, None, self.close_button)
        self.list.currentItemChanged.connect(self._show_text)
        self.copy.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.accept)
        self.close_button.setFocus()

    def set_facts(
        self, versions: Mapping[str, str], licenses: Sequence[License], *, failure: str = ""
    ) -> None:
        """Fill the dialog, select the first license, and enable Copy report.

        Call it once: rows are appended. `versions` are by package name, "" for a package that is
        not installed; the key "System" is the operating system. `failure` is the traceback of the
        latest internal error, which is added to `report`; "" if there was none.
        """
        missing = self.tr("not installed")
        shown = {**versions, "Qt": f"{qVersion()} (PySide6 {versions.get('Qt', '')})"}
        for name, version in shown.items():
            value = ElidedLabel(version or missing, self)
            label = self.tr("System") if name == "System" else name
            value.setAccessibleName(with_label(label, version or missing))
            self._rows.addRow(plain(label, ink=MUTED), value)
        # Opens in a browser, and only when the user clicks it.
        releases = ISSUES.removesuffix("issues") + "releases"
        link = QLabel(f"[{releases.removeprefix('https://')}]({releases})", self)
        link.setTextFormat(Qt.TextFormat.MarkdownText)
        link.setOpenExternalLinks(True)
        link.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        link.setAccessibleName(self.tr("New versions: {place}").format(place=releases))
        self._rows.addRow(plain(self.tr("New versions"), ink=MUTED), link)
        see = self.tr("see the text")
        self._texts = [license_.text for license_ in licenses]
        self._items = [
            QTreeWidgetItem([license_.name, license_.version, license_.words or see])
            for license_ in licenses
        ]
        for number, item in enumerate(self._items):
            item.setData(0, Qt.ItemDataRole.UserRole, number)
        self.list.addTopLevelItems(self._items)
        for column in range(self.list.columnCount()):
            self.list.resizeColumnToContents(column)
        if self._items:
            self.list.setCurrentItem(self._items[0])
        lines = [f"{name}: {version or 'not installed'}" for name, version in shown.items()]
        screen = self.screen()
        size = screen.size()
        where = f"{QGuiApplication.platformName()}, {size.width()}×{size.height()}"
        lines.append(f"Screen: {where} at {screen.devicePixelRatio():g}, {QLocale().name()}")
        self.report = "\n".join([*lines, *(["", "Last error:", failure] if failure else [])])
        self.copy.setEnabled(True)

    def preferred_size(self) -> QSize:
        """Return a size with room for some rows of the list next to a license text."""
        metrics = self.fontMetrics()
        height = self.sizeHint().height() + metrics.lineSpacing() * (_LINES // 2)
        return QSize(letter_width(self) * _LETTERS * 6, height)

    def _show_text(self, item: QTreeWidgetItem | None) -> None:
        number = -1 if item is None else int(item.data(0, Qt.ItemDataRole.UserRole))
        self.text.setPlainText(self._texts[number] if number >= 0 else "")

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report)
        self.copy.set_copied()
