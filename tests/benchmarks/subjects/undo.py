"""Undo and redo of a global step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

from pruneapp.checkpoint.reader import open_checkpoint
from pruneapp.document.opening import open_document
from pruneapp.document.preview import compute_preview
from pruneapp.document.selection import default_selection
from pruneapp.document.step import Row, Step
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.progress import Job
from tests.benchmarks.frame import AtMost, Ground, Line, Subject

MODELS = (("mixed", "150 M weights float32"), ("blocks", "302 M weights bfloat16"))
BOUND_MS = 10.0


def measure(ground: Ground) -> Iterator[Line]:
    for name, words in MODELS:
        job = Job()
        with open_checkpoint(ground.model(name), job=job) as checkpoint:
            document = open_document(checkpoint, job)
            names = default_selection(checkpoint)
            step = Step((Row(names, "l1_unstructured", {"amount": 0.5}),), "global")
            preview = compute_preview(document.snapshot(), step, CpuKernel(), job, energy=False)
            nbytes = sum(mask.packed.nbytes for mask in preview.masks.values())
            weights = sum(mask.size for mask in preview.masks.values())
            took = {"apply": _ms(partial(document.apply, preview))}
            for _ in range(20):
                took["undo"] = max(took.get("undo", 0.0), _ms(document.undo))
                took["redo"] = max(took.get("redo", 0.0), _ms(document.redo))
            document.close()
        for what, milliseconds in took.items():
            bound = AtMost(BOUND_MS)
            yield Line(words, what, milliseconds, "ms", bound=bound, note="longest of 20")
        yield Line(words, "bytes kept a weight", nbytes / weights, "", bound=AtMost(0.1251))


def _ms(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - began)


SUBJECT = Subject(
    "undo",
    "Undo and redo",
    measure,
    "The document alone, on a global step of L1, 50 %; what the window does on top is among the "
    "beats.",
)
