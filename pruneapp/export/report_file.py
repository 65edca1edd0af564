"""Everything that the report of an export tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from pruneapp import __version__
from pruneapp.analysis.retained_norm_energies import measure_energies
from pruneapp.document.snapshot import Snapshot
from pruneapp.export.catalog import get
from pruneapp.export.format_sizes import offers
from pruneapp.export.provenance import inputs_in
from pruneapp.export.records_state import State
from pruneapp.export.report import ExportReport, WrittenFile
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.bitmask_mask import Mask
from pruneapp.progress import Job
from pruneapp.results.format_offer import FormatOffer

# Of a mask that is a rule, made at once; whole bytes.
_STRETCH = 1 << 20


@dataclass(frozen=True)
class TensorAccount:
    """What became of a tensor.

    Attributes
    ----------
    name, dtype, shape, numel
        As in the checkpoint.
    pruned
        How many of its numbers are written as 0 because they were pruned.
    energy, magnitude
        What is kept of the sum of squares, and of magnitudes, of the file as it was opened, from 0
        to 1; None where nothing was there or float64 cannot say.
    learned
        Whether it counts among the parameters, and not among the buffers.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    numel: int
    pruned: int
    energy: float | None = 1.0
    magnitude: float | None = 1.0
    learned: bool = True

    @property
    def sparsity(self) -> float:
        """The share that is pruned, from 0 to 1."""
        return self.pruned / self.numel if self.numel else 0.0


@dataclass(frozen=True)
class Account:
    """What an export was made of, what was done, and what was written.

    Attributes
    ----------
    source
        The file or folder that was opened, as a person calls it.
    target
        What was written.
    format
        Its label.
    steps
        What was done, in order, in words.
    tensors
        All of them, in the order of the source.
    files
        What was written, with checksums.
    inputs
        SHA-256 of the files that were opened; empty where they were not counted.
    sizes
        Every format with the size that it would have.
    notices
        What the person should know.
    version
        Of Pruneapp.
    provenance
        Where what was written comes from; see `ExportReport`.
    omitted
        Tensors of the source that are not in it because that was asked for.
    """

    source: str
    target: str
    format: str
    steps: tuple[str, ...]
    tensors: tuple[TensorAccount, ...]
    files: tuple[WrittenFile, ...]
    inputs: tuple[str, ...]
    sizes: tuple[FormatOffer, ...]
    notices: tuple[str, ...] = ()
    version: str = __version__
    provenance: Mapping[str, str] = field(default_factory=dict)
    omitted: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The last part of the target."""
        return Path(self.target).name

    @property
    def numel(self) -> int:
        """Parameters of all tensors."""
        return sum(tensor.numel for tensor in self.tensors if tensor.learned)

    @property
    def pruned(self) -> int:
        """How many of them are pruned."""
        return sum(tensor.pruned for tensor in self.tensors)

    @property
    def sparsity(self) -> float:
        """The share that is pruned, from 0 to 1."""
        return self.pruned / self.numel if self.numel else 0.0

    @property
    def nbytes(self) -> int:
        """Bytes of all files that were written."""
        return sum(file.nbytes for file in self.files)


def account_of(state: State, report: ExportReport, steps: Sequence[str], job: Job) -> Account:
    """Return the account of an export that was written; reads the pruned tensors once.

    Parameters
    ----------
    state
        What was written.
    report
        What was written.
    steps
        What was done to get there, in words.
    job
        Started with the elements of the pruned tensors; may cancel.
    """
    checkpoint = state.checkpoint
    zeroed = {n: mask for n in checkpoint.entries if (mask := state.zeroed(n)) is not None}
    job.start(sum(mask.size for mask in zeroed.values()), checkpoint.path.name)
    after = {name: _bits(mask, job) for name, mask in zeroed.items()}
    # Of the file as it was opened: nothing pruned, nothing final.
    energies = measure_energies(Snapshot(checkpoint), after, job)
    tensors = []
    for batch in job.cancel.batches(checkpoint.entries.values()):
        for entry in batch:
            one = TensorAccount(
                entry.name, entry.dtype.label, entry.shape, entry.numel, 0, learned=entry.learned
            )
            if entry.name in zeroed:
                one = replace(one, pruned=zeroed[entry.name].pruned, energy=None, magnitude=None)
            if found := energies.get(entry.name):
                one = replace(one, energy=found.share, magnitude=found.magnitude)
            tensors.append(one)
    return Account(
        source=str(checkpoint.path),
        target=str(report.path),
        format=get(report.format).label,
        steps=tuple(steps),
        tensors=tuple(tensors),
        files=report.files,
        inputs=inputs_in(report.provenance),
        sizes=offers(state, job),
        notices=report.notices,
        provenance=report.provenance,
        omitted=report.omitted,
    )


def _bits(mask: Mask, job: Job) -> BitMask:
    if isinstance(mask, BitMask):
        return mask
    packed = np.empty((mask.size + 7) // 8, np.uint8)
    for start in range(0, mask.size, _STRETCH):
        job.step(0)
        stop = min(start + _STRETCH, mask.size)
        bits = np.packbits(mask.bools(start, stop), bitorder="little")
        packed[start // 8 : start // 8 + bits.size] = bits
    return BitMask(packed, mask.size)
