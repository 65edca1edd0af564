"""What ``pruneapp run`` and ``pruneapp verify`` understand."""

from __future__ import annotations

import argparse

_STATE_DICT = "which dict of tensors to take, where the file holds several"


def add_run(run: argparse.ArgumentParser) -> None:
    """Add the options of ``pruneapp run``."""
    from pruneapp.cli.export_options import add_export
    from pruneapp.kernels.devices import KEYS

    run.add_argument("recipe", metavar="RECIPE", help="a recipe that the window or prune saved")
    run.add_argument("file", metavar="FILE", help="a checkpoint: a file, an index, a folder")
    run.add_argument("-o", "--output", metavar="OUT", help="what to write")
    run.add_argument(
        "--check",
        action="store_true",
        help="write nothing: say what the recipe would touch, and what does not fit",
    )
    run.add_argument("--state-dict", metavar="KEY", help=_STATE_DICT)
    run.add_argument(
        "--load-method",
        metavar="FILE",
        help="a .py file with a method of your own; this runs its code",
    )
    run.add_argument("--device", choices=KEYS, default="auto")
    add_export(run)
    run.add_argument("--json", action="store_true", help="print the report as JSON")


def add_verify(verify: argparse.ArgumentParser) -> None:
    """Add the options of ``pruneapp verify``."""
    from pruneapp.export.registry import FORMATS
    from pruneapp.kernels.devices import KEYS

    verify.add_argument("file", metavar="FILE", help="what was exported: a file, or a folder")
    verify.add_argument(
        "--against", required=True, metavar="ORIGINAL", help="the checkpoint that it was made of"
    )
    verify.add_argument(
        "--recipe",
        metavar="RECIPE",
        help="for a file that does not say how it was made (torch formats have no place for it), "
        "and for masks that are too large for its metadata",
    )
    verify.add_argument("--state-dict", metavar="KEY", help=_STATE_DICT)
    verify.add_argument(
        "--load-method",
        metavar="FILE",
        help="a .py file with a method of your own; this runs its code",
    )
    verify.add_argument("--device", choices=KEYS, default="auto")
    verify.add_argument(
        "--format",
        choices=list(FORMATS),
        help="for a file that does not say it; else by its name and its size",
    )
    verify.add_argument("--json", action="store_true", help="print JSON")
