"""Writing an export on a cluster: each file of weights by one worker, the rest by the client.

Workers write into a folder beside the target, the stage. A file gets its name there once it is on
the disk and compared; which those are, and with what checksum, stands in a list beside them, so
that a job that lost its cluster is taken up where it stopped. When all are there, the client puts
them in place, as it does with files of its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.atomic_file import flush_folder, write_error
from pruneapp.checkpoint.io.digest import bytes_left, remember_sha256, sha256_of
from pruneapp.checkpoint.io.files import lock, partial_name
from pruneapp.checkpoint.io.source import FileSource, close_quietly
from pruneapp.checkpoint.io.upload import write_whole
from pruneapp.cluster import tasks
from pruneapp.cluster.connection import Cluster, Work
from pruneapp.cluster.masks import ModelSource, StatePart
from pruneapp.cluster.steps import ClusterState, apply_actions
from pruneapp.cluster.tasks import entered, task
from pruneapp.errors import ClusterError, ClusterLostError, ExportError, PruneAppError
from pruneapp.export.catalog import get
from pruneapp.export.exporter import (
    PlannedFile,
    SealedFile,
    check,
    make_file,
    resolve,
    write,
)
from pruneapp.export.format import ExportPart, Plan
from pruneapp.export.provenance import Provenance, may_have_pattern, provenance_of
from pruneapp.progress import Job
from pruneapp.recipes.fit import fit
from pruneapp.recipes.recipe import Recipe, recipe_of
from pruneapp.results.export import ExportReport, ExportRequest, WrittenFile

_LIST = "job.json"
# How often the folder is removed while workers that were stopped still let go of their files.
_TRIES = 40


@dataclass(frozen=True)
class FileOrder:
    """What a worker needs to write a file of weights."""

    part: StatePart
    names: tuple[str, ...]
    source: int | None  # the file of the model that they come from, if it is one
    metadata: tuple[tuple[str, str], ...]
    suffix: str
    provenance: Provenance | None
    format: str
    values: tuple[tuple[str, Any], ...]
    nbytes: int

    @classmethod
    def of(cls, state: ClusterState, plan: Plan) -> FileOrder:
        """Say how a planned file is planned again; raises `ExportError` for what one must write."""
        origin = plan.origin
        assert origin is not None  # it holds tensors
        if plan.expected is not None or plan.prepare is not None or plan.container:
            raise ExportError(
                f"The format '{origin.format}' cannot be written on a cluster yet.",
                remedy="Choose safetensors, and convert it afterwards.",
            )
        part = origin.part
        names = tuple(entry.name for entry in part.entries)
        files = state.checkpoint.files
        return cls(
            state.part(names),
            names,
            None if part.source is None else files.index(part.source),
            tuple(part.metadata.items()),
            part.suffix,
            part.provenance,
            origin.format,
            tuple(origin.values.items()),
            plan.nbytes,
        )

    def plan(self, job: Job) -> Plan:
        """Plan the file again."""
        state = self.part.snapshot(job)
        checkpoint = state.checkpoint
        part = ExportPart(
            state,
            tuple(checkpoint.entries[name] for name in self.names),
            None if self.source is None else checkpoint.files[self.source],
            dict(self.metadata),
            self.suffix,
            self.provenance,
        )
        return get(self.format).plan(part, dict(self.values), job)


@dataclass(frozen=True)
class WrittenShard:
    """A file that lies on the stage, sealed; and what rounding cost in it."""

    nbytes: int
    sha256: str
    rounded: Mapping[tuple[str, int], Any]


@task
def write_file(order: FileOrder, path: Path) -> WrittenShard:
    """Write a file, beside its name until it is sealed."""
    with entered() as job, contextlib.ExitStack() as stack:
        plan = order.plan(job)
        if plan.nbytes != order.nbytes:
            raise ClusterError(
                f"'{path.name}' would have {plan.nbytes:,} bytes there, but {order.nbytes:,} were "
                "planned, which is a defect of Pruneapp.",
                remedy="Run it without --cluster, and report this.",
            )
        job.start(2 * plan.nbytes, path.name)
        file, written = make_file(PlannedFile(path, plan, plan.nbytes, path), stack, job)
        file.commit()
        rounded = {} if plan.rounding is None else plan.rounding.ranges
        return WrittenShard(written.nbytes, written.sha256, rounded)


@task
def check_file(path: Path, nbytes: int, sha256: str) -> bool:
    """Say whether a file is the one that was written."""
    with entered() as job:
        try:
            with contextlib.closing(FileSource(path)) as file:
                return file.size == nbytes and sha256_of(file, job) == sha256
        except PruneAppError:
            return False


class _Listed(msgspec.Struct):
    nbytes: int
    sha256: str


class _Manifest(msgspec.Struct):
    job: str  # what tells the job from others
    files: dict[str, _Listed]


@dataclass(frozen=True)
class StagedFile:
    """A file on the stage that a worker sealed."""

    staged: Path
    target: Path

    def commit(self) -> None:
        """Give it its name."""
        try:
            self.staged.replace(self.target)
        except OSError as error:
            raise write_error(self.target, error, 0) from error
        flush_folder(self.target.parent)


class Stage(contextlib.ExitStack):
    """The folder in which workers write; a context manager.

    It is gone with the context, unless the cluster went away: then it waits to be taken up again.
    """

    def __init__(self, target: Path, job_name: str, *, resume: bool) -> None:
        super().__init__()
        self._target = target
        self._name = job_name
        self._resume = resume
        self.path = target.with_name(partial_name(target.name))
        self._manifest = _Manifest(job_name, {})

    def __enter__(self) -> Self:
        found = self._stopped() if self._resume else None
        if found is not None:
            self.path, self._manifest = found
        else:
            try:
                self.path.mkdir()
            except OSError as error:
                raise write_error(self._target, error, 0) from error
        with contextlib.suppress(OSError):  # Windows opens no folders
            fd = os.open(self.path, os.O_RDONLY)
            self.callback(close_quietly, fd)
            lock(fd)
        return self

    def _stopped(self) -> tuple[Path, _Manifest] | None:
        """Return the folder of this very job that stopped before, if there is one."""
        prefix = f"{self._target.name}.partial-"
        for path in sorted(self._target.parent.iterdir()):
            if path.name.startswith(prefix) and path.is_dir():
                with contextlib.suppress(OSError, msgspec.MsgspecError):
                    data = (path / _LIST).read_bytes()
                    manifest = msgspec.json.decode(data, type=_Manifest)
                    if manifest.job == self._name:
                        return path, manifest
        return None

    @property
    def listed(self) -> Mapping[str, _Listed]:
        """The files that are said to be here."""
        return self._manifest.files

    def note(self, name: str, nbytes: int, sha256: str) -> None:
        """List a file, so that it need not be written again."""
        self._manifest.files[name] = _Listed(nbytes, sha256)
        write_whole(self.path / _LIST, msgspec.json.encode(self._manifest), Job())

    def forget(self, name: str) -> None:
        """Take a file off the list."""
        self._manifest.files.pop(name, None)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Remove the folder, unless the cluster is gone and something is there."""
        if isinstance(error, ClusterLostError) and self.listed:
            return super().__exit__(kind, error, trace)
        for _ in range(_TRIES):  # a worker may be about to remove a file of its own
            shutil.rmtree(self.path, ignore_errors=True)
            if not self.path.exists():
                break
            time.sleep(0.05)
        return super().__exit__(kind, error, trace)


class ClusterWriter:
    """Writes the files of an export on a cluster; see `pruneapp.export.exporter.MakeFiles`."""

    def __init__(self, state: ClusterState, target: Path, *, resume: bool) -> None:
        self._state = state
        self._cluster: Cluster = state.cluster
        self._target = target
        self._resume = resume

    def make(
        self, files: Sequence[PlannedFile], stack: contextlib.ExitStack, job: Job
    ) -> Iterator[tuple[SealedFile, WrittenFile]]:
        """Write and seal files: those of weights on the stage, small ones here."""
        weights = [file for file in files if file.plan.origin is not None]
        orders = [FileOrder.of(self._state, file.plan) for file in weights]
        stage = stack.enter_context(Stage(self._target, self._job_of(weights), resume=self._resume))
        names = [f"{number:05}-{file.path.name}" for number, file in enumerate(weights)]
        done = self._known(stage, names, job)
        left = [number for number, name in enumerate(names) if name not in done]
        works = [
            Work(
                write_file,
                (orders[number], stage.path / names[number]),
                2 * weights[number].nbytes,
                f"Writing {weights[number].path.name}",
            )
            for number in left
        ]
        job.extend(-sum(work.nbytes for work in works))  # the export has counted them already
        for at, result in self._cluster.each(works, job):
            number = left[at]
            done[names[number]] = result
            rounding = weights[number].plan.rounding
            if rounding is None:  # what it costs is known of files that were just written only
                stage.note(names[number], result.nbytes, result.sha256)
            else:
                rounding.ranges.update(result.rounded)
        staged = {file.path: name for file, name in zip(weights, names, strict=True)}
        for file in files:
            if file.path not in staged:
                yield make_file(file, stack, job)
                continue
            name = staged[file.path]
            written = WrittenFile(file.path, done[name].nbytes, done[name].sha256)
            yield StagedFile(stage.path / name, file.target), written

    def _known(self, stage: Stage, names: Sequence[str], job: Job) -> dict[str, WrittenShard]:
        """Return what was written before, as far as it is what was written."""
        some = [name for name in names if name in stage.listed]
        works = [
            Work(
                check_file,
                (stage.path / name, stage.listed[name].nbytes, stage.listed[name].sha256),
                stage.listed[name].nbytes,
                "Checking what is there",
            )
            for name in some
        ]
        known: dict[str, WrittenShard] = {}
        for name, good in zip(some, self._cluster.run(works, job), strict=True):
            listed = stage.listed[name]
            if good:
                known[name] = WrittenShard(listed.nbytes, listed.sha256, {})
            else:
                stage.forget(name)
        return known

    def _job_of(self, weights: Sequence[PlannedFile]) -> str:
        """Return what tells this job from others: what is written, and of what."""
        plans = [(str(file.path), file.nbytes) for file in weights]
        origin = weights[0].plan.origin
        assert origin is not None
        texts: dict[str, str] = {}
        if origin.part.provenance is not None:
            texts = origin.part.provenance.texts(origin.format, origin.values)
        return hashlib.sha256(repr((plans, sorted(texts.items()))).encode()).hexdigest()


def export_recipe(
    cluster: Cluster,
    checkpoint: Checkpoint,
    recipe: Recipe,
    request: ExportRequest,
    job: Job,
    *,
    resume: bool = False,
) -> ExportReport:
    """Do what a recipe says to a model, and write the result, all on a cluster.

    The same files and the same report as of one machine. Raises as
    `pruneapp.export.exporter.export` and `pruneapp.cluster.steps.apply_actions`.
    """
    check(checkpoint, request)
    fitted = fit(recipe, checkpoint, job)
    with hashed_by(cluster, checkpoint, job):
        first = ClusterState(cluster, checkpoint)
        state, done = apply_actions(first, fitted, recipe.where, job)
    origin = provenance_on(state, recipe_of(checkpoint, done), job)
    resolved = resolve(state, request, job, origin)
    writer = ClusterWriter(state, resolved.target, resume=resume)
    return write(resolved, job, make=writer.make)


@contextlib.contextmanager
def hashed_by(cluster: Cluster, checkpoint: Checkpoint, job: Job) -> Iterator[None]:
    """Have the files of a model hashed by workers while the block does something else with them."""
    model = ModelSource.of(checkpoint)
    files = [(n, file) for n, file in enumerate(checkpoint.files) if bytes_left(file)]
    with cluster.kept() as keep:
        futures = [keep(Work(tasks.hash_file, (model, number))) for number, _ in files]
        yield
        job.extend(sum(file.size for _, file in files))
        cluster.wait(futures, [file.size for _, file in files], job, "Checksums")
        for (_, file), future in zip(files, futures, strict=True):
            remember_sha256(file, cluster.result(future, job))


def provenance_on(state: ClusterState, recipe: Recipe, job: Job) -> Provenance:
    """Return where an export of a state comes from; see `provenance_of`."""
    found = provenance_of(state, recipe, job)
    # Nothing restores or protects weights here, so that no pattern is broken.
    return replace(found, pattern=state.pattern(job)) if may_have_pattern(recipe) else found
