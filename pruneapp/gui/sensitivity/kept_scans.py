"""The scans of a file: what was measured, and how a list tells one from another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from pruneapp.evaluation.scan_file import Scan


class KeptScan(msgspec.Struct, frozen=True):
    """A scan, and what it was measured by; also in a session."""

    scan: Scan
    evaluation: str  # the hash of script, interpreter and options
    shares: tuple[str, ...] = ()  # the metrics that are shares of samples
    state: int = -1  # which state of the history was scanned; -1 if it is not there any more

    @property
    def progress(self) -> float:
        """How much of it was measured, from 0 to 1."""
        return self.scan.measured / self.scan.wanted


@dataclass(frozen=True)
class StateScan:
    """A scan, and the key of the record of the state that was scanned."""

    key: object
    kept: KeptScan

    @cached_property
    def plain(self) -> dict[str, Any]:
        """The scan as plain JSON: of 20,000 cells it takes its time, and recovery data has it."""
        plain: dict[str, Any] = msgspec.to_builtins(self.kept)
        return plain


def tell_apart(labels: Sequence[str], details: Sequence[Sequence[str]]) -> list[str]:
    """Return labels that differ, with no more of their details than that takes.

    Of each label there are as many details; an empty one says nothing. Those that no detail tells
    apart are numbered.
    """
    found = [*labels]
    for words in zip(*details, strict=True):
        alike = dict[str, set[str]]()
        for label, word in zip(found, words, strict=True):
            alike.setdefault(label, set()).add(word)
        found = [
            f"{label}, {word}" if word and len(alike[label]) > 1 else label
            for label, word in zip(found, words, strict=True)
        ]
    seen = Counter[str]()
    for place, label in enumerate(found):
        seen[label] += 1
        if seen[label] > 1:
            found[place] = f"{label} ({seen[label]})"
    return found
