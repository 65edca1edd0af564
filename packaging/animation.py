"""Record the main job in the window as an animated GIF with captions."""

from __future__ import annotations

from pathlib import Path

import driving
import quality
import steps
from driving import Tour, wait_until
from PIL import Image
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter

SIZE = (1200, 800)  # tree, picture and form are side by side
CAPTION_PX = 34
PATIENCE_MS = 120_000  # for the first import of torch on a slow disk

# Seconds and caption of each step that is shown.
FRAMES = {
    "empty": (3, "Open a model by drop or dialog, or try the sample."),
    "sample": (4, "The module tree, the weights of a tensor, and the form for a step."),
    "preview": (5, "Choose a method and an amount. The preview hatches the weights to prune."),
    "pruned": (4, "Prune. Each step is a state of the history, and can be undone."),
    "evaluate": (4, "Evaluate with your own script, which runs in your own Python."),
    "evaluated": (4, "The metric of the unpruned and of the pruned model."),
    "recover": (4, "Recover: train the remaining weights to reproduce the unpruned model."),
    "recovering": (5, "The held-out error while it runs."),
    "recovered": (4, "The error of each block, before and after."),
    "result": (5, "Most of the lost accuracy is back; pruned weights are still zero."),
    "export": (4, "Export to the format that your code loads."),
    "report": (5, "The exported file was read back and compared."),
}


def record(walk: Tour) -> None:
    """Open the sample, prune, evaluate, recover and export it, with a picture of each step."""
    user, form, views = walk.user, walk.views.form, walk.views
    driving.PATIENCE_MS = PATIENCE_MS
    walk.window.resize(*SIZE)
    with walk.step("empty", "no file is open"):
        pass
    with walk.step("sample", "the sample is open"):
        walk.open(lambda: user.click(walk.window.empty.sample_button))
        user.pick(views.tree.view, "fc1")
    document = walk.bench.session.document
    assert document is not None
    with walk.step("preview", "90 % with LAMP, as a preview"):
        user.choose(form.rules[0].method, steps.label_of(walk, "lamp"))
        user.replace(steps.amount_field(walk), "90%")
        wait_until(lambda: walk.bench.preview.state.preview, "the preview")
    with walk.step("pruned", "the step is applied"):
        user.click(views.preview.action.button)
        wait_until(lambda: document.position == 1, "the step to be applied")
    quality.evaluate(walk)
    quality.recover(walk, metrics=3)
    with walk.step("result", "the recovered state in the history"):
        pass
    steps.export(walk)


def write_recording(folder: Path, target: Path) -> None:
    """Write the pictures of `record` in a folder as an animated GIF with captions."""
    frames = []
    for name, (_, caption) in FRAMES.items():
        (picture,) = folder.glob(f"[0-9][0-9]-{name}.png")
        frames.append(to_frame(add_caption(QImage(str(picture)), caption)))
    duration = [1000 * seconds for seconds, _ in FRAMES.values()]
    frames[0].save(target, save_all=True, append_images=frames[1:], duration=duration, loop=0)


def to_frame(image: QImage) -> Image.Image:
    """Return a picture with 256 of its colors, without dithering, which would not compress."""
    rgb = image.convertToFormat(QImage.Format.Format_RGB888)
    size = image.width(), image.height()
    whole = Image.frombytes("RGB", size, bytes(rgb.constBits()), "raw", "RGB", rgb.bytesPerLine())
    return whole.quantize(256, dither=Image.Dither.NONE)


def add_caption(picture: QImage, caption: str) -> QImage:
    """Return the picture with a line of text below it."""
    image = QImage(picture.width(), picture.height() + CAPTION_PX, QImage.Format.Format_RGB32)
    image.fill(QColor("#202124"))
    painter = QPainter(image)
    painter.drawImage(QPoint(0, 0), picture)
    font = painter.font()
    font.setPixelSize(17)
    painter.setFont(font)
    painter.setPen(QColor("white"))
    line = QRect(0, picture.height(), picture.width(), CAPTION_PX)
    painter.drawText(line, Qt.AlignmentFlag.AlignCenter, caption)
    painter.end()
    return image
