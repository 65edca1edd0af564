"""A small convolutional classifier with residual blocks, as a training script saves it."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn


class _Block(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)


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


def write_cnn(path: Path) -> Path:
    """Write a training checkpoint of `SmallCnn` with seeded random weights; return its path."""
    torch.manual_seed(0)
    torch.save({"model": SmallCnn().state_dict(), "epoch": 5}, path)
    return path
