"""Controls that share wheel and keys with the window; layouts without their items; order of Tab.

An item of a layout is no QObject: Qt deletes it with its widget and cannot tell Python so. Whoever
asks for one (`itemAt`, `takeAt`, `replaceWidget`) leaves its address in shiboken's table, and
whatever Qt makes there next, such as a label under construction, is taken for the item that was.
PySide asks for items by itself when a layout that holds something is added to another: add it
first, and fill it then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import TypeVar

from PySide6.QtCore import (
    QElapsedTimer,
    QEvent,
    QItemSelectionModel,
    QKeyCombination,
    QObject,
    QRect,
    Qt,
    QTimer,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSlider,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pruneapp.gui.widgets.labels import elided
from pruneapp.gui.widgets.safe_paint import reported

L = TypeVar("L", QHBoxLayout, QVBoxLayout)

_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)
_BESIDE_TEXT = 2  # pixels that styles leave free on either side of a text
_MOST = 2**31 - 1  # what Qt's boxes can hold


def single_shot(
    parent: QObject, interval_ms: int, call: Callable[[], object] | SignalInstance
) -> QTimer:
    """Return a timer that calls once, so long after it was started last."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(interval_ms)
    timer.timeout.connect(call)
    return timer


class ComboBox(QComboBox):
    """A box to choose from whose choice a wheel changes only with the focus.

    Qt's own takes the wheel wherever the pointer happens to be, so that scrolling a form changes
    the values that come under it, unseen. What is typed chooses by the beginnings of the items. A
    key with which none of them begins is left to the shortcuts of the window. Where text can be
    entered, every key is text.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # else the wheel brings the focus
        self._typed = ""
        self._since = QElapsedTimer()
        self._followed: QItemSelectionModel | None = None  # of the list, once it was shown
        # Keys and the mouse select an item first, and then move the cursor to it.
        self._following = single_shot(self, 0, self._take_selected)

    def showPopup(self) -> None:
        """Show the list, in which a screen reader may choose."""
        super().showPopup()
        selection = self.view().selectionModel()
        if self._followed is not selection:
            self._followed = selection
            selection.selectionChanged.connect(self._on_selected)

    def _on_selected(self) -> None:
        self._following.start()

    def _take_selected(self) -> None:
        """Choose an item that was selected in the list without the cursor: by a screen reader.

        It can do that alone; Qt takes nothing but what is clicked, or entered by Return.
        """
        view = self.view()
        chosen = [index.row() for index in view.selectionModel().selectedIndexes()]
        if view.isVisible() and len(chosen) == 1 and chosen[0] != view.currentIndex().row():
            self.hidePopup()
            self.setCurrentIndex(chosen[0])
            self.activated.emit(chosen[0])

    def event(self, event: QEvent) -> bool:
        """Take what is typed to choose by it, before the window's keys of one letter do."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not self.isEditable()
            and event.text().isprintable()
            and event.text()
            and not event.modifiers() & _COMMANDS
        ):
            event.setAccepted(self._chooses(event.text()))
            return True
        return super().event(event)

    def _chooses(self, text: str) -> bool:
        """Whether what is typed means something here: a space opens the list."""
        # As in Qt's search: what follows at once goes on with what was typed before.
        goes_on = self._since.isValid() and self._since.elapsed() < (
            QApplication.keyboardInputInterval()
        )
        self._since.start()
        typed = self._typed + text if goes_on else text
        matches = any(
            self.itemText(place).casefold().startswith(typed.casefold())
            for place in range(self.count())
        )
        self._typed = typed if matches else ""
        return matches or text == " "

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change the choice, or let it scroll what this lies in; what is typed stays."""
        if self.isEditable():
            event.ignore()
        elif _takes_wheel(self, event):
            super().wheelEvent(event)


class ElidedBox(ComboBox):
    """A box that loses the middle of its text where room is short: items may differ at the end."""

    @reported
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the box, and of its text what fits."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = (
            self.style()
            .subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self)
            .width()
        )
        option.currentText = self.shown_text(room - 2 * _BESIDE_TEXT)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def shown_text(self, width: int) -> str:
        """Return what is shown of the text in so many pixels."""
        return elided(self.currentText(), self.fontMetrics(), width)


def choice_box(
    name: str,
    tip: str,
    items: Iterable[tuple[str, object]] = (),
    *,
    kind: type[ComboBox] = ComboBox,
) -> ComboBox:
    """Return a box of labels and their data, as wide as they need; screen readers say `name`."""
    box = kind()
    box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
    box.setAccessibleName(name)
    box.setToolTip(tip)
    for label, data in items:
        box.addItem(label, data)
    return box


class SpinBox(QSpinBox):
    """A box for a whole number that a wheel changes only with the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._steps = self.minimum(), self.maximum()

    def set_steps(self, low: int, high: int) -> None:
        """Let steps stay within bounds; what is typed beyond them can be said to be wrong."""
        self._steps = low, high
        self.setRange(-_MOST, _MOST)

    def stepBy(self, steps: int) -> None:
        """Go some steps up or down, not over the bounds."""
        low, high = self._steps
        self.setValue(min(max(self.value() + steps * self.singleStep(), low), high))
        self.selectAll()

    def stepEnabled(self) -> QSpinBox.StepEnabledFlag:
        """Say which way is open."""
        low, high = self._steps
        open_ = QSpinBox.StepEnabledFlag.StepNone
        if self.value() < high:
            open_ |= QSpinBox.StepEnabledFlag.StepUpEnabled
        if self.value() > low:
            open_ |= QSpinBox.StepEnabledFlag.StepDownEnabled
        return open_

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change the number, or let it scroll what this lies in."""
        if _takes_wheel(self, event):
            super().wheelEvent(event)


class Slider(QSlider):
    """A slider, lying or standing, that a wheel moves only with the focus."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Move it, or let it scroll what this lies in."""
        if _takes_wheel(self, event):
            super().wheelEvent(event)


def _takes_wheel(control: QWidget, event: QWheelEvent) -> bool:
    """Whether a wheel is for a control; otherwise the event is left to what it lies in."""
    event.setAccepted(control.hasFocus())
    return control.hasFocus()


_EXPORT = QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_E)


class LineEdit(QLineEdit):
    """A field that leaves Ctrl+Z to the window while there is no typing to take back, and Ctrl+E.

    Qt's own takes undo and redo always, so that a step done from the keyboard could not be undone
    from there; and on X11 it takes Ctrl+E for the End key, so that nothing would be exported.
    """

    # By the person: typed, pasted, or put in by a screen reader; `textEdited` leaves that out.
    entered = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_set = False  # while the window itself sets the text
        self.textChanged.connect(self._on_changed)

    def setText(self, text: str | None, /) -> None:
        """Show a text; `entered` says nothing of it."""
        before, self._is_set = self._is_set, True
        super().setText(text)
        self._is_set = before

    def _on_changed(self, text: str) -> None:
        if not self._is_set:
            self.entered.emit(text)

    def event(self, event: QEvent) -> bool:
        """Let the shortcut of the window win where the field has no use for it."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            undo = event.matches(QKeySequence.StandardKey.Undo)
            redo = event.matches(QKeySequence.StandardKey.Redo)
            idle = (undo and not self.isUndoAvailable()) or (redo and not self.isRedoAvailable())
            if idle or event.keyCombination() == _EXPORT:
                event.ignore()
                return False
        return super().event(event)

    def clear_undo(self) -> None:
        """Keep the text, but forget how it was typed: what it asked for has been done."""
        place, start, length = (
            self.cursorPosition(),
            self.selectionStart(),
            len(self.selectedText()),
        )
        self.setText(self.text())
        self.setCursorPosition(place)
        if length:
            self.setSelection(start, length)


W = TypeVar("W", bound=QWidget)


class _FontFit(QObject):
    """What a widget has to do when the font changes; its child."""

    def __init__(self, widget: W, fit: Callable[[W], object]) -> None:
        super().__init__(widget)
        self._widget, self._fit = widget, fit

    def apply(self) -> None:
        self._fit(self._widget)


def follow_font(widget: W, fit: Callable[[W], object]) -> None:
    """Give a widget sizes that depend on its font, now and whenever the font changes.

    Whatever only asks layouts for room follows by itself.
    """
    fit(widget)
    _FontFit(widget, fit)


def fit_fonts(root: QWidget) -> None:
    """Let all widgets below one take the sizes that depend on their fonts."""
    for fit in root.findChildren(_FontFit):
        fit.apply()


def enlarge(label: QWidget, factor: float, *, bold: bool = False) -> None:
    """Give a widget the font of the application, so much larger."""
    font = QApplication.font(label)
    font.setPointSizeF(font.pointSizeF() * factor)
    font.setBold(bold)
    label.setFont(font)


_COPIED_MS = 2_000


class CopyButton(QPushButton):
    """Offers to copy what `description` says; whoever copies calls `set_copied`."""

    def __init__(self, description: str, parent: QWidget | None = None, text: str = "") -> None:
        super().__init__(parent)
        self._text = text or self.tr("Copy as text")
        self.setAccessibleDescription(description)
        self._offer()
        # Nothing moves when it says that it was done.
        follow_font(self, lambda button: button.setMinimumWidth(button.sizeHint().width()))
        self._again = single_shot(self, _COPIED_MS, self._offer)

    def set_copied(self) -> None:
        """Say that it was done."""
        self.setText(self.tr("✓ Copied"))
        self._again.start()

    def _offer(self) -> None:
        self.setText(self._text)


def symbol_button(symbol: str, name: str, parent: QWidget | None = None) -> QToolButton:
    """Make a button whose symbol is named by its tooltip and to screen readers."""
    button = QToolButton(parent)
    button.setText(symbol)
    button.setToolTip(name)
    button.setAccessibleName(name)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def _lay_out(
    kind: type[L],
    widget: QWidget,
    *parts: QWidget | int | None,
    spacing: int = 8,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    wide: QWidget | None = None,
) -> L:
    """Lay parts out in a row or a column of a widget, see `_fill`."""
    layout = kind(widget)
    layout.setContentsMargins(*margins)
    _fill(layout, parts, spacing, wide)
    return layout


lay_in_row = partial(_lay_out, QHBoxLayout)
lay_in_column = partial(_lay_out, QVBoxLayout)


def add_row(
    layout: QBoxLayout,
    *parts: QWidget | int | None,
    spacing: int = 8,
    wide: QWidget | None = None,
    stretch: int = 0,
) -> QHBoxLayout:
    """Add a row of parts to a layout, see `_fill`."""
    row = QHBoxLayout()
    layout.addLayout(row, stretch)
    _fill(row, parts, spacing, wide)
    return row


def _fill(
    layout: QBoxLayout, parts: Iterable[QWidget | int | None], spacing: int, wide: QWidget | None
) -> None:
    """Add parts, `wide` with the room that is left; None: room that grows, a number: pixels."""
    layout.setSpacing(spacing)
    for part in parts:
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, int):
            layout.addSpacing(part)
        else:
            layout.addWidget(part, int(part is wide))


def widgets_in(layout: QLayout) -> Iterator[QWidget]:
    """Yield the widgets that a layout and the layouts within it place, in their order.

    O(n * m log n) for n widgets of its parent and m layouts.
    """
    parent = layout.parentWidget()
    return _placed(layout, () if parent is None else parent.children())


def clear(layout: QLayout) -> None:
    """Remove and delete the widgets of a layout; what it has for room between them stays."""
    for widget in widgets_in(layout):
        layout.removeWidget(widget)
        widget.hide()
        widget.deleteLater()


def replace(layout: QBoxLayout, old: QWidget, new: QWidget) -> None:
    """Let a widget take the place of another, which is hidden and deleted."""
    layout.insertWidget(layout.indexOf(old), new)
    layout.removeWidget(old)
    old.hide()
    old.deleteLater()


def _placed(layout: QLayout, among: Sequence[QObject]) -> Iterator[QWidget]:
    places: list[tuple[int, QWidget | QLayout]] = [
        *((layout.indexOf(part), part) for part in among if isinstance(part, QWidget)),
        *((layout.indexOf(part), part) for part in layout.children() if isinstance(part, QLayout)),
    ]
    for place, part in sorted(places, key=itemgetter(0)):
        if place < 0:
            continue  # in another layout, or in none
        if isinstance(part, QLayout):
            yield from _placed(part, among)
        else:
            yield part


def move_focus(parts: Iterable[QWidget | None], here: QWidget | None, *, forward: bool) -> bool:
    """Go where Tab leads from a widget, or Shift+Tab; False if it is in none of the parts.

    The chain that Qt keeps is in the order in which widgets were made, and mending it breaks for
    widgets that are made of others. O(n) in the number of widgets. `parts` are of a window, in
    their order; `here` has the focus.
    """
    target = None if here is None else _stop_after(parts, here, forward=forward)
    if target is None:
        return False
    tab, back = Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason
    give_focus(target, tab if forward else back)
    return True


def give_focus(
    widget: QWidget, reason: Qt.FocusReason = Qt.FocusReason.ShortcutFocusReason
) -> None:
    """Give a widget the focus by a key or a command, and scroll to where it is seen."""
    widget.setFocus(reason)
    scroll_to(widget)


def scroll_to(widget: QWidget, part: QRect | None = None) -> None:
    """Scroll the areas around a widget so that it, or a part of it, is seen."""
    around = widget.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea) and part is None:
            around.ensureWidgetVisible(widget)
        elif isinstance(around, QScrollArea) and part is not None and (all_ := around.widget()):
            middle = widget.mapTo(all_, part.center())
            around.ensureVisible(middle.x(), middle.y(), 0, part.height())
        around = around.parentWidget()


def _stop_after(parts: Iterable[QWidget | None], here: QWidget, *, forward: bool) -> QWidget | None:
    stops = [
        stop
        for part in parts
        for stop in in_reading_order(part)
        if stop is here or stop.isAncestorOf(here) or (stop.isVisible() and stop.isEnabled())
    ]
    for place, stop in enumerate(stops):
        if stop is here or stop.isAncestorOf(here):
            return stops[(place + (1 if forward else -1)) % len(stops)]
    return None


def in_reading_order(widget: QWidget | None) -> Iterator[QWidget]:
    """Yield what takes the focus by Tab, shown or not, in the order of the layouts."""
    if widget is None:
        return
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None:
        yield widget  # with all that it is made of
        return
    layout = widget.layout()
    if layout is not None:
        for part in widgets_in(layout):
            yield from in_reading_order(part)
    elif isinstance(widget, QScrollArea):
        yield from in_reading_order(widget.widget())
    else:
        for child in widget.children():
            if isinstance(child, QWidget) and not child.isWindow():
                yield from in_reading_order(child)
