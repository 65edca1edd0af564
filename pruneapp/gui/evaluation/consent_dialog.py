"""The question before a script runs: where it is, how it begins, and what runs it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QFormLayout, QPlainTextEdit, QWidget

from pruneapp.errors import escaped
from pruneapp.gui.widgets.labels import MUTED, heading, plain, translate
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.reports import DecisionDialog

# Lines that can be read in the dialog, and those of them that are seen at once.
MOST_LINES = 2_000
_SEEN = 14
_LONGEST = 1_000


class ConsentReason(Enum):
    """Why a person is asked."""

    NEW = "new"
    CHANGED = "changed"
    OTHER_PYTHON = "other python"


@dataclass(frozen=True)
class ScriptFacts:
    """What a person has to know of a script before it runs."""

    path: str
    sha256: str
    text: str
    python: str  # the interpreter
    found: str  # why it is this one: "in the .venv beside the script"
    reason: ConsentReason


class ScriptConsentDialog(DecisionDialog):
    """Shows a script that is new or changed; `accepted` if it may run."""

    def __init__(self, facts: ScriptFacts, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Run script"), self.tr("Run"), parent)
        self.question = heading(_question(facts.reason))
        self.question.setWordWrap(True)
        rows = QWidget(self)
        form = QFormLayout(rows)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(4)
        self.facts = {
            self.tr("File"): facts.path,
            self.tr("Python"): f"{facts.python} ({facts.found})" if facts.found else facts.python,
            self.tr("SHA-256"): facts.sha256,
        }
        for label, text in self.facts.items():
            value = plain(escaped(text), wrap=True)
            value.setAccessibleName(f"{label}: {text}")
            form.addRow(plain(label, ink=MUTED), value)
        lines = facts.text.splitlines()
        self.lines = QPlainTextEdit("\n".join(map(_visible, lines[:MOST_LINES])), self)
        self.lines.setReadOnly(True)
        self.lines.setTabChangesFocus(True)
        self.lines.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.lines.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.lines.setMinimumHeight(self.fontMetrics().lineSpacing() * _SEEN)
        self.lines.setAccessibleName(self.tr("Lines of the script"))
        shown = self.tr("All {n} lines").format(n=count(len(lines)))
        if len(lines) > MOST_LINES:
            shown = self.tr("The first {shown} of {n} lines").format(
                shown=count(MOST_LINES), n=count(len(lines))
            )
        self.shown = plain(shown, ink=MUTED)
        self.warning = plain(
            self.tr(
                "A script is a program: it can read and change your files and use the network, as "
                "if you started it yourself. It runs in a separate process, which is not a "
                "sandbox. Only run scripts that you have read or whose author you trust."
            ),
            wrap=True,
        )
        self.lines.setAccessibleDescription(self.warning.text())
        parts = self.question, rows, self.lines, self.shown, self.warning
        self.lay_out(parts, wide=self.lines)
        self.resize(720, 560)  # lines of 80 characters need no scroll bar
        self.go.setAutoDefault(False)
        self.go.setDefault(False)
        self.leave.setDefault(True)  # Enter runs nothing that was not read
        self.leave.setFocus()


def _question(reason: ConsentReason) -> str:
    return {
        ConsentReason.NEW: translate("ScriptConsent", "Run this script? It is new."),
        ConsentReason.CHANGED: translate(
            "ScriptConsent", "Run this script? It has changed since you last ran it."
        ),
        ConsentReason.OTHER_PYTHON: translate(
            "ScriptConsent", "Run this script with another Python than last time?"
        ),
    }[reason]


def _visible(line: str) -> str:
    """Return a line of code with what hides or reverses a part of it made visible."""
    whole = escaped(line.expandtabs(4))
    return whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}…"
