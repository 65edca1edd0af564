"""Trace the model that the user's script builds, for its connections, groups and graph."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import Signal

from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import JsonError, PruneAppError
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.groups.operator_graph import contains_operators
from pruneapp.groups.program_graph import set_traced_program
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.feature import Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.evaluation_controller import EvaluationController
from pruneapp.gui.evaluation.measurement import ScriptChangedError, ScriptProcess
from pruneapp.json_codec import encode, load_object
from pruneapp.progress import Job

# The program in a session file, as base64 of compressed JSON: about 60 bytes for each operator.
_TRACE = "trace"
_MAX_STORED = 1 << 20  # characters
_MAX_PROGRAM = 16 << 20  # bytes of JSON, parsed on the main thread in a tenth of a second


def trace_model(process: ScriptProcess, snapshot: Snapshot, job: Job) -> str:
    """Trace the model of a script with the weights of a state, and use its program from now on.

    Return the program as a session file stores it; "" if it is too large.

    Raises the errors of `ScriptProcess.evaluator`, and `EvaluationError` if the script is a command
    line, or the model cannot be traced.
    """
    runner = process.evaluator(job).runner
    if not isinstance(runner, ScriptRunner):
        raise EvaluationError(
            "A command line evaluates this file, so its model cannot be traced.",
            remedy="Choose an evaluation script instead.",
        )
    program = runner.trace(snapshot, job)
    set_traced_program(snapshot.checkpoint, program)
    data = encode(program)
    text = base64.b64encode(zlib.compress(data)).decode()
    return text if len(data) <= _MAX_PROGRAM and len(text) <= _MAX_STORED else ""


class TraceController(Feature[Any]):
    """Traces the model of the open file by its evaluation script, which the user chooses first.

    The command is disabled while a model is traced, and for files that contain a graph.
    """

    commands: ClassVar = {"trace_model": "trace"}

    traced = Signal()  # the open file has operators and groups now

    def __init__(
        self, context: AppContext, session: OpenDocument, evaluation: EvaluationController
    ) -> None:
        super().__init__(context, session)
        self._evaluation = evaluation
        self._stored = ""  # the trace as a session file stores it; "" if there is none
        session.opened.connect(self._on_opened)

    @flow
    def trace(self) -> Flow[None]:
        """Trace the model; show an error if that is not possible."""
        yield from self._trace(self.trace)

    @flow
    def trace_for(self, then: Callable[[], object]) -> Flow[None]:
        """Trace the model, and call `then` unless that is not possible."""
        if (yield from self._trace(partial(self.trace_for, then))):
            then()

    def _trace(self, again: Callable[[], object]) -> Flow[bool]:
        """Trace the model and return True, or show an error; `again` starts it again."""
        if not self._actions["trace_model"].isEnabled():
            return False
        process = yield from self._evaluation.prepare(measures=False)
        if process is None:
            return False
        self._notifications.end(NoticeTopic.EVALUATION)
        work = partial(trace_model, process, self.document.snapshot())
        self._actions["trace_model"].setEnabled(False)
        try:
            title = self.tr("Tracing the model")
            self._stored = yield from RunJob(title, work, Lane.PROGRAM, again)
        except ScriptChangedError:
            self._evaluation.forget_script()
            self._enable()
            again()  # asks the user about the script
        except PruneAppError as error:
            self._notifications.show_error(error, NoticeTopic.EVALUATION)
        else:
            text = self.tr("Model traced: its connections, channel groups and graph are known.")
            self._notifications.show_done(text)
            self.traced.emit()
            return True
        finally:
            self._enable()
        return False

    # -- session files ----------------------------------------------------------------------------

    def read(self) -> Mapping[str, Any]:
        """Return the trace to store in a session file; empty if there is none, or a large one."""
        return {_TRACE: self._stored} if self._stored else {}

    def show(self, view: Mapping[str, Any]) -> None:
        """Use the trace of a session file; invalid data is ignored."""
        text = view.get(_TRACE)
        if not isinstance(text, str):
            return
        try:
            data = zlib.decompressobj().decompress(base64.b64decode(text), _MAX_PROGRAM)
            program = load_object(data)
        except (JsonError, ValueError, zlib.error):
            return  # the session was not written by this application
        set_traced_program(self.document.checkpoint, program)
        self._stored = text
        self.traced.emit()

    def _on_opened(self) -> None:
        self._stored = ""
        self._enable()

    def _enable(self) -> None:
        document = self.session.document
        enabled = document is not None and not contains_operators(document.checkpoint)
        self._actions["trace_model"].setEnabled(enabled)
