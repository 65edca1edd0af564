"""Minimum, maximum and total sparsity, and excluded tensors on the command line."""

from __future__ import annotations

import json

from safetensors.torch import load_file

from pruneapp import resources
from pruneapp.cli.options import option_of
from pruneapp.methods.limits import LIMITS

SAMPLE = resources.path("sample/lenet-digits.safetensors")


def shares(tmp_path):
    tensors = load_file(tmp_path / "o.safetensors")
    return {n: float((t == 0).float().mean()) for n, t in tensors.items() if t.dim() > 1}


def test_a_total_with_a_ceiling_and_without_the_first_layer(call, tmp_path):
    output = ("prune", SAMPLE, "-o", tmp_path / "o.safetensors", "--method", "l1_unstructured")
    limits = ("--target-sparsity", "50%", "--max-sparsity", "60%")
    limits += ("--min-sparsity=0.1", "--exclude", "first")
    status, out, err = call(*output, "--scope", "global", *limits, "--json")
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert report["limits"] == {
        "min_sparsity": 0.1,
        "max_sparsity": 0.6,
        "target_sparsity": 0.5,
        "exclude": ["first"],
    }
    assert report["values"] == {}
    assert report["step"].startswith(
        "L1, total 50 %, global, min 10 % per tensor, max 60 % per tensor, "
        "excluding the first layer, on "
    )
    found = shares(tmp_path)
    assert found.pop("conv1.weight") < 0.01
    assert all(0.1 <= share <= 0.6 for share in found.values())
    sizes = {n: t.numel() for n, t in load_file(SAMPLE).items() if n in found}
    assert report["pruned"] == round(0.5 * sum(sizes.values()))


def test_every_limit_is_an_option(call):
    out = " ".join(call("prune", "--help")[1].split())
    for param in LIMITS:
        assert f"{option_of(param.name)} " in out
        assert param.help.split(":", maxsplit=1)[0] in out
