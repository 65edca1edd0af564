"""Every column of the tree and the list behaves as its declaration says."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from pruneapp.checkpoint.entry import TensorRow
from pruneapp.gui.tree.columns import ALWAYS, COLUMNS, LIVE, Column
from pruneapp.gui.tree.nodes import build_nodes
from pruneapp.gui.tree.panel import ModuleTree

HORIZONTAL, ROLE = Qt.Orientation.Horizontal, Qt.ItemDataRole
ROWS = (
    TensorRow("conv.weight", "conv.weight", "Conv2d", (8, 4, 3, 3), "float32", 288, 1152, "", True),
    TensorRow("conv.bias", "conv.bias", "bias", (8,), "float32", 8, 32),
    TensorRow("layer10.weight", "layer10.weight", "Linear", (4, 10), "bfloat16", 40, 80, "", True),
    TensorRow("layer2.weight", "layer2.weight", "Linear", (4, 9), "bfloat16", 36, 72, "", True),
    TensorRow("norm.mean", "norm.mean", "norm", (8,), "float64", 8, 64, buffer=True),
    TensorRow("steps", "steps", "", (), "int64", 1, 8, "integers are not pruned"),
)


@pytest.fixture(params=[False, True], ids=["tree", "list"])
def tree(request, show, english):
    found = ModuleTree()
    found.set_nodes(build_nodes(ROWS))
    found.set_flat(flat=request.param)
    found.model.set_sparsity({"conv.weight": 100})
    found.model.set_preview({"conv.weight": 200, "layer2.weight": 30})
    return show(found, 1400, 600)


def test_names_are_first_and_what_a_preview_changes_is_last():
    assert (0, len(Column) - 1) == (Column.NAME, Column.SPARSITY)
    assert [spec.live for spec in COLUMNS] == [column >= LIVE for column in Column]
    assert [column for column in Column if column.spec.bar] == [Column.SPARSITY]
    assert len({spec.title for spec in COLUMNS}) == len(COLUMNS)


def test_columns_are_shown_as_they_are_declared(tree):
    view, model = tree.view, tree.model
    stays = {each: each.spec.in_list if model.flat else each.spec.in_tree for each in Column}
    assert [each for each in Column if view.isColumnHidden(each)] == [
        each for each in Column if not stays[each]
    ]
    tree.resize(view.minimumWidth(), 600)
    assert [each for each in Column if not view.isColumnHidden(each)] == [
        each for each in Column if stays[each] == ALWAYS
    ]
    for column in Column:
        check_cells(view, model, column)


def check_cells(view, model, column):
    spec = column.spec
    view.show_column(column, shown=True)
    assert not view.isColumnHidden(column)
    assert view.columnWidth(column) >= view.fontMetrics().horizontalAdvance(spec.sample)
    assert model.headerData(column, HORIZONTAL) == spec.title
    assert (model.headerData(column, HORIZONTAL, ROLE.ToolTipRole) or "") == spec.tip
    for node in range(1, len(model.nodes)):
        index = model.index_of(node, column)
        assert index.isValid() != (model.flat and model.nodes.tensor[node] < 0)
        if index.isValid():
            assert isinstance(index.data(), str)
            accessible_text = index.data(ROLE.AccessibleTextRole)
            assert (accessible_text is None) == (spec.accessible_text is None)
            assert (index.data(ROLE.TextAlignmentRole) is None) == (not spec.number)


def test_it_is_sorted_by_every_column_and_what_has_nothing_is_last(tree):
    for column in Column:
        for order in Qt.SortOrder:
            tree.view.sortByColumn(column, order)
            check_order(tree.model, column, order)


def check_order(model, column, order):
    nodes = model.listing.children(0)
    keys = column.spec.keys(model.cells, nodes).tolist()
    numbers = [key for key in keys if not math.isnan(key)]
    assert len(set(numbers)) > 1, "all cells of the column are equal"
    assert numbers == sorted(numbers, reverse=order == Qt.SortOrder.DescendingOrder)
    assert all(map(math.isnan, keys[len(numbers) :]))
    assert [model.index(row, column).internalId() for row in range(len(nodes))] == nodes.tolist()


def test_what_the_settings_keep_of_a_column_is_found_again(tree, qtbot):
    for column in list(Column)[1:]:
        tree.view.sortByColumn(column, Qt.SortOrder.DescendingOrder)
        order = tree.view.order(flat=tree.model.flat)
        kept = {"shown": ["name", column.id], "widths": {column.id: 173}, **order}
        assert order["sorted"] == column.id
        other = ModuleTree()
        qtbot.addWidget(other)
        other.set_flat(flat=True)
        other.view.set_columns(kept)
        assert other.view.columns() == kept
        assert other.view.columnWidth(column) == 173


def test_copied_rows_have_every_column_with_its_head(tree):
    view, model = tree.view, tree.model
    for column in Column:
        view.show_column(column, shown=True)
    view.selectAll()
    view.copy_selected()
    heads, *rows = (line.split("\t") for line in QGuiApplication.clipboard().text().split("\n"))
    heads, titles = [head.removesuffix(" (%)") for head in heads], [spec.title for spec in COLUMNS]
    after = [spec for spec in COLUMNS if spec.copied_after]
    assert heads == titles + [spec.copied_after[0] for spec in after]
    texts = [spec.copied or spec.text for spec in COLUMNS] + [
        spec.copied_after[1] for spec in after
    ]
    for row, node in zip(rows, view.selected_nodes(), strict=True):
        for copied, text in zip(row, texts, strict=True):
            whole = text(model.cells, node)
            bare = whole.replace(",", "").removesuffix("\u00a0%")
            assert copied in {whole, "" if whole == "–" else bare}


def test_shapes_are_sorted_by_their_dimensions_and_not_by_their_digits(tree):
    tree.view.sortByColumn(Column.SHAPE, Qt.SortOrder.AscendingOrder)
    shapes = [
        tree.model.nodes.rows[n].shape
        for n in tree.model.nodes.tensor[tree.model.listing.tensor_order()]
    ]
    assert shapes.index((4, 9)) < shapes.index((4, 10))
