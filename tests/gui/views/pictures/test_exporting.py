"""A saved picture is whole, or the file that was there is."""

import pytest
from PySide6.QtCore import QSaveFile, QSize
from PySide6.QtGui import QPixmap

from pruneapp.gui.views.pictures.frame import exporting

WRITES = {
    "png": lambda path: exporting.save_png(QPixmap(4, 4), path),
    "svg": lambda path: exporting.save_svg(lambda _: None, QSize(4, 4), "a", path),
}


@pytest.mark.parametrize("kind", WRITES)
def test_a_fault_keeps_the_old_file(qapp, tmp_path, monkeypatch, kind):
    path = tmp_path / "picture"
    path.write_bytes(b"old")
    with monkeypatch.context() as patch:
        patch.setattr(QSaveFile, "commit", lambda _self: False)
        with pytest.raises(OSError):
            WRITES[kind](path)

    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"old"]
    WRITES[kind](path)
    assert path.read_bytes() not in {b"", b"old"}


@pytest.mark.parametrize("kind", WRITES)
def test_a_folder_that_is_not_there_is_an_error_with_words(qapp, tmp_path, kind):
    with pytest.raises(OSError, match="o"):
        WRITES[kind](tmp_path / "no" / "x")
