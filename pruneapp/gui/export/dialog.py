"""The export dialog: purpose, format, settings and destination of a file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton, QTabBar, QVBoxLayout, QWidget

from pruneapp.analysis.patterns import BrokenPattern
from pruneapp.errors import ParameterError, abridge_text
from pruneapp.export.format import Purpose
from pruneapp.export.format_sizes import FormatOffer
from pruneapp.export.report import ExportRequest, TargetCheck
from pruneapp.export.rounding import CONTAINER, STATE_DICT, RoundingCost
from pruneapp.gui.export.format_list import (
    Formats,
    Purposes,
    loader_text,
    rounding_dtype,
    rounding_text,
    size_text,
)
from pruneapp.gui.export.shrink_page import ShrinkPage
from pruneapp.gui.export.target_row import TargetRow
from pruneapp.gui.method_form.fields import Fields
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
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    heading,
    join_sentences,
    letter_width,
    plain,
    with_label,
    within_reason,
)
from pruneapp.gui.widgets.reports import add_button_row
from pruneapp.gui.widgets.screen import Dialog, Scrolled
from pruneapp.shrink.surveyed_state import CutRequest

# bfloat16 has the range of float32: rounding to it without being asked makes no value infinite
_SAFE_DTYPE = "bfloat16"
# A smaller dtype is offered only if it saves more than a tenth of the file size.
_MAX_SIZE_RATIO = 0.9


class RoundingNote(QWidget):
    """The cost of rounding to the chosen dtype, or a button that offers a smaller dtype."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.note = plain(wrap=True)
        self.note.setAccessibleDescription(self.tr("Effect of rounding to this dtype."))
        self.take = QPushButton(self.tr("Round to {type}").format(type=_SAFE_DTYPE), self)
        self.take.setAutoDefault(False)
        self.take.setAccessibleDescription(
            self.tr("Select this dtype and show the rounding error.")
        )
        add_row(lay_in_column(self, self.note, spacing=4), self.take, None)

    def show_cost(self, offer: FormatOffer, dtype: str, cost: RoundingCost | str | None) -> None:
        """Show the cost of rounding to `dtype`; if that is "", offer to round to bfloat16.

        `cost` is None while it is being computed, and a sentence if it is unknown. The offer is
        only made if it saves more than a tenth; otherwise the note is hidden.
        """
        danger = isinstance(cost, str) or bool(cost is not None and cost.infinite)
        self.note.setForegroundRole(DANGER if danger else MUTED)
        smaller = None if dtype else offer.in_16_bits
        whole = offer.without_container or offer.nbytes or 0  # with the same contents
        if smaller is not None and smaller >= _MAX_SIZE_RATIO * whole:
            smaller = None
        self.take.setVisible(smaller is not None)
        if dtype:
            self.note.setText(abridge_text(rounding_text(cost, dtype)))
        elif smaller is not None:
            words = self.tr("{type}: {size}, with 8 significant bits per value.")
            if offer.without_container is not None:
                words = self.tr(
                    "{type}: {size}, with 8 significant bits per value. The file then has only "
                    "the state dict, which takes {full} if it is not rounded."
                )
            size, full = map(number_format.size, (smaller, whole))
            self.note.setText(words.format(type=_SAFE_DTYPE, size=size, full=full))
        self.setVisible(bool(dtype) or smaller is not None)


# minimum and preferred width of the texts, in characters
_WIDTH, _PREFERRED_WIDTH = 52, 72
# lines reserved for notes that are longer than when the dialog opens
_RESERVED_LINES = 2
# minimum height of the scrolled choices, in lines
_MIN_LINES = 8
# size of the page of cuts: width in characters, height in lines
_PAGE_WIDTH, _PAGE_LINES = 128, 58
# number of formats of which the height is measured, to open the dialog high enough for any
_MEASURED_FORMATS = 2
# distance from the top of a radio button to its text, in pixels
_TEXT_OFFSET_PX = 3
# the parts of an offer that the panel shows, without its size
_DESCRIBED = attrgetter("name", "help", "why_not", "params")
# the parts that depend on the values of the settings
_EFFECTS = attrgetter("does_not", "warnings", "state_dict_only", "loaded_by")
_SHOWN_FOR = frozenset({QEvent.Type.FocusIn, QEvent.Type.KeyPress})


def _text_length(offer: FormatOffer) -> int:
    """Return the approximate length of the text of a format; a parameter counts as some lines."""
    texts = offer.help, *offer.warnings, *offer.does_not, *map(loader_text, offer.loaded_by)
    return sum(map(len, texts)) + 4 * _PREFERRED_WIDTH * len(offer.params)


def _note(text: str) -> QLabel:
    return plain(f"· {text}", wrap=True, ink=MUTED)


class FormatDetails(QWidget):
    """The panel that describes the selected format; its height is that of its content."""

    changed = Signal()  # the user changed a parameter

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
        """Return the size at the width at which the texts are easy to read."""
        width = letter_width(self) * _PREFERRED_WIDTH
        return QSize(width, self.heightForWidth(width))

    def spare_height(self, offers: Iterable[FormatOffer]) -> int:
        """Return the additional height that the largest of some formats needs, in pixels.

        Only the formats with the longest texts are laid out; laying out all of them took 0.1 s.
        """
        width, other = self.sizeHint().width(), FormatDetails()
        other.costs, other._values = self.costs, self._values
        heights = [self.heightForWidth(width)]
        for offer in sorted(offers, key=_text_length, reverse=True)[:_MEASURED_FORMATS]:
            other.show_offer(offer)
            heights.append(other.heightForWidth(width))
        return max(heights) - heights[0] + _RESERVED_LINES * self.fontMetrics().lineSpacing()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Scroll to a control that gets the focus, or a key press while it is not visible."""
        if event.type() in _SHOWN_FOR and isinstance(watched, QWidget):
            scroll_to(watched.parentWidget() or watched)
            scroll_to(watched)
        return super().eventFilter(watched, event)

    def show_offer(self, offer: FormatOffer | None) -> None:
        """Show a format, with the values entered for it before; None clears the panel.

        If only sizes and effects of the settings have changed, the controls are kept.
        """
        before, self._offer = self._offer, offer
        if before is None or offer is None or _DESCRIBED(before) != _DESCRIBED(offer):
            self._build()
        else:
            if _EFFECTS(before) != _EFFECTS(offer):
                self._show_effects()
            self._show_rounding()

    def set_cost(self, dtype: str, cost: RoundingCost | str) -> None:
        """Show the cost of rounding to a dtype, or a sentence that says why it is unknown."""
        self.costs[dtype] = cost
        self._show_rounding()

    def rounding_dtype(self) -> str:
        """Return the dtype that the selected format rounds to; empty if it does not round."""
        return rounding_dtype(self._offer, {} if self.fields is None else self.fields.values)

    def types(self, offers: Iterable[FormatOffer]) -> dict[str, str]:
        """Return the dtype that each format rounds to, by name; empty if it does not round."""
        return {o.name: rounding_dtype(o, self._values.get(o.name, {})) for o in offers}

    def share_type(self, offers: Iterable[FormatOffer]) -> dict[str, dict[str, Any]]:
        """Set the dtype of the shown format for all formats, so that their sizes can be compared.

        Return the parameter values of the formats that changed, by name.
        """
        if self._offer is None or self.fields is None or not self._offer.rounded_by:
            return {}
        chosen = self.fields.values.get(self._offer.rounded_by)
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
        """Return the values that the user set, by format and parameter."""
        return {name: dict(values) for name, values in self._values.items()}

    def set_all_values(self, values: Mapping[str, Mapping[str, Any]]) -> None:
        """Set the values that `all_values` returned, without emitting `changed`."""
        self._values = {name: dict(of_format) for name, of_format in values.items()}
        self._build()

    def values(self) -> dict[str, Any]:
        """Return the parameter values of the shown format; raise `ParameterError` for errors."""
        if self.fields is None:
            return {}
        return {name: editor.value() for name, editor in self.fields.editors.items()}

    def errors(self) -> tuple[str, ...]:
        return () if self.fields is None else tuple(self.fields.errors.values())

    def _build(self) -> None:
        """Replace the content by that of the current format."""
        content = QWidget()
        layout = lay_in_column(content, spacing=4, margins=(0, _TEXT_OFFSET_PX, 0, 0))
        self.fields = self.rounding = None
        if self._offer is not None:
            self._fill(layout, self._offer)
            self._show_effects()
        layout.addStretch(1)
        put_in_place(self._column, self._content, content)
        content.show()  # show now, so that the next key press finds the controls
        self._content.setParent(None)  # so that `findChildren` returns no old controls
        self._content = content
        self._show_rounding()

    def _fill(self, layout: QVBoxLayout, offer: FormatOffer) -> None:
        """Add description, notes, settings and compatible programs of a format to `layout`.

        Settings have the values that were entered before.
        """
        layout.addWidget(plain(offer.help, wrap=True))
        layout.addSpacing(8)
        self._notes, self._loaders = QWidget(), QWidget()
        layout.addWidget(self._notes)
        if offer.params:
            layout.addWidget(heading(self.tr("Settings")))
            layout.addSpacing(4)
            self.fields = Fields(offer.params)
            for name, value in self._values.get(offer.name, {}).items():
                self.fields.set_value(name, value)
            self.fields.changed.connect(self._on_changed)
            for editor in self.fields.editors.values():
                if (control := editor.focusProxy()) is not None:
                    control.installEventFilter(self)
            layout.addWidget(self.fields)
            self.fields.align_editors()
            if offer.rounded_by:
                self._add_rounding(self.fields, offer.rounded_by)
            layout.addSpacing(8)
        layout.addWidget(self._loaders)

    def _add_rounding(self, fields: Fields, name: str) -> None:
        self.rounding = RoundingNote(fields)
        self.rounding.take.installEventFilter(self)
        fields.add_below(name, self.rounding)
        self.rounding.take.clicked.connect(self._on_rounding_accepted)

    def _show_effects(self) -> None:
        """Show what the current settings keep and lose, in the notes and at the contents."""
        assert self._offer is not None
        offer = self._offer
        lines = [plain(f"△ {one}", wrap=True) for one in offer.warnings]
        kept = [one for one in offer.does_not if one != offer.state_dict_only]
        lines += map(_note, kept)
        self._notes = self._replace_list(self._notes, self.tr("Notes"), lines)
        loaders = [_note(loader_text(loader)) for loader in offer.loaded_by]
        self._loaders = self._replace_list(self._loaders, self.tr("Compatible with"), loaders)
        if self.fields is not None and CONTAINER.name in self.fields.editors:
            self.fields.set_fixed(CONTAINER.name, STATE_DICT, offer.state_dict_only)

    def _show_rounding(self) -> None:
        if self.rounding is not None and self._offer is not None:
            dtype = self.rounding_dtype()
            self.rounding.show_cost(self._offer, dtype, self.costs.get(dtype))

    def _on_rounding_accepted(self) -> None:
        if self._offer is None or self.fields is None:
            return
        self.fields.set_value(self._offer.rounded_by, _SAFE_DTYPE)
        self.fields.editors[self._offer.rounded_by].setFocus()
        self._on_changed()

    def _replace_list(self, old: QWidget, title: str, lines: list[QLabel]) -> QWidget:
        """Replace a list by another one with a title; return it. It is empty without lines."""
        new = QWidget()
        layout = lay_in_column(new, spacing=4)
        if lines:
            layout.addWidget(heading(title))
            for line in lines:
                layout.addWidget(line)
            layout.addSpacing(8)
        parent = old.parentWidget()
        around = None if parent is None else parent.layout()
        assert isinstance(around, QVBoxLayout)
        put_in_place(around, old, new)
        new.show()
        old.setParent(None)
        return new

    def _on_changed(self) -> None:
        if self._offer is not None and self.fields is not None:
            self._values[self._offer.name] = dict(self.fields.values)
            self._show_rounding()
        self.changed.emit()


# Pause after the last change before the destination is checked on disk.
_PAUSE_MS = 150


@dataclass(frozen=True)
class ExportChoices:
    """What was chosen for an export, as the default of the next one."""

    purpose: Purpose | None = None  # None if no purpose was chosen
    format: str = ""  # name of the format; empty if no format was possible
    # Parameter values by format, for formats where the user changed some.
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    path: str = ""  # empty if the proposed path was not changed
    script: bool = False
    report: str = ""  # suffix of the report; empty for none
    report_kind: str = ".html"  # suffix that is selected for a report, also if there is none
    shrunk: bool = False  # whether the page of cuts was selected
    cut: CutRequest = field(default_factory=CutRequest)
    check: str = "shapes"  # how the shrunk folder is checked
    folder: str = ""  # path of the shrunk folder; empty if the proposed one was not changed


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
        tip = self.tr("Steps, sparsity and L2 norm² retained per tensor, sizes, checksums.")
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

    def set_checked(self, choices: ExportChoices) -> None:
        """Show the chosen accompanying files without emitting signals."""
        self.script.setChecked(choices.script)
        self.account.setChecked(bool(choices.report))
        self.kind.setCurrentIndex(self.kind.findData(choices.report_kind))

    def report(self) -> str:
        """Return the suffix of the report, such as ``.html``; empty for no report."""
        return str(self.kind.currentData()) if self.account.isChecked() else ""


class ExportDialog(Dialog):
    """Asks for the purpose, format and destination of an export."""

    # (ExportRequest) The user confirmed the export; the dialog closes.
    exportRequested = Signal(object)
    # (format, values) A parameter of this format has changed, so its size may change. All formats
    # share one dtype.
    parametersChanged = Signal(str, object)
    roundingRequested = Signal(str)  # (dtype) the user chose a dtype whose cost is not known yet
    # (ExportRequest) The choices have changed, and the target of the request is not checked yet.
    checkRequested = Signal(object)
    shrinkRequested = Signal(object)  # (ShrinkOrder) the user confirmed the cut; the dialog closes

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Export"))
        self._checked: ExportRequest | None = None
        self._rounded_state = ""  # replaces the first of `_states` if the export only rounds
        self._states = "", ""  # texts about the state, for full size and for the page Shrunk
        self._initial_page = 0  # the page to select when the dialog is shown
        self._pause = single_shot(self, _PAUSE_MS, self._request_check)
        self.state = plain(wrap=True)
        # separates it from the choices, to all of which it refers
        self.state.setContentsMargins(0, 0, 0, 8)
        self.broken = plain(wrap=True, ink=DANGER)
        self.broken.setContentsMargins(0, 0, 0, 8)
        self.broken.hide()
        self._rounded = ""
        self._header = QWidget(self)
        self.tabs = QTabBar(self)
        self.tabs.setDrawBase(False)
        self.tabs.setAccessibleName(self.tr("What is written"))
        for words, tip in (
            (self.tr("Full size"), self.tr("Tensors keep shapes; pruned weights are 0.")),
            (
                self.tr("Shrunk"),
                self.tr("Dead units are removed: smaller tensors, and a matching config.json."),
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
        self.trouble = plain(wrap=True, ink=DANGER)  # why the last export failed
        self.trouble.hide()
        self._full = self.purposes, self.formats, self.details, self.target
        self._lay_out()
        self.tabs.currentChanged.connect(self._on_page_changed)
        self.page.changed.connect(self._arrange)
        self.purposes.chosen.connect(self._on_recommended)
        self.formats.picked.connect(self._on_picked)
        self.formats.picked.connect(self.trouble.hide)
        for target in (self.target, self.page.target):
            target.path.textChanged.connect(self.trouble.hide)
        self.details.changed.connect(self._on_changed)
        self.target.changed.connect(self._arrange)
        self.go.clicked.connect(self._finish)
        self.stop.clicked.connect(self.reject)
        self._arrange()

    def _lay_out(self) -> None:
        """Arrange the parts in a column; those of the page Shrunk are hidden."""
        content = QWidget()
        purpose, form = heading(self.tr("Purpose")), heading(self.tr("Format"))
        layout = lay_in_column(content, purpose, self.purposes, 4, form)
        add_row(layout, self.formats, self.details, spacing=24, wide=self.details, stretch=1)
        # On a low screen the choices scroll, while the destination and the buttons stay visible.
        self.scrolled = Scrolled(content, self)
        self.scrolled.setMinimumHeight(self.fontMetrics().lineSpacing() * _MIN_LINES)
        layout = lay_in_column(self, spacing=12, margins=(16, 16, 16, 16))
        lay_in_column(self._header, self.state, self.broken, spacing=0)
        layout.addWidget(self._header)
        add_row(layout, self.tabs, None)
        layout.addWidget(self.scrolled, 1)
        layout.addWidget(self.page, 1)
        layout.addWidget(self.target)
        self.page.hide()
        layout.addWidget(self.trouble)
        add_button_row(layout, self.stop, self.go, beside=(self.beside,))

    def preferred_size(self) -> QSize:
        """Return a size that fits any format and the other page, so that the layout does not jump.

        Without it, Qt limits a dialog to two thirds of the screen.
        """
        metrics = self.fontMetrics()
        page = QSize(letter_width(self) * _PAGE_WIDTH, metrics.lineSpacing() * _PAGE_LINES)
        spare = QSize(0, self.details.spare_height(self.formats.offers()))
        return (self.sizeHint() + spare).expandedTo(page)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move the focus in reading order, however late the settings of a format are created."""
        shown = self.page.tab_parts if self.is_shrunk else self._full
        parts = (self.tabs, *shown, self.beside, self.stop, self.go)
        moved = move_focus(parts, self.focusWidget(), forward=forward)
        return moved or super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Prevent Return from starting an unintended export; scroll by Page Up and Page Down.

        Return in a setting does nothing. Elsewhere it presses the button, but if a file would be
        replaced, it only moves the focus to the button, so that the user reads its text first.
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
        elif (
            not inside and self.go.isEnabled() and not self.is_shrunk and self.target.path_exists()
        ):
            self.go.setFocus(Qt.FocusReason.TabFocusReason)
        elif not inside:
            super().keyPressEvent(event)

    @property
    def is_shrunk(self) -> bool:
        """Whether the page of cuts is selected."""
        return self.tabs.currentIndex() == 1

    def set_offers(self, offers: Sequence[FormatOffer], *, usual: str = "") -> None:
        """Set the formats, and select `usual`; if that is "", keep the selection if possible."""
        offers = tuple(map(translate_offer, offers))
        self.target.set_suffixes(suffix for offer in offers for suffix in offer.suffixes)
        self.formats.set_offers(offers)
        if usual:
            self.formats.choose(usual)
        self.purposes.set_offers(offers)
        self._show_chosen()

    def set_state(self, title: str, share: str, *, pruned: bool, asked: str = "") -> None:
        """Show the title of the state that is exported, and the pruned share as text.

        If nothing is `pruned`, a warning says that the export is a copy. `asked` is the text of the
        button that applies the previewed step, which the warning names; "" if there is none.
        """
        numbered, label = title[:1].isdigit(), within_reason(title)
        # Another state may become current while the dialog is open.
        self.setWindowTitle(with_label(self.tr("Export"), label))
        same = self.tr("state {title}") if numbered else self.tr("the opened file")
        self.page.set_state(same.format(title=label))
        if pruned:
            text = self.tr("State {title}").format(title=label) if numbered else label
            text += self.tr("  ·  {share} pruned").format(share=share) if share else ""
            if asked:
                unapplied = self.tr(
                    "The step in the preview is not applied yet: press “{button}” first."
                )
                text += f"\n△ {unapplied.format(button=asked)}"
            self._states, self._rounded_state = (text, text), text
        else:
            full = self.tr("△ Nothing is pruned yet: the export is a copy.")
            rounded = self.tr("△ Nothing is pruned yet: only the dtype changes.")
            # The page Shrunk also removes zeros of the file: the result need not be a copy.
            shrunk = self.tr("Nothing is pruned yet.")
            if asked:  # also right after opening, when the user has not asked for the preview
                hint = self.tr("To prune weights, press “{button}” first.").format(button=asked)
                full, shrunk, rounded = (join_sentences(t, hint) for t in (full, shrunk, rounded))
            self._states, self._rounded_state = (full, shrunk), rounded
        self._show_state()

    def _show_state(self) -> None:
        """Show the texts about the state; an export that rounds is no copy."""
        rounds = not self.is_shrunk and self.details.rounding_dtype()
        self.state.setText(self._rounded_state if rounds else self._states[self.is_shrunk])

    def set_broken(
        self, broken: Sequence[BrokenPattern], shown: Mapping[str, str] | None = None
    ) -> None:
        """Warn of broken N:M patterns, whatever the format; the tooltip lists the tensors."""
        reports.show_broken(self.broken, broken, shown or {})

    def set_written(self, paths: Collection[Path]) -> None:
        """Set the targets of exports in progress; no other export may write there."""
        self._checked = None  # the result of the check is out of date
        self.target.set_written(paths)
        self.page.target.set_written(paths)

    def set_trouble(self, sentence: str) -> None:
        """Show why the last export failed, until another format or target is chosen."""
        self.trouble.setText(f"✕ {abridge_text(sentence)}")
        self.trouble.show()

    def select_page(self, *, shrunk: bool) -> None:
        """Select a page for when the dialog is shown."""
        self._initial_page = int(shrunk)

    def set_check(self, request: ExportRequest, check: TargetCheck) -> None:
        """Show the result of checking the target, unless the request has changed since."""
        if request.writes_as(self._checked):
            self.target.set_check(check)
            self._arrange()

    def set_choices(self, choices: ExportChoices) -> None:
        """Restore earlier choices where they are still possible.

        Emits `parametersChanged` for each format with values. The page is not selected, see
        `select_page`.
        """
        self.details.set_all_values(choices.values)
        self.beside.set_checked(choices)
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

    def set_rounding(self, name: str, cost: RoundingCost | str) -> None:
        """Show the cost of rounding to dtype `name`, or a sentence that says why it is unknown."""
        self.details.set_cost(name, cost)

    def chosen_format(self) -> FormatOffer | None:
        """Return the selected format; None if no format is possible."""
        return self.formats.chosen_format()

    def choices(self) -> ExportChoices:
        """Return all choices of both pages, also if they are not valid, for `set_choices`."""
        offer = self.chosen_format()
        return ExportChoices(
            self.purposes.purpose(),
            offer.name if offer is not None else "",
            self.details.all_values(),
            self.target.typed_path(),
            self.beside.script.isChecked(),
            self.beside.report(),
            str(self.beside.kind.currentData()),
            self.is_shrunk,
            self.page.request,
            self.page.check_mode(),
            self.page.target.typed_path(),
        )

    def request(self) -> ExportRequest | None:
        """Return the request; None while the choices are invalid."""
        offer = self.chosen_format()
        if offer is None or offer.wrong or self.target.problem():
            return None
        try:
            values = self.details.values()
        except ParameterError:
            return None  # the error is shown next to the field
        return ExportRequest(
            offer.name,
            self.target.place(),
            replace_original=self.target.replace.isChecked() and self.target.replaces_source(),
            params=values,
            script=self.beside.script.isChecked(),
            report=self.beside.report(),
        )

    def _on_page_changed(self, _page: int) -> None:
        """Show the parts of the selected page.

        When the page Shrunk is shown for the first time, it requests its survey.
        """
        shrunk = self.is_shrunk
        full = self.scrolled, self.target
        # Hidden first: with the parts of both pages, the dialog would become higher.
        for part in full if shrunk else (self.page,):
            part.hide()
        for part in (self.page,) if shrunk else full:
            part.show()
        self.beside.show()
        self._show_state()
        if shrunk and self.isVisible():
            self.page.survey()
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        """Select the page of the last time, which must not determine the size of the dialog."""
        super().showEvent(event)
        first, self._initial_page = self._initial_page, 0
        if first:
            self.tabs.setCurrentIndex(first)

    def _on_recommended(self, name: str) -> None:
        self.formats.choose(name)
        self._show_chosen()

    def _on_picked(self) -> None:
        offer = self.chosen_format()
        if offer is not None and self.purposes.purpose() not in offer.recommended:
            self.purposes.clear_choice()
        self._show_chosen()

    def _on_changed(self) -> None:
        """Handle a change of a parameter: size, rounding, and the path of the target.

        The dtype is set for all formats, which emits `parametersChanged` for each. Nothing is
        emitted while a value is invalid.
        """
        offer = self.chosen_format()
        if offer is not None and not self.details.errors():
            self.target.set_format(offer, self.details.values())
            self.parametersChanged.emit(offer.name, self.details.values())
            for name, values in self.details.share_type(self.formats.offers()).items():
                self.parametersChanged.emit(name, values)
        self._request_rounding()
        self._arrange()

    def _show_chosen(self) -> None:
        offer = self.chosen_format()
        self.details.show_offer(offer)
        if not self.details.errors():  # an invalid value leaves the destination unchanged
            self.target.set_format(offer, self.details.values())
        self._request_rounding()
        self._arrange()

    def _request_rounding(self) -> None:
        """Show the dtypes of the formats, and request the cost of the chosen one if it is unknown.

        The same dtype is not requested twice in a row.
        """
        self.formats.set_types(self.details.types(self.formats.offers()))
        before, self._rounded = self._rounded, self.details.rounding_dtype()
        self._show_state()
        known = isinstance(self.details.costs.get(self._rounded), RoundingCost)
        if self._rounded and not known and self._rounded != before:
            self.roundingRequested.emit(self._rounded)

    def _arrange(self) -> None:
        """Update the button Export, and request a check of a changed target after `_PAUSE_MS`.

        A URL is not checked. The button is disabled while something is invalid.
        """
        if self.is_shrunk:
            self._arrange_shrunk()
            return
        offer, request = self.chosen_format(), self.request()
        if request is not None and not request.writes_as(self._checked):
            self._checked = request
            if self.target.is_url():
                self._pause.stop()
            else:
                self._pause.start()
            self.target.set_check(None)
        sized = offer is not None and offer.nbytes is not None
        replaced = 0 if request is None else self.target.count_replaced()
        words = self.tr("{action}, {size}")
        if request is not None and self.target.replaces_open():
            action = self.tr("Replace original")
        elif replaced:
            several = self.tr("Replace {n} files")
            action = number_format.plural(replaced, self.tr("Replace file"), several)
        else:
            action, words = self.tr("Export"), self.tr("{action} {size}")
        size = size_text(offer) if offer is not None else ""
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
        self.beside.setHidden(forecast is not None and bool(forecast.why_not))

    def _request_check(self) -> None:
        request = self.request()
        if request is not None and self.isVisible():
            self.checkRequested.emit(request)

    def _finish(self) -> None:
        """Accept the dialog and emit `exportRequested` or `shrinkRequested`.

        It does nothing while the choices are invalid.
        """
        if self.is_shrunk:
            if (order := self.page.order()) is not None:
                self.accept()
                script, report = self.beside.script.isChecked(), self.beside.report()
                self.shrinkRequested.emit(replace(order, script=script, report=report))
            return
        request = self.request()
        if request is not None:
            self.accept()
            self.exportRequested.emit(request)
