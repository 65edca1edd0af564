"""Speed gain in ONNX Runtime from cutting every group of channels, compared with zeros."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.groups.structure import Structure, structure_of
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.progress import Job
from pruneapp.shrink.plan import Choices, plan, survey
from pruneapp.shrink.shrink import ShrinkRequest, shrink
from pruneapp.shrink.unit_choice import choose_units, prune_units, scores_of, widths_for_share
from tests.benchmarks.benchmark import AtMost, Faster, Ground, Line, Subject, median

SHARE = 0.3
MULTIPLE = 8
# Constructors of torchvision, and the minimum reduction of time; None for no bound.
NETS = {"resnet18": 0.2, "mobilenet_v2": 0.2, "efficientnet_b0": 0.2, "vit_b_16": None}


def measure(ground: Ground) -> Iterator[Line]:
    for name, less in NETS.items():
        folder = ground.folder / "shrink-onnx"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        source = folder / f"{name}.onnx"
        _make(name, source)
        groups = _cut(source, folder / "cut", folder / "masked.onnx")
        yield from _lines(name, less, groups, folder, ground.rounds)
        shutil.rmtree(folder)


def _lines(name: str, less: float | None, groups: int, folder: Path, rounds: int) -> Iterator[Line]:
    work = f"{name}, 30 % of {groups} groups"
    cut, masked = folder / "cut" / f"{name}.onnx", folder / "masked.onnx"
    sizes = [cut.stat().st_size, masked.stat().st_size]
    yield Line(work, "bytes, peer: the same zeros", sizes[0] / 1e6, "MB", peer=sizes[1] / 1e6)
    difference, largest, ours, peers = _run(cut, masked, rounds)
    yield Line(
        work,
        "largest difference of outputs",
        difference,
        "",
        bound=AtMost(1e-5 * largest),
        note=f"{difference / largest:.1g} of the largest, {largest:.3g}",
    )
    yield Line(
        work,
        "one picture, peer: the same zeros",
        1000 * min(ours),
        "ms",
        peer=1000 * min(peers),
        bound=None if less is None else Faster(1 / (1 - less)),
        note=f"{1 - min(ours) / min(peers):.0%} less; least of {len(ours)} in turn, one thread, "
        f"CPU time; medians {1000 * median(ours):.1f} and {1000 * median(peers):.1f}",
    )


def _cut(source: Path, target: Path, masked: Path) -> int:
    job = Job()
    with open_checkpoint(source) as checkpoint:
        structure = structure_of(checkpoint)
        assert isinstance(structure, Structure)
        axis = structure.axes["channels"]
        state = Snapshot(checkpoint)
        widths = widths_for_share(axis, SHARE, MULTIPLE)
        scores = scores_of(state, axis, "l2", CpuKernel(), job)
        wanted = list(zip(axis.groups, widths, strict=True))
        found = survey(state, structure, job)
        state = prune_units(state, choose_units(state, wanted, scores, found, job), job)
        export(state, ExportRequest("onnx", masked), job)
        planned = plan(state, structure, Choices(multiple=MULTIPLE), job)
        shrink(state, planned, ShrinkRequest(target, {}), job)
    return len(axis.groups)


def _run(cut: Path, masked: Path, rounds: int) -> tuple[float, float, list[float], list[float]]:
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    sessions = [onnxruntime.InferenceSession(path, options) for path in (cut, masked)]
    picture = np.random.default_rng(0).standard_normal((1, 3, 224, 224)).astype(np.float32)
    given = {sessions[0].get_inputs()[0].name: picture}
    small, wide = (session.run(None, given)[0] for session in sessions)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(3 * rounds):
        for session, seconds in zip(sessions, times, strict=True):
            began = time.process_time()
            session.run(None, given)
            seconds.append(time.process_time() - began)
    return float(np.abs(small - wide).max()), float(np.abs(wide).max()), *times


def _make(name: str, path: Path) -> None:
    """Write a torchvision network with random weights and realistic statistics of its norms."""
    import torch
    import torchvision

    torch.manual_seed(0)
    net = getattr(torchvision.models, name)().eval()
    with torch.no_grad():
        for tensor in net.parameters():
            if tensor.ndim > 1 and not tensor.any():  # the head of a ViT
                torch.nn.init.normal_(tensor, std=0.02)
        net.train()
        for _ in range(4):
            net(torch.randn(8, 3, 224, 224))
        net.eval()
    torch.onnx.export(net, (torch.randn(1, 3, 224, 224),), path, dynamo=True, external_data=False)


SUBJECT = Subject(
    "shrink-onnx",
    "Channels cut out of ONNX models",
    measure,
    "Networks of torchvision with random weights, as the exporter of torch writes them. 30 % of "
    "every group of channels by L2, rounded up to multiples of 8, are cut; for comparison, the "
    "same channels are zeros. ONNX Runtime runs both. Needs torchvision, onnxscript and "
    "onnxruntime.",
    on_request=True,
)
