"""What every plot is: a canvas or a table or a message, a read-out, a legend, a menu."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter, QPalette, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from pruneapp.gui.plots.base.export_menu import ExportMenu, png, svg
from pruneapp.gui.plots.base.plot_canvas import PlotCanvas
from pruneapp.gui.plots.base.readout import FootLine, Legend, Readout, Swatch, TableButton
from pruneapp.gui.plots.base.table import NumbersView
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.controls import add_row, lay_in_column, lay_in_row, single_shot
from pruneapp.gui.widgets.labels import DANGER, MUTED, plain
from pruneapp.gui.widgets.safe_paint import saved
from pruneapp.gui.widgets.theme import LIGHT, with_defaults
from pruneapp.results.short_names import ShortNames

BUSY_AFTER_MS = 200


class BusyIndicator(QObject):
    """Says in the corner of a stack that it is being updated (`busy`), if that takes long."""

    due = Signal()  # it takes so long now that one should see it

    def __init__(self, stack: QStackedWidget) -> None:
        super().__init__(stack)
        self.busy = False
        self._stack = stack
        self.note = QLabel(self.tr("Updating…"), stack)
        self.note.setAutoFillBackground(True)
        self.note.setBackgroundRole(QPalette.ColorRole.Base)
        self.note.setForegroundRole(MUTED)
        self.note.setMargin(4)
        self.note.hide()
        # A busy state that comes at once flickers.
        self.patience = single_shot(self, BUSY_AFTER_MS, self.due)
        # What was there stays on the screen until its successor is painted, if that is soon.
        self._held = single_shot(self, BUSY_AFTER_MS, self.release)

    def freeze(self) -> None:
        """Leave what the stack shows on the screen for a moment, because a new one is coming."""
        self._stack.setUpdatesEnabled(False)
        self._held.start()

    def release(self) -> None:
        """Paint what the stack shows."""
        self._held.stop()
        self._stack.setUpdatesEnabled(True)

    def show_note(self, *, shown: bool) -> None:
        """Say over the picture that there will be another, or say nothing."""
        self.note.setVisible(shown)
        self.note.adjustSize()
        self.note.move(self._stack.width() - self.note.width() - 4, 4)
        self.note.raise_()


# Pixels of height below which a picture says too little; what lies below it gives way first.
SMALLEST = 96
_GAP = 8
LOW_GAP = 4  # where the window is low


class PlotView(QWidget):
    """A picture of something, and the same in numbers.

    A view is told what to show by ``set_*``, which never emit; what a person wants of it comes
    as a signal. Whoever shows it may put its `controls`, the table and the menu, elsewhere.
    """

    # (Encode, Path) The person wants the picture in that file. What makes its bytes takes long; any
    # thread may call it.
    fileRequested = Signal(object, object)
    clipboardRequested = Signal(object)  # (QImage) the person wants the picture on the clipboard
    # (Numbers, Path) The person wants these numbers in that file. There may be 100,000 rows of
    # them.
    csvRequested = Signal(object, object)

    def __init__(self, canvas: PlotCanvas) -> None:
        super().__init__()
        self._canvas = canvas
        self._colors: Mapping[str, str] = LIGHT
        self._has_content = False
        # Whether there is a legend, whether it may lie over the picture if need be, and whether it
        # may go then.
        self.has_legend = self.legend_in_corner = True
        self.legend_may_go = False
        self._error, self._trouble = "", True
        self._instead = ""
        self._busy_text = self.tr("Reading the tensor…")

        self.controls = QWidget(self)
        self._controls = lay_in_row(self.controls, None)

        self._message = plain(wrap=True)
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setMargin(24)
        self._message.setAutoFillBackground(True)
        self._message.setBackgroundRole(QPalette.ColorRole.Base)
        self._stack = QStackedWidget()
        self._table = NumbersView()
        for page in (self._message, canvas, self._table):
            self._stack.addWidget(page)
        self._stack.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._stack.setMinimumHeight(SMALLEST)
        self._waiting = BusyIndicator(self._stack)
        self._waiting.due.connect(self._show_state)

        # A bar or a weight has much to say of itself: the legend has a line of its own.
        self.readout = Readout()
        self.foot = FootLine(self.readout)
        self.legend = Legend()
        self.legend.setBackgroundRole(QPalette.ColorRole.Base)
        self._legend_below = True
        self._stack.currentChanged.connect(self._show_legend)

        self._column = lay_in_column(self, self.controls, spacing=_GAP)
        # The one row of controls above the picture; not there as long as there is none.
        self._row = add_row(self._column)
        self._row.addStrut(self.fontMetrics().height() + 13)  # no picture is higher than others
        # In one cell of it lies the picture, and the legend over it where there is no line for it.
        self._over = QGridLayout()
        self._column.addLayout(self._over, 1)
        self._over.addWidget(self._stack, 0, 0)
        self._between: list[QWidget] = []
        self._column.addWidget(self.foot)
        self._column.addWidget(self.legend)

        self._table_button = TableButton()
        self._table_button.toggled.connect(self._on_table_toggled)
        self._controls.addWidget(self._table_button)
        save = {"png": self.save_png, "svg": self.save_svg, "csv": self.save_csv}
        self.export_menu = ExportMenu(self, self.copy, save)
        self._controls.addWidget(self.export_menu.button)

        self._show_state()

    # What a kind of picture says about itself.

    def empty_text(self) -> str:
        """Say what to do where there is nothing to show."""
        return self._instead or self.tr("Select a tensor in the tree.")

    def numbers(self) -> Numbers:
        """Return the numbers of the picture."""
        return NOTHING

    # What it is told.

    def set_narrow(self, *, narrow: bool) -> None:
        """Take whether `controls` have room for what is most needed alone."""

    def set_low(self, *, low: bool) -> None:
        """Leave less space between the rows, where there is little for the picture."""
        self._column.setSpacing(LOW_GAP if low else _GAP)

    def set_names(self, names: ShortNames) -> None:
        """Take the shorter forms of the names of the file."""
        self.readout.set_names(names)
        self._table.set_names(names)

    def set_empty_text(self, text: str) -> None:
        """Say this where there is nothing to show; empty for what this kind of picture says."""
        self._instead = text
        self._show_state()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the colours of a theme by token, and paint anew."""
        self._colors = with_defaults(colors)

    def focus(self) -> None:
        """Give the focus to the picture, or the table; as soon as there is one."""
        # From the message Qt hands it on to what follows it.
        page = self._stack.currentWidget() or self._canvas
        page.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def freeze(self) -> None:
        """Leave the old picture on the screen for a moment, because a new one is coming."""
        if self._has_content and self.isVisible():
            self._waiting.freeze()

    def set_busy(self, busy: bool) -> None:
        """Say that an answer is on its way; seen only if it takes longer than 200 ms."""
        self._waiting.busy = busy
        if not busy or self._error:
            self._waiting.patience.stop()
            self._show_state()
        elif not self._waiting.patience.isActive():
            self._waiting.patience.start()

    def set_error(self, text: str, *, trouble: bool = True) -> None:
        """Show why there is no picture; empty for no error.

        `trouble`: something is wrong, and not only nothing to be seen.
        """
        self._error, self._trouble = text, trouble
        self._waiting.patience.stop()
        if text:
            self._waiting.busy = False
            self._waiting.release()
        self._show_state()

    def needed(self, width: int) -> int:
        """Return the least height, without the legend, of which the picture is of use."""
        whole = self._column.minimumHeightForWidth(width)
        if whole < 0:
            whole = self._column.minimumSize().height()
        takes = self._legend_below and not self.legend.isHidden()
        return whole - self.legend_height(width) if takes else whole

    def legend_height(self, width: int) -> int:
        """Return what the legend takes below the picture, all of its lines."""
        high = self.legend.heightForWidth(width) + self._column.spacing()
        return high if self.has_legend else 0

    def set_legend_below(self, *, below: bool) -> None:
        """Give the legend a line below the picture, or lay it into the corner of the picture.

        It has a line of its own, too, where it would cover the title of the axis, or the corner is
        none for it; but for one that may go.
        """
        has_corner = self.legend_in_corner and self._canvas.has_corner(self._corner())
        below = below or not (has_corner or self.legend_may_go)
        if below != self._legend_below:
            self._legend_below = below
            if below:
                self._column.addWidget(self.legend)
            else:
                corner = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
                self._over.addWidget(self.legend, 0, 0, corner)
                self.legend.raise_()
            self.legend.setAutoFillBackground(not below)
        self._show_legend()

    def _show_legend(self) -> None:
        # Over a table or a message there is nothing to be explained.
        drawn = self._stack.currentWidget() is self._canvas and self.legend_in_corner
        self.legend.setVisible(self.has_legend and (self._legend_below or drawn))
        self._leave_corner()

    def _corner(self) -> int:
        """Return the pixels that the legend and the space beside it take in the corner."""
        return self.legend.sizeHint().width() + _GAP

    def _leave_corner(self) -> None:
        """Keep the title of the axis clear of the legend."""
        here = self.has_legend and self.legend_in_corner and not self._legend_below
        self._canvas.set_corner(self._corner() if here else 0)

    # What a person may take along.

    def picture(self) -> QPixmap:
        """Return what is to be seen: the canvas, the read-out and the legend."""
        return self.grab(self._drawn_area())

    def paint_on(self, painter: QPainter) -> None:
        """Paint what is to be seen with another painter: lines and letters where it has them."""
        drawn = self._drawn_area()
        painter.fillRect(QRect(QPoint(0, 0), drawn.size()), self.palette().window())
        page = self._stack.currentWidget() or self._canvas
        for part in (page, *self._between, self.foot, self.legend):
            if part.isHidden():
                continue
            with saved(painter):
                painter.translate(part.mapTo(self, QPoint(0, 0)) - drawn.topLeft())
                if isinstance(part, PlotCanvas):
                    part.paint_on(painter)
                else:
                    part.render(painter, QPoint(0, 0))

    def _drawn_area(self) -> QRect:
        below = self.legend if self._legend_below and not self.legend.isHidden() else self.foot
        return self._stack.geometry().united(self.foot.geometry()).united(below.geometry())

    def copy(self) -> None:
        """Announce that the picture is wanted on the clipboard."""
        self.clipboardRequested.emit(self.picture().toImage())

    def save_png(self, path: Path) -> None:
        """Announce that the picture is wanted there."""
        image = self.picture().toImage()
        self.fileRequested.emit(lambda: png(image), path)

    def save_svg(self, path: Path) -> None:
        """Announce that it is wanted there as a drawing, what is made of pixels as such."""
        encode = svg(self.paint_on, self._drawn_area().size(), self.export_menu.stem)
        self.fileRequested.emit(encode, path)

    def save_csv(self, path: Path) -> None:
        """Announce that the numbers are wanted there."""
        self.csvRequested.emit(self.numbers(), path)

    # What the kinds of pictures use.

    def _set_stem(self, name: str, what: str) -> None:
        """Let names of files begin with that of a tensor, and what is shown of it."""
        safe = "".join(c if c.isalnum() or c in "._-" else "_" for c in name[-80:])
        self.export_menu.stem = f"{safe}-{what}" if safe else what

    def _set_content(self, *, present: bool) -> None:
        self._has_content = present
        if present:
            self._error = ""
            self._settle()
        self._show_state()

    def _settle(self) -> None:
        """Show the new picture, now that there is one."""
        self._waiting.release()

    def _describe(self, name: str, summary: str) -> None:
        for widget in (self, self._canvas):
            widget.setAccessibleName(name)
            widget.setAccessibleDescription(summary)

    def _set_legend(self, entries: Sequence[Swatch]) -> None:
        self.legend.set_entries(entries)
        self._leave_corner()

    def _add_row(self, row: QWidget) -> None:
        """Put something between the canvas and the read-out."""
        self._column.insertWidget(self._column.indexOf(self.foot), row)
        self._between.append(row)

    @property
    def shows_table(self) -> bool:
        """Whether the numbers are shown instead of the picture."""
        return self._table_button.isChecked()

    def toggle_table(self) -> None:
        """Show the numbers instead of the picture, or the picture again."""
        self._table_button.toggle()

    def _refresh_table(self) -> None:
        if self.shows_table:
            self._table.numbers.set_numbers(self.numbers())

    def _show_state(self) -> None:
        waiting = self._waiting.busy and not self._waiting.patience.isActive()
        if self._error:
            self._message.setText(f"▲  {self._error}" if self._trouble else self._error)
        elif waiting and not self._has_content:
            self._message.setText(self._busy_text)
        elif not self._waiting.busy:
            self._message.setText(self.empty_text())
        else:
            self._message.setText("")
        if self._error or not self._has_content:
            page: QWidget = self._message
        else:
            page = self._table if self.shows_table else self._canvas
        self._stack.setCurrentWidget(page)
        self.export_menu.button.setEnabled(page is not self._message)
        self._message.setForegroundRole(DANGER if self._error and self._trouble else MUTED)
        self._waiting.show_note(shown=waiting and self._has_content and not self._error)

    def _on_table_toggled(self) -> None:
        focused = self._canvas.hasFocus() or self._table.hasFocus()
        self._refresh_table()
        self._show_state()
        if focused:
            (self._table if self.shows_table else self._canvas).setFocus()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to take the picture along."""
        if self._has_content:
            self.export_menu.open_at(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Switch between picture and table."""
        if event.key() == Qt.Key.Key_T and not event.modifiers():
            self.toggle_table()
        else:
            super().keyPressEvent(event)


class WrappingRow(QWidget):
    """The first at the left, the second takes the rest of the line or a line of its own.

    With `grows` it is the first that takes the rest, and a line of its own. Whether it wraps
    depends on the width and on what both need at least, not on what they show at the moment: a
    stack of controls needs what the widest of its pages needs, so that nothing jumps from page to
    page.
    """

    def __init__(self, first: QWidget, second: QWidget, *, grows: bool = False) -> None:
        super().__init__()
        self._first, self._second, self._grows = first, second, grows
        for widget in (first, second):
            widget.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def wraps(self, width: int) -> bool:
        """Whether both need a line each."""
        return self._first_width() + _GAP + self._second_width() > width

    def hasHeightForWidth(self) -> bool:
        """Be higher where it is narrow."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of one line, or of two."""
        first, second = self._heights()
        return first + 4 + second if self.wraps(width) else max(first, second)

    def sizeHint(self) -> QSize:
        """Ask for one line."""
        width = self._first.sizeHint().width() + _GAP + self._second.sizeHint().width()
        return QSize(width, max(self._heights()))

    def minimumSizeHint(self) -> QSize:
        """Be content with two lines."""
        width = max(self._first.minimumSizeHint().width(), self._second_width())
        return QSize(width, max(self._heights()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place both."""
        super().resizeEvent(event)
        self._place()

    def event(self, event: QEvent) -> bool:
        """Place both anew when one of them wants another size."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._place()
        return super().event(event)

    def _first_width(self) -> int:
        hint = self._first.minimumSizeHint() if self._grows else self._first.sizeHint()
        return hint.width()

    def _second_width(self) -> int:
        return self._second.minimumSizeHint().width()

    def _heights(self) -> tuple[int, int]:
        return self._first.sizeHint().height(), self._second.sizeHint().height()

    def _place(self) -> None:
        width, (first, second) = self.width(), self._heights()
        if self.wraps(width):
            left = width if self._grows else min(width, self._first_width())
            self._first.setGeometry(0, 0, left, first)
            self._second.setGeometry(0, first + 4, width, second)
        else:
            high, left = max(first, second), self._first_width()
            if self._grows:
                left = width - _GAP - self._second_width()
            self._first.setGeometry(0, high - first, left, first)
            self._second.setGeometry(left + _GAP, (high - second) // 2, width - left - _GAP, second)
