"""The open document of a window: how it is opened, and the changes that are applied to it."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, count
from operator import methodcaller
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.contents import Notice
from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.entry import Size, TensorRow, display_names, size_of
from pruneapp.checkpoint.io.store import is_store
from pruneapp.document.document import Document
from pruneapp.document.edit import Proposal
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.existing_masks import open_document
from pruneapp.errors import (
    CheckpointError,
    ExportError,
    OriginalChangedError,
    OriginalMissingError,
    PruneAppError,
    SessionError,
)
from pruneapp.evaluation.classifier import Classifier, classifier_of
from pruneapp.export.destination.sidecars import (
    Configuration,
    configuration_of,
    pooling_of,
    sidecar_files,
)
from pruneapp.gui.app.jobs import Jobs, Restart, Task
from pruneapp.gui.app.runtime import freeze_large
from pruneapp.gui.app.settings import DEVICE, KEEP_HISTORIES, Settings
from pruneapp.gui.widgets.engine_text import translate_error
from pruneapp.gui.widgets.labels import translate
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.kernels.devices import kernel_for
from pruneapp.kernels.kernel import Kernel
from pruneapp.progress import CancelToken, Job
from pruneapp.sessions import kept_histories
from pruneapp.sessions.journal_reader import JournalFile, read_journal
from pruneapp.sessions.restore import Saved, masks_on_other, reopen, resume
from pruneapp.sessions.session_file import SessionFile, is_session, read_session

T = TypeVar("T")

SAMPLE = "sample/lenet-digits.safetensors"


@dataclass(frozen=True)
class OpenRequest:
    """A request to open a file."""

    path: Path  # a checkpoint or a session, distinguished by content; or a journal
    state_dict: str | None = None  # key of the state dict to open, if a checkpoint has several
    # Path of the checkpoint of a session or journal, if it was moved.
    original: Path | None = None
    # Whether to apply the masks of a session to a checkpoint that has changed since.
    only_masks: bool = False
    is_journal: bool = False  # whether `path` is the journal of an unsaved document
    # Whether to restore the history that was stored when the file was closed.
    with_history: bool = True


def open_path(request: OpenRequest, job: Job) -> tuple[Document, Saved | None]:
    """Open a file to work on; the caller closes the document's checkpoint.

    A history that was kept when the file was closed is restored, if the request has `with_history`
    and the file has not changed; otherwise a notice of the document says why.

    Returns
    -------
    tuple
        The document, and what it continues: a `SessionFile`, already closed, or a `JournalFile`,
        which is still open and locked. None for a checkpoint without history, for masks of a
        session that were applied to another checkpoint, and for an incomplete journal, which is
        kept.

    Raises
    ------
    OriginalMissingError, OriginalChangedError
        If the checkpoint of a session or a journal was moved, or has changed.
    SessionError, CheckpointError
        If a file cannot be opened.
    """
    if request.is_journal:
        return _from_journal(request, job)
    checkpoint = open_checkpoint(request.path, state_dict=request.state_dict, job=job)
    if is_session(checkpoint):
        checkpoint.close()
        return _from_session(request, job)
    try:
        return _with_history(checkpoint, request, job)
    except BaseException:
        checkpoint.close()
        raise


def _from_session(request: OpenRequest, job: Job) -> tuple[Document, Saved | None]:
    """Open a session, with the unsaved changes that were kept of it.

    Without these if the request excludes them, or if they cannot be restored.
    """
    with read_session(request.path, job) as session:
        if request.with_history and not request.only_masks:
            for path in kept_histories.find(request.path):
                # A history that cannot be restored is ignored: the session is opened as saved.
                with contextlib.suppress(SessionError, CheckpointError):
                    if (found := _continue_session(path, request, job)) is not None:
                        return found
        # Masks on another checkpoint start a new document, which does not continue the session.
        return _document(session, request, job), None if request.only_masks else session


def _continue_session(
    path: Path, request: OpenRequest, job: Job
) -> tuple[Document, JournalFile] | None:
    """Return a session with the unsaved changes of the journal `path`. The journal stays open.

    If the session was saved after them, the journal is closed and the result is None. Raises
    `SessionError` or `CheckpointError` if the changes cannot be restored.
    """
    journal = read_journal(path, job)
    try:
        if journal.kept_in is not None:
            return reopen(journal, job, original=request.original), journal
    except BaseException:
        journal.close()
        raise
    journal.close()
    return None


def _with_history(
    checkpoint: Checkpoint, request: OpenRequest, job: Job
) -> tuple[Document, JournalFile | None]:
    """Return a document with the newest kept history of its checkpoint, or without one.

    If the file has changed since, or the history cannot be read, the document gets one notice and
    the history is kept on disk. Histories of other state dicts of the file are skipped. The journal
    of the restored one stays open.
    """
    notices: list[Notice] = []
    for path in kept_histories.find(checkpoint.path) if request.with_history else ():
        try:
            journal = read_journal(path, job)
        except SessionError as error:
            notices.append(_not_restored(checkpoint, error))
            continue
        try:
            if journal.original.state_dict == (checkpoint.contents.state_dict or ""):
                kept_histories.check_unchanged(journal.original, checkpoint, job)
                return resume(journal, checkpoint, job), journal
        except PruneAppError as error:
            notices.append(_not_restored(checkpoint, error))
        except BaseException:
            journal.close()
            raise
        journal.close()
    document = open_document(checkpoint, job)
    for notice in notices[:1]:  # the newest history
        document.notify(notice)
    return document, None


def _not_restored(checkpoint: Checkpoint, error: PruneAppError) -> Notice:
    """Return the notice that the kept history was not restored, because of `error`."""
    if isinstance(error, OriginalChangedError):
        sentence = translate(
            "OpenDocument", "'{name}' changed since its history was saved, so it is not restored."
        )
    else:
        sentence = translate(
            "OpenDocument", "The saved history of '{name}' cannot be read, so it is not restored."
        )
    details = "\n".join(filter(None, (translate_error(error), error.details)))
    return Notice(sentence.format(name=checkpoint.path.name), details)


def _from_journal(request: OpenRequest, job: Job) -> tuple[Document, JournalFile | None]:
    """Open recovered work with its checkpoint.

    The journal is closed, and None returned for it, if steps without masks could not be computed
    again: it stays on disk. With `only_masks` the work is a new document, which continues no
    session.
    """
    journal = read_journal(request.path, job)
    try:
        document = _document(journal, request, job)
    except BaseException:
        journal.close()
        raise
    edits, intents = journal.history.edits, journal.history.intents
    if intents and (request.only_masks or len(document.history) < len(edits) + len(intents)):
        journal.close()
        return document, None
    if request.only_masks:  # it starts a new document
        journal = replace(journal, kept_in=None, kept_steps=0, safe=-1)
    return document, journal


def _document(saved: Saved, request: OpenRequest, job: Job) -> Document:
    take = masks_on_other if request.only_masks else reopen
    return take(saved, job, original=request.original)


Prepare = Callable[[tuple[TensorRow, ...], CancelToken], object]


@dataclass(frozen=True)
class LoadedContents:
    """Data of all tensors, computed in the worker thread: there may be 100,000 tensors."""

    rows: tuple[TensorRow, ...] = ()  # rows of lists and trees, in file order
    # The rows, and the display names, by the names of tensors in the file.
    by_name: Mapping[str, TensorRow] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    # Short forms of the display names.
    short: ShortNames = field(default_factory=ShortNames)
    # Layer types to which a rule can apply; those that are pruned by default come first.
    kinds: tuple[str, ...] = ()
    example: str = ""  # a pattern that matches tensors for a rule; "" if there is none
    # Number of parameters, and of elements of buffers.
    size: Size = field(default_factory=Size)
    dtypes: tuple[str, ...] = ()  # distinct dtype labels of the parameters
    # The config.json of the model folder; None without one.
    configuration: Configuration | None = None
    pooling: str = ""  # how a sentence encoder pools the vectors of tokens; "" for other models
    classifier: Classifier | None = None
    # The other files of the model folder, which are copied by an export as a folder.
    companions: tuple[str, ...] = ()


def contents_of(document: Document, cancel: CancelToken) -> LoadedContents:
    """Compute the data of all tensors of a document. Raises `Cancelled`."""
    entries = document.checkpoint.entries
    hub_names = document.checkpoint.contents.hub_names
    shown = display_names(tuple(entries), cancel)
    rows: list[TensorRow] = []
    by_name: dict[str, TensorRow] = {}
    able: dict[str, bool] = {}
    buffers: list[bool] = []
    of_parameters: dict[str, None] = {}
    pooling = pooling_of(document.checkpoint)
    for batch in cancel.batches(entries.values()):
        names, shapes, dtypes, _, aliases, why_not, kinds, _, by_default, _, quantized = zip(
            *batch, strict=True
        )
        numels = list(map(math.prod, shapes))
        # Poolings of sentence-transformers read the last hidden states of the encoder.
        unused = [bool(pooling) and ".pooler." in f".{shown[name]}" for name in names]
        columns = zip(
            names,
            [shown[name] for name in names],
            kinds,
            shapes,
            [dtype.label for dtype in dtypes],
            numels,
            map(DType.stored_bytes, dtypes, numels),
            why_not,
            [default and not without for default, without in zip(by_default, unused, strict=True)],
            aliases,
            [not entry.learned for entry in batch],
            [hub_names.get(name, "") for name in names],
            [bool(why) and e.on_request for why, e in zip(quantized, batch, strict=True)],
            unused,
            strict=True,
        )
        # Takes a quarter of the time of calling the class for each row.
        added = list(map(partial(tuple.__new__, TensorRow), columns))
        rows += added
        buffers += [row.buffer for row in added]
        of_parameters.update(dict.fromkeys([r.dtype for r in added if not r.buffer]))
        by_name.update(zip(names, added, strict=True))
        # Rules do not apply to norms and biases.
        able.update(
            [(r.kind, r.by_default) for r in added if r.kind and not r.why_not and len(r.shape) > 1]
        )
    return LoadedContents(
        rows=tuple(rows),
        by_name=by_name,
        shown=shown,
        short=ShortNames(shown.values(), cancel),
        kinds=tuple(sorted(able, key=lambda kind: not able[kind])),
        example=_example_of(rows, cancel),
        size=size_of(entries.values(), cancel, buffers=buffers),
        configuration=configuration_of(document.checkpoint),
        pooling=pooling,
        classifier=classifier_of(document.checkpoint, cancel),
        dtypes=tuple(of_parameters),
        companions=_companions_of(document.checkpoint),
    )


def _example_of(rows: Sequence[TensorRow], cancel: CancelToken) -> str:
    """Return a pattern for the first block that is pruned by default, such as ``model.layers.0.*``.

    For the first such module if none has a number in its name; "" if no tensor within a module is
    pruned by default.
    """
    usual = (r.name for r in cancel.each(rows) if r.by_default and "." in r.name)
    first: Sequence[str] = ()
    for name in usual:
        module = name.split(".")[:-1]
        first = first or module
        if any(map(str.isdecimal, module)):
            first = module
            break
    number = next((at for at, part in enumerate(first) if part.isdecimal()), len(first))
    return ".".join((*first[: number + 1], "*")) if first else ""


def _companions_of(checkpoint: Checkpoint) -> tuple[str, ...]:
    try:
        return tuple(sidecar_files(checkpoint))
    except ExportError:  # reported by an export, which needs these files
        return ()


@dataclass(frozen=True)
class Opened:
    """The result of opening a file in the worker thread; its receiver closes it."""

    document: Document
    contents: LoadedContents
    extra: object
    saved: Saved | None

    def close(self) -> None:
        """Close the document and its journal."""
        _close(self.document, self.saved)


def load(request: OpenRequest, prepare: Prepare, job: Job) -> Opened:
    """Open a file and compute the data of its tensors; nothing stays open if that fails.

    `prepare` is called with the rows to compute what the tree needs. Raises the exceptions of
    `open_path`, and `Cancelled`.
    """
    document, saved = open_path(request, job)
    try:
        contents = contents_of(document, job.cancel)
        extra = prepare(contents.rows, job.cancel)
        job.cancel.check()
        return Opened(document, contents, extra, saved)
    except BaseException:
        _close(document, saved)
        raise


def _close(document: Document, saved: Saved | None) -> None:
    document.close()
    document.checkpoint.close()
    if isinstance(saved, JournalFile):
        saved.close()


def free_file(folder: Path, stem: str, suffix: str) -> Path:
    """Return a path in `folder` that does not exist: `stem` + `suffix`, with -2, … between them."""
    names = chain((stem,), (f"{stem}-{number}" for number in count(2)))
    return next(path for name in names if not (path := folder / f"{name}{suffix}").exists())


class OpenDocument(QObject):
    """The document of a window, with its jobs.

    `prepare` is called in the worker thread with the rows of a file that is being opened; its
    result, which the tree needs, is passed on by `opened`.
    """

    opening = Signal(object)  # (Path) the previous document is still open
    opened = Signal(object)  # the result of `prepare`
    notOpened = Signal()  # opening a file failed or was cancelled: the previous document stays open
    closing = Signal()  # the document is still open
    closed = Signal()
    changed = Signal(object)  # (DocumentChanged)
    refused = Signal(object)  # (PruneAppError)
    lockChanged = Signal(object)  # (PruneAppError | None) why changes are refused now
    # (SessionError, OpenRequest) The checkpoint of a session was moved, or has changed.
    misplaced = Signal(object, object)

    def __init__(
        self, jobs: Jobs, settings: Settings, prepare: Prepare, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._settings = settings
        self._prepare = prepare
        self._opening: Task[Opened] | None = None
        self.opening_path: Path | None = None  # the file that is being opened
        self.opened_path: Path | None = None  # the file that was opened last, such as a session
        self._locks: dict[QObject, PruneAppError] = {}
        self._looking: set[QObject] = set()  # owners of locks that allow to go to other states
        self.document: Document | None = None
        self.contents = LoadedContents()
        # The session or the journal that the document continues; None for neither.
        self.saved: Saved | None = None

    # -- opening and closing -------------------------------------------------------------------

    def open(self, wanted: OpenRequest | Path) -> None:
        """Open a file in the worker thread; cancels an earlier request.

        Emits `opening`, then returns. The current document stays open until that has succeeded:
        then it is closed, without a question, and `opened` is emitted; otherwise `notOpened`, after
        `refused` or `misplaced`.
        """
        request = OpenRequest(wanted) if isinstance(wanted, Path) else wanted
        if not self._settings.get(KEEP_HISTORIES):
            request = replace(request, with_history=False)
        self.opening_path = request.path
        self.opening.emit(request.path)
        if self._opening is not None:
            self._opening.cancel()
        self._opening = self._jobs.run(
            partial(load, request, self._prepare),
            on_result=self._on_opened,
            on_error=partial(self._on_not_opened, request),
            on_cancelled=self._on_cancelled,
            on_late=methodcaller("close"),
            title=self.tr("Opening"),
            restart=Restart(partial(self.open, request), needs_document=False),
        )

    def close(self) -> None:
        """Close the document; emit `closing` before and `closed` afterwards.

        Without effect if there is none. A file that is being opened is opened nevertheless.
        """
        if self.document is None:
            return
        self.closing.emit()
        document, self.document = self.document, None
        self.contents = LoadedContents()
        self.saved = None
        self.closed.emit()
        document.close()
        document.checkpoint.close()

    def _on_opened(self, opened: Opened) -> None:
        """Replace the document by the opened one and emit `opened`.

        Its file is added to the recent ones: of a session its own path, but not the sample.
        """
        self.opened_path = self.opening_path
        self._opening = self.opening_path = None
        self.close()
        self.document = opened.document
        self.contents = opened.contents
        self.saved = opened.saved
        freeze_large(len(opened.contents.rows))
        opened.document.subscribe(self.changed.emit)
        if isinstance(self.saved, SessionFile):
            self._settings.add_recent(self.saved.path)
        elif not self.is_sample:
            self._settings.add_recent(opened.document.checkpoint.path)
        self.opened.emit(opened.extra)

    def _on_not_opened(self, request: OpenRequest, error: PruneAppError) -> None:
        """Emit `misplaced` if the checkpoint of a session was moved or changed, or else `refused`.

        `notOpened` follows; the previous document stays open.
        """
        self._opening = self.opening_path = None
        if isinstance(error, (OriginalMissingError, OriginalChangedError)):
            self.misplaced.emit(error, request)
        else:
            self.refused.emit(error)
        self.notOpened.emit()

    def _on_cancelled(self) -> None:
        task = self._opening
        if task is not None and not task.token.cancelled and task.error is None:
            return  # replaced by a newer request, which is still running
        self._opening = self.opening_path = None
        self.notOpened.emit()

    # -- contents ------------------------------------------------------------------------------

    @property
    def rows(self) -> tuple[TensorRow, ...]:
        """The rows of all tensors for lists and trees, in file order."""
        return self.contents.rows

    @property
    def by_name(self) -> Mapping[str, TensorRow]:
        """The rows by the names of the tensors in the file."""
        return self.contents.by_name

    @property
    def is_sample(self) -> bool:
        """Whether the sample model of the application is open."""
        return self.document is not None and self.document.checkpoint.path == resources.path(SAMPLE)

    def kernel(self) -> Kernel:
        """Return the kernel of the chosen device. May import torch, so call it in a job."""
        return kernel_for(self._settings.get(DEVICE))

    @property
    def unexported(self) -> bool:
        """Whether the current state differs from the one that was exported last, or opened."""
        return self.document is not None and self.document.unexported

    # -- folders -------------------------------------------------------------------------------

    def folder(self, purpose: str) -> Path:
        """Return the folder in which a file dialog starts.

        That of the file chosen last for the purpose, else that of the open file; the home folder
        if that is the sample or in a store, or if no file is open.
        """
        if chosen := self._settings.folder(purpose):
            return Path(chosen)
        # The sample is in the installation folder, which is no place for work. Nothing is written
        # to an object store unless the user names it.
        if self.document is None or self.is_sample or is_store(self.document.checkpoint.path):
            return Path.home()
        return self.document.checkpoint.path.absolute().parent

    def note_folder(self, purpose: str, file: Path) -> None:
        """Store the folder of the file that was chosen for a purpose."""
        self._settings.set_folder(purpose, file)

    def propose_path(self, purpose: str, suffix: str) -> Path:
        """Return a path to propose for a new file: the open file's stem with `suffix` appended.

        In the `folder` of the purpose. No file of this name exists, see `free_file`. A document
        must be open.
        """
        assert self.document is not None
        source = self.document.checkpoint.path
        is_whole = not is_store(source) and source.is_dir()
        stem = source.name if is_whole else source.stem
        return free_file(self.folder(purpose), stem, suffix)

    # -- changes -------------------------------------------------------------------------------

    def commit(self, proposal: Proposal, *, at: int | None = None) -> int:
        """Apply a proposal and return the number of the new state, which is at least 1.

        Return 0, after emitting `refused`, if the document has changed since the proposal was
        computed, the file on disk has changed, changes are locked, or another file is being opened.
        A document must be open.

        Parameters
        ----------
        at
            The state that the proposal was computed for under a lock, if the user may have gone to
            another one meanwhile (see `lock`), which stays current then. None for the current one.
        """
        assert self.document is not None
        try:
            self.check_may_work()
            self.document.checkpoint.verify_on_disk()
            current = self.document.position
            if at is not None:
                self.document.jump(at)
                proposal = replace(proposal, revision=self.document.revision)
            self.document.commit(proposal)
            new = self.document.position
            if at not in {None, current}:
                self.document.jump(current)
        except PruneAppError as error:
            self.refused.emit(error)
            return 0
        return new

    def go_to(self, key: object) -> bool:
        """Make the state with a key (see `Record`) current, and return True.

        Return False if the state was deleted, or after emitting `refused` with the reason why the
        user may not go there.
        """
        state = -1 if self.document is None else self.document.state_of(key)
        if self.document is None or state < 0:
            return False
        try:
            self.check_may_look()
            self.document.jump(state)
        except PruneAppError as error:
            self.refused.emit(error)
            return False
        return True

    def work(self, title: str, work: Callable[[Job], T], done: Callable[[T], object]) -> None:
        """Run work in the background; call `done` with its result if the document is still open.

        Errors are emitted by `refused`, also if it is not. `title` is shown in the status bar.
        """
        document = self.document

        def end(result: T) -> None:
            if self.document is document:
                done(result)

        again = Restart(partial(self.work, title, work, done))
        self._jobs.run(work, on_result=end, on_error=self.refused.emit, title=title, restart=again)

    def propose(self, title: str, make: Callable[[Snapshot, Job], Proposal]) -> None:
        """Compute a proposal in the background and apply it.

        `make` runs in the worker thread, and again if the state has changed in the meantime.
        Without effect if no document is open; `refused` is emitted, and nothing computed, if it may
        not be changed.
        """
        document = self.document
        if document is None or not self.may_work():
            return
        snapshot = document.snapshot()

        def current(end: Callable[[T], object]) -> Callable[[T], None]:
            """Return a callback that ignores other documents and starts again for another state."""

            def done(result: T) -> None:
                if self.document is not document:
                    return  # the document was closed
                if document.revision != snapshot.revision:
                    self.propose(title, make)
                else:
                    end(result)

            return done

        self._jobs.run(
            lambda job: make(snapshot, job),
            on_result=current(self.commit),
            on_error=current(self.refused.emit),
            title=title,
            restart=Restart(partial(self.propose, title, make)),
        )

    def lock(self, by: QObject, why: PruneAppError | None, *, may_look: bool = False) -> None:
        """Refuse all changes with the error `why`; None removes the lock of the same `by`.

        A second lock of the same `by` replaces the first. With `may_look` the user may go to other
        states of the history; states are not added, deleted or renumbered.
        """
        before = self._lock_reason()
        self._locks.pop(by, None)
        self._looking.discard(by)
        if why is not None:
            self._locks[by] = why
            if may_look:
                self._looking.add(by)
        if (reason := self._lock_reason()) is not before:
            self.lockChanged.emit(reason)

    def _lock_reason(self) -> PruneAppError | None:
        return next(iter(self._locks.values()), None)

    def may_work(self) -> bool:
        """Return whether the document may be changed; if not, emit `refused` with the reason."""
        try:
            self.check_may_work()
        except PruneAppError as error:
            self.refused.emit(error)
            return False
        return True

    def check_may_work(self) -> None:
        """Raise the reason why the document may not be changed, a `PruneAppError`, if there is one.

        The reason is that another file is being opened, or the error of the oldest lock.
        """
        self.check_may_name()
        if (reason := self._lock_reason()) is not None:
            raise reason

    def check_may_name(self) -> None:
        """Raise a `PruneAppError` while another file is being opened.

        Names and notes of states may be changed while the document is locked.
        """
        if self._opening is not None:
            raise PruneAppError(
                "Another file is being opened.", remedy="Wait, or press Esc to keep this file open."
            )

    def check_may_look(self) -> None:
        """Raise the reason why the user may not go to another state, if there is one.

        As `check_may_work`, but without the locks that allow it.
        """
        if not self._locks.keys() <= self._looking or self._opening is not None:
            self.check_may_work()
