"""Notices over the plot: errors and information, each with an optional action and details."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFontDatabase,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from pruneapp.gui.widgets.controls import (
    add_row,
    follow_font,
    lay_in_column,
    single_shot,
    symbol_button,
)
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    TEXT,
    ElidedLabel,
    Ink,
    as_plain,
    heading,
    plain,
)
from pruneapp.gui.widgets.number_format import plural

if TYPE_CHECKING:  # deferred: it imports numpy, and the first paint of the window shows notices
    from pruneapp.gui.widgets.short_names import ShortNames

# How many notices are shown; older ones are counted, so that the plot keeps its height.
_MOST = 2
# How long a notice that is repeated is highlighted, in milliseconds.
FLASH_MS = 400
_MAX_ROOM = 0.3  # maximum share of the height of a chart that it gives to notices
_MARGIN = 8  # pixels to the edges of the plot
_MIN_WIDTH = 320  # narrower notices cover an axis at the left instead
# Window heights in pixels: below the first, one notice of one line is shown; below the second, one.
_LOW, _MEDIUM = 560, 720


class _Line(ElidedLabel):
    """A label with one elided line. `fitted` is emitted after each change of its size."""

    elide = Qt.TextElideMode.ElideRight
    fitted = Signal()

    @property
    def cut(self) -> bool:
        """Whether the text is elided."""
        width = self.contentsRect().width()
        return self.shortened(width) != self.text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fitted.emit()


class NoticeRow(QWidget):
    """A notice: its wrapped sentence, or one elided line of it in low windows.

    `action` is the label of its button, "" for none; `call` is what the button does. `details` are
    hidden behind another button, "" for none. `trouble` shows it as an error. `short` has the short
    forms of tensor names, None for none. Close and Escape emit `closed`; the owner removes the row.
    """

    closed = Signal(object)  # (NoticeRow)

    def __init__(
        self,
        sentence: str,
        *,
        action: str,
        details: str,
        trouble: bool,
        short: ShortNames | None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.call: Callable[[], object] | None = None  # what the action button does
        self.content = (sentence, action, details, trouble)
        self._trouble = trouble
        self._short = False
        self.glyph = heading("✕" if trouble else "i")
        self.glyph.setForegroundRole(DANGER if trouble else TEXT)
        self.glyph.setAccessibleName(self.tr("Error") if trouble else self.tr("Note"))
        text = short.in_text(sentence) if short else sentence
        self.sentence = plain(text, wrap=True)
        if text != sentence:
            self.sentence.setToolTip(as_plain(sentence))
            self.sentence.setAccessibleDescription(sentence)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.line = _Line(sentence, self)
        if short:
            self.line.set_names(short)
        self.line.hide()
        self.older = plain(ink=MUTED)
        self.older.hide()
        self.action = QPushButton(action, self)
        self.action.setVisible(bool(action))
        self.more = QPushButton(self.tr("Details"), self)
        self.more.setCheckable(True)
        self.more.setFlat(True)
        follow_font(
            self.more,
            lambda more: more.setFixedWidth(more.fontMetrics().horizontalAdvance(more.text()) + 16),
        )
        self.more.setVisible(bool(details))
        self.close_button = symbol_button("×", self.tr("Close this notice"), self)
        self.close_button.setAutoRaise(True)
        self.details = QPlainTextEdit(self)
        self.details.setReadOnly(True)
        self.details.setTabChangesFocus(True)
        self.details.setPlainText(details)
        # Fixed width, as tracebacks mark positions in a line by characters below it.
        self.details.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        follow_font(
            self.details, lambda text: text.setFixedHeight(text.fontMetrics().lineSpacing() * 6)
        )
        self.details.setAccessibleName(self.tr("Details"))
        self.copy = QPushButton(self.tr("Copy details"), self)
        self.details.hide()
        self.copy.hide()

        layout = lay_in_column(self, margins=_MARGINS)
        buttons = self.action, self.more, self.close_button
        line = add_row(layout, self.glyph, self.sentence, self.line, self.older, *buttons)
        for label in (self.sentence, self.line):
            line.setStretchFactor(label, 1)
        below = add_row(layout, self.details, wide=self.details)
        below.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignTop)

        self.action.clicked.connect(self._act)
        self.close_button.clicked.connect(self._close)
        self.more.toggled.connect(self._arrange)
        self.line.fitted.connect(self._arrange)
        self.copy.clicked.connect(self._copy)
        self.flash_timer = single_shot(self, FLASH_MS, self.update)

    def flash(self) -> None:
        """Highlight the notice for a moment and announce it again, as it was repeated."""
        self.flash_timer.start()
        self.update()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.content[0]))

    def set_short(self, *, short: bool, older: str = "") -> None:
        """Show the notice on one line, with the text `older`, or its whole sentence."""
        self._short = short
        self.older.setText(older)
        self._arrange()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the background, and a stripe whose color shows the severity, as the glyph does.

        The border is there because a notice covers a part of the plot.
        """
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().base())
        if self.flash_timer.isActive():
            color = self.palette().color(Ink.Highlight)
            color.setAlphaF(0.3)
            painter.fillRect(self.rect(), color)
        painter.setPen(self.palette().color(MUTED))
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        stripe = self.palette().color(DANGER if self._trouble else MUTED)
        painter.fillRect(QRect(0, 0, 4, self.height()), stripe)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the notice on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self._close()
        else:
            super().keyPressEvent(event)

    def _arrange(self) -> None:
        """Show or hide the parts of the notice, by its height, its details and the button Details.

        In a low window the sentence is one elided line; Details then shows all of it. The button is
        also there without details if the line is elided.
        """
        opened, details = self.more.isChecked(), bool(self.content[2])
        one_line = self._short and not opened
        layout = self.layout()
        assert layout is not None
        layout.setContentsMargins(*(_SHORT_MARGINS if one_line else _MARGINS))
        self.line.setVisible(one_line)
        self.sentence.setVisible(not one_line)
        self.older.setVisible(self._short and bool(self.older.text()))
        self.details.setVisible(opened and details)
        self.copy.setVisible(opened and details)
        rest = self._short and (opened or self.line.cut)
        self.more.setVisible(details or rest)

    def _act(self) -> None:
        if self.call is not None:
            self.call()

    def _close(self) -> None:
        self.closed.emit(self)

    def _copy(self) -> None:
        text = "\n\n".join(filter(None, (self.content[0], self.details.toPlainText())))
        QGuiApplication.clipboard().setText(text)


# Margins of a notice, and of one that is shown on one line.
_MARGINS, _SHORT_MARGINS = (16, 8, 8, 8), (16, 0, 8, 0)


class NoticeBar(QWidget):
    """A list of notices, the newest first. Only `_MOST` of them are visible, one in low windows.

    After `float_above` they cover the bottom of other widgets, or get space below them.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._most, self._short = _MOST, False
        # Widgets, each with the function that returns the margins not to cover, and the widget
        # that makes space.
        self._anchors: list[tuple[QWidget, Callable[[], QMargins], QWidget | None]] = []
        self._panel: QWidget | None = None
        self._names: ShortNames | None = None
        self.notices: list[NoticeRow] = []
        self._by_topic: dict[object, NoticeRow] = {}
        self._layout = lay_in_column(self, spacing=4)
        self.waiting = plain(ink=MUTED)
        self.waiting.setContentsMargins(_MARGINS[0], 0, _MARGINS[2], 4)
        self.waiting.hide()
        self.setBackgroundRole(Ink.Base)
        self.setAutoFillBackground(True)
        self._layout.addWidget(self.waiting)
        self.hide()

    def float_above(
        self,
        anchor: QWidget,
        axes: Callable[[], QMargins] = QMargins,
        *,
        room: QWidget | None = None,
    ) -> None:
        """Show the notices over the bottom of a widget while it is visible.

        The last widget has priority. They must have the same parent as the notices, or one below.
        `axes` returns the margins not to cover at the left and the bottom; a notice for which the
        rest is too narrow or too low covers them.

        `room`, which contains the widget, gets a margin at its bottom for the notices, so that they
        cover nothing, unless they are higher than `_MAX_ROOM` of it.
        """
        self._anchors.insert(0, (anchor, axes, room))
        anchor.installEventFilter(self)

    def add_panel(self, panel: QWidget) -> None:
        """Add another widget below the notices, where it is shown unless it is hidden itself."""
        self._panel = panel
        self._layout.addWidget(panel)
        panel.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the geometry of the widgets below, and show or hide the panel."""
        if event.type() in {QEvent.Type.ShowToParent, QEvent.Type.HideToParent}:
            self._show_if_needed()
        elif event.type() in {QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show}:
            self._place()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        """Adapt the height to changes of the notices, such as visible details."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._place()
        return done

    def _place(self) -> None:
        found = next((each for each in self._anchors if each[0].isVisible()), None)
        parent = self.parentWidget()
        if found is None or parent is None:
            return
        anchor, axes, room = found
        left, width = _MARGIN, anchor.width() - 2 * _MARGIN
        height = self._height_at(width)
        makes_room = room is not None and height + _MARGIN <= _MAX_ROOM * room.height()
        for _, _, each in self._anchors:
            if each is not None:
                used = makes_room and each is room and not self.isHidden()
                each.setContentsMargins(0, 0, 0, height + _MARGIN if used else 0)
        if room is not None and makes_room:
            bottom = anchor.mapFrom(room, QPoint(0, room.height())).y()
        else:
            margins = axes()
            beside = anchor.width() - margins.left() - _MARGIN
            if margins.left() > _MARGIN and beside >= _MIN_WIDTH:
                left, width = margins.left(), beside
            height = min(self._height_at(width), anchor.height() - 2 * _MARGIN)
            below = max(_MARGIN, min(margins.bottom(), anchor.height() - _MARGIN - height))
            bottom = anchor.height() - below
        place = anchor.mapTo(parent, QPoint(left, bottom - height))
        self.setGeometry(QRect(place, QSize(width, height)))
        self.raise_()

    def _height_at(self, width: int) -> int:
        """Return the height of all visible notices at a width in pixels."""
        if self._layout.hasHeightForWidth():
            return self._layout.totalHeightForWidth(width)
        return self._layout.totalSizeHint().height()

    def set_names(self, names: ShortNames) -> None:
        """Set the short forms of tensor names, which new notices use."""
        self._names = names

    def set_notice(
        self,
        sentence: str,
        *,
        topic: object = None,
        action: str = "",
        call: Callable[[], object] | None = None,
        details: str = "",
        trouble: bool = True,
    ) -> NoticeRow:
        """Show a notice above all others, or an existing one with the same content, and return it.

        It replaces the last notice of the same `topic`, unless that is None. An existing notice
        becomes the newest, flashes, and gets the new `call`, which the button labeled `action`
        calls; there is no button if `action` is "". `details` are hidden behind a button.
        `trouble`: whether it is shown as an error.
        """
        content = (sentence, action, details, trouble)
        notice = next((old for old in self.notices if old.content == content), None)
        if notice is None:
            notice = self._add(sentence, action=action, details=details, trouble=trouble)
        else:
            self._repeat(notice)
        notice.call = call
        if topic is not None:
            older, self._by_topic[topic] = self._by_topic.get(topic), notice
            if older is not notice:
                self.remove(older)
        return notice

    def _repeat(self, notice: NoticeRow) -> None:
        """Move a notice to the top, and let it flash."""
        self.notices.remove(notice)
        self.notices.insert(0, notice)
        self._layout.removeWidget(notice)
        self._layout.insertWidget(0, notice)
        self._arrange()
        notice.flash()

    def _add(self, sentence: str, *, action: str, details: str, trouble: bool) -> NoticeRow:
        """Add a notice at the top, announce it to screen readers, and return it."""
        notice = NoticeRow(
            sentence,
            action=action,
            details=details,
            trouble=trouble,
            short=self._names,
            parent=self,
        )
        notice.closed.connect(self.remove)
        self.notices.insert(0, notice)
        self._layout.insertWidget(0, notice)
        self._arrange()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))
        return notice

    def remove(self, notice: NoticeRow | None) -> None:
        """Remove a notice and delete it.

        It does nothing for None, or if the notice was removed before.
        """
        if notice in self.notices:
            self.notices.remove(notice)
            self._layout.removeWidget(notice)
            notice.hide()
            notice.deleteLater()
            self._arrange()

    def has_topic(self, topic: object) -> bool:
        return self._by_topic.get(topic) in self.notices

    def end(self, *topics: object) -> None:
        """Remove the notices of topics, because they no longer apply."""
        for topic in topics:
            self.remove(self._by_topic.pop(topic, None))

    def end_error(self, sentence: str) -> None:
        """Remove the error with this sentence, if it is shown."""
        errors = (notice for notice in self.notices if notice.content[3])
        self.remove(next((notice for notice in errors if notice.content[0] == sentence), None))

    def close_newest(self) -> bool:
        """Remove the newest notice, and return whether there was one."""
        newest = next(iter(self.notices), None)
        self.remove(newest)
        return newest is not None

    def clear(self) -> None:
        for notice in tuple(self.notices):
            self.remove(notice)
        self._by_topic.clear()

    def set_height(self, window: int) -> None:
        """Adapt the number and size of notices to the height of the window, `window` in pixels."""
        most, short = _MOST if window >= _MEDIUM else 1, window < _LOW
        if (most, short) != (self._most, self._short):
            self._most, self._short = most, short
            self._arrange()

    def _arrange(self) -> None:
        """Show the first `_most` notices and the number of the others.

        Without any, hide the bar.
        """
        rest = len(self.notices) - self._most
        older = self.tr("{n} older").format(n=rest) if rest > 0 else ""
        for place, notice in enumerate(self.notices):
            notice.set_short(short=self._short, older=older)
            notice.setVisible(place < self._most)
        self.waiting.setVisible(rest > 0 and not self._short)
        words = plural(rest, self.tr("1 older notice"), self.tr("{n} older notices"))
        self.waiting.setText(words)
        self._show_if_needed()

    def _show_if_needed(self) -> None:
        has_panel = self._panel is not None and not self._panel.isHidden()
        self.setVisible(bool(self.notices) or has_panel)
        self._place()
