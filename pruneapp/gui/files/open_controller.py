"""Commands to open and close files, in this or another window, without losing work."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QDialog, QFileDialog, QMainWindow, QWidget

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import READERS, refuse_unknown
from pruneapp.checkpoint.formats.shard_names import ShardName
from pruneapp.checkpoint.io.store import is_store, locate
from pruneapp.document.document import DocumentChanged
from pruneapp.errors import PruneAppError
from pruneapp.gui.app import dialogs
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.feature import Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import SAMPLE, OpenDocument, OpenRequest
from pruneapp.gui.export.export_controller import ExportController
from pruneapp.gui.files.session_controller import SessionController
from pruneapp.gui.files.start_page import EmptyPage
from pruneapp.gui.widgets.screen import bring_to_front
from pruneapp.sessions.session_file import SUFFIX


def shown_files() -> str:
    """Return the file name patterns of the file dialog; ``*.json`` for indices of shards."""
    named = (f"*{suffix}" for reader in READERS for suffix in reader.suffixes)
    return " ".join(dict.fromkeys((*named, "*.json", f"*{SUFFIX}")))


def window_of(file: Path, files: Mapping[QMainWindow, Path]) -> QMainWindow | None:
    """Return the window in which a file is open, after resolving symbolic links; None for none."""
    sought = _identity(file)
    return next((window for window, other in files.items() if _identity(other) == sought), None)


def _identity(file: Path) -> str:
    if is_store(file):
        return str(file)
    try:
        return os.path.normcase(os.path.realpath(file))
    except ValueError:  # an invalid file name
        return str(file)


class OpenController(Feature[QDialog]):
    """Controller of the commands that open and close files."""

    needs_document = False
    commands: ClassVar = {
        "open": "ask_file",
        "open_in_window": "ask_file_for_window",
        "open_folder": "ask_folder",
        "open_location": "ask_location",
        "sample": "open_sample",
        "state_dict": "choose_state_dict",
        "close": "close",
    }

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        start: EmptyPage,
        *,
        export: ExportController,
        sessions: SessionController,
    ) -> None:
        super().__init__(context, session)
        self._start = start
        self._export = export
        self._sessions = sessions
        self._check: RunJob[None] | None = None  # whether a file is a checkpoint
        self._has_opened = False  # whether a file was opened in this window
        session.opened.connect(self._on_opened)
        session.changed.connect(self._on_changed)
        start.openRequested.connect(self.ask_file)
        start.folderRequested.connect(self.ask_folder)
        start.sampleRequested.connect(self.open_sample)

    # -- the file -------------------------------------------------------------------------------

    @property
    def path(self) -> Path | None:
        """The file that is open, or being opened, as in the window title; None if there is none."""
        document = self.session.document
        opened = None if document is None else document.checkpoint.path
        return self.session.opening_path or self._sessions.path or opened

    @flow
    def open(self, wanted: Path | OpenRequest) -> Flow[None]:
        """Open a file, a session or recovered work in this window, after asking about unsaved work.

        The user is not asked if the file is no checkpoint, which is shown as an error. A file that
        is open in another window is shown there instead; one that is open here is opened again.
        """
        request = OpenRequest(wanted) if isinstance(wanted, Path) else wanted
        if not (yield from self._show_window(request, but=self._window)):
            yield from self._open_here(request)

    @flow
    def open_in_window(self, wanted: Path | OpenRequest) -> Flow[None]:
        """Open a file in a new window, or show the window in which it is open already."""
        request = OpenRequest(wanted) if isinstance(wanted, Path) else wanted
        if not (yield from self._show_window(request)):
            self._windows.wanted.emit(request)

    @Slot(object, bool)
    def open_together(self, paths: Sequence[Path], apart: bool) -> None:
        """Open several files: the first one in this window unless `apart`, others in new windows.

        If all are shards of the same model, its folder is opened instead, which is one file.
        `paths` is not empty.
        """
        shards = [ShardName.parse(path) for path in paths]
        models = {
            (p.parent, s and replace(s, number=0)) for p, s in zip(paths, shards, strict=True)
        }
        if len(models) == 1 and None not in shards:
            paths = [paths[0].parent]
        first, *others = paths
        (self.open_in_window if apart else self.open)(first)
        for path in others:
            self.open_in_window(path)

    def open_named(self, name: str, state_dict: str | None = None) -> None:
        """Open a file or URL that a second start of the application has sent, in a new window.

        An invalid URL is refused with a notice in this window.
        """
        try:
            path = locate(name)
        except PruneAppError as error:
            self.session.refused.emit(error)
        else:
            self.open_in_window(OpenRequest(path, state_dict))

    def _show_window(self, request: OpenRequest, *, but: QWidget | None = None) -> Flow[bool]:
        """Bring the window, other than `but`, in which a file is open to the front.

        Return whether there is one; links are resolved on a worker thread. Always False for a
        journal.
        """

        def files() -> dict[QMainWindow, Path]:
            return {w: file for w, file in self._windows.files.items() if w is not but}

        known = files()
        if not known or request.is_journal:
            return False
        window = yield from RunJob(
            "", lambda _job: window_of(request.path, known), Lane.INTERACTIVE
        )
        now = files()  # windows may have changed while links were resolved
        if window not in now:
            window = next((w for w, file in now.items() if file == request.path), None)
        if window is None:
            return False
        bring_to_front(window)
        return True

    def _open_here(self, request: OpenRequest) -> Flow[None]:
        """Open a request in this window, after asking about work that would be lost.

        That includes running programs, such as an evaluation or a repair. If there is such work,
        the file is first read far enough to know that it is a checkpoint; its error ends the
        flow. A later call cancels that.
        """
        losses = self._sessions.losses or self._jobs.runs_program
        if losses and not request.is_journal:
            if self._check is not None:
                self._check.cancel()
            self._check = check = RunJob(
                "", lambda _job: refuse_unknown(request.path), Lane.INTERACTIVE
            )
            yield from check
        go = partial(self._close_and_open, request)
        if (not self._jobs.runs_program or self._confirm_stop()) and self._confirm_loss(go):
            go()

    def _close_and_open(self, request: OpenRequest) -> None:
        """Open a file. The open document is closed after the file was read.

        If the request names the open document itself, it is closed first: closing stores its
        history, which opening then restores.
        """
        if self._known_as(request) and not request.is_journal:
            self.session.close()
        self.session.open(request)

    def _known_as(self, request: OpenRequest) -> bool:
        """Return whether a request names the open document, including its state dict.

        A request without a state dict names any. Links are resolved.
        """
        document = self.session.document
        if document is None:
            return False
        shown = document.checkpoint.contents.state_dict
        open_as = self._sessions.path or document.checkpoint.path
        return request.state_dict in {None, shown} and _identity(open_as) == _identity(request.path)

    @flow
    def open_sample(self, *, with_history: bool = True) -> Flow[None]:
        """Open the sample model, which may be open in several windows."""
        yield from self._open_here(OpenRequest(resources.path(SAMPLE), with_history=with_history))

    def ask_file(self) -> None:
        """Let the user choose a file and open it."""
        if path := self._chosen_file():
            self.open(path)

    def _chosen_file(self) -> Path | None:
        """Let the user choose a file, and store its folder for the next time.

        The result is None if the user cancels.
        """
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            self.tr("Open a checkpoint or a session"),
            str(self._folder()),
            self.tr("Checkpoints and sessions ({patterns});;All files (*)").format(
                patterns=shown_files()
            ),
        )
        if name:
            self.session.note_folder("open", Path(name))
        return Path(name) if name else None

    def ask_file_for_window(self) -> None:
        """Let the user choose a file and open it in a new window."""
        if path := self._chosen_file():
            self.open_in_window(path)

    def ask_folder(self) -> None:
        """Let the user choose a model folder and open it."""
        name = QFileDialog.getExistingDirectory(
            self._window, self.tr("Open a model folder"), str(self._folder())
        )
        if name:
            self.session.note_folder("open", Path(name))
            self.open(Path(name))

    def ask_location(self) -> None:
        """Let the user enter a path or URL and open it; ``~`` is the home folder.

        An invalid one is refused with a notice; it is not asked for again.
        """
        text = dialogs.location(self._window)
        try:
            path = locate(text).expanduser() if text else None
        except (PruneAppError, RuntimeError) as error:  # ``~name`` of an unknown user
            refused = error if isinstance(error, PruneAppError) else PruneAppError(f"{error}")
            self.session.refused.emit(refused)
            return
        if path is not None:
            self.open(path)

    def choose_state_dict(self) -> None:
        """Let the user choose a state dict of the open file, and open it if it is another one.

        Without effect if no document is open.
        """
        document = self.session.document
        if document is None:
            return
        contents = document.checkpoint.contents
        key = dialogs.state_dict(self._window, contents.state_dicts, contents.state_dict)
        if key is not None and key != contents.state_dict:
            self.open(OpenRequest(document.checkpoint.path, key))

    def close(self) -> None:
        """Close the document, after asking about unsaved work and running jobs.

        These are programs and jobs that write; others, such as a preview, end with the document.
        """
        asks = self._jobs.writing or self._jobs.runs_program
        if (not asks or self._confirm_stop()) and self._confirm_loss(self.session.close):
            self.session.close()

    def check_file(self) -> None:
        """Check whether another program has changed the open file, unless a job is running."""
        if not self._jobs.busy:
            self._look_again()

    def _look_again(self) -> None:
        """Show a notice if the open file was changed or deleted; remove it if it was not."""
        document = self.session.document
        if document is None:
            return
        try:
            document.checkpoint.verify_on_disk()
        except PruneAppError as error:
            self._notifications.show_error(error)
        else:
            self._notifications.end(NoticeTopic.OPEN_FILE)

    def _on_changed(self, _change: DocumentChanged) -> None:
        if self._notifications.is_shown(NoticeTopic.OPEN_FILE):  # the file may be restored
            self._look_again()

    def may_stop(self) -> bool:
        """Return whether no job is running, or the user agrees and it was cancelled."""
        return self._confirm_stop()

    def may_leave(self) -> bool:
        """Return whether the window may be closed; ask if a job is running or work would be lost.

        The job is cancelled if the user agrees. If the user chooses to save first, False, and the
        window is closed after saving.
        """
        go = self._windows.quit if self._windows.quitting else self._window.close
        return self._confirm_stop() and self._confirm_loss(go)

    def offer_state_dicts(self) -> None:
        """Show a notice if the file has other state dicts than the open one.

        Its button lets the user choose one.
        """
        document = self.session.document
        if document is None or len(document.checkpoint.contents.state_dicts) < 2:
            return
        contents = document.checkpoint.contents
        self._notifications.offer(
            NoticeTopic.STATE_DICTS,
            self.tr("This file contains {n} state dicts; '{key}' is shown.").format(
                n=len(contents.state_dicts), key=contents.state_dict
            ),
            self.tr("Choose another…"),
            self.choose_state_dict,
        )

    def _confirm_stop(self) -> bool:
        """Return whether no visible job is running any more.

        If one is, the user is asked whether to cancel it; all visible jobs are cancelled then. The
        result is also True if the job ends during the question.
        """
        if not self._jobs.busy:
            return True
        if not dialogs.stop_jobs(self._window, self._jobs.idle, self._sessions.kept_text()):
            return not self._jobs.busy  # it ended during the question and was reported
        self._jobs.cancel_visible()
        return True

    def _confirm_loss(self, go: Callable[[], object]) -> bool:
        """Return whether the document may be closed; ask if some of its work cannot be kept.

        False if the user stays, exports, or saves; after saving `go` is called. True after
        "discard": the work is then not kept on closing.
        """
        losses = self._sessions.losses
        if not losses or not (why := self._sessions.keep_or_explain()):
            return True
        session = self._sessions.path
        name = "" if session is None else session.name
        bring_to_front(self._window)
        answer = dialogs.ask_about_unsaved_work(self._window, name, losses, why)
        if answer == "save":
            self._sessions.save_then(go)
        elif answer == "export":
            self._export.ask()
        elif answer == "discard":
            self._sessions.discard()
        return answer == "discard"

    def _folder(self) -> Path:
        """Return the folder in which file dialogs start.

        That of the last file, or the working folder of a terminal until a file is opened.
        """
        terminal = _terminal_folder()
        if terminal is not None and not self._has_opened:
            return terminal
        recent = self._settings.recent
        beside = (path.parent for path in recent if not is_store(path))
        return Path(self._settings.folder("open") or next(beside, Path.home()))

    def _on_opened(self, _prepared: object) -> None:
        """Store the folder of the opened file for the next dialog."""
        path = self.document.checkpoint.path.absolute()
        if not is_store(path) and not self.session.is_sample:
            self._has_opened = True
            self.session.note_folder("open", path)


def _terminal_folder() -> Path | None:
    """Return the working folder if the program was started in a terminal; None otherwise."""
    in_terminal = sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()
    return Path.cwd() if in_terminal else None
