"""The plots side by side as pages, below the heading of the tensor that they show."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import (
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QWidget,
)

from pruneapp.gui.plots.base.plot_view import LOW_GAP, SMALLEST, PlotView, WrappingRow
from pruneapp.gui.plots.channels import ChannelsView
from pruneapp.gui.plots.distribution import DistributionView
from pruneapp.gui.plots.heading import NumbersLine, TensorHeading
from pruneapp.gui.plots.heatmap.view import WeightsView
from pruneapp.gui.plots.quality import QualityView
from pruneapp.gui.plots.sensitivity import SensitivityView
from pruneapp.gui.plots.sparsity_overview import ModelView
from pruneapp.gui.widgets.controls import lay_in_column
from pruneapp.gui.widgets.theme import with_defaults
from pruneapp.results.document_rows import TensorRow
from pruneapp.results.short_names import ShortNames


class Page(IntEnum):
    """The pages, in order."""

    WEIGHTS = 0
    DISTRIBUTION = 1
    CHANNELS = 2
    MODEL = 3
    COMPARE = 4
    QUALITY = 5
    SENSITIVITY = 6


_GAP = 8
# Pixels less beside the title of a tab, which `Style` lets its words have; where it is narrow.
_LESS, _LESS_IF_NARROW = 10, 16
# Pages of one tensor, whose numbers are beside what is read out.
_OF_THE_TENSOR = frozenset({Page.WEIGHTS, Page.DISTRIBUTION, Page.CHANNELS})


class _Tabs(QTabBar):
    """Tabs that stand in one row with the controls in a small window."""

    less = _LESS  # of the class: Qt asks for it before there is an object

    def tabSizeHint(self, index: int) -> QSize:
        return super().tabSizeHint(index) - QSize(self.less, 0)

    def set_narrow(self, *, narrow: bool) -> None:
        self.less = _LESS_IF_NARROW if narrow else _LESS
        self.setTabText(0, self.tabText(0))  # lays them out anew

    def usual_width(self) -> int:
        """Return the width that they have where there is room."""
        return self.sizeHint().width() + (self.less - _LESS) * self.count()


class PlotPages(QWidget):
    """Heading, tabs, and the picture of the chosen page, with the numbers of the tensor."""

    pageChanged = Signal(int)  # the person chose another page; only this one needs answers

    def __init__(self, compare: PlotView) -> None:
        super().__init__()
        self.heading = TensorHeading()
        self.numbers = NumbersLine()
        self.weights = WeightsView()
        self.distribution = DistributionView()
        self.channels = ChannelsView()
        self.model = ModelView()
        self.quality = QualityView()
        self.sensitivity = SensitivityView()
        self.pictures: dict[Page, PlotView] = {
            Page.WEIGHTS: self.weights,
            Page.DISTRIBUTION: self.distribution,
            Page.CHANNELS: self.channels,
            Page.MODEL: self.model,
            Page.COMPARE: compare,
            Page.QUALITY: self.quality,
            Page.SENSITIVITY: self.sensitivity,
        }
        self._tab_colors = QColor(), QColor()
        self._narrow = False
        self.tabs = _Tabs()
        self.tabs.setDrawBase(False)
        self.tabs.setUsesScrollButtons(True)
        self.tabs.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.tabs.setAccessibleName(self.tr("Pictures"))
        self._stack = QStackedWidget()
        self._controls = QStackedWidget()
        self._controls.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        titles = (
            self.tr("Weights"),
            self.tr("Distribution"),
            self.tr("Channels"),
            self.tr("Model"),
            self.tr("Compare"),
            self.tr("Quality"),
            self.tr("Sensitivity"),
        )
        for (page, picture), title in zip(self.pictures.items(), titles, strict=True):
            self.tabs.setTabToolTip(self.tabs.addTab(title), f"{title} ({page + 1})")
            self._stack.addWidget(picture)
            self._controls.addWidget(picture.controls)

        self._above = WrappingRow(self.tabs, self._controls)
        parts = self.heading, self._above, self._stack
        self._column = lay_in_column(self, *parts, spacing=_GAP, wide=self._stack)

        self.tabs.currentChanged.connect(self._on_tab_changed)
        self._show(self.page)

    @property
    def page(self) -> Page:
        """Which page is shown."""
        return Page(self.tabs.currentIndex())

    def picture(self, page: int | None = None) -> PlotView:
        """Return the picture of a page, of the shown one if none is named."""
        return self.pictures[self.page if page is None else Page(page)]

    def set_low(self, *, low: bool) -> None:
        """Leave less space between the rows, where the window has little for the picture."""
        self._column.setSpacing(LOW_GAP if low else _GAP)
        for picture in self.pictures.values():
            picture.set_low(low=low)

    def set_names(self, names: ShortNames) -> None:
        """Take the shorter forms of the names of the file."""
        self.heading.name.set_names(names)
        for picture in self.pictures.values():
            picture.set_names(names)

    def set_tensor(self, row: TensorRow | None, pruned: int = 0) -> None:
        """Begin with another tensor, of which so many weights are pruned; None for no tensor.

        The pictures of the tensor become empty until they are told what to show.
        """
        self.heading.set_tensor(row, pruned)
        name = "" if row is None else row.name
        self.model.set_current(name)
        self.sensitivity.set_current(name)
        self.numbers.set_pruned(pruned=bool(pruned))
        if row is not None:
            self.picture().freeze()
        self.numbers.set_stats(None)
        self.weights.set_layout(None)
        self.weights.set_pruned(None if row is None else pruned)
        self.distribution.set_histogram(None)
        self.channels.set_norms(None)
        self.channels.set_dims(())
        for picture in (self.weights, self.distribution, self.channels):
            picture.set_error("")
        self.distribution.set_busy(row is not None)
        self.channels.set_busy(row is not None and len(row.shape) > 1)

    def set_empty_text(self, text: str) -> None:
        """Say this on pages that have nothing to show; empty for what they say themselves."""
        for picture in self.pictures.values():
            picture.set_empty_text(text)

    def set_pruned(self, pruned: int) -> None:
        """Take how many weights of the tensor are pruned by now."""
        self.heading.set_pruned(pruned)
        self.numbers.set_pruned(pruned=bool(pruned))
        self.weights.set_pruned(pruned)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the colours of a theme by token, and paint all anew."""
        for picture in self.pictures.values():
            picture.set_colors(colors)
        tokens = with_defaults(colors)
        self._tab_colors = QColor(tokens["text"]), QColor(tokens["muted"])
        self._show(self.page)

    def _show(self, page: int) -> None:
        # Else Qt would hand the focus on to whatever comes first on the page.
        goes_along = _has_focus(self._stack) or _has_focus(self._controls)
        self._stack.setCurrentIndex(page)
        self._controls.setCurrentIndex(page)
        if goes_along:
            self.picture(page).focus()
        if page in _OF_THE_TENSOR:
            self.picture(page).foot.set_beside(self.numbers)
        self._make_room()
        # In the dark the style hardly raises the chosen tab above the others.
        for number in range(self.tabs.count()):
            self.tabs.setTabTextColor(number, self._tab_colors[number != page])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the picture its room."""
        super().resizeEvent(event)
        self._make_room()

    def event(self, event: QEvent) -> bool:
        """Look at the room again when something in it wants another size."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._make_room()
        return super().event(event)

    def _make_room(self) -> None:
        """Where the window is narrow or low, the picture comes before what is around it."""
        self._narrow_controls()
        picture, gap = self.picture(), self._column.spacing()
        above = self.heading.heightForWidth(self.width()) + gap
        above += self._above.heightForWidth(self.width()) + gap
        width = self.width()
        rest = self.height() - above - picture.needed(width) - picture.legend_height(width)
        half = max(0, self.window().height() // 2 - SMALLEST)
        picture.set_legend_below(below=rest >= half)

    def _narrow_controls(self) -> None:
        needed = self.tabs.usual_width() + _GAP + self._controls.minimumSizeHint().width()
        if self._narrow:
            needed += self.weights.modes.mode_box.sizeHint().width() + _GAP
        narrow = needed > self.width()
        if narrow != self._narrow:
            self._narrow = narrow
            self.tabs.set_narrow(narrow=narrow)
            for picture in self.pictures.values():
                picture.set_narrow(narrow=narrow)

    def _on_tab_changed(self, page: int) -> None:
        self._show(page)
        self.pageChanged.emit(page)


def _has_focus(widget: QWidget) -> bool:
    focused = widget.window().focusWidget()
    return focused is not None and widget.isAncestorOf(focused)
