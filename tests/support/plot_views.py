"""Operations of a user in plots."""

from __future__ import annotations


def choose_order(view, key):
    """Select the sort order of the bars."""
    place = view.order_box.findData(key)
    view.order_box.setCurrentIndex(place)
    view.order_box.activated.emit(place)


def choose_channels(view, channels):
    """Select exactly these channels."""
    view._selection.reset(view._selection.chosen.size)
    view._selection.chosen[list(channels)] = True
    view._show_selection()


def put_cursor(view, index):
    """Move the cursor to the weight of this index, and scroll to it."""
    view.canvas.set_cursor(*view._layout.place(index))
    view._update_readout()
