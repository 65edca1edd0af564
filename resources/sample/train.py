"""Train the sample checkpoint: a small LeNet on scikit-learn's handwritten digits.

Run ``python resources/sample/train.py`` from the checkout; it writes ``lenet-digits.safetensors``
to its own folder. With one thread and fixed seeds, the bytes depend only on the version of torch.
"""

from __future__ import annotations

import struct
from pathlib import Path

import torch
from safetensors.torch import save
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional

TARGET = Path(__file__).parent / "lenet-digits.safetensors"


class LeNet(nn.Module):
    """Two convolutions with norms, three linear layers; 8 x 8 grey pictures in, ten digits out."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(32)
        self.fc1 = nn.Linear(32 * 2 * 2, 256)
        self.fc2 = nn.Linear(256, 128)
        self.fc3 = nn.Linear(128, 10)

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the ten scores of each picture of shape (N, 1, 8, 8)."""
        x = functional.max_pool2d(functional.relu(self.bn1(self.conv1(pictures))), 2)
        x = functional.max_pool2d(functional.relu(self.bn2(self.conv2(x))), 2)
        x = functional.relu(self.fc1(x.flatten(1)))
        return self.fc3(functional.relu(self.fc2(x)))


def digits() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return pictures and labels to train on, then those to test on (every fifth)."""
    data = load_digits()
    pictures = torch.tensor(data.images, dtype=torch.float32)[:, None] / 16
    labels = torch.tensor(data.target)
    test = torch.arange(len(labels)) % 5 == 0
    return pictures[~test], labels[~test], pictures[test], labels[test]


def accuracy(model: nn.Module) -> float:
    """Return the share of the test pictures that the model classifies correctly."""
    _, _, pictures, labels = digits()
    model.eval()
    with torch.no_grad():
        return (model(pictures).argmax(1) == labels).double().mean().item()


def train() -> LeNet:
    """Train a new model for thirty rounds, with fixed seeds and one thread."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(mode=True)
    pictures, labels, _, _ = digits()
    model = LeNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=5e-2)
    rounds = 30
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, rounds)
    for _ in range(rounds):
        model.train()
        for batch in torch.randperm(len(labels)).split(64):
            optimizer.zero_grad()
            functional.cross_entropy(model(pictures[batch]), labels[batch]).backward()
            optimizer.step()
        schedule.step()
    return model


def write(model: nn.Module, path: Path, accuracy_text: str) -> None:
    """Write the state dict as safetensors with its metadata in a fixed order.

    `accuracy_text` is stored in the metadata. An existing file is replaced.
    """
    blob = save(
        {name: tensor.contiguous() for name, tensor in model.state_dict().items()},
        metadata={"format": "pt"},
    )
    length = struct.unpack("<Q", blob[:8])[0]
    header = blob[8 : 8 + length].rstrip().decode()
    # The library writes keys of the metadata in random order; one key has only one order.
    note = (
        '{"__metadata__":{"format":"pt","model":"LeNet for 8x8 digits",'
        f'"test_accuracy":"{accuracy_text}"}}'
    )
    header = header.replace('{"__metadata__":{"format":"pt"}', note)
    padded = header.encode() + b" " * (-len(header.encode()) % 8)
    path.write_bytes(struct.pack("<Q", len(padded)) + padded + blob[8 + length :])


def main() -> None:
    """Train, tell the accuracy, write."""
    model = train()
    found = f"{accuracy(model):.4f}"
    write(model, TARGET, found)
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes, accuracy {found}")  # noqa: T201 - a script


if __name__ == "__main__":
    main()
