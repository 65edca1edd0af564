"""The parts of a model that recovery trains one after another, and low-rank changes."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from pruneapp.prune.recovery import _worker

windows, optimization = _worker("windows"), _worker("optimization")
masked_training = _worker("masked_training")


def find(model, *args, **kwargs):
    model.eval()
    with windows.observe_calls(model) as observed, torch.no_grad():
        model(*args, **kwargs)
    return [window.modules for window in windows.find_windows(model, observed)], observed


class Block(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.norm, self.up = nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, x, scale=None):
        return x + self.up(self.norm(x)) * (1 if scale is None else scale)


class Stack(nn.Module):
    """A model like a transformer."""

    def __init__(self, blocks):
        super().__init__()
        self.embed, self.head = nn.Embedding(5, 4), nn.Linear(4, 5)
        self.layers = nn.ModuleList(blocks)

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x, scale=2)
        return self.head(x)


def test_blocks_of_a_module_list_are_windows():
    found, _ = find(Stack([Block(), Block(), Block()]), torch.arange(3))
    assert found == [["layers.0"], ["layers.1"], ["layers.2"]]


def test_blocks_of_stages_are_windows_in_the_order_of_their_calls():
    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.second = nn.Sequential(Block(), Block())
            self.first = nn.Sequential(Block(), Block(), nn.ReLU())

        def forward(self, x):
            return self.second(self.first(x))

    found, _ = find(Residual(), torch.randn(2, 4))
    assert found == [["first.0"], ["first.1"], ["second.0"], ["second.1"]]


def test_inner_structures_of_blocks_are_no_windows_of_their_own():
    inner = [nn.Sequential(Block(), Block()) for _ in range(2)]
    found, _ = find(nn.Sequential(*inner), torch.randn(2, 4))
    assert found == [["0"], ["1"]]


def test_blocks_of_a_module_dict_are_windows():
    class Dense(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleDict({"a": Block(), "b": Block()})

        def forward(self, x):
            for layer in self.layers.values():
                x = layer(x)
            return x

    assert find(Dense(), torch.randn(2, 4))[0] == [["layers.a"], ["layers.b"]]


def test_modules_that_run_twice_are_no_windows():
    shared = Block()
    found, observed = find(Stack([shared, shared]), torch.arange(3))
    assert found == [["embed"], ["head"]]
    assert "layers.0" not in observed.order


def test_layers_are_windows_with_the_norm_and_activation_that_follow():
    model = nn.Sequential(
        nn.Conv2d(1, 2, 3),
        nn.BatchNorm2d(2),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Conv2d(2, 2, 1),
        nn.Flatten(),
        nn.Linear(8, 2),
    )
    found, observed = find(model, torch.randn(2, 1, 6, 6))
    assert found == [["0", "1", "2", "3"], ["4", "5"], ["6"]]
    assert len(observed.linear) == 1


def test_modules_with_other_arguments_or_other_inputs_do_not_follow():
    class Conditional(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = (nn.Linear(4, 4) for _ in range(3))
            self.norm, self.act, self.scaled = nn.LayerNorm(4), nn.ReLU(), Scaled()

        def forward(self, x):
            x = self.scaled(self.a(x), by=2)
            x = self.norm(self.b(x) + x)
            return self.act(self.c(x))

    class Scaled(nn.Module):
        def forward(self, x, by):
            return x * by

    found, _ = find(Conditional(), torch.randn(2, 4))
    assert found == [["a"], ["b"], ["c", "act"]]


def test_a_recurrent_layer_is_a_window_without_what_follows():
    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.norm, self.head = nn.LSTM(3, 4), nn.LayerNorm(4), nn.Linear(4, 2)

        def forward(self, x):
            return self.head(self.norm(self.lstm(x)[0]))

    assert find(Recurrent(), torch.randn(5, 2, 3))[0] == [["lstm"], ["head"]]


def test_hooks_are_removed():
    model = nn.Linear(2, 2)
    with windows.observe_calls(model):
        pass
    assert not model._forward_hooks
    assert not model._forward_pre_hooks
    with windows.intercept_calls(model, before=print):
        pass
    assert "forward" not in vars(model)


def test_floating_outputs_have_their_paths():
    x = torch.ones(2)
    output = {"loss": torch.tensor(1.0), "a": [x, (x,)], "ids": torch.ones(2).long()}
    assert [path for path, _ in windows.floating_outputs(output)] == ["a.0", "a.1.0"]
    assert [path for path, _ in windows.floating_outputs({"logits": x, "hidden": x})] == ["logits"]
    assert [path for path, _ in windows.floating_outputs(x)] == [""]
    assert windows.floating_outputs("x") == []


@pytest.fixture
def changes():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.Flatten(), nn.Linear(12, 5)).double()
    with torch.no_grad():
        for layer in (model[0], model[2]):
            layer.weight.mul_(torch.rand_like(layer.weight) > 0.5)
    elements = masked_training.fixed_elements(model)
    parameters = list(model.parameters())
    fixed = {id(each.parameter): each for each in elements}
    made = optimization.LowRankChanges(parameters, fixed, seed=1)
    with torch.no_grad():
        for leaf in made.leaves:
            leaf.add_(0.1 * torch.randn_like(leaf))
    return model, made, {id(p): p.detach() != 0 for p in parameters}


def parametrised(model, made, masks):
    """Return the weights as functions of the factors."""
    scale = optimization.ALPHA / optimization.RANK
    weights = {}
    for weight, base, _, first, second in made._weights.values():
        change = scale * (second @ first).reshape(base.shape) * masks[id(weight)]
        weights[weight] = base + change
    return weights


def test_the_gradient_of_low_rank_changes_is_that_of_autograd(changes):
    model, made, masks = changes
    made.write()
    x = torch.randn(4, 2, 4, 4).double()
    model(x).square().mean().backward()
    made.take_gradients()
    assert model[0].weight.grad is None
    assert model[0].bias.grad is not None
    weights = parametrised(model, made, masks)
    named = {n: weights.get(p, p.detach()) for n, p in model.named_parameters()}
    loss = torch.func.functional_call(model, named, (x,)).square().mean()
    for leaf, wanted in zip(made.leaves, torch.autograd.grad(loss, made.leaves), strict=True):
        torch.testing.assert_close(leaf.grad, wanted.to(leaf.dtype), rtol=1e-4, atol=1e-7)
        assert leaf.grad.any()


def test_low_rank_changes_are_merged_exactly_and_keep_zeros(changes):
    model, made, masks = changes
    made.write()
    for weight, wanted in parametrised(model, made, masks).items():
        assert torch.equal(weight, wanted)
        pruned = weight.detach()[~masks[id(weight)]]
        assert not pruned.view(torch.int64).any()
        assert not torch.equal(weight, made.state_dict()["base"][0])


def test_low_rank_changes_are_restored_from_their_state(changes):
    model, made, _ = changes
    made.write()
    before = model[2].weight.detach().clone()
    state = copy.deepcopy(made.state_dict())
    with torch.no_grad():
        for leaf in made.leaves:
            leaf.zero_()
    made.load(state)
    made.write()
    assert torch.equal(model[2].weight, before)


def test_the_learning_rate_rises_and_falls_to_zero():
    optimizer = optimization.make_optimizer([nn.Parameter(torch.zeros(1))], 1.0)
    rates = []
    for step in range(100):
        optimization.set_rate(optimizer, step, 100)
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates[:5] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1])
    assert rates[4:] == sorted(rates[4:], reverse=True)
    assert 0 < rates[-1] < 0.02
    for steps in (1, 2, 3):
        optimization.set_rate(optimizer, steps - 1, steps)
        assert 0 < optimizer.param_groups[0]["lr"] <= 1


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_a_step_with_gradients_that_are_not_finite_is_left_out(value):
    weight = nn.Parameter(torch.ones(2))
    optimizer = optimization.make_optimizer([weight], 0.1)
    weight.grad = torch.tensor([1.0, value])
    optimization.take_step(optimizer, [weight])
    assert torch.equal(weight, torch.ones(2))
    assert weight.grad is None
    weight.grad = torch.tensor([1.0, 0]).to_sparse()
    optimization.take_step(optimizer, [weight])
    assert weight[0] < 1
