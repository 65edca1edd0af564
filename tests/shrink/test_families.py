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


HEADS = "computes the size of a head as hidden_size / num_attention_heads, so heads cannot go."
NORMS = "has norms over all heads together: a cut changes their mean."
PAIRS = "DiffLlama pairs its heads: a model with fewer loads and is wrong."
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
    **{(name, "kv-groups"): f"{name} {HEADS}" for name in ENCODERS},
    ("albert", "kv-groups"): f"ALBERT {HEADS}",
    ("albert", "layers"): "ALBERT has one layer, which it runs several times.",
    ("bloom", "ffn"): (
        "The width of Bloom's feed-forward layers is written in its code as 4 * hidden_size."
    ),
    ("bloom", "kv-groups"): f"Bloom {HEADS}",
    ("clip_vision", "kv-groups"): f"CLIP {HEADS}",
    ("diffllama", "kv-groups"): PAIRS,
    ("diffllama", "query-heads"): PAIRS,
    ("diffllama", "layers"): (
        "DiffLlama computes with the number of each layer: a model with fewer loads and is wrong."
    ),
    ("distilbert", "kv-groups"): (
        "DistilBERT computes the size of a head as dim / n_heads, so heads cannot go."
    ),
    ("falcon40b", "kv-groups"): f"Falcon {HEADS}",
    ("falcon7b", "kv-groups"): f"Falcon {HEADS}",
    **{
        (name, "vocabulary"): (
            "Images refer to tokens of the vocabulary by their id, so it stays whole here."
        )
        for name in ("gemma3", "llava", "qwen2_5_vl")
    },
    ("qwen2_5_vl", "kv-groups"): f"Qwen2.5-VL {HEADS}",
    ("gpt2", "kv-groups"): (
        "GPT-2 computes the size of a head as n_embd / n_head, so heads cannot go."
    ),
    ("gpt_bigcode", "kv-groups"): (
        "GPTBigCode has one group of keys and values, and computes the size of a head as n_embd / "
        "n_head."
    ),
    ("gpt_neo", "kv-groups"): f"GPT-Neo {HEADS}",
    ("gpt_neox", "kv-groups"): f"GPT-NeoX {HEADS}",
    ("gptj", "kv-groups"): (
        "GPT-J computes the size of a head as n_embd / n_head, so heads cannot go."
    ),
    ("helium", "kv-groups"): f"Helium {HEADS}",
    ("helium", "query-heads"): f"Helium {HEADS}",
    ("modernbert", "kv-groups"): f"ModernBERT {HEADS}",
    ("mpt", "ffn"): (
        "The width of MPT's feed-forward layers is written in its code as 4 * hidden_size: "
        "expansion_ratio is not read."
    ),
    ("mpt", "kv-groups"): (
        "MPT computes the size of a head as d_model / n_heads, so heads cannot go."
    ),
    ("nomic_bert", "kv-groups"): f"NomicBERT {HEADS}",
    ("olmo2", "kv-groups"): f"OLMo 2 {NORMS}",
    ("olmo2", "query-heads"): f"OLMo 2 {NORMS}",
    ("olmo3", "kv-groups"): f"OLMo 2 {NORMS}",
    ("olmo3", "query-heads"): f"OLMo 2 {NORMS}",
    ("olmoe", "kv-groups"): f"OLMoE {NORMS}",
    ("olmoe", "query-heads"): f"OLMoE {NORMS}",
    ("opt", "kv-groups"): f"OPT {HEADS}",
    ("persimmon", "kv-groups"): f"Persimmon {HEADS}",
    ("siglip_vision", "kv-groups"): f"SigLIP {HEADS}",
    ("stablelm", "kv-groups"): f"StableLm {HEADS}",
    ("stablelm", "query-heads"): f"StableLm {HEADS}",
    ("swin", "kv-groups"): (
        "Swin computes the size of a head as dim / num_heads, so heads cannot go."
    ),
    ("swin", "layers"): "Swin has stages of several widths, not layers that are all alike.",
    ("wav2vec2", "kv-groups"): f"Wav2Vec2 {HEADS}",
    ("whisper", "kv-groups"): f"Whisper {HEADS}",
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
