"""Menu to copy a plot, to save it as PNG, SVG or CSV, and to make a picture for slides.

Widgets are grabbed immediately, on the main thread. Encoding takes long: `png` and the function
that `svg` returns may run on any thread.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QObject, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from pruneapp.errors import ExportError
from pruneapp.gui.plots.base.readout import MenuButton


class ExportMenu(QObject):
    """The actions of the export menu and the button that opens it.

    Parameters
    ----------
    copy
        Called to copy the plot to the clipboard.
    save
        For each file suffix ("png", "svg", "csv") the function that writes the plot to a path.
    ask_slide
        Called to ask for a picture for slides.

    The attribute `stem` is the proposed file name without its suffix; `folder` returns the folder
    in which the file dialog starts.
    """

    def __init__(
        self,
        parent: QWidget,
        copy: Callable[[], None],
        save: Mapping[str, Callable[[Path], None]],
        ask_slide: Callable[[], None],
    ) -> None:
        super().__init__(parent)
        self._parent, self._save = parent, save
        self.stem = "picture"
        self.folder: Callable[[], Path] = Path.home
        self.copy = QAction(self.tr("Copy picture"), self)
        self.copy.triggered.connect(copy)
        self.png = self._save_action("png", self.tr("Save PNG…"))
        self.svg = self._save_action("svg", self.tr("Save SVG…"))
        self.csv = self._save_action("csv", self.tr("Save CSV…"))
        self.slide = QAction(self.tr("Picture for slides…"), self)
        self.slide.triggered.connect(ask_slide)
        self.button = MenuButton()
        menu = QMenu(self.button)
        menu.addActions(self.actions)
        self.button.setMenu(menu)

    @property
    def actions(self) -> list[QAction]:
        """All actions, in menu order."""
        return [self.copy, self.png, self.svg, self.csv, self.slide]

    def open_at(self, position: QPoint) -> None:
        """Open a context menu at a global `position`: the parent's actions, then these.

        Returns at once; the menu deletes itself when it is closed.
        """
        menu = QMenu(self._parent)
        if parent_actions := self._parent.actions():
            menu.addActions(parent_actions)
            menu.addSeparator()
        menu.addActions(self.actions)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(position)

    def _save_action(self, suffix: str, text: str) -> QAction:
        action = QAction(text, self)
        action.setData(suffix)
        action.triggered.connect(self._on_save)
        return action

    def _on_save(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        suffix: str = action.data()
        title, file_filter = {
            "png": (self.tr("Save picture"), self.tr("PNG picture (*.png)")),
            "svg": (self.tr("Save picture"), self.tr("SVG drawing (*.svg)")),
            "csv": (self.tr("Save data"), self.tr("Comma-separated values (*.csv)")),
        }[suffix]
        proposed = str(self.folder() / f"{self.stem}.{suffix}")
        path, _ = QFileDialog.getSaveFileName(self._parent, title, proposed, file_filter)
        if path:
            self._save[suffix](Path(path))


Encode = Callable[[], bytes]


def png(image: QImage) -> bytes:
    """Return the PNG bytes of an image; any thread may call it.

    Raises
    ------
    ExportError
        If Qt cannot encode the image.
    """
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # Qt's stubs omit the overload for a device
        raise ExportError("The picture cannot be encoded as PNG. Nothing was written.")
    return bytes(buffer.data().data())


class Drawing(QSvgGenerator):
    """An SVG generator that encodes its images later.

    Each image is drawn as a tiny placeholder. `images` lists the base64 text of each placeholder
    with the image that must replace it.
    """

    def __init__(self, buffer: QBuffer) -> None:
        super().__init__()
        self.setOutputDevice(buffer)
        self.images: list[tuple[bytes, QImage]] = []

    def draw_image(
        self, painter: QPainter, target: QRectF, ratio: float, paint: Callable[[QPainter], None]
    ) -> None:
        """Paint into an image of the size of `target`, and add a placeholder for it to the drawing.

        `paint` is called at once; the image is encoded later. Up to 255 images have distinct
        placeholders.

        Parameters
        ----------
        painter
            The painter of the drawing; its state is unchanged.
        target
            Rectangle in units of the drawing; the transformation of `painter` does not apply to it.
        ratio
            Image pixels per unit of the drawing.
        paint
            Called with a painter on the image that has the transformation of `painter`.
        """
        rect = target.toAlignedRect()
        image = QImage(rect.size() * ratio, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(ratio)
        image.fill(0)
        image_painter = QPainter(image)
        image_painter.translate(-rect.topLeft())
        image_painter.setTransform(painter.worldTransform() * image_painter.worldTransform())
        paint(image_painter)
        image_painter.end()
        number = len(self.images) + 1
        stand_in = QImage(3, 1, QImage.Format.Format_RGB32)
        stand_in.fill(QColor(255 - number, number, 37))
        self.images.append((b64encode(png(stand_in)), image))
        painter.save()
        painter.resetTransform()
        painter.drawImage(rect, stand_in)
        painter.restore()


def svg(paint: Callable[[QPainter], None], size: QSize, title: str) -> Encode:
    """Draw with `paint` into an SVG of `size`; return a function that encodes it to bytes.

    `paint` is called at once, on this thread. The returned function may be called on any thread,
    and raises `ExportError` if an image cannot be encoded.
    """
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    drawing = Drawing(buffer)
    drawing.setSize(size)
    drawing.setViewBox(QRect(0, 0, size.width(), size.height()))
    # Text has its size on the screen only if the drawing has the resolution of the screen.
    drawing.setResolution(round(QGuiApplication.primaryScreen().logicalDotsPerInch()))
    drawing.setTitle(title)
    painter = QPainter(drawing)
    paint(painter)
    painter.end()
    text, images = bytes(buffer.data().data()), tuple(drawing.images)

    def encode() -> bytes:
        encoded = text
        for stand_in, image in images:
            encoded = encoded.replace(stand_in, b64encode(png(image)))
        return encoded

    return encode
