"""The figures of a step, the sizes of its files, and the Prune button."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

import numpy as np
from PySide6.QtCore import QEvent, QMargins, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from pruneapp.analysis.sparsity_report import Severity, SparsityReport
from pruneapp.export.size_bounds import CompactSize
from pruneapp.gui.preview.preview_state import NO_UNITS, StepUnits
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import follow_font, lay_in_column, lay_in_row
from pruneapp.gui.widgets.labels import (
    MUTED,
    as_plain,
    join_sentences,
    plain,
    translate,
    with_label,
)
from pruneapp.gui.widgets.reports import GLYPHS, several
from pruneapp.preview.estimate import Estimate

_BILLION = 10**9
_SPACING = 4
_PADDING = 16  # horizontal padding of the button "Preview"
_WHOLE = "whole"
_SHRUNK = "shrunk"
ABOUT = "≈\u00a0"  # prefix of a number that is not exact


class Figures(QWidget):
    """Rows of a label and a number. Rows are created at the start, so that the layout is stable."""

    def __init__(self, rows: Sequence[tuple[str, str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.labels: dict[str, QLabel] = {}
        self.words: dict[str, QLabel] = {}
        # No grid: a long label and a long number in different rows need not fit next to each other.
        layout = lay_in_column(self, spacing=_SPACING)
        self._lines: dict[str, QWidget] = {}
        for key, text, tip in rows:
            word, label = plain(text, ink=MUTED), _number()
            for part in (word, label):
                part.setToolTip(tip)
            self.words[key] = word
            self.labels[key] = label
            self._lines[key] = line = QWidget(self)
            layout.addWidget(line)
            lay_in_row(line, word, label).setStretchFactor(label, 1)

    def set_numbers(self, texts: Mapping[str, str]) -> None:
        """Show a text in each row; a dash in rows that are missing in `texts`."""
        for key, label in self.labels.items():
            label.setText(texts.get(key, number_format.NO_NUMBER))

    def show_only(self, keys: Container[str]) -> None:
        """Show only the rows with these keys."""
        for key, line in self._lines.items():
            line.setVisible(key in keys)

    def hidden_height(self, *, whole: bool = False) -> int:
        """Return the height of the hidden rows in pixels; `whole` includes that of the model.

        Without the size of a shrunk file, which only few states have.
        """
        optional = {_SHRUNK} if whole else {_SHRUNK, _WHOLE}
        hidden = [
            line for key, line in self._lines.items() if line.isHidden() and key not in optional
        ]
        return sum(line.sizeHint().height() + _SPACING for line in hidden)


class StepFigures(Figures):
    """The figures of a planned step, of a step that was applied, or of the current state."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_rows(), parent)
        self._numel = self._pruned = 0
        self._explained: tuple[bool, bool] | None = None
        # The width of an estimate is reserved in the rows with long labels, so that the form keeps
        # its width.
        for key in ("norm", "l1"):
            follow_font(self.labels[key], _reserve_estimate)
        follow_font(self, lambda figures: figures.reserve_counts())
        self._explain(of_state=False)

    def set_model(self, numel: int, pruned: int) -> None:
        """Set the number of elements of the checkpoint, and how many of them are pruned."""
        self._numel, self._pruned = numel, pruned
        self.reserve_counts()

    def reserve_counts(self) -> None:
        """Reserve the width of the longest number of pruned weights in this file and font."""
        n = number_format.count(10 ** len(str(min(self._numel, _BILLION - 1))) - 1)
        widest = ABOUT + self.tr("{n} of {all}").format(n=n, all=n)
        label = self.labels["pruned"]
        label.setMinimumWidth(label.fontMetrics().horizontalAdvance(widest) + 2)

    def show_counts(self, estimate: Estimate) -> None:
        """Show the figures of a step that follow from its number of weights; dashes for others.

        If the estimate is not exact, they are shown as bounds ("up to", "at least"). The numbers of
        `set_model` are those before the step.
        """
        self._explain(of_state=False)
        exact, after = estimate.exact, self._pruned + estimate.to_prune
        upto = "" if exact else self.tr("up to ")
        atleast = "" if exact else self.tr("at least ")
        self.set_numbers(
            {
                "tensors": number_format.count(estimate.tensors),
                "pruned": upto + number_format.count(estimate.to_prune),
                "sparsity": self._change_text(self._pruned, after, self._numel, upto),
                "remaining": atleast + number_format.count(self._numel - after),
            }
        )

    def show_report(self, report: SparsityReport, *, exact: bool, sure: bool) -> None:
        """Show a planned step.

        `exact`: the numbers of weights are exact; otherwise they are rounded to two digits. `sure`:
        the retained norms are exact. Numbers that are not get the prefix `ABOUT`. Norms that the
        report lacks are shown as dashes, and the row of the whole model is hidden.
        """
        self._explain(of_state=False, goes_on=report.goes_on)
        upto, about = "" if exact else ABOUT, "" if sure else ABOUT
        texts = self._texts(report, upto, about)
        texts["sparsity"] = self._change_text(report.before, report.after, report.numel, upto)
        self.set_numbers(texts)

    def show_done(self, report: SparsityReport, whole: float | None = None) -> None:
        """Show an applied step, in all rows.

        `whole` is the fraction of norm² that the model retains since the file was opened; None
        shows a dash.
        """
        self._explain(of_state=False, goes_on=report.goes_on, repaired=bool(report.repaired))
        self.show_only(self.labels)
        texts = self._texts(report, "", "")
        if whole is not None:
            texts[_WHOLE] = number_format.percent(whole)
        texts["sparsity"] = number_format.part(report.after, report.numel)
        self.set_numbers(texts)

    def show_now(self, report: SparsityReport | None) -> None:
        """Show the current state, with the counts of `set_model` and the norms of `report`.

        The report is relative to the opened file; None while it is not computed, which shows
        dashes. The row of tensors is hidden if nothing is pruned.
        """
        self._explain(of_state=True, repaired=report is not None and bool(report.repaired))
        texts = {
            "pruned": number_format.count(self._pruned),
            "sparsity": number_format.part(self._pruned, self._numel),
            "remaining": number_format.count(self._numel - self._pruned),
        }
        if report is not None:
            if self._pruned:
                texts["tensors"] = number_format.count(int(np.count_nonzero(report.table.after)))
            for key, share in (("norm", report.norm_retained), ("l1", report.l1_retained)):
                if share is not None:
                    texts[key] = number_format.percent(share)
        self.set_numbers(texts)
        hidden = {_WHOLE} if self._pruned else {_WHOLE, "tensors"}
        self.show_only(self.labels.keys() - hidden)

    @property
    def unpruned(self) -> bool:
        return not self._pruned

    def _texts(self, report: SparsityReport, upto: str, about: str) -> dict[str, str]:
        # In the billions only one number fits.
        whole = report.unpruned < _BILLION
        newly, remaining = report.newly_pruned, report.numel - report.after
        if upto:
            newly, remaining = map(number_format.rough, (newly, remaining))
        pruned = (self.tr("{n} of {all}") if whole else "{n}").format(
            n=number_format.count(newly), all=number_format.count(report.unpruned)
        )
        texts = {
            "tensors": number_format.count(len(report.tensors)),
            "pruned": upto + pruned,
            "remaining": upto + number_format.count(remaining),
        }
        for key, share in (("norm", report.norm_retained), ("l1", report.l1_retained)):
            if share is not None:
                texts[key] = about + number_format.percent(share)
        return texts

    def _change_text(self, before: int, after: int, numel: int, about: str) -> str:
        if not numel:
            return number_format.NO_NUMBER
        return self.tr("{before} → {after}").format(
            before=number_format.part(before, numel), after=about + number_format.part(after, numel)
        )

    def _explain(self, *, of_state: bool, goes_on: bool = False, repaired: bool = False) -> None:
        """Set labels and tooltips, and show all rows except that of the whole model.

        `of_state`: the figures are those of the current state, not of a step. `goes_on`: tensors of
        the step had pruned weights already. `repaired`: the state contains repaired values.
        """
        self.show_only(self.labels.keys() - {_WHOLE})
        word = self.tr("Newly pruned") if goes_on else self.tr("Weights pruned")
        tip = self.tr("Pruned by this step, of the weights that remained in its tensors.")
        self._set_text("pruned", word, self.tr("Whole model") if of_state else tip)
        if (of_state, repaired) != self._explained:
            self._explained = of_state, repaired
            tensors = (
                self.tr("Tensors"),
                self.tr("Tensors that this step prunes, by rules or check marks"),
            )
            if of_state:
                tensors = self.tr("Tensors with pruned weights"), self.tr("Whole model")
            self._set_text("tensors", *tensors)
            of_model = self._norm_texts("repaired" if repaired else "model")
            self._set_text(_WHOLE, *of_model["norm"])
            for key, texts in (of_model if of_state else self._norm_texts("step")).items():
                self._set_text(key, *texts)

    def _norm_texts(self, kind: str) -> dict[str, tuple[str, str]]:
        """Return label and tooltip of the norms that a "step" or a "model" retains, by row.

        The values of a "repaired" model are different weights, whose norm says nothing about its
        outputs.
        """
        label, tip = {
            "step": (
                self.tr("{norm} retained (step's tensors)"),
                self.tr(
                    "{sum} of the remaining weights after this step, relative to the value "
                    "before it, over the tensors of this step."
                ),
            ),
            "model": (
                self.tr("{norm} retained (whole model)"),
                self.tr(
                    "{sum} of the remaining weights, relative to the opened file, over the "
                    "whole model."
                ),
            ),
            "repaired": (
                self.tr("{norm} retained (pruning only)"),
                self.tr(
                    "{sum} of the remaining weights with their original values, relative to the "
                    "opened file, over the whole model: the effect of pruning alone, without "
                    "repair or recovery."
                ),
            ),
        }[kind]
        rows = (
            ("norm", self.tr("L2 norm²"), self.tr("Sum of squares")),
            ("l1", self.tr("L1 norm"), self.tr("Sum of magnitudes")),
        )
        return {key: (label.format(norm=norm), tip.format(sum=text)) for key, norm, text in rows}

    def _set_text(self, key: str, word: str, tip: str) -> None:
        self.words[key].setText(word)
        for part in (self.words[key], self.labels[key]):
            part.setToolTip(tip)


class FileSizes(Figures):
    """The size of a dense file, the packed size, and for some states that of a shrunk file."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_sizes(), parent)
        self._formats: tuple[tuple[str, str], ...] = ()
        self._compact: CompactSize | None = None
        self._unpruned = False
        self._shrunk: tuple[str, str] | None = None
        self._zeros = self.labels["size"].toolTip()
        self._shrunk_help = self.labels[_SHRUNK].toolTip()
        self._show_compact()

    def set_formats(self, formats: Sequence[tuple[str, str]]) -> None:
        """Set the export formats as (name, label), the default format first."""
        self._formats = tuple(formats)
        self.set_sizes({})

    def set_sizes(self, sizes: Mapping[str, int | None], usual: str = "") -> None:
        """Show the size of the format `usual`, or of the first one that is possible; else a dash.

        `sizes` has the bytes by format name, None for impossible formats; missing formats count as
        such. Replaces the sizes of the last call. The tooltip lists all known sizes, the one that
        is shown first.
        """
        known = [
            (words, number_format.size(nbytes))
            for name, words in sorted(self._formats, key=lambda each: each[0] != usual)
            if (nbytes := sizes.get(name)) is not None
        ]
        self._show_number("size", known[0][1] if known else "")
        label = self.labels["size"]
        text = "\n".join([*map(": ".join, known), self._zeros])
        for part in (self.words["size"], label):
            part.setToolTip(as_plain(text))
            part.setAccessibleDescription(text)  # otherwise screen readers get the markup

    def set_compact(self, sizes: CompactSize | None) -> None:
        """Set the sizes of a compact file; None if they are unknown or it is not possible."""
        self._compact = sizes
        self._show_compact()

    def set_shrunk(self, shrunk: tuple[str, str] | None) -> None:
        """Set the size of a shrunk file, and why it is not known; None hides its row."""
        self._shrunk = shrunk
        text, why_not = shrunk or ("", "")
        self._show_number(_SHRUNK, text)
        tip = as_plain(join_sentences(*filter(None, (why_not, self._shrunk_help))))
        for part in (self.words[_SHRUNK], self.labels[_SHRUNK]):
            part.setToolTip(tip)
        self._show_compact()

    def set_unpruned(self, *, unpruned: bool) -> None:
        """Set whether nothing is pruned: then the packed size is not shown."""
        if unpruned != self._unpruned:
            self._unpruned = unpruned
            self._show_compact()

    def _show_compact(self) -> None:
        sizes = None if self._unpruned else self._compact
        shown = {"size"} if self._unpruned else {"size", "packed"}
        self.show_only(shown if self._shrunk is None else {*shown, _SHRUNK})
        self._show_number("packed", "" if sizes is None else number_format.size(sizes.packed))
        tip = number_format.packed_size_help()
        if sizes is not None:
            most = self.tr("A compact file has at most {size}, with metadata.")
            tip += " " + most.format(size=number_format.size(sizes.at_most))
        for part in (self.words["packed"], self.labels["packed"]):
            part.setToolTip(tip)

    def _show_number(self, key: str, text: str) -> None:
        self.labels[key].setText(text or number_format.NO_NUMBER)


def _rows() -> tuple[tuple[str, str, str], ...]:
    model = translate("Figures", "Whole model")
    return (
        ("tensors", translate("Figures", "Tensors"), ""),
        ("pruned", translate("Figures", "Weights pruned"), ""),
        ("sparsity", translate("Figures", "Sparsity (whole model)"), model),
        ("remaining", translate("Figures", "Parameters remaining"), model),
        ("norm", "", ""),  # set by `_explain`, as they depend on what is shown
        (_WHOLE, "", ""),  # only for results
        ("l1", "", ""),
    )


def _sizes() -> tuple[tuple[str, str, str], ...]:
    return (
        (
            "size",
            translate("Figures", "Dense file"),
            translate(
                "Figures",
                "The file that Export… proposes at full size. In the format of a training "
                "checkpoint it has the optimizer and other contents as well, which other formats "
                "leave out. Zeros take as much space as other values: a dense file gets smaller "
                "only if it is compressed or if whole channels are removed.",
            ),
        ),
        ("packed", translate("Figures", "Packed size"), ""),
        (
            _SHRUNK,
            translate("Figures", "Shrunk file"),
            translate(
                "Figures",
                "The file that the page Shrunk of Export… proposes: the pruned units are removed "
                "from all their tensors, and the file has no optimizer. The size depends on the "
                "multiple that was last chosen on that page.",
            ),
        ),
    )


def _reserve_estimate(label: QLabel) -> None:
    widest = f"{ABOUT}{number_format.percent(0.99999)}"  # "≈ > 99.9 %"
    label.setMinimumWidth(label.fontMetrics().horizontalAdvance(widest) + 2)


def _number() -> QLabel:
    label = plain(number_format.NO_NUMBER)
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    font = label.font()
    font.setFeature(font.Tag("tnum"), 1)
    label.setFont(font)
    return label


class _PruneButton(QPushButton):
    """A button that a double click presses only once, since the second click would prune again.

    It can have the color of a warning.
    """

    _palettes: tuple[QPalette, QPalette] | None = None  # of the usual color, and of a warning
    _warns = False

    def set_palettes(self, usual: QPalette, warning: QPalette) -> None:
        """Set the palettes of the theme."""
        self._palettes = usual, warning
        self.setPalette(self._palettes[self._warns])

    def set_warns(self, *, warns: bool) -> None:
        """Set whether the button has the color of a warning."""
        if warns != self._warns:
            self._warns = warns
            if self._palettes is not None:
                self.setPalette(self._palettes[warns])

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.accept()


class PruneAction(QWidget):
    """The Prune button, and "Preview" next to it. Without a preview Prune is not highlighted.

    Both keep their places, so that a click on "Preview" never prunes when a preview appears.
    """

    pruneRequested = Signal()
    previewRequested = Signal()  # preview the step with the present settings

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._main_button = self._button()
        self._main_button.setObjectName("mainAction")
        self._main_button.setAccessibleDescription(
            self.tr("Applies the step shown in the preview. You can undo it.")
        )
        self._plain_button = self._button()
        self._plain_button.setAccessibleDescription(
            self.tr("Prunes the remaining weights with these settings. You can undo it.")
        )
        self._plain_button.hide()
        self.button = self._main_button
        self.preview = QPushButton(self.tr("Preview"), self)
        self.preview.clicked.connect(self.previewRequested)
        self._previewable = False
        self._why = self._lock = self._keys = self._warning = ""
        self._possible = False  # whether the button is enabled while changes are not refused
        # No layout: a new number on the button would lay out the whole window again at each move of
        # a slider. The size hint only grows.
        self._room = QSize()
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.set_count(0)

    def set_count(
        self,
        weights: int,
        units: StepUnits = NO_UNITS,
        *,
        exact: bool = True,
        again: bool = False,
        repeats: bool = False,
        n_emptied: int = 0,
    ) -> None:
        """Show the number of channels or units to prune, or of weights if there are none.

        The button is disabled if there are neither. `exact`: whether `weights` is exact, not an
        upper bound. `again`: the current state is shown, not a preview, so the button is not
        highlighted; `repeats`: a step of the same methods led to that state. `n_emptied`: number of
        tensors that the step prunes completely, for which the text has a symbol, the tooltip the
        number, and the main button the color of a warning.
        """
        warning = several(Severity.ALL, n_emptied) if n_emptied else ""
        if weights or units.count:
            text = self.tr("Prune again: {what}") if repeats else self.tr("Prune {what}")
            text = text.format(what=self._words(weights, units, exact=exact))
            text = f"{GLYPHS[Severity.ALL]} {text}" if warning else text
        else:
            text = self.tr("Nothing more to prune") if again else self.tr("Nothing to prune")
        self._show(text, again=again, enabled=bool(weights or units.count), warning=warning)

    def set_masks(self, tensors: int) -> None:
        """Show the number of tensors that a step without pruning gives a mask of ones.

        0 disables the button, with the reason as tooltip.
        """
        if tensors:
            one, several = self.tr("Add a mask to 1 tensor"), self.tr("Add masks to {n} tensors")
            self._show(number_format.plural(tensors, one, several))
        else:
            self._show(self.tr("Nothing to prune"))
            self.set_disabled(
                self.tr("Identity prunes nothing, and its tensors have masks already.")
            )

    def set_previewable(self, *, previewable: bool) -> None:
        """Set whether there is a step whose preview is not shown."""
        self._previewable = previewable
        self._update_preview()

    def set_unknown(self, *, done: bool) -> None:
        """Show the button without a number, which is not known yet.

        `done`: a step of the form led to the current state.
        """
        self._show(self.tr("Prune again") if done else self.tr("Prune"), again=True)

    def set_refused(self, why: str) -> None:
        """Disable the button because of invalid settings; `why` is the tooltip."""
        self._show(self.tr("Prune"), again=self.button is self._plain_button)
        self.set_disabled(why)

    def set_disabled(self, why: str) -> None:
        """Disable the button; `why` is the tooltip."""
        self._possible = False
        self._why = why
        self._update_enabled()

    def set_lock(self, why: str) -> None:
        """Disable the button while changes are refused; `why` is the tooltip, "" if they are not.

        "Preview" remains enabled.
        """
        self._lock = why
        self._update_enabled()

    def _button(self) -> _PruneButton:
        button = _PruneButton(self)
        button.setMinimumHeight(36)
        button.setAutoDefault(True)  # Return presses it
        button.clicked.connect(self.pruneRequested)
        return button

    def _show(
        self, text: str, *, again: bool = False, enabled: bool = True, warning: str = ""
    ) -> None:
        """Show a text on the main button, or with `again` on the plain one, and hide the other.

        A `warning` is shown in the tooltip, and by the color of the main button.

        The shown button gets the focus of the hidden one, and a tooltip without the former reason
        for being disabled.
        """
        button, other = self._main_button, self._plain_button
        if again:
            button, other = other, button
        button.setText(text)
        if button is not self.button:
            button.setEnabled(True)
            button.show()
            if other.hasFocus():
                button.setFocus()
            other.hide()
            self.button = button
        self._possible = enabled
        self._why, self._warning = "", warning
        self._main_button.set_warns(warns=bool(warning))
        self._update_enabled()
        self._make_room()
        self._update_geometry()
        self._update_preview()

    def set_keys(self, keys: str) -> None:
        """Set the shortcut to show in the tooltip; empty for none."""
        self._keys = keys
        self._update_enabled()

    def _update_enabled(self) -> None:
        """Enable or disable the button; its tooltip is the reason or the shortcut."""
        self.button.setEnabled(self._possible and not self._lock)
        if why := self._lock or self._why:
            self.button.setToolTip(as_plain(why))
            return
        words = self.tr("Prune ({keys})").format(keys=self._keys)
        words = words if self._keys else self.tr("Prune")
        self.button.setToolTip(with_label(words, self._warning) if self._warning else words)

    def _update_preview(self) -> None:
        """Enable "Preview" if there is a step to preview, and state in its tooltip why not.

        If it is disabled while it has the focus, the other button gets the focus.
        """
        again = self.button is self._plain_button
        possible = again and self._previewable
        if not possible and self.preview.hasFocus():
            self.button.setFocus()
        self.preview.setEnabled(possible)
        words = self.tr("Preview the step with the current settings")
        if not again:
            words = self.tr("The preview is shown.")
        elif not possible:
            words = self.tr("There is no step to preview.")
        self.preview.setToolTip(words)
        self.preview.setAccessibleDescription(words)

    def _update_geometry(self) -> None:
        """Set the geometry of the buttons: Prune, and "Preview" to the right of it."""
        beside = self._preview_width()
        room = self.rect().adjusted(0, 0, -beside, 0)
        self.button.setGeometry(room)
        self.preview.setGeometry(room.width() + _SPACING, 0, beside - _SPACING, self.height())

    def _preview_width(self) -> int:
        words = self.preview.fontMetrics().horizontalAdvance(self.preview.text())
        return words + _PADDING + _SPACING

    def units_text(self, units: StepUnits) -> str:
        """Return the number of channels or units as text; "" if there are none."""
        one, several = {
            "ffn": (self.tr("1 neuron"), self.tr("{n} neurons")),
            "kv-groups": (self.tr("1 key/value head"), self.tr("{n} key/value heads")),
            "layers": (self.tr("1 layer"), self.tr("{n} layers")),
        }.get(units.axis, (self.tr("1 channel"), self.tr("{n} channels")))
        return number_format.plural(units.count, one, several) if units.count else ""

    def _words(self, weights: int, units: StepUnits, *, exact: bool) -> str:
        if text := self.units_text(units):
            return text
        several = self.tr("{n} weights") if exact else self.tr("up to {n} weights")
        text = number_format.plural(weights, self.tr("1 weight"), several)
        if not units.tensors:
            return text
        one, more = self.tr("{weights} in 1 tensor"), self.tr("{weights} in {n} tensors")
        return number_format.plural(units.tensors, one, more).format(weights=text)

    @property
    def why_not(self) -> str:
        """The reason why the button is disabled; empty while it is enabled."""
        return "" if self.button.isEnabled() else self._lock or self._why or self.button.text()

    def main_action_text(self) -> str:
        """Return the text of the button if it applies the preview; empty if it does not."""
        return (
            self.button.text()
            if self.button is self._main_button and self.button.isEnabled()
            else ""
        )

    def sizeHint(self) -> QSize:
        """Return the size of the longest text so far."""
        return self._room

    def minimumSizeHint(self) -> QSize:
        """Return the size of the longest text so far."""
        return self._room

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._update_geometry()

    def changeEvent(self, event: QEvent) -> None:
        """Reset the size hint to the present text for another font or style."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._room = QSize()
            self._make_room()

    def _make_room(self) -> None:
        room = self.button.sizeHint().expandedTo(self.button.minimumSize())
        room = self._room.expandedTo(room.grownBy(QMargins(0, 0, self._preview_width(), 0)))
        if room != self._room:
            self._room = room
            self.updateGeometry()
