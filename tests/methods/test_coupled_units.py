"""Scores of units by their inputs, compared with plain loops in torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import unfold

from pruneapp.errors import ParameterError
from pruneapp.groups.group import Group, Member, Run, Runs, Scattered
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.methods.coupled_units import score_units
from pruneapp.progress import Job
from pruneapp.statistics.file import Inputs
from tests.support.tensors import view_of_values

Tensor = torch.Tensor
H, N, HEAD, E = 4, 6, 2, 3  # hidden size, units, entries of a head, experts


@dataclass(frozen=True, eq=False)
class Case:
    """A group, its tensors, and the input rows of each part of a weight.

    `matrices` returns a weight as one matrix per part, ``[outputs, inputs]``, and `unit` the
    entries of a unit.
    """

    group: Group
    tensors: dict[str, Tensor]
    rows: dict[str, list[Tensor]]
    # a tensor of a weight's shape -> the entries of a unit
    unit: Callable[[str, Tensor, int], Tensor]
    reads: tuple[str, ...]  # the tensors that read a unit
    transposed: frozenset[str] = field(default_factory=frozenset)


def some(*shape: int) -> Tensor:
    return torch.randn(shape)


def rows_of(columns: int) -> list[Tensor]:
    """Return rows of inputs with different sizes and means."""
    return [torch.randn(5, columns) * (0.1 + 4 * torch.rand(columns)) + torch.randn(columns)]


def ffn() -> Case:
    members = (
        Member("gate.weight", 0),
        Member("gate.bias", 0),
        Member("up.weight", 0),
        Member("down.weight", 1, role="output"),
    )
    tensors = {
        "gate.weight": some(N, H),
        "gate.bias": some(N),
        "up.weight": some(N, H),
        "down.weight": some(H, N),
    }
    x = rows_of(H)
    rows = {"gate.weight": x, "up.weight": x, "down.weight": rows_of(N)}

    def unit(name, weight, u):
        return weight[:, u] if name == "down.weight" else weight[u]

    return Case(Group("ffn", "mlp", N, members), tensors, rows, unit, ("down.weight",))


def conv1d() -> Case:
    """Rows are inputs, as in GPT-2."""
    members = (Member("c_fc.weight", 1), Member("c_proj.weight", 0, role="output"))
    tensors = {"c_fc.weight": some(H, N), "c_proj.weight": some(N, H)}
    rows = {"c_fc.weight": rows_of(H), "c_proj.weight": rows_of(N)}

    def unit(name, weight, u):
        return weight[:, u] if name == "c_fc.weight" else weight[u]

    group = Group("ffn", "mlp", N, members)
    return Case(group, tensors, rows, unit, ("c_proj.weight",), frozenset(tensors))


def fused() -> Case:
    """``[gate | up]`` in one tensor."""
    both = Runs((Run(1), Run(1)))
    members = (Member("in.weight", 0, both), Member("out.weight", 1, role="output"))
    tensors = {"in.weight": some(2 * N, H), "out.weight": some(H, N)}
    rows = {"in.weight": rows_of(H), "out.weight": rows_of(N)}

    def unit(name, weight, u):
        return weight[:, u] if name == "out.weight" else weight[[u, N + u]]

    return Case(Group("ffn", "mlp", N, members), tensors, rows, unit, ("out.weight",))


def ffn_of_experts() -> Case:
    """The same neurons of all experts, each with its own inputs, the last without any."""
    members = (Member("in", 1, Runs((Run(1), Run(1)))), Member("out", 2, role="output"))
    tensors = {"in": some(E, 2 * N, H), "out": some(E, H, N)}
    rows = {
        "in": [*(rows_of(H)[0] for _ in range(E - 1)), some(0, H)],
        "out": [*(rows_of(N)[0] for _ in range(E - 1)), some(0, N)],
    }

    def unit(name, weight, u):
        return weight[:, :, u] if name == "out" else weight[:, [u, N + u]]

    return Case(Group("ffn", "experts", N, members), tensors, rows, unit, ("out",))


def transposed_experts() -> Case:
    """Interleaved gate and up, inputs along dim 1, as in gpt-oss."""
    members = (Member("in", 2, Runs((Run(2),))), Member("out", 1, role="output"))
    tensors = {"in": some(E, H, 2 * N), "out": some(E, N, H)}
    rows = {"in": [rows_of(H)[0] for _ in range(E)], "out": [rows_of(N)[0] for _ in range(E)]}

    def unit(name, weight, u):
        return weight[:, u] if name == "out" else weight[:, :, 2 * u : 2 * u + 2]

    group = Group("ffn", "experts", N, members)
    return Case(group, tensors, rows, unit, ("out",), frozenset(tensors))


def kv_groups() -> Case:
    wide, narrow = 2 * HEAD, HEAD  # two query heads per group
    members = (
        Member("q.weight", 0, Runs((Run(wide),))),
        Member("k.weight", 0, Runs((Run(narrow),))),
        Member("v.weight", 0, Runs((Run(narrow),))),
        Member("v.bias", 0, Runs((Run(narrow),))),
        Member("o.weight", 1, Runs((Run(wide),)), role="output"),
    )
    tensors = {
        "q.weight": some(N * wide, H),
        "k.weight": some(N * narrow, H),
        "v.weight": some(N * narrow, H),
        "v.bias": some(N * narrow),
        "o.weight": some(H, N * wide),
    }
    x = rows_of(H)
    rows = {"q.weight": x, "k.weight": x, "v.weight": x, "o.weight": rows_of(N * wide)}

    def unit(name, weight, u):
        if name == "o.weight":
            return weight[:, u * wide : (u + 1) * wide]
        each = wide if name == "q.weight" else narrow
        return weight[u * each : (u + 1) * each]

    return Case(Group("kv-groups", "attn", N, members), tensors, rows, unit, ("o.weight",))


def query_heads() -> Case:
    runs = Runs((Run(HEAD),))
    members = (Member("q.weight", 0, runs), Member("o.weight", 1, runs, role="output"))
    tensors = {"q.weight": some(N * HEAD, H), "o.weight": some(H, N * HEAD)}
    rows = {"q.weight": rows_of(H), "o.weight": rows_of(N * HEAD)}

    def unit(name, weight, u):
        span = slice(u * HEAD, (u + 1) * HEAD)
        return weight[:, span] if name == "o.weight" else weight[span]

    group = Group("query-heads", "attn", N, members, outer=2)
    return Case(group, tensors, rows, unit, ("o.weight",))


def layers() -> Case:
    each = ("norm.weight", "q.weight", "o.weight", "up.weight", "down.weight", "down.bias")
    owned = tuple(tuple(f"layers.{u}.{name}" for name in each) for u in range(N))
    branches = tuple((n[2], n[4], n[5]) for n in owned)
    tensors, rows = {}, {}
    for names in owned:
        tensors |= {names[0]: some(H), names[5]: some(H)}
        for name in names[1:5]:
            tensors[name], rows[name] = some(H, H), rows_of(H)

    def unit(name, weight, u):
        return weight if name.startswith(f"layers.{u}.") else weight[:0]

    group = Group("layers", "layers", N, (), tensors=owned, silenced_by=branches)
    return Case(group, tensors, rows, unit, tuple(n for b in branches for n in b if n in rows))


def experts() -> Case:
    """Separate tensors for each expert, and a row of the router; the last has no inputs."""
    owned = tuple((f"experts.{u}.up.weight", f"experts.{u}.down.weight") for u in range(N))
    tensors = {"router.weight": some(N, H)}
    rows = {"router.weight": rows_of(H)}
    for up, down in owned:
        tensors |= {up: some(N, H), down: some(H, N)}
        rows |= {up: rows_of(H), down: rows_of(N)}
    del rows[owned[-1][0]], rows[owned[-1][1]]

    def unit(name, weight, u):
        if name == "router.weight":
            return weight[u]
        return weight if name in owned[u] else weight[:0]

    group = Group("experts", "experts", N, (Member("router.weight", 0),), tensors=owned)
    return Case(group, tensors, rows, unit, ())


def channels() -> Case:
    """A convolution, its norm, a depthwise one, and a reader; some channels are no units."""
    unit_of = torch.tensor([0, -1, 1, 2, -1, 3])
    layout = Scattered(unit_of.numpy().astype(np.int32))
    members = (
        Member("conv.weight", 0, layout),
        Member("bn.weight", 0, layout),
        Member("depth.weight", 0, layout),
        Member("point.weight", 1, layout, role="output"),
    )
    tensors = {
        "conv.weight": some(N, 2, 3, 3),
        "bn.weight": some(N),
        "depth.weight": some(N, 1, 3, 3),
        "point.weight": some(H, N, 1, 2),
    }
    pictures = [
        torch.randn(2, many, 5, 5) * (0.1 + torch.rand(many, 1, 1)) + 1 for many in (2, N, N)
    ]

    def patches(picture, size):
        return unfold(picture, size).transpose(1, 2).reshape(-1, picture.shape[1] * np.prod(size))

    rows = {
        "conv.weight": [patches(pictures[0], (3, 3))],
        "depth.weight": [patches(pictures[1][:, u : u + 1], (3, 3)) for u in range(N)],
        "point.weight": [patches(pictures[2], (1, 2))],
    }

    def unit(name, weight, u):
        places = torch.nonzero(unit_of == u)[0]
        return weight[:, places] if name == "point.weight" else weight[places]

    return Case(Group("channels", "block", 4, members), tensors, rows, unit, ("point.weight",))


KINDS = {
    each.__name__: each
    for each in (
        ffn,
        conv1d,
        fused,
        ffn_of_experts,
        transposed_experts,
        kv_groups,
        query_heads,
        layers,
        experts,
        channels,
    )
}


def inputs_of(case: Case, *, sums: bool = True) -> dict[str, Inputs]:
    """Return the statistics of the rows."""
    found = {}
    for name, parts in case.rows.items():
        exact = [part.double() for part in parts]
        found[name] = Inputs(
            torch.stack([(part**2).sum(0) for part in exact]).numpy(),
            torch.stack([part.sum(0) for part in exact]).numpy() if sums else None,
            np.array([float(len(part)) for part in parts]),
            name in case.transposed,
        )
    return found


def spread(case: Case, name: str, by: str) -> Tensor:
    """Return the size of the input of each weight of a tensor, in its shape."""
    weight, parts = case.tensors[name], case.rows[name]
    sizes = []
    for part in parts:
        exact = part.double()
        if not len(part):
            sizes.append(torch.zeros(part.shape[1], dtype=torch.float64))
        elif by == "wanda":
            sizes.append((exact**2).mean(0).sqrt())
        else:
            sizes.append(exact.std(0, unbiased=False))
    if weight.dim() == 3:
        stacked = torch.stack(sizes)
        return stacked[:, :, None] if name in case.transposed else stacked[:, None, :]
    if name in case.transposed:
        return sizes[0][:, None]
    if len(parts) > 1:  # groups of a convolution
        return torch.stack(sizes).reshape(weight.shape)
    return sizes[0].reshape(1, *weight.shape[1:])


def plain_scores(case: Case, by: str, kept: Mapping[str, Tensor]) -> Tensor:
    """Add up the squares of a weight times its input, unit by unit."""
    names = case.reads if by == "flap" else tuple(case.rows)
    scores = torch.zeros(case.group.count, dtype=torch.float64)
    for name in names:
        weighed = case.tensors[name].double() * kept[name] * spread(case, name, by)
        for u in range(case.group.count):
            scores[u] += (case.unit(name, weighed, u) ** 2).sum()
    return scores


def scores_of(case: Case, by: str, kept: Mapping[str, Tensor] | None = None, **more) -> np.ndarray:
    known = inputs_of(case, **more)

    def view(name):
        mask = None if kept is None else kept[name].numpy().reshape(-1)
        return view_of_values(case.tensors[name].numpy(), mask, name=name)

    return score_units(case.group, view, by, CpuKernel(), Job(), known.get)


@pytest.mark.parametrize("kind", KINDS)
@given(
    by=st.sampled_from(["wanda", "flap"]),
    seed=st.integers(0, 2**32 - 1),
    order=st.randoms(use_true_random=False),
)
def test_scores_are_those_of_plain_loops_in_any_order_of_members(kind, by, seed, order):
    torch.manual_seed(seed)
    case = KINDS[kind]()
    kept = {name: torch.rand(each.shape) < 0.8 for name, each in case.tensors.items()}
    if by == "flap" and not case.reads:
        with pytest.raises(ParameterError, match="none is known for 'experts'"):
            scores_of(case, by, kept)
        return
    found = scores_of(case, by, kept)
    assert np.allclose(found, plain_scores(case, by, kept).numpy(), rtol=1e-10, atol=0)
    group = replace(
        case.group,
        members=tuple(order.sample(case.group.members, len(case.group.members))),
        tensors=tuple(tuple(reversed(names)) for names in case.group.tensors),
        silenced_by=tuple(tuple(reversed(names)) for names in case.group.silenced_by),
    )
    again = scores_of(replace(case, group=group), by, kept)
    assert found.tobytes() == again.tobytes()


def test_pruned_weights_and_what_statistics_do_not_know_add_nothing():
    torch.manual_seed(0)
    case = ffn()
    without = {name: torch.ones(each.shape) for name, each in case.tensors.items()}
    without["up.weight"].zero_()
    pruned = scores_of(case, "wanda", {name: each > 0 for name, each in without.items()})
    unknown = replace(case, rows={n: rows for n, rows in case.rows.items() if n != "up.weight"})
    assert pruned.tolist() == scores_of(unknown, "wanda").tolist()


def test_a_neuron_whose_value_never_changes_scores_0_by_flap():
    torch.manual_seed(0)
    case = ffn()
    case.rows["down.weight"][0][:, 2] = 0.1  # its square is rounded
    scores = scores_of(case, "flap")
    assert scores[2] < 1e-12 < scores[[0, 1, 3, 4, 5]].min()
    assert scores_of(case, "wanda")[2] > 0.01


def test_groups_that_no_input_reached_rank_by_weights_alone():
    """An expert in its own group that no text reached; some of its units have to be pruned."""
    torch.manual_seed(0)
    case = ffn()
    unreached = {
        name: [some(0, part.shape[1]) for part in each] for name, each in case.rows.items()
    }
    weights = [case.tensors[name].double() for name in ("gate.weight", "up.weight", "down.weight")]
    sums = [(weights[0] ** 2).sum(1), (weights[1] ** 2).sum(1), (weights[2] ** 2).sum(0)]
    assert np.allclose(scores_of(replace(case, rows=unreached), "wanda"), sum(sums).numpy())
    assert np.allclose(scores_of(replace(case, rows=unreached), "flap"), sums[2].numpy())


@pytest.mark.parametrize(
    ("kind", "by", "known", "sentence"),
    [
        (
            ffn,
            "wanda",
            [],
            r"lack the inputs of 'gate.weight', 'up.weight', 'down.weight', .* 'mlp'",
        ),
        (ffn, "flap", ["gate.weight"], r"inputs of 'down.weight', so 'flap' cannot rank .* 'mlp'"),
        (experts, "wanda", [], r"inputs of 'router.weight', 'experts.0.up.weight'"),
        (layers, "wanda", ["layers.0.q.weight"], r"inputs of 'layers.1.q.weight', 'layers.1.o"),
        (
            layers,
            "flap",
            ["layers.0.o.weight"],
            r"inputs of 'layers.1.o.weight', 'layers.1.down.weight', so",
        ),
    ],
)
def test_what_is_not_known_at_all_is_named_with_what_to_do(kind, by, known, sentence):
    case = kind()
    with pytest.raises(ParameterError, match=sentence) as refused:
        scores_of(replace(case, rows={name: case.rows[name] for name in known}), by)
    assert "pruneapp statistics" in refused.value.remedy


def test_flap_needs_means():
    case = ffn()
    scores_of(case, "wanda", sums=False)
    with pytest.raises(
        ParameterError, match=r"needs the means .* only the squares .* 'down.weight'"
    ):
        scores_of(case, "flap", sums=False)


def test_weights_that_are_no_numbers_count_as_largest():
    case = ffn()
    case.tensors["up.weight"][3, 1] = torch.nan
    scores = scores_of(case, "wanda")
    assert np.flatnonzero(np.isnan(scores)).tolist() == [3]


def test_what_goes_by_inputs_moves_the_outputs_less_than_by_a_norm():
    """Channels of different sizes, as after norms; 30 % of the neurons, on other inputs."""
    torch.manual_seed(0)
    hidden, many = 32, 96
    sizes = torch.exp(2 * torch.randn(hidden))
    gate, up, down = some(many, hidden), some(many, hidden), some(hidden, many)

    def neurons(x):
        return torch.nn.functional.silu(x @ gate.T) * (x @ up.T)

    seen, others = (some(256, hidden) * sizes for _ in range(2))
    tensors = {"gate.weight": gate, "up.weight": up, "down.weight": down}
    rows = {"gate.weight": [seen], "up.weight": [seen], "down.weight": [neurons(seen)]}
    group = replace(ffn().group, count=many)
    members = tuple(member for member in group.members if member.name in tensors)
    case = replace(ffn(), group=replace(group, members=members), tensors=tensors, rows=rows)

    def error(by):
        stays = torch.from_numpy(scores_of(case, by)).argsort()[round(0.3 * many) :]
        found = neurons(others)[:, stays] @ down[:, stays].T
        wanted = neurons(others) @ down.T
        return float((found - wanted).norm() / wanted.norm())

    assert max(error("wanda"), error("flap")) < 0.7 * error("l2")
