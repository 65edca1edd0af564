"""A torch state dict, in the container that was opened wherever that is possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.derived_source import JoinedSource
from pruneapp.checkpoint.io.source import ByteSource, FileSource
from pruneapp.checkpoint.torchfile import LEGACY, ZIP
from pruneapp.checkpoint.torchfile.archive import STORED
from pruneapp.checkpoint.torchfile.sources_checked import CheckedSource
from pruneapp.checkpoint.torchfile.to_contents import IN_PICKLE
from pruneapp.checkpoint.torchfile.zip_format import SCRIPT
from pruneapp.checkpoint.torchfile.zip_format_layout import pickle_with, zip_layout
from pruneapp.errors import ExportError
from pruneapp.export import plan
from pruneapp.export.destination.sharding import SHARD_SIZE
from pruneapp.export.format import ExportPart, Format, Plan
from pruneapp.export.formats import torch_torch_zip
from pruneapp.export.formats.torch_patching import (
    BytePatch,
    Checked,
    Patch,
    PatchedFile,
    overlapping,
    patch_of,
)
from pruneapp.export.records import finalized
from pruneapp.export.rounding import DTYPE, RoundedState
from pruneapp.export.scripts import loading_code
from pruneapp.progress import Job
from pruneapp.results.format_offer import Loader

# Elements of an array that are looked at in one go.
_STRETCH = 1 << 20


def _plan(part: ExportPart, _values: Mapping[str, Any], job: Job) -> Plan:
    zeroed = _zeroed(part, job)
    blocked_by: tuple[str, ...] = ()
    reason = _never_for(part)
    if not reason:
        reason, blocked_by = _pruned_out_of_place(part, zeroed, job)
    if not reason:
        batches = job.cancel.batches(zeroed)
        arrays = [e for batch in batches for e in batch if _is_array(e, part.checkpoint)]
        replaced = _with_arrays(part, arrays, job) if arrays else ()
        if isinstance(replaced, tuple):
            names = {entry.name for entry in arrays}
            rest = [entry for entry in zeroed if entry.name not in names] if names else zeroed
            return _in_place(part, rest, replaced, job)
        reason, blocked_by = replaced, tuple(entry.name for entry in arrays)
    if refused := torch_torch_zip.refuses(part.checkpoint):  # a patched file holds what it held
        raise ExportError(refused, remedy="Export as safetensors.")
    batches = job.cancel.batches(part.entries)
    records = [finalized(part.state, entry) for batch in batches for entry in batch]
    notices = (*_not_in_place(part, reason), *plan.stripped(part))
    return replace(torch_torch_zip.plan_state_dict(records, job, notices), blocked_by=blocked_by)


def _never_for(part: ExportPart) -> str:
    """Say why the container cannot be written for a part, whatever is pruned; empty if it may."""
    checkpoint = part.checkpoint
    if reason := _never_in_place(checkpoint):
        return reason
    if len(part.entries) < len(checkpoint.entries) and part.source is None:
        return "it was split into several files"
    if part.source is None:
        return "several files were put together"
    if any(map(attrgetter("mask_of"), part.entries)):
        return "pairs of NAME_orig and NAME_mask became NAME"
    if isinstance(part.state, RoundedState):
        return f"its numbers became {part.state.rounding.dtype.label}"
    return ""


def _pruned_out_of_place(
    part: ExportPart, zeroed: Sequence[TensorEntry], job: Job
) -> tuple[str, tuple[str, ...]]:
    """Say why weights cannot be pruned inside the container, and of which tensors."""
    reasons = {}
    for entry in chain.from_iterable(job.cancel.batches(zeroed)):
        if reason := _why_not_patched(part.checkpoint, entry):
            reasons[entry.name] = reason
    if reasons:
        return next(iter(reasons.values())), tuple(reasons)
    shared = overlapping(part.entries, frozenset(map(attrgetter("name"), zeroed)), job)
    return (
        (f"'{shared}' shares its numbers with another tensor in it", (shared,))
        if shared
        else (
            "",
            (),
        )
    )


def _why_not_patched(checkpoint: Checkpoint, entry: TensorEntry) -> str:
    """Say why zeros cannot be written over a tensor in the file; empty if they can."""
    if _is_array(entry, checkpoint):
        return ""  # the pickle is written anew
    if not _counts_bytes_of_file(checkpoint.sources[entry.location.source]):
        return f"'{entry.name}' lies compressed or sparse in it"
    return f"elements of '{entry.name}' share their place in it" if entry.meets_itself else ""


def _is_array(entry: TensorEntry, checkpoint: Checkpoint) -> bool:
    """Whether it is a numpy array, whose bytes stand in the pickle."""
    source = checkpoint.sources[entry.location.source]
    return isinstance(source, JoinedSource) and entry.location.storage.startswith(IN_PICKLE)


def _with_arrays(
    part: ExportPart, arrays: Sequence[TensorEntry], job: Job
) -> tuple[BytePatch, ...] | str:
    """Return the pickle with zeros in numpy arrays, or say why it cannot be written."""
    reason = f"'{arrays[0].name}' is a numpy array that cannot be changed in its place"
    if part.checkpoint.format != ZIP.name or part.source is None:
        return reason
    member = zip_layout(part.source, job.cancel).members["data.pkl"]
    if member.method != STORED:
        return reason
    zero = {entry.location.storage: partial(_zero, part, entry, job) for entry in arrays}
    new = pickle_with(part.source, member, zero, job.cancel)
    return reason if new is None else (BytePatch(member.data, new),)


def _zero(part: ExportPart, entry: TensorEntry, job: Job, raw: bytearray) -> None:
    """Set the bytes of pruned weights to 0, in whatever byte order they stand there."""
    gone = part.state.zeroed(entry.name)
    assert gone is not None
    kept = patch_of(entry, gone, job).kept
    words = np.frombuffer(raw, entry.dtype.storage)
    for start in range(0, words.size, _STRETCH):
        job.step(0)
        stop = min(start + _STRETCH, words.size)
        words[start:stop] *= kept.bools(start, stop)


def _never_in_place(checkpoint: Checkpoint) -> str:
    """Say why its container cannot be written, whatever is pruned; empty if it may."""
    if checkpoint.format == SCRIPT:
        return "the file is a TorchScript program"
    if checkpoint.format not in {ZIP.name, LEGACY.name}:
        return "the source is no torch file"
    if unknown := checkpoint.contents.unknown_globals:
        # A pickle that names unknown code is never written, not even byte for byte.
        names = ", ".join(unknown[:3]) + (", …" if len(unknown) > 3 else "")
        return f"the file holds code or whole objects ({names})"
    return ""


def _counts_bytes_of_file(source: ByteSource) -> bool:
    return isinstance(source, FileSource | CheckedSource)


def _zeroed(part: ExportPart, job: Job) -> list[TensorEntry]:
    batches = job.cancel.batches(part.entries)
    state = part.state
    return [e for batch in batches for e in batch if e.numel and state.zeroed(e.name) is not None]


def _in_place(
    part: ExportPart, zeroed: Sequence[TensorEntry], replaced: Sequence[BytePatch], job: Job
) -> Plan:
    assert part.source is not None
    # Preferably the source that compares the checksums of the old bytes as they go by.
    found = [s for s in part.checkpoint.sources if s.file is part.source]
    reading = next((s for s in found if isinstance(s, CheckedSource)), part.source)
    patches: list[Patch | BytePatch] = [*replaced]
    for entry in chain.from_iterable(job.cancel.batches(zeroed)):
        gone = part.state.zeroed(entry.name)
        assert gone is not None
        patches.append(patch_of(entry, gone, job))
    checked = _checked(part.source, job) if part.checkpoint.format == ZIP.name else ()
    patched = PatchedFile(reading, patches, checked, job)
    # Pairs of masks cannot be here, so the names are those of the file.
    batches = job.cancel.batches(part.entries)
    names = {name: entry.nbytes for batch in batches for entry in batch for name in entry.names}
    return Plan(patched.nbytes, patched.pieces, names, container=True)


def _checked(source: FileSource, job: Job) -> tuple[Checked, ...]:
    archive = zip_layout(source, job.cancel)
    if not archive.checksums:
        return ()
    return tuple(
        Checked(m.data, m.data + m.stored, m.crc_positions)
        for batch in job.cancel.batches(archive.members.values())
        for m in batch
        if m.method == STORED
    )


def _not_in_place(part: ExportPart, reason: str) -> tuple[str, ...]:
    if part.checkpoint.format not in {ZIP.name, LEGACY.name, SCRIPT}:
        return ()
    return (f"A plain state dict was written, because {reason}.",)


def _refuses(checkpoint: Checkpoint) -> str:
    # A torch file may hold what we cannot write anew: it is patched.
    if checkpoint.format in {ZIP.name, LEGACY.name} and not checkpoint.contents.unknown_globals:
        return ""
    return torch_torch_zip.refuses(checkpoint)


TORCH = Format(
    name="torch",
    label="torch state dict, dense",
    help=(
        "Weights with zeros where they are pruned, for torch.load. If the opened "
        "file is a torch file, its other contents are kept."
    ),
    suffixes=torch_torch_zip.SUFFIXES,
    planner=_plan,
    params=(DTYPE, SHARD_SIZE),
    why_not=_refuses,
    keeps=lambda checkpoint: not (_never_in_place(checkpoint) or checkpoint.contents.masks),
    in_place=lambda checkpoint, entry: not _why_not_patched(checkpoint, entry),
    loaded_by=(
        Loader("torch.load", "torch 1.6", "float8 since 2.1; mmap=True works"),
        Loader("transformers", note="as pytorch_model.bin beside a config.json"),
    ),
    does_not=(
        "Zeros do not reduce the size of a dense file.",
        "Optimizer state of pruned weights is unchanged.",
    ),
    loads=loading_code.torch,
    load_code="""
def load(path):
    found = {}
    for file in files_of(path, "*.bin"):
        # weights_only runs no code of the file; what holds more than tensors may need it False.
        inside = torch.load(file, map_location="cpu", weights_only=True)
        for key in STATE_DICT.split(".") if STATE_DICT else ():
            inside = inside.get(key, inside)
        found |= inside
    return found
""",
)
