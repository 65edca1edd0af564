"""The line of numbers of a tensor."""

from __future__ import annotations

from dataclasses import replace

from pruneapp import resources
from pruneapp.analysis.statistics import TensorStats
from pruneapp.gui.plots.heading import NumbersLine
from pruneapp.gui.plots.pages import Page

GAP = "\u00a0"


def test_numbers_without_room_go_whole(show):
    """Part of a number would be another number; the tooltip has all."""
    line = show(NumbersLine(), 900, 30)
    line.set_stats(TensorStats("a", 100, 40, -1.25, 1.25, 0.125, 0.5, 3, 0, 0))
    entries = line.text().split("   ")
    assert len(entries) == 5
    assert line.toolTip().endswith(f"NaN{GAP}0")
    seen = set()
    for width in range(900, 0, -7):
        line.resize(width, 30)
        shown = line.text().split("   ") if line.text() else []
        missing = bool(shown) and shown[-1] == "…"
        assert missing == (0 < len(shown) - missing < len(entries)), "it is said what is left out"
        words = [s.split(GAP)[0] for s in shown[: len(shown) - missing]]
        assert words == [w for w in ("min", "max", "mean", "std", "zeros") if w in words]
        assert "zeros" in words or not {"mean", "std"} & set(words), "zeros go last"
        assert line.fontMetrics().horizontalAdvance(line.text()) <= max(width - 2, 0)
        seen.add(len(words))
        assert all(entry in line.toolTip() for entry in entries)
    assert seen == set(range(6)) - {1}, "one number alone says little"


def test_the_same_entries_are_shown_of_every_tensor_without_nan(show):
    """Regression: for some tensors "NaN 0" was shown, or the deviation was missing."""
    line = show(NumbersLine(), 900, 30)
    room = "min −0.61   max 0.51   mean 0.00012   std 0.051   zeros 0.1 %"
    line.resize(line.fontMetrics().horizontalAdvance(room) + 4, 30)
    stats = TensorStats("b", 36_864, 40, -0.61234, 0.51234, 0.00012345, 0.051234, 30, 0, 0)
    line.set_stats(stats)
    words = [entry.split(GAP)[0] for entry in line.text().split("   ")]
    assert words == ["min", "max", "mean", "std", "zeros"]
    line.set_stats(replace(stats, nan=2))
    assert line.text().startswith(f"NaN{GAP}2")


def test_the_numbers_are_those_of_the_current_state(user):
    """Regression: they were those of the file, with no zeros, after weights were pruned."""
    user.open_file(resources.path("sample/lenet-digits.safetensors"))
    numbers = user.views.pages.numbers
    user.wait(lambda: numbers.toolTip().partition("zeros")[2].startswith(f"{GAP}0"))
    user.prune()
    user.wait(lambda: numbers.toolTip().partition("zeros")[2].startswith(f"{GAP}29{GAP}"))
    user.key("Ctrl+Z")
    user.wait(lambda: numbers.toolTip().partition("zeros")[2].startswith(f"{GAP}0"))


def test_the_numbers_are_whole_below_a_long_readout(user):
    """Regression: they were elided, or missing, where they shared a line with the readout."""
    user.open_file(resources.path("sample/lenet-digits.safetensors"))
    pages, numbers = user.views.pages, user.views.pages.numbers
    user.window.resize(1440, 900)
    user.wait(numbers.text)
    for page in (Page.WEIGHTS, Page.DISTRIBUTION, Page.CHANNELS):
        pages.tabs.setCurrentIndex(page)
        user.pause(30)
        picture = pages.picture(page)
        before = picture.foot.height(), picture.drawing.height()
        for text in ("short", "a long description of a weight " * 3):
            picture.readout.setText(text)
            user.pause(30)
            words = numbers.text().replace(GAP, " ")
            assert [each.split()[0] for each in words.split("   ")][-2:] == ["std", "zeros"], page
            assert picture.readout.width() == picture.foot.width(), page
            assert (picture.foot.height(), picture.drawing.height()) == before, "nothing moves"
