"""What a step on many small tensors takes: exactly, as an estimate, and to be put in force."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from pruneapp.analysis import histogram_store
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.selection import default_selection
from pruneapp.document.step import Row, Step
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.estimate import estimate
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.benchmarks.benchmark import AtMost, Ground, Line, Subject, median

MODELS = (("many", "50,000 matrices of 2 x 2"), ("crowd", "50,000 matrices of 8 x 8"))
EXACT_S, ESTIMATE_MS, SHORT_MS = 1.0, 50, 100


def measure(ground: Ground) -> Iterator[Line]:
    for name, words in MODELS:
        with open_checkpoint(ground.model(name)) as checkpoint:
            document = Document(checkpoint)
            yield from _of(document, words, ground.rounds)
            document.close()


def _of(document: Document, words: str, rounds: int) -> Iterator[Line]:
    snapshot = document.snapshot()
    row = Row(default_selection(document.checkpoint), "l1_unstructured", {"amount": 0.5})
    assert len(row.names) == 50_000
    for request in histogram_store.missing_magnitudes(snapshot, row.names):
        histogram_store.count(snapshot, request, Job())
    kernel = CpuKernel()
    for scope, where in (("local", "each tensor"), ("global", "global")):
        step = Step((row,), scope)
        exact = _times(lambda s=step: compute_preview(snapshot, s, kernel, Job()), rounds)
        note = f"best {min(exact):.2f} s"
        bound = AtMost(EXACT_S)
        yield Line(f"{words}, L1, {where}", "exact", median(exact), "s", bound=bound, note=note)
        estimate(snapshot, step)  # puts the tables together

        def look(step: Step = step) -> None:
            report = estimate(snapshot, step).report
            assert report is not None
            report.prepare()

        quick = [1000 * seconds for seconds in _times(look, rounds)]
        note = f"best {min(quick):.0f} ms"
        bound = AtMost(ESTIMATE_MS)
        work = f"{words}, L1, {where}"
        yield Line(work, "estimate", median(quick), "ms", bound=bound, note=note)
    commits, states = [], []
    for share in range(rounds):
        step = Step((replace(row, values={"amount": 0.1 + share / 100}),))
        preview = compute_preview(document.snapshot(), step, kernel, Job())
        commits += _times(lambda p=preview: document.commit(p), 1)
        states += _times(lambda: document.state_at(0), 1)
    for figure, seconds in (("put in force", commits), ("state_at", states)):
        took = [1000 * each for each in seconds]
        note = f"worst {max(took):.0f} ms; the main thread does it"
        yield Line(words, figure, median(took), "ms", bound=AtMost(SHORT_MS), note=note)


def _times(work: Callable[[], object], rounds: int) -> list[float]:
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return taken


SUBJECT = Subject(
    "crowd",
    "Many small tensors",
    measure,
    "Half of a file of 100,000 tensors, those that are checked when it is opened, with all"
    " histograms counted; the second file is of bfloat16. From an open file to masks and report, or"
    " to the numbers of the tree without reading a weight; and what the main thread does then.",
)
