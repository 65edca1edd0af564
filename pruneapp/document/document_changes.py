"""Who wants to know of the changes of a document, and what they are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from pruneapp.document.edit import EditKind

ChangeKind = Literal["apply", "edit", "undo", "redo", "jump", "final", "found", "exported"]

# What an edit is called when it is put in force.
PUT: Mapping[EditKind, ChangeKind] = {
    "prune": "apply",
    "edit": "edit",
    "final": "final",
    "found": "found",
}


@dataclass(frozen=True)
class DocumentChanged:
    """What subscribers are told, after the document has changed.

    Attributes
    ----------
    kind
        What happened; ``exported`` changes `Document.unexported` alone.
    names
        First names of the tensors whose masks or final weights changed.
    revision
        The number of the state that is now in force.
    """

    kind: ChangeKind
    names: tuple[str, ...]
    revision: int


Subscriber = Callable[[DocumentChanged], None]


class Subscribers:
    """Those who are told, in the order in which they came."""

    def __init__(self) -> None:
        self._callbacks: list[Subscriber] = []

    def add(self, callback: Subscriber) -> Callable[[], None]:
        """Have `callback` told of every change; return a function that ends it."""
        self._callbacks.append(callback)

        def end() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return end

    def tell(self, change: DocumentChanged) -> None:
        """Tell all who are there now; some may leave, or come, because of it."""
        for callback in tuple(self._callbacks):
            callback(change)

    def clear(self) -> None:
        """Forget them."""
        self._callbacks.clear()
