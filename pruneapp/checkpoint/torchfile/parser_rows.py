"""The index of a torch file as plain values, in which it comes from the process that parses it."""

from __future__ import annotations

from dataclasses import astuple
from operator import attrgetter
from typing import Any

from pruneapp.checkpoint.contents import Contents, Notice, StateDict
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import Location, TensorEntry, make_entries
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.torchfile.sources import (
    Flipped,
    InlineArray,
    Matrix,
    PackedMember,
    Rebuilt,
    Span,
)
from pruneapp.checkpoint.torchfile.to_contents import TorchIndex
from pruneapp.progress import CancelToken, Job

Rows = tuple[list[Any], dict[str, Any]]
_KINDS: dict[str, Any] = {
    kind.__name__: kind for kind in (Span, PackedMember, Matrix, Flipped, InlineArray)
}
_VALUES = {kind: attrgetter(*kind.__slots__) for kind in _KINDS.values()}
# Fields of the contents that are plain values already.
_PLAIN = (
    "format", "label", "state_dict", "unknown_globals", "unreadable", "traits", "parts", "others",
    "beside",
)  # fmt: skip


def index_elsewhere(
    source: FileSource, reader: str, state_dict: str | None, job: Job
) -> TorchIndex:
    """Read the headers of an open file, of the format `reader`, in another process.

    Raises what the reader raises there, or `FileChangedError`.
    """
    from pruneapp.checkpoint import parser_client

    rows, rest = parser_client.parse_torch(str(source.path), reader, state_dict, job)
    source.verify_unchanged()
    return from_rows(rows, rest, job.cancel)


def to_rows(index: TorchIndex) -> Rows:
    """Return an index as plain values: a row a tensor, a row a part of the file, and the rest."""
    contents = index.contents
    rows: list[Any] = [
        ("tensor", e.name, e.shape, e.dtype.name, tuple(e.location), e.aliases, e.why_not)
        for e in contents.entries
    ]
    parts = (*index.spans, *index.packed)
    rows += [(type(part).__name__, *_VALUES[type(part)](part)) for part in parts]
    for one in index.rebuilt:
        *values, locations = _VALUES[type(one)](one)
        rows.append((type(one).__name__, *values, tuple(map(tuple, locations))))
    rest = {name: getattr(contents, name) for name in _PLAIN}
    rest["notices"] = tuple(map(astuple, contents.notices))
    rest["state_dicts"] = tuple(map(astuple, contents.state_dicts))
    return rows, rest


def from_rows(rows: list[Any], rest: dict[str, Any], cancel: CancelToken) -> TorchIndex:
    """Return the index that `to_rows` was given."""
    entries: list[TensorEntry] = []
    parts: list[Any] = []
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
        parts += [_part(*row) for row in batch if row[0] != "tensor"]
    notices = tuple(Notice(*notice) for notice in rest["notices"])
    dicts = tuple(StateDict(*one) for one in rest["state_dicts"])
    plain = {name: rest[name] for name in _PLAIN}
    return TorchIndex(
        Contents(entries=tuple(entries), metadata={}, notices=notices, state_dicts=dicts, **plain),
        tuple(part for part in parts if isinstance(part, Span)),
        tuple(part for part in parts if isinstance(part, PackedMember)),
        tuple(part for part in parts if isinstance(part, Rebuilt)),
    )


def _part(kind: str, *values: Any) -> Span | PackedMember | Rebuilt:
    if issubclass(_KINDS[kind], Rebuilt):
        values = (*values[:-1], tuple(map(Location._make, values[-1])))
    part: Span | PackedMember | Rebuilt = _KINDS[kind](*values)
    return part
