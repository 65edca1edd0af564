"""Generate documentation pages from declarations.

    .venv/bin/python packaging/reference.py          write them
    .venv/bin/python packaging/reference.py --check  list stale pages; exit status 1 if any

docs/methods.md is generated from the declarations of the methods, docs/command-line.md from those
of the commands and their options, docs/recipe.schema.json from those of recipes and methods.
resources/guide.md (shown by F1) consists of the parts of
docs/guide.md between the markers ``<!-- F1 -->`` and ``<!-- /F1 -->``, and likewise for guides in
other languages, docs/guide.LANGUAGE.md.

Each heading of a translated guide is preceded by the anchor of the English heading, and a
fingerprint of the English section that was translated.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Mapping
from itertools import chain, count
from pathlib import Path

# The declarations of this checkout, not those of an installed package.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pruneapp.cli.options import Option, options_of
from pruneapp.cli.parser import COMMANDS, WINDOW, Command
from pruneapp.cli.terminal import EXIT_STATUS
from pruneapp.methods.method import Method
from pruneapp.methods.registry import METHODS
from pruneapp.params import STATISTICS, Param, needed_with
from pruneapp.recipes.schema import json_schema

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "docs" / "guide.md"
TRANSLATED_GUIDES = tuple(sorted(GUIDE.parent.glob("guide.*.md")))
_MARK = re.compile(r'^<a id="([^"]*)"></a><!-- English: (\w+) -->\n', re.MULTILINE)
_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def main(arguments: list[str]) -> int:
    """Write the pages, or check them; return the exit status."""
    pages = {
        ROOT / "docs" / "methods.md": methods(),
        ROOT / "docs" / "command-line.md": commands(),
        ROOT / "docs" / "recipe.schema.json": schema(),
    }
    for guide in (GUIDE, *TRANSLATED_GUIDES):
        pages[ROOT / "resources" / guide.name] = in_window(guide.read_text(encoding="utf-8"))
    return write(pages, __file__, arguments)


def write(pages: Mapping[Path, str], script: str, arguments: list[str]) -> int:
    """Write generated files, or check them; return the exit status."""
    status = 0
    for path, text in pages.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if "--check" in arguments:
            print(f"{path.relative_to(ROOT)} is stale: run packaging/{Path(script).name}")
            status = 1
        else:
            path.write_text(text, encoding="utf-8")
            print(f"Wrote {path.relative_to(ROOT)}")
    return status


def schema() -> str:
    """Return the JSON schema of recipes."""
    return json_schema(METHODS.values())


def methods() -> str:
    """Return the page of the methods as Markdown."""
    head = (
        "# Methods\n\n"
        "This page is made from the declarations of the methods by `packaging/reference.py`.\n"
        "`pruneapp methods` prints the same.\n"
    )
    return "\n".join([head, *(_method(method) for method in METHODS.values())])


def _method(method: Method) -> str:
    lines = [
        f"## {method.label}\n",
        f"`{method.name}`, {' or '.join(method.scopes)}\n",
        _by_sentence(method.help) + "\n",
        f"```text\n{method.formula}\n```\n",
    ]
    if method.takes_scores:
        lines.append("Importance scores from a file may take the place of the weights.\n")
    if method.takes_scale:
        lines.append("It needs the norm that follows, which is found by its name.\n")
    if method.takes_mask:
        lines.append("It needs a file of masks.\n")
    if method.takes_statistics:
        grams = " with Gram matrices" if method.takes_grams else ""
        words = needed_with(STATISTICS.name, method.params)
        needs = f"With {words} it needs" if words else "It needs"
        lines.append(f"{needs} [statistics of activations](statistics.md){grams}.\n")
    if method.params:
        lines += ["| parameter | what it is | allowed | default |", "|---|---|---|---|"]
        lines += [f"| `{p.name}` | {p.help} | {p.describe()} | {usual(p)} |" for p in method.params]
        lines.append("")
    return "\n".join(lines)


def commands() -> str:
    """Return the page of the commands and their options as Markdown."""
    head = (
        "# Commands\n\n"
        "This page is made from the declarations of the commands by `packaging/reference.py`.\n"
        "`pruneapp COMMAND --help` prints the same. [The reference]"
        "(reference.md#the-command-line) explains how they work together.\n\n"
        f"{EXIT_STATUS}\n"
    )
    pages = [_command(f"pruneapp {name}", command) for name, command in COMMANDS.items()]
    return "\n".join([head, _command("pruneapp", WINDOW), *pages])


def _command(name: str, command: Command) -> str:
    listed = [one for _, one in options_of(name.rpartition(" ")[2], command.options.split())]
    options = [one for one in listed if one.flags]
    arguments = [one for one in listed if not one.flags]
    required = [f"{one.flags[-1]} {_value(one)}" for one in options if one.required]
    others = ["[options]"] if len(options) > len(required) else []
    lines = [
        f"## {name}\n",
        _by_sentence(command.description) + "\n",
        f"```text\n{' '.join([name, *map(_value, arguments), *required, *others])}\n```\n",
        "| argument | what it is |",
        "|---|---|",
    ]
    for one in [*arguments, *options]:
        words = f"{', '.join(one.flags)} {_value(one)}".strip()
        text = one.help.replace("*", "\\*")
        lines.append(f"| `{words.replace('|', '/')}` | {text} |")
    if command.epilog not in (EXIT_STATUS, WINDOW.epilog):
        lines.append("\n" + command.epilog)
    return "\n".join(lines) + "\n"


def _value(option: Option) -> str:
    """Return the value of an option, or a positional argument in capitals; "" for a flag."""
    choices = option.choices() if callable(option.choices) else option.choices
    value = option.metavar or "/".join(choices)
    if option.flags:
        return value
    many = " ..." if option.nargs == "*" else ""
    return f"[{value.upper()}{many}]" if option.nargs in ("*", "?") else value.upper()


def usual(param: Param) -> str:
    """Return a default value for the page; "" for a file, which has none."""
    text = param.format(param.default)
    return f"`{text}`" if text else ""


def sections(guide: str) -> dict[str, str]:
    """Return the sections of a guide with their headings, by anchor.

    The anchor of a heading is the one that precedes it, or the one that GitHub generates: repeated
    headings get the suffixes "-1", "-2" and so on.
    """
    code = [found.span() for found in _CODE.finditer(guide)]  # a comment in code is not a heading
    starts = [
        found.start()
        for found in re.finditer(r"^#+ ", guide, re.MULTILINE)
        if not any(start <= found.start() < end for start, end in code)
    ]
    marks = {found.end(): found for found in _MARK.finditer(guide)}
    result: dict[str, str] = {}
    for start, after in zip(starts, [*starts[1:], len(guide)], strict=True):
        end = marks[after].start() if after in marks else after
        text = guide[start:end].strip()
        title = text.partition("\n")[0].lstrip("# ")
        made = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        endings = chain([""], (f"-{n}" for n in count(1)))
        made = next(made + ending for ending in endings if made + ending not in result)
        result[marks[start][1] if start in marks else made] = text
    return result


def fingerprint(section: str) -> str:
    """Return a hash of the words of a section, independent of line breaks."""
    return hashlib.sha256(" ".join(section.split()).encode()).hexdigest()[:12]


def translated_from(guide: str) -> dict[str, str]:
    """Return the fingerprints of the English sections that a guide was translated from."""
    return dict(_MARK.findall(guide))


def in_window(guide: str) -> str:
    """Return the part of a guide that F1 shows, without pictures and relative links."""
    text = _MARK.sub("", guide)
    parts = re.findall(r"<!-- F1 -->\n(.*?)<!-- /F1 -->", text, re.DOTALL)
    found = "\n".join(part.strip() + "\n" for part in parts)
    found = re.sub(r"<picture>.*?</picture>\n+", "", found, flags=re.DOTALL)
    # Remove parentheses that only contain a relative link; Chinese uses full-width ones.
    found = re.sub(r"\s*[(（]\[[^\]]+\]\((?!https?:)[^)]*\)[)）]", "", found)
    return re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", found)


def _by_sentence(text: str) -> str:
    """Insert line breaks after sentences."""
    return re.sub(r"(?<=[.:]) (?=[A-Z])", "\n", text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
