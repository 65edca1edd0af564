"""The script that compares a pruned model with the original, run as by a user."""

import ast
import contextlib
import io
import json
import re
import runpy
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ExportError
from pruneapp.evaluation.classifier import classifier_of
from pruneapp.evaluation.runner import ScriptRunner, as_on_disk
from pruneapp.evaluation.script import EvaluationScript, Interpreter, Options
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.export.scripts.comparison_script import (
    EvaluationData,
    check_script,
    write_check_script,
)
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.shrink.forecast import cut_out, forecast
from pruneapp.shrink.shrink import ShrinkRequest
from pruneapp.shrink.surveyed_state import CutRequest, survey_state
from tests.evaluation import stock_model
from tests.shrink import vision_models
from tests.support.containers import as_snapshot, kept_masks, model
from tests.support.formats import OF_ANY_SOURCE as FORMATS
from tests.support.model_folders import write_llama
from tests.support.onnx_models import save
from tests.support.onnx_networks import NETWORKS
from tests.support.tokenizer_files import bpe, tokenizer_json

MODEL = """def make_model():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(4, 8, 3)
            self.fc = torch.nn.Linear(17, 10)

        def forward(self, x, y):
            return {"logits": torch.cat((self.conv(x).flatten(1).sum(1), self.fc(y).flatten()))}

    outer = torch.nn.Module()
    outer.net = Net()
    outer.forward = outer.net.forward
    torch.manual_seed(0)
    return outer, (torch.randn(2, 4, 5, 5), torch.randn(3, 17))
"""


def tensors() -> dict:
    """Return tensors with finite biases, because outputs are compared."""
    found = {n: t for n, t in model(torch.float32).items() if n.endswith(".weight")}
    generator = torch.Generator().manual_seed(9)
    for name, size in (("net.conv.bias", 8), ("net.fc.bias", 10)):
        found[name] = torch.randn(size, generator=generator)
    return found


def run(text: str, folder: Path) -> str:
    """Run a script in this process, where torch is imported; return its output."""
    (folder / "check.py").write_text(text)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        runpy.run_path(str(folder / "check.py"), run_name="__main__")
    return said.getvalue()


def difference() -> float:
    """Return the largest difference of the outputs, computed with plain torch."""
    space: dict = {"torch": torch}
    exec(MODEL, space)
    net, inputs = space["make_model"]()
    found = []
    for kept in ({}, kept_masks()):
        state = tensors()
        for name, mask in kept.items():
            state[name] = state[name] * torch.from_numpy(mask)
        net.load_state_dict(state)
        with torch.no_grad():
            found.append(net(*inputs)["logits"].double())
    return float((found[1] - found[0]).abs().max())


CASES = [("safetensors", form) for form in FORMATS] + [
    ("zip", "torch"),
    ("bare zip", "safetensors"),
    ("sharded", "safetensors"),
    ("sharded", "torch"),
    ("sharded", "resumable"),
]


@pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")
@pytest.mark.parametrize(("source", "form"), CASES, ids="-".join)
def test_it_says_how_far_the_outputs_are_apart(source_of, tmp_path, source, form):
    checkpoint = source_of(source, tensors())
    out = tmp_path / ("out" if source == "sharded" else f"out{FORMATS[form].suffixes[0]}")
    report = export(as_snapshot(checkpoint), ExportRequest(form, out), Job())
    text = check_script(checkpoint, report)
    if source == "zip":  # this one contains an argparse.Namespace
        text = text.replace("weights_only=True", "weights_only=False")
    begin, end = text.index("def make_model"), text.index("def files_of")
    printed = run(text[:begin] + MODEL + "\n\n" + text[end:], tmp_path)

    assert "tensors" not in printed, "none is missing"
    said = re.search(r"Largest difference: (\S+)", printed)
    assert float(said[1]) == pytest.approx(difference(), rel=1e-4)
    assert difference() > 0.1


def filled_in(text: str) -> str:
    text = text.replace(
        "weights_only=True", "weights_only=False"
    )  # one contains an argparse.Namespace
    begin, end = text.index("def make_model"), text.index("def files_of")
    return text[:begin] + MODEL + "\n\n" + text[end:]


def apart(printed: str) -> float:
    return float(re.search(r"Largest difference: (\S+)", printed)[1])


REPLACED = ["safetensors", "bare zip", "zip", "sharded", "resumable safetensors"]


@pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")
@pytest.mark.parametrize("source", REPLACED)
def test_after_an_export_onto_the_opened_model_it_reads_the_backup(source_of, tmp_path, source):
    checkpoint = source_of(source, tensors())
    opened = checkpoint.path
    onto = opened
    state = as_snapshot(checkpoint)
    form = "safetensors" if checkpoint.format == "safetensors" else "torch"
    later = [("safetensors", tmp_path / "out.safetensors", {"dtype": "bfloat16"})]
    later += [("compact", tmp_path / "out.compact.safetensors", {}), (form, onto, {})]
    earlier = export(state, ExportRequest("safetensors", tmp_path / "a.safetensors"), Job())
    before = check_script(checkpoint, earlier)
    expected = apart(run(filled_in(before), tmp_path))
    assert expected > 0.1

    for name, path, params in [(form, onto, {}), *later]:
        report = export(state, ExportRequest(name, path, params=params), Job())
        printed = run(filled_in(check_script(checkpoint, report)), tmp_path)
        assert "tensors" not in printed, "none is missing"
        assert apart(printed) == pytest.approx(expected, rel=2e-2), path

    with pytest.raises(SystemExit, match=r"has changed since this script was written"):
        run(filled_in(before), tmp_path)


@pytest.mark.parametrize("source", ["safetensors", "sharded"])
def test_it_does_not_compare_a_model_with_itself(source_of, tmp_path, source):
    checkpoint = source_of(source, tensors())
    out = tmp_path / ("out" if source == "sharded" else "out.safetensors")
    report = export(as_snapshot(checkpoint), ExportRequest("safetensors", out), Job())
    text = filled_in(check_script(checkpoint, report))
    text = text.replace(repr(str(out)), repr(str(checkpoint.files[0].path)))
    with pytest.raises(SystemExit, match=r"cannot be compared with itself"):
        run(text, tmp_path)


@pytest.mark.parametrize("source", ["safetensors", "sharded"])
def test_without_the_original_there_is_no_script(source_of, tmp_path, source):
    checkpoint = source_of(source, tensors())
    onto = checkpoint.path
    request = ExportRequest("safetensors", onto, replace_original=True)
    report = export(as_snapshot(checkpoint), request, Job())
    with pytest.raises(ExportError, match="needs the original, which it cannot find") as caught:
        write_check_script(checkpoint, report, tmp_path / "check.py", Job())
    assert "no longer exists" in caught.value.sentence
    assert not (tmp_path / "check.py").exists()


SMALL = {"num_hidden_layers": 1, "num_attention_heads": 2, "hidden_size": 16}
SMALL |= {"intermediate_size": 32}


def compared(net, folder: Path, onto: str = "out", **saving: object) -> str:
    """Prune every second weight of a model in a folder; return the output of its script."""
    net.save_pretrained(folder, **saving)
    with open_checkpoint(folder) as checkpoint:
        entries = [e for e in checkpoint.entries.values() if e.by_default]
        kept = {e.name: np.arange(e.numel).reshape(e.shape) % 2 == 0 for e in entries}
        request = ExportRequest("safetensors", folder.with_name(onto))
        report = export(as_snapshot(checkpoint, kept), request, Job())
        text = check_script(checkpoint, report)
    assert "Fill in" not in text
    printed = run(text, folder.parent)
    assert "not in the model" not in printed
    return printed


def tokenizer_beside(folder: Path) -> None:
    """Write a tokenizer with one token per letter, which pads by default."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    letters = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", *"abcdefghijklmnopqrstuvwxyz"]
    made = Tokenizer(models.WordLevel({c: n for n, c in enumerate(letters)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    made.enable_padding(length=100)
    PreTrainedTokenizerFast(tokenizer_object=made, pad_token="[PAD]").save_pretrained(folder)


def sentence_encoder(folder: Path, **pooling: object) -> None:
    """Write the files of sentence-transformers next to the weights."""
    tokenizer_beside(folder)
    kinds = {"": "Transformer", "1_Pooling": "Pooling", "2_Normalize": "Normalize"}
    modules = [
        {"idx": n, "name": str(n), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for n, (path, kind) in enumerate(kinds.items())
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))


def pooled(states, mask, name):
    """Pool a padded batch by its attention mask, as sentence-transformers does."""
    mask = mask.unsqueeze(-1).float()
    if name == "cls_token":
        return states[:, 0]
    if name == "max_tokens":
        return states.masked_fill(mask == 0, -1e9).max(1).values
    if name == "lasttoken":
        return states[torch.arange(len(states)), mask.sum((1, 2)).long() - 1]
    if name == "weightedmean_tokens":
        mask = mask * torch.arange(1.0, mask.shape[1] + 1)[:, None]
    size = mask.sum(1)
    return (states * mask).sum(1) / (size.sqrt() if name == "mean_sqrt_len_tokens" else size)


POOLINGS = [
    ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, ["mean_tokens"]),
    ({"pooling_mode_cls_token": True}, ["cls_token"]),
    ({"pooling_mode_max_tokens": True, "pooling_mode_mean_tokens": True}, None),
    ({"pooling_mode_mean_sqrt_len_tokens": True}, ["mean_sqrt_len_tokens"]),
    ({"pooling_mode_weightedmean_tokens": True}, ["weightedmean_tokens"]),
    ({"pooling_mode": "lasttoken"}, ["lasttoken"]),
    ({"pooling_mode": "mean"}, ["mean_tokens"]),
    ({}, ["mean_tokens"]),
]


@pytest.mark.filterwarnings("ignore")  # of transformers, unrelated
@pytest.mark.parametrize(("pooling", "names"), POOLINGS, ids=lambda v: "-".join(v or ()))
def test_of_a_sentence_encoder_it_compares_the_embeddings(tmp_path, pooling, names):
    import transformers as t

    folder = tmp_path / "encoder"
    sentence_encoder(folder, **pooling)
    torch.manual_seed(0)
    printed = compared(
        t.BertModel(t.BertConfig(**SMALL, vocab_size=30, initializer_range=0.5)), folder
    )

    names = names or ["max_tokens", "mean_tokens"]
    assert f"Pooling: {', '.join(names)}\n" in printed
    rows = re.findall(r"^  (-?\d\.\d{4})  (.+)$", printed, re.MULTILINE)
    sentences = [sentence for _, sentence in rows]
    tokenizer = t.PreTrainedTokenizerFast.from_pretrained(folder)
    batch = tokenizer(sentences, padding=True, return_tensors="pt")
    sides = []
    for where in (folder, tmp_path / "out"):
        with torch.no_grad():
            states = t.BertModel.from_pretrained(where)(**batch).last_hidden_state
        sides.append(torch.cat([pooled(states, batch["attention_mask"], n) for n in names], 1))
    cosines = torch.nn.functional.cosine_similarity(*sides)
    assert [float(c) for c, _ in rows] == pytest.approx(cosines.tolist(), abs=2e-4)
    mean = float(re.search(r"^Mean: (\S+), lowest: ", printed, re.MULTILINE)[1])
    assert mean == pytest.approx(float(cosines.mean()), abs=2e-4)
    assert mean < 0.9999
    alike = [torch.nn.functional.cosine_similarity(s[:, None], s[None], dim=-1) for s in sides]
    change = float(re.search(r"largest ([\d.]+), mean", printed, re.MULTILINE)[1])
    assert change == pytest.approx(float((alike[1] - alike[0]).abs().max()), abs=2e-4)


@pytest.mark.filterwarnings("ignore")  # of transformers, unrelated
@pytest.mark.parametrize("size", ["1GB", "4KB"], ids=["one file", "shards"])
def test_an_encoder_that_is_replaced_is_compared_with_its_backup(tmp_path, size):
    import transformers as t

    said = []
    for onto in ("out", "encoder"):
        folder = tmp_path / onto / "encoder"
        sentence_encoder(folder, pooling_mode_mean_tokens=True)
        torch.manual_seed(0)
        net = t.BertModel(t.BertConfig(**SMALL, vocab_size=30, initializer_range=0.5))
        said.append(compared(net, folder, onto, max_shard_size=size))
    assert list(folder.glob("*.orig.safetensors"))
    assert said[0] == said[1]
    assert float(re.search(r"largest ([\d.]+), mean", said[1], re.MULTILINE)[1]) > 0


@pytest.mark.filterwarnings("ignore")
def test_of_a_language_model_it_compares_the_perplexity(tmp_path):
    import transformers as t

    folder = tmp_path / "llama"
    tokenizer_beside(folder)
    torch.manual_seed(0)
    config = t.LlamaConfig(
        **SMALL, vocab_size=30, initializer_range=0.3, bos_token_id=1, eos_token_id=2
    )
    printed = compared(t.LlamaForCausalLM(config), folder)

    rows = re.findall(r"^ +(\d+\.\d\d) +(\d+\.\d\d)  (.+)$", printed, re.MULTILINE)
    tokenizer = t.PreTrainedTokenizerFast.from_pretrained(folder)
    nets = [t.LlamaForCausalLM.from_pretrained(f) for f in (folder, tmp_path / "out")]
    for *found, sentence in rows:
        ids = tokenizer(sentence, return_tensors="pt")["input_ids"]
        for net, one in zip(nets, found, strict=True):
            with torch.no_grad():
                expected = float(net(input_ids=ids, labels=ids).loss.exp())
            assert float(one) == pytest.approx(expected, abs=0.01)
    assert len(rows) == 8
    assert re.search(
        r"^All tokens: [\d.]+ before, [\d.]+ after \([+-]\d+\.\d%\)$", printed, re.MULTILINE
    )
    assert re.search(r"^Same most likely next token: [\d.]+% of \d+$", printed, re.MULTILINE)


def tiny_models():
    import transformers as t

    # transformers' defaults exceed the small vocabulary
    ends = {"bos_token_id": 0, "eos_token_id": 1}
    pixels = {"image_size": 16, "patch_size": 8}
    text = {**SMALL, "vocab_size": 50}
    clip = t.CLIPConfig(
        text_config={**text, **ends}, vision_config={**SMALL, **pixels}, projection_dim=8
    )
    return {
        "BertModel": t.BertModel(t.BertConfig(**text)),
        "BertForSequenceClassification": t.BertForSequenceClassification(t.BertConfig(**text)),
        "ViTModel": t.ViTModel(t.ViTConfig(**SMALL, **pixels)),
        "ViTForImageClassification": t.ViTForImageClassification(t.ViTConfig(**SMALL, **pixels)),
        "ResNetForImageClassification": t.ResNetForImageClassification(
            t.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1])
        ),
        "CLIPModel": t.CLIPModel(clip),
        "T5ForConditionalGeneration": t.T5ForConditionalGeneration(
            t.T5Config(d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, vocab_size=50)
        ),
        "GPT2LMHeadModel": t.GPT2LMHeadModel(
            t.GPT2Config(n_embd=16, n_layer=1, n_head=2, vocab_size=50, **ends)
        ),
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tokenizer", [False, True], ids=["random", "sentences"])
def test_where_config_json_names_the_class_it_runs_as_it_is(tmp_path, tokenizer):
    largest = {"GPT2LMHeadModel": "Same most likely next token"}
    for name, net in tiny_models().items():
        home = tmp_path / name
        if tokenizer:
            tokenizer_beside(home / "net")
        printed = compared(net, home / "net")
        if tokenizer and name == "BertModel":
            assert "Cosine similarity of the embeddings" in printed
            continue
        assert float(re.search(r"Largest difference: (\S+)", printed)[1]) > 0, name
        assert float(re.search(r"Cosine similarity: (\S+)", printed)[1]) < 1
        usual = "Same label" if "Classification" in name else "Same largest output"
        assert f"\n{largest.get(name, usual)}: " in printed
        if "Classification" in name:
            assert len(re.findall(r"^  LABEL_[01]  LABEL_[01]  .+$", printed, re.MULTILINE)) == 8


@pytest.mark.parametrize(
    "config",
    [
        "not JSON",
        "[]",
        '{"architectures": ["os; import os"]}',
        '{"architectures": ["import"]}',
        '{"architectures": []}',
        '{"architectures": ["A", "B"]}',
        '{"architectures": "BertModel"}',
        '{"architectures": ["Own"], "auto_map": {"AutoModel": "modeling.Own"}}',
    ],
)
def test_what_config_json_says_is_never_code(source_of, tmp_path, config):
    checkpoint = source_of("safetensors", tensors())
    checkpoint.path.with_name("config.json").write_text(config)
    report = export(as_snapshot(checkpoint), ExportRequest("safetensors", tmp_path / "o"), Job())
    with pytest.raises(SystemExit, match=r"Fill in make_model\(\)"):
        run(check_script(checkpoint, report), tmp_path)


def test_it_asks_for_the_model_first(source_of, tmp_path):
    checkpoint = source_of("safetensors", tensors())
    out = tmp_path / 'it\'s "o\\ut".safetensors'
    report = export(as_snapshot(checkpoint), ExportRequest("safetensors", out), Job())
    path = write_check_script(checkpoint, report, tmp_path / "check_out.py", Job())
    with pytest.raises(SystemExit, match=r"Fill in make_model\(\)"):
        run(path.read_text(), tmp_path)
    named = [n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant)]
    assert str(out) in named, "whatever its name is"


def test_a_script_that_was_filled_in_is_not_lost(source_of, tmp_path):
    checkpoint = source_of("safetensors", tensors())
    report = export(as_snapshot(checkpoint), ExportRequest("safetensors", tmp_path / "o"), Job())
    path = tmp_path / "o.check.py"
    assert write_check_script(checkpoint, report, path, Job()) == path
    empty = path.read_text()
    assert write_check_script(checkpoint, report, path, Job()) == path, "the same again"
    path.write_text(empty + MODEL)
    (tmp_path / "o.check2.py").symlink_to(tmp_path / "nothing")

    written = write_check_script(checkpoint, report, path, Job())
    assert written == tmp_path / "o.check3.py"
    assert (path.read_text(), written.read_text()) == (empty + MODEL, empty)
    assert write_check_script(checkpoint, report, path, Job()) == written


@pytest.mark.parametrize("form", FORMATS.values(), ids=list(FORMATS))
def test_every_format_says_how_it_is_loaded(form):
    (function,) = ast.parse(form.load_code).body

    assert function.name == "load"
    assert [a.arg for a in function.args.args] == ["path"]
    assert max(map(len, form.load_code.splitlines())) <= 100


EVALUATION = """
import torch
from pathlib import Path

HERE = Path(__file__).parent


def load(path):
    assert path.endswith(".safetensors"), path
    from safetensors.torch import load_file

    return load_file(path)


def evaluate(model, limit=None):
    data = (HERE / "data.txt").read_text().split()[:limit]
    zeros = sum(int((t == 0).sum()) for t in model.values())
    return {"zeros": zeros, "accuracy": (len(data), 2 * len(data)), "samples": [1.0, 3.0]}


def evaluate_weights(model):
    return sum(t.numel() for t in model.values())
"""


@pytest.mark.parametrize("form", ["safetensors", "torch", "compact"])
def test_it_measures_both_with_the_script_of_the_user(source_of, tmp_path, form):
    """Formats that `load` of the script may not read are converted to that of the original."""
    (tmp_path / "data.txt").write_text("one two three")
    own = tmp_path / "my_evaluation.py"
    own.write_text(EVALUATION)
    checkpoint = source_of("safetensors", tensors())
    out = tmp_path / f"out{FORMATS[form].suffixes[0]}"
    report = export(as_snapshot(checkpoint), ExportRequest(form, out), Job())
    text = check_script(checkpoint, report, EvaluationData(script=own, limit=2))
    assert "make_model" not in text
    printed = run(text, tmp_path)
    rows = {line.split()[0]: line.split()[1:] for line in printed.splitlines()}
    pruned = sum(int((~mask).sum()) for mask in kept_masks().values())
    assert rows["zeros"][0] == "0"
    assert float(rows["zeros"][1]) == pytest.approx(pruned, rel=1e-5)
    assert rows["accuracy"] == ["0.5", "0.5", "+0"]
    assert rows["samples"][0] == "2"
    assert float(rows["weights"][0]) == checkpoint_numel(checkpoint)


SMALLER = """
import torch

def load(path):
    model = torch.nn.Linear(8, 4)
    model.load_state_dict(torch.load(path))
    return model

def evaluate(model):
    return sum(tensor.numel() for tensor in model.parameters())
"""


def test_it_loads_shrunk_files_into_the_original_class(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.nn.Module, "load_state_dict", torch.nn.Module.load_state_dict)
    own = tmp_path / "my_evaluation.py"
    own.write_text(SMALLER)
    torch.save(torch.nn.Linear(8, 3).state_dict(), tmp_path / "small.pt")
    (tmp_path / "small.pt.shrink.json").write_text("{}")
    with open_checkpoint(tmp_path / "small.pt") as checkpoint:
        request = ExportRequest("torch", tmp_path / "out.pt")
        report = export(as_snapshot(checkpoint, {}), request, Job())
        text = check_script(checkpoint, report, EvaluationData(script=own))
    printed = run(text, tmp_path)
    (line,) = [line for line in printed.splitlines() if line.startswith("score")]
    assert line.split()[1:3] == ["27", "27"]
    assert "# @RESIZING@" not in text


def checkpoint_numel(checkpoint):
    return float(f"{sum(e.numel for e in checkpoint.entries.values()):.6g}")


LINES = ["first line", *("abc"[n % 3] * (n + 1) for n in range(69))]


@pytest.mark.filterwarnings("ignore")  # of transformers, unrelated
@pytest.mark.parametrize(
    ("limit", "used", "said"),
    [(None, 70, "70 sentences of mine.txt"), (5, 5, "The first 5 of 70 sentences of mine.txt")],
)
def test_an_encoder_is_compared_on_all_sentences_of_the_evaluation(tmp_path, limit, used, said):
    import transformers as t

    folder, text = tmp_path / "model", tmp_path / "mine.txt"
    text.write_text("\n\n  ".join(LINES))
    sentence_encoder(folder, pooling_mode_mean_tokens=True)
    t.BertModel(t.BertConfig(**SMALL, vocab_size=30)).save_pretrained(folder)
    with open_checkpoint(folder) as checkpoint:
        request = ExportRequest("safetensors", tmp_path / "o")
        report = export(as_snapshot(checkpoint), request, Job())
        script = check_script(checkpoint, report, EvaluationData(text=text, limit=limit))
    assert "A man plays the guitar" not in script
    printed = run(script, tmp_path)
    assert f"{said}\n" in printed
    assert re.findall(r"^  1\.0000  (.+)$", printed, re.MULTILINE) == LINES[:used]


@pytest.mark.filterwarnings("ignore")  # of transformers, unrelated
@pytest.mark.parametrize("declared", [None, 7])
def test_long_sentences_have_the_cosines_of_the_evaluation(tmp_path, declared):
    """Regression: the script and the evaluation truncated them to different numbers of tokens."""
    import transformers as t

    folder, text = tmp_path / "model", tmp_path / "mine.txt"
    text.write_text("\n".join(LINES))
    sentence_encoder(folder, pooling_mode_mean_tokens=True)
    if declared is not None:
        (folder / "sentence_bert_config.json").write_text(f'{{"max_seq_length": {declared}}}')
    torch.manual_seed(0)
    sizes = {**SMALL, "vocab_size": 30, "max_position_embeddings": 20, "initializer_range": 0.5}
    t.BertModel(t.BertConfig(**sizes)).save_pretrained(folder)
    shipped = EvaluationScript.shipped(text=True, embeds=True)
    options = Options(device="cpu", text=text)
    runner = ScriptRunner(shipped, Interpreter(Path(sys.executable), ""), options)
    with contextlib.closing(runner), open_checkpoint(folder) as checkpoint:
        names = [e.name for e in checkpoint.entries.values() if e.by_default]
        kept = {n: np.arange(checkpoint.entry(n).numel) % 2 == 0 for n in names}
        kept = {n: mask.reshape(checkpoint.entry(n).shape) for n, mask in kept.items()}
        state = as_snapshot(checkpoint, kept)
        runner.run(as_on_disk(state), 0, Job(), reference=True)
        cosines = runner.run(state, 0, Job()).metrics["mean_cosine"].samples
        report = export(state, ExportRequest("safetensors", tmp_path / "o"), Job())
        printed = run(check_script(checkpoint, report, EvaluationData(text=text)), tmp_path)
    rows = re.findall(r"^  (-?\d\.\d{4})  ", printed, re.MULTILINE)
    assert [float(row) for row in rows] == pytest.approx(cosines, abs=2e-4)
    assert len({*rows[-9:]}) <= 3, "they are truncated, so only their letter differs"


@pytest.mark.parametrize("form", ["safetensors", "torch", "compact"])
@pytest.mark.parametrize("labelled", [True, False])
def test_a_classifier_is_compared_on_the_images_of_the_user(tmp_path, monkeypatch, form, labelled):
    """With labels, the accuracy is that which the window measures: of every other image."""
    stock_model.install(tmp_path / "packages", monkeypatch)
    monkeypatch.syspath_prepend(tmp_path / "packages")
    images = stock_model.write_images(tmp_path / "images")
    file = stock_model.write_model(tmp_path / "tiny.safetensors")
    if not labelled:
        shutil.rmtree(images / "blue")
    out = tmp_path / f"out{FORMATS[form].suffixes[0]}"
    with open_checkpoint(file) as checkpoint:
        classifier = classifier_of(checkpoint)
        red = BitMask.from_bools(np.arange(9) >= 6)  # the row of red
        state = as_snapshot(checkpoint).with_masks({"masks": {"fc.weight": red}})
        report = export(state, ExportRequest(form, out), Job())
        data = EvaluationData(images=images, classifier=classifier)
        printed = run(check_script(checkpoint, report, data), tmp_path)
    for name in ("torchvision", "torchvision.models"):
        sys.modules.pop(name)
    lines = dict(line.rsplit(": ", 1) for line in printed.splitlines()[1:])
    accuracy = lines.get("Accuracy of the original and of the export")
    if labelled:
        assert printed.startswith(f"3 images of {images}\n")
        assert accuracy == "100.00%, 66.67%"
        assert lines["Images to which both give the same label"] == "66.67%"
    else:
        assert printed.startswith(f"2 images of {images}\n")
        assert accuracy is None
    assert "largest" in lines["Difference of the outputs"]


def cut(checkpoint, out: Path, request: CutRequest):
    """Write the cut of an opened file; return its report."""
    surveyed = survey_state(Snapshot(checkpoint), Job())
    wanted = forecast(surveyed, request, Job())
    assert not wanted.wrong
    assert wanted.changes
    return cut_out(surveyed, wanted, ShrinkRequest(out, {}), CpuKernel(), Job())


def difference_of(before, after) -> tuple[str, str]:
    """Return the largest difference and the cosine similarity as scripts print them."""
    first, second = before.detach().double(), after.detach().double()
    cosine = torch.nn.functional.cosine_similarity(first.flatten(), second.flatten(), dim=0)
    return (
        f"Largest difference: {float((second - first).abs().max()):.6g}\n",
        f"Cosine similarity: {float(cosine):.6f}\n",
    )


NETWORK = """def make_model():
    from tests.shrink import vision_models

    images = torch.linspace(-1, 1, 1536, dtype=torch.float64).reshape(2, 3, 16, 16)
    return vision_models.make("basic"), (images,)
"""
MEASURED = """
import torch
from tests.shrink import vision_models

def load(path):
    model = vision_models.make("basic")
    model.load_state_dict(torch.load(path, weights_only=True))
    return model.eval()

@torch.no_grad()
def evaluate(model):
    images = torch.linspace(-1, 1, 1536, dtype=torch.float64).reshape(2, 3, 16, 16)
    return model(images).abs().sum()
"""


@pytest.mark.parametrize("by_script", [True, False], ids=["metric", "outputs"])
def test_a_shrunk_state_dict_is_compared_with_the_original(tmp_path, monkeypatch, by_script):
    monkeypatch.setattr(torch.nn.Module, "load_state_dict", torch.nn.Module.load_state_dict)
    net = vision_models.make("basic").eval()
    torch.save(net.state_dict(), tmp_path / "net.pt")
    own = tmp_path / "my_evaluation.py"
    own.write_text(MEASURED)
    data = EvaluationData(script=own) if by_script else None
    with open_checkpoint(tmp_path / "net.pt") as checkpoint:
        out = tmp_path / "net-shrunk.pt"
        report = cut(checkpoint, out, CutRequest(shares={"channels": 0.5}, multiple=1))
        text = check_script(checkpoint, report, data)
    if not by_script:
        begin, end = text.index("def make_model"), text.index("def files_of")
        text = text[:begin] + NETWORK + "\n\n" + text[end:]
    printed = run(text, tmp_path)

    inputs = torch.linspace(-1, 1, 1536, dtype=torch.float64).reshape(2, 3, 16, 16)
    loader = runpy.run_path(str(tmp_path / "load_net_shrunk.py"))
    small = loader["load_shrunk"](vision_models.make("basic"), [out]).eval()
    assert sum(p.numel() for p in small.parameters()) < sum(p.numel() for p in net.parameters())
    if by_script:
        sums = [float(each(inputs).detach().abs().sum()) for each in (net, small)]
        (line,) = [line for line in printed.splitlines() if line.startswith("score")]
        assert [float(x) for x in line.split()[1:3]] == pytest.approx(sums, rel=1e-5)
        assert sums[0] != pytest.approx(sums[1], rel=1e-3)
    else:
        largest, cosine = difference_of(net(inputs), small(inputs))
        assert largest in printed
        assert cosine in printed
    assert "tensors" not in printed, "none is missing"


@pytest.mark.filterwarnings("ignore")  # of transformers, unrelated
@pytest.mark.parametrize("tokens", [False, True], ids=["units", "tokens"])
def test_a_shrunk_language_model_is_compared_with_the_original(tmp_path, tokens):
    import transformers as t

    folder, out = write_llama(tmp_path / "tiny"), tmp_path / "tiny-shrunk"
    (folder / "tokenizer.json").write_bytes(
        tokenizer_json(bpe({letter: n for n, letter in enumerate("abcdefghij")}, []))
    )
    kept = tmp_path / "kept.txt"
    kept.write_text("ab cd\ncde\n" * 40)
    request = CutRequest({"ffn": 64}, layers=(3,), multiple=8)
    if tokens:
        request = CutRequest(texts=(str(kept),), multiple=8)
    with open_checkpoint(folder) as checkpoint:
        text = check_script(checkpoint, cut(checkpoint, out, request), EvaluationData(text=kept))
    printed = run(text, tmp_path)

    assert "missing" not in printed
    assert "not in the model" not in printed
    found = []
    for home in (folder, out):
        net = t.LlamaForCausalLM.from_pretrained(home)
        tokenizer = t.PreTrainedTokenizerFast.from_pretrained(home)
        ids = tokenizer("cde", return_tensors="pt")["input_ids"]
        with torch.no_grad():
            found.append(float(net(input_ids=ids, labels=ids).loss.exp()))
    rows = re.findall(r"^ +(\d+\.\d\d) +(\d+\.\d\d)  cde$", printed, re.MULTILINE)
    (row,) = set(rows)
    assert "The first 64 of 80 sentences of kept.txt\n" in printed
    assert len(rows) == 32
    assert [float(x) for x in row] == pytest.approx(found, abs=0.01)
    assert found[0] != pytest.approx(found[1], abs=0.01)
    assert ("The outputs have other shapes" in printed) == tokens
    assert ("Same most likely next token" in printed) != tokens


def test_a_shrunk_graph_is_compared_by_an_evaluation_script_only(tmp_path):
    save(NETWORKS["residual"](), tmp_path / "net.onnx")
    own = tmp_path / "my_evaluation.py"
    own.write_text(
        "import onnx\n\nload = onnx.load\n\n\ndef evaluate(model):\n"
        "    return sum(sum(len(x.raw_data) for x in model.graph.initializer) for _ in [0])\n"
    )
    with open_checkpoint(tmp_path / "net.onnx") as checkpoint:
        out = tmp_path / "net-shrunk.onnx"
        report = cut(checkpoint, out, CutRequest(shares={"channels": 0.5}, multiple=1))
        text = check_script(checkpoint, report, EvaluationData(script=own))
        with pytest.raises(ExportError, match=r"cannot run .net-shrunk\.onnx.") as caught:
            check_script(checkpoint, report)
    assert caught.value.remedy == "Evaluate a state with a script, and export again."
    (line,) = [line for line in run(text, tmp_path).splitlines() if line.startswith("score")]
    before, after = (float(x) for x in line.split()[1:3])
    assert 0 < after < before
