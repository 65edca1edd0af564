"""Running an export: plan, write, read back, publish, report."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.errors import ExportError
from pruneapp.export import plan as parts
from pruneapp.export.catalog import get
from pruneapp.export.completeness import account_for, omitted, refuse_unwritable
from pruneapp.export.destination import folder, sidecars_config_dtype
from pruneapp.export.destination.folder_names import (
    is_reserved,
    misnamed,
    refuse_file,
    refuse_reserved,
    refuse_shard,
    without_companions,
    without_folder,
)
from pruneapp.export.destination.sidecars import listed
from pruneapp.export.destination.target import ExportTarget, check_file, check_folder
from pruneapp.export.exporter_publish import publish
from pruneapp.export.exporter_sized import Sized
from pruneapp.export.format import Format
from pruneapp.export.format_sizes import plans_of
from pruneapp.export.provenance import Provenance, ProvenanceState, metadata_of, told
from pruneapp.export.records_state import State
from pruneapp.export.report import ExportReport, WrittenFile, WrittenTensor
from pruneapp.export.rounding import cost
from pruneapp.params_declared import validate_all
from pruneapp.progress import Job

__all__ = ["ExportReport", "ExportRequest", "export", "planned_size"]


@dataclass(frozen=True)
class ExportRequest:
    """What to write where.

    Attributes
    ----------
    format
        Name of the format.
    path
        The file; for a model of several files the folder, or a file to put them together in.
    replace_original
        Delete the original after the export has taken its place; undo ends with it.
    follow_links
        Write what `path` points to where it is a link; otherwise that is refused.
    params
        Values of the format's parameters.
    provenance
        Where the state comes from, for the metadata; None to say nothing.
    omit
        Names or globs of tensors that may be left out where the format cannot hold them.
    """

    format: str
    path: Path
    replace_original: bool = False
    follow_links: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)
    provenance: Provenance | None = None
    omit: tuple[str, ...] = ()


def planned_size(state: State, name: str, job: Job) -> int | None:
    """Return how many bytes an export in the format `name` will take, to the byte.

    None if it is not possible, and for formats that compress: see `offers.forecast`. Files that
    are copied along with a model of several files are not counted.
    """
    form = get(name)
    try:
        plans = plans_of(state, form, validate_all(form.params, {}), job)
    except ExportError:
        return None
    return sum(plan.nbytes for plan in plans) if all(plan.exact for plan in plans) else None


def export(state: State, request: ExportRequest, job: Job) -> ExportReport:
    """Write a state to disk; the old file is there until the new one is safe.

    Where a file of the checkpoint itself is replaced, it is first kept beside as
    ``NAME.orig.EXT``, and the checkpoint goes on from there: `ExportReport.moved_to`.

    Parameters
    ----------
    state
        The state to write.
    request
        What to write where.
    job
        Stepped by every byte twice: when it is made, and when it came back from the disk.

    Raises
    ------
    ExportError
        If the format cannot hold the checkpoint, or all of it but what may be left out, or the
        system refuses to write it; nothing was changed then.
    CheckpointError
        If the source cannot be read or was changed meanwhile.
    """
    form = get(request.format)
    values = validate_all(form.params, request.params)
    if reason := form.why_not(state.checkpoint):
        raise ExportError(reason, remedy="Choose another format.")
    refuse_unwritable(state.checkpoint, form, values, request.omit)
    state.checkpoint.verify_unchanged()
    if request.provenance is not None:
        state = told(ProvenanceState(state, request.provenance), form.name, values)
    if is_folder(state.checkpoint, request.path, form, values):
        return _export_folder(state, request, form, values, job)
    return _export_file(state, request, form, values, job)


def is_folder(checkpoint: Checkpoint, path: Path, form: Format, values: Mapping[str, Any]) -> bool:
    """Whether an export to a path is a folder of files.

    Raises
    ------
    ExportError
        If it must be one, and the path is the name of a file.
    """
    refuse_file(path, form, values)
    return folder.in_folder(checkpoint, form, values, path)


def _export_file(
    state: State, request: ExportRequest, form: Format, values: Mapping[str, Any], job: Job
) -> ExportReport:
    checkpoint = state.checkpoint
    target = file_target(checkpoint, request, form)
    plan = form.plan(parts.whole(state, request.path.suffix.lower()), values, job)
    about = account_for(state, form, {target.path: plan}, request.omit, job)
    beside, left = folder.beside(plan, target.path)
    sized = {path: Sized(one, job) for path, one in {target.path: plan, **beside}.items()}
    job.start(sum(one.work for one in sized.values()), target.path.name)
    with contextlib.ExitStack() as stack:
        made = [one.write(path, stack) for path, one in sized.items()]
        checkpoint.verify_unchanged()
        # What goes with the file is there before it: were we killed, it would not be missing.
        kept = publish([file for file, _ in (*made[1:], made[0])], checkpoint.files, job)
    if kept:
        checkpoint.path = kept[0]
    said = (*plan.notices, *about, *cost((plan.rounding,)), *left)
    notices = (*file_notices(checkpoint, target, form, values), *said)
    return _report(state, request, [written for _, written in made], kept, notices)


def file_target(checkpoint: Checkpoint, request: ExportRequest, form: Format) -> ExportTarget:
    """Return where one file goes.

    Raises
    ------
    ExportError
        If it may not go there.
    """
    refuse_reserved(request.path, form)
    target = check_file(request.path, follow_links=request.follow_links)
    refuse_shard(checkpoint, target.path)
    return target


def file_notices(
    checkpoint: Checkpoint, target: ExportTarget, form: Format, values: Mapping[str, Any]
) -> tuple[str, ...]:
    """Say what the person should know of the name of a file, and of where it goes."""
    path = target.path
    apart = (*without_folder(checkpoint, path, form), *without_companions(checkpoint, form))
    names = (*misnamed(path, form), *apart)
    loaded = is_reserved(path)  # from_pretrained reads it by the configuration beside it
    config = sidecars_config_dtype.left(checkpoint, path.parent, values) if loaded else ()
    return (*target.notices, *names, *config)


def _export_folder(
    state: State, request: ExportRequest, form: Format, values: Mapping[str, Any], job: Job
) -> ExportReport:
    target = check_folder(request.path, follow_links=request.follow_links)
    checkpoint = state.checkpoint
    plans, found = folder.plan_all(state, form, values, target.path, job)
    planned = {target.path / name: plan for name, plan in plans.items()}
    about = account_for(state, form, planned, request.omit, job)
    folder.refuse_without_room(target.path, sum(p.nbytes for p in plans.values() if p.exact))
    sized = {name: Sized(plan, job) for name, plan in plans.items()}
    job.start(sum(one.work for one in sized.values()), target.path.name)
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(folder.TargetFolder(target.path))
        files = []
        written = []
        for name, one in sized.items():
            job.label(name)
            with place.named():
                file, wrote = one.write(place.path_of(name), stack)
            written.append(replace(wrote, path=target.path / name))
            files.append(file)
        checkpoint.verify_unchanged()
        kept = publish(files, checkpoint.files, job, also_kept(checkpoint))
        place.commit()
    said = dict.fromkeys(n for plan in plans.values() for n in plan.notices)
    told = (*said, *about, *cost(plan.rounding for plan in plans.values()))
    return _report(state, request, written, kept, (*target.notices, *found, *told))


def also_kept(checkpoint: Checkpoint) -> tuple[Path, ...]:
    """Return what is kept beside the weights where an export takes its place: the index."""
    index = checkpoint.contents.index
    return () if index is None else (index.resolve(),)


def _report(
    state: State,
    request: ExportRequest,
    written: Sequence[WrittenFile],
    kept: Sequence[Path],
    notices: Sequence[str],
) -> ExportReport:
    left = _deleted(kept) if request.replace_original else tuple(kept)
    undo_ends = len(left) < len(kept)
    said = list(notices)
    if undo_ends:
        said.append("The original was deleted, so undo ends here: open the new file to go on.")
    if request.replace_original:
        said.extend(f"'{path}' could not be deleted." for path in left)
    if left and not undo_ends:
        said.append(f"{_kept_as(left)}.")
    return ExportReport(
        path=request.path,
        format=request.format,
        files=tuple(written),
        tensors=_tensors(state),
        kept_originals=left,
        moved_to=left[0] if len(left) == len(kept) == 1 else None,
        undo_ends=undo_ends,
        notices=tuple(said),
        verified=True,  # `AtomicFile.seal` returns only after every byte was compared
        provenance=metadata_of(state, {}),
        omitted=omitted(state.checkpoint, request.omit),
    )


def _kept_as(left: Sequence[Path]) -> str:
    names = listed([path.name for path in left])
    if len(left) == 1:
        return f"The original is kept as {names}"
    return f"{len(left):,} files of the original are kept beside the new ones, as {names}"


def _deleted(files: Sequence[Path]) -> tuple[Path, ...]:
    """Delete files; return those that the system keeps."""
    for path in files:
        with contextlib.suppress(OSError):
            path.unlink()
    return tuple(path for path in files if path.exists())


def _tensors(state: State) -> tuple[WrittenTensor, ...]:
    found = []
    for entry in state.checkpoint.entries.values():
        gone = state.zeroed(entry.name)
        pruned = 0 if gone is None else gone.pruned
        found.append(WrittenTensor(entry.name, entry.numel, pruned, entry.learned))
    return tuple(found)
