"""The reported errors of a repair, compared with what a small network of torch computes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import SelectionError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.repair.repair import compute_repair
from tests.repair.layers import InputArrays

Pruning = Literal["channels", "weights", "channels and weights"]
# Each layer with the norm after it.
LAYERS = {"conv1": "bn1", "conv2": "bn2", "conv3": "", "fc": ""}


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 12, 3, bias=False), nn.BatchNorm2d(12)
        self.conv2, self.bn2 = nn.Conv2d(12, 16, 3, bias=False), nn.BatchNorm2d(16)
        self.conv3, self.fc = nn.Conv2d(16, 10, 3), nn.Linear(10, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.bn1(self.conv1(x)))
        x = torch.relu(self.bn2(self.conv2(x)))
        x = torch.relu(self.conv3(x)).mean((2, 3))
        return self.fc(x)


@pytest.fixture
def net() -> Net:
    torch.manual_seed(3)
    net = Net()
    with torch.no_grad():
        for norm in (net.bn1, net.bn2):
            norm.weight.uniform_(0.5, 2)
            norm.bias.normal_()
        for _ in range(60):  # running statistics of the inputs
            net(torch.randn(32, 3, 10, 10) + 0.5)
    return net.eval()


def inputs_of(net: Net, pictures: Tensor) -> dict[str, Tensor]:
    """Return the inputs of each layer in the unpruned network."""
    inputs: dict[str, Tensor] = {}
    for name in LAYERS:
        getattr(net, name).register_forward_pre_hook(
            lambda _layer, given, name=name: inputs.__setitem__(name, given[0])
        )
    net(pictures)
    return inputs


def rows_of(layer: nn.Module, inputs: Tensor) -> np.ndarray:
    if isinstance(layer, nn.Linear):
        return inputs.numpy()
    unfolded = nn.functional.unfold(inputs, 3)
    return unfolded.transpose(1, 2).flatten(0, 1).numpy()


def state_dict_of(snapshot: Snapshot) -> dict[str, Tensor]:
    tensors = {}
    for name, entry in snapshot.checkpoint.entries.items():
        if name.endswith("num_batches_tracked"):
            continue
        zeroed, found = snapshot.export_mask(name), snapshot.bits(name).view(np.float32)
        found = found if zeroed is None else found * zeroed.bools()
        tensors[name] = torch.from_numpy(found.reshape(entry.shape).copy())
    return tensors


def errors_of(net: Net, state: Mapping[str, Tensor], inputs: Mapping[str, Tensor]) -> dict:
    """Return the error of each layer's outputs, for the inputs that the unpruned network has.

    Outputs are compared behind the norm, in the units of the layer: the scale of the unpruned norm
    is divided out. An output that the norm multiplies by 0 is missing as a whole.
    """
    pruned = Net()
    pruned.load_state_dict(state, strict=False)
    pruned.eval()
    errors = {}
    with torch.no_grad():
        for name, norm in LAYERS.items():
            outputs = getattr(net, name)(inputs[name])
            if norm:
                before = getattr(net, norm)
                behind = getattr(pruned, norm)(getattr(pruned, name)(inputs[name]))
                usual = before(outputs)
                unit = (before.weight / (before.running_var + before.eps).sqrt())[:, None, None]
                change = (behind - usual) / unit
                dead = getattr(pruned, norm).weight == 0
                assert (behind[:, dead] == 0).all(), "weight and bias are pruned together"
                change[:, dead] = outputs[:, dead]
            else:
                change = getattr(pruned, name)(inputs[name]) - outputs
                bias = getattr(net, name).bias
                outputs = outputs - (bias if name == "fc" else bias[:, None, None])
            errors[f"{name}.weight"] = float(change.square().sum() / outputs.square().sum())
    return errors


def prune(document: Document, kind: Pruning) -> None:
    names = tuple(f"{name}.weight" for name in LAYERS)
    channels = {"amount": 0.4, "n": 2.0, "dim": 0}
    steps = []
    if kind.startswith("channels"):
        steps.append(Step((Row(names[:3], "ln_structured", channels),), prune_bias_and_norm=True))
    if kind.endswith("weights"):
        steps.append(Step((Row(names, "l1_unstructured", {"amount": 0.5}),)))
    for step in steps:
        document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))


@pytest.mark.parametrize("norms", [False, True])
@pytest.mark.parametrize("kind", ["weights", "channels and weights"])
def test_the_errors_of_all_layers_are_those_that_torch_computes(net, tmp_path, kind, norms):
    """Also before a second repair, and with running variances that the first one has scaled.

    Regression: a running mean behind which nothing is left reduced the error after.
    """
    with torch.no_grad():
        inputs = inputs_of(net, torch.randn(64, 3, 10, 10) + 0.5)
    save_file(net.state_dict(), tmp_path / "net.safetensors")
    known = InputArrays(
        {f"{name}.weight": rows_of(getattr(net, name), inputs[name]) for name in LAYERS}
    )
    with open_checkpoint(tmp_path / "net.safetensors") as checkpoint:
        document = Document(checkpoint)
        prune(document, kind)
        before = errors_of(net, state_dict_of(document.snapshot()), inputs)
        dead = state_dict_of(document.snapshot())["bn1.weight"] == 0
        assert bool(dead.any()) == (kind != "weights")
        outcome = compute_repair(document.snapshot(), known, Job(), norms=norms)
        document.commit(outcome)
        repaired = state_dict_of(document.snapshot())
        after = errors_of(net, repaired, inputs)
        again = compute_repair(document.snapshot(), known, Job(), norms=False)
        document.commit(again)
        at_last = errors_of(net, state_dict_of(document.snapshot()), inputs)
        document.close()
    layers = {layer.name: layer for layer in outcome.layers}
    assert any(layer.variance for layer in outcome.layers) == norms
    for name, layer in layers.items():
        assert layer.before == pytest.approx(before[name], rel=2e-3), name
        assert layer.rounded == pytest.approx(after[name], rel=2e-3), name
        assert layer.rounded <= layer.before
    for layer in again.layers:
        assert layer.before == pytest.approx(after[layer.name], rel=2e-3), layer.name
        assert layer.rounded == pytest.approx(at_last[layer.name], rel=2e-3), layer.name
    usual = net.state_dict()["bn1.running_mean"]
    assert torch.equal(repaired["bn1.running_mean"][dead], usual[dead]), "it would do nothing"


def test_nothing_is_repaired_behind_a_norm_that_is_pruned_as_well(net, tmp_path):
    """Regression: a running mean behind which nothing is left was adjusted."""
    with torch.no_grad():
        inputs = inputs_of(net, torch.randn(64, 3, 10, 10) + 0.5)
    save_file(net.state_dict(), tmp_path / "net.safetensors")
    rows = {f"{name}.weight": rows_of(getattr(net, name), inputs[name]) for name in LAYERS}
    with open_checkpoint(tmp_path / "net.safetensors") as checkpoint:
        document = Document(checkpoint)
        prune(document, "channels")
        with pytest.raises(SelectionError, match="new values would not reduce the errors"):
            compute_repair(document.snapshot(), InputArrays(rows), Job())
        document.close()
