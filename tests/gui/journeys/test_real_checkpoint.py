"""A real checkpoint: pruning in the window gives the same bytes as a torch script."""

from __future__ import annotations

from collections import OrderedDict

import pytest
import torch
from safetensors.torch import load_file
from torch.nn.utils import prune

pytestmark = pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")

FORMATS = (("safetensors", "a.safetensors"), ("torch", "b.th"), ("resumable", "c.pt"))


class Oracle:
    """Prunes a state dict with torch.nn.utils.prune."""

    def __init__(self, tensors) -> None:
        self.tensors = tensors
        self.modules = OrderedDict()
        for name, tensor in tensors.items():
            if tensor.dim() == 4:
                self.modules[name] = torch.nn.Module()
                self.modules[name].weight = torch.nn.Parameter(tensor.clone())

    def masks(self):
        return {
            name: module.weight_mask.bool()
            for name, module in self.modules.items()
            if prune.is_pruned(module)
        }

    def final(self):
        """Return the state dict after `prune.remove`."""
        found = dict(self.tensors)
        for name, module in self.modules.items():
            if prune.is_pruned(module):
                prune.remove(module, "weight")
            found[name] = module.weight.detach()
        return found


def assert_same(found, expected, originals, masks):
    """Assert equal values, and equal bytes wherever the mask is 1."""
    assert set(found) == set(expected)
    for name, tensor in expected.items():
        assert found[name].dtype == tensor.dtype
        assert torch.equal(found[name], tensor), name
        kept = masks.get(name, torch.ones(tensor.shape, dtype=torch.bool))
        if tensor.dim() == 4:
            bits, original = found[name].view(torch.int32), originals[name].view(torch.int32)
            assert torch.equal(bits[kept], original[kept]), name
            assert not bits[~kept].any(), "pruned elements are +0.0"


def test_the_real_file_is_pruned_as_torch_prunes_it(user, resnet20, tmp_path):
    """Prune 20 % of all convolutions globally, then 30 % of the channels of layer3; undo, redo."""
    source = torch.load(resnet20, map_location="cpu", weights_only=True)["state_dict"]
    oracle = Oracle(source)
    prune.global_unstructured(
        [(module, "weight") for module in oracle.modules.values()], prune.L1Unstructured, amount=0.2
    )

    user.open_file(resnet20)
    # Check only the convolutions: uncheck all, filter by kind, check the visible ones.
    user.key("Ctrl+Shift+A")
    user.choose(user.views.tree.tree_filter.kind, "Conv2d")
    user.views.tree.view.setFocus()
    user.key("Ctrl+A")
    user.click(user.views.form.all)
    user.ask_amount("20 %")
    report = user.wait_preview()
    assert len(report.tensors) == len(oracle.modules) == 19
    assert user.button.text() == "Prune 53,539 weights"
    user.click(user.button)
    assert user.states[1:] == ["L1 20 %, global, on 19 tensors"]

    user.key("Ctrl+Shift+A")
    user.choose(user.views.tree.tree_filter.kind, "All types")
    user.filter("layer3*conv*")
    user.views.tree.view.setFocus()
    user.key("Ctrl+A")
    user.choose(user.rule.method, "Ln structured (channels)")
    user.ask_amount("30 %")
    user.wait_preview()
    assert user.rule.fields.values == {"amount": 0.3, "n": 2, "dim": 0}
    first = oracle.masks()
    user.key("Ctrl+Return")
    user.wait(lambda: len(user.states) == 3)
    assert user.states[2].startswith("L2 30 %, dim 0")
    layer3 = [name for name in oracle.modules if ".layer3." in f".{name}"]
    for name in layer3:
        prune.ln_structured(oracle.modules[name], "weight", amount=0.3, n=2, dim=0)
    masks = oracle.masks()

    assert_masks(user, masks)
    user.key("Ctrl+Z")
    assert_masks(user, first)
    user.key("Ctrl+Z")
    assert_masks(user, {})
    user.key("Ctrl+Y")
    user.key("Ctrl+Shift+Z")
    assert_masks(user, masks)

    originals = {n: m.weight_orig.detach().clone() for n, m in oracle.modules.items()}
    expected = oracle.final()
    for form, name in FORMATS:
        user.export(tmp_path / name, form)
        assert user.trouble == []
        user.close_report()

    dense = load_file(tmp_path / "a.safetensors")
    assert_same(dense, expected, originals, masks)
    again = torch.load(tmp_path / "b.th", map_location="cpu", weights_only=True)
    assert_same(again["state_dict"], expected, originals, masks)
    assert (tmp_path / "b.th").stat().st_size == resnet20.stat().st_size
    resumable = torch.load(tmp_path / "c.pt", weights_only=True)
    for name, mask in masks.items():
        assert torch.equal(resumable[f"{name}_orig"], originals[name])
        assert torch.equal(resumable[f"{name}_mask"].bool(), mask)

    # The exported file opens pruned.
    user.open_file(tmp_path / "c.pt")
    assert_masks(user, masks)
    assert len(user.states) == 2


def assert_masks(user, expected):
    document = user.document
    assert {n for n in document.masks if document.masks.pruned(n)} == set(expected)
    for name, mask in expected.items():
        found = document.masks[name].bools().reshape(mask.shape)
        assert torch.equal(torch.from_numpy(found.copy()), mask), name
