"""Dialogs that run a model: the button states why it is disabled until the input can be used."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from pruneapp.gui.evaluation.source_choice import DataKind, SourceChoice
from pruneapp.gui.widgets.labels import as_plain

SCRIPT = "def load(path): pass\n\ndef evaluate(model): return 1\n\ndef calibrate(model): pass\n"


@pytest.fixture
def pruned(two_pruned_layers):
    return two_pruned_layers


# The features that own the dialogs, by the names of their commands.
FEATURES = {
    "evaluate": "evaluation",
    "trace_model": "evaluation",
    "repair": "repair",
    "recover": "recover",
    "scan": "scans",
    "frontier": "frontier",
    "prune_in_rounds": "rounds",
    "statistics": "statistics",
}


def open_dialog(user, name):
    """Open a dialog by its command, or that of statistics by its button, and return it."""
    controller = getattr(user.workbench, FEATURES[name])
    if name == "statistics":
        user.choose(user.rule.method, "Wanda (per tensor)")
        user.click(user.rule.collect_statistics)
    else:
        user.window.actions_[name].trigger()
    user.wait(lambda: controller.dialog is not None)
    dialog = controller.dialog
    user.wait(dialog.isVisible)
    if name == "prune_in_rounds":
        user.click(dialog.after.evaluate)
    return dialog


def choose_script(user, choice, folder):
    """Enter a script that can be used, and the interpreter of the tests."""
    script = folder / "script.py"
    script.write_text(SCRIPT)
    user.type(choice.python, sys.executable)
    user.type(choice.fields[DataKind.SCRIPT], str(script))


@pytest.mark.parametrize("name", FEATURES)
def test_the_button_is_disabled_with_the_reason_until_the_input_is_usable(pruned, tmp_path, name):
    user = pruned
    dialog = open_dialog(user, name)
    choice = next(each for each in dialog.findChildren(SourceChoice) if each.isVisible())
    wanted = "Choose a Python file" if name == "recover" else "Choose an evaluation script."
    user.wait(lambda: choice.found.text().startswith(wanted))
    assert not dialog.go.isEnabled()
    assert dialog.go.toolTip() == as_plain(choice.found.text())
    user.type(choice.fields[DataKind.SCRIPT], str(tmp_path / "missing.py"))
    user.wait(lambda: choice.found.text().startswith("✕ "))
    assert not dialog.go.isEnabled()
    assert dialog.go.toolTip() == as_plain(choice.found.text().removeprefix("✕ "))
    choose_script(user, choice, tmp_path)
    user.wait(dialog.go.isEnabled)
    assert choice.found.text().startswith("Runs with")
    assert not dialog.go.toolTip()
    user.type(choice.fields[DataKind.SCRIPT], "")
    user.wait(lambda: not dialog.go.isEnabled())
    dialog.reject()


LONG_PATH = "/" + 5000 * "a"


def paste(user, field, text):
    """Replace the text of a field, at once: each typed letter would be looked up."""
    QGuiApplication.clipboard().setText(text)
    user.key("Ctrl+A", field)
    user.key("Ctrl+V", field)
    assert field.text() == text


@pytest.mark.parametrize("name", FEATURES)
def test_a_path_that_cannot_be_looked_up_is_refused(pruned, name):
    user = pruned
    dialog = open_dialog(user, name)
    for choice in filter(QWidget.isVisible, dialog.findChildren(SourceChoice)):
        for kind, field in choice.fields.items():
            if kind in choice.radios and choice.radios[kind].isVisible():
                user.click(choice.radios[kind])
            if field.isVisible():
                for path in ("~nobody-of-this-name/file", LONG_PATH):
                    paste(user, field, path)
                    user.wait(lambda shown=choice: shown.found.text().startswith("✕ "))
                    user.type(field, "")
    if name == "statistics":
        paste(user, dialog.file, LONG_PATH)
        user.type(dialog.file, "~nobody-of-this-name/file")
        assert dialog.note.text().startswith("There is no user ~nobody-of-this-name")
    dialog.reject()
    assert not user.window.notices.notices


def test_a_repair_needs_a_statistics_file(pruned):
    user = pruned
    dialog = open_dialog(user, "repair")
    user.click(dialog.source.radios[DataKind.STATISTICS])
    user.wait(lambda: dialog.source.found.text() == "✕ Choose a statistics file.")
    assert not dialog.go.isEnabled()
    assert dialog.go.toolTip() == as_plain("Choose a statistics file.")
    dialog.reject()


def test_statistics_need_a_file_to_write(pruned, tmp_path):
    user = pruned
    dialog = open_dialog(user, "statistics")
    choose_script(user, dialog.choice, tmp_path)
    user.wait(dialog.go.isEnabled)
    proposed = dialog.file.text()
    user.type(dialog.file, "")
    assert not dialog.go.isEnabled()
    assert dialog.note.text() == "Enter a file name."
    assert dialog.go.toolTip() == as_plain(dialog.note.text())
    user.type(dialog.file, str(user.document.checkpoint.path))
    user.click(dialog.go)
    user.wait(lambda: dialog.choice.found.text().startswith("✕ This is the open file."))
    assert not dialog.go.isEnabled()
    user.type(dialog.file, proposed)
    user.wait(dialog.go.isEnabled)
    dialog.reject()


def test_a_corrected_setting_enables_the_button_again(pruned, tmp_path):
    user = pruned
    dialog = open_dialog(user, "frontier")
    choose_script(user, dialog.choice, tmp_path)
    user.wait(lambda: dialog.choice.found.text().startswith("Runs with"))
    user.type(dialog.points, "30 %, 500")
    user.click(dialog.go)
    assert "must be fractions" in dialog.choice.found.text()
    assert not dialog.go.isEnabled()
    user.type(dialog.points, "30 %, 50 %")
    user.wait(dialog.go.isEnabled)
    dialog.reject()
