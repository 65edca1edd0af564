"""``pruneapp check``: its exit status and its table."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file


@pytest.fixture
def model(tmp_path):
    rng = np.random.default_rng(0)
    weights = {
        "fc1.weight": rng.normal(size=(6, 16)).astype(np.float32),
        "conv.weight": rng.normal(size=(4, 8, 3, 3)).astype(np.float32),
    }
    save_file(weights, tmp_path / "model.safetensors")
    return tmp_path / "model.safetensors"


def test_the_advised_command_gives_a_dense_file_the_pattern(call, model):
    status, out, _ = call("check", model, "--pattern", "2:4")
    assert status == 1
    assert "0 of 2 tensors match 2:4 along dim 1" in out
    assert "[0, 0] has 4, [0, 4] has 4" in out
    assert "The nearest masks would prune 192 weights and lose " in out
    advice = out.rpartition("pruneapp ")[2].split()
    repaired = model.with_name("repaired.safetensors")
    assert call(*(repaired if word == "OUT" else word for word in advice))[0] == 0

    assert call("check", repaired, "--pattern", "2:4") == (
        0,
        "2 of 2 tensors match 2:4 along dim 1\n",
        "",
    )
    for weights in load_file(repaired).values():
        groups = np.moveaxis(weights, 1, -1).reshape(-1, 4)
        assert ((groups != 0).sum(axis=1) == 2).all()


def test_json_has_every_number_of_a_tensor(call, model):
    arguments = ["--pattern", "4:8", "--select", "fc1.*", "--dim", "-1", "--json"]
    status, out, _ = call("check", model, *arguments)
    assert status == 1
    found = json.loads(out)
    assert (found["pattern"], found["dim"], found["satisfied"]) == ("4:8", -1, False)
    (tensor,) = found["tensors"]
    assert (tensor["name"], tensor["groups"], tensor["broken"]) == ("fc1.weight", 12, 12)
    assert 0 < tensor["norm_squared_lost"] < 0.5
    assert tensor["to_be_pruned"] == 12 * 4
    assert tensor["in_no_group"] == 0
    assert found["norm_squared_lost"] == tensor["norm_squared_lost"]
    assert tensor["first"][0] == {"index": [0, 0], "left": 8}


def test_a_tensor_without_groups_is_reported(call, tmp_path):
    save_file({"w.weight": np.ones((3, 2), np.float32)}, tmp_path / "m.safetensors")
    status, out, _ = call("check", tmp_path / "m.safetensors", "--pattern", "2:4")
    assert status == 1
    assert "Dimension 1 has 2 elements, fewer than a group of 4." in out
