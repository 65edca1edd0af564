"""The session file of the open document, and the check whether closing loses work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDialog, QFileDialog

from pruneapp.document.document import Capture, Document, DocumentChanged, HistoryItem, Loss
from pruneapp.document.edit import is_work
from pruneapp.errors import (
    OriginalChangedError,
    OriginalMissingError,
    PruneAppError,
    SessionChangedError,
    StaleError,
    words_of,
)
from pruneapp.gui.app import dialogs
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.app.settings import KEEP_HISTORIES
from pruneapp.gui.app.windows import TITLE
from pruneapp.gui.document.feature import Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument, OpenRequest
from pruneapp.gui.files.autosave_controller import AutosaveController
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import call_soon, single_shot
from pruneapp.gui.widgets.engine_text import translate_sentence
from pruneapp.gui.widgets.labels import join_sentences
from pruneapp.sessions import kept_histories
from pruneapp.sessions.journal_reader import JournalFile
from pruneapp.sessions.original import FileStamp
from pruneapp.sessions.session_file import SUFFIX, SessionFile, save_session


def has_steps(document: Document) -> bool:
    """Return whether the history has steps of the user."""
    return any(r.entry is None or is_work(r.entry) for r in document.history.records)


# Delay in milliseconds before new results are written, and minimum interval between writes.
MEASURED_MS = 3_000


@dataclass(frozen=True)
class _SavedContent:
    """The content of a session file. The choice of the current state does not count as work."""

    items: tuple[HistoryItem, ...] = ()
    results: Mapping[object, object] = field(default_factory=dict)  # measured results

    def has(self, document: Document) -> bool:
        """Return whether the file has exactly the states of a document, including undone ones."""
        items = document.items
        return items is self.items or {*map(id, items)} == {*map(id, self.items)}


class SessionController(Feature[QDialog]):
    """The session file of the document, its commands, and the title of the window.

    `read_results` returns the measured results that a session stores, by subject; `read_view` the
    state of the views as plain JSON, which `show_view` restores.
    """

    commands: ClassVar = {"save_session": "save", "save_session_as": "save_as"}

    saved = Signal(object)  # (Path)

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        *,
        autosave: AutosaveController,
        read_view: Callable[[], Mapping[str, Any]],
        show_view: Callable[[Mapping[str, Any]], None],
        read_results: Callable[[], Mapping[object, object]],
    ) -> None:
        super().__init__(context, session)
        self._autosave = autosave
        self._read_view, self._show_view = read_view, show_view
        self._read_results = read_results
        self.path: Path | None = None
        self._saved_content = _SavedContent()  # content of the session file
        # Results that the journal has, and the timer of the next comparison with current ones.
        self._journaled: Mapping[object, object] = {}
        self._write_timer = single_shot(self, MEASURED_MS, self._keep_measured)
        self._discarded = False  # whether the user agreed to lose the work
        # Stamp of the file when this window last read or wrote it.
        self._stamp: FileStamp | None = None
        session.opened.connect(self._on_opened)
        session.changed.connect(self.show_title)
        session.changed.connect(self._on_changed)
        session.closing.connect(self._on_closing)
        session.notOpened.connect(self._on_stayed)
        session.misplaced.connect(self._on_misplaced)

    @property
    def unsaved(self) -> tuple[Loss, ...]:
        """What closing would lose; empty if nothing, or if no document is open.

        With a session file, all changes have to be in it. Without one, exported states count as
        saved; measured results are stored only in sessions.
        """
        document = self.session.document
        if document is None:
            return ()
        losses = document.unsaved
        if self.path is not None:
            losses = () if self._saved_content.has(document) else ("state",)
        measured = self._read_results().items() <= self._saved_content.results.items()
        return losses if measured else (*losses, "results")

    @property
    def losses(self) -> tuple[Loss, ...]:
        """Like `unsaved`, but ("history",) for steps that are exported but in no session file."""
        document = self.session.document
        losses = self.unsaved
        if document is not None and self.path is None and not losses and has_steps(document):
            return ("history",)
        return losses

    def keep_or_explain(self) -> str:
        """Write everything that closing has to keep; return why it cannot be kept, or "".

        The reason is that the user has turned this off, the disk, or the size.
        """
        if not self._settings.get(KEEP_HISTORIES):
            return self.tr("The history of closed files is not kept, as chosen in the settings.")
        if (error := self._autosave.flush()) is not None:
            cause = error.__cause__
            why = (
                words_of(cause)
                if isinstance(cause, OSError)
                else translate_sentence(error.sentence)
            )
            return self.tr("The history cannot be written to the disk ({why}).").format(why=why)
        if self._autosave.nbytes > kept_histories.MOST_BYTES:
            return self.tr("The history is too large to be kept: {size} of at most {most}.").format(
                size=number_format.size(self._autosave.nbytes),
                most=number_format.size(kept_histories.MOST_BYTES),
            )
        return ""

    def kept_text(self) -> str:
        """Return a sentence about the history that closing keeps; "" if it keeps none."""
        document = self.session.document
        if document is None or not self.losses or self.keep_or_explain():
            return ""
        return self.tr(
            "The history of '{name}' is kept and restored when you open it again."
        ).format(name=(self.path or document.checkpoint.path).name)

    def discard(self) -> None:
        """Do not keep unsaved work when the document is closed, as the user decided."""
        self._discarded = True

    # -- saving ---------------------------------------------------------------------------------

    def save(self) -> None:
        """Save the session to its file, or to one that the user chooses."""
        self.save_then(None)

    @flow
    def save_then(self, then: Callable[[], object] | None) -> Flow[None]:
        """Save the session, then call `then`, unless it is None, if that succeeded.

        The user is asked for a file if the document has none, and can cancel. Not called either if
        another document was opened meanwhile.
        """
        path = self.path or self._ask_where()
        if path is not None:
            yield from self._save(path, then, self._stamp if path == self.path else None)

    @flow
    def save_as(self) -> Flow[None]:
        """Save the session to a file that the user chooses."""
        if (path := self._ask_where()) is not None:
            yield from self._save(path)

    def _ask_where(self) -> Path | None:
        """Let the user choose a session file, and store its folder for the next time.

        The result is None if the user cancels.
        """
        path = dialogs.save_path(
            self._window,
            self.tr("Save session"),
            self.path or self.session.propose_path("session", SUFFIX),
            self.tr("Sessions ({patterns})").format(patterns=f"*{SUFFIX}"),
            SUFFIX,
        )
        if path is not None:
            self.session.note_folder("session", path)
        return path

    def _save(
        self,
        path: Path,
        then: Callable[[], object] | None = None,
        instead_of: FileStamp | None = None,
    ) -> Flow[None]:
        """Save the session to `path`, which becomes the file of the session; then call `then`.

        If the file is no longer the version `instead_of`, the user is asked whether to replace it
        or to choose another file; None replaces any version. A state that changes meanwhile is
        saved again. Errors are shown.
        """
        document, stamp = self.document, None
        while stamp is None:
            view, capture = self._read_view(), Capture.of(document)
            content = _SavedContent(document.items, self._read_results())
            work = partial(save_session, capture, view, path, instead_of=instead_of)
            try:
                stamp = yield from RunJob(self.tr("Saving session"), work, Lane.WRITING)
            except PruneAppError as error:
                is_open = self.session.document is document
                if isinstance(error, SessionChangedError) and is_open:
                    answer = dialogs.replace_session(self._window, path.name)
                    is_open = self.session.document is document
                    chosen = self._ask_where() if answer == "elsewhere" and is_open else path
                    if answer == "stay" or chosen is None or not is_open:
                        return
                    path, instead_of = chosen, None
                elif not (isinstance(error, StaleError) and is_open):
                    self._notifications.show_error(error, NoticeTopic.SAVING)
                    return
        self._settings.add_recent(path)
        self.saved.emit(path)
        if self.session.document is not document:
            return
        self.path, self._saved_content, self._stamp = path, content, stamp
        self._autosave.mark_saved(capture.records, capture.position, stamp, capture.branches, view)
        self.show_title()
        name, size = path.name, number_format.size(stamp.size)
        self._notifications.show_done(self.tr("Saved {name}, {size}").format(name=name, size=size))
        if then is not None:
            then()

    # -- opening --------------------------------------------------------------------------------

    def _on_opened(self) -> None:
        """Take over the session file, its views and its results from what the document continues.

        Restored steps of a closed file are reported.
        """
        saved, document = self.session.saved, self.session.document
        assert document is not None
        self.path, self._saved_content, self._stamp = None, _SavedContent(), None
        if isinstance(saved, SessionFile):
            self.path, self._stamp = saved.path, saved.stamp
            self._saved_content = _SavedContent(document.items)
        elif isinstance(saved, JournalFile):  # continues the session that it was saved in
            self._stamp = saved.kept_in
            self.path = None if saved.kept_in is None else Path(saved.kept_in.path)
            self._saved_content = _SavedContent(document.items[: saved.kept_steps + 1])
        if saved is not None:
            self._show_view(saved.view)
        self._write_timer.stop()
        self._journaled = self._read_results()
        if isinstance(saved, SessionFile) or (
            isinstance(saved, JournalFile) and saved.keeps_measured
        ):
            self._saved_content = replace(self._saved_content, results=self._journaled)
        self.show_title()
        if isinstance(saved, JournalFile) and kept_histories.is_kept(saved.path):
            if self.path is not None and self.path == self.session.opened_path:
                text = self.tr("Opened {name} with the changes that were not saved in it.")
                self._notifications.show_done(text.format(name=self.path.name))
            else:
                self._report_restored(document)

    def _report_restored(self, document: Document) -> None:
        """Report that steps of the last time were restored, and offer to start from the file.

        Without steps to the current state, only in the status bar.
        """
        steps = document.position and len(document.branches.path(document.position))
        others = len(document.items) - 1 - steps
        if not steps:
            text = self.tr("Restored the history of this file.")
            self._notifications.show_done(text)
            return
        text = number_format.plural(
            steps,
            self.tr("Restored 1 earlier step of this file."),
            self.tr("Restored {n} earlier steps of this file."),
        )
        if others:
            more = number_format.plural(
                others,
                self.tr("The history contains 1 more state, undone or on another branch."),
                self.tr("The history contains {n} more states, undone or on other branches."),
            )
            text = join_sentences(text, more)
        self._notifications.offer(
            NoticeTopic.RESTORED, text, self.tr("Start without these steps"), self._start_from_file
        )

    @Slot(object)
    def _on_changed(self, change: DocumentChanged) -> None:
        """End the offer to start from the file once the user has gone on from what was restored."""
        if not change.is_remark:
            self._notifications.end(NoticeTopic.RESTORED)

    @Slot()
    def _start_from_file(self) -> None:
        """Go to the initial state; the steps stay in the history."""
        if self.session.document is not None and self.session.may_work():
            self.session.document.jump(0)

    def _on_closing(self) -> None:
        """Keep the history for the next time.

        If there is nothing to lose, or the user discarded it, the journal is deleted instead. If
        histories are not kept, as the user chose, the journal stays and is offered at the next
        start.
        """
        document = self.session.document
        assert document is not None
        if self._discarded or not self.losses:
            return  # the journal is deleted
        if kept := self.kept_text():  # closing clears the status bar
            call_soon(self, partial(self._notifications.show_done, kept))
        if self._settings.get(KEEP_HISTORIES):
            self._autosave.keep_history(self.path or document.checkpoint.path)
        else:  # closed without a question, as the computer shuts down
            self._autosave.release()

    @Slot()
    def _on_stayed(self) -> None:
        self._discarded = False

    def on_closed(self) -> None:
        super().on_closed()
        self._discarded = False
        self.path, self._saved_content, self._stamp = None, _SavedContent(), None
        self._write_timer.stop()
        self._window.setWindowModified(False)

    def on_measured(self) -> None:
        """Update the title, and write new results to the journal within `MEASURED_MS`."""
        self.show_title()
        if not self._write_timer.isActive():
            self._write_timer.start()

    def _keep_measured(self) -> None:
        """Write the results to the journal if they have changed and are not in the session file."""
        results = self._read_results()
        if self.session.document is not None and results != self._journaled:
            self._journaled = results
            if not results.items() <= self._saved_content.results.items():
                self._autosave.keep_measured()

    def show_title(self) -> None:
        """Show the open file in the window title, and whether closing would lose work.

        The file is the session, if there is one. Without effect if no document is open.
        """
        document = self.session.document
        if document is None:
            return
        path = document.checkpoint.path if self.path is None else self.path
        # Placeholder that Qt replaces by its modified marker, and on macOS by a dot in the close
        # button.
        mark = "[*]" if self.unsaved else ""
        self._window.setWindowTitle(f"{path.name}{mark} — {TITLE}")
        self._window.setWindowModified(bool(mark))

    # -- the checkpoint was moved or has changed ------------------------------------------------

    def _on_misplaced(
        self, error: OriginalMissingError | OriginalChangedError, request: OpenRequest
    ) -> None:
        """Offer to locate the checkpoint of a session or journal that was moved or has changed.

        If it has changed but still fits, a second notice offers to apply the masks alone.
        """
        if isinstance(error, OriginalChangedError) and error.fits and not request.only_masks:
            self._notifications.offer(
                NoticeTopic.OTHER_MASKS,
                self.tr(
                    "The masks of '{name}' can be applied to this file, without the history."
                ).format(name=request.path.name),
                self.tr("Use masks"),
                partial(self._open, request, only_masks=True),
            )
        self._notifications.offer(
            NoticeTopic.OPENING,
            translate_sentence(error.sentence),
            self.tr("Locate…"),
            partial(self._find, request, in_folder=error.in_folder),
            details=error.details,
        )

    def _find(self, request: OpenRequest, *, in_folder: bool) -> None:
        """Let the user locate the checkpoint, and open the request with it.

        A folder is asked for if `in_folder`. Without effect if the user cancels.
        """
        title = self.tr("Locate the checkpoint of '{name}'").format(name=request.path.name)
        folder = str(request.path.parent)
        if in_folder:
            name = QFileDialog.getExistingDirectory(self._window, title, folder)
        else:
            name, _ = QFileDialog.getOpenFileName(self._window, title, folder)
        if name:
            self._open(request, original=Path(name))

    def _open(
        self, request: OpenRequest, *, original: Path | None = None, only_masks: bool = False
    ) -> None:
        original = original or request.original
        self.session.open(replace(request, original=original, only_masks=only_masks))
