"""Run an export: resolve the request, plan the files, write them and move them into place."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.files import hidden_name, lexists, lock
from pruneapp.checkpoint.io.source import FileSource, close_quietly
from pruneapp.checkpoint.io.upload import NewFile, ObjectFile, SealedFile, new_file
from pruneapp.errors import ExportError, counted, first_names, in_numeric_order
from pruneapp.export.catalog import FORMATS, get
from pruneapp.export.completeness import account_for, find_omitted, refuse_unwritable
from pruneapp.export.destination.sidecars import empty_modules, home_of, records_for_copies
from pruneapp.export.destination.target import (
    TargetFolder,
    check_disk_space,
    check_folder,
    check_folder_name,
    check_not_file,
    check_weights,
    keep_original,
    kept_name,
    plan_folder,
    plan_sidecars,
)
from pruneapp.export.format import Format, LoadedModel, Plan
from pruneapp.export.provenance import Provenance
from pruneapp.export.records import State
from pruneapp.export.report import (
    ExportReport,
    ExportRequest,
    TargetCheck,
    WrittenFile,
    WrittenTensor,
)
from pruneapp.export.rounding import DTYPE, KEEP, Rounding, describe
from pruneapp.export.scripts.loading_code import describe_loading
from pruneapp.export.sharding import INDEX, needs_folder, plan_weights
from pruneapp.params import validate_all
from pruneapp.progress import Job

# Maximum number of names in a sentence; a sentence encoder has nine files besides its weights.
_SHOWN = 12

# Writes and verifies the planned files of an export to a path, in order. The stack deletes them
# unless they are committed.
MakeFiles = Callable[
    [Path, Mapping[Path, Plan], contextlib.ExitStack, Job], Iterator[tuple[SealedFile, WrittenFile]]
]
# Replaces planned files of a folder: receives its absolute path, the plans and a job.
AmendPlans = Callable[[Path, dict[Path, Plan], Job], dict[Path, Plan]]


def check(checkpoint: Checkpoint, request: ExportRequest) -> None:
    """Raise an error if the format cannot represent the checkpoint, as far as headers show.

    `ExportError`; `UnwritableError` for entries that can neither be written nor omitted;
    `ParameterError` if a parameter is invalid or an entry of `omit` matches no unreadable tensor;
    `FileChangedError`.
    """
    form, values = _format_of(request)
    if reason := form.why_not(checkpoint):
        raise ExportError(reason, remedy="Choose another format.")
    refuse_unwritable(checkpoint, form, values, request.omit)
    checkpoint.verify_unchanged()


def _format_of(request: ExportRequest) -> tuple[Format, Mapping[str, Any]]:
    """Return the format of a request and the values of all its parameters."""
    form = get(request.format)
    return form, validate_all(form.params, request.params)


def writes_folder(checkpoint: Checkpoint, request: ExportRequest) -> bool:
    """Return whether an export writes a folder.

    Raises `ExportError` if it does and the path is the name of a file, and `ParameterError` for an
    unknown format or an invalid parameter.
    """
    form, values = _format_of(request)
    check_not_file(request.path, form, values)
    is_folder = needs_folder(checkpoint, form, values, request.path)
    if is_folder:
        of_any = frozenset(suffix for each in FORMATS.values() for suffix in each.suffixes)
        check_folder_name(request.path, form, values, of_any)
    return is_folder


def _plan_lazily(
    state: State, request: ExportRequest, job: Job, provenance: Provenance | None
) -> tuple[Path, dict[Path, Plan], tuple[str, ...]]:
    """Return the absolute path of an export, links followed, the plan of each file, and notices.

    For a folder all files are planned by path, because the plan determines their names; this reads
    headers but no weights. For a single file the dict is empty, so that checking it takes only a
    few file system calls; `_plan_file` plans it later. Raises `ExportError` if the target is not
    possible, or a folder cannot represent the tensors.
    """
    form, values = _format_of(request)
    checkpoint, path = state.checkpoint, request.path
    if not writes_folder(checkpoint, request):
        target = check_weights(checkpoint, path, form, values, follow_links=request.follow_links)
        return target.path, {}, target.notices
    target = check_folder(path, follow_links=request.follow_links)
    weights = plan_weights(state, form, values, job, path=path, provenance=provenance)
    named, notices = plan_folder(checkpoint, weights, values, target.path)
    plans = {target.path / name: plan for name, plan in named.items()}
    return target.path, plans, (*target.notices, *notices)


def _plan_file(
    state: State, request: ExportRequest, target: Path, job: Job, provenance: Provenance | None
) -> dict[Path, Plan]:
    """Return the plan of each file by path, for an export of all weights to the file `target`.

    The weights are first; parts of them and sidecars follow, in the same folder. `provenance` is
    stored in the metadata if given. Raises `ExportError` if the format cannot represent the
    tensors.
    """
    form, values = _format_of(request)
    (plan,) = plan_weights(
        state, form, values, job, path=request.path, provenance=provenance
    ).values()
    if form.lossless:  # it contains weights
        checkpoint, names = state.checkpoint, [target.name]
        if _is_opened(checkpoint, target) and not request.replace_original:
            names.append(kept_name(target).name)  # the opened file is renamed
        plan = replace(plan, beside={**plan.beside, **records_for_copies(checkpoint, names)})
    sidecar_plans, notices = plan_sidecars(plan, target)
    parts = {target.with_name(name): each for name, each in plan.parts.items()}
    return {target: replace(plan, notices=(*plan.notices, *notices)), **parts, **sidecar_plans}


def check_target(
    state: State, request: ExportRequest, job: Job, provenance: Provenance | None = None
) -> TargetCheck:
    """Return what an export would replace, keep and report. Writes nothing.

    If the target or, for a folder, the plan raises `ExportError`, its text is in `refused`; nothing
    else is caught. Without a `provenance` of the right length, the files of a sharded export may be
    others.
    """
    checkpoint = state.checkpoint
    try:
        target, plans, notices = _plan_lazily(state, request, job, provenance)
    except ExportError as error:
        return TargetCheck(refused=str(error))
    paths = tuple(plans) or (target,)
    copied = _copied_files_notice(checkpoint, target, plans) if plans else ()
    return TargetCheck(
        replaced=tuple(path.name for path in _files_to_replace(checkpoint, paths)),
        kept=tuple(kept_name(path).name for path in paths if _is_opened(checkpoint, path)),
        notices=(*copied, *notices),
    )


def _files_to_replace(checkpoint: Checkpoint, paths: Collection[Path]) -> list[Path]:
    """Return existing files that will be lost. Files of the opened model are never lost."""
    return [path for path in paths if lexists(path) and not _is_opened(checkpoint, path)]


def _copied_files_notice(
    checkpoint: Checkpoint, target: Path, plans: Mapping[Path, Plan]
) -> tuple[str, ...]:
    """Return a notice about the files without weights that are copied from the opened folder.

    Subfolders are named once, with a slash. () if nothing is copied.
    """
    names: dict[str, None] = {}
    for path, plan in plans.items():
        if _is_sidecar(path, plan):
            first, *more = path.relative_to(target).parts
            names[f"{first}/" if more else first] = None
    for name in empty_modules(checkpoint):
        if not lexists(target / name):
            names[f"{name.partition('/')[0]}/"] = None
    if not names:
        return ()
    home = home_of(checkpoint).name
    return (f"Copied from '{home}': {first_names([*names], _SHOWN)}.",)


def _is_sidecar(path: Path, plan: Plan) -> bool:
    """Return whether a file of a folder is not a part of the weights."""
    return not plan.names and not path.name.endswith(INDEX)


def _is_opened(checkpoint: Checkpoint, path: Path) -> bool:
    """Return whether a file belongs to the opened model, so that `publish` keeps it."""
    opened = {(s.identity.device, s.identity.inode) for s in checkpoint.files}
    identity = _inode(path)
    return identity is not None and (identity in opened or path in _index_files(checkpoint))


def _index_files(checkpoint: Checkpoint) -> tuple[Path, ...]:
    """Return the index of the opened model, whose original is kept like that of the weights."""
    index = checkpoint.contents.index
    return () if index is None else (index.resolve(),)


def make_files(
    _target: Path, plans: Mapping[Path, Plan], stack: contextlib.ExitStack, job: Job
) -> Iterator[tuple[SealedFile, WrittenFile]]:
    """Write files one after another in this process. Yield each, which is not committed yet."""
    for path, plan in plans.items():
        if len(plans) > 1:
            job.label(path.name)
        yield make_file(path, plan, stack, job)


def export(
    state: State,
    request: ExportRequest,
    job: Job,
    provenance: Provenance | None = None,
    *,
    announce: Callable[[Sequence[Path]], None] = lambda _replaced: None,
    amend: AmendPlans | None = None,
    written_as: Format | None = None,
    approve: Callable[[Path], None] = lambda _folder: None,
    make: MakeFiles = make_files,
) -> ExportReport:
    """Write a state to disk. An existing file is replaced only after the new one is safely written.

    If a file of the checkpoint itself is replaced, it is first renamed to ``NAME.orig.EXT``, and
    the checkpoint reads from there; see `ExportReport.kept_originals`. If
    `request.replace_original` is set, these are deleted afterwards.

    Parameters
    ----------
    provenance
        Origin of the state for the metadata; None to write none.
    job
        Advances twice per byte: when it is written, and when it was read back from disk.
    announce
        Called once before anything is written, with existing files of a folder that will be
        replaced and are lost; with an empty list for a single file.
    amend
        Replaces planned files of a folder.
    written_as
        The format of amended files, if it is not that of the request.
    approve
        Called with the finished new folder before it is renamed into place; an exception aborts the
        export. Not called for a single file.
    make
        Writes the files.

    Raises
    ------
    ExportError
        If the format cannot represent everything that must not be omitted, or writing fails;
        nothing has changed then.
    ParameterError
        If the request has an unknown format, an invalid parameter, or an `omit` without match.
    CheckpointError
        If the source cannot be read or was changed.
    """
    checkpoint = state.checkpoint
    check(checkpoint, request)
    target, plans, target_notices = _plan_lazily(state, request, job, provenance)
    is_folder = bool(plans)
    announce(_files_to_replace(checkpoint, plans))
    if not is_folder:
        plans = _plan_file(state, request, target, job, provenance)
    elif amend is not None:
        plans = amend(target, plans, job)
    form = written_as or get(request.format)
    values = validate_all(form.params, request.params)
    account = account_for(state, form, plans, request.omit, job)
    if is_folder:
        check_disk_space(target, sum(plan.nbytes for plan in plans.values() if plan.exact))
    plans = {path: plan.with_size(job) for path, plan in plans.items()}
    job.start(sum(plan.work + 2 * plan.size(job) for plan in plans.values()), target.name)
    files: list[SealedFile] = []
    written: list[WrittenFile] = []
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(TargetFolder(target)) if is_folder else None
        with contextlib.nullcontext() if folder is None else folder.with_final_name():
            if folder is not None:
                for name in empty_modules(checkpoint):
                    folder.make_folder(name)
                plans = {
                    path: replace(plan, place=folder.path_of(path.relative_to(target).as_posix()))
                    for path, plan in plans.items()
                }
            for file, one in make(target, plans, stack, job):
                files.append(file)
                written.append(one)
        checkpoint.verify_unchanged()
        if folder is None:
            # Secondary files are renamed first: if the process is killed, none is missing next to
            # the file.
            kept = publish([*files[1:], files[0]], checkpoint.files, job)
        else:
            kept = publish(files, checkpoint.files, job, _index_files(checkpoint))
            approve(folder.path)
            folder.commit()
    if kept and folder is None:
        checkpoint.path = kept[0]
    left, deletion_notices = _delete_originals(kept) if request.replace_original else (kept, ())
    undo_ends = len(left) < len(kept)
    rounding = Rounding.combine(plan.rounding for plan in plans.values())
    cost = () if rounding is None else (describe(rounding.cost),)
    broken = () if provenance is None else provenance.broken
    tensors = tuple(in_numeric_order([*_tensors(state)], attrgetter("name")))
    container = any(plan.container for plan in plans.values())
    sidecars = [p for p, plan in plans.items() if _is_sidecar(p, plan)] if is_folder else plans
    return ExportReport(
        path=request.path,
        format=form.name,
        files=tuple(written),
        tensors=tensors,
        kept_originals=tuple(left),
        undo_ends=undo_ends,
        notices=(
            *(f"{each.sentence}." for each in broken),
            *target_notices,
            *dict.fromkeys(notice for plan in plans.values() for notice in plan.notices),
            *account,
            *cost,
            *_fully_pruned_notice(tensors),
            *deletion_notices,
            *([_kept_notice(left)] if left and not undo_ends else []),
        ),
        damage=cost if rounding is not None and rounding.cost.infinite else (),
        broken=broken,
        verified=True,  # `AtomicFile.seal` has compared every byte
        provenance={} if provenance is None else provenance.texts(form.name, values),
        omitted=find_omitted(checkpoint, request.omit),
        label=form.label,
        dtype=values.get(DTYPE.name, KEEP),
        loads=describe_loading(
            form.loads, LoadedModel.of(request.path, checkpoint, container=container)
        ),
        beside=tuple(sidecars) if is_folder else tuple(sidecars)[1:],
    )


def make_file(
    path: Path,
    plan: Plan,
    stack: contextlib.ExitStack,
    job: Job,
    begin: Callable[..., NewFile] = new_file,
) -> tuple[NewFile, WrittenFile]:
    """Write and verify the file `path` at its place; `stack` deletes it unless it is committed.

    Return the file, which the caller commits, and its size and checksum. Raises `ExportError` if
    writing fails; what is written is read back and compared.

    Parameters
    ----------
    plan
        Its `place` is where to write until all files are complete, if that is not `path`.
    job
        Must have been started with twice the expected size; this function corrects the difference.
    begin
        Creates the file, with the signature of `new_file`.
    """
    expected, place = plan.size(job), plan.place or path
    with contextlib.ExitStack() as preparing:
        if plan.prepare is not None:
            plan = preparing.enter_context(plan.prepare(job))
        file = stack.enter_context(begin(place, plan.nbytes, job, exact=plan.exact))
        if plan.exact:
            job.extend(2 * (plan.nbytes - expected))
            expected = plan.nbytes
        for piece in plan.pieces():
            excess = file.bytes_written + len(piece) - expected
            if excess > 0:
                job.extend(2 * excess)
                expected += excess
            job.cancel.check()
            file.write(piece)
        job.extend(2 * (file.bytes_written - expected))
        return file, WrittenFile(path, file.bytes_written, file.seal())


def _delete_originals(kept: Sequence[Path]) -> tuple[list[Path], list[str]]:
    """Delete the originals `kept`. Return those that could not be deleted, and notices."""
    for path in kept:
        with contextlib.suppress(OSError):
            path.unlink()
    left = [path for path in kept if path.exists()]
    notices = [f"'{path}' could not be deleted." for path in left]
    if len(left) < len(kept):
        sentence = "The original was deleted, so undo ends here: open the new file to go on."
        notices.insert(0, sentence)
    return left, notices


def _fully_pruned_notice(tensors: Sequence[WrittenTensor]) -> tuple[str, ...]:
    names = [tensor.name for tensor in tensors if 0 < tensor.numel == tensor.pruned]
    if not names:
        return ()
    are = counted(len(names), "tensor is", "tensors are")
    return (f"{are} pruned completely: {first_names(names)}.",)


def _kept_notice(originals: Sequence[Path]) -> str:
    names = first_names([path.name for path in originals])
    if len(originals) == 1:
        return f"The original is kept as {names}."
    return f"{len(originals):,} files of the original are kept next to the new ones, as {names}."


def _tensors(state: State) -> Iterator[WrittenTensor]:
    for entry in state.checkpoint.entries.values():
        zeroed = state.export_mask(entry.name)
        pruned = 0 if zeroed is None else zeroed.pruned
        yield WrittenTensor(entry.name, entry.numel, pruned, entry.learned)


def publish(
    files: Sequence[SealedFile],
    opened: Sequence[FileSource],
    job: Job,
    also_keep: Collection[Path] = (),
) -> list[Path]:
    """Commit written files in order. Return the originals that were kept, in the same order.

    If one of them fails, the earlier ones are reverted and the error is raised. (If the process is
    killed in between, old and new files can be mixed, each of them complete, with the originals
    kept.)

    Parameters
    ----------
    opened
        Files of the opened checkpoint. If one is replaced, its original is kept and read from then
        on.
    also_keep
        Further paths whose originals are kept.
    """
    kept: list[Path] = []
    spares: list[Path] = []
    with contextlib.ExitStack() as claims, contextlib.ExitStack() as undo:
        for file in files:
            if isinstance(file, ObjectFile):
                undo.callback(file.retract)
                file.commit()
                continue
            was = _inode(file.target)
            source = next((s for s in opened if was == (s.identity.device, s.identity.inode)), None)
            if source is not None or (was is not None and file.target in also_keep):
                original = keep_original(file.target, job)
                path = source.path if source is not None else None
                undo.callback(_restore_old_file, file.target, was, original, source, path)
                if source is not None:
                    source.reopen_at(original)
                kept.append(original)
            elif len(files) > 1:
                second_name = _link_old_file(file.target, was, claims)
                if second_name is not None or was is None:
                    undo.callback(_restore_old_file, file.target, was, second_name)
                if second_name is not None:
                    spares.append(second_name)
            file.commit()
        undo.pop_all()
        for second_name in spares:
            with contextlib.suppress(OSError):
                second_name.unlink()
    return kept


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _link_old_file(
    target: Path, was: tuple[int, int] | None, claims: contextlib.ExitStack
) -> Path | None:
    """Create a hard link to an older export, to restore it on failure; None if not possible.

    `was` is the device and inode of the older file; None if there is none. The link is locked until
    `claims` are closed; after a crash it counts as abandoned.
    """
    if was is None:
        return None
    second_name = target.with_name(hidden_name(target.name, "old"))
    try:
        os.link(target, second_name)
    except OSError:
        return None  # no hard links on this file system: the new file will not be reverted
    with contextlib.suppress(OSError):
        fd = os.open(second_name, os.O_RDONLY)
        claims.callback(close_quietly, fd)
        lock(fd)
    return second_name


def _restore_old_file(
    target: Path,
    was: tuple[int, int] | None,
    old: Path | None,
    source: FileSource | None = None,
    path: Path | None = None,
) -> None:
    """Restore the older file `old` at `target`, or delete the new file if there was none.

    If `target` is still the file with the inode `was`, only the second name `old` is deleted. Then
    `source` reads from `path` again. Errors of the file system are ignored.
    """
    # Compare the inode, because an interrupt can occur between the renaming and the next statement.
    with contextlib.suppress(OSError):
        renamed = _inode(target) != was
        if renamed and old is not None:
            old.replace(target)
        elif renamed:
            target.unlink()
        elif old is not None:
            old.unlink()
        if source is not None and path is not None:
            source.reopen_at(path)
