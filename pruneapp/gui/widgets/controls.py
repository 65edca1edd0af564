"""Controls that leave the wheel and shortcuts to the window; layout helpers; tab order.

A `QLayoutItem` is not a QObject: Qt deletes it with its widget without notifying Python. Calls that
return one (`itemAt`, `takeAt`, `replaceWidget`) leave its address in a table of shiboken, and the
next object that Qt creates at this address, such as a label under construction, is taken for it.
PySide itself asks for the items of a layout that is added to another layout: add it while it is
empty, and fill it then. The functions below avoid items.
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
    QSignalBlocker,
    Qt,
    QTimer,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSlider,
    QSpinBox,
    QSplitter,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pruneapp.gui.widgets.labels import as_plain, elide_text

L = TypeVar("L", QHBoxLayout, QVBoxLayout)

_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)
_TEXT_MARGIN = 2  # pixels that styles leave free at each side of a text
_MAX_VALUE = 2**31 - 1  # maximum value of `QSpinBox`


def single_shot(
    parent: QObject, interval_ms: int, call: Callable[[], object] | SignalInstance
) -> QTimer:
    """Return a single-shot timer that calls `call` `interval_ms` after its last start."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(interval_ms)
    timer.timeout.connect(call)
    return timer


def call_soon(owner: QObject, call: Callable[[], object] | SignalInstance) -> None:
    """Call `call` when the events that are pending now are processed, unless `owner` dies first.

    `QTimer.singleShot` would keep `call`, and with it a closed window, for good in that case.
    """
    timer = single_shot(owner, 0, call)
    timer.timeout.connect(timer.deleteLater)
    timer.start()


class ComboBox(QComboBox):
    """A combo box that the wheel changes only if it has the focus.

    `QComboBox` handles the wheel whenever the pointer is over it, so that scrolling a form changes
    values unnoticed. Typing selects an item by the start of its text. Keys that match no item are
    left to the shortcuts of the window. In an editable box all keys are text.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # otherwise the wheel sets the focus
        self._typed = ""
        self._typing_timer = QElapsedTimer()
        # selection model of the popup, once it was shown
        self._watched_selection: QItemSelectionModel | None = None
        # Keys select an item before they move the cursor to it.
        self._selection_timer = single_shot(self, 0, self._choose_selected)
        # Active while a mouse event of the popup is processed: it may change only the selection.
        self._mouse_timer = QTimer(self, singleShot=True)

    def showPopup(self) -> None:
        """Show the popup, and follow its selection, which screen readers can change."""
        super().showPopup()
        selection = self.view().selectionModel()
        if self._watched_selection is not selection:
            self._watched_selection = selection
            selection.selectionChanged.connect(self._on_selected)
            self.view().viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note mouse events of the popup: the press that opens it selects what is below it."""
        if isinstance(event, QMouseEvent):
            self._mouse_timer.start()
        return super().eventFilter(watched, event)

    def _on_selected(self) -> None:
        if not self._mouse_timer.isActive():
            self._selection_timer.start()

    def _choose_selected(self) -> None:
        """Choose an item that a screen reader has selected in the popup, and emit `activated`.

        A screen reader changes only the selection; Qt accepts only clicks and Return.
        """
        view = self.view()
        chosen = [index.row() for index in view.selectionModel().selectedIndexes()]
        if view.isVisible() and len(chosen) == 1 and chosen[0] != view.currentIndex().row():
            self.hidePopup()
            self.setCurrentIndex(chosen[0])
            self.activated.emit(chosen[0])

    def event(self, event: QEvent) -> bool:
        """Accept characters that select an item, before single-letter shortcuts of the window."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not self.isEditable()
            and event.text().isprintable()
            and event.text()
            and not event.modifiers() & _COMMANDS
        ):
            event.setAccepted(self._accepts_character(event.text()))
            return True
        return super().event(event)

    def _accepts_character(self, text: str) -> bool:
        """Return whether a character continues the start of an item, or is a space.

        A space opens the popup. Characters typed in quick succession count together, without regard
        to case.
        """
        # As in Qt's search, characters typed in quick succession are combined.
        continues_word = self._typing_timer.isValid() and self._typing_timer.elapsed() < (
            QApplication.keyboardInputInterval()
        )
        self._typing_timer.start()
        typed = self._typed + text if continues_word else text
        matches = any(
            self.itemText(place).casefold().startswith(typed.casefold())
            for place in range(self.count())
        )
        self._typed = typed if matches else ""
        return matches or text == " "

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change the item if focused and not editable; else let the parent scroll."""
        if self.isEditable():
            event.ignore()
        elif _accept_wheel(self, event):
            super().wheelEvent(event)


class ElidedBox(ComboBox):
    """A combo box that elides the middle of its text, as items may differ at the end."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the box with its text elided to the available width."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self.shown_text(self.text_width())
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def text_width(self) -> int:
        """Return the width of the text area, in pixels."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        box = QStyle.ComplexControl.CC_ComboBox
        return self.style().subControlRect(box, option, part, self).width() - 2 * _TEXT_MARGIN

    def shown_text(self, width: int) -> str:
        """Return the text, elided to `width` pixels."""
        return elide_text(self.currentText(), self.fontMetrics(), width)


def choice_box(
    name: str,
    tip: str,
    items: Iterable[tuple[str, object]] = (),
    *,
    kind: type[ComboBox] = ComboBox,
) -> ComboBox:
    """Return a combo box of the class `kind` with (label, data) items, sized to its contents.

    `name` is its accessible name, `tip` its tooltip.
    """
    box = kind()
    box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
    box.setAccessibleName(name)
    box.setToolTip(tip)
    for label, data in items:
        box.addItem(label, data)
    return box


def set_choices(
    box: ComboBox, choices: Sequence[str], chosen: int, title: Callable[[str], str] = str
) -> None:
    """Replace the items of a box without signals, and select number `chosen`; -1 for none.

    A choice is the data of its item, and its text unless `title` returns another one. The box is
    hidden if there are fewer than two.
    """
    with QSignalBlocker(box):
        box.clear()
        for choice in choices:
            box.addItem(title(choice), choice)
        box.setCurrentIndex(chosen)
    box.setVisible(len(choices) > 1)


class SpinBox(QSpinBox):
    """A spin box that the wheel changes only if it has the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._steps = self.minimum(), self.maximum()

    def set_steps(self, low: int, high: int) -> None:
        """Limit steps by arrows, keys and wheel to bounds, but accept any typed number.

        A number outside can thus be reported as invalid.
        """
        self._steps = low, high
        self.setRange(-_MAX_VALUE, _MAX_VALUE)

    def stepBy(self, steps: int) -> None:
        """Change the value by some steps within the bounds of `set_steps`."""
        low, high = self._steps
        self.setValue(min(max(self.value() + steps * self.singleStep(), low), high))
        self.selectAll()

    def stepEnabled(self) -> QSpinBox.StepEnabledFlag:
        """Return the directions in which steps are possible."""
        low, high = self._steps
        open_ = QSpinBox.StepEnabledFlag.StepNone
        if self.value() < high:
            open_ |= QSpinBox.StepEnabledFlag.StepUpEnabled
        if self.value() > low:
            open_ |= QSpinBox.StepEnabledFlag.StepDownEnabled
        return open_

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change the value if focused; else ignore the event so that the parent scrolls."""
        if _accept_wheel(self, event):
            super().wheelEvent(event)


class Slider(QSlider):
    """A slider that the wheel moves only if it has the focus."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Move the slider if focused; else ignore the event so that the parent scrolls."""
        if _accept_wheel(self, event):
            super().wheelEvent(event)


def _accept_wheel(control: QWidget, event: QWheelEvent) -> bool:
    """Accept or ignore a wheel event; return True if the control has the focus."""
    event.setAccepted(control.hasFocus())
    return control.hasFocus()


_EXPORT = QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_E)


class LineEdit(QLineEdit):
    """A line edit that leaves Ctrl+E, and Ctrl+Z without typing to undo, to the window.

    `QLineEdit` always handles undo and redo, so that steps could not be undone by keyboard while it
    has the focus. On X11 it handles Ctrl+E as the End key.
    """

    # Text typed, pasted, or set by a screen reader; `textEdited` is not emitted for the latter.
    entered = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._setting_text = False  # while the program sets the text
        self.textChanged.connect(self._on_changed)

    def setText(self, text: str | None, /) -> None:
        """Set the text without emitting `entered`."""
        before, self._setting_text = self._setting_text, True
        super().setText(text)
        self._setting_text = before

    def _on_changed(self, text: str) -> None:
        if not self._setting_text:
            self.entered.emit(text)

    def event(self, event: QEvent) -> bool:
        """Leave shortcuts that the field does not need to the window, by returning False.

        These are Ctrl+E, and undo and redo without anything to undo or redo.
        """
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            undo = event.matches(QKeySequence.StandardKey.Undo)
            redo = event.matches(QKeySequence.StandardKey.Redo)
            unused = (undo and not self.isUndoAvailable()) or (redo and not self.isRedoAvailable())
            if unused or event.keyCombination() == _EXPORT:
                event.ignore()
                return False
        return super().event(event)

    def clear_undo(self) -> None:
        """Clear the undo history, as the text has been applied; text, cursor and selection stay."""
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
    """A callback for font changes; a child of its widget."""

    def __init__(self, widget: W, fit: Callable[[W], object]) -> None:
        super().__init__(widget)
        self._widget, self._fit = widget, fit

    def apply(self) -> None:
        self._fit(self._widget)


def follow_font(widget: W, fit: Callable[[W], object]) -> None:
    """Call `fit` with the widget for sizes that depend on its font, now and at each `fit_fonts`.

    The window calls that after font changes. Not needed for sizes that layouts compute.
    """
    fit(widget)
    _FontFit(widget, fit)


def fit_fonts(root: QWidget) -> None:
    """Call the callbacks of `follow_font` of all widgets below `root`."""
    for fit in root.findChildren(_FontFit):
        fit.apply()


class _ClickChoice(QObject):
    """Selects a radio button when a disabled field of its row is clicked."""

    def __init__(self, radio: QRadioButton) -> None:
        super().__init__(radio)
        self._radio = radio

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle a press on the disabled widget, or on a part of it, which passes it on."""
        if (
            not isinstance(event, QMouseEvent)
            or event.type() != QEvent.Type.MouseButtonPress
            or not isinstance(watched, QWidget)
            or watched.isEnabled()
            or not self._radio.isEnabled()
        ):
            return False
        self._radio.click()
        here = watched.childAt(event.position().toPoint()) or watched
        (here if here.focusPolicy() & Qt.FocusPolicy.ClickFocus else watched).setFocus(
            Qt.FocusReason.MouseFocusReason
        )
        return True


def choose_by_click(radio: QRadioButton, *fields: QWidget) -> None:
    """Let a click on a disabled field select its radio button and focus the field.

    A field that is enabled handles its clicks itself.
    """
    choice = _ClickChoice(radio)
    for field in fields:
        field.installEventFilter(choice)


class OptionBox(QCheckBox):
    """A check box that is not checked while its option does not apply, so that none looks chosen.

    `choice` is what it shows once the option applies again.
    """

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._applies, self._hidden_choice = True, False

    def choice(self) -> bool:
        """Return whether the option is chosen, also while it does not apply."""
        return self.isChecked() if self._applies else self._hidden_choice

    def set_choice(self, chosen: bool) -> None:
        """Choose the option, or not, without emitting signals."""
        self._hidden_choice = chosen
        with QSignalBlocker(self):
            self.setChecked(chosen and self._applies)

    def set_applicable(self, applies: bool) -> None:
        """Enable the box and show the choice, or disable and uncheck it; emits no signals."""
        chosen = self.choice()
        self._applies = applies
        self.setEnabled(applies)
        self.set_choice(chosen)


def enlarge(label: QWidget, factor: float, *, bold: bool = False) -> None:
    """Set the font of the application, scaled by `factor`."""
    font = QApplication.font(label)
    font.setPointSizeF(font.pointSizeF() * factor)
    font.setBold(bold)
    label.setFont(font)


_COPIED_MS = 2_000


class CopyButton(QPushButton):
    """A button that copies something. Call `set_copied` after copying.

    `description` is its accessible description, `text` its label, by default "Copy as text".
    """

    def __init__(self, description: str, parent: QWidget | None = None, text: str = "") -> None:
        super().__init__(parent)
        self._text = text or self.tr("Copy as text")
        self.setAccessibleDescription(description)
        self._reset_text()
        # The width is fixed, so that the changed text does not move anything.
        follow_font(self, lambda button: button.setMinimumWidth(button.sizeHint().width()))
        self._reset_timer = single_shot(self, _COPIED_MS, self._reset_text)

    def set_copied(self) -> None:
        """Show for a moment that it was copied."""
        self.setText(self.tr("✓ Copied"))
        self._reset_timer.start()

    def _reset_text(self) -> None:
        self.setText(self._text)


def set_problem(button: QPushButton, problem: str) -> None:
    """Disable a button because of a problem, its tooltip and description then; "" enables it."""
    button.setEnabled(not problem)
    button.setToolTip(as_plain(problem))
    button.setAccessibleDescription(problem)


def symbol_button(symbol: str, name: str, parent: QWidget | None = None) -> QToolButton:
    """Return a tool button with a symbol; `name` is its tooltip and accessible name.

    A click does not focus it, Tab does.
    """
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
    """Create a row or column layout of a widget; for the parameters see `_fill`.

    `margins` are left, top, right and bottom in pixels.
    """
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
    """Add a row to the end of a layout and return it; for the parameters see `_fill`.

    `stretch` is the share of the row in the remaining space of `layout`.
    """
    row = QHBoxLayout()
    layout.addLayout(row, stretch)
    _fill(row, parts, spacing, wide)
    return row


def _fill(
    layout: QBoxLayout, parts: Iterable[QWidget | int | None], spacing: int, wide: QWidget | None
) -> None:
    """Add parts to a layout: widgets, None for a stretch, a number for a gap in pixels.

    `wide` is the widget that gets the remaining space.
    """
    layout.setSpacing(spacing)
    for part in parts:
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, int):
            layout.addSpacing(part)
        else:
            layout.addWidget(part, int(part is wide))


def widgets_in(layout: QLayout) -> Iterator[QWidget]:
    """Yield the widgets of a layout and its nested layouts, in layout order; hidden ones as well.

    O(n * m log n) for n children of its parent widget and m layouts.
    """
    parent = layout.parentWidget()
    return _widgets_in_order(layout, () if parent is None else parent.children())


def clear(layout: QLayout) -> None:
    """Remove and delete the widgets of a layout; spacer items are kept."""
    for widget in widgets_in(layout):
        layout.removeWidget(widget)
        widget.hide()
        widget.deleteLater()


def replace(layout: QBoxLayout, old: QWidget, new: QWidget) -> None:
    """Replace a widget of a layout; the old one is hidden and deleted."""
    layout.insertWidget(layout.indexOf(old), new)
    layout.removeWidget(old)
    old.hide()
    old.deleteLater()


def _widgets_in_order(layout: QLayout, among: Sequence[QObject]) -> Iterator[QWidget]:
    """Yield the widgets `among` that are in a layout or its nested layouts, in layout order."""
    places: list[tuple[int, QWidget | QLayout]] = [
        *((layout.indexOf(part), part) for part in among if isinstance(part, QWidget)),
        *((layout.indexOf(part), part) for part in layout.children() if isinstance(part, QLayout)),
    ]
    for place, part in sorted(places, key=itemgetter(0)):
        if place < 0:
            continue  # in another layout or in none
        if isinstance(part, QLayout):
            yield from _widgets_in_order(part, among)
        else:
            yield part


def move_focus(parts: Iterable[QWidget | None], here: QWidget | None, *, forward: bool) -> bool:
    """Move the focus as Tab (or Shift+Tab if not `forward`) does; return whether it was moved.

    After the last widget comes the first. False if `here` is None or in none of the parts. Qt's own
    focus chain is the order of creation, and correcting it breaks for compound widgets. O(n) in the
    number of widgets.

    Parameters
    ----------
    parts
        Widgets of a window in visual order; None is ignored.
    here
        The widget that has the focus.
    """
    target = None if here is None else _next_stop(parts, here, forward=forward)
    if target is None:
        return False
    tab, back = Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason
    give_focus(target, tab if forward else back)
    return True


def give_focus(
    widget: QWidget, reason: Qt.FocusReason = Qt.FocusReason.ShortcutFocusReason
) -> None:
    """Focus a widget, and scroll to make it visible."""
    widget.setFocus(reason)
    scroll_to(widget)


def scroll_to(widget: QWidget, part: QRect | None = None) -> None:
    """Scroll all enclosing scroll areas until a widget is visible, or only its rectangle `part`."""
    ancestor = widget.parentWidget()
    while ancestor is not None:
        if isinstance(ancestor, QScrollArea) and part is None:
            ancestor.ensureWidgetVisible(widget)
        elif isinstance(ancestor, QScrollArea) and part is not None and (all_ := ancestor.widget()):
            middle = widget.mapTo(all_, part.center())
            ancestor.ensureVisible(middle.x(), middle.y(), 0, part.height())
        ancestor = ancestor.parentWidget()


def _next_stop(parts: Iterable[QWidget | None], here: QWidget, *, forward: bool) -> QWidget | None:
    """Return the visible, enabled widget after `here`, or before it if not `forward`.

    After the last one comes the first. None if `here` is in none of the parts.
    """
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
    """Yield `widget` if it accepts the focus by Tab, otherwise the widgets below it that do.

    Widgets in a layout or a splitter are in its order, and other children are skipped. Children of
    a widget without either are in the order of creation. Hidden and disabled
    widgets are included; widgets with a focus proxy and children that are windows are not. The
    children of a yielded widget are skipped. None yields nothing.
    """
    if widget is None:
        return
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None:
        yield widget  # without its children
        return
    layout = widget.layout()
    if layout is not None:
        for part in widgets_in(layout):
            yield from in_reading_order(part)
    elif isinstance(widget, QScrollArea):
        yield from in_reading_order(widget.widget())
    elif isinstance(widget, QSplitter):
        for at in range(widget.count()):
            yield from in_reading_order(widget.widget(at))
    else:
        for child in widget.children():
            if isinstance(child, QWidget) and not child.isWindow():
                yield from in_reading_order(child)
