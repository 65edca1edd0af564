"""The available devices."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.errors import DeviceError
from pruneapp.kernels import devices
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.gpu import WORTH_MOVING, TorchKernel
from pruneapp.kernels.sort_keys import Magnitudes, Uniform
from tests.support.tensors import reading


@pytest.fixture(autouse=True)
def forget():
    """Clear the cache of devices, which otherwise lasts for the process."""
    devices.available_devices.cache_clear()
    yield
    devices.available_devices.cache_clear()


def without_gpu(monkeypatch):
    monkeypatch.setattr(devices, "gpu_in_sight", lambda: False)


def with_gpu(monkeypatch, *found):
    monkeypatch.setattr(devices, "gpu_in_sight", lambda: True)
    monkeypatch.setattr("pruneapp.kernels.gpu.gpus", lambda: found)


def test_without_a_gpu_there_is_the_cpu_alone(monkeypatch):
    without_gpu(monkeypatch)

    assert [d.key for d in devices.available_devices()] == ["cpu"]
    assert type(devices.kernel_for("auto")) is CpuKernel


def test_a_gpu_is_preferred(monkeypatch):
    """Unless the CPU is requested."""
    with_gpu(monkeypatch, ("mps", "Apple GPU"))
    monkeypatch.setattr("torch.device", lambda key: key)

    assert [d.label for d in devices.available_devices()] == ["CPU", "Apple GPU"]
    assert isinstance(devices.kernel_for("auto"), TorchKernel)
    assert isinstance(devices.kernel_for("mps"), TorchKernel)
    assert type(devices.kernel_for("cpu")) is CpuKernel


def test_a_device_that_is_not_there_is_refused(monkeypatch):
    """The message lists the available devices."""
    without_gpu(monkeypatch)

    with pytest.raises(DeviceError, match=r"no CUDA device here \(there are: cpu\)"):
        devices.kernel_for("cuda")
    with pytest.raises(DeviceError, match="one of auto, cpu, cuda, mps"):
        devices.kernel_for("tpu")


def ranked(name: str, size: int) -> Magnitudes:
    return Magnitudes(reading(np.empty(0)), size, DTYPES[name])


@pytest.mark.parametrize(
    ("device", "rankings", "moved"),
    [
        ("cuda", [ranked("F32", WORTH_MOVING)], True),
        ("cuda", [ranked("F32", WORTH_MOVING - 1)], False),
        ("cuda", [ranked("F64", WORTH_MOVING)], True),
        ("mps", [ranked("F32", WORTH_MOVING)], True),
        ("mps", [ranked("F64", WORTH_MOVING)], False),
        ("cuda", [ranked("F32", 1000)] * 5000, False),
        ("cuda", [Uniform(0, "w", WORTH_MOVING)], False),
    ],
    ids=["large", "small", "float64", "MPS", "float64 on MPS", "many tiny ones", "at random"],
)
def test_only_what_is_worth_it_goes_to_a_device(device, rankings, moved):
    """The CPU handles small tensors, small parts, and tensors too large for the device."""
    assert moved is TorchKernel(device)._is_worthwhile(rankings)


def test_torch_is_not_loaded_for_the_cpu(run_python):
    """Not for the kernel, not for the methods, and not to look for a GPU if none is visible."""
    out = run_python(
        "import sys\n"
        "from pruneapp.kernels import devices\n"
        "import pruneapp.methods.registry, pruneapp.methods.prune_tensors\n"
        "devices.gpu_in_sight = lambda: False\n"
        "devices.available_devices(); devices.kernel_for('auto'); devices.kernel_for('cpu')\n"
        "print('torch' in sys.modules)"
    )

    assert out.strip() == "False"
