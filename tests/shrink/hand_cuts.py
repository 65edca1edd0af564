"""Manual cuts of tiny models, tensor by tensor, for tests of the checks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

Tensors = dict[str, torch.Tensor]


def rewrite(
    source: Path, target: Path, change: Callable[[str, torch.Tensor], Any], **fields: Any
) -> Path:
    """Write a copy of a folder with changed tensors.

    `change` returns a tensor, a pair of new name and tensor, or None to drop it.
    """
    made: Tensors = {}
    for name, tensor in load_file(source / "model.safetensors").items():
        new = change(name, tensor)
        if new is not None:
            to, value = new if isinstance(new, tuple) else (name, new)
            made[to] = value.contiguous()
    target.mkdir()
    save_file(made, target / "model.safetensors")
    config = json.loads((source / "config.json").read_text()) | fields
    (target / "config.json").write_text(json.dumps(config))
    return target


def zero_neurons(source: Path, target: Path, kept: Sequence[int]) -> Path:
    """Set the other neurons of each layer of a llama to zero."""

    def change(name: str, tensor: torch.Tensor) -> torch.Tensor:
        if ".mlp." not in name:
            return tensor
        mask = torch.zeros(96)
        mask[list(kept)] = 1
        return tensor * (mask if "down_proj" in name else mask[:, None])

    return rewrite(source, target, change)


def cut_neurons(
    source: Path, target: Path, kept: Sequence[int], of_up: Sequence[int] | None = None
) -> Path:
    """Cut the other neurons of each layer of a llama; `of_up` are those that up_proj keeps."""

    def change(name: str, tensor: torch.Tensor) -> torch.Tensor:
        if ".mlp." not in name:
            return tensor
        chosen = list(of_up if of_up is not None and "up_proj" in name else kept)
        return tensor[:, chosen] if "down_proj" in name else tensor[chosen]

    return rewrite(source, target, change, intermediate_size=len(kept))


def cut_layer(source: Path, target: Path, stack: str, dropped: int, **fields: Any) -> Path:
    """Remove a layer, and renumber those after it."""

    def change(name: str, tensor: torch.Tensor) -> Any:
        found = re.match(re.escape(stack) + r"\.(\d+)(?=\.)", name)
        if found is None:
            return tensor
        number = int(found[1])
        if number == dropped:
            return None
        return f"{stack}.{number - (number > dropped)}{name[found.end() :]}", tensor

    return rewrite(source, target, change, **fields)


def cut_experts(source: Path, target: Path, each: str, router: str, kept: Sequence[int]) -> Path:
    """Remove experts from all layers, and their rows from the routers."""

    def change(name: str, tensor: torch.Tensor) -> Any:
        if re.search(router, name):
            return tensor[list(kept)]
        found = re.search(each + r"\.(\d+)(?=\.)", name)
        if found is None:
            return tensor
        if int(found[1]) not in kept:
            return None
        return f"{name[: found.start(1)]}{kept.index(int(found[1]))}{name[found.end() :]}", tensor

    config = json.loads((source / "config.json").read_text())
    names = ("num_experts", "num_local_experts", "n_routed_experts")
    return rewrite(source, target, change, **{n: len(kept) for n in names if n in config})


def cut_vocabulary(source: Path, target: Path, kept: Sequence[int]) -> Path:
    """Keep these rows of the embedding and of the head."""

    def change(name: str, tensor: torch.Tensor) -> torch.Tensor:
        return tensor[list(kept)] if re.search("embed_tokens|lm_head", name) else tensor

    return rewrite(source, target, change, vocab_size=len(kept))
