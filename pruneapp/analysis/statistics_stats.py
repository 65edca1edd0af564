"""Numbers and norms of one tensor, and the sparsity of all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.retained_norm_blocks import aligned, block_sums, real_values
from pruneapp.checkpoint.entry import size_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError
from pruneapp.kernels.kernel import BLOCK, Kernel, Slices
from pruneapp.kernels.values import Floats
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import channels_left, kept_by_channel
from pruneapp.params import DimParam, Norm, NormParam
from pruneapp.progress import Job
from pruneapp.results.sparsity_report import SparsityReport, TensorSparsity
from pruneapp.results.tensor_statistics import ChannelNorms, TensorStats

Floats64 = NDArray[np.float64]

# Values in float64 that are at work at once: they stay in the cache of a core.
_PIECE = 64 * BLOCK


def stats(snapshot: Snapshot, name: str, job: Job) -> TensorStats:
    """Count and measure the values of a tensor, pruned or not.

    Sums are float64 in the order of `pruneapp.analysis.retained_norm_blocks`; the variance is that
    of each block around its own mean, put together by the formula of Chan, Golub and LeVeque
    (1979), so that a large mean costs no digits.

    Parameters
    ----------
    snapshot
        The state; weights made final count as the zeros that they are.
    name
        Any name of the tensor; complex numbers are measured by magnitude.
    job
        Started with the elements; may cancel.

    Raises
    ------
    CheckpointError
        If the type has no values, or the file cannot be read.
    """
    entry = snapshot.entry(name)
    job.start(entry.numel, entry.name)
    low, high = math.inf, -math.inf
    zeros = nan = infinite = 0
    counts, sums, spreads = [], [], []
    for _, values in pieces(snapshot, entry.name, job):
        zeros += int(np.count_nonzero(values == 0))
        finite = np.isfinite(values)
        if not finite.all():
            missing = int(np.count_nonzero(np.isnan(values)))
            nan += missing
            infinite += int(np.count_nonzero(~finite)) - missing
        if finite.any():
            low = min(low, float(values.min(where=finite, initial=math.inf)))
            high = max(high, float(values.max(where=finite, initial=-math.inf)))
        wide = np.where(finite, values, 0.0).astype(np.float64, copy=False)
        count = block_sums(finite.astype(np.float64))
        with np.errstate(over="ignore", invalid="ignore"):
            total = block_sums(wide)
            means = np.repeat(total / np.maximum(count, 1), BLOCK)[: wide.size]
            apart = np.square(np.where(finite, wide - means, 0.0))
            spreads.append(block_sums(apart))
        counts.append(count)
        sums.append(total)
    mean, std = _moments(counts, sums, spreads)
    known = low <= high
    return TensorStats(
        name=entry.name,
        numel=entry.numel,
        pruned=snapshot.masks.pruned(entry.name),
        minimum=low if known else math.nan,
        maximum=high if known else math.nan,
        mean=mean,
        std=std,
        zeros=zeros,
        nan=nan,
        infinite=infinite,
    )


def _moments(
    counts: list[NDArray[np.float64]],
    sums: list[NDArray[np.float64]],
    spreads: list[NDArray[np.float64]],
) -> tuple[float, float]:
    if not counts or not (n := sum(float(c.sum()) for c in counts)):
        return math.nan, math.nan
    count, total = np.concatenate(counts), np.concatenate(sums)
    if not np.isfinite(total).all():
        return math.nan, math.nan  # beyond float64
    mean = math.fsum(total) / n
    with np.errstate(over="ignore", invalid="ignore"):
        between = count * np.square(total / np.maximum(count, 1) - mean)
        parts = np.concatenate((*spreads, between))
    return mean, math.sqrt(math.fsum(parts) / n) if np.isfinite(parts).all() else math.inf


def channel_norms(  # noqa: PLR0917 - each of its own type
    snapshot: Snapshot,
    name: str,
    dim: int,
    n: Norm,
    going: BitMask | None,
    kernel: Kernel,
    job: Job,
    known: ChannelNorms | None = None,
) -> ChannelNorms:
    """Measure the channels of a tensor along a dimension: whole, and what is left of them.

    It takes a pass over the tensor for each of the original values, what is not pruned, and what
    the preview leaves, as far as they differ.

    Parameters
    ----------
    snapshot
        The state.
    name
        Any name of the tensor.
    dim, n
        The dimension, negative from the end, and the order of the norm.
    going
        The mask of the tensor in a preview; None without a preview.
    kernel
        Does the arithmetic.
    job
        Started with the elements; may cancel.
    known
        What was found before for the same state, tensor, dimension and order, maybe with another
        preview: only the preview is measured.

    Raises
    ------
    ParameterError
        If the tensor has no such dimension or fewer than two, or its values have no norm.
    """
    entry = snapshot.entry(name)
    dim = DimParam().resolve(dim, entry.shape, entry.name)
    n = NormParam().validate(n)
    if not entry.dtype.prunable:
        raise ParameterError(f"'{entry.name}' has no norms: {entry.dtype.why_not}.")
    mask, protected = snapshot.masks.get(entry.name), snapshot.protected.get(entry.name)
    read = partial(snapshot.chunks, entry.name)
    job.start(0, entry.name)

    def measured(kept: BitMask | None) -> Floats64:
        job.extend(entry.numel)
        return kernel.channel_norms(Slices(entry.shape, entry.dtype, dim, kept, read), n, job)

    def share(kept: BitMask | None) -> Floats64:
        size = entry.numel // entry.shape[dim] if entry.shape[dim] else 0
        return kept_by_channel(kept, entry.shape, dim, job) / max(size, 1)

    if known is None:
        norms = measured(None)
        left, now = (norms if mask is None else measured(mask)), share(mask)
    else:
        norms, left, now = known.norms, known.left, known.kept
    same = going is None or going is mask
    return ChannelNorms(
        name=entry.name,
        dim=dim,
        n=str(n),
        norms=norms,
        left=left,
        after=left if same else measured(going),
        kept=now,
        kept_after=now if same else share(going),
        guarded=None if protected is None else channels_left(protected, entry.shape, dim, job),
    )


def sparsity(snapshot: Snapshot, masks: Mapping[str, BitMask] | None = None) -> SparsityReport:
    """Report how much of every tensor is pruned, from counts alone.

    Parameters
    ----------
    snapshot
        The state: `before` of every row.
    masks
        The masks of a preview, for `after`; without one nothing is gone.

    Returns
    -------
    SparsityReport
        A row for each tensor that can be pruned, in file order, without energy.
    """
    rows = []
    for entry in snapshot.checkpoint.entries.values():
        if entry.prunable:
            before = snapshot.masks.pruned(entry.name)
            after = masks[entry.name].pruned if masks and entry.name in masks else before
            rows.append(TensorSparsity(entry.name, entry.numel, before, after))
    return SparsityReport(
        tuple(rows),
        size_of(snapshot.checkpoint.entries.values()).parameters,
        sum(row.before for row in rows),
        sum(row.after for row in rows),
    )


def pieces(snapshot: Snapshot, name: str, job: Job) -> Iterator[tuple[int, Floats]]:
    """Yield first flat index and values of pieces of a tensor that begin at blocks; steps `job`."""
    dtype = snapshot.entry(name).dtype
    for chunk in aligned(snapshot.chunks(name)):
        for first in range(0, chunk.bits.size, _PIECE):
            values = real_values(chunk.bits[first : first + _PIECE], dtype, name)
            yield chunk.start + first, values
            job.step(values.size)
