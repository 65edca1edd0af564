"""Undo, redo, jumps, sizes of states, and their names, notes and deletion.

A state whose masks are in memory is applied immediately. Masks on disk are read in the background
first; masks that exceed the memory limit are moved to disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar
from weakref import ref

from PySide6.QtWidgets import QDialog

from pruneapp.document.document import DocumentChanged, HistoryItem
from pruneapp.document.edit import Edit, Proposal, Record
from pruneapp.document.history import PastState
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import HistoryError, StaleError
from pruneapp.export.size_bounds import unpacked_size
from pruneapp.gui.app import dialogs
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane, Throttle
from pruneapp.gui.document.feature import Feature, Flow, RunJob, flow
from pruneapp.gui.document.history_model import StateSize
from pruneapp.gui.document.history_view import HistoryPanel
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.widgets.engine_text import numbered_title
from pruneapp.gui.widgets.number_format import plural, size
from pruneapp.progress import Cancelled, Job

# How many masks of discarded states are released per event loop iteration, which takes 2 ms.
SLICE = 4_000
# Minimum interval between two repaints of the history for new sizes: each takes 15 ms.
SHOW_EVERY_MS = 200


def size_of(past: PastState, parameters: int, job: Job) -> StateSize:
    """Return the size of a state of a model with a number of parameters.

    Raises the errors of `PastState.load`.
    """
    snapshot = past.load(Job(cancel=job.cancel))
    pruned = snapshot.masks.total_pruned
    return StateSize(pruned / (parameters or 1), unpacked_size(snapshot, job))


class HistoryController(Feature[QDialog]):
    """Undo, redo and jumps in the history; size, name, note and deletion of its states."""

    commands: ClassVar = {"redo": "redo", "history_back": "undo", "history_forward": "redo"}

    def __init__(self, context: AppContext, session: OpenDocument, view: HistoryPanel) -> None:
        super().__init__(context, session)
        self._target = -1
        self._reading: RunJob[Any] | None = None
        self._is_releasing = self._full_reported = self._is_sizing = False
        # Sizes by record; None if the masks of a state cannot be read. Not by `Record.key`: a state
        # that treats zeros as pruned has the key, but not the size, of the state before it.
        self._sizes: dict[ref[Record] | None, StateSize | None] = {}
        self._view = view
        self._shown = Throttle(self._show_sizes, self)
        session.opened.connect(self._on_opened)
        session.changed.connect(self._on_changed)
        view.jumpRequested.connect(self.jump)
        view.renamed.connect(self.rename)
        view.annotated.connect(self.annotate)
        view.deleteRequested.connect(self.ask_delete)
        view.commandRequested.connect(self.run_at)

    @flow
    def undo(self) -> Flow[None]:
        """Go to the state before the current one; without effect at the initial state."""
        if (parent := self.document.branches.parent(self._position)) >= 0:
            yield from self.go_to(parent)

    @flow
    def redo(self) -> Flow[None]:
        """Go to the next state of the branch that was left last; without effect at its end."""
        yield from self.go_to(self.document.branches.next_state(self._position))

    @flow
    def jump(self, position: int) -> Flow[None]:
        """Go to the state `position`, unless there is none."""
        if 0 <= position < len(self.document.items):
            yield from self.go_to(position)

    @flow
    def run_at(self, position: int, command: str) -> Flow[None]:
        """Go to a state, and run the command with this id there; see `go_to` for errors."""
        yield from self.go_to(position)
        self._actions[command].trigger()

    @property
    def _position(self) -> int:
        # While masks are being read, another key press continues from the target state.
        return self.document.position if self._reading is None else self._target

    def go_to(self, position: int) -> Flow[None]:
        """Go to a state; masks that are on disk are read in the background first.

        While they are read, another call cancels the first one. Raises `Cancelled` if the document
        was changed meanwhile, and the error of `OpenDocument.check_may_look`. Without effect for
        the current state.
        """
        document = self.document
        if position == self._position:
            return
        self._stop_reading()
        if (fetch := document.history.fetch_missing(position)) is not None:
            undone, redone = document.branches.route(document.position, position)
            title = self.tr("Redoing") if redone else self.tr("Undoing")
            if undone and redone:
                title = self.tr("Switching branches")
            revision = document.revision
            self._target, self._reading = position, RunJob(title, fetch.run)
            reading = self._reading
            try:
                masks = yield from reading
            finally:
                if self._reading is reading:
                    self._reading = None
            if document.revision != revision:
                raise Cancelled
            document.history.finish_fetch(masks)
        self.session.check_may_look()
        document.jump(position)

    def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    # -- memory ---------------------------------------------------------------------------------

    def _on_opened(self) -> None:
        self.document.history.patient = False
        self._full_reported = False
        self._release_masks()
        self._measure_sizes()

    def on_closed(self) -> None:
        super().on_closed()
        self._sizes.clear()
        self._view.set_sizes({})

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.kind == "deleted":
            self._stop_reading()  # states were renumbered, or deleted
        self._release_masks()
        if change.kind not in {"exported", "named"}:
            self._measure_sizes()

    @flow
    def _measure_sizes(self) -> Flow[None]:
        """Show the sizes of all states, and compute those that are not known, one after the other.

        The current state comes first. Without effect, except for showing, while it is running.
        """
        self._shown.request(at_once=True)
        if self._is_sizing:
            return
        self._is_sizing, parameters = True, self.session.contents.size.parameters
        try:
            while (state := self._unsized_state()) is not None:
                record, past = self._records[state], self.document.state_at(state)
                hash(record)  # the reference keeps its hash if the state is deleted meanwhile
                try:
                    work = RunJob("", partial(size_of, past, parameters), Lane.BACKGROUND)
                    self._sizes[record] = yield from work
                except HistoryError:  # the scratch file cannot be read, which going there reports
                    self._sizes[record] = None
                self._shown.request()
        finally:
            self._is_sizing = False

    @property
    def _records(self) -> list[ref[Record] | None]:
        """Weak references to the records of all states by number; None for the opened file."""
        return [None, *map(ref, self.document.history.records)]

    def _unsized_state(self) -> int | None:
        records = self._records
        states = (self.document.position, *range(len(records)))
        return next((state for state in states if records[state] not in self._sizes), None)

    def _show_sizes(self) -> int:
        if self.session.document is not None:
            found = {state: self._sizes.get(record) for state, record in enumerate(self._records)}
            self._view.set_sizes({state: size for state, size in found.items() if size is not None})
        return SHOW_EVERY_MS

    @flow
    def _release_masks(self) -> Flow[None]:
        """Free the masks of discarded states, and move those over the memory limit to disk.

        Without effect while it is running. If the disk is full, an error is shown once per
        document.
        """
        if self._is_releasing:
            return
        self._is_releasing, history = True, self.document.history
        try:
            while True:
                while history.forget_cut_off(SLICE):
                    yield None  # user input is processed first
                spill = history.spill()
                if spill is None:
                    break
                # Not on the worker thread, which must stay free for the user's commands.
                written = yield from RunJob("", spill.run)
                history.finish_spill(written)
                if not written.complete and not self._full_reported:
                    self._full_reported = True  # once per file, not after every step
                    raise HistoryError(
                        "Older states of the history cannot be moved to disk and remain in "
                        f"memory: {written.why_not}.",
                        remedy="Undo still works. Free disk space, or export and reopen the file "
                        "before memory runs low.",
                    )
        finally:
            self._is_releasing = False

    # -- states ---------------------------------------------------------------------------------

    @flow
    def rename(self, state: int, name: str) -> Flow[None]:
        """Name a state; an empty name shows the step instead. Without effect for state 0."""
        self.session.check_may_name()
        if 0 < state < len(self.document.items):
            self.document.rename(state, name)
        yield from ()

    @flow
    def annotate(self, state: int, note: str) -> Flow[None]:
        """Set the note of a state; an empty note removes it."""
        self.session.check_may_name()
        if 0 <= state < len(self.document.items):
            self.document.annotate(state, note)
        yield from ()

    @flow
    def ask_delete(self, state: int) -> Flow[None]:
        """Delete a state and the states after it, after asking the user.

        Without effect for the initial state 0 and unknown numbers. An error is shown for the
        current state and those before it.
        """
        if not 0 < state < len(self.document.items):
            return
        self.session.check_may_work()
        item, branch = self.document.items[state], self.document.history.branch(state)
        # In the background, as counting takes a while with 100,000 tensors.
        freed = yield from RunJob(self.tr("Deleting a branch"), branch.count_freed_bytes)
        more = len(branch.states) - 1
        following = plural(
            more,
            self.tr("The state that follows it is deleted, too."),
            self.tr("The {n} states that follow it are deleted, too."),
        )
        what = self.session.contents.short.in_text(numbered_title(branch.states[0], item))
        if dialogs.delete_branch(
            self._window, what, following=following if more else "", freed=size(freed)
        ):
            number = self._current_number(item)
            self.session.check_may_work()
            self.document.delete(number)

    def _current_number(self, item: HistoryItem) -> int:
        """Return the current number of a state.

        If the state was deleted, it raises `Cancelled`, which ends the flow.
        """
        for number, each in enumerate(self.document.items):
            if each is item:
                return number
        raise Cancelled


# With 10,000 tensors a single step takes longer than this, in seconds, and 200 steps take seconds.
# The event loop runs after each such period of applying steps.
TURN_S = 0.01

Make = Callable[[Snapshot, Job], tuple[Edit, ...]]


def append_steps(
    session: OpenDocument, title: str, make: Make, *, too_late: StaleError
) -> Flow[int]:
    """Compute steps in the background, append them to the history, and return their number.

    If the document changes between two of them, or refuses one, the steps before it stay applied,
    and `StaleError` or `Cancelled` is raised. Input of the user is processed every `TURN_S`.

    Parameters
    ----------
    title
        What is shown in the status bar meanwhile.
    make
        Returns the steps for a snapshot; runs in the worker thread.
    too_late
        Raised if the document has changed while the steps were computed; none is applied then.
    """
    session.check_may_work()
    document = session.document
    assert document is not None
    snapshot = document.snapshot()
    edits = yield from RunJob(title, partial(make, snapshot))
    return (yield from append_edits(session, snapshot, edits, too_late=too_late))


def append_edits(
    session: OpenDocument, snapshot: Snapshot, edits: Sequence[Edit], *, too_late: StaleError
) -> Flow[int]:
    """Append computed edits to the history, of which the first was made for `snapshot`.

    For the result and the errors see `append_steps`.
    """
    document = session.document
    assert document is not None
    if document.revision != snapshot.revision:
        raise too_late
    revision, ends = document.revision, time.perf_counter() + TURN_S
    for number, edit in enumerate(edits):
        if time.perf_counter() >= ends:
            yield None
            ends = time.perf_counter() + TURN_S
        if document.revision != revision:
            raise StaleError(
                f"The history changed after {number} of {len(edits)} steps; the remaining steps "
                "were not applied.",
                remedy="Undo and try again.",
            )
        if not session.commit(Proposal(revision, edit)):
            raise Cancelled
        revision = document.revision
    return len(edits)
