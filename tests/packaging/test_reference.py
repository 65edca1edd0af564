"""Translated guides match the English one, and use the terms of the window."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QLibraryInfo, QTranslator
from PySide6.QtGui import QKeySequence, QTextDocument

from pruneapp import resources
from tests.packaging.test_translations import translations

ROOT = Path(__file__).resolve().parent.parent.parent


def script(name):
    """Import a script of packaging/."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "packaging" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


reference = script("reference")
ENGLISH = reference.GUIDE.read_text(encoding="utf-8")
GUIDES = {
    path.suffixes[0][1:]: path.read_text(encoding="utf-8") for path in reference.TRANSLATED_GUIDES
}
LANGUAGES = sorted(GUIDES)
KEY = re.compile(
    r"`((?:(?:Ctrl|Alt|Shift)\+)+[^`\s]+|Ctrl|Alt|Shift|Space|Return|Del|Home|End|Up|Down|F\d+|Esc)`"
)
CODE_WORD = re.compile(r"`([^`\n]+)`")
NATIVE = QKeySequence.SequenceFormat.NativeText
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# Texts in table cells are translated; code is not.
BOLD = re.compile(r"\*\*(.+?)\*\*|(?<![*\w])\*([^*\n]+)\*(?!\*)", re.DOTALL)


def parts(section, what):
    """Return the parts of a section that are the same in every language."""
    found = {
        "level": re.findall(r"^#+", section)[:1],
        "code": CODE.findall(section),
        "pictures": re.findall(r'(?:src|srcset)="([^"]+)"', section),
        "links": sorted(re.findall(r"\]\(([^)\s]+)\)", section)),
        "items": len(re.findall(r"^- ", section, re.MULTILINE)),
        "rows": len(re.findall(r"^\|", section, re.MULTILINE)),
        "keys": sorted(set(KEY.findall(section))),
        "options": sorted(set(re.findall(r"`(--[a-z-]+)", section))),
    }
    return found[what]


def test_there_is_a_guide_in_every_language_of_the_window():
    assert LANGUAGES == ["de", "zh_CN"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translated_guide_has_the_sections_of_the_english_one(language):
    assert list(reference.sections(GUIDES[language])) == list(reference.sections(ENGLISH))
    marks = re.findall(r"<!-- /?F1 -->", ENGLISH)
    assert re.findall(r"<!-- /?F1 -->", GUIDES[language]) == marks


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_section_was_translated_from_the_english_one_of_now(language):
    """To fix a failure, change only the translation and its fingerprint."""
    made = reference.translated_from(GUIDES[language])
    now = {a: reference.fingerprint(s) for a, s in reference.sections(ENGLISH).items()}
    stale = {anchor: mark for anchor, mark in now.items() if made.get(anchor) != mark}
    assert not stale, f"docs/guide.{language}.md: translate what changed in {stale}"


@pytest.mark.parametrize("what", ["level", "code", "pictures", "links", "items", "rows"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_sections_have_the_same_in_them(language, what):
    ours = {a: parts(s, what) for a, s in reference.sections(GUIDES[language]).items()}
    if what == "links":  # to the English guide, which the page names
        ours["guide"].remove("guide.md")
    theirs = {a: parts(s, what) for a, s in reference.sections(ENGLISH).items()}
    if what == "pictures":
        assert any(theirs.values())
    assert ours == theirs


@pytest.mark.parametrize("language", LANGUAGES)
def test_sections_name_the_same_options(language):
    ours = {a: parts(s, "options") for a, s in reference.sections(GUIDES[language]).items()}
    assert ours == {a: parts(s, "options") for a, s in reference.sections(ENGLISH).items()}


def on_the_keyboard(key):
    """Return a key in the installed language, as the window shows it."""

    def native(part):
        if part in {"Ctrl", "Alt", "Shift"}:
            return QKeySequence(f"{part}+A").toString(NATIVE).split("+")[0]
        return QKeySequence(part).toString(NATIVE) or part

    return "+".join(map(native, key.split("+")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_keys_are_called_as_in_the_window(language, qapp):
    translator = QTranslator()
    assert translator.load(
        f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    )
    wanted = {a: parts(s, "keys") for a, s in reference.sections(ENGLISH).items()}
    qapp.installTranslator(translator)
    try:
        wanted = {a: {on_the_keyboard(key) for key in keys} for a, keys in wanted.items()}
    finally:
        qapp.removeTranslator(translator)
    assert {"de": "Strg+O", "zh_CN": "Ctrl+回车"}[language] in set.union(*wanted.values())
    called = set.union(*wanted.values())
    first = {key.partition("+")[0] for key in called if "+" in key}
    for anchor, section in reference.sections(GUIDES[language]).items():
        words = set(CODE_WORD.findall(section))
        keys = {word for word in words if word in called or word.partition("+")[0] in first}
        assert keys == wanted[anchor], anchor
        assert not set(KEY.findall(section)) - wanted[anchor], "a key in English"


def shown(text):
    """Return a text as the window shows it, without mnemonic and dots."""
    return re.sub(r"\(&\w\)|&", "", " ".join(text.split())).rstrip("…").strip()


@pytest.mark.parametrize("language", LANGUAGES)
def test_menus_and_buttons_are_called_as_in_the_window(language):
    said: dict[str, set[str]] = {}
    for message in translations.read(translations.source_of(language)):
        if message.translation:
            said.setdefault(shown(message.source), set()).add(shown(message.translation))
    ours = reference.sections(GUIDES[language])
    wrong, known = [], 0
    for anchor, section in reference.sections(ENGLISH).items():
        found = [re.sub(r"`[^`\n]*`", "", CODE.sub("", text)) for text in (section, ours[anchor])]
        english, translated = (
            {shown(word) for pair in BOLD.findall(text) for word in "".join(pair).split(" > ")}
            for text in found
        )
        for word in sorted(english & said.keys()):
            known += 1
            if not said[word] & translated:
                wrong.append(f"{anchor}: {word} is {said[word]}")
    assert known > 60
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("language", LANGUAGES)
def test_markdown_of_a_translation_leaves_no_signs(language, qapp):
    """Asterisks next to wide (Chinese) characters are easily not parsed as emphasis."""
    text = resources.path(f"guide.{language}.md").read_text(encoding="utf-8")
    document = QTextDocument()
    document.setMarkdown(CODE.sub("", text))
    plain = document.toPlainText()
    assert [line for line in plain.splitlines() if re.search(r"\*\*|`|\]\(|<a ", line)] == []
    assert len(plain) > 4000


def test_a_changed_section_is_told():
    """Changing a word changes one fingerprint."""
    changed = ENGLISH.replace("on the window, or press", "on it, or press")
    assert changed != ENGLISH
    before, after = (
        {a: reference.fingerprint(s) for a, s in reference.sections(text).items()}
        for text in (ENGLISH, changed)
    )
    assert [anchor for anchor in before if before[anchor] != after[anchor]] == ["open-a-model"]


def test_anchors_of_like_headings_are_those_of_github():
    found = reference.sections("# One\n\n## Same thing\n\na\n\n## Same thing\n\nb\n")
    assert list(found) == ["one", "same-thing", "same-thing-1"]
