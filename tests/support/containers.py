"""Checkpoints in every container, made by torch and by safetensors."""

from __future__ import annotations

import argparse
import collections
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from pruneapp.document.snapshot import Snapshot
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet

PRUNED = ("net.conv.weight", "net.fc.weight")


def some_bytes(seed: int, nbytes: int) -> torch.Tensor:
    """Return random bytes, which include NaN, infinities, -0.0 and denormals."""
    return torch.from_numpy(np.random.default_rng(seed).integers(0, 256, nbytes, dtype=np.uint8))


def finite(seed: int, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float32).to(dtype)


def model(dtype: torch.dtype) -> collections.OrderedDict[str, torch.Tensor]:
    """Return a state dict whose pruned tensors are finite; the others have random bits."""
    width = torch.empty(0, dtype=dtype).element_size()
    return collections.OrderedDict(
        {
            "net.conv.weight": finite(1, (8, 4, 3, 3), dtype),
            "net.conv.bias": some_bytes(2, 8 * width).view(dtype),
            "net.bn.running_mean": finite(3, (8,), torch.float32),
            "net.bn.num_batches_tracked": torch.tensor(7),
            "net.flags": torch.tensor([True, False, True]),
            "net.fc.weight": finite(4, (10, 17), dtype),
            "net.nothing": torch.zeros(0, 3, dtype=dtype),
            "net.fc.bias": some_bytes(5, 10 * width).view(dtype),
        }
    )


def kept_masks() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(6)
    tensors = model(torch.float32)
    return {name: rng.random(tuple(tensors[name].shape)) < 0.6 for name in PRUNED}


def as_snapshot(checkpoint, kept: dict[str, np.ndarray] | None = None, **more) -> Snapshot:
    kept = kept_masks() if kept is None else kept
    masks = {name: BitMask.from_bools(mask) for name, mask in kept.items()}
    return Snapshot(checkpoint, MaskLayers(MaskSet(masks), **more))


def _safetensors(folder: Path, tensors: dict) -> Path:
    path = folder / "model.safetensors"
    save_file(tensors, path, metadata={"format": "pt", "note": "grüße"})
    return path


def _around(tensors: dict) -> dict:
    """Return a training checkpoint: hyperparameters, an optimizer, and the model."""
    return {
        "epoch": 3,
        "args": argparse.Namespace(lr=0.1, name="x"),
        "state_dict": tensors,
        "optimizer": {"state": {0: {"exp_avg": torch.ones(4, 4)}}, "param_groups": []},
    }


def _zip(folder: Path, tensors: dict) -> Path:
    torch.save(_around(tensors), folder / "model.pt")
    return folder / "model.pt"


def _bare_zip(folder: Path, tensors: dict) -> Path:
    torch.save(tensors, folder / "model.pt")
    return folder / "model.pt"


def _legacy(folder: Path, tensors: dict) -> Path:
    path = folder / "model.th"
    torch.save(_around(tensors), path, _use_new_zipfile_serialization=False)
    return path


def _repacked(folder: Path, tensors: dict, method: int) -> Path:
    path = _zip(folder, tensors)
    with zipfile.ZipFile(path) as source:
        members = {name: source.read(name) for name in source.namelist()}
    with zipfile.ZipFile(path, "w", method) as target:
        for name, data in members.items():
            target.writestr(name, data)
    return path


def _sharded(folder: Path, tensors: dict) -> Path:
    folder = folder / "sharded"
    folder.mkdir()
    names = list(tensors)
    where = {}
    for number, half in enumerate((names[:4], names[4:]), 1):
        file = f"model-{number:05}-of-00002.safetensors"
        save_file(
            {n: tensors[n] for n in half}, folder / file, {"format": "pt", "shard": str(number)}
        )
        where |= dict.fromkeys(half, file)
    size = sum(tensor.nbytes for tensor in tensors.values())
    index = {"metadata": {"total_size": size}, "weight_map": where}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "config.json").write_text('{"model_type": "x"}')
    (folder / "modeling.py").write_text("raise SystemExit")
    return folder


def _resumable(tensors: dict) -> dict:
    """Return the state dict of a module pruned by torch, with masks other than `kept_masks`."""
    found = {}
    for name, tensor in tensors.items():
        if name in PRUNED:
            found[f"{name}_orig"] = tensor
            found[f"{name}_mask"] = (
                (torch.arange(tensor.numel()) % 3 != 0)
                .reshape(tensor.shape)
                .to(torch.float32)
                .to(tensor.dtype)
            )
        else:
            found[name] = tensor
    return found


SOURCES: dict[str, Callable[[Path, dict], Path]] = {
    "safetensors": _safetensors,
    "zip": _zip,
    "bare zip": _bare_zip,
    "legacy": _legacy,
    "stored by another tool": lambda f, t: _repacked(f, t, zipfile.ZIP_STORED),
    "deflated": lambda f, t: _repacked(f, t, zipfile.ZIP_DEFLATED),
    "sharded": _sharded,
    "resumable safetensors": lambda f, t: _safetensors(f, _resumable(t)),
    "resumable zip": lambda f, t: _zip(f, _resumable(t)),
}
