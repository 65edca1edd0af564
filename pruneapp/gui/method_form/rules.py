"""Rule editor and list of rules.

One rule: for which tensors, by which method, with which values.

The rules of a step: a list of them, as soon as there are several, and the one that is edited.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pruneapp.gui.method_form.editors import AmountEditor, TensorChoice
from pruneapp.gui.method_form.fields import Fields, label_width
from pruneapp.gui.method_form.form_model import FormRow, MethodForm
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import ComboBox, replace
from pruneapp.gui.widgets.labels import (
    ElidedLabel,
    as_plain,
    on_lines,
    on_one_line,
    plain,
    recolor,
    within_reason,
)
from pruneapp.gui.widgets.theme import with_defaults
from pruneapp.params import Amount, AmountParam, DimParam, Param
from pruneapp.results.short_names import ShortNames


class RuleEditor(QWidget):
    """Edits one rule.

    Signals
    -------
    changed
        The person changed something.
    maskFileRequested, scoresFileRequested
        The person wants to load a mask, or importance scores.
    """

    changed = Signal()
    maskFileRequested = Signal()
    scoresFileRequested = Signal()

    def __init__(self, forms: Sequence[MethodForm], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._forms = {form.name: form for form in forms}
        self._colors = with_defaults({})
        self._context: tuple[tuple[int, ...], str] = ((), "")
        self._left: tuple[int | None, int | None] = (None, None)
        self._mask_file = ""
        self._scores_file = ""
        self._amount_used = True
        self._entered: list[tuple[Param, Any]] = []  # of all methods; equal ones share a value

        self.target = TensorChoice(self)
        self._target_label = self._label(self.tr("Tensors"), self.target)
        self.matched = plain(wrap=True)
        self.matched.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        # Room for two lines from the start: what is below does not move while one types.
        self.matched.setMinimumHeight(2 * self.matched.fontMetrics().lineSpacing())
        self._reveal = QTimer(self)  # once what it says has its place
        self._reveal.setSingleShot(True)
        self._reveal.timeout.connect(self._show_matched)
        self._refused = False  # whether what it says is why the rule matches nothing
        self.method = ComboBox(self)
        self.method.setAccessibleName(self.tr("Method"))
        self.method.setMinimumContentsLength(8)
        self.method.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.explain = QToolButton(self)
        self.explain.setText("?")
        self.explain.setCheckable(True)
        self.explain.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.explain.setAccessibleName(self.tr("Explain the method"))
        self.explain.setToolTip(self.explain.accessibleName())
        self.help = plain(wrap=True)
        self.formula = plain(wrap=True)
        self.help.hide()
        self.formula.hide()

        self.load_mask = QPushButton(self.tr("Load mask…"), self)
        self.mask_name = ElidedLabel("", self)
        self.load_scores = QPushButton(self.tr("Load scores…"), self)
        self.load_scores.setToolTip(
            self.tr("Rank weights by importance scores from a file instead of by magnitude.")
        )
        self.scores_name = ElidedLabel("", self)
        self.fields = Fields((), self)

        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(12)
        # No QFormLayout: it gives wrapped text the height that it has in another width.
        top = QVBoxLayout()
        self._column.addLayout(top)
        top.setSpacing(2)
        self._add_line(top, self._target_label, self.target)
        top.addWidget(self.matched)
        # Beside the label: the names of methods need the width of the column.
        named = QWidget(self)
        named.setMinimumWidth(label_width(self))
        line = QHBoxLayout(named)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        label = QLabel(self.tr("Method"), named)
        label.setBuddy(self.method)
        line.addWidget(label, 1)
        line.addWidget(self.explain)
        self._add_line(self._column, named, self.method)
        self._column.addWidget(self.help)
        self._column.addWidget(self.formula)
        self._column.addWidget(self.fields)
        for button, name in (
            (self.load_mask, self.mask_name),
            (self.load_scores, self.scores_name),
        ):
            row = QHBoxLayout()
            self._column.addLayout(row)
            row.setSpacing(8)
            row.addWidget(button)
            row.addWidget(name, 1)
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
        self.load_mask.clicked.connect(self.maskFileRequested)
        self.load_scores.clicked.connect(self.scoresFileRequested)
        self._rebuild()

    def _add_line(self, column: QVBoxLayout, label: QWidget, field: QWidget) -> None:
        line = QHBoxLayout()
        column.addLayout(line)
        line.setSpacing(8)
        line.addWidget(label)
        line.addWidget(field, 1)

    def _label(self, text: str, buddy: QWidget) -> QLabel:
        label = QLabel(text, self)
        label.setBuddy(buddy)
        label.setMinimumWidth(label_width(self))
        return label

    # Told

    def set_rules_shown(self, *, shown: bool) -> None:
        """Show for which tensors it is, or take it that it is for the checked ones."""
        for part in (self.target, self._target_label, self.matched):
            part.setVisible(shown)

    def set_row(self, row: FormRow) -> None:
        """Show a rule, silently; an unknown method is left out."""
        blocker = QSignalBlocker(self.method)
        self.target.set_wanted(row.pattern, row.kind)
        self.method.setCurrentIndex(max(0, self.method.findData(row.method)))
        self._rebuild()
        for name, value in row.values.items():
            if name in self.fields.fields:
                self.fields.fields[name].editor.set_value(value)
        self._entered.clear()
        del blocker

    def set_matches(
        self, taken: int | None, left: int = 0, names: Sequence[str] = (), *, error: str = ""
    ) -> None:
        """Say how many tensors it takes, or why it takes none.

        Parameters
        ----------
        taken
            How many; None for the checked tensors, of which the tree says it, and while it is not
            known.
        left, names
            How many more match that a rule leaves out, and the first of their names.
        error
            Why it takes none.
        """
        said, tip = "", ""
        if self.target.is_empty:
            said = self.tr(
                "No layers yet: enter a pattern or choose a type. Until then, this rule is ignored."
            )
        elif error:
            said = f"✕ {error}"
        elif taken is not None:
            said = (
                self.tr("1 tensor.")
                if taken == 1
                else self.tr("{n} tensors.").format(n=number_format.count(taken))
            )
            if left:
                said += " " + (
                    self.tr("1 bias, norm or one-dimensional tensor also matches and is excluded.")
                    if left == 1
                    else self.tr(
                        "{n} biases, norms or one-dimensional tensors also match and are excluded."
                    ).format(n=number_format.count(left))
                )
                more = left - len(names)
                rest = (
                    (self.tr("and {n} more").format(n=number_format.count(more)),)
                    if more > 0
                    else ()
                )
                tip = "\n".join((self.tr("Excluded from this rule:"), *names, *rest))
        elif self.target.wanted() == ("", ""):
            said = self.tr("Or enter a pattern, such as layer3.*.weight.")
        self._refused = bool(error)
        self.matched.setText(said)
        self.matched.setToolTip(as_plain(tip))
        recolor(self.matched, self._colors["danger" if error else "muted"])
        if error and self.target.hasFocus():
            self._reveal.start()

    def set_context(self, shape: tuple[int, ...], kind: str) -> None:
        """Take note of the tensor that the words are to be about."""
        self._context = (shape, kind)
        for field in self.fields.fields.values():
            field.set_context(shape, kind)

    def set_left(self, weights: int | None, channels: int | None) -> None:
        """Take note of how much is not pruned yet."""
        self._left = (weights, channels)
        form = self.form()
        if form is not None:
            # How many blocks there are is not counted.
            left = {"channels": channels, "blocks": None}.get(form.granularity, weights)
            for field in self.fields.fields.values():
                field.editor.set_left(left)

    def set_amount(self, amount: Amount) -> None:
        """Show how much it takes, silently."""
        for field in self.fields.fields.values():
            if isinstance(field.editor, AmountEditor):
                field.editor.set_dragged(amount)
                field.set_error("")

    def set_amount_used(self, *, used: bool) -> None:
        """Ask how much, or say that a limit says it."""
        self._amount_used = used
        for field in self.fields.fields.values():
            if isinstance(field.param, AmountParam):
                field.set_used(used=used, instead=self.tr("Set by the target total sparsity."))

    def set_files(self, mask: str, scores: str) -> None:
        """Show which files were loaded; empty for none."""
        self._mask_file, self._scores_file = mask, scores
        self.mask_name.setText(mask or self.tr("no file loaded"))
        self.scores_name.setText(scores or self.tr("Ranking: weight magnitude"))

    def set_error(self, param: str, text: str) -> bool:
        """Say what is wrong beside a field; returns whether it has this field."""
        field = self.fields.fields.get(param)
        if field is not None:
            field.set_error(text)
        return field is not None

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self._colors = with_defaults(colors)
        for label in (self.help, self.formula, self.mask_name, self.scores_name):
            recolor(label, self._colors["muted"])
        recolor(self.matched, self._colors["danger" if self._refused else "muted"])
        for field in self.fields.fields.values():
            field.set_colors(self._colors)

    # Asked

    def form(self) -> MethodForm | None:
        """Return the chosen method; None if there is none at all."""
        return self._forms.get(self.method.currentData() or "")

    def takes_amount(self) -> bool:
        """Whether how much goes is asked for, and not said by the method or a mask."""
        form = self.form()
        return form is not None and any(isinstance(param, AmountParam) for param in form.params)

    def takes_filters(self) -> bool:
        """Whether it takes whole channels along dim 0 of the tensor that the words are about."""
        form = self.form()
        if form is None or form.granularity != "channels":
            return False
        values = self.fields.valid_values()
        dims = [
            values.get(name)
            for name, field in self.fields.fields.items()
            if isinstance(field.param, DimParam)
        ]
        return any(dim in {0, -len(self._context[0])} for dim in dims)

    def errors(self) -> tuple[str, ...]:
        """Return what is wrong."""
        form = self.form()
        if form is None:
            return (self.tr("There is no method to choose."),)
        found = self.fields.errors()
        if form.takes_mask and not self._mask_file:
            found = (*found, self.tr("Load a mask first."))
        return found

    def row(self) -> FormRow:
        """Return the rule; raises `ParameterError` for a value that is wrong."""
        pattern, kind = self.target.wanted()
        return FormRow(pattern, kind, str(self.method.currentData()), self.fields.values())

    def mended(self) -> FormRow:
        """Return the rule, with the default in place of each value that is wrong."""
        form = self.form()
        usual = {param.name: param.default for param in form.params} if form else {}
        values = usual | self.fields.valid_values()
        return FormRow(*self.target.wanted(), str(self.method.currentData()), values)

    @property
    def refused(self) -> bool:
        """Whether it is said that the rule matches nothing."""
        return self._refused

    def describe(self) -> tuple[str, str]:
        """Return its tensors, and what is done: "L1 unstructured (magnitude), 40 %"."""
        form = self.form()
        words = [form.label if form else ""]
        words.extend(
            field.editor.summary()
            for field in self.fields.fields.values()
            if isinstance(field.param, AmountParam)
        )
        target = self.target.currentText().strip()
        if self.target.is_empty:
            target = self.tr("no layers yet, ignored")
        return target, ", ".join(filter(None, words))

    # Inside

    def _show_matched(self) -> None:
        """Scroll so that it is seen why what was typed matches nothing."""
        around = self.parentWidget()
        while around is not None:
            if isinstance(around, QScrollArea):
                around.ensureWidgetVisible(self.matched)
            around = around.parentWidget()

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
        self.fields.changed.connect(self.changed)
        self.help.setText(form.help if form else "")
        self.formula.setText(form.formula if form else "")
        for widget in (self.load_mask, self.mask_name):
            widget.setVisible(bool(form and form.takes_mask))
        for widget in (self.load_scores, self.scores_name):
            widget.setVisible(bool(form and form.takes_scores))
        self.set_files(self._mask_file, self._scores_file)
        self.set_context(*self._context)
        self.set_left(*self._left)
        self.set_amount_used(used=self._amount_used)
        self.set_colors(self._colors)


# Rules that are seen without scrolling their list.
_MOST_SEEN = 6
# Lines that the tensors of a rule may take.
_MOST_TARGET = 3
# Pixels that a list leaves free at either side of a line.
_MARGIN = 4


class RuleList(QListWidget):
    """The rules, each on as many lines as its tensors need.

    Signals
    -------
    resized
        There is more or less room in a line.
    """

    resized = Signal()

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

    def add(self, rule: RuleEditor) -> None:
        """Put an editor behind the others; the first is in front."""
        self._editors.append(rule)
        self._column.addWidget(rule)
        rule.setVisible(len(self._editors) == 1)

    def take(self, rule: RuleEditor) -> None:
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


class Rules(QObject):
    """Edits rules; what is told of the checked tensors is told to all of them.

    Attributes
    ----------
    rules
        Their editors, at least one.
    parts
        What is to be placed below each other: the list, what is said of it, the editor. Not in a
        widget of their own, which would take the height of wrapped text at another width.
    add, exclude, remove
        Buttons, to be placed above; `exclude` is shown if there is a method for it.

    Signals
    -------
    changed
        The person changed a rule, or how many there are.
    maskFileRequested, scoresFileRequested
        The person wants to load a mask, or importance scores.
    """

    changed = Signal()
    maskFileRequested = Signal()
    scoresFileRequested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._forms: tuple[MethodForm, ...] = ()
        self._kinds: tuple[str, ...] = ()
        self._colors = with_defaults({})
        self._context: tuple[tuple[int, ...], str] = ((), "")
        self._left: tuple[int | None, int | None] = (None, None)
        self._files = ("", "")
        self._amount_used = True
        self._arranged: tuple[object, ...] = ()
        self._counts: tuple[int, ...] = ()
        self._names = ShortNames()
        self.rules: list[RuleEditor] = []

        self.list = RuleList(parent)
        self.list.setAccessibleName(self.tr("Rules"))
        self.list.resized.connect(self.arrange)
        self.order = plain(self.tr("The last rule that matches a tensor applies to it."), wrap=True)
        self.stack = RuleStack(parent)
        self.parts = (self.list, self.order, self.stack)
        self.remove = QPushButton(self.tr("Remove"), parent)
        self.remove.setToolTip(self.tr("Remove the selected rule"))
        self.add = QPushButton(self.tr("Add rule…"), parent)
        self.add.setToolTip(
            self.tr("Another method or amount for other tensors, as part of the same step")
        )
        self.exclude = QPushButton(self.tr("Exclude…"), parent)
        self.exclude.setToolTip(
            self.tr("Exclude layers by pattern or type: adds a rule that prunes nothing")
        )
        for button in (self.remove, self.add, self.exclude):
            button.setFlat(True)
            button.setAccessibleDescription(button.toolTip())
            advance = button.fontMetrics().horizontalAdvance(button.text())
            button.setFixedWidth(advance + 12)  # flat: as wide as its words
        self.exclude.hide()
        self.add.clicked.connect(self._add_clicked)
        self.exclude.clicked.connect(self._exclude_clicked)
        self.remove.clicked.connect(self._remove_clicked)
        self.list.currentRowChanged.connect(self._show_rule)
        self._append()
        self.arrange()

    # Told

    def set_methods(self, forms: Sequence[MethodForm]) -> None:
        """Offer these methods to rules that come from now on."""
        self._forms = tuple(forms)
        self.exclude.setVisible(any(form.excludes for form in forms))

    def set_rows(self, rows: Sequence[FormRow], selected: int = 0) -> None:
        """Show these rules in place of all, silently; none is one with nothing said."""
        blocker = QSignalBlocker(self.list)
        for rule in self.rules:
            self.stack.take(rule)
        self.rules = []
        for row in rows or (FormRow("", "", ""),):
            self._append().set_row(row)
        self.stack.setCurrentIndex(selected if selected < len(self.rules) else 0)
        self.arrange()
        del blocker

    def set_kinds(self, kinds: Sequence[str]) -> None:
        """Offer these kinds of layers."""
        self._kinds = tuple(kinds)
        for rule in self.rules:
            rule.target.set_kinds(kinds)

    def set_context(self, shape: tuple[int, ...], kind: str) -> None:
        """Spell dimensions out for a tensor of this shape and kind; sizes below 0 differ."""
        self._context = (shape, kind)
        for rule in self.rules:
            rule.set_context(shape, kind)

    def set_left(self, weights: int | None, channels: int | None) -> None:
        """Take note of how much of the checked tensors is not pruned yet."""
        self._left = (weights, channels)
        for rule in self.rules:
            rule.set_left(weights, channels)

    def set_mask_file(self, name: str) -> None:
        """Show which mask was loaded; empty for none."""
        self._set_files(name, self._files[1])

    def set_scores_file(self, name: str) -> None:
        """Show which importance scores were loaded; empty for none."""
        self._set_files(self._files[0], name)

    def _set_files(self, mask: str, scores: str) -> None:
        self._files = (mask, scores)
        for rule in self.rules:
            rule.set_files(mask, scores)

    def set_amount_used(self, *, used: bool) -> None:
        """Ask how much, or say that a limit says it."""
        self._amount_used = used
        for rule in self.rules:
            rule.set_amount_used(used=used)

    def set_counts(self, counts: Sequence[int]) -> None:
        """Take how many tensors fall under each of `used`; none if that is not known."""
        self._counts = tuple(counts)
        self.arrange()

    def set_names(self, names: ShortNames) -> None:
        """Take the shorter forms of the names of the file."""
        self._names = names
        self.arrange()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self._colors = with_defaults(colors)
        recolor(self.order, self._colors["muted"])
        for rule in self.rules:
            rule.set_colors(self._colors)

    # Asked

    @property
    def used(self) -> list[RuleEditor]:
        """The rules that name tensors, or the checked ones; the others are ignored."""
        return [rule for rule in self.rules if not rule.target.is_empty]

    @property
    def several(self) -> bool:
        """Whether it has to be said for which tensors a rule is."""
        target = self.rules[0].target
        return len(self.rules) > 1 or target.is_empty or target.wanted() != ("", "")

    # Inside

    def _append(self) -> RuleEditor:
        rule = RuleEditor(self._forms, self.stack)
        rule.target.set_kinds(self._kinds)
        rule.set_context(*self._context)
        rule.set_left(*self._left)
        rule.set_files(*self._files)
        rule.set_colors(self._colors)
        rule.set_amount_used(used=self._amount_used)
        rule.changed.connect(self._after_change)
        rule.maskFileRequested.connect(self.maskFileRequested)
        rule.scoresFileRequested.connect(self.scoresFileRequested)
        self.rules.append(rule)
        self.stack.add(rule)
        return rule

    def _add_clicked(self) -> None:
        prunes = [rule for rule in self.rules if not (form := rule.form()) or not form.excludes]
        last = (prunes or self.rules)[-1]
        self._add(str(last.method.currentData() or ""), last.fields.valid_values())

    def _exclude_clicked(self) -> None:
        self._add(next(form.name for form in self._forms if form.excludes), {})

    def _add(self, method: str, values: Mapping[str, Any]) -> None:
        """Add a rule that names no tensors yet: nothing else is asked for by that."""
        rule = self._append()
        rule.set_row(FormRow("", "", method, values))
        rule.target.set_empty()
        rule.set_matches(None)
        self.stack.setCurrentIndex(len(self.rules) - 1)
        self.arrange()
        rule.target.setFocus()

    def _remove_clicked(self) -> None:
        place = self.stack.currentIndex()
        rule = self.rules.pop(place)
        self.stack.take(rule)
        if len(self.rules) == 1:
            self.add.setFocus()
        self.arrange()
        if not rule.target.is_empty:
            self.changed.emit()

    def _show_rule(self, place: int) -> None:
        if 0 <= place < len(self.rules):
            self.stack.setCurrentIndex(place)

    def _after_change(self) -> None:
        self.arrange()
        self.changed.emit()

    def arrange(self) -> None:
        """Show the list as the rules are now."""
        several = self.several
        said = self._said() if several else []
        place, room = self.stack.currentIndex(), self.list.room
        methods = [rule.method.currentData() for rule in self.rules]  # each has its own height
        needed = (tuple(self.rules), *methods, *said, place, room, self.list.fontMetrics().height())
        if needed == self._arranged:
            return  # to lay out the form anew takes a part of each move of a slider
        self._arranged = needed
        for rule in self.rules:
            rule.set_rules_shown(shown=several)
        blocker = QSignalBlocker(self.list)
        self.list.show_rules(
            [(self._lines(*each, room), "\n".join(filter(None, each[1:]))) for each in said],
            place,
        )
        del blocker
        self.list.setVisible(several)
        self.order.setVisible(several)
        self.remove.setVisible(several)
        self.remove.setEnabled(len(self.rules) > 1)

    def _said(self) -> list[tuple[str, str, str, str]]:
        """Return the number of each rule, its tensors, what it does, and how many tensors it takes.

        A rule that is ignored has no number: the step, and what is said of it, knows nothing of it.
        """
        used = self.used
        counts = self._counts if len(used) == len(self._counts) else (None,) * len(used)
        known = dict(zip(map(id, used), enumerate(counts, 1), strict=True))
        found = []
        for rule in self.rules:
            number, count = known.get(id(rule), (0, None))
            found.append(
                (f"{number}. " if number else "", *rule.describe(), self._many(rule, count))
            )
        return found

    def _many(self, rule: RuleEditor, count: int | None) -> str:
        if rule.refused:
            return self.tr("✕ matches nothing")
        if count is None:
            return ""
        if not count:
            return self.tr("later rules take its tensors")
        if count == 1:
            return self.tr("1 tensor")
        return self.tr("{n} tensors").format(n=number_format.count(count))

    def _lines(self, first: str, target: str, done: str, many: str, room: int) -> list[str]:
        """Return what is said of a rule, in lines of so many pixels."""
        metrics = self.list.fontMetrics()
        advance = metrics.horizontalAdvance
        name = self._names.fitting(on_one_line(target), room - advance(first), advance)
        lines = [first]
        for pattern in re.split(r"(?<=, )", within_reason(name)):
            if advance(f"{lines[-1]}{pattern}") <= room:
                lines[-1] += pattern
            elif lines == [first]:
                lines = on_lines(first + pattern, room, advance)
            else:
                lines += on_lines(pattern, room, advance)
        if len(lines) > _MOST_TARGET:
            rest = "".join(lines[_MOST_TARGET - 1 :])
            middle = Qt.TextElideMode.ElideMiddle
            lines[_MOST_TARGET - 1 :] = [metrics.elidedText(rest, middle, room)]
        if many and advance(f"{lines[-1]} · {many}") <= room:
            lines[-1] += f" · {many}"
        elif many:
            lines.append(many)
        return [*lines, done]
