"""Pruned weights that are read without calling their module."""

from __future__ import annotations

import copy
import pickle

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear
from torch.nn.utils import prune as torch_prune

from pruneapp import prune

SIZE = 16


def attention(seed=0):
    torch.manual_seed(seed)
    return nn.MultiheadAttention(SIZE, 2, batch_first=True)


def encoder(seed=0):
    torch.manual_seed(seed)
    layer = nn.TransformerEncoderLayer(SIZE, 2, 32, dropout=0, batch_first=True)
    return nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)


class Tied(nn.Module):
    """A model that reads the weight of a linear layer, as CLIP's AttentionPool2d and WavLM do."""

    def __init__(self, seed=0):
        super().__init__()
        torch.manual_seed(seed)
        self.head = nn.Linear(SIZE, SIZE)

    def forward(self, x):
        return functional.linear(x, self.head.weight, self.head.bias)


def projection(model):
    """Return the module whose weight is read as an attribute."""
    return next(m for n, m in model.named_modules() if n.endswith(("out_proj", "head")))


def call(model, x):
    return model(x, x, x)[0] if isinstance(model, nn.MultiheadAttention) else model(x)


def dense_copy(model):
    """Return an unpruned model with the values of a pruned one."""
    other = {nn.MultiheadAttention: attention, nn.TransformerEncoder: encoder, Tied: Tied}
    made = other[type(model)](9)
    state = model.state_dict()
    for name in [name for name in state if name.endswith("_orig")]:
        base = name.removesuffix("_orig")
        state[base] = state.pop(name) * state.pop(f"{base}_mask")
    made.load_state_dict(state)
    return made.train(model.training)


X = torch.randn(2, 5, SIZE, generator=torch.Generator().manual_seed(0))


def assert_computes_as_dense(model):
    for training in (True, False):
        model.train(training)
        expected = call(dense_copy(model), X)
        torch.testing.assert_close(call(model, X), expected)
        with torch.no_grad():
            torch.testing.assert_close(call(model, X), expected)


ALL = pytest.mark.parametrize("make", [attention, encoder])
NAMES = pytest.mark.parametrize("names", [("weight",), ("bias",), ("weight", "bias")])


@ALL
def test_torch_trains_once_and_keeps_the_weight_of_before(make):
    model = make()
    torch_prune.l1_unstructured(projection(model), "weight", 0.5)
    with torch.no_grad():
        projection(model).weight_orig.mul_(2)
    with pytest.raises(AssertionError):
        assert_computes_as_dense(model)
    call(model, X).sum().backward()
    if make is attention:
        with pytest.raises(RuntimeError, match="second time"):
            call(model, X).sum().backward()


@ALL
@NAMES
def test_pruning_takes_effect_in_forward_and_training(make, names):
    model = make()
    out = projection(model)
    for name in names:
        prune.random_unstructured(out, name, 0.5)
    assert_computes_as_dense(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.train()
    for _ in range(2):
        optimizer.zero_grad()
        call(model, X).square().sum().backward()
        for name in names:
            gradient = getattr(out, f"{name}_orig").grad
            assert gradient[getattr(out, f"{name}_mask") == 0].abs().sum() == 0
            assert gradient.abs().sum() > 0
        optimizer.step()
        assert_computes_as_dense(model)
        model.train()


@ALL
def test_every_part_of_an_encoder_pruned_computes_as_dense(make):
    model = make()
    owners = [(m, n) for m in model.modules() for n, _ in list(m.named_parameters(recurse=False))]
    prune.global_unstructured(owners, prune.L1Unstructured, amount=0.4)
    assert_computes_as_dense(model)
    for module, name in owners:
        prune.remove(module, name)
    assert_computes_as_dense(model)
    assert type(projection(model)) is NonDynamicallyQuantizableLinear


@pytest.mark.parametrize("make", [attention, encoder, Tied])
@pytest.mark.parametrize("assign", [False, True])
def test_a_loaded_state_dict_takes_effect_at_once(make, assign):
    source, target = make(0), make(1)
    prune.l1_unstructured(projection(source), "weight", 0.5)
    prune.identity(projection(target), "weight")
    target.load_state_dict(source.state_dict(), assign=assign)
    assert_computes_as_dense(target)
    torch.testing.assert_close(call(target, X), call(source.eval(), X))


@pytest.mark.parametrize("make", [attention, encoder, Tied])
def test_apply_masks_computes_what_torch_pruned(make):
    source, target = make(0), make(1)
    for model in (source, target):
        torch_prune.l1_unstructured(projection(model), "weight", 0.5)
    target.load_state_dict(source.state_dict())
    prune.apply_masks(target)
    assert_computes_as_dense(target)


def test_a_hook_keeps_a_weight_current_that_is_read_without_a_call():
    model = Tied()
    prune.l1_unstructured(model.head, "weight", 0.5)
    model.register_forward_pre_hook(lambda module, _: prune.apply_masks(module))
    for _ in range(2):
        model(X).sum().backward()
    with torch.no_grad():
        model.head.weight_orig.mul_(2)
    assert_computes_as_dense(model)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_are_pruned_alike_and_stand_alone(again):
    model = attention()
    prune.l1_unstructured(model.out_proj, "weight", 0.5)
    call(model, X).sum().backward()
    copied = again(model)
    with torch.no_grad():
        copied.out_proj.weight_orig.mul_(2)
    assert_computes_as_dense(copied)
    torch.testing.assert_close(copied.out_proj.weight, model.out_proj.weight * 2)
    prune.remove(copied.out_proj, "weight")
    assert_computes_as_dense(copied)


def test_modules_go_from_one_library_to_the_other():
    model = attention()
    out = model.out_proj
    torch_prune.l1_unstructured(out, "weight", 0.25)
    prune.l1_unstructured(out, "weight", 0.25)
    torch_prune.l1_unstructured(out, "weight", 0.25)
    assert_computes_as_dense(model)
    assert isinstance(out, NonDynamicallyQuantizableLinear)
    torch_prune.remove(out, "weight")
    assert isinstance(out.weight, nn.Parameter)
    assert_computes_as_dense(model)
    prune.identity(out, "weight")
    prune.remove(out, "weight")
    assert type(out) is NonDynamicallyQuantizableLinear
    assert not out._load_state_dict_post_hooks


def test_an_error_leaves_class_and_hooks_as_they_were():
    out = attention().out_proj
    parameter = out.weight
    with pytest.raises(AssertionError, match="shape"):
        prune.custom_from_mask(out, "weight", torch.ones(3, 7))
    assert type(out) is NonDynamicallyQuantizableLinear
    assert out.weight is parameter
    assert not out._load_state_dict_post_hooks


def test_exported_and_compiled_models_have_the_pruned_weight():
    model = attention().eval()
    prune.l1_unstructured(model.out_proj, "weight", 0.5)
    exported = torch.export.export(model, (X, X, X)).module()
    torch.testing.assert_close(exported(X, X, X)[0], call(dense_copy(model), X))
