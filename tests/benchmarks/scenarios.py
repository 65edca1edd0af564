"""Operations in the real window that are measured."""

from __future__ import annotations

import contextlib
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from tests.benchmarks.event_loop_delay import Beat, summary
from tests.benchmarks.many_tensors import change_crowd
from tests.benchmarks.window import Hand

Answer = dict[str, Any]
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def opening(path: str, rounds: int, dump: str = "") -> Answer:
    """Open a file repeatedly; measure seconds from the click to the painted tree."""
    with contextlib.ExitStack() as stack:
        hand = Hand(stack.enter_context(Path(dump).open("w")) if dump else None)
        seconds = []
        for _ in range(rounds):
            hand.rest(1.0)  # the previous document has been released, and its jobs have ended
            seconds.append(hand.open(Path(path)))
            hand.beats.phase = "after opening"
            hand.rest(1.0)
            hand.beats.phase = "closing"
            hand.bench.session.close()
        hand.leave()
    beats = hand.beats.beats
    return {"seconds": seconds, "beats": summary(beats), "worst": _worst(beats, hand)}


def _worst(beats: list[Beat], hand: Hand) -> list[tuple[float, str, float]]:
    late = sorted(beats, key=lambda beat: -beat.late)[:8]
    return [(1000 * beat.late, beat.phase, beat.at - hand.first) for beat in late]


def job(path: str, target: str, dump: str = "") -> Answer:
    """Do the main job and measure event loop delays: open, L1 globally, Ln, undo, redo, export."""
    with contextlib.ExitStack() as stack:
        hand = Hand(stack.enter_context(Path(dump).open("w")) if dump else None)
        took = _job(hand, Path(path), Path(target))
        hand.leave()
    return {"took": took, **_heard(hand)}


def crowd(path: str, dump: str = "") -> Answer:
    """Do every operation on 25,000 tensors and measure event loop delays."""
    with contextlib.ExitStack() as stack:
        hand = Hand(stack.enter_context(Path(dump).open("w")) if dump else None)
        change_crowd(hand, Path(path))
        hand.leave()
    return _heard(hand)


def _heard(hand: Hand) -> Answer:
    beats = hand.beats.beats
    phases = list(dict.fromkeys(beat.phase for beat in beats))
    return {
        "all": summary(beats),
        "phases": {p: summary([b for b in beats if b.phase == p]) for p in phases},
        "worst": _worst(beats, hand),
    }


def _job(hand: Hand, path: Path, target: Path) -> dict[str, float]:
    took = {"ready": hand.ready - hand.first, "open": hand.open(path)}
    hand.beats.phase = "previewing the first step"
    began = time.perf_counter()
    hand.preview()
    took["first preview"] = time.perf_counter() - began
    hand.beats.phase = "previewing L1 50 % global"
    hand.ask("l1_unstructured", "50 %", everywhere=True)
    began = time.perf_counter()
    hand.rest(0.02)
    hand.preview()
    took["preview"] = time.perf_counter() - began
    hand.beats.phase = "looking at pages"
    for page in range(4):
        hand.views.pages.tabs.setCurrentIndex(page)
        hand.rest(0.5)
    hand.beats.phase = "pruning L1 50 % global"
    took["apply"] = hand.prune()
    hand.preview()
    hand.beats.phase = "previewing Ln"
    hand.ask("ln_structured", "30 %")
    hand.rest(0.02)
    hand.preview()
    hand.beats.phase = "pruning Ln"
    hand.prune()
    hand.beats.phase = "undoing and redoing"
    for name in ("undo", "undo", "redo", "redo"):
        began = time.perf_counter()
        hand.window.actions_[name].trigger()
        took[name] = max(took.get(name, 0.0), time.perf_counter() - began)
        hand.rest(0.3)
    hand.beats.phase = "exporting"
    took["export"] = hand.export(target)
    hand.beats.phase = "after the export"
    hand.rest(0.5)
    return took


def undoing(path: str, rounds: int) -> Answer:
    """Press the keys for undo and redo of a global step, while idle and while a worker computes.

    Returns the milliseconds until the key event was handled and until the window was repainted, by
    operation and by state of the worker.
    """
    hand = Hand()
    hand.open(Path(path))
    hand.ask("l1_unstructured", "50 %", everywhere=True)
    hand.rest(0.02)
    hand.preview()
    hand.prune()
    found: dict[str, list[tuple[float, float]]] = {}
    for busy in (False, True):
        for _ in range(rounds):
            for name, modifiers in (("undo", CONTROL), ("redo", CONTROL | SHIFT)):
                if busy:
                    hand.wait(lambda: _computes(hand))
                else:
                    hand.preview()
                    hand.wait_quiet()
                    hand.rest(0.1)
                took = hand.press(Qt.Key.Key_Z, modifiers)
                found.setdefault(f"{name}{', a worker computes' * busy}", []).append(took)
    hand.leave()
    return {"milliseconds": found}


def _computes(hand: Hand) -> bool:
    task = hand.bench.preview._exact_task
    return task is not None and task.begun


def steps(path: str, target: str, amounts: list[str], channels: str) -> Answer:
    """Do the steps of the acceptance test in the window and export."""
    hand = Hand()
    hand.open(Path(path))
    hand.ask("l1_unstructured", amounts[0], everywhere=True)
    hand.rest(0.02)
    hand.preview()
    hand.prune()
    hand.views.tree.set_checked(
        [row.name for row in hand.bench.session.rows if fnmatchcase(row.name, channels)]
    )
    hand.views.tree.checkedChanged.emit()
    hand.rest(0.1)
    hand.ask("ln_structured", amounts[1])
    hand.rest(0.02)
    hand.preview()
    hand.prune()
    for name in ("undo", "redo"):
        hand.window.actions_[name].trigger()
        hand.rest(0.1)
    hand.export(Path(target))
    labels = [item.label for item in hand.bench.session.document.items]
    hand.leave()
    return {"history": labels}
