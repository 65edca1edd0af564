"""Measure how soon a large tensor is painted, how smoothly it scrolls, and whether pixels are
right.

``python -m tests.benchmarks.heatmap JSON`` prints the result as JSON. It needs its own process,
whose scale is set by ``QT_SCALE_FACTOR``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from pruneapp.document.step import Row, Step
from pruneapp.gui.plots.heatmap.shading import Mode
from pruneapp.gui.plots.pages import Page
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.benchmarks.interaction import mouse
from tests.benchmarks.models import TALL
from tests.benchmarks.window import Hand, print_answer

SMALL, LARGE = "small.weight", "large.weight"
FRAMES = 60
FRAME_S = 1 / 60
# The level of 255 that separates pruned from kept pixels.
HALF = 128
# Rows and columns whose pixels are compared with the mask; the first are skipped because the axes
# are next to them.
FIRST, SHOWN = 16, 256
COMPARED = (slice(FIRST, FIRST + SHOWN), slice(FIRST, FIRST + SHOWN))


class Eye:
    """Observes the picture of the weights."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.view = hand.views.pages.weights
        self.canvas = self.view.canvas

    def there(self) -> bool:
        """Return whether a part of the large tensor is on the screen."""
        fine = self.canvas.item.fine
        return fine is not None and fine.request.name == LARGE

    def exact(self) -> bool:
        fine = self.canvas.item.fine
        return self.there() and not fine.sampled and not self.view.stale

    def settle(self) -> None:
        """Wait until the picture is exact and no more updates follow."""
        self.hand.wait(lambda: self.canvas.item.fine is not None and not self.view.stale)
        self.hand.rest(0.1)
        self.hand.wait_quiet()
        self.hand.rest(0.1)

    def choose(self) -> tuple[float, float, bool]:
        """Select the large tensor; return milliseconds until a first and until the exact picture.

        The third value is whether the first picture was marked as a sample.
        """
        looking = self.hand.bench.plots
        looking.show_tensor(SMALL)
        self.settle()
        seen = Frames(self.canvas.viewport(), self.there, self.exact)
        began = time.perf_counter()
        looking.show_tensor(LARGE)
        self.hand.wait(lambda: all(seen.at))
        first, exact = (1000 * (at - began) for at in seen.at)
        sampled = seen.at[0] < seen.at[1]
        seen.deleteLater()
        self.settle()
        return first, exact, sampled

    def frames(self, step: Callable[[int], None]) -> dict[str, Any]:
        """Call `step` 60 times at 60 Hz.

        Returns the milliseconds from each due time to the end of its painting, and the CPU time per
        frame of the main thread, which other processes do not affect.
        """
        viewport = self.canvas.viewport()
        painted = Painting(viewport)
        due: list[float] = []
        done: list[float] = []
        began = time.perf_counter() + FRAME_S

        def move() -> None:
            while len(due) < FRAMES and began + FRAME_S * len(due) <= time.perf_counter():
                due.append(began + FRAME_S * len(due))
                step(len(due))
                done.append(time.perf_counter())

        timer = QTimer()
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.timeout.connect(move)
        worked = time.thread_time()
        timer.start(1)
        self.hand.wait(lambda: len(due) == FRAMES)
        timer.stop()
        worked = 1000 * (time.thread_time() - worked) / FRAMES
        self.hand.rest(0.2)
        # The first painting that began after the step shows it.
        places = np.searchsorted(painted.begun, done)
        ended = painted.ended
        painted.deleteLater()
        late = [1000 * (ended[place] - at) for place, at in zip(places, due, strict=True)]
        return {"late": late, "worked": worked}

    def pixels(self) -> np.ndarray:
        """Return ``float64[h, w]``: the lightness of each pixel of the picture, from 0 to 255."""
        canvas, view = self.canvas, self.canvas.view
        image = canvas.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        grey = np.frombuffer(image.constBits(), np.uint8)
        grey = grey.reshape(image.height(), image.bytesPerLine() // 4, 4)[:, : image.width(), :3]
        light = grey @ np.array([0.114, 0.587, 0.299])
        ratio = canvas.devicePixelRatioF()
        (left, top), (right, bottom) = (
            canvas.viewportTransform().map(canvas.box.mapToScene(QPointF(x, y))).toTuple()
            for x, y in (view.pixel(0, 0), view.pixel(view.rows, view.columns))
        )
        inner = QRect(
            QPoint(round(left * ratio), round(top * ratio)),
            QPoint(round(right * ratio), round(bottom * ratio)),
        ).intersected(_device(canvas.box.sceneBoundingRect(), ratio))
        inner.adjust(4, 4, -4, -4)  # without its border
        return light[inner.top() : inner.bottom(), inner.left() : inner.right()]

    def close(self) -> np.ndarray:
        """Return ``bool[n, n]`` of `COMPARED`: which weights are painted as kept, at one pixel per
        weight.

        These are device pixels: two per logical pixel at a scale of 2.
        """
        canvas = self.canvas
        ratio = canvas.devicePixelRatioF()
        view = canvas.view
        # Place the first weight in the corner.
        canvas.set_viewport(
            replace(view, zoom=1 / ratio, x=view.width * ratio / 2, y=view.height * ratio / 2)
        )
        self.settle()
        view = canvas.view
        image = canvas.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        grey = np.frombuffer(image.constBits(), np.uint8)
        # the red channel
        grey = grey.reshape(image.height(), image.bytesPerLine() // 4, 4)[:, :, 2]
        corner = canvas.viewportTransform().map(
            canvas.box.mapToScene(QPointF(*view.pixel(FIRST + 0.5, FIRST + 0.5)))
        )
        row, column = int(corner.y() * ratio), int(corner.x() * ratio)
        return grey[row : row + SHOWN, column : column + SHOWN] < HALF


class Painting(QWidget):
    """Records when a widget was painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(None)
        self.begun: list[float] = []
        self.ended: list[float] = []
        self._widget = widget
        widget.installEventFilter(self)

    def eventFilter(self, watched: object, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if watched is self._widget and event.type() == QEvent.Type.Paint:
            self.begun.append(time.perf_counter())
            QTimer.singleShot(0, self.note)  # after the painting
        return False

    def note(self) -> None:
        self.ended.append(time.perf_counter())


class Frames(Painting):
    """Records when a widget was first painted while each of several conditions was true."""

    def __init__(self, widget: QWidget, *when: Callable[[], bool]) -> None:
        super().__init__(widget)
        self._when = when
        self._held = [False] * len(when)
        self.at = [0.0] * len(when)

    def eventFilter(self, watched: object, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if watched is self._widget and event.type() == QEvent.Type.Paint:
            self._held = [held or when() for held, when in zip(self._held, self._when, strict=True)]
            QTimer.singleShot(0, self.note)
        return False

    def note(self) -> None:
        now = time.perf_counter()
        self.at = [
            at or (now if held else 0.0) for at, held in zip(self.at, self._held, strict=True)
        ]


def _device(rect: Any, ratio: float) -> QRect:
    return QRect(
        round(rect.x() * ratio),
        round(rect.y() * ratio),
        round(rect.width() * ratio),
        round(rect.height() * ratio),
    )


def wheel(widget: QWidget, place: QPoint, steps: int) -> None:
    event = QWheelEvent(
        QPointF(place),
        QPointF(widget.mapToGlobal(place)),
        QPoint(0, 0),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def put_mask(hand: Hand, kept: np.ndarray) -> None:
    """Apply a mask directly, without the form, which would read it from a file."""
    session = hand.bench.session
    step = Step((Row((LARGE,), "custom_from_mask"),))
    preview = compute_preview(
        session.document.snapshot(),
        step,
        CpuKernel(),
        Job(),
        norms=False,
        given={LARGE: BitMask.from_bools(kept.reshape(-1))},
    )
    hand.when(session.changed, lambda: session.commit(preview))


def picture(path: str, rounds: int) -> dict[str, Any]:
    """Measure selecting, panning and zooming, then compare the pixels for two masks."""
    hand = Hand()
    hand.open(Path(path))
    hand.wait(lambda: not hand.bench.histograms.busy)
    hand.preview()
    # another benchmark may have left another page
    hand.views.pages.tabs.setCurrentIndex(Page.WEIGHTS)
    eye = Eye(hand)
    chosen = [eye.choose() for _ in range(rounds)]
    canvas = eye.canvas
    viewport = canvas.viewport()
    middle = viewport.rect().center()
    zoomed = eye.frames(lambda number: wheel(viewport, middle, 1 if number <= FRAMES // 2 else -1))
    for _ in range(12):
        canvas.zoom(1.25)
    eye.settle()
    mouse(QEvent.Type.MouseButtonPress, viewport, middle)
    panned = eye.frames(
        lambda number: mouse(
            QEvent.Type.MouseMove, viewport, middle + QPoint(4 * number % 160, 3 * number % 120)
        )
    )
    mouse(QEvent.Type.MouseButtonRelease, viewport, middle)
    canvas.fit()
    eye.view.set_mode(Mode.MASK)
    rng = np.random.default_rng(50)
    half = rng.random(TALL[LARGE]) < 0.5
    put_mask(hand, half)
    eye.settle()
    far = eye.pixels()
    found = {"half": float((eye.close() == half[COMPARED]).mean())}
    hand.window.actions_["undo"].trigger()
    two = np.zeros(TALL[LARGE], bool).reshape(-1, 4)
    order = rng.permuted(np.tile(np.array([True, True, False, False]), (two.shape[0], 1)), axis=1)
    two = order.reshape(TALL[LARGE])
    put_mask(hand, two)
    eye.settle()
    painted = eye.close()
    found["two"] = float((painted == two[COMPARED]).mean())
    groups = painted.reshape(-1, 4).sum(axis=1)
    found["groups"] = float((groups == 2).mean())
    hand.leave()
    return {
        "chosen": chosen,
        "zoomed": zoomed,
        "panned": panned,
        "far": [float(far.mean()), float(far.std()), int(far.size)],
        **found,
    }


if __name__ == "__main__":
    print_answer(lambda: picture(**json.loads(sys.argv[1])))
