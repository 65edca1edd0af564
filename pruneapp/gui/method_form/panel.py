"""The form: one rule for the checked tensors, or a list of rules that are one step.

Whether each tensor is cut by itself, or all of them by one threshold.

Whether the bias and norm of the channels that go should go as well, and why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from pruneapp.gui.method_form.fields import LimitsSection, label_width
from pruneapp.gui.method_form.form_model import FormRequest, FormRow, MethodForm
from pruneapp.gui.method_form.rules import RuleEditor, Rules
from pruneapp.gui.widgets.controls import replace as put_in_place
from pruneapp.gui.widgets.labels import heading, plain, recolor
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.theme import with_defaults
from pruneapp.params import Amount, AmountParam, Param
from pruneapp.results.short_names import ShortNames


class ScopeRow(QWidget):
    """Two radio buttons.

    Attributes
    ----------
    each, all
        The buttons: the scopes "local" and "global".
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.each = QRadioButton(self.tr("per tensor"), self)
        self.each.setToolTip(
            self.tr("Each tensor is pruned to the same fraction of its own weights.")
        )
        self.all = QRadioButton(self.tr("global"), self)
        self.all.setToolTip(
            self.tr("One threshold for all tensors: the fraction pruned varies by tensor.")
        )
        for radio in (self.each, self.all):
            radio.setAccessibleDescription(radio.toolTip())
        group = QButtonGroup(self)
        group.addButton(self.each)
        group.addButton(self.all)
        self.each.setChecked(True)
        label = QLabel(self.tr("Scope"), self)
        label.setMinimumWidth(label_width(self))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(label)
        row.addWidget(self.each)
        row.addWidget(self.all)
        row.addStretch(1)


class CompanionsRow(QWidget):
    """A check box, and below it why, and of how many tensors.

    The lines below stand there once it is checked, and where it would not do what one expects: a
    form of this height leaves the forecast its room. Its tooltip always has them.

    Signals
    -------
    changed
        The person checked or unchecked it.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = QCheckBox(self.tr("Also prune matching bias and norm entries"), self)
        self.note = plain(wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.box)
        layout.addWidget(self.note)
        self.setFocusProxy(self.box)
        self.box.clicked.connect(self.changed)
        self.box.toggled.connect(self._show_note)
        self._as_expected = True
        self.set_paired(None, 0)

    def set_paired(self, paired: int | None, tensors: int) -> None:
        """Take how many of the tensors have a bias or norm by their names; None: not known yet."""
        why = self.tr(
            "A pruned filter still outputs a constant if its norm layer has a bias (beta)."
        )
        if paired == 0:
            text = self.tr("No bias or norm layer was found for these tensors by name.")
        elif paired is None or paired == tensors:
            text = why
        else:
            text = self.tr("{why} {n} of {m} tensors have a matching bias or norm.").format(
                why=why, n=count(paired), m=count(tensors)
            )
        self.note.setText(text)
        self._as_expected = text == why
        self._show_note()
        tip = self.tr(
            "Matching entries are found by name, for example conv1 and bn1 in the same "
            "module. They do not count toward the amount."
        )
        self.box.setToolTip(f"{text} {tip}")
        self.box.setAccessibleDescription(f"{text} {tip}")

    def _show_note(self) -> None:
        self.note.setVisible(self.box.isChecked() or not self._as_expected)

    def set_wanted(self, *, wanted: bool) -> None:
        """Show whether it is wanted, silently."""
        self.box.setChecked(wanted)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        recolor(self.note, with_defaults(colors)["muted"])


class PruneForm(QWidget):
    """Asks how to prune. `header` is its heading with the buttons of rules, to be placed above.

    Signals
    -------
    changed
        The person changed something; `request` and `errors` say what is asked for now.
    maskFileRequested, scoresFileRequested
        The person wants to load a mask, or importance scores.
    sizeAsked
        The person wants to say the total as the size of a file.
    roundsAsked
        The person wants the rule to be repeated to a final amount.
    checkedUsed(bool)
        Whether any of the rules is for the checked tensors now.
    """

    changed = Signal()
    maskFileRequested = Signal()
    scoresFileRequested = Signal()
    sizeAsked = Signal()
    roundsAsked = Signal()
    checkedUsed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colors = with_defaults({})
        self.rules_part = Rules(self)
        self.list, self.order, self.stack = self.rules_part.parts
        self.add, self.exclude = self.rules_part.add, self.rules_part.exclude
        self.remove = self.rules_part.remove
        self.header = QWidget()  # apart: it stays in sight when the form scrolls
        line = QHBoxLayout(self.header)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        line.addWidget(heading(self.tr("Pruning step")))
        line.addStretch(1)
        for button in (self.remove, self.add, self.exclude):
            line.addWidget(button)
        self.rounds = QPushButton(self.tr("Iterative pruning…"), self)
        self.rounds.setFlat(True)
        self.rounds.setToolTip(
            self.tr("Repeat this step on a sparsity schedule (Ctrl+Shift+Return)")
        )
        self.rounds.setAccessibleDescription(self.rounds.toolTip())

        self.scope_row = ScopeRow(self)
        self.each, self.all = self.scope_row.each, self.scope_row.all
        self.scope_note = plain(wrap=True)  # where the scope stands, if one rule decides it
        self.companions = CompanionsRow(self)
        self.limits = LimitsSection(parent=self)
        self._column = layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        for part in self.rules_part.parts:
            layout.addWidget(part)
        layout.addWidget(self.scope_row)
        layout.addWidget(self.scope_note)
        layout.addWidget(self.companions)
        self._buttons = buttons = QHBoxLayout()
        layout.addLayout(buttons)
        buttons.setSpacing(4)
        advance = self.rounds.fontMetrics().horizontalAdvance(self.rounds.text())
        self.rounds.setFixedWidth(advance + 12)  # flat: as wide as its words
        buttons.addWidget(self.limits.button)
        buttons.addWidget(self.rounds)
        buttons.addStretch(1)
        layout.addWidget(self.limits)

        self.rules_part.changed.connect(self._after_change)
        self.rules_part.maskFileRequested.connect(self.maskFileRequested)
        self.rules_part.scoresFileRequested.connect(self.scoresFileRequested)
        for button in (self.add, self.exclude, self.remove):
            button.clicked.connect(self._arrange)  # a rule without tensors asks for nothing else
        self.rounds.clicked.connect(self.roundsAsked)
        self.all.toggled.connect(self.changed)
        self.companions.changed.connect(self.changed)
        self._arrange()

    # Told

    def set_methods(self, forms: Sequence[MethodForm]) -> None:
        """Offer these methods; what was asked for stays as far as they allow."""
        former = self._snapshot()
        self.rules_part.set_methods(forms)
        self._build(former)

    def set_rule_counts(self, counts: Sequence[int]) -> None:
        """Take how many tensors fall under each rule of the request; none if not known."""
        self.rules_part.set_counts(counts)

    def set_matches(
        self,
        row: int,
        taken: int | None,
        left: int = 0,
        names: Sequence[str] = (),
        *,
        error: str = "",
    ) -> bool:
        """Say beside a rule of the request how many tensors it takes, see `RuleEditor.set_matches`.

        Returns whether this rule is the one that is shown; if not, an error has to be said
        elsewhere.
        """
        rule = self.rules_part.used[row]
        rule.set_matches(taken, left, names, error=error)
        self.rules_part.arrange()
        return rule is self.stack.currentWidget()

    def set_names(self, names: ShortNames) -> None:
        """Take the shorter forms of the names of the file."""
        self.rules_part.set_names(names)

    def set_amount(self, amount: Amount, row: int = 0) -> None:
        """Show how much a rule of the request takes, silently."""
        used = self.rules_part.used
        if 0 <= row < len(used):
            used[row].set_amount(amount)
            self._arrange()

    def set_limits(self, params: Sequence[Param]) -> None:
        """Offer these limits, none of which binds."""
        old = self.limits
        self.limits = LimitsSection(params, self)
        self.limits.set_colors(self._colors)
        self.limits.changed.connect(self._after_limits)
        self.limits.sizeAsked.connect(self.sizeAsked)
        put_in_place(self._buttons, old.button, self.limits.button)
        put_in_place(self._column, old, self.limits)
        self._after_limits_shown()

    def set_limit(self, name: str, value: Any) -> None:
        """Show one limit, silently."""
        self.limits.set_limit(name, value)
        self._after_limits_shown()

    def set_limits_error(self, text: str) -> None:
        """Say beside the limits what is wrong with them together, until one changes."""
        self.limits.set_error(text)

    def set_paired(self, paired: int | None, tensors: int) -> None:
        """Take how many of the tensors have a bias or norm that may go along; None: not known."""
        self.companions.set_paired(paired, tensors)

    def set_kinds(self, kinds: Sequence[str]) -> None:
        """Offer these kinds of layers to rules."""
        self.rules_part.set_kinds(kinds)

    def set_context(self, shape: tuple[int, ...], kind: str) -> None:
        """Spell dimensions out for a tensor of this shape and kind; sizes below 0 differ."""
        self.rules_part.set_context(shape, kind)
        self.companions.setVisible(self._takes_filters())

    def set_left(self, weights: int | None, channels: int | None = None) -> None:
        """Take note of how much of the checked tensors is not pruned yet: the slider's length."""
        self.rules_part.set_left(weights, channels)

    def set_mask_file(self, name: str) -> None:
        """Show which mask was loaded; empty for none."""
        self.rules_part.set_mask_file(name)

    def set_scores_file(self, name: str) -> None:
        """Show which importance scores were loaded; empty for none."""
        self.rules_part.set_scores_file(name)

    def set_error(self, param: str, text: str, row: int | None = None) -> bool:
        """Say what is wrong beside a field of a rule (of the one that is shown).

        Returns whether there is such a field; if not, it has to be said elsewhere.
        """
        place = self.stack.currentIndex() if row is None else row
        return 0 <= place < len(self.rules) and self.rules[place].set_error(param, text)

    def set_request(self, request: FormRequest) -> None:
        """Show what is asked for, silently."""
        self._build(request)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self._colors = with_defaults(colors)
        for part in (self.rules_part, self.limits, self.companions):
            part.set_colors(self._colors)
        recolor(self.scope_note, self._colors["muted"])

    def reset(self) -> None:
        """Go back to one rule for the checked tensors, with the defaults of its method."""
        method = str(self.rules[0].method.currentData() or "")
        self._build(FormRequest((FormRow("", "", method),)))

    def choose_method(self, name: str) -> None:
        """Choose a method in the rule that is shown, as if the person had; nothing if unknown."""
        method = self.rules[self.stack.currentIndex()].method
        place = method.findData(name)
        if place >= 0:
            method.setCurrentIndex(place)
            self.focus_method()

    def focus_method(self) -> None:
        """Put the cursor on the method of the rule that is shown."""
        shown = self.rules[self.stack.currentIndex()]
        shown.method.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focus_amount(self) -> None:
        """Put the cursor into the amount of the rule that is shown, its text selected.

        Where the method has none, on the method.
        """
        shown = self.rules[self.stack.currentIndex()]
        for field in shown.fields.fields.values():
            if isinstance(field.param, AmountParam) and field.editor.isEnabled():
                field.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return
        self.focus_method()

    # Asked

    @property
    def rules(self) -> list[RuleEditor]:
        """The rules, at least one."""
        return self.rules_part.rules

    @property
    def names_tensors(self) -> bool:
        """Whether the person is at the field for the tensors of the rule that is shown."""
        return self.rules[self.stack.currentIndex()].target.hasFocus()

    def errors(self) -> tuple[str, ...]:
        """Return what is wrong, sentence by sentence; empty if all is in order."""
        used = self.rules_part.used
        found = [error for rule in used for error in rule.errors()]
        if not used:
            found.append(self.tr("Enter the tensors that this rule applies to."))
        return (*found, *self.limits.errors())

    def said_beside_fields(self) -> tuple[str, ...]:
        """Return those of `errors` that can be read beside a field at the moment."""
        beside = self.limits.errors() if self.limits.isVisible() else ()
        return (*self.rules[self.stack.currentIndex()].fields.errors(), *beside)

    def request(self) -> FormRequest | None:
        """Return what is asked for; None while `errors` has something to say."""
        if self.errors():
            return None
        rows = tuple(rule.row() for rule in self.rules_part.used)
        return FormRequest(rows, self.scope(), self.limits.values(), self._with_companions())

    def mended(self) -> FormRequest:
        """Return what is asked for, with the default in place of each value that is wrong.

        And with the rule that is shown, which is the first if that one is ignored.
        """
        limits = {} if self.limits.errors() else self.limits.values()
        # A rule alone that names no tensors is kept for its method, and is for the checked ones.
        used = self.rules_part.used or self.rules[:1]
        shown = self.stack.currentWidget()
        selected = next((place for place, rule in enumerate(used) if rule is shown), 0)
        rows = tuple(rule.mended() for rule in used)
        return FormRequest(rows, self.scope(), limits, self._with_companions(), selected)

    def scope(self) -> str:
        """Return "local" or "global", as far as all rules can do it."""
        scopes = self._scopes()
        wanted = "global" if self.all.isChecked() else "local"
        if wanted in scopes:
            return wanted
        return "local" if "local" in scopes or not scopes else "global"

    def _with_companions(self) -> bool:
        # What cannot be seen is not asked for.
        return self._takes_filters() and self.companions.box.isChecked()

    def _takes_filters(self) -> bool:
        return any(rule.takes_filters() for rule in self.rules_part.used)

    def _scopes(self) -> set[str]:
        found = {"local", "global"}
        for rule in self.rules_part.used:
            form = rule.form()
            found &= set(form.scopes) if form else set()
        return found

    def _decided_scope(self) -> str:
        """Say which rule decides the scope of others that have a choice; empty if none does."""
        forms = [(place, rule.form()) for place, rule in enumerate(self.rules_part.used, 1)]
        known = [(place, form) for place, form in forms if form is not None]
        deciding = [(place, form) for place, form in known if len(form.scopes) == 1]
        if len(self._scopes()) != 1 or len(deciding) in {0, len(known)}:
            return ""
        place, form = deciding[0]
        if form.scopes == ("local",):
            said = self.tr(
                "Scope: per tensor, because {method} in rule {n} has no global threshold."
            )
        else:
            said = self.tr(
                "Scope: global, because {method} in rule {n} ranks all tensors together."
            )
        return said.format(method=form.label, n=place)

    # Inside

    def _snapshot(self) -> FormRequest:
        scope = "global" if self.all.isChecked() else "local"
        return replace(self.mended(), scope=scope, companions=self.companions.box.isChecked())

    def _build(self, request: FormRequest) -> None:
        blocker = QSignalBlocker(self.all)
        self.rules_part.set_rows(request.rows, request.selected)
        self.companions.set_wanted(wanted=request.companions)
        (self.all if request.scope == "global" else self.each).setChecked(True)
        self.limits.set_values(request.limits)
        self._after_limits_shown()
        self._arrange()
        del blocker

    def _after_change(self) -> None:
        self._arrange()
        self.changed.emit()

    def _after_limits(self) -> None:
        self._after_limits_shown()
        self.changed.emit()

    def _after_limits_shown(self) -> None:
        self.rules_part.set_amount_used(used=not self.limits.takes_amounts_place)

    def _arrange(self) -> None:
        """Show what is needed for so many rules and these methods."""
        self.rules_part.arrange()
        self.companions.setVisible(self._takes_filters())
        self.rounds.setVisible(not self.rules_part.several and self.rules[0].takes_amount())
        self.scope_row.setVisible(self._scopes() == {"local", "global"})
        decided = self._decided_scope()
        self.scope_note.setText(decided)
        self.scope_note.setVisible(bool(decided))
        self.checkedUsed.emit(any(r.target.wanted() == ("", "") for r in self.rules_part.used))
