"""A change that was made of a state in a worker, to be put in force by the thread of the window."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from pruneapp.document.edit import Edit
from pruneapp.document.snapshot import Snapshot

_MOST_NAMED = 20


@dataclass(frozen=True, eq=False)
class Proposal:
    """A change of a document, whole: `Document.put` only swaps references.

    Attributes
    ----------
    revision
        Of the state that it was made of.
    edit
        What changes.
    """

    revision: int
    edit: Edit


class Outcome(Protocol):
    """What a worker computed of a state: a preview of a step, or of an edit by hand."""

    @property
    def revision(self) -> int:
        """The number of the state that it was computed from."""

    def as_edit(self, before: Snapshot) -> Edit:
        """Return it as a change of that state."""


def listed(head: str, names: Iterable[str], say: Callable[[str], str] = str) -> str:
    """Return a line, and below it the first names as `say` has them, and how many more there are.

    There may be 100,000 names: `say` is asked for those that stand there only.
    """
    named = list(names)
    more = len(named) - _MOST_NAMED
    rest = (f"and {more:,} more",) if more > 0 else ()
    return "\n".join((head, *map(say, named[:_MOST_NAMED]), *rest))
