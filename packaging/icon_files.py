"""Convert the SVG icon for Windows and macOS: ``icon_files.py SVG FOLDER``.

Run by the Python of a bundle's environment, which has Qt. Both formats contain PNG pictures.
"""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

WINDOWS = (16, 24, 32, 48, 64, 128, 256)
# Type codes of picture sizes on macOS.
MACOS = {16: b"icp4", 32: b"icp5", 64: b"icp6", 128: b"ic07", 256: b"ic08", 512: b"ic09"}


def main(svg: Path, folder: Path) -> None:
    """Write both files."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {size: png(svg, size) for size in {*WINDOWS, *MACOS}}
    (folder / "pruneapp.ico").write_bytes(ico({size: drawn[size] for size in WINDOWS}))
    (folder / "pruneapp.icns").write_bytes(
        icns({kind: drawn[size] for size, kind in MACOS.items()})
    )


def png(svg: Path, size: int) -> bytes:
    """Render the picture."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QBuffer, QIODevice, Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(svg)).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # it takes str, as documented
        raise OSError(f"'{svg}' could not be drawn.")
    return bytes(buffer.data().data())


def ico(pictures: dict[int, bytes]) -> bytes:
    """Return a Windows icon file with pictures by size."""
    offset = 6 + 16 * len(pictures)
    entries = b""
    for size, picture in pictures.items():
        side = size % 256  # 0 means 256
        entries += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(picture), offset)
        offset += len(picture)
    return struct.pack("<HHH", 0, 1, len(pictures)) + entries + b"".join(pictures.values())


def icns(pictures: dict[bytes, bytes]) -> bytes:
    """Return a macOS icon file with pictures by type code."""
    body = b"".join(
        kind + struct.pack(">I", len(picture) + 8) + picture for kind, picture in pictures.items()
    )
    return b"icns" + struct.pack(">I", len(body) + 8) + body


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
