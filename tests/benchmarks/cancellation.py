"""Cancel every long job of the window at random moments.

``python -m tests.benchmarks.cancellation JSON`` prints seconds as JSON: from the click on Cancel,
or from the request that supersedes the job, until no code of the job runs. Asserts that a cancelled
job has changed nothing.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.benchmarks.many_tensors import cancel_crowd
from tests.benchmarks.window import Hand, print_answer

Seconds = dict[str, list[float]]
# Number of moments at which opening is cancelled.
OPENINGS = 32
PAGES = {"the weights": 0, "the distribution": 1, "the channels": 2}


class Cancels:
    """Starts jobs and cancels them.

    Parameters
    ----------
    moments
        How many times each kind of job is cancelled, between its start and its usual end.
    target
        Path to export to; the file must never be created.
    """

    def __init__(self, hand: Hand, moments: int, target: Path) -> None:
        self.hand = hand
        self.target = target
        self.found: Seconds = {}
        self._moments = moments
        self._chance = random.Random(4)

    def clicked(
        self,
        what: str,
        lasts: float,
        start: Callable[[], object],
        end: Callable[[], object],
        times: Sequence[float] | None = None,
    ) -> None:
        """Click on Cancel while a job with a Cancel button runs.

        Moments are random, or `times` in seconds after the start. `end` cleans up if the job ended
        before the click.
        """
        hand = self.hand
        for moment in times or self._times(lasts):
            before = self._state()
            start()
            hand.rest(moment)
            if hand.bench.jobs.busy:
                cancel = hand.window.job_status.cancel
                seconds = hand.when(hand.bench.jobs.idle, cancel.click)
                self.found.setdefault(what, []).append(seconds)
                hand.rest(0.1)
                assert self._state() == before, f"{what}: cancelled, and something changed"
            else:
                end()

    def superseded(
        self, what: str, lasts: float, start: Callable[[], object], other: Callable[[], object]
    ) -> None:
        """Request something else while a background job runs."""
        hand = self.hand
        for moment in self._times(lasts):
            other()
            hand.wait_quiet()
            before = self._state()
            start()
            hand.rest(moment)
            older = [task for task in hand.bench.jobs._pending if task.begun]
            if not older:
                continue
            began = time.perf_counter()
            other()
            hand.wait(lambda tasks=older: not any(t in hand.bench.jobs._pending for t in tasks))
            self.found.setdefault(what, []).append(time.perf_counter() - began)
            assert self._state() == before, f"{what}: cancelled, and something changed"

    def _times(self, lasts: float) -> list[float]:
        return [lasts * self._chance.random() for _ in range(self._moments)]

    def _state(self) -> tuple[object, ...]:
        document = self.hand.bench.session.document
        left = [] if document is None else sorted(p.name for p in self.target.parent.iterdir())
        return document, document and document.revision, left


def crowds(path: str, target: str, moments: int) -> Seconds:
    """Cancel operations on 25,000 tensors; parameters as for `cancels`."""
    hand = Hand()
    work = Cancels(hand, moments, Path(target))
    cancel_crowd(work, Path(path))
    hand.leave()
    return work.found


def cancels(path: str, openings: Mapping[str, str], target: str, moments: int) -> Seconds:
    """Open, preview, show pictures, count and export, and cancel each many times.

    Parameters
    ----------
    path
        The file for everything except opening.
    openings
        Additional files to open, by display name.
    target, moments
        See `Cancels`.
    """
    hand = Hand()
    work = Cancels(hand, moments, Path(target))
    for words, large in openings.items():
        _opens(work, f"opening {words}", Path(large))
    hand.open(Path(path))
    hand.preview()
    _previews(work)
    _pictures(work)
    hand.ask("l1_unstructured", "50 %", everywhere=True)
    hand.rest(0.02)
    hand.preview()
    hand.prune()
    _counts(work)
    hand.ask("l1_unstructured", "50 %", everywhere=True)
    for name in ("safetensors", "torch", "resumable"):
        _exports(work, name)
    hand.leave()
    return work.found


def _opens(work: Cancels, what: str, path: Path) -> None:
    """Cancel at evenly spaced moments: opening has many stages, which all must check."""
    hand = work.hand

    def start() -> None:
        hand.window.dropped.emit(path)

    def close() -> None:
        hand.wait(lambda: hand.bench.session.document is not None)
        hand.rest(0.5)  # wait for painting
        hand.bench.session.close()
        hand.wait_quiet()

    lasts = []
    for _ in range(2):  # the first time reads from the disk
        lasts.append(hand.when(hand.bench.jobs.idle, start))
        close()
    times = [min(lasts) * (number + 0.5) / OPENINGS for number in range(OPENINGS)]
    work.clicked(what, min(lasts), start, close, times)
    assert len(work.found[what]) > OPENINGS // 2, f"{what}: mostly over before it was cancelled"


def _previews(work: Cancels) -> None:
    hand = work.hand
    numbers = iter(range(100_000))
    for words, method in (
        ("L1", "l1_unstructured"),
        ("random", "random_unstructured"),
        ("Ln", "ln_structured"),
        ("random channels", "random_structured"),
    ):
        # A new amount each time: results for a known amount are cached.
        def ask(method: str = method) -> None:
            hand.ask(method, f"{10 + next(numbers) / 1000:.3f} %")
            hand.rest(0.02)

        began = time.perf_counter()
        ask()
        hand.preview()
        lasts = time.perf_counter() - began

        def start(ask: Callable[[], None] = ask) -> None:
            ask()
            hand.click(hand.views.preview.action.button)

        work.clicked(f"pruning {words}", lasts, start, lambda: _undone(hand))
    rule = hand.views.form.rules[0]

    def identity() -> None:
        rule.method.setCurrentIndex(rule.method.findData("identity"))
        rule.method.activated.emit(rule.method.currentIndex())

    work.superseded(
        "previewing identity", 1.0, identity, lambda: hand.ask("l1_unstructured", "12 %")
    )


def _pictures(work: Cancels) -> None:
    hand = work.hand
    rows = sorted(hand.bench.session.rows, key=lambda row: -row.numel)
    small = next(row for row in reversed(rows) if len(row.shape) > 1)

    def look(name: str) -> None:
        # Remove the cached result, so that the statistics are computed again.
        snapshot = hand.document.snapshot()
        snapshot.cache.put(("statistics", name), (snapshot.permanent.get(name),), None)
        hand.views.tree.set_focused(name)
        hand.bench.plots.show_tensor(name)

    hand.preview()
    for words, page in PAGES.items():
        hand.views.pages.tabs.setCurrentIndex(page)
        hand.wait_quiet()
        began = time.perf_counter()
        look(rows[0].name)
        hand.wait_quiet()
        work.superseded(
            f"picturing {words}, and numbers",
            time.perf_counter() - began,
            lambda: look(rows[0].name),
            lambda: look(small.name),
        )
    hand.views.pages.tabs.setCurrentIndex(0)


def _counts(work: Cancels) -> None:
    hand = work.hand
    hand.preview()

    def count() -> None:
        document = hand.bench.session.document
        document._counts._channels.clear()
        document._counts._rows.clear()
        hand.ask("ln_structured", "30 %")

    work.superseded(
        "counting channels left", 0.6, count, lambda: hand.ask("l1_unstructured", "12 %")
    )


def _exports(work: Cancels, name: str) -> None:
    hand = work.hand
    hand.preview()

    def start() -> None:
        dialog = hand.export_dialog()
        hand.click(dialog.formats.radios[name])
        dialog.target.path.setText(str(work.target))
        hand.click(dialog.go)

    def end() -> None:
        hand.wait(lambda: hand.bench.export.report is not None)
        hand.bench.export.report.reject()
        work.target.unlink()

    began = time.perf_counter()
    start()
    end()
    work.clicked(f"exporting {name}", time.perf_counter() - began, start, end)


def _undone(hand: Hand) -> None:
    hand.wait(lambda: hand.bench.session.unexported)
    hand.window.actions_["undo"].trigger()
    hand.preview()


if __name__ == "__main__":
    arguments = json.loads(sys.argv[1])
    measure = cancels if "openings" in arguments else crowds
    print_answer(lambda: measure(**arguments))
