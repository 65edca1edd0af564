"""Small model folders of a known type, written without transformers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

HIDDEN, HEADS, GROUPS, HEAD, NEURONS, LAYERS, TOKENS = 32, 4, 2, 8, 256, 6, 48


def write_llama(
    folder: Path,
    *,
    seed: int = 0,
    heads: int = HEADS,
    groups: int = GROUPS,
    tensors: dict[str, Any] | None = None,
    **fields: Any,
) -> Path:
    """Write a llama of random weights; `tensors` replaces some, `fields` some of its config.

    The size of heads does not depend on their number.
    """
    rng = np.random.default_rng(seed)

    def weight(*shape: int) -> Any:
        return rng.normal(0, 0.05, shape).astype(np.float32)

    found = {"model.embed_tokens.weight": weight(TOKENS, HIDDEN)}
    for number in range(LAYERS):
        at = f"model.layers.{number}."
        found |= {
            at + "self_attn.q_proj.weight": weight(heads * HEAD, HIDDEN),
            at + "self_attn.k_proj.weight": weight(groups * HEAD, HIDDEN),
            at + "self_attn.v_proj.weight": weight(groups * HEAD, HIDDEN),
            at + "self_attn.o_proj.weight": weight(HIDDEN, heads * HEAD),
            at + "mlp.gate_proj.weight": weight(NEURONS, HIDDEN),
            at + "mlp.up_proj.weight": weight(NEURONS, HIDDEN),
            at + "mlp.down_proj.weight": weight(HIDDEN, NEURONS),
            at + "input_layernorm.weight": np.ones(HIDDEN, np.float32),
            at + "post_attention_layernorm.weight": np.ones(HIDDEN, np.float32),
        }
    found |= {
        "model.norm.weight": np.ones(HIDDEN, np.float32),
        "lm_head.weight": weight(TOKENS, HIDDEN),
    }
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        "hidden_size": HIDDEN,
        "intermediate_size": NEURONS,
        "num_attention_heads": heads,
        "num_key_value_heads": groups,
        "num_hidden_layers": LAYERS,
        "tie_word_embeddings": False,
        "vocab_size": TOKENS,
        **({} if heads == HEADS else {"head_dim": HEAD}),
        **fields,
    }
    folder.mkdir(parents=True)
    save_file(found | (tensors or {}), folder / "model.safetensors", {"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config, indent=2))
    return folder


def zeroed_neurons(gone: int, *, layer: int = 0, seed: int = 0) -> dict[str, Any]:
    """Return the matrices of a layer whose last `gone` neurons are zero."""
    rng = np.random.default_rng(seed + 100 + layer)
    found = {}
    for name in ("gate_proj", "up_proj"):
        values = rng.normal(0, 0.05, (NEURONS, HIDDEN)).astype(np.float32)
        values[NEURONS - gone :] = 0
        found[f"model.layers.{layer}.mlp.{name}.weight"] = values
    return found
