"""``pruneapp frontier``: points with and without recovery, continued after an interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from pruneapp.evaluation.frontier import knee_of, read_frontier
from tests.cli.test_rounds import model

__all__ = ["model"]


@pytest.fixture
def measure(call, model, tmp_path):
    """Provide a function that runs the command on the model."""

    def run(*more, out="a.frontier.json"):
        return call(
            "frontier", model, "--script", tmp_path / "script.py", "-o", tmp_path / out, *more
        )  # fmt: skip

    return run


def test_each_point_is_measured_without_and_with_recovery(measure, tmp_path):
    status, out, err = measure("--points", "30%,60%,90%", "--recover", "training", "--json")
    assert status == 0, err
    data = json.loads(out)
    assert data["complete"]
    assert [point["sparsity"] for point in data["points"]] == [0.3, 0.6, 0.9]
    dense = [point["metrics"]["dense"] for point in data["points"]]
    assert dense == sorted(dense, reverse=True)
    for point in data["points"]:
        assert point["recovered"]["dense"] == point["metrics"]["dense"], "zeros stay zeros"
        assert point["recovered"]["near"] != point["metrics"]["near"]
    frontier = read_frontier(tmp_path / "a.frontier.json")
    assert frontier.curve("near", recovered=False)[0] == (0.0, frontier.metric("near").before)

    status, out, _ = measure("--points", "30%,60%,90%", "--recover", "training")
    assert status == 0
    assert out.splitlines()[0].split() == ["sparsity", "near", "recovered"]
    assert len(out.splitlines()) == 6


def test_without_recovery_more_points_extend_the_file(measure, tmp_path):
    assert measure("--points", "50%", "--recover", "no")[0] == 0
    assert measure("--points", "90%", "--recover", "no", "--scope", "local")[0] == 0
    frontier = read_frontier(tmp_path / "a.frontier.json")
    assert [point.sparsity for point in frontier.points] == [0.5, 0.9]
    assert all(point.recovered is None for point in frontier.points)
    status, _, err = measure("--points", "90%", "--recover", "training")
    assert status == 2
    assert "is a frontier with another recovery" in err
    status, _, err = measure("--points", "0.5,70", out="b.json")
    assert status == 2
    assert "--points must be fractions" in err


def test_a_killed_command_continues(measure, model, tmp_path):
    more = ("--points", "30%,60%,90%", "--recover", "training")
    assert measure(*more, out="whole.json")[0] == 0
    part = tmp_path / "part.json"
    arguments = ["frontier", model, "--script", tmp_path / "script.py", "-o", part, *more]
    with subprocess.Popen(
        [sys.executable, "-m", "pruneapp", *map(str, arguments)], start_new_session=True
    ) as process:
        while process.poll() is None:
            if part.exists() and len(read_frontier(part).points) == 2:
                os.killpg(process.pid, signal.SIGKILL)
                break
    assert not read_frontier(part).is_complete
    assert measure(*more, out="part.json")[0] == 0
    assert read_frontier(part) == read_frontier(tmp_path / "whole.json")


def test_the_knee_is_farthest_from_the_chord():
    curve = [(0.0, 1.0), (0.5, 0.98), (0.8, 0.95), (0.9, 0.7), (0.95, 0.2)]
    assert knee_of(curve, higher=True) == 2
    assert knee_of([(x, 1 - y) for x, y in curve], higher=False) == 2
    assert knee_of(curve[:2], higher=True) is None
    assert knee_of([(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)], higher=True) is None, "a line"
    assert knee_of([(0.0, 1.0), (0.5, 0.1), (1.0, 0.0)], higher=True) is None, "below it"
