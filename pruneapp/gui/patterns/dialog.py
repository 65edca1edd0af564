"""The dialog of the pattern checker; it stays open next to the main window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QCompleter, QPushButton, QWidget

from pruneapp.errors import ParameterError
from pruneapp.gui.method_form.editors import editor_for
from pruneapp.gui.patterns import answer as answer_table
from pruneapp.gui.patterns.answer import PatternAnswer, details, headline, usage_text
from pruneapp.gui.widgets.controls import (
    ComboBox,
    CopyButton,
    LineEdit,
    add_row,
    lay_in_column,
    single_shot,
)
from pruneapp.gui.widgets.engine_text import translate_error
from pruneapp.gui.widgets.labels import DANGER, MUTED, TEXT, ElidedLabel, heading, label_for, plain
from pruneapp.gui.widgets.number_format import count, plural
from pruneapp.gui.widgets.reports import CountsTable
from pruneapp.gui.widgets.screen import Dialog
from pruneapp.gui.widgets.status import BUSY_MS, JobStatus
from pruneapp.params import DimParam, Param

CHECKED, ALL = "checked", "all"


@dataclass(frozen=True)
class Question:
    """A request to check a pattern."""

    pattern: str  # valid, such as ``2:4``
    dim: int  # dimension along which groups are formed; negative: from the end
    everything: bool  # whether to check all prunable tensors, not only the checked ones


class QuestionRow(QWidget):
    """Fields for pattern, dimension and tensors, with a line for help or an error.

    `pattern` is the parameter that parses the text; the first of the `usual` patterns is selected.
    `changed` is emitted when the result of `question` changes.
    """

    changed = Signal()

    def __init__(
        self, pattern: Param, usual: Sequence[str], dim: DimParam, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._param = pattern
        self.pattern = ComboBox(self)
        self.pattern.setEditable(True)
        self.pattern.setLineEdit(LineEdit(self.pattern))
        self.pattern.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        # A completer without entries: the default one turns "2:" into "2:4".
        self.pattern.setCompleter(QCompleter(self.pattern))
        self.pattern.addItems(usual)
        self.pattern.setMinimumContentsLength(7)
        self.pattern.setAccessibleName(pattern.label)
        self.pattern.setAccessibleDescription(pattern.help)
        self.pattern.setToolTip(pattern.help)
        self.dim = editor_for(dim, self)
        self.tensors = ComboBox(self)
        self.tensors.setAccessibleName(self.tr("Tensors"))
        self.tensors.setAccessibleDescription(self.tr("The tensors to check."))
        for which in (CHECKED, ALL):
            self.tensors.addItem("", which)
        self.note = plain(wrap=True)
        layout = lay_in_column(self, spacing=4)
        row = add_row(layout)
        labels = (
            (self.tr("&Pattern"), self.pattern, 0),
            (self.tr("&Dimension"), self.dim, 2),
            (self.tr("&Tensors"), self.tensors, 3),
        )
        for place, (text, widget, stretch) in enumerate(labels):
            if place:
                row.addSpacing(8)
            row.addWidget(label_for(widget, text))
            row.addWidget(widget, stretch)
        layout.addWidget(self.note)
        self.setFocusProxy(self.pattern)
        self.pattern.editTextChanged.connect(self._on_changed)
        self.dim.changed.connect(self._on_changed)
        self.tensors.currentIndexChanged.connect(self._on_changed)
        self._show_help()

    def set_tensors(self, checked: int, every: int) -> None:
        """Set the number of checked tensors, and of all tensors that can be pruned.

        If none is checked, all of them are selected. Emits no signal.
        """
        texts = (
            plural(checked, self.tr("1 checked tensor"), self.tr("{n} checked tensors")),
            self.tr("all prunable tensors: {n}").format(n=count(every)),
        )
        blocker = QSignalBlocker(self.tensors)
        for place, text in enumerate(texts):
            self.tensors.setItemText(place, text)
        if not checked:
            self.tensors.setCurrentIndex(1)
        del blocker

    def question(self) -> Question | None:
        """Return the request; None while the pattern is invalid."""
        try:
            pattern = self._param.parse(self.pattern.currentText())
        except ParameterError:
            return None
        return Question(pattern, self.dim.value(), self.tensors.currentData() == ALL)

    def _on_changed(self) -> None:
        self._show_help()
        self.changed.emit()

    def _show_help(self) -> None:
        try:
            pattern = self._param.parse(self.pattern.currentText())
        except ParameterError as error:
            ink, text = DANGER, f"✕ {translate_error(error, (self._param,))}"
        else:
            n, m = pattern.split(":")
            words = self.tr(
                "{pattern} means that at most {n} of every {m} weights are nonzero. Zeros in the "
                "file count as pruned."
            )
            ink, text = MUTED, words.format(pattern=pattern, n=n, m=m)
        self.note.setForegroundRole(ink)
        self.note.setText(text)


# lines reserved for the sentences above the table
_RESERVED_LINES = 3
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class PatternDialog(Dialog):
    """Shows whether tensors have a pattern and which groups violate it; offers to prune them."""

    asked = Signal()  # check `row.question`; answer with `set_answer` or `set_trouble`
    stopRequested = Signal()
    pruneRequested = Signal()
    copyRequested = Signal()  # copy the table as text; answer with `copy.set_copied`
    tensorRequested = Signal(str)  # (tensor) the user selected this tensor

    def __init__(
        self, pattern: Param, usual: Sequence[str], dim: DimParam, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Check sparsity pattern"))
        self._answer: PatternAnswer | None = None
        self._current = self._is_outdated = self._can_ask = False
        self._outdated_timer = single_shot(self, BUSY_MS, self._on_late)
        self.row = QuestionRow(pattern, usual, dim, self)
        self.headline = heading("", wrap=True)
        font = QFont(self.headline.font())
        font.setPointSizeF(font.pointSizeF() * 1.35)
        self.headline.setFont(font)
        self.details = plain(wrap=True)
        self.details.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.details.setMinimumHeight(self.fontMetrics().lineSpacing() * _RESERVED_LINES)
        self.table = self._table()
        self.place = ElidedLabel("", self, ink=MUTED)
        self.place.setAccessibleName(self.tr("Violating groups"))
        self.note = plain(wrap=True, ink=MUTED)
        self.copy = CopyButton(self.tr("Copy the whole table as tab-separated text."), self)
        self.again = QPushButton(self.tr("Check again"), self)
        self.job = JobStatus(self)
        self.leave = QPushButton(self.tr("Close"), self)
        self.go = QPushButton(self)
        self.go.setObjectName("mainAction")
        self._lay_out()
        self.resize(900, 620)
        self.row.changed.connect(self._ask)
        self.again.clicked.connect(self._ask)
        self.job.cancelRequested.connect(self.stopRequested)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.copy.clicked.connect(self.copyRequested)
        self.leave.clicked.connect(self.reject)
        self.go.clicked.connect(self.pruneRequested)
        self._show()
        self.row.setFocus()

    # -- inputs

    def set_under_way(self, title: str) -> None:
        """Show that a job with this title is running, and disable pruning.

        The previous result stays visible; after `BUSY_MS` it is muted. An error is removed.
        """
        self._current = self._can_ask = False
        if self._answer is None:
            self.headline.setText("")  # remove an error
        self.job.set_job(title)
        self._outdated_timer.start()
        self._show_state()

    def set_idle(self) -> None:
        """Show that no job is running, and that the shown result is not up to date."""
        self._end_job()
        self._show_state()

    def set_answer(self, answer: PatternAnswer) -> None:
        """Show the result of a check."""
        self._answer, self._current, self._can_ask = answer, True, False
        self.table.set_short_names(answer.short)
        self._end_job()
        self._show()

    def set_trouble(self, text: str, *, can_ask: bool = False) -> None:
        """Show why there is no result, and remove the previous one.

        `can_ask`: whether to show a button to check again.
        """
        self._answer, self._current, self._can_ask = None, False, can_ask
        self._end_job()
        self._show()
        self.headline.setText(text)
        self.table.setAccessibleDescription(text)

    # -- implementation

    def _cells(self, row: int) -> tuple[str, ...]:
        assert self._answer is not None
        return answer_table.cells(self._answer, row)

    def _table(self) -> CountsTable:
        table = CountsTable(answer_table.headers(), 0, self._cells, self)
        table.setSelectionMode(CountsTable.SelectionMode.SingleSelection)
        table.fit_columns(())
        table.setAccessibleName(self.tr("Tensors, most violations first"))
        return table

    def _lay_out(self) -> None:
        for button in (self.again, self.copy, self.leave, self.go):
            # Enter in the field starts a check and must not prune
            button.setAutoDefault(False)
        parts = self.row, self.headline, self.details, self.table, self.place, self.note
        layout = lay_in_column(self, *parts, spacing=12, margins=(16, 16, 16, 16), wide=self.table)
        buttons = add_row(layout, self.copy, self.again, self.job)
        buttons.setStretchFactor(self.job, 1)
        buttons.addStretch(0)  # takes the free width while `job` is hidden
        buttons.addWidget(self.leave)
        buttons.addWidget(self.go)

    def _show(self) -> None:
        """Show texts and table of the present result; all are empty if there is none."""
        answer = self._answer
        self.headline.setText("" if answer is None else headline(answer))
        self.details.setText("" if answer is None else details(answer))
        self.note.setText("" if answer is None else usage_text(answer))
        self.table.setAccessibleDescription(self.headline.text())
        self.table.set_count(0 if answer is None else len(answer.report.tensors))
        self.table.fit_columns(() if answer is None else answer.widest)
        self.place.setText(
            "" if answer is None else self.tr("Select a tensor to show it in the main window.")
        )
        self._show_state()

    def _show_state(self) -> None:
        """Mute an outdated result, and enable the buttons that apply to the present one."""
        answer, asks = self._answer, self.row.question() is not None
        for label in (self.headline, self.details):  # an outdated result is muted
            old = answer is not None and (self._is_outdated or not asks)
            label.setForegroundRole(MUTED if old else TEXT)
        self.again.setVisible(self._can_ask)
        broken = 0 if answer is None else answer.totals.broken
        if answer is None:
            text = self.tr("Prune")
        elif not broken:
            text = self.tr("Nothing to prune")
        else:
            one, several = self.tr("Prune 1 tensor to {p}"), self.tr("Prune {n} tensors to {p}")
            text = plural(broken, one, several).format(p=answer.pattern)
        self.go.setText(text)
        takes = answer is not None and answer.totals.to_prune > 0
        self.go.setEnabled(takes and self._current and asks)
        self.copy.setEnabled(answer is not None)

    def _on_late(self) -> None:
        self._is_outdated = True
        self._show_state()

    def _end_job(self) -> None:
        self._outdated_timer.stop()
        self._is_outdated = False
        self.job.set_idle()

    def _ask(self) -> None:
        self._current = False
        self._show_state()
        self.asked.emit()

    def _on_row(self, current: QModelIndex) -> None:
        if self._answer is not None and current.isValid():
            self.place.setText(answer_table.violations_text(self._answer, current.row()))
            self.tensorRequested.emit(self._answer.report.tensors[current.row()].name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Make Enter press the focused button, or else start a check."""
        focus = self.focusWidget()
        if event.key() not in _ENTER:
            super().keyPressEvent(event)
        elif isinstance(focus, QPushButton):
            focus.click()
        else:
            self._ask()
