"""Model folders saved by old and new versions of transformers are measured and repaired.

Old versions stored buffers that new ones compute: position ids, attention masks, frequencies.
Checkpoints of pretraining also contain heads that the class in ``config.json`` lacks.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.selection import default_selection
from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation.calibrated_repair import RepairSettings, repair_by_script
from pruneapp.evaluation.collection import collect
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.evaluation.script import EvaluationScript, Interpreter, Options
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from tests.shrink.tiny_models import TINY_MODELS, make

# Inputs for a model of any modality; the folder is loaded by the built-in script.
SCRIPT = """
import torch

def inputs(model):
    config, main = model.config, model.main_input_name
    generator = torch.Generator().manual_seed(5)
    draw = lambda *shape: torch.randn(2, *shape, generator=generator)
    ids = torch.randint(5, 200, (2, 8), generator=generator)
    found = {"decoder_input_ids": ids} if config.is_encoder_decoder else {}
    if main == "input_ids":
        return {main: ids, **found}
    if main == "input_values":
        return {main: draw(400)}
    if main == "input_features":
        return {main: draw(config.num_mel_bins, 2 * config.max_source_positions), **found}
    return {main: draw(3, config.image_size, config.image_size)}

@torch.no_grad()
def calibrate(model):
    model(**inputs(model))

@torch.no_grad()
def evaluate(model):
    output = model(**inputs(model))
    first = next(value for value in output.values() if isinstance(value, torch.Tensor))
    return float(first.double().abs().mean())
"""
# Encoders, decoders, experts that transformers fuses, images and audio; the others are slow.
FAST = frozenset({"bert", "gpt2", "llama", "marian", "mixtral", "mpnet", "roberta", "swin", "t5"})


HEAD = "cls.predictions.extra.dense.weight"


class LastingRunner(ScriptRunner):
    """A runner whose process serves all families, because importing transformers takes seconds."""

    def close(self) -> None:
        """Do nothing: a repair would end the process."""


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    script = tmp_path_factory.mktemp("script") / "evaluation.py"
    script.write_text(SCRIPT)
    python = Interpreter(Path(sys.executable), "ours")
    made = LastingRunner(EvaluationScript.read(script), python, Options(device="cpu"))
    with closing(made.worker):
        yield made


@pytest.fixture(scope="module")
def new_folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("families")

    def folder(name):
        made = place / name
        return made if made.is_dir() else make(name, made)

    return folder


def save_as_before(folder: Path, new: Path, *, pickled: bool = False) -> Path:
    """Write the tensors of a folder with those that old versions of transformers also stored."""
    tensors = load_file(new / "model.safetensors")
    stem = next(iter(tensors)).partition(".")[0]
    tensors |= {
        f"{stem}.embeddings.position_ids": torch.arange(64)[None],
        f"{stem}.h.0.attn.bias": torch.ones(1, 1, 64, 64).tril(),
        f"{stem}.h.0.attn.masked_bias": torch.tensor(-1e4),
        f"{stem}.layers.0.attention.mask": torch.ones(1, 1, 64, 64, dtype=torch.bool).tril(),
        f"{stem}.layers.0.rotary_emb.inv_freq": torch.rand(4),
    }
    if new.name == "bert":  # a pretraining head, which the class lacks
        tensors[HEAD] = torch.randn(64, 64)
    folder.mkdir()
    shutil.copy(new / "config.json", folder)
    if pickled:
        torch.save(tensors, folder / "pytorch_model.bin")
    else:
        save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    return folder


def pruned(state: Snapshot) -> Snapshot:
    draw = np.random.default_rng(0)
    names = default_selection(state.checkpoint)
    masks = {
        name: BitMask.from_bools(draw.random(state.entry(name).numel) >= 0.5) for name in names
    }
    return state.with_masks({"masks": masks})


def score(runner, state):
    return runner.run(state, 0, Job()).metrics["score"].value


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in FAST else [pytest.mark.slow]) for n in TINY_MODELS]
)
def test_each_family_is_evaluated_calibrated_and_repaired(name, runner, new_folder, tmp_path):
    new = new_folder(name)
    with open_checkpoint(new) as checkpoint:
        dense = score(runner, Snapshot(checkpoint))
    old = save_as_before(tmp_path / "old", new)
    with open_checkpoint(old) as checkpoint:
        state = Snapshot(checkpoint)
        less = pruned(state)
        assert score(runner, state) == dense
        assert score(runner, less) != dense
        done = repair_by_script(runner, less, RepairSettings(iterations=2), Job())
        assert {layer.name for layer in done.repair.layers} <= set(default_selection(checkpoint))
        seen = collect(runner, state, tmp_path / "statistics.safetensors", Job()).seen
        assert {layer.name for layer in done.repair.layers} == set(seen) & set(less.masks)
        assert done.repair.layers
        assert (HEAD in less.masks) == (HEAD in done.repair.unknown) == (name == "bert")


def test_a_folder_with_a_pickle_alone_is_measured(runner, new_folder, tmp_path):
    new = new_folder("bert")
    with open_checkpoint(new) as checkpoint:
        dense = score(runner, Snapshot(checkpoint))
    with open_checkpoint(save_as_before(tmp_path / "old", new, pickled=True)) as checkpoint:
        state = Snapshot(checkpoint)
        assert score(runner, state) == dense
        assert score(runner, pruned(state)) != dense


def test_joined_weights_of_another_file_are_refused_beside_a_head_that_is_not_used(
    runner, new_folder, tmp_path
):
    """The fused experts of Mixtral can be compared only by their zeros."""
    new = new_folder("mixtral")
    old = save_as_before(tmp_path / "old", new)
    zeros = save_as_before(tmp_path / "zeros", new)
    tensors = load_file(zeros / "model.safetensors")
    for name in tensors:
        if ".experts." in name:
            tensors[name].view(-1)[::2] = 0
    save_file(tensors, zeros / "model.safetensors", {"format": "pt"})
    with open_checkpoint(zeros) as checkpoint:
        runner._handover = None
        call = runner.worker.call

        def load_other(what, *args, **more):
            if "path" in more and what == "open":
                more["path"] = str(old)
            return call(what, *args, **more)

        runner.worker.call = load_other
        try:
            with pytest.raises(EvaluationError, match="in another form have 0 zeros"):
                runner.run(Snapshot(checkpoint), 0, Job())
        finally:
            del runner.worker.call
