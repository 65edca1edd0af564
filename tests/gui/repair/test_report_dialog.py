"""The report of a repair: sorted by mouse and keys, layers that got worse are marked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt

from pruneapp.gui.repair.dialogs import LayerOrder, RepairReportDialog
from pruneapp.repair.repair import LayerRepair

LAYERS = (
    LayerRepair("a.weight", 5, 10, 0.02, 0.01, 0.015, numel=100),
    LayerRepair("b.weight", 7, 20, 0.5, 0.1, 0.1, numel=100),
    LayerRepair("c.weight", 1, 5, 0.1, 0.1, 0.2, numel=100),
)


@pytest.fixture
def report(show, english):
    return show(
        RepairReportDialog(
            LAYERS,
            risks=("1 layer has a larger error after the repair than before: c.weight.",),
            unknown=("d.weight",),
            source="s.py",
            shown={"a.weight": "a"},
        ),
        700,
        600,
    )


def test_biases_that_moved_are_counted(show, english):
    """Regression: the report did not mention 5 biases with new values."""
    layers = (*(replace(layer, bias=f"{layer.name}.bias") for layer in LAYERS[:2]), LAYERS[2])
    for moved, words in ((layers, "2 biases or running means"), (layers[1:], "1 bias or running")):
        report = show(RepairReportDialog(moved, risks=(), unknown=(), source="", shown={}))
        assert f"have new values. {words}" in report.headline.text()


def names(report):
    model = report.table.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_errors_are_shown_and_worse_layers_marked(report):
    assert names(report) == ["a", "b.weight", "▲ c.weight"]
    model = report.table.model()
    cells = [model.index(0, column).data().replace("\u00a0", " ") for column in range(6)]
    assert cells == ["a", "10", "5", "2.000 %", "1.000 %", "1.500 %"]
    assert report.headline.text() == "3 layers repaired: 13 weights have new values."
    assert report.risks[0].text().startswith("▲ 1 layer has a larger error")
    assert report.risks[0].text() in report.as_text()


def test_a_click_on_a_heading_and_the_keys_sort(report, qtbot):
    header = report.table.horizontalHeader()
    at = QPoint(header.sectionViewportPosition(3) + 10, 5)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert names(report) == ["b.weight", "▲ c.weight", "a"]
    assert report.sort.currentIndex() == LayerOrder.BEFORE.value
    report.sort.setFocus()
    qtbot.keyClick(report.sort, Qt.Key.Key_Home)
    assert names(report) == ["a", "b.weight", "▲ c.weight"]
