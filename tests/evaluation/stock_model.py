"""A stub of torchvision, a model that classifies colors, and its images."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from PIL import Image
from safetensors.torch import save_file

from pruneapp.evaluation import classifier

# Colors are classes: the logits are the sums of the channels.
TORCHVISION = """
import numpy, torch

class Tiny(torch.nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.bn = torch.nn.BatchNorm2d(3)
        self.fc = torch.nn.Linear(3, classes)

    def forward(self, images):
        return self.fc(self.bn(images).sum((2, 3)))

def get_model(name, weights, num_classes):
    assert (name, weights) == ("tiny", None)
    return Tiny(num_classes)

class Weights:
    class DEFAULT:
        @staticmethod
        def transforms():
            return lambda image: torch.tensor(numpy.array(image) / 255).float().permute(2, 0, 1)

def get_model_weights(name):
    return Weights
"""
COLOURS = "blue", "green", "red"  # in alphabetical order, like classes
# A model that classifies each color correctly.
STATE: Mapping[str, torch.Tensor] = {
    "fc.weight": torch.eye(3).flip(0),
    "fc.bias": torch.zeros(3),
    "bn.weight": torch.ones(3),
    "bn.bias": torch.zeros(3),
    "bn.running_mean": torch.zeros(3),
    "bn.running_var": torch.ones(3),
}


def install(place: Path, monkeypatch) -> None:
    """Let workers import the stub, and register the model by its tensors."""
    package = place / "torchvision"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "models.py").write_text(TORCHVISION)
    monkeypatch.setenv("PYTHONPATH", str(place))
    known = classifier.signature({name: tuple(one.shape) for name, one in STATE.items()})
    monkeypatch.setattr(classifier, "_table", lambda: {known: "torchvision/tiny"})


def write_model(path: Path) -> Path:
    """Write the model; return the path."""
    save_file(dict(STATE), path)
    return path


def write_images(folder: Path) -> Path:
    """Write a folder with two images for each color, and files that are not images."""
    for colour in COLOURS:
        (folder / colour).mkdir(parents=True)
        for number in range(2):
            Image.new("RGB", (4, 4), colour).save(folder / colour / f"{number}.PNG")
    (folder / "notes").mkdir()
    (folder / "notes" / "read.me").touch()
    return folder
