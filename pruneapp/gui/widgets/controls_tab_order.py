"""The order in which Tab goes through a window: as one reads, whenever its parts were made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from pruneapp.gui.widgets.controls_layouts import widgets_in


def move_focus(parts: Iterable[QWidget | None], here: QWidget | None, *, forward: bool) -> bool:
    """Go where Tab leads from a widget, or Shift+Tab; False if it is in none of the parts.

    The chain that Qt keeps is in the order in which widgets were made, and mending it breaks for
    widgets that are made of others. O(n) in the number of widgets.

    Parameters
    ----------
    parts
        Of a window, in their order; behind the last comes the first.
    here
        What has the focus; None for nothing.
    forward
        Whether it is Tab.
    """
    there = None if here is None else _stop_after(parts, here, forward=forward)
    if there is None:
        return False
    tab, back = Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason
    there.setFocus(tab if forward else back)
    return True


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
