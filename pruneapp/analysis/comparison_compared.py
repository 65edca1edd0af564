"""What is known of tensors that were compared: a step of the history reads what it changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import ref

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.results.state_comparison import TensorDifference

# A tensor of each side under the name that they share; None where a side has none.
Pair = tuple[str, TensorEntry | None, TensorEntry | None]

# States of a pair of tensors that are remembered: undo and redo go to and fro between a few.
_MOST = 4


@dataclass(frozen=True, eq=False)
class _Known:
    state: tuple[ref[Any] | None, ...]
    found: TensorDifference


class Compared:
    """Remembers how pairs of tensors differ, by their files and by what lies over them.

    Files and masks are not kept alive: a mask that was put aside and read again is another one.
    For one thread at a time.
    """

    def __init__(self) -> None:
        self._known: dict[str, list[_Known]] = {}

    def get(self, a: Snapshot, b: Snapshot, pair: Pair) -> TensorDifference | None:
        """Return how a pair differs; None if that is not known of these states."""
        state = _state(a, b, pair)
        for known in self._known.get(pair[0], ()):
            if all(_is(r, thing) for r, thing in zip(known.state, state, strict=True)):
                return known.found
        return None

    def put(self, a: Snapshot, b: Snapshot, pair: Pair, found: TensorDifference) -> None:
        """Remember how a pair differs."""
        state = tuple(None if thing is None else ref(thing) for thing in _state(a, b, pair))
        known = self._known.setdefault(pair[0], [])
        known.insert(0, _Known(state, found))
        del known[_MOST:]


def _state(a: Snapshot, b: Snapshot, pair: Pair) -> tuple[Any, ...]:
    """Return all that the values of both depend on: file, pruned, final."""
    found: list[Any] = []
    for side, entry in ((a, pair[1]), (b, pair[2])):
        if entry is None:
            found += (side.checkpoint, None, None)
        else:
            found += (side.checkpoint, side.masks.get(entry.name), side.final.get(entry.name))
    return tuple(found)


def _is(known: ref[Any] | None, thing: object) -> bool:
    return thing is None if known is None else thing is not None and known() is thing
