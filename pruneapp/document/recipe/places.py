"""Whether what an entry of a recipe says suits the shapes of the tensors that it means."""

from __future__ import annotations

from pruneapp.checkpoint.reader import Checkpoint
from pruneapp.document.hand import Target
from pruneapp.document.hand.compute import check_box
from pruneapp.document.sparing import rows_of
from pruneapp.document.step import Step
from pruneapp.errors import ParameterError
from pruneapp.methods import registry
from pruneapp.methods.amount import to_prune
from pruneapp.params import AmountParam, DimParam


def touched(checkpoint: Checkpoint, step: Step) -> list[str]:
    """Return the first names of the tensors that a step touches, in file order."""
    names = {name for _, found in rows_of(checkpoint, step) for name in found}
    return [name for name in checkpoint.entries if name in names]


def check_sizes(checkpoint: Checkpoint, step: Step) -> bool:
    """Refuse dimensions that a tensor does not have, and counts that are larger than it."""
    for row, names in rows_of(checkpoint, step):
        method = registry.get(row.method)
        sizes: list[int] = []
        for name in names:
            entry = checkpoint.entry(name)
            size = entry.numel
            for param in method.params:
                if isinstance(param, DimParam):
                    size = entry.shape[param.resolve(row.values[param.name], entry.shape, name)]
            sizes.append(size)
        amount = next((row.values[p.name] for p in method.params if isinstance(p, AmountParam)), 0)
        counted = method.granularity in {"weights", "channels"}
        if isinstance(amount, float) or step.limits.total is not None or not counted:
            continue
        unit = "channels" if method.granularity == "channels" else "weights"
        if step.scope == "global":
            to_prune(amount, sum(sizes), unit=unit)
            continue
        for name, size in zip(names, sizes, strict=True):
            to_prune(amount, size, unit=unit, where=name)
    return True


def check_place(checkpoint: Checkpoint, target: Target) -> bool:
    """Refuse boxes outside of a tensor, and masks of another size; raises `ParameterError`."""
    entry = checkpoint.entry(target.name)
    for box in target.boxes:
        check_box(entry, box)
    if target.mask is not None and target.mask.size != entry.numel:
        raise ParameterError(
            f"The mask for '{target.name}' must have its {entry.numel:,} elements "
            f"(got {target.mask.size:,})."
        )
    return True
