"""Measure which lines and branches of `pruneapp/` the tests run, for information only.

    .venv/bin/python packaging/line_coverage.py            the latest run, by module
    .venv/bin/python packaging/line_coverage.py --missed   with the numbers of missed lines

`packaging/dev.py test` first calls `--prepare`: each module is compiled with probes that record
executed lines, and packaging/probes/sitecustomize.py makes the test processes use the result.
docs/decisions/0019 explains why this is not coverage.py.
"""

from __future__ import annotations

import argparse
import ast
import json
import marshal
import os
import shutil
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("PRUNEAPP_COVERAGE", ROOT / "build" / "coverage"))


class Probes:
    """Inserts probes into a module: one per sequence of statements, and one per branch.

    Attributes
    ----------
    next
        Number of the next probe.
    lines
        Line of each statement, with the number of the probe that covers it.
    branches
        Line of a condition, loop or match, with the number of the probe of each branch.
    """

    def __init__(self, module: ast.Module, first: int) -> None:
        self.next = first
        self.lines: dict[int, int] = {}
        self.branches: list[tuple[int, int]] = []
        self._numbers: dict[ast.stmt, int] = {}
        module.body = self._block(module.body)
        head = 0
        while head < len(module.body) and _runs_nothing(module.body[head]):
            head += 1
        module.body[head:head] = ast.parse("from sitecustomize import seen as __seen__").body

    def _probe(self, at: ast.stmt) -> ast.stmt:
        """Return a statement that records the execution of the line of `at`."""
        (probe,) = ast.parse(f"__seen__[{self.next}] = 1").body
        for node in ast.walk(probe):
            ast.copy_location(node, at)
        self._numbers[probe] = self.next
        self.next += 1
        return probe

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        probed: list[ast.stmt] = []
        latest: int | None = None
        for statement in statements:
            if not _runs_nothing(statement):
                if latest is None:
                    latest = self.next
                    probed.append(self._probe(statement))
                self.lines[statement.lineno] = latest
                self._enter(statement)
                match statement:
                    case ast.If(
                        body=[*_, ast.Return() | ast.Raise() | ast.Continue() | ast.Break()]
                    ):
                        # The following statements are covered by the probe of the other branch.
                        latest = self._numbers.get(statement.orelse[-1])
                    case ast.If() | ast.For() | ast.While() | ast.Match() | ast.Try() | ast.With():
                        latest = None
            probed.append(statement)
        return probed

    def _enter(self, node: ast.AST) -> None:
        """Add probes to the blocks inside a statement."""
        for name in ("body", "orelse", "finalbody"):
            if block := getattr(node, name, None):
                setattr(node, name, self._block(block))
        for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            self._enter(inner)
        match node:
            case ast.While(test=ast.Constant()):  # while True has a single branch
                pass
            case ast.If() | ast.For() | ast.While():
                self._way(node, node.body)
                self._way(node, node.orelse)
            case ast.Match():
                if not _takes_all(node.cases[-1]):
                    other = ast.copy_location(ast.MatchAs(), node.subject)
                    node.cases.append(ast.match_case(other, body=[]))
                for case in node.cases:
                    self._way(node, case.body)

    def _way(self, node: ast.stmt, block: list[ast.stmt]) -> None:
        """Record a branch: by the probe of its first statement, or a new one."""
        if not block or block[0] not in self._numbers:
            block.insert(0, self._probe(node))
        self.branches.append((node.lineno, self._numbers[block[0]]))


def _runs_nothing(statement: ast.stmt) -> bool:
    """Return whether a statement generates no code: docstring, ellipsis, or typing only."""
    match statement:
        case ast.Expr(value=ast.Constant()) | ast.ImportFrom(module="__future__"):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
    return False


def _takes_all(case: ast.match_case) -> bool:
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and not case.pattern.pattern


def prepare() -> None:
    """Compile every module with probes, and delete the previous results."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    probes = 0
    table = {}
    for path in sorted((ROOT / "pruneapp").rglob("*.py")):
        name = path.relative_to(ROOT)
        tree = ast.parse(path.read_bytes())
        found = Probes(tree, probes)
        probes = found.next
        code = compile(tree, str(path), "exec", dont_inherit=True)
        module = ".".join(name.with_suffix("").parts).removesuffix(".__init__")
        (FOLDER / f"{module}.code").write_bytes(marshal.dumps(code))
        table[name.as_posix()] = {"lines": list(found.lines.items()), "branches": found.branches}
    (FOLDER / "table.json").write_text(json.dumps(table))
    (FOLDER / "seen").write_bytes(bytes(probes))


def figures(*, modules: bool, missed: bool) -> None:
    """Print the coverage, in total and on request by module."""
    seen = (FOLDER / "seen").read_bytes()
    in_all: Counter[str] = Counter()
    for name, found in json.loads((FOLDER / "table.json").read_text()).items():
        idle = [line for line, probe in found["lines"] if not seen[probe]]
        untaken = sorted(line for line, probe in found["branches"] if not seen[probe])
        lines, branches = len(found["lines"]), len(found["branches"])
        in_all += Counter(lines=lines, branches=branches)
        in_all += Counter(run=lines - len(idle), taken=branches - len(untaken))
        if modules:
            run, taken = lines - len(idle), branches - len(untaken)
            print(f"{run}/{lines} lines, {taken}/{branches} branches: {name}")
        if missed and (idle or untaken):
            print("    never run:", *idle, "| never taken, a way on from:", *untaken)
    share_run = 100 * in_all["run"] / in_all["lines"]
    share_taken = 100 * in_all["taken"] / in_all["branches"]
    print(f"coverage: lines {share_run:.1f} %, branches {share_taken:.1f} %")


def main() -> None:
    """Prepare, or print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--prepare", action="store_true", help="before the tests: make the probes")
    parser.add_argument("--total", action="store_true", help="one line, for all modules together")
    parser.add_argument("--missed", action="store_true", help="print what no test ran, too")
    options = parser.parse_args()
    if options.prepare:
        prepare()
    else:
        figures(modules=not options.total, missed=options.missed)


if __name__ == "__main__":
    main()
