"""Check in a dialog whether tensors have an N:M pattern, and prune them to it in one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, TypeVar

from PySide6.QtGui import QGuiApplication

from pruneapp.analysis.patterns import check_pattern, repair
from pruneapp.analysis.zeros import PATTERNS
from pruneapp.checkpoint.entry import TensorRow
from pruneapp.document.document import DocumentChanged
from pruneapp.document.edit import Proposal
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.errors import PruneAppError
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import JobProgress
from pruneapp.gui.document.feature import Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import LoadedContents, OpenDocument
from pruneapp.gui.method_form.form_model import FormContext
from pruneapp.gui.patterns.answer import PatternAnswer, as_text, text_headers
from pruneapp.gui.patterns.dialog import PatternDialog, Question
from pruneapp.gui.tree.panel import ModuleTree
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.engine_text import translate_error, translate_param
from pruneapp.kernels.kernel import Kernel
from pruneapp.methods.builtin.patterns import N_M, PatternParam, sizes_of
from pruneapp.params import DimParam
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, Job


def check_tensors(
    snapshot: Snapshot, names: Sequence[str], asked: Question, contents: LoadedContents, job: Job
) -> PatternAnswer:
    """Return the answer to a question about these tensors, the worst tensors first.

    The order is that of `PatternReport.worst_first`; equal ones are in numeric order of the names.
    `job` is started with the elements. Raises the errors of `check_pattern`, also `SelectionError`
    if `names` is empty.
    """
    n, m = sizes_of(asked.pattern)
    report = check_pattern(snapshot, names, n, m, asked.dim, job).worst_first()
    kinds = [contents.by_name[tensor.name].kind for tensor in report.tensors if tensor.groups]
    answer = PatternAnswer(
        report,
        report.totals(),
        contents.shown,
        convolutions=sum([kind.startswith("Conv") for kind in kinds]),
        short=contents.short,
    )
    _ = answer.widest  # computed and cached here, on the worker thread
    return answer


T = TypeVar("T")

# A check of up to this number of weights takes less than a second and is repeated without asking. A
# tensor takes as long as some thousands of weights.
AT_ONCE = 1 << 22
_TENSOR = 1 << 13
_USUAL = ((2, 4), *(pattern for pattern in PATTERNS if pattern != (2, 4)))


class PatternController(Feature[PatternDialog]):
    """Checks in the background whether tensors have a pattern; prunes those that do not to it."""

    commands: ClassVar = {"check_pattern": "ask"}

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        tree: ModuleTree,
        show_tensor: Callable[[str], None],
    ) -> None:
        super().__init__(context, session)
        self._tree = tree
        self._show_tensor = show_tensor
        self._job: RunJob[Any] | None = None
        self._pruning = False
        self._answer: PatternAnswer | None = None
        tree.checkedChanged.connect(self._on_checked)
        self._jobs.progressed.connect(self._on_progress)
        # the job would delay opening the file
        session.opening.connect(self._stop)
        session.changed.connect(self._on_changed)

    def ask(self) -> None:
        """Open the dialog and start a check, or bring the open dialog to the front.

        Does nothing without a document.
        """
        if self.session.document is None:
            return
        if self.dialog is None:
            pattern, dim = map(translate_param, N_M.params)
            assert isinstance(pattern, PatternParam)
            assert isinstance(dim, DimParam)
            usual = [f"{n}:{m}" for n, m in _USUAL]
            dialog = self.dialog = PatternDialog(pattern, usual, dim, self._window)
            dialog.asked.connect(self._check)
            dialog.stopRequested.connect(self._stop)
            dialog.pruneRequested.connect(self._prune)
            dialog.copyRequested.connect(self._copy)
            dialog.tensorRequested.connect(self._show_tensor)
            dialog.finished.connect(self._on_finished)
            self._theme.apply_to(dialog)
            self._check()
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    # -- checking -------------------------------------------------------------------------------

    def _rows_to_check(self, *, everything: bool) -> Sequence[TensorRow]:
        if everything:
            return [row for row in self.session.rows if not row.why_not]
        return self._tree.checked_rows()

    @flow
    def _check(self) -> Flow[None]:
        """Check the pattern that the dialog asks for, cancelling a check that runs.

        Does nothing while it prunes. An invalid pattern only ends the check.
        """
        dialog = self.dialog
        if self._pruning or dialog is None:
            return  # a check follows
        self._drop()
        every = self._rows_to_check(everything=True)
        dialog.row.set_tensors(len(self._tree.checked_rows()), len(every))
        asked = dialog.row.question()
        if asked is None:
            dialog.set_idle()  # the error is shown next to the field
            return
        rows = every if asked.everything else self._tree.checked_rows()
        dialog.row.dim.set_context(_context(rows))
        if not rows:
            dialog.set_trouble(self.tr("No tensor of this file can be pruned."))
            return
        names = [row.name for row in rows]
        snapshot, contents = self.document.snapshot(), self.session.contents
        work = partial(check_tensors, snapshot, names, asked, contents)
        answer = yield from self._run(dialog, RunJob(self.tr("Checking sparsity pattern"), work))
        self._answer = answer
        dialog.set_answer(answer)

    def _check_again(self, why: str) -> None:
        """Check again if that is fast; otherwise show the reason `why`, and a button for it.

        Does nothing without a dialog or a valid pattern.
        """
        dialog = self.dialog
        asked = None if dialog is None else dialog.row.question()
        if dialog is None or asked is None:
            return
        rows = self._rows_to_check(everything=asked.everything)
        if sum([row.numel + _TENSOR for row in rows]) <= AT_ONCE:
            self._check()
        else:
            self._drop()
            dialog.set_trouble(why, can_ask=True)

    # -- pruning --------------------------------------------------------------------------------

    @flow
    def _prune(self) -> Flow[None]:
        """Prune the tensors of the last answer to the pattern in one step, and check again.

        An error, or a change of the document in the meantime, is shown in the dialog.
        """
        answer, dialog = self._answer, self.dialog
        if answer is None or dialog is None:
            return
        self.session.check_may_work()
        self._drop()
        snapshot, kernel = self.document.snapshot(), self.session.kernel
        work = partial(_compute_step, snapshot, repair(answer.report), kernel)
        self._pruning = True
        try:
            proposal = yield from self._run(dialog, RunJob(self.tr("Pruning to the pattern"), work))
        finally:
            self._pruning = False
        if not self.session.commit(proposal):
            why = self.tr("Nothing was pruned. The main window shows why.")
            dialog.set_trouble(why, can_ask=True)
            return
        self._check()  # even if it is slow: the user expects to see the result
        many = answer.totals.broken
        text = number_format.plural(
            many,
            self.tr("1 tensor pruned to {pattern}."),
            self.tr("{n} tensors pruned to {pattern}."),
        )
        self._notifications.show_done(text.format(pattern=answer.pattern))

    # -- copying --------------------------------------------------------------------------------

    @flow
    def _copy(self) -> Flow[None]:
        """Copy the table of the last answer as text; does nothing without one."""
        answer, head, dialog = self._answer, text_headers(), self.dialog
        if answer is not None:
            text = yield from RunJob("", lambda _job: as_text(answer, head))
            QGuiApplication.clipboard().setText(text)
            if dialog is not None and dialog is self.dialog:
                dialog.copy.set_copied()

    # -- work in the background -----------------------------------------------------------------

    def _run(self, dialog: PatternDialog, job: RunJob[T]) -> Flow[T]:
        """Return the result of a job; show in the dialog that it failed or was stopped.

        Raises `Cancelled` in both cases.
        """
        dialog.set_under_way(job.title)
        self._job = job
        try:
            return (yield from job)
        except Cancelled:
            if self._job is job:  # otherwise it was replaced, or the dialog is closed
                dialog.set_trouble(self.tr("Stopped."), can_ask=True)
            raise
        except PruneAppError as error:
            dialog.set_trouble(translate_error(error))
            raise Cancelled from error
        finally:
            if self._job is job:
                self._job = None

    def _drop(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            job.cancel()

    def _stop(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _on_progress(self, progress: JobProgress) -> None:
        if self.dialog is None or self._job is None or progress.title != self._job.title:
            return
        label = self.session.contents.shown.get(progress.label, progress.label)
        self.dialog.job.set_progress(progress.done, progress.total, label, progress.seconds_left)

    # -- the document ---------------------------------------------------------------------------

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.is_remark or self.dialog is None:
            return
        if self._pruning:
            self._drop()
            why = self.tr("Nothing was pruned: the history changed in the meantime.")
            self.dialog.set_trouble(why, can_ask=True)
        else:
            self._check_again(self.tr("The masks have changed since this check."))

    def _on_checked(self) -> None:
        dialog = self.dialog
        if dialog is None or self._pruning:
            return
        asked = dialog.row.question()
        if asked is not None and not asked.everything:
            self._check_again(self.tr("The checked tensors have changed since this check."))
        else:
            every = self._rows_to_check(everything=True)
            dialog.row.set_tensors(len(self._tree.checked_rows()), len(every))

    def _on_finished(self) -> None:
        self._drop()
        self._answer = None
        super()._on_finished()


def _context(rows: Sequence[TensorRow]) -> FormContext:
    """Return the context for the dimension: the largest number of dims, and the common kind."""
    kinds = {row.kind for row in rows}
    rank = max([len(row.shape) for row in rows], default=0)
    return FormContext((-1,) * max(rank, 2), kinds.pop() if len(kinds) == 1 else "")


def _compute_step(
    snapshot: Snapshot, step: Step, kernel: Callable[[], Kernel], job: Job
) -> Proposal:
    return compute_preview(snapshot, step, kernel(), job, norms=False)
