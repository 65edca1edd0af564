"""Writing a shrunk model, and proving it before it is put in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.elements import Bits
from pruneapp.checkpoint.torchfile.exported_program import FORMAT, LABEL
from pruneapp.export.destination.sidecars import home_of
from pruneapp.export.exporter import check, resolve, write
from pruneapp.export.format import Plan
from pruneapp.export.provenance import Provenance
from pruneapp.export.records import State
from pruneapp.groups.binding import CONFIG
from pruneapp.progress import Job
from pruneapp.results.export import ExportReport, ExportRequest
from pruneapp.shrink import configuration
from pruneapp.shrink.cut import Cut, ShrinkError, TensorCut
from pruneapp.shrink.loader import LOADER, code
from pruneapp.shrink.plan import ShrinkPlan
from pruneapp.shrink.program_file import plan_program
from pruneapp.shrink.record import RECORD, record_of
from pruneapp.shrink.shrunk_state import ShrunkState

# Elements of the source that are held against the shrunk tensor together.
_SLAB = 1 << 20


@dataclass(frozen=True)
class ShrinkRequest:
    """Where a shrunk model goes, and in what."""

    path: Path  # a folder that is not there yet
    params: Mapping[str, Any]  # of the format
    # Looks at the folder when it is whole and before it has its name; what it raises stops it.
    approve: Callable[[Path], None] | None = None


def shrink(
    state: State,
    plan: ShrinkPlan,
    request: ShrinkRequest,
    job: Job,
    provenance: Provenance | None = None,
) -> ExportReport:
    """Write what is left of a state after a cut, as a folder of safetensors.

    With it go config.json, the record of the cut, and what else lay beside the model. The files
    are read back from the disk and put into zeros at the places that the cut names: that must be
    the state, bit for bit, but for the biases that took up constants. If it is not, or `approve`
    raises, nothing is left.

    Raises
    ------
    ExportError
        If the folder cannot be written; nothing was changed then.
    ShrinkError
        If there is nothing to cut, or the folder is there already, or the proof fails.
    """
    if plan.is_empty:
        raise ShrinkError(
            "There is nothing to cut: no unit is dead in every layer.",
            remedy="Prune units first, or choose what to cut.",
        )
    path = request.path
    if path.exists():
        raise ShrinkError(
            f"'{path}' is there already, and a shrunk model needs a folder of its own.",
            remedy="Name a new folder.",
        )
    shrunk = ShrunkState(state, plan.cut, plan.biases)
    exported = ExportRequest("safetensors", path, params=request.params)
    check(shrunk.checkpoint, exported)
    resolved = resolve(shrunk, exported, job, provenance)
    instead = {RECORD: record_of(plan.cut, tuple(plan.biases)).encoded()}
    if plan.config:
        instead[CONFIG] = configuration.encoded(plan.config)
    if plan.loader:
        instead[LOADER] = code()

    program = plan.structure.program

    def planned(job: Job) -> dict[Path, Plan]:
        plans = resolved.plan(job)
        if program is not None:
            name = f"{state.checkpoint.path.stem}.pt2"
            source = state.checkpoint.files[0]
            plans = {resolved.target / name: plan_program(shrunk, source, program, plan.cut, job)}
        return plans | {resolved.target / name: Plan.of(data) for name, data in instead.items()}

    def proven(folder: Path) -> None:
        with open_checkpoint(folder, job=job) as written:
            prove_back_again(state, plan.cut, written, job, folded=frozenset(plan.biases))
        if request.approve is not None:
            request.approve(folder)

    report = write(replace(resolved, plan=planned), job, approve=proven)
    if program is not None:
        (file, *_) = report.files
        report = replace(
            report, format=FORMAT, label=LABEL, loads=f"torch.export.load({str(file.path)!r})"
        )
    return replace(report, notices=(*plan.notices, *report.notices))


def prove_back_again(
    state: State, cut: Cut, written: Checkpoint, job: Job, *, folded: frozenset[str]
) -> None:
    """Put a shrunk model back into zeros, and hold it against the state; see `shrink`.

    `folded` are the biases that may differ where they took up constants, by their names in the
    source. Steps `job` by the elements of the source that are compared. Raises `ShrinkError`.
    """
    tensors = tuple(cut.tensors(state.checkpoint))
    job.extend(sum(each.source.numel for each in tensors))
    wanted = {each.entry.name for each in tensors}
    if extra := set(written.entries) - wanted:
        raise _defect(f"'{min(extra)}' was written and should not have been")
    for each in tensors:
        job.label(each.entry.name)
        there = written.entry(each.entry.name)
        if there.shape != each.entry.shape or there.dtype != each.entry.dtype:
            raise _defect(f"'{each.entry.name}' was written with the shape {there.shape}")
        if each.source.name not in folded:
            _compare(state, each, written, job)


def scattered(each: TensorCut, first: int, stop: int, written: Checkpoint) -> Bits:
    """Return rows `first` to `stop` (dim 0) of a tensor before the cut, zeros where it was cut."""
    shape = each.source.shape
    inner = int(np.prod(shape[1:], dtype=np.int64))
    rows = np.arange(first, stop)
    kept = each.kept.get(0)
    a, b = (first, stop) if kept is None else map(int, np.searchsorted(kept, (first, stop)))
    there = rows if kept is None else kept[a:b]
    small = int(np.prod(each.entry.shape[1:], dtype=np.int64))
    bits = written.bits(each.entry.name, a * small, b * small)
    result = np.zeros((stop - first, *shape[1:]), bits.dtype)
    places = [there - first]
    places += [each.kept.get(dim, np.arange(shape[dim])) for dim in range(1, len(shape))]
    result[np.ix_(*places)] = bits.reshape(b - a, *each.entry.shape[1:])
    return result.reshape((stop - first) * inner)


def _compare(state: State, each: TensorCut, written: Checkpoint, job: Job) -> None:
    source = each.source
    if not source.shape:
        return
    inner = int(np.prod(source.shape[1:], dtype=np.int64))
    step = max(_SLAB // max(inner, 1), 1)
    mask = state.zeroed(source.name)
    for first in range(0, source.shape[0], step):
        stop = min(first + step, source.shape[0])
        size = (stop - first) * inner
        for chunk in state.chunks(source.name, first * inner, stop * inner, max(size, 1)):
            if mask is not None:
                mask.zero(chunk.bits, chunk.start)
            block = chunk.bits.reshape(stop - first, *source.shape[1:])
            for dim, kept in each.kept.items():  # of what goes some need not be 0
                goes = np.ones(source.shape[dim], np.bool_)
                goes[kept] = False
                goes = goes[first:stop] if dim == 0 else goes
                block[(slice(None),) * dim + (goes,)] = 0
            back = scattered(each, first, stop, written)
            differs = np.flatnonzero(back != block.reshape(-1))
            # -0.0 is cut as +0.0 is.
            if np.any(back[differs]) or np.any(block.reshape(-1)[differs] << 1):
                raise _defect(f"'{source.name}' does not come back as it was")
            job.step(chunk.bits.size)


def _defect(what: str) -> ShrinkError:
    return ShrinkError(
        f"{what}, which is a defect of Pruneapp. Nothing was written.", remedy="Please report it."
    )


def home(checkpoint: Checkpoint) -> Path:
    """Return the folder that a model lies in."""
    return home_of(checkpoint)
