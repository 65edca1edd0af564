"""Check a shrunk model with its class before the folder is renamed into place."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.files import hidden_name
from pruneapp.checkpoint.model_folder import find_model
from pruneapp.errors import CheckpointError, ExportError, words_of
from pruneapp.export.exporter import export
from pruneapp.export.records import State
from pruneapp.export.report import ExportRequest
from pruneapp.export.rounding import DTYPE
from pruneapp.groups.family_groups import CONFIG
from pruneapp.groups.structure import Structure
from pruneapp.progress import Job
from pruneapp.shrink import configuration
from pruneapp.shrink.check import CheckOptions, CheckResult, FolderChecker, How
from pruneapp.shrink.cut import Cut, GroupCut
from pruneapp.shrink.plan import ShrinkPlan
from pruneapp.shrink.shrunk_state import ShrunkState

# Models with more bytes of weights than this run only their first layers in the check.
LARGE = 6_000_000_000
_FIRST = 2


@contextmanager
def class_proof(
    state: State,
    plan: ShrinkPlan,
    how: How,
    target: Path,
    job: Job,
    *,
    python: Path | None = None,
    checker: FolderChecker | None = None,
) -> Iterator[tuple[Callable[[Path], None], list[CheckResult]]]:
    """Yield the `approve` callback for `ShrinkRequest`, and the list that receives its results.

    For the check "run", the state is first written with its zeros into a hidden folder next to
    `target`, which is deleted when the context ends. Of a model of more than `LARGE` bytes only the
    first layers are written and run. For smaller models, the opened model is run as well, to
    measure the effect of the cut.

    Parameters
    ----------
    checker
        A running checker process, which keeps running; None starts one and stops it when the
        context ends.
    python
        Interpreter that has transformers installed; None searches for one. Ignored with `checker`.

    Raises
    ------
    CheckError, EvaluationError
        From the callback, as `pruneapp.shrink.check.check_folder` does.
    ExportError
        If the hidden folder cannot be written.
    """
    structure = plan.structure
    nbytes = sum(entry.nbytes for entry in state.checkpoint.entries.values())
    layers = structure.axes.get("layers")
    large = nbytes > LARGE and layers is not None and bool(layers.groups)
    options = check_options(plan, first_layers=_FIRST if large else None)
    original = None if large else _opened_folder(state.checkpoint, structure)
    results: list[CheckResult] = []
    with contextlib.ExitStack() as stack:
        masked = None
        if how == "run":
            masked = stack.enter_context(_hidden_folder(target))
            with _explaining_write_errors(masked):
                # Written as a folder of safetensors, whatever the format of the source.
                written = ShrunkState(
                    state, _first_layers(structure, options) if large else Cut(())
                )
                # Rounded alike: the check finds wrong cuts, and not what rounding changes.
                params = {DTYPE.name: plan.dtype}
                export(written, ExportRequest("safetensors", masked, params=params), job)
                config = configuration.with_dtype(structure.config, plan.dtype)
                (masked / CONFIG).write_bytes(configuration.encode_config(config))
        if checker is None:
            checker = stack.enter_context(FolderChecker(python))
        running = checker

        def approve(folder: Path) -> None:
            found = running.check(folder, masked, how, options, job, original=original)
            results.append(found)

        yield approve, results


def _opened_folder(checkpoint: Checkpoint, structure: Structure) -> Path | None:
    """Return the folder of the opened model if its class can load exactly this model from there.

    None if a file is not in the safetensors format, or if the folder contains another model too.
    """
    folder = structure.folder
    if any(file.path.suffix != ".safetensors" for file in checkpoint.files):
        return None
    with contextlib.suppress(CheckpointError):
        if checkpoint.path == folder or find_model(folder)[0] == (checkpoint.path,):
            return folder
    return None


def _first_layers(structure: Structure, options: CheckOptions) -> Cut:
    """Return a cut that keeps only the layers up to the last one that the check runs."""
    stacks = structure.axes["layers"].groups
    last = max(options.layers_run(group.place, group.count)[-1] for group in stacks)
    return Cut(tuple(GroupCut(g, np.arange(min(last + 1, g.count))) for g in stacks))


def check_options(plan: ShrinkPlan, first_layers: int | None = None) -> CheckOptions:
    """Return the parts of a cut that are not zeros in the state: layers, experts and tokens.

    With `first_layers`, only that many are run, and all stacks are listed, also with no removed
    layers.
    """
    layers, experts, tokens = {}, {}, None
    for cut in plan.cut.groups:
        group = cut.group
        if group.axis == "layers":
            layers[group.place] = cut.removed.tolist()
        elif group.axis == "experts" and group.layer is not None:
            experts[group.layer] = cut.kept.tolist()
        elif group.axis == "vocabulary":
            tokens = cut.kept.tolist()
    if first_layers is not None:
        stacks = plan.structure.axes["layers"].groups
        layers = {group.place: layers.get(group.place, []) for group in stacks}
    return CheckOptions(layers, experts, tokens, first_layers)


@contextmanager
def _hidden_folder(target: Path) -> Iterator[Path]:
    """Yield the path of a folder next to `target`, and delete it at the end. Does not create it."""
    folder = target.with_name(hidden_name(target.name, "masked"))
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)


@contextmanager
def _explaining_write_errors(folder: Path) -> Iterator[None]:
    """Convert an `OSError` in the block to `ExportError` about the hidden folder."""
    try:
        yield
    except OSError as error:
        raise ExportError(
            f"'{folder}', which the check needs, cannot be written: {words_of(error)}.",
            remedy="Free disk space there, or choose --check shapes.",
        ) from error
