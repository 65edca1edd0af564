"""The output format follows from the file name, else from the source."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.recipes.recipe import Recipe
from tests.shrink.small_models import write_mistral
from tests.shrink.vision_models import make
from tests.support.onnx_models import save
from tests.support.onnx_networks import NETWORKS
from tests.support.onnx_runs import difference
from tests.support.onnx_runs import run as run_model

PRUNE = ("--method", "l1_unstructured", "--amount", "50%")


def run(*arguments) -> int:
    return main([str(argument) for argument in arguments])


def program(path: Path) -> None:
    """Write a program of torch.export."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 3), torch.nn.ReLU(), torch.nn.Conv2d(32, 4, 3)
    )
    torch.export.save(torch.export.export(model.eval(), (torch.ones(1, 3, 8, 8),)), path)


SOURCES = {
    "m.safetensors": ("safetensors", lambda p: save_file({"a.weight": np.ones((4, 4), "f4")}, p)),
    "m.pt": ("torch", lambda p: torch.save({"a.weight": torch.ones(4, 4)}, p)),
    "m.npz": ("npz", lambda p: np.savez(p, **{"a.weight": np.ones((4, 4), "f4")})),
    "m.pt2": ("pt2", program),
    "m.onnx": ("onnx", lambda p: save(NETWORKS["residual"](), p)),
    "external.onnx": ("onnx", lambda p: save(NETWORKS["residual"](), p, external=True)),
}


@pytest.fixture
def source(request, tmp_path) -> Path:
    path = tmp_path / request.param
    SOURCES[request.param][1](path)
    return path


@pytest.mark.parametrize("source", SOURCES, indirect=True)
def test_a_name_without_a_suffix_keeps_the_format_of_the_source(source, tmp_path, capsys):
    assert run("prune", source, *PRUNE, "-o", tmp_path / "out") == 0
    capsys.readouterr()
    with open_checkpoint(tmp_path / "out") as written:
        assert written.format == SOURCES[source.name][0]


@pytest.mark.parametrize("source", SOURCES, indirect=True)
@pytest.mark.parametrize("name", ["out.safetensors", "out.pt", "out.npz"])
def test_the_suffix_selects_the_format(source, name, tmp_path, capsys):
    assert run("prune", source, *PRUNE, "-o", tmp_path / name) == 0
    capsys.readouterr()
    with open_checkpoint(tmp_path / name) as written:
        assert written.format == SOURCES[f"m{Path(name).suffix}"][0]


@pytest.mark.parametrize("external", [False, True], ids=["inside", "outside"])
def test_an_onnx_model_is_shrunk_into_a_file(external, tmp_path, capsys):
    net = save(NETWORKS["residual"](), tmp_path / "net.onnx", external=external)
    out, back = tmp_path / "small.onnx", tmp_path / "back"
    assert run("shrink", net, "--channels", "50%", "--multiple", "2", "-o", out) == 0
    printed = capsys.readouterr().out
    assert str(out) in printed
    assert run("unshrink", out, "--against", net, "-o", back) == 0
    assert difference(run_model(back), run_model(out)) < 1e-5
    beside = {"net.onnx.data"} if external else set()
    names = {"net.onnx", "small.onnx", "small.onnx.shrink.json", "back"} | beside
    assert {path.name for path in tmp_path.iterdir()} == names
    assert out.stat().st_size < 0.8 * sum(p.stat().st_size for p in tmp_path.glob("net.onnx*"))


@pytest.mark.parametrize("name", ["out.pt2", "out"])
def test_a_program_keeps_its_graph(name, tmp_path, capsys):
    """Its outputs equal those of a module with the pruned weights."""
    source, out, weights = tmp_path / "m.pt2", tmp_path / name, tmp_path / "weights.pt"
    program(source)
    assert run("prune", source, *PRUNE, "-o", out) == 0
    assert run("prune", source, *PRUNE, "-o", weights) == 0
    assert "Not included: the graph of the program" in capsys.readouterr().out
    # From bytes, because torch warns of a file name without .pt2.
    loaded = torch.export.load(io.BytesIO(out.read_bytes())).module()
    pruned = torch.load(weights)
    assert all(torch.equal(value, pruned[name]) for name, value in loaded.state_dict().items())
    assert (pruned["0.weight"] == 0).sum() == pruned["0.weight"].numel() // 2
    plain = torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 3), torch.nn.ReLU(), torch.nn.Conv2d(32, 4, 3)
    )
    plain.load_state_dict(pruned)
    x = torch.randn(1, 3, 8, 8)
    assert torch.equal(loaded(x), plain(x))


def test_a_program_is_replaced_by_a_program(tmp_path, capsys):
    source = tmp_path / "m.pt2"
    program(source)
    before = source.read_bytes()
    assert run("prune", source, *PRUNE, "-o", source) == 0
    capsys.readouterr()
    assert (torch.export.load(source).state_dict["0.weight"] == 0).any()
    assert (tmp_path / "m.orig.pt2").read_bytes() == before


@pytest.mark.parametrize("source", [s for s in SOURCES if not s.endswith("2")], indirect=True)
@pytest.mark.parametrize("command", ["prune", "run"])
def test_other_files_do_not_become_a_program(source, command, tmp_path, capsys):
    out = tmp_path / "out.pt2"
    recipe = tmp_path / "r.json"
    recipe.write_text(Recipe(()).text())
    words = (source, *PRUNE) if command == "prune" else (recipe, source)
    assert run(command, *words, "-o", out) == 2
    assert "Available only if a program of torch.export" in capsys.readouterr().err
    assert not out.exists()


def test_a_program_is_shrunk_into_a_file(tmp_path, capsys):
    program(tmp_path / "net.pt2")
    out = tmp_path / "small.pt2"
    assert run("shrink", tmp_path / "net.pt2", "--channels", "50%", "-o", out) == 0
    capsys.readouterr()
    small = torch.export.load(out).module()
    assert small(torch.ones(1, 3, 8, 8)).shape == (1, 4, 4, 4)
    assert {p.name for p in tmp_path.iterdir()} == {
        *("net.pt2", "small.pt2", "small.pt2.shrink.json")
    }


@pytest.mark.parametrize("suffix", [".pt", ".safetensors"])
def test_a_state_dict_is_shrunk_into_a_file(suffix, tmp_path, capsys, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    model = make("basic")
    torch.save(model.state_dict(), tmp_path / "net.pt")
    out = tmp_path / f"small{suffix}"
    assert (
        run("shrink", tmp_path / "net.pt", "--channels", "30%", "--multiple", "1", "-o", out) == 0
    )
    capsys.readouterr()
    assert run("unshrink", out, "--against", tmp_path / "net.pt", "-o", tmp_path / "back.pt") == 0
    sys.modules.pop("load_small", None)  # of another test
    from load_small import load_shrunk

    small = load_shrunk(make("basic")).eval()
    model.load_state_dict(torch.load(tmp_path / "back.pt"))
    x = torch.randn(2, 3, 16, 16, dtype=next(model.parameters()).dtype)
    assert torch.allclose(small(x), model.eval()(x), atol=1e-5)
    assert sum(p.numel() for p in small.parameters()) < sum(p.numel() for p in model.parameters())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("small.pt", "contains its graph, but a file 'small.pt' cannot"),
        ("small.pt2", "contains its graph, but a file 'small.pt2' cannot"),
    ],
)
def test_a_graph_does_not_fit_every_file(name, message, tmp_path, capsys):
    net = save(NETWORKS["residual"](), tmp_path / "net.onnx")
    assert run("shrink", net, "--channels", "50%", "-o", tmp_path / name) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["net.onnx"]


def test_a_model_with_a_configuration_is_a_folder(tmp_path, capsys):
    write_mistral(tmp_path / "net")
    out = tmp_path / "small.safetensors"
    assert run("shrink", tmp_path / "net", "--ffn", "50%", "-o", out) == 2
    assert "shrinking changes 'config.json'" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("suffix", [".pt", ".safetensors"])
def test_a_shrunk_file_is_rounded(suffix, tmp_path, capsys):
    torch.save(make("basic").float().state_dict(), tmp_path / "net.pt")
    out = tmp_path / f"small{suffix}"
    words = ("shrink", tmp_path / "net.pt", "--channels", "30%", "--multiple", "1", "-o", out)
    assert run(*words, "--dtype", "bfloat16") == 0
    capsys.readouterr()
    with open_checkpoint(out) as written:
        floats = {entry.dtype.label for entry in written.entries.values() if entry.prunable}
    assert floats == {"bfloat16"}


def test_a_file_with_a_graph_is_not_rounded(tmp_path, capsys):
    program(tmp_path / "net.pt2")
    out = tmp_path / "small.pt2"
    words = ("shrink", tmp_path / "net.pt2", "--channels", "50%", "-o", out)
    assert run(*words, "--dtype", "float16") == 2
    assert "keeps the dtype of its weights (got 'float16')" in capsys.readouterr().err
    assert not out.exists()


def test_an_unknown_dtype_is_refused(tmp_path, capsys):
    torch.save(make("basic").state_dict(), tmp_path / "net.pt")
    words = ("shrink", tmp_path / "net.pt", "--channels", "30%", "-o", tmp_path / "small.pt")
    assert run(*words, "--dtype", "int8") == 2
    assert "--dtype must be" in capsys.readouterr().err
