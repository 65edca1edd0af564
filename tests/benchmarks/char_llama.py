"""A small byte-level language model, trained on three parts of Python's standard library."""

from __future__ import annotations

import math
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
import torch
import transformers
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - as everybody writes it

from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation.metric import Metric
from pruneapp.evaluation.runner import Measured
from pruneapp.evaluation.script import Options
from pruneapp.progress import Job
from tests.benchmarks.quality_models import QualityModel

STEPS = 1000
BATCH, TOKENS = 16, 64
# For each part: the index modulo 10 of its files, in the order of their names.
PARTS = {"scan": 8, "test": 9}


def text_of(part: str) -> Tensor:
    """Return the bytes of a part of the standard library: ``train``, ``scan`` or ``test``.

    ``prose`` is the text of Python's reference, in English.
    """
    if part == "prose":
        text = "\n".join(topics.values()).encode()
        return torch.from_numpy(np.frombuffer(bytearray(text), np.uint8))
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    numbers = {number: name for name, number in PARTS.items()}
    chosen = [f for i, f in enumerate(files) if numbers.get(i % 10, "train") == part]
    return torch.from_numpy(
        np.frombuffer(bytearray().join(f.read_bytes() for f in chosen), np.uint8)
    )


def windows(part: str, count: int, seed: int) -> Tensor:
    """Return `count` windows of a part, drawn with `seed`."""
    text = text_of(part)
    generator = torch.Generator().manual_seed(seed)
    starts = torch.randint(len(text) - TOKENS, (count,), generator=generator)
    return torch.stack([text[start : start + TOKENS + 1] for start in starts]).long()


def train(folder: Path) -> Path:
    """Train the model unless its file exists; return the file of its weights."""
    path = folder / "model.safetensors"
    if path.exists():
        return path
    torch.set_num_threads(1)  # threads that synchronize are slower on a busy machine
    torch.manual_seed(0)
    model = _model()
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, STEPS, pct_start=0.1)
    rows = windows("train", STEPS * BATCH, 0)
    for batch in rows.split(BATCH):
        loss = _losses(model, batch).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    model.save_pretrained(folder)
    return path


def _model() -> transformers.LlamaForCausalLM:
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=256,
            hidden_size=96,
            intermediate_size=256,
            num_hidden_layers=4,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=TOKENS,
            use_cache=False,
        )
    )


def _losses(model: transformers.LlamaForCausalLM, rows: Tensor) -> Tensor:
    """Return the loss of each token, as a flat tensor."""
    logits = model(rows[:, :-1]).logits
    return F.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten(), reduction="none")


def _mean_losses(model: transformers.LlamaForCausalLM, rows: Tensor) -> Tensor:
    """Return the mean loss of each window."""
    losses = torch.cat([_losses(model, batch) for batch in rows.split(32)])
    return losses.double().view(len(rows), TOKENS).mean(1)


def quality_model(path: Path, part: str = "train") -> QualityModel:
    """Return the trained model, scored by perplexity.

    `part` is the text that it is calibrated with; the default is the one that it was trained on.
    """
    tests = windows("test", 1024, 1)

    @torch.no_grad()
    def values(model: transformers.LlamaForCausalLM, _dense: object) -> np.ndarray:
        return _mean_losses(model, tests).numpy()

    def draw(seed: int) -> Tensor:
        return windows(part, 384, 100 + seed)

    return QualityModel(
        path,
        _model,
        "",
        lambda seed: draw(seed)[:, :-1],
        values,
        perplexity,
        lambda seed: draw(seed)[:, 1:],
    )


class LlamaRunner:
    """Evaluates states in this process, on windows of a part of the library."""

    agrees = has_reference = False
    directions = None
    interpreter = ""
    options = Options()

    def __init__(self, part: str, count: int, seed: int) -> None:
        self.name = self.key = self.sha256 = self.measuring_sha256 = f"{part} {count} {seed}"
        self.rows = windows(part, count, seed)
        self.model = _model().eval()

    def start(self, job: Job) -> None:
        """Do nothing: the model runs in this process."""

    def close(self) -> None:
        """Do nothing."""

    @torch.no_grad()
    def run(self, snapshot: Snapshot, seed: int, job: Job, *, reference: bool = False) -> Measured:
        """Return the loss of a state."""
        self.model.load_state_dict(dict(_tensors(snapshot)))
        loss = _mean_losses(self.model, self.rows).mean().item()
        return Measured({"loss": Metric(loss)}, 0.0)


def _tensors(state: Snapshot) -> Iterator[tuple[str, Tensor]]:
    for name, entry in state.checkpoint.entries.items():
        values, mask = state.bits(name).view(np.float32), state.export_mask(name)
        if mask is not None:
            values *= mask.bools()
        yield name, torch.from_numpy(values).reshape(entry.shape)


def perplexity(loss: float) -> float:
    """Return the perplexity of a loss in nats."""
    return math.exp(loss)
