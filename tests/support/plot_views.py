"""What a person does in plots, in one call."""

from __future__ import annotations


def choose_order(view, key):
    """Choose what the bars are ordered by."""
    place = view.order_box.findData(key)
    view.order_box.setCurrentIndex(place)
    view.order_box.activated.emit(place)


def choose_channels(view, channels):
    """Select exactly these channels."""
    view._selection.reset(view._selection.chosen.size)
    view._selection.chosen[list(channels)] = True
    view._show_selection()


def put_cursor(view, index):
    """Put the cursor on the weight of this index, and bring it into sight."""
    view.canvas.set_cursor(*view._layout.place(index))
    view._update_readout()
