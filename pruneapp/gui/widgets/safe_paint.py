"""Protection against exceptions in paint code, which would end the process."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

from PySide6.QtGui import QPainter

P = ParamSpec("P")


@contextmanager
def saved_painter_state(painter: QPainter) -> Iterator[None]:
    """Save the state of a painter, and restore it after the block, also after an exception.

    Qt continues to use the painter and needs it unchanged.
    """
    painter.save()
    try:
        yield
    finally:
        painter.restore()


def report_exceptions(paint: Callable[P, None]) -> Callable[P, None]:
    """Decorate a paint method so that exceptions are passed to `sys.excepthook`, not raised.

    After an exception left a `QGraphicsScene`, the next paint crashes; so does a widget whose
    painter is kept alive by the frames of the exception.
    """

    @wraps(paint)
    def safely(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            paint(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - any bug is reported
            sys.excepthook(type(error), error, error.__traceback__)
            # A painter in the frames must end before Qt continues, even if the error is stored.
            traceback.clear_frames(error.__traceback__)

    return safely
