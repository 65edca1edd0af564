"""The question before a script runs: everything relevant is visible, and Enter runs nothing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from pruneapp.gui.evaluation.dialogs import (
    MOST_LINES,
    CommandConsentDialog,
    CommandFacts,
    ConsentReason,
    ScriptConsentDialog,
    ScriptFacts,
)

FACTS = ScriptFacts(
    "/x/eval.py", "ab" * 32, "import os\n\tx = 1\n", "/x/python", "as chosen", ConsentReason.NEW
)


@pytest.fixture
def open_question(qtbot):
    def show_question(facts=FACTS):
        of_script = isinstance(facts, ScriptFacts)
        dialog = (ScriptConsentDialog if of_script else CommandConsentDialog)(facts)
        qtbot.addWidget(dialog)
        with qtbot.waitActive(dialog):
            dialog.show()
            dialog.activateWindow()
        dialog.answers = []
        dialog.finished.connect(dialog.answers.append)
        return dialog

    return show_question


def test_path_python_and_lines_are_shown(open_question):
    dialog = open_question()
    assert dialog.question.text() == "This script has not been run before. Run it?"
    assert list(dialog.facts.values()) == ["/x/eval.py", "/x/python (as chosen)", "ab" * 32]
    assert dialog.lines.toPlainText() == "import os\n    x = 1"
    assert dialog.shown.text() == "All 2 lines"
    assert "not a sandbox" in dialog.warning.text()


@pytest.mark.parametrize(
    ("reason", "words"),
    [(ConsentReason.CHANGED, "has changed"), (ConsentReason.OTHER_PYTHON, "a different Python")],
)
def test_it_says_why_it_asks(open_question, reason, words):
    facts = ScriptFacts(*FACTS.__dict__.values())
    dialog = open_question(ScriptFacts(**{**facts.__dict__, "reason": reason}))
    assert words in dialog.question.text()


def test_what_would_hide_code_is_visible(open_question):
    code = "safe = 1 # \u202e evil\n" + "\n".join(map(str, range(MOST_LINES)))
    dialog = open_question(ScriptFacts(**{**FACTS.__dict__, "text": code}))
    assert dialog.lines.toPlainText().startswith("safe = 1 # \\u202e evil\n")
    assert dialog.shown.text() == "The first 2,000 of 2,001 lines"


COMMAND = CommandFacts("./a.sh '{checkpoint}' \u202e --out", "/x/a.sh", "/x")


def test_a_command_line_is_shown_in_full_with_its_program_and_folder(open_question):
    dialog = open_question(COMMAND)
    assert dialog.question.text() == "This command line has not been run before. Run it?"
    assert dialog.lines.toPlainText() == "./a.sh '{checkpoint}' \\u202e --out"
    assert dialog.facts == {"Program": "/x/a.sh", "Folder": "/x"}
    assert "without a shell" in dialog.warning.text()
    long = open_question(CommandFacts("run " + "x" * 20_000, "/x/a.sh", "/x"))
    assert long.lines.toPlainText().endswith("x" * 20_000)


@pytest.mark.parametrize("facts", [FACTS, COMMAND], ids=["script", "command"])
def test_enter_and_escape_run_nothing(open_question, qtbot, facts):
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Escape):
        dialog = open_question(facts)
        qtbot.keyClick(dialog.focusWidget(), key)
        assert dialog.answers == [0]


def test_run_is_a_click(open_question, qtbot):
    dialog = open_question()
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    assert dialog.answers == [1]
