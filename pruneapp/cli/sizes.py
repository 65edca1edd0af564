"""``pruneapp sizes``: list all export formats with sizes and recommendations."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from typing import Any

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io.store import locate
from pruneapp.cli import terminal
from pruneapp.cli.terminal import print_json, print_table, size
from pruneapp.edits.existing_masks import open_document
from pruneapp.errors import escaped
from pruneapp.export.format import Purpose
from pruneapp.export.format_sizes import FormatOffer, format_offers
from pruneapp.progress import CancelToken

_PURPOSES = {
    Purpose.MAIL: "Share",
    Purpose.TRANSFORMERS: "Load in transformers",
    Purpose.TORCH: "Continue training in PyTorch",
    Purpose.ARCHIVE: "Archive",
}


def sizes(options: argparse.Namespace, token: CancelToken) -> int:
    """Print the sizes of a checkpoint in all formats."""
    path = None if options.output is None else locate(options.output)
    with (
        terminal.job("Counting", token) as job,
        open_checkpoint(options.file, state_dict=options.state_dict, job=job) as checkpoint,
        closing(open_document(checkpoint, job)) as document,
    ):
        offered = format_offers(document.snapshot(), job, path=path)
    if options.json:
        print_json([_as_json(offer) for offer in offered])
    else:
        _print(offered)
    return 0


def _as_json(offer: FormatOffer) -> dict[str, Any]:
    return {
        "format": offer.name,
        "label": offer.label,
        "suffixes": list(offer.suffixes),
        "bytes": offer.nbytes,
        "exact": offer.exact,
        "loaded_by": offer.loaded_by,
        "does_not": list(offer.does_not),
        "why_not": offer.why_not,
        "recommended": {purpose.value: reason for purpose, reason in offer.recommended.items()},
    }


def _print(offers: tuple[FormatOffer, ...]) -> None:
    rows = [
        (
            offer.name,
            "" if offer.nbytes is None else f"{offer.nbytes:,}",
            "" if offer.nbytes is None else ("" if offer.exact else "about ") + size(offer.nbytes),
            offer.why_not
            or ", ".join(_PURPOSES[purpose] for purpose in Purpose if purpose in offer.recommended),
            ", ".join(loader.name for loader in offer.loaded_by),
        )
        for offer in offers
    ]
    head = ("format", "bytes", "", "best", "compatible with")
    print_table(head, rows, (False, True, True, False, False))
    for offer in offers:
        for purpose, reason in offer.recommended.items():
            sys.stdout.write(f"\n{_PURPOSES[purpose]}: {offer.name}. {reason}")
    sys.stdout.write("\n")
    for offer in offers:
        for sentence in offer.does_not:
            sys.stdout.write(f"Note: {offer.name}: {escaped(sentence)}\n")
