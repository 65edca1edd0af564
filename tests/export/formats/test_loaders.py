"""The programs that load each format, and their errors for the others."""

import copy
import json
import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

import pruneapp
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ExportError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.formats.compact import expand
from pruneapp.export.report import ExportRequest
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Job
from tests.support.containers import as_snapshot, kept_masks, model

ROOT = Path(__file__).parents[3]
COMPACT = "model.compact.safetensors"

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def transformers():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers


def llama(transformers):
    config = transformers.LlamaConfig(
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        vocab_size=100,
        max_position_embeddings=64,
    )
    return transformers.LlamaForCausalLM(config).eval()


def bert(transformers):
    config = transformers.BertConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        vocab_size=100,
        max_position_embeddings=64,
    )
    return transformers.BertModel(config).eval()


@pytest.fixture(scope="module", params=["llama", "bert"])
def folder(request, transformers, tmp_path_factory):
    """Return a model and its folder: sharded, like large language models, or one file."""
    torch.manual_seed(3)
    made = {"llama": llama, "bert": bert}[request.param](transformers)
    path = tmp_path_factory.mktemp(request.param) / "model"
    size = "100KB" if request.param == "llama" else "5GB"
    made.save_pretrained(path, max_shard_size=size)
    return made, path


def halved(checkpoint) -> tuple[Snapshot, dict[str, np.ndarray]]:
    kept = {}
    for entry in checkpoint.entries.values():
        if entry.prunable and len(entry.shape) == 2:
            rng = np.random.default_rng(len(kept))
            kept[entry.name] = rng.random(entry.shape) < 0.5
    return as_snapshot(checkpoint, kept), kept


def exported(source, form: str, out):
    with open_checkpoint(source) as checkpoint:
        state, kept = halved(checkpoint)
        export(state, ExportRequest(form, out), Job())
    return kept


def by_hand(made, kept):
    """Return the model with zeros set by plain torch."""
    pruned = copy.deepcopy(made)
    state = pruned.state_dict()
    for name, mask in kept.items():
        state[name] *= torch.from_numpy(mask)
    pruned.load_state_dict(state)
    return pruned


def output(made):
    with torch.no_grad():
        return next(iter(made(torch.arange(12)[None] % 100).values()))


@pytest.mark.parametrize("form", ["safetensors", "torch"])
def test_transformers_loads_the_folder_as_before(transformers, folder, tmp_path, form):
    made, source = folder
    out = tmp_path / "out"
    if (source / "model.safetensors").exists():
        out.mkdir()
        shutil.copy(source / "config.json", out)
        name = {"safetensors": "model.safetensors", "torch": "pytorch_model.bin"}[form]
        kept = exported(source / "model.safetensors", form, out / name)
    else:
        kept = exported(source, form, out)
    found, info = type(made).from_pretrained(out, output_loading_info=True)

    assert not any(info.get(key) for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    assert len(kept) > 10
    wanted = output(by_hand(made, kept))
    assert torch.equal(output(found.eval()), wanted)
    assert not torch.equal(wanted, output(made))


@pytest.mark.parametrize("form", ["safetensors", "torch"])
@pytest.mark.parametrize("limit", [60_000, 10**9])
def test_transformers_loads_files_of_a_largest_size(transformers, folder, tmp_path, form, limit):
    """From one file opened on its own and from shards, resharded or merged."""
    made, source = folder
    alone = source / "model.safetensors"
    out = tmp_path / "out"
    with open_checkpoint(alone if alone.exists() else source) as checkpoint:
        state, kept = halved(checkpoint)
        params = {"max_shard_size": limit}
        report = export(state, ExportRequest(form, out, params=params), Job())
    weights = [f for f in report.files if f.path.suffix in {".safetensors", ".bin"}]
    found, info = type(made).from_pretrained(out, output_loading_info=True)

    assert (len(weights) > 1) == (limit == 60_000)
    assert len(weights) == 1 or max(f.nbytes for f in weights) <= limit
    assert not any(info.get(key) for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    wanted = by_hand(made, kept)
    for name, weight in found.state_dict().items():
        assert torch.equal(weight, wanted.state_dict()[name])
    assert torch.equal(output(found.eval()), output(wanted))


def test_transformers_loads_rounded_weights_in_their_type(transformers, folder, tmp_path):
    """transformers reads the dtype from the configuration, which must be updated."""
    made, source = folder
    with open_checkpoint(source) as checkpoint:
        state, _ = halved(checkpoint)
        params = {"dtype": "bfloat16"}
        export(state, ExportRequest("safetensors", tmp_path / "out", params=params), Job())
    before = json.loads((source / "config.json").read_text())
    after = json.loads((tmp_path / "out" / "config.json").read_text())
    key = "dtype" if "dtype" in before else "torch_dtype"
    found = type(made).from_pretrained(tmp_path / "out", dtype="auto")

    assert before[key] == "float32"
    assert after == before | {key: "bfloat16"}
    assert {weight.dtype for weight in found.parameters()} == {torch.bfloat16}


def test_what_is_mailed_of_a_folder_loads_as_its_report_says(transformers, folder, tmp_path):
    """Following the report's instructions with the files that it names is enough."""
    made, source = folder
    mailed, got = tmp_path / "mailed.safetensors.zst", tmp_path / "got"
    with open_checkpoint(source) as checkpoint:
        state, kept = halved(checkpoint)
        report = export(state, ExportRequest("zst", mailed), Job())
    (said,) = [notice for notice in report.notices if "from_pretrained" in notice]
    assert str(source) in said
    got.mkdir()
    for name in ("config.json", "model.safetensors"):
        assert f"'{name}'" in said
    shutil.copy(source / "config.json", got)
    expand(mailed, got / "model.safetensors", Job())
    found, info = type(made).from_pretrained(got, output_loading_info=True)
    assert not any(info.get(key) for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    assert torch.equal(output(found.eval()), output(by_hand(made, kept)))


@pytest.mark.parametrize("form", ["zst", "compact"])
def test_what_is_mailed_in_bfloat16_loads_in_it_as_its_report_says(
    transformers, folder, tmp_path, form
):
    made, source = folder
    mailed, got = tmp_path / f"mailed{FORMATS[form].suffixes[0]}", tmp_path / "got"
    with open_checkpoint(source) as checkpoint:
        state, _ = halved(checkpoint)
        request = ExportRequest(form, mailed, params={"dtype": "bfloat16"})
        report = export(state, request, Job())
    assert any("Load them with dtype='bfloat16'" in notice for notice in report.notices)
    got.mkdir()
    shutil.copy(source / "config.json", got)
    expand(mailed, got / "model.safetensors", Job())
    found = type(made).from_pretrained(got, dtype="bfloat16")
    assert {weight.dtype for weight in found.parameters()} == {torch.bfloat16}


def test_a_rounded_compact_file_loads_as_documented_beside_the_old_configuration(
    transformers, tmp_path, monkeypatch
):
    bert(transformers).save_pretrained(tmp_path)
    with open_checkpoint(tmp_path / "model.safetensors") as checkpoint:
        state, _ = halved(checkpoint)
        params = {"dtype": "bfloat16"}
        export(state, ExportRequest("compact", tmp_path / COMPACT, params=params), Job())
    monkeypatch.chdir(tmp_path)
    assert documented().dtype == torch.bfloat16


def documented():
    """Run the transformers example of docs/formats.md."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/formats.md").read_text(), re.DOTALL)
    (block,) = [text for text in blocks if "transformers" in text]
    found = {}
    exec(block, found)
    return found["model"]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_transformers_loads_a_compact_file_as_the_documentation_says(
    transformers, tmp_path, monkeypatch, dtype
):
    made = bert(transformers).to(dtype)
    made.save_pretrained(tmp_path)
    kept = exported(tmp_path / "model.safetensors", "compact", tmp_path / COMPACT)
    (tmp_path / "model.safetensors").unlink()
    monkeypatch.chdir(tmp_path)
    found = documented()
    assert found.dtype == dtype
    assert torch.equal(output(found), output(by_hand(made, kept)))


def test_a_model_with_tied_weights_is_loaded_from_a_compact_file(transformers, tmp_path):
    config = llama(transformers).config
    config.tie_word_embeddings = True
    made = transformers.LlamaForCausalLM(config).eval()
    made.save_pretrained(tmp_path)
    kept = exported(tmp_path / "model.safetensors", "compact", tmp_path / COMPACT)
    with pruneapp.load_compact(tmp_path / COMPACT, framework="pt") as file:
        found, info = transformers.LlamaForCausalLM.from_pretrained(
            None, config=config, state_dict=dict(file), output_loading_info=True
        )
    assert not any(info.get(key) for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    assert torch.equal(output(found), output(by_hand(made, kept)))


def test_transformers_refuses_a_compressed_torch_file(transformers, tmp_path):
    """Under any file name: it raises, instead of using random weights or NaN."""
    made = bert(transformers)
    made.save_pretrained(tmp_path / "source")
    exported(tmp_path / "source" / "model.safetensors", "deflated", tmp_path / "o.pt")
    out = tmp_path / "out"
    out.mkdir()
    shutil.copy(tmp_path / "source" / "config.json", out)
    (tmp_path / "o.pt").rename(out / "pytorch_model.bin")
    with pytest.raises((OSError, RuntimeError, ValueError)):
        transformers.BertModel.from_pretrained(out)


def test_transformers_refuses_sparse_tensors(transformers, tmp_path):
    """Under any file name: it raises, instead of using random weights."""
    made = bert(transformers)
    made.save_pretrained(tmp_path / "source")
    name = "encoder.layer.0.intermediate.dense.weight"
    with open_checkpoint(tmp_path / "source" / "model.safetensors") as checkpoint:
        state = as_snapshot(checkpoint, {name: np.eye(64, 32, dtype=bool)})
        export(state, ExportRequest("csr", tmp_path / "o.pt"), Job())
    assert torch.load(tmp_path / "o.pt", weights_only=True)[name].layout == torch.sparse_csr
    out = tmp_path / "out"
    out.mkdir()
    shutil.copy(tmp_path / "source" / "config.json", out)
    (tmp_path / "o.pt").rename(out / "pytorch_model.bin")
    with pytest.raises(RuntimeError, match=r"[Ss]parse CSR"):
        transformers.BertModel.from_pretrained(out)


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("compact", "model.safetensors"),
        ("masks", "model.safetensors"),
        ("zst", "model.safetensors"),
        ("deflated", "pytorch_model.bin"),
        ("deflated", "Model.safetensors"),
        ("safetensors", "pytorch_model.bin"),
    ],
)
def test_nothing_else_gets_a_name_that_transformers_takes_for_weights(
    source_of, tmp_path, form, name
):
    """transformers would initialize missing tensors with random numbers."""
    checkpoint = source_of("safetensors", {"w": torch.randn(64, 64)})
    request = ExportRequest(form, tmp_path / name)
    with pytest.raises(ExportError, match=r"transformers expects plain weights|called \.bin"):
        export(as_snapshot(checkpoint, {}), request, Job())

    assert not (tmp_path / name).exists()


def test_torch_maps_a_plain_file_and_refuses_a_compressed_one(source_of, tmp_path):
    tensors = {"w": torch.randn(300, 700), "b": torch.randn(700)}
    kept = {"w": np.random.default_rng(0).random((300, 700)) < 0.5}
    checkpoint = source_of("safetensors", tensors)
    for form in ("torch", "deflated"):
        out = tmp_path / f"{form}.pt"
        export(as_snapshot(checkpoint, kept), ExportRequest(form, out), Job())
        found = torch.load(out, weights_only=True)
        assert torch.equal(found["w"], tensors["w"] * torch.from_numpy(kept["w"]))
        assert torch.equal(found["b"], tensors["b"])
    mapped = torch.load(tmp_path / "torch.pt", weights_only=True, mmap=True)
    assert torch.equal(mapped["w"], found["w"])
    with pytest.raises(RuntimeError):
        torch.load(tmp_path / "deflated.pt", weights_only=True, mmap=True)


def test_numpy_reads_dense_files(source_of, tmp_path):
    tensors = model(torch.float16)
    checkpoint = source_of("safetensors", tensors)
    out = tmp_path / "out.safetensors"
    export(as_snapshot(checkpoint), ExportRequest("safetensors", out), Job())
    found = safetensors.numpy.load_file(out)

    for name, mask in kept_masks().items():
        assert np.array_equal(found[name], np.where(mask, tensors[name].numpy(), 0))


def test_safetensors_says_of_a_compressed_file_that_it_is_none(source_of, tmp_path):
    checkpoint = source_of("safetensors", {"w": torch.randn(64, 64)})
    mask = BitMask.from_bools(np.arange(4096) % 2 == 0)
    out = tmp_path / "out.safetensors.zst"
    export(Snapshot(checkpoint, MaskLayers(MaskSet({"w": mask}))), ExportRequest("zst", out), Job())
    with pytest.raises(SafetensorError):
        load_file(out)

    import zstandard

    with zstandard.ZstdDecompressor().stream_reader(out.read_bytes()) as file:
        found = safetensors.torch.load(file.read())
    assert int((found["w"] == 0).sum()) == 2048


def test_of_a_whole_model_and_shards_the_one_is_opened_that_transformers_takes(
    transformers, tmp_path
):
    made = bert(transformers)
    name = "encoder.layer.0.output.dense.weight"
    made.save_pretrained(tmp_path, max_shard_size="20KB")
    with torch.no_grad():
        made.state_dict()[name].fill_(7)
    whole = tmp_path / "whole"
    made.save_pretrained(whole)
    shutil.copy(whole / "model.safetensors", tmp_path)
    assert (tmp_path / "model.safetensors.index.json").exists()

    taken = type(made).from_pretrained(tmp_path).state_dict()[name]
    with open_checkpoint(tmp_path) as checkpoint:
        assert torch.equal(checkpoint.read(name), taken)
        (notice,) = checkpoint.contents.notices
    assert "'model.safetensors' was opened, as transformers does" in notice.text
    assert taken.eq(7).all()
