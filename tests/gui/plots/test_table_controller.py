"""Numbers of plots are saved and copied in the background, completely or not at all."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QDialog, QFileDialog
from safetensors.numpy import save_file

from pruneapp.checkpoint.io.upload import write_whole
from pruneapp.errors import ExportError
from pruneapp.export.report_writer import csv_text
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.plots import plot_controller
from pruneapp.gui.plots.base.export_menu import png
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.plots.plot_controller import write_csv
from pruneapp.gui.widgets.clipboard import NOTHING, Copies, Numbers, copy_rows
from pruneapp.gui.widgets.reports import CountsTable
from pruneapp.progress import Cancelled, CancelToken, Job

CHANNELS = 60_000
TENSORS = 2_500
SMALL = Numbers(("a", "b"), 2, lambda row: (row, "é"))


@pytest.fixture
def wide(user, tmp_path):
    """Return the user at the channels of a tensor with many of them."""
    path = tmp_path / "wide.safetensors"
    save_file({"fc.weight": np.random.default_rng(0).random((CHANNELS, 2), np.float32)}, path)
    user.open_file(path)
    user.wait_preview()
    user.click_cell("fc.weight")
    user.views.pages.tabs.setCurrentIndex(Page.CHANNELS)
    user.wait(lambda: user.views.pages.channels.numbers().rows == CHANNELS)
    user.wait_idle()
    return user


def held(numbers: Numbers) -> tuple[Numbers, threading.Event, threading.Event]:
    """Return numbers whose middle row blocks, and the events of its reading and unblocking."""
    reached, go_on = threading.Event(), threading.Event()

    def row(at):
        if at == numbers.rows // 2:
            reached.set()
            assert go_on.wait(60)
        return numbers.row(at)

    return replace(numbers, row=row), reached, go_on


def test_the_window_answers_while_numbers_are_saved_or_copied(wide, beats, tmp_path):
    channels, target = wide.views.pages.channels, tmp_path / "c.csv"
    wide.chooses_file(target, "getSaveFileName")
    beats.forget()
    channels.export_menu.csv.trigger()
    assert not target.exists(), "written before the window got to anything else"
    assert wide.workbench.jobs.writing
    wide.wait(lambda: not wide.workbench.jobs.busy)
    beats.assert_answered()
    numbers = channels.numbers()
    assert target.read_bytes() == csv_text(numbers.headers, numbers).encode()
    assert wide.trouble == []

    QGuiApplication.clipboard().setText("before")
    channels.toggle_table()
    wide.wait(channels._table.isVisible)
    channels._table.setFocus()
    beats.forget()
    channels._table.selectAll()
    wide.key("Ctrl+C", channels._table)
    assert QGuiApplication.clipboard().text() == "before"
    wide.wait(lambda: QGuiApplication.clipboard().text() != "before")
    beats.assert_answered()
    lines = QGuiApplication.clipboard().text().split("\n")
    assert lines[0].split("\t")[:2] == ["channel", "L2 norm"]
    assert len(lines) == CHANNELS + 1
    assert {line.count("\t") for line in lines} == {lines[0].count("\t")}
    shown = [channels._table.numbers.index(7, c).data() for c in range(2)]
    assert lines[8].split("\t")[:2] == shown

    # Numbers are those of the time when they were requested, while the plots change.
    channels.toggle_table()
    pages = wide.views.pages
    for page in (Page.WEIGHTS, Page.DISTRIBUTION, Page.CHANNELS, Page.MODEL):
        pages.tabs.setCurrentIndex(page)
        wide.wait(lambda page=page: pages.picture(page).numbers().rows)
    kept = [pages.picture(page).numbers() for page in range(4)]
    before = [[n.row(i) for i in range(min(n.rows, 50))] for n in kept]
    wide.workbench.session.close()
    assert channels.numbers() is NOTHING
    assert [[n.row(i) for i in range(min(n.rows, 50))] for n in kept] == before


@pytest.fixture
def saved(user):
    """Return a function that requests a file from the window, and waits for the result."""

    def request(signal, content, path):
        signal.emit(content, path)
        user.wait(lambda: not user.workbench.jobs.busy)
        return user.trouble

    return request


def test_files_are_written_completely_or_not_at_all(user, saved, tmp_path):
    model = user.views.pages.model
    target = tmp_path / "c.csv"
    shares = Numbers(
        ("a", "share"),
        3,
        [("x", 0.432), ("y", None), ("z", 1 / 3)].__getitem__,
        shares=frozenset({1}),
    )
    assert saved(model.csvRequested, shares, target) == []
    assert target.read_text().splitlines() == ["a,share (%)", "x,43.2", "y,", "z,33.3333333333"]

    numbers, reached, go_on = held(Numbers(("a",), 3_000, lambda row: (row,)))
    old, before = target.read_bytes(), sorted(tmp_path.iterdir())
    model.csvRequested.emit(numbers, target)
    user.wait(reached.is_set)
    assert user.workbench.jobs.cancel_visible()
    go_on.set()
    user.wait(lambda: not user.workbench.jobs.busy)
    assert (target.read_bytes(), sorted(tmp_path.iterdir())) == (old, before)
    assert user.trouble == []

    for name in ("gone/c.csv", "n" * 300):
        (error, *_) = saved(model.csvRequested, SMALL, tmp_path / name)
        assert "cannot be written" in error or "was not written" in error
    gone = tmp_path / "gone" / "c.png"
    (error, *_) = saved(model.fileRequested, lambda: b"picture", gone)
    assert "cannot be written" in error or "was not written" in error
    (error, *_) = saved(model.fileRequested, lambda: png(QImage()), target)
    assert "cannot be encoded" in error
    assert target.read_bytes() == old


def test_plots_are_saved_in_the_folder_that_was_used_last(wide, tmp_path, monkeypatch):
    source, folder, proposed = wide.document.checkpoint.path.parent, tmp_path / "figures", []
    folder.mkdir()

    def choose(_parent, _title, path, *_more):
        proposed.append(Path(path))
        return str(folder / f"{len(proposed)}{proposed[-1].suffix}"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    for page, kind in ((Page.CHANNELS, "csv"), (Page.CHANNELS, "png"), (Page.MODEL, "svg")):
        wide.views.pages.tabs.setCurrentIndex(page)
        getattr(wide.views.pages.picture().export_menu, kind).trigger()
        wide.wait_idle()
    assert [path.parent for path in proposed] == [source, folder, folder]
    assert sorted(path.name for path in folder.iterdir()) == ["1.csv", "2.png", "3.svg"]


def test_a_picture_is_saved_and_copied_in_the_background(user, tmp_path, monkeypatch):
    model, threads = user.views.pages.model, []

    def write(*arguments):
        threads.append(threading.current_thread())
        return write_whole(*arguments)

    monkeypatch.setattr(plot_controller, "write_whole", write)
    for kind in ("png", "svg"):
        target = tmp_path / f"c.{kind}"
        user.chooses_file(target, "getSaveFileName")
        getattr(model.export_menu, kind).trigger()
        user.wait(target.exists)
        user.wait(lambda: not user.workbench.jobs.busy)
        assert target.read_bytes()[:4] in {b"\x89PNG", b"<?xm"}
    assert len(threads) == 2
    assert threading.main_thread() not in threads
    assert user.trouble == []
    QGuiApplication.clipboard().setText("before")
    model.export_menu.copy.trigger()
    user.wait(lambda: QGuiApplication.clipboard().mimeData().hasFormat("image/png"))
    data = QGuiApplication.clipboard().mimeData()
    assert bytes(data.data("image/png").data()).startswith(b"\x89PNG")
    assert not QGuiApplication.clipboard().image().isNull()
    QGuiApplication.clipboard().clear()


def test_all_rows_of_the_tree_are_copied_aside_as_they_were(user, tmp_path):
    path = tmp_path / "many.safetensors"
    one = np.ones((2, 2), np.float32)
    save_file({f"layers.{at}.weight": one for at in range(TENSORS)}, path)
    user.open_file(path)
    tree = user.views.tree
    tree.set_flat(flat=True)
    tree.view.setFocus()
    user.key("Home", tree.view)
    user.key("Shift+End", tree.view)
    QGuiApplication.clipboard().setText("before")
    user.key("Ctrl+C", tree.view)
    assert QGuiApplication.clipboard().text() == "before", "made before anything else was done"
    tree.model.set_sparsity({f"layers.{at}.weight": 4 for at in range(TENSORS)})
    user.wait(lambda: QGuiApplication.clipboard().text() != "before")
    heads, *lines = QGuiApplication.clipboard().text().split("\n")
    assert [line.split("\t")[0] for line in lines] == [
        f"layers.{at}.weight" for at in range(TENSORS)
    ]
    at = heads.split("\t").index("Sparsity (%)")
    assert {line.split("\t")[at] for line in lines} == {"0"}
    assert user.window.done.label.text() == f"Copied {TENSORS:,} rows."


def test_a_copy_ends_with_escape_and_with_another_copy(user):
    clipboard = QGuiApplication.clipboard()

    def begin_copy():
        """Copy numbers of which one row blocks; return the event that unblocks it."""
        clipboard.setText("before")
        numbers, reached, go_on = held(Numbers(("a",), 3_000, lambda row: (str(row),)))
        user.window.findChild(Copies).wanted.emit(numbers)
        user.wait(reached.is_set)
        return go_on

    other = Numbers(("b",), 1, lambda _row: ("later",))
    for act, expected in (
        (lambda: user.key("Esc", user.window), "before"),
        (lambda: copy_rows(user.views.tree.view, other), "b\nlater"),
        (lambda: clipboard.setText("later"), "later"),
    ):
        go_on = begin_copy()
        act()
        go_on.set()
        user.wait_idle()
        assert clipboard.text() == expected

    # A dialog copies by the window.
    dialog = QDialog(user.window)
    table = CountsTable(("a", "b"), TENSORS, lambda row: (str(row), str(-row)), dialog)
    table.selectAll()
    clipboard.setText("before")
    user.qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.text() == "before"
    user.wait(lambda: clipboard.text() != "before")
    assert clipboard.text().split("\n")[::TENSORS] == ["a\tb", "2499\t-2499"]
    dialog.deleteLater()


def test_numbers_are_utf8_with_commas(tmp_path):
    write_csv(SMALL, tmp_path / "a.csv", Job())
    assert (tmp_path / "a.csv").read_bytes() == "a,b\r\n0,é\r\n1,é\r\n".encode()


@pytest.mark.parametrize("steps", range(8))
def test_cancelled_at_any_step_leaves_the_old_file_or_the_new_one(tmp_path, steps):
    target, token = tmp_path / "a.csv", CancelToken()
    target.write_bytes(b"old")

    class Counted:
        left = steps

        def report(self, _done, _total, _label):
            self.left -= 1
            if self.left < 0:
                token.cancel()

    numbers = Numbers(("a",), 1000, lambda row: (row,))
    with pytest.raises(Cancelled):
        write_csv(numbers, target, Job(Counted(), token))
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"old"]


def test_a_fault_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "a.csv"
    target.write_bytes(b"old")

    def fail(_fd):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ExportError):
        write_csv(SMALL, target, Job())
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"old"]


def test_a_folder_with_a_name_that_is_too_long_is_no_folder(settings_file, tmp_path):
    settings = Settings(settings_file)
    settings.set_folder("open", tmp_path / ("n" * 300) / "x")
    assert settings.folder("open") == ""
    settings.flush()
