"""The dialog before an export: what the file is for, its format, and where it goes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QPushButton, QTabBar, QVBoxLayout, QWidget

from pruneapp.errors import ParameterError, abridged
from pruneapp.gui.export.format_list import (
    Formats,
    Purposes,
    loader_words,
    rounded_to,
    rounding_words,
    size_words,
)
from pruneapp.gui.export.shrink_page import ShrinkPage
from pruneapp.gui.export.target_row import TargetRow
from pruneapp.gui.method_form.fields import Field, Fields
from pruneapp.gui.widgets import number_format, reports
from pruneapp.gui.widgets.controls import (
    ComboBox,
    add_row,
    lay_in_column,
    lay_in_row,
    move_focus,
    scroll_to,
    single_shot,
)
from pruneapp.gui.widgets.controls import replace as put_in_place
from pruneapp.gui.widgets.engine_text import translate_offer
from pruneapp.gui.widgets.labels import DANGER, MUTED, heading, letter_width, plain, within_reason
from pruneapp.gui.widgets.reports import add_button_row
from pruneapp.gui.widgets.screen import Dialog, Scrolled
from pruneapp.results.export import ExportRequest, FormatOffer, Purpose, RoundingCost, TargetCheck
from pruneapp.results.pattern_report import BrokenPattern
from pruneapp.results.shrink_forecast import CutRequest

# The one that holds every number of float32: what is offered unasked ruins nothing.
_SAFE = "bfloat16"
# Of a file that a smaller type makes less than a tenth smaller, nothing is said.
_WORTH = 0.9


class RoundingNote(QWidget):
    """A sentence about the chosen type, or the offer of a smaller one: a button takes it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.note = plain(wrap=True)
        self.note.setAccessibleDescription(self.tr("Effect of rounding to this dtype."))
        self.take = QPushButton(self.tr("Round to {type}").format(type=_SAFE), self)
        self.take.setAutoDefault(False)
        self.take.setAccessibleDescription(
            self.tr("Select this dtype and show the rounding error.")
        )
        add_row(lay_in_column(self, self.note, spacing=4), self.take, None)

    def show_cost(self, offer: FormatOffer, dtype: str, cost: RoundingCost | str | None) -> None:
        """Show what the chosen type costs, or why that is unknown; if none, offer a smaller one."""
        danger = isinstance(cost, str) or bool(cost is not None and cost.infinite)
        self.note.setForegroundRole(DANGER if danger else MUTED)
        smaller = None if dtype or offer.nbytes is None else offer.in_16_bits
        if smaller is not None and offer.nbytes is not None and smaller >= _WORTH * offer.nbytes:
            smaller = None
        self.take.setVisible(smaller is not None)
        if dtype:
            self.note.setText(abridged(rounding_words(cost, dtype)))
        elif smaller is not None:
            words = self.tr("{type}: {size}, with 8 significant bits per value.")
            self.note.setText(words.format(type=_SAFE, size=number_format.size(smaller)))
        self.setVisible(bool(dtype) or smaller is not None)


# Letters of the width that texts are set in, at least and if there is room.
_WIDTH, _USUAL_WIDTH = 52, 72
# Lines that a note, such as an error, may have more than when the dialog opens.
_SPARE_LINES = 2
# Lines of all that is chosen that are seen in the lowest dialog.
_LEAST_LINES = 8
# Of the page of cuts: letters of its width, and lines of its height.
_PAGE_WIDTH, _PAGE_LINES = 128, 38
# Of so many formats the height is measured, to open the dialog with room for any.
_MEASURED = 2
# So far the words of a radio button beside it are below its top.
_ABOVE = 3
# What is shown of a format beside its size.
_DESCRIBED = attrgetter("name", "help", "why_not", "params")
_SHOWN_FOR = frozenset({QEvent.Type.FocusIn, QEvent.Type.KeyPress})


def _letters(offer: FormatOffer) -> int:
    """Return about how much is said of a format; a setting takes the room of some lines."""
    texts = offer.help, *offer.does_not, *map(loader_words, offer.loaded_by)
    return sum(map(len, texts)) + 4 * _USUAL_WIDTH * len(offer.params)


class FormatDetails(QWidget):
    """The panel beside the list of formats, as high as what it says."""

    changed = Signal()  # the person changed a parameter

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumWidth(letter_width(self) * _WIDTH)
        self.setAccessibleName(self.tr("Selected format"))
        self.setAccessibleDescription(self.tr("Description, notes, compatibility and settings."))
        self._offer: FormatOffer | None = None
        self._values: dict[str, dict[str, Any]] = {}
        self.fields: Fields | None = None
        self.rounding: RoundingNote | None = None
        self.costs: dict[str, RoundingCost | str] = {}
        self._content = QWidget(self)
        self._column = lay_in_column(self, self._content)

    def sizeHint(self) -> QSize:
        """Ask for the width in which the texts are read well."""
        width = letter_width(self) * _USUAL_WIDTH
        return QSize(width, self.heightForWidth(width))

    def spare_height(self, offers: Iterable[FormatOffer]) -> int:
        """Return how much more room it takes for that of some formats that says most.

        Laying out all of them took a tenth of a second: only those of the longest texts are.
        """
        width, other = self.sizeHint().width(), FormatDetails()
        other.costs, other._values = self.costs, self._values
        heights = [self.heightForWidth(width)]
        for offer in sorted(offers, key=_letters, reverse=True)[:_MEASURED]:
            other.show_offer(offer)
            heights.append(other.heightForWidth(width))
        return max(heights) - heights[0] + _SPARE_LINES * self.fontMetrics().lineSpacing()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show a control that gets the focus, or a key while it is scrolled away."""
        if event.type() in _SHOWN_FOR and isinstance(watched, QWidget):
            scroll_to(watched.parentWidget() or watched)
            scroll_to(watched)
        return super().eventFilter(watched, event)

    def show_offer(self, offer: FormatOffer | None) -> None:
        """Show a format; what was typed for it before is still there."""
        before, self._offer = self._offer, offer
        if before is None or offer is None or _DESCRIBED(before) != _DESCRIBED(offer):
            self._build()
        else:
            self._show_rounding()  # only its size is another

    def set_cost(self, dtype: str, cost: RoundingCost | str) -> None:
        """Show what rounding to a type costs, or a sentence on why that is not known."""
        self.costs[dtype] = cost
        self._show_rounding()

    def rounded_to(self) -> str:
        """Return the type that the chosen format is rounded to; empty if it is not."""
        return rounded_to(self._offer, {} if self.fields is None else self.fields.valid_values())

    def types(self, offers: Iterable[FormatOffer]) -> dict[str, str]:
        """Return the types that formats are rounded to, as far as the person chose some."""
        return {o.name: rounded_to(o, self._values.get(o.name, {})) for o in offers}

    def share_type(self, offers: Iterable[FormatOffer]) -> dict[str, dict[str, Any]]:
        """Round every format as the shown one: sizes are compared by what is written.

        Returns the values of those that are written in another type now, by format.
        """
        if self._offer is None or self.fields is None or not self._offer.rounded_by:
            return {}
        chosen = self.fields.valid_values().get(self._offer.rounded_by)
        changed = {}
        for other in offers:
            if other.name == self._offer.name or not other.rounded_by:
                continue
            default = next(p.default for p in other.params if p.name == other.rounded_by)
            values = self._values.setdefault(other.name, {})
            if chosen is not None and values.get(other.rounded_by, default) != chosen:
                values[other.rounded_by] = chosen
                changed[other.name] = dict(values)
        return changed

    def all_values(self) -> dict[str, dict[str, Any]]:
        """Return what the person set, by format."""
        return {name: dict(values) for name, values in self._values.items()}

    def set_all_values(self, values: Mapping[str, Mapping[str, Any]]) -> None:
        """Take what was set before, as `all_values` returns it, silently."""
        self._values = {name: dict(of_format) for name, of_format in values.items()}
        self._build()

    def values(self) -> dict[str, Any]:
        """Return valid values of the parameters; raises `ParameterError`."""
        return {} if self.fields is None else self.fields.values()

    def errors(self) -> tuple[str, ...]:
        """Return what is wrong with them."""
        return () if self.fields is None else self.fields.errors()

    def _build(self) -> None:
        content = QWidget()
        layout = lay_in_column(content, spacing=4, margins=(0, _ABOVE, 0, 0))
        self.fields = self.rounding = None
        if self._offer is not None:
            self._fill(layout, self._offer)
        layout.addStretch(1)
        put_in_place(self._column, self._content, content)
        content.show()  # at once, for keys that come next
        self._content.setParent(None)  # nothing is found in it any more
        self._content = content
        self._show_rounding()

    def _fill(self, layout: QVBoxLayout, offer: FormatOffer) -> None:
        layout.addWidget(plain(offer.help, wrap=True))
        layout.addSpacing(8)
        if offer.does_not:
            self._list(layout, self.tr("Notes"), list(offer.does_not))
        if offer.params:
            layout.addWidget(heading(self.tr("Settings")))
            layout.addSpacing(4)
            self.fields = Fields(offer.params)
            for name, value in self._values.get(offer.name, {}).items():
                self.fields.fields[name].editor.set_value(value)
            self.fields.changed.connect(self._on_changed)
            for field in self.fields.fields.values():
                if (control := field.editor.focusProxy()) is not None:
                    control.installEventFilter(self)
            layout.addWidget(self.fields)
            if offer.rounded_by:
                self._add_rounding(self.fields.fields[offer.rounded_by])
            layout.addSpacing(8)
        if offer.loaded_by:
            self._list(
                layout, self.tr("Compatible with"), [loader_words(x) for x in offer.loaded_by]
            )

    def _add_rounding(self, field: Field) -> None:
        below = field.layout()
        assert below is not None
        self.rounding = RoundingNote(field)
        self.rounding.take.installEventFilter(self)
        below.addWidget(self.rounding)
        self.rounding.take.clicked.connect(self._on_taken)

    def _show_rounding(self) -> None:
        if self.rounding is not None and self._offer is not None:
            dtype = self.rounded_to()
            self.rounding.show_cost(self._offer, dtype, self.costs.get(dtype))

    def _on_taken(self) -> None:
        if self._offer is None or self.fields is None:
            return
        field = self.fields.fields[self._offer.rounded_by]
        field.editor.set_value(_SAFE)
        field.setFocus()
        self._on_changed()

    def _list(self, layout: QVBoxLayout, title: str, lines: list[str]) -> None:
        layout.addWidget(heading(title))
        for line in lines:
            layout.addWidget(plain(f"· {line}", wrap=True, ink=MUTED))
        layout.addSpacing(8)

    def _on_changed(self) -> None:
        if self._offer is not None and self.fields is not None:
            self._values[self._offer.name] = self.fields.valid_values()
            self._show_rounding()
        self.changed.emit()


# So long nothing is typed before the disk is looked at.
_PAUSE_MS = 150


@dataclass(frozen=True)
class ExportChoices:
    """What was chosen, whether it came to an export or not, for the next dialog."""

    purpose: Purpose | None = None  # None if nobody said
    format: str = ""  # empty if none could be
    # Values of the parameters of each format where the person changed some.
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    path: str = ""  # empty if it was as proposed
    script: bool = False
    report: str = ""
    shrunk: bool = False  # whether what is dead was to be cut out
    cut: CutRequest = field(default_factory=CutRequest)
    check: str = "shapes"  # how the shrunk folder is checked
    folder: str = ""  # where that goes; empty if it was as proposed


class SideFiles(QWidget):
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
        lay_in_row(self, self.script, 16, self.account, self.kind, None)

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
    shrinkRequested = Signal(object)  # ShrinkOrder: the person wants this; the dialog closes

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Export"))
        self._checked: ExportRequest | None = None
        self._is_copy = False
        self._first = 0  # the page that is turned to once the dialog has its size
        self._pause = single_shot(self, _PAUSE_MS, self._request_check)
        self.state = plain(wrap=True)
        self.state.setContentsMargins(0, 0, 0, 8)  # it is about all of what follows
        self.broken = plain(wrap=True, ink=DANGER)
        self.broken.setContentsMargins(0, 0, 0, 8)
        self.broken.hide()
        self._rounded = ""
        self._above = QWidget(self)
        self.tabs = QTabBar(self)
        self.tabs.setDrawBase(False)
        self.tabs.setAccessibleName(self.tr("What is written"))
        for words, tip in (
            (self.tr("Full size"), self.tr("Tensors keep their shapes; what is pruned is 0.")),
            (
                self.tr("Shrunk"),
                self.tr("Dead units are cut out: smaller tensors, and a config.json for them."),
            ),
        ):
            self.tabs.setTabToolTip(self.tabs.addTab(words), tip)
        self.page = ShrinkPage(self)
        self.purposes = Purposes(self)
        self.formats = Formats(self)
        self.details = FormatDetails(self)
        self.target = TargetRow(self)
        self.beside = SideFiles(self)
        self.go = QPushButton(self)
        self.go.setObjectName("mainAction")
        self.go.setDefault(True)
        self.stop = QPushButton(self.tr("Cancel"), self)
        self._full = self.purposes, self.formats, self.details, self.target, self.beside
        self._lay_out()
        self.tabs.currentChanged.connect(self._on_turned)
        self.page.changed.connect(self._arrange)
        self.purposes.chosen.connect(self._on_best)
        self.formats.picked.connect(self._on_picked)
        self.details.changed.connect(self._on_changed)
        self.target.changed.connect(self._arrange)
        self.go.clicked.connect(self._finish)
        self.stop.clicked.connect(self.reject)
        self._arrange()

    def _lay_out(self) -> None:
        content = QWidget()
        purpose, form = heading(self.tr("Purpose")), heading(self.tr("Format"))
        layout = lay_in_column(content, purpose, self.purposes, 4, form)
        add_row(layout, self.formats, self.details, spacing=24, wide=self.details, stretch=1)
        # On a low screen what is chosen scrolls; where it goes, and the buttons, stay.
        self.scrolled = Scrolled(content, self)
        self.scrolled.setMinimumHeight(self.fontMetrics().lineSpacing() * _LEAST_LINES)
        layout = lay_in_column(self, spacing=12, margins=(16, 16, 16, 16))
        lay_in_column(self._above, self.state, self.broken, spacing=0)
        layout.addWidget(self._above)
        add_row(layout, self.tabs, None)
        layout.addWidget(self.scrolled, 1)
        layout.addWidget(self.page, 1)
        layout.addWidget(self.target)
        layout.addWidget(self.beside)
        self.page.hide()
        add_button_row(layout, self.stop, self.go)

    def preferred_size(self) -> QSize:
        """Take the room that any format, and the other page, needs: nothing moves later.

        Of its own accord a dialog takes two thirds of a screen.
        """
        metrics = self.fontMetrics()
        page = QSize(letter_width(self) * _PAGE_WIDTH, metrics.lineSpacing() * _PAGE_LINES)
        spare = QSize(0, self.details.spare_height(self.formats.offers()))
        return (self.sizeHint() + spare).expandedTo(page)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Follow Tab as one reads, whenever the settings of a format were made."""
        shown = self.page.tab_parts if self.is_shrunk else self._full
        parts = (self.tabs, *shown, self.stop, self.go)
        moved = move_focus(parts, self.focusWidget(), forward=forward)
        return moved or super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep what is typed from being an export that was not meant, and turn pages of settings.

        Return does what the button says, but replaces nothing before that was read: it goes to the
        button first.
        """
        here = self.focusWidget()
        settings = self.details, self.page.rows
        inside = here is self.beside.kind or any(part.isAncestorOf(here) for part in settings)
        pages = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
        if event.key() in pages:
            area = self.page.scrolled if self.is_shrunk else self.scrolled
            bar = area.verticalScrollBar()
            bar.setValue(bar.value() + pages[Qt.Key(event.key())] * bar.pageStep())
        elif event.key() not in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            super().keyPressEvent(event)
        elif not inside and self.go.isEnabled() and not self.is_shrunk and self.target.is_taken():
            self.go.setFocus(Qt.FocusReason.TabFocusReason)
        elif not inside:
            super().keyPressEvent(event)

    @property
    def is_shrunk(self) -> bool:
        """Whether dead units are to be cut out."""
        return self.tabs.currentIndex() == 1

    def set_offers(self, offers: Sequence[FormatOffer], *, usual: str = "") -> None:
        """Offer these formats; `usual` is chosen, at first the first that can be."""
        offers = tuple(map(translate_offer, offers))
        self.target.set_suffixes(suffix for offer in offers for suffix in offer.suffixes)
        self.formats.set_offers(offers)
        if usual:
            self.formats.choose(usual)
        self.purposes.set_offers(offers)
        self._show_chosen()

    def set_state(self, title: str, share: str, *, pruned: bool, asked: str = "") -> None:
        """Say which state is written, and how much of it, a `share` in words, is pruned.

        Where nothing is pruned that is said, and which button, `asked`, would apply the preview.
        """
        self._is_copy = not pruned and not asked
        if pruned:
            text = self.tr("State {title}") if title[:1].isdigit() else "{title}"
            text = text.format(title=within_reason(title))
            text += self.tr("  ·  {share} pruned").format(share=share) if share else ""
        else:
            text = self.tr("△ Nothing is pruned yet: the export is a copy.")
        if asked:
            unapplied = self.tr(
                "The step in the preview is not applied yet: press “{button}” first."
            ).format(button=asked)
            text += f"\n△ {unapplied}" if pruned else f" {unapplied}"
        self.state.setText(text)

    def set_broken(
        self, broken: Sequence[BrokenPattern], shown: Mapping[str, str] | None = None
    ) -> None:
        """Warn of patterns that do not hold, whatever the format; the tooltip names tensors."""
        reports.show_broken(self.broken, broken, shown or {})

    def set_written(self, paths: Collection[Path]) -> None:
        """Set where exports go that are under way: nothing else may go there."""
        self._checked = None  # what was found there is another thing by now
        self.target.set_written(paths)
        self.page.target.set_written(paths)

    def set_check(self, request: ExportRequest, check: TargetCheck) -> None:
        """Show what an export would find; no more if it would go elsewhere by now."""
        if request.writes_as(self._checked):
            self.target.set_check(check)
            self._arrange()

    def set_choices(self, choices: ExportChoices) -> None:
        """Choose what the person chose before, as far as it is still offered."""
        self.details.set_all_values(choices.values)
        self.beside.set_wanted(script=choices.script, report=choices.report)
        radio = self.formats.radios.get(choices.format)
        if radio is not None and radio.isEnabled():
            self.formats.choose(choices.format)
            self.purposes.choose(choices.purpose)
        self._show_chosen()
        if choices.path:
            self.target.path.setText(choices.path)
        for name, values in choices.values.items():
            if name in self.formats.radios:
                self.parametersChanged.emit(name, values)
        self.page.set_request(choices.cut, choices.check, choices.folder)
        self._first = int(choices.shrunk)

    def set_rounding(self, name: str, cost: RoundingCost | str) -> None:
        """Show what rounding to a type costs, or a sentence on why that is not known."""
        self.details.set_cost(name, cost)

    def chosen(self) -> FormatOffer | None:
        """Return the chosen format; None if none can be."""
        return self.formats.chosen()

    def choices(self) -> ExportChoices:
        """Return what is chosen, also while it cannot be done."""
        offer = self.chosen()
        return ExportChoices(
            self.purposes.purpose(),
            offer.name if offer is not None else "",
            self.details.all_values(),
            self.target.typed(),
            self.beside.script.isChecked(),
            self.beside.report(),
            self.is_shrunk,
            self.page.request,
            self.page.checked(),
            self.page.target.typed(),
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
            self.target.place(),
            replace_original=self.target.replace.isChecked() and self.target.replaces_source(),
            params=values,
            script=self.beside.script.isChecked(),
            report=self.beside.report(),
        )

    def _on_turned(self, _page: int) -> None:
        shrunk = self.is_shrunk
        self.page.setVisible(shrunk)
        # Zeros of the file can be cut out, too: it need not be a copy.
        self.state.setVisible(not (shrunk and self._is_copy))
        self._above.setVisible(not (self.state.isHidden() and self.broken.isHidden()))
        for part in (self.scrolled, self.target, self.beside):
            part.setVisible(not shrunk)
        if shrunk and self.isVisible():
            self.page.survey()
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        """Turn to the page that was seen last, which says nothing of its size yet."""
        super().showEvent(event)
        first, self._first = self._first, 0
        if first:
            self.tabs.setCurrentIndex(first)

    def _on_best(self, name: str) -> None:
        self.formats.choose(name)
        self._show_chosen()

    def _on_picked(self) -> None:
        offer = self.chosen()
        if offer is not None and self.purposes.purpose() not in offer.recommended:
            self.purposes.clear_choice()
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
        if self.is_shrunk:
            self._arrange_shrunk()
            return
        offer, request = self.chosen(), self.request()
        if request is not None and not request.writes_as(self._checked):
            self._checked = request
            if self.target.is_url():
                self._pause.stop()
            else:
                self._pause.start()
            self.target.set_check(None)
        sized = offer is not None and offer.nbytes is not None
        replaced = 0 if request is None else self.target.replaced()
        words = self.tr("{action}, {size}")
        if request is not None and self.target.replaces_open():
            action = self.tr("Replace original")
        elif replaced:
            several = self.tr("Replace {n} files")
            action = number_format.plural(replaced, self.tr("Replace file"), several)
        else:
            action, words = self.tr("Export"), self.tr("{action} {size}")
        size = size_words(offer) if offer is not None else ""
        self.go.setText(words.format(action=action, size=size) if sized else action)
        ready = offer is not None and not offer.wrong and not self.details.errors()
        self.go.setEnabled(ready and not self.target.problem())

    def _arrange_shrunk(self) -> None:
        forecast, words = self.page.forecast, self.tr("Export")
        if forecast is not None and forecast.after is not None and not forecast.wrong:
            size = number_format.size(forecast.after.nbytes)
            words = self.tr("{action} {size}").format(action=words, size=size)
        self.go.setText(words)
        self.go.setEnabled(self.page.order() is not None)

    def _request_check(self) -> None:
        request = self.request()
        if request is not None and self.isVisible():
            self.checkRequested.emit(request)

    def _finish(self) -> None:
        if self.is_shrunk:
            if (order := self.page.order()) is not None:
                self.accept()
                self.shrinkRequested.emit(order)
            return
        request = self.request()
        if request is not None:
            self.accept()
            self.exportRequested.emit(request)
