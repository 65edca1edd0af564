"""A tensor's mask over its weights, from all of it down to the single value, and hand work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from pruneapp.gui.plots.heatmap import legend
from pruneapp.gui.plots.heatmap.canvas import ZOOM_STEP
from pruneapp.gui.plots.heatmap.drawing_tools import Drawn
from pruneapp.gui.plots.heatmap.selection_canvas_gestures import Gestures
from pruneapp.gui.plots.heatmap.shading import BLENDED, Mode
from pruneapp.gui.plots.heatmap.toolbar import ToolRow
from pruneapp.gui.plots.heatmap.toolbar_axes_row import Axes, AxesRow
from pruneapp.gui.plots.heatmap.toolbar_mode_row import ModeRow
from pruneapp.gui.plots.heatmap.view import TiledPicture
from pruneapp.results.document_rows import Operation
from pruneapp.results.tile import Layout


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
