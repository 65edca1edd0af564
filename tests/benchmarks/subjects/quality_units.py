"""Quality of scores of units: FFN neurons cut by a norm, by Wanda, and by FLAP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.selection import select
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.methods.registry import get
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.repair.repair import compute_repair
from pruneapp.statistics.file import register
from tests.benchmarks.benchmark import Ground, Line, Subject, TimesPeer
from tests.benchmarks.subjects.quality import DRAWS, save_moments

if TYPE_CHECKING:
    from torch import nn

    from tests.benchmarks.quality_models import QualityModel

METHOD = "ffn_neurons"
SCORES = ("l2", "wanda", "flap")
AMOUNTS = (0.1, 0.3, 0.5)


def measure(ground: Ground) -> Iterator[Line]:
    from tests.benchmarks.char_llama import quality_model, train  # imports torch
    from tests.benchmarks.quality_models import known

    model = quality_model(train(ground.folder / "char-llama"))
    with open_checkpoint(model.path.parent) as checkpoint:
        whole = Snapshot(checkpoint)
        dense = model.load(whole)
        yield Line("char llama", "perplexity, unpruned", model.score(dense, dense), "")
        draws = [model.moments(dense, draw) for draw in range(DRAWS)]
        files = [ground.folder / f"units-{draw}.safetensors" for draw in range(DRAWS)]
        for file, moments in zip(files, draws, strict=True):
            save_moments(file, moments)
        names = [register(file) for file in files]
        for amount in AMOUNTS:
            peer = None
            for by in SCORES:
                scores, repaired = [], []
                for name, moments in zip(names, draws, strict=True):
                    state = _pruned(whole, amount, by, name)
                    down = [tensor for tensor in state.masks if "down_proj" in tensor]
                    edit = compute_repair(state, known(moments), Job(), names=down).edit
                    scores.append(model.score(model.load(state), dense))
                    repaired.append(model.score(model.load(state.with_masks(edit.after)), dense))
                ours = float(np.mean(scores))
                yield Line(
                    f"char llama, {amount:.0%} by {by}",
                    "perplexity",
                    ours,
                    "",
                    peer=peer,
                    bound=None if peer is None else TimesPeer(1.0),
                    note=f"{min(scores):.3f} to {max(scores):.3f}; repaired "
                    f"{np.mean(repaired):.3f}",
                )
                peer = peer or ours
    yield from _random(ground)


def _random(ground: Ground) -> Iterator[Line]:
    """Measure the change of outputs of models with random weights and inputs of different sizes."""
    errors: dict[str, list[float]] = {by: [] for by in SCORES}
    for seed in range(DRAWS):
        model = _random_llama(ground.folder / f"random-llama-{seed}", seed)
        with open_checkpoint(model.path.parent) as checkpoint:
            whole = Snapshot(checkpoint)
            dense = model.load(whole)
            file = ground.folder / f"random-{seed}.safetensors"
            save_moments(file, model.moments(dense, 0))
            name = register(file)
            for by, found in errors.items():
                state = _pruned(whole, 0.3, by, name)
                found.append(model.score(model.load(state), dense))
    peer = None
    for by, found in errors.items():
        ours = float(np.mean(found))
        yield Line(
            f"random llama, 30% by {by}",
            "error of the outputs",
            100 * ours,
            "%",
            peer=peer,
            bound=None if peer is None else TimesPeer(1.0),
            note=f"{min(found):.0%} to {max(found):.0%}",
        )
        peer = peer or 100 * ours


def _pruned(state: Snapshot, amount: float, by: str, statistics: str) -> Snapshot:
    values = {"amount": amount, "by": by, "multiple": "1"}
    if get(METHOD).needs_statistics(values):
        values["statistics"] = statistics
    names = select(state.checkpoint, ["model.layers.*.mlp.*"])
    step = Step((Row(names, METHOD, values),), "local")
    preview = compute_preview(state, step, CpuKernel(), Job(), norms=False)
    return state.with_masks(preview.edit.after)


def _random_llama(folder: Path, seed: int) -> QualityModel:
    import torch
    import transformers

    from tests.benchmarks.quality_models import QualityModel

    def make() -> nn.Module:
        return transformers.LlamaForCausalLM(
            transformers.LlamaConfig(
                vocab_size=256,
                hidden_size=64,
                intermediate_size=192,
                num_hidden_layers=4,
                num_attention_heads=4,
                num_key_value_heads=2,
                initializer_range=0.08,
                use_cache=False,
            )
        )

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    model = make()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "layernorm" in name:  # scales of channels that differ by a factor of e or more
                weight.copy_(torch.exp(torch.randn(weight.shape)))
    model.save_pretrained(folder)

    def tokens(draw: int) -> torch.Tensor:
        generator = torch.Generator().manual_seed(draw)
        return torch.randint(256, (64, 64), generator=generator)

    @torch.no_grad()
    def error(pruned: nn.Module, dense: nn.Module) -> np.ndarray:
        wanted, found = dense(tokens(99)).logits, pruned(tokens(99)).logits
        return ((found - wanted).norm() / wanted.norm()).numpy()

    return QualityModel(folder / "model.safetensors", make, "", tokens, error, float)


SUBJECT = Subject(
    "quality-units",
    "Scores of units",
    measure,
    "The language model of the tables above, with a share of the FFN neurons of each layer pruned:"
    " by their L2 norm, by Wanda, and by FLAP, without a repair; the notes have what a repair of"
    " the matrices that read the neurons makes of it. Means of four draws of the calibration data,"
    " each 384 windows of 64 bytes of what the model was trained on, with their range. Below, four"
    " models of random weights whose norms make channels of very different sizes: the distance of"
    " their logits from those of the unpruned model, relative to these, on random tokens that the"
    " statistics have not seen. The peer is the L2 norm.",
    on_request=True,
    page="quality.md",
)
