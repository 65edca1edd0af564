"""Sums over the inputs of each weight collected by the worker, compared with direct computation."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from pruneapp import resources
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.methods.builtin.activations import WANDA_PER_TENSOR
from pruneapp.methods.prune_tensors import prune
from pruneapp.progress import Job
from pruneapp.statistics.file import Inputs
from tests.support.tensors import view_of_values

nn = torch.nn


@pytest.fixture(scope="module")
def activations():
    folder = str(resources.path("pruneapp_worker/main.py").parent.parent)
    sys.path.insert(0, folder)
    try:
        from pruneapp_worker import activations  # as the worker imports it
    finally:
        sys.path.remove(folder)
    return activations


@pytest.fixture
def collected(activations, tmp_path):
    """Provide a function that collects statistics, with all Gram matrices."""

    def collect(module, run):
        names = [name for name, value in module.state_dict().items() if value.dim() > 1]
        path = tmp_path / "sums"
        found = activations.collect(module, names, run, str(path))
        numbers = np.fromfile(path, np.float64)
        seen = {}
        for told in found:
            parts, columns, at = told["parts"], told["columns"], told["offset"] // 8
            counts, sum2, total, gram = np.split(
                numbers[at : at + parts * (1 + 2 * columns + columns**2)],
                np.cumsum([parts, parts * columns, parts * columns]),
            )
            assert told["gram"] // 8 == at + parts * (1 + 2 * columns)
            shape = (parts, columns)
            inputs = Inputs(sum2.reshape(shape), total.reshape(shape), counts, told["transposed"])
            gram = gram.reshape(parts, columns, columns)
            assert inputs.fit(tuple(module.state_dict()[told["name"]].shape))
            assert np.allclose(np.diagonal(gram, axis1=1, axis2=2), inputs.sum2)
            seen[told["name"]] = (inputs, gram)
        return seen

    return collect


def same(seen, *rows, transposed=False):
    """Assert that the sums are those of these rows, one matrix per part."""
    inputs, gram = seen
    rows = [part.detach().double().reshape(-1, part.shape[-1]).numpy() for part in rows]
    assert inputs.transposed == transposed
    assert inputs.counts.tolist() == [len(part) for part in rows]
    assert np.allclose(inputs.sum, [part.sum(0) for part in rows])
    assert np.allclose(inputs.sum2, [(part**2).sum(0) for part in rows])
    assert np.allclose(gram, [part.T @ part for part in rows])


def test_rows_of_short_inputs_are_summed_together(activations, collected, monkeypatch):
    """Adding a Gram matrix for each sentence took most of the time of a repair."""
    made = []
    gram_of = activations.gram_of
    monkeypatch.setattr(
        activations, "gram_of", lambda rows: made.append(len(rows)) or gram_of(rows)
    )
    shared = nn.ModuleDict({"one": nn.Linear(6, 4), "other": nn.Linear(6, 4)})
    inputs = [torch.randn(20, 6) for _ in range(60)]

    def run():
        reused = torch.empty(20, 6)
        for part in inputs:
            reused.copy_(part)  # the memory of earlier inputs is overwritten
            shared["one"](reused)
            shared["other"](reused)

    seen = collected(shared, run)
    for name in ("one.weight", "other.weight"):
        same(seen[name], torch.cat(inputs))
    assert made == [520, 520, 160], "once for both weights"


def test_other_weights_are_left_out_on_request(activations, tmp_path):
    model = nn.Sequential(nn.Linear(6, 4), nn.Linear(4, 2))
    run, path = lambda: model(torch.randn(8, 6)), str(tmp_path / "sums")
    found = activations.collect(model, ["1.weight"], run, path, only=True)
    assert [one["name"] for one in found] == ["1.weight"]


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


def unfolded(x, conv):
    """Return the patches of a two-dimensional convolution, by group."""
    found = []
    for part in x.chunk(conv.groups, 1):
        patches = nn.functional.unfold(
            part, conv.kernel_size, conv.dilation, conv.padding, conv.stride
        )
        found.append(patches.movedim(1, -1))
    return found


@pytest.mark.parametrize("mode", [torch.no_grad, torch.enable_grad, torch.inference_mode])
def test_linear_layers_are_seen_in_every_mode(collected, mode):
    """For rows and sequences, without bias, called twice, as a function, and with shared inputs."""
    model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 4, bias=False))
    x, y = torch.randn(7, 6), torch.randn(2, 3, 6)

    def run():
        with mode():
            for inputs in (x, y):
                hidden = model[1](model[0](inputs))
                torch.einsum("...i,oi->...o", hidden, model[2].weight)

    seen = collected(model, run)
    every = torch.cat([x, y.reshape(-1, 6)])
    same(seen["0.weight"], every)
    same(seen["2.weight"], model[1](model[0](every)))


def test_what_several_layers_share_and_what_changes_in_place_are_told_apart(collected):
    """Queries, keys and values share one input; a later input in the same memory is another one."""
    model = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 3), nn.Linear(4, 2)])
    x = torch.randn(5, 4)
    first, second = x.clone(), x * 3

    def run():
        model[0](x)
        model[1](x)
        x.mul_(3)
        model[2](x)

    seen = collected(model, run)
    same(seen["0.weight"], first)
    same(seen["1.weight"], first)
    same(seen["2.weight"], second)


@pytest.fixture
def beside(activations, tmp_path):
    """Provide a function that collects while a second model, with other values, runs alongside."""
    from pruneapp_worker import side_by_side, tensors

    def collect(module, others, names, run):
        held = tensors.ModelTensors(module)
        before = {name: value.clone() for name, value in module.state_dict().items()}
        pair = side_by_side.SideBySide(held)
        for number, (name, value) in enumerate(others.items()):
            file = tmp_path / f"value-{number}"
            file.write_bytes(value.contiguous().numpy().tobytes())
            pair.apply({"name": name, "values": [str(file), 0], "dtype": "float32"})
        found = activations.collect(module, names, run, str(tmp_path / "sums"), other_state=pair)
        after = module.state_dict()
        assert all(torch.equal(value, after[name]) for name, value in before.items())
        drifts, numbers = {}, np.fromfile(tmp_path / "sums", np.float64)
        for told in found:
            assert told["name"] in names or told["drift"] == -1
            if told["drift"] >= 0:
                parts, rows, columns = told["parts"], told["rows"], told["columns"]
                at, size = told["drift"] // 8, parts * rows
                every = numbers[at : at + size * (columns + 2)]
                products, sums, squares = np.split(every, [size * columns, size * (columns + 1)])
                drifts[told["name"]] = (
                    products.reshape(parts, rows, columns),
                    sums.reshape(parts, rows),
                    squares.reshape(parts, rows),
                )
        return found, drifts

    return collect


def drift_is(found, *parts):
    """Assert the drift of these parts: expected outputs, actual outputs, inputs."""
    parts = [[side.detach().double().numpy() for side in part] for part in parts]
    for part, (wanted, outputs, inputs) in enumerate(parts):
        off = wanted - outputs
        assert np.allclose(found[0][part], off.T @ inputs, atol=1e-4)
        assert np.allclose(found[1][part], off.sum(0), atol=1e-4)
        assert np.allclose(found[2][part], np.square(off).sum(0), atol=1e-4)
        assert np.square(off).sum() > 0


@pytest.mark.parametrize("mode", [torch.no_grad, torch.enable_grad, torch.inference_mode])
def test_two_states_run_side_by_side_and_the_script_gets_the_outputs_of_the_model(beside, mode):
    """Including a call that modifies its input, and an in-place residual."""

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.third = (nn.Linear(6, 6) for _ in range(3))
            self.drop = nn.Dropout(0.5)

        def forward(self, x):
            x = x.mul_(2)
            hidden = self.first(x).relu_()
            hidden += self.second(hidden)
            return self.third(self.drop(hidden))

    model, x = Net(), torch.randn(9, 6)
    other = torch.randn(6, 6)
    states = []
    for weight in (model.first.weight, other):
        with torch.no_grad():
            hidden = torch.relu(nn.functional.linear(2 * x, weight, model.first.bias))
            torch.manual_seed(3)
            last = [model.drop(hidden + model.second(hidden)) for _ in range(2)]
            states.append((torch.cat([hidden, hidden]), torch.cat(last)))
    returned = []

    def run():
        torch.manual_seed(3)
        with mode():
            returned.extend(model(x.clone()) for _ in range(2))

    names = ["second.weight", "third.weight"]
    found, drifts = beside(model, {"first.weight": other}, names, run)
    assert [told["name"] for told in found] == ["first.weight", *names]
    assert len({told["inputs"] for told in found}) == 3
    assert set(drifts) == set(names)
    for name, number in (("second", 0), ("third", 1)):
        layer, (own, now) = getattr(model, name), [state[number] for state in states]
        weight = layer.weight.T
        drift_is(drifts[f"{name}.weight"], (own @ weight, now @ weight, now))
    # On some processors the rounding of products depends on the number of rows.
    torch.testing.assert_close(torch.cat(returned), model.third(states[0][1]))


CONVOLUTIONS = [
    {"kernel_size": 3, "padding": 1},
    {"kernel_size": (3, 2), "stride": (2, 1), "dilation": (1, 2), "padding": (0, 2)},
    {"kernel_size": 3, "groups": 2, "bias": False},
    {"kernel_size": 2, "stride": 2, "groups": 4},
]


@pytest.mark.parametrize("kind", range(len(CONVOLUTIONS)))
def test_the_drift_of_convolutions_is_that_of_their_groups(beside, kind):
    model = nn.Sequential(nn.Conv2d(4, 4, 1), nn.Conv2d(4, 8, **CONVOLUTIONS[kind]))
    x, other = torch.randn(3, 4, 6, 7), torch.randn(4, 4, 1, 1)
    conv = model[1]
    own, now = model[0](x), nn.functional.conv2d(x, other, model[0].bias)
    _, drifts = beside(model, {"0.weight": other}, ["1.weight"], lambda: model(x))
    parts = []
    for *patches, filters in zip(
        unfolded(own, conv), unfolded(now, conv), conv.weight.chunk(conv.groups), strict=True
    ):
        before, after = (side.reshape(-1, side.shape[-1]) for side in patches)
        matrix = filters.flatten(1).T
        parts.append((before @ matrix, after @ matrix, after))
    drift_is(drifts["1.weight"], *parts)


def test_no_drift_is_told_of_rows_that_have_no_counterpart(beside):
    """For example if other rows reach an expert, or a weight is multiplied in pieces."""

    class Routed(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate, self.expert, self.both = (nn.Linear(4, 4) for _ in range(3))

        def forward(self, x):
            rows = self.expert(x[self.gate(x)[:, 0] > 0])
            for half in self.both.weight.chunk(2):
                nn.functional.linear(x, half)
            return rows

    model, x = Routed(), torch.randn(50, 4)
    names = ["expert.weight", "both.weight"]
    found, drifts = beside(model, {"gate.weight": torch.randn(4, 4)}, names, lambda: model(x))
    assert {told["name"] for told in found if told["gram"] >= 0} == set(names)
    assert drifts == {}


def test_weights_of_the_same_inputs_are_told(activations, tmp_path):
    model = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])
    x = torch.randn(5, 4)

    def run():
        model[0](x)
        model[3](model[1](x).relu() + model[2](x))

    found = activations.collect(model, [], run, str(tmp_path / "sums"))
    first, second, third, last = (told["inputs"] for told in found)
    assert first == second == third != last


@pytest.mark.parametrize("options", CONVOLUTIONS)
@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_convolutions_are_seen_as_patches_of_each_group(collected, options, layout):
    """As torch unfolds them, with stride, dilation, padding and groups."""
    conv = nn.Conv2d(4, 8, **options).to(memory_format=layout)
    x = torch.randn(3, 4, 9, 8).to(memory_format=layout)
    seen = collected(conv, lambda: conv(x))
    same(seen["weight"], *unfolded(x, conv))


def test_convolutions_of_other_dimensions_and_transposed_ones_are_seen(collected):
    """In one and three dimensions, with pixels as rows, and with nonzero padding."""
    model = nn.ModuleDict(
        {
            "one": nn.Conv1d(3, 5, 2, padding="same", padding_mode="circular"),
            "three": nn.Conv3d(2, 3, 2),
            "up": nn.ConvTranspose2d(4, 6, 2, groups=2),
        }
    )
    one, three, up = torch.randn(2, 3, 6), torch.randn(1, 2, 3, 4, 3), torch.randn(2, 4, 3, 3)

    def run():
        model["one"](one)
        model["three"](three)
        model["up"](up)

    seen = collected(model, run)
    padded = torch.cat([one, one[..., :1]], -1)
    same(seen["one.weight"], padded.unfold(-1, 2, 1).permute(0, 2, 1, 3).reshape(-1, 6))
    patches = three.unfold(2, 2, 1).unfold(3, 2, 1).unfold(4, 2, 1)
    same(seen["three.weight"], patches.permute(0, 2, 3, 4, 1, 5, 6, 7).reshape(-1, 16))
    rows = [part.movedim(1, -1) for part in up.chunk(2, 1)]
    same(seen["up.weight"], *rows, transposed=True)


def test_attention_of_torch_is_seen_with_its_packed_weight(collected):
    """One input for all three, or one for the queries and one for keys and values."""
    attention = nn.MultiheadAttention(4, 2, batch_first=True).eval()
    x, y = torch.randn(2, 3, 4), torch.randn(2, 5, 4)

    same(collected(attention, lambda: attention(x, x, x))["in_proj_weight"], x)
    same(collected(attention, lambda: attention(x, y, y))["in_proj_weight"], x, y, y)
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(4, 2, 6, batch_first=True), 2, enable_nested_tensor=False
    ).eval()
    seen = collected(encoder, lambda: encoder(x))
    assert seen.keys() == {n for n, value in encoder.state_dict().items() if value.dim() > 1}


class Experts(nn.Module):
    """Fused experts, as in transformers 5: one weight for all."""

    def __init__(self, *, transposed: bool) -> None:
        super().__init__()
        shape = (3, 4, 6) if transposed else (3, 6, 4)
        self.weight = nn.Parameter(torch.randn(shape))
        self.transposed = transposed

    def forward(self, x, chosen):
        out = x.new_zeros(len(x), 6)
        for expert in chosen.unique():
            matrix = self.weight[expert]
            rows = chosen == expert
            out[rows] = x[rows] @ (matrix if self.transposed else matrix.t())
        return out


@pytest.mark.parametrize("transposed", [False, True])
def test_fused_experts_are_seen_by_their_place_in_the_weight(collected, transposed):
    """An expert without inputs has counts of 0."""
    model = Experts(transposed=transposed)
    x, chosen = torch.randn(9, 4), torch.tensor([0, 2, 2, 0, 0, 2, 2, 2, 0])
    seen = collected(model, lambda: model(x, chosen))
    same(seen["weight"], x[chosen == 0], x[:0], x[chosen == 2], transposed=transposed)


@pytest.mark.parametrize("transposed", [False, True])
def test_stacks_of_products_are_seen(collected, transposed):
    """bmm and similar functions, with a stack as weight, or one broadcast matrix."""
    model = Experts(transposed=transposed)
    stack = model.weight if transposed else model.weight.mT
    x, bias = torch.randn(3, 5, 4), torch.randn(3, 5, 6)

    def run():
        torch.bmm(x, stack)
        torch.baddbmm(bias, x, stack)
        torch.bmm(stack.mT, x.mT)  # the weight is the first operand

    seen = collected(model, run)
    same(seen["weight"], *(torch.cat([part] * 3) for part in x), transposed=transposed)
    linear = nn.Linear(4, 4)
    broadcast = linear.weight.t().expand(3, 4, 4)
    same(collected(linear, lambda: torch.bmm(x, broadcast))["weight"], x)


@pytest.mark.skipif(not hasattr(torch, "_grouped_mm"), reason="torch has no grouped products")
def test_grouped_products_are_seen(collected):
    """Consecutive rows for each expert, as transformers 5 computes them."""
    model = nn.ParameterDict({"weight": torch.randn(3, 8, 16).bfloat16()})
    x, ends = torch.randn(10, 8).bfloat16(), torch.tensor([4, 4, 10], dtype=torch.int32)
    seen = collected(model, lambda: torch._grouped_mm(x, model["weight"], ends))
    same(seen["weight"], x[:4], x[:0], x[4:], transposed=True)


def test_square_and_transposed_weights_are_told_apart(collected):
    """Conv1D of transformers has its inputs first; strides show it, even for a square weight."""
    model = nn.ParameterDict({"one": torch.randn(4, 4), "two": torch.randn(4, 4)})
    x = torch.randn(5, 4)

    def run():
        torch.addmm(torch.zeros(4), x, model["one"])
        torch.addmm(torch.zeros(4), x, model["two"].t())

    seen = collected(model, run)
    same(seen["one"], x, transposed=True)
    same(seen["two"], x)


def test_what_cannot_be_told_is_left_out(collected, activations):
    """A weight used in both orientations; some columns of one; and an unused one."""
    model = nn.ParameterDict({"both": torch.randn(4, 4), "some": torch.randn(3, 4)})
    other, x = nn.Linear(4, 4), torch.randn(5, 4)

    def run():
        x @ model["both"]
        x @ model["both"].t()
        x[:, :2] @ model["some"][:, :2].t()
        x @ other.weight.t()

    with pytest.raises(Exception, match="No multiplication by the weights"):
        collected(model, run)
    model["seen"] = torch.randn(2, 4)
    seen = collected(model, lambda: (run(), x @ model["seen"].t()))
    assert list(seen) == ["seen"]


def test_large_inputs_are_summed_in_pieces_of_float64(collected, activations, monkeypatch):
    """Summing in float32 would lose precision because of the large mean."""
    monkeypatch.setattr(activations, "PIECE", 64)
    linear, conv = nn.Linear(4, 2), nn.Conv2d(2, 2, 2)
    x, images = torch.randn(100, 4) + 1e4, torch.randn(5, 2, 4, 4)
    same(collected(linear, lambda: linear(x))["weight"], x)
    same(collected(conv, lambda: conv(images))["weight"], *unfolded(images, conv))


def test_what_is_switched_meanwhile_is_put_back(collected):
    """The fast path of attention, and reduced precision of float32 products."""
    linear, x, found = nn.Linear(3, 3), torch.randn(2, 3), []

    def run():
        linear(x)
        found.append(torch.get_float32_matmul_precision())
        found.append(torch.backends.mha.get_fastpath_enabled())

    torch.set_float32_matmul_precision("medium")
    try:
        collected(linear, run)
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision("highest")
    assert found == ["highest", False]
    assert torch.backends.mha.get_fastpath_enabled()


def test_models_of_transformers_are_seen_whole(collected):
    """GPT-2 with its Conv1D, and a mixture of fused experts."""
    transformers = pytest.importorskip("transformers")
    small = {"vocab_size": 32, "num_attention_heads": 2, "num_hidden_layers": 1}
    llama = {"hidden_size": 8, "intermediate_size": 12, "num_key_value_heads": 1, **small}
    configs = [
        transformers.GPT2Config(
            n_embd=8,
            n_layer=1,
            n_head=2,
            vocab_size=32,
            n_positions=16,
            bos_token_id=0,
            eos_token_id=0,
        ),
        transformers.Qwen3MoeConfig(
            **llama, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=8, head_dim=4
        ),
    ]
    for config in configs:
        model = transformers.AutoModelForCausalLM.from_config(config).eval()
        ids = torch.randint(32, (2, 16))
        seen = collected(model, lambda model=model, ids=ids: model(input_ids=ids))
        every = {name for name, value in model.named_parameters() if value.dim() > 1}
        assert {n for n in every - seen.keys() if "embed" not in n and "wpe" not in n} == set()


def test_wanda_on_the_sample_is_what_the_literature_makes_of_it(collected):
    """Calibrated on 256 pictures: 64.4 % accuracy at 50 % of each tensor, 98.9 % unpruned."""
    pytest.importorskip("sklearn")
    spec = importlib.util.spec_from_file_location("train", resources.path("sample/train.py"))
    train = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(train)
    model = train.LeNet().eval()
    tensors = load_file(resources.path("sample/lenet-digits.safetensors"))
    model.load_state_dict(tensors)
    pictures = train.digits()[0][:256]
    seen = collected(model, lambda: model(pictures))
    for name, (inputs, _) in seen.items():
        view = view_of_values(tensors[name].numpy(), name=name, inputs=inputs)
        amount = {"amount": 0.5}
        masks = prune([view], WANDA_PER_TENSOR, amount, "local", CpuKernel(), Job()).masks
        kept = torch.from_numpy(masks[name].bools().reshape(tensors[name].shape))
        tensors[name] *= kept
    model.load_state_dict(tensors)
    assert len(seen) == 5
    assert train.accuracy(model) == pytest.approx(0.644, abs=0.01)
