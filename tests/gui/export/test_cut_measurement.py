"""The evaluation of a cut equals that of the exported folder, measured by transformers alone."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import pytest
import torch
from transformers import AutoTokenizer, BertConfig, BertModel, LlamaForCausalLM

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.errors import PruneAppError
from pruneapp.evaluation.script import EvaluationScript, Options
from pruneapp.gui.evaluation.measurement import ScriptProcess
from pruneapp.gui.evaluation.script_controller import AgreedScript
from pruneapp.gui.export.shrink_controller import measure_cut
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.progress import Job
from pruneapp.shrink.forecast import cut_out, forecast
from pruneapp.shrink.shrink import ShrinkRequest
from pruneapp.shrink.surveyed_state import CutRequest, survey_state
from tests.support.model_folders import write_llama
from tests.support.tokenizer_files import bpe, tokenizer_json, word_piece

WORDS = {word: at for at, word in enumerate(["a", "b", "c", "d", "ab", "cd", "abcd"])}
BPE = bpe(WORDS, ["a b", "c d", "ab cd"])
WORD_PIECE = word_piece({word: at for at, word in enumerate(["[UNK]", *"abcd", "##b", "##c"])})


@pytest.fixture
def text(tmp_path):
    """Write a text of tokens of which the texts of the cut use some."""
    path = tmp_path / "evaluation.txt"
    path.write_text("abcdabccdab" * 3)
    return path


def metrics_of(folder: Path, request: CutRequest, script: EvaluationScript, text: Path | None):
    """Measure a cut, write it to the folder "out", and return the metrics by name."""
    agreed = AgreedScript(script, Path(sys.executable), Options(device="cpu", text=text))
    with open_checkpoint(folder) as checkpoint, closing(ScriptProcess(agreed)) as process:
        document = Document(checkpoint)
        surveyed = survey_state(document.snapshot(), Job())
        wanted = forecast(surveyed, request, Job())
        assert not wanted.wrong
        past, kernel = document.state_at(0), CpuKernel
        found = measure_cut(surveyed, wanted, process, past, 10**5, frozenset(), kernel, Job())
        cut_out(surveyed, wanted, ShrinkRequest(folder.with_name("out"), {}), CpuKernel(), Job())
    assert not found.measurement.quality.unpruned
    return {metric.name: metric.value for metric in found.measurement.quality.metrics}


@torch.no_grad()
def test_the_perplexity_of_a_cut_is_that_of_the_exported_tokens(tmp_path, text):
    """Regression: the whole vocabulary was evaluated, which is not the one of the export."""
    folder = write_llama(tmp_path / "model", architectures=["LlamaForCausalLM"])
    (folder / "tokenizer.json").write_bytes(tokenizer_json(BPE))
    kept = tmp_path / "kept.txt"
    kept.write_text("ab c d")
    request = CutRequest({"ffn": 128}, (1,), multiple=8, texts=(str(kept),))
    found = metrics_of(folder, request, EvaluationScript.shipped(text=True), text)
    out = tmp_path / "out"
    model, tokenizer = LlamaForCausalLM.from_pretrained(out), AutoTokenizer.from_pretrained(out)
    ids = torch.tensor([tokenizer(text.read_text())["input_ids"]])
    assert model.config.vocab_size == 8
    loss = model(input_ids=ids, labels=ids).loss
    assert found["perplexity"] == pytest.approx(float(loss.double().exp()), rel=1e-5)


@torch.no_grad()
def test_the_agreement_of_a_cut_of_layers_is_that_of_the_export(tmp_path, text):
    """Regression: layers with a norm after the sum were not removed in the evaluation."""
    folder = tmp_path / "model"
    torch.manual_seed(0)
    size = {"hidden_size": 32, "intermediate_size": 64, "vocab_size": 16}
    config = BertConfig(**size, num_attention_heads=4, num_hidden_layers=3, initializer_range=0.5)
    BertModel(config).save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes(tokenizer_json(WORD_PIECE))
    script = EvaluationScript.shipped(text=True, embeds=True)
    found = metrics_of(folder, CutRequest(layers=(0,)), script, text)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "out")
    ids = torch.tensor([tokenizer(text.read_text())["input_ids"]])
    ours, theirs = (
        BertModel.from_pretrained(each).eval()(ids).last_hidden_state
        for each in (tmp_path / "out", folder)
    )
    cosine = torch.cosine_similarity(ours.flatten(), theirs.flatten(), dim=0)
    assert found["cosine"] == pytest.approx(float(cosine), abs=1e-5)
    assert found["cosine"] < 0.99


def test_random_tokens_cannot_measure_a_cut_of_the_vocabulary(tmp_path, text):
    folder = write_llama(tmp_path / "model")
    (folder / "tokenizer.json").write_bytes(tokenizer_json(BPE))
    request = CutRequest(multiple=8, texts=(str(text),))
    with pytest.raises(PruneAppError, match="with fewer tokens the same ID is another token"):
        metrics_of(folder, request, EvaluationScript.shipped(text=False), None)
