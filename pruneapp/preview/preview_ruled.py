"""What a step leaves, for an export that follows at once: no masks are held if rules will do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.elements_chunks import RawChunk
from pruneapp.document.selection_sparing import rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.bitmask_mask import Mask
from pruneapp.methods import registry
from pruneapp.methods.method import WeightMethod
from pruneapp.methods.prune_tensors_rules import rules
from pruneapp.preview.preview import check_extras, compute_preview, view_for_row
from pruneapp.progress import Job


@dataclass(frozen=True, eq=False)
class RuleState:
    """A state after a step whose masks are rules, made anew wherever somebody looks.

    Attributes
    ----------
    before
        The state before the step; nothing of it was made final.
    rules
        What is kept of the tensors that the step touched, by first names.
    """

    before: Snapshot
    rules: Mapping[str, Mask]

    @property
    def checkpoint(self) -> Checkpoint:
        """What the tensors come from."""
        return self.before.checkpoint

    def mask(self, name: str) -> Mask | None:
        """Return what is kept of a tensor; None for everything."""
        first = self.checkpoint.entry(name).name
        rule = self.rules.get(first)
        return self.before.mask(first) if rule is None else rule

    def zeroed(self, name: str) -> Mask | None:
        """Return the same: nothing was made final."""
        return self.mask(name)

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield raw elements in flat order, pruned ones with their original bits."""
        return self.before.chunks(name, start, stop, size)


def state_after(
    snapshot: Snapshot,
    step: Step,
    kernel: Kernel,
    job: Job,
    *,
    given: Mapping[str, BitMask] | None = None,
    scores: Checkpoint | None = None,
) -> RuleState | Snapshot:
    """Return the state after a step, to be looked at once.

    A step of one row that ranks single weights takes no memory for masks, however large the model
    is: the threshold says it all. Any other is computed as a preview, and so is one where weights
    are protected or final, which a threshold knows nothing of. What is pruned is the same.
    Parameters and errors are those of `compute_preview`.
    """
    method = registry.get(step.rows[0].method)
    beyond_a_threshold = snapshot.final or snapshot.protected
    if len(step.rows) > 1 or not isinstance(method, WeightMethod) or beyond_a_threshold:
        preview = compute_preview(
            snapshot, step, kernel, job, energy=False, given=given, scores=scores
        )
        masks = snapshot.masks.with_masks(preview.masks)
        return replace(snapshot, masks=masks, revision=snapshot.revision + 1)
    snapshot.checkpoint.verify_unchanged()
    if scores is not None:
        scores.verify_unchanged()
    check_extras(step, given, scores)
    row = step.rows[0]
    ((_, names),) = rows_of(snapshot.checkpoint, step)
    job.start(0, names[0])
    views = [view_for_row(snapshot, row, name, given, scores) for name in names]
    made = rules(views, method, row.values, step.scope, step.limits, kernel, job)
    return RuleState(snapshot, made)
