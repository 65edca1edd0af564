"""The recorded tour is a small GIF that other programs decode."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

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


def test_a_small_mark_keeps_its_color(animation):
    image = QImage(101, 100, QImage.Format.Format_RGB32)
    image.fill(QColor(250, 250, 250))
    for at in range(12):
        image.setPixelColor(at % 4 + 5, at // 4 + 5, QColor(200, 20, 20))
    frame = animation.to_frame(image).convert("RGB")
    assert frame.size == (101, 100)
    assert frame.getpixel((6, 6)) == (200, 20, 20)


def test_the_recording_is_small_and_has_a_frame_for_each_caption(animation):
    assert RECORDING.stat().st_size <= 3_000_000
    frames = frames_of(RECORDING)
    assert len(frames) == len(animation.FRAMES)
    width, height = animation.SIZE
    assert {(f.width(), f.height()) for f in frames} == {(width, height + animation.CAPTION_PX)}
    assert "docs/pictures/first-minutes.gif" in (ROOT / "README.md").read_text(encoding="utf-8")
