"""Inject faults and kill processes, and print tables: ``python -m tests.reliability [--write]``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io import atomic_file
from pruneapp.export.catalog import FORMATS
from tests.benchmarks.models import ROOT
from tests.benchmarks.report import replace_sections
from tests.reliability import (
    evaluations,
    export_process,
    export_targets,
    faults,
    journal_faults,
    journal_kills,
    kills,
)
from tests.reliability.export_targets import Contents, Scene
from tests.support.formats import OF_ANY_SOURCE

REPORT = ROOT / "docs" / "reliability.md"
# Weights of the exported model: few for faults, where every system call is failed in turn; more for
# kills, which need time.
FAULT_WEIGHTS = 1 << 17
KILL_WEIGHTS = 1 << 21


def main() -> int:
    parser = argparse.ArgumentParser(prog="packaging/dev.py faults", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(SUBJECTS))
    parser.add_argument("--formats", nargs="*", default=list(OF_ANY_SOURCE), help="default: all")
    parser.add_argument("--calls", nargs="*", help="default: all")
    parser.add_argument("--kills", type=int, default=200, help="in each place (default: 200)")
    parser.add_argument(
        "--weights", type=int, default=KILL_WEIGHTS, help="of a model whose export is killed"
    )
    parser.add_argument("--evaluations", type=int, default=1000, help="default: 1000, 100 kills")
    parser.add_argument("--write", action="store_true", help=f"write {REPORT.relative_to(ROOT)}")
    options = parser.parse_args()
    export_process.import_everything()
    sections, wrong = {}, []
    for name in options.subjects or SUBJECTS:
        began = time.monotonic()
        text, bad = SUBJECTS[name](options)
        wrong += bad
        say(f"\n{text}\n({time.monotonic() - began:.0f} s)")
        sections[name] = text
    if options.write:
        replace_sections(REPORT, sections, "# Reliability\n")
    for line in wrong:
        say(f"Wrong: {line}")
    return 1 if wrong else 0


def _faults(options: argparse.Namespace) -> tuple[str, list[str]]:
    if not faults.usable():
        return "", ["strace is not installed"]
    # Small buffers cause many calls, each of which can fail.
    atomic_file.WINDOW_BYTES, atomic_file.PIECE_BYTES = 1 << 18, 1 << 16
    rows: dict[str, faults.Tally] = {}

    def one(form: str, layout: Path, scene: Scene, after: Contents) -> None:
        for call, tally in faults.inject(form, layout, scene, after, options.calls or faults.CALLS):
            row = rows.setdefault(call, faults.Tally())
            row.runs += tally.runs
            row.ends += tally.ends
            row.wrong += tally.wrong

    _everywhere(options, FAULT_WEIGHTS, one)
    text = _table(
        "## Failing system calls",
        "Each call fails at each index in turn, for every format and destination: the result is "
        "either the old file and an error message, or the new file.",
        ("call", "runs", "old file, a sentence", "new file", "leftovers", "wrong"),
        [
            (
                call,
                tally.runs,
                sum(n for end, n in tally.ends.items() if end.startswith("refused, old")),
                sum(n for end, n in tally.ends.items() if end.startswith("done, new")),
                sum(n for end, n in tally.ends.items() if "leftovers" in end),
                len(tally.wrong),
            )
            for call, tally in rows.items()
        ],
    )
    return text, [line for tally in rows.values() for line in tally.wrong]


def _kills(options: argparse.Namespace) -> tuple[str, list[str]]:
    rows: dict[tuple[str, str], kills.Tally] = {}

    def one(form: str, layout: Path, scene: Scene, after: Contents) -> None:
        tally = rows.setdefault((form, scene.name), kills.Tally())
        kills.kill(form, layout, scene, after, options.kills, tally)

    _everywhere(options, options.weights, one)
    text = _table(
        "## Killed exports",
        "The process is killed at times spread over the whole export: every file is completely "
        "old or completely new. Of several files, some may be new, with backups of the originals"
        " next to them. Leftover files are offered for deletion at the next start.",
        ("format", "place", "kills", "old", "new", "some new", "leftovers", "wrong"),
        [
            (
                form,
                place,
                tally.runs,
                *(tally.ends[end] for end in ("old", "new", "mixed")),
                tally.leftovers,
                len(tally.wrong),
            )
            for (form, place), tally in rows.items()
        ],
    )
    return text, [line for tally in rows.values() for line in tally.wrong]


def _journal(options: argparse.Namespace) -> tuple[str, list[str]]:
    tallies = {work.name: journal_kills.kill(work, options.kills) for work in journal_kills.WORKS}
    text = _table(
        "## Killed sessions",
        "The process is killed during steps, brush strokes, undo, jumps in the history and "
        "compactions, all recorded in the journal: the next start restores the state after the "
        'last recorded action, or after the one in progress. In "masks take long", actions '
        "continue while masks are being written; steps without masks on disk are computed again.",
        (
            "work",
            "kills",
            "actions kept",
            "the last",
            "the one under way",
            "nothing to lose",
            "computed again",
            "wrong",
        ),
        [
            (
                name,
                tally.runs,
                tally.steps,
                tally.complete,
                tally.one_more,
                tally.nothing,
                tally.again,
                len(tally.wrong),
            )
            for name, tally in tallies.items()
        ],
    )
    return text, [line for tally in tallies.values() for line in tally.wrong]


def _journal_faults(options: argparse.Namespace) -> tuple[str, list[str]]:
    if not faults.usable():
        return "", ["strace is not installed"]
    rows = journal_faults.inject(options.calls or journal_faults.CALLS)
    text = _table(
        "## Failing system calls in the journal",
        "Each call fails at each index in turn, once or from then on: at most one message is "
        "shown, work continues, everything recorded before can be restored, and everything else "
        "as soon as calls succeed again.",
        ("call", "runs", "a sentence", "nothing to say", "wrong"),
        [
            (call, tally.runs, tally.told, tally.runs - tally.told, len(tally.wrong))
            for call, tally in rows.items()
        ],
    )
    return text, [line for tally in rows.values() for line in tally.wrong]


def _evaluations(options: argparse.Namespace) -> tuple[str, list[str]]:
    repeated = evaluations.repeat(options.evaluations)
    killed = evaluations.kill(max(1, options.evaluations // 10))
    wrong = [*repeated.wrong, *killed.wrong]
    text = _table(
        "## Evaluations",
        "States of a small model are evaluated one after another in one worker, whose script has "
        "started a process of its own; then the worker is killed at random moments: while it "
        "starts, loads, takes over weights or evaluates. Each evaluation ends with the same number "
        "as before, or with a sentence. The last columns are the memory that was used more at the "
        "end than at half.",
        ("what", "times", "a number", "a sentence", "worker, kB", "application, kB", "wrong"),
        [
            (
                "one worker",
                repeated.runs,
                repeated.runs,
                0,
                repeated.worker_kb,
                repeated.application_kb,
                len(repeated.wrong),
            ),
            (
                "kills",
                killed.runs,
                killed.ends["a number"],
                killed.ends["a sentence"],
                "",
                "",
                len(killed.wrong),
            ),
        ],
    )
    return text, wrong


def _cluster(options: argparse.Namespace) -> tuple[str, list[str]]:
    # Imported here, because everything else runs without Dask.
    from tests.reliability import cluster_kills

    times = {"a worker": max(1, options.kills // 4)}  # 50, 10 and 10 by default
    tallies = {
        victim: cluster_kills.kill(victim, times.get(victim, max(1, options.kills // 20)), 800)
        for victim in cluster_kills.VICTIMS
    }
    text = _table(
        "## Killed jobs on a cluster",
        "A scheduler and two workers, each a process of its own, do a recipe of two steps on a "
        "model of six shards; one of them, or the client, is killed at moments spread over the "
        "job, those of scheduler and client over its second half. A worker that is killed is "
        "replaced by a new one, and the job goes on. With the scheduler gone the job stops with a "
        "sentence; a client that is killed says nothing. The same command with `--resume` then "
        "takes up what was written, or begins again where nothing was. All files come out with "
        "the bytes of one machine, and nothing else is left.",
        ("killed", "runs", "went on", "taken up", "begun again", "wrong"),
        [
            (
                victim,
                tally.runs,
                tally.ends["done"],
                tally.ends["resumed"],
                tally.ends["stopped, run again"],
                len(tally.wrong),
            )
            for victim, tally in tallies.items()
        ],
    )
    return text, [line for tally in tallies.values() for line in tally.wrong]


def _cluster_stores(options: argparse.Namespace) -> tuple[str, list[str]]:
    # Imported here, because everything else runs without Dask and without an S3 server.
    from tests.reliability import cluster_stores

    many, few = max(1, options.kills // 4), max(1, options.kills // 20)  # 50 and 10 by default
    times = dict(zip(cluster_stores.FAULTS, (many, few, few), strict=True))
    tallies = {fault: cluster_stores.run(fault, n, 100) for fault, n in times.items()}
    text = _table(
        "## A cluster with errors of S3",
        "A scheduler and two workers, each a process of its own, do a recipe of two steps on a "
        "model of six shards in a bucket, and write it to the same bucket. A proxy answers 5 % of "
        "the requests of client and workers with 500; in some runs a worker is killed besides, and "
        "replaced by a new one, or the scheduler, and the command is repeated with `--resume`. All "
        "objects come out with the bytes of one machine, and nothing else is left in the bucket, "
        "no unfinished upload either.",
        ("fails", "runs", "errors", "went on", "taken up", "begun again", "wrong"),
        [
            (
                fault,
                tally.runs,
                tally.ends["errors"],
                tally.ends["done"],
                tally.ends["resumed"],
                tally.ends["stopped, run again"],
                len(tally.wrong),
            )
            for fault, tally in tallies.items()
        ],
    )
    return text, [line for tally in tallies.values() for line in tally.wrong]


def _everywhere(
    options: argparse.Namespace, weights: int, one: Callable[[str, Path, Scene, Contents], None]
) -> None:
    """Call `one` for every format and every scene that it can write to."""
    with tempfile.TemporaryDirectory(prefix="pruneapp-reliability-") as name:
        layout = Path(name) / "layout"
        layout.mkdir()
        export_targets.lay_out(layout, weights)
        for form in options.formats:
            found = export_targets.scenes(
                FORMATS[form], lambda source: open_checkpoint(layout / source)
            )
            for number, scene in enumerate(found):
                folder = Path(name) / f"{form}-{number}"
                export_targets.place(scene, layout, folder)
                child = export_process.fork(
                    lambda s=scene, f=form, to=folder: export_targets.run(s, f, to)
                )
                child.go()
                code, said = child.wait()
                if code:
                    raise RuntimeError(f"{form}, {scene.name}: {said}")
                one(form, layout, scene, export_targets.contents(folder))


def _table(title: str, words: str, head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    numbers = {
        column: sum(values)
        for column, values in enumerate(zip(*rows, strict=True))
        if all(isinstance(value, int) for value in values)
    }
    total: list[Any] = [numbers.get(column, "") for column in range(len(head))]
    total[0] = "all"
    lines = [head, ["---"] * len(head), *rows, total] if rows else [head]
    table = "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
    return f"{title}\n\n{words}\n\n{table}\n"


def say(text: str) -> None:
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
