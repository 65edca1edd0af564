"""Torch state dicts whose pruned matrices are stored as compressed sparse rows (CSR) if smaller.

A matrix of ``R`` rows with ``n`` kept weights of ``b`` bytes takes ``4 (R + 1) + (4 + b) n`` bytes
with 32-bit indices: less than dense if more than ``4 / (4 + b)`` of the weights are pruned, not
counting row pointers. ``torch.save(w.to_sparse_csr())`` writes 20 bytes per kept float32 weight
instead of 8, because its indices have 64 bits and its columns are a view of a larger storage.

Masks determine the entries, not values: kept zeros, -0.0 and NaN are entries like others, and the
size is known before any weights are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.errors import counted
from pruneapp.export.format import ExportPart, Format, Loader, Plan
from pruneapp.export.formats import torch
from pruneapp.export.formats.zip_archive import StateDictPickle, ZipMember, ZipPlan
from pruneapp.export.records import State, TensorRecord, finalize, little_endian
from pruneapp.export.rounding import DTYPE
from pruneapp.export.scripts import loading_code
from pruneapp.masks.bitmask import Mask
from pruneapp.progress import Job

# torch 2.13 can create and save 8-bit CSR tensors, but to_dense() is not implemented for them.
_TYPES = frozenset({"F64", "F32", "F16", "BF16"})
_INDEX = DTYPES["I32"]
_MOST = (1 << 31) - 1
# Upper bound for two more members of the archive and two more tensors in the pickle.
_OVERHEAD = 1024
# Number of elements read at a time.
_STRETCH = 1 << 19


def sparse_bytes(entry: TensorEntry, kept: int) -> int:
    """Return the bytes of a matrix as CSR with `kept` entries."""
    itemsize = _INDEX.bits // 8
    return itemsize * (entry.shape[0] + 1 + kept) + entry.dtype.nbytes(kept)


def _why_dense(entry: TensorEntry, kept: int) -> str:
    """Return why a tensor with `kept` weights is written dense, as text; "" if it becomes CSR."""
    if len(entry.shape) != 2:
        return "not two-dimensional, such as convolutions and biases"
    if entry.kind == "embedding":
        return "embeddings, which torch cannot look up in CSR"
    if entry.dtype.name not in _TYPES:
        return f"{entry.dtype.label}, which torch cannot turn from CSR to dense"
    if max(*entry.shape, kept) > _MOST:
        return "too large for indices of 32 bits"
    if sparse_bytes(entry, kept) + _OVERHEAD >= entry.nbytes:
        return "no smaller as CSR"
    return ""


def csr(
    state: State, entry: TensorEntry, kept: Mask
) -> tuple[TensorRecord, TensorRecord, TensorRecord]:
    """Return row pointers, columns and values of a matrix with at least one column.

    Kept weights are entries, whatever their value. Row pointers (rows + 1) and columns (kept
    weights) are int32, so rows, columns and kept weights must be below 2^31. Values are bit for bit
    those of the source.
    """
    rows, columns = entry.shape

    def crow() -> Iterator[memoryview]:
        yield little_endian(np.zeros(1, np.int32))
        before = 0
        for start, stop, indices in _kept_indices(entry, kept):
            ends = np.arange(start // columns + 1, stop // columns + 1) * columns
            yield little_endian((before + np.searchsorted(indices, ends)).astype(np.int32))
            before += indices.size

    def col() -> Iterator[memoryview]:
        for _start, _stop, indices in _kept_indices(entry, kept):
            yield little_endian((indices % columns).astype(np.int32))

    def values() -> Iterator[memoryview]:
        for chunk in state.chunks(entry.name, size=_STRETCH):
            yield little_endian(chunk.bits[kept.bools(chunk.start, chunk.start + chunk.bits.size)])

    return (
        TensorRecord(entry.name, (), _INDEX, (rows + 1,), crow),
        TensorRecord(entry.name, (), _INDEX, (kept.kept,), col),
        TensorRecord(entry.name, (), entry.dtype, (kept.kept,), values),
    )


def _kept_indices(entry: TensorEntry, kept: Mask) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Yield consecutive ranges (start, stop) that cover a tensor, each with its kept indices.

    The indices are ascending flat indices of the tensor.
    """
    for start in range(0, entry.numel, _STRETCH):
        stop = min(start + _STRETCH, entry.numel)
        yield start, stop, np.flatnonzero(kept.bools(start, stop)) + start


@dataclass
class _Outcome:
    """Counts of pruned tensors that are written sparse and dense."""

    dense: Counter[str] = field(default_factory=Counter)
    sparse: int = 0
    before: int = 0
    after: int = 0

    def notice(self) -> str:
        """Return a sentence about how many pruned tensors became sparse, and why others did not."""
        pruned = self.sparse + self.dense.total()
        if not pruned:
            return "Nothing is pruned, so every tensor is written dense."
        reasons = "; ".join(f"{count:,} {why}" for why, count in self.dense.most_common())
        if not self.sparse:
            return (
                f"Not one of the {pruned:,} pruned tensors becomes CSR, so the file is as large "
                f"as a dense one ({reasons})."
            )
        rest = f" The others are written dense ({reasons})." if self.dense else ""
        are = "is" if self.sparse == 1 else "are"
        return (
            f"Of {counted(pruned, 'pruned tensor')} {self.sparse:,} {are} smaller as CSR: "
            f"{self.after:,} bytes instead of {self.before:,}.{rest}"
        )


def _plan(part: ExportPart, job: Job) -> Plan:
    """Plan a torch file whose pruned matrices are CSR where that is smaller, the planner of `CSR`.

    Raises `ExportError` if the file has the suffix .bin.
    """
    torch.refuse_bin(
        part,
        "A torch file with sparse tensors",
        "transformers, which opens such files, does not load them",
    )
    tally = _Outcome()
    stream = StateDictPickle()
    members: list[ZipMember] = []
    names: dict[str, int] = {}
    for entry in job.cancel.each(part.entries):
        records = _records(part.state, entry, tally)
        first = len(members)
        for number, record in enumerate(records, first):
            members.append(ZipMember(torch.member_name(number), record.nbytes, record.pieces))
        if len(records) == 1:
            stream.add(entry.names, str(first), entry.dtype, entry.shape)
        else:
            storages = {str(number): record for number, record in enumerate(records, first)}
            stream.add_csr(entry.names, storages, entry.shape)
        names |= dict.fromkeys(entry.names, sum(record.nbytes for record in records))
    plan = ZipPlan([*torch.pickle_members(stream), *members, torch.VERSION])
    notices = (tally.notice(), *part.scale_notices())
    return Plan(plan.nbytes(job), plan.pieces, names, notices)


def _records(state: State, entry: TensorEntry, tally: _Outcome) -> Sequence[TensorRecord]:
    """Return the storages of a tensor: three for CSR, one for dense.

    Counts a pruned one in `tally`.
    """
    zeroed = state.export_mask(entry.name)
    if zeroed is not None and zeroed.pruned:
        why_dense = _why_dense(entry, zeroed.kept)
        if not why_dense:
            tally.sparse += 1
            tally.before += entry.nbytes
            tally.after += sparse_bytes(entry, zeroed.kept)
            return csr(state, entry, zeroed)
        tally.dense[why_dense] += 1
    return (finalize(state, entry),)


CSR = Format(
    name="csr",
    label="torch state dict, sparse (CSR)",
    help=(
        "Pruned matrices in torch's CSR layout where that is smaller; all other "
        "tensors are dense. For programs that compute with sparse tensors. To save "
        "disk space, use compact or a compressed format."
    ),
    suffixes=(".pt", ".pth"),
    tag="-csr",
    planner=_plan,
    params=(DTYPE,),
    unsupported=torch.why_unsupported,
    loaded_by=(
        Loader(
            "torch.load",
            note="2.13, also with mmap=True; then load_state_dict(…, assign=True) or to_dense()",
        ),
        Loader("Pruneapp", note="as dense weights with zeros, to continue"),
    ),
    does_not=(
        (
            "CSR is larger than dense below 67 % zeros in 16 bits, 50 % in float32 and "
            "33 % in float64."
        ),
        "Convolutions, embeddings and float8 tensors are written dense. Only tensors are written.",
        (
            "Load with load_state_dict(…, assign=True); 16-bit tensors need "
            "to_dense(). Not compatible with transformers."
        ),
    ),
    one_file=True,
    loads=loading_code.csr,
    load_code="""
def load(path):
    found = torch.load(path, map_location="cpu", weights_only=True)
    for name, tensor in found.items():
        if tensor.layout == torch.sparse_csr:  # to_dense() would make 0.0 of -0.0
            rows = torch.arange(tensor.shape[0]).repeat_interleave(tensor.crow_indices().diff())
            found[name] = torch.zeros(tensor.shape, dtype=tensor.dtype)
            found[name][rows, tensor.col_indices()] = tensor.values()
    return found
""",
)
