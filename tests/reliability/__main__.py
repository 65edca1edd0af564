"""Inject faults and kill processes, and print tables: ``python -m tests.reliability [--write]``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping

from tests.benchmarks.models import ROOT
from tests.benchmarks.report import replace_sections
from tests.reliability import evaluations, export_process, exports, journal_faults, journal_kills
from tests.reliability.tally import Tally
from tests.support.formats import OF_ANY_SOURCE

REPORT = ROOT / "docs" / "reliability.md"
# A table and descriptions of what was wrong.
Section = tuple[str, list[str]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="packaging/dev.py faults", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(SUBJECTS))
    parser.add_argument("--formats", nargs="*", default=list(OF_ANY_SOURCE), help="default: all")
    parser.add_argument("--calls", nargs="*", help="default: all")
    parser.add_argument("--kills", type=int, default=200, help="in each place (default: 200)")
    words = "of a model whose export is killed"
    parser.add_argument("--weights", type=int, default=exports.KILL_WEIGHTS, help=words)
    parser.add_argument("--evaluations", type=int, default=1000, help="default: 1000, 100 kills")
    parser.add_argument("--write", action="store_true", help=f"write {REPORT.relative_to(ROOT)}")
    options = parser.parse_args()
    export_process.import_everything()
    sections, wrong = {}, []
    for name in options.subjects or SUBJECTS:
        began = time.monotonic()
        text, bad = SUBJECTS[name](options)
        wrong += bad
        print_line(f"\n{text}\n({time.monotonic() - began:.0f} s)")
        sections[name] = text
    if options.write:
        replace_sections(REPORT, sections, "# Reliability\n")
    for line in wrong:
        print_line(f"Wrong: {line}")
    return 1 if wrong else 0


def section(
    title: str, words: str, head: str, tallies: Mapping[str, Tally], *ends: str, runs: str = "runs"
) -> Section:
    """Return the table of tallies, with a column for each of `ends` and a last row of sums.

    `head` names the first columns, and the keys of `tallies` are their cells, separated by "|".
    """
    rows = [[name, t.runs, *(t.ends[e] for e in ends), len(t.wrong)] for name, t in tallies.items()]
    total = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    columns = [head, runs, *ends, "wrong"]
    first = "all" + " | " * head.count("|")
    lines = [columns, ["---"] * (len(columns) + head.count("|")), *rows, [first, *total]]
    table = "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
    wrong = [line for tally in tallies.values() for line in tally.wrong]
    return f"## {title}\n\n{words}\n\n{table}\n", wrong


def _faults(options: argparse.Namespace) -> Section:
    if not exports.can_inject():
        return "", ["strace is not installed"]
    return section(
        "Failing system calls",
        "Each call fails at each index in turn, for every format and destination: the result is "
        "either the old file and an error message, or the new file.",
        "call",
        exports.inject_everywhere(options.formats, options.calls or exports.CALLS),
        *("old file, a sentence", "new file", "leftovers"),
    )


def _kills(options: argparse.Namespace) -> Section:
    return section(
        "Killed exports",
        "The process is killed at times spread over the whole export: every file is completely "
        "old or completely new. Of several files, some may be new, with backups of the originals"
        " next to them. Leftover files are offered for deletion at the next start.",
        "format | place",
        exports.kill_everywhere(options.formats, options.weights, options.kills),
        *("old", "new", "some new", "leftovers"),
        runs="kills",
    )


def _journal(options: argparse.Namespace) -> Section:
    return section(
        "Killed sessions",
        "The process is killed during steps, brush strokes, undo, jumps in the history and "
        "deletions, all recorded in the journal: the next start restores the state after the "
        'last recorded action, or after the one in progress. In "masks take long", actions '
        "continue while masks are being written; steps without masks on disk are computed again.",
        "work",
        {work.name: journal_kills.kill(work, options.kills) for work in journal_kills.WORKS},
        *("actions kept", "the last", "the one under way", "nothing to lose", "computed again"),
        runs="kills",
    )


def _journal_faults(options: argparse.Namespace) -> Section:
    if not exports.can_inject():
        return "", ["strace is not installed"]
    return section(
        "Failing system calls in the journal",
        "Each call fails at each index in turn, once or from then on: at most one message is "
        "shown, work continues, everything recorded before can be restored, and everything else "
        "as soon as calls succeed again.",
        "call",
        journal_faults.inject(options.calls or journal_faults.ERRORS),
        *("a sentence", "nothing to say"),
    )


def _evaluations(options: argparse.Namespace) -> Section:
    return section(
        "Evaluations",
        "States of a small model are evaluated one after another in one worker, whose script has "
        "started another process; then the worker is killed at random moments: while it starts, "
        "loads, receives weights or evaluates. Each evaluation ends with the same number as "
        "before, or with an error. The last columns are the increase of memory from half of the "
        "run to its end.",
        "what",
        {
            "one worker": evaluations.repeat(options.evaluations),
            "kills": evaluations.kill(max(1, options.evaluations // 10)),
        },
        *("a number", "a sentence", "worker, kB", "application, kB"),
        runs="times",
    )


def _cluster(options: argparse.Namespace) -> Section:
    # Imported here, because everything else runs without Dask.
    from tests.reliability import cluster_kills

    times = {"a worker": max(1, options.kills // 4)}  # 50, 10 and 10 by default
    return section(
        "Killed jobs on a cluster",
        "A scheduler and two workers, each in its own process, apply a recipe of two steps to a "
        "model of six shards; one of them, or the client, is killed at moments spread over the "
        "job, scheduler and client over its second half. A killed worker is replaced by a new "
        "one, and the job continues. If the scheduler is killed, the job stops with an error; a "
        "killed client prints nothing. The same command with `--resume` then continues from the "
        "written files, or starts again if there are none. All files have the bytes that a single "
        "machine writes, and no other files remain.",
        "killed",
        {
            victim: cluster_kills.kill(
                (victim,), times.get(victim, max(1, options.kills // 20)), 800
            )
            for victim in cluster_kills.VICTIMS
        },
        *cluster_kills.ENDS,
    )


def _cluster_stores(options: argparse.Namespace) -> Section:
    # Imported here, because everything else runs without Dask and without an S3 server.
    from tests.reliability import cluster_kills, cluster_stores

    many, few = max(1, options.kills // 4), max(1, options.kills // 20)  # 50 and 10 by default
    times = dict(zip(cluster_stores.FAULTS, (many, few, few), strict=True))
    return section(
        "A cluster with errors of S3",
        "A scheduler and two workers, each in its own process, apply a recipe of two steps to a "
        "model of six shards in a bucket, and write the result to the same bucket. A proxy "
        "answers 5 % of the requests of client and workers with status 500; in some runs a worker "
        "is killed as well and replaced by a new one, or the scheduler is killed and the command "
        "is repeated with `--resume`. All objects have the bytes that a single machine writes, "
        "and nothing else remains in the bucket, not even an unfinished upload.",
        "fails",
        {fault: cluster_stores.run(fault, n, 100) for fault, n in times.items()},
        *("errors", *cluster_kills.ENDS),
    )


def print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


SUBJECTS = {
    "faults": _faults,
    "kills": _kills,
    "journal": _journal,
    "journal-faults": _journal_faults,
    "evaluations": _evaluations,
    "cluster": _cluster,
    "cluster-stores": _cluster_stores,
}

if __name__ == "__main__":
    sys.exit(main())
