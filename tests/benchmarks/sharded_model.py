"""A language model of 6 billion weights: 12 GB of bfloat16 in four shards with an index."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.benchmarks.synthetic_files import Shapes, as_bfloat16, values, write_safetensors

SHARDS = 4


def language_model(width: int, hidden: int, layers: int, vocabulary: int) -> Shapes:
    """Return the shapes of a decoder's tensors, in the order of its files."""
    shapes: Shapes = {"model.embed_tokens.weight": (vocabulary, width)}
    for layer in range(layers):
        at = f"model.layers.{layer}"
        for part in ("q_proj", "k_proj", "v_proj", "o_proj"):
            shapes[f"{at}.self_attn.{part}.weight"] = (width, width)
        shapes[f"{at}.mlp.gate_proj.weight"] = (hidden, width)
        shapes[f"{at}.mlp.up_proj.weight"] = (hidden, width)
        shapes[f"{at}.mlp.down_proj.weight"] = (width, hidden)
        shapes[f"{at}.input_layernorm.weight"] = (width,)
        shapes[f"{at}.post_attention_layernorm.weight"] = (width,)
    shapes["model.norm.weight"] = (width,)
    shapes["lm_head.weight"] = (vocabulary, width)
    return shapes


MODEL = language_model(width=3456, hidden=9216, layers=41, vocabulary=32_000)


INDEX = "model.safetensors.index.json"


def write(folder: Path, *, sparse: bool = False) -> None:
    """Write the shards, their index and a configuration into a new folder.

    Drawing random weights takes minutes, so one tensor of each shape is drawn; the others are
    rotations of it with other low bits, so that no two tensors are equal. With `sparse`, only
    headers are written and the weights are holes in the files: enough for opening.
    """
    part = folder.with_name(f"{folder.name}.making")
    part.mkdir()
    shapes = MODEL
    drawn: dict[tuple[int, ...], np.ndarray] = {}
    weight_map = {}
    for number, names in enumerate(_cut(shapes), 1):
        file = f"model-{number:05}-of-{SHARDS:05}.safetensors"
        weight_map |= dict.fromkeys(names, file)
        own = {name: shapes[name] for name in names}
        read = None if sparse else lambda name: _varied(name, shapes[name], drawn)
        write_safetensors(part / file, own, "BF16", read)
    index = {"metadata": {"total_size": 2 * weights(shapes)}, "weight_map": weight_map}
    (part / INDEX).write_text(json.dumps(index, indent=2) + "\n")
    (part / "config.json").write_text(json.dumps({"model_type": "llama"}))
    part.rename(folder)


def weights(shapes: Shapes) -> int:
    return sum(int(np.prod(shape)) for shape in shapes.values())


def _cut(shapes: Shapes) -> list[list[str]]:
    """Return the names of each shard, with about the same number of weights in each."""
    most = weights(shapes) / SHARDS
    shards: list[list[str]] = [[] for _ in range(SHARDS)]
    before = 0
    for name, shape in shapes.items():
        shards[min(int(before / most), SHARDS - 1)].append(name)
        before += int(np.prod(shape))
    return shards


def _varied(
    name: str, shape: tuple[int, ...], drawn: dict[tuple[int, ...], np.ndarray]
) -> np.ndarray:
    if shape not in drawn:
        drawn[shape] = as_bfloat16(values(name, shape)).reshape(-1)
    rng = np.random.default_rng([*name.encode()])
    turn, low_bits = int(rng.integers(drawn[shape].size)), np.uint16(rng.integers(8))
    turned = np.concatenate([drawn[shape][turn:], drawn[shape][:turn]])
    return np.bitwise_xor(turned, low_bits, out=turned).reshape(shape)
