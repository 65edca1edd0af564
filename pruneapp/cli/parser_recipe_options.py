"""What ``pruneapp run`` and ``pruneapp verify`` understand."""

from __future__ import annotations

import argparse

from pruneapp.cli.arguments import add_computing, add_state_dict


def add_run(run: argparse.ArgumentParser) -> None:
    """Add the options of ``pruneapp run``."""
    from pruneapp.cli.export_options import add_export

    run.add_argument(
        "recipe", metavar="RECIPE", help="a recipe saved by the window or by pruneapp prune"
    )
    run.add_argument("file", metavar="FILE", help="a checkpoint: a file, an index, a folder")
    run.add_argument("-o", "--output", metavar="OUT", help="output path")
    run.add_argument(
        "--check",
        action="store_true",
        help="write nothing; show the tensors that the recipe selects, and all problems",
    )
    add_state_dict(run)
    add_computing(run)
    add_export(run)
    run.add_argument("--json", action="store_true", help="print the report as JSON")


def add_verify(verify: argparse.ArgumentParser) -> None:
    """Add the options of ``pruneapp verify``."""
    from pruneapp.export.catalog import FORMATS

    verify.epilog = (
        "Exit status: 0 if the file is what its recipe makes, 1 if not; 2 for errors that "
        "you can fix, 3 for a defect of Pruneapp, 130 if interrupted."
    )
    verify.add_argument("file", metavar="FILE", help="the exported file or folder")
    verify.add_argument(
        "--against", required=True, metavar="ORIGINAL", help="the original checkpoint"
    )
    verify.add_argument(
        "--recipe",
        metavar="RECIPE",
        help="recipe to verify, instead of the one in the metadata; required if the file does not "
        "contain one (torch formats cannot), or if its masks are too large for the metadata",
    )
    add_state_dict(verify)
    add_computing(verify)
    verify.add_argument(
        "--format",
        choices=list(FORMATS),
        help="export format; default: from the metadata, else from name and size",
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
