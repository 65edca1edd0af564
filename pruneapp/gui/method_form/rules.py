"""The editor of one rule, and the list of the rules of a step."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from pruneapp.gui.method_form.editors import TensorChoice
from pruneapp.gui.method_form.fields import Fields, add_line, fit_label
from pruneapp.gui.method_form.form_model import FormContext, FormRow, MethodForm
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import (
    ComboBox,
    ElidedBox,
    add_row,
    lay_in_column,
    lay_in_row,
    replace,
    scroll_to,
    single_shot,
    symbol_button,
)
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    ElidedLabel,
    ElidedLines,
    as_plain,
    join_facts,
    label_for,
    plain,
)
from pruneapp.params import STATISTICS, AmountParam, DimParam, Param, is_needed

# Lines for what an amount means in groups of units: the rounding, and tensors without a group.
_MEANING_LINES_OF_UNITS = 4


class RuleEditor(QWidget):
    """Edits one rule: its tensors, method and values."""

    changed = Signal(str)  # (name of the parameter; empty for the tensors or the method)
    released = Signal()  # the user released a slider
    fileRequested = Signal(str)  # the user asked to load "masks", "scores" or "statistics"
    collectRequested = Signal()  # the user asked to collect statistics

    def __init__(self, forms: Sequence[MethodForm], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._forms = {form.name: form for form in forms}
        self._context = FormContext()
        # of all methods; equal parameters share a value
        self._entered: list[tuple[Param, Any]] = []

        self.target = TensorChoice(self)
        self._target_label = label_for(self.target, self.tr("Tensors"))
        fit_label(self._target_label)
        # of constant height, so that the layout does not jump while typing
        self.matched = ElidedLines(2, self)
        # Scrolls to `matched` after the layout was updated.
        self._scroll_timer = single_shot(self, 0, self._scroll_to_matched)
        self.refused = ""  # why the rule matches nothing, if shown
        # The tensors and numbers shown last; see `set_matches`.
        self._matches: tuple[str | None, int | None, int, tuple[str, ...]] = None, None, 0, ()
        self._elsewhere: Mapping[int, int] = {}
        self.method = ElidedBox(self)
        self.method.setAccessibleName(self.tr("Method"))
        self.method.setMinimumContentsLength(8)
        self.method.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.explain = symbol_button("?", self.tr("Explain the method"), self)
        self.explain.setCheckable(True)
        self.help = plain(wrap=True, ink=MUTED)
        self.formula = plain(wrap=True, ink=MUTED)
        self.help.hide()
        self.formula.hide()

        self.load_mask = QPushButton(self.tr("Load mask…"), self)
        self.load_scores = QPushButton(self.tr("Load scores…"), self)
        self.load_scores.setToolTip(
            self.tr("Rank weights by importance scores from a file instead of by magnitude.")
        )
        self.load_statistics = QPushButton(self.tr("Load statistics…"), self)
        words = self.tr(
            "Rank weights by their inputs, from a file of statistics of activations that "
            "was collected before."
        )
        self.load_statistics.setToolTip(as_plain(words))
        self.load_statistics.setAccessibleDescription(words)
        self.collect_statistics = QPushButton(self.tr("Collect statistics…"), self)
        self.collect_statistics.setToolTip(
            self.tr("Run a text, images, a script or random inputs through the unpruned model.")
        )
        self.collect_statistics.clicked.connect(self.collectRequested)
        self.mask_name, self.scores_name, self.statistics_name = (
            ElidedLabel("", self, ink=MUTED) for _ in range(3)
        )
        self.fields = Fields((), self)

        self._column = lay_in_column(self, spacing=12)
        top = QVBoxLayout()
        self._column.addLayout(top)
        top.setSpacing(2)
        add_line(top, self._target_label, self.target)
        top.addWidget(self.matched)
        # Next to the label: the names of methods need the width of the column.
        named = QWidget(self)
        fit_label(named)
        method_label = label_for(self.method, self.tr("Method"))
        lay_in_row(named, method_label, self.explain, spacing=4, wide=method_label)
        add_line(self._column, named, self.method)
        self._column.addWidget(self.help)
        self._column.addWidget(self.formula)
        self._column.addWidget(self.fields)
        for button, label, kind in (
            (self.load_mask, self.mask_name, "masks"),
            (self.load_scores, self.scores_name, "scores"),
        ):
            add_row(self._column, button, label, wide=label)
            button.clicked.connect(partial(self.fileRequested.emit, kind))
        self.load_statistics.clicked.connect(partial(self.fileRequested.emit, "statistics"))
        self.statistics = QWidget(self)
        buttons = QWidget(self.statistics)
        lay_in_row(buttons, self.collect_statistics, self.load_statistics, None, spacing=4)
        lay_in_column(self.statistics, buttons, self.statistics_name, spacing=4)
        self._column.addWidget(self.statistics)
        self._column.addStretch(1)

        for before, form in zip((None, *forms), forms, strict=False):
            if before is not None and before.granularity != form.granularity:
                self.method.insertSeparator(self.method.count())
            self.method.addItem(form.label, form.name)
            tip = as_plain(form.help)
            self.method.setItemData(self.method.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.set_rules_shown(shown=False)
        self.method.currentIndexChanged.connect(self._choose)
        self.explain.toggled.connect(self.help.setVisible)
        self.explain.toggled.connect(self.formula.setVisible)
        self.target.currentTextChanged.connect(self._on_target_changed)
        self._rebuild()

    def set_rules_shown(self, *, shown: bool) -> None:
        """Show the field for tensors, or hide it for a rule for the checked tensors."""
        for part in (self.target, self._target_label, self.matched):
            part.setVisible(shown)

    def focus_target(self) -> None:
        """Focus the field for tensors, and scroll to it."""
        self.target.setFocus()
        self._scroll_timer.start()

    def set_row(self, row: FormRow) -> None:
        """Show a rule without emitting signals; an unknown method selects the first one.

        Parameters without a value have their defaults, or what was entered for an equal parameter.
        """
        with QSignalBlocker(self.method):
            self.target.set_target(row.pattern, row.kind)
            self.method.setCurrentIndex(max(0, self.method.findData(row.method)))
            self._rebuild()
            for name in row.values.keys() & self.fields.editors.keys():
                self.fields.set_value(name, row.values[name])
            self._show_statistics()  # the values may need them
            self._entered.clear()

    def remember(self, other: RuleEditor) -> None:
        """Copy the values entered in another rule, also those of methods not selected."""
        self._entered = list(other._entered)

    def set_matches(
        self,
        n_matching: int | None,
        n_skipped: int = 0,
        skipped_names: Sequence[str] = (),
        *,
        error: str = "",
    ) -> bool:
        """Show how many tensors the rule prunes, or why none; return whether that changed.

        `n_matching` is None for the checked tensors, and if it is not known. `n_skipped` is the
        number of matching biases, norms and 1-D tensors, which are skipped; `skipped_names` are the
        first of them, for the tooltip. `error` is the reason why the rule matches nothing; it
        replaces the numbers and, if the field has the focus, is scrolled to. While the field is
        empty, its hint is shown instead of all these.
        """
        matches = self.target.currentText(), n_matching, n_skipped, tuple(skipped_names)
        if (matches, error) == (self._matches, self.refused):
            return False  # each move of a slider asks for it
        self._matches, self.refused = matches, error
        self._show_matches()
        if error and self.target.hasFocus():
            self._scroll_timer.start()
        return True

    def set_elsewhere(self, elsewhere: Mapping[int, int]) -> None:
        """Set how many tensors later rules prune, by number of the rule; 0: excluded."""
        if elsewhere != self._elsewhere:
            self._elsewhere = elsewhere
            if self._matches[1] is not None and not self.refused:
                self._show_matches()

    def _show_matches(self) -> None:
        """Show the result of `set_matches` below the field, or what to enter."""
        _, n_matching, n_skipped, skipped_names = self._matches
        text = tip = ""
        if self.target.is_empty:
            text = self.tr(
                "No tensors selected yet: enter a pattern or choose a type. Until then, this "
                "rule is ignored."
            )
        elif self.refused:
            text = f"✕ {self.refused}"
        elif n_matching is not None:
            text = self._count_text(n_matching)
            if n_skipped:
                text += " " + number_format.plural(
                    n_skipped,
                    self.tr("Skips 1 matching bias, norm or 1\u2011D tensor."),
                    self.tr("Skips {n} matching biases, norms or 1\u2011D tensors."),
                )
                names = list(skipped_names)
                if (more := n_skipped - len(names)) > 0:
                    names.append(self.tr("and {n} more").format(n=number_format.count(more)))
                tip = "\n".join((self.tr("The rule skips:"), *names))
        elif self.target.pattern_and_kind() == ("", ""):
            text = self.tr("Or enter a pattern, such as {pattern}.")
            text = text.format(pattern=self._context.example)
        self.matched.set_text(text, tip)
        self.matched.setForegroundRole(DANGER if self.refused else MUTED)

    def _count_text(self, taken: int) -> str:
        """Return how many of `taken` matching tensors the rule prunes, and why not all of them."""
        lost = sum(self._elsewhere.values())
        if not 0 < lost <= taken:
            return number_format.plural(taken, self.tr("1 tensor."), self.tr("{n} tensors."))
        later = [number for number in self._elsewhere if number]
        limits = self._elsewhere.get(0, 0)
        words = []
        if len(later) == 1:
            words.append(
                self.tr("{n} in rule {rule}").format(
                    rule=later[0], n=number_format.count(lost - limits)
                )
            )
        elif later:
            words.append(self.tr("{n} in later rules").format(n=number_format.count(lost - limits)))
        if limits:
            words.append(self.tr("limits exclude {n}").format(n=number_format.count(limits)))
        return self.tr("{n} of {m} tensors: {why}.").format(
            n=number_format.count(taken - lost),
            m=number_format.count(taken),
            why=join_facts(*words),
        )

    def set_context(self, context: FormContext) -> None:
        """Set the properties of the tensors and files that the rule refers to."""
        former, self._context = self._context, context
        if context.kinds != former.kinds:
            self.target.set_kinds(context.kinds)
        if context.example != former.example:
            self.target.set_example(context.example)
        self.mask_name.setText(context.mask_file or self.tr("no file loaded"))
        self.scores_name.setText(context.scores_file or self.tr("Ranked by the method"))
        self.statistics_name.setText(context.statistics_file or self.tr("no file loaded"))
        if context.statistics_about:
            self.statistics_name.setToolTip(as_plain(context.statistics_about))
            self.statistics_name.setAccessibleDescription(context.statistics_about)
        form = self.form()
        if form is not None and form.granularity in {"channels", "blocks"}:
            # the number of channels or blocks left is not counted
            context = dataclasses.replace(context, left=None)
        self.fields.set_context(context)

    def form(self) -> MethodForm | None:
        """Return the selected method; None if no methods are offered."""
        return self._forms.get(self.method.currentData() or "")

    @property
    def prunes(self) -> bool:
        """Whether the method can prune weights; True if no method is selected."""
        form = self.form()
        return form is None or not form.excludes

    def takes_amount(self) -> bool:
        """Return whether the method has a parameter for the amount."""
        form = self.form()
        return form is not None and any(isinstance(param, AmountParam) for param in form.params)

    def takes_channels(self) -> bool:
        """Return whether the method prunes whole channels."""
        form = self.form()
        return form is not None and form.granularity == "channels"

    def needs_statistics(self) -> bool:
        """Return whether the method, with its present values, uses statistics of activations."""
        form = self.form()
        if form is None or not form.takes_statistics:
            return False
        return is_needed(STATISTICS.name, form.params, self.fields.values)

    def takes_filters(self) -> bool:
        """Return whether the method prunes whole channels along dim 0 (or its negative index)."""
        first = {0, -len(self._context.shape)}
        return self.takes_channels() and any(
            isinstance(editor.param, DimParam) and self.fields.values.get(name) in first
            for name, editor in self.fields.editors.items()
        )

    def errors(self) -> tuple[str, ...]:
        form = self.form()
        if form is None:
            return (self.tr("There is no method to choose."),)
        found = self.fields.errors
        errors = tuple(found[name] for name in self.fields.editors if name in found)
        if form.takes_mask and not self._context.mask_file:
            errors = (*errors, self.tr("Load a mask first."))
        if self.needs_statistics() and not self._context.statistics_file:
            errors = (*errors, self.tr("Collect or load statistics of activations first."))
        return errors

    def row(self) -> FormRow:
        """Return the rule, with defaults in place of invalid values."""
        pattern, kind = self.target.pattern_and_kind()
        values = {n: e.param.default for n, e in self.fields.editors.items()} | self.fields.values
        return FormRow(pattern, kind, str(self.method.currentData()), values)

    def describe(self) -> tuple[str, str]:
        """Return the tensors and the action as text: "L1 unstructured (magnitude), 40 %".

        Instead, they say that no tensors are named, or that a value is not valid.
        """
        form = self.form()
        words = [form.label if form else ""]
        amounts = (e for e in self.fields.editors.values() if isinstance(e.param, AmountParam))
        words.extend(editor.value_text() for editor in amounts)
        target = self.target.currentText().strip()
        if self.target.is_empty:
            target = self.tr("no tensors selected yet")
        elif self.errors():
            words = [words[0], self.tr("✕ not valid")]
        return target, join_facts(*words)

    def _scroll_to_matched(self) -> None:
        scroll_to(self.matched)  # and to the field above it

    def _on_target_changed(self) -> None:
        self.set_matches(None)  # the text for the previous tensors is outdated
        self.changed.emit("")

    def _choose(self) -> None:
        self._rebuild(shares_stay=True)
        self.changed.emit("")

    def _rebuild(self, *, shares_stay: bool = False) -> None:
        """Replace the fields by those of the selected method, without emitting `changed`.

        A parameter has the last valid value entered for an equal parameter of any method, or its
        default. With `shares_stay`, an amount also has the last fraction entered for an amount in
        another unit, as it means the same for weights, channels and blocks; a count does not.
        """
        form = self.form()
        old = self.fields
        entered = [(old.editors[name].param, value) for name, value in old.values.items()]
        changed = [param for param, _ in entered]
        self._entered = [each for each in self._entered if each[0] not in changed] + entered
        of_units = form is not None and form.granularity == "units"
        lines = _MEANING_LINES_OF_UNITS if of_units else 1
        self.fields = Fields(form.params if form else (), self, meaning_lines=lines)
        for name, editor in self.fields.editors.items():
            is_share = shares_stay and isinstance(editor.param, AmountParam)
            for param, value in self._entered:
                kept = is_share and isinstance(param, AmountParam) and isinstance(value, float)
                if param == editor.param or kept:
                    self.fields.set_value(name, value)
        replace(self._column, old, self.fields)
        self.fields.setVisible(bool(self.fields.editors))
        self.fields.changed.connect(self._show_statistics)
        self.fields.changed.connect(self.changed)
        self.fields.released.connect(self.released)
        self.help.setText(form.help if form else "")
        self.formula.setText(form.formula if form else "")
        for widget in (self.load_mask, self.mask_name):
            widget.setVisible(bool(form and form.takes_mask))
        for widget in (self.load_scores, self.scores_name):
            widget.setVisible(bool(form and form.takes_scores))
        self._show_statistics()
        self.set_context(self._context)

    def _show_statistics(self) -> None:
        self.statistics.setVisible(self.needs_statistics())


# margin of a list item on either side, in pixels
_MARGIN = 4


class RuleList(QListWidget):
    """The list of rules; the height of an item depends on the number of its lines.

    It is as high as all rules, so that only the form around it scrolls.
    """

    resized = Signal()  # the width of lines has changed

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)

    @property
    def room(self) -> int:
        """Width of a line in pixels; at least 80."""
        return max(self.width() - 2 * self.frameWidth() - 2 * _MARGIN, 80)

    def show_rules(self, rules: Sequence[tuple[Sequence[str], str]], current: int) -> None:
        """Replace the list; each rule has its lines and the full text for the tooltip.

        Selects the rule with index `current`, and sets the height so that all are visible. The
        signals of a new current row are emitted.
        """
        self.clear()
        line, height = self.fontMetrics().lineSpacing(), 0
        for lines, whole in rules:
            # Created here: Qt would not notify Python of the deletion of items created by the list.
            item = QListWidgetItem("\n".join(lines))
            item.setToolTip(as_plain(whole))
            item.setSizeHint(QSize(0, len(lines) * line + 8))
            self.addItem(item)
            height += item.sizeHint().height()
        self.setCurrentRow(current)
        self.setFixedHeight(height + 2 * self.frameWidth())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll the form to the item that a key selects."""
        super().keyPressEvent(event)
        scroll_to(self.viewport(), self.visualRect(self.currentIndex()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Emit `resized` if the width has changed."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.resized.emit()
