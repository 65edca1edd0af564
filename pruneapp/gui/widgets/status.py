"""The status bar: how large and sparse the model is, the job that runs, and what was done last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QElapsedTimer, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from pruneapp.errors import escaped
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import single_shot
from pruneapp.gui.widgets.labels import ElidedLabel, as_plain, plain, recolor
from pruneapp.gui.widgets.theme import with_defaults

BUSY_MS = 200
LONG_MS = 2_500
# A cancelled job is over sooner, unless it has to wait for a disk.
DISK_MS = 250
_STEPS = 1000
_KIND = 40  # letters of the class of a model
_LISTED = 6  # of its files and types
_GUESS_AFTER_MS = 1_000  # before that, the time left is a guess


class ModelStatus(QWidget):
    """What model it is, its parameters, and how sparse the whole of it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # What the window has no room for is elided: first what every file of the model shares.
        self.text = ElidedLabel("", self)
        self.text.elide = Qt.TextElideMode.ElideRight
        self._kind = self._facts = ""
        self._about: tuple[str, ...] = ()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 8, 0)
        layout.addWidget(self.text)

    def set_kind(
        self,
        kind: str,
        *,
        layers: int | None = None,
        dtypes: Sequence[str] = (),
        files: Sequence[str] = (),
    ) -> None:
        """Take what the folder of the model says of it, for the next `set_model`.

        `kind` is its class or type; `files` are those that an export as a folder copies.
        """
        kind = escaped(kind)
        self._kind = kind if len(kind) <= _KIND else f"{kind[: _KIND - 1]}…"
        facts = []
        if layers is not None:
            facts.append(number_format.plural(layers, self.tr("1 layer"), self.tr("{n} layers")))
        listed = ", ".join(dtypes[:_LISTED]) + " …" * (len(dtypes) > _LISTED)
        if len(dtypes) > 1:
            listed = self.tr("mixed: {dtypes}").format(dtypes=listed)
        self._facts = "   ·   ".join(filter(None, (*facts, listed)))
        about = []
        if files:
            names = ", ".join(map(escaped, files[:_LISTED]))
            if len(files) > _LISTED:
                names = self.tr("{names} and {n} more").format(
                    names=names, n=number_format.count(len(files) - _LISTED)
                )
            about.append(self.tr("An export as a folder copies: {names}").format(names=names))
        self._about = tuple(about)

    def set_model(self, numel: int, pruned: int, buffers: int = 0) -> None:
        """Show how many parameters there are, how many of them are pruned, and the buffers."""
        if not numel:
            self._facts = ""
            self._show(self.tr("No parameters"), "")
            return
        words = self.tr("{n} parameters   ·   {share} pruned")
        if buffers:
            words = self.tr("{n} parameters, {buffers} in buffers   ·   {share} pruned")
        text = words.format(
            n=number_format.count(numel),
            buffers=number_format.count(buffers),
            share=number_format.part(pruned, numel),
        )
        tip = self.tr("{pruned} of {n} parameters pruned.").format(
            pruned=number_format.count(pruned), n=number_format.count(numel)
        )
        if buffers:
            tip += " " + self.tr(
                "Besides, {n} elements in buffers: running statistics, counters, positions, masks."
            ).format(n=number_format.count(buffers))
        self._show(text, tip)

    def _show(self, text: str, tip: str) -> None:
        self.text.setText("   ·   ".join(filter(None, (self._kind, text, self._facts))))
        lines = filter(None, (*self._about, tip))
        self.text.setToolTip("<br>".join(map(as_plain, lines)))
        # A screen reader says the text; what the tooltip adds is markup to it.
        self.text.setAccessibleDescription(" ".join((*self._about, tip)).strip())

    def clear(self) -> None:
        """Show nothing: no file is open."""
        self._kind, self._facts, self._about = "", "", ()
        self.text.setText("")
        self.text.setAccessibleDescription("")
        self.text.setToolTip("")

    def set_colors(self, _colors: Mapping[str, str]) -> None:
        """Take the theme's colours: the palette has all that is needed."""


class JobStatus(QWidget):
    """The running job; shown only if it takes longer than a moment."""

    cancelRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._job = ""
        self._item = ""
        self._late = False
        self._cancelling = False
        self._share: float | None = None
        self._clock = QElapsedTimer()
        self.label = ElidedLabel("", self)
        self.left = plain()
        # Room for the longest, so that the bar stays where it is.
        self.left.setFixedWidth(self.fontMetrics().horizontalAdvance(self._long()) + 4)
        self.left.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(160)
        self.bar.setRange(0, _STEPS)
        self.bar.setAccessibleName(self.tr("Progress of the job"))
        self.cancel = QPushButton(self.tr("Cancel"), self)
        self.cancel.setToolTip(self.tr("Cancel the job; nothing is changed (Esc)"))
        self.cancel.setAccessibleDescription(self.cancel.toolTip())
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 8, 0)
        layout.setSpacing(8)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.left)
        layout.addWidget(self.bar)
        layout.addWidget(self.cancel)
        self._soon_timer = single_shot(self, BUSY_MS, self.show)
        self._late_timer = single_shot(self, LONG_MS, self._say_long)
        self._disk_timer = single_shot(self, DISK_MS, self._say_disk)
        self.cancel.clicked.connect(self._cancel)
        self.hide()

    def set_job(self, label: str) -> None:
        """Begin to show a job: "Exporting"."""
        self._job, self._item, self._late, self._share = label, "", False, None
        self._cancelling = False
        self._disk_timer.stop()
        self.bar.setRange(0, 0)
        self.cancel.setEnabled(True)
        self.cancel.setText(self.tr("Cancel"))
        self._clock.start()
        self._soon_timer.start()
        self._late_timer.start()
        self._write()

    def set_progress(self, done: int, total: int, label: str = "") -> None:
        """Show how far it is; a total of 0 is not known yet."""
        if self._cancelling:
            return  # said on its way here
        self._item = label
        self._share = min(1.0, done / total) if total > 0 else None
        if self._share is None:
            self.bar.setRange(0, 0)
        else:
            self.bar.setRange(0, _STEPS)
            self.bar.setValue(round(self._share * _STEPS))
        self._write()

    def set_cancelling(self, *, writes: bool = False) -> None:
        """Say that the job is about to stop; if it `writes`, it may have to wait for a disk."""
        self._cancelling = True
        self._late_timer.stop()
        self.cancel.setEnabled(False)
        self.cancel.setText(self.tr("Cancelling…"))
        self.bar.setRange(0, 0)
        self.left.setText("")
        if writes:
            self._disk_timer.start()

    def set_idle(self) -> None:
        """Show nothing: no job runs."""
        self._disk_timer.stop()
        self._soon_timer.stop()
        self._late_timer.stop()
        self.hide()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        recolor(self.left, with_defaults(colors)["muted"])

    def _say_long(self) -> None:
        self._late = True
        self._write()

    def _say_disk(self) -> None:
        self.label.setText(self.tr("Cancelling: finishing the current write…"))
        self.bar.setAccessibleDescription(self.label.text())

    def _write(self) -> None:
        self.label.setText(
            self.tr("{job} {item}").format(job=self._job, item=self._item).strip() + " …"
        )
        self.left.setText(self._time_left())
        self.bar.setAccessibleDescription(self.label.text())

    def _time_left(self) -> str:
        elapsed = self._clock.elapsed()
        if self._share and elapsed >= _GUESS_AFTER_MS:
            seconds = elapsed / 1000 * (1 - self._share) / self._share
            return self.tr("{time} left").format(time=number_format.duration(seconds))
        return self._long() if self._late else ""

    def _long(self) -> str:
        return self.tr("This may take a while.")

    def _cancel(self) -> None:
        self.set_cancelling()
        self.cancelRequested.emit()


# Long enough to be read twice; what was done stands in the history, too.
SHOWN_MS = 8_000


class Done(QWidget):
    """Says what was done; read out by screen readers. Hidden, it leaves its room to the job."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = ElidedLabel("", self)
        self.label.elide = Qt.TextElideMode.ElideRight
        self.label.setAccessibleName(self.tr("Last action"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 8, 0)
        layout.addWidget(self.label)
        self._timer = single_shot(self, SHOWN_MS, self.clear)
        self.hide()

    def set_done(self, text: str) -> None:
        """Say it, in place of what was said before."""
        self.label.setText(text)
        self.show()
        self._timer.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def clear(self) -> None:
        """Say nothing."""
        self._timer.stop()
        self.label.setText("")
        self.hide()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        recolor(self.label, with_defaults(colors)["text"])
