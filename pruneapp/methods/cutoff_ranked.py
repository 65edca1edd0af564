"""Cutting tensors by one threshold: each by itself, or several together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.kernels.kernel import Kernel, Near, Ranking
from pruneapp.kernels.sort_keys import common_width
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.cutoff import count_of
from pruneapp.methods.method import Scope, TensorView, Values, WeightMethod
from pruneapp.progress import Job


@dataclass(frozen=True, eq=False)
class NearTaken:
    """What went of one tensor between two keys; see `Kernel.prune_near`."""

    near: Near
    keys: Bits


@dataclass(frozen=True, eq=False)
class Pruned:
    """What a method leaves.

    Attributes
    ----------
    masks
        One for each tensor, by name, in the order of the tensors. What was pruned stays so.
    spared
        How many weights of a tensor a mask or its groups would have taken, had they not been
        protected.
    near
        What went near the cut, of the tensors of which somebody knew where it lies.
    """

    masks: dict[str, BitMask]
    spared: Mapping[str, int] = field(default_factory=dict)
    near: Mapping[str, NearTaken] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Ranked:
    """Tensors that one threshold cuts, their rankings, and how many of their weights go."""

    views: Sequence[TensorView]
    rankings: Sequence[Ranking]
    count: int


# Says about where the cut of some tensors lies; None if it does not know.
Expect = Callable[[Ranked], Near | None]


def plan(  # noqa: PLR0917 - each its own type
    tensors: Sequence[TensorView],
    method: WeightMethod,
    values: Values,
    scope: Scope,
    kernel: Kernel,
    job: Job,
) -> list[Ranked]:
    """Return what to rank together; raises `ParameterError` before anything is worked on.

    Where the method has to read the tensors to tell, `job` is extended by that and stepped.
    """
    groups = [list(tensors)] if scope == "global" else [[view] for view in tensors]
    groups = [group for group in groups if group]
    counts: list[int] = []
    for batch in job.cancel.batches(groups):
        counts += [count_of(group, method, values) for group in batch]
    if method.allocate is not None and groups:
        gone = method.allocate(tensors, values, kernel, job)(
            np.ones(len(tensors), np.bool_), counts[0]
        )
        groups, counts = [[view] for view in tensors], gone.tolist()
    return [
        Ranked(group, rank_together(group, method, values, kernel, job) if count else [], count)
        for group, count in zip(groups, counts, strict=True)
    ]


def rank_together(
    group: Sequence[TensorView], method: WeightMethod, values: Values, kernel: Kernel, job: Job
) -> list[Ranking]:
    """Return the rankings of tensors, with keys that can be compared, of what may be taken."""
    width = max(method.least_width(view) for view in group)
    if len({view.ranked.dtype for view in group}) > 1:
        width = max(width, common_width({view.ranked.dtype for view in group}))
    made: list[Ranking] = []
    for view in group:
        job.cancel.check()
        measured = None
        if method.measure is not None:
            job.extend(view.numel)
            measured = method.measure(view, values, kernel, job)
        made.append(method.rank(view.free, values, width, measured))
    return made


def prune_ranked(
    plans: Sequence[Ranked], kernel: Kernel, job: Job, *, expect: Expect | None = None
) -> Pruned:
    """Return what tensors keep after their cuts; extends `job` by the work."""
    job.extend(2 * sum([r.size for ranked in plans if ranked.count for r in ranked.rankings]))
    masks: dict[str, BitMask] = {}
    near: dict[str, NearTaken] = {}
    for ranked in plans:
        if ranked.count == 0:
            masks |= {view.name: view.kept or BitMask.full(view.numel) for view in ranked.views}
            continue
        job.label(ranked.views[0].name)
        about = None if expect is None else expect(ranked)
        cut = None
        if about is not None:
            cut = kernel.prune_near(ranked.rankings, ranked.count, about, job)
        made = kernel.prune(ranked.rankings, ranked.count, job) if cut is None else cut.masks
        for view, mask in zip(ranked.views, made, strict=True):
            masks[view.name] = mask if view.protected is None else mask | view.protected
        if about is not None and cut is not None:
            taken = zip(ranked.views, cut.taken, strict=True)
            near |= {view.name: NearTaken(about, keys) for view, keys in taken}
    return Pruned(masks, near=near)
