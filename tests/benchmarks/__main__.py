"""Run benchmarks and print their tables: ``python -m tests.benchmarks [SUBJECT ...] [--write]``."""

from __future__ import annotations

import argparse
import fnmatch
import itertools
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from pruneapp.__main__ import release_cores
from tests.benchmarks import machine
from tests.benchmarks.benchmark import Ground
from tests.benchmarks.models import ROOT
from tests.benchmarks.report import replace_sections
from tests.benchmarks.section import say, section
from tests.benchmarks.subjects import SUBJECTS

DOCS = ROOT / "docs"


def main() -> int:
    parser = argparse.ArgumentParser(prog="packaging/dev.py bench", description=__doc__)
    parser.add_argument(
        "subjects", nargs="*", metavar="SUBJECT", help=f"or patterns: {', '.join(SUBJECTS)}"
    )
    parser.add_argument("--rounds", type=int, default=5, help="measure so often (default: 5)")
    parser.add_argument("--folder", type=Path, help="keep models here for the next run")
    parser.add_argument("--write", action="store_true", help="write the pages in docs")
    parser.add_argument("--diagnose", action="store_true", help="write stalls-*.txt into --folder")
    options = parser.parse_args()
    release_cores()  # Measured processes use as many cores as the application does.
    found = {pattern: fnmatch.filter(SUBJECTS, pattern) for pattern in options.subjects}
    if unknown := [pattern for pattern, names in found.items() if not names]:
        parser.error(f"no such subject: {', '.join(unknown)} (there are {', '.join(SUBJECTS)})")
    usual = [name for name, subject in SUBJECTS.items() if not subject.on_request]
    chosen = list(dict.fromkeys(itertools.chain(*found.values()))) or usual
    say(f"{machine.describe()}, load {machine.load()}")
    with tempfile.TemporaryDirectory(prefix="pruneapp-bench-") as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        ground = Ground(folder.resolve(), options.rounds, options.diagnose)
        # One process per subject: a child process inherits the peak memory (VmHWM) of its parent,
        # so memory used by another subject would be counted as its own.
        with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as alone:
            sections = {name: alone.submit(section, name, ground).result() for name in chosen}
    if options.write:
        for page in dict.fromkeys(SUBJECTS[name].page for name in chosen):
            names = [name for name in chosen if SUBJECTS[name].page == page]
            measured = {name: text for name in names if (text := sections[name][0])}
            title = page.removesuffix(".md").capitalize()
            replace_sections(DOCS / page, measured, f"# {title}\n")
    if not options.subjects:
        say(f"\nLeft out unless named: {', '.join(name for name in SUBJECTS if name not in usual)}")
    missed = [line for _, lines in sections.values() for line in lines if not line.holds]
    for line in missed:
        say(f"Does not hold: {line.work}, {line.figure}")
    broken = [name for name, (text, _) in sections.items() if not text]
    for name in broken:
        say(f"Could not be measured: {name}")
    return 1 if missed or broken else 0


if __name__ == "__main__":
    sys.exit(main())
