"""Torch state dicts in a compressed zip archive, which ``torch.load`` reads directly.

With ``mmap=True``, torch maps storages from their position in the archive and would silently use
compressed bytes as weights. Therefore the largest storage is last: its uncompressed elements would
extend beyond the end of the file, which torch detects and refuses (``torch/serialization.py``,
``_load``; tested with torch 2.13).
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from functools import lru_cache, partial
from operator import attrgetter

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.errors import ExportError
from pruneapp.export import size_estimate
from pruneapp.export.format import ExportPart, Format, Loader, Plan, Purpose
from pruneapp.export.formats import torch
from pruneapp.export.formats.zip_archive import Buffer, ZipMember, ZipPlan, directory_bytes
from pruneapp.export.records import RecordRange, State, final_bytes, finalize, ranges_of
from pruneapp.export.rounding import DTYPE
from pruneapp.export.scripts import loading_code
from pruneapp.kernels.threads import default_threads, map_in_order
from pruneapp.progress import Job

# The default of zlib; higher levels take ten times as long and save 2 %.
LEVEL = 6
# Blocks are compressed independently, so that threads can share the work and samples are exact.
BLOCK_BYTES = 128 << 10
# An empty final block; all other blocks end at a byte boundary.
_END = b"\x03\0"
# Budget of a sample: compressed bytes that take a quarter of a second on one core, and the fixed
# cost of a block in such bytes.
_BUDGET = 2 << 20
_LEAST_COST = 3 << 10
# Storages up to this size are compressed in advance to find out whether they protect the others.
_TRIED_BYTES = 8 << 20


def _blocks(entry: TensorEntry) -> Iterator[RecordRange]:
    return ranges_of(entry, BLOCK_BYTES * 8 // entry.dtype.bits)


def deflate(data: Buffer) -> bytes:
    """Compress data to a part of a deflate stream that does not depend on previous parts."""
    stream = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush(zlib.Z_FULL_FLUSH)


def max_bytes(entry: TensorEntry) -> int:
    """Return the maximum compressed bytes of a tensor: stored blocks of 16 KiB, and block ends."""
    blocks = -(-entry.nbytes // BLOCK_BYTES)
    return entry.nbytes + 5 * (entry.nbytes // (16 << 10) + blocks) + 16 * blocks + len(_END)


def _plan(part: ExportPart, job: Job) -> Plan:
    """Plan a compressed zip archive, the planner of `DEFLATED`.

    If the largest storage would not protect the others (see the module), the archive is written
    uncompressed. Raises `ExportError` if the file has the suffix .bin.
    """
    torch.refuse_bin(
        part,
        "A compressed torch file",
        "transformers would map it into memory, which is not possible",
    )
    records = [finalize(part.state, entry) for entry in job.cancel.each(part.entries)]
    names = torch.bytes_by_name(records, job)
    # The largest one last, and the last one of several.
    sizes = list(map(names.__getitem__, map(attrgetter("name"), records)))
    order = sorted(range(len(records)), key=sizes.__getitem__)
    before = [*torch.header_members(records, job), torch.VERSION]
    entries = list(map(part.entries.__getitem__, order))
    stored: list[ZipMember] = []
    members: list[ZipMember] = []
    for number in job.cancel.each(order):
        entry, member = part.entries[number], torch.member(number, records[number])
        stored.append(member)
        if entry.nbytes:
            deflated = partial(deflated_pieces, part.state, entry)
            member = member._replace(deflated=deflated, most=max_bytes(entry))
        members.append(member)
    trailing_bytes = directory_bytes([*before, *members], job)

    def pieces() -> Iterator[Buffer]:
        if entries and (yield from _protects_others(part.state, entries[-1], trailing_bytes)):
            yield from ZipPlan(
                [*before, *members[:-1], _protecting_member(members[-1], trailing_bytes)]
            ).pieces()
        else:
            # Compression would save too little, and an uncompressed file needs no protection.
            yield from ZipPlan([*before, *stored]).pieces()

    def expected(job: Job) -> int:
        if not entries or not _run_to_end(
            _protects_others(part.state, entries[-1], trailing_bytes), job
        ):
            return ZipPlan([*before, *stored]).nbytes(job)
        # The position of a member depends on the sizes of all previous ones.
        sizes = expected_bytes(part.state, entries, job)
        sized = [
            member._replace(most=sizes[entry.name]) if entry.nbytes else member
            for member, entry in job.cancel.each(zip(members, entries, strict=True))
        ]
        return ZipPlan([*before, *sized]).nbytes(job)

    return Plan(
        max(ZipPlan([*before, *members]).nbytes(job), ZipPlan([*before, *stored]).nbytes(job)),
        pieces,
        names,
        part.scale_notices(),
        expected=expected,
    )


def deflated_pieces(state: State, entry: TensorEntry) -> Iterator[tuple[Buffer, Buffer]]:
    """Yield the written bytes of a tensor in pieces, each with its compressed bytes.

    The compressed bytes form one deflate stream; the last piece is empty and ends it.
    """

    def work(block: RecordRange) -> tuple[Buffer, Buffer]:
        content = final_bytes(state, block)
        return content, deflate(content)

    threads = default_threads() if entry.nbytes > BLOCK_BYTES else 1
    yield from map_in_order(_blocks(entry), work, Job(), threads)
    yield b"", _END


def _protects_others(
    state: State, last: TensorEntry, trailing_bytes: int
) -> Generator[bytes, None, bool]:
    """Return whether the last storage, uncompressed, would extend beyond the end of the file.

    A generator: it yields empty pieces between blocks, so that a job can be cancelled, and the
    result is its return value. `trailing_bytes` is the number of bytes after the storage. True
    without compressing if the storage is large.
    """
    if last.nbytes > max(_TRIED_BYTES, 16 * trailing_bytes):
        return True  # `_protecting_member` checks it again during writing
    stored = trailing_bytes + len(_END)
    most = trailing_bytes + max_bytes(last)
    for block in _blocks(last):
        nbytes = len(deflate(final_bytes(state, block)))
        stored += nbytes
        most -= block.nbytes - nbytes
        if most < last.nbytes or stored >= last.nbytes:
            break
        yield b""
    return stored < last.nbytes


def _run_to_end(work: Generator[bytes, None, bool], job: Job) -> bool:
    """Run a generator to its end, checking for cancellation. Return its result."""
    while True:
        job.step(0)
        try:
            next(work)
        except StopIteration as stopped:
            return bool(stopped.value)


def _protecting_member(last: ZipMember, trailing_bytes: int) -> ZipMember:
    """Return the last member, which raises `ExportError` if it does not protect the others."""

    def deflated() -> Iterator[tuple[Buffer, Buffer]]:
        stored = 0
        for piece, data in last.stored():
            stored += len(data)
            yield piece, data
        if last.nbytes <= stored + trailing_bytes:
            raise ExportError(
                "These weights do not compress, and torch.load with mmap=True would map the file "
                "instead of decompressing it.",
                remedy="Export as torch.",
            )

    return last._replace(deflated=deflated)


def expected_bytes(state: State, entries: Sequence[TensorEntry], job: Job) -> dict[str, int]:
    """Return the approximate stored bytes of each tensor by name, estimated from a sample.

    Exact if everything can be measured.
    """
    sizes = Counter({entry.name: len(_END) for entry in entries})

    def compress(block: size_estimate.Block) -> int:
        return len(deflate(final_bytes(state, block[0])))

    # Pruned and other tensors separately: other tensors can be anything from noise to constants.
    for is_pruned in (True, False):
        some = [e for e in entries if (state.export_mask(e.name) is not None) == is_pruned]
        estimated = size_estimate.expected_sizes(
            state,
            ((block,) for entry in some for block in _blocks(entry)),
            _guess,
            compress,
            job,
            zeros=lru_cache(lambda nbytes: len(deflate(bytes(nbytes)))),
            sample=lambda guesses: size_estimate.count_affordable(guesses, _LEAST_COST, _BUDGET),
        )
        sizes.update(size_estimate.sum_by_tensor(estimated, job))
    return sizes


def _guess(block: RecordRange, kept: size_estimate.SampledWeights) -> float:
    # Measured for a trained network of 22 million weights at sparsities of 0 to 99.9 %, in 16 and
    # 32 bits: values shrink to four fifths, positions take twice their entropy, and zeros shrink to
    # about a thousandth.
    each = 0.8 * block.entry.dtype.bits / 8
    return 20 + block.nbytes / 900 + kept.kept * each + kept.places / 4


DEFLATED = Format(
    name="deflated",
    label="torch state dict, compressed",
    help=(
        "A torch file with DEFLATE compression: torch.load reads it directly. "
        "Loading is slower, because all tensors are decompressed."
    ),
    suffixes=(".pt", ".pth"),
    tag="-compressed",
    planner=_plan,
    params=(DTYPE,),
    unsupported=torch.why_unsupported,
    loaded_by=(Loader("torch.load", "torch 1.6", "without mmap=True; float8 since 2.1"),),
    does_not=(
        "Not compatible with torch.load(mmap=True) and transformers, which map uncompressed files.",
        "Contains only tensors; other entries of the opened file are not written.",
    ),
    good_for={Purpose.MAIL: "Loads directly with torch.load, but not in transformers."},
    good_for_folder={},  # transformers cannot load it
    loads_directly=True,
    one_file=True,
    loads=loading_code.torch,
    load_code="""
def load(path):
    return torch.load(path, map_location="cpu", weights_only=True)  # without mmap
""",
)
