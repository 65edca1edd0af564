"""Time of a step on many small tensors: exact, estimated, and applied."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from pruneapp.analysis import histogram_store
from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.edit import Proposal
from pruneapp.document.selection import default_selection
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.edits.zeros import Finalize, TreatZeros
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.estimate import estimate
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.benchmarks.benchmark import AtMost, Ground, Line, Subject, median

MODELS = (("many", "50,000 matrices of 2 x 2"), ("crowd", "50,000 matrices of 8 x 8"))
EXACT_S, ESTIMATE_MS, SHORT_MS = 1.0, 50, 100


def measure(ground: Ground) -> Iterator[Line]:
    gc.disable()  # the window collects while idle
    for name, words in MODELS:
        with open_checkpoint(ground.model(name)) as checkpoint:
            document = Document(checkpoint)
            yield from _of(document, words, ground.rounds)
            document.close()
            yield from _on_all(checkpoint, words, ground.rounds)


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
        estimate(snapshot, step)  # builds the tables

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
    for figure, seconds in (("applied", commits), ("state_at", states)):
        yield _short(words, figure, seconds)


def _on_all(checkpoint: Checkpoint, words: str, rounds: int) -> Iterator[Line]:
    """Edit all 100,000 tensors, make that permanent, and treat the resulting zeros."""
    entries = checkpoint.entries.values()
    every = tuple(entry.name for entry in entries)
    assert len(every) == 100_000
    first = tuple(ManualTarget(e.name, (((0, 1),) * len(e.shape),)) for e in entries)
    edit = ManualEdit("prune", first, "the first weight of each")
    asked: dict[str, Callable[[Snapshot], Proposal]] = {
        "edit": lambda snapshot: compute_manual_edit(snapshot, edit, Job()),
        "make permanent": lambda snapshot: Finalize(every).propose(snapshot, Job()),
        "treat zeros": lambda snapshot: TreatZeros(every).propose(snapshot, Job()),
    }
    beside, commits, states = ({name: list[float]() for name in asked} for _ in range(3))
    for _ in range(min(rounds, 3)):
        document = Document(checkpoint)
        for name, propose in asked.items():
            began = time.perf_counter()
            proposal = propose(document.snapshot())
            beside[name].append(time.perf_counter() - began)
            commits[name] += _times(lambda p=proposal, d=document: d.commit(p), 1)
            states[name] += _times(lambda d=document: d.state_at(0), 1)
        document.close()
        gc.collect()
    for name in asked:
        work = f"{words}, all 100,000 tensors, {name}"
        yield Line(work, "in the worker", median(beside[name]), "s")
        yield _short(work, "applied", commits[name])
        yield _short(work, "state_at", states[name])


def _short(work: str, figure: str, seconds: Sequence[float]) -> Line:
    took = [1000 * each for each in seconds]
    note = f"worst {max(took):.0f} ms; the main thread does it"
    return Line(work, figure, median(took), "ms", bound=AtMost(SHORT_MS), note=note)


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
