"""The panel of the history: all states as a tree, with their sparsity, metrics, size and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
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
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from pruneapp.document.document import HistoryItem
from pruneapp.document.history import LONGEST_NAME, LONGEST_NOTE, Branches
from pruneapp.gui.document.history_model import (
    NOTE_GAP,
    TOP,
    HistoryColumn,
    HistoryModel,
    StateResult,
    StateSize,
)
from pruneapp.gui.widgets.clipboard import copy_rows
from pruneapp.gui.widgets.controls import follow_font, lay_in_column, lay_in_row
from pruneapp.gui.widgets.labels import (
    MUTED,
    ElidedLabel,
    as_plain,
    elide_text,
    heading,
    letter_width,
)
from pruneapp.gui.widgets.safe_paint import report_exceptions, saved_painter_state
from pruneapp.gui.widgets.short_names import ShortNames

_INDENT = 12  # width of a branch in pixels
_DOT, _SMALL_DOT = 4.5, 3.5  # radius of the circle of the current state, and of others
_PADDING = 6  # of a cell, with both sides together
_MIN_LABEL = 20  # letters of a name that are visible before columns are scrolled to
_MIN_FITTED_LABEL = 18  # the same if then no column has to be scrolled to
_MIN_ELIDED_LABEL = 11  # the same if the sparsity, the first metric or the notes need the space
_MAX_HEADER = 15  # maximum width of the header of a metric without differences
_MIN_END = 9  # width of the visible end of a name in digits; a narrower end is elided
_MIN_NOTE = 12  # letters of a note that are visible before names are whole
_MIN_ELIDED_NOTE = 6  # the same where names are as short as possible
_MIN_EDITOR = 240  # minimum width of the field of a name or a note, in pixels
_MIN_ROWS = 3  # number of rows that are always visible
_MEASURED = 64  # rows whose cells are measured for the width of a column

Index = QModelIndex | QPersistentModelIndex


class StateDelegate(QStyledItemDelegate):
    """Paints the cells of a state, and edits its name and its note."""

    def __init__(self, model: HistoryModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self.brief_columns: frozenset[int] = frozenset()  # of metrics, without differences

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the size of a cell whose text is not elided."""
        size = super().sizeHint(option, index)
        return QSize(size.width() + _PADDING, row_height(option.fontMetrics))

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Highlight the current state, mute undone ones and other branches, and elide the label."""
        super().initStyleOption(option, index)
        model, state = self._model, index.internalId()
        # The view paints the current state and the cursor.
        ignored = QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_MouseOver
        option.state &= ~(ignored | QStyle.StateFlag.State_Selected)
        result = model.result(state)
        is_state = not index.column()
        if state == model.position:
            ink = option.palette.color(QPalette.ColorRole.HighlightedText)
            option.palette.setColor(QPalette.ColorRole.Text, ink)
        elif state not in model.done or (result is not None and result.is_old and not is_state):
            option.palette.setColor(QPalette.ColorRole.Text, option.palette.color(MUTED))
        option.textElideMode = Qt.TextElideMode.ElideRight
        view = self.parent()
        if not is_state and isinstance(view, QTreeView):
            # Where the column ends outside of the view, its numbers are elided, not cut.
            end = view.viewport().width() - 1
            if option.rect.left() < end < option.rect.right():
                option.rect.setRight(end)
        if is_state:
            option.text = self.label(state, option.fontMetrics, option.rect.width() - _PADDING)
        else:
            option.font.setFeature(QFont.Tag("tnum"), 1)
            if index.column() in self.brief_columns:
                option.text = model.cell(state, index.column(), brief=True)
        if self._model.columns[index.column()][0] is HistoryColumn.NOTE:
            option.text = NOTE_GAP + option.text

    def label(self, state: int, metrics: QFontMetrics, width: int) -> str:
        """Return the number and the label of a state for a width in pixels.

        The middle is elided: the method and its amount, up to the first comma, and the end remain.
        """
        number = f"{state}: " if state else ""
        room = width - metrics.horizontalAdvance(number)
        whole = str(self._model.index_of(state).data())
        if metrics.horizontalAdvance(whole) <= room:
            return f"{number}{whole}"
        short = self._model.short_label(state)
        begin, comma, end = short.partition(",")
        rest = room - metrics.horizontalAdvance(begin)
        if rest < _MIN_END * metrics.horizontalAdvance("0"):
            shown = elide_text(short, metrics, room, Qt.TextElideMode.ElideRight)
        elif comma:
            shown = begin + elide_text(comma + end, metrics, rest, Qt.TextElideMode.ElideLeft)
        else:
            shown = elide_text(short, metrics, room)
        return f"{number}{shown}".replace("….", "…")  # a name that was cut at a dot

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Return a field that accepts as many characters as are stored."""
        editor = super().createEditor(parent, option, index)
        if isinstance(editor, QLineEdit):
            is_note = bool(index.column())
            editor.setFrame(True)  # it may cover other cells
            editor.setMaxLength(LONGEST_NOTE if is_note else LONGEST_NAME)
            editor.setPlaceholderText("" if is_note else str(index.data()))
            editor.setAccessibleName(
                self.tr("Note of this state")
                if is_note
                else self.tr("Name of this state; leave it empty to show the step")
            )
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Place a field over its cell; in a narrow one it extends over the cells beside it."""
        super().updateEditorGeometry(editor, option, index)
        viewport = editor.parentWidget()
        assert viewport is not None
        place, room = editor.geometry(), viewport.width()
        width = min(max(place.width(), _MIN_EDITOR), room)
        left = max(0, min(place.left(), room - width))
        editor.setGeometry(left, place.top(), width, place.height())

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Set the text of a field, unless the user has changed it: Qt calls this for new data."""
        if not (isinstance(editor, QLineEdit) and editor.isModified()):
            super().setEditorData(editor, index)


def row_height(metrics: QFontMetrics) -> int:
    """Return the height of a row in pixels."""
    return metrics.height() + 6


class HistoryTree(QTreeView):
    """The view of the states; Return and Space go to the state of the cursor."""

    jump = Signal(int)
    delete = Signal(int)
    evaluateRequested = Signal(int)

    # Class attributes, as Qt may call the methods below while the constructor runs.
    _is_fitting = False  # whether the widths of columns are being set
    _press_handled = False  # whether the mouse was pressed on the circle of a state

    def __init__(self, states: HistoryModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.states = states
        self.delegate = StateDelegate(states, self)
        self._widths: dict[tuple[HistoryColumn, str], int] = {}  # of columns that the user resized
        # State, column, text and cursor of the cell that is edited during a reset of the model.
        self._edited: tuple[int, HistoryColumn, str, int] | None = None
        self.setModel(states)
        self.setItemDelegate(self.delegate)
        self.setUniformRowHeights(True)
        self.setIndentation(_INDENT)
        self.setRootIsDecorated(True)
        self.setItemsExpandable(False)
        self.setExpandsOnDoubleClick(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        header.setHighlightSections(False)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(24)
        header.sectionResized.connect(self._on_resized)
        states.modelAboutToBeReset.connect(self._keep_text)
        states.modelReset.connect(self._on_reset)
        states.rowsInserted.connect(self._on_inserted)
        states.valuesChanged.connect(self.viewport().update)
        self.setAccessibleName(self.tr("History"))
        self.setAccessibleDescription(
            self.tr(
                "All states; a branch is below the state that it starts from. Press Return to go "
                "to a state, F2 to edit its name or note, Delete to delete it with those that "
                "follow it."
            )
        )

    # Layout

    def sizeHint(self) -> QSize:
        """Return a size with space for some states."""
        return QSize(300, 9 * row_height(self.fontMetrics()))

    def minimumSizeHint(self) -> QSize:
        """Return a minimum size that fits the header and `_MIN_ROWS` states."""
        rows = _MIN_ROWS * row_height(self.fontMetrics())
        return QSize(120, self.header().sizeHint().height() + rows)

    def _keep_text(self) -> None:
        """Remember the text that is being edited: a reset closes the editor without saving it."""
        index = self.currentIndex()
        field = self.indexWidget(index)
        if isinstance(field, QLineEdit):
            kind = self.states.columns[index.column()][0]
            self._edited = index.internalId(), kind, field.text(), field.cursorPosition()

    def _on_reset(self) -> None:
        self.expandAll()
        self.fit_columns()
        if self._edited is not None:
            state, kind, text, cursor = self._edited
            self._edited = None
            self.edit_cell(state, kind)
            field = self.indexWidget(self.currentIndex())
            if isinstance(field, QLineEdit):  # the state may have been deleted
                field.setText(text)
                field.setCursorPosition(cursor)
                field.setModified(True)

    def _on_inserted(self, parent: QModelIndex, _first: int, _last: int) -> None:
        if parent.isValid():
            self.expand(parent)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def _on_resized(self, section: int, _before: int, width: int) -> None:
        if not self._is_fitting and section < len(self.states.columns):
            self._widths[self.states.columns[section]] = width
            self._set_brief_columns()

    def fit_columns(self) -> None:
        """Set the widths of columns that the user has not resized.

        Which columns are visible does not depend on the lengths of names and notes. Numbers are as
        wide as their texts, metrics without their differences where these need the space. Names
        are elided, down to `_MIN_LABEL` letters, before a column has to be scrolled to, and down
        to `_MIN_ELIDED_LABEL` before the sparsity, the first metric or the notes have to. Notes
        get the remaining width; without any, their column is hidden. To keep the others visible,
        the header of the first metric and then the notes are elided.
        """
        columns, room = self.states.columns, self.viewport().width()
        note, letter = self.states.column_of(HistoryColumn.NOTE), letter_width(self)
        indent = self._deepest_indent()
        has_notes = any(item.note for item in self.states.items)
        has_notes = has_notes or self.currentIndex().column() == note  # one is being edited
        for brief in (False, True):
            widths = {at: self._content_width(at, brief=brief) for at in range(1, len(columns))}
            widths[note] = self.fontMetrics().horizontalAdvance(NOTE_GAP) + 2 * _PADDING
            widths[note] += _MIN_NOTE * letter
            widths.update({at: self._widths.get(columns[at], widths[at]) for at in widths})
            if not has_notes:
                del widths[note]
            if fits := sum(widths.values()) + _MIN_FITTED_LABEL * letter + indent <= room:
                break
        if has_notes:
            self._narrow_to_notes(widths, room - _MIN_ELIDED_LABEL * letter - indent)
        others = sum(widths.values())
        first = sum(width for at, width in widths.items() if at <= note)
        wanted = (_MIN_FITTED_LABEL if fits else _MIN_LABEL) * letter
        least = max(_MIN_ELIDED_LABEL * letter, min(wanted, room - first - indent))
        label = max(least + indent, min(self._content_width(0), room - others))
        widths[0] = self._widths.get(columns[0], label)
        last = note if note in widths else 0  # gets the remaining width
        if columns[last] not in self._widths:
            widths[last] += max(0, room - sum(widths.values()))
        self._is_fitting = True
        for at in range(len(columns)):  # a new metric changes the positions of the others
            self.setColumnHidden(at, at == note and not has_notes)
        for at, width in widths.items():
            self.setColumnWidth(at, width)
        self._is_fitting = False
        self._set_brief_columns()

    def _narrow_to_notes(self, widths: dict[int, int], room: int) -> None:
        """Reduce the widths of the first metric and the notes so that columns up to these fit.

        `room` is the space without the names. Columns that the user resized are not changed.
        """
        note, letter = self.states.column_of(HistoryColumn.NOTE), letter_width(self)
        metric = self.states.column_of(HistoryColumn.METRIC)
        least = {note: widths[note] - (_MIN_NOTE - _MIN_ELIDED_NOTE) * letter}
        if metric > 0:
            least = {metric: self._cells_width(metric, brief=True) + 2 * _PADDING, **least}
        for at, width in least.items():
            excess = sum(widths[each] for each in widths if each <= note) - room
            if excess > 0 and self.states.columns[at] not in self._widths:
                widths[at] = min(widths[at], max(width, widths[at] - excess))

    def _set_brief_columns(self) -> None:
        """Leave out the differences in columns of metrics that are too narrow for them."""
        self.delegate.brief_columns = frozenset(
            at
            for at, (kind, _) in enumerate(self.states.columns)
            if kind is HistoryColumn.METRIC and self.columnWidth(at) < self._content_width(at)
        )

    def _deepest_indent(self) -> int:
        """Return the pixels before the names of the last states, at most."""
        last = range(max(0, len(self.states.items) - _MEASURED), len(self.states.items))
        return (max(map(self._depth, last), default=0) + 1) * _INDENT

    def _content_width(self, column: int, *, brief: bool = False) -> int:
        """Return the width of a column for its header and the cells of the last states.

        `brief`: metrics without their differences, under a header that may be elided.
        """
        states, width = self.states, self._cells_width(column, brief=brief)
        head = (
            self.header().sectionSizeFromContents(column).width() + (not brief) * _PADDING
            if self.header().count() > column
            else 0
        )
        if brief and states.columns[column][0] is HistoryColumn.METRIC:
            head = min(head, _MAX_HEADER * letter_width(self) + _PADDING)
        return max(head, width + 2 * _PADDING)

    def _cells_width(self, column: int, *, brief: bool) -> int:
        """Return the width of the texts of a column in the last states."""
        states, advance = self.states, self.fontMetrics().horizontalAdvance
        last = range(max(0, len(states.items) - _MEASURED), len(states.items))
        width = max((advance(states.cell(state, column, brief=brief)) for state in last), default=0)
        if not column:
            width += advance(f"{len(states.items)}: ") + self._deepest_indent()
        return width

    # Painting

    def _depth(self, state: int) -> int:
        group, depth = self.states.tree.group, 0
        while (state := group[state]) != TOP:
            depth += 1
        return depth

    @report_exceptions
    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row, the current state on the highlight color."""
        if index.internalId() == self.states.position:
            painter.fillRect(option.rect, self.palette().highlight())
        super().drawRow(painter, option, index)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the states, and with the focus a frame around the view and the current cell."""
        super().paintEvent(event)
        if not self.hasFocus():
            return
        current, palette = self.currentIndex(), self.palette()
        painter = QPainter(self.viewport())
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Highlight), 2))
        painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))
        cell = self.visualRect(current)
        if current.isValid() and cell.isValid():
            is_current = current.internalId() == self.states.position
            role = (
                QPalette.ColorRole.HighlightedText if is_current else QPalette.ColorRole.Highlight
            )
            painter.setPen(QPen(palette.color(role), 1))
            painter.drawRect(cell.adjusted(1, 1, -2, -2))
        painter.end()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Repaint everything, as the frame of the focus does not move."""
        super().scrollContentsBy(dx, dy)
        self.viewport().update()

    @report_exceptions
    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """Paint the circle of a state, and lines from it to the states before and after it.

        Lines and circles on the path to the current state have the accent color.
        """
        states, tree, state = self.states, self.states.tree, index.internalId()
        palette = self.palette()
        is_current = state == states.position
        role = QPalette.ColorRole.HighlightedText if is_current else QPalette.ColorRole.Highlight
        strong, weak = palette.color(role), palette.color(MUTED)
        if is_current:
            weak = strong
        top, middle, bottom = rect.top(), rect.center().y(), rect.bottom() + 1
        depth = self._depth(state)

        def x(level: int) -> int:
            return rect.left() + level * _INDENT + _INDENT // 2

        def line(start: QPoint, end: QPoint, *, done: bool) -> None:
            painter.setPen(QPen(strong if done else weak, 1.5))
            painter.drawLine(start, end)

        with saved_painter_state(painter):
            here = x(depth)
            if state and not tree.begins_branch(state):
                line(QPoint(here, top), QPoint(here, middle), done=state in states.done)
            after = tree.next(state)
            follows = [after] if after >= 0 else tree.children.get(state, [])
            if follows:
                done = any(each in states.done for each in follows)
                line(QPoint(here, middle), QPoint(here, bottom), done=done)
            if tree.begins_branch(state):
                line(
                    QPoint(x(depth - 1), top), QPoint(x(depth - 1), middle), done=self._leads(state)
                )
                line(QPoint(x(depth - 1), middle), QPoint(here, middle), done=state in states.done)
            # Lines of branches that begin further down.
            each = state
            for level in range(depth - 1, -1, -1):
                if tree.branch_after(each):
                    above = level < depth - 1 or not tree.begins_branch(state)
                    start = QPoint(x(level), top if above else middle)
                    line(start, QPoint(x(level), bottom), done=self._leads_after(each))
                each = tree.group[each]
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            ink = strong if state in states.done else weak
            painter.setPen(QPen(ink, 1.5))
            painter.setBrush(ink if is_current else palette.base())
            radius = _DOT if is_current else _SMALL_DOT
            painter.drawEllipse(QPointF(here + 0.5, middle + 0.5), radius, radius)

    def _leads(self, state: int) -> bool:
        """Return whether a branch, or one that begins after it, leads to the current state."""
        return state in self.states.done or self._leads_after(state)

    def _leads_after(self, state: int) -> bool:
        tree = self.states.tree
        return tree.row[state] < self.states.current_branches.get(tree.group[state], -1)

    # Mouse and keys

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll horizontally while Shift is pressed."""
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.horizontalScrollBar().event(event)
        else:
            super().wheelEvent(event)

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Show the column of the notes, which is hidden while it is empty, if the cursor enters it.

        Qt scrolls to the cursor afterwards.
        """
        if current.column() != previous.column():
            self.fit_columns()
        super().currentChanged(current, previous)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Return the target of a cursor key.

        Left and right lead to the next column, up and down to the next row, Home and End to the
        first and the last state. Without a current cell it is that of the first state.
        """
        current, to = self.currentIndex(), QAbstractItemView.CursorAction
        if not current.isValid():
            return self.states.index_of(0)
        column = current.column()
        if action in {to.MoveLeft, to.MoveRight}:
            step = -1 if action == to.MoveLeft else 1
            place = min(max(0, column + step), self.states.columnCount() - 1)
            return self.states.index_of(current.internalId(), place)
        if action in {to.MoveHome, to.MoveEnd}:
            order = self.states.tree.order()
            return self.states.index_of(order[0 if action == to.MoveHome else -1], column)
        return super().moveCursor(action, modifiers)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Emit `evaluateRequested` for a circle of a state that was not evaluated."""
        index = self.indexAt(event.position().toPoint())
        is_left = event.button() == Qt.MouseButton.LeftButton
        self._press_handled = is_left and index.isValid() and self.states.can_evaluate(index)
        if self._press_handled:
            self.evaluateRequested.emit(index.internalId())
        else:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ignore the release after a press on a circle: it must not go to the state."""
        if not self._press_handled:
            super().mouseReleaseEvent(event)
        self._press_handled = False

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Edit a note; in other cells, the second press does nothing more than the first one."""
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and self.states.columns[index.column()][0] is HistoryColumn.NOTE:
            self.edit_cell(index.internalId(), HistoryColumn.NOTE)
        else:
            super().mouseDoubleClickEvent(event)

    def edit_cell(self, state: int, kind: HistoryColumn) -> None:
        """Edit the name or the note of a state in its cell."""
        index = self.states.index_of(state, self.states.column_of(kind))
        if index.isValid() and self.states.is_editable(index):
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self.edit(index)

    def commitData(self, editor: QWidget) -> None:
        """Store the text of a field, unless it is closed: Qt queues what Return does."""
        if not editor.isHidden():
            super().commitData(editor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys that apply to the state of the cursor.

        Return, Enter and Space emit `jump`, Delete `delete`; F2 edits the note in its column, or
        else the name; Copy copies all states as a table.
        """
        current, key = self.currentIndex(), Qt.Key(event.key())
        if self.state() == QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)  # fields pass Return on
        elif event.matches(QKeySequence.StandardKey.Copy):
            copy_rows(self, self.states.table().texts())
        elif not current.isValid():
            super().keyPressEvent(event)
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self.jump.emit(current.internalId())
        elif key == Qt.Key.Key_Delete:
            self.delete.emit(current.internalId())
        elif key == Qt.Key.Key_F2:
            is_note = self.states.columns[current.column()][0] is HistoryColumn.NOTE
            self.edit_cell(
                current.internalId(), HistoryColumn.NOTE if is_note else HistoryColumn.STATE
            )
        else:
            super().keyPressEvent(event)


class HistoryPanel(QWidget):
    """The history of the document: a heading and the tree of its states."""

    # Signals with the number of a state.
    jumpRequested = Signal(int)
    deleteRequested = Signal(int)  # the state and the states after it
    measureRequested = Signal(int)  # the user wants the state to be evaluated
    compareRequested = Signal(int)  # compare it with the current one, or that with the opened file
    exportRequested = Signal(int)
    commandRequested = Signal(int, str)  # go to this state, and run a command (its id)
    renamed = Signal(int, str)  # the user entered a name; "" to show the step
    annotated = Signal(int, str)  # the user entered a note

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._states = HistoryModel(self)
        self.tree = HistoryTree(self._states, self)
        title = heading(self.tr("History"))
        title.setBuddy(self.tree)
        title.setContentsMargins(4, 0, 4, 0)
        # In the row of the heading, so that nothing moves when it appears.
        self.legend = ElidedLabel("", self, ink=MUTED)
        self.legend.elide = Qt.TextElideMode.ElideRight
        self.legend.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.legend.setContentsMargins(0, 0, 4, 0)
        head = QWidget(self)
        lay_in_row(head, title, self.legend, spacing=8, wide=self.legend)
        lay_in_column(self, head, self.tree, spacing=4, wide=self.tree)
        follow_font(self.tree, lambda tree: tree.fit_columns())
        self._states.renamed.connect(self.renamed)
        self._states.annotated.connect(self.annotated)
        self.tree.clicked.connect(self._on_clicked)
        self.tree.jump.connect(self._jump)
        self.tree.delete.connect(self._delete)
        self.tree.evaluateRequested.connect(self.measureRequested)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._show_menu)

    def set_names(self, names: ShortNames) -> None:
        """Set the short forms of tensor names."""
        self._states.set_names(names)

    def set_items(
        self, items: Sequence[HistoryItem], position: int, branches: Branches | None = None
    ) -> None:
        """Show the states, mark `position` as the current one, and scroll to it.

        The cursor stays where a text is edited. Without `branches` they form a single line. A
        position outside the states scrolls nowhere.
        """
        tree = Branches.linear(max(0, len(items) - 1)) if branches is None else branches
        moved = position != self._states.position or len(items) != len(self._states.items)
        self._states.show(items, position, tree)
        is_editing = self.tree.state() is QAbstractItemView.State.EditingState
        if moved and 0 <= position < len(items) and not is_editing:
            column = max(0, self.tree.currentIndex().column())
            index = self._states.index_of(position, column)
            self.tree.setCurrentIndex(index)
            self.tree.scrollTo(index)
        self.tree.fit_columns()

    def set_sizes(self, sizes: Mapping[int, StateSize]) -> None:
        """Set the sizes of states, by number."""
        self._states.set_sizes(sizes)
        self._refit()

    def set_results(self, results: Sequence[StateResult]) -> None:
        """Set the result of each state by its number; an empty list if no state is evaluated."""
        self._states.set_results(results)
        is_any_old = any(result.is_old for result in results)
        self.legend.setText(self.tr("( ) earlier evaluation") if is_any_old else "")
        self.legend.setToolTip(
            as_plain(
                self.tr(
                    "Metrics in parentheses were measured in an earlier run, or with another "
                    "script, Python or options. Evaluate one state: with the same script, data and "
                    "options, the others count again, too."
                )
            )
            if is_any_old
            else ""
        )
        self._refit()

    def _refit(self) -> None:
        """Fit the columns, and restore the cursor, which is lost with a column for a metric."""
        if not self.tree.currentIndex().isValid():
            self.tree.setCurrentIndex(self._states.index_of(self._states.position))
        self.tree.fit_columns()

    def _on_clicked(self, index: QModelIndex) -> None:
        self._jump(index.internalId())

    def _jump(self, state: int) -> None:
        if state != self._states.position:
            self.jumpRequested.emit(state)

    def _delete(self, state: int) -> None:
        if state:
            self.deleteRequested.emit(state)

    def _show_menu(self, place: QPoint) -> None:
        index = self.tree.indexAt(place)
        if index.isValid():
            menu = self.context_menu(index.internalId())
            menu.exec(self.tree.viewport().mapToGlobal(place))
            menu.deleteLater()

    def context_menu(self, state: int) -> QMenu:
        """Return a new menu with what can be done with a state.

        The caller deletes it. It closes when states are removed. The initial state cannot be
        renamed; the current state and those that lead to it cannot be deleted.
        """
        menu, states = QMenu(self), self._states
        menu.setToolTipsVisible(True)
        # the number may belong to another state afterwards
        states.modelReset.connect(menu.close)

        def offer(
            text: str, call: Callable[..., object], *args: object, can: bool = True, tip: str = ""
        ) -> None:
            action = menu.addAction(text)
            action.setToolTip(tip)
            action.setEnabled(can)
            action.triggered.connect(lambda: call(state, *args))

        here, done = state == states.position, state in states.done
        result, row = states.result(state), states.row_of(state)
        offer(self.tr("Go to this state\tReturn"), self._jump, can=not here)
        menu.addSeparator()
        can = result is None or not result.pending
        offer(self.tr("Evaluate"), self.measureRequested.emit, can=can)
        compare = (
            self.tr("Compare with the opened file")
            if here
            else self.tr("Compare with the current state")
        )
        offer(compare, self.compareRequested.emit, can=state > 0 or not here)
        offer(self.tr("Export…"), self.exportRequested.emit)
        menu.addSeparator()
        # The step is appended to the current state.
        repair, recover = self.tr("Repair…"), self.tr("Recover…")
        if not here:
            repair = self.tr("Go to this state and repair…")
            recover = self.tr("Go to this state and recover…")
        run, edit = self.commandRequested.emit, self.tree.edit_cell
        offer(repair, run, "repair", can=row.sparsity != 0)
        offer(recover, run, "recover", can=row.sparsity != 0)
        menu.addSeparator()
        offer(self.tr("Rename\tF2"), edit, HistoryColumn.STATE, can=state > 0)
        offer(self.tr("Edit note"), edit, HistoryColumn.NOTE)
        # The reason is in the text, since a disabled item is often not pointed at.
        words = self.tr("Delete branch…\tDel")
        if done:
            words = self.tr("Delete branch… (contains the current state)\tDel")
        tip = self.tr("Delete this state and all that follow it")
        offer(words, self._delete, can=not done, tip=tip)
        return menu
