"""GGUF files written by the gguf package of llama.cpp."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from numpy.typing import NDArray

RNG = np.random.default_rng(5)


def random_blocks(name: str, shape: tuple[int, ...], seed: int = 0) -> NDArray[np.uint8]:
    """Return random bytes as blocks of a quantized type; the last dimension is in bytes."""
    rng = np.random.default_rng(seed)
    byte_shape = gguf.quant_shape_to_byte_shape(shape, Type[name])
    return rng.integers(0, 256, byte_shape, np.uint8)


def write_gguf(
    path: Path,
    tensors: Mapping[str, NDArray[np.generic] | tuple[str, NDArray[np.uint8]]],
    architecture: str = "llama",
    *,
    vocabulary: int = 0,
    name: str = "a model",
) -> Path:
    """Write a file; quantized tensors and bfloat16 are given as a pair of type and bytes."""
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_name(name)
    writer.add_block_count(2)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_K_M)
    if vocabulary:
        writer.add_token_list([f"token {number}" for number in range(vocabulary)])
        writer.add_token_scores([0.5] * vocabulary)
    for key, value in tensors.items():
        if isinstance(value, tuple):
            writer.add_tensor(key, value[1], raw_dtype=Type[value[0]])
        else:
            writer.add_tensor(key, value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def bfloat16(values: NDArray[np.float32]) -> tuple[str, NDArray[np.uint8]]:
    """Return values as a tensor of type BF16, rounded by the gguf package."""
    return "BF16", gguf.quants.quantize(values, Type.BF16)


def llama(seed: int = 1, blocks: int = 2) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a small model by their GGUF names."""
    rng = np.random.default_rng(seed)

    def normal(*shape: int) -> NDArray[np.float32]:
        return rng.normal(size=shape).astype(np.float32)

    tensors = {"token_embd.weight": normal(40, 32)}
    for block in range(blocks):
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            tensors[f"blk.{block}.{part}.weight"] = normal(32, 32)
        tensors[f"blk.{block}.attn_norm.weight"] = normal(32)
        tensors[f"blk.{block}.ffn_norm.weight"] = normal(32)
        for part, shape in (("gate", (64, 32)), ("up", (64, 32)), ("down", (32, 64))):
            tensors[f"blk.{block}.ffn_{part}.weight"] = normal(*shape)
    tensors["output_norm.weight"] = normal(32)
    tensors["output.weight"] = normal(40, 32)
    return tensors
