"""The dialog before an export: what the file is for, its format, and where it goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from pruneapp.errors import ParameterError
from pruneapp.gui.export.details import Details
from pruneapp.gui.export.format_list import Formats, Purposes, size_words
from pruneapp.gui.export.target_row import TargetRow
from pruneapp.gui.widgets.controls import ComboBox, move_focus, single_shot
from pruneapp.gui.widgets.labels import heading, plain
from pruneapp.gui.widgets.reports import add_button_row
from pruneapp.gui.widgets.screen import Dialog, Scrolled
from pruneapp.results.export import ExportRequest, TargetCheck
from pruneapp.results.format_offer import FormatOffer, Purpose, RoundingCost

# So long nothing is typed before the disk is looked at.
_PAUSE_MS = 150


@dataclass(frozen=True)
class Choices:
    """What was chosen, whether it came to an export or not, for the next dialog."""

    purpose: Purpose | None = None  # None if nobody said
    format: str = ""  # empty if none could be
    # Values of the parameters of each format where the person changed some.
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    path: str = ""  # empty if it was as proposed
    script: bool = False
    report: str = ""


class Beside(QWidget):
    """Check boxes for the script that checks an export, and for the report."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.script = QCheckBox(self.tr("Comparison script"), self)
        tip = self.tr(
            "Python script that loads both files into your model and compares the outputs."
        )
        self.script.setToolTip(tip)
        self.script.setAccessibleDescription(tip)
        self.account = QCheckBox(self.tr("Report"), self)
        tip = self.tr("Steps, sparsity and norm² retained per tensor, sizes, checksums.")
        self.account.setToolTip(tip)
        self.account.setAccessibleDescription(tip)
        self.kind = ComboBox(self)
        self.kind.setAccessibleName(self.tr("Report format"))
        self.kind.setAccessibleDescription(self.tr("File format of the report."))
        for words, suffix in (
            (self.tr("HTML page"), ".html"),
            (self.tr("CSV table"), ".csv"),
            (self.tr("JSON"), ".json"),
        ):
            self.kind.addItem(words, suffix)
        self.kind.setEnabled(False)
        self.account.toggled.connect(self.kind.setEnabled)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.script)
        row.addSpacing(16)
        row.addWidget(self.account)
        row.addWidget(self.kind)
        row.addStretch(1)

    def set_wanted(self, *, script: bool, report: str) -> None:
        """Check what is wanted, as `report` returns it, silently."""
        self.script.setChecked(script)
        self.account.setChecked(bool(report))
        if report:
            self.kind.setCurrentIndex(self.kind.findData(report))

    def report(self) -> str:
        """Return the suffix of the report that is wanted; empty if none is."""
        return str(self.kind.currentData()) if self.account.isChecked() else ""


class ExportDialog(Dialog):
    """Asks what the file is for, in which format it is written, and where to."""

    # ExportRequest: The person wants it to be done; the dialog closes with it.
    exportRequested = Signal(object)
    # A parameter of this format is another: its size may be, too. The type of the numbers is one
    # for all formats.
    parametersChanged = Signal(str, object)
    roundingRequested = Signal(str)  # the person chose a type whose cost is not known yet
    # ExportRequest: The person chose this, and paused; what is at its target is not known yet.
    checkRequested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Export"))
        self._checked: ExportRequest | None = None
        self._pause = single_shot(self, _PAUSE_MS, self._request_check)
        self.nothing = plain(wrap=True)
        self.nothing.setContentsMargins(0, 0, 0, 8)  # it is about all of what follows
        self.nothing.hide()
        self._rounded = ""
        self.purposes = Purposes(self)
        self.formats = Formats(self)
        self.details = Details(self)
        self.target = TargetRow(self)
        self.beside = Beside(self)
        self.go = QPushButton(self)
        self.go.setObjectName("mainAction")
        self.go.setDefault(True)
        self.stop = QPushButton(self.tr("Cancel"), self)
        self._tab_parts = self.purposes, self.formats, self.details, self.target, self.beside
        self._lay_out()
        self.purposes.chosen.connect(self._on_best)
        self.formats.picked.connect(self._on_picked)
        self.details.changed.connect(self._on_changed)
        self.target.changed.connect(self._arrange)
        self.go.clicked.connect(self._finish)
        self.stop.clicked.connect(self.reject)
        self.set_colors({})
        self._arrange()

    def _lay_out(self) -> None:
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.nothing)
        layout.addWidget(heading(self.tr("Purpose")))
        layout.addWidget(self.purposes)
        layout.addSpacing(4)
        layout.addWidget(heading(self.tr("Format")))
        choice = QHBoxLayout()
        layout.addLayout(choice, 1)
        choice.setSpacing(24)
        choice.addWidget(self.formats)
        choice.addWidget(self.details, 1)
        layout.addSpacing(4)
        layout.addWidget(self.target)
        layout.addWidget(self.beside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 16, 16, 16)
        whole.setSpacing(16)
        # On a low screen what is chosen scrolls, and the buttons stay.
        whole.addWidget(Scrolled(content, self), 1)
        add_button_row(whole, self.stop, self.go)

    def preferred_size(self) -> QSize:
        """Take the room that is needed: of its own accord a dialog takes two thirds of a screen."""
        return self.sizeHint()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Follow Tab as one reads, whenever the settings of a format were made."""
        parts = (*self._tab_parts, self.stop, self.go)
        moved = move_focus(parts, self.focusWidget(), forward=forward)
        return moved or super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep what is typed into a setting from being an export, and turn pages of settings."""
        here = self.focusWidget()
        inside = here is not None and (self.details.isAncestorOf(here) or here is self.beside.kind)
        pages = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
        if event.key() in pages:
            self.details.page(pages[Qt.Key(event.key())])
        elif not (inside and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}):
            super().keyPressEvent(event)

    def set_offers(self, offers: Sequence[FormatOffer]) -> None:
        """Offer these formats; at first the first that can be is chosen."""
        self.target.set_suffixes(suffix for offer in offers for suffix in offer.suffixes)
        self.formats.set_offers(offers)
        self.purposes.set_offers(offers)
        self._show_chosen()

    def set_pruned(self, *, pruned: bool, asked: str = "") -> None:
        """Say that nothing is pruned if so, and which button, `asked`, would apply the preview."""
        text = self.tr("△ Nothing is pruned yet: the export is a copy.")
        if asked:
            text += " " + self.tr(
                "The step in the preview is not applied yet: press “{button}” first."
            ).format(button=asked)
        self.nothing.setText(text)
        self.nothing.setHidden(pruned)

    def set_check(self, request: ExportRequest, check: TargetCheck) -> None:
        """Show what an export would find; no more if it would go elsewhere by now."""
        if request.writes_as(self._checked):
            self.target.set_check(check)
            self._arrange()

    def set_choices(self, choices: Choices) -> None:
        """Choose what the person chose before, as far as it is still offered."""
        self.details.set_all_values(choices.values)
        self.beside.set_wanted(script=choices.script, report=choices.report)
        radio = self.radios.get(choices.format)
        if radio is not None and radio.isEnabled():
            self.formats.choose(choices.format)
            self.purposes.choose(choices.purpose)
        self._show_chosen()
        if choices.path:
            self.target.path.setText(choices.path)
        for name, values in choices.values.items():
            if name in self.radios:
                self.parametersChanged.emit(name, values)

    def set_rounding(self, name: str, cost: RoundingCost | str) -> None:
        """Show what rounding to a type costs, or a sentence on why that is not known."""
        self.details.set_cost(name, cost)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        for part in (self.purposes, self.formats, self.details, self.target):
            part.set_colors(colors)

    @property
    def radios(self) -> Mapping[str, QRadioButton]:
        """The buttons of the formats, by their names."""
        return self.formats.radios

    def chosen(self) -> FormatOffer | None:
        """Return the chosen format; None if none can be."""
        return self.formats.chosen()

    def choices(self) -> Choices:
        """Return what is chosen, also while it cannot be done."""
        offer = self.chosen()
        return Choices(
            self.purposes.purpose(),
            offer.name if offer is not None else "",
            self.details.all_values(),
            self.target.typed(),
            self.beside.script.isChecked(),
            self.beside.report(),
        )

    def request(self) -> ExportRequest | None:
        """Return what is wanted; None while it cannot be done."""
        offer = self.chosen()
        if offer is None or offer.wrong or self.target.problem():
            return None
        try:
            values = self.details.values()
        except ParameterError:
            return None  # said beside the field
        return ExportRequest(
            offer.name,
            Path(self.target.text()).expanduser(),
            replace_original=self.target.replace.isChecked() and self.target.replaces_source(),
            params=values,
            script=self.beside.script.isChecked(),
            report=self.beside.report(),
        )

    def _on_best(self, name: str) -> None:
        self.formats.choose(name)
        self._show_chosen()

    def _on_picked(self) -> None:
        offer = self.chosen()
        if offer is not None and self.purposes.purpose() not in offer.recommended:
            self.purposes.forget()
        self._show_chosen()

    def _on_changed(self) -> None:
        offer = self.chosen()
        if offer is not None and not self.details.errors():
            self.target.set_format(offer, self.details.values())
            self.parametersChanged.emit(offer.name, self.details.values())
            for name, values in self.details.share_type(self.formats.offers()).items():
                self.parametersChanged.emit(name, values)
        self._request_rounding()
        self._arrange()

    def _show_chosen(self) -> None:
        offer = self.chosen()
        self.details.show_offer(offer)
        if not self.details.errors():  # what is half typed changes nothing
            self.target.set_format(offer, self.details.values())
        self._request_rounding()
        self._arrange()

    def _request_rounding(self) -> None:
        self.formats.set_types(self.details.types(self.formats.offers()))
        before, self._rounded = self._rounded, self.details.rounded_to()
        known = isinstance(self.details.costs.get(self._rounded), RoundingCost)
        if self._rounded and not known and self._rounded != before:
            self.roundingRequested.emit(self._rounded)

    def _arrange(self) -> None:
        offer, request = self.chosen(), self.request()
        if request is not None and not request.writes_as(self._checked):
            self._checked = request
            self._pause.start()
            self.target.set_check(None)
        replaces = request is not None and self.target.replaces_open()
        if offer is None or offer.nbytes is None:
            words = self.tr("Replace original") if replaces else self.tr("Export")
        elif replaces:
            words = self.tr("Replace original, {size}")
        else:
            words = self.tr("Export {size}")
        self.go.setText(words.format(size=size_words(offer) if offer is not None else ""))
        ready = offer is not None and not offer.wrong and not self.details.errors()
        self.go.setEnabled(ready and not self.target.problem())

    def _request_check(self) -> None:
        request = self.request()
        if request is not None and self.isVisible():
            self.checkRequested.emit(request)

    def _finish(self) -> None:
        request = self.request()
        if request is not None:
            self.accept()
            self.exportRequested.emit(request)
