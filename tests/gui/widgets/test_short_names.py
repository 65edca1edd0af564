"""Shortened names: unique within a file, and with all indices."""

import string
import time
from itertools import chain

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.gui.widgets.short_names import GAP, ShortNames


def of_model(model, config, **values):
    """Return the names of a model's state dict, built on the meta device."""
    import transformers  # takes seconds, and all other tests wait for it

    with torch.device("meta"):
        return list(
            getattr(transformers, model)(getattr(transformers, config)(**values)).state_dict()
        )


def bert(model="BertForMaskedLM"):
    return of_model(model, "BertConfig", hidden_size=48, intermediate_size=48, vocab_size=8)


def llama():
    values = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 32, "vocab_size": 8}
    return of_model("LlamaForCausalLM", "LlamaConfig", **values)


def vit():
    return of_model("ViTForImageClassification", "ViTConfig", hidden_size=48, intermediate_size=48)


def t5():
    return of_model("T5ForConditionalGeneration", "T5Config", d_model=8, d_ff=8, num_layers=6)


def normed(name, norm):
    kept = "weight", "bias", "running_mean", "running_var", "num_batches_tracked"
    return [f"{name}.weight", *(f"{norm}.{part}" for part in kept)]


def resnet(blocks=(3, 4, 6, 3)):
    """Return the names of torchvision's ResNet-50."""
    names = normed("conv1", "bn1")
    for layer, many in enumerate(blocks, 1):
        for block in range(many):
            stem = f"layer{layer}.{block}"
            for n in (1, 2, 3):
                names += normed(f"{stem}.conv{n}", f"{stem}.bn{n}")
            if block == 0:
                names += normed(f"{stem}.downsample.0", f"{stem}.downsample.1")
    return [*names, "fc.weight", "fc.bias"]


def both(*stems):
    return [f"{stem}.{end}" for stem in stems for end in ("weight", "bias")]


def unet_block(stem, resnets, transformers):
    for n in range(resnets):
        parts = "norm1", "conv1", "time_emb_proj", "norm2", "conv2", "conv_shortcut"
        yield from both(*(f"{stem}.resnets.{n}.{part}" for part in parts))
    for n, depth in enumerate(transformers):
        attention = f"{stem}.attentions.{n}"
        yield from both(*(f"{attention}.{part}" for part in ("norm", "proj_in", "proj_out")))
        for d in range(depth):
            block = f"{attention}.transformer_blocks.{d}"
            for attn in ("attn1", "attn2"):
                yield from (f"{block}.{attn}.to_{x}.weight" for x in "qkv")
                yield from both(f"{block}.{attn}.to_out.0")
            inner = "norm1", "norm2", "norm3", "ff.net.0.proj", "ff.net.2"
            yield from both(*(f"{block}.{part}" for part in inner))


def sdxl():
    """Return the names of the UNet of Stable Diffusion XL in diffusers."""
    around = "conv_in", "time_embedding.linear_1", "time_embedding.linear_2"
    added = "add_embedding.linear_1", "add_embedding.linear_2", "conv_norm_out", "conv_out"
    return [
        *both(*around, *added),
        *chain.from_iterable(
            unet_block(f"down_blocks.{n}", 2, (depth, depth) if depth else ())
            for n, depth in enumerate((0, 2, 10))
        ),
        *both("down_blocks.0.downsamplers.0.conv", "down_blocks.1.downsamplers.0.conv"),
        *unet_block("mid_block", 2, (10,)),
        *chain.from_iterable(
            unet_block(f"up_blocks.{n}", 3, (depth,) * 3 if depth else ())
            for n, depth in enumerate((10, 2, 0))
        ),
        *both("up_blocks.0.upsamplers.0.conv", "up_blocks.1.upsamplers.0.conv"),
    ]


MODELS = {
    "BERT": bert,
    "BERT without a head": lambda: bert("BertModel"),
    "Llama": llama,
    "ResNet": resnet,
    "ViT": vit,
    "SDXL": sdxl,
    "T5": t5,
}


def check(names):
    """Assert that every form of a name is unique, and contains its indices in order and its end."""
    short = ShortNames(names)
    owner = {}
    for name in names:
        parts = name.split(".")
        forms = short.forms(name)
        assert forms[0] == name
        assert short[name] == forms[-1]
        assert sorted(forms, key=len, reverse=True) == list(forms)
        for form in forms:
            assert owner.setdefault(form, name) == name
            left = [part for run in form.split(GAP) for part in run.split(".")]
            indices = [part for part in parts if part.isdigit()]
            assert [part for part in left if part.isdigit()] == indices
            assert form == name or left[-2:] == parts[-2:]
    return short


@pytest.mark.parametrize("model", MODELS)
def test_no_two_names_of_a_model_look_alike(model):
    names = MODELS[model]()
    assert len(set(names)) == len(names) > 50
    short = check(names)
    assert len({short[name] for name in names}) == len(names)


@pytest.mark.parametrize(
    ("model", "name", "forms"),
    [
        (
            "BERT",
            "bert.encoder.layer.3.attention.output.dense.weight",
            ["…layer.3.attention.output.dense.weight"],
        ),
        ("BERT", "bert.encoder.layer.3.output.dense.weight", ["…layer.3.output.dense.weight"]),
        (
            "BERT",
            "bert.encoder.layer.11.attention.self.query.weight",
            ["…layer.11.attention.self.query.weight", "…layer.11…query.weight"],
        ),
        (
            "Llama",
            "model.layers.31.mlp.down_proj.weight",
            ["…layers.31.mlp.down_proj.weight", "…layers.31…down_proj.weight"],
        ),
        ("Llama", "lm_head.weight", []),
        ("ResNet", "layer1.0.conv1.weight", []),
        ("ResNet", "layer1.0.downsample.0.weight", []),
        (
            "SDXL",
            "down_blocks.2.attentions.1.transformer_blocks.9.attn2.to_q.weight",
            [
                "down_blocks.2.attentions.1…9.attn2.to_q.weight",
                "down_blocks.2…1…9.attn2.to_q.weight",
            ],
        ),
        (
            "SDXL",
            "mid_block.attentions.0.transformer_blocks.9.attn2.to_q.weight",
            ["mid_block.attentions.0…9.attn2.to_q.weight"],
        ),
        (
            "T5",
            "decoder.block.5.layer.1.EncDecAttention.q.weight",
            ["decoder.block.5…1.EncDecAttention.q.weight"],
        ),
    ],
)
def test_what_is_left_out_of_a_name(model, name, forms):
    names = MODELS[model]()
    assert name in names
    assert list(ShortNames(names).forms(name)) == [name, *forms]


def test_the_longest_form_that_fits_is_taken_and_the_shortest_where_none_does():
    short = ShortNames(bert())
    name = "bert.encoder.layer.3.attention.self.query.weight"
    whole, without, least = short.forms(name)
    for width, wanted in ((99, whole), (len(whole), whole), (len(whole) - 1, without), (5, least)):
        assert short.fitting(name, width, len) == wanted
    assert short.fitting("not of this file", 3, len) == "not of this file"


def test_a_name_that_holds_the_sign_for_a_gap_is_nobodys_short_form():
    names = ["a.b.c.0.q.weight", "a.b.c.1.q.weight", "…c.0.q.weight"]
    short = ShortNames(names)
    assert [short[name] for name in names] == names


# Few words and numbers, so that names often differ in one part only.
WORDS = st.sampled_from(["a", "b", "x1", "x2", "0", "1", "w", "*", "a*", "", "²", GAP])
NAMES = st.lists(WORDS, min_size=1, max_size=7).map(".".join)


@given(st.lists(NAMES, unique=True, max_size=30))
def test_no_two_of_any_names_look_alike(names):
    check(names)


@given(st.lists(st.text(string.printable, max_size=12), unique=True, max_size=30))
def test_no_two_of_any_texts_look_alike(names):
    check(names)


@pytest.mark.parametrize(
    "name",
    [
        lambda n: f"model.layers.{n // 9}.mlp.experts.{n % 9}.gate_proj.weight",
        lambda n: ".".join(f"{n:020b}") + ".weight",
        lambda n: ".".join("ab"[int(bit)] for bit in f"{n:020b}") + ".q.weight",
    ],
    ids=["blocks", "numbers", "words"],
)
def test_a_hundred_thousand_names_take_little_time(name):
    names = [name(n) for n in range(100_000)]
    start = time.thread_time()
    short = ShortNames(names)
    assert time.thread_time() - start < 5
    assert len({short[each] for each in names[::7]}) == len(names[::7])
