"""``pruneapp expand``: convert a compact or compressed file to a dense one."""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from pruneapp.checkpoint.io.store import locate
from pruneapp.cli.terminal import Output, file_line
from pruneapp.export.formats.compact import expand as unpacked
from pruneapp.progress import Job


def expand(options: argparse.Namespace, job: Job, _stack: ExitStack) -> Output:
    """Write the dense file."""
    written = unpacked(locate(options.file), locate(options.output), job)
    return Output([file_line(written)], lambda: written)
