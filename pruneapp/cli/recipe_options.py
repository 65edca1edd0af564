"""What ``pruneapp run`` and ``pruneapp verify`` understand."""

from __future__ import annotations

import argparse

from pruneapp.cli.common_options import add_computing, add_state_dict


def add_run(run: argparse.ArgumentParser) -> None:
    """Add the options of ``pruneapp run``."""
    from pruneapp.cli.export_options import add_export

    run.add_argument("recipe", metavar="RECIPE", help="a recipe that the window or prune saved")
    run.add_argument("file", metavar="FILE", help="a checkpoint: a file, an index, a folder")
    run.add_argument("-o", "--output", metavar="OUT", help="what to write")
    run.add_argument(
        "--check",
        action="store_true",
        help="write nothing: say what the recipe would touch, and what does not fit",
    )
    add_state_dict(run)
    add_computing(run)
    add_export(run)
    run.add_argument("--json", action="store_true", help="print the report as JSON")


def add_verify(verify: argparse.ArgumentParser) -> None:
    """Add the options of ``pruneapp verify``."""
    from pruneapp.export.registry import FORMATS

    verify.epilog = (
        "Exit status: 0 if the file is what its recipe makes, 1 if not; 2 for what you can "
        "mend, 3 for a defect of Pruneapp, 130 if interrupted."
    )
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
    add_state_dict(verify)
    add_computing(verify)
    verify.add_argument(
        "--format",
        choices=list(FORMATS),
        help="for a file that does not say it; else by its name and its size",
    )
    verify.add_argument(
        "--omit",
        action="append",
        default=[],
        metavar="NAME",
        help="a tensor that was left out by choice, for a file that does not say it: a name or a "
        "glob; may be repeated",
    )
    verify.add_argument("--json", action="store_true", help="print JSON")
