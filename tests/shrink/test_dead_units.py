"""Dead units compared with plain NumPy, and the constants that they output."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.document.snapshot import Snapshot
from pruneapp.groups.group import Factor, Group, Member, Run, Runs
from pruneapp.progress import Job
from pruneapp.shrink import dead_units
from pruneapp.shrink.dead_units import apply_activation, find_unit_states, is_zero, nonzero_entries
from tests.support.memory_checkpoint import MemoryCheckpoint


def left(tensors, group):
    (found,) = find_unit_states(Snapshot(MemoryCheckpoint(tensors)), [group], Job())
    return found


@given(
    shape=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    dim=st.integers(0, 3),
    seed=st.integers(0, 99),
    piece=st.sampled_from([1, 4, 11, 1 << 20]),
)
def test_entries_with_a_number_in_them(shape, dim, seed, piece):
    dim %= len(shape)
    rng = np.random.default_rng(seed)
    values = np.where(rng.random(shape) < 0.15, 1.5, 0.0).astype(np.float32)
    values[rng.random(shape) < 0.2] *= -1  # negative zeros are zeros
    state = Snapshot(MemoryCheckpoint({"w.weight": values}))
    before = dead_units._PIECE
    dead_units._PIECE = piece
    try:
        found = nonzero_entries(state, state.entry("w.weight"), dim, Job())
    finally:
        dead_units._PIECE = before
    others = tuple(d for d in range(len(shape)) if d != dim)
    assert found.tolist() == (values != 0).any(axis=others).tolist()
    assert is_zero(state, state.entry("w.weight"), Job()) == (not values.any())


GATED = Group(
    "ffn",
    "mlp",
    4,
    (
        Member("gate.weight", 0, role="factor", factors=(Factor("silu"),)),
        Member("up.weight", 0, role="factor"),
        Member("down.weight", 1, role="output"),
    ),
)


def gated(**zero):
    tensors = {
        "gate.weight": np.ones((4, 3), np.float32),
        "up.weight": np.ones((4, 3), np.float32),
        "down.weight": np.ones((3, 4), np.float32),
    }
    for name, units in zero.items():
        tensors[f"{name}.weight"][(slice(None), units) if name == "down" else units] = 0
    return tensors


@pytest.mark.parametrize("name", ["gate", "up", "down"])
def test_a_gated_unit_is_dead_by_any_of_its_tensors(name):
    found = left(gated(**{name: [1, 3]}), GATED)
    assert found.alive.tolist() == [True, False, True, False]
    assert found.constants is None


def test_an_activation_that_nobody_knows_lets_only_outputs_decide():
    members = (
        Member("gate.weight", 0, role="factor", factors=(Factor("?"),)),
        Member("down.weight", 1, role="output"),
    )
    group = Group("ffn", "mlp", 4, members)
    assert left(gated(gate=[0], down=[2]), group).alive.tolist() == [True, True, False, True]


def test_a_row_of_zeros_with_a_bias_leaves_a_constant():
    tensors = {
        "fc1.weight": np.array([[1, 2], [0, 0], [0, 0], [0, 0]], np.float32),
        "fc1.bias": np.array([0.5, -0.75, 0.0, 2.0], np.float32),
        "fc2.weight": np.array([[1, 1, 1, 0], [2, 2, 2, 0]], np.float32),
    }
    members = (
        Member("fc1.weight", 0, role="factor", factors=(Factor("gelu"),)),
        Member("fc1.bias", 0, role="factor", factors=(Factor("gelu"),)),
        Member("fc2.weight", 1, role="output"),
    )
    found = left(tensors, Group("ffn", "mlp", 4, members))
    assert found.alive.tolist() == [True, False, False, False], "the last has no output"
    gelu = -0.75 * 0.5 * (1 + math.erf(-0.75 / math.sqrt(2)))
    assert found.constants[:, 0] == pytest.approx([0, gelu, 0, 0])


def test_a_head_is_constant_where_its_values_are():
    """Attention weights sum to 1, so the output is the bias of the values."""
    rng = np.random.default_rng(0)
    value = rng.normal(size=(4, 3)).astype(np.float32)
    value[2:] = 0
    tensors = {
        "q.weight": np.zeros((8, 3), np.float32),  # equal attention, not none
        "v.weight": value,
        "v.bias": np.array([1, 2, 3, 4], np.float32),
        "o.weight": rng.normal(size=(3, 8)).astype(np.float32),
    }
    members = (
        Member("q.weight", 0, Runs((Run(4),))),
        Member("v.weight", 0, Runs((Run(2),)), "factor"),
        Member("v.bias", 0, Runs((Run(2),)), "factor"),
        Member("o.weight", 1, Runs((Run(4),)), "output"),
    )
    found = left(tensors, Group("kv-groups", "attn", 2, members))
    assert found.alive.tolist() == [True, False]
    assert found.constants.tolist() == [[0, 0], [3, 4]]


def test_fused_factors_are_told_apart():
    fused = np.ones((8, 3), np.float32)
    fused[1] = 0  # the gate of unit 1
    fused[4 + 2] = 0  # the other factor of unit 2
    runs = Runs((Run(1), Run(1)))
    members = (
        Member("w.weight", 0, runs, "factor", (Factor("silu", 0, 1), Factor("", 1))),
        Member("down.weight", 1, role="output"),
    )
    tensors = {"w.weight": fused, "down.weight": np.ones((3, 4), np.float32)}
    assert left(tensors, Group("ffn", "mlp", 4, members)).alive.tolist() == [
        True,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    "name",
    [
        "relu",
        "relu6",
        "silu",
        "gelu",
        "gelu_new",
        "quick_gelu",
        "tanh",
        "sigmoid",
        "relu2",
        "linear",
    ],
)
def test_activations_are_those_of_transformers(name):
    torch = pytest.importorskip("torch")
    from transformers.activations import ACT2FN

    x = np.linspace(-4, 8, 101)
    wanted = ACT2FN[name](torch.from_numpy(x)).numpy()
    assert apply_activation(name, x) == pytest.approx(wanted, abs=1e-12)


def test_what_is_not_known_is_no_number():
    assert np.isnan(apply_activation("?", np.zeros(2))).all()
    assert np.isnan(apply_activation("xielu", np.zeros(2))).all()
    assert apply_activation("0", np.array([0.0, 1.0]))[0] == 0
    assert np.isnan(apply_activation("0", np.array([0.0, 1.0]))[1])
