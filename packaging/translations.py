"""The translations of the window: brought up to date with its texts, compiled, and looked at.

    .venv/bin/python packaging/translations.py           update resources/translations, and compile
    .venv/bin/python packaging/translations.py --open    list what is not translated yet

`resources/translations/pruneapp_LANG.ts` are the sources, which Qt Linguist edits; Qt loads the
``.qm`` beside them, which are committed as well: whoever builds or installs needs no tool of Qt.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from xml.etree import ElementTree as ET

from pruneapp.analysis.layout import layout
from pruneapp.export.catalog import FORMATS
from pruneapp.groups.family import LABELS
from pruneapp.gui.app.settings import LANGUAGE, SETTINGS
from pruneapp.gui.widgets.engine_text import CONTEXT, TIMES
from pruneapp.methods.limits import LIMITS
from pruneapp.methods.registry import METHODS
from pruneapp.params import ChoiceParam, FileParam, Param, SizeParam, SubsetParam
from pruneapp.recipes.replay import SCHEDULE
from pruneapp.results.tensor_group import in_sentence

ROOT = Path(__file__).resolve().parent.parent

FOLDER = ROOT / "resources" / "translations"
LANGUAGES = tuple(c.value for c in LANGUAGE.choices if c.value not in {"system", "en"})
_PLACEHOLDER = re.compile(r"\{\w*[^{}]*\}|%L?n|%L?\d+")
_MNEMONIC = re.compile(r"&(?=[^\s&])")


@dataclass(frozen=True)
class Message:
    """A text of the window, and its translation; None while that is not finished."""

    context: str
    source: str
    comment: str = ""
    translation: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from all others."""
        return self.context, self.source, self.comment


def main() -> int:
    """Update all languages, or list what they lack."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--open", action="store_true", help="list what is not translated yet")
    options = parser.parse_args()
    for language in LANGUAGES:
        file = source_of(language)
        if options.open:
            lines = [f"{m.context}: {m.source!r}" for m in read(file) if m.translation is None]
            print(f"{language}: {len(lines)} not translated", *lines, sep="\n  ")
            continue
        collect(file)
        release(file, file.with_suffix(".qm"))
        unfinished = sum(m.translation is None for m in read(file))
        print(f"{file.name}: {unfinished} texts are not translated")
    return 0


def source_of(language: str) -> Path:
    """Return the file that a language is translated in."""
    return FOLDER / f"pruneapp_{language}.ts"


def read(file: Path) -> list[Message]:
    """Return the messages of a file of translations."""
    messages = []
    for context in ET.parse(file).getroot().iter("context"):  # noqa: S314 - it is ours
        for message in context.iter("message"):
            given = message.find("translation")
            assert given is not None
            finished = given.get("type") is None
            messages.append(
                Message(
                    context.findtext("name", ""),
                    message.findtext("source", ""),
                    message.findtext("comment", ""),
                    (given.text or "") if finished else None,
                )
            )
    return messages


def collect(file: Path) -> None:
    """Bring a file up to date with the texts of the window; what is translated stays so."""
    with tempfile.TemporaryDirectory() as folder:
        declared = Path(folder, "declared.py")
        declared.write_text("\n".join(_marked(*text) for text in declarations()), encoding="utf-8")
        _run(
            "pyside6-lupdate",
            *("-silent", "-no-obsolete", "-locations", "none", "-extensions", "py"),
            *("-disable-heuristic", "similartext", "-disable-heuristic", "sametext"),
            *("-source-language", "en", str(ROOT / "pruneapp" / "gui"), str(declared)),
            *("-ts", str(file)),
        )


def release(file: Path, target: Path) -> None:
    """Compile a file of translations; what is not finished is left out."""
    _run("pyside6-lrelease", "-silent", "-nounfinished", str(file), "-qm", str(target))


def problem(message: Message) -> str:
    """Say what is wrong with a translation that is finished; empty if nothing is."""
    source, translation = message.source, message.translation
    if translation is None:
        return ""
    if not translation.strip():
        return "is empty"
    if set(_PLACEHOLDER.findall(source)) != set(_PLACEHOLDER.findall(translation)):
        return "has other placeholders"
    if bool(_MNEMONIC.search(source)) != bool(_MNEMONIC.search(translation)):
        return "has a mnemonic, or lacks one"
    for name, part in (("beginning", re.compile(r"^\s*")), ("end", re.compile(r"\s*$"))):
        ours, theirs = part.search(source), part.search(translation)
        if (ours and ours[0]) != (theirs and theirs[0]):
            return f"has other spaces at its {name}"
    if source.endswith("…") != translation.endswith("…") and "(&" not in translation:
        return "differs in the dots at its end"
    return ""


def declarations() -> Iterator[tuple[str, str]]:
    """Yield what registries declare in English, with a word of where: each text once."""
    seen: set[str] = set()
    for where, text in _declared():
        if text and text not in seen:
            seen.add(text)
            yield where, text


def _declared() -> Iterator[tuple[str, str]]:
    from pruneapp.gui.repair import repair_controller
    from pruneapp.gui.sensitivity import allocation_controller

    for method in METHODS.values():
        where = f"method {method.name}"
        yield where, method.label
        yield where, method.help
        yield from _of_params(where, method.params)
    for form in FORMATS.values():
        where = f"format {form.name}"
        yield where, form.label
        yield where, form.help
        for folder in (form.good_for, form.good_for_folder or {}):
            yield from ((where, reason) for reason in folder.values())
        yield from ((where, sentence) for sentence in form.does_not)
        yield from ((f"{where}, {loader.name}", loader.note) for loader in form.loaded_by)
        yield from _of_params(where, form.params)
    yield from _of_params("limits", LIMITS)
    yield from _of_params("schedule", SCHEDULE)
    yield from _of_params("repair", repair_controller.PARAMS)
    yield from _of_params("allocation", allocation_controller.PARAMS)
    yield from _of_params("settings", SETTINGS)
    for kind, rank in product(("Conv2d", "Linear", "Embedding", ""), range(1, 7)):
        planned = layout((2,) * rank, kind)
        for label in (planned.row_label, planned.column_label):
            yield from (("axis of the picture", word) for word in label.split(TIMES))
    for label in LABELS.values():
        yield "axis", label
        yield "axis, in a sentence", in_sentence(label)


def _of_params(where: str, params: tuple[Param, ...]) -> Iterator[tuple[str, str]]:
    for param in params:
        if isinstance(param, FileParam):
            continue
        at = f"{where}, {param.name}"
        yield at, param.label
        yield at, param.help
        if isinstance(param, SizeParam):
            yield at, param.nothing
        if isinstance(param, ChoiceParam | SubsetParam) and param != LANGUAGE:
            # Languages are called as they call themselves.
            for choice in param.choices:
                yield at, choice.label
                yield at, choice.help


def _marked(where: str, text: str) -> str:
    # Quoted so that lupdate, which knows a few escapes alone, reads what Python reads.
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'#: {where}\nQT_TRANSLATE_NOOP("{CONTEXT}", "{quoted}")'


def _run(program: str, *arguments: str) -> None:
    command = shutil.which(program, path=str(Path(sys.executable).parent)) or program
    done = subprocess.run([command, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"'{program}' failed: {done.stderr or done.stdout}")


if __name__ == "__main__":
    sys.exit(main())
