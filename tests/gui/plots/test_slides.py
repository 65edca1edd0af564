"""Pictures of plots for slides: size, title, labels and format; the plot on the screen stays."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QByteArray, QSize
from PySide6.QtGui import QColor, QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFileDialog
from safetensors.numpy import save_file

from pruneapp.gui.plots.base.slide import Slide, SlideDialog, encode_slide
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.plots.quality import QualityView
from pruneapp.gui.widgets.theme import DARK, LIGHT
from tests.gui.plots.test_quality import STATES


@pytest.fixture
def view(show, english):
    found = show(QualityView(), 700, 420)
    found.set_states(STATES, 1, "", conditions="evaluate.py, seed 0")
    return found


def slide(suffix, size=(1920, 1080), **more):
    return Slide("model: accuracy", "evaluate.py", QSize(*size), suffix, **more)


@pytest.mark.parametrize("size", [(1920, 1080), (1600, 1200), (500, 900)])
def test_a_png_has_the_chosen_size_and_light_colors_in_the_dark_theme(view, size):
    view.set_colors(DARK)
    before = view.grab().toImage()
    image = QImage.fromData(encode_slide(view, slide("png", size))(), "PNG")
    assert (image.width(), image.height()) == size
    assert image.pixelColor(2, 2) == QColor(LIGHT["surface"])
    colors = {
        image.pixelColor(x, y).name() for x in range(0, size[0], 2) for y in range(0, size[1], 2)
    }
    assert LIGHT["kept"] in colors, "the points"
    assert DARK["surface"] not in colors
    assert view.grab().toImage() == before, "the screen looks the same as before"


def test_an_svg_has_title_labels_and_metric_as_text(view):
    data = encode_slide(view, slide("svg", (1200, 800)))()
    text = data.decode()
    for words in ("model: accuracy", "evaluate.py", "accuracy, %", "L1 80 %"):
        assert words in text, words
    assert QSvgRenderer(QByteArray(data)).defaultSize().width() > 0
    assert "L1 80 %" not in encode_slide(view, slide("svg", labels=False))().decode()


def test_a_pdf_has_one_page_of_the_chosen_size(view):
    data = encode_slide(view, slide("pdf", (1280, 720)))()
    assert data.startswith(b"%PDF-")
    (box,) = re.findall(rb"/MediaBox \[([^\]]+)\]", data)
    assert [float(number) for number in box.split()] == [0, 0, 1280, 720]


def test_the_dialog_offers_sizes_and_any_other(show, english, qtbot):
    dialog = show(SlideDialog("title", "subtitle", labels=True), 500, 400)
    assert dialog.slide == Slide("title", "subtitle", QSize(1920, 1080), "png")
    dialog.sizes.setCurrentIndex(1)
    dialog.sizes.activated.emit(1)
    assert dialog.slide.size == QSize(1600, 1200)
    dialog.width_box.setValue(777)
    assert dialog.sizes.currentText() == "Other"
    assert dialog.slide.size == QSize(777, 1200)
    dialog.formats.setCurrentIndex(2)
    assert dialog.slide.suffix == "pdf"


def test_a_picture_for_slides_is_saved_by_the_menu(user, model_file, tmp_path, monkeypatch):
    user.open_file(model_file)
    user.views.pages.tabs.setCurrentIndex(Page.MODEL)
    view = user.views.pages.picture()
    user.wait(view.export_menu.button.isEnabled)
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "slide.png"), "")
    )
    view.export_menu.slide.trigger()
    dialog = user.window.findChild(SlideDialog)
    assert dialog.title_line.text().startswith(model_file.name)
    user.click(dialog.go)
    user.wait((tmp_path / "slide.png").is_file)
    user.wait_idle()
    image = QImage(str(tmp_path / "slide.png"))
    assert (image.width(), image.height()) == (1920, 1080)


@pytest.fixture
def model_file(tmp_path):
    path = tmp_path / "model.safetensors"
    rng = np.random.default_rng(1)
    save_file({f"{n}.weight": rng.normal(size=(6, 8)).astype("f4") for n in range(3)}, path)
    return path
