"""The list of all tensors, next to the tree: sorting, selection, check marks, copying."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QFileSystemModel, QTreeView

from pruneapp.checkpoint.entry import TensorRow
from pruneapp.gui.tree.columns import Column
from pruneapp.gui.tree.model import Filter
from pruneapp.gui.tree.nodes import build_nodes
from pruneapp.gui.tree.panel import ModuleTree
from pruneapp.gui.widgets.clipboard import NOTHING, copy_rows
from pruneapp.gui.widgets.reports import CountsTable
from pruneapp.gui.widgets.short_names import ShortNames

SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


def row(name, shape, kind, *, dtype="float32"):
    numel = int(np.prod(shape))
    return TensorRow(name, name, kind, shape, dtype, numel, 4 * numel, "", len(shape) > 1)


def blocks(count):
    for block in range(count):
        yield row(f"layers.{block}.mlp.up.weight", (8, 4 + block % 7), "Linear")
        yield row(f"layers.{block}.mlp.down.weight", (4, 8), "Linear", dtype="bfloat16")
        yield row(f"layers.{block}.norm.weight", (4,), "norm")


@pytest.fixture(scope="module")
def many_nodes():
    """Return the tree of 100,002 tensors."""
    return build_nodes(tuple(blocks(33_334)))


@pytest.fixture
def tree(qtbot, show, english):
    found = ModuleTree()
    found.set_nodes(build_nodes(tuple(blocks(12))))
    found.set_checked([])
    show(found, 700, 640)
    qtbot.keyClick(found.tree_filter.flat, Qt.Key.Key_Space)
    return found


def row_names(tree):
    model = tree.model
    return [model.index(at, 0).data() for at in range(model.rowCount())]


def click(qtbot, tree, at, modifier=Qt.KeyboardModifier.NoModifier):
    view = tree.view
    place = view.visualRect(tree.model.index(at, Column.SPARSITY)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, modifier, place)


def entry(menu, words):
    return next(action for action in menu.actions() if action.text().startswith(words))


def test_the_list_keeps_qts_rules(tree, qtmodeltester):
    tree.model.sort(Column.SHAPE, DESCENDING)
    qtmodeltester.check(tree.model)


def test_the_switch_lists_all_tensors_by_their_whole_names_and_goes_back(tree, qtbot):
    assert row_names(tree) == [each.shown for each in blocks(12)]
    assert tree.view.accessibleName() == "Tensors"
    tree.set_focused("layers.3.norm.weight")
    with qtbot.waitSignal(tree.flatChanged):
        tree.tree_filter.flat.click()
    assert tree.view.accessibleName() == "Module tree"
    assert row_names(tree) == ["layers"]
    assert tree.focused_name() == "layers.3.norm.weight"
    assert tree.view.currentIndex().data() == "norm.weight"


def test_the_filter_holds_in_the_list(tree, qtbot):
    qtbot.keyClicks(tree.tree_filter.text, "*.norm.weight")
    assert row_names(tree) == [f"layers.{block}.norm.weight" for block in range(12)]


KEYS = {
    Column.NAME: lambda each, _gone: [
        (0, int(part), "") if part.isdigit() else (1, 0, part) for part in each.name.split(".")
    ],
    Column.KIND: lambda each, _gone: each.kind,
    Column.SHAPE: lambda each, _gone: each.shape,
    Column.TYPE: lambda each, _gone: each.dtype,
    Column.PARAMETERS: lambda each, _gone: each.numel,
    Column.TO_PRUNE: lambda each, gone: gone[each.name],
    Column.SPARSITY: lambda each, gone: gone[each.name] % 2 / each.numel,
}


def test_it_is_sorted_by_every_column(tree):
    rows = {each.name: each for each in blocks(12)}
    gone = {name: (7 * at) % 3 for at, name in enumerate(rows)}
    pruned = {name: many % 2 for name, many in gone.items()}
    tree.model.set_sparsity(pruned)
    tree.model.set_preview({name: pruned[name] + many for name, many in gone.items()})
    for (column, key), order in product(KEYS.items(), (ASCENDING, DESCENDING)):
        tree.view.sortByColumn(column, order)
        found = [key(rows[name], gone) for name in row_names(tree)]
        assert found == sorted(found, reverse=order == DESCENDING), column


def test_what_is_to_be_pruned_is_a_column_that_is_sorted_again_once_a_slider_rests(tree, qtbot):
    tree.view.sortByColumn(Column.TO_PRUNE, DESCENDING)
    tree.model.set_preview({"layers.4.norm.weight": 3, "layers.5.norm.weight": 1})
    qtbot.waitUntil(lambda: row_names(tree)[:2] == ["layers.4.norm.weight", "layers.5.norm.weight"])
    assert not tree.view.isColumnHidden(Column.TO_PRUNE)
    assert tree.model.index(0, Column.TO_PRUNE).data() == "3"
    assert tree.model.index(2, Column.TO_PRUNE).data() == "0"
    tree.model.set_preview({"layers.5.norm.weight": 4})
    qtbot.waitUntil(lambda: row_names(tree)[0] == "layers.5.norm.weight")


def test_rows_are_selected_with_shift_and_ctrl_and_checked_together(tree, qtbot):
    click(qtbot, tree, 0)
    click(qtbot, tree, 3, SHIFT)
    click(qtbot, tree, 6, CTRL)
    click(qtbot, tree, 1, CTRL)
    names = [row_names(tree)[at] for at in (0, 2, 3, 6)]
    qtbot.keyClick(tree.view, Qt.Key.Key_Space)
    assert list(tree.checked_names()) == names
    node = tree.model.index(3, 0).internalId()
    entry(tree.context_menu(node), "Uncheck the 4 selected rows").trigger()
    assert tree.checked_names() == ()
    entry(tree.context_menu(node), "Check the 4 selected rows").trigger()
    assert list(tree.checked_names()) == names
    # Sorting keeps the selection.
    tree.view.sortByColumn(Column.NAME, DESCENDING)
    qtbot.keyClick(tree.view, Qt.Key.Key_Space)
    assert tree.checked_names() == ()


def test_the_keyboard_selects_from_the_first_to_the_last_row(tree, qtbot):
    tree.view.setFocus()
    qtbot.keyClick(tree.view, Qt.Key.Key_Home)
    qtbot.keyClick(tree.view, Qt.Key.Key_End, SHIFT)
    qtbot.keyClick(tree.view, Qt.Key.Key_Space)
    assert len(tree.checked_names()) == 36


def test_the_same_role_is_checked_in_all_blocks_by_one_click(tree, qtbot):
    click(qtbot, tree, 1)
    node = tree.model.index(1, 0).internalId()
    entry(tree.context_menu(node), "Check the same layer in all blocks (12)").trigger()
    assert tree.checked_names() == tuple(f"layers.{block}.mlp.down.weight" for block in range(12))
    entry(tree.context_menu(node), "Uncheck the same layer in all blocks (12)").trigger()
    assert tree.checked_names() == ()


@pytest.mark.parametrize(
    ("name", "ends"), [("layers.3.mlp.down.weight", ["down"]), ("layers.3.mlp", ["down", "up"])]
)
def test_the_same_role_is_checked_from_a_tensor_and_a_module_of_the_tree(tree, name, ends):
    tree.set_flat(flat=False)
    tree.set_checked(())
    node = tree.model.nodes.paths.index(name)
    many = 12 * len(ends)
    entry(tree.context_menu(node), f"Check the same layer in all blocks ({many})").trigger()
    expected = {f"layers.{block}.mlp.{end}.weight" for block in range(12) for end in ends}
    assert set(tree.checked_names()) == expected


def test_ctrl_c_copies_rows_with_their_heads(tree, qtbot):
    tree.model.set_preview({"layers.0.mlp.up.weight": 8})
    click(qtbot, tree, 0)
    click(qtbot, tree, 1, SHIFT)
    qtbot.keyClick(tree.view, Qt.Key.Key_C, CTRL)
    heads, first, second = QGuiApplication.clipboard().text().split("\n")
    assert heads.split("\t")[0] == "Name"
    assert heads.split("\t")[-3:] == ["To be pruned", "Sparsity (%)", "Sparsity after (%)"]
    assert first.split("\t")[0] == "layers.0.mlp.up.weight"
    assert first.split("\t")[-3:] == ["8", "0", "25"]
    assert len(second.split("\t")) == len(heads.split("\t"))


def test_what_is_copied_is_a_number_for_a_spreadsheet(qtbot, english):
    """One number per cell, and the unit in the header; empty where there is none."""
    rows = (
        row("1,000", (1000, 2000), "Linear"),
        row("b", (3,), "norm")._replace(why_not="integers are not pruned"),
    )
    tree = ModuleTree()
    qtbot.addWidget(tree)
    tree.set_nodes(build_nodes(rows))
    tree.set_flat(flat=True)
    for column in Column:
        tree.view.show_column(column, shown=True)
    tree.model.set_sparsity({"1,000": 864_000})
    tree.view.selectAll()
    tree.view.copy_selected()
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    heads, *found = lines
    assert heads[:1] + heads[-3:] == ["Name", "Parameters", "To be pruned", "Sparsity (%)"]
    wanted = (
        ("1,000", "Linear", "1000×2000", "float32", "2000000", "0", "43.2"),
        ("b", "norm", "3", "float32", "3", "", ""),
    )
    titles = ("Name", "Layer type", "Shape", "dtype", *heads[-3:])
    for cells, told in zip(found, wanted, strict=True):
        assert (
            dict(zip(titles, told, strict=True)).items()
            <= dict(zip(heads, cells, strict=True)).items()
        )
    tree.model.set_preview({"1,000": 1_000_000})
    tree.view.copy_selected()
    heads, first, _ = (line.split("\t") for line in QGuiApplication.clipboard().text().split("\n"))
    assert heads[-3:] == ["To be pruned", "Sparsity (%)", "Sparsity after (%)"]
    assert first[-3:] == ["136000", "43.2", "50"]
    table = CountsTable(("Name", "Share"), 2, (("a", "1,234.5\u00a0%"), ("b", "–")).__getitem__)
    qtbot.addWidget(table)
    table.selectAll()
    qtbot.keyClick(table, Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "Name\tShare (%)\na\t1234.5\nb\t"


@pytest.mark.parametrize("flat", [True, False])
def test_a_dash_is_what_cannot_be_pruned_and_stands_at_the_end(qtbot, english, flat):
    """Tensors that can be pruned, but are not, have 0 %, whether checked or not."""
    rows = (
        row("int", (4,), "")._replace(why_not="integers are not pruned"),
        row("weight", (4, 4), "Linear"),
        row("bias", (4,), "norm"),
        row("other", (4, 4), "Linear"),
    )
    tree = ModuleTree()
    qtbot.addWidget(tree)
    tree.set_nodes(build_nodes(rows))
    tree.set_flat(flat=flat)
    tree.model.set_sparsity({"other": 8})
    tree.model.set_preview({"other": 12})
    said = {
        name: tree.model.index_of(tree.model.nodes.paths.index(name), Column.SPARSITY).data()
        for name in ("int", "weight", "bias", "other")
    }
    assert said == {
        "int": "–",
        "weight": "0\u00a0%",
        "bias": "0\u00a0%",
        "other": "50.0 → 75.0\u00a0%",
    }
    for column in (Column.SPARSITY, Column.TO_PRUNE):
        tree.view.sortByColumn(column, ASCENDING)
        assert row_names(tree) == ["weight", "bias", "other", "int"], column
        tree.view.sortByColumn(column, DESCENDING)
        assert row_names(tree) == ["other", "weight", "bias", "int"], column


def arrow(view):
    """Return the widths of the lines of the sort arrow, from top to bottom."""
    header = view.header()
    order, column = header.sortIndicatorOrder(), header.sortIndicatorSection()
    painted = header.grab().toImage()
    header.setSortIndicator(-1, order)
    without = header.grab().toImage()
    header.setSortIndicator(column, order)
    rows = (
        sum(painted.pixel(x, y) != without.pixel(x, y) for x in range(painted.width()))
        for y in range(painted.height())
    )
    return [wide for wide in rows if wide]


@pytest.mark.parametrize("order", [ASCENDING, DESCENDING])
def test_the_arrow_points_as_in_every_list_of_this_style(tree, order):
    """As in Qt's file dialog: the arrow of the style, not one of ours."""
    usual = QTreeView()
    usual.setPalette(tree.view.palette())
    usual.setStyle(tree.view.style())
    usual.setModel(QFileSystemModel(usual))
    usual.setSortingEnabled(True)
    usual.sortByColumn(0, order)
    tree.view.sortByColumn(Column.NAME, order)
    ours, theirs = arrow(tree.view), arrow(usual)
    assert len(ours) > 2
    assert (ours[0] < ours[-1]) == (theirs[0] < theirs[-1])
    assert (row_names(tree)[0] == "layers.0.mlp.down.weight") == (order == ASCENDING)


def test_other_tables_copy_rows_too_and_nothing_is_computed_by_a_spreadsheet(qtbot):
    rows = [("=SUM(A1)\tand\nmore", "-1,000"), ("plain", "+x")]
    table = CountsTable(("Name", "Number"), 2, rows.__getitem__)
    qtbot.addWidget(table)
    table.selectAll()
    qtbot.keyClick(table, Qt.Key.Key_C, CTRL)
    text = QGuiApplication.clipboard().text()
    assert text == "Name\tNumber\n'=SUM(A1)\\u0009and\\u000amore\t-1000\nplain\t'+x"
    copy_rows(table, NOTHING)
    assert QGuiApplication.clipboard().text() == text


def test_names_without_room_are_shortened_so_that_they_differ(tree, qtbot):
    names = [each.shown for each in blocks(12)]
    tree.set_short_names(ShortNames(names))
    assert tree.view.delegate.short is not None
    tree.tree_filter.flat.click()
    assert tree.view.delegate.short is None


def test_100_000_tensors_stay_fluent(qtbot, show, english, many_nodes):
    rows = many_nodes.rows
    tree = ModuleTree()
    tree.set_nodes(many_nodes)
    show(tree, 700, 640)
    took = {}

    def timed(what, do):
        began = time.thread_time()
        do()
        tree.view.viewport().repaint()
        took[what] = time.thread_time() - began

    timed("list", lambda: tree.set_flat(flat=True))
    timed("preview", lambda: tree.model.set_preview({each.name: each.numel // 2 for each in rows}))
    for column in Column:
        timed(column.name, lambda column=column: tree.view.sortByColumn(column, DESCENDING))
    timed("filter", lambda: tree.model.set_filter(Filter(text="mlp")))
    timed("end", lambda: qtbot.keyClick(tree.view, Qt.Key.Key_End))
    timed("select", lambda: tree.view.select_nodes(tree.model.listing.tensor_order()[:3_000]))
    timed("check", lambda: qtbot.keyClick(tree.view, Qt.Key.Key_Space))
    first = tree.model.index(0, 0).internalId()
    timed("menu", lambda: tree.context_menu(first))
    tree.view.select_nodes(tree.model.listing.tensor_order())
    timed("menu of all", lambda: tree.context_menu(first))
    timed("nodes of all", tree.view.selected_nodes)
    timed("clear all", lambda: qtbot.keyClick(tree.view, Qt.Key.Key_Space))
    timed("check all", lambda: qtbot.keyClick(tree.view, Qt.Key.Key_Space))
    timed("names", lambda: tree.set_checked([each.name for each in rows]))
    timed("one", lambda: tree.set_focused(rows[-2].name))
    assert tree.model.rowCount() == 66_668
    slow = {what: round(seconds, 2) for what, seconds in took.items() if seconds > 0.5}
    assert set(slow) <= {"end"}, took


def test_the_end_of_a_long_list_is_reached_and_a_range_is_selected(qtbot, english, monkeypatch):
    count = 7_000
    tree = ModuleTree()
    qtbot.addWidget(tree)
    tree.set_nodes(build_nodes(tuple(blocks(count))))
    tree.resize(700, 640)
    tree.set_flat(flat=True)
    view, last = tree.view, 3 * count - 1
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.currentIndex().internalId() == tree.model.listing.children(0)[-1]
    # The current row is far from the top afterwards, and the list does not scroll to it.
    view.sortByColumn(Column.KIND, ASCENDING)
    assert tree.model.rowCount() < count
    with qtbot.waitExposed(tree):
        tree.show()
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.currentIndex().row() == tree.model.rowCount() - 1 == last

    # Qt would query each row of a range four times: 0.4 s for 100,000.
    asked = []
    index = type(tree.model).index
    monkeypatch.setattr(tree.model, "index", lambda *at: asked.append(at) or index(tree.model, *at))
    for key, selected in (
        (Qt.Key.Key_Home, (0, last)),
        (Qt.Key.Key_Down, (1, last)),
        (Qt.Key.Key_End, (last, last)),
    ):
        qtbot.keyClick(view, key, SHIFT)
        (part,) = view.selectionModel().selection().toList()
        assert (part.top(), part.bottom()) == selected
        assert part.left() == 0
        assert part.right() == len(Column) - 1
    assert 0 < len(asked) < 1_000


def test_an_asterisk_lays_out_little_of_a_long_list(qtbot, show, monkeypatch, many_nodes):
    tree = ModuleTree()
    tree.set_nodes(many_nodes)
    show(tree, 400, 640)
    tree.view.setCurrentIndex(tree.model.index(0, 0))
    asked = []
    flags = type(tree.model).flags
    monkeypatch.setattr(tree.model, "flags", lambda at: asked.append(at) or flags(tree.model, at))
    measured = []
    size = type(tree.view.delegate).sizeHint
    monkeypatch.setattr(
        tree.view.delegate,
        "sizeHint",
        lambda *of: measured.append(of) or size(tree.view.delegate, *of),
    )
    qtbot.keyClick(tree.view, Qt.Key.Key_Asterisk)
    tree.view.viewport().repaint()
    assert 1_000 < len(asked) < 15_000
    assert len(measured) < 1_000


def test_a_sorted_list_opens_at_its_top(tree, qtbot):
    """Regression: it opened at the current row, with larger tensors scrolled out above."""
    tree.resize(700, 300)
    tree.view.sortByColumn(Column.SHAPE, DESCENDING)
    qtbot.keyClick(tree.tree_filter.flat, Qt.Key.Key_Space)
    tree.set_focused("layers.11.norm.weight")
    qtbot.keyClick(tree.tree_filter.flat, Qt.Key.Key_Space)
    assert tree.view.verticalScrollBar().maximum() > 0
    assert tree.view.indexAt(tree.view.viewport().rect().topLeft()).row() == 0


@pytest.mark.parametrize("flat", [False, True], ids=["tree", "list"])
def test_the_frame_of_the_focus_stays_at_the_edge_while_rows_are_scrolled(
    qtbot, english, flat, real_pixels
):
    """Regression: Qt scrolled the frame with the rows: its upper line was missing or misplaced."""
    tree = ModuleTree()
    qtbot.addWidget(tree)
    tree.resize(500, 400)
    tree.set_nodes(build_nodes(tuple(blocks(60))))
    tree.set_flat(flat=flat)
    with qtbot.waitActive(tree):
        tree.show()
        tree.activateWindow()
    view, port = tree.view, tree.view.viewport()
    view.expandAll()
    view.setFocus()
    view.setCurrentIndex(view.indexAt(QPoint(60, 150)))
    for notches in (-1, -1, 1, -4):
        at = QPointF(port.rect().center())
        turned = QPoint(0, 120 * notches)
        wheel = QWheelEvent(
            at,
            port.mapToGlobal(at),
            QPoint(),
            turned,
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(port, wheel)
        scrolled = real_pixels(tree)
        port.update()
        assert np.abs(scrolled - real_pixels(tree)).max() <= 2, notches


@pytest.fixture
def real_pixels(qtbot):
    """Return a function that grabs a window from the screen, as `grab` would repaint it."""

    def grab_screen(widget):
        qtbot.wait(30)
        image = widget.screen().grabWindow(widget.winId()).toImage()
        image = image.convertToFormat(QImage.Format.Format_RGB32)
        return np.frombuffer(image.constBits(), np.uint8).astype(np.int16)

    return grab_screen
