"""Shows in the tree what is to come, as often as that leaves time for everything else."""

from __future__ import annotations

import time
from collections.abc import Mapping

from PySide6.QtCore import QObject, QTimer

from pruneapp.gui.preview.preview_state import PreviewState
from pruneapp.gui.tree.panel import ModuleTree
from pruneapp.results.sparsity_report import Danger

# Telling that takes longer happens at most once in a frame. What takes less is told with each
# estimate: then panel and tree are painted together, and a move does not wait for the frame of
# the one before.
QUICK_S = 0.002
FRAME_MS = 16


class TreePreview(QObject):
    """Keeps the bars of the tree true while a slider moves.

    Each change is told at once, as long as that takes no time. Where telling the tree takes long
    (it may have 100,000 rows) those that follow wait, and time is left for everything else.

    Parameters
    ----------
    outlook
        Says what is to come.
    tree
        Told.
    """

    def __init__(
        self, outlook: PreviewState, tree: ModuleTree, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._outlook = outlook
        self._tree = tree
        self._changed = False
        self._standing: Mapping[str, Danger] = {}
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.timeout.connect(self._on_rested)
        outlook.foreseen.connect(self._on_foreseen)

    def set_standing(self, dangers: Mapping[str, Danger]) -> None:
        """Take which tensors of the current state keep too little: they stay marked."""
        if dangers != self._standing:
            self._standing = dangers
            self._on_foreseen()

    def _on_foreseen(self) -> None:
        self._changed = True
        # What is not to come any more must not stay for a moment: the tree may be another one.
        if self._outlook.report is None or not self._rest.isActive():
            self._tell()

    def _on_rested(self) -> None:
        if self._changed:
            self._tell()

    def _tell(self) -> None:
        self._changed = False
        report = self._outlook.report
        began = time.thread_time()  # what others compute meanwhile says nothing of this tree
        if report is None:
            self._tree.set_preview(None, self._standing)
        else:
            others = {n: d for n, d in self._standing.items() if n not in report.by_name}
            self._tree.set_preview(report.after_by_name, others | dict(report.dangers))
        taken = time.thread_time() - began
        if taken > QUICK_S:
            self._rest.start(max(FRAME_MS, round(2000 * taken)))
