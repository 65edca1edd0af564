"""Write a shrunk model, and verify the written files before they are renamed into place."""

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
from pruneapp.checkpoint.elements import RawChunk
from pruneapp.checkpoint.formats.onnx import ONNX
from pruneapp.checkpoint.io.atomic_file import write_error
from pruneapp.checkpoint.io.files import exists, hidden_name, lexists
from pruneapp.checkpoint.io.store import is_store
from pruneapp.checkpoint.torchfile.exported_program import FORMAT
from pruneapp.errors import ExportError, first_names
from pruneapp.export.catalog import format_named
from pruneapp.export.destination.sidecars import SHRINK_RECORD, shrink_record_of
from pruneapp.export.destination.target import check_name, has_bytes
from pruneapp.export.exporter import export
from pruneapp.export.format import LoadedModel, Plan
from pruneapp.export.formats.exported_program import SUFFIX as PROGRAM_SUFFIX
from pruneapp.export.provenance import Provenance
from pruneapp.export.records import State
from pruneapp.export.report import ExportReport, ExportRequest
from pruneapp.export.rounding import DTYPE, KEEP, Rounding
from pruneapp.export.scripts import loading_code
from pruneapp.export.sharding import plan_weights
from pruneapp.groups.axis import fields_of
from pruneapp.groups.family_groups import CONFIG
from pruneapp.groups.onnx_graph import OnnxGraph
from pruneapp.groups.program_graph import ProgramGraph
from pruneapp.groups.structure import Structure
from pruneapp.kernels.threads import default_threads, map_in_order
from pruneapp.params import validate_all
from pruneapp.progress import Job
from pruneapp.shrink import configuration
from pruneapp.shrink.cut import CHOSEN, Cut, ShrinkError, TensorCut
from pruneapp.shrink.dead_units import find_unit_states, work_amount
from pruneapp.shrink.loader import LOADER, code, loader_of_file
from pruneapp.shrink.plan import ShrinkPlan
from pruneapp.shrink.program_file import plan_program
from pruneapp.shrink.record import record_of
from pruneapp.shrink.shrunk_state import ShrunkState

if TYPE_CHECKING:
    from pruneapp.shrink.check import CheckResult, How

# Functions that return the code that loads a file with a graph, by format.
_LOADERS = {ONNX.name: loading_code.onnx, FORMAT: loading_code.program}
# The dtype of sizes that a graph stores as tensors.
_SIZES = "I64"
# Number of elements of the source that are compared at a time.
_SLAB = 1 << 20


@dataclass(frozen=True)
class ShrinkRequest:
    """The target path of a shrunk model and the parameters of its format."""

    path: Path  # a folder or file
    params: Mapping[str, Any]  # parameters of the export format
    # Checks the finished folder before it is renamed into place; an exception aborts the export.
    approve: Callable[[Path], None] | None = None
    # Whether an existing file that is not part of the opened model is replaced.
    replace_file: bool = False


def shrink(
    state: State,
    plan: ShrinkPlan,
    request: ShrinkRequest,
    job: Job,
    provenance: Provenance | None = None,
) -> ExportReport:
    """Write the state without the removed units: a folder, or one file if the path names a file.

    A folder gets config.json, the record of the cut (`SHRINK_RECORD`) and the other files of the
    model. The record of a single file is ``NAME.shrink.json`` in the same folder. The written file
    is read back and compared bit by bit with the state at all kept places; at the removed places of
    dead units the state must be 0 or the unit must still be found dead. Biases that absorbed
    constants are not compared. If the comparison fails or `approve` raises, all written files are
    deleted.

    Returns
    -------
    ExportReport
        The written files, how to load them, and notices.

    Raises
    ------
    ExportError
        If the files cannot be written.
    ShrinkError
        If there is nothing to cut, the target exists, the comparison fails, or the model cannot be
        written as a single file with the suffix of the target.
    """
    path = request.path
    if not (request.replace_file and _is_replaceable(path, state.checkpoint)):
        refuse_existing(path)
    refuse_target(path, plan.structure)
    if plan.is_empty:
        raise ShrinkError(
            "There is nothing to remove: no unit is dead in every layer.",
            remedy="Prune units first, or choose what to remove.",
        )
    if not is_file_name(path):
        return _shrink_into(state, plan, request, path, "", job, provenance)
    folder = path.with_name(hidden_name(path.name, "cut"))
    try:
        report = _shrink_into(state, plan, request, folder, path.name, job, provenance)
        return _move_out_of_folder(report, folder, path)
    except ExportError as error:
        raise ExportError(
            error.sentence.replace(str(folder), str(path.parent)),
            remedy=error.remedy.replace(str(folder), str(path.parent)),
            details=error.details,
        ) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _move_out_of_folder(report: ExportReport, folder: Path, path: Path) -> ExportReport:
    """Move the files of `folder` into its parent folder, the model last; return the updated report.

    `path` is the model. It and its record may replace existing files, which a notice names. Raises
    `ShrinkError` if another file exists that differs, before anything is moved, and `ExportError`
    if moving fails.
    """
    targets = {file.path: path.with_name(file.path.name) for file in report.files}
    replaceable = {shrink_record_of(path).name, path.name}
    if path.exists():
        replaceable.add(f"{path.name}.data")  # of the replaced ONNX model
    replaced = []
    for source, target in targets.items():
        if not lexists(target):
            continue
        if target.name in replaceable:
            replaced.append(target.name)
        elif has_bytes(target, source.read_bytes()):
            source.unlink()
        else:
            raise ShrinkError(
                f"'{target}' already exists, and the model needs a file of this name.",
                remedy="Choose another name for the model.",
            )
    notices = report.notices
    if replaced:
        notices = (*notices, f"Existing files were replaced: {first_names(replaced)}.")
    for source, target in sorted(targets.items(), key=lambda pair: pair[1] == path):
        if source.exists():
            try:
                source.replace(target)
            except OSError as error:
                raise write_error(target, error, 0) from error
    files = tuple(replace(file, path=targets[file.path]) for file in report.files)
    main = next(file for file in files if file.path == path)
    other_files = tuple(file for file in files if file is not main)
    loads = report.loads.replace(repr(str(folder))[1:-1], repr(str(path.parent))[1:-1])
    sidecar_paths = tuple(targets[other] for other in report.beside)
    return replace(
        report,
        path=path,
        files=(main, *other_files),
        beside=sidecar_paths,
        loads=loads,
        notices=notices,
    )


def _shrink_into(  # noqa: PLR0917 - each its own type
    state: State,
    plan: ShrinkPlan,
    request: ShrinkRequest,
    folder: Path,
    name: str,
    job: Job,
    provenance: Provenance | None,
) -> ExportReport:
    """Write the model into a new folder; with a `name`, as a single file with that name."""
    shrunk = ShrunkState(state, plan.cut, plan.biases)
    graph = plan.structure.file_graph
    export_format = format_named(Path(name)) if name and graph is None else None
    params = {**request.params, **({} if plan.dtype == KEEP else {DTYPE.name: plan.dtype})}
    exported = ExportRequest("safetensors", folder, params=params)
    record = shrink_record_of(folder / name).name if name else SHRINK_RECORD
    script = loader_of_file(request.path).name if name else LOADER
    replacements: dict[str, bytes | None] = {
        **plan.files,
        record: record_of(plan.cut, tuple(plan.biases)).encode(),
    }
    if plan.config:
        replacements[CONFIG] = configuration.encode_config(plan.config)

    def amend_plans(target: Path, plans: dict[Path, Plan], job: Job) -> dict[Path, Plan]:
        if graph is not None:
            made = plan_with_graph(shrunk, plan.cut, graph, state.checkpoint, job, name)
            plans = {target / other: each for other, each in made.items()}
        elif export_format is not None:
            values = validate_all(export_format.params, params)
            path = folder / name
            made = plan_weights(
                shrunk, export_format, values, job, path=path, provenance=provenance
            )
            plans = {target / other: each for other, each in made.items()}
        loader = {}
        if plan.loader:
            files = [path.name for path in plans if is_file_name(path)]
            loader = {script: code(sorted(files), script)}
        for other, data in {**replacements, **loader}.items():
            path = target / other
            if data is not None:
                plans[path] = Plan.of(data)
            else:
                plans.pop(path, None)
        return plans

    def verify_and_approve(folder: Path) -> None:
        with open_checkpoint(folder / name, job=job) as written:
            folded, rounding = frozenset(plan.biases), Rounding.for_dtype(plan.dtype)
            verify_round_trip(state, plan.cut, written, job, folded=folded, rounding=rounding)
        if request.approve is not None:
            request.approve(folder)

    report = export(
        shrunk,
        exported,
        job,
        provenance,
        amend=amend_plans,
        written_as=export_format,
        approve=verify_and_approve,
    )
    loads = _loads(plan, report.files[0].path.absolute(), script)
    if graph is not None:
        contents = state.checkpoint.contents
        loads = _LOADERS[contents.format](LoadedModel(report.files[0].path))
        report = replace(report, format=contents.format, label=contents.label)
    others = plan.others.notices(Path(name))
    loading = (sentence.replace(LOADER, script) for sentence in plan.loading)
    notices = (*plan.notices, *others, *loading, *report.notices)
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
    """Call `shrink`, and check the folder with the model's class before it is renamed into place.

    A failed check deletes what was written.

    Parameters
    ----------
    how
        The kind of check; None checks nothing.
    python
        Interpreter that has transformers installed; None searches for one.

    Returns
    -------
    tuple
        The report of `shrink`, and the result of the check (an empty list without a check).

    Raises
    ------
    ShrinkError
        If `how` is given and no class of transformers loads the model, or as `shrink` does.
    CheckError, EvaluationError, ExportError
        As `class_proof` and `shrink` do.
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
            # Imported here because it starts processes, which a forecast does not need.
            from pruneapp.shrink.proof import class_proof

            proof = class_proof(state, plan, how, request.path, job, python=python)
            approve, results = stack.enter_context(proof)
            request = replace(request, approve=approve)
        report = shrink(state, plan, request, job, provenance)
    return report, results


def _loads(plan: ShrinkPlan, weights: Path, script: str) -> str:
    """Return Python code that loads the model: by the written script, timm or transformers.

    `weights` is its first file; `script` is the name of the script that may be written next to it.
    """
    folder = str(weights.parent)
    if plan.loader:
        return (
            f"import sys\nsys.path.insert(0, {folder!r})\n"
            f"from {Path(script).stem} import load_shrunk\n"
            "model = load_shrunk(model)  # an instance of your original class"
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
    return loading_code.transformers_folder(weights.parent, name)


def plan_with_graph(  # noqa: PLR0917 - each its own type
    shrunk: ShrunkState,
    cut: Cut,
    graph: ProgramGraph | OnnxGraph,
    source: Checkpoint,
    job: Job,
    name: str = "",
) -> dict[str, Plan]:
    """Plan a file that contains its graph, and further files that belong to it.

    Return plans by name.

    Without `name`, the file is named after the source.
    """
    if isinstance(graph, ProgramGraph):
        name = name or f"{source.path.stem}{PROGRAM_SUFFIX}"
        return {name: plan_program(shrunk, source.files[0], graph, cut, job)}
    from pruneapp.shrink.onnx_file import plan_onnx  # imports the optional package onnx

    return plan_onnx(shrunk, graph, cut, name or source.path.name, job)


def is_file_name(path: Path) -> bool:
    """Return whether a path has a suffix of a model file, so that a single file is written."""
    return format_named(path) is not None


def refuse_existing(path: Path) -> None:
    """Raise `ShrinkError` if a path exists, and `ExportError` if no file can have its name."""
    check_name(path)
    if exists(path):
        raise ShrinkError(
            f"'{path}' already exists, and a shrunk model is never written over something else.",
            remedy="Choose another name.",
        )


def _is_replaceable(path: Path, checkpoint: Checkpoint) -> bool:
    """Return whether a path is an existing regular file that is not part of the opened model."""
    if is_store(path) or not is_file_name(path) or path.is_symlink() or not path.is_file():
        return False
    return not any(path.samefile(file.path) for file in checkpoint.files)


def refuse_target(path: Path, structure: Structure) -> None:
    """Raise `ShrinkError` if a model with this structure cannot be a single file at this path.

    A path without the suffix of a model file is a folder. Raises `ExportError` if no system file
    can have the name.
    """
    check_name(path)
    if not is_file_name(path):
        return
    stem = path.name.partition(".")[0] or "small"
    if is_store(path):
        raise ShrinkError(
            f"'{path}' is the name of a file, and a shrunk model in a store is a folder.",
            remedy=f"Specify a folder, such as '{stem}'.",
        )
    graph = structure.file_graph
    if graph is not None:
        suffix, kind = PROGRAM_SUFFIX, "program of torch.export"
        if not isinstance(graph, ProgramGraph):
            suffix, kind = ONNX.suffixes[0], "model in ONNX"
        if not path.name.lower().endswith(suffix):
            raise ShrinkError(
                f"A shrunk {kind} contains its graph, but a file '{path.name}' cannot.",
                remedy=f"Name it '{stem}{suffix}', or name a folder.",
            )
    elif structure.config:
        raise ShrinkError(
            f"'{path.name}' is the name of a file, but shrinking changes '{CONFIG}' as well as the "
            "weights, so that both are written into a folder.",
            remedy=f"Specify a folder, such as '{stem}'.",
        )
    elif path.name.lower().endswith(PROGRAM_SUFFIX):
        raise ShrinkError(
            f"'{path.name}' is the name of a program of torch.export, and the opened file contains "
            "no graph.",
            remedy=f"Name it '{stem}.safetensors' or '{stem}.pt', or name a folder.",
        )


def verify_round_trip(
    state: State,
    cut: Cut,
    written: Checkpoint,
    job: Job,
    *,
    folded: frozenset[str],
    rounding: Rounding | None = None,
) -> None:
    """Compare the written checkpoint with the state at all kept places (see `shrink`).

    Parameters
    ----------
    folded
        Source names of the biases that absorbed constants; their values are not compared.
    rounding
        The dtype that the weights were rounded to; None if they keep theirs.
    job
        Extended and advanced by the number of source elements.

    Raises
    ------
    ShrinkError
        If a tensor is unexpected or different, or if a removed unit was not dead.
    UnknownTensorError
        If a tensor is missing.
    """
    tensors = tuple(cut.tensors(state.checkpoint))
    job.extend(sum(tensor.source.numel for tensor in tensors))
    expected_names = {tensor.entry.name for tensor in tensors}
    # A cut graph may contain new sizes: integer tensors that the source lacks.
    new = {name for name, entry in written.entries.items() if entry.dtype.name != _SIZES}
    if extra := new - expected_names:
        raise _defect(f"'{min(extra)}' was written and should not have been")
    stray: set[str] = set()
    compared = []
    for tensor in job.cancel.each(tensors):
        if tensor.entry.dtype.name == _SIZES and not written.holds(tensor.entry.name):
            continue
        written_entry = written.entry(tensor.entry.name)
        expected = tensor.entry if rounding is None else rounding.entry(tensor.entry)
        if (written_entry.shape, written_entry.dtype) != (expected.shape, expected.dtype):
            raise _defect(f"'{tensor.entry.name}' was written with the shape {written_entry.shape}")
        if tensor.source.name not in folded:
            compared.append(tensor)
    silent_job = Job(cancel=job.cancel)  # does not report progress: the threads share it
    results = map_in_order(
        compared,
        lambda tensor: _compare(state, tensor, cut, written, silent_job, rounding),
        job,
        default_threads(),
    )
    for tensor, is_stray in zip(compared, results, strict=True):
        job.step(tensor.source.numel, tensor.entry.name)
        if is_stray:
            stray.add(tensor.source.name)
    _verify_dead(state, cut, stray, job)


def _verify_dead(state: State, cut: Cut, names: set[str], job: Job) -> None:
    """Raise `ShrinkError` if a removed unit was not dead; checks only groups of the named tensors.

    Those tensors have nonzero values at removed places. That is allowed where the unit is dead for
    another reason, for example because its row in the matrix before is zero.
    """
    for cut_group in cut.groups:
        if cut_group.group.axis in CHOSEN or names.isdisjoint(cut_group.group.member_of):
            continue
        job.extend(work_amount(state, [cut_group.group]))
        (units,) = find_unit_states(state, [cut_group.group], job)
        if units.alive[cut_group.removed].any():
            raise _defect(f"a unit of '{cut_group.group.place}' was removed that is not dead")


def _compare(  # noqa: PLR0917 - each its own type
    state: State,
    tensor: TensorCut,
    cut: Cut,
    written: Checkpoint,
    job: Job,
    rounding: Rounding | None,
) -> bool:
    """Compare a written tensor with its source, which is rounded first.

    Return whether a removed entry of a dead unit is not 0. Raises `ShrinkError` if a kept element
    differs.
    """
    source, chosen = tensor.source, cut.chosen_dims(tensor.source.name)
    stray = False
    shape = source.shape or (1,)
    inner = math.prod(shape[1:])
    small = math.prod(tensor.entry.shape[1:])
    step = max(_SLAB // max(inner, 1), 1)
    mask, rows = state.export_mask(source.name), tensor.kept.get(0)
    for first in range(0, shape[0], step):
        stop = min(first + step, shape[0])
        a, b = (first, stop) if rows is None else map(int, np.searchsorted(rows, (first, stop)))
        size = max((stop - first) * inner, 1)
        for chunk in state.chunks(source.name, first * inner, stop * inner, size):
            if mask is not None:
                mask.zero(chunk.bits, chunk.start)
            whole = block = chunk.bits.reshape(stop - first, *shape[1:])
            for dim, kept in tensor.kept.items():
                if not stray and dim not in chosen:
                    removed_mask = np.ones(shape[dim], np.bool_)
                    removed_mask[kept] = False
                    removed = np.flatnonzero(removed_mask if dim else removed_mask[first:stop])
                    stray = bool(np.any(np.take(whole, removed, axis=dim) << 1))
                block = np.take(block, kept if dim else kept[a:b] - first, axis=dim)
            flat = block.reshape(-1)
            if rounding is not None and rounding.applies_to(tensor.entry):
                flat = rounding.round_chunk(tensor.entry, RawChunk(a * small, flat)).bits
            if not np.array_equal(flat, written.bits(tensor.entry.name, a * small, b * small)):
                raise _defect(f"'{source.name}' is not restored to its original values")
            job.step(chunk.bits.size)
    return stray


def _defect(what: str) -> ShrinkError:
    return ShrinkError(
        f"{what}, which is a bug in Pruneapp. Nothing was written.", remedy="Please report it."
    )
