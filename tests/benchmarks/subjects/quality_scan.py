"""Quality of an allocation by a sensitivity scan, compared with uniform sparsity."""

from __future__ import annotations

from collections.abc import Iterator

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.selection import select
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.evaluation.allocation import allocate
from pruneapp.evaluation.evaluator import Evaluator
from pruneapp.evaluation.scan import ScanRequest, scan_tensors
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.benchmarks.benchmark import Ground, Line, Subject, TimesPeer

TOTALS = (0.6, 0.7, 0.8)


def measure(ground: Ground) -> Iterator[Line]:
    from tests.benchmarks.char_llama import LlamaRunner, perplexity, train  # imports torch

    path = train(ground.folder / "char-llama")
    with open_checkpoint(path) as checkpoint:
        whole = Snapshot(checkpoint)
        names = select(checkpoint, ["model.layers.*_proj.weight"])
        with Evaluator(LlamaRunner("scan", 96, 0)) as evaluator:
            *_, scan = scan_tensors(evaluator, whole, ScanRequest(names), Job())
        with Evaluator(LlamaRunner("test", 1024, 1)) as evaluator:

            def loss(step: Step | None) -> float:
                if step is None:
                    return evaluator.measure(whole, Job()).metrics["loss"].value
                preview = compute_preview(whole, step, CpuKernel(), Job(), norms=False)
                state = whole.with_masks(preview.edit.after)
                return evaluator.measure(state, Job()).metrics["loss"].value

            yield Line("char llama", "perplexity, unpruned", perplexity(loss(None)), "")
            for total in TOTALS:
                found = allocate(scan, total)
                shares = [share.pruned / share.tensor.weights for share in found.shares]
                others = (
                    Step((Row(names, method, {"amount": found.pruned}),), "global")
                    for method in ("l1_unstructured", "lamp")
                )
                threshold, lamp = (perplexity(loss(step)) for step in others)
                yield Line(
                    f"char llama, L1 {total:.0%}",
                    "perplexity",
                    perplexity(loss(found.step())),
                    "",
                    peer=perplexity(loss(found.uniform())),
                    bound=TimesPeer(0.98),
                    note=f"one threshold {threshold:.2f}, LAMP {lamp:.2f}; matrices from "
                    f"{min(shares):.0%} to {max(shares):.0%}; predicted by the scan "
                    f"{perplexity(found.predicted):.2f}",
                )


SUBJECT = Subject(
    "quality-scan",
    "An allocation by a sensitivity scan",
    measure,
    "A language model over bytes (Llama, four layers, 0.4 million weights), trained here in a"
    " minute or two on files of Python's library. The scan prunes its 28 matrices by magnitude, one"
    " at a time, to 30, 50, 70, 85 and 95 %, and measures the loss on other files. Ours is the"
    " allocation to a total, the peer is the same share of every matrix; the notes have one global"
    " threshold and LAMP to the same total. The perplexity is that on a third set of files, which"
    " neither the training nor the scan has seen.",
    on_request=True,
    page="quality.md",
)
