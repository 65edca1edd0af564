"""What would happen: numbers at once, exact ones as they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from pruneapp.answers import Danger, Estimate, SparsityReport, TensorSparsity
from pruneapp.gui.views.forecast.action import PruneAction
from pruneapp.gui.views.forecast.affected import Affected
from pruneapp.gui.views.forecast.alarm import Alarm
from pruneapp.gui.views.forecast.figures import Figures
from pruneapp.gui.views.parts import numbers
from pruneapp.gui.views.parts.colors import with_defaults
from pruneapp.gui.views.parts.labels import ElidedLabel, heading, plain, recolor

BUSY_MS = 200
LONG_MS = 2_500
ABOUT = "≈\u00a0"  # before every number that is not exact
_AFFECTED = 5


class Forecast(QWidget):
    """What the step that is asked for would do. `action` is its button, to be placed below.

    An estimate fills in what counts alone can say; the report replaces it.

    Signals
    -------
    tensorRequested(str)
        The person wants to see a tensor that would be hurt; its name in the file.
    """

    tensorRequested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = (0, 0)
        self._shown: Mapping[str, str] = {}
        self._counted = 1.0
        self.action = PruneAction()
        # Elided: a longer word for it would push the whole form out of the window.
        self.state = ElidedLabel()
        self.state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.figures = self._figures()
        self.tensors, self.gone, self.sparsity, self.left, self.energy, self.magnitude = (
            self.figures.labels.values()
        )
        self._formats: tuple[tuple[str, str], ...] = ()
        self._zeros = self.tr(
            "A zero takes as many bytes as any other number: a dense file gets smaller only "
            "when it is compressed, or when whole channels are cut out."
        )
        self.file = Figures((("size", self.tr("As a dense file"), self._zeros),), self)
        self.error = plain(wrap=True)
        self.error.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.alarm = Alarm(self)
        self.alarm.tensorRequested.connect(self.tensorRequested)
        self._most = plain(self.tr("Most affected"))
        self.affected = [Affected(self) for _ in range(_AFFECTED)]
        self.spared = plain(wrap=True)

        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(heading(self.tr("What would happen")))
        top.addWidget(self.state, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(top)
        counted = QVBoxLayout()
        counted.setSpacing(4)
        counted.addWidget(self.figures)
        counted.addWidget(self.file)
        layout.addLayout(counted)
        # The tensors, or in the same room why nothing can be done.
        self.pages = QStackedWidget(self)
        for parts in ((self.alarm, self._most, *self.affected, self.spared), (self.error,)):
            page = QWidget(self.pages)
            column = QVBoxLayout(page)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(2)
            for part in parts:
                column.addWidget(part)
            column.addStretch(1)
            self.pages.addWidget(page)
        layout.addWidget(self.pages)

        self._soon = self._timer(BUSY_MS, self._show_busy)
        self._late = self._timer(LONG_MS, self._show_long)
        self._busy = self._slow = False
        self.set_colors({})
        self.clear()

    def _figures(self) -> Figures:
        return Figures(
            (
                ("tensors", self.tr("Tensors"), ""),
                ("gone", self.tr("Weights pruned"), ""),
                ("sparsity", self.tr("Sparsity"), self.tr("Of the whole model, now and then.")),
                ("left", self.tr("Parameters left"), self.tr("Of the whole model.")),
                (
                    "energy",
                    self.tr("Energy kept"),
                    self.tr(
                        "Share of the sum of squares of what is kept now that the step leaves."
                    ),
                ),
                (
                    "magnitude",
                    self.tr("Magnitude kept"),
                    self.tr("Share of the sum of magnitudes of what is kept now, in the same way."),
                ),
            ),
            self,
        )

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

    def set_formats(self, formats: Sequence[tuple[str, str]]) -> None:
        """Take the formats of export, names and words for them, the usual one first."""
        self._formats = tuple(formats)
        self.set_sizes({})

    def set_sizes(self, sizes: Mapping[str, int | None]) -> None:
        """Take how many bytes an export would take, None where it is not possible.

        That of the first format that is possible is shown; the tooltip has all.
        """
        known = [
            (words, numbers.size(nbytes))
            for name, words in self._formats
            if (nbytes := sizes.get(name)) is not None
        ]
        self.file.set_numbers({"size": known[0][1]} if known else {})
        label = self.file.labels["size"]
        label.setToolTip("\n".join([*map(": ".join, known), self._zeros]))
        label.setAccessibleDescription(label.toolTip())

    def clear(self) -> None:
        """Say nothing: nothing is asked for, and nothing is on its way."""
        self._quiet()
        self._counted = 1.0
        self.set_busy(busy=False)
        self.figures.set_numbers({})
        self.set_sizes({})
        self._show_affected((), {})
        self.action.set_count(0)

    def set_estimate(self, estimate: Estimate | None) -> None:
        """Show what counts can say, marked where it is not exact; the rest waits for the report."""
        if estimate is None:
            self.clear()
            return
        if estimate.report is not None:
            self._show(estimate.report, exact=estimate.exact, sure=estimate.sure)
        else:
            self._quiet()
            numel, before = self._model
            upto = "" if estimate.exact else self.tr("up to ")
            atleast = "" if estimate.exact else self.tr("at least ")
            after = before + estimate.gone
            self.figures.set_numbers(
                {
                    "tensors": numbers.count(estimate.tensors),
                    "gone": upto + numbers.count(estimate.gone),
                    "sparsity": self._then(before, after, numel, upto),
                    "left": atleast + numbers.count(numel - after),
                }
            )
            self._show_affected((), {})
        self.action.set_count(estimate.gone, estimate.channels, exact=estimate.exact)

    def set_report(self, report: SparsityReport, *, channels: int = 0) -> None:
        """Show what exactly would happen."""
        self._show(report, exact=True, sure=True)
        if report.spared:
            self.spared.setText(
                self.tr("{n} more would go, but they are protected.").format(
                    n=numbers.count(report.spared)
                )
            )
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
            self._busy = self._slow = False
            self._say()
        elif not self._late.isActive() and not self._slow:
            self._soon.start()
            self._late.start()

    def set_counting(self, share: float) -> None:
        """Say which share of what estimates need is counted; nothing once it is 1."""
        self._counted = share
        self._say()

    @property
    def is_slow(self) -> bool:
        """Whether it is said that exact numbers take long, and how to do without."""
        return self._slow

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self._colors = with_defaults(colors)
        for label in (self._most, self.state, self.spared):
            recolor(label, self._colors["muted"])
        for part in (self.figures, self.file, self.alarm):
            part.set_colors(colors)
        recolor(self.error, self._colors["danger"])
        for row in self.affected:
            recolor(row.glyph, self._colors["danger"])
            row.bar.colors = self._colors
            row.bar.update()

    # Inside

    def _quiet(self) -> None:
        self.error.setText("")
        self.spared.setText("")
        self.pages.setCurrentIndex(0)

    def _show_busy(self) -> None:
        self._busy = True
        self._say()

    def _show_long(self) -> None:
        self._slow = True
        self._say()

    def _say(self) -> None:
        text = ""
        if self._slow:
            text = self.tr("slow, Esc cancels")
        elif self._counted < 1:
            share = numbers.percent(min(self._counted, 0.99), 0)
            text = self.tr("counting… {share}").format(share=share)
        elif self._busy:
            text = self.tr("counting…")
        if text != self.state.text():
            self.state.setText(text)

    def _show(self, report: SparsityReport, *, exact: bool, sure: bool) -> None:
        """Show a report: whether its sums are exact, whether what it says of each tensor is."""
        self._quiet()
        upto, about = "" if exact else ABOUT, "" if sure else ABOUT
        gone = self.tr("{n} of {all}").format(
            n=numbers.count(report.gone), all=numbers.count(report.touched)
        )
        texts = {
            "tensors": numbers.count(len(report.tensors)),
            "gone": upto + gone,
            "sparsity": self._then(report.before, report.after, report.numel, upto),
            "left": upto + numbers.count(report.numel - report.after),
        }
        for key, share in (("energy", report.energy), ("magnitude", report.magnitude)):
            if share is not None:
                texts[key] = about + numbers.percent(share)
        self.figures.set_numbers(texts)
        self._show_affected(report.most_affected[:_AFFECTED], report.dangers)

    def _then(self, before: int, after: int, numel: int, about: str) -> str:
        if not numel:
            return numbers.NO_NUMBER
        return self.tr("{before} → {after}").format(
            before=numbers.part(before, numel), after=about + numbers.part(after, numel)
        )

    def _show_affected(
        self, tensors: tuple[TensorSparsity, ...], found: Mapping[str, Danger]
    ) -> None:
        self.alarm.set_dangers(found, self._shown)
        for place, row in enumerate(self.affected):
            tensor = tensors[place] if place < len(tensors) else None
            if tensor is None:
                row.show_tensor(None, "")
                continue
            shown = self._shown.get(tensor.name, tensor.name)
            row.show_tensor(tensor, shown, found.get(tensor.name))
