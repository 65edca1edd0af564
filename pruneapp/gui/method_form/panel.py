"""The pruning form: one rule for the checked tensors, or a list of rules that are one step."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QLabel,
    QMenu,
    QRadioButton,
    QStyle,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pruneapp.gui.method_form.fields import LimitsSection, fit_label
from pruneapp.gui.method_form.form_model import (
    AmountNote,
    FollowingTensor,
    FormContext,
    FormDependents,
    FormRequest,
    FormRow,
    MethodForm,
)
from pruneapp.gui.method_form.rules import RuleEditor, RuleList
from pruneapp.gui.method_form.warning_rows import OutputsRow, UnionRow, flat_button
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import (
    add_row,
    follow_font,
    give_focus,
    lay_in_column,
    lay_in_row,
)
from pruneapp.gui.widgets.controls import replace as put_in_place
from pruneapp.gui.widgets.engine_text import translate_sentence
from pruneapp.gui.widgets.labels import (
    MUTED,
    ElidedLabel,
    as_plain,
    elide_text,
    heading,
    join_names,
    join_sentences,
    on_lines,
    on_one_line,
    plain,
    translate,
    within_reason,
)
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.params import Amount, AmountParam, Param

# maximum number of lines for the tensors of a rule
_MAX_TARGET_LINES = 3
# For which tensors of a step all dependents are pruned; "outputs": for all but output layers.
Covered = Literal["none", "some", "outputs", "all"]


class NotedBox(QWidget):
    """A check box with a note below."""

    changed = Signal()  # the user clicked the box

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = QCheckBox(text, self)
        self.note = plain(wrap=True, ink=MUTED)
        layout = lay_in_column(self, spacing=2)
        self._line = add_row(layout, self.box)
        layout.addWidget(self.note)
        self.setFocusProxy(self.box)
        self.box.clicked.connect(self._on_clicked)

    def _on_clicked(self) -> None:
        self.changed.emit()

    def _set_tip(self, *sentences: str) -> None:
        tip = join_sentences(*sentences)
        self.box.setToolTip(as_plain(tip))
        self.box.setAccessibleDescription(tip)


class CompanionsRow(NotedBox):
    """A check box to prune bias and norm, which is below that for all dependents.

    Attributes
    ----------
    choice
        The user's choice. It has no effect while the dependents of all tensors are pruned, which
        include biases and norms, or if none are found.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.choice = False
        self._covered: Covered = "none"
        self._paired: int | None = None
        self._tensors = self._pruned = 0
        follow_font(self, lambda row: row.setContentsMargins(_indent_of(row.box), 0, 0, 0))
        self._show()

    @property
    def in_force(self) -> bool:
        """Whether biases and norms are pruned in addition to the dependents."""
        return self.box.isEnabled() and self.box.isChecked()

    def set_choice(self, *, choice: bool) -> None:
        """Set an earlier choice of the user without emitting `changed`."""
        self.choice = choice
        self._show()

    def set_covered(self, covered: Covered) -> None:
        """Set for which tensors of the step all dependents are pruned."""
        if covered != self._covered:
            self._covered = covered
            self._show()

    def set_paired(self, paired: int | None, tensors: int, pruned: int = 0) -> None:
        """Set how many of `tensors` tensors have a bias or norm, found by name.

        `paired` is None while that is not known. `pruned` is the number of their biases and tensors
        of norms.
        """
        self._paired, self._tensors, self._pruned = paired, tensors, pruned
        self._show()

    def _on_clicked(self) -> None:
        self.choice = self.box.isChecked()
        self._show()
        super()._on_clicked()

    def _show(self) -> None:
        included, absent = self._covered == "all", self._paired == 0
        text = self.tr("Biases and norm layers only")
        if included:
            text = self.tr("Biases and norm layers (included)")
        elif absent:
            text = self.tr("Biases and norm layers (none found)")
        elif self._covered == "some":
            text = self.tr("Biases and norms where dependents are unknown")
        elif self._covered == "outputs":
            text = self.tr("Biases and norms of output layers")
        self.box.setText(text)
        self.box.setEnabled(not included and not absent)
        self.box.setChecked(included or (self.choice and not absent))
        found = self._found_text()
        self.note.setText(found)
        self.note.setVisible(bool(found) and self.in_force)
        if included:
            self._set_tip(self.tr("The dependent tensors include biases and norm layers."))
            return
        why = self.tr(
            "A pruned filter still outputs a constant if its norm layer has a bias (beta)."
        )
        tip = self.tr(
            "Matching entries are found by name, for example conv1 and bn1 in the same "
            "module. They do not count toward the amount."
        )
        self._set_tip(*filter(None, (found, why, tip)))

    def _found_text(self) -> str:
        """Return how many tensors are pruned as well, and which have none; "" if not known."""
        if self._paired is None or self._covered in {"some", "outputs"}:
            return ""  # the number includes biases that are dependents
        if not self._paired:
            return self.tr("No bias or norm layer was found for these tensors by name.")
        one = self.tr("Prunes 1 bias or norm tensor in addition to the amount.")
        several = self.tr("Prunes {n} bias and norm tensors in addition to the amount.")
        text = number_format.plural(self._pruned, one, several)
        if self._paired == self._tensors:
            return text
        some = self.tr("{n} of {m} tensors have a matching bias or norm.").format(
            n=number_format.count(self._paired), m=number_format.count(self._tensors)
        )
        return join_sentences(text, some)


class DependentsRow(NotedBox):
    """A check box to prune dependents, with a note about which tensors these are.

    `companions` is the row for biases and norms, which are a part of the dependents.

    Attributes
    ----------
    choice
        The user's choice; None for the default, which is checked if the dependents of all tensors
        are known.
    """

    codeRequested = Signal()  # the user wants code that writes the graph of the model to a file
    traceRequested = Signal()  # the user wants to trace the model

    def __init__(self, companions: CompanionsRow, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._companions = companions
        self.choice: bool | None = None
        self._found: FormDependents | None = None
        self.trace = QToolButton(self)
        self.trace.setText(self.tr("Trace the model"))
        self.trace.clicked.connect(self.traceRequested)
        # In its menu, because a second button would make the form wider for some methods.
        menu = QMenu(self.trace)
        self.code = menu.addAction(translate("ProgramCode", "Copy code"))
        self.code.triggered.connect(self.codeRequested)
        self.trace.setMenu(menu)
        self.trace.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self._line.addWidget(self.trace)
        self._show_found()

    def set_choice(self, choice: bool | None) -> None:
        """Set an earlier choice of the user without emitting `changed`."""
        self.choice = choice
        self._show_found()

    def set_found(self, found: FormDependents | None) -> None:
        """Set the dependents of the tensors of structured rules; None: not known yet."""
        self._found = found
        self._show_found()

    def _on_clicked(self) -> None:
        self.choice = self.box.isChecked()
        self._show_found()
        super()._on_clicked()

    def _show_found(self) -> None:
        found, text, whole = self._found, "", ""
        if found is not None:
            text, whole = (self._dependents_text(found, whole=each) for each in (False, True))
        self.box.setEnabled(found is not None and found.known > 0)
        self.box.setChecked(found is not None and found.in_force(self.choice))
        # A note that applies to all tensors of the file is only in the tooltip.
        of_model = found is not None and found.of_model
        words = self.tr("Also prune dependent tensors")
        unknown = self.tr("Also prune dependent tensors (unavailable)")
        offers_code = found is not None and found.known < found.tensors and found.offers_code
        self.trace.setVisible(offers_code)
        if offers_code:
            words = self.tr("Dependent tensors")  # leaves room for the button
        elif of_model:
            words = unknown
        self.box.setText(words)
        self.note.setText(text)
        self.note.setVisible(bool(text) and not of_model)
        tip = self.tr(
            "Also prunes the matching parts of other tensors: input channels of the next layer, "
            "biases and norms. These weights do not count toward the amount, and protected "
            "weights are kept."
        )
        self._set_tip(whole, tip)
        covered: Covered = "none"
        if found is not None and self.box.isChecked():
            covered = "outputs" if found.outputs else "all"
            covered = "some" if found.known < found.tensors else covered
        self._companions.set_covered(covered)

    def _dependents_text(self, found: FormDependents, *, whole: bool) -> str:
        """Return sentences about the dependents, for the note (short) or the tooltip (`whole`).

        They name roles, or tensors if `whole`. Empty if all are known and there are none.
        """
        if not found.known:
            return translate_sentence(found.why_not)
        texts = [self._unknown_sentence(found, whole=whole)]
        if whole and texts[0]:
            texts.append(translate_sentence(found.why_not))
        if found.in_force(self.choice):
            texts.insert(0, self._dependents_sentence(found, whole=whole))
        elif self.choice is None and whole:
            texts.append(self._dependents_sentence(found, whole=whole))
        return join_sentences(*texts)

    def _dependents_sentence(self, found: FormDependents, *, whole: bool) -> str:
        """Return a sentence about what is pruned on top of the amount, or would be if checked."""
        if not found.following:
            of_checked = self.tr("Also prunes parts of other checked tensors.")
            return of_checked if found.in_checked and found.in_force(self.choice) else ""
        named = join_names(*(self._tensor_text(each, whole=whole) for each in found.first))
        if found.more or (whole and len(found.first) < found.following):
            named = join_names(named, "…")
        else:
            named = self.tr("{names}.").format(names=named)
        one = self.tr("Also prunes 1 dependent tensor, in addition to the amount: {names}")
        several = self.tr("Also prunes {n} dependent tensors, in addition to the amount: {names}")
        if not found.in_force(self.choice):
            one = self.tr(
                "If you check it, 1 dependent tensor is pruned too, in addition to the amount: "
                "{names}"
            )
            several = self.tr(
                "If you check it, {n} dependent tensors are pruned too, in addition to the amount: "
                "{names}"
            )
        return number_format.plural(found.following, one, several).format(names=named)

    def _tensor_text(self, tensor: FollowingTensor, *, whole: bool) -> str:
        """Return the name of a dependent and which of its slices are pruned: "fc columns".

        `whole`: the full name, not the role. A 1-D tensor has only the name.
        """
        name = tensor.name if whole else tensor.role
        if tensor.dims == 1:
            return name
        words = {0: self.tr("{name} rows"), 1: self.tr("{name} columns")}
        if tensor.dims > 2:
            words = {0: self.tr("{name} outputs"), 1: self.tr("{name} inputs")}
        text = words.get(tensor.dim, self.tr("{name} dim {dim}"))
        return text.format(name=name, dim=tensor.dim)

    def _unknown_sentence(self, found: FormDependents, *, whole: bool) -> str:
        """Return a sentence about tensors whose dependents are not known; empty without any."""
        rest = found.tensors - found.known
        if not rest:
            return ""
        by_default = self.choice is None  # then it is the reason why the box is not checked
        name = found.unknown if whole else found.unknown_role
        if rest == 1:
            text = self.tr("The dependents of {name} are unknown.")
            if by_default:
                text = self.tr("Off by default, because the dependents of {name} are unknown.")
            return text.format(name=name)
        text = self.tr("The dependents of {n} tensors are unknown.")
        if by_default:
            text = self.tr("Off by default: the dependents of {n} tensors are unknown.")
        example = self.tr("One of them is {name}.").format(name=name) if whole else ""
        return join_sentences(text.format(n=number_format.count(rest)), example)


class PruneForm(QWidget):
    """The form for a pruning step. `header`, its title with buttons, is to be placed above it."""

    changed = Signal(object)  # (FormRequest, or None while there are `errors`)
    released = Signal()  # the user released a slider
    fileRequested = Signal(str)  # the user asked to load "masks", "scores" or "statistics"
    collectRequested = Signal()  # the user asked to collect statistics
    sizeRequested = Signal()  # the user asked to compute the total from the size of a file
    roundsRequested = Signal()  # the user asked for iterative pruning
    # whether any rule, and whether all rules, are for the checked tensors
    checkedUsed = Signal(bool, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = FormContext()
        self._methods: tuple[MethodForm, ...] = ()
        self._arranged: tuple[object, ...] = ()
        self._shares: tuple[Mapping[int, int], ...] = ()
        self._shared: list[tuple[str, str]] = []  # targets of the rules that `_shares` refers to
        self._names = ShortNames()
        self.rules: list[RuleEditor] = []  # at least one
        self.list = RuleList(self)
        self.list.setAccessibleName(self.tr("Rules"))
        order = self.tr("The last rule that matches a tensor applies to it.")
        self.order = plain(order, wrap=True, ink=MUTED)
        self._editors = QWidget(self)
        self._editor_column = lay_in_column(self._editors)
        self.remove = flat_button(self.tr("Remove"), self.tr("Remove the selected rule"), self)
        self.add = flat_button(
            self.tr("Add rule…"),
            self.tr("Another method or amount for other tensors, as part of the same step"),
            self,
        )
        self.exclude = flat_button(
            self.tr("Exclude…"),
            self.tr("Exclude layers by pattern or type: adds a rule that prunes nothing"),
            self,
        )
        self.exclude.hide()  # until a method that excludes is offered
        self.header = QWidget()  # a separate widget, which does not scroll with the form
        top = QWidget(self.header)
        buttons = self.remove, self.add, self.exclude
        lay_in_row(top, heading(self.tr("Pruning step")), None, *buttons, spacing=4)
        # Shows the scope in the header, since the choice may be scrolled out of view or hidden.
        self.scope_note = ElidedLabel("", self.header, ink=MUTED)
        # Distance to the scrolled form.
        self.scope_note.setContentsMargins(0, 0, 0, 4)
        follow_font(
            self.scope_note, lambda note: note.setMinimumHeight(note.sizeHint().height() + 4)
        )
        lay_in_column(self.header, top, self.scope_note, spacing=4)
        self.rounds = flat_button(
            self.tr("Iterative pruning…"), self.tr("Repeat this step on a sparsity schedule"), self
        )

        self.each = _radio_button(
            self.tr("Per tensor"), self.tr("Each tensor or group is pruned to the same fraction.")
        )
        self.all = _radio_button(
            self.tr("Global"),
            self.tr(
                "One threshold for all tensors of a rule: the fraction pruned varies by tensor, "
                "and a tensor can be pruned completely."
            ),
        )
        self.each.setChecked(True)
        # The scopes chosen for methods that prune weights, and for those that prune whole channels
        # or units: a global cut of whole channels easily empties small layers.
        self._chosen_scopes = {False: "local", True: "local"}
        self.scope_row = QWidget(self)
        scope_label = QLabel(self.tr("Scope"), self.scope_row)
        fit_label(scope_label)
        lay_in_row(self.scope_row, scope_label, self.each, self.all, None)
        self.companions = CompanionsRow(self)
        self.dependents = DependentsRow(self.companions, self)
        self.union = UnionRow(self)
        self.union.groupsRequested.connect(lambda: self.choose_method("channel_groups"))
        self.outputs = OutputsRow(self)
        self.limits = LimitsSection(parent=self)
        # Not in containers, which would compute the height of wrapped text at another width.
        rules = self.list, self.order, self._editors
        self._column = layout = lay_in_column(self, *rules, self.scope_row, spacing=12)
        also = QVBoxLayout()
        layout.addLayout(also)
        also.setSpacing(4)
        also.addWidget(self.dependents)
        also.addWidget(self.companions)
        # Below the other rows with buttons: a warning that ends at a click moves up what follows,
        # and a second click must not press another button.
        layout.addWidget(self.union)
        layout.addWidget(self.outputs)
        self._buttons = add_row(layout, self.limits.button, self.rounds, None, spacing=4)
        layout.addWidget(self.limits)

        self.list.resized.connect(self._arrange_list)
        self.list.currentRowChanged.connect(self._show_rule)
        self.add.clicked.connect(self._add_clicked)
        self.exclude.clicked.connect(self._exclude_clicked)
        self.remove.clicked.connect(self._remove_clicked)
        self.rounds.clicked.connect(self.roundsRequested)
        self.all.toggled.connect(self._on_scope_toggled)
        self.dependents.changed.connect(self.emit_changed)
        self.companions.changed.connect(self.emit_changed)
        self.shown = self._insert(0)  # the rule whose editor is visible
        self._arrange()

    def set_methods(self, forms: Sequence[MethodForm]) -> None:
        """Set the methods; the rules stay, with values that are valid and defaults for others."""
        former = self.corrected_request()
        self._methods = tuple(forms)
        self.exclude.setVisible(any(form.excludes for form in forms))
        self.set_request(former)

    def emit_changed(self) -> None:
        """Emit `changed` with the present request."""
        self._forget_readings()
        self.changed.emit(self.request())

    def set_shares(self, shares: Sequence[Mapping[int, int]]) -> None:
        """Set which rules prune the tensors that each rule in use matches; empty if not known.

        Each mapping contains numbers of tensors by the number of the rule, from 1; key 0 is for
        tensors that limits exclude. The list shows them until the tensors of a rule change.
        """
        self._shares, self._shared = tuple(shares), self._targets()
        for place, (rule, share) in enumerate(zip(self.used, self._known_shares(), strict=True), 1):
            rule.set_elsewhere({n: count for n, count in share.items() if n != place})
        self._arrange_list()

    def _targets(self) -> list[tuple[str, str]]:
        return [rule.target.pattern_and_kind() for rule in self.used]

    def _known_shares(self) -> tuple[Mapping[int, int], ...]:
        """Return the shares of the rules in use; empty mappings if their tensors have changed."""
        targets = self._targets()
        known = len(targets) == len(self._shares) and targets == self._shared
        return self._shares if known else ({},) * len(targets)

    def set_matches(
        self,
        row: int,
        n_matching: int | None,
        n_skipped: int = 0,
        skipped_names: Sequence[str] = (),
        *,
        error: str = "",
    ) -> bool:
        """Show how many tensors a rule prunes; return whether all of the text is visible.

        `row` is its index among those in use; for the other parameters see
        `RuleEditor.set_matches`.
        """
        rule = self.used[row]
        if rule.set_matches(n_matching, n_skipped, skipped_names, error=error):
            self._arrange_list()
        return rule is self.shown and not rule.matched.is_elided

    def set_names(self, names: ShortNames) -> None:
        """Set the short forms of tensor names."""
        self._names = names
        self._arrange_list()

    def set_amount(self, amount: Amount, row: int = 0) -> None:
        """Show the amount of a rule of the request without emitting signals."""
        if 0 <= row < len(self.used):
            self.used[row].fields.set_amount(amount)
            self._arrange()

    def set_amount_notes(self, notes: Sequence[AmountNote]) -> None:
        """Show below the amount of each rule in use what it means; missing ones are empty."""
        for place, rule in enumerate(self.used):
            rule.fields.set_amount_note(notes[place] if place < len(notes) else AmountNote(""))

    def set_amount_error(self, text: str) -> None:
        """Show an error found elsewhere below the amount of the shown rule; "" clears all."""
        for rule in self.rules:
            rule.fields.set_amount_error(text if rule is self.shown else "")

    def set_limits(self, params: Sequence[Param]) -> None:
        """Replace the parameters of limits; all are at their defaults then. Emits no `changed`."""
        old = self.limits
        self.limits = LimitsSection(params, self)
        self.limits.changed.connect(self._on_limits_edited)
        self.limits.sizeRequested.connect(self.sizeRequested)
        put_in_place(self._buttons, old.button, self.limits.button)
        put_in_place(self._column, old, self.limits)
        self._after_limits_shown()

    def set_limit(self, name: str, value: Any) -> None:
        """Show one limit without emitting signals."""
        self.limits.set_limit(name, value)
        self._after_limits_shown()

    def set_context(self, context: FormContext) -> None:
        """Set the context of rules, fields and editors."""
        if context != self.context:
            self.context = context
            for rule in self.rules:
                rule.set_context(context)
            self.companions.setVisible(self._takes_filters())

    def set_request(self, request: FormRequest) -> None:
        """Show a request without emitting `changed`; if it has no rows, one rule with defaults.

        The rules are replaced. `checkedUsed` is emitted.
        """
        blockers = [QSignalBlocker(self.all), QSignalBlocker(self.list)]
        for rule in self.rules:
            self._delete(rule)
        self.rules = []
        for row in request.rows or (FormRow("", "", ""),):
            self._insert(len(self.rules)).set_row(row)
        self._select(request.selected if request.selected < len(self.rules) else 0)
        self.companions.set_choice(choice=request.prune_bias_and_norm)
        self.dependents.set_choice(request.dependents)
        self._chosen_scopes[self._is_structured()] = request.scope
        self.limits.set_values(request.limits)
        self._after_limits_shown()
        self._arrange()
        del blockers

    def reset(self) -> None:
        """Reset to one rule for the checked tensors, with the first method and its defaults."""
        method = str(self.rules[0].method.itemData(0) or "")
        self._chosen_scopes = {False: "local", True: "local"}
        self.set_request(FormRequest((FormRow("", "", method),)))

    def choose_method(self, name: str) -> None:
        """Select a method in the shown rule as the user can, and focus it.

        An unknown one is ignored.
        """
        method = self.shown.method
        place = method.findData(name)
        if place >= 0:
            method.setCurrentIndex(place)
            self.focus_method()

    def focus_method(self) -> None:
        """Focus the method of the shown rule."""
        give_focus(self.shown.method)

    def focus_amount(self) -> None:
        """Focus the amount of the shown rule, or its method if it has no amount to edit.

        An amount that a limit determines cannot be edited.
        """
        for editor in self.shown.fields.editors.values():
            if isinstance(editor.param, AmountParam) and editor.isEnabled():
                give_focus(editor)
                return
        self.focus_method()

    @property
    def used(self) -> list[RuleEditor]:
        """The rules for checked or named tensors; rules that name no tensors are ignored."""
        return [rule for rule in self.rules if not rule.target.is_empty]

    @property
    def several(self) -> bool:
        """Whether the list of rules is shown: unless there is one rule, for the checked tensors."""
        target = self.rules[0].target
        return len(self.rules) > 1 or target.is_empty or target.pattern_and_kind() != ("", "")

    @property
    def names_tensors(self) -> bool:
        """Whether the field for the tensors of the shown rule has the focus."""
        return self.shown.target.hasFocus()

    def errors(self) -> tuple[str, ...]:
        """Return a sentence for each error of the rules in use and of the limits.

        With several rules, each has the number of its rule. Empty if the form is valid.
        """
        errors = [
            error for rule in self.used for error in self._with_rule_number(rule, rule.errors())
        ]
        if not self.used:
            errors.append(self.tr("Enter the tensors that this rule applies to."))
        return (*errors, *self.limits.errors)

    def errors_beside_fields(self) -> Mapping[str, str]:
        """Return the errors that are visible next to a field, each with a text that says where.

        These are the errors of the shown rule, and those of limits if the limits are unfolded.
        """
        here = self._with_rule_number(self.shown, tuple(self.shown.fields.errors.values()))
        beside = self.limits.errors if self.limits.isVisible() else ()
        texts = dict.fromkeys(beside, self.invalid())
        return texts | dict.fromkeys(here, self.invalid(self.shown))

    def invalid(self, rule: RuleEditor | None = None) -> str:
        """Return that a setting of a rule, or of the limits, is invalid, without the reason."""
        number = self.number_of(rule)
        if not number:
            return self.tr("A setting above is not valid.")
        return self.tr("A setting of rule {n} is not valid.").format(n=number)

    def number_of(self, rule: RuleEditor | None) -> int:
        """Return the number of a rule in use, from 1; 0 if it is the only one, or not in use."""
        used = self.used
        return used.index(rule) + 1 if len(used) > 1 and rule in used else 0

    def _with_rule_number(self, rule: RuleEditor, errors: Sequence[str]) -> list[str]:
        """Prefix errors with the number of their rule, if there are several rules."""
        number = self.number_of(rule)
        text = self.tr("Rule {n}: {error}")
        return [text.format(n=number, error=e) if number else e for e in errors]

    def request(self) -> FormRequest | None:
        """Return the request; None while there are `errors`. Hidden options are not requested."""
        if self.errors():
            return None
        rows = tuple(rule.row() for rule in self.used)
        # options that are hidden are not requested
        companions = self._takes_filters() and self.companions.in_force
        dependents = self.dependents.choice if self._takes_channels() else None
        return FormRequest(rows, self.scope(), self.limits.values, companions, dependents)

    def corrected_request(self) -> FormRequest:
        """Return the request with defaults in place of invalid values.

        `selected` is the shown rule, or the first one if that is not in use. Hidden options keep
        their values, as they may apply to the next method.
        """
        limits = {} if self.limits.errors else self.limits.values
        # A single rule without tensors is kept for its method, and is for the checked tensors.
        used = self.used or self.rules[:1]
        selected = used.index(self.shown) if self.shown in used else 0
        rows = tuple(rule.row() for rule in used)
        companions, dependents = self.companions.choice, self.dependents.choice
        scope = self._wanted_scope()
        return FormRequest(rows, scope, limits, companions, dependents, selected)

    def _wanted_scope(self) -> str:
        return self._chosen_scopes[self._is_structured()]

    def _is_structured(self) -> bool:
        """Return whether a rule prunes whole channels, units or blocks."""
        forms = [form for rule in self.used or self.rules if (form := rule.form()) is not None]
        return any(form.granularity in {"channels", "units", "blocks"} for form in forms)

    def _on_scope_toggled(self, everywhere: bool) -> None:
        self._chosen_scopes[self._is_structured()] = "global" if everywhere else "local"
        self._show_decided_scope()
        self.emit_changed()

    def scope(self) -> str:
        """Return "local" or "global": the selected scope, if all rules support it."""
        scopes, wanted = self._scopes(), self._wanted_scope()
        if wanted in scopes:
            return wanted
        return "local" if "local" in scopes or not scopes else "global"

    @property
    def offers_scopes(self) -> bool:
        """Whether the user can choose the scope."""
        return any(rule.prunes for rule in self.used) and self._scopes() == {"local", "global"}

    def _takes_channels(self) -> bool:
        return any(rule.takes_channels() for rule in self.used)

    def _takes_filters(self) -> bool:
        return any(rule.takes_filters() for rule in self.used)

    def _scopes(self) -> set[str]:
        scopes = {"local", "global"}
        for rule in self.used:
            form = rule.form()
            scopes &= set(form.scopes) if form else set()
        return scopes

    def _show_decided_scope(self) -> None:
        """Show the scope in the header, and which rule determines it, if one does.

        The choice itself is below the rules. It applies again when the rule is removed. The header
        shows nothing if there is one rule, or if all rules have only one scope.
        """
        forms = [(place, rule.form()) for place, rule in enumerate(self.used, 1)]
        known = [(place, form) for place, form in forms if form is not None]
        deciding = [(place, form) for place, form in known if len(form.scopes) == 1]
        decided = len(self._scopes()) == 1 and len(deciding) not in {0, len(known)}
        several = sum(rule.prunes for rule in self.rules) > 1  # including rules without tensors
        self.scope_note.setVisible(decided or (several and len(self._scopes()) > 1))
        if not decided:
            everywhere = self.scope() == "global"
            words = self.tr("Scope: global") if everywhere else self.tr("Scope: per tensor")
            self._set_scope_note(words, self.tr("Choose it below the rules."))
            return
        place, form = deciding[0]
        if form.scopes == ("local",):
            text = self.tr("Scope: per tensor (rule {n} has no global scope)")
            why = self.tr("{method} in rule {n} has no global threshold.")
        else:
            text = self.tr("Scope: global (rule {n} has no per-tensor scope)")
            why = self.tr("{method} in rule {n} ranks all tensors together.")
        self._set_scope_note(text.format(n=place), why.format(method=form.label, n=place))

    def _set_scope_note(self, text: str, tip: str) -> None:
        self.scope_note.setText(text)
        self.scope_note.setToolTip(as_plain(tip))
        self.scope_note.setAccessibleDescription(tip)

    def _insert(self, place: int) -> RuleEditor:
        """Add a rule for the checked tensors at index `place`, hidden unless it is the only one."""
        rule = RuleEditor(self._methods, self._editors)
        rule.set_context(self.context)
        rule.changed.connect(self._on_edited)
        rule.released.connect(self.released)
        rule.fileRequested.connect(self.fileRequested)
        rule.collectRequested.connect(self.collectRequested)
        self.rules.insert(place, rule)
        self._editor_column.addWidget(rule)
        rule.setVisible(len(self.rules) == 1)
        return rule

    def _select(self, place: int) -> None:
        """Show the editor of the rule with this index, and hide the others."""
        self.shown = self.rules[place]
        self.shown.show()  # before the others are hidden, so that the focus moves to it
        for rule in self.rules:
            rule.setVisible(rule is self.shown)

    def _delete(self, rule: RuleEditor) -> None:
        rule.hide()
        self._editor_column.removeWidget(rule)
        rule.deleteLater()

    def _add_clicked(self) -> None:
        # Before rules that exclude, so that these also apply to the new rule.
        pruning = [rule.prunes for rule in self.rules]
        place = len(pruning) - pruning[::-1].index(True) if any(pruning) else len(pruning)
        last = self.rules[place - 1]
        self._add(place, str(last.method.currentData() or ""), last.fields.values)

    def _exclude_clicked(self) -> None:
        method = next(form.name for form in self._methods if form.excludes)
        self._add(len(self.rules), method, {})

    def _add(self, place: int, method: str, values: Mapping[str, Any]) -> None:
        """Insert a rule at index `place`, show it and focus its tensors.

        It names no tensors yet, so the step does not change, and remembers the values of the rule
        before. `place` must not be 0.
        """
        rule = self._insert(place)
        rule.set_row(FormRow("", "", method, values))
        rule.target.set_empty()
        rule.set_matches(None)
        rule.remember(self.rules[place - 1])
        self._select(place)
        self._arrange()
        rule.focus_target()

    def _remove_clicked(self) -> None:
        """Remove the shown rule, and show the next one, or else the one before."""
        rule, place = self.shown, self.rules.index(self.shown)
        self.rules.remove(rule)
        self._delete(rule)
        self._select(min(place, len(self.rules) - 1))
        if len(self.rules) == 1:
            self.add.setFocus()
        self._arrange()
        if not rule.target.is_empty:
            self.emit_changed()

    def _show_rule(self, place: int) -> None:
        if 0 <= place < len(self.rules):
            self._select(place)

    def _on_edited(self, name: str) -> None:
        if name == "amount":  # only the list of rules shows it
            self._arrange_list()
        else:
            self._forget_readings()
            self._arrange()
        self.changed.emit(self.request())

    def _forget_readings(self) -> None:
        for rule in self.rules:
            rule.fields.forget_reading()

    def _on_limits_edited(self) -> None:
        self._forget_readings()
        self._after_limits_shown()
        self.changed.emit(self.request())

    def _after_limits_shown(self) -> None:
        used = not self.limits.sets_amount
        self.set_context(replace(self.context, amount_used=used))

    def _arrange(self) -> None:
        """Show the list and the options that apply to the rules in use; emit `checkedUsed`."""
        self._arrange_list()
        self.dependents.setVisible(self._takes_channels())
        self.outputs.setVisible(self._takes_channels() and bool(self.outputs.layers))
        self.union.setVisible(self._takes_channels() and self.union.effect is not None)
        self.companions.setVisible(self._takes_filters())
        self.rounds.setVisible(not self.several and self.rules[0].takes_amount())
        self.scope_row.setVisible(self.offers_scopes)
        groups = all(form.granularity == "units" for rule in self.used if (form := rule.form()))
        self.each.setText(self.tr("Per group") if groups else self.tr("Per tensor"))
        with QSignalBlocker(self.all):
            (self.all if self._wanted_scope() == "global" else self.each).setChecked(True)
        self._show_decided_scope()
        checked = [rule.target.pattern_and_kind() == ("", "") for rule in self.used]
        self.checkedUsed.emit(any(checked), all(checked))

    def _arrange_list(self) -> None:
        """Show the list of rules, or hide it unless `several`; do nothing if it is the same."""
        several = self.several
        if not several and self._arranged == (self.rules[0],):
            return  # laying out the form takes a noticeable part of a slider move
        lines = self._rule_texts() if several else []
        place, room = self.rules.index(self.shown), self.list.room
        # the editors of methods differ in height
        methods = [rule.method.currentData() for rule in self.rules]
        height = self.list.fontMetrics().height()
        needed = (tuple(self.rules), *methods, *lines, place, room, height)
        if needed == self._arranged:
            return
        self._arranged = needed if several else (self.rules[0],)
        for rule in self.rules:
            rule.set_rules_shown(shown=several)
        with QSignalBlocker(self.list):
            self.list.show_rules(
                [(self._lines(*each, room), "\n".join(filter(None, each[1:]))) for each in lines],
                place,
            )
        self.list.setVisible(several)
        self.order.setVisible(several)
        self.remove.setVisible(several)
        self.remove.setEnabled(len(self.rules) > 1)

    def _rule_texts(self) -> list[tuple[str, str, str, str]]:
        """Return number, tensors, action and count of each rule; number "" if not in use."""
        known = dict(zip(map(id, self.used), enumerate(self._known_shares(), 1), strict=True))
        texts = []
        for rule in self.rules:
            number, share = known.get(id(rule), (0, {}))
            texts.append(
                (
                    f"{number}. " if number else "",
                    *rule.describe(),
                    self._count_text(rule, number, share),
                )
            )
        return texts

    def _count_text(self, rule: RuleEditor, number: int, share: Mapping[int, int]) -> str:
        """Return how many of its tensors a rule prunes, or why none; empty if not known.

        `number` is the number of the rule, and `share` its mapping in `set_shares`.
        """
        if rule.refused:
            checked = rule.target.pattern_and_kind() == ("", "")
            return self.tr("✕ nothing checked") if checked else self.tr("✕ matches nothing")
        if not share:
            return ""
        count, matched = share.get(number, 0), sum(share.values())
        if not count:
            limits = share.get(0, 0) == matched
            return self.tr("excluded by limits") if limits else self.tr("overridden by later rules")
        if count < matched:
            return self.tr("{n} of {m} tensors").format(
                n=number_format.count(count), m=number_format.count(matched)
            )
        if count == 1:
            return self.tr("1 tensor")
        return self.tr("{n} tensors").format(n=number_format.count(count))

    def _lines(self, first: str, target: str, done: str, many: str, room: int) -> list[str]:
        """Return the text of a rule, wrapped to lines of `room` pixels.

        The tensors (`target`) follow the number (`first`) and take three lines at most; the count
        (`many`) follows if there is room, else on its own line. The action (`done`) is the last
        line.
        """
        metrics = self.list.fontMetrics()
        advance = metrics.horizontalAdvance
        target = within_reason(on_one_line(target))
        lines = [first]
        for pattern in re.split(
            r"(?<=, )", self._names.fitting(target, room - advance(first), advance)
        ):
            if advance(f"{lines[-1]}{pattern}") <= room:
                lines[-1] += pattern
            elif lines == [first]:
                lines = on_lines(first + pattern, room, advance)
            else:
                lines += on_lines(pattern, room, advance)
        if len(lines) > _MAX_TARGET_LINES:
            rest = "".join(lines[_MAX_TARGET_LINES - 1 :])
            lines[_MAX_TARGET_LINES - 1 :] = [elide_text(rest, metrics, room)]
        if many and advance(f"{lines[-1]} · {many}") <= room:
            lines[-1] += f" · {many}"
        elif many:
            lines.append(many)
        return [*lines, done]


def _indent_of(box: QCheckBox) -> int:
    """Return the distance from the left edge of a check box to its text."""
    metrics = QStyle.PixelMetric.PM_IndicatorWidth, QStyle.PixelMetric.PM_CheckBoxLabelSpacing
    return sum(box.style().pixelMetric(metric, None, box) for metric in metrics)


def _radio_button(text: str, tip: str) -> QRadioButton:
    button = QRadioButton(text)
    button.setToolTip(tip)
    button.setAccessibleDescription(tip)
    return button
