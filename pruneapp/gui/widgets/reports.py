"""Parts of dialogs: a table of names and numbers, damage and metrics as text, decision buttons."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nlargest
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from pruneapp.analysis.patterns import BrokenPattern
from pruneapp.analysis.sparsity_report import Danger, MeasuredLoss, Severity
from pruneapp.errors import abridge_text, escape_text, first_names
from pruneapp.evaluation.metric import EvaluatedCut, MetricChange, StateQuality, noise_between
from pruneapp.evaluation.runner import Conditions, Samples
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.clipboard import copy_on_key
from pruneapp.gui.widgets.controls import add_row, lay_in_column
from pruneapp.gui.widgets.engine_text import translate_declared, translate_sentence
from pruneapp.gui.widgets.labels import (
    as_plain,
    as_sentence,
    join_facts,
    join_names,
    join_sentences,
    join_statements,
    translate,
    with_label,
    with_note,
    within_reason,
)
from pruneapp.gui.widgets.screen import Dialog
from pruneapp.gui.widgets.short_names import ShortNames

Index = QModelIndex | QPersistentModelIndex
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_DIGITS = 12
CALIBRATED_MARK = "†"  # of metrics that were measured on the data of a calibration
BESIDE_NAME = 8  # horizontal padding of a cell in pixels
_MEASURED = 32  # how many of the longest names are measured in pixels
# Time limit in seconds of a keyboard search in the rows.
_SEARCH_S = 0.1


class _Rows(QAbstractTableModel):
    """Table model whose rows are computed when they are shown: there may be 100,000."""

    def __init__(
        self,
        headers: Sequence[str],
        count: int,
        cells: Callable[[int], Sequence[str]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._headers = tuple(headers)
        self._count = count
        self._cells = cells

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else self._count

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._headers)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Return the text of a cell, for the first column also as tooltip.

        Numbers are right-aligned.
        """
        if not index.isValid():
            return None
        whole = role == Qt.ItemDataRole.ToolTipRole and not index.column()
        if role == Qt.ItemDataRole.DisplayRole or whole:
            return self._cells(index.row())[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column():
            return _RIGHT
        return None

    def match(
        self,
        start: Index,
        _role: int,
        value: Any,
        _hits: int = 1,
        _flags: Qt.MatchFlag = Qt.MatchFlag.MatchStartsWith,
    ) -> list[QModelIndex]:
        """Return the next row, from `start` on, whose cell starts with the typed text.

        At most one, without regard to case; after the last row comes the first. None if it is not
        found within `_SEARCH_S`. `QAbstractItemModel.match` gets the texts of all rows: 4 s for
        100,000.
        """
        text, ends = str(value).casefold(), time.perf_counter() + _SEARCH_S
        for step in range(self._count):
            row = (start.row() + step) % self._count
            if self._cells(row)[start.column()].casefold().startswith(text):
                return [self.index(row, start.column())]
            if not step % 64 and time.perf_counter() > ends:
                break
        return []

    def set_count(self, count: int) -> None:
        self.beginResetModel()
        self._count = count
        self.endResetModel()

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = int(Qt.ItemDataRole.DisplayRole),
    ) -> Any:
        """Return the header of a column; right-aligned except for the first. None for rows."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._headers[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section else _LEFT
        return None


class NameDelegate(QStyledItemDelegate):
    """Paints names of tensors in a short form that is unique in the file."""

    def __init__(self, short: ShortNames, parent: QObject) -> None:
        super().__init__(parent)
        self._short = short

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Shorten the name to the width of the cell."""
        super().initStyleOption(option, index)
        # A status sign may precede the name.
        sign, space, name = option.text.rpartition(" ")
        advance = option.fontMetrics.horizontalAdvance
        room = option.rect.width() - advance(sign + space) - BESIDE_NAME
        option.text = sign + space + self._short.fitting(name, room, advance)


def set_up_rows(table: QTableView, space: int = 6) -> None:
    """Set up a table with rows of one line; `space` is the vertical padding in pixels.

    Whole rows are selected, long texts are elided in the middle, and Tab leaves the table.
    """
    table.setTabKeyNavigation(False)  # Tab moves the focus out of the table, as in all other views
    table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    table.setShowGrid(False)
    table.setWordWrap(False)  # otherwise a sign before a long name is on a line alone
    table.horizontalHeader().setHighlightSections(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + space)


class CountsTable(QTableView):
    """A table of names and numbers. Tooltips and copied rows have the whole names.

    `headers` are the titles of the columns, names first; `count` is the number of rows. `cells`
    returns the texts of a row and may be called on a worker thread. `short` has the short forms of
    names of tensors.
    """

    def __init__(
        self,
        headers: Sequence[str],
        count: int,
        cells: Callable[[int], Sequence[str]],
        parent: QWidget | None = None,
        *,
        short: ShortNames | None = None,
    ) -> None:
        super().__init__(parent)
        self._headers, self._cells = headers, cells
        if short is not None:
            self.set_short_names(short)
        self._rows = _Rows(headers, count, cells, self)
        self.setModel(self._rows)
        set_up_rows(self)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        widest = max(self.fontMetrics().horizontalAdvance(text) for text in headers[1:])
        digits = self.fontMetrics().horizontalAdvance("0") * _DIGITS
        header.setDefaultSectionSize(max(widest + 16, digits))

    def set_short_names(self, short: ShortNames) -> None:
        """Set the short forms of names, which must be names of tensors."""
        self.setItemDelegateForColumn(0, NameDelegate(short, self))

    def set_count(self, count: int) -> None:
        """Set the number of rows and read their cells again."""
        self._rows.set_count(count)

    def fit_columns(self, rows: Iterable[int]) -> None:
        """Fit the numeric columns to their headers and some rows; names get the remaining width."""
        texts = [self._headers, *map(self._cells, rows)]
        for column in range(1, len(self._headers)):
            widest = max(self.fontMetrics().horizontalAdvance(each[column]) for each in texts)
            self.horizontalHeader().resizeSection(column, widest + 12)

    def width_for_names(self, names: Iterable[str]) -> int:
        """Return the table width in pixels at which the widest of some names is not elided.

        Only the `_MEASURED` longest names are measured. The other columns keep their widths.
        """
        advance = self.fontMetrics().horizontalAdvance
        widest = max(
            (advance(within_reason(n)) for n in nlargest(_MEASURED, names, len)), default=0
        )
        sections = map(self.horizontalHeader().sectionSize, range(1, len(self._headers)))
        bar = self.verticalScrollBar().sizeHint().width()
        return widest + BESIDE_NAME + sum(sections) + bar + 2 * self.frameWidth()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy rows on Ctrl+C."""
        if not copy_on_key(self, event, self._cells):
            super().keyPressEvent(event)

    def fit(self, most: int) -> None:
        """Set the height to that of all rows, at most `most`."""
        rows = min(self._rows.rowCount(), most) * self.verticalHeader().defaultSectionSize()
        header = self.horizontalHeader().sizeHint().height()
        self.setFixedHeight(rows + header + 2 * self.frameWidth())


GLYPHS: Mapping[Severity, str] = {
    Severity.NONE: "",
    Severity.MUCH: "▲",
    Severity.LOSS: "▲",
    Severity.ALL: "■",
}


def word(severity: Severity) -> str:
    """Return a severity in one or two words; "" for none."""
    return {
        Severity.NONE: "",
        Severity.MUCH: translate("Danger", "few weights or little L2 norm² left"),
        Severity.LOSS: translate("Danger", "large quality loss measured"),
        Severity.ALL: translate("Danger", "all pruned"),
    }[severity]


def reason(danger: Danger) -> str:
    """Return sentences on the damage of a tensor, and whether it was measured or is estimated."""
    if danger.severity is Severity.ALL:
        return translate("Danger", "All of its weights are pruned.")
    share = number_format.percent(danger.kept)
    if danger.measured is not None and danger.loss is not None:
        left = translate("Danger", "{share} of its weights are left.").format(share=share)
        return join_sentences(left, _measured_sentence(danger.measured, danger.loss))
    estimated = translate("Danger", "The quality loss is estimated, not measured.")
    if danger.retained is None:
        left = translate("Danger", "Only {share} of its weights are left.").format(share=share)
        return join_sentences(left, estimated)
    text = translate("Danger", "{share} of its weights are left, with {norm} of its L2 norm².")
    if danger.repaired:
        text = translate(
            "Danger",
            "{share} of its weights are left, with {norm} of its L2 norm² after repair or "
            "recovery.",
        )
    norm = number_format.percent(danger.retained)
    return join_sentences(text.format(share=share, norm=norm), estimated)


def _measured_sentence(measured: MeasuredLoss, loss: float) -> str:
    name = abridge_text(escape_text(number_format.metric_title(measured.metric)))
    if math.isinf(loss):
        text = translate(
            "Danger", "In the sensitivity scan, pruning only this tensor gave no finite {metric}."
        )
        return text.format(metric=name)
    text = translate(
        "Danger",
        "In the sensitivity scan, pruning only this tensor made {metric} worse by {amount}.",
    )
    if measured.share:
        text = translate(
            "Danger",
            "In the sensitivity scan, pruning only this tensor made {metric} {amount} points "
            "worse.",
        )
    amount = number_format.metric_amount(loss, share=measured.share)
    sentence = text.format(metric=name, amount=amount)
    if loss in measured.losses:
        return sentence
    interpolated = translate("Danger", "This value is interpolated between two measured amounts.")
    return join_sentences(sentence, interpolated)


def several(severity: Severity, count: int) -> str:
    """Return a phrase for a number of tensors, "little is left of 2 tensors".

    Any other severity counts as little.
    """
    if severity is Severity.LOSS:
        one = translate("Danger", "a large quality loss was measured for 1 tensor")
        return number_format.plural(
            count, one, translate("Danger", "a large quality loss was measured for {n} tensors")
        )
    if severity is Severity.ALL:
        one = translate("Danger", "1 tensor is pruned completely")
        return number_format.plural(
            count, one, translate("Danger", "{n} tensors are pruned completely")
        )
    one = translate("Danger", "few weights or little L2 norm² left in 1 tensor")
    return number_format.plural(
        count, one, translate("Danger", "few weights or little L2 norm² left in {n} tensors")
    )


def conditions_in_words(conditions: Conditions) -> str:
    """Return the conditions of a metric: ``evaluate.py, pages.txt, at most 100 samples, seed 0``.

    Data and limit are left out if there are none; long names are shortened. If the samples are
    known, they replace the limit: ``100 of 504 windows, 12,800 tokens``.
    """
    parts = [_name_in_words(conditions)]
    if conditions.data:
        parts.append(abridge_text(escape_text(conditions.data)))
    parts.extend(samples_in_words(conditions.samples, conditions.limit))
    parts.append(translate("Quality", "seed {n}").format(n=conditions.seed))
    return join_names(*parts)


def data_in_words(conditions: Conditions) -> str:
    """Return the data of a metric and their number: ``pages.txt, 100 of 504 sentences``.

    The data of the user's script or command are unknown, so its name is returned.
    """
    name = abridge_text(escape_text(conditions.data)) or _name_in_words(conditions)
    if conditions.kind == "inputs":
        name = translate("Quality", "random inputs")
    return join_names(name, *samples_in_words(conditions.samples, conditions.limit))


def _name_in_words(conditions: Conditions) -> str:
    """Return the name of the script or command, or the translated one of a built-in evaluation."""
    if conditions.kind in {"script", "command"}:
        return abridge_text(escape_text(conditions.name))
    return translate_declared(conditions.name)


def samples_in_words(samples: Samples | None, limit: int | None = None) -> list[str]:
    """Return phrases on the samples that were used; if they are unknown, on the limit, if any."""
    if samples is None:
        at_most = translate("Quality", "at most {n} samples")
        return [] if limit is None else [at_most.format(n=number_format.count(limit))]
    text = {
        "windows": translate("Quality", "{used} of {n} windows"),
        "lines": translate("Quality", "{used} of {n} sentences"),
        "images": translate("Quality", "{used} of {n} images"),
    }[samples.unit]
    words = [
        text.format(used=number_format.count(samples.used), n=number_format.count(samples.total))
    ]
    if samples.tokens:
        tokens = number_format.count(samples.tokens)
        words.append(translate("Quality", "{n} tokens").format(n=tokens))
    return words


def value_in_words(quality: StateQuality) -> str:
    """Return the first metric of a state that measures quality, without its difference.

    For example ``accuracy 74.2 %``; "" if there is none.
    """
    metric = quality.metric("")
    return "" if metric is None else _named_value(metric)


def _named_value(metric: MetricChange) -> str:
    return translate("Quality", "{metric} {value}").format(
        metric=abridge_text(escape_text(number_format.metric_title(metric.name))),
        value=number_format.metric(metric.value, share=metric.share),
    )


def mark_calibrated(text: str, metric: MetricChange) -> str:
    """Return the text of a metric, with a mark if the state was calibrated with the same data."""
    return f"{text}\u00a0{CALIBRATED_MARK}" if metric.calibrated else text


def explain_calibrated(text: str, metric: MetricChange) -> str:
    """Return the text of a metric, with the meaning of its mark if it has one."""
    words = translate(
        "Quality", "† measured on data that were also used to calibrate or to choose the amounts"
    )
    return join_names(text, words.replace("† ", "†\u00a0")) if metric.calibrated else text


def calibration_note(*, mark: bool = False) -> str:
    """Return a sentence for metrics that were measured on the data of a calibration.

    `mark` adds the mark of the values, for a table in which not all values have it.
    """
    note = translate(
        "Quality",
        "The metric was measured on data that were also used to calibrate or to choose the "
        "amounts.",
    )
    return f"{CALIBRATED_MARK}\u00a0{note}" if mark else note


def flat_scan_note() -> str:
    """Return sentences for a scan in which no change of the metric exceeds the noise."""
    return translate(
        "Quality",
        "No change of the metric at the scanned amounts exceeds the noise, so it is unknown which "
        "tensors are sensitive. Scan larger amounts, or use a loss instead of an accuracy.",
    )


def quality_in_words(quality: StateQuality, name: str = "") -> str:
    """Return sparsity, metric and difference of a state as a phrase that includes the noise.

    The metric is `name`, "" for the first that measures quality; "not measured" if there is none.
    """
    words, metric = metric_in_words(quality, name), quality.metric(name)
    if metric is None or (not quality.sparsity and not metric.difference):
        return words
    share = number_format.percent(quality.sparsity)
    return translate("Quality", "{share} pruned: {words}").format(share=share, words=words)


def cut_in_words(cut: EvaluatedCut) -> str:
    """Return the name of a cut: ``Shrunk: FFN neurons 1,536 → 768, 62.6 MB``."""
    changes = map(translate_sentence, cut.changes)
    return with_label(
        translate("Quality", "Shrunk"), join_names(*changes, number_format.size(cut.nbytes))
    )


def cuts_in_words(cuts: Iterable[StateQuality], metric: str) -> str:
    """Return a line with the metric of each measured cut; "" if there is none."""
    words = translate("Quality", "{cut}; {metric}")
    return "\n".join(
        words.format(cut=cut_in_words(each.cut), metric=metric_in_words(each, metric))
        for each in cuts
        if each.cut is not None
    )


def metric_in_words(quality: StateQuality, name: str = "") -> str:
    """Return metric and difference of a state as a phrase, like `quality_in_words`."""
    metric = quality.metric(name)
    if metric is None:
        return translate("Quality", "not measured")
    value = _named_value(metric)
    if quality.unpruned and not (quality.sparsity or metric.difference):
        return translate("Quality", "{value}, unpruned model").format(value=value)
    if not metric.difference:
        words = translate("Quality", "{value}, no difference from the unpruned model")
        return explain_calibrated(words.format(value=value), metric)
    amount = number_format.metric_points(metric.difference, share=metric.share)
    half = number_format.metric_points(metric.half, share=metric.share, noise=True)
    noise = translate_sentence(metric.noise)
    if not metric.half:
        noise = translate("Quality", "the noise is unknown")
    elif not metric.is_none:
        noise = f"±{half}, {noise}"
    if metric.is_none:
        words = translate(
            "Quality", "difference from the unpruned model within noise ±{half} ({noise})"
        )
    elif metric.higher is None:
        amount = number_format.with_sign(amount, metric.difference)
        words = translate("Quality", "difference {amount} ({noise})")
    elif metric.worse > 0:
        words = translate("Quality", "{amount} worse than the unpruned model ({noise})")
    else:
        words = translate("Quality", "{amount} better than the unpruned model ({noise})")
    change = words.format(amount=amount, half=half, noise=noise)
    return explain_calibrated(join_names(value, change), metric)


def result_in_words(state: str, quality: StateQuality, name: str = "") -> tuple[str, str]:
    """Return the result of a state in brief, and with sparsity, noise and data.

    The brief text begins with the metric, as its end is elided where there is no room: ``loss 2.2,
    0.1 worse (3: L1 20 %)``. If its difference is within the noise, the first other metric that is
    worse by more than its noise follows, in both texts. `state` is the title of the state.
    """
    whole, metric = with_label(state, quality_in_words(quality, name)), quality.metric(name)
    if metric is None or not metric.difference:
        brief, is_unchanged = metric_in_words(quality, name), metric is not None
    else:
        brief, is_unchanged = _change_in_words(metric), metric.is_none
    worse = (
        m for m in quality.metrics if m.judged and m.higher is not None and m.worse > m.half > 0
    )
    if is_unchanged and (other := next(worse, None)) is not None:
        brief = join_statements(brief, _change_in_words(other))
        whole = join_statements(whole, metric_in_words(quality, other.name))
    return with_note(brief, state), whole


def _change_in_words(metric: MetricChange) -> str:
    """Return the value of a metric that is not that of the unpruned model, and its difference."""
    amount = number_format.metric_points(metric.difference, share=metric.share)
    if metric.is_none:
        words = translate("Quality", "difference within noise")
    elif metric.higher is None:
        words = number_format.with_sign(amount, metric.difference)
    elif metric.worse > 0:
        words = translate("Quality", "{amount} worse").format(amount=amount)
    else:
        words = translate("Quality", "{amount} better").format(amount=amount)
    return join_names(_named_value(metric), words)


def is_harmful(before: MetricChange, after: MetricChange) -> bool:
    """Return whether a metric of a pruned state became worse by more than its noise."""
    noise = noise_between(before, after).half
    return after.higher is not None and after.worse - before.worse > noise


def comparison_in_words(before: MetricChange, after: MetricChange) -> str:
    """Return a sentence with a metric of a pruned state before and after an edit, and its noise."""
    noise, at_most = noise_between(before, after)
    change = after.worse - before.worse
    name = abridge_text(escape_text(number_format.metric_title(after.name)))
    was, now = number_format.metrics((before.value, after.value), share=after.share)
    amount = number_format.metric_points(change, share=after.share)
    half = number_format.metric_points(noise, share=after.share, noise=True)
    if not change:
        words = translate("Quality", "{name} {was} → {now}: no difference.")
    elif not noise and after.higher is None:
        words = translate("Quality", "{name} {was} → {now}; the noise is unknown.")
    elif not noise and change > 0:
        words = translate("Quality", "{name} {was} → {now}: {amount} worse; the noise is unknown.")
    elif not noise:
        words = translate("Quality", "{name} {was} → {now}: {amount} better; the noise is unknown.")
    elif abs(change) <= noise and at_most:
        words = translate(
            "Quality", "{name} {was} → {now}: uncertain, the noise is at most ±{half}."
        )
    elif abs(change) <= noise:
        words = translate(
            "Quality", "{name} {was} → {now}: no difference beyond the noise (±{half})."
        )
    elif after.higher is None:
        words = translate("Quality", "{name} {was} → {now} (noise ±{half}).")
    elif change > 0:
        words = translate(
            "Quality", "{name} {was} → {now}: {amount} worse, more than the noise (±{half})."
        )
    else:
        words = translate(
            "Quality", "{name} {was} → {now}: {amount} better, more than the noise (±{half})."
        )
    return words.format(name=name, was=was, now=now, amount=amount, half=half)


def show_broken(
    label: QLabel,
    broken: Sequence[BrokenPattern],
    shown: Mapping[str, str],
    emptied: Sequence[str] = (),
    short: Callable[[str], str] = str,
) -> None:
    """Show warnings about broken patterns and emptied tensors; hide the label without any.

    Replaces the text, tooltip and accessible description of the label.

    Parameters
    ----------
    broken
        Patterns that masks no longer satisfy; the tooltip lists their tensors.
    shown
        Display names by tensor name, for the tooltip.
    emptied
        Tensors without any kept weight.
    short
        Returns the short form of a name of `emptied`.
    """
    texts = [f"▲ {as_sentence(translate_sentence(each.sentence))}" for each in broken]
    if emptied:
        what = several(Severity.ALL, len(emptied))
        text = translate("Danger", "{what}: {names}.")
        names = translate_sentence(first_names(emptied, show=short))
        texts.append(f"{GLYPHS[Severity.ALL]} {text.format(what=what, names=names)}")
    label.setText("\n".join(texts))
    lines = [line for each in broken for line in each.tensor_lines(shown)]
    label.setToolTip(as_plain("\n".join(lines)))
    label.setAccessibleDescription(join_facts(*lines))
    label.setHidden(not texts)


class DecisionDialog(Dialog):
    """A dialog that is accepted or cancelled.

    The text of the button `go` names the action with its number: "Prune channel 12 in 24 tensors".
    """

    def __init__(self, title: str, action: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        # The layout makes them children of the dialog after the others, so that Tab reaches them
        # last.
        self.go = QPushButton(action)
        self.go.setObjectName("mainAction")
        self.leave = QPushButton(self.tr("Cancel"))
        self.go.clicked.connect(self.accept)
        self.leave.clicked.connect(self.reject)

    def lay_out(
        self, parts: Sequence[QWidget], *, wide: QWidget, beside: Sequence[QWidget] = ()
    ) -> None:
        """Arrange parts in a column above the buttons; `wide` gets the remaining height.

        Call it once. `beside` are additional buttons at the left.
        """
        layout = lay_in_column(self, *parts, spacing=12, margins=(16, 16, 16, 16), wide=wide)
        add_button_row(layout, self.leave, self.go, beside=beside)
        self.go.setDefault(True)


def add_button_row(layout: QBoxLayout, *buttons: QWidget, beside: Sequence[QWidget] = ()) -> None:
    """Add the button row of a dialog: `buttons` at the right, `beside` at the left."""
    add_row(layout, *beside, None, *buttons)
