"""Effect of repair: small models at high sparsity, without it, with it, and by SparseGPT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.document.selection import default_selection, select
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Scope, Step
from pruneapp.edits.repaired_values import as_values
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods import registry
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.repair.repair import compute_repair
from pruneapp.repair.solve import Moments
from pruneapp.statistics.file import Inputs, Origin, register, save_statistics
from tests.benchmarks.benchmark import AtLeast, Bound, Ground, Line, Subject

DRAWS = 4


@dataclass(frozen=True)
class Pruning:
    """A step, and lower bounds of the quality after it and after a repair."""

    words: str
    method: str
    values: Mapping[str, Any]
    scope: Scope = "global"
    least: float | None = None
    sequential: float | None = None  # the same, after a sequential repair
    patterns: tuple[str, ...] = ()  # of the names of tensors; empty for the default selection

    def masks(self, state: Snapshot) -> Mapping[str, BitMask]:
        """Return the masks of the selected tensors."""
        names = (
            select(state.checkpoint, self.patterns)
            if self.patterns
            else default_selection(state.checkpoint)
        )
        row = Row(names, self.method, self.values)
        return compute_preview(
            state, Step((row,), self.scope), CpuKernel(), Job(), norms=False
        ).masks


def _at_least(least: float | None) -> Bound | None:
    return None if least is None else AtLeast(least)


def _lamp(amount: float, least: float | None = None, sequential: float | None = None) -> Pruning:
    words = f"LAMP {amount:.0%}"
    return Pruning(words, "lamp", {"amount": amount}, least=least, sequential=sequential)


def _l1(
    amount: float,
    least: float | None = None,
    scope: Scope = "global",
    *,
    sequential: float | None = None,
) -> Pruning:
    words = f"L1 {scope} {amount:.0%}".replace("local", "per tensor")
    return Pruning(words, "l1_unstructured", {"amount": amount}, scope, least, sequential)


SAMPLE = (
    _lamp(0.9, 97, 97),
    _lamp(0.95, 93, 96.5),
    _l1(0.8, 97.5, sequential=97),
    _l1(0.9, sequential=95),
    _l1(0.95),
    Pruning("2:4", "n_m", {"pattern": "2:4"}, "local", 98),
    Pruning("L1 per row 50%", "l1_per_row", {"amount": 0.5}, "local"),
    _l1(0.5, scope="local"),
    _l1(0.7, scope="local", sequential=95.5),
    _l1(0.8, scope="local", sequential=92),
)
RESNET = (
    _l1(0.5, 86),
    _l1(0.7, 72, sequential=78),
    _l1(0.8, sequential=68),
    _l1(0.7, scope="local"),
)


def measure(_ground: Ground) -> Iterator[Line]:
    from tests.benchmarks import quality_models as models  # imports torch and data sets

    yield from _measured("sample", models.sample(), SAMPLE)


def measure_photos(_ground: Ground) -> Iterator[Line]:
    from tests.benchmarks import quality_models as models

    resnet = models.resnet20()
    if resnet is not None:
        yield from _measured("ResNet-20", resnet, RESNET)


def _measured(name: str, model: Any, prunings: tuple[Pruning, ...]) -> Iterator[Line]:
    from tests.benchmarks.quality_models import known

    with open_checkpoint(model.path) as checkpoint:
        whole = Snapshot(checkpoint)
        dense = model.load(whole)
        draws = [model.moments(dense, draw) for draw in range(DRAWS)]
        yield Line(name, "unpruned", model.score(dense, dense), "%")
        for pruning in prunings:
            state = whole.with_masks({"masks": pruning.masks(whole)})
            without = model.score(model.load(state), dense)
            repaired, in_order, others = [], [], []
            for draw, moments in enumerate(draws):
                after = compute_repair(state, known(moments), Job()).edit.after
                repaired.append(model.score(model.load(state.with_masks(after)), dense))
                sequential = model.sequential(dense, state, draw)
                in_order.append(model.score(model.load(sequential), dense))
                others.append(model.score(model.load(by_sparse_gpt(state, moments)), dense))
            peer = None if pruning.method == "n_m" else float(np.mean(others))
            for figure, scores, least, more in (
                ("after repair", repaired, pruning.least, f"; without repair {without:.1f} %"),
                ("after sequential repair", in_order, pruning.sequential, ""),
            ):
                yield Line(
                    f"{name}, {pruning.words}",
                    figure,
                    float(np.mean(scores)),
                    "%",
                    peer=peer,
                    bound=_at_least(least),
                    note=f"{min(scores):.1f} to {max(scores):.1f} %{more}",
                )


# Methods that use statistics, and the ones they are compared with.
_BY_STATISTICS: Mapping[str, Scope] = {
    "l1_per_row": "local",
    "wanda": "local",
    "owl": "global",
    "swaps": "local",
    "n_m": "local",
    "wanda_n_m": "local",
    "swaps_n_m": "local",
}


def measure_masks(ground: Ground) -> Iterator[Line]:
    from tests.benchmarks import quality_models as models

    model = models.sample()
    with open_checkpoint(model.path) as checkpoint:
        selected = default_selection(checkpoint)
        whole = Snapshot(checkpoint)
        dense = model.load(whole)
        draws = []
        for draw in range(DRAWS):
            path = ground.folder / f"sample-{draw}.safetensors"
            save_moments(path, model.moments(dense, draw))
            draws.append(register(path))

        def scores(method: str, values: Mapping[str, Any]) -> Iterator[float]:
            takes = registry.get(method).takes_statistics
            for draw in draws if takes else draws[:1]:
                row = Row(selected, method, {**values, **({"statistics": draw} if takes else {})})
                step = Step((row,), _BY_STATISTICS[method])
                masks = compute_preview(whole, step, CpuKernel(), Job(), norms=False).masks
                yield model.score(model.load(whole.with_masks({"masks": masks})), dense)

        for words, values in (
            ("50%", {"amount": 0.5}),
            ("70%", {"amount": 0.7}),
            ("80%", {"amount": 0.8}),
            ("2:4", {"pattern": "2:4"}),
        ):
            peer = None
            for method in _BY_STATISTICS:
                if method.endswith("n_m") != ("pattern" in values):
                    continue
                found = list(scores(method, values))
                mean = float(np.mean(found))
                lowest, highest = min(found), max(found)
                bound = AtLeast(peer) if peer is not None and method.startswith("swaps") else None
                yield Line(
                    f"sample, {words}",
                    registry.get(method).label,
                    mean,
                    "%",
                    peer=peer,
                    bound=bound,
                    note=f"{lowest:.1f} to {highest:.1f} %" if len(found) > 1 else "",
                )
                peer = mean if method.startswith("wanda") else peer


def save_moments(path: Path, moments: Mapping[str, Moments]) -> None:
    """Write moments as statistics of activations."""
    weights = {
        name: Inputs(
            each.gram.diagonal()[np.newaxis],
            None if each.sums is None else each.sums[np.newaxis],
            np.array([each.count]),
        )
        for name, each in moments.items()
    }
    grams = {name: [each.gram] for name, each in moments.items()}
    save_statistics(path, weights, Origin(), Job(), grams=grams)


def by_sparse_gpt(
    state: Snapshot, moments: Mapping[str, Moments], group: int | None = None
) -> Snapshot:
    """Return the state that SparseGPT computes with the same sparsity in each layer.

    With a `group`, also in each group of so many weights in a row, as for N:M.
    """
    from tests.benchmarks.sparse_gpt import sparse_gpt

    checkpoint: Checkpoint = state.checkpoint
    values = {}
    for name, mask in state.masks.items():
        entry = checkpoint.entry(name)
        matrix = checkpoint.bits(name).view(np.float32).reshape(entry.shape[0], -1)
        pruned = sparse_gpt(matrix, moments[name].gram, mask.pruned / mask.size, group)
        values[name] = as_values(pruned)
    return Snapshot(checkpoint).with_masks({"values": values})


_METHOD = (
    " Means of four draws of the calibration data, with their range. The peer is SparseGPT with the"
    " same share of zeros in every layer and the same calibration data; it chooses the zeros within"
    " a layer itself."
)
SUBJECT = Subject(
    "quality",
    "The sample",
    measure,
    "Accuracy on its own 360 test pictures, calibrated with 256 training pictures." + _METHOD,
    on_request=True,
    page="quality.md",
)
MASKS = Subject(
    "quality-masks",
    "Masks by statistics",
    measure_masks,
    "The same test pictures, after pruning alone: nothing is repaired. Means of four draws of the"
    " calibration data, with their range. The peer is Wanda, per row or 2:4.",
    on_request=True,
    page="quality.md",
)
PHOTOS = Subject(
    "quality-photos",
    "ResNet-20 on photos",
    measure_photos,
    "A network trained on CIFAR-10, on crops of scikit-learn's two photos: the share of 512 that"
    " are named as by the unpruned model, calibrated with 256 others, which may overlap." + _METHOD,
    on_request=True,
    page="quality.md",
)
