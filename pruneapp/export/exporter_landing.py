"""What an export finds where it goes: what it would replace, and why it may not go there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.errors import ExportError
from pruneapp.export.catalog import get
from pruneapp.export.destination import folder
from pruneapp.export.destination.sidecars import home_of
from pruneapp.export.destination.target import check_folder, kept_name
from pruneapp.export.exporter import ExportRequest, also_kept, file_notices, file_target, is_folder
from pruneapp.export.format import Plan
from pruneapp.export.provenance import ProvenanceState, told
from pruneapp.export.records_state import State
from pruneapp.params_declared import validate_all
from pruneapp.progress import Job
from pruneapp.results.format_offer import Landing

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
