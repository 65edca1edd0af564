"""Session files: a safetensors file with masks that anybody can read, and how they came about.

The tensors are bytes (U8):

``mask/NAME``, ``final/NAME``, ``protected/NAME``
    The masks in force, of every tensor that has one. Bit ``i % 8`` of byte ``i // 8``, the lowest
    first, belongs to element ``i`` of the tensor NAME in C order.
    ``numpy.unpackbits(mask, count=size, bitorder="little")`` unpacks it; 1 is kept (protected).
``packed/NUMBER``
    Other masks of the history: frames of zstd, one for each 4 MiB, or one for several small masks.
    What comes out is the exclusive or with the mask that `session.json` calls its base.
``edit/NUMBER``
    A step of the history, as JSON; see `saved.SavedEdit`.
``session.json``
    What belongs together, as JSON; see `Table`.

The text beside the tensors names format and version, and the checkpoint that all this is about.
"""

from __future__ import annotations

from typing import Any

import msgspec

SUFFIX = ".prune"
FORMAT = "pruneapp-session"
VERSION = 1
TABLE = "session.json"


class MaskPlace(msgspec.Struct, frozen=True):
    """Where a mask of the history lies.

    Attributes
    ----------
    size
        Its elements.
    tensor
        The tensor that holds it.
    base
        Number of the mask that it is packed against; -1 for none.
    pieces
        Bytes of each of its frames; none if it is not packed.
    offset
        Where it begins in the only frame, which holds several masks; -1 if its frames are its own.
    """

    size: int
    tensor: str
    base: int = -1
    pieces: tuple[int, ...] = ()
    offset: int = -1


class Table(msgspec.Struct, frozen=True):
    """What belongs together.

    Attributes
    ----------
    version
        Of this format.
    masks
        All masks of the history, by number.
    edits
        How many edits there are.
    position
        How many of them are in force.
    exported
        The position of the state that was last exported, or opened; -1 for none of these.
    view
        What the person looked at, as the window has it.
    """

    version: int
    masks: tuple[MaskPlace, ...]
    edits: int
    position: int
    exported: int
    view: dict[str, Any] = {}
