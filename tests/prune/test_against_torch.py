"""Every method compared with torch's, step by step, on tensors of all kinds.

Equal means: the same count, the same multiset of pruned scores, the same mask wherever the score
differs from the threshold (torch does not define ties), and the same bits in the pruned tensor
wherever the masks agree. Norms are compared with torch's in float64; those within 1e-6 count as
equal.
"""

import math

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch import nn
from torch.nn.utils import prune as torch_prune

from pruneapp import prune

FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
INF = math.inf


def own(side, pruning_type):
    """Return the tutorial's method (every other entry), with torch's base class or ours."""

    class FooBarPruningMethod(side.BasePruningMethod):
        PRUNING_TYPE = pruning_type

        def __init__(self, dim):
            self.dim = dim

        def compute_mask(self, t, default_mask):
            mask = default_mask.clone()
            mask.view(-1)[::2] = 0
            return mask

    return FooBarPruningMethod


@st.composite
def tensors(draw, shape, dtype):
    """Draw normal values; coarse ones with many ties; or infinities, NaN, zeros of both signs."""
    seed = draw(st.integers(0, 2**32))
    values = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    kind = draw(st.sampled_from(["normal", "coarse", "special", "zero"]))
    if kind == "coarse":
        values = (values * 2).round() / 2
    elif kind == "special":
        flat = values.view(-1)
        special = draw(
            st.lists(
                st.tuples(
                    st.integers(0, flat.numel() - 1),
                    st.sampled_from([INF, -INF, math.nan, 0.0, -0.0, 1e-45, 6e4]),
                ),
                max_size=6,
            )
        )
        for i, value in special:
            flat[i] = value
    elif kind == "zero":
        values = values * 0
    return values.to(dtype)


def amounts(most):
    """Return fractions and counts, rarely one too large."""
    return st.one_of(
        st.sampled_from([0.0, 0.3, 0.5, 1.0]),
        st.floats(0, 1),
        st.integers(0, most),
        st.integers(max(0, most - 1), most + 1),
    )


@st.composite
def steps(draw, shape, dtype):
    """Draw a method's name and its arguments."""
    dims = len(shape)
    numel = math.prod(shape)
    name = draw(
        st.sampled_from(
            [
                "identity",
                "random_unstructured",
                "l1_unstructured",
                "random_structured",
                "ln_structured",
                "custom_from_mask",
                "foobar",
            ]
        )
    )
    scores = draw(st.none() | tensors(shape, dtype))
    dim = draw(st.sampled_from([*range(-dims, dims)] * 4 + [dims, -dims - 1]))
    channels = shape[dim] if -dims <= dim < dims else 1
    seed = draw(st.integers(0, 1000))
    if name == "random_unstructured":
        return name, {"amount": draw(amounts(numel))}, seed
    if name == "l1_unstructured":
        return name, {"amount": draw(amounts(numel)), "importance_scores": scores}, seed
    if name == "random_structured":
        return name, {"amount": draw(amounts(channels)), "dim": dim}, seed
    if name == "ln_structured":
        orders = [0, 0.5, 1, 2, 3, -1, INF, -INF]
        orders += ["fro"] if dims < 4 else []
        orders += ["nuc"] if dims == 3 else []
        n = draw(st.sampled_from(orders))
        return (
            name,
            {"amount": draw(amounts(channels)), "n": n, "dim": dim, "importance_scores": scores},
            seed,
        )
    if name == "custom_from_mask":
        weights = torch.tensor(
            draw(st.sampled_from([[1.0, 1, 0, 0], [2.0, 4, 1, 1], [0.0, 9, 1, 0]]))
        )
        drawn = torch.multinomial(
            weights, numel, replacement=True, generator=torch.Generator().manual_seed(seed)
        )
        return name, {"mask": torch.tensor([0.0, 1.0, 0.5, -1.0])[drawn].view(shape)}, seed
    if name == "foobar":
        kind = draw(st.sampled_from(["unstructured", "structured", "global"]))
        return name, {"pruning_type": kind, "dim": dim}, seed
    return name, {}, seed


@st.composite
def stories(draw):
    """Draw a tensor and up to four prunings of it."""
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=5)))
    dtype = draw(st.sampled_from(FLOATS))
    return draw(tensors(shape, dtype)), draw(st.lists(steps(shape, dtype), min_size=1, max_size=4))


def run(side, module, name, arguments, seed):
    """Prune a module; return the exception, if any."""
    torch.manual_seed(seed)
    arguments = dict(arguments)
    try:
        if name == "foobar":
            own(side, arguments.pop("pruning_type")).apply(module, "weight", **arguments)
        else:
            getattr(side, name)(module, "weight", **arguments)
    except Exception as error:  # noqa: BLE001 - compared with what the other side raises
        return error
    return None


def module_of(weight, mask, side=torch_prune):
    """Return a module with a weight, pruned before if a mask is given."""
    module = nn.Module()
    module.weight = nn.Parameter(weight.clone())
    if mask is not None:
        side.custom_from_mask(module, "weight", mask)
    return module


def same(a, b):
    """Return where two tensors are equal, including NaN and NaN, but not 0.0 and -0.0."""
    return ((a == b) & (torch.signbit(a) == torch.signbit(b))) | (a.isnan() & b.isnan())


def check_lowest(theirs, ours, before, scores, *, tolerance=0.0):
    """Compare two masks that prune the lowest of `scores` where `before` is 1."""
    candidates = before == 1
    assert bool(same(theirs, ours)[~candidates].all())
    gone = [candidates & (mask == 0) for mask in (theirs, ours)]
    lowest = [scores[g].abs().double().sort().values for g in gone]
    assert lowest[0].shape == lowest[1].shape
    torch.testing.assert_close(lowest[1], lowest[0], rtol=tolerance, atol=0, equal_nan=True)
    other = ~same(theirs, ours)
    if bool(other.any()):
        threshold = lowest[0][-1].expand_as(scores[other])
        torch.testing.assert_close(
            scores[other].abs().double(), threshold, rtol=tolerance, atol=0, equal_nan=True
        )


def check_channels(theirs, ours, before, scores, arguments):
    """Compare two masks that prune the channels of lowest norm."""
    one_dim = before.dim() == 1
    if one_dim:
        # torch refuses a 1-D tensor at first; the second time it treats its only dimension as the
        # second of two, because a sum over no dimensions is a sum over all.
        theirs, ours, before, scores = (x.unsqueeze(0) for x in (theirs, ours, before, scores))
    dim = arguments["dim"]
    others = [d for d in range(before.dim()) if d != dim % before.dim()]
    norms = torch_prune._compute_norm(scores.double(), arguments["n"], dim)
    left = before.sum(dim=others) != 0
    # There, pruned elements take part, and are equal to zeros.
    tied = (norms == 0) & one_dim
    left &= ~tied
    # A channel counts by the elements whose mask was not 0 before.
    gone = [left & (((mask != 0) & (before != 0)).sum(dim=others) == 0) for mask in (theirs, ours)]
    lowest = [norms[g].sort().values for g in gone]
    assert lowest[0].shape == lowest[1].shape
    torch.testing.assert_close(lowest[1], lowest[0], rtol=1e-6, atol=0, equal_nan=True)
    differ = gone[0] != gone[1]
    if bool(differ.any()):
        cut = lowest[0][-1].expand_as(norms[differ])
        torch.testing.assert_close(norms[differ], cut, rtol=1e-6, atol=0, equal_nan=True)
    shape = [1] * before.dim()
    shape[dim] = -1
    agreed = (~differ & ~tied).view(shape).expand_as(before)
    assert bool(same(theirs, ours)[agreed].all())


@given(stories(), st.randoms(use_true_random=False))
@example(  # a pruned infinity is NaN in the parameter, which torch counts as nonzero
    (
        torch.tensor([[1.5, math.inf], [-2.0, 0.5], [-1.0, -1.5]]),
        [
            ("custom_from_mask", {"mask": torch.tensor([[1.0, 0], [1, 1], [1, 0]])}, 0),
            ("ln_structured", {"amount": 1, "n": 0, "dim": 1, "importance_scores": None}, 0),
        ],
    ),
    None,
)
@example(
    (
        torch.tensor([0.0, -0.0, -0.0, 0.0, -0.0]),
        [
            ("foobar", {"pruning_type": "unstructured", "dim": -1}, 0),
            ("ln_structured", {"amount": 1, "n": 0, "dim": -1, "importance_scores": None}, 0),
        ],
    ),
    None,
)
@example(
    (
        torch.ones(4, 3),
        [
            ("l1_unstructured", {"amount": 0.5}, 0),
            ("foobar", {"pruning_type": "structured", "dim": 1}, 0),
        ],
    ),
    None,
)
def test_step_after_step_is_equal_to_torch(story, random):
    """One module is pruned by torch, one by us, one alternately; all continue from one mask."""
    weight, prunings = story
    mask = None
    for name, arguments, seed in prunings:
        sides = [torch_prune, prune]
        before = torch.ones_like(weight) if mask is None else mask
        theirs = module_of(weight, mask)
        other = prune if random is None else random.choice(sides)
        mixed = module_of(weight, mask, other)
        ours = module_of(weight, mask, prune)
        scores = arguments.get("importance_scores")
        scores = theirs.weight.detach().clone() if scores is None else scores
        exact = arguments
        if name == "ln_structured":  # the reference is in float64
            theirs.double()
            if "weight_mask" in theirs._buffers:
                theirs.weight = theirs.weight_orig * theirs.weight_mask
            if arguments["importance_scores"] is not None:
                exact = {**arguments, "importance_scores": scores.double()}
        expected = run(torch_prune, theirs, name, exact, seed)
        if isinstance(expected, RuntimeError) and "empty" in str(expected):
            # Nothing is left, and torch has no norm of an empty tensor. Ours is that of an empty
            # sum.
            assert run(prune, ours, name, arguments, seed) is None
            assert bool((ours.weight_mask == 0).all())
            continue
        for module in (ours, mixed):
            got = run(prune, module, name, arguments, seed)
            assert (got is None) == (expected is None), (got, expected)
            if expected is not None:
                assert isinstance(got, type(expected)), (got, expected)
                continue
            assert module.weight_mask.dtype == weight.dtype
            their_mask = theirs.weight_mask.to(weight.dtype)
            if name == "l1_unstructured":
                check_lowest(their_mask, module.weight_mask, before, scores)
            elif name == "ln_structured":
                check_channels(their_mask, module.weight_mask, before, scores, arguments)
            else:
                assert bool(same(their_mask, module.weight_mask).all())
            product = module.weight_mask * weight
            assert bool(same(module.weight.detach(), product).all())
            assert torch_prune.is_pruned(module)
            assert prune.is_pruned(theirs)
        if expected is None:
            mask = ours.weight_mask.clone()
            final = random is None or random.random() < 0.5
            (torch_prune if final else prune).remove(ours, "weight")
            assert bool(same(ours.weight.detach(), mask * weight).all())


@st.composite
def models(draw):
    """Draw some weights, pruned before or not, of one dtype or several."""
    dtypes = draw(st.sampled_from([[d] for d in FLOATS] + [FLOATS]))
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
        dtype = draw(st.sampled_from(dtypes))
        mask = None
        if draw(st.booleans()):
            mask = torch.rand(shape, generator=torch.Generator().manual_seed(1)).round()
        scores = draw(st.none() | tensors(shape, dtype))
        parts.append((draw(tensors(shape, dtype)), mask, scores))
    return parts


@given(models(), st.data())
@pytest.mark.parametrize("method", ["L1Unstructured", "RandomUnstructured", "foobar"])
def test_global_pruning_is_equal_to_torch(method, parts, data):
    """The same weights of all parameters are pruned; the amount refers to the remaining ones."""
    most = sum(w.numel() if m is None else int(m.sum()) for w, m, _ in parts)
    amount = data.draw(amounts(most))
    masks, errors = [], []
    for side in (torch_prune, prune):
        modules = [module_of(w, m, side) for w, m, _ in parts]
        given_scores = {
            (m, "weight"): s for m, (_, _, s) in zip(modules, parts, strict=True) if s is not None
        }
        torch.manual_seed(5)
        try:
            if method == "foobar":
                side.global_unstructured(
                    [(m, "weight") for m in modules], own(side, "unstructured"), given_scores, dim=0
                )
            else:
                side.global_unstructured(
                    [(m, "weight") for m in modules],
                    getattr(side, method),
                    given_scores,
                    amount=amount,
                )
        except Exception as error:  # noqa: BLE001 - compared with what the other side raises
            errors.append(error)
            continue
        for module, (weight, _, _) in zip(modules, parts, strict=True):
            assert module.weight_mask.dtype == weight.dtype
            assert bool(same(module.weight.detach(), module.weight_mask * weight).all())
        masks.append(torch.cat([m.weight_mask.double().view(-1) for m in modules]))
    if errors:
        assert len(errors) == 2, errors
        assert isinstance(errors[1], type(errors[0]))
        return
    if method != "L1Unstructured":
        assert torch.equal(masks[0], masks[1])
        return
    before = torch.cat(
        [(torch.ones_like(w) if m is None else m).double().view(-1) for w, m, _ in parts]
    )
    scores = torch.cat([(w if s is None else s).double().view(-1) for w, _, s in parts])
    check_lowest(masks[0], masks[1], before, scores)


@given(stories())
def test_prune_without_a_module_is_equal_to_torch(story):
    """`method.prune(t)` accepts masks of any dtype, also integers."""
    weight, prunings = story
    kinds = {
        "random_unstructured": "RandomUnstructured",
        "random_structured": "RandomStructured",
        "custom_from_mask": "CustomFromMask",
        "identity": "Identity",
    }
    for name, arguments, seed in prunings:
        if name not in kinds:
            continue
        results = []
        for side in (torch_prune, prune):
            torch.manual_seed(seed)
            try:
                method = getattr(side, kinds[name])(**arguments)
                default = torch.ones(weight.shape, dtype=torch.int64)
                results.append((method.prune(weight, default), method.prune(weight)))
            except (ValueError, IndexError) as error:
                results.append(type(error))
        if isinstance(results[0], type):
            assert issubclass(results[1], results[0])
            continue
        for theirs, ours in zip(*results, strict=True):
            assert theirs.dtype == ours.dtype
            assert bool(same(theirs, ours).all())
