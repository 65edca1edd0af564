"""Kinds, reasons, pairs and the default selection, from names, shapes and neighbors."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file
from torch.nn.utils import prune

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.contents import Contents
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import Location, TensorEntry
from pruneapp.checkpoint.prunability import (
    Judge,
    Prunability,
    annotate,
    find_modules,
    is_pruned_by_default,
    kind_of,
    quantized_reason,
    role,
    why_not,
)
from pruneapp.checkpoint.quantization import find_quantized
from pruneapp.progress import Cancelled, CancelToken, Job


def annotated(**tensors: tuple[str, tuple[int, ...]]) -> dict[str, TensorEntry]:
    """Annotate tensors of these names ('/' for '.'), dtypes and shapes."""
    entries = tuple(
        TensorEntry(name.replace("/", "."), shape, DTYPES[dtype], Location(0, 0))
        for name, (dtype, shape) in tensors.items()
    )
    found = annotate(Contents("t", "t", entries, {}), (), Job())
    return {e.name: e for e in found.entries}


def test_a_torch_model_gets_its_kinds_and_the_default_selection():
    """Kinds of a real module tree, and the default selection."""
    model = torch.nn.ModuleDict(
        {
            "wte": torch.nn.Embedding(9, 4),
            "c1": torch.nn.Conv1d(2, 3, 3),
            "c2": torch.nn.Conv2d(2, 3, 3),
            "c3": torch.nn.Conv3d(2, 3, 3),
            "bn1": torch.nn.BatchNorm2d(3),
            "down": torch.nn.Sequential(torch.nn.Conv2d(3, 3, 1), torch.nn.BatchNorm2d(3)),
            "LayerNorm": torch.nn.LayerNorm((3, 4)),
            "act": torch.nn.PReLU(3),
            "rnn": torch.nn.LSTM(3, 4),
            "attn": torch.nn.MultiheadAttention(4, 2),
            "fc": torch.nn.Linear(4, 2),
        }
    )
    tensors = {
        name.replace(".", "/"): ("I64" if t.dtype == torch.int64 else "F32", tuple(t.shape))
        for name, t in model.state_dict().items()
    }

    found = annotated(**tensors)

    assert {n: e.kind for n, e in found.items()} == {
        "wte.weight": "embedding",
        "c1.weight": "Conv1d",
        "c1.bias": "bias",
        "c2.weight": "Conv2d",
        "c2.bias": "bias",
        "c3.weight": "Conv3d",
        "c3.bias": "bias",
        "bn1.weight": "norm",
        "bn1.bias": "norm",
        "bn1.running_mean": "statistics",
        "bn1.running_var": "statistics",
        "bn1.num_batches_tracked": "statistics",
        "down.0.weight": "Conv2d",
        "down.0.bias": "bias",
        "down.1.weight": "norm",
        "down.1.bias": "norm",
        "down.1.running_mean": "statistics",
        "down.1.running_var": "statistics",
        "down.1.num_batches_tracked": "statistics",
        "LayerNorm.weight": "norm",
        "LayerNorm.bias": "norm",
        "act.weight": "",
        "rnn.weight_ih_l0": "recurrent",
        "rnn.weight_hh_l0": "recurrent",
        "rnn.bias_ih_l0": "bias",
        "rnn.bias_hh_l0": "bias",
        "attn.in_proj_weight": "Linear",
        "attn.in_proj_bias": "bias",
        "attn.out_proj.weight": "Linear",
        "attn.out_proj.bias": "bias",
        "fc.weight": "Linear",
        "fc.bias": "bias",
    }
    assert [n for n, e in found.items() if e.by_default] == [
        "c1.weight",
        "c2.weight",
        "c3.weight",
        "down.0.weight",
        "rnn.weight_ih_l0",
        "rnn.weight_hh_l0",
        "attn.in_proj_weight",
        "attn.out_proj.weight",
        "fc.weight",
    ]
    assert found["bn1.weight"].prunable, "norms can be checked by hand"
    assert found["fc.bias"].prunable
    assert not found["bn1.running_mean"].prunable


@pytest.mark.parametrize(
    "name",
    ["embed_tokens", "tok_embeddings", "patch_embedding", "wpe", "layer_norm", "bn2", "ln_f"],
)
def test_layers_of_the_table_are_left_out_by_name(name):
    assert not annotated(**{f"m/{name}/weight": ("F32", (3, 4))})[f"m.{name}.weight"].by_default
    inside = annotated(**{f"m/{name}/proj/weight": ("F32", (3, 4))})
    assert inside[f"m.{name}.proj.weight"].by_default, "only the last module name counts"


TABLES = {
    "cls_token": (1, 1, 64),
    "dist_token": (1, 1, 64),
    "mask_token": (2, 64),
    "pos_embed": (1, 198, 64),
    "pos_embedding": (1, 9, 4),
    "query": (1, 32, 64),
    "codebook": (256, 64),
    "query_tokens": (1, 32, 64),
    "rel_pos_h": (27, 64),
    "position_embeddings": (1, 9, 4),
    "scale_shift_table": (6, 64),
    "latents": (16, 64),
    "pos_bias_u": (4, 16),
    "attention_biases": (4, 49),
    "relative_position_bias_table": (9, 4),
}


@pytest.mark.parametrize("path", ["", "vit/"])
@pytest.mark.parametrize("name", TABLES)
def test_tables_and_tokens_are_not_pruned_by_default_wherever_they_are(name, path):
    found = annotated(**{f"{path}{name}": ("F32", TABLES[name])})
    (entry,) = found.values()
    assert entry.prunable
    assert not entry.by_default
    assert entry.kind not in {"Linear", "Conv1d"}


@pytest.mark.parametrize("path", ["", "fc/"])
@pytest.mark.parametrize(
    ("name", "shape", "kind"),
    [
        ("weight", (3, 4), "Linear"),
        ("weight", (3, 4, 3, 3), "Conv2d"),
        ("in_proj_weight", (3, 4), "Linear"),
        ("gate_up_proj", (2, 3, 4), ""),
        ("w_out", (3, 4), "parameter"),
    ],
)
def test_weights_are_pruned_by_default_wherever_they_are(name, shape, kind, path):
    (entry,) = annotated(**{f"{path}{name}": ("F32", shape)}).values()
    assert (entry.kind, entry.by_default) == (kind, True)


REASONS = {
    "weight-norm": (
        {"l/weight_g": "F32", "l/weight_v": "F32"},
        {"l.weight_g": "normalization", "l.weight_v": "normalization"},
    ),
    "parametrization": (
        {"l/parametrizations/weight/original0": "F32"},
        {"l.parametrizations.weight.original0": "parametrization"},
    ),
    "buffers": (
        {"a/inv_freq": "F32", "a/causal_mask": "F32"},
        {"a.inv_freq": "computed", "a.causal_mask": "masks"},
    ),
    "types": (
        {"c": "C64", "i": "I64", "b": "BOOL"},
        {"c": "complex", "i": "integers", "b": "booleans"},
    ),
    "none": ({"l/scale": "F32", "l/weight": "F32", "n/weight": "F8_E4M3"}, {}),
}


@pytest.mark.parametrize("name", REASONS)
def test_tensors_that_are_not_plain_weights_say_why(name):
    """Reparametrizations, buffers and types (row Q03); quantizers: `test_quantization.py`."""
    tensors, reasons = REASONS[name]
    found = annotated(**{n: (dtype, (4, 4)) for n, dtype in (tensors | {"z/w": "F32"}).items()})
    for tensor, words in reasons.items():
        assert words in found[tensor].why_not
        assert not found[tensor].why_not.endswith(".")
        assert not found[tensor].by_default
    free = {n for n, e in found.items() if e.dtype.prunable} - set(reasons)
    assert free
    assert all(found[n].why_not == "" for n in free)


def test_a_bias_beside_packed_weights_is_free():
    packed = {"e/up_blocks": ("U8", (4,)), "e/up_scales": ("U8", (4,))}
    found = annotated(**packed, **{"e/up_bias": ("BF16", (4,))})
    assert found["e.up_bias"].prunable


def test_sizes_that_cannot_be_pruned_say_why():
    found = annotated(s=("F32", ()), e=("F32", (0, 3)))
    assert found["s"].why_not == "a single number is not pruned"
    assert found["e"].why_not == "it is empty"


def pruned_model() -> torch.nn.Module:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Conv2d(2, 4, 3), torch.nn.Linear(3, 5))
    prune.l1_unstructured(model[0], "weight", 0.3)
    prune.random_unstructured(model[1], "bias", 2)
    return model


def test_pairs_of_torchs_pruning_open_as_one_tensor(tmp_path):
    path = tmp_path / "x.safetensors"
    state = pruned_model().state_dict()
    save_file(state, path)

    with open_checkpoint(path) as checkpoint:
        assert set(checkpoint.entries) == {"0.weight", "0.bias", "1.weight", "1.bias"}
        entry = checkpoint.entry("0.weight")
        assert (entry.mask_of, entry.kind, entry.by_default) == ("0.weight_mask", "Conv2d", True)
        assert checkpoint.entry("1.bias").mask_of == "1.bias_mask"
        assert torch.equal(checkpoint.read("0.weight"), state["0.weight_orig"])
        assert torch.equal(checkpoint.read(entry.mask_of), state["0.weight_mask"])
        assert {m.name for m in checkpoint.contents.masks} == {"0.weight_mask", "1.bias_mask"}
        assert not checkpoint.contents.notices


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16, torch.bool])
def test_masks_may_have_any_type(tmp_path, dtype):
    path = tmp_path / "x.safetensors"
    mask = torch.tensor([1, 0, 1]).to(dtype)
    save_file({"w_orig": torch.ones(3), "w_mask": mask}, path)
    with open_checkpoint(path) as checkpoint:
        assert list(checkpoint.entries) == ["w"]


@pytest.mark.parametrize(
    ("tensors", "notice"),
    [
        ({"w_orig": (3,)}, True),
        ({"w_orig": (3,), "w_mask": (4,)}, True),
        ({"w_orig": (3,), "w_mask": (3,), "w": (3,)}, True),
        ({"w_orig": (3,), "w_u": (3,), "w_v": (3,)}, False),
        ({"w_mask": (3,)}, False),
    ],
)
def test_halves_of_pairs_open_as_they_stand(tmp_path, tensors, notice):
    """Rows Q01 and Q02: no mask, another shape, a name conflict, spectral normalization."""
    path = tmp_path / "x.safetensors"
    save_file({n: torch.ones(s) for n, s in tensors.items()}, path)
    with open_checkpoint(path) as checkpoint:
        assert set(checkpoint.entries) == set(tensors)
        assert not any(e.mask_of for e in checkpoint.entries.values())
        assert bool(checkpoint.contents.notices) == notice


@pytest.mark.parametrize("names", [{"w": "w_orig"}, {"w": "w_orig", "v": "v_orig"}])
def test_a_tensor_beside_its_own_pair_is_told_of(tmp_path, names):
    """In one file or in two: the mask is valid, but the name already exists."""
    plain = {name: torch.ones(3) for name in names}
    pairs = {f"{name}{end}": torch.ones(3) for name in names for end in ("_orig", "_mask")}
    save_file({**plain, **pairs}, tmp_path / "whole.safetensors")
    (tmp_path / "folder").mkdir()
    for number, tensors in enumerate((plain, pairs), 1):
        save_file(tensors, tmp_path / "folder" / f"model-{number:05}-of-00002.safetensors")

    for path in (tmp_path / "whole.safetensors", tmp_path / "folder"):
        with open_checkpoint(path) as checkpoint:
            assert set(checkpoint.entries) == {*plain, *pairs}
            assert not any(e.mask_of for e in checkpoint.entries.values())
            (notice,) = checkpoint.contents.notices
        assert "next to NAME_orig and NAME_mask" in notice.text
        assert "no mask" not in notice.text
        assert notice.details == "\n".join(sorted(names))


@pytest.mark.parametrize("odd", [0.5, float("nan"), 2.0])
def test_a_mask_of_other_values_is_no_mask(tmp_path, odd):
    """Row Q01: an invalid value is found even as the last of many."""
    path = tmp_path / "x.safetensors"
    mask = torch.ones(1_100_000)
    mask[-1] = odd
    save_file({"w_orig": torch.ones(mask.numel()), "w_mask": mask}, path)
    with open_checkpoint(path) as checkpoint:
        assert set(checkpoint.entries) == {"w_orig", "w_mask"}
        text = checkpoint.contents.notices[0].text
        assert "of the same shape: opened unchanged, not as pruned" in text


def test_reading_masks_can_be_cancelled(tmp_path):
    path = tmp_path / "x.safetensors"
    save_file({"w_orig": torch.ones(3), "w_mask": torch.ones(3)}, path)
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        open_checkpoint(path, job=Job(cancel=token))


def view(name, shape, offset=0, strides=None, storage="0"):
    return TensorEntry(name, shape, DTYPES["F32"], Location(0, offset * 4, strides, storage))


@pytest.mark.parametrize(
    ("views", "sharing"),
    [
        ([view("q", (2, 4), 0), view("k", (2, 4), 8)], []),
        ([view("a", (4, 4), 0), view("b", (2, 4), 4)], ["a", "b"]),
        ([view("a", (4, 4), 0), view("b", (4, 4), 0, storage="1")], []),
        ([view("l", (4, 2), 0, (4, 1)), view("r", (4, 2), 2, (4, 1))], []),
        ([view("l", (4, 3), 0, (4, 1)), view("r", (4, 2), 2, (4, 1))], ["l", "r"]),
        ([view("w", (4, 4)), view("wt", (4, 4), 0, (1, 4))], ["w", "wt"]),
        ([view("x", (4, 4), 0, (0, 1))], ["x"]),
        ([view("x", (3, 3), 0, (1, 1))], ["x"]),
    ],
)
def test_views_that_share_numbers_are_not_pruned(views, sharing):
    """Disjoint slices are; interleaved columns are compared element by element."""
    found = annotate(Contents("t", "t", tuple(views), {}), (), Job())
    assert [e.name for e in found.entries if "memory" in e.why_not] == sharing


def test_many_tensors_in_one_module_take_linear_time():
    """40,000 tensors in one module, with names like scales and packed parts, within seconds."""
    names = ("w{}_scale", "w{}_blocks", "w{}_orig", "w{}_g")
    tensors = {names[i % 4].format(i): ("F32", (2, 2)) for i in range(40_000)}
    found = annotated(**tensors)
    assert len(found) == len(tensors)
    assert np.all([e.prunable for e in found.values()])


def test_tables_and_tokens_of_transformers_are_not_pruned_by_default(tmp_path):
    """As ViT, T5 and BART save them; a layer of the same name with a bias is still a layer."""
    path = tmp_path / "m.safetensors"
    no = {
        "vit.embeddings.cls_token": (1, 1, 32),
        "vit.mask_token": (1, 32),
        "shared.weight": (100, 32),
        "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight": (32, 2),
    }
    yes = {"a.shared.weight": (4, 4), "body.weight": (100, 16), "score.weight": (1, 32)}
    save_file({n: torch.ones(s) for n, s in {**no, **yes, "a.shared.bias": (4,)}.items()}, path)
    with open_checkpoint(path) as checkpoint:
        assert {e.name for e in checkpoint.entries.values() if e.by_default} == set(yes)


@pytest.mark.parametrize(
    ("table", "head"),
    [
        ("model.embed_tokens", "lm_head"),
        ("model.tok_embeddings", "output"),
        ("bert.embeddings.word_embeddings", "cls.predictions.decoder"),
        ("none", "generator_lm_head"),
    ],
)
def test_the_output_head_of_a_language_model_is_left_out(table, head, tmp_path):
    """By its name, or because it has the shape of the token embedding outside the blocks."""
    path = tmp_path / "m.safetensors"
    shapes = {f"{table}.weight": (100, 32), f"{head}.weight": (100, 32)}
    shapes |= {"model.layers.0.up.weight": (100, 32), "lm_head.dense.weight": (32, 32)}
    save_file({n: torch.ones(s) for n, s in shapes.items()}, path)
    with open_checkpoint(path) as checkpoint:
        found = {e.name for e in checkpoint.entries.values() if e.by_default}
        assert checkpoint.entry(f"{head}.weight").prunable
    assert found - {"none.weight"} == {"model.layers.0.up.weight", "lm_head.dense.weight"}


# Results cached between tensors equal those without a cache


MODULES = ("", "a", "b", "0", "bn1", "embed", "norm", "weight", "parametrizations", "quant_state")
LEAVES = (
    *("weight", "bias", "running_mean", "weight_scale", "scale", "scale_weight", "SCB", "qweight"),
    *("weight_g", "weight_v", "x_orig", "x_u", "w_mask", "w_blocks", "w_scales", "inv_freq"),
    *("pos_embed", "absmax", "zero_point", "_packed_params", "ln_1", "scales", "qzeros", "own"),
)
SHAPES = ((), (0,), (4,), (5,), (2, 2), (1, 2, 3), (2, 2, 3, 3))

names = st.builds(
    lambda path, leaf: ".".join([*path, leaf]),
    st.lists(st.sampled_from(MODULES), max_size=3),
    st.sampled_from(LEAVES),
)
tensors = st.tuples(
    st.sampled_from(SHAPES), st.sampled_from(["F32", "BF16", "I64", "U8", "F8_E4M3", "BOOL"])
)


@given(st.dictionaries(names, tensors, min_size=1, max_size=14), st.data())
def test_a_judge_says_what_looking_at_each_tensor_says(found, data):
    free = list(found)
    entries = []
    while free:
        name = free.pop(0)
        tied = (free.pop(),) if free and data.draw(st.integers(0, 9)) == 0 else ()
        shape, dtype = found[name]
        entries.append(TensorEntry(name, shape, DTYPES[dtype], Location(0, 0), tied))
    modules = find_modules(entries)
    quantized = find_quantized(modules, None)
    for entry, verdict in zip(entries, Judge(modules, quantized).judge(entries), strict=True):
        path, _, leaf = entry.name.rpartition(".")
        named = role(entry, modules)
        kind = kind_of(entry, named, modules[path], leaf)
        reason = quantized.get(path)
        for alias in entry.aliases:
            reason = quantized.get(alias.rpartition(".")[0]) if reason is None else reason
        phrase = "" if reason is None else quantized_reason(reason)
        assert verdict == Prunability(
            why_not(entry, modules[path], leaf, phrase),
            kind,
            is_pruned_by_default(entry, named, modules[path], kind),
            phrase,
        )


def test_like_tensors_are_looked_at_once():
    entries = [
        TensorEntry(f"layers.{i}.mlp.weight", (2, 2), DTYPES["F32"], Location(0, 4 * i))
        for i in range(50)
    ]
    verdicts = Judge(find_modules(entries)).judge(entries)
    assert len({id(verdict) for verdict in verdicts}) == 1
