"""The report's loading code runs unchanged in another folder."""

import argparse
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch.nn.utils import prune

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.torchfile.rebuild import KNOWN
from pruneapp.checkpoint.torchfile.to_contents import WEIGHTS_ONLY
from pruneapp.export.exporter import export
from pruneapp.export.format import LoadedModel
from pruneapp.export.report import ExportRequest
from pruneapp.export.scripts.loading_code import READER_NAME
from pruneapp.progress import Job
from tests.support.containers import as_snapshot
from tests.support.formats import OF_ANY_SOURCE as FORMATS

NAME = "it's a model"
ODD = (NAME, 'a "b" $HOME `c`; d', "-o", "ünï & çödé.v1")


@pytest.fixture
def state(source_of):
    return as_snapshot(source_of("safetensors", {"w": torch.arange(600.0).reshape(20, 30)}), {})


@pytest.fixture
def elsewhere(tmp_path_factory, monkeypatch):
    """Change to a folder that contains no export."""
    folder = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def shell(tmp_path, elsewhere):
    """Provide a shell in another folder; python and pruneapp are those of this test."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, words in (("python", ""), ("pruneapp", "-m pruneapp")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (programs / name).chmod(0o755)
    found = dict(os.environ, PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")

    def run(line):
        subprocess.run(["sh", "-c", line], cwd=elsewhere, env=found, check=True, timeout=60)

    return run


def written(state, tmp_path, form, suffix=None, name=NAME):
    suffix = FORMATS[form].suffixes[0] if suffix is None else suffix
    return export(state, ExportRequest(form, tmp_path / f"{name}{suffix}"), Job()).path


class Model:
    """Records what is loaded."""

    def load_state_dict(self, state_dict, *, assign=False):
        del assign
        assert state_dict


@pytest.mark.parametrize(
    ("name", "ending"), [*zip(ODD, ("usual", "none", "usual", "none"), strict=True)]
)
@pytest.mark.parametrize("form", FORMATS)
def test_the_lines_load_the_file_from_anywhere(state, tmp_path, shell, form, ending, name):
    path = written(state, tmp_path, form, None if ending == "usual" else "", name)
    lines = FORMATS[form].loads(LoadedModel(path))
    assert 1 <= len(lines.splitlines()) <= 7
    if lines.startswith(("from ", "import ")):
        found = {"model": Model()}
        exec(lines, found)
        loaded = found.get("state_dict", found.get("bits"))
        assert loaded is not None
        if "w" in loaded:
            assert torch.equal(loaded["w"].to_dense(), torch.arange(600.0).reshape(20, 30))
        return
    if lines.startswith("zstd ") and shutil.which("zstd") is None:
        pytest.skip("zstd is not installed")
    shell(lines)
    found = load_file(tmp_path / f"{name}.safetensors")
    assert torch.equal(found["w"], torch.arange(600.0).reshape(20, 30))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("m.safetensors.zst", "zstd -d /a/m.safetensors.zst"),
        ("names_7", "zstd -d /a/names_7 -o /a/names_7.safetensors"),
        ("m.zst", "zstd -d /a/m.zst -o /a/m.safetensors"),
        ("m.ZST", "zstd -d /a/m.ZST -o /a/m.ZST.safetensors"),
        ("-d", "zstd -d /a/-d -o /a/-d.safetensors"),
    ],
)
def test_zstd_is_told_what_to_call_what_it_cannot_guess(name, line):
    assert FORMATS["zst"].loads(LoadedModel(Path("/a", name))) == line


def test_the_lines_name_the_absolute_path_of_a_relative_one(state, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report = export(state, ExportRequest("safetensors", Path("m.safetensors")), Job())
    assert f"load_file({str(tmp_path / 'm.safetensors')!r})" in report.loads


@pytest.mark.usefixtures("elsewhere")
def test_weights_and_masks_in_a_torch_file_are_loaded_by_torch(state, tmp_path):
    path = written(state, tmp_path, "resumable", ".pt")
    found = {"model": Model()}
    exec(FORMATS["resumable"].loads(LoadedModel(path)), found)
    assert "w" in found["state_dict"]


def test_without_the_reader_a_packed_file_is_expanded(state, tmp_path):
    path = tmp_path / "m.compact.safetensors"
    export(state, ExportRequest("compact", path, params={"reader_script": False}), Job())
    assert FORMATS["compact"].loads(LoadedModel(path)) == (
        f"pruneapp expand {tmp_path}/m.compact.safetensors -o {tmp_path}/m.safetensors"
    )


def test_a_script_of_somebody_else_is_not_said_to_be_the_reader(state, tmp_path, shell):
    (tmp_path / READER_NAME).write_text("raise SystemExit(1)")
    path = written(state, tmp_path, "compact")
    lines = FORMATS["compact"].loads(LoadedModel(path))
    assert lines.startswith("pruneapp expand ")
    shell(lines)
    assert torch.equal(
        load_file(tmp_path / f"{NAME}.safetensors")["w"], torch.arange(600.0).reshape(20, 30)
    )


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("form", ["safetensors", "torch", "resumable"])
def test_a_folder_is_loaded_by_transformers_or_file_by_file(source_of, tmp_path, form):
    tensors = {"a": torch.ones(400, 10), "b": torch.ones(300, 10)}
    state = as_snapshot(source_of("safetensors", tensors), {})
    path = tmp_path / NAME
    export(state, ExportRequest(form, path, params={"max_shard_size": 13_000}), Job())
    found = {}
    exec(FORMATS[form].loads(LoadedModel(path)), found)
    assert {name for part in found["parts"] for name in part} == set(tensors)
    (path / "config.json").write_text("{}")
    assert FORMATS[form].loads(LoadedModel(path)) == (
        "from transformers import AutoModel\n"
        f"model = AutoModel.from_pretrained({str(path)!r})  # or the class of your model"
    )
    (path / "tokenizer.json").write_text("{}")
    assert FORMATS[form].loads(LoadedModel(path)) == (
        "from transformers import AutoModel, AutoTokenizer\n"
        f"model = AutoModel.from_pretrained({str(path)!r})  # or the class of your model\n"
        f"tokenizer = AutoTokenizer.from_pretrained({str(path)!r})"
    )
    (path / "modules.json").write_text("[]")
    assert FORMATS[form].loads(LoadedModel(path)) == (
        "from sentence_transformers import SentenceTransformer\n"
        f"model = SentenceTransformer({str(path)!r})\nvectors = model.encode(['A sentence.'])"
    )


@pytest.mark.usefixtures("elsewhere")
def test_torch_shards_with_masks_are_loaded_by_torch(tmp_path):
    torch.save({"a": torch.ones(3)}, tmp_path / "pytorch_model-00001-of-00002.bin")
    torch.save({"b": torch.ones(3)}, tmp_path / "pytorch_model-00002-of-00002.bin")
    found = {}
    exec(FORMATS["resumable"].loads(LoadedModel(tmp_path)), found)
    assert {name for part in found["parts"] for name in part} == {"a", "b"}


# -- the lines load a module of the user's class ---------------------------------------------------

WRAPPED = {
    "plain": lambda tensors: tensors,
    "nested": lambda tensors: {"state_dict": tensors, "epoch": 3},
    "twice": lambda tensors: {"net": {"state_dict": tensors}, "optimizer": {"lr": 0.1}},
    "namespace": lambda tensors: {"model": tensors, "args": argparse.Namespace(lr=0.1)},
}
PREFIXES = ("", "_orig_mod.", "module._orig_mod.")


def make_model(seed):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))


@pytest.fixture
def pruned_state(tmp_path, request):
    """Yield a snapshot with half of the first layer pruned, and the model."""
    wrap, prefix = request.param
    model = make_model(0)
    tensors = {prefix + name: value for name, value in model.state_dict().items()}
    torch.save(WRAPPED[wrap](tensors), tmp_path / "source.pt")
    prune.l1_unstructured(model[0], "weight", 0.5)
    mask = model[0].weight_mask
    prune.remove(model[0], "weight")
    with open_checkpoint(tmp_path / "source.pt") as checkpoint:
        yield as_snapshot(checkpoint, {f"{prefix}0.weight": mask.numpy() != 0}), model


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("pruned_state", "form", "suffix"),
    [
        # Only this format keeps what is around the state dict.
        *(((wrap, "module."), "torch", ".pt") for wrap in WRAPPED),
        *((("plain", prefix), "torch", ".pth") for prefix in PREFIXES),
        *(
            (("nested", "module."), form, suffix)
            for form, suffix in (
                *(("safetensors", ".safetensors"), ("npz", ".npz")),
                *(("deflated", ".pt"), ("csr", ".pt")),
                *(("resumable", s) for s in (".pt", ".safetensors")),
            )
        ),
    ],
    indirect=["pruned_state"],
)
def test_the_lines_load_the_weights_into_a_model(pruned_state, tmp_path, form, suffix):
    state, expected = pruned_state
    report = export(state, ExportRequest(form, tmp_path / f"out{suffix}"), Job())
    found = {"model": make_model(1)}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        exec(report.loads, found)
    x = torch.randn(3, 8)
    assert torch.equal(found["model"](x), expected(x))


def test_the_types_that_torch_loads_with_weights_only_are_known():
    allowed = set(torch._weights_only_unpickler._get_allowed_globals())
    assert all(map(WEIGHTS_ONLY.fullmatch, allowed))
    others = [name for name in KNOWN if not name.startswith("torch.")]
    wrong = [n for n in others if WEIGHTS_ONLY.fullmatch(n) and n not in allowed]
    assert [n for n in wrong if not n.startswith("__builtin__.")] == []
