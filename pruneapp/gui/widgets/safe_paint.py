"""Protection against exceptions in handlers and paint code, which would end the process."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec

from PySide6.QtCore import QObject
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
    """Decorate a method that Qt calls: exceptions are passed to `sys.excepthook`, not raised.

    After an exception left a `QGraphicsScene`, the next paint crashes; so does a widget whose
    painter is kept alive by the frames of the exception. Event handlers need no decorator, see
    `guard_event_handlers`.
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


def guard_event_handlers() -> None:
    """Decorate the event handlers of all classes of `QObject` that are defined after this call.

    Under Python 3.11, PySide6 6.11 and 6.12 end the process if an exception that was made in C,
    such as the IndexError of a tuple, leaves a handler that Qt called while Python code was
    running. Handlers are the methods whose names end in "Event".
    """

    def decorate(cls: type[QObject], /, **options: Any) -> None:
        super(QObject, cls).__init_subclass__(**options)
        for name, method in [*vars(cls).items()]:
            if name.endswith("Event") and callable(method):
                setattr(cls, name, report_exceptions(method))

    QObject.__init_subclass__ = classmethod(decorate)  # type: ignore[assignment]  # PySide6 allows it
