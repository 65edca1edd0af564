"""Features of the open document, with methods that wait for background work and for dialogs.

A method with the decorator `flow` is a generator that is run step by step on the main thread::

    @flow
    def save(self) -> Flow:
        path = ...
        written = yield from RunJob(self.tr("Saving recipe"), partial(save, capture, path))
        self._notifications.show_done(...)

A `PruneAppError` of the work is raised at the `yield`, and shown if the method does not catch it;
`Cancelled` is raised there if the user cancels the work. The user can undo that: the method is
called again with the same arguments. When the document is closed, generators are closed: nothing
after the `yield` runs, except `finally`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from inspect import GEN_RUNNING, getgeneratorstate
from typing import Any, ClassVar, Concatenate, Generic, ParamSpec, TypeVar

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QDialog

from pruneapp.document.document import Document
from pruneapp.errors import PruneAppError
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.app.jobs import Lane, Restart, Task
from pruneapp.gui.app.runtime import worker_pause
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.widgets.controls import call_soon
from pruneapp.gui.widgets.engine_text import translate_error
from pruneapp.gui.widgets.screen import Dialog
from pruneapp.progress import Cancelled, Job

T = TypeVar("T")
D = TypeVar("D", bound=QDialog)
P = ParamSpec("P")
F = TypeVar("F", bound="Feature[Any]")


@dataclass(eq=False)
class RunJob(Generic[T]):
    """A step of a flow: work in the background; see `Jobs.run` for the first parameters.

    A cancellation can be undone unless the flow has shown a dialog before, or its feature shows one
    now: the dialog has a button for that.
    """

    title: str
    call: Callable[[Job], T]
    lane: Lane | None = None
    again: Callable[[], object] | None = None  # starts it again; None to call the flow again
    continues: bool = False  # whether it continues then where it was cancelled
    show: Callable[[], object] | None = None  # shows its window; None if it has none
    task: Task[T] | None = None  # once it was started

    def __iter__(self) -> Generator[RunJob[T], T, T]:
        """Return the result of the work; for `yield from`."""
        return (yield self)

    def cancel(self) -> None:
        """Cancel the work: `Cancelled` is raised in the flow at once."""
        if self.task is not None and not self.task.ended:
            self.task.cancel_at_once()

    @property
    def is_cancelled(self) -> bool:
        """Whether the work was cancelled, by the user or by the program."""
        return self.task is not None and self.task.token.cancelled


@dataclass(frozen=True)
class Ask:
    """A step of a flow: a dialog, modal to the window, which is deleted afterwards.

    The flow is closed if its feature, or else `feature`, already shows a dialog.
    """

    dialog: QDialog
    feature: Feature[Any] | None = None

    def __iter__(self) -> Generator[Ask, int, int]:
        """Return the result code of the dialog; for `yield from`."""
        return (yield self)


# Yields steps, or None to let the event loop process input.
Flow = Generator[RunJob[Any] | Ask | None, Any, T]


class _RunningFlow:
    """A running flow; it is closed once it is not in `Feature.runs`."""

    def __init__(
        self, feature: Feature[Any], flow: Flow[None], name: str, again: Callable[[], object]
    ) -> None:
        self._feature, self._flow, self._name = feature, flow, name
        self._again: Callable[[], object] | None = again  # None once the flow has shown a dialog
        self._work: RunJob[Any] | None = None

    def resume(self, call: Callable[[Any], RunJob[Any] | Ask | None], value: Any = None) -> None:
        """Run the flow up to its next step: `call` is its `send` or its `throw`, with `value`.

        Starts the work or shows the dialog that it yields, whose end calls this again. The flow
        ends quietly by `Cancelled`, by `PruneAppError` after emitting `refused`; other exceptions
        are raised. Without effect if the flow was closed.
        """
        worker_pause.begin()
        feature = self._feature
        self._work = None
        if self not in feature.runs:
            return
        try:
            step = call(value)
        except BaseException as error:
            feature.runs.discard(self)
            if isinstance(error, PruneAppError):
                feature.refused[self._name] = translate_error(error)
                feature.session.refused.emit(error)
            elif isinstance(error, StopIteration):
                feature.end_refusal(self._name)
            elif not isinstance(error, Cancelled):
                raise
        else:
            if isinstance(step, Ask) or (step is not None and step.title):
                feature.end_refusal(self._name)
            if self not in feature.runs:  # the document was closed by a nested event loop
                self._flow.close()
            elif isinstance(step, RunJob):
                self._work = step
                step.task = feature.jobs.run(
                    step.call,
                    on_result=partial(self.resume, self._flow.send),
                    on_error=partial(self.resume, self._flow.throw),
                    on_cancelled=partial(self.resume, self._flow.throw, Cancelled()),
                    title=step.title,
                    lane=step.lane,
                    restart=self._restart(step),
                    show=step.show,
                )
            elif step is None:
                call_soon(feature, partial(self.resume, self._flow.send))
            elif (owner := step.feature or feature).dialog is None:
                self._again = None
                owner.open_dialog(step.dialog)
                step.dialog.finished.connect(partial(self.resume, self._flow.send))
            else:
                step.dialog.deleteLater()
                self.close()
        finally:
            if isinstance(value, Exception):
                # Its frames refer to this one, whose callers refer to the error.
                value.__traceback__ = None

    def _restart(self, step: RunJob[Any]) -> Restart | None:
        """Return how to start a cancelled job again; None if the user cannot undo it."""
        again = step.again or self._again
        if again is None or self._feature.dialog is not None:
            return None
        return Restart(again, step.continues, self._feature.needs_document)

    def close(self) -> None:
        """Cancel the work and close the flow: `finally` blocks of the method run, nothing else.

        Without effect while it writes a file: that is completed, and the flow continues.
        """
        task = None if self._work is None else self._work.task
        if task is not None and task.lane is Lane.WRITING and not task.token.cancelled:
            return
        self._feature.runs.discard(self)
        if task is not None:
            task.cancel()
        if getgeneratorstate(self._flow) != GEN_RUNNING:
            self._flow.close()


def _geometry_key(dialog: Dialog) -> str:
    return f"dialog {type(dialog).__name__}"


def _read_geometry(saved: bytes) -> QRect:
    """Return what `_write_geometry` wrote; a null rectangle for anything else."""
    try:
        x, y, width, height = map(int, saved.split())
    except ValueError:
        return QRect()
    return QRect(x, y, width, height)


def _write_geometry(rect: QRect) -> bytes:
    if rect.isNull():
        return b""
    return f"{rect.x()} {rect.y()} {rect.width()} {rect.height()}".encode()


def flow(method: Callable[Concatenate[F, P], Flow[None]]) -> Callable[Concatenate[F, P], None]:
    """Make a method of a generator function: it runs the generator and returns at its first step.

    Without effect if no document is open, unless the feature does not need one. Several runs of the
    same method are independent. Surplus arguments, as signals pass them, are dropped.
    """
    # Qt passes as many arguments of a signal as the function takes.
    n_args = method.__code__.co_argcount - 1

    @wraps(method)
    def start(feature: F, /, *args: P.args, **kwargs: P.kwargs) -> None:
        if feature.session.document is not None or not feature.needs_document:
            steps = method(feature, *args[:n_args], **kwargs)  # type: ignore[arg-type]  # mypy: P.args cannot be sliced
            again = partial(start, feature, *args, **kwargs)
            run = _RunningFlow(feature, steps, method.__name__, again)
            feature.runs.add(run)
            run.resume(steps.send)

    return start


class Feature(Controller, Generic[D]):
    """A feature of the open document, with at most one dialog at a time."""

    commands: ClassVar[dict[str, str]] = {}  # names of methods, by the ids of their commands
    needs_document: ClassVar[bool] = True  # whether flows end when the document is closed

    def __init__(self, context: AppContext, session: OpenDocument) -> None:
        super().__init__(context)
        self.session, self.jobs = session, context.jobs
        self.runs: set[_RunningFlow] = set()
        self.dialog: D | None = None  # the visible dialog
        self.refused: dict[str, str] = {}  # the last errors of flows, by the names of their methods
        for command, name in self.commands.items():
            context.actions[command].triggered.connect(getattr(self, name))
        if self.needs_document:
            session.closed.connect(self.on_closed)

    @property
    def document(self) -> Document:
        """The open document. There must be one."""
        assert self.session.document is not None
        return self.session.document

    def end_refusal(self, name: str) -> None:
        """Remove the notice with the last error of a flow, which succeeds now."""
        if name in self.refused:
            self._notifications.end_error(self.refused.pop(name))

    @contextmanager
    def lock_during(self, step: RunJob[Any], why: PruneAppError) -> Iterator[None]:
        """Refuse changes of the document, except to go to other states, while work runs.

        Use as a context manager around its `yield`. `step` runs on `Lane.PROGRAM`. The reason is
        `why`, or while the step is queued, the job that it waits for.
        """
        job = step.title

        def lock(before: str) -> None:
            waits = PruneAppError(
                f"'{job}' is waiting for '{before}'.",
                remedy=f"To cancel '{job}', open the list of jobs.",  # two lines in the form
            )
            self.session.lock(self, waits if before else why, may_look=True)

        def update() -> None:
            if step.task is not None and (state := self.jobs.state_of(step.task)) is not None:
                lock(state.waits_for)

        lock(self.jobs.title_before(Lane.PROGRAM))
        self.jobs.listChanged.connect(update)
        try:
            yield
        finally:
            self.jobs.listChanged.disconnect(update)
            self.session.lock(self, None)

    def open_dialog(self, dialog: D) -> None:
        """Show a dialog, modal to the window, and delete it when it is finished; returns at once.

        It opens where the user left the last one of its class, in the same size. There must be no
        other dialog of the feature.
        """
        dialog.finished.connect(self._on_finished)
        self._theme.apply_to(dialog)
        if isinstance(dialog, Dialog):
            dialog.restored = _read_geometry(self._settings.blob(_geometry_key(dialog)))
        self.dialog = dialog
        dialog.open()

    def _on_finished(self) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is None:
            return
        dialog.deleteLater()
        if isinstance(dialog, Dialog):
            name, geometry = _geometry_key(dialog), _write_geometry(dialog.user_geometry())
            if geometry != self._settings.blob(name):
                self._settings.set_blob(name, geometry)

    def on_closed(self) -> None:
        """Close the flows and reject the dialog: the document was closed."""
        for run in tuple(self.runs):
            run.close()
        if self.dialog is not None:
            self.dialog.reject()
