"""The recipes of docs/training.md run, and keep the zeros."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "training.md"


def recipe(title, number=0):
    """Return the code in a section of the page."""
    section = PAGE.read_text(encoding="utf-8").partition(f"# {title}\n")[2].partition("\n#")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)[number]


def run(title, number=0, **names):
    exec(compile(recipe(title, number), f"{PAGE} {title}", "exec"), names)
    return names


@pytest.fixture
def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))


@pytest.fixture
def loader():
    torch.manual_seed(1)
    return [(torch.randn(20, 6), torch.randint(3, (20,))) for _ in range(4)]


def prune_half(model):
    """Prune half of each matrix; return where."""
    zeros = {}
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1:
                zeros[name] = parameter.abs() <= parameter.abs().median()
                parameter.masked_fill_(zeros[name], 0)
    return zeros


def assert_trained(model, zeros, before):
    parameters = dict(model.named_parameters())
    for name, where in zeros.items():
        assert not parameters[name][where].any(), name
    assert any(not torch.equal(p, before[name]) for name, p in parameters.items())


def copy_of(model):
    return {name: p.detach().clone() for name, p in model.named_parameters()}


def test_plain_torch(model, loader, capsys):
    zeros, before = prune_half(model), copy_of(model)
    run("Keep zeros in your own training", model=model, loader=loader)
    assert_trained(model, zeros, before)
    assert "'0.weight': 48" in capsys.readouterr().out


def test_recovery(model, loader, capsys):
    before = copy_of(model)
    found = run("Recover without labels", model=model, loader=loader)
    assert all(torch.equal(p, before[name]) for name, p in model.named_parameters())
    assert found["result"].rounded < found["result"].start
    assert (found["pruned"][0].weight == 0).sum() >= 0.75 * 96
    assert capsys.readouterr().out


@pytest.mark.logs
@pytest.mark.filterwarnings("ignore")
def test_lightning(model, loader):
    pytorch_lightning = pytest.importorskip("pytorch_lightning")

    class Module(pytorch_lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = model

        def training_step(self, batch, _number):
            return nn.functional.cross_entropy(self.model(batch[0]), batch[1])

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), 0.01)

    module = Module()
    zeros, before = prune_half(module), copy_of(module)
    run("Lightning", module=module, loader=DataLoader(loader, batch_size=None))
    assert_trained(module, zeros, before)


@pytest.mark.logs
@pytest.mark.filterwarnings("ignore")
def test_transformers(tmp_path, monkeypatch):
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    monkeypatch.chdir(tmp_path)
    config = transformers.BertConfig(
        vocab_size=20,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=8,
    )
    model = transformers.BertForSequenceClassification(config)
    zeros, before = prune_half(model), copy_of(model)
    dataset = [{"input_ids": torch.randint(20, (5,)), "labels": n % 2} for n in range(16)]
    run("transformers", model=model, dataset=dataset)
    assert_trained(model, zeros, before)


@pytest.mark.logs
@pytest.mark.filterwarnings("ignore")
def test_timm(loader):
    timm = pytest.importorskip("timm")
    model = timm.create_model("test_resnet", num_classes=3)
    zeros, before = prune_half(model), copy_of(model)
    images = [(torch.randn(4, 3, 32, 32), y[:4]) for _, y in loader]
    found = run("timm", model=model, loader=images)
    assert_trained(model, zeros, before)
    average = dict(found["average"].module.named_parameters())
    assert not any(average[name][where].any() for name, where in zeros.items())


@pytest.mark.logs
@pytest.mark.filterwarnings("ignore")
def test_sentence_transformers(tmp_path, monkeypatch):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    datasets = pytest.importorskip("datasets")
    pytest.importorskip("accelerate")
    transformers = pytest.importorskip("transformers")
    monkeypatch.chdir(tmp_path)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "c", "d"]
    Path("vocab.txt").write_text("\n".join(words))
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
    )
    transformers.BertModel(config).save_pretrained("bert")
    transformers.BertTokenizerFast("vocab.txt").save_pretrained("bert")
    model = sentence_transformers.SentenceTransformer("bert", device="cpu")
    unpruned = copy.deepcopy(model)
    zeros, before = prune_half(model), copy_of(model)
    dataset = datasets.Dataset.from_dict({"a": ["a b", "c d"] * 4, "b": ["a", "d c"] * 4})
    run("sentence-transformers", model=model, dataset=dataset)
    assert_trained(model, zeros, before)
    before = copy_of(model)
    sentences = ["a b c", "d", "b b a", "c a d b"] * 8
    run(
        "Recover without labels",
        1,
        pruneapp=__import__("pruneapp"),
        model=unpruned,
        pruned=model,
        sentences=sentences,
    )
    assert_trained(model, zeros, before)
