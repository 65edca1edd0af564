"""Running an export: plan, write, read back, publish, report.

Writing one planned file, with progress that ends where the file does.

What an export finds where it goes: what it would replace, and why it may not go there.

Giving new files their names, several as one, and the originals a new one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.atomic_file import AtomicFile
from pruneapp.checkpoint.io.files import claim, hidden_name
from pruneapp.checkpoint.io.source import FileSource, let_go
from pruneapp.errors import ExportError
from pruneapp.export import plan as parts
from pruneapp.export.catalog import get
from pruneapp.export.completeness import account_for, omitted, refuse_unwritable
from pruneapp.export.destination import folder, sidecars
from pruneapp.export.destination.folder import (
    is_reserved,
    misnamed,
    refuse_file,
    refuse_reserved,
    refuse_shard,
    without_companions,
    without_folder,
)
from pruneapp.export.destination.sidecars import home_of, listed
from pruneapp.export.destination.target import (
    ExportTarget,
    check_file,
    check_folder,
    keep_original,
    kept_name,
)
from pruneapp.export.format import Format, Plan
from pruneapp.export.format_sizes import plans_of
from pruneapp.export.provenance import Provenance, ProvenanceState, metadata_of, told
from pruneapp.export.records import State
from pruneapp.export.report import ExportReport, WrittenFile, WrittenTensor
from pruneapp.export.rounding import cost
from pruneapp.params import validate_all
from pruneapp.progress import Job
from pruneapp.results.format_offer import Landing


class Sized:
    """A plan and how many bytes it is expected to write, so that progress ends where it should."""

    def __init__(self, plan: Plan, job: Job) -> None:
        self._plan = plan
        self._job = job
        self._expected = plan.nbytes if plan.expected is None else plan.expected(job)

    @property
    def work(self) -> int:
        """By how much writing it steps the job, as far as that is known."""
        return self._plan.work + 2 * self._expected

    def write(self, target: Path, stack: contextlib.ExitStack) -> tuple[AtomicFile, WrittenFile]:
        """Write and seal a file, which is gone with `stack` unless it is committed."""
        with contextlib.ExitStack() as preparing:
            plan = self._plan
            if plan.prepare is not None:
                plan = preparing.enter_context(plan.prepare(self._job))
            file = AtomicFile(target, plan.nbytes, self._job, exact=plan.exact)
            stack.enter_context(file)
            told = self._expected
            if plan.exact:
                self._job.extend(2 * (plan.nbytes - told))
                told = plan.nbytes
            for piece in plan.pieces():
                more = file.taken + len(piece) - told
                if more > 0:  # than the sample promised
                    self._job.extend(2 * more)
                    told += more
                self._job.cancel.check()
                file.write(piece)
            self._job.extend(2 * (file.taken - told))
            return file, WrittenFile(target, file.taken, file.seal())


def publish(
    files: Sequence[AtomicFile],
    opened: Sequence[FileSource],
    job: Job,
    also_keep: Collection[Path] = (),
) -> list[Path]:
    """Commit sealed files; where one takes the place of an open source, keep the original.

    All or none: if one of them cannot be committed, those before it are taken back. (A process
    that is killed between two of several may leave old files beside new ones, each of them
    whole, with the originals kept.)

    Parameters
    ----------
    files
        Sealed, in the order in which they are to appear.
    opened
        The files of the checkpoint; those that are replaced go on from the kept original.
    job
        May have to copy an original.
    also_keep
        Further files whose originals are kept: an index.

    Returns
    -------
    list of Path
        The originals that were kept.
    """
    kept: list[Path] = []
    spares: list[Path] = []
    with contextlib.ExitStack() as claims, contextlib.ExitStack() as undo:
        for file in files:
            was = _inode(file.target)
            source = next((s for s in opened if was == (s.identity.device, s.identity.inode)), None)
            if source is not None or (was is not None and file.target in also_keep):
                original = keep_original(file.target, job)
                path = source.path if source is not None else None
                undo.callback(_take_back, file.target, was, original, source, path)
                if source is not None:
                    source.moved(original)
                kept.append(original)
            elif len(files) > 1:
                spare = _spare(file.target, was, claims)
                if spare is not None or was is None:
                    undo.callback(_take_back, file.target, was, spare)
                if spare is not None:
                    spares.append(spare)
            file.commit()
        undo.pop_all()
        for spare in spares:
            with contextlib.suppress(OSError):
                spare.unlink()
    return kept


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _spare(target: Path, was: tuple[int, int] | None, claims: contextlib.ExitStack) -> Path | None:
    """Give an older export a second name, to put it back if need be; None if that cannot be.

    It is claimed until `claims` are closed: were this process killed, it would be abandoned.
    """
    if was is None:
        return None
    spare = target.with_name(hidden_name(target.name, "old"))
    try:
        os.link(target, spare)
    except OSError:
        return None  # no hard links here: this one file stays new, and whole
    with contextlib.suppress(OSError):
        fd = os.open(spare, os.O_RDONLY)
        claims.callback(let_go, fd)
        claim(fd)
    return spare


def _take_back(
    target: Path,
    was: tuple[int, int] | None,
    old: Path | None,
    source: FileSource | None = None,
    path: Path | None = None,
) -> None:
    # What lies there now tells whether the new file has the name already: an interrupt may come
    # between the renaming and our taking note of it.
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
    ``NAME.orig.EXT``, and the checkpoint goes on from there: `ExportReport.kept_originals`.

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
    config = sidecars.left(checkpoint, path.parent, values) if loaded else ()
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


# Names in a sentence; a sentence encoder has nine files beside its weights.
_SHOWN = 12


def landing(state: State, request: ExportRequest, job: Job) -> Landing:
    """Say what an export finds where it goes, and writes nothing.

    One file costs a few looks at the disk. For a folder every file is planned, as for its size:
    headers are read, no weights.

    Parameters
    ----------
    state
        What would be written; a `ProvenanceState` one, if `request` does not say where it comes
        from: how many files of a largest size there are depends on that.
    request
        What would be written where.
    job
        Looked at; may cancel.

    Raises
    ------
    CheckpointError
        If the source cannot be read any more.
    ParameterError
        If a value of the format's parameters breaks its rule.
    """
    try:
        return _found(state, request, job)
    except ExportError as error:
        return Landing(refused=str(error))


def _found(state: State, request: ExportRequest, job: Job) -> Landing:
    checkpoint = state.checkpoint
    form = get(request.format)
    values = validate_all(form.params, request.params)
    if is_folder(checkpoint, request.path, form, values):
        target = check_folder(request.path, follow_links=request.follow_links)
        if request.provenance is not None:
            state = ProvenanceState(state, request.provenance)
        state = told(state, form.name, values)
        plans, notices = folder.plan_all(state, form, values, target.path, job)
        paths = [target.path / name for name in plans]
        notices = (*target.notices, *_copied(checkpoint, plans), *notices)
    else:
        target = file_target(checkpoint, request, form)
        paths = [target.path]
        notices = file_notices(checkpoint, target, form, values)
    there = [path for path in paths if os.path.lexists(path)]
    kept = [path for path in there if _is_opened(checkpoint, path)]
    return Landing(
        replaced=tuple(path.name for path in there if path not in kept),
        kept=tuple(kept_name(path).name for path in kept),
        notices=notices,
    )


def _copied(checkpoint: Checkpoint, plans: Mapping[str, Plan]) -> tuple[str, ...]:
    """Say which files of the opened folder come along: those that hold no weights."""
    copies = [n for n, plan in plans.items() if not plan.names and not n.endswith(".index.json")]
    # Of what lies in a subfolder, that.
    names = dict.fromkeys(n if "/" not in n else f"{n.partition('/')[0]}/" for n in copies)
    if not names:
        return ()
    said = ", ".join(f"'{name}'" for name in [*names][:_SHOWN])
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return (f"Copied from '{home_of(checkpoint).name}': {said}{more}.",)


def _is_opened(checkpoint: Checkpoint, path: Path) -> bool:
    """Whether a file is one of the opened model's, which `publish` keeps."""
    try:
        status = path.stat()
    except OSError:  # a link that leads nowhere
        return False
    opened = {(s.identity.device, s.identity.inode) for s in checkpoint.files}
    return (status.st_dev, status.st_ino) in opened or path in also_kept(checkpoint)
