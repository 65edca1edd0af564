"""Having the class look at a shrunk model before it is put in place."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pruneapp.checkpoint.io.files import hidden_name
from pruneapp.errors import ExportError, words_of
from pruneapp.export.exporter import export
from pruneapp.export.records import State
from pruneapp.progress import Job
from pruneapp.results.export import ExportRequest
from pruneapp.shrink.check import CheckOptions, CheckResult, FolderChecker, How
from pruneapp.shrink.plan import ShrinkPlan

# Bytes of weights from which on only the first layers are run.
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
    """Give what `ShrinkRequest.approve` takes, and the list that its results come into.

    For ``run`` the state is written with its zeros first, into a hidden folder beside `target` that
    is gone when the context is left. Of a model of more than `LARGE` bytes the first layers are
    run. `checker` may be one that runs already, else a process is started and ended.

    Raises as `pruneapp.shrink.check.check_folder` and `export`.
    """
    nbytes = sum(entry.nbytes for entry in state.checkpoint.entries.values())
    results: list[CheckResult] = []
    with contextlib.ExitStack() as stack:
        masked = None
        if how == "run":
            masked = stack.enter_context(_folder_beside(target))
            with _naming(masked):
                export(state, ExportRequest("safetensors", masked), job)
        options = check_options(plan, first_layers=_FIRST if nbytes > LARGE else None)
        if checker is None:
            checker = stack.enter_context(FolderChecker(python))
        running = checker

        def approve(folder: Path) -> None:
            job.label(f"{how}: {plan.structure.model_type}")
            results.append(running.check(folder, masked, how, options, job))

        yield approve, results


def check_options(plan: ShrinkPlan, first_layers: int | None = None) -> CheckOptions:
    """Return what a cut did that no zeros say."""
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
        places = [g.place for g in plan.structure.axes["layers"].groups]
        layers = {place: layers.get(place, []) for place in places}
    return CheckOptions(layers, experts, tokens, first_layers)


@contextmanager
def _folder_beside(target: Path) -> Iterator[Path]:
    folder = target.with_name(hidden_name(target.name, "masked"))
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)


@contextmanager
def _naming(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ExportError(
            f"'{folder}', which the check needs, cannot be written: {words_of(error)}.",
            remedy="Free disk space there, or choose --check shapes.",
        ) from error
