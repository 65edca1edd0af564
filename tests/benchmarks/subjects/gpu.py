"""Masks and repairs on a CUDA GPU, compared with the CPU and with torch on the same machine."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Scope, Step
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.devices import kernel_for
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.repair.solve import ITERATIONS, Moments, Unknowns, solve
from tests.benchmarks.benchmark import AtMost, Bound, Ground, Line, Subject, TimesPeer, median

MODELS = {"blocks": "302 M bfloat16", "plain-256-F32": "268 M float32"}
SIZE = 4096
PRODUCTS = ITERATIONS + 3


def measure(ground: Ground) -> Iterator[Line]:
    """Measure; raise if there is no CUDA device."""
    gpu = kernel_for("cuda")
    for model, words in MODELS.items():
        with open_checkpoint(ground.model(model)) as checkpoint:
            for scope in ("local", "global"):
                yield from _masks(checkpoint, f"{words}, L1 50 %, {scope}", gpu, scope, ground)
    yield from _repair(ground.rounds)


def _masks(
    checkpoint: Checkpoint, work: str, gpu: Kernel, scope: Scope, ground: Ground
) -> Iterator[Line]:
    names = tuple(e.name for e in checkpoint.entries.values() if len(e.shape) > 1)
    step = Step((Row(names, "l1_unstructured", {"amount": 0.5}),), scope=scope)
    state = Snapshot(checkpoint)
    ours, masks = _timed(partial(_prune, state, step, gpu), ground.rounds)
    cpu, same = _timed(partial(_prune, state, step, CpuKernel()), ground.rounds)
    equal = sum(masks[name] == same[name] for name in names)
    note = f"of {len(names)} masks {equal} are those of the CPU"
    bound: Bound = TimesPeer(1.0)
    yield Line(work, "time, peer: our CPU kernel", ours, "s", peer=cpu, bound=bound, note=note)
    theirs = _torch_seconds(checkpoint, names, scope, ground.rounds)
    note = "its weights are on the GPU already, and its masks stay there"
    yield Line(work, "time, peer: torch on the GPU", ours, "s", peer=theirs, note=note)


def _prune(state: Snapshot, step: Step, kernel: Kernel) -> dict[str, BitMask]:
    preview = compute_preview(state, step, kernel, Job(), norms=False)
    return dict(preview.edit.after["masks"])


def _torch_seconds(
    checkpoint: Checkpoint, names: tuple[str, ...], scope: Scope, rounds: int
) -> float:
    import torch
    from torch.nn.utils import prune

    tensors = [checkpoint.read(name).cuda() for name in names]

    def call() -> None:
        modules = [torch.nn.Module() for _ in tensors]
        for module, tensor in zip(modules, tensors, strict=True):
            module.weight = torch.nn.Parameter(tensor)
        if scope == "global":
            together = [(module, "weight") for module in modules]
            prune.global_unstructured(together, pruning_method=prune.L1Unstructured, amount=0.5)
        else:
            for module in modules:
                prune.l1_unstructured(module, "weight", 0.5)
        torch.cuda.synchronize()

    return _timed(call, rounds)[0]


def _timed(call: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """Return the median seconds after one warm-up call, and the result of the last call."""
    found, seconds = call(), []
    for _ in range(rounds):
        began = time.perf_counter()
        found = call()
        seconds.append(time.perf_counter() - began)
    return median(seconds), found


def _repair(rounds: int) -> Iterator[Line]:
    import torch

    random = np.random.default_rng(0)
    wanted = random.standard_normal((SIZE, SIZE), np.float32)
    inputs = random.standard_normal((2 * SIZE, SIZE), np.float32)
    gram, kept = (inputs.T @ inputs).astype(np.float64), random.random((SIZE, SIZE)) < 0.5
    moments = Moments(gram, inputs.sum(0).astype(np.float64), float(len(inputs)))
    present = np.where(kept, wanted, np.float32(0))
    folder = str(resources.path("pruneapp_worker/main.py").parent.parent)
    sys.path.insert(0, folder)
    from pruneapp_worker import solver

    sys.path.remove(folder)
    given = {"gram": torch.from_numpy(gram), "sum": torch.from_numpy(moments.sums)}

    def on_gpu() -> Any:
        parts = (torch.from_numpy(part) for part in (wanted, present, kept))
        return solver.solve(
            solver.Unknowns(*parts, torch.float32),
            None,
            given | {"count": moments.count},
            iterations=ITERATIONS,
            damping=0.01,
            device=torch.device("cuda"),
            step=lambda _count: None,
        )

    def on_cpu() -> Any:
        return solve(Unknowns(wanted, present.copy(), kept, DTYPES["F32"]), moments)

    square = torch.randn(SIZE, SIZE, device="cuda")

    def products() -> None:
        for _ in range(PRODUCTS):
            square @ square
        torch.cuda.synchronize()

    seconds, theirs = _timed(on_gpu, rounds)
    cpu, ours = _timed(on_cpu, 1)
    off = float(np.linalg.norm(theirs["weights"].numpy() - ours.weights))
    off /= float(np.linalg.norm(ours.weights))
    work = f"repair of {SIZE:,} × {SIZE:,} float32"
    yield Line(work, "time, peer: our CPU solve", seconds, "s", peer=cpu)
    peer, _ = _timed(products, rounds)
    note = f"{PRODUCTS} of them, of whole matrices in float32"
    yield Line(work, "time, peer: its products alone", seconds, "s", peer=peer, note=note)
    note = "relative difference of the repaired weights, Euclidean norm"
    yield Line(work, "difference from the CPU", 100 * off, "%", bound=AtMost(0.1), note=note)


SUBJECT = Subject(
    "gpu",
    "A CUDA GPU",
    measure,
    "Masks from an open file whose pages are in memory, half of the weights by magnitude: on the "
    "GPU by our kernel, on all cores of the CPU of the same machine (at most 8), and by torch's "
    "functions on the GPU.",
    on_request=True,
)
