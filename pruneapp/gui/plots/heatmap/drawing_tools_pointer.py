"""What the mouse and the keys draw: a tool, where it began, and what is drawn by now."""

from __future__ import annotations

from typing import Literal

from pruneapp.gui.plots.heatmap.drawing_tools import Drawn, Place, Stroke, between
from pruneapp.results.document_rows import Shape
from pruneapp.results.tile import Layout

Tool = Literal["look"] | Shape
BRUSHES = (1, 3, 5, 9)


class Pointer:
    """Draws on a layout; knows nothing of pixels.

    Attributes
    ----------
    tool
        What a drag does: ``look`` moves the picture, the others draw.
    brush
        Side of the brush in weights.
    dim
        The dimension whose channels are drawn.
    drawn
        What is drawn; None for nothing.
    """

    def __init__(self) -> None:
        self.tool: Tool = "look"
        self.brush = BRUSHES[0]
        self.dim = 0
        self.drawn: Drawn | None = None
        self._layout: Layout | None = None
        self._start: Place | None = None
        self._before: Drawn | None = None
        self._kept: Drawn | None = None
        self._stroke: Stroke | None = None
        self._shape: Shape = "rectangle"

    @property
    def is_drawing(self) -> bool:
        """Whether a drag has begun and not ended."""
        return self._start is not None

    def set_layout(self, layout: Layout | None) -> None:
        """Begin with another tensor, on which nothing is drawn."""
        self._layout = layout
        self.dim = 0
        self.drop()

    def drop(self) -> None:
        """Take back all that is drawn."""
        self.drawn = self._start = self._before = self._kept = self._stroke = None

    def press(self, place: Place, shape: Shape, *, joining: bool) -> None:
        """Begin to draw at a weight.

        Parameters
        ----------
        shape
            What, whatever the tool.
        joining
            Whether what is drawn already stays.
        """
        assert self._layout is not None
        self._start, self._shape = place, shape
        self._before = self.drawn
        self._kept = self.drawn if joining else None
        self._stroke = None
        if shape == "brush":
            self._stroke = Stroke(self._layout, self.brush, self._kept)
        self.move(place)

    def move(self, place: Place) -> None:
        """Draw on to a weight."""
        if self._start is None or self._layout is None:
            return
        if self._stroke is not None:
            self.drawn = self._stroke.to(place)
            return
        drawn = self._between(self._start, place)
        self.drawn = drawn if self._kept is None else self._kept.joined(drawn)

    def release(self) -> None:
        """Leave what is drawn."""
        if self._stroke is not None:
            self.drawn = self._stroke.end()
        self._start = self._before = self._kept = self._stroke = None

    def cancel(self) -> None:
        """Take back what was drawn since the press."""
        self.drawn = self._before
        self._start = self._before = self._kept = self._stroke = None

    def extend(self, anchor: Place, cursor: Place) -> None:
        """Draw from one weight to another, as keys do: whole rows stay whole rows."""
        if self.drawn is not None and self.drawn.shape in {"row", "column", "channel"}:
            self._shape = self.drawn.shape
        else:
            self._shape = "rectangle"
        self.drawn = self._between(anchor, cursor)

    def take(self, shape: Shape, place: Place) -> None:
        """Draw the row, column or channel of a weight."""
        self._shape = shape
        self.drawn = self._between(place, place)

    def _between(self, start: Place, stop: Place) -> Drawn:
        assert self._layout is not None
        return between(self._shape, self._layout, start, stop, self.dim)
