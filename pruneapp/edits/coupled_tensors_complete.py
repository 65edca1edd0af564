"""The bias and norm of channels that are pruned already, whatever pruned them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pruneapp.document.selection import resolve
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.coupled_tensors import Companions
from pruneapp.edits.manual_edit import HandEdit
from pruneapp.edits.manual_edit_target import ManualTarget
from pruneapp.edits.manual_edit_words import count
from pruneapp.errors import SelectionError
from pruneapp.masks.channels import channels_left
from pruneapp.progress import Job
from pruneapp.results.tile import Box


def complete_channels(snapshot: Snapshot, names: Iterable[str] | None, job: Job) -> HandEdit:
    """Return the edit that prunes what the companions of pruned channels still hold.

    A channel counts once all of it along dim 0 is pruned, by a method, by hand, or by the file. See
    `pruneapp.edits.coupled_tensors` for what its companions are, and why they should go as well.

    Parameters
    ----------
    snapshot
        The state. What was made final counts as kept.
    names
        The weights, by any names; None for all.
    job
        Asked whether to go on, for each tensor.

    Returns
    -------
    HandEdit
        One step, for `compute_hand`; protected weights are spared there.

    Raises
    ------
    SelectionError
        If a tensor cannot be pruned, or nothing is left to prune: no channel is pruned whole, or
        its companions are pruned already, or it has none.
    """
    checkpoint, pairs = snapshot.checkpoint, Companions(snapshot.checkpoint, job.cancel)
    chosen = snapshot.masks if names is None else resolve(checkpoint, names)
    targets: list[ManualTarget] = []
    channels = 0
    for name in filter(snapshot.masks.__contains__, chosen):
        job.label(name)
        shape = checkpoint.entry(name).shape
        if len(shape) < 2:
            continue
        gone = ~channels_left(snapshot.masks[name], shape, 0, job)
        left = np.zeros(shape[0], np.bool_)
        for companion in pairs.of(name) if gone.any() else ():
            kept = snapshot.masks.get(companion.name)
            meant = gone if kept is None else gone & kept.bools()
            if meant.any():
                targets.append(ManualTarget(companion.name, _boxes(meant), shape="channel", dim=0))
                left |= meant
        channels += int(np.count_nonzero(left))
    if not targets:
        raise SelectionError(
            "No pruned channel has anything left in a bias or a norm.",
            remedy="Prune whole channels along dim 0 first.",
        )
    words = f"Bias and norm of {count(channels, 'pruned channel')} pruned"
    return HandEdit("prune", tuple(targets), words)


def _boxes(meant: NDArray[np.bool_]) -> tuple[Box, ...]:
    """Return the runs of True as boxes of one dimension."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], meant, [False])).view(np.int8)))
    return tuple(((int(a), int(b)),) for a, b in edges.reshape(-1, 2))
