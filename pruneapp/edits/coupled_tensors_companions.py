"""The bias and norm of channels that a method takes, taken along as part of the same step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, dim_of
from pruneapp.edits.coupled_tensors import Companions
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.bitmask_maskset import MaskSet
from pruneapp.masks.channels import channels_left
from pruneapp.progress import Job

Gone = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TakenAlong:
    """What went along with channels.

    Attributes
    ----------
    masks
        Of the companions that changed, by first names.
    spared
        How many weights stay because they are protected.
    """

    masks: Mapping[str, BitMask]
    spared: int


def filters_gone(
    state: Snapshot, after: MaskSet, row: Row, names: Iterable[str], job: Job
) -> dict[str, Gone]:
    """Return which channels along dim 0 a row of whole channels has taken.

    Parameters
    ----------
    state
        The state before the row.
    after
        The masks after it.
    row, names
        What was done, and to which tensors, by first names.
    job
        Looked at for each tensor; may cancel.

    Returns
    -------
    dict of str to ``bool[channels]``
        True where all of a channel is pruned after the row and was not before. Tensors without
        such a channel, and rows along another dimension, are left out.
    """
    found: dict[str, Gone] = {}
    for name in names:
        job.step(0)
        old, new = state.masks.get(name), after[name]
        shape = state.checkpoint.entries[name].shape
        if dim_of(row, shape, name) != 0 or new is old:
            continue
        gone = channels_left(old, shape, 0) & ~channels_left(new, shape, 0)
        if gone.any():
            found[name] = gone
    return found


def take_along(state: Snapshot, gone: Mapping[str, Gone], job: Job) -> TakenAlong:
    """Take from the companions of channels what belongs to these.

    What they are, and why they should go, is said in `pruneapp.edits.coupled_tensors`. No weight is
    read.

    Parameters
    ----------
    state
        The state after the channels went.
    gone
        See `filters_gone`.
    job
        Looked at for each tensor; may cancel.
    """
    pairs = Companions(state.checkpoint, job.cancel)
    wanted: dict[str, Gone] = {}
    for name, channels in gone.items():
        job.label(name)
        for companion in pairs.of(name):
            also = wanted.get(companion.name)  # a norm may follow two layers
            wanted[companion.name] = channels if also is None else also | channels
    masks: dict[str, BitMask] = {}
    spared = 0
    for name, channels in wanted.items():
        job.step(0)
        kept, protected = state.masks.get(name), state.protected.get(name)
        goes = channels if kept is None else channels & kept.bools()
        if protected is not None:
            guarded = goes & protected.bools()
            spared += int(np.count_nonzero(guarded))
            goes &= ~guarded
        if goes.any():
            masks[name] = BitMask.from_bools(~goes if kept is None else kept.bools() & ~goes)
    return TakenAlong(masks, spared)
