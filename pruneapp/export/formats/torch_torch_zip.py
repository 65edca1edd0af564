"""A plain torch state dict in the zip format, from nothing but tensors."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.errors import ExportError
from pruneapp.export.format import ExportPart, Plan
from pruneapp.export.formats.zip_archive import ALIGNMENT, Member, ZipPlan
from pruneapp.export.formats.zip_archive_pickle_writer import StateDictPickle
from pruneapp.export.records import TensorRecord
from pruneapp.progress import Job

# Of files that torch.save writes, the usual one first.
SUFFIXES = (".pt", ".pth", ".th", ".bin", ".ckpt")

# One name for all, so that the bytes do not depend on the name of the file.
_ROOT = "archive"
VERSION = Member.of(f"{_ROOT}/version", b"3\n")


def refuses(checkpoint: Checkpoint) -> str:
    """Say why a torch file cannot hold `checkpoint`; empty if it can."""
    entries = checkpoint.entries.values()
    if all(dtype.torch for dtype in set(map(attrgetter("dtype"), entries))):
        return ""
    entry = next(entry for entry in entries if not entry.dtype.torch)
    return f"torch has no type {entry.dtype.label}, which '{entry.name}' has."


def refuse(part: ExportPart, kind: str, loss: str) -> None:
    """Refuse a part that a torch file cannot hold, and the suffix that transformers looks for.

    Parameters
    ----------
    part
        What is to be written.
    kind
        What sort of torch file it will be: "A compressed torch file".
    loss
        What would become of one that is called .bin, as a clause.

    Raises
    ------
    ExportError
        If it may not be written.
    """
    if reason := refuses(part.checkpoint):
        raise ExportError(reason, remedy="Export as safetensors.")
    if part.suffix == ".bin":
        raise ExportError(
            f"{kind} cannot have the suffix .bin: {loss}.", remedy="Use the suffix .pt."
        )


def plan_state_dict(
    records: Sequence[TensorRecord], job: Job, notices: tuple[str, ...] = ()
) -> Plan:
    """Plan a zip archive with an OrderedDict of `records`, as `torch.save` writes it.

    Only the record ``.data/serialization_id`` is left out: it differs from one machine to the
    next, and nothing reads it. Looks at the job.
    """
    batches = job.cancel.batches(enumerate(records))
    data = [member(number, record) for batch in batches for number, record in batch]
    plan = ZipPlan([*about(records, job), *data, VERSION])
    return Plan(plan.nbytes(job), plan.pieces, names_of(records, job), notices)


def member_name(number: int) -> str:
    """Return the name in the archive of the elements of the tensor with this number."""
    return f"{_ROOT}/data/{number}"


def member(number: int, record: TensorRecord) -> Member:
    """Return the elements of the tensor with this number as a file in the archive."""
    return Member(member_name(number), record.nbytes, record.pieces)


def about(records: Sequence[TensorRecord], job: Job) -> list[Member]:
    """Return what stands before the elements: the pickle that names them, and what it needs."""
    stream = StateDictPickle()
    for batch in job.cancel.batches(enumerate(records)):
        for number, record in batch:
            stream.add((record.name, *record.aliases), str(number), record.dtype, record.shape)
    return before(stream)


def before(stream: StateDictPickle) -> list[Member]:
    """Return what stands before the elements of the tensors that a finished pickle names."""
    return [
        Member.of(f"{_ROOT}/data.pkl", stream.finish()),
        Member.of(f"{_ROOT}/.format_version", b"1"),
        Member.of(f"{_ROOT}/.storage_alignment", str(ALIGNMENT).encode()),
        Member.of(f"{_ROOT}/byteorder", b"little"),
    ]


def names_of(records: Sequence[TensorRecord], job: Job) -> dict[str, int]:
    """Return the bytes of every tensor, under each of its names."""
    batches = job.cancel.batches(records)
    return {name: r.nbytes for batch in batches for r in batch for name in (r.name, *r.aliases)}
