"""NumPy arrays in an ``.npz`` archive for ``numpy.load``.

Dtypes that NumPy lacks (bfloat16, float8) are stored as raw bytes, ``V2`` and ``V1``, as for arrays
of ml_dtypes; the comment of the zip member names the dtype.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import attrgetter

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.formats.npz import MAGIC, MEMBER_SUFFIX, NPY, NPZ
from pruneapp.errors import counted
from pruneapp.export.format import ExportPart, Format, Loader, Plan
from pruneapp.export.formats.deflated import deflate, deflated_pieces, expected_bytes, max_bytes
from pruneapp.export.formats.zip_archive import Buffer, ZipMember, ZipPlan
from pruneapp.export.records import State, finalize
from pruneapp.export.rounding import DTYPE
from pruneapp.export.scripts import loading_code
from pruneapp.params import FlagParam
from pruneapp.progress import Job

COMPRESSED = FlagParam(
    name="compressed",
    label="Compress",
    help="Compress the arrays with DEFLATE, as numpy.savez_compressed does. Loading is slower.",
)
# Alignment of the data of an array in bytes, as in `numpy.lib.format`.
_ALIGNMENT = 64
_MAX_NAME = (1 << 16) - 1 - len(MEMBER_SUFFIX)


def _is_raw(dtype: DType) -> bool:
    """Return whether NumPy lacks the dtype, so that elements are stored as raw bytes."""
    return dtype.numpy.startswith(("bfloat", "float8"))


def _why_unsupported(checkpoint: Checkpoint) -> str:
    """Return why an archive of numpy cannot represent a checkpoint, as a sentence; "" if it can."""
    entries = checkpoint.entries.values()
    dtypes = set(map(attrgetter("dtype"), entries))
    if packed := {dtype for dtype in dtypes if not dtype.numpy or dtype.block}:
        entry = next(entry for entry in entries if entry.dtype in packed)
        return f"numpy has no type {entry.dtype.label}, which '{entry.name}' has."
    aliases = chain.from_iterable(map(attrgetter("aliases"), entries))
    names = [*map(attrgetter("name"), entries), *aliases]
    try:
        longest = max(map(len, map(str.encode, names)), default=0)
    except UnicodeEncodeError:
        return "A zip archive cannot store a tensor name that is not valid Unicode."
    if longest > _MAX_NAME:
        return f"A zip archive cannot store names of more than {_MAX_NAME:,} bytes."
    return ""


def header(dtype: DType, shape: tuple[int, ...]) -> bytes:
    """Return the bytes before the data of an .npy array in C order, padded to 64 bytes.

    Dtypes that NumPy lacks are declared as raw bytes, ``V2`` or ``V1``.
    """
    if _is_raw(dtype):
        descr = f"{'|' if dtype.bits == 8 else '<'}V{dtype.bits // 8}"
    else:
        descr = np.dtype(dtype.numpy).newbyteorder("<").str
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape!r}, }}"
    # A header would be too long only with more dimensions than NumPy supports.
    text += " " * (-(len(MAGIC) + 4 + len(text) + 1) % _ALIGNMENT) + "\n"
    return MAGIC + b"\x01\x00" + len(text).to_bytes(2, "little") + text.encode("ascii")


def _member(name: str, state: State, entry: TensorEntry, *, compressed: bool) -> ZipMember:
    """Return the archive member of a tensor under one of its names.

    Empty tensors are never compressed.
    """
    head, record = header(entry.dtype, entry.shape), finalize(state, entry)
    member = ZipMember(
        name + MEMBER_SUFFIX,
        len(head) + record.nbytes,
        lambda: chain((head,), record.pieces()),
        comment=entry.dtype.label if _is_raw(entry.dtype) else "",
    )
    if not compressed or not entry.nbytes:
        return member
    most = len(deflate(head)) + max_bytes(entry)
    return member._replace(deflated=partial(_deflated, head, state, entry), most=most)


def _deflated(head: bytes, state: State, entry: TensorEntry) -> Iterator[tuple[Buffer, Buffer]]:
    yield head, deflate(head)
    yield from deflated_pieces(state, entry)


def _plan(part: ExportPart, job: Job) -> Plan:
    """Plan an archive with one array for each name of each tensor, the planner of `NPZ_FILE`."""
    compressed = bool(part.values[COMPRESSED.name])
    members: list[ZipMember] = []
    entries: list[TensorEntry] = []
    for entry in job.cancel.each(part.entries):
        for name in entry.names:
            members.append(_member(name, part.state, entry, compressed=compressed))
            entries.append(entry)
    names = {
        member.name.removesuffix(MEMBER_SUFFIX): entry.nbytes
        for member, entry in job.cancel.each(zip(members, entries, strict=True))
    }
    plan = ZipPlan(members)
    planned = Plan(
        plan.nbytes(job), plan.pieces, names, (*_notices(part, job), *part.scale_notices())
    )
    if not compressed or not any(map(attrgetter("deflated"), members)):
        return planned

    def expected(job: Job) -> int:
        sizes = expected_bytes(part.state, part.entries, job)
        sized = [
            member._replace(most=member.most - max_bytes(entry) + sizes[entry.name])
            if member.deflated is not None
            else member
            for member, entry in job.cancel.each(zip(members, entries, strict=True))
        ]
        return ZipPlan(sized).nbytes(job)

    return replace(planned, expected=expected)


def _notices(part: ExportPart, job: Job) -> Iterator[str]:
    """Yield notices about tied tensors, stored several times, and dtypes that NumPy lacks."""
    tied = [entry for entry in job.cancel.each(part.entries) if entry.aliases]
    if tied:
        yield (
            f"An archive of numpy has no tied tensors: {counted(len(tied), 'tensor')} with several "
            f"names, such as '{tied[0].name}', {'is' if len(tied) == 1 else 'are'} stored under "
            "each name."
        )
    dtypes = set(map(attrgetter("dtype"), part.entries))
    raw = sorted(dtype.label for dtype in dtypes if _is_raw(dtype))
    if raw:
        yield (
            f"numpy has no {' and no '.join(raw)}: numpy.load returns raw bytes (V2 or V1), which "
            f"array.view(ml_dtypes.{raw[0]}) turns into numbers."
        )


NPZ_FILE = Format(
    name="npz",
    label="numpy archive",
    help=(
        "One array per tensor, with zeros, for programs that read numpy: numpy.load, JAX, MLX and "
        "others."
    ),
    suffixes=NPZ.suffixes,
    sources=frozenset({NPZ.name, NPY.name}),
    planner=_plan,
    params=(DTYPE, COMPRESSED),
    unsupported=_why_unsupported,
    loaded_by=(
        Loader("numpy.load", note="bfloat16 and float8 as raw bytes, for a view of ml_dtypes"),
        Loader("MLX, JAX", note="MLX reads V2 as bfloat16"),
    ),
    does_not=(
        "Zeros do not reduce the size unless the arrays are compressed.",
        "Contains only tensors. Tied tensors are stored once for each name.",
    ),
    one_file=True,
    loads=loading_code.npz,
    load_code="""
def load(path):
    import zipfile

    import numpy

    with zipfile.ZipFile(path) as archive:
        types = {info.filename[:-4]: info.comment.decode() for info in archive.infolist()}
    tensors = {}
    for name, array in numpy.load(path).items():
        if types[name]:
            data = torch.frombuffer(bytearray(array.tobytes()), dtype=torch.uint8)
            tensors[name] = data.view(getattr(torch, types[name])).reshape(array.shape)
        else:
            tensors[name] = torch.from_numpy(array)
    return tensors
""",
)
