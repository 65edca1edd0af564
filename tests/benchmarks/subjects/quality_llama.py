"""Repair of a language model, compared with SparseGPT at the same sparsity of each matrix."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.selection import select
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.repair.repair import compute_repair
from tests.benchmarks.benchmark import AtLeast, Ground, Line, Subject, TimesPeer
from tests.benchmarks.subjects.quality import DRAWS, by_sparse_gpt

# By amount: the perplexity of a model of 0.7 million weights, trained three times as long (3.538
# unpruned), without repair, by SparseGPT, and repaired. Bounds are half of these gaps.
LARGER = {0.5: (3.880, 3.714, 3.650), 0.7: (6.707, 4.815, 4.280)}


def measure(ground: Ground) -> Iterator[Line]:
    from tests.benchmarks.char_llama import quality_model, train  # imports torch
    from tests.benchmarks.quality_models import known

    model = quality_model(train(ground.folder / "char-llama"))
    with open_checkpoint(model.path) as checkpoint:
        whole = Snapshot(checkpoint)
        dense = model.load(whole)
        draws = [model.moments(dense, draw) for draw in range(DRAWS)]
        yield Line("char llama", "perplexity, unpruned", model.score(dense, dense), "")
        names = select(checkpoint, ["model.layers.*_proj.weight"])
        for amount, larger in LARGER.items():
            step = Step((Row(names, "l1_per_row", {"amount": amount}),), "local")
            preview = compute_preview(whole, step, CpuKernel(), Job(), norms=False)
            state = whole.with_masks(preview.edit.after)
            repaired, in_order, others = [], [], []
            for draw, moments in enumerate(draws):
                after = state.with_masks(compute_repair(state, known(moments), Job()).edit.after)
                other = by_sparse_gpt(state, moments)
                _check_shares(state, after, other)
                repaired.append(model.score(model.load(after), dense))
                in_order.append(
                    model.score(model.load(model.sequential(dense, state, draw)), dense)
                )
                others.append(model.score(model.load(other), dense))
            without = model.score(model.load(state), dense)
            ours, peer = float(np.mean(repaired)), float(np.mean(others))
            work = f"char llama, L1 per row {amount:.0%}"
            yield Line(
                work,
                "perplexity after repair",
                ours,
                "",
                peer=peer,
                note=f"{min(repaired):.3f} to {max(repaired):.3f}, SparseGPT {min(others):.3f} to "
                f"{max(others):.3f}; without repair {without:.3f}",
            )
            yield Line(
                work,
                "perplexity after sequential repair",
                float(np.mean(in_order)),
                "",
                peer=ours,
                bound=TimesPeer(1.0),
                note=f"{min(in_order):.3f} to {max(in_order):.3f}; the peer is the repair above",
            )
            pairs = pairwise((without, peer, ours)), pairwise(larger)
            figures = ("SparseGPT below no repair", "repair below SparseGPT")
            for figure, (worse, better), (high, low) in zip(figures, *pairs, strict=True):
                yield Line(
                    work,
                    figure,
                    worse - better,
                    "",
                    bound=AtLeast((high - low) / 2),
                    note=f"{1 - better / worse:.1%}; {1 - low / high:.1%} in the larger model",
                )


def _check_shares(state: Snapshot, *others: Snapshot) -> None:
    """Assert that all states have the same number of zeros in each matrix."""
    for name, mask in state.masks.items():
        for other in others:
            zeroed = other.export_mask(name)
            values = other.bits(name).view(np.float32)
            kept = values if zeroed is None else values[zeroed.bools()]
            zeros = mask.size - np.count_nonzero(kept)
            assert zeros == mask.pruned, f"{name}: {zeros} zeros, and {mask.pruned} are pruned"


SUBJECT = Subject(
    "quality-llama",
    "A language model",
    measure,
    "The model and the test data of the next table; its 28 matrices are pruned by L1 per row. The"
    " perplexity is the mean of four draws of the calibration data, each 384 windows of 64 bytes of"
    " what the model was trained on. The peer is SparseGPT with the same calibration data and as"
    " many zeros in every matrix, which is checked. The bounds are half the gaps that a larger"
    " model, trained longer, had in the same comparison.",
    on_request=True,
    page="quality.md",
)
