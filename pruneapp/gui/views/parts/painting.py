"""Painting that cannot end the process."""

from __future__ import annotations

import sys
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
    """Report an exception where it happens, instead of letting it leave the ``paint`` of an item.

    A scene that an exception went through ends the process with the next picture.
    """

    @wraps(paint)
    def safely(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            paint(*args, **kwargs)
        except Exception:  # noqa: BLE001 - a bug of ours, whatever it is
            kind, error, trace = sys.exc_info()
            assert kind is not None
            assert error is not None
            sys.excepthook(kind, error, trace)

    return safely
