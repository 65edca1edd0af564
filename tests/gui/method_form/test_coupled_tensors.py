"""Pruning bias and norm together with their layer, by clicks in the form."""

from __future__ import annotations

import numpy as np
import torch
from PySide6.QtCore import QPoint
from safetensors.torch import load_file, save_file
from torch.nn.utils import prune

from pruneapp import resources
from pruneapp.gui.tree.cell_text import DANGER_ROLE
from pruneapp.gui.tree.columns import Column
from tests.gui.user import node_named

SAMPLE = resources.path("sample/lenet-digits.safetensors")
PAIRS = {
    "conv1": ("conv1.bias", "bn1.weight", "bn1.bias"),
    "conv2": ("conv2.bias", "bn2.weight", "bn2.bias"),
}


def box_clicked(user) -> None:
    box = user.views.form.companions.box
    user.click(box, QPoint(8, box.height() // 2))


def test_a_person_prunes_channels_with_their_bias_and_norm_as_one_step(user):
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    for name in ("fc1.weight", "fc2.weight", "fc3.weight"):
        user.check(name)
    row = user.views.form.companions
    assert not row.isVisible()
    user.choose(user.rule.method, "Ln structured (channels)")
    user.wait(row.isVisible)
    user.ask_amount("25 %")
    plain = user.wait_preview()
    assert {t.name for t in plain.tensors} == {"conv1.weight", "conv2.weight"}

    box_clicked(user)
    user.wait(lambda: user.workbench.preview.state.preview is None)
    report = user.wait_preview()
    assert {t.name for t in report.tensors} == {f"{conv}.weight" for conv in PAIRS} | {
        name for names in PAIRS.values() for name in names
    }
    assert report.newly_pruned > plain.newly_pruned
    assert "→" in user.cell("bn1.bias", Column.SPARSITY), "the tree shows what goes along"
    user.click(user.button)
    assert user.states[1:] == ["L2 25 %, dim 0, with bias and norm, on 2 tensors"]

    tensors = load_file(SAMPLE)
    for conv, companions in PAIRS.items():
        module = torch.nn.Module()
        module.weight = torch.nn.Parameter(tensors[f"{conv}.weight"])
        prune.ln_structured(module, "weight", 0.25, n=2, dim=0)
        stays = module.weight_mask.flatten(1).any(1)
        assert not stays.all()
        for name in companions:
            held = torch.nn.Module()
            held.vector = torch.nn.Parameter(tensors[name])
            prune.custom_from_mask(held, "vector", stays)
            mask = user.document.masks[name].bools()
            np.testing.assert_array_equal(mask, held.vector_mask.bool().numpy())
    user.key("Ctrl+Z", user.window)
    assert not user.document.masks, "one step"


def test_the_form_says_how_many_of_the_tensors_have_any(user, tmp_path):
    path = tmp_path / "two.safetensors"
    tensors = {"a.conv.weight": (4, 3, 3, 3), "a.conv.bias": (4,), "b.conv.weight": (4, 4, 3, 3)}
    save_file({name: torch.randn(shape) for name, shape in tensors.items()}, path)
    user.open_file(path)
    note = user.views.form.companions.note
    user.choose(user.rule.method, "Ln structured (channels)")
    text = "Prunes 1 bias or norm tensor in addition to the amount. 1 of 2 tensors have a matching "
    user.wait(lambda: note.text() == f"{text}bias or norm.")
    user.check("a.conv.weight")
    user.wait(lambda: note.text() == "No bias or norm layer was found for these tensors by name.")
    assert not user.views.form.companions.box.isEnabled()
    user.check("b.conv.weight")
    user.check("a.conv.weight")
    user.wait(lambda: note.text() == "Prunes 1 bias or norm tensor in addition to the amount.")
    assert not note.isVisible(), "unless it is chosen"


def test_bias_and_norm_of_pruned_channels_have_no_mark(user):
    """Regression: each was marked as if the model lost more than the pruned channels."""
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    for name in ("fc1.weight", "fc2.weight", "fc3.weight"):
        user.check(name)
    user.choose(user.rule.method, "Ln structured (channels)")
    user.ask_amount("85 %")
    user.wait(user.views.form.companions.isVisible)
    box_clicked(user)
    user.wait_preview()

    def marks() -> set[str]:
        tree = user.views.tree
        names = (*PAIRS, "bn1", "bn2", *(f"{layer}.weight" for layer in PAIRS))
        names += tuple(name for of_layer in PAIRS.values() for name in of_layer)
        found = {n: tree.model.index_of(node_named(tree, n), Column.SPARSITY) for n in names}
        return {n for n, index in found.items() if index.data(DANGER_ROLE)}

    weights = {*PAIRS, *(f"{layer}.weight" for layer in PAIRS)}
    user.wait(lambda: marks() == weights)
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    user.wait(lambda: marks() == weights)
