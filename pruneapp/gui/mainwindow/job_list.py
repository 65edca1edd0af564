"""The list of jobs above the status bar, and what Escape closes or cancels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QMainWindow,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QWidget,
)

from pruneapp.document.document import DocumentChanged
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.app.jobs import CancelledJob, JobState
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import (
    add_row,
    follow_font,
    lay_in_column,
    single_shot,
    symbol_button,
)
from pruneapp.gui.widgets.labels import MUTED, ElidedLabel, heading, join_facts, plain
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.gui.widgets.status import JobStatus, item_text, show_share, time_left_text

_WIDTH = 460
_MARGIN = 8  # pixels to the edges of the middle of the window
_REFRESH_MS = 500
_CLOSE_MS = 1_500  # a job often follows another, as the evaluations of several states
# Seconds after which a cancellation by mistake costs more than starting again by hand.
_OFFER_AFTER_S = 20.0


class JobRow(QWidget):
    """A job of the list: what it does, its time, and buttons that show its window and cancel it."""

    cancelRequested = Signal(object)  # key of the `JobState`

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._key: object = None
        self._show_window: Callable[[], object] | None = None
        self.title = heading("")
        self.time = plain(ink=MUTED)
        self.item = ElidedLabel("", self, ink=MUTED)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.show_button = QPushButton(self.tr("Show"), self)
        self.cancel = QPushButton(self.tr("Cancel"), self)
        layout = lay_in_column(self, spacing=4, margins=(0, 0, 0, 8))
        add_row(layout, self.title, None, self.time, self.show_button, self.cancel)
        layout.addWidget(self.item)
        layout.addWidget(self.bar)
        self.show_button.clicked.connect(self._on_show)
        self.cancel.clicked.connect(self._request_cancel)

    def set_state(self, state: JobState, item: str) -> None:
        """Show a job; `item` is what it is at now."""
        title, progress = state.progress.title, state.progress
        self._key, self._show_window = state.key, state.show
        self.show_button.setVisible(state.show is not None)
        self.show_button.setAccessibleName(self.tr("Show: {title}").format(title=title))
        self.title.setText(title)
        self.cancel.setAccessibleName(self.tr("Cancel: {title}").format(title=title))
        self.bar.setAccessibleName(title)
        self.bar.setVisible(state.is_running)
        self.cancel.setEnabled(not state.is_cancelled)
        self.cancel.setText(self.tr("Cancelling…") if state.is_cancelled else self.tr("Cancel"))
        elapsed = number_format.duration(state.seconds)
        if not state.is_running:
            waits = self.tr("Waits for: {title}").format(title=state.waits_for)
            self.item.setText(waits if state.waits_for else self.tr("Waits for other work"))
            self.time.setText(self.tr("queued for {time}").format(time=elapsed))
            return
        self.item.setText(item)
        show_share(self.bar, progress.done / progress.total if progress.total else 0.0)
        left = progress.seconds_left
        self.time.setText(join_facts(elapsed, "" if left is None else time_left_text(left)))

    def _on_show(self) -> None:
        if self._show_window is not None:
            self._show_window()

    def _request_cancel(self) -> None:
        self.cancelRequested.emit(self._key)


class JobList(QWidget):
    """The running and queued jobs, in a panel above the lower right corner of the picture.

    It covers nothing of the form, whose button starts jobs.
    """

    cancelRequested = Signal(object)  # key of a `JobState`
    shown = Signal(bool)

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.setAccessibleName(self.tr("Jobs"))
        self.title = heading(self.tr("Jobs"))
        self.none = plain(self.tr("No job is running."), ink=MUTED)
        self.close_button = symbol_button("×", self.tr("Close the list of jobs"), self)
        self.close_button.setAutoRaise(True)
        self.close_button.clicked.connect(self.hide)
        content = QWidget()
        self._content = lay_in_column(content, self.none, spacing=8, margins=(0, 0, 8, 0))
        self._area = QScrollArea(self)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # scrolls to the focused button
        self._area.setMinimumHeight(1)  # its default leaves a gap below few jobs
        self._area.setWidget(content)
        for widget in (content, self._area.viewport()):
            widget.setAutoFillBackground(False)
        self._layout = lay_in_column(self, spacing=8, margins=(16, 8, 8, 8))
        add_row(self._layout, self.title, None, self.close_button)
        self._layout.addWidget(self._area)
        self.rows: list[JobRow] = []
        window.installEventFilter(self)
        follow_font(self, lambda panel: panel.place())
        self.hide()

    def set_jobs(self, states: Sequence[JobState], items: Sequence[str]) -> None:
        """Show jobs in this order; `items` has what each is at."""
        while len(self.rows) > len(states):
            row = self.rows.pop()
            self._content.removeWidget(row)
            row.hide()
            row.deleteLater()
        while len(self.rows) < len(states):
            row = JobRow(self)
            row.cancelRequested.connect(self.cancelRequested)
            self._content.addWidget(row)
            row.show()  # now, not when the layout is done
            self.rows.append(row)
        for row, state, item in zip(self.rows, states, items, strict=True):
            row.set_state(state, item)
        self.none.setVisible(not states)
        self.place()

    def set_names(self, names: ShortNames) -> None:
        """Set the short forms of tensor names."""
        for row in self.rows:
            row.item.set_names(names)

    def place(self) -> None:
        """Move the panel into the corner, as large as the window allows."""
        middle = self._window.centralWidget()
        assert middle is not None
        area = middle.geometry()
        size = self.sizeHint().boundedTo(area.size() - QSize(2 * _MARGIN, 2 * _MARGIN))
        corner = area.bottomRight() - QPoint(size.width() + _MARGIN, size.height() + _MARGIN)
        self.setGeometry(QRect(corner, size))
        self.raise_()

    def sizeHint(self) -> QSize:
        """Return the size at which the list does not scroll."""
        margins, head = self._layout.contentsMargins(), self.close_button.sizeHint().height()
        around = margins.top() + head + self._layout.spacing() + margins.bottom()
        return QSize(_WIDTH, around + self._content.sizeHint().height())

    def setVisible(self, visible: bool) -> None:
        """Show or hide the panel, above all other widgets of the window."""
        super().setVisible(visible)
        if visible:
            self.place()
            self.close_button.setFocus()
        self.shown.emit(visible)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the window."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.place()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the background and a border, as the panel covers other widgets."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().base())
        painter.setPen(self.palette().color(MUTED))
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()


class JobController(Controller):
    """Shows the list of jobs, and undoes cancellations.

    `closers` close a panel or banner each, and return False if there is none; Escape calls them in
    this order before it cancels a job.
    """

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        previews: PreviewController,
        *,
        status: JobStatus,
        panel: JobList,
        closers: Sequence[Callable[[], bool]],
    ) -> None:
        super().__init__(context)
        self._session, self._previews, self._status = session, previews, status
        self.panel = panel
        self._closers = self._close_list, self._close_dialog, *closers
        self._cancelled_title = ""  # of the job whose cancellation can be undone
        self._timer = QTimer(self)
        self._timer.setInterval(_REFRESH_MS)
        self._timer.timeout.connect(self._refresh)
        context.actions["cancel"].triggered.connect(self.close_or_cancel)
        context.actions["jobs"].triggered.connect(self.toggle)
        # The button of the status bar disappears with the last job, and so does its list.
        self._closes_with_jobs = False
        self._close_timer = single_shot(self, _CLOSE_MS, self._close_if_empty)
        status.listRequested.connect(self._toggle_by_button)
        status.cancelRequested.connect(previews.cancel)
        panel.cancelRequested.connect(self._cancel)
        panel.shown.connect(self._on_shown)
        context.jobs.listChanged.connect(self._on_changed)
        context.jobs.started.connect(self._on_started)
        context.jobs.cancelled.connect(self._offer_restart)
        session.changed.connect(self._on_document_changed)

    @Slot()
    def toggle(self) -> None:
        """Show the list of jobs, or hide it."""
        self._closes_with_jobs = False
        self.panel.setVisible(not self.panel.isVisible())

    @Slot()
    def _toggle_by_button(self) -> None:
        self.toggle()
        self._closes_with_jobs = True

    @Slot()
    def _close_if_empty(self) -> None:
        if self._closes_with_jobs and not self._jobs.states():
            self.panel.hide()

    @Slot()
    def close_or_cancel(self) -> None:
        """Close a panel, a dialog that is not modal or a notice; if there is none, cancel."""
        if not any(close() for close in self._closers):
            self._previews.cancel()

    def _close_list(self) -> bool:
        was_visible = self.panel.isVisible()
        self.panel.hide()
        return was_visible

    def _close_dialog(self) -> bool:
        """Close a dialog that is not modal; its job is not cancelled."""
        for dialog in self._window.findChildren(QDialog):
            if dialog.isVisible() and not dialog.isModal():
                dialog.reject()
                return True
        return False

    @Slot(object)
    def _cancel(self, key: object) -> None:
        self._jobs.cancel(key)
        self._previews.show_cancelling()
        self._refresh()

    # -- the list -------------------------------------------------------------------------------

    @Slot(bool)
    def _on_shown(self, shown: bool) -> None:
        if shown:
            self._refresh()
            self._timer.start()
        else:
            self._timer.stop()

    @Slot()
    def _on_changed(self) -> None:
        self._status.set_count(len(self._jobs.states()))
        if self.panel.isVisible():
            self._refresh()
            self._close_timer.start()

    @Slot()
    def _refresh(self) -> None:
        states = self._jobs.states()
        contents, running = self._session.contents, [state.progress for state in states]
        items = [item_text(contents.shown.get(at.label, at.label), at.title) for at in running]
        self.panel.set_jobs(states, items)
        self.panel.set_names(contents.short)

    # -- undoing a cancellation -------------------------------------------------------------------

    @Slot(object)
    def _offer_restart(self, job: CancelledJob) -> None:
        """Offer to start a job again that the user has cancelled after `_OFFER_AFTER_S`."""
        if job.seconds < _OFFER_AFTER_S:
            return
        if job.restart.needs_document and self._session.document is None:
            return
        text = self.tr(
            "'{title}' was cancelled after {time}. It can be started again with the same settings."
        )
        action = self.tr("Start again")
        if job.restart.continues:
            text = self.tr("'{title}' was cancelled after {time}. It can be resumed.")
            action = self.tr("Resume")
        self._cancelled_title = job.title
        self._notifications.offer(
            NoticeTopic.CANCELLED,
            text.format(title=job.title, time=number_format.duration(job.seconds)),
            action,
            partial(self._restart, job),
        )

    def _restart(self, job: CancelledJob) -> None:
        self._notifications.end(NoticeTopic.CANCELLED)
        job.restart.call()

    @Slot(str)
    def _on_started(self, title: str) -> None:
        if title == self._cancelled_title:
            self._notifications.end(NoticeTopic.CANCELLED)

    @Slot(object)
    def _on_document_changed(self, change: DocumentChanged) -> None:
        if not change.is_remark:  # the job belongs to another state
            self._notifications.end(NoticeTopic.CANCELLED)
