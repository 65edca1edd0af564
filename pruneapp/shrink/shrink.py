"""Writing a shrunk model, and proving it before it is put in place."""

from __future__ import annotations

import contextlib
import math
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.formats.onnx import ONNX
from pruneapp.checkpoint.io.atomic_file import write_error
from pruneapp.checkpoint.io.files import hidden_name
from pruneapp.checkpoint.io.store import is_store
from pruneapp.checkpoint.torchfile.exported_program import FORMAT
from pruneapp.errors import ExportError
from pruneapp.export.catalog import format_named
from pruneapp.export.destination.target import has_bytes
from pruneapp.export.exporter import check, resolve, write
from pruneapp.export.format import Plan
from pruneapp.export.formats.exported_program import SUFFIX as PROGRAM_SUFFIX
from pruneapp.export.provenance import Provenance
from pruneapp.export.records import State
from pruneapp.export.sharding import plan_weights
from pruneapp.groups.axis import fields_of
from pruneapp.groups.family_groups import CONFIG
from pruneapp.groups.onnx_graph import OnnxGraph
from pruneapp.groups.program_graph import ProgramGraph
from pruneapp.groups.structure import Structure
from pruneapp.kernels.threads import default_threads, in_order
from pruneapp.params import validate_all
from pruneapp.progress import Job
from pruneapp.results.export import ExportReport, ExportRequest
from pruneapp.shrink import configuration
from pruneapp.shrink.cut import CHOSEN, Cut, ShrinkError, TensorCut
from pruneapp.shrink.dead_units import units_left, work_of
from pruneapp.shrink.loader import LOADER, code
from pruneapp.shrink.plan import ShrinkPlan
from pruneapp.shrink.program_file import plan_program
from pruneapp.shrink.record import RECORD, record_name, record_of
from pruneapp.shrink.shrunk_state import ShrunkState

if TYPE_CHECKING:
    from pruneapp.shrink.check import CheckResult, How

# What loads a file that holds its graph, by its format.
_LOADERS = {ONNX.name: "onnxruntime.InferenceSession", FORMAT: "torch.export.load"}
# The type in which graphs have their sizes.
_SIZES = "I64"
# Elements of the source that are held against the shrunk tensor together.
_SLAB = 1 << 20


@dataclass(frozen=True)
class ShrinkRequest:
    """Where a shrunk model goes, and in what."""

    path: Path  # a folder or a file that does not exist yet
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
    """Write a state without the units of a cut, as a folder, or as one file if the name is one's.

    A folder gets config.json, the record of the cut, and the other files of the model. Beside a
    file, the record is ``NAME.shrink.json``. What was written is read back and expanded with zeros
    at the places that the cut names: that must be the state with zeros at all places of the removed
    units, bit for bit, except for biases that absorbed constants. If it is not, or `approve`
    raises, nothing is left.

    Raises
    ------
    ExportError
        If it cannot be written; nothing was changed then.
    ShrinkError
        If there is nothing to cut, or the target exists already, or the proof fails, or the model
        cannot be one file of that name.
    """
    path = request.path
    refuse_target(path, plan.structure)
    if plan.is_empty:
        raise ShrinkError(
            "There is nothing to cut: no unit is dead in every layer.",
            remedy="Prune units first, or choose what to cut.",
        )
    if not names_file(path):
        return _shrink_into(state, plan, request, path, "", job, provenance)
    folder = path.with_name(hidden_name(path.name, "cut"))
    try:
        report = _shrink_into(state, plan, request, folder, path.name, job, provenance)
        return _moved_out(report, folder, path)
    except ExportError as error:
        raise ExportError(
            error.sentence.replace(str(folder), str(path.parent)),
            remedy=error.remedy.replace(str(folder), str(path.parent)),
            details=error.details,
        ) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _moved_out(report: ExportReport, folder: Path, path: Path) -> ExportReport:
    """Move the files of a folder into the one around it, the model last."""
    targets = {file.path: path.with_name(file.path.name) for file in report.files}
    record = record_name(path.name)
    for source, target in targets.items():
        if target.name not in {record, LOADER, path.name} and target.exists():
            raise ShrinkError(
                f"'{target}' already exists, and the model needs a file of this name.",
                remedy="Choose another name for the model.",
            )
        if target.name == LOADER and has_bytes(target, code()):
            source.unlink()
    for source, target in sorted(targets.items(), key=lambda pair: pair[1] == path):
        if source.exists():
            try:
                source.replace(target)
            except OSError as error:
                raise write_error(target, error, 0) from error
    files = tuple(replace(file, path=targets[file.path]) for file in report.files)
    main = next(file for file in files if file.path == path)
    others = tuple(file for file in files if file is not main)
    loads = report.loads.replace(repr(str(folder))[1:-1], repr(str(path.parent))[1:-1])
    beside = tuple(targets[other] for other in report.beside)
    return replace(report, path=path, files=(main, *others), beside=beside, loads=loads)


def _shrink_into(  # noqa: PLR0917 - each its own type
    state: State,
    plan: ShrinkPlan,
    request: ShrinkRequest,
    folder: Path,
    name: str,
    job: Job,
    provenance: Provenance | None,
) -> ExportReport:
    """Write a folder; with a `name` the model is one file of that name in it."""
    shrunk = ShrunkState(state, plan.cut, plan.biases)
    graph = plan.structure.graph
    form = format_named(Path(name)) if name and graph is None else None
    exported = ExportRequest("safetensors", folder, params=request.params)
    check(shrunk.checkpoint, exported)
    resolved = resolve(shrunk, exported, job, provenance)
    if form is not None:
        resolved = replace(resolved, form=form, values=validate_all(form.params, request.params))
    record = record_name(name) if name else RECORD
    instead: dict[str, bytes | None] = {
        **plan.files,
        record: record_of(plan.cut, tuple(plan.biases)).encoded(),
    }
    if plan.config:
        instead[CONFIG] = configuration.encoded(plan.config)
    if plan.loader:
        instead[LOADER] = code()

    def planned(job: Job) -> dict[Path, Plan]:
        if graph is None and form is None:
            plans = dict(resolved.plan(job))
        else:
            made = (
                plan_weights(
                    shrunk,
                    resolved.form,
                    resolved.values,
                    job,
                    path=folder / name,
                    provenance=provenance,
                )
                if graph is None
                else plan_with_graph(shrunk, plan.cut, graph, state.checkpoint, job, name)
            )
            plans = {resolved.target / other: each for other, each in made.items()}
        for other, data in instead.items():
            path = resolved.target / other
            if data is not None:
                plans[path] = Plan.of(data)
            else:
                plans.pop(path, None)
        return plans

    def proven(folder: Path) -> None:
        with open_checkpoint(folder / name, job=job) as written:
            prove_back_again(state, plan.cut, written, job, folded=frozenset(plan.biases))
        if request.approve is not None:
            request.approve(folder)

    report = write(replace(resolved, plan=planned), job, approve=proven)
    loads = _loads(plan, report.files[0].path.absolute(), one_file=bool(name))
    if graph is not None:
        contents = state.checkpoint.contents
        loads = f"{_LOADERS[contents.format]}({str(report.files[0].path)!r})"
        report = replace(report, format=contents.format, label=contents.label)
    elif form is not None:
        report = replace(report, format=form.name, label=form.label)
    notices = (*plan.notices, *plan.loading, *report.notices)
    return replace(report, loads=loads, notices=notices)


def shrink_checked(
    state: State,
    plan: ShrinkPlan,
    request: ShrinkRequest,
    job: Job,
    provenance: Provenance | None = None,
    *,
    how: How | None = None,
    python: Path | None = None,
) -> tuple[ExportReport, list[CheckResult]]:
    """Do what `shrink` does, and ask the class of the model before the folder gets its name.

    `how` it is asked; None for not at all. `python` is the one that has transformers, if it is not
    to be found. Raises as `shrink` and `pruneapp.shrink.proof.class_proof`, and `ShrinkError` if no
    class of transformers configures the model.
    """
    if how is not None and not plan.structure.has_class:
        raise ShrinkError(
            "Only a model that transformers loads has a class to check against, and this is not "
            f"one (got '--check {how}').",
            remedy="Choose --check shapes, which reads back and compares what was written.",
        )
    results: list[CheckResult] = []
    with contextlib.ExitStack() as stack:
        if how is not None and not plan.is_empty:
            # It brings processes with it, which a forecast does without.
            from pruneapp.shrink.proof import class_proof

            proof = class_proof(state, plan, how, request.path, job, python=python)
            approve, results = stack.enter_context(proof)
            request = replace(request, approve=approve)
        report = shrink(state, plan, request, job, provenance)
    return report, results


def _loads(plan: ShrinkPlan, weights: Path, *, one_file: bool) -> str:
    """Return how a folder is loaded; `weights` is the first of its files."""
    folder = str(weights.parent)
    if plan.loader:
        which = f", [{str(weights)!r}]" if one_file else ""
        return (
            f"import sys\nsys.path.insert(0, {folder!r})\n"
            "from load_shrunk import load_shrunk\n"
            f"model = load_shrunk(model{which})  # your class, as wide as it was"
        )
    if plan.structure.blocks:
        config, name = plan.config, plan.structure.model_type
        given = {key: config[key] for key in ("num_classes",) if key in config}
        given |= fields_of(config, plan.structure.inside)
        return (
            f"import timm\nmodel = timm.create_model({name!r}, checkpoint_path={str(weights)!r}, "
            f"**{given!r})"
        )
    named = plan.config.get("architectures")
    (name,) = named if isinstance(named, list) and len(named) == 1 else ("AutoModel",)
    name = name if isinstance(name, str) and name.isidentifier() and name.isascii() else "AutoModel"
    return f"from transformers import {name}\nmodel = {name}.from_pretrained({folder!r})"


def plan_with_graph(  # noqa: PLR0917 - each its own type
    shrunk: ShrunkState,
    cut: Cut,
    graph: ProgramGraph | OnnxGraph,
    source: Checkpoint,
    job: Job,
    name: str = "",
) -> dict[str, Plan]:
    """Plan a file that holds its graph, and further files that belong to it, by their names.

    Without a `name` the file has that of the source.
    """
    if isinstance(graph, ProgramGraph):
        name = name or f"{source.path.stem}{PROGRAM_SUFFIX}"
        return {name: plan_program(shrunk, source.files[0], graph, cut, job)}
    from pruneapp.shrink.onnx_file import plan_onnx  # with the package onnx

    return plan_onnx(shrunk, graph, cut, name or source.path.name, job)


def names_file(path: Path) -> bool:
    """Whether a path has the name of a file, so that a shrunk model is written as one file."""
    return format_named(path) is not None


def refuse_target(path: Path, structure: Structure | None = None) -> None:
    """Raise `ShrinkError` if a shrunk model cannot go to a path, as far as is known before.

    `structure` is that of the model, if it is known already.
    """
    if path.exists():
        raise ShrinkError(
            f"'{path}' already exists, and a shrunk model is never written over something else.",
            remedy="Choose another name.",
        )
    if structure is None or not names_file(path):
        return
    stem = path.name.partition(".")[0] or "small"
    if is_store(path):
        raise ShrinkError(
            f"'{path}' is the name of a file, and a shrunk model in a store is a folder.",
            remedy=f"Name a folder, such as '{stem}'.",
        )
    graph = structure.graph
    if graph is not None:
        suffix, kind = PROGRAM_SUFFIX, "program of torch.export"
        if not isinstance(graph, ProgramGraph):
            suffix, kind = ONNX.suffixes[0], "model in ONNX"
        if not path.name.lower().endswith(suffix):
            raise ShrinkError(
                f"A cut {kind} contains its graph, which '{path.name}' cannot, by its name.",
                remedy=f"Name it '{stem}{suffix}', or name a folder.",
            )
    elif structure.config:
        raise ShrinkError(
            f"'{path.name}' is the name of a file, but a cut changes '{CONFIG}' as well as the "
            "weights, so that both are written into a folder.",
            remedy=f"Name a folder, such as '{stem}'.",
        )
    elif path.name.lower().endswith(PROGRAM_SUFFIX):
        raise ShrinkError(
            f"'{path.name}' is the name of a program of torch.export, and the model has no graph.",
            remedy=f"Name it '{stem}.safetensors' or '{stem}.pt', or name a folder.",
        )


def prove_back_again(
    state: State, cut: Cut, written: Checkpoint, job: Job, *, folded: frozenset[str]
) -> None:
    """Hold what was written against the state, at all places that stay; see `shrink`.

    `folded` are the biases that may differ where they took up constants, by their names in the
    source. What went with dead units need not be 0 in the state: then they are looked at again.
    Steps `job` by the elements of the source that are compared. Raises `ShrinkError`.
    """
    tensors = tuple(cut.tensors(state.checkpoint))
    job.extend(sum(each.source.numel for each in tensors))
    wanted = {each.entry.name for each in tensors}
    # A graph may get sizes of its own: whole numbers beside the weights.
    new = {name for name, entry in written.entries.items() if entry.dtype.name != _SIZES}
    if extra := new - wanted:
        raise _defect(f"'{min(extra)}' was written and should not have been")
    stray: set[str] = set()
    compared = []
    for each in job.cancel.each(tensors):
        if each.entry.dtype.name == _SIZES and not written.holds(each.entry.name):
            continue
        there = written.entry(each.entry.name)
        if there.shape != each.entry.shape or there.dtype != each.entry.dtype:
            raise _defect(f"'{each.entry.name}' was written with the shape {there.shape}")
        if each.source.name not in folded:
            compared.append(each)
    quiet = Job(cancel=job.cancel)  # of the threads
    works = in_order(
        compared,
        lambda each: _compare(state, each, cut, written, quiet),
        job,
        default_threads(),
    )
    for each, is_stray in zip(compared, works, strict=True):
        job.step(each.source.numel, each.entry.name)
        if is_stray:
            stray.add(each.source.name)
    _prove_dead(state, cut, stray, job)


def _prove_dead(state: State, cut: Cut, names: set[str], job: Job) -> None:
    """Refuse units that went and were not dead, of groups with tensors in which they were not 0.

    A row of zeros leaves a unit dead whatever its weights in the next matrix are.
    """
    for each in cut.groups:
        if each.group.axis in CHOSEN or names.isdisjoint(each.group.member_of):
            continue
        job.extend(work_of(state, [each.group]))
        (units,) = units_left(state, [each.group], job)
        if units.alive[each.removed].any():
            raise _defect(f"a unit of '{each.group.place}' went that is not dead")


def _compare(state: State, each: TensorCut, cut: Cut, written: Checkpoint, job: Job) -> bool:
    """Hold a tensor against its source; returns whether anything went with a dead unit but 0."""
    source, chosen = each.source, cut.chosen_dims(each.source.name)
    stray = False
    shape = source.shape or (1,)
    inner = math.prod(shape[1:])
    small = math.prod(each.entry.shape[1:])
    step = max(_SLAB // max(inner, 1), 1)
    mask, rows = state.zeroed(source.name), each.kept.get(0)
    for first in range(0, shape[0], step):
        stop = min(first + step, shape[0])
        a, b = (first, stop) if rows is None else map(int, np.searchsorted(rows, (first, stop)))
        size = max((stop - first) * inner, 1)
        for chunk in state.chunks(source.name, first * inner, stop * inner, size):
            if mask is not None:
                mask.zero(chunk.bits, chunk.start)
            whole = block = chunk.bits.reshape(stop - first, *shape[1:])
            for dim, kept in each.kept.items():
                if not stray and dim not in chosen:
                    goes = np.ones(shape[dim], np.bool_)
                    goes[kept] = False
                    gone = np.flatnonzero(goes if dim else goes[first:stop])
                    stray = bool(np.any(np.take(whole, gone, axis=dim) << 1))
                block = np.take(block, kept if dim else kept[a:b] - first, axis=dim)
            if not np.array_equal(
                block.reshape(-1), written.bits(each.entry.name, a * small, b * small)
            ):
                raise _defect(f"'{source.name}' does not come back as it was")
            job.step(chunk.bits.size)
    return stray


def _defect(what: str) -> ShrinkError:
    return ShrinkError(
        f"{what}, which is a defect of Pruneapp. Nothing was written.", remedy="Please report it."
    )
