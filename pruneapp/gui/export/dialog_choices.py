"""What a person has chosen in the dialog, to be found there again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pruneapp.results.format_offer import Purpose


@dataclass(frozen=True)
class Choices:
    """What was chosen, whether it came to an export or not.

    Attributes
    ----------
    purpose
        What the file was for; None if nobody said.
    format
        Name of the format; empty if none could be.
    values
        Values of the parameters of each format where the person changed some.
    path
        Where it was to go, if the person said; empty if it was as proposed.
    script, report
        As in `ExportWish`.
    """

    purpose: Purpose | None = None
    format: str = ""
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    path: str = ""
    script: bool = False
    report: str = ""
