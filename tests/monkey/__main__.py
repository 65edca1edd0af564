"""Send random input to the window: ``python -m tests.monkey --minutes 6 --seeds 20``.

Clicks, keys, text, wheel, drags, files, resizes and commands, each run in its own process with the
offscreen platform. A run that finds something keeps its folder, whose log.jsonl can be replayed:
``--replay FOLDER/log.jsonl``, with the seed and the models of the run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.models import ROOT
from tests.benchmarks.report import replace_sections

REPORT = ROOT / "docs" / "reliability.md"
RESNET = ROOT.parent / "shared" / "data" / "resnet20-12fca82f.th"
# Additional seconds that a run may need for its last files and checks.
GRACE_S = 300.0
LAST_ACTS = 12
HEAD = (
    *("seed", "model", "minutes", "actions", "files opened", "refused", "changes", "exports"),
    *("windows", "crashes", "exceptions", "failed jobs", "warnings", "stalls > 1 s"),
    *("longest stall, s", "others' stalls", "other findings", "MB"),
)
# The column that counts each kind of finding; "crowd" is caused by other processes.
COLUMNS = {
    "exception": "exceptions",
    "bug report": "exceptions",
    "failed job": "failed jobs",
    "deaf job": "failed jobs",
    "warning": "warnings",
    "stall": "stalls > 1 s",
    "crowd": "others' stalls",
}


# Columns that the process counted itself, with their names there.
DONE = {
    "actions": "acts",
    "files opened": "opened",
    **{name: name for name in ("refused", "changes", "exports", "windows")},
}


@dataclass
class Outcome:
    """The outcome of a run.

    Attributes
    ----------
    row
        Its table row, by column.
    wrong
        Descriptions of the findings, with where to read more.
    """

    row: dict[str, Any]
    wrong: list[str] = field(default_factory=list)


def main() -> int:
    options = _options()
    if options.play:
        return _play(options)
    models = [Path(name).resolve() for name in options.model] or usual_models(options.folder)
    outcomes = []
    print_line(" | ".join(HEAD))
    for seed in range(options.seed, options.seed + options.seeds):
        outcome = run(options, seed, models[seed % len(models)])
        outcomes.append(outcome)
        print_line(_line(outcome.row))
        for text in outcome.wrong:
            print_line(text)
    if options.write:
        replace_sections(REPORT, {"monkey": _section(outcomes)}, "# Reliability\n")
    return 1 if any(outcome.wrong for outcome in outcomes) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="packaging/dev.py monkey",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=1.0, help="of each run (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="of the first run (default: 0)")
    parser.add_argument("--seeds", type=int, default=1, help="how many runs (default: 1)")
    words = "taken in turn by the runs (default: the sample, ../shared/data, a generated one)"
    parser.add_argument("--model", action="append", default=[], metavar="FILE", help=words)
    parser.add_argument("--folder", type=Path, help="for the runs (default: a temporary one)")
    parser.add_argument("--replay", type=Path, metavar="LOG", help="repeat the acts of a run")
    parser.add_argument("--write", action="store_true", help="write docs/reliability.md")
    parser.add_argument("--play", type=Path, help=argparse.SUPPRESS)  # in this process
    options = parser.parse_args()
    if options.folder is None and not options.play:
        options.folder = Path(tempfile.mkdtemp(prefix="pruneapp-monkey-"))
    return options


def usual_models(folder: Path) -> list[Path]:
    """Return the models that runs use in turn."""
    from pruneapp import resources
    from tests.monkey.files import SAMPLE, transformer

    folder.mkdir(parents=True, exist_ok=True)
    found = [resources.path(SAMPLE), transformer(folder / "transformer")]
    return [*found, RESNET] if RESNET.exists() else found


def _play(options: argparse.Namespace) -> int:
    from tests.monkey import player

    models = tuple(Path(name).resolve() for name in options.model)
    plan = player.Plan(options.seed, 60 * options.minutes, models, options.play, options.replay)
    return player.play(plan)


def run(options: argparse.Namespace, seed: int, model: Path) -> Outcome:
    """Run one seed in a child process and return its outcome."""
    folder = options.folder / f"seed-{seed}"
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "tests.monkey", "--play", str(folder)]
    command += ["--seed", str(seed), "--minutes", str(options.minutes), "--model", str(model)]
    if options.replay:
        command += ["--replay", str(options.replay.resolve())]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    began = time.monotonic()
    with (folder / "output.txt").open("wb") as out:
        child = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL
        )
        try:
            status = child.wait(60 * options.minutes + GRACE_S)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGABRT)  # writes the stacks of all threads
            status = child.wait()
        except BaseException:
            child.kill()
            child.wait()
            raise
    outcome = judge(folder, status, seed, model, time.monotonic() - began)
    if not outcome.wrong:
        shutil.rmtree(folder)
    return outcome


def judge(folder: Path, status: int, seed: int, model: Path, seconds: float) -> Outcome:
    """Read the log and the result of a run."""
    log = folder / "log.jsonl"
    entries = [_parsed(line) for line in log.read_text().splitlines()] if log.exists() else []
    found = [e for e in entries if e["do"] == "found"]
    row: dict[str, Any] = dict.fromkeys(HEAD, 0) | {"seed": seed, "model": model.name}
    wrong = []
    for entry in found:
        row[COLUMNS.get(entry["kind"], "other findings")] += 1
        if entry["kind"] != "crowd":
            wrong.append(f"{entry['kind']} at {entry['t']} s: {entry['text']}")
    result = folder / "result.json"
    if result.exists():
        said = json.loads(result.read_text())
        row |= {
            "minutes": round(said["seconds"] / 60, 1),
            "longest stall, s": said["longest"],
            "MB": said["memory"],
            **{column: said["done"].get(key, 0) for column, key in DONE.items()},
        }
    if not result.exists() or status != int(bool(wrong)):
        row["crashes"] = 1
        row["minutes"] = row["minutes"] or round(seconds / 60, 1)
        row["actions"] = sum(e["do"] not in {"found", "answer"} for e in entries)
        name = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        last = "\n".join(json.dumps(e, ensure_ascii=False) for e in entries[-LAST_ACTS:])
        stacks = folder / "stacks.txt"
        where = stacks.read_text()[-6000:] if stacks.exists() else ""
        output = (folder / "output.txt").read_text(errors="replace")[-2000:]
        wrong.append(f"crash ({name}) after\n{last}\n{where}\n{output}")
    elif output := (folder / "output.txt").read_text(errors="replace"):
        row["other findings"] += 1
        wrong.append(f"output: {output[-2000:]}")
    if wrong:
        wrong.append(
            f"repeat: packaging/dev.py monkey --seed {seed} --model {model} --replay {log}"
        )
    return Outcome(row, wrong)


def _parsed(line: str) -> dict[str, Any]:
    try:
        return json.loads(line)
    except ValueError:  # the process ended while writing it
        return {"do": "cut off", "line": line}


def _line(row: dict[str, Any]) -> str:
    return "| " + " | ".join(str(row[head]) for head in HEAD) + " |"


def _section(outcomes: list[Outcome]) -> str:
    rows = [outcome.row for outcome in outcomes]
    total: dict[str, Any] = {"seed": "all", "model": ""}
    for head in HEAD[2:]:
        most = max if head in {"longest stall, s", "MB"} else sum
        total[head] = round(most(row[head] for row in rows), 2)
    head = "| " + " | ".join(HEAD) + " |\n|" + " --- |" * len(HEAD)
    settings = {n: os.environ[n] for n in ("PYTHONMALLOC", "MALLOC_PERTURB_") if n in os.environ}
    under = ", ".join(f"`{name}={value}`" for name, value in settings.items())
    table = "\n".join([head, *map(_line, rows), _line(total)])
    return f"## Random input in the window\n\n{WORDS}{under and f' Under {under}.'}\n\n{table}\n"


WORDS = (
    "Random input in the window: clicks, keys, text, wheel, drags, dropped files (valid and "
    "hostile), resizes, commands, answers to file dialogs, and closed windows. Each run is a "
    "separate off-screen process, which can only write to its folder. "
    "`packaging/dev.py monkey --minutes 6 --seeds 20 --write` makes this table, with the "
    "sample, a transformer in shards and, if it exists in ../shared/data, a ResNet in turn; "
    "`PYTHONMALLOC=debug` and `MALLOC_PERTURB_=165` in the environment apply to the runs. A "
    "run that finds a problem keeps its folder and prints the command that replays it.\n\n"
    "The window stalls while its main thread does not respond. A stall counts as ours "
    "unless a thread of the process was waiting for a processor at that time; such stalls "
    "are counted separately. Other findings: wrong mask counts, windows, threads or "
    "wrappers left behind, and work that does not end."
)


def print_line(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
