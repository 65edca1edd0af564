"""What hands do, and what is there afterwards."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint

from pruneapp.edits.manual_edit import ManualEditRequest

CONV = "layers.1.conv1.weight"


def channel(name, index, operation="prune", shape=(8, 4, 3, 3)):
    """The gesture that does something to a channel."""
    box = ((index, index + 1), *((0, size) for size in shape[1:]))
    return ManualEditRequest(operation, name, (box,), "channel", 0)


def kept(person, name):
    """Which elements of a tensor are kept."""
    shape = person.document.checkpoint.entry(name).shape
    mask = person.document.masks.get(name)
    size = int(np.prod(shape))
    return (np.ones(size, bool) if mask is None else mask.bools(0, size)).reshape(shape)


def said(person):
    """What the status bar says was done last."""
    return person.window.done.label.text()


def middle_of_bar(person, bar):
    """A pixel inside of a bar, a little above the axis."""
    canvas = person.views.pages.channels.canvas
    foot = canvas.pixel_of(bar)
    return QPoint(foot.x(), foot.y() - 4)
