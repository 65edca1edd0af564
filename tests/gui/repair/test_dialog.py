"""The dialog before a repair: the layers, and the warnings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QCheckBox, QLabel

from pruneapp.gui.evaluation.source_choice import DataKind, DataSource
from pruneapp.gui.repair.dialogs import RepairDialog
from pruneapp.gui.repair.repair_controller import PARAMS
from pruneapp.repair.repair import PrunedLayer


@pytest.fixture
def dialog(show, english):
    kinds = (DataKind.SCRIPT, DataKind.STATISTICS)
    return show(RepairDialog(kinds, PARAMS, {"a.weight": "a"}), 720, 620)


def layers(*shares):
    return [
        PrunedLayer(name, 100, share, 8 * 10**6)
        for name, share in zip(("a.weight", "b.weight"), shares, strict=True)
    ]


def test_layers_memory_and_what_comes_of_a_layer_are_said(dialog):
    dialog.set_layers(layers(50, 90))
    model = dialog.table.model()
    cells = [model.index(0, column).data().replace("\u00a0", " ") for column in range(4)]
    assert cells == ["a", "50.0 %", "50", "to be collected"]
    assert dialog.note.text() == (
        "Gram matrices: 16 MB, in temporary files. Memory: about 16 MB to compute the largest "
        "layer."
    )
    assert dialog.risk.isHidden()


def test_layers_of_which_only_whole_outputs_are_pruned_are_not_counted(dialog):
    """Regression: "Repair 12 layers", of which 6 were changed."""
    first, second = layers(50, 90)
    dialog.set_layers([replace(first, only_outputs=True), second])
    assert dialog.go.text() == "Repair 1 layer"
    assert dialog.headline.text() == "2 pruned layers"
    assert dialog.note.text().startswith("1 layer is not changed: only whole output features")
    model = dialog.table.model()
    assert [model.index(row, 3).data() for row in range(2)] == ["not used", "to be collected"]
    dialog.editors["sequential"].set_value(True)
    dialog.editors["sequential"].changed.emit()
    assert dialog.go.text() == "Repair 2 layers", "their inputs differ from the unpruned model"
    assert "cannot change" not in dialog.note.text()
    dialog.editors["sequential"].set_value(False)
    dialog.set_layers([replace(first, only_outputs=True)])
    assert dialog.go.text() == "Nothing to repair"
    assert not dialog.go.isEnabled()


def test_uniform_high_sparsity_is_warned_of_before_anything_runs(dialog):
    dialog.set_layers(layers(80, 80))
    assert dialog.risk.isVisible()
    assert dialog.risk.text().startswith("▲ All 2 layers have nearly the same high sparsity (80 %)")
    dialog.set_layers(layers(50, 80))
    assert dialog.risk.isHidden()


def test_without_layers_there_is_nothing_to_repair(dialog):
    dialog.set_layers([])
    assert not dialog.go.isEnabled()
    assert dialog.go.text() == "Nothing to repair"


def test_a_box_says_itself_what_it_is_for(dialog):
    """An unlabelled box before the word "yes" would be hard to understand."""
    texts = [box.text() for box in dialog.findChildren(QCheckBox)]
    assert texts == ["Adjust norm layers", "Sequential"]
    assert not {"Adjust norm layers", "Sequential"} & {
        one.text() for one in dialog.findChildren(QLabel)
    }


def test_sequential_says_how_often_the_inputs_are_run(dialog):
    """It compensates for a uniform sparsity; a statistics file has no inputs to run."""
    dialog.set_layers(layers(80, 80))
    assert dialog.risk.isVisible()
    dialog.editors["sequential"].set_value(True)
    dialog.editors["sequential"].changed.emit()
    assert dialog.risk.isHidden()
    assert "then up to 2 times more through both models" in dialog.note.text()
    dialog.source.set_source(DataSource(DataKind.STATISTICS, "/x/statistics.safetensors"))
    dialog.set_layers(layers(80, 80))
    assert dialog.note.text().startswith("✕ Sequential repair needs input data")
    assert not dialog.go.isEnabled()
    dialog.editors["sequential"].set_value(False)
    dialog.editors["sequential"].changed.emit()
    assert dialog.go.isEnabled()


def test_it_says_where_layers_are_solved_if_their_gram_matrices_exceed_the_memory(dialog):
    dialog.editors["memory"].set_value(10**7)
    dialog.set_layers(layers(50, 90))
    assert dialog.note.text().startswith(
        "Gram matrices: 16 MB, more than the memory limit. The layers"
    )
