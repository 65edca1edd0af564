"""WeightsView.

A tensor's mask over its weights, from all of it down to the single value, and hand work.

A picture of weights that is told tile by tile, and says what is to be seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from pruneapp.gui.plots.base.plot_view import Picture
from pruneapp.gui.plots.heatmap import legend
from pruneapp.gui.plots.heatmap.canvas import ZOOM_STEP
from pruneapp.gui.plots.heatmap.drawing_tools import Drawn
from pruneapp.gui.plots.heatmap.requests import Reading, TileRequests
from pruneapp.gui.plots.heatmap.selection_canvas import DrawingCanvas, Gestures
from pruneapp.gui.plots.heatmap.shading import BLENDED, AnyTile, Mode
from pruneapp.gui.plots.heatmap.toolbar import Axes, AxesRow, ModeRow, ToolRow
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.number_format import part, shape
from pruneapp.results.document_rows import HistoryItem, Operation
from pruneapp.results.tile import DifferenceTile, Layout, Tile, TileRequest


class TiledPicture(Picture):
    """A tensor's weights on a canvas, as coarse as the screen; not what may be done to them.

    Signals
    -------
    tileRequested(TileRequest), differenceRequested(TileRequest)
        This part of the picture is needed; answer with `set_tile`, `set_difference_tile`.
    pointRequested(TileRequest)
        The exact value of one weight is needed; answer with `set_point`.
    historyRequested(object)
        It is needed which step pruned the weight with this index (a tuple); answer with
        `set_pruned_by`.
    """

    tileRequested = Signal(object)
    differenceRequested = Signal(object)
    pointRequested = Signal(object)
    historyRequested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        self.canvas = DrawingCanvas()
        super().__init__(self.canvas, parent)
        self._layout: Layout | None = None
        self._name = ""
        self._dtype = ""
        self._pruned: int | None = None
        self._generation = 0
        self._noticed = legend.Noticed()
        self._asking = TileRequests(self.canvas, self)
        self._reading = Reading(self.canvas, self._asking, self)
        self._asking.requested.connect(self._on_requested)
        self._reading.pointRequested.connect(self.pointRequested)
        self._reading.historyRequested.connect(self.historyRequested)
        self._reading.changed.connect(self._update_readout)
        self.canvas.viewChanged.connect(self._on_view_changed)

    @property
    def generation(self) -> int:
        """Number of the state that is shown; answers for an older one are ignored."""
        return self._generation

    @property
    def stale(self) -> bool:
        """Whether what is shown is of an older state."""
        return self._asking.stale

    @property
    def mode(self) -> Mode:
        """What is shown."""
        return self.canvas.item.mode

    def set_layout(
        self, layout: Layout | None, shape: Sequence[int] = (), dtype: str = "", name: str = ""
    ) -> None:
        """Begin with another tensor; None for no tensor.

        Parameters
        ----------
        layout
            How it is laid out in rows and columns.
        shape, dtype, name
            What it is called, and what it is.
        """
        assert layout is None or tuple(shape) in {(), layout.shape}, "a layout of another tensor"
        self._generation += 1
        empty = layout is not None and not (layout.rows and layout.columns)
        self._layout = None if empty else layout
        self._name, self._dtype = name, dtype
        self._set_stem(name, "weights")
        if layout is None:
            self._pruned = None
        self._noticed = legend.Noticed()
        self.canvas.set_layout(self._layout)
        self._asking.begin(None if self._layout is None else TileRequest(name, 0, 0, 1, 1))
        self._reading.begin()
        self._set_content(present=self._layout is not None)
        self.set_error(self.tr("This tensor has no weights.") if empty else "")
        self._update_words()

    def set_plane(self, layout: Layout, axes: Axes) -> None:
        """Show another plane of the tensor, or all of it: the layout for these axes."""
        before = self._layout
        if before is None or layout.shape != before.shape:
            return
        self._generation += 1
        self._layout = layout
        self._noticed = legend.Noticed()
        base = TileRequest(self._name, 0, 0, 1, 1, axes=axes.axes, fixed=axes.fixed)
        if (before.row_dims, before.column_dims) == (layout.row_dims, layout.column_dims):
            self.canvas.turn(layout)
            self._asking.turn(base)
        else:
            self.canvas.set_layout(layout)
            self._asking.begin(base)
        self._reading.begin()
        self._update_words()

    def set_tile(self, tile: Tile, generation: int | None = None) -> None:
        """Draw a part of the picture; one of another tensor or an older state is ignored."""
        if not self._is_current(tile, generation) or self.mode is Mode.DIFFERENCE:
            return
        before = self._noticed
        missing = bool(tile.values.size and (tile.values != tile.values).any())
        self._noticed = legend.Noticed(
            going=bool(tile.going.any()) or (before.going and tile.request.pool == 1),
            missing=missing or before.missing,
        )
        self._take(tile)

    def set_difference_tile(self, tile: DifferenceTile, generation: int | None = None) -> None:
        """Draw a part of the difference; one of an older state is ignored."""
        if self._is_current(tile, generation) and self.mode is Mode.DIFFERENCE:
            self._take(tile)

    def set_point(self, tile: Tile, generation: int | None = None) -> None:
        """Take the exact value of a weight that was asked for."""
        if self._is_current(tile, generation):
            self._reading.set_point(tile)

    def set_pruned_by(self, index: tuple[int, ...], step: int, item: HistoryItem) -> None:
        """Take which step of the history pruned a weight, for the read-out."""
        self._reading.set_pruned_by(index, step, item)

    def set_pruned(self, pruned: int | None) -> None:
        """Take how many weights are pruned, for the summary."""
        self._pruned = pruned
        self._update_summary()

    def invalidate(self, *, passing: bool = False) -> None:
        """Ask anew, because the mask changed; what is shown stays until the answer comes.

        `passing`: it will soon change again; see `TileRequests.invalidate`.
        """
        if self._layout is None:
            return
        self._generation += 1
        self._noticed = replace(self._noticed, going=False)
        self._asking.invalidate(passing=passing)
        self._reading.invalidate()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the colours of a theme by token, and paint anew."""
        super().set_colors(colors)
        self.canvas.set_colors(self._colors)
        self._update_words()

    def numbers(self) -> Numbers:
        """Return what the picture shows, a weight or a mean of weights in a row."""
        tile = self.canvas.item.fine
        return NOTHING if tile is None else legend.tile_numbers(tile)

    # How it works.

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for what was not asked for while it was hidden."""
        super().showEvent(event)
        self._asking.soon()

    def _is_current(self, tile: AnyTile, generation: int | None) -> bool:
        return (
            self._layout is not None
            and tile.request.name == self._name
            and tile.layout == self._layout
            and generation in {None, self._generation}
        )

    def _take(self, tile: AnyTile) -> None:
        if self._asking.take(tile):
            self.set_error("")
            self._waiting.release()
            self._refresh_table()
        self.set_busy(False)
        self._update_words()

    def _settle(self) -> None:
        """Leave the old picture on the screen: the new one comes with its first tile."""

    def _on_requested(self, request: TileRequest) -> None:
        if self._asking.content == "difference":
            self.differenceRequested.emit(request)
        else:
            self.tileRequested.emit(request)

    def _on_view_changed(self) -> None:
        self._asking.moved()
        self._update_legend()

    # What it says.

    def _update_words(self) -> None:
        self._update_legend()
        self._update_readout()
        self._update_summary()

    def _update_readout(self) -> None:
        self.readout.setText(self._reading.text())

    def _update_legend(self) -> None:
        if self._layout is None:
            self._set_legend(())
        else:
            item = self.canvas.item
            self._set_legend(
                legend.swatches(
                    item.fine, item.mode, self._noticed, self._colors, masked=item.masked
                )
            )

    def _update_summary(self) -> None:
        if self._layout is None:
            self._describe(self.tr("Weights picture"), self.empty_text())
            return
        extent = self._layout.shape
        summary = f"{self._name}, {shape(extent)}, {self._dtype}"
        if self._pruned is not None:
            share = part(self._pruned, math.prod(extent))
            summary += ", " + self.tr("{share} pruned").format(share=share)
        if self._layout.note:
            summary += f". {self._layout.note}"
        self._describe(self.tr("Weights picture"), summary)


class WeightsView(TiledPicture):
    """The picture of a tensor's weights: what of them is shown, and what is to be done to them.

    Signals
    -------
    cursorMoved(object)
        The person put the cursor on the weight with this index (a tuple).
    gestureMade(Gesture)
        The person wants weights pruned, restored, protected or released; nothing is changed here.
    axesChosen(Axes)
        The person wants other dimensions on the axes; answer with `set_plane`.
    """

    cursorMoved = Signal(object)
    gestureMade = Signal(object)
    axesChosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._last_strength = 1.0
        self.modes = ModeRow()
        self._add_control(self.modes.mode_box)
        self._add_table()
        self.tools, self.axes = ToolRow(self.modes), AxesRow()
        self.axes.hide()
        self._control_row().addWidget(self.tools)
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.insertWidget(column.indexOf(self._over), self.axes)
        self._gestures = Gestures(self.canvas, self.tools, self)
        self._gestures.made.connect(self.gestureMade)
        self.modes.modeChosen.connect(self.set_mode)
        self.modes.strengthChosen.connect(self.set_strength)
        self.modes.axes_button.toggled.connect(self.axes.setVisible)
        self.axes.chosen.connect(self.axesChosen)
        self.canvas.cursorMoved.connect(self._on_cursor_moved)
        self.canvas.maskToggled.connect(self.toggle_mask)
        self.canvas.menuAsked.connect(self._open_menu)
        self.set_colors(self._colors)

    # What it is told.

    def set_narrow(self, *, narrow: bool) -> None:
        """Take what is shown of the weights beside the tools, or above them again."""
        self.modes.label.setHidden(narrow)
        if narrow:
            self.tools.take(self.modes.mode_box)
        else:
            self._add_control(self.modes.mode_box, first=True)

    def set_layout(
        self, layout: Layout | None, shape: Sequence[int] = (), dtype: str = "", name: str = ""
    ) -> None:
        """Begin with another tensor, all of it in sight; None for no tensor.

        Parameters
        ----------
        layout, shape, dtype, name
            As for `TiledPicture`.
        """
        super().set_layout(layout, shape, dtype, name)
        dims = () if self._layout is None else legend.dim_words(self._layout)
        self.axes.set_dims(() if self._layout is None else self._layout.shape, dims)
        self.modes.set_rank(len(dims))
        self._gestures.begin(name)

    def set_plane(self, layout: Layout, axes: Axes) -> None:
        """Show another plane of the tensor, or all of it: the layout for these axes."""
        super().set_plane(layout, axes)
        self._gestures.begin(self._name)

    def set_difference(self, label: str | None) -> None:
        """Offer, and show, the difference to something of this name; None for none."""
        showed = self.mode is Mode.DIFFERENCE
        self.modes.set_difference(label)
        if label is not None:
            self.set_mode(Mode.DIFFERENCE)
            self.invalidate()
        elif showed:
            self.set_mode(Mode.MAGNITUDE)

    def set_why_not(self, text: str) -> None:
        """Say why nothing may be pruned or protected by hand; empty if it may."""
        self._gestures.set_why_not(text)

    def set_cursor(self, index: tuple[int, ...]) -> None:
        """Put the cursor on the weight of this index, and bring it into sight."""
        if self._layout is not None:
            self.canvas.set_cursor(*self._layout.place(index))
            self._update_readout()

    def set_mode(self, mode: Mode) -> None:
        """Show something else of the weights."""
        content = self._asking.content
        self.canvas.item.set_mode(mode, self.strength)
        self.modes.show_state(mode, self.strength)
        if mode is Mode.DIFFERENCE:
            self._asking.content = "difference"
        else:
            self._asking.content = "result" if mode is Mode.RESULT else "weights"
        if content != self._asking.content:
            self.invalidate()
        self._update_words()

    def set_strength(self, strength: float) -> None:
        """Let the mask lie over the weights as strongly as this, from 0 to 1."""
        self._last_strength = strength or self._last_strength
        self.canvas.item.set_mode(self.mode, strength)
        self.modes.show_state(self.mode, strength)
        self._update_words()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the colours of a theme by token, and paint anew."""
        super().set_colors(colors)
        self.tools.set_colors(self._colors)
        self.modes.set_colors(self._colors)

    # What a person does.

    @property
    def strength(self) -> float:
        """How strongly the mask lies over the weights, from 0 to 1."""
        return self.canvas.item.strength

    @property
    def drawn(self) -> Drawn | None:
        """What is chosen."""
        return self.canvas.drawn

    def operate(self, operation: Operation) -> None:
        """Ask for this to be done to what is chosen, else to the weight of the cursor."""
        self._gestures.operate(operation)

    def toggle_mask(self) -> None:
        """Show the mask over the weights, or hide it."""
        if self.mode not in BLENDED:
            self.set_mode(Mode.MAGNITUDE)
            self.set_strength(self._last_strength)
        else:
            self.set_strength(0.0 if self.strength else self._last_strength)

    def zoom_in(self) -> None:
        """Go closer, towards the cursor if it can be seen."""
        self.canvas.zoom(ZOOM_STEP)

    def zoom_out(self) -> None:
        """Go away."""
        self.canvas.zoom(1 / ZOOM_STEP)

    def fit(self) -> None:
        """Look at all of it."""
        self.canvas.fit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done to weights, and to take the picture along."""
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        if by_mouse and self._layout is not None:
            place = self.canvas.weight_at(self.canvas.mapFromGlobal(event.globalPos()))
            if place is not None:
                self._gestures.point_at(place)
                self._update_readout()
        self._open_menu(event.globalPos() if by_mouse else None)

    def _open_menu(self, at: QPoint | None = None) -> None:
        if self._layout is None:
            return
        menu = QMenu(self)
        self._gestures.fill(menu)
        menu.addSeparator()
        menu.addActions([self.taking.copy, self.taking.png, self.taking.svg, self.taking.csv])
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if at is None:
            cursor = self.canvas.item.cursor
            here = self.canvas.rect().center() if cursor is None else self.canvas.pixel_of(*cursor)
            at = self.canvas.mapToGlobal(here)
        menu.popup(at)

    def _on_cursor_moved(self, row: int, column: int) -> None:
        assert self._layout is not None
        self._reading.leave()
        self._update_readout()
        self.cursorMoved.emit(self._layout.index(row, column))
