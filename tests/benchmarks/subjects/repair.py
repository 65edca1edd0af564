"""Time of a repair of a large layer relative to its matrix products, and until it is cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
from safetensors.numpy import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.progress import Cancelled, CancelToken, Job
from pruneapp.repair.repair import LayerInputs, compute_repair
from pruneapp.repair.solve import ITERATIONS, Moments
from tests.benchmarks.benchmark import AtMost, Ground, Line, Subject, TimesPeer, median
from tests.benchmarks.memory import extra_mb
from tests.benchmarks.subjects.quality import Pruning

SIZE = 4096
LAYER_MB = 4 * SIZE**2 / 1e6
# For the iterations, and for the outputs and errors before and after.
PRODUCTS = ITERATIONS + 3
MOMENTS = 6
WORK = f"{SIZE:,} × {SIZE:,} float32"


def measure(ground: Ground) -> Iterator[Line]:
    random = np.random.default_rng(0)
    path = ground.folder / "layer.safetensors"
    save_file({"weight": random.standard_normal((SIZE, SIZE), np.float32)}, path)
    inputs = random.standard_normal((2048, SIZE), np.float32)
    gram = (inputs.T @ inputs).astype(np.float64)
    del inputs

    def known(_entry: TensorEntry) -> LayerInputs:
        return LayerInputs(1, SIZE, lambda _group: Moments(gram))

    with open_checkpoint(path) as checkpoint:
        whole = Snapshot(checkpoint)
        pruning = Pruning("", "l1_per_row", {"amount": 0.5}, "local")
        state = whole.with_masks({"masks": pruning.masks(whole)})
        yield from _lines(lambda job: compute_repair(state, known, job), gram, ground.rounds)


def _lines(repair: Callable[[Job], object], gram: np.ndarray, rounds: int) -> Iterator[Line]:
    memory = extra_mb(lambda: repair(Job()))
    ours, peers = [], []
    for _ in range(rounds):
        ours.append(_seconds(lambda: repair(Job())))
        peers.append(_products(gram.astype(np.float32)))
    of_iterations = median(peers) * ITERATIONS / PRODUCTS
    yield Line(
        WORK,
        "time",
        median(ours),
        "s",
        peer=median(peers),
        bound=TimesPeer(1.25),
        note=f"best {min(ours):.1f} s, peer {min(peers):.1f} s; "
        f"{median(ours) / of_iterations:.2f} times the products of the iterations alone",
    )
    yield Line(
        WORK,
        "peak extra memory",
        memory,
        "MB",
        bound=AtMost(6 * LAYER_MB),
        note=f"{memory / LAYER_MB:.1f} times the layer",
    )
    stops = [1000 * _stop(repair, number / MOMENTS) for number in range(MOMENTS)]
    yield Line(
        WORK,
        "longest from cancel to stop",
        max(stops),
        "ms",
        bound=AtMost(250),
        note=f"median {median(stops):.0f} ms of {MOMENTS} moments",
    )


def _seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _products(gram: np.ndarray) -> float:
    """Return the seconds of as many matrix products as the repair needs."""
    weights, out = np.ones_like(gram), np.zeros_like(gram)  # allocate the pages

    def multiply() -> None:
        for _ in range(PRODUCTS):
            np.matmul(weights, gram, out=out)

    return _seconds(multiply)


class _Canceller:
    """Cancels at a fraction of the work, just after a check of the token (the worst case)."""

    def __init__(self, share: float) -> None:
        self.token = CancelToken()
        self.asked = 0.0
        self._share = share

    def report(self, done: int, total: int, _label: str) -> None:
        if done >= self._share * total and not self.token.cancelled:
            self.asked = time.perf_counter()
            self.token.cancel()


def _stop(repair: Callable[[Job], object], share: float) -> float:
    """Return the seconds from cancelling at a fraction of the work until the repair stops."""
    canceller = _Canceller(share)
    try:
        repair(Job(canceller, canceller.token))
    except Cancelled:
        return time.perf_counter() - canceller.asked
    raise AssertionError("the repair was over before it was cancelled")


SUBJECT = Subject(
    "repair",
    "A repair of a large layer",
    measure,
    f"Ten iterations for a layer of {SIZE:,} × {SIZE:,}, half of it pruned per row, from an open"
    " file and its Gram matrix in float64 to the repaired values. The peer is nothing but its"
    f" {PRODUCTS} products of {SIZE:,} × {SIZE:,} matrices in float32: one for each iteration, and"
    " three for the outputs and for the errors before and after. The memory is without the Gram"
    " matrix in float64. Cancelled at evenly spread shares of the work, just after the token was"
    " looked at.",
)
