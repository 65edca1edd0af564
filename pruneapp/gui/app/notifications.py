"""Errors and information shown above the plot, one per topic, and the status bar message."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from enum import Enum
from types import TracebackType

from PySide6.QtCore import QObject, Slot

from pruneapp.errors import (
    CheckpointError,
    ClusterError,
    DeviceError,
    ExportError,
    FileChangedError,
    HistoryError,
    MethodError,
    ParameterError,
    PluginError,
    PruneAppError,
    RecipeError,
    ScratchError,
    SelectionError,
    SessionError,
    StaleError,
    abridge_text,
    escape_text,
)
from pruneapp.evaluation.process import EvaluationError
from pruneapp.gui.app.notices import NoticeBar
from pruneapp.gui.widgets.engine_text import translate_error
from pruneapp.gui.widgets.status import Done


class NoticeTopic(Enum):
    """The subject of a notice.

    There is one notice per topic: a newer one replaces it, and `Notifications.end` removes it once
    the problem is solved. The value of a topic is the tuple of error classes that belong to it.
    """

    ASKED = (PruneAppError,)
    OPENING = (CheckpointError, SessionError)
    OPEN_FILE = (FileChangedError,)
    PRUNING = (SelectionError, ParameterError, StaleError, ScratchError)
    RECIPE = (RecipeError,)
    EXPORT = (ExportError, ClusterError)
    METHOD = (MethodError,)
    PLUGINS = (PluginError,)
    DEVICE = (DeviceError,)
    HISTORY = (HistoryError,)
    EVALUATION = (EvaluationError,)
    # Topics of notices without an error, or whose error class does not determine the topic.
    OTHER_MASKS = ("applying masks of a session, or of another window",)
    SAVING = ("closing the session file",)
    RECOVERY_DATA = ("recovery data",)
    CHECKSUM = ("the checksum of the open file",)
    RESTORED = ("the history that was restored",)
    STATE_DICTS = ("the state dicts of the open file",)
    ZEROS = ("the zeros of the open file",)
    STATISTICS = ("the statistics of the session",)
    STOPPED = ("a cancelled pruning step",)
    CANCELLED = ("a job that the user has cancelled",)
    PICTURE = ("the saved picture",)
    REPAIR = ("a repair that made the metric worse",)
    RECOVERED = ("what a recovery changed in the metric",)
    ALLOCATION = ("what an allocation predicts, and what was measured",)
    OTHER_SCAN = ("a click on a cell of a scan of another state",)
    LANGUAGE = ("the language of the window, which was changed",)
    CHANNELS = ("a list of channels that was pasted or loaded",)

    @classmethod
    def of(cls, error: PruneAppError) -> NoticeTopic:
        """Return the topic of an error, by the most derived of its classes that has a topic."""
        about = {kind: topic for topic in cls for kind in topic.value}
        return next(about[kind] for kind in type(error).__mro__ if kind in about)


class Notifications(QObject):
    """Shows errors and information in `bar`, above the plot, or in `done`, in the status bar."""

    def __init__(self, bar: NoticeBar, done: Done, parent: QObject) -> None:
        super().__init__(parent)
        self._bar = bar
        self._done = done
        self.last_failure = ""  # traceback of the latest internal error; "" if there was none
        # Whether a notice of a topic is shown; remove those of topics that no longer apply; remove
        # all, because another document is opened; remove the newest; remove an error by its text.
        self.is_shown, self.end, self.clear = bar.has_topic, bar.end, bar.clear
        self.close_newest, self.end_error = bar.close_newest, bar.end_error

    @Slot(object)
    def show_error(self, error: PruneAppError, topic: NoticeTopic | None = None) -> None:
        """Show an error; `topic` overrides the topic of its class."""
        topic = topic or NoticeTopic.of(error)
        self._bar.set_notice(translate_error(error), topic=topic, details=error.details)

    def show_info(self, topic: NoticeTopic, text: str, details: str = "") -> None:
        self._bar.set_notice(text, topic=topic, details=details, trouble=False)

    def offer(
        self,
        topic: NoticeTopic,
        text: str,
        action: str,
        call: Callable[[], None],
        *,
        details: str = "",
    ) -> None:
        """Show information with a button labeled `action` that calls `call`.

        The notice stays after the click, until its topic is ended or replaced, or the user closes
        it.
        """
        self._bar.set_notice(
            text, topic=topic, action=action, call=call, details=details, trouble=False
        )

    @Slot(str)
    def show_done(self, text: str, whole: str = "") -> None:
        """Show in the status bar what was done; "" clears it. `whole` is a longer tooltip."""
        if text:
            self._done.set_done(text, whole)
        else:
            self._done.clear()

    def report_bug(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Show an internal error, with its traceback as details."""
        text = "".join(traceback.format_exception(kind, error, trace))
        self.report_failure(f"{kind.__name__}: {error}", text)

    @Slot(str, str)
    def report_failure(self, what: str, trace: str) -> None:
        """Show an internal error, with its traceback `trace` as details.

        The traceback is also stored in `last_failure`. `what` is the class and text of the error,
        of which 200 characters are shown.
        """
        self.last_failure = trace
        sentence = self.tr("Internal error in Pruneapp ({what}).")
        self._bar.set_notice(
            sentence.format(what=abridge_text(escape_text(what))[:200]), details=trace
        )
