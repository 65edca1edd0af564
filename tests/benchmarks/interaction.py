"""Measure how soon the window follows a drag, and how long counting takes.

``python -m tests.benchmarks.interaction JSON`` prints the result as JSON. It needs its own process,
whose memory is measured.
"""

from __future__ import annotations

import json
import sys
import time
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel, QSlider, QStyle, QStyleOptionSlider, QWidget

from pruneapp.analysis import histogram_store
from pruneapp.analysis.sparsity_report import CountsByName
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.preview.preview_state import PreviewState
from pruneapp.progress import Job
from pruneapp.statistics.file import Inputs, Origin, save_statistics
from tests.benchmarks.event_loop_delay import summary
from tests.benchmarks.memory import peak_bytes, reset_peak, resident_bytes
from tests.benchmarks.window import Hand, print_answer

EVENTS = 40
FRAME_S = 1 / 60
FROM, LEFT = 0.1, Qt.MouseButton.LeftButton
PIXELS = 1
# Pause after a drag: a preview that arrives during it would be for an outdated request.
REST_S = 0.6


class Seen(QObject):
    """Records when a number was first shown; numbers only increase during a drag.

    Parameters
    ----------
    widgets
        The widgets that show the number.
    number
        Returns the number that was last set.
    """

    def __init__(self, widgets: list[QWidget], number: Callable[[], float]) -> None:
        super().__init__(widgets[0])
        self._number = number
        self._painted: float | None = None
        self.numbers: list[float] = []
        self.times: list[float] = []
        for widget in widgets:
            widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.Paint and self._painted is None:
            self._painted = self._number()
            QTimer.singleShot(0, self._note)  # after the painting
        return False

    def _note(self) -> None:
        assert self._painted is not None
        if not self.numbers or self._painted > self.numbers[-1]:
            self.numbers.append(self._painted)
            self.times.append(time.perf_counter())
        self._painted = None

    def clear(self) -> None:
        self.numbers.clear()
        self.times.clear()

    def since(self, number: float) -> float:
        """Return when `number` or a larger one was first shown; infinity if never."""
        place = bisect_left(self.numbers, number)
        return self.times[place] if place < len(self.times) else float("inf")


@dataclass(frozen=True)
class Grip:
    """Something that can be dragged.

    Attributes
    ----------
    widget, start
        Where the drag starts.
    place
        Returns the current position.
    wanted
        Returns about how many pruned weights correspond to a position.
    """

    widget: QWidget
    start: QPoint
    place: Callable[[], float]
    wanted: Callable[[float], float]


class Follow:
    """Observes the panel and the tree during a drag."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.told = self.in_tree = 0.0
        panel, tree = hand.views.preview, hand.views.tree
        show, preview = panel.set_preview, tree.model.set_preview

        def set_state(state: PreviewState) -> None:
            if state.estimated or state.preview is not None:
                self.told = 0.0 if state.report is None else state.report.newly_pruned
            show(state)

        def set_preview(after: CountsByName | None, *more: Any) -> None:
            self.in_tree = 0.0 if after is None else float(after.counts.sum())
            preview(after, *more)

        panel.set_preview, tree.model.set_preview = set_state, set_preview
        # Only the visible labels of the forecast show the numbers.
        labels = [
            label for label in panel.findChildren(QLabel) if not label.visibleRegion().isEmpty()
        ]
        assert labels, "nothing of the forecast can be seen"
        self.panel = Seen([panel, *labels], lambda: self.told)
        self.tree = Seen([tree.view.viewport()], lambda: self.in_tree)

    def drag(self, grip: Grip, step: QPoint) -> tuple[list[float], float, float]:
        """Drag by 40 moves, one in each frame of 60 Hz.

        Returns the milliseconds from each move until its number of weights was painted in the panel
        and in the tree; those from the last move until the exact preview was painted; and the CPU
        time of the main thread per move, which other processes do not affect.
        """
        widget, start = grip.widget, grip.start
        hand = self.hand
        self.panel.clear()
        self.tree.clear()
        mouse(QEvent.Type.MouseButtonPress, widget, start)
        began = time.perf_counter() + FRAME_S
        due: list[float] = []
        places: list[float] = []

        def move() -> None:
            while len(due) < EVENTS and began + FRAME_S * len(due) <= time.perf_counter():
                # The latency of a move includes the time that the window was too busy to receive
                # it.
                due.append(began + FRAME_S * len(due))
                mouse(QEvent.Type.MouseMove, widget, start + step * len(due))
                places.append(grip.place())

        timer = QTimer()
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.timeout.connect(move)
        worked = time.thread_time()
        timer.start(2)
        hand.wait(lambda: len(due) == EVENTS)
        timer.stop()
        worked = 1000 * (time.thread_time() - worked) / EVENTS
        moved = places[0] < places[-1]
        assert moved, "nothing was moved"
        mouse(QEvent.Type.MouseButtonRelease, widget, start + step * EVENTS)
        hand.preview()
        shown = time.perf_counter()
        hand.rest(0.1)
        numbers = map(grip.wanted, places)  # computed after the drag, because it takes time
        follows = [
            1000 * (max(self.panel.since(number), self.tree.since(number)) - at)
            for at, number in zip(due, numbers, strict=True)
        ]
        return follows, 1000 * (shown - due[-1]), worked


def mouse(kind: QEvent.Type, widget: QWidget, place: QPoint) -> None:
    moving = kind == QEvent.Type.MouseMove
    event = QMouseEvent(
        kind,
        QPointF(place),
        QPointF(widget.mapToGlobal(place)),
        Qt.MouseButton.NoButton if moving else LEFT,
        Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else LEFT,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(widget, event)


def handle_of(slider: QSlider) -> QPoint:
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    control = QStyle.ComplexControl.CC_Slider
    handle = QStyle.SubControl.SC_SliderHandle
    return slider.style().subControlRect(control, option, handle, slider).center()


def interaction(path: str, rounds: int, statistics: str = "") -> dict[str, Any]:
    """Open a model, wait for its counts, and drag; also with Wanda if `statistics` is a file."""
    hand = Hand()
    before = resident_bytes()
    reset_peak()
    hand.open(Path(path))
    hand.beats.phase = "counting"
    began = time.perf_counter()
    hand.wait(lambda: not hand.bench.histograms.busy)
    counted = time.perf_counter() - began
    counting = [beat for beat in hand.beats.beats if beat.phase == "counting"]
    found: dict[str, Any] = {
        "counting": {
            "seconds": counted,
            "peak": (peak_bytes() - before) / 1e6,
            "held": hand.bench.session.document.snapshot().cache.nbytes / 1e6,
            "beats": summary(counting),
        }
    }
    hand.ask("l1_unstructured", f"{FROM:.0%}")  # the previous round may have used Wanda
    hand.preview()
    follow = Follow(hand)
    hand.beats.phase = "dragging"
    drags = [
        ("each", Page.WEIGHTS, "l1_unstructured", False, slider_of),
        ("global", Page.WEIGHTS, "l1_unstructured", True, slider_of),
        ("threshold", Page.DISTRIBUTION, "l1_unstructured", True, threshold_of),
    ]
    if statistics:
        hand.bench.form.load("statistics", write_statistics(Path(statistics), Path(path)))
        hand.wait(lambda: bool(hand.bench.form.statistics))
        drags.append(("wanda", Page.WEIGHTS, "wanda", False, partial(slider_of, each_row=True)))
    for name, page, method, everywhere, grip in drags:
        follows: list[float] = []
        exact: list[float] = []
        worked: list[float] = []
        hand.views.pages.tabs.setCurrentIndex(page)
        for _ in range(rounds):
            hand.ask(method, f"{FROM:.0%}", everywhere=everywhere)
            hand.rest(0.05)
            hand.preview()
            hand.rest(REST_S)
            took, until, work = follow.drag(grip(hand), QPoint(PIXELS, 0))
            follows += took
            exact.append(until)
            worked.append(work)
        found[name] = {"follows": follows, "exact": exact, "worked": worked}
    hand.leave()
    return found


def write_statistics(path: Path, model: Path) -> Path:
    """Write random statistics for all matrices of a model, with inputs of different sizes."""
    rng = np.random.default_rng(0)
    with open_checkpoint(model) as checkpoint:
        shapes = {e.name: e.shape for e in checkpoint.entries.values() if len(e.shape) == 2}
    inputs = {
        name: Inputs(rng.uniform(1, 100, (1, columns)), None, np.full(1, 1000.0))
        for name, (_, columns) in shapes.items()
    }
    save_statistics(path, inputs, Origin("calibrate"), Job())
    return path


def slider_of(hand: Hand, *, each_row: bool = False) -> Grip:
    """Return a grip of the handle of the amount slider.

    `each_row` states that the amount is a fraction of each row of a matrix, not of each tensor.
    """
    slider = hand.views.form.rules[0].fields.editors["amount"].slider
    rows = hand.views.tree.checked_rows()
    left, most = sum(row.numel for row in rows), slider.maximum()
    # Each row or tensor may differ by one weight because its fraction is rounded.
    few = max(1000, sum(row.shape[0] for row in rows) if each_row else len(rows))
    return Grip(slider, handle_of(slider), slider.value, lambda at: left * at / most - few)


def threshold_of(hand: Hand) -> Grip:
    """Return a grip of the threshold line in the distribution."""
    view = hand.views.pages.distribution
    canvas = view.canvas
    hand.wait(lambda: canvas.line is not None and canvas.line.editable)
    place = canvas.area
    start = QPointF(place.pixel(canvas.line.at, 0).x(), place.rect.center().y()).toPoint()
    snapshot = hand.bench.session.document.snapshot()
    names = hand.views.tree.checked_names()

    def wanted(threshold: float) -> float:
        # The form rounds a fraction to a few digits.
        return 0.9999 * histogram_store.count_up_to(snapshot, names, threshold) - 10_000

    return Grip(canvas.viewport(), start, lambda: view.threshold, wanted)


if __name__ == "__main__":
    print_answer(lambda: interaction(**json.loads(sys.argv[1])))
