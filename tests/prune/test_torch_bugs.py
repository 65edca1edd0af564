"""Bugs of torch.nn.utils.prune: each test shows that torch fails and our module does not."""

import copy
import gc
import math
import pickle
import weakref

import pytest
import torch
from torch import nn
from torch.nn.utils import prune as torch_prune

from pruneapp import prune

BOTH = pytest.mark.parametrize("side", [torch_prune, prune], ids=["torch", "ours"])
FLOAT8 = [getattr(torch, f"float8_{n}") for n in ("e5m2", "e4m3fn", "e5m2fnuz", "e4m3fnuz")]


def state_of(module, name="weight"):
    """Return everything that pruning may change: objects by identity, in order."""
    hooks = [(key, hook) for key, hook in module._forward_pre_hooks.items()]
    return (
        [(key, id(value)) for key, value in module._parameters.items()],
        [(key, id(value)) for key, value in module._buffers.items()],
        sorted(module._non_persistent_buffers_set),
        [
            (key, id(hook), [id(m) for m in getattr(hook, "_pruning_methods", ())])
            for key, hook in hooks
        ],
        id(getattr(module, name)),
        [id(w) for w in getattr(module, "_flat_weights", ())],
    )


class Failing:
    """Makes a method that returns or raises something invalid."""

    def __new__(cls, side, outcome):
        class Method(side.BasePruningMethod):
            PRUNING_TYPE = "unstructured"

            def compute_mask(self, t, default_mask):
                if isinstance(outcome, BaseException):
                    raise outcome
                return outcome

        return Method


@pytest.mark.parametrize("first", [None, torch_prune, prune], ids=["new", "torch", "ours"])
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(
    "outcome", [RuntimeError("no"), KeyboardInterrupt(), 5, torch.ones(7)], ids=repr
)
@pytest.mark.parametrize("kind", [nn.Linear, nn.LSTM])
def test_a_pruning_that_raises_leaves_the_module_exactly_as_it_was(first, times, outcome, kind):
    """Parameters, buffers, hooks, containers and the tensor: the same objects in the same order."""
    module, name = kind(4, 3), "weight" if kind is nn.Linear else "weight_hh_l0"
    for _ in range(times if first else 0):
        first.random_unstructured(module, name, 2)
    before = state_of(module, name)
    with pytest.raises((RuntimeError, KeyboardInterrupt, TypeError, AttributeError, IndexError)):
        Failing(prune, outcome).apply(module, name)
    assert state_of(module, name) == before
    assert prune.is_pruned(module) == (first is not None)


def test_torch_breaks_a_module_when_a_second_pruning_raises():
    """Documents torch's behavior: the hook is lost, mask and original stay, and remove fails."""
    module = nn.Linear(4, 3)
    torch_prune.random_unstructured(module, "weight", 2)
    with pytest.raises(RuntimeError):
        Failing(torch_prune, RuntimeError("no")).apply(module, "weight")
    assert not torch_prune.is_pruned(module)
    assert "weight_orig" in module._parameters
    with pytest.raises(ValueError):
        torch_prune.remove(module, "weight")


def test_a_module_is_pruned_further_after_a_pruning_that_raised():
    """The next pruning continues from the first."""
    module = nn.Linear(4, 3)
    prune.l1_unstructured(module, "weight", 6)
    with pytest.raises(ValueError):
        prune.ln_structured(module, "weight", 1, "no norm", 0)
    prune.l1_unstructured(module, "weight", 3)
    assert int((module.weight_mask == 0).sum()) == 9
    prune.remove(module, "weight")
    assert int((module.weight == 0).sum()) == 9


@pytest.mark.parametrize(
    "layer",
    [nn.Linear(6, 5), nn.Conv1d(4, 5, 3), nn.Conv2d(4, 5, 3), nn.Conv3d(3, 5, 2)],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.parametrize("n", ["fro", "nuc"])
def test_fro_and_nuc_work_on_every_layer(layer, n):
    """'fro' is L2 of the flattened channel, 'nuc' the sum of its singular values as a matrix."""
    module = copy.deepcopy(layer)
    weight = module.weight.detach().double()
    prune.ln_structured(module, "weight", 2, n, 0)
    rows = (
        weight.flatten(1).norm(dim=1)
        if n == "fro"
        else torch.stack([torch.linalg.svdvals(w.reshape(w.shape[0], -1)).sum() for w in weight])
    )
    gone = {int(i) for i in rows.argsort()[:2]}
    assert {i for i in range(5) if not module.weight_mask[i].any()} == gone


@pytest.mark.parametrize("n", ["fro", "nuc"])
def test_torch_refuses_fro_and_nuc_on_convolutions(n):
    """Its docstring lists both."""
    with pytest.raises(RuntimeError):
        torch_prune.ln_structured(nn.Conv2d(4, 5, 3), "weight", 2, n, 0)


def test_a_generator_of_parameters_is_accepted():
    """torch iterates over it three times, so it is exhausted after the first."""
    layers = [nn.Linear(4, 3), nn.Linear(3, 2)]
    with pytest.raises((RuntimeError, ValueError)):
        torch_prune.global_unstructured(
            ((m, "weight") for m in layers), torch_prune.L1Unstructured, amount=5
        )
    prune.global_unstructured(((m, "weight") for m in layers), prune.L1Unstructured, amount=5)
    assert sum(int((m.weight_mask == 0).sum()) for m in layers) == 5


def tied():
    first, second = nn.Linear(5, 4, bias=False), nn.Linear(5, 4, bias=False)
    second.weight = first.weight
    return first, second


@BOTH
def test_tied_weights_count_once_and_all_owners_get_one_mask(side):
    """torch prunes 5 + 5 of the 20 for an amount of 10: it counts the same weight twice."""
    first, second = tied()
    other = nn.Linear(5, 4, bias=False)
    other.weight.data.fill_(9.0)
    owners = [(first, "weight"), (other, "weight"), (second, "weight")]
    side.global_unstructured(owners, side.L1Unstructured, amount=10)
    pruned = [int((m.weight_mask == 0).sum()) for m in (first, other, second)]
    assert pruned == ([5, 0, 5] if side is torch_prune else [10, 0, 10])
    assert torch.equal(first.weight_mask, second.weight_mask)
    assert first.weight_orig is second.weight_orig


def test_what_one_owner_had_pruned_stays_pruned_for_all():
    """The masks of all owners are combined, and the amount is a fraction of the rest."""
    first, second = tied()
    prune.l1_unstructured(first, "weight", 10)
    prune.global_unstructured(
        [(second, "weight"), (first, "weight")], prune.L1Unstructured, amount=0.5
    )
    assert int((second.weight_mask == 0).sum()) == 15
    assert torch.equal(first.weight_mask, second.weight_mask)


def test_a_parameter_listed_twice_counts_once():
    """Also if it is the same module and name."""
    module = nn.Linear(5, 4)
    scores = {(module, "weight"): torch.arange(20.0).view(4, 5)}
    prune.global_unstructured([(module, "weight")] * 2, prune.L1Unstructured, scores, amount=10)
    assert torch.equal(module.weight_mask.view(-1), (torch.arange(20) >= 10).float())


def test_a_global_pruning_that_raises_in_the_middle_changes_nothing():
    """The first module is restored when the second cannot be pruned."""
    good, bad = nn.Linear(4, 3), nn.Linear(4, 3)
    bad.weight_orig = "in the way"
    before = state_of(good)
    with pytest.raises(KeyError, match="weight_orig"):
        prune.global_unstructured(
            [(good, "weight"), (bad, "weight")], prune.L1Unstructured, amount=5
        )
    assert state_of(good) == before
    assert "weight_orig" not in bad._parameters


def test_an_empty_container_takes_methods():
    """torch's has no tensor name until one is set."""
    with pytest.raises(AttributeError):
        torch_prune.PruningContainer().add_pruning_method(torch_prune.L1Unstructured(1))
    container = prune.PruningContainer()
    method = prune.L1Unstructured(1)
    method._tensor_name = "weight"
    container.add_pruning_method(method)
    container.add_pruning_method(method)
    assert container._tensor_name == "weight"
    assert list(container) == [method, method]
    other = prune.L1Unstructured(1)
    other._tensor_name = "bias"
    with pytest.raises(ValueError):
        container.add_pruning_method(other)
    assert len(prune.PruningContainer(prune.L1Unstructured(1), prune.L1Unstructured(2))) == 2


def held(module):
    """Return the bytes of tensors referenced by the hooks of a module."""
    found = {}
    for hook in module._forward_pre_hooks.values():
        for method in getattr(hook, "_pruning_methods", (hook,)):
            for value in vars(method).values():
                if isinstance(value, torch.Tensor):
                    storage = value.untyped_storage()
                    found[storage.data_ptr()] = storage.nbytes()
    return sum(found.values())


@BOTH
def test_no_masks_pile_up_in_containers(side):
    """torch keeps one more mask of every weight in the hooks for every global round."""
    layers = [nn.Linear(8, 8, bias=False) for _ in range(3)]
    for _ in range(5):
        side.global_unstructured([(m, "weight") for m in layers], side.L1Unstructured, amount=0.1)
    assert held(layers[0]) == (0 if side is prune else 5 * 3 * 8 * 8 * 4)


def test_a_mask_that_was_applied_says_where_it_went():
    """A released mask raises an error with an explanation instead of a TypeError."""
    module = nn.Linear(4, 3)
    hook = prune.CustomFromMask.apply(module, "weight", torch.ones(3, 4))
    with pytest.raises(ValueError, match="weight_mask"):
        hook.compute_mask(module.weight, torch.ones(3, 4))


@BOTH
def test_float16_norms_do_not_overflow(side):
    """In torch, L1 norms of large float16 channels are all infinite and tie."""
    module = nn.Linear(4096, 4, bias=False).half()
    with torch.no_grad():
        module.weight[:] = torch.tensor([40.0, 30.0, 20.0, 50.0]).half().view(4, 1)
    norms = side._compute_norm(module.weight.detach(), 1, 0)
    assert bool(torch.isinf(norms).all()) == (side is torch_prune)
    if side is prune:
        prune.ln_structured(module, "weight", 1, 1, 0)
        assert module.weight_mask[:, 0].tolist() == [1, 1, 0, 1]


@pytest.mark.parametrize("dtype", FLOAT8)
def test_float8_can_be_pruned(dtype):
    """By every method, twice, and made permanent; torch has no topk, norm or rand for it."""
    weight = torch.linspace(-3, 3, 24).view(4, 6).to(dtype)
    for method, arguments in (
        ("l1_unstructured", (0.25,)),
        ("random_unstructured", (0.25,)),
        ("ln_structured", (1, 2, 0)),
        ("random_structured", (1, 1)),
        ("identity", ()),
        ("custom_from_mask", (torch.eye(4, 6).to(dtype),)),
    ):
        module = nn.Linear(6, 4, bias=False)
        module.weight = nn.Parameter(weight.clone())
        wide = nn.Linear(6, 4, bias=False)
        wide.weight = nn.Parameter(weight.float())
        for _ in range(2):
            for pruned in (module, wide):
                torch.manual_seed(1)
                getattr(prune, method)(pruned, "weight", *arguments)
            assert module.weight_mask.dtype == dtype
            assert torch.equal(module.weight_mask.float(), wide.weight_mask)
        module.weight.float().sum().backward()
        prune.remove(module, "weight")
        assert torch.equal(module.weight.float(), wide.weight)
    module = nn.Linear(6, 4, bias=False)
    module.weight = nn.Parameter(weight.clone())
    with pytest.raises((RuntimeError, NotImplementedError)):
        torch_prune.l1_unstructured(module, "weight", 0.25)


@pytest.mark.parametrize("dtype", FLOAT8)
def test_float8_is_pruned_globally(dtype):
    """Together with the same and with a wider dtype."""
    small, large = nn.Linear(3, 2, bias=False), nn.Linear(3, 2, bias=False)
    small.weight = nn.Parameter(torch.tensor([[1.0, 2, 3], [4, 5, 6]]).to(dtype))
    large.weight = nn.Parameter(torch.tensor([[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]]))
    prune.global_unstructured(
        [(small, "weight"), (large, "weight")], prune.L1Unstructured, amount=5
    )
    assert small.weight_mask.float().view(-1).tolist() == [0, 0, 0, 1, 1, 1]
    assert large.weight_mask.view(-1).tolist() == [0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64, torch.int64])
def test_equal_magnitudes_go_in_the_order_of_their_indices(dtype):
    """torch does not define which of them are pruned; here the lower flat index is, NaN last."""
    t = torch.tensor([[2, -1, 1, 3], [1, -1, 2, 1]]).to(dtype)
    for count in range(t.numel() + 1):
        mask = prune.L1Unstructured(count).compute_mask(t, torch.ones_like(t))
        order = sorted(range(8), key=lambda i: abs(float(t.view(-1)[i])))
        assert {i for i in range(8) if mask.view(-1)[i] == 0} == set(order[:count])


def test_nan_is_kept():
    """NaN counts as largest, whatever its sign and payload."""
    t = torch.tensor([float("nan"), 1.0, -float("nan"), -float("inf"), 0.0])
    mask = prune.L1Unstructured(3).compute_mask(t, torch.ones(5))
    assert mask.tolist() == [1, 0, 1, 0, 0]


def test_equal_norms_go_in_the_order_of_their_indices():
    mask = prune.LnStructured(2, 2, 0).compute_mask(torch.ones(4, 3), torch.ones(4, 3))
    assert mask[:, 0].tolist() == [0, 0, 1, 1]


@BOTH
@pytest.mark.parametrize("amount", [float("nan"), -1, 1.5])
def test_amounts_that_are_none_are_refused(side, amount):
    """torch accepts NaN and fails later."""
    if side is torch_prune and math.isnan(amount):
        side.L1Unstructured(amount)
        return
    with pytest.raises(ValueError, match="amount"):
        side.L1Unstructured(amount)


@BOTH
def test_a_dimension_that_is_too_low_is_an_index_error_with_words(side):
    """torch's message is 'tuple index out of range'."""
    with pytest.raises(IndexError) as caught:
        side.ln_structured(nn.Linear(4, 3), "weight", 1, 2, -3)
    assert ("(got -3)" in str(caught.value)) == (side is prune)


def test_tensors_that_are_not_in_c_order_are_pruned_by_their_flat_index():
    """torch cannot flatten them with view."""
    t = torch.arange(1.0, 13.0).view(3, 4).t()
    with pytest.raises(RuntimeError):
        torch_prune.L1Unstructured(2).compute_mask(t, torch.ones(4, 3))
    mask = prune.L1Unstructured(2).compute_mask(t, torch.ones(4, 3))
    assert mask.nonzero().shape[0] == 10
    assert mask[0, 0] == mask[1, 0] == 0


def hook_of(module):
    """Return the only pruning hook of a module."""
    (hook,) = module._forward_pre_hooks.values()
    return hook


@pytest.mark.parametrize("layer", [lambda: nn.Linear(4, 3), lambda: nn.LSTM(4, 3)])
def test_a_pruned_module_can_be_copied(layer):
    """In the copy, the tensor is computed from the copied parameter: gradients reach that one."""
    module = nn.Sequential(layer(), nn.ReLU())
    name = "weight" if isinstance(module[0], nn.Linear) else "weight_hh_l0"
    theirs = copy.deepcopy(module)
    torch_prune.l1_unstructured(theirs[0], name, 0.5)
    with pytest.raises(RuntimeError, match="deepcopy"):
        copy.deepcopy(theirs)
    for times in range(1, 4):
        prune.l1_unstructured(module[0], name, 0.3)
        copied = copy.deepcopy(module)
        assert len(getattr(hook_of(copied[0]), "_pruning_methods", "1")) == times
        mine, other = (getattr(m[0], name) for m in (module, copied))
        assert torch.equal(mine, other)
        other.sum().backward()
        assert getattr(module[0], name + "_orig").grad is None
        grad = getattr(copied[0], name + "_orig").grad
        assert torch.equal(grad, getattr(copied[0], name + "_mask"))
        assert all(w is not mine for w in getattr(copied[0], "_flat_weights", ()))
        again = copy.deepcopy(copied)
        prune.remove(again[0], name)
        assert prune.is_pruned(copied)
        assert not prune.is_pruned(again)


def test_a_module_that_was_saved_and_loaded_can_be_copied_after_its_first_forward():
    """The hook finds its module again when it first runs."""
    module = nn.Linear(4, 3)
    prune.l1_unstructured(module, "weight", 0.3)
    loaded = pickle.loads(pickle.dumps(module))
    loaded(torch.ones(1, 4))
    assert torch.equal(copy.deepcopy(loaded).weight, module.weight)


def test_identity_makes_a_module_that_torch_pruned_ready_for_copies():
    """As documented; pruning with torch afterwards does no harm."""
    module = nn.Linear(4, 3)
    torch_prune.l1_unstructured(module, "weight", 0.5)
    prune.identity(module, "weight")
    torch_prune.l1_unstructured(module, "weight", 0.5)
    module(torch.ones(1, 4))
    copied = copy.deepcopy(module)
    assert torch.equal(copied.weight, module.weight)
    copied.weight.sum().backward()
    assert torch.equal(copied.weight_orig.grad, module.weight_mask)


def test_a_hook_does_not_keep_its_module():
    """Neither by a reference nor in its state."""
    module = nn.Linear(4, 3)
    hook = prune.L1Unstructured.apply(module, "weight", 0.3)
    gone = weakref.ref(module)
    assert "_owner" not in pickle.loads(pickle.dumps(hook)).__dict__
    assert copy.deepcopy(hook).amount == 0.3
    del module
    gc.collect()
    assert gone() is None


def test_hooks_keep_their_place():
    """torch moves the pruning hook after the others when the tensor is pruned again."""
    for side in (torch_prune, prune):
        module = nn.Linear(4, 3)
        side.l1_unstructured(module, "weight", 1)
        handle = module.register_forward_pre_hook(lambda *_: None)
        side.l1_unstructured(module, "weight", 1)
        assert (next(iter(module._forward_pre_hooks)) == handle.id) == (side is torch_prune)
