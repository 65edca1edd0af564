"""A history as plain data: what a session file and a journal have in common.

Masks have numbers, in the order in which the history came to them; -1 stands for no mask. A mask
may be packed against one of a lower number, so that there are no circles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import msgspec

from pruneapp.document.edit import EditKind
from pruneapp.document.mask_store_aside import Layer
from pruneapp.errors import JsonError, SessionError
from pruneapp.json_codec import decode
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

NO_MASK = -1
# A tensor of an edit (as its number there), and its masks before and after.
Swap = tuple[int, int, int]

T = TypeVar("T")


class SavedEdit(msgspec.Struct, frozen=True, kw_only=True):
    """One edit of a history; see `pruneapp.document.edit.Edit`.

    Attributes
    ----------
    kind, label, detail, entry
        As the edit has them; a step is an entry, too.
    same
        Whether an export after it has the same values as one before it.
    tensors
        Names, shapes and types of the tensors that it changed.
    masks, final, protected
        What it changed of each layer.
    meant
        Numbers of the masks that the entry names.
    """

    kind: EditKind
    label: str
    detail: str = ""
    entry: dict[str, Any]
    same: bool = False
    tensors: tuple[tuple[str, tuple[int, ...], str], ...] = ()
    masks: tuple[Swap, ...] = ()
    final: tuple[Swap, ...] = ()
    protected: tuple[Swap, ...] = ()
    meant: dict[str, int] = {}

    @property
    def layers(self) -> dict[Layer, tuple[Swap, ...]]:
        """What it changed, by layer."""
        return {"masks": self.masks, "final": self.final, "protected": self.protected}


@dataclass(frozen=True)
class SavedMask:
    """What is known of a mask before it is read: its elements, and what it is packed against."""

    size: int
    base: int = NO_MASK


class MaskSource(Protocol):
    """Where masks are read from."""

    def read(self, number: int, base: BitMask | None, job: Job) -> BitMask:
        """Return a mask.

        Parameters
        ----------
        number
            Which one.
        base
            The mask that it is packed against, if there is one.
        job
            May cancel.

        Raises
        ------
        SessionError
            If it cannot be read, or is none.
        """


@dataclass(frozen=True)
class SavedHistory:
    """A history that was saved.

    Attributes
    ----------
    masks
        All masks, by number.
    edits
        All edits, the undone ones too.
    position
        How many of them are in force.
    exported
        The position of the state that was last exported, or opened; -1 for none of these.
    source
        Reads the masks.
    intents
        What was done after `edits`, without the masks that it changed, to be done again. Both
        together are the history that `position` and `exported` are about.
    """

    masks: Sequence[SavedMask]
    edits: Sequence[SavedEdit]
    position: int
    exported: int
    source: MaskSource
    intents: Sequence[SavedEdit] = ()


def decoded(data: bytes, kind: type[T], where: str) -> T:
    """Return JSON as what it ought to be.

    Parameters
    ----------
    data
        UTF-8 JSON.
    kind
        What it is to be.
    where
        The file, for the message.

    Raises
    ------
    SessionError
        If it is something else.
    """
    try:
        return decode(data, kind, where, file_names=True)
    except JsonError as error:
        at = f" at {error.place}" * bool(error.place)
        raise damaged(where, f"its history cannot be read{at} ({error.what})") from None


def damaged(where: str, what: str) -> SessionError:
    """Return the error of a file that is no sound session."""
    return SessionError(
        f"'{where}' is not a valid session: {what}.",
        remedy="Restore a backup of it if you have one; the checkpoint is unchanged.",
    )


def newer(where: str, version: int, known: int) -> SessionError:
    """Return the error of a file that a later Pruneapp wrote."""
    return SessionError(
        f"'{where}' was saved by a newer Pruneapp: it has version {version}, and this one reads "
        f"up to version {known}.",
        remedy="Update Pruneapp to open it.",
    )


def check_version(found: Mapping[str, Any], known: int, where: str) -> None:
    """Raise SessionError if a file has a version that is not known."""
    version = found.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise damaged(where, f"its version is {str(version)[:40]!r}")
    if version > known:
        raise newer(where, version, known)
