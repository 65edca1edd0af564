"""Dense safetensors files, with zeros for pruned weights."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.dtypes import SAFETENSORS_DTYPES
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.formats import compact, safetensors
from pruneapp.errors import ExportError
from pruneapp.export.format import ExportPart, Format, Loader, Plan, Purpose
from pruneapp.export.records import TensorRecord, finalize
from pruneapp.export.rounding import DTYPE, RoundedState
from pruneapp.export.scripts import loading_code
from pruneapp.export.sharding import SHARD_SIZE
from pruneapp.params import validate_all
from pruneapp.progress import Job

_METADATA = "__metadata__"
# As in the reference implementation: no spaces, only mandatory escapes.
_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
# Source formats that have the order and metadata of a safetensors file.
LAID_OUT = frozenset({safetensors.SAFETENSORS.name, compact.FORMAT})


def plan_safetensors(
    records: Sequence[TensorRecord], metadata: Mapping[str, str], job: Job
) -> Plan:
    """Plan a safetensors file with `records` in this order.

    A tensor with several names is written under the first; the metadata maps the others to it, as
    in safetensors' `save_model`. Raises `ExportError` if a name is reserved or not valid Unicode,
    or the header would be too large. Dtypes are not checked, see `why_unsupported`.
    """
    header = _header(records, with_ties(records, metadata, job), job)
    names = {r.name: r.nbytes for r in job.cancel.each(records)}
    nbytes = len(header) + sum(names.values())

    def pieces() -> Iterator[bytes | memoryview]:
        yield header
        for record in records:
            yield from record.pieces()

    return Plan(nbytes, pieces, names)


def with_ties(
    records: Sequence[TensorRecord | TensorEntry], metadata: Mapping[str, str], job: Job
) -> dict[str, str]:
    """Return `metadata` with an entry for each alias of the records, which maps it to the name.

    Entries of the source that tie names which no longer exist (NAME_orig or NAME) are dropped.
    """
    ties = {alias: record.name for record in job.cancel.each(records) for alias in record.aliases}
    names = {record.name for record in job.cancel.each(records)}
    # Entries of the source that refer to names which no longer exist (NAME_orig) are dropped.
    current = {k: v for k, v in metadata.items() if k in ties or not _ends_tie(k, v, names)}
    return {**current, **ties}


def _ends_tie(key: str, value: str, names: set[str]) -> bool:
    for suffix in ("_orig", "_mask"):
        if key.endswith(suffix) and value.endswith(suffix):  # NAME_orig became NAME
            return value not in names and value.removesuffix(suffix) in names
    return value not in names and value + "_orig" in names  # NAME became NAME_orig


def json_object(items: Iterable[tuple[str, object]], job: Job) -> str:
    """Return a JSON object as `_json` does, checking for cancellation between batches."""
    inside = (_json(dict(batch))[1:-1] for batch in job.cancel.batches(items))
    return f"{{{','.join(inside)}}}"


def _header(records: Sequence[TensorRecord], metadata: Mapping[str, str], job: Job) -> bytes:
    """Return the length and the header of a file. Raises `ExportError`, see `plan_safetensors`."""
    items = [f'"{_METADATA}":{_json(dict(metadata))}'] if metadata else []
    offset = 0
    for record in job.cancel.each(records):
        if record.name == _METADATA:
            raise ExportError(
                f"safetensors cannot contain a tensor named '{_METADATA}': the format reserves "
                "this name.",
                remedy="Export as torch.",
            )
        shape = ",".join(map(str, record.shape))
        end = offset + record.nbytes
        items.append(
            f'{_json(record.name)}:{{"dtype":"{record.dtype.name}","shape":[{shape}],'
            f'"data_offsets":[{offset},{end}]}}'
        )
        offset = end
    try:
        text = f"{{{','.join(items)}}}".encode()
    except UnicodeEncodeError as error:
        raise ExportError(
            "safetensors cannot store a tensor name that is not valid Unicode.",
            remedy="Export as torch.",
            details=str(error),
        ) from None
    text += b" " * (-len(text) % 8)
    if len(text) > safetensors.MAX_HEADER_BYTES:
        raise ExportError(
            f"The file has too many tensors for safetensors: the header would be {len(text):,} "
            f"bytes long, at most {safetensors.MAX_HEADER_BYTES:,} are allowed.",
            remedy="Export as torch.",
        )
    return struct.pack("<Q", len(text)) + text


def sort_entries(part: ExportPart, job: Job) -> list[TensorEntry]:
    """Return the tensors in the order of a safetensors file.

    This is the order of the source, unless elements from a torch file would not be aligned, which
    some readers reject. Then the widest dtypes come first, as in the reference implementation.
    """
    entries = _sort_as_source(part, job)
    if isinstance(part.state, RoundedState):  # the widths have changed
        entries.sort(key=attrgetter("dtype.bits"), reverse=True)
    return entries


def _sort_as_source(part: ExportPart, job: Job) -> list[TensorEntry]:
    """Return the tensors in the order of the source, or by width if they would not be aligned.

    See `sort_entries`; rounding is not considered.
    """
    if part.checkpoint.format in LAID_OUT:
        return sorted(part.entries, key=attrgetter("location.source", "location.offset"))
    opened = part.checkpoint.entries
    offset = 0
    for entry in job.cancel.each(part.entries):
        dtype = opened[entry.name].dtype
        if offset % max(dtype.bits // 8, 1):
            return sorted(part.entries, key=lambda e: opened[e.name].dtype.bits, reverse=True)
        offset += dtype.nbytes(entry.numel)
    return list(part.entries)


def metadata_for(part: ExportPart) -> dict[str, str]:
    """Return the metadata of a safetensors file of this part.

    It is that of a safetensors or compact source, with a new provenance; metadata of other formats
    is dropped. Without a ``format`` it is ``pt``, because transformers 4 rejects files whose
    metadata lacks it.
    """
    kept = part.metadata if part.checkpoint.format in LAID_OUT else {}
    return part.texts(kept if "format" in kept else {"format": "pt", **kept})


def dense_part(part: ExportPart, *, packed: bool = False) -> ExportPart:
    """Return the part of the dense file inside a compressed one; `packed` for a compact file."""
    values = validate_all(SAFETENSORS.params, {DTYPE.name: part.values[DTYPE.name]})
    part = replace(part, format=SAFETENSORS.name, values=values)
    if packed and part.provenance is not None:  # verified files may lack parameters
        return replace(part, provenance=replace(part.provenance, parameters=None))
    return part


def why_unsupported(checkpoint: Checkpoint) -> str:
    """Return why safetensors cannot represent a checkpoint, as a sentence; "" if it can."""
    entries = checkpoint.entries.values()
    other = set(map(attrgetter("dtype.name"), entries)) - SAFETENSORS_DTYPES
    if other:
        entry = next(entry for entry in entries if entry.dtype.name in other)
        return f"safetensors has no type {entry.dtype.label}, which '{entry.name}' has."
    if _METADATA in checkpoint.entries:
        return f"safetensors reserves the name '{_METADATA}', which a tensor has."
    try:
        "".join(map(attrgetter("name"), entries)).encode()
        "".join(chain.from_iterable(map(attrgetter("aliases"), entries))).encode()
    except UnicodeEncodeError:
        return "safetensors cannot store a tensor name that is not valid Unicode."
    return ""


def _plan(part: ExportPart, job: Job) -> Plan:
    records = [finalize(part.state, entry) for entry in job.cancel.each(sort_entries(part, job))]
    plan = plan_safetensors(records, metadata_for(part), job)
    return replace(plan, notices=part.scale_notices())


SAFETENSORS = Format(
    name="safetensors",
    label="safetensors, dense",
    help="Weights with zeros where they are pruned. The most compatible format.",
    suffixes=(".safetensors",),
    planner=_plan,
    params=(DTYPE, SHARD_SIZE),
    unsupported=why_unsupported,
    instead="torch",
    loaded_by=(
        Loader("safetensors", note="and libraries built on it"),
        Loader(
            "transformers",
            note="with a config.json that names one of its classes; tested with 5.23",
        ),
        Loader("torch", note="with safetensors.torch.load_file"),
        Loader("TensorRT, OpenVINO", note="detect zeros themselves"),
    ),
    does_not=("Zeros do not reduce the size of a dense file.",),
    good_for={Purpose.TRANSFORMERS: "Loads from a folder that contains config.json."},
    loads=loading_code.safetensors,
    load_code="""
def load(path):
    from safetensors.torch import load_file

    return {n: t for file in files_of(path, "*.safetensors") for n, t in load_file(file).items()}
""",
)
