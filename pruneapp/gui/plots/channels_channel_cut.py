"""The cut through a tensor's channels: where it stands, what it takes, and how it is moved."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pruneapp.gui.plots.base.readout_wording import value_text
from pruneapp.gui.plots.channels_channel_bars import NORM, ChannelBars, Remaining
from pruneapp.gui.plots.chart.items_cut_line import CutLine
from pruneapp.gui.widgets.number_format import count


class ChannelCut(ChannelBars):
    """Bars of norms with a cut that a person can move.

    It takes the channels with the smallest norms that are neither pruned as a whole nor protected:
    in the order of the tensor it lies at a norm, in that of norms it stands behind the last
    channel that goes.

    Signals
    -------
    cutTaken(), cutMoved(int), cutDropped()
        The person takes hold of the line; wants so many channels to go (comes with every move);
        wants the cut where it was.
    """

    cutTaken = Signal()
    cutMoved = Signal(int)
    cutDropped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self._cut: int | None = None
        self._cut_norm: float | None = None
        self._told: tuple[int | None, float | None] = None, None
        self._before: tuple[int | None, float | None] = None, None
        self._answered = True
        self._editable = False
        self._following = False
        super().__init__(parent)
        self.canvas.lineMoved.connect(self._on_line_moved)
        self.canvas.lineStepped.connect(self._on_line_stepped)
        self.canvas.lineReleased.connect(self._on_line_released)
        self.canvas.lineTaken.connect(self._on_line_taken)
        self.canvas.lineDropped.connect(self._on_line_dropped)

    def set_cut(
        self, channels: int | None, norm: float | None = None, *, editable: bool = False
    ) -> None:
        """Show how many channels would go.

        While a person holds the line it stays where they hold it; what is told meanwhile holds
        once it is let go.

        Parameters
        ----------
        channels
            How many of those with the smallest norms; None without a cut, as for random pruning.
        norm
            The norm at the cut; None for that of the last channel that goes.
        editable
            Whether a person may move it.
        """
        editable = editable and channels is not None
        same = (channels, norm, editable) == (self._cut, self._cut_norm, self._editable)
        self._editable = editable
        self._told = channels, norm
        self._answered = True
        if not self.canvas.holding and not same:
            self._following = self._following or channels != self._cut
            self._cut, self._cut_norm = channels, norm
            self._follow_cut()

    def _count_going(self) -> None:
        """Find what would go: by the line while it says more than what was told."""
        n, ranks = self._norms, self._ranks
        if n is None or ranks is None:
            self._after = Remaining(np.zeros(0, np.bool_), np.zeros(0), np.zeros(0), np.zeros(0))
        elif self._cut is None or not self._following:
            self._after = Remaining(n.going, n.after, ranks.after, n.kept_after)
        else:
            going = ranks.taken(self._cut)
            parts = (np.where(going, 0.0, part) for part in (n.left, ranks.left, n.kept))
            self._after = Remaining(going, *parts)

    def _show_cut(self) -> None:
        ranks = self._ranks
        if ranks is None or self._cut is None:
            self.canvas.set_line(None)
            return
        taken = ranks.within(self._cut)
        words = self.tr("1 channel") if taken == 1 else self.tr("{n} channels")
        label = words.format(n=count(taken))
        if self.order == NORM:
            line = CutLine(ranks.place_behind(taken), label, editable=self._editable)
        else:
            norm = ranks.norm_of(taken) if self._cut_norm is None else self._cut_norm
            text = f"{value_text(norm, 4)} · {label}"
            line = CutLine(norm, text, upright=False, editable=self._editable)
        self.canvas.set_line(line)

    def _move_cut(self, channels: int, norm: float | None = None) -> None:
        """Follow the person at once, and announce it if it takes others."""
        if not self._editable or self._ranks is None:
            return
        channels = self._ranks.within(channels)
        changed = channels != self._cut
        self._cut, self._cut_norm = channels, norm
        if changed:
            self._answered, self._following = False, True
        self._follow_cut()
        if changed:
            self.cutMoved.emit(channels)

    def _on_line_moved(self, at: float) -> None:
        if self._ranks is None:
            return
        if self.order == NORM:
            self._move_cut(self._ranks.number_before(at))
        else:
            at = min(max(at, 0.0), self.highest())
            self._move_cut(self._ranks.number_up_to(at), at)

    def _on_line_stepped(self, steps: int) -> None:
        if self._cut is not None:
            self._move_cut(self._cut + steps)

    def _on_line_taken(self) -> None:
        self._before = self._cut, self._cut_norm
        self.cutTaken.emit()

    def _on_line_dropped(self) -> None:
        self._told, self._answered, self._following = self._before, True, False
        self._cut, self._cut_norm = self._before
        self._follow_cut()
        self.cutDropped.emit()

    def _on_line_released(self) -> None:
        if self._answered:
            self._cut, self._cut_norm = self._told
        elif self._cut_norm is not None:
            self._cut_norm = None  # the line rests at the last channel that goes
        self._follow_cut()

    def _follow_cut(self) -> None:
        """Draw the cut, and what it takes."""
        self._count_going()
        self._show_cut()
        self._draw()
        self._refresh_words()
        self._refresh_table()
