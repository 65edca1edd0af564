"""Export a cut program of torch.export: smaller weights, and the changed sizes in its graph.

All other members of the archive (example inputs, constants, versions) are copied unchanged.
"""

from __future__ import annotations

import copy
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pruneapp.checkpoint.entry import TensorEntry, c_strides
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.parser_client import read_in_pieces
from pruneapp.checkpoint.torchfile import exported_program
from pruneapp.checkpoint.torchfile.archive import STORED, Archive
from pruneapp.checkpoint.torchfile.zip_format import member_content, zip_layout
from pruneapp.export.format import Plan
from pruneapp.export.formats.zip_archive import ZipMember, ZipPlan
from pruneapp.export.records import finalize
from pruneapp.groups.channel_numbers import Numbers
from pruneapp.groups.program_graph import ProgramGraph
from pruneapp.json_codec import load_object
from pruneapp.progress import Job
from pruneapp.shrink.cut import Cut
from pruneapp.shrink.shrunk_state import ShrunkState

# Maximum size of a compressed member that is copied: it is decompressed in memory.
_MOST_INFLATED = 64 << 20


def plan_program(
    shrunk: ShrunkState, source: FileSource, graph: ProgramGraph, cut: Cut, job: Job
) -> Plan:
    """Plan the archive of the cut program. `source` is the opened file.

    Data that several tensors share is copied, as such tensors are not cut.
    """
    archive = zip_layout(source, job.cancel)
    name = exported_program.config_of(graph.name)
    text = member_content(source, archive, name, exported_program.MAX_CONFIG)
    config = load_object(text, f"'{name}' in '{source.path}'")
    entries = {n: e for e in shrunk.checkpoint.entries.values() for n in e.names}
    # Only storages used by a single tensor are rewritten; the others are not cut, so they are
    # copied.
    users: dict[str, set[str]] = defaultdict(set)
    for tensor, weight in config["config"].items():
        users[weight["path_name"]].add(entries[tensor].name if tensor in entries else "")
    rewritten: dict[str, TensorEntry] = {}
    for tensor, weight in config["config"].items():
        entry, key = entries.get(tensor), weight["path_name"]
        if entry is None or len(users[key]) > 1:
            continue
        rewritten[exported_program.WEIGHTS + key] = entry
        _resize(weight["tensor_meta"], entry.shape, c_strides(entry.shape))
        weight["tensor_meta"]["storage_offset"] = {"as_int": 0}
    replacements = {
        name: json.dumps(config).encode(),
        exported_program.graph_of(graph.name): json.dumps(_cut_graph(graph, cut)).encode(),
    }

    def member(key: str) -> ZipMember:
        path = f"{archive.root}/{key}"
        if key in replacements:
            return ZipMember.of(path, replacements[key])
        if key in rewritten:
            return ZipMember(path, rewritten[key].nbytes, finalize(shrunk, rewritten[key]).pieces)
        return _unchanged(source, archive, key, path)

    plan = ZipPlan([member(key) for key in archive.members])
    names = {n: entry.nbytes for n, entry in entries.items()}
    return Plan(plan.nbytes(job), plan.pieces, names, container=True)


def _unchanged(source: FileSource, archive: Archive, key: str, path: str) -> ZipMember:
    member = archive.members[key]
    if member.method != STORED:
        return ZipMember.of(path, member_content(source, archive, key, _MOST_INFLATED))
    return ZipMember(
        path, member.size, lambda: read_in_pieces(source.read, member.data, member.size)
    )


def _cut_graph(graph: ProgramGraph, cut: Cut) -> Mapping[str, Any]:
    """Return a copy of the JSON of the program with the new sizes, strides and groups."""
    kept = graph.kept_channels((each.group, each.kept) for each in cut.groups)

    def left(axis: Numbers) -> int:
        return int(np.count_nonzero(kept[axis]))

    program: dict[str, Any] = copy.deepcopy(dict(graph.program))
    inside = program["graph_module"]["graph"]
    for value, axes in graph.axes.items():
        meta = inside["tensor_values"].get(value)
        sizes = [None if axis is None else left(axis) for axis in axes]
        before = [None if axis is None else axis.size for axis in axes]
        if meta is not None and sizes != before:
            _resize(meta, sizes, _strides_after(meta, sizes))
    for number, channels in graph.depthwise.items():
        for argument in inside["nodes"][number]["inputs"]:
            if argument["name"] == "groups":
                argument["arg"] = {"as_int": left(channels)}
    return program


def _resize(meta: Any, sizes: Sequence[int | None], strides: Sequence[int | None]) -> None:
    """Write known sizes and strides into the metadata of a tensor; None keeps the old number."""
    for key, numbers in (("sizes", sizes), ("strides", strides)):
        for at, number in enumerate(numbers):
            if number is not None:
                meta[key][at] = {"as_int": number}


def _strides_after(meta: Any, sizes: Sequence[int | None]) -> list[int | None]:
    """Return contiguous strides for new sizes, in the old order of dimensions in memory.

    All strides are None if a size or an old stride is unknown. `meta` is the old metadata.
    """
    old = [stride.get("as_int") for stride in meta["strides"]]
    if None in old or None in sizes:
        return [None] * len(sizes)
    strides: list[int | None] = [0] * len(sizes)
    order = sorted(range(len(old)), key=lambda dim: (old[dim], -dim))
    known = [size or 0 for size in sizes]
    for place, dim in enumerate(order):
        strides[dim] = math.prod(known[inner] for inner in order[:place])
    return strides
