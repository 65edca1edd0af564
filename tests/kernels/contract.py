"""Run kernels, check their progress and shares, and compute the expected masks."""

from __future__ import annotations

import numpy as np

from pruneapp.kernels.kernel import Kernel, Threshold
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from tests.support.tensors import first_to_go


class Counter:
    """Records the reported progress."""

    def __init__(self):
        self.done = self.total = 0

    def report(self, done, total, label):
        self.done, self.total = done, total


def cut(kernel: Kernel, rankings, count) -> tuple[Threshold, list[BitMask]]:
    """Find and apply a threshold as a step does; check the reported progress."""
    size = sum(r.size for r in rankings)
    counter = Counter()
    job = Job(counter)
    job.start(size)
    threshold = kernel.find_threshold(rankings, count, job)
    assert counter.done == counter.total >= size
    job.start(size)
    masks = list(kernel.masks(rankings, threshold, job))
    assert counter.done == counter.total == size
    again, shares = kernel.shares(rankings, count, Job())
    assert first_keys_gone(again, shares) == first_keys_gone(threshold, shares)
    assert [
        mask.pruned - (0 if r.kept is None else r.kept.pruned)
        for r, mask in zip(rankings, masks, strict=True)
    ] == [share.pruned for share in shares]
    assert sum(share.ties_pruned for share in shares) == again.ties
    job.start(2 * size)
    assert kernel.prune(rankings, count, job) == masks
    assert counter.done == counter.total >= 2 * size
    return threshold, masks


def first_keys_gone(threshold: Threshold, shares) -> Threshold:
    """Return the threshold without ties if all equal elements are pruned."""
    if threshold.ties and threshold.ties == sum(share.equal for share in shares):
        return Threshold(threshold.key + 1, 0)
    return threshold


def expected_masks(scores: list[np.ndarray], kept: list[np.ndarray | None], count: int):
    """Return masks with the lowest `count` kept weights pruned, by a stable sort in float64."""
    joined = np.concatenate(scores)
    left = np.concatenate(
        [np.ones(len(s), bool) if k is None else k for s, k in zip(scores, kept, strict=True)]
    )
    order = first_to_go(joined)
    going = order[left[order]][:count]
    left[going] = False
    return [
        BitMask.from_bools(part) for part in np.split(left, np.cumsum([len(s) for s in scores]))
    ]
