"""The energies of many tensors: small ones that are alike are measured side by side.

A call of numpy takes a microsecond however little it does, and a tensor needs some thirty: a file
of 100,000 small tensors took seconds. Tensors of one type and one size are the rows of a matrix.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.retained_norm import Energy, measure_energy
from pruneapp.analysis.retained_norm_blocks import real_values
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.kernel import BLOCK
from pruneapp.kernels.values import Floats
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

# Elements of a matrix: its squares in float64 stay in the cache of a core.
_PIECE = 64 * BLOCK
# So few are measured one by one as quickly.
_FEW = 4


def measure_energies(
    snapshot: Snapshot, after: Mapping[str, BitMask], job: Job
) -> dict[str, Energy]:
    """Return what `measure_energy` returns for each tensor, to the last bit.

    Parameters
    ----------
    snapshot
        The state before.
    after
        The masks after the step, by first names.
    job
        Stepped by the elements.
    """
    alike: dict[tuple[int, str, int, bool], list[str]] = defaultdict(list)
    alone: list[str] = []
    entries, masks = snapshot.checkpoint.entries, snapshot.masks
    apart = {*snapshot.final, *snapshot.protected}
    for batch in job.cancel.batches(after.items()):
        for name, mask in batch:
            entry = entries[name]
            # One block, so that the sum of a row is the sum of a tensor.
            if 0 < mask.size <= BLOCK and entry.location.strides is None and name not in apart:
                key = (entry.location.source, entry.dtype.name, mask.size, name in masks)
                alike[key].append(name)
            else:
                alone.append(name)
    found: dict[str, Energy] = {}
    for (_, _, size, pruned), names in alike.items():
        if len(names) < _FEW:
            alone += names
            continue
        dtype = snapshot.entry(names[0]).dtype
        start = 0
        for bits in snapshot.checkpoint.bits_alike(names, _PIECE // size):
            part = names[start : start + len(bits)]
            start += len(bits)
            job.label(part[0])
            values = real_values(bits.reshape(-1), dtype, part[0]).reshape(bits.shape)
            there = _bools([snapshot.masks[name] for name in part], size) if pruned else None
            stays = _bools([after[name] for name in part], size)
            found |= zip(part, _energies(values, there, stays), strict=True)
            job.step(bits.size)
    for name in alone:
        job.label(name)
        found[name] = measure_energy(snapshot, name, after[name], job)
    return found


def _bools(masks: Sequence[BitMask], size: int) -> NDArray[np.bool_]:
    """Return ``bool[masks, size]``."""
    packed = np.frombuffer(b"".join([mask.packed.data for mask in masks]), np.uint8)
    rows = packed.reshape(len(masks), -1)
    return np.unpackbits(rows, axis=1, count=size, bitorder="little").view(np.bool_)


def _energies(
    values: Floats, there: NDArray[np.bool_] | None, stays: NDArray[np.bool_]
) -> list[Energy]:
    """Measure each row, as `measure_energy` does a tensor of one block."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        wide = values.astype(np.float64)
        np.abs(wide, out=wide)
        terms = np.square(wide), wide
        sums = [_sums(values, term, where).tolist() for term in terms for where in (there, stays)]
        sizes = np.abs(values)
        goes = ~stays if there is None else there & ~stays
        kept = np.fmin.reduce(sizes / stays, axis=1)
        gone = np.fmax.reduce(sizes * goes, axis=1)
    # NaN where nothing is to be compared
    kept = np.where(np.isnan(kept), np.inf, kept)
    cut = goes.any(axis=1) & np.isfinite(gone) & (gone <= kept)
    edges = [edge if is_cut else None for edge, is_cut in zip(gone.tolist(), cut, strict=True)]
    return list(map(Energy, *sums, edges))


def _sums(
    values: Floats, terms: NDArray[np.float64], where: NDArray[np.bool_] | None
) -> NDArray[np.float64]:
    """Return the sum of each row over the finite values at some places; infinite if it is."""
    sums: NDArray[np.float64] = np.add.reduce(terms if where is None else terms * where, axis=1)
    odd = np.flatnonzero(~np.isfinite(sums))
    if odd.size:
        there = np.isfinite(values[odd])
        if where is not None:
            there &= where[odd]
        sums[odd] = np.add.reduce(np.where(there, terms[odd], 0.0), axis=1)
        sums[~np.isfinite(sums)] = math.inf
    return sums
