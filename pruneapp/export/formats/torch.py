"""Torch state dicts, in the container that was opened where possible.

In an opened container, only pruned weights are changed and everything else is copied byte for byte,
including optimizer state, hyperparameters and other state dicts, without being interpreted.
Otherwise a plain zip file with only tensors is written.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.derived_source import JoinedSource
from pruneapp.checkpoint.io.source import ByteSource, FileSource
from pruneapp.checkpoint.torchfile import LEGACY, ZIP
from pruneapp.checkpoint.torchfile.archive import STORED
from pruneapp.checkpoint.torchfile.sources import CheckedSource
from pruneapp.checkpoint.torchfile.torch_objects import IN_PICKLE
from pruneapp.checkpoint.torchfile.zip_format import PACKAGE, SCRIPT, pickle_with_zeros, zip_layout
from pruneapp.errors import ExportError
from pruneapp.export.format import ExportPart, Format, Loader, Plan, Purpose
from pruneapp.export.formats.zip_archive import ALIGNMENT, StateDictPickle, ZipMember, ZipPlan
from pruneapp.export.records import (
    RecordRange,
    State,
    TensorRecord,
    final_bytes,
    finalize,
    is_changed,
)
from pruneapp.export.rounding import CONTAINER, DTYPE, KEEP, RoundedState
from pruneapp.export.scripts import loading_code
from pruneapp.export.sharding import SHARD_SIZE
from pruneapp.masks.bitmask import BitMask, Mask
from pruneapp.progress import Job

# Suffixes of files of torch.save, the default first.
SUFFIXES = (".pt", ".pth", ".th", ".bin", ".ckpt")

# Formats that are changed in place: everything except pruned weights is copied.
_CONTAINERS = frozenset({ZIP.name, LEGACY.name, SCRIPT, PACKAGE})

# Always the same name, so that the bytes do not depend on the file name.
_ROOT = "archive"
VERSION = ZipMember.of(f"{_ROOT}/version", b"3\n")


def why_unsupported(checkpoint: Checkpoint) -> str:
    """Return why a plain torch file cannot represent a checkpoint, as a sentence; "" if it can.

    The reason is a dtype that torch lacks.
    """
    entries = checkpoint.entries.values()
    if all(dtype.torch for dtype in set(map(attrgetter("dtype"), entries))):
        return ""
    entry = next(entry for entry in entries if not entry.dtype.torch)
    return f"torch has no type {entry.dtype.label}, which '{entry.name}' has."


def refuse_bin(part: ExportPart, kind: str, loss: str) -> None:
    """Raise `ExportError` if a file has the suffix .bin, which transformers looks for.

    `kind` names the kind of file ("A compressed torch file") and `loss` is a clause that says why
    it cannot be a .bin file; both are used in the error.
    """
    if part.suffix == ".bin":
        raise ExportError(
            f"{kind} cannot have the suffix .bin: {loss}.", remedy="Use the suffix .pt."
        )


def plan_state_dict(
    records: Sequence[TensorRecord],
    job: Job,
    notices: tuple[str, ...] = (),
    *,
    key: str = "",
    kept_values: Mapping[str, Any] | None = None,
) -> Plan:
    """Return the plan of a zip archive with an OrderedDict of `records`, as `torch.save` writes it.

    Only ``.data/serialization_id`` is omitted: it differs between machines and is not read.
    `notices` are added to the plan. With a `key` the state dict is a value of a dict, which also
    has the plain values `kept_values`.
    """
    data = [member(number, record) for number, record in job.cancel.each(enumerate(records))]
    plan = ZipPlan([*header_members(records, job, key, kept_values), *data, VERSION])
    return Plan(plan.nbytes(job), plan.pieces, bytes_by_name(records, job), notices)


def member_name(number: int) -> str:
    """Return the path in the archive of the data of tensor `number`."""
    return f"{_ROOT}/data/{number}"


def member(number: int, record: TensorRecord) -> ZipMember:
    """Return the member of the archive with the data of tensor `number`."""
    return ZipMember(member_name(number), record.nbytes, record.pieces)


def header_members(
    records: Sequence[TensorRecord],
    job: Job,
    key: str = "",
    kept_values: Mapping[str, Any] | None = None,
) -> list[ZipMember]:
    """Return the members before the data: the pickle and format information.

    `key` and `kept_values` as in `plan_state_dict`.
    """
    stream = StateDictPickle(key, kept_values)
    for number, record in job.cancel.each(enumerate(records)):
        stream.add((record.name, *record.aliases), str(number), record.dtype, record.shape)
    return pickle_members(stream)


def pickle_members(stream: StateDictPickle) -> list[ZipMember]:
    """Return the members before the data, with a finished pickle."""
    return [
        ZipMember.of(f"{_ROOT}/data.pkl", stream.finish()),
        ZipMember.of(f"{_ROOT}/.format_version", b"1"),
        ZipMember.of(f"{_ROOT}/.storage_alignment", str(ALIGNMENT).encode()),
        ZipMember.of(f"{_ROOT}/byteorder", b"little"),
    ]


def bytes_by_name(records: Sequence[TensorRecord], job: Job) -> dict[str, int]:
    """Return the bytes of every tensor by each of its names."""
    return {name: r.nbytes for r in job.cancel.each(records) for name in (r.name, *r.aliases)}


# A chunk is read, zeroed and written while it is in the cache of a CPU core.
_CHUNK_BYTES = 1 << 20
_CHUNK_ELEMENTS = 1 << 20


@dataclass(frozen=True, eq=False)
class Patch:
    """Contiguous elements of a file, some of which become 0."""

    offset: int  # offset of the first byte
    itemsize: int  # bytes per element
    kept: Mask  # 0 where an element becomes 0

    @property
    def end(self) -> int:
        """The offset after the last byte."""
        return self.offset + self.itemsize * self.kept.size

    def apply(self, piece: NDArray[np.uint8], start: int) -> None:
        """Modify `piece`, which begins at byte `start` of the file."""
        self.kept.zero(piece.view(f"u{self.itemsize}"), (start - self.offset) // self.itemsize)


@dataclass(frozen=True, eq=False)
class BytePatch:
    """Bytes that replace equally many bytes of a file."""

    offset: int  # offset of the first byte
    data: bytes  # the new bytes

    @property
    def end(self) -> int:
        """The offset after the last byte."""
        return self.offset + len(self.data)

    def apply(self, piece: NDArray[np.uint8], start: int) -> None:
        """Modify `piece`, which begins at byte `start` of the file."""
        at = start - self.offset
        piece[:] = np.frombuffer(self.data, np.uint8, piece.size, at)


@dataclass(frozen=True, eq=False)
class ValuesPatch:
    """Contiguous elements of a file that are replaced by the values of a state."""

    state: State
    entry: TensorEntry

    @property
    def offset(self) -> int:
        """The offset of the first byte."""
        return self.entry.location.offset

    @property
    def end(self) -> int:
        """The offset after the last byte."""
        return self.offset + self.entry.nbytes

    def apply(self, piece: NDArray[np.uint8], start: int) -> None:
        """Modify `piece`, which begins at byte `start` of the file."""
        itemsize = self.entry.dtype.bits // 8
        first = (start - self.offset) // itemsize
        elements = RecordRange(self.entry, first, first + piece.size // itemsize)
        piece[:] = np.frombuffer(final_bytes(self.state, elements), np.uint8)


@dataclass(frozen=True)
class Checked:
    """A range of bytes covered by a checksum."""

    start: int
    stop: int
    places: tuple[int, ...]  # offsets of its CRC-32 values, each 4 bytes, little-endian


AnyPatch: TypeAlias = Patch | BytePatch | ValuesPatch


@dataclass(frozen=True, eq=False)
class _Span:
    start: int
    stop: int
    patch: AnyPatch | None = None
    covered: Checked | None = None  # the range that contains this span
    checksum: Checked | None = None  # the range whose CRC this span is


def find_shared_tensor(entries: Iterable[TensorEntry], zeroed: frozenset[str], job: Job) -> str:
    """Return the name of a tensor in `export_mask` that shares bytes with another; "" if none does.

    Bytes between its strides count as its own. Empty tensors share nothing.
    """
    places = []
    for entry in job.cancel.each(entries):
        start = entry.location.offset
        stop = start + entry.dtype.nbytes(entry.reach)
        places.append((entry.location.source, start, stop, entry.name))
    places.sort()
    reach: dict[int, tuple[int, str]] = {}
    for source, start, stop, name in job.cancel.each(places):
        end, other = reach.get(source, (0, ""))
        if start < end and start < stop and (name in zeroed or other in zeroed):
            return name if name in zeroed else other
        # A zeroed tensor is remembered even if a longer one extends further: that one began
        # earlier, so their overlap was found before.
        if stop > end:
            reach[source] = (stop, name)
    return ""


def patch_of(entry: TensorEntry, kept: Mask, job: Job) -> Patch:
    """Return the patch of a tensor with any strides. `kept` is the mask of its elements."""
    itemsize = entry.dtype.bits // 8
    if entry.location.strides is not None:
        kept = _reorder_mask(entry, kept, job)
    return Patch(entry.location.offset, itemsize, kept)


def _reorder_mask(entry: TensorEntry, kept: Mask, job: Job) -> BitMask:
    """Return the mask in the order of memory; elements between the strides count as kept."""
    strides = entry.location.strides
    assert strides is not None
    packed = BitMask.full(entry.reach).packed.copy()
    for start in range(0, entry.numel, _CHUNK_ELEMENTS):
        job.step(0)
        stop = min(start + _CHUNK_ELEMENTS, entry.numel)
        pruned = np.flatnonzero(~kept.bools(start, stop)) + start
        where = np.zeros(pruned.size, np.int64)
        for index, stride in zip(np.unravel_index(pruned, entry.shape), strides, strict=True):
            where += index * stride
        bits = np.left_shift(1, where & 7).astype(np.uint8)
        np.bitwise_and.at(packed, where >> 3, ~bits)
    return BitMask(packed, entry.reach)


class PatchedFile:
    """The bytes of a file with patches and updated checksums.

    The file is read sequentially. Patches must not overlap, nor must ranges of checksums. Checksums
    of ranges without patches are copied, even if they are wrong.
    """

    def __init__(
        self, source: ByteSource, patches: Iterable[AnyPatch], checked: Iterable[Checked], job: Job
    ) -> None:
        self._source = source
        filled = [patch for patch in job.cancel.each(patches) if patch.end > patch.offset]
        self._patches = sorted(filled, key=attrgetter("offset"))
        self._checked = _select_patched(checked, self._patches, job)

    def pieces(self) -> Iterator[memoryview | bytes]:
        """Yield the bytes of the file, each valid until the next is requested.

        Empty pieces are yielded while checksums are computed that precede their range, which is
        read twice.
        """
        spans = self._spans()
        # Checksums that precede their range must be computed in advance.
        early = frozenset(c for c in self._checked if min(c.places, default=c.stop) < c.start)
        checksums: dict[Checked, int] = {}
        for span in spans:
            if span.covered is not None and span.covered in early:
                for piece in self._read(span):
                    checksums[span.covered] = zlib.crc32(piece, checksums.get(span.covered, 0))
                    yield b""
        for span in spans:
            if span.checksum is not None:
                yield struct.pack("<I", checksums[span.checksum])
                continue
            for piece in self._read(span):
                if span.covered is not None and span.covered not in early:
                    before = checksums.get(span.covered, 0)
                    checksums[span.covered] = zlib.crc32(piece, before)
                yield piece

    def _spans(self) -> list[_Span]:
        """Return consecutive spans that cover the file.

        Each is in at most one patch and one range of a checksum, or is a CRC.
        """
        crcs = {place: one for one in self._checked for place in one.places}
        starts = {p.offset: p for p in self._patches}
        cuts = {0, self._source.size}
        for patch in self._patches:
            cuts |= {patch.offset, patch.end}
        for one in self._checked:
            cuts |= {one.start, one.stop}
        for place in crcs:
            cuts |= {place, place + 4}
        spans = []
        at = 0  # index of the current range with a checksum
        for start, stop in pairwise(sorted(cuts)):
            while at < len(self._checked) and self._checked[at].stop <= start:
                at += 1
            covered = None
            if at < len(self._checked) and self._checked[at].start <= start:
                covered = self._checked[at]
            spans.append(_Span(start, stop, starts.get(start), covered, crcs.get(start)))
        return spans

    def _read(self, span: _Span) -> Iterator[memoryview]:
        """Yield the bytes of a span after its patch. All pieces share one buffer."""
        patch = span.patch
        step = _CHUNK_BYTES
        # Chunks contain whole elements, even if the offset of a patch is not a multiple of the item
        # size.
        buffer = np.empty(min(step, span.stop - span.start), np.uint8)
        for start in range(span.start, span.stop, step):
            piece = buffer[: min(step, span.stop - start)]
            self._source.read_into(start, piece.data)
            if patch is not None:
                patch.apply(piece, start)
            yield piece.data


def _select_patched(
    checked: Iterable[Checked], patches: Sequence[AnyPatch], job: Job
) -> list[Checked]:
    """Return the ranges of checksums in which a patch begins, by offset.

    `patches` are sorted by offset.
    """
    starts = np.array(list(map(attrgetter("offset"), patches)), np.int64)
    result = []
    ordered = sorted(checked, key=attrgetter("start"))
    for batch in job.cancel.batches(ordered):
        firsts = np.searchsorted(starts, [one.start for one in batch])
        lasts = np.searchsorted(starts, [one.stop for one in batch])
        touched = (firsts < lasts).tolist()
        result += [one for one, yes in zip(batch, touched, strict=True) if yes]
    return result


# Number of array elements processed at a time.
_STRETCH = 1 << 20


def changed_entries(part: ExportPart, job: Job) -> list[TensorEntry]:
    """Return the tensors whose bytes differ from those of the file."""
    entries = job.cancel.each(part.entries)
    return [entry for entry in entries if entry.numel and is_changed(part.state, entry.name)]


def _plan(part: ExportPart, job: Job) -> Plan:
    """Plan a torch file, the planner of `TORCH`: the opened container with changes if possible.

    Otherwise it is a plain state dict, and a notice states why. Raises `ExportError` if torch lacks
    a dtype of the plain one.
    """
    keep = part.values[CONTAINER.name] == KEEP
    changed = changed_entries(part, job)
    blocked_by: tuple[str, ...] = ()
    reason = _why_never_for(part) if keep else "that was chosen"
    if not reason:
        reason, blocked_by = why_not_in_place(part, changed, job)
    if not reason:
        arrays = [e for e in job.cancel.each(changed) if _is_array(e, part.checkpoint)]
        replaced = _patch_arrays(part, arrays, job) if arrays else ()
        if isinstance(replaced, tuple):
            names = {entry.name for entry in arrays}
            rest = [entry for entry in changed if entry.name not in names] if names else changed
            return plan_in_place(part, rest, replaced, job)
        reason, blocked_by = replaced, tuple(entry.name for entry in arrays)
    # Not an error for a patched file, which keeps its dtypes.
    if refused := why_unsupported(part.checkpoint):
        raise ExportError(refused, remedy="Export as safetensors.")
    records = [finalize(part.state, entry) for entry in job.cancel.each(part.entries)]
    notices, contents = part.scale_notices(), part.checkpoint.contents
    if contents.format in _CONTAINERS:
        notices = (f"A plain state dict was written, because {reason}.", *notices)
    else:
        reason = ""
    # A cut of a training checkpoint: its container cannot be patched, as the shapes have changed.
    is_whole = len(part.entries) == len(part.checkpoint.entries)
    kept_values = contents.kept_values if keep and is_whole else None
    key = "" if kept_values is None else contents.state_dict
    plan = plan_state_dict(records, job, notices, key=key, kept_values=kept_values)
    return replace(plan, blocked_by=blocked_by, plain_because=reason)


def _why_never_for(part: ExportPart) -> str:
    """Return why the container of a part can never be kept, as a clause; "" if it can."""
    checkpoint = part.checkpoint
    if reason := _why_never_in_place(checkpoint):
        return reason
    if checkpoint.contents.copies:
        return "it stores tied weights twice"
    if len(part.entries) < len(checkpoint.entries) and part.source is None:
        return "it is split into several files"
    if part.source is None:
        return "several files were put together"
    if any(map(attrgetter("mask_of"), part.entries)):
        return "pairs of NAME_orig and NAME_mask became NAME"
    if isinstance(part.state, RoundedState):
        return f"its weights are rounded to {part.state.rounding.dtype.label}"
    return ""


def why_not_in_place(
    part: ExportPart, changed: Sequence[TensorEntry], job: Job
) -> tuple[str, tuple[str, ...]]:
    """Return why tensors cannot be changed inside their file, and which ones.

    The reason is a clause, that of the first tensor; ("", ()) if all tensors can be changed.
    """
    reasons = {}
    for entry in job.cancel.each(changed):
        reason = _why_not_patched(part.checkpoint, entry)
        if not reason and part.state.replaces(entry.name):
            reason = _why_not_replaced(part.checkpoint, entry)
        if reason:
            reasons[entry.name] = reason
    if reasons:
        return next(iter(reasons.values())), tuple(reasons)
    shared = find_shared_tensor(part.entries, frozenset(map(attrgetter("name"), changed)), job)
    if shared:
        return f"'{shared}' shares its numbers with another tensor in it", (shared,)
    return "", ()


def _why_not_replaced(checkpoint: Checkpoint, entry: TensorEntry) -> str:
    """Return why a tensor cannot be overwritten with other values; "" if it can."""
    if entry.location.strides is None and not _is_array(entry, checkpoint):
        return ""
    return f"'{entry.name}' has new values, but is not stored contiguously in the file"


def _why_not_patched(checkpoint: Checkpoint, entry: TensorEntry) -> str:
    """Return why zeros cannot be written into a tensor of the file; "" if they can."""
    if _is_array(entry, checkpoint):
        return ""  # the pickle is rewritten
    if not isinstance(checkpoint.sources[entry.location.source], FileSource | CheckedSource):
        return f"'{entry.name}' is stored compressed or sparse in the file"
    return f"elements of '{entry.name}' share memory in the file" if entry.overlaps_itself else ""


def _is_array(entry: TensorEntry, checkpoint: Checkpoint) -> bool:
    """Return whether a tensor is a NumPy array, whose data is inside the pickle."""
    source = checkpoint.sources[entry.location.source]
    return isinstance(source, JoinedSource) and entry.location.storage.startswith(IN_PICKLE)


def _patch_arrays(
    part: ExportPart, arrays: Sequence[TensorEntry], job: Job
) -> tuple[BytePatch, ...] | str:
    """Return the change of the pickle that writes zeros into NumPy arrays, or why it is impossible.

    A text is the reason. Only an uncompressed pickle in a zip file can be changed.
    """
    reason = f"'{arrays[0].name}' is a numpy array that cannot be changed in place"
    if part.checkpoint.format != ZIP.name or part.source is None:
        return reason
    member = zip_layout(part.source, job.cancel).members["data.pkl"]
    if member.method != STORED:
        return reason
    zero = {entry.location.storage: partial(_zero, part, entry, job) for entry in arrays}
    new = pickle_with_zeros(part.source, member, zero, job.cancel)
    return reason if new is None else (BytePatch(member.data, new),)


def _zero(part: ExportPart, entry: TensorEntry, job: Job, raw: bytearray) -> None:
    """Set pruned elements in `raw`, the memory of an array, to 0 in place, in any byte order."""
    zeroed = part.state.export_mask(entry.name)
    assert zeroed is not None
    kept = patch_of(entry, zeroed, job).kept
    words = np.frombuffer(raw, entry.dtype.storage)
    for start in range(0, words.size, _STRETCH):
        job.step(0)
        stop = min(start + _STRETCH, words.size)
        words[start:stop] *= kept.bools(start, stop)


def _why_never_in_place(checkpoint: Checkpoint) -> str:
    """Return why the container of a checkpoint can never be kept, as a clause; else ""."""
    if checkpoint.format not in _CONTAINERS:
        return "the source is not a torch file"
    if code := checkpoint.contents.code_globals:
        # Pickles with code are never written, not even unchanged.
        names = ", ".join(code[:3]) + (", …" if len(code) > 3 else "")
        return f"loading the file would run code ({names})"
    return ""


def plan_in_place(
    part: ExportPart, changed: Sequence[TensorEntry], replaced: Sequence[BytePatch], job: Job
) -> Plan:
    """Plan a copy of the file of a part with changes to some tensors.

    Parameters
    ----------
    changed
        Tensors for which `why_not_in_place` returns no reason.
    replaced
        Further changes.
    """
    assert part.source is not None
    # Prefer a source that verifies checksums while reading.
    sources = [s for s in part.checkpoint.sources if s.file is part.source]
    reading = next((s for s in sources if isinstance(s, CheckedSource)), part.source)
    patches: list[AnyPatch] = [*replaced]
    for entry in job.cancel.each(changed):
        if part.state.replaces(entry.name):
            patches.append(ValuesPatch(part.state, entry))
            continue
        zeroes = part.state.export_mask(entry.name)
        assert zeroes is not None
        patches.append(patch_of(entry, zeroes, job))
    checked = (
        () if part.checkpoint.format == LEGACY.name else _ranges_with_checksum(part.source, job)
    )
    patched = PatchedFile(reading, patches, checked, job)
    # Paired masks are excluded here, so the names are those of the file.
    names = {name: entry.nbytes for entry in job.cancel.each(part.entries) for name in entry.names}
    return Plan(reading.size, patched.pieces, names, container=True)


def _ranges_with_checksum(source: FileSource, job: Job) -> tuple[Checked, ...]:
    """Return the uncompressed members of a zip file with their CRCs.

    () if the archive has no checksums.
    """
    archive = zip_layout(source, job.cancel)
    if not archive.checksums:
        return ()
    return tuple(
        Checked(m.data, m.data + m.stored, m.crc_positions)
        for m in job.cancel.each(archive.members.values())
        if m.method == STORED
    )


def _why_unsupported(checkpoint: Checkpoint) -> str:
    # Files that are patched may have dtypes that cannot be written otherwise.
    return why_unsupported(checkpoint) if _why_never_in_place(checkpoint) else ""


TORCH = Format(
    name="torch",
    label="torch state dict, dense",
    help="Weights with zeros where they are pruned, for torch.load.",
    suffixes=SUFFIXES,
    planner=_plan,
    params=(DTYPE, SHARD_SIZE, CONTAINER),
    sources=frozenset({ZIP.name, SCRIPT, LEGACY.name}),
    unsupported=_why_unsupported,
    keeps_container=lambda checkpoint: (
        not (_why_never_in_place(checkpoint) or checkpoint.contents.masks)
    ),
    in_place=lambda checkpoint, entry: not _why_not_patched(checkpoint, entry),
    loaded_by=(Loader("torch.load", "torch 1.6", "float8 since 2.1; mmap=True works"),),
    loaded_without_keys_by=(
        Loader("transformers", note="as pytorch_model.bin next to a config.json"),
    ),
    does_not=("Zeros do not reduce the size of a dense file.",),
    kept_notes=(
        "The other contents of the opened file are kept.",
        "Optimizer state of pruned weights is unchanged.",
    ),
    good_for={
        Purpose.TORCH: (
            "Pruned weights are 0; pruneapp.hold_masks(model) keeps them 0 during training."
        )
    },
    loads=loading_code.torch,
    load_code="""
def load(path):
    found = {}
    for file in files_of(path, "*.bin"):
        # weights_only runs no code of the file; what holds more than tensors may need it False.
        inside = torch.load(file, map_location="cpu", weights_only=True)
        for key in STATE_DICT.split(".") if STATE_DICT else ():
            inside = inside.get(key, inside)
        found |= inside
    return found
""",
)
