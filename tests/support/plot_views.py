"""Operations of a user in plots."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint


def choose_order(view, key):
    """Select the sort order of the bars."""
    place = view.order_box.findData(key)
    view.order_box.setCurrentIndex(place)
    view.order_box.activated.emit(place)


def choose_channels(view, channels):
    """Select exactly these channels."""
    chosen = np.zeros(view.selected.size, bool)
    chosen[list(channels)] = True
    view.set_chosen(chosen)


def pixel(view, x, y=0.0):
    """Return the pixel of the canvas at a point of the plot."""
    return view.canvas.area.pixel(x, y).toPoint()


def colors_at(view, x, y, reach=3):
    """Return the names of the colors around a point of the plot."""
    return colors_around(view.canvas.viewport(), pixel(view, x, y), reach)


def colors_around(widget, middle, reach=3):
    """Return the names of the colors around a pixel of a widget."""
    image, span = widget.grab().toImage(), range(-reach, reach + 1)
    return {image.pixelColor(middle + QPoint(dx, dy)).name() for dx in span for dy in span}


def bar_text(view, bar):
    """Return what the readout says about a bar."""
    chart = view.chart()
    return chart.text(int(chart.order[bar]))


def bar_value(view, bar):
    """Return where the text behind a bar begins, and the text."""
    chart = view.chart()
    return chart.value(int(chart.order[bar]))


def put_cursor(view, index):
    """Move the cursor to the weight of this index, and scroll to it."""
    view.canvas.set_cursor(*view._layout.place(index))
    view._update_readout()
