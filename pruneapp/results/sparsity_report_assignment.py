"""Which rule of a step prunes each tensor, and what limits exclude."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Assignment:
    """What becomes of the tensors of a step whose rules or limits tell them apart.

    Attributes
    ----------
    rules
        Number of the rule that prunes a tensor, from 0, by its first name; empty for a step of one
        rule.
    excluded
        The limit that excludes a selected tensor: ``embeddings``, ``first`` or ``last``.
    counts
        How many tensors each rule prunes; empty for a step of one rule.
    """

    rules: Mapping[str, int] = field(default_factory=dict)
    excluded: Mapping[str, str] = field(default_factory=dict)
    counts: tuple[int, ...] = ()
