"""Options that several commands have."""

from __future__ import annotations

import argparse

STATE_DICT = "which dict of tensors to take, where the file holds several"


def add_state_dict(parser: argparse.ArgumentParser) -> None:
    """Add the choice among several dicts of tensors."""
    parser.add_argument("--state-dict", metavar="KEY", help=STATE_DICT)


def add_computing(parser: argparse.ArgumentParser) -> None:
    """Add what a command takes that computes masks: methods of the person's own, and a device."""
    from pruneapp.kernels.devices import KEYS

    parser.add_argument(
        "--load-method",
        metavar="FILE",
        help="a .py file with a method of your own; this runs its code",
    )
    parser.add_argument("--device", choices=KEYS, default="auto")
