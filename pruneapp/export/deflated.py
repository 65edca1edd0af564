"""A torch state dict in a zip archive that is compressed: ``torch.load`` reads it as it is.

torch maps storages into memory by their place in the archive if it is told to (``mmap=True``), and
then takes compressed bytes for weights without a word. So the largest storage comes last, where
its elements, were they not compressed, would reach beyond the end of the file: torch notices that,
and refuses (``torch/serialization.py``, ``_load``; seen with torch 2.13).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np

from pruneapp.answers.export import Loader
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.errors import ExportError
from pruneapp.export import parts, sampling, torch_zip
from pruneapp.export.declaration import Format, Part, Plan
from pruneapp.export.records import finalized
from pruneapp.export.state import State
from pruneapp.export.zip_writer import Buffer, Member, ZipPlan, directory_bytes
from pruneapp.kernels.side_by_side import default_threads, in_order
from pruneapp.progress import Job

# What zlib takes when nothing is said; higher ones take ten times as long for 2 %.
LEVEL = 6
# Each is compressed by itself, so that several are at once and a sample is as good as the whole.
BLOCK_BYTES = 128 << 10
# An empty block that says it is the last; each of ours ends at a whole byte.
_END = b"\x03\0"
_SAMPLE = 100
# A storage up to this size is compressed beforehand if it has to be known whether it can guard.
_TRIED_BYTES = 8 << 20


@dataclass(frozen=True)
class _Block:
    """Elements `start` to `stop` of a tensor, the first a multiple of 8."""

    entry: TensorEntry
    start: int
    stop: int


def _blocks(entry: TensorEntry) -> Iterator[_Block]:
    length = BLOCK_BYTES // np.dtype(entry.dtype.storage).itemsize
    for start in range(0, entry.numel, length):
        yield _Block(entry, start, min(start + length, entry.numel))


def _content(state: State, block: _Block) -> memoryview:
    """Return the bytes of a block, +0.0 wherever it is pruned."""
    size = block.stop - block.start
    (chunk,) = state.chunks(block.entry.name, block.start, block.stop, size)
    gone = state.zeroed(block.entry.name)
    if gone is not None:
        gone.zero(chunk.bits, chunk.start)
    little = chunk.bits.astype(chunk.bits.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(little).view(np.uint8).data


def deflate(data: Buffer) -> bytes:
    """Return a stretch of a stream of deflate that depends on nothing before it."""
    stream = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush(zlib.Z_FULL_FLUSH)


def _most(entry: TensorEntry) -> int:
    """Return the most bytes that a tensor may take: stored blocks of 16 KiB, and the ends."""
    blocks = -(-entry.nbytes // BLOCK_BYTES)
    return entry.nbytes + 5 * (entry.nbytes // (16 << 10) + blocks) + 16 * blocks + len(_END)


def _plan(part: Part, _values: Mapping[str, Any], job: Job) -> Plan:
    if reason := torch_zip.refuses(part.checkpoint):
        raise ExportError(reason, remedy="Export as safetensors.")
    if part.suffix == ".bin":
        raise ExportError(
            "A compressed torch file may not be called .bin: transformers would map it into "
            "memory, which is not possible.",
            remedy="Call it .pt.",
        )
    batches = job.cancel.batches(part.entries)
    records = [finalized(part.state, entry) for batch in batches for entry in batch]
    names = torch_zip.names_of(records, job)
    # The largest comes last; of equal ones the last.
    sizes = list(map(names.__getitem__, map(attrgetter("name"), records)))
    order = sorted(range(len(records)), key=sizes.__getitem__)
    before = [*torch_zip.about(records, job), torch_zip.VERSION]
    entries = list(map(part.entries.__getitem__, order))
    stored: list[Member] = []
    members: list[Member] = []
    for batch in job.cancel.batches(order):
        plain = [torch_zip.member(number, records[number]) for number in batch]
        stored += plain
        of = [part.entries[number] for number in batch]
        members += [_member(part.state, m, e) for m, e in zip(plain, of, strict=True)]
    behind = directory_bytes([*before, *members], job)

    def may_guard() -> bool:
        return bool(entries) and _may_guard(part.state, entries[-1], behind)

    def pieces() -> Iterator[Buffer]:
        if not may_guard():
            # So little gains nothing; and what is stored needs no guard.
            yield from ZipPlan([*before, *stored]).pieces()
        else:
            yield from ZipPlan([*before, *members[:-1], _guard(members[-1], behind)]).pieces()

    def expected(job: Job) -> int:
        plain = ZipPlan([*before, *stored]).nbytes(job)
        if not may_guard():
            return plain
        return plain - sum(m.nbytes for m in stored) + _expected(part.state, entries, job)

    return Plan(
        max(ZipPlan([*before, *members]).nbytes(job), ZipPlan([*before, *stored]).nbytes(job)),
        pieces,
        names,
        (*parts.left_behind(part), *parts.stripped(part)),
        expected=expected,
    )


def _member(state: State, member: Member, entry: TensorEntry) -> Member:
    if not entry.nbytes:
        return member

    deflated = partial(_deflated, state, entry)
    return member._replace(deflated=deflated, most=_most(entry))


def _deflated(state: State, entry: TensorEntry) -> Iterator[tuple[Buffer, Buffer]]:
    def work(block: _Block) -> tuple[Buffer, Buffer]:
        content = _content(state, block)
        return content, deflate(content)

    threads = default_threads() if entry.nbytes > BLOCK_BYTES else 1
    yield from in_order(_blocks(entry), work, Job(), threads)
    yield b"", _END


def _may_guard(state: State, last: TensorEntry, behind: int) -> bool:
    """Whether the last storage, were it not compressed, would reach beyond the end of the file.

    Parameters
    ----------
    state
        What is written.
    last
        The tensor of that storage.
    behind
        The bytes that stand behind it.
    """
    if last.nbytes > max(_TRIED_BYTES, 16 * behind):
        return True  # `_guard` looks at it again when it is written
    stored = sum(len(deflate(_content(state, block))) for block in _blocks(last)) + len(_END)
    return last.nbytes > stored + behind


def _guard(last: Member, behind: int) -> Member:
    """Return the last member, which refuses to be written if it does not guard the others."""

    def deflated() -> Iterator[tuple[Buffer, Buffer]]:
        stored = 0
        for piece, data in last.stored():
            stored += len(data)
            yield piece, data
        if last.nbytes <= stored + behind:
            raise ExportError(
                "These weights cannot be compressed, and so nothing would tell torch.load with "
                "mmap=True that it must not map this file.",
                remedy="Export as torch.",
            )

    return last._replace(deflated=deflated)


def _expected(state: State, entries: Sequence[TensorEntry], job: Job) -> int:
    blocks: list[_Block] = []
    guesses: list[float] = []
    for batch in job.cancel.batches(entries):
        for block in chain.from_iterable(map(_blocks, batch)):
            gone = state.zeroed(block.entry.name)
            kept = sampling.kept_in(gone, block.start, block.stop)
            blocks.append(block)
            guesses.append(64 + block.entry.dtype.nbytes(kept) + (block.stop - block.start) / 16)

    def measure(block: _Block) -> int:
        return len(deflate(_content(state, block)))

    return sampling.estimate(blocks, guesses, measure, job, _SAMPLE) + len(_END) * len(entries)


DEFLATED = Format(
    name="deflated",
    label="torch state dict, compressed",
    help=(
        "A torch file whose zeros take no room: torch.load reads it as it is, without another "
        "program. Reading takes longer, for everything is unpacked."
    ),
    suffixes=(".pt", ".pth"),
    plan=_plan,
    why_not=torch_zip.refuses,
    loaded_by=(Loader("torch.load", "torch 1.6", "without mmap=True; float8 since 2.1"),),
    does_not=(
        "Neither torch.load with mmap=True nor transformers loads it: they map plain files.",
        "It holds the tensors alone: what else was in the opened file is left behind.",
    ),
    one_file=True,
    load_code="""
def load(path):
    return torch.load(path, map_location="cpu", weights_only=True)  # without mmap
""",
)
