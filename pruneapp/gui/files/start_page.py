"""The page of a window without a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pruneapp.gui.widgets.controls import (
    clear,
    enlarge,
    follow_font,
    lay_in_column,
    lay_in_row,
    replace,
    symbol_button,
)
from pruneapp.gui.widgets.labels import MUTED, ElidedLabel, Ink, elide_text, heading, plain
from pruneapp.gui.widgets.theme import icon, with_defaults

# The files that can be opened. Not read from the readers, as the first paint does not import them.
SUFFIXES = ".safetensors, .pt, .pth, .th, .bin, .ckpt, .pt2, .onnx, .gguf, .npz, .npy, .pkl, .prune"
_MAX_FILES = 6
_WIDTH, _WIDTH_OF_CARDS = 520, 720
_INSET = 8
_FRAME = 4  # pixels


@dataclass(frozen=True)
class RecentFile:
    """An entry of the list of recent files."""

    path: str
    pinned: bool = False  # whether it stays at the top of the list
    missing: bool = False  # whether it was found to be missing


class DropHint(QWidget):
    """A frame around the window, and what can be dropped, while a file is dragged over it.

    The start page says itself what can be dropped, so that there the frame is enough.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        # The widgets below remain the targets of the drag.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.text = QWidget(self)
        self.text.setAutoFillBackground(True)
        title = plain(self.tr("Drop to open"))
        follow_font(title, lambda label: enlarge(label, 1.5))
        opens = plain(
            self.tr("{suffixes}, or a model folder").format(suffixes=SUFFIXES), wrap=True, ink=MUTED
        )
        beside = plain(self.tr("With Ctrl it opens in a new window."), ink=MUTED)
        for label in (title, opens, beside):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        lay_in_column(self.text, title, opens, beside, spacing=12, margins=(24, 24, 24, 24))
        self.hide()

    def show_over(self, window: QWidget, *, with_text: bool) -> None:
        """Show the frame over all of `window`, with or without what can be dropped."""
        self.setGeometry(window.rect())
        self.text.setVisible(with_text)
        self.text.resize(_WIDTH, self.text.heightForWidth(_WIDTH))
        self.text.move(self.rect().center() - self.text.rect().center())
        self.raise_()
        self.show()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Tint the window, and paint its frame."""
        painter = QPainter(self)
        color = self.palette().color(Ink.Highlight)
        painter.setPen(QPen(color, 2 * _FRAME))  # half of it is outside
        color.setAlphaF(0.08)
        painter.setBrush(color)
        painter.drawRect(self.rect())
        painter.end()


class EmptyPage(QWidget):
    """The start page: ways to open a file, as three cards in the first run, and recent files."""

    openRequested = Signal()
    folderRequested = Signal()
    sampleRequested = Signal()
    tourRequested = Signal()
    recentRequested = Signal(str)  # the path of a recent file
    pinRequested = Signal(str, bool)  # the path of a recent file, and whether it is to be pinned
    removeRequested = Signal(str)

    def __init__(self, parent: QWidget | None = None, *, first: bool = False) -> None:
        super().__init__(parent)
        self._dropping = False
        self._colors: Mapping[str, str] = with_defaults({})
        self.title = title = plain()
        follow_font(title, lambda label: enlarge(label, 1.5))
        self.opens = plain(
            self.tr("{suffixes}, or a model folder").format(suffixes=SUFFIXES), wrap=True, ink=MUTED
        )
        promise = self.tr(
            "Your files stay on this computer unless you export to a URL.\nCode inside "
            "checkpoints is never executed."
        )
        self.promise = plain(promise, wrap=True, ink=MUTED)
        for label in (title, self.opens, self.promise):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.open_button = QPushButton(self.tr("Open…"), self)
        self.open_button.setObjectName("mainAction")
        self.open_button.setToolTip(self.tr("Open a file"))
        self.folder_button = QPushButton(self.tr("Open folder…"), self)
        self.folder_button.setToolTip(self.tr("Open a model folder"))
        self.sample_button = QPushButton(self.tr("Try the sample"), self)
        self.sample_button.setToolTip(self.tr("Open a small network included with Pruneapp"))
        self.tour_button = QPushButton(self.tr("Take the tour"), self)
        self.tour_button.setToolTip(self.tr("Learn the main steps with the sample"))
        buttons = self.open_button, self.folder_button, self.sample_button, self.tour_button
        for button in buttons:
            button.setMinimumSize(128, 36)
            button.setAccessibleDescription(button.toolTip())
        self._target = QWidget(self)
        margins = 24, 24, 24, 24
        self._target_layout = lay_in_column(
            self._target, title, self.opens, 8, spacing=12, margins=margins
        )
        self._choices = QWidget(self._target)
        self._target_layout.addWidget(self._choices)
        self._target_layout.addSpacing(8)
        self._target_layout.addWidget(self.promise)

        self._recent = QWidget(self)
        self._rows = QGridLayout(self._recent)
        self._rows.setContentsMargins(24, 0, 24, 0)
        self._rows.setHorizontalSpacing(8)
        self._rows.setVerticalSpacing(4)
        self._rows.setColumnStretch(1, 1)
        self._files: tuple[RecentFile, ...] = ()
        self.recent_buttons: list[QPushButton] = []
        self.pin_buttons: list[QToolButton] = []
        self.remove_buttons: list[QToolButton] = []

        for widget in (self._target, self._recent):
            widget.setMinimumWidth(min(_WIDTH, 320))
        layout = QHBoxLayout(self)
        layout.addStretch(1)
        column = QVBoxLayout()
        layout.addLayout(column, 100)
        column.setSpacing(24)
        column.addStretch(2)
        column.addWidget(self._target)
        column.addWidget(self._recent)
        column.addStretch(3)
        layout.addStretch(1)

        self.open_button.clicked.connect(self.openRequested)
        self.folder_button.clicked.connect(self.folderRequested)
        self.sample_button.clicked.connect(self.sampleRequested)
        self.tour_button.clicked.connect(self.tourRequested)
        self.set_recent(())
        self.set_first(first=first)

    def set_first(self, *, first: bool) -> None:
        """Show three cards with descriptions (`first`), or only the buttons to open files.

        May be called repeatedly; the buttons are the same.
        """
        before, self._choices = self._choices, QWidget(self._target)
        replace(self._target_layout, before, self._choices)
        self.title.setText(
            self.tr("Welcome to Pruneapp") if first else self.tr("Drop a checkpoint here")
        )
        if first:
            cards = QGridLayout(self._choices)  # a grid, so that the buttons are aligned
            cards.setContentsMargins(0, 0, 0, 0)
            cards.setHorizontalSpacing(24)
            cards.setVerticalSpacing(8)
            for column, (title, text, *buttons) in enumerate(self._card_contents()):
                cards.setColumnStretch(column, 1)
                words = plain(text, wrap=True)
                words.setAlignment(Qt.AlignmentFlag.AlignTop)
                for row, part in enumerate((heading(title), words, *buttons)):
                    cards.addWidget(part, row, column)
        else:
            usual = self.open_button, self.folder_button, self.sample_button
            lay_in_row(self._choices, None, *usual, None, spacing=12)
        self.tour_button.setVisible(first)
        self._target.setMaximumWidth(_WIDTH_OF_CARDS if first else _WIDTH)
        self._recent.setMaximumWidth(_WIDTH)

    def _card_contents(self) -> Iterator[tuple[str, str, *tuple[QPushButton, ...]]]:
        """Yield title, text and buttons of each card, from left to right."""
        yield (
            self.tr("Open a file"),
            self.tr("Drop a checkpoint here, or choose a file or the folder of a model."),
            *(self.open_button, self.folder_button),
        )
        yield (
            self.tr("Try the sample"),
            self.tr("A small network that reads handwritten digits."),
            self.sample_button,
        )
        yield (
            self.tr("Take the tour"),
            self.tr("The main steps in two minutes, with the sample. End it any time."),
            self.tour_button,
        )

    def set_recent(self, files: Sequence[RecentFile], *, changeable: bool = False) -> None:
        """Replace the recent files, of which the first `_MAX_FILES` are shown; none hide the list.

        The user can pin and remove them if they are `changeable`. The focus stays in its row and
        column. Without effect if nothing has changed.
        """
        rows = tuple(files[:_MAX_FILES])
        if rows and rows == self._files and changeable == self.pin_buttons[0].isEnabled():
            return
        focused = self._focused_button()
        self._files = rows
        clear(self._rows)
        self.recent_buttons, self.pin_buttons, self.remove_buttons = [], [], []
        if rows:
            title = heading(self.tr("Recent files"))
            title.setContentsMargins(_INSET, 0, 0, 0)  # aligned with the file names
            self._rows.addWidget(title, 0, 0, 1, 4)
        for row, file in enumerate(rows, 1):
            self._add_row(row, file, changeable=changeable)
        self._recent.setVisible(bool(rows))
        if focused is not None:
            self._focus(*focused)

    def _add_row(self, row: int, file: RecentFile, *, changeable: bool) -> None:
        """Add a recent file at grid row `row`, with buttons that open, pin and remove it."""
        path = file.path
        folder, _slash, name = path.replace("\\", "/").rpartition("/")
        button = QPushButton(self)
        button.setFlat(True)
        button.setAccessibleName(self.tr("Open {path}").format(path=path))
        button.setToolTip(path.replace("<", "‹"))
        metrics = button.fontMetrics()
        text = elide_text(name, metrics, 220)
        button.setText(text.replace("&", "&&"))
        # The style centers the text within a minimum width, so that names would not be aligned.
        button.setFixedWidth(metrics.horizontalAdvance(text) + 2 * _INSET)
        button.clicked.connect(self._open_recent)
        if file.missing:
            folder = self.tr("Missing: {folder}").format(folder=folder)
            button.setAccessibleDescription(self.tr("This file was not found."))
        words = self.tr("Unpin {path}") if file.pinned else self.tr("Pin {path}")
        pin = symbol_button("", words.format(path=path), self)
        pin.setCheckable(True)
        pin.setChecked(file.pinned)
        pin.setToolTip(
            self.tr("Unpin") if file.pinned else self.tr("Pin to the top of the recent files")
        )
        pin.clicked.connect(self._pin_recent)
        remove = symbol_button("✕", self.tr("Remove {path}").format(path=path), self)
        remove.setToolTip(self.tr("Remove from the recent files"))
        remove.clicked.connect(self._remove_recent)
        self._rows.addWidget(button, row, 0, Qt.AlignmentFlag.AlignLeft)
        self._rows.addWidget(ElidedLabel(folder, self, ink=MUTED), row, 1)
        for column, control in enumerate((pin, remove), 2):
            control.setAutoRaise(True)
            control.setEnabled(changeable)
            self._rows.addWidget(control, row, column)
        for each in (button, pin, remove):
            each.setProperty("path", path)
        self.recent_buttons.append(button)
        self.pin_buttons.append(pin)
        self.remove_buttons.append(remove)
        self._paint_pin(pin)

    def _paint_pin(self, pin: QToolButton) -> None:
        name = "pin-set" if pin.isChecked() else "pin"
        pin.setIcon(icon(name, self._colors, self.devicePixelRatioF()))

    def _focused_button(self) -> tuple[int, int] | None:
        """Return column and row of the focused button of the list; None if none has the focus.

        Column 0 opens a file, 1 pins it, 2 removes it.
        """
        columns: tuple[Sequence[QAbstractButton], ...] = (
            self.recent_buttons,
            self.pin_buttons,
            self.remove_buttons,
        )
        for column, buttons in enumerate(columns):
            for row, button in enumerate(buttons):
                if button.hasFocus():
                    return column, row
        return None

    def _focus(self, column: int, row: int) -> None:
        """Focus a button of the list after it was rebuilt: in the last row if there are fewer rows.

        The button Open if the list is empty.
        """
        buttons = (self.recent_buttons, self.pin_buttons, self.remove_buttons)[column]
        if buttons:
            button = buttons[min(row, len(buttons) - 1)]
            button.show()  # its layout shows it later, and a hidden widget cannot have the focus
            button.setFocus()
        else:
            self.open_button.setFocus()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of the theme."""
        self._colors = with_defaults(colors)
        for pin in self.pin_buttons:
            self._paint_pin(pin)

    def set_dropping(self, *, dropping: bool) -> None:
        """Show whether a dragged object can be dropped."""
        self._dropping = dropping
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the focused button with Return, as with Space."""
        button = self.focusWidget()
        pressed = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
        if pressed and isinstance(button, QAbstractButton) and button.hasFocus():
            button.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the outline of the drop area."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = self.palette().color(Ink.Highlight if self._dropping else MUTED)
        pen = QPen(color, 2 if self._dropping else 1.5)
        pen.setStyle(Qt.PenStyle.SolidLine if self._dropping else Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawRoundedRect(QRectF(self._target.geometry()).adjusted(1, 1, -1, -1), 8, 8)
        painter.end()

    def _open_recent(self) -> None:
        button = self.sender()
        if button is not None:
            self.recentRequested.emit(button.property("path"))

    def _pin_recent(self, pinned: bool) -> None:
        self.pinRequested.emit(self.sender().property("path"), pinned)

    def _remove_recent(self) -> None:
        self.removeRequested.emit(self.sender().property("path"))
