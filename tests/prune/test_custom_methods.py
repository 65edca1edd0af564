"""Custom methods of users on documents."""

import textwrap
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.utils import prune as torch_prune

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.elements import RawChunk
from pruneapp.errors import MethodError, ParameterError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods import registry
from pruneapp.methods.method import MaskMethod, TensorView
from pruneapp.methods.prune_tensors import prune as run
from pruneapp.params import (
    AmountParam,
    DimParam,
    FlagParam,
    FloatParam,
    Interval,
    IntParam,
    SeedParam,
)
from pruneapp.progress import Cancelled, CancelToken, Job
from pruneapp.prune.custom_methods import declare, load_file
from tests.support.param_values import invalid, valid

FOO_BAR = """
    import torch.nn.utils.prune as prune


    class FooBarPruningMethod(prune.BasePruningMethod):
        '''Prunes every other entry.'''

        PRUNING_TYPE = "unstructured"

        def compute_mask(self, t, default_mask):
            mask = default_mask.clone()
            mask.view(-1)[::2] = 0
            return mask
"""

TYPES = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.float8_e5m2: "F8_E5M2",
    torch.float8_e4m3fn: "F8_E4M3",
    torch.float8_e5m2fnuz: "F8_E5M2FNUZ",
    torch.float8_e4m3fnuz: "F8_E4M3FNUZ",
}


@pytest.fixture
def write(tmp_path):
    """Provide a function that writes a Python file and returns its path."""

    def write(text, name="mine.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text))
        return path

    return write


def view_of(t, kept=None, name="fc.bias", scores=None):
    """Return a method's view of a tensor, read in two chunks."""
    integers = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    flat = t.contiguous().view(integers[t.dtype.itemsize]).reshape(-1).numpy()
    bits = flat.view(f"uint{8 * t.dtype.itemsize}")
    half = bits.size // 2

    def read():
        yield RawChunk(0, bits[:half])
        yield RawChunk(half, bits[half:])

    dtype = DTYPES[TYPES[t.dtype]]
    return TensorView(name, tuple(t.shape), dtype, kept, read, scores)


def prune_twice(method, t, values, scores=None):
    """Return the masks after a first and a second step, as bools."""
    first = run([view_of(t, scores=scores)], method, values, "local", CpuKernel(), Job()).masks
    again = view_of(t, first["fc.bias"], scores=scores)
    second = run([again], method, values, "local", CpuKernel(), Job()).masks
    return [m["fc.bias"].bools().reshape(tuple(t.shape)) for m in (first, second)]


def torch_twice(kind, t, *args, scores=None, **kwargs):
    """Return torch's masks of the same two steps."""
    module = torch.nn.Module()
    module.bias = torch.nn.Parameter(t.clone())
    masks = []
    for _ in range(2):
        kind.apply(module, "bias", *args, importance_scores=scores, **kwargs)
        masks.append((module.bias_mask != 0).numpy())
    return masks


def test_foobar_prunes_every_other_entry_of_a_bias(write):
    """The tutorial's method, loaded from a file, prunes 0, 2, 4 of a bias, then 1 and 5."""
    (method,) = load_file(write(FOO_BAR))
    first, second = prune_twice(method, torch.arange(1.0, 7.0), {})
    assert first.tolist() == [False, True, False, True, False, True]
    assert second.tolist() == [False, False, False, True, False, False]


def test_the_declaration_comes_from_the_class(write):
    """Name, label and help are those of the class; it can be registered."""
    (method,) = load_file(write(FOO_BAR))
    assert isinstance(method, MaskMethod)
    assert (method.name, method.label) == ("foo_bar_pruning_method", "FooBarPruningMethod")
    assert method.help == "Prunes every other entry."
    registry.register(method)
    try:
        assert registry.get("foo_bar_pruning_method") is method
    finally:
        registry.unregister("foo_bar_pruning_method")


class Whole(torch_prune.BasePruningMethod):
    PRUNING_TYPE = "global"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[:: 2 if bool((default_mask == 1).all()) else 3] = 0
        return mask


class Rows(torch_prune.LnStructured):
    def __init__(self, amount=0.5, n=2, dim=0):
        super().__init__(amount, n, dim)

    @classmethod
    def apply(cls, module, name, *args, **kwargs):
        return super(torch_prune.LnStructured, cls).apply(module, name, *args, **kwargs)


class Smallest(torch_prune.L1Unstructured):
    """torch's method under another name."""

    @classmethod
    def apply(cls, module, name, *args, **kwargs):
        return super(torch_prune.L1Unstructured, cls).apply(module, name, *args, **kwargs)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    ("kind", "values"), [(Whole, {}), (Rows, {"amount": 2}), (Smallest, {"amount": 0.4})]
)
@pytest.mark.parametrize("scored", [False, True])
def test_a_second_step_combines_as_in_torch(kind, values, dtype, scored):
    """Every PRUNING_TYPE gets the same part of the tensor as in torch's containers."""
    torch.manual_seed(3)
    t = torch.randn(6, 5).to(dtype)
    scores = torch.randn(6, 5).to(dtype) if scored else None
    method = declare(kind, "here")
    ours = prune_twice(method, t, values, None if scores is None else view_of(scores))
    theirs = torch_twice(kind, t, scores=scores, **values)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("dtype", TYPES)
def test_every_prunable_type_reaches_the_method_bit_for_bit(dtype):
    """The tensor is that of the file, with +0.0 for pruned weights."""
    seen = []

    class Look(torch_prune.BasePruningMethod):
        PRUNING_TYPE = "global"

        def compute_mask(self, t, default_mask):
            seen.append(t.to(torch.float64))
            return default_mask

    t = torch.tensor([1.0, -2.0, 0.5, -4.0]).to(dtype)
    kept = BitMask.from_bools(np.array([True, False, True, True]))
    after = run([view_of(t, kept)], declare(Look, "here"), {}, "local", CpuKernel(), Job())
    assert after.masks["fc.bias"] == kept
    assert seen[0].tolist() == [1.0, 0.0, 0.5, -4.0]
    assert not torch.signbit(seen[0][1])


def test_protected_weights_are_given_back_whatever_the_code_takes():
    """A custom method does not see protection; protected weights are kept in its mask."""

    class Everything(torch_prune.BasePruningMethod):
        PRUNING_TYPE = "unstructured"

        def compute_mask(self, t, default_mask):
            return torch.zeros_like(default_mask)

    kept, protected = (np.arange(6) % 3 != 2, np.arange(6) % 3 == 1)
    view = view_of(torch.ones(6), BitMask.from_bools(kept))
    view = replace(view, protected=BitMask.from_bools(protected))
    after = run([view], declare(Everything, "here"), {}, "local", CpuKernel(), Job())
    np.testing.assert_array_equal(after.masks["fc.bias"].bools(), protected)
    assert after.protected == {"fc.bias": 2}


def test_constructors_become_parameters(write):
    """Known names get their own kind, others the kind of their default; the rest is ignored."""
    path = write("""
        from pruneapp import prune

        class Many(prune.BasePruningMethod):
            PRUNING_TYPE = "structured"

            def __init__(self, amount, dim=-1, seed=7, rounds=3, power=0.5, soft=True, name=None):
                self.amount, self.dim = amount, dim

            def compute_mask(self, t, default_mask):
                return default_mask
    """)
    (method,) = load_file(path)
    kinds = {p.name: (type(p), p.default) for p in method.params}
    assert kinds == {
        "amount": (AmountParam, 0.2),
        "dim": (DimParam, -1),
        "seed": (SeedParam, 7),
        "rounds": (IntParam, 3),
        "power": (FloatParam, 0.5),
        "soft": (FlagParam, True),
    }


def test_a_plain_number_is_checked_like_every_parameter():
    """Valid values are accepted, invalid ones refused."""
    param = FloatParam(name="power", label="Power", help="", default=0.5, bounds=Interval(0, 2))
    assert [param.validate(v) for v in valid(param)] == [0.5, 0.0, 2.0]
    assert param.parse(" 1.25 ") == 1.25
    for value in invalid(param):
        with pytest.raises(ParameterError, match="from 0 to 2"):
            param.validate(value)
    with pytest.raises(ParameterError, match="'power'"):
        param.parse("much")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import not_there_at_all", ("not_there_at_all",)),
        ("def f(:", ("SyntaxError", "invalid syntax")),
        ("raise SystemExit(3)", ("SystemExit",)),
        ("x = 1", ("no pruning method",)),
        (FOO_BAR.replace('"unstructured"', '"sideways"'), ("FooBarPruningMethod", "sideways")),
        (FOO_BAR.replace('"unstructured"', '"structured"'), ("FooBarPruningMethod", "'dim'")),
        (
            FOO_BAR + "\n        def __init__(self, model):\n            pass\n",
            ("FooBarPruningMethod", "'model'"),
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_the_reason(write, text, words):
    """The message names the file, the class and the reason."""
    path = write(text)
    with pytest.raises(MethodError) as caught:
        load_file(path)
    assert str(path) in caught.value.sentence
    assert words[0] in caught.value.sentence
    assert words[-1] in str(caught.value) + caught.value.details


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(MethodError, match=r"gone\.py.*cannot be read"):
        load_file(tmp_path / "gone.py")


def test_a_loop_of_links_is_a_sentence(tmp_path):
    (tmp_path / "loop.py").symlink_to("loop.py")
    with pytest.raises(MethodError, match=r"loop\.py.*cannot be read"):
        load_file(tmp_path / "loop.py")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise RuntimeError('no luck today')", "no luck today"),
        ("return 3", "(got 3)"),
        ("return default_mask[:2]", "(got shape [2])"),
        ("return default_mask * 0.5", "of 0 and 1"),
        ("return default_mask * float('nan')", "of 0 and 1"),
    ],
)
def test_a_method_that_fails_is_named_with_its_file_and_tensor(write, body, words):
    """Errors of the user's code become a sentence, with the traceback in the details."""
    text = FOO_BAR.replace("mask = default_mask.clone()", body)
    (method,) = load_file(write(text))
    with pytest.raises(MethodError) as caught:
        run([view_of(torch.ones(6))], method, {}, "local", CpuKernel(), Job())
    sentence = caught.value.sentence
    assert "FooBarPruningMethod" in sentence
    assert "mine.py" in sentence
    assert "fc.bias" in sentence
    assert words in sentence
    assert ("compute_mask" in caught.value.details) == ("raise" in body)


def test_a_cancelled_step_runs_no_method(write):
    """The token is checked before the user's code."""
    (method,) = load_file(write(FOO_BAR))
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        run([view_of(torch.ones(6))], method, {}, "local", CpuKernel(), Job(cancel=token))


def test_a_file_can_be_changed_and_loaded_again(write):
    """The second load runs the new text."""
    load_file(write(FOO_BAR))
    (method,) = load_file(write(FOO_BAR.replace("[::2]", "[1::2]")))
    first, _ = prune_twice(method, torch.arange(1.0, 5.0), {})
    assert first.tolist() == [True, False, True, False]
