"""The delegate of the tree: wrapped names, dimmed text, sparsity bars, danger glyphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QPainter, QPalette, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pruneapp.gui.tree.cell_text import BAR_ROLE, DANGER_ROLE, DIM_ROLE, GROUP_ROLE
from pruneapp.gui.tree.columns import COLUMNS, Column
from pruneapp.gui.widgets.labels import on_lines, within_reason
from pruneapp.gui.widgets.safe_paint import report_exceptions, saved_painter_state
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.gui.widgets.sparsity_bar import paint_bar
from pruneapp.gui.widgets.theme import with_defaults

BAR_WIDTH = 48
BAR_HEIGHT = 8
# Width left of the bar reserved for the danger glyph, or for the icon of group members.
GLYPH_WIDTH = 16
ROW_HEIGHT = 20
_MAX_LINES = 8  # of a name; names that need more are elided
_LINE_END = "\u2028"  # Qt's line break in a cell (line separator)


class CellDelegate(QStyledItemDelegate):
    """Paints the cells of the tree and determines their height."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.colors = with_defaults({})
        # For full names that do not fit; None for no shortening.
        self.short: ShortNames | None = None
        # Returns the width in pixels for the name of a row if names are wrapped; None if not.
        self.name_width_of: Callable[[QModelIndex | QPersistentModelIndex], int] | None = None
        self._measuring = False

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of a theme (color by token)."""
        self.colors = with_defaults(colors)

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the height for a wrapped name, and the width for the text on one line.

        The width includes the bar. The height is at least `ROW_HEIGHT`. Names are only wrapped if
        `name_width_of` is set.
        """
        self._measuring = True
        size = super().sizeHint(option, index)
        self._measuring = False
        metrics, lines = option.fontMetrics, 1
        if COLUMNS[index.column()].bar:
            size.setWidth(size.width() + GLYPH_WIDTH + BAR_WIDTH + 12)
        elif index.column() == Column.NAME and self.name_width_of is not None:
            lines = len(self._lines(index.data(), metrics, self.name_width_of(index)))
        return QSize(size.width(), max(ROW_HEIGHT, lines * metrics.height() + 4))

    def _lines(self, name: str, metrics: QFontMetrics, room: int) -> list[str]:
        """Return the lines of a name in `room` pixels.

        If there are more than `_MAX_LINES`, the whole name is one line, which is elided later.
        """
        name = within_reason(name)
        # Fractional widths: a line that is slightly too wide would be elided.
        advance = QFontMetricsF(metrics).horizontalAdvance
        if advance(name) <= room:
            return [name]
        lines = on_lines(name, room, advance)
        return lines if len(lines) <= _MAX_LINES else [name]

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Dim secondary columns and nodes that cannot be pruned, and fit the name (Qt override).

        The name is shortened if `short` is set, or broken into lines if `name_width_of` is. The
        focus state is removed.
        """
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus  # the view paints a frame around the row
        option.text = within_reason(option.text)
        option.textElideMode = Qt.TextElideMode.ElideMiddle
        column = index.column()
        if index.data(DIM_ROLE) or Column.NAME < column < Column.SPARSITY:
            option.palette.setColor(QPalette.ColorRole.Text, self.colors["muted"])
        if COLUMNS[column].number:
            set_tabular_digits(option.font)
        elif column == Column.NAME and self.short is not None:
            room = option.rect.width() - check_box_width(option.fontMetrics)
            advance = option.fontMetrics.horizontalAdvance
            if advance(option.text) > room:
                option.text = self.short.fitting(option.text, room, advance)
        elif column == Column.NAME and self.name_width_of is not None and not self._measuring:
            lines = self._lines(option.text, option.fontMetrics, self.name_width_of(index))
            option.text = _LINE_END.join(lines)

    @report_exceptions
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint a cell: text, group icon, and in the column with the bar also bar and glyph."""
        # An expanded module has no icon, because the tensors below have one.
        if index.data(GROUP_ROLE) and not option.state & QStyle.StateFlag.State_Open:
            self._paint_linked_name(painter, option, index)
            return
        super().paint(painter, option, index)
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
        """Paint a name with the icon of group members at the end of the cell."""
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
    """Paint two links of a chain at the left of a cell, the icon of group members."""
    with saved_painter_state(painter):
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
    """Paint the danger glyph and the bar to the left of the text of the last column.

    The bar is narrower if there is little space, and omitted if less than `BAR_HEIGHT` pixels are
    left.

    Parameters
    ----------
    shares, glyph
        The data of `BAR_ROLE` and `DANGER_ROLE`.
    text_width
        Pixels of the text at the right end of the cell.
    colors
        The colors of the theme by token.
    selected
        Whether the row is selected: glyph and outline have the color of selected text.
    """
    if glyph:
        with saved_painter_state(painter):
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
    """Return the width of the check box in the column of names, in pixels."""
    return metrics.height() + 12


def set_tabular_digits(font: QFont) -> None:
    """Set digits of equal width in `font`, if the font has them."""
    font.setFeature(QFont.Tag("tnum"), 1)
