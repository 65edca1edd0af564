"""Whether what an entry of a recipe says suits the shapes of the tensors that it means."""

from __future__ import annotations

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.selection_sparing import rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.edits.apply_manual_edit import check_box
from pruneapp.edits.coupled_tensors import Companions
from pruneapp.edits.manual_edit_target import ManualTarget
from pruneapp.errors import ParameterError
from pruneapp.methods import registry
from pruneapp.methods.amounts import to_prune
from pruneapp.methods.cutoff import check_all, units_left
from pruneapp.params_amounts import AmountParam
from pruneapp.preview.preview import view_for_row
from pruneapp.progress import Job


def touched(checkpoint: Checkpoint, step: Step) -> list[str]:
    """Return the first names of the tensors that a step touches, in file order."""
    names = {name for _, found in rows_of(checkpoint, step) for name in found}
    return [name for name in checkpoint.entries if name in names]


def check_sizes(checkpoint: Checkpoint, step: Step, job: Job) -> bool:
    """Refuse what does not suit a tensor, whatever is pruned of it; raises `ParameterError`.

    Dimensions that it does not have, norms that do not follow it, and counts that are larger than
    it.
    """
    whole, pairs = Snapshot(checkpoint), Companions(checkpoint)
    for row, names in rows_of(checkpoint, step):
        method = registry.get(row.method)
        amount = next((row.values[p.name] for p in method.params if isinstance(p, AmountParam)), 0)
        counted = isinstance(amount, int) and amount > 0 and step.limits.total is None
        if not (counted or method.least_dims > 1 or method.takes_scale):
            continue  # it suits any tensor
        sizes: list[int] = []
        for batch in job.cancel.batches(names):
            views = [view_for_row(whole, row, name, None, None, pairs) for name in batch]
            check_all(views, method, row.values, step.scope)
            sizes += [units_left(view, method, row.values) for view in views]
        if not counted:
            continue
        unit = method.granularity if method.granularity in {"channels", "blocks"} else "weights"
        if step.scope == "global":
            to_prune(amount, sum(sizes), unit=unit)
            continue
        for name, size in zip(names, sizes, strict=True):
            to_prune(amount, size, unit=unit, where=name)
    return True


def check_place(checkpoint: Checkpoint, target: ManualTarget) -> bool:
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
