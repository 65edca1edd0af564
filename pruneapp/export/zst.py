"""The dense safetensors file in one frame of zstd: any tool that unpacks gives it back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pruneapp.answers.export import Loader, Purpose
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.packed.frames import bound
from pruneapp.export import safetensors, sampling
from pruneapp.export.declaration import Format, Part, Plan
from pruneapp.export.provenance import told
from pruneapp.export.records import zero
from pruneapp.export.rounding import DTYPE, Rounding
from pruneapp.export.safetensors import SAFETENSORS
from pruneapp.export.state import State
from pruneapp.kernels.side_by_side import default_threads
from pruneapp.params import Interval, IntParam, validate_all
from pruneapp.progress import Job

LEVEL = IntParam(
    name="level",
    label="Effort",
    help="Time spent to make the file smaller: 1 is quickest, 19 takes 50 times as long.",
    default=3,
    bounds=Interval(1, 19),
)

# Bytes of a piece of the sample. Measured by itself, a shorter one is too small: what lies two
# megabytes back leads zstd to matches that do not pay.
_PIECE = 2 << 20
# Pieces of the sample by level: about as long in all.
_SAMPLES = ((3, 64), (6, 24), (12, 8), (19, 2))
# Every block of 128 KiB of zeros takes so many bytes.
_ZEROS = 4
_BLOCK = 128 << 10
# Bytes of a file that is compressed as a whole sooner than a sample is taken.
_SMALL = 4 << 20
# Guessed of a piece in which no weight is kept, and not of any other.
_TINY = 100
# Of the frame: magic number, descriptor, size of the content, checksum.
_FRAME = 18


@dataclass(frozen=True)
class _Stretch:
    """Elements `start` to `stop` of a tensor."""

    entry: TensorEntry
    start: int
    stop: int

    @property
    def nbytes(self) -> int:
        return self.entry.dtype.nbytes(self.stop - self.start)


def _plan(part: Part, values: Mapping[str, Any], job: Job) -> Plan:
    of_dense = validate_all(SAFETENSORS.params, {DTYPE.name: values[DTYPE.name]})
    # What comes out is the dense file, and says that of itself.
    part = replace(part, state=told(part.state, SAFETENSORS.name, of_dense))
    dense = SAFETENSORS.plan(part, of_dense, job)
    level = values["level"]

    def pieces() -> Iterator[bytes]:
        import zstandard

        # With workers the bytes are the same for any number of them, but not those without.
        compressor = zstandard.ZstdCompressor(
            level=level, write_content_size=True, write_checksum=True, threads=default_threads()
        ).compressobj(size=dense.nbytes)
        for piece in dense.pieces():
            yield compressor.compress(piece)
        yield compressor.flush()

    def expected(job: Job) -> int:
        if dense.nbytes <= _SMALL:
            return sum(len(piece) for batch in job.cancel.batches(pieces()) for piece in batch)
        data = _expected(part, Rounding.to(values[DTYPE.name]), level, job)
        header = dense.nbytes - sum(dense.names.values())
        first = next(iter(dense.pieces()))
        assert len(first) == header
        return _FRAME + _compressed(bytes(first), level) + data

    return Plan(
        bound(dense.nbytes) + 64,
        pieces,
        dense.names,
        dense.notices,
        expected=expected,
        rounding=dense.rounding,
    )


def _compressed(data: bytes, level: int) -> int:
    import zstandard

    if not data.strip(b"\0"):
        return _ZEROS * -(-len(data) // _BLOCK)
    compressor = zstandard.ZstdCompressor(level=level, write_content_size=False)
    return len(compressor.compress(data)) - 6  # the magic number and the descriptor


def _expected(part: Part, rounding: Rounding | None, level: int, job: Job) -> int:
    pieces: list[list[_Stretch]] = []
    guesses: list[float] = []
    room = 0
    for batch in job.cancel.batches(safetensors.in_order(part, job)):
        for stretch in (stretch for entry in batch for stretch in _stretches(entry)):
            if not pieces or stretch.nbytes > room:  # a new piece; small tensors share one
                pieces.append([])
                guesses.append(0.0)
                room = _PIECE
            pieces[-1].append(stretch)
            guesses[-1] += _guess(part.state, stretch, rounding)
            room -= stretch.nbytes
    # Nothing but zeros is known without measuring.
    zeros = [sum(s.nbytes for s in p) for p, g in zip(pieces, guesses, strict=True) if g < _TINY]
    some = [(p, g) for p, g in zip(pieces, guesses, strict=True) if g >= _TINY]
    known = sum(_ZEROS * -(-nbytes // _BLOCK) for nbytes in zeros)
    most = next(count for highest, count in _SAMPLES if level <= highest)

    def measure(piece: list[_Stretch]) -> int:
        job.step(0)
        batches = job.cancel.batches(piece)
        contents = (_content(part.state, s) for batch in batches for s in batch)
        if rounding is not None:
            dtypes = (s.entry.dtype for s in piece)
            contents = (
                bytes(rounding.rounded(memoryview(c), d))
                for c, d in zip(contents, dtypes, strict=True)
            )
        return _compressed(b"".join(contents), level)

    found = sampling.estimate([p for p, _ in some], [g for _, g in some], measure, job, most)
    return known + found


def _stretches(entry: TensorEntry) -> Iterator[_Stretch]:
    length = _PIECE * 8 // entry.dtype.bits
    for start in range(0, entry.numel, length):
        yield _Stretch(entry, start, min(start + length, entry.numel))


def _content(state: State, stretch: _Stretch) -> bytes:
    entry = stretch.entry
    start, stop = stretch.start, stretch.stop
    if entry.dtype.packed:  # counted in bytes
        start, stop = entry.dtype.nbytes(start), entry.dtype.nbytes(stop)
    gone = state.zeroed(entry.name)
    chunks = state.chunks(entry.name, start, stop, max(stop - start, 1))
    return b"".join(
        np.ascontiguousarray(chunk.bits).tobytes()
        for chunk in (chunks if gone is None else zero(chunks, gone))
    )


def _guess(state: State, stretch: _Stretch, rounding: Rounding | None) -> float:
    dtype = stretch.entry.dtype if rounding is None else rounding.becomes(stretch.entry.dtype)
    size = stretch.stop - stretch.start
    kept = sampling.kept_in(state.zeroed(stretch.entry.name), stretch.start, stretch.stop)
    least = _ZEROS * dtype.nbytes(size) / _BLOCK
    if not kept:
        return least
    # As measured on normal weights from 0 to 99 % sparsity, in 16 and 32 bits: where the next
    # number stands takes half a bit of every doubling of the gaps.
    each = dtype.bits / 8 - 0.4 + 0.5 * math.log2(size / kept)
    return least + max(kept * each, _TINY)


ZSTANDARD = Format(
    name="zst",
    label="safetensors, compressed with zstd",
    help=(
        "The dense file in one zstd frame. Whoever gets it unpacks it with any tool and has, to "
        "the byte, what the dense export would have written."
    ),
    suffixes=(".safetensors.zst",),
    plan=_plan,
    params=(DTYPE, LEVEL),
    why_not=SAFETENSORS.why_not,
    loaded_by=(
        Loader("zstd -d", note="and 7-Zip, PeaZip, tar: then everything that loads safetensors"),
        Loader("pruneapp expand", note="unpacks it where there is no such tool"),
    ),
    does_not=("Nothing loads it before it is unpacked.",),
    good_for={Purpose.MAIL: "Anybody can unpack it, and then everything loads it."},
    one_file=True,
    load_code="""
def load(path):
    import zstandard
    from safetensors.torch import load

    with open(path, "rb") as file:
        return load(zstandard.ZstdDecompressor().stream_reader(file).read())
""",
)
