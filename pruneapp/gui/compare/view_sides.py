"""The two sides of a comparison, to be chosen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QWidget,
)

from pruneapp.gui.widgets.controls import ComboBox
from pruneapp.gui.widgets.labels import as_plain
from pruneapp.gui.widgets.safe_paint import reported
from pruneapp.results.document_rows_history import HistoryItem

# A position in the history; None for the other file.
Side = int | None

_OTHER, _ASK, _ASK_FOLDER = -1, -2, -3
_SHORTER = Qt.ItemDataRole.UserRole + 1


class _SideBox(ComboBox):
    """A box whose text loses its middle where there is no room, not its end.

    An item that has a shorter text stands under that instead.
    """

    @reported
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint as much of the text as there is room for."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        option.currentText = self.shown_text(field.width() - 4)
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def shown_text(self, width: int) -> str:
        """Return what is shown of the chosen item in so many pixels."""
        text, metrics = self.currentText(), self.fontMetrics()
        if metrics.horizontalAdvance(text) > width:
            text = self.currentData(_SHORTER) or text
        return metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width)


class SidesRow(QWidget):
    """A and B: states of the history, or another file.

    Signals
    -------
    changed()
        The person chose another side.
    otherRequested(), folderRequested()
        The person wants a file, or a folder, that is not chosen yet, or another one.
    """

    changed = Signal()
    otherRequested = Signal()
    folderRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: tuple[HistoryItem, ...] = ()
        self._position = 0
        self._other: str | None = None
        self._wanted: list[Side] = [0, 0]
        self._own = [False, False]  # whether the person chose it
        self._asking = 1
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self.boxes = _SideBox(), _SideBox()
        self.swap_button = QToolButton()
        self.swap_button.setText("⇄")
        self.swap_button.setAutoRaise(True)
        self.swap_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.swap_button.setToolTip(self.tr("Swap A and B"))
        self.swap_button.setAccessibleName(self.tr("Swap A and B"))
        self.swap_button.clicked.connect(self.swap)
        self._tips = self.tr("Base of the comparison"), self.tr("Compared with A")
        for box, letter in zip(self.boxes, "AB", strict=True):
            label = QLabel(letter)
            label.setBuddy(box)
            box.setAccessibleName(letter)
            # Labels of steps are long; the whole of them is in the list and the tooltips.
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(8)
            box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            if letter == "B":
                row.addWidget(self.swap_button)
            row.addWidget(label)
            row.addWidget(box, 1)
        self.boxes[0].activated.connect(self._on_a_chosen)
        self.boxes[1].activated.connect(self._on_b_chosen)
        self._fill()

    @property
    def points(self) -> int:
        """How many states there are."""
        return len(self._items)

    @property
    def wanted(self) -> tuple[Side, Side]:
        """A and B."""
        return self._wanted[0], self._wanted[1]

    def set_points(self, items: Sequence[HistoryItem], position: int) -> None:
        """Take the states, and which one is the current."""
        self._items, self._position = tuple(items), position
        for side, usual in enumerate(self._usual()):
            chosen = self._wanted[side]
            if not items or (chosen is not None and chosen >= len(items)):
                self._own[side] = False  # that state is gone
            if not self._own[side]:
                self._wanted[side] = usual
        self._fill()

    def swap(self) -> None:
        """Measure the other way round."""
        self._wanted.reverse()
        self._own = [True, True]
        self._asking = 1 - self._asking
        self._fill()
        self.changed.emit()

    def set_other(self, label: str | None, *, original: bool = False) -> None:
        """Take the other file, for the side that asked for it; None for no file.

        As the original of what is open it is the base, and what is open now stands against it.
        """
        self._other = label
        if label is not None and original:
            self._asking = 0
            self._own[1] = False
        if label is not None:
            self._wanted[self._asking], self._own[self._asking] = None, True
            if self._wanted[1 - self._asking] is None:
                self._own[1 - self._asking] = False
        for side, usual in enumerate(self._usual()):
            if self._wanted[side] is None and label is None:
                self._own[side] = False
            if not self._own[side]:
                self._wanted[side] = usual
        self._fill()

    def _usual(self) -> tuple[int, int]:
        # The file as it was opened and now; it is what is there now that stands against a file.
        return (0 if self._other is None else self._position), self._position

    def _fill(self) -> None:
        for box, wanted in zip(self.boxes, self._wanted, strict=True):
            with QSignalBlocker(box):
                box.clear()
                for i, item in enumerate(self._items):
                    self._add(box, self._label(i), i, item.detail)
                    if i == self._position:
                        box.setItemData(i, self.tr("Current state"), _SHORTER)
                if self._other is not None:
                    self._add(box, self._other, _OTHER, self._other)
                if self._items:
                    self._add(box, self.tr("Another file…"), _ASK, "")
                    self._add(box, self.tr("Another folder…"), _ASK_FOLDER, "")
                box.setCurrentIndex(box.findData(_OTHER if wanted is None else wanted))
            box.setEnabled(bool(self._items))
        self._show_chosen()

    def _show_chosen(self) -> None:
        for box, tip in zip(self.boxes, self._tips, strict=True):
            box.setToolTip(as_plain(f"{tip}\n{box.currentText()}".strip()))
            box.setAccessibleDescription(tip)  # else the tooltip with its markup is read out
        self.swap_button.setEnabled(self._wanted[0] != self._wanted[1])

    def _label(self, place: int) -> str:
        label = self._items[place].label
        if place != self._position:
            return label
        return self.tr("{label} (current state)").format(label=label)

    @staticmethod
    def _add(box: ComboBox, label: str, data: int, detail: str) -> None:
        box.addItem(label, data)
        box.setItemData(box.count() - 1, as_plain(detail), Qt.ItemDataRole.ToolTipRole)

    def _choose(self, side: int) -> None:
        chosen = int(self.boxes[side].currentData())
        if chosen in {_ASK, _ASK_FOLDER}:
            self._asking = side
            self._fill()  # as it was, until there is a file
            (self.otherRequested if chosen == _ASK else self.folderRequested).emit()
            return
        wanted = None if chosen == _OTHER else chosen
        if wanted != self._wanted[side]:
            self._wanted[side], self._own[side] = wanted, True
            self._show_chosen()
            self.changed.emit()

    def _on_a_chosen(self) -> None:
        self._choose(0)

    def _on_b_chosen(self) -> None:
        self._choose(1)
