"""Write the pages that are made from declarations, so that nothing is said twice.

    .venv/bin/python packaging/reference.py          write them
    .venv/bin/python packaging/reference.py --check  say which are stale; exit status 1 if any is

docs/methods.md comes from the declarations of the methods, resources/guide.md (what F1 shows) from
the parts of docs/guide.md between the marks ``<!-- F1 -->`` and ``<!-- /F1 -->``, and
docs/recipe.schema.json from the declarations of recipes and methods.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from pruneapp.methods.method import Method
from pruneapp.methods.registry import METHODS
from pruneapp.params import STATISTICS, Param, needed_with
from pruneapp.recipes.schema import json_schema

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "docs" / "guide.md"
PAGES = (
    ROOT / "docs" / "methods.md",
    ROOT / "resources" / "guide.md",
    ROOT / "docs" / "recipe.schema.json",
)


def main(arguments: list[str]) -> int:
    """Write the pages, or check them; returns the exit status."""
    return write(
        dict(zip(PAGES, (methods(), in_window(), schema()), strict=True)), __file__, arguments
    )


def write(pages: Mapping[Path, str], script: str, arguments: list[str]) -> int:
    """Write what a script makes, or check it; returns the exit status."""
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
    """Return the page of the methods."""
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


def usual(param: Param) -> str:
    """Return what the page says of a default; a file has none."""
    text = param.format(param.default)
    return f"`{text}`" if text else ""


def in_window() -> str:
    """Return the guide that F1 shows: no pictures, and links only to the rest of the world."""
    text = GUIDE.read_text(encoding="utf-8")
    parts = re.findall(r"<!-- F1 -->\n(.*?)<!-- /F1 -->", text, re.DOTALL)
    found = "\n".join(part.strip() + "\n" for part in parts)
    found = re.sub(r"<picture>.*?</picture>\n+", "", found, flags=re.DOTALL)
    found = re.sub(r"\s*\(\[[^\]]+\]\((?!https?:)[^)]*\)\)", "", found)  # (a mere link)
    return re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", found)


def _by_sentence(text: str) -> str:
    """Break lines after sentences."""
    return re.sub(r"(?<=[.:]) (?=[A-Z])", "\n", text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
