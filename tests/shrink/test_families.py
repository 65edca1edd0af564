"""Every family: every axis is cut, checked, and run by the class of transformers.

The reference is the model with zeros; if zeros cannot be equivalent, it is the model whose router
never selects the removed experts, or without the modules of the removed layers.
"""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.groups.family import model_types
from pruneapp.groups.structure import Structure, structure_of
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.progress import Job
from pruneapp.shrink.check import FolderChecker
from pruneapp.shrink.plan import Choices, legal_sizes, plan, survey
from pruneapp.shrink.proof import class_proof
from pruneapp.shrink.shrink import ShrinkRequest, shrink
from pruneapp.shrink.tokens.vocabulary import VocabularyCut
from pruneapp.shrink.unit_choice import choose_units, prune_layers, prune_units, scores_of
from tests.shrink.tiny_models import TINY_MODELS

# One of each layout; the others take minutes.
SAMPLE = {"llama", "bert", "gpt2", "phi3", "t5", "gpt_oss", "deepseek_v3", "vit", "swin", "mamba"}
MULTIPLE = 8
NAMES = [
    pytest.param(name, marks=() if name in SAMPLE else pytest.mark.slow) for name in TINY_MODELS
]


@pytest.fixture(scope="module")
def checker():
    with FolderChecker() as running:
        yield running


def chosen(state: Snapshot, structure: Structure, name: str) -> tuple[Snapshot, Choices]:
    """Select units of an axis: about a third of the units, one layer, or two experts less."""
    axis, job = structure.axes[name], Job()
    if name == "layers":
        gone = (axis.count - 2,)
        return prune_layers(state, axis, gone, job), Choices(MULTIPLE, gone)
    if name == "vocabulary":
        kept = np.flatnonzero(np.arange(axis.count) % 3 != 2 | (np.arange(axis.count) < 8))
        cut = VocabularyCut(axis.count, kept, "exact for this text", {}, (), ())
        return state, Choices(MULTIPLE, vocabulary=cut)
    scores = scores_of(state, axis, "l2", CpuKernel(), job)
    if name == "experts":
        return state, Choices(MULTIPLE, experts=axis.count - 2, expert_scores=scores)
    sizes = legal_sizes(axis, structure.fields, MULTIPLE)
    size = min(sizes[:-1], key=lambda n: abs(n - 0.7 * axis.count))
    wanted = [(group, size * group.count // axis.count) for group in axis.groups]
    going = choose_units(state, wanted, scores, survey(state, structure, job), job)
    return prune_units(state, going, job), Choices(MULTIPLE)


def said(choices: Choices) -> dict[str, object]:
    """Return the choices other than the multiple."""
    found = {field.name: getattr(choices, field.name) for field in fields(choices)}
    return {name: it for name, it in found.items() if it != getattr(Choices(MULTIPLE), name)}


@pytest.mark.parametrize("name", NAMES)
def test_every_axis_that_is_offered_is_exact(name, tiny_folder, checker, tmp_path):
    with open_checkpoint(tiny_folder(name)) as checkpoint:
        structure = structure_of(checkpoint)
        assert isinstance(structure, Structure)
        offered = [n for n, axis in structure.axes.items() if not axis.why_not]
        assert offered
        # Separately, or all at once, because a class is loaded and run for each.
        for axes in [[axis] for axis in offered] if name in SAMPLE else [offered]:
            state, choices = Snapshot(checkpoint), Choices(MULTIPLE)
            for axis in axes:
                state, more = chosen(state, structure, axis)
                choices = replace(choices, **said(more))
            planned = plan(state, structure, choices, Job())
            cut = {change.name: change for change in planned.axes}
            for axis in axes:
                assert cut[axis].after < cut[axis].before, axis
            target, job = tmp_path / axes[0], Job()
            proof = class_proof(state, planned, "run", target, job, checker=checker)
            with proof as (approve, results):
                shrink(state, planned, ShrinkRequest(target, {}, approve), job)
            (result,) = results
            assert result.largest_output, axes
            assert not list(tmp_path.glob(".*"))
        # Once per family: the requirements are those of the class, not of the axis.
        assert checker.check(target, how="meta", job=Job()).transformers == result.transformers


LARGER = ", so fewer heads would be read with a larger size."
HEADS = f"computes the head size as hidden_size / num_attention_heads{LARGER}"
NORMS = "normalizes over all heads together, so the mean would change."
PAIRS = (
    "Heads cannot be removed: DiffLlama pairs its heads, so a model with fewer heads would load "
    "but compute wrong results."
)
ENCODERS = (
    "bart",
    "bert",
    "camembert",
    "deberta-v2",
    "electra",
    "marian",
    "mpnet",
    "roberta",
    "xlm-roberta",
)
REFUSED = {
    **{(name, "kv-groups"): f"Heads cannot be removed: {name} {HEADS}" for name in ENCODERS},
    ("albert", "kv-groups"): f"Heads cannot be removed: ALBERT {HEADS}",
    ("albert", "layers"): (
        "Layers cannot be removed: ALBERT has one layer, which it runs several times."
    ),
    ("bloom", "ffn"): (
        "FFN neurons cannot be removed: the code of Bloom sets the width to 4 * hidden_size."
    ),
    ("bloom", "kv-groups"): f"Heads cannot be removed: Bloom {HEADS}",
    ("clip_vision", "kv-groups"): f"Heads cannot be removed: CLIP {HEADS}",
    ("diffllama", "kv-groups"): PAIRS,
    ("diffllama", "query-heads"): PAIRS,
    ("diffllama", "layers"): (
        "Layers cannot be removed: DiffLlama computes with the index of each layer, so a model "
        "with fewer layers would load but compute wrong results."
    ),
    ("distilbert", "kv-groups"): (
        f"Heads cannot be removed: DistilBERT computes the head size as dim / n_heads{LARGER}"
    ),
    ("falcon40b", "kv-groups"): f"Heads cannot be removed: Falcon {HEADS}",
    ("falcon7b", "kv-groups"): f"Heads cannot be removed: Falcon {HEADS}",
    **{
        (name, "vocabulary"): (
            "The vocabulary cannot be reduced: the model refers to tokens of images by their ID."
        )
        for name in ("gemma3", "llava", "qwen2_5_vl")
    },
    ("qwen2_5_vl", "kv-groups"): f"Heads cannot be removed: Qwen2.5-VL {HEADS}",
    ("gpt2", "kv-groups"): (
        f"Heads cannot be removed: GPT-2 computes the head size as n_embd / n_head{LARGER}"
    ),
    ("gpt_bigcode", "kv-groups"): (
        "Heads cannot be removed: GPTBigCode has a single key/value head and computes the head "
        f"size as n_embd / n_head{LARGER}"
    ),
    ("gpt_neo", "kv-groups"): f"Heads cannot be removed: GPT-Neo {HEADS}",
    ("gpt_neox", "kv-groups"): f"Heads cannot be removed: GPT-NeoX {HEADS}",
    ("gptj", "kv-groups"): (
        f"Heads cannot be removed: GPT-J computes the head size as n_embd / n_head{LARGER}"
    ),
    ("helium", "kv-groups"): f"Heads cannot be removed: Helium {HEADS}",
    ("helium", "query-heads"): f"Heads cannot be removed: Helium {HEADS}",
    ("modernbert", "kv-groups"): f"Heads cannot be removed: ModernBERT {HEADS}",
    ("mpt", "ffn"): (
        "FFN neurons cannot be removed: the code of MPT sets the width to 4 * hidden_size and "
        "does not read expansion_ratio."
    ),
    ("mpt", "kv-groups"): (
        f"Heads cannot be removed: MPT computes the head size as d_model / n_heads{LARGER}"
    ),
    ("nomic_bert", "kv-groups"): f"Heads cannot be removed: NomicBERT {HEADS}",
    ("olmo2", "kv-groups"): f"Heads cannot be removed: OLMo 2 {NORMS}",
    ("olmo2", "query-heads"): f"Heads cannot be removed: OLMo 2 {NORMS}",
    ("olmo3", "kv-groups"): f"Heads cannot be removed: OLMo 2 {NORMS}",
    ("olmo3", "query-heads"): f"Heads cannot be removed: OLMo 2 {NORMS}",
    ("olmoe", "kv-groups"): f"Heads cannot be removed: OLMoE {NORMS}",
    ("olmoe", "query-heads"): f"Heads cannot be removed: OLMoE {NORMS}",
    ("opt", "kv-groups"): f"Heads cannot be removed: OPT {HEADS}",
    ("persimmon", "kv-groups"): f"Heads cannot be removed: Persimmon {HEADS}",
    ("siglip_vision", "kv-groups"): f"Heads cannot be removed: SigLIP {HEADS}",
    ("stablelm", "kv-groups"): f"Heads cannot be removed: StableLm {HEADS}",
    ("stablelm", "query-heads"): f"Heads cannot be removed: StableLm {HEADS}",
    ("swin", "kv-groups"): (
        f"Heads cannot be removed: Swin computes the head size as dim / num_heads{LARGER}"
    ),
    ("swin", "layers"): "Layers cannot be removed: the stages of Swin have different widths.",
    ("wav2vec2", "kv-groups"): f"Heads cannot be removed: Wav2Vec2 {HEADS}",
    ("whisper", "kv-groups"): f"Heads cannot be removed: Whisper {HEADS}",
}


@pytest.mark.parametrize("name", NAMES)
def test_the_others_are_refused_word_for_word(name, tiny_folder):
    with open_checkpoint(tiny_folder(name)) as checkpoint:
        structure = structure_of(checkpoint)
        assert isinstance(structure, Structure)
        refused = {(name, n): a.why_not for n, a in structure.axes.items() if a.why_not}
    assert refused == {key: words for key, words in REFUSED.items() if key[0] == name}


def test_every_type_that_is_known_is_tested(tiny_folder):
    tested = set()
    for name in TINY_MODELS:
        with open_checkpoint(tiny_folder(name)) as checkpoint:
            structure = structure_of(checkpoint)
            assert isinstance(structure, Structure)
            tested.add(structure.model_type)
    assert set(model_types()) - tested == set()


def test_the_page_names_every_type():
    page = (Path(__file__).resolve().parents[2] / "docs" / "shrink.md").read_text("utf-8")
    table = {cell.strip() for line in page.splitlines() if "|" in line for cell in line.split("|")}
    named = {name for cell in table for name in cell.split(", ")}
    assert set(model_types()) - named == set()
