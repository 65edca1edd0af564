"""`pruneapp.recover`: a pruned model is trained to reproduce the unpruned one."""

from __future__ import annotations

import copy
import subprocess
import sys

import pytest
import torch
from torch import nn
from torch.nn.utils import prune as torch_prune
from torch.utils.data import DataLoader, TensorDataset

import pruneapp
from pruneapp import prune
from pruneapp.errors import ParameterError
from pruneapp.prune.recovery import TrainingError


@pytest.fixture
def model():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 4)
    )


@pytest.fixture
def inputs():
    return torch.randn(200, 8, generator=torch.Generator().manual_seed(1))


def masks_of(model, share=0.8):
    """Return masks that prune a share of each matrix."""
    found = {}
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            size = parameter.detach().abs().float()
            found[name] = size > size.flatten().quantile(share)
    return found


def pruned_of(model, masks):
    pruned = copy.deepcopy(model)
    with torch.no_grad():
        for name, mask in masks.items():
            pruned.get_parameter(name).masked_fill_(~mask, 0)
    return pruned


def state_of(model):
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def assert_zeros(model, masks):
    for name, mask in masks.items():
        pruned = model.get_parameter(name).detach()[~mask]
        assert not pruned.any(), name
        assert not torch.signbit(pruned).any(), name


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_masks_give_a_trained_copy(model, inputs, dtype):
    model, masks = model.to(dtype), masks_of(model)
    model[3].eval()
    before, modes = state_of(model), [one.training for one in model.modules()]
    told = []
    found = pruneapp.recover(model, masks, [inputs.to(dtype)], steps=40, on_event=told.append)
    assert found.rounded < 0.7 * found.start
    assert found.best <= found.start
    assert (found.steps, found.lr > 0, found.notices) == (40, True, ())
    assert list(found.events) == told
    assert {event["what"] for event in told} == {
        *("plan", "stage", "window", "trial", "rate", "point")
    }
    tried = [event["lr"] for event in told if event["what"] == "rate"]
    assert tried == pytest.approx([1e-3, 3e-3, 9e-3])
    assert found.lr == tried[-1], "smaller rates end at larger errors"
    assert_zeros(found.module, masks)
    for unchanged in (model.state_dict(), before):
        for name, tensor in model.state_dict().items():
            assert torch.equal(tensor, unchanged[name])
    for one in (model, found.module):
        assert [part.training for part in one.modules()] == modes
        assert all(p.requires_grad and p.dtype == dtype for p in one.parameters())
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())


def test_a_pruned_model_is_trained_in_place(model, inputs):
    masks = masks_of(model)
    pruned = pruned_of(model, masks)
    pruned[0].requires_grad_(requires_grad=False)
    found = pruneapp.recover(model, pruned, [inputs], steps=20, windows=False, lr=1e-2)
    assert found.module is pruned
    assert found.lr == 1e-2
    assert not pruned[0].weight.requires_grad
    assert not any(event["what"] == "window" for event in found.events)
    assert_zeros(pruned, masks)
    model.eval()
    pruned.eval()
    first = (pruned_of(model, masks)(inputs) - model(inputs)).norm()
    assert (pruned(inputs) - model(inputs)).norm() < first


@pytest.mark.parametrize("library", [torch_prune, prune], ids=["torch", "pruneapp"])
def test_a_model_with_masks_of_torch_is_trained(model, inputs, library):
    pruned = copy.deepcopy(model)
    for layer in (pruned[0], pruned[4]):
        library.l1_unstructured(layer, "weight", 0.8)
    before = pruned[0].weight_orig.detach().clone()
    found = pruneapp.recover(model, pruned, [inputs], steps=20)
    assert found.rounded < found.start
    assert not torch.equal(pruned[0].weight_orig, before)
    # current without a forward pass
    assert torch.equal(pruned[0].weight, pruned[0].weight_orig * pruned[0].weight_mask)
    assert (pruned[0].weight == 0).sum() >= 0.8 * pruned[0].weight.numel() - 1
    library.remove(pruned[0], "weight")


def test_the_result_is_determined_by_the_seed(model, inputs):
    masks = masks_of(model)
    first, again, other = (
        pruneapp.recover(model, masks, [inputs], steps=5, lr=1e-3, seed=seed) for seed in (0, 0, 1)
    )
    same, changed = (
        [
            torch.equal(a, b)
            for a, b in zip(first.module.parameters(), o.module.parameters(), strict=True)
        ]
        for o in (again, other)
    )
    assert all(same)
    assert not all(changed)


def tensor(x):
    return x


def loader(x):
    return (batch for batch, _ in DataLoader(TensorDataset(x, x), batch_size=50))


def lists(x):
    return DataLoader(TensorDataset(x), batch_size=50)


def keywords(x):
    return ({"input": part} for part in x.split(50))


def function(x):
    return lambda model: [model(part) for part in x.split(50)]


@pytest.mark.parametrize("given", [tensor, loader, lists, keywords, function])
def test_all_kinds_of_inputs_give_the_same(model, inputs, given):
    masks = masks_of(model)
    wanted = pruneapp.recover(model, masks, [inputs], steps=3, lr=1e-3, windows=False)
    found = pruneapp.recover(model, masks, given(inputs), steps=3, lr=1e-3, windows=False)
    plan = next(event for event in found.events if event["what"] == "plan")
    assert plan["samples"] == 200
    assert found.start == pytest.approx(wanted.start, rel=0.5)


def test_samples_limit_the_inputs(model, inputs):
    seen = []

    def parts():
        for part in inputs.split(16):
            seen.append(part)
            yield part

    found = pruneapp.recover(model, masks_of(model), parts(), steps=2, lr=1e-3, samples=40)
    assert len(seen) == 3
    assert found.events[0]["samples"] == 48
    assert "Only 48 samples" in found.notices[0]


def test_the_teacher_may_be_another_model(model, inputs):
    teacher = copy.deepcopy(model)
    with torch.no_grad():
        teacher[4].bias[0] += 2
    found = pruneapp.recover(model, masks_of(model), [inputs], teacher=teacher, steps=60, lr=0.1)
    shares = []
    for each in (found.module, teacher, model):
        each.eval()
        shares.append(each(inputs).softmax(-1))
    assert (shares[0] - shares[1]).norm() < (shares[0] - shares[2]).norm()


def test_nothing_better_leaves_the_weights(model, inputs):
    masks = masks_of(model)
    found = pruneapp.recover(model, masks, [inputs], steps=1, windows=False, lr=1e3)
    assert found.rounded == found.start
    for ours, theirs in zip(
        found.module.parameters(), pruned_of(model, masks).parameters(), strict=True
    ):
        assert torch.equal(ours, theirs)


def test_an_exception_of_the_callback_ends_the_training(model, inputs):
    masks = masks_of(model)
    pruned = pruned_of(model, masks).bfloat16()
    model = model.bfloat16()

    def stop(event):
        if event["what"] == "point" and event["step"]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pruneapp.recover(model, pruned, [inputs.bfloat16()], steps=40, on_event=stop)
    for each in (model, pruned):
        assert all(one.training for one in each.modules())
        assert {p.dtype for p in each.parameters()} == {torch.bfloat16}
    assert_zeros(pruned, masks)


def test_errors_leave_the_models_as_they_were(model, inputs):
    model.bfloat16()
    with pytest.raises(TrainingError, match="found only one independent sample"):
        pruneapp.recover(model, masks_of(model), [inputs[:1].bfloat16()])
    assert model.training
    assert {p.dtype for p in model.parameters()} == {torch.bfloat16}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"pruned": 3}, "pruned is a int"),
        ({"pruned": {}}, "No weight is pruned"),
        ({"pruned": {"5.weight": torch.zeros(3)}}, r"no parameter '5\.weight'"),
        ({"pruned": {"4.weight": torch.zeros(3)}}, r"'4\.weight' has the shape \[3\]"),
        ({"pruned": nn.Linear(2, 2)}, "No weight is pruned"),
        ({"inputs": []}, "There are no inputs"),
        ({"inputs": 3}, "inputs is a int"),
        ({"inputs": "text"}, "inputs is a str"),
        ({"inputs": [torch.ones(3, 5)]}, "does not accept the first of the inputs: RuntimeError"),
        ({"inputs": [(torch.ones(3, 8), torch.ones(3))]}, "does not accept the first"),
        ({"inputs": lambda model: None}, "did not call the model"),
        ({"inputs": [torch.full((9, 8), torch.nan)]}, "not all finite"),
        ({"steps": -1}, "steps must be"),
        ({"lr": 0.0}, "lr must be"),
        ({"samples": 1}, "samples must be"),
        ({"model": "x"}, "The model is a str"),
        ({"teacher": "x"}, "The teacher is a str"),
    ],
)
def test_wrong_arguments_are_errors(model, inputs, how, message):
    arguments = {"model": model, "pruned": masks_of(model), "inputs": [inputs], **how}
    with pytest.raises((ParameterError, TrainingError), match=message):
        pruneapp.recover(**arguments)


def test_a_model_is_not_its_own_teacher(model, inputs):
    model[0].weight.data[0] = 0
    with pytest.raises(ParameterError, match="share parameters"):
        pruneapp.recover(model, model, [inputs])


def test_the_library_loads_the_worker_without_a_path():
    code = (
        "import sys, torch, pruneapp\n"
        "paths = list(sys.path)\n"
        "assert 'pruneapp.prune' not in sys.modules\n"
        "with pruneapp.hold_masks(torch.nn.Linear(2, 2)): pass\n"
        "assert sys.path == paths\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {"hold_masks", "recover"} <= set(dir(pruneapp))


@pytest.mark.parametrize("explicit", [False, True])
def test_a_language_model_with_a_cache_is_trained(explicit):
    """Its blocks would otherwise find the keys of their earlier calls in the cache."""
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=30,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=32,
    )
    model = transformers.LlamaForCausalLM(config)
    assert model.config.use_cache
    masks = {n: m for n, m in masks_of(model, 0.5).items() if "layers" in n}
    ids = torch.randint(30, (40, 8))
    inputs = [{"input_ids": ids, "attention_mask": torch.ones_like(ids)}]
    if explicit:
        inputs[0]["use_cache"] = True
    found = pruneapp.recover(model, masks, inputs, steps=10)
    blocks = [event for event in found.events if event["what"] == "window"]
    assert [block["name"] for block in blocks] == ["model.layers.0", "model.layers.1"]
    assert all(block["after"] < block["before"] for block in blocks)
    assert found.rounded < found.start
    assert model.config.use_cache
    assert found.module.config.use_cache
    assert_zeros(found.module, masks)


class Remembering(nn.Module):
    """A block whose output depends on its earlier calls, or which needs a call of the model."""

    def __init__(self, *, fails):
        super().__init__()
        self.linear, self.calls, self.fails = nn.Linear(8, 8), [], fails

    def forward(self, x):
        self.calls.append(1)
        if self.fails and len(self.calls) > 1:
            raise RuntimeError
        return self.linear(x) * len(self.calls)


class Forgetful(nn.Sequential):
    def forward(self, x):
        for layer in self:
            layer.calls.clear()
        return super().forward(x)


@pytest.mark.parametrize("fails", [False, True])
def test_blocks_with_a_state_are_trained_with_the_whole_model_only(inputs, fails):
    torch.manual_seed(0)
    model = Forgetful(Remembering(fails=fails), Remembering(fails=fails))
    found = pruneapp.recover(model, masks_of(model, 0.5), [inputs], steps=10)
    assert not any(event["what"] == "window" for event in found.events)
    assert "Some blocks give other results" in found.notices[0]
    assert found.rounded < found.start
