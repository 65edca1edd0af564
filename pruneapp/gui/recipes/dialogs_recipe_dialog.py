"""What a recipe would do here, and what of it does not fit, before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from pruneapp.gui.widgets.labels import ElidedLabel, heading, plain, recolor
from pruneapp.gui.widgets.number_format import NO_NUMBER, count
from pruneapp.gui.widgets.reports import CountsTable
from pruneapp.gui.widgets.reports_decision import DecisionDialog
from pruneapp.gui.widgets.theme_colors import with_defaults

# Lines of problems that are seen at once, at least; and entries above them, at most.
_LINES = 5
_ROWS = 8


@dataclass(frozen=True)
class RecipeLine:
    """An entry of a recipe.

    Attributes
    ----------
    label
        What it does, in words.
    tensors
        How many tensors it means here.
    steps
        How many steps of the history it becomes.
    fits
        Whether it suits this file.
    """

    label: str
    tensors: int
    steps: int = 1
    fits: bool = True


class RecipeDialog(DecisionDialog):
    """Shows the entries of a recipe and what does not fit; `accepted` once it is to be done.

    Parameters
    ----------
    file
        What the recipe is called.
    lines
        Its entries.
    problems
        What does not fit, a sentence each with the number of its entry. Nothing can be done then.
    """

    def __init__(
        self,
        file: str,
        lines: Sequence[RecipeLine],
        problems: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(self.tr("Apply recipe"), self._action(lines), parent)
        self.file = ElidedLabel(file, self)
        self.file.setAccessibleName(self.tr("Recipe"))
        self.sentence = plain(self._sentence(lines, problems), wrap=True)

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
        self._trouble = heading(self._count(len(problems)))
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
        self.set_colors({})

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        found = with_defaults(colors)
        recolor(self.sentence, found["muted"])
        recolor(self._trouble, found["danger"])

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

    def _count(self, problems: int) -> str:
        if problems == 1:
            return self.tr("✕ 1 problem")
        return self.tr("✕ {n} problems").format(n=count(problems))

    def _action(self, lines: Sequence[RecipeLine]) -> str:
        steps = sum(line.steps for line in lines)
        if steps == 1:
            return self.tr("Apply 1 step")
        return self.tr("Apply {n} steps").format(n=count(steps))
