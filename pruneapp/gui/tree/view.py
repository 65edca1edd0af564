"""The view of the tree: keys, expanded modules, and which columns fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import nlargest
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyle,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from pruneapp.gui.tree.cell_text import Cells
from pruneapp.gui.tree.columns import ALWAYS, HIDDEN, LIVE, Column
from pruneapp.gui.tree.delegate import (
    BAR_WIDTH,
    GLYPH_WIDTH,
    CellDelegate,
    check_box_width,
    paint_share,
    set_tabular_digits,
)
from pruneapp.gui.tree.model import Index, Order, TreeModel
from pruneapp.gui.tree.nodes import MODULE, ROOT
from pruneapp.gui.widgets.clipboard import Numbers, copy_rows
from pruneapp.gui.widgets.controls import follow_font, single_shot
from pruneapp.gui.widgets.labels import elide_text, within_reason
from pruneapp.gui.widgets.safe_paint import report_exceptions

_Hint = QAbstractItemView.ScrollHint

# Selected rows have another background and are painted by Qt; with more than this, all rows.
_MAX_SELECTED = 100
_ALIGNMENT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class ShareColumn:
    """Paints only the last column of the visible rows, during a single paint event.

    Qt calls the model and the delegate about twenty times per cell, and each call waits for the GIL
    while results are computed on other threads: thirty rows took up to 18 ms. Here, a row takes one
    call and looks the same.
    """

    def __init__(self, view: QTreeView, cells: Cells, colors: Mapping[str, str]) -> None:
        self._cells = cells
        self._colors = colors
        self._left = view.columnViewportPosition(Column.SPARSITY)
        self._width = view.columnWidth(Column.SPARSITY)
        self._font = QFont(view.font())
        set_tabular_digits(self._font)
        self._metrics = QFontMetrics(self._font)
        self._color = view.palette().color(QPalette.ColorRole.Text)
        self._muted = QColor(colors["muted"])
        margin = QStyle.PixelMetric.PM_FocusFrameHMargin
        self._margin = view.style().pixelMetric(margin, None, view) + 1
        chosen = view.selectionModel().selectedRows()
        self._others = {view.currentIndex().internalId(), *(i.internalId() for i in chosen)}

    @staticmethod
    def can_paint(view: QTreeView, area: QRect) -> bool:
        """Return whether an area shows only the last column, and few rows are selected.

        Few are at most `_MAX_SELECTED`. False if the user has moved another column to the end, and
        for right-to-left layouts.
        """
        header = view.header()
        last = header.visualIndex(Column.SPARSITY) == header.count() - 1
        if (
            not last
            or view.isRightToLeft()
            or area.left() < view.columnViewportPosition(Column.SPARSITY)
        ):
            return False
        chosen = view.selectionModel().selection()
        return sum(chosen.at(i).height() for i in range(chosen.count())) <= _MAX_SELECTED

    def paint(self, painter: QPainter, row: QRect, node: int) -> bool:
        """Paint the cell of a row. Return False if the row is selected, current or in a group.

        Such rows look different: nothing is painted, and the caller lets Qt paint the row.
        """
        cells = self._cells
        if node in self._others or cells.is_grouped(node):
            return False
        text = cells.sparsity(node)
        cell = QRect(self._left, row.top(), self._width, row.height())
        advance = self._metrics.horizontalAdvance(text)
        room = cell.adjusted(self._margin, 0, -self._margin, 0)
        shown = text
        if advance > room.width():
            shown = elide_text(text, self._metrics, room.width())
        painter.setFont(self._font)
        painter.setPen(self._muted if cells.is_dim(node) else self._color)
        painter.drawText(room, _ALIGNMENT, shown)
        shares = cells.shares(node)
        if shares is not None:
            glyph = cells.danger(node)
            paint_share(
                painter,
                cell,
                shares,
                glyph=glyph,
                font=self._font,
                text_width=advance,
                colors=self._colors,
            )
        return True


_MAX_NAME_WIDTH = 900  # maximum width in pixels of a name in the list; longer names are elided
_MEASURED_NAMES = 1_000  # names in the list that are measured to find the width for all
_MEASURED_ROWS = 100  # rows of the tree, around the visible ones, that are measured
_MEASURED_WIDTHS = 32  # names that are measured in pixels, the longest of the above
# With more nodes than this names are elided, because rows of different heights are slow.
_MAX_WRAPPED = 3_000
_MAX_SAVED_WIDTH = 4_000  # maximum width in pixels of a saved column
_MAX_SAVED_EXPANDED = 1_000  # expanded modules that are saved
_MIN_NAME_LETTERS = 12
# Maximum share of the width; beyond it the bar gets narrower so that names remain readable.
_MAX_SPARSITY_SHARE = 0.45
_MAX_INITIAL_ROWS = 16
_MAX_SCROLLED = 12  # rows that are scrolled as pixels; for more, everything is repainted
_FRAME_WIDTH = 3  # pixels at the edge for the focus frame, including rounding
_SORT_DELAY_MS = 250
_MAX_KEPT_SELECTION = 5_000  # rows whose selection is kept when the order changes
_MAX_EXPANDED_MATCHES = 2_000
_MAX_EXPANDED_ROWS = 5_000  # rows that one key press may expand


class TreeView(QTreeView):
    """The view of modules and tensors."""

    nodeFocused = Signal(int)  # the user moved the cursor to this node
    checkAllRequested = Signal()  # the user wants to check all displayed tensors
    dragRequested = Signal()  # the user drags the selected rows

    def __init__(self, model: TreeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tree = model
        self._expanded_nodes: set[int] = set()
        self._current = (model.nodes, ROOT)
        self._selected: list[int] = []
        self._sort_timer = single_shot(self, _SORT_DELAY_MS, self._sort_again)
        self._follow_timer = single_shot(self, 0, self._follow_selection)
        self._orders = {False: Order(), True: Order()}  # of the tree, and of the list
        self._has_chosen_columns = False
        self._user_widths: dict[int, int] = {}  # of columns that the user resized
        self._fitting = False  # while the code changes widths
        # Cache of the width of names in a list.
        self._measured: tuple[object, object, int] = (None, None, 0)
        self._restoring = False
        self._shares: ShareColumn | None = None  # set while only the last column is painted
        self.delegate = CellDelegate(self)
        self.setItemDelegate(self.delegate)
        self._set_wrapping()
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setAllColumnsShowFocus(False)  # see `_paint_focus`
        self.setIndentation(10)
        self.setAnimated(False)
        self.setModel(model)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(40)
        header.setResizeContentsPrecision(_MEASURED_ROWS)  # Qt's default of 1,000 rows is slow
        header.setSectionResizeMode(Column.NAME, QHeaderView.ResizeMode.Stretch)
        header.setSortIndicatorClearable(True)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._show_column_menu)
        # Otherwise the header asks for each cell whether its column is selected, at each repaint.
        header.setSelectionModel(QItemSelectionModel(model, header))
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.setAccessibleName(self.tr("Module tree"))
        self._fitted: QFont | None = None
        follow_font(self, lambda view: view.fit_font())
        header.sectionResized.connect(self._on_section_resized)
        # Connected after sorting: the user wants to see the first row, not the current one.
        header.sectionClicked.connect(self.scrollToTop)

        model.modelAboutToBeReset.connect(self._before_reset)
        model.modelReset.connect(self._after_reset)
        model.valuesChanged.connect(self._repaint_columns)
        self.expanded.connect(self._on_expanded)
        self.collapsed.connect(self._on_collapsed)

    def _repaint_columns(self, first: int) -> None:
        # Cells are painted by Python, so repainting only the columns of numbers is faster.
        area = self.viewport().rect()
        if first > Column.NAME:
            area.setLeft(min(self.columnViewportPosition(c) for c in Column if c >= first))
        self.viewport().update(area)
        # The sort keys change with each move of a slider: wait until it rests.
        if LIVE <= first <= self.tree.listing.order.column:
            self._sort_timer.start()

    def _sort_again(self) -> None:
        place = self.verticalScrollBar().value()
        self.tree.sort_again()
        self.verticalScrollBar().setValue(place)

    def set_flat(self, *, flat: bool) -> None:
        """Switch between the list (flat) and the tree, each with its own order.

        Columns are fitted again unless the user has chosen them.
        """
        self.setRootIsDecorated(not flat)
        self.setAccessibleName(self.tr("Tensors") if flat else self.tr("Module tree"))
        if flat != self.tree.flat:
            # Separate orders: an order of tensors rarely makes sense for modules.
            self._orders[self.tree.flat] = self.tree.listing.order
            self.tree.set_flat(flat=flat, order=self._orders[flat])
            order = self._orders[flat]  # the model is sorted already
            self.header().setSortIndicator(order.column, _direction(order))
            if order.column >= 0:
                self.scrollToTop()  # show the first row, not the current one
        if not self._has_chosen_columns:
            self._fit_columns()

    # Order

    def order(self, *, flat: bool) -> dict[str, Any]:
        """Return the order of the list or the tree as JSON values; {} for file order.

        The keys are "sorted", the id of a column, and "descending".
        """
        order = self.tree.listing.order if flat == self.tree.flat else self._orders[flat]
        if not 0 <= order.column < len(Column):
            return {}
        return {"sorted": list(Column)[order.column].id, "descending": order.descending}

    def set_order(self, order: Mapping[str, Any], *, flat: bool) -> None:
        """Sort the list or the tree by a result of `order`; by file order if it is invalid.

        The one that is not displayed is sorted when `set_flat` shows it.
        """
        names = {column.id: int(column) for column in Column}
        chosen = Order(names.get(str(order.get("sorted")), -1), order.get("descending") is True)
        self._orders[flat] = chosen
        if flat == self.tree.flat:
            self.sortByColumn(chosen.column, _direction(chosen))

    # Columns

    def _set_wrapping(self) -> None:
        """Wrap names in a tree of up to `_MAX_WRAPPED` nodes; others have one line per name."""
        is_wrapped = not self.tree.flat and len(self.tree.nodes) <= _MAX_WRAPPED
        self.delegate.name_width_of = self._name_width_of if is_wrapped else None
        self.setUniformRowHeights(not is_wrapped)  # otherwise a change of 100,000 rows takes 15 s

    def _name_width_of(self, index: QModelIndex | QPersistentModelIndex) -> int:
        depth, above = int(self.rootIsDecorated()), index.parent()
        while above.isValid():
            depth, above = depth + 1, above.parent()
        width = self.columnWidth(Column.NAME) - depth * self.indentation()
        return width - check_box_width(self.fontMetrics())

    def fit_font(self) -> None:
        """Reset the widths of the columns if the font has changed."""
        if self._fitted != self.font():
            self._fitted = QFont(self.font())
            before, self._fitting = self._fitting, True
            self._set_widths()
            self._fitting = before

    def _set_widths(self) -> None:
        advance = self.fontMetrics().horizontalAdvance
        self._widths: dict[int, int] = {c: advance(c.spec.sample) for c in Column}
        self._min_sparsity_width = self._widths[Column.SPARSITY] + GLYPH_WIDTH + 8
        self._widths[Column.SPARSITY] += BAR_WIDTH + GLYPH_WIDTH + 20
        for column, width in self._widths.items():
            if column != Column.NAME:
                self.setColumnWidth(column, width)
        # Minimum width of an elided name.
        self.setMinimumWidth(self._widths[Column.SPARSITY] + _MIN_NAME_LETTERS * advance("0"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        self.fit()

    def name_width(self) -> int:
        """Return the width in which all names are distinguishable, in pixels, with the check box.

        In the tree, the width of the longest measured rows. In the list, that of the short forms,
        `_MAX_NAME_WIDTH` at most; cached for the file and its short forms.
        """
        if not self.tree.flat:
            return self.sizeHintForColumn(Column.NAME)
        nodes, short = self.tree.nodes, self.delegate.short
        if self._measured[0] is not nodes or self._measured[1] is not short:
            names = [row.shown for row in nodes.rows]
            if len(names) > _MEASURED_NAMES:  # the longest ones and a sample of the others
                spread = names[:: len(names) * 2 // _MEASURED_NAMES]
                names = [*nlargest(_MEASURED_NAMES // 2, names, key=len), *spread]
            forms = [within_reason(short[name] if short is not None else name) for name in names]
            widest = nlargest(_MEASURED_WIDTHS, forms, key=len)
            text = max(map(self.fontMetrics().horizontalAdvance, widest), default=0)
            width = text + check_box_width(self.fontMetrics()) + 2
            self._measured = nodes, short, min(width, _MAX_NAME_WIDTH)
        return self._measured[2]

    def width_for_names(self) -> int:
        """Return the width of the view that fits names and sparsity, in pixels."""
        bar = self.verticalScrollBar().sizeHint().width()
        frame = 2 * self.frameWidth()
        return self.name_width() + self.columnWidth(Column.SPARSITY) + bar + frame

    def fit(self) -> None:
        """Fit the columns, after the width, the names or their short forms changed."""
        if self._has_chosen_columns:
            self._fit_name()
        else:
            self._fit_columns()

    def _on_section_resized(self, column: int, before: int, after: int) -> None:
        if column == Column.NAME and self.delegate.name_width_of is not None:
            self.scheduleDelayedItemsLayout()  # names may have other lines now
        # Showing or hiding a column also emits this signal.
        if self._fitting or column == Column.NAME or not before or not after:
            return
        self._user_widths[column] = after
        self._fit_name()

    def _set_width(self, column: int, width: int) -> None:
        before, self._fitting = self._fitting, True
        self.setColumnWidth(column, width)
        self._fitting = before

    def columns(self) -> dict[str, Any]:
        """Return the user's columns and widths, and the order of the list, as JSON values.

        Keys for what the user has not changed are missing.
        """
        state = dict[str, Any]()
        if self._has_chosen_columns:
            state["shown"] = [c.id for c in Column if not self.isColumnHidden(c)]
        if self._user_widths:
            state["widths"] = {list(Column)[c].id: width for c, width in self._user_widths.items()}
        state.update(self.order(flat=True))
        return state

    def set_columns(self, columns: Mapping[str, Any]) -> None:
        """Restore the result of `columns`; invalid entries are ignored.

        Missing keys change nothing. "shown" counts as a choice of the user, so that columns are not
        fitted afterwards.
        """
        names = {column.id: column for column in Column}
        shown, widths = columns.get("shown"), columns.get("widths")
        if isinstance(widths, dict):
            for name, width in widths.items():
                if name in names and isinstance(width, int) and 0 < width <= _MAX_SAVED_WIDTH:
                    self._user_widths[names[name]] = width
                    self._set_width(names[name], width)
        if isinstance(shown, list):
            self._has_chosen_columns = True
            for name, column in names.items():
                self.setColumnHidden(column, column != Column.NAME and name not in shown)
            self._fit_name()
        if columns.get("sorted") in names:
            self.set_order(columns, flat=True)

    def _fit_name(self) -> None:
        """Give the column of names the remaining width.

        If the user chose the columns, at least the width that names need: then the view scrolls.
        """
        mode = QHeaderView.ResizeMode
        fits, needed = True, 0
        if self._has_chosen_columns:
            others = sum(self.columnWidth(c) for c in Column if c != Column.NAME)
            needed = max(self.name_width(), self._widths[Column.NAME])
            fits = needed <= self.viewport().width() - others
        self.header().setSectionResizeMode(Column.NAME, mode.Stretch if fits else mode.Interactive)
        if not fits:
            self._set_width(Column.NAME, needed)

    def _fit_columns(self) -> None:
        priorities = {c: c.spec.in_list if self.tree.flat else c.spec.in_tree for c in Column}
        hideable = sorted((c for c in Column if priorities[c] < ALWAYS), key=priorities.__getitem__)
        hidden = {c for c in hideable if priorities[c] == HIDDEN}
        widths = self._widths | self._user_widths
        # Full names need the space more than a bar.
        if self.tree.flat and Column.SPARSITY not in self._user_widths:
            widths[Column.SPARSITY] = self._min_sparsity_width
        names = self.name_width()
        name = max(names, widths[Column.NAME])
        for column in (None, *hideable):
            if column is not None:
                hidden.add(column)
            rest = sum(widths[c] for c in Column if c not in hidden and c != Column.NAME)
            if rest + name <= self.viewport().width():
                break
        for column in hideable:
            self.setColumnHidden(column, column in hidden)
        others = sum(widths[c] for c in hideable if c not in hidden)
        # The bar gets narrower if names need its width.
        most = min(
            int(_MAX_SPARSITY_SHARE * self.viewport().width()),
            self.viewport().width() - others - names,
        )
        most = max(self._min_sparsity_width, most)
        if Column.SPARSITY not in self._user_widths:
            self._set_width(Column.SPARSITY, min(widths[Column.SPARSITY], most))
        self._fit_name()

    def _show_column_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        for column in Column:
            if column == Column.NAME:
                continue
            action = menu.addAction(str(self.tree.headerData(column, Qt.Orientation.Horizontal)))
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(column))
            action.setData(int(column))
        menu.addSeparator()
        fit = menu.addAction(self.tr("Fit to width"))
        chosen = menu.exec(self.header().mapToGlobal(place))
        if chosen is fit:
            self._has_chosen_columns = False
            self._user_widths = {}
            for column in Column:
                if column != Column.NAME:
                    self._set_width(column, self._widths[column])
            self._fit_columns()
        elif chosen is not None:
            self.show_column(Column(chosen.data()), shown=chosen.isChecked())

    def show_column(self, column: Column, *, shown: bool) -> None:
        """Show or hide a column, as a choice of the user: columns are not fitted any more.

        Names stay complete; the view scrolls if needed.
        """
        self._has_chosen_columns = True
        self.setColumnHidden(column, not shown)
        self._fit_name()

    # State that is kept when the model is reset

    def collapse_and_reset_order(self) -> None:
        """Collapse everything and restore file order, because another file was opened."""
        self._expanded_nodes = set()
        self.set_order({}, flat=False)

    def expand_initially(self) -> None:
        """Expand as many levels as fit into the view."""
        self._expanded_nodes = set()
        self._mark_levels(ROOT, _MAX_INITIAL_ROWS)
        self._expand_nodes()

    def expand_below(self, node: int) -> None:
        """Expand a module, and whole levels below it while they have few rows.

        Few are at most `_MAX_EXPANDED_ROWS` in total. The module itself is expanded even if it has
        more. Other modules are unchanged.
        """
        self._expanded_nodes.add(node)
        self._mark_levels(node, _MAX_EXPANDED_ROWS)
        self._expand_nodes()
        self.fit()

    def _mark_levels(self, node: int, most: int) -> None:
        """Mark `node` and whole levels below it as expanded; nothing is expanded yet.

        Stops before the level with which there would be more than `most` rows in total.
        """
        level, seen = [node], 0
        while level:
            below = [c for each in level for c in self.tree.listing.children(each).tolist()]
            seen += len(below)
            if seen > most:
                break
            self._expanded_nodes.update(level)
            level = [each for each in below if self.tree.nodes.tensor[each] == MODULE]

    def expanded_paths(self) -> list[str]:
        """Return the paths of the expanded modules in order, at most `_MAX_SAVED_EXPANDED`."""
        return [
            self.tree.nodes.paths[node]
            for node in sorted(self._expanded_nodes)[:_MAX_SAVED_EXPANDED]
        ]

    def expand_paths(self, paths: Iterable[str]) -> None:
        """Expand exactly the modules with these paths, and collapse all others.

        Unknown paths are ignored.
        """
        nodes, wanted = self.tree.nodes, set(paths)
        modules = np.flatnonzero(nodes.tensor == MODULE).tolist()
        expanded = {node for node in modules if nodes.paths[node] in wanted}
        if expanded == self._expanded_nodes:
            return
        self._expanded_nodes = expanded
        self._restoring = True
        self.collapseAll()
        self._expand_nodes()
        self.fit()

    def _on_expanded(self, index: QModelIndex) -> None:
        if not self._restoring and not self.tree.listing.filter.active:
            self._expanded_nodes.add(index.internalId())
        if not self._restoring:
            self.fit()

    def _on_collapsed(self, index: QModelIndex) -> None:
        if not self._restoring and not self.tree.listing.filter.active:
            self._expanded_nodes.discard(index.internalId())

    def _before_reset(self) -> None:
        current = self.currentIndex()
        if current.isValid():
            self._current = (self.tree.nodes, current.internalId())
        chosen = self.selectionModel().selection()
        count = sum(chosen.at(i).height() for i in range(chosen.count()))
        self._selected = self.selected_nodes() if 1 < count <= _MAX_KEPT_SELECTION else []

    def _after_reset(self) -> None:
        self._set_wrapping()
        nodes, current = self._current
        if nodes is not self.tree.nodes:
            self._current = (self.tree.nodes, ROOT)
            return
        self._expand_nodes()
        # In a list of 100,000 rows, showing a distant row would lay out all rows above.
        if self.tree.is_near(current):
            self.show_node(current)
        if self._selected:
            self.select_nodes(filter(self.tree.is_near, self._selected))

    def _expand_nodes(self) -> None:
        """Expand the modules that are marked as expanded; does not collapse others.

        With a filter that matches at most `_MAX_EXPANDED_MATCHES` tensors, all modules are expanded
        instead, without being marked.
        """
        tree = self.tree
        self._restoring = True
        self.setUpdatesEnabled(False)
        wanted = self._expanded_nodes
        if tree.listing.filter.active and int(tree.listing.shown.sum()) <= _MAX_EXPANDED_MATCHES:
            shown = tree.nodes.count_below(tree.listing.shown) > 0
            wanted = {int(n) for n in (shown & (tree.nodes.tensor == MODULE)).nonzero()[0]}
        for node in sorted(wanted):  # parents first, so that each is laid out once
            index = tree.index_of(node)
            if index.isValid():
                self.setExpanded(index, True)
        self.setUpdatesEnabled(True)
        self._restoring = False

    # Cursor

    def show_node(self, node: int) -> bool:
        """Move the cursor to a node without `nodeFocused`; return whether it is displayed.

        Modules above it are expanded, it becomes the only selected row, and the view scrolls to it.
        False, without an effect, for the root and for nodes that the filter hides.
        """
        index = self.tree.index_of(node) if node != ROOT else QModelIndex()
        if not index.isValid():
            return False
        above = index.parent()
        while above.isValid():
            if not self.isExpanded(above):
                self.setExpanded(above, True)
            above = above.parent()
        self._restoring = True
        self.selectionModel().setCurrentIndex(
            index,
            QItemSelectionModel.SelectionFlag.ClearAndSelect
            | QItemSelectionModel.SelectionFlag.Rows,
        )
        self._restoring = False
        self.scrollTo(index)
        return True

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Repaint both rows, and emit `nodeFocused` unless the code moved the cursor."""
        super().currentChanged(current, previous)
        for index in (current, previous):  # the frame surrounds the whole row
            row = self.visualRect(index)
            self.viewport().update(0, row.top(), self.viewport().width(), row.height())
        if current.isValid() and not self._restoring:
            self.nodeFocused.emit(current.internalId())

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Schedule `_follow_selection` if rows were selected."""
        super().selectionChanged(selected, deselected)
        if not self._restoring and selected.count():
            self._follow_timer.start()

    def _follow_selection(self) -> None:
        """Move the cursor to the selected row if it is the only one; emits `nodeFocused`.

        Keys and mouse move both. A screen reader only selects, and could not focus a tensor.
        """
        chosen = self.selectionModel().selection()
        if chosen.count() != 1 or chosen.at(0).height() != 1:
            return
        (node,) = self.selected_nodes() or (ROOT,)
        if node not in {ROOT, self.currentIndex().internalId()}:
            self.setCurrentIndex(self.tree.index_of(node))

    def select_nodes(self, nodes: Iterable[int]) -> None:
        """Select exactly the displayed rows of these nodes; the cursor does not move."""
        self._restoring = True
        chosen = QItemSelection()
        for first, last in self._row_runs(nodes):
            chosen.append(QItemSelectionRange(first, last))
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().select(chosen, flags.ClearAndSelect | flags.Rows)
        self._restoring = False

    def _row_runs(self, wanted: Iterable[int]) -> Iterator[tuple[QModelIndex, QModelIndex]]:
        """Yield the first and last index of each run of adjacent rows among the nodes `wanted`.

        Nodes that are not displayed are ignored. Runs are ordered by parent, then by row.
        """
        nodes, listing = self.tree.nodes, self.tree.listing
        given = np.fromiter(wanted, np.int64)
        given = given[listing.shown_below[given] > 0]
        if listing.flat:
            given = given[(nodes.tensor[given] >= 0) & ~nodes.alias[given]]
        parents = np.zeros(len(given), np.int32) if listing.flat else nodes.parent[given]
        for above in np.unique(parents).tolist():
            listing.children(above)
            some = given[parents == above]
            rows = listing.row[some]
            order = np.argsort(rows)
            for part in np.split(order, np.flatnonzero(np.diff(rows[order]) != 1) + 1):
                yield (
                    self.tree.index_of(int(some[part[0]])),
                    self.tree.index_of(int(some[part[-1]])),
                )

    def selected_nodes(self) -> list[int]:
        """Return the selected nodes from top to bottom, including those in collapsed modules."""
        # Read ranges, because Qt would create an index for each of 100,000 rows.
        chosen, listing = self.selectionModel().selection(), self.tree.listing
        parts: dict[int, list[tuple[int, int]]] = {}
        for at in range(chosen.count()):
            part = chosen.at(at)
            if not part.left():
                above = part.parent()
                node = above.internalId() if above.isValid() else ROOT
                parts.setdefault(node, []).append((part.top(), part.bottom() + 1))
        nodes: list[int] = []
        for node, ranges in parts.items():
            rows = listing.fetched_children(node)
            for first, end in sorted(ranges):
                nodes += rows[first:end]
        if len(parts) > 1:  # rows of several modules may be interleaved
            nodes.sort(key=self.tree.row_path if listing.order.column >= 0 else None)
        return nodes

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Select the rows in a rectangle; in the list as one range, because Qt reads each row.

        In the list, nothing changes if a corner of the rectangle is on no row.
        """
        if not self.tree.flat:
            super().setSelection(rect, command)
            return
        first, last = (self.indexAt(corner) for corner in (rect.topLeft(), rect.bottomRight()))
        if first.isValid() and last.isValid():
            rows = QItemSelection(*sorted((first, last), key=QModelIndex.row))
            self.selectionModel().select(rows, command)

    # Dragging

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Allow dragging of selected rows; dragging from others selects."""
        index = self.indexAt(event.position().toPoint())
        plain = event.button() == Qt.MouseButton.LeftButton and not event.modifiers()
        selected = index.isValid() and self.selectionModel().isSelected(index)
        self.setDragEnabled(plain and selected)
        super().mousePressEvent(event)

    def startDrag(self, _actions: Qt.DropAction) -> None:
        """Emit `dragRequested` instead of Qt's drag."""
        self.dragRequested.emit()

    # Keys

    def copy_selected(self) -> None:
        """Copy the selected rows and the headers of the visible columns as a table.

        During a preview, a column with the sparsity after the step is added. Names are those in the
        file. Cells are computed in the background; without selected rows the clipboard is
        unchanged.
        """
        cells, nodes = self.tree.cells.copy_for_worker(), self.selected_nodes()
        shown = [c.spec for c in Column if not self.isColumnHidden(c)]
        columns = [(spec.title, spec.copied or spec.text) for spec in shown]
        if cells.has_preview:
            columns += [spec.copied_after for spec in shown if spec.copied_after]
        heads = tuple(self.tree.tr(title) for title, _ in columns)
        rows = Numbers(
            heads, len(nodes), lambda at: [text(cells, nodes[at]) for _, text in columns]
        )
        copy_rows(self, rows)

    def check_selected(self) -> None:
        """Check the selected rows, or uncheck them if all that have a mark are checked.

        If no row is selected, use the row of the cursor: Tab moves it without selecting.
        """
        nodes = self.selected_nodes()
        if not nodes and self.currentIndex().isValid():
            nodes = [self.currentIndex().internalId()]
        self.tree.check(nodes, on=not self.tree.checks.all_checked(nodes))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle Space, Ctrl+A, copy, * and End; pass other keys to Qt.

        Space checks or unchecks the selected rows, Ctrl+A emits `checkAllRequested` and selects
        nothing, * expands everything below the current row, and End fetches all rows of the list
        before Qt goes to the last one.
        """
        if event.key() == Qt.Key.Key_Space and not event.modifiers():
            self.check_selected()
        elif event.key() == Qt.Key.Key_A and (
            event.modifiers() == Qt.KeyboardModifier.ControlModifier
        ):
            self.checkAllRequested.emit()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_selected()
        elif event.key() == Qt.Key.Key_Asterisk and self.currentIndex().isValid():
            # Qt's implementation lays out everything below, which takes a minute for 100,000 rows.
            self.expand_below(self.currentIndex().internalId())
        else:
            if event.key() == Qt.Key.Key_End and self.tree.flat:
                self.tree.fetch_all()
                if not self.currentIndex().isValid():  # otherwise Qt goes to the first row
                    self.setCurrentIndex(self.tree.index(self.tree.rowCount() - 1, 0))
            super().keyPressEvent(event)

    @report_exceptions
    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row, or only its last column."""
        shares = self._shares
        if shares is None or not shares.paint(painter, option.rect, index.internalId()):
            super().drawRow(painter, option, index)

    def _paint_focus(self) -> None:
        """Paint a frame around the view and the row of the cursor, which may be unselected.

        The frame of the row starts at its check box, so that it does not cross the expand arrow.
        """
        colors = self.delegate.colors
        painter = QPainter(self.viewport())
        painter.setPen(QPen(QColor(colors["accent"]), 2))
        painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))
        current = self.currentIndex()
        row = self.visualRect(current.siblingAtColumn(Column.NAME))
        if current.isValid() and row.isValid():
            selected = self.selectionModel().isSelected(current)
            painter.setPen(QPen(QColor(colors["accent_text" if selected else "accent"]), 1))
            row.setLeft(max(row.left() + 1, _FRAME_WIDTH))
            row.setRight(self.viewport().width() - 1)
            painter.drawRect(row.adjusted(0, 1, -3, -2))
        painter.end()

    def scrollTo(self, index: Index, hint: _Hint = _Hint.EnsureVisible) -> None:
        """Scroll until the whole row is visible: Qt counts rows of equal height."""
        super().scrollTo(index, hint)
        if self.visualRect(index).bottom() >= self.viewport().height():
            super().scrollTo(index, _Hint.PositionAtBottom)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Scroll by rows and repaint the frame, which Qt moves with the pixels (Qt override).

        `dy` is in rows. Without focus there is no frame.
        """
        super().scrollContentsBy(dx, dy)
        if not self.hasFocus():
            return
        if dx or abs(dy) > _MAX_SCROLLED:
            self.viewport().update()
            return
        first = self.indexAt(QPoint(0, 0))  # the row that was at the top is `dy` rows below
        for _ in range(abs(dy)):
            first = self.indexBelow(first) if dy > 0 else self.indexAbove(first)
        moved = self.visualRect(first).top()
        area = self.viewport().rect()
        for top in (0, area.height() - _FRAME_WIDTH):
            for place in (top, top + moved):
                self.viewport().update(0, place, area.width(), _FRAME_WIDTH)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the tree, or a message if the filter matches nothing."""
        self._shares = None
        if ShareColumn.can_paint(self, event.rect()):
            self._shares = ShareColumn(self, self.tree.cells, self.delegate.colors)
        super().paintEvent(event)
        if self.hasFocus():
            self._paint_focus()
        if self.tree.listing.shown.any() or not self.tree.nodes.rows:
            return
        painter = QPainter(self.viewport())
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        room = self.viewport().rect().adjusted(16, 24, -16, -16)
        painter.drawText(
            QRect(room),
            int(Qt.AlignmentFlag.AlignHCenter) | int(Qt.TextFlag.TextWordWrap),
            self.tr("No tensors match the filter."),
        )
        painter.end()


def _direction(order: Order) -> Qt.SortOrder:
    return Qt.SortOrder.DescendingOrder if order.descending else Qt.SortOrder.AscendingOrder
