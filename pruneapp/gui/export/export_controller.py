"""Export: dialog, job, report.

From "Export…" to the report: ask where, write in the background, say what was written.

The formats that the dialog offers, with sizes that become known.

The report of an export, in the words that its dialog takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from pruneapp.checkpoint.io.files import is_folder
from pruneapp.document.capture import Capture
from pruneapp.document.document import Document
from pruneapp.errors import PruneAppError, UnwritableError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.completeness import unwritable
from pruneapp.export.destination.target import kept_name
from pruneapp.export.exporter import ExportRequest, landing, planned_size
from pruneapp.export.format_sizes import offer, recommend, written_as
from pruneapp.export.records import State
from pruneapp.export.report import ExportReport
from pruneapp.export.rounding import cost_to_come, damages
from pruneapp.gui.app import dialogs
from pruneapp.gui.app.jobs import Jobs, Task, Urgency
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.export.dialog import Choices, ExportDialog, ExportWish
from pruneapp.gui.export.export_worker import (
    MANY,
    ExportJob,
    first_offers,
    proposed_target,
    request_of,
)
from pruneapp.gui.export.format_list import rounded_to
from pruneapp.gui.export.report_dialog import ExportReportDialog, ReportText
from pruneapp.gui.widgets.theme import ThemeManager
from pruneapp.params import validate_all
from pruneapp.progress import CancelToken, Job
from pruneapp.results.format_offer import FormatOffer, Landing, RoundingCost
from pruneapp.results.sparsity_report import TensorSparsity


class ExportOffers(QObject):
    """Counts how large each format would be, while a dialog shows them.

    Parameters
    ----------
    jobs
        Where it is counted.
    parent
        Owns this.

    Signals
    -------
    changed(tuple of FormatOffer)
        Something is known that was not, or known no longer.
    rounded(str, RoundingCost or str)
        What rounding to a type costs, or a sentence on why that is not known.
    landed(object, Landing)
        What an export finds where it goes, with the key that it was asked by.
    failed(PruneAppError)
        A size could not be counted.
    """

    changed = Signal(object)
    rounded = Signal(str, object)
    landed = Signal(object, object)
    failed = Signal(object)

    def __init__(self, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._state: State | None = None
        self._offers: dict[str, FormatOffer] = {}
        self._sampling: dict[str, Task[FormatOffer]] = {}
        self._types: dict[str, str] = {}  # that each format was last counted in
        self._paths: dict[str, Path] = {}  # where each format goes, as far as it was said
        self._rounding: Task[RoundingCost] | None = None
        self._landing: Task[Landing] | None = None

    def start(self, state: State, found: Iterable[FormatOffer]) -> None:
        """Begin with what headers tell of a state, and count the rest."""
        self._state = state
        self._paths.clear()
        self._types.clear()
        self._offers = {one.name: one for one in found}
        for one in self._offers.values():
            if not one.why_not and one.nbytes is None:
                self.count(one.name, {})

    def count(self, name: str, values: Mapping[str, Any]) -> None:
        """Count how large a format would be; what is known of it is known no longer."""
        state = self._state
        assert state is not None  # there is a dialog
        if (old := self._sampling.pop(name, None)) is not None:
            old.cancel()
        was = self._offers[name]
        before, self._types[name] = self._types.get(name, ""), rounded_to(was, values)
        # An exact size hardly changes in the same type, so it stays until the new one is there.
        kept = was.nbytes if was.exact and before == self._types[name] else None
        stale = replace(was, nbytes=kept, files=None, wrong="")
        if stale != was:
            self._take(stale)
        self._jobs.make_room()
        path = self._paths.get(name)
        self._sampling[name] = self._jobs.answer(
            lambda job: offer(state, FORMATS[name], values, job, path=path),
            on_result=self._take,
            on_error=self.failed.emit,
            urgency=Urgency.AT_ONCE,
        )

    def round(self, name: str) -> None:
        """Look for what rounding to a type costs, and no longer at another one."""
        state = self._state
        assert state is not None  # there is a dialog
        self._look_no_more()
        self._rounding = self._jobs.answer(
            lambda job: cost_to_come(state, name, job),
            on_result=partial(self._take_cost, name),
            on_error=partial(self._take_no_cost, name),
        )

    def look(self, key: object, request: ExportRequest) -> None:
        """Look at where an export goes, and no longer elsewhere.

        Where the name makes another file of it, its size is counted anew.
        """
        state = self._state
        assert state is not None  # there is a dialog
        name = request.format
        before, self._paths[name] = self._paths.get(name), request.path
        if written_as(state.checkpoint, FORMATS[name], before) != written_as(
            state.checkpoint, FORMATS[name], request.path
        ):
            self.count(name, request.params)
        if self._landing is not None:
            self._landing.cancel()
        self._landing = self._jobs.answer(
            lambda job: landing(state, request, job),
            on_result=partial(self._take_landing, key),
            on_error=self.failed.emit,
        )

    def _take_landing(self, key: object, found: Landing) -> None:
        if self._state is not None:
            self.landed.emit(key, found)

    def _look_no_more(self) -> None:
        if self._rounding is not None:
            self._rounding.cancel()
            self._rounding = None

    def _take_cost(self, name: str, cost: RoundingCost) -> None:
        if self._state is not None:
            self.rounded.emit(name, cost)

    def _take_no_cost(self, name: str, error: PruneAppError) -> None:
        if self._state is not None:
            self.rounded.emit(name, f"{error.sentence} {error.remedy}".strip())

    def stop(self) -> None:
        """Count no more."""
        self._look_no_more()
        if self._landing is not None:
            self._landing.cancel()
            self._landing = None
        for task in self._sampling.values():
            task.cancel()
        self._sampling.clear()
        self._state = None

    def _take(self, found: FormatOffer) -> None:
        if self._state is None:
            return
        self._offers[found.name] = found
        self.changed.emit(recommend(self._offers.values()))


def report_text(report: ExportReport, shown: Mapping[str, str]) -> ReportText:
    """Return what a dialog says of an export.

    Parameters
    ----------
    report
        What was written.
    shown
        What tensors are called in the tree, by the names that they have in the file.
    """
    undo: tuple[str, ...] = ()
    if report.kept_originals and not report.undo_ends:
        undo = ("Undo goes on from the original that was kept.",)
    home = report.files[0].path.parent  # of the weights; links are followed there
    return ReportText(
        path=str(report.path),
        format=FORMATS[report.format].label,
        nbytes=report.nbytes,
        checksum=f"sha256 {report.sha256}",
        verified=report.verified,
        tensors=tuple(
            TensorSparsity(shown.get(t.name, t.name), t.numel, t.pruned, t.pruned)
            for t in report.tensors
            if t.pruned
        ),
        kept_as=tuple(map(str, report.kept_originals)),
        loads=FORMATS[report.format].loads(report.path),
        notes=(*(n for n in report.notices if not damages(n)), *undo),
        warnings=tuple(notice for notice in report.notices if damages(notice)),
        files=tuple(
            (f.path.relative_to(home).as_posix(), f.nbytes, f"sha256 {f.sha256}")
            for f in report.files
        )
        if report.path.is_dir()
        else (),
    )


LATER_MS = 1_500


class ExportController(QObject):
    """The export of the session's document.

    Parameters
    ----------
    session, jobs, appearance
        The document, the worker, the colours of the dialogs.
    window
        Parent of the dialogs.
    asked
        Returns the words on the button that would prune; empty if it would do nothing.

    Signals
    -------
    sized(int)
        How many bytes the default export will take; -1 while unknown.
    began(Path)
        A file or folder of this name is going to be written.
    exported(ExportReport)
        A file was written.
    cancelled(str)
        The person cancelled an export: a sentence about that.
    """

    sized = Signal(object)
    began = Signal(object)
    exported = Signal(object)
    cancelled = Signal(str)

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        appearance: ThemeManager,
        window: QWidget,
        *,
        asked: Callable[[], str],
    ) -> None:
        super().__init__(window)
        self._session = session
        self._jobs = jobs
        self._appearance = appearance
        self._window = window
        self._asked = asked
        self._choices: Choices | None = None
        self._opened = Path()
        self.dialog: ExportDialog | None = None
        self.report: ExportReportDialog | None = None
        self._offers = ExportOffers(jobs, self)
        self._offers.changed.connect(self._show_offers)
        self._offers.rounded.connect(self._show_rounding)
        self._offers.landed.connect(self._show_landing)
        self._offers.failed.connect(session.refused)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._count)
        session.opened.connect(self._on_opened)
        session.closed.connect(self._forget)

    def ask(self) -> None:
        """Show the dialog, with the sizes to come."""
        document = self._session.document
        if document is None or self.dialog is not None or not self._session.may_work():
            return
        capture = Capture.of(document)
        self._jobs.answer(
            lambda job: first_offers(capture, job),
            on_result=self._show_dialog,
            on_error=self._session.refused.emit,
        )

    def _on_opened(self) -> None:
        document = self._session.document
        assert document is not None
        # An export onto the source moves that; the person goes on calling it what they opened.
        self._opened = document.checkpoint.path
        self._count_soon()

    def _count_soon(self) -> None:
        # Who has opened a file looks at it first; the size of a large one may wait.
        self._later.start(LATER_MS if len(self._session.rows) > MANY else 0)

    def _count(self) -> None:
        document = self._session.document
        if document is None:
            return
        snapshot = document.snapshot()

        def size(job: Job) -> int | None:
            return planned_size(snapshot, next(iter(FORMATS)), job)

        self._jobs.answer(size, on_result=self.sized.emit, on_error=self._not_sized)

    def _not_sized(self, _error: PruneAppError) -> None:
        self.sized.emit(None)

    def _forget(self) -> None:
        self._later.stop()
        self.sized.emit(None)
        if self.dialog is not None:
            self.dialog.reject()
        self._choices = None

    def _show_dialog(self, asked: tuple[State, tuple[FormatOffer, ...], bool]) -> None:
        document = self._session.document
        if document is None or self.dialog is not None:
            return
        state, found, pruned = asked
        source = document.checkpoint.path
        able = [one for one in found if not one.why_not]
        folder = bool(document.checkpoint.contents.shards)
        dialog = ExportDialog(self._window)
        dialog.set_offers(found)
        dialog.set_source(str(source), kept_name(source).name)
        target = proposed_target(self._opened, able[0].suffixes if able else (".safetensors",))
        if self._session.is_sample:
            # The sample lies where the application is installed, which is no place for exports.
            target = Path.home() / target.name
        target = self._session.folder("export", target.parent) / target.name
        dialog.set_pruned(pruned=pruned, asked=self._asked())
        dialog.set_folders(allowed=folder)
        dialog.set_target(str(target))
        dialog.exportRequested.connect(self._export)
        dialog.parametersChanged.connect(self._offers.count)
        dialog.roundingAsked.connect(self._offers.round)
        dialog.placeAsked.connect(self._look)
        dialog.finished.connect(self._on_dialog_finished)
        self._appearance.dress(dialog)
        self.dialog = dialog
        self._offers.start(state, found)
        if self._choices is not None:
            dialog.set_choices(self._choices)
        dialog.open()

    def _show_offers(self, found: Sequence[FormatOffer]) -> None:
        if self.dialog is not None:
            self.dialog.set_offers(found)

    def _look(self, wish: ExportWish) -> None:
        self._offers.look(wish, request_of(wish))

    def _show_landing(self, wish: ExportWish, found: Landing) -> None:
        if self.dialog is not None:
            self.dialog.set_landing(wish, found)

    def _show_rounding(self, name: str, cost: RoundingCost | str) -> None:
        if self.dialog is not None:
            self.dialog.set_rounding(name, cost)

    def _on_dialog_finished(self, _result: int) -> None:
        self._offers.stop()
        if self.dialog is not None:
            self._choices = self.dialog.choices()
            self.dialog.deleteLater()
            self.dialog = None

    def _export(self, wish: ExportWish) -> None:
        document = self._session.document
        # The dialog may have been open before another file was dropped.
        if document is None or not self._session.may_work():
            return
        request = request_of(wish)
        path = request.path
        if request.follow_links and not dialogs.follow_link(
            self._window, str(path), str(path.resolve())
        ):
            return
        unread = self._unwritable(document, request)
        if unread:
            if not self._may_leave_out(document, request, unread):
                return
            request = replace(request, omit=tuple(unread))
        self._write(document, request, wish)

    def _may_leave_out(
        self, document: Document, request: ExportRequest, unread: Mapping[str, str]
    ) -> bool:
        others = (form for name, form in FORMATS.items() if name != request.format)
        keeping = next((f.label for f in others if f.keeps(document.checkpoint)), "")
        label = FORMATS[request.format].label
        return dialogs.leave_out(self._window, unread, label, keeping)

    @staticmethod
    def _unwritable(document: Document, request: ExportRequest) -> Mapping[str, str]:
        form = FORMATS[request.format]
        try:
            values = validate_all(form.params, request.params)
        except PruneAppError:  # which the export will say
            return {}
        return unwritable(document.checkpoint, form, values)

    def _write(self, document: Document, request: ExportRequest, wish: ExportWish) -> None:
        writing = ExportJob(Capture.of(document), request, wish, self._session.contents.shown)
        self.began.emit(request.path)
        if wish.replace_original:
            self._session.hold(
                PruneAppError(
                    "The original file is being replaced; changes made now would be lost.",
                    remedy="Wait for the export to finish, or press Esc to cancel it.",
                )
            )
        task = self._jobs.submit(
            self.tr("Exporting"),
            writing.work,
            writes=True,
            on_result=partial(self._on_exported, writing),
            on_error=partial(self._on_not_exported, writing),
            on_cancelled=lambda: self._on_cancelled(writing, task.token),
        )

    def _let_go(self, request: ExportRequest) -> None:
        # Not after any export: another one may end while that one waits.
        if request.replace_original:
            self._session.hold(None)

    def _on_cancelled(self, writing: ExportJob, token: CancelToken) -> None:
        report, request = writing.report, writing.request
        if report is not None:
            said = self.tr(
                "The export was already written when it was cancelled; some files beside "
                "it are missing."
            )
            report = replace(report, notices=(*report.notices, said))
            self._on_exported(writing, report)
            return
        self._let_go(request)
        if token.cancelled:  # else a bug ended it, which is reported
            said = self.tr("Export of {name} cancelled: nothing was written.")
            self.cancelled.emit(said.format(name=request.path.name))

    def _on_not_exported(self, writing: ExportJob, error: PruneAppError) -> None:
        request, document = writing.request, self._session.document
        self._let_go(request)
        # What is pruned may decide that a container is not kept: only its plan tells.
        if (
            isinstance(error, UnwritableError)
            and document is not None
            and document.checkpoint is writing.capture.snapshot.checkpoint
            and self._session.may_work()
        ):
            if self._may_leave_out(document, request, error.unread):
                self._write(document, replace(request, omit=tuple(error.unread)), writing.wish)
            return
        self._session.refused.emit(error)

    def _on_exported(self, writing: ExportJob, report: ExportReport) -> None:
        request, snapshot = writing.request, writing.capture.snapshot
        self._let_go(request)
        # The person may have pruned on meanwhile, or opened another file.
        document = self._session.document
        if document is not None:
            document.mark_exported(snapshot)
        if self._choices is not None and (request.replace_original or report.kept_originals):
            # Nobody should write over the opened file because he did so before.
            self._choices = replace(self._choices, path="")
        dialog = ExportReportDialog(
            report_text(report, writing.shown), self._window, short=self._session.contents.short
        )
        dialog.folderRequested.connect(self._show_folder)
        dialog.finished.connect(self._on_report_finished)
        self._appearance.dress(dialog)
        self.report = dialog
        dialog.open()
        if report.path.absolute().parent != self._opened.absolute().parent:
            self._session.note_folder("export", report.path)  # else beside the next file as well
        self.exported.emit(report)
        if report.undo_ends and document is not None and document.checkpoint is snapshot.checkpoint:
            self._session.open(report.path)

    def _show_folder(self, name: str) -> None:
        path = Path(name).absolute()
        folder = path if is_folder(path) else path.parent
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._session.refused.emit(
                PruneAppError(
                    f"No file manager was found to show '{folder}'.",
                    remedy="Open the folder manually.",
                )
            )

    def _on_report_finished(self, _result: int) -> None:
        # Not always the newest: each export has its own.
        dialog = self.sender()
        assert isinstance(dialog, ExportReportDialog)
        dialog.deleteLater()
        if dialog is self.report:
            self.report = None
