"""Groups as seen by a tensor: which channels belong to which unit, and norms of units."""

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
    """The units that a tensor shares along a dimension with other tensors, for one axis.

    If several groups of the axis cover parts of the dimension, as after a concatenation, their
    units are numbered consecutively.
    """

    axis: str  # axis, as on the command line: ``ffn``
    label: str  # display name of the units: "FFN neurons"
    place: str  # part of the model: "model.layers.3.mlp"; empty for all
    dim: int
    count: int  # number of units
    unit_of: NDArray[np.int32]  # ``int32[channels]``: unit of each channel, -1 for none
    others: tuple[str, ...]  # other tensors with the same units, by their names in the file

    @property
    def units(self) -> str:
        """The label for use inside a sentence: "query heads", "FFN neurons"."""
        return in_sentence(self.label)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of channels of each unit, ``int64[units]``."""
        return np.bincount(self.unit_of[self.unit_of >= 0], minlength=self.count).astype(np.int64)

    @cached_property
    def by_channel(self) -> bool:
        """Whether every unit is at most one channel of the tensor, such as a neuron."""
        return bool((self.sizes <= 1).all())

    def channels_of(self, units: Bools) -> Bools:
        """Return ``bool[channels]`` for ``bool[units]``; channels without a unit are False."""
        return np.append(units, False)[self.unit_of]

    def units_of(self, channels: Bools) -> Bools:
        """Return ``bool[units]``: units with at least one channel in ``bool[channels]``."""
        units = self.unit_of[channels]
        return np.bincount(units[units >= 0], minlength=self.count) > 0

    def is_same(self, other: TensorGroup) -> bool:
        """Return whether `other` is the same group, seen by another tensor."""
        mine, theirs = ((g.axis, g.place, g.count) for g in (self, other))
        return mine == theirs

    def can_measure(self, n: str) -> bool:
        """Return whether the norm of a unit can be computed from those of its channels."""
        return n != "nuc"

    def norms_of(self, norms: ChannelNorms) -> ChannelNorms:
        """Return the norms of units from those of the channels along `dim`.

        Only valid if `can_measure` is True for the order of the norm.
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
    """Return a label with a lower-case first letter, unless it starts with an abbreviation."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def _joined(values: Floats, units: NDArray[np.int32], count: int, n: str) -> Floats:
    """Return the norms of concatenated vectors from the norms of their parts."""
    order = _ORDERS[n] if n in _ORDERS else float(n)
    found: Floats
    if np.isinf(order):
        found = np.full(count, 0.0 if order > 0 else np.inf)
        (np.maximum if order > 0 else np.minimum).at(found, units, values)
        found[np.bincount(units, minlength=count) == 0] = 0.0
        return found
    if order == 0:  # the number of nonzero elements
        return np.bincount(units, values, count).astype(np.float64)
    finite = values[np.isfinite(values)]
    scale = float(finite.max(initial=0.0)) or 1.0  # avoids overflow of the powers
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        powers = np.bincount(units, (values / scale) ** order, count)
        found = np.asarray(scale * powers ** (1 / order), np.float64)
    found[np.bincount(units, minlength=count) == 0] = 0.0
    return found
