"""The opened pickle of arrays with zeros for pruned weights.

Everything else is copied byte for byte. The pickle is never loaded, so its code never runs.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry, c_strides
from pruneapp.checkpoint.formats.protobuf import Splice, SplicedFile
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.torchfile import PICKLE
from pruneapp.checkpoint.torchfile.plain_pickle import PickleFile
from pruneapp.checkpoint.torchfile.torch_objects import IN_PICKLE, Array, translate_errors
from pruneapp.errors import ExportError
from pruneapp.export.format import ExportPart, Format, Loader, Plan
from pruneapp.export.formats.torch import find_shared_tensor
from pruneapp.export.records import State, finalize, is_changed
from pruneapp.export.scripts import loading_code
from pruneapp.progress import Job


def _why_unsupported(checkpoint: Checkpoint) -> str:
    """Return why a pickle cannot be written again, as a sentence; "" if it can."""
    contents = checkpoint.contents
    if contents.code_globals:
        names = ", ".join(contents.code_globals[:3])
        return f"Loading '{checkpoint.path}' would run code ({names}), so it is not written again."
    if contents.masks:
        return "Pairs of NAME_orig and NAME_mask cannot become NAME in a pickle."
    return ""


def _plan(part: ExportPart, job: Job) -> Plan:
    """Plan a copy of the opened pickle with the changed arrays, the planner of `PICKLE_FILE`.

    Raises `ExportError` if a changed array shares its data with another, or the part combines
    several source files.
    """
    state = part.state
    if part.source is None:
        raise ExportError("It comes from several files.", remedy="Export as safetensors.")
    changed = [
        entry
        for entry in job.cancel.each(part.entries)
        if entry.numel and is_changed(state, entry.name)
    ]
    shared = find_shared_tensor(part.entries, frozenset(entry.name for entry in changed), job)
    machine = PickleFile(part.source, job.cancel)
    if any(entry.location.storage.startswith(IN_PICKLE) for entry in changed):
        with translate_errors(part.source.path):
            machine.parse()
    arrays = {array.key: array for array in machine.arrays}
    splices = [_splice(part.source, state, entry, machine, arrays) for entry in changed]
    if shared or None in splices:
        name = shared or changed[splices.index(None)].name
        raise ExportError(
            f"'{name}' shares its numbers with another array in the pickle.",
            remedy="Export as safetensors.",
        )
    spliced = SplicedFile(part.source, [one for one in splices if one is not None])
    names = {name: entry.nbytes for entry in job.cancel.each(part.entries) for name in entry.names}
    return Plan(spliced.nbytes, spliced.pieces, names, container=True)


def _splice(
    source: FileSource,
    state: State,
    entry: TensorEntry,
    machine: PickleFile,
    arrays: Mapping[str, Array],
) -> Splice | None:
    """Return the change of the file that writes a tensor; None if another one shares its bytes.

    `arrays` has the arrays inside of the pickle by their storage; other tensors are torch tensors.
    `machine` must have parsed the pickle if the tensor is such an array.
    """
    array = arrays.get(entry.location.storage)
    if array is None:  # a torch tensor
        width = entry.dtype.bits // 8
        start, size = entry.location.offset, entry.reach * width
        raw = partial(source.read, start, size)
        return Splice(start, start + size, size, partial(_pieces, state, entry, raw, swapped=False))
    spot = machine.push_opcode_of(array)
    if spot is None:
        return None
    if not isinstance(array.raw, bytes):
        size = array.raw.size
        raw = partial(source.read, array.raw.offset, size)
        new = partial(_pieces, state, entry, raw, swapped=array.swapped)
        return Splice(spot.start, spot.stop, size, new)
    data = b"".join(_pieces(state, entry, partial(bytes, array.raw), swapped=array.swapped))
    if spot.text:  # its length varies; this opcode is valid in all protocols
        text = data.decode("latin-1").encode()
        return Splice.by_data(spot.start, spot.stop, b"X" + struct.pack("<I", len(text)) + text)
    head = source.read(spot.start, spot.stop - spot.start)[: -len(data)]
    return Splice.by_data(spot.start, spot.stop, head + data)


def _pieces(
    state: State, entry: TensorEntry, read: Any, *, swapped: bool
) -> Iterator[bytes | memoryview]:
    """Yield the bytes of a tensor in the memory order and byte order of the file.

    `read` returns the old bytes, in which elements between strides are kept. `swapped` is whether
    the file has the other byte order.
    """
    pieces = finalize(state, entry).pieces
    strides = entry.location.strides
    if strides is None and not swapped:
        yield from pieces()
        return
    dtype = np.dtype(entry.dtype.storage)
    words = np.frombuffer(bytearray(read()), dtype)
    steps = [step * dtype.itemsize for step in strides or c_strides(entry.shape)]
    view = as_strided(words, entry.shape, steps)
    values = np.frombuffer(b"".join(map(bytes, pieces())), dtype).reshape(entry.shape)
    view[...] = values.byteswap() if swapped else values
    yield words.tobytes()


PICKLE_FILE = Format(
    name="pickle",
    label="pickle as opened",
    help=(
        "The opened pickle with zeros where weights are pruned; everything else in it is kept. For "
        "detectron2 and Caffe2."
    ),
    suffixes=PICKLE.suffixes,
    planner=_plan,
    only_from=(
        PICKLE.name,
        "Available only if a pickle of arrays is open: the export is a copy of it with zeros.",
    ),
    unsupported=_why_unsupported,
    loaded_by=(Loader("detectron2, pickle.load", note="as the opened file"),),
    does_not=("Zeros do not reduce the size of a pickle.",),
    one_file=True,
    loads=loading_code.pickle,
    load_code="""
def load(path):
    import pickle

    with open(path, "rb") as file:  # which may run code in it
        inside = pickle.load(file, encoding="latin1")
    for key in STATE_DICT.split(".") if STATE_DICT else ():
        inside = inside.get(key, inside)
    return {name: torch.as_tensor(array) for name, array in inside.items()
            if hasattr(array, "shape")}
""",
)
