"""Undo and redo of a global step."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from functools import partial

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.selection import default_selection
from pruneapp.document.step import Row, Step
from pruneapp.edits.existing_masks import open_document
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.benchmarks.benchmark import AtMost, Ground, Line, Subject, median
from tests.benchmarks.processes import run_python
from tests.support.document_edits import redo, undo

MODELS = (("mixed", "150 M weights float32"), ("blocks", "302 M weights bfloat16"))
BOUND_MS = 10.0
ROUNDS = 10


def measure(ground: Ground) -> Iterator[Line]:
    for name, words in MODELS:
        job = Job()
        with open_checkpoint(ground.model(name), job=job) as checkpoint:
            document = open_document(checkpoint, job)
            names = default_selection(checkpoint)
            step = Step((Row(names, "l1_unstructured", {"amount": 0.5}),), "global")
            preview = compute_preview(document.snapshot(), step, CpuKernel(), job, norms=False)
            nbytes = sum(mask.packed.nbytes for mask in preview.masks.values())
            weights = sum(mask.size for mask in preview.masks.values())
            took = {"apply": _ms(partial(document.commit, preview))}
            for _ in range(20):
                took["undo"] = max(took.get("undo", 0.0), _ms(partial(undo, document)))
                took["redo"] = max(took.get("redo", 0.0), _ms(partial(redo, document)))
            document.close()
        for what, milliseconds in took.items():
            bound = AtMost(BOUND_MS)
            yield Line(words, what, milliseconds, "ms", bound=bound, note="longest of 20")
        yield Line(words, "bytes kept a weight", nbytes / weights, "", bound=AtMost(0.1251))
        yield from _in_window(ground, name, words)


def _in_window(ground: Ground, name: str, words: str) -> Iterator[Line]:
    arguments = json.dumps({"path": str(ground.model(name)), "rounds": ROUNDS})
    run = ["-m", "tests.benchmarks.window", "undoing", arguments]
    for what, took in run_python(run, ground.folder).answer["milliseconds"].items():
        slots, paints = zip(*took, strict=True)
        painted = f"painted after {median(paints):.0f} ms, at most {max(paints):.0f} ms"
        yield Line(
            words,
            f"{what}, main thread",
            max(slots),
            "ms",
            bound=AtMost(BOUND_MS),
            note=f"longest of {len(slots)}, median {median(slots):.1f} ms; {painted}",
        )


def _ms(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - began)


SUBJECT = Subject(
    "undo",
    "Undo and redo",
    measure,
    "A global step of L1, 50 %. First the document alone; then in the real window, from the key "
    "press until everything that hears of it has returned, and until the repaint that follows has "
    "ended: at rest, and while a worker computes the next preview.",
)
