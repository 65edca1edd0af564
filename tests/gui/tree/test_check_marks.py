"""Which tensors the check marks of modules include, in state dicts of common models."""

from __future__ import annotations

import pytest
import torch
from PySide6.QtCore import Qt
from safetensors.torch import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.edits.existing_masks import open_document
from pruneapp.gui.document.open_document import contents_of
from pruneapp.gui.tree.nodes import build_nodes
from pruneapp.gui.tree.panel import ModuleTree
from pruneapp.progress import CancelToken, Job


def linear(name, *, bias=True):
    return {f"{name}.weight": (4, 4), **({f"{name}.bias": (4,)} if bias else {})}


def norm(name):
    return {f"{name}.weight": (4,), f"{name}.bias": (4,)}


def measured(name):
    return {
        **norm(name),
        f"{name}.running_mean": (4,),
        f"{name}.running_var": (4,),
        f"{name}.num_batches_tracked": (),
    }


def bert():
    kinds = ("word", "position", "token_type")
    found = {f"bert.embeddings.{kind}_embeddings.weight": (8, 4) for kind in kinds}
    found |= {"bert.embeddings.position_ids": (1, 8)} | norm("bert.embeddings.LayerNorm")
    for block in range(2):
        at = f"bert.encoder.layer.{block}"
        for part in ("query", "key", "value"):
            found |= linear(f"{at}.attention.self.{part}")
        found |= linear(f"{at}.attention.output.dense") | norm(f"{at}.attention.output.LayerNorm")
        found |= linear(f"{at}.intermediate.dense") | linear(f"{at}.output.dense")
        found |= norm(f"{at}.output.LayerNorm")
    return found | linear("bert.pooler.dense") | linear("classifier")


def llama():
    found = {"model.embed_tokens.weight": (8, 4)}
    for block in range(2):
        at = f"model.layers.{block}"
        for part in ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "mlp.down_proj"):
            found |= linear(f"{at}.{part}", bias=False)
        found |= {f"{at}.self_attn.rotary_emb.inv_freq": (4,), f"{at}.input_layernorm.weight": (4,)}
    return found | {"model.norm.weight": (4,), "lm_head.weight": (8, 4)}


def resnet():
    found = {"conv1.weight": (4, 3, 3, 3)} | measured("bn1")
    for block in range(2):
        at = f"layer1.{block}"
        found |= {f"{at}.conv1.weight": (4, 4, 3, 3)} | measured(f"{at}.bn1")
    found |= {"layer1.1.downsample.0.weight": (4, 4, 1, 1)} | measured("layer1.1.downsample.1")
    return found | linear("fc")


@pytest.fixture
def tree_of(qtbot, tmp_path):
    """Return the tree of a model, with nothing checked."""
    opened = []

    def make(model):
        path = tmp_path / "model.safetensors"
        whole = ("num_batches_tracked", "position_ids")
        save_file(
            {
                name: torch.zeros(shape, dtype=torch.int64 if name.endswith(whole) else None)
                for name, shape in model().items()
            },
            path,
        )
        document = open_document(open_checkpoint(path), Job())
        opened.append(document)
        tree = ModuleTree()
        qtbot.addWidget(tree)
        tree.set_nodes(build_nodes(contents_of(document, CancelToken()).rows))
        tree.set_checked([])
        return tree

    yield make
    for document in opened:
        document.close()
        document.checkpoint.close()


def check(tree, module):
    node = tree.model.nodes.paths.index(module) if module else 0
    tree.model.check([node], on=True)
    mark = tree.model.checks.state(node)
    assert mark == (Qt.CheckState.Checked if tree.checked_names() else Qt.CheckState.Unchecked)
    return set(tree.checked_names())


def matrices(model, *parts):
    """Return the weights of two and more dimensions below modules."""
    return {
        name
        for name, shape in model().items()
        if len(shape) > 1 and name.startswith(parts) and not name.endswith("position_ids")
    }


EMBEDDINGS = tuple(f"bert.embeddings.{kind}_" for kind in ("word", "position", "token_type"))


@pytest.mark.parametrize(
    ("model", "module", "reached"),
    [
        (bert, "bert.embeddings", EMBEDDINGS),
        (bert, "bert.embeddings.word_embeddings.weight", EMBEDDINGS[:1]),
        (bert, "bert.encoder.layer", ("bert.encoder",)),
        (bert, "bert.encoder.layer.0.attention", ("bert.encoder.layer.0.attention",)),
        (bert, "bert", ("bert.encoder", "bert.pooler")),
        (bert, "", ("bert.encoder", "bert.pooler", "classifier")),
        (bert, "bert.embeddings.LayerNorm", ()),
        (bert, "bert.encoder.layer.1.output.LayerNorm", ()),
        (llama, "model.embed_tokens.weight", ("model.embed_tokens",)),
        (llama, "model.layers.1.self_attn", ("model.layers.1.self_attn",)),
        (llama, "model", ("model.layers",)),
        (llama, "", ("model.layers",)),
        (resnet, "bn1", ()),
        (resnet, "layer1", ("layer1",)),
        (resnet, "layer1.1.downsample", ("layer1.1.downsample",)),
        (resnet, "layer1.1.downsample.1", ()),
        (resnet, "fc", ("fc",)),
        (resnet, "", ("conv1", "layer1", "fc")),
    ],
)
def test_a_module_checks_matrices_below_it_and_never_norms_or_biases(
    tree_of, model, module, reached
):
    expected = matrices(model, *reached) if reached else set()
    assert check(tree_of(model), module) == expected


def test_a_filter_for_embeddings_is_meant(tree_of):
    tree = tree_of(bert)
    tree.tree_filter.text.setText("embeddings")
    tree.check_all_shown()
    assert set(tree.checked_names()) == matrices(bert, *EMBEDDINGS)


def test_the_status_bar_says_why_nothing_was_checked(user, tmp_path):
    path = tmp_path / "bert.safetensors"
    tensors = {name: torch.ones(shape) for name, shape in bert().items()}
    save_file(tensors, path)
    user.open_file(path)
    before = user.views.tree.checked_names()
    user.check("bert.embeddings.LayerNorm")
    assert user.window.done.label.text().startswith(
        "Nothing was checked: bert.embeddings.LayerNorm has only norms and biases."
    )
    assert user.views.tree.checked_names() == before
