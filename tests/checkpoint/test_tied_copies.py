"""Tied weights that a file stores twice: one tensor if they are equal, else a notice."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from pruneapp.checkpoint import tied_copies
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import state_after
from pruneapp.progress import Job

# Input embedding, and the names that are tied to it.
NAMES = {
    "llama": ("model.embed_tokens.weight", ["lm_head.weight"]),
    "gpt2": ("transformer.wte.weight", ["lm_head.weight"]),
    "bert": ("bert.embeddings.word_embeddings.weight", ["cls.predictions.decoder.weight"]),
    "t5": ("shared.weight", ["encoder.embed_tokens.weight", "decoder.embed_tokens.weight",
                             "lm_head.weight"]),
    "whisper": ("model.decoder.embed_tokens.weight", ["proj_out.weight"]),
    "gemma3": ("language_model.model.embed_tokens.weight", ["language_model.lm_head.weight"]),
}  # fmt: skip


def tensors_of(kind, change=0.0):
    source, targets = NAMES[kind]
    weight = torch.randn(50, 8, generator=torch.Generator().manual_seed(0))
    tensors = {name: weight.clone() for name in [source, *targets]}
    tensors[targets[-1]][-1, -1] += change
    return {"layers.0.mlp.weight": torch.randn(8, 8), **tensors}


def make(folder, kind, config=None, change=0.0, form="safetensors"):
    folder.mkdir()
    tensors = tensors_of(kind, change)
    if form == "safetensors":
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    else:
        torch.save(tensors, folder / "pytorch_model.bin")
    if config is None:
        config = {"model_type": kind, "tie_word_embeddings": True}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def texts(checkpoint):
    return " ".join(notice.text for notice in checkpoint.contents.notices)


@pytest.fixture(params=["safetensors", "torch"])
def form(request):
    return request.param


class TestOpening:
    @pytest.mark.parametrize("kind", NAMES)
    def test_equal_copies_are_one_tensor(self, kind, form, tmp_path):
        source, targets = NAMES[kind]
        with open_checkpoint(make(tmp_path / "m", kind, form=form)) as opened:
            assert set(opened.entries) == {"layers.0.mlp.weight", source}
            assert set(opened.entry(source).aliases) == set(targets)
            assert "stored twice with equal values" in texts(opened)
            (dict_,) = opened.contents.state_dicts
            assert (dict_.tensors, dict_.numel) == (2, 464)
            for name in targets:
                assert opened.entry(name) is opened.entry(source)

    @pytest.mark.parametrize("kind", NAMES)
    def test_different_copies_stay_two_tensors(self, kind, form, tmp_path):
        source, targets = NAMES[kind]
        folder = make(tmp_path / "m", kind, change=1.0, form=form)
        with open_checkpoint(folder) as opened:
            assert targets[-1] in opened.entries
            assert f"transformers 4 uses '{source}' for both" in texts(opened)

    @pytest.mark.parametrize(
        ("config", "tied"),
        [
            ({"model_type": "llama"}, False),
            ({"model_type": "gpt2"}, True),
            ({"model_type": "gpt2", "tie_word_embeddings": False}, False),
            ({"model_type": "llama", "tie_word_embeddings": True}, True),
            ({"model_type": "llava", "text_config": {"model_type": "llama"}}, False),
            ({"model_type": "x", "text_config": {"tie_word_embeddings": True}}, True),
            ({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text"}}, True),
            ({"tie_word_embeddings": "yes"}, False),
            ({}, False),
        ],
    )
    def test_the_configuration_decides(self, config, tied, tmp_path):
        with open_checkpoint(make(tmp_path / "m", "llama", config)) as opened:
            assert opened.holds("lm_head.weight")
            assert ("lm_head.weight" not in opened.entries) == tied

    def test_without_a_configuration_nothing_is_merged(self, tmp_path):
        folder = make(tmp_path / "m", "llama")
        (folder / "config.json").unlink()
        with open_checkpoint(folder) as opened:
            assert "lm_head.weight" in opened.entries
            assert not texts(opened)

    def test_biases_of_the_output_layer(self, tmp_path):
        folder = make(tmp_path / "m", "bert")
        tensors = tensors_of("bert")
        tensors["cls.predictions.bias"] = torch.ones(50)
        tensors["cls.predictions.decoder.bias"] = torch.ones(50)
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
        with open_checkpoint(folder) as opened:
            assert opened.entry("cls.predictions.bias").aliases == ("cls.predictions.decoder.bias",)

    def test_large_copies_are_not_compared(self, tmp_path, monkeypatch):
        monkeypatch.setattr(tied_copies, "MAX_COMPARED", 100)
        with open_checkpoint(make(tmp_path / "m", "llama")) as opened:
            assert "lm_head.weight" in opened.entries
            assert "They are not compared" in texts(opened)

    def test_two_towers_are_not_tied(self, tmp_path):
        folder = make(tmp_path / "m", "llama")
        tensors = tensors_of("llama")
        tensors["other.embed_tokens.weight"] = tensors["lm_head.weight"].clone()
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
        with open_checkpoint(folder) as opened:
            assert len(opened.entries) == 4


class TestExport:
    @pytest.mark.parametrize("to", ["safetensors", "torch"])
    def test_both_names_are_pruned_alike(self, form, to, tmp_path):
        source, (target,) = NAMES["llama"]
        with open_checkpoint(make(tmp_path / "m", "llama", form=form)) as opened:
            row = Row((target,), "l1_unstructured", {"amount": 0.5})
            state = state_after(Snapshot(opened), Step((row,)), CpuKernel(), Job())
            out = tmp_path / ("out.pt" if to == "torch" else "out.safetensors")
            export(state, ExportRequest(to, out), Job())
        made = load_file(out) if to == "safetensors" else torch.load(out, weights_only=True)
        assert int((made[source] == 0).sum()) == 200
        if to == "torch":
            assert made[source].data_ptr() == made[target].data_ptr()
        else:
            assert target not in made

    def test_a_shard_that_only_had_the_copy_is_left_out(self, tmp_path):
        folder = make(tmp_path / "m", "llama")
        (folder / "model.safetensors").unlink()
        tensors = tensors_of("llama")
        parts = {n: {n: t} for n, t in tensors.items()}
        where = {}
        for number, part in enumerate(parts.values(), 1):
            name = f"model-{number:05}-of-00003.safetensors"
            save_file(part, folder / name, metadata={"format": "pt"})
            where |= dict.fromkeys(part, name)
        index = {"metadata": {}, "weight_map": where}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        with open_checkpoint(folder) as opened:
            export(Snapshot(opened), ExportRequest("safetensors", tmp_path / "out"), Job())
        with open_checkpoint(tmp_path / "out") as again:
            assert set(again.entries) == {"layers.0.mlp.weight", NAMES["llama"][0]}
            assert not texts(again)

    @pytest.mark.logs  # transformers logs
    @pytest.mark.parametrize("kind", ["llama", "gpt2"])
    def test_the_export_loads_in_transformers_as_a_tied_model(self, kind, tmp_path):
        transformers = pytest.importorskip("transformers")
        config = {
            "gpt2": lambda: transformers.GPT2Config(
                vocab_size=50, n_embd=8, n_layer=1, n_head=2, n_positions=16
            ),
            "llama": lambda: transformers.LlamaConfig(
                vocab_size=50, hidden_size=8, intermediate_size=16, num_hidden_layers=1,
                num_attention_heads=2, tie_word_embeddings=True,
            ),
        }[kind]()  # fmt: skip
        model = transformers.AutoModelForCausalLM.from_config(config)
        folder = tmp_path / "m"
        model.save_pretrained(folder)
        source, (target,) = NAMES[kind]
        tensors = load_file(folder / "model.safetensors")
        save_file(
            {**tensors, target: tensors[source].clone()},
            folder / "model.safetensors",
            metadata={"format": "pt"},
        )
        with open_checkpoint(folder) as opened:
            row = Row((source,), "l1_unstructured", {"amount": 0.5})
            state = state_after(Snapshot(opened), Step((row,)), CpuKernel(), Job())
            export(state, ExportRequest("safetensors", tmp_path / "out"), Job())
        loaded = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "out")
        weights = loaded.get_input_embeddings().weight, loaded.get_output_embeddings().weight
        assert weights[0] is weights[1]
        assert int((weights[0] == 0).sum()) == 200
