"""Exporting a plot: what is captured on the main thread, and what is encoded later."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from pruneapp.analysis.layout import Layout
from pruneapp.errors import ExportError
from pruneapp.gui.plots.base import export_menu
from pruneapp.gui.plots.heatmap.view import WeightsView

ROWS, COLUMNS = 4_000, 2_048
AT_MOST = 0.05  # seconds of the main thread


def elsewhere(call):
    """Call a function in another thread, and return its result."""
    found = []
    thread = threading.Thread(target=lambda: found.append(call()))
    thread.start()
    thread.join(60)
    return found[0]


def test_an_image_is_encoded_by_any_thread(qapp):
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    image.fill(QColor("#c4630a"))
    data = elsewhere(lambda: export_menu.png(image))
    assert QImage.fromData(data).pixelColor(2, 2).name() == "#c4630a"


def test_what_cannot_be_encoded_is_a_sentence(qapp):
    with pytest.raises(ExportError, match="cannot be encoded as PNG"):
        export_menu.png(QImage())


def test_images_of_a_drawing_are_put_in_later(qapp):
    def paint(painter):
        for left, color in ((0, "#ff0000"), (20, "#0000ff")):
            painter.device().draw_image(
                painter,
                QRectF(left, 0, 10, 10),
                2.0,
                lambda inside, left=left, color=color: inside.fillRect(
                    QRectF(left, 0, 10, 10), QColor(color)
                ),
            )
        painter.drawLine(0, 20, 30, 20)

    data = elsewhere(export_menu.svg(paint, QSize(40, 30), "two"))
    renderer = QSvgRenderer(data)
    assert renderer.isValid()
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    assert [image.pixelColor(x, 5).name() for x in (5, 15, 25)] == ["#ff0000", "#ffffff", "#0000ff"]


@pytest.fixture
def large(qtbot, make_tensor):
    """Return a heat map of 8 million weights, a third of which is to be pruned."""
    view = WeightsView()
    qtbot.addWidget(view)
    view.resize(1280, 800)
    part = np.random.default_rng(0).normal(size=(1000, COLUMNS)).astype(np.float32)
    values = np.broadcast_to(part, (ROWS // 1000, 1000, COLUMNS)).reshape(ROWS, COLUMNS)
    to_prune = (np.abs(values) < 0.4).astype(np.float32)
    of = Layout((ROWS, COLUMNS), (0,), (1,), "output", "input")
    tensor = make_tensor(of, values, np.broadcast_to(np.float32(1), values.shape), to_prune)
    tensor.attach(view)
    view.show()
    tensor.show(view)
    qtbot.waitUntil(lambda: view._tile_requests.is_complete, timeout=60_000)
    view.canvas.zoom(3)
    qtbot.waitUntil(lambda: view._tile_requests.is_complete, timeout=60_000)
    view.canvas.grab()
    return view


def test_the_main_thread_grabs_and_no_more(large, tmp_path):
    asked = []
    large.fileRequested.connect(lambda encode, path: asked.append((encode, path)))
    large.clipboardRequested.connect(asked.append)
    for save in (large.save_png, large.save_svg):
        start = time.thread_time()
        save(tmp_path / "picture")
        assert time.thread_time() - start < AT_MOST
    start = time.thread_time()
    large.copy()
    assert time.thread_time() - start < AT_MOST
    (png, _), (svg, path), image = asked
    assert not path.exists(), "it is for others to write it"
    assert image.width() >= 1200
    assert elsewhere(png).startswith(b"\x89PNG")
    drawing = elsewhere(svg)
    assert QSvgRenderer(drawing).isValid()
    assert len(drawing) > 200_000, "the picture itself is in it"
    assert b"output" in drawing, "letters are letters"
