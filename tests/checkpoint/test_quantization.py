"""Quantized layers: recognized by a general rule, named by a table, unchanged by default."""

from __future__ import annotations

import json
import math
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.model_folder import read_declaration
from pruneapp.checkpoint.prunability import quantized_reason
from pruneapp.checkpoint.quantization import QUANTIZERS, Declaration, declaration_of
from tests.checkpoint.quantized_layouts import LAYOUTS, Layout, Tensors

LAYER = "model.layers.0.mlp.up_proj."
ORDINARY: Tensors = {
    "model.embed_tokens.weight": ("F16", (8, 64)),
    "model.layers.0.input_layernorm.weight": ("F16", (64,)),
    "model.layers.0.mlp.gate.weight": ("F16", (4, 64)),
    "lm_head.weight": ("F16", (8, 64)),
}
BY_DEFAULT = ["model.layers.0.mlp.gate.weight"]


def write_safetensors(path: Path, tensors: Tensors) -> None:
    """Write tensors of any dtype with random bytes; F16 with normal values."""
    rng = np.random.default_rng(0)
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, (dtype, shape) in tensors.items():
        numel = math.prod(shape)
        if dtype == "F16":
            values = rng.normal(size=numel).astype(np.float16).tobytes()
        else:
            values = rng.bytes(DTYPES[dtype].nbytes(numel))
        offsets = [len(data), len(data) + len(values)]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        data += values
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path: Path) -> dict[str, tuple[str, bytes]]:
    """Return the dtype and the bytes of each tensor."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    data = content[8 + length :]
    return {name: (one["dtype"], data[slice(*one["data_offsets"])]) for name, one in header.items()}


def write_model(folder: Path, tensors: Tensors, config: dict[str, Any]) -> Path:
    """Write a model folder with a layer of these tensors between ordinary ones."""
    folder.mkdir()
    layer = {LAYER + name: kind for name, kind in tensors.items()}
    write_safetensors(folder / "model.safetensors", {**ORDINARY, **layer})
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", **config}))
    return folder


def run(*arguments: object) -> None:
    assert main([str(argument) for argument in arguments]) == 0, arguments


def test_every_quantizer_of_the_table_has_a_layout():
    assert {one.name for one in QUANTIZERS} - {"ModelOpt"} <= {
        layout.quantizer for layout in LAYOUTS.values()
    }


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_the_default_command_changes_no_byte_of_a_quantized_layer(layout: Layout, tmp_path, capfd):
    """Neither default pruning nor rounding changes it; `inspect` shows the reason."""
    model = write_model(tmp_path / "m", layout.tensors, layout.config)
    before = read_safetensors(model / "model.safetensors")

    prune = ("prune", model, "--method", "l1_unstructured", "--amount", "50%")
    run(*prune, "-o", tmp_path / "pruned.safetensors")
    run(*prune, "-o", tmp_path / "rounded.safetensors", "--dtype", "bfloat16")
    capfd.readouterr()
    run("inspect", model, "--json")
    inspected = {one["name"]: one for one in json.loads(capfd.readouterr().out)["tensors"]}
    run("inspect", model)
    table = capfd.readouterr().out

    pruned = read_safetensors(tmp_path / "pruned.safetensors")
    rounded = read_safetensors(tmp_path / "rounded.safetensors")
    for name in layout.tensors:
        assert pruned[LAYER + name] == before[LAYER + name]
        assert rounded[LAYER + name] == before[LAYER + name]
        if not name.endswith("bias") or name.startswith("weight_"):
            assert inspected[LAYER + name]["reason"] == quantized_reason(layout.quantizer)
    assert quantized_reason(layout.quantizer) in table
    assert [name for name, one in inspected.items() if one["selected_by_default"]] == BY_DEFAULT
    for name in ORDINARY:
        assert (pruned[name] != before[name]) == (name in BY_DEFAULT)
        assert rounded[name][0] == "BF16"


GOLDEN = Path(__file__).parents[1] / "golden" / "quantized"
# By prefix of files written by libraries (`make.py.txt` there): the quantizer.
LIBRARIES = {
    "bitsandbytes": "bitsandbytes",
    "compressed": "compressed-tensors",
    "compressed-tensors-fp8": "ModelOpt FP8 or compressed-tensors",
    "hqq": "HQQ",
    "quanto": "quanto",
    "torchao": "torchao",
}


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.safetensors")), ids=lambda path: path.stem)
def test_files_of_the_libraries_keep_every_byte_of_their_quantized_layers(path, tmp_path, capfd):
    reason = quantized_reason(LIBRARIES.get(path.stem) or LIBRARIES[path.stem.partition("-")[0]])
    out, rounded = tmp_path / "out.safetensors", tmp_path / "rounded.safetensors"
    command = ("prune", path, "--method", "l1_unstructured", "--amount", "50%", "-o")
    run(*command, out)
    run(*command, rounded, "--dtype", "float16")
    before, pruned = read_safetensors(path), read_safetensors(out)
    assert [name for name in before if pruned[name] != before[name]] == ["lm_head.weight"]
    capfd.readouterr()
    with open_checkpoint(path) as checkpoint:
        for name, entry in checkpoint.entries.items():
            if name.startswith("proj.") and name != "proj.bias":
                assert entry.why_not == reason
                assert read_safetensors(rounded)[name] == before[name]
    assert not [n for n in before if not n.startswith("proj.") and n != "lm_head.weight"]


def test_a_torch_file_of_tensor_subclasses_keeps_everything_but_the_pruned_weight(tmp_path, capfd):
    """torchao's tensor subclasses are not read, but preserved: the file keeps its container."""
    source, out = GOLDEN / "torchao-int8.pt", tmp_path / "out.pt"
    run("prune", source, "-o", out, "--method", "l1_unstructured", "--amount", "50%")
    before, after = (
        {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
        for archive in (zipfile.ZipFile(source), zipfile.ZipFile(out))
    )
    changed = [name for name in before if after[name] != before[name]]
    assert len(changed) == 1
    assert changed[0].startswith("data/")
    assert len(before[changed[0]]) == 2 * 8 * 32, "lm_head.weight"


# Layers of ordinary models that resemble quantized ones, and their default selection
_ORDINARY_LAYERS: dict[str, tuple[Tensors, list[str]]] = {
    "positions of BERT": (
        {"word.weight": ("F32", (8, 8)), "position_ids": ("I64", (1, 8))},
        ["word.weight"],
    ),
    "positions next to a weight": (
        {"weight": ("F32", (8, 8)), "position_ids": ("I64", (1, 8))},
        ["weight"],
    ),
    "Swin": (
        {
            "relative_position_bias_table": ("F32", (9, 4)),
            "relative_position_index": ("I64", (4, 4)),
            "qkv.weight": ("F32", (8, 8)),
        },
        ["qkv.weight"],
    ),
    "LeViT": (
        {
            "attention_biases": ("F32", (4, 9)),
            "attention_bias_idxs": ("I64", (9, 9)),
            "weight": ("F32", (8, 8)),
        },
        ["weight"],
    ),
    "the causal mask of GPT-2": (
        {"bias": ("U8", (1, 1, 8, 8)), "masked_bias": ("F32", ()), "weight": ("F32", (8, 8))},
        ["weight"],
    ),
    "batch norm": (
        {
            "0.weight": ("F32", (8, 8)),
            "1.weight": ("F32", (8,)),
            "1.running_mean": ("F32", (8,)),
            "1.num_batches_tracked": ("I64", ()),
        },
        ["0.weight"],
    ),
    "LoRA": (
        {"lora_A.default.weight": ("F32", (2, 8)), "lora_B.default.weight": ("F32", (8, 2))},
        ["lora_A.default.weight", "lora_B.default.weight"],
    ),
    "a router with counters": (
        {
            "weight": ("F32", (8, 8)),
            "expert_counts": ("I64", (1, 8)),
            "e_score_correction_bias": ("F32", (8,)),
        },
        ["weight"],
    ),
    "a token mapping": (
        {"weight": ("F32", (8, 8)), "token_ids": ("I64", (2, 8)), "mapping": ("I64", (8,))},
        ["weight"],
    ),
    "a graph": ({"weight": ("F32", (8, 8)), "edge_index": ("I64", (2, 8))}, ["weight"]),
    "plain float8": ({"weight": ("F8_E4M3", (8, 8)), "bias": ("F16", (8,))}, ["weight"]),
    "attention written by hand": ({"W_q": ("F32", (8, 8)), "W_k": ("F32", (8, 8))}, ["W_q", "W_k"]),
    "stacked experts": (
        {"gate_up_proj": ("BF16", (4, 8, 8)), "down_proj": ("BF16", (4, 8, 8))},
        ["gate_up_proj", "down_proj"],
    ),
    "a norm with a scale": ({"norm.scale": ("F32", (8,)), "weight": ("F32", (8, 8))}, ["weight"]),
}


@pytest.mark.parametrize("name", _ORDINARY_LAYERS)
def test_ordinary_layers_keep_their_default_selection(name, tmp_path):
    tensors, selected = _ORDINARY_LAYERS[name]
    with open_checkpoint(write_model(tmp_path / "m", tensors, {})) as checkpoint:
        entries = checkpoint.entries
        by_default = [n.removeprefix(LAYER) for n, e in entries.items() if e.by_default]
        assert by_default == [*BY_DEFAULT, *selected]
        assert not any(entry.quantized for entry in entries.values())


def test_ordinary_layers_of_a_quantized_model_stay_ordinary(tmp_path):
    """A bfloat16 weight that was not quantized; and modules that are declared as ignored."""
    tensors: Tensors = {"weight": ("BF16", (8, 8)), "extra.latents_a": ("BF16", (8, 8))}
    config = {"quantization_config": {"quant_method": "fp8", "modules_to_not_convert": ["mlp"]}}
    with open_checkpoint(write_model(tmp_path / "m", tensors, config)) as checkpoint:
        assert {e.quantized for e in checkpoint.entries.values()} == {""}
        assert checkpoint.entry(f"{LAYER}weight").by_default
        assert checkpoint.entry(f"{LAYER}extra.latents_a").by_default
    config["quantization_config"].pop("modules_to_not_convert")
    with open_checkpoint(write_model(tmp_path / "n", tensors, config)) as checkpoint:
        assert checkpoint.entry(f"{LAYER}weight").by_default
        assert checkpoint.entry(f"{LAYER}extra.latents_a").why_not == (
            "its layer is quantized (DeepSeek FP8)"
        )


def test_a_float_of_a_quantized_layer_is_pruned_only_by_its_exact_name(tmp_path, capfd):
    """No pattern matches it; a recipe has to name it, as a saved one does."""
    model = write_model(tmp_path / "m", LAYOUTS["mlx"].tensors, {})
    scales, named = f"{LAYER}scales", tmp_path / "named.safetensors"
    recipe, again = tmp_path / "recipe.json", tmp_path / "again.safetensors"
    prune = ["prune", model, "--method", "l1_unstructured", "--amount", "50%", "-o"]
    for pattern in (f"{LAYER}*", "*scales", f"{LAYER}weight"):
        assert main([*map(str, prune), str(named), "--select", pattern]) == 2
        assert "its layer is quantized (MLX)" in capfd.readouterr().err
    run(*prune, tmp_path / "all.safetensors", "--select", "*")
    before = read_safetensors(model / "model.safetensors")
    assert read_safetensors(tmp_path / "all.safetensors")[scales] == before[scales]

    run(*prune, named, "--select", scales, "--save-recipe", recipe)
    pruned = read_safetensors(named)
    assert [name for name in before if pruned[name] != before[name]] == [scales]
    run("run", recipe, model, "-o", again)
    assert read_safetensors(again) == pruned
    recipe.write_text(recipe.read_text().replace('"quantized": true', '"quantized": false'))
    assert main(["run", str(recipe), str(model), "-o", str(tmp_path / "no.safetensors")]) == 2
    assert "its layer is quantized (MLX)" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ({}, None),
        ({"quantization_config": {}}, None),
        ({"quantization_config": None}, None),
        ({"quantization_config": "int8"}, None),
        ({"quantization_config": {"quant_method": 4}}, ""),
        ({"quantization_config": {"quant_method": "x y\n"}}, ""),
        ({"quantization_config": {"quant_method": "GPTQ"}}, "GPTQ"),
        ({"quantization_config": {"quant_method": "brand-new"}}, "brand-new"),
        ({"quantization_config": {"load_in_4bit": True}}, "bitsandbytes"),
        ({"quantization_config": {"quant_method": "modelopt"}}, "ModelOpt"),
        ({"compression_config": {"format": "x"}}, "compressed-tensors"),
        ({"quantization": {"bits": 4}}, "MLX"),
        ({"text_config": {"quantization_config": {"quant_method": "awq"}}}, "AWQ"),
        ({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8"}}, "ModelOpt FP8"),
    ],
)
def test_a_configuration_declares_a_quantizer(config, name):
    declared = declaration_of(config)
    assert (declared and declared.name) == name


def test_declared_modules_are_ignored_by_name_by_part_and_by_glob():
    declared = Declaration("x", ("lm_head", "vision_tower", "model.layers.0.mlp", "*.gate*"))
    assert declared.ignores("lm_head")
    assert declared.ignores("model.vision_tower.blocks.0")
    assert declared.ignores("model.layers.0.mlp.up_proj")
    assert declared.ignores("model.layers.7.gate_proj")
    assert not declared.ignores("model.layers.10.mlp.up_proj")
    assert not declared.ignores("model.lm_head_2")


def test_lists_of_ignored_modules_are_read_where_they_are_plain():
    listed = ["a.weight", "re:.*b", "", 3, "c" * 300]
    config = {"quantization": {"bits": 4, "d.e": False, "f.g": {"bits": 8}, "ignore": listed}}
    declared = declaration_of(config)
    assert declared is not None
    assert declared.ignored == ("a", "d.e")


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff", b'{"quantization_config": 1}'])
def test_a_configuration_that_cannot_be_read_declares_nothing(text, tmp_path):
    (tmp_path / "config.json").write_bytes(text)
    assert read_declaration(tmp_path) is None
    assert read_declaration(tmp_path / "missing") is None
