"""Find the groups of the focused tensor, and show them in the tree and on the page Channels."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from pruneapp.edits.group_edit import TensorGroup, groups_of_tensor
from pruneapp.gui.app.jobs import Jobs, Lane, LatestTask
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.plots.channels import ChannelsView
from pruneapp.gui.plots.plot_controller import PlotController
from pruneapp.gui.tree.panel import ModuleTree


class GroupController(QObject):
    """Finds the groups of the focused tensor in the background.

    The first request for a file is slow, because it finds the groups of the whole checkpoint.
    """

    found = Signal()  # `groups` has changed to those of the focused tensor
    searched = Signal()  # the groups of the focused tensor are known, there may be none

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        plots: PlotController,
        *,
        tree: ModuleTree,
        channels: ChannelsView,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._plots = plots
        self._tree = tree
        self._channels = channels
        self._task = LatestTask(jobs)
        self._marked = False  # whether the tree shows marks
        self.groups: tuple[TensorGroup, ...] = ()
        plots.focused.connect(self._on_focused)
        session.closed.connect(self._on_closed)

    def _on_focused(self) -> None:
        """Drop the groups, and find those of the focused tensor in the background."""
        document, name = self._session.document, self._plots.name
        if document is None or name is None:
            self._on_closed()
            return
        checkpoint = document.checkpoint
        # The marks in the tree stay until the answer arrives, so that they do not flicker.
        self._set_groups(())
        # Low priority: histograms that are being counted need not be interrupted.
        self._task.start(
            lambda job: groups_of_tensor(checkpoint, name, job),
            self._show,
            lambda _error: self._show(()),
            lane=Lane.BACKGROUND,
        )

    def refresh(self) -> None:
        """Find the groups of the focused tensor again: the model was traced."""
        self._on_focused()

    def _show(self, groups: tuple[TensorGroup, ...]) -> None:
        if (groups or self._marked) and self._plots.name is not None:
            self._tree.model.set_groups(self._plots.name, groups)
        self._marked = bool(groups)
        self._set_groups(groups)
        self.searched.emit()

    def _set_groups(self, groups: tuple[TensorGroup, ...]) -> None:
        if groups or self.groups:
            self.groups = groups
            self._channels.set_groups(groups)
            self.found.emit()

    def _on_closed(self) -> None:
        self._task.cancel()
        self._marked = False
        self._channels.forget_units()
        self._set_groups(())
