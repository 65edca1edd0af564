"""Modes of modules during a recovery, and that it restores them."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from pruneapp.prune.recovery import _worker

masked_training, recorded_calls = _worker("masked_training"), _worker("recorded_calls")
recovery = _worker("recovery")


def prepare(model, *calls, **how):
    """Return a recovery of a copy of a model, and the copy."""
    recorder = recorded_calls.Recorder(model)
    for args, kwargs in calls:
        recorder.record(args, kwargs)
    student = copy.deepcopy(model)
    settings = recovery.Settings(**{"steps": 100, **how})
    return recovery.Recovery(model, student, recorder.calls, [], settings), student


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)

    def forward(self, x, mask):
        return self.encoder(x, src_key_padding_mask=mask)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_masked_positions_are_the_same_with_and_without_gradients():
    """The fast path of torch's encoder returns zeros for them, without gradients only."""
    torch.manual_seed(0)
    model = Encoder()
    mask = torch.zeros(20, 5, dtype=torch.bool)
    mask[:, 3:] = True
    assert torch.backends.mha.get_fastpath_enabled()
    run, _ = prepare(model, ((torch.randn(20, 5, 8), mask), {}))
    with run._training_of(run.parameters):
        loss = run._loss(run.samples.batch(run.samples.indices(0)))
    run.finish()
    assert float(loss.detach()) < 1e-9
    assert [window.name for window in run.windows] == ["encoder.layers.0", "encoder.layers.1"]
    assert torch.backends.mha.get_fastpath_enabled()


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, num_layers=2, dropout=0.5, batch_first=True)
        self.norm, self.head = nn.BatchNorm1d(4), nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.norm(self.lstm(x)[0][:, -1]))


def test_recurrent_layers_have_a_backward_pass_and_no_dropout():
    """cuDNN computes gradients in training mode only."""
    torch.manual_seed(0)
    model = Recurrent()
    model.norm.eval()
    run, student = prepare(model, ((torch.randn(40, 6, 3),), {}), steps=3, lr=1e-3)
    for each in (model, student):
        assert (each.lstm.training, each.lstm.dropout, each.norm.training) == (True, 0.0, False)
    assert run._split
    with torch.no_grad():
        student.lstm.weight_hh_l0.mul_(0.5)
        student.head.weight.mul_(0.5)
    run.run()
    assert run.losses["rounded"] < run.losses["start"]
    run.finish()
    for each in (model, student):
        modes = each.training, each.lstm.training, each.norm.training, each.head.training
        assert modes == (True, True, False, True)
        assert each.lstm.dropout == 0.5


def test_modes_are_restored_if_the_preparation_fails():
    model = nn.Sequential(nn.Linear(3, 2), nn.Dropout()).bfloat16()
    model[0].weight.requires_grad_(requires_grad=False)
    student = copy.deepcopy(model)
    recorder = recorded_calls.Recorder(model)
    recorder.record((torch.full((5, 3), torch.nan).bfloat16(),), {})
    with pytest.raises(_worker("pipe").ContractError, match="not all finite"):
        recovery.Recovery(model, student, recorder.calls, [], recovery.Settings(steps=1))
    for each in (model, student):
        assert all(one.training for one in each.modules())
        assert {p.dtype for p in each.parameters()} == {torch.bfloat16}
        assert [p.requires_grad for p in each.parameters()] == [False, True]
    assert torch.backends.mha.get_fastpath_enabled()


@pytest.mark.parametrize(
    ("steps", "default", "factors"),
    [(30, 3e-3, (1 / 3, 1, 3)), (30, 3.0, (1 / 3, 0.1, 0.03)), (400, 3.0, (1 / 3, 1, 3))],
)
def test_short_runs_try_smaller_learning_rates_if_a_third_is_too_large(
    monkeypatch, steps, default, factors
):
    """A third of the default made a recovered encoder worse in 60 steps; a tenth improved it.

    A small network, which improves with a third, ended best with three times the default.
    """
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    run, student = prepare(model, ((torch.randn(40, 6),), {}), steps=steps, windows=False)
    with torch.no_grad():
        student[0].weight.mul_(0.9)
    monkeypatch.setattr(run, "_default_rate", lambda: default)
    leaves = list(run.parameters.values())
    before = [leaf.detach().clone() for leaf in leaves]
    with run._training_of(run.parameters):
        chosen = run._choose_rate(leaves, None, before)
    run.finish()
    tried = [(e["error"], e["lr"] / default) for e in run.events if e["what"] == "rate"]
    assert [e["lr"] / default for e in run.events if e["what"] == "trial"] == [f for _, f in tried]
    assert [factor for _, factor in tried] == pytest.approx(factors)
    assert chosen == pytest.approx(min(tried)[1] * default)
    assert all(torch.equal(leaf, value) for leaf, value in zip(leaves, before, strict=True))
