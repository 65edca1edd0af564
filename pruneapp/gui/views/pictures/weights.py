"""A tensor's mask over its weights, from all of it down to the single value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pruneapp.answers import DifferenceTile, Gesture, Layout, Operation, Tile, TileRequest
from pruneapp.gui.views.parts.numbers import part, shape
from pruneapp.gui.views.pictures.frame.picture import Picture
from pruneapp.gui.views.pictures.frame.table import NOTHING, Numbers
from pruneapp.gui.views.pictures.frame.wording import value_text
from pruneapp.gui.views.pictures.raster import words
from pruneapp.gui.views.pictures.raster.asking import Asking
from pruneapp.gui.views.pictures.raster.canvas import ZOOM_STEP
from pruneapp.gui.views.pictures.raster.drawing import DrawingCanvas
from pruneapp.gui.views.pictures.raster.mode_row import ModeRow
from pruneapp.gui.views.pictures.raster.reading import Reading
from pruneapp.gui.views.pictures.raster.selection import Drawn, between
from pruneapp.gui.views.pictures.raster.shading import BLENDED, Mode
from pruneapp.gui.views.pictures.raster.tool_row import ToolRow
from pruneapp.gui.views.pictures.raster.weight import AnyTile


class WeightsView(Picture):
    """The picture of a tensor's weights.

    Signals
    -------
    tileRequested(TileRequest), differenceRequested(TileRequest)
        This part of the picture is needed; answer with `set_tile`, `set_difference_tile`.
    pointRequested(TileRequest)
        The exact value of one weight is needed; answer with `set_point`.
    historyRequested(object)
        It is needed which step pruned the weight with this index (a tuple); answer with
        `set_pruned_by`.
    cursorMoved(object)
        The person put the cursor on the weight with this index (a tuple).
    gestureMade(Gesture)
        The person wants weights pruned, restored, protected or released; nothing is changed here.
    drawnChanged(object)
        Something else is chosen: boxes of indices, a tuple; empty for nothing.
    """

    tileRequested = Signal(object)
    differenceRequested = Signal(object)
    pointRequested = Signal(object)
    historyRequested = Signal(object)
    cursorMoved = Signal(object)
    gestureMade = Signal(object)
    drawnChanged = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        self.canvas = DrawingCanvas()
        super().__init__(self.canvas, parent)
        self._layout: Layout | None = None
        self._name = ""
        self._dtype = ""
        self._pruned: int | None = None
        self._generation = 0
        self._preview = self._missing = False
        self._why_not = ""
        self._last_strength = 1.0

        self.modes = ModeRow()
        self._control_row().addStretch(1)
        self._control_row().addWidget(self.modes)
        self._add_table()
        self.tools = ToolRow()
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.insertWidget(1, self.tools)

        self._asking = Asking(self.canvas, self)
        self._reading = Reading(self.canvas, self._asking, self)
        self._asking.requested.connect(self._on_requested)
        self._reading.pointRequested.connect(self.pointRequested)
        self._reading.historyRequested.connect(self.historyRequested)
        self._reading.changed.connect(self._update_readout)
        self.modes.modeChosen.connect(self.set_mode)
        self.modes.strengthChosen.connect(self.set_strength)
        self.tools.toolChosen.connect(self.canvas.set_tool)
        self.tools.brushChosen.connect(self._on_brush_chosen)
        self.tools.dimChosen.connect(self._on_dim_chosen)
        self.tools.operated.connect(self.operate)
        self.canvas.operated.connect(self.operate)
        self.canvas.drawnChanged.connect(self._on_drawn_changed)
        self.canvas.viewChanged.connect(self._on_view_changed)
        self.canvas.cursorMoved.connect(self._on_cursor_moved)
        self.canvas.maskToggled.connect(self.toggle_mask)
        self.set_colors(self._colors)
        self._update_words()

    # What it is told.

    @property
    def generation(self) -> int:
        """Number of the state that is shown; answers for an older one are ignored."""
        return self._generation

    @property
    def stale(self) -> bool:
        """Whether what is shown is of an older state."""
        return self._asking.stale

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
        self._preview = self._missing = False
        self.canvas.set_layout(self._layout)
        self._asking.begin(None if self._layout is None else TileRequest(name, 0, 0, 1, 1))
        self._reading.begin()
        self.tools.set_drawn("")
        self.tools.set_dims(() if self._layout is None else words.dim_words(self._layout))
        self._set_content(present=self._layout is not None)
        self.set_error(self.tr("This tensor has no weights.") if empty else "")
        self._update_words()

    def set_tile(self, tile: Tile, generation: int | None = None) -> None:
        """Draw a part of the picture; one of another tensor or an older state is ignored."""
        if not self._is_current(tile, generation) or self.mode is Mode.DIFFERENCE:
            return
        self._preview = bool(tile.going.any()) or (self._preview and tile.request.pool == 1)
        self._missing = self._missing or bool(
            tile.values.size and (tile.values != tile.values).any()
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

    def set_pruned_by(self, index: tuple[int, ...], step: int, label: str) -> None:
        """Take which step of the history pruned a weight, for the read-out."""
        self._reading.set_pruned_by(index, step, label)

    def set_pruned(self, pruned: int | None) -> None:
        """Take how many weights are pruned, for the summary."""
        self._pruned = pruned
        self._update_summary()

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
        self._why_not = text
        self.tools.set_why_not(text)

    def invalidate(self) -> None:
        """Ask anew, because the mask changed; what is shown stays until the answer comes."""
        if self._layout is None:
            return
        self._generation += 1
        self._preview = False
        self._asking.invalidate()
        self._reading.invalidate()

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
        self.canvas.set_colors(self._colors)
        self.tools.set_colors(self._colors)
        self._update_words()

    def drop(self) -> None:
        """Take back what is chosen."""
        self.canvas.drop()

    # What a person does.

    @property
    def mode(self) -> Mode:
        """What is shown."""
        return self.canvas.item.mode

    @property
    def strength(self) -> float:
        """How strongly the mask lies over the weights, from 0 to 1."""
        return self.canvas.item.strength

    @property
    def drawn(self) -> Drawn | None:
        """What is chosen."""
        return self.canvas.drawn

    def toggle_mask(self) -> None:
        """Show the mask over the weights, or hide it."""
        if self.mode not in BLENDED:
            self.set_mode(Mode.MAGNITUDE)
            self.set_strength(self._last_strength)
        else:
            self.set_strength(0.0 if self.strength else self._last_strength)

    def operate(self, operation: Operation) -> None:
        """Ask for this to be done to what is chosen, else to the weight of the cursor."""
        drawn, cursor = self.canvas.drawn, self.canvas.item.cursor
        if self._layout is None or self._why_not:
            return
        if drawn is None and cursor is not None:
            drawn = between("rectangle", self._layout, cursor, cursor)
        if drawn is not None:
            boxes = drawn.boxes(self._layout)
            self.gestureMade.emit(Gesture(operation, self._name, boxes, drawn.shape, drawn.dim))

    def zoom_in(self) -> None:
        """Go closer, towards the cursor if it can be seen."""
        self.canvas.zoom(ZOOM_STEP)

    def zoom_out(self) -> None:
        """Go away."""
        self.canvas.zoom(1 / ZOOM_STEP)

    def fit(self) -> None:
        """Look at all of it."""
        self.canvas.fit()

    def numbers(self) -> Numbers:
        """Return what the picture shows, a weight or a mean of weights in a row."""
        tile = self.canvas.item.fine
        return NOTHING if tile is None else words.tile_numbers(tile)

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
            self._release()
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
        self._asking.soon()
        self._update_legend()

    def _on_cursor_moved(self, row: int, column: int) -> None:
        assert self._layout is not None
        self._reading.leave()
        self._update_readout()
        self.cursorMoved.emit(self._layout.index(row, column))

    def _on_drawn_changed(self, drawn: Drawn | None) -> None:
        assert self._layout is not None
        self.tools.set_drawn("" if drawn is None else words.drawn_words(drawn, self._layout))
        self.tools.set_dim(self.canvas.pointer.dim)
        self.drawnChanged.emit(() if drawn is None else drawn.boxes(self._layout))

    def _on_brush_chosen(self, size: int) -> None:
        self.canvas.pointer.brush = size

    def _on_dim_chosen(self, dim: int) -> None:
        self.canvas.pointer.dim = dim

    # What it says.

    def _update_words(self) -> None:
        self._update_legend()
        self._update_readout()
        self._update_summary()

    def _update_readout(self) -> None:
        self.readout.setText(self._reading.text())

    def _update_legend(self) -> None:
        fine = self.canvas.item.fine
        if self._layout is None:
            self._set_legend(())
        elif self.mode is Mode.DIFFERENCE:
            self._set_legend(words.difference_swatches(fine, self._colors))
        else:
            said = words.Said(
                mode=self.mode,
                masked=self.canvas.item.masked,
                exact=fine is None or fine.request.pool == 1,
                going=self._preview,
                guarded=isinstance(fine, Tile) and fine.guarded is not None,
                missing=self._missing,
                sampled=fine is not None and fine.sampled,
            )
            scale = value_text(fine.scale, 2) if fine is not None else "1"
            self._set_legend(words.swatches(said, scale, self._colors))

    def _update_summary(self) -> None:
        if self._layout is None:
            self._describe(self.tr("Picture of the weights"), self.empty_text())
            return
        extent = self._layout.shape
        summary = f"{self._name}, {shape(extent)}, {self._dtype}"
        if self._pruned is not None:
            share = part(self._pruned, math.prod(extent))
            summary += ", " + self.tr("{share} pruned").format(share=share)
        if self._layout.note:
            summary += f". {self._layout.note}"
        self._describe(self.tr("Picture of the weights"), summary)
