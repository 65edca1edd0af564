"""Model folders written without transformers, which is fast."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

HIDDEN, NEURONS, HEADS, KV_GROUPS, LAYERS, TOKENS = 8, 12, 4, 2, 3, 20
HEAD = HIDDEN // HEADS


def _values(seed: int) -> Callable[..., np.ndarray]:
    rng = np.random.default_rng(seed)
    return lambda *shape: rng.standard_normal(shape).astype(np.float32)


def write_mistral(folder: Path, *, seed: int = 0, **fields) -> dict[str, np.ndarray]:
    """Write a model of the type mistral; return its tensors."""
    some = _values(seed)
    tensors = {"model.embed_tokens.weight": some(TOKENS, HIDDEN)}
    for i in range(LAYERS):
        layer = f"model.layers.{i}"
        tensors |= {
            f"{layer}.input_layernorm.weight": some(HIDDEN),
            f"{layer}.self_attn.q_proj.weight": some(HEADS * HEAD, HIDDEN),
            f"{layer}.self_attn.k_proj.weight": some(KV_GROUPS * HEAD, HIDDEN),
            f"{layer}.self_attn.v_proj.weight": some(KV_GROUPS * HEAD, HIDDEN),
            f"{layer}.self_attn.o_proj.weight": some(HIDDEN, HEADS * HEAD),
            f"{layer}.post_attention_layernorm.weight": some(HIDDEN),
            f"{layer}.mlp.gate_proj.weight": some(NEURONS, HIDDEN),
            f"{layer}.mlp.up_proj.weight": some(NEURONS, HIDDEN),
            f"{layer}.mlp.down_proj.weight": some(HIDDEN, NEURONS),
        }
    tensors |= {"model.norm.weight": some(HIDDEN), "lm_head.weight": some(TOKENS, HIDDEN)}
    config = {
        "architectures": ["MistralForCausalLM"],
        "model_type": "mistral",
        "hidden_act": "silu",
        "hidden_size": HIDDEN,
        "intermediate_size": NEURONS,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "num_key_value_heads": KV_GROUPS,
        "vocab_size": TOKENS,
        **fields,
    }
    return write(folder, tensors, config)


def write_bert(folder: Path, *, seed: int = 0, **fields) -> dict[str, np.ndarray]:
    """Write the encoder of a model of the type bert, with its biases; return its tensors."""
    some = _values(seed)
    tensors = {"embeddings.word_embeddings.weight": some(TOKENS, HIDDEN)}
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}"
        for name in ("query", "key", "value"):
            tensors[f"{layer}.attention.self.{name}.weight"] = some(HIDDEN, HIDDEN)
            tensors[f"{layer}.attention.self.{name}.bias"] = some(HIDDEN)
        for name, rows, columns in (
            ("attention.output", HIDDEN, HIDDEN),
            ("intermediate", NEURONS, HIDDEN),
            ("output", HIDDEN, NEURONS),
        ):
            tensors[f"{layer}.{name}.dense.weight"] = some(rows, columns)
            tensors[f"{layer}.{name}.dense.bias"] = some(rows)
        for name in ("attention.output", "output"):
            tensors[f"{layer}.{name}.LayerNorm.weight"] = some(HIDDEN)
            tensors[f"{layer}.{name}.LayerNorm.bias"] = some(HIDDEN)
    config = {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": HIDDEN,
        "intermediate_size": NEURONS,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "vocab_size": TOKENS,
        **fields,
    }
    return write(folder, tensors, config)


def write(folder: Path, tensors: dict[str, np.ndarray], config: object) -> dict[str, np.ndarray]:
    """Write a folder with one file and its configuration; return the tensors."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config, indent=2), "utf-8")
    return tensors
