"""Modules pruned by torch's classes and by ours, in either order."""

import inspect
import itertools

import pytest
import torch
from torch import nn
from torch.nn.utils import prune as torch_prune

from pruneapp import prune

SIDES = {"torch": torch_prune, "ours": prune}
CLASSES = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
]


@pytest.mark.parametrize("name", CLASSES)
def test_classes_derive_from_those_of_torch(name):
    """So isinstance works for code that knows only torch."""
    assert issubclass(getattr(prune, name), getattr(torch_prune, name))
    assert issubclass(getattr(prune, name), prune.BasePruningMethod)


def test_all_names_of_torch_are_there():
    """Every public class and function, and the helpers that torch's own tests use."""
    names = {
        name
        for name, thing in vars(torch_prune).items()
        if getattr(thing, "__module__", "") == torch_prune.__name__ and name[0] != "_"
    }
    assert set(prune.__all__) == names
    assert prune.__all__ == sorted(prune.__all__)
    for name in (
        "_validate_pruning_amount_init",
        "_validate_pruning_amount",
        "_compute_nparams_toprune",
        "_validate_structured_pruning",
        "_validate_pruning_dim",
        "_compute_norm",
    ):
        assert callable(getattr(prune, name))


@pytest.mark.parametrize(
    "name", [n for n in prune.__all__ if n[0].islower()] + [f"{c}.apply" for c in CLASSES]
)
def test_arguments_have_the_names_the_order_and_the_defaults_of_torch(name):
    """Arguments accepted by torch by position or name are accepted here."""

    def parameters(side):
        thing = side
        for part in name.split("."):
            thing = getattr(thing, part)
        return [(p.name, p.kind, p.default) for p in inspect.signature(thing).parameters.values()]

    assert parameters(prune) == parameters(torch_prune)


@pytest.mark.parametrize("order", list(itertools.product(SIDES, repeat=3)), ids="-".join)
@pytest.mark.parametrize("last", SIDES)
@pytest.mark.parametrize("kind", [nn.Linear, nn.Conv2d])
def test_one_prunes_on_what_the_other_left(order, last, kind):
    """Containers of torch accept our methods and ours accept torch's; either makes it permanent."""
    torch.manual_seed(0)
    args = (8, 6) if kind is nn.Linear else (8, 6, 3)
    module, pure = kind(*args), kind(*args)
    pure.load_state_dict(module.state_dict())
    for step, name in enumerate(order):
        for side, pruned in ((SIDES[name], module), (torch_prune, pure)):
            if step == 1:
                side.ln_structured(pruned, "weight", 2, 2, 0)
            else:
                side.l1_unstructured(pruned, "weight", 0.3)
        assert torch.equal(module.weight_mask, pure.weight_mask)
        assert torch.equal(module.weight, pure.weight)
        assert torch_prune.is_pruned(module)
        assert prune.is_pruned(module)
    (hook,) = module._forward_pre_hooks.values()
    assert isinstance(hook, torch_prune.PruningContainer)
    assert len(hook) == 3
    x = torch.ones(1, 8) if kind is nn.Linear else torch.ones(1, 8, 4, 4)
    assert torch.equal(module(x), pure(x))
    parameter = module.weight_orig
    SIDES[last].remove(module, "weight")
    torch_prune.remove(pure, "weight")
    assert module.weight is parameter
    assert torch.equal(module.weight, pure.weight)
    assert not prune.is_pruned(module)
    assert not torch_prune.is_pruned(module)
    assert list(module.state_dict()) == list(pure.state_dict())


@pytest.mark.parametrize("side", SIDES.values(), ids=SIDES)
def test_what_is_not_pruned_has_nothing_to_remove(side):
    """Both raise the same type of exception."""
    with pytest.raises(ValueError):
        side.remove(nn.Linear(2, 2), "weight")


def test_two_hooks_on_one_tensor_are_refused():
    """As in torch: a container would be needed."""
    module = nn.Linear(4, 3)
    hook = prune.L1Unstructured.apply(module, "weight", 0.2)
    module.register_forward_pre_hook(hook)
    with pytest.raises(AssertionError, match="2 pruning hooks"):
        prune.l1_unstructured(module, "weight", 0.2)


@pytest.mark.parametrize("pruning_type", ["unstructured", "structured", "global"])
def test_an_own_method_of_ours_works_in_a_container_of_torch(pruning_type):
    """The tutorial's method gives the same result in either container."""

    def make(base):
        class FooBarPruningMethod(base):
            PRUNING_TYPE = pruning_type
            dim = 0

            def compute_mask(self, t, default_mask):
                mask = default_mask.clone()
                mask.view(-1)[::2] = 0
                return mask

        return FooBarPruningMethod

    masks = []
    for base, first in itertools.product(
        (torch_prune.BasePruningMethod, prune.BasePruningMethod), SIDES.values()
    ):
        module = nn.Linear(5, 4)
        module.bias.data = torch.tensor([4.0, 3.0, 2.0, 1.0])
        first.l1_unstructured(module, "bias", 1)
        for _ in range(2):
            make(base).apply(module, "bias")
        masks.append(module.bias_mask.tolist())
    assert masks == [masks[0]] * 4


def test_gradients_reach_the_original_and_not_the_pruned():
    """The optimizer's parameter is the same object; pruned elements get gradient 0."""
    module = nn.Linear(6, 4)
    optimizer = torch.optim.SGD(module.parameters(), 0.1)
    prune.l1_unstructured(module, "weight", 0.5)
    assert module.weight_orig is optimizer.param_groups[0]["params"][0]
    module(torch.ones(2, 6)).sum().backward()
    assert torch.equal(module.weight_orig.grad != 0, module.weight_mask == 1)
    optimizer.step()
    assert bool((module(torch.ones(1, 6)) == module(torch.ones(1, 6))).all())
    assert bool((module.weight[module.weight_mask == 0] == 0).all())


@pytest.mark.filterwarnings("ignore:The tensor attribute")  # torch's hook warns as well
def test_a_pruned_module_can_be_exported():
    """The compiler sees only the hook's multiplication."""
    module = nn.Sequential(nn.Linear(4, 3))
    prune.l1_unstructured(module[0], "weight", 0.5)
    x = torch.ones(1, 4)
    program = torch.export.export(module, (x,))
    assert torch.equal(program.module()(x), module(x))
