"""Painting that cannot end the process."""

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
def saved(painter: QPainter) -> Iterator[None]:
    """Keep the state of a painter, and bring it back whatever happens in between.

    Qt goes on with the painter after an exception, and has to find it as it left it.
    """
    painter.save()
    try:
        yield
    finally:
        painter.restore()


def reported(paint: Callable[P, None]) -> Callable[P, None]:
    """Report an exception where it happens, instead of letting it leave what Qt calls to paint.

    A scene that an exception went through ends the process with the next picture; a widget does so
    whose painter lives on with the frames of the exception.
    """

    @wraps(paint)
    def safely(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            paint(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - a bug of ours, whatever it is
            sys.excepthook(type(error), error, error.__traceback__)
            # A painter that the frames hold has to end before Qt goes on, whoever keeps the error.
            traceback.clear_frames(error.__traceback__)

    return safely
