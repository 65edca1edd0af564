"""Status bar widgets: the running job, and the last action."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QProgressBar, QPushButton, QSizePolicy, QStatusBar, QWidget

from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import follow_font, lay_in_row, single_shot
from pruneapp.gui.widgets.engine_text import translate_sentence
from pruneapp.gui.widgets.labels import (
    MUTED,
    ElidedLabel,
    as_plain,
    letter_width,
    plain,
    translate,
    with_label,
)

BUSY_MS = 200
LONG_MS = 2_500
# A cancelled job ends earlier, unless it has to wait for a disk.
DISK_MS = 250
_STEPS = 1000
_MOST_SHOWN = 0.97  # largest share in a bar: the rest is visible in a narrow one
_LONGEST_S = 89 * 60  # a time left with the longest text
# Items that repeat the title of their job: "Evaluation: evaluating".
_REPETITIONS = {"counting multiply-adds", "evaluating", "recovering"}


def item_text(label: str, title: str = "") -> str:
    """Return the translated text of the current item of a job, without what its title says."""
    first, _, rest = label.partition(": ")
    text = translate_sentence(rest if first in _REPETITIONS else label)
    return "" if text.casefold() == title.casefold() else text


def job_text(title: str, item: str) -> str:
    """Return the text of a running job with its current item, which may be empty."""
    words = with_label(title, item) if item else title
    return f"{words} …"


def time_left_text(seconds: float) -> str:
    """Return the time left of a job as text, see `number_format.rough_duration`."""
    text = translate("JobStatus", "about {time} left")
    return text.format(time=number_format.rough_duration(seconds))


def show_share(bar: QProgressBar, share: float) -> None:
    """Show a share, from 0 to 1, in a bar that ends with the job; 0 as an indeterminate bar.

    The bar is never full: the job is running.
    """
    bar.setUpdatesEnabled(False)  # `setValue` would paint immediately
    bar.setRange(0, _STEPS if share > 0 else 0)
    if share > 0:
        bar.setValue(round(_STEPS * min(_MOST_SHOWN, share)))
    bar.setUpdatesEnabled(True)


_LETTERS = 20  # minimum width of the text of a job
# Maximum shares of the width of the window that the texts of a job and of the last action take from
# the properties of the model.
_JOB_SHARE, _DONE_SHARE = 0.27, 0.26


def _reserve_width(label: ElidedLabel, share: float, least: int = 0) -> None:
    """Set the minimum width of a label to that of its text, at most a share of the window.

    `least` is the minimum in pixels. Only grows, so that the parts of the bar do not move.
    """
    needed = label.fontMetrics().horizontalAdvance(label.text()) + 2
    room = max(least, round(share * label.window().width()))
    label.setMinimumWidth(max(label.minimumWidth(), least, min(needed, room)))


class _JobLabel(ElidedLabel):
    """The text of a job. Its size only grows until `reset`, so that it does not move."""

    widest = 1200
    _needed = 0

    def reset(self, width: int) -> None:
        """Set the minimum width in pixels, for the texts of another job."""
        self._needed = 0
        self.setMinimumWidth(width)

    def sizeHint(self) -> QSize:
        size = super().sizeHint()
        self._needed = max(self._needed, size.width())
        return QSize(self._needed, size.height())


class JobStatus(QWidget):
    """The running job; shown only if it takes longer than `BUSY_MS`."""

    cancelRequested = Signal()
    listRequested = Signal()  # the list of all jobs

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._job = ""
        self._item = ""
        self._is_long = False
        self._cancelling = False
        self._seconds_left: float | None = None
        self.label = _JobLabel("", self)
        # Legible even if the last action is shown as well.
        follow_font(self.label, lambda label: label.setMinimumWidth(_LETTERS * letter_width(label)))
        self.left = plain(ink=MUTED)
        # Fixed width for the longest text, so that the bar does not move.
        follow_font(
            self.left,
            lambda left: left.setFixedWidth(
                max(
                    left.fontMetrics().horizontalAdvance(text)
                    for text in (self._long_text(), time_left_text(_LONGEST_S))
                )
                + 4
            ),
        )
        self.left.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(160)
        self.bar.setRange(0, _STEPS)
        self.bar.setAccessibleName(self.tr("Progress of the job"))
        self.cancel = QPushButton(self.tr("Cancel"), self)
        self.cancel.setToolTip(self.tr("Cancel the job; nothing is changed (Esc)"))
        self.cancel.setAccessibleDescription(self.cancel.toolTip())
        self.all = QPushButton(self)
        self.all.setToolTip(self.tr("Show or hide the running and queued jobs"))
        self.all.setAccessibleDescription(self.all.toolTip())
        self.all.clicked.connect(self.listRequested)
        parts = self.label, self.left, self.bar, self.cancel, self.all
        lay_in_row(self, *parts, margins=(8, 0, 8, 0), wide=self.label)
        # No wider than needed: the rest is for the last action.
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._show_timer = single_shot(self, BUSY_MS, self.show)
        self._long_timer = single_shot(self, LONG_MS, self._show_long)
        self._disk_timer = single_shot(self, DISK_MS, self._show_disk_wait)
        self.cancel.clicked.connect(self._cancel)
        self.set_count(0)
        self.hide()

    def set_job(self, label: str) -> None:
        """Start to show a job, with an indeterminate bar; the widget appears `BUSY_MS` later.

        Replaces the previous job. `label` is its title.
        """
        self._job, self._item, self._is_long, self._seconds_left = label, "", False, None
        self._cancelling = False
        self.label.reset(_LETTERS * letter_width(self.label))
        self._disk_timer.stop()
        self.bar.setRange(0, 0)
        self.cancel.setEnabled(True)
        self.cancel.setText(self.tr("Cancel"))
        self._show_timer.start()
        self._long_timer.start()
        self._update_texts()

    def set_progress(
        self, done: int, total: int, label: str = "", seconds_left: float | None = None
    ) -> None:
        """Show the progress, and the time left; `total` is 0 if unknown, `label` the current item.

        Until something is done the bar is indeterminate, as an empty bar would look stuck. Ignored
        while the job is being cancelled.
        """
        if self._cancelling:
            return  # emitted before the cancellation
        self._item, self._seconds_left = item_text(label, self._job), seconds_left
        show_share(self.bar, done / total if total > 0 else 0.0)
        self._update_texts()

    def set_count(self, jobs: int) -> None:
        """Set the number of running and queued jobs; below 1 there is no list of them."""
        self.all.setVisible(jobs > 0)
        self.all.setText(number_format.plural(jobs, self.tr("1 job"), self.tr("{n} jobs")))

    def set_cancelling(self, *, writes: bool = False) -> None:
        """Show that the job is being cancelled, and disable Cancel.

        `set_job` or `set_idle` ends this. If it `writes`, the text says after `DISK_MS` that it
        waits for a disk.
        """
        self._cancelling = True
        self._long_timer.stop()
        self.cancel.setEnabled(False)
        self.cancel.setText(self.tr("Cancelling…"))
        self.bar.setRange(0, 0)
        self.left.setText("")
        if writes:
            self._disk_timer.start()

    def set_idle(self) -> None:
        """Hide the widget, as no job is running."""
        self._disk_timer.stop()
        self._show_timer.stop()
        self._long_timer.stop()
        self.hide()

    def _show_long(self) -> None:
        self._is_long = True
        self._update_texts()

    def _show_disk_wait(self) -> None:
        self.label.setText(self.tr("Cancelling: finishing the current write…"))
        self.bar.setAccessibleDescription(self.label.text())

    def _update_texts(self) -> None:
        self.label.setText(job_text(self._job, self._item))
        _reserve_width(self.label, _JOB_SHARE, _LETTERS * letter_width(self.label))
        left = self._seconds_left
        long_text = self._long_text() if self._is_long else ""
        self.left.setText(long_text if left is None else time_left_text(left))
        self.bar.setAccessibleDescription(self.label.text())

    def _long_text(self) -> str:
        return self.tr("This may take a while.")

    def _cancel(self) -> None:
        self.set_cancelling()
        self.cancelRequested.emit()


# Long enough to be read twice; the history shows the action as well.
SHOWN_MS = 8_000


class Done(QWidget):
    """Shows the last action and announces it to screen readers. Hidden while empty."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = ElidedLabel("", self)
        self.label.elide = Qt.TextElideMode.ElideRight
        self.label.widest = 1200
        self.label.setAccessibleName(self.tr("Last action"))
        lay_in_row(self, self.label, margins=(8, 0, 8, 0))
        self._timer = single_shot(self, SHOWN_MS, self.clear)
        self.hide()

    def set_done(self, text: str, whole: str = "") -> None:
        """Show a text for `SHOWN_MS`, replacing the previous one, and announce it as a whole.

        Tooltip and announcement are `whole`, or the text if that is empty.
        """
        self.label.setText(text)
        self.label.setToolTip(as_plain(whole or text))
        self.label.setAccessibleDescription(whole or text)
        self.label.setMinimumWidth(0)
        _reserve_width(self.label, _DONE_SHARE)
        bar = self.parentWidget()
        if isinstance(bar, QStatusBar):
            bar.clearMessage()  # the status tip of a command would be painted over it
        self.show()
        self._timer.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, whole or text))

    def clear(self) -> None:
        """Hide the text."""
        self._timer.stop()
        self.label.setText("")
        self.hide()
