"""The page Weights: the heatmap of a tensor with its mask, and manual edits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QShowEvent
from PySide6.QtWidgets import QMenu

from pruneapp.analysis.layout import Layout
from pruneapp.analysis.tiles import DifferenceTile, Tile, TileRequest
from pruneapp.document.document import HistoryItem
from pruneapp.document.entries import Operation
from pruneapp.edits.manual_edit import ManualEditRequest
from pruneapp.gui.plots.base.plot_view import PlotView
from pruneapp.gui.plots.heatmap import legend
from pruneapp.gui.plots.heatmap.canvas import HeatmapCanvas
from pruneapp.gui.plots.heatmap.color_bar import ColorBar, DrawnValues
from pruneapp.gui.plots.heatmap.drawing_tools import Cell, Rect, WeightSelection, select_between
from pruneapp.gui.plots.heatmap.requests import TileRequests, WeightReadout
from pruneapp.gui.plots.heatmap.shading import BLENDED, AnyTile, ContrastLimits, Mode
from pruneapp.gui.plots.heatmap.toolbar import Axes, AxesRow, ModeRow, ToolRow
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.color_maps import STANDARD, ColorMap
from pruneapp.gui.widgets.engine_text import translate_sentence
from pruneapp.gui.widgets.labels import as_sentence, join_facts, join_sentences
from pruneapp.gui.widgets.number_format import part, shape

# The color bar ends at this multiple of the automatic limit, or at the largest drawn value if that
# is larger, up to the second multiple: a few outliers must not make the histogram unreadable.
_BAR_END, _LAST_BAR_END = 1.25, 2.0


class WeightsView(PlotView):
    """The heatmap of the weights of a tensor, fed tile by tile, and the tools for manual edits."""

    fits_any_size = False  # another size would need other tiles

    # (TileRequest) A tile is needed; answer with `set_tile` or `set_difference_tile`.
    tileRequested = Signal(object)
    differenceRequested = Signal(object)
    # (TileRequest) The exact value of a weight is needed; answer with `set_point`.
    pointRequested = Signal(object)
    # (index tuple) The step that pruned a weight is needed; answer with `set_pruned_by`.
    historyRequested = Signal(object)
    # (index tuple) The user moved the cursor to this weight.
    cursorMoved = Signal(object)
    # (ManualEditRequest) The user wants to edit weights; nothing is changed here.
    editRequested = Signal(object)
    limitsRequested = Signal()  # the user wants to type contrast limits

    def __init__(self) -> None:
        self.canvas = HeatmapCanvas()
        super().__init__(self.canvas)
        # Number of the displayed state; results for older states are ignored.
        self.generation = 0
        self._layout: Layout | None = None
        self._name = ""
        self._dtype = ""
        self._pruned: int | None = None
        self._to_prune = self._missing = False  # whether weights are to be pruned, and are NaN
        self._not_editable_reason = ""
        self._last_strength = 1.0
        # Contrast limits that the user chose, by name and whether for differences.
        self._limits: dict[tuple[str, bool], ContrastLimits] = {}
        self._color_map = STANDARD
        # Largest value of the color bar since the tensor or another state was shown.
        self._bar_end = 0.0
        self._state_changed = False  # until the first tile of the new state
        self._drawn = DrawnValues()
        self.color_bar = ColorBar()
        self.legend.set_ramp_widget(self.color_bar)
        self.color_bar.limitsChosen.connect(self.set_limits)
        self.color_bar.resetRequested.connect(self.reset_limits)
        self.color_bar.entryRequested.connect(self.limitsRequested)
        self.limits_action = QAction(self.tr("Contrast limits…"), self)
        self.limits_action.triggered.connect(self.limitsRequested)
        self.reset_action = QAction(self.tr("Reset contrast limits"), self)
        self.reset_action.triggered.connect(self.reset_limits)
        self.color_bar.addActions([self.limits_action, self.reset_action])
        self._tile_requests = TileRequests(self.canvas, self)
        self._weight_readout = WeightReadout(self.canvas, self._tile_requests, self)
        self._tile_requests.requested.connect(self._on_requested)
        self._weight_readout.pointRequested.connect(self.pointRequested)
        self._weight_readout.historyRequested.connect(self.historyRequested)
        self._weight_readout.changed.connect(self._update_readout)
        self.modes = ModeRow()
        self._controls.insertWidget(1, self.modes.mode_box)
        self.tools, self.axes = ToolRow(self.modes), AxesRow()
        self.axes.hide()
        self._row.addWidget(self.tools)
        self._column.insertWidget(self._column.indexOf(self._canvas_grid), self.axes)
        self.tools.toolChosen.connect(self.canvas.set_tool)
        self.tools.brush_box.activated.connect(self._on_brush)
        self.tools.dim_box.activated.connect(self._on_dim)
        self.tools.operated.connect(self.operate)
        self.modes.modeChosen.connect(self.set_mode)
        self.modes.strengthChosen.connect(self.set_strength)
        self.modes.axes_button.toggled.connect(self.axes.setVisible)
        self.canvas.viewChanged.connect(self._on_view_changed)
        self.canvas.cursorMoved.connect(self._on_cursor_moved)
        self.canvas.maskToggled.connect(self.toggle_mask)
        self.canvas.operated.connect(self.operate)
        self.canvas.selectionChanged.connect(self._on_selection_changed)
        self.canvas.menuRequested.connect(self._open_menu)
        self.set_colors(self._colors)

    @property
    def stale(self) -> bool:
        """Whether the displayed tiles are of an older state."""
        return self._tile_requests.stale

    @property
    def mode(self) -> Mode:
        """What is shown."""
        return self.canvas.item.mode

    @property
    def strength(self) -> float:
        """The opacity of the mask, from 0 to 1."""
        return self.canvas.item.strength

    @property
    def selection(self) -> WeightSelection | None:
        """The selected weights; None if there are none."""
        return self.canvas.selection

    # -- setters ----------------------------------------------------------------------------------

    def set_layout(
        self, layout: Layout | None, shape: Sequence[int] = (), dtype: str = "", name: str = ""
    ) -> None:
        """Start with another tensor and show all of it; None for no tensor.

        Results of earlier requests are ignored from now on. Tiles are requested; until the first
        one arrives, the old picture may remain for a moment. `shape` is only validated. A tensor
        without weights shows a message.
        """
        assert layout is None or tuple(shape) in {(), layout.shape}, "a layout of another tensor"
        self.generation += 1
        empty = layout is not None and not (layout.rows and layout.columns)
        self._layout = None if empty else layout
        self._name, self._dtype = name, dtype
        self._set_stem(name, "weights")
        if layout is None:
            self._pruned = None
        self._to_prune = self._missing = False
        self.canvas.set_layout(self._layout)
        self._use_limits()
        self._tile_requests.begin(None if self._layout is None else TileRequest(name, 0, 0, 1, 1))
        self._weight_readout.begin()
        self._set_content(present=self._layout is not None)
        self.set_error(self.tr("This tensor has no weights.") if empty else "")
        self.refresh()
        dims = () if self._layout is None else legend.dim_words(self._layout)
        self.axes.set_dims(() if self._layout is None else self._layout.shape, dims)
        self.modes.set_rank(len(dims))
        self.tools.set_selection_text("")
        self.tools.set_dims(dims)

    def set_plane(self, layout: Layout, axes: Axes) -> None:
        """Show another plane of the tensor, or all of it: the `layout` for `axes`.

        The old tiles stay until the new ones arrive if the same dimensions are on the axes. The
        selection is cleared. A layout of another shape is ignored.
        """
        before = self._layout
        if before is None or layout.shape != before.shape:
            return
        self.generation += 1
        self._layout = layout
        self._to_prune = self._missing = False
        base = TileRequest(self._name, 0, 0, 1, 1, axes=axes.axes, fixed=axes.fixed)
        if (before.row_dims, before.column_dims) == (layout.row_dims, layout.column_dims):
            self.canvas.show_plane(layout)
            self._tile_requests.show_plane(base)
        else:
            self.canvas.set_layout(layout)
            self._tile_requests.begin(base)
        self._weight_readout.begin()
        self.refresh()
        self.tools.set_selection_text("")
        self.tools.set_dims(legend.dim_words(layout))

    def set_tile(self, tile: Tile, generation: int | None = None) -> None:
        """Show a tile; ignored if it is of another tensor, mode or state.

        `generation` is that attribute when the tile was requested; None if it is not
        to be compared. Ends the busy state.
        """
        if not self._is_current(tile, generation) or self.mode is Mode.DIFFERENCE:
            return
        self._to_prune = bool(tile.to_be_pruned.any()) or (
            self._to_prune and tile.request.pool == 1
        )
        self._missing = self._missing or bool((tile.values != tile.values).any())
        if self._state_changed:
            self._state_changed, self._bar_end = False, 0.0
        self._show_tile(tile)

    def set_difference_tile(self, tile: DifferenceTile, generation: int | None = None) -> None:
        """Show a tile of the difference; ignored if it is of another tensor, mode or state."""
        if self._is_current(tile, generation) and self.mode is Mode.DIFFERENCE:
            self._show_tile(tile)

    def set_point(self, tile: Tile, generation: int | None = None) -> None:
        """Store the exact value of a requested weight."""
        if self._is_current(tile, generation):
            self._weight_readout.set_point(tile)

    def set_pruned_by(self, index: tuple[int, ...], step: int, item: HistoryItem) -> None:
        """Store which step pruned a weight, for the readout."""
        self._weight_readout.set_pruned_by(index, step, item)

    def set_pruned(self, pruned: int | None) -> None:
        """Set the number of pruned weights for the summary; None if unknown."""
        self._pruned = pruned
        self._update_summary()

    def invalidate(self, *, transient: bool = False, other_state: bool = False) -> None:
        """Request all tiles again, because the mask changed; the old ones stay until then.

        Results of earlier requests are ignored. `transient`: it will change again soon; see
        `TileRequests.invalidate`. `other_state`: the values may have changed as well, so that the
        color bar gets a new scale. Does nothing without a tensor.
        """
        if self._layout is None:
            return
        self._state_changed = self._state_changed or other_state
        self.generation += 1
        self._to_prune = False
        self._tile_requests.invalidate(transient=transient)
        self._weight_readout.invalidate()

    def set_difference(self, label: str | None) -> None:
        """Offer and show the difference with this label, and request its tiles again.

        None removes it, and shows magnitudes if the difference was shown.
        """
        was_shown = self.mode is Mode.DIFFERENCE
        self.modes.set_difference(label)
        if label is not None:
            self.set_mode(Mode.DIFFERENCE)
            self.invalidate()
        elif was_shown:
            self.set_mode(Mode.MAGNITUDE)

    def set_not_editable_reason(self, text: str) -> None:
        """Set the reason why weights cannot be edited; "" if they can."""
        self._not_editable_reason = text
        self.tools.set_not_editable_reason(text)

    def set_mode(self, mode: Mode) -> None:
        """Set what is shown; tiles are requested again if they have other contents in this mode."""
        before = self._tile_requests.content
        self.canvas.item.set_mode(mode, self.strength)
        self._use_limits()
        self.modes.show_state(mode, self.strength)
        if before != self._tile_requests.content:
            self.invalidate()
        self.refresh()

    def set_strength(self, strength: float) -> None:
        """Set the opacity of the mask, from 0 to 1."""
        self._last_strength = strength or self._last_strength
        self.canvas.item.set_mode(self.mode, strength)
        self.modes.show_state(self.mode, strength)
        self.refresh()

    def set_limits(self, limits: ContrastLimits) -> None:
        """Set the contrast limits of the tensor; kept until `forget_limits`.

        Does nothing before the first tile: the color bar shows the limits of another tensor.
        """
        if self.canvas.item.fine is None:
            return
        self._limits[self._limits_key] = limits
        self.canvas.item.set_limits(limits)
        self._update_legend()

    def reset_limits(self) -> None:
        """Return to the automatic contrast limits of the tensor."""
        self._limits.pop(self._limits_key, None)
        self._use_limits()
        self._update_legend()

    def forget_limits(self) -> None:
        """Return to the automatic contrast limits of all tensors, for another file."""
        self._limits.clear()
        self.reset_limits()

    @property
    def _limits_key(self) -> tuple[str, bool]:
        return self._name, self.mode is Mode.DIFFERENCE

    def _use_limits(self) -> None:
        """Apply the limits that were chosen for the tensor, after it or the mode changed."""
        self._bar_end = 0.0
        self.canvas.item.set_limits(self._limits.get(self._limits_key))

    def set_color_map(self, color_map: ColorMap) -> None:
        """Set the colors of magnitudes and signed weights."""
        self._color_map = color_map
        self.canvas.item.set_colors(self._colors, color_map)
        self.refresh()

    def set_narrow(self, *, narrow: bool) -> None:
        """Move the mode box next to the tools if `narrow`, else above them."""
        if narrow:
            self.tools.insert_control(self.modes.mode_box)
        else:
            self._controls.insertWidget(1, self.modes.mode_box)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        super().set_colors(colors)
        self.tools.set_colors(self._colors)
        self.modes.set_colors(self._colors)
        self.color_bar.set_colors(self._colors)

    def numbers(self) -> Numbers:
        tile = self.canvas.item.fine
        return NOTHING if tile is None else legend.tile_numbers(tile)

    # -- implementation ---------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Request the tiles that were not requested while hidden."""
        super().showEvent(event)
        self._tile_requests.schedule()

    def _is_current(self, tile: AnyTile, generation: int | None) -> bool:
        return (
            self._layout is not None
            and tile.request.name == self._name
            and tile.layout == self._layout
            and generation in {None, self.generation}
        )

    def _show_tile(self, tile: AnyTile) -> None:
        if self._tile_requests.accept_tile(tile):
            self.set_error("")
            self._busy_indicator.release()
            self._refresh_table()
        self.set_busy(False)
        self.refresh()

    def _show_new_content(self) -> None:
        """Do nothing: the old picture stays until the first tile arrives."""

    def _on_requested(self, request: TileRequest) -> None:
        if self.mode is Mode.DIFFERENCE:
            self.differenceRequested.emit(request)
        else:
            self.tileRequested.emit(request)

    def _on_view_changed(self) -> None:
        self._tile_requests.on_view_moved()
        self._update_legend()

    # -- texts ------------------------------------------------------------------------------------

    def refresh(self) -> None:
        self._update_legend()
        self._update_readout()
        self._update_summary()

    def _update_readout(self) -> None:
        self.readout.setText(self._weight_readout.text())

    def _update_legend(self) -> None:
        item = self.canvas.item
        limits = ContrastLimits(0.0, 1.0) if item.fine is None else item.shown_limits(item.fine)
        self.limits_action.setEnabled(item.fine is not None and item.mode is not Mode.MASK)
        self.reset_action.setEnabled(self._limits_key in self._limits)
        self._update_color_bar(limits)
        entries = legend.swatches(
            item.fine,
            item.mode,
            self._colors,
            self._color_map,
            limits,
            outside=self._drawn.share_outside(limits) if self._limits_key in self._limits else None,
            masked=item.masked,
            to_prune=self._to_prune,
            missing=self._missing,
            sides=self.modes.difference,
        )
        self._set_legend(() if self._layout is None else entries)

    def _update_color_bar(self, limits: ContrastLimits) -> None:
        item, bar = self.canvas.item, self.color_bar
        tile = item.fine
        if tile is None or item.mode is Mode.MASK:
            return
        drawn = self._drawn = self._drawn.of(tile, kept_only=item.masked and item.strength >= 1)
        self._bar_end = max(
            self._bar_end,
            _BAR_END * tile.scale,
            min(drawn.largest, _LAST_BAR_END * tile.scale),
            *(-limits.low, limits.high),
        )
        bounds = (-self._bar_end if limits.signed else 0.0), self._bar_end
        bar.show_scale(
            limits,
            bounds,
            centered=limits.signed and (item.tables.centered or item.mode is Mode.DIFFERENCE),
            ramp=item.tables.bar(item.mode, signed=limits.signed),
            counts=drawn.counts(bounds, signed=limits.signed),
        )

    def _update_summary(self) -> None:
        if self._layout is None:
            self._describe(self.tr("Weights picture"), self.empty_text())
            return
        extent = self._layout.shape
        summary = join_facts(self._name, shape(extent), self._dtype)
        if self._pruned is not None:
            share = part(self._pruned, math.prod(extent))
            summary = join_facts(summary, self.tr("{share} pruned").format(share=share))
        if self._layout.note:
            summary = join_sentences(as_sentence(summary), translate_sentence(self._layout.note))
        self._describe(self.tr("Weights picture"), summary)

    # -- user actions -----------------------------------------------------------------------------

    def toggle_mask(self) -> None:
        """Show or hide the mask over the weights.

        In modes without that overlay, change to magnitudes and show it. It gets its last opacity
        above 0.
        """
        if self.mode not in BLENDED:
            self.set_mode(Mode.MAGNITUDE)
            self.set_strength(self._last_strength)
        else:
            self.set_strength(0.0 if self.strength else self._last_strength)

    def _on_cursor_moved(self, row: int, column: int) -> None:
        assert self._layout is not None
        self._weight_readout.leave()
        self._update_readout()
        self.cursorMoved.emit(self._layout.index(row, column))

    def _on_selection_changed(self, selection: WeightSelection | None) -> None:
        assert self._layout is not None
        self.tools.set_selection_text(
            "" if selection is None else legend.selection_words(selection, self._layout)
        )
        self.tools.set_dim(self.canvas.pointer.dim)

    def _on_brush(self) -> None:
        self.canvas.pointer.brush = self.tools.brush_box.currentData()

    def _on_dim(self, dim: int) -> None:
        self.canvas.pointer.dim = dim

    def operate(self, operation: Operation) -> None:
        """Request an edit of the selection, else of the weight at the cursor."""
        selection = self._selection_or_cursor()
        if selection is not None:
            self._request_edit(operation, selection)

    def _selection_or_cursor(self) -> WeightSelection | None:
        cursor = self.canvas.item.cursor
        if self.selection is None and self._layout is not None and cursor is not None:
            return select_between("rectangle", self._layout, cursor, cursor)
        return self.selection

    def _request_edit(self, operation: Operation, selection: WeightSelection) -> None:
        if self._layout is not None and not self._not_editable_reason:
            boxes = selection.boxes(self._layout)
            self.editRequested.emit(
                ManualEditRequest(operation, self._name, boxes, selection.shape, selection.dim)
            )

    # -- context menu -----------------------------------------------------------------------------

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open a menu to edit weights and to export the picture.

        Opened by mouse, the cursor moves to the weight below it first, unless that is selected.
        """
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        if by_mouse and self._layout is not None:
            cell = self.canvas.weight_at(self.canvas.mapFromGlobal(event.globalPos()))
            if cell is not None:
                self._point_at(cell, self._layout)
        self._open_menu(event.globalPos() if by_mouse else None)

    def _point_at(self, cell: Cell, layout: Layout) -> None:
        """Move the cursor to a weight and clear the selection, unless the weight is selected."""
        row, column = cell
        cell_rect = Rect(row, column, row + 1, column + 1)
        if self.selection is None or not any(
            rect.top <= row < rect.bottom and rect.left <= column < rect.right
            for rect in self.selection.visible_rects(layout, cell_rect)
        ):
            self.canvas.clear_selection()
            self.canvas.set_cursor(row, column)
        self._update_readout()

    def _open_menu(self, at: QPoint | None = None) -> None:
        layout, selection, cursor = (
            self._layout,
            self._selection_or_cursor(),
            self.canvas.item.cursor,
        )
        if layout is None:
            return
        menu = QMenu(self)
        if selection is not None:
            self._add_operations(menu, selection, layout)
            if cursor is not None and layout.rows * layout.columns > 1:
                menu.addSeparator()
                for dim in range(len(layout.shape)):
                    channel = select_between("channel", layout, cursor, cursor, dim)
                    words = legend.channel_words(channel, layout)
                    self._add_operations(menu.addMenu(words), channel, layout)
        menu.addSeparator()
        menu.addActions([*self.actions(), self.limits_action, self.reset_action])
        menu.addSeparator()
        menu.addActions(self.export_menu.actions)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if at is None:
            center = self.canvas.rect().center()
            at = self.canvas.mapToGlobal(
                center if cursor is None else self.canvas.pixel_of(*cursor)
            )
        menu.popup(at)

    def _add_operations(self, menu: QMenu, selection: WeightSelection, layout: Layout) -> None:
        words = legend.selection_words(selection, layout)
        for operation, text in (
            ("prune", self.tr("Prune {what}")),
            ("restore", self.tr("Restore {what}")),
            ("protect", self.tr("Protect {what}")),
            ("release", self.tr("Unprotect {what}")),
        ):
            action = QAction(text.format(what=words), menu)
            action.setData((operation, selection))
            action.setEnabled(not self._not_editable_reason)
            action.triggered.connect(self._on_operation)
            menu.addAction(action)

    def _on_operation(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self._request_edit(*action.data())
