"""All texts of the window are marked, and every translation is complete and current."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

from pruneapp.gui.app.settings import LANGUAGE

ROOT = Path(__file__).resolve().parent.parent.parent
GUI = ROOT / "pruneapp" / "gui"

spec = importlib.util.spec_from_file_location(
    "translations", ROOT / "packaging" / "translations.py"
)
translations = importlib.util.module_from_spec(spec)
sys.modules["translations"] = translations
spec.loader.exec_module(translations)

LANGUAGES = translations.LANGUAGES
# Number of untranslated texts; it may only decrease.
MOST_OPEN = {"zh_CN": 0, "de": 0}

# Calls that show their arguments to the user.
SHOWS = {
    *("setText", "setToolTip", "setStatusTip", "setWhatsThis", "setWindowTitle", "setTitle"),
    *("setAccessibleName", "setAccessibleDescription", "setPlaceholderText", "setInformativeText"),
    *("setDetailedText", "setPrefix", "setSuffix", "setSpecialValueText", "setItemText"),
    *("setHeaderLabels", "setHorizontalHeaderLabels", "addItem", "insertItem", "addAction"),
    *("addMenu", "addTab", "addButton", "addToolBar", "setHtml", "drawText", "set_text"),
    *("QLabel", "QPushButton", "QToolButton", "QCheckBox", "QRadioButton", "QGroupBox", "QAction"),
    *("QDockWidget", "QToolBar", "QMenu", "plain", "heading", "label_for", "choice_box"),
    *("ElidedLabel", "Sentences", "set_notice", "show_done", "show_info", "offer", "set_trouble"),
}
MARKS = {"tr", "translate", "QT_TRANSLATE_NOOP"}
# These show texts that are marked elsewhere: commands, columns, and declarations of the engine.
READS_MARKED = {*("commands/actions.py", "widgets/engine_text.py", "tree/model.py", "tree/view.py")}
# The application's name, native names of languages, code, and identifiers that are passed with
# texts.
AS_IT_IS = {
    *("distillation", "training"),  # data of boxes
    *("repair", "recover", "export"),  # names of commands
    *("Pruneapp", " — Pruneapp", "&English", "简体中文(&C)", "&Deutsch", "auto"),
    *("python evaluate.py {checkpoint}", "mean", "shapes", "meta", "run"),
    *("magnitudes", "decades", "signed"),
    *("higher", "lower", "batch=1"),  # values of a choice, and an example of input
}


def test_there_is_a_file_for_every_language_that_can_be_chosen():
    assert {f"pruneapp_{name}.ts" for name in LANGUAGES} == {
        path.name for path in translations.FOLDER.glob("*.ts")
    }
    assert {choice.value for choice in LANGUAGE.choices} == {"system", "en", *LANGUAGES}


def test_translations_have_the_texts_of_the_window(tmp_path):
    """To update: packaging/translations.py."""
    translations.collect(tmp_path / "pruneapp_fresh.ts")
    fresh = {message.key for message in translations.read(tmp_path / "pruneapp_fresh.ts")}
    for language in LANGUAGES:
        kept = {message.key for message in translations.read(translations.source_of(language))}
        assert (sorted(fresh - kept), sorted(kept - fresh)) == ([], []), language


@pytest.mark.parametrize("language", LANGUAGES)
def test_different_commands_have_different_translations(language):
    """Regression: in German, Recover and Restore had the same name, and Shrink and Zoom out."""
    commands = {text for _origin, text in translations.commands()} | {"Restore", "Recover"}
    sources: dict[str, set[str]] = {}
    for message in translations.read(translations.source_of(language)):
        if message.source in commands and message.translation:
            name = message.translation.replace("&", "").partition("(")[0].rstrip("…")
            source = message.source.replace("&", "").replace("the ", "").rstrip("…")
            sources.setdefault(name, set()).add(source)
    assert not [names for names in sources.values() if len(names) > 1]


def test_all_sentences_of_notices_are_collected():
    """The window shows a notice that `PARTS` does not contain in English."""
    collected, missing = set(translations.templates()["sentences"]), list[str]()
    for path in sorted(translations.CODE.rglob("*.py")):
        if path.relative_to(translations.CODE).parts[0] not in {"cli", "cluster", "gui", "prune"}:
            functions = [
                node
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(node, ast.FunctionDef) and "notice" in node.name
            ]
            missing += [
                f"{path.name}, {function.name}: {text}"
                for function in functions
                for text in translations._texts(function)
                if text.endswith(".") and text not in collected
            ]
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_are_finished_compiled_and_without_problems(language, tmp_path):
    """To update: packaging/translations.py."""
    file = translations.source_of(language)
    messages = translations.read(file)
    still = [message for message in messages if message.translation is None]
    assert len(still) <= MOST_OPEN[language], Counter(message.context for message in still)
    found = [
        f"{m.context}: {m.source!r} → {m.translation!r} {why}"
        for m in messages
        if (why := translations.problem(m))
    ]
    assert not found, "\n".join(found)
    translations.release(file, tmp_path / "fresh.qm")
    assert (tmp_path / "fresh.qm").read_bytes() == file.with_suffix(".qm").read_bytes()


@pytest.mark.parametrize(
    ("source", "translation", "why"),
    [
        ("{n} tensors", "{m} Tensoren", "has other placeholders"),
        ("%n tensors", "Tensoren", "has other placeholders"),
        ("&Open…", "Öffnen…", "has a mnemonic, or lacks one"),
        ("Open…", "Öffnen", "differs in the dots at its end"),
        (" %", "%", "has other spaces at its beginning"),
        ("Open", "", "is empty"),
        ("&Open…", "打开(&O)…", ""),
        ("&Open {n}…", "{n} ö&ffnen…", ""),
        ("{n} and {n}", "{n}", ""),
    ],
)
def test_what_is_wrong_with_a_translation_is_said(source, translation, why):
    message = translations.Message("View", source, translation=translation)
    assert translations.problem(message) == why


@pytest.mark.parametrize(
    ("translation", "why"),
    [
        ("{names}：{why}", ""),
        ("{names} {are}：{why}", ""),
        ("{names}", "has other placeholders"),
        ("{names} {why} {why}", "has other placeholders"),
    ],
)
def test_a_translated_sentence_may_leave_out_a_verb_alone(translation, why):
    source = "{names} {are} left out: {why}"
    message = translations.Message("Sentences", source, translation=translation)
    assert translations.problem(message) == why


def test_the_window_reads_the_templates_that_the_engine_has():
    """To update: packaging/translations.py."""
    assert translations.TEMPLATES.read_text(encoding="utf-8") == translations.templates_as_json()


@pytest.mark.parametrize(
    ("code", "templates"),
    [
        ('PruneAppError("It is {empty}.", remedy="Fill it.")', ["It is {{empty}}.", "Fill it."]),
        ("ExportError(f\"'{a.path}' is {a.path}, {f(x):,}.\")", ["'{path}' is {path2}, {f}."]),
        ('PruneAppError("One." if one else f"{n:,}.", remedy=WHAT)', ["One.", "{n}.", "Do it."]),
        ('counted(n, "byte is", "bytes are")', ["{n} byte is", "{n} bytes are"]),
    ],
)
def test_templates_are_gathered_from_what_errors_are_given(code, templates):
    module = ast.parse(f"WHAT = 'Do it.'\nclass ExportError(PruneAppError): ...\n{code}")
    assert list(translations.said_in(module, translations.errors_of([module]))) == templates


def test_every_text_that_the_window_shows_is_marked_and_translated():
    """lupdate does not read f-strings or computed texts, and `str(error)` is English."""
    found = []
    for path in sorted(GUI.rglob("*.py")):
        file = str(path.relative_to(GUI))
        module = ast.parse(path.read_text(encoding="utf-8"))
        found += [
            f"{file}:{line}: {text!r} is not marked"
            for line, text in unmarked(module)
            if text not in AS_IT_IS
        ]
        for node in ast.walk(module):
            if isinstance(node, ast.FormattedValue):
                inside = [c for c in ast.walk(node) if isinstance(c, ast.Call) and is_marked(c)]
                found += [f"{file}:{c.lineno}: lupdate does not read f-strings" for c in inside]
            elif not isinstance(node, ast.Call):
                continue
            elif is_marked(node) and file not in READS_MARKED:
                shown = node.args if name_of(node) == "tr" else node.args[1:]
                if not all(isinstance(text, ast.Constant) for text in shown):
                    found.append(f"{file}:{node.lineno}: lupdate does not read computed texts")
            elif file != "widgets/engine_text.py" and shows_english_error(node):
                found.append(f"{file}:{node.lineno}: show errors with translate_error")
    assert not found, "\n".join(found)


def shows_english_error(call: ast.Call) -> bool:
    return (
        name_of(call) == "str" and isinstance(call.args[0], ast.Name) and call.args[0].id == "error"
    )


@pytest.mark.parametrize(
    "code",
    [
        'label.setText("Open a file")',
        'label.setToolTip(f"Open {n} files")',
        'QPushButton("Open" if closed else self.tr("Close"))',
        'label.setText(self.tr("Open") + " or close")',
    ],
)
def test_text_that_is_not_marked_is_found(code):
    assert [text for _, text in unmarked(ast.parse(code))]


def is_marked(call: ast.Call) -> bool:
    """Return whether lupdate finds a call, and not just one of the same name."""
    if name_of(call) == "tr":
        return True
    return name_of(call) in MARKS and isinstance(call.func, ast.Name)


def unmarked(module: ast.Module):
    """Yield the unmarked words that code shows, with their lines."""
    for call in ast.walk(module):
        if isinstance(call, ast.Call) and name_of(call) in SHOWS:
            for argument in call.args:
                yield from bare(argument)


def bare(node: ast.AST):
    """Yield the texts of an expression that are shown: not those in calls, nor keys."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and sum(map(str.isalpha, node.value)) > 1:
            yield node.lineno, node.value
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            yield from bare(part)
    elif isinstance(node, ast.IfExp):
        yield from bare(node.body)
        yield from bare(node.orelse)
    elif isinstance(node, ast.BinOp):
        yield from bare(node.left)
        yield from bare(node.right)
    elif isinstance(node, (ast.Tuple, ast.List)):
        for part in node.elts:
            yield from bare(part)


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def test_what_can_be_chosen_in_a_parameter_is_said_in_the_language_of_the_window(monkeypatch):
    """Single words and longer texts: collected, and looked up."""
    from pruneapp.gui.widgets import engine_text
    from pruneapp.methods.limits import LIMITS
    from pruneapp.methods.registry import METHODS

    collected = {text for _where, text in translations.declarations()}
    monkeypatch.setattr(engine_text, "translate", lambda _context, text: text.upper())
    params = [*LIMITS, *(param for method in METHODS.values() for param in method.params)]
    with_choices = [param for param in params if hasattr(param, "choices")]
    assert {type(param).__name__ for param in with_choices} >= {"ChoiceParam", "SubsetParam"}
    for param in with_choices:
        labels = [choice.label for choice in param.choices]
        assert collected >= set(labels), param.name
        said = [choice.label for choice in engine_text.translate_param(param).choices]
        assert said == [label.upper() for label in labels]
