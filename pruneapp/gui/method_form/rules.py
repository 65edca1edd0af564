"""The rules of a step: a list of them, as soon as there are several, and the one that is edited."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from pruneapp.gui.method_form.form_model import FormRow, MethodForm
from pruneapp.gui.method_form.rules_rule import RuleEditor
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.labels import (
    as_plain,
    on_lines,
    on_one_line,
    plain,
    recolor,
    within_reason,
)
from pruneapp.gui.widgets.theme_colors import with_defaults
from pruneapp.results.short_names import ShortNames

# Lines of the list that are seen without scrolling it.
_MOST_LINES = 9
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
        for lines, whole in rules:
            # Made here: of an item that the list makes, Python is not told when it is deleted.
            item = QListWidgetItem("\n".join(lines))
            item.setToolTip(as_plain(whole))
            item.setSizeHint(QSize(0, len(lines) * line + 8))
            self.addItem(item)
            height += item.sizeHint().height()
        self.setCurrentRow(current)
        most = _MOST_LINES * line
        self.setFixedHeight(max(min(height, most), 2 * (line + 8)) + 2 * self.frameWidth())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say it if lines have another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.resized.emit()


class Rules(QObject):
    """Edits rules; what is told of the checked tensors is told to all of them.

    Attributes
    ----------
    rules
        Their editors, at least one.
    parts
        What is to be placed below each other: the list, what is said of it, the editor. Not in a
        widget of their own, which would take the height of wrapped text at another width.
    add, remove
        Buttons, to be placed below.

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
        self.order = plain(self.tr("A tensor falls under the last rule that names it."), wrap=True)
        self.stack = QStackedWidget(parent)
        self.parts = (self.list, self.order, self.stack)
        self.remove = QPushButton(self.tr("Remove"), parent)
        self.remove.setToolTip(self.tr("Remove the selected rule"))
        self.add = QPushButton(self.tr("Add rule…"), parent)
        self.add.setFlat(True)
        self.add.setToolTip(
            self.tr("Another method or amount for other tensors, as part of the same step")
        )
        self.add.setAccessibleDescription(self.add.toolTip())
        self.add.clicked.connect(self._add_clicked)
        self.remove.clicked.connect(self._remove_clicked)
        self.list.currentRowChanged.connect(self._show_rule)
        self._append()
        self.arrange()

    # Told

    def set_methods(self, forms: Sequence[MethodForm]) -> None:
        """Offer these methods to rules that come from now on."""
        self._forms = tuple(forms)

    def set_rows(self, rows: Sequence[FormRow]) -> None:
        """Show these rules in place of all, silently; none is one with nothing said."""
        blocker = QSignalBlocker(self.list)
        for rule in self.rules:
            self.stack.removeWidget(rule)
            rule.deleteLater()
        self.rules = []
        for row in rows or (FormRow("", "", ""),):
            self._append().set_row(row)
        self.stack.setCurrentIndex(0)
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
        """Take how many tensors fall under each rule; none if that is not known."""
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
    def several(self) -> bool:
        """Whether it has to be said for which tensors a rule is."""
        return len(self.rules) > 1 or self.rules[0].target.wanted() != ("", "")

    def rows_in_order(self) -> tuple[FormRow, ...]:
        """Return the rules as they are, without the values that are wrong."""
        return tuple(
            FormRow(
                *rule.target.wanted(),
                str(rule.method.currentData() or ""),
                rule.fields.valid_values(),
            )
            for rule in self.rules
        )

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
        self.stack.addWidget(rule)
        return rule

    def _add_clicked(self) -> None:
        taken = {rule.target.wanted() for rule in self.rules}
        free = next((kind for kind in self._kinds if ("", kind) not in taken), "")
        last = self.rules[-1]
        method = str(last.method.currentData() or "")
        rule = self._append()
        rule.set_row(FormRow("", free, method, last.fields.valid_values()))
        self.stack.setCurrentWidget(rule)
        self.arrange()
        rule.target.setFocus()
        if (line := rule.target.lineEdit()) is not None:
            line.selectAll()  # what is typed next is a pattern
        self.changed.emit()

    def _remove_clicked(self) -> None:
        place = self.stack.currentIndex()
        rule = self.rules.pop(place)
        self.stack.removeWidget(rule)
        rule.deleteLater()
        if len(self.rules) == 1 and self.rules[0].target.wanted() == ("", ""):
            self.add.setFocus()
        self.arrange()
        self.changed.emit()

    def _show_rule(self, place: int) -> None:
        if 0 <= place < len(self.rules):
            self.stack.setCurrentIndex(place)
            self._fit_stack()

    def _after_change(self) -> None:
        self.arrange()
        self.changed.emit()

    def arrange(self) -> None:
        """Show the list as the rules are now."""
        several = self.several
        said = [self._said(place) for place in range(len(self.rules))] if several else []
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
            [
                (self._lines(number, *each, room), "\n".join(filter(None, each)))
                for number, each in enumerate(said, 1)
            ],
            place,
        )
        del blocker
        self.list.setVisible(several)
        self.order.setVisible(several)
        self.remove.setVisible(several)
        self.remove.setEnabled(len(self.rules) > 1)
        self._fit_stack()

    def _said(self, place: int) -> tuple[str, str, str]:
        """Say which tensors a rule is for, what it does, and how many tensors fall under it."""
        rule = self.rules[place]
        target, done = rule.describe()
        if rule.refused:
            return target, done, self.tr("✕ matches nothing")
        if len(self.rules) != len(self._counts):
            return target, done, ""
        count = self._counts[place]
        if not count:
            return target, done, self.tr("later rules take its tensors")
        if count == 1:
            return target, done, self.tr("1 tensor")
        return target, done, self.tr("{n} tensors").format(n=number_format.count(count))

    def _lines(self, number: int, target: str, done: str, many: str, room: int) -> list[str]:
        """Return what is said of a rule, in lines of so many pixels."""
        metrics = self.list.fontMetrics()
        advance = metrics.horizontalAdvance
        first = f"{number}. "
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

    def _fit_stack(self) -> None:
        # A stack is as high as its highest page; only the one in front is to count.
        front = self.stack.currentWidget()
        for rule in self.rules:
            policy = rule.sizePolicy()
            policy.setVerticalPolicy(
                QSizePolicy.Policy.Preferred if rule is front else QSizePolicy.Policy.Ignored
            )
            rule.setSizePolicy(policy)
        self.stack.updateGeometry()
