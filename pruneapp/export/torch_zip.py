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
VERSION = Member.of(f"{_ROOT}/version", b"3\n")


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
    data = [
        Member(member_name(number), record.nbytes, record.pieces)
        for number, record in enumerate(records)
    ]
    plan = ZipPlan([*about(records), *data, VERSION])
    return Plan(plan.nbytes, plan.pieces, names_of(records), notices)


def member_name(number: int) -> str:
    """Return the name in the archive of the elements of the tensor with this number."""
    return f"{_ROOT}/data/{number}"


def about(records: Sequence[Record]) -> list[Member]:
    """Return what stands before the elements: the pickle that names them, and what it needs."""
    stream = StateDictPickle()
    for number, record in enumerate(records):
        stream.add((record.name, *record.aliases), str(number), record.dtype, record.shape)
    return [
        Member.of(f"{_ROOT}/data.pkl", stream.finish()),
        Member.of(f"{_ROOT}/.format_version", b"1"),
        Member.of(f"{_ROOT}/.storage_alignment", str(ALIGNMENT).encode()),
        Member.of(f"{_ROOT}/byteorder", b"little"),
    ]


def names_of(records: Sequence[Record]) -> dict[str, int]:
    """Return the bytes of every tensor, under each of its names."""
    return {name: r.nbytes for r in records for name in (r.name, *r.aliases)}
