"""Time from the command to the first paint of the window."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import nullcontext

from tests.benchmarks.benchmark import AtLeast, AtMost, Ground, Line, Subject, median
from tests.benchmarks.processes import run_python
from tests.support import xvfb

# The application, modified to print when it was painted and to quit when it is ready. It uses the
# system clock, which is the same in both processes.
PROGRAM = """
import sys, time, json
from pruneapp.gui import application as app
class Watched(app.Start):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.painted.connect(self.note_first)
        self.ready.connect(self.note_ready)
    def note_first(self):
        self.first = time.monotonic()
        self.with_torch = 'torch' in sys.modules
    def note_ready(self, workbench):
        print(json.dumps([self.first, time.monotonic(), 'torch' in sys.modules]), flush=True)
        workbench.window.close()
app.Start = Watched
from pruneapp.__main__ import main
sys.exit(main([]))
"""


def _first_and_ready(ground: Ground, environment: Mapping[str, str]) -> tuple[float, float, bool]:
    began = time.monotonic()
    first, ready, torch = run_python(["-c", PROGRAM], ground.folder, environment).answer
    return first - began, ready - began, torch


def measure(ground: Ground) -> Iterator[Line]:
    with xvfb.screen((1920, 1200)) if xvfb.is_there() else nullcontext() as screen:
        places = [("off screen", {"QT_QPA_PLATFORM": "offscreen"})]
        if screen:
            places.append(("on Xvfb", screen))
        for place, environment in places:
            _first_and_ready(ground, environment)  # the page cache is warm after this
            taken = [_first_and_ready(ground, environment) for _ in range(ground.rounds)]
            work = f"`pruneapp`, {place}"
            first = [t[0] for t in taken]
            yield Line(
                work, "first picture", median(first), "s", bound=AtMost(0.4), note=_best(first)
            )
            ready = [t[1] for t in taken]
            yield Line(work, "everything ready", median(ready), "s", note=_best(ready))
            free = 100 * sum(not t[2] for t in taken) / len(taken)
            yield Line(work, "starts without torch", free, "%", bound=AtLeast(100))
    for words in (["--help"], ["prune", "--help"], ["methods"]):
        taken = [
            run_python(["-m", "pruneapp", *words], ground.folder).seconds
            for _ in range(ground.rounds)
        ]
        yield Line(f"`pruneapp {' '.join(words)}`", "time", median(taken), "s", note=_best(taken))


def _best(values: list[float]) -> str:
    return f"best {min(values):.2f} s"


SUBJECT = Subject(
    "start",
    "Start",
    measure,
    "From the start of the process to the end of the window's first paint event, as seen by the "
    "process that started it.",
)
