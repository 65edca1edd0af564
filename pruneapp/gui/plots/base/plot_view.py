"""The base class of all plot widgets: canvas, table or message, with readout, legend and menu."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMargins,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter, QPalette, QPixmap, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QStackedWidget, QWidget

from pruneapp.gui.plots.base.export_menu import ExportMenu, png, svg
from pruneapp.gui.plots.base.plot_canvas import PlotCanvas
from pruneapp.gui.plots.base.readout import Legend, Readout, ReadoutRow, Swatch, TableButton
from pruneapp.gui.plots.base.table import NumbersView
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.controls import add_row, lay_in_column, lay_in_row, single_shot
from pruneapp.gui.widgets.labels import DANGER, MUTED, plain
from pruneapp.gui.widgets.safe_paint import saved_painter_state
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.gui.widgets.theme import LIGHT, with_defaults

BUSY_AFTER_MS = 200


class BusyIndicator(QObject):
    """Shows "Updating…" in the corner of a stack if an update takes longer than `BUSY_AFTER_MS`.

    `busy` is whether an update is pending. `show_timer` emits `due` when it ends.
    """

    due = Signal()  # the update takes so long that the user should see it

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
        # Showing the busy state immediately would flicker.
        self.show_timer = single_shot(self, BUSY_AFTER_MS, self.due)
        # The old content stays on the screen until the new one is painted or this timer ends.
        self._freeze_timer = single_shot(self, BUSY_AFTER_MS, self.release)

    def freeze(self) -> None:
        """Stop repainting the stack until `release` or `BUSY_AFTER_MS` have passed."""
        self._stack.setUpdatesEnabled(False)
        self._freeze_timer.start()

    def release(self) -> None:
        """Repaint the stack again."""
        self._freeze_timer.stop()
        self._stack.setUpdatesEnabled(True)

    def show_note(self, *, shown: bool) -> None:
        """Show or hide the note "Updating…" over the plot."""
        self.note.setVisible(shown)
        self.note.adjustSize()
        self.note.move(self._stack.width() - self.note.width() - 4, 4)
        self.note.raise_()


# Minimum height of a plot in pixels; what is below it gets less space first.
MIN_PLOT_HEIGHT = 96
_GAP = 8
LOW_GAP = 4  # spacing in a low window


class PlotView(QWidget):
    """A plot of some data and the same data as a table.

    The owner passes data to the ``set_*`` methods, which emit no signals. Requests of the user are
    signals. The owner may move `controls`, the table and the menu to another place.
    """

    # (function that returns the bytes, Path) The user wants the plot in a file. Calling the
    # function takes long; any thread may call it.
    fileRequested = Signal(object, object)
    clipboardRequested = Signal(object)  # (QImage) the user wants to copy the plot
    # (Numbers, Path) The user wants the numbers in a CSV file; there may be 100,000 rows.
    csvRequested = Signal(object, object)
    slideRequested = Signal()  # the user wants a picture for slides

    # Whether the canvas can be painted at another size than that on the screen.
    fits_any_size = True
    # Lines of the readout below the canvas, unless the window is low: then there is one.
    readout_lines = 1

    def __init__(self, canvas: PlotCanvas) -> None:
        super().__init__()
        self._canvas = canvas
        self._colors: Mapping[str, str] = LIGHT
        self._has_content = False
        # Whether there is a legend, whether it may be placed over the canvas, and whether it may be
        # hidden if it does not fit there.
        self.has_legend = self.legend_in_corner = True
        self.legend_may_go = False
        self._error, self._is_error = "", True
        self._empty_text = ""
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
        self._stack.setMinimumHeight(MIN_PLOT_HEIGHT)
        self._busy_indicator = BusyIndicator(self._stack)
        self._busy_indicator.due.connect(self._show_state)

        # The readout may need the whole line, so the legend has another one.
        self.readout = Readout()
        self.readout.set_lines(self.readout_lines)
        self.foot = ReadoutRow(self.readout)
        self.legend = Legend()
        self.legend.setBackgroundRole(QPalette.ColorRole.Base)
        self._legend_below = True
        self._stack.currentChanged.connect(self._show_legend)

        self._column = lay_in_column(self, self.controls, spacing=_GAP)
        # The only row of controls above the plot; it has no height while it is empty.
        self._row = add_row(self._column)
        # So that all plots have the same height.
        self._row.addStrut(self.fontMetrics().height() + 13)
        # The canvas, and in the same grid cell the legend when it is placed over the canvas.
        self._canvas_grid = QGridLayout()
        self._column.addLayout(self._canvas_grid, 1)
        self._canvas_grid.addWidget(self._stack, 0, 0)
        self._extra_rows: list[QWidget] = []
        self._column.addWidget(self.foot)
        self._column.addWidget(self.legend)

        self._table_button = TableButton()
        self._table_button.toggled.connect(self._on_table_toggled)
        self._controls.addWidget(self._table_button)
        save = {"png": self.save_png, "svg": self.save_svg, "csv": self.save_csv}
        self.export_menu = ExportMenu(self, self.copy, save, self.slideRequested.emit)
        self._controls.addWidget(self.export_menu.button)

        self._show_state()

    # Overridden by subclasses.

    def empty_text(self) -> str:
        """Return the message that is shown while there is no content."""
        return self._empty_text or self.tr("Select a tensor in the tree.")

    @abstractmethod
    def refresh(self) -> None:
        """Show the current data in the current colors, and update all texts."""

    def numbers(self) -> Numbers:
        """Return the numbers of the plot for the table and the CSV file."""
        return NOTHING

    # Called by the owner.

    def set_narrow(self, *, narrow: bool) -> None:
        """Adapt the controls to little space; does nothing by default."""

    def set_low(self, *, low: bool) -> None:
        """Use less spacing, and one line of text below the canvas, while the window is low."""
        self._column.setSpacing(LOW_GAP if low else _GAP)
        self.readout.set_lines(1 if low else self.readout_lines)
        self.foot.set_low(low=low)

    def set_names(self, names: ShortNames) -> None:
        """Set the shortened names of the tensors of the file."""
        self.readout.set_names(names)
        self._table.set_names(names)

    def set_empty_text(self, text: str) -> None:
        """Set the message for an empty plot; "" restores the default of this plot."""
        self._empty_text = text
        self._show_state()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of a theme (color by token)."""
        self._colors = with_defaults(colors)
        self._canvas.set_colors(self._colors)
        self.refresh()

    def focus(self) -> None:
        """Focus the canvas, the table or the message, whichever is shown."""
        # The message accepts no focus; Qt then passes it to the next widget.
        page = self._stack.currentWidget() or self._canvas
        page.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def zoom(self, factor: float) -> None:
        """Zoom in by `factor` (out if it is below 1), if the canvas is shown."""
        if self._stack.currentWidget() is self._canvas:
            self._canvas.zoom(factor)

    def fit(self) -> None:
        """Show the whole content, if the canvas is shown."""
        if self._stack.currentWidget() is self._canvas:
            self._canvas.fit()

    def freeze(self) -> None:
        """Keep the old content on the screen for a moment because new content is coming."""
        if self._has_content and self.isVisible():
            self._busy_indicator.freeze()

    def set_busy(self, busy: bool) -> None:
        """Set whether a result is pending.

        True shows an indicator after `BUSY_AFTER_MS`, unless an error is shown; a second call does
        not restart that time. False hides it at once.
        """
        self._busy_indicator.busy = busy
        if not busy or self._error:
            self._busy_indicator.show_timer.stop()
            self._show_state()
        elif not self._busy_indicator.show_timer.isActive():
            self._busy_indicator.show_timer.start()

    def set_error(self, text: str, *, trouble: bool = True) -> None:
        """Show a message instead of the plot; "" shows the plot again.

        A message ends the busy state. `trouble` marks it as an error; False means that there is
        just nothing to show. New content removes the message as well.
        """
        self._error, self._is_error = text, trouble
        self._busy_indicator.show_timer.stop()
        if text:
            self._busy_indicator.busy = False
            self._busy_indicator.release()
        self._show_state()

    def useful_height(self, width: int) -> int:
        """Return the minimum height at `width` pixels, without a legend below the canvas."""
        height = self._column.minimumHeightForWidth(width)
        if height < 0:
            height = self._column.minimumSize().height()
        if self._legend_below and not self.legend.isHidden() and self.has_legend:
            height -= self.legend.heightForWidth(width) + self._column.spacing()
        return height

    def legend_height(self, width: int) -> int:
        """Return the height of the legend and its spacing below the plot; 0 without a legend.

        That of a legend that is not low, so that the result does not depend on where it is.
        """
        high = self.legend.height_for(width, low=False) + self._column.spacing()
        return high if self.has_legend else 0

    def set_legend_below(self, *, below: bool) -> None:
        """Place the legend below the canvas or, if `below` is False, over its corner.

        It is placed below anyway if it would cover the axis title or may not be over the canvas,
        except if it may be hidden (`legend_may_go`). It is hidden while the canvas is. If `below`
        is False it is low, wherever it is.
        """
        self.legend.set_low(low=not below)
        fits_in_corner = self.legend_in_corner and self._canvas.fits_in_corner(self._corner())
        below = below or not (fits_in_corner or self.legend_may_go)
        if below != self._legend_below:
            self._legend_below = below
            if below:
                self._column.addWidget(self.legend)
            else:
                corner = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
                self._canvas_grid.addWidget(self.legend, 0, 0, corner)
                self.legend.raise_()
            self.legend.setAutoFillBackground(not below)
        self._show_legend()

    def _show_legend(self) -> None:
        # A table or a message needs no legend.
        drawn = self._stack.currentWidget() is self._canvas and self.legend_in_corner
        self.legend.setVisible(self.has_legend and (self._legend_below or drawn))
        self._update_corner()

    def _corner(self) -> int:
        """Return the width of the corner in pixels: the legend and a gap."""
        return self.legend.sizeHint().width() + _GAP

    def _update_corner(self) -> None:
        """Keep the axis title away from a legend that is placed over the canvas."""
        in_corner = self.has_legend and self.legend_in_corner and not self._legend_below
        self._canvas.set_corner(self._corner() if in_corner else 0)

    # Export.

    def picture(self) -> QPixmap:
        """Return a pixmap of the canvas, the readout and the legend."""
        return self.grab(self._drawn_area())

    def paint_on(self, painter: QPainter) -> None:
        """Paint canvas (or table), readout and legend with `painter`, as vectors where possible.

        The top left corner of the picture is at the origin of `painter`.
        """
        drawn = self._drawn_area()
        painter.fillRect(QRect(QPoint(0, 0), drawn.size()), self.palette().window())
        page = self._stack.currentWidget() or self._canvas
        for part in (page, *self._extra_rows, self.foot, self.legend):
            if part.isHidden():
                continue
            with saved_painter_state(painter):
                painter.translate(part.mapTo(self, QPoint(0, 0)) - drawn.topLeft())
                if isinstance(part, PlotCanvas):
                    part.paint_on(painter)
                else:
                    part.render(painter, QPoint(0, 0))

    @property
    def drawing(self) -> QWidget:
        """The plot, its table, or the message in its place; without readout and legend."""
        return self._stack

    def axis_margins(self) -> QMargins:
        """Return the width of the left axis and the height of the lower one, with their titles.

        Null if the plot is not shown.
        """
        bottom, left, canvas = self._canvas.bottom, self._canvas.left, self._canvas
        margins = QMargins()
        if self._stack.currentWidget() is canvas:
            if left.isVisible():
                margins.setLeft(canvas.mapFromScene(left.sceneBoundingRect().topRight()).x())
            if bottom.isVisible():
                margins.setBottom(canvas.height() - canvas.mapFromScene(bottom.scenePos()).y())
        return margins

    def _drawn_area(self) -> QRect:
        below = self.legend if self._legend_below and not self.legend.isHidden() else self.foot
        return self._stack.geometry().united(self.foot.geometry()).united(below.geometry())

    @property
    def has_labels(self) -> bool:
        """Whether points of the plot have labels that a picture can omit."""
        return False

    def slide_title(self) -> str:
        """Return what the plot shows, for the title of a picture."""
        return self.accessibleName()

    def slide_subtitle(self) -> str:
        """Return the conditions of what the plot shows; "" by default."""
        return ""

    @contextmanager
    def prepared_for_slide(self, *, labels: bool) -> Iterator[None]:
        """Show the canvas in light colors for the block, without painting the screen.

        `labels`: whether points have labels; without effect if the plot has none.
        """
        colors, page, size = self._colors, self._stack.currentWidget(), self._canvas.size()
        self.setUpdatesEnabled(False)
        try:
            self._stack.setCurrentWidget(self._canvas)
            self.set_colors(LIGHT)
            self._show_labels(shown=labels)
            yield
        finally:
            self._show_labels(shown=True)
            self._canvas.resize(size)
            self.set_colors(colors)
            if page is not None:
                self._stack.setCurrentWidget(page)
            self.setUpdatesEnabled(True)

    def _show_labels(self, *, shown: bool) -> None:
        """Show or hide the labels of points; does nothing by default."""

    def paint_plot(self, painter: QPainter, size: QSize) -> None:
        """Paint the canvas, without readout and legend, at the origin of `painter`.

        Within `prepared_for_slide`. A plot that does not fit any size is scaled.
        """
        if not self.fits_any_size:
            whole = self._canvas.size()
            scale = min(size.width() / whole.width(), size.height() / whole.height())
            painter.translate((size.width() - scale * whole.width()) / 2, 0)
            painter.scale(scale, scale)
        else:
            self._canvas.resize(size)
            # The axes take the width of their labels while they are painted.
            self._canvas.grab()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        self._canvas.paint_on(painter)

    def copy(self) -> None:
        """Request the plot as an image on the clipboard."""
        self.clipboardRequested.emit(self.picture().toImage())

    def save_png(self, path: Path) -> None:
        """Request the plot as a PNG file."""
        image = self.picture().toImage()
        self.fileRequested.emit(lambda: png(image), path)

    def save_svg(self, path: Path) -> None:
        """Request the plot as an SVG file, in which heatmaps are images."""
        encode = svg(self.paint_on, self._drawn_area().size(), self.export_menu.stem)
        self.fileRequested.emit(encode, path)

    def save_csv(self, path: Path) -> None:
        """Request the numbers as a CSV file."""
        self.csvRequested.emit(self.numbers(), path)

    # Used by subclasses.

    def _set_stem(self, name: str, what: str) -> None:
        """Set the proposed file name: the end of a tensor name and the kind of plot `what`."""
        file_stem = "".join(c if c.isalnum() or c in "._-" else "_" for c in name[-80:])
        self.export_menu.stem = f"{file_stem}-{what}" if file_stem else what

    def _set_content(self, *, present: bool) -> None:
        self._has_content = present
        if present:
            self._error = ""
            self._show_new_content()
        self._show_state()

    def _show_new_content(self) -> None:
        """Show the new content; subclasses may delay this until it is complete."""
        self._busy_indicator.release()

    def _describe(self, name: str, summary: str) -> None:
        for widget in (self, self._canvas):
            widget.setAccessibleName(name)
            widget.setAccessibleDescription(summary)

    def _set_legend(self, entries: Sequence[Swatch]) -> None:
        self.legend.set_entries(entries)
        self._update_corner()

    def _add_row(self, row: QWidget) -> None:
        """Insert a widget between the canvas and the readout."""
        self._column.insertWidget(self._column.indexOf(self.foot), row)
        self._extra_rows.append(row)

    @property
    def shows_table(self) -> bool:
        """Whether the table is shown instead of the plot."""
        return self._table_button.isChecked()

    def toggle_table(self) -> None:
        """Switch between plot and table."""
        self._table_button.toggle()

    def _refresh_table(self) -> None:
        if self.shows_table:
            self._table.numbers.set_numbers(self.numbers())

    def _show_state(self) -> None:
        waiting = self._busy_indicator.busy and not self._busy_indicator.show_timer.isActive()
        if self._error:
            self._message.setText(f"▲  {self._error}" if self._is_error else self._error)
        elif waiting and not self._has_content:
            self._message.setText(self._busy_text)
        elif not self._busy_indicator.busy:
            self._message.setText(self.empty_text())
        else:
            self._message.setText("")
        if self._error or not self._has_content:
            page: QWidget = self._message
        else:
            page = self._table if self.shows_table else self._canvas
        self._stack.setCurrentWidget(page)
        self.export_menu.button.setEnabled(page is not self._message)
        self._message.setForegroundRole(DANGER if self._error and self._is_error else MUTED)
        self._busy_indicator.show_note(shown=waiting and self._has_content and not self._error)

    def _on_table_toggled(self) -> None:
        focused = self._canvas.hasFocus() or self._table.hasFocus()
        self._refresh_table()
        self._show_state()
        if focused:
            (self._table if self.shows_table else self._canvas).setFocus()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self._has_content:
            self.export_menu.open_at(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_T and not event.modifiers():
            self.toggle_table()
        else:
            super().keyPressEvent(event)


class WrappingRow(QWidget):
    """Two widgets in one line, or below each other if the width is too small for both.

    The second widget takes the remaining width; with `grows` the first one does. The decision
    depends on the width and on the minimum sizes of both, not on what they show: a stack of
    controls reports the size of its widest page, so that the layout does not jump between pages.
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
        """Return whether the widgets are placed below each other at this width."""
        return self._first_width() + _GAP + self._second_width() > width

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        first, second = self._heights()
        return first + 4 + second if self.wraps(width) else max(first, second)

    def sizeHint(self) -> QSize:
        width = self._first.sizeHint().width() + _GAP + self._second.sizeHint().width()
        return QSize(width, max(self._heights()))

    def minimumSizeHint(self) -> QSize:
        width = max(self._first.minimumSizeHint().width(), self._second_width())
        return QSize(width, max(self._heights()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def event(self, event: QEvent) -> bool:
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
