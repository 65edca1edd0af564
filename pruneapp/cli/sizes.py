"""``pruneapp sizes`` and ``expand``: sizes of all export formats; convert packed to dense files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from pruneapp.checkpoint.io.store import locate
from pruneapp.cli.files import open_model
from pruneapp.cli.terminal import Output, attributes, file_line, size, table
from pruneapp.export.destination.sidecars import pooling_of
from pruneapp.export.format import Purpose, purpose_labels
from pruneapp.export.format_sizes import FormatOffer, format_offers
from pruneapp.export.formats.compact import expand as expand_file
from pruneapp.progress import Job


def sizes(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Return the sizes of a checkpoint in all formats, also of those that cannot be written."""
    path = None if options.output is None else locate(options.output)
    document = open_model(options.file, options.state_dict, job, stack)
    offers = format_offers(document.snapshot(), job, path=path)
    labels = purpose_labels(sentence_encoder=bool(pooling_of(document.checkpoint)))
    return Output(_lines(offers, labels), lambda: list(map(_data, offers)))


def _data(offer: FormatOffer) -> dict[str, Any]:
    return {
        **attributes(offer, "format=name label suffixes bytes=nbytes exact loaded_by"),
        **attributes(offer, "limitations=does_not warnings reason=why_not"),
        "recommended": {purpose.value: reason for purpose, reason in offer.recommended.items()},
    }


def _lines(offers: tuple[FormatOffer, ...], labels: Mapping[Purpose, str]) -> Iterator[str]:
    """Yield a table of the formats, the recommended format of each purpose, and notes."""
    rows = [
        (
            offer.name,
            "" if offer.nbytes is None else f"{offer.nbytes:,}",
            "" if offer.nbytes is None else ("" if offer.exact else "about ") + size(offer.nbytes),
            offer.why_not
            or ", ".join(
                label for purpose, label in labels.items() if purpose in offer.recommended
            ),
            ", ".join(loader.name for loader in offer.loaded_by),
        )
        for offer in offers
    ]
    yield from table(("format", "bytes", "", "best", "compatible with"), rows, left=(0, 3, 4))
    yield ""
    for offer in offers:
        for purpose, reason in offer.recommended.items():
            yield f"{labels[purpose]}: {offer.name}. {reason}"
    for offer in offers:
        for sentence in (*offer.warnings, *offer.does_not):
            yield f"Note: {offer.name}: {sentence}"


def expand(options: argparse.Namespace, job: Job, _stack: ExitStack) -> Output:
    """Convert a compact or compressed file to a dense one."""
    written = expand_file(locate(options.file), locate(options.output), job)
    return Output([file_line(written)], lambda: written)
