"""Beside the type of an export: what it costs, and what a smaller one would save."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from pruneapp.gui.export.format_list import briefly, rounding_words
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.labels import plain, recolor
from pruneapp.gui.widgets.theme_colors import with_defaults
from pruneapp.results.format_offer import FormatOffer, RoundingCost

# The one that holds every number of float32: what is offered unasked ruins nothing.
_SAFE = "bfloat16"
# Of a file that a smaller type makes less than a tenth smaller, nothing is said.
_WORTH = 0.9


class RoundingNote(QWidget):
    """A sentence about the chosen type, or the offer of a smaller one.

    Signals
    -------
    taken(str)
        The person takes the type that is offered.
    """

    taken = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offer: FormatOffer | None = None
        self._type = ""
        self._costs: Mapping[str, RoundingCost | str] = {}
        self._colors = with_defaults({})
        self.note = plain(wrap=True)
        self.note.setAccessibleDescription(self.tr("Effect of rounding to this dtype."))
        self.take = QPushButton(self.tr("Round to {type}").format(type=_SAFE), self)
        self.take.setAutoDefault(False)
        self.take.setAccessibleDescription(
            self.tr("Select this dtype and show the rounding error.")
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.note)
        row = QHBoxLayout()
        layout.addLayout(row)
        row.addWidget(self.take)
        row.addStretch(1)
        self.take.clicked.connect(self._on_taken)
        self._tell()

    def show_type(self, offer: FormatOffer, value: str) -> None:
        """Take note of the format, and of the type that is chosen; empty if numbers stay."""
        self._offer, self._type = offer, value
        self._tell()

    def set_costs(self, costs: Mapping[str, RoundingCost | str]) -> None:
        """Take note of what types cost, as far as it is known; else of a sentence on why not."""
        self._costs = costs
        self._tell()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self._colors = with_defaults(colors)
        self._tell()

    def _tell(self) -> None:
        cost = self._costs.get(self._type)
        danger = isinstance(cost, str) or bool(cost is not None and cost.infinite)
        recolor(self.note, self._colors["danger" if danger else "muted"])
        smaller = self._smaller()
        self.take.setVisible(smaller is not None)
        if self._type:
            self.note.setText(briefly(rounding_words(cost, self._type)))
        elif smaller is not None:
            said = self.tr("{type}: {size}, with 8 significant bits per value.")
            self.note.setText(said.format(type=_SAFE, size=number_format.size(smaller)))
        self.setVisible(bool(self._type) or smaller is not None)

    def _smaller(self) -> int | None:
        offer = self._offer
        if self._type or offer is None or offer.nbytes is None or offer.in_16_bits is None:
            return None
        return offer.in_16_bits if offer.in_16_bits < _WORTH * offer.nbytes else None

    def _on_taken(self) -> None:
        self.taken.emit(_SAFE)
