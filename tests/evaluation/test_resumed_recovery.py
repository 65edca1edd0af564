"""A recovery that ended at any moment continues from its checkpoint with the same result."""

from __future__ import annotations

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from pruneapp.prune.recovery import _worker

masked_training, recorded_calls = _worker("masked_training"), _worker("recorded_calls")
recovery = _worker("recovery")


class Killed(BaseException):
    pass


class Killer(recovery.Reporter):
    """Ends the run at a report of progress."""

    def __init__(self, at=None):
        self.reports, self.at = 0, at

    def progress(self, done, total, text):
        self.reports += 1
        if self.reports == self.at:
            raise Killed


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(6), nn.Linear(6, 12), nn.Linear(12, 6)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Subject:
    """A pruned model with recorded inputs."""

    def __init__(self):
        torch.manual_seed(0)
        self.teacher = nn.Sequential(nn.Linear(6, 6), Block(), Block(), nn.Linear(6, 3))
        self.pruned = copy.deepcopy(self.teacher)
        with torch.no_grad():
            for parameter in self.pruned.parameters():
                if parameter.dim() > 1:
                    size = parameter.abs().flatten()
                    parameter.masked_fill_(parameter.abs() < size.quantile(0.7), 0)
        recorder = recorded_calls.Recorder(self.teacher)
        with recorder.recording():
            self.teacher(torch.randn(80, 6))
        self.calls = recorder.calls

    def run(self, checkpoint, reporter, **how):
        """Run a recovery, and return it with its trained parameters."""
        student = copy.deepcopy(self.pruned)
        chosen = recovery.Settings(
            **{"steps": 21, "epochs": 2, "rows": 16, "save_every": 0.0, "trains": "all", **how}
        )
        run = recovery.Recovery(
            self.teacher,
            student,
            self.calls,
            masked_training.fixed_elements(student),
            chosen,
            reporter=reporter,
            checkpoint=checkpoint,
        )
        try:
            run.run()
        finally:
            run.finish()
        return run


KINDS = {
    "all": {},
    "lora": {"trains": "lora"},
    "norms": {"trains": "norms"},
    "blocks": {"steps": 0},
    "one rate": {"lr": 3e-3, "windows": False},
    "too fast": {"lr": 30.0},
}


@pytest.fixture(scope="module")
def uninterrupted():
    """Provide the subject, and by kind its run without interruption and the number of reports."""
    subject, found = Subject(), {}
    for kind, how in KINDS.items():
        reporter = Killer()
        found[kind] = subject.run(None, reporter, **how), reporter.reports
    return subject, found


# The thorough profile has 500 examples; about 50 of them run to a checkpoint in each kind.
@settings(max_examples=max(10, settings.default.max_examples // 10))
@given(kind=st.sampled_from(list(KINDS)), moments=st.lists(st.floats(0, 1), min_size=1, max_size=3))
def test_a_resumed_run_has_the_same_result_to_the_bit(uninterrupted, tmp_path, kind, moments):
    subject, found = uninterrupted
    wanted, reports = found[kind]
    checkpoint = tmp_path / "checkpoint"
    checkpoint.unlink(missing_ok=True)
    for moment in moments:
        reporter = Killer(1 + int(moment * reports))
        try:
            subject.run(checkpoint, reporter, **KINDS[kind])
        except Killed:
            pass
        else:
            break
    run = subject.run(checkpoint, Killer(), **KINDS[kind])
    for name, parameter in run.parameters.items():
        assert torch.equal(parameter, wanted.parameters[name]), name
    assert run.losses == wanted.losses
    assert (run.rate, run.steps) == (wanted.rate, wanted.steps)
    numbers = [
        [
            {k: v for k, v in event.items() if k not in {"speed", "memory", "bytes", "limit"}}
            for event in each.events
        ]
        for each in (run, wanted)
    ]
    assert numbers[0] == numbers[1]


def test_a_damaged_checkpoint_is_not_used(uninterrupted, tmp_path):
    subject, found = uninterrupted
    checkpoint = tmp_path / "checkpoint"
    checkpoint.write_bytes(b"nothing")
    run = subject.run(checkpoint, Killer(), **KINDS["one rate"])
    assert run.losses == found["one rate"][0].losses


def test_a_stopped_run_keeps_the_better_state(uninterrupted):
    subject, _ = uninterrupted

    class Stopper(recovery.Reporter):
        stopped = False

        def event(self, **event):
            self.stopped |= event["what"] == "point" and event["step"] >= 5

        def is_stopped(self):
            return self.stopped

    run = subject.run(None, Stopper(), lr=3e-3, windows=False)
    assert run.steps < 21
    assert run.losses["best"] < run.losses["start"]
    assert run.losses["best"] == pytest.approx(run.losses["rounded"])
