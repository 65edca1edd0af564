"""A plain torch state dict in the zip format, from nothing but tensors."""

from __future__ import annotations

from collections.abc import Sequence

from pruneapp.checkpoint.reader import Checkpoint
from pruneapp.export.declaration import Plan
from pruneapp.export.pickle_writer import StateDictPickle
from pruneapp.export.records import Record
from pruneapp.export.zip_writer import ALIGNMENT, Member, ZipPlan

# Of files that torch.save writes, the usual one first.
SUFFIXES = (".pt", ".pth", ".th", ".bin", ".ckpt")

# One name for all, so that the bytes do not depend on the name of the file.
_ROOT = "archive"


def refuses(checkpoint: Checkpoint) -> str:
    """Say why a torch file cannot hold `checkpoint`; empty if it can."""
    for entry in checkpoint.entries.values():
        if not entry.dtype.torch:
            return f"torch has no type {entry.dtype.label}, which '{entry.name}' has."
    return ""


def plan_state_dict(records: Sequence[Record], notices: tuple[str, ...] = ()) -> Plan:
    """Plan a zip archive with an OrderedDict of `records`, as `torch.save` writes it.

    Only the record ``.data/serialization_id`` is left out: it differs from one machine to the
    next, and nothing reads it.
    """
    stream = StateDictPickle()
    data = []
    for number, record in enumerate(records):
        key = str(number)
        stream.add((record.name, *record.aliases), key, record.dtype, record.shape)
        data.append(Member(f"{_ROOT}/data/{key}", record.nbytes, record.pieces))
    plan = ZipPlan(
        [
            Member.of(f"{_ROOT}/data.pkl", stream.finish()),
            Member.of(f"{_ROOT}/.format_version", b"1"),
            Member.of(f"{_ROOT}/.storage_alignment", str(ALIGNMENT).encode()),
            Member.of(f"{_ROOT}/byteorder", b"little"),
            *data,
            Member.of(f"{_ROOT}/version", b"3\n"),
        ]
    )
    names = {name: r.nbytes for r in records for name in (r.name, *r.aliases)}
    return Plan(plan.nbytes, plan.pieces, names, notices)
