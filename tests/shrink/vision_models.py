"""Small networks of blocks that are recognized by their tensors, with seeded values.

Their forward passes are written here as the reference for the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional


def _norm(width: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(width)


def _convolved(inputs: int, outputs: int, kernel: int, groups: int = 1) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, groups=groups, bias=False)


class BasicBlock(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1, self.bn1 = _convolved(width, width, 3), _norm(width)
        self.conv2, self.bn2 = _convolved(width, width, 3), _norm(width)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.bn1(self.conv1(x)))
        return functional.relu(self.bn2(self.conv2(y)) + x)


class PreActivation(BasicBlock):
    """A block with the same tensors, which computes in another order."""

    def __init__(self, inputs: int, width: int) -> None:
        nn.Module.__init__(self)
        self.bn1, self.conv1 = _norm(inputs), _convolved(inputs, width, 3)
        self.bn2, self.conv2 = _norm(width), _convolved(width, width, 3)


class Bottleneck(nn.Module):
    def __init__(self, inputs: int, planes: int, per_group: int = 64, groups: int = 1) -> None:
        super().__init__()
        width, outputs = int(planes * (per_group / 64.0)), planes * 4
        self.conv1, self.bn1 = _convolved(inputs, width, 1), _norm(width)
        self.conv2, self.bn2 = _convolved(width, width, 3, groups), _norm(width)
        self.conv3, self.bn3 = _convolved(width, outputs, 1), _norm(outputs)
        self.downsample = None
        if inputs != outputs:
            self.downsample = nn.Sequential(_convolved(inputs, outputs, 1), _norm(outputs))

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.bn1(self.conv1(x)))
        y = functional.relu(self.bn2(self.conv2(y)))
        around = x if self.downsample is None else self.downsample(x)
        return functional.relu(self.bn3(self.conv3(y)) + around)


def _unit(inputs: int, outputs: int, kernel: int, groups: int, act: type[nn.Module]) -> nn.Module:
    return nn.Sequential(_convolved(inputs, outputs, kernel, groups), _norm(outputs), act())


class InvertedResidual(nn.Module):
    """The block of MobileNetV2 in torchvision."""

    def __init__(self, width: int, wide: int) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            _unit(width, wide, 1, 1, nn.ReLU6),
            _unit(wide, wide, 3, wide, nn.ReLU6),
            _convolved(wide, width, 1),
            _norm(width),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.conv(x)


class SqueezeExcitation(nn.Module):
    def __init__(self, width: int, squeezed: int) -> None:
        super().__init__()
        self.fc1 = nn.Conv2d(width, squeezed, 1)
        self.fc2 = nn.Conv2d(squeezed, width, 1)

    def forward(self, x: Tensor) -> Tensor:
        scale = self.fc2(functional.silu(self.fc1(functional.adaptive_avg_pool2d(x, 1))))
        return torch.sigmoid(scale) * x


class MBConv(nn.Module):
    """The block of EfficientNet in torchvision; without its middle, one of MobileNetV3."""

    def __init__(self, width: int, wide: int, squeezed: int) -> None:
        super().__init__()
        middle = [SqueezeExcitation(wide, squeezed)] if squeezed else []
        self.block = nn.Sequential(
            _unit(width, wide, 1, 1, nn.SiLU),
            _unit(wide, wide, 5, wide, nn.SiLU),
            *middle,
            nn.Sequential(_convolved(wide, width, 1), _norm(width)),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.block(x)


class _SqueezeOfTimm(nn.Module):
    def __init__(self, width: int, squeezed: int) -> None:
        super().__init__()
        self.conv_reduce = nn.Conv2d(width, squeezed, 1)
        self.conv_expand = nn.Conv2d(squeezed, width, 1)

    def forward(self, x: Tensor) -> Tensor:
        scale = self.conv_expand(functional.relu(self.conv_reduce(x.mean((2, 3), keepdim=True))))
        return x * functional.hardsigmoid(scale)


class InvertedResidualOfTimm(nn.Module):
    def __init__(self, width: int, wide: int, squeezed: int) -> None:
        super().__init__()
        self.conv_pw, self.bn1 = _convolved(width, wide, 1), _norm(wide)
        self.conv_dw, self.bn2 = _convolved(wide, wide, 3, wide), _norm(wide)
        self.se = _SqueezeOfTimm(wide, squeezed) if squeezed else nn.Identity()
        self.conv_pwl, self.bn3 = _convolved(wide, width, 1), _norm(width)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.hardswish(self.bn1(self.conv_pw(x)))
        y = self.se(functional.hardswish(self.bn2(self.conv_dw(y))))
        return x + self.bn3(self.conv_pwl(y))


class EncoderBlock(nn.Module):
    """The block of ViT in torchvision."""

    def __init__(self, width: int, wide: int) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.self_attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.mlp = nn.Sequential(
            nn.Linear(width, wide), nn.GELU(), nn.Dropout(), nn.Linear(wide, width), nn.Dropout()
        )

    def forward(self, x: Tensor) -> Tensor:
        y = self.ln_1(x)
        x = x + self.self_attention(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.ln_2(x))


class _Encoder(nn.Module):
    def __init__(self, width: int, wide: int) -> None:
        super().__init__()
        for number in range(2):
            self.add_module(f"encoder_layer_{number}", EncoderBlock(width, wide))

    def forward(self, x: Tensor) -> Tensor:
        for block in self.children():
            x = block(x)
        return x


class _MlpOfTimm(nn.Module):
    def __init__(self, width: int, wide: int) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(width, wide), nn.Linear(wide, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(functional.gelu(self.fc1(x)))


class BlockOfTimm(nn.Module):
    def __init__(self, width: int, ratio: float) -> None:
        super().__init__()
        self.norm2 = nn.LayerNorm(width)
        self.mlp = _MlpOfTimm(width, int(width * ratio))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.mlp(self.norm2(x))


class TransformerOfTimm(nn.Module):
    def __init__(self, width: int = 24, ratio: float = 4.0) -> None:
        super().__init__()
        self.blocks = nn.Sequential(BlockOfTimm(width, ratio), BlockOfTimm(width, ratio))

    def forward(self, x: Tensor) -> Tensor:
        return self.blocks(x)


class ResNet(nn.Module):
    """Two stages of bottlenecks, where torchvision has four."""

    def __init__(self, width_per_group: int = 64) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 3, bias=False), _norm(64)
        self.layer1 = nn.Sequential(Bottleneck(64, 64, width_per_group))
        self.layer2 = nn.Sequential(Bottleneck(256, 128, width_per_group))
        self.fc = nn.Linear(512, 10)

    def forward(self, x: Tensor) -> Tensor:
        y = self.layer2(self.layer1(functional.relu(self.bn1(self.conv1(x)))))
        return self.fc(y.mean((2, 3)))


def _encoder(feedforward: int = 40) -> nn.Module:
    layer = nn.TransformerEncoderLayer(24, 4, feedforward, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


class _Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerDecoderLayer(24, 4, 40, batch_first=True, activation="gelu")
        self.decoder = nn.TransformerDecoder(layer, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(x, x.flip(1))


class _Strided(BasicBlock):
    """A basic block of a ResNet for CIFAR, whose shortcut is padded with zeros (option A)."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__(width)
        self._wider = width - inputs
        stride = 2 if self._wider else 1
        self.conv1 = nn.Conv2d(inputs, width, 3, stride, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y = self.bn2(self.conv2(functional.relu(self.bn1(self.conv1(x)))))
        if self._wider:
            x = functional.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, *[self._wider // 2] * 2))
        return functional.relu(y + x)


class ResNet20(nn.Module):
    """The network of akamaster/pytorch_resnet_cifar10."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.bn1 = _convolved(3, 16, 3), _norm(16)
        self.layer1 = nn.Sequential(*[_Strided(16, 16) for _ in range(3)])
        self.layer2 = nn.Sequential(_Strided(16, 32), _Strided(32, 32), _Strided(32, 32))
        self.layer3 = nn.Sequential(_Strided(32, 64), _Strided(64, 64), _Strided(64, 64))
        self.linear = nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.bn1(self.conv1(x)))
        y = self.layer3(self.layer2(self.layer1(y)))
        return self.linear(y.mean((2, 3)))


IMAGE, TOKENS = (2, 3, 9, 9), (2, 5, 24)


def _after(*blocks: nn.Module, width: int = 16) -> nn.Module:
    """Return blocks between a first convolution and a classifier."""
    return nn.Sequential(
        nn.Conv2d(3, width, 3), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 5)
    )


# For each: its constructor, and the shape of its input.
MODELS: Mapping[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "basic": (lambda: _after(BasicBlock(16), BasicBlock(16)), IMAGE),
    "bottleneck": (ResNet, IMAGE),
    "mobilenet_v2": (lambda: _after(InvertedResidual(16, 48), InvertedResidual(16, 64)), IMAGE),
    "mobilenet_v3": (lambda: _after(MBConv(16, 48, 0), MBConv(16, 40, 8)), IMAGE),
    "efficientnet": (lambda: _after(MBConv(16, 48, 4), MBConv(16, 64, 4)), IMAGE),
    "timm_mobilenet": (
        lambda: _after(InvertedResidualOfTimm(16, 48, 0), InvertedResidualOfTimm(16, 64, 4)),
        IMAGE,
    ),
    "vit": (lambda: _Encoder(24, 40), TOKENS),
    "timm_vit": (TransformerOfTimm, TOKENS),
    "encoder": (_encoder, TOKENS),
    "decoder": (_Decoder, TOKENS),
}


def make(name: str, seed: int = 0) -> nn.Module:
    """Return a network in float64 with all values random, including norm statistics."""
    torch.manual_seed(seed)
    model = MODELS[name][0]().double().eval()
    randomize(model)
    return model


def randomize(model: nn.Module) -> None:
    """Fill biases and norms with random values."""
    for name, tensor in model.state_dict().items():
        if name.endswith("running_var"):
            tensor.uniform_(0.5, 2.0)
        elif tensor.is_floating_point() and tensor.ndim == 1:
            tensor.copy_(torch.randn_like(tensor) * 0.5 + (1.0 if "weight" in name else 0.0))


def outputs(model: nn.Module, name: str) -> Tensor:
    """Return the outputs of a network for seeded inputs."""
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(MODELS[name][1], generator=generator, dtype=torch.float64)
    with torch.no_grad():
        return model(x)
