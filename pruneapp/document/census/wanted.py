"""What is to be counted, as things that can be put into a queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pruneapp.document.selection import resolve
from pruneapp.methods import registry
from pruneapp.methods.channels.ln_structured import LN_STRUCTURED
from pruneapp.methods.magnitude.l1_unstructured import L1_UNSTRUCTURED
from pruneapp.methods.random.random_unstructured import RANDOM_UNSTRUCTURED
from pruneapp.methods.run import resolve_dim
from pruneapp.params import DimParam, Norm

if TYPE_CHECKING:
    from pruneapp.document.snapshot import Snapshot
    from pruneapp.document.step import Step

# Elements of small tensors that are counted as one.
_BATCH = 1 << 20


@dataclass(frozen=True)
class Wanted:
    """Something that is to be counted; for `Census.count`.

    Attributes
    ----------
    names
        First names of the tensors: one large one, or several small ones.
    kind
        Dimension, from 0, and order of the norms; None if magnitudes are wanted.
    elements
        How many elements are read for it.
    """

    names: tuple[str, ...]
    kind: tuple[int, Norm] | None
    elements: int


def as_counted(n: Norm) -> Norm:
    """Return the order of the norm that stands for `n`: "fro" is 2 of the flattened slice."""
    return 2 if n == "fro" else n


def kinds_of(
    snapshot: Snapshot, step: Step
) -> Iterator[tuple[tuple[str, ...], tuple[int, Norm] | None]]:
    """Yield names, and what has to be known of them before a step can be estimated.

    What decides comes first, then what the energy is made of.
    """
    for row in step.rows:
        names = resolve(snapshot.checkpoint, row.names)
        method = registry.get(row.method)
        if method in {L1_UNSTRUCTURED, RANDOM_UNSTRUCTURED}:
            yield names, None
        if not any(isinstance(p, DimParam) for p in method.params):
            continue
        dims: dict[int, list[str]] = {}
        for name in names:
            dim = resolve_dim(method, row.values, snapshot.view(name))
            dims.setdefault(dim, []).append(name)
        orders = (as_counted(row.values["n"]),) if method is LN_STRUCTURED else ()
        for n in dict.fromkeys((*orders, 2, 1)):
            for dim, some in dims.items():
                yield tuple(some), (dim, n)


def batches(
    snapshot: Snapshot, names: Sequence[str], kind: tuple[int, Norm] | None
) -> list[Wanted]:
    """Put names into batches, in order."""
    made: list[Wanted] = []
    some: list[str] = []
    elements = 0
    for name in names:
        numel = snapshot.entry(name).numel
        if some and elements + numel > _BATCH:
            made.append(Wanted(tuple(some), kind, elements))
            some, elements = [], 0
        some.append(name)
        elements += numel
    if some:
        made.append(Wanted(tuple(some), kind, elements))
    return made
