"""Record the main job in the window as an animated GIF with captions."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import driving
import numpy as np
import quality
import steps
from driving import Tour, wait_until
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter

SIZE = (1200, 800)  # tree, picture and form are side by side
CAPTION_PX = 34
# One color of 64 is transparent: pixels that are equal in the previous frame compress to nothing.
COLORS = 63
BITS = 6
CODE_LIMIT = 4096  # 12 bits, of the format
PATIENCE_MS = 120_000  # for the first import of torch on a slow disk

Pixels = NDArray[np.uint8]

# Seconds and caption of each step that is shown.
FRAMES = {
    "empty": (3, "Open a model by drop or dialog, or try the sample."),
    "sample": (4, "The module tree, the weights of a tensor, and the form for a step."),
    "preview": (5, "Choose a method and an amount. The preview hatches the weights to prune."),
    "pruned": (4, "Prune. Each step is a state of the history, and can be undone."),
    "evaluate": (4, "Evaluate with your own script, which runs in your own Python."),
    "evaluated": (4, "The metric of the unpruned and of the pruned model."),
    "recover": (4, "Recover: train the remaining weights to reproduce the unpruned model."),
    "recovering": (5, "The held-out error and the loss while it runs."),
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
    shown = []
    for name, (_, caption) in FRAMES.items():
        (picture,) = folder.glob(f"[0-9][0-9]-{name}.png")
        shown.append(add_caption(QImage(str(picture)), caption))
    table = common_colors(shown)
    frames = [to_indices(image, table) for image in shown]
    write_gif(target, frames, table, [seconds for seconds, _ in FRAMES.values()])


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


def common_colors(images: Iterable[QImage]) -> list[int]:
    """Return the 63 colors for all images: the most frequent of each kind, then of all."""
    found = [np.frombuffer(image.constBits(), np.uint32) for image in images]
    colors, counts = np.unique(np.concatenate(found), return_counts=True)
    colors = colors[np.argsort(-counts, kind="stable")]
    # Two bits per channel: a small red mark stays red.
    _, kinds = np.unique(colors & 0xC0C0C0, return_index=True)
    table = list(dict.fromkeys([*colors[np.sort(kinds)].tolist(), *colors.tolist()]))
    return [int(color) for color in table[:COLORS]]


def to_indices(image: QImage, table: Sequence[int]) -> Pixels:
    """Return the index of the nearest color of each pixel, as an array of rows."""
    flat = Qt.ImageConversionFlag.AvoidDither
    indexed = image.convertToFormat(QImage.Format.Format_Indexed8, table, flat)
    rows = np.frombuffer(indexed.constBits(), np.uint8).reshape(indexed.height(), -1)
    return rows[:, : indexed.width()].copy()


def write_gif(
    target: Path, frames: Sequence[Pixels], table: Sequence[int], seconds: Sequence[float]
) -> None:
    """Write an endless animated GIF; each frame only stores the pixels that change.

    Parameters
    ----------
    frames
        Arrays of equal shape with indices into `table`.
    table
        At most 63 colors as 0xRRGGBB; higher bits are ignored.
    seconds
        Duration of each frame.
    """
    height, width = frames[0].shape
    # 0x80: a table for all frames; 5: of 2 ** (5 + 1) colors.
    parts = [b"GIF89a", struct.pack("<HHBBB", width, height, 0x80 | 5, 0, 0)]
    rgb = b"".join((color & 0xFFFFFF).to_bytes(3, "big") for color in table)
    parts += [rgb.ljust(3 << BITS, b"\0"), b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"]
    before = None
    for frame, duration in zip(frames, seconds, strict=True):
        pixels = frame if before is None else np.where(frame == before, np.uint8(COLORS), frame)
        # 5: keep this frame below the next one; one color is transparent.
        parts.append(b"!\xf9\x04\x05" + struct.pack("<HBB", round(100 * duration), COLORS, 0))
        parts.append(b"," + struct.pack("<HHHHBB", 0, 0, width, height, 0, BITS))
        packed = b"".join(compress(pixels.tobytes()))
        parts += [
            bytes([len(block)]) + block
            for block in (packed[at : at + 255] for at in range(0, len(packed), 255))
        ]
        parts.append(b"\0")
        before = frame
    target.write_bytes(b"".join([*parts, b";"]))


def compress(pixels: bytes) -> Iterator[bytes]:
    """Yield the LZW codes of 6-bit pixels, packed from the lowest bit, as in GIF."""
    clear, end = 1 << BITS, (1 << BITS) + 1
    codes: dict[int, int] = {}
    width, free, waiting, n_waiting = BITS + 1, end + 1, clear, BITS + 1
    prefix = pixels[0]
    for pixel in pixels[1:]:
        key = prefix << 8 | pixel
        if (code := codes.get(key)) is not None:
            prefix = code
            continue
        waiting |= prefix << n_waiting
        n_waiting += width
        if free < CODE_LIMIT:
            codes[key] = free
            if free == 1 << width:
                width += 1
            free += 1
        else:
            waiting |= clear << n_waiting
            n_waiting += width
            codes.clear()
            width, free = BITS + 1, end + 1
        prefix = pixel
        if n_waiting >= 1024:
            whole = n_waiting // 8
            yield (waiting & ((1 << 8 * whole) - 1)).to_bytes(whole, "little")
            waiting >>= 8 * whole
            n_waiting -= 8 * whole
    waiting |= prefix << n_waiting
    n_waiting += width
    # The decoder may have widened its codes after the last one.
    if free == 1 << width and width < 12:
        width += 1
    waiting |= end << n_waiting
    n_waiting += width
    yield waiting.to_bytes((n_waiting + 7) // 8, "little")
