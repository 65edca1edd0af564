"""Check the structure of the package: sizes of files and folders, names, and import cycles.

    python packaging/structure.py            print the figures
    python packaging/structure.py --check    fail if a rule is violated

Rules for `pruneapp/`: a module has at most 1,000 lines, a folder at most 18 modules, module names
are nouns, no class name is defined twice, and there is no import cycle, including `packaging/`. In
`tests/` module names are nouns too, and each folder has the name of the folder of `pruneapp/` that
it tests. Exceptions are listed below with their reasons.
"""

from __future__ import annotations

import ast
import re
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent

MOST_LINES = 1_000
MOST_IN_A_FOLDER = 18

# Names that end in -ing or -ed and are technical terms.
TERMS = {
    "deflated": "a zip member that is compressed with deflate",
    "heading": "the title above the plots",
    "mask_packing": "packing of masks into bits",
    "pooling": "mean, maximum and count over a block of pixels",
    "ranking": "the order of weights by magnitude",
    "rounding": "from float32 to 16 bits",
    "shading": "from numbers to colours",
    "sharded": "a model in several files",
    "semi_structured": "N:M: at most N of M neighbouring weights are not zero",
    "sharding": "splitting a model into several files",
    "structured": "structured pruning: whole channels",
    "unstructured": "unstructured pruning: single weights",
}

# Folders of tests/ without a counterpart in pruneapp/.
TEST_FOLDERS = {
    "benchmarks": "measures speed and memory",
    "benchmarks/subjects": "what is measured, a file each",
    "gui/journeys": "ways through several features of the window",
    "monkey": "random input to the window",
    "packaging": "tests of packaging/",
    "reliability": "faults of the system, and kills",
    "support": "what tests of several packages share",
}


@dataclass(frozen=True)
class Figures:
    """Counts and violations of the rules.

    Attributes
    ----------
    lines
        Number of lines of each module by path; without ``__init__`` modules.
    package_lines
        Number of lines of all files of the package.
    circles
        Sets of modules that import each other.
    folders
        Number of modules of each folder.
    twice
        For each class name that is defined more than once: the modules that define it.
    tests
        Paths of all files of the tests.
    strays
        Folders of `tests/` that have no folder of the package to test.
    """

    lines: Mapping[str, int]
    package_lines: int
    circles: tuple[tuple[str, ...], ...]
    folders: Mapping[str, int]
    twice: Mapping[str, tuple[str, ...]]
    tests: tuple[str, ...]
    strays: tuple[str, ...]

    @property
    def verbs(self) -> list[str]:
        """Modules and tests whose name ends in -ing or -ed and is not a term of the field."""
        return [
            path
            for path in (*self.lines, *self.tests)
            if re.search(r"(ing|ed)$", noun := _noun(path)) and noun not in TERMS
        ]

    def broken(self) -> list[str]:
        """Return one sentence for each violated rule."""
        stems = {_noun(path) for path in (*self.lines, *self.tests)}
        found = [f"{path} has {n} lines" for path, n in self.lines.items() if n > MOST_LINES]
        found += [f"the name of {path} is not a noun and not in TERMS" for path in self.verbs]
        found += [f"no module needs {term} in TERMS" for term in TERMS if term not in stems]
        found += ["a circle of imports: " + ", ".join(circle) for circle in self.circles]
        found += [
            f"{folder} has {n} modules, more than {MOST_IN_A_FOLDER}"
            for folder, n in self.folders.items()
            if n > MOST_IN_A_FOLDER
        ]
        found += [
            f"the class {name} is defined in {' and in '.join(where)}"
            for name, where in self.twice.items()
        ]
        found += [f"tests/{folder} has no folder of pruneapp/" for folder in self.strays]
        return found


def figures(root: Path = ROOT) -> Figures:
    sources = {p: p.read_text(encoding="utf-8") for p in sorted((root / "pruneapp").rglob("*.py"))}
    modules = {p: text for p, text in sources.items() if p.name != "__init__.py"}
    classes = defaultdict(list)
    for path, text in sources.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(_shown(path, root))
    package, tests = root / "pruneapp", sorted((root / "tests").rglob("*.py"))
    tested = {path.parent.relative_to(root / "tests") for path in tests}
    return Figures(
        lines={_shown(path, root): text.count("\n") for path, text in modules.items()},
        package_lines=sum(text.count("\n") for text in sources.values()),
        circles=tuple(circles()),
        folders=Counter(_shown(path.parent, root) for path in modules),
        twice={name: tuple(where) for name, where in classes.items() if len(where) > 1},
        tests=tuple(_shown(path, root) for path in tests),
        strays=tuple(
            folder.as_posix()
            for folder in sorted(tested)
            if folder.as_posix() not in TEST_FOLDERS and not (package / folder).is_dir()
        ),
    )


def circles() -> list[tuple[str, ...]]:
    """Return import cycles: top-level, late, and typing-only imports count."""
    graph = grimp.build_graph("pruneapp", cache_dir=None)
    needs = {m: sorted(graph.find_modules_directly_imported_by(m)) for m in sorted(graph.modules)}
    return _components({**needs, **_scripts(ROOT / "packaging")})


def _scripts(folder: Path) -> dict[str, list[str]]:
    """Return the scripts of a folder that each script imports anywhere in its code, by name."""
    paths = {path.stem: path for path in sorted(folder.glob("*.py"))}
    needs: dict[str, list[str]] = {}
    for name, path in paths.items():
        found: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
        needs[name] = sorted(found & paths.keys())
    return needs


def _components(needs: Mapping[str, Iterable[str]]) -> list[tuple[str, ...]]:
    """Return the strongly connected components of more than one node, by Tarjan's algorithm."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    waiting: set[str] = set()
    found: list[tuple[str, ...]] = []
    for root in needs:
        if root in number:
            continue
        work = [(root, iter(needs[root]))]
        number[root] = low[root] = len(number)
        stack.append(root)
        waiting.add(root)
        while work:
            node, left = work[-1]
            for other in left:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    waiting.add(other)
                    work.append((other, iter(needs.get(other, ()))))
                    break
                if other in waiting:
                    low[node] = min(low[node], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    at = stack.index(node)
                    if len(stack) - at > 1:
                        found.append(tuple(sorted(stack[at:])))
                    waiting.difference_update(stack[at:])
                    del stack[at:]
    return found


def _noun(path: str) -> str:
    return Path(path).stem.removeprefix("test_")


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def main() -> int:
    """Print the figures."""
    found = figures()
    lengths = sorted(found.lines.values())
    print(f"modules               {len(found.lines)}, and {len(found.folders)} folders")
    print(f"lines                 {found.package_lines:,}")
    print(f"lines of a module     median {statistics.median(lengths):.0f}, longest {lengths[-1]}")
    folder, most = max(found.folders.items(), key=lambda item: item[1])
    print(f"modules in a folder   at most {most} ({folder})")
    print(f"circles of imports    {len(found.circles)}")
    print(f"names in -ing or -ed  {len(TERMS)} terms of the field, {len(found.verbs)} others")
    print(f"files of tests        {len(found.tests)}")
    print(f"class names twice     {len(found.twice)}")
    for name, where in sorted(found.twice.items()):
        print(f"    {name}: {', '.join(where)}")
    broken = found.broken()
    for rule in broken:
        print(f"BROKEN: {rule}")
    return bool(broken) and "--check" in sys.argv[1:]


if __name__ == "__main__":
    sys.exit(main())
