"""The last column alone, as often as a slider moves: without asking Qt's machinery for each cell.

For a cell Qt calls the model and the delegate some twenty times, and each call waits for the
interpreter's lock while pictures are computed: thirty rows took up to 18 ms. Here a row takes one
call, and looks as Qt paints it.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QTreeView

from pruneapp.gui.tree.cell_text import Cells, Column
from pruneapp.gui.tree.delegate import paint_beside, tabular

# Selected rows have another ground: Qt paints them, and all if there are many of them.
_MANY = 100
_PLACE = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class ShareColumn:
    """Paints the last column of some rows; made for one painting.

    Parameters
    ----------
    view
        The tree.
    cells
        What its cells say.
    colors
        The theme's colours.
    """

    def __init__(self, view: QTreeView, cells: Cells, colors: Mapping[str, str]) -> None:
        self._cells = cells
        self._colors = colors
        self._left = view.columnViewportPosition(Column.SPARSITY)
        self._width = view.columnWidth(Column.SPARSITY)
        self._font = QFont(view.font())
        tabular(self._font)
        self._metrics = QFontMetrics(self._font)
        self._color = view.palette().color(QPalette.ColorRole.Text)
        self._muted = QColor(colors["muted"])
        margin = QStyle.PixelMetric.PM_FocusFrameHMargin
        self._margin = view.style().pixelMetric(margin, None, view) + 1
        chosen = view.selectionModel().selectedRows()
        self._others = {view.currentIndex().internalId(), *(i.internalId() for i in chosen)}

    @staticmethod
    def can_paint(view: QTreeView, area: QRect) -> bool:
        """Whether an area shows nothing but the last column, and few rows are selected."""
        header = view.header()
        last = header.visualIndex(Column.SPARSITY) == header.count() - 1
        if (
            not last
            or view.isRightToLeft()
            or area.left() < view.columnViewportPosition(Column.SPARSITY)
        ):
            return False
        chosen = view.selectionModel().selection()
        return sum(chosen.at(i).height() for i in range(chosen.count())) <= _MANY

    def paint(self, painter: QPainter, row: QRect, node: int) -> bool:
        """Paint the cell of a row; False for one that looks otherwise: Qt has to paint it."""
        if node in self._others:
            return False
        cells = self._cells
        text = cells.text(node, Column.SPARSITY)
        cell = QRect(self._left, row.top(), self._width, row.height())
        advance = self._metrics.horizontalAdvance(text)
        room = cell.adjusted(self._margin, 0, -self._margin, 0)
        shown = text
        if advance > room.width():
            shown = self._metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room.width())
        painter.setFont(self._font)
        painter.setPen(self._muted if cells.dim(node, Column.SPARSITY) else self._color)
        painter.drawText(room, _PLACE, shown)
        shares = cells.bar(node, Column.SPARSITY)
        if shares is not None:
            glyph = cells.danger(node, Column.SPARSITY)
            paint_beside(
                painter,
                cell,
                shares,
                glyph=glyph,
                font=self._font,
                text_width=advance,
                colors=self._colors,
            )
        return True
