"""What is open, and what may be done to it: the one place where the window meets the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from pruneapp import resources
from pruneapp.analysis.statistics import sparsity
from pruneapp.checkpoint.contents import Notice
from pruneapp.document.document import Document
from pruneapp.document.edit import Proposal
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import OriginalChangedError, OriginalMissingError, PruneAppError
from pruneapp.gui.app.jobs import Jobs, Task
from pruneapp.gui.app.runtime import settle
from pruneapp.gui.app.settings import DEVICE, Settings
from pruneapp.gui.document.loader import LoadedContents, Opened, Prepare, load
from pruneapp.kernels.devices import kernel_for
from pruneapp.kernels.kernel import Kernel
from pruneapp.progress import Job
from pruneapp.results.document_rows import TensorRow
from pruneapp.results.sparsity_report import SparsityReport
from pruneapp.sessions.open_path import OpenRequest
from pruneapp.sessions.restore import Saved
from pruneapp.sessions.session_file import SessionFile

T = TypeVar("T")

SAMPLE = "sample/lenet-digits.safetensors"


class OpenDocument(QObject):
    """A document and its jobs.

    Parameters
    ----------
    prepare
        Called in the worker with the rows of a file that was opened, to make what the tree needs,
        and with the token that it looks at. Its result is handed on with `opened`.

    Signals
    -------
    opening(Path)
        A file is being opened; the one before is still there.
    opened(object)
        A document is there; carries what `prepare` made.
    stayed()
        Nothing came of opening a file: what was there before is still there.
    closed()
        No document is there any more.
    changed(DocumentChanged)
        Masks changed.
    refused(PruneAppError)
        Something that was requested cannot be done.
    misplaced(SessionError, OpenRequest)
        The checkpoint of a session is not where it was, or another one.
    """

    opening = Signal(object)
    opened = Signal(object)
    stayed = Signal()
    closed = Signal()
    changed = Signal(object)
    refused = Signal(object)
    misplaced = Signal(object, object)

    def __init__(
        self,
        jobs: Jobs,
        settings: Settings,
        prepare: Prepare,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._settings = settings
        self._prepare = prepare
        self._opening: Task[Opened] | None = None
        self.under_way: Path | None = None  # what is being opened
        self._held: PruneAppError | None = None
        self.document: Document | None = None
        self.contents = LoadedContents()
        # What the document goes on with, if it was opened from a session or from a journal.
        self.saved: Saved | None = None

    # -- opening and closing -------------------------------------------------------------------

    def open(self, wanted: OpenRequest | Path) -> None:
        """Open something in the worker; the newest request counts.

        The document before stays until that has worked.
        """
        request = OpenRequest(wanted) if isinstance(wanted, Path) else wanted
        self.under_way = request.path
        self.opening.emit(request.path)
        if self._opening is not None:
            self._opening.cancel()
        self._opening = self._jobs.submit(
            self.tr("Opening"),
            partial(load, request, self._prepare),
            on_result=self._on_opened,
            on_error=partial(self._on_not_opened, request),
            on_cancelled=self._on_cancelled,
            on_late=methodcaller("close"),
        )

    def close(self) -> None:
        """Let go of the document."""
        if self.document is None:
            return
        document, self.document = self.document, None
        self.contents = LoadedContents()
        self.saved = None
        self.closed.emit()
        document.close()
        document.checkpoint.close()

    def _on_opened(self, opened: Opened) -> None:
        self._opening = self.under_way = None
        self.close()
        self.document = opened.document
        self.contents = opened.contents
        self.saved = opened.saved
        settle(len(opened.contents.rows))
        opened.document.subscribe(self.changed.emit)
        if isinstance(self.saved, SessionFile):
            self._settings.add_recent(self.saved.path)
        elif not self.is_sample:
            self._settings.add_recent(opened.document.checkpoint.path)
        self.opened.emit(opened.extra)

    def _on_not_opened(self, request: OpenRequest, error: PruneAppError) -> None:
        self._opening = self.under_way = None
        if isinstance(error, (OriginalMissingError, OriginalChangedError)):
            self.misplaced.emit(error, request)
        else:
            self.refused.emit(error)
        self.stayed.emit()

    def _on_cancelled(self) -> None:
        task = self._opening
        if task is not None and not task.token.cancelled and task.error is None:
            return  # dropped for a newer one, which is still under way
        self._opening = self.under_way = None
        self.stayed.emit()

    # -- what is there -------------------------------------------------------------------------

    @property
    def rows(self) -> tuple[TensorRow, ...]:
        """What lists and trees show of every tensor, in file order."""
        return self.contents.rows

    @property
    def by_name(self) -> Mapping[str, TensorRow]:
        """The rows under the names of their tensors in the file."""
        return self.contents.by_name

    @property
    def is_sample(self) -> bool:
        """Whether the model that comes with the application is open."""
        return self.document is not None and self.document.checkpoint.path == resources.path(SAMPLE)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the person should know about the file."""
        return () if self.document is None else self.document.notices

    def kernel(self) -> Kernel:
        """Return the arithmetic of the chosen device; may import torch: call it in a job."""
        return kernel_for(self._settings.get(DEVICE))

    def sparsity(self) -> SparsityReport | None:
        """Return how much of each tensor is pruned."""
        return None if self.document is None else sparsity(self.document.snapshot())

    @property
    def unexported(self) -> bool:
        """Whether an export would have something new."""
        return self.document is not None and self.document.unexported

    @property
    def unsaved(self) -> bool:
        """Whether closing would lose work, unless a session has it."""
        return self.document is not None and self.document.unsaved

    # -- where files are -----------------------------------------------------------------------

    def folder(self, purpose: str, usual: Path) -> Path:
        """Return the folder of the file that was chosen last for a purpose; `usual` for none."""
        return Path(self._settings.folder(purpose) or usual)

    def note_folder(self, purpose: str, file: Path) -> None:
        """Take note of the file that was chosen for a purpose."""
        self._settings.set_folder(purpose, file)

    # -- changing it ---------------------------------------------------------------------------

    def commit(self, proposal: Proposal) -> bool:
        """Put a change in force; False if it came too late, or the file is another one by now."""

        def commit(document: Document) -> None:
            document.checkpoint.verify_unchanged()
            document.commit(proposal)

        return self._try(commit)

    def jump(self, position: int) -> bool:
        """Go to a state of the history."""
        return self._try(lambda document: document.jump(position))

    def propose(self, title: str, make: Callable[[Snapshot, Job], Proposal]) -> None:
        """Have a change of the state made in the background, and put it in force.

        Parameters
        ----------
        title
            What the status bar says meanwhile.
        make
            A plain function, run in the worker; once more if the state has changed by then.
        """
        document = self.document
        if document is None or not self.may_work():
            return
        snapshot = document.snapshot()

        def current(end: Callable[[T], object]) -> Callable[[T], None]:
            """Let it end so if it was made of the state in force, and not of one before."""

            def done(made: T) -> None:
                if self.document is not document:
                    return  # it was meant for a file that is gone
                if document.revision != snapshot.revision:
                    self.propose(title, make)
                else:
                    end(made)

            return done

        self._jobs.submit(
            title,
            lambda job: make(snapshot, job),
            on_result=current(self.commit),
            on_error=current(self.refused.emit),
        )

    def hold(self, why: PruneAppError | None) -> None:
        """Refuse every change from now on, as it would be lost; None allows them again."""
        self._held = why

    def may_work(self) -> bool:
        """Whether the document will be there long enough for what is to be done; says why not."""
        error = self._held
        if self._opening is not None:
            error = PruneAppError(
                "Another file is being opened; changes to this one would be lost.",
                remedy="Wait, or press Esc to stay with this file.",
            )
        if error is not None:
            self.refused.emit(error)
        return error is None

    def _try(self, change: Callable[[Document], None]) -> bool:
        if self.document is None or not self.may_work():
            return False
        try:
            change(self.document)
        except PruneAppError as error:
            self.refused.emit(error)
            return False
        return True
