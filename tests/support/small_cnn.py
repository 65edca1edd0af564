"""A small convolutional classifier with residual blocks, as a training script saves it."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn


class _Block(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        inner = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(x + self.bn2(self.conv2(inner)))


class SmallCnn(nn.Module):
    """A stem, two residual blocks with a downsampling convolution after each, two linear layers.

    Only the channels between the two convolutions of a block have known dependents in its state
    dict.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16))
        self.block1 = _Block(16)
        self.down = nn.Sequential(nn.Conv2d(16, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32))
        self.block2 = _Block(32)
        self.down2 = nn.Sequential(nn.Conv2d(32, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32))
        self.fc1 = nn.Linear(32 * 4, 24)
        self.fc2 = nn.Linear(24, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Return the scores of ten classes for images of 8 x 8 pixels."""
        x = self.down(self.block1(torch.relu(self.stem(x))))
        x = self.down2(self.block2(torch.relu(x)))
        return self.fc2(torch.relu(self.fc1(torch.relu(x).flatten(1))))


def write_cnn(path: Path) -> Path:
    """Write a training checkpoint of `SmallCnn` with seeded random weights; return its path."""
    torch.manual_seed(0)
    torch.save({"model": SmallCnn().state_dict(), "epoch": 5}, path)
    return path
