"""The outcomes of runs with faults or kills."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Tally:
    """The outcomes of runs.

    Attributes
    ----------
    ends
        How often something happened, by the column of the table that counts it.
    wrong
        Descriptions of what must not happen.
    """

    runs: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
