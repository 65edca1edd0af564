"""Names of a model of words in the window as it is opened: all of them can be read."""

import pytest
import torch
from PySide6.QtWidgets import QStyleOptionViewItem
from safetensors.torch import save_file

from pruneapp.gui.views.tree.cells import Column

PARTS = (
    *("attention.self.query", "attention.self.key", "attention.self.value"),
    *("attention.output.dense", "attention.output.LayerNorm", "intermediate.dense"),
    *("output.dense", "output.LayerNorm"),
)
EMBEDDINGS = ("word_embeddings.weight", "position_embeddings.weight")


@pytest.fixture
def bert(person, tmp_path):
    names = [f"embeddings.{part}" for part in (*EMBEDDINGS, "token_type_embeddings.weight")]
    names += [
        f"encoder.layer.{n}.{part}.{kind}"
        for n in range(12)
        for part in PARTS
        for kind in ("weight", "bias")
    ]
    names += ["embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias", "pooler.dense.weight"]
    save_file({name: torch.ones(4, 4) for name in names}, tmp_path / "model.safetensors")
    person.window.resize(1280, 800)
    person.drop(tmp_path / "model.safetensors")
    person.wait(lambda: person.document is not None)
    return person


def painted(view, index):
    """Return the name of a row as it is painted, and whether it has room."""
    option = QStyleOptionViewItem()
    option.rect = view.visualRect(index)
    option.font, option.fontMetrics = view.font(), view.fontMetrics()
    view.delegate.initStyleOption(option, index)
    room = option.rect.width() - option.fontMetrics.height() - 12
    return option.text, option.fontMetrics.horizontalAdvance(option.text) <= room


def test_every_name_of_the_list_can_be_read(bert):
    view, dock = bert.views.tree.view, bert.views.tree_dock
    before = dock.width()
    bert.key("Ctrl+L")
    bert.wait(lambda: dock.width() > before)
    model = view.model()
    seen = [painted(view, model.index(row, Column.NAME)) for row in range(model.rowCount())]
    assert all(fits for _, fits in seen), [text for text, fits in seen if not fits]
    assert len({text for text, _ in seen}) == len(seen) == model.rowCount()
    # All of it is to be seen without scrolling, and how sparse it is.
    assert view.header().length() <= view.viewport().width()
    assert not view.isColumnHidden(Column.SPARSITY)
    bert.key("Ctrl+L")
    bert.wait(lambda: dock.width() == before)


def test_a_list_in_a_narrow_dock_scrolls_and_cuts_no_name(bert):
    view, tree = bert.views.tree.view, bert.views.tree
    bert.key("Ctrl+L")
    tree.setFixedWidth(260)
    bert.wait(lambda: view.viewport().width() <= 260)
    rows = view.model().rowCount()
    assert all(painted(view, view.model().index(row, 0))[1] for row in range(rows))
    assert view.horizontalScrollBar().maximum() > 0
