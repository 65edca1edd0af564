"""Commands on a cluster print the same as on one machine."""

from __future__ import annotations

import contextlib
import json
import sys

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pruneapp.__main__ import main
from pruneapp.cluster import connection
from tests.cluster.workers import contents


@pytest.fixture
def model(tmp_path):
    """Write a folder of two shards."""
    rng = np.random.default_rng(0)
    folder = tmp_path / "model"
    folder.mkdir()
    for shard in (1, 2):
        tensors = {
            f"layers.{shard}.{n}.weight": rng.normal(size=(40, 64)).astype(np.float32)
            for n in range(3)
        }
        tensors[f"layers.{shard}.odd"] = np.array([np.nan, np.inf, 0, -3], np.float16)
        save_file(tensors, folder / f"model-{shard:05}-of-00002.safetensors")
    return folder


@pytest.fixture
def here(pair, monkeypatch):
    """Make every cluster address connect to the cluster of the test."""

    @contextlib.contextmanager
    def connect(address, job):
        yield pair

    monkeypatch.setattr(connection, "connect", connect)
    return "tcp://here:1"


def said(capsys, *command: str) -> tuple[int, str]:
    """Run a command; return its status, and what it printed."""
    status = main([str(word) for word in command])
    output = capsys.readouterr()
    assert not output.err, output.err
    return status, output.out


def both(capsys, address: str, *command: str) -> tuple[int, str]:
    """Run a command here and on a cluster, and assert equal output."""
    here = said(capsys, *command)
    assert said(capsys, *command, "--cluster", address) == here
    return here


def test_statistics(capsys, here, model):
    _, table = both(capsys, here, "inspect", model, "--stats")
    _, text = both(capsys, here, "inspect", model, "--stats", "--json")

    assert "layers.2.1.weight" in table
    measured = {row["name"]: row["statistics"] for row in json.loads(text)["tensors"]}
    assert measured["layers.1.odd"] == {
        "zeros": 1, "nan": 1, "minimum": -3.0, "maximum": "inf", "l1": "inf", "l2": "inf"
    }  # fmt: skip
    weights = load_file(model / "model-00001-of-00002.safetensors")["layers.1.0.weight"]
    row, wide = measured["layers.1.0.weight"], weights.astype(np.float64)
    assert row["minimum"] == wide.min()
    assert row["maximum"] == wide.max()
    assert row["l1"] == pytest.approx(np.abs(wide).sum(), rel=1e-14)
    assert row["l2"] == pytest.approx(np.linalg.norm(wide), rel=1e-14)


PRUNE = ("--method", "n_m", "--select", "*.weight")


def test_prune_then_diff_check_and_verify(capsys, here, model, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    main(["prune", str(model), *PRUNE, "-o", str(one)])
    printed = capsys.readouterr().out
    status, text = said(capsys, "prune", model, *PRUNE, "-o", other, "--cluster", here)

    assert status == 0
    assert text.replace("other", "one") == printed
    assert contents(one) == contents(other)
    assert both(capsys, here, "diff", model, other)[0] == 1
    assert both(capsys, here, "diff", one, other, "--json")[0] == 0
    assert both(capsys, here, "diff", model, one, "*.1.weight", "--json")[0] == 1
    assert both(capsys, here, "check", one, "--pattern", "2:4", "--json")[0] == 0
    assert both(capsys, here, "check", model, "--pattern", "2:4")[0] == 1
    assert both(capsys, here, "verify", other, "--against", model)[0] == 0
    assert both(capsys, here, "verify", other, "--against", model, "--json")[0] == 0


def test_a_flipped_bit_is_found_on_a_cluster(capsys, here, model, tmp_path):
    out = tmp_path / "out"
    said(capsys, "prune", model, *PRUNE, "-o", out, "--cluster", here)
    shard = out / "model-00002-of-00002.safetensors"
    data = bytearray(shard.read_bytes())
    data[-100] ^= 1
    shard.write_bytes(data)

    status, text = both(capsys, here, "verify", out, "--against", model)

    assert status == 1
    assert "differs" in text


def test_a_recipe_and_one_file_of_a_folder(capsys, here, model, tmp_path):
    recipe = tmp_path / "r.recipe.json"
    more = ("--method", "l1_unstructured", "--amount", "0.5", "--scope", "global")
    main(
        [
            "prune",
            str(model),
            *more,
            "-o",
            str(tmp_path / "a.safetensors"),
            "--save-recipe",
            str(recipe),
        ]
    )
    capsys.readouterr()

    said(capsys, "run", recipe, model, "-o", tmp_path / "b.safetensors", "--cluster", here)

    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--mask", "m.pt", "--cluster", "local:2"), "Masks from a file (--mask) cannot be used"),
        (("--report", "r.html", "--cluster", "local:2"), "Reports (--report) cannot be used"),
        (("--cluster", "nowhere"), "specified by the address of its Dask scheduler"),
        (("--resume",), "--resume continues a job on a cluster, but no --cluster is given."),
        (("--format", "zst", "--cluster", "HERE"), "The format 'zst' cannot be written"),
        (("--target-sparsity", "40kB", "--cluster", "HERE"), "A file size cannot be the target"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(
    capsys, here, model, tmp_path, more, sentence, monkeypatch
):
    if "HERE" not in more:
        monkeypatch.undo()
    amount = () if "--target-sparsity" in more else ("--amount", "0.5")
    command = ["prune", str(model), "--method", "l1_unstructured", *amount, "-o"]
    status = main([*command, str(tmp_path / "out"), *(here if m == "HERE" else m for m in more)])

    assert status == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_scheduler_that_does_not_answer(capsys, model, monkeypatch):
    monkeypatch.setattr(connection, "_PATIENCE", 0.2)

    assert main(["inspect", str(model), "--stats", "--cluster", "tcp://127.0.0.1:1"]) == 2
    assert "No Dask scheduler answers at 'tcp://127.0.0.1:1'." in capsys.readouterr().err


def test_without_dask_there_is_a_remedy(capsys, model, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)

    assert main(["inspect", str(model), "--stats", "--cluster", "local:2"]) == 2
    assert "pip install 'pruneapp[cluster]'" in capsys.readouterr().err


def test_tensors_in_which_only_zeros_are_pruned_are_reported(capsys, here, tmp_path):
    weights = np.random.default_rng(0).normal(size=(20, 40)).astype(np.float32)
    sparse = np.where(np.abs(weights) < 0.8, np.float32(0), weights)
    model = tmp_path / "model.safetensors"
    save_file({"a.weight": sparse, "b.weight": weights}, model, metadata={"format": "pt"})
    recipe, outs = tmp_path / "r.recipe.json", [tmp_path / f"{n}.safetensors" for n in range(4)]
    step = ("--method", "l1_unstructured", "--amount", "20%")
    printed = [
        said(capsys, "prune", model, *step, "-o", outs[0], "--save-recipe", recipe)[1],
        said(capsys, "prune", model, *step, "-o", outs[1], "--cluster", here)[1],
        said(capsys, "run", recipe, model, "-o", outs[2])[1],
        said(capsys, "run", recipe, model, "-o", outs[3], "--cluster", here)[1],
    ]
    for text in printed:
        assert "a.weight  (zero already)" in text
        assert "b.weight\n" in text
        assert "In 'a.weight', only weights that were zero already are pruned" in text
