"""What the file is for: the question that chooses a format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from pruneapp.gui.export.format_list import size_words
from pruneapp.gui.widgets.labels import plain, recolor
from pruneapp.gui.widgets.theme_colors import with_defaults
from pruneapp.results.format_offer import FormatOffer, Purpose


class Purposes(QWidget):
    """A row of buttons, one for each purpose, and below it what is best for the chosen one.

    Signals
    -------
    chosen(str)
        The format that serves the purpose best; announced again when another one turns out to.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offers: tuple[FormatOffer, ...] = ()
        self.buttons: dict[Purpose, QRadioButton] = {}
        self._group = QButtonGroup(self)
        self.reason = plain(wrap=True)
        # Two lines, so that nothing below moves.
        self.reason.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        row = QHBoxLayout()
        layout.addLayout(row)
        row.setSpacing(24)
        for purpose, words in (
            (Purpose.MAIL, self.tr("Share")),
            (Purpose.TRANSFORMERS, self.tr("Load in transformers")),
            (Purpose.TORCH, self.tr("Continue training in PyTorch")),
            (Purpose.ARCHIVE, self.tr("Archive")),
        ):
            button = QRadioButton(words, self)
            button.setAccessibleDescription(self.tr("Select the best format for this purpose."))
            self._group.addButton(button)
            self.buttons[purpose] = button
            row.addWidget(button)
        row.addStretch(1)
        layout.addWidget(self.reason)
        self._group.buttonClicked.connect(self._on_clicked)
        self.set_colors({})
        self._tell()

    # Told

    def set_offers(self, offers: Sequence[FormatOffer]) -> None:
        """Take note of what is best, as far as that is known."""
        before = self._best()
        self._offers = tuple(offers)
        self._tell()
        best = self._best()
        if best is not None and (before is None or before.name != best.name):
            self.chosen.emit(best.name)

    def choose(self, purpose: Purpose | None) -> None:
        """Take note of what the person wants, silently."""
        if purpose is None:
            self.forget()
        else:
            self.buttons[purpose].setChecked(True)
            self._tell()

    def forget(self) -> None:
        """Take note that the person chose otherwise."""
        self._group.setExclusive(False)
        for button in self.buttons.values():
            button.setChecked(False)
        self._group.setExclusive(True)
        self._tell()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        recolor(self.reason, with_defaults(colors)["muted"])

    # Asked

    def purpose(self) -> Purpose | None:
        """Return what the person wants; None if they did not say."""
        return next((p for p, button in self.buttons.items() if button.isChecked()), None)

    # Inside

    def _best(self) -> FormatOffer | None:
        purpose = self.purpose()
        return next((o for o in self._offers if purpose in o.recommended), None)

    def _on_clicked(self) -> None:
        self._tell()
        best = self._best()
        if best is not None:
            self.chosen.emit(best.name)

    def _tell(self) -> None:
        purpose, best = self.purpose(), self._best()
        if purpose is None:
            text = self.tr("Choose a purpose, or select a format below.")
        elif best is not None:
            text = self.tr("✓ {format}, {size}. {reason}").format(
                format=best.label, size=size_words(best), reason=best.recommended[purpose]
            )
        elif any(o.nbytes is None and not o.why_not for o in self._offers):
            text = self.tr("Estimating sizes…")
        else:
            text = self.tr("No suitable format can store this checkpoint.")
        self.reason.setText(text)
