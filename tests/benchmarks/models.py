"""Checkpoints for benchmarks: deterministic, with names and shapes of real models.

As a program it makes one, so that its memory is released afterwards: ``python -m
tests.benchmarks.models NAME PATH``.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from tests.benchmarks import cluster_models, sharded_model
from tests.benchmarks.synthetic_files import DTYPES, Shapes, values, write_safetensors

ROOT = Path(__file__).resolve().parents[2]


def make(name: str, folder: Path) -> Path:
    """Make a model in its own process unless its file exists; return the file."""
    path = folder / f"{name}{MODELS[name][0]}"
    if not path.exists():
        command = [sys.executable, "-m", "tests.benchmarks.models", name, str(path)]
        subprocess.run(command, cwd=ROOT, check=True)
    return path


def mixed(width: int, hidden: int, layers: int, vocabulary: int) -> Shapes:
    """Return a transformer with a vision part: convolutions, linears, norms, embeddings."""
    shapes: Shapes = {"visual.conv1.weight": (64, 3, 7, 7)}
    shapes |= _norm("visual.bn1", 64)
    below = 64
    for stage, channels in enumerate((64, 128, 256, 512), 1):
        for block in range(2):
            at = f"visual.layer{stage}.{block}"
            shapes[f"{at}.conv1.weight"] = (channels, below, 3, 3)
            shapes |= _norm(f"{at}.bn1", channels)
            shapes[f"{at}.conv2.weight"] = (channels, channels, 3, 3)
            shapes |= _norm(f"{at}.bn2", channels)
            below = channels
    shapes["model.embed_tokens.weight"] = (vocabulary, width)
    for layer in range(layers):
        at = f"model.layers.{layer}"
        shapes[f"{at}.input_layernorm.weight"] = (width,)
        for part in ("q_proj", "k_proj", "v_proj", "o_proj"):
            shapes[f"{at}.self_attn.{part}.weight"] = (width, width)
        shapes[f"{at}.post_attention_layernorm.weight"] = (width,)
        shapes[f"{at}.mlp.gate_proj.weight"] = (hidden, width)
        shapes[f"{at}.mlp.up_proj.weight"] = (hidden, width)
        shapes[f"{at}.mlp.down_proj.weight"] = (width, hidden)
        shapes[f"{at}.mlp.down_proj.bias"] = (width,)
    shapes["lm_head.weight"] = (vocabulary, width)
    return shapes


def _norm(name: str, size: int) -> Shapes:
    return {f"{name}.{part}": (size,) for part in ("weight", "bias", "running_mean", "running_var")}


MIXED = mixed(1024, 2816, 8, 17_600)
# 302 million weights in 72 tensors: 600 MB of bfloat16.
BLOCKS: Shapes = {
    name: shape
    for layer in range(24)
    for name, shape in (
        (f"h.{layer}.attn.weight", (2048, 2048)),
        (f"h.{layer}.mlp.weight", (4096, 2048)),
        (f"h.{layer}.norm.weight", (2048,)),
    )
}


# As many rows as an embedding, in one tensor of 524 MB, and a small tensor to switch from.
TALL: Shapes = {"large.weight": (32_000, 4096), "small.weight": (64, 64)}


def _mixed(path: Path) -> None:
    """Write the float32 model such that its median magnitude is unambiguous.

    150 million normal values contain duplicates; if the threshold is one of them, torch may prune
    any of the equal weights. Some of those are changed to the next larger number, so that the
    result is unique and can be compared to the byte.
    """
    arrays = {name: values(name, shape) for name, shape in MIXED.items()}
    part_the_halves([arrays[name] for name in usual(MIXED)])
    write_safetensors(path, MIXED, "F32", arrays.__getitem__)


def part_the_halves(arrays: list[np.ndarray]) -> None:
    """Make magnitudes on the two sides of the median differ, by changing at most a few values."""
    bits = np.concatenate([a.reshape(-1).view(np.uint32) & 0x7FFFFFFF for a in arrays])
    half = round(0.5 * bits.size)
    bits.partition(half - 1)
    cut = bits[half - 1]
    going = half - int(np.count_nonzero(bits[:half] < cut))
    del bits
    for array in arrays:
        own = array.reshape(-1).view(np.uint32)
        equal = np.flatnonzero((own & 0x7FFFFFFF) == cut)
        own[equal[going:]] += 1
        going = max(going - equal.size, 0)


def usual(shapes: Shapes) -> list[str]:
    """Return the default selection: two dimensions or more, no embeddings."""
    return [n for n, shape in shapes.items() if len(shape) > 1 and "embed" not in n]


def _blocks(path: Path) -> None:
    write_safetensors(path, BLOCKS, "BF16", lambda name: values(name, BLOCKS[name]))


def _tall(path: Path) -> None:
    write_safetensors(path, TALL, "F32", lambda name: values(name, TALL[name]))


# Columns: a tensor of n x 2**20 weights has n x 128 rows.
_COLUMNS = 8192
# Sizes in 2**20 weights; all of them for growth, and 64 for everything else.
PLAIN = (16, 32, 64, 128, 256)
_CONVOLUTIONS: Shapes = {f"layers.{i}.conv.weight": (512, 512, 3, 3) for i in range(28)}


def _plain(rows: int, dtype: str, path: Path) -> None:
    shape = (rows, _COLUMNS)
    write_safetensors(path, {"weight": shape}, dtype, lambda name: values(name, shape))


def _convolutions(path: Path) -> None:
    write_safetensors(path, _CONVOLUTIONS, "F32", lambda name: values(name, _CONVOLUTIONS[name]))


def _many(path: Path) -> None:
    shapes = dict(_many_names(100_000))
    one = np.ones(4, np.float32)
    write_safetensors(path, shapes, "F32", lambda name: one.reshape(shapes[name]))


def _crowd(path: Path) -> None:
    """Write 100,000 tensors of random weights, half of them matrices."""
    shapes = {
        n: tuple(4 * size for size in shape[:1]) * len(shape) for n, shape in _many_names(100_000)
    }
    rng = np.random.default_rng(0)
    write_safetensors(
        path, shapes, "BF16", lambda name: rng.standard_normal(shapes[name], np.float32)
    )


def _many_names(count: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    parts = (("w1.weight", (2, 2)), ("w2.weight", (2, 2)), ("norm.weight", (4,)), ("w1.bias", (4,)))
    for number in range(count):
        part, shape = parts[number % 4]
        layer, expert = divmod(number // 4, 250)
        yield f"model.layers.{layer}.mlp.experts.{expert}.{part}", shape


def _mixed_torch(path: Path) -> None:
    import torch

    state = {name: torch.from_numpy(values(name, shape)) for name, shape in MIXED.items()}
    _save(state, path)


def _many_torch(path: Path) -> None:
    import torch

    _save({name: torch.ones(shape) for name, shape in _many_names(20_000)}, path)


def _save(state: object, path: Path) -> None:
    import torch

    part = path.with_suffix(".part")
    torch.save(state, part)
    part.rename(path)


# By name: the suffix, and the function that writes the file.
MODELS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "mixed": (".safetensors", _mixed),
    "mixed-torch": (".pt", _mixed_torch),
    "blocks": (".safetensors", _blocks),
    "tall": (".safetensors", _tall),
    "many": (".safetensors", _many),
    "crowd": (".safetensors", _crowd),
    "many-torch": (".pt", _many_torch),
    "convolutions": (".safetensors", _convolutions),
    "cluster": ("", partial(cluster_models.matrices, 8)),
    "cluster-matrices": ("", partial(cluster_models.matrices, 64)),
    "cluster-parts": ("", cluster_models.parts),
    "cluster-graph": ("", cluster_models.graph),
    "shards": ("", sharded_model.write),
    "shards-sparse": ("", partial(sharded_model.write, sparse=True)),
}
for _dtype in DTYPES:
    MODELS[f"small-{_dtype}"] = (".safetensors", partial(_plain, 4, _dtype))
    MODELS[f"plain-64-{_dtype}"] = (".safetensors", partial(_plain, 64 * 128, _dtype))
for _size in PLAIN:
    MODELS[f"plain-{_size}-F32"] = (".safetensors", partial(_plain, _size * 128, "F32"))


if __name__ == "__main__":
    MODELS[sys.argv[1]][1](Path(sys.argv[2]))
