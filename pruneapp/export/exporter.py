"""Run an export: resolve the request, plan the files, write them and move them into place."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, Protocol

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.files import hidden_name, lexists, lock
from pruneapp.checkpoint.io.source import FileSource, close_quietly
from pruneapp.checkpoint.io.upload import NewFile, ObjectFile, new_file
from pruneapp.errors import ExportError, counted, first_names, in_numeric_order
from pruneapp.export.catalog import FORMATS, get
from pruneapp.export.completeness import account_for, omitted, refuse_unwritable
from pruneapp.export.destination.sidecars import empty_modules, home_of
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
from pruneapp.export.sharding import INDEX, in_folder, plan_weights
from pruneapp.params import validate_all
from pruneapp.progress import Job

# Maximum number of names in a sentence; a sentence encoder has nine files besides its weights.
_SHOWN = 12


@dataclass(frozen=True)
class ResolvedExport:
    """A request resolved against a state and the disk."""

    state: State
    request: ExportRequest
    # Origin of the state, for metadata and report; None for none.
    provenance: Provenance | None
    form: Format
    values: Mapping[str, Any]  # valid values of all parameters of the format
    is_folder: bool  # whether a folder is written
    target: Path  # absolute path of the file or folder, symbolic links followed
    files: tuple[Path, ...]  # paths to write, weights first
    notices: tuple[str, ...]  # sentences for the user about the target
    # Plans the files. For folders they are planned already, because the file names depend on it.
    plan: Callable[[Job], dict[Path, Plan]]

    @property
    def replaced(self) -> tuple[Path, ...]:
        """Existing files that will be lost. Files of the opened model are never lost."""
        return tuple(
            p for p in self.files if lexists(p) and not _is_opened(self.state.checkpoint, p)
        )


def export(
    state: State, request: ExportRequest, job: Job, provenance: Provenance | None = None
) -> ExportReport:
    """Write a state to disk. An existing file is replaced only after the new one is safely written.

    If a file of the checkpoint itself is replaced, it is first renamed to ``NAME.orig.EXT``, and
    the checkpoint reads from there; see `ExportReport.kept_originals`.

    Parameters
    ----------
    provenance
        Origin of the state for the metadata; None to write none.
    job
        Advances twice per byte: when it is written, and when it was read back from disk.

    Raises
    ------
    ExportError
        If the format cannot represent everything that must not be omitted, or writing fails;
        nothing has changed then.
    CheckpointError
        If the source cannot be read or was changed.
    """
    check(state.checkpoint, request)
    return write(resolve(state, request, job, provenance), job)


def check(checkpoint: Checkpoint, request: ExportRequest) -> None:
    """Raise an error if the format cannot represent the checkpoint, as far as headers show.

    Raises as `export` does, and `ParameterError` if a parameter is invalid or an entry of `omit`
    matches no unreadable tensor.
    """
    form, values = _declared(request)
    if reason := form.why_not(checkpoint):
        raise ExportError(reason, remedy="Choose another format.")
    refuse_unwritable(checkpoint, form, values, request.omit)
    checkpoint.verify_unchanged()


def resolve(
    state: State, request: ExportRequest, job: Job, provenance: Provenance | None = None
) -> ResolvedExport:
    """Resolve a request against a state and the disk. Writes nothing.

    A single file needs only a few file system calls. For a folder all files are planned, which
    reads headers but no weights. Raises `ExportError` if the target is not possible, or the format
    cannot represent the parts.
    """
    form, values = _declared(request)
    checkpoint, path = state.checkpoint, request.path
    is_folder = writes_folder(checkpoint, request)
    resolved = partial(ResolvedExport, state, request, provenance, form, values, is_folder)

    def weights(job: Job) -> dict[str, Plan]:
        return plan_weights(state, form, values, job, path=path, provenance=provenance)

    if is_folder:
        target = check_folder(path, follow_links=request.follow_links)
        named, notices = plan_folder(checkpoint, weights(job), values, target.path)
        plans = {target.path / name: plan for name, plan in named.items()}
        notices = (*target.notices, *notices)
        return resolved(target.path, tuple(plans), notices, lambda _job: plans)

    def plan(job: Job) -> dict[Path, Plan]:
        (one,) = weights(job).values()
        sidecar_plans, sidecar_notices = plan_sidecars(one, target.path)
        parts = {target.path.with_name(name): each for name, each in one.parts.items()}
        return {
            target.path: replace(one, notices=(*one.notices, *sidecar_notices)),
            **parts,
            **sidecar_plans,
        }

    target = check_weights(checkpoint, path, form, values, follow_links=request.follow_links)
    return resolved(target.path, (target.path,), target.notices, plan)


def _declared(request: ExportRequest) -> tuple[Format, Mapping[str, Any]]:
    """Return the format of a request and the values of all its parameters."""
    form = get(request.format)
    return form, validate_all(form.params, request.params)


def writes_folder(checkpoint: Checkpoint, request: ExportRequest) -> bool:
    """Return whether an export writes a folder.

    Raises `ExportError` if it does and the path is the name of a file.
    """
    form, values = _declared(request)
    check_not_file(request.path, form, values)
    is_folder = in_folder(checkpoint, form, values, request.path)
    if is_folder:
        of_any = frozenset(suffix for each in FORMATS.values() for suffix in each.suffixes)
        check_folder_name(request.path, form, values, of_any)
    return is_folder


def check_target(
    state: State, request: ExportRequest, job: Job, provenance: Provenance | None = None
) -> TargetCheck:
    """Return what an export would replace, keep and report. Writes nothing; see `resolve`.

    Without a `provenance` of the right length, the files of a sharded export may be others.
    """
    try:
        resolved = resolve(state, request, job, provenance)
    except ExportError as error:
        return TargetCheck(refused=str(error))
    opened = [p for p in resolved.files if _is_opened(state.checkpoint, p)]
    copied = _copied_files_notice(resolved, job) if resolved.is_folder else ()
    return TargetCheck(
        replaced=tuple(path.name for path in resolved.replaced),
        kept=tuple(kept_name(path).name for path in opened),
        notices=(*copied, *resolved.notices),
    )


def _copied_files_notice(resolved: ResolvedExport, job: Job) -> tuple[str, ...]:
    """Return a notice about the files without weights that are copied from the opened folder."""
    names: dict[str, None] = {}
    for path, plan in resolved.plan(job).items():
        if _is_sidecar(path, plan):
            first, *more = path.relative_to(resolved.target).parts
            names[f"{first}/" if more else first] = None
    checkpoint = resolved.state.checkpoint
    for name in empty_modules(checkpoint):
        if not lexists(resolved.target / name):
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


class SealedFile(Protocol):
    """A file that is written and verified, but not yet renamed into place."""

    @property
    def target(self) -> Path:
        """The final path."""

    def commit(self) -> None:
        """Rename the file into place."""


@dataclass(frozen=True)
class PlannedFile:
    """A file of an export, and where to write it until all files are complete."""

    path: Path  # final path
    plan: Plan
    nbytes: int  # expected size in bytes
    target: Path  # path to write to: in a folder with a temporary name


# Writes and verifies files in order. `stack` deletes them unless they are committed.
MakeFiles = Callable[
    [Sequence[PlannedFile], contextlib.ExitStack, Job], Iterator[tuple[SealedFile, WrittenFile]]
]


def make_files(
    files: Sequence[PlannedFile], stack: contextlib.ExitStack, job: Job
) -> Iterator[tuple[SealedFile, WrittenFile]]:
    """Write files one after another in this process."""
    for file in files:
        if len(files) > 1:
            job.label(file.path.name)
        yield make_file(file, stack, job)


def write(
    resolved: ResolvedExport,
    job: Job,
    approve: Callable[[Path], None] | None = None,
    make: MakeFiles = make_files,
) -> ExportReport:
    """Write a resolved export; see `export`.

    Parameters
    ----------
    approve
        Called with the finished new folder before it is renamed into place; an exception aborts the
        export. Not called for a single file.
    make
        Writes the files.
    """
    checkpoint, request = resolved.state.checkpoint, resolved.request
    plans = resolved.plan(job)
    account = account_for(resolved.state, resolved.form, plans, request.omit, job)
    if resolved.is_folder:
        exact = (plan.nbytes for plan in plans.values() if plan.exact)
        check_disk_space(resolved.target, sum(exact))
    sizes = {path: plan.size(job) for path, plan in plans.items()}
    work = sum(plan.work + 2 * sizes[path] for path, plan in plans.items())
    job.start(work, resolved.target.name)
    files: list[SealedFile] = []
    written: list[WrittenFile] = []
    with contextlib.ExitStack() as stack:
        target_folder = None
        if resolved.is_folder:
            target_folder = stack.enter_context(TargetFolder(resolved.target))
            with target_folder.with_final_name():
                for name in empty_modules(checkpoint):
                    target_folder.make_folder(name)
        with contextlib.nullcontext() if target_folder is None else target_folder.with_final_name():
            planned = []
            for path, plan in plans.items():
                target = path
                if target_folder is not None:
                    target = target_folder.path_of(path.relative_to(resolved.target).as_posix())
                planned.append(PlannedFile(path, plan, sizes[path], target))
            for file, one in make(planned, stack, job):
                files.append(file)
                written.append(one)
        checkpoint.verify_unchanged()
        if target_folder is None:
            # Secondary files are renamed first: if the process is killed, none is missing next to
            # the file.
            kept = publish([*files[1:], files[0]], checkpoint.files, job)
        else:
            kept = publish(files, checkpoint.files, job, _index_files(checkpoint))
            if approve is not None:
                approve(target_folder.path)
            target_folder.commit()
    if kept and target_folder is None:
        checkpoint.path = kept[0]
    notices = dict.fromkeys(notice for plan in plans.values() for notice in plan.notices)
    rounding = Rounding.combined(plan.rounding for plan in plans.values())
    sentences = (*resolved.notices, *notices, *account)
    container = any(plan.container for plan in plans.values())
    report = _report(resolved, written, kept, sentences, rounding, container=container)
    if not resolved.is_folder:
        return replace(report, beside=tuple(plans)[1:])
    sidecar_paths = tuple([path for path, plan in plans.items() if _is_sidecar(path, plan)])
    return replace(report, beside=sidecar_paths)


def make_file(
    planned: PlannedFile,
    stack: contextlib.ExitStack,
    job: Job,
    begin: Callable[..., NewFile] = new_file,
) -> tuple[NewFile, WrittenFile]:
    """Write and verify a file; `stack` deletes it unless it is committed.

    Parameters
    ----------
    job
        Must have been started with twice the expected size; this function corrects the difference.
    begin
        Creates the file, with the signature of `new_file`.
    """
    plan, expected = planned.plan, planned.nbytes
    with contextlib.ExitStack() as preparing:
        if plan.prepare is not None:
            plan = preparing.enter_context(plan.prepare(job))
        file = stack.enter_context(begin(planned.target, plan.nbytes, job, exact=plan.exact))
        if plan.exact:
            job.extend(2 * (plan.nbytes - expected))
            expected = plan.nbytes
        for piece in plan.pieces():
            excess = file.taken + len(piece) - expected
            if excess > 0:
                job.extend(2 * excess)
                expected += excess
            job.cancel.check()
            file.write(piece)
        job.extend(2 * (file.taken - expected))
        return file, WrittenFile(planned.path, file.taken, file.seal())


def _report(
    resolved: ResolvedExport,
    written: Sequence[WrittenFile],
    kept: Sequence[Path],
    notices: Sequence[str],
    rounding: Rounding | None,
    *,
    container: bool,
) -> ExportReport:
    state, request, form = resolved.state, resolved.request, resolved.form
    remaining_originals = tuple(kept)
    if request.replace_original:
        for path in kept:
            with contextlib.suppress(OSError):
                path.unlink()
        remaining_originals = tuple(path for path in kept if path.exists())
    undo_ends = len(remaining_originals) < len(kept)
    cost = () if rounding is None else (describe(rounding.cost),)
    provenance = resolved.provenance
    broken = () if provenance is None else provenance.broken
    tensors = tuple(in_numeric_order([*_tensors(state)], attrgetter("name")))
    fully_pruned = [tensor.name for tensor in tensors if 0 < tensor.numel == tensor.pruned]
    sentences = [*(f"{each.sentence}." for each in broken), *notices, *cost]
    if fully_pruned:
        are = counted(len(fully_pruned), "tensor is", "tensors are")
        sentences.append(f"{are} pruned completely: {first_names(fully_pruned)}.")
    if undo_ends:
        sentences.append("The original was deleted, so undo ends here: open the new file to go on.")
    if request.replace_original:
        sentences.extend(f"'{path}' could not be deleted." for path in remaining_originals)
    if remaining_originals and not undo_ends:
        sentences.append(_kept_as(remaining_originals))
    return ExportReport(
        path=request.path,
        format=request.format,
        files=tuple(written),
        tensors=tensors,
        kept_originals=remaining_originals,
        undo_ends=undo_ends,
        notices=tuple(sentences),
        damage=cost if rounding is not None and rounding.cost.infinite else (),
        broken=broken,
        verified=True,  # `AtomicFile.seal` has compared every byte
        provenance={} if provenance is None else provenance.texts(form.name, resolved.values),
        omitted=omitted(state.checkpoint, request.omit),
        label=form.label,
        dtype=resolved.values.get(DTYPE.name, KEEP),
        loads=describe_loading(
            form.loads, LoadedModel.of(request.path, state, container=container)
        ),
    )


def _kept_as(originals: Sequence[Path]) -> str:
    names = first_names([path.name for path in originals])
    if len(originals) == 1:
        return f"The original is kept as {names}."
    return f"{len(originals):,} files of the original are kept beside the new ones, as {names}."


def _tensors(state: State) -> Iterator[WrittenTensor]:
    for entry in state.checkpoint.entries.values():
        zeroed = state.zeroed(entry.name)
        pruned = 0 if zeroed is None else zeroed.pruned
        yield WrittenTensor(entry.name, entry.numel, pruned, entry.learned)


def publish(
    files: Sequence[SealedFile],
    opened: Sequence[FileSource],
    job: Job,
    also_keep: Collection[Path] = (),
) -> list[Path]:
    """Commit written files in order. Return the originals that were kept.

    If one of them fails, the earlier ones are reverted. (If the process is killed in between, old
    and new files can be mixed, each of them complete, with the originals kept.)

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
                undo.callback(_put_old_file_back, file.target, was, original, source, path)
                if source is not None:
                    source.moved(original)
                kept.append(original)
            elif len(files) > 1:
                second_name = _second_name(file.target, was, claims)
                if second_name is not None or was is None:
                    undo.callback(_put_old_file_back, file.target, was, second_name)
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


def _second_name(
    target: Path, was: tuple[int, int] | None, claims: contextlib.ExitStack
) -> Path | None:
    """Create a hard link to an older export, to restore it on failure; None if not possible.

    The link is locked until `claims` are closed; after a crash it counts as abandoned.
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


def _put_old_file_back(
    target: Path,
    was: tuple[int, int] | None,
    old: Path | None,
    source: FileSource | None = None,
    path: Path | None = None,
) -> None:
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
            source.moved(path)
