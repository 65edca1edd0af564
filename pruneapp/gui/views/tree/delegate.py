"""How a cell of the tree is painted: dimmed where nothing can be pruned, the bar, the danger."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pruneapp.answers import ShortNames
from pruneapp.gui.views.parts.bar import paint_bar
from pruneapp.gui.views.parts.colors import with_defaults
from pruneapp.gui.views.parts.labels import within_reason
from pruneapp.gui.views.parts.painting import reported, saved
from pruneapp.gui.views.tree.cells import BAR_ROLE, DANGER_ROLE, DIM_ROLE, NUMBERS, Column

BAR_WIDTH = 48
BAR_HEIGHT = 8
GLYPH_WIDTH = 16  # of the sign for danger, left of the bar; kept free where there is none
ROW_HEIGHT = 20


class CellDelegate(QStyledItemDelegate):
    """Paints cells of the tree."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.colors = with_defaults({})
        self.short: ShortNames | None = None  # of whole names, where there is no room for them

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self.colors = with_defaults(colors)

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Give every row the same height."""
        found = super().sizeHint(option, index)
        if index.column() == Column.SPARSITY:
            found.setWidth(found.width() + GLYPH_WIDTH + BAR_WIDTH + 12)
        return QSize(found.width(), max(ROW_HEIGHT, option.fontMetrics.height() + 4))

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Dim what cannot be pruned, and what is beside the point."""
        super().initStyleOption(option, index)
        option.text = within_reason(option.text)
        option.textElideMode = Qt.TextElideMode.ElideMiddle
        column = index.column()
        if index.data(DIM_ROLE) or Column.NAME < column < Column.SPARSITY:
            option.palette.setColor(QPalette.ColorRole.Text, self.colors["muted"])
        if column in NUMBERS:
            tabular(option.font)
        elif column == Column.NAME and self.short is not None:
            self._shorten(option)

    def _shorten(self, option: QStyleOptionViewItem) -> None:
        assert self.short is not None
        metrics = option.fontMetrics
        room = option.rect.width() - beside_name(metrics)
        if metrics.horizontalAdvance(option.text) > room:
            option.text = self.short.fitting(option.text, room, metrics.horizontalAdvance)

    @reported
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint a cell; in the last column the sign for danger, the bar, and the share."""
        super().paint(painter, option, index)
        shares = index.data(BAR_ROLE)
        if shares is None:
            return
        paint_beside(
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


def paint_beside(
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

    Parameters
    ----------
    painter
        Stays as it was.
    cell
        The cell.
    shares, glyph
        As `BAR_ROLE` and `DANGER_ROLE` say them.
    font
        Of the glyph.
    text_width
        Pixels that the text of the cell takes, at its right.
    colors
        The theme's colours.
    selected
        Whether the cell lies on the colour of what is selected.
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


def beside_name(metrics: QFontMetrics) -> int:
    """Return the pixels that the check box takes of the column of names."""
    return metrics.height() + 12


def tabular(font: QFont) -> None:
    """Make all digits of `font` equally wide, where it can."""
    font.setFeature(QFont.Tag("tnum"), 1)
