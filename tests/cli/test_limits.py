"""Minimum, maximum and total sparsity, and excluded tensors on the command line."""

from __future__ import annotations

import json

import pytest
from safetensors.torch import load_file

from pruneapp import resources
from pruneapp.__main__ import main
from pruneapp.cli.options import option_of
from pruneapp.methods.limits import LIMITS

SAMPLE = resources.path("sample/lenet-digits.safetensors")


@pytest.fixture
def run(capfd, tmp_path):
    """Provide a function that prunes the sample by L1; it returns status, output and error."""

    def call(*arguments):
        target = str(tmp_path / "o.safetensors")
        base = ("prune", str(SAMPLE), "-o", target, "--method", "l1_unstructured")
        try:
            status = main([*base, *arguments])
        except SystemExit as end:
            status = end.code
        return status, *capfd.readouterr()

    return call


def shares(tmp_path):
    tensors = load_file(tmp_path / "o.safetensors")
    return {n: float((t == 0).float().mean()) for n, t in tensors.items() if t.dim() > 1}


def test_a_total_with_a_ceiling_and_without_the_first_layer(run, tmp_path):
    status, out, err = run(
        "--scope", "global", "--total", "50%", "--ceiling", "60%", "--floor=0.1",
        "--spare", "first", "--json",
    )  # fmt: skip
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert report["limits"] == {"floor": 0.1, "ceiling": 0.6, "total": 0.5, "spare": ["first"]}
    assert report["values"] == {}
    assert report["step"].endswith(
        "global, total sparsity 50 %, min 10 % per tensor, max 60 % per tensor, "
        "excluding the first layer"
    )
    found = shares(tmp_path)
    assert found.pop("conv1.weight") < 0.01
    assert all(0.1 <= share <= 0.6 for share in found.values())
    sizes = {n: t.numel() for n, t in load_file(SAMPLE).items() if n in found}
    assert report["pruned"] == round(0.5 * sum(sizes.values()))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--amount", "0.5", "--total", "0.5"), "--target-sparsity replaces --amount"),
        ((), "needs --amount or --target-sparsity."),
        (("--amount", "0.5", "--ceiling", "2"), "--max-sparsity must be a share from 0.0 to 1.0"),
        (("--amount", "0.5", "--spare", "all"), "--exclude must be any of embeddings, first, last"),
        (("--amount", "0.5", "--floor", "0.9", "--ceiling", "50%"), "above the maximum"),
        (("--amount", "0.7", "--scope=global", "--ceiling", "0.5"), "At most 50 % in each of 5"),
    ],
)
def test_what_is_wrong_is_one_sentence(run, tmp_path, arguments, sentence):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert not (tmp_path / "o.safetensors").exists()


def test_every_limit_is_an_option(capfd):
    with pytest.raises(SystemExit):
        main(["prune", "--help"])
    out = " ".join(capfd.readouterr().out.split())
    for param in LIMITS:
        assert f"{option_of(param.name)} " in out
        assert param.help.split(":", maxsplit=1)[0] in out
