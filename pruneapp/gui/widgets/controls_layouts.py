"""What lies in a layout, without asking for its items.

An item of a layout is no QObject: Qt deletes it with its widget and cannot tell Python so. Whoever
asks for one (`itemAt`, `takeAt`, `replaceWidget`) leaves its address in shiboken's table, and
whatever Qt makes there next, such as a label under construction, is taken for the item that was.
PySide asks for items by itself when a layout that holds something is added to another: add it
first, and fill it then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QBoxLayout, QLayout, QWidget


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
