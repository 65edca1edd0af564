"""The opened ONNX model with zeros for pruned weights.

Everything else is copied byte for byte. External data is moved into the model file, unless it
exceeds 2 GiB; then all external data is written to one new file. Pruned tensors in a typed field of
variable length (float16 in ``int32_data``) are written as raw data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from typing import NamedTuple

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats import onnx
from pruneapp.checkpoint.formats.headers import show
from pruneapp.checkpoint.formats.onnx import (
    DATA,
    EXTERNAL,
    LOCATION,
    RAW,
    StoredTensor,
    read_layout,
)
from pruneapp.checkpoint.formats.protobuf import (
    VARINT,
    Message,
    Splice,
    SplicedFile,
    prefix,
    varint_bytes,
)
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.parser_client import read_in_pieces
from pruneapp.errors import ExportError
from pruneapp.export.format import ExportPart, Format, Loader, Plan
from pruneapp.export.records import Pieces, finalize, is_changed
from pruneapp.export.scripts import loading_code
from pruneapp.progress import Job

# Maximum size of a protocol buffer, whose sizes are signed 32-bit integers.
MOST_BYTES = (1 << 31) - 1
# Alignment of tensors in a file of external data, in bytes.
ALIGNMENT = 64


def _plan(part: ExportPart, job: Job) -> Plan:
    """Plan a copy of the opened model with the changed tensors, the planner of `ONNX_FILE`.

    All external data is moved into the model, or into a new file in `Plan.parts` if the model would
    exceed 2 GiB. Raises `ExportError` if it would without external data, or if external data that
    is copied unchanged cannot be found.
    """
    source = part.checkpoint.files[0]
    entries = {entry.name: entry for entry in part.entries}
    splices: list[Splice] = []
    external: list[_NewNumbers] = []
    layout = read_layout(source, job)
    for stored in job.cancel.each((*layout.tensors, *layout.hidden)):
        entry = None if stored.unreadable else entries.get(stored.name)
        if entry is None:
            if stored.external:
                external.append(_copied_data(part.checkpoint, stored))
            continue
        record = finalize(part.state, entry)
        if stored.external:
            external.append(_NewNumbers(stored, entry.nbytes, record.pieces))
        elif not entry.numel:
            continue
        elif is_changed(part.state, entry.name):
            data = stored.data
            assert data is not None  # the tensor is not empty
            if data.size == entry.nbytes and not stored.is_varint:
                splices.append(Splice(data.start, data.stop, data.size, record.pieces))
            else:
                splices.append(
                    _write_inline(_NewNumbers(stored, entry.nbytes, record.pieces), source)
                )
    inlined = SplicedFile(source, [*splices, *(_write_inline(each, source) for each in external)])
    names = {entry.name: entry.nbytes for entry in job.cancel.each(part.entries)}
    if inlined.nbytes <= MOST_BYTES:
        return Plan(inlined.nbytes, inlined.pieces, names, _moved_notices(external), container=True)
    if not external:
        raise ExportError(
            f"An ONNX model has at most {MOST_BYTES:,} bytes, and this one would have "
            f"{inlined.nbytes:,}.",
            remedy="Save the original with external data, and open that.",
        )
    data_file = data_name(part)
    outside, offsets = data_plan([(each.nbytes, each.pieces) for each in external])
    for each, offset in zip(external, offsets, strict=True):
        splices.append(_write_external(each, source, data_file, offset))
    spliced = SplicedFile(source, splices)
    notice = (
        f"The numbers are in '{data_file}' next to the file: a model of more than "
        f"{MOST_BYTES:,} bytes cannot be one file."
    )
    return Plan(
        spliced.nbytes, spliced.pieces, names, (notice,), container=True, parts={data_file: outside}
    )


class _NewNumbers(NamedTuple):
    """A tensor of the source and its new data."""

    stored: StoredTensor
    nbytes: int
    pieces: Pieces


def _moved_notices(external: Sequence[_NewNumbers]) -> tuple[str, ...]:
    if not external:
        return ()
    files = dict.fromkeys(each.stored.external.get("location", "") for each in external)
    names = ", ".join(f"'{name}'" for name in files)
    return (f"The numbers that were in {names} are inside the file now.",)


def _copied_data(checkpoint: Checkpoint, stored: StoredTensor) -> _NewNumbers:
    """Return the unchanged data of an external tensor that Pruneapp cannot interpret.

    Raises `ExportError` if its size is unknown, or its file is not open.
    """
    model = checkpoint.files[0].path
    place, length = stored.external.get("location", ""), stored.external.get("length", "")
    offset = stored.external.get("offset", "") or "0"
    opened = next((file for file in checkpoint.files if file.path == model.parent / place), None)
    known = offset.isdecimal() and length.isdecimal()
    if opened is None or not known or int(offset) + int(length) > opened.size:
        raise ExportError(
            f"'{show(stored.name)}' of '{model}' is in '{show(place)}' and cannot be copied: "
            f"{stored.unreadable}.",
            remedy="Export as safetensors.",
        )
    read, start, nbytes = opened.read, int(offset), int(length)
    return _NewNumbers(stored, nbytes, lambda: map(memoryview, read_in_pieces(read, start, nbytes)))


def data_name(part: ExportPart) -> str:
    """Return the name of the file for the external data of a model: ``NAME.data``.

    ``NAME`` is that of the exported file if known, otherwise of the opened one. If an opened file
    has the name, it is ``NAME.1.data``, and so on, because the original, which is kept, refers to
    its data.
    """
    opened = {file.path.name for file in part.checkpoint.files}
    stem = part.name or part.checkpoint.path.name
    names = chain((f"{stem}.data",), (f"{stem}.{number}.data" for number in count(2)))
    return next(name for name in names if name not in opened)


def data_plan(tensors: Iterable[tuple[int, Pieces]]) -> tuple[Plan, list[int]]:
    """Plan a file of external data, in which each tensor begins at a multiple of 64 bytes.

    Return the plan and the offset of each tensor. `tensors` are the size of each tensor in bytes
    and its data.
    """
    placed: list[tuple[int, int, Pieces]] = []
    end = 0
    for nbytes, pieces in tensors:
        start = -(-end // ALIGNMENT) * ALIGNMENT
        end = start + nbytes
        placed.append((start, nbytes, pieces))

    def write_pieces() -> Iterator[bytes | memoryview]:
        at = 0
        for start, nbytes, pieces in placed:
            yield bytes(start - at)
            yield from pieces()
            at = start + nbytes

    return Plan(end, write_pieces, {}, container=True), [start for start, _, _ in placed]


def _write_inline(new: _NewNumbers, source: FileSource) -> Splice:
    """Return the change that writes the data of a tensor into its message."""
    return _rewrite_message(new, source, prefix(RAW, new.nbytes), new.nbytes, new.pieces)


def _write_external(new: _NewNumbers, source: FileSource, place: str, offset: int) -> Splice:
    """Return the change that makes a tensor refer to data in the file `place`, at byte `offset`.

    Data inside of the message is removed.
    """
    pairs = b"".join(
        prefix(EXTERNAL, len(pair)) + pair
        for key, value in (("location", place), ("offset", offset), ("length", new.nbytes))
        for pair in [_text(1, key) + _text(2, str(value))]
    )
    location = varint_bytes(LOCATION << 3 | VARINT) + varint_bytes(1)
    return _rewrite_message(new, source, pairs + location, 0, lambda: iter(()))


def _text(number: int, text: str) -> bytes:
    data = text.encode()
    return prefix(number, len(data)) + data


def _rewrite_message(
    new: _NewNumbers, source: FileSource, head: bytes, nbytes: int, pieces: Pieces
) -> Splice:
    """Return the change that replaces the data in the message of a tensor.

    Old data and references are removed; `head`, and `nbytes` bytes from `pieces`, are appended.
    """
    stored = new.stored
    message = Message(source, "an ONNX model")
    kept = b"".join(
        message.read(part.tag, part.stop)
        for part in message.fields(stored.field.start, stored.field.stop)
        if part.number not in {EXTERNAL, LOCATION} | DATA
    )
    start = kept + head
    return Splice(
        stored.field.start,
        stored.field.stop,
        len(start) + nbytes,
        lambda: chain((start,), pieces()),
        (*stored.inside, stored.field),
    )


ONNX_FILE = Format(
    name="onnx",
    label="ONNX, dense",
    help=(
        "The opened ONNX model with zeros where weights are pruned. Everything else is "
        "unchanged; external data is moved into the file, or into one new file if the model has "
        "more than 2 GiB."
    ),
    suffixes=onnx.ONNX.suffixes,
    planner=_plan,
    only_from=(
        onnx.ONNX.name,
        "Available only if an ONNX model is open: other files contain no graph.",
    ),
    loaded_by=(Loader("ONNX Runtime", note="and any runtime that runs the original"),),
    does_not=("Zeros do not reduce the size of a dense file.",),
    sources=frozenset({onnx.ONNX.name}),
    one_file=True,
    loads=loading_code.onnx,
    load_code="""
def load(path):
    import onnx

    graph = onnx.load(path).graph
    found = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.name == "value":
                found[node.output[0]] = attribute.t
    tensors = {}
    for name, tensor in found.items():
        array = onnx.numpy_helper.to_array(tensor)
        if hasattr(torch, array.dtype.name):
            kind = getattr(torch, array.dtype.name)
            data = torch.frombuffer(bytearray(array.tobytes()), dtype=torch.uint8)
            tensors[name] = data.view(kind).reshape(array.shape)
    return tensors
""",
)
