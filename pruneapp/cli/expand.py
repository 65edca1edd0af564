"""``pruneapp expand``: convert a compact or compressed file to a dense one."""

from __future__ import annotations

import argparse
import sys

from pruneapp.checkpoint.io.store import locate
from pruneapp.cli import terminal
from pruneapp.cli.terminal import size
from pruneapp.errors import escaped
from pruneapp.export.formats.compact import expand as unpacked
from pruneapp.progress import CancelToken


def expand(options: argparse.Namespace, token: CancelToken) -> int:
    """Write the dense file and print its checksum."""
    with terminal.job("Expanding", token) as job:
        written = unpacked(locate(options.file), locate(options.output), job)
    path = escaped(str(written.path))
    sys.stdout.write(f"{path}: {size(written.nbytes)}, SHA-256 {written.sha256}\n")
    return 0
