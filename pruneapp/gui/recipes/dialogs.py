"""How a recipe fits, before anything runs; and a schedule for one rule in several rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from pruneapp.gui.method_form.fields import Fields
from pruneapp.gui.method_form.form_model import FormContext
from pruneapp.gui.widgets.labels import DANGER, MUTED, ElidedLabel, heading, plain
from pruneapp.gui.widgets.number_format import NO_NUMBER, count, part, plural
from pruneapp.gui.widgets.reports import CountsTable, DecisionDialog
from pruneapp.params import AmountParam, Param
from pruneapp.results.short_names import ShortNames


class RoundsDialog(DecisionDialog):
    """Asks how far, in how many rounds and along which path; `accepted` once it is to be done.

    Of `size` weights in the tensors of the rule so many are pruned as it is `begun`. Where `whole`
    channels or blocks go, a round ends at its amount, or just below it.
    """

    changed = Signal()  # something else is asked for; answer with `set_rounds` or `set_error`

    def __init__(
        self,
        rule: str,
        params: Sequence[Param],
        *,
        size: int,
        begun: int,
        whole: bool,
        note: str,
        parent: QWidget | None = None,
        short: ShortNames | None = None,
    ) -> None:
        super().__init__(self.tr("Iterative pruning"), parent=parent)
        self._size, self._begun, self._whole = size, begun, whole
        self._after: tuple[int, ...] = ()
        self.rule = ElidedLabel(rule, self, ink=MUTED)
        self.rule.set_names(short or ShortNames())
        self.rule.setAccessibleName(self.tr("Pruning step"))
        self.fields = Fields(params, self)
        self._note = note
        # What is wrong stands in its place, so that nothing jumps.
        self.note = plain(note, wrap=True, ink=MUTED)
        headers = [
            self.tr("Round"),
            self.tr("This round"),
            self.tr("Cumulative"),
            self.tr("Sparsity"),
        ]
        self.table = CountsTable(headers, 0, self._cells, self)
        self.table.setAccessibleName(self.tr("Rounds"))
        self.table.setAccessibleDescription(note)
        for field in self.fields.fields.values():
            if isinstance(field.param, AmountParam):
                field.editor.set_context(FormContext(left=size))
        self.lay_out((self.rule, self.fields, self.note, self.table), wide=self.table)
        self.resize(480, 520)
        self.fields.changed.connect(self._on_changed)

    # Told

    def set_values(self, values: Mapping[str, Any]) -> None:
        """Show what is asked for, silently."""
        for name, value in values.items():
            self.fields.fields[name].editor.set_value(value)

    def set_rounds(self, after: Sequence[int]) -> None:
        """Take how many weights are pruned after each round."""
        self._show(tuple(after), "")

    def set_error(self, text: str) -> None:
        """Say why it cannot be done, until something else is asked for."""
        self._show((), text)

    # Asked

    def values(self) -> dict[str, Any]:
        """Return what is asked for; raises `ParameterError`."""
        return self.fields.values()

    # Inside

    def _on_changed(self) -> None:
        if self.fields.errors():  # said beside the field
            self._show((), "")
        else:
            self.changed.emit()

    def _show(self, after: tuple[int, ...], error: str) -> None:
        self._after = after
        self.table.set_count(len(after))
        self.note.setText(f"✕ {error}" if error else self._note)
        self.note.setForegroundRole(DANGER if error else MUTED)
        to_prune = after[-1] - self._begun if after else 0
        weights = self.tr("up to {n}").format(n=count(to_prune)) if self._whole else count(to_prune)
        words = plural(
            len(after),
            self.tr("Prune {weights} weights in 1 round"),
            self.tr("Prune {weights} weights in {n} rounds"),
        )
        self.go.setText(words.format(weights=weights) if to_prune else self.tr("Nothing to prune"))
        self.go.setEnabled(bool(to_prune))

    def _cells(self, row: int) -> tuple[str, ...]:
        after = self._after[row]
        before = self._after[row - 1] if row else self._begun
        most = "≤\u00a0" if self._whole else ""
        share = part(after, self._size)
        return count(row + 1), most + count(after - before), most + count(after), most + share


# Lines of problems that are seen at once, at least; and entries above them, at most.
_LINES = 5
_ROWS = 8


@dataclass(frozen=True)
class RecipeLine:
    """An entry of a recipe, in words."""

    label: str
    tensors: int  # that it means here
    steps: int = 1  # of the history
    fits: bool = True  # whether it suits this file


class RecipeDialog(DecisionDialog):
    """Shows the entries of a recipe and what does not fit; `accepted` once it is to be done.

    `problems` say what does not fit, with the number of its entry: nothing can be done then.
    """

    def __init__(
        self,
        file: str,
        lines: Sequence[RecipeLine],
        problems: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        steps = sum(line.steps for line in lines)
        action = plural(steps, self.tr("Apply 1 step"), self.tr("Apply {n} steps"))
        super().__init__(self.tr("Apply recipe"), action, parent)
        self.file = ElidedLabel(file, self)
        self.file.setAccessibleName(self.tr("Recipe"))
        self.sentence = plain(self._sentence(lines, problems), wrap=True, ink=MUTED)

        fits = {True: self.tr("yes"), False: self.tr("no")}

        # A worker copies many rows, also when the dialog is closed meanwhile.
        def cells(row: int) -> tuple[str, ...]:
            line = lines[row]
            sign = "" if line.fits else "✕ "
            tensors = count(line.tensors) if line.fits else NO_NUMBER
            return f"{sign}{row + 1}. {line.label}", tensors, fits[line.fits]

        headers = self.tr("Step"), self.tr("Tensors"), self.tr("Matches")
        self.table = CountsTable(headers, len(lines), cells, self)
        self.table.setAccessibleName(self.tr("Steps of the recipe"))
        self.table.setAccessibleDescription(self.sentence.text())
        self.go.setEnabled(bool(lines) and not problems)
        self.problems = QPlainTextEdit("\n\n".join(problems), self)
        self.problems.setReadOnly(True)
        self.problems.setTabChangesFocus(True)
        self.problems.setAccessibleName(self.tr("Problems"))
        self.problems.setMinimumHeight(self.fontMetrics().lineSpacing() * _LINES + 12)
        words = plural(len(problems), self.tr("✕ 1 problem"), self.tr("✕ {n} problems"))
        self._trouble = heading(words)
        self._trouble.setForegroundRole(DANGER)
        for widget in (self.problems, self._trouble):
            widget.setVisible(bool(problems))
        if problems:  # they are what is to be read, and may be long
            self.table.fit(_ROWS)
        self.lay_out(
            (self.file, self.sentence, self.table, self._trouble, self.problems),
            wide=self.problems if problems else self.table,
        )
        self.resize(600, 480)
        (self.leave if problems else self.go).setFocus()

    def _sentence(self, lines: Sequence[RecipeLine], problems: Sequence[str]) -> str:
        if not lines:
            return self.tr("This recipe is empty.")
        if problems:
            return self.tr(
                "Nothing was applied. Edit the recipe, or open the file that it was made for."
            )
        return self.tr(
            "The steps are applied to the current state. Each step can be undone separately."
        )
