"""Scans with made-up measurements, without a model."""

from __future__ import annotations

from collections.abc import Mapping

from pruneapp.evaluation.scan_file import (
    FORMAT,
    VERSION,
    Scan,
    ScanCell,
    ScanConditions,
    ScanMetric,
    ScanTensor,
)

Damages = Mapping[float, float | None]


def made_scan(
    tensors: Mapping[str, tuple[int, Damages]],
    *,
    higher: bool = False,
    pruned: int = 0,
    protected: int = 0,
) -> Scan:
    """Return a scan with these weights and damages by amount; None is no metric."""
    name = "score" if higher else "loss"
    found = []
    for tensor, (weights, damages) in tensors.items():
        cells = []
        for amount, damage in damages.items():
            count = pruned + round(amount * (weights - pruned))
            metrics = {} if damage is None else {name: 1 + (-damage if higher else damage)}
            cells.append(ScanCell(amount, min(count, weights - protected), metrics))
        found.append(ScanTensor(tensor, weights, pruned, protected, 1, tuple(cells)))
    amounts = sorted({amount for _, damages in tensors.values() for amount in damages})
    conditions = ScanConditions(
        checkpoint="m.safetensors",
        checkpoint_sha256="c" * 64,
        script="my_evaluation.py",
        script_sha256="s" * 64,
        interpreter_sha256="i" * 64,
        method="l1_unstructured",
    )
    metric = ScanMetric(name, higher, 1.0)
    return Scan(FORMAT, VERSION, conditions, tuple(amounts), tuple(found), (metric,))
