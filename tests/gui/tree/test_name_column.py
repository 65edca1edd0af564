"""Names of a language model in the window as it opens: all are readable."""

import json
import math

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QStyleOptionViewItem
from safetensors.torch import save_file

from pruneapp.checkpoint.entry import TensorRow
from pruneapp.gui.tree.columns import Column
from pruneapp.gui.tree.nodes import build_nodes

PARTS = (
    *("attention.self.query", "attention.self.key", "attention.self.value"),
    *("attention.output.dense", "attention.output.LayerNorm", "intermediate.dense"),
    *("output.dense", "output.LayerNorm"),
)
EMBEDDINGS = ("word_embeddings.weight", "position_embeddings.weight")


@pytest.fixture
def bert(user, tmp_path):
    names = [f"embeddings.{part}" for part in (*EMBEDDINGS, "token_type_embeddings.weight")]
    names += [
        f"encoder.layer.{n}.{part}.{kind}"
        for n in range(12)
        for part in PARTS
        for kind in ("weight", "bias")
    ]
    names += ["embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias", "pooler.dense.weight"]
    save_file({name: torch.ones(4, 4) for name in names}, tmp_path / "model.safetensors")
    user.window.resize(1280, 800)
    user.drop(tmp_path / "model.safetensors")
    user.wait(lambda: user.document is not None)
    return user


def painted_name(view, index):
    """Return the name of a row as painted, and whether it fits."""
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
    seen = [painted_name(view, model.index(row, Column.NAME)) for row in range(model.rowCount())]
    assert all(fits for _, fits in seen), [text for text, fits in seen if not fits]
    assert len({text for text, _ in seen}) == len(seen) == model.rowCount()
    # The whole name and the sparsity are visible without scrolling.
    assert view.header().length() <= view.viewport().width()
    assert not view.isColumnHidden(Column.SPARSITY)
    wide = dock.width()
    bert.window.resize(bert.window.width() + 40, bert.window.height())
    bert.pause(30)
    assert dock.width() == wide, "it grows with the window only if nothing else set its width"
    bert.key("Ctrl+L")
    bert.wait(lambda: dock.width() == before)

    # In a narrow dock, the sparsity is visible as well.
    bert.key("Ctrl+L")
    bert.views.tree.setFixedWidth(260)
    bert.wait(lambda: view.viewport().width() <= 260)
    assert view.header().length() <= view.viewport().width()
    assert not view.isColumnHidden(Column.SPARSITY)
    assert view.horizontalScrollBar().maximum() == 0
    name = model.index(0, Column.NAME)
    assert str(name.data()) in str(name.data(Qt.ItemDataRole.ToolTipRole))


def rows_of(view):
    """Return the names of all expanded rows, from top to bottom."""
    index = view.model().index(0, Column.NAME)
    while index.isValid():
        yield index
        index = view.indexBelow(index)


def test_every_name_of_the_tree_can_be_read(bert):
    """With two levels expanded, at the initial width of the tree."""
    view = bert.views.tree.view
    view.expandToDepth(1)
    bert.pause(50)
    indices = list(rows_of(view))
    assert len(indices) > 40
    for index in indices:
        view.scrollTo(index)
        text, _ = painted_name(view, index)
        lines, rect = text.split("\u2028"), view.visualRect(index)
        assert "".join(lines) == index.data(), "nothing is left out"
        metrics = view.fontMetrics()
        room = rect.width() - metrics.height() - 12
        assert max(map(metrics.horizontalAdvance, lines)) <= room
        assert len(lines) * metrics.height() <= rect.height()
    wide = [view.visualRect(index).height() for index in indices]
    view.scrollToTop()
    bert.window.resize(1900, 1000)
    dock = bert.views.tree_dock
    bert.window.resizeDocks([dock], [600], Qt.Orientation.Horizontal)
    highest = wide.index(max(wide))
    bert.wait(lambda: view.visualRect(indices[highest]).height() < max(wide))
    for index in indices:
        view.scrollTo(index)
        assert painted_name(view, index) == (index.data(), True), "one line if it fits"
    assert {view.visualRect(index).height() for index in indices} == {min(wide)}

    # Regression: "token_type…beddings." at 1280 pixels, as Qt does not round fractional widths.
    metrics = view.fontMetrics()
    exact = QFontMetricsF(metrics).horizontalAdvance
    name = "token_type_embeddings.weight"
    for room in range(60, 220):
        lines = view.delegate._lines(name, metrics, room)
        assert "".join(lines) == name
        assert max(map(exact, lines)) <= room, lines

    # A module of equal blocks includes their number.
    tree = bert.views.tree
    layers = tree.model.index_of(tree.model.nodes.paths.index("encoder.layer"))
    assert layers.data() == "encoder.layer ×12"
    assert "12 blocks of the same layers and sizes" in layers.data(Qt.ItemDataRole.ToolTipRole)
    view.setExpanded(layers, False)
    view.scrollTo(layers)
    assert painted_name(view, layers) == ("encoder.layer ×12", True)
    tree.model.sort(Column.NAME)
    assert tree.model.index_of(layers.internalId()).data() == "encoder.layer ×12"


def test_the_window_names_the_model(user, tmp_path):
    for number, (config, starts) in enumerate(
        (
            ('{"architectures": ["BertModel"], "num_hidden_layers": 12}', "BertModel   ·   "),
            ('{"model_type": "llama"}', "llama   ·   "),
            ('{"architectures": 5}', ""),
            ("[" * 20_000, ""),
            ("{}", ""),
        )
    ):
        folder = tmp_path / f"model{number}"
        folder.mkdir()
        save_file({"a.weight": torch.ones(4, 4)}, folder / "model.safetensors")
        (folder / "config.json").write_text(config)
        (folder / "tokenizer.json").write_text("{}")
        user.drop(folder)
        user.wait_open(folder)
        label = user.window.model_status.text
        assert label.text().startswith(f"{starts}16 parameters")
        layers = "12 layers   ·   " if "num_hidden_layers" in config else ""
        assert label.text().endswith(f"% pruned   ·   {layers}float32")
        assert "Folder exports also copy: config.json, tokenizer.json" in label.toolTip()


@pytest.mark.parametrize(
    ("pooling", "kind"),
    [
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean pooling"),
        ({"pooling_mode": "cls"}, "cls pooling"),
        ({}, ""),
    ],
)
def test_the_window_names_the_pooling_of_a_sentence_encoder(user, tmp_path, pooling, kind):
    folder = tmp_path / "encoder"
    (folder / "1_Pooling").mkdir(parents=True)
    names = "encoder.layer.0.output.dense.weight", "pooler.dense.weight"
    save_file({name: torch.ones(4, 4) for name in names}, folder / "model.safetensors")
    (folder / "config.json").write_text('{"architectures": ["BertModel"]}')
    module = {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}
    (folder / "modules.json").write_text(json.dumps([module]))
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    user.open_file(folder / "model.safetensors")
    label = user.window.model_status.text
    assert label.text().startswith(f"BertModel, {kind}   ·   " if kind else "BertModel   ·   ")
    assert (f"Sentence encoder with {kind}" in label.toolTip()) is bool(kind)
    tree = user.views.tree
    assert tree.checked_names() == (names[:1] if kind else names), "the pooler is not used"
    tooltips = [tree.model.cells.tooltip(node) for node in range(len(tree.model.nodes.paths))]
    assert any("Not checked by default" in tooltip for tooltip in tooltips) is bool(kind)


def block(number, *, out=4, kind="Linear"):
    shown = f"layers.{number}.fc.weight", f"layers.{number}.norm.weight"
    shapes = (out, 4), (4,)
    return [
        TensorRow(
            name=name,
            shown=name,
            kind=what,
            shape=shape,
            dtype="float32",
            numel=math.prod(shape),
            nbytes=4 * math.prod(shape),
            why_not="",
            by_default=len(shape) > 1,
        )
        for name, shape, what in zip(shown, shapes, (kind, "norm"), strict=True)
    ]


def test_numbered_layers_are_in_the_order_of_their_numbers():
    """Files of safetensors are sorted alphabetically: 0, 1, 10, 2."""
    rows = [row for name in sorted(map(str, range(12))) for row in block(name)]
    nodes = build_nodes([*rows, *block("head"), *block("a10"), *block("a9")])
    above = int(nodes.parent[nodes.parent[nodes.leaf[0]]])
    labels = [nodes.labels[child] for child in nodes.children_of(above).tolist()]
    assert labels == [*map(str, range(12)), "head", "a9", "a10"]
    assert [nodes.paths[leaf] for leaf in nodes.leaf.tolist()] == [
        row.shown for row in nodes.rows
    ], "rows stay in the order of the file"
    ends = nodes.end[nodes.children_of(above)]
    assert (np.diff(ends) == 3).all(), "descendants follow their node"


@pytest.mark.parametrize(
    ("rows", "alike"),
    [
        ([*block(0), *block(1), *block(2)], 3),
        ([*block(10), *block(2)], 2),
        # Those of a file may be in any order.
        ([block(0)[0], block(1)[0], block(0)[1], block(1)[1]], 2),
        # If a shard ends within a block, its tensors have another order.
        ([*block(0), *reversed(block(1)), *block(10)], 3),
        ([*block(0)], 0),
        ([*block(0), *block(1, out=8)], 0),
        ([*block(0), *block(1, kind="Embedding")], 0),
        ([*block(0), block(1)[0]], 0),
        ([*block(0), *block("last")], 0),
    ],
)
def test_only_blocks_of_the_same_layers_and_sizes_are_counted_as_one(rows, alike):
    nodes = build_nodes(rows)
    above = int(nodes.parent[nodes.parent[nodes.leaf[0]]])
    assert nodes.blocks(above) == alike
    assert nodes.blocks(int(nodes.leaf[0])) == 0
