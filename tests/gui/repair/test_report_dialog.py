"""The report of a repair: sorted by mouse and keys, layers that got worse are marked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt

from pruneapp.gui.repair.dialogs import LayerOrder, RepairReportDialog
from pruneapp.repair.repair import LayerRepair

LAYERS = (
    LayerRepair("a.weight", 5, 10, 0.02, 0.01, 0.015, numel=100, is_rounded=True),
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


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, ""),
        ({"bias": "a.bias"}, " Also adjusted: 1 bias."),
        ({"bias": "bn.running_mean"}, " Also adjusted: 1 running mean."),
        (
            {"bias": "a.bias", "variance": "bn.running_var"},
            " Also adjusted: 1 bias, 1 running variance.",
        ),
    ],
)
def test_tensors_that_changed_with_the_weights_are_counted_by_kind(show, english, changed, words):
    """Regression: 37 biases of a BERT model were called "biases or running means"."""
    layers = replace(LAYERS[0], **changed), *LAYERS[1:]
    report = show(RepairReportDialog(layers, risks=(), unknown=(), source="", shown={}))
    assert report.headline.text() == f"3 layers repaired: 13 weights have new values.{words}"


def test_only_changed_layers_are_counted(show, english):
    """Regression: "12 layers repaired" although 6 rows of the table had 0 changed weights."""
    layers = *LAYERS, replace(LAYERS[0], name="d.weight", moved=0)
    report = show(RepairReportDialog(layers, risks=(), unknown=(), source="", shown={}))
    assert report.headline.text() == "3 layers repaired: 13 weights have new values."
    assert report.notes[0].text() == (
        "1 layer is unchanged, because new values would not reduce its error: the remaining "
        "weights cannot restore whole output features or channels that are pruned. Pruned layers "
        "that read its outputs are repaired instead."
    )
    model = report.table.model()
    cells = [model.index(3, at).data().replace("\u00a0", " ") for at in range(6)]
    assert cells == ["d.weight", "10", "0", "2.000 %", "unchanged", "unchanged"]


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


def test_the_error_after_rounding_is_shown_only_if_a_tensor_is_rounded(show, english):
    """For float32 both columns had equal numbers; the error after is that of the stored values."""
    layer = replace(LAYERS[0], is_rounded=False)
    report = show(RepairReportDialog((layer,), risks=(), unknown=(), source="", shown={}))
    model = report.table.model()
    cells = [model.index(0, at).data().replace("\u00a0", " ") for at in range(model.columnCount())]
    assert cells == ["a.weight", "10", "5", "2.000 %", "1.500 %"]
    assert "After rounding" not in report.as_text()
    assert report.sort.count() == model.columnCount()


def test_a_click_on_a_heading_and_the_keys_sort(report, qtbot):
    header = report.table.horizontalHeader()
    at = QPoint(header.sectionViewportPosition(3) + 10, 5)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert names(report) == ["b.weight", "▲ c.weight", "a"]
    assert report.sort.currentIndex() == LayerOrder.BEFORE.value
    report.sort.setFocus()
    qtbot.keyClick(report.sort, Qt.Key.Key_Home)
    assert names(report) == ["a", "b.weight", "▲ c.weight"]
