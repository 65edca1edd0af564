"""Write an export on a cluster: workers write the files of weights, the client all others.

Workers write into a staging folder next to the target. A file is renamed there once it is flushed
to disk and verified. A list in the same folder has the finished files with their checksums, so that
an interrupted job can be resumed. When all files are there, the client moves them to the target, as
it does with files that it writes itself.

In S3 the stage is a set of multipart uploads, listed in an object next to the target. The client
begins the uploads, workers send the parts, and at the end the client completes the uploads, which
makes the objects visible. Workers then read the objects back and compare them before the export is
reported as done.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.atomic_file import flush_folder, write_error
from pruneapp.checkpoint.io.digest import bytes_left, remember_sha256, sha256_of
from pruneapp.checkpoint.io.files import lock, partial_name
from pruneapp.checkpoint.io.object_source import open_source
from pruneapp.checkpoint.io.source import close_quietly
from pruneapp.checkpoint.io.store import POOL, StorePath, is_store, locate, split
from pruneapp.checkpoint.io.upload import (
    BegunUpload,
    NewFile,
    ObjectFile,
    SealedFile,
    new_file,
    object_error,
    other_bytes_error,
    write_whole,
)
from pruneapp.cluster import tasks
from pruneapp.cluster.connection import Cluster, Work, connect
from pruneapp.cluster.masks import ModelSource, StatePart
from pruneapp.cluster.steps import ClusterState, apply_actions, refuse_action
from pruneapp.cluster.tasks import task, task_job
from pruneapp.errors import ClusterError, ClusterLostError, ExportError, JsonError, PruneAppError
from pruneapp.export.catalog import get
from pruneapp.export.exporter import check, export, make_file
from pruneapp.export.format import ExportPart, Plan
from pruneapp.export.formats.safetensors import SAFETENSORS
from pruneapp.export.provenance import Provenance, may_have_pattern, provenance_of
from pruneapp.export.report import ExportReport, ExportRequest, WrittenFile
from pruneapp.json_codec import decode, encode
from pruneapp.progress import Job
from pruneapp.recipes.fit import fit
from pruneapp.recipes.recipe import Recipe, recipe_of

_LIST = "job.json"
# Attempts to remove the folder while stopped workers may still be closing their files.
_TRIES = 40


@dataclass(frozen=True)
class FileOrder:
    """A description of a file of weights, sufficient for a worker to write it."""

    part: StatePart
    names: tuple[str, ...]
    # index of the model's file that the tensors come from; None if there are several
    source: int | None
    metadata: tuple[tuple[str, str], ...]
    suffix: str
    provenance: Provenance | None
    format: str
    values: tuple[tuple[str, Any], ...]
    nbytes: int

    @classmethod
    def of(cls, state: ClusterState, plan: Plan) -> FileOrder:
        """Return the order for a planned file of weights.

        Raises `ExportError` for plans that only a single machine can write.
        """
        part = plan.part
        assert part is not None  # it holds tensors
        if plan.expected is not None or plan.prepare is not None or plan.container:
            raise _not_written(part.format)
        names = tuple(entry.name for entry in part.entries)
        files = state.checkpoint.files
        return cls(
            state.part(names),
            names,
            None if part.source is None else files.index(part.source),
            tuple(part.metadata.items()),
            part.suffix,
            part.provenance,
            part.format,
            tuple(part.values.items()),
            plan.nbytes,
        )

    def plan(self, job: Job) -> Plan:
        """Open the model on the worker, and plan the file there again.

        Raises what `ModelSource.open` and the `plan` of the format raise.
        """
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
    """A verified file on the stage, with the errors by rounding in it.

    For an upload, `tags` are the entity tags of its parts.
    """

    nbytes: int
    sha256: str
    rounded: Mapping[tuple[str, int], Any]
    tags: tuple[str, ...] = ()


@task
def write_file(order: FileOrder, place: Path | BegunUpload) -> WrittenShard:
    """Write a file to `place` under a temporary name, or as parts of an upload, and verify it.

    Runs on a worker. A file is renamed to `place` and replaces one of that name; an upload is not
    completed. Raises `ClusterError` if the size is not that of the plan on the client, and what
    `make_file` raises.
    """
    with task_job() as job, contextlib.ExitStack() as stack:
        plan = order.plan(job)
        begin: Callable[..., NewFile] = new_file
        if isinstance(place, BegunUpload):
            path: Path = place.path
            begin = partial(ObjectFile, begun=place)
        else:
            path = place
        if plan.nbytes != order.nbytes:
            raise ClusterError(
                f"'{path.name}' would have {plan.nbytes:,} bytes there, but {order.nbytes:,} were "
                "planned, which is a bug in Pruneapp.",
                remedy="Run it without --cluster, and report this.",
            )
        job.start(2 * plan.nbytes, path.name)
        file, written = make_file(path, plan, stack, job, begin)
        tags: tuple[str, ...] = ()
        if isinstance(file, ObjectFile):
            tags = file.tags
        else:
            file.commit()
        rounded = {} if plan.rounding is None else plan.rounding.ranges
        return WrittenShard(written.nbytes, written.sha256, rounded, tags)


@task
def check_file(path: Path, nbytes: int, sha256: str) -> bool:
    """Return whether a file has the given size and checksum; False if it cannot be read.

    The checksum is computed from the whole file, unless the size differs.
    """
    with task_job() as job:
        try:
            with contextlib.closing(open_source(path)) as file:
                return file.size == nbytes and sha256_of(file, job) == sha256
        except PruneAppError:
            return False


class _Listed(msgspec.Struct):
    nbytes: int
    sha256: str
    tags: str = ""  # the SHA-256 of the tags of an upload's parts


class _Begun(msgspec.Struct):
    url: str
    upload_id: str
    mark: str


class _Manifest(msgspec.Struct):
    job: str  # digest that identifies the job
    files: dict[str, _Listed]
    uploads: dict[str, _Begun] = {}


@dataclass(frozen=True)
class StagedFile:
    """A verified file in the staging folder."""

    staged: Path
    target: Path

    def commit(self) -> None:
        """Move the file to its target."""
        try:
            self.staged.replace(self.target)
        except OSError as error:
            raise write_error(self.target, error, 0) from error
        flush_folder(self.target.parent)


class Stage(contextlib.ExitStack):
    """The place where workers write, and the list of finished files; a context manager.

    Everything is removed at exit, unless the connection to the cluster was lost: then it is kept,
    so that the job can be resumed.
    """

    def __init__(self, cluster: Cluster, job_name: str, list_path: Path) -> None:
        super().__init__()
        self._cluster = cluster
        self._list = list_path
        self._manifest = _Manifest(job_name, {})

    def begin(self, files: Mapping[str, tuple[Path, Plan]]) -> None:
        """Prepare places for files of weights: path and plan by their names on the stage."""

    def place(self, name: str) -> Path | BegunUpload:
        """Return where a worker writes a file."""
        raise NotImplementedError

    def find_finished(self, names: Sequence[str], job: Job) -> dict[str, WrittenShard]:
        """Return the files finished by an interrupted job that are still unchanged."""
        raise NotImplementedError

    def seal_file(self, name: str, target: Path, shard: WrittenShard, job: Job) -> SealedFile:
        """Return a written file, ready to be committed."""
        raise NotImplementedError

    def _adopt_list(self, path: Path) -> bool:
        """Use the list of an interrupted job at `path`, and write to it from now on.

        Returns False, and changes nothing, if it belongs to another job or cannot be read.
        """
        with contextlib.suppress(OSError, JsonError):
            manifest = decode(path.read_bytes(), _Manifest)
            if manifest.job == self._manifest.job:
                self._list, self._manifest = path, manifest
                return True
        return False

    @property
    def listed(self) -> Mapping[str, _Listed]:
        """The listed files, by name."""
        return self._manifest.files

    def record(self, name: str, shard: WrittenShard) -> None:
        """Add a file to the list and write the list: a resumed job does not write it again."""
        tags = _digest(shard.tags) if shard.tags else ""
        self._manifest.files[name] = _Listed(shard.nbytes, shard.sha256, tags)
        self._write_list()

    def forget(self, name: str) -> None:
        """Remove a file from the list in memory; the list on disk changes at the next `record`."""
        self._manifest.files.pop(name, None)

    def _write_list(self) -> None:
        write_whole(self._list, encode(self._manifest), Job())


def _digest(tags: Sequence[str]) -> str:
    return hashlib.sha256(" ".join(tags).encode()).hexdigest()


class FolderStage(Stage):
    """A staging folder in the file system."""

    def __init__(self, cluster: Cluster, target: Path, job_name: str, *, resume: bool) -> None:
        self.path = target.with_name(partial_name(target.name))
        super().__init__(cluster, job_name, self.path / _LIST)
        self._target = target
        self._resume = resume

    def __enter__(self) -> Self:
        """Create and lock the staging folder, or, to resume, use that of the interrupted job.

        Raises `ExportError` if it cannot be created.
        """
        if self._resume and self._find_interrupted():
            self.path = self._list.parent
        else:
            try:
                self.path.mkdir()
            except OSError as error:
                raise write_error(self._target, error, 0) from error
        with contextlib.suppress(OSError):  # Windows cannot open folders
            fd = os.open(self.path, os.O_RDONLY)
            self.callback(close_quietly, fd)
            lock(fd)
        return self

    def _find_interrupted(self) -> bool:
        prefix = f"{self._target.name}.partial-"
        paths = sorted(self._target.parent.iterdir())
        return any(p.name.startswith(prefix) and self._adopt_list(p / _LIST) for p in paths)

    def place(self, name: str) -> Path:
        """Return where a worker writes a file."""
        return self.path / name

    def find_finished(self, names: Sequence[str], job: Job) -> dict[str, WrittenShard]:
        """Return the listed files of `names` whose size and checksum workers confirmed.

        Others are removed from the list.
        """
        some = [name for name in names if name in self.listed]
        works = [
            Work(
                check_file,
                (self.path / name, self.listed[name].nbytes, self.listed[name].sha256),
                self.listed[name].nbytes,
                "Checking the existing files",
            )
            for name in some
        ]
        known: dict[str, WrittenShard] = {}
        for name, good in zip(some, self._cluster.run(works, job), strict=True):
            listed = self.listed[name]
            if good:
                known[name] = WrittenShard(listed.nbytes, listed.sha256, {})
            else:
                self.forget(name)
        return known

    def seal_file(self, name: str, target: Path, _shard: WrittenShard, _job: Job) -> SealedFile:
        """Return a written file, ready to be moved to its target."""
        return StagedFile(self.path / name, target)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Remove the folder; keep it if the connection was lost and some files are finished.

        Errors of removing it are ignored.
        """
        if isinstance(error, ClusterLostError) and self.listed:
            return super().__exit__(kind, error, trace)
        for _ in range(_TRIES):  # a worker may be removing a temporary file
            shutil.rmtree(self.path, ignore_errors=True)
            if not self.path.exists():
                break
            time.sleep(0.05)
        return super().__exit__(kind, error, trace)


class ObjectStage(Stage):
    """Multipart uploads to S3 that workers fill, listed in an object next to the target.

    All uploads are begun by the client and listed before workers use them, so that none is lost if
    a worker is killed.
    """

    def __init__(self, cluster: Cluster, target: StorePath, job_name: str, *, resume: bool) -> None:
        folder: Path = target.parent if split(target)[1] else target  # a bucket has no parent
        super().__init__(cluster, job_name, folder / partial_name(target.name))
        self._target = target
        self._folder = folder
        self._resume = resume
        self._uploads: dict[str, BegunUpload] = {}
        self._files: dict[str, ObjectFile] = {}
        self._shown: dict[str, WrittenShard] = {}  # completed but not compared yet

    def __enter__(self) -> Self:
        """Use the uploads that an interrupted job began, if this is to resume it."""
        if self._resume:
            prefix = f"{self._target.name}.partial-"
            with contextlib.suppress(OSError):  # the folder does not exist
                for path in self._folder.iterdir():
                    if path.name.startswith(prefix) and self._adopt_list(path):
                        break
        for name, begun in self._manifest.uploads.items():
            path = locate(begun.url)
            assert isinstance(path, StorePath)
            self._uploads[name] = BegunUpload(path, begun.upload_id, begun.mark)
        return self

    def begin(self, files: Mapping[str, tuple[Path, Plan]]) -> None:
        """Begin the uploads that an earlier job has not begun, and write the list.

        Raises `ExportError` if the store refuses one; the others are begun all the same and aborted
        at exit.
        """
        calls = [POOL.submit(partial(self._begin, name, *file)) for name, file in files.items()]
        wait(calls)  # all of them, so that every upload begun is known
        for call in calls:
            call.result()
        self._manifest.uploads = {
            name: _Begun(str(upload.path), upload.upload_id, upload.mark)
            for name, upload in self._uploads.items()
        }
        self._write_list()

    def _begin(self, name: str, path: Path, plan: Plan) -> None:
        """Begin the upload of a file, unless it is known and still exists in the store."""
        assert isinstance(path, StorePath)
        try:
            upload = self._uploads.get(name)
            if upload is None or not upload.exists():
                self.forget(name)
                self._uploads[name] = upload = BegunUpload.begin(path)
        except OSError as error:
            raise object_error(path, error) from error
        self._files[name] = ObjectFile(path, plan.nbytes, Job(), begun=upload).__enter__()

    def place(self, name: str) -> BegunUpload:
        """Return the upload to which a worker sends a file."""
        return self._uploads[name]

    def find_finished(self, names: Sequence[str], job: Job) -> dict[str, WrittenShard]:
        """Return the listed uploads of `names` whose parts are still in the store.

        The store verified the checksum of each part when it received it. Others are removed from
        the list. Raises `ExportError` if the store cannot be asked.
        """
        known: dict[str, WrittenShard] = {}
        for name in names:
            listed = self.listed.get(name)
            if listed is None:
                continue
            job.step(0)
            upload = self._uploads[name]
            try:
                tags = upload.list_tags()
            except OSError as error:
                raise object_error(upload.path, error) from error
            if _digest(tags) == listed.tags:
                known[name] = WrittenShard(listed.nbytes, listed.sha256, {}, tags)
            else:
                self.forget(name)
        return known

    def seal_file(self, name: str, _target: Path, shard: WrittenShard, job: Job) -> SealedFile:
        """Return an object with all parts sent, ready to be completed and compared."""
        file = self._files[name]
        file.fill(shard.nbytes, shard.tags, partial(self._on_committed, name, shard, job))
        return file

    def _on_committed(self, name: str, shard: WrittenShard, job: Job) -> None:
        """Record a completed object; when all are completed, have workers read and compare them.

        Cancelling is possible only if no object was replaced. Raises `ExportError` if one has other
        bytes.
        """
        self._shown[name] = shard
        if len(self._shown) < len(self._files):
            return
        shown = [(self._files[name].target, shard) for name, shard in self._shown.items()]
        works = [
            Work(check_file, (path, s.nbytes, s.sha256), s.nbytes, f"Comparing {path.name}")
            for path, s in shown
        ]
        if all(file.is_new for file in self._files.values()):
            # the export has already counted these bytes
            job.extend(-sum(work.nbytes for work in works))
        else:
            job = Job()  # other objects were replaced: too late to cancel
        for (path, _), good in zip(shown, self._cluster.run(works, job), strict=True):
            if not good:
                raise other_bytes_error(path)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Abort the uploads that were not completed.

        They are kept if the connection was lost and some of them are whole. If the store fails to
        abort one, the list is kept: it names the uploads to abort.
        """
        left = [upload for name, upload in self._uploads.items() if name not in self._shown]
        whole = any(name not in self._shown for name in self.listed)
        if not (isinstance(error, ClusterLostError) and whole):
            calls = [POOL.submit(upload.abort) for upload in left]
            wait(calls)
            if not any(call.exception() for call in calls):
                with contextlib.suppress(OSError):
                    self._list.unlink(missing_ok=True)
        return super().__exit__(kind, error, trace)


def refuse_request(checkpoint: Checkpoint, request: ExportRequest) -> None:
    """Raise `ClusterError` or `ExportError` for an export that cannot run on a cluster yet.

    That is of a file with masks, to a store other than S3, or in a format other than safetensors.
    Nothing is contacted.
    """
    refuse_masks(checkpoint)
    refuse_store(request.path)
    if request.format != SAFETENSORS.name:
        raise _not_written(request.format)


def _not_written(form: str) -> ExportError:
    return ExportError(
        f"The format '{form}' cannot be written on a cluster yet.",
        remedy="Choose safetensors, and convert it afterwards.",
    )


def refuse_masks(*checkpoints: Checkpoint) -> None:
    """Raise `ClusterError` for the first of the files that contains masks with its weights."""
    for checkpoint in checkpoints:
        if any(entry.mask_of for entry in checkpoint.entries.values()):
            raise ClusterError(
                f"'{checkpoint.path}' contains masks next to its weights, which cannot be used "
                "on a cluster yet.",
                remedy="Run it on this machine.",
            )


def refuse_store(target: Path) -> None:
    """Raise `ExportError` for a store other than S3; a path in the file system is accepted."""
    if isinstance(target, StorePath) and target.scheme != "s3":
        raise ExportError(
            f"'{target}' cannot be written on a cluster: S3 is the only store that accepts an "
            "object in parts from several machines.",
            remedy="Write to S3, or to a folder that every worker sees.",
        )


class ClusterWriter:
    """Writes the files of an export on a cluster; see `pruneapp.export.exporter.MakeFiles`."""

    def __init__(self, state: ClusterState, *, resume: bool) -> None:
        self._state = state
        self._cluster: Cluster = state.cluster
        self._resume = resume

    def make(
        self, target: Path, plans: Mapping[Path, Plan], stack: contextlib.ExitStack, job: Job
    ) -> Iterator[tuple[SealedFile, WrittenFile]]:
        """Write and verify files: weights on workers, small files on the client.

        Yields each file, ready to be committed, in the order of `plans`: files of weights only
        after all of them were written. `stack` removes what was not committed. Files that an
        interrupted job finished are not written again. Raises what `make_file`, `refuse_store` and
        `Cluster.run` raise.
        """
        refuse_store(target)
        weights = [(path, plan) for path, plan in plans.items() if plan.part is not None]
        orders = [FileOrder.of(self._state, plan) for _, plan in weights]
        names = [f"{number:05}-{path.name}" for number, (path, _) in enumerate(weights)]
        stage = stack.enter_context(self._stage(target, _job_of(weights)))
        stage.begin(dict(zip(names, weights, strict=True)))
        done = stage.find_finished(names, job)
        left = [number for number, name in enumerate(names) if name not in done]
        # A file is read back by the worker that writes it, an object only after all are completed.
        times = 1 if is_store(target) else 2
        works = [
            Work(
                write_file,
                (orders[number], stage.place(names[number])),
                times * orders[number].nbytes,
                f"Writing {weights[number][0].name}",
                self._state.file(orders[number].names[0]),
            )
            for number in left
        ]
        # the export has already counted these bytes
        job.extend(-sum(work.nbytes for work in works))
        for at, result in self._cluster.each(works, job):
            number = left[at]
            done[names[number]] = result
            rounding = weights[number][1].rounding
            # rounding errors are known only for files written now, so rounded files are not resumed
            if rounding is None:
                stage.record(names[number], result)
            else:
                rounding.ranges.update(result.rounded)
        staged = {path: name for (path, _), name in zip(weights, names, strict=True)}
        for path, plan in plans.items():
            if path not in staged:
                yield make_file(path, plan, stack, job)
                continue
            name = staged[path]
            written = WrittenFile(path, done[name].nbytes, done[name].sha256)
            yield stage.seal_file(name, plan.place or path, done[name], job), written

    def _stage(self, target: Path, job_name: str) -> Stage:
        if isinstance(target, StorePath):
            return ObjectStage(self._cluster, target, job_name, resume=self._resume)
        return FolderStage(self._cluster, target, job_name, resume=self._resume)


def _job_of(weights: Sequence[tuple[Path, Plan]]) -> str:
    """Return a digest that identifies a job: the files to write, and their provenance."""
    sizes = [(str(path), plan.nbytes) for path, plan in weights]
    part = weights[0][1].part
    assert part is not None
    return hashlib.sha256(repr((sizes, sorted(part.texts().items()))).encode()).hexdigest()


def export_on_cluster(
    address: str, checkpoint: Checkpoint, recipe: Recipe, request: ExportRequest, job: Job
) -> ExportReport:
    """Apply a recipe to a model on the cluster at an address, and write the result there.

    Requests that cannot run on a cluster are refused without contacting it. If an earlier call for
    the same files was interrupted, it is resumed. Raises what `connect` and `export_recipe` raise.
    """
    refuse_request(checkpoint, request)
    for action in fit(recipe, checkpoint, job).actions(recipe.where):
        refuse_action(action)
    job.start(0, request.path.name)
    with connect(address, job) as cluster:
        return export_recipe(cluster, checkpoint, recipe, request, job, resume=True)


def export_recipe(
    cluster: Cluster,
    checkpoint: Checkpoint,
    recipe: Recipe,
    request: ExportRequest,
    job: Job,
    *,
    resume: bool = False,
) -> ExportReport:
    """Apply a recipe to a model and write the result on a cluster.

    Files and report are the same as on one machine. `resume`: whether to continue an interrupted
    call; otherwise everything is written again. Raises what `pruneapp.export.exporter.export` and
    `pruneapp.cluster.steps.apply_actions` raise.
    """
    check(checkpoint, request)
    fitted = fit(recipe, checkpoint, job)
    with hash_on_workers(cluster, checkpoint, job):
        first = ClusterState(cluster, checkpoint)
        state, done = apply_actions(first, fitted, recipe.where, job)
    origin = provenance_on_cluster(state, recipe_of(checkpoint, done), job)
    return export(state, request, job, origin, make=ClusterWriter(state, resume=resume).make)


@contextlib.contextmanager
def hash_on_workers(cluster: Cluster, checkpoint: Checkpoint, job: Job) -> Iterator[None]:
    """Let workers hash the files of a model while the block runs, and store the checksums.

    Files with known checksums are not hashed. The end of the block waits for the results; an
    exception in it cancels the hashing, and no checksum is stored.
    """
    model = ModelSource.of(checkpoint)
    files = [(n, file) for n, file in enumerate(checkpoint.files) if bytes_left(file)]
    with cluster.keep_results() as keep:
        futures = [keep(Work(tasks.hash_file, (model, number))) for number, _ in files]
        yield
        job.extend(sum(file.size for _, file in files))
        cluster.wait(futures, [file.size for _, file in files], job, "Checksums")
        for (_, file), future in zip(files, futures, strict=True):
            remember_sha256(file, cluster.result(future, job))


def provenance_on_cluster(state: ClusterState, recipe: Recipe, job: Job) -> Provenance:
    """Return the provenance of an export of a state; see `provenance_of`."""
    found = provenance_of(state, recipe, job)
    # Nothing restores or protects weights on a cluster, so no pattern can be broken.
    return replace(found, pattern=state.pattern(job)) if may_have_pattern(recipe) else found
