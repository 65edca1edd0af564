"""The window and the command line write the same files, byte for byte."""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_safetensors
from torch import nn

from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.export.report import CHANGES, EXACT
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.progress import Job
from pruneapp.shrink.forecast import cut_out, forecast
from pruneapp.shrink.shrink import ShrinkRequest
from pruneapp.shrink.surveyed_state import TRAILING, CutRequest, survey_state
from tests.shrink import vision_models
from tests.shrink.small_models import write
from tests.support.activation_statistics import save_random
from tests.support.model_folders import HIDDEN, TOKENS, write_llama
from tests.support.onnx_models import Builder, save
from tests.support.onnx_networks import NETWORKS
from tests.support.tokenizer_files import bpe, tokenizer_json

EXPERTS = 8


def surveyed(path: Path):
    return survey_state(Snapshot(open_checkpoint(path)), Job())


def cut_in_window(path: Path, out: Path, request: CutRequest):
    """Cut as the page does; return the forecast and the report."""
    found = surveyed(path).with_tokens(request, Job())
    expected = forecast(found, request, Job())
    assert not expected.wrong
    assert not expected.why_not
    report = cut_out(found, expected, ShrinkRequest(out, {}), CpuKernel(), Job())
    if path.suffix != ".pt" or out.suffix:  # the size is that of a file of the opened format
        assert report.nbytes_of_weights == expected.after.nbytes
    assert report.numel == expected.after.parameters
    return expected, report


def cut_by_command(path: Path, out: Path, *options: object) -> None:
    assert main(["shrink", str(path), "-o", str(out), *map(str, options)]) == 0


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def hold_together(tmp_path, path: Path, request: CutRequest, *options: object):
    forecast_and_report = cut_in_window(path, tmp_path / "window", request)
    cut_by_command(path, tmp_path / "command", *options)
    assert contents(tmp_path / "window") == contents(tmp_path / "command")
    return forecast_and_report


@pytest.mark.parametrize(
    ("name", "external"), [*((name, False) for name in NETWORKS), ("residual", True)]
)
def test_an_onnx_file_is_cut_the_same(tmp_path, name, external):
    path = save(NETWORKS[name](), tmp_path / "net.onnx", external=external)
    request = CutRequest(shares={"channels": 0.3}, multiple=1, by="l1")
    options = ("--channels", "30%", "--multiple", 1, "--by", "l1")
    expected, report = hold_together(tmp_path, path, request, *options)
    assert expected.before.nbytes == sum(f.stat().st_size for f in tmp_path.glob("net.onnx*"))
    assert expected.after.nbytes < expected.before.nbytes
    assert expected.exactness == CHANGES
    assert "ONNX Runtime" in expected.loaded_by[0]
    assert report.label == "shrunk ONNX"
    assert report.loads == (
        "import onnxruntime\n"
        f"session = onnxruntime.InferenceSession('{tmp_path / 'window' / 'net.onnx'}')"
    )
    assert not any("Not included" in notice for notice in report.notices)
    kept = sum(after for _, _, after in expected.widths)
    whole = sum(before for _, before, _ in expected.widths)
    (axis,) = expected.axes
    assert axis.before - axis.after == whole - kept > 0


@pytest.fixture(scope="session")
def chain(tmp_path_factory):
    """Write three convolutions in sequence; some channels of the first are dead."""
    b = Builder(9)
    x = b.op("Relu", b.conv("one", "x", 24, 3))
    b.tensors["one.weight"][:5] = 0
    b.tensors["one.bias"][:5] = 0
    x = b.op("Relu", b.conv("two", x, 40, 24))
    b.tensors["two.weight"][:, :5] = 0
    x = b.op("GlobalAveragePool", b.conv("three", x, 17, 40))
    model = b.model([b.linear("fc", b.op("Flatten", x), 3, 17)], ["N", 3, 4, 4])
    path = tmp_path_factory.mktemp("chain") / "chain.onnx"
    return surveyed(save(model, path))


@given(percent=st.integers(1, 99), multiple=st.sampled_from([1, 3, 8, 16]))
def test_any_share_keeps_what_is_forecast(chain, tmp_path_factory, percent, multiple):
    request = CutRequest(shares={"channels": percent / 100}, multiple=multiple)
    found = forecast(chain, request, Job())
    offered = forecast(chain, CutRequest(multiple=multiple), Job()).axes[0].percents
    if percent not in offered:
        assert "Nothing would be removed of 3 groups" in found.wrong
        return
    assert not found.wrong
    alive = {"one": 19, "two": 40, "three": 17}
    counts = {"one": 24, "two": 40, "three": 17}

    def rounded(count: int, name: str) -> int:
        return min(-(-max(count, 1) // multiple) * multiple, counts[name])

    wanted = {n: rounded(c - round(percent / 100 * c), n) for n, c in counts.items()}
    left = {n: rounded(min(alive[n], wanted[n]), n) for n in counts}
    assert {at: after for at, _, after in found.widths} == {
        n: stay for n, stay in left.items() if stay < counts[n]
    }
    out = tmp_path_factory.mktemp("out") / "cut"
    report = cut_out(chain, found, ShrinkRequest(out, {}), CpuKernel(), Job())
    assert report.nbytes_of_weights == found.after.nbytes
    with open_checkpoint(out / "chain.onnx") as small:
        assert small.entry("two.weight").shape == (left["two"], left["one"], 3, 3)
        assert small.bits("one.weight").any(), "not all of it is zeros"


def test_dead_channels_alone_are_exact(chain):
    found = forecast(chain, CutRequest(multiple=1), Job())
    assert found.exactness == EXACT
    assert found.widths == (("one", 24, 19),)
    assert found.before.multiply_adds is None, "nobody counts them in a graph"


@pytest.mark.parametrize(
    ("name", "said"), [("basic", "load_shrunk.py"), ("bottleneck", "load_shrunk.py")]
)
def test_a_state_dict_is_cut_the_same(tmp_path, name, said):
    path = tmp_path / "net.pt"
    torch.save(vision_models.make(name).state_dict(), path)
    request = CutRequest(shares={"channels": 0.3}, multiple=4)
    options = ("--channels", "30%", "--multiple", 4)
    expected, report = hold_together(tmp_path, path, request, *options)
    assert not expected.has_class
    assert any(said in line for line in expected.loaded_by)
    assert "load_shrunk.py" in contents(tmp_path / "window")
    assert report.loads.splitlines()[:3] == [
        "import sys",
        f"sys.path.insert(0, '{tmp_path / 'window'}')",
        "from load_shrunk import load_shrunk",
    ]


def test_how_a_report_says_to_load_a_state_dict_loads_it(tmp_path, monkeypatch):
    path = tmp_path / "net.pt"
    torch.save(vision_models.make("basic").state_dict(), path)
    request = CutRequest(shares={"channels": 0.5}, multiple=1)
    _, report = cut_in_window(path, tmp_path / "out", request)
    names = {"model": vision_models.make("basic", seed=3)}
    monkeypatch.syspath_prepend(tmp_path)  # restored afterwards, with additions of the loading code
    # Another test may have imported the loader of another folder.
    monkeypatch.delitem(sys.modules, "load_shrunk", raising=False)
    exec(report.loads, names)
    loaded = names["model"].state_dict()
    with open_checkpoint(tmp_path / "out") as written:
        assert {n: tuple(t.shape) for n, t in loaded.items()} == {
            name: entry.shape for name, entry in written.entries.items()
        }


def test_a_program_is_cut_the_same(tmp_path):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 24, 3), nn.ReLU(), nn.Conv2d(24, 4, 1)).eval()
    path = tmp_path / "net.pt2"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(torch.export.export(model, (torch.zeros(1, 3, 6, 6),)), path)
    request = CutRequest(shares={"channels": 0.4})
    expected, report = hold_together(tmp_path, path, request, "--channels", "40%")
    assert expected.widths == (("0", 24, 16),)
    assert expected.before.nbytes == path.stat().st_size
    assert report.loads == (
        f"import torch\nmodel = torch.export.load('{tmp_path / 'window' / 'net.pt2'}').module()"
    )
    assert expected.loaded_by[0].startswith("torch, with torch.export.load")


@pytest.fixture
def llama(tmp_path):
    folder = write_llama(tmp_path / "llama")
    words = ["a", "b", "c", "d", "ab", "cd", "abcd"]
    data = tokenizer_json(bpe(dict(zip(words, range(7), strict=True)), ["a b", "c d", "ab cd"]))
    (folder / "tokenizer.json").write_bytes(data)
    return folder


def test_a_folder_is_cut_the_same(tmp_path, llama):
    text = tmp_path / "text.txt"
    text.write_text("ab")
    kept = {"kv-groups": 1}
    shares = {"ffn": 0.3}
    request = CutRequest(
        kept, (1, 4), 2, texts=(str(text),), shares=shares, by="mean"
    )  # like the command line
    options = ("--kv-groups", 1, "--layers", "1,4", "--multiple", 2, "--by", "mean")
    expected, _ = hold_together(
        tmp_path, llama, request, "--ffn", "30%", "--vocabulary-of", text, *options
    )
    vocabulary = next(axis for axis in expected.axes if axis.name == "vocabulary")
    assert (vocabulary.before, vocabulary.after) == (TOKENS, 6)
    assert vocabulary.exactness == "exact for this text"


def test_rows_behind_the_last_token_are_cut_the_same(tmp_path, llama):
    request = CutRequest(vocabulary=TRAILING)
    expected, _ = hold_together(tmp_path, llama, request, "--vocabulary", "trailing")
    assert (expected.surplus, expected.exactness) == (TOKENS - 7, EXACT)


def test_texts_are_read_once_for_many_questions(llama, tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("ab")
    request = CutRequest(texts=(str(text),))
    known = surveyed(llama).with_tokens(request, Job())
    text.unlink()
    found = forecast(known, CutRequest({"ffn": 64}, texts=(str(text),)), Job())
    assert not found.wrong
    assert found.exactness == CHANGES
    text.write_text("")
    empty = forecast(surveyed(llama), request, Job())
    assert empty.wrong.startswith(f"Nothing in '{text}' is a token of")
    gone = forecast(known, replace_texts(request, "gone.txt"), Job())
    assert "'gone.txt' cannot be read" in gone.wrong
    assert next(axis for axis in gone.axes if axis.name == "vocabulary").after == TOKENS


def replace_texts(request: CutRequest, *texts: str) -> CutRequest:
    return CutRequest(request.kept, request.layers, request.multiple, texts=texts)


def test_without_a_tokenizer_the_vocabulary_says_why_it_stays(tmp_path):
    found = forecast(surveyed(write_llama(tmp_path / "bare")), CutRequest(), Job())
    (axis,) = (axis for axis in found.axes if axis.name == "vocabulary")
    assert "has no tokenizer.json" in axis.why_not


def write_mixtral(folder: Path) -> Path:
    rng = np.random.default_rng(0)

    def weight(*shape: int):
        return rng.normal(0, 0.05, shape).astype(np.float32)

    tensors = {"model.embed_tokens.weight": weight(TOKENS, HIDDEN)}
    for number in range(2):
        at = f"model.layers.{number}."
        for name in "qkvo":
            tensors[f"{at}self_attn.{name}_proj.weight"] = weight(HIDDEN, HIDDEN)
        tensors[f"{at}block_sparse_moe.gate.weight"] = weight(EXPERTS, HIDDEN)
        for expert in range(EXPERTS):
            moe = f"{at}block_sparse_moe.experts.{expert}."
            tensors |= {f"{moe}{n}.weight": weight(64, HIDDEN) for n in ("w1", "w3")}
            tensors[f"{moe}w2.weight"] = weight(HIDDEN, 64)
        for name in ("input", "post_attention"):
            tensors[f"{at}{name}_layernorm.weight"] = np.ones(HIDDEN, np.float32)
    tensors |= {"model.norm.weight": np.ones(HIDDEN, np.float32)}
    tensors["lm_head.weight"] = weight(TOKENS, HIDDEN)
    config = {
        "architectures": ["MixtralForCausalLM"],
        "model_type": "mixtral",
        "hidden_size": HIDDEN,
        "intermediate_size": 64,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "num_hidden_layers": 2,
        "num_local_experts": EXPERTS,
        "num_experts_per_tok": 3,
        "vocab_size": TOKENS,
    }
    folder.mkdir()
    write(folder, tensors, config)
    return folder


def test_experts_go_by_a_file_of_scores(tmp_path):
    folder = write_mixtral(tmp_path / "mixtral")
    found = surveyed(folder)
    groups = found.structure.axes["experts"].groups
    scores = {
        group.place: np.roll(np.arange(EXPERTS, dtype=np.float32), n)
        for n, group in enumerate(groups)
    }
    file = tmp_path / "scores.safetensors"
    save_file(scores, file)
    request = CutRequest({"experts": 4}, by=str(file))
    options = ("--experts", 4, "--by", file)
    expected, _ = hold_together(tmp_path, folder, request, *options)
    (axis,) = (axis for axis in expected.axes if axis.name == "experts")
    assert axis.sizes == tuple(range(3, EXPERTS + 1)), "at least as many as a token is sent to"
    assert expected.exactness == CHANGES
    before, after = (open_checkpoint(f) for f in (folder, tmp_path / "window"))
    with before, after:
        for number, group in enumerate(groups):
            kept = sorted(np.argsort(scores[group.place])[-4:])
            gate = f"model.layers.{number}.block_sparse_moe.gate.weight"
            whole = before.bits(gate).reshape(EXPERTS, HIDDEN)
            assert np.array_equal(after.bits(gate).reshape(4, HIDDEN), whole[kept])


def test_units_go_by_a_file_of_statistics(tmp_path, llama):
    """The result is the same as by Wanda, and differs from that by norm."""
    with open_checkpoint(llama) as file:
        shapes = {e.name: e.shape for e in file.entries.values() if "_proj" in e.name}
    path = tmp_path / "stats.safetensors"
    save_random(path, shapes)
    request = CutRequest(multiple=8, shares={"ffn": 0.5}, by=str(path))
    hold_together(tmp_path, llama, request, "--ffn", "50%", "--multiple", 8, "--by", path)

    def weights(name: str, by: str, statistics: str = "") -> bytes:
        cut_in_window(llama, tmp_path / name, replace(request, by=by, statistics=statistics))
        return (tmp_path / name / "model.safetensors").read_bytes()

    by_file = (tmp_path / "window" / "model.safetensors").read_bytes()
    assert by_file == weights("wanda", "wanda", str(path))
    assert by_file != weights("norm", "l2")


def test_a_file_that_lacks_scores_is_said_before_anything_is_written(tmp_path):
    folder = write_llama(tmp_path / "model")
    file = tmp_path / "scores.safetensors"
    save_file({"nothing": np.ones(3, np.float32)}, file)
    found = forecast(surveyed(folder), CutRequest({"ffn": 64}, by=str(file)), Job())
    assert "has no scores for 'model.layers.0" in found.wrong
    assert found.request.by == str(file)
    missing = forecast(surveyed(folder), CutRequest({"ffn": 64}, by="gone.safetensors"), Job())
    assert "gone.safetensors" in missing.wrong
    assert "ffn" in {axis.name for axis in missing.axes}


@pytest.mark.parametrize("how", ["meta", "run"])
def test_a_class_is_asked_of_models_that_have_one(tmp_path, capsys, how):
    path = tmp_path / "net.pt"
    torch.save(vision_models.make("basic").state_dict(), path)
    options = ("--channels", "50%", "--check", how)
    assert main(["shrink", str(path), "-o", str(tmp_path / "out"), *options]) == 2
    said = capsys.readouterr().err
    assert "Only a model that transformers loads has a class to check against" in said
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_folder_of_timm_says_how_timm_loads_it(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    save_safetensors(vision_models.make("timm_vit").state_dict(), home / "model.safetensors")
    config = {"architecture": "vit_tiny_patch16_224", "num_classes": 5, "pretrained_cfg": {}}
    (home / "config.json").write_text(json.dumps(config))
    expected, report = cut_in_window(home, tmp_path / "out", CutRequest({"ffn": 60}, multiple=4))
    ratio = 60 / 24
    assert any(f'"mlp_ratio": {ratio}' in line for line in expected.config)
    (line,) = expected.loaded_by
    assert line == f"config.json sets mlp_ratio = {ratio}, which timm reads."
    weights = tmp_path / "out" / "model.safetensors"
    made, call = report.loads.splitlines()
    assert made == "import timm"
    given = f"**{{'num_classes': 5, 'mlp_ratio': {ratio}}}"
    name = "'vit_tiny_patch16_224'"
    assert call == f"model = timm.create_model({name}, checkpoint_path='{weights}', {given})"
