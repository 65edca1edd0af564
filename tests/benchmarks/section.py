"""Measure one subject and print its table."""

from __future__ import annotations

import sys
import time
import traceback

from tests.benchmarks import machine
from tests.benchmarks.benchmark import Ground, Line, as_columns, as_markdown
from tests.benchmarks.subjects import SUBJECTS


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def section(name: str, ground: Ground) -> tuple[str, list[Line]]:
    """Measure and print a subject; return an empty text if it fails."""
    subject = SUBJECTS[name]
    say(f"\n## {subject.title}\n")
    began = time.monotonic()
    try:
        lines = list(subject.measure(ground))
    except Exception:  # noqa: BLE001 - whatever it was, it is printed, and the run ends with 1
        say(traceback.format_exc())
        return "", []
    table = "\n".join(as_columns(lines) if subject.has_columns else as_markdown(lines))
    say(table)
    say(f"\n({time.monotonic() - began:.0f} s, load {machine.load()})")
    return f"## {subject.title}\n\n{subject.method}\n\n{table}\n", lines
