"""Reads and places the graph of the open file, and keeps its sparsity up to date."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QShortcut

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.groups.operator_graph import INPUT, OUTPUT, Operator, has_operators, read_operators
from pruneapp.gui.app.jobs import Jobs, Lane, LatestTask
from pruneapp.gui.app.notifications import Notifications
from pruneapp.gui.commands.actions import Actions
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.plots.graph.graph_layout import PlacedGraph, lay_out
from pruneapp.gui.plots.pages import Page, PlotPages
from pruneapp.gui.widgets.engine_text import translate_error
from pruneapp.gui.widgets.labels import as_plain
from pruneapp.progress import Job

# Estimated widths in pixels, as texts are not measured on a worker thread. Longer texts are elided.
# Short ones get more room: "mean" has wide letters.
_LETTER, _PADDING, _MIN_LETTERS, _MAX_LETTERS = 7.0, 20.0, 6, 34


def place_graph(checkpoint: Checkpoint, job: Job) -> PlacedGraph:
    """Read the operators of a checkpoint and place them; 10,000 take one to two seconds.

    `job` can cancel. Raises `CheckpointError` if the file is damaged or contains no graph.
    """
    graph = read_operators(checkpoint, job)
    labels = [_label_of(operator) for operator in job.cancel.each(graph.operators)]
    lengths = [max(_MIN_LETTERS, min(len(label), _MAX_LETTERS)) for label in labels]
    widths = [_PADDING + _LETTER * length for length in lengths]
    return PlacedGraph(graph.operators, labels, lay_out(widths, graph.edges, job.cancel))


def _label_of(operator: Operator) -> str:
    name = operator.name if operator.op in {INPUT, OUTPUT} else ""
    for tensor in operator.tensors[:1]:
        name = tensor.removesuffix(".weight")
    return f"{operator.op} {name}".rstrip()


class GraphController(QObject):
    """Fills the page Graph while it is shown.

    The tab exists, and the command is enabled, only for files that contain a graph, and for traced
    models. It is read when the page is first shown. For other files, the key of the command shows
    the reason in the status bar.
    """

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        pages: PlotPages,
        actions: Actions,
        parent: QObject,
        *,
        notifications: Notifications,
    ) -> None:
        super().__init__(parent)
        self._session, self._pages, self._actions = session, pages, actions
        self._task = LatestTask(jobs)
        # The prunable tensors of each operator; None before they are read.
        self._tensors: Sequence[Sequence[str]] | None = None
        self._focused = ""
        self._notifications = notifications
        self._refused = QShortcut(pages)  # a disabled action does not react to its key
        self._refused.setEnabled(False)
        self._refused.activated.connect(self._on_refused)
        pages.pageChanged.connect(self._update)
        session.opened.connect(self._on_opened)
        session.changed.connect(self._update)
        session.closed.connect(self._on_closed)

    def set_focused(self, name: str | None) -> None:
        """Mark the operator that reads the focused tensor; None for no tensor."""
        self._focused = name or ""
        self._pages.graph.set_current(self._focused)

    def _why(self) -> str:
        """Return the reason why the page does not exist for a file without a graph."""
        text = self.tr(
            "The file contains no graph. Trace the model ({keys}), or open an ONNX or .pt2 file of "
            "it."
        )
        return text.format(keys=self._actions.shortcut_or_path("trace_model"))

    @Slot()
    def _on_refused(self) -> None:
        self._notifications.show_done(self._why())

    def show_traced(self) -> None:
        """Offer the page, or show the new graph in it: the model was traced."""
        self._task.cancel()
        self._tensors = None
        self._on_opened(None)

    @Slot(object)
    def _on_opened(self, _opened: object) -> None:
        document = self._session.document
        offered = document is not None and has_operators(document.checkpoint)
        self._pages.set_graph_offered(offered=offered)
        action = self._actions["page_graph"]
        action.setEnabled(offered)
        self._refused.setKeys(action.shortcuts())
        self._refused.setEnabled(document is not None and not offered)
        action.setToolTip(self._actions.tip("page_graph") if offered else as_plain(self._why()))
        self._update()

    @Slot()
    def _on_closed(self) -> None:
        self._task.cancel()
        self._tensors, self._focused = None, ""
        self._refused.setEnabled(False)
        self._pages.graph.set_graph(None)

    @Slot()
    def _update(self, *_: object) -> None:
        """Read the graph or update its sparsity, if the page is shown."""
        document, view = self._session.document, self._pages.graph
        if document is None or self._pages.page is not Page.GRAPH:
            return
        if self._tensors is not None:
            count = document.masks.pruned
            view.set_pruned([sum(map(count, names)) for names in self._tensors])
        elif self._task.task is None:
            checkpoint = document.checkpoint
            view.set_busy(True)
            self._task.start(
                lambda job: place_graph(checkpoint, job),
                self._show,
                lambda error: view.set_error(translate_error(error)),
                lane=Lane.BACKGROUND,
                on_cancelled=lambda: view.set_error(self.tr("The graph could not be shown.")),
            )

    def _show(self, graph: PlacedGraph) -> None:
        rows, view = self._session.by_name, self._pages.graph
        self._tensors = [
            [name for name in operator.tensors if name in rows and not rows[name].why_not]
            for operator in graph.operators
        ]
        numel = [sum(rows[name].numel for name in names) for names in self._tensors]
        view.set_graph(graph, numel)
        view.set_current(self._focused)
        self._update()
