"""The plots as pages with tabs, below the heading of the focused tensor."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

import numpy as np
from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QStackedWidget, QStyle, QTabBar, QWidget

from pruneapp.checkpoint.entry import TensorRow
from pruneapp.gui.plots.base.plot_view import LOW_GAP, MIN_PLOT_HEIGHT, PlotView, WrappingRow
from pruneapp.gui.plots.channels import ChannelsView
from pruneapp.gui.plots.distribution import DistributionView
from pruneapp.gui.plots.graph.connections_row import ConnectionsRow
from pruneapp.gui.plots.graph.graph_view import GraphView
from pruneapp.gui.plots.heading import NumbersLine, TensorHeading
from pruneapp.gui.plots.heatmap.view import WeightsView
from pruneapp.gui.plots.quality import QualityView
from pruneapp.gui.plots.sensitivity import SensitivityView
from pruneapp.gui.plots.sparsity_overview import ModelView
from pruneapp.gui.widgets.controls import lay_in_column
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.gui.widgets.theme import with_defaults


class Page(IntEnum):
    """The pages, in the order of their tabs."""

    WEIGHTS = 0
    DISTRIBUTION = 1
    CHANNELS = 2
    MODEL = 3
    COMPARE = 4
    QUALITY = 5
    SENSITIVITY = 6
    GRAPH = 7  # only offered for files that contain a graph


_GAP = 8
# Pixels by which `Style` makes a tab narrower than Qt's default; the second if space is short.
_TAB_REDUCTION, _NARROW_TAB_REDUCTION = 10, 16
# Smallest font of the tabs, as a share of the usual one: next to both docks, and at all.
_SMALL_FONT, _SMALLEST_FONT = 0.8, 0.65
# Pages of a single tensor; they show its statistics next to the readout.
_TENSOR_PAGES = frozenset({Page.WEIGHTS, Page.DISTRIBUTION, Page.CHANNELS})


class _Tabs(QTabBar):
    """Tabs that share a row with the controls of the page."""

    reduction = _TAB_REDUCTION  # a class attribute because Qt reads it in QTabBar.__init__
    _own_size = 0.0  # size of its font; 0 if it is that of the application

    def tabSizeHint(self, index: int) -> QSize:
        return super().tabSizeHint(index) - QSize(self.reduction, 0)

    def set_narrow(self, *, narrow: bool) -> None:
        self.reduction = _NARROW_TAB_REDUCTION if narrow else _TAB_REDUCTION
        self.setTabText(0, self.tabText(0))  # triggers a new layout

    def usual_width(self) -> int:
        """Return the width of the tabs when space is not short."""
        return self._width_at(1.0, _TAB_REDUCTION)

    def small_width(self) -> int:
        """Return the minimum width of the tabs next to both docks."""
        return self._width_at(_SMALL_FONT, _NARROW_TAB_REDUCTION)

    def fit(self, width: int, beside: int) -> None:
        """Reduce the font as far as needed to show all tabs in a width, to `_SMALLEST_FONT`.

        Controls that need `beside` pixels remain in the same row if `_SMALL_FONT` is enough.
        """
        if self._width_at(_SMALL_FONT, self.reduction) <= width - beside:
            width -= beside
        scales = np.arange(1.0, _SMALLEST_FONT, -0.05).tolist()
        fitting = (scale for scale in scales if self._width_at(scale, self.reduction) <= width)
        scale = next(fitting, _SMALLEST_FONT)
        size = self._font_at(scale).pointSizeF() if scale < 1 else 0.0
        if size != self._own_size:
            self._own_size = size
            # An empty font follows that of the application.
            self.setFont(self._font_at(scale) if size else QFont())

    def _font_at(self, scale: float) -> QFont:
        font = QApplication.font(self)
        font.setPointSizeF(font.pointSizeF() * scale)
        return font

    def _width_at(self, scale: float, reduction: int) -> int:
        advance = QFontMetrics(self._font_at(scale)).horizontalAdvance
        # Also of the hidden tab Graph, so that nothing moves when it appears.
        texts = [self.tabText(n) for n in range(self.count())]
        # Fusion adds a pixel to each text.
        padding = self.style().pixelMetric(QStyle.PixelMetric.PM_TabBarTabHSpace, None, self) + 1
        return sum(map(advance, texts)) + len(texts) * (padding - reduction)


class PlotPages(QWidget):
    """Heading, tabs, the plot of the chosen page, and the connections of the tensor."""

    pageChanged = Signal(int)  # the user chose this page; only its plot needs results

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
        self.graph = GraphView()
        pictures: tuple[tuple[str, PlotView], ...] = (  # in the order of `Page`
            (self.tr("Weights"), self.weights),
            (self.tr("Distribution"), self.distribution),
            (self.tr("Channels"), self.channels),
            (self.tr("Model"), self.model),
            (self.tr("Compare"), compare),
            (self.tr("Quality"), self.quality),
            (self.tr("Sensitivity"), self.sensitivity),
            (self.tr("Graph"), self.graph),
        )
        self.pictures: dict[Page, PlotView] = {}
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
        for page, (title, picture) in zip(Page, pictures, strict=True):
            self.pictures[page] = picture
            self.tabs.setTabToolTip(self.tabs.addTab(title), f"{title} ({page + 1})")
            self._stack.addWidget(picture)
            self._controls.addWidget(picture.controls)

        self._above = WrappingRow(self.tabs, self._controls)
        self.connections = ConnectionsRow()
        parts = self.heading, self._above, self._stack, self.connections
        self._column = lay_in_column(self, *parts, spacing=_GAP, wide=self._stack)

        self.set_graph_offered(offered=False)
        self.tabs.currentChanged.connect(self._on_tab_changed)
        self._show_page(self.page)

    @property
    def page(self) -> Page:
        return Page(self.tabs.currentIndex())

    def picture(self, page: int | None = None) -> PlotView:
        return self.pictures[self.page if page is None else Page(page)]

    def sizeHint(self) -> QSize:
        """Return the width at which all tabs are visible."""
        return QSize(self.tabs.small_width(), super().sizeHint().height())

    def set_low(self, *, low: bool) -> None:
        """Use less spacing between the rows while the window is low."""
        self._column.setSpacing(LOW_GAP if low else _GAP)
        for picture in self.pictures.values():
            picture.set_low(low=low)

    def set_graph_offered(self, *, offered: bool) -> None:
        """Show or hide the tab of the graph; the page Weights replaces a hidden one."""
        if not offered and self.page is Page.GRAPH:
            self.tabs.setCurrentIndex(Page.WEIGHTS)
        self.tabs.setTabVisible(Page.GRAPH, offered)
        self.tabs.updateGeometry()  # QTabBar does not request a layout for a visible tab
        self._adapt_to_space()

    def set_names(self, names: ShortNames) -> None:
        """Set the shortened names of the tensors of the file."""
        self.heading.name.set_names(names)
        for picture in self.pictures.values():
            picture.set_names(names)

    def set_tensor(self, row: TensorRow | None, pruned: int = 0) -> None:
        """Start to show another tensor of which `pruned` weights are pruned; None for no tensor.

        The plots of the tensor are cleared and busy until they get new data; the old picture may
        remain for a moment. Errors are removed. Emits no signal.
        """
        self.heading.set_tensor(row, pruned)
        name = "" if row is None else row.name
        self.model.set_current(name)
        self.sensitivity.set_current(name)
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
        """Set the message for pages without content; "" restores their defaults."""
        for picture in self.pictures.values():
            picture.set_empty_text(text)

    def set_pruned(self, pruned: int) -> None:
        """Update the number of pruned weights of the tensor."""
        self.heading.set_pruned(pruned)
        self.weights.set_pruned(pruned)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of a theme (color by token) to the tabs; the pictures have their own."""
        tokens = with_defaults(colors)
        self._tab_colors = QColor(tokens["text"]), QColor(tokens["muted"])
        self._show_page(self.page)

    def _show_page(self, page: int) -> None:
        # Otherwise Qt moves the focus to the first widget of the page.
        had_focus = _has_focus(self._stack) or _has_focus(self._controls)
        self._stack.setCurrentIndex(page)
        self._controls.setCurrentIndex(page)
        if had_focus:
            self.picture(page).focus()
        if page in _TENSOR_PAGES:
            self.picture(page).foot.set_second_widget(self.numbers)
        self.connections.setVisible(page in _TENSOR_PAGES)
        self._adapt_to_space()
        # In the dark theme the style hardly distinguishes the selected tab.
        for number in range(self.tabs.count()):
            self.tabs.setTabTextColor(number, self._tab_colors[number != page])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._adapt_to_space()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._adapt_to_space()
        return super().event(event)

    def _adapt_to_space(self) -> None:
        """Adapt the controls to the width, and the place of the legend to the height."""
        self._narrow_controls()
        picture, gap = self.picture(), self._column.spacing()
        above = self.heading.heightForWidth(self.width()) + gap
        above += self._above.heightForWidth(self.width()) + gap
        if not self.connections.isHidden():
            above += self.connections.height() + gap
        width = self.width()
        rest = self.height() - above - picture.useful_height(width) - picture.legend_height(width)
        half = max(0, self.window().height() // 2 - MIN_PLOT_HEIGHT)
        picture.set_legend_below(below=rest >= half)

    def _narrow_controls(self) -> None:
        beside = _GAP + self._controls.minimumSizeHint().width()
        needed = self.tabs.usual_width() + beside
        if self._narrow:
            needed += self.weights.modes.mode_box.sizeHint().width() + _GAP
        narrow = needed > self.width()
        if narrow != self._narrow:
            self._narrow = narrow
            self.tabs.set_narrow(narrow=narrow)
            for picture in self.pictures.values():
                picture.set_narrow(narrow=narrow)
        # Measured again, because narrow controls are smaller.
        self.tabs.fit(self.width(), _GAP + self._controls.minimumSizeHint().width())

    def _on_tab_changed(self, page: int) -> None:
        self._show_page(page)
        self.pageChanged.emit(page)


def _has_focus(widget: QWidget) -> bool:
    focused = widget.window().focusWidget()
    return focused is not None and widget.isAncestorOf(focused)
