"""Running a method without making masks: what goes is said by a rule for each tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pruneapp.kernels.cut_mask import CutMask
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.bitmask_mask import Mask
from pruneapp.methods.cutoff import check_all
from pruneapp.methods.limits import Limits
from pruneapp.methods.method import Scope, TensorView, WeightMethod
from pruneapp.methods.prune_tensors import plan_within
from pruneapp.progress import Job


def rules(  # noqa: PLR0917 - each its own type
    tensors: Sequence[TensorView],
    method: WeightMethod,
    values: Mapping[str, Any],
    scope: Scope,
    limits: Limits,
    kernel: Kernel,
    job: Job,
) -> dict[str, Mask]:
    """Return the same masks as `prune_within`, as rules that take no memory.

    Nothing may be protected.

    Whoever looks at them reads the weights again, so they suit what looks once, as an export
    does. Parameters and errors are those of `prune_within`.
    """
    values = check_all(tensors, method, values, scope)
    masks: dict[str, Mask] = {}
    plans = plan_within(tensors, method, values, scope, limits, kernel, job)
    job.extend(sum(r.size for ranked in plans for r in ranked.rankings if ranked.count))
    for ranked in plans:
        if ranked.count == 0:
            masks |= {view.name: view.kept or BitMask.full(view.numel) for view in ranked.views}
            continue
        job.label(ranked.views[0].name)
        threshold, shares = kernel.shares(ranked.rankings, ranked.count, job)
        for view, ranking, share in zip(ranked.views, ranked.rankings, shares, strict=True):
            own = view.scores is None
            masks[view.name] = CutMask(ranking, threshold.key, share, own=own)
    return masks
