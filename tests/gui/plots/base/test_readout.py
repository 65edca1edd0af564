"""What every plot says below its picture."""

from __future__ import annotations

from pruneapp.gui.plots.base.readout import Legend, Swatch

COLORS = ("#ff0000", "#00c000", "#0000ff", "#c0c000")


def painted(legend) -> set[str]:
    image = legend.grab().toImage()
    seen = {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }
    return seen & set(COLORS)


def test_a_legend_without_room_for_one_line_has_more_and_none_is_cut(qtbot):
    """Found: on a screen of 1280 x 800 at 150 % the last swatches were cut."""
    legend = Legend()
    qtbot.addWidget(legend)
    legend.set_entries([Swatch("to be pruned", (color,)) for color in COLORS])
    whole = legend.sizeHint()
    legend.resize(whole)
    assert legend.sizeHint() == whole
    assert painted(legend) == set(COLORS)
    one, least = whole.height(), legend.minimumSizeHint().width()
    assert least < whole.width() / 3
    for width, lines in ((whole.width() // 2 + 10, 2), (least, 4)):
        legend.resize(width, one)
        legend.grab()  # sent its resize event
        assert legend.sizeHint().height() == lines * one
        legend.resize(width, lines * one)
        assert painted(legend) == set(COLORS)
    legend.set_entries([])
    assert legend.sizeHint().height() == one
