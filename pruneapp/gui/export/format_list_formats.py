"""The list of formats, each with the size to come."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QLabel,
    QRadioButton,
    QSizePolicy,
    QWidget,
)

from pruneapp.gui.export.format_list import size_tip, size_words
from pruneapp.gui.widgets.controls_layouts import clear
from pruneapp.gui.widgets.labels import plain, recolor
from pruneapp.gui.widgets.theme_colors import with_defaults
from pruneapp.results.format_offer import FormatOffer

_SIZE_LETTERS = 12


def _label(offer: FormatOffer, dtype: str) -> str:
    said = offer.label
    if dtype:
        said = QCoreApplication.translate("ExportSizes", "{format}, {type}").format(
            format=said, type=dtype
        )
    return said.replace("&", "&&")


class Formats(QWidget):
    """A radio button for each format, and beside it how large the file will be.

    Attributes
    ----------
    refused
        Says below them why some formats cannot be.

    Signals
    -------
    picked
        The person chose a format.
    """

    picked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.radios: dict[str, QRadioButton] = {}
        self.sizes: dict[str, QLabel] = {}
        self.refused = plain(wrap=True)
        self._offers: dict[str, FormatOffer] = {}
        self._colors = with_defaults({})
        self._group = QButtonGroup(self)
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setHorizontalSpacing(24)
        self._layout.setVerticalSpacing(8)
        self._group.buttonClicked.connect(self.picked)

    def set_offers(self, offers: Sequence[FormatOffer], chosen: str = "") -> None:
        """Show these; the choice stays as it is where it can, else `chosen` or the first."""
        before = self.chosen()
        if [o.name for o in offers] != list(self.radios):
            self._build(offers)
        self._offers = {offer.name: offer for offer in offers}
        for offer in offers:
            radio, size = self.radios[offer.name], self.sizes[offer.name]
            radio.setEnabled(not offer.why_not)
            radio.setToolTip(offer.why_not)
            words = size_words(offer)
            radio.setAccessibleDescription(offer.why_not or f"{words}. {offer.help}")
            size.setText(words)
            size.setToolTip(size_tip(offer))
        self.refused.setText("\n".join(_refusals(offers)))
        able = [offer.name for offer in offers if not offer.why_not]
        if able and (before is None or before.name not in able):
            self.choose(chosen if chosen in able else able[0])
        self.set_colors(self._colors)

    def set_types(self, types: Mapping[str, str]) -> None:
        """Say which type the size of a format counts, where it is not that of the weights."""
        for name, offer in self._offers.items():
            self.radios[name].setText(_label(offer, types.get(name, "")))

    def choose(self, name: str) -> None:
        """Choose a format, silently."""
        self.radios[name].setChecked(True)

    def chosen(self) -> FormatOffer | None:
        """Return the chosen format; None if none can be."""
        for name, radio in self.radios.items():
            if radio.isChecked() and radio.isEnabled():
                return self._offers[name]
        return None

    def offers(self) -> Collection[FormatOffer]:
        """Return what is offered."""
        return self._offers.values()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self._colors = with_defaults(colors)
        for name, label in self.sizes.items():
            known = self._offers[name].nbytes is not None
            recolor(label, self._colors["text" if known else "muted"])
        recolor(self.refused, self._colors["muted"])

    def _build(self, offers: Sequence[FormatOffer]) -> None:
        clear(self._layout)
        self.radios, self.sizes = {}, {}
        for row, offer in enumerate(offers):
            radio = QRadioButton(_label(offer, ""), self)
            size = plain()
            size.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            # As wide as anything that it says: nothing moves when a size becomes known.
            size.setMinimumWidth(self.fontMetrics().averageCharWidth() * _SIZE_LETTERS)
            self._layout.addWidget(radio, row, 0)
            self._layout.addWidget(size, row, 1)
            self._group.addButton(radio)
            self.radios[offer.name], self.sizes[offer.name] = radio, size
        # Where there is no room below it is left out: the formats say it in their tooltips, too.
        self.refused = plain(wrap=True)
        self.refused.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.refused.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._layout.addWidget(self.refused, len(offers), 0, 1, 2)
        self._layout.setColumnStretch(0, 1)
        self._layout.setRowStretch(len(offers), 1)


def _refusals(offers: Sequence[FormatOffer]) -> list[str]:
    """Return a line for each reason for which formats cannot be, with their names if need be."""
    named: dict[str, list[str]] = {}
    for offer in offers:
        if offer.why_not:
            named.setdefault(offer.why_not, []).append(offer.label)
    if len(named) == 1:  # it is that of every format that is greyed out
        return [f"– {why}" for why in named]
    return [f"– {'; '.join(labels)}: {why}" for why, labels in named.items()]
