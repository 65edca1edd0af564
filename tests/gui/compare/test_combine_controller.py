"""The dialog that combines masks, with the tensor names of a transformer."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from pruneapp.edits.existing_masks import Overlap, TensorOverlap
from pruneapp.gui.compare.combine_controller import CombineDialog
from pruneapp.gui.widgets.short_names import ShortNames

PARTS = ("attention.self.query.weight", "attention.output.LayerNorm.bias", "output.dense.weight")
NAMES = [f"bert.encoder.layer.{n}.{part}" for n in range(12) for part in PARTS]


def make(names=NAMES, **options):
    overlaps = tuple(TensorOverlap(name, 589_824, 176_947, 45, 88_474) for name in names)
    options.setdefault("short", ShortNames(names))
    return CombineDialog("pruned.safetensors", Overlap(overlaps), {}, **options)


@pytest.mark.parametrize("narrow", [False, True])
def test_names_have_room_beside_the_numbers(qtbot, narrow):
    """Regression: the columns of numbers left 30 pixels for the names."""
    dialog = make(by_zeros=True)
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    if narrow:
        dialog.resize(dialog.minimumSizeHint())
    table = dialog.table
    header, advance = table.horizontalHeader(), table.fontMetrics().horizontalAdvance
    longest = max(NAMES, key=len)
    wanted = advance("0" * 24 if narrow else longest)
    assert header.sectionSize(0) >= wanted
    model = table.model()
    for column in range(1, 5):
        heading = model.headerData(column, Qt.Orientation.Horizontal)
        text = max(advance(model.index(0, column).data()), advance(heading))
        assert text < header.sectionSize(column) < text + 20
    assert table.horizontalScrollBar().maximum() == 0
    assert table.textElideMode() == Qt.TextElideMode.ElideMiddle
    assert model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole) == NAMES[1]


def test_no_dialog_is_wider_for_its_names_than_a_screen(qtbot):
    dialog = make([f"{'block.' * 60}{n}.weight" for n in range(3)])
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    assert dialog.width() <= 960
