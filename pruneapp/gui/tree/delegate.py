"""How a cell of the tree is painted: dimmed where nothing can be pruned, the bar, the danger."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QPainter, QPalette, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pruneapp.gui.tree.cell_text import BAR_ROLE, DANGER_ROLE, DIM_ROLE, GROUP_ROLE
from pruneapp.gui.tree.columns import COLUMNS, Column
from pruneapp.gui.widgets.labels import on_lines, within_reason
from pruneapp.gui.widgets.safe_paint import reported, saved
from pruneapp.gui.widgets.sparsity_bar import paint_bar
from pruneapp.gui.widgets.theme import with_defaults
from pruneapp.results.short_names import ShortNames

BAR_WIDTH = 48
BAR_HEIGHT = 8
# Of the sign for danger, else that for members of a group, left of the bar; kept free where there
# is none.
GLYPH_WIDTH = 16
ROW_HEIGHT = 20
_MOST_LINES = 8  # of a name; of one that needs more, the middle is left out
_LINE_END = "\u2028"  # what Qt breaks lines at in a cell


class CellDelegate(QStyledItemDelegate):
    """Paints cells of the tree."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.colors = with_defaults({})
        self.short: ShortNames | None = None  # of whole names, where there is no room for them
        # The pixels for the name in a row, if names go over lines; None if they do not.
        self.room: Callable[[QModelIndex | QPersistentModelIndex], int] | None = None
        self._measuring = False

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self.colors = with_defaults(colors)

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Give rows the height of their names, and ask for the width of a name on one line."""
        self._measuring = True
        size = super().sizeHint(option, index)
        self._measuring = False
        metrics, lines = option.fontMetrics, 1
        if COLUMNS[index.column()].bar:
            size.setWidth(size.width() + GLYPH_WIDTH + BAR_WIDTH + 12)
        elif index.column() == Column.NAME and self.room is not None:
            lines = len(self._lines(index.data(), metrics, self.room(index)))
        return QSize(size.width(), max(ROW_HEIGHT, lines * metrics.height() + 4))

    def _lines(self, name: str, metrics: QFontMetrics, room: int) -> list[str]:
        """Return the lines of a name; one that is too long for them all, if it is."""
        name = within_reason(name)
        # In fractions of a pixel: a line that is one too wide by less would lose its middle.
        advance = QFontMetricsF(metrics).horizontalAdvance
        if advance(name) <= room:
            return [name]
        lines = on_lines(name, room, advance)
        return lines if len(lines) <= _MOST_LINES else [name]

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Dim what cannot be pruned, and what is beside the point."""
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus  # the view frames the row
        option.text = within_reason(option.text)
        option.textElideMode = Qt.TextElideMode.ElideMiddle
        column = index.column()
        if index.data(DIM_ROLE) or Column.NAME < column < Column.SPARSITY:
            option.palette.setColor(QPalette.ColorRole.Text, self.colors["muted"])
        if COLUMNS[column].number:
            tabular(option.font)
        elif column == Column.NAME and self.short is not None:
            room = option.rect.width() - check_box_width(option.fontMetrics)
            advance = option.fontMetrics.horizontalAdvance
            if advance(option.text) > room:
                option.text = self.short.fitting(option.text, room, advance)
        elif column == Column.NAME and self.room is not None and not self._measuring:
            lines = self._lines(option.text, option.fontMetrics, self.room(index))
            option.text = _LINE_END.join(lines)

    @reported
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint a cell; in the last column the sign for danger, the bar, and the share."""
        # What is below an unfolded module has a sign of its own.
        linked = index.data(GROUP_ROLE) and not option.state & QStyle.StateFlag.State_Open
        if linked and index.column() == Column.NAME:
            self._paint_linked_name(painter, option, index)
            return
        super().paint(painter, option, index)
        if linked:
            ink = "accent_text" if option.state & QStyle.StateFlag.State_Selected else "text"
            paint_link(painter, option.rect, QColor(self.colors[ink]))
        shares = index.data(BAR_ROLE)
        if shares is None:
            return
        paint_share(
            painter,
            option.rect,
            shares,
            glyph=index.data(DANGER_ROLE),
            font=option.font,
            text_width=option.fontMetrics.horizontalAdvance(
                str(index.data(Qt.ItemDataRole.DisplayRole))
            ),
            colors=self.colors,
            selected=bool(option.state & QStyle.StateFlag.State_Selected),
        )

    def _paint_linked_name(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint a name, shorter if need be, with the sign for members of a group behind it."""
        cell = QRect(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(cell, option.palette.highlight())
        option.rect = cell.adjusted(0, 0, -GLYPH_WIDTH, 0)
        super().paint(painter, option, index)
        option.rect = cell
        cell = cell.adjusted(cell.width() - GLYPH_WIDTH, 0, 0, 0)
        paint_link(painter, cell, QColor(self.colors["accent_text" if selected else "text"]))


def paint_link(painter: QPainter, cell: QRect, ink: QColor) -> None:
    """Paint two links of a chain at the left of a cell: the sign for members of a group."""
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(ink, 1.25))
        left, middle = cell.left() + 0.5, QRectF(cell).center().y()
        for x in (left, left + 4.5):
            painter.drawRoundedRect(QRectF(x, middle - 2.5, 7, 5), 2.5, 2.5)


def paint_share(
    painter: QPainter,
    cell: QRect,
    shares: tuple[float, float | None],
    *,
    glyph: str | None,
    font: QFont,
    text_width: int,
    colors: Mapping[str, str],
    selected: bool = False,
) -> None:
    """Paint what stands left of the text in the last column: the sign for danger, and the bar.

    Shares and glyph as `BAR_ROLE` and `DANGER_ROLE` say them; the text takes `text_width` pixels at
    the right.
    """
    if glyph:
        with saved(painter):
            painter.setFont(font)
            painter.setPen(QColor(colors["accent_text" if selected else "danger"]))
            place = QRect(cell.left(), cell.top(), GLYPH_WIDTH, cell.height())
            painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), glyph)
    free = cell.width() - text_width - GLYPH_WIDTH - 16
    if free < BAR_HEIGHT:
        return
    bar = QRectF(
        cell.left() + GLYPH_WIDTH,
        cell.center().y() - BAR_HEIGHT / 2 + 0.5,
        min(BAR_WIDTH, free),
        BAR_HEIGHT,
    )
    before, after = shares
    outline = colors["accent_text"] if selected else ""
    paint_bar(painter, bar, before, after, colors, outline=outline)


def check_box_width(metrics: QFontMetrics) -> int:
    """Return the pixels that the check box takes of the column of names."""
    return metrics.height() + 12


def tabular(font: QFont) -> None:
    """Make all digits of `font` equally wide, where it can."""
    font.setFeature(QFont.Tag("tnum"), 1)
