"""What keys mean on a chart: pure arithmetic on what can be seen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

ZOOM_STEP = 1.25

ZOOMS = {
    Qt.Key.Key_Plus: ZOOM_STEP,
    Qt.Key.Key_Equal: ZOOM_STEP,
    Qt.Key.Key_Minus: 1 / ZOOM_STEP,
    Qt.Key.Key_Underscore: 1 / ZOOM_STEP,
}
STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1}
_BY_HAND = {Qt.Key.Key_Delete, Qt.Key.Key_R, Qt.Key.Key_P, Qt.Key.Key_Space}


def takes(event: QKeyEvent, *, line: bool, selecting: bool, chosen: bool) -> bool:
    """Return whether a key means something on a chart, and is to be no shortcut of the window.

    Parameters
    ----------
    line
        Whether there is a line to be moved.
    selecting
        Whether bars can be chosen.
    chosen
        Whether some are.
    """
    key, held = event.key(), event.modifiers()
    if held & Qt.KeyboardModifier.ControlModifier:
        return (line and key in STEPS) or (selecting and key == Qt.Key.Key_A)
    if key == Qt.Key.Key_Escape:
        return chosen
    return key in ZOOMS or key == Qt.Key.Key_0 or (selecting and key in _BY_HAND)


def moved(key: int, at: int, visible: tuple[int, int], bars: int) -> int | None:
    """Return where a key puts the cursor; None for keys that do not move it.

    Parameters
    ----------
    key
        Of `Qt.Key`.
    at
        The bar on which it is; with -1 the first key shows it at the first bar in sight.
    visible
        The first bar in sight and the one after the last: a page.
    bars
        How many there are.
    """
    start, stop = visible
    page = max(1, stop - start)
    places = {
        Qt.Key.Key_Left: at - 1 if at > 0 else max(at, start),
        Qt.Key.Key_Right: at + 1 if at >= 0 else start,
        Qt.Key.Key_Home: 0,
        Qt.Key.Key_End: bars - 1,
        Qt.Key.Key_PageUp: max(0, at - page),
        Qt.Key.Key_PageDown: at + page,
    }
    found = places.get(Qt.Key(key))
    return None if found is None else min(found, bars - 1)
