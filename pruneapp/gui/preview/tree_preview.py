"""Shows the preview in the tree, as often as that leaves time for everything else."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject

from pruneapp.gui.app.jobs import Throttle
from pruneapp.gui.preview.preview_state import PreviewState
from pruneapp.gui.tree.panel import ModuleTree

# What takes less is shown with each estimate: then panel and tree are painted together, and a move
# does not wait for the frame of the one before. A tree may have 100,000 rows.
QUICK_S = 0.002
FRAME_MS = 16


class TreePreview(Throttle):
    """Keeps bars, marks and rules of the tree up to date while a slider moves."""

    def __init__(self, tree: ModuleTree, parent: QObject | None = None) -> None:
        super().__init__(self._show, parent)
        self._tree = tree
        self._state = PreviewState()

    def set_preview(self, state: PreviewState) -> None:
        """Show a state soon; at once that there is no preview: the tree may be another one."""
        former, self._state = self._state, state
        if state.assignment is not former.assignment:
            self._tree.set_assignment(state.assignment)
        if state.report is not former.report or state.dangers != former.dangers:
            self.request(at_once=state.report is None)

    def _show(self) -> int:
        report, dangers = self._state.report, dict(self._state.dangers)
        began = time.thread_time()  # what others compute meanwhile says nothing of this tree
        if report is None:
            self._tree.set_preview(None, dangers)
        else:
            others = {name: d for name, d in dangers.items() if name not in report.by_name}
            self._tree.set_preview(report.after_by_name, others | dict(report.dangers))
        taken = time.thread_time() - began
        return max(FRAME_MS, round(2000 * taken)) if taken > QUICK_S else 0
