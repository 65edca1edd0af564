"""The state of a recovery after its events."""

from __future__ import annotations

from pruneapp.gui.recovery.progress import RecoveryProgress

PLAN = {"what": "plan", "trains": "all", "trained": 10, "bytes": 1, "limit": 2, "windows": 1}


def test_distillation_is_followed_from_the_plan_to_the_last_point():
    progress = RecoveryProgress(100)
    assert not progress.can_be_stopped
    progress.add(PLAN)
    assert progress.can_be_stopped
    progress.add({"what": "stage", "name": "start", "loss": 0.5})
    progress.add({"what": "window", "name": "a", "before": 0.4, "after": 0.4})
    progress.add({"what": "window", "name": "b", "before": 0.4, "after": 0.3})
    assert [window.is_kept for window in progress.windows] == [False, True]
    assert progress.rate == 0
    progress.add({"what": "trial", "lr": 0.001})
    assert progress.trial == 0.001
    progress.add({"what": "rate", "lr": 0.001, "error": 0.4, "speed": 2.0, "memory": 5})
    assert (progress.trial, progress.speed, progress.memory) == (0, 2.0, 5)
    progress.add({"what": "rate", "lr": 0.003, "error": 0.2})
    progress.add({"what": "rate", "lr": 0.009, "error": 0.3})
    assert progress.rate == 0.003
    progress.add({"what": "point", "step": 0, "held_out": 0.5})
    progress.add({"what": "point", "step": 20, "training": 2, "held_out": 0.1, "speed": 4.0})
    progress.add({"what": "point", "step": 40, "training": 1, "held_out": 0.2, "memory": 7})
    assert progress.error == 0.2
    assert progress.start == 0.5
    assert progress.memory == 7
    assert progress.curves["training"] == [(20, 2), (40, 1)]
    assert progress.peak is None, "it never exceeded the start"
    progress.add({"what": "point", "step": 60, "held_out": 0.54})
    progress.add({"what": "point", "step": 80, "held_out": 0.1})
    assert progress.peak is None, "it rose by less than a tenth"
    progress.add({"what": "point", "step": 90, "held_out": 0.6})
    assert progress.peak is None, "it did not fall again"
    progress.add({"what": "point", "step": 100, "held_out": 0.1})
    assert progress.peak == 0.6


def test_long_curves_are_thinned():
    events = ({"what": "point", "step": n, "training": float(n)} for n in range(100_001))
    points = RecoveryProgress.of(events, 0).curves["training"]
    assert 2_000 <= len(points) <= 4_000
    assert points[0] == (0, 0.0)
    assert points[-1] == (100_000, 100_000.0)
    assert points == sorted(points)


def test_the_users_training_has_its_own_curves():
    events = [
        {"what": "training"},
        {"what": "point", "step": 1, "training": 3.0, "lr": 0.1},
        {"what": "point", "step": 2, "metrics": {"accuracy": 0.5}},
        {"what": "something new"},
    ]
    progress = RecoveryProgress.of(events, 0)
    assert progress.can_be_stopped
    assert progress.rate == 0.1
    assert progress.metrics == {"accuracy": [(2, 0.5)]}
    assert progress.error is None
