"""The panel that offers unsaved work and temporary files after a crash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QPushButton, QSizePolicy, QWidget

from pruneapp.gui.widgets.controls import add_row, clear, lay_in_column, symbol_button
from pruneapp.gui.widgets.labels import MUTED, ElidedLabel, as_plain, heading, plain
from pruneapp.gui.widgets.number_format import count, plural, size

_MAX_ROWS = 3  # maximum number of rows; others are counted


@dataclass(frozen=True)
class RecoverableWork:
    """Unsaved work that can be restored."""

    key: str  # its identifier in signals
    file: str  # name of the checkpoint, without its folder
    steps: int  # number of steps that lead to the current state
    last: str  # description of the last step
    time: str  # localized time of the last step
    again: int = 0  # number of steps at the end that must be recomputed
    undone: int = 0  # number of steps that are undone or on other branches
    known: bool = True  # whether it is readable; False if a newer version wrote it


@dataclass(frozen=True)
class TemporaryFiles:
    """Temporary files of interrupted exports."""

    names: tuple[str, ...]  # their paths
    nbytes: int  # total size in bytes


class RecoveryView(QWidget):
    """A panel that offers abandoned work and files; hidden if there are none."""

    restoreRequested = Signal(str)  # RecoverableWork.key
    deleteRequested = Signal(str)  # RecoverableWork.key
    filesDeleteRequested = Signal()
    dismissed = Signal()  # the user wants to decide later

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Restore"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.title = heading(self.tr("Pruneapp was closed unexpectedly"))
        self.later = symbol_button("×", self.tr("Ask again next time"), self)
        self.later.setAutoRaise(True)
        self.later.clicked.connect(self.dismissed)
        self.more = plain(ink=MUTED)
        layout = lay_in_column(self, spacing=4, margins=(16, 8, 8, 8))
        add_row(layout, self.title, self.more, None, self.later)
        self._rows = QGridLayout()
        layout.addLayout(self._rows)
        self._rows.setHorizontalSpacing(8)
        self._rows.setVerticalSpacing(4)
        self._rows.setColumnStretch(1, 1)
        self.restore_buttons: list[QPushButton] = []
        self.delete_buttons: list[QPushButton] = []
        self.files_button: QPushButton | None = None
        self.hide()

    def set_recoverable(
        self, works: Sequence[RecoverableWork], files: TemporaryFiles | None
    ) -> None:
        """Replace the rows; hide the panel if there is nothing to show.

        `_MAX_ROWS` of the works are shown, others are counted.
        """
        clear(self._rows)
        self.restore_buttons, self.delete_buttons = [], []
        self.files_button = None
        row = 0
        for work in works[:_MAX_ROWS]:
            row += self._add_work(row, work)
        if files is not None:
            self._add_files(row, files)
        self.title.setText(
            self.tr("Pruneapp was closed unexpectedly")
            if works
            else self.tr("An export was interrupted")
        )
        rest = len(works) - _MAX_ROWS
        self.more.setText(self.tr("{n} more").format(n=rest) if rest > 0 else "")
        self.more.setVisible(rest > 0)
        self.setVisible(bool(works) or files is not None)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the background, the border and a stripe like those of notices."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().base())
        painter.setPen(self.palette().color(MUTED))
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.fillRect(QRect(0, 0, 4, self.height()), self.palette().highlight())
        painter.end()

    def _add_work(self, row: int, work: RecoverableWork) -> int:
        """Add unsaved work at grid row `row`; return the number of rows used, 1 or 2.

        The second row states how many steps are computed again.
        """
        what = self.tr("{steps} on {file}, {time}")
        total_steps = work.steps + work.undone
        steps = plural(total_steps, self.tr("1 step"), self.tr("{n} steps"))
        if not work.steps and work.undone:
            steps = plural(work.undone, self.tr("1 undone step"), self.tr("{n} undone steps"))
        elif not work.known:
            what = self.tr("Work saved by a newer version of Pruneapp, {time}")
        elif not total_steps:
            steps = self.tr("Metrics")
        what = what.format(steps=steps, file=work.file, time=work.time)
        text = work.last
        if work.steps and work.undone:
            more = self.tr("{last} ({n} undone or on other branches)")
            text = more.format(last=work.last, n=count(work.undone))
        last = ElidedLabel(text, self, ink=MUTED)
        last.elide = Qt.TextElideMode.ElideRight
        restore = self._button(self.tr("Restore"), self.tr("Restore {what}").format(what=what))
        restore.setEnabled(work.known)
        delete = self._button(self.tr("Delete"), self.tr("Delete {what}").format(what=what))
        for button, handler in ((restore, self._restore), (delete, self._delete)):
            button.setProperty("key", work.key)
            button.clicked.connect(handler)
        self.restore_buttons.append(restore)
        self.delete_buttons.append(delete)
        label = ElidedLabel(what, self)
        label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        for column, widget in enumerate((label, last, restore, delete)):
            self._rows.addWidget(widget, row, column)
        if not work.again:
            return 1
        one, several = (
            self.tr("The last step is recomputed."),
            self.tr("The last {n} steps are recomputed."),
        )
        again = plain(plural(work.again, one, several), ink=MUTED)
        restore.setAccessibleDescription(again.text())
        self._rows.addWidget(again, row + 1, 0, 1, 2)
        return 2

    def _add_files(self, row: int, files: TemporaryFiles) -> None:
        """Add the temporary files at grid row `row`: number, size, and the path of the first."""
        what = plural(
            len(files.names),
            self.tr("1 temporary file of an export, {size}"),
            self.tr("{n} temporary files of exports, {size}"),
        ).format(size=size(files.nbytes))
        label = plain(what)
        label.setToolTip(as_plain("\n".join(files.names[:20])))
        where = ElidedLabel(files.names[0] if files.names else "", self, ink=MUTED)
        self.files_button = self._button(
            self.tr("Delete"), self.tr("Delete {what}").format(what=what)
        )
        self.files_button.clicked.connect(self.filesDeleteRequested)
        self._rows.addWidget(label, row, 0)
        self._rows.addWidget(where, row, 1)
        self._rows.addWidget(self.files_button, row, 3)

    def _button(self, text: str, meaning: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAccessibleName(meaning)
        button.setToolTip(as_plain(meaning))
        return button

    def _restore(self) -> None:
        self.restoreRequested.emit(self._key())

    def _delete(self) -> None:
        self.deleteRequested.emit(self._key())

    def _key(self) -> str:
        button = self.sender()
        assert isinstance(button, QPushButton)
        return str(button.property("key"))
