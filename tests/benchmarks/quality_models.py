"""Small models whose quality is measured in seconds, with their data."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from PySide6.QtGui import QImage
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody writes it

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.progress import Job
from pruneapp.repair.repair import LayerInputs, compute_repair
from pruneapp.repair.solve import Drift, Moments
from tests.conftest import ROOT, shared_folder

# Approximate number of input rows of a layer that are used per batch.
_MOST_ROWS = 4096
SAMPLE = ROOT / "resources" / "sample" / "lenet-digits.safetensors"


@dataclass(frozen=True)
class QualityModel:
    """A checkpoint, the model that loads it, and its data."""

    path: Path
    make: Callable[[], nn.Module]
    prefix: str  # prefix of the names in the checkpoint
    calibration: Callable[[int], Tensor]  # the inputs of a draw
    # A value per test sample of a model, given the dense one; and the score for their mean.
    values: Callable[[nn.Module, nn.Module], np.ndarray]
    summary: Callable[[float], float]
    labels: Callable[[int], Tensor] | None = None  # the classes of the inputs of a draw

    def score(self, model: nn.Module, dense: nn.Module) -> float:
        """Return the score of a model."""
        return self.summary(float(self.values(model, dense).mean()))

    def load(self, state: Snapshot) -> nn.Module:
        """Return the model with the weights of a state."""
        model = self.make()
        self._write(model, state, state.checkpoint.entries)
        return model.eval()

    def _write(self, model: nn.Module, state: Snapshot, names: Iterable[str]) -> None:
        """Write some tensors of a state into a model."""
        own = model.state_dict()
        for name in names:
            # Files have buffers that newer versions of a library do not store.
            if (target := own.get(name.removeprefix(self.prefix))) is None:
                continue
            entry, bits, zeroed = state.entry(name), state.bits(name), state.export_mask(name)
            if zeroed is not None:
                bits = np.where(zeroed.bools(), bits, 0).astype(bits.dtype)
            values = torch.from_numpy(bits.view(entry.dtype.numpy).copy())
            target.copy_(values.reshape(entry.shape))

    def moments(self, dense: nn.Module, draw: int) -> Mapping[str, Moments]:
        """Return the moments of the inputs of each layer, by tensor name in the checkpoint."""
        sums: dict[str, list[np.ndarray]] = {}

        def watch(name: str) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
            def seen(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
                rows = _rows_of(module, inputs[0])
                # Products of a batch in float32, their sum in float64, as on a GPU.
                gram, total = (rows.T @ rows).double(), rows.sum(0, dtype=torch.float64)
                parts = [gram.numpy(), total.numpy(), np.array(float(len(rows)))]
                before = sums.get(name)
                sums[name] = parts if before is None else list(map(np.add, before, parts))

            return seen

        layers = [(n, m) for n, m in dense.named_modules() if isinstance(m, nn.Conv2d | nn.Linear)]
        hooks = [
            layer.register_forward_pre_hook(watch(f"{self.prefix}{name}.weight"))
            for name, layer in layers
        ]
        with torch.no_grad():
            for batch in self.calibration(draw).split(32):
                dense(batch)
        for hook in hooks:
            hook.remove()
        return {n: Moments(gram, total, float(rows)) for n, (gram, total, rows) in sums.items()}

    def sequential(
        self, dense: nn.Module, state: Snapshot, draw: int, inputs: Tensor | None = None
    ) -> Snapshot:
        """Return a state repaired layer by layer, with inputs from the repaired layers.

        `inputs` are all calibration data by default.
        """
        inputs = self.calibration(draw) if inputs is None else inputs
        batches, now = inputs.split(32), self.load(state)
        for name in _in_order(dense, batches[0][:2]):
            weight = f"{self.prefix}{name}.weight"
            if weight in state.masks and state.masks[weight].pruned:
                found = {weight: _drifted(dense, now, name, batches)}
                after = compute_repair(state, known(found), Job(), names=[weight]).edit.after
                state = state.with_masks(after)
                self._write(now, state, after["values"])
        return state


class _Reached(Exception):  # noqa: N818 - no error
    """Raised to stop a forward pass once a layer is reached."""


def _rows_of(module: nn.Module, inputs: Tensor) -> Tensor:
    """Return the rows that the weight of a layer is multiplied by."""
    rows = inputs
    if isinstance(module, nn.Conv2d):
        window = module.kernel_size, module.dilation, module.padding, module.stride
        patches = F.unfold(rows, *window)
        rows = patches.transpose(1, 2).reshape(-1, patches.shape[1])
    rows = rows.flatten(0, -2)
    # A sample is enough for large pictures; the odd stride covers all columns.
    return rows[:: len(rows) // _MOST_ROWS | 1]


def _inputs_of(model: nn.Module, name: str, batch: Tensor) -> Tensor:
    found = []

    def seen(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        found.append(_rows_of(module, inputs[0]))
        raise _Reached

    hook = model.get_submodule(name).register_forward_pre_hook(seen)
    with torch.no_grad(), contextlib.suppress(_Reached):
        model(batch)
    hook.remove()
    return found[0]


def _in_order(model: nn.Module, batch: Tensor) -> list[str]:
    """Return the names of layers in order of execution."""
    names: list[str] = []
    layers = [(n, m) for n, m in model.named_modules() if isinstance(m, nn.Conv2d | nn.Linear)]
    hooks = [
        layer.register_forward_pre_hook(lambda *_, name=name: names.append(name))
        for name, layer in layers
    ]
    with torch.no_grad():
        model(batch)
    for hook in hooks:
        hook.remove()
    return names


def _drifted(dense: nn.Module, now: nn.Module, name: str, batches: Sequence[Tensor]) -> Moments:
    """Return the moments of a layer's current inputs, with the drift from the dense model."""
    weight = dense.get_submodule(name).weight.detach().flatten(1).T
    sums: list[np.ndarray] = []
    for batch in batches:
        before, rows = (_inputs_of(model, name, batch) for model in (dense, now))
        off = (before - rows) @ weight
        parts = [(rows.T @ rows).double(), rows.double().sum(0), torch.tensor(float(len(rows)))]
        parts += [(off.T @ rows).double(), off.double().sum(0), off.double().square().sum(0)]
        arrays = [part.numpy() for part in parts]
        sums = list(map(np.add, sums, arrays)) if sums else arrays
    gram, total, count, *drift = sums
    return Moments(gram, total, float(count), Drift(*drift))


def known(moments: Mapping[str, Moments]) -> Callable[[TensorEntry], LayerInputs | None]:
    """Return a function that looks up moments, as `compute_repair` expects."""

    def of(entry: TensorEntry) -> LayerInputs | None:
        found = moments.get(entry.name)
        return None if found is None else LayerInputs(1, len(found.gram), lambda _group: found)

    return of


def sample(count: int = 256) -> QualityModel:
    """Return the sample: its test pictures, and `count` training pictures for calibration."""
    spec = importlib.util.spec_from_file_location("train", SAMPLE.with_name("train.py"))
    assert spec is not None
    assert spec.loader is not None
    train = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(train)
    pictures, known_labels, tests, labels = train.digits()

    def chosen(seed: int) -> Tensor:
        order = torch.randperm(len(pictures), generator=torch.Generator().manual_seed(seed))
        return order[:count]

    def values(model: nn.Module, _dense: nn.Module) -> np.ndarray:
        with torch.no_grad():
            return (model(tests).argmax(1) == labels).double().numpy()

    return QualityModel(
        SAMPLE,
        train.LeNet,
        "",
        lambda seed: pictures[chosen(seed)],
        values,
        in_percent,
        lambda seed: known_labels[chosen(seed)],
    )


def in_percent(share: float) -> float:
    """Return a share in percent."""
    return 100 * share


class _Block(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.wider = outputs - inputs
        self.stride = 2 if self.wider else 1
        self.conv1 = nn.Conv2d(inputs, outputs, 3, self.stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Return the features; the shortcut is padded with zeros for the added channels."""
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        around = x[:, :, :: self.stride, :: self.stride]
        half = self.wider // 2
        return F.relu(y + F.pad(around, (0, 0, 0, 0, half, half)))


class _ResNet20(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        widths = (16, 16, 32, 64)
        for number in (1, 2, 3):
            first = _Block(widths[number - 1], widths[number])
            rest = [_Block(widths[number], widths[number]) for _ in range(2)]
            setattr(self, f"layer{number}", nn.Sequential(first, *rest))
        self.linear = nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits (10 per picture) for pictures of 32 x 32."""
        x = F.relu(self.bn1(self.conv1(x)))
        for number in (1, 2, 3):
            x = getattr(self, f"layer{number}")(x)
        return self.linear(x.mean((2, 3)))


def _photos() -> Iterator[Tensor]:
    import sklearn.datasets  # takes seconds

    folder = Path(sklearn.datasets.__file__).parent / "images"
    for name in ("china.jpg", "flower.jpg"):
        image = QImage(str(folder / name)).convertToFormat(QImage.Format.Format_RGB888)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
        pixels = rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3)
        yield torch.from_numpy(pixels.copy()).permute(2, 0, 1).float() / 255


def resnet20(count: int = 256) -> QualityModel | None:
    """Return ResNet-20 on crops of two photos, scored by agreement with the dense model.

    It is calibrated with `count` crops, which come from the same photos as those for the test and
    may overlap them. None if the checkpoint is not available.
    """
    shared = shared_folder()
    if shared is None:
        return None
    photos = list(_photos())
    mean, spread = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])

    def crops(seed: int, count: int) -> Tensor:
        rng = np.random.default_rng(seed)
        found = []
        for number in range(count):
            photo = photos[number % 2]
            size = int(rng.integers(32, 257))
            row = int(rng.integers(photo.shape[1] - size + 1))
            column = int(rng.integers(photo.shape[2] - size + 1))
            crop = photo[:, row : row + size, column : column + size]
            found.append(F.adaptive_avg_pool2d(crop, 32))
        return (torch.stack(found) - mean[:, None, None]) / spread[:, None, None]

    tests = crops(1000, 512)
    wanted: list[Tensor] = []

    def values(model: nn.Module, dense: nn.Module) -> np.ndarray:
        with torch.no_grad():
            if not wanted:
                wanted.append(dense(tests).argmax(1))
            return (model(tests).argmax(1) == wanted[0]).double().numpy()

    path = shared / "data" / "resnet20-12fca82f.th"
    return QualityModel(
        path, _ResNet20, "module.", lambda seed: crops(seed, count), values, in_percent
    )
