"""Training with masks: no optimizer or training loop changes a pruned weight."""

from __future__ import annotations

import copy
import io
import pickle

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional
from torch.nn.utils import prune as torch_prune
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.checkpoint import checkpoint

import pruneapp
from pruneapp import prune
from pruneapp.errors import ParameterError, PruneAppError
from pruneapp.prune.recovery import TrainingError, _worker

INTEGERS = {torch.float64: torch.int64, torch.float32: torch.int32, torch.bfloat16: torch.int16}


class NoisyWriter(torch.optim.Optimizer):
    """An optimizer that ignores gradients and writes into the data of parameters."""

    def __init__(self, parameters, lr=0.1):
        super().__init__(parameters, {"lr": lr})

    def step(self, closure=None):
        loss = closure() if closure is not None else None
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.data = parameter.data + group["lr"] * torch.randn_like(parameter)
        return loss


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, 0.05),
    "momentum": lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, weight_decay=0.1),
    "nesterov": lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, nesterov=True, foreach=True),
    "fused sgd": lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, fused=True),
    "adam": lambda p: torch.optim.Adam(p, 0.01, weight_decay=0.1, foreach=False),
    "foreach adam": lambda p: torch.optim.Adam(p, 0.01, amsgrad=True, foreach=True),
    "fused adam": lambda p: torch.optim.Adam(p, 0.01, fused=True),
    "adamw": lambda p: torch.optim.AdamW(p, 0.01, weight_decay=0.1, amsgrad=True),
    "fused adamw": lambda p: torch.optim.AdamW(p, 0.01, weight_decay=0.1, fused=True),
    "nadam": lambda p: torch.optim.NAdam(p, 0.01, weight_decay=0.1),
    "radam": lambda p: torch.optim.RAdam(p, 0.01),
    "rmsprop": lambda p: torch.optim.RMSprop(p, 0.01, momentum=0.9, centered=True),
    "adagrad": lambda p: torch.optim.Adagrad(p, 0.01, initial_accumulator_value=0.1),
    "adadelta": lambda p: torch.optim.Adadelta(p, 0.1, weight_decay=0.1),
    "adamax": lambda p: torch.optim.Adamax(p, 0.01),
    "asgd": lambda p: torch.optim.ASGD(p, 0.01, lambd=0.1),
    "rprop": lambda p: torch.optim.Rprop(p, 0.01),
    "lbfgs": lambda p: torch.optim.LBFGS(p, 0.1, max_iter=3),
    "strong wolfe": lambda p: torch.optim.LBFGS(p, 0.1, max_iter=2, line_search_fn="strong_wolfe"),
    "writer": NoisyWriter,
}


class Net(nn.Module):
    """Convolution with norm, a block that runs twice, and a head that may be tied to it."""

    def __init__(self, *, tied=False, checkpoints=False):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.inner = nn.Linear(16, 16)
        self.head = nn.Linear(16, 16, bias=False)
        if tied:
            self.head.weight = self.inner.weight
        self.checkpoints = checkpoints

    def forward(self, x):
        x = functional.gelu(self.norm(self.conv(x))).mean(1).flatten(1)
        x = self.inner(x)
        again = (
            checkpoint(self.inner, x, use_reentrant=False) if self.checkpoints else self.inner(x)
        )
        return self.head(again)


def mask_of(kind, shape, generator):
    """Return where weights remain."""
    if kind == "2:4" and shape[-1] % 4 == 0 and len(shape) > 1:
        scores = torch.rand(shape, generator=generator).reshape(-1, 4)
        mask = torch.zeros_like(scores).scatter_(1, scores.argsort(1)[:, :2], 1).bool()
        return mask.reshape(shape)
    if kind == "channels":
        keep = torch.rand(shape[0], generator=generator) > 0.5
        return keep.reshape(-1, *[1] * (len(shape) - 1)).expand(shape).clone()
    if kind == "all":
        return torch.zeros(shape, dtype=torch.bool)
    return torch.rand(shape, generator=generator) > 0.7


def bits(tensor):
    return tensor.detach().clone().contiguous().view(INTEGERS[tensor.dtype])


@st.composite
def configurations(draw):
    return {
        "optimizer": draw(st.sampled_from(sorted(OPTIMIZERS))),
        "dtype": draw(st.sampled_from(list(INTEGERS))),
        "mask": draw(st.sampled_from(["random", "2:4", "channels", "all"])),
        "find": draw(st.booleans()),
        "protect": draw(st.booleans()),
        "steps": draw(st.integers(1, 3)),
        "seed": draw(st.integers(0, 10_000)),
        **{
            name: draw(st.booleans())
            for name in (
                "tied",
                "checkpoints",
                "accumulate",
                "autocast",
                "average",
                "clip",
                "toggle",
                "before",
                "closure",
                "old gradients",
            )
        },
    }


@settings(max_examples=2 * settings.default.max_examples)
@given(configurations())
def test_no_pruned_weight_changes(how):
    """Also with earlier momentum, and protected weights keep their bits."""
    generator = torch.Generator().manual_seed(how["seed"])
    torch.manual_seed(how["seed"])
    model = Net(tied=how["tied"], checkpoints=how["checkpoints"]).to(how["dtype"])
    optimizer = OPTIMIZERS[how["optimizer"]](model.parameters())
    needs_closure = how["closure"] or isinstance(optimizer, torch.optim.LBFGS)
    inputs = torch.randn(4, 1, 4, 4, generator=generator).to(how["dtype"])

    def backward():
        optimizer.zero_grad()
        for part in inputs.chunk(2) if how["accumulate"] else [inputs]:
            with torch.autocast("cpu", torch.bfloat16, enabled=how["autocast"]):
                loss = model(part).float().square().mean()
            loss.backward()
        if how["clip"]:
            nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        return loss

    def step():
        if needs_closure:
            optimizer.step(backward)
        else:
            backward()
            optimizer.step()

    if how["before"]:
        step()
    if how["old gradients"]:
        backward()
    names = [name for name, p in model.named_parameters() if p.dim() > 1 or not how["find"]]
    parameters = dict(model.named_parameters())
    masks = {name: mask_of(how["mask"], parameters[name].shape, generator) for name in names}
    if how["find"] and how["mask"] == "all":
        masks = {name: mask_of("random", mask.shape, generator) for name, mask in masks.items()}
    if how["find"]:  # parameters that are entirely zero are not found
        for mask in masks.values():
            mask.view(-1)[0] = True
    protected = {name: torch.zeros_like(mask) for name, mask in masks.items()}
    if how["protect"] and not how["find"]:
        protected = {name: mask_of("random", m.shape, generator) & m for name, m in masks.items()}
    with torch.no_grad():
        for name, mask in masks.items():
            parameters[name].masked_fill_(~mask, 0)
    before = {name: bits(parameters[name]) for name in masks}
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    training = _worker("masked_training")
    free = None if how["find"] else {name: masks[name] & ~protected[name] for name in masks}
    with training.hold(training.fixed_elements(model, free)):
        for number in range(how["steps"]):
            # torch's fused SGD fails if some parameters have had no gradient before
            if how["toggle"] and how["optimizer"] != "fused sgd":
                model.inner.requires_grad_(requires_grad=number % 2 == 1)
            step()
            if how["average"]:
                average.update_parameters(model)
            for name, mask in masks.items():
                fixed = ~mask | protected[name]
                assert torch.equal(bits(parameters[name])[fixed], before[name][fixed]), name
        with torch.no_grad():  # a loop of its own
            for parameter in parameters.values():
                parameter.data += 1e-3 * torch.randn_like(parameter)
    for name, mask in masks.items():
        assert not bits(parameters[name])[~mask].any(), name
        fixed = protected[name]
        assert torch.equal(bits(parameters[name])[fixed], before[name][fixed]), name
    for name, parameter in average.module.named_parameters():
        if name in masks:
            assert not parameter[~masks[name]].any(), name


def pruned_net(**how):
    torch.manual_seed(0)
    model = Net(**how)
    with torch.no_grad():
        model.inner.weight.mul_(torch.rand(16, 16) > 0.6)
    return model


def train(model, optimizer, steps=2):
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(4, 1, 4, 4)).square().mean().backward()
        optimizer.step()


def test_zeros_are_found_and_counted():
    model = pruned_net()
    zeros = int((model.inner.weight == 0).sum())
    with pruneapp.hold_masks(model) as held:
        assert held == {"inner.weight": zeros}
        train(model, torch.optim.AdamW(model.parameters(), 0.1))
        assert int((model.inner.weight == 0).sum()) == zeros
    train(model, torch.optim.AdamW(model.parameters(), 0.1))
    assert not (model.inner.weight == 0).any()


def test_zeros_of_channels_include_their_bias_and_adapters_of_zeros_are_free():
    model = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 4, bias=False))
    with torch.no_grad():
        model[0].weight[1] = -0.0
        model[0].bias[:2] = 0
        model[1].weight.zero_()
    with pruneapp.hold_masks(model) as held:
        assert held == {"0.weight": 4, "0.bias": 1}
        assert not torch.signbit(model[0].weight[1]).any()


def test_masks_set_weights_to_zero_first():
    model = Net()
    mask = torch.rand(16, 16) > 0.5
    with pruneapp.hold_masks(model, {"inner.weight": mask}):
        assert not model.inner.weight[~mask].any()
        train(model, torch.optim.SGD(model.parameters(), 0.1))
    assert not bits(model.inner.weight)[~mask].any()


@pytest.mark.parametrize("library", [torch_prune, prune], ids=["torch", "pruneapp"])
def test_masks_of_torch_are_found(library):
    model = Net()
    library.l1_unstructured(model.inner, "weight", 0.5)
    before = model.inner.weight_orig.detach().clone()
    mask = model.inner.weight_mask.bool()
    with pruneapp.hold_masks(model) as held:
        assert held == {"inner.weight_orig": 128}
        train(model, torch.optim.AdamW(model.parameters(), 0.1))
    assert torch.equal(model.inner.weight_orig[~mask], before[~mask])
    assert not torch.equal(model.inner.weight_orig[mask], before[mask])
    with pruneapp.hold_masks(model, {"inner.weight": mask}):
        assert not model.inner.weight_orig[~mask].any()


def test_moments_and_clipping_ignore_pruned_weights():
    model = pruned_net()
    optimizer = torch.optim.Adam(model.parameters())
    zeros = model.inner.weight == 0
    with pruneapp.hold_masks(model):
        train(model, optimizer)
        assert not model.inner.weight.grad[zeros].any()
    assert not optimizer.state[model.inner.weight]["exp_avg"][zeros].any()
    assert optimizer.state[model.inner.weight]["exp_avg"].any()


def test_gradients_of_before_the_block_are_masked():
    model = pruned_net()
    zeros = model.inner.weight == 0
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    model(torch.randn(4, 1, 4, 4)).square().mean().backward()
    assert model.inner.weight.grad[zeros].any()
    with pruneapp.hold_masks(model):
        optimizer.step()
    assert not optimizer.state[model.inner.weight]["momentum_buffer"][zeros].any()


def test_each_module_that_has_a_tied_parameter_restores_it():
    model = pruned_net(tied=True)
    zeros = model.head.weight == 0
    with pruneapp.hold_masks(model):
        model.head.weight.data += 1
        model.head(torch.randn(2, 16))
        assert not model.head.weight[zeros].any()


def test_gradients_are_masked_after_requires_grad_is_set_in_the_block():
    model = pruned_net()
    zeros = model.inner.weight == 0
    model.inner.requires_grad_(requires_grad=False)
    with pruneapp.hold_masks(model):
        model.inner.requires_grad_(requires_grad=True)
        train(model, torch.optim.SGD(model.parameters(), 0.1))
        assert not model.inner.weight.grad[zeros].any()


def test_a_conversion_in_the_block_is_followed():
    model = pruned_net()
    zeros = model.inner.weight == 0
    with pruneapp.hold_masks(model):
        model.double()
        optimizer = torch.optim.AdamW(model.parameters(), 0.1)
        model(torch.randn(4, 1, 4, 4).double()).square().mean().backward()
        assert not model.inner.weight.grad[zeros].any()
        optimizer.step()
    assert not model.inner.weight[zeros].any()


def test_steps_in_the_backward_pass_are_followed():
    """As optimizers that free each gradient at once."""
    model = pruned_net()
    zeros = model.inner.weight == 0
    optimizers = {p: torch.optim.SGD([p], 0.1, weight_decay=0.1) for p in model.parameters()}

    def step(parameter):
        optimizers[parameter].step()
        parameter.grad = None

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(step)
    with pruneapp.hold_masks(model):
        for _ in range(3):
            model(torch.randn(4, 1, 4, 4)).square().mean().backward()
    assert not bits(model.inner.weight)[zeros].any()


def test_sparse_gradients_are_accepted():
    model = nn.Embedding(6, 4, sparse=True)
    with torch.no_grad():
        model.weight[:, 0] = 0
    optimizer = torch.optim.SparseAdam(model.parameters(), 0.1)
    with pruneapp.hold_masks(model):
        model(torch.tensor([1, 2])).sum().backward()
        optimizer.step()
    assert not bits(model.weight)[:, 0].any()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.logs
@pytest.mark.parametrize("compiles_step", [False, True])
def test_a_compiled_model_keeps_its_zeros(compiles_step):
    model = pruned_net()
    zeros = model.inner.weight == 0
    compiled = torch.compile(model, backend="eager")
    optimizer = torch.optim.AdamW(model.parameters(), 0.1)
    with pruneapp.hold_masks(model):
        for _ in range(3):
            compiled(torch.randn(4, 1, 4, 4)).square().mean().backward()
            if compiles_step:
                torch.compile(optimizer.step, backend="eager")()
            else:
                optimizer.step()
            assert not bits(model.inner.weight)[zeros].any()
            assert not model.inner.weight.grad[zeros].any()
    torch.compiler.reset()


def test_a_model_of_several_processes_keeps_its_zeros(tmp_path):
    model = pruned_net()
    zeros = model.inner.weight == 0
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{tmp_path / 'store'}", rank=0, world_size=1
    )
    try:
        wrapped = nn.parallel.DistributedDataParallel(model)
        with pruneapp.hold_masks(wrapped) as held:
            assert list(held) == ["module.inner.weight"]
            train(wrapped, torch.optim.AdamW(wrapped.parameters(), 0.1))
        del wrapped
    finally:
        torch.distributed.destroy_process_group()
    assert not bits(model.inner.weight)[zeros].any()


def test_a_model_can_be_copied_and_saved_in_the_block():
    model = pruned_net()
    with pruneapp.hold_masks(model):
        train(model, torch.optim.SGD(model.parameters(), 0.1))
        copied = copy.deepcopy(model)
        pickled = pickle.loads(pickle.dumps(model))
        torch.save(model.state_dict(), file := io.BytesIO())
        torch.save(model, io.BytesIO())
    file.seek(0)
    for other in (copied.state_dict(), pickled.state_dict(), torch.load(file)):
        assert torch.equal(other["inner.weight"], model.inner.weight)
    train(copied, torch.optim.SGD(copied.parameters(), 0.1))  # without hooks


def replace_and_train(model):
    model.inner.weight = nn.Parameter(torch.randn(16, 16))
    train(model, torch.optim.SGD(model.parameters(), 0.1))


def interrupt(model):
    model.inner.weight.data += 1
    raise KeyboardInterrupt


@pytest.mark.parametrize("what", ["replaced by another one", "removed"])
def test_a_replaced_parameter_is_an_error_with_its_name(what):
    model = pruned_net()
    other = None if what == "removed" else nn.Parameter(torch.randn(16, 16))
    with (
        pytest.raises(TrainingError, match=f"'inner.weight' was {what}"),
        pruneapp.hold_masks(model),
    ):
        model.inner.weight = other
    model = pruned_net()
    with (
        pytest.raises(TrainingError, match=r"'inner\.weight' was replaced"),
        pruneapp.hold_masks(model),
    ):
        replace_and_train(model)


def test_a_replaced_parameter_with_the_zeros_is_accepted():
    model = pruned_net()
    state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    with pruneapp.hold_masks(model):
        model.load_state_dict(state, assign=True)
        assert model.inner.weight.data_ptr() == state["inner.weight"].data_ptr()


def test_a_tied_parameter_that_is_separated_is_an_error_with_its_name():
    model = pruned_net(tied=True)
    with (
        pytest.raises(TrainingError, match=r"'head\.weight' was replaced"),
        pruneapp.hold_masks(model),
    ):
        model.head.weight = nn.Parameter(torch.randn(16, 16))


def test_masks_of_both_names_of_a_tied_parameter_count():
    model = Net(tied=True)
    first, second = torch.rand(2, 16, 16) > 0.5
    with pruneapp.hold_masks(model, {"inner.weight": first, "head.weight": second}):
        assert torch.equal(model.head.weight != 0, first & second)


def test_a_parameter_of_another_shape_is_an_error_with_its_name():
    model = pruned_net()
    with (
        pytest.raises(TrainingError, match=r"'inner\.weight' had the shape \[16, 16\]"),
        pruneapp.hold_masks(model),
    ):
        model.inner.weight.data = torch.zeros(0)


def test_zeros_are_restored_after_an_exception():
    model = pruned_net()
    zeros = model.inner.weight == 0
    with pytest.raises(KeyboardInterrupt), pruneapp.hold_masks(model):
        interrupt(model)
    assert not model.inner.weight[zeros].any()
    assert not model.inner.weight._backward_hooks


def test_wrong_masks_are_errors_with_a_remedy():
    model = Net()
    with (
        pytest.raises(TrainingError, match=r"no parameter 'inner\.wieght'\. Did you mean 'inner"),
        pruneapp.hold_masks(model, {"inner.wieght": torch.ones(16, 16)}),
    ):
        pass
    with (
        pytest.raises(TrainingError, match=r"'inner\.weight' has the shape \[16\]"),
        pruneapp.hold_masks(model, {"inner.weight": torch.ones(16)}),
    ):
        pass
    for model_, masks in ((Net(), {"inner.weight": [1]}), ("x", None)):
        with pytest.raises(ParameterError, match="must be a"), pruneapp.hold_masks(model_, masks):
            pass
    assert issubclass(TrainingError, PruneAppError)


def test_special_parameters_are_skipped():
    model = nn.Sequential(nn.LazyLinear(4), nn.Linear(2, 2, device="meta"))
    model.register_parameter("small", nn.Parameter(torch.eye(2).to(torch.float8_e4m3fn)))
    model.register_parameter("whole", nn.Parameter(torch.eye(2).int(), requires_grad=False))
    with pruneapp.hold_masks(model) as held:
        assert held == {}
