"""A tensor's mask over its weights, from all of it down to the single value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QLabel, QVBoxLayout, QWidget

from pruneapp.answers import Gesture, Layout, Tile, TileRequest
from pruneapp.answers.hand import Operation
from pruneapp.gui.views.parts.numbers import part, shape
from pruneapp.gui.views.pictures.frame.picture import Picture
from pruneapp.gui.views.pictures.frame.table import NOTHING, Numbers
from pruneapp.gui.views.pictures.frame.wording import index_text, value_text
from pruneapp.gui.views.pictures.raster.canvas import ZOOM_STEP
from pruneapp.gui.views.pictures.raster.drawing import DrawingCanvas
from pruneapp.gui.views.pictures.raster.selection import Drawn, between
from pruneapp.gui.views.pictures.raster.shading import Mode
from pruneapp.gui.views.pictures.raster.tool_row import ToolRow
from pruneapp.gui.views.pictures.raster.viewport import Viewport, covers
from pruneapp.gui.views.pictures.raster.words import dim_words, drawn_words, swatches, tile_numbers

# Requests while one moves: a few a second, and the last one always.
REQUEST_MS = 40
POINT_MS = 60


class WeightsView(Picture):
    """The picture of a tensor's weights.

    Signals
    -------
    tileRequested(TileRequest)
        This part of the picture is needed; answer with `set_tile`.
    pointRequested(TileRequest)
        The exact value of one weight is needed; answer with `set_point`.
    cursorMoved(object)
        The person put the cursor on the weight with this index (a tuple).
    gestureMade(Gesture)
        The person wants weights pruned, restored, protected or released; nothing is changed here.
    drawnChanged(object)
        Something else is chosen: boxes of indices, a tuple; empty for nothing.
    """

    tileRequested = Signal(object)
    pointRequested = Signal(object)
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
        self._wanted: TileRequest | None = None
        self._ground_wanted = False
        self._stale = False
        self._hovered: tuple[int, int] | None = None
        self._points: dict[tuple[int, int], tuple[float, float, float]] = {}
        self._preview = False
        self._missing = False

        self.mode_box = QComboBox()
        for mode, label in (
            (Mode.MAGNITUDE_AND_MASK, self.tr("Magnitude + mask")),
            (Mode.MASK, self.tr("Mask")),
            (Mode.SIGNED, self.tr("Weights (signed)")),
            (Mode.MAGNITUDE, self.tr("Magnitude")),
        ):
            self.mode_box.addItem(label, mode)
        self.mode_box.setAccessibleName(self.tr("Show"))
        self.mode_box.setToolTip(self.tr("What the picture shows; M switches the mask"))
        self.mode_box.activated.connect(self._on_mode_chosen)
        show = QLabel(self.tr("Show"))
        show.setBuddy(self.mode_box)
        self._control_row().addStretch(1)
        self._control_row().addWidget(show)
        self._control_row().addWidget(self.mode_box)
        self._last_masked = Mode.MAGNITUDE_AND_MASK

        self.tools = ToolRow()
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.insertWidget(1, self.tools)
        self._why_not = ""
        self.tools.toolChosen.connect(self.canvas.set_tool)
        self.tools.brushChosen.connect(self._on_brush_chosen)
        self.tools.dimChosen.connect(self._on_dim_chosen)
        self.tools.operated.connect(self.operate)
        self.canvas.operated.connect(self.operate)
        self.canvas.drawnChanged.connect(self._on_drawn_changed)

        self._request_timer = QTimer(self)
        self._request_timer.setSingleShot(True)
        self._request_timer.timeout.connect(self._request)
        self._point_timer = QTimer(self)
        self._point_timer.setSingleShot(True)
        self._point_timer.setInterval(POINT_MS)
        self._point_timer.timeout.connect(self._request_point)

        self.canvas.viewChanged.connect(self._on_view_changed)
        self.canvas.hovered.connect(self._on_hovered)
        self.canvas.cursorMoved.connect(self._on_cursor_moved)
        self.canvas.maskToggled.connect(self.toggle_mask)
        self.set_colors(self._colors)
        self._update_words()

    # What it is told.

    @property
    def generation(self) -> int:
        """Number of the state that is shown; answers for an older one are ignored."""
        return self._generation

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
        self._wanted = None
        self._stale = self._ground_wanted = False
        self._hovered = None
        self._points.clear()
        self._preview = self._missing = False
        self.canvas.set_layout(self._layout)
        self.tools.set_drawn("")
        self.tools.set_dims(() if self._layout is None else dim_words(self._layout))
        self._set_content(present=self._layout is not None)
        self.set_error(self.tr("This tensor has no weights.") if empty else "")
        self._update_words()
        self._ask_soon()

    def set_tile(self, tile: Tile, generation: int | None = None) -> None:
        """Draw a part of the picture; one of another tensor or an older state is ignored."""
        if not self._is_current(tile, generation) or self._view is None:
            return
        if self._ground_wanted and tile.request == self._ground_request():
            self._ground_wanted = False
            self.canvas.item.set_ground(tile)
        else:
            if tile.request == self._wanted:
                self._wanted = None
            if self._is_served() and not self._serves(tile):
                return  # one came back before the answer did
            self.canvas.item.set_tile(tile)
            self.set_error("")
            self._release()
            self._stale = False
            coarse = self.canvas.item.coarse
            self._ground_wanted = coarse is None or (self._ground_wanted and coarse is not tile)
        self._preview = bool(tile.going.any()) or (self._preview and tile.request.pool == 1)
        self._missing = self._missing or bool(
            tile.values.size and (tile.values != tile.values).any()
        )
        self.set_busy(False)
        self._update_words()
        self._ask_soon()

    def set_point(self, tile: Tile, generation: int | None = None) -> None:
        """Take the exact value of a weight that was asked for."""
        if not self._is_current(tile, generation) or tile.values.shape != (1, 1):
            return
        if len(self._points) > 4096:
            self._points.clear()
        self._points[tile.request.row, tile.request.column] = (
            float(tile.values[0, 0]),
            float(tile.kept[0, 0]),
            float(tile.going[0, 0]),
        )
        self._update_readout()

    def set_pruned(self, pruned: int | None) -> None:
        """Take how many weights are pruned, for the summary."""
        self._pruned = pruned
        self._update_summary()

    def invalidate(self) -> None:
        """Ask anew, because the mask changed; what is shown stays until the answer comes."""
        if self._layout is None:
            return
        self._generation += 1
        self._wanted = None
        self._stale = True
        self._points.clear()
        self._preview = False
        coarse = self.canvas.item.coarse
        self._ground_wanted = coarse is not None and coarse is not self.canvas.item.fine
        self._ask_soon()

    def set_cursor(self, index: tuple[int, ...]) -> None:
        """Put the cursor on the weight of this index, and bring it into sight."""
        if self._layout is not None:
            self.canvas.set_cursor(*self._layout.place(index))
            self._update_readout()

    def set_mode(self, mode: Mode) -> None:
        """Show something else of the weights."""
        with QSignalBlocker(self.mode_box):
            # By place, because Qt compares what it does not know by identity at best.
            self.mode_box.setCurrentIndex(list(Mode).index(mode))
        if mode in {Mode.MAGNITUDE_AND_MASK, Mode.MASK}:
            self._last_masked = mode
        masked = mode in {Mode.MAGNITUDE_AND_MASK, Mode.MASK}
        self.canvas.item.set_mode(mode, masked=masked)
        self._update_words()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the colours of a theme by token, and paint anew."""
        super().set_colors(colors)
        self.canvas.set_colors(self._colors)
        self.tools.set_colors(self._colors)
        self._update_words()

    def set_why_not(self, text: str) -> None:
        """Say why nothing may be pruned or protected by hand; empty if it may."""
        self._why_not = text
        self.tools.set_why_not(text)

    def drop(self) -> None:
        """Take back what is chosen."""
        self.canvas.drop()

    # What a person does.

    @property
    def drawn(self) -> Drawn | None:
        """What is chosen."""
        return self.canvas.drawn

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

    @property
    def mode(self) -> Mode:
        """What is shown."""
        return self.canvas.item.mode

    def toggle_mask(self) -> None:
        """Show the mask, or hide it."""
        if self.mode is Mode.SIGNED:
            self.canvas.item.set_mode(Mode.SIGNED, masked=not self.canvas.item.masked)
            self._update_words()
        elif self.mode is Mode.MAGNITUDE:
            self.set_mode(self._last_masked)
        else:
            self.set_mode(Mode.MAGNITUDE)

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
        return NOTHING if tile is None else tile_numbers(tile)

    # How it works.

    @property
    def _view(self) -> Viewport | None:
        return self.canvas.view

    def _is_current(self, tile: Tile, generation: int | None) -> bool:
        return (
            self._layout is not None
            and tile.request.name == self._name
            and tile.layout.shape == self._layout.shape
            and generation in {None, self._generation}
        )

    def _serves(self, tile: Tile) -> bool:
        """Whether a tile has all that can be seen, as fine as the screen."""
        view = self._view
        if view is None or not covers(tile.request, view):
            return False
        return tile.request.pool == view.request(self._name, self.devicePixelRatioF()).pool

    def _is_served(self) -> bool:
        fine = self.canvas.item.fine
        return fine is not None and not self._stale and self._serves(fine)

    def _ground_request(self) -> TileRequest | None:
        if self._view is None:
            return None
        return self._view.fitted().request(self._name, 1.0)

    def _ask_soon(self) -> None:
        if not self._request_timer.isActive():
            self._request_timer.start(0 if self.canvas.item.fine is None else REQUEST_MS)

    def _request(self) -> None:
        """Ask for what can be seen and is not there; a hidden picture asks for nothing."""
        if self._view is None or not self.isVisible():
            return
        if not self._is_served():
            wanted = self._view.request(self._name, self.devicePixelRatioF())
            if wanted != self._wanted:
                self._wanted = wanted
                self.tileRequested.emit(wanted)
        elif self._ground_wanted:
            ground = self._ground_request()
            if ground is not None:
                self.tileRequested.emit(ground)

    def _request_point(self) -> None:
        place = self._hovered or self.canvas.item.cursor
        if place is None or self._layout is None or self._known(*place) is not None:
            return
        self.pointRequested.emit(TileRequest(self._name, *place, 1, 1, 1))

    def _known(self, row: int, column: int) -> tuple[float, float, float] | None:
        if not self._stale and (exact := self.canvas.item.exact(row, column)) is not None:
            return exact
        return self._points.get((row, column))

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for what was not asked for while it was hidden."""
        super().showEvent(event)
        self._ask_soon()

    def _settle(self) -> None:
        """Leave the old picture on the screen: the new one comes with its first tile."""

    def _on_view_changed(self) -> None:
        self._ask_soon()
        self._update_legend()

    def _on_hovered(self, place: tuple[int, int] | None) -> None:
        if place != self._hovered:
            self._hovered = place
            self._update_readout()

    def _on_cursor_moved(self, row: int, column: int) -> None:
        assert self._layout is not None
        self._hovered = None
        self._update_readout()
        self.cursorMoved.emit(self._layout.index(row, column))

    def _on_drawn_changed(self, drawn: Drawn | None) -> None:
        assert self._layout is not None
        self.tools.set_drawn("" if drawn is None else drawn_words(drawn, self._layout))
        self.tools.set_dim(self.canvas.pointer.dim)
        self.drawnChanged.emit(() if drawn is None else drawn.boxes(self._layout))

    def _on_brush_chosen(self, size: int) -> None:
        self.canvas.pointer.brush = size

    def _on_dim_chosen(self, dim: int) -> None:
        self.canvas.pointer.dim = dim

    def _on_mode_chosen(self, index: int) -> None:
        self.set_mode(list(Mode)[index])

    # What it says.

    def _update_words(self) -> None:
        self._update_legend()
        self._update_readout()
        self._update_summary()

    def _update_readout(self) -> None:
        place = self._hovered or self.canvas.item.cursor
        if self._layout is None:
            self.readout.setText("")
        elif place is None:
            self.readout.setText(self._layout.note)
        else:
            index = index_text(self._layout.index(*place))
            known = self._known(*place)
            if known is None:
                self.readout.setText(f"{index} = …")
                self._point_timer.start()
            else:
                value, kept, going = known
                self.readout.setText(f"{index} = {value_text(value)}   {self._state(kept, going)}")

    def _state(self, kept: float, going: float) -> str:
        if kept == 0:
            return self.tr("pruned")
        return self.tr("kept, would go") if going > 0 else self.tr("kept")

    def _update_legend(self) -> None:
        if self._layout is None:
            self._set_legend(())
            return
        item = self.canvas.item
        masked = item.masked or item.mode is Mode.MASK
        fine = item.fine
        scale = value_text(fine.scale, 2) if fine is not None else "1"
        entries = swatches(
            item.mode,
            scale,
            self._colors,
            masked=masked,
            signs=fine is None or fine.request.pool == 1,
            preview=self._preview,
            missing=self._missing,
        )
        self._set_legend(entries)

    def _update_summary(self) -> None:
        if self._layout is None:
            self._describe(self.tr("Picture of the weights"), self.empty_text())
            return
        extent = self._layout.shape
        size = 1
        for n in extent:
            size *= n
        summary = f"{self._name}, {shape(extent)}, {self._dtype}"
        if self._pruned is not None:
            summary += ", " + self.tr("{share} pruned").format(share=part(self._pruned, size))
        if self._layout.note:
            summary += f". {self._layout.note}"
        self._describe(self.tr("Picture of the weights"), summary)
