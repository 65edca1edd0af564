"""Docstrings, comments and documentation are written in plain technical English.

In each folder, `IDIOM` may match `PER_THOUSAND` of the lines of prose.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PER_THOUSAND = 5
# Words that technical English rarely needs, and that hide who does what in code.
IDIOM = re.compile(
    r"\b(?:anew|whoever|nobody|somebody|beside|so (?:many|much)|let(?:s)? go|takes? back|at hand"
    r"|in sight|by itself|(?:what|that|which) (?:goes|go|stays?|went|lies|stands|is meant)"
    r"|(?:is|are|was|were|be|been) (?:told|said)|(?:that|who|which) (?:is|are) there|told of"
    r"|tells? of|says? (?:what|how|which|whether|so|it|of)|said|stands?|lies?|put in force|in force"
    r"|what (?:it|they) (?:is|are) (?:told|made of)|as (?:it|they) (?:is|are)|come[s]? to"
    r"|at the (?:most|least|closest)|behind it|before it|of its own|of that)\b",
    re.IGNORECASE,
)
COMMENT = re.compile(r"(?:^|\s)(# .*)")
FOLDERS = (
    *sorted(f"pruneapp/{p.name}" for p in (ROOT / "pruneapp").iterdir() if p.is_dir()),
    "pruneapp",
    "packaging",
    "resources",
    "tests",
    "docs",
)


def docstrings(node: ast.AST) -> Iterator[str]:
    """Yield the docstrings of a module and of all classes and functions in it."""
    if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        yield ast.get_docstring(node) or ""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield from docstrings(child)


def prose_of(path: Path) -> Iterator[str]:
    """Yield the lines of docstrings and comments of a module, or all lines of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield from text.splitlines()
        return
    for docstring in docstrings(ast.parse(text)):
        yield from docstring.splitlines()
    # Tokenizing would be exact, but takes longer than all else; few strings have such a text.
    yield from (found[1] for line in text.splitlines() if (found := COMMENT.search(line)))


def files_of(folder: str) -> list[Path]:
    """Return the English pages and the modules of a folder; of the package its root modules."""
    root = ROOT / folder
    paths = root.glob("*.py") if folder == "pruneapp" else root.rglob("*")
    return [
        path
        for path in sorted(paths)
        if path.suffix in {".py", ".md"}
        and not {".de.", ".zh"}.intersection(re.findall(r"\.de\.|\.zh", path.name))
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_prose_is_plain(folder):
    lines = [line for path in files_of(folder) for line in prose_of(path)]
    found = [line.strip() for line in lines if IDIOM.search(line)]
    limit = max(len(lines) * PER_THOUSAND // 1000, 2)
    assert len(found) <= limit, "\n".join(found[-50:])
