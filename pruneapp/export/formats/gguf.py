"""The opened GGUF file with zeros for pruned weights.

Header, vocabulary and quantized tensors are copied byte for byte; only changed tensors are
replaced.
"""

from __future__ import annotations

from pruneapp.checkpoint.formats.gguf import GGUF
from pruneapp.checkpoint.formats.protobuf import Splice, SplicedFile
from pruneapp.errors import ExportError
from pruneapp.export.format import ExportPart, Format, Loader, Plan
from pruneapp.export.records import finalize, is_changed
from pruneapp.export.scripts import loading_code
from pruneapp.progress import Job


def _plan(part: ExportPart, job: Job) -> Plan:
    """Plan a copy of the opened GGUF file with the changed tensors, the planner of `GGUF_FILE`.

    Raises `ExportError` if the part combines several source files.
    """
    if part.source is None:
        raise ExportError(
            "A GGUF model of several files is written as several files.",
            remedy="Specify a folder, or merge the files first with llama-gguf-split --merge.",
        )
    splices = []
    for entry in job.cancel.each(part.entries):
        if not is_changed(part.state, entry.name):
            continue
        record, start = finalize(part.state, entry), entry.location.offset
        splices.append(Splice(start, start + record.nbytes, record.nbytes, record.pieces))
    spliced = SplicedFile(part.source, splices)
    names = {entry.name: entry.stored_bytes for entry in job.cancel.each(part.entries)}
    return Plan(spliced.nbytes, spliced.pieces, names, container=True)


GGUF_FILE = Format(
    name="gguf",
    label="GGUF, dense",
    help=(
        "The opened GGUF file with zeros where weights are pruned. Everything else is "
        "unchanged: vocabulary, settings and quantized tensors."
    ),
    suffixes=GGUF.suffixes,
    sources=frozenset({GGUF.name}),
    planner=_plan,
    only_from=(
        GGUF.name,
        "Available only if a GGUF file is open: other files contain no vocabulary or settings.",
    ),
    loaded_by=(Loader("llama.cpp", note="and any runtime that runs the original"),),
    does_not=(
        "Zeros do not reduce the size of a dense file.",
        "Pruned tensors are written unquantized: use llama-quantize on the export.",
    ),
    loads=loading_code.gguf,
    load_code="""
def load(path):
    import gguf

    tensors = {}
    for file in files_of(path, "*.gguf"):
        for tensor in gguf.GGUFReader(file).tensors:
            data = torch.frombuffer(bytearray(tensor.data.tobytes()), dtype=torch.uint8)
            shape = tuple(int(extent) for extent in reversed(tensor.shape))
            name = tensor.tensor_type.name
            known = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
            if name in known:
                tensors[tensor.name] = data.view(known[name]).reshape(shape)
            elif name == "F64":
                tensors[tensor.name] = data.view(torch.float64).reshape(shape)
            elif name in ("I8", "I16", "I32", "I64"):
                tensors[tensor.name] = data.view(getattr(torch, f"int{name[1:]}")).reshape(shape)
            else:
                values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
                tensors[tensor.name] = torch.from_numpy(values).reshape(shape)
    return tensors
""",
)
