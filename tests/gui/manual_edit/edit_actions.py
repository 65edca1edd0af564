"""Manual edits and their results."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint

from pruneapp.edits.manual_edit import ManualEditRequest

CONV = "layers.1.conv1.weight"


def channel_edit(name, index, operation="prune", shape=(8, 4, 3, 3)):
    """Return the request for an operation on one channel."""
    box = ((index, index + 1), *((0, size) for size in shape[1:]))
    return ManualEditRequest(operation, name, (box,), "channel", 0)


def mask_of(user, name):
    """Return a bool array of the unpruned elements of a tensor."""
    shape = user.document.checkpoint.entry(name).shape
    mask = user.document.masks.get(name)
    size = int(np.prod(shape))
    return (np.ones(size, bool) if mask is None else mask.bools(0, size)).reshape(shape)


def status(user):
    """Return the text of the status bar."""
    return user.window.done.label.text()


def middle_of_bar(user, bar):
    """Return a pixel in a bar, a little above the axis."""
    canvas = user.views.pages.channels.canvas
    foot = canvas.pixel_of(bar)
    return QPoint(foot.x(), foot.y() - 4)
