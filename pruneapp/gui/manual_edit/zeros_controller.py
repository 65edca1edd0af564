"""Find zeros in the file in the background, and offer to treat them as pruned.

The search runs once after a file was opened, while the application is idle. It reads a limited
number of weights per job, so that other work can run in between.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from operator import attrgetter

from PySide6.QtCore import QObject

from pruneapp.analysis import histogram_store
from pruneapp.analysis.zeros import WORTH as FEWEST
from pruneapp.analysis.zeros import TensorZeros, ZerosReport, find_zeros
from pruneapp.document.document import Document, DocumentChanged
from pruneapp.document.edit import EditKind, Proposal
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.zeros import TreatZeros
from pruneapp.errors import SelectionError, in_numeric_order
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import IdleScheduler
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.preview.histogram_controller import HistogramController
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.labels import join_facts
from pruneapp.progress import Job

# Idle time before the search continues.
PAUSE_MS = 400
# Number of weights per job: some hundredths of a second.
STRETCH = 1 << 25
# Zeros are reported if they are at least this share of some tensor.
WORTH = 0.05


class ZerosController(QObject):
    """Finds zeros, reports them in a notice, and treats them as pruned."""

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        histograms: HistogramController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._histograms = histograms
        self._notifications = context.notifications
        self._remaining: list[str] | None = None
        self._found: list[TensorZeros] = []
        # of the open file; None until the search is complete
        self.report: ZerosReport | None = None
        self._idle = IdleScheduler(context.jobs, PAUSE_MS, self._search_next, self)
        session.opened.connect(self._idle.schedule)
        session.changed.connect(self._on_changed)
        session.closed.connect(self._on_closed)

    # -- search ---------------------------------------------------------------------------------

    def _on_closed(self) -> None:
        self._idle.stop()
        self._remaining = self.report = None
        self._found = []

    def _search_next(self) -> None:
        """Search a stretch of the remaining tensors, or finish if there are none.

        Waits while histograms are computed. Does nothing if the search is complete.
        """
        document = self._session.document
        if document is None or self.report is not None:
            return
        if self._histograms.busy:
            self._idle.schedule()
            return
        if self._remaining is None:
            self._remaining = self._names(document)
        if not self._remaining:
            self._finish()
            return
        names, left = self._stretch(self._remaining)
        snapshot = document.snapshot()
        self._idle.submit(
            lambda job: find_zeros(snapshot, names, job), on_result=partial(self._on_stretch, left)
        )

    def _names(self, document: Document) -> list[str]:
        """Return the tensors to search, in the order of the file.

        Left out are those that cannot be pruned, are buffers, or are known to have no zeros, and
        biases and norms unless they are pruned by default.
        """
        snapshot = document.snapshot()
        return [
            row.name
            for row in self._session.rows
            if not (row.why_not or row.buffer)
            and (row.by_default or len(row.shape) > 1)
            and histogram_store.zeros(snapshot, row.name) != 0
        ]

    def _stretch(self, names: list[str]) -> tuple[list[str], list[str]]:
        weights, end = 0, 0
        while end < len(names) and weights < STRETCH:
            weights += self._session.by_name[names[end]].numel
            end += 1
        return names[:end], names[end:]

    def _on_stretch(self, left: list[str], report: ZerosReport) -> None:
        self._remaining = left
        self._found += report.tensors
        self._idle.resume()

    def _finish(self) -> None:
        """Set `report`, and offer to treat the zeros as pruned if they are `WORTH` it."""
        self.report = ZerosReport(tuple(in_numeric_order(self._found, attrgetter("name"))))
        if any(tensor.zeros >= WORTH * tensor.numel for tensor in self._found):
            self._notifications.offer(
                NoticeTopic.ZEROS,
                self._sentence(self.report),
                self.tr("Treat zeros as pruned"),
                self.treat,
                details="\n".join(map(self._tensor_text, self.report.tensors)),
            )

    # -- notice ---------------------------------------------------------------------------------

    def _sentence(self, report: ZerosReport) -> str:
        share = number_format.part(
            sum(t.zeros for t in report.tensors), sum(t.numel for t in report.tensors)
        )
        if len(report.tensors) == 1:
            text = self.tr("{share} of the weights of {name} are zero").format(
                share=share, name=self._session.by_name[report.tensors[0].name].shown
            )
        else:
            text = self.tr("{share} of the weights in {n} tensors are zero").format(
                share=share, n=number_format.count(len(report.tensors))
            )
        form = self._pattern_text(report)
        said = self.tr("{text} ({form}).") if form else self.tr("{text}.")
        return said.format(text=text, form=form)

    def _pattern_text(self, report: ZerosReport) -> str:
        """Return the pattern that most of the tensors with zeros have; empty if none has one."""
        forms = Counter(form for tensor in report.tensors if (form := self._pattern(tensor)))
        if not forms:
            return ""
        form, times = forms.most_common(1)[0]
        if times == len(report.tensors):
            return form
        return self.tr("{form} in {n}").format(form=form, n=number_format.count(times))

    def _pattern(self, tensor: TensorZeros) -> str:
        """Return N:M, "whole channels" or blocks, the first that a tensor has; empty if none."""
        if tensor.pattern is not None:
            return self.tr("{n}:{m} pattern").format(n=tensor.pattern[0], m=tensor.pattern[1])
        if any(tensor.channels):
            return self.tr("whole channels")
        if tensor.block is not None:
            return self.tr("blocks of {shape}").format(shape=number_format.shape(tensor.block))
        return ""

    def _tensor_text(self, tensor: TensorZeros) -> str:
        parts = [
            self._session.by_name[tensor.name].shown,
            self.tr("{zeros} of {numel} are 0 ({share})").format(
                zeros=number_format.count(tensor.zeros),
                numel=number_format.count(tensor.numel),
                share=number_format.part(tensor.zeros, tensor.numel),
            ),
        ]
        parts += [
            self.tr("{n} whole slices along dim {dim}").format(n=number_format.count(n), dim=dim)
            for dim, n in enumerate(tensor.channels)
            if n
        ]
        if tensor.pattern is not None:
            parts.append(self._pattern(tensor))
        if tensor.block is not None:
            parts.append(
                self.tr("blocks of {shape}").format(shape=number_format.shape(tensor.block))
            )
        return join_facts(*parts)

    # -- step -----------------------------------------------------------------------------------

    def treat(self) -> None:
        """Apply a step that treats the zeros of the file as pruned.

        If the search is not complete, all tensors are searched first. An error is shown if there
        are no zeros.
        """
        report, too_few = self.report, self._no_zeros_error()

        def make(snapshot: Snapshot, job: Job) -> Proposal:
            zeros = find_zeros(snapshot, None, job) if report is None else report
            names = [tensor.name for tensor in zeros.tensors]
            # Zeros made permanent are not zeros of the file, but are read as such.
            names += snapshot.permanent
            if not names:
                raise too_few
            return TreatZeros(tuple(names)).propose(snapshot, job)

        self._session.propose(self.tr("Reading zeros"), make)

    def _no_zeros_error(self) -> SelectionError:
        # A few zeros occur in any tensor: saying that there are none would be wrong.
        return SelectionError(
            self.tr(
                "No weight tensor has {share} or more zeros that are not already pruned. "
                "Biases and norms are not considered."
            ).format(share=number_format.percent(FEWEST, 0))
        )

    def _on_changed(self, change: DocumentChanged) -> None:
        # The zeros are already treated as pruned: remove the offer.
        if change.kind == EditKind.EXISTING:
            self._notifications.end(NoticeTopic.ZEROS)
