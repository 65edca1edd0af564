"""Dialogs to choose what evaluates a file, and to ask before a new script or command is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QFormLayout, QLabel, QPlainTextEdit, QWidget

from pruneapp.errors import escape_text
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource, SourceChoice
from pruneapp.gui.widgets.controls import set_problem
from pruneapp.gui.widgets.engine_text import translate_sentence
from pruneapp.gui.widgets.labels import MUTED, heading, plain, translate, with_label, with_note
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.reports import DecisionDialog

# Maximum number of lines of a script in the dialog; lines visible without scrolling.
MOST_LINES = 2_000
_VISIBLE_LINES = 14
_VISIBLE_COMMAND_LINES = 4
_MAX_LINE_LENGTH = 1_000


class ConsentReason(Enum):
    """Why the user is asked before a script runs."""

    NEW = "new"
    CHANGED = "changed"
    OTHER_PYTHON = "other python"


@dataclass(frozen=True)
class ScriptFacts:
    """Facts about a script that the user sees before running it."""

    path: str
    sha256: str
    text: str
    python: str  # the interpreter
    found: str  # how the interpreter was found: "in the .venv next to the script"
    reason: ConsentReason


@dataclass(frozen=True)
class CommandFacts:
    """Facts about a command line that the user sees before running it."""

    command: str  # as it was typed
    program: str  # path of the program that is started
    folder: str  # where it runs


class ConsentDialog(DecisionDialog):
    """Shows everything that is going to run; `accepted` if the user agrees."""

    def __init__(
        self,
        title: str,
        question: str,
        facts: Mapping[str, str],
        *,
        text: QPlainTextEdit,
        below: Sequence[QLabel],
        parent: QWidget | None,
    ) -> None:
        super().__init__(title, self.tr("Run"), parent)
        self.question = heading(question, wrap=True)
        rows = QWidget(self)
        form = QFormLayout(rows)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(4)
        self.facts = dict(facts)
        for label, fact in self.facts.items():
            value = plain(escape_text(fact), wrap=True)
            value.setAccessibleName(with_label(label, fact))
            form.addRow(plain(label, ink=MUTED), value)
        self.lines = text
        self.lines.setReadOnly(True)
        self.lines.setTabChangesFocus(True)
        self.lines.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.warning = below[-1]
        self.lines.setAccessibleDescription(self.warning.text())
        self.lay_out((self.question, rows, self.lines, *below), wide=self.lines)
        self.go.setAutoDefault(False)
        self.go.setDefault(False)
        self.leave.setDefault(True)  # pressing Enter must not run anything that was not read
        self.leave.setFocus()


class ScriptConsentDialog(ConsentDialog):
    """Shows a script that is new or changed."""

    def __init__(self, facts: ScriptFacts, parent: QWidget | None = None) -> None:
        lines = facts.text.splitlines()
        text = QPlainTextEdit("\n".join(map(_escape_line, lines[:MOST_LINES])))
        text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        text.setMinimumHeight(text.fontMetrics().lineSpacing() * _VISIBLE_LINES)
        text.setAccessibleName(self.tr("Lines of the script"))
        shown = self.tr("All {n} lines").format(n=count(len(lines)))
        if len(lines) > MOST_LINES:
            shown = self.tr("The first {shown} of {n} lines").format(
                shown=count(MOST_LINES), n=count(len(lines))
            )
        self.shown = plain(shown, ink=MUTED)
        warning = plain(
            self.tr(
                "A script is a program: it can read and change your files and use the network, as "
                "if you started it yourself. It runs in a separate process, which is not a "
                "sandbox. Only run scripts that you have read or whose author you trust."
            ),
            wrap=True,
        )
        about = {
            self.tr("File"): facts.path,
            self.tr("Python"): (
                with_note(facts.python, translate_sentence(facts.found))
                if facts.found
                else facts.python
            ),
            self.tr("SHA-256"): facts.sha256,
        }
        super().__init__(
            self.tr("Run script"),
            _question(facts.reason),
            about,
            text=text,
            below=(self.shown, warning),
            parent=parent,
        )
        self.resize(720, 560)  # lines of 80 characters fit without a scroll bar


class CommandConsentDialog(ConsentDialog):
    """Shows the full text of a command line that is new."""

    def __init__(self, facts: CommandFacts, parent: QWidget | None = None) -> None:
        text = QPlainTextEdit(escape_text(facts.command))
        text.setMinimumHeight(text.fontMetrics().lineSpacing() * _VISIBLE_COMMAND_LINES)
        text.setAccessibleName(self.tr("Command line"))
        warning = plain(
            self.tr(
                "The command runs without a shell, once for each state that is evaluated. "
                "{checkpoint} is replaced by the path of the opened file, or of a temporary "
                "file with a pruned state. The program can read and change your files and use "
                "the network, as if you started it yourself. Only run programs that you trust."
            ),
            wrap=True,
        )
        about = {self.tr("Program"): facts.program, self.tr("Folder"): facts.folder}
        super().__init__(
            self.tr("Run command line"),
            self.tr("This command line has not been run before. Run it?"),
            about,
            text=text,
            below=(warning,),
            parent=parent,
        )
        self.resize(640, 360)


def _question(reason: ConsentReason) -> str:
    return {
        ConsentReason.NEW: translate(
            "ScriptConsent", "This script has not been run before. Run it?"
        ),
        ConsentReason.CHANGED: translate(
            "ScriptConsent", "This script has changed since it was last allowed to run. Run it?"
        ),
        ConsentReason.OTHER_PYTHON: translate(
            "ScriptConsent", "This script was last allowed to run with a different Python. Run it?"
        ),
    }[reason]


def _escape_line(line: str) -> str:
    """Return a line of code with control characters escaped, cut to `_MAX_LINE_LENGTH`."""
    whole = escape_text(line.expandtabs(4))
    return whole if len(whole) <= _MAX_LINE_LENGTH else f"{whole[:_MAX_LINE_LENGTH]}…"


class EvaluateDialog(DecisionDialog):
    """Asks which data or script evaluates the file; `kinds` are those that its model supports.

    With `traces` it is only traced for now, without being measured.
    """

    # (DataSource) The user asked to evaluate with this source; answer with `done`, or show the
    # error by `choice.set_found`.
    evaluateRequested = Signal(object)

    def __init__(
        self,
        kinds: Sequence[DataKind],
        source: DataSource,
        parent: QWidget | None = None,
        *,
        traces: bool = False,
    ) -> None:
        title, button = self.tr("Evaluate"), self.tr("Evaluate")
        about = self.tr(
            "Measures the model in a separate process: the unpruned model three times, to "
            "estimate the noise, then the current state. To measure another state, click ○ in "
            "its row of the history."
        )
        if traces:
            title, button = self.tr("Trace the model"), self.tr("Trace")
            about = self.tr(
                "Finds the connections of the layers in a separate process: when your script "
                "first calls the model, its operations are recorded by torch.export, and the "
                "script is stopped. No metric is measured. Later evaluations use the same script."
            )
        super().__init__(title, button, parent)
        self.choice = SourceChoice(kinds, self)
        self.choice.set_source(source)
        self.choice.changed.connect(self._on_changed)
        self.choice.answered.connect(self._on_changed)
        self.lay_out((plain(about, wrap=True), self.choice), wide=self.choice)
        self._on_changed()

    def accept(self) -> None:
        """Request the evaluation. The dialog stays open until the source has been checked."""
        self.evaluateRequested.emit(self.choice.source())

    def _on_changed(self) -> None:
        set_problem(self.go, self.choice.problem)
