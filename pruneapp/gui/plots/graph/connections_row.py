"""A row with what feeds the focused tensor and what it feeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from pruneapp.groups.connections import Connections, Link
from pruneapp.gui.widgets.clipboard import code_button
from pruneapp.gui.widgets.controls import follow_font
from pruneapp.gui.widgets.engine_text import translate_sentence
from pruneapp.gui.widgets.labels import MUTED, ElidedLabel, elide_text, join_names
from pruneapp.gui.widgets.number_format import count

_ARROW, _BESIDE = "▸", "·"  # between stages, and between the layers of a stage
_GAP = 6  # pixels on both sides of these signs
_PADDING = 8  # pixels on both sides of a text in a button or frame
_LEAST_WIDTH = 48  # pixels to which names are shortened at most


class _Item(NamedTuple):
    """A text of the row with the sign before it."""

    sign: str  # empty for the first one
    text: str
    links: tuple[Link, ...] = ()  # the layers to go to; several for a stage shown as one button
    is_focus: bool = False


class _LinkButton(QToolButton):
    """A button that leaves Left and Right to the row; `QToolButton` leaves the row with them."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Left, Qt.Key.Key_Right}:
            event.ignore()
        else:
            super().keyPressEvent(event)


class ConnectionsRow(QWidget):
    """The layers around the focused tensor in a row, as buttons; or a sentence if none are known.

    If the width is too small, stages of several layers become a menu, and the outer stages are left
    out. Left and Right move between the buttons. `connections` is what is shown; None for nothing.
    """

    tensorRequested = Signal(str)  # the user wants to go to this tensor
    codeRequested = Signal()  # the user wants code that writes the graph of the model to a file

    def __init__(self) -> None:
        super().__init__()
        self.connections: Connections | None = None
        self._items: list[tuple[_Item, QRect]] = []
        self._heading = QLabel(self.tr("Connections"), self)
        self._heading.setForegroundRole(MUTED)
        self.sentence = ElidedLabel(ink=MUTED)
        self.sentence.setParent(self)
        self.sentence.elide = Qt.TextElideMode.ElideRight
        self.offers_code = False  # whether code can be copied while the connections are not known
        self.trace = QToolButton(self)  # visible while they are not known; its action is set later
        self.trace.setText(self.tr("Trace the model"))
        self.copy = code_button(self)
        self.copy.clicked.connect(self.codeRequested)
        self._buttons: list[_LinkButton] = []
        self.menu = QMenu(self)  # the layers of a stage that is shown as one button
        self.menu.triggered.connect(self._on_chosen)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Connections"))
        follow_font(self, lambda row: row.setFixedHeight(row.fontMetrics().height() + 8))
        self.set_connections(None)

    @property
    def buttons(self) -> list[_LinkButton]:
        """The visible buttons from left to right."""
        return [button for button in self._buttons if not button.isHidden()]

    def set_connections(self, connections: Connections | None) -> None:
        """Show the connections of another tensor; None for no tensor. Emits no signal."""
        focused = next((b for b in self._buttons if b.hasFocus()), None)
        self.connections = connections
        self.sentence.setText(
            "" if connections is None else translate_sentence(connections.why_not)
        )
        words = "" if connections is None else self._words(connections)
        self.setAccessibleDescription(words)
        self._place()
        if focused is not None:  # go on from the button after the new tensor
            at = next((i for i, (item, _) in enumerate(self._items) if item.is_focus), 0)
            after = sum(bool(item.links) for item, _ in self._items[:at])
            left = self.buttons
            if left:
                left[min(after, len(left) - 1)].setFocus()

    def _words(self, connections: Connections) -> str:
        if not connections.stages:
            return translate_sentence(connections.why_not)
        names = [", ".join(link.label for link in stage) for stage in connections.stages]
        return f" {_ARROW} ".join(names)

    def request(self, step: int) -> None:
        """Emit `tensorRequested` with the nearest layer before the tensor (-1) or after it (1).

        Joins are skipped. Nothing is emitted if there is none.
        """
        found = self.connections
        if found is None or not found.stages:
            return
        stages = (
            found.stages[found.focus + 1 :] if step > 0 else found.stages[found.focus - 1 :: -1]
        )
        if step < 0 and not found.focus:
            return
        name = next((link.tensor for stage in stages for link in stage if link.tensor), "")
        if name:
            self.tensorRequested.emit(name)

    # -- layout -----------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def sizeHint(self) -> QSize:
        return QSize(self._heading.sizeHint().width() + 200, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.height())

    def _place(self) -> None:
        """Place heading, texts and buttons for the current width."""
        found = self.connections
        height = self.height()
        left = self._heading.sizeHint().width() + 12
        self._heading.setVisible(found is not None)
        self._heading.setGeometry(0, 0, left, height)
        self.sentence.setVisible(found is not None and not found.stages)
        needs_graph = found is not None and found.needs_graph
        self.trace.setVisible(needs_graph)
        self.copy.setVisible(needs_graph and self.offers_code)
        shown = [button for button in (self.trace, self.copy) if not button.isHidden()]
        beside = sum(button.sizeHint().width() + 12 for button in shown)
        room = max(0, min(self.sentence.sizeHint().width(), self.width() - left - beside))
        self.sentence.setGeometry(left, 0, room, height)
        x = left + room + 12
        for button in shown:
            button.setGeometry(x, 0, button.sizeHint().width(), height)
            x += button.width() + 12
        self._items = [] if found is None or not found.stages else self._fit(found, left)
        used = 0
        for item, place in self._items:
            if item.links and not item.is_focus:
                self._set_button(used, item, place)
                used += 1
        for button in self._buttons[used:]:
            button.hide()
        self.update()

    def _fit(self, found: Connections, left: int) -> list[tuple[_Item, QRect]]:
        """Return the items of the widest variant that fits; names are elided in the narrowest."""
        advance = self.fontMetrics().horizontalAdvance

        def width_of(item: _Item) -> int:
            return advance(item.sign) + 2 * _GAP * bool(item.sign) + self._text_width(item)

        room = self.width() - left
        items: Sequence[_Item] = ()
        for items in self._variants(found):
            if sum(map(width_of, items)) <= room:
                break
        else:
            fixed = sum(width_of(item) - advance(item.text) for item in items)
            most = max(_LEAST_WIDTH, (room - fixed) // max(len(items), 1))
            items = [i._replace(text=elide_text(i.text, self.fontMetrics(), most)) for i in items]
        placed, x = [], left
        for item in items:
            x += (advance(item.sign) + 2 * _GAP) * bool(item.sign)
            width = self._text_width(item)
            placed.append((item, QRect(x, 1, width, self.height() - 2)))
            x += width
        return placed

    def _text_width(self, item: _Item) -> int:
        framed = bool(item.links) or item.is_focus
        return self.fontMetrics().horizontalAdvance(item.text) + 2 * _PADDING * framed

    def _variants(self, found: Connections) -> Iterator[list[_Item]]:
        """Yield the items with fewer and fewer details, starting with all."""
        for stages in (2, 1):
            first = max(0, found.focus - stages)
            shown = found.stages[first : found.focus + stages + 1]
            for is_whole in (True, False):
                yield [
                    item
                    for at, stage in enumerate(shown, first)
                    for item in self._of_stage(stage, at, first, found.focus, is_whole=is_whole)
                ]

    def _of_stage(
        self, stage: tuple[Link, ...], at: int, first: int, focus: int, *, is_whole: bool
    ) -> Iterator[_Item]:
        sign = _ARROW if at > first else ""
        layers = tuple(link for link in stage if link.tensor)
        if len(stage) > 4 or (len(stage) > 1 and not is_whole):
            text = self.tr("{n} layers").format(n=count(len(stage)))
            yield _Item(sign, text, layers)
            return
        for number, link in enumerate(stage):
            links = (link,) if link.tensor else ()
            yield _Item(_BESIDE if number else sign, link.label, links, at == focus)

    def _set_button(self, number: int, item: _Item, place: QRect) -> None:
        """Show button `number` for an item; it is created if necessary."""
        while len(self._buttons) <= number:
            button = _LinkButton(self)
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(self._on_clicked)
            self._buttons.append(button)
        button = self._buttons[number]
        names = [link.tensor for link in item.links]
        button.setText(item.text)
        button.setProperty("tensors", names)
        button.setToolTip("\n".join(names))
        button.setAccessibleName(self.tr("Go to {name}").format(name=join_names(*names)))
        button.setGeometry(place)
        button.show()

    @Slot()
    def _on_clicked(self) -> None:
        """Go to the layer of a button; of several, show a menu below it."""
        button = self.sender()
        assert isinstance(button, QToolButton)
        names: list[str] = button.property("tensors")
        if len(names) == 1:
            self.tensorRequested.emit(names[0])
            return
        self.menu.clear()
        for name in names:
            self.menu.addAction(name).setData(name)
        self.menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    @Slot(QAction)
    def _on_chosen(self, action: QAction) -> None:
        self.tensorRequested.emit(action.data())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the focus between the buttons by Left and Right."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        buttons = self.buttons
        at = next((n for n, button in enumerate(buttons) if button.hasFocus()), -1)
        if step and at >= 0:
            buttons[min(max(at + step, 0), len(buttons) - 1)].setFocus()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette, metrics = self.palette(), self.fontMetrics()
        for item, place in self._items:
            if item.sign:
                width = metrics.horizontalAdvance(item.sign) + 2 * _GAP
                painter.setPen(palette.color(MUTED))
                box = QRect(place.left() - width, place.top(), width, place.height())
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, item.sign)
            if item.is_focus:
                painter.setPen(palette.color(QPalette.ColorRole.WindowText))
                painter.setBrush(palette.base())
                frame = QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5)
                painter.drawRoundedRect(frame, 4, 4)
            if item.is_focus or not item.links:
                painter.setPen(palette.color(QPalette.ColorRole.WindowText))
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, item.text)
        painter.end()
