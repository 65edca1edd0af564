"""A histogram and channel norms for tests."""

from __future__ import annotations

import numpy as np

from pruneapp.analysis.statistics import ChannelNorms, Histogram

HISTOGRAM = Histogram(
    "conv.weight",
    np.linspace(0, 4, 5),
    kept=np.array([0, 40, 100, 1000]),
    pruned=np.array([60, 20, 0, 0]),
    to_be_pruned=np.array([0, 40, 0, 0]),
    nonfinite=2,
)


def made_norms(
    norms,
    kept,
    to_prune,
    *,
    name="conv.weight",
    dim=0,
    n="2",
    left=None,
    protected=None,
    partly=None,
):
    """Return norms with the share `kept` unpruned, of channels that `to_prune` prunes as wholes."""
    norms, kept, to_prune = (np.asarray(values) for values in (norms, kept, to_prune))
    left = np.where(kept > 0, norms, 0.0) if left is None else np.asarray(left)
    after = np.where(to_prune, 0.0, left)
    kept_after = np.where(to_prune, 0.0, kept)
    protected, partly = (
        None if given is None else np.asarray(given) for given in (protected, partly)
    )
    return ChannelNorms(name, dim, n, norms, left, after, kept, kept_after, protected, partly)
