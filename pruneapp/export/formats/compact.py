"""The compact format: packed nonzero values and their positions; and its exact expansion.

The layout is described in `checkpoint.formats.compact` and docs/formats.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import IO, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.formats import compact_codec
from pruneapp.checkpoint.formats.compact import FORMAT, FRAMES, INDEX, dense_metadata
from pruneapp.checkpoint.formats.compact_codec import COMPACT, KEY, VERSION
from pruneapp.checkpoint.formats.safetensors import read_header
from pruneapp.checkpoint.io.atomic_file import PIECE_BYTES
from pruneapp.checkpoint.io.object_source import open_source
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.io.upload import new_file
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import DamagedFileError, ExportError, UnsupportedFileError, words_of
from pruneapp.export import size_estimate
from pruneapp.export.destination.target import check_file
from pruneapp.export.format import ExportPart, Format, Loader, Plan, Purpose
from pruneapp.export.formats import safetensors
from pruneapp.export.formats.safetensors import plan_safetensors
from pruneapp.export.records import (
    RecordRange,
    Spool,
    State,
    TensorRecord,
    final_bits,
    finalize,
    ranges_of,
)
from pruneapp.export.report import WrittenFile
from pruneapp.export.rounding import DTYPE
from pruneapp.export.scripts import loading_code
from pruneapp.export.scripts.loading_code import READER_NAME
from pruneapp.kernels.threads import default_threads, map_in_order
from pruneapp.kernels.values import Counts, Indices
from pruneapp.params import FlagParam
from pruneapp.progress import Job

# Tensors with fewer bytes are not packed: their index would be larger than the savings.
_SMALL = 4096
# All tensors, and the columns of one that is not packed, for `PackedBounds`.
_NONE = (0, 0, 0, 0, 0)


READER = FlagParam(
    name="reader_script",
    label="Write reader script",
    help="A short Python script that reads the file with numpy and zstandard.",
    default=True,
)


def is_packed(entry: TensorEntry) -> bool:
    """Return whether a tensor is packed into frames; all others are stored unchanged."""
    # Other dtypes are few and small, or packed already.
    return entry.dtype.prunable and entry.nbytes >= _SMALL


def _plan(part: ExportPart, job: Job) -> Plan:
    """Plan a compact file, the planner of `COMPACT_FILE`.

    Its size is only an upper bound until `prepare` has packed the frames to temporary storage.
    Raises `ExportError` if a tensor has a name that the format reserves.
    """
    entries = safetensors.sort_entries(part, job)
    packed: list[TensorEntry] = []
    raw: list[TensorRecord] = []
    for entry in job.cancel.each(entries):
        if is_packed(entry):
            packed.append(entry)
        else:
            raw.append(finalize(part.state, entry))
    _check_reserved_names(part, packed, job)
    metadata = _metadata(part, entries, job)
    names = {e.name: e.nbytes for e in job.cancel.each(entries)}
    bounds = PackedBounds(job.cancel.each(packed)).max_bytes().tolist()
    most = {e.name: bound for e, bound in zip(job.cancel.each(packed), bounds, strict=True)}

    def sized(sizes: Mapping[str, int], job: Job) -> int:
        unfilled = [_index(e, None) for e in job.cancel.each(packed)]
        unfilled += [_data(e, sizes[e.name], None) for e in job.cancel.each(packed)]
        return plan_safetensors(_sort_by_width(raw, unfilled), metadata, job).nbytes

    def expected(job: Job) -> int:
        return sized(_estimate_sizes(part.state, packed, job), job)

    @contextmanager
    def prepare(job: Job) -> Iterator[Plan]:
        with Spool() as spool:
            records = _pack_frames(part.state, packed, spool, job)
            yield plan_safetensors(_sort_by_width(raw, records), metadata, job)

    return Plan(
        sized(most, job),
        _unprepared,
        names,
        part.scale_notices(),
        expected=expected,
        prepare=prepare,
        work=sum(names[entry.name] for entry in job.cancel.each(packed)),
        beside={READER_NAME: _reader()} if part.values["reader_script"] else {},
    )


def _reader() -> bytes:
    """Return the source of the reader script. Raises `ExportError` if it is not installed."""
    try:
        return resources.path(READER_NAME).read_bytes()
    except OSError as error:
        raise ExportError(
            f"The reader script for compact files cannot be read from the installation of "
            f"Pruneapp: {words_of(error)}.",
            remedy="Export without it, or install Pruneapp again.",
            details=str(error),
        ) from error


def _unprepared() -> NoReturn:
    raise AssertionError("a compact file tells in its first bytes how large its parts are")


def _metadata(part: ExportPart, entries: Sequence[TensorEntry], job: Job) -> dict[str, str]:
    """Return the metadata of a compact file, which contains that of the dense file.

    Texts that both have, such as the recipe, are not stored twice: the dense one is null.
    """
    # Metadata of the dense file that expansion produces.
    dense = safetensors.metadata_for(safetensors.dense_part(part, packed=True))
    tensors = safetensors.json_object(((e.name, [e.dtype.name, e.shape]) for e in entries), job)
    ties = safetensors.with_ties(entries, dense, job)
    own = part.texts()
    differing = {key: None if own.get(key) == text else text for key, text in ties.items()}
    metadata = safetensors.json_object(differing.items(), job)
    text = (
        f'{{"version":{VERSION},"frame":{compact_codec.FRAME},'
        f'"tensors":{tensors},"metadata":{metadata}}}'
    )
    return {"format": COMPACT, KEY: text, **own}


def _sort_by_width(
    raw: Sequence[TensorRecord], packed: Sequence[TensorRecord]
) -> list[TensorRecord]:
    # Widest dtypes first, as in the reference implementation, so that all data is aligned.
    return sorted((*raw, *packed), key=attrgetter("dtype.bits"), reverse=True)


def _check_reserved_names(part: ExportPart, packed: Sequence[TensorEntry], job: Job) -> None:
    """Raise `ExportError` if a tensor has the name of an index or of frames of a packed tensor."""
    ours = {entry.name + end for entry in job.cancel.each(packed) for end in (INDEX, FRAMES)}
    for entry in job.cancel.each(part.entries):
        if entry.name in ours:
            raise ExportError(
                f"The compact format reserves the name '{entry.name}', but a tensor has it.",
                remedy="Choose another format.",
            )


def _rows(entry: TensorEntry) -> tuple[int, int]:
    itemsize = np.dtype(entry.dtype.storage).itemsize
    return -(-entry.numel // compact_codec.FRAME), compact_codec.columns(itemsize)


def _index(entry: TensorEntry, rows: NDArray[np.uint32] | None) -> TensorRecord:
    def pieces() -> Iterator[memoryview]:
        assert rows is not None
        yield rows.astype("<u4").reshape(-1).view(np.uint8).data

    return TensorRecord(entry.name + INDEX, (), DTYPES["U32"], _rows(entry), pieces)


def _data(entry: TensorEntry, nbytes: int, kept: tuple[Spool, int] | None) -> TensorRecord:
    """Return the record of the frames of a tensor: `nbytes` bytes at an offset of a spool.

    `kept` is the spool and the offset; None if only the size of the record is needed.
    """

    def pieces() -> Iterator[memoryview]:
        assert kept is not None
        spool, offset = kept
        return spool.read(offset, nbytes)

    return TensorRecord(entry.name + FRAMES, (), DTYPES["U8"], (nbytes,), pieces)


class PackedBounds:
    """Maximum bytes of the frames of tensors, wherever their zeros are; indexes are not counted.

    0 for tensors that are not packed.
    """

    def __init__(self, entries: Iterable[TensorEntry]) -> None:
        frame = compact_codec.FRAME
        rows = [
            _frame_bounds(e.numel, e.dtype.storage, frame) if is_packed(e) else _NONE
            for e in entries
        ]
        self._set(np.array(rows, np.int64).reshape(-1, len(_NONE)).T)

    def _set(self, columns: Counts) -> None:
        self._columns = columns
        self._numel, self.itemsize, self._masks, self._values, self._each = columns

    def of(self, places: Indices) -> PackedBounds:
        """Return the bounds of the tensors at some places."""
        bounds = PackedBounds(())
        bounds._set(self._columns[:, places])
        return bounds

    def max_bytes(self, zeros: Counts | int = 0) -> Counts:
        """Return the maximum of each tensor with `zeros` zeros: 0 if no weight is kept."""
        kept, values = self._numel - zeros, self._values
        # For any distribution of the zeros over frames.
        some = np.minimum(values, kept + (kept >> 8) + self._each)
        values = np.where(np.greater(zeros, 0), some, values)
        return np.where(kept > 0, self._masks + self.itemsize * values, 0)


@cache
def _frame_bounds(numel: int, dtype: str, frame: int) -> tuple[int, ...]:
    """Return the columns of `PackedBounds` for a packed tensor with frames of `frame` values.

    These are elements, bytes of one, maximum bytes of the masks and of the lowest bytes of all
    values, and what frames add to the latter if only some are kept.
    """
    whole, rest = divmod(numel, frame)
    sizes = [(count, size) for count, size in ((whole, frame), (1, rest)) if count and size]
    masks = sum(count * compact_codec.bound((size + 7) // 8) for count, size in sizes)
    values = sum(count * compact_codec.bound(size) for count, size in sizes)
    each = sum(count for count, _ in sizes) * compact_codec.bound(1)
    return numel, np.dtype(dtype).itemsize, masks, values, each


def _pack_frames(
    state: State, entries: Sequence[TensorEntry], spool: Spool, job: Job
) -> list[TensorRecord]:
    """Pack all frames into `spool` in order, with several threads.

    Return the records to write: for each tensor its index and its frames, which are read from
    `spool`. `job` advances by the uncompressed bytes.
    """
    rows = {entry.name: np.zeros(_rows(entry), np.uint32) for entry in entries}
    begins = dict.fromkeys(rows, 0)
    sizes = dict.fromkeys(rows, 0)
    tasks = (frame for entry in entries for frame in ranges_of(entry, compact_codec.FRAME))

    def encode(frame: RecordRange) -> tuple[RecordRange, list[int], list[bytes]]:
        return frame, *compact_codec.encode(final_bits(state, frame))

    threads = default_threads() if sum(e.numel for e in entries) > compact_codec.FRAME else 1
    for frame, row, encoded in map_in_order(tasks, encode, job, threads):
        entry = frame.entry
        number = frame.start // compact_codec.FRAME
        rows[entry.name][number] = row
        if not number:
            begins[entry.name] = spool.end
        for piece in encoded:
            spool.append(piece)
        sizes[entry.name] += sum(map(len, encoded))
        job.step(frame.nbytes)
    return [
        record
        for e in entries
        for record in (_index(e, rows[e.name]), _data(e, sizes[e.name], (spool, begins[e.name])))
    ]


def _estimate_sizes(state: State, entries: Sequence[TensorEntry], job: Job) -> dict[str, int]:
    """Return the approximate packed bytes of each tensor; exact if everything is measured."""

    def compress(block: size_estimate.Block) -> int:
        _, encoded = compact_codec.encode(final_bits(state, block[0]))
        return sum(map(len, encoded))

    frames = ((frame,) for entry in entries for frame in ranges_of(entry, compact_codec.FRAME))
    sizes = size_estimate.expected_sizes(state, frames, _guess, compress, job)
    return size_estimate.sum_by_tensor(sizes, job)


def _guess(frame: RecordRange, kept: size_estimate.SampledWeights) -> float:
    # Of a float, all bits except the sign and the first bits of the exponent are nearly random.
    values = 0.85 * kept.kept * frame.entry.dtype.bits / 8
    return 64 + values + (kept.places + 1.5 * kept.runs) / 8


COMPACT_FILE = Format(
    name="compact",
    label="Compact (packed and compressed)",
    help=(
        "Usually the smallest file: the packed weights (remaining weights, and one mask bit for "
        "each weight of a pruned tensor), byte-shuffled and compressed, in a safetensors "
        "container. The packed size in the preview and the history is that before compression. "
        "Pruneapp opens it like any checkpoint; a short reader for numpy can be written next to it."
    ),
    suffixes=(".compact.safetensors",),
    planner=_plan,
    unsupported=safetensors.why_unsupported,
    instead="torch",
    loaded_by=(
        Loader("Pruneapp", note="opens it; pruneapp expand writes the dense file"),
        Loader("pruneapp.load_compact", note="numpy arrays or torch tensors, read on demand"),
        Loader("numpy and zstandard", note="with read_compact.py, written next to the file"),
    ),
    does_not=("No other program loads it directly: expand it first, or use the reader script.",),
    params=(DTYPE, READER),
    good_for={Purpose.ARCHIVE: "The smallest file, lossless."},
    good_for_folder={
        Purpose.ARCHIVE: (
            "The smallest file, lossless for the weights; keep config.json and the "
            "tokenizer with it."
        )
    },
    one_file=True,
    loads=loading_code.compact,
    load_code="""
def load(path):
    import pruneapp

    found = {}
    for part in files_of(path, "*.safetensors"):
        with pruneapp.open_checkpoint(part) as file:
            entries = file.entries.values()
            found |= {name: file.read(entry.name) for entry in entries for name in entry.names}
    return found
""",
)


_ZSTD = b"\x28\xb5\x2f\xfd"
_FRAME_HEADER = 18


def expand(path: Path, out: Path, job: Job) -> WrittenFile:
    """Write the contents of a compact or zstd-compressed file to `out`.

    The type of the file is determined from its contents. An existing file at `out` is replaced.
    `job` advances twice per byte.

    Raises
    ------
    CheckpointError
        If the file is of another type, or damaged.
    ExportError
        If `out` cannot be written, or is `path` itself.
    """
    source = open_source(path)
    try:
        target = check_file(out).path
        if target.exists() and target.samefile(path):
            raise ExportError(
                f"'{out}' is the file to expand, which cannot be its own output.",
                remedy="Choose another name.",
            )
        if source.size >= len(_ZSTD) and source.read(0, len(_ZSTD)) == _ZSTD:
            return _write_decompressed(source, target, job)
        with open_checkpoint(path, job=job) as checkpoint:
            if checkpoint.format != FORMAT:
                raise UnsupportedFileError(
                    f"'{path}' is neither a compact file nor one compressed with zstd "
                    f"({checkpoint.contents.label}).",
                    remedy="Only compact and zst exports can be expanded.",
                )
            header, _ = read_header(source, job)
            return _write_dense(checkpoint, dense_metadata(header, str(path)), target, job)
    finally:
        source.close()


def _write_dense(
    checkpoint: Checkpoint, metadata: Mapping[str, str], target: Path, job: Job
) -> WrittenFile:
    """Write the dense safetensors file with this metadata. It replaces `target` when complete."""
    state = Snapshot(checkpoint)
    records = [finalize(state, entry) for entry in checkpoint.entries.values()]
    plan = plan_safetensors(records, metadata, job)
    job.start(2 * plan.nbytes, target.name)
    with new_file(target, plan.nbytes, job) as file:
        for piece in plan.pieces():
            file.write(piece)
        written = WrittenFile(target, plan.nbytes, file.seal())
        checkpoint.verify_unchanged()
        file.commit()
    return written


def _write_decompressed(source: FileSource, target: Path, job: Job) -> WrittenFile:
    """Write the decompressed content, replacing `target` when it is complete.

    Raises `UnsupportedFileError` if the file does not contain its decompressed size, and
    `DamagedFileError` if the content has another size or other bytes follow.
    """
    import zstandard

    try:
        nbytes = zstandard.frame_content_size(source.read(0, min(source.size, _FRAME_HEADER)))
    except zstandard.ZstdError:  # the header is cut short
        raise _damage_error(source) from None
    if nbytes < 0:
        # Without the size, a truncated file could not be detected.
        raise UnsupportedFileError(
            f"'{source.path}' does not contain the size of its decompressed content.",
            remedy="Unpack it with `zstd -d`.",
        )
    job.start(2 * nbytes, target.name)
    with new_file(target, nbytes, job, exact=False) as file:
        try:
            for piece in _decompress(source):
                if file.bytes_written + len(piece) > nbytes:
                    raise _damage_error(source)
                file.write(piece)
        except zstandard.ZstdError:
            if file.bytes_written == nbytes:
                raise DamagedFileError(
                    f"'{source.path}' is damaged: other bytes follow its compressed content.",
                    remedy="Download or copy it again.",
                ) from None
            raise _damage_error(source) from None
        if file.bytes_written != nbytes:
            raise _damage_error(source)
        written = WrittenFile(target, nbytes, file.seal())
        source.verify_unchanged()
        file.commit()
    return written


def _decompress(source: FileSource) -> Iterator[bytes]:
    """Yield the content of the first zstd frame of a file, in pieces of limited size.

    Raises `ZstdError` if it is damaged, or other bytes follow.
    """
    import zstandard

    # Pieces of limited size of the output, because a few bytes of input can expand to gigabytes.
    raw = cast("IO[bytes]", _Reader(source))  # the reader calls only `read`
    # With `read_across_frames`, bytes after the content would prevent that its end is returned.
    reader = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=False)
    while piece := reader.read(PIECE_BYTES):
        yield piece


class _Reader:
    """A file object that reads a source sequentially."""

    def __init__(self, source: FileSource) -> None:
        self._source = source
        self._offset = 0

    def read(self, size: int) -> bytes:
        data = self._source.read(self._offset, min(size, self._source.size - self._offset))
        self._offset += len(data)
        return data


def _damage_error(source: FileSource) -> DamagedFileError:
    return DamagedFileError(
        f"'{source.path}' is damaged: its decompressed content is not of the size in its header.",
        remedy="Download or copy it again.",
    )
