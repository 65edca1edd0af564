"""Recovery after a crash: offer unsaved work to restore, and temporary files to delete."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QDateTime, QLocale

from pruneapp.checkpoint.io.files import find_abandoned, remove_abandoned
from pruneapp.checkpoint.io.store import is_store
from pruneapp.errors import PruneAppError
from pruneapp.gui.app import dialogs
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.app.settings import put_first
from pruneapp.gui.document.open_document import OpenDocument, OpenRequest
from pruneapp.gui.export.export_controller import ExportController
from pruneapp.gui.files.recovery_view import RecoverableWork, RecoveryView, TemporaryFiles
from pruneapp.progress import Job
from pruneapp.sessions.journal import folder
from pruneapp.sessions.journal_file import delete
from pruneapp.sessions.journal_reader import UnsavedWork, find_unsaved_work, read_journal

T = TypeVar("T")


@dataclass(frozen=True)
class _Recoverable:
    works: tuple[UnsavedWork, ...]
    files: tuple[tuple[Path, int], ...]


def find_leftovers(places: frozenset[Path], job: Job) -> _Recoverable:
    """Return abandoned journals, and abandoned temporary files in the folders `places`.

    Files come with their size in bytes, 0 if it cannot be read, in the order of the sorted folders.
    """
    works = find_unsaved_work(folder(), job)
    files: list[tuple[Path, int]] = []
    for place in sorted(places):
        job.step(0)
        files += [(path, _size(path)) for path in find_abandoned(place)]
    return _Recoverable(works, tuple(files))


def _size(path: Path) -> int:
    try:
        files = path.rglob("*") if path.is_dir() else (path,)
        return sum(file.stat().st_size for file in files)
    except OSError:
        return 0


class RecoveryController(Controller):
    """Finds abandoned work and files, and restores or deletes them at the user's request.

    Searches when it is created, unless there is another window, which has done so. `open_work`
    opens a file, after asking about unsaved work.
    """

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        view: RecoveryView,
        *,
        export: ExportController,
        open_work: Callable[[OpenRequest], None],
    ) -> None:
        super().__init__(context)
        self._session = session
        self._view = view
        self._open_work = open_work
        self._found = _Recoverable((), ())
        self._offer_work = True
        view.restoreRequested.connect(self._restore)
        view.deleteRequested.connect(self._delete)
        view.filesDeleteRequested.connect(self._delete_files)
        view.dismissed.connect(self._dismiss)
        session.opened.connect(self._on_opened)
        export.began.connect(self._on_export)
        if len(context.windows.listed) <= 1:  # otherwise another window has offered it
            self.find_work()

    def find_work(self) -> None:
        """Search for abandoned work and files in the background, and then show or hide the panel.

        Files are searched for beside recent files and in the folders of recent exports.
        """
        # Stores are not accessed unless the user names them.
        recent = (path.parent for path in self._settings.recent if not is_store(path))
        places = frozenset((*map(Path, self._settings.state.written), *recent))
        self._run_background(lambda job: find_leftovers(places, job), self._on_found)

    def _run_background(self, work: Callable[[Job], T], on_result: Callable[[T], None]) -> None:
        refuse = self._session.refused.emit
        self._jobs.run(work, on_result=on_result, on_error=refuse, lane=Lane.BACKGROUND)

    def _on_found(self, recoverable: _Recoverable) -> None:
        """Show what was found; work only until the user has dismissed the panel."""
        self._found = recoverable
        files = None
        if recoverable.files:
            names = tuple(str(path) for path, _ in recoverable.files)
            files = TemporaryFiles(names, sum(size for _, size in recoverable.files))
        works = [_recoverable(work) for work in recoverable.works]
        self._view.set_recoverable(works if self._offer_work else (), files)

    def _on_opened(self) -> None:
        if self._found.works:
            self.find_work()  # restored work is no longer available

    def _on_export(self, path: Path) -> None:
        if not is_store(path):
            written = self._settings.state.written
            self._settings.store(written=put_first(written, path.parent))

    def _restore(self, key: str) -> None:
        # A journal that is being opened is locked and cannot be opened twice.
        if Path(key) != self._session.opening_path:
            self._open_work(OpenRequest(Path(key), is_journal=True))

    def _delete(self, key: str) -> None:
        """Delete the journal `key`, after asking the user, and search again.

        Without effect if it is not offered any more. One that cannot be read is kept, unless a
        newer version wrote it.
        """
        work = next((w for w in self._found.works if str(w.path) == key), None)
        if work is None or not dialogs.delete_work(self._window, _description(work)):
            return

        def drop(job: Job) -> None:
            try:
                read_journal(work.path, job).delete()
            except PruneAppError:
                if not work.known:  # written by a newer version: unreadable, but it can be deleted
                    delete(work.path)

        self._run_background(drop, self._on_deleted)

    def _delete_files(self) -> None:
        """Delete the temporary files that are shown, in the background, without asking.

        Search again.
        """
        paths = [path for path, _ in self._found.files]

        def drop(_job: Job) -> None:
            for path in paths:
                remove_abandoned(path)

        self._run_background(drop, self._on_deleted)

    def _on_deleted(self, _nothing: None) -> None:
        self.find_work()

    def _dismiss(self) -> None:
        self._offer_work = False
        self._view.set_recoverable((), None)


def _recoverable(work: UnsavedWork) -> RecoverableWork:
    name, when = work.original.name, _time(work.time)
    return RecoverableWork(
        str(work.path), name, work.steps, work.last, when, work.again, work.undone, work.known
    )


def _description(work: UnsavedWork) -> str:
    return f"{work.original}\n{work.last}".rstrip() if work.known else str(work.path)


def _time(seconds: float) -> str:
    when = QDateTime.fromSecsSinceEpoch(int(seconds))
    locale = QLocale()
    if when.date() == QDateTime.currentDateTime().date():
        return locale.toString(when.time(), QLocale.FormatType.ShortFormat)
    return locale.toString(when, QLocale.FormatType.ShortFormat)
