"""What the records of a journal say, as JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from pruneapp.sessions.fingerprint import Original
from pruneapp.sessions.fingerprint_stamp import Stamp
from pruneapp.sessions.history_codec_saved import SavedEdit

VERSION = 2


class Head(msgspec.Struct, frozen=True, tag="head"):
    """What the journal is about: the first record, and again where that is moved."""

    version: int
    original: Original


class MaskHead(msgspec.Struct, frozen=True, tag="masks"):
    """Masks follow: one in so many pieces, or several together in one piece.

    Attributes
    ----------
    first
        Number of the first.
    sizes, bases
        Elements of each, and the number of the mask that it is packed against.
    together
        Whether they are packed together, however many they are.
    """

    first: int
    sizes: tuple[int, ...]
    bases: tuple[int, ...]
    together: bool


class More(msgspec.Struct, frozen=True, tag="more"):
    """What follows are pieces of a mask again that something else came between."""

    number: int


class EditAt(msgspec.Struct, frozen=True, tag="edit"):
    """An edit was made; what was undone from `at` on is cut off. Its masks came before."""

    at: int
    edit: SavedEdit


class IntentAt(msgspec.Struct, frozen=True, tag="intent"):
    """As `EditAt`, but what it did is not there yet: it can be done again.

    The masks that it means came before.
    """

    at: int
    edit: SavedEdit


class MasksAt(msgspec.Struct, frozen=True, tag="done"):
    """Of the first intent, at `at`, all masks are there by now: it is this edit."""

    at: int
    edit: SavedEdit


class Position(msgspec.Struct, frozen=True, tag="position"):
    """So many edits are in force."""

    to: int


class Exported(msgspec.Struct, frozen=True, tag="exported"):
    """The state at this position is the one last exported; -1 for none."""

    at: int


class Kept(msgspec.Struct, frozen=True, tag="kept"):
    """The state at this position is safe in a session file.

    Attributes
    ----------
    at
        The position; -1 where that state was cut off since.
    steps
        So many edits of the history are in the session file, the undone ones too.
    file
        The session file as it was read or written; None if that is not known.
    """

    at: int
    steps: int = 0
    file: Stamp | None = None


class View(msgspec.Struct, frozen=True, tag="view"):
    """What the person looks at."""

    view: dict[str, Any]


class Digests(msgspec.Struct, frozen=True, tag="digests"):
    """The SHA-256 of files of the original, by name."""

    sha256: dict[str, str]


Entry = (
    Head
    | MaskHead
    | More
    | EditAt
    | IntentAt
    | MasksAt
    | Position
    | Exported
    | Kept
    | View
    | Digests
)
