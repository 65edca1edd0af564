"""The editor of one rule, and the list of the rules of a step."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
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

from pruneapp.gui.method_form.editors import AmountEditor, TensorChoice
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
from pruneapp.params import STATISTICS, Amount, AmountParam, DimParam, Param, is_needed


class RuleEditor(QWidget):
    """Edits one rule: for which tensors, by which method, with which values."""

    changed = Signal()
    released = Signal()

    def __init__(self, forms: Sequence[MethodForm], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._forms = {form.name: form for form in forms}
        self._context = FormContext()
        self._entered: list[tuple[Param, Any]] = []  # of all methods; equal ones share a value

        self.target = TensorChoice(self)
        self._target_label = label_for(self.target, self.tr("Tensors"))
        fit_label(self._target_label)
        self.matched = ElidedLines(2, self)  # what is below does not move while one types
        # Once what it says has its place.
        self._reveal = single_shot(self, 0, self._scroll_to_matched)
        self.refused = ""  # why the rule matches nothing, if that is what it says
        # Of which tensors, and what, was said last; see `set_matches`.
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
        self.mask_name = ElidedLabel("", self, ink=MUTED)
        self.load_scores = QPushButton(self.tr("Load scores…"), self)
        self.load_scores.setToolTip(
            self.tr("Rank weights by importance scores from a file instead of by magnitude.")
        )
        self.scores_name = ElidedLabel("", self, ink=MUTED)
        self.load_statistics = QPushButton(self.tr("Load statistics…"), self)
        self.load_statistics.setToolTip(
            self.tr(
                "Rank weights by their inputs, from a file of statistics of activations, which "
                "pruneapp statistics makes."
            )
        )
        self.statistics_name = ElidedLabel("", self, ink=MUTED)
        self.fields = Fields((), self)

        self._column = lay_in_column(self, spacing=12)
        top = QVBoxLayout()
        self._column.addLayout(top)
        top.setSpacing(2)
        add_line(top, self._target_label, self.target)
        top.addWidget(self.matched)
        # Beside the label: the names of methods need the width of the column.
        named = QWidget(self)
        fit_label(named)
        label = label_for(self.method, self.tr("Method"))
        lay_in_row(named, label, self.explain, spacing=4, wide=label)
        add_line(self._column, named, self.method)
        self._column.addWidget(self.help)
        self._column.addWidget(self.formula)
        self._column.addWidget(self.fields)
        for button, name in (
            (self.load_mask, self.mask_name),
            (self.load_scores, self.scores_name),
            (self.load_statistics, self.statistics_name),
        ):
            add_row(self._column, button, name, wide=name)
        self._column.addStretch(1)

        for before, form in zip((None, *forms), forms, strict=False):
            if before is not None and before.granularity != form.granularity:
                self.method.insertSeparator(self.method.count())
            self.method.addItem(form.label, form.name)
        self.set_rules_shown(shown=False)
        self.method.currentIndexChanged.connect(self._choose)
        self.explain.toggled.connect(self.help.setVisible)
        self.explain.toggled.connect(self.formula.setVisible)
        self.target.currentTextChanged.connect(self._retarget)
        self._rebuild()

    def set_rules_shown(self, *, shown: bool) -> None:
        """Show for which tensors it is, or take it that it is for the checked ones."""
        for part in (self.target, self._target_label, self.matched):
            part.setVisible(shown)

    def focus_target(self) -> None:
        """Put the cursor into the field for its tensors, and scroll to it."""
        self.target.setFocus()
        self._reveal.start()

    def set_row(self, row: FormRow) -> None:
        """Show a rule, silently; an unknown method is left out."""
        with QSignalBlocker(self.method):
            self.target.set_wanted(row.pattern, row.kind)
            self.method.setCurrentIndex(max(0, self.method.findData(row.method)))
            self._rebuild()
            for name, value in row.values.items():
                if name in self.fields.fields:
                    self.fields.fields[name].editor.set_value(value)
            self._entered.clear()

    def remember(self, other: RuleEditor) -> None:
        """Offer what was entered in another rule, also for methods that are not chosen now."""
        self._entered = list(other._entered)

    def set_matches(
        self, taken: int | None, left: int = 0, names: Sequence[str] = (), *, error: str = ""
    ) -> bool:
        """Say how many tensors it takes, or by `error` why it takes none; returns if that is new.

        `taken` is None for the checked tensors, and while it is not known. `left` more match and
        are left out; `names` are the first of them.
        """
        matches = self.target.currentText(), taken, left, tuple(names)
        if (matches, error) == (self._matches, self.refused):
            return False  # a slider asks with each move
        self._matches, self.refused = matches, error
        self._show_matches()
        if error and self.target.hasFocus():
            self._reveal.start()
        return True

    def set_elsewhere(self, elsewhere: Mapping[int, int]) -> None:
        """Take how many of its tensors later rules prune, by their numbers; 0: limits exclude."""
        if elsewhere != self._elsewhere:
            self._elsewhere = elsewhere
            if self._matches[1] is not None and not self.refused:
                self._show_matches()

    def _show_matches(self) -> None:
        _, taken, left, first_left = self._matches
        text = tip = ""
        if self.target.is_empty:
            text = self.tr(
                "No layers yet: enter a pattern or choose a type. Until then, this rule is ignored."
            )
        elif self.refused:
            text = f"✕ {self.refused}"
        elif taken is not None:
            text = self._count(taken)
            if left:
                text += " " + number_format.plural(
                    left,
                    self.tr("Skips 1 matching bias, norm or 1\u2011D tensor."),
                    self.tr("Skips {n} matching biases, norms or 1\u2011D tensors."),
                )
                names = list(first_left)
                if (more := left - len(names)) > 0:
                    names.append(self.tr("and {n} more").format(n=number_format.count(more)))
                tip = "\n".join((self.tr("The rule skips:"), *names))
        elif self.target.wanted() == ("", ""):
            text = self.tr("Or enter a pattern, such as {pattern}.")
            text = text.format(pattern=self._context.example)
        self.matched.set_text(text, tip)
        self.matched.setForegroundRole(DANGER if self.refused else MUTED)

    def _count(self, taken: int) -> str:
        """Say how many tensors match, and of how many this is not the rule that prunes them."""
        lost = sum(self._elsewhere.values())
        if not 0 < lost <= taken:
            return number_format.plural(taken, self.tr("1 tensor."), self.tr("{n} tensors."))
        later = [number for number in self._elsewhere if number]
        limits = self._elsewhere.get(0, 0)
        words = []
        if len(later) == 1:
            words.append(
                self.tr("rule {rule} takes {n}").format(
                    rule=later[0], n=number_format.count(lost - limits)
                )
            )
        elif later:
            words.append(
                self.tr("later rules take {n}").format(n=number_format.count(lost - limits))
            )
        if limits:
            words.append(self.tr("limits exclude {n}").format(n=number_format.count(limits)))
        return self.tr("{n} of {m} tensors: {why}.").format(
            n=number_format.count(taken - lost),
            m=number_format.count(taken),
            why=join_facts(*words),
        )

    def set_context(self, context: FormContext) -> None:
        """Take note of the tensors that the rule is to be about, and of files."""
        former, self._context = self._context, context
        if context.kinds != former.kinds:
            self.target.set_kinds(context.kinds)
        if context.example != former.example:
            self.target.set_example(context.example)
        self.mask_name.setText(context.mask_file or self.tr("no file loaded"))
        self.scores_name.setText(context.scores_file or self.tr("Ranking: weight magnitude"))
        self.statistics_name.setText(context.statistics_file or self.tr("no file loaded"))
        form = self.form()
        if form is not None and form.granularity in {"channels", "blocks"}:
            context = dataclasses.replace(context, left=None)  # how many there are is not counted
        for field in self.fields.fields.values():
            field.set_context(context)

    def set_amount(self, amount: Amount) -> None:
        """Show how much it takes, silently."""
        for field in self.fields.fields.values():
            if isinstance(field.editor, AmountEditor):
                field.editor.set_dragged(amount)
                field.set_error("")

    def form(self) -> MethodForm | None:
        """Return the chosen method; None if there is none at all."""
        return self._forms.get(self.method.currentData() or "")

    @property
    def prunes(self) -> bool:
        """Whether its method can prune anything; also while none is chosen."""
        form = self.form()
        return form is None or not form.excludes

    def takes_amount(self) -> bool:
        """Whether it has an amount, not said by the method or a mask."""
        form = self.form()
        return form is not None and any(isinstance(param, AmountParam) for param in form.params)

    def takes_channels(self) -> bool:
        """Whether it takes whole channels."""
        form = self.form()
        return form is not None and form.granularity == "channels"

    def needs_statistics(self) -> bool:
        """Whether its method, with what is chosen, ranks by statistics of activations."""
        form = self.form()
        if form is None or not form.takes_statistics:
            return False
        return is_needed(STATISTICS.name, form.params, self.fields.valid_values())

    def takes_filters(self) -> bool:
        """Whether it takes whole channels along dim 0 of the tensor that the words are about."""
        if not self.takes_channels():
            return False
        values = self.fields.valid_values()
        dims = [
            values.get(name)
            for name, field in self.fields.fields.items()
            if isinstance(field.param, DimParam)
        ]
        return any(dim in {0, -len(self._context.shape)} for dim in dims)

    def errors(self) -> tuple[str, ...]:
        """Return what is wrong."""
        form = self.form()
        if form is None:
            return (self.tr("There is no method to choose."),)
        errors = self.fields.errors()
        if form.takes_mask and not self._context.mask_file:
            errors = (*errors, self.tr("Load a mask first."))
        if self.needs_statistics() and not self._context.statistics_file:
            errors = (*errors, self.tr("Load statistics of activations first."))
        return errors

    def row(self) -> FormRow:
        """Return the rule; raises `ParameterError` for a value that is wrong."""
        pattern, kind = self.target.wanted()
        return FormRow(pattern, kind, str(self.method.currentData()), self.fields.values())

    def corrected(self) -> FormRow:
        """Return the rule, with the default in place of each value that is wrong."""
        form = self.form()
        usual = {param.name: param.default for param in form.params} if form else {}
        values = usual | self.fields.valid_values()
        return FormRow(*self.target.wanted(), str(self.method.currentData()), values)

    def describe(self) -> tuple[str, str]:
        """Return its tensors, and what is done: "L1 unstructured (magnitude), 40 %"."""
        form = self.form()
        words = [form.label if form else ""]
        words.extend(
            field.editor.value_text()
            for field in self.fields.fields.values()
            if isinstance(field.param, AmountParam)
        )
        target = self.target.currentText().strip()
        if self.target.is_empty:
            target = self.tr("no layers yet, ignored")
        elif self.errors():
            words = [words[0], self.tr("✕ not valid")]
        return target, join_facts(*words)

    def _scroll_to_matched(self) -> None:
        scroll_to(self.matched)  # and to the field above: what is typed, and why it matches nothing

    def _retarget(self) -> None:
        self.set_matches(None)  # what was said of the tensors before
        self.changed.emit()

    def _choose(self) -> None:
        self._rebuild()
        self.changed.emit()

    def _rebuild(self) -> None:
        """Show the fields of the chosen method, with the values that they had before."""
        form = self.form()
        old = self.fields
        entered = [(old.fields[name].param, value) for name, value in old.valid_values().items()]
        changed = [param for param, _ in entered]
        self._entered = [each for each in self._entered if each[0] not in changed] + entered
        self.fields = Fields(form.params if form else (), self)
        for field in self.fields.fields.values():
            for param, value in self._entered:
                if param == field.param:
                    field.editor.set_value(value)
        replace(self._column, old, self.fields)
        self.fields.setVisible(bool(self.fields.fields))
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
        needed = self.needs_statistics()
        for widget in (self.load_statistics, self.statistics_name):
            widget.setVisible(needed)


# Rules that are seen without scrolling their list: the form scrolls, and what scrolls in what
# scrolls is hard to use. Of more the editor below would be too far away.
_MOST_SEEN = 12
# Pixels that a list leaves free at either side of a line.
_MARGIN = 4


class RuleList(QListWidget):
    """The rules, each on as many lines as its tensors need."""

    resized = Signal()  # there is more or less room in a line

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)

    @property
    def room(self) -> int:
        """How wide a line may be, whether or not the list scrolls."""
        bar = self.verticalScrollBar().sizeHint().width()
        return max(self.width() - bar - 2 * self.frameWidth() - 2 * _MARGIN, 80)

    def show_rules(self, rules: Sequence[tuple[Sequence[str], str]], current: int) -> None:
        """Show rules in place of all, each by its lines and the whole of it for a tooltip."""
        self.clear()
        line, height = self.fontMetrics().lineSpacing(), 0
        for place, (lines, whole) in enumerate(rules):
            # Made here: of an item that the list makes, Python is not told when it is deleted.
            item = QListWidgetItem("\n".join(lines))
            item.setToolTip(as_plain(whole))
            item.setSizeHint(QSize(0, len(lines) * line + 8))
            self.addItem(item)
            height += item.sizeHint().height() if place < _MOST_SEEN else 0
        self.setCurrentRow(current)
        self.setFixedHeight(height + 2 * self.frameWidth())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep the rule that a key goes to in sight, for which the form may have to scroll."""
        super().keyPressEvent(event)
        scroll_to(self.viewport(), self.visualRect(self.currentIndex()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say it if lines have another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.resized.emit()


class RuleStack(QWidget):
    """The editors of rules, one in front; as high as that one, and not as the highest of all."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._editors: list[RuleEditor] = []
        self._place = 0
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    def insert(self, place: int, rule: RuleEditor) -> None:
        """Put an editor among the others; the first one that comes is in front."""
        self._editors.insert(place, rule)
        self._column.addWidget(rule)
        rule.setVisible(len(self._editors) == 1)

    def remove(self, rule: RuleEditor) -> None:
        """Delete an editor; in its place comes the next one, or the one before."""
        self._editors.remove(rule)
        rule.hide()
        self._column.removeWidget(rule)
        rule.deleteLater()
        if self._editors:
            self.setCurrentIndex(min(self._place, len(self._editors) - 1))

    def currentIndex(self) -> int:
        """Return which one is in front."""
        return self._place

    def currentWidget(self) -> RuleEditor:
        """Return the one in front."""
        return self._editors[self._place]

    def setCurrentIndex(self, place: int) -> None:
        """Put one in front."""
        self._place = place
        shown = self._editors[place]
        shown.show()  # first: the focus goes to what is shown
        for rule in self._editors:
            rule.setVisible(rule is shown)
