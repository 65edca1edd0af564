"""Packed sizes and upper bounds of compact files, fast enough for every move of a slider.

The header of a compact file describes each tensor and the history; for 20,000 small tensors it is
larger than their weights. Its length is planned once per checkpoint; afterwards only the changes of
a step are counted. `total_for` does the reverse: it returns how many weights must be pruned for a
maximum size.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import msgspec
import numpy as np

from pruneapp.analysis.sparsity_report import CountsByName
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.document import Capture
from pruneapp.document.edit import Json, Record
from pruneapp.document.entries import Entry, RowConfiguration
from pruneapp.document.selection import pruned_tensors, rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.errors import ExportError, ParameterError
from pruneapp.export.formats.compact import COMPACT_FILE, PackedBounds, is_packed
from pruneapp.export.provenance import (
    MOST_MASKS,
    may_have_pattern,
    provenance_without_steps,
    seeds_of,
)
from pruneapp.export.sharding import whole_model
from pruneapp.kernels.values import Counts, Indices
from pruneapp.params import validate_all
from pruneapp.progress import Job
from pruneapp.recipes.recipe import Recipe, row_for, step_entry, to_portable_entry

# More bytes than `certificate` needs for any model (three patterns of trillions of tensors).
_PATTERNS = 320
# Bytes of syntax around the texts, and the padding of the header to a multiple of 8.
_AROUND = 64


class CompactSize(NamedTuple):
    """Sizes of a compact file, in bytes.

    `packed` has the tensors before compression, as in `unpacked_size`; `at_most` is an upper bound
    of the file, with its header and the worst result of compression.
    """

    packed: int
    at_most: int


class _Description(NamedTuple):
    """The description of an edit in a header: its bytes, and the bytes of its masks by name.

    `patterned` is whether the edit may create N:M patterns.
    """

    nbytes: int
    patterned: bool
    masks: Mapping[str, int]


class _Sizes(NamedTuple):
    """The sizes of some tensors, each array ``int64[tensors]``."""

    numel: Counts
    nbytes: Counts
    itemsize: Counts
    bounds: PackedBounds

    def of(self, places: Indices) -> _Sizes:
        numel, nbytes, itemsize, bounds = self
        return _Sizes(numel[places], nbytes[places], itemsize[places], bounds.of(places))

    def unpacked_bytes(self, zeros: Counts) -> Counts:
        """Return the uncompressed bytes of tensors, packed or not, whichever is less."""
        packed = (self.numel - zeros) * self.itemsize + (self.numel + 7) // 8
        return np.where(zeros > 0, np.minimum(self.nbytes, packed), self.nbytes)


class _Columns:
    """The sizes of all tensors of a checkpoint, in its order."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        entries = checkpoint.entries
        self.places = dict(zip(entries, range(len(entries)), strict=True))
        rows = [(entry.numel, entry.nbytes, entry.dtype.bits // 8) for entry in entries.values()]
        numel, nbytes, itemsize = np.array(rows, np.int64).reshape(-1, 3).T.copy()
        self.all = _Sizes(numel, nbytes, itemsize, PackedBounds(entries.values()))
        self._last: tuple[Sequence[str], Indices, _Sizes] | None = None

    def select(self, names: Sequence[str]) -> tuple[Indices, _Sizes]:
        """Return the indices and sizes of tensors; cached for the names of the last call."""
        last = self._last
        if last is None or last[0] is not names:
            places = np.fromiter(map(self.places.__getitem__, names), np.intp, len(names))
            last = self._last = names, places, self.all.of(places)
        return last[1:]

    def zeros_of(self, snapshot: Snapshot, job: Job) -> Counts:
        """Return the number of weights of each tensor that an export writes as zeros."""
        zeros = np.zeros(len(self.places), np.int64)
        for name in job.cancel.each({*snapshot.masks, *snapshot.permanent}):
            mask = snapshot.export_mask(name)
            zeros[self.places[name]] = 0 if mask is None else mask.pruned
        return zeros


_known_columns: WeakKeyDictionary[Checkpoint, _Columns] = WeakKeyDictionary()


def _columns_of(checkpoint: Checkpoint) -> _Columns:
    """Return the sizes of a checkpoint; cached, as 100,000 tensors take 0.2 s."""
    columns = _known_columns.get(checkpoint)
    if columns is None:
        columns = _known_columns[checkpoint] = _Columns(checkpoint)
    return columns


class _State(NamedTuple):
    """The sizes of a state: zeros, uncompressed and maximum packed bytes of each tensor, history.

    `nbytes` counts the whole file except the descriptions of edits; `packed` is the sum of
    `unpacked`.
    """

    snapshot: Snapshot
    columns: _Columns
    zeros: Counts
    unpacked: Counts
    most: Counts
    nbytes: int
    packed: int
    history: tuple[_Description, ...]


class CompactSizes:
    """Packed sizes and upper bounds for the states of a document.

    Thread-safe; at worst two threads compute the same.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Drop all cached data, for example when the document is closed. It can be used again."""
        # Checkpoint, bytes of a file without packed tensors (None if impossible), and sizes.
        self._around: tuple[Checkpoint, int | None, _Columns] | None = None
        self._last: _State | None = None
        # By id of the record, which is stored as well so that the id stays valid.
        self._described: dict[int, tuple[Record, _Description]] = {}
        self._rows: dict[str, tuple[tuple[str, ...], RowConfiguration]] = {}

    def is_quick(self, snapshot: Snapshot) -> bool:
        """Return whether the file of this checkpoint is already planned."""
        around = self._around
        return around is not None and around[0] is snapshot.checkpoint

    def measure_now(self, capture: Capture, job: Job) -> CompactSize | None:
        """Return the sizes of a compact file of a state; None if none can be written.

        Linear in the number of tensors and in new entries of the history. Cached for the last
        state; the first call for a checkpoint plans its file.
        """
        state = self._measure_state(capture, job)
        if state is None:
            return None
        return CompactSize(state.packed, state.nbytes + _history_bytes(state.history))

    def measure_after(
        self,
        capture: Capture,
        pruned: Mapping[str, int],
        step: Step,
        job: Job,
        entry: Json | None = None,
    ) -> CompactSize | None:
        """Return the sizes of a compact file after a step; None if none can be written.

        Linear in the number of tensors. Tensors with weights that were made permanent, which
        a method may prune again, count with the larger of both numbers of zeros.

        Parameters
        ----------
        capture
            The state and its history before the step.
        pruned
            Number of pruned weights after the step, by name, for the tensors it changes.
        entry
            As `Preview.entry`; None to describe the step by its rules.
        """
        state = self._measure_state(capture, job)
        if state is None:
            return None
        columns = state.columns
        if isinstance(pruned, CountsByName):
            (places, sizes), zeros = columns.select(pruned.names), pruned.counts
        else:
            places, sizes = columns.select(tuple(pruned))
            zeros = np.fromiter(pruned.values(), np.int64, len(pruned))
        if state.snapshot.permanent:
            zeros = np.maximum(zeros, state.zeros[places])
        unpacked, most = sizes.unpacked_bytes(zeros), sizes.bounds.max_bytes(zeros)
        packed = state.packed + int((unpacked - state.unpacked[places]).sum())
        nbytes = state.nbytes + int((most - state.most[places]).sum())
        described = self._describe_step(capture.snapshot.checkpoint, step, entry)
        return CompactSize(packed, nbytes + _history_bytes((*state.history, described)))

    def _measure_state(self, capture: Capture, job: Job) -> _State | None:
        """Return the sizes of a state; None if no compact file can be written.

        Cached, see `measure_now`.
        """
        snapshot, last = capture.snapshot, self._last
        if last is not None and last.snapshot is snapshot:
            return last
        around = self._around
        if around is None or around[0] is not snapshot.checkpoint:
            columns = _columns_of(snapshot.checkpoint)
            nbytes = _bytes_without_packed(snapshot, columns.all.bounds, job)
            around = self._around = snapshot.checkpoint, nbytes, columns
        if around[1] is None:
            return None
        history = []
        for record in capture.done:
            job.cancel.check()
            if id(record) not in self._described:
                entry = to_portable_entry(snapshot.checkpoint, record.as_json())
                self._described[id(record)] = record, _describe(entry)
            history.append(self._described[id(record)][1])
        # Drop descriptions of steps that are no longer in the history: they may hold masks.
        records = set(map(id, capture.records))
        self._described = {k: one for k, one in list(self._described.items()) if k in records}
        columns = around[2]
        zeros = columns.zeros_of(snapshot, job)
        sizes = columns.all
        unpacked, most = sizes.unpacked_bytes(zeros), sizes.bounds.max_bytes(zeros)
        nbytes, packed = around[1] + int(most.sum()), int(unpacked.sum())
        self._last = _State(
            snapshot, columns, zeros, unpacked, most, nbytes, packed, tuple(history)
        )
        return self._last

    def _describe_step(
        self, checkpoint: Checkpoint, step: Step, entry: Json | None
    ) -> _Description:
        """Return the description of a step in a header, by `entry`, or by its rules if it is None.

        Descriptions of rules are cached by the pattern of names.
        """
        if entry is not None:
            return _describe(to_portable_entry(checkpoint, entry))

        def row(names: tuple[str, ...], pattern: str) -> RowConfiguration:
            known = self._rows.get(pattern)
            if known is None or known[0] != names:
                known = names, row_for(checkpoint, names, pattern)
                self._rows[pattern] = known
            return known[1]

        return _describe(step_entry(step, row))


def _bytes_without_packed(snapshot: Snapshot, packed: PackedBounds, job: Job) -> int | None:
    """Return the maximum bytes of a file except for packed elements; None if it is impossible."""
    # Not reported: planning is a small part of what the user waits for.
    quiet = Job(cancel=job.cancel)
    part = whole_model(
        snapshot, COMPACT_FILE.suffixes[0], provenance_without_steps(snapshot, quiet)
    )
    values = validate_all(COMPACT_FILE.params, {"reader_script": False})
    try:
        plan = COMPACT_FILE.plan(part, values, quiet)
    except ExportError:
        return None
    return plan.nbytes - int(packed.max_bytes().sum()) + _AROUND


def _history_bytes(edits: Iterable[_Description]) -> int:
    """Return the maximum bytes that edits take in the header.

    Masks count only if all together are small enough for metadata.
    """
    nbytes, patterned, masks = 0, False, dict[str, int]()
    for edit in edits:
        nbytes += edit.nbytes
        patterned |= edit.patterned
        masks |= edit.masks
    if sum(masks.values()) <= MOST_MASKS:
        nbytes += sum(
            _bytes_in_header(name) + 4 * (size // 3 + 1) + 8 for name, size in masks.items()
        )
    return nbytes + (_PATTERNS if patterned else 0)


def _describe(entry: Entry) -> _Description:
    recipe = Recipe((entry,))
    text = msgspec.json.encode(entry).decode()
    seeds = sum(_bytes_in_header(str(seed)) for seed in seeds_of(recipe))
    masks = {name: (size + 7) // 8 for name, size in recipe.named_masks()}
    return _Description(_bytes_in_header(text) + seeds, may_have_pattern(recipe), masks)


def _bytes_in_header(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode(errors="surrogatepass"))


def size_range(capture: Capture, step: Step, job: Job) -> tuple[int, int, tuple[TensorEntry, ...]]:
    """Return the range of compact file sizes that the amount of a step can lead to.

    Returns
    -------
    tuple
        The size bound with all weights pruned that the step touches, the bound before the step, and
        the touched tensors, in the order of the checkpoint.

    Raises
    ------
    ParameterError
        If this checkpoint cannot be written as a compact file.
    """
    sizes = CompactSizes()
    snapshot = capture.snapshot
    names = pruned_tensors(rows_of(snapshot.checkpoint, step))
    touched = tuple(entry for entry in snapshot.checkpoint.entries.values() if entry.name in names)
    longest = replace(step.limits, target_sparsity=sum(entry.numel for entry in touched))
    now = sizes.measure_now(capture, job)
    # A fully pruned tensor takes no space at all, while one kept weight needs the mask.
    all_pruned = {entry.name: entry.numel for entry in touched}
    after = sizes.measure_after(capture, all_pruned, replace(step, limits=longest), job)
    if now is None or after is None:
        raise ParameterError(
            "This checkpoint cannot be written as a compact file, so its size cannot be "
            "guaranteed.",
            remedy="Enter a fraction or a count.",
        )
    # The bound for one kept weight, without its value (and what zstd adds to 256 of them).
    bounds, numel = PackedBounds(touched), np.array([entry.numel for entry in touched], np.int64)
    without_values = bounds.max_bytes(numel - 1) - bounds.itemsize
    least = after.at_most + int(without_values.sum())
    return least, now.at_most, touched


def total_for(capture: Capture, step: Step, nbytes: int, job: Job) -> int:
    """Return the total number of weights to prune for a compact file of at most `nbytes`.

    The bound is that of the preview (`CompactSizes`): remaining weights, one mask bit per weight
    and metadata, before compression. It holds for any choice of weights; if dtypes of several
    widths are touched, all kept weights count as the widest. The result is for
    `Limits.target_sparsity` and includes weights that are pruned already. Raises `ParameterError`
    if the size cannot be reached, or is reached without pruning.
    """
    least, now, touched = size_range(capture, step, job)
    if nbytes < least:
        raise ParameterError(
            f"{nbytes:,} bytes cannot be reached: {least:,} are needed for the tensors that the "
            "step does not touch, and for the masks of the others.",
            remedy="Use a larger size, or select more tensors.",
        )
    if now <= nbytes:
        raise ParameterError(
            f"Without pruning anything more, a compact file takes {now:,} bytes at most; "
            f"{nbytes:,} were asked for.",
            remedy="Ask for fewer bytes.",
        )
    available, kept = nbytes - least, 0
    for entry in sorted(touched, key=lambda entry: -_itemsize(entry)):
        itemsize = _itemsize(entry)
        n_kept = entry.numel
        if itemsize:
            n_kept = min(
                n_kept, available * 256 // (257 * itemsize)
            )  # zstd adds up to a byte per 256
        kept += n_kept
        available -= -(-n_kept * itemsize * 257 // 256)
        if n_kept < entry.numel:
            break
    return sum(entry.numel for entry in touched) - kept


def _itemsize(entry: TensorEntry) -> int:
    # The size of other tensors does not change.
    return entry.dtype.bits // 8 if is_packed(entry) else 0


def unpacked_size(snapshot: Snapshot, job: Job) -> int:
    """Return the uncompressed bytes of all tensors in a compact file.

    A tensor with pruned weights takes one bit per weight plus its kept weights, or all weights if
    that is less. The header, which contains the history, is not counted.
    """
    columns = _columns_of(snapshot.checkpoint)
    return int(columns.all.unpacked_bytes(columns.zeros_of(snapshot, job)).sum())
