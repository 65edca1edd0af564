"""Finds the connections of the focused tensor in the background."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from pruneapp.evaluation.script import has_program_code
from pruneapp.groups.connections import Connections, connections_of
from pruneapp.gui.app.jobs import Jobs, Lane, LatestTask
from pruneapp.gui.commands.actions import Actions
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.plots.graph.connections_row import ConnectionsRow
from pruneapp.gui.widgets.engine_text import translate_error


class ConnectionsController(QObject):
    """Finds the connections of the focused tensor in the background, and shows them in the row.

    The first request for a file is slow, because it reads the graph of the whole model.
    `copy_code` copies code that writes the model with its graph. While the connections are not
    known, the row has a button of the command that traces the model.
    """

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        row: ConnectionsRow,
        actions: Actions,
        parent: QObject | None = None,
        *,
        copy_code: Callable[[], None],
    ) -> None:
        super().__init__(parent)
        self._session, self._row = session, row
        self._task = LatestTask(jobs)
        self._name: str | None = None  # the tensor of the last request
        self._is_stale = False  # whether the row shows the connections of another tensor
        self._step = 0  # where to go when it is up to date, as in `_go`
        session.closed.connect(self._on_closed)
        row.codeRequested.connect(copy_code)
        row.trace.setDefaultAction(actions["trace_model"])
        actions["go_to_input"].triggered.connect(self._on_input)
        actions["go_to_output"].triggered.connect(self._on_output)

    def expect_tensor(self) -> None:
        """Prepare for another tensor: keys to go on have an effect once its row is shown."""
        self._task.cancel()
        self._is_stale, self._step = True, 0

    def show_tensor(self, name: str | None) -> None:
        """Find and show the connections of a tensor; None for no tensor.

        Those of the previous one stay until then, so that the row does not flicker. Call it when
        the groups of the tensor are known: finding both at once would occupy all threads for short
        tasks, and the plots would wait.
        """
        document, self._name = self._session.document, name
        if document is None or name is None:
            self._on_closed()
            return
        checkpoint = document.checkpoint
        self._row.offers_code = has_program_code(checkpoint)
        self._task.start(
            lambda job: connections_of(checkpoint, name, job),
            self._show,
            lambda error: self._show(Connections(why_not=translate_error(error))),
            lane=Lane.BACKGROUND,
        )

    def _show(self, connections: Connections) -> None:
        self._row.set_connections(connections)
        self._is_stale = False
        step, self._step = self._step, 0
        if step:
            self._row.request(step)

    def _on_closed(self) -> None:
        self._task.cancel()
        self._is_stale, self._step = False, 0
        self._row.set_connections(None)

    def _go(self, step: int) -> None:
        """Go to the layer before (-1) or after (1), once the connections are known."""
        if self._is_stale:
            self._step = step
        else:
            self._row.request(step)

    @Slot()
    def _on_input(self) -> None:
        self._go(-1)

    @Slot()
    def _on_output(self) -> None:
        self._go(1)
