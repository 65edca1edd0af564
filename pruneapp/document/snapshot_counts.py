"""Counts of what is left to prune, kept so that a moving slider never looks at a mask again.

Counts never keep a mask alive: of a large model the masks of one state take hundreds of megabytes.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.selection import resolve
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.bitmask_maskset import MaskSet
from pruneapp.masks.channels import channels_left
from pruneapp.methods.method import Method
from pruneapp.params import DimParam
from pruneapp.progress import Job

# Rows that are remembered: more than a step has, as a rule.
_ROWS = 8


@dataclass(frozen=True, eq=False)
class Units:
    """What is left of some tensors.

    Attributes
    ----------
    names
        First names, in file order.
    left
        ``int64[tensors]``: weights or channels that are not pruned yet.
    each
        ``int64[tensors]``: weights of a unit; 1 for single weights.
    kept
        ``int64[tensors]``: weights that are not pruned yet.
    protected
        ``int64[tensors]``: how many of the units that are left may not go: protected weights, or
        channels that hold any.
    numel
        ``int64[tensors]``: elements in all.
    """

    names: tuple[str, ...]
    left: NDArray[np.int64]
    each: NDArray[np.int64]
    kept: NDArray[np.int64]
    protected: NDArray[np.int64]
    numel: NDArray[np.int64]

    @property
    def free(self) -> NDArray[np.int64]:
        """``int64[tensors]``: units that may go."""
        return self.left - self.protected


# What is kept, and what is protected.
Layers = tuple[MaskSet, MaskSet]
_Key = tuple[tuple[str, ...], str, int]
_Along = tuple[tuple[int, ...], int]


class UnitCounts:
    """Remembers the units of the last rows, and the channels of every mask that it looked at.

    Safe to use from several threads: two that ask at once may both count.
    """

    def __init__(self) -> None:
        self._rows: dict[_Key, tuple[ref[MaskSet], ref[MaskSet], Units]] = {}
        # By the identity of the mask, shape and dimension; gone with the mask.
        self._channels: dict[int, tuple[ref[BitMask], dict[_Along, int]]] = {}
        self._lock = threading.Lock()

    def units(
        self,
        checkpoint: Checkpoint,
        layers: Layers,
        names: tuple[str, ...],
        method: Method,
        values: Mapping[str, Any],
        *,
        job: Job | None = None,
    ) -> Units:
        """Return what is left for a method; instant for the same names and masks as before.

        `layers` are the masks of what is kept and of what is protected; `job` may cancel.

        Raises
        ------
        ParameterError
            If a tensor has no channels along the method's dimension.
        SelectionError
            If a tensor cannot be pruned, or there is none.
        """
        param = None
        if method.granularity == "channels":
            param = next(p for p in method.params if isinstance(p, DimParam))
        key = names, param.name if param else "", int(values[param.name]) if param else 0
        known = self._rows.get(key)
        masks, protected = layers
        if known is not None and known[0]() is masks and known[1]() is protected:
            return known[2]
        made = self._count(checkpoint, layers, names, param, key[2], job=job or Job())
        with self._lock:
            while len(self._rows) >= _ROWS:
                del self._rows[next(iter(self._rows))]
            self._rows[key] = ref(masks), ref(protected), made
        return made

    def _count(
        self,
        checkpoint: Checkpoint,
        layers: Layers,
        names: tuple[str, ...],
        param: DimParam | None,
        dim: int,
        *,
        job: Job,
    ) -> Units:
        found = resolve(checkpoint, names)
        counts = np.empty((5, len(found)), np.int64)
        start = 0
        for batch in job.cancel.batches(found):
            entries = [checkpoint.entries[name] for name in batch]
            kept, guards = ([masks.get(name) for name in batch] for masks in layers)
            part = counts[:, start : start + len(batch)]
            left, each, there, guarded, numel = part
            numel[:] = [e.numel for e in entries]
            there[:] = [
                e.numel if m is None else m.kept for e, m in zip(entries, kept, strict=True)
            ]
            if param is None:
                left[:], each[:] = there, 1
                guarded[:] = [0 if guard is None else guard.kept for guard in guards]
            else:
                along = [(e.shape, param.resolve(dim, e.shape, e.name)) for e in entries]
                left[:] = [shape[at] for shape, at in along]
                each[:] = numel // np.maximum(left, 1)
                left[:] = self._held_by(kept, along, left, job)
                guarded[:] = self._held_by(guards, along, np.zeros_like(left), job)
            start += len(batch)
        return Units(found, *counts)

    def _held_by(
        self,
        masks: list[BitMask | None],
        along: list[_Along],
        without: NDArray[np.int64],
        job: Job,
    ) -> list[int]:
        """Return for each mask how many channels hold something; `without` where there is none."""
        return [
            other if mask is None else self._held(mask, *place, job)
            for mask, place, other in zip(masks, along, without.tolist(), strict=True)
        ]

    def _held(self, mask: BitMask, shape: tuple[int, ...], dim: int, job: Job) -> int:
        """Return how many channels hold something that a mask has."""
        known = self._channels.get(id(mask))
        if known is None or known[0]() is not mask:
            known = ref(mask, partial(_forget, self._channels, id(mask))), {}
            self._channels[id(mask)] = known
        left = known[1].get((shape, dim))
        if left is None:
            left = int(np.count_nonzero(channels_left(mask, shape, dim, job)))
            known[1][shape, dim] = left
        return left


def _forget(
    channels: dict[int, tuple[ref[BitMask], dict[_Along, int]]], key: int, gone: ref[BitMask]
) -> None:
    # Another mask may have been made at the same address by now.
    if (known := channels.get(key)) is not None and known[0] is gone:
        del channels[key]
