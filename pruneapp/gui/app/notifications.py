"""What notices are about: one declaration of which replaces which, and of which errors are told."""

from __future__ import annotations

from enum import Enum

from pruneapp.errors import (
    CheckpointError,
    DeviceError,
    ExportError,
    FileChangedError,
    HistoryError,
    MethodError,
    ParameterError,
    PruneAppError,
    RecipeError,
    SelectionError,
    SessionError,
    StaleError,
)


class NoticeTopic(Enum):
    """What a notice is about.

    There is one notice of a subject: a newer one takes the place of the older, and what works
    takes it away (`StatusController.end`). The value of a subject are the errors that are about it.
    """

    ASKED = (PruneAppError,)
    OPENING = (CheckpointError, SessionError)
    OPEN_FILE = (FileChangedError,)
    PRUNING = (SelectionError, ParameterError, StaleError)
    RECIPE = (RecipeError,)
    EXPORT = (ExportError,)
    METHOD = (MethodError,)
    DEVICE = (DeviceError,)
    HISTORY = (HistoryError,)
    # Told of without an error, or by one that is about something else where it comes from.
    OTHER_MASKS = ("applying masks of a session",)
    SAVING = ("closing the session file",)
    KEEPING = ("recovery data",)
    CHECKSUM = ("the checksum of the open file",)
    STATE_DICTS = ("the state dicts of the open file",)
    ZEROS = ("the zeros of the open file",)
    STOPPED = ("a cancelled pruning step",)
    PICTURE = ("the saved picture",)

    @classmethod
    def of(cls, error: PruneAppError) -> NoticeTopic:
        """Return what an error is about, by the nearest of the classes that it is of."""
        about = {kind: subject for subject in cls for kind in subject.value}
        return next(about[kind] for kind in type(error).__mro__ if kind in about)
