"""The recorded tour is a small GIF that other programs decode."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QImageReader

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGING = ROOT / "packaging"
RECORDING = ROOT / "docs" / "pictures" / "first-minutes.gif"


@pytest.fixture
def animation(monkeypatch):
    monkeypatch.syspath_prepend(str(PACKAGING))
    before = set(sys.modules)
    yield importlib.import_module("animation")
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(PACKAGING)):
            del sys.modules[name]


def frames_of(path: Path) -> list[QImage]:
    reader = QImageReader(str(path))
    found = [reader.read() for _ in range(reader.imageCount())]
    assert not any(image.isNull() for image in found), reader.errorString()
    return found


def rgb(image: QImage) -> np.ndarray:
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(plain.constBits(), np.uint32).reshape(plain.height(), plain.width())
    return pixels & 0xFFFFFF


@pytest.mark.parametrize("shape", [(1, 1), (7, 5), (150, 211)])
def test_frames_are_decoded_as_they_were_written(animation, tmp_path, shape):
    rng = np.random.default_rng(0)
    table = [int(color) for color in rng.integers(1 << 24, size=animation.COLORS)]
    # Noise fills the table of codes several times, and a flat area has the longest codes.
    frames = [rng.integers(animation.COLORS, size=shape, dtype=np.uint8) for _ in range(3)]
    frames[1][:] = frames[0]
    frames[1][: shape[0] // 2] = 5
    animation.write_gif(tmp_path / "a.gif", frames, table, [0.5, 1, 2])
    read = frames_of(tmp_path / "a.gif")
    assert len(read) == 3
    for image, frame in zip(read, frames, strict=True):
        assert np.array_equal(rgb(image), np.array(table)[frame])


def test_rare_colors_are_kept(animation):
    image = QImage(100, 100, QImage.Format.Format_RGB32)
    image.fill(QColor(250, 250, 250))
    for at in range(100):  # more shades of grey than there are colors
        image.setPixelColor(at, 0, QColor(at, at, at))
    image.setPixelColor(5, 5, QColor(200, 20, 20))
    table = animation.common_colors([image])
    assert len(table) == animation.COLORS
    indices = animation.to_indices(image, table)
    assert table[indices[5, 5]] & 0xFFFFFF == 0xC81414
    assert indices.shape == (100, 100)


def test_the_recording_is_small_and_has_a_frame_for_each_caption(animation):
    assert RECORDING.stat().st_size <= 3_000_000
    frames = frames_of(RECORDING)
    assert len(frames) == len(animation.FRAMES)
    width, height = animation.SIZE
    assert {(f.width(), f.height()) for f in frames} == {(width, height + animation.CAPTION_PX)}
    assert "docs/pictures/first-minutes.gif" in (ROOT / "README.md").read_text(encoding="utf-8")
