"""The choice of purpose and format, with sizes, and texts that describe a format."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QLabel, QRadioButton, QWidget

from pruneapp.export.format import Loader, Purpose, purpose_labels
from pruneapp.export.format_sizes import FormatOffer
from pruneapp.export.report import TargetCheck
from pruneapp.export.rounding import SMALLER, RoundingCost
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import add_row, clear, lay_in_column
from pruneapp.gui.widgets.engine_text import translate_declared, translate_sentence
from pruneapp.gui.widgets.labels import (
    MUTED,
    TEXT,
    as_plain,
    as_sentence,
    join_facts,
    join_names,
    join_sentences,
    on_one_line,
    plain,
    translate,
    with_note,
)
from pruneapp.params import ChoiceParam

_MAX_NAME_LENGTH = 48  # maximum number of characters of a name in a line
_MAX_NAMES = 4  # maximum number of file names in a list


def _calculating() -> str:
    return translate("ExportSizes", "calculating…")


def size_text(offer: FormatOffer) -> str:
    """Return the size of an export as text: 43 MB, ≈ 12 MB, or that it is being computed.

    If the format is not possible or its choices are invalid, the text is a dash.
    """
    if offer.why_not or offer.wrong:
        return number_format.NO_NUMBER
    if offer.nbytes is None:
        return _calculating()
    size = number_format.size(offer.nbytes)
    return size if offer.exact else f"≈\u00a0{size}"


def file_count_text(files: int | None, limit: int) -> str:
    """Return how many files of at most `limit` bytes are written.

    `files` is None while that is being computed.
    """
    size = number_format.short_size(limit)
    if files is None:
        text = translate("ExportSizes", "Max shard size {size}; calculating…")
    elif files == 1:
        text = translate("ExportSizes", "One file: everything fits into {size}.")
    else:
        text = translate("ExportSizes", "{n} files, up to {size} each.")
    return text.format(n=number_format.count(files or 0), size=size)


def rounding_text(cost: RoundingCost | str | None, dtype: str) -> str:
    """Return a text about the cost of rounding to `dtype`.

    `cost` is a sentence if the cost is unknown, and None while it is being computed. The text names
    values that become infinite, the largest error, and values that become 0, or says that all are
    exact.
    """
    if cost is None:
        return translate("ExportSizes", "Computing the rounding error of {type}…").format(
            type=dtype
        )
    if isinstance(cost, str):
        unknown = translate("ExportSizes", "✕ The rounding error of {type} is not known. {why}")
        return unknown.format(type=dtype, why=cost)
    notices = [_infinite_text(cost)] if cost.infinite else []
    if cost.worst:
        largest = translate("ExportSizes", "Largest absolute rounding error {error} ({name}).")
        if cost.relative:
            largest = translate(
                "ExportSizes",
                "Largest absolute rounding error {error} ({name}), at most {share} of the value.",
            )
        share = number_format.percent(cost.relative, 1 if cost.relative >= 0.001 else 2)
        error = number_format.number(cost.worst)
        notices.append(largest.format(error=error, name=short_name(cost.where), share=share))
    if cost.vanished:
        vanished = translate("ExportSizes", "Values rounded to 0: {n}.")
        notices.append(vanished.format(n=number_format.count(cost.vanished)))
    if not notices:
        notices.append(translate("ExportSizes", "All values are exact."))
    return join_sentences(*notices, "" if cost.infinite else slow_dtype_text(dtype))


def slow_dtype_text(dtype: str) -> str:
    """Return what a dtype costs at run time; "" for others than float16 and bfloat16."""
    if dtype == "float16":
        return translate(
            "ExportSizes",
            "Most CPUs compute float16 several times more slowly than float32: convert the loaded "
            "model to float32 there, or choose bfloat16.",
        )
    if dtype == SMALLER:
        return translate("ExportSizes", "Some CPUs compute bfloat16 more slowly than float32.")
    return ""


def _infinite_text(cost: RoundingCost) -> str:
    """Return a sentence about values that become infinite; there is at least one."""
    name, most = max(cost.infinite, key=itemgetter(1))
    if len(cost.infinite) > 1:
        text = translate(
            "ExportSizes",
            "▲ {n} values in {tensors} tensors, most of them in {name}, exceed the "
            "range of {type} and become infinite.",
        )
    elif most == 1:
        text = translate(
            "ExportSizes", "▲ 1 value in {name} exceeds the range of {type} and becomes infinite."
        )
    else:
        text = translate(
            "ExportSizes", "▲ {n} values in {name} exceed the range of {type} and become infinite."
        )
    return text.format(
        n=number_format.count(cost.lost),
        tensors=number_format.count(len(cost.infinite)),
        name=short_name(name),
        type=cost.dtype,
    )


def short_name(name: str) -> str:
    """Return a name on one line; above `_MAX_NAME_LENGTH` characters without its middle."""
    text = on_one_line(name)
    return (
        text
        if len(text) <= _MAX_NAME_LENGTH
        else f"{text[: _MAX_NAME_LENGTH // 2]}…{text[-_MAX_NAME_LENGTH // 2 :]}"
    )


def target_text(check: TargetCheck) -> str:
    """Return sentences about the target of an export: what is kept, replaced, or worth noting.

    "" if there is nothing to say.
    """
    notices = []
    if check.kept:
        words = translate("ExportPlace", "Replaces the open model; a backup is kept as {names}.")
        notices.append(words.format(names=_join_names(check.kept)))
    if len(check.replaced) == 1:
        words = translate("ExportPlace", "{name} already exists and will be replaced.")
        notices.append(words.format(name=short_name(check.replaced[0])))
    elif check.replaced:
        words = translate("ExportPlace", "{n} files already exist and will be replaced: {names}.")
        n = number_format.count(len(check.replaced))
        notices.append(words.format(n=n, names=_join_names(check.replaced)))
    return join_sentences(*notices, *map(translate_sentence, check.notices))


def _join_names(names: Sequence[str]) -> str:
    shown = join_names(*map(short_name, names[:_MAX_NAMES]))
    if len(names) <= _MAX_NAMES:
        return shown
    more = translate("ExportPlace", "{names} and {n} more")
    return more.format(names=shown, n=number_format.count(len(names) - _MAX_NAMES))


def rounding_dtype(offer: FormatOffer | None, values: Mapping[str, Any]) -> str:
    """Return the dtype that a format rounds to with these values; "" if it does not round.

    `values` are by parameter name; `offer` may be None.
    """
    if offer is None or offer.rounded_by not in values:
        return ""
    default = next(param.default for param in offer.params if param.name == offer.rounded_by)
    value = values[offer.rounded_by]
    return "" if value == default else str(value)


def _size_tip(offer: FormatOffer) -> str:
    if offer.nbytes is None:
        return ""
    exact = number_format.exact_size(offer.nbytes)
    if offer.exact:
        return exact
    return translate("ExportSizes", "About {size} (within 2 %)").format(size=exact)


def loader_text(loader: Loader) -> str:
    """Return the name of a program that loads a format, with its minimum version and a note."""
    more = [translate_declared(loader.note)]
    if loader.since:
        since = translate("ExportSizes", "since {version}")
        more.insert(0, since.format(version=loader.since))
    notes = join_facts(*more)
    return with_note(loader.name, notes) if notes else loader.name


# With more reasons than this, only the names of impossible formats are shown.
_MOST_REASONS = 2
_LONGEST_SIZE = "≈ 9,999 MB"


def _label(offer: FormatOffer, dtype: str) -> str:
    label = offer.label
    if dtype:
        label = translate("ExportSizes", "{format}, {type}").format(format=label, type=dtype)
    return label.replace("&", "&&")


class Formats(QWidget):
    """A radio button and a size for each possible format, and which others are not possible."""

    picked = Signal()  # the user chose a format

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.radios: dict[str, QRadioButton] = {}
        self.sizes: dict[str, QLabel] = {}
        self.refused = plain(wrap=True, ink=MUTED)
        self._offers: dict[str, FormatOffer] = {}
        self._group = QButtonGroup(self)
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setHorizontalSpacing(24)
        self._layout.setVerticalSpacing(8)
        self._group.buttonClicked.connect(self.picked)

    def set_offers(self, offers: Sequence[FormatOffer]) -> None:
        """Show formats with their sizes.

        The selection is kept if still possible, else the first possible is selected. Emits no
        signal.
        """
        before = self.chosen_format()
        if [o.name for o in offers] != list(self.radios):
            self._build(offers)
        self._offers = {offer.name: offer for offer in offers}
        for offer in offers:
            radio, size = self.radios[offer.name], self.sizes[offer.name]
            self._reserve_width(offer)
            radio.setEnabled(not offer.why_not)
            for part in (radio, size):
                part.setVisible(not offer.why_not)
            words = size_text(offer)
            radio.setAccessibleDescription(
                offer.why_not or join_sentences(as_sentence(words), offer.help)
            )
            size.setText(words)
            size.setToolTip(_size_tip(offer))
            size.setForegroundRole(MUTED if offer.nbytes is None else TEXT)
        lines = _refusals(offers)
        reasons = "\n".join(lines)
        if len(lines) > _MOST_REASONS:
            labels = "; ".join(offer.label for offer in offers if offer.why_not)
            self.refused.setText(self.tr("Not for this file: {formats}").format(formats=labels))
        else:
            self.refused.setText(reasons)
        self.refused.setToolTip(as_plain(reasons) if reasons != self.refused.text() else "")
        self.refused.setAccessibleDescription(reasons)
        able = [offer.name for offer in offers if not offer.why_not]
        if able and (before is None or before.name not in able):
            self.choose(able[0])

    def set_types(self, types: Mapping[str, str]) -> None:
        """Show the dtype of each format next to its name; empty if it is that of the weights."""
        for name, offer in self._offers.items():
            self.radios[name].setText(_label(offer, types.get(name, "")))

    def _reserve_width(self, offer: FormatOffer) -> None:
        """Reserve the width of the longest dtype name, so that the layout does not jump."""
        radio, shown = self.radios[offer.name], self.radios[offer.name].text()
        for param in offer.params:
            if param.name != offer.rounded_by or not isinstance(param, ChoiceParam):
                continue
            for choice in param.choices:
                radio.setText(_label(offer, choice.value))
                radio.setMinimumWidth(max(radio.minimumWidth(), radio.sizeHint().width()))
        radio.setText(shown)

    def choose(self, name: str) -> None:
        """Select a format without emitting `picked`."""
        self.radios[name].setChecked(True)

    def chosen_format(self) -> FormatOffer | None:
        """Return the selected format; None if no format is possible."""
        for name, radio in self.radios.items():
            if radio.isChecked() and radio.isEnabled():
                return self._offers[name]
        return None

    def offers(self) -> Collection[FormatOffer]:
        return self._offers.values()

    def _build(self, offers: Sequence[FormatOffer]) -> None:
        """Replace the rows by those of other formats; nothing is selected."""
        clear(self._layout)
        self.radios, self.sizes = {}, {}
        for row, offer in enumerate(offers):
            radio = QRadioButton(_label(offer, ""), self)
            size = plain()
            size.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            # As wide as its longest text, so that the layout does not jump when a size becomes
            # known.
            texts = _calculating(), _LONGEST_SIZE
            size.setMinimumWidth(max(map(self.fontMetrics().horizontalAdvance, texts)) + 1)
            self._layout.addWidget(radio, row, 0)
            self._layout.addWidget(size, row, 1)
            self._group.addButton(radio)
            self.radios[offer.name], self.sizes[offer.name] = radio, size
        self.refused = plain(wrap=True, ink=MUTED)
        self._layout.addWidget(self.refused, len(offers), 0, 1, 2)
        self._layout.setColumnStretch(0, 1)
        self._layout.setRowStretch(len(offers) + 1, 1)


def _refusals(offers: Sequence[FormatOffer]) -> list[str]:
    """Return a line for each reason why formats are not possible, with names if reasons differ."""
    named: dict[str, list[str]] = {}
    for offer in offers:
        if offer.why_not:
            named.setdefault(offer.why_not, []).append(offer.label)
    if len(named) == 1:  # it applies to every disabled format
        return [f"– {why}" for why in named]
    return [f"– {'; '.join(labels)}: {why}" for why, labels in named.items()]


class Purposes(QWidget):
    """A button for each purpose, and a sentence about the best format for the selected one."""

    # (format) The best format for the purpose; emitted again when another one becomes the best.
    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offers: tuple[FormatOffer, ...] = ()
        self.buttons: dict[Purpose, QRadioButton] = {}
        self._group = QButtonGroup(self)
        self.reason = plain(wrap=True, ink=MUTED)
        # Two lines, so that the layout does not jump.
        self.reason.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        layout = lay_in_column(self)
        row = add_row(layout, spacing=24)
        for purpose, label in purpose_labels().items():
            button = QRadioButton(translate_declared(label), self)
            button.setAccessibleDescription(self.tr("Select the best format for this purpose."))
            self._group.addButton(button)
            self.buttons[purpose] = button
            row.addWidget(button)
        row.addStretch(1)
        layout.addWidget(self.reason)
        self._group.buttonClicked.connect(self._on_clicked)
        self._show_reason()

    def set_sentence_encoder(self) -> None:
        """Name sentence-transformers as the library that loads the model."""
        for purpose, label in purpose_labels(sentence_encoder=True).items():
            self.buttons[purpose].setText(translate_declared(label))

    def set_offers(self, offers: Sequence[FormatOffer]) -> None:
        """Set the formats with their recommendations; emit `chosen` if the best one has changed.

        A purpose that no format serves for this checkpoint is hidden.
        """
        before = self._best()
        self._offers = tuple(offers)
        for purpose, button in self.buttons.items():
            button.setHidden(not any(purpose in offer.serves for offer in offers))
        self._show_reason()
        best = self._best()
        if best is not None and (before is None or before.name != best.name):
            self.chosen.emit(best.name)

    def choose(self, purpose: Purpose | None) -> None:
        """Select a purpose without emitting `chosen`; None for none."""
        if purpose is None:
            self.clear_choice()
        else:
            self.buttons[purpose].setChecked(True)
            self._show_reason()

    def clear_choice(self) -> None:
        """Select no purpose, after the user selected a format that is not recommended for it."""
        self._group.setExclusive(False)
        for button in self.buttons.values():
            button.setChecked(False)
        self._group.setExclusive(True)
        self._show_reason()

    def purpose(self) -> Purpose | None:
        """Return the selected purpose; None if none is selected."""
        return next((p for p, button in self.buttons.items() if button.isChecked()), None)

    def _best(self) -> FormatOffer | None:
        purpose = self.purpose()
        return next((o for o in self._offers if purpose in o.recommended), None)

    def _on_clicked(self) -> None:
        self._show_reason()
        best = self._best()
        if best is not None:
            self.chosen.emit(best.name)

    def _show_reason(self) -> None:
        """Show which format is the best for the selected purpose and why.

        Without one, the text says that there is none, or that sizes are not known yet.
        """
        purpose, best = self.purpose(), self._best()
        if purpose is None:
            text = self.tr("Choose a purpose, or select a format below.")
        elif best is not None:
            reason = best.recommended[purpose]
            if purpose is Purpose.TORCH:
                reason = join_sentences(best.outside, reason)
            text = self.tr("✓ {format}, {size}. {reason}").format(
                format=best.label, size=size_text(best), reason=reason
            )
        elif any(o.nbytes is None and not o.why_not for o in self._offers):
            text = self.tr("Estimating sizes…")
        else:
            text = self.tr("No suitable format can store this checkpoint.")
        self.reason.setText(text)
