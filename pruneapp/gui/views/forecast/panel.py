"""What would happen: numbers at once, exact ones as they come."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pruneapp.answers import Estimate, SparsityReport, TensorSparsity
from pruneapp.gui.views.forecast.action import PruneAction
from pruneapp.gui.views.forecast.affected import Affected
from pruneapp.gui.views.parts import numbers
from pruneapp.gui.views.parts.colors import with_defaults
from pruneapp.gui.views.parts.labels import ElidedLabel, heading, plain, recolor

BUSY_MS = 200
LONG_MS = 2_500
_AFFECTED = 5


class Forecast(QWidget):
    """What the step that is asked for would do. `action` is its button, to be placed below.

    An estimate fills in what counts alone can say; the report replaces it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colors = with_defaults({})
        self._model = (0, 0)
        self._shown: Mapping[str, str] = {}
        self.action = PruneAction()
        # Elided: a longer word for it would push the whole form out of the window.
        self.state = ElidedLabel()
        self.state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.tensors, self.gone, self.sparsity, self.energy = (self._number() for _ in range(4))
        self.energy.setToolTip(
            self.tr("Share of the sum of squares of the weights that is still there after.")
        )
        self.error = plain(wrap=True)
        self.error.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.affected = [Affected(self) for _ in range(_AFFECTED)]

        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(heading(self.tr("What would happen")))
        top.addWidget(self.state, 1)
        rows = QFormLayout()
        rows.setVerticalSpacing(4)
        rows.setHorizontalSpacing(8)
        self._labels = []
        for text, label in (
            (self.tr("Tensors"), self.tensors),
            (self.tr("Weights pruned"), self.gone),
            (self.tr("Sparsity"), self.sparsity),
            (self.tr("Energy kept"), self.energy),
        ):
            name = plain(text)
            self._labels.append(name)
            rows.addRow(name, label)
        self._most = plain(self.tr("Most affected"))
        self._labels.append(self._most)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(top)
        layout.addLayout(rows)
        # The tensors, or in the same room why nothing can be done.
        self.pages = QStackedWidget(self)
        for parts in ((self._most, *self.affected), (self.error,)):
            page = QWidget(self.pages)
            column = QVBoxLayout(page)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(2)
            for part in parts:
                column.addWidget(part)
            column.addStretch(1)
            self.pages.addWidget(page)
        layout.addWidget(self.pages)

        self._slow = self.tr("slow, Esc cancels")
        self._soon = self._timer(BUSY_MS, self._show_busy)
        self._late = self._timer(LONG_MS, self._show_long)
        self.set_colors({})
        self.clear()

    def _number(self) -> QLabel:
        label = plain(numbers.NO_NUMBER)
        label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        font = label.font()
        font.setFeature(font.Tag("tnum"), 1)
        label.setFont(font)
        return label

    def _timer(self, wait: int, call: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(wait)
        timer.timeout.connect(call)
        return timer

    # Told

    def set_model(self, numel: int, pruned: int) -> None:
        """Take note of how many elements the checkpoint has, and how many are pruned."""
        self._model = (numel, pruned)

    def set_shown_names(self, shown: Mapping[str, str]) -> None:
        """Take the names to show for the names in the file."""
        self._shown = shown

    def clear(self) -> None:
        """Say nothing: nothing is asked for, and nothing is on its way."""
        self._quiet()
        self.set_busy(busy=False)
        for label in (self.tensors, self.gone, self.sparsity, self.energy):
            label.setText(numbers.NO_NUMBER)
        self._show_affected(())
        self.action.set_count(0)

    def set_estimate(self, estimate: Estimate | None) -> None:
        """Show what counts alone can say; what only the weights can say waits for the report."""
        if estimate is None:
            self.clear()
            return
        self._quiet()
        self.tensors.setText(numbers.count(estimate.tensors))
        about = "" if estimate.exact else self.tr("up to ")
        self.gone.setText(about + numbers.count(estimate.gone))
        numel, before = self._model
        self._show_sparsity(before, before + estimate.gone, numel, about)
        self.energy.setText(numbers.NO_NUMBER)
        self._show_affected(())
        self.action.set_count(estimate.gone, estimate.channels, exact=estimate.exact)

    def set_report(self, report: SparsityReport, *, channels: int = 0) -> None:
        """Show what exactly would happen."""
        self._quiet()
        self.tensors.setText(numbers.count(len(report.tensors)))
        whole = sum(tensor.numel for tensor in report.tensors)
        self.gone.setText(
            self.tr("{n} of {all}").format(n=numbers.count(report.gone), all=numbers.count(whole))
        )
        self._show_sparsity(report.before, report.after, report.numel, "")
        self.energy.setText(
            numbers.NO_NUMBER if report.energy is None else numbers.percent(report.energy)
        )
        changed = [tensor for tensor in report.tensors if tensor.gone and tensor.numel]
        # Equal ones in the order of the file.
        changed.sort(key=lambda tensor: -tensor.after / tensor.numel)
        self._show_affected(tuple(changed[:_AFFECTED]))
        self.action.set_count(report.gone, channels)

    def set_error(self, sentence: str, remedy: str = "") -> None:
        """Say why nothing can be done."""
        self.clear()
        self.error.setText(f"✕ {sentence} {remedy}".strip())
        self.pages.setCurrentIndex(1)

    def set_busy(self, *, busy: bool) -> None:
        """Say that exact numbers are on their way, if they take longer than a moment."""
        if not busy:
            self._soon.stop()
            self._late.stop()
            self.state.setText("")
        elif not self._late.isActive() and not self.state.text():
            self._soon.start()
            self._late.start()

    @property
    def is_slow(self) -> bool:
        """Whether it is said that exact numbers take long, and how to do without."""
        return self.state.text() == self._slow

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self._colors = with_defaults(colors)
        for label in (*self._labels, self.state):
            recolor(label, self._colors["muted"])
        recolor(self.error, self._colors["danger"])
        for row in self.affected:
            recolor(row.glyph, self._colors["danger"])
            row.bar.colors = self._colors
            row.bar.update()

    # Inside

    def _quiet(self) -> None:
        self.error.setText("")
        self.pages.setCurrentIndex(0)

    def _show_busy(self) -> None:
        self.state.setText(self.tr("counting…"))

    def _show_long(self) -> None:
        self.state.setText(self._slow)

    def _show_sparsity(self, before: int, after: int, numel: int, about: str) -> None:
        if not numel:
            self.sparsity.setText(numbers.NO_NUMBER)
            return
        self.sparsity.setText(
            self.tr("{before} → {after}").format(
                before=numbers.part(before, numel), after=about + numbers.part(after, numel)
            )
        )

    def _show_affected(self, tensors: tuple[TensorSparsity, ...]) -> None:
        for place, row in enumerate(self.affected):
            tensor = tensors[place] if place < len(tensors) else None
            row.show_tensor(tensor, self._shown.get(tensor.name, tensor.name) if tensor else "")
