"""The dense safetensors file in a single zstd frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pruneapp.checkpoint.formats.compact_codec import bound
from pruneapp.export import size_estimate
from pruneapp.export.format import ExportPart, Format, Loader, Plan, Purpose
from pruneapp.export.formats import safetensors
from pruneapp.export.formats.safetensors import SAFETENSORS
from pruneapp.export.records import RecordRange, final_bytes, ranges_of
from pruneapp.export.rounding import DTYPE
from pruneapp.export.scripts import loading_code
from pruneapp.kernels.threads import default_threads
from pruneapp.params import Interval, IntParam
from pruneapp.progress import Job

if TYPE_CHECKING:
    import zstandard

    class _Chunker(Protocol):
        """The used part of zstandard's compressor, whose own stubs are untyped."""

        def compress(self, data: bytes | memoryview) -> Iterable[bytes]: ...
        def finish(self) -> Iterable[bytes]: ...


LEVEL = IntParam(
    name="compression_level",
    label="Compression level",
    help="1 is fastest; 12 gives the smallest file and takes about 12 times as long.",
    default=3,
    # Levels up to 19 save up to 9 % more, nothing at 99 % zeros, but compress only 2 MB/s per core:
    # a sample of one second is not representative, and cancelling would wait for the half megabyte
    # that is compressed at once.
    bounds=Interval(1, 12),
)
# From this level on, zstd would use a window of 4 MiB, and independently measured pieces would be 3
# % too large. With this window the estimate is within 1 %, and the file at most 2 % larger.
_FAR = 7
_WINDOW_LOG = 20

# Bytes of a piece of the sample. Shorter pieces would be underestimated: in the whole file, data
# two megabytes earlier leads zstd to matches that do not pay off.
_PIECE = 2 << 20


@dataclass(frozen=True)
class _Sample:
    """Work of a sample that takes well under a second on one core."""

    level: int  # maximum level that this applies to
    whole: int  # files up to this size are compressed as a whole, exactly as when writing
    pieces: int  # number of pieces to measure in larger files; more if they compress well
    least: int  # fixed cost of a piece, in compressed bytes that take the same time


_SAMPLES = (
    _Sample(3, 64 << 20, 48, 340 << 10),
    _Sample(6, 24 << 20, 24, 340 << 10),
    _Sample(12, 8 << 20, 8, 140 << 10),
)
# Size of output chunks, small enough to check for cancellation often even at the highest level.
_CHUNK = 16 << 10
# Compressed bytes of a block of 128 KiB of zeros.
_ZEROS = 4
_BLOCK = 128 << 10
# Compressed bytes of a piece of which half the weights are kept.
_HALF = 900 << 10
# Least guess for a range with kept weights.
_TINY = 100
# Bytes of the frame: magic number, descriptor, content size, checksum.
_FRAME = 18


def _plan(part: ExportPart, job: Job) -> Plan:
    """Plan the dense file in one zstd frame, the planner of `ZSTANDARD`.

    The size is an upper bound.
    """
    dense = SAFETENSORS.planner(safetensors.dense_part(part), job)
    level = part.values["compression_level"]

    def pieces() -> Iterator[bytes]:
        # The bytes are the same for any number of threads, but differ from those without threads.
        compressor = _compressor(
            level, dense.nbytes, write_checksum=True, threads=default_threads()
        )
        chunks: _Chunker = compressor.chunker(size=dense.nbytes, chunk_size=_CHUNK)
        for piece in dense.pieces():
            yield from chunks.compress(piece)
            yield b""
        yield from chunks.finish()

    def expected(job: Job) -> int:
        sample = next(sample for sample in _SAMPLES if level <= sample.level)
        if dense.nbytes <= sample.whole:
            total = 0
            for piece in pieces():
                job.step(0)
                total += len(piece)
            return total
        data = _expected_size(part, level, sample, job)
        header = dense.nbytes - sum(dense.names.values())
        first = next(iter(dense.pieces()))
        assert len(first) == header
        return _FRAME + _compressed_size(bytes(first), level, job) + data

    return Plan(bound(dense.nbytes) + 64, pieces, dense.names, dense.notices, expected=expected)


def _compressor(level: int, nbytes: int, **options: Any) -> zstandard.ZstdCompressor:
    """Return a compressor for `nbytes` bytes; `options` are further compression parameters."""
    import zstandard

    params = zstandard.ZstdCompressionParameters
    usual = params.from_level(level, source_size=nbytes).window_log
    if level >= _FAR:
        options["window_log"] = min(usual, _WINDOW_LOG)
    return zstandard.ZstdCompressor(
        compression_params=params.from_level(level, source_size=nbytes, **options)
    )


def _compressed_size(data: bytes, level: int, job: Job) -> int:
    """Return how many bytes data adds to a frame, without its header; estimated for zeros only."""
    if not data.strip(b"\0"):
        return _zeros_bytes(len(data))
    compressor = _compressor(level, len(data), write_content_size=False)
    stream = compressor.compressobj(size=len(data))
    nbytes = -6  # without the magic number and the descriptor
    for start in range(0, len(data), _BLOCK):
        job.step(0)
        nbytes += len(stream.compress(data[start : start + _BLOCK]))
    return nbytes + len(stream.flush())


def _expected_size(part: ExportPart, level: int, sample: _Sample, job: Job) -> int:
    """Return the estimated compressed bytes of the tensors, from a sample of pieces of 2 MiB."""
    pieces: list[list[RecordRange]] = []
    room = 0
    for entry in job.cancel.each(safetensors.sort_entries(part, job)):
        for elements in ranges_of(entry, _PIECE * 8 // entry.dtype.bits):
            if not pieces or elements.nbytes > room:  # start a new piece; small tensors share one
                pieces.append([])
                room = _PIECE
            pieces[-1].append(elements)
            room -= elements.nbytes

    def compress(piece: size_estimate.Block) -> int:
        contents = (final_bytes(part.state, s) for s in job.cancel.each(piece))
        return _compressed_size(b"".join(contents), level, job)

    def pieces_to_measure(guesses: Sequence[float]) -> int:
        budget = sample.pieces * _HALF
        return max(sample.pieces, size_estimate.count_affordable(guesses, sample.least, budget))

    sizes = size_estimate.expected_sizes(
        part.state, pieces, _guess, compress, job, zeros=_zeros_bytes, sample=pieces_to_measure
    )
    return round(sum(nbytes for _, nbytes in sizes))


def _zeros_bytes(nbytes: int) -> int:
    return _ZEROS * -(-nbytes // _BLOCK)


def _guess(elements: RecordRange, kept: size_estimate.SampledWeights) -> float:
    dtype = elements.entry.dtype
    least = _ZEROS * dtype.nbytes(kept.size) / _BLOCK
    if not kept.kept:
        return least
    # Measured for normally distributed weights at 0 to 99 % sparsity, in 16 and 32 bits.
    return least + max(kept.kept * (dtype.bits / 8 - 0.4) + kept.places / 2, _TINY)


ZSTANDARD = Format(
    name="zst",
    label="safetensors, compressed with zstd",
    help=(
        "The dense file in one zstd frame. Any zstd tool decompresses it to "
        "exactly the dense safetensors export."
    ),
    suffixes=(".safetensors.zst",),
    planner=_plan,
    params=(DTYPE, LEVEL),
    unsupported=safetensors.why_unsupported,
    instead="torch",
    loaded_by=(
        Loader("zstd -d", note="decompresses it to a safetensors file"),
        Loader("7-Zip", "24.05", "and 7-Zip ZS, PeaZip"),
        Loader("pruneapp expand", note="decompresses it without other tools"),
    ),
    does_not=("Must be decompressed before loading.",),
    good_for={
        Purpose.MAIL: "Decompresses with zstd or 7-Zip to exactly the safetensors file.",
        Purpose.ARCHIVE: "The smallest file, lossless.",
    },
    good_for_folder={
        Purpose.MAIL: (
            "Decompress it to model.safetensors next to config.json and the tokenizer, and "
            "transformers loads it."
        ),
        Purpose.ARCHIVE: (
            "The smallest file, lossless for the weights; keep config.json and the "
            "tokenizer with it."
        ),
    },
    one_file=True,
    loads=loading_code.zst,
    load_code="""
def load(path):
    import zstandard
    from safetensors.torch import load

    with open(path, "rb") as file:
        return load(zstandard.ZstdDecompressor().stream_reader(file).read())
""",
)
