"""First and last blocks, from the names of real models."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.checkpoint.prunability import Judge, find_modules
from pruneapp.document.layer_order import end_blocks_of, last_layer_of
from tests.support.memory_checkpoint import MemoryCheckpoint

LAYERS = range(12)
CODERS = ("encoder", "decoder")
WAYS = ("down", "up")
# Each name is followed by its number of dimensions; "*" means an additional bias.
MODELS = {
    "BERT": (
        [
            *("bert.embeddings.word_embeddings.weight 2", "bert.embeddings.LayerNorm* 1"),
            *(f"bert.encoder.layer.{i}.attention.self.query* 2" for i in LAYERS),
            *(f"bert.encoder.layer.{i}.attention.output.dense* 2" for i in LAYERS),
            *(f"bert.encoder.layer.{i}.output.dense* 2" for i in LAYERS),
            *(f"bert.encoder.layer.{i}.output.LayerNorm* 1" for i in LAYERS),
            *("bert.pooler.dense* 2", "classifier* 2"),
        ],
        "bert.encoder.layer.0",
        "classifier",
    ),
    "BertModel": (
        [
            *("embeddings.word_embeddings.weight 2", "pooler.dense* 2"),
            *(f"encoder.layer.{i}.output.dense* 2" for i in LAYERS),
        ],
        "encoder.layer.0",
        "encoder.layer.11",
    ),
    "LLaVA whose head is elsewhere": (
        [
            *("model.embed_tokens.weight 2", "model.norm.weight 1"),
            *(f"model.mm_projector.{i}* 2" for i in (0, 2)),
            *(f"model.layers.{i}.self_attn.q_proj.weight 2" for i in LAYERS),
        ],
        "model.layers.0",
        "model.layers.11",
    ),
    "a pooler behind layers without numbers": (
        [f"{n}* 2" for n in ("dense1", "dense2", "pooler.dense")],
        "dense1",
        "dense2",
    ),
    "a pooler alone": (["pooler.dense* 2"], "pooler", "pooler"),
    "Llama": (
        [
            *("model.embed_tokens.weight 2", "model.norm.weight 1", "lm_head.weight 2"),
            *(f"model.layers.{i}.self_attn.q_proj.weight 2" for i in LAYERS),
            *(f"model.layers.{i}.mlp.up_proj.weight 2" for i in LAYERS),
            *(f"model.layers.{i}.input_layernorm.weight 1" for i in LAYERS),
        ],
        "model.layers.0",
        "lm_head",
    ),
    "Llama whose head is the embedding": (
        [
            *("model.embed_tokens.weight 2 lm_head.weight", "model.norm.weight 1"),
            *(f"model.layers.{i}.self_attn.q_proj.weight 2" for i in LAYERS),
        ],
        "model.layers.0",
        "model.layers.11",
    ),
    "ResNet": (
        [
            *("conv1.weight 4", "bn1* 1", "fc* 2"),
            *(f"layer{i}.{j}.conv{k}.weight 4" for i in (1, 2) for j in (0, 1) for k in (1, 2)),
            "layer2.0.downsample.0.weight 4",
        ],
        "conv1",
        "fc",
    ),
    "ResNet of transformers": (
        [
            "resnet.embedder.embedder.convolution.weight 4",
            *(f"resnet.encoder.stages.{i}.layers.0.layer.0.convolution.weight 4" for i in (0, 1)),
            "classifier.1* 2",
        ],
        "resnet.embedder",
        "classifier.1",
    ),
    "ViT of timm": (
        [
            *("cls_token 3", "pos_embed 3", "patch_embed.proj* 4", "norm* 1", "head* 2"),
            *(f"blocks.{i}.attn.qkv* 2" for i in LAYERS),
        ],
        "patch_embed",
        "head",
    ),
    "ViT of transformers": (
        [
            *("vit.embeddings.cls_token 3", "vit.embeddings.position_embeddings 3"),
            *("vit.embeddings.patch_embeddings.projection* 4", "vit.layernorm* 1"),
            *(f"vit.encoder.layer.{i}.output.dense* 2" for i in LAYERS),
            "classifier* 2",
        ],
        "vit.embeddings",
        "classifier",
    ),
    "GPT-2": (
        [
            *("transformer.wte.weight 2", "transformer.wpe.weight 2", "transformer.ln_f* 1"),
            *(f"transformer.h.{i}.attn.c_attn* 2" for i in LAYERS),
        ],
        "transformer.h.0",
        "transformer.h.11",
    ),
    "T5": (
        [
            *("shared.weight 2", "encoder.final_layer_norm.weight 1", "lm_head.weight 2"),
            *(f"{s}.block.{i}.layer.0.SelfAttention.q.weight 2" for s in CODERS for i in LAYERS),
        ],
        "encoder.block.0",
        "lm_head",
    ),
    "SDXL UNet": (
        [
            *("add_embedding.linear_1* 2", "time_embedding.linear_1* 2", "conv_in* 4"),
            *(f"down_blocks.{i}.resnets.{j}.conv1* 4" for i in range(3) for j in range(2)),
            *("mid_block.resnets.0.conv1* 4", "mid_block.attentions.0.proj_in* 2"),
            *(f"up_blocks.{i}.resnets.{j}.conv1* 4" for i in range(3) for j in range(2)),
            *("conv_norm_out* 1", "conv_out* 4"),
        ],
        "conv_in",
        "conv_out",
    ),
    "MobileNetV2": (
        [
            *("features.0.0.weight 4", "features.0.1* 1", "features.18.0.weight 4"),
            *(f"features.{i}.conv.0.0.weight 4" for i in range(1, 18)),
            "classifier.1* 2",
        ],
        "features.0",
        "classifier.1",
    ),
    "EfficientNet of timm": (
        [
            *("conv_stem.weight 4", "conv_head.weight 4", "classifier* 2"),
            *(f"blocks.{i}.{j}.conv_pw.weight 4" for i in range(7) for j in range(2)),
        ],
        "conv_stem",
        "classifier",
    ),
    "LeNet in a wrapper": (
        [f"net.{n}* {d}" for n, d in (("conv1", 4), ("conv2", 4), ("fc1", 2), ("fc3", 2))],
        "net.conv1",
        "net.fc3",
    ),
    "a sequence": ([f"{i}* 2" for i in (0, 2, 4, 10)], "0", "10"),
    "a U-Net": (
        [
            "inc.conv.weight 4",
            "outc.conv* 4",
            *(f"{w}{i}.c.weight 4" for w in WAYS for i in (1, 2)),
        ],
        "inc",
        "outc",
    ),
    "one layer": (["weight 2", "bias 1"], "weight", "weight"),
}


def entries_of(said):
    """Return entries of such names in alphabetical order, with their inferred kinds."""
    shapes, aliases = {}, {}
    for one in said:
        name, dims, *others = one.split(" ")
        name, star, _ = name.partition("*")
        weight = f"{name}.weight" if star else name
        shapes[weight], aliases[weight] = (2,) * int(dims), tuple(others)
        if star:
            shapes[f"{name}.bias"] = (2,)
    arrays = {name: np.zeros(shapes[name], np.float32) for name in sorted(shapes)}
    more = {name: {"aliases": others} for name, others in aliases.items() if others}
    entries = list(MemoryCheckpoint(arrays, **more).entries.values())
    verdicts = Judge(find_modules(entries)).judge(entries)
    return [e._replace(kind=v.kind) for e, v in zip(entries, verdicts, strict=True)]


@pytest.mark.parametrize("model", MODELS)
def test_the_ends_of_a_model_are_told_by_its_names(model):
    """In alphabetical order and in reverse; every tensor of the block."""
    said, *ends = MODELS[model]
    entries = entries_of(said)
    expected = tuple(
        {e.name for e in entries if e.name == block or e.name.startswith(f"{block}.")}
        for block in ends
    )
    assert end_blocks_of(entries) == end_blocks_of(entries[::-1]) == expected


def test_the_last_layer_is_the_only_matrix_of_the_last_block():
    layers = {
        "ResNet": "fc.weight",
        "Llama": "lm_head.weight",
        "a pooler alone": "pooler.dense.weight",
        "BertModel": None,
        "Llama whose head is the embedding": None,
    }
    found = {model: last_layer_of(entries_of(MODELS[model][0])) for model in layers}
    assert found == layers
    assert last_layer_of(entries_of(["up.0.conv.weight 4", "outc.conv* 4"])) == "outc.conv.weight"
    assert last_layer_of(entries_of(["0* 2", "2* 2", "4* 2"])) == "4.weight"
    assert last_layer_of([]) is None


def test_numbers_are_numbers_and_what_says_nothing_keeps_the_order_of_definition():
    names = ["beta.weight 2", "alpha.weight 2", "gamma.weight 2"]
    entries = {e.name: e for e in entries_of(names)}
    defined = [entries[name] for name in ("beta.weight", "gamma.weight", "alpha.weight")]
    assert end_blocks_of(defined) == ({"beta.weight"}, {"alpha.weight"})
    assert end_blocks_of(entries.values()) == ({"alpha.weight"}, {"gamma.weight"})
    stages = entries_of([f"stage{i}.conv.weight 4" for i in range(1, 12)])
    assert end_blocks_of(stages) == ({"stage1.conv.weight"}, {"stage11.conv.weight"})


def test_nothing_is_at_the_ends_of_a_model_without_layers():
    assert end_blocks_of(entries_of(["a.bias 1", "embed.weight 2"])) == (set(), set())
