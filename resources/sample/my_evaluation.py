"""Measure how many of 360 handwritten digits the sample of Pruneapp classifies correctly."""

from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

with np.load(Path(__file__).with_name("digits.npz")) as file:
    DIGITS = dict(file)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(32)
        self.fc1 = nn.Linear(32 * 2 * 2, 256)
        self.fc2 = nn.Linear(256, 128)
        self.fc3 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc3(F.relu(self.fc2(x)))


def pictures(name):
    return torch.tensor(DIGITS[name], dtype=torch.float32)[:, None] / 16


def load(path):  # the path of the weights -> the model, ready to run
    model = LeNet()
    model.load_state_dict(load_file(path))
    return model.eval()


def evaluate(model):  # -> a number, or a dict of numbers
    with torch.no_grad():
        answers = model(pictures("test")).argmax(1)
    return {"accuracy": (answers == torch.tensor(DIGITS["labels"])).int().tolist()}


def calibrate(model):  # inputs for Repair and for statistics of activations, without labels
    with torch.no_grad():
        model(pictures("calibrate"))
