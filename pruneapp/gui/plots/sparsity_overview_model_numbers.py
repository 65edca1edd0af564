"""The numbers of a model's tensors as arrays, for pictures and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pruneapp.gui.plots.chart.items import Floats
from pruneapp.results.document_rows_tensor_row import TensorRow
from pruneapp.results.sparsity_report import SparsityReport, TensorSparsity


@dataclass(frozen=True, eq=False)
class ModelNumbers:
    """What is known of the tensors of a report, before and after a step.

    Attributes
    ----------
    names
        As in the file.
    numel, nbytes
        ``float64[n]``: elements; bytes in the file, 0 where they are not known.
    before, after
        ``float64[n]``: how many are pruned now, and would be.
    energy
        ``float64[n]``: share of the energy of what is kept that the step leaves; NaN where it is
        not counted, and for what the step does not touch. What earlier steps took is not in it.
    retained
        ``float64[n]``: share of the energy that was there on opening that is kept now; NaN where
        it is not counted.
    """

    names: tuple[str, ...]
    numel: Floats
    nbytes: Floats
    before: Floats
    after: Floats
    energy: Floats
    retained: Floats

    @cached_property
    def left(self) -> Floats:
        """``float64[n]``: share of the energy on opening that is kept after the step.

        NaN where that is not known: of a tensor that the step touches, too, if the step's is not.
        """
        untouched = np.isnan(self.energy) & (self.after <= self.before)
        return self.retained * np.where(untouched, 1.0, self.energy)

    @cached_property
    def shares(self) -> Floats:
        """``float64[n]``: the pruned share after the step."""
        return self.after / np.maximum(self.numel, 1)

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """What each tensor is in its block: its name without the numbers between dots."""
        return tuple(role(name) for name in self.names)

    def by_role(self) -> tuple[NDArray[np.int64], list[tuple[str, int]]]:
        """Return the tensors role by role, roles as they first come, and each role with its size.

        O(n) in the number of tensors.
        """
        places: dict[str, list[int]] = {}
        for i, found in enumerate(self.roles):
            places.setdefault(found, []).append(i)
        order = np.array([i for group in places.values() for i in group], dtype=np.int64)
        return order, [(name, len(group)) for name, group in places.items()]


NO_NUMBERS = ModelNumbers((), *(np.zeros(0),) * 6)


def role(name: str) -> str:
    """Return a name with * for the numbers between its dots: ``layers.*.q_proj.weight``."""
    return ".".join("*" if word.isdecimal() else word for word in name.split("."))


def model_numbers(
    report: SparsityReport,
    preview: SparsityReport | None,
    rows: Mapping[str, TensorRow],
    known: ModelNumbers = NO_NUMBERS,
) -> ModelNumbers:
    """Return the numbers of the tensors of a report, with what a step would do to them.

    O(n) in the number of tensors; what does not change with a step is taken from `known` if that
    is of the same tensors, which is most of the work.
    """
    tensors = report.tensors
    size = len(tensors)
    names = tuple(t.name for t in tensors)
    if names == known.names:
        names, numel, nbytes = known.names, known.numel, known.nbytes
    else:
        numel = np.fromiter((t.numel for t in tensors), np.float64, size)
        found = (rows.get(name) for name in names)
        nbytes = np.fromiter((row.nbytes if row else 0 for row in found), np.float64, size)
    before = np.fromiter((t.after for t in tensors), np.float64, size)
    retained = _energies(tensors)
    after = before.copy()
    energy = np.full(size, np.nan)
    if preview is not None:
        touched = preview.tensors
        asked = [t.name for t in touched]
        if asked == list(names):
            places = np.arange(size)
        else:
            place = {name: i for i, name in enumerate(names)}
            places = np.fromiter((place.get(name, -1) for name in asked), np.int64, len(asked))
        here = places >= 0
        then = np.fromiter((t.after for t in touched), np.float64, len(touched))
        kept = _energies(touched)
        after[places[here]] = np.maximum(then[here], before[places[here]])
        energy[places[here]] = kept[here]
    return ModelNumbers(names, numel, nbytes, before, after, energy, retained)


def _energies(tensors: Sequence[TensorSparsity]) -> Floats:
    """Return ``float64[n]``: shares of energy, NaN for None."""
    shares = (np.nan if t.energy is None else t.energy for t in tensors)
    return np.fromiter(shares, np.float64, len(tensors))


def laid_out(rows: Sequence[TensorRow]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return bytes, and whether it can be pruned, of every tensor of a file."""
    return (
        np.array([row.nbytes for row in rows], dtype=np.float64),
        np.array([not row.why_not for row in rows], dtype=np.bool_),
    )
