"""The history as lists show it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HistoryItem:
    """A state in the history.

    Attributes
    ----------
    label
        What was done: "L1 20 % on 19 tensors, global".
    detail
        All of it, for a tooltip.
    by_method
        Whether methods did it, which the label names first.
    rule
        Number from 1 of the rule that is meant, if it is one of several of a step.
    """

    label: str
    detail: str
    by_method: bool = False
    rule: int = 0
