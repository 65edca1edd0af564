"""An ONNX model as it was opened, with zeros where its weights are pruned.

Everything else stays byte for byte. Only numbers that were in files beside the model come into it,
as far as a message of protocol buffers has room: no second file, which would have to be kept with
it, and whose name the original has.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats import onnx
from pruneapp.checkpoint.formats.headers import show
from pruneapp.checkpoint.formats.onnx import EXTERNAL, LOCATION, RAW, StoredTensor, read_layout
from pruneapp.checkpoint.formats.protobuf import Message, Splice, SplicedFile, prefix
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import ExportError
from pruneapp.export.format import ExportPart, Format, Plan
from pruneapp.export.records import Pieces, finalized
from pruneapp.export.scripts import loading_code
from pruneapp.progress import Job
from pruneapp.results.export import Loader

# Protocol buffers count in signed numbers of 32 bits.
MOST_BYTES = (1 << 31) - 1


def _why_not(checkpoint: Checkpoint) -> str:
    if checkpoint.format == onnx.ONNX.name:
        return ""
    return "Only an ONNX model can be written as one: no other file has its graph."


def _plan(part: ExportPart, _values: Mapping[str, Any], job: Job) -> Plan:
    if reason := _why_not(part.checkpoint):
        raise ExportError(reason, remedy="Export as safetensors.")
    source = part.checkpoint.files[0]
    entries = {entry.name: entry for entry in part.entries}
    splices: list[Splice] = []
    moved: list[str] = []
    layout = read_layout(source, job)
    for stored in (*layout.tensors, *layout.hidden):
        if stored.unreadable and stored.external:
            raise ExportError(
                f"'{show(stored.name)}' of '{source.path}' lies in a file beside it, and cannot be "
                f"read: {stored.unreadable}.",
                remedy="Export as safetensors.",
            )
    for stored in job.cancel.each(layout.tensors):
        entry = entries.get(stored.name)
        if entry is None or not entry.numel:
            continue
        record = finalized(part.state, entry)
        if stored.external:
            splices.append(_taken_in(stored, source, record.pieces))
            moved.append(stored.external.get("location", ""))
        elif part.state.zeroed(entry.name) is not None or part.state.replaces(entry.name):
            assert stored.data is not None  # it is no varint: those are not pruned
            data = stored.data
            splices.append(Splice(data.start, data.stop, data.size, record.pieces))
    spliced = SplicedFile(source, splices)
    if spliced.nbytes > MOST_BYTES:
        raise ExportError(
            f"An ONNX model has at most {MOST_BYTES:,} bytes, and with the numbers that are in "
            f"files beside it this one would have {spliced.nbytes:,}.",
            remedy="Export as safetensors.",
        )
    notices: tuple[str, ...] = ()
    if moved:
        names = ", ".join(f"'{name}'" for name in dict.fromkeys(moved))
        notices = (f"The numbers that were in {names} are inside the file now.",)
    names_of = {entry.name: entry.nbytes for entry in job.cancel.each(part.entries)}
    return Plan(spliced.nbytes, spliced.pieces, names_of, notices, container=True)


def _taken_in(stored: StoredTensor, source: FileSource, pieces: Pieces) -> Splice:
    """Put the numbers of a tensor inside of it, in place of the file that they are in."""
    message = Message(source, "an ONNX model")
    kept = b"".join(
        message.read(part.tag, part.stop)
        for part in message.fields(stored.field.start, stored.field.stop)
        if part.number not in {EXTERNAL, LOCATION}
    )
    head = kept + prefix(RAW, stored.nbytes)
    return Splice(
        stored.field.start,
        stored.field.stop,
        len(head) + stored.nbytes,
        lambda: chain((head,), pieces()),
        (*stored.inside, stored.field),
    )


ONNX_FILE = Format(
    name="onnx",
    label="ONNX, dense",
    help=(
        "The opened ONNX model with zeros where it is pruned. Everything else in it stays as it "
        "is; data in files beside the model is moved into it."
    ),
    suffixes=onnx.ONNX.suffixes,
    planner=_plan,
    why_not=_why_not,
    loaded_by=(Loader("ONNX Runtime", note="and whatever runs the original"),),
    does_not=("Zeros do not reduce the size of a dense file.",),
    keeps=lambda checkpoint: not _why_not(checkpoint),
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
