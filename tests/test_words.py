"""Every text for users follows the terms of docs/glossary.md."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pruneapp.cli.parser import COMMANDS
from pruneapp.export.catalog import FORMATS
from pruneapp.methods.limits import LIMITS
from pruneapp.methods.registry import METHODS
from pruneapp.recipes.replay import SCHEDULE

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name != "glossary.md"),
)
TRANSLATED = {"tr", "translate", "QT_TRANSLATE_NOOP"}


def retired() -> list[str]:
    """Return the phrases that the glossary retires."""
    table = GLOSSARY.partition("| retired | use |\n|---|---|\n")[2]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
    return [phrase.strip() for row in rows for phrase in row.split(",")]


PHRASES = retired()
RETIRED = re.compile("|".join(rf"\b{re.escape(phrase)}\b" for phrase in PHRASES), re.IGNORECASE)


def texts_of_code(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield translated texts and error messages, with their lines."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
        if name not in TRANSLATED and not name.endswith("Error"):
            continue
        given = [*call.args, *(word.value for word in call.keywords)]
        for part in (node for argument in given for node in ast.walk(argument)):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.lineno, part.value


def declared() -> Iterator[tuple[str, str]]:
    """Yield the labels and help texts of methods, limits, schedules and formats."""
    for method in METHODS.values():
        yield method.name, method.label
        yield method.name, method.help
        yield method.name, method.formula
    for form in FORMATS.values():
        yield form.name, form.label
        yield form.name, form.help
        yield from ((form.name, sentence) for sentence in (*form.does_not, *form.kept_notes))
        yield from ((form.name, sentence) for sentence in form.good_for.values())
    of_methods = (param for method in METHODS.values() for param in method.params)
    of_formats = (param for form in FORMATS.values() for param in form.params)
    for param in (*LIMITS, *SCHEDULE, *of_methods, *of_formats):
        yield param.name, param.label
        yield param.name, param.help
        yield param.name, param.describe()


def test_the_glossary_retires_words_and_names_what_to_use():
    assert len(PHRASES) > 20
    assert "would go" in PHRASES
    assert all(PHRASES)


@pytest.mark.parametrize("folder", ["gui", ""])
def test_texts_of_the_code_keep_to_the_glossary(folder):
    found = []
    for path in sorted((ROOT / "pruneapp" / folder).rglob("*.py")):
        if not folder and "gui" in path.relative_to(ROOT / "pruneapp").parts:
            continue
        code = path.read_text(encoding="utf-8")
        if not RETIRED.search(re.sub(r'"\s+f?"', "", code)):  # parsing takes most of the time
            continue
        found += [
            f"{path.relative_to(ROOT)}:{line}: {text!r}"
            for line, text in texts_of_code(ast.parse(code))
            if RETIRED.search(text)
        ]
    assert not found, "\n".join(found)


def test_percentages_of_the_window_have_a_space():
    """Regression: reports of the engine had 19.07% where the window has 19.07 %."""
    command_line = {"cli", "scripts"}  # tables of the command line, and code for users
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in sorted((ROOT / "pruneapp").rglob("*.py"))
        if not command_line.intersection(path.parts)
        for match in re.finditer(r"\{[^{}\n]*:\.\d%\}|\}%[ ).:]", path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_declarations_keep_to_the_glossary():
    found = [f"{name}: {text!r}" for name, text in declared() if RETIRED.search(text)]
    assert not found, "\n".join(found)


def test_help_of_the_command_line_keeps_to_the_glossary():
    code = (
        "from pruneapp.cli.parser import parse\n"
        f"for command in {[[], *([command] for command in COMMANDS)]!r}:\n"
        "    try:\n"
        "        parse([*command, '--help'])\n"
        "    except SystemExit:\n"
        "        pass\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = " ".join(done.stdout.split())
    assert [said[max(0, m.start() - 60) : m.end() + 40] for m in RETIRED.finditer(said)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_keep_to_the_glossary(page):
    text = re.sub(r"`[^`]*`|```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = [line for line in text.splitlines() if RETIRED.search(line)]
    assert not lines, "\n".join(lines)
