"""The scripts of docs/measure.md run if their packages are installed."""

from __future__ import annotations

import importlib.util
import json
import re
import runpy
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation.collection import collect
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.evaluation.script import EvaluationScript, Interpreter, Options, template_for
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from tests.evaluation.scripts import write_script

PAGE = (Path(__file__).parents[2] / "docs" / "measure.md").read_text(encoding="utf-8")
READY = PAGE.partition("## Examples\n")[2].partition("\n## ")[0]
RECIPES = dict(re.findall(r"\*\*(.+?)\*\*.*?```python\n(.*?)```", READY, re.DOTALL))

CLASSIFIER = """
import torch
from safetensors.torch import load_file

def load(path):
    model = MODEL(16, 10)
    model.load_state_dict(load_file(path))
    return model.eval()

torch.manual_seed(1)
LOADER = [(torch.randn(8, 16), torch.randint(10, (8,))) for _ in range(3)]
"""
LANGUAGE = """
import math
from pathlib import Path
import torch
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

torch.manual_seed(1)
WINDOWS = torch.randint(60, (3, 1, 16))
"""

# Code before each script: imports, and values for the placeholders in capitals.
BEFORE = {
    "torchmetrics": "import torch, torchmetrics\nMODEL = torch.nn.Linear\n" + CLASSIFIER,
    "Lightning": """
import warnings
import lightning, torch
warnings.simplefilter("ignore")

class MODEL(lightning.LightningModule):
    def __init__(self, *shape):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(shape[::-1]))
        self.bias = torch.nn.Parameter(torch.zeros(shape[1]))

    def forward(self, x):
        return torch.nn.functional.linear(x, self.weight, self.bias)

    def test_step(self, batch, _):
        self.log("test_loss", torch.nn.functional.cross_entropy(self(batch[0]), batch[1]))
"""
    + CLASSIFIER
    + """
class DATAMODULE(lightning.LightningDataModule):
    def test_dataloader(self):
        return torch.utils.data.DataLoader([(x[0], y[0]) for x, y in LOADER], batch_size=2)

DATAMODULE = DATAMODULE()
""",
    "transformers Trainer": """
import torch
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

ARGS = TrainingArguments("out", use_cpu=True, report_to=[])
DATASET = [{"input_ids": torch.arange(8) + n, "labels": n % 2} for n in range(12)]
COMPUTE = lambda found: {"accuracy": (found.predictions.argmax(1) == found.label_ids).mean()}
""",
    "sentence-transformers": """
from sentence_transformers import SentenceTransformer
from sentence_transformers.evaluation import EmbeddingSimilarityEvaluator

SENTENCES1, SENTENCES2, SCORES = ["a b c", "d e", "f"], ["a b d", "e d", "a"], [0.9, 0.8, 0.1]
""",
    "lm-eval": LANGUAGE
    + """
from lm_eval import simple_evaluate
from lm_eval.models.huggingface import HFLM

HERE = Path(__file__).parent
TOKENIZER = PreTrainedTokenizerFast(
    tokenizer_file=str(HERE / "tokenizer.json"), eos_token="z", pad_token="z", bos_token="z"
)
TASKS = [{
    "task": "letters", "dataset_path": "json", "test_split": "train",
    "dataset_kwargs": {"data_files": str(HERE / "letters.json")},
    "output_type": "multiple_choice", "doc_to_text": "{{text}}",
    "doc_to_choice": ["a", "b"], "doc_to_target": "{{label}}",
    "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
}]
""",
    # Without load: transformers loads its folders.
    "Perplexity of a language model, in plain transformers": LANGUAGE,
}
NEEDS = {
    "torchmetrics": ("torchmetrics",),
    "Lightning": ("lightning",),
    "transformers Trainer": ("accelerate",),
    "sentence-transformers": ("sentence_transformers",),
    "lm-eval": ("lm_eval",),
}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def tokenizer(path):
    """Write a tokenizer with one token per letter."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    made = Tokenizer(models.WordLevel({c: n for n, c in enumerate(LETTERS)}, unk_token="z"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.save(str(path))


def checkpoint_for(name, folder):
    """Write the model of a recipe; return its path and the name of the pruned weight."""
    import torch
    import transformers

    torch.manual_seed(2)
    small = {
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "vocab_size": 64,
    }
    if name in {"torchmetrics", "Lightning"}:
        from safetensors.torch import save_file

        save_file(torch.nn.Linear(16, 10).state_dict(), folder / "model.safetensors")
        return folder / "model.safetensors", "weight"
    made = folder / "model"
    if name == "transformers Trainer":
        config = transformers.BertConfig(**small)
        transformers.BertForSequenceClassification(config).save_pretrained(made)
        return made, "classifier.weight"
    if name == "sentence-transformers":
        from sentence_transformers import SentenceTransformer, models

        transformers.BertModel(transformers.BertConfig(**small)).save_pretrained(folder / "bert")
        tokenizer(folder / "bert" / "tokenizer.json")
        transformers.PreTrainedTokenizerFast(
            tokenizer_file=str(folder / "bert" / "tokenizer.json"), pad_token="z", unk_token="z"
        ).save_pretrained(folder / "bert")
        words = models.Transformer(str(folder / "bert"))
        pooled = models.Pooling(words.get_word_embedding_dimension())
        SentenceTransformer(modules=[words, pooled]).save(str(made))
        return made, "encoder.layer.0.output.dense.weight"
    tokenizer(folder / "tokenizer.json")
    rows = [{"text": "a b c", "label": n % 2} for n in range(4)]
    (folder / "letters.json").write_text(json.dumps(rows))
    config = transformers.LlamaConfig(**small, num_key_value_heads=2, max_position_embeddings=32)
    transformers.LlamaForCausalLM(config).save_pretrained(made)
    return made, "model.layers.0.mlp.down_proj.weight"


def test_every_recipe_of_the_page_is_tried_here():
    assert RECIPES.keys() == BEFORE.keys()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RECIPES)
def test_the_recipe_runs(name, tmp_path, monkeypatch):
    for package in NEEDS.get(name, ()):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs {package}")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    path, weight = checkpoint_for(name, tmp_path)
    script = write_script(tmp_path, BEFORE[name] + "\n" + RECIPES[name], load="")
    runner = ScriptRunner(script, Interpreter(Path(sys.executable), ""), Options(device="cpu"))
    with closing(runner), open_checkpoint(path) as checkpoint:
        state = Snapshot(checkpoint)
        dense = runner.run(state, 0, Job())
        numel = checkpoint.entry(weight).numel
        mask = BitMask.from_bools(np.arange(numel) % 10 == 0)
        pruned = runner.run(state.with_masks({"masks": {weight: mask}}), 0, Job())
    assert dense.metrics.keys() == pruned.metrics.keys()
    assert pruned.zeros >= dense.zeros + 0.9 * mask.pruned
    assert (dense.notices, pruned.notices) == ((), ())
    if name not in {"torchmetrics", "lm-eval"}:  # these may have the same metric as before
        assert dense.metrics != pruned.metrics


@pytest.mark.filterwarnings("ignore")
def test_folders_of_transformers_need_no_script(tmp_path):
    """Perplexity of a text, outputs on token ids, and refusal of models with custom code."""
    name = "Perplexity of a language model, in plain transformers"
    path, weight = checkpoint_for(name, tmp_path)
    (path / "tokenizer.json").write_bytes((tmp_path / "tokenizer.json").read_bytes())
    (path / "tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast"}')
    (tmp_path / "pages.txt").write_text("a b c d e f g h " * 10 + "z")
    options = Options(device="cpu", text=tmp_path / "pages.txt")
    assert "import calibrate, load" in EvaluationScript.shipped(text=False).text
    shipped = EvaluationScript.shipped(text=True).text
    both = """
from pruneapp_worker.transformers_folder import calibrate as run

def evaluate_rows(model, progress):
    rows = []
    handle = model.register_forward_hook(lambda _m, _i, output: rows.append(output.logits.shape))
    run(model, progress)
    handle.remove()
    return sum(row[0] * row[1] for row in rows)
"""
    script = write_script(tmp_path, shipped + both, load="")
    runner = ScriptRunner(script, Interpreter(Path(sys.executable), ""), options)
    with closing(runner), open_checkpoint(path) as checkpoint:
        state = Snapshot(checkpoint)
        dense = runner.run(state, 0, Job()).metrics
        assert len(dense["loss"].samples) == 2  # of 81 tokens, in windows of 32
        assert dense["perplexity"].value == pytest.approx(np.exp(dense["loss"].value))
        assert dense["rows"].value == 32 * 30
        collected = collect(runner, state, tmp_path / "s.safetensors", Job())
        assert collected.rows == 2 * 32
        assert all("embed" in name or "head" in name for name in collected.unseen)
        mask = BitMask.from_bools(np.arange(checkpoint.entry(weight).numel) % 10 == 0)
        pruned = state.with_masks({"masks": {weight: mask}})
        assert runner.run(pruned, 0, Job()).metrics["loss"] != dense["loss"]
        config = (path / "config.json").read_text()
        (path / "config.json").write_text(config.replace("LlamaForCausalLM", "OwnModel"))
        runner._handover = None
        with pytest.raises(EvaluationError, match="requires custom code"):
            runner.run(state, 0, Job())


@pytest.mark.filterwarnings("ignore")
def test_of_an_encoder_the_agreement_on_the_lines_of_a_text_is_measured(tmp_path):
    """Regression: an encoder has no logits for a perplexity, which raised AttributeError."""
    import torch
    import transformers

    torch.manual_seed(2)
    config = transformers.BertConfig(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        vocab_size=64,
        max_position_embeddings=12,
    )
    path = tmp_path / "model"
    transformers.BertModel(config).save_pretrained(path)
    tokenizer(path / "tokenizer.json")
    (path / "tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast"}')
    pages = tmp_path / "pages.txt"
    pages.write_text("a b c.\n\nd e f g.\n" + "h i j k l m " * 9 + ".")
    script = EvaluationScript.shipped(text=True, embeds=True)
    options = Options(device="cpu", text=pages)
    runner = ScriptRunner(script, Interpreter(Path(sys.executable), ""), options)
    with closing(runner), open_checkpoint(path) as checkpoint:
        state = Snapshot(checkpoint)
        same = runner.run(state, 0, Job(), reference=True).metrics
        assert list(same) == ["cosine", "relative_error"]
        assert same["relative_error"].value == 0
        weight = "encoder.layer.0.output.dense.weight"
        mask = BitMask.from_bools(np.arange(checkpoint.entry(weight).numel) % 3 == 0)
        pruned = state.with_masks({"masks": {weight: mask}})
        found = runner.run(pruned, 0, Job()).metrics
        assert 0.5 < found["cosine"].value < 1
        assert found["relative_error"].value > 0
        # For a sentence encoder the cosine is that of each pooled embedding.
        pooling = path / "1_Pooling" / "config.json"
        pooling.parent.mkdir()
        pooling.write_text('{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}')
        runner.run(state, 0, Job(), reference=True)
        measured = runner.run(pruned, 0, Job())
        assert measured.samples is not None
        assert (measured.samples.unit, measured.samples.used, measured.samples.total) == (
            "lines",
            3,
            3,
        )
        assert measured.samples.tokens >= 3 + 4
        cosines = measured.metrics["mean_cosine"].samples
        assert len(cosines) == 3
        declared = path / "sentence_bert_config.json"
        declared.write_text('{"max_seq_length": 3}')
        runner.run(state, 0, Job(), reference=True)
        shorter = runner.run(pruned, 0, Job()).samples
        assert shorter is not None
        assert shorter.tokens == 3 * 3 < measured.samples.tokens
        declared.unlink()
        runner.run(state, 0, Job(), reference=True)
        assert measured.metrics["mean_cosine"].value == pytest.approx(sum(cosines) / 3)
        assert measured.metrics["lowest_cosine"].value == min(cosines)
        lowest = pages.read_text().split("\n")[0::2][:1] + pages.read_text().split("\n")[2:]
        said = f"{min(cosines):.4f}, is that of sentence {cosines.index(min(cosines)) + 1}: "
        quoted = f"{lowest[cosines.index(min(cosines))]!r}"
        assert quoted.endswith(".'")
        assert measured.notices == (f"The lowest cosine, {said}{quoted}",), "one period is enough"
        pages.write_text("\n")
        with pytest.raises(EvaluationError, match="contains no text"):
            runner.run(pruned, 0, Job())
        (tmp_path / "new.py").write_text(template_for(checkpoint))
    new = runpy.run_path(str(tmp_path / "new.py"))
    loaded = new["load"](str(path))
    rows = []
    loaded[0].register_forward_hook(lambda _model, _given, output: rows.append(output[0].shape))
    new["calibrate"](loaded)
    assert [row[0] for row in rows] == [1] * len(new["SENTENCES"])
