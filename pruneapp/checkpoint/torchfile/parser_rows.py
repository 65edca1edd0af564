"""Reading the headers of a torch file in the process that parses large headers.

What crosses between the processes are plain values: a row a tensor, and the rest.
"""

from __future__ import annotations

from typing import Any

from pruneapp.checkpoint.contents import Contents, Notice, StateDict
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import Location, TensorEntry, make_entries
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.torchfile.dense_layout import Flipped, Held, Rebuilt
from pruneapp.checkpoint.torchfile.sources import Matrix, PackedMember, Span
from pruneapp.checkpoint.torchfile.to_contents import TorchIndex
from pruneapp.progress import CancelToken, Job

Rows = tuple[list[Any], tuple[Any, ...]]


def index_elsewhere(
    source: FileSource, reader: str, state_dict: str | None, job: Job
) -> TorchIndex:
    """Read the headers of an open file in another process.

    Raises
    ------
    CheckpointError
        What the reader raises there, or `FileChangedError`.
    """
    from pruneapp.checkpoint import parser_client

    rows, rest = parser_client.parse_torch(str(source.path), reader, state_dict, job)
    source.verify_unchanged()
    return from_rows(rows, rest, job.cancel)


def to_rows(index: TorchIndex) -> Rows:
    """Return an index as plain values."""
    contents = index.contents
    rows: list[Any] = [
        (
            "tensor",
            e.name,
            e.shape,
            e.dtype.name,
            (e.location.source, e.location.offset, e.location.strides, e.location.storage),
            e.aliases,
            e.why_not,
        )
        for e in contents.entries
    ]
    rows.extend(("span", s.start, s.stop, s.crc, s.label) for s in index.spans)
    rows.extend(("packed", p.start, p.size, p.data, p.stored, p.crc, p.label) for p in index.packed)
    rows.extend(map(_row_of, index.rebuilt))
    rest = (
        contents.format,
        contents.label,
        tuple((notice.text, notice.details) for notice in contents.notices),
        tuple((one.key, one.tensors, one.numel) for one in contents.state_dicts),
        contents.state_dict,
        contents.unknown_globals,
        dict(contents.unreadable),
        dict(contents.traits),
        dict(contents.parts),
        contents.others,
        contents.beside,
    )
    return rows, rest


def _row_of(one: Rebuilt) -> tuple[Any, ...]:
    if isinstance(one, Held):
        return "held", one.name, one.data
    if isinstance(one, Flipped):
        return "flipped", one.name, tuple(one.where), one.size, one.itemsize, one.flips
    plain = one.name, one.rows, one.columns, one.count, one.itemsize, one.index
    return "matrix", *plain, tuple(one.crow), tuple(one.col), tuple(one.values)


def _rebuilt_of(row: tuple[Any, ...]) -> Rebuilt:
    if row[0] == "held":
        return Held(*row[1:])
    if row[0] == "flipped":
        return Flipped(row[1], Location._make(row[2]), *row[3:])
    return Matrix(*row[1:7], *map(Location._make, row[7:]))


def from_rows(rows: list[Any], rest: tuple[Any, ...], cancel: CancelToken) -> TorchIndex:
    """Return the index that `to_rows` was given."""
    entries: list[TensorEntry] = []
    spans: list[Span] = []
    packed: list[PackedMember] = []
    rebuilt: list[Rebuilt] = []
    for batch in cancel.batches(rows):
        tensors = [row[1:] for row in batch if row[0] == "tensor"]
        if tensors:
            names, shapes, dtypes, locations, aliases, why_not = zip(*tensors, strict=True)
            entries += make_entries(
                names,
                shapes,
                map(DTYPES.__getitem__, dtypes),
                map(Location._make, locations),
                aliases=aliases,
                why_not=why_not,
            )
        spans += [Span(*row[1:]) for row in batch if row[0] == "span"]
        packed += [PackedMember(*row[1:]) for row in batch if row[0] == "packed"]
        rebuilt += [_rebuilt_of(row) for row in batch if row[0] in {"held", "flipped", "matrix"}]
    word, label, notices, state_dicts, state_dict, unknown, *found = rest
    unreadable, traits, parts, others, beside = found
    contents = Contents(
        format=word,
        label=label,
        entries=tuple(entries),
        metadata={},
        notices=tuple(Notice(*notice) for notice in notices),
        state_dicts=tuple(StateDict(*one) for one in state_dicts),
        state_dict=state_dict,
        unknown_globals=unknown,
        unreadable=unreadable,
        traits=traits,
        parts=parts,
        others=others,
        beside=beside,
    )
    return TorchIndex(contents, tuple(spans), tuple(packed), tuple(rebuilt))
