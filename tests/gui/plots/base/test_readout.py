"""The read-out and the legend below every plot."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pruneapp.gui.plots.base.readout import Legend, Swatch

COLORS = ("#ff0000", "#00c000", "#0000ff", "#c0c000")


def painted(legend) -> set[str]:
    image = legend.grab().toImage()
    seen = {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }
    return seen & set(COLORS)


class Picture(QWidget):
    """Records every height that it is given."""

    def __init__(self):
        super().__init__()
        self.heights = []

    def resizeEvent(self, event):  # noqa: N802 - Qt's name
        self.heights.append(event.size().height())


@pytest.fixture
def legend(qtbot):
    """Return a legend below a plot."""
    window, legend = QWidget(), Legend()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    column.addWidget(Picture(), 1)
    column.addWidget(legend)
    window.show()
    legend.set_entries([Swatch("to be pruned", (color,)) for color in COLORS])
    legend.kept = window  # keep a reference, or Python deletes the window
    return legend


def test_a_legend_without_room_for_one_line_has_more_and_none_is_cut(legend, qapp):
    """Regression: on a screen of 1280 x 800 at 150 %, the last swatches were cut off."""
    window, whole, least = legend.window(), legend.sizeHint(), legend.minimumSizeHint().width()
    margins = window.width() - window.layout().contentsRect().width()
    assert least < whole.width() / 3
    for width, lines in ((whole.width(), 1), (whole.width() // 2 + 10, 2), (least, 4)):
        window.resize(width + margins, 300)
        qapp.processEvents()
        assert painted(legend) == set(COLORS)
        assert legend.height() == lines * whole.height()


def test_a_swatch_with_room_for_it_leaves_the_picture_as_large_as_it_was(legend, qapp):
    window = legend.window()
    window.resize(2 * legend.sizeHint().width(), 300)
    qapp.processEvents()
    heights = window.findChild(Picture).heights
    heights.clear()
    legend.set_entries([*legend.entries, Swatch("sampled", ())])
    qapp.processEvents()
    assert painted(legend) == set(COLORS)
    assert legend.width() >= legend.sizeHint().width()
    assert heights == []


def test_a_text_in_the_legend_is_wrapped_and_not_cut(legend, qapp):
    """The conditions of an evaluation were cut after 40 letters, although there was room."""
    words = "builtin_embedding.py, sentences.txt, 200 of 200 sentences, 4,821 tokens, seed 0"
    legend.set_entries([Swatch(words, ())])
    window = legend.window()
    margins = window.width() - window.layout().contentsRect().width()
    one_line = legend.sizeHint()
    for width, lines in ((one_line.width() + 2, 1), (one_line.width() * 2 // 3, 2)):
        window.resize(width + margins, 300)
        qapp.processEvents()  # lays the window out
        (place,) = legend._places(legend.width(), low=False)
        assert place.width() <= legend.width()
        assert place.height() >= lines * legend.fontMetrics().height()
        assert legend.height() >= place.height()
    assert legend.minimumSizeHint().width() < one_line.width() / 2
