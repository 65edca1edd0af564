"""Measure one tensor of very many weights: open, estimate, mask, picture, undo, and cancel.

``python -m tests.benchmarks.one_tensor PATH`` prints as JSON the seconds and the peak resident
memory in MB of each operation, and for each cancelled job the milliseconds until none of its code
ran.

The file is sparse except for 64 stretches of weights, so it needs little disk space; all of it is
read. Resident memory includes the touched and not yet released pages of mapped files, but not the
page cache.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from pruneapp.analysis import histogram_store
from pruneapp.analysis.histograms import count_magnitudes
from pruneapp.analysis.tiles import TileRequest, tile
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.scratch import MOST_IN_MEMORY
from pruneapp.preview.estimate import estimate
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.benchmarks.memory import peak_bytes, reset_peak
from tests.benchmarks.synthetic_files import as_bfloat16, write_safetensors
from tests.support.document_edits import redo, undo

NAME = "layers.0.mlp.weight"
STRETCHES, STRETCH = 64, 8 << 20  # weights: 16 MiB
# Of the nonzero weights 0.4 % are kept with 2**36 weights, and a third with 2**30.
AMOUNT = 0.997
PIXELS = 1024  # a side
# Fractions of the work at which a step is cancelled (threshold search, masks, measuring), and at
# which other jobs are.
STAGES, HALF = (0.1, 0.5, 0.9), (0.5,)

T = TypeVar("T")


def make(path: Path, exponent: int) -> None:
    """Write the file: normal weights in evenly spaced stretches."""
    rows = 1 << (exponent + 1) // 2
    size = 1 << exponent
    write_safetensors(path, {NAME: (rows, size // rows)}, "BF16", None)
    begins = path.stat().st_size - 2 * size
    rng = np.random.default_rng(0)
    with path.open("r+b") as stream:
        for number in range(STRETCHES):
            stream.seek(begins + 2 * number * (size // STRETCHES))
            weights = 0.02 * rng.standard_normal(STRETCH, np.float32)
            stream.write(as_bfloat16(weights).data)


@dataclass
class Measured:
    """Seconds and MB of each operation, and milliseconds until cancelled jobs stopped."""

    work: dict[str, tuple[float, float]] = field(default_factory=dict)
    stops: dict[str, list[float]] = field(default_factory=dict)
    facts: dict[str, float] = field(default_factory=dict)

    def take(self, what: str, call: Callable[[], T]) -> T:
        reset_peak()
        began = time.perf_counter()
        result = call()
        self.work[what] = time.perf_counter() - began, peak_bytes() / 1e6
        sys.stderr.write(f"{what}: {self.work[what]}\n")
        return result

    def stop(self, what: str, shares: Sequence[float], work: Callable[[Job], object]) -> None:
        for share in shares:
            reached = _Reached(share)
            token = CancelToken()
            job = Job(reached, token)
            thread = threading.Thread(target=_cancelled, args=(work, job))
            thread.start()
            while not reached.event.wait(0.01) and thread.is_alive():
                pass
            began = time.perf_counter()
            token.cancel()
            thread.join()
            took = 1000 * (time.perf_counter() - began)
            if reached.event.is_set():
                self.stops.setdefault(what, []).append(took)
            sys.stderr.write(f"{what} cancelled at {share}: {took:.0f} ms\n")


class _Reached:
    """Records when a job has reached a fraction of its work."""

    def __init__(self, share: float) -> None:
        self.event = threading.Event()
        self._share = share

    def report(self, done: int, total: int, _label: str) -> None:
        if total and done >= self._share * total:
            self.event.set()


def _cancelled(work: Callable[[Job], object], job: Job) -> None:
    try:
        work(job)
    except Cancelled:
        return


def measure(path: Path) -> dict[str, Any]:
    found = Measured()
    checkpoint = found.take("open", lambda: open_checkpoint(path))
    document = Document(checkpoint)
    snapshot, kernel = document.snapshot(), CpuKernel()
    step = Step((Row((NAME,), "l1_unstructured", {"amount": AMOUNT}),))
    (request,) = histogram_store.missing_magnitudes(snapshot, (NAME,))
    found.take("count the magnitudes", lambda: histogram_store.count(snapshot, request, Job()))
    expected = found.take("estimate", lambda: estimate(snapshot, step)).report
    found.take("estimate again", lambda: estimate(snapshot, step))
    preview = found.take(
        "exact, with its mask", lambda: compute_preview(snapshot, step, kernel, Job())
    )
    mask = preview.masks[NAME]
    assert mask.mapped == (mask.nbytes > MOST_IN_MEMORY)
    assert expected is not None
    assert expected.newly_pruned == preview.report.newly_pruned == round(AMOUNT * mask.size)
    found.facts = {"mask": mask.nbytes / 1e6, "memory": mask.memory / 1e6}
    rows, columns = checkpoint.entry(NAME).shape
    whole = TileRequest(NAME, 0, 0, rows, columns, rows // PIXELS, sampled=True)
    found.take("picture, first look", lambda: tile(snapshot, whole, mask, Job()))
    found.take("apply", lambda: document.commit(preview))
    found.take("undo", lambda: undo(document))
    found.take("redo", lambda: redo(document))
    pruned, exact = document.snapshot(), replace(whole, sampled=False)
    picture = found.take("picture, every weight", lambda: tile(pruned, exact, None, Job()))
    share = float(picture.kept.mean(dtype=np.float64))
    assert abs(share * mask.size - mask.kept) < 1e-6 * mask.size
    found.take("count the bits of the mask", mask._count)
    found.stop("the exact step", STAGES, lambda job: compute_preview(snapshot, step, kernel, job))
    found.stop("the picture", HALF, lambda job: tile(pruned, exact, None, job))
    found.stop("counting", HALF, lambda job: _count(snapshot, job))
    document.close()
    checkpoint.close()
    return {"work": found.work, "stops": found.stops, "facts": found.facts}


def _count(snapshot: Snapshot, job: Job) -> None:
    job.start(snapshot.entry(NAME).numel)
    count_magnitudes(snapshot, NAME, job)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(Path(sys.argv[1]))) + "\n")
