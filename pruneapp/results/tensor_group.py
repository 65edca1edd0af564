"""A group as a tensor sees it: which of its channels are which units, and their norms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pruneapp.results.tensor_statistics import ChannelNorms

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_ORDERS = {"fro": 2.0, "inf": np.inf, "-inf": -np.inf}


@dataclass(frozen=True, eq=False)
class TensorGroup:
    """What a tensor shares along a dimension with other tensors, on one axis of the model.

    Where several groups of the axis have parts of the dimension, as behind a concatenation, their
    units are numbered one group after the other.
    """

    axis: str  # ``ffn``, as on the command line
    label: str  # what its units are, in words: "FFN neurons"
    place: str  # where in the model: "model.layers.3.mlp"; empty for all of it
    dim: int
    count: int  # units
    unit_of: NDArray[np.int32]  # ``int32[channels]``: the unit of each, -1 for none
    others: tuple[str, ...]  # the tensors that have the same units, by their names in the file

    @property
    def units(self) -> str:
        """The label within a sentence: "query heads", "FFN neurons"."""
        return in_sentence(self.label)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """``int64[units]``: how many channels each unit has."""
        return np.bincount(self.unit_of[self.unit_of >= 0], minlength=self.count).astype(np.int64)

    @cached_property
    def by_channel(self) -> bool:
        """Whether every unit is one channel of the tensor, such as a neuron."""
        return bool((self.sizes <= 1).all())

    def channels_of(self, units: Bools) -> Bools:
        """Return ``bool[channels]`` for ``bool[units]``."""
        return np.append(units, False)[self.unit_of]

    def units_of(self, channels: Bools) -> Bools:
        """Return ``bool[units]``: those of which ``bool[channels]`` has any."""
        units = self.unit_of[channels]
        return np.bincount(units[units >= 0], minlength=self.count) > 0

    def is_same(self, other: TensorGroup) -> bool:
        """Whether it is the same group, as another tensor sees it."""
        mine, theirs = ((g.axis, g.place, g.count) for g in (self, other))
        return mine == theirs

    def can_measure(self, n: str) -> bool:
        """Whether the norm of a unit follows from those of its channels."""
        return n != "nuc"

    def norms_of(self, norms: ChannelNorms) -> ChannelNorms:
        """Return the norms of units; those of the channels must be along the dimension.

        `can_measure` says of which norms that is possible.
        """
        inside = self.unit_of >= 0
        units = self.unit_of[inside]
        sizes = np.maximum(self.sizes, 1)

        def joined(values: Floats) -> Floats:
            return _joined(values[inside], units, self.count, norms.n)

        def share(kept: Floats) -> Floats:
            return np.bincount(units, kept[inside], self.count) / sizes

        def some(channels: Bools) -> Bools:
            return np.bincount(units, channels[inside], self.count) > 0

        protected = partly = None
        if norms.protected is not None:
            loose = ~norms.protected if norms.partly is None else ~norms.protected | norms.partly
            protected = some(norms.protected)
            partly = protected & some((norms.kept > 0) & loose)
        left = joined(norms.left)
        return replace(
            norms,
            norms=joined(norms.norms),
            left=left,
            after=left if norms.after is norms.left else joined(norms.after),
            kept=share(norms.kept),
            kept_after=share(norms.kept_after),
            protected=protected,
            partly=partly,
        )


def in_sentence(label: str) -> str:
    """Return a label as it stands within a sentence; abbreviations stay."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def _joined(values: Floats, units: NDArray[np.int32], count: int, n: str) -> Floats:
    """Return the norms of vectors that are made of parts, from those of the parts."""
    order = _ORDERS[n] if n in _ORDERS else float(n)
    found: Floats
    if np.isinf(order):
        found = np.full(count, 0.0 if order > 0 else np.inf)
        (np.maximum if order > 0 else np.minimum).at(found, units, values)
        found[np.bincount(units, minlength=count) == 0] = 0.0
        return found
    if order == 0:  # it counts
        return np.bincount(units, values, count).astype(np.float64)
    finite = values[np.isfinite(values)]
    scale = float(finite.max(initial=0.0)) or 1.0  # else squares of large norms were infinite
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        powers = np.bincount(units, (values / scale) ** order, count)
        found = np.asarray(scale * powers ** (1 / order), np.float64)
    found[np.bincount(units, minlength=count) == 0] = 0.0
    return found
