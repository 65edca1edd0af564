"""Trace the model that the user's script builds, for its connections, groups and graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import Signal

from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import PruneAppError
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.groups.operator_graph import contains_operators
from pruneapp.groups.trace import Trace, known_traces, stored_traces, trace_of, use_trace
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.feature import Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.evaluation_controller import EvaluationController
from pruneapp.gui.evaluation.measurement import ScriptChangedError, ScriptProcess
from pruneapp.progress import Job

_MAX_STORED = 1 << 20  # characters of a trace in a session file: about 20,000 operators


def trace_model(process: ScriptProcess, snapshot: Snapshot, job: Job) -> None:
    """Trace the model of a script with the weights of a state, and use its program from now on.

    Raises the errors of `ScriptProcess.evaluator`, and `EvaluationError` if the script is a command
    line, or the model cannot be traced.
    """
    runner = process.evaluator(job).runner
    if not isinstance(runner, ScriptRunner):
        raise EvaluationError(
            "A command line evaluates this file, so its model cannot be traced.",
            remedy="Choose an evaluation script instead.",
        )
    use_trace(snapshot.checkpoint, Trace.of(runner.trace(snapshot, job)))


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
        session.opened.connect(self._enable)

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
            yield from RunJob(title, work, Lane.PROGRAM, again)
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
        """Return the traces to store in a session file; empty if there is none, or a large one."""
        checkpoint = self.document.checkpoint
        return stored_traces(checkpoint, _MAX_STORED)

    def show(self) -> None:
        """Show the trace that a session contains, if there is one."""
        if trace_of(self.document.checkpoint) is not None:
            self.traced.emit()

    def use_recorded(self, key: str) -> None:
        """Use a trace that a recipe contains, unless the model was traced already."""
        checkpoint = self.document.checkpoint
        if trace_of(checkpoint) is None:
            use_trace(checkpoint, known_traces(checkpoint)[key])
            self.traced.emit()

    def _enable(self) -> None:
        document = self.session.document
        enabled = document is not None and not contains_operators(document.checkpoint)
        self._actions["trace_model"].setEnabled(enabled)
