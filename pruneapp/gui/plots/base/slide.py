"""Pictures of plots for slides: of a chosen size, with a title, as PNG, SVG or PDF."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import (
    QBuffer,
    QIODevice,
    QMarginsF,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    QSizeF,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtWidgets import QCheckBox, QFormLayout, QPushButton, QWidget

from pruneapp.gui.plots.base.export_menu import Encode, png, svg
from pruneapp.gui.plots.base.plot_view import PlotView
from pruneapp.gui.plots.base.readout import Legend
from pruneapp.gui.widgets.controls import LineEdit, SpinBox, choice_box, lay_in_column, lay_in_row
from pruneapp.gui.widgets.labels import letter_width, plain
from pruneapp.gui.widgets.reports import add_button_row
from pruneapp.gui.widgets.safe_paint import saved_painter_state
from pruneapp.gui.widgets.screen import Dialog
from pruneapp.gui.widgets.theme import LIGHT, LIGHT_THEME

# Height of the drawing in units of the screen, in which texts have their usual size.
_UNITS = 540
_MARGIN = 20
_GAP = 8
_SIZES = ((1920, 1080), (1600, 1200), (1280, 720), (1200, 800))
_SUFFIXES = "png", "svg", "pdf"
_SMALLEST, _LARGEST = 320, 8192  # width and height in pixels


@dataclass(frozen=True)
class Slide:
    """What the user chose for a picture."""

    title: str
    subtitle: str
    size: QSize  # in pixels; in points of a PDF
    suffix: str  # "png", "svg" or "pdf"
    labels: bool = True  # whether points have labels, if the plot has any


def encode_slide(view: PlotView, slide: Slide) -> Encode:
    """Draw a plot at once, on this thread; return a function that encodes it, on any thread.

    It is drawn on white, whatever the theme of the window. `view` looks the same afterwards.
    """
    scale = slide.size.height() / _UNITS
    units = QSize(round(slide.size.width() / scale), _UNITS)

    def paint(painter: QPainter) -> None:
        painter.scale(scale, scale)
        _paint(view, slide, units, painter)

    with view.prepared_for_slide(labels=slide.labels):
        if slide.suffix == "svg":
            return svg(paint, slide.size, slide.title)
        if slide.suffix == "pdf":
            return _pdf(paint, slide)
        image = QImage(slide.size, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        paint(painter)
        painter.end()
        return lambda: png(image)


def _pdf(paint: Callable[[QPainter], None], slide: Slide) -> Encode:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(slide.title)
    writer.setCreator("Pruneapp")
    exact = QPageSize.SizeMatchPolicy.ExactMatch  # by default similar paper sizes are used
    writer.setPageSize(QPageSize(QSizeF(slide.size), QPageSize.Unit.Point, "", exact))
    writer.setPageMargins(QMarginsF())
    writer.setResolution(72)  # a unit is a point
    painter = QPainter(writer)
    paint(painter)
    painter.end()
    data = bytes(buffer.data().data())
    return lambda: data


def _paint(view: PlotView, slide: Slide, size: QSize, painter: QPainter) -> None:
    """Paint title, subtitle, plot and legend from top to bottom."""
    area = QRect(0, 0, size.width(), size.height())
    painter.fillRect(area, QColor(LIGHT["surface"]))
    inside = area.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    top = inside.top()
    lines = (slide.title, 1.7, "text", True), (slide.subtitle, 1.1, "muted", False)
    for text, points, color, is_bold in lines:
        if not text:
            continue
        font = QFont(view.font())
        font.setPixelSize(round(points * _pixels(view.font())))
        font.setBold(is_bold)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        painter.setPen(QColor(LIGHT[color]))
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, inside.width())
        row = QRectF(inside.left(), top, inside.width(), metrics.height())
        painter.drawText(row, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        top += round(metrics.height()) + 2
    top += _GAP
    legend = Legend()
    legend.setFont(view.font())
    legend.setPalette(LIGHT_THEME.palette())
    legend.set_entries(view.legend.entries)
    high = legend.heightForWidth(inside.width()) if legend.entries and view.has_legend else 0
    plot = QRect(inside.left(), top, inside.width(), inside.bottom() - top - high - _GAP)
    with saved_painter_state(painter):
        painter.translate(plot.topLeft())
        view.paint_plot(painter, plot.size())
    if high:
        legend.resize(inside.width(), high)
        with saved_painter_state(painter):
            painter.translate(inside.left(), inside.bottom() - high)
            legend.paint_entries(painter)
    legend.deleteLater()


def _pixels(font: QFont) -> float:
    return QFontMetricsF(font).height() * 0.8


class SlideDialog(Dialog):
    """Asks for title, size and format of a picture; `accepted` if it is to be saved.

    `labels` is whether the plot has labels that can be left out.
    """

    def __init__(
        self, title: str, subtitle: str, parent: QWidget | None = None, *, labels: bool = False
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Picture for slides"))
        self.title_line, self.subtitle_line = LineEdit(), LineEdit()
        for line, text in ((self.title_line, title), (self.subtitle_line, subtitle)):
            line.setText(text)
            line.setMinimumWidth(letter_width(self) * 44)
            line.setCursorPosition(0)
        self.sizes = choice_box(
            self.tr("Size"),
            self.tr("Size of the picture in pixels, of a PDF in points"),
            [*(self._size_text(*each) for each in _SIZES), (self.tr("Other"), None)],
        )
        self.width_box, self.height_box = SpinBox(), SpinBox()
        for box, name in (
            (self.width_box, self.tr("Width in pixels")),
            (self.height_box, self.tr("Height in pixels")),
        ):
            box.setRange(_SMALLEST, _LARGEST)
            box.setAccessibleName(name)
            box.valueChanged.connect(self._on_other_size)
        self.formats = choice_box(
            self.tr("Format"),
            self.tr("PNG is pixels; SVG and PDF are drawings that stay sharp at every size"),
            [(kind.upper(), kind) for kind in _SUFFIXES],
        )
        self.labels = QCheckBox(self.tr("Labels of the points"), self)
        self.labels.setChecked(True)
        self.labels.setVisible(labels)
        self.go = QPushButton(self.tr("Save picture…"), self)
        self.go.setDefault(True)
        self.leave = QPushButton(self.tr("Cancel"), self)
        rows = QWidget(self)
        form = QFormLayout(rows)
        form.setContentsMargins(0, 0, 0, 0)
        form.addRow(self.tr("&Title"), self.title_line)
        form.addRow(self.tr("&Subtitle"), self.subtitle_line)
        form.addRow(self.tr("Si&ze"), self.sizes)
        sides = QWidget(self)
        lay_in_row(sides, self.width_box, plain("×"), self.height_box, None)
        form.addRow("", sides)
        form.addRow(self.tr("&Format"), self.formats)
        form.addRow("", self.labels)
        layout = lay_in_column(self, rows, spacing=12, margins=(16,) * 4)
        layout.addStretch(1)
        add_button_row(layout, self.go, self.leave)
        self.sizes.activated.connect(self._on_size)
        self.go.clicked.connect(self.accept)
        self.leave.clicked.connect(self.reject)
        self._on_size()

    @property
    def slide(self) -> Slide:
        """What the user has chosen."""
        return Slide(
            self.title_line.text().strip(),
            self.subtitle_line.text().strip(),
            QSize(self.width_box.value(), self.height_box.value()),
            str(self.formats.currentData()),
            self.labels.isChecked(),
        )

    def _size_text(self, width: int, height: int) -> tuple[str, tuple[int, int]]:
        ratio = "16:9" if 9 * width == 16 * height else "4:3" if 3 * width == 4 * height else "3:2"
        return self.tr("{width} × {height} ({ratio})").format(
            width=width, height=height, ratio=ratio
        ), (width, height)

    def _on_size(self) -> None:
        if (size := self.sizes.currentData()) is not None:
            for box, value in zip((self.width_box, self.height_box), size, strict=True):
                with QSignalBlocker(box):
                    box.setValue(value)

    def _on_other_size(self) -> None:
        self.sizes.setCurrentIndex(len(_SIZES))
